"""Theorems of the hull rules: |w| falls, the lecture's inequality ends a run, each step is the best on its segment."""

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Kozinec
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.hulls import newton
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import Search, nearest_point
from rosenblatt.hulls.search_types import Goal, Nearest
from rosenblatt.rules import hull as hull_rules
from rosenblatt.rules import wolfe
from rosenblatt.rules.hull import Hull
from tests.hulls.test_search import BIASES, SOLVERS, STEPS, any_end, biases, longest, parts, seeds, signed
from tests.support.effort import pairwise
from tests.support.oracle import dot


class Seen(NamedTuple):
    """The state of a search at a look."""

    w: np.ndarray
    active: np.ndarray
    weights: np.ndarray  # of all rows


def points_of(X: Any, y: np.ndarray, bias: Any) -> InMemory:
    rows = as_rows(X, 0.0 if bias == "free" else bias)
    return InMemory(rows, X.shape[1], y.astype(np.int8), two=bias == "free")


def watched(
    X: np.ndarray,
    y: np.ndarray,
    solver: str,
    bias: Any,
    goal: Goal,
    C: float = math.inf,
    max_epochs: int = 300,
) -> tuple[Nearest, list[Seen]]:
    seen: list[Seen] = []

    def watch(search: Search) -> None:
        weights = np.zeros(len(X))
        weights[search.active] = search.weights
        seen.append(Seen(search.now.w[: signed(X, y, bias).shape[1]], search.active.copy(), weights))

    slack = 0.5 / C
    found = nearest_point(points_of(X, y, bias), solver, goal, slack=slack, max_epochs=max_epochs, watch=watch)
    return found, seen


def clouds(seed: int, apart: float = 1.0, n: int = 30, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, `apart` or more from the plane x_0 = 0, all columns of the same scale."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, d))
    X[:, 0] = y * (apart + np.abs(X[:, 0]))
    return X, y


def lowest(Z: np.ndarray, y: np.ndarray, bias: Any, w: np.ndarray) -> float:
    """min w.z, over rows or over pairs of rows."""
    return float(sum((Z[part] @ w).min() for part in parts(y, bias)))


# ---------------------------------------------------------------------------------------------------------------------
# At every step


@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=seeds, bias=biases, C=st.sampled_from([math.inf, 1.0, 100.0]), apart=st.sampled_from([-1.0, 0.1, 1.0]))
def test_w_becomes_shorter_and_stays_a_convex_combination(
    solver: str, seed: int, bias: Any, C: float, apart: float
) -> None:
    X, y = clouds(seed, apart)
    found, seen = watched(X, y, solver, bias, Goal(1e-3), C, max_epochs=50)
    Z, lifted = signed(X, y, bias), signed(X, y, bias, C)
    unit = longest(lifted)
    for at in seen:
        assert (at.weights >= 0).all()
        assert all(at.weights[part].sum() == pytest.approx(1.0, rel=1e-12) for part in parts(y, bias))
        assert np.linalg.norm(at.w - at.weights @ Z) <= 1e-13 * unit
    lengths = np.array([np.linalg.norm(at.weights @ lifted) for at in seen])
    assert (lengths[1:] <= lengths[:-1] * (1 + 1e-12) + 1e-15 * unit).all()
    assert (np.diff(found.history["upper"]) <= 0).all()
    assert len(found.history) == len(seen) or solver == "auto"


@pytest.mark.parametrize("solver", STEPS)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["absolute", "relative"])
@pytest.mark.parametrize("epsilon", [0.3, 0.03, 1e-3])
def test_the_inequality_of_the_lecture_holds_at_the_stop_and_not_before(
    solver: str, bias: Any, kind: str, epsilon: float
) -> None:
    for seed in range(4):
        X, y = clouds(seed)
        found, seen = watched(X, y, solver, bias, Goal(epsilon, kind), max_epochs=5000)
        Z = signed(X, y, bias)
        lengths = np.array([np.linalg.norm(at.w) for at in seen])
        lows = np.array([lowest(Z, y, bias, at.w) for at in seen]) / lengths
        holds = lengths - lows <= epsilon * (lengths if kind == "relative" else 1.0)
        assert found.stop_reason == "gap_closed"
        assert holds.tolist() == [False] * (len(seen) - 1) + [True]
        assert found.history["lower"] == pytest.approx(lows, rel=1e-12, abs=1e-12)
        assert found.history["upper"] == pytest.approx(lengths, rel=1e-12)
        assert found.look.w[: len(seen[-1].w)].tolist() == seen[-1].w.tolist()


@pytest.mark.parametrize("solver", STEPS)
@pytest.mark.parametrize("bias", BIASES)
def test_without_epsilon_the_first_w_that_separates_is_the_answer(solver: Any, bias: Any) -> None:
    steps = 0
    for seed in range(10):
        X, y = clouds(seed, apart=0.05)
        found, seen = watched(X, y, solver, bias, Goal(None), max_epochs=5000)
        separates = [lowest(signed(X, y, bias), y, bias, at.w) > 0 for at in seen]
        assert found.stop_reason == "separated"
        assert separates == [False] * (len(seen) - 1) + [True]
        steps += len(seen) - 1
        model = Kozinec(solver=solver, bias=bias, epsilon=None).fit(X, y)
        assert (y * model.decision_function(X) > 0).all()
    assert steps > 10


# ---------------------------------------------------------------------------------------------------------------------
# The rules, in fractions


Weights = list[Fraction]


def exact_steps(rule: str, Z: list[Weights], of: list[list[int]], weights: Weights) -> list[Weights]:
    """The weights after a step, the steepest of the moves that the rule has, as far as makes w shortest.

    One answer, or several where rows or moves tie, or so nearly that rounding decides; none near the nearest point.
    """
    w = combined(weights, Z)
    lead, tie = [dot(w, z) for z in Z], max(dot(z, z) for z in Z) / 10**11
    moves: list[tuple[Weights, Fraction]] = []  # the change of the weights, and how far it may go
    for rows in of:
        with_weight = [i for i in rows if weights[i]]
        low, high = min(lead[i] for i in rows), max(lead[i] for i in with_weight)
        worst, best = [i for i in rows if lead[i] <= low + tie], [i for i in with_weight if lead[i] >= high - tie]
        own = [weights[i] * (i in rows) for i in range(len(Z))]
        if rule in ("kozinec", "away"):
            moves += [([(i == k) - own[i] for i in range(len(Z))], Fraction(1)) for k in worst]
        if rule == "away":
            away = [k for k in best if own[k] < 1]
            moves += [([own[i] - (i == k) for i in range(len(Z))], own[k] / (1 - own[k])) for k in away]
        if rule == "mdm":
            pairs = itertools.product(worst, best)
            moves += [([Fraction((i == k) - (i == j)) for i in range(len(Z))], own[j]) for k, j in pairs]
    steepest, following = max(-dot(change, lead) for change, _ in moves), []
    for change, most in moves:
        if steepest > 1000 * tie and -dot(change, lead) >= steepest - tie:
            along = combined(change, Z)
            share = min(most, -dot(change, lead) / dot(along, along))
            following.append([a + share * b for a, b in zip(weights, change, strict=True)])
    return following


def combined(weights: Weights, Z: list[Weights]) -> Weights:
    return [dot(weights, column) for column in zip(*Z, strict=True)]


@pytest.mark.parametrize("rule", ["kozinec", "mdm", "away"])
@given(seed=seeds, bias=biases, C=st.sampled_from([math.inf, 2.0]))
def test_steps_are_those_of_the_fractions(rule: str, seed: int, bias: Any, C: float) -> None:
    """With C = 2 each row has a column of its own with the number 1/2."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X, y = rng.integers(-9, 10, size=(n, d)).astype(np.float64), rng.choice([-1, 1], size=n)
    y[:2] = 1, -1
    X[:, 0] += 5 * y
    Z, of = [[*map(Fraction, z)] for z in signed(X, y, bias, C).tolist()], parts(y, bias)
    _, seen = watched(X, y, rule, bias, Goal(1e-12), C, max_epochs=25)
    exact = [Fraction(any(i == rows[0] for rows in of)) for i in range(n)]  # the first row of each part
    assert seen[0].weights.tolist() == exact
    for t, at in enumerate(seen[1:]):
        options = exact_steps(rule, Z, of, exact)
        if not options:
            return
        exact = min(options, key=lambda option: np.abs(np.array(option, dtype=float) - at.weights).max())
        assert at.weights == pytest.approx(np.array(exact, dtype=float), abs=1e-12 if t < 6 else 1e-9)
        w = np.array(combined(exact, Z), dtype=float)[: len(at.w)]
        assert np.linalg.norm(at.w - w) <= (1e-12 if t < 6 else 1e-9) * (1 + longest(X))
        if t >= 5:  # numbers become long: from here on, each step from the floats of the step before
            exact = [*map(Fraction, at.weights.tolist())]
            exact = [weight / sum(exact[k] for k in rows) for i, weight in enumerate(exact) for rows in of if i in rows]
    assert len(seen) == 25 or not exact_steps(rule, Z, of, exact)


# ---------------------------------------------------------------------------------------------------------------------
# Wolfe


@pytest.mark.parametrize("apart", [-0.5, 0.1, 1.0])
@given(seed=seeds, bias=biases, whole=st.booleans(), C=st.sampled_from([math.inf, math.inf, 1.0]))
def test_the_corral_is_independent_and_w_its_affine_minimum(
    apart: float, seed: int, bias: Any, whole: bool, C: float
) -> None:
    X, y = clouds(seed, apart)
    X = np.round(3 * X) if whole else X
    _, seen = watched(X, y, "wolfe", bias, Goal(1e-9), C)
    lifted = signed(X, y, bias, C)
    unit, d = longest(lifted), X.shape[1]
    assert len(seen) <= 60
    for at in seen:
        members = [np.intersect1d(at.active, part) for part in parts(y, bias)]
        indicators = [np.isin(at.active, part) * unit for part in parts(y, bias)]
        singular = np.linalg.svd(np.column_stack([lifted[at.active], *indicators]), compute_uv=False)
        assert len(singular) == len(at.active)
        assert singular[-1] > 1e-9 * unit
        assert len(at.active) <= d + 2 or math.isfinite(C)
        w = at.weights @ lifted
        for rows in members:
            assert np.ptp(lifted[rows] @ w) <= 1e-8 * unit * np.linalg.norm(w) + 1e-14 * unit**2


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [math.inf, 1.0, 1e3])
@pytest.mark.parametrize("d", [2, 10, 310])
def test_auto_and_wolfe_agree(bias: Any, C: float, d: int) -> None:
    for seed in range(1 if d > 300 else 5):
        X, y = clouds(seed, apart=0.5, n=50, d=d)
        a, b = (Kozinec(solver=solver, bias=bias, C=C, epsilon=1e-10).fit(X, y) for solver in ("auto", "wolfe"))
        assert a.stop_reason_ == b.stop_reason_ == "gap_closed"
        assert np.linalg.norm(a.coef_ - b.coef_) <= 1e-9 * np.linalg.norm(b.coef_)
        assert a.intercept_ == pytest.approx(b.intercept_, abs=1e-9 * float(np.linalg.norm(b.coef_)) * longest(X))
        assert b.n_updates_ <= 10 * len(X)


# ---------------------------------------------------------------------------------------------------------------------
# Kernels


def cloud(seed: int, n: int = 40, d: int = 4, apart: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, numbers that float32 holds exactly, a third of them zero."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.67)
    X[:, 0] = y * (apart + np.abs(rng.normal(size=n)))
    return X.astype(np.float32).astype(np.float64), y


FORMS = {"dense": np.float64, "dense32": np.float32, "sparse": np.float64, "sparse32": np.float32}
HELD_FORMS = ["dense", "sparse"]  # a search converts float32 to float64 first


def stored(X: np.ndarray, form: str) -> Any:
    X = np.ascontiguousarray(X.astype(FORMS[form]))
    return scipy.sparse.csr_array(X) if form.startswith("sparse") else X


@pytest.mark.parametrize(("solver", "bias", "C"), pairwise(SOLVERS, BIASES, [math.inf, 1.0]))
def test_storage_does_not_change_the_answer(solver: Any, bias: Any, C: float) -> None:
    """Rounding decides ties in the steps of `mdm`, so only the distances of its answers to the optimum are compared."""
    for seed in range(3):
        X, y = cloud(seed, apart=0.5 if math.isinf(C) else -0.3)
        models = []
        for form in FORMS:
            model = Kozinec(solver=solver, bias=bias, C=C, epsilon=1e-4, max_epochs=2000 if solver == "mdm" else 200)
            with any_end():
                models.append(model.fit(stored(X, form), y))
        length = 2 * models[0].margin_bounds_[1]  # of w, or more
        for model in models[1:]:
            assert model.stop_reason_ == models[0].stop_reason_
            if solver == "mdm":
                assert np.linalg.norm(model.coef_ - models[0].coef_) <= 2 * math.sqrt(1e-4) * length
                continue
            assert model.support_.tolist() == models[0].support_.tolist()
            assert np.linalg.norm(model.coef_ - models[0].coef_) <= 1e-9 * np.linalg.norm(model.coef_)
            assert model.dual_coef_ == pytest.approx(models[0].dual_coef_, rel=1e-9, abs=1e-9)


def combination(points: InMemory, rows: list[int], weights: np.ndarray) -> Hull:
    """A Hull for the compiled rules, without the factor of Wolfe's rule."""
    n = len(rows)
    lists = np.zeros(n + 3, np.int64), np.zeros(n + 3), np.array([n])
    hull = Hull(*lists, np.zeros((2, points.d + 1)), np.zeros(points.d + 1), np.zeros((n + 3, n + 3)), points.radius)
    hull.points[:n], hull.weights[:n] = rows, weights
    hull_rules.normalise(points.held.part, hull)
    hull_rules.combine(*points.held, hull, hull.centres, hull.w)
    return hull


def both(kernel: Any) -> tuple[Any, Any]:
    """Each rule, compiled and interpreted."""
    return kernel, kernel.run_as_python


@pytest.mark.parametrize("form", HELD_FORMS)
@given(seed=seeds, bias=biases)
def test_looks_compiled_and_interpreted_agree(form: str, seed: int, bias: Any) -> None:
    rng = np.random.default_rng(seed)
    X, y = cloud(seed, n=12, apart=rng.normal())
    Z, kept, held = signed(X, y, bias), np.sort(rng.permutation(12)[:9]), points_of(stored(X, form), y, bias).held
    w, lift = rng.normal(size=5), np.abs(rng.normal(size=12))
    plain = Z @ w[: Z.shape[1]]
    for worst, mistakes in zip(both(hull_rules.worst), both(hull_rules.mistakes), strict=True):
        leads, total = np.zeros(12), np.zeros(5)
        row, lead, low = worst(*held, w, lift, kept, leads)
        assert leads[:9] == pytest.approx(plain[kept], rel=1e-12, abs=1e-12)
        for p in (0, 1):
            smallest = min(((plain[i] + lift[i], i) for i in kept if held.part[i] == p), default=(math.inf, -1))
            assert row[p] == smallest[1]
            assert lead[p] == pytest.approx(smallest[0], rel=1e-12, abs=1e-12)
            assert low[p] == pytest.approx(lead[p], rel=1e-12, abs=1e-12)
            assert low[p] <= lead[p]
        assert mistakes(held.rows, held.y, w, total) == (plain <= 0).sum()
        assert total[: Z.shape[1]] == pytest.approx(Z[plain <= 0].sum(axis=0), rel=1e-12, abs=1e-12)


@given(seed=seeds, bias=biases)
def test_rows_below_a_bar(seed: int, bias: Any) -> None:
    """All of them if they are few, else the lowest of each part."""
    rng = np.random.default_rng(seed)
    X, y = cloud(seed, n=12, apart=rng.normal())
    points, w, bar = points_of(X, y, bias), rng.normal(size=5), rng.normal(size=2)
    found = points.worst(w)
    leads = signed(X, y, bias) @ w[: signed(X, y, bias).shape[1]]
    part = points.held.part
    low = [i for i in range(12) if leads[i] < bar[part[i]]]
    assert points.below(bar, 12).tolist() == low
    few = points.below(bar, 2)
    if len(low) > 2:
        for p in (0, 1):
            own = sorted((i for i in low if part[i] == p), key=lambda i: leads[i])
            assert sorted(i for i in few.tolist() if part[i] == p) == sorted(own[:2])
    shift = (found.lead - found.lead[::-1]) / 2 if points.two else np.zeros(2)
    assert found.wrong == sum(leads[i] <= shift[part[i]] for i in range(12))


@pytest.mark.parametrize("form", HELD_FORMS)
@pytest.mark.parametrize("rule", [hull_rules.kozinec, hull_rules.mdm, hull_rules.away, wolfe.wolfe])
@given(seed=seeds, bias=biases, slack=st.sampled_from([0.0, 0.5]))
def test_steps_compiled_and_interpreted_agree(form: str, rule: Any, seed: int, bias: Any, slack: float) -> None:
    X, y = cloud(seed, n=12, apart=np.random.default_rng(seed).normal())
    points, Z, ends = points_of(stored(X, form), y, bias), signed(X, y, bias)[:3], []
    same = np.equal.outer(points.held.part[:3], points.held.part[:3])
    products = Z @ Z.T + points.radius**2 * same + slack * np.eye(3)  # whose factor Wolfe's rule keeps
    for kernel in both(rule):
        hull = combination(points, [0, 1, 2], np.array([0.2, 0.3, 0.5]))
        hull.factor[:3, :3] = np.linalg.cholesky(products).T
        worst = points.worst(hull.w, np.arange(3), slack * hull.weights[:3])
        row = kernel(*points.held, hull, worst.row, worst.lead, slack)
        n = int(hull.size[0])
        numbers = hull.weights[:n], hull.centres, hull.w, hull.factor[:n, :n] if rule is wolfe.wolfe else 0.0
        ends.append(([row, n, *hull.points[:n]], np.concatenate([np.ravel(a) for a in numbers])))
    assert ends[0][0] == ends[1][0]
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-12, abs=1e-12)


@given(seed=seeds, bias=st.sampled_from(["free", 1.0]), sparse=st.booleans())
def test_combine_rounds_once(seed: int, bias: Any, sparse: bool) -> None:
    """Of two classes that are 10^4 long and 10^-9 apart, with the same weights, little remains; a plain sum has none
    of its digits right."""
    rng = np.random.default_rng(seed)
    half, d = int(rng.integers(2, 20)), int(rng.integers(1, 5))
    A = 1e4 * rng.normal(size=(half, d))
    X = np.vstack([A, A + 1e-9 * rng.normal(size=(half, d))])
    y = np.repeat([1, -1], half)
    points, weights = points_of(stored(X, "sparse" if sparse else "dense"), y, bias), rng.dirichlet(np.ones(half))
    hull = combination(points, [*range(2 * half)], np.tile(weights, 2))
    shares = [*map(Fraction, hull.weights[: 2 * half].tolist())]
    Z, of = [[*map(Fraction, z)] for z in signed(X, y, bias).tolist()], parts(y, bias)
    total = {i: sum((shares[i] for i in rows), Fraction(0)) for rows in of for i in rows}
    exact = [sum((shares[i] / total[i] * Z[i][j] for i in range(2 * half)), Fraction(0)) for j in range(len(Z[0]))]
    errors = [abs(Fraction(a) - b) for a, b in zip(hull.w.tolist(), exact, strict=False)]
    tiny = Fraction(2) ** -84  # of a length of 10^4, 2^-97
    assert all(error <= abs(b) / 2**50 + tiny for error, b in zip(errors, exact, strict=False))
    plain = hull.weights[: 2 * half] @ signed(X, y, bias)
    assert (
        max(abs(Fraction(a) - b) / abs(b) for a, b in zip(plain[:d].tolist(), exact, strict=False)) > Fraction(2) ** -40
    )


# ---------------------------------------------------------------------------------------------------------------------
# Newton's guess


@pytest.mark.parametrize(
    ("form", "bias", "wide", "few", "C"),
    pairwise(HELD_FORMS, BIASES, [2000, 2], [0, 1000], [1e-3, 1.0, 100.0]),
)
def test_newton_ends_where_the_gradient_is_zero(
    form: str, bias: Any, wide: int, few: int, C: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sparse rows stay a sparse matrix if they are not few."""
    monkeypatch.setattr(newton, "MAX_MATRIX_COLUMNS", wide)
    monkeypatch.setattr(newton, "FEW_NUMBERS", few)
    for seed in range(5):
        X, y = cloud(seed, n=60, apart=-0.3)
        points = points_of(stored(X, form), y, bias)
        rows, slacks = newton.weights_by_newton(points.held, 4, C, two=points.two, radius=points.radius)
        Z, slack = signed(X, y, 1.0 if bias == "free" else bias), np.zeros(60)
        slack[rows] = slacks
        assert (slacks > 0).all()
        w = 2 * C * slack @ Z  # where the gradient is zero; a free bias has no price, and is seen in the slacks
        if bias == "free":
            assert w[-1] == pytest.approx(0.0, abs=1e-8 * C * slack.sum())
            w[-1] = np.mean((y * (1 - slack) - X @ w[:-1])[rows])
        assert slack == pytest.approx(np.maximum(0.0, 1 - Z @ w), abs=1e-7)
        weights = slack.copy()
        for part in parts(y, bias):
            weights[part] /= slack[part].sum()
        lifted = signed(X, y, bias, C)
        nearest_ = weights @ lifted
        leads, square = lifted @ nearest_, nearest_ @ nearest_
        assert square - sum(leads[part].min() for part in parts(y, bias)) < 1e-8 * square
