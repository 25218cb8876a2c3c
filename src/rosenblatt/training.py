"""Training: the same rows, pass after pass, until a pass makes no mistake or the budget is used.

What learns is a `Learner`: weights bound to a rule. `fit` is many calls of `learn`, `partial_fit` one, `learn_one` a
call with one row; a trace calls it a row at a time. Nothing else changes weights.
"""

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data import Codes, Floats, Rows, one_row
from rosenblatt.scoring import rules, scores

TIES = {"mistake": 0.0, "positive": 1.0, "negative": -1.0}  # the sign that a score of 0 is given, if any


class StopReason(enum.StrEnum):
    """Why training stopped: a word that compares as one, its value a sentence."""

    def __new__(cls, word: str, sentence: str) -> Self:
        reason = str.__new__(cls, word)
        reason._value_ = sentence
        return reason

    MISTAKE_FREE = (
        "mistake_free",
        "A whole pass made no mistake: the weights that learn have every row on its right side.",
    )
    GAP_CLOSED = "gap_closed", "The bounds of the margin are within epsilon of each other."
    SEPARATED = "separated", "The hyperplane has every row strictly on its right side; no more was asked for."
    PROVED_OVERLAP = (
        "proved_overlap",
        "No hyperplane of this kind has every row strictly on its right side; a combination of rows proves it.",
    )
    ROUNDING = "rounding", "Floats cannot bring the bounds of the margin closer; they hold, rounding included."
    BUDGET = "budget", "The budget of max_epochs passes was used before the goal was reached."
    STREAM = "stream", "Rows were learned from as they came, each once; no pass over all of them was asked for."


class BudgetWarning(ConvergenceWarning):
    """The budget of passes was used before a pass without a mistake."""


class OverlapWarning(ConvergenceWarning):
    """It was proved that no hyperplane separates the classes."""


class Learner:
    """Weights that learn by a rule.

    Attributes
    ----------
    w : the weights that the next row meets, the bias weight last; with more than two classes one row a class
    scale : what w, and scores made with it, are in units of
    bias : the constant that each row ends with
    margin : what y w.x must exceed for a row to be right
    tie : the sign given to a score of 0
    """

    w: Floats
    scale: float = 1.0
    bias: float
    margin: float = 0.0
    tie: float = 0.0

    def learn(self, rows: Rows, y: Any, order: Codes) -> tuple[int, int]:
        """Learn from these rows in this order; how many were mistakes, and how many changed the weights."""
        raise NotImplementedError

    @property
    def answer(self) -> Floats:
        """The weights to predict with, in units of `scale`."""
        return self.w

    def has_overflowed(self) -> bool:
        with np.errstate(over="ignore", invalid="ignore"):
            return not np.isfinite(self.scale * self.answer).all()

    def first_mistake(self, rows: Rows, y: Any) -> int:
        """The first row that is on its wrong side now, or -1."""
        return int(rules(self.w).first_mistake(rows, y, self.w, self.margin, self.tie))

    def worst_mistake(self, rows: Rows, y: Any) -> int:
        """The row that is farthest on its wrong side now, or -1."""
        worst = int(np.argmin(self.leads(rows, y)))
        alone = self.first_mistake(one_row(rows, worst), y[worst : worst + 1])
        return worst if alone == 0 else self.first_mistake(rows, y)

    def leads(self, rows: Rows, y: Any) -> Floats:
        """Functional margins now: y w.x, or how far the score of the true class is above the best other."""
        s = scores(rows, self.w)
        if s.ndim == 1:
            return np.asarray(y * s)
        every = np.arange(len(y))
        true = s[every, y]
        s[every, y] = -np.inf
        with np.errstate(over="ignore"):
            return np.asarray(true - s.max(axis=1))


@dataclass
class Run:
    """What happened in training."""

    mistakes_per_epoch: list[int] = field(default_factory=list)
    n_updates: int = 0
    stop_reason: StopReason = StopReason.BUDGET


ORDERS = ("cyclic", "shuffled", "random", "first", "worst")


def passes(order: str, learner: Learner, rows: Rows, y: Any, rng: np.random.RandomState) -> Iterator[Codes]:
    """The rows of each pass, in the order in which they are presented, for ever."""
    n = len(y)
    every = np.arange(n)
    choose: dict[str, Callable[[], Any]] = {
        "cyclic": lambda: every,
        "shuffled": lambda: rng.permutation(n),
        "random": lambda: rng.randint(n, size=n),
        "first": lambda: _at_most_one(learner.first_mistake(rows, y)),
        "worst": lambda: _at_most_one(learner.worst_mistake(rows, y)),
    }
    while True:
        yield choose[order]()


def _at_most_one(i: int) -> NDArray[np.int64]:
    return np.array([i] if i >= 0 else [], dtype=np.int64)


def train(learner: Learner, rows: Rows, y: Any, order: str, max_epochs: int, rng: np.random.RandomState) -> Run:
    """Pass over the rows until a pass makes no mistake, at most `max_epochs` times.

    Weights that overflow end it as well; whoever asked for the training looks at them.

    A clean pass proves the rows free of mistakes only if it met all of them with the same weights. One that drew rows
    at random, or changed the weights without a mistake (passive-aggressive), is followed by a look at all rows.
    """
    run = Run()
    for _, chosen in zip(range(max_epochs), passes(order, learner, rows, y, rng), strict=False):
        mistakes, updates = learner.learn(rows, y, chosen)
        run.mistakes_per_epoch.append(mistakes)
        run.n_updates += updates
        if learner.has_overflowed():
            break
        if mistakes == 0:
            met_all = order in ("cyclic", "shuffled") and updates == 0
            if met_all or learner.first_mistake(rows, y) < 0:
                run.stop_reason = StopReason.MISTAKE_FREE
                break
    return run
