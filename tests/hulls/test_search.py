"""The nearest-point search against independent code: non-negative least squares, made exact in fractions."""

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Kozinec
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import Solver, nearest_point
from rosenblatt.hulls.search_types import Goal
from rosenblatt.hulls.zero_combination import zero_combination
from tests.support.oracle import dot

STEPS: tuple[Solver, ...] = ("kozinec", "mdm", "away", "wolfe")  # one step a look
SOLVERS: tuple[Solver, ...] = (*STEPS, "auto")
BIASES = ("free", 1.0, 0.0)
seeds = st.integers(0, 2**32 - 1)
biases = st.sampled_from(BIASES)
prices = st.sampled_from([math.inf, math.inf, math.inf, 1.0, 1e-3, 1e4])


# ---------------------------------------------------------------------------------------------------------------------
# Data


def small_set(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A few points and their labels, random or degenerate in the way that `kind` says."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 6))
    if kind == "one of each":
        n = 2
    if kind == "one column":
        d = 1
    if kind in ("wide", "very wide"):
        d = n + int(rng.integers(1, 9)) if kind == "wide" else 320
    y = rng.choice([-1, 1], size=n)
    y[0], y[-1] = 1, -1
    X = rng.integers(-3, 4, size=(n, d)).astype(np.float64)
    if kind in ("normal", "wide", "scales"):
        X = rng.normal(size=(n, d))
    if kind == "scales":
        X *= 10.0 ** rng.integers(-3, 4, size=d)
    if kind == "cube":
        X = rng.integers(0, 2, size=(n, d)).astype(np.float64)
    if kind == "duplicates":
        X = X[rng.integers(0, n, size=n)]
    if kind == "contradiction":
        X[-1] = X[0]
    if kind == "on a line":
        X = np.outer(rng.integers(-5, 6, size=n), rng.integers(-2, 3, size=d)) + X[0]
    if kind == "all equal":
        X[:] = X[0]
    if kind == "zero rows":
        X[rng.random(n) < 0.4] = 0.0
    if kind == "touching":  # the plane x_0 = 0 has the classes on its two sides, and points of both on it
        X[:, 0] = y * rng.integers(0, 4, size=n)
        X[[0, -1], 0] = 0.0
    if kind == "apart":
        X[:, 0] = y * rng.integers(1, 4, size=n)
    if kind in ("planted", "far away"):
        X = rng.normal(size=(n, d))
        X[:, 0] = y * (10.0 ** rng.integers(-6, 3) + np.abs(X[:, 0]))
        X = X @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    if kind == "far away":
        X += 100 * rng.normal(size=d)
    return X, y


FLOATS = ["normal", "wide", "scales", "planted", "far away"]
WHOLE = ["grid", "cube", "duplicates", "contradiction", "on a line", "one of each", "all equal", "zero rows"]
WHOLE += ["one column", "touching", "apart"]


NEARLY = [[2.0**33, 3.0], [2.0**33 - 5, 9.0], [2.0**33 + 6, -4.0]]  # the first and the last on one side of the other


@contextmanager
def any_end() -> Iterator[None]:
    """Ignore warnings of a search that did not reach its goal. Other warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


# ---------------------------------------------------------------------------------------------------------------------
# The oracle


class Optimum(NamedTuple):
    """The nearest point, by `nnls`: bounds of its length, the weights of the rows, and their leads."""

    low: float
    high: float
    weights: np.ndarray
    leads: np.ndarray
    w: np.ndarray
    square: Fraction | None = None  # the squared length, if it was asked for and the answer could be made exact


def signed(X: np.ndarray, y: np.ndarray, bias: Any, C: float = math.inf) -> np.ndarray:
    """The rows y_i x_i, with their constant and the columns of slack written out."""
    rows = X if bias == "free" else np.column_stack([X, np.full(len(X), float(bias))])
    Z = y[:, np.newaxis] * rows.astype(np.float64)
    return Z if math.isinf(C) else np.column_stack([Z, np.eye(len(Z)) / math.sqrt(2 * C)])


def parts(y: np.ndarray, bias: Any) -> list[list[int]]:
    return [np.flatnonzero(y < 0).tolist(), np.flatnonzero(y > 0).tolist()] if bias == "free" else [[*range(len(y))]]


def nearest(X: np.ndarray, y: np.ndarray, bias: Any, C: float = math.inf, *, exact: bool = False) -> Optimum:
    """The smallest |Z'u|^2 + (1'u - 1)^2 with u >= 0, where two hulls have a row of Z for each pair of points."""
    Z, of = signed(X, y, bias, C), parts(y, bias)
    unit = float(np.linalg.norm(Z, axis=1).max()) or 1.0
    pairs = list(itertools.product(*of))
    D = np.array([Z[list(pair)].sum(axis=0) for pair in pairs]) / unit
    u, _ = nnls(np.vstack([D.T, np.ones(len(D))]), np.append(np.zeros(D.shape[1]), 1.0), maxiter=100 * len(D) + 1000)
    u /= u.sum()
    weights = np.zeros(len(Z))
    for pair, share in zip(pairs, u, strict=True):
        weights[list(pair)] += share
    w = weights @ Z
    leads, length = Z @ w, float(np.linalg.norm(w))
    low = sum(leads[rows].min() for rows in of) / length if length else 0.0
    return Optimum(low, length, weights, leads, w, exact_square(X, y, bias, C, weights) if exact else None)


def exact_square(X: np.ndarray, y: np.ndarray, bias: Any, C: float, guess: np.ndarray) -> Fraction | None:
    """|w*|^2 as a fraction, if the leads of rows with a weight are equal and no other lead is smaller; else None."""
    Z, of = [[*map(Fraction, row)] for row in signed(X, y, bias).tolist()], parts(y, bias)
    slack = Fraction(0.5 / C)
    some = [i for i in range(len(Z)) if guess[i] > 1e-9]
    one = [[Fraction(i in rows) for i in some] for rows in of]
    system = [
        [dot(Z[i], Z[j]) + slack * (i == j) for j in some] + [-Fraction(i in rows) for rows in of] for i in some
    ] + [row + [Fraction(0)] * len(of) for row in one]
    solved = solve(system, [Fraction(0)] * len(some) + [Fraction(1)] * len(of))
    if solved is None:
        return None
    weights, levels = dict(zip(some, solved, strict=False)), solved[len(some) :]
    w = [sum((weights[i] * Z[i][j] for i in some), Fraction(0)) for j in range(len(Z[0]))]
    leads = [dot(w, z) + slack * weights.get(i, Fraction(0)) for i, z in enumerate(Z)]
    best = all(leads[i] >= level for rows, level in zip(of, levels, strict=True) for i in rows)
    return sum(levels, Fraction(0)) if best and min(solved[: len(some)]) >= 0 else None


def solve(A: Sequence[Sequence[Fraction]], b: Sequence[Fraction]) -> list[Fraction] | None:
    """The x with A x = b, by elimination in fractions; None if there is none, or more than one."""
    rows, n = [[*row, right] for row, right in zip(A, b, strict=True)], len(A[0])
    for j in range(n):
        pivot = next((i for i in range(j, len(rows)) if rows[i][j]), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [a / rows[j][j] for a in rows[j]]
        for i in range(len(rows)):
            if i != j and rows[i][j]:
                rows[i] = [a - rows[i][j] * c for a, c in zip(rows[i], rows[j], strict=True)]
    return None if any(row[n] for row in rows[n:]) else [row[n] for row in rows[:n]]


def encloses(low: float, high: float, best: Optimum, unit: float) -> bool:
    if best.square is not None:  # without any tolerance: the bounds take rounding into account
        return (low <= 0 or Fraction(low) ** 2 <= best.square) and high >= 0 and Fraction(high) ** 2 >= best.square
    return low <= best.high + 1e-13 * unit and high >= best.low - 1e-13 * unit


def longest(Z: np.ndarray) -> float:
    return float(np.linalg.norm(Z, axis=1).max())


# ---------------------------------------------------------------------------------------------------------------------
# Bounds and ends


@pytest.mark.parametrize("kind", FLOATS + WHOLE)
@given(seed=seeds, bias=biases, C=prices)
def test_bounds_enclose_the_optimum_at_every_step_and_all_searches_end(
    kind: str, seed: int, bias: Any, C: float
) -> None:
    X, y = small_set(kind, seed)
    assume(longest(signed(X, y, bias, C)) > 0)  # rows of zeros have a test of their own
    check_every_solver(X, y, bias, C, nearest(X, y, bias, C, exact=True), whole=kind in WHOLE)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("C", [math.inf, 1.0])
@pytest.mark.parametrize("bias", BIASES)
def test_bounds_with_hundreds_of_columns(bias: Any, C: float, seed: int) -> None:
    X, y = small_set("very wide", seed)
    check_every_solver(X, y, bias, C, nearest(X, y, bias, C), whole=True)


def check_every_solver(X: np.ndarray, y: np.ndarray, bias: Any, C: float, best: Optimum, *, whole: bool) -> None:
    unit, scale = longest(signed(X, y, bias, C)), 2 if bias == "free" else 1  # two hulls are two margins apart
    meet = math.isinf(C) and best.high <= 1e-9 * unit
    for solver in SOLVERS:
        model = Kozinec(solver=solver, bias=bias, C=C, max_epochs=40 if solver in STEPS[:3] else 2000)
        with any_end():
            model.fit(X, y)
        low, high = model.margin_bounds_
        lows, highs = model.history_["lower"], model.history_["upper"]
        assert all(np.isfinite(a).all() for a in (model.coef_, model.intercept_, model.dual_coef_, lows, highs))
        assert encloses(scale * low, scale * high, best, unit)
        assert encloses(scale * float(lows.max()), scale * float(highs.min()), best, unit)
        assert model.stop_reason_ in ("gap_closed", "proved_overlap", "rounding", "budget")
        if meet:
            assert model.stop_reason_ != "gap_closed"
        if solver in ("wolfe", "auto") and (whole or not meet):
            assert model.stop_reason_ == ("proved_overlap" if meet else "gap_closed")
        if math.isinf(C) and low > 0:
            assert squared_margin(model, X, y) >= Fraction(low) ** 2


def squared_margin(model: Kozinec, X: np.ndarray, y: np.ndarray) -> Fraction:
    """The exact margin of the model's hyperplane; -1 if it does not separate."""
    w, b = [*map(Fraction, model.coef_[0].tolist())], Fraction(float(model.intercept_[0]))
    leads = [s * (dot(w, [*map(Fraction, x)]) + b) for s, x in zip(y.tolist(), X.tolist(), strict=True)]
    priced = (b / Fraction(model.bias)) ** 2 if model.bias not in ("free", 0.0) else Fraction(0)
    return min(leads) ** 2 / (dot(w, w) + priced) if min(leads) > 0 else Fraction(-1)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bias", ["free", 0.0])
@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])])
def test_a_w_of_length_zero_is_an_overlap(solver: Any, bias: Any, X: np.ndarray) -> None:
    """Rows of zeros, and exclusive or: the bounds of the margin are both 0, but that is no answer."""
    with any_end():
        model = Kozinec(solver=solver, bias=bias).fit(X, [1, 1, -1, -1])
    assert model.stop_reason_ == "proved_overlap"
    assert model.margin_bounds_ == (0.0, 0.0)


@pytest.mark.parametrize("bias", ["free", 1.0])
@pytest.mark.parametrize("seed", [8, 13, 15])
def test_steps_that_only_move_rounding_errors_come_to_an_end(seed: int, bias: Any) -> None:
    X = np.random.default_rng(seed).normal(size=(10, 4)) * [1e-6, 1e-6, 1e6, 1e6]
    with any_end():
        model = Kozinec(bias=bias, max_epochs=3).fit(X, np.tile([1, -1], 5))
    assert model.n_updates_ <= 3000


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [1e-3, 1e4, 1e8, math.inf])
@pytest.mark.parametrize("X", [np.outer([1e6, 2e6, 3e6], [1, 1]), [[1e6, 1], [1e6, 2], [1e6, 3]], NEARLY])
def test_large_numbers_in_dependent_columns(X: Any, C: float, bias: Any) -> None:
    """The matrix of Newton's method is then singular in floats; that must neither raise nor warn."""
    y, scale = np.array([1, -1, 1]), 2 if bias == "free" else 1
    best = nearest(np.array(X), y, bias, C, exact=True)
    for solver in SOLVERS:
        with any_end():
            model = Kozinec(solver=solver, bias=bias, C=C, max_epochs=200).fit(X, y)
        low, high = model.margin_bounds_
        assert encloses(scale * low, scale * high, best, longest(np.array(X)))
        if math.isinf(C) and X is NEARLY:
            assert model.stop_reason_ != "proved_overlap"


# ---------------------------------------------------------------------------------------------------------------------
# Proofs of overlap


@pytest.mark.parametrize("kind", [kind for kind in WHOLE if kind not in ("one of each", "apart")])
@given(seed=seeds, bias=biases, solver=st.sampled_from(SOLVERS))
def test_a_proved_overlap_can_be_proved_again_in_fractions(kind: str, seed: int, bias: Any, solver: Any) -> None:
    X, y = small_set(kind, seed)
    assume(longest(signed(X, y, bias)) > 0)
    with any_end():
        model = Kozinec(solver=solver, bias=bias, max_epochs=200).fit(X, y)
    assume(model.stop_reason_ == "proved_overlap")
    rows, own = model.support_, y[model.support_]
    sums = [own < 0, own > 0] if bias == "free" else [np.ones(len(rows))]
    system = np.vstack([signed(X, y, bias)[rows].T, *sums]).tolist()
    right = [0] * (len(system) - len(sums)) + [1] * len(sums)
    weights = solve([[*map(Fraction, line)] for line in system], [*map(Fraction, right)])
    assert weights is not None
    assert min(weights) > 0
    assert model.hull_weights_ == pytest.approx([float(a) for a in weights], rel=1e-12)
    low, high = model.margin_bounds_
    assert low == high == 0.0


@st.composite
def whole_rows(draw: st.DrawFn) -> np.ndarray:
    """At most as many rows as columns."""
    d = draw(st.integers(1, 5))
    row = st.lists(st.integers(-9, 9), min_size=d, max_size=d)
    return np.array(draw(st.lists(row, min_size=1, max_size=d)), dtype=np.float64)


@given(Z=whole_rows(), counts=st.lists(st.integers(1, 9), min_size=5, max_size=5), seed=seeds)
def test_zero_combination_finds_the_planted_weights(Z: np.ndarray, counts: list[int], seed: int) -> None:
    """The last row is minus a sum of the others, each taken a few times; the columns are in units of powers of two."""
    assume(np.linalg.matrix_rank(Z) == len(Z))
    shares = np.array(counts[: len(Z)], dtype=np.float64)
    rng = np.random.default_rng(seed)
    Z = np.vstack([Z, -shares @ Z]) * 2.0 ** rng.integers(-40, 41, size=Z.shape[1])
    expected = [Fraction(int(count), int(shares.sum()) + 1) for count in [*shares, 1]]
    near = np.array(expected, dtype=float) + 1e-9 * rng.normal(size=len(Z))
    assert zero_combination(Z, near) == expected
    outside = Z.copy()
    outside[-1] *= -1.0  # now 0 is a combination with a negative weight only
    assert zero_combination(outside, near) is None


@given(Z=whole_rows(), seed=seeds)
def test_zero_combination_finds_nothing_where_a_plane_separates(Z: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z[:, 0] = rng.integers(1, 9, size=len(Z)) * 2.0**-30
    assert zero_combination(Z, rng.dirichlet(np.ones(len(Z)))) is None


def test_zero_combination_by_hand() -> None:
    on_both_sides = np.array([[1.0, 0.0], [-3.0, 0.0]])
    assert zero_combination(on_both_sides, np.array([0.7, 0.3])) == [Fraction(3, 4), Fraction(1, 4)]
    on_an_edge = np.array([[1.0, 1.0], [1.0, -2.0], [-1.0, -1.0]])
    assert zero_combination(on_an_edge, np.array([0.5, 0.0, 0.5])) == [Fraction(1, 2), 0, Fraction(1, 2)]
    assert zero_combination(np.zeros((1, 3)), np.ones(1)) == [Fraction(1)]
    nearly = np.array([[0.1, 1.0, 0.0], [0.2, 0.0, 1.0], [-0.3, -1.0, -1.0]])  # as floats, 0.1 + 0.2 - 0.3 is not 0
    assert zero_combination(nearly, np.full(3, 1 / 3)) is None


# ---------------------------------------------------------------------------------------------------------------------
# Screening


class Spy(InMemory):
    """Remembers the calls of `screen` and the rows that each left out."""

    def __init__(self, X: np.ndarray, y: np.ndarray, bias: Any) -> None:
        rows = as_rows(X, 0.0 if bias == "free" else bias)
        super().__init__(rows, X.shape[1], y.astype(np.int8), two=bias == "free")
        self.asked: list[tuple[np.ndarray, float, np.ndarray, float]] = []
        self.dropped: set[int] = set()

    def screen(self, levels: np.ndarray, far: float, centres: np.ndarray, extra: float) -> None:
        self.asked.append((levels.copy(), far, centres.copy(), extra))
        super().screen(levels, far, centres, extra)
        self.dropped |= set(self.numbers.tolist()) - set(self._kept.tolist())


def two_clouds(seed: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) % 2, 1, -1)
    return rng.normal(size=(60, 4)) + apart * y[:, np.newaxis], y


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [math.inf, 1.0])
def test_screening_leaves_out_only_rows_without_weight(solver: str, bias: Any, C: float) -> None:
    epsilon, dropped = 1e-4 if solver in STEPS[:3] else 1e-12, 0
    for seed in range(4):
        X, y = two_clouds(seed, apart=1.6 if math.isinf(C) else 0.5)
        best, unit = nearest(X, y, bias, C), longest(X)
        found = []
        for screening in (True, False):
            spy = Spy(X, y, bias)
            goal, slack = Goal(epsilon), 0.5 / C
            found.append(nearest_point(spy, solver, goal, slack=slack, screening=screening, max_epochs=1000))
            for _, far, centres, _ in spy.asked:
                assert np.linalg.norm(centres.sum(axis=0)[: spy.d] - best.w[: spy.d]) <= far
            for part in parts(y, bias):
                level = best.leads[part].min()
                assert all(best.leads[i] > level + 1e-9 * unit * best.high for i in spy.dropped if i in part)
            assert screening or not spy.asked
            dropped += len(spy.dropped)
            assert spy.left_out == 0  # the last look is at all rows
            assert encloses(found[-1].lower, found[-1].upper, best, unit)
        assert found[0].stop_reason == found[1].stop_reason
        near = 1e-9 if solver in ("wolfe", "auto") else math.sqrt(epsilon)  # |w - w*|^2 is at most the gap times |w|
        assert np.linalg.norm(found[0].look.w - found[1].look.w) <= 2 * near * best.high
    assert dropped or solver not in ("mdm", "away")  # the others make few steps, or slow ones


@pytest.mark.parametrize("bias", BIASES)
def test_screening_with_a_smaller_reach_would_leave_out_rows_that_matter(bias: Any) -> None:
    lost = 0
    for seed in range(4):
        X, y = two_clouds(seed, apart=1.6)
        best, spy = nearest(X, y, bias), Spy(X, y, bias)
        nearest_point(spy, "kozinec", Goal(1e-4), screening=True, max_epochs=1000)
        for levels, far, centres, extra in spy.asked:
            again = Spy(X, y, bias)
            again.worst(centres.sum(axis=0))
            again.screen(levels, far / 100, centres, extra)
            lost += sum(best.weights[i] > 1e-3 for i in again.dropped)
    assert lost > 0
