"""Tables that users give as X: what is taken, and as which numbers.

docs/inputs.md shows the table of what is taken. Nothing here imports pandas, polars, pyarrow or SciPy: their objects
are known by their methods.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import (
    Wholes,
    not_a_number,
    numbers_of_array,
    numbers_of_objects,
    place_of,
)
from rosenblatt.base.inputs.treatment_coding import (
    MAX_DENSE_COLUMNS,
    Levels,
    compressed,
    dense_columns,
    names_of_coded,
    treatment_coded,
)
from rosenblatt.errors import DataError, abridged
from rosenblatt.errors.not_a_number import NotANumberError

ARROW_NUMBERS = {
    "bool",
    "halffloat",
    "float",
    "double",
    *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)),
}
POLARS_NUMBERS = {"Boolean", "Float32", "Float64", *(f"{u}nt{bits}" for u in ("I", "UI") for bits in (8, 16, 32, 64))}
HINTS = {
    "LazyFrame": "Call collect() first.",
    "RecordBatchReader": "Call read_all() first.",
    "InMemoryDataset": "Call to_table() first.",
    "FileSystemDataset": "Call to_table() first.",
    "Scanner": "Call to_table() first.",
    "generator": "Make a list of it first.",
    "map": "Make a list of it first.",
    "Bunch": "Give its data and its target.",
    "dict": "Make a data frame of it first.",
    "str": "rosenblatt.read reads files.",
    "PosixPath": "rosenblatt.read reads files.",
    "WindowsPath": "rosenblatt.read reads files.",
}


class Taken(NamedTuple):
    """A table that was taken: n x d numbers, which may still be infinite or NaN."""

    matrix: Any  # an array of booleans, integers or floats of at most 64 bits, a CSR matrix of these, or its parts
    wholes: dict[
        int, dict[int, int]
    ]  # integers that no float holds, {row: {column: integer}}; `matrix` has floats there
    names: list[str] | None  # the names of the columns, if all of them are strings


def take_table(X: Any, *, words: bool = False) -> Taken:
    """Take n rows of d numbers from an array, a sparse matrix, a data frame, an Arrow table or a list of rows.

    With `words`, columns of categories in a data frame or an Arrow table are coded; see `treatment_coding`.

    Raises
    ------
    DataError
        X is not a table of numbers with at least one row and one column.
    """
    names = column_names(X)
    _refuse_equal_names(names)
    if is_sparse(X):
        return Taken(_sparse(X), {}, names)
    columns = frame_columns(X)
    if columns is not None:
        if _is_sparse_frame(X):
            return Taken(_sparse(X.sparse.to_coo()), {}, names)
        if not _is_one_block(X):
            return _of_columns(columns, names, words=words)
    if isinstance(X, list | tuple):
        return _of_array(_of_rows(X), names)
    if not hasattr(X, "__array__") and not isinstance(X, memoryview):
        raise DataError(f"X must be a table of numbers, n rows of d; it is {kind_of(X)}")
    _refuse_masked(X)
    return _of_array(np.asarray(X), names)


def kind_of(given: Any) -> str:
    """What was given, and what to do instead, if that is known; as the end of a message."""
    if given is None:
        return "None."
    kind = type(given).__name__
    return f"of type {kind}. {HINTS[kind]}" if kind in HINTS else f"of type {kind}."


def column_names(X: Any) -> list[str] | None:
    """Get the column names of a table; None if it has no names, or if some are not strings."""
    if type(X).__name__ == "LazyFrame":
        return None
    names = getattr(X, "columns", None)  # pandas, polars, and our own arrays with names
    if type(X).__module__.startswith("pyarrow"):
        names = getattr(getattr(X, "schema", None), "names", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def is_sparse(X: Any) -> bool:
    """Is it a sparse matrix or array of SciPy?"""
    return hasattr(X, "tocsr") and hasattr(X, "format")


def frame_columns(X: Any) -> list[Any] | None:
    """The columns of a pandas or polars data frame, or of an Arrow table; None for anything else."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return [X.iloc[:, j] for j in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "columns"):
        return list(X.columns)
    return None


def column_cells(column: Any) -> NDArray[Any]:
    """The cells of a pandas, polars or Arrow column: numbers as an array of numbers, all else as Python's objects."""
    if hasattr(column, "to_pylist"):  # Arrow
        plain = str(column.type) in ARROW_NUMBERS and not column.null_count
        return column.to_numpy(zero_copy_only=False) if plain else objects(column.to_pylist())
    if hasattr(column, "to_list") and hasattr(column, "null_count"):  # polars
        plain = str(column.dtype) in POLARS_NUMBERS and not column.null_count()
        return column.to_numpy() if plain else objects(column.to_list())
    array = np.asarray(column.to_numpy())
    return array if array.dtype.kind in "biuf" else objects(column.tolist())


def objects(cells: Sequence[Any]) -> NDArray[Any]:
    """Make an array of Python's objects; lists in cells stay cells."""
    return np.fromiter(cells, dtype=object, count=len(cells))


def _of_array(array: NDArray[Any], names: list[str] | None) -> Taken:
    if array.dtype.kind == "V":
        advice = "numpy.lib.recfunctions.structured_to_unstructured(X) makes a table of a structured array"
        raise NotANumberError(f"X must hold numbers; its type is {array.dtype}. {advice}.")
    _check_shape(array.shape)
    d = array.shape[1]

    def place(k: int) -> str:
        return place_of(names, k // d, k % d)

    if array.dtype.kind == "O":
        floats, wholes = numbers_of_objects(array, place)
        return Taken(floats, _by_row(wholes, d), names)
    if array.dtype.kind not in "biuf":
        k = int(np.argmax(array.imag.ravel() != 0)) if array.dtype.kind == "c" else 0
        raise not_a_number(place(k), array.ravel()[k])
    return Taken(numbers_of_array(array, place)[0] if array.dtype.itemsize > 8 else array, {}, names)


def _of_columns(columns: Sequence[Any], names: list[str] | None, *, words: bool) -> Taken:
    cells = [column_cells(column) for column in columns]
    if words and names is not None:
        coded = treatment_coded(columns, cells, names)
        given, names = names, names_of_coded(coded, names)
        if len(names) > max(MAX_DENSE_COLUMNS, len(cells)):
            return _of_many_levels(coded, given, names)
        cells = dense_columns(coded)
    _check_shape((len(cells[0]) if cells else 0, len(cells)))
    if cells[0].dtype.kind != "O" and len({column.dtype for column in cells}) == 1:
        return _of_array(np.column_stack(cells), names)
    matrix, found = np.empty((len(cells[0]), len(cells))), dict[int, dict[int, int]]()
    for j, column in enumerate(cells):
        matrix[:, j], wholes = _numbers_of_column(column, names, j)
        for i, whole in wholes.items():
            found.setdefault(i, {})[j] = whole
    return Taken(matrix, found, names)


def _of_many_levels(coded: Sequence[NDArray[Any] | Levels], given: list[str], names: list[str]) -> Taken:
    """A sparse matrix of columns, some of them categories with many levels."""
    place, found = {name: j for j, name in enumerate(names)}, dict[int, dict[int, int]]()
    columns: list[NDArray[Any] | Levels] = []
    for t, column in enumerate(coded):
        if isinstance(column, Levels):
            columns.append(column)
            continue
        floats, wholes = _numbers_of_column(column, given, t)
        columns.append(floats)
        for i, whole in wholes.items():
            found.setdefault(i, {})[place[given[t]]] = whole
    return Taken(compressed(columns), found, names)


def _numbers_of_column(column: NDArray[Any], names: list[str] | None, j: int) -> tuple[NDArray[Any], Wholes]:
    read = numbers_of_objects if column.dtype.kind == "O" else numbers_of_array
    return read(column, lambda i: place_of(names, i, j))


def _of_rows(X: Sequence[Any]) -> NDArray[Any]:
    """An array of the rows in a list; numbers stay what they are, where numpy would round integers beside floats."""
    if X and all(type(row) is np.ndarray and row.ndim == 1 and row.dtype == X[0].dtype for row in X):
        _refuse_ragged(X)
        return np.stack(X)
    rows = [_row_cells(row, i) for i, row in enumerate(X)]
    _refuse_ragged(rows)
    cells = [cell for row in rows for cell in row]
    kinds = set(map(type, cells))
    whole = kinds == {int} and min(cells) >= -(2**63) and max(cells) < 2**63
    array = np.array(cells) if whole or kinds == {float} else objects(cells)
    return array.reshape(len(rows), len(rows[0]) if rows else 0)


def _row_cells(row: Any, i: int) -> Sequence[Any]:
    if isinstance(row, list | tuple | range):
        return row
    array = np.asarray(row) if hasattr(row, "__array__") else None
    if array is None or array.ndim != 1:
        raise DataError(
            f"X must be a table, a 2D array or a list of rows; row {i} is {abridged(row)}. Reshape your data: [[x] for "
            "x in X] has one column, [X] one row."
        )
    if np.ma.is_masked(row):
        raise not_a_number(f"row {i}, column {np.flatnonzero(np.ma.getmaskarray(row))[0]}", np.ma.masked)
    return array.tolist()  # type: ignore[no-any-return]


def _refuse_ragged(rows: Sequence[Sequence[Any]]) -> None:
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise DataError(
                f"X must be a table, but it is ragged: row 0 has {len(rows[0])} numbers, row {i} has {len(row)}."
            )


def _refuse_equal_names(names: list[str] | None) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"X must have columns of different names, but {count} are called {name!r}; rename them.")


def _refuse_masked(X: Any) -> None:
    if np.ma.is_masked(X):
        at = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        raise not_a_number(f"row {at[0]}, column {at[1]}" if len(at) == 2 else f"entry {at}", np.ma.masked)


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) < 2:
        raise DataError(
            f"X must be a table, n rows of d numbers. Expected 2D array, got {len(shape)}D array instead; its shape is "
            f"{shape}. Reshape your data: X.reshape(-1, 1) has one column, X.reshape(1, -1) one row."
        )
    if len(shape) > 2:
        raise DataError(
            f"X must be a table, n rows of d numbers. Found array with dim {len(shape)}; its shape is {shape}."
        )
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if not size:
            raise DataError(
                f"X must be a table with rows and columns. Found array with 0 {what} (shape={shape}) while a minimum "
                "of 1 is required."
            )


def _by_row(wholes: Wholes, d: int) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = {}
    for k, whole in wholes.items():
        found.setdefault(k // d, {})[k % d] = whole
    return found


def _is_one_block(X: Any) -> bool:
    """Is X a pandas data frame whose columns have one type of number?"""
    types = set(X.dtypes) if hasattr(X, "iloc") else set()
    return len(types) == 1 and all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in types)


def _is_sparse_frame(X: Any) -> bool:
    """Is X a pandas data frame with sparse columns only, whose missing numbers are 0?"""
    types = list(X.dtypes) if hasattr(X, "iloc") else []
    return bool(types) and all(type(kind).__name__ == "SparseDtype" and kind.fill_value == 0 for kind in types)


def _sparse(X: Any) -> Any:
    """Check the type, the shape and the pointers of a sparse matrix, and convert it to CSR."""
    _check_shape(X.shape)
    if X.dtype.kind not in "biuf":
        entries = X.tocoo()
        k = int(np.argmax(np.imag(entries.data) != 0)) if entries.nnz else 0
        where = place_of(None, int(entries.coords[0][k]), int(entries.coords[1][k])) if entries.nnz else "a cell"
        raise not_a_number(where, entries.data[k] if entries.nnz else X.dtype.type(0))
    if X.format in ("csr", "csc"):
        _check_pointers(X)
    csr = X.tocsr()
    if csr.dtype.itemsize > 8:

        def place(k: int) -> str:
            return place_of(None, int(np.searchsorted(csr.indptr, k, side="right")) - 1, int(csr.indices[k]))

        numbers_of_array(csr.data, place)  # raises if a number would be rounded
        csr = csr.astype(np.float64)
    return csr


def _check_pointers(X: Any) -> None:
    data, indices, indptr = X.data, X.indices, X.indptr
    n, lines, kind = (X.shape[0], "rows", "CSR") if X.format == "csr" else (X.shape[1], "columns", "CSC")
    vectors = all(a.ndim == 1 and a.dtype.kind in "iu" for a in (indices, indptr)) and data.ndim == 1
    fits = vectors and len(indptr) == n + 1 and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()
    if not fits or min(len(indices), len(data)) < indptr[-1]:
        raise DataError(
            f"X is not a valid {kind} matrix: for {n} {lines}, indptr must hold {n + 1} numbers that start "
            f"at 0, never fall and end at most at {min(len(indices), len(data))}, the number of entries."
        )
    if kind == "CSC":
        check_indices(indices[: indptr[-1]], X.shape[0], "row")


def check_indices(indices: NDArray[Any], size: int, line: str = "column") -> None:
    """Raise if a sparse matrix has an entry in a column, or a row, that is not there."""
    if len(indices) and not 0 <= indices.min() <= indices.max() < size:
        raise DataError(
            f"X is not a valid {'CSR' if line == 'column' else 'CSC'} matrix: its {line}s are 0 to {size - 1}, but the "
            f"{line} numbers in it reach from {indices.min()} to {indices.max()}."
        )
