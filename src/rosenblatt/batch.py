"""The batch perceptron: all mistakes at once, and the best weights so far are kept."""

import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt import data, parameters
from rosenblatt.data import Floats, Rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.kernels import binary
from rosenblatt.kernels.rows import EPS
from rosenblatt.linear import LinearClassifier
from rosenblatt.scoring import held, initial, rules, targets
from rosenblatt.training import TIES, BudgetWarning, StopReason
from rosenblatt.weighting import class_weights, row_weights


class Best(NamedTuple):
    """The best weights so far: the bias weight last, one row a class if there are more than two."""

    w: Floats
    errors: float  # on the training rows, weighed


class BatchPerceptron(LinearClassifier):
    r"""Batch perceptron: add all rows that are wrong at once; answer with the best weights met.

    .. math:: X_t^- = \{i : y_i \, w_t \cdot x_i \le 0\}, \quad w_{t+1} = w_t + \eta_t \sum_{i \in X_t^-} y_i x_i

    It is gradient descent on the perceptron's loss, :math:`\sum_i \max(0, -y_i \, w \cdot x_i)`, for classes that no
    hyperplane separates. The order of the rows does not count, and a row of weight k is k copies of it: to the last bit
    where weights (times class weights) and sums of rows fit twice the digits of a float. With more than two classes a
    mistake adds the row to the true class and subtracts it from the winner. The rule itself is `batch` in
    `kernels/binary.py` and `kernels/multiclass.py`.

    Parameters
    ----------
    step : float, "1/t" or callable, default=1.0
        eta_t: a constant; 1/t, which settles; any function of t = 1, 2, ... that gives numbers above 0. From weights 0
        a constant scales the weights and changes nothing else, but for rounding.
    patience : int or None, default=100
        Stop when so many passes have not beaten the best weights; None: never for this reason.
    target : float, default=0
        Stop when the best weights make at most so many errors (weighed, where weights are given).
    stop : callable, optional
        The lecture's termination condition, stop(best, t, t_last_update): `best.w` and `best.errors` are the best so
        far, t counts looks at the rows from 1, and t_last_update is the t at which `best` was found. True stops.
    shift : bool, default=False
        Also try each hyperplane shifted parallel to itself to where it errs least, by the scores it has given anyway
        (another look is taken only if rounding leaves a doubt). The weights that learn stay as they are. Two classes.
        It finds fewer errors in fewer passes, most of all where columns differ in scale; but the values of scores then
        count, so that storage does, to rounding.
    max_epochs : int, default=1000
        The budget of passes.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means while learning; see `Perceptron`. From weights 0 every score is 0.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of the rows of a class.

    Attributes
    ----------
    coef_, intercept_, classes_, hyperplane_ (two classes)
    n_iter_ : passes made
    n_updates_ : steps made
    mistakes_per_epoch_ : rows on their wrong side at each look
    errors_ : errors of the best weights on the training rows, weighed
    history_ : array (m, 2): the t of each improvement, and the errors from then on
    stop_reason_ : `StopReason`; "mistake_free", "target", "patience", "condition" or "budget"

    Notes
    -----
    If a hyperplane separates the classes with margin gamma, a constant step from weights 0 ends without a mistake after
    at most :math:`n^2 R^2/\gamma^2` steps, n rows no longer than R (Novikoff's proof, for sums of rows).

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), section 5.5; V. Hlavac, Linear
    classifiers, a perceptron family (lecture).

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron
    >>> model = BatchPerceptron(patience=20).fit([[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1])
    >>> print(model.stop_reason_, "with", model.errors_, "error, found at t =", int(model.history_[-1, 0]))
    patience with 1.0 error, found at t = ...
    """

    stop_reason_: StopReason
    _descent: "Descent"
    _constant: float

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "step": parameters.Either(
            parameters.OneOf("1/t"), parameters.Number(0, strict=True), parameters.Function("t = 1, 2, ...")
        ),
        "patience": parameters.Either(parameters.OneOf(None), parameters.Integer(1)),
        "target": parameters.Number(0),
        "stop": parameters.Either(parameters.OneOf(None), parameters.Function("best, t, t_last_update")),
        "shift": parameters.Flag(),
        "max_epochs": parameters.Integer(1),
        "tie": parameters.OneOf(*TIES),
        "bias": parameters.Number(0),
        "init": parameters.Weights(),
        "class_weight": parameters.ClassWeight(),
    }

    def __init__(
        self,
        *,
        step: Any = 1.0,
        patience: int | None = 100,
        target: float = 0.0,
        stop: Callable[[Best, int, int], bool] | None = None,
        shift: bool = False,
        max_epochs: int = 1000,
        tie: str = "mistake",
        bias: float = 1.0,
        init: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.step = step
        self.patience = patience
        self.target = target
        self.stop = stop
        self.shift = shift
        self.max_epochs = max_epochs
        self.tie = tie
        self.bias = bias
        self.init = init
        self.class_weight = class_weight

    @property
    def _weights(self) -> Floats:
        return self._descent.best.w

    @property
    def _bias(self) -> float:
        return self._constant

    @property
    def _tie_sign(self) -> float:
        return 1.0 if self._descent.tie > 0 else -1.0

    @property
    def n_iter_(self) -> int:
        """Passes made."""
        check_is_fitted(self)
        return len(self._descent.mistakes)

    @property
    def n_updates_(self) -> int:
        """Steps made."""
        check_is_fitted(self)
        return len(self._descent.mistakes) - 1

    @property
    def mistakes_per_epoch_(self) -> NDArray[np.int64]:
        """Rows on their wrong side at each look."""
        check_is_fitted(self)
        return np.array(self._descent.mistakes, dtype=np.int64)

    @property
    def errors_(self) -> float:
        """Errors of the best weights on the training rows, weighed."""
        check_is_fitted(self)
        return self._descent.best.errors

    @property
    def history_(self) -> Floats:
        """The t of each improvement, and the errors from then on."""
        check_is_fitted(self)
        return np.array(self._descent.history, dtype=np.float64)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Look at all rows and step, until a condition for stopping holds; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        sample_weight : n numbers of at least 0; k counts as k copies of the row
        """
        parameters.check(self, self._constraints)
        points = data.points(X)
        n, d = points.shape
        classes, codes = data.classes(y, n)
        if self.shift and (len(classes) > 2 or not self.bias):
            raise ParameterError(
                f"BatchPerceptron(shift=True) moves one hyperplane by its bias; here are {len(classes)} classes, "
                f"and the bias constant is {self.bias}. Give shift=False, or wrap it in OneVsAll."
            )
        weights = row_weights(sample_weight, codes, classes)
        prices = class_weights(self.class_weight, classes, codes, weights)
        descent = Descent(initial(self.init, len(classes), d), weights, prices, TIES[self.tie])
        reason = self._descend(descent, data.rows(points, float(self.bias)), targets(codes, classes))
        data.check_columns(self, X, points, reset=True)
        del descent.weight, descent.there, descent.seen  # as long as the data
        self.classes_, self._descent, self.stop_reason_ = classes, descent, reason
        self._constant = float(self.bias)
        if reason is StopReason.BUDGET:
            warnings.warn(
                f"BatchPerceptron used its budget of max_epochs={self.max_epochs} passes; its best weights, found at "
                f"t={descent.t_last_update}, err on {descent.best.errors:g}. Raise max_epochs, or set patience or "
                "target to say when enough is enough.",
                BudgetWarning,
                stacklevel=2,
            )
        return self

    def _descend(self, descent: "Descent", rows: Rows, y: Any) -> StopReason:
        for t in range(1, self.max_epochs + 1):
            descent.look(rows, y, t)
            if self.shift:
                descent.shift(rows, y, t)
            reason = self._reason(descent, t)
            if reason is not None:
                return reason
            if t < self.max_epochs:
                descent.go(self._eta(t))
        return StopReason.BUDGET

    def _reason(self, descent: "Descent", t: int) -> StopReason | None:
        best, t_last_update = descent.best, descent.t_last_update
        if best.errors == 0:
            return StopReason.MISTAKE_FREE
        if best.errors <= self.target:
            return StopReason.TARGET
        if self.patience is not None and t - t_last_update >= self.patience:
            return StopReason.PATIENCE
        if self.stop is not None and self.stop(best, t, t_last_update):
            return StopReason.CONDITION
        return None

    def _eta(self, t: int) -> float:
        eta = 1.0 / t if self.step == "1/t" else self.step(t) if callable(self.step) else self.step
        if not parameters.Number(0, strict=True).allows(eta):
            raise ParameterError(
                f"BatchPerceptron(step=...) must give finite numbers above 0, but step({t}) is {eta!r}."
            )
        return float(eta)


class Descent:
    """Weights on their way, and the best so far."""

    def __init__(self, w: Floats, weight: Floats, price: Floats, tie: float) -> None:
        self.w, self.weight, self.price, self.tie = w, weight, price, tie
        self.there = np.flatnonzero(weight)  # a row of weight 0 is not
        self.seen = np.empty((2 if w.ndim == 1 else 0, len(weight)))  # two classes: each row's score, and its rounding
        self.best = Best(w.copy(), math.inf)
        self.t_last_update = 0
        self.mistakes: list[int] = []
        self.history: list[tuple[int, float]] = []

    def look(self, rows: Rows, y: Any, t: int) -> None:
        """Find all mistakes and their sum; keep the weights if they are the best so far."""
        high, low = np.zeros_like(self.w), np.zeros_like(self.w)
        mistakes, errors = rules(self.w).batch(
            rows, y, self.there, self.weight, self.price, held(self.w), self.tie, high, low, *self.seen
        )
        self.sum = high + low
        self.mistakes.append(mistakes)
        self._keep(self.w, errors, t)

    def shift(self, rows: Rows, y: Any, t: int) -> None:
        """Keep the same hyperplane, shifted to where it errs least, if that is the best so far."""
        cost, there = self.weight * self.price[(y > 0).astype(np.int64)], self.there
        scores, blurs = self.seen[0, there], self.seen[1, there]
        by, fewest = best_shift(scores, y[there], cost[there])
        if fewest < self.best.errors:
            w = self.w.copy()
            w[-1] += by / rows.bias
            doubt = blurs + 4 * EPS * (abs(scores) + abs(by) + abs(w[-1] * rows.bias))
            if (abs(scores + by) > doubt).all():
                errors = math.fsum(cost[there][y[there] * (scores + by) < 0])
            else:
                errors = binary.errors(rows, y, there, cost, w, self.tie, math.inf)
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
