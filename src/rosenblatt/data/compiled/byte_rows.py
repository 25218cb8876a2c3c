"""A copy of dense rows with one byte for each number, and a bound of what it leaves out.

A row x is stored as whole numbers q_j from -127 to 127 and a scale s, with x_j = s q_j + r_j. For weights w, without
that of the bias, the Cauchy-Schwarz inequality gives

    |w.x - s w.q|  <=  |w| |r|.

So the copy decides the sign of most scores, and x need not be read. The product w.q is computed with 32 bits. With
u = 2^-24 and n numbers, and if nothing overflows or underflows, for any order of the sum

    |computed w.q - w.q|  <=  2 (n + 2) u |w| |q|,    |q| <= 127 sqrt(n).

`rough_weights` sees to it that nothing overflows, and that what underflows is far below |w|. The bound of a row is at
least |r| + 2 (n + 2) u 127 sqrt(n) s, so that |w| times this bound is at least the error of s times the computed w.q.
It is infinite if the row has numbers too large or too small for 32 bits.

A record holds s, the bound and q side by side. It begins a line of memory, so that a row is in one place.
"""

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import Dense

ROWS = "51b39b36e867ec93"  # the digest of rows.py; see there
HEAD = 8  # bytes of a record before its numbers: the scale and the bound, with 32 bits each
LARGEST = 127.0
SAFE, TINY = 1e30, 1e-30  # 32 bits hold the products of scales between these with small numbers
SAFE_SQUARE, TINY_SQUARE = 1e30, 1e-30  # likewise for |w|^2


class ByteRows(NamedTuple):
    """Dense rows with their copy."""

    dense: Dense
    records: np.ndarray  # n x stride, int8
    heads: np.ndarray  # the same memory, as float32: a scale, a bound, and more


@rule(fastmath={"nnan", "nsz", "reassoc"})  # the bounds hold for any order of the sums; all numbers are finite
def fill_records(X, records, heads):
    """
    Rule       record i is the copy of row i of X
    Given      X
    Changes    records and heads, which are the same memory
    See        the beginning of this file
    """
    d = X.shape[1]
    rounding = 2.0 * (d + 2.0) * 2.0**-24 * LARGEST * math.sqrt(d)
    for i in range(len(X)):
        largest = 0.0
        for j in range(d):
            largest = max(largest, abs(np.float64(X[i, j])))
        scale = np.float64(np.float32(largest / LARGEST))
        if not (TINY < scale < SAFE) and largest > 0.0:
            heads[i, 0], heads[i, 1] = 0.0, math.inf
            continue
        inverse = 1.0 / scale if largest > 0.0 else 0.0
        rest = 0.0
        for j in range(d):
            x = np.float64(X[i, j])
            q = max(-LARGEST, min(LARGEST, np.rint(x * inverse)))
            records[i, HEAD + j] = np.int8(q)
            r = x - scale * q  # the product is exact: 24 bits times 7
            rest += r * r
        heads[i, 0] = np.float32(scale)
        heads[i, 1] = np.float32((math.sqrt(rest) + rounding * scale) * (1.0 + 1e-6))


@helper(jit_options={"fastmath": {"reassoc", "nsz"}})
def rough_weights(w, rough):
    """Write w with 32 bits to rough; return an upper bound of |w|, infinite if 32 bits cannot hold w."""
    total = 0.0
    for j in range(rough.size):
        total += w[j] * w[j]
        rough[j] = np.float32(w[j])
    if not (TINY_SQUARE < total < SAFE_SQUARE):
        return math.inf
    return math.sqrt(total) * (1.0 + 1e-9)


@helper(jit_options={"fastmath": {"reassoc", "nsz"}})
def rough_dot(records, rough, i):
    """Compute w.q of record i, about."""
    total = np.float32(0.0)
    for j in range(rough.size):
        total += np.float32(records[i, HEAD + j]) * rough[j]
    return np.float64(total)
