"""Scores and winners of rows under given weights, for two classes (w a vector) and for more (one row a class)."""

from types import ModuleType

import numpy as np

from rosenblatt.data import Codes, Floats, Rows, count
from rosenblatt.kernels import binary, multiclass


def rules(w: Floats) -> ModuleType:
    """The kernels for weights of this shape."""
    return binary if w.ndim == 1 else multiclass


def table(rows: Rows, w: Floats) -> Floats:
    """Room for a number a row; with more than two classes, for one a class."""
    return np.empty(count(rows) if w.ndim == 1 else (count(rows), len(w)))


def scores(rows: Rows, w: Floats) -> Floats:
    """w.x for each row; with more than two classes, one column a class."""
    out = table(rows, w)
    rules(w).scores(rows, w, out)
    return out


def winners(rows: Rows, w: Floats, tie: float) -> Codes:
    """The number of the winning class of each row; a tie of +1 goes to the later class, of -1 to the earlier."""
    if w.ndim == 1:
        return largest(scores(rows, w), tie)
    out = np.empty(count(rows), dtype=np.int64)
    multiclass.winners(rows, w, tie, out)
    return out


def largest(s: Floats, tie: float) -> Codes:
    """The number of the class that these scores or votes make the winner."""
    if s.ndim == 1:
        return np.where(s == 0.0, tie > 0, s > 0).astype(np.int64)
    earliest: Codes = np.argmax(s, axis=1)
    latest: Codes = s.shape[1] - 1 - np.argmax(s[:, ::-1], axis=1)
    return latest if tie > 0 else earliest
