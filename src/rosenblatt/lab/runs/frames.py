"""The frames of a run, which the page plays, and the base class of what builds them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.options import Algorithm
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, short
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

Document = dict[str, Any]
Columns = list[tuple[str, bool]]  # the heading of each column, and whether it holds numbers


@dataclass
class Frames:
    """The frames of a run, with a table that has one row for each step.

    Attributes
    ----------
    columns : the headings of the table, and whether each column holds numbers
    frames : one for the start, and one for each step
    grounds : the shapes behind the frames. A frame names its ground by number, so that equal grounds are sent once
    """

    columns: Columns
    frames: list[dict[str, Any]] = field(default_factory=list)
    grounds: list[list[Shape]] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def ground(self, key: Hashable, draw: Callable[[], list[Shape]]) -> int:
        """Return the number of the ground with this key; `draw` is called only if the key is new."""
        if key not in self._numbers:
            self._numbers[key] = len(self.grounds)
            self.grounds.append(draw())
        return self._numbers[key]

    def add(
        self,
        kind: str,
        head: str,
        sentence: str,
        ground: int,
        *,
        cells: Sequence[str] | None = None,
        points: Sequence[int] = (),
        score: str = "",
        formula: str = "",
        shapes: Sequence[Shape] = (),
    ) -> None:
        """Add a frame: the name of the step, what happened and why, and the shapes over its ground."""
        self.frames.append(
            {
                "kind": kind,
                "head": head,
                "sentence": sentence,
                "score": score,
                "formula": formula,
                "cells": None if cells is None else list(cells),
                "point": points[0] if len(points) == 1 else None,
                "points": list(points),
                "ground": ground,
                "shapes": list(shapes),
            }
        )

    def document(self) -> Document:
        """Return the frames as JSON has them."""
        return {
            "columns": [name for name, _ in self.columns],
            "numeric": [is_number for _, is_number in self.columns],
            "frames": self.frames,
            "grounds": self.grounds,
        }


class FrameBuilder(ABC):
    """Builds the frames of a run on a board."""

    board: Board

    @abstractmethod
    def columns(self) -> Columns:
        """Return the headings of the table, and whether each column holds numbers."""

    @abstractmethod
    def build(self) -> Frames:
        """Return all frames: the start, then one for each step."""


class UntracedFrames(FrameBuilder):
    """Builds the frames of an algorithm that has no training steps to trace."""

    @abstractmethod
    def title(self) -> str:
        """Return the name of the model with its parameters."""

    @abstractmethod
    def outcome(self) -> dict[str, str]:
        """Return what was reached: `kind` is "good", "bad" or "open", `text` is a sentence."""

    def document(self) -> Document:
        """Return the whole answer to the page."""
        frames = self.build().document()
        return {"title": self.title(), **frames, "chart": None, "outcome": self.outcome(), "cut": False}


@dataclass(frozen=True)
class TracedRun:
    """A run on a board whose steps were traced.

    Attributes
    ----------
    board : the points, or the Gaussians
    algorithm, settings : the algorithm and its options
    trace : the recorded steps
    codes : the number on the board of each class of the trace
    start_bounds : for a search (`Kozinec`, `Anderson`), the bounds of the margin or radius before the first step
    fitted : for a search, the estimator that the traced run fitted; None if a search of `Kozinec` was cut off
    """

    board: Board
    algorithm: Algorithm
    settings: dict[str, Any]
    trace: Trace
    codes: Sequence[Any]
    start_bounds: tuple[float, float] | None = None
    fitted: Any = None


class StepInRun(NamedTuple):
    """A step with its number, counted from 1, and the state before it: the weights, or the kernel's weights."""

    number: int
    step: Step
    before: Any


class TraceFrames(FrameBuilder):
    """Builds the frames of a traced run.

    A subclass says what the table, the sentences and the pictures are; `build` puts them together.

    Parameters
    ----------
    run : the run
    """

    def __init__(self, run: TracedRun) -> None:
        self.board, self.settings, self.trace, self.codes = run.board, run.settings, run.trace, run.codes

    def build(self) -> Frames:
        """Return all frames: the start, then one for each step."""
        frames = Frames(self.columns())
        frames.add("start", "start", self.start_sentence(), self.ground(frames, 0, None))
        self.add_steps(frames)
        return frames

    def add_steps(self, frames: Frames) -> None:
        """Add a frame for each step."""
        before = self.state(None)
        for number, step in enumerate(self.trace, 1):
            at = StepInRun(number, step, before)
            frames.add(
                self.kind(step),
                self.head(at),
                self.sentence(at),
                self.ground(frames, number, step),
                cells=self.cells(at),
                points=self.points(step),
                score=self.score(at),
                formula=self.formula(at),
                shapes=self.motion(at),
            )
            before = self.state(step)

    def ground(self, frames: Frames, number: int, step: Step | None) -> int:
        """Return the number of the ground after a step; step None is the start."""
        return frames.ground(self.ground_key(number, step), lambda: self.draw(number, step))

    @abstractmethod
    def start_sentence(self) -> str:
        """Return what the run starts from."""

    @abstractmethod
    def sentence(self, at: StepInRun) -> str:
        """Return what happened at a step, and why."""

    @abstractmethod
    def cells(self, at: StepInRun) -> list[str]:
        """Return the row of the table for a step."""

    @abstractmethod
    def formula(self, at: StepInRun) -> str:
        """Return how the weights changed, as a sum; "" if they did not change."""

    @abstractmethod
    def draw(self, number: int, step: Step | None) -> list[Shape]:
        """Return the ground after a step; step None is the start."""

    def score(self, at: StepInRun) -> str:  # noqa: ARG002
        """Return the score of the row as a sum; "" where no row is scored."""
        return ""

    def motion(self, at: StepInRun) -> list[Shape]:  # noqa: ARG002
        """Return shapes that show how the boundary moved."""
        return []

    def state(self, step: Step | None) -> Any:
        """Return the weights after a step; step None is the start."""
        return self.trace.start if step is None else step.w

    def ground_key(self, number: int, step: Step | None) -> Hashable:  # noqa: ARG002
        """Return a key that is equal for steps with equal grounds."""
        return self.state(step), None if step is None else step.answer

    def kind(self, step: Step) -> str:
        """Return the kind of the frame."""
        return "mistake" if step.mistake else "update" if step.updated else "right"

    def head(self, at: StepInRun) -> str:
        """Return the name of a step."""
        return f"step {at.number} of {len(self.trace)}, pass {at.step.epoch}"

    def points(self, step: Step) -> list[int]:
        """Return the numbers of the points that the step is about."""
        return [] if step.index is None else [step.index]

    def plane(self, w: Sequence[float]) -> Hyperplane:
        """Return the hyperplane of weights, the bias weight last."""
        return Hyperplane.from_weights(w, self.trace.bias)

    def weight_columns(self) -> Columns:
        """Return the columns of the weights of two classes, the bias weight first."""
        names = [*(["b"] if self.trace.bias else []), *(f"w {heading(name)}" for name in self.board.names)]
        return [(name, True) for name in names]

    def weight_cells(self, w: Sequence[float]) -> list[str]:
        """Return the cells of the weights of two classes, the bias weight first."""
        return [*([short(w[-1])] if self.trace.bias else []), *map(short, w[:-1])]

    def point_columns(self) -> Columns:
        """Return the columns of the step's number, its point, and the coordinates of the point."""
        return [(name, True) for name in ("#", "point", *map(heading, self.board.names))]

    def point_cells(self, at: StepInRun) -> list[str]:
        """Return the cells of the step's number, its point, and the coordinates of the point."""
        return [str(at.number), str(at.step.index), *map(short, at.step.x)]

    def moved_boundary(self, before: Sequence[float], after: Sequence[float]) -> list[Shape]:
        """Return the boundary before a step, and how far w turned."""
        old, new, view = self.plane(before), self.plane(after), self.board.view
        return [*shapes.boundary(old, view, "before"), *shapes.turn(old, new, view)]
