"""Sums over rows, column by column, without rounding; and lengths of rows.

The sum of a column is kept in PARTS floats: each holds what rounding took from the one before (Knuth's sum of two
floats with its error). What rounding takes from the last one is rare; it is spilled into a list, and so is a number
whose square a float cannot hold. Parts and spill together are the exact sum, in which neither the order of the rows
counts nor their storage, nor how they were divided into chunks.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.data.compiled.rows import as_written, by_storage, plus, times

ROWS = "3e5cedc4b79cf948"
PARTS = 3
SMALL, LARGE = 2.0**-450, 2.0**450  # between these a square, and what rounding takes from it, are floats

rule = njit(cache=True, nogil=True)  # without SUMS: sums as they are written


class Spill(NamedTuple):
    """A list of products a b, each to be added to the sum of a column."""

    column: np.ndarray
    a: np.ndarray
    b: np.ndarray


@as_written
def _pile(parts, j, x, squared, left, k):
    """parts[:, j] += x, or x^2 if squared, without rounding; left[:, k] is what had no room, left[2] being x itself."""
    near = x if SMALL <= abs(x) <= LARGE else 0.0
    first, second = times(near, near if squared else 1.0)
    parts[0, j], first = plus(parts[0, j], 0.0, first)
    parts[1, j], first = plus(parts[1, j], 0.0, first)
    parts[2, j], first = plus(parts[2, j], 0.0, first)
    parts[1, j], second = plus(parts[1, j], 0.0, second)
    parts[2, j], second = plus(parts[2, j], 0.0, second)
    left[0, k], left[1, k], left[2, k] = first, second, x - near


def _pile_row_dense(parts, rows, i, squared, left):
    """Add row i to the sums of the columns; returns how many numbers of it are stored."""
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
    """The column of what is stored as number k of row i."""
    return k


def _column_sparse(rows, i, k):
    return rows.indices[rows.indptr[i] + np.uint64(k)]


def _numbers_dense(rows, i):
    """What is stored of row i; sparse rows leave out zeros."""
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
    Given      rows, start, stop, squared; left: room for what the longest row may leave
    Changes    parts, one column a column; spill, filled from its beginning; left
    Returns    the row it came to, which is before `stop` if the list must be emptied first; how much of it is filled
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


@register_jitable
def _any(left, stored):
    count = 0
    for k in range(stored):
        count += (left[0, k] != 0.0) | (left[1, k] != 0.0) | (left[2, k] != 0.0)
    return count > 0


@register_jitable
def _empty(left, stored, rows, i, squared, spill, filled):
    """Bring what row i left into the list."""
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
    Rule       |x_i| = length_i 2^exponent_i, the largest number of the row lying between 2^(exponent_i - 1) and
               2^exponent_i, so that no square is too large; for a row of zeros 1 and 0
    Given      rows; their bias constant is left out
    Changes    length, exponent
    Guarantee  squares are rounded, but not their sum, which has twice the digits: its root is off by two roundings at
               most, however long the row, and is the same for dense and sparse rows, since a zero changes no digit
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
            down, rest = math.ldexp(1.0, -half), math.ldexp(1.0, half - e)  # 2^-e itself may be no float
            high = low = 0.0
            for j in range(x.size):
                v = np.float64(x[j]) * down * rest
                high, low = plus(high, low, v * v)
            length[i], exponent[i] = math.sqrt(high + low), e
