"""Bounds of the radius in floats that hold, rounding included; where floats cannot tell, in whole numbers."""

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.base.exact import root_below, whole
from rosenblatt.certificate.worst_error import EPS, ceiling, leads_and_squares
from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.data.validation import Codes, Floats

ROUNDS = 2
TINY = 1e-290  # more than underflow takes


class Contacts(NamedTuple):
    """Points of ellipsoids that combine the two classes to almost one point: a bound on the radius from above."""

    rows: Codes  # the Gaussians
    weights: Sequence[float | Fraction]  # above 0; of each class they sum to 1
    directions: Floats  # a_i, so that the points are mu_i + C_i a_i, in the coordinates that were given
    upper: float  # no hyperplane has a larger radius, rounding included
    likely: float  # nor than this, but for rounding


def attained(given: Gaussians, v: Floats) -> float:
    """The radius of a hyperplane, or a little less."""
    level, v = given.level, given.levelled(v)
    leads, squares = level.signed @ v, (level.covariances @ v[:-1]) @ v[:-1]
    size, steps = np.abs(v), 2 * given.d + 8
    leads = leads - steps * EPS * (np.abs(level.signed) @ size) - TINY
    doubt = steps * EPS * ((np.abs(level.covariances) @ size[:-1]) @ size[:-1]) + TINY
    spreads = np.sqrt(np.maximum(np.where(leads > 0, squares + doubt, squares - doubt), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        least = float((leads / spreads).min())
    return least - 4 * EPS * abs(least) if math.isfinite(least) else -math.inf


def likely(given: Gaussians, v: Floats) -> float:
    """The same, but for rounding."""
    level, v = given.level, given.levelled(v)
    leads, squares = level.signed @ v, (level.covariances @ v[:-1]) @ v[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = leads / np.sqrt(np.maximum(squares, 0.0))
    return float(np.where(np.isnan(radii), 0.0, radii).min())


def excluded(given: Gaussians, weights: Floats, touching: Floats) -> Contacts | None:
    """What weights and the points mu - y C a of ellipsoids say, a being `touching`; None for nothing.

    All is in tamed coordinates. Weights and points are first moved to where they combine the classes to one point, by
    the same solution of a linear system that the theorem of `worst_error.py` is about.
    """
    tamed = given.tamed
    rows = np.flatnonzero(weights > 0)
    m, C, y = tamed.signed[rows], tamed.covariances[rows], tamed.signs[rows].astype(np.float64)
    if not ((y > 0).any() and (y < 0).any()):
        return None
    lam, a = weights[rows], -y[:, np.newaxis] * touching[rows]
    for _ in range(ROUNDS):
        lam = lam / np.where(y > 0, lam[y > 0].sum(), lam[y < 0].sum())
        e, G = _sums(m, C, y, lam, a)
        move = _solution(G, -e)
        share = 1 + lam * (m @ move)
        if not (share > 0).all():
            return None
        a = (a + (lam * y)[:, np.newaxis] * move[:-1]) / share[:, np.newaxis]
        lam = lam * share
    e, G = _sums(m, C, y, lam, a)
    around, large = _sums(np.abs(m), np.abs(C), np.ones(len(y)), lam, np.abs(a))
    squares, met = _squares(C, a), np.abs(e).max() <= 1e-11 * around.max()
    radius = math.sqrt(max(0.0, squares.max())) if met else math.inf
    longest = (squares + (2 * given.d + 8) * EPS * _squares(np.abs(C), np.abs(a))).max()
    upper = _in_floats(e, G, around, large, float(longest), len(y))
    lam = lam / lam[y > 0].sum()  # of the other class they sum to the same
    if not (np.isfinite(a).all() and np.isfinite(lam).all()):
        return None
    return Contacts(rows, lam.tolist(), np.ldexp(a, -given.powers), upper, radius)


def _sums(m: Floats, C: Floats, y: Floats, lam: Floats, a: Floats) -> tuple[Floats, Floats]:
    e, G = lam @ m, (m.T * lam**2) @ m
    e[:-1] += (lam * y) @ (C @ a[:, :, np.newaxis])[:, :, 0]
    G[:-1, :-1] += (lam**2 @ C.reshape(len(C), -1)).reshape(C.shape[1:])
    return e, G


def _squares(C: Floats, a: Floats) -> Floats:
    """a_i.C_i a_i, as sums of products of sums, so that no number is rounded more than 2 d times."""
    return np.asarray(((C @ a[:, :, np.newaxis])[:, :, 0] * a).sum(axis=1))


def _solution(G: Floats, right: Floats) -> Floats:
    """Of G x = right, or the least x that comes closest where G is singular."""
    try:
        x = np.linalg.solve(G, right)
        if np.abs(G @ x - right).max() <= 1e-9 * np.abs(right).max():
            return np.asarray(x)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(G, right, rcond=1e-13)[0])


def _in_floats(e: Floats, G: Floats, around: Floats, large: Floats, longest: float, n: int) -> float:
    """The bound of the theorem, all roundings counted against it; infinity if they are too many.

    `around` and `large` are e and G with all their terms made positive, in units of which they are rounded; `longest`
    is the largest a.C a, of n.
    """
    d = len(e) - 1
    off = np.linalg.norm(np.abs(e) + (n + d + 12) * EPS * around) + TINY
    floor = np.linalg.eigvalsh(G)[0] - (n + 20 * d + 40) * EPS * np.linalg.norm(large)
    if not floor > 0:
        return math.inf
    excess = off / math.sqrt(floor) * (1 + 1e-9)
    if not excess < 0.5:
        return math.inf
    return float((math.sqrt(longest) + excess) / (1 - excess) * (1 + 16 * EPS))


def attained_exactly(given: Gaussians, v: Floats) -> float:
    """The radius of a hyperplane, or the float below it, in whole numbers."""
    squares = []
    for lead, square in leads_and_squares(given.exact, given.signs.tolist(), whole(v.tolist())):
        if lead <= 0:
            return attained(given, v)
        if square:
            squares.append(lead**2 / square)
    return root_below(min(squares)) if squares else math.inf


def excluded_exactly(given: Gaussians, contacts: Contacts) -> Contacts:
    """The same points with the least bound that they prove, in whole numbers."""
    rows, weights = contacts.rows.tolist(), whole(contacts.weights)
    signs = given.signs.tolist()
    limit = ceiling([given.exact[i] for i in rows], [signs[i] for i in rows], weights, contacts.directions.tolist())
    return contacts._replace(upper=math.inf if limit is None else _float_above(limit))


def _float_above(number: Fraction) -> float:
    if number > sys.float_info.max:
        return math.inf
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)
