"""A table of exact numbers: a float is the fraction that it stores, or a decimal; an integer may be of any size.

This file belongs to the checker of certificates. It needs only numpy and SciPy's sparse matrices.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import EXACT as EXACT
from rosenblatt.base.inputs.cells import nearest_float, not_finite, numbers_of_array, place_of
from rosenblatt.base.inputs.decimals import decimal_ratio, differ_from_decimals
from rosenblatt.base.inputs.tables import Taken, check_indices, take_table
from rosenblatt.base.inputs.treatment_coding import CompressedRows
from rosenblatt.certificate.digest import BY_BLOCKS, DIGEST_ROWS, BlockDigests, BlockPart, digest_of
from rosenblatt.errors import DataError

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
    decimal : does each float count as the shortest decimal that rounds to it?  `base.inputs.decimals` explains this.
    """

    floats: Any
    large: dict[int, dict[int, int]]
    names: list[str] | None = None
    decimal: bool = False

    @property
    def n(self) -> int:
        return int(self.floats.shape[0])

    @property
    def d(self) -> int:
        return int(self.floats.shape[1])

    def row(self, i: int) -> dict[int, Ratio]:
        """The nonzero numbers of row i, by column. All denominators are powers of two, or of ten in decimal tables."""
        if scipy.sparse.issparse(self.floats):
            inside = slice(self.floats.indptr[i], self.floats.indptr[i + 1])
            columns, numbers = self.floats.indices[inside].tolist(), self.floats.data[inside].tolist()
        else:
            columns, numbers = range(self.d), self.floats[i].tolist()
        ratio = decimal_ratio if self.decimal else float.as_integer_ratio
        found = {j: ratio(x) for j, x in zip(columns, numbers, strict=True) if x}
        found.update({j: (whole, 1) for j, whole in self.large.get(i, {}).items()})
        return found

    def take(self, rows: NDArray[Any]) -> "Table":
        """A table of these rows, in this order. A row may occur several times."""
        large = {t: self.large[int(i)] for t, i in enumerate(rows) if int(i) in self.large} if self.large else {}
        return Table(self.floats[rows], large, self.names, self.decimal)

    def joined(self, other: "Table") -> "Table":
        """These rows, then the others, which have the same columns and are stored in the same way."""
        sparse = scipy.sparse.issparse(self.floats)
        floats = (self.floats, other.floats)
        stacked = scipy.sparse.vstack(floats, format="csr") if sparse else np.concatenate(floats)
        return replace(self, floats=stacked, large=self.large | {self.n + i: x for i, x in other.large.items()})

    def in_decimals(self) -> "Table":
        """This table with its floats as decimals. It stays as it is if every float is equal to its decimal."""
        entries = self.floats.data if scipy.sparse.issparse(self.floats) else self.floats
        return replace(self, decimal=True) if differ_from_decimals(entries) else self

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
        digests, large = BlockDigests(self.d), dict[int, dict[int, dict[int, int]]]()
        for i, cells in self.large.items():
            large.setdefault(i // DIGEST_ROWS, {})[i % DIGEST_ROWS] = cells
        for number, start in enumerate(range(0, self.n, DIGEST_ROWS)):
            inside = slice(start, start + DIGEST_ROWS)
            rows = self.floats if self.n <= DIGEST_ROWS else self.floats[inside]
            digest = digest_of([rows], rows.shape[0], self.d, large.get(number, {}), codes[inside])
            digests.add(BlockPart(rows.shape[0], digest))
        return digests.joined()

    def has_digest(self, digest: str, codes: NDArray[Any]) -> bool:
        """Is this the fingerprint of the table?  Those of earlier versions are of all rows at once."""
        if self.n <= DIGEST_ROWS or digest.startswith(BY_BLOCKS):
            return digest == self.digest(codes)
        return digest == digest_of((block for _, block in self.blocks()), self.n, self.d, self.large, codes)


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


def read_table(X: Any, *, words: bool = False) -> Table:
    """Read n rows of d numbers as exact numbers, from an array, a sparse matrix, a data frame or lists.

    With `words`, categories of a data frame are coded as numbers; see `base.inputs.treatment_coding`.

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
    return exact_table(take_table(X, words=words))


def exact_table(taken: Taken) -> Table:
    """The exact numbers of a table that was taken.

    Raises
    ------
    DataError
        A number is infinite or NaN.
    """
    if isinstance(taken.matrix, CompressedRows):
        return replace(_of_sparse(taken.matrix, taken.names), large=taken.wholes)
    if scipy.sparse.issparse(taken.matrix):
        return _of_sparse(taken.matrix, taken.names)
    d = taken.matrix.shape[1]
    floats, wholes = numbers_of_array(taken.matrix, lambda k: place_of(taken.names, k // d, k % d))
    large = {row: dict(cells) for row, cells in taken.wholes.items()}
    for k, whole in wholes.items():
        large.setdefault(k // d, {})[k % d] = whole
    return Table(_finite(np.ascontiguousarray(floats), taken.names), large, taken.names)


def flushes_to_zero() -> bool:
    """Has a library set the processor to take the smallest floats for 0?"""
    return bool(np.float64(5e-324) * np.float64(1.0) == 0.0)


def _of_sparse(X: Any, names: list[str] | None) -> Table:
    used = slice(X.indptr[-1])  # the arrays of a matrix may be longer than its rows need
    check_indices(X.indices[used], X.shape[1])
    csr = scipy.sparse.csr_array((X.data[used], X.indices[used], X.indptr), shape=X.shape)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()

    def row_of(k: int) -> int:
        return int(np.searchsorted(csr.indptr, k, side="right")) - 1

    floats, wholes = numbers_of_array(csr.data, lambda k: place_of(names, row_of(k), int(csr.indices[k])))
    large: dict[int, dict[int, int]] = {}
    for k, whole in wholes.items():
        large.setdefault(row_of(k), {})[int(csr.indices[k])] = whole
    bad = np.flatnonzero(~np.isfinite(floats))
    if len(bad):
        k = int(bad[0])
        raise not_finite(names, row_of(k), int(csr.indices[k]), floats[k])
    return Table(scipy.sparse.csr_array((floats, csr.indices, csr.indptr), shape=csr.shape), large, names)


def _finite(floats: NDArray[np.float64], names: list[str] | None) -> NDArray[np.float64]:
    if not np.isfinite(floats).all():
        i, j = np.argwhere(~np.isfinite(floats))[0].tolist()
        raise not_finite(names, i, j, floats[i, j])
    return floats
