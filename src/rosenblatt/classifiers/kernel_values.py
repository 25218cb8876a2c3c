"""Kernel values: tables of K(x, z), and columns of the kernel matrix that are computed on demand."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from rosenblatt.base.schema import Arrays, Count, Facts, Field, Real, Sizes, Source
from rosenblatt.data.validation import Floats, Matrix, dense
from rosenblatt.errors import DataError, ParameterError

KernelName = Literal["rbf", "poly", "linear", "precomputed"]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
KernelFunction = Callable[[Any, Any], Any]  # of two tables of rows; it returns the table of their kernel values


class Kernel(NamedTuple):
    """A kernel function with its parameters, and a constant that stands for the bias."""

    kind: KernelName | KernelFunction
    gamma: float
    degree: int
    coef0: float
    constant: float

    def table(self, X: Matrix, Z: Matrix) -> Floats:
        """Return K(x, z) for each row x of X and each row z of Z."""
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
            return np.exp(-self.gamma * cdist(X, Z, "sqeuclidean"))  # expanded squares would cancel
        return _called(self.kind, X, Z)

    def sizes(self, points: Matrix) -> Floats:
        """Return a number s(x) for each row; the rounding error of K(x, z) is at most a few units of s(x) s(z)."""
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


class SavedKernel:
    """A `Kernel` with a name, and its numbers, in a model file. Functions cannot be saved."""

    numbers: Mapping[str, Field] = {
        "gamma": Real(0.0, strict=True),
        "degree": Count(1),
        "coef0": Real(0.0),
        "constant": Real(0.0),
    }

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        if value.kind not in KERNELS:
            raise ParameterError(f"A kernel that is a function cannot be saved. Use one of {', '.join(KERNELS)}.")
        facts[name] = {"kind": value.kind}
        for part, number in self.numbers.items():
            number.take(part, getattr(value, part), arrays, facts[name])

    def give(self, name: str, source: Source, sizes: Sizes) -> Kernel:
        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in KERNELS:
            raise inner.refusal(f"must be one of {', '.join(KERNELS)}")
        parts = {part: number.give(part, inner, sizes) for part, number in self.numbers.items()}
        inner.end()
        return Kernel(kind, **parts)


class Columns:
    """Columns K(., x_i) of the kernel matrix, n numbers each, for the rows i that were asked for."""

    def __init__(self, kernel: Kernel, points: Matrix, budget: int | None) -> None:
        self.kernel, self.points = kernel, points
        n = points.shape[0]
        self.budget = n if budget is None else budget
        self.slot = np.full(n, -1)
        self.rows: list[int] = []  # the row number of each column
        self.values = np.empty((min(16, n, self.budget + 1), n))

    def add(self, i: int) -> None:
        """Compute and store the column of row i."""
        if len(self.rows) == len(self.values):
            self._make_room()
        self.values[len(self.rows)] = self._column(i)
        self.slot[i] = len(self.rows)
        self.rows.append(i)

    def drop(self, i: int) -> None:
        """Remove the column of row i; the last column takes its place."""
        at, last = int(self.slot[i]), self.rows.pop()
        self.slot[i] = -1
        if last != i:
            self.rows[at], self.slot[last] = last, at
            self.values[at] = self.values[len(self.rows)]

    def sizes(self) -> Floats:
        """Return `Kernel.sizes`; for a user's function, estimate them from the largest value seen."""
        if callable(self.kernel.kind):
            return np.full(self.points.shape[0], np.sqrt(np.abs(self.held).max(initial=0.0)))
        return self.kernel.sizes(self.points)

    @property
    def held(self) -> Floats:
        """The stored columns, in the order of `rows`."""
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
                f"Each of the {len(self.rows)} support points so far needs {n} kernel values, and there is no memory "
                "for more; give KernelPerceptron a budget, or fewer rows."
            ) from error
        more[: len(self.values)] = self.values
        self.values = more


def scale(points: Matrix, weights: Floats) -> float:
    """Return 1/(d times the variance of all numbers), as SVC(gamma="scale") does; weight k counts as k copies."""
    cells = float(weights.sum()) * points.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float((weights @ points).sum()) / cells
        if scipy.sparse.issparse(points):
            away = points.copy()
            away.data = (away.data - mean) ** 2 - mean**2  # the difference from the term of a zero
            variance = float((weights @ away).sum()) / cells + mean**2
        else:
            variance = float((weights @ (points - mean) ** 2).sum()) / cells
        return 1.0 / (points.shape[1] * variance) if variance > 0 else 1.0


def _called(kernel: Any, X: Matrix, Z: Matrix) -> Floats:
    """Return the table that a user's function computes, validated."""
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
