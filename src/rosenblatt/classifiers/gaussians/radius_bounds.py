"""Rigorous bounds on the radius: in floats with rounding errors included, or in exact arithmetic."""

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

CORRECTIONS = 2  # of weights and contact points, before a bound is computed
UNDERFLOW = 1e-290  # more than underflow can lose


class Contacts(NamedTuple):
    """Points of ellipsoids that combine the two classes to almost one point: proof of an upper bound on the radius."""

    rows: Codes  # the numbers of the Gaussians
    weights: Sequence[float | Fraction]  # above 0; the weights of each class sum to 1
    directions: Floats  # a_i, in the original coordinates; the points are mu_i + C_i a_i
    upper: float  # no hyperplane has a larger radius, rounding included
    likely: float  # the same bound without an allowance for rounding


def radius_lower_bound(given: Gaussians, v: Floats) -> float:
    """Return a lower bound on the radius of a hyperplane, computed in floats."""
    scaled, v = given.scaled, given.scaled_plane(v)
    leads, squares = scaled.signed @ v, (scaled.covariances @ v[:-1]) @ v[:-1]
    size, steps = np.abs(v), 2 * given.d + 8
    leads = leads - steps * EPS * (np.abs(scaled.signed) @ size) - UNDERFLOW
    doubt = steps * EPS * ((np.abs(scaled.covariances) @ size[:-1]) @ size[:-1]) + UNDERFLOW
    spreads = np.sqrt(np.maximum(np.where(leads > 0, squares + doubt, squares - doubt), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        least = float((leads / spreads).min())
    return least - 4 * EPS * abs(least) if math.isfinite(least) else -math.inf


def estimated_radius(given: Gaussians, v: Floats) -> float:
    """Return the radius of a hyperplane, without an allowance for rounding errors."""
    scaled, v = given.scaled, given.scaled_plane(v)
    leads, squares = scaled.signed @ v, (scaled.covariances @ v[:-1]) @ v[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = leads / np.sqrt(np.maximum(squares, 0.0))
    return float(np.where(np.isnan(radii), 0.0, radii).min())


def radius_upper_bound(given: Gaussians, weights: Floats, contact_directions: Floats) -> Contacts | None:
    """Return the upper bound that weights and contact points mu - y C a prove, or None if they prove none.

    The rows of `contact_directions` are the a, in centred coordinates. Weights and points are first moved to where they
    combine the classes to one point. The move solves the linear system of the theorem in `worst_error.py`.
    """
    centred = given.centred
    rows = np.flatnonzero(weights > 0)
    m, C, y = centred.signed[rows], centred.covariances[rows], centred.signs[rows].astype(np.float64)
    if not ((y > 0).any() and (y < 0).any()):
        return None
    lam, a = weights[rows], -y[:, np.newaxis] * contact_directions[rows]
    for _ in range(CORRECTIONS):
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
    upper = _upper_bound_in_floats(e, G, around, large, float(longest), len(y))
    lam = lam / lam[y > 0].sum()  # the weights of the other class have the same sum
    if not (np.isfinite(a).all() and np.isfinite(lam).all()):
        return None
    return Contacts(rows, lam.tolist(), np.ldexp(a, -given.powers), upper, radius)


def _sums(m: Floats, C: Floats, y: Floats, lam: Floats, a: Floats) -> tuple[Floats, Floats]:
    e, G = lam @ m, (m.T * lam**2) @ m
    e[:-1] += (lam * y) @ (C @ a[:, :, np.newaxis])[:, :, 0]
    G[:-1, :-1] += (lam**2 @ C.reshape(len(C), -1)).reshape(C.shape[1:])
    return e, G


def _squares(C: Floats, a: Floats) -> Floats:
    """Return a_i.C_i a_i; each number is rounded at most 2 d times."""
    return np.asarray(((C @ a[:, :, np.newaxis])[:, :, 0] * a).sum(axis=1))


def _solution(G: Floats, right: Floats) -> Floats:
    """Solve G x = right; where G is singular, return the shortest least-squares solution."""
    try:
        x = np.linalg.solve(G, right)
        if np.abs(G @ x - right).max() <= 1e-9 * np.abs(right).max():
            return np.asarray(x)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(G, right, rcond=1e-13)[0])


def _upper_bound_in_floats(e: Floats, G: Floats, around: Floats, large: Floats, longest: float, n: int) -> float:
    """Return the bound of the theorem with all rounding errors counted against it; infinity if they are too large.

    `around` and `large` are e and G with all terms made positive: the units of their rounding errors. `longest` is the
    largest a.C a, and n the number of points.
    """
    d = len(e) - 1
    off = np.linalg.norm(np.abs(e) + (n + d + 12) * EPS * around) + UNDERFLOW
    floor = np.linalg.eigvalsh(G)[0] - (n + 20 * d + 40) * EPS * np.linalg.norm(large)
    if not floor > 0:
        return math.inf
    excess = off / math.sqrt(floor) * (1 + 1e-9)
    if not excess < 0.5:
        return math.inf
    return float((math.sqrt(longest) + excess) / (1 - excess) * (1 + 16 * EPS))


def exact_lower_bound(given: Gaussians, v: Floats) -> float:
    """Return the largest float that is not above the radius of a hyperplane, by exact arithmetic."""
    squares = []
    for lead, square in leads_and_squares(given.exact, given.signs.tolist(), whole(v.tolist())):
        if lead <= 0:
            return radius_lower_bound(given, v)
        if square:
            squares.append(lead**2 / square)
    return root_below(min(squares)) if squares else math.inf


def exact_upper_bound(given: Gaussians, contacts: Contacts) -> Contacts:
    """Return the contacts with the smallest upper bound that they prove, by exact arithmetic."""
    rows, weights = contacts.rows.tolist(), whole(contacts.weights)
    signs = given.signs.tolist()
    limit = ceiling([given.exact[i] for i in rows], [signs[i] for i in rows], weights, contacts.directions.tolist())
    return contacts._replace(upper=math.inf if limit is None else _float_above(limit))


def _float_above(number: Fraction) -> float:
    if number > sys.float_info.max:
        return math.inf
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)
