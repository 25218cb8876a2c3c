"""Points on disk: what a solver asks of rows, answered by passes over a stream.

Memory holds a few chunks, the rows that the search works on, and one number for each row of the stream.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.events import chunks_of, tell
from rosenblatt.data import validation
from rosenblatt.data.matrices import stacked
from rosenblatt.data.streams.chunk import as_wide
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows, signs
from rosenblatt.errors import DataError
from rosenblatt.hulls.row_set import NONE, Held, Worst
from rosenblatt.rules import hull

FEW = 2000  # rows of each part that are brought along from a pass


class OnDisk:
    """Points of a stream.

    Parameters
    ----------
    stream : its rows, of two classes
    bias : the constant that each row ends with
    two : is each class a part?
    """

    left_out = 0

    def __init__(self, stream: Stream, bias: float, *, two: bool) -> None:
        self.stream, self.bias, self.two = stream, bias, two
        self.n, longest = 0, 0.0
        first: dict[int, tuple[int, Any]] = {}
        tell("search of the margin", 0, None, "a first pass counts the rows")
        for start, X, codes in self._chunks():
            lengths = np.empty(len(codes))
            hull.lengths(validation.rows(X, bias), lengths)
            longest = max(longest, float(lengths.max(initial=0.0)))
            for code in (0, 1):
                if code not in first and (codes == code).any():
                    at = int(np.argmax(codes == code))
                    first[code] = start + at, X[[at]]
            self.n += len(codes)
        if len(stream.header.classes) != 2 or len(first) < 2:
            raise DataError("The rows of a stream must be of two classes here; wrap it for more.")
        self.d = stream.n_columns_
        self.radius = longest * (1 + (self.d + 4) * 2.0**-50)
        self._leads = np.empty(self.n)
        self._signs = np.empty(self.n, np.int8)
        self.numbers: Codes = np.empty(0, np.int64)
        self._matrix: Any = None
        self._held: Held
        self._at: dict[int, int] = {}
        self._near: tuple[Codes, Any, Codes] = (NONE, None, NONE)  # numbers, rows and classes met in the last look
        for code, (number, row) in sorted(first.items(), key=lambda item: item[1][0]):
            self._add(np.array([number]), row, np.array([code]))

    @property
    def held(self) -> Held:
        return self._held

    def hold(self, rows: Codes) -> Codes:
        new = np.array([i for i in dict.fromkeys(rows.tolist()) if i not in self._at], np.int64)
        if len(new):
            numbers, X, codes = self._near
            order = np.argsort(numbers)
            place = order[np.searchsorted(numbers, new, sorter=order)]
            assert (numbers[place] == new).all()  # noqa: S101
            self._add(new, X[place], codes[place])
        return np.array([self._at[i] for i in rows.tolist()], np.int64)

    def _add(self, numbers: Codes, X: Any, codes: Codes) -> None:
        """Bring rows into memory."""
        for number in numbers.tolist():
            self._at[number] = len(self._at)
        self.numbers = np.concatenate([self.numbers, numbers])
        X = as_wide(X, self.d)
        if self._matrix is None:
            self._matrix, y = X, np.empty(0, np.int8)
        else:
            self._matrix = stacked([self._matrix, X])
            y = self._held.y
        y = np.concatenate([y, signs(codes)])
        part = (y > 0).astype(np.int8) if self.two else np.zeros(len(y), np.int8)
        self._held = Held(validation.rows(validation.points(self._matrix), self.bias), y, part)

    def matrix(self, rows: Codes) -> Any:
        """Rows that are held, by their numbers."""
        places = self.hold(rows)
        return self._matrix[places]

    def row(self, i: int) -> Rows:
        return validation.one_row(self._held.rows, int(self.hold(np.array([i]))[0]))

    def worst(self, w: Floats, lifted: Codes = NONE, lift: Floats | None = None) -> Worst:
        row, lead, low = np.full(2, -1), np.full(2, math.inf), np.full(2, math.inf)
        near: list[tuple[Codes, Any, Codes]] = []
        for start, X, codes in self._chunks():
            n = len(codes)
            y = signs(codes)
            part = (y > 0).astype(np.int8) if self.two else np.zeros(n, np.int8)
            raised = np.zeros(n if lift is not None else 0)
            if lift is not None:
                inside = (lifted >= start) & (lifted < start + n)
                raised[lifted[inside] - start] = lift[inside]
            every, leads = np.arange(n), np.empty(n)
            found, least, lower = hull.worst(validation.rows(X, self.bias), y, part, w, raised, every, leads)
            for p in (0, 1):
                if found[p] >= 0 and least[p] < lead[p]:
                    row[p], lead[p] = found[p] + start, least[p]
                low[p] = min(low[p], lower[p])
            self._leads[start : start + n], self._signs[start : start + n] = leads, y
            if lift is not None:
                leads = leads + raised
            chosen = np.union1d(_lowest(leads, part), found[found >= 0])
            near.append((chosen + start, X[chosen], codes[chosen]))
        self._note(near, row, lifted, lift)
        bias = np.nextafter((lead - lead[::-1]) / 2 if self.two else np.zeros(2), np.inf)
        wrong = int(np.count_nonzero(self._leads < np.where(self._part(self._signs) == 0, bias[0], bias[1])))
        return Worst(row, lead, low, wrong)

    def _note(self, near: list[tuple[Codes, Any, Codes]], worst: Codes, lifted: Codes, lift: Floats | None) -> None:
        """Keep the worst placed rows of a look, and their leads."""
        numbers, codes = (np.concatenate([part[k] for part in near]) for k in (0, 2))
        matrices = [as_wide(part[1], self.d) for part in near]
        X = stacked(matrices)
        leads = self._leads[numbers]
        if lift is not None:
            raised = dict(zip(lifted.tolist(), lift.tolist(), strict=True))
            leads = leads + np.array([raised.get(i, 0.0) for i in numbers.tolist()])
        chosen = np.union1d(_lowest(leads, self._part(signs(codes))), np.flatnonzero(np.isin(numbers, worst)))
        self._near, self._near_leads = (numbers[chosen], X[chosen], codes[chosen]), leads[chosen]

    def _part(self, y: NDArray[Any]) -> NDArray[np.int8]:
        return (y > 0).astype(np.int8) if self.two else np.zeros(len(y), np.int8)

    def below(self, bar: Floats, many: int) -> Codes:
        numbers, _, codes = self._near
        part = self._part(signs(codes))
        worst = []
        for p in (0, 1):
            own = np.flatnonzero((part == p) & (self._near_leads < bar[p]))
            worst.append(numbers[own[np.argsort(self._near_leads[own], kind="stable")][:many]])
        return np.concatenate(worst)

    def mistakes(self, w: Floats) -> tuple[int, Floats]:
        count, total = 0, np.zeros_like(w)
        for _, X, codes in self._chunks():
            rows = validation.rows(X, 1.0 if self.two else self.bias)
            count += int(hull.mistakes(rows, signs(codes), w, total))
        return count, total

    def screen(self, levels: Floats, far: float, centres: Floats, extra: float) -> None:
        """Every look is a pass over all rows: none is left out."""

    def look_at_all(self) -> None:
        """None was left out."""

    def _chunks(self) -> Iterator[tuple[int, Any, Codes]]:
        start = 0
        for chunk in chunks_of(self.stream, "search of the margin"):
            yield start, chunk.X, chunk.codes
            start += len(chunk.codes)


def _lowest(leads: Floats, part: NDArray[np.int8]) -> Codes:
    """The places of the lowest leads of each part, not too many of them."""
    found = []
    for p in (0, 1):
        own = np.flatnonzero(part == p)
        if len(own) > FEW:
            own = own[np.argpartition(leads[own], FEW)[:FEW]]
        found.append(own)
    return np.concatenate(found)
