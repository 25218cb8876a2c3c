"""Arrays and matrices: operations that NumPy and SciPy write differently, and an array that grows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray


def dense(matrix: Any) -> NDArray[Any]:
    """Convert a sparse matrix to an array; return an array without copying it."""
    return np.asarray(matrix.toarray() if scipy.sparse.issparse(matrix) else matrix)


def doubles(matrix: Any) -> Any:
    """Convert the numbers to float64; return a matrix that has them without copying it."""
    return matrix.astype(np.float64, copy=False)


def stacked(matrices: Sequence[Any]) -> Any:
    """Stack matrices of the same width below each other: CSR if the first one is sparse, else an array."""
    if scipy.sparse.issparse(matrices[0]):
        return scipy.sparse.vstack(matrices, format="csr")
    return np.concatenate(matrices)


class GrowingArray:
    """An array that grows at its end; it starts with room for the expected number of entries."""

    def __init__(self, first: NDArray[Any], expected: int) -> None:
        self._array, self._size = np.empty(max(expected, len(first)), first.dtype), 0
        self.add(first)

    def add(self, part: NDArray[Any]) -> None:
        end = self._size + len(part)
        if end > len(self._array):
            self._array = np.concatenate([self.whole, np.empty(max(end, 2 * self._size) - self._size, part.dtype)])
        self._array[self._size : end] = part
        self._size = end

    @property
    def whole(self) -> NDArray[Any]:
        """All entries so far, as a view."""
        return self._array[: self._size]
