"""Frames of the neuron of McCulloch and Pitts, which does not learn: a threshold and its truth table."""

from typing import Any

import numpy as np

from rosenblatt import datasets
from rosenblatt.base.neuron import McCullochPittsNeuron
from rosenblatt.base.words import count_of
from rosenblatt.data.files.lab_board import Board
from rosenblatt.errors import DataError
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, Document, Frames, UntracedFrames
from rosenblatt.lab.shapes import Shape


class NeuronFrames(UntracedFrames):
    """Builds one frame for each row of the truth table.

    Parameters
    ----------
    board : with the gate "points", its points are the wanted outputs of two inputs
    settings : threshold, inputs, gate
    """

    def __init__(self, board: Board, settings: dict[str, Any]) -> None:
        self.board, self.inputs = board, int(settings["inputs"])
        self.neuron = McCullochPittsNeuron(int(settings["threshold"]))
        self.X, self.outputs = self.neuron.truth_table(self.inputs)
        self.wanted = self._wanted(str(settings["gate"]))

    def _wanted(self, gate: str) -> list[int] | None:
        """Return the wanted output for each row of the table; None if there is none for some row."""
        if gate != "points":
            return [int(label) for label in datasets.load(gate, inputs=self.inputs).y]
        if self.inputs != 2 or not self.board.points:
            return None
        present = self.board.present
        if len(present) > 2:
            raise DataError(f"The neuron has two answers, but the points are of {len(present)} classes.")
        firing = self.sides()[1]
        wanted: dict[tuple[float, float], int] = {}
        for i, (x, y, code) in enumerate(self.board.points):
            if {x, y} - {0.0, 1.0}:
                raise DataError(
                    f"The neuron has boolean inputs, 0 and 1, but point {i} is at ({x:g}, {y:g}). Move it, choose a "
                    "gate to compare with, or take a perceptron."
                )
            if wanted.setdefault((x, y), int(code == firing)) != int(code == firing):
                raise DataError(f"The points at ({x:g}, {y:g}) are of both classes; delete one.")
        if len(wanted) < 4:
            return None
        return [wanted[float(x), float(y)] for x, y in self.X.tolist()]

    def title(self) -> str:
        return f"McCullochPittsNeuron(threshold={self.neuron.threshold}), {self.inputs} inputs"

    def columns(self) -> Columns:
        inputs = [f"x{j + 1}" for j in range(self.inputs)]
        return [(name, True) for name in ("#", *inputs, "sum", "output", *(["wanted"] if self.wanted else []))]

    def build(self) -> Frames:
        frames = Frames(self.columns())
        ground = frames.ground(0, self.draw)
        frames.add("start", "start", self.rule(), ground)
        for i, (row, output) in enumerate(zip(self.X.tolist(), self.outputs.tolist(), strict=True)):
            wanted, total = [] if self.wanted is None else [self.wanted[i]], sum(row)
            is_wrong = wanted not in ([], [output])
            compared = f"{total} {'>=' if output else '<'} {self.neuron.threshold}"
            frames.add(
                "mistake" if is_wrong else "right",
                f"row {i + 1} of {len(self.X)}",
                self.sentence(total, output, wanted),
                ground,
                cells=[str(cell) for cell in (i + 1, *row, total, output, *wanted)],
                points=self._points(row),
                score=f"{' + '.join(map(str, row))} = {total}; {compared}",
                shapes=[] if self.inputs == 2 else [shapes.mark(self._place(total), "nearest")],
            )
        return frames

    def sentence(self, total: int, output: int, wanted: list[int]) -> str:
        """Return what the neuron does for one row of the table."""
        text = f"The sum is {total}, {'not below' if output else 'below'} the threshold {self.neuron.threshold}: "
        text += "the neuron fires." if output else "the neuron is silent."
        return text + "".join(f" {each} is wanted: {'right' if each == output else 'wrong'}." for each in wanted)

    def _points(self, row: list[int]) -> list[int]:
        if self.inputs != 2:
            return []
        return [i for i, (x, y, _) in enumerate(self.board.points) if [x, y] == row][:1]

    def rule(self) -> str:
        return f"The neuron fires if at least {self.neuron.threshold} of its {self.inputs} inputs are 1."

    def outcome(self) -> dict[str, str]:
        """Return how many rows are wrong, and which thresholds would be right."""
        if self.wanted is None:
            return {"kind": "open", "text": self.rule()}
        wrong = sum(wanted != output for wanted, output in zip(self.wanted, self.outputs.tolist(), strict=True))
        text = f"{count_of(wrong, 'row')} of the table {'is' if wrong == 1 else 'are'} wrong."
        if not wrong:
            text = "It gives what is wanted for every row."
        return {
            "kind": "bad" if wrong else "good",
            "text": f"{text} {self.rule()} {self.right_thresholds(self.wanted)}",
        }

    def right_thresholds(self, wanted: list[int]) -> str:
        """Return which thresholds give the wanted outputs."""
        right = McCullochPittsNeuron.thresholds(self.X, wanted)
        if not len(right):
            return "No threshold gives what is wanted: more inputs that are 1 must never turn it off."
        which = f"thresholds {right[0]} to {right[-1]} do" if len(right) > 1 else f"threshold {right[0]} does"
        return f"Of all thresholds, {which} what is wanted."

    def draw(self) -> list[Shape]:
        """Return, for two inputs, the line halfway below the threshold; for more inputs, the sums along a line."""
        view, threshold = self.board.view, self.neuron.threshold
        if self.inputs == 2:
            plane = self.neuron.hyperplane(2)
            middle = type(plane)(plane.w, plane.b + 0.5)
            return [*shapes.half_spaces(middle, self.sides(), view), *shapes.boundary(middle, view)]
        marks = [
            shapes.mark(self._place(total), "mean", label=f"sum {total}: {int(total >= threshold)}")
            for total in range(self.inputs + 1)
        ]
        cut = (self._place(threshold) + self._place(threshold - 1)) / 2
        tall = np.array([0.0, 0.1 * (view[3] - view[2])])
        ends = [self._place(0), self._place(self.inputs)]
        return [shapes.line(ends, "ghost"), shapes.line([cut - tall, cut + tall], "boundary"), *marks]

    def sides(self) -> tuple[int, int]:
        """Return the numbers of the class that is silent and of the class that fires."""
        labels, codes = self.board.classes, self.board.present
        if len(codes) < 2:
            codes = sorted(range(len(labels)), key=lambda code: labels[code])
        return codes[0], codes[-1]

    def _place(self, total: int) -> Any:
        """Return where a sum is drawn."""
        left, right, low, high = self.board.view
        share = (total + 1) / (self.inputs + 2)
        return np.array([left + share * (right - left), (low + high) / 2])

    def document(self) -> Document:
        """Return the whole answer to the page, which draws axes only for two inputs."""
        return super().document() | {"axes": self.inputs == 2}
