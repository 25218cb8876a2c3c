"""Examples and rows as JSON text: one, a list of them, or one a line.

    {"x": [5.1, 3.5], "y": "setosa"}
    {"x": {"length": 5.1, "colour": "blue"}, "y": "setosa", "weight": 2}

A list or lines are a batch, which is taken as a whole or not at all. The text that a client sent is what the log keeps,
so a replay reads it with the same functions.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.service.learning.spec import check_label

MAX_BATCH = 10_000
MAX_NAMES = 100_000  # of one row
ENTRIES = ("x", "y", "weight")
NUMBERS = {int, float}


class Examples(NamedTuple):
    """Rows in their order, with labels if they were given."""

    rows: list[Any]
    labels: list[Any]  # empty for rows to predict
    weights: list[float] | None  # None if no example has one

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.rows)


def read_examples(text: bytes, *, labelled: bool) -> Examples:
    """Read examples, or rows without labels.

    Parameters
    ----------
    text : an example, a list of examples, or one a line
    labelled : True: each has "y", and may have "weight"; False: they have "x" only

    Raises
    ------
    DataError
        The text cannot be read. The message says where.
    """
    given = _objects(text)
    if not 0 < len(given) <= MAX_BATCH:
        raise DataError(f"A batch has 1 to {MAX_BATCH:,} examples, not {len(given):,}; divide it.")
    allowed = {"x", "y", "weight"} if labelled else {"x"}
    rows, labels, weights = [], [], None
    for at, one in enumerate(given):
        if not isinstance(one, dict) or "x" not in one or not one.keys() <= allowed or labelled > ("y" in one):
            raise DataError(f"{_place(at, given)}{_what_is_wrong(one, labelled)}")
        rows.append(one["x"])
        if labelled:
            label = one["y"]
            if type(label) is not str or not 0 < len(label) < 20:  # most labels need no closer look
                _within(at, given, check_label, label)
            labels.append(label)
            if "weight" in one:
                weights = [1.0] * len(given) if weights is None else weights
                weights[at] = _weight(at, given, one["weight"])
    return Examples(rows, labels, weights)


def matrix_of(rows: list[Any], columns: int) -> Any:
    """Rows of numbers as an array.

    Raises
    ------
    DataError
        A row is no list of so many finite numbers.
    """
    if all(type(row) is list and len(row) == columns and set(map(type, row)) <= NUMBERS for row in rows):
        try:
            X = np.array(rows, dtype=np.float64)
        except OverflowError:  # a whole number of hundreds of digits
            X = np.full(1, np.inf)
        if np.isfinite(X).all():
            return X
        raise DataError("x has a number that is too large for a float.")
    for at, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != columns:
            came = f"{len(row)} numbers" if isinstance(row, list) else f"{row!r:.60}"
            raise DataError(f"{_place(at, rows)}x must be a list of {columns} numbers, as in this model, not {came}.")
        for column, number in enumerate(row):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise DataError(f"{_place(at, rows)}number {column} of x must be a number, not {number!r:.60}.")
    raise AssertionError("every row is a list of numbers")


def check_dicts(rows: list[Any]) -> list[Mapping[str, Any]]:
    """Rows that are JSON objects.

    Raises
    ------
    DataError
        A row is not an object.
    """
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            raise DataError(
                f'{_place(at, rows)}x must be an object of numbers by name, as in {{"length": 5.1}}, not {row!r:.60}.'
            )
        if len(row) > MAX_NAMES:
            raise DataError(f"{_place(at, rows)}x has {len(row):,} names; the most is {MAX_NAMES:,}.")
    return rows


def _objects(text: bytes) -> list[Any]:
    """The JSON objects of a text: one, those of a list, or one a line."""
    start = text.lstrip()[:1]
    if start == b"{":
        try:
            return [_json(text)]
        except DataError:
            lines = {number: line for number, line in enumerate(text.split(b"\n"), 1) if line.strip()}
            if len(lines) == 1:
                raise
            return _of_lines(lines)
    given = _json(text)
    if not isinstance(given, list):
        raise DataError('An example {"x": ..., "y": ...} was expected, a list of them, or one a line.')
    return given


def _of_lines(lines: dict[int, bytes]) -> list[Any]:
    """The JSON object of each line; the lines have their numbers."""
    try:
        given = _json(b"[" + b",".join(lines.values()) + b"]")
    except DataError:
        given = None
    if isinstance(given, list) and len(given) == len(lines):
        return given
    found = []
    for number, line in lines.items():
        try:
            found.append(_json(line))
        except DataError as error:
            raise DataError(f"line {number}: {error}") from error
    return found


def _json(text: bytes) -> Any:
    try:
        return _DECODER.decode(text.decode(json.detect_encoding(text), "surrogatepass"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DataError(f"This is not JSON: {error.msg[:1].lower()}{error.msg[1:]}, {where}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"This is not JSON: byte {error.start} is not UTF-8.") from error
    except RecursionError as error:
        raise DataError("The JSON is nested too deeply.") from error
    except ValueError as error:  # a constant, or a whole number with too many digits for Python
        raise DataError(f"This is not JSON of data: {error}.") from error


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _place(at: int, among: list[Any]) -> str:
    return f"example {at + 1}: " if len(among) > 1 else ""


def _within(at: int, among: list[Any], check: Any, value: Any) -> None:
    try:
        check(value)
    except DataError as error:
        raise DataError(f"{_place(at, among)}{error}") from error


def _weight(at: int, among: list[Any], given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1e100:
        raise DataError(f"{_place(at, among)}weight must be a number of at least 0, not {given!r:.60}.")
    return float(given)


def _what_is_wrong(one: Any, labelled: bool) -> str:
    if not isinstance(one, dict):
        return f"an object was expected, not {one!r:.60}."
    wanted = 'the row "x" and the label "y"' if labelled else 'the row "x"'
    missing = next((name for name in ("x", "y") if name not in one and (labelled or name == "x")), None)
    if missing is not None:
        return f'{wanted} were expected; "{missing}" is missing.' if labelled else f"{wanted} is missing."
    extra = next(name for name in one if name not in (ENTRIES if labelled else ("x",)))
    return (
        f"{wanted} were expected, not {extra!r:.60}."
        if labelled
        else f"{wanted} alone was expected, not {extra!r:.60}."
    )
