"""Discovery of the columns of a table: numbers, booleans or categories, from its rows and the options of the user."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.files.encoding import Column, Encoding, categories_of, number_in
from rosenblatt.errors import DataError, meant
from rosenblatt.errors.remedy import Remedy


class ColumnOptions(NamedTuple):
    """The options of the user for the columns of a table; see `read`."""

    columns: Sequence[str | int] | None = None
    categories: Sequence[str] | Mapping[str, Sequence[str]] = ()
    hash_bits: int | None = None
    fill: float | str | Mapping[str, float] | None = None


def discover(table: Any, target: str | None, column_options: ColumnOptions) -> Encoding:
    """Make the encoding of a table.

    Raises
    ------
    DataError
        A column holds neither numbers nor booleans nor words, or it mixes numbers and words.
    """
    chosen = chosen_columns(table.column_names, target, column_options.columns)
    given = column_options.categories
    known = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given)
    for option, named_columns in (("categories", known), ("fill", column_options.fill)):
        unknown = [n for n in named_columns if n not in chosen] if isinstance(named_columns, Mapping) else []
        if unknown:
            near = meant(unknown[0], chosen)
            raise DataError(f"{option} names {unknown[0]!r}, which is not one of the columns {chosen[:20]}.{near}")
    if not chosen:
        raise DataError(f"there is no column to learn from beside the target {target!r}.")
    columns = tuple(_column(name, table[name], known, column_options) for name in chosen)
    return Encoding(columns, target, column_options.hash_bits)


def chosen_columns(there: Sequence[str], target: str | None, columns: Sequence[str | int] | None) -> list[str]:
    """Give the names of the columns to learn from."""
    twice = next((name for name, count in Counter(there).items() if count > 1), None)
    if twice is not None:
        raise DataError(f"there are {there.count(twice)} columns {twice!r}; rename one of them.")
    if columns is None:
        return [name for name in there if name != target]
    chosen = []
    for given in columns:
        if isinstance(given, int) and -len(there) <= given < len(there):
            given = there[given]
        if given not in there:
            known = ", ".join(map(repr, there[:20]))
            raise DataError(f"there is no column {given!r}; there are {known}.{meant(given, there)}")
        chosen.append(str(given))
    if target in chosen:
        raise DataError(f"column {target!r} is the target and cannot be learned from as well.")
    return chosen


def _column(name: str, given: Any, known: Mapping[str, Any], column_options: ColumnOptions) -> Column:
    from pyarrow import types

    fill = _fill(name, given, column_options.fill)
    kind = given.type.value_type if types.is_dictionary(given.type) else given.type
    if name in known:
        values = known[name] or categories_of(given)[0]
        return Column(name, "category", () if column_options.hash_bits is not None else tuple(sorted(values)), fill)
    if types.is_boolean(kind):
        return Column(name, "boolean", (), fill)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Column(name, "number", (), fill)
    if types.is_null(kind):
        if fill is None:
            raise DataError(
                f"column {name!r}: it has no value.", Remedy("Leave it out with {columns}, or give {fill}.")
            )
        return Column(name, "number", (), fill)
    if not (types.is_string(kind) or types.is_large_string(kind)):
        raise DataError(
            f"column {name!r}: numbers, booleans or words were expected, but it holds {given.type}.",
            Remedy("Leave it out with {columns}, or make it a number."),
        )
    values, codes = categories_of(given)
    numbers = np.array([number_in(value) is not None for value in values] + [False])[codes]
    if numbers.mean() > 0.5:
        return Column(name, "number", (), fill)
    if numbers.any():
        row = int(np.flatnonzero(numbers)[0])
        raise DataError(
            f"column {name!r}: words were expected, as in most rows, but row {row + 1} has the number "
            f"{values[codes[row]]!r}.",
            Remedy("If this column holds categories, say so: {categories}.", categories=[name]),
        )
    return Column(name, "category", () if column_options.hash_bits is not None else tuple(sorted(values)), fill)


def _fill(name: str, given: Any, fill: Any) -> float | None:
    if isinstance(fill, Mapping):
        fill = fill.get(name)
    if fill == "mean":
        import pyarrow
        from pyarrow import types

        if types.is_boolean(given.type):
            given = given.cast(pyarrow.int8())
        if not (types.is_integer(given.type) or types.is_floating(given.type) or types.is_decimal(given.type)):
            return 0.0
        numbers = given.drop_null().cast(pyarrow.float64(), safe=False).to_numpy()
        there = numbers[np.isfinite(numbers)]
        return float((there / max(len(there), 1)).sum())
    return None if fill is None else float(fill)
