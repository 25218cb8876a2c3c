"""Arrays and sparse matrices whose columns have names: NumPy's and SciPy's own in all else.

Names stay when rows are chosen, `X[rows]`. What is computed from the numbers, or has other columns, has none.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse


class NamedArray(np.ndarray[Any, Any]):
    """An array n x d with `columns`, its d names."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return named(part, self.columns) if _are_rows(key) and part.ndim == 2 else _plain(part)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else _plain(array)


class NamedMatrix(scipy.sparse.csr_array):
    """A CSR matrix n x d with `columns`, its d names."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return named(part, self.columns) if _are_rows(key) and part.ndim == 2 else part


def named(X: Any, names: Sequence[str] | None) -> Any:
    """The same numbers, in place, with names for the columns; X itself if there are none."""
    if names is None:
        return X
    holder = NamedMatrix(X) if scipy.sparse.issparse(X) else np.asarray(X).view(NamedArray)
    holder.columns = list(names)
    return holder


def _are_rows(key: Any) -> bool:
    return not isinstance(key, tuple) or (len(key) == 2 and key[1] is Ellipsis)


def _plain(part: Any) -> Any:
    return part.view(np.ndarray) if isinstance(part, NamedArray) else part
