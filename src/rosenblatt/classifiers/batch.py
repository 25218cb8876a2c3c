"""The batch perceptron: a step along the sum of all mistakes, and the best weights so far are kept."""

import copy
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.events import heard, tell
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, followed
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.descent import Best, Descent
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.learner import TIES
from rosenblatt.classifiers.training.passes import SAID
from rosenblatt.classifiers.training.scores import initial, targets
from rosenblatt.classifiers.training.stream_passes import (
    LearnsFromStreams,
    Options,
    Passes,
    asked_of,
    known_width,
    rows_of,
    signs,
)
from rosenblatt.data import validation
from rosenblatt.data.named_arrays import named
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Matrix, Rows
from rosenblatt.data.weights import class_weights, row_weights
from rosenblatt.errors import DataError, ParameterError

Reached = tuple[Descent, StopReason]
KEPT = ("count", "weighed", "rest", "t_last_update", "mistakes", "history")  # attributes in a checkpoint


class Problem(NamedTuple):
    """The validated input of the descent."""

    points: Matrix
    rows: Rows
    classes: NDArray[Any]
    codes: Codes
    weights: Floats
    descent: Descent


class BatchPerceptron(LearnsFromStreams, LinearClassifier, TakesCallbacks):
    r"""Batch perceptron: add all misclassified rows at once, and predict with the best weights found.

    .. math:: X_t^- = \{i : y_i \, w_t \cdot x_i \le 0\}, \quad w_{t+1} = w_t + \eta_t \sum_{i \in X_t^-} y_i x_i

    It is gradient descent on the perceptron's loss, :math:`\sum_i \max(0, -y_i \, w \cdot x_i)`, for classes that no
    hyperplane separates. With more than two classes a mistake adds the row to the true class and subtracts it from the
    winner. The rule itself is `batch` in `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    step : float, "1/t" or callable, default=1.0
        eta_t: a constant; 1/t, with which the weights settle; or a function of t = 1, 2, ... that returns positive
        numbers. From zero weights a constant only scales the weights (up to rounding).
    patience : int or None, default=100
        Stop after this many passes without a better result. None: never stop for this reason.
    target : float, default=0
        Stop when the best weights make at most this many errors (weighted, if weights are given).
    stop : callable, optional
        The lecture's termination condition, stop(best, t, t_last_update): `best.w` and `best.errors` are the best so
        far, t counts passes from 1, and t_last_update is the t at which `best` was found. True stops.
    shift : bool, default=False
        Also try each hyperplane shifted parallel to itself to where it makes the fewest errors. The weights that learn
        are not shifted. For two classes only. It finds fewer errors in fewer passes, above all where columns differ in
        scale; but rounded scores decide, so the result may depend on the storage of X.
    max_epochs : int, default=1000
        Maximum number of passes.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means while learning; see `Perceptron`. From zero weights every score is 0.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Initial weights, the bias weight last; zeros by default.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of the rows of a class. Set it where classes differ in size or in the cost of errors.

    Attributes
    ----------
    coef_, intercept_, classes_, hyperplane_ (two classes)
    n_iter_ : number of passes
    n_updates_ : number of steps
    mistakes_per_epoch_ : number of rows on the wrong side in each pass
    errors_ : errors of the best weights on the training rows, weighted
    history_ : array (m, 2): the t of each improvement, and the errors from then on
    stop_reason_ : `StopReason`; "mistake_free", "target", "patience", "condition" or "budget"

    Notes
    -----
    If a hyperplane separates the classes with margin gamma, a constant step from zero weights ends without a mistake
    after at most :math:`n^2 R^2/\gamma^2` steps, for n rows no longer than R (Novikoff's proof, for sums of rows).

    The order of the rows does not matter, and a row of weight k equals k copies of it: to the last bit if weights
    (times class weights) and sums of rows fit twice the digits of a float.

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
    _descent: Descent
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
        """Number of passes."""
        check_is_fitted(self)
        return len(self._descent.mistakes)

    @property
    def n_updates_(self) -> int:
        """Number of steps."""
        check_is_fitted(self)
        return len(self._descent.mistakes) - 1

    @property
    def mistakes_per_epoch_(self) -> NDArray[np.int64]:
        """Number of rows on the wrong side in each pass."""
        check_is_fitted(self)
        return np.array(self._descent.mistakes, dtype=np.int64)

    @property
    def errors_(self) -> float:
        """Errors of the best weights on the training rows, weighted."""
        check_is_fitted(self)
        return self._descent.best.errors

    @property
    def history_(self) -> Floats:
        """The t of each improvement, and the errors from then on."""
        check_is_fitted(self)
        return np.array(self._descent.history, dtype=np.float64)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass over all rows and step, until a condition for stopping holds; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        sample_weight : n numbers of at least 0; a row of weight k counts as k copies
        """
        problem = self.problem(X, y, sample_weight)

        def keep(model: BatchPerceptron, reached: Reached) -> None:
            validation.check_columns(model, X, problem.points, reset=True)
            model._keep(problem.classes, *reached)

        told = X, y, sample_weight
        keep(self, followed(self, lambda callbacks: self._descend(problem, callbacks), keep, self.max_epochs, *told))
        self._warn(stacklevel=3)
        return self

    def problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """Return the validated input of the descent that `fit` would make, without changing the model."""
        parameters.check(self, self._constraints)
        points = validation.points(X)
        n, d = points.shape
        classes, codes = validation.classes(y, n)
        if self.shift and (len(classes) > 2 or not self.bias):
            raise ParameterError(
                f"BatchPerceptron(shift=True) moves one hyperplane by its bias; here are {len(classes)} classes, "
                f"and the bias constant is {self.bias}. Give shift=False, or wrap it in OneVsAll."
            )
        weights = row_weights(sample_weight, codes, classes)
        prices = class_weights(self.class_weight, classes, codes, weights)
        descent = Descent(initial(self.init, len(classes), d), prices, TIES[self.tie])
        return Problem(points, validation.rows(points, float(self.bias)), classes, codes, weights, descent)

    def _check_streamable(self) -> None:
        if self.shift or isinstance(self.class_weight, str):
            what = "shift=True" if self.shift else "class_weight='balanced'"
            raise ParameterError(f"BatchPerceptron({what}) needs all rows at once; leave it out for a stream.")

    def _fit_stream(self, stream: Stream, options: Options) -> None:
        walk = StreamDescent(self, stream, options)

        def keep(model: BatchPerceptron, reached: Reached) -> None:
            assert stream.classes_ is not None  # noqa: S101
            nothing = np.empty((0, reached[0].w.shape[-1] - 1))
            validation.check_columns(model, named(nothing, stream.names_), nothing, reset=True)
            model.encoding_ = None if stream.encoding_ is None else stream.encoding_.record()
            model._keep(stream.classes_, *reached)

        keep(self, followed(self, walk.descend, keep, self.max_epochs))
        self._warn(stacklevel=4)

    def _keep(self, classes: NDArray[Any], descent: Descent, reason: StopReason) -> None:
        """Keep the result of a descent."""
        self.classes_, self._descent, self.stop_reason_ = classes, descent, reason
        self._constant = float(self.bias)

    def _warn(self, stacklevel: int) -> None:
        if self.stop_reason_ is StopReason.BUDGET:
            warnings.warn(
                f"BatchPerceptron used its budget of max_epochs={self.max_epochs} passes; its best weights, found at "
                f"t={self._descent.t_last_update}, have a weighted error of {self.errors_:g}. Raise max_epochs, or "
                "set patience or target to stop earlier.",
                BudgetWarning,
                stacklevel=stacklevel,
            )

    def _descend(
        self, problem: Problem, callbacks: Callbacks | None = None, watch: Callable[[Descent], None] | None = None
    ) -> Reached:
        """Pass and step until a condition for stopping holds; `watch` is called with the descent after every pass."""
        _, rows, classes, codes, weight, descent = problem
        y, told, there = targets(codes, classes), heard(), np.flatnonzero(weight)  # rows of weight 0 are skipped
        tell("BatchPerceptron", 0, self.max_epochs, "first pass")
        for t in range(1, self.max_epochs + 1):
            if callbacks is not None:
                callbacks.begin()
            descent.start()
            seen = descent.look(rows, y, weight, there)
            descent.end(t)
            if self.shift:
                descent.shift(rows, y, weight, there, seen, t)
            if told:
                facts = t, self.max_epochs, descent.count, descent.best.errors
                tell("BatchPerceptron", t, self.max_epochs, SAID + ", {:g} at best", *facts)
            reason = self._reason(descent, t)
            if callbacks is not None and callbacks.end(partial(_now, descent, reason)):
                reason = reason or StopReason.CONDITION
            if reason is None and t < self.max_epochs:
                descent.go(self._eta(t))
            if watch is not None:
                watch(descent)
            if reason is not None:
                return descent, reason
        return descent, StopReason.BUDGET

    def _reason(self, descent: Descent, t: int) -> StopReason | None:
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


def _now(descent: Descent, reason: StopReason | None) -> Reached:
    """Return a copy of the result as it would be if no more passes were allowed."""
    return copy.deepcopy(descent), reason or StopReason.BUDGET


class StreamDescent:
    """A descent on the rows of a stream."""

    def __init__(self, model: BatchPerceptron, stream: Stream, options: Options) -> None:
        self.model, self.stream = model, stream
        self.descent: Descent | None = None
        self.passes = Passes(stream, options, asked_of(model), model.max_epochs, self.state)

    def descend(self, callbacks: Callbacks | None) -> Reached:
        """Pass and step until a condition for stopping holds."""
        state, model = self.passes.resumed(), self.model
        if state is not None:
            self.restore(state)
        for chunks in self.passes:
            if callbacks is not None:
                callbacks.begin()
            for chunk in chunks:
                self.passes.tell(chunk, self.look(chunk).count)
            descent, t = self.descent, self.passes.epoch + 1
            assert descent is not None  # noqa: S101
            descent.end(t)
            reason = model._reason(descent, t)
            if callbacks is not None and callbacks.end(partial(_now, descent, reason)):
                reason = reason or StopReason.CONDITION
            if reason is not None:
                return descent, reason
            if t < model.max_epochs:
                descent.go(model._eta(t))
                descent.start()
            self.passes.end_of_pass()
        assert self.descent is not None  # noqa: S101
        return self.descent, StopReason.BUDGET

    def look(self, chunk: Chunk) -> Descent:
        """Process the rows of a chunk."""
        stream, model = self.stream, self.model
        assert stream.classes_ is not None  # noqa: S101
        if self.descent is None:
            width = known_width(model.init, stream.n_columns_)
            start = initial(model.init, len(stream.classes_), width)
            self.descent = Descent(start, class_weights(model.class_weight, stream.classes_, None), TIES[model.tie])
        self.descent.widen(stream.n_columns_)
        n = len(chunk.codes)
        self.descent.look(rows_of(chunk, float(model.bias)), signs(chunk, stream), np.ones(n), np.arange(n))
        return self.descent

    def state(self) -> State:
        descent = self.descent
        assert descent is not None  # noqa: S101
        facts = {name: getattr(descent, name) for name in KEPT} | {"errors": repr(descent.best.errors)}
        arrays = {name: getattr(descent, name) for name in ("w", "high", "low", "price")}
        return State(arrays | {"best": descent.best.w}, facts)

    def restore(self, state: State) -> None:
        arrays, facts = state.arrays, state.facts
        try:
            descent = Descent(arrays["w"], arrays["price"], TIES[self.model.tie])
            descent.high, descent.low = arrays["high"], arrays["low"]
            descent.best = Best(arrays["best"], float(facts["errors"]))
            for name in KEPT:
                setattr(descent, name, facts[name])
            descent.history = [(int(t), float(errors)) for t, errors in facts["history"]]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The checkpoint does not belong to a BatchPerceptron: {error!r}.") from error
        if len({arrays[name].shape for name in ("w", "high", "low", "best")}) > 1:
            raise DataError("The checkpoint does not belong to a BatchPerceptron: its weights differ in shape.")
        self.descent = descent
