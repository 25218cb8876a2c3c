"""Labelled rows from files of any format, all at once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.blocks import SPARSE, Block, Layout, cores, from_one, within
from rosenblatt.encoding import Encoding, Wishes
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.named import named
from rosenblatt.reading_options import check_options
from rosenblatt.sources import TEXT, Place, places
from rosenblatt.sparse_reading import Bad, Rows

CHUNK = 1 << 24  # bytes of text that are read at a time
ON_ERROR = ("stop", "skip")


@dataclass(frozen=True, eq=False)
class Data:
    """Rows and labels that were read; iterates as X, y, so that `model.fit(*data)` does what it says.

    Attributes
    ----------
    X : array, or CSR matrix for sparse text, hashed categories and many of them; it has `columns` if they have names
    y : labels, whole numbers, booleans or words
    encoding : how the columns of a table became numbers, None for sparse text; `read(..., encoding=)` does the same
    skipped : how many rows could not be used

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rain.jsonl"
    >>> _ = path.write_text('{"humid": 0.9, "rain": true}\\n{"humid": 0.2, "rain": false}\\n')
    >>> data = read(path)
    >>> print(data.names, data.y.tolist(), data.skipped)
    ['humid'] [True, False] 0
    """

    X: Any
    y: NDArray[Any]
    encoding: Encoding | None = None
    skipped: int = 0

    @property
    def names(self) -> list[str] | None:
        """Of the columns, if they have names."""
        return getattr(self.X, "columns", None)

    def __iter__(self) -> Iterator[Any]:
        yield self.X
        yield self.y


def read(
    source: Any,
    target: str | int | None = None,
    *,
    format: str | None = None,  # noqa: A002
    columns: Sequence[str | int] | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[str]] = (),
    hash_bits: int | None = None,
    fill: float | str | Mapping[str, float] | None = None,
    zero_based: bool | None = None,
    width: int | None = None,
    encoding: Encoding | None = None,
    on_error: str = "stop",
    filesystem: Any = None,
) -> Data:
    """Read labelled rows from files.

    Parameters
    ----------
    source : path, pattern such as "part-*.csv", list of them, "-" for standard input, or an address that pyarrow knows
    target : the column with the labels, by name or number from 0; the last if not given. Sparse text has its own
    format : "csv", "tsv", "parquet", "arrow", "jsonl", "libsvm", "vw" or "npz"; by the end of the name if not given
        Text may be compressed: .gz, .zst.
    columns : those to learn from, by name or number; all but the target if not given
    categories : columns that hold categories although their values are numbers; with a dict, their values too
    hash_bits : put all categories into 2^hash_bits columns by a hash, instead of a column for each value. Of Vowpal
        Wabbit's text, all names are hashed (by its own hash), into 2^18 columns by default
    fill : a number, or one by column, for what is missing, or "mean"; a missing category then is none of them. Without
        it, what is missing is an error
    zero_based : does LIBSVM's text count columns from 0?  None: if there is a column 0
    width : how many columns LIBSVM's text has, as in other data, though the last may not occur in this; a row with more
        cannot be used. None: as many as there are
    encoding : that of other data, whose columns these are to become
    on_error : "stop" at a row that cannot be used, or "skip" it and count
    filesystem : of pyarrow, that has the files

    Returns
    -------
    Data
        Numbers are the floats nearest to what is written.

    Raises
    ------
    DataError
        Something cannot be read; the message names the file, the line or row, the column, and what was expected.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import Perceptron, read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = path.write_text("cholesterol,age,ill\\nnormal,40,no\\nnormal,50,no\\nabnormal,60,yes\\n")
    >>> data = read(path, target="ill")
    >>> print(data.names, data.X.tolist())
    ['cholesterol=abnormal', 'cholesterol=normal', 'age'] [[0.0, 1.0, 40.0], [0.0, 1.0, 50.0], [1.0, 0.0, 60.0]]
    """
    if on_error not in ON_ERROR:
        raise ParameterError(f"on_error must be 'stop' or 'skip', not {on_error!r}.")
    files = places(source, format, filesystem)
    kind = files[0].format
    layout = Layout(target, Wishes(columns, categories, hash_bits, fill), zero_based, width, encoding)
    check_options(layout.options, kind)
    if kind in SPARSE or kind == "npz":
        parts = _read_in_parts(files, layout)
    else:
        parts = _read_tables(files, layout)
    return _joined(list(_checked(parts, on_error)), files[0], layout)


def _read_in_parts(files: Sequence[Place], layout: Layout) -> Iterator[tuple[Place, Rows]]:
    """Sparse text and arrays, which need no look at the whole; columns as they are written, at first."""
    given, width, layout.zero_based, layout.width = layout.zero_based, layout.width, True, None
    blocks = (block for place in files for block in layout.blocks(place, CHUNK))
    parts = list(read_ahead(blocks, layout.read))
    if files[0].format == "libsvm":
        layout.zero_based, layout.width = given, width
        if given is None:
            layout.zero_based = any(part.X.indices.min(initial=1) == 0 for _, part in parts)
        for place, part in parts:
            counted = part if layout.zero_based else from_one(part)
            yield place, counted if width is None else within(counted, width)
        return
    for place, part in parts:
        if place.format == "npz" and part.X.shape[1] != parts[0][1].X.shape[1]:
            raise DataError(
                f"{place.name}: {parts[0][1].X.shape[1]} columns were expected, as in {files[0].name}, not "
                f"{part.X.shape[1]}."
            )
        yield place, part


def _read_tables(files: Sequence[Place], layout: Layout) -> Iterator[tuple[Place, Rows]]:
    """Tables, whose categories are those of all rows."""
    import pyarrow

    blocks = [block for place in files for block in layout.blocks(place, None if place.format in TEXT else CHUNK)]
    if not blocks:
        header = "a header but " if layout.header is not None and layout.header.lines else ""
        raise DataError(f"{files[0].name}: it has {header}no rows.")
    tables = [layout.table(block) for block in blocks]
    if not any(table.num_rows for table, _ in tables):
        for block, (_, odd) in zip(blocks, tables, strict=True):
            yield block.place, Rows(np.empty((0, 1)), np.empty(0), layout.told(block, odd), lambda row: (row, ""))
        return
    if layout.encoding is None:
        try:
            filled = [table for table, _ in tables if table.num_rows]
            whole = pyarrow.concat_tables(filled, promote_options="permissive")
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
            raise DataError(f"{files[0].name}: {str(error).splitlines()[0].rstrip('.')}.") from error
        layout.settle_by(whole, files[0])
    for block, (table, odd) in zip(blocks, tables, strict=True):
        yield block.place, layout.rows_of(block, table, odd)


def read_ahead(blocks: Iterable[Block], read_one: Callable[[Block], Rows]) -> Iterator[tuple[Place, Rows]]:
    """Read blocks in order, several at a time."""
    many, waiting = cores(), deque[Any]()
    with ThreadPoolExecutor(many) as pool:
        for block in blocks:
            waiting.append((block.place, pool.submit(read_one, block)))
            if len(waiting) > many:
                place, part = waiting.popleft()
                yield place, part.result()
        while waiting:
            place, part = waiting.popleft()
            yield place, part.result()


def _checked(parts: Iterable[tuple[Place, Rows]], on_error: str) -> Iterator[Rows]:
    for place, part in parts:
        if part.bad and on_error == "stop":
            raise refusal(place, part.bad[0])
        yield part


def refusal(place: Place, bad: Bad) -> DataError:
    """The error that says what is wrong with a row."""
    row = "line" if place.format in ("csv", "tsv", "jsonl", "libsvm", "vw") else "row"
    return DataError(f"{place.name}, {row} {bad.row}{bad.where}: {bad.trouble}.")


def _joined(parts: Sequence[Rows], place: Place, layout: Layout) -> Data:
    skipped = sum(len(part.bad) for part in parts)
    n = sum(len(part.labels) for part in parts)
    if n == 0:
        left = f"; {skipped} rows could not be used" if skipped else ""
        raise DataError(f"{place.name}: it has no rows{left}.")
    names = getattr(parts[0].X, "columns", None)
    labels = np.concatenate([part.labels for part in parts])
    if place.format in SPARSE:
        X = _stacked([part.X for part in parts], place.format, layout)
    elif len(parts) == 1:
        X = parts[0].X
    else:
        matrices = [part.X for part in parts if part.X.shape[0]]
        sparse = scipy.sparse.issparse(matrices[0])
        X = named(scipy.sparse.vstack(matrices, format="csr") if sparse else np.concatenate(matrices), names)
    return Data(X, labels, layout.encoding, skipped)


def _stacked(parts: Sequence[Any], format: str, layout: Layout) -> Any:  # noqa: A002
    """One matrix of all parts, as wide as the widest, or as hashing makes it."""
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    ends = np.cumsum([0] + [part.nnz for part in parts])
    kind = np.int32 if ends[-1] < 2**31 else np.int64
    indptr = np.concatenate(
        [[0], *(part.indptr[1:].astype(kind) + kind(end) for part, end in zip(parts, ends[:-1], strict=True))]
    ).astype(kind)
    if format == "vw":
        width = 2 ** (layout.wishes.hash_bits or 18)
    else:
        width = max(part.shape[1] for part in parts)
    if kind is np.int64:
        indices = indices.astype(np.int64)
    return scipy.sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, width))
