"""The kinds of question that a lesson asks, and the feedback to each answer.

A question computes its right answer when an answer is checked. The page never receives it before that.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.lab_board import MAX_COORDINATE, Board
from rosenblatt.errors import DataError
from rosenblatt.lab import wording

MAX_NUMBER_CHARACTERS = 40
TOLERANCE = 1e-6  # relative for numbers above 1, absolute below


class Judgement(NamedTuple):
    """The result of checking one answer: whether it is right, a sentence of feedback, and shapes to draw."""

    right: bool
    say: str = ""
    shapes: tuple[dict[str, Any], ...] = ()


class Question(ABC):
    """One question of a step. Its answer is stored under `name`."""

    name: str
    label: str
    kind: str

    def document(self) -> dict[str, Any]:
        """The question as JSON for the page."""
        return {"name": self.name, "label": self.label, "kind": self.kind}

    @abstractmethod
    def read(self, given: Any) -> Any:
        """Convert an answer from JSON; raise DataError if it has the wrong form."""

    @abstractmethod
    def solution(self) -> Any:
        """A right answer, in the form that JSON uses."""

    @abstractmethod
    def judge(self, answer: Any) -> Judgement:
        """Check an answer that `read` returned."""

    def solution_text(self) -> str:
        """A right answer in words."""
        return str(self.solution())


@dataclass(frozen=True)
class Choice(Question):
    """Several choices, one of them right. `hints` maps a wrong choice to its feedback; the key "" covers the rest."""

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
            raise DataError(f"{quoted(self.label)} must be one of the choices offered, not {shortened(given)}.")
        return given

    def solution(self) -> str:
        return self.right()

    def judge(self, answer: str) -> Judgement:
        if answer == self.right():
            return Judgement(True)
        return Judgement(False, self.hints.get(answer, self.hints.get("", "This choice is not right.")))


@dataclass(frozen=True)
class Number(Question):
    """One number. `hint` is the feedback to a wrong number, unless only the sign is wrong."""

    name: str
    label: str
    right: Callable[[], float]
    hint: str
    within: float = 0.0
    kind = "number"

    def read(self, given: Any) -> float:
        return number(given, self.label)

    def solution(self) -> float:
        return rounded(self.right())

    def solution_text(self) -> str:
        return wording.short(self.right())

    def judge(self, answer: float) -> Judgement:
        right = float(self.right())
        if is_close(answer, right, self.within):
            return Judgement(True)
        if right and is_close(-answer, right, self.within):
            return Judgement(False, "The size is right, but the sign is wrong.")
        return Judgement(False, self.hint)


@dataclass(frozen=True)
class Numbers(Question):
    """Several named numbers. `common_errors` lists wrong answers that have their own feedback."""

    name: str
    label: str
    parts: tuple[str, ...]
    right: Callable[[], Sequence[float]]
    hint: str
    common_errors: Callable[[], Sequence[tuple[Sequence[float], str]]] = lambda: ()
    within: float = 0.0
    kind = "numbers"

    def document(self) -> dict[str, Any]:
        return super().document() | {"count": len(self.parts), "parts": list(self.parts)}

    def read(self, given: Any) -> list[float]:
        if not isinstance(given, list) or len(given) != len(self.parts):
            raise DataError(f"{quoted(self.label)} must be {len(self.parts)} numbers, not {shortened(given)}.")
        return [number(x, f"{self.label}: {part}") for x, part in zip(given, self.parts, strict=True)]

    def solution(self) -> list[float]:
        return [rounded(x) for x in self.right()]

    def solution_text(self) -> str:
        return wording.vector(self.right())

    def judge(self, answer: list[float]) -> Judgement:
        right = self.solution()
        wrong = [part for part, x, r in zip(self.parts, answer, right, strict=True) if not is_close(x, r, self.within)]
        if not wrong:
            return Judgement(True)
        for error, sentence in self.common_errors():
            if all(is_close(x, e, self.within) for x, e in zip(answer, error, strict=True)):
                return Judgement(False, sentence)
        if len(wrong) < len(self.parts):
            return Judgement(False, f"Not right yet: {' and '.join(wrong)}. {self.hint}")
        return Judgement(False, self.hint)


@dataclass(frozen=True)
class Line(Question):
    """A line that the reader draws.

    It is right if its distance to both ends of the right line, at the edges of the view, is at most `within`.
    """

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
                f"{quoted(self.label)} must be two points of the line, [[x, y], [x, y]], not {shortened(given)}."
            )
        (x, y), (u, v) = ([number(c, self.label, MAX_COORDINATE) for c in point] for point in given)
        length = math.hypot(u - x, v - y)
        if not length > 1e-6 * (self.view[1] - self.view[0]):
            raise DataError("A line needs two different points. Draw it from one edge of the plane to another.")
        normal = (y - v) / length, (u - x) / length
        return Hyperplane(normal, -(normal[0] * x + normal[1] * y))

    def solution(self) -> list[list[float]]:
        return [[float(x) for x in end] for end in self.ends()]

    def solution_text(self) -> str:
        return f"the line {self.plane.equation()}"

    def ends(self) -> Any:
        """The two places where the right line leaves the view."""
        ends = self.plane.segment(self.view[:2], self.view[2:])
        if ends is None or not np.ptp(ends, axis=0).any():
            raise DataError("The right line lies outside the view, so it cannot be drawn.")
        return ends

    def judge(self, answer: Hyperplane) -> Judgement:
        off = float(answer.distance(self.ends()).max())
        if off <= self.within:
            return Judgement(True, f"In this view, your line is at most {max(off, 0.01):.2f} away from the right line.")
        w, b = self.plane.w, self.plane.b
        cosine = abs(float(answer.w @ w)) / self.plane.norm  # between the two normals: 1 if the lines are parallel
        flipped = Hyperplane(w, -b).segment(self.view[:2], self.view[2:])
        if b and flipped is not None and float(answer.distance(flipped).max()) <= self.within:
            return Judgement(False, "This is the line w.x - b = 0. The sign of b is wrong.")
        if cosine < 0.1:
            return Judgement(False, "Your line is parallel to w. The boundary is perpendicular to w.")
        if cosine > 0.995:
            return Judgement(
                False, "The direction is right, but the position is not. Where does the line cross the axes?"
            )
        return Judgement(
            False,
            f"At the edge of the view, your line is {off:.2g} away from the right line. The limit is "
            f"{self.within:.2g}. To find two points of the line, choose a value for one coordinate and solve for the "
            "other.",
        )


@dataclass(frozen=True)
class Points(Question):
    """The points on the board are the answer; `check_board` judges them."""

    name: str
    label: str
    check_board: Callable[[Board], Judgement]
    example: Callable[[], Board]
    kind = "board"

    def read(self, given: Any) -> Board:
        return given if isinstance(given, Board) else Board.of(given)

    def solution(self) -> dict[str, Any]:
        return self.example().document()

    def solution_text(self) -> str:
        return "the plane now shows one solution."

    def judge(self, answer: Board) -> Judgement:
        return self.check_board(answer)


def number(given: Any, label: str, limit: float = 1e15) -> float:
    """Convert a number that a reader wrote, such as -2, 0.5 or 1/3."""
    if isinstance(given, str) and 0 < len(given.strip()) <= MAX_NUMBER_CHARACTERS:
        text = given.strip().replace("\N{MINUS SIGN}", "-")
        over, _, under = text.partition("/")
        try:
            value = float(over) / float(under or 1)
        except (ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
    elif isinstance(given, int | float) and not isinstance(given, bool):
        value = float(given) if abs(given) <= limit else math.nan
    else:
        value = math.nan
    if not abs(value) <= limit:
        raise DataError(f"{quoted(label)} must be a number, such as -2, 0.5 or 1/3, not {shortened(given)}.")
    return value


def rounded(x: float) -> float:
    """Round a solution to seven digits, more than a reader has to give.

    >>> rounded(1.9999999999999998), rounded(1 / 3)
    (2.0, 0.3333333)
    """
    return float(f"{x:.7g}")


def is_close(answer: float, right: float, within: float) -> bool:
    """Whether an answer is close enough to the right number."""
    return abs(answer - right) <= max(within, TOLERANCE * max(1.0, abs(right)))


def quoted(label: str) -> str:
    return f'"{label}"'


def shortened(value: Any) -> str:
    """A value as text for a message, cut off after 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
