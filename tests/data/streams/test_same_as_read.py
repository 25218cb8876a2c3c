"""What `read` refuses, a stream refuses too: booleans among numbers, numbers among booleans, labels that are none."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from rosenblatt import DataError, Stream, read
from tests.data.streams.test_stream import gathered, made


def refusals(source: Any, **options: Any) -> list[str]:
    """Give the messages of `read` and of streams with chunks of some sizes."""
    messages = []
    with pytest.raises(DataError) as told:
        read(source)
    messages.append(str(told.value))
    for size in (8, 20, 1 << 20):
        with pytest.raises(DataError) as told:
            gathered(Stream(source, chunk_bytes=size, classes=[0, 1], **options))
        messages.append(str(told.value))
    return messages


TABLES = {
    "a boolean among numbers": (["1", "true", "2", "3"], "2", r"a number was expected.*, not '?[Tt]rue"),
    "a boolean at the end": (["1", "2", "3", "false"], "4", r"a number was expected.*, not '?[Ff]alse"),
}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("name", TABLES)
def test_a_boolean_in_a_column_of_numbers(tmp_path: Path, name: str, ending: str) -> None:
    """Chunks that end in other places may take the first rows for booleans; then a number is refused."""
    cells, row, words = TABLES[name]
    text = "a,label\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells))
    if ending == "jsonl":
        text = "".join(f'{{"a": {cell}, "label": {k % 2}}}\n' for k, cell in enumerate(cells))
    path = made(tmp_path, text, f"data.{ending}")
    line = int(row) + (ending == "csv")
    whole, *parts = refusals(path)
    for said in (whole, parts[-1]):
        assert said.startswith(f"{path}, line {line}, column 'a': ")
    for said in parts:
        assert "column 'a': a number was expected" in said or "column 'a': a boolean was expected, not '2'" in said
    assert re.search(words, whole)


def test_0_and_1_are_booleans_in_a_text_table_of_booleans(tmp_path: Path) -> None:
    path = made(tmp_path, "a,label\ntrue,0\n1,1\nfalse,0\n0,1\n", "data.csv")
    assert read(path).X.tolist() == [[1.0], [1.0], [0.0], [0.0]]
    for size in (8, 20, 1 << 20):
        assert gathered(Stream(path, chunk_bytes=size, classes=[0, 1]))[0].tolist() == [[1.0], [1.0], [0.0], [0.0]]


@pytest.mark.parametrize("first", [[1, 2], [True, False]])
def test_a_column_of_another_kind_in_a_later_file(tmp_path: Path, first: list[Any]) -> None:
    second: list[Any] = [True, False] if first == [1, 2] else [1, 2]
    for k, cells in enumerate((first, second)):
        pyarrow.parquet.write_table(pyarrow.table({"a": cells, "label": [0, 1]}), tmp_path / f"{k}.parquet")
    kinds = ["numbers", "booleans"] if first == [1, 2] else ["booleans", "numbers"]
    expected = (
        f"{tmp_path}/1.parquet, column 'a': {kinds[0]} were expected, as in the rows before, but it holds {kinds[1]}."
    )
    assert set(refusals(str(tmp_path / "*.parquet"))) == {expected}


LABELS: dict[str, tuple[Any, str]] = {
    "bytes": (np.array([b"a", b"\xc3\xa9"]), r"but their type is \|S2\. Save words as y\.astype\(str\)\."),
    "dates": (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), r"but their type is datetime64\[D\]\."),
    "records": (np.array([(1,), (2,)], dtype=[("a", int)]), "but their type is "),
    "half characters": (np.array(["a", "\ud800"]), "a label in y has characters that are not Unicode text"),
    "half characters of another machine": (np.array(["a", "\udfff"]).astype(">U1"), "that are not Unicode text"),
}


@pytest.mark.parametrize("name", LABELS)
def test_arrays_that_hold_no_labels(tmp_path: Path, name: str) -> None:
    labels, words = LABELS[name]
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(2), y=labels)
    (said,) = set(refusals(path))
    assert said.startswith(f"{path}: ")
    with pytest.raises(DataError, match=words):
        read(path)


@pytest.mark.parametrize("labels", [["é", "日本"], ["\U0001f600", ""], ["a", "b"]], ids=ascii)
def test_words_of_any_script_in_arrays(tmp_path: Path, labels: list[str]) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(2), y=np.array(labels))
    stream = Stream(path, chunk_bytes=1, classes=labels, cache=True)
    for _ in range(2):
        X, y = gathered(stream)
        assert (X.tolist(), y) == ([[1.0, 0.0], [0.0, 1.0]], labels)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "", "no rows; the file is empty."),
        ("a.csv", "\n", "no rows."),
        ("a.csv", "\na,label\n", "a header but no rows; line 2 was taken for the header."),
        ("a.csv", "a,label\n\n\n", "a header but no rows; line 1 was taken for the header."),
        ("a.svm", "", "no rows; the file is empty."),
        ("a.svm", "# 1\n", "no rows."),
    ],
)
def test_files_without_rows(tmp_path: Path, name: str, text: str, words: str) -> None:
    path = made(tmp_path, text, name)
    assert set(refusals(path)) == {f"{path}: it has {words}"}
