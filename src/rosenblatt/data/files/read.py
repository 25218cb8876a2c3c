"""Reading of labelled rows from files into memory."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.events import has_listener, megabytes, report_progress
from rosenblatt.base.text_tables.dialect import Decimal, Dialect, DialectOptions
from rosenblatt.base.words import count_of
from rosenblatt.data.files.blocks import SPARSE, Block, Layout
from rosenblatt.data.files.csv_and_arrow import Header
from rosenblatt.data.files.discovery import ColumnOptions
from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.files.options import Missing, check_options, only_missing
from rosenblatt.data.files.sources import TEXT, Format, Place, Source, places
from rosenblatt.data.files.sparse_text import HASH_BITS, BadRow, ParsedRows, shifted
from rosenblatt.data.large.cores import cores
from rosenblatt.data.matrices import GrowingArray, stacked
from rosenblatt.data.named_arrays import named
from rosenblatt.data.validation import Matrix
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy

CHUNK_BYTES = 1 << 24  # bytes of text that are read at a time
SAMPLE_BYTES = 1 << 20  # bytes at the beginning of a table that tell whether all its cells are numbers
OnError = Literal["stop", "skip"]


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Rows and labels that were read from files. It unpacks to X, y, as in `model.fit(*data)`.

    Attributes
    ----------
    X : array of shape (n, d), or sparse matrix
        The rows; a CSR matrix for sparse text, hashed categories or many categories. It has `columns` if the columns
        have names.
    y : array of shape (n,)
        The labels: integers, booleans or strings.
    encoding : Encoding, optional
        How the columns of a table became numbers; None for sparse text. `read(..., encoding=data.encoding)` encodes
        another table the same way.
    skipped : int
        The number of rows that could not be used, or were left out because they have gaps.
    zero_based : bool, optional
        True if the columns of the LIBSVM text count from 0; None for other formats. Another text for the same model is
        read by `read(..., zero_based=data.zero_based, width=data.X.shape[1])`.
    dropped : int
        How many of the skipped rows have gaps and were left out because of `missing="drop"`.
    dialect : Dialect, optional
        How the text of a table is written: its `delimiter`, its `decimal` mark and the `encoding` of its characters, as
        given or as found; None for other formats.

    See Also
    --------
    read : Returns one of these.
    Stream : Rows that are read in chunks, for files larger than memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rain.jsonl"
    >>> _ = path.write_text('{"humid": 0.9, "rain": true}\\n{"humid": 0.2, "rain": false}\\n')
    >>> data = read(path)
    >>> print(data.feature_names, data.y.tolist(), data.skipped)
    ['humid'] [True, False] 0
    """

    X: Matrix
    y: NDArray[Any]
    encoding: Encoding | None = None
    skipped: int = 0
    zero_based: bool | None = None
    dropped: int = 0
    dialect: Dialect | None = None

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns; None if they have none."""
        return getattr(self.X, "columns", None)

    def __iter__(self) -> Iterator[Any]:
        yield self.X
        yield self.y

    def __repr__(self) -> str:
        n, d = self.X.shape
        size = f"{count_of(n, 'row')} x {count_of(d, 'column')}, {count_of(len(np.unique(self.y)), 'class')}"
        return f"<Data: {size}{f', {self.skipped:,} skipped' if self.skipped else ''}>"


def read(
    source: Source,
    target: str | int | None = None,
    *,
    format: Format | None = None,  # noqa: A002
    columns: Sequence[str | int] | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[str]] = (),
    hash_bits: int | None = None,
    missing: float | Missing | Mapping[str, float | Missing] | None = None,
    fill: float | Missing | Mapping[str, float | Missing] | None = None,
    delimiter: str | None = None,
    decimal: Decimal | None = None,
    text_encoding: str | None = None,
    zero_based: bool | None = None,
    width: int | None = None,
    encoding: Encoding | None = None,
    on_error: OnError = "stop",
    filesystem: Any = None,
) -> Data:
    """Read labelled rows from files.

    Parameters
    ----------
    source : str, path, list of them, or open file
        A path, a pattern such as `part-*.csv`, "-" for standard input, or a URI that pyarrow knows.
    target : str or int, optional
        The column with the labels, by name or by number from 0; the last column if not given. Sparse text has its
        label first, and needs no target.
    format : {"csv", "tsv", "parquet", "arrow", "jsonl", "libsvm", "vw", "npz", "lab"}, optional
        If not given, the ending of the name tells it. Text may be compressed with gzip or zstd.

        - "csv": a table as text, with commas, semicolons, tabs or bars.
        - "tsv": a table as text, with tabs.
        - "parquet": a table in a Parquet file.
        - "arrow": a table in an Arrow file, which is also called Feather.
        - "jsonl": a table with one JSON object a line.
        - "libsvm": the sparse text of LIBSVM.
        - "vw": the sparse text of Vowpal Wabbit.
        - "npz": arrays of numpy.
        - "lab": a board that the lab saved (.json).
    columns : list of str or int, optional
        The columns to learn from, by name or number; all but the target if not given.
    categories : list of str, or dict, optional
        Columns that hold categories although their values are numbers. A dict also gives the values of each column.
    hash_bits : int, optional
        Hash all categories into 2^hash_bits columns, instead of making a column for each value. In Vowpal Wabbit text
        all names are hashed, by the hash function of Vowpal Wabbit, into 2^18 columns by default.
    missing : float, dict, or {"drop", "mean", "most_frequent", "level"}, optional
        What to do about missing values, also by column, as a dict. If not given, a missing value is an error, as a
        missing label is always, except with "drop".

        - "drop": leave out rows that have a missing value or label.
        - "mean": the mean of the numbers of the column; a missing category becomes a level of its own.
        - "most_frequent": the most frequent value of the column, and the least of several such numbers or words.
        - "level": a missing category becomes a level of its own, `colour=missing`; a missing number is an error.
        - a number: it replaces missing numbers. A missing category then sets none of its columns.
    fill : float, dict, or str, optional
        An older name of `missing`.
    delimiter : str, optional
        The character between two cells of a text table, also as "comma", "semicolon", "tab", "pipe" or "space". If not
        given, it is found from the first lines.
    decimal : {".", ","}, optional
        The decimal mark of numbers in a text table. If not given, it is found from the first lines.

        - ".": as in 1.5.
        - ",": as in 1,5.
    text_encoding : str, optional
        How the characters of a text table are encoded, as Python calls it: "latin-1", "cp1252", "utf-16". If not given,
        it is found: UTF-8, UTF-16 with or without byte order mark, or Windows-1252, which has all letters of Latin-1.
    zero_based : bool, optional
        Do the columns of LIBSVM text count from 0?  If not given, they do if there is a column 0; with `width`, only
        the first rows are looked at. Give it for every file after the one that a model was trained on, because a file
        in which column 0 does not occur would be read with its columns shifted by one; the second example shows how.
    width : int, optional
        The number of columns of LIBSVM text. Give it if the last columns may not occur. A row with more columns cannot
        be used. If not given, the largest column number tells it.
    encoding : Encoding, optional
        The encoding of other data; the columns are encoded the same way. If `target` is given, it replaces the target
        of the encoding.
    on_error : {"stop", "skip"}, default="stop"
        What happens to a row that cannot be used.

        - "stop": an error is raised.
        - "skip": the row is counted, and the others are read.
    filesystem : pyarrow.fs.FileSystem, optional
        The file system that holds the files.

    Returns
    -------
    Data
        The rows and labels. Each number is the float nearest to the decimal in the file.

    Raises
    ------
    DataError
        Something cannot be read. The message names the file, the line or row, the column, and what was expected.

    See Also
    --------
    write : Writes rows so that `read` brings them back.
    Stream : Reads files larger than memory in chunks.
    datasets.load : Loads built-in data.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import Perceptron, read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = path.write_text("cholesterol,age,ill\\nnormal,40,no\\nnormal,50,no\\nabnormal,60,yes\\n")
    >>> data = read(path, target="ill")
    >>> print(data.feature_names, data.X.tolist())
    ['cholesterol=abnormal', 'cholesterol=normal', 'age'] [[0.0, 1.0, 40.0], [0.0, 1.0, 50.0], [1.0, 0.0, 60.0]]

    Another LIBSVM file for the same model is read with the base and the width of the first:

    >>> _ = path.with_name("train.svm").write_text("-1 0:1\\n1 1:1\\n")
    >>> _ = path.with_name("later.svm").write_text("1 1:2\\n")
    >>> train = read(path.with_name("train.svm"))
    >>> later = read(path.with_name("later.svm"), zero_based=train.zero_based, width=train.X.shape[1])
    >>> print(train.zero_based, later.X.toarray().tolist(), Perceptron().fit(*train).predict(later.X))
    True [[0.0, 2.0]] [1]
    """
    if on_error not in get_args(OnError):
        raise ParameterError(f"on_error must be 'stop' or 'skip', not {on_error!r}.")
    files = places(source, format, filesystem)
    kind = files[0].format
    column_options = ColumnOptions(columns, categories, hash_bits, only_missing(missing, fill))
    layout = Layout(target, column_options, zero_based, width, encoding)
    layout.text_options = DialectOptions(delimiter, decimal, text_encoding)
    check_options(layout.options, kind)
    if kind in SPARSE:
        return _read_sparse(files, layout, on_error)
    parts = (
        _read_arrays(files, layout) if kind == "npz" else _read_numbers(files, layout) or _read_tables(files, layout)
    )
    return _joined(list(_checked(parts, on_error)), files[0], layout)


def _blocks(files: Sequence[Place], layout: Layout, size: int | None) -> Iterator[Block]:
    """Give the blocks of all files, and report before each how much has been read."""
    for place in files:
        total = place.size if has_listener() and place.format in TEXT and not place.compression else None
        read, what = 0, f"reading {PurePath(place.name).name}"
        for block in layout.blocks(place, size):
            report_progress(what, read, total, megabytes(read, total))
            yield block
            read += getattr(block.content, "nbytes", 0)


def _read_sparse(files: Sequence[Place], layout: Layout, on_error: str) -> Data:
    """Read sparse text block by block.

    If it is not known whether columns count from 0, they keep their numbers until the end, when the smallest is known.
    """
    blocks = _blocks(files, layout, CHUNK_BYTES)
    if layout.width is not None and layout.zero_based is None:
        first = list(islice(blocks, 1))
        layout.zero_based = bool(first) and layout.settle(first[0]) and layout.zero_based
        blocks = chain(first, blocks)
    given, skipped, least, width = layout.zero_based, 0, 1, 1
    layout.zero_based = given is not False
    arrays: list[GrowingArray] = []
    for place, part in read_ahead(blocks, layout.read):
        if part.bad and on_error == "stop":
            raise refusal(place, part.bad[0])
        X, skipped, width = part.X, skipped + len(part.bad), max(width, part.X.shape[1])
        least = min(least, int(X.indices.min(initial=1)))
        pieces = [X.data, X.indices, np.diff(X.indptr), part.labels]
        if not arrays:
            arrays = [GrowingArray(piece, _expected(files, len(piece))) for piece in pieces]
        else:
            for array, piece in zip(arrays, pieces, strict=True):
                array.add(piece)
    if not arrays or not len(arrays[3].whole):
        raise no_rows(files[0], skipped)
    data, indices, counts, labels = (array.whole for array in arrays)
    if files[0].format == "vw":
        width = 2 ** (layout.column_options.hash_bits or HASH_BITS)
    elif given is None and least > 0:
        layout.zero_based, width = False, max(width - 1, 1)
        indices -= 1
    kind = np.int32 if len(data) < 2**31 else np.int64
    indptr = np.zeros(len(counts) + 1, kind)
    np.cumsum(counts, out=indptr[1:])
    X = scipy.sparse.csr_array((data, indices.astype(kind, copy=False), indptr), shape=(len(counts), width))
    return Data(X, labels, None, skipped, layout.zero_based if files[0].format == "libsvm" else None)


def _expected(files: Sequence[Place], first: int) -> int:
    """Estimate the length of an array of which the first block has `first` entries."""
    total = sum((place.size or 0) * (4 if place.compression else 1) for place in files)
    return int(first * max(1.0, total / CHUNK_BYTES) * 1.02) + 1000


def no_rows(place: Place, skipped: int, header: Header | None = None) -> DataError:
    """Make the error for files without rows that can be used."""
    first, why = "", "; the file is empty" if place.size == 0 else ""
    if skipped:
        why = f"; {count_of(skipped, 'row')} could not be used"
    elif header is not None and header.lines:
        first, why = "a header but ", f"; line {header.lines} was taken for the header"
    return DataError(f"{place.name}: it has {first}no rows{why}.")


def _read_arrays(files: Sequence[Place], layout: Layout) -> Iterator[tuple[Place, ParsedRows]]:
    width = None
    for block in _blocks(files, layout, CHUNK_BYTES):
        part = layout.read(block)
        width = part.X.shape[1] if width is None else width
        if part.X.shape[1] != width:
            raise DataError(
                f"{block.place.name}: {width} columns were expected, as in {files[0].name}, not {part.X.shape[1]}."
            )
        yield block.place, part


def _read_numbers(files: Sequence[Place], layout: Layout) -> list[tuple[Place, ParsedRows]] | None:
    """Read CSV files by a compiled function; return None if a cell is not a plain number, so that Arrow must read."""
    if files[0].format not in ("csv", "tsv") or not all(place.can_be_read_again for place in files):
        return None
    options = layout.column_options
    needs_all_rows = isinstance(options.missing, str | Mapping) and options.missing != "drop"
    if layout.encoding is not None or options.categories or needs_all_rows:
        return None
    trial, parts = replace(layout), list[tuple[Place, ParsedRows]]()
    try:
        first = next(trial.blocks(files[0], SAMPLE_BYTES), None)
        if first is None or not trial.settle(first):
            return None
        for place, part in read_ahead(_blocks(files, trial, CHUNK_BYTES), trial.numbers):
            if part is None:
                return None
            parts.append((place, part))
    except DataError:
        return None
    layout.encoding, layout.dialect = trial.encoding, trial.dialect
    return parts


def _read_tables(files: Sequence[Place], layout: Layout) -> Iterator[tuple[Place, ParsedRows]]:
    """Read tables by Arrow; the categories are those of all rows of all files."""
    import pyarrow

    blocks = list(_blocks(files, layout, None if files[0].format in TEXT else CHUNK_BYTES))
    if not blocks:
        raise no_rows(files[0], 0, layout.header)
    tables = [layout.table(block) for block in blocks]
    if not any(table.num_rows for table, _ in tables):
        for block, (_, odd) in zip(blocks, tables, strict=True):
            yield (
                block.place,
                ParsedRows(np.empty((0, 1)), np.empty(0), layout.bad_lines(block, odd), lambda row: (row, "")),
            )
        return
    if layout.encoding is None:
        try:
            filled = [table for table, _ in tables if table.num_rows]
            whole = pyarrow.concat_tables(filled, promote_options="permissive")
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
            raise DataError(f"{files[0].name}: {str(error).splitlines()[0].rstrip('.')}.") from error
        _refuse_empty_target(whole, layout, files[0])
        layout.settle_by(whole, [(b, *part) for b, part in zip(blocks, tables, strict=True) if part[0].num_rows])
    layout.settle_labels([table for table, _ in tables if table.num_rows], files[0].format)
    for block, (table, odd) in zip(blocks, tables, strict=True):
        yield block.place, layout.rows_of(block, table, odd)


def _refuse_empty_target(table: Any, layout: Layout, place: Place) -> None:
    """Raise if no row has a label; a delimiter at the end of each line makes such a column."""
    if layout.header is None:  # it is no CSV file
        return
    name = layout.header.names[layout.header.target]
    if table[name].null_count == table.num_rows:
        raise DataError(
            f"{place.name}: column {name!r} is the target, but it has no value.",
            Remedy("Name the column with the labels by {target}, and the columns to learn from by {columns}."),
        )


def read_ahead(blocks: Iterable[Block], read_one: Callable[[Block], Any]) -> Iterator[tuple[Place, Any]]:
    """Parse several blocks at a time, and give them in order; line numbers count through each file."""
    many, waiting, lines = cores(), deque[Any](), Counter[str]()

    def done() -> tuple[Place, Any]:
        place, future = waiting.popleft()
        part = future.result()
        if part is None or not part.length:
            return place, part
        before = lines[place.name]
        lines[place.name] += part.length
        return place, shifted(part, before)

    with ThreadPoolExecutor(many) as pool:
        for block in blocks:
            waiting.append((block.place, pool.submit(read_one, block)))
            if len(waiting) > many:
                yield done()
        while waiting:
            yield done()


def _checked(parts: Iterable[tuple[Place, ParsedRows]], on_error: str) -> Iterator[ParsedRows]:
    for place, part in parts:
        if part.bad and on_error == "stop":
            raise refusal(place, part.bad[0])
        yield part


def refusal(place: Place, bad: BadRow) -> DataError:
    """Make the error that names the file and the line, and says what is wrong with the row."""
    row = "line" if place.format in TEXT else "row"
    return DataError(f"{place.name}, {row} {bad.row}{bad.where}: {bad.trouble}.", bad.remedy)


def _joined(parts: Sequence[ParsedRows], place: Place, layout: Layout) -> Data:
    dropped = sum(part.dropped for part in parts)
    skipped = sum(len(part.bad) for part in parts) + dropped
    filled = [part for part in parts if len(part.labels)]
    if not filled:
        raise no_rows(place, skipped, layout.header)
    if len(filled) == 1:
        X, labels = filled[0].X, filled[0].labels
        return Data(X, labels, layout.encoding, skipped, dropped=dropped, dialect=layout.dialect)
    other = next((part for part in filled if part.labels.dtype.kind != filled[0].labels.dtype.kind), None)
    if other is not None:
        one, two = (part.labels[0].item() for part in (filled[0], other))
        raise DataError(f"{place.name}: labels of one type were expected in all files, not {one!r} and {two!r}.")
    matrices, names = [part.X for part in filled], getattr(filled[0].X, "columns", None)
    X = named(stacked(matrices), names)
    labels = np.concatenate([part.labels for part in filled])
    return Data(X, labels, layout.encoding, skipped, dropped=dropped, dialect=layout.dialect)
