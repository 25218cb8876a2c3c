"""Algorithms that learn point by point, two classes: the perceptron and its kin, frame by frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.runs.votes import Votes
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import change, heading, product, short, turned, vector, weights_of
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace


class TwoClasses:
    """The frames of a run that learns from two classes, one of which may be all others.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the negative class and of the positive
    settings : the options of the algorithm
    """

    def __init__(self, board: Board, trace: Trace, codes: Sequence[int], settings: dict[str, Any]) -> None:
        self.board, self.trace, self.codes, self.settings = board, trace, codes, settings
        self.names = {label: str(label) for label in trace.classes}
        voted = settings.get("average") == "voted"
        self.votes = Votes(board.view, trace, settings["tie"]) if voted else None
        self.margin = float(settings.get("margin", 0.0))

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Headings of the table, and whether numbers stand below them."""
        names = [heading(name) for name in self.board.names]
        weights = [f"w {name}" for name in names]
        first = [(name, True) for name in ("#", "point", *names)]
        last = [(name, True) for name in [*(["b"] if self.trace.bias else []), *weights]]
        return [*first, ("class", False), ("score", True), ("taken for", False), ("mistake", False), *last]

    def told(self) -> Told:
        """All frames: the start, then a step each."""
        told, before = Told(self.columns), self.trace.start
        words = f"The run starts from {weights_of(before, self.trace.bias)}."
        told.add("start", "start", words, self.ground(told, before, None, 0))
        for t, step in enumerate(self.trace, 1):
            self.tell(told, t, step, before)
            before = step.w
        return told

    def tell(self, told: Told, t: int, step: Step, before: tuple[float, ...]) -> None:
        head = f"step {t} of {len(self.trace)}, pass {step.epoch}"
        told.add(
            "mistake" if step.mistake else "update" if step.updated else "right",
            head,
            self.sentence(step, before),
            self.ground(told, step.w, step.answer, t),
            cells=self.cells(t, step),
            points=[] if step.index is None else [step.index],
            score=product(before, step.x, self.trace.bias, step.score),
            formula=change(before, step.w, step.x, self.trace.bias) if step.w != before else "",
            shapes=self.motion(before, step),
        )

    def cells(self, t: int, step: Step) -> list[str]:
        after = [short(step.w[-1])] if self.trace.bias else []
        after += [short(weight) for weight in step.w[:-1]]
        said = "neither" if step.predicted is None else self.names[step.predicted]
        row = [str(t), str(step.index), *map(short, step.x), self.names[step.y]]
        return [*row, short(step.score), said, "yes" if step.mistake else "no", *after]

    def sentence(self, step: Step, before: tuple[float, ...]) -> str:
        """What happened, and why."""
        point = f"Point {step.index} at {vector(step.x)} is of class {self.names[step.y]}."
        taken = "" if step.predicted is None else self.names[step.predicted]
        side = "0" if step.score == 0 else f"{short(step.score)}, {'above' if step.score > 0 else 'below'} 0"
        if step.predicted is None:
            seen = f"Its score is {side}: on the boundary, which counts as a mistake."
        elif step.predicted != step.y:
            seen = f"Its score is {side}, so it is taken for {taken}: a mistake."
        elif not step.updated:
            return f"{point} Its score is {side}, so it is taken for {taken}, which is right; w stays."
        elif step.mistake:
            seen = f"Its score is {side}, on the right side, but not beyond the margin of {short(self.margin)}."
        else:
            seen = f"Its score is {side}, on the right side, but its margin is below 1."
        if not step.updated:
            return f"{point} {seen} w stays."
        if not any(step.x) and not self.trace.bias:
            return f"{point} {seen} But adding 0 changes nothing: without a bias the origin is always on the boundary."
        positive = step.y == self.trace.classes[1]
        way = "added to w, which turns towards it" if positive else "subtracted from w, which turns away from it"
        if not any(before):
            way = f"{'added to' if positive else 'subtracted from'} w, which was 0"
        return f"{point} {seen} It is {way}.{turned(step, self.trace.bias)}"

    def ground(self, told: Told, w: tuple[float, ...], answer: tuple[float, ...] | None, t: int) -> int:
        """Half-spaces, boundary and w; of an average or a pocket, what answers decides the half-spaces."""
        return told.ground((w, answer, t if self.votes else 0), lambda: self.draw(w, answer, t))

    def draw(self, w: tuple[float, ...], answer: tuple[float, ...] | None, t: int) -> list[Shape]:
        view, plane = self.board.view, self.plane(w)
        if self.votes and t:
            seen = [self.votes.cells(t, self.codes)]
        else:
            seen = shapes.half_spaces(plane if answer is None else self.plane(answer), self.codes, view)
        if answer is not None:
            seen += shapes.boundary(self.plane(answer), view, "answer", title="the boundary that answers")
        return [*seen, *shapes.boundary(plane, view), *shapes.normal(plane, view)]

    def plane(self, w: Sequence[float]) -> Hyperplane:
        return Hyperplane.from_weights(w, self.trace.bias)

    def motion(self, before: tuple[float, ...], step: Step) -> list[Shape]:
        """Where the boundary and w were, how far w turned; through the origin, the point as a vector too."""
        view, old, new = self.board.view, self.plane(before), self.plane(step.w)
        moved: list[Shape] = []
        if step.updated:
            moved = [*shapes.boundary(old, view, "before"), *shapes.turn(old, new, view)]
        x: Floats = np.array(step.x)
        if not self.trace.bias and x.any() and view[0] < 0 < view[1] and view[2] < 0 < view[3]:
            moved.append(shapes.arrow(np.zeros(2), x, "row", "x"))
            if new.w.any():
                moved.append(shapes.arc(np.zeros(2), new.w, x, view, role="angle"))
        return moved
