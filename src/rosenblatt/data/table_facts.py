"""Counts of a table before training: gaps, constants, duplicates, IDs, contradictions, classes.

They are found for tables with gaps, and with columns that cannot be learned from, too.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.text_tables.dialect import Dialect, DialectOptions
from rosenblatt.base.words import count_of
from rosenblatt.data.files.blocks import Layout
from rosenblatt.data.files.discovery import ColumnOptions
from rosenblatt.data.files.encoding import Encoding, number_in
from rosenblatt.data.files.labels import distinct, labels_of
from rosenblatt.data.files.read import CHUNK_BYTES, refusal
from rosenblatt.data.files.sources import TEXT, Place
from rosenblatt.data.likely_targets import grouped_counts, row_count_columns, unlikely_classes
from rosenblatt.errors import DataError

MIN_ROWS_OF_IDS = 10  # in fewer rows, values that all differ say nothing
NEAR_UNIQUE = 0.5  # words are nearly unique if there are more different ones than this share of the rows


class ColumnFacts(NamedTuple):
    """The counts and the kind of a column."""

    name: str
    kind: str  # "number", "boolean", "category", "empty", or Arrow's name of another type
    gaps: int
    distinct: int
    least: float | None = None  # of numbers
    most: float | None = None
    remark: str = ""  # "constant", "ID", "nearly unique", "counts", or a phrase about cells that are no numbers


class TableFacts(NamedTuple):
    """The counts of a table and of its columns.

    Attributes
    ----------
    rows : all rows, also those with gaps
    columns : the columns without the target
    target : the name of the target
    classes : the number of rows of each label
    gaps : the number of empty cells, the target's included
    rows_with_gaps : the number of rows with an empty cell
    duplicates : the number of rows that repeat an earlier row, label included
    contradictions : the number of rows to which an equal row with another label exists
    bad_lines : the number of lines that are no rows
    encoding : how the columns would become numbers, missing categories as a level of their own; None if they cannot
    dialect : how the text is written
    remarks : sentences about the target, bad lines, and columns that cannot be used
    """

    rows: int
    columns: list[ColumnFacts]
    target: str
    classes: dict[str, int]
    gaps: int
    rows_with_gaps: int
    duplicates: int
    contradictions: int
    bad_lines: int
    encoding: Encoding | None
    dialect: Dialect | None
    remarks: list[str]


def facts_of(files: Sequence[Place], source: str, target: str | None, text_options: DialectOptions) -> TableFacts:
    """Read a table, and count; `source` is what the user calls the files.

    Raises
    ------
    DataError
        The files cannot be read as a table, or have no rows.
    """
    import pyarrow

    layout = Layout(target, ColumnOptions(missing="level"), text_options=text_options)
    size = None if files[0].format in TEXT else CHUNK_BYTES
    blocks = [block for place in files for block in layout.blocks(place, size)]
    parsed = [layout.table(block) for block in blocks]
    remarks = [
        str(refusal(block.place, bad))
        for block, (_, odd) in zip(blocks, parsed, strict=True)
        for bad in layout.bad_lines(block, odd)
    ]
    tables = [table for table, _ in parsed if table.num_rows]
    if not tables:
        raise DataError(remarks[0] if remarks else f"{files[0].name}: it has no rows.")
    whole = pyarrow.concat_tables(tables, promote_options="permissive")
    bad_lines, remarks = len(remarks), remarks[:1]
    try:
        layout.settle_by(whole, [(b, *part) for b, part in zip(blocks, parsed, strict=True) if part[0].num_rows])
    except DataError as error:
        remarks.append(error.with_flags())
    name = str(layout.label_name(whole.column_names))
    layout.settle_labels([whole], files[0].format)
    decimal = layout.decimal
    columns = [_column_facts(other, whole[other], decimal) for other in whole.column_names if other != name]
    labels, troubles = labels_of(whole[name], name, layout.text_labels)
    own = np.delete(labels, list(troubles)).tolist()
    numbers = {c.name: _numbers_getter(whole[c.name], decimal) for c in columns if c.kind == "number" and not c.gaps}
    remarks += _remarks_on_target(source, name, own, numbers)
    counted = set(row_count_columns(numbers))
    columns = [column._replace(remark="counts") if column.name in counted else column for column in columns]
    codes = [_codes(whole[column]) for column in whole.column_names]
    equal = _groups([_codes(whole[column.name]) for column in columns], whole.num_rows)
    duplicates = whole.num_rows - len(np.unique(_groups([equal, _codes(whole[name])], whole.num_rows)))
    gaps = np.sum([code < 0 for code in codes], axis=0)
    counts = Counter(map(str, own))
    return TableFacts(
        whole.num_rows,
        columns,
        name,
        dict(sorted(counts.items())),
        int(gaps.sum()),
        int((gaps > 0).sum()),
        int(duplicates),
        _contradictions(equal, _codes(whole[name])),
        bad_lines,
        layout.encoding,
        layout.dialect,
        remarks,
    )


def _remarks_on_target(source: str, name: str, labels: list[Any], numbers: dict[str, Any]) -> list[str]:
    if not labels:
        return [f"column {name!r} is the target, but it has no value."]
    said = grouped_counts(name, labels, numbers, source)
    if not said and len(set(labels)) == 1:
        said = f"column {name!r} is the target, but all rows have the label {labels[0]!r}"
    said = said or unlikely_classes(f"column {name!r}", labels)
    return [f"{said}."] if said else []


def _codes(column: Any) -> NDArray[np.int64]:
    """Number the values of a column; -1 is a gap, which NaN is too."""
    values, codes = distinct(column)
    empty = [k for k, value in enumerate(values) if value is None or value != value]
    return np.where(np.isin(codes, empty), -1, codes) if empty else codes


def _groups(columns: Sequence[NDArray[np.int64]], rows: int) -> NDArray[np.int64]:
    """Number the rows such that equal rows, and no others, have one number."""
    group = np.zeros(rows, np.int64)
    for codes in columns:
        group = np.unique(group * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)[1].astype(np.int64)
    return group


def _contradictions(group: NDArray[np.int64], labels: NDArray[np.int64]) -> int:
    """Count the rows whose group has several labels; a missing label is none."""
    own = labels >= 0
    group, labels = group[own], labels[own]
    pairs = np.unique(np.column_stack([group, labels]), axis=0)
    several = np.flatnonzero(np.bincount(pairs[:, 0], minlength=1) > 1)
    return int(np.isin(group, several).sum())


def _numbers_getter(column: Any, decimal: str) -> Any:
    return lambda: _numbers(column, decimal)


def _numbers(column: Any, decimal: str) -> NDArray[np.float64]:
    """The numbers of a column, without gaps and words."""
    values, codes = distinct(column)
    found = [number_in(value, decimal) if isinstance(value, str) else value for value in values]
    each = np.array([np.nan if x is None else float(x) for x in found] + [np.nan])
    numbers: NDArray[np.float64] = each[codes]
    return numbers[~np.isnan(numbers)]


def _column_facts(name: str, column: Any, decimal: str) -> ColumnFacts:
    from pyarrow import types

    values, codes = distinct(column) if not types.is_nested(column.type) else ([], np.full(len(column), 0))
    codes = _codes(column) if not types.is_nested(column.type) else codes
    gaps = int((codes < 0).sum())
    filled = len(codes) - gaps
    kind = str(column.type)
    if types.is_boolean(column.type):
        kind = "boolean"
    elif types.is_integer(column.type) or types.is_floating(column.type) or types.is_decimal(column.type):
        kind = "number"
    elif types.is_string(column.type) or types.is_large_string(column.type) or types.is_dictionary(column.type):
        numeric = sum(isinstance(v, str) and number_in(v.strip(), decimal) is not None for v in values)
        kind = "number" if values and 2 * numeric > len(values) else "category"
    if not filled:
        return ColumnFacts(name, "empty", gaps, 0, remark="no value")
    count = len(np.unique(codes[codes >= 0]))
    numbers = _numbers(column, decimal) if kind == "number" else np.empty(0)
    least, most = (float(numbers.min()), float(numbers.max())) if len(numbers) else (None, None)
    if kind == "number" and len(numbers) < filled:
        return ColumnFacts(
            name, kind, gaps, count, least, most, f"{count_of(filled - len(numbers), 'cell')} without a number"
        )
    return ColumnFacts(name, kind, gaps, count, least, most, _remark(kind, name, numbers, count, filled))


def _remark(kind: str, name: str, numbers: NDArray[np.float64], count: int, filled: int) -> str:
    if count == 1:
        return "constant"
    if filled < MIN_ROWS_OF_IDS:
        return ""
    if kind == "category":
        return "ID" if count == filled else "nearly unique" if count > NEAR_UNIQUE * filled else ""
    steps = np.unique(np.diff(np.sort(numbers)))
    is_numbered = len(steps) == 1 and steps[0] == 1
    is_named = name.casefold().split("_")[-1].split(" ")[-1] in ("id", "nr", "no", "key", "index")
    whole = bool(len(numbers)) and bool((np.rint(numbers) == numbers).all())
    return "ID" if kind == "number" and count == filled and whole and (is_numbered or is_named) else ""


def remark_in_words(column: ColumnFacts) -> str:
    """The remark on a column as a phrase."""
    return {
        "ID": "an ID? every row has another value",
        "nearly unique": f"nearly unique: {count_of(column.distinct, 'value')}",
        "counts": "counts of equal rows? check --model has --weight",
    }.get(column.remark, column.remark)
