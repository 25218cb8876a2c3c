"""Parsing of JSON lines, one object in each line, to Arrow tables."""

import json
from typing import Any

import numpy as np

from rosenblatt.base.text_tables.labels import MAX_WHOLE_FLOAT
from rosenblatt.data.compiled.text import survey
from rosenblatt.data.files.csv_and_arrow import arrow_block, arrow_file
from rosenblatt.data.files.labels import INT64_LIMIT
from rosenblatt.data.files.sources import LINE_FEED, Bytes
from rosenblatt.data.files.sparse_text import BadRow


def table_of_jsonl(text: Bytes, schema: Any = None, *, others: bool = False) -> tuple[Any, list[BadRow]]:
    """Parse a block of JSON lines to an Arrow table; also give the lines that are not objects of the schema.

    With others=True, objects may have columns that the schema lacks.
    """
    import pyarrow

    rows, *_ = survey(text)
    if not _are_objects(text):
        return line_by_line(text, schema, others)
    try:
        table = _objects(text, schema, others)
        times = [(field.name, pyarrow.string()) for field in table.schema if pyarrow.types.is_temporal(field.type)]
        if schema is None and times:
            table = _objects(text, pyarrow.schema(times), True).select(table.column_names)
        table.validate(full=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, UnicodeDecodeError):
        return line_by_line(text, schema, others)
    return (table, []) if table.num_rows == rows else line_by_line(text, schema, others)


def _objects(text: Bytes, schema: Any, others: bool) -> Any:
    import pyarrow
    from pyarrow import json as arrow

    words = schema is not None and all(pyarrow.types.is_string(field.type) for field in schema) and others
    behaviour = "infer" if schema is None or words else "ignore" if others else "error"
    options = arrow.ParseOptions(explicit_schema=schema, unexpected_field_behavior=behaviour)
    block = arrow.ReadOptions(block_size=arrow_block(text))
    return arrow.read_json(arrow_file(text), read_options=block, parse_options=options)


def _are_objects(text: Bytes) -> bool:
    """Does every line that is not empty begin with a brace?"""
    starts = np.concatenate([[0], np.flatnonzero(text == LINE_FEED)[:-1] + 1])
    first = text[starts]
    return bool(((first == ord("{")) | (first == LINE_FEED) | (first == 13)).all())


def line_by_line(text: Bytes, schema: Any, others: bool) -> tuple[Any, list[BadRow]]:
    """Parse JSON lines one by one, which is slower, to find the lines that cannot be read."""
    import pyarrow

    good, bad, kinds = list[dict[str, Any]](), list[BadRow](), dict[str, str]()
    for number, raw in enumerate(bytes(text).split(b"\n")[:-1], start=1):
        line = raw.decode("utf-8", "replace").strip()
        if not line:
            continue
        try:
            row = json.loads(raw.decode())
        except UnicodeDecodeError:
            bad.append(BadRow(number, "", "characters of UTF-8 were expected", line))
            continue
        except (ValueError, RecursionError) as error:
            said = "it is nested too deeply"
            if isinstance(error, json.JSONDecodeError):
                said = f"it is not JSON ({error.msg}, character {error.pos + 1})"
            bad.append(BadRow(number, "", f"a JSON object was expected, but {said}", line))
            continue
        trouble = _trouble(row, schema, others) or (_other_kind(row, kinds) if schema is None else None)
        if trouble:
            bad.append(BadRow(number, *trouble, line))
        else:
            good.append(row)
    names = list(dict.fromkeys(name for row in good for name in row)) if schema is None else schema.names
    columns = {name: [row.get(name) for row in good] for name in names}
    types = {name: _type_of(values) if schema is None else schema.field(name).type for name, values in columns.items()}
    arrays = [
        pyarrow.array([_as(value, types[name]) for value in values], types[name]) for name, values in columns.items()
    ]
    return pyarrow.Table.from_arrays(arrays, names=names), bad


def _type_of(values: list[Any]) -> Any:
    """Give float64 for numbers that are not all integers of 64 bits, else None, so that Arrow finds the type."""
    import pyarrow

    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    whole = all(isinstance(value, int) and -INT64_LIMIT <= value < INT64_LIMIT for value in numbers)
    return None if whole else pyarrow.float64()


def _as(value: Any, kind: Any) -> Any:
    """Convert a number to the type of its column.

    Raises
    ------
    OverflowError, ValueError
        The type cannot hold the number; an integer is never made of a float that may have been rounded.
    """
    from pyarrow import types

    if isinstance(value, bool) or kind is None:
        return value
    if isinstance(value, int) and types.is_floating(kind):
        return float(value)
    if isinstance(value, float) and types.is_integer(kind):
        if not value.is_integer() or abs(value) >= MAX_WHOLE_FLOAT:
            raise ValueError("it is not whole, or was rounded")
        return int(value)
    return value


def _trouble(row: Any, schema: Any, others: bool) -> tuple[str, str] | None:
    """Give the place and the message of what is wrong with an object; None if nothing is."""
    import pyarrow
    from pyarrow.types import is_floating, is_integer

    if not isinstance(row, dict):
        return "", f"a JSON object was expected, not {type(row).__name__}"
    for name, value in row.items():
        where = f", column {name!r}"
        if isinstance(value, dict | list):
            return where, f"a number, a boolean or a word was expected, not {type(value).__name__}"
        kind = schema.field(name).type if schema is not None and name in schema.names else _type_of([value])
        if isinstance(value, bool) and kind is not None and (is_integer(kind) or is_floating(kind)):
            return where, f"a number was expected, not {value}"  # Arrow would make 1 or 0 of it
        try:
            f"{name}{value}".encode()
            pyarrow.array([_as(value, kind)], type=kind)
        except UnicodeEncodeError:
            return where.encode(errors="replace").decode(), "characters of UTF-8 were expected"
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError, ValueError):
            return where, f"a value of type {kind} was expected, not {value!r:.40}"
        if schema is not None and name not in schema.names and not others:
            return where, f"one of the columns {', '.join(schema.names[:12])} was expected"
    return None


def _other_kind(row: dict[str, Any], kinds: dict[str, str]) -> tuple[str, str] | None:
    """Give the place and the message of the first value whose kind differs from the rows before; None if none does."""
    for name, value in row.items():
        if value is not None:
            kind = "boolean" if isinstance(value, bool) else "word" if isinstance(value, str) else "number"
            if kinds.setdefault(name, kind) != kind:
                return f", column {name!r}", f"a {kinds[name]} was expected, as in the rows before, not {value!r:.40}"
    return None
