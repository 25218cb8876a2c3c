"""Questions about the run that a board shows. The right answers come from the trace of the run."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.data.files.lab_board import Board
from rosenblatt.errors.warnings import BudgetWarning, OverlapWarning
from rosenblatt.lab.catalogue import model_of
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.wording import product, vector, weights_of
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import trace

YES, NO = "yes", "no"
MAX_STEPS = 2000


def fitted(model: Any, X: Any, y: Any) -> Any:
    """Fit a model without the warnings about points that it classifies wrongly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        warnings.simplefilter("ignore", OverlapWarning)
        return model.fit(X, y)


def yes_or_no(name: str, label: str, truth: Callable[[], bool], hint: str) -> Choice:
    """A yes-or-no question. The hint is the feedback to the wrong answer."""
    return Choice(name, label, (YES, NO), lambda: YES if truth() else NO, {"": hint})


@dataclass(frozen=True)
class Run:
    """The run of one pane of a board. Steps are numbered from 1, as on the page."""

    board: Board
    pane: int = 0

    @cached_property
    def trace(self) -> Trace:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BudgetWarning)
            warnings.simplefilter("ignore", OverlapWarning)
            return trace(model_of(self.board.panes[self.pane]), self.board.X, self.board.y, max_steps=MAX_STEPS)

    @cached_property
    def model(self) -> Any:
        return fitted(model_of(self.board.panes[self.pane]), np.asarray(self.board.X), self.board.y)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the weights: w1, w2 and, with a bias, b."""
        features = tuple(f"w{j + 1}" for j in range(len(self.board.names)))
        return (*features, "b") if self._biased else features

    @property
    def _biased(self) -> bool:
        return bool(self.board.panes[self.pane].options.get("bias", 1))

    def step(self, t: int) -> Step:
        return self.trace[t - 1]

    def weights_after(self, t: int) -> tuple[float, ...]:
        """The weights after step t of a run with two classes; t = 0 gives the start weights."""
        w = self.trace.start if t == 0 else self.trace[t - 1].w
        return tuple(w[: len(self.parts)])

    def score_text(self, t: int) -> str:
        """The score at step t as a sum, with b first as on the page: 0*1 + 3*2 + 2*4 = 14."""
        w = self.trace.start if t == 1 else self.trace[t - 2].w
        return product(w, self.step(t).x, self.trace.bias, self.step(t).score)

    def explanation(self, t: int) -> str:
        """Explain step t in sentences, with its numbers."""
        step = self.step(t)
        x, y = vector(step.x), "+1" if step.y == self.trace.classes[1] else "-1"
        tie_is_mistake = step.score == 0 and step.predicted is None
        score = f"The score of {x} is {self.score_text(t)}"
        if step.score == 0:
            score += f", which counts as {'a mistake' if tie_is_mistake else _class_word(step.predicted, self.trace)}"
        if not step.mistake:
            return f"{score}. The label is {y}. This is right, so the weights stay {self.weights_text(t)}."
        because = "" if tie_is_mistake else ". This is a mistake"
        done = "added" if y == "+1" else "subtracted"
        return f"{score}. The label is {y}{because}, so the point is {done}. The weights become {self.weights_text(t)}."

    def weights_text(self, t: int) -> str:
        """The weights after step t as text: w = (3, 2), b = 0."""
        return weights_of(self.trace.start if t == 0 else self.trace[t - 1].w, self.trace.bias)

    def ask_score(self, t: int) -> Number:
        """Ask for the score at step t."""
        return Number(
            f"score{t}",
            f"Step {t}: score",
            lambda: float(self.step(t).score),
            "Multiply each weight by its coordinate and add the products" + (", then add b." if self._biased else "."),
        )

    def ask_mistake(self, t: int) -> Choice:
        """Ask whether step t is a mistake."""
        return Choice(
            f"mistake{t}",
            f"Step {t}: a mistake?",
            (YES, NO),
            lambda: YES if self.step(t).mistake else NO,
            {
                YES: f"At step {t} the score and the label have the same sign. That is no mistake.",
                NO: f"At step {t} the score and the label do not agree. How does this lecture treat a score of 0?",
            },
        )

    def ask_predicted(self, t: int) -> Choice:
        """Ask for the class that is predicted at step t."""
        return Choice(
            f"predicted{t}",
            f"Step {t}: predicted class",
            ("+1", "-1"),
            lambda: "+1" if self.step(t).predicted == self.trace.classes[1] else "-1",
            {"": f"At step {t} look at the sign of the score. How does this lecture treat a score of 0?"},
        )

    def ask_weights(self, t: int) -> Numbers:
        """Ask for the weights after step t."""
        return Numbers(
            f"w{t}",
            f"Step {t}: weights after it",
            self.parts,
            lambda: self.weights_after(t),
            f"At step {t} start from {'the weights after step ' + str(t - 1) if t > 1 else 'the start weights'}. If "
            "the point is a mistake, add y times the point to w" + (", and add y to b." if self._biased else "."),
            lambda: self._common_errors(t),
        )

    def _common_errors(self, t: int) -> Sequence[tuple[Sequence[float], str]]:
        """Wrong weights after step t that readers often give, each with its feedback."""
        before, after = np.array(self.weights_after(t - 1)), np.array(self.weights_after(t))
        step, change = self.step(t), after - before
        positive = step.y == self.trace.classes[1]
        row = np.append(step.x, 1.0)[: len(before)] * (1 if positive else -1)
        if not step.updated:
            needless = f"At step {t} the point is right, so there is no update. The weights stay the same."
            return [((before + row).tolist(), needless)]
        kind, done = ("positive", "added") if positive else ("negative", "subtracted")
        errors = [
            (before, f"At step {t} the point is a mistake, so the weights change."),
            (before - change, f"At step {t} the sign of y is wrong. A {kind} point is {done}."),
        ]
        if self._biased:
            old_bias = np.append(after[:-1], before[-1])
            errors.append((old_bias, f"At step {t} b has to change too, by y: its input is always 1."))
            errors.append((np.roll(after, 1), "Some lectures put the bias first. Here b is last."))
        return [(error.tolist(), sentence) for error, sentence in errors if not np.array_equal(error, after)]


def _class_word(label: Any, of: Trace) -> str:
    return "positive" if label == of.classes[1] else "negative"
