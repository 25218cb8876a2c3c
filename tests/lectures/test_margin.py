"""The margin in the lectures of CS360 (row 1.7) and of Hlavac (rows 2.6, 2.9 and 2.10).

A row number in a test name is one fact of a lecture. Expected numbers are computed by hand, or from the definitions.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import make_blobs
from sklearn.svm import SVC, LinearSVC

from rosenblatt import BudgetWarning, Hyperplane, Kozinec, OverlapWarning, StopReason, trace
from tests.support.strategies import separable

SOLVERS = ["auto", "kozinec", "mdm", "away", "wolfe"]
RULES = SOLVERS[1:]  # those that look at all rows after each step
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
Floats = NDArray[np.float64]


class Hand(NamedTuple):
    """A problem solved by hand."""

    X: list[list[int]]
    y: list[int]
    square: Fraction  # of the margin
    plane: list[float]  # the weights of the best hyperplane, up to a factor, its intercept last
    weights: list[float] | None  # of the rows in the nearest points; None where more than one choice is right


def square_at(a: int, b: int) -> list[list[int]]:
    return [[a + i, b + j] for i, j in CORNERS]


HAND = {
    # Nearest points (0, 1), the middle of the negative ones, and (3, 1): 3 apart.
    "two and two": Hand(
        [[0, 0], [0, 2], [3, 1], [5, 1]], [-1, -1, 1, 1], Fraction(9, 4), [1, 0, -1.5], [0.5, 0.5, 1, 0]
    ),
    # Nearest points (1, 1) and (2, 2): sqrt(2) apart.
    "squares at a corner": Hand(
        square_at(0, 0) + square_at(2, 2), [-1] * 4 + [1] * 4, Fraction(1, 2), [1, 1, -3], [0, 0, 0, 1, 1, 0, 0, 0]
    ),
    # The side x1 = 1 of one faces the side x1 = 3 of the other: any two points of the same height are nearest.
    "squares side by side": Hand(square_at(0, 0) + square_at(3, 0), [-1] * 4 + [1] * 4, Fraction(1), [1, 0, -2], None),
    # The long side x1 + x2 = 4 is 4/sqrt(2) from the corner (4, 4), whose foot (2, 2) is its middle.
    "triangles": Hand(
        [[0, 0], [4, 0], [0, 4], [4, 4], [6, 4], [4, 6]],
        [-1] * 3 + [1] * 3,
        Fraction(2),
        [1, 1, -6],
        [0, 0.5, 0.5, 1, 0, 0],
    ),
    # (1, 1) is 1/sqrt(2) from the line x1 + x2 = 1, and its foot is the middle of (0, 1) and (1, 0).
    "AND": Hand(CORNERS, [-1, -1, -1, 1], Fraction(1, 8), [1, 1, -1.5], [0, 0.5, 0.5, 1]),
    "OR": Hand(CORNERS, [-1, 1, 1, 1], Fraction(1, 8), [1, 1, -0.5], [1, 0.5, 0.5, 0]),
    # (2, 3) is 1/sqrt(5) from the line 2 x1 + x2 = 8 through (3, 2) and (2, 4); its foot (2.4, 3.2) divides them 2:3.
    "CS188": Hand(
        [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1], Fraction(1, 20), [2, 1, -7.5], [0, 0.4, 0.6, 0, 1]
    ),
    # All on the lines x1 = -1 and x1 = 1.
    "CMU": Hand(
        [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1], Fraction(1), [1, 0, 0], None
    ),
    "one feature": Hand([[9], [1], [2], [5]], [1, -1, -1, 1], Fraction(9, 4), [1, -3.5], [0, 0, 1, 1]),
    # The origin and the triangle with the corners e1, e2, e3, whose middle is 1/sqrt(3) away.
    "three features": Hand(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [-1, 1, 1, 1],
        Fraction(1, 12),
        [2, 2, 2, -1],
        [1, 1 / 3, 1 / 3, 1 / 3],
    ),
}
by_hand = pytest.mark.parametrize("name", HAND)
# Separable by the sum of the features, with or without a bias.
SUM = (
    [[2, 1, 0], [0, 3, 1], [1, 0, 2], [-1, -2, 0], [0, -1, -3], [-2, 0, -1], [3, -1, 0], [-3, 2, 0]],
    [1, 1, 1, -1, -1, -1, 1, -1],
)


def signed(X: Any, y: Any, bias: float) -> Floats:
    """Hlavac's embedding: rows that end with the constant, times their labels."""
    return np.asarray(np.asarray(y)[:, np.newaxis] * np.c_[np.asarray(X, dtype=float), np.full(len(y), bias)])


def reached(w: Sequence[float], Z: Floats) -> float:
    """min_j <w/|w|, x_j>."""
    return float((Z @ np.asarray(w)).min() / math.hypot(*w))


# ---------------------------------------------------------------------------------------------------------------------
# Row 1.7


def test_row_1_7_functional_and_geometric_margins_by_hand() -> None:
    """CS360: of (0, 0)- and (3, 4)+ the best line is 3 x1 + 4 x2 = 12.5, whose |w| is 5; divided by 12.5, so that the
    functional margin of both is 1.
    """
    model = Kozinec().fit([[0, 0], [3, 4]], [-1, 1])
    X, y = [[0, 0], [3, 4], [1, 1], [5, 0], [0, 5], [2.5, 1.25]], [-1, 1, -1, -1, 1, 1]
    assert [*model.coef_[0], *model.intercept_] == pytest.approx([3 / 12.5, 4 / 12.5, -1], rel=1e-15)
    assert model.functional_margin(X, y) == pytest.approx([1, 1, 0.44, -0.2, 0.6, 0], rel=1e-14)
    assert model.geometric_margin(X, y) == pytest.approx([2.5, 2.5, 1.1, -0.5, 1.5, 0], rel=1e-14)


@by_hand
@pytest.mark.parametrize("solver", SOLVERS)
def test_row_1_7_largest_margin_by_hand(name: str, solver: Any) -> None:
    """CS360: the geometric margin of the nearest point, the largest there is; each number is derived above."""
    X, y, square, *_ = HAND[name]
    model = Kozinec(solver=solver).fit(X, y)
    lower, upper = model.margin_bounds_
    assert model.stop_reason_ == "gap_closed"
    assert lower <= math.sqrt(square) <= upper <= lower * 1.0011
    assert model.hyperplane_.margin(X, y) == pytest.approx(lower, rel=1e-9)
    assert model.predict(X).tolist() == y


@by_hand
@pytest.mark.parametrize("solver", ["auto", "wolfe"])
def test_row_1_7_hyperplane_and_support_vectors_by_hand(name: str, solver: Any) -> None:
    """CS360: the support vectors lie on the margin, and only they have a weight."""
    X, y, square, plane, weights = HAND[name]
    model = Kozinec(solver=solver, epsilon=1e-12).fit(X, y)
    found = model.hyperplane_.unit().weights
    assert found == pytest.approx(np.array(plane) / math.hypot(*plane[:-1]), abs=1e-12)
    assert model.margin_bounds_ == pytest.approx((math.sqrt(square),) * 2, rel=1e-12)
    assert model.geometric_margin(X, y)[model.support_] == pytest.approx(math.sqrt(square), rel=1e-12)
    if weights is not None:
        assert model.support_.tolist() == np.flatnonzero(weights).tolist()
        assert model.hull_weights_ == pytest.approx(np.array(weights)[model.support_], abs=1e-12)


@by_hand
def test_row_1_7_support_vectors_alone_give_the_same_hyperplane(name: str) -> None:
    """CS360: without the other points the hyperplane is the same."""
    X, y = np.array(HAND[name].X), np.array(HAND[name].y)
    model = Kozinec(epsilon=1e-12).fit(X, y)
    again = Kozinec(epsilon=1e-12).fit(X[model.support_], y[model.support_])
    assert again.hyperplane_.unit().weights == pytest.approx(model.hyperplane_.unit().weights, abs=1e-12)
    assert again.support_.tolist() == list(range(len(model.support_)))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("X", "y", "bias", "w", "square"),
    [
        # z = (0, 0, -1) and (3, 4, 1). On the segment between them, (0, 0, -1) + 2/29 (3, 4, 2) is nearest to 0.
        ([[0, 0], [3, 4]], [-1, 1], 1.0, [6 / 29, 8 / 29, -25 / 29], 25 / 29),
        # z = (2, 1) and (1, 2): the middle.
        ([[2, 1], [-1, -2]], [1, -1], 0.0, [1.5, 1.5, 0], 4.5),
        # z = (3, 4), twice.
        ([[3, 4], [-3, -4]], [1, -1], 0.0, [3, 4, 0], 25),
        # z = (0, -2), (2, 2) and (4, 2): of the second and the first, (0, -2) + 8/20 (2, 4) = (0.8, -0.4).
        ([[0], [2], [4]], [-1, 1, 1], 2.0, [0.8, -0.4], 0.8),
    ],
    ids=str,
)
def test_row_1_7_and_2_9_nearest_point_to_the_origin_by_hand(
    X: list[list[int]], y: list[int], bias: float, w: list[float], square: float, solver: Any
) -> None:
    """Hlavac: the row ends with a constant; m is the distance of the convex hull of the signed rows from 0."""
    model = Kozinec(bias=bias, epsilon=1e-9, solver=solver).fit(X, y)
    assert model.margin_bounds_ == pytest.approx((math.sqrt(square),) * 2, rel=1e-9)
    assert model.hull_vector_ == pytest.approx(w, abs=1e-6)
    assert model.coef_[0] == pytest.approx(np.array(w[:-1]) / square, abs=1e-6)  # so that the functional margin is 1
    assert model.intercept_ == pytest.approx([w[-1] * bias / square], abs=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_row_1_7_one_feature_that_is_not_separable_by_hand(solver: Any) -> None:
    """0-, 2-, 1+, 3+ with C = 1, so that slack = 1/2. By symmetry, weights a of 0 and 3, 1 - a of 1 and 2.

    w = 3a + (1-a) - 2(1-a) = 4a - 1 and |w|^2 + 1/2 (2 a^2 + 2 (1-a)^2) is smallest at a = 5/18: w = 1/9, and the
    square is 11/18 = (2m)^2. In canonical form w = 4/11, b = -6/11; slacks 5/11 and 13/11; the sum is 36/11 = 1/(2m^2).
    """
    X, y = [[0], [2], [1], [3]], [-1, -1, 1, 1]
    model = Kozinec(C=1.0, epsilon=1e-9, solver=solver).fit(X, y)
    assert model.margin_bounds_ == pytest.approx((math.sqrt(11 / 72),) * 2, rel=1e-9)
    assert model.hull_vector_ == pytest.approx([1 / 9], abs=1e-6)
    assert model.hull_weights_ == pytest.approx([5 / 18, 13 / 18, 13 / 18, 5 / 18], abs=1e-6)
    assert model.coef_[0] == pytest.approx([4 / 11], abs=1e-6)
    assert model.intercept_ == pytest.approx([-6 / 11], abs=1e-6)
    assert model.dual_coef_[0] == pytest.approx(np.array([-5, -13, 13, 5]) / 18 * 36 / 11, abs=1e-6)
    assert model.predict(X).tolist() == [-1, 1, -1, 1]


@pytest.mark.parametrize("bias", ["free", 1.0])
def test_row_1_7_xor_with_slack_by_hand(bias: Any) -> None:
    """By symmetry all four weigh the same, and w = 0: what is left is slack, |w|^2 = 1/2 (1/4 + 1/4 + 1/4 + 1/4)."""
    model = Kozinec(C=1.0, bias=bias, epsilon=1e-9).fit(CORNERS, [-1, 1, 1, -1])
    assert model.coef_[0] == pytest.approx([0, 0], abs=1e-12)
    assert model.margin_bounds_ == pytest.approx((math.sqrt(1 / 8),) * 2, rel=1e-9)


def test_row_1_5_and_1_7_xor_without_slack_is_proved_to_overlap() -> None:
    """The middle of (0, 0) and (1, 1) is that of (0, 1) and (1, 0)."""
    with pytest.warns(OverlapWarning, match="convex combinations of 4 rows"):
        model = Kozinec().fit(CORNERS, [-1, 1, 1, -1])
    assert (model.stop_reason_, model.margin_bounds_) == ("proved_overlap", (0, 0))
    assert model.hull_weights_.tolist() == [0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("seed", range(4))
def test_row_1_7_the_margin_is_not_smaller_than_that_of_libsvm(seed: int) -> None:
    """CS360: "the best hyperplane", compared with LIBSVM, the usual tool."""
    X, y = make_blobs(100, n_features=4, centers=[[0] * 4, [5] * 4], random_state=seed)
    peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    theirs = Hyperplane(peer.coef_[0], peer.intercept_[0]).margin(X, 2 * y - 1)
    ours = Kozinec(epsilon=1e-9).fit(X, y).hyperplane_.margin(X, 2 * y - 1)
    assert 0 < theirs * (1 - 1e-6) <= ours <= theirs * 1.001


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_row_1_7_with_slack_the_minimum_is_that_of_liblinear(C: float) -> None:
    """LIBLINEAR's bias is a part of |w| too; the minimum is 1/(2 m^2)."""
    X, y = make_blobs(100, n_features=4, centers=[[0] * 4, [1] * 4], random_state=0)
    peer = LinearSVC(loss="squared_hinge", dual=True, C=C, intercept_scaling=1, tol=1e-10, max_iter=10**6).fit(X, y)
    w, (b,) = peer.coef_[0], peer.intercept_
    minimum = 0.5 * (w @ w + b * b) + C * (np.maximum(0, 1 - (2 * y - 1) * (X @ w + b)) ** 2).sum()
    m = np.array(Kozinec(C=C, bias=1.0, epsilon=1e-9).fit(X, y).margin_bounds_)
    assert 1 / (2 * m**2) == pytest.approx(minimum, rel=1e-6)


@pytest.mark.parametrize("bias", ["free", 1.0])
def test_row_1_7_the_margin_falls_as_slack_becomes_dear_to_the_one_without(bias: Any) -> None:
    """CS360: slack gives an answer for all data. As C grows, it tends to the answer without slack."""
    X, y = make_blobs(60, centers=[[0] * 4, [6] * 4], random_state=0)
    margins = [Kozinec(C=C, bias=bias, epsilon=1e-9).fit(X, y).margin_bounds_ for C in 10.0 ** np.arange(-6, 7)]
    assert all(after[1] < before[0] for before, after in itertools.pairwise(margins))
    limit, close = (Kozinec(C=C, bias=bias, epsilon=1e-9).fit(X, y) for C in (math.inf, 1e12))
    assert margins[-1][0] > limit.margin_bounds_[1]
    assert close.margin_bounds_ == pytest.approx(limit.margin_bounds_, rel=1e-6)
    assert close.coef_ == pytest.approx(limit.coef_, rel=1e-6)


@st.composite
def overlapping(draw: st.DrawFn) -> tuple[Floats, NDArray[np.int64]]:
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    numbers = st.integers(-20, 20).map(lambda v: v / 4)
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    return np.array(X), np.array(y)


@given(overlapping(), st.sampled_from([0.01, 1.0, 50.0]), st.sampled_from(["free", 0.0, 1.0, 2.0]), st.booleans())
def test_row_1_7_optimal_when_not_separable(data: tuple[Floats, Any], C: float, bias: Any, sparse: bool) -> None:
    """At the minimum of 1/2 |w|^2 + C sum xi^2, where xi = max(0, 1 - y f(x)), the gradient is 0.

    In w: w - 2C sum xi y x. In the bias weight v (f = w.x + bias v): v - 2C bias sum xi y; without the first v if it
    is free. The minimum is 1/(2 m^2).
    """
    X, y = data
    model = Kozinec(C=C, bias=bias, epsilon=1e-9).fit(scipy.sparse.csr_array(X) if sparse else X, y)
    m = model.margin_bounds_[1]
    constant = 1.0 if bias == "free" else bias
    w, b = model.coef_[0], model.intercept_[0]
    v = 0.0 if bias == "free" else b / constant if constant else 0.0
    xi = np.maximum(0, 1 - y * (X @ w + b))
    assert 0.5 * (w @ w + v * v) + C * (xi @ xi) == pytest.approx(1 / (2 * m**2), rel=1e-8)
    assert w == pytest.approx(2 * C * (xi * y) @ X, abs=1e-6 * max(1, C))
    assert v == pytest.approx(2 * C * constant * (xi @ y), abs=1e-6 * max(1, C))


# ---------------------------------------------------------------------------------------------------------------------
# Rows 2.6, 2.9 and 2.10


@given(separable())
def test_row_2_6_kozinec_1973(data: tuple[list[list[int]], list[int], float]) -> None:
    """Hlavac: w1 is an observation; each step takes a wrong one, and the k that makes (1-k) w + k x shortest.

    k is worked out in fractions, from the w that the trace shows before the step.
    """
    X, y, bias = data
    Z = signed(X, y, bias)
    run = trace(Kozinec(epsilon=None, solver="kozinec", bias=bias), X, y)
    ws = [run.start, *(step.w for step in run)]
    assert list(run.start) in Z.tolist()
    for before, step in itertools.pairwise([None, *run]):
        w = [Fraction(v) for v in (before.w if before else run.start)]
        x = [Fraction(v) for v in Z[step.index]]
        assert sum(a * b for a, b in zip(w, x, strict=True)) <= Fraction(1, 10**9)  # wrong, or so in floats
        across = [b - a for a, b in zip(w, x, strict=True)]
        k = -sum(a * b for a, b in zip(w, across, strict=True)) / sum(v * v for v in across)
        k = min(max(k, Fraction(0)), Fraction(1))
        assert step.w == pytest.approx([float(a + k * b) for a, b in zip(w, across, strict=True)], abs=1e-9)
    norms = [math.hypot(*w) for w in ws]
    assert all(after < before for before, after in itertools.pairwise(norms))
    assert run.stop_reason is StopReason.SEPARATED
    assert (Z @ ws[-1] > 0).all()
    assert all((Z @ w).min() <= 1e-9 for w in ws[:-1])  # and not later than that


@pytest.mark.parametrize("bias", ["free", 0.0, 1.0])
@pytest.mark.parametrize("solver", SOLVERS)
def test_row_2_6_starts_at_an_observation_and_ends_separated(solver: Any, bias: Any) -> None:
    """Hlavac: with a free bias, at one observation of each class."""
    X, y = np.array(SUM[0]), np.array(SUM[1])
    with pytest.warns(BudgetWarning):
        start = Kozinec(solver=solver, bias=bias, max_epochs=1, epsilon=1e-9).fit(X, y)
    assert len(start.support_) == (2 if bias == "free" else 1)
    assert start.hull_weights_.tolist() == [1.0] * len(start.support_)
    assert start.hull_vector_[: X.shape[1]].tolist() == (y[start.support_] @ X[start.support_]).tolist()
    assert start.history_["row"].tolist() == [-1]
    model = Kozinec(solver=solver, bias=bias, epsilon=None).fit(X, y)
    assert model.stop_reason_ is StopReason.SEPARATED
    assert (model.functional_margin(X, y) > 0).all()
    assert model.mistakes_per_epoch_[-1] == 0
    assert (np.diff(model.history_["upper"]) < 0).all()


@by_hand
@pytest.mark.parametrize("solver", SOLVERS)
def test_row_2_9_bounds_hold_at_every_step(name: str, solver: Any) -> None:
    """Hlavac: min_j <w/|w|, x_j> <= m <= |w|, m by hand; here of two hulls, where |w| is 2m."""
    X, y, square, *_ = HAND[name]
    history = Kozinec(solver=solver).fit(X, y).history_
    m = math.sqrt(square)
    assert (history["lower"] <= m).all()
    assert (history["upper"] >= m).all()
    assert (np.diff(history["upper"]) <= 0).all()
    assert history["upper"][-1] - history["lower"][-1] <= 1e-3 * history["upper"][-1]


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("solver", RULES)
def test_row_2_9_bounds_are_what_the_lecture_says(solver: Any, bias: float) -> None:
    """Hlavac: of every w of a run; w is a convex combination of the rows, and all bounds enclose one m."""
    X, y = SUM
    Z = signed(X, y, bias)
    model = Kozinec(solver=solver, bias=bias, epsilon=1e-2)
    run = trace(model, X, y)
    for step in run:
        assert step.weights is not None
        assert step.active is not None
        assert step.lower == pytest.approx(reached(step.w, Z), rel=1e-9, abs=1e-12)
        assert step.upper == pytest.approx(math.hypot(*step.w), rel=1e-9)
        assert sum(step.weights) == pytest.approx(1)
        assert step.w == pytest.approx(np.array(step.weights) @ Z[list(step.active)], abs=1e-9)
    history = model.fit(X, y).history_
    assert history["row"].tolist() == [-1, *(step.index for step in run)]
    assert history["lower"].tolist()[1:] == [step.lower for step in run]
    assert history["upper"].tolist()[1:] == [step.upper for step in run]
    assert history["active"].tolist()[1:] == [len(step.active or ()) for step in run]
    assert history["lower"].max() <= history["upper"].min()


@pytest.mark.parametrize("epsilon", [3.0, 0.3, 0.03])
@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("solver", RULES)
def test_row_2_10_the_epsilon_solution_stops_exactly_there(solver: Any, bias: float, epsilon: float) -> None:
    """Hlavac: at the first w with |w| - min_j <w/|w|, x_j> <= epsilon, and not at one before."""
    X, y = SUM
    Z = signed(X, y, bias)
    for kind in ("absolute", "relative"):
        if kind == "relative" and epsilon > 1:
            continue
        run = trace(Kozinec(solver=solver, bias=bias, epsilon=epsilon, epsilon_kind=kind), X, y)
        ws = [run.start, *(step.w for step in run)]
        gaps = [(math.hypot(*w) - reached(w, Z)) / (math.hypot(*w) if kind == "relative" else 1.0) for w in ws]
        assert run.stop_reason is StopReason.GAP_CLOSED
        assert gaps[-1] <= epsilon
        assert all(gap > epsilon for gap in gaps[:-1])


@pytest.mark.parametrize("bias", ["free", 0.0, 1.0])
def test_row_2_10_auto_stops_with_an_epsilon_solution_too(bias: Any) -> None:
    """Hlavac: the w that is found, and the lecture's inequality for it; with a free bias, for pairs of rows."""
    X, y = SUM
    for epsilon in (1.0, 1e-3, 1e-6):
        model = Kozinec(bias=bias, epsilon=epsilon, epsilon_kind="absolute").fit(X, y)
        w = np.append(model.coef_[0], model.intercept_ if bias == 1.0 else 0.0)
        leads = signed(X, y, 1.0 if bias == 1.0 else 0.0) @ w
        sides = [leads[np.array(y) == sign].min() for sign in (-1, 1)]
        low = sum(sides) if bias == "free" else min(sides)
        assert math.hypot(*w) - low / math.hypot(*w) <= epsilon * (1 + 1e-9)
        assert model.stop_reason_ == "gap_closed"
