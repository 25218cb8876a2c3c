"""The protocol `Points`, through which a solver sees its rows, and its implementation in memory.

`streamed_row_set` implements it for rows on disk.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.validation import Codes, Floats, Rows, one_row
from rosenblatt.rules import hull

NO_ROWS = np.empty(0, np.int64)


def lowest_of_each(leads: Floats, part: NDArray[np.int8], many: int) -> Codes:
    """The places of the lowest leads of each part, at most `many`, in increasing order; of equal leads the first."""
    if len(leads) <= many:
        return np.arange(len(leads))
    found = []
    for p in (0, 1):
        own = np.flatnonzero(part == p)
        if len(own) > many:
            last = np.partition(leads[own], many - 1)[many - 1]
            below = leads[own] < last
            equal = np.flatnonzero(leads[own] == last)[: many - int(below.sum())]
            below[equal] = True
            own = own[below]
        found.append(own)
    return np.concatenate(found)


class Held(NamedTuple):
    """Rows in memory, as the compiled rules take them."""

    rows: Rows
    y: NDArray[np.int8]  # the sign of each row
    part: NDArray[np.int8]  # the hull that each row belongs to, 0 or 1


class Worst(NamedTuple):
    """The row with the smallest lead w.z_i, in each of the two parts. A part without rows has row -1, lead infinity."""

    row: Codes
    lead: Floats
    low: Floats  # a lower bound of all leads, rounding included
    wrong: int  # the number of rows on the wrong side, of those looked at


class Points(Protocol):
    """Signed rows z_i = y_i x_i in one part (a hull and the origin) or two (the hulls of two classes).

    Attributes
    ----------
    n, d : the number of rows, and of features
    two : are there two parts?
    radius : the length of the longest row, or a little more
    held : the rows in memory: all of them, or those that `hold` was asked for
    numbers : the row number of each held row
    left_out : the number of rows that `screen` has left out
    """

    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def two(self) -> bool: ...
    @property
    def radius(self) -> float: ...
    @property
    def held(self) -> Held: ...
    @property
    def numbers(self) -> Codes: ...
    @property
    def left_out(self) -> int: ...

    def hold(self, rows: Codes) -> Codes:
        """Bring these rows into memory. Return their places in `held`."""
        ...

    def row(self, i: int) -> Rows:
        """Row i alone."""
        ...

    def worst(self, w: Floats, lifted: Codes = NO_ROWS, lift: Floats | None = None) -> Worst:
        """Look at all rows and find the smallest leads w.z_i. `lift` is added to the leads of the rows `lifted`."""
        ...

    def below(self, bar: Floats, many: int) -> Codes:
        """The rows whose lead, in the last look, was below the bar of their part: at most `many` of each part.

        If there are more, those with the lowest leads are taken, of equal leads the first; part 0 comes before part 1.
        """
        ...

    def mistakes(self, w: Floats) -> tuple[int, Floats]:
        """The exact number of rows that are not strictly on their right side, and the sum of these signed rows.

        The bias weight is the last of w. With two parts the bias is free and its constant is 1.
        """
        ...

    def screen(self, levels: Floats, far: float, centres: Floats, extra: float) -> None:
        """Leave out rows that have no weight in the nearest point, in this look and all later ones."""
        ...

    def look_at_all(self) -> None:
        """Look at the rows that were left out again."""
        ...


class InMemory:
    """Points in memory.

    Parameters
    ----------
    rows : the rows
    d : their number of features
    y : the sign of each row, -1 or +1
    two : is each class a part?
    """

    def __init__(self, rows: Rows, d: int, y: NDArray[np.int8], *, two: bool) -> None:
        part = (y > 0).astype(np.int8) if two else np.zeros(len(y), np.int8)
        self.n, self.d, self.two = len(y), d, two
        self.held = Held(rows, y, part)
        lengths = np.empty(self.n)
        hull.lengths(rows, lengths)
        self.radius = float(lengths.max()) * (1 + (d + 4) * 2.0**-50)
        self.numbers: Codes = np.arange(self.n)
        self._kept = self.numbers
        self._leads = np.empty(self.n)
        self._lift = np.empty(0)
        self._reference: Floats | None = None
        self._distances = np.empty(0)

    def hold(self, rows: Codes) -> Codes:
        return rows

    def row(self, i: int) -> Rows:
        return one_row(self.held.rows, i)

    def worst(self, w: Floats, lifted: Codes = NO_ROWS, lift: Floats | None = None) -> Worst:
        self._lift = np.zeros(self.n if lift is not None else 0)
        if lift is not None:
            self._lift[lifted] = lift
        rows, y, part = self.held
        row, lead, low = hull.worst(rows, y, part, w, self._lift, self._kept, self._leads)
        bias = (lead - lead[::-1]) / 2 if self.two else np.zeros(2)
        wrong = int(np.count_nonzero(self._are_below(np.nextafter(bias, np.inf))))
        if self._lift.size:
            self._leads[: len(self._kept)] += self._lift[self._kept]
        return Worst(row, lead, low, wrong)

    def below(self, bar: Floats, many: int) -> Codes:
        are_below = self._are_below(bar)
        found: Codes = self._kept[are_below]
        return found[lowest_of_each(self._leads[: len(self._kept)][are_below], self.held.part[found], many)]

    def _are_below(self, bar: Floats) -> NDArray[np.bool_]:
        """For each row that is looked at: is its lead below the bar of its part?"""
        bars = bar[self.held.part[self._kept]] if self.two else bar[0]
        return np.asarray(self._leads[: len(self._kept)] < bars)

    def mistakes(self, w: Floats) -> tuple[int, Floats]:
        rows, total = self.held.rows, np.zeros_like(w)
        rows = rows._replace(bias=1.0) if self.two else rows
        return int(hull.mistakes(rows, self.held.y, w, total)), total

    def screen(self, levels: Floats, far: float, centres: Floats, extra: float) -> None:
        """Leave out the rows that lie too far above their level to have a weight in the nearest point w*.

        If |w - w*| <= far and c is the centre of the row's part, then w*.(z - c) >= w.(z - c) - far |z - c|. Where
        that is positive, z has no weight: c is in the hull, so w*.c is at least the level of the rows with a weight.
        The distance |z - c| is measured from the first c. The way that c has moved since is added.

        Parameters
        ----------
        levels : w.c of each part, plus a bound on the rounding error of w.z - w.c
        far : a bound on |w - w*|
        centres : c of each part
        extra : added to each distance, for the columns of slack
        """
        rows, y, part = self.held
        if self._reference is None:
            self._reference = centres.copy()
            self._distances = np.empty(self.n)
            hull.distances(rows, y, part, centres, self._distances)
        gone = np.linalg.norm(centres - self._reference, axis=1) + extra
        reach = far * (1 + 1e-9)  # the distances are rounded
        own = part[self._kept]
        leads = self._leads[: len(self._kept)]
        stay = leads <= levels[own] + reach * (self._distances[self._kept] + gone[own])
        self._kept = self._kept[stay]
        self._leads[: len(self._kept)] = leads[stay]

    def look_at_all(self) -> None:
        self._kept = self.numbers

    @property
    def left_out(self) -> int:
        return self.n - len(self._kept)
