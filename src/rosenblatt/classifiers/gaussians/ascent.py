"""The certified ascent: towards the nearest point of the contact points, by Newton's method for the least radius.

At radius r the ellipsoids touch parallels of the hyperplane v in the points z_i = m_i - r C_i w / sigma_i. The step s
and the gain t that maximise  t - s.H s / 2  with  v.z_i + s.z_i >= sigma_i t  are found from the dual: weights l_i of
which the sum of l_i z_i is as near to 0 as can be in the metric of H^-1, at a price of v.z_i for what touches later;
then H s is that nearest point. With H = r sum l_i (C_i - C_i w w' C_i / sigma_i^2) / sigma_i, the curvature of the
ellipsoids, this is Newton's method; any H goes uphill. Where the nearest point is 0, the weights prove the maximum.

A Gaussian with next to no spread in some direction has a kink there. It is rounded off first, less and less, and the
C_i w / sigma_i in the curvature are followed as unknowns of their own, which the step moves too: after a kink has been
reached they are no longer the gradients at w, but the subgradients that balance (Andersen, Christiansen, Conn and
Overton, SIAM Journal on Scientific Computing 22, 2000).
"""

import itertools
import math
from collections.abc import Generator, Iterator

import numpy as np
import scipy.linalg

from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.classifiers.gaussians.margins import Sight, State
from rosenblatt.data.validation import Floats
from rosenblatt.rules.ellipsoids import line_search, weigh

THIN = 1e-10  # a variance below this, in whitened coordinates, is rounded off
RIDGES = [0.1 / 3.0**k for k in range(17)]  # standard deviations added, one after the other
THINNEST = 1e-9  # and what is left of them where a Gaussian has none
FEW = 15  # steps that are mostly enough without
GAIN = 1e-2  # of the radius: less than this, and the next ridge is taken
STILL = 1e-14  # a gain that is none
LONGEST = 1e50  # a step
PRICE = 1e-6, 1e-3  # curvature added where there is none: for all directions, and for the bias


class Whitened:
    """Gaussians in coordinates in which all of them together have variance 1 in every direction that there is."""

    def __init__(self, tamed: Gaussians) -> None:
        spread = tamed.covariances.mean(axis=0) + tamed.means.T @ tamed.means / len(tamed)
        values, vectors = np.linalg.eigh(spread)
        kept = values > 1e-14 * values[-1]
        self.turn = vectors[:, kept] / np.sqrt(values[kept])
        self.m = np.column_stack([tamed.means @ self.turn * tamed.signs[:, np.newaxis], tamed.signs])
        self.C = np.ascontiguousarray(self.turn.T @ tamed.covariances @ self.turn)
        self.back = scipy.linalg.block_diag(self.turn, 1.0)

    @property
    def is_round(self) -> bool:
        """Has every Gaussian some spread in every direction?"""
        try:
            np.linalg.cholesky(self.C - THIN * np.eye(self.C.shape[1]))
            return True
        except np.linalg.LinAlgError:
            return False


def ascent(tamed: Gaussians, start: Floats) -> Iterator[State]:
    """Steps uphill until they lead nowhere; first without rounding off, where that can do."""
    seen = Whitened(tamed)
    climb = Climb(seen, np.linalg.lstsq(seen.back, start, rcond=None)[0])
    if seen.is_round and not (yield from _climbing(climb, 0.0, STILL, FEW)):
        return
    for ridge in RIDGES:
        yield from _climbing(climb, ridge, GAIN)
    yield from _climbing(climb, 0.0 if seen.is_round else THINNEST, STILL)


def _climbing(climb: "Climb", ridge: float, gain: float, most: int | None = None) -> Generator[State, None, bool]:
    """Steps until one gains less than this part of the radius (two, if that is none); True if there were too many."""
    climb.C = climb.seen.C + ridge**2 * np.eye(climb.seen.C.shape[1])
    best, still = -math.inf, 0
    for _ in range(most) if most else itertools.count():
        radius = climb.look()
        yield climb.state()
        still += radius <= best + gain * abs(best)
        best = max(best, radius)
        if not climb.step() or still >= (2 if gain == STILL else 1):
            return False
    return True


class Climb:
    """A hyperplane on its way up, in whitened coordinates."""

    def __init__(self, seen: Whitened, v: Floats) -> None:
        self.seen, self.v, self.C = seen, v, seen.C
        self.weights: Floats | None = None
        self.look()
        self.touching = self.sight.directions(self.v)

    def look(self) -> float:
        """See where it is; the radius."""
        self.v = self.v / np.linalg.norm(self.v[:-1])
        sight = Sight.of(self.seen.m, self.C, self.v)
        spreads = np.maximum(sight.spreads, THINNEST)  # which rounding may have taken
        self.sight = sight._replace(spreads=spreads, worst=int(np.argmin(sight.leads / spreads)))
        return self.sight.radius

    def state(self) -> State:
        return State(self.seen.back @ self.v, self.weights, self.touching @ self.seen.turn.T)

    def step(self) -> bool:
        """One step of Newton's method, and a line search along it; False if floats cannot hold it."""
        sight, m, r = self.sight, self.seen.m, self.sight.radius
        if not r > 0:
            return False
        z = m.copy()
        z[:, :-1] -= (r / sight.spreads)[:, np.newaxis] * sight.turned
        root = _root(self._curvature())
        reduced = scipy.linalg.solve_triangular(root, z.T, lower=True, check_finite=False)
        self.weights = np.empty(len(z))
        weigh(reduced.T @ reduced, np.maximum(z @ self.v, 0.0), sight.spreads, self.weights)
        step = scipy.linalg.solve_triangular(root, reduced @ self.weights, lower=True, trans=1, check_finite=False)
        if not np.isfinite(step).all() or np.abs(step).max() > LONGEST:
            return False
        more = sight.turned @ step[:-1]
        self._turn(step[:-1], more / sight.spreads)
        k = line_search(sight.leads, m @ step, sight.spreads**2, more, (self.C @ step[:-1]) @ step[:-1])
        self.v = self.v + k * step
        return True

    def _turn(self, step: Floats, growth: Floats) -> None:
        """Newton's step for the a_i of  sigma_i a_i = w, the growth of sigma_i being known; then no longer than 1."""
        a = (self.v[:-1] + step - self.touching * growth[:, np.newaxis]) / self.sight.spreads[:, np.newaxis]
        a /= np.sqrt(np.maximum(((self.C @ a[:, :, np.newaxis])[:, :, 0] * a).sum(axis=1, keepdims=True), 1.0))
        self.touching = np.where(np.isfinite(a).all(axis=1, keepdims=True), a, self.sight.directions(self.v))

    def _curvature(self) -> Floats:
        """Minus the Hessian of the radii, weighed, with something in the directions in which it is flat."""
        n, sight, size = len(self.v), self.sight, max(self.sight.radius, 1e-9)
        if self.weights is None:
            return np.eye(n)
        H = np.zeros((n, n))
        bend = sight.radius * self.weights / sight.spreads
        touched = (self.C @ self.touching[:, :, np.newaxis])[:, :, 0]
        cross = (sight.turned.T * (bend / sight.spreads)) @ touched
        w = self.v[:-1]
        H[:-1, :-1] = (
            (bend @ self.C.reshape(len(self.C), -1)).reshape(self.C.shape[1:])
            - (cross + cross.T) / 2
            + size * np.outer(w, w)
        )
        H[np.diag_indices(n)] += PRICE[0] * size
        H[-1, -1] += PRICE[1] * size
        return H


def _root(H: Floats) -> Floats:
    """Cholesky's root of H, or of a little more where rounding has made it indefinite."""
    for part in (0.0, *(10.0**k for k in range(-14, 1))):
        try:
            more = part * float(np.linalg.norm(H)) if part else 0.0
            return np.asarray(np.linalg.cholesky(H + more * np.eye(len(H))))
        except np.linalg.LinAlgError:
            continue
    return np.eye(len(H))
