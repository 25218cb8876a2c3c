"""The header line and the target column of a text table. Both readers of text tables use these rules."""

import re
from pathlib import Path

from rosenblatt.errors import DataError, meant

WHOLE = re.compile(r"[+-]?[0-9]+")
UNNAMED = re.compile(r"x([1-9][0-9]{0,8})")  # the name of a column in a table without a header
MAX_LISTED_COLUMNS = 20  # in a message


def two_columns_expected(separator: str, cells: list[str]) -> str:
    """The message for a first line of one cell. It names another separator if the line has one."""
    other = next((f" This line has {mark!r} instead: replace it." for mark in ";\t|" if mark in "".join(cells)), "")
    return f"at least two columns were expected, separated by {separator!r}.{other}"


def target_of(path: Path | str, first: list[str], target: str | None) -> tuple[int, bool]:
    """Find the target column, and decide whether the first line is a header.

    Parameters
    ----------
    path : for messages
    first : the cells of the first line
    target : the name of a column, its number from 0 (negative from the end), or None for the last column

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
        return len(first) - 1, _all_words(first[:-1])
    if WHOLE.fullmatch(target) and len(target) < 10:
        return _by_number(path, first, target)
    if target not in first and (unnamed := UNNAMED.fullmatch(target)):
        at = int(unnamed[1]) - 1
        others = first[:at] + first[at + 1 :]
        if at < len(first) and any(number_in(cell) is not None for cell in others):
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


def _by_number(path: Path | str, first: list[str], target: str) -> tuple[int, bool]:
    """A column by its number. A header may hold this number as a name, which then comes first."""
    width, at = len(first), int(target)
    others = [cell for j, cell in enumerate(first) if j != at % width and cell != target]
    if target in first and any(number_in(cell) is None for cell in others if cell):
        return first.index(target), True
    if not -width <= at < width:
        raise DataError(f"{path}: there is no column {target}; the first line has {width}: {_listed(first)}.")
    return at % width, _all_words(others)


def _all_words(cells: list[str]) -> bool:
    """Are there cells, and is none of them a number?  Empty cells do not count."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(number_in(cell) is None for cell in filled)


def _listed(first: list[str]) -> str:
    return ", ".join(map(repr, first[:MAX_LISTED_COLUMNS]))


def number_in(cell: str) -> int | float | None:
    """The number that a cell holds, or None."""
    try:
        if WHOLE.fullmatch(cell):
            return int(cell)
        return None if "_" in cell else float(cell)
    except ValueError:  # also for integers of more digits than Python reads
        return None
