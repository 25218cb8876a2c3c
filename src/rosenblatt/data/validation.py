"""The edge where data enters: anything that holds numbers becomes checked points, labels and rows.

A C-contiguous float32 or float64 array and a CSR matrix of them are used where they are, without a copy; everything
else is converted once. Numbers of one or two bytes become float32, which holds them exactly.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from rosenblatt.data.compiled.rows import Dense, Sparse, first_disordered, first_not_finite
from rosenblatt.data.named_arrays import NamedArray, NamedMatrix
from rosenblatt.errors import DataError, NotANumber

Matrix = Any  # an array of float32 or float64 in C order, or a canonical CSR matrix of them
Rows = Dense | Sparse
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

FILL = "Every number must be finite; drop or fill such rows first, for example with sklearn.impute.SimpleImputer."
ENCODE = "Encode categories as numbers first, for example with sklearn.preprocessing.OneHotEncoder."


def points(X: Any) -> Matrix:
    """Check the points X and bring them into the form that rows are made of.

    Raises
    ------
    DataError
        X is not a table of finite numbers with at least one row and one column.
    """
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if X is None or np.ma.is_masked(X) or kind in ("m", "M"):
        what = "None" if X is None else "an array with masked values" if np.ma.is_masked(X) else f"of type {X.dtype}"
        raise DataError(f"X must be a table of numbers, n rows of d; it is {what}.")
    if _is_ready(X):
        return _finite(X, X.view(np.ndarray))
    _refuse_ragged(X)
    small = kind in ("b", "i", "u", "f") and X.dtype.itemsize <= 2
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
    except (TypeError, ValueError, OverflowError) as error:
        error_type = NotANumber if isinstance(error, TypeError) else DataError
        raise error_type(_where_not_a_number(X) or str(error)) from error
    return _canonical(checked) if scipy.sparse.issparse(checked) else _finite(X, checked)


def rows(X: Matrix, bias: float) -> Rows:
    """Checked points as rows that end with the constant `bias`."""
    if scipy.sparse.issparse(X):
        return Sparse(_read_only(X.data), _unsigned(X.indices), _unsigned(X.indptr), float(bias))
    return Dense(_read_only(X), float(bias))


def count(rows: Rows) -> int:
    """How many rows there are."""
    return len(rows.X) if isinstance(rows, Dense) else len(rows.indptr) - 1


def block(rows: Rows, size: int) -> int:
    """How many rows, on average, are stored in `size` bytes; at least 1."""
    stored = rows.X.nbytes if isinstance(rows, Dense) else rows.data.nbytes + rows.indices.nbytes
    return max(1, size * count(rows) // max(stored, 1))


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


def classes(y: Any, n: int, name: str = "y") -> tuple[NDArray[Any], Codes]:
    """The sorted distinct labels of y, at least two, and for each of the n rows the number of its label.

    Raises
    ------
    DataError
        y is not one class label for each row, or holds fewer than two different ones.
    """
    y = _column(y, n, name)
    try:
        found = np.unique(y)
        if found.dtype.kind not in "biuU":  # of which any are labels
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
    """The same for those who know two classes only; `wrapped` is what to use for more."""
    found, numbers = classes(y, n, name)
    if len(found) > 2:
        raise DataError(
            f"Only binary classification is supported. The type of the target is multiclass: {name} has {len(found)} "
            f"classes. Wrap it, as in {wrapped}."
        )
    return found, numbers


def codes(y: Any, n: int, known: NDArray[Any]) -> Codes:
    """For each of the n rows the number of its label among the sorted labels `known`."""
    return _numbered(_column(y, n, "y"), known)


def _numbered(y: NDArray[Any], known: NDArray[Any]) -> Codes:
    try:
        at: Codes = np.minimum(np.searchsorted(known, y), len(known) - 1).astype(np.int64, copy=False)
        strange = known[at] != y
    except TypeError as error:
        raise DataError(f"y holds labels that cannot be compared with the known classes {known.tolist()}.") from error
    if np.any(strange):
        row = int(np.flatnonzero(strange)[0])
        raise DataError(f"y[{row}] is {y.tolist()[row]!r}, which is not one of the known classes {known.tolist()}.")
    return at


def column_names(X: Any) -> Sequence[str] | None:
    """The column names of a table whose names are all strings, or None."""
    names = getattr(X, "columns", None)  # pandas, polars
    if type(X).__module__.startswith("pyarrow"):
        names = X.schema.names
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def targets(codes: Codes, classes: NDArray[Any]) -> Any:
    """Return class codes as the rules take them: for two classes, signs of one byte each, which are read quickly."""
    return (2 * codes - 1).astype(np.int8) if len(classes) == 2 else codes


def check_columns(owner: Any, X: Any, points: Matrix, *, reset: bool) -> None:
    """Names and number of columns: against those that the owner was trained with, or (reset) to be those from now on.

    Raises
    ------
    DataError
        They differ.
    """
    named = column_names(X) is not None
    if reset and not named:
        vars(owner).pop("feature_names_in_", None)
        owner.n_features_in_ = points.shape[1]
        return
    if isinstance(X, NamedArray | NamedMatrix) and X.columns is not None:
        X = _without_rows(X.columns)
    elif type(X).__name__ == "RecordBatch":  # scikit-learn finds names in an Arrow table, not in a batch of one
        X = X.schema.empty_table()
    try:
        validate_data(owner, X if named else points, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise DataError(str(error)) from error
    if reset:
        owner.n_features_in_ = points.shape[1]  # what was read counts, whatever the table says of itself
    elif owner.n_features_in_ != points.shape[1]:
        raise DataError(f"X has {points.shape[1]} features, but {owner.n_features_in_} were learned from.")


def _without_rows(names: Sequence[str]) -> Any:
    """A table of which scikit-learn sees the names."""
    import pyarrow

    return pyarrow.schema([(name, pyarrow.float64()) for name in names]).empty_table()


def _column(labels: Any, n: int, name: str) -> NDArray[Any]:
    if labels is None:
        raise DataError(f"A classifier requires {name} to be passed, but the target {name} is None.")
    if np.ma.is_masked(labels):
        raise DataError(f"{name} must hold one class label for each row, but some of its labels are masked.")
    if isinstance(labels, list | tuple) and len({isinstance(label, str) for label in labels}) > 1:
        raise DataError(f"{name} must hold class labels of one kind, but it mixes strings with others.")
    if isinstance(labels, list | tuple) and any(isinstance(label, int) and abs(label) >= 2**63 for label in labels):
        raise DataError(f"{name} holds an integer that does not fit 64 bits; give such labels as strings.")
    ready = type(labels) is np.ndarray and labels.ndim == 1 and labels.dtype.kind in "biuU"
    try:
        y: NDArray[Any] = labels if ready else np.asarray(column_or_1d(labels, warn=True))
    except (TypeError, ValueError) as error:
        said = _sentence(error).replace("y should", f"{name} should")
        raise DataError(f"{said} {name} must hold one class label for each row.") from error
    if y.dtype.kind == "O" and all(isinstance(label, int | np.integer) for label in y):
        if any(not -(2**63) <= label < 2**63 for label in y):
            raise DataError(f"{name} holds an integer that does not fit 64 bits; give such labels as strings.")
        y = y.astype(np.int64)
    bad: Any = False
    if y.dtype.kind == "f":
        bad = ~np.isfinite(y)
    elif y.dtype.kind == "O":
        bad = [_is_missing(label) for label in y]
    if np.any(bad):
        row = int(np.flatnonzero(bad)[0])
        infinite = isinstance(y[row], float) and np.isinf(y[row])
        kind = "infinity or a value too large for its type" if infinite else "NaN"
        raise DataError(f"Input {name} contains {kind}. {name}[{row}] is {y[row]}; every row needs a class label.")
    if len(y) != n:
        there = "X has" if name == "y" else "There are"
        raise DataError(f"{there} {n} rows but {name} has {len(y)} labels; each row needs one label.")
    return y


def _is_ready(X: Any) -> bool:
    """Is it an array that can be used as it is, if all its numbers are finite?"""
    floats = type(X) in (np.ndarray, NamedArray) and X.dtype in (np.float64, np.float32)
    return floats and X.ndim == 2 and X.size > 0 and X.flags.c_contiguous


def _finite(X: Any, checked: NDArray[Any]) -> NDArray[Any]:
    bad = first_not_finite(_read_only(checked))
    if bad >= 0:
        column = int(np.flatnonzero(~np.isfinite(checked[bad]))[0])
        raise _not_finite(X, int(bad), column, checked[bad, column])
    return checked


def _is_missing(value: Any) -> bool:
    """None, pandas' NA, or a number that is not finite."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and not np.isfinite(value))


def _canonical(X: Any) -> Any:
    """A CSR matrix whose column numbers increase within each row and lie within its width, the same one if it can."""
    data, indices, indptr = X.data, X.indices, X.indptr
    vectors = all(a.ndim == 1 and a.dtype.kind in "iu" for a in (indices, indptr)) and data.ndim == 1
    fits = vectors and len(indptr) == X.shape[0] + 1 and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()
    if not fits or min(len(indices), len(data)) < indptr[-1]:
        raise DataError(
            f"X is not a valid CSR matrix: for {X.shape[0]} rows, indptr must hold {X.shape[0] + 1} numbers that start "
            f"at 0, never fall and end at most at {min(len(indices), len(data))}, the number of entries."
        )
    spare = max(len(indices), len(data)) > indptr[-1]
    foreign = indices.dtype not in (np.int32, np.int64) or indices.dtype != indptr.dtype
    if spare:
        data, indices = data[: indptr[-1]], indices[: indptr[-1]]
    if foreign:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    disordered = first_disordered(_unsigned(indices), _unsigned(indptr), X.shape[1])
    if disordered >= 0:
        if len(indices) and not 0 <= indices.min() <= indices.max() < X.shape[1]:
            raise DataError(
                f"X is not a valid CSR matrix: its columns are 0 to {X.shape[1] - 1}, but the column numbers in it "
                f"reach from {indices.min()} to {indices.max()}."
            )
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape, copy=True)
        X.sum_duplicates()
    elif spare or foreign:
        X = scipy.sparse.csr_array((data, indices, indptr), shape=X.shape)
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
    if isinstance(X, list | tuple) and X and all(isinstance(row, list | tuple) for row in X):
        for i, row in enumerate(X):
            if len(row) != len(X[0]):
                raise DataError(f"X is ragged: row 0 has {len(X[0])} numbers, row {i} has {len(row)}.")


def _place(X: Any, row: int, column: int) -> str:
    names = column_names(X)
    return f"row {row}, column {names[column]!r}" if names else f"row {row}, column {column}"


def _not_finite(X: Any, row: int, column: int, value: Any) -> DataError:
    kind = "NaN" if np.isnan(value) else "infinity"
    return DataError(f"Input X contains {kind}: {_place(X, row, column)} is {value}. {FILL}")


def _not_real(X: Any, row: int, column: int, value: Any) -> str:
    return f"Complex data not supported: {_place(X, row, column)} is {value}; expected a real number."


def _where_not_a_number(X: Any) -> str | None:
    """Say where the first cell of a table is that cannot be read as a number, and what is wrong with it."""
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
            if isinstance(cell, complex | np.complexfloating):
                return _not_real(X, i, j, cell)
            if _is_missing(cell):
                return f"Input X contains NaN: {_place(X, i, j)} is missing. {FILL}"
            try:
                float(cell)
            except OverflowError:
                return f"X must hold numbers that fit a float64: {_place(X, i, j)} is {str(cell)[:20]}... and does not."
            except ValueError:
                return f"X must hold numbers: {_place(X, i, j)} is {cell!r}. {ENCODE}"
            except TypeError:
                expected = "argument must be a string or a real number"
                return (
                    f"X must hold numbers: {_place(X, i, j)} is {cell!r}; each {expected}, not {type(cell).__name__}."
                )
    return None


def _table_rows(X: Any) -> Iterable[Any]:
    """The rows of a table as they were given, each cell of its own type."""
    if hasattr(X, "itertuples"):  # pandas
        return X.itertuples(index=False, name=None)  # type: ignore[no-any-return]
    if hasattr(X, "iter_rows"):  # polars
        return X.iter_rows()  # type: ignore[no-any-return]
    if hasattr(X, "to_pylist"):  # Arrow
        return [row.values() for row in X.to_pylist()]
    return X if isinstance(X, list | tuple) else np.atleast_1d(np.asarray(X, dtype=object))


def _sentence(error: Exception) -> str:
    """The message of a library, ended by one full stop."""
    return str(error).rstrip(". ") + "."


def dense(table: Any) -> NDArray[Any]:
    """A table as an array."""
    return np.asarray(table.toarray() if scipy.sparse.issparse(table) else table)
