"""The maximum margin with quadratic slack, by Newton's method: a guess that the nearest-point search then certifies.

.. math:: \\min_{w, b} \\; \\tfrac12 |w|^2 + C \\sum_i \\max(0, 1 - y_i (w \\cdot x_i + b))^2

The sum is piecewise quadratic. A step goes towards the minimum of the piece that w is in, as far as the sum falls.
Finitely many steps lead to the minimum (Keerthi and DeCoste, Journal of Machine Learning Research 6, 2005). At the
minimum the slack of each row is its weight in the nearest point, up to a factor.
"""

import math
import time
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.data.compiled.rows import Dense
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.hulls.row_set import Held

MAX_MATRIX_COLUMNS = 2000  # with more columns than this, no d x d matrix is made
FEW_NUMBERS = 100_000  # an array of so many numbers is faster than a sparse matrix, whatever is 0 in it
MAX_STEPS = 30
FINAL_DECREASE = 1e-14  # the relative decrease of the sum at which the last descent stops
MAX_PRICE = 1e12  # of slack, in units of 1 / radius^2
FLOPS = 4e9  # multiplications a second in products of matrices, on a busy machine


def weights_by_newton(
    held: Held, d: int, C: float, *, two: bool, radius: float, deadline: float = math.inf
) -> tuple[Codes, Floats]:
    """The rows that have slack, and the slack of each.

    A large C is reached in stages. Each stage needs a few Newton steps; a start from w = 0 would need many. C is
    limited, because the slack at a larger C would be lost in rounding.

    Raises
    ------
    OutOfTime
        The next step would end after the deadline.
    """
    problem = SlackDescent(held, d, two=two, deadline=deadline)
    C = price = min(C, MAX_PRICE / radius**2)
    while price > 100 / radius**2:
        price /= 10
    while price < C * 0.99:
        problem.descend(price, decrease=1e-2)
        price *= 10
    problem.descend(C, decrease=FINAL_DECREASE)
    short = problem.short()
    active = np.flatnonzero(short > 0)
    return active, short[active]


class SlackDescent:
    """The state of the descent: w, the bias weight last, and the score of each row."""

    def __init__(self, held: Held, d: int, *, two: bool, deadline: float = math.inf) -> None:
        self.deadline = deadline
        self.X, self.y = matrix_of(held, d), held.y.astype(np.float64)
        self.constant = 1.0 if two else held.rows.bias
        self.penalty = np.ones(d + 1)
        self.penalty[-1] = 0.0 if two else 1.0
        self.w, self.scores = np.zeros(d + 1), np.zeros(len(self.y))

    def short(self) -> Floats:
        """1 minus the functional margin of each row. Positive values are slack."""
        return 1 - self.y * self.scores

    def descend(self, C: float, decrease: float) -> None:
        """Make Newton steps until the rows with slack no longer change, or a step lowers the sum by too little.

        `decrease` is the smallest decrease that a step must promise, as a part of the sum of the squared slacks.
        """
        for _ in range(MAX_STEPS):
            short = self.short()
            active = np.flatnonzero(short > 0)
            A, pull = self.X[active], self.y[active] * short[active]
            afford(step_seconds(A), self.deadline)
            gradient = self.penalty * self.w - 2 * C * np.append(A.T @ pull, self.constant * pull.sum())
            step = _solve(A, self.constant, self.penalty, 2 * C, -gradient, self.deadline)
            change = self.X @ step[:-1] + self.constant * step[-1]
            slope, curvature = float(self.penalty * self.w @ step), float(self.penalty * step @ step)
            length = _line_search(short, self.y * change, slope, curvature, C)
            self.w += length * step
            self.scores += length * change
            settled = abs(length - 1) < 1e-6 and np.array_equal(active, np.flatnonzero(self.short() > 0))
            if settled or -(gradient @ step) <= decrease * C * (short[active] ** 2).sum():
                break


def matrix_of(held: Held, d: int) -> Any:
    """The rows as an array, or as a sparse matrix if they are sparse and many."""
    rows = held.rows
    if isinstance(rows, Dense):
        return rows.X
    signed = [a.view(np.int64 if a.dtype.itemsize == 8 else np.int32) for a in (rows.indices, rows.indptr)]
    matrix = scipy.sparse.csr_array((rows.data, *signed), shape=(len(held.y), d))
    return matrix.toarray() if len(held.y) * d <= FEW_NUMBERS else matrix


def step_seconds(A: Any) -> float:
    """The time that a step with these active rows takes, about. A step without a matrix can stop at any time."""
    n, d = A.shape
    if d > MAX_MATRIX_COLUMNS:
        return 0.0
    if n < d:
        return float((n**2 * d + n**3) / FLOPS)
    products = A.nnz**2 / max(n, 1) * 20 if _is_thin(A) else n * d**2
    return float((products + d**3) / FLOPS)


def _is_thin(A: Any) -> bool:
    """Are there so few numbers in the rows that their products are formed faster without a dense copy?"""
    return bool(scipy.sparse.issparse(A) and 20 * A.nnz < A.shape[0] * A.shape[1])


def _solve(A: Any, constant: float, penalty: Floats, weight: float, right: Floats, deadline: float) -> Floats:
    """Solve (diag(penalty) + weight [A, constant]' [A, constant]) x = right."""
    n, d = A.shape
    if d > MAX_MATRIX_COLUMNS:

        def product(v: Floats) -> Floats:
            if time.monotonic() > deadline:
                raise OutOfTime
            u = weight * (A @ v[:-1] + constant * v[-1])
            return np.asarray(penalty * v + np.append(A.T @ u, constant * u.sum()))

        operator = scipy.sparse.linalg.LinearOperator((d + 1, d + 1), matvec=product, dtype=np.float64)
        return np.asarray(scipy.sparse.linalg.cg(operator, right, rtol=1e-8, maxiter=500)[0])
    if n < d:
        return _solve_few_rows(A, constant, penalty, weight, right)
    H = np.zeros((d + 1, d + 1))
    if _is_thin(A):
        H[:-1, :-1] = (A.T @ A).toarray()
        H[:-1, -1] = constant * A.sum(axis=0)
    for start in range(0, 0 if _is_thin(A) else n, 50_000):  # in float64, without a copy of all rows
        block = A[start : start + 50_000]
        block = np.asarray(dense(block), dtype=np.float64)
        H[:-1, :-1] += block.T @ block
        H[:-1, -1] += constant * block.sum(axis=0)
    H[-1, :-1] = H[:-1, -1]
    H[-1, -1] = constant**2 * n
    H *= weight
    H[np.diag_indices(d + 1)] += penalty
    H[np.diag_indices(d + 1)] += H.diagonal() == 0  # the bias, if no row is short
    scale = 1 / np.sqrt(H.diagonal())
    H *= np.outer(scale, scale)
    return np.asarray(scale * _solution(H, scale * right))


def _solve_few_rows(A: Any, constant: float, penalty: Floats, weight: float, right: Floats) -> Floats:
    """Solve the system of `_solve` for fewer rows than columns, by one with an unknown for each row.

    The unknowns are u = weight [A, constant] x, so that x = right - [A, constant]' u. A bias without penalty is one
    more unknown, with the equation constant * sum(u) = right[-1]. Each unknown has a scale of its own, so that rows
    that are multiplied by a power of two round alike.
    """
    n = A.shape[0]
    if n == 0:
        return right.copy()
    A = np.asarray(dense(A), dtype=np.float64)
    G = A @ A.T + constant**2 * penalty[-1]
    G[np.diag_indices(n)] += 1 / weight
    scale = 1 / np.sqrt(G.diagonal())
    H, known = G * np.outer(scale, scale), scale * (A @ right[:-1] + constant * penalty[-1] * right[-1])
    if penalty[-1]:
        u = scale * _solution(H, known)
        return np.asarray(right - np.append(A.T @ u, constant * u.sum()))
    own = 1 / float(scale.max())
    border = constant * own * scale[:, np.newaxis]
    H = np.block([[H, -border], [border.T, np.zeros((1, 1))]])
    found = _solution(H, np.append(known, own * right[-1]))
    return np.append(right[:-1] - A.T @ (scale * found[:n]), own * found[n])


def _solution(H: Floats, right: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(H, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(H, right)[0])


def _line_search(short: Floats, change: Floats, slope: float, curvature: float, C: float) -> float:
    """The step length at which the derivative, which is piecewise linear and rises, crosses zero."""

    def derivative(t: float) -> tuple[float, float]:
        left = short - t * change
        active: NDArray[np.bool_] = left > 0
        own = change[active]
        return slope + t * curvature - 2 * C * float(left[active] @ own), curvature + 2 * C * float(own @ own)

    low, high = 0.0, np.inf
    t = 1.0
    for _ in range(60):
        value, rise = derivative(t)
        if value > 0:
            high = t
        else:
            low = t
        if rise <= 0 or abs(value) <= 1e-15 * abs(t * rise):
            break
        following = t - value / rise
        if not low < following < high:
            following = 2 * t if high == np.inf else (low + high) / 2
        if following == t:
            break
        t = following
    return t
