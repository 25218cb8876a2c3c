"""The base class of the frames of algorithms that learn point by point."""

from collections.abc import Hashable

from rosenblatt.lab.runs.frames import TracedRun, TraceFrames
from rosenblatt.lab.runs.votes import Votes
from rosenblatt.lab.shapes import Shape
from rosenblatt.tracing.step import Step


class RowFrames(TraceFrames):
    """Builds the frames of a run that learns point by point; a voted perceptron is drawn by its votes."""

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        voted = self.settings.get("average") == "voted"
        self.votes = Votes(self.board.view, self.trace, self.settings["tie"]) if voted else None

    def ground_key(self, number: int, step: Step | None) -> Hashable:
        """Return a key that is equal for steps with equal grounds; votes change at every step."""
        return super().ground_key(number, step), number if self.votes else 0

    def vote_cells(self, number: int) -> list[Shape]:
        """Return the regions by vote after so many steps; empty if the weights themselves decide."""
        return [self.votes.cells(number, self.codes)] if self.votes and number else []
