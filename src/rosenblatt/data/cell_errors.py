"""Messages about cells of a table that are not finite numbers: where the cell is, what it holds, what to do."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.data.named_arrays import column_names
from rosenblatt.errors import DataError

FILL_HINT = "Every number must be finite; drop or fill such rows first, for example with sklearn.impute.SimpleImputer."
ENCODE_HINT = "Encode categories as numbers first, for example with sklearn.preprocessing.OneHotEncoder."


def is_missing(value: Any) -> bool:
    """Is it None, pandas' NA, NaN or infinite?"""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and not np.isfinite(value))


def _place(X: Any, row: int, column: int) -> str:
    names = column_names(X)
    return f"row {row}, column {names[column]!r}" if names else f"row {row}, column {column}"


def not_finite(X: Any, row: int, column: int, value: Any) -> DataError:
    """Make the error for a number that is NaN or infinite."""
    kind = "NaN" if np.isnan(value) else "infinity"
    return DataError(f"Input X contains {kind}: {_place(X, row, column)} is {value}. {FILL_HINT}")


def _not_real(X: Any, row: int, column: int, value: Any) -> str:
    return f"Complex data not supported: {_place(X, row, column)} is {value}; expected a real number."


def not_a_number(X: Any) -> str | None:
    """Find the first cell of a table that is not a number, and say where it is and what is wrong with it."""
    if getattr(X, "ndim", 2) != 2:
        return None
    if scipy.sparse.issparse(X):
        entries = X.tocoo()
        k = int(np.argmax(np.imag(entries.data) != 0))
        return _not_real(X, entries.row[k], entries.col[k], entries.data[k]) if X.dtype.kind == "c" else None
    for i, row in enumerate(_table_rows(X)):
        if isinstance(row, str) or not isinstance(row, Iterable):
            return None
        for j, cell in enumerate(row):
            if trouble := _cell_trouble(X, i, j, cell):
                return trouble
    return None


def _cell_trouble(X: Any, i: int, j: int, cell: Any) -> str | None:
    """Say what is wrong with a cell; None if it is a number."""
    if isinstance(cell, complex | np.complexfloating):
        return _not_real(X, i, j, cell)
    if is_missing(cell):
        return f"Input X contains NaN: {_place(X, i, j)} is missing. {FILL_HINT}"
    try:
        float(cell)
    except OverflowError:
        return f"X must hold numbers that fit a float64: {_place(X, i, j)} is {str(cell)[:20]}... and does not."
    except ValueError:
        return f"X must hold numbers: {_place(X, i, j)} is {cell!r}. {ENCODE_HINT}"
    except TypeError:
        expected = "argument must be a string or a real number"
        return f"X must hold numbers: {_place(X, i, j)} is {cell!r}; each {expected}, not {type(cell).__name__}."
    return None


def _table_rows(X: Any) -> Iterable[Any]:
    """Iterate over the rows of a table; each cell keeps its own type."""
    if hasattr(X, "itertuples"):  # pandas
        return X.itertuples(index=False, name=None)  # type: ignore[no-any-return]
    if hasattr(X, "iter_rows"):  # polars
        return X.iter_rows()  # type: ignore[no-any-return]
    if hasattr(X, "to_pylist"):  # Arrow
        return [row.values() for row in X.to_pylist()]
    return X if isinstance(X, list | tuple) else np.atleast_1d(np.asarray(X, dtype=object))
