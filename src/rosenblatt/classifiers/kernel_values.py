"""Kernel values: tables of K(x, z), and columns of such a table as they are needed."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from rosenblatt.data.validation import Floats, Matrix, dense
from rosenblatt.errors import DataError, ParameterError


class Kernel(NamedTuple):
    """Products of rows in some space, and a constant that stands for the bias."""

    kind: Any
    gamma: float
    degree: int
    coef0: float
    constant: float

    def table(self, X: Matrix, Z: Matrix) -> Floats:
        """K(x, z) for each row x of X and z of Z."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self._table(X, Z), dtype=np.float64) + self.constant

    def _table(self, X: Matrix, Z: Matrix) -> Any:
        if self.kind == "linear":
            return linear_kernel(X, Z)
        if self.kind == "poly":
            return polynomial_kernel(X, Z, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        if self.kind == "rbf" and (scipy.sparse.issparse(X) or scipy.sparse.issparse(Z)):
            return rbf_kernel(X, Z, gamma=self.gamma)
        if self.kind == "rbf":
            return np.exp(-self.gamma * cdist(X, Z, "sqeuclidean"))  # far from the origin, squares alone would cancel
        return _called(self.kind, X, Z)

    def sizes(self, points: Matrix) -> Floats:
        """A number for each row such that K(x, z) is rounded by no more than a few units of their product."""
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.asarray((points.multiply(points) if scipy.sparse.issparse(points) else points**2).sum(axis=1))
            if self.kind == "linear":
                squares = squares.ravel()
            elif self.kind == "poly":
                squares = self.degree * (self.gamma * squares.ravel() + self.coef0) ** self.degree
            elif self.kind == "rbf" and scipy.sparse.issparse(points):
                squares = (1.0 + self.gamma * squares.ravel()) ** 2
            elif self.kind == "precomputed":
                squares = np.abs(dense(points)).max(axis=1)
            else:
                squares = np.ones(points.shape[0])
            return np.asarray(np.sqrt(squares + self.constant))


class Columns:
    """K(., x_i) for the rows i that have been asked for, n numbers each."""

    def __init__(self, kernel: Kernel, points: Matrix, budget: int | None) -> None:
        self.kernel, self.points = kernel, points
        n = points.shape[0]
        self.budget = n if budget is None else budget
        self.slot = np.full(n, -1)
        self.rows: list[int] = []  # the row of each column
        self.values = np.empty((min(16, n, self.budget + 1), n))

    def add(self, i: int) -> None:
        """Find the column of row i."""
        if len(self.rows) == len(self.values):
            self._make_room()
        self.values[len(self.rows)] = self._column(i)
        self.slot[i] = len(self.rows)
        self.rows.append(i)

    def drop(self, i: int) -> None:
        """Forget the column of row i; the last takes its place."""
        at, last = int(self.slot[i]), self.rows.pop()
        self.slot[i] = -1
        if last != i:
            self.rows[at], self.slot[last] = last, at
            self.values[at] = self.values[len(self.rows)]

    def sizes(self) -> Floats:
        """As `Kernel.sizes`; of a function that is not known better, by the largest value that was seen."""
        if callable(self.kernel.kind):
            return np.full(self.points.shape[0], np.sqrt(np.abs(self.held).max(initial=0.0)))
        return self.kernel.sizes(self.points)

    @property
    def held(self) -> Floats:
        """The columns, in the order of `rows`."""
        return self.values[: len(self.rows)]

    def _column(self, i: int) -> Floats:
        if self.kernel.kind == "precomputed":
            return dense(self.points[:, [i]]).ravel() + self.kernel.constant
        return self.kernel.table(self.points, self.points[[i]]).ravel()

    def _make_room(self) -> None:
        n = self.values.shape[1]
        try:
            more = np.empty((min(2 * len(self.values), self.budget + 1), n))
        except MemoryError as error:
            raise MemoryError(
                f"The {len(self.rows)} support points so far need {n} kernel values each, and there is no memory for "
                "more; give KernelPerceptron a budget, or fewer rows."
            ) from error
        more[: len(self.values)] = self.values
        self.values = more


def scale(points: Matrix, weights: Floats) -> float:
    """1/(d times the variance of all numbers), as scikit-learn's SVC has it; a row of weight k counts k times."""
    cells = float(weights.sum()) * points.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float((weights @ points).sum()) / cells
        if scipy.sparse.issparse(points):
            away = points.copy()
            away.data = (away.data - mean) ** 2 - mean**2  # what a number has more than a zero would have
            variance = float((weights @ away).sum()) / cells + mean**2
        else:
            variance = float((weights @ (points - mean) ** 2).sum()) / cells
        return 1.0 / (points.shape[1] * variance) if variance > 0 else 1.0


def _called(kernel: Any, X: Matrix, Z: Matrix) -> Floats:
    """The table that a user's function gives, checked."""
    expected = f"a table of {X.shape[0]} x {Z.shape[0]} finite numbers"
    try:
        K = dense(kernel(X, Z))
        numbers = K.astype(np.float64) if K.dtype.kind in "biuf" else None
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise ParameterError(f"KernelPerceptron(kernel=...) must return {expected}: {error}") from error
    if numbers is None or numbers.shape != (X.shape[0], Z.shape[0]):
        raise ParameterError(
            f"KernelPerceptron(kernel=...) must return {expected} for tables of {X.shape[0]} and {Z.shape[0]} rows; it "
            f"returned one of shape {K.shape} and type {K.dtype}."
        )
    if not np.isfinite(numbers).all():
        raise ParameterError(f"KernelPerceptron(kernel=...) must return {expected}; some are not finite.")
    return numbers
