"""Is a vector a combination of rows with weights of at least 0?  Floats find the weights, or a direction against it.

The rows are Z, the vector is c. A basis is a set of independent rows that span all rows. With it c has one combination,
with weights x. If they are at least 0, this is the answer. If x_r < 0, there is a direction g with g.z_r = 1 that is
orthogonal to the other rows of the basis, and g.c = x_r < 0. Either g.z >= 0 for all rows: then g lowers c and no row.
Or a row with g.z < 0 takes the place of z_r. This is the dual simplex method without costs. The basis is kept for the
next c. Whole numbers decide whether an answer is true.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import WholeRows

ROUNDING = 1e-9  # a smaller number is taken for 0
DEPENDENT = 1e-10  # the size, relative to the first, below which a pivot is taken for 0
MAX_STEPS_PER_COLUMN = 10
Floats = NDArray[np.float64]


class Answer(NamedTuple):
    """The rows with a positive weight; or a direction that lowers the vector and no row."""

    rows: list[int]
    down: Floats | None


class ConeBasis:
    """Combinations of rows with weights of at least 0. Rows and columns should be of one size.

    Parameters
    ----------
    Z : the rows, not all 0
    """

    def __init__(self, Z: Floats) -> None:
        self.columns = _independent(Z.T)
        self.Z, self.width = np.ascontiguousarray(Z[:, self.columns]), Z.shape[1]
        self.basis = _independent(self.Z)

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def answer(self, c: Floats) -> Answer | None:
        """A guess for a combination c of the rows, with weights of any sign; None if there is none."""
        own, Z, basis = c[self.columns], self.Z, self.basis
        if len(basis) < len(self.columns):
            return None
        try:
            directions = np.linalg.inv(Z[basis]).T
        except np.linalg.LinAlgError:
            return None
        for _ in range(MAX_STEPS_PER_COLUMN * len(basis)):
            weights = directions @ own
            r = int(weights.argmin())
            if not np.isfinite(weights[r]):
                break
            if weights[r] >= -ROUNDING:
                return Answer(basis[weights > ROUNDING].tolist(), None)
            leads = Z @ directions[r]
            q = int(leads.argmin())
            if leads[q] >= -ROUNDING:
                down = np.zeros(self.width)
                down[self.columns] = directions[r]
                return Answer([], down)
            new = directions[r] / leads[q]
            directions -= np.outer(directions @ Z[q], new)
            directions[r], basis[r] = new, q
        self.basis = _independent(Z)
        return None


def _independent(rows: Floats) -> NDArray[np.int64]:
    """The places of rows that are independent, as many as possible, the longest first."""
    _, R, order = scipy.linalg.qr(rows.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(R))
    return np.array(order[: int((sizes > DEPENDENT * sizes[0]).sum())], dtype=np.int64)


def positive_weights(rows: WholeRows, chosen: Sequence[int], c: Mapping[int, Fraction | int]) -> list[int] | None:
    """Positive weights with which some rows add up to a positive multiple of c, exactly; None if there are none.

    The weights are unique up to a factor, because the rows are independent; if they are not, there is no answer.
    """
    place = {j: k for k, j in enumerate(rows.columns)}
    if not chosen or not place.keys() >= c.keys():
        return None
    target = [Fraction(0)] * len(place)
    for j, factor in c.items():
        target[place[j]] = factor * rows.units[place[j]]
    matrix = flint.fmpz_mat([[rows.matrix[t, k] for k in range(len(place))] for t in chosen]).transpose()
    numbers = _solution(matrix, whole(target))
    return numbers if all(number > 0 for number in numbers) else None


def _solution(matrix: Any, target: list[int]) -> list[int]:
    """The one x with a positive multiple of the target as matrix x; [0] if there is none or more than one."""
    if matrix.nrows() == matrix.ncols():
        try:
            numbers, unit = matrix.solve(flint.fmpz_mat(len(target), 1, target)).numer_denom()
        except ZeroDivisionError:  # the rows are dependent
            return [0]
        return [int(number) * (1 if unit > 0 else -1) for number in numbers.entries()]
    wide = flint.fmpz_mat([[*row, -number] for row, number in zip(matrix.tolist(), target, strict=True)])
    null, count = wide.nullspace()
    numbers = [int(null[t, 0]) for t in range(wide.ncols())] if count == 1 else [0]
    return [number if numbers[-1] > 0 else -number for number in numbers[:-1]] if numbers[-1] else [0]
