"""Read labelled rows from a file: CSV or TSV with the label in a column, or LIBSVM's format.

An integer of any size stays an integer. A decimal becomes the nearest float.
"""

import csv
import gzip
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO, cast

from rosenblatt.base.text_tables.dialect import DELIMITERS, SAMPLE_BYTES, Dialect, DialectOptions, find_dialect
from rosenblatt.base.text_tables.gaps import LEAVE_OUT, MISSING_CELLS, MISSING_LABEL
from rosenblatt.base.text_tables.header import column_names, number_in, one_column_only, target_of, wrong_length
from rosenblatt.base.text_tables.labels import TextLabels, remedy_for
from rosenblatt.base.text_tables.lines import MAX_LINE_BYTES, lone_return, null_character, too_long
from rosenblatt.certificate.exact_table import Cells, Table, table_of_cells
from rosenblatt.errors import DataError
from rosenblatt.errors.not_a_number import NotANumberError
from rosenblatt.errors.remedy import Remedy

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
}
BYTE_ORDER_MARK = "\ufeff"  # some programs begin texts with it
READABLE = (*DELIMITERS, "libsvm")
Lines = list[tuple[int, list[str]]]  # line numbers and cells


class File(NamedTuple):
    """The rows and labels of a file."""

    X: Table
    y: list[Any]


class BrokenCsvError(DataError):
    """A quote is not where CSV has quotes; other readers may know better."""


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


def read_text(
    path: Path, target: str | None, kind: str, *, zipped: bool, given: DialectOptions | None = None
) -> File | Word:
    """Read a file of a known format; return the first cell of a table that is not a number, if there is one.

    Parameters
    ----------
    path : the file
    target : the name of the column with the labels, or its number from 0; the last column if not given
    kind : "csv", "tsv" or "libsvm"
    zipped : is the file compressed with gzip?
    given : what the user says about the text of a table; the rest is found
    """
    if kind == "libsvm" and target is not None:
        raise DataError(f"{path}: in LIBSVM's format the label comes first; leave the target out.")
    try:
        dialect = Dialect()
        if kind != "libsvm":
            with (gzip.open if zipped else open)(path, "rb") as file:
                dialect = find_dialect(str(path), file.read(SAMPLE_BYTES), kind, given or DialectOptions())
        with (gzip.open if zipped else open)(path, "rt", newline="\n", encoding=dialect.encoding) as file:
            text = _lines(path, cast(TextIO, file))
            if kind == "libsvm":
                return _of_sparse(path, text)
            reader = csv.reader(text, delimiter=dialect.delimiter, strict=True)
            lines = [(reader.line_num, row) for row in reader]
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: it cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    except UnicodeDecodeError as error:
        where = f"{path}: it is not {error.encoding.upper()} text ({error.reason} at byte {error.start})."
        raise DataError(where, Remedy("Say how its characters are encoded: {text_encoding}.")) from error
    except csv.Error as error:
        if "field limit" in str(error):  # no number has so many digits
            return Word(f"{path}, line {reader.line_num}", f"a word of more than {csv.field_size_limit():,} characters")
        raise BrokenCsvError(f"{path}, line {reader.line_num}: it cannot be read: {error}.") from error
    filled = [(line, row) for line, row in lines if any(cell.strip() for cell in row)]
    return _of_lines(path, filled, target, dialect)


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Read lines; raise if one is too long, or has a character that cannot be in it."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 2):
        number += 1
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        text = line.removesuffix("\n").removesuffix("\r")
        if "\0" in text:
            raise null_character(path, number)
        if "\r" in text:
            raise lone_return(path, number)
        if len(text) > MAX_LINE_BYTES:
            raise too_long(path, number)
        yield line


def _of_lines(path: Path, lines: Lines, target: str | None, dialect: Dialect) -> File | Word:
    if not lines:
        raise DataError(f"{path}: it has no rows{'; the file is empty' * (path.stat().st_size == 0)}.")
    start, first = lines[0][0], [cell.strip() for cell in lines[0][1]]
    if len(first) < 2:
        raise one_column_only(f"{path}, line {start}", dialect.delimiter, first)
    at, has_header = target_of(path, first, target, dialect.decimal)
    names = column_names(f"{path}, line {start}", first, has_header=has_header)
    body, features = lines[has_header:], [j for j in range(len(first)) if j != at]
    if not body:
        raise DataError(f"{path}: it has a header but no rows; line {start} was taken for the header.")
    cells: Cells = []
    for line, row in body:
        if len(row) != len(first):
            raise DataError(f"{path}, line {line}: {wrong_length(len(first), len(row))}.")
        numbers = {}
        for k, j in enumerate(features):
            cell = row[j].strip()
            number = number_in(cell, dialect.decimal)
            if number is None:
                return Word(f"{path}, line {line}, column {names[j]!r}", cell)
            if isinstance(number, float) and not math.isfinite(number):
                raise _not_finite(Word(f"{path}, line {line}, column {names[j]!r}", cell))
            numbers[k] = number
        if row[at].strip() in MISSING_CELLS:
            raise DataError(f"{path}, line {line}, column {names[at]!r}: {MISSING_LABEL}.", LEAVE_OUT)
        cells.append(numbers)
    labels = [(f"{path}, line {line}, column {names[at]!r}", row[at]) for line, row in body]
    X = table_of_cells(cells, len(features), [names[j] for j in features])
    return File(X, _labels(labels, dialect.decimal))


def _of_sparse(path: Path, lines: Iterable[str]) -> File:
    """Read lines `label column:number ...`.

    Columns count from 1, or from 0 if there is a column 0. `#` begins a comment.
    """
    cells: Cells = []
    labels = []
    for label, where, pairs in _split(path, lines):
        labels.append((f"{where}, label", label))
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
    return File(table_of_cells(moved, width, None, sparse=True), _labels(labels, is_table=False))


def _split(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
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


def _labels(cells: list[tuple[str, str]], decimal: str = ".", *, is_table: bool = True) -> list[Any]:
    """The labels in these cells, each of which comes with its place: integers of 64 bits, booleans or texts."""
    distinct = dict.fromkeys(cell for _, cell in cells)
    rule, labels = TextLabels.found_in(distinct, decimal), dict[str, Any]()
    if rule.kind == "number" and any(_is_huge(number_in(cell.strip(), decimal)) for cell in distinct):
        rule = TextLabels.words(distinct)
    for place, cell in cells:
        if cell not in labels:
            try:
                labels[cell] = rule.label(cell)
            except ValueError as error:
                raise DataError(f"{place}: {error}.", remedy_for(str(error)) if is_table else None) from error
    return [labels[cell] for _, cell in cells]


def _is_huge(number: float | None) -> bool:
    """Is it an integer that does not fit 64 bits?"""
    return isinstance(number, int) and not -(2**63) <= number < 2**63
