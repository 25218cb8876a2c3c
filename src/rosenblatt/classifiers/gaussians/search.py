"""The search for the hyperplane of the largest radius: three rules, one record, bounds at every step."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.events import PassCallbacks, tell
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.gaussians.ascent import ascent
from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.classifiers.gaussians.margins import Sight, State
from rosenblatt.classifiers.gaussians.radius_bounds import (
    Contacts,
    attained,
    attained_exactly,
    excluded,
    excluded_exactly,
    likely,
)
from rosenblatt.data.validation import Floats
from rosenblatt.errors import DataError
from rosenblatt.rules.ellipsoids import generalised_gradient, weigh

BEYOND = 1e5  # standard deviations: who has so many needs no more
HALVINGS = 60
SWEPT = 1e-6  # of the largest: a weight that may be on its way to 0
ULPS = 1e-14  # how well the radius of a target is known
EXACT_TRIES = 3  # how often bounds that floats cannot close are looked at in whole numbers


class Aim(NamedTuple):
    """When to stop: bounds this close (times the radius, where that is above 1), or a radius that is asked for."""

    epsilon: float
    radius: float | None

    def reached(self, lower: float, upper: float) -> StopReason | None:
        if self.radius is not None:
            if lower > self.radius * (1 + ULPS):
                return StopReason.TARGET
            return StopReason.IMPOSSIBLE if upper <= self.radius * (1 - ULPS) else None
        close = lower >= BEYOND or upper - lower <= self.epsilon * max(1.0, lower)
        return StopReason.GAP_CLOSED if close else None


class Found(NamedTuple):
    """The answer."""

    v: Floats  # the hyperplane, the bias weight last
    lower: float  # its radius is at least this
    contacts: Contacts | None  # no hyperplane has a radius above theirs
    stop_reason: StopReason
    history: NDArray[np.void]

    @property
    def upper(self) -> float:
        return self.contacts.upper if self.contacts else math.inf


@dataclass
class Record:
    """The best so far, and a line for each step."""

    given: Gaussians
    aim: Aim
    v: Floats
    lower: float
    contacts: Contacts | None = None
    promising: Contacts | None = None  # those that would be the best, but for rounding
    lines: list[tuple[Floats, float, float, float]] = field(default_factory=list)

    @property
    def upper(self) -> float:
        return self.contacts.upper if self.contacts else math.inf

    def keep(self, state: State) -> StopReason | None:
        """Take a step into account; has the aim been reached?"""
        v = self.given.as_given(state.v)
        if not np.isfinite(v).all():
            return None
        radius = attained(self.given, v)
        if radius > self.lower:
            self.lower, self.v = radius, v
        if state.weights is not None and math.isfinite(radius):
            for weights in _with_and_without_dust(state.weights):
                self._meet(excluded(self.given, weights, max(radius, 0.0) * state.touching))
        self.lines.append((v, radius, self.lower, self.upper))
        return self.aim.reached(self.lower, self.upper)

    def _meet(self, met: Contacts | None) -> None:
        if met is not None:
            self.contacts = min(self.contacts or met, met, key=lambda contacts: contacts.upper)
            self.promising = min(self.promising or met, met, key=lambda contacts: contacts.likely)

    @property
    def seems_done(self) -> bool:
        """Would the aim be reached but for rounding?"""
        if self.promising is None:
            return False
        return self.aim.reached(likely(self.given, self.v), self.promising.likely) is not None

    def settle(self) -> StopReason | None:
        """The same bounds, in whole numbers."""
        self.lower = max(self.lower, attained_exactly(self.given, self.v))
        if self.contacts and self.promising:
            exact = excluded_exactly(self.given, self.promising)
            self.contacts = min(self.contacts, exact, key=lambda contacts: contacts.upper)
        self.lines[-1:] = [(*self.lines[-1][:2], self.lower, self.upper)] if self.lines else []
        return self.aim.reached(self.lower, self.upper)

    def found(self, reason: StopReason) -> Found:
        contacts = self.contacts if math.isfinite(self.upper) else None
        return Found(self.v, self.lower, contacts, reason, self.history())

    def history(self) -> NDArray[np.void]:
        return lines_of(self.lines or [(self.v, self.lower, self.lower, self.upper)], self.given.d)


def lines_of(lines: list[tuple[Floats, float, float, float]], d: int) -> NDArray[np.void]:
    """The history as an array."""
    return np.array(lines, dtype=[("w", float, (d + 1,)), ("radius", float), ("lower", float), ("upper", float)])


def _with_and_without_dust(weights: Floats) -> list[Floats]:
    """Weights on their way to 0 may stand for points that they cannot hold up any more."""
    swept = np.where(weights > SWEPT * weights.max(), weights, 0.0)
    return [weights] if (swept > 0).sum() == (weights > 0).sum() else [weights, swept]


def search(
    given: Gaussians, start: Floats, solver: str, aim: Aim, max_iter: int, callbacks: PassCallbacks | None = None
) -> Found:
    """From a hyperplane for the tamed means, all on their right side, to the one of the largest radius."""
    with np.errstate(all="ignore"):  # what floats cannot hold is seen by its not being finite
        v = given.as_given(start)
        if not np.isfinite(v).all():
            raise DataError("The Gaussians are too far apart, or too narrow, for floats; bring them closer to 1.")
        record = Record(given, aim, v, attained(given, v))
        return _search(record, SOLVERS[solver](given.tamed, start), max_iter, callbacks)


def _search(record: Record, states: Iterator[State], max_iter: int, callbacks: PassCallbacks | None) -> Found:
    tries = EXACT_TRIES
    reason: StopReason | None = None
    for step, state in enumerate(itertools.islice(states, max_iter + 1)):
        follower = callbacks if step else None  # the start is no step
        if follower is not None:
            follower.begin()
        reason = record.keep(state)
        if not reason and tries and record.seems_done:
            reason, tries = record.settle(), tries - 1
        said = "step {}, radius between {:.6g} and {:.6g}"
        tell("search of the worst error", step, None, said, step, record.lower, record.upper)
        if follower is not None and follower.end(partial(record.found, reason or StopReason.BUDGET)):
            reason = reason or StopReason.CONDITION
        if reason:
            break
    else:
        last = StopReason.BUDGET if len(record.lines) > max_iter else StopReason.ROUNDING
        reason = record.settle() or last
    return record.found(reason)


def nearest(tamed: Gaussians) -> Floats:
    """The point of the hull of the signed means that is nearest to 0, the normal of a hyperplane between them."""
    m = tamed.signed
    weights = np.empty(len(m))
    weigh(m @ m.T, np.zeros(len(m)), np.ones(len(m)), weights)
    return np.asarray(weights @ m)


def overlapping(given: Gaussians, rows: Sequence[int], weights: Sequence[Fraction], aim: Aim) -> Found:
    """Means that combine to one point: no radius is above 0. The hyperplane is the better of two guesses."""
    tamed = given.tamed
    difference = tamed.means[tamed.signs > 0].mean(axis=0) - tamed.means[tamed.signs < 0].mean(axis=0)
    within = tamed.covariances.mean(axis=0)
    first = np.zeros(given.d)
    first[0] = 1.0
    guesses = [difference, np.linalg.lstsq(within, difference, rcond=None)[0], first]
    planes = [given.as_given(_across(tamed, w)) for w in guesses if w.any()]
    v = max(planes, key=lambda plane: attained(given, plane))
    lower = attained(given, v)
    contacts = Contacts(np.array(rows), [2 * weight for weight in weights], np.zeros((len(rows), given.d)), 0.0, 0.0)
    reason = StopReason.PROVED_OVERLAP if aim.radius is None else StopReason.IMPOSSIBLE
    return Found(v, lower, contacts, reason, lines_of([(v, lower, lower, 0.0)], given.d))


def _across(tamed: Gaussians, w: Floats) -> Floats:
    """The hyperplane of this direction with the largest radius, that of its worst pair of Gaussians."""
    means, spreads = tamed.means @ w, np.sqrt(np.maximum((tamed.covariances @ w) @ w, 0.0))
    ours, others = tamed.signs > 0, tamed.signs < 0
    apart = means[ours][:, np.newaxis] - means[others]
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(apart == 0, 0.0, apart / (spreads[ours][:, np.newaxis] + spreads[others]))
    i, j = np.unravel_index(np.argmin(radii), radii.shape)
    radius = radii[i, j] if math.isfinite(radii[i, j]) else 0.0
    low, high = radius * spreads[ours][i] - means[ours][i], -means[others][j] - radius * spreads[others][j]
    return np.append(w, (low + high) / 2)


def gradient(tamed: Gaussians, start: Floats) -> Iterator[State]:
    """The generalised gradient of the lecture: add the point of the worst ellipsoid that touches the hyperplane.

    The hyperplane is a sum of such points, and how often each Gaussian was the worst are the weights of a bound.
    """
    v, counts, total = start.copy(), np.zeros(len(tamed)), np.zeros_like(tamed.means)
    while True:
        sight = Sight.of(tamed.signed, tamed.covariances, v)
        some = counts > 0
        touching = np.zeros_like(total)
        touching[some] = total[some] / counts[some, np.newaxis]
        yield State(v.copy(), counts if _is_round(counts.sum()) else None, touching)
        generalised_gradient(tamed.signed, sight.leads, sight.spreads, sight.turned, sight.worst, v)
        counts[sight.worst] += 1
        total[sight.worst] += sight.directions(v)[sight.worst]


def _is_round(count: float) -> bool:
    """A power of two: often enough to look at bounds that come slowly."""
    return count >= 1 and math.frexp(count)[0] == 0.5


def bahadur(tamed: Gaussians, _: Floats) -> Iterator[State]:
    """Two Gaussians: w = ((1 - t) C_1 + t C_2)^-1 (mu_1 - mu_2), bisecting for the t at which (1 - t) s_1 = t s_2."""
    one, two = int(np.argmax(tamed.signs)), int(np.argmin(tamed.signs))
    apart, low, high = tamed.means[one] - tamed.means[two], 0.0, 1.0
    for _halving in range(HALVINGS):
        t = (low + high) / 2
        mixed = (1 - t) * tamed.covariances[one] + t * tamed.covariances[two]
        unit = np.sqrt(mixed.diagonal())
        w = np.linalg.solve(mixed / np.outer(unit, unit), apart / unit) / unit
        s, means = np.sqrt((tamed.covariances @ w) @ w), tamed.means @ w
        b = -(s[two] * means[one] + s[one] * means[two]) / (s[one] + s[two])
        yield State(np.append(w, b), np.ones(2), w / s[:, np.newaxis])
        low, high = (t, high) if (1 - t) * s[one] > t * s[two] else (low, t)


SOLVERS: dict[str, Callable[[Gaussians, Floats], Iterator[State]]] = {
    "ascent": ascent,
    "bahadur": bahadur,
    "gradient": gradient,
}
