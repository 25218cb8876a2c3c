"""Files read block by block.

The first block with rows settles how the columns are read; this holds for all blocks after it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from rosenblatt.base.text_tables.dialect import DELIMITERS, FIND_ALL, Dialect, DialectOptions
from rosenblatt.base.text_tables.header import WHOLE
from rosenblatt.base.text_tables.labels import TextLabels
from rosenblatt.data import validation
from rosenblatt.data.compiled.text import count_lines, number_table
from rosenblatt.data.files.csv_and_arrow import (
    BrokenText,
    Header,
    batches_of,
    header_of,
    refuse_row_as_header,
    table_of_csv,
)
from rosenblatt.data.files.discovery import ColumnOptions, StrayNumberError, discover
from rosenblatt.data.files.encoding import COUNT_FROM_0, Encoding
from rosenblatt.data.files.json_lines import line_by_line, table_of_jsonl
from rosenblatt.data.files.labels import distinct, may_be_rounded
from rosenblatt.data.files.npz import arrays_of
from rosenblatt.data.files.row_lines import RowLines, line_of_table_row
from rosenblatt.data.files.sources import TEXT, Bytes, Place, after_lines, blocks_of_lines, with_dialect
from rosenblatt.data.files.sparse_text import BadRow, ParsedRows, line_of, read_block, shifted, without_rows
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, meant

SPARSE = ("libsvm", "vw")  # formats of sparse text


class Block(NamedTuple):
    """A part of a file that is not parsed yet."""

    place: Place
    content: Any  # lines of text, an Arrow table, or rows of arrays
    before: int  # number of lines (or rows of a table) of the file before this block


@dataclass
class Layout:
    """How the files of a source are read; the first block settles what is None.

    Parameters
    ----------
    target : the column with the labels, by name or number
    column_options : the user's options for the columns of a table
    zero_based : do the columns of LIBSVM text count from 0?
    width : the number of columns of LIBSVM text
    encoding : how the columns of a table become numbers
    text_labels : how the cells of the label column of a text table become labels
    text_options : the user's options for the text of a table
    """

    target: str | int | None = None
    column_options: ColumnOptions = field(default_factory=ColumnOptions)
    zero_based: bool | None = None
    width: int | None = None
    encoding: Encoding | None = None
    text_labels: TextLabels | None = None
    header: Header | None = None
    types: Any = None  # Arrow types of the columns of a table
    kinds: dict[str, str] = field(default_factory=dict)  # of columns of Parquet and Arrow: numbers or booleans
    text_options: DialectOptions = FIND_ALL
    dialect: Dialect | None = None  # how the text of the first file is written

    @property
    def options(self) -> dict[str, Any]:
        """The options of the user, by name."""
        own = {name: getattr(self, name) for name in ("target", "zero_based", "width", "encoding")}
        return own | self.column_options._asdict() | self.text_options._asdict()

    @property
    def decimal(self) -> str:
        """The decimal mark of numbers in words."""
        return "." if self.dialect is None else self.dialect.decimal

    def blocks(self, place: Place, size: int | None) -> Iterator[Block]:
        """Divide a file into blocks of about `size` bytes; None makes one block of a text."""
        if size is None or place.format in TEXT:
            yield from self._blocks_of_text(place, size)
        elif place.format == "npz":
            arrays = arrays_of(place)
            step = max(1, size // max(8 * arrays.X.shape[1], 1))
            for start in range(0, arrays.X.shape[0], step):
                part = arrays._replace(X=arrays.X[start : start + step], y=arrays.y[start : start + step])
                yield Block(place, part, start)
        else:
            done = 0
            for table in batches_of(place, max(1, size // 256)):
                yield Block(place, table, done)
                done += table.num_rows

    def _blocks_of_text(self, place: Place, size: int | None) -> Iterator[Block]:
        before, begun = 0, False
        place = with_dialect(place, self.text_options)
        self.dialect = self.dialect or place.dialect
        for text in blocks_of_lines(place, size):
            if not begun and place.format in ("csv", "tsv"):
                header = header_of(text, place, self.target)
                begun = header is not None
                if header is not None and self.header is not None and header.names != self.header.names:
                    raise DataError(
                        f"{place.name}: its columns {header.names[:8]} differ from those of the first file, "
                        f"{self.header.names[:8]}."
                    )
                left = header.lines if header else int(count_lines(text))
                text, before = text[after_lines(text, left) :], before + left
                self.header = header._replace(lines=before) if header else self.header
            if len(text):
                yield Block(place, text, before)
            if size and place.format not in SPARSE:  # the parser of sparse text counts its lines itself
                before += int(count_lines(text))

    def settle(self, block: Block) -> bool:
        """Settle from this block what is still open; return False if the block has no rows."""
        format = block.place.format  # noqa: A001
        if format == "libsvm" and self.zero_based is None:
            rows, found = read_block(block.content, format, None)
            if len(rows.labels):
                self.zero_based = found.least == 0
            return len(rows.labels) > 0
        if format in (*SPARSE, "npz") or (self.encoding is not None and not self._lacks_labels(format)):
            return True
        table, odd = self.table(block)
        if table.num_rows == 0:
            return False
        if self.encoding is None:
            self.settle_by(table, [(block, table, odd)])
        self.settle_labels([table], format)
        return not self._lacks_labels(format)

    def settle_by(self, table: Any, parts: Sequence[tuple[Block, Any, list[BadRow]]]) -> None:
        """Settle the columns from this table; `parts` are the blocks, tables and other lines that it is made of."""
        names = table.column_names
        if self.encoding is None:
            try:
                refuse_row_as_header(table, self.header)
                self.encoding = discover(table, self._target_name(names), self.column_options, self.decimal)
            except StrayNumberError as error:
                raise DataError(f"{line_of_table_row(parts, error.row)}, {error.args[0]}", error.remedy) from error
            except DataError as error:
                raise error.within(parts[0][0].place.name) from error
        self.types = types_of(self.encoding)
        target = self.encoding.target
        if target in names:
            self.types[target] = table.schema.field(target).type

    def _lacks_labels(self, format: str) -> bool:  # noqa: A002
        """Must it still be settled how the cells of the label column become labels?"""
        there = self.target is not None or self.encoding is None or self.encoding.target is not None
        return format in DELIMITERS and there and self.text_labels is None

    def settle_labels(self, tables: Sequence[Any], format: str) -> None:  # noqa: A002
        """Settle from these text tables how the cells of their label column become labels."""
        if self._lacks_labels(format):
            label = self.label_name(tables[0].column_names)
            cells = [cell for table in tables if label in table.column_names for cell in distinct(table[label])[0]]
            filled = [cell for cell in cells if cell.strip()]
            self.text_labels = TextLabels.found_in(filled, self.decimal) if filled else None

    def label_name(self, names: Sequence[str]) -> str | None:
        """Give the name of the column with the labels; the user's target replaces that of the encoding."""
        if self.encoding is not None and self.target is None:
            return self.encoding.target
        return self._target_name(names)

    def _target_name(self, names: Sequence[str]) -> str:
        if self.header is not None:
            return self.header.names[self.header.target]
        if isinstance(self.target, str) and self.target in names:
            return self.target
        at = -1 if self.target is None else self.target
        if isinstance(at, str) and WHOLE.fullmatch(at) and len(at) < 10:
            at = int(at)
        if not isinstance(at, int) or not -len(names) <= at < len(names):
            there = ", ".join(map(repr, names[:20]))
            raise DataError(f"there is no column {self.target!r}; there are {there}.{meant(self.target, names)}")
        return names[at]

    def read(self, block: Block) -> ParsedRows:
        """Parse a block; lines and rows are numbered from 1 in the file."""
        format = block.place.format  # noqa: A001
        if format not in (*SPARSE, "npz"):
            return self.numbers(block) or self.rows_of(block, *self.table(block))
        try:
            if format in SPARSE:
                rows, _ = read_block(block.content, format, self.column_options.hash_bits)
                if format == "libsvm" and not self.zero_based:
                    rows = counted_from_one(rows)
                if self.width is not None:
                    rows = limited_to_width(rows, self.width, first=0 if self.zero_based else 1)
            else:
                rows = _of_arrays(block.content)
        except DataError as error:
            raise error.within(block.place.name) from error
        return shifted(rows, block.before)

    def numbers(self, block: Block) -> ParsedRows | None:
        """Parse a block of CSV by a compiled function; return None if some cells are not plain numbers."""
        header, encoding = self.header, self.encoding
        if block.place.format not in DELIMITERS or header is None or encoding is None:
            return None
        if self.text_labels is not None and self.text_labels.kind != "number":
            return None
        if any(column.kind != "number" for column in encoding.columns):
            return None
        at = {column.name: j for j, column in enumerate(encoding.columns)}
        wanted = np.array([at.get(name, -1) for name in header.names], np.int64)
        target = header.names.index(encoding.target) if encoding.target in header.names else -1
        lines = int(count_lines(block.content))
        X, labels = np.empty((lines, len(encoding.columns))), np.zeros(lines, np.int64)
        text, dialect = block.content, block.place.dialect
        if dialect.decimal == ",":
            if (text == ord(".")).any() or dialect.delimiter == ",":
                return None
            text = np.where(text == ord(","), np.uint8(ord(".")), text)
        delimiter = ord(dialect.delimiter)
        if len(at) != (wanted >= 0).sum() or number_table(text, delimiter, wanted, target, X, labels) != lines:
            return None
        text = block.content
        return shifted(
            ParsedRows(named(X, encoding.feature_names), labels, [], lambda row: (row + 1, line_of(text, row + 1))),
            block.before,
        )

    def rows_of(self, block: Block, table: Any, odd: list[BadRow]) -> ParsedRows:
        """Encode the table that was made of a block; `odd` are the lines that could not become rows of it."""
        try:
            is_csv = block.place.format in DELIMITERS
            encoding, rule = self._settled_encoding(table), self.text_labels if is_csv else None
            drop = self.column_options.missing == "drop"
            rows = encoding.encode(table, rule, decimal=block.place.dialect.decimal, drop=drop)
        except DataError as error:
            raise error.within(block.place.name) from error
        if block.place.format not in TEXT:
            return shifted(rows, block.before)
        out, count = [trouble.row for trouble in odd], table.num_rows + len(odd)
        places = (
            RowLines(block.content, count, rows_out=out) if is_csv else RowLines(block.content, count, lines_out=out)
        )
        if odd or rows.bad:
            told = [trouble._replace(row=places.of_row(trouble.row)) for trouble in rows.bad]
            told = [trouble._replace(text=places.text(trouble.row)) for trouble in told]
            lines = [t._replace(row=places.of_all(t.row)) for t in odd if t.text.strip()] if is_csv else odd
            rows = rows._replace(bad=sorted(lines + told))

        number = rows.find

        def find(row: int) -> tuple[int, str]:
            line = places.of_row(number(row)[0])
            return line, places.text(line)

        return shifted(rows._replace(find=find), block.before)

    def _settled_encoding(self, table: Any) -> Encoding:
        """Return the encoding; the user's target replaces the target of an encoding that was made for other data."""
        if self.encoding is None:
            raise DataError("the columns of a table are not known before a block with rows was read")
        self.encoding = replace(self.encoding, target=self.label_name(table.column_names))
        return self.encoding

    def bad_lines(self, block: Block, odd: list[BadRow]) -> list[BadRow]:
        """Number the lines of a block that could not become rows of a table by their position in the file."""
        if block.place.format in ("csv", "tsv"):
            places = RowLines(block.content, len(odd))
            odd = [trouble._replace(row=places.of_all(trouble.row)) for trouble in odd if trouble.text.strip()]
        return [trouble._replace(row=trouble.row + block.before) for trouble in odd]

    def _settled_header(self) -> Header:
        if self.header is None:
            raise DataError("the header of a text table is not known before its first line was read")
        return self.header

    def table(self, block: Block) -> tuple[Any, list[BadRow]]:
        """Parse a block to an Arrow table; also give the lines that could not become rows of it."""
        import pyarrow

        if block.place.format not in TEXT:
            for name, n in Counter(block.content.column_names).items():
                if n > 1:
                    raise DataError(f"{block.place.name}: there are {n} columns {name!r}; rename one of them.")
            self._refuse_other_kinds(block)
            return block.content, []
        types = self.types or (types_of(self.encoding) if self.encoding else None)
        try:
            if block.place.format == "jsonl":
                return self._table_of_jsonl(block.content)
            names = self._settled_header().names
            words = [*self.column_options.categories, *filter(None, [self.label_name(names)])]
            types = (types or {}) | dict.fromkeys(words, pyarrow.string())
            return table_of_csv(block.content, block.place.dialect, names, types)
        except BrokenText as error:
            raise error.at(block.place.name, block.before) from error
        except DataError as error:
            raise error.within(block.place.name) from error

    def _refuse_other_kinds(self, block: Block) -> None:
        """Raise if a column holds booleans in this file, and numbers in another file, or the other way round."""
        for column in block.content.schema:
            kind = _number_or_boolean(column.type)
            if kind is not None and self.kinds.setdefault(column.name, kind) != kind:
                raise DataError(
                    f"{block.place.name}, column {column.name!r}: {self.kinds[column.name]} were expected, as in the "
                    f"rows before, but it holds {kind}."
                )

    def _table_of_jsonl(self, text: Bytes) -> tuple[Any, list[BadRow]]:
        """Parse JSON lines; the labels are words if the given classes are, and integers are not rounded to floats."""
        import pyarrow

        others = self.column_options.columns is not None
        schema = None if self.types is None else pyarrow.schema(self.types)  # an encoding alone lacks the labels' type
        table, odd = table_of_jsonl(text, schema, others=others)
        label = self.label_name(table.column_names) if table.num_columns else None
        if label not in table.column_names:
            return table, odd
        kind = table.schema.field(label).type
        if self.text_labels is not None and self.text_labels.kind == "word":
            wanted = pyarrow.string()
        else:
            wanted = pyarrow.int64() if may_be_rounded(table[label]) else kind
        if kind == wanted:
            return table, odd
        at = table.schema.get_field_index(label)
        return line_by_line(text, table.schema.set(at, pyarrow.field(label, wanted)), others=others)


def types_of(encoding: Encoding) -> dict[str, Any]:
    """Give the Arrow types of the columns of a table, without the target."""
    import pyarrow

    kinds = {"number": pyarrow.float64(), "boolean": pyarrow.bool_(), "category": pyarrow.string()}
    return {column.name: kinds[column.kind] for column in encoding.columns}


def _number_or_boolean(kind: Any) -> str | None:
    """Say whether an Arrow type holds numbers or booleans; None for other types."""
    from pyarrow import types

    if types.is_boolean(kind):
        return "booleans"
    return "numbers" if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) else None


def counted_from_one(rows: ParsedRows) -> ParsedRows:
    """Renumber columns that are written from 1 so that they count from 0; rows with a column 0 become bad rows."""
    if len(rows.X.indices) and rows.X.indices.min() == 0:
        zero = np.flatnonzero(rows.X.indices == 0)
        with_zero = np.unique(np.searchsorted(rows.X.indptr, zero, side="right") - 1)
        rows = without_rows(rows, with_zero, ", column 0", "columns were expected to count from 1", COUNT_FROM_0)
    X = rows.X
    X.indices -= 1
    narrower = scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], max(X.shape[1] - 1, 1)))
    return rows._replace(X=narrower)


def limited_to_width(rows: ParsedRows, width: int, first: int) -> ParsedRows:
    """Give X this width; rows with more columns become bad rows. The text calls its first column `first`, 0 or 1."""
    X = rows.X
    if X.shape[1] > width:
        filled = np.flatnonzero(np.diff(X.indptr))
        too_wide = filled[X.indices[X.indptr[filled + 1] - 1] >= width]
        expected = f"at most {width} columns were expected, {first} to {width - 1 + first}"
        rows = without_rows(rows, too_wide, "", expected)
        X = rows.X
    return rows._replace(X=scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width)))


def _of_arrays(arrays: Any) -> ParsedRows:
    X = arrays.X
    return ParsedRows(
        named(validation.points(X), arrays.names), np.asarray(arrays.y), [], lambda row: (row + 1, str(X[row]))
    )
