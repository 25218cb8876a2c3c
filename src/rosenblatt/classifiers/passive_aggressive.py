"""Passive-aggressive learning: no step while a row has its margin, else the shortest step that gives it one."""

import math
from typing import Any, ClassVar

import numpy as np

from rosenblatt.base import parameters
from rosenblatt.classifiers.online import HOLDING_OUT, OnlineClassifier
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.classifiers.training.rule import Rule
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.rules import binary, multiclass


class PassiveAggressive(OnlineClassifier):
    r"""Passive-aggressive classifier: the smallest change that gives the row a margin of 1.

    .. math:: \ell = \max(0, 1 - y_i \, w \cdot x_i), \quad w \leftarrow w + \tau \, y_i x_i, \quad
              \tau = \min(C, \ell / |x_i|^2) \text{ (I)} \;\text{ or }\; \ell / (|x_i|^2 + 1/(2C)) \text{ (II)}

    With more than two classes, the margin is that of the true class over the best other. The bias constant counts in
    the length of a row, so that the step really gives the margin. The rule itself is `passive_aggressive` in
    `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    C : float, default=1.0
        How far one row may pull; smaller where labels are noisy, `inf` for full steps.
    variant : {"I", "II"}, default="I"
        Cut the step off at C, or shorten it smoothly.
    order : {"shuffled", "cyclic", "random", "first", "worst"}, default="shuffled"
        How rows are presented; see `Perceptron`.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    max_epochs : int, default=100
        The budget of passes, for data that cannot be separated.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C for rows of a class.
    held_out : float, optional
        Hold this part of the rows out, each class in its share; stop when `patience` passes have not made fewer errors
        on it, and answer as after the best pass. For data that no hyperplane separates, where more passes may be worse.
    patience : int, default=5
        Passes without fewer errors on the part held out before training stops.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random", and the part held out; None for a different one each time.
    warm_start : bool, default=False
        Let `fit` start from the weights that the last fit, or the stream, ended with.

    Attributes
    ----------
    coef_, intercept_, classes_, hyperplane_ (two classes), n_iter_, mistakes_per_epoch_, stop_reason_
        As for `Perceptron`. A mistake is a row on the wrong side, `y w.x <= 0`; `fit` stops when there is none.
    n_updates_ : updates made; also rows on their right side cause one while their margin is below 1

    Notes
    -----
    With C = inf, if some u has :math:`y_i \, u \cdot x_i \ge 1` for all rows, the squared losses of one pass sum to at
    most :math:`R^2 |u|^2` (Crammer et al. 2006, theorem 2), and so do the mistakes.

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, JMLR 7 (2006), sections 3 and 8.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> model = PassiveAggressive(C=float("inf")).learn_one([3.0, 4.0], "up", classes=["down", "up"])
    >>> float(model.decision_function([[3.0, 4.0]])[0])
    1.0
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        **OnlineClassifier._constraints,
        **HOLDING_OUT,
        "C": parameters.Number(0, strict=True, infinite=True),
        "variant": parameters.OneOf("I", "II"),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "I",
        order: str = "shuffled",
        bias: float = 1.0,
        init: Any = None,
        max_epochs: int = 100,
        class_weight: Any = None,
        held_out: float | None = None,
        patience: int = 5,
        random_state: Any = 0,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.variant = variant
        self.order = order
        self.bias = bias
        self.init = init
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.held_out = held_out
        self.patience = patience
        self.random_state = random_state
        self.warm_start = warm_start

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        with np.errstate(over="ignore"):  # a cap of inf is no cap, a slack of inf no step
            C = float(self.C) * class_weights
            slack = 0.5 / C
        if self.variant == "I":
            return Aggressive(w, cap=C, slack=np.zeros_like(C))
        return Aggressive(w, cap=np.full_like(C, math.inf), slack=slack)


class Aggressive(LinearLearner):
    """The passive-aggressive rule: `cap` is the longest step, `slack` what shortens it; both one a class."""

    rule = Rule(binary.passive_aggressive, multiclass.passive_aggressive)

    def __init__(self, w: Floats, cap: Floats, slack: Floats) -> None:
        super().__init__(w)
        self.cap, self.slack = cap, slack

    def learn(self, rows: Rows, y: Any, order: Codes) -> tuple[int, int]:
        mistakes, updates = self.rule.of(self.w)(rows, y, order, self.packed, self.cap, self.slack)
        return mistakes, updates
