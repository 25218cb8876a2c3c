"""Labelled rows from a file: CSV or TSV with the label in a column, or LIBSVM's format.

Numbers are read as they are written: an integer stays one, of whatever size, and a decimal becomes the nearest float.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SPARSE = (".svm", ".libsvm", ".svmlight")


class Frame:
    """Columns of numbers with their names."""

    def __init__(self, columns: Sequence[str], cells: Sequence[Sequence[int | float]]) -> None:
        self.columns, self._cells = list(columns), cells

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, at: tuple[Any, int]) -> Any:
        return np.array([row[at[1]] for row in self._cells], dtype=object)


class File(NamedTuple):
    X: Any
    y: list[Any]


def read_file(path: str | Path, target: str | None = None) -> File:
    """Rows and labels.

    Parameters
    ----------
    path : a file whose name ends with .csv, .tsv, .svm or .libsvm
    target : the name of the column with the labels, or its number from 0; the last column if not given

    Raises
    ------
    DataError
        There is no such file, or it cannot be read; the message names line and column.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (*DELIMITERS, *SPARSE):
        raise DataError(f"{path}: expected a file that ends with {', '.join((*DELIMITERS, *SPARSE))}.")
    try:
        if ending in SPARSE:
            return _read_sparse(path)
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [
                (reader.line_num, row)
                for reader in [csv.reader(file, delimiter=DELIMITERS[ending])]
                for row in reader
                if row
            ]
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: it cannot be read: {error}.") from error
    return _of_cells(path, rows, target)


def _of_cells(path: Path, rows: list[tuple[int, list[str]]], target: str | None) -> File:
    if not rows:
        raise DataError(f"{path}: it has no rows.")
    width = len(rows[0][1])
    if width < 2:
        raise DataError(f"{path}: at least two columns were expected, one of them the label; line 1 has {width}.")
    for line, row in rows:
        if len(row) != width:
            raise DataError(
                f"{path}, line {line}: {width} columns were expected, as in the first line; it has {len(row)}."
            )
    first = [name.strip() for name in rows[0][1]]
    at = _target(path, first, target)
    has_header = any(_number(cell) is None for j, cell in enumerate(first) if j != at)
    names = first if has_header else [f"x{j + 1}" for j in range(width)]
    body = rows[1:] if has_header else rows
    features = [j for j in range(width) if j != at]
    cells = []
    for line, row in body:
        numbers = [_number(row[j]) for j in features]
        if None in numbers:
            j = features[numbers.index(None)]
            raise DataError(f"{path}, line {line}, column {names[j]!r}: a number was expected, not {row[j]!r}.")
        cells.append(numbers)
    if not cells:
        raise DataError(f"{path}: it has a header but no rows.")
    return File(Frame([names[j] for j in features], cells), _labels([row[at].strip() for _, row in body]))  # type: ignore[arg-type]


def _target(path: Path, first: list[str], target: str | None) -> int:
    if target is None:
        return len(first) - 1
    if target in first:
        return first.index(target)
    if target.lstrip("-").isdigit() and -len(first) <= int(target) < len(first):
        return int(target) % len(first)
    raise DataError(f"{path}: there is no column {target!r}; the first line has {', '.join(map(repr, first[:20]))}.")


def _number(cell: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return None


def _labels(cells: list[str]) -> list[Any]:
    """Integers if all of them are, else texts."""
    numbers = [_number(cell) for cell in cells]
    return numbers if all(isinstance(number, int) for number in numbers) else cells


def _read_sparse(path: Path) -> File:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except ValueError as error:
        raise DataError(f"{path}: it is not in LIBSVM's format: {error}.") from error
    return File(X, [int(label) if label == int(label) else label for label in y.tolist()])
