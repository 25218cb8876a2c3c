"""Written files are read to the same bits, also by other libraries."""

import csv
import gzip
import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_svmlight_file

from rosenblatt import DataError, ParameterError, datasets
from rosenblatt.certificate.reader import read_file
from rosenblatt.data.files.write import ENDINGS, write
from tests.support.effort import examples

Table = list[list[float]]
HARD = [[0.1, -0.0, 5e-324], [1 / 3, 2.0**53, -1.7976931348623157e308], [2.0**53 - 1, 1e22, 0.0]]
TEXTS = (".csv", ".tsv", ".svm", ".vw", ".jsonl")
numbers = st.floats(allow_nan=False, allow_infinity=False)
tables = hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=numbers)


def of_csv(path: Path, delimiter: str = ",") -> tuple[list[str], Table, list[str]]:
    header, *lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter=delimiter)
    return header[:-1], [[float(cell) for cell in line[:-1]] for line in lines], [line[-1] for line in lines]


def of_json(path: Path) -> tuple[list[str], Table, list[Any]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = [name for name in rows[0] if name != "label"]
    return names, [[float(row[name]) for name in names] for row in rows], [row["label"] for row in rows]


def of_vw(path: Path, names: list[str]) -> tuple[list[str], Table, list[Any]]:
    found, labels = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        label, _, features = line.partition(" |")
        pairs = dict(feature.rsplit(":", 1) for feature in features.split())
        assert pairs.keys() <= set(names)
        found.append([float(pairs.get(name, 0)) for name in names])
        labels.append(int(label))
    return names, found, labels


def of_svm(path: Path) -> tuple[list[str], Table, list[Any]]:
    X, y = load_svmlight_file(str(path), zero_based=False)
    dense = np.zeros(X.shape)  # by hand, as a sum with 0 makes -0.0 one
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        dense[i, X.indices[part]] = X.data[part]
    return [f"x{j + 1}" for j in range(X.shape[1])], dense.tolist(), y.tolist()


def of_arrow(table: Any) -> tuple[list[str], Table, list[Any]]:
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names[:-1], [list(map(float, row)) for row in zip(*columns[:-1], strict=True)], columns[-1]


def of_npz(path: Path) -> tuple[list[str], Table, list[Any]]:
    with np.load(path, allow_pickle=False) as file:
        X = file["X"]
        names = file["names"].tolist() if "names" in file else [f"x{j + 1}" for j in range(X.shape[1])]
        return names, X.astype(float).tolist(), file["y"].tolist()


READERS: dict[str, Callable[[Path], tuple[list[str], Table, list[Any]]]] = {
    ".csv": of_csv,
    ".tsv": lambda path: of_csv(path, "\t"),
    ".svm": of_svm,
    ".vw": lambda path: of_vw(path, ["x1", "x2", "x3"]),
    ".jsonl": of_json,
    ".parquet": lambda path: of_arrow(pyarrow.parquet.read_table(path)),
    ".feather": lambda path: of_arrow(pyarrow.feather.read_table(path)),
    ".arrow": lambda path: of_arrow(pyarrow.ipc.open_file(path).read_all()),
    ".npz": of_npz,
}


def bits(table: Any) -> list[list[bytes]]:
    return [[struct.pack("<d", number) for number in row] for row in np.asarray(table).tolist()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


# ---------------------------------------------------------------------------------------------------------------------
# The same bits


@pytest.mark.parametrize("ending", READERS)
def test_hard_numbers_come_back(folder: Path, ending: str) -> None:
    path = folder / f"hard{ending}"
    write(np.array(HARD), [-1, 1, -1], path)
    names, X, y = READERS[ending](path)
    assert names == ["x1", "x2", "x3"]
    assert bits(X) == bits(HARD)
    assert [int(label) for label in y] == [-1, 1, -1]


@settings(max_examples=examples(0.4))
@given(tables, st.data())
def test_all_numbers_come_back(folder: Path, X: Any, data: st.DataObject) -> None:
    y = data.draw(st.lists(st.integers(-3, 3), min_size=len(X), max_size=len(X)))
    for ending in (".csv", ".svm", ".jsonl", ".feather", ".npz"):
        path = folder / f"any{ending}"
        write(X, y, path)
        _, found, labels = READERS[ending](path)
        assert bits(found) == bits(X)
        assert [int(label) for label in labels] == y


@settings(max_examples=examples(0.4))
@given(tables)
def test_sparse_rows_are_written_as_dense_ones(folder: Path, X: Any) -> None:
    X = np.where(abs(X) < 1, 0, X)
    y = [2 * (i % 2) - 1 for i in range(len(X))]
    for ending in (*TEXTS, ".parquet"):
        dense, sparse = folder / f"dense{ending}", folder / f"sparse{ending}"
        write(X, y, dense)
        write(scipy.sparse.csr_array(X), y, sparse)
        assert dense.read_bytes() == sparse.read_bytes()


def test_sparse_rows_in_json_lines_have_all_columns(tmp_path: Path) -> None:
    """A reader would not know the columns of the first row otherwise, nor which is the last."""
    path = tmp_path / "x.jsonl"
    write(scipy.sparse.csr_array([[0, 0.5], [0, 0]]), ["a", "b"], path)
    assert path.read_text() == '{"x1": 0, "x2": 0.5, "label": "a"}\n{"x1": 0, "x2": 0, "label": "b"}\n'


def test_sparse_rows_as_npz(tmp_path: Path) -> None:
    data = datasets.load("sparse_text", rows=50, columns=200)
    path = tmp_path / "text.npz"
    write(data.X, data.y, path)
    with np.load(path, allow_pickle=False) as file:
        assert set(file) == {"data", "indices", "indptr", "shape", "y", "names"}
        X = scipy.sparse.csr_array((file["data"], file["indices"], file["indptr"]), shape=file["shape"])
        assert (X != data.X).nnz == 0
        assert file["names"].tolist() == data.feature_names
        assert file["y"].tolist() == data.y.tolist()


def test_entries_of_sparse_rows_that_are_zero_twice_or_out_of_order(tmp_path: Path) -> None:
    X = scipy.sparse.csr_array(([1.0, 2.0, 3.0, 0.0], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    write(X, [1, 2], tmp_path / "x.svm")
    assert (tmp_path / "x.svm").read_text() == "1 1:2 3:4\n2\n"
    assert X.indices.tolist() == [2, 0, 2, 1]  # it is as it was


def test_columns_that_are_zero_are_seen_in_libsvm(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    for X in (np.zeros((2, 5)), scipy.sparse.csr_array((2, 5))):
        write(X, [0, 1], path)
        assert path.read_text() == "0 5:0\n1\n"
        assert load_svmlight_file(str(path))[0].shape == (2, 5)
        assert read_file(path).X.d == 5


def test_whole_numbers_of_any_type(tmp_path: Path) -> None:
    big = 2**63 - 2**10  # the largest below 2^63 that is a float
    for X in (np.array([[big, -1]]), np.array([[big, 1]], dtype=np.uint64)):
        write(X, [1], tmp_path / "x.csv")
        assert (tmp_path / "x.csv").read_text() == f"x1,x2,label\n{big},{X[0, 1]},1\n"
    write(np.array([[True, False]]), [1], tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "x1,x2,label\n1,0,1\n"
    write(np.array([[0.1]], dtype=np.float32), [1], tmp_path / "x.csv")
    assert of_csv(tmp_path / "x.csv")[1] == [[float(np.float32(0.1))]]


@pytest.mark.parametrize("name", ["iris", "xor", "planted_margin", "digits"])
def test_what_is_written_is_read_by_our_own(tmp_path: Path, name: str) -> None:
    data = datasets.load(name)
    write(data.X, data.y, tmp_path / "x.csv")
    table, labels = read_file(tmp_path / "x.csv")
    assert labels == data.y.tolist()
    assert table.names == (data.feature_names or [f"x{j + 1}" for j in range(data.X.shape[1])])
    assert (table.n, table.d) == data.X.shape


# ---------------------------------------------------------------------------------------------------------------------
# Formats, letter by letter


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (".csv", 'a,"b, c",label\n0.5,1,no\n0,0.1,yes\n'),
        (".tsv", "a\tb, c\tlabel\n0.5\t1\tno\n0\t0.1\tyes\n"),
        (".vw", "-1 | a:0.5 b,_c:1\n1 | b,_c:0.1\n"),
        (".jsonl", '{"a": 0.5, "b, c": 1, "label": "no"}\n{"a": 0, "b, c": 0.1, "label": "yes"}\n'),
    ],
)
def test_texts(tmp_path: Path, ending: str, text: str) -> None:
    X, y = [[0.5, 1], [0, 0.1]], [-1, 1] if ending == ".vw" else ["no", "yes"]
    write(X, y, tmp_path / f"x{ending}", feature_names=["a", "b, c"])
    assert (tmp_path / f"x{ending}").read_bytes() == text.encode()
    form: Any = ENDINGS[ending]
    write(X, y, tmp_path / "other", feature_names=["a", "b, c"], format=form)
    assert (tmp_path / "other").read_bytes() == text.encode()


def test_more_classes_in_vw(tmp_path: Path) -> None:
    write([[1], [2], [3]], [2, 3, 1], tmp_path / "x.vw")
    assert (tmp_path / "x.vw").read_text() == "2 | x1:1\n3 | x1:2\n1 | x1:3\n"


@pytest.mark.parametrize("ending", TEXTS)
def test_compressed_texts(tmp_path: Path, ending: str) -> None:
    X, y = np.array(HARD * 50), [-1, 1, -1] * 50
    plain = tmp_path / f"x{ending}"
    for end in ("", ".gz", ".zst"):
        write(X, y, f"{plain}{end}")
    assert gzip.decompress(Path(f"{plain}.gz").read_bytes()) == plain.read_bytes()
    with pyarrow.OSFile(f"{plain}.zst") as file, pyarrow.CompressedInputStream(file, "zstd") as stream:
        assert stream.read() == plain.read_bytes()
    assert Path(f"{plain}.gz").stat().st_size < plain.stat().st_size


def test_the_same_rows_give_the_same_file(tmp_path: Path) -> None:
    for ending in (*READERS, ".csv.gz", ".csv.zst"):
        files = [tmp_path / f"{k}{ending}" for k in range(2)]
        for path in files:
            write(np.array(HARD), [-1, 1, -1], path)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_endings_in_capitals(tmp_path: Path) -> None:
    write([[1]], ["a"], tmp_path / "X.CSV.GZ")
    assert gzip.decompress((tmp_path / "X.CSV.GZ").read_bytes()) == b"x1,label\n1,a\n"


# ---------------------------------------------------------------------------------------------------------------------
# Labels and names


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a b", 'say "x", y'], ["a b", 'say "x", y']),
        ([True, False], ["True", "False"]),
        ([1.0, -2.0], ["1", "-2"]),
        (np.array(["é", "ü"], dtype=object), ["é", "ü"]),
        (pd.Categorical(["u", "v"]), ["u", "v"]),
        (pd.Series([3, 4]), ["3", "4"]),
    ],
)
def test_labels_of_each_type(tmp_path: Path, y: Any, words: list[str]) -> None:
    write([[1], [2]], y, tmp_path / "x.csv")
    assert of_csv(tmp_path / "x.csv")[2] == words
    for ending in (".parquet", ".feather", ".jsonl", ".npz"):
        write([[1], [2]], y, tmp_path / f"x{ending}")
        assert READERS[ending](tmp_path / f"x{ending}")[2] == np.asarray(y).tolist()


def test_labels_in_libsvm(tmp_path: Path) -> None:
    path = tmp_path / "x.svm"
    for y, text in (([1.0, -2.0], "1 1:5\n-2 1:6\n"), ([True, False], "1 1:5\n0 1:6\n")):
        write([[5], [6]], y, path)
        assert path.read_text() == text
    for labels, shown in ((["a", "b"], "'a' (row 0)"), ([1.0, 1.5], "1.5 (row 1)")):
        with pytest.raises(DataError) as caught:
            write([[5], [6]], labels, path)
        assert str(caught.value) == (
            f"{path}: in LIBSVM's format labels are whole numbers, not {shown}; number the classes, or write another "
            "format."
        )
    assert path.read_text() == "1 1:5\n0 1:6\n"  # the last that was right


def test_names_of_a_frame_and_of_our_arrays(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write(pd.DataFrame({"height": [1.5], "width": [2]}), ["a"], path)
    assert path.read_text() == "height,width,label\n1.5,2,a\n"
    write(pd.DataFrame([[1.5, 2]]), ["a"], path)
    assert path.read_text() == "x1,x2,label\n1.5,2,a\n"
    X, y = datasets.load("cholesterol")
    write(X, y, path)
    assert path.read_text().splitlines()[0] == "Normal Cholesterol?,Abnormal Cholesterol?,label"
    write(X, y, path, feature_names=["n", "a"])
    assert path.read_text().splitlines()[0] == "n,a,label"


# ---------------------------------------------------------------------------------------------------------------------
# What is refused, with the old file as it was


@pytest.mark.parametrize(
    ("X", "y", "names", "message"),
    [
        (np.array([1, 2]), [0, 1], None, "Expected 2D array, got 1D array instead; its shape is (2,)"),
        (np.empty((2, 0)), [0, 1], None, "Found array with 0 feature(s) (shape=(2, 0))"),
        ([[1], [2]], [0], None, "X has 2 rows but y has 1 labels; each row needs one label."),
        ([[1], [2]], [[0, 0], [1, 1]], None, "y[0] is [0, 0]. y must hold one class label for each row."),
        ([[1], [2]], [0, 1], ["a", "b"], "feature_names must be 1, one for each column, but there are 2."),
        ([[1], [2]], [None, 1], None, "y[0] is None; every row needs a class label."),
        ([[1], [2]], [b"a", b"b"], None, "y[0] is b'a', of type bytes; give such labels as strings."),
        ([[1], [2]], [np.nan, 1], None, "y[0] is nan; every row needs a class label."),
        ([[1], [np.inf]], [0, 1], None, "Input X contains infinity: row 1, column 0 is inf."),
        (scipy.sparse.csr_array([[0, 0], [0, np.nan]]), [0, 1], None, "row 1, column 1 is nan."),
        ([["a"], ["b"]], [0, 1], None, "X must hold numbers: row 0, column 0 is 'a', a text."),
    ],
)
def test_rows_that_cannot_be_written(tmp_path: Path, X: Any, y: Any, names: Any, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    with pytest.raises(DataError) as caught:
        write(X, y, path, feature_names=names)
    assert message in str(caught.value)
    assert path.read_text() == "old"


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".feather"])
@pytest.mark.parametrize(("names", "twice"), [(["a", "a"], "a"), (["b", "label"], "label")])
def test_names_must_differ(tmp_path: Path, ending: str, names: list[str], twice: str) -> None:
    path = tmp_path / f"x{ending}"
    with pytest.raises(DataError) as caught:
        write([[1, 2]], ["a"], path, feature_names=names)
    assert str(caught.value) == f"{path}: 2 columns would be called {twice!r}; give other names."
    assert list(tmp_path.iterdir()) == []


def test_names_must_differ_in_vw(tmp_path: Path) -> None:
    for names in (["a b", "a:b"], ["", "a"]):
        with pytest.raises(DataError, match="in Vowpal Wabbit's format names cannot have spaces"):
            write([[1, 2]], [1], tmp_path / "x.vw", feature_names=names)


def test_formats_that_there_are_not(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.xls: expected a file that ends with \.csv, .* Or name the format"):
        write([[1]], ["a"], tmp_path / "x.xls")
    with pytest.raises(DataError, match=r"x\.gz: expected a file that ends with"):
        write([[1]], ["a"], tmp_path / "x.gz")
    with pytest.raises(ParameterError, match=r"^format must be one of 'csv', .* not 'svm'"):
        write([[1]], ["a"], tmp_path / "x.csv", format="svm")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"only text is compressed with \.gz; leave \.gz out"):
        write([[1]], ["a"], tmp_path / "x.parquet.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_there_is_not(tmp_path: Path) -> None:
    for ending in READERS:
        path = tmp_path / "no" / f"x{ending}"
        with pytest.raises(DataError) as caught:
            write([[1]], [1], path)
        assert str(caught.value) == f"{path}: it cannot be written: No such file or directory."


def test_a_full_device_is_said_whatever_the_format() -> None:
    for kind in ("csv", "parquet", "feather", "npz"):
        with pytest.raises(DataError, match=r"^/dev/full: it cannot be written: "):
            write(np.array(HARD), [0, 1, 0], "/dev/full", format=kind)
