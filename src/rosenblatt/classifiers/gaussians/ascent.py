"""Certified ascent: Newton's method for the hyperplane with the largest radius.

At radius r the ellipsoids touch hyperplanes parallel to v in the contact points z_i = m_i - r C_i w / sigma_i. A step s
and a gain t maximise  t - s.H s / 2  subject to  v.z_i + s.z_i >= sigma_i t. The dual problem finds weights l_i that
bring the sum of l_i z_i as close to 0 as possible in the metric of H^-1, with a cost v.z_i for each point that is not
yet touched; H s is that sum. With the curvature of the ellipsoids, H = r sum l_i (C_i - C_i w w' C_i / sigma_i^2) /
sigma_i, this is Newton's method; any positive definite H gives an ascent. If the sum is 0, the weights prove that the
radius is the maximum.

The radius of a Gaussian with almost no spread in some direction has a kink. A ridge is added to the covariances first,
and then made smaller and smaller. The vectors w / sigma_i in the curvature are separate unknowns, which Newton's step
updates too: at a kink they are no longer the gradients at w, but the subgradients that balance (Andersen, Christiansen,
Conn and Overton, SIAM Journal on Scientific Computing 22, 2000).
"""

import itertools
import math
from collections.abc import Generator, Iterator

import numpy as np
import scipy.linalg

from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.classifiers.gaussians.margins import Margins, SolverState
from rosenblatt.data.validation import Floats
from rosenblatt.rules.ellipsoids import line_search, weigh

MIN_VARIANCE = 1e-10  # in whitened coordinates; a Gaussian with less is not regular
RIDGES = [0.1 / 3.0**k for k in range(17)]  # standard deviations that are added, one ridge after another
MIN_DEVIATION = 1e-9  # the last ridge, where a Gaussian is not regular
MAX_STEPS_WITHOUT_RIDGE = 15  # enough for most regular Gaussians
RIDGE_GAIN = 1e-2  # part of the radius; after a smaller gain the next ridge is taken
NO_GAIN = 1e-14  # part of the radius; a smaller gain counts as none
MAX_STEP = 1e50  # the largest component of a step
ADDED_CURVATURE = 1e-6, 1e-3  # in units of the radius: in all directions, and for the bias


class Whitened:
    """Gaussians in coordinates in which all of them together have variance 1 in every direction of nonzero variance."""

    def __init__(self, centred: Gaussians) -> None:
        spread = centred.covariances.mean(axis=0) + centred.means.T @ centred.means / len(centred)
        values, vectors = np.linalg.eigh(spread)
        kept = values > 1e-14 * values[-1]
        self.turn = vectors[:, kept] / np.sqrt(values[kept])
        self.m = np.column_stack([centred.means @ self.turn * centred.signs[:, np.newaxis], centred.signs])
        self.C = np.ascontiguousarray(self.turn.T @ centred.covariances @ self.turn)
        self.back = scipy.linalg.block_diag(self.turn, 1.0)

    @property
    def is_regular(self) -> bool:
        """Whether every Gaussian has some spread in every direction."""
        try:
            np.linalg.cholesky(self.C - MIN_VARIANCE * np.eye(self.C.shape[1]))
            return True
        except np.linalg.LinAlgError:
            return False


def ascent(centred: Gaussians, start: Floats) -> Iterator[SolverState]:
    """Yield the state after each step until steps gain nothing.

    If every Gaussian is regular, it tries without ridges first.
    """
    whitened = Whitened(centred)
    newton = NewtonAscent(whitened, np.linalg.lstsq(whitened.back, start, rcond=None)[0])
    if whitened.is_regular and not (yield from _steps(newton, 0.0, NO_GAIN, MAX_STEPS_WITHOUT_RIDGE)):
        return
    for ridge in RIDGES:
        yield from _steps(newton, ridge, RIDGE_GAIN)
    yield from _steps(newton, 0.0 if whitened.is_regular else MIN_DEVIATION, NO_GAIN)


def _steps(
    newton: "NewtonAscent", ridge: float, gain: float, max_steps: int | None = None
) -> Generator[SolverState, None, bool]:
    """Make steps until one gains less than this part of the radius; return True if max_steps were not enough.

    With NO_GAIN, two steps in all must fail to gain.
    """
    newton.C = newton.whitened.C + ridge**2 * np.eye(newton.whitened.C.shape[1])
    best, idle = -math.inf, 0
    for _ in range(max_steps) if max_steps else itertools.count():
        radius = newton.update_margins()
        yield newton.state()
        idle += radius <= best + gain * abs(best)
        best = max(best, radius)
        if not newton.step() or idle >= (2 if gain == NO_GAIN else 1):
            return False
    return True


class NewtonAscent:
    """The hyperplane of the ascent, in whitened coordinates, with its weights and contact directions."""

    def __init__(self, whitened: Whitened, v: Floats) -> None:
        self.whitened, self.v, self.C = whitened, v, whitened.C
        self.weights: Floats | None = None
        self.update_margins()
        self.contact_directions = self.margins.directions(self.v)

    def update_margins(self) -> float:
        """Normalise the hyperplane, compute its margins, and return its radius."""
        self.v = self.v / np.linalg.norm(self.v[:-1])
        margins = Margins.of(self.whitened.m, self.C, self.v)
        spreads = np.maximum(margins.spreads, MIN_DEVIATION)  # rounding can make them 0
        self.margins = margins._replace(spreads=spreads, worst=int(np.argmin(margins.leads / spreads)))
        return self.margins.radius

    def state(self) -> SolverState:
        return SolverState(self.whitened.back @ self.v, self.weights, self.contact_directions @ self.whitened.turn.T)

    def step(self) -> bool:
        """Make one Newton step with a line search; return False if floats cannot represent it."""
        margins, m, r = self.margins, self.whitened.m, self.margins.radius
        if not r > 0:
            return False
        z = m.copy()
        z[:, :-1] -= (r / margins.spreads)[:, np.newaxis] * margins.turned
        root = _root(self._curvature())
        reduced = scipy.linalg.solve_triangular(root, z.T, lower=True, check_finite=False)
        self.weights = np.empty(len(z))
        weigh(reduced.T @ reduced, np.maximum(z @ self.v, 0.0), margins.spreads, self.weights)
        step = scipy.linalg.solve_triangular(root, reduced @ self.weights, lower=True, trans=1, check_finite=False)
        if not np.isfinite(step).all() or np.abs(step).max() > MAX_STEP:
            return False
        more = margins.turned @ step[:-1]
        self._update_contact_directions(step[:-1], more / margins.spreads)
        k = line_search(margins.leads, m @ step, margins.spreads**2, more, (self.C @ step[:-1]) @ step[:-1])
        self.v = self.v + k * step
        return True

    def _update_contact_directions(self, step: Floats, growth: Floats) -> None:
        """Make Newton's step for the a_i of  sigma_i a_i = w, given the growth of sigma_i; limit a_i.C_i a_i to 1."""
        a = (self.v[:-1] + step - self.contact_directions * growth[:, np.newaxis]) / self.margins.spreads[:, np.newaxis]
        a /= np.sqrt(np.maximum(((self.C @ a[:, :, np.newaxis])[:, :, 0] * a).sum(axis=1, keepdims=True), 1.0))
        self.contact_directions = np.where(
            np.isfinite(a).all(axis=1, keepdims=True), a, self.margins.directions(self.v)
        )

    def _curvature(self) -> Floats:
        """Return minus the Hessian of the weighted radii, plus a little in flat directions."""
        n, margins, size = len(self.v), self.margins, max(self.margins.radius, 1e-9)
        if self.weights is None:
            return np.eye(n)
        H = np.zeros((n, n))
        curvatures = margins.radius * self.weights / margins.spreads
        touched = (self.C @ self.contact_directions[:, :, np.newaxis])[:, :, 0]
        cross = (margins.turned.T * (curvatures / margins.spreads)) @ touched
        w = self.v[:-1]
        H[:-1, :-1] = (
            (curvatures @ self.C.reshape(len(self.C), -1)).reshape(self.C.shape[1:])
            - (cross + cross.T) / 2
            + size * np.outer(w, w)
        )
        H[np.diag_indices(n)] += ADDED_CURVATURE[0] * size
        H[-1, -1] += ADDED_CURVATURE[1] * size
        return H


def _root(H: Floats) -> Floats:
    """Return the Cholesky factor of H, or of H plus a small multiple of the identity if rounding made H indefinite."""
    for part in (0.0, *(10.0**k for k in range(-14, 1))):
        try:
            more = part * float(np.linalg.norm(H)) if part else 0.0
            return np.asarray(np.linalg.cholesky(H + more * np.eye(len(H))))
        except np.linalg.LinAlgError:
            continue
    return np.eye(len(H))
