"""Labels that differ in the file stay different, or are refused with file and line; given classes decide their type."""

import decimal
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import DataError, Stream, read
from rosenblatt.certificate.reader import read_file
from tests.support.effort import examples
from tests.support.table_files import Sample as TableSample
from tests.support.table_files import arrow_of, made, npz_of, parquet_of, text_of

ODD, EVEN = 2**53 + 1, 2**53  # one float
SIZES = (1, 8, 12, 20, 35, 60, 10**6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("labels")


def csv_of(*cells: str) -> str:
    return "x,label\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))


def jsonl_of(*values: str) -> str:
    return "".join(f'{{"x": {i}, "label": {value}}}\n' for i, value in enumerate(values))


def labels_in(stream: Stream) -> list[Any]:
    chunks = [chunk.codes for chunk in stream.chunks()]
    assert stream.classes_ is not None
    return stream.classes_[np.concatenate(chunks)].tolist()  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


@pytest.mark.parametrize(("name", "write"), [("a.csv", csv_of), ("a.tsv", None), ("a.jsonl", jsonl_of)])
@pytest.mark.parametrize("one", ["1.0", "1e0"])
def test_integers_beyond_floats_stay_apart(tmp_path: Path, name: str, write: Any, one: str) -> None:
    cells = [str(ODD), str(EVEN), one, str(-ODD), str(2**63 - 1)]
    text = write(*cells) if write else csv_of(*cells).replace(",", "\t")
    path = made(tmp_path, text, name)
    expected = [ODD, EVEN, 1, -ODD, 2**63 - 1]
    assert read(path).y.tolist() == expected
    for size in SIZES:
        assert labels_in(Stream(path, classes=expected, chunk_bytes=size)) == expected
    if name != "a.jsonl":
        assert read_file(path).y == expected


@pytest.mark.parametrize(("name", "write"), [("a.csv", csv_of), ("a.jsonl", jsonl_of)])
@pytest.mark.parametrize("wrong", [str(2**63), str(-(2**63) - 1), "0.5", f"{ODD}.0", "1e300"])
def test_a_label_that_cannot_be_is_refused_alone(tmp_path: Path, name: str, write: Any, wrong: str) -> None:
    """With on_error="skip" the labels of the other rows are what they are without it."""
    path = made(tmp_path, write(str(ODD), str(EVEN), wrong, "7"), name)
    with pytest.raises(DataError, match=rf"{name}, line {3 + (name == 'a.csv')}, column 'label': ") as told:
        read(path)
    assert "label" in str(told.value)
    data = read(path, on_error="skip")
    assert (data.y.tolist(), data.skipped) == ([ODD, EVEN, 7], 1)
    for size in SIZES:
        stream = Stream(path, classes=[7, EVEN, ODD], chunk_bytes=size, on_error="skip")
        assert labels_in(stream) == [ODD, EVEN, 7]
        assert stream.n_skipped_ == 1
    if name == "a.csv" and abs(int(float(wrong))) != 2**63:  # the checker takes integers beyond 64 bits as words
        with pytest.raises(DataError, match=r"a\.csv, line 4, column 'label': "):
            read_file(path)
    elif name == "a.csv":
        assert read_file(path).y == [str(ODD), str(EVEN), wrong, "7"]


def test_a_bad_line_does_not_change_the_labels_around_it(tmp_path: Path) -> None:
    """JSON lines are then parsed one by one."""
    text = jsonl_of(str(ODD), str(EVEN), "1.0") + "oops\n" + jsonl_of("2")
    data = read(made(tmp_path, text, "a.jsonl"), on_error="skip")
    assert (data.y.tolist(), data.skipped) == ([ODD, EVEN, 1, 2], 1)


@pytest.mark.parametrize("size", SIZES)
def test_a_fraction_is_no_whole_number_in_any_chunk(tmp_path: Path, size: int) -> None:
    path = made(tmp_path, jsonl_of("0", "1", "0.5", "1", "0"), "a.jsonl")
    stream = Stream(path, classes=[0, 1], chunk_bytes=size, on_error="skip")
    assert labels_in(stream) == [0, 1, 1, 0]
    assert stream.n_skipped_ == 1


def test_large_features_beside_a_bad_line(tmp_path: Path) -> None:
    """The numbers of a row do not depend on whether another line is bad."""
    good = f'{{"x": {ODD}, "label": "a"}}\n{{"x": 0.5, "label": "b"}}\n{{"x": {10**30}, "label": "a"}}\n'
    expected = [[float(ODD)], [0.5], [1e30]]
    assert read(made(tmp_path, good, "a.jsonl")).X.tolist() == expected
    assert read(made(tmp_path, good + "oops\n", "b.jsonl"), on_error="skip").X.tolist() == expected
    for size in SIZES:
        stream = Stream(tmp_path / "b.jsonl", classes=["a", "b"], chunk_bytes=size, on_error="skip")
        assert np.vstack([chunk.X for chunk in stream.chunks()]).tolist() == expected


@pytest.mark.parametrize("made_of", [parquet_of, arrow_of])
def test_decimals_stay_apart(tmp_path: Path, made_of: Any) -> None:
    column = pyarrow.array([decimal.Decimal(ODD), decimal.Decimal(EVEN), decimal.Decimal(1)])
    path = made(tmp_path, made_of(pyarrow.table({"x": [1, 2, 3], "label": column})), "a.arrow")
    path = path.rename(tmp_path / ("a.parquet" if made_of is parquet_of else "b.arrow"))
    assert read(path).y.tolist() == [ODD, EVEN, 1]


def test_files_whose_labels_differ_in_type_are_not_joined(tmp_path: Path) -> None:
    for k, y in enumerate(([ODD, EVEN], [1.0, 2.0], ["1", "2"], [True, False])):
        made(tmp_path, npz_of(X=np.ones((2, 1)), y=np.array(y)), f"{k}.npz")
    for other in (1, 2, 3):
        paths = [tmp_path / "0.npz", tmp_path / f"{other}.npz"]
        with pytest.raises(DataError, match=r"labels of one type were expected in all files"):
            read(paths)
        with pytest.raises(DataError, match="was expected, not"):
            labels_in(Stream(paths))


numbers = st.integers(1 - 2**63, 2**63 - 1) | st.sampled_from([ODD, EVEN, -ODD, 2**63 - 1, 2**62])
cells_of_numbers = numbers.map(str) | st.sampled_from(["1.0", "-3.0", "2e3", "007", "+5"])


@settings(max_examples=examples(0.5))
@given(st.lists(cells_of_numbers, min_size=2, max_size=8), st.sampled_from(SIZES))
def test_whole_numbers_are_exact(folder: Path, cells: list[str], size: int) -> None:
    """By exact decimals: no label is rounded, in any chunks, in CSV and JSON lines."""
    expected = [int(decimal.Decimal(cell)) for cell in cells]
    for name, text in (("n.csv", csv_of(*cells)), ("n.jsonl", jsonl_of(*[c.lstrip("+0") or "0" for c in cells]))):
        path = made(folder, text, name)
        assert read(path).y.tolist() == expected
        if len(set(expected)) > 1:
            assert labels_in(Stream(path, classes=sorted(set(expected)), chunk_bytes=size)) == expected


# ---------------------------------------------------------------------------------------------------------------------
# Words


@pytest.mark.parametrize("other", [" a", "a ", "\ta", "  a  "])
def test_words_that_differ_by_spaces_are_refused_in_text(tmp_path: Path, other: str) -> None:
    path = made(tmp_path, csv_of("a", "b", other))
    message = (
        rf"data\.csv, line 4, column 'label': the labels 'a' and {other!r} differ by spaces only; write them alike"
    )
    for reader in (read, read_file):
        with pytest.raises(DataError, match=message.replace("\\t", r"\\t")):
            reader(path)
    data = read(path, on_error="skip")
    assert (data.y.tolist(), data.skipped) == (["a", "b"], 1)
    for size in (24, 10**6):  # the first chunk has both classes
        stream = Stream(path, chunk_bytes=size, on_error="skip")
        assert (labels_in(stream), stream.n_skipped_) == (["a", "b"], 1)


def test_spaces_around_all_labels_do_not_matter(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of(" a", " b", " a"))
    assert read(path).y.tolist() == read_file(path).y == ["a", "b", "a"]


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "feather"])
def test_words_that_differ_by_spaces_stay_apart_where_they_are_in_quotes(tmp_path: Path, ending: str) -> None:
    labels = [" a", "a", "a ", "b"]
    sample = TableSample({"x": [1, 2, 3, 4], "label": labels}, "label")
    raw = {
        "jsonl": jsonl_of(*map(json.dumps, labels)).encode(),
        "parquet": parquet_of(pyarrow.table(sample.columns)),
        "feather": arrow_of(pyarrow.table(sample.columns)),
    }[ending]
    path = made(tmp_path, raw, f"a.{ending}")
    assert read(path).y.tolist() == labels
    for size in SIZES:
        assert labels_in(Stream(path, classes=labels, chunk_bytes=size)) == labels


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_label_is_missing_everywhere(tmp_path: Path, blank: str) -> None:
    sample = TableSample({"x": [1, 2], "label": ["a", blank]}, "label")
    for name, raw in (
        ("a.csv", text_of(sample)),
        ("a.jsonl", jsonl_of('"a"', json.dumps(blank)).encode()),
        ("a.parquet", parquet_of(pyarrow.table(sample.columns))),
    ):
        with pytest.raises(DataError, match=r"column 'label': a label was expected, but it is missing"):
            read(made(tmp_path, raw, name))


def test_true_and_1_stay_apart(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of("true", "1", "false", "true"))
    assert read(path).y.tolist() == read_file(path).y == ["true", "1", "false", "true"]


def test_files_are_read_by_one_rule(tmp_path: Path) -> None:
    """The labels of the first file look like numbers; those of the second do not."""
    paths = [made(tmp_path, csv_of("01", "1"), "1.csv"), made(tmp_path, csv_of("x", "1"), "2.csv")]
    assert read(paths).y.tolist() == ["01", "1", "x", "1"]


# ---------------------------------------------------------------------------------------------------------------------
# Classes that are given


def streams(path: Path, **options: Any) -> Iterator[Stream]:
    for size in range(1, len(path.read_bytes()) + 2):
        yield Stream(path, chunk_bytes=size, **options)


def test_given_words_are_words_in_every_chunk(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of("01", "1", "01", "1", "x", "01"))
    for stream in streams(path, classes=["01", "1", "x"]):
        assert labels_in(stream) == ["01", "1", "01", "1", "x", "01"]


def test_given_words_are_words_although_all_look_like_numbers(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of("01", "1", "1.0"))
    for stream in streams(path, classes=["01", "1", "1.0"]):
        assert labels_in(stream) == ["01", "1", "1.0"]
    for stream in streams(path, classes=["01", "1"]):
        with pytest.raises(DataError, match=r"line 4: a label of the known classes '01', '1' was expected, not '1\.0'"):
            labels_in(stream)


def test_given_words_keep_their_spaces(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of(" a", "a", "b"))
    for stream in streams(path, classes=["a", " a", "b"]):
        assert labels_in(stream) == [" a", "a", "b"]
    for stream in streams(path, classes=["a", "b"], on_error="skip"):
        assert (labels_in(stream), stream.n_skipped_) == (["a", "b"], 1)


def test_given_booleans(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of("true", "False", "maybe", "1", "TRUE"))
    for stream in streams(path, classes=[True, False], on_error="skip"):
        assert (labels_in(stream), stream.n_skipped_) == ([True, False, True], 2)


def test_given_numbers(tmp_path: Path) -> None:
    path = made(tmp_path, csv_of("1", "02", "maybe", "1.0", "true", "2.5"))
    for stream in streams(path, classes=[1, 2], on_error="skip"):
        assert (labels_in(stream), stream.n_skipped_) == ([1, 2, 1], 3)


def test_given_classes_in_json_lines(tmp_path: Path) -> None:
    """Words in quotes are words; numbers are numbers, and a given number may be in quotes."""
    mixed = made(tmp_path, jsonl_of("1", '"1"', '"x"', "2", '"01"', "true"), "a.jsonl")
    for stream in streams(mixed, classes=["1", "01", "x"], on_error="skip"):
        assert (labels_in(stream), stream.n_skipped_) == (["1", "x", "01"], 3)
    quoted = made(tmp_path, jsonl_of('"1"', '"2"', '"x"', '"1"'), "b.jsonl")
    for stream in streams(quoted, classes=[1, 2], on_error="skip"):
        assert (labels_in(stream), stream.n_skipped_) == ([1, 2, 1], 1)


@pytest.mark.parametrize("classes", [["-1", "1"], ["+1", "-1"]])
def test_given_words_in_text_that_has_numbers_only(tmp_path: Path, classes: list[str]) -> None:
    path = made(tmp_path, "+1 1:1\n-1 1:2\n", "a.svm")
    with pytest.raises(DataError, match=r"a\.svm, line 1: a label of the known classes .* was expected, not 1"):
        labels_in(Stream(path, classes=classes))


words = st.text(st.sampled_from("01x. +-ae"), min_size=1, max_size=4).filter(lambda word: word.strip() == word != "")


@settings(max_examples=examples(0.5))
@given(st.lists(words, min_size=2, max_size=8).filter(lambda found: len(set(found)) > 1), st.integers(1, 80))
def test_any_words_come_back_in_any_chunks(folder: Path, cells: list[str], size: int) -> None:
    path = made(folder, csv_of(*cells), "words.csv")
    assert labels_in(Stream(path, classes=sorted(set(cells)), chunk_bytes=size)) == cells
