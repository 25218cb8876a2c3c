"""Scores and winning classes of rows under weights: a vector w for two classes, one row a class for more."""

from typing import Any

import numpy as np

from rosenblatt.classifiers.training.rule_pair import Rule
from rosenblatt.data.large.cores import in_parts
from rosenblatt.data.validation import Codes, Floats, Rows, count, rows_between, stored
from rosenblatt.errors import ParameterError
from rosenblatt.errors.wording import parameter, worded
from rosenblatt.rules import binary, multiclass
from rosenblatt.rules.multiclass import Machine, longest

SCORES = Rule(binary.scores, multiclass.scores)
FIRST_MISTAKE = Rule(binary.first_mistake, multiclass.first_mistake)
ERRORS = Rule(binary.errors, multiclass.errors)


def score_table(rows: Rows, w: Floats) -> Floats:
    """An empty array for the scores of these rows: one a row; with more than two classes, one column a class."""
    return np.empty(count(rows) if w.ndim == 1 else (count(rows), len(w)))


def packed(w: Floats, bound: Floats | None = None) -> Any:
    """Return weights as the rules take them: with more than two classes, together with a bound on their lengths."""
    return w if w.ndim == 1 else Machine(w, longest(w) if bound is None else bound)


def scores(rows: Rows, w: Floats, bound: Floats | None = None) -> Floats:
    """Return w.x for each row; with more than two classes, one column a class."""
    out, weights, rule = score_table(rows, w), packed(w, bound), SCORES[w.ndim - 1]

    def score(start: int, stop: int) -> None:
        rule(rows_between(rows, start, stop), weights, out[start:stop])

    in_parts(score, len(out), stored(rows))
    return out


def winners(rows: Rows, w: Floats, tie: float, bound: Floats | None = None) -> Codes:
    """Return the code of the winning class of each row; a tie of +1 goes to the later class, of -1 to the earlier."""
    if w.ndim == 1:
        return largest(scores(rows, w), tie)
    out, weights = np.empty(count(rows), dtype=np.int64), packed(w, bound)

    def win(start: int, stop: int) -> None:
        multiclass.winners(rows_between(rows, start, stop), weights, tie, out[start:stop])

    in_parts(win, len(out), stored(rows))
    return out


def largest(s: Floats, tie: float) -> Codes:
    """Return the code of the class with the largest of these scores or votes."""
    if s.shape == (1,):  # the same for one row, which is quicker
        return np.array([tie > 0 if s[0] == 0.0 else s[0] > 0], dtype=np.int64)
    if s.ndim == 1:
        return np.where(s == 0.0, tie > 0, s > 0).astype(np.int64)
    earliest: Codes = np.argmax(s, axis=1)
    latest: Codes = s.shape[1] - 1 - np.argmax(s[:, ::-1], axis=1)
    return latest if tie > 0 else earliest


def initial(init: Any, k: int, d: int) -> Floats:
    """Return start weights for k classes and d features, the bias weight last: zeros, or a copy of `init`."""
    shape = (d + 1,) if k == 2 else (k, d + 1)
    if init is None:
        return np.zeros(shape)
    w = np.array(init, dtype=np.float64)
    if w.shape != shape:
        raise ParameterError(
            worded(
                f"{{init}} must have shape {shape}, the weights of {d} features and then the bias weight"
                f"{' for each class' if k > 2 else ''}, not {w.shape}.",
                init=parameter("init"),
            )
        )
    return w + 0.0  # turns -0.0 into 0.0, which sparse and dense updates would treat differently


def known_width(init: Any, d: int) -> int:
    """Return the number of columns of the first rows or of the start weights, whichever is larger."""
    return d if init is None else max([d, *(size - 1 for size in np.shape(init)[-1:])])
