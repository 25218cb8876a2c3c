"""Discovery of the columns of a table: numbers, booleans or categories, from its rows and the options of the user."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.text_tables.dialect import ADORNED, WITH_COMMA, WITH_POINT
from rosenblatt.data.files.encoding import Column, Encoding, RowErrors, categories_of, number_in, numbers_of
from rosenblatt.errors import DataError, meant
from rosenblatt.errors.remedy import Remedy, flag
from rosenblatt.errors.wording import Wording

OWN_LEVEL = "missing"  # the category that missing categories are taken for
Wish = float | str | None  # what to do about missing values of a column


class StrayNumberError(DataError):
    """A column of words has a number in this row of the table, counted from 0."""

    def __init__(self, column: str, row: int, number: str) -> None:
        super().__init__(
            f"column {column!r}: words were expected, as in most rows, not the number {number!r}.",
            Remedy("If this column holds categories, say so: {categories}.", categories=[column]),
        )
        self.row = row


class ColumnOptions(NamedTuple):
    """The options of the user for the columns of a table; see `read`."""

    columns: Sequence[str | int] | None = None
    categories: Sequence[str] | Mapping[str, Sequence[str]] = ()
    hash_bits: int | None = None
    missing: Wish | Mapping[str, Wish] = None


def discover(table: Any, target: str | None, column_options: ColumnOptions, decimal: str = ".") -> Encoding:
    """Make the encoding of a table; numbers in words have this decimal mark.

    Raises
    ------
    DataError
        A column holds neither numbers nor booleans nor words, or it mixes numbers and words.
    """
    chosen = chosen_columns(table.column_names, target, column_options.columns)
    given = column_options.categories
    known = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given)
    for option, named_columns in (("categories", known), ("missing", column_options.missing)):
        unknown = [n for n in named_columns if n not in (*chosen, target)] if isinstance(named_columns, Mapping) else []
        if unknown:
            near = meant(unknown[0], chosen)
            said = f"names {unknown[0]!r}, which is not one of the columns {chosen[:20]}.{near}"
            raise DataError(Wording(f"{option} {said}", f"{flag(option)} {said}"))
    if not chosen:
        raise DataError(f"there is no column to learn from beside the target {target!r}.")
    columns = tuple(_column(name, table[name], known, column_options, decimal) for name in chosen)
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


def _column(name: str, given: Any, known: Mapping[str, Any], options: ColumnOptions, decimal: str) -> Column:
    from pyarrow import types

    wish = options.missing.get(name) if isinstance(options.missing, Mapping) else options.missing
    kind = given.type.value_type if types.is_dictionary(given.type) else given.type
    if name in known:
        return _of_categories(name, given, known[name], wish, hashed=options.hash_bits is not None)
    if types.is_null(kind):
        if wish is None or isinstance(wish, str):
            raise DataError(
                f"column {name!r}: it has no value.",
                Remedy("Leave it out with {columns}, or give a number for {missing}."),
            )
        return Column(name, "number", (), float(wish))
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return _of_numbers(name, "boolean" if types.is_boolean(kind) else "number", given, wish, decimal)
    if not (types.is_string(kind) or types.is_large_string(kind)):
        raise DataError(
            f"column {name!r}: numbers, booleans or words were expected, but it holds {_type_in_words(kind)}.",
            Remedy("Leave it out with {columns}, or make it a number, such as the days since some date."),
        )
    values, codes = categories_of(given)
    numbers = np.array([number_in(value, decimal) is not None for value in values] + [False])[codes]
    if numbers.mean() > 0.5:
        return _of_numbers(name, "number", given, wish, decimal)
    _refuse_other_decimals(name, values, codes, decimal)
    _refuse_adorned(name, values, codes, numbers)
    if numbers.any():
        row = int(np.flatnonzero(numbers)[0])
        raise StrayNumberError(name, row, values[codes[row]])
    return _of_categories(name, given, None, wish, hashed=options.hash_bits is not None)


def _type_in_words(kind: Any) -> str:
    """What a column of a type that cannot be learned from holds."""
    from pyarrow import types

    if types.is_temporal(kind):
        return "dates or times"
    return "lists or records" if types.is_nested(kind) else str(kind)


def _refuse_other_decimals(name: str, values: Sequence[str], codes: NDArray[np.int64], decimal: str) -> None:
    """Raise if most words are numbers with the other decimal mark."""
    pattern, mark, what = (WITH_COMMA, ",", "comma") if decimal == "." else (WITH_POINT, ".", "point")
    others = np.array([pattern.fullmatch(value) is not None for value in values] + [False])[codes]
    if others.mean() > 0.5:
        raise DataError(
            f"column {name!r}: it has numbers with a {what}, such as {values[codes[int(np.argmax(others))]]!r}. If the "
            f"{what} groups thousands, take it out of the file.",
            Remedy(
                "If it is the decimal mark, say {decimal}; if these are categories, say {categories}.",
                decimal=mark,
                categories=[name],
            ),
        )


def _refuse_adorned(name: str, values: Sequence[str], codes: NDArray[np.int64], numbers: NDArray[np.bool_]) -> None:
    """Raise if most words are numbers with marks between thousands, percent signs, or currency signs."""
    adorned = np.array([ADORNED.fullmatch(value) is not None for value in values] + [False])[codes]
    if adorned.any() and (adorned | numbers).mean() > 0.5:
        raise DataError(
            f"column {name!r}: plain numbers were expected, not {values[codes[int(np.argmax(adorned))]]!r}. Take marks "
            "between thousands, percent signs and currency signs out of the file.",
            Remedy("If these are categories, say {categories}.", categories=[name]),
        )


def _of_categories(name: str, given: Any, known: Sequence[str] | None, wish: Wish, *, hashed: bool) -> Column:
    """A column of categories, and the category that a missing one is taken for."""
    values, codes = categories_of(given)
    fill: float | str | None = None
    if wish == "most_frequent":
        if not values:
            raise DataError(f"column {name!r}: it has no value.", Remedy("Leave it out with {columns}."))
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        fill = min(value for value, count in zip(values, counts.tolist(), strict=True) if count == counts.max())
    elif isinstance(wish, str) and wish != "drop":
        fill = OWN_LEVEL if OWN_LEVEL not in values else f"({OWN_LEVEL})"
        if known is None and (codes < 0).any():
            values = [*values, fill]
    elif wish is not None and wish != "drop":
        fill = float(wish)
    return Column(name, "category", () if hashed else tuple(sorted(known or values)), fill)


def _of_numbers(name: str, kind: str, given: Any, wish: Wish, decimal: str) -> Column:
    """A column of numbers, and the number that a missing one is taken for."""
    if wish not in ("mean", "most_frequent"):
        return Column(name, kind, (), None if wish is None or isinstance(wish, str) else float(wish))
    errors = RowErrors(decimal)
    numbers = numbers_of(Column(name, kind, (), np.nan), given, errors)
    there = np.delete(numbers, list(errors.first))
    there = there[np.isfinite(there)]
    if not len(there):
        raise DataError(f"column {name!r}: it has no value.", Remedy("Leave it out with {columns}."))
    if wish == "mean":
        return Column(name, kind, (), float((there / len(there)).sum()))
    distinct, counts = np.unique(there, return_counts=True)
    return Column(name, kind, (), float(distinct[np.argmax(counts)]))
