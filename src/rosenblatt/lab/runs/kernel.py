"""Frames of the kernel perceptron, whose score is a sum over the points that have a weight."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from rosenblatt.classifiers.kernel_values import Kernel
from rosenblatt.classifiers.training.scores import largest
from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, StepInRun, TracedRun, TraceFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, kernel_changes, short, side_of, vector
from rosenblatt.tracing.step import Step

MAX_TERMS = 5  # of a sum that is written out
MAX_MARKED_POINTS = 40  # points with a weight that are marked

KernelWeights = tuple[tuple[int, ...], tuple[Any, ...]]  # the numbers of the points, and the weight of each


class KernelFrames(TraceFrames):
    """Builds the frames of a run in the space of a kernel."""

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        self.two = len(run.codes) == 2
        self.kernel = Kernel(
            run.settings["kernel"],
            float(run.settings.get("gamma", 1.0)),
            int(run.settings.get("degree", 1)),
            float(run.settings.get("coef0", 0.0)),
            float(run.settings["bias"]) ** 2,
        )
        self.tie = 1.0 if run.settings["tie"] == "positive" else -1.0
        self.rows: Floats = np.asarray(run.board.X)
        self.places = shapes.places(run.board.view)
        self.place_scores = np.zeros((len(self.places), 1 if self.two else len(run.codes)))
        self.place_weights: dict[int, Any] = {}  # the weights that `place_scores` are made of

    def columns(self) -> Columns:
        scores = ["score"] if self.two else [f"score {heading(str(label))}" for label in self.trace.classes]
        last = [("taken for", False), ("mistake", False), ("support", True)]
        return [*self.point_columns(), ("class", False), *((name, True) for name in scores), *last]

    def cells(self, at: StepInRun) -> list[str]:
        step = at.step
        scores = [short(step.score)] if self.two else [*map(short, step.score)]
        predicted = "neither" if step.predicted is None else str(step.predicted)
        said = [predicted, "yes" if step.mistake else "no", str(len(step.active or ()))]
        return [*self.point_cells(at), str(step.y), *scores, *said]

    def points(self, step: Step) -> list[int]:
        """Return the point of a step, and the points equal to it, of its class, which are presented with it."""
        own = self.board.points[step.index]
        return [step.index, *(i for i, point in enumerate(self.board.points) if point == own and i != step.index)]

    def state(self, step: Step | None) -> KernelWeights:
        """Return the numbers of the points that have a weight after a step, and their weights."""
        return ((), ()) if step is None else (step.active or (), step.weights or ())

    def ground_key(self, number: int, step: Step | None) -> Hashable:  # noqa: ARG002
        return None if step is None else self.state(step)

    def start_sentence(self) -> str:
        return "No point has a weight yet: every score is 0."

    def sentence(self, at: StepInRun) -> str:
        step, others = at.step, len(self.points(at.step)) - 1
        equal = f" ({others} equal to it {'is' if others == 1 else 'are'} presented with it.)" * bool(others)
        point = f"Point {step.index} at {vector(step.x)} is of class {step.y}.{equal}"
        if self.two:
            seen = f"Its score is {side_of(step.score)}"
        else:
            seen = f"Its largest score is {short(max(step.score))}"
            if step.predicted != step.y and step.score[self.trace.classes.index(step.y)] == max(step.score):
                seen += f", for {step.y} and for {step.predicted} alike"
        said = "it is on the boundary" if step.predicted is None else f"it is taken for {step.predicted}"
        if not step.updated:
            return f"{point} {seen}, so {said}, which is right; no weight changes."
        bends = "Its own weight changes; the boundary bends around it."
        if step.predicted == step.y:
            return f"{point} {seen}, so {said}, but not by more than the margin. {bends}"
        return f"{point} {seen}, so {said}: a mistake. {bends}"

    def score(self, at: StepInRun) -> str:
        """Return 1*0.37 + -1*0.82 = -0.45: weights times kernel values, the largest products first."""
        if not self.two:
            return ""
        rows, weights = at.before
        if not rows:
            return f"an empty sum = {short(at.step.score)}"
        values = self.kernel.table(np.array([at.step.x]), self.rows[list(rows)])[0]
        order = np.argsort(-np.abs(np.array(weights) * values), kind="stable")[:MAX_TERMS]
        terms = [f"{short(weights[i])}*{short(values[i])}" for i in order.tolist()]
        more = [f"{len(rows) - MAX_TERMS} smaller"] if len(rows) > MAX_TERMS else []
        return f"{' + '.join([*terms, *more])} = {short(at.step.score)}"

    def formula(self, at: StepInRun) -> str:
        return kernel_changes(at.step, at.before, () if self.two else self.trace.classes)

    def draw(self, number: int, step: Step | None) -> list[Shape]:  # noqa: ARG002
        """Return where each class wins, and the points that have a weight. Steps are drawn in their order."""
        rows, weights = self.state(step)
        now = {i: np.atleast_1d(weight) for i, weight in zip(rows, weights, strict=True)}
        for i in self.place_weights.keys() | now.keys():
            change = now.get(i, 0.0) - self.place_weights.get(i, np.zeros(1))
            if np.any(change):
                self.place_scores = self.place_scores + self.kernel.table(self.places, self.rows[[i]]) * change
        self.place_weights = now
        if not rows:
            return []
        scores = self.place_scores[:, 0] if self.two else self.place_scores
        seen = [shapes.cells(np.array(self.codes)[largest(scores, self.tie)], self.board.view)]
        if len(rows) > MAX_MARKED_POINTS:
            return seen
        labels = [short(weight) if self.two else "" for weight in weights]
        return seen + [shapes.mark(self.rows[i], "support", label=label) for i, label in zip(rows, labels, strict=True)]
