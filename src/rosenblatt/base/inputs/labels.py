"""Labels that users give as y: what is taken, and as which labels.

Labels are of one kind: integers, strings, booleans, or floats. Floats are class labels if they are whole numbers.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import is_missing
from rosenblatt.base.inputs.tables import column_cells, frame_columns, is_sparse, kind_of, objects
from rosenblatt.errors import DataError, abridged


class Labels(NamedTuple):
    """Labels that were taken."""

    labels: NDArray[Any]  # n booleans, integers, floats or strings; the strings may be Python's objects
    was_column: bool  # were they given as n x 1?


def take_class_labels(y: Any, n: int, name: str = "y") -> Labels:
    """Take one class label for each of n rows, like `take_labels`, but refuse floats that are not whole numbers."""
    taken = take_labels(y, n, name)
    if taken.labels.dtype.kind == "f":
        broken = np.flatnonzero(taken.labels != np.floor(taken.labels))
        if len(broken):
            raise DataError(
                f"Unknown label type: continuous. {name}[{broken[0]}] is {taken.labels[broken[0]]}; {name} must hold "
                "class labels: integers, strings, booleans or floats that are whole numbers."
            )
    return taken


def take_labels(y: Any, n: int, name: str = "y") -> Labels:
    """Take one label for each of n rows, from an array, a column of a data frame, an Arrow array or a list.

    Raises
    ------
    DataError
        The labels are not n booleans, n integers of 64 bits, n finite floats or n strings.
    """
    if y is None:
        raise DataError(f"A classifier requires {name} to be passed, but the target {name} is None.")
    cells, was_column = _cells(y, name)
    labels = _of_one_kind(cells, name)
    if len(labels) != n:
        there = "X has" if name == "y" else "There are"
        raise DataError(f"{there} {n} rows but {name} has {len(labels)} labels; each row needs one label.")
    return Labels(labels, was_column)


def _cells(y: Any, name: str) -> tuple[NDArray[Any], bool]:
    """The labels as a vector, and whether they were given as a column."""
    if isinstance(y, list | tuple | range):
        return _of_list(y, name)
    if np.ma.is_masked(y):
        row = int(np.argwhere(np.ma.getmaskarray(y))[0][0])
        raise DataError(f"{name} must hold one label for each row, but {name}[{row}] is masked; leave that row out.")
    columns = frame_columns(y)
    if columns is not None and len(columns) == 1:
        return column_cells(columns[0]), True
    if columns is None and any(hasattr(y, method) for method in ("to_list", "to_pylist")):
        return column_cells(y), False
    if is_sparse(y) or not hasattr(y, "__array__"):
        raise DataError(f"{name} must hold one label for each row, in an array or a list; it is {kind_of(y)}")
    array = np.asarray(y)
    if array.ndim != 1 and array.shape[1:] != (1,):
        raise DataError(
            f"{name} should be a 1d array, got an array of shape {array.shape} instead. {name} must hold one class "
            "label for each row."
        )
    return array.reshape(-1), array.ndim == 2


def _of_list(y: Sequence[Any], name: str) -> tuple[NDArray[Any], bool]:
    is_column = len(y) > 0 and all(isinstance(row, list | tuple | np.ndarray) and np.shape(row) == (1,) for row in y)
    cells = [row[0] for row in y] if is_column else list(y)
    for i, label in enumerate(cells):
        if label is np.ma.masked:
            raise DataError(f"{name} must hold one label for each row, but {name}[{i}] is masked; leave that row out.")
        if isinstance(label, list | tuple | set | dict | np.ndarray):
            raise DataError(
                f"{name} should be a 1d array, but {name}[{i}] is {abridged(label)}. {name} must hold one class label "
                "for each row."
            )
    strings = all(isinstance(label, str) for label in cells)
    if strings and cells:
        array = np.array(cells)
        if array.tolist() == cells:  # numpy drops the character 0 at the end of a string
            return array, is_column
    return objects(cells), is_column


def _of_one_kind(y: NDArray[Any], name: str) -> NDArray[Any]:
    kind = y.dtype.kind
    if kind in "biuU":
        return y
    if kind == "f":
        return _floats(y, name)
    if kind == "c":
        raise DataError(f"Complex data not supported: {name}[0] is {y[0]}. {_expected(name)}")
    if kind == "O" and all(type(label) is str for label in y):
        return y
    return _of_objects(y.tolist() if kind in "OT" else list(y), name)


def _floats(y: NDArray[Any], name: str) -> NDArray[Any]:
    bad = np.flatnonzero(~np.isfinite(y))
    if len(bad):
        kind = "infinity or a value too large for its type" if np.isinf(y[bad[0]]) else "NaN"
        raise DataError(
            f"Input {name} contains {kind}. {name}[{bad[0]}] is {y[bad[0]]}; every row needs a class label."
        )
    if y.dtype.itemsize <= 8:
        return y
    with np.errstate(over="ignore"):
        floats = y.astype(np.float64)
    if not np.array_equal(floats, y):
        raise DataError(f"{name} is of type {y.dtype}, and 64-bit floats cannot hold its labels. {_expected(name)}")
    return floats


def _of_objects(cells: list[Any], name: str) -> NDArray[Any]:
    """An array of labels of one kind; a label that is missing, of no known kind or of another kind is refused."""
    kinds = [_kind(label) for label in cells]
    for i, (label, kind) in enumerate(zip(cells, kinds, strict=True)):
        if is_missing(label):
            raise DataError(f"Input {name} contains NaN. {name}[{i}] is {label}; every row needs a class label.")
        if kind is None:
            shown = f"{name}[{i}] is {abridged(label)}, of type {type(label).__name__}"
            raise DataError(f"{_expected(name)} {shown}; give such labels as strings.")
        if kind != kinds[0] and {kind, kinds[0]} != {"integer", "float"}:
            raise DataError(f"{_expected(name)} {name}[0] is {abridged(cells[0])}, {name}[{i}] is {abridged(label)}.")
    if "string" in kinds:
        return objects([str(label) for label in cells])
    if "boolean" in kinds:
        return np.array(cells, dtype=bool)
    whole = [int(label) for label, kind in zip(cells, kinds, strict=True) if kind == "integer"]
    if "float" in kinds:
        if any(abs(label) > 2**53 for label in whole):
            raise DataError(f"{name} mixes floats with integers beyond 2^53; give integers only, or strings.")
        return _floats(np.array(cells, dtype=np.float64), name)
    try:
        return np.array(whole, np.uint64 if whole and max(whole) >= 2**63 else np.int64)
    except OverflowError as error:
        raise DataError(f"{name} holds an integer that does not fit 64 bits; give such labels as strings.") from error


def _kind(label: Any) -> str | None:
    if isinstance(label, str):
        return "string"
    if isinstance(label, bool | np.bool_):
        return "boolean"
    if isinstance(label, Integral) and not isinstance(label, np.timedelta64):
        return "integer"
    return "float" if isinstance(label, float | np.floating) else None


def _expected(name: str) -> str:
    return f"{name} must hold class labels of one kind: all integers, all strings or all booleans."
