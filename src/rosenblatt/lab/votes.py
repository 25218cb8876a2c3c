"""The voted perceptron as it is at each step: how all weights so far vote, place by place."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt import data
from rosenblatt.board import View
from rosenblatt.data import Floats
from rosenblatt.lab import shapes
from rosenblatt.lab.shapes import Shape
from rosenblatt.scoring import held, largest, rules, table
from rosenblatt.steps import Trace


class Votes:
    """The votes of the weights that each step ended with, for the cells of the picture."""

    def __init__(self, view: View, trace: Trace, tie: str) -> None:
        self.view, self.trace, self.tie = view, trace, 1.0 if tie == "positive" else -1.0
        self.votes: Floats | None = None
        self.counted = 0

    def cells(self, t: int, codes: Sequence[int]) -> Shape:
        """Who wins after step t of 1, 2, ...; steps are asked for in their order."""
        numbers = np.array(codes)

        def winners(points: Floats) -> NDArray[np.int64]:
            rows = data.rows(points, self.trace.bias)
            for step in self.trace.steps[self.counted : t]:
                w = np.array(step.w, dtype=np.float64)
                more = table(rows, w)
                voter = w[np.newaxis]
                rules(w).count_votes(rows, voter if w.ndim == 1 else held(voter), np.ones(1), self.tie, more)
                self.votes = more if self.votes is None else self.votes + more
            self.counted = t
            assert self.votes is not None  # noqa: S101
            return numbers[largest(self.votes, self.tie)]

        return shapes.cells(winners, self.view)
