"""Is a vector a combination of rows with weights of at least 0?  Floats find the weights, or a direction against it.

The rows are Z, the vector is c. The point of the cone { Z' x : x >= 0 } that is nearest to c is found by the method of
C. L. Lawson and R. J. Hanson, Solving least squares problems (1974), chapter 23. If it is c, the rows with x > 0 are
the combination. If not, the rest r = c - Z' x has r.c > 0 and r.z <= 0 for all rows: the direction -r lowers c and no
row. Whole numbers decide whether either is true.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import WholeRows

ROUNDING = 1e-9  # a rest that is shorter than this, for the length of c, is rounding
MAX_STEPS_PER_ROW = 3
Floats = NDArray[np.float64]


class Nearest(NamedTuple):
    """The nearest point of the cone to a vector."""

    rows: list[int]  # that have a positive weight
    rest: Floats | None  # None if it is rounding only


@np.errstate(divide="ignore", invalid="ignore")
def nearest_in_cone(Z: Floats, c: Floats) -> Nearest:
    """The nearest combination of the rows of Z to c, with weights of at least 0. Rows and c should be of one size."""
    products, size = Z @ Z.T, float(np.linalg.norm(c))
    weights, inside = np.zeros(len(Z)), np.zeros(len(Z), bool)
    rest = c.copy()
    for _ in range(MAX_STEPS_PER_ROW * len(Z)):
        gains = np.where(inside, -np.inf, Z @ rest)
        best = int(np.argmax(gains))
        if gains[best] <= ROUNDING * size:
            break
        inside[best] = True
        at, weights = _without_negative(Z, c, products, weights, inside)
        rest = c - Z[at].T @ weights[at]
    short = float(np.linalg.norm(rest)) <= ROUNDING * size
    return Nearest(np.flatnonzero(weights > 0).tolist(), None if short else rest)


def _without_negative(
    Z: Floats, c: Floats, products: Floats, weights: Floats, inside: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Floats]:
    """The best weights of the rows inside. Rows that would have a negative weight are put outside, one by one."""
    while True:
        at = np.flatnonzero(inside)
        try:
            new = np.linalg.solve(products[np.ix_(at, at)], Z[at] @ c)
        except np.linalg.LinAlgError:
            new = np.linalg.lstsq(Z[at].T, c, rcond=None)[0]
        old = weights[at]
        weights = np.zeros(len(Z))
        down = ~(new > 0)
        if not down.any():
            weights[at] = new
            return at, weights
        shares = old[down] / (old[down] - np.minimum(new[down], 0.0))
        shares[~np.isfinite(shares)] = 0.0
        step = float(shares.min())
        weights[at] = np.maximum(old + step * (new - old), 0.0) if step else old
        out = at[down][shares <= step]
        inside[out] = False
        weights[out] = 0.0


def positive_weights(rows: WholeRows, chosen: Sequence[int], c: Mapping[int, Fraction]) -> list[int] | None:
    """Positive weights with which some rows add up to a positive multiple of c, exactly; None if there are none.

    The weights are unique up to a factor, because the rows are independent; if they are not, there is no answer.
    """
    place = {j: k for k, j in enumerate(rows.columns)}
    if not chosen or not place.keys() >= c.keys():
        return None
    last = [Fraction(0)] * len(place)
    for j, factor in c.items():
        last[place[j]] = -factor * rows.units[place[j]]
    matrix = [[rows.matrix[t, k] for k in range(len(place))] for t in chosen]
    null, count = flint.fmpz_mat([*matrix, whole(last)]).transpose().nullspace()
    numbers = [int(null[t, 0]) for t in range(len(chosen) + 1)] if count == 1 else [0]
    if numbers[-1] < 0:
        numbers = [-number for number in numbers]
    return numbers[:-1] if all(number > 0 for number in numbers) else None
