"""Bounds on the mistakes of a perceptron are true and tight, and their certificates verify."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris, make_blobs

from rosenblatt import DataError, Hyperplane, MistakeBound, ParameterError, Perceptron, StopReason, mistake_bound, trace
from tests.support.effort import examples
from tests.support.strategies import separable

ORDERS: list[Any] = ["cyclic", "shuffled", "random", "first", "worst"]
TIES: list[Any] = ["mistake", "positive", "negative"]
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
Rows = list[list[int]]
Floats = NDArray[np.float64]


def signed(X: Any, y: Any, bias: float) -> Floats:
    """y_i [x_i, bias], the positive class 1."""
    signs = np.where(np.array(y) == 1, 1.0, -1.0)
    return np.asarray(np.column_stack([np.array(X, dtype=float), np.full(len(y), bias)]) * signs[:, np.newaxis])


def long_rows(X: Any, y: Any, bias: float) -> Floats:
    """Kessler: the row in the place of its own class and its negative in that of another, for each other class."""
    rows, k = np.column_stack([np.array(X, dtype=float), np.full(len(y), bias)]), max(y) + 1
    found = [
        np.kron(np.eye(k)[own] - np.eye(k)[o], x) for x, own in zip(rows, y, strict=True) for o in range(k) if o != own
    ]
    return np.array(found)


def distance_from_origin(Z: Floats) -> float:
    """The largest margin: the distance of the convex hull from 0, by non-negative least squares.

    min |sum u_i z_i|^2 + (1 - sum u_i)^2 over u >= 0 is v = m^2/(1 + m^2), m being the distance.
    """
    _, residual = scipy.optimize.nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0))
    return math.sqrt(residual**2 / (1 - residual**2))


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Rows, list[int]]:
    """Random labels, usually not separable."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(st.integers(-5, 5), min_size=d, max_size=d), min_size=n, max_size=n))
    return X, draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))


def holds(bound: MistakeBound, model: Perceptron, X: Any, y: Any) -> None:
    model.set_params(max_epochs=math.floor(bound.bounds[1]) + 1)
    model.fit(X, y)
    assert 0 < model.n_updates_ <= bound.bounds[1]
    assert model.stop_reason_ is StopReason.MISTAKE_FREE or model.order == "random"  # which may draw the right rows


# ---------------------------------------------------------------------------------------------------------------------
# Radius, margin and bound


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), min_size=2, max_size=6),
    st.sampled_from([0.0, 1.0, 0.1]),
    st.sampled_from([1.0, 1e100]),
)
def test_no_row_is_longer_than_the_radius(X: list[list[float]], bias: float, unit: float) -> None:
    table = np.array(X) * unit
    found = mistake_bound(table, np.arange(len(X)) % 2, bias=bias, hyperplane=Hyperplane([1, 0]))
    longest = max(sum(Fraction(cell) ** 2 for cell in [*row, bias]) for row in table.tolist())
    assert Fraction(math.nextafter(found.radius, 0)) ** 2 <= longest <= Fraction(found.radius) ** 2


def test_no_row_is_longer_than_the_radius_in_integers_beyond_floats() -> None:
    X = [[2**60 + 1, 3], [-(2**60) - 3, 5]]
    found = mistake_bound(X, [0, 1])
    assert Fraction(found.radius) ** 2 >= max(a * a + b * b + 1 for a, b in X)
    assert found.certificate.verify(X, [0, 1])


@given(separable(biases=(0.0, 1.0, -0.5, 3.0), labels=(0, 1)))
def test_margin_and_bound_are_enclosed(data: tuple[Rows, list[int], float]) -> None:
    X, y, bias = data
    Z = signed(X, y, bias)
    gamma, R = distance_from_origin(Z), float(np.linalg.norm(Z, axis=1).max())
    found = mistake_bound(X, y, bias=bias)
    low, high = found.margin_bounds
    assert found.theorem == "Novikoff"
    assert low <= gamma * (1 + 1e-7)
    assert high >= gamma * (1 - 1e-7)
    assert 0 < low <= high <= low * (1 + 1e-5)
    assert found.bounds[0] <= (R / gamma) ** 2 * (1 + 1e-7)
    assert found.bounds[1] >= (R / gamma) ** 2 * (1 - 1e-7)
    assert 1 - 1e-15 <= found.bounds[0] <= found.bounds[1] <= found.bounds[0] * (1 + 1e-4)
    assert found.certificate.verify(X, y)
    assert found.certificate.claim == "mistakes"
    assert f"At most {math.floor(found.bounds[1]):,} updates" in found.explain()


@given(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50)).filter(any),
    st.lists(st.integers(1, 99), min_size=2, max_size=5),
)
def test_rows_on_one_ray_by_hand(ray: tuple[int, int, int], times: list[int]) -> None:
    """All signed rows are multiples of one vector: R/gamma is the ratio of the longest row to the shortest."""
    y = [t % 2 for t in range(len(times))]
    X = [[(1 if label else -1) * t * a for a in ray] for t, label in zip(times, y, strict=True)]
    square = Fraction(max(times), min(times)) ** 2
    found = mistake_bound(X, y, bias=0)
    assert Fraction(found.bounds[0]) <= square <= Fraction(found.bounds[1])
    low, high = (Fraction(bound) ** 2 for bound in found.margin_bounds)
    assert low <= min(times) ** 2 * sum(a * a for a in ray) <= high


@pytest.mark.parametrize(
    ("X", "y", "bias", "radius", "margin"),
    [
        # z = (0, 0, -1) and (3, 4, 1): the nearest point of the segment has the square 25/29.
        ([[0, 0], [3, 4]], [0, 1], 1.0, Fraction(26), Fraction(25, 29)),
        ([[2, 1], [-1, -2]], [1, 0], 0.0, Fraction(5), Fraction(9, 2)),
        # z = (0, -2), (2, 2), (4, 2): of the first two, (0.8, -0.4).
        ([[0], [2], [4]], [0, 1, 1], 2.0, Fraction(20), Fraction(4, 5)),
        # AND: z = (0, -1, -1) and (-1, 0, -1) with weights 5/17, (1, 1, 1) with 7/17: (2, 2, -3)/17.
        (CORNERS, AND, 1.0, Fraction(3), Fraction(1, 17)),
    ],
)
def test_squares_of_radius_and_margin_by_hand(
    X: Rows, y: list[int], bias: float, radius: Fraction, margin: Fraction
) -> None:
    found = mistake_bound(X, y, bias=bias)
    assert found.radius**2 == pytest.approx(float(radius), rel=1e-12)
    assert found.margin_bounds[0] ** 2 == pytest.approx(float(margin), rel=1e-5)
    assert Fraction(found.bounds[0]) <= radius / margin <= Fraction(found.bounds[1])


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=examples(0.4))
@given(separable(biases=(0.0, 1.0, -0.5, 3.0), labels=(0, 1)), st.sampled_from(TIES), st.integers(0, 99))
def test_no_order_makes_more_updates(order: Any, data: tuple[Rows, list[int], float], tie: Any, seed: int) -> None:
    X, y, bias = data
    bound = mistake_bound(X, y, bias=bias)
    holds(bound, Perceptron(order=order, tie=tie, bias=abs(bias), random_state=seed), X, y)  # its sign is no matter


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("order", ORDERS)
def test_no_order_makes_more_updates_with_three_classes(order: Any) -> None:
    for seed, tie in itertools.product(range(4), TIES):
        centres = [[0, 3], [3, -2], [-3, -2]]
        X, y = make_blobs(30, centers=centres, cluster_std=0.6, random_state=seed)
        bound = mistake_bound(X, y)
        assert bound.theorem == "Novikoff"
        holds(bound, Perceptron(order=order, tie=tie, random_state=seed), X, y)
        gamma = distance_from_origin(long_rows(X, y, 1.0))
        assert bound.margin_bounds == pytest.approx((gamma, gamma), rel=1e-5)
        assert bound.radius**2 == pytest.approx(2 * (np.square(X).sum(axis=1).max() + 1), rel=1e-12)
        assert bound.certificate.verify(X, y)


@given(separable(biases=(0.0, 1.0, -0.5, 3.0), labels=(0, 1)))
def test_centered_is_what_it_is_of_the_rows_less_their_mean(data: tuple[Rows, list[int], float]) -> None:
    X, y, bias = data
    moved = np.array(X, dtype=float) - np.array(X, dtype=float).mean(axis=0)
    try:
        direct = mistake_bound(moved, y, bias=bias)
    except DataError:
        return
    centred = mistake_bound(X, y, bias=bias, rows="centered")
    assert centred.rows == "centered"
    assert centred.shift is not None
    assert centred.shift.tolist() == np.array(X, dtype=float).mean(axis=0).tolist()
    assert (centred.theorem, centred.radius, centred.bounds) == (direct.theorem, direct.radius, direct.bounds)
    assert centred.margin_bounds == direct.margin_bounds
    assert centred.certificate.verify(moved, y)
    assert centred.certificate.verify(X, y).verified == (not centred.shift.any())


@given(separable(biases=(0.0, 1.0, -0.5, 3.0), labels=(0, 1)))
def test_rescaled_is_what_it_is_of_the_rows_in_the_unit_ball(data: tuple[Rows, list[int], float]) -> None:
    X, y, bias = data
    rescaled = mistake_bound(X, y, bias=bias, rows="rescaled")
    assert rescaled.rows == "rescaled"
    unit = math.sqrt(max(sum(a * a for a in x) for x in X))
    assert rescaled.unit == pytest.approx(unit, rel=1e-15)
    assert rescaled.radius == pytest.approx(math.hypot(1, bias), rel=1e-12)
    moved = np.array(X) / rescaled.unit
    direct = mistake_bound(moved, y, bias=bias)
    assert (rescaled.bounds, rescaled.margin_bounds) == (direct.bounds, direct.margin_bounds)
    assert rescaled.certificate.verify(moved, y)
    assert rescaled.bounds[1] >= distance_from_origin(signed(moved, y, bias)) ** -2 * rescaled.radius**2 * (1 - 1e-7)


def test_centring_may_make_a_small_bound_of_a_large_one() -> None:
    """10, 11 and 13, 14 less 12: z = (2, -1), (1, -1), (1, 1), (2, 1) are 1 from 0, and the longest is sqrt(5)."""
    X, y = [[10], [11], [13], [14]], [0, 0, 1, 1]
    centred = mistake_bound(X, y, rows="centered")
    assert centred.bounds == pytest.approx((5, 5), rel=1e-9)
    assert centred.margin_bounds == pytest.approx((1, 1), rel=1e-9)
    assert centred.max_updates == 5
    assert mistake_bound(X, y).bounds[0] > 1000


def test_sparse_and_dense_and_frames_agree() -> None:
    X, y = make_blobs(40, centers=[[0] * 3, [7] * 3], random_state=1)
    forms = [X, X.tolist(), scipy.sparse.csr_array(X), pd.DataFrame(X, columns=list("abc"))]
    found = [mistake_bound(form, y) for form in forms]
    assert all(bound.bounds == pytest.approx(found[0].bounds, rel=1e-6) for bound in found)
    assert all(bound.certificate.verify(form, y) for bound, form in zip(found, reversed(forms), strict=True))
    rescaled = [mistake_bound(form, y, rows="rescaled") for form in forms]
    assert rescaled[2].bounds == pytest.approx(rescaled[0].bounds, rel=1e-9)
    with pytest.raises(DataError, match="dense array"):
        mistake_bound(forms[2], y, rows="centered")


# ---------------------------------------------------------------------------------------------------------------------
# Classes that no hyperplane separates


@pytest.mark.parametrize(
    ("X", "y"), [(CORNERS, XOR), ([[1], [1]], [0, 1]), ([[1], [2], [3], [4]], [0, 1, 2, 0])], ids=str
)
def test_without_a_separating_hyperplane_there_is_no_bound(X: Rows, y: list[int]) -> None:
    found = mistake_bound(X, y)
    assert (found.theorem, found.margin_bounds, found.bounds) == (None, (0, 0), (math.inf, math.inf))
    assert found.certificate.claim in ("weak", "overlap", "not_strict")
    assert found.certificate.verify(X, y)
    assert found.max_updates is None
    assert "No bound" in found.explain()
    assert repr(found) == "<MistakeBound: none, no hyperplane separates the classes>"


def freund_schapire(Z: Floats, u: Floats, R: float, gamma: float) -> float:
    short = np.maximum(0, gamma - Z @ u / np.linalg.norm(u))
    return float(((R + np.linalg.norm(short)) / gamma) ** 2)


planes = st.lists(st.integers(-4, 4), min_size=4, max_size=4)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@given(labelled(), planes, st.sampled_from([0.0, 1.0, 2.0]), st.sampled_from(TIES))
@example(([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 2, 2]], [0, 0, 0, 1]), [0, 2, -2, 0], 0.0, "mistake")
@example(([[100, 1], [100, -1]], [0, 1]), [0, 1, 0, 0], 0.0, "mistake")  # rows far longer than they are off the plane
def test_freund_and_schapire_bound_one_pass(data: tuple[Rows, list[int]], w: list[int], bias: float, tie: Any) -> None:
    X, y = data
    d = len(X[0])
    plane = Hyperplane(w[:d] if any(w[:d]) else [1] * d, w[3] if bias else 0)
    found = mistake_bound(X, y, bias=bias, hyperplane=plane)
    assert found.theorem == "Freund and Schapire"
    assert found.certificate.verify(X, y)
    runs: list[Any] = [("cyclic", 0), *(("shuffled", seed) for seed in range(10)), ("first", 0), ("worst", 0)]
    for order, seed in runs:
        model = Perceptron(order=order, tie=tie, bias=bias, max_epochs=1, random_state=seed).fit(X, y)
        assert model.n_updates_ <= found.bounds[1]
    u = np.append(plane.w, plane.b / bias if bias else 0.0)
    Z, gamma = signed(X, y, bias), found.margin_bounds[0]
    value = freund_schapire(Z, u, found.radius, gamma)
    assert found.bounds[0] == found.bounds[1] >= min(len(X), math.floor(value * (1 - 1e-9)))
    assert found.bounds[1] <= value * (1 + 1e-9)
    others = [freund_schapire(Z, u, found.radius, gamma * factor) for factor in np.geomspace(1e-3, 4, 200)]
    assert found.bounds[1] <= 1.06 * min(others) + 1, f"for {len(X)} rows, and another gamma is better"


def test_freund_and_schapire_by_hand() -> None:
    """z = 1, but for one that is -1: with gamma = 1 and D = 2, at most (1 + 2)^2 = 9; other gammas are better."""
    X, y = [[1.0]] * 98 + [[-1.0], [-1.0]], [1] * 99 + [0]
    found = mistake_bound(X, y, bias=0, hyperplane=Hyperplane([1.0]))
    assert 4 <= found.bounds[1] <= 9
    assert found.radius == pytest.approx(1)
    assert "one pass" in found.explain()


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_pass_that_draws_with_replacement_has_the_bound_of_what_it_drew() -> None:
    """order="random" may draw the bad row many times. The bound is for each row once, and its text should say so."""
    X, y = np.array([[1.0]] * 98 + [[-1.0], [-1.0]]), np.array([1] * 99 + [0])
    for seed in range(20):
        run = trace(Perceptron(order="random", bias=0, max_epochs=1, random_state=seed), X, y)
        drawn = [step.index for step in run][:100]
        if len(set(y[drawn])) == 2:
            found = mistake_bound(X[drawn], y[drawn], bias=0, hyperplane=Hyperplane([1.0]))
            assert run[-1].updates <= found.bounds[1]
    assert "once" in mistake_bound(X, y, bias=0, hyperplane=Hyperplane([1.0])).explain()


# ---------------------------------------------------------------------------------------------------------------------
# Words, and bad input


def test_with_three_classes_the_words_are_true_of_the_rows() -> None:
    X, y = [[1, 0], [0, 1], [-1, -1]], [0, 1, 2]
    bound = mistake_bound(X, y)
    longest = math.sqrt(3)
    assert bound.radius == pytest.approx(math.sqrt(2) * longest) or bound.radius == pytest.approx(longest)
    if "longest row has length R" in bound.explain():
        assert f"R = {longest:.6g}" in bound.explain()


@pytest.mark.parametrize("bias", [True, math.nan, math.inf, "1", None])
def test_bad_bias(bias: Any) -> None:
    with pytest.raises(ParameterError, match="bias must be a finite number"):
        mistake_bound(CORNERS, AND, bias=bias)


@pytest.mark.parametrize(
    ("plane", "options", "words"),
    [
        (Hyperplane([1.0]), {}, "each of the 2 columns"),
        (Hyperplane([1, 2, 3]), {}, "each of the 2 columns"),
        (Hyperplane([1, 1], 1), {"bias": 0}, "through the origin"),
        (Hyperplane([0, 0], 0), {}, "All weights of the hyperplane are 0"),
        ([1, 2, 3], {}, "[Hh]yperplane"),
    ],
    ids=str,
)
def test_bad_hyperplane(plane: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        mistake_bound(CORNERS, XOR, hyperplane=plane, **options)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1], [2]], [0, 0], "at least 2 classes"),
        ([[1], [math.nan]], [0, 1], "row 1, column 0"),
        ([[1], [2]], [0, 1, 1], "2 rows but y has 3"),
        ([[1], [2, 3]], [0, 1], "each of the same number|ragged"),
        ([[1], ["a"]], [0, 1], "row 1, column 0 is 'a'"),
        (None, [0, 1], "None"),
    ],
    ids=str,
)
def test_bad_data(X: Any, y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        mistake_bound(X, y)


def test_three_classes_have_no_bound_for_a_hyperplane() -> None:
    with pytest.raises(DataError, match="two classes"):
        mistake_bound([[1], [2], [3]], [0, 1, 2], hyperplane=Hyperplane([1.0]))


def test_rows_of_zeros_cannot_be_rescaled() -> None:
    with pytest.raises(DataError, match="length 0"):
        mistake_bound([[0], [0]], [0, 1], rows="rescaled")


def test_iris_has_a_bound_where_it_is_separable() -> None:
    X, y = load_iris(return_X_y=True)
    found = mistake_bound(X[:100], y[:100])
    holds(found, Perceptron(), X[:100], y[:100])
    assert isinstance(found, MistakeBound)
