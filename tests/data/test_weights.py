"""Weights: k copies of a row equal a weight of k, wherever they stand and however they are stored."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from rosenblatt import DataError, KernelPerceptron, ParameterError
from rosenblatt.data.weights import class_weights, distinct_rows, row_weights

LETTERS = np.array(["a", "b", "c"])
DRAWN = ["cyclic", "shuffled", "random"]
overlap = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")


# ---------------------------------------------------------------------------------------------------------------------
# Of classes


def test_classes_weigh_one_unless_told() -> None:
    assert class_weights(None, LETTERS, None).tolist() == [1.0, 1.0, 1.0]
    assert class_weights({}, LETTERS, None).tolist() == [1.0, 1.0, 1.0]
    assert class_weights({"c": 3, "a": 0.5}, LETTERS, None).tolist() == [0.5, 1.0, 3.0]
    assert class_weights({True: 2}, np.array([False, True]), None).tolist() == [1.0, 2.0]
    assert class_weights({1: 2}, np.array([0.0, 1.0]), None).tolist() == [1.0, 2.0]


def test_balanced_classes_weigh_the_same_in_all() -> None:
    """n / (k n_c), n_c counted in weights: 6/(3 1), 6/(3 2), 6/(3 3); and 8/(3 4), 8/(3 2), 8/(3 2)."""
    codes = np.array([2, 1, 2, 0, 2, 1])
    assert class_weights("balanced", LETTERS, codes) == pytest.approx([2, 1, 2 / 3])
    weights = np.array([0.5, 2, 1, 4, 0.5, 0])
    assert class_weights("balanced", LETTERS, codes, weights) == pytest.approx([2 / 3, 4 / 3, 4 / 3])


def test_a_class_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(
        ParameterError, match=r"class_weight names 'd', which is not one of the classes \['a', 'b', 'c'"
    ):
        class_weights({"a": 1.0, "d": 2.0}, LETTERS, None)
    with pytest.raises(ParameterError, match=r"names '1', which is not one of the classes \[0, 1\]"):
        class_weights({"1": 2.0}, np.array([0, 1]), None)


# ---------------------------------------------------------------------------------------------------------------------
# Of rows

CODES = np.array([0, 1, 2, 1])


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (None, [1, 1, 1, 1]),
        (2, [2, 2, 2, 2]),
        ([1, 0, 2.5, 3], [1, 0, 2.5, 3]),
        (np.array([1, 2, 3, 4], dtype=np.int8), [1, 2, 3, 4]),
        ([True, True, True, False], [1, 1, 1, 0]),
    ],
)
def test_row_weights_are_floats_one_a_row(given_: Any, expected: list[float]) -> None:
    weights = row_weights(given_, CODES, LETTERS)
    assert weights.dtype == np.float64
    assert weights.tolist() == expected


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ([1, 2, 3], r"one number for each of the 4 rows; its shape is \(3,\)"),
        ([[1], [1], [1], [1]], r"its shape is \(4, 1\)"),
        ([1, 1, -1, 1], r"at least 0; sample_weight\[2\] is -1.0"),
        ([1, np.nan, -1, 1], r"at least 0; sample_weight\[1\] is nan"),
        ([1, 1, 1, np.inf], r"at least 0; sample_weight\[3\] is inf"),
        (["1", "x", "1", "1"], "sample_weight must hold a number for each row; its type is <U1"),
        ([1, 1j, 1, 1], "sample_weight must hold a number for each row; its type is complex128"),
        (np.ma.masked_equal([1, 2, 1, 1], 2), "sample_weight must hold a number for each row; some are masked"),
        ([1, None, [], 1], "sample_weight must hold a number for each row"),
        ([1, 0, 1, 0], "sample_weight is zero for every row of class 'b'; leave those rows out, or give one a weight"),
        (0, "sample_weight is zero for every row of class 'a'"),
    ],
)
def test_row_weights_that_cannot_be_are_refused(given_: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        row_weights(given_, CODES, LETTERS)


# ---------------------------------------------------------------------------------------------------------------------
# Rows that differ


def with_zeros(X: np.ndarray) -> Any:
    """A CSR matrix that stores every zero, some with a sign."""
    n, d = X.shape
    cells = np.where(X == 0, np.where(np.arange(n * d).reshape(n, d) % 2, -0.0, 0.0), X).ravel()
    return scipy.sparse.csr_array((cells, np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), shape=X.shape)


STORED: dict[str, Callable[[np.ndarray], Any]] = {
    "dense": np.array,
    "negative zeros": lambda X: np.where(X == 0, -0.0, X),
    "sparse": scipy.sparse.csr_array,
    "old sparse": scipy.sparse.csr_matrix,
    "sparse with zeros": with_zeros,
}


class Labelled(NamedTuple):
    """Rows of whole numbers with many zeros and copies, labels, and weights that binary fractions hold."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    def content(self, i: int) -> tuple[float, ...]:
        return (*(self.X[i] + 0.0).tolist(), float(self.y[i]))


@st.composite
def labelled(draw: st.DrawFn) -> Labelled:
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    cells = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, -1.0]), min_size=n * d, max_size=n * d))
    codes = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n).filter(any))
    return Labelled(np.array(cells).reshape(n, d), np.array(codes), np.array(weights))


@pytest.mark.parametrize("storage", STORED)
@given(rows=labelled())
def test_copies_are_merged_into_their_first_and_nothing_else_is(storage: str, rows: Labelled) -> None:
    totals: dict[tuple[float, ...], float] = {}
    first: dict[tuple[float, ...], int] = {}
    for i, weight in enumerate(rows.weights.tolist()):
        if weight > 0:
            first.setdefault(rows.content(i), i)
            totals[rows.content(i)] = totals.get(rows.content(i), 0.0) + weight
    numbers, weights = distinct_rows(STORED[storage](rows.X), rows.y, rows.weights, as_given=True)
    assert numbers.tolist() == list(first.values())
    assert weights.tolist() == list(totals.values())


@pytest.mark.parametrize("storage", STORED)
@given(rows=labelled(), seed=st.integers(0, 99))
def test_their_order_depends_on_nothing_but_what_they_hold(storage: str, rows: Labelled, seed: int) -> None:
    def listed(rows: Labelled, X: Any) -> list[tuple[tuple[float, ...], float]]:
        numbers, weights = distinct_rows(X, rows.y, rows.weights, as_given=False)
        return [(rows.content(i), weight) for i, weight in zip(numbers.tolist(), weights.tolist(), strict=True)]

    shuffle = np.random.default_rng(seed).permutation(len(rows.y))
    moved = Labelled(rows.X[shuffle], rows.y[shuffle], rows.weights[shuffle])
    assert listed(moved, STORED[storage](moved.X)) == listed(rows, rows.X)


def test_rows_of_another_label_or_in_another_column_differ() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    numbers, weights = distinct_rows(X, np.array([0, 0, 1, 0]), np.ones(4), as_given=True)
    assert numbers.tolist() == [0, 1, 2]
    assert weights.tolist() == [2.0, 1.0, 1.0]


def test_the_table_given_is_not_changed() -> None:
    X = with_zeros(np.array([[0.0, 1.0], [2.0, 0.0]]))
    cells = X.data.copy()
    distinct_rows(X, np.array([0, 1]), np.ones(2), as_given=False)
    assert X.data.tobytes() == cells.tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# A weight of k is k copies


@st.composite
def counted(draw: st.DrawFn) -> tuple[Labelled, np.ndarray]:
    """Rows that differ, each with a count; and the numbers of the rows of a table with so many copies of each.

    In it the first copies stand in the order of the rows, and the others anywhere behind.
    """
    cell = st.integers(-3, 3).map(float)
    X = draw(st.lists(st.tuples(cell, cell), min_size=3, max_size=7, unique=True))
    k = draw(st.integers(2, 3))
    y = draw(st.permutations([i % k for i in range(len(X))]))
    counts = draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    counts = [max(count, int(y.index(label) == i)) for i, (count, label) in enumerate(zip(counts, y, strict=True))]
    copies = [i for i, count in enumerate(counts) if count]
    for i, count in enumerate(counts):
        for _ in range(count - 1):
            copies.insert(draw(st.integers(copies.index(i) + 1, len(copies))), i)
    return Labelled(np.array(X), np.array(y), np.array(counts, dtype=float)), np.array(copies)


def points(model: KernelPerceptron) -> list[list[float]]:
    """The support points with their weights, in an order of their own."""
    return sorted(np.c_[model.support_vectors_, model.dual_coef_.T].tolist())


EXACT: dict[str, dict[str, Any]] = {"linear": {}, "poly": {"gamma": 1, "degree": 2}}


@overlap
@pytest.mark.parametrize("average", [None, "averaged"])
@pytest.mark.parametrize("kernel", EXACT)
@pytest.mark.parametrize("order", DRAWN)
@given(case=counted(), tie=st.sampled_from(["mistake", "positive"]), shuffle=st.integers(0, 99))
def test_a_weight_of_k_is_k_copies_anywhere(
    order: Any, kernel: Any, average: Any, case: tuple[Labelled, np.ndarray], tie: Any, shuffle: int
) -> None:
    """To the last bit in whole numbers; a weight of 0 is a row that is not there."""
    rows, copies = case
    if order != "cyclic":
        copies = np.random.default_rng(shuffle).permutation(copies)
    model = KernelPerceptron(kernel=kernel, order=order, average=average, tie=tie, max_epochs=6, **EXACT[kernel])
    model.fit(rows.X[copies], rows.y[copies])
    many, mistakes = points(model), model.mistakes_per_epoch_.tolist()
    scores, labels = model.decision_function(rows.X), model.predict(rows.X)
    model.fit(rows.X, rows.y, sample_weight=rows.weights)
    assert points(model) == many
    assert model.mistakes_per_epoch_.tolist() == mistakes
    if average is None:
        assert model.decision_function(rows.X).tolist() == scores.tolist()
        assert model.predict(rows.X).tolist() == labels.tolist()
    else:  # means are no whole numbers, and are added up in the order of the rows
        assert model.decision_function(rows.X) == pytest.approx(scores, rel=1e-12, abs=1e-12)


@overlap
@pytest.mark.parametrize("order", DRAWN)
@given(case=counted())
def test_rows_of_weight_zero_are_not_there_in_a_precomputed_table(
    order: Any, case: tuple[Labelled, np.ndarray]
) -> None:
    rows, _ = case
    there = np.flatnonzero(rows.weights)
    K, model = rows.X @ rows.X.T, KernelPerceptron(kernel="precomputed", order=order, max_epochs=6)
    model.fit(K[np.ix_(there, there)], rows.y[there], rows.weights[there])
    support, coef, scores = there[model.support_], model.dual_coef_, model.decision_function(K[:, there])
    model.fit(K, rows.y, rows.weights)
    assert model.support_.tolist() == support.tolist()
    assert model.dual_coef_.tolist() == coef.tolist()
    assert model.decision_function(K).tolist() == scores.tolist()


@overlap
@pytest.mark.parametrize("order", DRAWN)
@given(case=counted(), weights=st.lists(st.sampled_from([0.5, 2.0, 3.0]), min_size=3, max_size=3))
def test_class_weights_multiply_row_weights(
    order: Any, case: tuple[Labelled, np.ndarray], weights: list[float]
) -> None:
    rows, _ = case
    named = {label: weights[label] for label in set(rows.y.tolist())}
    model = KernelPerceptron(kernel="linear", order=order, class_weight=named, max_epochs=6)
    expected = points(model.fit(rows.X, rows.y, rows.weights))
    multiplied = rows.weights * np.array(weights)[rows.y]
    assert points(model.set_params(class_weight=None).fit(rows.X, rows.y, multiplied)) == expected


@overlap
@given(case=counted())
def test_balanced_classes_are_those_of_scikit_learn(case: tuple[Labelled, np.ndarray]) -> None:
    """n / (k n_c) for the table with all copies, by hand."""
    rows, copies = case
    y = rows.y[copies]
    named = {label: len(y) / (len(set(y.tolist())) * (y == label).sum()) for label in set(y.tolist())}
    model = KernelPerceptron(kernel="linear", class_weight="balanced", max_epochs=6)
    balanced = points(model.fit(rows.X, rows.y, rows.weights))
    assert balanced == points(model.set_params(class_weight=named).fit(rows.X, rows.y, rows.weights))


@overlap
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@given(case=counted())
def test_gamma_is_scaled_as_for_svc_with_all_copies(
    storage: Callable[..., Any], case: tuple[Labelled, np.ndarray]
) -> None:
    """Class weights do not count in it, as they do not for SVC."""
    rows, copies = case
    expected = SVC(gamma="scale").fit(rows.X[copies], rows.y[copies])._gamma
    model = KernelPerceptron(class_weight={int(rows.y[copies][0]): 5.0}, max_epochs=1)
    model.fit(storage(rows.X), rows.y, rows.weights)
    assert model._kernel.gamma == pytest.approx(expected, rel=1e-9)
    assert model.fit(storage(rows.X[copies]), rows.y[copies])._kernel.gamma == pytest.approx(expected, rel=1e-9)


@overlap
@pytest.mark.parametrize("offset", [1e7, 1e8, 1e9])
def test_gamma_is_scaled_as_for_svc_far_from_the_origin(offset: float) -> None:
    """The variance of 0, 1, 2, 3 is 5/4 wherever they are moved, so gamma is 4/5."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]) + offset, [0, 0, 1, 1]
    assert SVC(gamma="scale").fit(X, y)._gamma == pytest.approx(0.8)
    assert KernelPerceptron().fit(X, y)._kernel.gamma == pytest.approx(0.8)
