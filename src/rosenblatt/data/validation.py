"""Validation of input: arrays, sparse matrices, data frames and lists become checked points, labels and rows.

C-contiguous float32 and float64 arrays and CSR matrices of these types are used without copying. Everything else is
converted once. Numbers of one or two bytes become float32, which holds them exactly.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from rosenblatt.data.cell_errors import is_missing, not_a_number, not_finite
from rosenblatt.data.compiled.rows import Dense, Sparse, first_disordered, first_not_finite
from rosenblatt.data.matrices import dense as dense
from rosenblatt.data.named_arrays import NamedArray, NamedMatrix, column_names
from rosenblatt.errors import DataError
from rosenblatt.errors.not_a_number import NotANumberError

Matrix = Any  # a C-contiguous array of float32 or float64, or a canonical CSR matrix of these types
Rows = Dense | Sparse
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def points(X: Any) -> Matrix:
    """Check that X is a table of finite numbers, and convert it to a `Matrix`.

    Raises
    ------
    DataError
        X is not a table of finite numbers with at least one row and one column.
    """
    _refuse_no_table(X)
    if _is_ready(X):
        return _finite(X, X.view(np.ndarray))
    checked = _converted(X)
    return _canonical(checked) if scipy.sparse.issparse(checked) else _finite(X, checked)


def rows(X: Matrix, bias: float) -> Rows:
    """Make rows of checked points; each row ends with the constant `bias`."""
    if scipy.sparse.issparse(X):
        return Sparse(_read_only(X.data), _unsigned(X.indices), _unsigned(X.indptr), float(bias))
    return Dense(_read_only(X), float(bias))


def count(rows: Rows) -> int:
    """Count the rows."""
    return len(rows.X) if isinstance(rows, Dense) else len(rows.indptr) - 1


def block(rows: Rows, size: int) -> int:
    """Estimate the number of rows that are stored in `size` bytes, from the average row; at least 1."""
    stored = rows.X.nbytes if isinstance(rows, Dense) else rows.data.nbytes + rows.indices.nbytes
    return max(1, size * count(rows) // max(stored, 1))


def one_row(rows: Rows, i: int) -> Rows:
    """Select row i without copying it."""
    if isinstance(rows, Dense):
        return Dense(rows.X[i : i + 1], rows.bias)
    return Sparse(rows.data, rows.indices, rows.indptr[i : i + 2], rows.bias)


def dense_row(rows: Rows, i: int, d: int) -> Floats:
    """Copy the d numbers of row i, without the bias constant, to an array."""
    if isinstance(rows, Dense):
        return np.array(rows.X[i], dtype=np.float64)
    x = np.zeros(d)
    inside = slice(rows.indptr[i], rows.indptr[i + 1])
    x[rows.indices[inside]] = rows.data[inside]
    return x


def classes(y: Any, n: int, name: str = "y") -> tuple[NDArray[Any], Codes]:
    """Find the classes of y: the sorted distinct labels, and for each of the n rows the number of its class.

    Raises
    ------
    DataError
        y does not hold one class label for each row, or has fewer than two classes.
    """
    y = _column(y, n, name)
    try:
        found = np.unique(y)
        if found.dtype.kind not in "biuU":  # integers, booleans and strings are always class labels
            check_classification_targets(found)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{_sentence(error)} {name} must hold class labels of one kind: integers, strings or booleans."
        ) from error
    if len(found) < 2:
        few = "one class" if len(found) else "no class"
        raise DataError(f"{name} must hold at least 2 classes; its {n} labels are of {few}, {found.tolist()}.")
    return found, _numbered(y, found)


def two_classes(y: Any, n: int, wrapped: str, name: str = "y") -> tuple[NDArray[Any], Codes]:
    """Find the classes of y like `classes`, but raise if there are more than two.

    `wrapped` names the wrapper that the message suggests for more classes.
    """
    found, numbers = classes(y, n, name)
    if len(found) > 2:
        raise DataError(
            f"Only binary classification is supported. The type of the target is multiclass: {name} has {len(found)} "
            f"classes. Wrap it, as in {wrapped}."
        )
    return found, numbers


def codes(y: Any, n: int, known: NDArray[Any]) -> Codes:
    """Give for each of the n rows the number of its label among the sorted labels `known`."""
    return _numbered(_column(y, n, "y"), known)


def signs(codes: Codes) -> NDArray[np.int8]:
    """Convert class numbers 0 and 1 to the signs -1 and 1 that the rules for two classes take."""
    return (2 * codes - 1).astype(np.int8)


def _numbered(y: NDArray[Any], known: NDArray[Any]) -> Codes:
    try:
        at: Codes = np.minimum(np.searchsorted(known, y), len(known) - 1).astype(np.int64, copy=False)
        unknown = known[at] != y
    except TypeError as error:
        raise DataError(f"y holds labels that cannot be compared with the known classes {known.tolist()}.") from error
    if np.any(unknown):
        row = int(np.flatnonzero(unknown)[0])
        raise DataError(f"y[{row}] is {y.tolist()[row]!r}, which is not one of the known classes {known.tolist()}.")
    return at


def targets(codes: Codes, classes: NDArray[Any]) -> Any:
    """Return class codes as the rules take them: signs for two classes, the codes themselves for more."""
    return signs(codes) if len(classes) == 2 else codes


def check_columns(owner: Any, X: Any, points: Matrix, *, reset: bool) -> None:
    """Compare the names and the number of columns with those that `owner` was trained with.

    With reset=True nothing is compared: `owner` takes the names and the number from X.

    Raises
    ------
    DataError
        The columns differ.
    """
    named = column_names(X) is not None
    if reset and not named:
        vars(owner).pop("feature_names_in_", None)
        owner.n_features_in_ = points.shape[1]
        return
    if isinstance(X, NamedArray | NamedMatrix) and X.columns is not None:
        X = _without_rows(X.columns)
    elif type(X).__name__ == "RecordBatch":  # scikit-learn finds the names of an Arrow table, but not of a record batch
        X = X.schema.empty_table()
    try:
        validate_data(owner, X if named else points, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise DataError(str(error)) from error
    if reset:
        owner.n_features_in_ = points.shape[1]  # scikit-learn may have counted the columns of the table differently
    elif owner.n_features_in_ != points.shape[1]:
        raise DataError(f"X has {points.shape[1]} features, but the model was trained on {owner.n_features_in_}.")


def _without_rows(names: Sequence[str]) -> Any:
    """Make an empty Arrow table with these column names, which scikit-learn can read."""
    import pyarrow

    return pyarrow.schema([(name, pyarrow.float64()) for name in names]).empty_table()


def _column(labels: Any, n: int, name: str) -> NDArray[Any]:
    """Check that there is one label for each of the n rows, and convert the labels to an array."""
    if labels is None:
        raise DataError(f"A classifier requires {name} to be passed, but the target {name} is None.")
    if np.ma.is_masked(labels):
        raise DataError(f"{name} must hold one class label for each row, but some of its labels are masked.")
    if isinstance(labels, list | tuple):
        _check_listed_labels(labels, name)
    y = _label_array(labels, name)
    if y.dtype.kind == "O" and all(isinstance(label, int | np.integer) for label in y):
        y = _as_int64(y, name)
    _refuse_missing_labels(y, name)
    if len(y) != n:
        there = "X has" if name == "y" else "There are"
        raise DataError(f"{there} {n} rows but {name} has {len(y)} labels; each row needs one label.")
    return y


def _check_listed_labels(labels: Sequence[Any], name: str) -> None:
    """Refuse lists that NumPy would convert to something else without a word."""
    if len({isinstance(label, str) for label in labels}) > 1:
        raise DataError(f"{name} must hold class labels of one kind, but it mixes strings with others.")
    if any(isinstance(label, int) and not -(2**63) <= label < 2**63 for label in labels):
        raise _too_large(name)


def _label_array(labels: Any, name: str) -> NDArray[Any]:
    if type(labels) is np.ndarray and labels.ndim == 1 and labels.dtype.kind in "biuU":
        return labels
    try:
        return np.asarray(column_or_1d(labels, warn=True))
    except (TypeError, ValueError) as error:
        said = _sentence(error).replace("y should", f"{name} should")
        raise DataError(f"{said} {name} must hold one class label for each row.") from error


def _as_int64(y: NDArray[Any], name: str) -> NDArray[np.int64]:
    if any(not -(2**63) <= label < 2**63 for label in y):
        raise _too_large(name)
    return y.astype(np.int64)


def _too_large(name: str) -> DataError:
    return DataError(f"{name} holds an integer that does not fit 64 bits; give such labels as strings.")


def _refuse_missing_labels(y: NDArray[Any], name: str) -> None:
    if y.dtype.kind == "f":
        bad = ~np.isfinite(y)
    elif y.dtype.kind == "O":
        bad = np.array([is_missing(label) for label in y], dtype=bool)
    else:
        return
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        infinite = isinstance(y[row], float) and np.isinf(y[row])
        kind = "infinity or a value too large for its type" if infinite else "NaN"
        raise DataError(f"Input {name} contains {kind}. {name}[{row}] is {y[row]}; every row needs a class label.")


def _refuse_no_table(X: Any) -> None:
    """Refuse what scikit-learn would accept or would refuse with an unclear message."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if X is None or np.ma.is_masked(X) or kind in ("m", "M"):
        what = "None" if X is None else "an array with masked values" if np.ma.is_masked(X) else f"of type {X.dtype}"
        raise DataError(f"X must be a table of numbers, n rows of d; it is {what}.")


def _converted(X: Any) -> Any:
    """Convert X to an array of floats or a CSR matrix; its numbers may still be infinite or NaN."""
    _refuse_ragged(X)
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    fits_float32 = kind in ("b", "i", "u", "f") and X.dtype.itemsize <= 2
    try:
        return check_array(
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float32] if fits_float32 else [np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            input_name="X",
        )
    except (TypeError, ValueError, OverflowError) as error:
        error_type = NotANumberError if isinstance(error, TypeError) else DataError
        raise error_type(not_a_number(X) or str(error)) from error


def _is_ready(X: Any) -> bool:
    """Is X an array that can be used without conversion, provided that its numbers are finite?"""
    floats = type(X) in (np.ndarray, NamedArray) and X.dtype in (np.float64, np.float32)
    return floats and X.ndim == 2 and X.size > 0 and X.flags.c_contiguous


def _finite(X: Any, checked: NDArray[Any]) -> NDArray[Any]:
    bad = first_not_finite(_read_only(checked))
    if bad >= 0:
        column = int(np.flatnonzero(~np.isfinite(checked[bad]))[0])
        raise not_finite(X, int(bad), column, checked[bad, column])
    return checked


def _canonical(X: Any) -> Any:
    """Bring a CSR matrix into canonical form, without copying it if it has that form already.

    In canonical form the column numbers of each row increase, and all of them are smaller than the number of columns.
    """
    _check_indptr(X)
    data, indices, indptr = X.data, X.indices, X.indptr
    has_spare_room = max(len(indices), len(data)) > indptr[-1]
    has_foreign_type = indices.dtype not in (np.int32, np.int64) or indices.dtype != indptr.dtype
    if has_spare_room:
        data, indices = data[: indptr[-1]], indices[: indptr[-1]]
    if has_foreign_type:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    if first_disordered(_unsigned(indices), _unsigned(indptr), X.shape[1]) >= 0:
        _check_indices(indices, X.shape[1])
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape, copy=True)
        X.sum_duplicates()
    elif has_spare_room or has_foreign_type:
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape)
    if first_not_finite(_read_only(X.data).reshape(1, -1)) >= 0:
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise not_finite(X, row, int(X.indices[at]), X.data[at])
    return X


def _check_indptr(X: Any) -> None:
    data, indices, indptr = X.data, X.indices, X.indptr
    vectors = all(a.ndim == 1 and a.dtype.kind in "iu" for a in (indices, indptr)) and data.ndim == 1
    fits = vectors and len(indptr) == X.shape[0] + 1 and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()
    if not fits or min(len(indices), len(data)) < indptr[-1]:
        raise DataError(
            f"X is not a valid CSR matrix: for {X.shape[0]} rows, indptr must hold {X.shape[0] + 1} numbers that start "
            f"at 0, never fall and end at most at {min(len(indices), len(data))}, the number of entries."
        )


def _check_indices(indices: NDArray[Any], d: int) -> None:
    if len(indices) and not 0 <= indices.min() <= indices.max() < d:
        raise DataError(
            f"X is not a valid CSR matrix: its columns are 0 to {d - 1}, but the column numbers in it "
            f"reach from {indices.min()} to {indices.max()}."
        )


def _read_only(a: NDArray[Any]) -> NDArray[Any]:
    """Make a read-only view, so that each function is compiled once, for writeable and read-only arrays alike."""
    view = a.view(np.ndarray)
    view.flags.writeable = False
    return view


def _unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    return _read_only(indices).view(np.uint64 if indices.dtype.itemsize == 8 else np.uint32)


def _refuse_ragged(X: Any) -> None:
    if isinstance(X, list | tuple) and X and all(isinstance(row, list | tuple) for row in X):
        for i, row in enumerate(X):
            if len(row) != len(X[0]):
                raise DataError(f"X is ragged: row 0 has {len(X[0])} numbers, row {i} has {len(row)}.")


def _sentence(error: Exception) -> str:
    """End the message of a library with one full stop."""
    return str(error).rstrip(". ") + "."
