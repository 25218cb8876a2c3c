"""Kozinec and kin: the shortest vector between two convex hulls, nearer with every step; frame by frame."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.data.files.board import Board
from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, listed, product, short, vector, weights_of
from rosenblatt.plot.hulls import hull
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

MARKED = 12  # points whose weights are written


class Hulls:
    """The frames of a search for the nearest point.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the negative class and of the positive
    settings : the options of the algorithm
    fitted : the classifier that answers in the end
    """

    def __init__(
        self, board: Board, trace: Trace, codes: Sequence[int], settings: dict[str, Any], fitted: Kozinec
    ) -> None:
        self.board, self.trace, self.codes, self.settings = board, trace, codes, settings
        self.answer = None if trace.stop_reason is None else fitted.hyperplane_
        self.points: Floats = np.asarray(board.X)
        self.positive = np.array([point[2] == codes[1] for point in board.points])
        self.free = settings["bias"] == "free"

    def told(self) -> Told:
        """All frames: the start, then a step each."""
        weights = [*(["b"] if self.trace.bias else []), *(f"w {heading(name)}" for name in self.board.names)]
        names = ["#", "point", *map(heading, self.board.names), *weights, "|w|", "margin at least", "at most", "active"]
        told = Told([(name, True) for name in names])
        start = self.trace.start
        what = STARTS[self.settings["bias"]]
        words = f"The search starts from {weights_of(start, self.trace.bias)}: {what}."
        told.add("start", "start", words, told.ground((start,), lambda: self.draw(start, (), (), None)))
        before, best = start, (-math.inf, math.inf)
        for t, step in enumerate(self.trace, 1):
            assert step.lower is not None  # noqa: S101  (a search has bounds at every step)
            assert step.upper is not None  # noqa: S101
            best = max(best[0], step.lower), min(best[1], step.upper)
            answer = self.answer if t == len(self.trace) else None
            told.add(
                "step",
                f"step {t} of {len(self.trace)}",
                self.sentence(step, *best),
                told.ground((step.w, t), self.drawing(step, answer)),
                cells=self.cells(t, step),
                points=[] if step.index is None or step.index < 0 else [step.index],
                score=product(before, step.x, self.trace.bias, step.score),
                formula=f"{weights_of(before, self.trace.bias)} becomes {weights_of(step.w, self.trace.bias)}",
                shapes=self.motion(before, step),
            )
            before = step.w
        return told

    def cells(self, t: int, step: Step) -> list[str]:
        after = [short(step.w[-1])] if self.trace.bias else []
        after += map(short, step.w[:-1])
        bounds = ["" if bound is None else short(bound) for bound in (step.norm, step.lower, step.upper)]
        return [str(t), str(step.index), *map(short, step.x), *after, *bounds, str(len(step.active or ()))]

    def sentence(self, step: Step, lower: float, upper: float) -> str:
        rule = RULES[self.settings["solver"]]
        place = f"Point {step.index} at {vector(step.x)}, class {step.y}"
        seen = f"{place}, is the one in question: {rule}."
        made = f"Now {listed(step.active or ())} make{'s' * (len(step.active or ()) == 1)} up w."
        of = "" if self.free else MARGINS[self.settings["bias"]]
        if upper <= 0:
            return f"{seen} {made} w is 0: there is no margin."
        if lower <= 0:
            return (
                f"{seen} {made} No w so far had all points on their right side; a margin{of} is at most {short(upper)}."
            )
        return f"{seen} {made} By now the largest margin{of} is known to be between {short(lower)} and {short(upper)}."

    def drawing(self, step: Step, answer: Hyperplane | None) -> Callable[[], list[Shape]]:
        return lambda: self.draw(step.w, step.active, step.weights, answer)

    def draw(self, w: tuple[float, ...], active: Any, weights: Any, answer: Hyperplane | None) -> list[Shape]:
        """Both hulls, the points of them that w joins, and the line that it stands on; the one that answers, if any."""
        view, plane = self.board.view, Hyperplane.from_weights(w, self.trace.bias)
        seen = shapes.half_spaces(plane if answer is None else answer, self.codes, view)
        if answer is not None and not shapes.same_line(answer, plane):
            seen += shapes.boundary(answer, view, "answer", title="the best line met, which answers")
        for code, own in zip(self.codes, (~self.positive, self.positive), strict=True):
            corners = hull(self.points[own])
            seen.append({"type": "polygon", "role": "hull", "code": code, "points": shapes.numbers(corners)})
        seen += [*shapes.boundary(plane, view), *shapes.normal(plane, view)]
        if not active:
            return seen
        rows, shares = np.array(active), np.array(weights)
        if len(rows) <= MARKED:
            seen += [
                shapes.mark(self.points[i], "support", label=short(share))
                for i, share in zip(rows.tolist(), shares.tolist(), strict=True)
            ]
        if self.free:
            ends = [self.mean(rows, shares, self.positive[rows] == side) for side in (False, True)]
            seen += [shapes.line(ends, "nearest"), *(shapes.mark(end, "nearest") for end in ends)]
        return seen

    def mean(self, rows: Any, shares: Floats, own: Any) -> Floats:
        return np.asarray(shares[own] @ self.points[rows[own]] / shares[own].sum())

    def motion(self, before: tuple[float, ...], step: Step) -> list[Shape]:
        view, bias = self.board.view, self.trace.bias
        old, new = Hyperplane.from_weights(before, bias), Hyperplane.from_weights(step.w, bias)
        return [*shapes.boundary(old, view, "before"), *shapes.turn(old, new, view)]


STARTS = {
    "free": "the difference of one point of each class",
    1.0: "one point with its sign, and the constant 1",
    0.0: "one point with its sign",
}
MARGINS = {1.0: " of the points with their constant 1", 0.0: " of lines through the origin"}
RULES = {
    "kozinec": "it is placed worst, and w moves towards it as far as that makes w shorter",
    "mdm": "it is placed worst, and takes weight from the point that is placed best",
    "away": "w moves towards it, if it is placed worst, or away from it, if it is placed best among the active ones",
    "wolfe": "it joins the active points, and w becomes the shortest vector that they allow",
}
