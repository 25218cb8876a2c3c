"""The columns that a formula names, from a data frame of any library."""

from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.cells import is_missing, numbers_of_array, numbers_of_objects
from rosenblatt.base.inputs.tables import column_cells
from rosenblatt.base.inputs.treatment_coding import known_levels


class Column(NamedTuple):
    """A column.

    Parameters
    ----------
    cells : numbers, or Python's objects
    levels : the levels of a categorical column in their order; None for other columns
    """

    cells: NDArray[Any]
    levels: list[Any] | None = None

    def missing(self) -> NDArray[np.bool_]:
        """For each cell, whether it is missing."""
        if self.cells.dtype.kind == "f":
            return np.asarray(np.isnan(self.cells))
        if self.cells.dtype.kind != "O":
            return np.zeros(len(self.cells), dtype=bool)
        return np.fromiter(map(is_missing, self.cells), dtype=bool, count=len(self.cells))

    def take(self, kept: NDArray[np.bool_]) -> "Column":
        """The column without some cells. Numbers among which some were missing are an array of numbers again."""
        cells = self.cells[kept]
        if cells.dtype.kind == "O" and self.levels is None:
            kinds = set(map(type, cells))
            if kinds and (kinds <= {int} or kinds <= {float} or kinds <= {bool}):
                cells = np.array(cells.tolist())
        return Column(cells, self.levels)

    def is_numeric(self) -> bool:
        """Does it hold numbers that are not categories?"""
        if self.levels is not None:
            return False
        return self.cells.dtype.kind in "biuf" or all(isinstance(cell, Number) for cell in self.cells)

    def distinct(self) -> int:
        """The number of different cells."""
        return len(np.unique(self.cells)) if self.cells.dtype.kind != "O" else len(set(self.cells.tolist()))

    def has_large_numbers(self) -> bool:
        """Are there whole numbers that no float holds?"""
        if not self.is_numeric() or self.cells.dtype.kind not in "iuO":
            return False
        read = numbers_of_objects if self.cells.dtype.kind == "O" else numbers_of_array
        return bool(read(self.cells, "row {}".format)[1])

    def labels(self) -> Any:
        """The cells as labels; categorical ones as a pandas column that has the order of the levels."""
        return self.cells if self.levels is None else self.series()

    def series(self) -> Any:
        """The column as formulaic needs it: floats, categories without unused levels, or objects.

        Whole numbers become floats, because a product of two whole numbers may not fit 64 bits.
        """
        import pandas as pd

        if self.levels is not None:
            there = set(self.cells.tolist())
            return pd.Series(pd.Categorical(self.cells, categories=[level for level in self.levels if level in there]))
        if not self.is_numeric():
            return pd.Series(self.cells, dtype=object)
        read = numbers_of_objects if self.cells.dtype.kind == "O" else numbers_of_array
        return pd.Series(read(self.cells, "row {}".format)[0])


def column_of(column: Any) -> Column:
    """Read a column of pandas, polars or Arrow."""
    return Column(column_cells(column), known_levels(column))
