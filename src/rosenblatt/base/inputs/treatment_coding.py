"""Treatment coding: a column of categories becomes a column of 0 and 1 for each level but the first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import is_missing, place_of
from rosenblatt.errors import DataError

Cells = NDArray[Any]


def treatment_coded(
    columns: Sequence[Any], cells: Sequence[Cells], names: Sequence[str]
) -> tuple[list[Cells], list[str]]:
    """The columns of a data frame, with categories as columns of 0 and 1, and their names.

    A column "drug" with the levels A, B and C becomes the columns "drug[B]" and "drug[C]". The levels of words are
    sorted; those of a categorical column have its order. Levels that do not occur are left out.

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
    made: list[Cells] = []
    called: list[str] = []
    for j, (column, own, name) in enumerate(zip(columns, cells, names, strict=True)):
        if not is_category(column, own):
            made.append(own)
            called.append(name)
            continue
        gap = next((i for i, cell in enumerate(own.tolist()) if is_missing(cell)), None)
        if gap is not None:
            raise DataError(f"{place_of(list(names), gap, j)} is missing; leave the row out, or give it a level.")
        for level in levels(column, own)[1:]:
            made.append((own == level).astype(np.float64))
            called.append(f"{name}[{level}]")
    return made, called


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
