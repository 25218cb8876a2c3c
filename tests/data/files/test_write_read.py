"""What is written is read back: the same numbers to the last bit, names and labels; all else is refused, unwritten."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils import murmurhash3_32

from rosenblatt import Data, DataError, ParameterError, Stream, read, write
from rosenblatt.data.files import sources
from rosenblatt.data.files import write as writing
from rosenblatt.data.files.write import ENDINGS
from tests.support.effort import examples

TABLES = (".csv", ".tsv", ".jsonl", ".parquet", ".feather", ".arrow")  # formats with named columns
ALL = (*ENDINGS, ".csv.gz", ".jsonl.zst", ".svm.gz")
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, 2.0**53, 1e22, 5e-324])
NASTY = ["1", "01", "1.0", "nan", "inf", "-0.0", "true", "False", "NA", "null", "?", "", " ", " a", "a ", "\ta", "a,b"]
NASTY += [
    'q"q',
    "'",
    "l\nm",
    "r\rs",
    "r\r\ns",
    "é",
    "\ufeff",
    "\ufeffa",
    "2020-01-01",
    "12:30",
    "0x1",
    "1_0",
    "#",
    "a:b",
]
NASTY += [
    "label",
    "x1",
    "x2",
    "a b",
    "|",
    "\u2028",
    "\x85",
    "\x0c",
    "\x00",
    "a\x00b",
    "\ud800",
    "\u0661",  # a digit, too
    "9" * 30,
    "=",
    "[1]",
]
words = st.sampled_from(NASTY) | st.text(max_size=5) | st.text("ab", min_size=1, max_size=2)
SIZES = (2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 0, 1, -1)
whole = st.integers(-3, 3) | st.sampled_from(SIZES)
fractions = st.sampled_from([0.5, 1.0, -2.0, -0.0, 2.0**53, 2.0**60, 2.0**63, 1e300])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@st.composite
def samples(draw: st.DrawFn) -> tuple[Any, Any, list[str] | None]:
    """Rows, dense or sparse, of floats or of integers; labels of one type; names, or none."""
    n, d = draw(st.integers(1, 5)), draw(st.sampled_from([2, 1, 3]))
    if draw(st.booleans()):
        X: Any = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    else:
        X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-3, 3) | st.sampled_from([2**53, 2**53 + 1, 2**62])))
    if draw(st.booleans()):
        kept = draw(hnp.arrays(bool, (n, d)))
        X = scipy.sparse.csr_array((X[kept], np.nonzero(kept)), shape=(n, d))
    kind = draw(st.sampled_from([words, whole, fractions, st.booleans(), st.sampled_from([-1, 1]), st.integers(1, 3)]))
    y = draw(st.lists(kind, min_size=n, max_size=n))
    return X, y, draw(st.none() | st.lists(words, min_size=d, max_size=d))


def bits(X: Any) -> list[list[bytes]]:
    """The bits of each number; an entry of a sparse matrix that is not stored is 0.0."""
    if not scipy.sparse.issparse(X):
        return [[np.float64(number).tobytes() for number in row] for row in np.asarray(X).tolist()]
    out = [[np.float64(0).tobytes()] * X.shape[1] for _ in range(X.shape[0])]
    entries = X.tocoo()
    for i, j, number in zip(*entries.coords, entries.data.tolist(), strict=True):
        out[i][j] = np.float64(number).tobytes()
    return out


def is_class(label: Any) -> bool:
    """Can a stream take it as a class?  An .npz file also holds fractions, and integers beyond 64 bits."""
    return isinstance(label, str) or (label == label // 1 and -(2**63) <= label < 2**63)


def exact(X: Any) -> bool:
    """Can floats hold all numbers?"""
    listed = (X.data if scipy.sparse.issparse(X) else np.asarray(X)).ravel().tolist()
    return all(float(number) == number for number in listed)


def hashed(name: str) -> int:
    """The column of a name in Vowpal Wabbit's text, where some characters are written as "_"."""
    name = "".join("_" if c.isspace() or c in ":|" else c for c in name)
    return (int(name) if name.isascii() and name.isdigit() else murmurhash3_32(name.encode(), 0, positive=True)) % 2**18


def assert_same(data: Data, X: Any, y: Any, names: list[str] | None, ending: str) -> None:
    n, d = X.shape
    if ending == ".vw":
        columns = [hashed(name) for name in names or [f"x{j + 1}" for j in range(d)]]
        found = data.X.tocsc()[:, columns]
        assert data.X.nnz == found.nnz  # and nothing else
        assert bits(found.tocsr()) == bits(X)
    elif ending == ".json":
        assert bits(np.asarray(data.X)) == bits(np.asarray(X.toarray() if scipy.sparse.issparse(X) else X) + 0.0)
    else:
        assert bits(data.X) == bits(X)
    assert data.X.shape[0] == n
    assert data.y.tolist() == list(y)
    if ending not in (".svm", ".libsvm", ".svmlight", ".svm.gz", ".npz"):
        assert [isinstance(label, str) for label in data.y.tolist()] == [isinstance(label, str) for label in y]
        assert [isinstance(label, bool) for label in data.y.tolist()] == [isinstance(label, bool) for label in y]
    assert data.skipped == 0
    if ending in (".npz",):
        assert data.feature_names == names
    elif ending in (*TABLES, ".json", ".csv.gz", ".jsonl.zst"):
        assert data.feature_names == (names or [f"x{j + 1}" for j in range(d)])


@settings(max_examples=examples(3.0))
@given(samples(), st.sampled_from(ALL))
@example((np.array([[5.0, 6.0]]), ["a"], ["1", "2"]), ".csv")
@example((scipy.sparse.csr_array([[0, 0.5], [1, 0]]), ["a", "b"], None), ".jsonl")
@example((scipy.sparse.csr_array(([-0.0], ([0], [0])), shape=(2, 1)), ["a", "b"], None), ".tsv")
@example((np.array([[1.0], [2.0]]), ["1", "2"], None), ".csv")
@example((np.array([[1.0], [2.0]]), [0.5, 1.0], None), ".parquet")
def test_it_comes_back_or_is_refused(folder: Path, sample: tuple[Any, Any, Any], ending: str) -> None:
    X, y, names = sample
    path = folder / f"any{ending}"
    path.write_bytes(b"old")
    if ending in (".svm", ".libsvm", ".svmlight", ".svm.gz"):
        names = None
    try:
        write(X, y, path, feature_names=names)
    except DataError:
        assert path.read_bytes() == b"old"
        return
    assert exact(X)
    assert_same(read(path), X, y, names, ending)
    if len(set(y)) > 1 and all(is_class(label) for label in y):
        stream = Stream(path, classes=list(dict.fromkeys(y)), chunk_bytes=40)
        labels = np.concatenate([chunk.codes for chunk in stream.chunks()])
        assert stream.classes_ is not None
        assert stream.classes_[labels].tolist() == list(y)


plain_names = st.lists(
    st.text("abcdefgh =.é-_/()", min_size=1, max_size=6).filter(lambda name: name.strip() == name),
    min_size=2,
    max_size=2,
)


@settings(max_examples=examples(1.0))
@given(hnp.arrays(np.float64, (4, 2), elements=numbers), plain_names, st.sampled_from(ALL), st.booleans(), st.data())
def test_ordinary_rows_are_never_refused(
    folder: Path, X: Any, names: list[str], ending: str, sparse: bool, data: st.DataObject
) -> None:
    """The test above would pass if everything was refused."""
    assume(names[0] != names[1] and names[0].replace(" ", "_") != names[1].replace(" ", "_"))
    assume(not {*names} & {"inf", "nan", "infinity"})
    classes: list[list[Any]] = [[-1, 1], [1, 2, 3]]
    if ending != ".vw":
        classes += [[0, 1], [1.0, -2.0]]
    if not ending.startswith((".svm", ".libsvm", ".vw")):
        classes += [["no", "yes"], ["1", "b"], ["a b", 'say "so", c']]
        classes += [[True, False]] if ending != ".json" else []
    if ending == ".json":
        X = np.clip(X, -1e9, 1e9)
    chosen = data.draw(st.sampled_from(classes))
    y = data.draw(st.permutations([*chosen, *chosen][:4]))
    rows = scipy.sparse.csr_array(X) if sparse else X
    path = folder / f"plain{ending}"
    written = None if ending.startswith((".svm", ".libsvm")) else names
    write(rows, y, path, feature_names=written)
    assert_same(read(path), rows, y, written, ending)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused, and what the message says

X2 = [[1.0, 2.0], [3.0, 4.0]]
REFUSED: list[tuple[str, Any, Any, list[str] | None, str]] = [
    (
        ".csv",
        X2,
        ["a", "b"],
        ["1", "2"],
        "the name '1', which is a number, so that the line of names would be read as a",
    ),
    (".tsv", X2, ["a", "b"], ["a", "2.5e3"], "the name '2.5e3', which is a number"),
    (".csv", X2, ["a", "b"], ["a", "nan"], "the name 'nan', which is a number"),
    (".csv", X2, ["a", "b"], ["a", ""], "the name '', which is empty or has spaces around it"),
    (".csv", X2, ["a", "b"], ["a", " b"], "the name ' b', which is empty or has spaces around it"),
    (".csv", X2, ["a", "b"], ["a", "b\nc"], "which has a line end or begins with a byte order mark"),
    (".csv", X2, ["a", "b"], ["\ufeffa", "b"], "which has a line end or begins with a byte order mark"),
    (
        ".csv",
        X2,
        ["1", "2"],
        None,
        "the label '1', which would be read as the number 1. Give other labels, or write JSON",
    ),
    (".tsv", X2, ["true", "false"], None, "the label 'false', which would be read as the boolean False"),
    (".csv", X2, ["NA", "b"], None, "the label 'NA', which would be read as a missing label"),
    (".csv", X2, [" a", "b"], None, "the label ' a', which would be read as the word 'a'"),
    (".csv", X2, ["a\nb", "c"], None, "which would be read as several lines"),
    (".csv", X2, [0.5, 1.0], None, "y[0] must be a word or a whole number, as `read` takes no other; it is 0.5."),
    (".jsonl", X2, [1.0, 1.5], None, "y[1] must be a word or a whole number, as `read` takes no other; it is 1.5."),
    (".parquet", X2, [2**63, 1], None, "y[0] must fit 64 bits; it is 9223372036854775808."),
    (".npz", X2, [2**64, 1], None, "does not fit 64 bits; give such labels as strings."),
    (".npz", X2, [2**63, -1], None, "does not fit 64 bits; give such labels as strings."),
    (".npz", X2, [2**53 + 1, 1.0], None, "y mixes floats with integers beyond 2^53"),
    (".npz", X2, ["a", 1], None, "y[0] is 'a', y[1] is 1."),
    (".csv", X2, [True, 2], None, "y[0] is True, y[1] is 2."),
    (".feather", X2, ["a", " "], None, "y[1] must not be blank, as `read` takes it for missing; it is ' '."),
    (".svm", X2, [2**53, 1], None, "y[0] must be smaller than 2^53; it is 9007199254740992."),
    (".svm", X2, [1, 2], ["a", "b"], "in LIBSVM's format columns have no names; leave feature_names out."),
    (
        ".vw",
        X2,
        ["no", "yes"],
        None,
        "two classes are -1 and 1, and more classes are 1 to k, but these labels are 'no', 'y",
    ),
    (".vw", X2, [0, 1], None, "but these labels are 0, 1; number the classes so"),
    (".vw", X2, [True, False], None, "but these labels are False, True"),
    (".vw", X2, [-1, 1], ["7", "262151"], "'7' and '262151' have the same hash of 18 bits"),
    (".json", X2, [True, False], None, "the labels of a board of the lab are words or whole numbers, not booleans"),
    (".npz", X2, ["a", "b"], ["a", "b\0"], "Names and labels must be Unicode text without the character 0"),
    (".jsonl", X2, ["a", "\ud800"], None, "Names and labels must be Unicode text"),
    (".csv", np.empty((0, 2)), [], None, "Found array with 0 sample(s) (shape=(0, 2))"),
    (".csv", [[2**53 + 1]], ["a"], None, "X must hold numbers that a float64 can hold, but 9007199254740993 would be"),
    (
        ".npz",
        np.array([[2**64 - 1]], np.uint64),
        ["a"],
        None,
        "but 18446744073709551615 would be rounded to 184467440737095",
    ),
    (".parquet", [[10**30 + 1]], ["a"], None, "would be rounded to 1000000000000000019884624838656"),
]


@pytest.mark.parametrize(("ending", "X", "y", "names", "message"), REFUSED, ids=lambda part: str(part)[:30])
def test_refusals(tmp_path: Path, ending: str, X: Any, y: Any, names: list[str] | None, message: str) -> None:
    path = tmp_path / f"x{ending}"
    with pytest.raises(DataError) as told:
        write(X, y, path, feature_names=names)
    assert message in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_names_that_take_much_room(tmp_path: Path) -> None:
    names = [f"{j:06}{'x' * 600}" for j in range(2000)]
    for ending in (".csv", ".parquet"):
        write(np.ones((2, 2000)), ["a", "b"], tmp_path / f"x{ending}", feature_names=names)
        assert read(tmp_path / f"x{ending}").feature_names == names


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".svm", ".vw", ".jsonl", ".csv.gz"])
def test_a_line_that_read_would_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    for module in (writing, sources):
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 100)
    write(np.full((2, 4), 0.25), [1, -1], path)
    assert read(path).X.shape[0] == 2
    path.unlink()
    with pytest.raises(DataError, match=rf"^{path}: a line of it would take more than 100 bytes, .* NPZ\.$"):
        write(np.full((2, 80), 0.25), [1, -1], path)
    assert list(tmp_path.iterdir()) == []


def test_names_of_the_rows_themselves_are_left_out_of_libsvm_text(tmp_path: Path) -> None:
    data = tmp_path / "x.csv"
    write(X2, [1, 2], data, feature_names=["a", "b"])
    rows = read(data)
    write(rows.X, rows.y, tmp_path / "x.svm")
    assert read(tmp_path / "x.svm").feature_names is None


@pytest.mark.parametrize("call", [lambda path: write(path, X2, [0, 1]), lambda _: write(X2, [0, 1], [0, 1])])  # type: ignore[arg-type]
def test_the_order_of_the_arguments(tmp_path: Path, call: Callable[[Path], None]) -> None:
    with pytest.raises(ParameterError, match=r"path must be a path, not .*; the order is write\(X, y, path\)\."):
        call(tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []
