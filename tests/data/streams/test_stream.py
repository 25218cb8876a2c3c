"""Streams: chunks of any size give the rows that `read` gives; bad rows are reported, counted and kept."""

import gzip
import io
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from rosenblatt import DataError, ParameterError, Perceptron, Stream, read

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

ANY = 10**6  # bytes: all in one chunk


class Sample(NamedTuple):
    """Rows of whole tenths, and labels; columns have names where the format knows any."""

    X: np.ndarray
    y: list[Any]

    @property
    def names(self) -> list[str]:
        return [f"c{j}" for j in range(self.X.shape[1])]


def pairs(x: np.ndarray, first: int) -> str:
    return " ".join(f"{j + first}:{v!r}" for j, v in enumerate(x.tolist()) if v)


def as_csv(path: Path, part: Sample) -> None:
    lines = [",".join(map(repr, x.tolist())) + f",{label}" for x, label in zip(part.X, part.y, strict=True)]
    path.write_text("\n".join([",".join([*part.names, "label"]), *lines]) + "\n")


def as_svm(path: Path, part: Sample) -> None:
    path.write_text("".join(f"{label} {pairs(x, 1)}\n" for x, label in zip(part.X, part.y, strict=True)))


def as_vw(path: Path, part: Sample) -> None:
    path.write_text("".join(f"{label} | {pairs(x, 0)}\n" for x, label in zip(part.X, part.y, strict=True)))


def as_jsonl(path: Path, part: Sample) -> None:
    rows = [
        dict(zip([*part.names, "label"], [*x.tolist(), c], strict=True)) for x, c in zip(part.X, part.y, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def as_parquet(path: Path, part: Sample) -> None:
    columns = dict(zip(part.names, part.X.T.tolist(), strict=True)) | {"label": part.y}
    parquet.write_table(pyarrow.table(columns), path)


def as_npz(path: Path, part: Sample) -> None:
    np.savez(path, X=part.X, y=np.array(part.y), names=np.array(part.names))


FORMS: dict[str, Callable[[Path, Sample], None]] = {
    "csv": as_csv,
    "svm": as_svm,
    "vw": as_vw,
    "jsonl": as_jsonl,
    "parquet": as_parquet,
    "npz": as_npz,
}


def written(folder: Path, form: str, sample: Sample, parts: int = 1) -> list[Path]:
    """The sample in so many files."""
    paths = []
    for k, rows in enumerate(np.array_split(np.arange(len(sample.y)), parts)):
        paths.append(folder / f"part{k}.{form}")
        FORMS[form](paths[-1], Sample(sample.X[rows], [sample.y[i] for i in rows]))
    return paths


def options_of(form: str) -> dict[str, Any]:
    return {"hash_bits": 5} if form == "vw" else {}


@st.composite
def samples(draw: st.DrawFn, classes: Sequence[int] = (2, 3), most: int = 12) -> Sample:
    """Tenths, most of which floats cannot hold exactly; many zeros, so that sparse columns come late."""
    k, d = draw(st.sampled_from(classes)), draw(st.integers(1, 4))
    y = draw(st.permutations([*range(1, k + 1), *draw(st.lists(st.integers(1, k), max_size=most - k))]))
    cell = st.one_of(st.just(0), st.integers(-30, 30))
    rows = draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    return Sample(np.array(rows) / 10, y)


def dense(X: Any, width: int) -> np.ndarray:
    X = X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)
    return np.pad(np.asarray(X, np.float64), [(0, 0), (0, width - X.shape[1])])


def gathered(stream: Stream) -> tuple[np.ndarray, list[Any]]:
    """All rows and labels of a pass."""
    chunks = [(chunk.X, chunk.codes) for chunk in stream.chunks()]
    assert stream.classes_ is not None
    X = np.concatenate([dense(X, stream.n_columns_) for X, _ in chunks])
    return X, stream.classes_[np.concatenate([codes for _, codes in chunks])].tolist()


def made(folder: Path, text: str | bytes, name: str = "data.svm") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# ---------------------------------------------------------------------------------------------------------------------
# Chunks are what `read` gives


@given(samples(), st.sampled_from(list(FORMS)), st.integers(1, 3), st.integers(1, 400), st.booleans())
def test_rows_in_any_chunks_are_the_rows(sample: Sample, form: str, parts: int, size: int, cached: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        paths = written(Path(name), form, sample, min(parts, len(sample.y)))
        cache = Path(name) / "cache" if cached else False
        stream = Stream(
            paths,
            classes=sorted(set(sample.y)),
            chunk_bytes=size,
            cache=cache,
            zero_based=False if form == "svm" else None,
            **options_of(form),
        )
        whole = read(paths, **options_of(form), zero_based=False if form == "svm" else None)
        for _ in range(3):  # from the files, and (or) from the cache
            X, y = gathered(stream)
            assert X.tobytes() == dense(whole.X, X.shape[1]).tobytes()
            assert X.shape[1] == whole.X.shape[1]
            assert y == whole.y.tolist() == sample.y
            assert stream.feature_names_ == whole.feature_names
            assert (stream.n_rows_, stream.n_skipped_, stream.skipped_) == (len(y), 0, [])
        if form != "vw":
            assert X.tobytes() == sample.X[:, : X.shape[1]].tobytes()
            assert not sample.X[:, X.shape[1] :].any()


CHUNKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "empty lines": ("x,label\n1,a\n\n\n\n\n\n\n\n\n\n\n2,b\n\n3,a\n", "data.csv", {}),
    "empty lines first": ("\n\n\nx,label\n1,a\n2,b\n3,a\n", "data.csv", {}),
    "no header": ("1,a\n2,b\n3,a\n", "data.csv", {}),
    "carriage returns": ("\ufeffx,label\r\n1,a\r\n2,b\r\n3,a\r\n", "data.csv", {}),
    "no end of the last line": ("x,label\n1,a\n2,b\n3,a", "data.csv", {}),
    "empty JSON lines": (
        '\n\n{"x":1,"label":"a"}\n\n   \n{"x":2,"label":"b"}\n{"x":3,"label":"a"}\n',
        "data.jsonl",
        {},
    ),
    "categories that look like numbers": (
        "c,label\n01,a\nx,b\n01,a\n01,b\n",
        "data.csv",
        {"categories": {"c": ["01", "x"]}},
    ),
    "missing": ("x,c,label\n1,u,a\n,v,b\n3,,a\n", "data.csv", {"fill": 7.0, "categories": {"c": ["u", "v"]}}),
    "comments": ("1 1:1 # one\n# nothing\n-1 2:1\n1 3:1\n", "data.svm", {}),
}


@pytest.mark.parametrize("name", CHUNKED)
def test_chunks_of_every_size_give_the_same(tmp_path: Path, name: str) -> None:
    text, file, options = CHUNKED[name]
    whole = read(made(tmp_path, text, file), **options)
    for size in range(1, len(text.encode()) + 2):
        stream = Stream(tmp_path / file, classes=sorted(set(whole.y.tolist())), chunk_bytes=size, **options)
        X, y = gathered(stream)
        assert (X.tolist(), y) == (dense(whole.X, X.shape[1]).tolist(), whole.y.tolist()), size
        assert stream.feature_names_ == whole.feature_names


def test_an_encoding_that_is_given_does_not_depend_on_chunks(tmp_path: Path) -> None:
    """A chunk in which all categories look like numbers is read as words all the same."""
    path = made(tmp_path, "c,label\n01,a\nx,b\n01,a\n01,b\n01,a\n", "data.csv")
    encoding = read(path, categories=["c"]).encoding
    assert read(path, encoding=encoding).feature_names == ["c=01", "c=x"]
    for size in range(1, 50):
        X, _ = gathered(Stream(path, encoding=encoding, classes=["a", "b"], chunk_bytes=size))
        assert X.tolist() == [[1, 0], [0, 1], [1, 0], [1, 0], [1, 0]]


def test_labels_of_arrays_in_any_letters(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X=np.ones((2, 1)), y=np.array(["é", "ß"]))
    assert gathered(Stream(tmp_path / "data.npz"))[1] == ["é", "ß"]


def test_compressed_text(tmp_path: Path) -> None:
    text = "1 1:1\n-1 2:1\n" * 50
    path = made(tmp_path, gzip.compress(text.encode()), "data.svm.gz")
    X, y = gathered(Stream(path, chunk_bytes=100))
    assert X.tolist() == [[1, 0], [0, 1]] * 50
    assert y == [1, -1] * 50


# ---------------------------------------------------------------------------------------------------------------------
# What the first chunk settles


def test_classes_are_those_of_the_first_chunk(tmp_path: Path) -> None:
    path = made(tmp_path, "5 1:1\n3 1:2\n" * 3 + "4 1:1\n")
    stream = Stream(path, chunk_bytes=12)
    with pytest.raises(DataError, match=r"data\.svm, line 7: a label of the known classes 3, 5 was expected, not 4"):
        gathered(stream)
    assert gathered(Stream(path, chunk_bytes=12, classes=[4, 3, 5]))[1] == [5, 3, 5, 3, 5, 3, 4]
    assert gathered(Stream(path, chunk_bytes=ANY))[1] == [5, 3, 5, 3, 5, 3, 4]


def test_the_header_is_known_once_a_chunk_was_read(tmp_path: Path) -> None:
    path = made(tmp_path, "a,b,label\n1,2,u\n3,4,v\n", "data.csv")
    for classes in (None, ["u", "v"]):
        stream = Stream(path, classes=classes)
        with pytest.raises(DataError, match=r"data\.csv: the classes and columns of a stream are not known before"):
            _ = stream.header
        next(stream.chunks())
        header = stream.header
        assert header.classes.tolist() == ["u", "v"]
        assert (header.feature_names, header.n_columns) == (["a", "b"], 2)
        with pytest.raises(AttributeError, match="cannot assign to field 'n_columns'"):
            header.n_columns = 3  # type: ignore[misc]


@pytest.mark.parametrize("cached", [False, True])
def test_the_header_tells_where_columns_count_from(tmp_path: Path, cached: bool) -> None:
    cache = tmp_path / "cache" if cached else False
    for text, said, expected in (
        ("1 0:1\n-1 1:2\n", None, True),
        ("1 1:1\n-1 1:2\n", None, False),
        ("1 1:1\n-1 1:2\n", True, True),
    ):
        path = made(tmp_path, text)
        for _ in range(2):  # from the file, and (or) from the cache
            stream = Stream(path, cache=cache, zero_based=said)
            assert stream.zero_based_ is said
            gathered(stream)
            assert stream.zero_based_ is stream.header.zero_based is read(path, zero_based=said).zero_based is expected
    table = made(tmp_path, "a,label\n1,u\n2,v\n", "data.csv")
    stream = Stream(table)
    gathered(stream)
    assert stream.header.zero_based is None
    assert read(table).zero_based is read(made(tmp_path, "1 | a\n", "a.vw")).zero_based is None


def test_the_columns_of_the_header_grow_with_the_stream(tmp_path: Path) -> None:
    stream = Stream(made(tmp_path, "1 1:1\n-1 1:2\n1 2:1\n-1 3:1\n"), chunk_bytes=14)
    assert [stream.header.n_columns for _ in stream.chunks()] == [1, 3]


def test_one_class_in_the_first_chunk_is_too_few(tmp_path: Path) -> None:
    told = (
        r"data\.svm: all of its first 2 rows have the label 5; two classes are needed\. If others come later, "
        r"name all of them: classes=\."
    )
    with pytest.raises(DataError, match=told):
        gathered(Stream(made(tmp_path, "5 1:1\n5 1:2\n3 1:1\n"), chunk_bytes=12))


def test_a_category_that_comes_later_is_a_row_that_cannot_be_used(tmp_path: Path) -> None:
    path = made(tmp_path, "c,label\nu,a\nv,b\nw,a\nu,b\n", "data.csv")
    with pytest.raises(DataError, match=r"data\.csv, line 4, column 'c': one of the categories 'u', 'v' was expected"):
        gathered(Stream(path, chunk_bytes=16))
    stream = Stream(path, chunk_bytes=16, on_error="skip")
    X, y = gathered(stream)
    assert (X.tolist(), y) == ([[1, 0], [0, 1], [1, 0]], ["a", "b", "b"])
    assert (stream.n_rows_, stream.n_skipped_) == (3, 1)


def test_a_column_0_that_comes_later_is_said_with_its_line(tmp_path: Path) -> None:
    """Lines before it were read as if columns counted from 1: nothing can be skipped to mend that."""
    path = made(tmp_path, "1 1:1\n-1 1:2\n1 2:1\n-1 0:1\n")
    with pytest.raises(DataError, match=r"data\.svm, line 4.*zero_based=True"):
        gathered(Stream(path, chunk_bytes=14))
    X, _ = gathered(Stream(path, chunk_bytes=14, zero_based=True))
    assert X.tolist() == [[0, 1, 0], [0, 2, 0], [0, 0, 1], [1, 0, 0]]


# ---------------------------------------------------------------------------------------------------------------------
# Rows that cannot be used


LINES = ["-1 1:1", "1 2:2", "7 1:1", "1 1:3", "x", "-1 3:-1", "1 1:1 1:1", "9 1:2", "-1 2:1", "1 4:inf", "-1 1:1"]
GOOD = [line for line in LINES if line in ("-1 1:1", "1 2:2", "1 1:3", "-1 3:-1", "-1 2:1")]
BAD = [line for line in LINES if line not in GOOD]


@pytest.mark.parametrize("size", [1, 10, 25, 40, ANY])
def test_stop_names_the_file_and_the_line(tmp_path: Path, size: int) -> None:
    second = made(tmp_path, "\n".join(LINES) + "\n", "second.svm")
    first = made(tmp_path, "1 1:1\n-1 1:2\n", "first.svm")
    with pytest.raises(DataError, match=r"second\.svm, line 3: a label of the known classes -1, 1 was expected, not 7"):
        gathered(Stream([first, second], classes=[-1, 1], chunk_bytes=size))


@pytest.mark.parametrize("size", [1, 10, 25, 40, ANY])
@pytest.mark.parametrize("cached", [False, True])
def test_skip_counts_each_row_once_however_many_passes(tmp_path: Path, size: int, cached: bool) -> None:
    path = made(tmp_path, "\n".join(LINES) + "\n")
    cache = tmp_path / "cache" if cached else False
    stream = Stream(path, classes=[-1, 1], chunk_bytes=size, on_error="skip", cache=cache)
    for _ in range(3):
        X, y = gathered(stream)
        assert (X.shape, y) == ((6, 3), [-1, 1, 1, -1, -1, -1])
        assert (stream.n_rows_, stream.n_skipped_) == (6, 5)
        assert len(stream.skipped_) == 5
        assert sorted(int(said.split("line ")[1].split(":")[0]) for said in stream.skipped_) == [3, 5, 7, 8, 10]


def test_the_first_ten_troubles_are_told(tmp_path: Path) -> None:
    path = made(tmp_path, "1 1:1\n-1 1:2\n" + "5 1:1\nx\n" * 20)
    for size in (20, ANY):
        stream = Stream(path, classes=[-1, 1], chunk_bytes=size, on_error="skip")
        gathered(stream)
        assert {int(said.split("line ")[1].split(":")[0]) for said in stream.skipped_} == set(range(3, 13))
        assert stream.n_skipped_ == 40


@pytest.mark.parametrize("size", [1, 10, 25, 40, ANY])
@pytest.mark.parametrize("cached", [False, True])
def test_quarantine_holds_the_bad_lines_once(tmp_path: Path, size: int, cached: bool) -> None:
    path, kept = made(tmp_path, "\n".join(LINES) + "\n"), made(tmp_path, "old\n", "bad.txt")
    cache = tmp_path / "cache" if cached else False
    stream = Stream(path, classes=[-1, 1], chunk_bytes=size, on_error="quarantine", quarantine=kept, cache=cache)
    for _ in range(3):
        gathered(stream)
        assert sorted(kept.read_text().splitlines()) == sorted(BAD)
    kept.unlink()
    gathered(stream)
    assert not kept.exists()  # it is written in the first pass


def test_a_pass_broken_off_does_not_count_for_the_quarantine(tmp_path: Path) -> None:
    path, kept = made(tmp_path, "\n".join(LINES) + "\n"), tmp_path / "bad.txt"
    stream = Stream(path, classes=[-1, 1], chunk_bytes=10, on_error="quarantine", quarantine=kept)
    for chunk in stream.chunks():
        if chunk.number == 4:
            break
    gathered(stream)
    assert sorted(kept.read_text().splitlines()) == sorted(BAD)


@pytest.mark.parametrize("size", [26, ANY])
def test_lines_of_a_table_are_kept_as_they_were(tmp_path: Path, size: int) -> None:
    """So that they can be mended and read again, whatever was wrong with them."""
    bad = ["3,zz,a", "oops,u,b", "5,u,q", "6,u"]
    path = made(tmp_path, "x,c,label\n1,u,a\n2,v,b\n" + "\n".join(bad) + "\n7,v,a\n", "data.csv")
    kept, known = tmp_path / "bad.txt", {"c": ["u", "v"]}
    stream = Stream(
        path, classes=["a", "b"], categories=known, chunk_bytes=size, on_error="quarantine", quarantine=kept
    )
    assert gathered(stream)[1] == ["a", "b", "a"]
    assert stream.n_skipped_ == 4
    assert sorted(kept.read_text().splitlines()) == sorted(bad)


def test_a_long_line_is_kept_whole(tmp_path: Path) -> None:
    long = "1 " + " ".join(f"{j}:1" for j in range(1, 30_000)) + " x"
    kept = tmp_path / "bad.txt"
    gathered(Stream(made(tmp_path, f"1 1:1\n-1 1:2\n{long}\n"), on_error="quarantine", quarantine=kept))
    assert kept.read_text() == long + "\n"


def test_rows_of_binary_tables_are_kept_as_json(tmp_path: Path) -> None:
    table = pyarrow.table({"x": [1.0, 2.0, None], "label": ["a", "b", "a"]})
    parquet.write_table(table, tmp_path / "data.parquet")
    kept = tmp_path / "bad.txt"
    stream = Stream(tmp_path / "data.parquet", on_error="quarantine", quarantine=kept)
    assert gathered(stream)[1] == ["a", "b"]
    assert [json.loads(line) for line in kept.read_text().splitlines()] == [{"x": None, "label": "a"}]


@pytest.mark.parametrize("labels", [("true", "false"), ("1.0", "2.0"), ("1", "2"), ("a", "b")])
def test_one_bad_label_does_not_spoil_those_around_it(tmp_path: Path, labels: tuple[str, str]) -> None:
    a, b = labels
    path = made(tmp_path, f"x,label\n1,{a}\n2,{b}\n3,maybe\n4,{a}\n5,{b}\n", "data.csv")
    stream = Stream(path, chunk_bytes=len(f"x,label\n1,{a}\n2,{b}\n"), on_error="skip")
    X, _ = gathered(stream)
    assert (X.tolist(), stream.n_skipped_) == ([[1], [2], [4], [5]], 1)


def test_no_row_that_can_be_used(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"data\.svm: it has no rows; 2 rows could not be used\."):
        gathered(Stream(made(tmp_path, "x\ny\n"), classes=[0, 1], on_error="skip"))
    with pytest.raises(DataError, match="no rows"):
        gathered(Stream(made(tmp_path, ""), classes=[0, 1]))


# ---------------------------------------------------------------------------------------------------------------------
# Standard input, and files that go


class Input(NamedTuple):
    buffer: io.BytesIO


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Input(io.BytesIO(text.encode())))


ONCE = "-: it can be read only once, and more than one pass is needed. Save it to a file first, give cache=FILE"


def test_standard_input_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 1:1\n-1 1:2\n"
    expected = Perceptron(order="cyclic", max_epochs=1).fit([[1.0], [2.0]], [1, -1])
    give(monkeypatch, text)
    assert (Perceptron(max_epochs=1).fit_stream("-", format="libsvm").coef_ == expected.coef_).all()
    give(monkeypatch, text)
    with pytest.raises(DataError, match=ONCE):
        Perceptron().fit_stream("-", format="libsvm")
    give(monkeypatch, text)
    model = Perceptron().fit_stream("-", format="libsvm", cache=tmp_path / "cache")
    assert (model.coef_ == Perceptron(order="cyclic").fit([[1.0], [2.0]], [1, -1]).coef_).all()
    with pytest.raises(ParameterError, match="give the path of the cache"):
        Stream("-", format="libsvm", cache=True)


def test_standard_input_is_read_once_also_if_that_was_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "1 1:1\n-1 1:2\n" * 50)
    stream = Stream("-", format="libsvm", chunk_bytes=30)
    next(stream.chunks())
    with pytest.raises(DataError, match="only once"):
        next(stream.chunks())


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    stream = Stream(made(tmp_path, "1 1:1\n-1 1:2\n"))
    gathered(stream)
    (tmp_path / "data.svm").unlink()
    with pytest.raises(DataError, match=r"data\.svm"):
        gathered(stream)
