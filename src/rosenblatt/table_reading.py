"""Tables as Arrow's: text with a row a line (CSV, TSV, JSON lines), and Parquet, Arrow and NPZ files."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.reading import target_of
from rosenblatt.sources import LINE_FEED, Bytes, Place
from rosenblatt.sparse_reading import Bad

DELIMITERS = {"csv": ",", "tsv": "\t"}
MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"]
HEAD = 1 << 20  # bytes in which the first line of a table must end


class Header(NamedTuple):
    """The names of the columns, which of them is the target, and how many lines come before the first row."""

    names: list[str]
    target: int
    lines: int


def header_of(text: Bytes, place: Place, target: str | int | None) -> Header:
    """What the first line of a CSV file says, or (if it has numbers) the names x1, x2, ...

    Raises
    ------
    DataError
        There is no row, or no such column.
    """
    delimiter, head = DELIMITERS[place.format], bytes(text[:HEAD])
    try:
        lines = head.decode("utf-8", "ignore" if len(text) > HEAD else "strict").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{place.name}: it cannot be read: {error}.") from error
    before = next((k for k, line in enumerate(lines) if line.strip()), None)
    if before is None:
        raise DataError(f"{place.name}: it has no rows.")
    first = [cell.strip() for cell in next(csv.reader([lines[before]], delimiter=delimiter))]
    if len(first) < 2:
        raise DataError(
            f"{place.name}, line {before + 1}: at least two columns were expected, separated by {delimiter!r}."
        )
    at, has_header = target_of(place.name, first, None if target is None else str(target))
    names = [name or f"x{j + 1}" for j, name in enumerate(first)] if has_header else _numbered(len(first))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{place.name}: there are {names.count(twice)} columns {twice!r}; rename one of them.")
    return Header(names, at, before + has_header)


def _numbered(width: int) -> list[str]:
    return [f"x{j + 1}" for j in range(width)]


def table_of_csv(text: Bytes, format: str, names: Sequence[str], types: Any = None) -> tuple[Any, list[Bad]]:  # noqa: A002
    """The rows of a block of lines, and the lines with another number of columns.

    Raises
    ------
    pyarrow.ArrowInvalid
        A cell is not of its type.
    """
    import pyarrow
    from pyarrow import csv as arrow

    odd: list[Any] = []

    def note(row: Any) -> str:
        odd.append(row)
        return "skip"

    def read(threads: bool) -> Any:
        odd.clear()
        return arrow.read_csv(
            pyarrow.BufferReader(pyarrow.py_buffer(text)),
            read_options=arrow.ReadOptions(column_names=list(names), use_threads=threads),
            parse_options=arrow.ParseOptions(delimiter=DELIMITERS[format], invalid_row_handler=note),
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


def table_of_jsonl(text: Bytes, schema: Any = None, *, others: bool = False) -> tuple[Any, list[Bad]]:
    """The objects of a block of lines, one a line, and the lines that hold none; `others`: may have other columns."""
    import pyarrow
    from pyarrow import json as arrow

    behaviour = "infer" if schema is None else "ignore" if others else "error"
    options = arrow.ParseOptions(explicit_schema=schema, unexpected_field_behavior=behaviour)
    block = arrow.ReadOptions(block_size=max(1 << 20, _longest_line(text) + 1))
    try:
        source = pyarrow.BufferReader(pyarrow.py_buffer(text))
        return arrow.read_json(source, read_options=block, parse_options=options), []
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        return _line_by_line(text, schema, others)


def _longest_line(text: Bytes) -> int:
    ends = np.flatnonzero(text == LINE_FEED)
    return int(np.diff(ends, prepend=-1).max(initial=1))


def _line_by_line(text: Bytes, schema: Any, others: bool) -> tuple[Any, list[Bad]]:
    """The same where a line cannot be read, to find out which."""
    import pyarrow

    good, bad = list[dict[str, Any]](), list[Bad]()
    for number, raw in enumerate(bytes(text).split(b"\n")[:-1], start=1):
        line = raw.decode("utf-8", "replace").strip()
        if not line:
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
            bad.append(Bad(number, "", f"a JSON object was expected, but {said}", line))
            continue
        trouble = _trouble(row, schema, others)
        if trouble:
            bad.append(Bad(number, *trouble, line))
        else:
            good.append(row)
    try:
        return pyarrow.Table.from_pylist(good, schema=schema), bad
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError) as error:
        raise DataError(f"the values of one column must be of one kind: {str(error).splitlines()[0]}.") from error


def _trouble(row: Any, schema: Any, others: bool) -> tuple[str, str] | None:
    """Where, and what, is wrong with an object."""
    import pyarrow

    if not isinstance(row, dict):
        return "", f"a JSON object was expected, not {type(row).__name__}"
    for name, value in row.items():
        if schema is None:
            if isinstance(value, dict | list):
                return f", column {name!r}", f"a number, a boolean or a word was expected, not {type(value).__name__}"
            continue
        if name not in schema.names:
            if others:
                continue
            return f", column {name!r}", f"one of the columns {', '.join(schema.names[:12])} was expected"
        try:
            pyarrow.array([value], type=schema.field(name).type)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            return f", column {name!r}", f"a value of type {schema.field(name).type} was expected, not {value!r:.40}"
    return None


def batches_of(place: Place, rows: int) -> Iterator[Any]:
    """A Parquet or Arrow file as tables of about so many rows.

    Raises
    ------
    DataError
        It is no such file.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        with place.open_at_once() as file:
            if place.format == "parquet":
                for batch in parquet.ParquetFile(file).iter_batches(batch_size=rows):
                    yield pyarrow.Table.from_batches([batch])
                return
            magic = file.read(6)
            file.seek(0)
            reader = pyarrow.ipc.open_file(file) if magic == b"ARROW1" else pyarrow.ipc.open_stream(file)
            count = getattr(reader, "num_record_batches", None)
            parts = (reader.get_batch(k) for k in range(count)) if count is not None else iter(reader)
            for batch in parts:
                for start in range(0, batch.num_rows, rows):
                    yield pyarrow.Table.from_batches([batch.slice(start, rows)])
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, OSError) as error:
        said = getattr(error, "strerror", None) or str(error).splitlines()[0].rstrip(".")
        raise DataError(f"{place.name}: it cannot be read as {place.format}: {said}.") from error


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

    import scipy.sparse

    try:
        with place.open_at_once() as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        said = str(error).splitlines()[0].rstrip(".") if str(error) else "it is broken"
        raise DataError(f"{place.name}: it cannot be read as npz: {said}.") from error
    sparse = {"data", "indices", "indptr", "shape"} <= set(arrays)
    if "y" not in arrays or not (sparse or "X" in arrays):
        there = ", ".join(arrays) or "nothing"
        raise DataError(
            f"{place.name}: arrays X and y were expected (or data, indices, indptr, shape and y), not {there}."
        )
    X = arrays.get("X")
    if sparse:
        try:
            X = scipy.sparse.csr_array(
                (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"].tolist())
            )
        except (TypeError, ValueError, IndexError) as error:
            raise DataError(f"{place.name}: its arrays are no CSR matrix: {error}.") from error
    names = [str(name) for name in arrays["names"].ravel()] if "names" in arrays else None
    return Arrays(X, arrays["y"], names)
