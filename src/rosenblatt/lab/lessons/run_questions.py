"""Questions about the run that a board shows: the right answers are those of its trace."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.classifiers.training.fit_warnings import BudgetWarning, OverlapWarning
from rosenblatt.data.files.board import Board
from rosenblatt.lab.catalogue import model_of
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.wording import product, vector, weights_of
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import trace

YES, NO = "yes", "no"
MOST = 2000  # steps


def fitted(model: Any, X: Any, y: Any) -> Any:
    """The model, fitted; that it did not get all points right is said elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        warnings.simplefilter("ignore", OverlapWarning)
        return model.fit(X, y)


def yes_or_no(name: str, label: str, truth: Callable[[], bool], hint: str) -> Choice:
    """Is it so?  The hint is for the wrong answer, whichever that is."""
    return Choice(name, label, (YES, NO), lambda: YES if truth() else NO, {"": hint})


@dataclass(frozen=True)
class Run:
    """The run of a pane of a board, step by step; steps count from 1, as the page's frames do."""

    board: Board
    pane: int = 0

    @cached_property
    def trace(self) -> Trace:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BudgetWarning)
            warnings.simplefilter("ignore", OverlapWarning)
            return trace(model_of(self.board.panes[self.pane]), self.board.X, self.board.y, max_steps=MOST)

    @cached_property
    def model(self) -> Any:
        return fitted(model_of(self.board.panes[self.pane]), np.asarray(self.board.X), self.board.y)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the weights: without a bias there is no b."""
        features = tuple(f"w{j + 1}" for j in range(len(self.board.names)))
        return (*features, "b") if self._biased else features

    @property
    def _biased(self) -> bool:
        return bool(self.board.panes[self.pane].options.get("bias", 1))

    def step(self, t: int) -> Step:
        return self.trace[t - 1]

    def after(self, t: int) -> tuple[float, ...]:
        """The weights after step t, those before the first for t = 0; of two classes."""
        w = self.trace.start if t == 0 else self.trace[t - 1].w
        return tuple(w[: len(self.parts)])

    def written(self, t: int) -> str:
        """The score at step t with its numbers, b first as the page writes it: 0*1 + 3*2 + 2*4 = 14."""
        w = self.trace.start if t == 1 else self.trace[t - 2].w
        return product(w, self.step(t).x, self.trace.bias, self.step(t).score)

    def story(self, t: int) -> str:
        """What happens at step t, in a sentence with the numbers."""
        step = self.step(t)
        x, y = vector(step.x), "+1" if step.y == self.trace.classes[1] else "-1"
        taken = ""
        if step.score == 0:
            taken = ", which counts as " + (
                "a mistake" if step.predicted is None else _word(step.predicted, self.trace)
            )
        head = f"The score of {x} is {self.written(t)}{taken}, and its label is {y}: "
        if not step.mistake:
            return head + f"right, so that the weights stay {self.told(t)}."
        sign = "added" if y == "+1" else "subtracted"
        return head + f"a mistake, so that the point is {sign}, and the weights become {self.told(t)}."

    def told(self, t: int) -> str:
        """The weights after step t in words: w = (3, 2), b = 0."""
        return weights_of(self.trace.start if t == 0 else self.trace[t - 1].w, self.trace.bias)

    def score(self, t: int, label: str = "", name: str = "") -> Number:
        """What is the score at step t?"""
        return Number(
            name or f"score{t}",
            label or f"Step {t}: score",
            lambda: float(self.step(t).score),
            "Multiply each weight with its coordinate and add up" + (", then add b." if self._biased else "."),
        )

    def mistake(self, t: int) -> Choice:
        """Is step t a mistake?"""
        return Choice(
            f"mistake{t}",
            f"Step {t}: a mistake?",
            (YES, NO),
            lambda: YES if self.step(t).mistake else NO,
            {
                YES: f"At step {t} the sign of the score is that of the label: no mistake.",
                NO: f"At step {t} the score and the label do not agree. What does this lecture make of a score of 0?",
            },
        )

    def predicted(self, t: int) -> Choice:
        """What is predicted at step t?"""
        return Choice(
            f"predicted{t}",
            f"Step {t}: predicted class",
            ("+1", "-1"),
            lambda: "+1" if self.step(t).predicted == self.trace.classes[1] else "-1",
            {"": f"At step {t} look at the sign of the score, and at what this lecture does with a score of 0."},
        )

    def weights(self, t: int) -> Numbers:
        """What are the weights after step t?"""
        return Numbers(
            f"w{t}",
            f"Step {t}: weights after it",
            self.parts,
            lambda: self.after(t),
            f"At step {t} start from {'the weights after step ' + str(t - 1) if t > 1 else 'the start weights'}, and "
            "add y times the point if it is a mistake; b changes by y.",
            lambda: self._slips(t),
        )

    def _slips(self, t: int) -> Sequence[tuple[Sequence[float], str]]:
        """What readers write instead of the weights after step t."""
        before, after = np.array(self.after(t - 1)), np.array(self.after(t))
        step, change = self.step(t), after - before
        row = np.append(step.x, 1.0)[: len(before)] * (1 if step.y == self.trace.classes[1] else -1)
        if not step.updated:
            return [(before + row, f"At step {t} an update was made, but the point is right: the weights stay.")]
        positive = step.y == self.trace.classes[1]
        kind, done = ("positive", "added") if positive else ("negative", "subtracted")
        slips = [
            (before, f"At step {t} the point is a mistake, so that the weights change."),
            (before - change, f"At step {t} the sign of y was lost: a {kind} point is {done}."),
        ]
        if self._biased:
            forgotten = np.append(after[:-1], before[-1])
            slips.append((forgotten, f"At step {t} b was forgotten: it changes by y, as its coordinate is always 1."))
            slips.append((np.roll(after, 1), "This is the order of lectures that put the bias first; here b is last."))
        return [(slip.tolist(), sentence) for slip, sentence in slips if not np.array_equal(slip, after)]


def _word(label: Any, of: Trace) -> str:
    return "positive" if label == of.classes[1] else "negative"
