"""Treatment coding: a column of categories becomes a column of 0 and 1 for each level but the first."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import is_missing, place_of
from rosenblatt.errors import DataError

Cells = NDArray[Any]
MAX_DENSE_COLUMNS = 256  # with more columns than this, the coded columns are stored by their ones only


class Levels(NamedTuple):
    """A column of categories."""

    codes: NDArray[np.int64]  # the number of the level of each row; 0 for the first one, which has no column
    names: list[str]  # the names of the columns of the other levels

    def dense(self) -> list[Cells]:
        """A column of 0 and 1 for each level but the first."""
        return [(self.codes == level).astype(np.float64) for level in range(1, len(self.names) + 1)]


class CompressedRows(NamedTuple):
    """The parts of a CSR matrix."""

    data: NDArray[np.float64]
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]


def treatment_coded(columns: Sequence[Any], cells: Sequence[Cells], names: Sequence[str]) -> list[Cells | Levels]:
    """The columns of a data frame, with categories as levels.

    A column "drug" with the levels A, B and C has the columns "drug[B]" and "drug[C]". The levels of words are sorted;
    those of a categorical column have its order. Levels that do not occur are left out.

    Parameters
    ----------
    columns : columns of pandas, polars or Arrow
    cells : their cells
    names : their names

    Raises
    ------
    DataError
        A category is missing.
    """
    coded: list[Cells | Levels] = []
    for j, (column, own, name) in enumerate(zip(columns, cells, names, strict=True)):
        if not is_category(column, own):
            coded.append(own)
            continue
        gap = next((i for i, cell in enumerate(own.tolist()) if is_missing(cell)), None)
        if gap is not None:
            raise DataError(f"{place_of(list(names), gap, j)} is missing; leave the row out, or give it a level.")
        code = {level: t for t, level in enumerate(levels(column, own))}
        codes = np.fromiter((code[cell] for cell in own.tolist()), np.int64, len(own))
        coded.append(Levels(codes, [f"{name}[{level}]" for level in list(code)[1:]]))
    return coded


def names_of_coded(coded: Sequence[Cells | Levels], names: Sequence[str]) -> list[str]:
    """The names of the columns that stand for these."""
    pairs = zip(coded, names, strict=True)
    return [made for column, name in pairs for made in (column.names if isinstance(column, Levels) else [name])]


def dense_columns(coded: Sequence[Cells | Levels]) -> list[Cells]:
    """The columns that stand for these."""
    return [made for column in coded for made in (column.dense() if isinstance(column, Levels) else [column])]


def compressed(coded: Sequence[NDArray[np.float64] | Levels]) -> CompressedRows:
    """The rows of the columns that stand for these, without zeros."""
    widths = [len(column.names) if isinstance(column, Levels) else 1 for column in coded]
    starts = np.concatenate([[0], np.cumsum(widths)])
    n = len(coded[0].codes if isinstance(coded[0], Levels) else coded[0])
    places, numbers = np.empty((n, len(coded)), np.int64), np.empty((n, len(coded)))
    for t, column in enumerate(coded):
        if isinstance(column, Levels):
            places[:, t], numbers[:, t] = starts[t] + column.codes - 1, column.codes > 0
        else:
            places[:, t], numbers[:, t] = starts[t], column
    there = numbers != 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return CompressedRows(numbers[there], places[there], indptr, (n, int(starts[-1])))


def is_category(column: Any, cells: Cells) -> bool:
    """Does a column hold words, or is it of a categorical type?"""
    if known_levels(column) is not None:
        return True
    if cells.dtype.kind != "O":
        return False
    is_word = [isinstance(cell, str) for cell in cells.tolist()]
    return any(is_word) and all(word or is_missing(cell) for word, cell in zip(is_word, cells.tolist(), strict=True))


def levels(column: Any, cells: Cells) -> list[Any]:
    """The levels that occur, in their order."""
    there = set(cells.tolist())
    known = known_levels(column)
    if known is not None:
        return [level for level in known if level in there]
    return sorted(there)


def known_levels(column: Any) -> list[Any] | None:
    """The levels of a categorical column in their order; None for other columns."""
    kind = str(getattr(column, "dtype", ""))
    if kind == "category":  # pandas
        return list(column.cat.categories)
    if kind.startswith("Enum"):  # polars; its Categorical has no order
        return list(column.dtype.categories)
    return None
