"""Validation: every storage gives the same weights, arrays are not copied, messages name the bad cell."""

import copy
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import DataConversionWarning

from rosenblatt import DataError, PassiveAggressive, Perceptron
from rosenblatt.classifiers.training.learner import Learner
from rosenblatt.data import validation
from rosenblatt.errors.not_a_number import NotANumberError
from tests.support.effort import covering

Floats = NDArray[np.float64]

rng = np.random.default_rng(0)
drawn = rng.integers(-3, 4, size=(60, 5)).astype(np.float64)
TABLE = drawn[drawn @ [2, -1, 1, 3, -2] != -1]  # integers, exact in every type; separable by the plane that labels it
SIDE = (TABLE @ [2, -1, 1, 3, -2] > -1).astype(np.int64)
THREE = np.argmax(TABLE @ rng.integers(-3, 4, size=(5, 3)), axis=1)
NAMES = list("abcde")


def csr(X: Any, make: Any = sparse.csr_array, index: Any = np.int32) -> Any:
    made = make(X)
    made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
    return made


def every_cell_stored(X: Floats, columns: slice) -> Any:
    """A CSR matrix that stores its zeros too, with the columns of each row in this order."""
    n, d = X.shape
    order = np.arange(d)[columns]
    return sparse.csr_array((X[:, order].ravel(), np.tile(order, n), np.arange(n + 1) * d), shape=X.shape)


def twice_stored(X: Floats) -> Any:
    """A CSR matrix that stores each value v as 2v and -v."""
    once = sparse.csr_array(X)
    parts = np.column_stack([2 * once.data, -once.data]).ravel()
    return sparse.csr_array((parts, np.repeat(once.indices, 2), once.indptr * 2), shape=X.shape)


def on_disk(X: Floats, folder: Path) -> Any:
    X.tofile(folder / "X.bin")
    return np.memmap(folder / "X.bin", dtype=np.float64, mode="r", shape=X.shape)


KINDS: dict[str, Callable[[Floats, Path], Any]] = {
    "lists": lambda X, _: X.tolist(),
    "C order": lambda X, _: X.copy(),
    "F order": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: np.repeat(np.repeat(X[::-1], 2, axis=0), 3, axis=1)[::-2, ::3],
    "bool": lambda X, _: X.astype(bool),
    **{t: lambda X, _, t=t: X.astype(t) for t in ("int8", "int64", "float16", "float32", ">f8", "object")},  # type: ignore[misc]
    "read-only": lambda X, _: np.broadcast_to(X, X.shape),
    "memmap": on_disk,
    "csr_matrix int32": lambda X, _: csr(X, sparse.csr_matrix),
    "csr_array int32": lambda X, _: csr(X),
    "csr_array int64": lambda X, _: csr(X, index=np.int64),
    "csr_array float32": lambda X, _: csr(X.astype(np.float32)),
    "csr_array int8": lambda X, _: csr(X.astype(np.int8)),
    "csc": lambda X, _: sparse.csc_array(X),
    "coo": lambda X, _: sparse.coo_array(X),
    "csr with zeros": lambda X, _: every_cell_stored(X, slice(None)),
    "csr unsorted": lambda X, _: every_cell_stored(X, slice(None, None, -1)),
    "csr with duplicates": lambda X, _: twice_stored(X),
    "pandas": lambda X, _: pd.DataFrame(X, columns=NAMES, index=range(100, 100 + len(X))),
    "pandas mixed": lambda X, _: pd.DataFrame(X, columns=NAMES).astype({"a": int, "b": "int8", "c": "float32"}),
    "pandas Int64": lambda X, _: pd.DataFrame(X, columns=NAMES).astype("Int64"),
    "pandas Float64": lambda X, _: pd.DataFrame(X, columns=NAMES).astype("Float64"),
    "polars": lambda X, _: pl.DataFrame(X, schema=NAMES),
    "Arrow table": lambda X, _: pa.table(list(X.T), NAMES),
    "Arrow batch": lambda X, _: pa.record_batch(list(X.T), NAMES),
}


def parts(made: Any) -> list[NDArray[Any]]:
    stored = [getattr(made, name, None) for name in ("data", "indices", "indptr", "row", "col")]
    return [part for part in stored if part is not None] if sparse.issparse(made) else [np.asarray(made)]


def assert_same(found: Floats, expected: Floats, exact: bool) -> None:
    if exact:
        assert found.tobytes() == expected.tobytes()
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning", "ignore:X (does not have|has feature names)")
@pytest.mark.parametrize(("kind", "of"), covering(list(KINDS), ["P two", "P three", "PA two", "PA three"]))
def test_storage_does_not_change_the_answer(kind: str, of: str, tmp_path: Path) -> None:
    """Bit by bit for the perceptron, to rounding for passive-aggressive steps; and the table is left alone."""
    model: Any = (PassiveAggressive if of.startswith("PA") else Perceptron)(max_epochs=9)
    y = SIDE if of.endswith("two") else THREE
    X = (TABLE > 0).astype(np.float64) if kind == "bool" else TABLE
    made, exact, classes = KINDS[kind](X, tmp_path), isinstance(model, Perceptron), np.unique(y)
    before = [(part.tolist(), part.flags.writeable) for part in parts(made)]
    fitted, expected = clone(model).fit(made, y), clone(model).fit(X, y)
    streamed, expected_stream = (clone(model).partial_fit(each, y, classes) for each in (made, X))
    for one, other in [(fitted, expected), (streamed, expected_stream)]:
        assert_same(one.coef_, other.coef_, exact)
        assert_same(one.intercept_, other.intercept_, exact)
    fitted.predict(made)
    assert [(part.tolist(), part.flags.writeable) for part in parts(made)] == before
    for again in [make(TABLE, tmp_path) for other, make in KINDS.items() if other != "bool"]:
        assert_same(fitted.decision_function(again), expected.decision_function(TABLE), exact)
        assert np.array_equal(fitted.predict(again), expected.predict(TABLE))


@pytest.mark.parametrize("kind", ["pandas", "pandas Int64", "polars", "Arrow table", "Arrow batch"])
def test_column_names_are_kept_and_held_against_those_of_later_tables(kind: str, tmp_path: Path) -> None:
    model = Perceptron().fit(KINDS[kind](TABLE, tmp_path), SIDE)
    assert model.feature_names_in_.tolist() == NAMES
    assert dict(model.ranked_weights()) == dict(zip(NAMES, model.coef_[0].tolist(), strict=True))
    for rename in ({"b": "z"}, {"a": "b", "b": "a"}):
        wrong = pd.DataFrame(TABLE, columns=NAMES).rename(columns=rename)
        for table in (wrong, pl.DataFrame(TABLE, schema=list(wrong)), pa.Table.from_pandas(wrong)):
            for call in (model.predict, lambda X: model.partial_fit(X, SIDE)):
                with pytest.raises(DataError, match=r"- z" if "z" in wrong else "same order"):
                    call(table)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_nothing_is_copied(dtype: Any, index: Any, tmp_path: Path) -> None:
    """Neither a C-ordered array, writeable or not, nor a CSR matrix in order."""
    X = TABLE.astype(dtype)
    for array in (X, X[5:20], np.broadcast_to(TABLE, TABLE.shape), on_disk(TABLE, tmp_path)):
        checked = validation.points(array)
        assert np.shares_memory(checked, array)
        assert np.shares_memory(validation.rows(checked, 1.0)[0], array)
    matrix = csr(X, index=index)
    checked = validation.points(matrix)
    for part in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(checked, part), getattr(matrix, part))
        assert np.shares_memory(getattr(validation.rows(checked, 1.0), part), getattr(matrix, part))


PEAK = """
import resource, sys
import numpy as np
from rosenblatt import Perceptron
from rosenblatt.data.compiled.jit import compiled_at_once
def peak():
    if sys.platform == "linux":  # where ru_maxrss starts at what the parent process had
        return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def fit(X):
    assert (Perceptron().fit(X, np.arange(len(X)) % 2).predict(X) == np.arange(len(X)) % 2).all()
X = np.ones((10, 200))
X[::2] = -1
with compiled_at_once():
    fit(X)
started = peak()
X = np.ones((125_000, 200))
X[::2] = -1
made = peak()
fit(X)
print(X.nbytes, made - started, peak() - made)
"""


def test_fit_and_predict_need_less_than_a_tenth_of_the_array() -> None:
    out = subprocess.run([sys.executable, "-c", PEAK], check=True, capture_output=True, text=True).stdout
    size, for_the_array, for_the_fit = map(int, out.split())
    assert 0.9 < for_the_array / size < 1.05  # the high-water mark hides no copy that was made earlier
    assert for_the_fit < 0.1 * size


X6 = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 2], [-1, -2, 0], [0, -1, -3], [-2, 0, -1]])  # separable by the sum
Y6 = np.array([1, 1, 1, 0, 0, 0])


def spoiled(value: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """The table with this cell in row 2, column 1."""
    X: NDArray[Any] = X6.astype(dtype)
    X[2, 1] = value
    return X


def frame(value: Any) -> Any:
    return pd.DataFrame({"a": [1.0] * 6, "b": [1.0, 2.0, value, 3.0, 4.0, 5.0]})


def broken(indices: list[int], indptr: list[int]) -> Any:
    """A CSR matrix of two rows and three columns with these arrays, past scipy's own checks."""
    made = sparse.csr_array((2, 3))
    made.data = np.ones(len(indices))
    made.indices, made.indptr = np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32)
    return made


HERE, NAMED_HERE = "row 2, column 1 is ", "row 2, column 'b' is "
imaginary = sparse.csr_array((np.array([1j]), np.array([1]), np.array([0, 0, 0, 1, 1, 1, 1])), shape=(6, 3))
BAD_POINTS: dict[str, tuple[Any, str]] = {
    "nan": (spoiled(math.nan), HERE + "nan"),
    "inf": (spoiled(math.inf), HERE + "inf"),
    "-inf": (spoiled(-math.inf), HERE + "-inf"),
    "nan in csr": (sparse.csr_array(spoiled(math.nan)), HERE + "nan"),
    "inf in csc": (sparse.csc_array(spoiled(math.inf)), HERE + "inf"),
    "nan in unsorted csr": (every_cell_stored(spoiled(math.nan), slice(None, None, -1)), HERE + "nan"),
    "None": (spoiled(None, object), HERE),
    "nan in pandas": (frame(math.nan), NAMED_HERE + "nan"),
    "missing Int64": (frame(None).astype("Int64"), NAMED_HERE),
    "null in polars": (pl.DataFrame({"a": [1] * 6, "b": [1, 2, None, 3, 4, 5]}), NAMED_HERE),
    "null in Arrow": (pa.table({"a": [1] * 6, "b": [1, 2, None, 3, 4, 5]}), NAMED_HERE),
    "text": (spoiled("red", object), HERE + "'red'"),
    "text in pandas": (frame("red"), NAMED_HERE + "'red'"),
    "text in polars": (pl.DataFrame({"a": [1] * 3, "b": ["1", "2", "red"]}), "row 0, column 'b' is '1', a text"),
    "text in Arrow": (pa.table({"a": [1] * 3, "b": ["1", "2", "red"]}), "row 0, column 'b' is '1', a text"),
    "dict": (spoiled({"a": 1}, object), HERE + "{'a': 1}"),
    "dict in lists": (spoiled({"a": 1}, object).tolist(), HERE + "{'a': 1}"),
    "list in a cell": ([[1, 2], [3, 4], [5, [6, 7]]], HERE + "[6, 7]"),
    "too large": (spoiled(10**400, object), HERE + "1000"),
    "complex": (X6.astype(complex), "Complex data not supported"),
    "complex in lists": (spoiled(1j, object).tolist(), HERE + "1j"),
    "complex in pandas": (frame(1j), "column 'b' is "),
    "complex in csr": (imaginary, HERE),
    "ragged": ([[1, 2, 3], [4, 5, 6], [7]], "row 0 has 3 numbers, row 2 has 1"),
    "one dimension": (X6[:, 0], "1D array"),
    "three dimensions": (X6.reshape(6, 3, 1), "dim 3"),
    "nothing": (None, "X must be a table of numbers, n rows of d; it is None."),
    "no rows": (X6[:0], "0 sample(s) (shape=(0, 3))"),
    "no columns": (X6[:, :0], "0 feature(s) (shape=(6, 0))"),
    "csr column beyond": (
        broken([0, 1, 3], [0, 2, 3]),
        "its columns are 0 to 2, but the column numbers in it reach from 0 to 3",
    ),
    "csr indptr falls": (broken([0, 1, 2], [0, 3, 2]), "never fall"),
    "csr indptr too short": (broken([0, 1, 2], [0, 3]), "indptr"),
    "csr indptr starts late": (broken([0, 1, 2], [1, 2, 3]), "start at 0"),
}
BAD_LABELS: dict[str, tuple[Any, str]] = {
    "too few": ([0, 1], "X has 6 rows but y has 2 labels"),
    "nothing": (None, "y is None"),
    "nan": ([0, 1, math.nan, 1, 0, 1], "y[2] is "),
    "nan among objects": (np.array([0, 1, math.nan, 1, 0, 1], dtype=object), "y[2] is "),
    "None among text": (np.array(["a", "b", None, "a", "b", "a"], dtype=object), "class"),
    "numbers and text": (np.array([0, 1, "a", 1, 0, 1], dtype=object), "class"),
    "bytes": (np.array([b"a", b"b"] * 3), "class"),
    "two columns": (np.column_stack([Y6, Y6]), "shape (6, 2)"),
    "continuous": ([0.5, 0.25, 0.125, 0.75, 0.3, 0.1], "class"),
}
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "fit": lambda model, X, y: model.fit(X, y),
    "warm fit": lambda model, X, y: model.set_params(warm_start=True).fit(X, y),
    "partial_fit": lambda model, X, y: model.partial_fit(X, y, classes=[0, 1]),
    "predict": lambda model, X, _: model.predict(X),
}
LEARNERS = [Perceptron(average="averaged"), PassiveAggressive()]


def facts(value: Any) -> Any:
    """All that a model holds, in a form that can be compared to the last bit."""
    if isinstance(value, BaseEstimator | Learner):
        return type(value), {name: facts(each) for name, each in vars(value).items() if name != "warm_start"}
    numeric = isinstance(value, np.ndarray) and value.dtype != object
    return (value.dtype.str, value.shape, value.tobytes()) if numeric else value


def refuse(model: Any, call: Callable[[Any], Any], where: str, error: type[Exception] = DataError) -> None:
    """The call must fail with this text and leave the model, fitted or not, as it was."""
    before = copy.deepcopy(facts(model))
    with pytest.raises(error, match=re.escape(where)):
        call(model)
    assert facts(model) == before


def fitted(model: Any) -> Any:
    return clone(model).fit(X6, Y6)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("bad", BAD_POINTS)
def test_bad_points_are_refused_with_their_place(bad: str, call: str, model: Any) -> None:
    X, where = BAD_POINTS[bad]
    for m in [fitted(model)] if call == "predict" else [fitted(model), clone(model)]:
        refuse(m, lambda m: CALLS[call](m, X, Y6), where, NotANumberError if bad.startswith("dict") else DataError)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("call", ["fit", "warm fit", "partial_fit"])
@pytest.mark.parametrize("bad", BAD_LABELS)
def test_bad_labels_are_refused(bad: str, call: str, model: Any) -> None:
    y, why = BAD_LABELS[bad]
    refuse(fitted(model), lambda m: CALLS[call](m, X6, y), why)
    refuse(clone(model), lambda m: CALLS[call](m, X6, y), why)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda m: m.fit(X6, [1] * 6), "2 classes"),
        (lambda m: m.predict(X6[:, :2]), "2 features, but"),
        (lambda m: m.partial_fit(X6[:, :2], Y6), "2 features, but"),
        (lambda m: m.set_params(warm_start=True).fit(sparse.csr_array(X6[:, :2]), Y6), "2 features, but"),
        (lambda m: m.set_params(warm_start=True).fit(X6, Y6 + 1), "y[0] is "),
        (lambda m: m.partial_fit(X6, [0, 1, 7, 0, 1, 0]), "y[2] is "),
        (lambda m: m.partial_fit(X6, Y6, classes=[0, 1, 2]), "differs from the known classes"),
        (lambda m: m.learn_one(X6[0], 1, classes=[0, 1, 2]), "differs from the known classes"),
        (lambda m: m.learn_one(X6[0], 7), "7 is not one of the known classes"),
        (lambda m: m.learn_one(X6[0], [0, 1]), "[0, 1] is not one of the known classes"),
        (lambda m: m.learn_one([1, 2, 3, 4], 1), "3 numbers"),
        (lambda m: m.learn_one(X6[:1], 1), "shape is (1, 3)"),
        (lambda m: m.learn_one([1, math.nan, 3], 1), "column 1 is nan"),
        (lambda m: m.learn_one([1, "red", 3], 1), "red"),
        (lambda m: m.predict_one([1, 2]), "3 numbers"),
    ],
)
def test_what_does_not_fit_to_the_training_is_refused(call: Callable[[Any], Any], why: str, model: Any) -> None:
    refuse(fitted(model), call, why)


@pytest.mark.parametrize("classes", [None, [0], [], 5, [0, math.nan], [0.5, 1.5], np.array([None, "a"])], ids=repr)
def test_the_first_rows_of_a_stream_need_all_classes(classes: Any) -> None:
    refuse(Perceptron(), lambda m: m.partial_fit(X6, Y6, classes), "classes")
    refuse(Perceptron(), lambda m: m.learn_one(X6[0], 1, classes), "classes")
    refuse(Perceptron(), lambda m: m.learn_one(X6[0], 7, classes=[0, 1]), "7")


WILD = """
import numpy as np
from scipy import sparse
from rosenblatt import DataError, Perceptron
for indptr in ([0, -2, 3], [0, 2**30, 3], [0, 2, -1], [-1, 2, 3]):
    X = sparse.csr_array((2, 3))
    X.data, X.indices, X.indptr = np.ones(3), np.arange(3, dtype=np.int32), np.array(indptr, dtype=np.int32)
    try:
        Perceptron().fit(X, [0, 1])
    except DataError as error:
        print(indptr, error)
"""


def test_wild_pointers_of_a_csr_matrix_are_refused_and_not_followed() -> None:
    done = subprocess.run([sys.executable, "-c", WILD], check=False, capture_output=True, text=True)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4), done


def test_what_a_csr_matrix_stores_beyond_its_last_row_does_not_count() -> None:
    """scipy lets the arrays be longer than indptr says is in use."""
    X = sparse.csr_array(X6)
    X.data, X.indices = np.append(X.data, math.nan), np.append(X.indices, np.int32(0))
    assert_same(Perceptron().fit(X, Y6).coef_, Perceptron().fit(X6, Y6).coef_, exact=True)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["f2", "f4", "f8"]), st.data())
def test_the_first_bad_cell_is_found_wherever_it_is(n: int, d: int, dtype: str, choice: st.DataObject) -> None:
    row, column = choice.draw(st.integers(0, n - 1)), choice.draw(st.integers(0, d - 1))
    X = np.ones((n, d), dtype=dtype)
    X[row, column] = choice.draw(st.sampled_from([math.nan, math.inf, -math.inf]))
    X[row + 1 :] = math.nan
    for made in (X, np.asfortranarray(X), sparse.csr_array(X.astype("f4")), pd.DataFrame(X)):
        with pytest.raises(DataError, match=f"row {row}, column {column} is {X[row, column]}"):
            validation.points(made)


LABELS: dict[str, Any] = {
    "1, 2": Y6 + 1,
    "-1, 1": 2 * Y6 - 1,
    "booleans": Y6 == 1,
    "text": np.array(["ham", "spam"])[Y6],
    "objects": np.array(["ham", "spam"], dtype=object)[Y6],
    "floats in pandas": pd.Series(Y6, index=range(10, 16), dtype=float),
    "pandas text": pd.Series(["b" if label else "a" for label in Y6]),
    "pandas categories": pd.Series(["b" if label else "a" for label in Y6], dtype="category"),
    "Arrow": pa.array(Y6),
}


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_they_were_and_their_names_do_not_matter(kind: str, model: Any) -> None:
    """Renamed in the same order, the same weights; the other way round, their negatives."""
    named, renamed, other = np.asarray(LABELS[kind]), fitted(model), clone(model).fit(X6, LABELS[kind])
    assert_same(other.coef_, renamed.coef_, exact=True)
    assert other.predict(X6).tolist() == named.tolist()
    assert other.predict(X6).dtype == named.dtype
    assert type(other.predict_one(X6[0])) is type(named.tolist()[0])  # a label of Python, not of NumPy
    streamed = clone(model).learn_one(X6[0], named[0], classes=np.unique(named))
    assert_same(streamed.coef_, clone(model).learn_one(X6[0], 1, classes=[0, 1]).coef_, exact=True)
    assert np.array_equal(clone(model).fit(X6, 1 - Y6).coef_, -renamed.coef_)


def test_a_column_of_labels_is_taken_with_the_warning_of_scikit_learn() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = Perceptron().fit(X6, Y6.reshape(-1, 1))
    assert_same(model.coef_, Perceptron().fit(X6, Y6).coef_, exact=True)
