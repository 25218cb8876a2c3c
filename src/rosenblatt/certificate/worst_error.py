"""Bounds of the worst error of a hyperplane on Gaussians, checked in whole numbers.

The radius of a hyperplane (w, b) is the smallest y_i (w.mu_i + b) / sqrt(w.C_i w). Its worst error is the part of a
normal distribution beyond that many standard deviations. An upper bound of all radii is proved by weights l_i > 0 and
directions a_i. With

    e = sum l_i y_i (mu_i + C_i a_i, 1),   G = sum l_i^2 (m_i m_i' + C_i),   m_i = y_i (mu_i, 1),   E^2 = e' G^-1 e < 1

no radius is above  max (|a_i| + E) / (1 - E),  |a| = sqrt(a.C_i a).

Proof. Let G h = -e. The weights l_i (1 + l_i h.m_i), and the directions that belong to l_i a_i + l_i^2 y_i h, make e
zero. By Cauchy and Schwarz neither changes by more than E. The points mu_i + C_i a_i are then in ellipsoids of that
radius, and both classes combine to one point. A hyperplane of a larger radius would have this point on both sides.

The checker imports none of the search.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of, root_over
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, need

EPS = 2.0**-52
Floats = NDArray[np.float64]


class Gaussian(NamedTuple):
    """A mean in whole numbers of 1/unit, and a covariance in whole numbers of 1/square."""

    mean: list[int]
    unit: int
    covariance: Any  # a flint matrix of integers
    square: int


def gaussians(table: Table) -> list[Gaussian]:
    """The Gaussians of a table. Each row is a mean, then a covariance matrix row by row."""
    d = dimension(table.d)
    found = []
    for i in range(table.n):
        row = table.row(i)
        mean, unit = _in_one_unit([row.get(j, (0, 1)) for j in range(d)])
        entries, square = _in_one_unit([row.get(d + j, (0, 1)) for j in range(d * d)])
        found.append(Gaussian(mean, unit, flint.fmpz_mat(d, d, entries), square))
    return found


def dimension(columns: int) -> int:
    """The d of a table with d + d^2 columns."""
    d = math.isqrt(columns)
    need(d > 0 and d + d * d == columns, f"{columns} columns are not those of a mean and its covariance matrix")
    return d


def check_worst_error(part: Body, table: Table, signs: Sequence[int]) -> None:
    """Raise Refuted unless the radius of the hyperplane is at least `lower`, and no radius is above `upper`."""
    given = gaussians(table)
    for i, gaussian in enumerate(given):
        need(gaussian.covariance == gaussian.covariance.transpose(), f"the covariance of Gaussian {i} is not symmetric")
    d = len(given[0].mean)
    floats = table.floats.toarray() if scipy.sparse.issparse(table.floats) else table.floats
    clear = semidefinite(floats[:, d:].reshape(-1, d, d))
    for i, gaussian in enumerate(given):
        positive = (clear[i] and i not in table.large) or is_positive(gaussian.covariance)
        need(positive, f"the covariance of Gaussian {i} is not positive semidefinite")
    if part["lower"] is not None:
        _check_lower(part["lower"], [number_of(text) for text in part["hyperplane"]], given, signs)
    if part["upper"] is not None:
        weights = [number_of(text) for text in part["weights"]]
        rows, directions = part["rows"], part["directions"]
        as_many = len(rows) == len(weights) == len(directions) > 0
        need(as_many, "rows, weights and directions differ in number, or there are none")
        each_once = all(0 <= i < len(given) for i in rows) and len(set(rows)) == len(rows)
        need(each_once, "it lists a Gaussian that does not exist, or one twice")
        need(all(weight > 0 for weight in weights), "a weight is not positive")
        limit = ceiling([given[i] for i in rows], [signs[i] for i in rows], weights, directions)
        need(limit is not None and limit <= Fraction(part["upper"]), f"the points do not exclude {part['upper']}")


def _check_lower(lower: float, v: list[int], given: Sequence[Gaussian], signs: Sequence[int]) -> None:
    d = len(given[0].mean)
    need(len(v) == d + 1, f"the hyperplane has {len(v)} weights, expected {d + 1}")
    need(any(v[:d]), "the hyperplane has no direction")
    bound = Fraction(lower)
    for i, (lead, square) in enumerate(leads_and_squares(given, signs, v)):
        least = bound**2 * square
        reached = lead > 0 and lead**2 >= least if bound > 0 else lead >= 0 or lead**2 <= least
        need(reached, f"the radius of Gaussian {i} is less than {lower}")


def leads_and_squares(
    given: Sequence[Gaussian], signs: Sequence[int], v: Sequence[int]
) -> Iterator[tuple[Fraction, Fraction]]:
    """y_i (w.mu_i + b) and w.C_i w of each Gaussian."""
    w = flint.fmpz_mat(len(v) - 1, 1, list(v[:-1]))
    for gaussian, sign in zip(given, signs, strict=True):
        lead = sum(a * b for a, b in zip(v, gaussian.mean, strict=False)) + v[-1] * gaussian.unit
        square = int((w.transpose() * gaussian.covariance * w)[0, 0])
        yield Fraction(sign * lead, gaussian.unit), Fraction(square, gaussian.square)


def ceiling(
    given: Sequence[Gaussian], signs: Sequence[int], weights: Sequence[int], directions: Sequence[Sequence[float]]
) -> Fraction | None:
    """A radius that no hyperplane exceeds, by the theorem above. None if E is not below 1."""
    d = len(given[0].mean)
    unit = math.lcm(*(gaussian.unit for gaussian in given), *(gaussian.square for gaussian in given))
    e, G, longest = [Fraction(0)] * (d + 1), flint.fmpz_mat(d + 1, d + 1), Fraction(0)
    for gaussian, sign, weight, direction in zip(given, signs, weights, directions, strict=True):
        need(len(direction) == d, f"a direction has {len(direction)} numbers, expected {d}")
        a, scale = _in_one_unit([x.as_integer_ratio() for x in direction])
        column = flint.fmpz_mat(d, 1, a)
        moved = gaussian.covariance * column
        longest = max(longest, Fraction(int((column.transpose() * moved)[0, 0]), gaussian.square * scale**2))
        m = [x * (unit // gaussian.unit) for x in gaussian.mean]
        for j in range(d):
            e[j] += weight * sign * (Fraction(m[j], unit) + Fraction(int(moved[j, 0]), gaussian.square * scale))
        e[d] += weight * sign
        mean = flint.fmpz_mat(d + 1, 1, [*m, unit])
        G += weight**2 * (mean * mean.transpose() + _bordered(gaussian.covariance, unit * (unit // gaussian.square)))
    excess = _excess(G, unit, e)
    if excess is None or not excess < 1:
        return None
    return (root_over(longest) + excess) / (1 - excess)


def _excess(G: Any, unit: int, e: Sequence[Fraction]) -> Fraction | None:
    """E or a little more, for G in units of 1/unit^2. None if e is not in the range of G."""
    scale = math.lcm(*(x.denominator for x in e))
    right = [x.numerator * (scale // x.denominator) for x in e]
    n = len(e)
    if not any(right):
        return Fraction(0)
    table = flint.fmpz_mat(n, n + 1, [x for j in range(n) for x in (*(int(G[j, k]) for k in range(n)), right[j])])
    reduced, below, rank = table.rref()
    solution = [Fraction(0)] * n
    for row in range(rank):
        pivot = next(k for k in range(n + 1) if reduced[row, k])
        if pivot == n:
            return None
        solution[pivot] = Fraction(int(reduced[row, n]), int(below))
    square = sum((x * y for x, y in zip(solution, right, strict=True)), Fraction(0))
    return root_over(square * Fraction(unit, scale) ** 2)


def _bordered(C: Any, factor: int) -> Any:
    d = C.nrows()
    entries = [int(C[j, k]) * factor if j < d and k < d else 0 for j in range(d + 1) for k in range(d + 1)]
    return flint.fmpz_mat(d + 1, d + 1, entries)


def semidefinite(C: Floats) -> NDArray[np.bool_]:
    """For each symmetric matrix: is it positive definite, beyond the rounding error of Cholesky's decomposition?

    Rows and columns are first brought to one scale by powers of two, which is exact and changes no sign.
    """
    d = C.shape[1]
    powers = -(np.frexp(np.maximum(C.diagonal(axis1=1, axis2=2), 0.0))[1] // 2)
    with np.errstate(over="ignore"):
        C = np.ldexp(C, powers[:, :, np.newaxis] + powers[:, np.newaxis, :])
    sane = (np.abs(C) <= 4).all(axis=(1, 2), keepdims=True)  # of a semidefinite matrix no entry is larger
    C = np.where(sane, C, -np.eye(d))
    trace = np.trace(C, axis1=1, axis2=2)
    less = C - (8 * (d + 2) * EPS * trace)[:, np.newaxis, np.newaxis] * np.eye(d)
    try:
        np.linalg.cholesky(less)
        return np.asarray(trace > 0)
    except np.linalg.LinAlgError:
        return np.asarray(np.array([_has_root(matrix) for matrix in less]) & (trace > 0))


def _has_root(matrix: Floats) -> bool:
    try:
        np.linalg.cholesky(matrix)
        return True
    except np.linalg.LinAlgError:
        return False


def is_semidefinite(C: Floats) -> bool:
    """Is this symmetric matrix of floats positive semidefinite, exactly?"""
    if semidefinite(C[np.newaxis])[0]:
        return True
    entries, _ = _in_one_unit([x.as_integer_ratio() for x in C.ravel().tolist()])
    return is_positive(flint.fmpz_mat(len(C), len(C), entries))


def is_positive(C: Any) -> bool:
    """Is this symmetric matrix of integers positive semidefinite?

    All eigenvalues are real. None is negative exactly if the signs of the characteristic polynomial alternate.
    """
    coefficients = [int(c) for c in C.charpoly().coeffs()]
    return all(c * (-1) ** (len(coefficients) - 1 - k) >= 0 for k, c in enumerate(coefficients))


def _in_one_unit(ratios: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    unit = math.lcm(*(below for _, below in ratios))
    return [above * (unit // below) for above, below in ratios], unit
