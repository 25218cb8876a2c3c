"""A learner: weights together with the rule that changes them."""

import copy
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.base.hyperplane import Tie
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.training.scores import FIRST_MISTAKE, scores, winners
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.rules.multiclass import Machine, longest

# The sign that a score of 0 gets while learning.
TIES: dict[Tie, float] = {"mistake": 0.0, "positive": 1.0, "negative": -1.0}


class Learner(ABC):
    """What `train` passes rows to.

    Attributes
    ----------
    tie : the sign given to a score of 0
    proves : True if a pass without a mistake proves that no row is wrong, whatever was rounded
    """

    tie: float = 0.0
    proves: bool = True

    @abstractmethod
    def learn(self, rows: Any, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        """Learn from these rows in this order; return the number of mistakes and of updates.

        `weight` has one number above 0 for each row; a rule multiplies its step by it.
        """

    def end_pass(self, rows: Any) -> None:  # noqa: B027  (most learners need nothing)
        """Do what is due between two passes over these rows; `rows` is None if they come in chunks."""

    def copy(self) -> Self:
        """Return a copy that does not change when this learner goes on."""
        return copy.deepcopy(self)

    @property
    def settled(self) -> bool:
        """True if all rows are known to be on their right side, whatever the last pass did."""
        return False

    @abstractmethod
    def has_overflowed(self) -> bool:
        """Return True if weights or scores are no longer finite."""

    @abstractmethod
    def first_mistake(self, rows: Any, y: Any, among: Codes) -> int:
        """Return the first of these rows that is on its wrong side now, or -1."""

    @abstractmethod
    def worst_mistake(self, rows: Any, y: Any, among: Codes) -> int:
        """Return the row that is farthest on its wrong side now, or -1."""

    @abstractmethod
    def winners(self, rows: Any, tie: float) -> Codes:
        """Return the class codes that the learner predicts; a tie of +1 goes to the later class, -1 to the earlier."""


class LinearLearner(Learner):
    """A learner with one weight vector, or one a class.

    Attributes
    ----------
    w : the weights that the next row meets, the bias weight last; with more than two classes one row a class
    scale : the unit of w and of scores made with it
    bias : the constant that each row ends with
    margin : what y w.x must exceed for a row to be right
    bound : one number, at least the length of every weight vector so far
    stride : upper bound of a step divided by the length of its row, and of `scale`
    """

    _saved: ClassVar[SavedState]  # `saved`, in learner_state.py, declares it
    by_column: ClassVar[tuple[str, ...]] = ("w",)  # the arrays whose last axis is the columns and the bias
    w: Floats
    bound: Floats
    scale: float = 1.0
    bias: float
    margin: float = 0.0
    stride: float = 1.0

    def __init__(self, w: Floats) -> None:
        self.w, self.bound = w, longest(w)

    @property
    def packed(self) -> Any:
        """The weights as the rules take them."""
        return self.w if self.w.ndim == 1 else Machine(self.w, self.bound)

    def widen(self, d: int) -> None:
        """Grow the weights to d columns; new columns start at 0."""
        for name in self.by_column:
            old = getattr(self, name)
            if old.shape[-1] < d + 1:
                new = np.zeros((*old.shape[:-1], d + 1))
                new[..., : old.shape[-1] - 1], new[..., -1] = old[..., :-1], old[..., -1]
                setattr(self, name, new)

    def _saved_values(self) -> dict[str, Any]:
        """Return the attributes that a file keeps, by name."""
        return {name: getattr(self, name) for name in self._saved.fields}

    def _restore(self, values: dict[str, Any]) -> None:
        """Set the attributes that a file kept."""
        vars(self).update(values)

    @property
    def answer(self) -> Floats:
        """The weights to predict with, in units of `scale`."""
        return self.w

    def has_overflowed(self) -> bool:
        return not np.isfinite(self.w).all()

    def first_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        return int(FIRST_MISTAKE[self.w.ndim - 1](rows, y, among, self.packed, self.margin, self.tie))

    def worst_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        worst = among[[np.argmin(self.functional_margins(rows, y)[among])]]
        return int(worst[0]) if self.first_mistake(rows, y, worst) >= 0 else self.first_mistake(rows, y, among)

    def winners(self, rows: Rows, tie: float) -> Codes:
        return winners(rows, self.answer, tie, self.bound)

    def functional_margins(self, rows: Rows, y: Any) -> Floats:
        """Return y w.x of each row; with more classes, the score of the true class less the best other score."""
        s = scores(rows, self.w, self.bound)
        if s.ndim == 1:
            return np.asarray(y * s)
        every = np.arange(len(y))
        true = s[every, y]
        s[every, y] = -np.inf
        with np.errstate(over="ignore"):
            return np.asarray(true - s.max(axis=1))
