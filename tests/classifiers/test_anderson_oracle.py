"""The generalised Anderson task against a second-order cone program, closed forms, and transformed tasks.

A failure names its size and seed: `random_task(d, m, seed)` is the task.
"""

import math
import warnings
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from rosenblatt import Anderson, OverlapWarning
from tests.support.effort import by_day

TIMES = by_day(0.5, 8)  # as many tasks as are named below
CLOSE = 1e-6  # times the radius, if that is above 1
KINDS = ["wishart", "thin", "all thin alike", "columns of different scale", "overlap"]
SIZES = {  # dimensions, Gaussians: how many tasks
    (2, 2): 20,
    (2, 3): 20,
    (2, 8): 20,
    (3, 5): 20,
    (3, 40): 10,
    (5, 4): 20,
    (8, 6): 20,
    (10, 20): 15,
    (20, 10): 15,
    (30, 3): 10,
    (50, 2): 5,
    (50, 40): 5,
}


class Task(NamedTuple):
    """Gaussians of two classes, -1 and +1."""

    means: np.ndarray
    covariances: np.ndarray
    labels: np.ndarray


def random_task(d: int, m: int, seed: int, kind: str = "") -> Task:
    """Return a task of the given kind, or of the kind that the seed selects."""
    rng = np.random.default_rng([d, m, seed])
    kind = kind or KINDS[(seed + m) % len(KINDS)]
    labels = np.where(np.arange(m) < rng.integers(1, m), -1, 1)
    covariances = random_covariances(rng, d, m, kind)
    if kind == "overlap":
        return Task(overlapping_means(rng, d, labels), covariances, labels)
    apart = rng.choice([0.1, 1, 3, 10]) * np.outer(labels, rng.standard_normal(d))
    means = rng.choice([0.1, 1]) * rng.standard_normal((m, d)) + apart + 3 * rng.standard_normal(d)
    if kind == "columns of different scale":
        scale = 10 ** rng.uniform(-2, 2, d)
        means, covariances = means * scale, covariances * np.outer(scale, scale)
    order = rng.permutation(m)
    return Task(means[order], covariances[order], labels[order])


def random_covariances(rng: np.random.Generator, d: int, m: int, kind: str) -> np.ndarray:
    """Wishart about a common covariance, or with eigenvalues of 1e-6 to 1; of different sizes."""
    if "thin" in kind:
        turns = np.linalg.qr(rng.standard_normal((1 if "alike" in kind else m, d, d)))[0]
        roots = turns * 10 ** rng.uniform(-3, 0, (m, 1, d))
    else:
        common = np.linalg.qr(rng.standard_normal((d, d)))[0] * 10 ** rng.uniform(-1, 0, d)
        roots = common @ rng.standard_normal((m, d, 2 * d)) / math.sqrt(2 * d)
    roots = roots * math.sqrt(d) * np.exp(rng.uniform(-1, 1, (m, 1, 1)))
    covariances = roots @ roots.transpose(0, 2, 1)
    return np.asarray((covariances + covariances.transpose(0, 2, 1)) / 2)


def overlapping_means(rng: np.random.Generator, d: int, labels: np.ndarray) -> np.ndarray:
    """One mean is halfway between two of the other class; if there are only two, they are equal. No rounding."""
    means = 2.0 * rng.integers(-9, 10, (len(labels), d))
    few, many = sorted([np.flatnonzero(labels < 0), np.flatnonzero(labels > 0)], key=len)
    means[few[0]] = (means[many[0]] + means[many[-1]]) / 2
    return means


def radius(task: Task, w: np.ndarray, b: float) -> float:
    leads = task.labels * (task.means @ w + b)
    return float((leads / np.sqrt((task.covariances @ w) @ w)).min())


class Oracle:
    """The largest radius by a cone program: r is possible if all y_i (w.mu_i + b) - r |L_i' w| are at least some t > 0.

    The mean of y_i (w.mu_i + b) is set to 1. Coordinates in which the mean covariance is 1 suit Clarabel; the radius
    does not depend on coordinates.
    """

    def __init__(self, task: Task) -> None:
        m, d = task.means.shape
        self.task, self.reached = task, -math.inf
        self.turn = np.linalg.inv(np.linalg.cholesky(task.covariances.mean(axis=0))).T
        self.centre = task.means.mean(axis=0)
        roots = self.turn.T @ np.linalg.cholesky(task.covariances)
        self.r = cp.Parameter(nonneg=True)
        self.w, self.b, self.t, spreads = cp.Variable(d), cp.Variable(), cp.Variable(), cp.Variable(m)
        leads = cp.multiply(task.labels, (task.means - self.centre) @ self.turn @ self.w + self.b)
        ends = cp.reshape(roots.transpose(0, 2, 1).reshape(m * d, d) @ self.w, (m, d), order="C")
        limits = [leads - self.r * spreads >= self.t, cp.SOC(spreads, ends, axis=1), cp.sum(leads) == m]
        self.program = cp.Problem(cp.Maximize(self.t), limits)

    def ask(self, r: float) -> float:
        """Return the t of this radius. `reached` becomes the largest radius of any hyperplane found on the way."""
        self.r.value = r
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            self.program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        if self.w.value is None:
            return -math.inf
        w = self.turn @ self.w.value
        self.reached = max(self.reached, radius(self.task, w, float(self.b.value) - self.centre @ w))
        return float(self.t.value)

    def largest(self) -> float:
        """Return the r at which t is 0, by Brent's method; 0 if no r above 0 is possible."""
        if self.ask(0.0) <= 1e-7:  # Clarabel answers to 1e-9; leads are 1 on average
            return 0.0
        high = 2 * self.reached + 1
        while self.ask(high) > 0:
            high *= 2
        return float(brentq(self.ask, 0, high, xtol=1e-8, rtol=1e-8))

    @property
    def sure(self) -> bool:
        """Whether Clarabel reported its last solution, near the largest radius, as accurate."""
        return str(self.program.status) != "optimal_inaccurate"


def fitted(task: Task, **options: Any) -> Anderson:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverlapWarning)
        return Anderson(**{"epsilon": CLOSE / 2, **options}).fit_gaussians(*task)


def separable_tasks(count: int, kinds: list[str] = KINDS[:4]) -> list[Task]:
    """Return tasks of 4 Gaussians in 3 to 9 dimensions; up to d + 1 means in general position are separable."""
    return [random_task(3 + seed % 7, 4, seed, kinds[seed % len(kinds)]) for seed in range(math.ceil(TIMES * count))]


def with_radius(r: float, task: Task) -> Task:
    """Return the task with all means moved closer or farther, so that its largest radius is r."""
    return task._replace(means=task.means * (r / Oracle(task).largest()))


def hyperplane(model: Anderson) -> tuple[np.ndarray, float]:
    return model.coef_[0], float(model.intercept_[0])


def whitened(task: Task, w: np.ndarray, b: float) -> np.ndarray:
    """Return a hyperplane of length 1 in coordinates about the mean of means in which the mean covariance is 1."""
    seen = np.append(np.linalg.cholesky(task.covariances.mean(axis=0)).T @ w, b + task.means.mean(axis=0) @ w)
    return np.asarray(seen / np.linalg.norm(seen))


# ---------------------------------------------------------------------------------------------------------------------
# Against the cone program


def check(task: Task) -> str:
    """Return what is wrong with the result; empty if nothing is."""
    oracle = Oracle(task)
    best, model = oracle.largest(), fitted(task)
    if best == 0 or model.stop_reason_ == "proved_overlap":
        agreed = best == 0 and model.stop_reason_ == "proved_overlap" and model.radius_bounds_[1] == 0
        return "" if agreed else f"{best} by the oracle, but {model.stop_reason_}, {model.radius_bounds_}"
    lower, upper = model.radius_bounds_
    own = radius(task, *hyperplane(model))
    size, rounding = max(1.0, best), 1e-9 * max(1.0, best)
    claims = {
        "the bounds are close": model.stop_reason_ == "gap_closed" and lower <= upper <= lower + CLOSE * size,
        "the hyperplane has the lower bound": own >= lower - rounding,
        "none that the oracle saw is above the upper bound": oracle.reached <= upper + rounding,
        "none that the oracle saw is better": oracle.reached <= lower + CLOSE * size,
        "the lower bound is the oracle's": not oracle.sure or abs(lower - best) <= CLOSE * size,
        "the upper bound is the oracle's": not oracle.sure or abs(upper - best) <= CLOSE * size,
    }
    wrong = [claim for claim, holds in claims.items() if not holds]
    return f"not so: {wrong}; {lower, upper}, by the oracle {best}, seen {oracle.reached}" if wrong else ""


@pytest.mark.parametrize(("d", "m"), SIZES)
def test_bounds_are_those_of_the_cone_program(d: int, m: int) -> None:
    found = {seed: check(random_task(d, m, seed)) for seed in range(math.ceil(TIMES * SIZES[d, m]))}
    assert not any(found.values()), "\n".join(
        f"random_task({d}, {m}, {seed}): {text}" for seed, text in found.items() if text
    )


@pytest.mark.parametrize("r", [0.05, 0.5, 2.0, 6.0])
def test_a_target_is_met_just_above_the_least_error_and_impossible_just_below(r: float) -> None:
    above, below = norm.sf(r) * 1.0001, norm.sf(r) * 0.9999
    for task in separable_tasks(4):
        given = with_radius(r, task)
        met, refused = fitted(given, max_error=above), fitted(given, max_error=below)
        assert (met.stop_reason_, refused.stop_reason_) == ("target", "impossible")
        assert met.component_errors_.max() < above
        assert refused.worst_error_bounds_[0] >= below


def test_errors_are_those_of_samples() -> None:
    """The tolerance is five standard deviations of a count, and five more for tiny counts."""
    rng, n = np.random.default_rng(1), 100_000
    for task in separable_tasks(4):
        given = with_radius(1.0, task)
        model = fitted(given)
        assert model.component_errors_.max() == pytest.approx(norm.sf(1), abs=CLOSE)
        for mean, covariance, label, error in zip(*given, model.component_errors_, strict=True):
            drawn = mean + rng.standard_normal((n, len(mean))) @ np.linalg.cholesky(covariance).T
            wrong = (model.predict(drawn) != label).sum()
            assert abs(wrong - n * error) < 5 * math.sqrt(n * error) + 5


# ---------------------------------------------------------------------------------------------------------------------
# The same Gaussians in another way. The radius is flat at its maximum, so that a hyperplane is known to the root of
# epsilon only.


def test_an_affine_map_moves_the_hyperplane_and_keeps_the_radius() -> None:
    """Columns of different scale are left out: rounding would leave few digits once they are mixed."""
    for seed, task in enumerate(separable_tasks(16, KINDS[:3])):
        rng, d = np.random.default_rng(seed), task.means.shape[1]
        left, right = np.linalg.qr(rng.standard_normal((2, d, d)))[0]
        A, c = left * rng.uniform(0.5, 2, d) @ right, 10 * rng.standard_normal(d)
        covariances = A @ task.covariances @ A.T
        moved = Task(task.means @ A.T + c, (covariances + covariances.transpose(0, 2, 1)) / 2, task.labels)
        one, two = fitted(task, epsilon=1e-8), fitted(moved, epsilon=1e-8)
        assert two.radius_bounds_ == pytest.approx(one.radius_bounds_, rel=CLOSE, abs=CLOSE)
        w, b = hyperplane(two)
        assert whitened(task, w @ A, b + float(w @ c)) == pytest.approx(whitened(task, *hyperplane(one)), abs=1e-3)


def test_the_order_of_the_gaussians_does_not_matter() -> None:
    for seed, task in enumerate(separable_tasks(16)):
        order = np.random.default_rng(seed).permutation(len(task.means))
        mixed = Task(*(part[order] for part in task))
        one, two = fitted(task, epsilon=1e-8), fitted(mixed, epsilon=1e-8)
        assert two.radius_bounds_ == pytest.approx(one.radius_bounds_, rel=CLOSE, abs=CLOSE)
        assert two.component_radii_ == pytest.approx(one.component_radii_[order], rel=1e-3)
        assert whitened(mixed, *hyperplane(two)) == pytest.approx(whitened(task, *hyperplane(one)), abs=1e-3)


def test_other_labels_turn_the_hyperplane_round() -> None:
    for task in separable_tasks(16):
        one, two = fitted(task, epsilon=1e-8), fitted(task._replace(labels=-task.labels), epsilon=1e-8)
        assert two.radius_bounds_ == pytest.approx(one.radius_bounds_, rel=CLOSE, abs=CLOSE)
        assert whitened(task, *hyperplane(two)) == pytest.approx(-whitened(task, *hyperplane(one)), abs=1e-3)


# ---------------------------------------------------------------------------------------------------------------------
# Two Gaussians


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 20, 30])
def test_two_solvers_agree_on_two_gaussians(d: int) -> None:
    for seed in range(math.ceil(12 * TIMES)):
        task = random_task(d, 2, seed, KINDS[seed % 4])
        one, two = (fitted(task, solver=solver) for solver in ("bahadur", "ascent"))
        assert one.radius_bounds_ == pytest.approx(two.radius_bounds_, rel=CLOSE, abs=CLOSE)


@pytest.mark.parametrize("solver", ["bahadur", "ascent"])
@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_equal_covariances_give_fishers_direction_and_half_of_mahalanobis_distance(d: int, solver: str) -> None:
    for seed in range(math.ceil(5 * TIMES)):
        means, covariances, labels = random_task(d, 2, seed, KINDS[seed % 4])
        model = fitted(Task(means, covariances[[0, 0]], labels), solver=solver)
        apart = labels @ means
        direction = np.linalg.solve(covariances[0], apart)
        half = math.sqrt(apart @ direction) / 2
        assert model.radius_bounds_ == pytest.approx((half, half), rel=CLOSE, abs=CLOSE)
        (w, b), root = hyperplane(model), np.linalg.cholesky(covariances[0])
        spread, off = np.linalg.norm(w @ root), CLOSE * max(1.0, half)
        assert abs(w @ means.mean(axis=0) + b) <= off * spread
        cosine = (w @ root) @ (direction @ root) / (spread * np.linalg.norm(direction @ root))
        assert cosine * half >= half - off


@pytest.mark.parametrize("solver", ["bahadur", "ascent"])
def test_one_dimension_by_hand(solver: str) -> None:
    """The boundary is as many deviations from one mean as from the other."""
    rng = np.random.default_rng(0)
    for _ in range(math.ceil(40 * TIMES)):
        (low, high), (s, t) = np.sort(10 * rng.standard_normal(2)), 10 ** rng.uniform(-2, 2, 2)
        task = Task(np.array([[low], [high]]), np.array([[[s * s]], [[t * t]]]), np.array([-1, 1]))
        model, r = fitted(task, solver=solver), (high - low) / (s + t)
        assert model.radius_bounds_ == pytest.approx((r, r), rel=CLOSE, abs=CLOSE)
        assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(low + r * s, abs=CLOSE * max(1, r) * max(s, t))
