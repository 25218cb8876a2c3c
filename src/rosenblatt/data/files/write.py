"""Writing of labelled rows to a file; reading the file gives the same numbers to the last bit.

=========================  ===========================================================================================
.csv, .tsv                 text with a header; the label is the last column, named "label"
.svm, .libsvm              LIBSVM text: `label column:number ...`, columns from 1; labels are whole numbers
.vw                        Vowpal Wabbit text: `label | name:number ...`; two classes are -1 and 1, more are 1 to k
.jsonl                     a JSON object for each row; the label is the last entry, named "label"
.parquet, .feather, .arrow Apache Parquet and Arrow tables; the label is the last column, named "label"
.npz                       NumPy arrays X (sparse: data, indices, indptr, shape), y and names
.json                      a board of the lab: two columns, at most 2,000 rows and 6 classes
=========================  ===========================================================================================

Text files may end with .gz or .zst as well, and are then compressed. LIBSVM text, Vowpal Wabbit text and JSON lines of
sparse rows leave zeros out.
"""

import csv
import io
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.atomic_file import replacing
from rosenblatt.base.hyperplane import as_numbers, refuse
from rosenblatt.base.parameters import OneOf
from rosenblatt.data.files import sources
from rosenblatt.data.files.lab_board import Board
from rosenblatt.data.matrices import dense
from rosenblatt.errors import DataError, ParameterError, abridged

ENDINGS = {  # reading calls the format "arrow" that writing calls "feather"
    ending: "feather" if kind == "arrow" else kind
    for ending, kind in sources.ENDINGS.items()
    if ending not in sources.READ_ONLY_ENDINGS
}
COMPRESSIONS = {
    ending: kind for ending, kind in sources.COMPRESSIONS.items() if ending not in sources.READ_ONLY_ENDINGS
}
BATCH_ROWS = 1000  # rows that are converted to text at a time


class CheckedRows(NamedTuple):
    """The rows to write, after all checks."""

    X: Any  # an array of float64 or integers, or a canonical CSR matrix
    y: NDArray[Any]  # integers, floats, booleans or strings
    names: list[str] | None

    @property
    def header(self) -> list[str]:
        """The names of the columns, x1, x2, ... if they have none."""
        return self.names or [f"x{j}" for j in range(1, self.X.shape[1] + 1)]

    def dense(self) -> Iterator[list[Any]]:
        """Iterate over the rows, with their zeros."""
        for start in range(0, self.X.shape[0], BATCH_ROWS):
            part = self.X[start : start + BATCH_ROWS]
            yield from dense(part).tolist()

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


def write(
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write labelled rows to a file. An existing file is replaced as a whole, or not at all.

    Parameters
    ----------
    X : array, sparse matrix or data frame, n x d
        Finite numbers. Floats are written with as many digits as are needed to read the same bits; floats that are
        whole numbers are written as integers.
    y : n labels
        Strings, integers, floats or booleans.
    path : str or Path
        Its ending tells the format. A text with .gz or .zst after that is compressed.
    feature_names : d names, optional
        The names of the columns. If not given, the names of X, or x1, x2, ...
    format : "csv", "tsv", "libsvm", "vw", "jsonl", "parquet", "feather", "npz" or "lab", optional
        Give it if the path does not tell the format, as for /dev/stdout.

    Raises
    ------
    DataError
        The file cannot be written, or its format cannot hold these labels or names.
    ParameterError
        There is no such format.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "and.csv"
    >>> write([[0.5, 1], [1, 0.1]], ["no", "yes"], path, feature_names=["a", "b"])
    >>> path.read_text().splitlines()
    ['a,b,label', '0.5,1,no', '1,0.1,yes']
    """
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"path must be a path, not {abridged(path)}; the order is write(X, y, path).")
    kind, compression = _format(Path(path), format)
    rows = _checked(X, y, feature_names)
    with replacing(path) as file:
        try:
            if kind in TABLES:
                TABLES[kind](rows, file)
            else:
                _write_text(file, TEXTS[kind](rows), compression)
        except DataError as error:
            raise DataError(f"{os.fspath(path)}: {error}") from error


def _format(path: Path, given: str | None) -> tuple[str, str | None]:
    """Give the format, and the compression of a text."""
    ending, compression = path.suffix.lower(), COMPRESSIONS.get(path.suffix.lower())
    if compression:
        ending = path.with_suffix("").suffix.lower()
    if given is None and ending not in ENDINGS:
        more = "; a text may end with .gz or .zst after that"
        raise DataError(f"{path}: expected a file that ends with {', '.join(ENDINGS)}{more}. Or name the format.")
    known = OneOf(*TEXTS, *TABLES)
    if given is not None and not known.allows(given):
        nearest = known.nearest(given)
        hint = f"; did you mean {nearest!r}?" if nearest else "."
        raise ParameterError(f"must be {known}, not {given!r}{hint}", "format")
    kind = given or ENDINGS[ending]
    if compression and kind in TABLES:
        raise DataError(f"{path}: only text is compressed with {path.suffix}; leave {path.suffix} out.")
    return kind, compression


def _checked(X: Any, y: Any, names: Sequence[str] | None) -> CheckedRows:
    own = getattr(X, "columns", None)
    if names is None and own is not None and all(isinstance(name, str) for name in own):
        names = list(own)
    matrix = _matrix(X)
    labels = _labels(y)
    n, d = matrix.shape
    if labels.shape != (n,):
        raise DataError(f"y must hold one label for each of the {n} rows, but its shape is {labels.shape}.")
    if names is not None and len(names) != d:
        raise DataError(f"feature_names must be {d}, one for each column, but there are {len(names)}.")
    return CheckedRows(matrix, labels, None if names is None else [str(name) for name in names])


def _matrix(X: Any) -> Any:
    if scipy.sparse.issparse(X):
        matrix = scipy.sparse.csr_array(X)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        at = np.flatnonzero(~np.isfinite(matrix.data))
        if len(at):
            row = int(np.searchsorted(matrix.indptr, at[0], side="right")) - 1
            place = f"row {row}, column {matrix.indices[at[0]]}"
            raise DataError(f"X must be finite, but it is {matrix.data[at[0]]} at {place}; drop or fill in such values")
        return matrix if matrix.dtype.kind in "iu" else matrix.astype(np.float64)
    array = np.asarray(X)
    if array.dtype.kind not in "iu":
        array = as_numbers(array, "X")
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"X must be n x d, with at least one column, but its shape is {array.shape}.")
    return array


def _labels(y: Any) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.dtype.kind == "O":
        kinds = {type(label) for label in labels.ravel().tolist()}
        if len(kinds) == 1 and kinds <= {str, int, float, bool}:
            labels = np.array(labels.tolist())
    if labels.dtype.kind not in "biufU":
        raise DataError("y must be all words, all numbers or all booleans.")
    if labels.dtype.kind == "f":
        refuse(~np.isfinite(labels), labels, "y", "finite", "drop such rows")
    return labels


def _is_kept(number: Any) -> bool:
    return number != 0 or _is_minus_zero(number)


def _is_minus_zero(number: Any) -> bool:
    return isinstance(number, float) and number == 0 and math.copysign(1, number) < 0


def _digits(number: Any) -> str:
    """Write a number so that reading gives the same bits: whole numbers as integers; -0.0 keeps its sign."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53 and not _is_minus_zero(number):
        return str(int(number))
    return repr(number)


def _word(label: Any) -> str:
    return _digits(label) if isinstance(label, float) else str(label)


def _unique(rows: CheckedRows) -> list[str]:
    """Give the header with the label at its end; all names must differ."""
    header = [*rows.header, "label"]
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise DataError(f"{times} columns would be called {name!r}; give other names.")
    return header


def _separated(delimiter: str) -> Callable[[CheckedRows], Iterator[str]]:
    def lines(rows: CheckedRows) -> Iterator[str]:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_unique(rows))
        for row, label in zip(rows.dense(), rows.y.tolist(), strict=True):
            writer.writerow([*map(_digits, row), _word(label)])
            yield text.getvalue()
            text.seek(0)
            text.truncate()
        yield text.getvalue()

    return lines


def _libsvm(rows: CheckedRows) -> Iterator[str]:
    labels = rows.y.astype(np.int64) if rows.y.dtype.kind == "b" else rows.y
    not_whole = labels.dtype.kind == "U" or labels != np.floor(labels)
    if np.any(not_whole):
        i = int(np.argmax(not_whole))
        raise DataError(
            f"in LIBSVM's format labels are whole numbers, not {labels[i].item()!r} (row {i}); number the classes, or "
            "write another format."
        )
    last = rows.X.shape[1] - 1
    seen = any(line and line[-1][0] == last for line in rows.sparse())
    for i, (line, label) in enumerate(zip(rows.sparse(), labels.tolist(), strict=True)):
        if i == 0 and not seen:
            line.append((last, 0))  # a reader knows only the columns that occur
        yield " ".join([str(int(label)), *(f"{j + 1}:{_digits(number)}" for j, number in line)]) + "\n"


def _vw(rows: CheckedRows) -> Iterator[str]:
    names = ["".join("_" if c.isspace() or c in ":|" else c for c in name) for name in rows.header]
    if len(set(names)) < len(names) or "" in names:
        raise DataError(
            "in Vowpal Wabbit's format names cannot have spaces, ':' or '|'; without them, some names would be equal."
        )
    classes, which = np.unique(rows.y, return_inverse=True)
    numbers = [-1, 1] if len(classes) == 2 else list(range(1, len(classes) + 1))
    for line, k in zip(rows.sparse(), which.tolist(), strict=True):
        yield " ".join([f"{numbers[k]} |", *(f"{names[j]}:{_digits(number)}" for j, number in line)]) + "\n"


def _jsonl(rows: CheckedRows) -> Iterator[str]:
    keys = [json.dumps(name) for name in _unique(rows)]
    whole = not scipy.sparse.issparse(rows.X)
    lines = (list(enumerate(row)) for row in rows.dense()) if whole else rows.sparse()
    for line, label in zip(lines, rows.y.tolist(), strict=True):
        word = _digits(label) if isinstance(label, float) else json.dumps(label)
        cells = [*(f"{keys[j]}: {_digits(number)}" for j, number in line), f"{keys[-1]}: {word}"]
        yield "{" + ", ".join(cells) + "}\n"


def _table(rows: CheckedRows) -> Any:
    import pyarrow

    by_column = rows._replace(X=rows.X.tocsc()) if scipy.sparse.issparse(rows.X) else rows
    columns = [by_column.column(j) for j in range(rows.X.shape[1])]
    return pyarrow.Table.from_arrays([*map(pyarrow.array, columns), pyarrow.array(rows.y)], names=_unique(rows))


def _parquet(rows: CheckedRows, file: BinaryIO) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(_table(rows), file)


def _feather(rows: CheckedRows, file: BinaryIO) -> None:
    import pyarrow

    table = _table(rows)
    with pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _npz(rows: CheckedRows, file: BinaryIO) -> None:
    arrays: dict[str, Any] = {"X": rows.X}
    if scipy.sparse.issparse(rows.X):
        arrays = {part: getattr(rows.X, part) for part in ("data", "indices", "indptr", "shape")}
    if rows.names is not None:
        arrays["names"] = np.array(rows.names, dtype=str)
    np.savez_compressed(file, **arrays, y=rows.y)


def _lab(rows: CheckedRows, file: BinaryIO) -> None:
    if rows.X.shape[1] != 2:
        raise DataError(f"a board of the lab has two columns, but X has {rows.X.shape[1]}; choose two of them.")
    file.write(Board.of_rows(dense(rows.X), rows.y, names=rows.names).to_json().encode())


class _KeptOpen:
    """A file that stays open when the compressing stream around it is closed."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush

    def close(self) -> None:
        self.flush()


def _write_text(file: BinaryIO, lines: Iterator[str], compression: str | None) -> None:
    if compression is None:
        for line in lines:
            file.write(line.encode("utf-8"))
        return
    import pyarrow

    with pyarrow.CompressedOutputStream(pyarrow.PythonFile(_KeptOpen(file), mode="w"), compression) as stream:
        for line in lines:
            stream.write(line.encode("utf-8"))


TEXTS: dict[str, Callable[[CheckedRows], Iterator[str]]] = {
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "libsvm": _libsvm,
    "vw": _vw,
    "jsonl": _jsonl,
}
TABLES: dict[str, Callable[[CheckedRows, BinaryIO], None]] = {
    "parquet": _parquet,
    "feather": _feather,
    "npz": _npz,
    "lab": _lab,
}
