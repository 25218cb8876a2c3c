"""The batch perceptron: all points that are wrong at once; frame by frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import FEW, heading, listed, short, starting, vector
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace


class Passes:
    """The frames of a run of looks at all points.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the classes
    settings : the options of the algorithm
    """

    def __init__(self, board: Board, trace: Trace, codes: Sequence[int], settings: dict[str, Any]) -> None:
        self.board, self.trace, self.codes, self.two = board, trace, codes, len(codes) == 2
        self.step = settings["step"]

    def told(self) -> Told:
        """All frames: the start, then a look each."""
        names = [*(["b"] if self.trace.bias else []), *(f"w {heading(name)}" for name in self.board.names)]
        after = (
            [(name, True) for name in names]
            if self.two
            else [(f"w {heading(str(label))}", False) for label in self.trace.classes]
        )
        told, before = Told([("#", True), ("wrong", True), ("which", False), *after]), self.trace.start
        words = f"The run starts from {starting(before, self.trace.classes, self.trace.bias)}."
        told.add("start", "start", words, self.ground(told, before, None))
        for t, step in enumerate(self.trace, 1):
            wrong = list(step.active or ())
            told.add(
                "mistake" if step.mistake else "right",
                f"look {t} of {len(self.trace)}",
                self.sentence(step, wrong),
                self.ground(told, step.w, step.answer),
                cells=[
                    str(t),
                    str(len(wrong)),
                    ", ".join(map(str, wrong[:FEW])) + ", ..." * (len(wrong) > FEW),
                    *self.weights(step.w),
                ],
                points=wrong,
                formula=self.formula(before, step) if step.updated else "",
                shapes=self.motion(before, step) if step.updated and self.two else (),
            )
            before = step.w
        return told

    def weights(self, w: Any) -> list[str]:
        if not self.two:
            return [f"{vector(each[:-1])} {short(each[-1])}" if self.trace.bias else vector(each[:-1]) for each in w]
        return [*([short(w[-1])] if self.trace.bias else []), *map(short, w[:-1])]

    def sentence(self, step: Step, wrong: list[int]) -> str:
        if not wrong:
            return "No point is wrong: w has every point on its right side."
        many = len(wrong) > 1
        said = f"{len(wrong)} of {len(self.board.points)} points {'are' if many else 'is'} wrong: {listed(wrong)}."
        if not step.updated:
            return f"{said} This was the last look; the best weights met answer."
        if self.two:
            how = (
                "All of them are added at once, each with the sign of its class"
                if many
                else "With its sign, it is added"
            )
        else:
            how = f"{'Each' if many else 'It'} is added to its own class, and subtracted from the one that won"
        eta = self.eta(step.epoch)
        return f"{said} {how}{f', times {short(eta)}' * (eta != 1)}."

    def eta(self, t: int) -> float:
        """The factor of step t."""
        return 1.0 / t if self.step == "1/t" else float(self.step)

    def formula(self, before: Any, step: Step) -> str:
        """w + 0.5 (2, 4) = (1, 2): the sum of the rows, times the factor; a line for each class that moves."""
        eta = self.eta(step.epoch)
        lines = [("", before, step.w)]
        if not self.two:
            lines = [(f" of {c}", a, b) for c, a, b in zip(self.trace.classes, before, step.w, strict=True) if a != b]
        return "\n".join(self.line(name, old, new, eta) for name, old, new in lines)

    def line(self, name: str, old: Any, new: Any, eta: float) -> str:
        total = np.subtract(new, old) / eta
        times = "" if eta == 1 else f"{short(eta)} "
        added = f"{times}{vector(total[:-1])}"
        text = f"w{name} + {added} = {vector(old[:-1])} + {added} = {vector(new[:-1])}"
        if self.trace.bias:
            text += f", b{name}: {short(old[-1])} + {times}{'* ' * bool(times)}{short(total[-1])} = {short(new[-1])}"
        return text

    def ground(self, told: Told, w: Any, answer: Any) -> int:
        return told.ground((w, answer), lambda: self.draw(w, answer))

    def draw(self, w: Any, answer: Any) -> list[Shape]:
        """Where each class wins by the best weights so far, and the boundary of the weights that learn."""
        view, best = self.board.view, w if answer is None else answer
        if not self.two:
            weights = np.array(best)
            return shapes.areas(weights[:, :2], weights[:, 2] * self.trace.bias, self.codes, view)
        seen = shapes.half_spaces(self.plane(best), self.codes, view)
        if answer is not None and answer != w:
            seen += shapes.boundary(self.plane(answer), view, "answer", title="the best boundary so far")
        return [*seen, *shapes.boundary(self.plane(w), view), *shapes.normal(self.plane(w), view)]

    def motion(self, before: Any, step: Step) -> list[Shape]:
        old, new, view = self.plane(before), self.plane(step.w), self.board.view
        return [*shapes.boundary(old, view, "before"), *shapes.turn(old, new, view)]

    def plane(self, w: Any) -> Hyperplane:
        return Hyperplane.from_weights(w, self.trace.bias)
