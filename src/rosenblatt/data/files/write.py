"""Writing of labelled rows to a file; `read` gives the same numbers to the last bit, the same names and labels.

=========================  ===========================================================================================
.csv, .tsv                 text with a header; the label is the last column, named "label"
.svm, .libsvm              LIBSVM text: `label column:number ...`, columns from 1; labels are whole numbers
.vw                        Vowpal Wabbit text: `label | name:number ...`; two classes are -1 and 1, more are 1 to k
.jsonl                     a JSON object for each row; the label is the last entry, named "label"
.parquet, .feather, .arrow Apache Parquet and Arrow tables; the label is the last column, named "label"
.npz                       NumPy arrays X (sparse: data, indices, indptr, shape), y and names
.json                      a board of the lab: two columns, at most 2,000 rows and 6 classes; -0.0 becomes 0
=========================  ===========================================================================================

Text files may end with .gz or .zst as well, and are then compressed. LIBSVM text has no names, and the names in Vowpal
Wabbit text are read as hashed columns; both leave zeros out. What `read` could not bring back is refused.
"""

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import numpy as np
import scipy.sparse

from rosenblatt.base.argument_types import FilePath, LabelsLike, TableLike
from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.parameters import OneOf
from rosenblatt.base.text_tables.lines import MAX_LINE_BYTES
from rosenblatt.data.files import sources
from rosenblatt.data.files.lab_board import Board
from rosenblatt.data.files.rows_to_write import (
    RowsToWrite,
    full_header,
    is_minus_zero,
    rows_to_write,
    vw_names,
    writable,
)
from rosenblatt.errors import DataError, ParameterError, abridged

Format = Literal["csv", "tsv", "libsvm", "vw", "jsonl", "parquet", "feather", "npz", "lab"]
ENDINGS = {  # reading calls the format "arrow" that writing calls "feather"
    ending: "feather" if kind == "arrow" else kind
    for ending, kind in sources.ENDINGS.items()
    if ending not in sources.READ_ONLY_ENDINGS
}
COMPRESSIONS = {
    ending: kind for ending, kind in sources.COMPRESSIONS.items() if ending not in sources.READ_ONLY_ENDINGS
}


def write(
    X: TableLike,
    y: LabelsLike,
    path: FilePath,
    *,
    feature_names: Sequence[str] | None = None,
    format: Format | None = None,  # noqa: A002
) -> None:
    """Write labelled rows to a file. An existing file, of whatever kind, is replaced as a whole, or not at all.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        Finite numbers. Floats are written with as many digits as are needed to read the same bits; floats that are
        whole numbers are written as integers.
    y : array of shape (n,)
        The labels: strings, booleans or whole numbers; an .npz file holds other floats, too.
    path : str or path
        The file to write. Its ending tells the format. A text with .gz or .zst after that is compressed.
    feature_names : list of str, optional
        The names of the columns. If not given, the names of X, or x1, x2, ...
    format : {"csv", "tsv", "libsvm", "vw", "jsonl", "parquet", "feather", "npz", "lab"}, optional
        The format; see `read`, which calls "feather" by the name "arrow". Give it if the path does not tell the format,
        as for /dev/stdout.

    Raises
    ------
    DataError
        The file cannot be written, or `read` could not bring these numbers, labels or names back from this format.
        Nothing is written then.
    ParameterError
        There is no such format.

    See Also
    --------
    read : Reads the file.
    save : Saves a fitted model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import write
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "and.csv"
    >>> write([[0.5, 1], [1, 0.1]], ["no", "yes"], path, feature_names=["a", "b"])
    >>> path.read_text().splitlines()
    ['a,b,label', '0.5,1,no', '1,0.1,yes']
    """
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"path must be a path, not {abridged(path)}; the order is write(X, y, path).")
    kind, compression = _format(Path(path), format)
    rows = rows_to_write(X, y, feature_names)
    try:
        if kind == "libsvm" and feature_names is not None:
            raise DataError("in LIBSVM's format columns have no names; leave feature_names out.")
        rows = writable(rows, kind)
    except DataError as error:
        raise error.within(os.fspath(path)) from error
    with replacing(path) as file:
        try:
            if kind in TABLES:
                TABLES[kind](rows, file)
            else:
                _write_text(file, TEXTS[kind](rows), compression)
        except DataError as error:
            raise error.within(os.fspath(path)) from error


def _format(path: Path, given: str | None) -> tuple[str, str | None]:
    """Give the format, and the compression of a text."""
    ending, compression = path.suffix.lower(), COMPRESSIONS.get(path.suffix.lower())
    if compression:
        ending = path.with_suffix("").suffix.lower()
    if given is None and ending not in ENDINGS:
        more = "; a text may end with .gz or .zst after that"
        raise DataError(f"{path}: expected a file that ends with {', '.join(ENDINGS)}{more}. Or name the format.")
    known = OneOf(*get_args(Format))
    if given is not None and not known.allows(given):
        nearest = known.nearest(given)
        hint = f"; did you mean {nearest!r}?" if nearest else "."
        raise ParameterError(f"must be {known}, not {given!r}{hint}", "format")
    kind = given or ENDINGS[ending]
    if compression and kind in TABLES:
        raise DataError(f"{path}: only text is compressed with {path.suffix}; leave {path.suffix} out.")
    return kind, compression


def _digits(number: Any) -> str:
    """Write a number so that reading gives the same bits: whole numbers as integers; -0.0 keeps its sign."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53 and not is_minus_zero(number):
        return str(int(number))
    return repr(number)


def _separated(delimiter: str) -> Callable[[RowsToWrite], Iterator[str]]:
    def lines(rows: RowsToWrite) -> Iterator[str]:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        cells = ([*map(_digits, row), label] for row, label in zip(rows.dense(), rows.y.tolist(), strict=True))
        for line in chain([full_header(rows)], cells):
            writer.writerow(line)
            yield text.getvalue()
            text.seek(0)
            text.truncate()

    return lines


def _libsvm(rows: RowsToWrite) -> Iterator[str]:
    last = rows.X.shape[1] - 1
    seen = any(line and line[-1][0] == last for line in rows.sparse())
    for i, (line, label) in enumerate(zip(rows.sparse(), rows.y.tolist(), strict=True)):
        if i == 0 and not seen:
            line.append((last, 0))  # a reader knows only the columns that occur
        yield " ".join([str(label), *(f"{j + 1}:{_digits(number)}" for j, number in line)]) + "\n"


def _vw(rows: RowsToWrite) -> Iterator[str]:
    names = vw_names(rows.header)
    for line, label in zip(rows.sparse(), rows.y.tolist(), strict=True):
        yield " ".join([f"{label} |", *(f"{names[j]}:{_digits(number)}" for j, number in line)]) + "\n"


def _jsonl(rows: RowsToWrite) -> Iterator[str]:
    keys = [json.dumps(name) for name in full_header(rows)]
    for row, label in zip(rows.dense(), rows.y.tolist(), strict=True):
        cells = [*map(_digits, row), json.dumps(label)]
        yield "{" + ", ".join(f"{key}: {cell}" for key, cell in zip(keys, cells, strict=True)) + "}\n"


def _table(rows: RowsToWrite) -> Any:
    import pyarrow

    by_column = rows._replace(X=rows.X.tocsc()) if scipy.sparse.issparse(rows.X) else rows
    columns = [by_column.column(j) for j in range(rows.X.shape[1])]
    return pyarrow.Table.from_arrays([*map(pyarrow.array, columns), pyarrow.array(rows.y)], names=full_header(rows))


def _parquet(rows: RowsToWrite, file: BinaryIO) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(_table(rows), file)


def _feather(rows: RowsToWrite, file: BinaryIO) -> None:
    import pyarrow

    table = _table(rows)
    with pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _npz(rows: RowsToWrite, file: BinaryIO) -> None:
    arrays: dict[str, Any] = {"X": rows.X}
    if scipy.sparse.issparse(rows.X):
        arrays = {part: getattr(rows.X, part) for part in ("data", "indices", "indptr", "shape")}
    if rows.names is not None:
        arrays["names"] = np.array(rows.names, dtype=str)
    np.savez_compressed(file, **arrays, y=rows.y)


def _lab(rows: RowsToWrite, file: BinaryIO) -> None:
    if rows.X.shape[1] != 2:
        raise DataError(f"a board of the lab has two columns, but X has {rows.X.shape[1]}; choose two of them.")
    file.write(Board.of_rows(rows.array(), rows.y, names=rows.names).to_json().encode())


class _KeptOpen:
    """A file that stays open when the compressing stream around it is closed."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.write, self.flush = file.write, file.flush

    def close(self) -> None:
        self.flush()


def _write_text(file: BinaryIO, lines: Iterator[str], compression: str | None) -> None:
    if compression is None:
        file.writelines(_encoded(lines))
        return
    import pyarrow

    with pyarrow.CompressedOutputStream(pyarrow.PythonFile(_KeptOpen(file), mode="w"), compression) as stream:
        for line in _encoded(lines):
            stream.write(line)


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    """Encode lines as UTF-8; raise if one is longer than `read` takes."""
    for line in lines:
        encoded = line.encode("utf-8")
        if len(encoded) > MAX_LINE_BYTES:
            raise DataError(
                f"a line of it would take more than {MAX_LINE_BYTES:,} bytes, the most that is read from text. Write "
                "Parquet, Arrow or NPZ."
            )
        yield encoded


TEXTS: dict[str, Callable[[RowsToWrite], Iterator[str]]] = {
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "libsvm": _libsvm,
    "vw": _vw,
    "jsonl": _jsonl,
}
TABLES: dict[str, Callable[[RowsToWrite, BinaryIO], None]] = {
    "parquet": _parquet,
    "feather": _feather,
    "npz": _npz,
    "lab": _lab,
}
