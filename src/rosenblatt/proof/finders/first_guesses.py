"""Guesses that cost one pass over the rows, or a few: a single column, and a perceptron."""

import time
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy.sparse

from rosenblatt.base.deadline import can_afford
from rosenblatt.base.events import report_progress
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data import validation
from rosenblatt.rules.binary import perceptron

MAX_EPOCHS = 1000  # of a perceptron, on wide rows
MAX_FIRST_NUMBERS = 50_000_000  # that it reads of fewer columns, where the search that follows may be faster
TIME_SHARE = 2  # a perceptron gets one part in so many of the time that is left
MIN_PERCEPTRON_COLUMNS = 1000  # with more columns than this, sparse rows are shown to a perceptron first


class Guess(NamedTuple):
    """A hyperplane, or rows with weights that may combine to 0."""

    hyperplane: list[Fraction] | None
    start: dict[int, float]
    zero_combination: dict[int, Fraction]  # the exact weights, if the rows do combine to 0


def is_wide(signed: Signed) -> bool:
    """Are there so many rows and columns that a perceptron finds a hyperplane sooner than the nearest-point search?"""
    return signed.n > 2000 and signed.table.d > 5000


def is_thin(signed: Signed) -> bool:
    """Are the rows sparse and wide, so that a pass over them costs little and a hyperplane has many weights?"""
    return scipy.sparse.issparse(signed.table.floats) and signed.table.d > MIN_PERCEPTRON_COLUMNS


def single_column(signed: Signed) -> list[Guess]:
    """A hyperplane with one weight and a bias, if the two classes do not overlap in some column."""
    if not signed.constant or scipy.sparse.issparse(signed.table.floats):
        return []
    X, above = signed.table.floats, signed.y > 0
    if above.all() or not above.any():
        return []
    first, second = X[~above], X[above]
    gaps = [(second.min(axis=0), first.max(axis=0), 1), (first.min(axis=0), second.max(axis=0), -1)]
    for low, high, sign in gaps:
        for j in np.flatnonzero(low > high)[:1].tolist():
            middle = (Fraction(float(low[j])) + Fraction(float(high[j]))) / 2
            w = [Fraction(0)] * signed.width
            w[j], w[-1] = Fraction(sign), -sign * middle / Fraction(signed.constant)
            return [Guess(w, {}, {})]
    return []


def by_perceptron(signed: Signed, deadline: float) -> list[Guess]:
    """The hyperplane of a perceptron that made a pass without mistakes, if it does so in a part of the time."""
    now = time.monotonic()
    deadline = now + (deadline - now) / TIME_SHARE
    w, rows = np.zeros(signed.table.d + 1), validation.rows(validation.points(signed.table.floats), signed.constant)
    rng, rate, weight = np.random.default_rng(0), np.ones(2), np.ones(signed.n)
    epochs = MAX_EPOCHS
    if not is_wide(signed):
        X = signed.table.floats
        epochs = min(epochs, MAX_FIRST_NUMBERS // max(1, X.nnz if scipy.sparse.issparse(X) else X.size))
    for epoch in range(epochs):
        report_progress("verdict", epoch, None, "pass {} of a perceptron", epoch + 1)
        if not can_afford(0.0, deadline):
            break
        if not perceptron(rows, signed.y, rng.permutation(signed.n), weight, w, rate, 0.0, 0.0):
            exact = [Fraction(x) for x in w.tolist()]
            return [Guess(exact if signed.constant else exact[:-1], {}, {})]
    return []
