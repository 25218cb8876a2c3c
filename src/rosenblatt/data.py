"""The edge where data enters: anything that holds numbers becomes checked points, labels and rows.

A C-contiguous float32 or float64 array and a CSR matrix of them are used where they are, without a copy; everything
else is converted once. Numbers of one or two bytes become float32, which holds them exactly.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt.errors import DataError, NotANumber
from rosenblatt.kernels.rows import Dense, Sparse, first_disordered, first_not_finite

Points = Any  # an array of float32 or float64 in C order, or a canonical CSR matrix of them
Rows = Dense | Sparse
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def points(X: Any) -> Points:
    """Check the points X and bring them into the form that rows are made of.

    Raises
    ------
    DataError
        X is not a table of finite numbers with at least one row and one column.
    """
    _refuse_ragged(X)
    small = getattr(X, "dtype", None) is not None and X.dtype.kind in "biuf" and X.dtype.itemsize <= 2
    try:
        checked = check_array(
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float32] if small else [np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            input_name="X",
        )
    except (TypeError, ValueError) as error:
        kind = NotANumber if isinstance(error, TypeError) else DataError
        raise kind(_where_not_a_number(X) or str(error)) from error
    if scipy.sparse.issparse(checked):
        return _canonical(checked)
    bad = first_not_finite(_read_only(checked))
    if bad >= 0:
        column = int(np.flatnonzero(~np.isfinite(checked[bad]))[0])
        raise _not_finite(X, int(bad), column, checked[bad, column])
    return checked


def rows(X: Points, bias: float) -> Rows:
    """Checked points as rows that end with the constant `bias`."""
    if scipy.sparse.issparse(X):
        return Sparse(_read_only(X.data), _unsigned(X.indices), _unsigned(X.indptr), float(bias))
    return Dense(_read_only(X), float(bias))


def count(rows: Rows) -> int:
    """How many rows there are."""
    return len(rows.X) if isinstance(rows, Dense) else len(rows.indptr) - 1


def one_row(rows: Rows, i: int) -> Rows:
    """Row i alone, still in place."""
    if isinstance(rows, Dense):
        return Dense(rows.X[i : i + 1], rows.bias)
    return Sparse(rows.data, rows.indices, rows.indptr[i : i + 2], rows.bias)


def dense_row(rows: Rows, i: int, d: int) -> Floats:
    """The d numbers of row i, without its bias constant."""
    if isinstance(rows, Dense):
        return np.array(rows.X[i], dtype=np.float64)
    x = np.zeros(d)
    inside = slice(rows.indptr[i], rows.indptr[i + 1])
    x[rows.indices[inside]] = rows.data[inside]
    return x


def classes(y: Any, n: int) -> tuple[NDArray[Any], Codes]:
    """The sorted distinct labels of y, at least two, and for each of the n rows the number of its label.

    Raises
    ------
    DataError
        y is not one class label for each row, or holds fewer than two different ones.
    """
    y = _column(y, n)
    found = np.unique(y)
    try:
        check_classification_targets(found)
    except ValueError as error:
        raise DataError(f"{error} y must hold class labels: integers, strings or booleans.") from error
    if len(found) < 2:
        raise DataError(f"A classifier needs at least 2 classes; all {n} labels in y are of one class, {found[0]!r}.")
    return found, np.searchsorted(found, y).astype(np.int64, copy=False)


def codes(y: Any, n: int, known: NDArray[Any]) -> Codes:
    """For each of the n rows the number of its label among the sorted labels `known`."""
    y = _column(y, n)
    try:
        at: Codes = np.minimum(np.searchsorted(known, y), len(known) - 1).astype(np.int64, copy=False)
        strange = known[at] != y
    except TypeError as error:
        raise DataError(f"y holds labels that cannot be compared with the known classes {list(known)}.") from error
    if np.any(strange):
        row = int(np.flatnonzero(strange)[0])
        raise DataError(f"y[{row}] is {y[row]!r}, which is not one of the known classes {list(known)}.")
    return at


def column_names(X: Any) -> Sequence[str] | None:
    """The column names of a table whose names are all strings, or None."""
    names = getattr(X, "column_names", None)  # Arrow
    if names is None:
        names = getattr(X, "columns", None)  # pandas, polars
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def _column(y: Any, n: int) -> NDArray[Any]:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: one class label for each row of X.")
    try:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind in "fO":
            assert_all_finite(y, input_name="y")
    except (TypeError, ValueError) as error:
        raise DataError(f"{error} y must hold one class label for each row of X.") from error
    if len(y) != n:
        raise DataError(f"X has {n} rows but y has {len(y)} labels; each row needs one label.")
    return np.asarray(y)


def _canonical(X: Any) -> Any:
    """A CSR matrix whose column numbers increase within each row and lie within its width, the same one if it can."""
    if len(X.indptr) != X.shape[0] + 1 or min(len(X.indices), len(X.data)) < X.indptr[-1]:
        raise DataError("X is not a valid CSR matrix: indptr, indices and data do not fit its shape.")
    if X.indices.dtype != X.indptr.dtype:
        X = scipy.sparse.csr_array((X.data, X.indices, X.indptr.astype(X.indices.dtype)), shape=X.shape)
    if first_disordered(_unsigned(X.indices), _unsigned(X.indptr), X.shape[1]) >= 0:
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise DataError(f"X is not a valid CSR matrix: {error}.") from error
        X = X.copy()
        X.sum_duplicates()
    if first_not_finite(_read_only(X.data).reshape(1, -1)) >= 0:
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise _not_finite(X, row, int(X.indices[at]), X.data[at])
    return X


def _read_only(a: NDArray[Any]) -> NDArray[Any]:
    """The same memory, not writeable, so that one compiled kernel serves arrays that are and arrays that are not."""
    view = a.view(np.ndarray)
    view.flags.writeable = False
    return view


def _unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    return _read_only(indices).view(np.uint64 if indices.dtype.itemsize == 8 else np.uint32)


def _refuse_ragged(X: Any) -> None:
    if isinstance(X, list | tuple) and X and all(isinstance(row, list | tuple | np.ndarray) for row in X):
        widths = [len(row) if np.ndim(row) else 0 for row in X]
        for i, width in enumerate(widths):
            if width != widths[0]:
                raise DataError(f"X is ragged: row 0 has {widths[0]} numbers, row {i} has {width}.")


def _not_finite(X: Any, row: int, column: int, value: Any) -> DataError:
    names = column_names(X)
    where = f"column {names[column]!r}" if names else f"column {column}"
    kind = "NaN" if np.isnan(value) else "infinity"
    return DataError(
        f"Input X contains {kind}: row {row}, {where} is {value}. Every number must be finite; "
        "drop or fill such rows first, for example with sklearn.impute.SimpleImputer."
    )


def _where_not_a_number(X: Any) -> str | None:
    """Say where the first cell of a 2-D table is that cannot be read as a number."""
    if scipy.sparse.issparse(X):
        return None
    table = np.asarray(X, dtype=object)
    if table.ndim != 2:
        return None
    names = column_names(X)
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            if isinstance(cell, complex | np.complexfloating):
                return f"Complex data not supported: row {i}, column {j} is {cell!r}; expected real numbers."
            try:
                float(cell)
            except (TypeError, ValueError):
                where = f"column {names[j]!r}" if names else f"column {j}"
                return (
                    f"X must hold numbers: row {i}, {where} is {cell!r} (argument must be a string or a real number). "
                    "Encode categories first, for example with sklearn.preprocessing.OneHotEncoder."
                )
    return None
