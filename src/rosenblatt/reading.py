"""Labelled rows from a file: CSV or TSV with the label in a column, or LIBSVM's format.

Numbers are read as they are written: an integer stays one, of whatever size, and a decimal becomes the nearest float.
"""

import csv
import gzip
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.errors import DataError, NotANumber, meant
from rosenblatt.table import Cells, Table, table_of_cells

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
}
DELIMITERS = {"csv": ",", "tsv": "\t"}
READABLE = (*DELIMITERS, "libsvm")
WHOLE = re.compile(r"[+-]?[0-9]+")
BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
UNNAMED = re.compile(r"x([1-9][0-9]{0,8})")  # what a column without a name is called
Lines = list[tuple[int, list[str]]]  # line numbers and cells


class File(NamedTuple):
    X: Table
    y: list[Any]


def read_file(path: str | Path, target: str | None = None, format: str | None = None) -> File:  # noqa: A002
    """Rows and labels.

    Parameters
    ----------
    path : a file whose name ends with .csv, .tsv, .svm or .libsvm, or with .gz after that
    target : the name of the column with the labels, or its number from 0; the last column if not given
    format : "csv", "tsv" or "libsvm", if the name does not tell

    Raises
    ------
    DataError
        There is no such file, or it cannot be read; the message names line and column.
    NotANumber
        A cell holds none; the same, as a kind of its own.
    """
    path = Path(path)
    zipped = path.suffix.lower() == ".gz"
    kind = format or ENDINGS.get((path.with_suffix("") if zipped else path).suffix.lower())
    if kind not in READABLE:
        raise DataError(f"{path}: expected a file that ends with {', '.join(ENDINGS)}.")
    if kind == "libsvm" and target is not None:
        raise DataError(f"{path}: in LIBSVM's format the label comes first; leave the target out.")
    try:
        with (gzip.open if zipped else open)(path, "rt", newline="", encoding="utf-8-sig") as file:
            if kind == "libsvm":
                return _of_sparse(path, list(file))
            reader = csv.reader(file, delimiter=DELIMITERS[kind], strict=True)
            lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: it cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: it is no UTF-8 text ({error}). Save it as UTF-8.") from error
    except csv.Error as error:
        raise DataError(f"{path}: it cannot be read: {error}.") from error
    return _of_lines(path, [(line, row) for line, row in lines if any(row)], target, DELIMITERS[kind])


def _of_lines(path: Path, lines: Lines, target: str | None, separator: str) -> File:
    if not lines:
        raise DataError(f"{path}: it has no rows.")
    start, first = lines[0]
    if len(first) < 2:
        raise DataError(f"{path}, line {start}: {two_columns_expected(separator, first)}")
    at, has_header = target_of(path, first, target)
    names = first if has_header else [f"x{j + 1}" for j in range(len(first))]
    body, features = lines[has_header:], [j for j in range(len(first)) if j != at]
    if not body:
        raise DataError(f"{path}: it has a header but no rows.")
    cells: Cells = []
    for line, row in body:
        if len(row) != len(first):
            raise DataError(
                f"{path}, line {line}: {len(first)} columns were expected, as in line {start}, not {len(row)}."
            )
        if not row[at]:
            raise DataError(f"{path}, line {line}, column {names[at]!r}: the label is missing.")
        numbers = {}
        for k, j in enumerate(features):
            numbers[k] = _finite(row[j], f"{path}, line {line}, column {names[j]!r}")
        cells.append(numbers)
    return File(
        table_of_cells(cells, len(features), [names[j] for j in features]), _labels(path, [row[at] for _, row in body])
    )


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
        if at < width and any(_number(cell) is not None for j, cell in enumerate(first) if j != at):
            return at, False
    if target is not None and not by_number:
        if target not in first:
            raise DataError(f"{path}: there is no column {target!r}; the first line has {known}.{meant(target, first)}")
        if first.count(target) > 1:
            raise DataError(f"{path}: there are {first.count(target)} columns {target!r}; give its number, from 0.")
        return first.index(target), True
    at = width - 1 if target is None else int(target)
    others = [_number(cell) is None for j, cell in enumerate(first) if j != at % width and cell and cell != target]
    has_header = any(others) and (all(others) or target in first)
    if has_header and target in first:
        return first.index(target), True
    if not -width <= at < width:
        raise DataError(f"{path}: there is no column {target}; the first line has {width}: {known}.")
    return at % width, has_header


def _of_sparse(path: Path, lines: list[str]) -> File:
    """Each line `label column:number ...`, columns from 1, or from 0 if there is such a one; `#` begins a comment."""
    cells: Cells = []
    labels = []
    for label, where, pairs in _split(path, lines):
        labels.append(label)
        numbers: dict[int, int | float] = {}
        for pair in pairs:
            column, colon, number = pair.partition(":")
            if not colon or not re.fullmatch("[0-9]{1,9}", column):
                raise DataError(f"{where}: 'column:number' was expected, not {pair!r}.")
            if int(column) in numbers:
                raise DataError(f"{where}: column {column} is there twice.")
            numbers[int(column)] = _finite(number, f"{where}, column {column}")
        cells.append(numbers)
    if not cells:
        raise DataError(f"{path}: it has no rows.")
    base = 0 if any(0 in numbers for numbers in cells) else 1
    width = max((column for numbers in cells for column in numbers), default=0) + 1 - base
    if width < 1:
        raise DataError(f"{path}: no row has a number.")
    moved = [{column - base: number for column, number in sorted(numbers.items())} for numbers in cells]
    return File(table_of_cells(moved, width, None, sparse=True), _labels(path, labels))


def _split(path: Path, lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    for line, text in enumerate(lines, start=1):
        parts = text.partition("#")[0].split()
        if parts:
            where = f"{path}, line {line}"
            if ":" in parts[0]:
                raise DataError(f"{where}: a label was expected first, not {parts[0]!r}.")
            _finite(parts[0], f"{where}, label")
            yield parts[0], where, [part for part in parts[1:] if not part.startswith("qid:")]


def _finite(cell: str, where: str) -> int | float:
    number = _number(cell)
    if number is None:
        raise NotANumber(f"{where}: a number was expected, not {cell[:40]!r}.")
    if isinstance(number, float) and not math.isfinite(number):
        raise DataError(f"{where}: a finite number was expected, not {cell!r}.")
    return number


def _number(cell: str) -> int | float | None:
    try:
        if WHOLE.fullmatch(cell):
            return int(cell)
        return None if "_" in cell else float(cell)
    except ValueError:  # also for integers of more digits than Python reads
        return None


def _labels(path: Path, cells: list[str]) -> list[Any]:
    """Whole numbers if all of them are (1.0 is one), booleans if all are true or false, else texts."""
    if all(cell in BOOLEANS for cell in cells):
        return [BOOLEANS[cell] for cell in cells]
    numbers = [_number(cell) for cell in cells]
    if all(isinstance(number, int | float) for number in numbers):
        for number, cell in zip(numbers, cells, strict=True):
            if number != number // 1:  # type: ignore[operator]
                raise DataError(
                    f"{path}: labels must be words or whole numbers, not {cell!r}. Is the target another column?"
                )
    if all(number is not None and number == number // 1 and abs(number) < 2**63 for number in numbers):
        return [int(number) for number in numbers if number is not None]
    return cells
