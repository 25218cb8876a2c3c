"""Exact sums of the columns of a table, and the means and scales that follow from them."""

import math
from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data import validation
from rosenblatt.data.compiled.columns import Spill, sums
from rosenblatt.data.validation import Floats, Matrix
from rosenblatt.errors import DataError

CENTRED = ("center", "standardize")  # zeros do not stay zeros, so a sparse matrix would become dense
DIVIDED = {"standardize": "standard deviation", "divide": "root mean square"}
BRITISH = {"centre": "center", "standardise": "standardize"}  # other spellings that are taken
SMALLEST_NORMAL = 2.0**-1022  # smaller floats have fewer digits
UNIT_BITS = 1074  # every float is an integer multiple of 2^-1074; a product of two floats, of 2^-2148


class ScaledColumns(NamedTuple):
    """The learned numbers of each column."""

    centre: Floats | None
    scale: Floats | None
    constant: NDArray[np.int64] | None


class ColumnSums(NamedTuple):
    """The exact sum of each column, and of its squares; see `data/compiled/columns.py`."""

    rows: int
    parts: Floats  # 2 x PARTS x d
    spilled: tuple[dict[int, int], dict[int, int]]  # by column, in units of 2^-2148

    def and_of(self, points: Matrix, *, counted: bool) -> Self:
        """Copy the sums and add the rows of `points`; with counted=True only the number of rows is added."""
        n = points.shape[0]
        if counted:
            return self._replace(rows=self.rows + n)
        rows, parts, spilled = (
            validation.rows(points, 0.0),
            self.parts.copy(),
            (dict(self.spilled[0]), dict(self.spilled[1])),
        )
        longest = int(np.diff(points.indptr).max()) if scipy.sparse.issparse(points) else points.shape[1]
        left = np.zeros((3, max(longest, 1)))
        size = left.size + 4096
        spill = Spill(np.zeros(size, np.int64), np.zeros(size), np.zeros(size))
        for squared in (False, True):
            start = 0
            while start < n:
                start, filled = sums(rows, start, n, squared, parts[int(squared)], spill, left)
                for j, a, b in zip(*(entries[:filled].tolist() for entries in spill), strict=True):
                    spilled[squared][j] = spilled[squared].get(j, 0) + in_units(a) * in_units(b)
        return self._replace(rows=self.rows + n, parts=parts, spilled=spilled)

    def exact(self) -> Iterator[tuple[int, int]]:
        """Give for each column its sum in units of 2^-1074, and the sum of its squares in units of 2^-2148."""
        plain, squares = self.spilled
        for j, (parts, squared) in enumerate(zip(self.parts[0].T.tolist(), self.parts[1].T.tolist(), strict=True)):
            total = sum(map(in_units, filter(None, parts))) + (plain.get(j, 0) >> UNIT_BITS)
            yield total, (sum(map(in_units, filter(None, squared))) << UNIT_BITS) + squares.get(j, 0)


def american(how: str) -> str:
    """Give the American spelling of a way of scaling."""
    return BRITISH.get(how, how)


def columns_of(how: str, total: ColumnSums | None) -> ScaledColumns:
    """Compute means and scales, each the float nearest to the exact value."""
    if how == "unit" or total is None:
        return ScaledColumns(None, None, None)
    n, means, scales, constant = total.rows, [], [], []
    for j, (plain, squares) in enumerate(total.exact()):
        spread = n * squares - plain * plain  # n^2 times the variance
        means.append(plain / (n << UNIT_BITS))
        scale = _root(squares, n << 2 * UNIT_BITS) if how == "divide" else _root(spread, n * n << 2 * UNIT_BITS)
        scales.append(scale or 1.0)
        if spread == 0:
            constant.append(j)
        if 0.0 < scale < SMALLEST_NORMAL and how in DIVIDED:
            raise DataError(f"Column {j} has a {DIVIDED[how]} of {scale}, too small to divide by; enlarge it first.")
    return ScaledColumns(
        np.array(means) if how in CENTRED else None,
        np.array(scales) if how in DIVIDED else None,
        np.array(constant, dtype=np.int64),
    )


def in_units(x: float) -> int:
    """Convert a float to an integer number of units of 2^-1074."""
    numerator, power = x.as_integer_ratio()
    return numerator << (UNIT_BITS + 1 - power.bit_length())


def _root(numerator: int, denominator: int) -> float:
    """Compute the float nearest to the root of a fraction; never 0 unless the fraction is 0."""
    if numerator == 0:
        return 0.0
    shift = max(0, 64 + (denominator.bit_length() - numerator.bit_length()) // 2)  # so that the root has 64 bits
    quotient, rest = divmod(numerator << 2 * shift, denominator)
    root = math.isqrt(quotient)
    beyond = rest > 0 or root * root != quotient  # one more bit, to tell exactly half from a little more
    return max((2 * root + beyond) / (2 << shift), math.ulp(0.0))
