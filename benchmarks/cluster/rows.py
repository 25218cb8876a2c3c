"""Generated rows: as blocks that Dask's workers make themselves, or as Parquet files."""

from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray

ROW_GROUP = 65_536  # rows of a Parquet file that are read at a time


class Generated(NamedTuple):
    """Normal rows, labelled by a hyperplane through the origin, in parts.

    Every row is moved away from the hyperplane by `gap`; then a part `noise` of the labels is turned. Part p depends on
    p and on these numbers only.
    """

    rows: int  # in all parts together
    columns: int
    parts: int
    gap: float = 0.0
    noise: float = 0.0

    def part(self, number: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The rows and labels of a part."""
        rng = np.random.default_rng([1, number])
        u = np.random.default_rng(0).standard_normal(self.columns)
        u /= np.linalg.norm(u)
        n = self.rows * (number + 1) // self.parts - self.rows * number // self.parts
        X = rng.standard_normal((n, self.columns))
        y = np.where(X @ u > 0, 1, -1)
        if self.gap:
            X += self.gap * np.outer(y, u)
        return X, np.where(rng.random(n) < self.noise, -y, y)

    def blocks(self) -> tuple[Any, Any]:
        """X and y as arrays of Dask. A worker makes its blocks itself."""
        X, y = [], []
        for number in range(self.parts):
            n = self.rows * (number + 1) // self.parts - self.rows * number // self.parts
            part = dask.delayed(self.part, pure=True, nout=2)(number)
            X.append(da.from_delayed(part[0], (n, self.columns), np.float64))
            y.append(da.from_delayed(part[1], (n,), np.int64))
        return da.concatenate(X), da.concatenate(y)

    def write_parquet(self, folder: Path) -> int:
        """Write each part to a Parquet file in a folder, and return the number of bytes."""
        import pyarrow
        from pyarrow import parquet

        folder.mkdir(parents=True, exist_ok=True)
        for number in range(self.parts):
            X, y = self.part(number)
            table = pyarrow.table({**{f"x{j}": X[:, j] for j in range(self.columns)}, "label": y})
            file = folder / f"part-{number:04}.parquet"
            parquet.write_table(table, file, row_group_size=ROW_GROUP, use_dictionary=["label"], compression="none")
        return sum(file.stat().st_size for file in folder.glob("*.parquet"))

    @property
    def nbytes(self) -> int:
        """The memory that the rows take as float64."""
        return self.rows * self.columns * 8

    def __str__(self) -> str:
        kind = f"{self.noise:.0%} of the labels turned" if self.noise else f"margin about {self.gap:g}"
        return f"{self.rows:,} x {self.columns}, {kind}, in {self.parts} parts"
