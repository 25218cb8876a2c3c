"""Reading in chunks of any size gives the same rows as reading at once, and the same line numbers."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import DataError, Stream, read
from rosenblatt.data.files.blocks import Layout
from rosenblatt.data.files.sources import places
from tests.support.table_files import WRITERS, Sample, arrow_of, dense, made, npz_of, parquet_of, text_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("files")


def in_chunks(path: Path, size: int, **options: Any) -> tuple[np.ndarray, list[Any]]:
    """All rows of a stream, and their labels."""
    stream = Stream(path, chunk_bytes=size, **options)
    chunks = list(stream.chunks())
    width = max(chunk.X.shape[1] for chunk in chunks)
    parts = [np.pad(dense(chunk.X), [(0, 0), (0, width - chunk.X.shape[1])]) for chunk in chunks]
    assert stream.classes_ is not None
    return np.concatenate(parts), [stream.classes_[code].item() for chunk in chunks for code in chunk.codes]


def long_sample(n: int = 40) -> Sample:
    return Sample(
        {
            "x": [k / 7 for k in range(n)],
            "n": [k * k - 3 for k in range(n)],
            "c": ["uvw"[k % 3] * (1 + k % 5) for k in range(n)],
            "kind": ["ab"[k % 2] for k in range(n)],
        }
    )


@given(st.sampled_from(list(WRITERS)), st.integers(3, 400) | st.integers(400, 20_000))
@example("a.csv", 3)
@example("mark.csv", 3)
@example("a.jsonl", 3)
def test_chunks_of_any_size_are_the_table(folder: Path, name: str, size: int) -> None:
    """Lines may be longer than a chunk, the last may not end, and a mark may be at the front."""
    sample = long_sample()
    path = made(folder, WRITERS[name](sample), name)
    X, y = in_chunks(path, size, encoding=read(path).encoding, classes=["a", "b"])
    assert X.tolist() == sample.X
    assert y == sample.y


SPARSE = {
    "a.svm": "".join(f"{1 - 2 * (k % 2)} {k + 1}:{k / 7!r} {k + 3}:9007199254740993 # {k}\n" for k in range(40)),
    "zero.svm": "".join(f"{1 - 2 * (k % 2)} 0:{k / 7!r} {k + 3}:1\r\n\n" for k in range(40)),
    "open.svm": "1 1:2\n-1 3:4\n1 2:1",
    "mark.svm": "\ufeff1 1:2\n-1 3:4\n1 2:1\n",
    "a.vw": "".join(f"{1 - 2 * (k % 2)} | a{k}:{k / 7!r} b |n {k}\n" for k in range(40)),
}


@given(st.sampled_from(list(SPARSE)), st.integers(3, 300) | st.integers(300, 5000))
@example("mark.svm", 3)
def test_chunks_of_sparse_text(folder: Path, name: str, size: int) -> None:
    path = made(folder, SPARSE[name], name)
    options = {"hash_bits": 6} if name.endswith("vw") else {}
    X, y = in_chunks(path, size, classes=[-1, 1], **options)
    whole = read(path, **options)  # type: ignore[arg-type]
    assert X.tolist() == whole.X.toarray().tolist()
    assert y == whole.y.tolist()


@pytest.mark.parametrize("size", [1, 2, 8, 100, 1000])
def test_chunks_of_arrays(tmp_path: Path, size: int) -> None:
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    S = scipy.sparse.csr_array(X)
    for arrays in ({"X": X}, {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape)}):
        got = in_chunks(made(tmp_path, npz_of(**arrays, y=y), "a.npz"), size, classes=[0, 1])
        assert got[0].tolist() == X.tolist()
        assert got[1] == y.tolist()


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("name", ["mark.csv", "a.csv", "open.csv", "a.jsonl"])
def test_chunks_of_a_byte(tmp_path: Path, name: str, size: int) -> None:
    sample = long_sample(6)
    path = made(tmp_path, WRITERS[name](sample), name)
    X, y = in_chunks(path, size, encoding=read(path).encoding, classes=["a", "b"])
    assert (X.tolist(), y) == (sample.X, sample.y)


@pytest.mark.parametrize("size", [3, 10, 100])
def test_empty_lines_fill_the_first_chunk(tmp_path: Path, size: int) -> None:
    """The header is in a later one."""
    path = made(tmp_path, "\n" * 50 + "x,kind\n1,a\n2,b\n")
    X, y = in_chunks(path, size, classes=["a", "b"])
    assert (X.tolist(), y) == ([[1], [2]], ["a", "b"])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.csv",
            "x,y,kind\n1,2,a\n\n3,4,b\n5,6\n7,8,a\n",
            "line 5: 3 columns were expected, as in the first line, not 2;",
        ),
        (
            "a.csv",
            "x,y,kind\n1,2,a\n\n3,4,b\n5,oops,b\n7,8,a\n",
            "line 5, column 'y': a number was expected, not 'oops'",
        ),
        ("a.csv", "x,y,kind\n1,2,a\n\n3,4,b\n5,6,\n7,8,a\n", "line 5, column 'kind': a label was expected"),
        (
            "a.csv",
            "x,y,kind\n1,2,a\n\n3,4,b\n5,,b\n7,8,a\n",
            "line 5, column 'y': a number was expected, but it is missing.",
        ),
        ("a.csv", "x,y,kind\n1,2,a\n\n3,4,b\n5,inf,b\n7,8,a\n", "line 5, column 'y': a finite number was expected"),
        ("a.jsonl", '{"x":1,"k":1}\n\n\n{"x":2,"k":2}\noops\n{"x":3,"k":1}\n', "line 5: a JSON object was expected"),
        (
            "a.jsonl",
            '{"x":1,"k":1}\n\n  \n{"x":2,"k":2}\n{"x":null,"k":1}\n',
            "line 5, column 'x': a number was expected",
        ),
        ("a.jsonl", '{"x":1,"k":1}\n\n\n{"x":2,"k":2}\n{"x":"oops","k":1}\n', "line 5, column 'x': "),
        (
            "a.svm",
            "1 1:2\n\n# c\n-1 1:2\n-1 1:x\n1 1:2\n",
            "line 5: a number was expected behind the colon, not '1:x'.",
        ),
        ("a.svm", "1 1:2\n\n# c\n-1 1:2\n-1 0:2\n1 1:2\n", "line 5"),
        ("a.vw", "1 | a\n\n\n-1 | b\n-1 a\n1 | c\n", "line 5: a bar | was expected before the names"),
    ],
)
@pytest.mark.parametrize("size", [3, 12, 25, 1000])
def test_lines_keep_their_numbers_in_chunks(tmp_path: Path, name: str, text: str, words: str, size: int) -> None:
    path = made(tmp_path, text, name)
    classes = ["a", "b"] if name == "a.csv" else [-1, 1] if name != "a.jsonl" else [1, 2]
    options: dict[str, Any] = {"zero_based": False} if "0:2" in text else {}
    stream = Stream(path, chunk_bytes=size, classes=classes, **options)
    with pytest.raises(DataError) as told:
        list(stream.chunks())
    assert str(told.value).startswith(f"{path}, {words}")
    with pytest.raises(DataError) as told:
        read(path, **options)
    assert str(told.value).startswith(f"{path}, {words}")
    skipping = Stream(path, chunk_bytes=size, classes=classes, on_error="skip", **options)
    expected = 3 if "\n7" in text or '"x":3' in text or "\n1" in text else 2
    assert sum(len(chunk.codes) for chunk in skipping.chunks()) == expected
    assert skipping.n_skipped_ == 1


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_layouts_settle_by_the_first_block(tmp_path: Path, size: int) -> None:
    """Blocks one by one, as a stream asks for them."""
    sample = Sample({"x": [float(k) for k in range(30)], "kind": [k % 2 for k in range(30)]})
    (place,) = places(made(tmp_path, text_of(sample)))
    layout = Layout()
    X: list[Any] = []
    y: list[Any] = []
    for k, block in enumerate(layout.blocks(place, size)):
        if k == 0:
            layout.settle(block)
        rows = layout.read(block)
        line, text = rows.find(0)
        assert text == f"{rows.X[0, 0]},{rows.labels[0]}"
        assert line == len(X) + 2
        X += rows.X.tolist()
        y += rows.labels.tolist()
    assert (X, y) == (sample.X, sample.y)


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.jsonl", "a.svm", "a.vw", "a.csv.gz", "a.parquet", "a.arrow", "a.npz"]
)
@pytest.mark.parametrize("text", [b"", b"\n", b"\n\n \n", b"\xef\xbb\xbf", b"\r\n"])
def test_empty_files(tmp_path: Path, name: str, text: bytes) -> None:
    path = made(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    for attempt in (lambda: read(path), lambda: read(path, on_error="skip"), lambda: list(Stream(path).chunks())):
        with pytest.raises(DataError) as told:
            attempt()
        said = str(told.value)
        assert said.startswith(f"{path}: ")
        assert "\n" not in said
        assert "None" not in said
        if name.split(".")[1] in ("csv", "tsv", "jsonl", "svm", "vw"):
            assert "it has no rows" in said


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "stream.arrow"])
def test_tables_without_rows(tmp_path: Path, name: str) -> None:
    empty = pyarrow.table({"x": pyarrow.array([], pyarrow.float64()), "kind": pyarrow.array([], pyarrow.string())})
    raw = parquet_of(empty) if "parquet" in name else arrow_of(empty)
    with pytest.raises(DataError, match="it has no rows"):
        read(made(tmp_path, raw, name))
