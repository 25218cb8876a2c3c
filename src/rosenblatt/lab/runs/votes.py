"""The voted perceptron as it is at each step: how all weights so far vote, place by place."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.classifiers.perceptron import Voted
from rosenblatt.classifiers.training.scores import largest, packed, score_table
from rosenblatt.data import validation
from rosenblatt.data.files.board import View
from rosenblatt.lab import shapes
from rosenblatt.lab.shapes import Shape
from rosenblatt.tracing.trace import Trace


class Votes:
    """The votes of the weights that each step ended with, for the cells of the picture."""

    def __init__(self, view: View, trace: Trace, tie: str) -> None:
        self.view, self.trace, self.tie = view, trace, 1.0 if tie == "positive" else -1.0
        self.rows = validation.rows(shapes.places(view), trace.bias)
        self.votes = np.zeros(())
        self.counted = 0

    def cells(self, t: int, codes: Sequence[int]) -> Shape:
        """Who wins after step t of 1, 2, ...; steps are asked for in their order."""
        for step in self.trace.steps[self.counted : t]:
            w = np.array(step.w, dtype=np.float64)
            more, voter = score_table(self.rows, w), w[np.newaxis]
            voters = voter if w.ndim == 1 else packed(voter)
            Voted.votes_rule.of(w)(self.rows, voters, np.ones(1), self.tie, more)
            self.votes = self.votes + more
        self.counted = t
        return shapes.cells(np.array(codes)[largest(self.votes, self.tie)], self.view)
