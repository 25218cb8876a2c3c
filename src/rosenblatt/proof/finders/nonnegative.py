"""Is a vector a combination of rows with weights of at least 0?  Floats find the weights, or a direction against it.

The rows are Z, the vector is c. A basis is a set of independent rows that span all rows. With it c has one combination,
with weights x. If they are at least 0, this is the answer. If x_r < 0, there is a direction g with g.z_r = 1 that is
orthogonal to the other rows of the basis, and g.c = x_r < 0. Either g.z >= 0 for all rows: then g lowers c and no row.
Or a row with g.z < 0 takes the place of z_r. This is the dual simplex method without costs. The basis and its inverse
are kept for the next c. Bounds on all rounding errors, or whole numbers, decide whether an answer is true.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from rosenblatt.base.exact import whole
from rosenblatt.certificate.near_witness import bounds
from rosenblatt.certificate.signed_rows import NORMAL, WholeRows, are_balanced
from rosenblatt.proof.finders.existence import LIMIT

ROUNDING = 1e-9  # a smaller number is taken for 0
DEPENDENT = 1e-10  # the size, relative to the first, below which a pivot is taken for 0
MAX_STEPS_PER_COLUMN = 10
MAX_CHANGES = 100  # of the inverse, before it is computed anew
Floats = NDArray[np.float64]


class Answer(NamedTuple):
    """The rows with a positive weight; or a direction that lowers the vector and no row."""

    rows: list[int]
    inverse: Floats | None  # of the transposed rows, about, if they are as many as their columns
    down: Floats | None


class ConeBasis:
    """Combinations of rows with weights of at least 0. Rows and columns should be of one size.

    Parameters
    ----------
    Z : the rows, not all 0
    """

    def __init__(self, Z: Floats) -> None:
        self.columns = np.sort(_independent(Z.T))
        self.Z, self.width = np.ascontiguousarray(Z[:, self.columns]), Z.shape[1]
        self._start()

    def _start(self) -> None:
        """Begin with a basis that floats call regular, without its inverse."""
        self.basis, self._changes = _independent(self.Z), MAX_CHANGES
        self._inverse: NDArray[Any] = np.empty((0, 0))

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def answer(self, c: Floats) -> Answer | None:
        """A guess for a combination c of the rows, with weights of any sign; None if there is none."""
        own, Z, basis = c[self.columns], self.Z, self.basis
        if len(basis) < len(self.columns):
            return None
        for _ in range(MAX_STEPS_PER_COLUMN * len(basis)):
            if self._changes >= MAX_CHANGES:
                try:
                    self._inverse, self._changes = np.linalg.inv(Z[basis].T), 0
                except np.linalg.LinAlgError:
                    break
            directions = self._inverse  # a row g for each row z of the basis
            weights = directions @ own
            r = int(weights.argmin())
            lowest = float(weights[r])
            if not math.isfinite(lowest):
                break
            if lowest >= -ROUNDING:
                rows = basis[weights > ROUNDING].tolist()
                return Answer(rows, directions.copy() if len(rows) == self.width else None, None)
            leads = Z @ directions[r]
            q = int(leads.argmin())
            lead = float(leads[q])
            if lead >= -ROUNDING:
                down = np.zeros(self.width)
                down[self.columns] = directions[r]
                return Answer([], None, down)
            self._exchange(r, q, lead)
        self._start()
        return None

    def _exchange(self, r: int, q: int, lead: float) -> None:
        """Row q takes the place r of the basis; its lead is g.z_q, with g = g_r."""
        new = self._inverse[r] / lead
        changes = self._inverse @ self.Z[q]
        changes[r] = lead - 1.0  # so that row r becomes the new one
        self._inverse = scipy.linalg.blas.dger(-1.0, new, changes, a=self._inverse.T, overwrite_a=1).T
        self.basis[r] = q
        self._changes += 1


def _independent(rows: Floats) -> NDArray[np.int64]:
    """The places of rows that are independent, as many as possible, the longest first."""
    _, R, order = scipy.linalg.qr(rows.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(R))
    return np.array(order[: int((sizes > DEPENDENT * sizes[0]).sum())], dtype=np.int64)


def are_positive(Z: Floats, inverse: Floats, c: Floats, error: float) -> bool:
    """Have independent rows positive weights with which they add up to c?  Proved in floats, or not known.

    The rows are as many as their columns. With c as one more row of weight -1, floats nearly add up to 0, and
    `certificate.near_witness` bounds how far the exact weights are from these.

    Parameters
    ----------
    Z : the rows
    inverse : the inverse of the transposed rows; its errors may cost an answer, but make none wrong
    c : the vector
    error : the relative error of the numbers of Z and c, at most
    """
    weights = np.append(inverse @ c, 1.0)
    if not (np.isfinite(weights).all() and weights.min() > 0):
        return False
    t, powers = np.frexp(weights)
    A = np.column_stack([Z.T, -c])
    T = np.ldexp(A, powers)
    if not (np.isfinite(T).all() and (np.abs(T[A != 0]) > NORMAL).all()):
        return False
    P = np.vstack([np.ldexp(inverse, -powers[:-1, np.newaxis]), np.zeros((1, len(c)))])
    found = bounds(T, t, P, 2 * error * np.abs(T))
    return found.inverse <= LIMIT and found.change <= LIMIT


def have_positive_weights(rows: WholeRows, chosen: Sequence[int], c: Mapping[int, Fraction | int]) -> bool:
    """Are some rows independent, and do they add up to c with positive weights?  Decided in whole numbers."""
    place = {j: k for k, j in enumerate(rows.columns)}
    if not chosen or not place.keys() >= c.keys():
        return False
    target = [Fraction(0)] * len(place)
    for j, factor in c.items():
        target[place[j]] = -factor * rows.units[place[j]]
    return are_balanced([[rows.matrix[t, k] for k in range(len(place))] for t in chosen] + [whole(target)])
