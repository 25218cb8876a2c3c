"""The kernel perceptron: a score is a sum over the points that were mistaken; frame by frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.classifiers.kernel_values import Kernel
from rosenblatt.classifiers.training.scores import largest
from rosenblatt.data.files.board import Board
from rosenblatt.data.validation import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, short, vector
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

TERMS = 5  # of a sum that is written out
MARKED = 40  # points with a weight that are marked


class InKernel:
    """The frames of a run in the space of a kernel.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the classes
    settings : the options of the algorithm
    """

    def __init__(self, board: Board, trace: Trace, codes: Sequence[int], settings: dict[str, Any]) -> None:
        self.board, self.trace, self.codes, self.two = board, trace, codes, len(codes) == 2
        self.kernel = Kernel(
            settings["kernel"],
            float(settings.get("gamma", 1.0)),
            int(settings.get("degree", 1)),
            float(settings.get("coef0", 0.0)),
            float(settings["bias"]) ** 2,
        )
        self.tie = 1.0 if settings["tie"] == "positive" else -1.0
        self.points: Floats = np.asarray(board.X)
        self.places = shapes.places(board.view)
        self.scores = np.zeros((len(self.places), 1 if self.two else len(codes)))
        self.drawn: dict[int, Any] = {}  # the weights that these scores are made of

    def told(self) -> Told:
        """All frames: the start, then a step each."""
        scores = ["score"] if self.two else [f"score {heading(str(label))}" for label in self.trace.classes]
        numbers = [(name, True) for name in ("#", "point", *map(heading, self.board.names))]
        last = [("taken for", False), ("mistake", False), ("support", True)]
        told = Told([*numbers, ("class", False), *((name, True) for name in scores), *last])
        told.add("start", "start", "No point has a weight yet: every score is 0.", told.ground((), list))
        before: tuple[tuple[int, ...], tuple[Any, ...]] = (), ()
        for t, step in enumerate(self.trace, 1):
            now = step.active or (), step.weights or ()
            told.add(
                "mistake" if step.mistake else "right",
                f"step {t} of {len(self.trace)}, pass {step.epoch}",
                self.sentence(step),
                told.ground(now, lambda now=now: self.draw(*now)),  # type: ignore[misc]
                cells=self.cells(t, step),
                points=self.equal(step),
                score=self.score(step, *before) if self.two else "",
                formula=self.formula(step, dict(zip(*before, strict=True)), dict(zip(*now, strict=True))),
            )
            before = now
        return told

    def cells(self, t: int, step: Step) -> list[str]:
        row = [str(t), str(step.index), *map(short, step.x), str(step.y)]
        scores = [short(step.score)] if self.two else [*map(short, step.score)]
        said = "neither" if step.predicted is None else str(step.predicted)
        return [*row, *scores, said, "yes" if step.mistake else "no", str(len(step.active or ()))]

    def score(self, step: Step, rows: tuple[int, ...], weights: tuple[float, ...]) -> str:
        """1*0.37 - 1*0.82 = -0.45: weights times kernel values, the heaviest first."""
        if not rows:
            return f"an empty sum = {short(step.score)}"
        values = self.kernel.table(np.array([step.x]), self.points[list(rows)])[0]
        order = np.argsort(-np.abs(np.array(weights) * values), kind="stable")[:TERMS]
        terms = [f"{short(weights[i])}*{short(values[i])}" for i in order.tolist()]
        more = [f"{len(rows) - TERMS} smaller"] if len(rows) > TERMS else []
        return f"{' + '.join([*terms, *more])} = {short(step.score)}"

    def equal(self, step: Step) -> list[int]:
        """The point of a step, and those equal to it, of its class, which are presented with it."""
        own = self.board.points[step.index]
        return [step.index, *(i for i, point in enumerate(self.board.points) if point == own and i != step.index)]

    def formula(self, step: Step, before: dict[int, Any], now: dict[int, Any]) -> str:
        """How the weight of the point changes: 0 + 1 = 1; with more than two classes, a line for each that does."""
        names = [""] if self.two else [f" for {label}" for label in self.trace.classes]
        old, new = (np.broadcast_to(weights.get(step.index, 0.0), len(names)).tolist() for weights in (before, now))
        lines = []
        for name, a, b in zip(names, old, new, strict=True):
            if a != b:
                change = f"{short(a)} {'+' if b > a else '-'} {short(abs(b - a))} = {short(b)}"
                lines.append(f"the weight of point {step.index}{name}: {change}")
        return "\n".join(lines)

    def sentence(self, step: Step) -> str:
        others = len(self.equal(step)) - 1
        equal = f" ({others} equal to it {'is' if others == 1 else 'are'} presented with it.)" * bool(others)
        point = f"Point {step.index} at {vector(step.x)} is of class {step.y}.{equal}"
        if self.two:
            side = "0" if step.score == 0 else f"{short(step.score)}, {'above' if step.score > 0 else 'below'} 0"
            seen = f"Its score is {side}"
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

    def draw(self, rows: tuple[int, ...], weights: tuple[Any, ...]) -> list[Shape]:
        """Where each class wins, and the points that have a weight; asked for in the order of the steps."""
        now = {i: np.atleast_1d(weight) for i, weight in zip(rows, weights, strict=True)}
        for i in self.drawn.keys() | now.keys():
            change = now.get(i, 0.0) - self.drawn.get(i, np.zeros(1))
            if np.any(change):
                self.scores = self.scores + self.kernel.table(self.places, self.points[[i]]) * change
        self.drawn = now
        if not rows:
            return []
        scores = self.scores[:, 0] if self.two else self.scores
        seen = [shapes.cells(np.array(self.codes)[largest(scores, self.tie)], self.board.view)]
        if len(rows) > MARKED:
            return seen
        labels = [short(weight) if self.two else "" for weight in weights]
        return seen + [
            shapes.mark(self.points[i], "support", label=label) for i, label in zip(rows, labels, strict=True)
        ]
