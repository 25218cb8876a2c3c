"""The counters of a nearest-point search: its bounds, its history, its progress, and when it screens rows."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

RECORD = np.dtype([("row", np.int64), ("lower", np.float64), ("upper", np.float64), ("active", np.int64)])


class Bounds:
    """The best bounds of the length |w*| that a search has proved so far.

    Attributes
    ----------
    lower : some hyperplane that was looked at reaches it
    upper : no hyperplane exceeds it
    """

    def __init__(self, radius: float) -> None:
        self.lower, self.upper = -math.inf, math.inf
        self._radius = radius

    def note_length(self, length: float, rounding: float) -> None:
        """Lower the upper bound to the length of a combination, plus its rounding error.

        `combine` rounds only once, at the end. So the error is `rounding` of the length, and its square of the radius.
        """
        self.upper = min(self.upper, length * (1 + rounding) + rounding**2 * self._radius)


class History:
    """One line for each state of a search, and the number of misclassified rows for each look.

    Attributes
    ----------
    lines : (row of the step, lower bound, upper bound, number of active rows); the first is the start
    wrong : rows on the wrong side, for each look
    row : the row of the last step; -1 at the start and after a jump
    moved : has there been a step since the last look?
    """

    def __init__(self) -> None:
        self.lines: list[tuple[int, float, float, int]] = []
        self.wrong: list[int] = []
        self.row, self.moved = -1, True

    def note_step(self, row: int) -> None:
        """Remember a step. Its line is written by the next look, or before the next step."""
        self.row, self.moved = row, True

    def write_line(self, lower: float, upper: float, active: int) -> None:
        """Write the line of the last step."""
        self.lines.append((self.row, lower, upper, active))

    def note_look(self, wrong: int, lower: float, upper: float, active: int) -> bool:
        """Write the line of a look. Return whether the state is new.

        A second look at the same state, now at more rows, replaces its line.
        """
        self.wrong.append(wrong)
        is_new, self.moved = self.moved, False
        if not is_new:
            self.lines.pop()
        self.write_line(lower, upper, active)
        return is_new

    def as_array(self) -> NDArray[Any]:
        """The lines as an array of dtype RECORD."""
        return np.array(self.lines, dtype=RECORD)


class Progress:
    """Counts the steps in a row that did not help.

    A step helps if it shortens w or narrows the gap between the bounds. Near the end |w| may be as short as floats can
    tell while the lower bound still rises.
    """

    def __init__(self) -> None:
        self.idle = 0
        self._shortest, self._narrowest = math.inf, math.inf

    def note(self, square: float, gap: float, least: float) -> None:
        """Count a step that led to |w|^2 = `square` and this gap. It must improve one of them by the part `least`."""
        helped = square < self._shortest * (1 - least) or gap < self._narrowest * (1 - least)
        self._shortest, self._narrowest = min(self._shortest, square), min(self._narrowest, gap)
        self.idle = 0 if helped else self.idle + 1


class ScreeningSchedule:
    """When to screen rows: at the eighth look in which w separates, then after twice as many, and so on.

    Screening costs as much as a few looks.
    """

    def __init__(self) -> None:
        self._separating, self._due_at = 0, 8

    def is_due(self, lower: float) -> bool:
        """Count a look with this lower bound. Return whether to screen now."""
        self._separating += lower > 0
        if self._separating < self._due_at or not lower > 0:
            return False
        self._due_at *= 2
        return True
