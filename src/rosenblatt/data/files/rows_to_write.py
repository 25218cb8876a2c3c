"""Labelled rows that are to be written: they are checked, and refused if `read` would not bring them back.

The rules are those of the reader, applied to what would be written.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import nearest_float, place_of
from rosenblatt.base.inputs.labels import take_labels
from rosenblatt.base.inputs.tables import Taken, take_table
from rosenblatt.base.text_tables.dialect import DELIMITERS
from rosenblatt.base.text_tables.gaps import MISSING_CELLS
from rosenblatt.base.text_tables.header import number_in
from rosenblatt.base.text_tables.labels import MAX_WHOLE_FLOAT, TextLabels
from rosenblatt.certificate.exact_table import exact_table
from rosenblatt.data.files.encoding import hash_of
from rosenblatt.data.files.labels import INT64_LIMIT
from rosenblatt.data.files.sources import BYTE_ORDER_MARK
from rosenblatt.data.files.sparse_text import HASH_BITS
from rosenblatt.errors import DataError, abridged

BATCH_ROWS = 1000  # rows that are converted to lists at a time
LABEL = "label"  # the name of the column with the labels
MAX_LIBSVM_COLUMNS = 999_999_999


class RowsToWrite(NamedTuple):
    """The rows to write, after the checks that all formats need."""

    X: Any  # an array of float64 or integers, or a canonical CSR matrix
    y: NDArray[Any]  # integers, floats, booleans or strings
    names: list[str] | None

    @property
    def header(self) -> list[str]:
        """The names of the columns, x1, x2, ... if they have none."""
        return self.names or [f"x{j}" for j in range(1, self.X.shape[1] + 1)]

    def array(self, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Give rows as an array, with their zeros; -0.0 is kept, which SciPy's `toarray` makes 0.0."""
        part = self.X[start:stop]
        if not scipy.sparse.issparse(part):
            return np.asarray(part)
        out = np.zeros(part.shape, part.dtype)
        out[np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices] = part.data
        return out

    def dense(self) -> Iterator[list[Any]]:
        """Iterate over the rows, with their zeros."""
        for start in range(0, self.X.shape[0], BATCH_ROWS):
            yield from self.array(start, start + BATCH_ROWS).tolist()

    def sparse(self) -> Iterator[list[tuple[int, Any]]]:
        """Iterate over the rows as pairs of column (from 0) and number, without zeros; -0.0 is kept."""
        if not scipy.sparse.issparse(self.X):
            for row in self.dense():
                yield [(j, number) for j, number in enumerate(row) if _is_kept(number)]
            return
        for start, end in zip(self.X.indptr[:-1].tolist(), self.X.indptr[1:].tolist(), strict=True):
            pairs = zip(self.X.indices[start:end].tolist(), self.X.data[start:end].tolist(), strict=True)
            yield [(j, number) for j, number in pairs if _is_kept(number)]

    def column(self, j: int) -> NDArray[Any]:
        """Give column j, with its zeros; X must be an array or a CSC matrix."""
        if not scipy.sparse.issparse(self.X):
            return np.ascontiguousarray(self.X[:, j])
        part = slice(self.X.indptr[j], self.X.indptr[j + 1])
        column = np.zeros(self.X.shape[0], dtype=self.X.dtype)
        column[self.X.indices[part]] = self.X.data[part]
        return column


def rows_to_write(X: Any, y: Any, feature_names: Sequence[str] | None) -> RowsToWrite:
    """Check the arguments of `write`.

    Raises
    ------
    DataError
        X is no table of finite numbers that floats can hold, or y has not one label for each row, or there is not one
        name for each column.
    """
    taken = take_table(X)
    matrix, names = _matrix(taken), taken.names if feature_names is None else feature_names
    n, d = matrix.shape
    labels = take_labels(y, n).labels
    if names is not None and len(names) != d:
        raise DataError(f"feature_names must be {d}, one for each column, but there are {len(names)}.")
    words = None if names is None else [str(name) for name in names]
    for word in [*(words or []), *(np.unique(labels).tolist() if labels.dtype.kind in "UO" else [])]:
        if "\0" in word or not _is_unicode(word):
            raise DataError(f"Names and labels must be Unicode text without the character 0, but {word!r} is not.")
    return RowsToWrite(matrix, np.array(labels.tolist()) if labels.dtype.kind == "O" else labels, words)


def _matrix(taken: Taken) -> Any:
    """The numbers as float64 or integers, in an array or a canonical CSR matrix; raise if `read` would round one."""
    table = exact_table(taken)
    for row, cells in table.large.items():
        for column, whole in cells.items():
            raise DataError(
                f"X must hold numbers that a float64 can hold, but {str(whole)[:40]} would be rounded to "
                f"{str(int(nearest_float(whole)))[:40]}: {place_of(taken.names, row, column)}. Bring this column "
                "closer to 0."
            )
    return table.floats.astype(taken.matrix.dtype) if taken.matrix.dtype.kind in "iu" else table.floats


def _is_unicode(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_kept(number: Any) -> bool:
    return number != 0 or is_minus_zero(number)


def is_minus_zero(number: Any) -> bool:
    """Is it the float -0.0?"""
    return isinstance(number, float) and number == 0 and str(number) == "-0.0"


def writable(rows: RowsToWrite, kind: str) -> RowsToWrite:
    """Return the rows with labels as this format writes them: words, booleans or integers.

    Raises
    ------
    DataError
        The format cannot hold these labels or names, or `read` would make others of them.
    """
    if kind == "npz":  # it holds every array
        return rows
    if kind == "libsvm":
        _check_width(rows.X.shape[1])
        return rows._replace(y=_libsvm_labels(rows.y))
    rows = rows._replace(y=_whole_or_words(rows.y))
    if kind == "vw":
        _check_vw_labels(rows.y)
        vw_names(rows.header)
    elif kind == "lab":  # the board checks everything else itself
        if rows.y.dtype.kind == "b":
            raise DataError("the labels of a board of the lab are words or whole numbers, not booleans; write words.")
    else:
        header = full_header(rows)
        if kind in DELIMITERS:
            _check_names(header)
            _check_cells(rows.y)
    return rows


def full_header(rows: RowsToWrite) -> list[str]:
    """Give the names of all columns of a table, with the label at the end; all must differ."""
    header = [*rows.header, LABEL]
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise DataError(f"{times} columns would be called {name!r}; give other names.")
    return header


def vw_names(header: Sequence[str]) -> list[str]:
    """Give the names as Vowpal Wabbit's text can hold them; their hashes must differ, or `read` would add columns."""
    names = ["".join("_" if c.isspace() or c in ":|" else c for c in name) for name in header]
    if len(set(names)) < len(names) or "" in names:
        raise DataError(
            "in Vowpal Wabbit's format names cannot have spaces, ':' or '|'; without them, some names would be equal."
        )
    columns: dict[int, str] = {}
    for name in names:
        column = (int(name) if name.isascii() and name.isdigit() else hash_of(name)) % 2**HASH_BITS
        if column in columns:
            raise DataError(
                f"in Vowpal Wabbit's format names are hashed, and {columns[column]!r} and {name!r} have the same hash "
                f"of {HASH_BITS} bits; give one of them another name, or write another format."
            )
        columns[column] = name
    return names


def _libsvm_labels(y: NDArray[Any]) -> NDArray[Any]:
    labels = y.astype(np.int64) if y.dtype.kind == "b" else y
    not_whole = np.full(y.shape, labels.dtype.kind == "U")
    if labels.dtype.kind == "f":
        not_whole = labels != np.floor(labels)
    if not_whole.any():
        i = int(np.argmax(not_whole))
        raise DataError(
            f"in LIBSVM's format labels are whole numbers, not {labels[i].item()!r} (row {i}); number the classes, or "
            "write another format."
        )
    _refuse((labels >= MAX_WHOLE_FLOAT) | (labels <= -MAX_WHOLE_FLOAT), labels, "must be smaller than 2^53")
    return labels.astype(np.int64)


def _refuse(bad: NDArray[np.bool_], y: NDArray[Any], expected: str) -> None:
    if bad.any():
        i = int(np.argmax(bad))
        raise DataError(f"y[{i}] {expected}; it is {y[i].item()!r}. Number the classes, or give words.")


def _check_width(d: int) -> None:
    if d > MAX_LIBSVM_COLUMNS:
        raise DataError(f"in LIBSVM's format there are at most {MAX_LIBSVM_COLUMNS:,} columns, not {d:,}.")


def _whole_or_words(y: NDArray[Any]) -> NDArray[Any]:
    """Check labels that are words or numbers; numbers become integers of 64 bits."""
    if y.dtype.kind == "b":
        return y
    if y.dtype.kind == "U":
        _refuse(np.char.strip(y) == "", y, "must not be blank, as `read` takes it for missing")
        return y
    if y.dtype.kind == "f":
        _refuse(y != np.floor(y), y, "must be a word or a whole number, as `read` takes no other")
        _refuse((y >= float(INT64_LIMIT)) | (y < -float(INT64_LIMIT)), y, "must fit 64 bits")
    if y.dtype.kind == "u":
        _refuse(y >= INT64_LIMIT, y, "must fit 64 bits")
    return y.astype(np.int64)


def _check_vw_labels(y: NDArray[Any]) -> None:
    found = set(np.unique(y).tolist())
    are_numbered = y.dtype.kind == "i" and (found <= {-1, 1} or min(found) >= 1)
    if not are_numbered or max(found) >= MAX_WHOLE_FLOAT:
        few = ", ".join(map(repr, sorted(found)[:4])) + ", ..." * (len(found) > 4)
        raise DataError(
            f"in Vowpal Wabbit's format two classes are -1 and 1, and more classes are 1 to k, but these labels are "
            f"{few}; number the classes so, or write another format."
        )


def _check_cells(y: NDArray[Any]) -> None:
    """Refuse labels that would be read as others: the cells of a text have no types."""
    labels = np.unique(y).tolist()
    rule = TextLabels.found_in(map(str, labels))
    for label in labels:
        why = _cell_trouble(rule, label)
        if why is not None:
            raise DataError(
                f"a CSV or TSV file cannot hold the label {abridged(label)}, which would be read as {why}. Give other "
                "labels, or write JSON lines or Parquet."
            )


def _cell_trouble(rule: TextLabels, label: Any) -> str | None:
    """Say what a label would be read as; None if it is read as itself."""
    cell = str(label)
    if cell.strip() in MISSING_CELLS:
        return "a missing label"
    if "\n" in cell or "\r" in cell:
        return "several lines"
    try:
        found = rule.label(cell)
    except ValueError:
        return "the label of another word"
    return None if found == label and type(found) is type(label) else f"the {rule.kind} {abridged(found)}"


def _check_names(header: Sequence[str]) -> None:
    """Refuse names that a header of text cannot hold."""
    for name in header:
        why = _name_trouble(name)
        if why is not None:
            raise DataError(
                f"a CSV or TSV file cannot hold the name {abridged(name)}, which {why}. Give other names, or write "
                "JSON lines or Parquet."
            )


def _name_trouble(name: str) -> str | None:
    """Say why a name would not be read as it is; None if it is."""
    if name != name.strip() or not name:
        return "is empty or has spaces around it"
    if "\n" in name or "\r" in name or name.startswith(BYTE_ORDER_MARK.decode()):
        return "has a line end or begins with a byte order mark"
    if number_in(name) is not None:
        return "is a number, so that the line of names would be read as a row"
    return "is too long" if len(name) >= csv.field_size_limit() else None
