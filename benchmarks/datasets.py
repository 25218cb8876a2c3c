"""Data that benchmarks run on, made from a seed."""

from typing import NamedTuple

import numpy as np
import scipy.sparse


class Labelled(NamedTuple):
    X: np.ndarray | scipy.sparse.csr_matrix
    y: np.ndarray


class DenseRows:
    """Normal points, labelled by a random hyperplane, so close to it that ten passes are not enough; `noise` of the
    labels are turned, which makes for many more mistakes."""

    def __init__(self, n: int, d: int, noise: float) -> None:
        self.n, self.d, self.noise = n, d, noise
        self.name = f"{n} x {d} float64, {noise:.0%} label noise"

    def make(self) -> Labelled:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((self.n, self.d))
        y = np.sign(X @ rng.standard_normal(self.d))
        y[rng.random(self.n) < self.noise] *= -1
        return Labelled(X, y)


class SparseText:
    """Rows like documents: few of many columns, common columns far more often than rare ones."""

    def __init__(self, n: int, d: int, per_row: int, noise: float = 0.02) -> None:
        self.n, self.d, self.per_row, self.noise = n, d, per_row, noise
        self.name = f"{n} x {d} CSR, about {per_row} nonzeros a row, {noise:.0%} label noise"

    def make(self) -> Labelled:
        rng = np.random.default_rng(0)
        columns = (rng.random((self.n, self.per_row)) ** 3 * self.d).astype(np.int32)
        values = rng.random(self.n * self.per_row)
        starts = np.arange(0, self.n * self.per_row + 1, self.per_row)
        X = scipy.sparse.csr_matrix((values, columns.ravel(), starts), shape=(self.n, self.d))
        X.sum_duplicates()
        score = X @ rng.standard_normal(self.d)
        y = np.where(score > np.median(score), 1.0, -1.0)
        y[rng.random(self.n) < self.noise] *= -1
        return Labelled(X, y)


class NoData:
    """For what is measured without any."""

    name = "in a new process"

    def make(self) -> None:
        return None
