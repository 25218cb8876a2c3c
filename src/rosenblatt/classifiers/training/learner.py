"""A learner: weights bound to a rule."""

import copy
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.classifiers.training.scores import held, longest, rules, scores, winners
from rosenblatt.data.validation import Codes, Floats, Rows

TIES = {"mistake": 0.0, "positive": 1.0, "negative": -1.0}  # the sign that a score of 0 is given, if any


class Learner:
    """Weights that learn by a rule.

    Attributes
    ----------
    w : the weights that the next row meets, the bias weight last; with more than two classes one row a class
    scale : what w, and scores made with it, are in units of
    bias : the constant that each row ends with
    margin : what y w.x must exceed for a row to be right
    tie : the sign given to a score of 0
    proves : does a clean pass prove that no row is wrong, whatever was rounded?
    bound : one number, at least the length of all weights that there have been
    stride : no step is longer than so many times the row, nor w in larger units
    """

    by_column: ClassVar[tuple[str, ...]] = ("w",)  # the arrays whose last axis are the columns, and the bias
    w: Floats
    scale: float = 1.0
    bias: float
    margin: float = 0.0
    tie: float = 0.0
    proves: bool = True
    stride: float = 1.0

    def __init__(self, w: Floats) -> None:
        self.w, self.bound = w, longest(w)

    @property
    def held(self) -> Any:
        """The weights as the kernels take them."""
        return held(self.w, self.bound)

    def learn(self, rows: Rows, y: Any, order: Codes) -> tuple[int, int]:
        """Learn from these rows in this order; how many were mistakes, and how many changed the weights."""
        raise NotImplementedError

    def rest(self, rows: Rows | None) -> None:
        """Do what is to be done between passes over these rows; None if they come in chunks."""

    def widen(self, d: int) -> None:
        """From now on rows have d columns, which is no fewer; those that are new have weight 0, as if always there."""
        for name in self.by_column:
            old = getattr(self, name)
            if old.shape[-1] < d + 1:
                new = np.zeros((*old.shape[:-1], d + 1))
                new[..., : old.shape[-1] - 1], new[..., -1] = old[..., :-1], old[..., -1]
                setattr(self, name, new)

    def copy(self) -> Self:
        """One that stays as it is when this one learns on."""
        return copy.deepcopy(self)

    @property
    def settled(self) -> bool:
        """Have all rows been found on their right side already, whatever the last pass did?"""
        return False

    @property
    def answer(self) -> Floats:
        """The weights to predict with, in units of `scale`."""
        return self.w

    def has_overflowed(self) -> bool:
        """Has learning come to weights that are not numbers any more?"""
        return not np.isfinite(self.w).all()

    def first_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        """The first of these rows that is on its wrong side now, or -1."""
        return int(rules(self.w).first_mistake(rows, y, among, self.held, self.margin, self.tie))

    def worst_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        """The one of these rows that is farthest on its wrong side now, or -1."""
        worst = among[[np.argmin(self.leads(rows, y)[among])]]
        return int(worst[0]) if self.first_mistake(rows, y, worst) >= 0 else self.first_mistake(rows, y, among)

    def winners(self, rows: Rows, tie: float) -> Codes:
        """The numbers of the classes it answers with; a tie of +1 goes to the later class, of -1 to the earlier."""
        return winners(rows, self.answer, tie, self.bound)

    def leads(self, rows: Rows, y: Any) -> Floats:
        """Functional margins now: y w.x, or how far the score of the true class is above the best other."""
        s = scores(rows, self.w, self.bound)
        if s.ndim == 1:
            return np.asarray(y * s)
        every = np.arange(len(y))
        true = s[every, y]
        s[every, y] = -np.inf
        with np.errstate(over="ignore"):
            return np.asarray(true - s.max(axis=1))
