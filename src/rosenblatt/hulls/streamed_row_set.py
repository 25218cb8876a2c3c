"""The protocol `Points` for rows on disk: every look is a pass over a stream.

Memory holds a few chunks, the rows that the search works on, and one number for each row of the stream.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.events import chunks_of, report_progress
from rosenblatt.data import validation
from rosenblatt.data.matrices import doubles, stacked
from rosenblatt.data.streams.chunk import as_wide
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows, signs
from rosenblatt.errors import DataError
from rosenblatt.hulls.row_set import NO_ROWS, Held, Worst, lowest_of_each
from rosenblatt.rules import hull

MAX_KEPT_ROWS = 2000  # rows of each part that a pass keeps in memory


class OnDisk:
    """The rows of a stream as points.

    Parameters
    ----------
    stream : rows of two classes
    bias : the constant at the end of each row
    two : is each class a part?
    """

    left_out = 0

    def __init__(self, stream: Stream, bias: float, *, two: bool) -> None:
        self.stream, self.bias, self.two = stream, bias, two
        self.n, longest = 0, 0.0
        first: dict[int, tuple[int, Any]] = {}
        report_progress("search of the margin", 0, None, "a first pass counts the rows")
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
            raise DataError("The rows of this stream must be of exactly two classes; wrap the estimator for more.")
        self.d = stream.n_columns_
        self.radius = longest * (1 + (self.d + 4) * 2.0**-50)
        self._leads = np.empty(self.n)
        self._signs = np.empty(self.n, np.int8)
        self.numbers: Codes = np.empty(0, np.int64)
        self._matrix: Any = None
        self._held: Held
        self._at: dict[int, int] = {}
        # The numbers, rows and classes that the last look kept.
        self._kept: tuple[Codes, Any, Codes] = (NO_ROWS, None, NO_ROWS)
        for code, (number, row) in sorted(first.items(), key=lambda item: item[1][0]):
            self._add(np.array([number]), row, np.array([code]))

    @property
    def held(self) -> Held:
        return self._held

    def hold(self, rows: Codes) -> Codes:
        new = np.array([i for i in dict.fromkeys(rows.tolist()) if i not in self._at], np.int64)
        if len(new):
            numbers, X, codes = self._kept
            place_of = dict(zip(numbers.tolist(), range(len(numbers)), strict=True))
            places = np.array([place_of[i] for i in new.tolist()])
            self._add(new, X[places], codes[places])
        return np.array([self._at[i] for i in rows.tolist()], np.int64)

    def _add(self, numbers: Codes, X: Any, codes: Codes) -> None:
        """Bring rows into memory."""
        for number in numbers.tolist():
            self._at[number] = len(self._at)
        self.numbers = np.concatenate([self.numbers, numbers])
        X = doubles(as_wide(X, self.d))
        if self._matrix is None:
            self._matrix, y = X, np.empty(0, np.int8)
        else:
            self._matrix = stacked([self._matrix, X])
            y = self._held.y
        y = np.concatenate([y, signs(codes)])
        part = (y > 0).astype(np.int8) if self.two else np.zeros(len(y), np.int8)
        self._held = Held(validation.rows(validation.points(self._matrix), self.bias), y, part)

    def matrix(self, rows: Codes) -> Any:
        """Held rows as an array or a sparse matrix, by their numbers."""
        places = self.hold(rows)
        return self._matrix[places]

    def row(self, i: int) -> Rows:
        return validation.one_row(self._held.rows, int(self.hold(np.array([i]))[0]))

    def worst(self, w: Floats, lifted: Codes = NO_ROWS, lift: Floats | None = None) -> Worst:
        row, lead, low = np.full(2, -1), np.full(2, math.inf), np.full(2, math.inf)
        kept: list[tuple[Codes, Any, Codes]] = []
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
            chosen = np.union1d(lowest_of_each(leads, part, MAX_KEPT_ROWS), found[found >= 0])
            kept.append((chosen + start, X[chosen], codes[chosen]))
        self._keep(kept, row, lifted, lift)
        bias = np.nextafter((lead - lead[::-1]) / 2 if self.two else np.zeros(2), np.inf)
        wrong = int(np.count_nonzero(self._leads < np.where(self._part(self._signs) == 0, bias[0], bias[1])))
        return Worst(row, lead, low, wrong)

    def _keep(self, kept: list[tuple[Codes, Any, Codes]], worst: Codes, lifted: Codes, lift: Floats | None) -> None:
        """Keep the rows with the smallest leads of a look, and these leads."""
        numbers, codes = (np.concatenate([part[k] for part in kept]) for k in (0, 2))
        matrices = [as_wide(part[1], self.d) for part in kept]
        X = stacked(matrices)
        leads = self._leads[numbers]
        if lift is not None:
            raised = dict(zip(lifted.tolist(), lift.tolist(), strict=True))
            leads = leads + np.array([raised.get(i, 0.0) for i in numbers.tolist()])
        lowest = lowest_of_each(leads, self._part(signs(codes)), MAX_KEPT_ROWS)
        chosen = np.union1d(lowest, np.flatnonzero(np.isin(numbers, worst)))
        self._kept, self._kept_leads = (numbers[chosen], X[chosen], codes[chosen]), leads[chosen]

    def _part(self, y: NDArray[Any]) -> NDArray[np.int8]:
        return (y > 0).astype(np.int8) if self.two else np.zeros(len(y), np.int8)

    def below(self, bar: Floats, many: int) -> Codes:
        numbers, _, codes = self._kept
        part = self._part(signs(codes))
        are_below = np.flatnonzero(self._kept_leads < np.where(part == 0, bar[0], bar[1]))
        chosen = lowest_of_each(self._kept_leads[are_below], part[are_below], many)
        return np.asarray(numbers[are_below[chosen]])

    def mistakes(self, w: Floats) -> tuple[int, Floats]:
        count, total = 0, np.zeros_like(w)
        for _, X, codes in self._chunks():
            rows = validation.rows(X, 1.0 if self.two else self.bias)
            count += int(hull.mistakes(rows, signs(codes), w, total))
        return count, total

    def screen(self, levels: Floats, far: float, centres: Floats, extra: float) -> None:
        """Do nothing: every look is a pass over all rows."""

    def look_at_all(self) -> None:
        """Do nothing: no row was left out."""

    def _chunks(self) -> Iterator[tuple[int, Any, Codes]]:
        start = 0
        for chunk in chunks_of(self.stream, "search of the margin"):
            yield start, chunk.X, chunk.codes
            start += len(chunk.codes)
