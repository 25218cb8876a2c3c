"""The header line and the target column of a text table. Both readers of text tables use these rules."""

import re
from collections import Counter
from pathlib import Path

from rosenblatt.errors import DataError, abridged, meant
from rosenblatt.errors.remedy import Remedy

WHOLE = re.compile(r"[+-]?[0-9]+")
UNNAMED = re.compile(r"x([1-9][0-9]{0,8})")  # the name of a column in a table without a header
MAX_LISTED_COLUMNS = 20  # in a message


def one_column_only(where: str, separator: str, cells: list[str]) -> DataError:
    """The error for a first line of one cell."""
    return DataError(
        f"{where}: at least two columns were expected, separated by {separator!r}, not {abridged(''.join(cells))}.",
        Remedy(
            "If another character separates them, say {delimiter}; if this line is a title or a comment, delete it."
        ),
    )


def wrong_length(expected: int, found: int) -> str:
    """Say that a line has more or fewer cells than the first line, and the likely reason."""
    why = "a cell with the delimiter inside needs quotes" if found > expected else "an empty cell needs its delimiter"
    return f"{expected} columns were expected, as in the first line, not {found}; {why}"


def column_names(where: str, first: list[str], *, has_header: bool) -> list[str]:
    """The names of the columns: the cells of the header, or x1, x2, ... where there is no header or no name.

    Raises
    ------
    DataError
        Two columns have one name.
    """
    if not has_header:
        return [f"x{j + 1}" for j in range(len(first))]
    names = [name or f"x{j + 1}" for j, name in enumerate(first)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        numbers = ", ".join(str(j + 1) for j, name in enumerate(names) if name == twice)
        raise DataError(
            f"{where}: there are {names.count(twice)} columns {twice!r}: the columns {numbers}. Rename one of them; "
            "or, if this line is a row and no header, write a line of names before it."
        )
    return names


def target_of(path: Path | str, first: list[str], target: str | None, decimal: str = ".") -> tuple[int, bool]:
    """Find the target column, and decide whether the first line is a header.

    Parameters
    ----------
    path : for messages
    first : the cells of the first line
    target : the name of a column, its number from 0 (negative from the end), or None for the last column
    decimal : the decimal mark of numbers

    Returns
    -------
    The number of the target column, and whether the first line is a header. It is one if it names the target, or if no
    other cell is a number.

    Raises
    ------
    DataError
        There is no such column, or there are several of this name.
    """
    if target is None:
        return len(first) - 1, _all_words(first[:-1], decimal)
    if WHOLE.fullmatch(target) and len(target) < 10:
        return _by_number(path, first, target, decimal)
    if target not in first and (unnamed := UNNAMED.fullmatch(target)):
        at = int(unnamed[1]) - 1
        others = first[:at] + first[at + 1 :]
        if at < len(first) and any(number_in(cell, decimal) is not None for cell in others):
            return at, False
    return _by_name(path, first, target), True


def _by_name(path: Path | str, first: list[str], target: str) -> int:
    if target not in first:
        raise DataError(
            f"{path}: there is no column {target!r}; the first line has {_listed(first)}.{meant(target, first)}"
        )
    if first.count(target) > 1:
        raise DataError(f"{path}: there are {first.count(target)} columns {target!r}; give its number, from 0.")
    return first.index(target)


def _by_number(path: Path | str, first: list[str], target: str, decimal: str) -> tuple[int, bool]:
    """A column by its number. A header may hold this number as a name, which then comes first."""
    width, at = len(first), int(target)
    others = [cell for j, cell in enumerate(first) if j != at % width and cell != target]
    if target in first and any(number_in(cell, decimal) is None for cell in others if cell):
        return first.index(target), True
    if not -width <= at < width:
        raise DataError(f"{path}: there is no column {target}; the first line has {width}: {_listed(first)}.")
    return at % width, _all_words(others, decimal)


def _all_words(cells: list[str], decimal: str) -> bool:
    """Are there cells, and is none of them a number?  Empty cells do not count."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(number_in(cell, decimal) is None for cell in filled)


def _listed(first: list[str]) -> str:
    return ", ".join(map(repr, first[:MAX_LISTED_COLUMNS]))


def number_in(cell: str, decimal: str = ".") -> int | float | None:
    """The number that a cell holds, or None. Where the decimal mark is a comma, 1.5 is no number: it may be 15."""
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        if WHOLE.fullmatch(cell):
            return int(cell)
        return None if "_" in cell else float(cell)
    except ValueError:  # also for integers of more digits than Python reads
        return None
