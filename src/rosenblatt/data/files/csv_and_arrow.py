"""Parsing of CSV, TSV, Parquet and Arrow files to Arrow tables."""

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.text_tables.dialect import Dialect
from rosenblatt.base.text_tables.gaps import MISSING_CELLS
from rosenblatt.base.text_tables.header import column_names, number_in, one_column_only, target_of, wrong_length
from rosenblatt.data.compiled.text import survey
from rosenblatt.data.files.sources import Bytes, Place, after_lines, longest_line
from rosenblatt.data.files.sparse_text import BadRow
from rosenblatt.errors import DataError
from rosenblatt.errors.remedy import Remedy

NOT_UTF8 = Remedy("Say how its characters are encoded, for example {text_encoding}.", text_encoding="latin-1")
QUOTE = 34
MIN_ARROW_BLOCK, MAX_ARROW_BLOCK = 1 << 20, (1 << 31) - 1  # bytes that Arrow parses at a time; a row must fit


class BrokenText(DataError):  # noqa: N818  (it describes a text)
    """The text is not a table from this line on; lines are numbered from 1 in the block."""

    def __init__(self, line: int, trouble: str, remedy: Remedy | None = None) -> None:
        super().__init__(trouble, remedy)
        self.line = line

    def at(self, place: str, lines_before: int) -> DataError:
        """The error with the file and the line in the file."""
        return DataError(f"{place}, line {self.line + lines_before}: {self.args[0]}", self.remedy)


class Header(NamedTuple):
    """The columns of a CSV file."""

    names: list[str]
    target: int  # the number of the target column
    lines: int  # the number of lines before the first row


def header_of(text: Bytes, place: Place, target: str | int | None) -> Header | None:
    """Read the header line of a CSV file; None if the text has empty lines only.

    If the first line holds numbers, there is no header, and the columns are named x1, x2, ...

    Raises
    ------
    DataError
        There is no such column, or two columns have one name.
    """
    dialect = place.dialect
    before, line = next(((k, line) for k, line in enumerate(_lines_of(text)) if line.strip()), (0, b""))
    if not line:
        return None
    where = f"{place.name}, line {before + 1}"
    try:
        cells = next(csv.reader([line.decode().rstrip("\r")], delimiter=dialect.delimiter))
        first = [cell.strip() for cell in cells]
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: it is not UTF-8 ({error}).", NOT_UTF8) from error
    except csv.Error as error:
        raise DataError(f"{where}: it cannot be read: {error}.") from error
    if len(first) < 2:
        raise one_column_only(where, dialect.delimiter, first)
    at, has_header = target_of(place.name, first, None if target is None else str(target), dialect.decimal)
    return Header(column_names(where, first, has_header=has_header), at, before + has_header)


def refuse_row_as_header(table: Any, header: Header | None) -> None:
    """Raise if each name of a column is a value of the column too: then the header seems to be a row."""
    from pyarrow import compute, types

    if header is None or not header.lines or not all(types.is_string(column.type) for column in table.columns):
        return
    for name in table.column_names:
        if not compute.any(compute.equal(compute.utf8_trim_whitespace(table[name]), name)).as_py():
            return
    raise DataError(
        f"line {header.lines} was taken for the header, but each of its cells is a value of its column too, so it "
        "seems to be a row. Write a line of names before it; or, if it is a header that is repeated below, delete "
        "the copies."
    )


def _lines_of(text: Bytes) -> Iterator[bytes]:
    start = 0
    while start < len(text):
        end = after_lines(text[start:], 1) + start
        yield text[start : end - 1].tobytes()
        start = end


def table_of_csv(
    text: Bytes,
    dialect: Dialect,
    names: list[str],
    types: Any,
) -> tuple[Any, list[BadRow]]:
    """Parse a block of lines to an Arrow table; also give the lines with a wrong number of columns.

    A column with a cell that is not of the column's type stays a column of words.

    Raises
    ------
    DataError
        The text is not CSV: a quote is not closed in its line, or characters are not UTF-8.
    """
    import pyarrow

    rows, hexadecimal, foreign = survey(text)
    if foreign and not _is_utf8(text):
        line = _first_line(text, lambda raw: not _is_utf8(np.frombuffer(raw, np.uint8)))
        raise BrokenText(line, "it cannot be read: characters of UTF-8 were expected.", NOT_UTF8)
    words = dict.fromkeys(names, pyarrow.string())
    try:
        table, odd = _parsed(text, dialect, names, words if hexadecimal else types)
    except pyarrow.ArrowInvalid:
        hexadecimal = True
        try:
            table, odd = _parsed(text, dialect, names, words)
        except pyarrow.ArrowInvalid:  # a line may end inside quotes
            table, odd = _parsed_with_lines_in_quotes(text, dialect, names, words)
    if table.num_rows + len(odd) != rows:  # some lines end inside quotes
        if np.count_nonzero(text == QUOTE) % 2:
            line = _first_line(text, lambda raw: bool(raw.count(b'"') % 2))
            raise BrokenText(line, "it cannot be read: a quote is not closed, or (in a stream) not in its own line.")
        kinds = {field.name: field.type for field in table.schema}
        table, odd = _parsed_with_lines_in_quotes(text, dialect, names, kinds)
    table = _with_spaced_gaps(table)
    return (_with_types(table, types, dialect.decimal) if hexadecimal else table), odd


def _first_line(text: Bytes, is_wrong: Callable[[bytes], bool]) -> int:
    return next(k for k, raw in enumerate(bytes(text).split(b"\n"), start=1) if is_wrong(raw))


def _is_utf8(text: Bytes) -> bool:
    import pyarrow

    ends = pyarrow.py_buffer(np.array([0, len(text)], np.int64))
    try:
        pyarrow.Array.from_buffers(pyarrow.large_string(), 1, [None, ends, pyarrow.py_buffer(text)]).validate(full=True)
    except pyarrow.ArrowInvalid:
        return False
    return True


def arrow_file(text: Bytes) -> Any:
    """Copy the text to memory that Arrow owns: Arrow's threads may free it after Python has ended."""
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(text))
    np.frombuffer(buffer, np.uint8)[:] = text
    return pyarrow.BufferReader(buffer)


def arrow_block(text: Bytes) -> int:
    """Give the number of bytes that Arrow is to parse at a time, so that each line fits."""
    return max(MIN_ARROW_BLOCK, longest_line(text) + 1)


def _parsed(
    text: Bytes,
    dialect: Dialect,
    names: Sequence[str],
    types: Any,
    *,
    lines_in_quotes: bool = False,
) -> tuple[Any, list[BadRow]]:
    from pyarrow import csv as arrow

    odd: list[Any] = []

    def note(row: Any) -> str:
        odd.append(row)
        return "skip"

    block_size = len(text) if lines_in_quotes else arrow_block(text)

    def read(threads: bool) -> Any:
        odd.clear()
        return arrow.read_csv(
            arrow_file(text),
            read_options=arrow.ReadOptions(
                column_names=list(names), use_threads=threads, block_size=min(block_size, MAX_ARROW_BLOCK)
            ),
            parse_options=arrow.ParseOptions(
                delimiter=dialect.delimiter, invalid_row_handler=note, newlines_in_values=lines_in_quotes
            ),
            convert_options=arrow.ConvertOptions(
                column_types=types,
                null_values=MISSING_CELLS,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                decimal_point=dialect.decimal,
            ),
        )

    table = read(True)
    if odd:
        table = read(False)  # Arrow numbers the rows only if it reads in one thread
    told = [BadRow(row.number, "", wrong_length(row.expected_columns, row.actual_columns), row.text) for row in odd]
    return table, told


def _parsed_with_lines_in_quotes(
    text: Bytes, dialect: Dialect, names: Sequence[str], types: Any
) -> tuple[Any, list[BadRow]]:
    import pyarrow

    try:
        return _parsed(text, dialect, names, types, lines_in_quotes=True)
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"it cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error


def _with_spaced_gaps(table: Any) -> Any:
    """Make cells missing that stand for a missing value between spaces, or hold spaces only; Arrow takes the others."""
    import pyarrow
    from pyarrow import compute, types

    stand_ins = pyarrow.array(MISSING_CELLS)
    for k, name in enumerate(table.column_names):
        if types.is_string(table[name].type):
            is_gap = compute.is_in(compute.utf8_trim_whitespace(table[name]), value_set=stand_ins)
            if compute.sum(is_gap).as_py():
                table = table.set_column(k, name, compute.if_else(is_gap, None, table[name]))
    return table


def _with_types(table: Any, types: Any, decimal: str) -> Any:
    """Convert columns of words to their types, or to integers or floats, where all words of the column allow it."""
    import pyarrow

    for k, name in enumerate(table.column_names):
        wanted = [types[name]] if name in types else [pyarrow.int64(), pyarrow.float64()]
        if wanted == [pyarrow.string()]:
            continue
        words = table[name]
        if pyarrow.compute.any(pyarrow.compute.match_substring_regex(words, "0[xX]")).as_py():
            continue  # Arrow would read hexadecimal words as numbers
        if decimal == ",":
            words = _with_points(words)
        for kind in wanted:
            try:
                table = table.set_column(k, name, pyarrow.compute.utf8_trim_whitespace(words).cast(kind))
                break
            except pyarrow.ArrowInvalid:
                continue
    return table


def _with_points(words: Any) -> Any:
    """Write numbers with a decimal comma with a point; if a word is no such number, the words stay as they are."""
    from pyarrow import compute

    found = words.unique().drop_null().to_pylist()
    if any(number_in(word.strip(), ",") is None for word in found):
        return words
    return compute.replace_substring(words, ",", ".")


def batches_of(place: Place, rows: int) -> Iterator[Any]:
    """Read a Parquet or Arrow file as Arrow tables of at most `rows` rows.

    Raises
    ------
    DataError
        The file has another format, or is damaged.
    """
    import pyarrow

    try:
        with place.open_at_once() as file:
            for batch in _batches(file, place.format, rows):
                table = pyarrow.Table.from_batches([batch])
                table.validate(full=True)  # offsets in a damaged file could point anywhere in memory
                yield table
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        said = getattr(error, "strerror", None) or (str(error).splitlines() or ["it is damaged"])[0].rstrip(".")
        raise DataError(f"{place.name}: it cannot be read as {place.format}: {said}.") from error


def _batches(file: Any, format: str, rows: int) -> Iterator[Any]:  # noqa: A002
    import pyarrow
    from pyarrow import parquet

    if format == "parquet":
        yield from parquet.ParquetFile(file).iter_batches(batch_size=rows)
        return
    magic = file.read(6)
    file.seek(0)
    reader = pyarrow.ipc.open_file(file) if magic == b"ARROW1" else pyarrow.ipc.open_stream(file)
    count = getattr(reader, "num_record_batches", None)
    for batch in (reader.get_batch(k) for k in range(count)) if count is not None else iter(reader):
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)
