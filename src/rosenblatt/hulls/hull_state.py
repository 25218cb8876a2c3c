"""The convex combination of signed rows that a search moves, with the triangular factor of Wolfe's rule."""

import math

import numpy as np
import scipy.sparse

from rosenblatt.base.deadline import can_afford
from rosenblatt.data.compiled.rows import Dense
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import Codes, Floats, dense_row
from rosenblatt.hulls.newton import matrix_of
from rosenblatt.hulls.row_set import Points, Worst
from rosenblatt.rules import hull as hull_rules
from rosenblatt.rules import wolfe
from rosenblatt.rules.hull import Hull

EPS = 2.0**-52
MAX_QR_NUMBERS = 4_000_000  # a larger matrix is factored from its inner products
PIECE = 50_000_000  # multiplications of Wolfe's rule between two looks at the clock


class Combination:
    """A convex combination of signed rows (with two hulls: the difference of one of each).

    Attributes
    ----------
    points : the signed rows
    slack : 1/(2C), 0 without slack
    hull : rows, weights and w, as the compiled rules take them
    has_factor : does `hull` hold the triangular factor that Wolfe's rule needs?
    negligible : a w that is not longer than this may consist of rounding errors only
    """

    def __init__(self, points: Points, slack: float, *, has_factor: bool) -> None:
        self.points, self.slack, self.has_factor = points, slack, has_factor
        self.negligible = 1e-9 * points.radius
        self.hull = at_first_of_each(points, slack)
        if not has_factor:
            self.hull = self.hull._replace(factor=np.zeros((0, 0)))

    @property
    def active(self) -> Codes:
        """The rows in the combination, as places in `points.held`."""
        return np.asarray(self.hull.points[: self.hull.size[0]])

    @property
    def weights(self) -> Floats:
        """The weight of each active row."""
        return np.asarray(self.hull.weights[: self.hull.size[0]])

    @property
    def rounding(self) -> float:
        """A bound on the relative rounding error of a lead w.z."""
        return (self.points.d + len(self.active) + 8) * EPS

    @property
    def square(self) -> float:
        """|w|^2, the columns of slack included."""
        return float(self.hull.w @ self.hull.w + self.slack * self.weights @ self.weights)

    def refresh(self) -> tuple[float, float]:
        """Normalise the weights and add the rows up again.

        Returns
        -------
        The length of the new sum, and the length of the w that is used. With a factor the w that is used is the one of
        Wolfe's rule, which is more precise than the sum with rounded weights.
        """
        hull, held = self.hull, self.points.held
        hull_rules.normalise(held.part, hull)
        centres, w = np.empty_like(hull.centres), np.empty_like(hull.w)
        hull_rules.combine(*held, hull, centres, w)
        if not self.has_factor:
            hull.centres[:], hull.w[:] = centres, w
        own = self.slack * float(self.weights @ self.weights)
        return _length(w, own), _length(hull.w, own)

    def worst(self) -> Worst:
        """The rows with the smallest leads, out of all rows."""
        lift = self.slack * self.weights if self.slack else None
        return self.points.worst(self.hull.w, self.points.numbers[self.active], lift)

    def levels(self) -> Floats:
        """The mean lead of the active rows of each part."""
        return np.asarray(hull_rules.levels(self.points.held.part, self.hull, self.slack))

    def support(self) -> tuple[Codes, Floats]:
        """The numbers of the rows with a positive weight, in increasing order, and their weights."""
        positive = np.flatnonzero(self.weights > 0)
        rows = self.points.numbers[self.active[positive]]
        order = np.argsort(rows)
        return rows[order], self.weights[positive][order]

    def nearest_of_active(self, deadline: float = math.inf) -> Hull:
        """The nearest point of the active rows alone, by Wolfe's rule without slack; less near after the deadline."""
        points, active = self.points, self.active
        room = min(points.d, len(active)) + 5
        hull = at_first_of_each(points, 0.0, active, room=room)
        most = 10 * len(active) + 100
        log = min(most, steps_in_a_piece(points, len(active), room, deadline))
        for _ in range(math.ceil(most / log)):
            rows, squares, sizes = np.empty(log, np.int64), np.empty(log), np.empty(log, np.int64)
            made = wolfe.wolfe_among(*points.held, hull, active, 0.0, 1e-9, rows, squares, sizes)
            if made < log or not can_afford(0.0, deadline):
                break
        return hull

    def signed_rows(self, places: Codes) -> Floats:
        """Held rows with their signs, each followed by its constant.

        The constant is that of the embedding. With two parts it is 1, so that the weights of both have equal sums.
        """
        rows, y, _ = self.points.held
        constant = 1.0 if self.points.two else rows.bias
        return np.array([y[i] * np.append(dense_row(rows, i, self.points.d), constant) for i in places])


def steps_in_a_piece(points: Points, near: int, size: int, deadline: float) -> int:
    """The steps of Wolfe's rule to make between two looks at the clock; without a deadline, as many as there are.

    Parameters
    ----------
    points : the signed rows
    near : the number of rows that the rule works on
    size : the most rows of the combination
    deadline : on the monotonic clock
    """
    if deadline == math.inf:
        return 2**62
    rows = points.held.rows
    numbers = points.d if isinstance(rows, Dense) else len(rows.data) / max(1, len(points.held.y))
    return max(1, int(PIECE / ((near + 6 * size) * (numbers + 1) + 6 * size**2)))


def empty(points: Points, room: int, factor: int) -> Hull:
    """Allocate a combination of at most `room` rows, with a factor for at most `factor` rows."""
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


def factored(points: Points, rows: Codes, weights: Floats, slack: float, room: int = 0) -> Hull:
    """A combination of affinely independent rows, with the factor of Wolfe's rule.

    Raises
    ------
    numpy.linalg.LinAlgError
        The rows are not independent, or floats cannot tell that they are.
    """
    room, n = max(room, len(rows) + 64), len(rows)
    hull = empty(points, room, room)
    hull.factor[:n, :n] = _factor(points, rows, slack)
    return with_weights(points, hull, rows, weights)


def _factor(points: Points, rows: Codes, slack: float) -> Floats:
    """The triangular U with U'U = B, where B is the matrix of inner products that `rules/wolfe.py` defines.

    A matrix of moderate size is factored by QR from the rows themselves: the inner products have lost half of the
    digits.
    """
    held, n = points.held, len(rows)
    A, y, part = matrix_of(held, points.d)[rows], held.y[rows].astype(np.float64), held.part[rows]
    unit = points.radius or 1.0
    if n * (points.d + n) < MAX_QR_NUMBERS:
        constant = np.full(n, held.rows.bias)
        signed = y[:, np.newaxis] * np.column_stack([dense(A), constant])
        own = math.sqrt(slack) * np.eye(n if slack > 0 else 0, n).T
        augmented = np.column_stack([signed, unit * (part == 0), unit * (part == 1), own])
        U = np.asarray(np.linalg.qr(augmented.T, mode="r"))
        if len(U) < n or np.abs(U.diagonal()).min() <= wolfe.DEPENDENT * unit:
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
    """The combination that gives the first row of each part the weight 1. `rows` limits the choice."""
    part = points.held.part if rows is None else points.held.part[rows]
    first = np.array([int(np.argmax(part == p)) for p in ((0, 1) if points.two else (0,))])
    return factored(points, first if rows is None else rows[first], np.ones(len(first)), slack, room)


def with_room(hull: Hull, size: int) -> Hull:
    """Grow a hull to at least `size` rows. A factor, if there is one, grows with it."""
    n, old = hull.size[0], len(hull.points)
    if size <= old:
        return hull
    more, factor = max(size, 2 * old) - old, len(hull.factor)
    return hull._replace(
        points=np.pad(hull.points, (0, more)),
        weights=np.pad(hull.weights, (0, more)),
        factor=np.pad(hull.factor[:n, :n], (0, old + more - n)) if factor == old else hull.factor,
    )


def _length(w: Floats, own: float) -> float:
    return math.sqrt(float(w @ w) + own)
