"""Frames of Kozinec's and similar rules: the vector between two convex hulls becomes shorter with every step."""

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, StepInRun, TracedRun, TraceFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import becomes, listed, product, short, vector, weights_of
from rosenblatt.plot.hulls import hull
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

MAX_MARKED_POINTS = 12  # points whose weights are written


class HullFrames(TraceFrames):
    """Builds the frames of a search for the nearest point of convex hulls."""

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        self.answer = None if run.trace.stop_reason is None else run.fitted.hyperplane_
        self.best_bounds = best_bounds(run.trace)
        self.rows: Floats = np.asarray(run.board.X)
        self.positive = np.array([point[2] == run.codes[1] for point in run.board.points])
        self.free = run.settings["bias"] == "free"

    def columns(self) -> Columns:
        last = [(name, True) for name in ("|w|", "margin at least", "at most", "active")]
        return [*self.point_columns(), *self.weight_columns(), *last]

    def cells(self, at: StepInRun) -> list[str]:
        step = at.step
        bounds = ["" if bound is None else short(bound) for bound in (step.norm, step.lower, step.upper)]
        return [*self.point_cells(at), *self.weight_cells(step.w), *bounds, str(len(step.active or ()))]

    def kind(self, step: Step) -> str:  # noqa: ARG002
        return "step"

    def head(self, at: StepInRun) -> str:
        return f"step {at.number} of {len(self.trace)}"

    def points(self, step: Step) -> list[int]:
        return [] if step.index is None or step.index < 0 else [step.index]

    def ground_key(self, number: int, step: Step | None) -> Hashable:  # noqa: ARG002
        return number

    def start_sentence(self) -> str:
        what = STARTS[self.settings["bias"]]
        return f"The search starts from {weights_of(self.trace.start, self.trace.bias)}: {what}."

    def sentence(self, at: StepInRun) -> str:
        step, (lower, upper) = at.step, self.best_bounds[at.number - 1]
        place = f"Point {step.index} at {vector(step.x)}, class {step.y}"
        seen = f"{place}, is chosen: {RULES[self.settings['solver']]}."
        active = step.active or ()
        made = f"Now {listed(active)} make{'s' * (len(active) == 1)} up w."
        of = "" if self.free else MARGINS[self.settings["bias"]]
        if upper <= 0:
            return f"{seen} {made} w is 0: there is no margin."
        if lower <= 0:
            return (
                f"{seen} {made} No w so far had all points on their right side; a margin{of} is at most {short(upper)}."
            )
        return f"{seen} {made} The largest margin{of} is now known to be between {short(lower)} and {short(upper)}."

    def score(self, at: StepInRun) -> str:
        return product(at.before, at.step.x, self.trace.bias, at.step.score)

    def formula(self, at: StepInRun) -> str:
        return becomes(at.before, at.step.w, self.trace.bias)

    def motion(self, at: StepInRun) -> list[Shape]:
        return self.moved_boundary(at.before, at.step.w)

    def draw(self, number: int, step: Step | None) -> list[Shape]:
        """Return both hulls, the points of them that w joins, and the boundary; at the end, the one that predicts."""
        view, plane = self.board.view, self.plane(self.state(step))
        answer = self.answer if step is not None and number == len(self.trace) else None
        seen = shapes.half_spaces(plane if answer is None else answer, self.codes, view)
        if answer is not None and not shapes.same_line(answer, plane):
            seen += shapes.boundary(answer, view, "answer", title="the best line so far, which predicts")
        for code, own in zip(self.codes, (~self.positive, self.positive), strict=True):
            corners = hull(self.rows[own])
            seen.append({"type": "polygon", "role": "hull", "code": code, "points": shapes.numbers(corners)})
        seen += [*shapes.boundary(plane, view), *shapes.normal(plane, view)]
        if step is not None and step.active:
            seen += self.combination(np.array(step.active), np.array(step.weights))
        return seen

    def combination(self, rows: Any, shares: Floats) -> list[Shape]:
        """Return the points that w is a combination of; with a free bias, also the segment between the hulls."""
        seen = []
        if len(rows) <= MAX_MARKED_POINTS:
            seen += [
                shapes.mark(self.rows[i], "support", label=short(share))
                for i, share in zip(rows.tolist(), shares.tolist(), strict=True)
            ]
        if self.free:
            ends = [self.mean(rows, shares, self.positive[rows] == side) for side in (False, True)]
            seen += [shapes.line(ends, "nearest"), *(shapes.mark(end, "nearest") for end in ends)]
        return seen

    def mean(self, rows: Any, shares: Floats, own: Any) -> Floats:
        return np.asarray(shares[own] @ self.rows[rows[own]] / shares[own].sum())


def best_bounds(trace: Trace) -> list[tuple[float, float]]:
    """Return the best bounds known after each step."""
    lower, upper, bounds = -math.inf, math.inf, []
    for step in trace:
        lower = lower if step.lower is None else max(lower, step.lower)
        upper = upper if step.upper is None else min(upper, step.upper)
        bounds.append((lower, upper))
    return bounds


STARTS = {
    "free": "the difference of one point of each class",
    1.0: "one point with its sign, and the constant 1",
    0.0: "one point with its sign",
}
MARGINS = {1.0: " of the points with their constant 1", 0.0: " of lines through the origin"}
RULES = {
    "kozinec": "it is placed worst, and w moves towards it as far as w becomes shorter",
    "mdm": "it is placed worst, and takes weight from the point that is placed best",
    "away": "w moves towards it, if it is placed worst, or away from it, if it is placed best among the active ones",
    "wolfe": "it joins the active points, and w becomes the shortest vector that they allow",
}
