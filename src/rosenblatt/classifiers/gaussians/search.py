"""The search for the hyperplane of the largest radius: three solvers, one record, and bounds at every step."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.events import PassCallbacks, report_progress
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.gaussians.ascent import ascent
from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.classifiers.gaussians.margins import Margins, SolverState
from rosenblatt.classifiers.gaussians.radius_bounds import (
    Contacts,
    estimated_radius,
    exact_lower_bound,
    exact_upper_bound,
    radius_lower_bound,
    radius_upper_bound,
)
from rosenblatt.data.validation import Floats
from rosenblatt.errors import DataError
from rosenblatt.rules.ellipsoids import generalised_gradient, weigh

SUFFICIENT_RADIUS = 1e5  # standard deviations; a search stops there
HALVINGS = 60  # of the interval in the bisection
TINY_WEIGHT = 1e-6  # part of the largest weight; a smaller weight may tend to 0
RELATIVE_ERROR = 1e-14  # of the radius of a target, and of error bounds
MAX_EXACT_CHECKS = 3  # of bounds that only rounding keeps apart


class Goal(NamedTuple):
    """When to stop: at a gap of epsilon (times the radius, if that is above 1), or when a wanted radius is decided."""

    epsilon: float
    radius: float | None

    def reached(self, lower: float, upper: float) -> StopReason | None:
        if self.radius is not None:
            if lower > self.radius * (1 + RELATIVE_ERROR):
                return StopReason.TARGET
            return StopReason.IMPOSSIBLE if upper <= self.radius * (1 - RELATIVE_ERROR) else None
        close = lower >= SUFFICIENT_RADIUS or upper - lower <= self.epsilon * max(1.0, lower)
        return StopReason.GAP_CLOSED if close else None


class SearchResult(NamedTuple):
    """The best hyperplane, the bounds on the radius, and why the search stopped."""

    v: Floats  # the hyperplane, the bias weight last
    lower: float  # a lower bound on its radius
    contacts: Contacts | None  # they prove an upper bound on every radius
    stop_reason: StopReason
    history: NDArray[np.void]

    @property
    def upper(self) -> float:
        return self.contacts.upper if self.contacts else math.inf


@dataclass
class SearchRecord:
    """The best hyperplane and contacts so far, and one line per step."""

    given: Gaussians
    goal: Goal
    v: Floats
    lower: float
    contacts: Contacts | None = None
    promising: Contacts | None = None  # the contacts with the best bound if rounding is ignored
    lines: list[tuple[Floats, float, float, float]] = field(default_factory=list)

    @property
    def upper(self) -> float:
        return self.contacts.upper if self.contacts else math.inf

    def keep(self, state: SolverState) -> StopReason | None:
        """SearchRecord a step; return the reason to stop if the goal is reached."""
        v = self.given.original_plane(state.v)
        if not np.isfinite(v).all():
            return None
        radius = radius_lower_bound(self.given, v)
        if radius > self.lower:
            self.lower, self.v = radius, v
        if state.weights is not None and math.isfinite(radius):
            for weights in _with_and_without_tiny_weights(state.weights):
                self._add_contacts(radius_upper_bound(self.given, weights, max(radius, 0.0) * state.contact_directions))
        self.lines.append((v, radius, self.lower, self.upper))
        return self.goal.reached(self.lower, self.upper)

    def _add_contacts(self, contacts: Contacts | None) -> None:
        if contacts is not None:
            self.contacts = min(self.contacts or contacts, contacts, key=lambda contacts: contacts.upper)
            self.promising = min(self.promising or contacts, contacts, key=lambda contacts: contacts.likely)

    @property
    def seems_done(self) -> bool:
        """Whether the goal would be reached if rounding were ignored."""
        if self.promising is None:
            return False
        return self.goal.reached(estimated_radius(self.given, self.v), self.promising.likely) is not None

    def bound_exactly(self) -> StopReason | None:
        """Compute the bounds in exact arithmetic; return the reason to stop if the goal is reached."""
        self.lower = max(self.lower, exact_lower_bound(self.given, self.v))
        if self.contacts and self.promising:
            exact = exact_upper_bound(self.given, self.promising)
            self.contacts = min(self.contacts, exact, key=lambda contacts: contacts.upper)
        self.lines[-1:] = [(*self.lines[-1][:2], self.lower, self.upper)] if self.lines else []
        return self.goal.reached(self.lower, self.upper)

    def result(self, reason: StopReason) -> SearchResult:
        contacts = self.contacts if math.isfinite(self.upper) else None
        return SearchResult(self.v, self.lower, contacts, reason, self.history())

    def history(self) -> NDArray[np.void]:
        return history_array(self.lines or [(self.v, self.lower, self.lower, self.upper)], self.given.d)


def history_array(lines: list[tuple[Floats, float, float, float]], d: int) -> NDArray[np.void]:
    """Return the lines as a structured array."""
    return np.array(lines, dtype=[("w", float, (d + 1,)), ("radius", float), ("lower", float), ("upper", float)])


def _with_and_without_tiny_weights(weights: Floats) -> list[Floats]:
    """Return the weights, and the weights without tiny ones: points whose weight tends to 0 can spoil a bound."""
    large = np.where(weights > TINY_WEIGHT * weights.max(), weights, 0.0)
    return [weights] if (large > 0).sum() == (weights > 0).sum() else [weights, large]


def search(
    given: Gaussians, start: Floats, solver: str, goal: Goal, max_iter: int, callbacks: PassCallbacks | None = None
) -> SearchResult:
    """From a hyperplane for the centred means, all on their right side, to the one of the largest radius."""
    with np.errstate(all="ignore"):  # what floats cannot hold is seen by its not being finite
        v = given.original_plane(start)
        if not np.isfinite(v).all():
            raise DataError("The Gaussians are too far apart, or too narrow, for floats; bring them closer to 1.")
        record = SearchRecord(given, goal, v, radius_lower_bound(given, v))
        return _search(record, SOLVERS[solver](given.centred, start), max_iter, callbacks)


def _search(
    record: SearchRecord, states: Iterator[SolverState], max_iter: int, callbacks: PassCallbacks | None
) -> SearchResult:
    tries = MAX_EXACT_CHECKS
    reason: StopReason | None = None
    for step, state in enumerate(itertools.islice(states, max_iter + 1)):
        follower = callbacks if step else None  # the start is not a step
        if follower is not None:
            follower.begin()
        reason = record.keep(state)
        if not reason and tries and record.seems_done:
            reason, tries = record.bound_exactly(), tries - 1
        said = "step {}, radius between {:.6g} and {:.6g}"
        report_progress("search of the worst error", step, None, said, step, record.lower, record.upper)
        if follower is not None and follower.end(partial(record.result, reason or StopReason.BUDGET)):
            reason = reason or StopReason.CONDITION
        if reason:
            break
    else:
        last = StopReason.BUDGET if len(record.lines) > max_iter else StopReason.ROUNDING
        reason = record.bound_exactly() or last
    return record.result(reason)


def starting_hyperplane(centred: Gaussians) -> Floats:
    """Return a hyperplane between the classes: the point nearest to 0 in the convex hull of the signed means."""
    m = centred.signed
    weights = np.empty(len(m))
    weigh(m @ m.T, np.zeros(len(m)), np.ones(len(m)), weights)
    return np.asarray(weights @ m)


def overlap_result(given: Gaussians, rows: Sequence[int], weights: Sequence[Fraction], goal: Goal) -> SearchResult:
    """Return the result where means of both classes combine to one point, so that no radius exceeds 0.

    The hyperplane is the best of a few guesses.
    """
    centred = given.centred
    difference = centred.means[centred.signs > 0].mean(axis=0) - centred.means[centred.signs < 0].mean(axis=0)
    within = centred.covariances.mean(axis=0)
    first = np.zeros(given.d)
    first[0] = 1.0
    guesses = [difference, np.linalg.lstsq(within, difference, rcond=None)[0], first]
    planes = [given.original_plane(_best_shift(centred, w)) for w in guesses if w.any()]
    v = max(planes, key=lambda plane: radius_lower_bound(given, plane))
    lower = radius_lower_bound(given, v)
    contacts = Contacts(np.array(rows), [2 * weight for weight in weights], np.zeros((len(rows), given.d)), 0.0, 0.0)
    reason = StopReason.PROVED_OVERLAP if goal.radius is None else StopReason.IMPOSSIBLE
    return SearchResult(v, lower, contacts, reason, history_array([(v, lower, lower, 0.0)], given.d))


def _best_shift(centred: Gaussians, w: Floats) -> Floats:
    """Return the hyperplane with normal w that has the largest radius; its worst pair of Gaussians decides."""
    means, spreads = centred.means @ w, np.sqrt(np.maximum((centred.covariances @ w) @ w, 0.0))
    ours, others = centred.signs > 0, centred.signs < 0
    apart = means[ours][:, np.newaxis] - means[others]
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(apart == 0, 0.0, apart / (spreads[ours][:, np.newaxis] + spreads[others]))
    i, j = np.unravel_index(np.argmin(radii), radii.shape)
    radius = radii[i, j] if math.isfinite(radii[i, j]) else 0.0
    low, high = radius * spreads[ours][i] - means[ours][i], -means[others][j] - radius * spreads[others][j]
    return np.append(w, (low + high) / 2)


def gradient(centred: Gaussians, start: Floats) -> Iterator[SolverState]:
    """Yield the steps of the lecture's rule: add the point where the worst ellipsoid touches the hyperplane.

    The hyperplane is a sum of such points. The number of times that each Gaussian was the worst gives the weights of an
    upper bound.
    """
    v, counts, total = start.copy(), np.zeros(len(centred)), np.zeros_like(centred.means)
    while True:
        margins = Margins.of(centred.signed, centred.covariances, v)
        some = counts > 0
        contact_directions = np.zeros_like(total)
        contact_directions[some] = total[some] / counts[some, np.newaxis]
        weights = counts.copy() if _is_power_of_two(counts.sum()) else None
        yield SolverState(v.copy(), weights, contact_directions)
        generalised_gradient(centred.signed, margins.leads, margins.spreads, margins.turned, margins.worst, v)
        counts[margins.worst] += 1
        total[margins.worst] += margins.directions(v)[margins.worst]


def _is_power_of_two(count: float) -> bool:
    """Whether to compute an upper bound at this step; the bounds improve slowly, so powers of two are enough."""
    return count >= 1 and math.frexp(count)[0] == 0.5


def bahadur(centred: Gaussians, _: Floats) -> Iterator[SolverState]:
    """Two Gaussians: w = ((1 - t) C_1 + t C_2)^-1 (mu_1 - mu_2), with t by bisection on (1 - t) s_1 = t s_2."""
    one, two = int(np.argmax(centred.signs)), int(np.argmin(centred.signs))
    apart, low, high = centred.means[one] - centred.means[two], 0.0, 1.0
    for _halving in range(HALVINGS):
        t = (low + high) / 2
        mixed = (1 - t) * centred.covariances[one] + t * centred.covariances[two]
        unit = np.sqrt(mixed.diagonal())
        w = np.linalg.solve(mixed / np.outer(unit, unit), apart / unit) / unit
        s, means = np.sqrt((centred.covariances @ w) @ w), centred.means @ w
        b = -(s[two] * means[one] + s[one] * means[two]) / (s[one] + s[two])
        yield SolverState(np.append(w, b), np.ones(2), w / s[:, np.newaxis])
        low, high = (t, high) if (1 - t) * s[one] > t * s[two] else (low, t)


Method = Literal["ascent", "bahadur", "gradient"]
SOLVERS: dict[str, Callable[[Gaussians, Floats], Iterator[SolverState]]] = {
    "ascent": ascent,
    "bahadur": bahadur,
    "gradient": gradient,
}
