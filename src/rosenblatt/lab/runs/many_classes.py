"""The perceptron of more than two classes: a weight vector a class, the largest score wins; frame by frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.data.files.board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.runs.votes import Votes
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import change, heading, product, short, starting, turned, vector
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

Matrix = tuple[tuple[float, ...], ...]


class ManyClasses:
    """The frames of a run of a linear machine.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the classes
    settings : the options of the algorithm
    """

    def __init__(self, board: Board, trace: Trace, codes: Sequence[int], settings: dict[str, Any]) -> None:
        self.board, self.trace, self.codes = board, trace, codes
        voted = settings.get("average") == "voted"
        self.votes = Votes(board.view, trace, settings["tie"]) if voted else None

    def told(self) -> Told:
        """All frames: the start, then a step each."""
        trace = self.trace
        names = [(f"score {heading(str(label))}", True) for label in trace.classes]
        after = [(f"w {heading(str(label))}", False) for label in trace.classes]
        first = [(name, True) for name in ("#", "point", *map(heading, self.board.names))]
        told = Told([*first, ("class", False), *names, ("taken for", False), ("mistake", False), *after])
        before: Matrix = trace.start
        told.add(
            "start",
            "start",
            f"The run starts from {starting(before, trace.classes, trace.bias)}.",
            self.ground(told, before, None, 0),
        )
        for t, step in enumerate(trace, 1):
            told.add(
                "mistake" if step.mistake else "update" if step.updated else "right",
                f"step {t} of {len(trace)}, pass {step.epoch}",
                self.sentence(step),
                self.ground(told, step.w, step.answer, t),
                cells=self.cells(t, step),
                points=[] if step.index is None else [step.index],
                score=self.scores(before, step),
                formula=self.changes(before, step),
            )
            before = step.w
        return told

    def cells(self, t: int, step: Step) -> list[str]:
        row = [str(t), str(step.index), *map(short, step.x), str(step.y)]
        after = [f"{vector(w[:-1])} {short(w[-1])}" if self.trace.bias else vector(w[:-1]) for w in step.w]
        return [*row, *map(short, step.score), str(step.predicted), "yes" if step.mistake else "no", *after]

    def scores(self, before: Matrix, step: Step) -> str:
        """A line a class."""
        lines = zip(self.trace.classes, before, step.score, strict=True)
        return "\n".join(f"{label}: {product(w, step.x, self.trace.bias, score)}" for label, w, score in lines)

    def changes(self, before: Matrix, step: Step) -> str:
        """A line for each class whose weights move."""
        lines = zip(self.trace.classes, before, step.w, strict=True)
        moved = [(label, old, new) for label, old, new in lines if old != new]
        return "\n".join(change(old, new, step.x, self.trace.bias, str(label)) for label, old, new in moved)

    def sentence(self, step: Step) -> str:
        point = f"Point {step.index} at {vector(step.x)} is of class {step.y}."
        best = f"The largest score, {short(max(step.score))}, is that of {step.predicted}"
        if step.predicted == step.y and not step.updated:
            return f"{point} {best}, which is right; all weights stay."
        moved = f"It is added to the weights of {step.y} and subtracted from those of the class that was too near."
        if step.predicted == step.y:
            return f"{point} {best}, but not by enough. {moved}{turned(step, self.trace.bias)}"
        if step.score[self.trace.classes.index(step.y)] == max(step.score):
            best = f"Its score for {step.y}, {short(max(step.score))}, is the largest, but {step.predicted} has as much"
        if not step.updated:
            return f"{point} {best}: a mistake. All weights stay."
        fair = f"It is added to the weights of {step.y} and subtracted from those of {step.predicted}."
        return f"{point} {best}: a mistake. {fair}{turned(step, self.trace.bias)}"

    def ground(self, told: Told, w: Matrix, answer: Matrix | None, t: int) -> int:
        return told.ground((w, answer, t if self.votes else 0), lambda: self.draw(w if answer is None else answer, t))

    def draw(self, w: Matrix, t: int) -> list[Shape]:
        """Where each class wins."""
        if self.votes and t:
            return [self.votes.cells(t, self.codes)]
        weights = np.array(w)
        return shapes.areas(weights[:, :2], weights[:, 2] * self.trace.bias, self.codes, self.board.view)
