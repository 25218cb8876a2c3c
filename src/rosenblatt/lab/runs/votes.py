"""The regions of a voted perceptron at each step: how all weights so far vote."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.classifiers.perceptron import Voted
from rosenblatt.classifiers.training.scores import largest, packed, score_table
from rosenblatt.data import validation
from rosenblatt.data.files.lab_board import View
from rosenblatt.lab import shapes
from rosenblatt.lab.shapes import Shape
from rosenblatt.tracing.trace import Trace


class Votes:
    """Counts the votes of the weights after each step, for every cell of the picture.

    Parameters
    ----------
    view : the visible part of the plane
    trace : the run
    tie : the option `tie`: the class that a score of 0 votes for
    """

    def __init__(self, view: View, trace: Trace, tie: str) -> None:
        self.view, self.trace, self.tie = view, trace, 1.0 if tie == "positive" else -1.0
        self.rows = validation.rows(shapes.places(view), trace.bias)
        self.votes = np.zeros(())
        self.counted = 0

    def cells(self, t: int, codes: Sequence[int]) -> Shape:
        """Return the class that wins each cell after step t, counted from 1. Steps must be asked for in their order."""
        for step in self.trace.steps[self.counted : t]:
            w = np.array(step.w, dtype=np.float64)
            more, voter = score_table(self.rows, w), w[np.newaxis]
            voters = voter if w.ndim == 1 else packed(voter)
            Voted.votes_rule[w.ndim - 1](self.rows, voters, np.ones(1), self.tie, more)
            self.votes = self.votes + more
        self.counted = t
        return shapes.cells(np.array(codes)[largest(self.votes, self.tie)], self.view)
