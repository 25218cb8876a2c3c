"""Arrays and sparse matrices whose columns have names.

They are NumPy arrays and SciPy CSR matrices with an attribute `columns`. Selecting rows, `X[rows]`, keeps the names.
Selecting columns and computing drop them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.base.inputs.tables import column_names as column_names


class NamedArray(np.ndarray[Any, Any]):
    """An array n x d with `columns`, the d names of its columns."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return named(part, self.columns) if _are_rows(key) and part.ndim == 2 else _plain(part)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else _plain(array)


class NamedMatrix(scipy.sparse.csr_array):
    """A CSR matrix n x d with `columns`, the d names of its columns."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return named(part, self.columns) if _are_rows(key) and part.ndim == 2 else part


def named(X: Any, names: Sequence[str] | None) -> Any:
    """Give the columns of X names, without copying the numbers; return X itself if names is None."""
    if names is None:
        return X
    holder = NamedMatrix(X) if scipy.sparse.issparse(X) else np.asarray(X).view(NamedArray)
    holder.columns = list(names)
    return holder


def _are_rows(key: Any) -> bool:
    return not isinstance(key, tuple) or (len(key) == 2 and key[1] is Ellipsis)


def _plain(part: Any) -> Any:
    return part.view(np.ndarray) if isinstance(part, NamedArray) else part
