"""A table of exact numbers: a float is the fraction that it stores, an integer may be of any size.

This file belongs to the checker of certificates. It needs only numpy and SciPy's sparse matrices.
"""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.errors import DataError

EXACT = 2**53  # every integer up to here is a float
BLOCK = 1 << 20  # numbers in a block of rows
Ratio = tuple[int, int]  # numerator and denominator
Cells = list[dict[int, int | float]]  # for each row, its numbers by column


@dataclass(frozen=True, eq=False)
class Table:
    """n x d exact numbers.

    Parameters
    ----------
    floats : the nearest floats: an array of float64 in C order, or a CSR matrix with increasing columns in each row
    large : the integers that no float holds, {row: {column: integer}}
    names : the names of the columns, if they have names
    """

    floats: Any
    large: dict[int, dict[int, int]]
    names: list[str] | None = None

    @property
    def n(self) -> int:
        return int(self.floats.shape[0])

    @property
    def d(self) -> int:
        return int(self.floats.shape[1])

    def row(self, i: int) -> dict[int, Ratio]:
        """The nonzero numbers of row i, by column."""
        if scipy.sparse.issparse(self.floats):
            inside = slice(self.floats.indptr[i], self.floats.indptr[i + 1])
            columns, numbers = self.floats.indices[inside].tolist(), self.floats.data[inside].tolist()
        else:
            columns, numbers = range(self.d), self.floats[i].tolist()
        found = {j: x.as_integer_ratio() for j, x in zip(columns, numbers, strict=True) if x}
        found.update({j: (whole, 1) for j, whole in self.large.get(i, {}).items()})
        return found

    def take(self, rows: NDArray[Any]) -> "Table":
        """A table of these rows only."""
        at = {int(i): t for t, i in enumerate(rows)} if self.large else {}
        large = {at[i]: cells for i, cells in self.large.items() if i in at}
        return Table(self.floats[rows], large, self.names)

    def powers(self) -> list[int]:
        """For each column, the exponent of the power of two next above its largest number."""
        largest = abs(self.floats).max(axis=0)
        dense = largest.toarray().ravel() if scipy.sparse.issparse(largest) else largest
        return np.frexp(dense)[1].tolist()  # type: ignore[no-any-return]

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """The rows in blocks, each with the number of its first row."""
        step = self.n if scipy.sparse.issparse(self.floats) else max(1, BLOCK // max(self.d, 1))
        for start in range(0, self.n, max(step, 1)):
            yield start, self.floats[start : start + step] if step < self.n else self.floats

    def digest(self, codes: NDArray[Any]) -> str:
        """A fingerprint of the numbers and of the classes of the rows. It does not depend on the storage."""
        return digest_of((block for _, block in self.blocks()), self.n, self.d, self.large, codes)


def digest_of(blocks: Iterable[Any], n: int, d: int, large: Mapping[int, Mapping[int, int]], codes: Any) -> str:
    """The fingerprint of a table that comes in blocks of rows.

    Parameters
    ----------
    blocks : the rows as floats, in order, dense or sparse
    n, d : the number of rows, and of columns
    large : the integers that no float holds, {row: {column: integer}}
    codes : the class of each row
    """
    counts, columns, numbers = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for block in blocks:
        for part, piece in zip((counts, columns, numbers), _nonzeros(block), strict=True):
            part.update(piece.data)
    whole = hashlib.sha256(f"{n} {d}".encode())
    for i, cells in sorted(large.items()):
        whole.update("".join(f" {i} {j} {x:x}" for j, x in sorted(cells.items())).encode())
    for part in (counts, columns, numbers):
        whole.update(part.digest())
    whole.update(np.ascontiguousarray(codes, dtype="<u4").data)
    return f"sha256:{whole.hexdigest()}"


def _nonzeros(block: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The number of nonzeros in each row, their columns, and the nonzeros themselves."""
    if scipy.sparse.issparse(block):
        keep = block.data != 0
        counts = np.diff(block.indptr)
        if not keep.all():
            counts = np.diff(np.concatenate([[0], np.cumsum(keep)])[block.indptr])
        columns, numbers = block.indices[keep], block.data[keep]
    elif np.count_nonzero(block) == block.size:
        n, d = block.shape
        counts, columns, numbers = np.full(n, d), np.tile(np.arange(d, dtype="<u4"), n), block
    else:
        keep = block != 0
        counts, columns, numbers = keep.sum(axis=1), np.nonzero(keep)[1], block[keep]
    return (
        np.ascontiguousarray(counts, dtype="<u4"),
        np.ascontiguousarray(columns, dtype="<u4"),
        np.ascontiguousarray(numbers, dtype="<f8"),
    )


def table_of_cells(cells: Cells, d: int, names: list[str] | None, *, sparse: bool = False) -> Table:
    """A table of rows that are given as {column: number}, columns increasing. Columns that are left out are 0."""
    large: dict[int, dict[int, int]] = {}
    indptr, indices, data = [0], list[int](), list[float]()
    for i, row in enumerate(cells):
        indices += row
        indptr.append(len(indices))
        for j, number in row.items():
            data.append(nearest_float(number))
            if isinstance(number, int) and int(data[-1]) != number:
                large.setdefault(i, {})[j] = number
    floats = scipy.sparse.csr_array((np.array(data), np.array(indices, np.int64), indptr), shape=(len(cells), d))
    return Table(floats if sparse else floats.toarray(), large, names)


def nearest_float(number: Any) -> float:
    """The nearest float. For an integer beyond the range of floats, the largest or the smallest float."""
    try:
        return float(number)
    except OverflowError:
        return float(np.finfo(float).max if number > 0 else np.finfo(float).min)


def read_table(X: Any) -> Table:
    """Read n rows of d numbers as exact numbers, from an array, a sparse matrix, a data frame or lists.

    Raises
    ------
    DataError
        X is not a table of finite numbers.
    """
    if flushes_to_zero():
        raise DataError(
            "This process takes the smallest numbers for 0 (a library compiled with -ffast-math does that), so exact "
            "results are not possible. Start a new process without that library."
        )
    if isinstance(X, Table):
        return X
    if np.ma.is_masked(X):
        raise DataError("X must be a table of numbers; some of its numbers are masked.")
    if scipy.sparse.issparse(X):
        return _of_sparse(X)
    names, columns = _columns(X)
    if columns is not None:
        return _of_columns(columns, names)
    if isinstance(X, list | tuple):  # numpy would round integers in a row with floats
        X = _of_lists(X)
    array = np.asarray(X)
    if array.ndim != 2 or not array.size:
        raise DataError(f"X must be a table, n rows of d numbers, n and d at least 1; its shape is {array.shape}.")
    floats, large = _exactly(array)
    return Table(_finite(np.ascontiguousarray(floats), None), large)


def flushes_to_zero() -> bool:
    """Has a library set the processor to take the smallest floats for 0?"""
    return bool(np.float64(5e-324) * np.float64(1.0) == 0.0)


def read_labels(y: Any, n: int) -> list[Any]:
    """Read one label for each row, as Python strings, numbers or booleans."""
    if isinstance(y, list | tuple):  # numpy would convert labels of several types to one type
        labels = [label.item() if isinstance(label, np.generic) else label for label in y]
        many = any(isinstance(label, list | tuple | np.ndarray) for label in labels)
        shape: tuple[int, ...] = (len(labels),)
    else:
        array = np.asarray(y)
        many = array.ndim != 1 and array.shape[1:] != (1,)
        shape, labels = array.shape, array.ravel().tolist()
    if many or len(labels) != n or not all(isinstance(label, Hashable) for label in labels):
        raise DataError(f"y must hold one label for each of the {n} rows of X; its shape is {shape}.")
    return labels


def _of_sparse(X: Any) -> Table:
    if X.ndim != 2 or not all(X.shape):
        raise DataError(f"X must be a table, n rows of d numbers, n and d at least 1; its shape is {X.shape}.")
    csr = scipy.sparse.csr_array(X)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    floats, large = _exactly(csr.data.reshape(1, -1))
    cells: dict[int, dict[int, int]] = {}
    for k, whole in large.get(0, {}).items():
        row = int(np.searchsorted(csr.indptr, k, side="right")) - 1
        cells.setdefault(row, {})[int(csr.indices[k])] = whole
    made = scipy.sparse.csr_array((floats.reshape(-1), csr.indices, csr.indptr), shape=csr.shape)
    if not np.isfinite(made.data).all():
        k = int(np.flatnonzero(~np.isfinite(made.data))[0])
        _refuse(int(np.searchsorted(csr.indptr, k, side="right")) - 1, int(csr.indices[k]), made.data[k], None)
    return Table(made, cells)


def _columns(X: Any) -> tuple[list[str] | None, Sequence[Any] | None]:
    """The names and columns of a data frame or Arrow table; (None, None) for anything else."""
    if type(X).__module__.startswith("pyarrow"):
        return list(X.schema.names), [column.to_numpy(zero_copy_only=False) for column in X.columns]
    if not hasattr(X, "columns"):
        return None, None
    labels = list(X.columns)
    names = [str(label) for label in labels] if all(isinstance(label, str) for label in labels) else None
    at = X.iloc if hasattr(X, "iloc") else X
    return names, [np.asarray(at[:, j]) for j in range(len(labels))]


def _of_columns(columns: Sequence[Any], names: list[str] | None) -> Table:
    if not columns or not len(columns[0]):
        raise DataError(f"X must be a table with rows and columns; it has {len(columns)} columns and no rows.")
    floats, cells = np.empty((len(columns[0]), len(columns))), dict[int, dict[int, int]]()
    for j, column in enumerate(columns):
        exact, large = _exactly(np.asarray(column).reshape(-1, 1), names[j] if names else j)
        floats[:, j] = exact[:, 0]
        for i, found in large.items():
            cells.setdefault(i, {})[j] = found[0]
    return Table(_finite(floats, names), cells, names)


def _of_lists(X: Sequence[Any]) -> NDArray[Any]:
    rows: list[list[Any]] = []
    for i, row in enumerate(X):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise DataError(f"X must be a table, a list of rows of numbers; row {i} is {row!r}.")
        rows.append(list(row))
        if len(rows[i]) != len(rows[0]):
            raise DataError(
                f"X must be a table, but it is ragged: row 0 has {len(rows[0])} numbers, row {i} {len(rows[i])}."
            )
    return np.array(rows, dtype=object)


def _exactly(array: NDArray[Any], name: Any = None) -> tuple[NDArray[np.float64], dict[int, dict[int, int]]]:
    """The nearest floats of a 2-D array, and the integers that no float holds."""
    kind = array.dtype.kind
    if kind in "bf" or (kind in "iu" and array.dtype.itemsize < 8):
        with np.errstate(over="ignore"):
            floats = array.astype(np.float64, copy=False)
        if array.dtype.itemsize > 8 and not np.array_equal(floats, array, equal_nan=True):
            raise DataError(f"X is of type {array.dtype}, and 64-bit floats cannot hold its numbers; round them first.")
        return floats, {}
    if kind in "iu":
        floats, large = array.astype(np.float64), dict[int, dict[int, int]]()
        for i, j in np.argwhere(np.abs(floats) >= EXACT).tolist():
            if int(floats[i, j]) != int(array[i, j]):
                large.setdefault(i, {})[j] = int(array[i, j])
        return floats, large
    if kind != "O":
        raise DataError(f"X must hold numbers; it is of type {array.dtype}.")
    floats, large = np.empty(array.shape), dict[int, dict[int, int]]()
    for (i, j), cell in np.ndenumerate(array):
        try:
            floats[i, j], whole = _number(cell)
        except (TypeError, ValueError, ArithmeticError) as error:
            column = j if name is None else repr(name)
            raise DataError(f"X must hold numbers: row {i}, column {column} is {cell!r}.") from error
        if whole is not None:
            large.setdefault(i, {})[j] = whole
    return floats, large


def _number(cell: Any) -> tuple[float, int | None]:
    """The nearest float, and the integer itself if no float holds it. Raise ValueError if neither is exact."""
    if isinstance(cell, bool | np.bool_ | float | np.float32 | np.float16):
        return float(cell), None
    if isinstance(cell, int | np.integer):
        whole = int(cell)
        near = nearest_float(whole)
        return near, None if int(near) == whole else whole
    if not isinstance(cell, Number | np.number) or isinstance(cell, complex):
        raise TypeError
    near = float(cell)  # type: ignore[arg-type]
    if near != cell:
        raise ValueError
    return near, None


def _finite(floats: NDArray[np.float64], names: list[str] | None) -> NDArray[np.float64]:
    if not np.isfinite(floats).all():
        i, j = np.argwhere(~np.isfinite(floats))[0].tolist()
        _refuse(i, j, floats[i, j], names)
    return floats


def _refuse(i: int, j: int, cell: float, names: list[str] | None) -> None:
    raise DataError(
        f"Every number must be finite: row {i}, column {repr(names[j]) if names else j} is {cell}. Drop or fill it."
    )
