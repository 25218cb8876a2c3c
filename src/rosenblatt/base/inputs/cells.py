"""Cells of a table: the numbers in them, and what to say about a cell that is not a number."""

import datetime
import math
from collections.abc import Callable
from numbers import Integral, Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, abridged
from rosenblatt.errors.not_a_number import NotANumberError

EXACT = 2**53  # every integer up to here is a float
PLAIN = frozenset({bool, int, float, np.bool_, np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8})
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
FILL_HINT = "Every number must be finite; drop or fill such rows first, for example with sklearn.impute.SimpleImputer."
ENCODE_HINT = "Encode categories as numbers first, for example with sklearn.preprocessing.OneHotEncoder."
CONVERT_HINT = "Convert it first, for example with numpy.asarray(X, dtype=float)."
TIME_HINT = "Give a number instead, such as the days since a first day: (t - t.min()) / numpy.timedelta64(1, 'D')."
ROUND_HINT = (
    "To take the nearest floats, round them first, with numpy.asarray(X, dtype=float); or multiply the column so that "
    "it holds whole numbers."
)

Place = Callable[[int], str]  # from the position of a cell to words such as "row 2, column 'b'"
Wholes = dict[int, int]  # integers that no float holds, by the position of their cell


def is_missing(cell: Any) -> bool:
    """Is it None, pandas' NA or NaT, or NaN?"""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


def place_of(names: list[str] | None, row: int, column: int) -> str:
    """The place of a cell in words; the column by its name, if it has one."""
    return f"row {row}, column {repr(names[column]) if names else column}"


def not_finite(names: list[str] | None, row: int, column: int, value: Any) -> DataError:
    """Make the error for a number that is NaN or infinite."""
    kind = "NaN" if math.isnan(value) else "infinity"
    return DataError(f"Input X contains {kind}: {place_of(names, row, column)} is {value}. {FILL_HINT}")


def not_held(place: str, cell: Any) -> DataError:
    """Make the error for a number that is neither an integer nor exactly a float64."""
    return DataError(f"X must hold numbers that a float64 holds: {place} is {cell!r}. {ROUND_HINT}")


def not_a_number(place: str, cell: Any) -> DataError:
    """Make the error for a cell that is not a number."""
    if cell is np.ma.masked:
        return DataError(f"X must hold numbers: {place} is masked. {FILL_HINT}")
    if is_missing(cell):
        return DataError(f"Input X contains NaN: {place} is missing. {FILL_HINT}")
    if isinstance(cell, complex | np.complexfloating):
        return NotANumberError(f"Complex data not supported: {place} is {cell}; expected a real number.")
    shown = f"X must hold numbers: {place} is {abridged(cell.item() if isinstance(cell, np.character) else cell)}"
    if isinstance(cell, str | bytes):
        hint = CONVERT_HINT if _reads_as_number(cell) else ENCODE_HINT
        return NotANumberError(f"{shown}, {'a text' if isinstance(cell, str) else 'of type bytes'}. {hint}")
    if isinstance(cell, TIMES) or type(cell).__name__ == "Period":
        return NotANumberError(f"{shown}, a time. {TIME_HINT}")
    expected = "each argument must be no list, dict or string, but a real number"
    return NotANumberError(f"{shown}, of type {type(cell).__name__}; {expected}.")


def nearest_float(number: Any) -> float:
    """The nearest float. For an integer beyond the range of floats, the largest or the smallest float."""
    try:
        return float(number)
    except OverflowError:
        return float(np.finfo(float).max if number > 0 else np.finfo(float).min)


def numbers_of_objects(cells: NDArray[Any], place: Place) -> tuple[NDArray[np.float64], Wholes]:
    """The nearest floats of Python's objects, and the integers among them that no float holds.

    Raises
    ------
    DataError
        A cell is neither an integer nor a number that a float holds.
    """
    flat = cells.ravel().tolist()
    if not set(map(type, flat)) <= PLAIN:
        flat = [cell if type(cell) in PLAIN else _plain(cell, k, place) for k, cell in enumerate(flat)]
    try:
        floats = np.array(flat, dtype=np.float64)
    except OverflowError:
        floats = np.array([nearest_float(cell) for cell in flat])
    large = np.flatnonzero(np.abs(floats) >= EXACT).tolist()
    wholes = {k: int(flat[k]) for k in large if isinstance(flat[k], Integral) and int(floats[k]) != flat[k]}
    return floats.reshape(cells.shape), wholes


def numbers_of_array(array: NDArray[Any], place: Place) -> tuple[NDArray[np.float64], Wholes]:
    """The nearest floats of booleans, integers and floats, and the integers among them that no float holds.

    Raises
    ------
    DataError
        A number is a long double that no float64 holds.
    """
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64, copy=False)
    if array.dtype.itemsize > 8:
        rounded = np.flatnonzero(~((floats == array) | np.isnan(array)))
        if len(rounded):
            raise not_held(place(int(rounded[0])), array.ravel()[rounded[0]])
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return floats, {}
    flat, given = floats.ravel(), array.ravel()
    large = np.flatnonzero(np.abs(flat) >= EXACT).tolist()
    return floats, {k: int(given[k]) for k in large if int(flat[k]) != int(given[k])}


def _plain(cell: Any, position: int, place: Place) -> int | float:
    """Convert a number of any type to an integer or a float; raise if it is something else."""
    if not isinstance(cell, Number) or isinstance(cell, (complex, np.complexfloating, *TIMES)):
        raise not_a_number(place(position), cell)
    if isinstance(cell, Integral):
        return int(cell)
    number: Any = cell
    near = nearest_float(number)
    if near != number and not math.isnan(near):
        raise not_held(place(position), cell)
    return near


def _reads_as_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
