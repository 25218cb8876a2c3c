"""Operations that work the same way on NumPy arrays and on SciPy's sparse matrices."""

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
