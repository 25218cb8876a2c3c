"""The kernel perceptron: curved boundaries, the perceptron in the space of a kernel, accepted and refused kernels."""

import copy
import itertools
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import (
    BudgetWarning,
    DataError,
    KernelPerceptron,
    ParameterError,
    Perceptron,
    StopReason,
    mistake_bound,
    separability,
)
from tests.classifiers.test_perceptron import TIES, XOR, Planted, planted

overlap = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
CIRCLES = make_circles(200, noise=0.05, factor=0.3, random_state=0)
ORDERS = ["shuffled", "cyclic", "random"]


def spirals(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two arms of n rows each and one and a half turns; one arm is the other, rotated by half a turn."""
    angle = np.linspace(0.5, 3.0, n) * np.pi
    arm = angle[:, np.newaxis] * np.c_[np.cos(angle), np.sin(angle)]
    return np.r_[arm, -arm], np.repeat(["in", "out"], n)


# ---------------------------------------------------------------------------------------------------------------------
# What no hyperplane separates


PROBLEMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "XOR by rbf": (XOR, {}),
    "XOR by a parabola": (XOR, {"kernel": "poly", "degree": 2}),
    "circles by rbf": (CIRCLES, {}),
    "circles by a conic": (CIRCLES, {"kernel": "poly", "degree": 2}),
    "spirals by rbf": (spirals(100), {"gamma": 1.0}),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_bent_boundary_is_found_where_no_straight_one_is(problem: str, order: Any) -> None:
    (X, y), options = PROBLEMS[problem]
    assert separability(X, y).kind == "overlap"
    model = KernelPerceptron(order=order, max_epochs=1000, **options).fit(X, y)
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert model.predict(X).tolist() == y.tolist()
    with pytest.warns(BudgetWarning):
        Perceptron(order=order).fit(X, y)


@pytest.mark.parametrize(("X", "y"), [XOR, CIRCLES], ids=["XOR", "circles"])
def test_a_polynomial_lift_before_a_perceptron_finds_it_too(X: np.ndarray, y: np.ndarray) -> None:
    model = make_pipeline(PolynomialFeatures(2), Perceptron(max_epochs=10**4)).fit(X, y)
    assert model[-1].stop_reason_ is StopReason.MISTAKE_FREE
    assert model.predict(X).tolist() == y.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# It is the perceptron, in the space of the kernel


def without_copies(case: Planted) -> Planted:
    """Return each row once: this perceptron presents copies in succession."""
    _, first = np.unique(np.c_[case.X, case.y], axis=0, return_index=True)
    return Planted(case.X[np.sort(first)], case.y[np.sort(first)], case.bound)


def is_the_same(model: KernelPerceptron, straight: Perceptron, lifted: np.ndarray) -> None:
    """Compare mistakes, and weights to the last bit in whole numbers; `lifted` are the rows of the perceptron."""
    assert model.mistakes_per_epoch_.tolist() == straight.mistakes_per_epoch_.tolist()
    assert model.n_updates_ == straight.n_updates_
    assert model.n_iter_ == straight.n_iter_
    assert model.stop_reason_ is straight.stop_reason_
    weights = model.dual_coef_ @ lifted[model.support_], model.dual_coef_.sum(axis=1) * model.bias**2
    if model.average is None:
        assert weights[0].tolist() == straight.coef_.tolist()
        assert weights[1].tolist() == straight.intercept_.tolist()
    else:
        assert weights[0] == pytest.approx(straight.coef_, rel=1e-9, abs=1e-9)
        assert weights[1] == pytest.approx(straight.intercept_, rel=1e-9, abs=1e-9)


@overlap
@pytest.mark.parametrize("average", [None, "averaged"])
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_the_linear_kernel_is_the_perceptron(classes: int, average: str | None, data: st.DataObject) -> None:
    X, y, _ = without_copies(data.draw(planted(classes=classes)))
    choices: dict[str, list[Any]] = {"tie": TIES, "margin": [0.0, 1.0, 40.0], "bias": [0.0, 1.0, 2.0]}
    options: dict[str, Any] = {name: data.draw(st.sampled_from(values)) for name, values in choices.items()}
    options["average"] = average
    straight = Perceptron(order="cyclic", max_epochs=20, **options).fit(X, y)
    model = KernelPerceptron(kernel="linear", order="cyclic", max_epochs=20, **options).fit(X, y)
    is_the_same(model, straight, X)
    if average is None:
        assert np.asarray(model.support_vectors_).tolist() == X[model.support_].tolist()
        assert model.decision_function(X).tolist() == straight.decision_function(X).tolist()
        assert model.predict(X).tolist() == straight.predict(X).tolist()


@overlap
@pytest.mark.parametrize("order", ["shuffled", "random"])
@given(data=st.data(), seed=st.integers(0, 99))
def test_a_table_of_products_is_the_perceptron_in_any_order(order: Any, data: st.DataObject, seed: int) -> None:
    """Rows of a table are presented as they stand, with copies, so the random draws are the perceptron's."""
    X, y, _ = data.draw(planted(classes=data.draw(st.integers(2, 3))))
    straight = Perceptron(order=order, random_state=seed, max_epochs=20).fit(X, y)
    model = KernelPerceptron(kernel="precomputed", order=order, random_state=seed, max_epochs=20).fit(X @ X.T, y)
    is_the_same(model, straight, X)


def squared(X: np.ndarray) -> np.ndarray:
    """The monomials up to degree 2."""
    pairs = [X[:, i] * X[:, j] for i, j in itertools.combinations(range(X.shape[1]), 2)]
    return np.asarray(np.c_[np.ones(len(X)), X, X**2, *pairs])


@overlap
@given(planted(), st.randoms(use_true_random=False))
def test_the_square_of_products_is_the_perceptron_of_monomials(data: Planted, random: Any) -> None:
    """(x.z + 1)^2 = phi(x).phi(z), phi the monomials times the root of 1, 2, ..., 2, 1, ..., 1, 2, ..., 2."""
    X, _, _ = without_copies(data)
    y = np.array([random.randint(0, 1) for _ in X])
    assume(len(set(y.tolist())) == 2)
    options: dict[str, Any] = {"bias": 0, "order": "cyclic", "max_epochs": 20}
    model = KernelPerceptron(kernel="poly", degree=2, gamma=1, **options).fit(X, y)
    d = X.shape[1]
    factors = [Fraction(v) for v in [1] + [2] * d + [1] * d + [2] * (d * (d - 1) // 2)]
    phi = [[Fraction(v) for v in row] for row in squared(X).tolist()]
    w, mistakes, signs = [Fraction(0)] * len(factors), [1], np.where(y == 1, 1, -1).tolist()
    while mistakes[-1] and len(mistakes) <= 20:  # in the space of monomials, with the factors in the product
        mistakes.append(0)
        for x, sign in zip(phi, signs, strict=True):
            if sign * sum(f * a * b for f, a, b in zip(factors, w, x, strict=True)) <= 0:
                w = [a + sign * b for a, b in zip(w, x, strict=True)]
                mistakes[-1] += 1
    assert model.mistakes_per_epoch_.tolist() == mistakes[1:]
    assert (model.dual_coef_ @ squared(X)[model.support_])[0].tolist() == w


def monomials(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return np.asarray(squared(X) @ squared(Z).T)


@given(
    st.sampled_from(ORDERS),
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=9, unique=True),
)
def test_novikoff_bounds_the_updates_in_the_space_of_the_kernel(order: Any, rows: list[tuple[int, int]]) -> None:
    """Inside or outside of an ellipse: the bound is that of the monomials, in whole numbers and hence exact."""
    X = np.array(rows, dtype=float)
    y = X[:, 0] ** 2 + 2 * X[:, 1] ** 2 + X[:, 0] > 5
    assume(len(set(y.tolist())) == 2)
    model = KernelPerceptron(kernel=monomials, bias=0, order=order, max_epochs=10**6).fit(X, y)
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert model.n_updates_ <= mistake_bound(squared(X), y, bias=0).bounds[1]
    assert model.predict(X).tolist() == y.tolist()


@overlap
@given(planted(), st.sampled_from(TIES))
def test_swapped_labels_negate_the_weights(data: Planted, tie: Any) -> None:
    """In a given order; "shuffled" permutes rows that are sorted by their label first."""
    X, y, _ = data
    other: Any = {"mistake": "mistake", "positive": "negative", "negative": "positive"}[tie]
    model = KernelPerceptron(kernel="poly", gamma=1, tie=tie, order="cyclic", max_epochs=5).fit(X, y)
    swapped = KernelPerceptron(kernel="poly", gamma=1, tie=other, order="cyclic", max_epochs=5).fit(X, 1 - y)
    assert swapped.support_.tolist() == model.support_.tolist()
    assert swapped.dual_coef_.tolist() == (-model.dual_coef_).tolist()


@overlap
@pytest.mark.parametrize("labels", [["ant", "bee", "cow"], [-5, 0, 9], [0.0, 1.0, 2.0]])
@given(planted(classes=3), st.sampled_from(ORDERS))
def test_labels_in_the_same_order_change_nothing_but_names(labels: list[Any], data: Planted, order: Any) -> None:
    """Another order would matter: among classes that share the largest score, the order decides."""
    model = KernelPerceptron(order=order, max_epochs=5).fit(data.X, data.y)
    renamed = clone(model).fit(data.X, np.array(labels)[data.y])
    assert renamed.classes_.tolist() == labels
    assert renamed.dual_coef_.tolist() == model.dual_coef_.tolist()
    assert renamed.predict(data.X).tolist() == [labels[c] for c in model.predict(data.X)]


# ---------------------------------------------------------------------------------------------------------------------
# What it says of itself is true

tenths = st.integers(-9, 9).map(lambda v: v / 10)


@overlap
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@given(
    order=st.sampled_from(ORDERS),
    rows=st.lists(st.tuples(tenths, tenths), min_size=3, max_size=8, unique=True),
    k=st.integers(2, 3),
    far=st.sampled_from([0.0, 1e7]),
)
@example(order="cyclic", rows=[(0.3, 0.7), (0.1, 0.6)], k=2, far=1e7)
def test_mistake_free_means_that_every_row_is_right(
    kernel: Any, order: Any, rows: list[tuple[float, float]], k: int, far: float
) -> None:
    X, y = np.array(rows) + far, np.arange(len(rows)) % k
    model = KernelPerceptron(kernel=kernel, order=order, gamma=1.0, degree=2).fit(X, y)
    if model.stop_reason_ is StopReason.MISTAKE_FREE:
        assert model.predict(X).tolist() == y.tolist()


@overlap
def test_rounding_does_not_make_a_hyperplane_where_there_is_none() -> None:
    """Both rows are on one side of the origin, so no hyperplane through the origin separates them."""
    model = KernelPerceptron(kernel="linear", bias=0, order="cyclic").fit([[0.1], [0.3]], [0, 1])
    assert model.stop_reason_ is StopReason.BUDGET


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_epochs": 1, "order": "cyclic"}, "max_epochs=1 passes, and the last pass still made 2 mistakes"),
        ({"max_epochs": 1, "order": "cyclic", "tie": "negative"}, "the last pass still made 1 mistake[.]"),
        (
            {"max_epochs": 1, "order": "random", "tie": "positive", "random_state": 1},
            "some rows may still be wrong",
        ),
    ],
)
def test_a_used_budget_is_told_with_what_to_do(options: dict[str, Any], words: str) -> None:
    """By hand: both rows are ties, or only the one of class 1; with seed 1, only row 1 is drawn, which is right."""
    with pytest.warns(BudgetWarning, match=words) as caught:
        KernelPerceptron(**options).fit([[0.0], [1.0]], [0, 1])
    assert "Raise max_epochs" in str(caught[0].message)
    assert "average='averaged'" in str(caught[0].message)


# ---------------------------------------------------------------------------------------------------------------------
# However rows are stored, and products given


@overlap
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@given(planted(classes=3), st.sampled_from(ORDERS))
def test_dense_sparse_and_short_floats_learn_alike(kernel: Any, data: Planted, order: Any) -> None:
    model = KernelPerceptron(kernel=kernel, gamma=0.25, order=order, max_epochs=5)
    dense = clone(model).fit(data.X, data.y)
    csr = scipy.sparse.csr_array
    for storage in (csr, scipy.sparse.csc_matrix, lambda X: X.astype(np.float32), lambda X: csr(X.astype(np.int8))):
        other = clone(model).fit(storage(data.X), data.y)
        assert other.support_.tolist() == dense.support_.tolist() == sorted(dense.support_.tolist())
        assert other.dual_coef_.tolist() == dense.dual_coef_.tolist()
        assert np.array_equal(scipy.sparse.csr_array(other.support_vectors_).toarray(), data.X[dense.support_])
        scores = other.decision_function(storage(data.X))
        assert scores == pytest.approx(dense.decision_function(data.X), rel=1e-12, abs=1e-9 if kernel == "rbf" else 0)


@overlap
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array])
@given(planted())
def test_a_precomputed_table_is_the_kernel_it_holds(storage: Callable[..., Any], data: Planted) -> None:
    X, y, _ = without_copies(data)
    K, new = (X @ X.T / 4 + 1) ** 3, X[::-1] + 1.0
    options: dict[str, Any] = {"order": "cyclic", "max_epochs": 20}
    table = KernelPerceptron(kernel="precomputed", **options).fit(storage(K), y)
    model = KernelPerceptron(kernel="poly", gamma=0.25, **options).fit(X, y)
    assert table.support_.tolist() == model.support_.tolist()
    assert table.dual_coef_.tolist() == model.dual_coef_.tolist()
    scores = table.decision_function(storage((new @ X.T / 4 + 1) ** 3))
    assert scores.tolist() == model.decision_function(new).tolist()


def raising(*_: np.ndarray) -> np.ndarray:
    raise ZeroDivisionError("of the user")


@pytest.mark.parametrize(
    ("kernel", "error", "message"),
    [
        (lambda X, Z: Z @ X.T, ParameterError, r"table of 4 x 1 finite numbers .* returned one of shape \(1, 4\)"),
        (lambda *_: None, ParameterError, r"it returned one of shape \(\)"),
        (lambda X, Z: X @ Z.T * np.nan, ParameterError, "finite numbers; some are not"),
        (lambda *_: [["a", "b", "c", "d"]], ParameterError, "must return .* numbers"),
        (lambda X, Z: X @ Z.T * 1j, ParameterError, "must return .* numbers"),
        (raising, ZeroDivisionError, "of the user"),
        ("rbff", ParameterError, "must be one of 'rbf', .* function of two tables of rows, .* did you mean 'rbf'"),
    ],
)
def test_a_kernel_that_is_none_is_refused_and_nothing_is_changed(kernel: Any, error: Any, message: str) -> None:
    model = KernelPerceptron().fit(*XOR)
    model.kernel = kernel
    before = copy.deepcopy(vars(model))
    with pytest.raises(error, match=message):
        model.fit(XOR[0] + 1.0, XOR[1])
    assert repr(vars(model)) == repr(before)
    assert model.predict(XOR[0]).tolist() == XOR[1].tolist()


# ---------------------------------------------------------------------------------------------------------------------
# Edges


def test_two_rows_of_one_feature_by_hand() -> None:
    """s(0) = 0, then s(2) = -K(2, 0) < 0: two mistakes; then s = K(x, 2) - K(x, 0), and e^-4 - 1 < 0 < 1 - e^-4."""
    model = KernelPerceptron(gamma=1, bias=3, order="cyclic").fit([[0], [2]], [False, True])
    assert model.mistakes_per_epoch_.tolist() == [2, 0]
    assert model.dual_coef_.tolist() == [[-1, 1]]
    assert model.decision_function([[0], [1], [2]]) == pytest.approx([np.exp(-4) - 1, 0, 1 - np.exp(-4)], abs=1e-14)


@overlap
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("value", [0.0, 0.1, 7.0])
def test_rows_that_are_all_the_same_are_one_of_each_class(kernel: Any, value: float) -> None:
    model = KernelPerceptron(kernel=kernel, max_epochs=3).fit(np.full((5, 2), value), [0, 1, 0, 1, 1])
    assert model._kernel.gamma == 1.0
    assert set(model.support_.tolist()) <= {0, 1}
    assert len(set(model.predict(np.full((2, 2), value)).tolist())) == 1


M = 1.7e308  # two of them are more than a float can hold
LARGE = np.array([[M, 0, M], [0, M, M], [M, M, M]])  # as products: after rows 0 and 1, row 2 has s = -2 M


@pytest.mark.parametrize("storage", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed"])
@pytest.mark.parametrize("gamma", ["scale", 1.0])
def test_scores_too_large_for_floats_are_refused(kernel: Any, gamma: Any, storage: Callable[..., Any]) -> None:
    model = KernelPerceptron(kernel=kernel, gamma=gamma, order="cyclic").fit(np.eye(3), [0, 0, 1])
    coef = model.dual_coef_
    with pytest.raises(DataError, match="too large for floats"):
        model.fit(storage(LARGE), [0, 0, 1])
    assert model.dual_coef_ is coef


@pytest.mark.parametrize("storage", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("gamma", ["scale", 1.0])
def test_distances_too_large_for_floats_are_refused_or_right(gamma: Any, storage: Callable[..., Any]) -> None:
    """Rows that are so far from each other have a product of 0."""
    model, X = KernelPerceptron(gamma=gamma), storage(LARGE)
    try:
        model.fit(X, [0, 0, 1])
    except DataError as error:
        assert "too large for floats" in str(error)  # noqa: PT017
    else:
        assert model.predict(X).tolist() == [0, 0, 1]


def test_large_products_that_floats_hold_are_taken() -> None:
    """The variance of X is too large for floats, but only "rbf" and "poly" need it."""
    model = KernelPerceptron(kernel="precomputed").fit([[1e200, 0], [0, 1e200]], [0, 1])
    assert model.predict([[1e200, 0], [0, 1e200]]).tolist() == [0, 1]


def test_what_is_asked_before_fit_or_of_other_columns_is_refused() -> None:
    with pytest.raises(NotFittedError):
        KernelPerceptron().predict(XOR[0])
    with pytest.raises(NotFittedError):
        _ = KernelPerceptron().n_iter_
    frame = pandas.DataFrame(XOR[0], columns=["left", "right"])
    model = KernelPerceptron().fit(frame, ["no", "yes", "yes", "no"])
    assert model.feature_names_in_.tolist() == ["left", "right"]
    assert model.predict(frame).tolist() == ["no", "yes", "yes", "no"]
    with pytest.raises(DataError, match="feature names"):
        model.predict(frame[["right", "left"]])
    with pytest.raises(DataError, match="X has 3 features"):
        model.fit(*XOR).predict(np.zeros((1, 3)))


@pytest.mark.parametrize("labels", [["a", "b", "c"], [-1, 0, 7], [False, True, True]])
@pytest.mark.parametrize("kernel", ["rbf", "linear", polynomial_kernel])
def test_copies_answer_alike(kernel: Any, labels: list[Any]) -> None:
    X, y = np.array([[0, 0], [0, 1], [3, 0], [4, 1], [9, 9], [8, 9]]), np.repeat(labels, 2)
    model = KernelPerceptron(kernel=kernel, max_epochs=1000).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.classes_.tolist() == sorted(set(labels))
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):  # noqa: S301
        assert same.decision_function(X).tobytes() == model.decision_function(X).tobytes()
        assert same.support_.tolist() == model.support_.tolist()
