"""Exact sums of columns, and lengths of rows.

The sum of a column is kept in PARTS floats: each holds the rounding error of the one before (Knuth's sum of two floats
with its error). The rounding error of the last part is rarely not 0; it is added to a list, the spill. Numbers whose
square is too large or too small for a float are added to the spill, too. Parts and spill together are the exact sum. It
does not depend on the order of the rows, their storage, or their division into chunks.
"""

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import by_storage, plus, times

ROWS = "51b39b36e867ec93"
PARTS = 3
MIN_SQUARED, MAX_SQUARED = 2.0**-450, 2.0**450  # between these, a square and its rounding error are floats


class Spill(NamedTuple):
    """A list of products a b, each of which must still be added to the sum of a column."""

    column: np.ndarray
    a: np.ndarray
    b: np.ndarray


@helper
def _pile(parts, j, x, squared, left, k):
    """Add x, or x^2 if squared, to parts[:, j]; left[:, k] gets what does not fit, left[2, k] an x of extreme size."""
    near = x if MIN_SQUARED <= abs(x) <= MAX_SQUARED else 0.0
    first, second = times(near, near if squared else 1.0)
    parts[0, j], first = plus(parts[0, j], 0.0, first)
    parts[1, j], first = plus(parts[1, j], 0.0, first)
    parts[2, j], first = plus(parts[2, j], 0.0, first)
    parts[1, j], second = plus(parts[1, j], 0.0, second)
    parts[2, j], second = plus(parts[2, j], 0.0, second)
    left[0, k], left[1, k], left[2, k] = first, second, x - near


def _pile_row_dense(parts, rows, i, squared, left):
    """Add row i to the sums of the columns; return how many numbers of the row are stored."""
    x = rows.X[np.uint64(i)]
    for j in range(x.size):
        _pile(parts, j, np.float64(x[j]), squared, left, j)
    return x.size


def _pile_row_sparse(parts, rows, i, squared, left):
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    for k in range(start, stop):
        _pile(parts, rows.indices[k], np.float64(rows.data[k]), squared, left, k - start)
    return np.int64(stop - start)


def _column_dense(rows, i, k):  # noqa: ARG001
    """Give the column of the k-th stored number of row i."""
    return k


def _column_sparse(rows, i, k):
    return rows.indices[rows.indptr[i] + np.uint64(k)]


def _numbers_dense(rows, i):
    """Give the stored numbers of row i; sparse rows leave out zeros."""
    return rows.X[np.uint64(i)]


def _numbers_sparse(rows, i):
    return rows.data[rows.indptr[i] : rows.indptr[i + 1]]


pile_row = by_storage(_pile_row_dense, _pile_row_sparse)
column = by_storage(_column_dense, _column_sparse)
numbers = by_storage(_numbers_dense, _numbers_sparse)


@rule
def sums(rows, start, stop, squared, parts, spill, left):
    """
    Rule       sum of column j += x_ij, or x_ij^2 if squared, for the rows from start to stop
    Given      rows, start, stop, squared; left: an array for the remainders of the longest row
    Changes    parts, a column for each column of the rows; spill, filled from its beginning; left
    Returns    the next row, which is before `stop` if the spill is full and must be emptied; the length of the spill
    Guarantee  parts and spill together hold the exact sum
    See        Knuth, The art of computer programming, volume 2, section 4.2.2; Dekker 1971
    """
    filled = 0
    for i in range(start, stop):
        if filled + left.size > len(spill.column):
            return i, filled
        stored = pile_row(parts, rows, i, squared, left)
        if _any(left, stored):
            filled = _empty(left, stored, rows, i, squared, spill, filled)
    return stop, filled


@helper
def _any(left, stored):
    count = 0
    for k in range(stored):
        count += (left[0, k] != 0.0) | (left[1, k] != 0.0) | (left[2, k] != 0.0)
    return count > 0


@helper
def _empty(left, stored, rows, i, squared, spill, filled):
    """Add the remainders of row i to the spill."""
    for k in range(stored):
        for part in range(3):
            a = left[part, k]
            if a != 0.0:
                spill.column[filled] = column(rows, i, k)
                spill.a[filled] = a
                spill.b[filled] = a if squared and part == 2 else 1.0
                filled += 1
    return filled


@rule
def lengths(rows, length, exponent):
    """
    Rule       |x_i| = length_i 2^exponent_i; the largest number of the row lies between 2^(exponent_i - 1) and
               2^exponent_i, so no square overflows; a row of zeros gets length 1 and exponent 0
    Given      rows; their bias constant is left out
    Changes    length, exponent
    Guarantee  squares are rounded; their sum has twice the digits. The root is off by at most two roundings, however
               long the row is. It is the same for dense and sparse rows, since adding a zero changes nothing
    """
    for i in range(len(length)):
        x = numbers(rows, i)
        largest = 0.0
        for j in range(x.size):
            largest = max(largest, abs(np.float64(x[j])))
        length[i], exponent[i] = 1.0, 0
        if largest > 0.0:
            e = math.frexp(largest)[1]
            half = e // 2
            down, rest = math.ldexp(1.0, -half), math.ldexp(1.0, half - e)  # 2^-e itself may overflow
            high = low = 0.0
            for j in range(x.size):
                v = np.float64(x[j]) * down * rest
                high, low = plus(high, low, v * v)
            length[i], exponent[i] = math.sqrt(high + low), e
