"""Frames of the batch perceptron, which adds all points that are wrong at once."""

from typing import Any

import numpy as np

from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, StepInRun, TracedRun, TraceFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import MAX_LISTED_POINTS, class_weight_cells, heading, listed, short, starting, vector
from rosenblatt.tracing.step import Step


class BatchFrames(TraceFrames):
    """Builds the frames of a run that looks at all points in every step."""

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        self.two = len(run.codes) == 2

    def columns(self) -> Columns:
        weights = [(f"w {heading(str(label))}", False) for label in self.trace.classes]
        return [("#", True), ("wrong", True), ("which", False), *(self.weight_columns() if self.two else weights)]

    def cells(self, at: StepInRun) -> list[str]:
        wrong, w = self.points(at.step), at.step.w
        which = ", ".join(map(str, wrong[:MAX_LISTED_POINTS])) + ", ..." * (len(wrong) > MAX_LISTED_POINTS)
        weights = self.weight_cells(w) if self.two else class_weight_cells(w, self.trace.bias)
        return [str(at.number), str(len(wrong)), which, *weights]

    def head(self, at: StepInRun) -> str:
        return f"look {at.number} of {len(self.trace)}"

    def points(self, step: Step) -> list[int]:
        """Return the numbers of the points that are wrong."""
        return list(step.active or ())

    def start_sentence(self) -> str:
        return f"The run starts from {starting(self.trace.start, self.trace.classes, self.trace.bias)}."

    def sentence(self, at: StepInRun) -> str:
        wrong = self.points(at.step)
        if not wrong:
            return "No point is wrong: w has every point on its right side."
        many = len(wrong) > 1
        said = f"{len(wrong)} of {len(self.board.points)} points {'are' if many else 'is'} wrong: {listed(wrong)}."
        if not at.step.updated:
            return f"{said} This was the last look; the best weights predict."
        if not self.two:
            how = f"{'Each' if many else 'It'} is added to its own class, and subtracted from the one that won"
        elif many:
            how = "All of them are added at once, each with the sign of its class"
        else:
            how = "With its sign, it is added"
        eta = self.eta(at.step)
        return f"{said} {how}{f', times {short(eta)}' * (eta != 1)}."

    def eta(self, step: Step) -> float:
        """Return the factor of a step."""
        given = self.settings["learning_rate"]
        return 1.0 / step.epoch if given == "1/t" else float(given)

    def formula(self, at: StepInRun) -> str:
        """Return w + 0.5 (2, 4) = (1, 2), the factor times the sum of the rows; a line for each class that changes."""
        if not at.step.updated:
            return ""
        lines = [("", at.before, at.step.w)]
        if not self.two:
            every = zip(self.trace.classes, at.before, at.step.w, strict=True)
            lines = [(f" of {label}", old, new) for label, old, new in every if old != new]
        return "\n".join(self.line(name, old, new, self.eta(at.step)) for name, old, new in lines)

    def line(self, name: str, old: Any, new: Any, eta: float) -> str:
        total = np.subtract(new, old) / eta
        times = "" if eta == 1 else f"{short(eta)} "
        added = f"{times}{vector(total[:-1])}"
        text = f"w{name} + {added} = {vector(old[:-1])} + {added} = {vector(new[:-1])}"
        if self.trace.bias:
            text += f", b{name}: {short(old[-1])} + {times}{'* ' * bool(times)}{short(total[-1])} = {short(new[-1])}"
        return text

    def draw(self, number: int, step: Step | None) -> list[Shape]:  # noqa: ARG002
        """Return where each class wins by the best weights so far, and the boundary of the weights that learn."""
        view, w = self.board.view, self.state(step)
        best = w if step is None or step.answer is None else step.answer
        if not self.two:
            return shapes.class_areas(best, self.trace.bias, self.codes, view)
        seen = shapes.half_spaces(self.plane(best), self.codes, view)
        if best != w:
            seen += shapes.boundary(self.plane(best), view, "answer", title="the best boundary so far")
        return [*seen, *shapes.boundary(self.plane(w), view), *shapes.normal(self.plane(w), view)]

    def motion(self, at: StepInRun) -> list[Shape]:
        return self.moved_boundary(at.before, at.step.w) if at.step.updated and self.two else []
