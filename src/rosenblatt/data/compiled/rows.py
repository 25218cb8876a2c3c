"""Rows, dense or sparse. These are the only functions that know the storage; they also compute exact signs of sums.

The storage must not change a result, but a sum of floats depends on the order of its terms. So `dot` also returns a
bound of its rounding error. If this error could change the sign (`unsure`), `exact_lead` computes the sum again without
rounding. A rule that uses only signs then gives the same weights, to the last bit, for dense and sparse rows, for
float32 and float64, compiled and interpreted (`rule.py_func`).

The disk cache of numba checks only the file of the compiled function. So every file that uses this one records the
digest of this file as `ROWS`: a change here then changes that file, too. A test checks the digests.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import helper, register, rule
from rosenblatt.data.compiled.lanes import lane_sums, two_lane_sums

LANES = "7274f34eba773e1f"  # the digest of lanes.py; see above
EPS = 2.0**-52  # twice the unit roundoff; this covers the rounding of the bound itself
TINY = 2.0**-1074  # the largest error of a product by underflow
UNDERFLOW_LIMIT = 2.0**-500  # its square does not underflow; numbers whose square underflows are smaller
OVERFLOW_LIMIT = 2.0**1000
SPLIT = 2.0**27 + 1.0
MAX_FLOAT = (2.0 - EPS) * 2.0**1023
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)  # steps of unsigned places


class Dense(NamedTuple):
    X: np.ndarray  # n x d, C order, float32 or float64
    bias: float


class Sparse(NamedTuple):
    data: np.ndarray  # float32 or float64
    indices: np.ndarray  # unsigned, so that loops need no test for negative indices; increasing within a row
    indptr: np.ndarray  # unsigned
    bias: float


def by_storage(dense, sparse, inline="never"):
    """Make one function of two; the type of the rows selects `dense` or `sparse`, compiled or not."""

    @functools.wraps(dense)
    def primitive(*args):
        return (dense if any(isinstance(a, Dense) for a in args) else sparse)(*args)

    def choose(*types):
        return dense if any(getattr(t, "instance_class", None) is Dense for t in types) else sparse

    register(lambda extending: extending.overload(primitive, strict=False, inline=inline)(choose))
    return primitive


def _dot_dense(w, rows, i):
    """Compute the score w.x_i and a bound of its rounding error (Higham 2002, section 3.1)."""
    x = rows.X[np.uint64(i)]
    total, size = lane_sums(x, w)
    p = rows.bias * w[x.size]
    return total + p, (x.size + 4.0) * (EPS * (size + abs(p)) + TINY)


def _dot_sparse(w, rows, i):
    """Four sums side by side, so that a term need not wait for the sum before it."""
    start, stop = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    fours = stop - (stop - start) % FOUR
    a = b = c = d = size = more = 0.0
    for k in range(start, fours, FOUR):
        p = rows.data[k] * w[rows.indices[k]]
        q = rows.data[k + ONE] * w[rows.indices[k + ONE]]
        r = rows.data[k + TWO] * w[rows.indices[k + TWO]]
        s = rows.data[k + THREE] * w[rows.indices[k + THREE]]
        a += p
        b += q
        c += r
        d += s
        size += abs(p) + abs(q)
        more += abs(r) + abs(s)
    for k in range(fours, stop):
        p = rows.data[k] * w[rows.indices[k]]
        a += p
        size += abs(p)
    p = rows.bias * w[w.size - 1]
    total = ((a + b) + (c + d)) + p
    return total, (float(stop - start) + 4.0) * (EPS * ((size + more) + abs(p)) + TINY)


def _products_dense(W, rows, i, out):
    """Compute the scores out[c] = W[c].x_i, two classes at a time to read the row less often. See `blur`."""
    x = rows.X[np.uint64(i)]
    for c in range(0, len(W), 2):
        e = min(c + 1, len(W) - 1)
        s, t = two_lane_sums(x, W[c], W[e])
        out[c] = s + rows.bias * W[c, x.size]
        out[e] = t + rows.bias * W[e, x.size]


def _products_sparse(W, rows, i, out):
    d = W.shape[1] - 1
    start, stop = np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])
    twos = stop - (stop - start) % TWO
    for c in range(0, len(W), 2):
        e = min(c + 1, len(W) - 1)
        u, v = W[c], W[e]
        s = t = more_s = more_t = 0.0
        for k in range(start, twos, TWO):
            j, q = rows.indices[k], rows.indices[k + ONE]
            s += rows.data[k] * u[j]
            t += rows.data[k] * v[j]
            more_s += rows.data[k + ONE] * u[q]
            more_t += rows.data[k + ONE] * v[q]
        for k in range(twos, stop):
            j = rows.indices[k]
            s += rows.data[k] * u[j]
            t += rows.data[k] * v[j]
        out[c] = (s + more_s) + rows.bias * u[d]
        out[e] = (t + more_t) + rows.bias * v[d]


def _add_dense(w, rows, i, step):
    """Add step x_i to w."""
    x = rows.X[np.uint64(i)]
    d = x.size
    for j in range(d):
        w[j] += step * x[j]
    w[d] += step * rows.bias


def _add_sparse(w, rows, i, step):
    for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        w[rows.indices[k]] += step * rows.data[k]
    w[w.size - 1] += step * rows.bias


def _add_exactly_dense(high, low, rows, i, step):
    """Add step x_i to high + low, with twice the digits (Dekker 1971): low holds the rounding errors of high."""
    x = rows.X[np.uint64(i)]
    d = x.size
    for j in range(d):
        _add_product(high, low, j, step, np.float64(x[j]))
    _add_product(high, low, d, step, rows.bias)


def _add_exactly_sparse(high, low, rows, i, step):
    for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        _add_product(high, low, rows.indices[k], step, np.float64(rows.data[k]))
    _add_product(high, low, high.size - 1, step, rows.bias)


@helper
def plus(high, low, x):
    """Add x to high + low, with twice the digits."""
    new = high + x
    v = new - high
    return new, low + ((high - (new - v)) + (x - v))


@helper
def times(a, b):
    """Compute the rounded product a b, and its rounding error."""
    p = a * b
    c, d = SPLIT * a, SPLIT * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


@helper
def _add_product(high, low, j, a, b):
    p, lost = times(a, b)
    high[j], rest = plus(high[j], 0.0, p)
    low[j] += rest + lost


def _sqnorm_dense(rows, i):
    """Compute |x_i|^2, with the bias constant."""
    x = rows.X[np.uint64(i)]
    total, _ = lane_sums(x, x)
    return total + rows.bias * rows.bias


def _sqnorm_sparse(rows, i):
    total = rows.bias * rows.bias
    for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        total += np.float64(rows.data[k]) * rows.data[k]
    return total


dot = by_storage(_dot_dense, _dot_sparse)
products = by_storage(_products_dense, _products_sparse)
add = by_storage(_add_dense, _add_sparse)
add_exactly = by_storage(_add_exactly_dense, _add_exactly_sparse)
sqnorm = by_storage(_sqnorm_dense, _sqnorm_sparse)


@helper
def length(rows, i):
    """Compute an upper bound of |x_i|: the length, plus more than underflow can have lost."""
    return math.sqrt(sqnorm(rows, i)) + UNDERFLOW_LIMIT


@helper
def blur(d, size, bound):
    """Bound the rounding error of a score: d numbers, a row of length `size`, weights of length at most `bound`."""
    if not size * bound < OVERFLOW_LIMIT:
        return math.inf  # the sum may overflow
    return (d + 4.0) * EPS * size * bound  # follows from the bound of `dot` by the Cauchy-Schwarz inequality


@helper
def unsure(lead, error):
    """Could an error of this size change the sign of the lead?  Also true if a sum overflowed."""
    return not abs(lead) > error


# ---------------------------------------------------------------------------------------------------------------------
# Exact sums: one long fixed-point number, the heap, that can hold the sum of any products of two floats (Kulisch's
# accumulator). heap[k] counts units of 2^(32 k - LOWEST). Its digits are signed, and carries are propagated only in
# `heap_value`; this is safe for rows of up to 2^28 numbers.

LOWEST = 2272  # the last bit of the smallest product is worth 2^-2252
DIGITS = 140
DIGIT = 2**32 - 1
HALF = 2**27 - 1


@helper
def exact_lead(w, rows, i, y, margin):
    """Compute y w.x_i - margin with its exact sign, at most the largest float; nan if a number is not finite."""
    heap = np.zeros(DIGITS, np.int64)
    finite = pile(heap, w, rows, i, y) & pile_product(heap, -margin, 1.0)
    return heap_value(heap) if finite else math.nan


@helper
def exact_gap(u, v, rows, i, head_start):
    """Compute (u - v).x_i + head_start with its exact sign; see `exact_lead`."""
    heap = np.zeros(DIGITS, np.int64)
    finite = pile(heap, u, rows, i, 1.0) & pile(heap, v, rows, i, -1.0) & pile_product(heap, head_start, 1.0)
    return heap_value(heap) if finite else math.nan


def _pile_dense(heap, w, rows, i, sign):
    """Add sign w.x_i to the heap; return False if a number is not finite."""
    x = rows.X[np.uint64(i)]
    d = x.size
    finite = pile_product(heap, sign * rows.bias, w[d])
    for j in range(d):
        finite &= pile_product(heap, sign * x[j], w[j])
    return finite


def _pile_sparse(heap, w, rows, i, sign):
    finite = pile_product(heap, sign * rows.bias, w[w.size - 1])
    for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
        finite &= pile_product(heap, sign * rows.data[k], w[rows.indices[k]])
    return finite


pile = by_storage(_pile_dense, _pile_sparse)


@helper
def pile_product(heap, a, b):
    """Add a b to the heap, in halves of the 53-bit mantissas; return False if a or b is not finite."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return False
    if a != 0.0 and b != 0.0:
        fraction, e = math.frexp(a)
        m = int(fraction * 2.0**53)
        fraction, f = math.frexp(b)
        n = int(fraction * 2.0**53)
        at = e + f - 106 + LOWEST
        _pile_integer(heap, (m >> 27) * (n >> 27), at + 54)
        _pile_integer(heap, (m >> 27) * (n & HALF) + (m & HALF) * (n >> 27), at + 27)
        _pile_integer(heap, (m & HALF) * (n & HALF), at)
    return True


@helper
def _pile_integer(heap, v, at):
    k, shift = at >> 5, at & 31
    low, high = (v & DIGIT) << shift, (v >> 32) << shift
    heap[k] += low & DIGIT
    heap[k + 1] += (low >> 32) + (high & DIGIT)
    heap[k + 2] += high >> 32


@helper
def heap_value(heap):
    """Convert the heap to a float, which is 0 only if the heap is exactly 0."""
    _carry(heap)
    sign = 1.0
    if heap[DIGITS - 1] < 0:
        sign = -1.0
        for k in range(DIGITS):
            heap[k] = -heap[k]
        _carry(heap)
    k = DIGITS - 1
    while k >= 0 and heap[k] == 0:
        k -= 1
    if k < 0:
        return 0.0
    top = float(heap[k])
    if k >= 2:
        top = (top * 2.0**32 + float(heap[k - 1])) * 2.0**32 + float(heap[k - 2])
        k -= 2
    fraction, e = math.frexp(top)
    e += 32 * k - LOWEST
    return sign * (MAX_FLOAT if e > 1024 else max(math.ldexp(fraction, e), TINY))


@helper
def _carry(heap):
    for k in range(DIGITS - 1):
        heap[k + 1] += heap[k] >> 32
        heap[k] &= DIGIT


# ---------------------------------------------------------------------------------------------------------------------
# Checks of stored data, before a rule uses it


@rule(fastmath={"reassoc", "nsz"})  # the order of the sum does not matter: it is 0, or it is not a number
def first_not_finite(X):
    """Find the first row of X that holds nan or infinity; -1 if there is none."""
    for i in range(len(X)):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * 0.0
        if not total == 0.0:
            return i
    return -1


@rule
def first_disordered(indices, indptr, d):
    """Find the first sparse row whose column numbers do not increase, or are not below d; -1 if there is none."""
    for i in range(len(indptr) - 1):
        start, stop = indptr[i], indptr[i + 1]
        disorder = stop < start
        for k in range(start + 1, stop):
            disorder |= indices[k] <= indices[k - 1]
        if disorder or (stop > start and indices[stop - 1] >= d):
            return i
    return -1
