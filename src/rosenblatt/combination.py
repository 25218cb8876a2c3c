"""A convex combination of signed rows: made from rows and weights, with the factor that Wolfe's rule keeps."""

import numpy as np
import scipy.sparse

from rosenblatt.data import Codes, Floats
from rosenblatt.kernels import hull as kernels
from rosenblatt.kernels.hull import Hull
from rosenblatt.newton import matrix_of
from rosenblatt.points import Points


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
    hull.factor[:n, :n] = np.linalg.cholesky(_products(points, rows, slack)).T
    return with_weights(points, hull, rows, weights)


def with_weights(points: Points, hull: Hull, rows: Codes, weights: Floats) -> Hull:
    """Put a combination of rows into this hull."""
    n = len(rows)
    hull.points[:n], hull.weights[:n], hull.size[0] = rows, weights, n
    kernels.normalise(points.held.part, hull)
    kernels.combine(*points.held, hull, hull.centres, hull.w)
    return hull


def _products(points: Points, rows: Codes, slack: float) -> Floats:
    """The matrix B that `kernels/wolfe.py` speaks of."""
    held = points.held
    A, y, part = matrix_of(held, points.d)[rows], held.y[rows].astype(np.float64), held.part[rows]
    inner = A @ A.T
    inner = inner.toarray() if scipy.sparse.issparse(inner) else inner.astype(np.float64)
    B = np.outer(y, y) * (inner + held.rows.bias**2)
    B += (points.radius or 1.0) ** 2 * np.equal.outer(part, part)
    B[np.diag_indices(len(rows))] += slack
    return np.asarray(B)


def first_of_each(points: Points, rows: Codes) -> Codes:
    """The first of these rows in each part."""
    part = points.held.part[rows]
    return rows[[int(np.argmax(part == p)) for p in ((0, 1) if points.two else (0,))]]


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
