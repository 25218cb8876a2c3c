"""Files block by block: what is read first settles how columns are read, and holds for all that follow."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt import data, parameters
from rosenblatt.chunks import as_wide
from rosenblatt.encoding import Encoding, Wishes, discover
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.kernels.sparse_text import count_lines
from rosenblatt.named import named
from rosenblatt.sources import LINE_FEED, TEXT, Bytes, Place, blocks_of_lines
from rosenblatt.sparse_reading import Bad, Rows, line_of, read_block
from rosenblatt.table_reading import Header, arrays_of, batches_of, header_of, table_of_csv, table_of_jsonl

SPARSE = ("libsvm", "vw")


class Block(NamedTuple):
    """A part of a file, not read yet."""

    place: Place
    content: Any  # lines of text, an Arrow table, or rows of arrays
    before: int  # lines that were left out before it


@dataclass
class Layout:
    """How the files of a source are read; what is None is settled by the first block.

    Parameters
    ----------
    target : the column with the labels, by name or number
    wishes : what the user says of the columns of a table
    zero_based : are the columns of LIBSVM's text numbered from 0?
    width : how many columns that text has
    encoding : of a table's columns
    """

    target: str | int | None = None
    wishes: Wishes = field(default_factory=Wishes)
    zero_based: bool | None = None
    width: int | None = None
    encoding: Encoding | None = None
    header: Header | None = None
    types: Any = None  # of a table's columns, as Arrow has them

    def check(self, format: str) -> None:  # noqa: A002
        """Do the options fit the format?

        Raises
        ------
        ParameterError
            One does not.
        """
        wishes, sparse = self.wishes, format in SPARSE
        bits = wishes.hash_bits
        if bits is not None and not (parameters.Integer(1).allows(bits) and bits <= 31):
            raise ParameterError(f"hash_bits must be an integer from 1 to 31, not {bits!r}.")
        if sparse and (self.target is not None or wishes.columns is not None or wishes.categories):
            raise ParameterError(
                f"{format} text has its label first and numbers its columns; leave target= and columns= out."
            )
        if format == "libsvm" and bits is not None:
            raise ParameterError(
                "hash_bits is for categories and for Vowpal Wabbit's names; LIBSVM's columns are numbers."
            )
        for name, given in (("zero_based", self.zero_based), ("width", self.width)):
            if format != "libsvm" and given is not None:
                raise ParameterError(f"{name} is for LIBSVM's format, not for {format}.")
        if self.width is not None and not parameters.Integer(1).allows(self.width):
            raise ParameterError(f"width must be an integer of at least 1, not {self.width!r}.")
        fill = wishes.fill
        if isinstance(fill, Mapping):
            fill = next((number for number in fill.values() if not parameters.Number().allows(number)), None)
        if not (fill is None or fill == "mean" or parameters.Number().allows(fill)):
            raise ParameterError(f"fill must be a finite number, 'mean', or numbers by column, not {fill!r}.")

    def blocks(self, place: Place, size: int | None) -> Iterator[Block]:
        """The file in blocks of about so many bytes; text as one block if None."""
        if size is None or place.format in TEXT:
            yield from self._blocks_of_text(place, size)
        elif place.format == "npz":
            arrays = arrays_of(place)
            step = max(1, size // max(8 * arrays.X.shape[1], 1)) if arrays.X.ndim == 2 else 1
            for start in range(0, arrays.X.shape[0], step):
                part = arrays._replace(X=arrays.X[start : start + step], y=arrays.y[start : start + step])
                yield Block(place, part, start)
        else:
            done = 0
            for table in batches_of(place, max(1, size // 256)):
                yield Block(place, table, done)
                done += table.num_rows

    def _blocks_of_text(self, place: Place, size: int | None) -> Iterator[Block]:
        before = 0
        for number, text in enumerate(blocks_of_lines(place, size)):
            if number == 0 and place.format in ("csv", "tsv"):
                header = header_of(text, place, self.target)
                if self.header is not None and header.names != self.header.names:
                    raise DataError(
                        f"{place.name}: its columns {header.names[:8]} are not those of the first file, "
                        f"{self.header.names[:8]}."
                    )
                self.header = header
                text = _without_lines(text, header.lines)
                before = header.lines
            if len(text):
                yield Block(place, text, before)
            before += int(count_lines(text)) if size else 0

    def settle(self, block: Block) -> None:
        """Let this block say what is not settled yet."""
        format = block.place.format  # noqa: A001
        if format == "libsvm" and self.zero_based is None:
            _, found = read_block(block.content, format, None)
            self.zero_based = found.least == 0
        elif format not in (*SPARSE, "npz") and self.encoding is None:
            self.settle_by(self.table(block)[0], block.place)

    def settle_by(self, table: Any, place: Place) -> None:
        """Let this table say what its columns are."""
        import pyarrow

        names = table.column_names
        if self.encoding is None:
            try:
                self.encoding = discover(table, self._target_name(names), self.wishes)
            except DataError as error:
                raise DataError(f"{place.name}: {error}") from error
        kinds = {"number": pyarrow.float64(), "boolean": pyarrow.bool_(), "category": pyarrow.string()}
        self.types = {column.name: kinds[column.kind] for column in self.encoding.columns}
        target = self.encoding.target
        if target in names:
            self.types[target] = table.schema.field(target).type

    def _target_name(self, names: Sequence[str]) -> str:
        if self.header is not None:
            return self.header.names[self.header.target]
        if isinstance(self.target, str) and self.target in names:
            return self.target
        at = -1 if self.target is None else self.target
        if isinstance(at, str) and at.lstrip("+-").isdigit():
            at = int(at)
        if not isinstance(at, int) or not -len(names) <= at < len(names):
            there = ", ".join(map(repr, names[:20]))
            raise DataError(f"there is no column {self.target!r}; there are {there}.")
        return names[at]

    def read(self, block: Block) -> Rows:
        """The rows of a block, and those that cannot be used, which are numbered from 1 in the file."""
        format = block.place.format  # noqa: A001
        try:
            if format in SPARSE:
                rows, _ = read_block(block.content, format, self.wishes.hash_bits)
                if format == "libsvm" and not self.zero_based:
                    rows = _from_one(rows)
                if self.width is not None:
                    rows = within(rows, self.width)
            elif format == "npz":
                rows = _of_arrays(block.content)
            else:
                return self.rows_of(block, *self.table(block))
        except DataError as error:
            raise DataError(f"{block.place.name}: {error}") from error
        return _numbered(rows, block)

    def rows_of(self, block: Block, table: Any, odd: list[Bad]) -> Rows:
        """The rows of a table that a block was made into, `odd` lines left out."""
        assert self.encoding is not None  # noqa: S101
        try:
            rows = self.encoding.encode(table)
        except DataError as error:
            raise DataError(f"{block.place.name}: {error}") from error
        if block.place.format not in TEXT:
            return _numbered(rows, block)
        lines = _lines_with_text(block.content) if odd or rows.bad else None  # some may be empty, or were left out
        if lines is not None:
            if block.place.format in ("csv", "tsv"):
                odd = [trouble._replace(row=int(lines[trouble.row - 1])) for trouble in odd]
            lines = np.setdiff1d(lines, [trouble.row for trouble in odd])
            told = odd + [trouble._replace(row=int(lines[trouble.row - 1])) for trouble in rows.bad]
            rows = rows._replace(bad=sorted(told))

        def find(row: int) -> tuple[int, str]:
            there = _lines_with_text(block.content) if lines is None else lines
            line = int(there[rows.find(row)[0] - 1])
            return line, line_of(block.content, line)

        return _numbered(rows._replace(find=find), block)

    def table(self, block: Block) -> tuple[Any, list[Bad]]:
        """A block as an Arrow table, and the lines that are no rows of it."""
        import pyarrow

        if block.place.format not in TEXT:
            return block.content, []
        if block.place.format == "jsonl":
            schema = pyarrow.schema(self.types) if self.types else None
            try:
                return table_of_jsonl(block.content, schema, others=self.wishes.columns is not None)
            except DataError as error:
                raise DataError(f"{block.place.name}: {error}") from error
        assert self.header is not None  # noqa: S101
        names, format = self.header.names, block.place.format  # noqa: A001
        types = self.types or dict.fromkeys(self.wishes.categories, pyarrow.string())
        try:
            return table_of_csv(block.content, format, names, types)
        except pyarrow.ArrowInvalid as error:
            try:
                table, odd = table_of_csv(block.content, format, names, dict.fromkeys(names, pyarrow.string()))
            except pyarrow.ArrowInvalid:
                said = str(error).splitlines()[0].rstrip(".")
                raise DataError(f"{block.place.name}: it cannot be read: {said}.") from error
            return _with_types(table, types), odd


def _with_types(table: Any, types: Mapping[str, Any]) -> Any:
    """Bring columns of words to their types, where all words allow it."""
    import pyarrow

    for k, name in enumerate(table.column_names):
        try:
            if name in types:
                table = table.set_column(k, name, table[name].cast(types[name]))
        except pyarrow.ArrowInvalid:
            continue
    return table


def _numbered(rows: Rows, block: Block) -> Rows:
    """The same, rows numbered in the file."""

    def find(row: int) -> tuple[int, str]:
        number, text = rows.find(row)
        return number + block.before, text

    bad = [trouble._replace(row=trouble.row + block.before) for trouble in rows.bad]
    return rows._replace(bad=bad, find=find)


def _lines_with_text(text: Bytes) -> NDArray[np.int64]:
    """The numbers, from 1, of the lines that are not empty."""
    ends = np.flatnonzero(text == LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    empty = (ends == starts) | ((ends == starts + 1) & (text[np.maximum(ends - 1, 0)] == 13))
    return np.flatnonzero(~empty) + 1


def _without_lines(text: Bytes, lines: int) -> Bytes:
    if lines == 0:
        return text
    ends = np.flatnonzero(text[: min(len(text), 1 << 24)] == LINE_FEED)
    return text[ends[lines - 1] + 1 :] if len(ends) >= lines else text[len(text) :]


def _from_one(rows: Rows) -> Rows:
    """Columns numbered from 0 that are written from 1."""
    X = rows.X
    if len(X.indices) and X.indices.min() == 0:
        zero = np.flatnonzero(X.indices == 0)
        row = int(np.searchsorted(X.indptr, zero[0], side="right"))
        raise DataError(
            f"row {row} has a column 0, but the rows before had columns from 1. Give zero_based=True if columns count "
            "from 0."
        )
    X.indices -= 1
    narrower = scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], max(X.shape[1] - 1, 1)))
    return rows._replace(X=narrower)


def within(rows: Rows, width: int, unused: int = 0) -> Rows:
    """Those rows that have no columns beyond so many, not counting the first that are unused."""
    X, width = rows.X, width + unused
    if X.shape[1] <= width:
        return rows._replace(X=as_wide(X, width))
    filled = np.flatnonzero(np.diff(X.indptr))
    last = X.indices[X.indptr[filled + 1] - 1]
    strange = filled[last >= width]
    bad = [
        Bad(line, "", f"at most {width - unused} columns were expected, as width= says", text)
        for row in strange.tolist()
        for line, text in [rows.find(row)]
    ]
    keep = np.setdiff1d(np.arange(X.shape[0]), strange)
    kept = X[keep]
    kept = scipy.sparse.csr_array((kept.data, kept.indices, kept.indptr), shape=(len(keep), width))
    return Rows(kept, rows.labels[keep], sorted(rows.bad + bad), lambda row: rows.find(int(keep[row])))


def _of_arrays(arrays: Any) -> Rows:
    X, y = arrays.X, np.asarray(arrays.y)
    if X.ndim != 2 or y.ndim != 1 or len(y) != X.shape[0] or X.dtype.kind not in "biuf":
        raise DataError(
            f"X must be a table of numbers and y hold a label for each row; their shapes are {X.shape} and {y.shape}."
        )
    names = arrays.names if arrays.names is not None and len(arrays.names) == X.shape[1] else None
    return Rows(named(data.points(X), names), y, [], lambda row: (row + 1, str(X[row])))


def cores() -> int:
    """How many blocks can be read at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
