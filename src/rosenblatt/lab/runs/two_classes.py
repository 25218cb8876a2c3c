"""Frames of algorithms that learn point by point from two classes: the perceptron and its variants."""

import numpy as np

from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, StepInRun, TracedRun
from rosenblatt.lab.runs.row_frames import RowFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import changes, product, short, side_of, turned, vector, weights_of
from rosenblatt.tracing.step import Step


class TwoClassFrames(RowFrames):
    """Builds the frames of a run that learns from two classes, one of which may be all others.

    The first of the run's codes is the number of the negative class, the second that of the positive class.
    """

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        self.names = {label: str(label) for label in run.trace.classes}
        self.margin = float(run.settings.get("margin", 0.0))

    def columns(self) -> Columns:
        said = [("class", False), ("score", True), ("taken for", False), ("mistake", False)]
        return [*self.point_columns(), *said, *self.weight_columns()]

    def cells(self, at: StepInRun) -> list[str]:
        step = at.step
        predicted = "neither" if step.predicted is None else self.names[step.predicted]
        said = [self.names[step.y], short(step.score), predicted, "yes" if step.mistake else "no"]
        return [*self.point_cells(at), *said, *self.weight_cells(step.w)]

    def start_sentence(self) -> str:
        return f"The run starts from {weights_of(self.trace.start, self.trace.bias)}."

    def sentence(self, at: StepInRun) -> str:
        step = at.step
        point = f"Point {step.index} at {vector(step.x)} is of class {self.names[step.y]}."
        seen = self.seen(step)
        if not step.updated:
            return f"{point} {seen} w stays." if step.predicted != step.y else f"{point} {seen}; w stays."
        if not any(step.x) and not self.trace.bias:
            return f"{point} {seen} But adding 0 changes nothing: without a bias the origin is always on the boundary."
        positive = step.y == self.trace.classes[1]
        way = "added to w, which turns towards it" if positive else "subtracted from w, which turns away from it"
        if not any(at.before):
            way = f"{'added to' if positive else 'subtracted from'} w, which was 0"
        return f"{point} {seen} It is {way}.{turned(step, self.trace.bias)}"

    def seen(self, step: Step) -> str:
        """Return the score of a point, and what it says; a right answer that needs no update has no full stop."""
        score = f"Its score is {side_of(step.score)}"
        if step.predicted is None:
            return f"{score}: on the boundary, which counts as a mistake."
        if step.predicted != step.y:
            return f"{score}, so it is taken for {self.names[step.predicted]}: a mistake."
        if not step.updated:
            return f"{score}, so it is taken for {self.names[step.predicted]}, which is right"
        if step.mistake:
            return f"{score}, on the right side, but not beyond the margin of {short(self.margin)}."
        return f"{score}, on the right side, but its margin is below 1."

    def score(self, at: StepInRun) -> str:
        return product(at.before, at.step.x, self.trace.bias, at.step.score)

    def formula(self, at: StepInRun) -> str:
        return changes(self.trace, at.step, at.before)

    def draw(self, number: int, step: Step | None) -> list[Shape]:
        """Return half-spaces, boundary and w. Half-spaces are those of the weights that predict, if these differ."""
        view, plane = self.board.view, self.plane(self.state(step))
        answer = None if step is None or step.answer is None else self.plane(step.answer)
        seen = self.vote_cells(number) or shapes.half_spaces(plane if answer is None else answer, self.codes, view)
        if answer is not None:
            seen += shapes.boundary(answer, view, "answer", title="the boundary that predicts")
        return [*seen, *shapes.boundary(plane, view), *shapes.normal(plane, view)]

    def motion(self, at: StepInRun) -> list[Shape]:
        """Return how the boundary moved; without a bias, the point as a vector and its angle with w too."""
        step, view = at.step, self.board.view
        moved = self.moved_boundary(at.before, step.w) if step.updated else []
        x: Floats = np.array(step.x)
        if not self.trace.bias and x.any() and shapes.has_origin(view):
            moved.append(shapes.arrow(np.zeros(2), x, "row", "x"))
            w = self.plane(step.w).w
            if w.any():
                moved.append(shapes.arc(np.zeros(2), w, x, view, role="angle"))
        return moved
