"""A convex combination of signed rows: made from rows and weights, with the factor that Wolfe's rule keeps."""

import math

import numpy as np
import scipy.sparse

from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.hulls.newton import matrix_of
from rosenblatt.hulls.row_set import Points
from rosenblatt.rules import hull as hull_rules
from rosenblatt.rules.hull import Hull
from rosenblatt.rules.wolfe import DEPENDENT

AFFORDABLE = 4_000_000  # numbers


def empty(points: Points, room: int, factor: int) -> Hull:
    """Room for a combination of so many rows, and for a factor of so many."""
    d = points.d + 1
    return Hull(
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(1, np.int64),
        np.zeros((2, d)),
        np.zeros(d),
        np.zeros((factor, factor)),
        points.radius or 1.0,
    )


def begin(points: Points, rows: Codes, weights: Floats, slack: float, room: int = 0) -> Hull:
    """A combination of affinely independent rows, with the factor of Wolfe's rule.

    Raises
    ------
    numpy.linalg.LinAlgError
        The rows are not independent, or so little that floats cannot tell.
    """
    room, n = max(room, len(rows) + 64), len(rows)
    hull = empty(points, room, room)
    hull.factor[:n, :n] = _factor(points, rows, slack)
    return with_weights(points, hull, rows, weights)


def _factor(points: Points, rows: Codes, slack: float) -> Floats:
    """U with U'U = B, the products that `rules/wolfe.py` speaks of.

    From the rows themselves where that is affordable: their products have lost half of the digits.
    """
    held, n = points.held, len(rows)
    A, y, part = matrix_of(held, points.d)[rows], held.y[rows].astype(np.float64), held.part[rows]
    unit = points.radius or 1.0
    if n * (points.d + n) < AFFORDABLE:
        constant = np.full(n, held.rows.bias)
        signed = y[:, np.newaxis] * np.column_stack([dense(A), constant])
        own = math.sqrt(slack) * np.eye(n if slack > 0 else 0, n).T
        augmented = np.column_stack([signed, unit * (part == 0), unit * (part == 1), own])
        U = np.asarray(np.linalg.qr(augmented.T, mode="r"))
        if len(U) < n or np.abs(U.diagonal()).min() <= DEPENDENT * unit:
            raise np.linalg.LinAlgError("The rows depend on each other.")
        return U
    inner = A @ A.T
    inner = inner.toarray() if scipy.sparse.issparse(inner) else inner.astype(np.float64)
    B = np.outer(y, y) * (inner + held.rows.bias**2) + unit**2 * np.equal.outer(part, part)
    B[np.diag_indices(n)] += slack
    return np.asarray(np.linalg.cholesky(B).T)


def with_weights(points: Points, hull: Hull, rows: Codes, weights: Floats) -> Hull:
    """Put a combination of rows into this hull."""
    n = len(rows)
    hull.points[:n], hull.weights[:n], hull.size[0] = rows, weights, n
    hull_rules.normalise(points.held.part, hull)
    hull_rules.combine(*points.held, hull, hull.centres, hull.w)
    return hull


def at_first_of_each(points: Points, slack: float, rows: Codes | None = None, room: int = 0) -> Hull:
    """The first row of each part, of all or of these, with weight 1."""
    part = points.held.part if rows is None else points.held.part[rows]
    first = np.array([int(np.argmax(part == p)) for p in ((0, 1) if points.two else (0,))])
    return begin(points, first if rows is None else rows[first], np.ones(len(first)), slack, room)


def with_room(hull: Hull, size: int) -> Hull:
    """The same with room for so many rows, in a factor too if it has one."""
    n, old = hull.size[0], len(hull.points)
    if size <= old:
        return hull
    more, factor = max(size, 2 * old) - old, len(hull.factor)
    return hull._replace(
        points=np.pad(hull.points, (0, more)),
        weights=np.pad(hull.weights, (0, more)),
        factor=np.pad(hull.factor[:n, :n], (0, old + more - n)) if factor == old else hull.factor,
    )
