"""Read labelled rows from a file: CSV or TSV with the label in a column, or LIBSVM's format.

An integer of any size stays an integer. A decimal becomes the nearest float.
"""

import csv
import gzip
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.base.table_header import number_in, target_of, two_columns_expected
from rosenblatt.certificate.exact_table import Cells, Table, table_of_cells
from rosenblatt.errors import DataError
from rosenblatt.errors.not_a_number import NotANumberError

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
BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
Lines = list[tuple[int, list[str]]]  # line numbers and cells


class File(NamedTuple):
    """The rows and labels of a file."""

    X: Table
    y: list[Any]


class Word(NamedTuple):
    """A cell that is not a finite number."""

    place: str  # file, line and column
    cell: str


def read_file(path: str | Path, target: str | None = None, format: str | None = None) -> File:  # noqa: A002
    """Read rows and labels.

    Parameters
    ----------
    path : a file whose name ends with .csv, .tsv, .svm or .libsvm, optionally followed by .gz
    target : the name of the column with the labels, or its number from 0; the last column if not given
    format : "csv", "tsv" or "libsvm"; by default the name decides

    Raises
    ------
    DataError
        There is no such file, or it cannot be read; the message names line and column.
    NotANumberError
        A cell is not a number; the message names line and column.
    """
    path = Path(path)
    zipped = path.suffix.lower() == ".gz"
    kind = format or ENDINGS.get((path.with_suffix("") if zipped else path).suffix.lower())
    if kind not in READABLE:
        raise DataError(f"{path}: expected a file that ends with {', '.join(ENDINGS)}.")
    found = read_text(path, target, kind, zipped=zipped)
    if isinstance(found, Word):
        raise _not_a_number(found)
    return found


def read_text(path: Path, target: str | None, kind: str, *, zipped: bool) -> File | Word:
    """Read a file of a known format; return the first cell of a table that is not a number, if there is one.

    Parameters
    ----------
    path : the file
    target : the name of the column with the labels, or its number from 0; the last column if not given
    kind : "csv", "tsv" or "libsvm"
    zipped : is the file compressed with gzip?
    """
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
        raise DataError(f"{path}: it is not UTF-8 text ({error}). Save it as UTF-8.") from error
    except csv.Error as error:
        raise DataError(f"{path}: it cannot be read: {error}.") from error
    return _of_lines(path, [(line, row) for line, row in lines if any(row)], target, DELIMITERS[kind])


def _of_lines(path: Path, lines: Lines, target: str | None, separator: str) -> File | Word:
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
            number = number_in(row[j])
            if number is None:
                return Word(f"{path}, line {line}, column {names[j]!r}", row[j])
            if isinstance(number, float) and not math.isfinite(number):
                raise _not_finite(Word(f"{path}, line {line}, column {names[j]!r}", row[j]))
            numbers[k] = number
        cells.append(numbers)
    return File(
        table_of_cells(cells, len(features), [names[j] for j in features]), _labels(path, [row[at] for _, row in body])
    )


def _of_sparse(path: Path, lines: list[str]) -> File:
    """Read lines `label column:number ...`.

    Columns count from 1, or from 0 if there is a column 0. `#` begins a comment.
    """
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
                raise DataError(f"{where}: column {column} occurs twice.")
            numbers[int(column)] = _number(number, f"{where}, column {column}")
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
            _number(parts[0], f"{where}, label")
            yield parts[0], where, [part for part in parts[1:] if not part.startswith("qid:")]


def _number(cell: str, where: str) -> int | float:
    number = number_in(cell)
    if number is None:
        raise _not_a_number(Word(where, cell))
    if isinstance(number, float) and not math.isfinite(number):
        raise _not_finite(Word(where, cell))
    return number


def _not_a_number(word: Word) -> NotANumberError:
    return NotANumberError(f"{word.place}: a number was expected, not {word.cell[:40]!r}.")


def _not_finite(word: Word) -> DataError:
    return DataError(f"{word.place}: a finite number was expected, not {word.cell!r}.")


def _labels(path: Path, cells: list[str]) -> list[Any]:
    """The labels as integers if all are whole (1.0 is whole), as booleans if all are true or false, else as texts."""
    if all(cell in BOOLEANS for cell in cells):
        return [BOOLEANS[cell] for cell in cells]
    numbers = [number_in(cell) for cell in cells]
    if all(isinstance(number, int | float) for number in numbers):
        for number, cell in zip(numbers, cells, strict=True):
            if number != number // 1:  # type: ignore[operator]
                raise DataError(
                    f"{path}: labels must be words or whole numbers, not {cell!r}. Is the target another column?"
                )
    if all(number is not None and number == number // 1 and abs(number) < 2**63 for number in numbers):
        return [int(number) for number in numbers if number is not None]
    return cells
