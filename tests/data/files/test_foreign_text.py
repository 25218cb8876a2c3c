"""Text tables as other programs write them: delimiters, decimal commas, encodings, compression; and missing values."""

import gzip
import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import DataError, ParameterError, Stream, read
from rosenblatt.base.text_tables.dialect import Dialect, DialectOptions, find_dialect
from rosenblatt.certificate.reader import File, read_file, read_text
from tests.support.table_files import dense, made

PLAIN = "x,z,label\n1.5,2,a\n-0.25,1,b\n3e-1,4,a\n"
GERMAN = "x;z;label\n1,5;2;a\n-0,25;1;b\n3e-1;4;a\n"
X = [[1.5, 2], [-0.25, 1], [0.3, 4]]
FOREIGN: dict[str, tuple[bytes, Dialect]] = {
    "plain": (PLAIN.encode(), Dialect()),
    "semicolons": (GERMAN.encode(), Dialect(";", ",")),
    "semicolons and points": (PLAIN.replace(",", ";").encode(), Dialect(";")),
    "tabs": (PLAIN.replace(",", "\t").encode(), Dialect("\t")),
    "pipes": (PLAIN.replace(",", "|").encode(), Dialect("|")),
    "latin-1": (GERMAN.replace("z", "größe").encode("latin-1"), Dialect(";", ",", "cp1252")),
    "utf-16": (GERMAN.encode("utf-16"), Dialect(";", ",", "utf-16")),
    "utf-16 without mark": (PLAIN.encode("utf-16-be"), Dialect(encoding="utf-16-be")),
    "utf-8 with mark": (PLAIN.encode("utf-8-sig"), Dialect()),
    "gzip": (gzip.compress(GERMAN.encode("latin-1")), Dialect(";", ",")),
    "windows line ends": (GERMAN.replace("\n", "\r\n").encode(), Dialect(";", ",")),
}


def listed(X: Any) -> Any:
    return np.asarray(dense(X)).tolist()


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_found(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of the plain file, in memory, from standard input, in any chunks, and for the checker."""
    text, dialect = FOREIGN[kind]
    path = made(tmp_path, text)
    data = read(path)
    assert (listed(data.X), data.y.tolist(), data.dialect) == (X, ["a", "b", "a"], dialect)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text))))
    assert listed(read("-", format="csv").X) == X
    for size in (1, 20, 1000):
        stream = Stream(path, chunk_bytes=size, classes=["a", "b"])
        assert np.concatenate([chunk.X for chunk in stream.chunks() if chunk.X is not None]).tolist() == X
        assert stream.dialect_ == dialect
    if kind != "gzip":
        assert read_file(path).X.floats.tolist() == X


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,label\n1,a\n2\r,b\n", "line 3: a carriage return (\\r) alone was found"),
        ("x,label\n1,a\0\n2,b\n", "line 2: the character 0 (NUL) was found"),
    ],
)
def test_lines_are_checked_after_decoding(tmp_path: Path, text: str, words: str) -> None:
    """The bytes of UTF-16 have zeros and returns of their own; what counts are its characters."""
    path = made(tmp_path, text.encode("utf-16"))
    readers: list[Any] = [read, read_file, lambda file: list(Stream(file, chunk_bytes=8, classes=["a", "b"]).chunks())]
    for reader in readers:
        with pytest.raises(DataError) as told:
            reader(path)
        assert str(told.value).startswith(f"{path}, {words}")


def test_a_byte_order_mark_before_the_characters_that_are_given(tmp_path: Path) -> None:
    """Python's codec utf-16-le leaves the mark in the text."""
    path = made(tmp_path, ("\ufeff" + PLAIN).encode("utf-16-le"))
    given = DialectOptions(text_encoding="utf-16-le")
    assert read(path, text_encoding="utf-16-le").feature_names == ["x", "z"]
    found = read_text(path, "label", "csv", zipped=False, given=given)
    assert isinstance(found, File)
    assert found.X.names == ["x", "z"]


def test_words_have_no_effect_on_decimal_commas(tmp_path: Path) -> None:
    """The reader of words finds the same numbers as the reader of numbers, and words keep their commas."""
    path = made(tmp_path, 'name;x;label\n"Smith, J";1,5;1\n"Doe, A";-0,25;0\n"Doe, A";0x;1\n')
    data = read(path, on_error="skip")
    assert data.feature_names == ["name=Doe, A", "name=Smith, J", "x"]
    assert (listed(data.X), data.y.tolist(), data.skipped) == ([[0, 1, 1.5], [1, 0, -0.25]], [1, 0], 1)


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("1,5;2,0;a\n2,5;3,0;b\n", Dialect(";", ",")),  # commas split all lines alike too
        ("text,n,label\na;b,1,x\nc;d,2,y\n", Dialect()),
        ("x;y;label\n1,234;2;a\n2,345;3;b\n", Dialect(";")),  # thousands, perhaps: no guess
        ("x;y;label\n0,234;2;a\n2,345;3;b\n", Dialect(";", ",")),
        ("x;y;label\n1,5;2.5;a\n", Dialect(";")),  # both marks: no guess
        ('x,label\n"1,5",a\n"2,5",b\n', Dialect()),
        ("", Dialect()),
    ],
)
def test_guesses(sample: str, expected: Dialect) -> None:
    assert find_dialect("a.csv", sample.encode(), "csv", DialectOptions()) == expected


def test_what_is_given_is_not_guessed(tmp_path: Path) -> None:
    path = made(tmp_path, "x;label\n1,234;a\n2,345;b\n")
    with pytest.raises(DataError, match=r"it has numbers with a comma, such as '1,234'.*say decimal=','"):
        read(path)
    assert listed(read(path, decimal=",").X) == [[1.234], [2.345]]
    assert listed(read(made(tmp_path, 'x,label\n"1,5",a\n"2,5",b\n'), decimal=",").X) == [[1.5], [2.5]]
    path = made(tmp_path, "größe,label\n1,a\n2,b\n".encode("cp437"))
    assert read(path, text_encoding="cp437").feature_names == ["größe"]
    assert listed(read(made(tmp_path, "x:y:label\n1:2:a\n"), delimiter=":").X) == [[1, 2]]


@pytest.mark.parametrize(
    "cells",
    [
        ["14%", "2.5%", "3 %", "0%"],
        ["$1", "$2.50", "-$3", "$4"],
        ["1 €", "2,50 €", "3€", "4 €"],
        ["1.100.200,5", "2.300,5", "1.000.000", "7.250,25"],
        ["1,234,567.8", "2,345.6", "-1,000", "3,000"],
        ["1'000", "2'500", "3'000", "4'000"],
        ["1 000", "2 500", "3\u00a0000", "4\u202f000"],
        ["950", "870", "1,200.5", "3,400.5", "7,000.5"],  # more than half of them, with the plain ones
    ],
)
def test_numbers_with_signs_are_no_categories(tmp_path: Path, cells: list[str]) -> None:
    rows = "".join(f'"{cell}";{"ab"[k % 2]}\n' for k, cell in enumerate(cells))
    path = made(tmp_path, f"x;label\n{rows}")
    shown = re.escape(repr(next(cell for cell in cells if not cell.isdecimal())))
    for load in (read, lambda path, **given: list(Stream(path, **given).chunks())):
        with pytest.raises(DataError, match=rf"column 'x': plain numbers were expected, not {shown}\."):
            load(path, delimiter=";", decimal=".")
        assert load(path, delimiter=";", decimal=".", categories=["x"])


@pytest.mark.parametrize("cells", [["1.2.3", "1.2.4"], ["12.03.2024", "13.03.2024"], ["10-20", "20-30"], ["a%", "b%"]])
def test_words_with_digits_are_categories(tmp_path: Path, cells: list[str]) -> None:
    path = made(tmp_path, f"x,label\n{cells[0]},a\n{cells[1]},b\n")
    assert read(path).feature_names == [f"x={cell}" for cell in cells]


def test_a_point_is_no_decimal_mark_beside_commas(tmp_path: Path) -> None:
    path = made(tmp_path, "x;z;label\n1,5;2;a\n2,5;3;b\n" + "1,25;2;a\n" * 300 + "1.500;3;b\n")
    with pytest.raises(DataError, match=r"line 304, column 'x': a number was expected, not '1\.500'\..*decimal='\.'"):
        read(path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ";;"}, "delimiter must be one of the characters"),
        ({"delimiter": "5"}, "delimiter must be one of the characters"),
        ({"decimal": "'"}, "decimal must be '.' or ','"),
        ({"text_encoding": "klingon"}, "text_encoding must be the name of an encoding of text"),
        ({"encoding": "latin-1"}, "is said by text_encoding"),
        ({"missing": "median"}, "missing must be 'drop', 'mean'"),
        ({"missing": {"x": "drop"}}, "missing must be 'drop', 'mean'"),
        ({"missing": 0, "fill": 0}, "fill is its older name"),
    ],
)
def test_options_with_a_wrong_value(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    for reader in (read, Stream):
        with pytest.raises(ParameterError) as told:
            reader(made(tmp_path, PLAIN), **options)
        assert words in str(told.value)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it is not text but a zip archive or an Excel workbook"):
        read(made(tmp_path, b"PK\x03\x04" + bytes(range(256))))
    with pytest.raises(DataError, match=r"it is not text but a Parquet file\. Give format='parquet'"):
        read(made(tmp_path, b"PAR1" + bytes(20)))


GAPS = "x,c,label\n1,p,a\n,q,b\n4,,b\n1,q,\n5,q,a\n"


@pytest.mark.parametrize(
    ("missing", "names", "rows"),
    [
        ("mean", ["x", "c=missing", "c=p", "c=q"], [[1, 0, 1, 0], [2.75, 0, 0, 1], [4, 1, 0, 0], [5, 0, 0, 1]]),
        ("most_frequent", ["x", "c=p", "c=q"], [[1, 1, 0], [1, 0, 1], [4, 0, 1], [5, 0, 1]]),
        (7, ["x", "c=p", "c=q"], [[1, 1, 0], [7, 0, 1], [4, 0, 0], [5, 0, 1]]),
        (
            {"x": 7, "c": "level"},
            ["x", "c=missing", "c=p", "c=q"],
            [[1, 0, 1, 0], [7, 0, 0, 1], [4, 1, 0, 0], [5, 0, 0, 1]],
        ),
        ("drop", ["x", "c=p", "c=q"], [[1, 1, 0], [5, 0, 1]]),
    ],
)
def test_missing_values(tmp_path: Path, missing: Any, names: list[str], rows: list[list[float]]) -> None:
    """A label is not filled, so its row is skipped here. The values are those of the rows that are there."""
    path = made(tmp_path, GAPS)
    data = read(path, missing=missing, on_error="skip")
    assert (data.feature_names, listed(data.X)) == (names, rows)
    assert (data.skipped, data.dropped) == ((3, 3) if missing == "drop" else (1, 0))
    again = read(path, encoding=type(data.encoding).from_dict(data.encoding.to_dict()), on_error="skip")  # type: ignore[union-attr]
    if missing != "drop":
        assert listed(again.X) == rows


def test_missing_values_in_a_stream(tmp_path: Path) -> None:
    """Chunks equal the whole."""
    path = made(tmp_path, GAPS)
    known: dict[str, Any] = {"classes": ["a", "b"], "categories": {"c": ["missing", "p", "q"]}}
    wishes: list[Any] = ["drop", {"x": 7, "c": "level"}]
    for missing in wishes:
        whole = read(path, missing=missing, categories=known["categories"], on_error="skip")
        for size in (1, 30, 1000):
            stream = Stream(path, missing=missing, chunk_bytes=size, on_error="skip", **known)
            parts = [chunk.X for chunk in stream.chunks() if chunk.X is not None]
            assert np.concatenate(parts).tolist() == listed(whole.X)
            assert (stream.n_rows_, stream.n_skipped_) == (len(whole.y), whole.skipped)
    for wish in ("mean", "most_frequent"):
        with pytest.raises(ParameterError, match=f"missing cannot be '{wish}' for a stream"):
            Stream(path, missing={"x": wish})  # type: ignore[dict-item]


def test_a_level_has_a_name_of_its_own(tmp_path: Path) -> None:
    data = read(made(tmp_path, "c,label\nmissing,a\n,b\n"), missing="level")
    assert (data.feature_names, listed(data.X)) == (["c=(missing)", "c=missing"], [[0, 1], [1, 0]])


def test_level_leaves_missing_numbers_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 3, column 'x': a number was expected, but it is missing"):
        read(made(tmp_path, GAPS), missing="level")


def test_a_row_taken_for_the_header(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1 was taken for the header, but each of its cells is a value"):
        read(made(tmp_path, "red,big,yes\nblue,small,no\nred,small,yes\nblue,big,no\n"))
