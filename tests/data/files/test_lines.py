"""Lines of text, in memory and in a stream: long ones are read, endless ones are refused; they end with a line feed."""

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, Stream, read
from rosenblatt.base.text_tables import lines
from rosenblatt.certificate import reader
from rosenblatt.data.files import sources
from rosenblatt.data.files.sources import after_lines, blocks_of_lines, longest_line, places
from tests.support.table_files import made

MAX_BYTES = 500  # of a line, in these tests
START = {  # the first lines of a text in each format
    "csv": "a,label\n1,x\n2,y\n",
    "tsv": "a\tlabel\n1\tx\n2\ty\n",
    "svm": "1 1:1\n-1 1:2\n",
    "vw": "1 | a\n-1 | b\n",
    "jsonl": '{"a": 1, "label": 0}\n{"a": 2, "label": 1}\n',
}


def rows_of_stream(path: Path, size: int) -> list[list[float]]:
    chunks = [chunk.X for chunk in Stream(path, chunk_bytes=size).chunks()]
    return [row for X in chunks for row in (X.toarray() if hasattr(X, "toarray") else X).tolist()]


READERS: dict[str, Callable[[Path], Any]] = {
    "in memory": read,
    "stream": lambda path: rows_of_stream(path, 1 << 23),
    "small chunks": lambda path: rows_of_stream(path, 30),
}
readers = pytest.mark.parametrize("how", READERS)


# ---------------------------------------------------------------------------------------------------------------------
# Long lines


@pytest.mark.parametrize("name", ["data.csv", "data.jsonl"])
def test_a_line_of_megabytes_with_a_word(tmp_path: Path, name: str) -> None:
    """Arrow parses a mebibyte at a time unless told otherwise, and cannot parse a row that spans three of them."""
    word = "x" * (3 << 20)
    text = f"1,q,0\n1,{word},0\n2,z,1\n"
    if name.endswith("jsonl"):
        text = "".join(
            f'{{"a": {a}, "b": "{b}", "label": {y}}}\n' for a, b, y in (row.split(",") for row in text.split())
        )
    path = made(tmp_path, text, name)
    data = read(path)
    assert data.X.tolist() == [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0]]
    assert rows_of_stream(path, 1 << 23) == data.X.tolist()


def test_the_exact_reader_knows_that_it_is_a_word(tmp_path: Path) -> None:
    """So the command check reads the file by `read`."""
    path = made(tmp_path, f"a,b,label\n1,q,0\n1,{'x' * (1 << 18)},0\n2,z,1\n")
    assert isinstance(reader.read_text(path, None, "csv", zipped=False), reader.Word)


def test_a_row_of_megabytes_over_several_lines(tmp_path: Path) -> None:
    word = "\n".join(["x" * (1 << 20)] * 3)
    data = read(made(tmp_path, f'a,b,label\n1,q,0\n1,"{word}",0\n2,z,1\n'))
    assert data.X.tolist() == [[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0]]


def test_a_header_of_megabytes(tmp_path: Path) -> None:
    names = [f"{j:04}{'x' * 2000}" for j in range(1000)]
    row = ",".join(["0.5"] * 1000)
    path = made(tmp_path, f"\n{','.join(names)},label\n{row},a\n{row},b\n")
    assert read(path).feature_names == names
    stream = Stream(path)
    assert [chunk.X.shape for chunk in stream.chunks()] == [(2, 1000)]
    assert stream.feature_names_ == names


@given(st.lists(st.integers(0, 9), max_size=12), st.booleans(), st.integers(1, 9))
def test_positions_of_lines(lengths: list[int], ended: bool, piece: int) -> None:
    """However many bytes are searched at a time."""
    text = b"".join(b"y" * length + b"\n" for length in lengths) + (b"" if ended else b"zz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PIECE_BYTES", piece)
        array = np.frombuffer(text, np.uint8)
        assert longest_line(array) == max(map(len, text.splitlines(keepends=True)), default=0)
        for count in range(len(lengths) + 2):
            assert after_lines(array, count) == sum(map(len, text.splitlines(keepends=True)[:count]))


# ---------------------------------------------------------------------------------------------------------------------
# Endless lines


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lines, sources, reader):
        monkeypatch.setattr(module, "MAX_LINE_BYTES", MAX_BYTES)


def refusal(path: Path, line: int) -> str:
    return (
        rf"^{path}, line {line}: it is longer than 500 bytes, the most that a line may have\. .*"
        r" Rows that are really so long are read from Parquet, Arrow and NPZ files\.$"
    )


@pytest.mark.usefixtures("limited")
@readers
@pytest.mark.parametrize("kind", START)
def test_an_endless_line_is_refused(tmp_path: Path, kind: str, how: str) -> None:
    for name, text in (
        (f"end.{kind}", START[kind] + "0" * 600),
        (f"middle.{kind}", START[kind] + "0" * 600 + "\n" + START[kind]),
    ):
        path = made(tmp_path, text, name)
        with pytest.raises(DataError, match=refusal(path, START[kind].count("\n") + 1)):
            READERS[how](path)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("kind", ["csv", "tsv", "svm"])
def test_the_exact_reader_refuses_it_too(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path, START[kind].replace("x", "0").replace("y", "1") + "0" * 600, f"a.{kind}")
    with pytest.raises(DataError, match=refusal(path, START[kind].count("\n") + 1)):
        reader.read_file(path)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("size", [3, 99, 500, 501, 1000, 1 << 20, None])
@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_does_not_depend_on_the_size_of_blocks(tmp_path: Path, size: int | None, more: int) -> None:
    text = b"1 1:1\n" + b"0" * (MAX_BYTES + more) + b"\n1 1:1\n"
    path = made(tmp_path, text, "a.svm")
    blocks = blocks_of_lines(places(path)[0], size)
    if not more:
        assert b"".join(map(bytes, blocks)) == text
        return
    with pytest.raises(DataError, match=refusal(path, 2)):
        list(blocks)


class Endless:
    """A file of digits without end, which counts the bytes that were read."""

    read = 0

    def readinto(self, room: memoryview) -> int:
        room[:] = b"0" * len(room)
        self.read += len(room)
        return len(room)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("size", [None, 1 << 17])
def test_no_more_is_read_than_the_limit_and_a_block(monkeypatch: pytest.MonkeyPatch, size: int | None) -> None:
    file = Endless()
    monkeypatch.setattr(sources.Place, "open", lambda _: file)
    monkeypatch.setattr(sources, "READ_BYTES", 1 << 17)
    monkeypatch.setattr(sources, "MAX_LINE_BYTES", 1 << 20)
    with pytest.raises(DataError, match=r"^a\.csv, line 1: it is longer than "):
        list(blocks_of_lines(sources.Place("a.csv", "csv"), size))
    assert file.read <= (1 << 20) + (1 << 17)


# ---------------------------------------------------------------------------------------------------------------------
# Line ends


@readers
@pytest.mark.parametrize("kind", START)
def test_the_line_ends_of_old_macs_are_refused(tmp_path: Path, kind: str, how: str) -> None:
    path = made(tmp_path, START[kind].replace("\n", "\r"), f"a.{kind}")
    words = rf"^{path}, line 1: a carriage return \(\\r\) alone was found; lines must end with a line feed \(\\n\)\."
    with pytest.raises(DataError, match=words):
        READERS[how](path)
    if kind in reader.READABLE:
        with pytest.raises(DataError, match=words):
            reader.read_file(path)


@given(st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"x"]), max_size=12).map(b"".join), st.integers(1, 9))
def test_a_lone_return_is_found_in_its_line(tmp_path_factory: pytest.TempPathFactory, text: bytes, size: int) -> None:
    path = made(tmp_path_factory.getbasetemp(), text, "returns.svm")
    ended = text if text.endswith(b"\n") or not text else text + b"\n"
    wrong = [k for k, line in enumerate(ended.split(b"\n"), start=1) if b"\r" in line.removesuffix(b"\r")]
    blocks = blocks_of_lines(places(path)[0], size)
    if not wrong:
        assert b"".join(map(bytes, blocks)) == ended
        return
    with pytest.raises(DataError, match=rf"returns\.svm, line {wrong[0]}: a carriage return "):
        list(blocks)


@pytest.mark.parametrize("kind", START)
def test_the_line_ends_of_windows_are_read(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path, gzip.compress(START[kind].replace("\n", "\r\n").encode()), f"a.{kind}.gz")
    assert rows_of_stream(path, 1 << 20) == rows_of_stream(made(tmp_path, START[kind], f"a.{kind}"), 1 << 20)


@readers
@pytest.mark.parametrize("kind", START)
def test_the_character_0_is_refused(tmp_path: Path, kind: str, how: str) -> None:
    """NumPy would cut it off the end of a label, so that labels that differ become the same."""
    path = made(tmp_path, START[kind][:-1] + "\0\n", f"a.{kind}")
    words = (
        rf"^{path}, line {START[kind].count(chr(10))}: the character 0 \(NUL\) was found, which text does not have\."
    )
    with pytest.raises(DataError, match=words):
        READERS[how](path)
    if kind in reader.READABLE:
        with pytest.raises(DataError, match=words):
            reader.read_file(path)


def test_a_label_with_the_character_0(tmp_path: Path) -> None:
    """JSON can write it, and a stream may even be told that it comes."""
    path = made(tmp_path, '{"a": 1, "label": "x"}\n{"a": 2, "label": "x\\u0000"}\n', "a.jsonl")
    for how in (lambda: read(path), lambda: list(Stream(path, classes=["x", "x\0"]).chunks())):
        with pytest.raises(DataError, match=r"line 2, column 'label': a label without the character 0 was expected"):
            how()


# ---------------------------------------------------------------------------------------------------------------------
# Standard input that is closed


@pytest.mark.parametrize("name", ["csv", "libsvm", "npz", "parquet", "jsonl"])
def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch, name: Any) -> None:
    """As the shell leaves it after <&-."""
    monkeypatch.setattr(sys, "stdin", None)
    for how in (lambda: read("-", format=name), lambda: next(Stream("-", format=name).chunks())):
        with pytest.raises(DataError, match=r"^-: standard input is closed\. Give the name of a file, or send "):
            how()
