"""Descent on the perceptron's loss: all mistakes added up, a step along their sum, and the best weights so far."""

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.classifiers.training.rule import Rule
from rosenblatt.classifiers.training.scores import packed
from rosenblatt.data.compiled.rows import EPS
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.errors import DataError
from rosenblatt.rules import binary, multiclass


class Best(NamedTuple):
    """The best weights so far: the bias weight last, one row a class if there are more than two."""

    w: Floats
    errors: float  # on the training rows, weighed


class Descent:
    """Weights on their way, and the best so far."""

    rule = Rule(binary.batch, multiclass.batch)

    def __init__(self, w: Floats, price: Floats, tie: float) -> None:
        self.w, self.price, self.tie = w, price, tie
        self.best = Best(w.copy(), math.inf)
        self.t_last_update = 0
        self.mistakes: list[int] = []
        self.history: list[tuple[int, float]] = []
        self.high: Floats
        self.low: Floats
        self.start()

    def widen(self, d: int) -> None:
        """From now on rows have d columns; those that are new have weight 0."""
        if self.w.shape[-1] < d + 1:
            more = [(0, 0)] * (self.w.ndim - 1) + [(0, d + 1 - self.w.shape[-1])]
            self.w, self.high, self.low, best = (
                np.concatenate([np.pad(a[..., :-1], more), a[..., -1:]], axis=-1)
                for a in (self.w, self.high, self.low, self.best.w)
            )
            self.best = self.best._replace(w=best)

    def start(self) -> None:
        """Begin a look at all rows."""
        self.high, self.low = np.zeros_like(self.w), np.zeros_like(self.w)
        self.count, self.weighed, self.rest = 0, 0.0, 0.0

    def look(self, rows: Rows, y: Any, weight: Floats, there: Codes) -> Floats:
        """Find the mistakes among some rows, and add them up; of two classes, each row's score and its rounding."""
        seen = np.empty((2 if self.w.ndim == 1 else 0, len(weight)))
        weights, sums = packed(self.w), (self.high, self.low, self.weighed, self.rest)
        mistakes, self.weighed, self.rest = self.rule.of(self.w)(
            rows, y, there, weight, self.price, weights, self.tie, *sums, *seen
        )
        self.count += mistakes
        return seen

    def end(self, t: int) -> None:
        """All rows have been looked at: keep the weights if they are the best so far."""
        self.sum = self.high + self.low
        self.mistakes.append(self.count)
        self._keep(self.w, self.weighed + self.rest, t)

    def shift(self, rows: Rows, y: Any, weight: Floats, there: Codes, seen: Floats, t: int) -> None:
        """Keep the same hyperplane, shifted to where it errs least, if that is the best so far."""
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
    """What to add to all scores for the least cost of rows whose sign is not y, and that cost.

    Of the places between scores that are as good, the widest is taken, and its middle; beyond the ends, one as wide as
    all scores together.
    """
    order = np.argsort(scores, kind="stable")
    sorted_scores, signed = scores[order], np.where(y > 0, cost, -cost)[order]
    missed = np.concatenate([[0.0], np.cumsum(signed)])  # if so many of the lowest are taken as negative
    costs = cost[y < 0].sum() + missed
    reach = sorted_scores[-1] - sorted_scores[0] or 1.0
    ends = np.concatenate([[sorted_scores[0] - reach], sorted_scores, [sorted_scores[-1] + reach]])
    gaps = np.diff(ends)
    best = int(np.argmax(np.where((costs <= costs[gaps > 0].min()) & (gaps > 0), gaps, -1.0)))
    return -float(ends[best] / 2 + ends[best + 1] / 2), float(costs[best])
