"""One against all, one against one: members of two classes, one after the other, then all together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.runs.two_classes import TwoClasses
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import weights_of
from rosenblatt.tracing.trace import Trace


class Members:
    """The frames of several runs of two classes, and of what they say together.

    Parameters
    ----------
    board : with the points
    trace : what happened
    codes : the numbers on the board of the classes
    settings : the options of the algorithm
    pairs : of one against one, the classes of each member; None for one against all
    """

    def __init__(
        self,
        board: Board,
        trace: Trace,
        codes: Sequence[int],
        settings: dict[str, Any],
        pairs: Sequence[tuple[int, int]] | None,
    ) -> None:
        self.board, self.trace, self.codes, self.settings, self.pairs = board, trace, codes, settings, pairs

    def told(self) -> Told:
        """The frames of all members, then one with the regions, ambiguous ones included."""
        whole: Told | None = None
        done: list[Shape] = []
        for k, member in enumerate(self.trace.members):
            own = [None, self.codes[k]] if self.pairs is None else [self.codes[i] for i in self.pairs[k]]
            part = OneMember(self.board, self.trace.member(member.task), own, self.settings, member.task, list(done))
            whole = part.tell_after(whole)
            done += shapes.boundary(part.plane(part.last), self.board.view, "ghost", code=own[1])
        assert whole is not None  # noqa: S101  (there are classes)
        if self.trace.stop_reason is None:
            return whole  # it was cut off before all had learned
        ambiguous = self.regions()
        unclear = any(shape["role"] in ("none", "tie") for shape in ambiguous)
        words = "All together: each place belongs to the class that its members give it to."
        if unclear:
            words += " Where it is hatched, no class or several claim it: what two-class answers cannot say."
        whole.add("step", "all together", words, whole.ground("together", lambda: [*ambiguous, *done]))
        return whole

    def regions(self) -> list[Shape]:
        last = [OneMember.end(self.trace.member(member.task)) for member in self.trace.members]
        weights = np.array(last)
        scheme: dict[str, Any] = {"scheme": "one_vs_all"}
        if self.pairs is not None:
            scheme = {"scheme": "one_vs_one", "pairs_": list(self.pairs)}
        coef, intercept = weights[:, :2], weights[:, 2] * self.trace.bias
        return shapes.areas(coef, intercept, self.codes, self.board.view, **scheme)


class OneMember(TwoClasses):
    """The frames of one member; the boundaries of those before it stay in the picture."""

    def __init__(
        self,
        board: Board,
        trace: Trace,
        codes: Sequence[Any],
        settings: dict[str, Any],
        task: str,
        done: list[Shape],
    ) -> None:
        super().__init__(board, trace, codes, settings)
        self.task, self.done = task, done
        if codes[0] is None:
            self.names = {False: "the rest", True: str(board.classes[codes[1]])}

    @staticmethod
    def end(trace: Trace) -> tuple[float, ...]:
        """The weights that answer."""
        if not len(trace):
            return trace.start
        return trace[-1].w if trace[-1].answer is None else trace[-1].answer

    @property
    def last(self) -> tuple[float, ...]:
        return self.end(self.trace)

    def tell_after(self, whole: Told | None) -> Told:
        """Go on after the frames of those before."""
        told = Told([*self.columns]) if whole is None else whole
        begin, before = sum(frame["cells"] is not None for frame in told.frames), self.trace.start
        words = f"Now {self.task}, from {weights_of(before, self.trace.bias)}."
        told.add("start", self.task, words, self.ground(told, before, None, 0))
        for t, step in enumerate(self.trace, 1):
            self.tell(told, t, step, before)
            frame = told.frames[-1]
            frame["head"] = f"{self.task}: {frame['head']}"
            frame["cells"][0] = str(begin + t)
            before = step.w
        return told

    def ground(self, told: Told, w: tuple[float, ...], answer: tuple[float, ...] | None, t: int) -> int:
        return told.ground((self.task, w, answer), lambda: self.draw(w, answer, t))

    def draw(self, w: tuple[float, ...], answer: tuple[float, ...] | None, t: int) -> list[Shape]:  # noqa: ARG002
        view, plane = self.board.view, self.plane(w)
        sides = shapes.half_spaces(self.plane(w if answer is None else answer), (0, 1), view)
        coloured = [side | {"code": self.codes[side["code"]]} for side in sides if self.codes[side["code"]] is not None]
        return [*coloured, *self.done, *shapes.boundary(plane, view), *shapes.normal(plane, view)]

    def plane(self, w: Sequence[float]) -> Hyperplane:
        return Hyperplane.from_weights(w, self.trace.bias)
