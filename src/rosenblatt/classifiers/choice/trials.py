"""Trials of candidates: each learns from some rows and predicts others, in folds, with a limit on the work."""

import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

from rosenblatt.base.events import report_progress
from rosenblatt.errors import RosenblattError

MAX_ROWS = 6_000  # that trials use
MAX_NUMBERS = 2_000_000  # of these rows
FEW_ROWS = 2_000  # up to so many, there are five folds, and the folds are repeated until so many rows are predicted
MOST_REPEATS = 3
MIN_ROWS = 20  # with fewer, the predictions say too little


class Trial(NamedTuple):
    """The predictions of a candidate for rows that it did not learn from.

    Attributes
    ----------
    right : how many predictions were right
    n : how many there were
    balanced : the mean over the classes of the proportion that was right
    """

    right: int
    n: int
    balanced: float

    @property
    def accuracy(self) -> float:
        return self.right / self.n


class Trials:
    """Folds of some of the rows. Every candidate is tried on the same folds, so that luck is the same for all.

    Parameters
    ----------
    X, y : the training rows
    numbers : how many numbers X has; of sparse rows, those that are not 0
    seed : the seed of the folds
    """

    def __init__(self, X: Any, y: NDArray[Any], numbers: int, seed: int) -> None:
        per_row = max(1.0, numbers / len(y))
        self.rows = _sample(y, min(MAX_ROWS, int(MAX_NUMBERS / per_row)), seed)
        self.X, self.y = X[self.rows], y[self.rows]
        counts = np.unique(self.y, return_counts=True)[1]
        self.folds = min(5 if len(self.y) <= FEW_ROWS else 3, int(counts.min()))
        self.repeats = max(1, min(MOST_REPEATS, math.ceil(FEW_ROWS / 2 / len(self.y))))
        self.seed = seed
        self.count = 0

    @property
    def are_possible(self) -> bool:
        """Are there two rows of each class, and enough rows in all?"""
        return self.folds > 1 and len(self.y) >= MIN_ROWS

    def _parts(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        parts = RepeatedStratifiedKFold(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed)
        yield from parts.split(np.zeros(len(self.y)), self.y)

    def of(self, estimator: Any) -> Trial | None:
        """Try an estimator; None if it cannot learn from some fold."""
        classes = np.unique(self.y)
        right, seen = np.zeros(len(classes), np.int64), np.zeros(len(classes), np.int64)
        self.count += 1
        model = clone(estimator)  # each fit begins anew
        with warnings.catch_warnings(action="ignore"):  # about rows that are not separated in time
            for t, (train, test) in enumerate(self._parts()):
                report_progress("choosing", t, self.folds * self.repeats, "candidate {:,}", self.count)
                try:
                    predicted = model.fit(self.X[train], self.y[train]).predict(self.X[test])
                except RosenblattError:
                    return None
                codes = np.searchsorted(classes, self.y[test])
                seen += np.bincount(codes, minlength=len(classes))
                right += np.bincount(codes[predicted == self.y[test]], minlength=len(classes))
        return Trial(int(right.sum()), int(seen.sum()), float((right / seen).mean()))


def _sample(y: NDArray[Any], most: int, seed: int) -> NDArray[Any]:
    """Numbers of rows, at most about so many, in their order: the same part of each class, and two rows at least."""
    if len(y) <= most:
        return np.arange(len(y))
    rng = np.random.default_rng(seed)
    chosen = []
    for label in np.unique(y):
        own = np.flatnonzero(y == label)
        chosen.append(rng.choice(own, min(len(own), max(2, round(most * len(own) / len(y)))), replace=False))
    return np.sort(np.concatenate(chosen))
