"""Frames of one against all and one against one: the members one after the other, then all together."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, FrameBuilder, Frames, StepInRun, TracedRun
from rosenblatt.lab.runs.two_classes import TwoClassFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import weights_of
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace


class MemberFrames(FrameBuilder):
    """Builds the frames of several runs of two classes, and of what they predict together.

    Parameters
    ----------
    run : the run, whose trace has members
    """

    def __init__(self, run: TracedRun) -> None:
        self.run, self.board, self.trace, self.codes = run, run.board, run.trace, run.codes
        count = len(self.codes)
        self.pairs: list[tuple[int, int]] | None = None
        if run.algorithm.pairwise:
            self.pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
        self.boundaries: list[Shape] = []  # of the members that have learned
        self.parts = [self._part(k, member.task) for k, member in enumerate(self.trace.members)]

    def _part(self, k: int, task: str) -> "OneMember":
        """Return the builder of member k; its last boundary is added to those that later members show."""
        own = [None, self.codes[k]] if self.pairs is None else [self.codes[i] for i in self.pairs[k]]
        first = sum(len(self.trace.member(member.task)) for member in self.trace.members[:k])
        part = OneMember(
            replace(self.run, trace=self.trace.member(task), codes=own), task, list(self.boundaries), first
        )
        last = part.plane(predicting_weights(part.trace))
        self.boundaries += shapes.boundary(last, self.board.view, "ghost", code=own[1])
        return part

    def columns(self) -> Columns:
        return self.parts[0].columns()

    def build(self) -> Frames:
        """Return the frames of all members, then one with the regions, ambiguous ones included."""
        frames = Frames(self.columns())
        for part in self.parts:
            part.add_to(frames)
        if self.trace.stop_reason is None:
            return frames  # the trace was cut off before all members had learned
        regions = self.regions()
        words = "All together: each place belongs to the class that its members give it to."
        if any(shape["role"] in ("none", "tie") for shape in regions):
            words += " Hatched places are ambiguous: no class claims them, or several do."
        together = frames.ground("together", lambda: [*regions, *self.boundaries])
        frames.add("step", "all together", words, together)
        return frames

    def regions(self) -> list[Shape]:
        """Return where each class wins, and where none or several do."""
        weights = np.array([predicting_weights(part.trace) for part in self.parts])
        scheme: dict[str, Any] = {"scheme": "one_vs_all"}
        if self.pairs is not None:
            scheme = {"scheme": "one_vs_one", "pairs_": self.pairs}
        coef, intercept = weights[:, :2], weights[:, 2] * self.trace.bias
        return shapes.areas(coef, intercept, self.codes, self.board.view, **scheme)


class OneMember(TwoClassFrames):
    """Builds the frames of one member; the boundaries of earlier members stay in the picture.

    Parameters
    ----------
    run : the run of the member; the code of its negative class is None if that class is all others
    task : the name of the member
    done : the boundaries of earlier members
    first : the number of steps of earlier members
    """

    def __init__(self, run: TracedRun, task: str, done: list[Shape], first: int) -> None:
        super().__init__(run)
        self.task, self.done, self.first = task, done, first
        if self.codes[0] is None:
            self.names = {False: "the rest", True: str(self.board.classes[self.codes[1]])}

    def add_to(self, frames: Frames) -> None:
        """Add the frames of this member after those of earlier members."""
        frames.add("start", self.task, self.start_sentence(), self.ground(frames, 0, None))
        self.add_steps(frames)

    def start_sentence(self) -> str:
        return f"Now {self.task}, from {weights_of(self.trace.start, self.trace.bias)}."

    def head(self, at: StepInRun) -> str:
        return f"{self.task}: {super().head(at)}"

    def cells(self, at: StepInRun) -> list[str]:
        return super().cells(at._replace(number=self.first + at.number))

    def ground_key(self, number: int, step: Step | None) -> Hashable:
        return self.task, super().ground_key(number, step)

    def draw(self, number: int, step: Step | None) -> list[Shape]:  # noqa: ARG002
        """Return the sides in the colours of their classes, all boundaries so far, and w."""
        view, plane = self.board.view, self.plane(self.state(step))
        predicting = plane if step is None or step.answer is None else self.plane(step.answer)
        sides = shapes.half_spaces(predicting, (0, 1), view)
        coloured = [side | {"code": self.codes[side["code"]]} for side in sides if self.codes[side["code"]] is not None]
        return [*coloured, *self.done, *shapes.boundary(plane, view), *shapes.normal(plane, view)]


def predicting_weights(trace: Trace) -> tuple[float, ...]:
    """Return the weights that predict after the last step."""
    if not len(trace):
        return trace.start
    return trace[-1].w if trace[-1].answer is None else trace[-1].answer
