"""A learner: weights together with the rule that changes them."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.base.hyperplane import Tie
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.training.learner_state import PER_CLASS
from rosenblatt.classifiers.training.scores import FIRST_MISTAKE, scores, winners
from rosenblatt.data.validation import Codes, Floats, Rows, one_row
from rosenblatt.errors import DataError
from rosenblatt.rules import one_row as row_rules
from rosenblatt.rules.multiclass import Machine, longest

OneRow = tuple[Any, ...]  # the numbers of a dense row; or the numbers and the columns of a sparse one

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
    def takes_byte_rows(self) -> bool:
        """True if `learn` takes rows with a copy of one byte for each number, which may save reading rows."""
        return False

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
    pair_share: ClassVar[float] = 1.0  # the weights of each of two classes, as a part of w, when there is a third class
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

    def narrow(self, d: int) -> None:
        """Take columns after the first d away; their weights are 0."""
        if self.w.shape[-1] > d + 1:
            for name in self.by_column:
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old[..., :d], old[..., -1:]], axis=-1))

    def with_class(self, known: int, code: int, steps: Self) -> Self:
        """Return a copy with one more class, whose weights are 0.

        Parameters
        ----------
        known : the number of classes before
        code : the number of the new class
        steps : a learner of all classes, whose step sizes are taken
        """
        grown = self.copy()
        for name in self.by_column:
            setattr(grown, name, _with_class(getattr(self, name), known, code, self.pair_share))
        for name, field in self._saved.fields.items():
            if field is PER_CLASS:
                setattr(grown, name, getattr(steps, name))
        grown.stride = steps.stride
        if known > 1:  # rules for two classes need no bound
            grown.bound = np.maximum(longest(grown.w), longest(grown.answer))
        return grown

    def mixed(self, learned: Sequence[Self], shares: Sequence[float]) -> Self:
        """Return a learner with the weights of several learners, mixed.

        A learner that is alone is returned as it is.

        Parameters
        ----------
        learned : learners that each began as this one, and learned from other rows
        shares : how much each of them counts; they add up to 1
        """
        if len(learned) == 1:
            return learned[0]
        mixture = self.copy()
        for share, one in zip(shares, learned, strict=True):  # of the changes, so that weights without one stay exact
            mixture.w += share * (one.w - self.w)
        mixture.bound = np.maximum.reduce([longest(mixture.w), *(one.bound for one in learned)])
        return mixture

    def _saved_values(self) -> dict[str, Any]:
        """Return the attributes that a file keeps, by name."""
        return {name: getattr(self, name) for name in self._saved.fields}

    def _restore(self, values: dict[str, Any]) -> None:
        """Set the attributes that a file kept."""
        vars(self).update(values)

    def predict_and_learn(self, rows: Rows, y: Any, order: Codes, weight: Floats, tie: float) -> tuple[Codes, int, int]:
        """Predict each row, and then learn from it; return the predicted classes, and the mistakes and updates.

        The weights are those of `learn`. `tie` is that of `winners`. The positive class of two has the code 1.
        """
        predicted, mistakes, updates = np.empty(len(order), np.int64), 0, 0
        for t in range(len(order)):
            predicted[t] = self.winners(one_row(rows, order[t]), tie)[0]
            more, made = self.learn(rows, y, order[t : t + 1], weight)
            mistakes, updates = mistakes + more, updates + made
        return predicted, mistakes, updates

    def predict_row(self, row: OneRow) -> int:
        """Predict one row, quickly: 1 for the positive class of two, 0 for the other, -1 if `winners` must be asked."""
        found: int = row_rules.PREDICTED[len(row)].quick(*row, self.w, self.bias, self.tie)
        return found

    def learn_row(self, row: OneRow, y: Any) -> tuple[int, int]:  # noqa: ARG002
        """Learn from one row of weight 1, of two classes; mistakes and updates, or -1 twice if `learn` is needed."""
        return -1, -1

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


def _with_class(w: Floats, known: int, code: int, share: float) -> Floats:
    """Return weights with one more class, number `code`, whose weights are 0.

    One class that is alone is the positive class of two. Two classes have one vector, and three have one each.
    """
    if known == 1:
        return 0.0 - w if code == 1 else w.copy()
    classes = np.stack([0.0 - share * w, share * w], axis=-2) if known == 2 else w
    return np.ascontiguousarray(np.insert(classes, code, 0.0, axis=-2))


def refuse_overflow(learner: LinearLearner) -> None:
    """Raise DataError if the weights of a learner are no longer finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights = learner.scale * learner.answer
        finite = np.isfinite(weights).all() and np.isfinite(weights[..., -1] * learner.bias).all()
    if not finite or learner.has_overflowed():
        raise DataError(
            "The weights have become too large for floats; bring X, the bias constant, or the learning rate, "
            "closer to 1."
        )
