"""The neuron of McCulloch and Pitts: no learning, a threshold and a truth table; frame by frame."""

from typing import Any

import numpy as np

from rosenblatt import datasets
from rosenblatt.base.neuron import McCullochPittsNeuron
from rosenblatt.data.files.board import Board
from rosenblatt.errors import DataError
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape

Run = dict[str, Any]


class Neuron:
    """The frames of a truth table, row by row.

    Parameters
    ----------
    board : its points are what is wanted of two inputs, if they are 0 and 1 and the gate is "points"
    settings : threshold, inputs, gate
    """

    def __init__(self, board: Board, settings: dict[str, Any]) -> None:
        self.board, self.inputs = board, int(settings["inputs"])
        self.neuron = McCullochPittsNeuron(int(settings["threshold"]))
        self.X, self.outputs = self.neuron.truth_table(self.inputs)
        self.gate = str(settings["gate"])
        self.wanted = self._wanted()

    def _wanted(self) -> list[int] | None:
        """What it should give for each row of the table; None if nothing is said."""
        if self.gate != "points":
            return [int(label) for label in datasets.load(self.gate, inputs=self.inputs).y]
        if self.inputs != 2 or not self.board.points:
            return None
        present = self.board.present
        if len(present) > 2:
            raise DataError(f"The neuron has two answers, but the points are of {len(present)} classes.")
        high = self.sides()[1]
        said: dict[tuple[float, float], int] = {}
        for i, (x, y, code) in enumerate(self.board.points):
            if {x, y} - {0.0, 1.0}:
                raise DataError(
                    f"The neuron has boolean inputs, 0 and 1, but point {i} is at ({x:g}, {y:g}). Move it, choose a "
                    "gate to compare with, or take a perceptron."
                )
            if said.setdefault((x, y), int(code == high)) != int(code == high):
                raise DataError(f"The points at ({x:g}, {y:g}) are of both classes; delete one.")
        if len(said) < 4:
            return None
        return [said[float(x), float(y)] for x, y in self.X.tolist()]

    def told(self) -> Told:
        """All frames: the start, then a row of the truth table each."""
        names = [f"x{j + 1}" for j in range(self.inputs)]
        last = ["sum", "output", *(["wanted"] if self.wanted else [])]
        told = Told([(name, True) for name in ("#", *names, *last)])
        ground = told.ground((), self.draw)
        told.add("start", "start", self.own, ground)
        for t, (row, output) in enumerate(zip(self.X.tolist(), self.outputs.tolist(), strict=True), 1):
            wrong = self.wanted is not None and self.wanted[t - 1] != output
            threshold, total = self.neuron.threshold, sum(row)
            fires = f"{total} {'>=' if output else '<'} {threshold}"
            sentence = f"The sum is {total}, {'not below' if output else 'below'} the threshold {threshold}: "
            sentence += "the neuron fires." if output else "the neuron is silent."
            if self.wanted is not None:
                sentence += f" {self.wanted[t - 1]} is wanted: {'wrong' if wrong else 'right'}."
            told.add(
                "mistake" if wrong else "right",
                f"row {t} of {len(self.X)}",
                sentence,
                ground,
                cells=[str(t), *map(str, row), str(total), str(output), *self._wish(t - 1)],
                points=self._points(row),
                score=f"{' + '.join(map(str, row))} = {total}; {fires}",
                shapes=[] if self.inputs == 2 else [shapes.mark(self._place(total), "nearest")],
            )
        return told

    def _wish(self, i: int) -> list[str]:
        return [] if self.wanted is None else [str(self.wanted[i])]

    def _points(self, row: list[int]) -> list[int]:
        if self.inputs != 2:
            return []
        return [i for i, (x, y, _) in enumerate(self.board.points) if [x, y] == row][:1]

    @property
    def own(self) -> str:
        return f"The neuron fires if at least {self.neuron.threshold} of its {self.inputs} inputs are 1."

    def about(self) -> str:
        """The threshold, and whether there is a better one."""
        own = self.own
        if self.wanted is None:
            return own
        good = McCullochPittsNeuron.thresholds(self.X, self.wanted)
        if not len(good):
            return f"{own} No threshold gives what is wanted: more inputs that are 1 must never turn it off."
        which = f"thresholds {good[0]} to {good[-1]} do" if len(good) > 1 else f"threshold {good[0]} does"
        return f"{own} Of all thresholds, {which} what is wanted."

    def draw(self) -> list[Shape]:
        """Two inputs: the line at which the sum is the threshold, less a half. More: sums on a line."""
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
        """The numbers of the class that is silent and of the one that fires: those of the points, or of the board."""
        labels = self.board.classes
        known = self.board.present
        if len(known) < 2:
            known = sorted(range(len(labels)), key=lambda code: labels[code])
        return known[0], known[-1]

    def _place(self, total: int) -> Any:
        """Where a sum stands in the picture."""
        left, right, low, high = self.board.view
        share = (total + 1) / (self.inputs + 2)
        return np.array([left + share * (right - left), (low + high) / 2])

    def document(self) -> Run:
        """The truth table as a whole."""
        wrong = [] if self.wanted is None else [i for i, w in enumerate(self.wanted) if w != self.outputs[i]]
        if self.wanted is None:
            outcome = {"kind": "open", "text": self.about()}
        else:
            said = (
                "It gives what is wanted for every row."
                if not wrong
                else f"{len(wrong)} row{'s' * (len(wrong) > 1)} of the table {'are' if len(wrong) > 1 else 'is'} wrong."
            )
            outcome = {"kind": "bad" if wrong else "good", "text": f"{said} {self.about()}"}
        name = f"McCullochPittsNeuron(threshold={self.neuron.threshold}), {self.inputs} inputs"
        told = self.told().document()
        return {"title": name, **told, "axes": self.inputs == 2, "chart": None, "outcome": outcome, "cut": False}
