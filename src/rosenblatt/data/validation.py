"""Validation of input: arrays, sparse matrices, data frames and lists become checked points, labels and rows.

What is taken is decided in `base.inputs`, for the checker of certificates too. Here it becomes floats: an integer that
no float holds becomes the nearest float.

C-contiguous float32 and float64 arrays and CSR matrices of these types are used without copying. Everything else is
converted once. Numbers of one or two bytes become float32, which holds them exactly.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import not_finite, place_of
from rosenblatt.base.inputs.labels import Labels, take_class_labels, take_labels
from rosenblatt.base.inputs.tables import Taken, check_indices, take_table
from rosenblatt.data.compiled.rows import Dense, Sparse, first_disordered, first_not_finite
from rosenblatt.data.large.cores import in_parts
from rosenblatt.data.matrices import dense as dense
from rosenblatt.data.named_arrays import NamedArray, NamedMatrix, column_names
from rosenblatt.errors import DataError

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
    if is_ready(X):
        return _finite(X.view(np.ndarray), getattr(X, "columns", None))
    taken = take_table(X)
    _refuse_too_large(taken)
    matrix = taken.matrix
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float32 if matrix.dtype.itemsize <= 2 else np.float64)
    if scipy.sparse.issparse(matrix):
        return _canonical(matrix, taken.names)
    return _finite(np.ascontiguousarray(matrix), taken.names)


def rows(X: Matrix, bias: float) -> Rows:
    """Make rows of checked points; each row ends with the constant `bias`."""
    if scipy.sparse.issparse(X):
        return Sparse(_read_only(X.data), _unsigned(X.indices), _unsigned(X.indptr), float(bias))
    return Dense(_read_only(X), float(bias))


def count(rows: Rows) -> int:
    """Count the rows."""
    return len(rows.X) if isinstance(rows, Dense) else len(rows.indptr) - 1


def stored(rows: Rows) -> int:
    """Count the numbers that are stored for the rows."""
    return int(rows.X.size if isinstance(rows, Dense) else rows.indptr[-1] - rows.indptr[0])


def block(rows: Rows, size: int) -> int:
    """Estimate the number of rows that are stored in `size` bytes, from the average row; at least 1."""
    stored = rows.X.nbytes if isinstance(rows, Dense) else rows.data.nbytes + rows.indices.nbytes
    return max(1, size * count(rows) // max(stored, 1))


def one_row(rows: Rows, i: int) -> Rows:
    """Select row i without copying it."""
    if isinstance(rows, Dense):
        return Dense(rows.X[i : i + 1], rows.bias)
    return Sparse(rows.data, rows.indices, rows.indptr[i : i + 2], rows.bias)


def rows_between(rows: Rows, start: int, stop: int) -> Rows:
    """Select consecutive rows without copying them."""
    if isinstance(rows, Dense):
        return Dense(rows.X[start:stop], rows.bias)
    return Sparse(rows.data, rows.indices, rows.indptr[start : stop + 1], rows.bias)


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
    y = _vector(take_class_labels(y, n, name))
    found = np.unique(y)
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
    return _numbered(_vector(take_labels(y, n)), known)


def known_classes(owner: Any, given: Any) -> NDArray[Any]:
    """Return the classes of an estimator that learns in parts: its own, or those given in its first call.

    Raises
    ------
    DataError
        No classes are known, or those given differ from those known.
    """
    own: NDArray[Any] | None = getattr(owner, "classes_", None)
    if given is None:
        if own is None:
            raise DataError("The first call must name all classes that may ever come: pass classes=[...].")
        return own
    try:
        known, _ = classes(list(given), len(given), name="classes")
    except TypeError as error:
        raise DataError(f"classes must list all labels that may ever come, not {given!r}.") from error
    if own is not None and not np.array_equal(known, own):
        raise DataError(f"classes={known.tolist()} differs from the known classes {own.tolist()}.")
    return known if own is None else own


def signs(codes: Codes) -> NDArray[np.int8]:
    """Convert class numbers 0 and 1 to the signs -1 and 1 that the rules for two classes take."""
    return (2 * codes - 1).astype(np.int8)


def _numbered(y: NDArray[Any], known: NDArray[Any]) -> Codes:
    if len(known) == 2 and y.dtype.kind in "biuf" and known.dtype.kind in "biuf":  # comparisons are quicker
        second = y == known[1]
        if (second | (y == known[0])).all():
            return np.asarray(second, np.int64)
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
    if type(X) is np.ndarray and owner.n_features_in_ == points.shape[1] and not hasattr(owner, "feature_names_in_"):
        return  # scikit-learn would find the same; it takes longer than many a row
    if isinstance(X, NamedArray | NamedMatrix) and X.columns is not None:
        X = _without_rows(X.columns)
    elif type(X).__name__ == "RecordBatch":  # scikit-learn finds the names of an Arrow table, but not of a record batch
        X = X.schema.empty_table()
    from sklearn.utils.validation import validate_data  # a verdict needs no scikit-learn

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


def _vector(taken: Labels) -> NDArray[Any]:
    """The labels; with scikit-learn's warning if they were given as a column."""
    if taken.was_column:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
    return taken.labels


def _refuse_too_large(taken: Taken) -> None:
    largest = int(np.finfo(np.float64).max)
    for row, cells in taken.wholes.items():
        for column, whole in cells.items():
            if abs(whole) > largest:
                place = place_of(taken.names, row, column)
                raise DataError(
                    f"X must hold numbers that fit a float64: {place} is {str(whole)[:20]}... and does not."
                )


def is_ready(X: Any) -> bool:
    """Is X an array that can be used without conversion, provided that its numbers are finite?"""
    floats = type(X) in (np.ndarray, NamedArray) and X.dtype in (np.float64, np.float32)
    return floats and X.ndim == 2 and X.size > 0 and X.flags.c_contiguous


def _finite(X: NDArray[Any], names: list[str] | None) -> NDArray[Any]:
    whole = _read_only(X)
    found = in_parts(lambda start, stop: (start, first_not_finite(whole[start:stop])), len(X), X.size)
    bad = next((start + at for start, at in found if at >= 0), -1)
    if bad >= 0:
        column = int(np.flatnonzero(~np.isfinite(X[bad]))[0])
        raise not_finite(names, int(bad), column, X[bad, column])
    return X


def _canonical(X: Any, names: list[str] | None) -> Any:
    """Bring a CSR matrix into canonical form, without copying it if it has that form already.

    In canonical form the column numbers of each row increase, and all of them are smaller than the number of columns.
    """
    data, indices, indptr = X.data, X.indices, X.indptr
    has_spare_room = max(len(indices), len(data)) > indptr[-1]
    has_foreign_type = indices.dtype not in (np.int32, np.int64) or indices.dtype != indptr.dtype
    if has_spare_room:
        data, indices = data[: indptr[-1]], indices[: indptr[-1]]
    if has_foreign_type:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    places, ends = _unsigned(indices), _unsigned(indptr)
    disordered = in_parts(
        lambda start, stop: first_disordered(places, ends[start : stop + 1], X.shape[1]), len(ends) - 1, len(places)
    )
    if max(disordered, default=-1) >= 0:
        check_indices(indices, X.shape[1])
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape, copy=True)
        X.sum_duplicates()
    elif has_spare_room or has_foreign_type:
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape)
    whole = _read_only(X.data)
    unfit = in_parts(lambda start, stop: first_not_finite(whole[start:stop].reshape(1, -1)), len(whole), len(whole))
    if max(unfit) >= 0:
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise not_finite(names, row, int(X.indices[at]), X.data[at])
    return X


def _read_only(a: NDArray[Any]) -> NDArray[Any]:
    """Make a read-only view, so that each function is compiled once, for writeable and read-only arrays alike."""
    view = a.view(np.ndarray)
    view.flags.writeable = False
    return view


def _unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    return _read_only(indices).view(np.uint64 if indices.dtype.itemsize == 8 else np.uint32)
