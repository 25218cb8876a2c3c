"""Passive-aggressive learning: no step if a row has its margin, else the shortest step that gives it the margin."""

import math
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.online import HOLDING_OUT, OnlineClassifier
from rosenblatt.classifiers.training.learner import LinearLearner, OneRow
from rosenblatt.classifiers.training.learner_state import LEARNS, PER_CLASS, WEIGHTS, SavedLearner, saved
from rosenblatt.classifiers.training.order import Order
from rosenblatt.classifiers.training.rule_pair import Rule
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.rules import binary, multiclass, one_row, predict_first

Variant = Literal["I", "II"]


class PassiveAggressive(OnlineClassifier):
    r"""Passive-aggressive classifier: the smallest change of the weights that gives the row a margin of 1.

    .. math:: \ell = \max(0, 1 - y_i \, w \cdot x_i), \quad w \leftarrow w + \tau \, y_i x_i, \quad
              \tau = \min(C, \ell / |x_i|^2) \text{ (I)} \;\text{ or }\; \ell / (|x_i|^2 + 1/(2C)) \text{ (II)}

    With more than two classes, the margin is the score of the true class less the best other score. The bias constant
    counts in the length of a row, so that the step gives exactly this margin. The rule itself is `passive_aggressive`
    in `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    C : float, default=1.0
        The largest step of one row. Make it smaller if labels are noisy; `inf` makes full steps.
    variant : {"I", "II"}, default="I"
        How C limits the step.

        - "I": the step is cut off at C.
        - "II": the step is shortened smoothly.
    order : {"shuffled", "cyclic", "random", "first", "worst"}, default="shuffled"
        The order in which rows are presented; see `Perceptron`.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    max_epochs : int, default=100
        The largest number of passes. It matters for data that cannot be separated.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C for rows of a class. `sample_weight` in `fit` multiplies it for single rows.
    held_out : float, optional
        The fraction of the rows to hold out, the same for each class. Training stops when `patience` passes in a row
        have not lowered the errors on the rows held out, and the weights of the best pass are kept. Use it for data
        that no hyperplane separates, where more passes may be worse.
    patience : int, default=5
        Passes without fewer errors on the rows held out before training stops.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random", and the rows held out. With None, every fit is different.
    warm_start : bool, default=False
        If True, `fit` starts from the weights that the last fit or stream ended with.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features: one row for two classes, else one row per class.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score.
    hyperplane_ : Hyperplane
        The boundary between two classes.
    n_iter_ : int
        Passes made.
    n_updates_ : int
        Updates made. A row on its right side causes one too if its margin is below 1.
    mistakes_per_epoch_ : array of int
        Mistakes in each pass. A mistake is a row on its wrong side, `y w.x <= 0`. `fit` stops when there is none.
    held_out_errors_per_epoch_ : array of float
        Errors on the rows held out, after each pass.
    progressive_ : array of int, of shape (m, 2)
        The rows that were predicted before they were learned from, and how many of them were right, after 1, 2, 4, ...
        rows and after all; empty without `fit_stream(progressive=True)`. Files do not keep it.
    stop_reason_ : StopReason
        "mistake_free", "budget", "held_out", "stream" or "condition".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    Perceptron : Makes steps of one length.
    losses.hinge_loss : The loss that a step makes 0 for its row.

    Notes
    -----
    Suppose that C = inf and some u has :math:`y_i \, u \cdot x_i \ge 1` for all rows. Then the squared losses of one
    pass sum to at most :math:`R^2 |u|^2` (Crammer et al. 2006, theorem 2), so there are at most as many mistakes.

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
        "variant": parameters.OneOf(*get_args(Variant)),
    }
    _saved = SavedState({"_learner": SavedLearner(("Aggressive",)), **OnlineClassifier._saved_fields})

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: Variant = "I",
        order: Order = "shuffled",
        bias: Bias = 1.0,
        init: "ArrayLike | None" = None,
        max_epochs: int = 100,
        class_weight: ClassWeight = None,
        held_out: float | None = None,
        patience: int = 5,
        random_state: RandomState = 0,
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

    @property
    def _ends_by_budget(self) -> bool:
        return not math.isinf(self.C)  # a limit to the steps expects noisy labels

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        with np.errstate(over="ignore"):  # an infinite cap is no cap, and an infinite slack means no step
            C = float(self.C) * class_weights
            slack = 0.5 / C
        if self.variant == "I":
            return Aggressive(w, cap=C, slack=np.zeros_like(C))
        return Aggressive(w, cap=np.full_like(C, math.inf), slack=slack)


@saved({"w": WEIGHTS, **LEARNS, "cap": PER_CLASS, "slack": PER_CLASS})
class Aggressive(LinearLearner):
    """The passive-aggressive rule: `cap` is the longest step, `slack` what shortens it; both one a class."""

    rule = Rule(binary.passive_aggressive, multiclass.passive_aggressive)
    predicting_rule = Rule(predict_first.passive_aggressive, predict_first.passive_aggressive_many)
    pair_share = 0.5  # two vectors that differ by w have the margins of w

    def __init__(self, w: Floats, cap: Floats, slack: Floats) -> None:
        super().__init__(w)
        self.cap, self.slack = cap, slack

    def learn(self, rows: Rows, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        mistakes, updates = self.rule[self.w.ndim - 1](rows, y, order, weight, self.packed, self.cap, self.slack)
        return mistakes, updates

    def predict_and_learn(self, rows: Rows, y: Any, order: Codes, weight: Floats, tie: float) -> tuple[Codes, int, int]:
        predicted = np.empty(len(order), np.int64)
        mistakes, updates = self.predicting_rule[self.w.ndim - 1](
            rows, y, order, weight, self.packed, self.cap, self.slack, tie, predicted
        )
        return predicted, mistakes, updates

    def learn_row(self, row: OneRow, y: Any) -> tuple[int, int]:
        counts: tuple[int, int] = one_row.PASSIVE_AGGRESSIVE[len(row)].quick(
            *row, y, self.w, self.bias, self.stride, self.cap, self.slack
        )
        return counts
