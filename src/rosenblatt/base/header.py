"""The header line and the target column of a text table, decided the same way by both readers."""

import re
from pathlib import Path

from rosenblatt.errors import DataError, meant

WHOLE = re.compile(r"[+-]?[0-9]+")


UNNAMED = re.compile(r"x([1-9][0-9]{0,8})")  # what a column without a name is called


def two_columns_expected(separator: str, cells: list[str]) -> str:
    """What to say of a first line that is one cell, with a guess at what separates it."""
    other = next((f" This line has {mark!r} instead: replace it." for mark in ";\t|" if mark in "".join(cells)), "")
    return f"at least two columns were expected, separated by {separator!r}.{other}"


def target_of(path: Path | str, first: list[str], target: str | None) -> tuple[int, bool]:
    """Where the label is, and whether the first line is a header: the target is named in it, or no cell is a number."""
    known, width = ", ".join(map(repr, first[:20])), len(first)
    by_number = target is not None and WHOLE.fullmatch(target) is not None and len(target) < 10
    if target is not None and target not in first and (unnamed := UNNAMED.fullmatch(target)):
        at = int(unnamed[1]) - 1
        if at < width and any(number_in(cell) is not None for j, cell in enumerate(first) if j != at):
            return at, False
    if target is not None and not by_number:
        if target not in first:
            raise DataError(f"{path}: there is no column {target!r}; the first line has {known}.{meant(target, first)}")
        if first.count(target) > 1:
            raise DataError(f"{path}: there are {first.count(target)} columns {target!r}; give its number, from 0.")
        return first.index(target), True
    at = width - 1 if target is None else int(target)
    others = [number_in(cell) is None for j, cell in enumerate(first) if j != at % width and cell and cell != target]
    has_header = any(others) and (all(others) or target in first)
    if has_header and target in first:
        return first.index(target), True
    if not -width <= at < width:
        raise DataError(f"{path}: there is no column {target}; the first line has {width}: {known}.")
    return at % width, has_header


def number_in(cell: str) -> int | float | None:
    try:
        if WHOLE.fullmatch(cell):
            return int(cell)
        return None if "_" in cell else float(cell)
    except ValueError:  # also for integers of more digits than Python reads
        return None
