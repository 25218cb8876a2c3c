"""Questions to a reader: what is asked, what is right, and what to say to an answer.

What is right is computed when it is asked for; nothing here, and nothing that a page is sent before, holds it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import LARGEST, Board
from rosenblatt.errors import DataError
from rosenblatt.lab import wording

LONGEST = 40  # characters of a number that a reader writes
NEAR = 1e-6  # what decimals may be off by, in parts of the number and of 1


class Judged(NamedTuple):
    """Is an answer right, what is there to say to it, and what to draw?"""

    right: bool
    say: str = ""
    shapes: tuple[dict[str, Any], ...] = ()


class Question(ABC):
    """One field of what is asked; `name` is that of its answer."""

    name: str
    label: str
    kind: str

    def document(self) -> dict[str, Any]:
        """The field as the page has it."""
        return {"name": self.name, "label": self.label, "kind": self.kind}

    @abstractmethod
    def read(self, given: Any) -> Any:
        """An answer as JSON has it, checked: a DataError says what it should have been."""

    @abstractmethod
    def solution(self) -> Any:
        """A right answer, as JSON has it."""

    @abstractmethod
    def judge(self, answer: Any) -> Judged:
        """Is what `read` gave right?"""

    def told(self) -> str:
        """A right answer in words."""
        return str(self.solution())


@dataclass(frozen=True)
class Choice(Question):
    """One of several answers; `hints` has what to say to the wrong ones, by answer or under "" for all."""

    name: str
    label: str
    choices: tuple[str, ...]
    right: Callable[[], str]
    hints: Mapping[str, str] = field(default_factory=dict)
    kind = "choice"

    def document(self) -> dict[str, Any]:
        return super().document() | {"choices": list(self.choices)}

    def read(self, given: Any) -> str:
        if not isinstance(given, str) or given not in self.choices:
            raise DataError(f"{quoted(self.label)} must be one of the answers offered, not {short(given)}.")
        return given

    def solution(self) -> str:
        return self.right()

    def judge(self, answer: str) -> Judged:
        if answer == self.right():
            return Judged(True)
        return Judged(False, self.hints.get(answer, self.hints.get("", "That is not so.")))


@dataclass(frozen=True)
class Number(Question):
    """A number; `hint` is said to a wrong one, unless only its sign is."""

    name: str
    label: str
    right: Callable[[], float]
    hint: str
    within: float = 0.0
    kind = "number"

    def read(self, given: Any) -> float:
        return number(given, self.label)

    def solution(self) -> float:
        return written(self.right())

    def told(self) -> str:
        return wording.short(self.right())

    def judge(self, answer: float) -> Judged:
        right = float(self.right())
        if near(answer, right, self.within):
            return Judged(True)
        if right and near(-answer, right, self.within):
            return Judged(False, "The size is right, but the sign is not.")
        return Judged(False, self.hint)


@dataclass(frozen=True)
class Numbers(Question):
    """Several numbers, each with the name of its part; `slips` are wrong answers that have a sentence of their own."""

    name: str
    label: str
    parts: tuple[str, ...]
    right: Callable[[], Sequence[float]]
    hint: str
    slips: Callable[[], Sequence[tuple[Sequence[float], str]]] = lambda: ()
    within: float = 0.0
    kind = "numbers"

    def document(self) -> dict[str, Any]:
        return super().document() | {"count": len(self.parts), "parts": list(self.parts)}

    def read(self, given: Any) -> list[float]:
        if not isinstance(given, list) or len(given) != len(self.parts):
            raise DataError(f"{quoted(self.label)} must be {len(self.parts)} numbers, not {short(given)}.")
        return [number(x, f"{self.label}: {part}") for x, part in zip(given, self.parts, strict=True)]

    def solution(self) -> list[float]:
        return [written(x) for x in self.right()]

    def told(self) -> str:
        return wording.vector(self.right())

    def judge(self, answer: list[float]) -> Judged:
        right = self.solution()
        wrong = [part for part, x, r in zip(self.parts, answer, right, strict=True) if not near(x, r, self.within)]
        if not wrong:
            return Judged(True)
        for slip, sentence in self.slips():
            if all(near(x, s, self.within) for x, s in zip(answer, slip, strict=True)):
                return Judged(False, sentence)
        if len(wrong) < len(self.parts):
            return Judged(False, f"Not right yet: {' and '.join(wrong)}. {self.hint}")
        return Judged(False, self.hint)


@dataclass(frozen=True)
class Line(Question):
    """A line that the reader draws; it may be off by `within` at most where the right one leaves the view."""

    name: str
    label: str
    plane: Hyperplane
    view: tuple[float, float, float, float]
    within: float
    kind = "line"

    def read(self, given: Any) -> Hyperplane:
        if (
            not isinstance(given, list)
            or len(given) != 2
            or not all(isinstance(p, list) and len(p) == 2 for p in given)
        ):
            raise DataError(
                f"{quoted(self.label)} must be two points of the line, [[x, y], [x, y]], not {short(given)}."
            )
        (x, y), (u, v) = ([number(c, self.label, LARGEST) for c in point] for point in given)
        length = math.hypot(u - x, v - y)
        if not length > 1e-6 * (self.view[1] - self.view[0]):
            raise DataError("A line needs two points that are not the same: draw it from one edge to another.")
        normal = (y - v) / length, (u - x) / length
        return Hyperplane(normal, -(normal[0] * x + normal[1] * y))

    def solution(self) -> list[list[float]]:
        return [[float(x) for x in end] for end in self.ends()]

    def told(self) -> str:
        return f"the line {self.plane.equation()}"

    def ends(self) -> Any:
        """Where the right line leaves the view."""
        ends = self.plane.segment(self.view[:2], self.view[2:])
        if ends is None or not np.ptp(ends, axis=0).any():
            raise DataError("The line is not in the view, so there is nothing to draw.")
        return ends

    def judge(self, answer: Hyperplane) -> Judged:
        off = float(answer.distance(self.ends()).max())
        if off <= self.within:
            return Judged(True, f"Your line is off by no more than {max(off, 0.01):.2f} in this view.")
        w, b = self.plane.w, self.plane.b
        turned = abs(float(answer.w @ w)) / self.plane.norm  # of unit vectors: 1 if parallel
        flipped = Hyperplane(w, -b).segment(self.view[:2], self.view[2:])
        if b and flipped is not None and float(answer.distance(flipped).max()) <= self.within:
            return Judged(False, "This is the line of w.x - b = 0: the sign of b was lost.")
        if turned < 0.1:
            return Judged(False, "Your line runs along w; the boundary is perpendicular to w.")
        if turned > 0.995:
            return Judged(False, "The direction is right, but the place is not: where does the line cross the axes?")
        return Judged(
            False,
            f"It is off by {off:.2g} where the right one leaves the view, and {self.within:.2g} is accepted. Find two "
            "of its points: choose a value for one coordinate and solve for the other.",
        )


@dataclass(frozen=True)
class Points(Question):
    """The points on the board are the answer; `judged` says what they come to."""

    name: str
    label: str
    judged: Callable[[Board], Judged]
    example: Callable[[], Board]
    kind = "board"

    def read(self, given: Any) -> Board:
        return given if isinstance(given, Board) else Board.of(given)

    def solution(self) -> dict[str, Any]:
        return self.example().document()

    def told(self) -> str:
        return "a board that does it is laid on the plane."

    def judge(self, answer: Board) -> Judged:
        return self.judged(answer)


def number(given: Any, label: str, most: float = 1e15) -> float:
    """A number as a reader writes it: -2, 0.5, 1/3."""
    if isinstance(given, str) and 0 < len(given.strip()) <= LONGEST:
        text = given.strip().replace("\N{MINUS SIGN}", "-")
        over, _, under = text.partition("/")
        try:
            value = float(over) / float(under or 1)
        except (ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
    elif isinstance(given, int | float) and not isinstance(given, bool):
        value = float(given) if abs(given) <= most else math.nan
    else:
        value = math.nan
    if not abs(value) <= most:
        raise DataError(f"{quoted(label)} must be a number, such as -2, 0.5 or 1/3, not {short(given)}.")
    return value


def written(x: float) -> float:
    """As many digits of a number as a reader would write, and more than are asked for.

    >>> written(1.9999999999999998), written(1 / 3)
    (2.0, 0.3333333)
    """
    return float(f"{x:.7g}")


def near(answer: float, right: float, within: float) -> bool:
    """Are they the same, as far as a reader is asked to be exact?"""
    return abs(answer - right) <= max(within, NEAR * max(1.0, abs(right)))


def quoted(label: str) -> str:
    return f'"{label}"'


def short(value: Any) -> str:
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
