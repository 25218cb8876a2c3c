"""Near witnesses: positive weights whose rows add up to nearly 0 prove that other positive weights add up to exactly 0.

With tens of columns or more, the exact weights of a witness have thousands of digits each. They need not be written
down. This file decides that they exist. It uses floats with bounds on all rounding errors, and none of the searches.

**The numbers.** k columns are looked at, m rows z_i, and whole numbers l_i > 0 of at most 53 bits, without the zeros
at their end. Write l_i = t_i 2^(p_i) with 1/2 <= t_i < 1. The k x m matrix T has the entries z_ij 2^(p_i - c_j), where
the whole numbers c_j bring its rows to one size. Each entry is a float times a power of two. The code tests that none
was rounded, so T and t are exact, and T t is the weighted sum of the rows, up to a power of two for each column.

If all numbers of a column have one sign and the largest is at most twice the smallest, one of them, a, is subtracted
from all, provided that the constant is looked at. The differences are exact (P. H. Sterbenz, Floating-point
computation, 1974). This subtracts a multiple of the constant column from the column, so sums that are 0 stay 0, others
stay other than 0, and the rank stays the same. Below, z_ij is the difference. Without this, columns far from 0 would
be nearly dependent.

**The theorem.** Let P be any m x k matrix, E = I - T P, q_j the sum of |E| in row j, q = max q_j <= 1/2, r = T t.

1.  |E x|_j <= q_j max|x| for every x. So T P = I - E is regular (if E x = x, then x = 0, because q < 1), and T has
    rank k.
2.  Let s = (T P)^-1 r. Then s = r + E s, so max|s| <= max|r| + q max|s|, so max|s| <= max|r| / (1 - q) <= 2 max|r|,
    and |s_j| <= |r_j| + 2 q_j max|r|.
3.  Let x = P s. Then T x = r, and |x_i| <= sum_j |P_ij| (|r_j| + 2 q_j max|r|).
4.  If that is below 1/2 for all i, then t - x > 0 because t_i >= 1/2, and T (t - x) = r - r = 0: the m rows add up to
    exactly 0 in the k columns with the positive weights (t_i - x_i) 2^(p_i). By 1. they span all k dimensions.

P is computed as the pseudoinverse in floats. The theorem holds for any P, so its errors do not matter.

**The rounding errors.** u = 2^-53. A sum of n products in floats, in any order, with or without fused multiplications,
differs from the exact sum by at most g_n sum |a_i b_i| with g_n = n u / (1 - n u) <= 2 n u, if 2 n u <= 1, plus
2^-1074 for each product that underflows (N. J. Higham, Accuracy and stability of numerical algorithms, 2nd edition,
section 3.1 and equation 2.8). This covers every BLAS that computes products of matrices from the definition; it would
not cover Strassen's method, which no BLAS uses for NumPy's product. So with C = T P computed in floats and g = 2 m u,

    q_j    <=  sum_j' |I - C|_jj' + g (|T| |P| 1)_j + tiny,
    |r_j|  <=  |computed (T t)_j| + g (|T| t)_j + tiny.

The right sides, and the bound in 3., are sums of numbers >= 0. If such an expression is computed with at most N
roundings on the way to each of its terms, it is at least (1 - u)^N times the exact value, so the exact value is at
most (1 + 2 N u) times the computed one, if 2 N u <= 1. Here N <= m + k + 14: two sums, of k and of m terms, and a few
single operations. `slack` = 1 + 4 (m + k + 16) u covers this and the rounding of the product by `slack` itself. `tiny`
= 2^-1000 covers m k products that underflow. A number that is infinite or not a number fails every comparison.

**Decimals.** The numbers of a decimal table differ from its floats. A decimal x and its float f, if that is not below
2^-1022, have |x - f| <= u |f|. So the true matrix is T + D with |D| <= 2 u |F|, where F has the floats before the
subtraction, scaled like T. Then D P and D t come into I - T P and T t: the bounds of q and r above have |D| |P| 1 and
|D| t more. Relations are tested with the decimals, in whole numbers.

**Dependent columns.** T can have rank k only if no column is a combination of others. A relation has a column p and
weights w with w_p != 0 and sum_j w_j z_ij = 0 for the numbers as given, where j runs over p and columns that are
looked at. It is tested in whole numbers. Where it holds, column p is a combination of the columns that are looked at:
a sum that is 0 in these is 0 in column p as well. If it holds on all rows, then all rows lie in a space of k
dimensions, which the m rows span.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of
from rosenblatt.certificate.exact_table import EXACT
from rosenblatt.certificate.format import Body, need
from rosenblatt.certificate.signed_rows import NORMAL, Signed, whole_columns

UNIT = 2.0**-53  # u, the largest relative error of one operation
TINY = 2.0**-1000
MAX_BITS = 53  # of a weight
BLOCK = 1 << 18  # numbers of a relation that are converted to whole numbers at a time
Floats = NDArray[np.float64]


class Relation(NamedTuple):
    """A linear dependence of columns. The first column is a combination of the others."""

    columns: list[int]
    weights: list[int]

    @classmethod
    def of(cls, part: Body) -> "Relation":
        """Read a relation of a certificate."""
        return cls(part["columns"], [number_of(text) for text in part["weights"]])


class Scaled(NamedTuple):
    """T and t of the theorem, the powers of two p of the weights, and the bound of |D|, which is 0 without decimals."""

    T: Floats
    t: Floats
    powers: NDArray[Any]
    D: Floats | float


class Bounds(NamedTuple):
    """The bounds of the theorem."""

    inverse: float  # of q
    change: float  # of the largest |x_i|, the change of a weight t_i


def check_near_witness(
    signed: Signed, rows: Sequence[int], weights: Sequence[int], relations: Sequence[Relation], among: NDArray[Any]
) -> None:
    """Raise Refuted unless the rows add up to 0 with some positive weights, and span all rows of `among`.

    Parameters
    ----------
    signed : all rows
    rows : the rows of the near witness, each once
    weights : positive whole numbers with which they nearly add up to 0
    relations : linear dependences of columns, which hold on `among`
    among : the rows to span; `rows` are among them
    """
    need(not signed.table.large, "a near witness cannot be about integers that no float holds")
    columns = independent_columns(signed, relations, among)
    need(len(rows) > len(columns), f"{len(rows)} rows are too few: {len(columns) + 1} are needed at least")
    scaled = scaled_rows(signed, rows, weights, columns)
    found = bounds(scaled.T, scaled.t, pseudoinverse(scaled.T), scaled.D)
    need(found.inverse <= 0.5, "the rows are not proved to be as many-dimensional as the columns")
    need(found.change < 0.5, "the rows do not add up to nearly 0: no exact weights are proved to exist near these")


def scaled_rows(signed: Signed, rows: Sequence[int], weights: Sequence[int], columns: Sequence[int]) -> Scaled:
    """T and t of the theorem, both exact but for decimals. Raise Refuted if that is not possible."""
    sizes = [weight.bit_length() for weight in weights]
    t = []
    for weight, size in zip(weights, sizes, strict=True):
        less = max(0, size - MAX_BITS)
        need(weight > 0, "a weight is not positive")
        need((weight >> less) << less == weight, f"a weight has more than {MAX_BITS} bits")
        t.append(math.ldexp(weight >> less, less - size))
    powers = np.array(sizes) - max(sizes)
    numbers = column_numbers(signed.table.floats[list(rows)], signed.constant, columns)
    F = np.abs(numbers).T
    if signed.constant and columns[-1] == signed.table.d:
        numbers[:, :-1] -= np.where(_of_one_size(numbers[:, :-1]), numbers[0, :-1], 0.0)
    A = (numbers * signed.y[list(rows), np.newaxis]).T
    tops = np.max(np.frexp(A)[1] + powers, axis=1, keepdims=True, where=A != 0, initial=-(10**6))
    shifts = powers - tops
    with np.errstate(over="ignore", under="ignore"):
        T = np.ldexp(A, shifts)
        need((np.ldexp(T, -shifts) == A).all(), "the numbers and the weights are too far apart for floats")
        D: Floats | float = 0.0
        if signed.table.decimal:
            need(not ((F > 0) & (F < NORMAL)).any(), "a decimal is too small for a near witness")
            D = 2 * UNIT * np.ldexp(F, shifts) + NORMAL
    return Scaled(T, np.array(t), powers, D)


def _of_one_size(A: Floats) -> NDArray[np.bool_]:
    """For each column: have all numbers one sign, and is the largest at most twice the smallest?"""
    low, high = np.abs(A).min(axis=0), np.abs(A).max(axis=0)
    with np.errstate(over="ignore"):
        near = high <= 2 * low
    return np.asarray((low > 0) & near & (np.abs(np.sign(A).sum(axis=0)) == len(A)))


def pseudoinverse(T: Floats) -> Floats:
    """An approximate right inverse of a matrix with fewer rows than columns; not numbers if there is none."""
    try:
        Q, R = np.linalg.qr(T.T)
        return np.asarray(Q @ np.linalg.inv(R).T)
    except np.linalg.LinAlgError:
        return np.full(T.T.shape, np.nan)


def bounds(T: Floats, t: Floats, P: Floats, D: Floats | float = 0.0) -> Bounds:
    """The bounds of the theorem. The names are those of the text above."""
    k, m = T.shape
    need(4 * (m + k + 16) * UNIT <= 0.5, "there are too many rows for the bounds on rounding errors")
    g, slack = 2 * m * UNIT, 1 + 4 * (m + k + 16) * UNIT
    abs_T, abs_P = np.abs(T), np.abs(P)
    with np.errstate(all="ignore"):
        E = np.abs(np.eye(k) - T @ P)
        q = slack * (E.sum(axis=1) + (g * abs_T + D) @ abs_P.sum(axis=1) + TINY)
        r = slack * (np.abs(T @ t) + (g * abs_T + D) @ t + TINY)
        s = slack * (r + 2 * q * r.max() + TINY)
        x = slack * (abs_P @ s + TINY)
    return Bounds(float(q.max()), float(x.max()))


def independent_columns(signed: Signed, relations: Sequence[Relation], among: NDArray[Any]) -> list[int]:
    """The columns without those that depend on them. Raise Refuted unless all relations hold on the rows `among`."""
    need(all(relation.columns for relation in relations), "a relation has no columns")
    dependent = {relation.columns[0] for relation in relations}
    need(len(dependent) == len(relations), "two relations are about the same column")
    need(dependent.issubset(range(signed.width)), f"there are only {signed.width} columns")
    kept = [j for j in range(signed.width) if j not in dependent]
    need(kept, "no column is independent")
    for first, *others in (relation.columns for relation in relations):
        once = len(set(others)) == len(others) and set(kept).issuperset(others)
        need(once, f"column {first} is not compared with independent columns, each once")
    for columns, weights in relations:
        need(len(weights) == len(columns), f"the relation of column {columns[0]} has {len(weights)} weights")
        need(weights[0], f"the weight of column {columns[0]} is 0 in its relation")
    X = signed.table.floats if len(among) == signed.n else signed.table.floats[among]
    X = X.tocsc() if relations and scipy.sparse.issparse(X) else X
    for relation in relations:
        A = column_numbers(X, signed.constant, relation.columns)
        is_true = is_zero(A, relation.weights, decimal=signed.table.decimal)
        need(is_true, f"column {relation.columns[0]} is no such combination of other columns")
    return kept


def is_zero(A: Floats, weights: Sequence[int], *, decimal: bool = False) -> bool:
    """Is A w = 0? Decided in whole numbers."""
    w, step = np.array(weights, dtype=object), max(1, BLOCK // A.shape[1])
    if all(abs(weight) < EXACT for weight in weights):
        small = w.astype(np.float64)
        with np.errstate(over="ignore"):
            no_rounding = (np.abs(A) @ np.abs(small)).max(initial=0.0) < EXACT and (np.rint(A) == A).all()
        if no_rounding:  # sums of whole numbers below 2^53
            return not (A @ small).any()
    blocks = (A[start : start + step] for start in range(0, len(A), step))
    return not any((_whole_numbers(block, decimal=decimal) @ w).any() for block in blocks)


def _whole_numbers(A: Floats, *, decimal: bool) -> NDArray[Any]:
    """Floats as Python's integers, all multiplied by one power of two; or decimals, by one power of ten."""
    if decimal:
        found = whole_columns(A, decimal=True)
        factors = np.array(found.factors, dtype=object)
        return np.asarray(np.array(found.numbers, dtype=object).reshape(A.shape) * factors)
    mantissas, exponents = np.frexp(A)
    shifts = np.where(A != 0, exponents - exponents.min(where=A != 0, initial=2000), 0)
    return np.asarray(np.ldexp(mantissas, MAX_BITS).astype(np.int64).astype(object) << shifts.astype(object))


def column_numbers(X: Any, constant: float, columns: Sequence[int]) -> Floats:
    """These columns of the rows [x, constant]."""
    d = X.shape[1]
    inner = X[:, [j for j in columns if j < d]]
    A = np.full((X.shape[0], len(columns)), constant)
    A[:, [j < d for j in columns]] = inner.toarray() if scipy.sparse.issparse(inner) else inner
    return A
