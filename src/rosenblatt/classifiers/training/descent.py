"""Gradient descent on the perceptron's loss: sum the mistakes, step along the sum, and keep the best weights."""

import math
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from rosenblatt.base.schema import MAX_COUNT, Count, Field, Numbers, Real
from rosenblatt.classifiers.training.learner_state import TIE, WEIGHTS
from rosenblatt.classifiers.training.rule_pair import Rule
from rosenblatt.classifiers.training.scores import packed
from rosenblatt.data.compiled.rows import EPS
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.errors import DataError
from rosenblatt.rules import binary, multiclass


class Best(NamedTuple):
    """The best weights so far, bias weight last; one row per class if there are more than two."""

    w: Floats
    errors: float  # weighted, on the training rows


class Mistakes(NamedTuple):
    """The mistakes among some rows: their number, their weight and their sum, these two with twice the digits."""

    number: int
    weighed: float
    rest: float
    high: Floats
    low: Floats


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded sum, and what rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


class Descent:
    """The current weights, the sum of the mistakes in this pass, and the best weights so far."""

    rule = Rule(binary.batch, multiclass.batch)
    saved_fields: ClassVar[dict[str, Field]] = {  # of a descent that has ended
        "best": WEIGHTS,
        "errors": Real(0.0, infinite=True),
        "tie": TIE,
        "t_last_update": Count(),
        "mistakes": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT, least=1, listed=True),
        "history": Numbers(("improvements", 2), low=0.0, infinite=True, listed=True),
    }

    def __init__(self, w: Floats, price: Floats, tie: float) -> None:
        self.w, self.price, self.tie = w, price, tie
        self.best = Best(w.copy(), math.inf)
        self.t_last_update = 0
        self.mistakes: list[int] = []
        self.history: list[tuple[int, float]] = []
        self.high: Floats
        self.low: Floats
        self.start()

    def saved_values(self) -> dict[str, Any]:
        """Return the values of `saved_fields`."""
        own = {name: getattr(self, name) for name in ("tie", "t_last_update", "mistakes", "history")}
        return {"best": self.best.w, "errors": self.best.errors, **own}

    @classmethod
    def restored(cls, best: Floats, errors: float, **values: Any) -> Self:
        """Make the descent, at its end, that had these values of `saved_fields`."""
        descent = cls.__new__(cls)
        vars(descent).update(values, best=Best(best, errors), w=best)
        return descent

    def widen(self, d: int) -> None:
        """Grow the weights to d columns; new columns start at 0."""
        if self.w.shape[-1] < d + 1:
            more = [(0, 0)] * (self.w.ndim - 1) + [(0, d + 1 - self.w.shape[-1])]
            self.w, self.high, self.low, best = (
                np.concatenate([np.pad(a[..., :-1], more), a[..., -1:]], axis=-1)
                for a in (self.w, self.high, self.low, self.best.w)
            )
            self.best = self.best._replace(w=best)

    def start(self) -> None:
        """Begin a pass over all rows."""
        self.high, self.low = np.zeros_like(self.w), np.zeros_like(self.w)
        self.count, self.weighed, self.rest = 0, 0.0, 0.0

    def look(self, rows: Rows, y: Any, weight: Floats, there: Codes) -> Floats:
        """Add the mistakes among the rows `there` to the sum; for two classes, return scores and rounding errors."""
        seen = np.empty((2 if self.w.ndim == 1 else 0, len(weight)))
        weights, sums = packed(self.w), (self.high, self.low, self.weighed, self.rest)
        mistakes, self.weighed, self.rest = self.rule[self.w.ndim - 1](
            rows, y, there, weight, self.price, weights, self.tie, *sums, *seen
        )
        self.count += mistakes
        return seen

    def add(self, mistakes: "Mistakes") -> None:
        """Add mistakes that were looked for elsewhere, with the same weights."""
        self.high, rest = two_sum(self.high, mistakes.high)
        self.low = self.low + (rest + mistakes.low)
        self.weighed, lost = two_sum(self.weighed, mistakes.weighed)
        self.rest += lost + mistakes.rest
        self.count += mistakes.number

    def end(self, t: int) -> None:
        """End a pass over all rows: keep the weights if they are the best so far."""
        self.sum = self.high + self.low
        self.mistakes.append(self.count)
        self._keep(self.w, self.weighed + self.rest, t)

    def shift(self, rows: Rows, y: Any, weight: Floats, there: Codes, seen: Floats, t: int) -> None:
        """Shift the hyperplane parallel to itself to where its error is smallest; keep it if it is the best so far."""
        cost = weight * self.price[(y > 0).astype(np.int64)]
        scores, blurs = seen[0, there], seen[1, there]
        by, fewest = best_shift(scores, y[there], cost[there])
        if fewest < self.best.errors:
            w = self.w.copy()
            w[-1] += by / rows.bias
            doubt = blurs + 4 * EPS * (abs(scores) + abs(by) + abs(w[-1] * rows.bias))
            if (abs(scores + by) > doubt).all():
                errors = math.fsum(cost[there][y[there] * (scores + by) < 0])
            else:
                errors = sum(binary.errors(rows, y, there, cost, w, self.tie, math.inf, 0.0, 0.0))
            self._keep(w, errors, t)

    def _keep(self, w: Floats, errors: float, t: int) -> None:
        errors = float(errors)  # a rule that is not compiled returns a number of numpy
        if errors < self.best.errors:
            self.best, self.t_last_update = Best(w.copy(), errors), t
            if self.history and self.history[-1][0] == t:
                self.history.pop()
            self.history.append((t, errors))

    def go(self, eta: float) -> None:
        """Step along the sum of the mistakes."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.w = self.w + eta * self.sum
        if not np.isfinite(self.w).all():
            raise DataError("The weights have become too large for floats; bring X, or the step, closer to 1.")


def best_shift(scores: Floats, y: Any, cost: Floats) -> tuple[float, float]:
    """Return the number to add to all scores so that the rows with a wrong sign cost least, and that cost.

    Among equally good gaps between scores, the middle of the widest gap is taken. The gaps below and above all scores
    count as wide as the range of the scores.
    """
    order = np.argsort(scores, kind="stable")
    sorted_scores, signed = scores[order], np.where(y > 0, cost, -cost)[order]
    missed = np.concatenate([[0.0], np.cumsum(signed)])  # [k]: extra cost if the lowest k count as negative
    costs = cost[y < 0].sum() + missed
    reach = sorted_scores[-1] - sorted_scores[0] or 1.0
    ends = np.concatenate([[sorted_scores[0] - reach], sorted_scores, [sorted_scores[-1] + reach]])
    gaps = np.diff(ends)
    best = int(np.argmax(np.where((costs <= costs[gaps > 0].min()) & (gaps > 0), gaps, -1.0)))
    return -float(ends[best] / 2 + ends[best + 1] / 2), float(costs[best])
