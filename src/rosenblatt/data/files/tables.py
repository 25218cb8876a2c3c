"""Tables as Arrow's: text with a row a line (CSV, TSV, JSON lines), and Parquet, Arrow and NPZ files."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.header import target_of, two_columns_expected
from rosenblatt.data.compiled.text import survey
from rosenblatt.data.files.sources import LINE_FEED, Bytes, Place
from rosenblatt.data.files.sparse_text import Bad
from rosenblatt.errors import DataError

DELIMITERS = {"csv": ",", "tsv": "\t"}
MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"]
QUOTE = 34
HEAD = 1 << 20  # bytes in which the first line of a table must end


class Broken(DataError):  # noqa: N818  (it is a fact about a text)
    """A text that is no table, from this line on; lines are numbered from 1 in the block."""

    def __init__(self, line: int, trouble: str) -> None:
        super().__init__(trouble)
        self.line = line


class Header(NamedTuple):
    """The names of the columns, which of them is the target, and how many lines come before the first row."""

    names: list[str]
    target: int
    lines: int


def header_of(text: Bytes, place: Place, target: str | int | None) -> Header | None:
    """What the first line of a CSV file says, or (if it has numbers) the names x1, x2, ...; None if all is empty.

    Raises
    ------
    DataError
        There is no such column.
    """
    delimiter, lines = DELIMITERS[place.format], bytes(text[:HEAD]).split(b"\n")
    before = next((k for k, line in enumerate(lines) if line.strip()), None)
    if before is None:
        return None
    try:
        first = [cell.strip() for cell in next(csv.reader([lines[before].decode().rstrip("\r")], delimiter=delimiter))]
    except UnicodeDecodeError as error:
        raise DataError(f"{place.name}, line {before + 1}: it is no UTF-8 text ({error}). Save it as UTF-8.") from error
    except csv.Error as error:
        raise DataError(f"{place.name}, line {before + 1}: it cannot be read: {error}.") from error
    if len(first) < 2:
        raise DataError(f"{place.name}, line {before + 1}: {two_columns_expected(delimiter, first)}")
    at, has_header = target_of(place.name, first, None if target is None else str(target))
    names = [name or f"x{j + 1}" for j, name in enumerate(first)] if has_header else _numbered(len(first))
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise DataError(f"{place.name}: there are {names.count(twice)} columns {twice!r}; rename one of them.")
    return Header(names, at, before + has_header)


def _numbered(width: int) -> list[str]:
    return [f"x{j + 1}" for j in range(width)]


def table_of_csv(
    text: Bytes,
    format: str,  # noqa: A002
    names: Sequence[str],
    types: Any,
    target: str,
) -> tuple[Any, list[Bad]]:
    """The rows of a block of lines, and the lines with another number of columns.

    Columns whose cells are not all of their type stay words, and so do labels that are dates and times.

    Raises
    ------
    DataError
        It is no such text: a quote is not closed in its line, or characters are not UTF-8.
    """
    import pyarrow

    rows, hexadecimal, returns, foreign = survey(text)
    if foreign and not _is_utf8(text):
        line = next(
            k for k, raw in enumerate(bytes(text).split(b"\n"), start=1) if not _is_utf8(np.frombuffer(raw, np.uint8))
        )
        raise Broken(line, "it cannot be read: characters of UTF-8 were expected.")
    if returns:
        line = next(k for k, raw in enumerate(bytes(text).split(b"\n"), start=1) if b"\r" in raw.rstrip(b"\r"))
        raise Broken(line, "a carriage return alone was found; lines must end with a line feed.")
    try:
        table, odd = _parsed(text, format, names, dict.fromkeys(names, pyarrow.string()) if hexadecimal else types)
        if pyarrow.types.is_temporal(table.schema.field(target).type):
            table, odd = _parsed(text, format, names, types | {target: pyarrow.string()})
    except pyarrow.ArrowInvalid:
        hexadecimal = True
        try:
            table, odd = _parsed(text, format, names, dict.fromkeys(names, pyarrow.string()))
        except pyarrow.ArrowInvalid as error:
            raise DataError(f"it cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    if table.num_rows + len(odd) != rows:  # some lines end inside quotes
        if np.count_nonzero(text == QUOTE) % 2:
            line = next(k for k, raw in enumerate(bytes(text).split(b"\n"), start=1) if raw.count(b'"') % 2)
            raise Broken(line, "it cannot be read: a quote is not closed, or (in a stream) not in its own line.")
        kinds = {field.name: field.type for field in table.schema}
        table, odd = _parsed(text, format, names, kinds, lines_in_quotes=True)
    return (_with_types(table, types) if hexadecimal else table), odd


def _is_utf8(text: Bytes) -> bool:
    import pyarrow

    ends = pyarrow.py_buffer(np.array([0, len(text)], np.int64))
    try:
        pyarrow.Array.from_buffers(pyarrow.large_string(), 1, [None, ends, pyarrow.py_buffer(text)]).validate(full=True)
    except pyarrow.ArrowInvalid:
        return False
    return True


def _file_of(text: Bytes) -> Any:
    """The text as a file, in memory of Arrow's own: its threads may let go of it when Python has ended."""
    import pyarrow

    buffer = pyarrow.allocate_buffer(len(text))
    np.frombuffer(buffer, np.uint8)[:] = text
    return pyarrow.BufferReader(buffer)


def _parsed(
    text: Bytes,
    format: str,  # noqa: A002
    names: Sequence[str],
    types: Any,
    *,
    lines_in_quotes: bool = False,
) -> tuple[Any, list[Bad]]:
    from pyarrow import csv as arrow

    odd: list[Any] = []

    def note(row: Any) -> str:
        odd.append(row)
        return "skip"

    def read(threads: bool) -> Any:
        odd.clear()
        return arrow.read_csv(
            _file_of(text),
            read_options=arrow.ReadOptions(column_names=list(names), use_threads=threads),
            parse_options=arrow.ParseOptions(
                delimiter=DELIMITERS[format], invalid_row_handler=note, newlines_in_values=lines_in_quotes
            ),
            convert_options=arrow.ConvertOptions(
                column_types=types, null_values=MISSING, strings_can_be_null=True, quoted_strings_can_be_null=True
            ),
        )

    table = read(True)
    if odd:
        table = read(False)  # in one thread, which counts rows
    told = [
        Bad(row.number, "", f"{row.expected_columns} columns were expected, not {row.actual_columns}", row.text)
        for row in odd
    ]
    return table, told


def _with_types(table: Any, types: Any) -> Any:
    """Bring columns of words to their types, or to whole numbers and numbers, where all words allow it."""
    import pyarrow

    for k, name in enumerate(table.column_names):
        wanted = [types[name]] if name in types else [pyarrow.int64(), pyarrow.float64()]
        words = table[name]
        if pyarrow.compute.any(pyarrow.compute.match_substring_regex(words, "0[xX]")).as_py():
            continue  # Arrow would take hexadecimal numbers for numbers
        for kind in wanted:
            try:
                table = table.set_column(k, name, pyarrow.compute.utf8_trim_whitespace(words).cast(kind))
                break
            except pyarrow.ArrowInvalid:
                continue
    return table


def table_of_jsonl(text: Bytes, schema: Any = None, *, others: bool = False) -> tuple[Any, list[Bad]]:
    """The objects of a block of lines, one a line, and the lines that hold none; `others`: may have other columns."""
    import pyarrow

    rows, *_ = survey(text)
    if not _are_objects(text):
        return _line_by_line(text, schema, others)
    try:
        table = _objects(text, schema, others)
        times = [(field.name, pyarrow.string()) for field in table.schema if pyarrow.types.is_temporal(field.type)]
        if schema is None and times:
            table = _objects(text, pyarrow.schema(times), True).select(table.column_names)
        table.validate(full=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, UnicodeDecodeError):
        return _line_by_line(text, schema, others)
    return (table, []) if table.num_rows == rows else _line_by_line(text, schema, others)


def _objects(text: Bytes, schema: Any, others: bool) -> Any:
    import pyarrow
    from pyarrow import json as arrow

    words = schema is not None and all(pyarrow.types.is_string(field.type) for field in schema) and others
    behaviour = "infer" if schema is None or words else "ignore" if others else "error"
    options = arrow.ParseOptions(explicit_schema=schema, unexpected_field_behavior=behaviour)
    block = arrow.ReadOptions(block_size=max(1 << 20, _longest_line(text) + 1))
    return arrow.read_json(_file_of(text), read_options=block, parse_options=options)


def _are_objects(text: Bytes) -> bool:
    """Does every line that is not empty begin with a brace?"""
    starts = np.concatenate([[0], np.flatnonzero(text == LINE_FEED)[:-1] + 1])
    first = text[starts]
    return bool(((first == ord("{")) | (first == LINE_FEED) | (first == 13)).all())


def _longest_line(text: Bytes) -> int:
    ends = np.flatnonzero(text == LINE_FEED)
    return int(np.diff(ends, prepend=-1).max(initial=1))


def _line_by_line(text: Bytes, schema: Any, others: bool) -> tuple[Any, list[Bad]]:
    """The same where a line cannot be read, to find out which."""
    import pyarrow

    good, bad, kinds = list[dict[str, Any]](), list[Bad](), dict[str, str]()
    for number, raw in enumerate(bytes(text).split(b"\n")[:-1], start=1):
        line = raw.decode("utf-8", "replace").strip()
        if not line:
            continue
        try:
            row = json.loads(raw.decode())
        except UnicodeDecodeError:
            bad.append(Bad(number, "", "characters of UTF-8 were expected", line))
            continue
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
            bad.append(Bad(number, "", f"a JSON object was expected, but {said}", line))
            continue
        trouble = _trouble(row, schema, others) or (_other_kind(row, kinds) if schema is None else None)
        if trouble:
            bad.append(Bad(number, *trouble, line))
        else:
            good.append(row)
    names = list(dict.fromkeys(name for row in good for name in row)) if schema is None else schema.names
    rows = [{name: row.get(name) for name in names} for row in good]
    return pyarrow.Table.from_pylist(rows, schema=schema), bad


def _trouble(row: Any, schema: Any, others: bool) -> tuple[str, str] | None:
    """Where, and what, is wrong with an object."""
    import pyarrow

    if not isinstance(row, dict):
        return "", f"a JSON object was expected, not {type(row).__name__}"
    for name, value in row.items():
        where = f", column {name!r}"
        if isinstance(value, dict | list):
            return where, f"a number, a boolean or a word was expected, not {type(value).__name__}"
        try:
            f"{name}{value}".encode()
            if schema is not None and name in schema.names:
                pyarrow.array([value], type=schema.field(name).type)
            else:
                pyarrow.array([value])
        except UnicodeEncodeError:
            return where.encode(errors="replace").decode(), "characters of UTF-8 were expected"
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            kind = schema.field(name).type if schema is not None and name in schema.names else "int64"
            return where, f"a value of type {kind} was expected, not {value!r:.40}"
        if schema is not None and name not in schema.names and not others:
            return where, f"one of the columns {', '.join(schema.names[:12])} was expected"
    return None


def _other_kind(row: dict[str, Any], kinds: dict[str, str]) -> tuple[str, str] | None:
    """Is a value of another kind than the first one of its column?"""
    for name, value in row.items():
        if value is not None:
            kind = "boolean" if isinstance(value, bool) else "word" if isinstance(value, str) else "number"
            if kinds.setdefault(name, kind) != kind:
                return f", column {name!r}", f"a {kinds[name]} was expected, as in the rows before, not {value!r:.40}"
    return None


def batches_of(place: Place, rows: int) -> Iterator[Any]:
    """A Parquet or Arrow file as tables of about so many rows.

    Raises
    ------
    DataError
        It is no such file.
    """
    import pyarrow

    try:
        with place.open_at_once() as file:
            for batch in _batches(file, place.format, rows):
                table = pyarrow.Table.from_batches([batch])
                table.validate(full=True)  # what comes from a damaged file could be anywhere in memory
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


class Arrays(NamedTuple):
    """What an NPZ file holds."""

    X: Any
    y: Any
    names: list[str] | None


def arrays_of(place: Place) -> Arrays:
    """The arrays X and y (or, sparse, data, indices, indptr, shape and y) of an NPZ file, and names if there are any.

    Raises
    ------
    DataError
        It is no such file, or lacks them; or holds Python objects, which are never loaded.
    """
    import zipfile
    import zlib

    import scipy.sparse

    try:
        with place.open_at_once() as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError) as error:
        raise _not_npz(place, error) from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError) as error:
        raise _not_npz(place, error) from error
    sparse = {"data", "indices", "indptr", "shape"} <= set(arrays)
    if "y" not in arrays or not (sparse or "X" in arrays):
        there = ", ".join(arrays) or "nothing"
        raise DataError(
            f"{place.name}: arrays X and y were expected (or data, indices, indptr, shape and y), not {there}."
        )
    X: Any = arrays.get("X")
    y = arrays["y"]
    if sparse:
        try:
            shape = tuple(int(size) for size in arrays["shape"].ravel())
            X = scipy.sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise DataError(f"{place.name}: its arrays are no CSR matrix: {error}.") from error
    if X.ndim != 2 or y.ndim != 1 or len(y) != X.shape[0] or X.dtype.kind not in "biuf":
        raise DataError(
            f"{place.name}: X must be a table of numbers and y hold a label for each row; their shapes are {X.shape} "
            f"and {y.shape}."
        )
    names = [str(name) for name in arrays["names"].ravel()] if "names" in arrays else None
    return Arrays(X, y, names if names is not None and len(names) == X.shape[1] else None)


def _not_npz(place: Place, error: Exception) -> DataError:
    said = str(error).splitlines()[0].rstrip(".") if str(error) else "it is damaged"
    return DataError(f"{place.name}: it cannot be read as npz: {said}.")
