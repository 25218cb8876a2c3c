"""The batch perceptron: a step along the sum of all mistakes, and the best weights so far are kept."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight, LabelsLike, TableLike
from rosenblatt.base.events import has_listener, report_progress
from rosenblatt.base.hyperplane import Tie
from rosenblatt.base.schema import Former, Real, Reason, SavedState
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.descent import Best, Descent
from rosenblatt.classifiers.training.fit_stream import LearnsFromStreams
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.learner import TIES
from rosenblatt.classifiers.training.problem import Problem, StreamProblem
from rosenblatt.classifiers.training.scores import initial, known_width
from rosenblatt.classifiers.training.stop_decision import PASS_MESSAGE
from rosenblatt.classifiers.training.stream_passes import StreamOptions, StreamPasses
from rosenblatt.data import validation
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import class_weights, row_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import Words, parameter, worded

Schedule = Literal["1/t"]  # the learning rate of step t
Reached = tuple[Descent, StopReason]
KEPT = ("count", "weighed", "rest", "t_last_update", "mistakes", "history")  # attributes in a checkpoint


class BatchPerceptron(LearnsFromStreams, LinearClassifier):
    r"""Batch perceptron: add all rows that are wrong at once; answer with the best weights met.

    .. math:: X_t^- = \{i : y_i \, w_t \cdot x_i \le 0\}, \quad w_{t+1} = w_t + \eta_t \sum_{i \in X_t^-} y_i x_i

    It is gradient descent on the perceptron's loss, :math:`\sum_i \max(0, -y_i \, w \cdot x_i)`, for classes that no
    hyperplane separates. With more than two classes a mistake adds the row to the true class and subtracts it from the
    winner. The rule itself is `batch` in `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    learning_rate : float, "1/t" or callable, default=1.0
        The step eta_t. From zero weights a constant only scales the weights (up to rounding).

        - A number: a constant step.
        - "1/t": 1/t, with which the weights settle.
        - A function: it takes t = 1, 2, ... and returns positive numbers.
    patience : int or None, default=100
        Stop after this many passes without a better result. None: never stop for this reason.
    max_errors : float, default=0.0
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
    classes_ : array of shape (k,)
        The sorted class labels.
    coef_ : array of shape (1, d) or (k, d)
        The best weights of the features: one row for two classes, else one row per class.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score.
    hyperplane_ : Hyperplane
        The boundary between two classes.
    n_iter_ : int
        Number of passes.
    n_updates_ : int
        Number of steps.
    mistakes_per_epoch_ : array of int
        Number of rows on the wrong side in each pass.
    n_errors_ : float
        Errors of the best weights on the training rows, weighted.
    history_ : structured array
        One line for every improvement: `t`, its pass, and `errors` from then on.
    stop_reason_ : StopReason
        "mistake_free", "target", "patience", "condition" or "budget".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    Perceptron : Adds rows one at a time.
    Pocket : Also answers with the best weights met.
    losses.perceptron_loss : The loss that it descends on.

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
    >>> print(model.stop_reason_, "with", model.n_errors_, "error, found at t =", model.history_["t"][-1])
    patience with 1.0 error, found at t = ...
    """

    stop_reason_: StopReason
    _descent: Descent
    _constant: float

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "learning_rate": parameters.Either(
            parameters.OneOf(*get_args(Schedule)),
            parameters.Number(0, strict=True),
            parameters.Function("t = 1, 2, ..."),
        ),
        "patience": parameters.Either(parameters.OneOf(None), parameters.Integer(1)),
        "max_errors": parameters.Number(0),
        "stop": parameters.Either(parameters.OneOf(None), parameters.Function("best, t, t_last_update")),
        "shift": parameters.Flag(),
        "max_epochs": parameters.Integer(1),
        "tie": parameters.OneOf(*TIES),
        "bias": parameters.Bias(),
        "init": parameters.Weights(),
        "class_weight": parameters.ClassWeight(),
    }
    _saved = SavedState(
        {**Descent.saved_fields, "_constant": Real(0.0), "stop_reason_": Reason()},
        former={"step": Former("learning_rate"), "target": Former("max_errors")},
    )

    def __init__(
        self,
        *,
        learning_rate: float | Schedule | Callable[[int], float] = 1.0,
        patience: int | None = 100,
        max_errors: float = 0.0,
        stop: Callable[[Best, int, int], bool] | None = None,
        shift: bool = False,
        max_epochs: int = 1000,
        tie: Tie = "mistake",
        bias: Bias = 1.0,
        init: "ArrayLike | None" = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.patience = patience
        self.max_errors = max_errors
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
    def n_errors_(self) -> float:
        """Errors of the best weights on the training rows, weighted."""
        check_is_fitted(self)
        return self._descent.best.errors

    @property
    def history_(self) -> NDArray[Any]:
        """One line for every improvement: its pass `t`, and the `errors` from then on."""
        check_is_fitted(self)
        return np.array(
            [tuple(line) for line in self._descent.history], dtype=[("t", np.int64), ("errors", np.float64)]
        )

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> Self:
        """Pass over all rows and step, until a condition for stopping holds; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of at least two classes.
        sample_weight : array of shape (n,), optional
            Numbers of at least 0; a row of weight k counts as k copies.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit(self.problem(X, y, sample_weight), self.max_epochs, X, y, {"sample_weight": sample_weight})
        self._warn_of_budget(stacklevel=3)
        return self

    def problem(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> "BatchProblem":
        """Check X, y and the parameters, and return what `fit` would descend on; nothing is changed.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        sample_weight : array of shape (n,), optional
            The weight of each row.

        Returns
        -------
        BatchProblem
            The rows, their weights, and the descent at its start.
        """
        parameters.check(self, self._constraints)
        points = validation.points(X)
        n, d = points.shape
        classes, codes = validation.classes(y, n)
        if self.shift and (len(classes) > 2 or not self.bias):
            raise ParameterError(
                worded(
                    f"{{shift}} moves one hyperplane by its bias; here are {len(classes)} classes, and the bias "
                    f"constant is {self.bias}. {{instead}}.",
                    shift=parameter("shift", True, "BatchPerceptron"),
                    instead=Words("Give shift=False, or wrap it in OneVsAll", "Leave it out"),
                )
            )
        weights = row_weights(sample_weight, codes, classes)
        prices = class_weights(self.class_weight, classes, codes, weights)
        descent = Descent(initial(self.init, len(classes), d), prices, TIES[self.tie])
        rows = validation.rows(points, float(self.bias))
        return BatchProblem(
            X=X, points=points, classes=classes, model=self, rows=rows, codes=codes, weights=weights, descent=descent
        )

    def _stream_problem(self, source: Any, reading: dict[str, Any], options: StreamOptions) -> "BatchStreamProblem":
        if self.shift or isinstance(self.class_weight, str):
            name, value = ("shift", True) if self.shift else ("class_weight", self.class_weight)
            what = parameter(name, value, "BatchPerceptron")
            raise ParameterError(worded("{what} needs all rows at once; leave it out for a stream.", what=what))
        stream = Stream.of(source, reading)
        return BatchStreamProblem(stream=stream, descent=StreamDescent(self, stream, options))

    def _keep(self, problem: Any, reached: Reached) -> None:
        """Make what the descent reached the state of this estimator."""
        descent, reason = reached
        problem.record_columns(self, descent.w.shape[-1] - 1)
        self.classes_, self._descent, self.stop_reason_ = problem.classes, descent, reason
        self._constant = float(self.bias)

    def _saved_values(self) -> dict[str, Any]:
        return {**self._descent.saved_values(), "_constant": self._constant, "stop_reason_": self.stop_reason_}

    def _restore(self, values: dict[str, Any]) -> None:
        self._constant, self.stop_reason_ = values.pop("_constant"), values.pop("stop_reason_")
        self._descent = Descent.restored(**values)

    def _warn_of_budget(self, stacklevel: int) -> None:
        if self.stop_reason_ is StopReason.BUDGET:
            message = worded(
                "BatchPerceptron used its budget of {passes} passes; its best weights, found in pass "
                f"{self._descent.t_last_update}, have a weighted error of {self.n_errors_:g}. Raise {{max_epochs}}, or "
                "give {patience} or {max_errors} to stop earlier.",
                passes=Words(f"max_epochs={self.max_epochs}", str(self.max_epochs)),
                **{name: parameter(name) for name in ("max_epochs", "patience", "max_errors")},
            )
            warnings.warn(message, BudgetWarning, stacklevel=stacklevel)

    def _reason(self, descent: Descent, t: int) -> StopReason | None:
        best, t_last_update = descent.best, descent.t_last_update
        if best.errors == 0:
            return StopReason.MISTAKE_FREE
        if best.errors <= self.max_errors:
            return StopReason.TARGET
        if self.patience is not None and t - t_last_update >= self.patience:
            return StopReason.PATIENCE
        if self.stop is not None and self.stop(best, t, t_last_update):
            return StopReason.CONDITION
        return None

    def _eta(self, t: int) -> float:
        rate = self.learning_rate
        eta = 1.0 / t if rate == "1/t" else rate(t) if callable(rate) else rate
        if not parameters.Number(0, strict=True).allows(eta):
            raise ParameterError(
                f"BatchPerceptron(learning_rate=...) must give finite numbers above 0, but for t={t} it is {eta!r}."
            )
        return float(eta)


@dataclass(frozen=True, kw_only=True)
class BatchProblem(Problem):
    """Rows in memory, their weights, and the descent that looks at them."""

    model: BatchPerceptron
    rows: Rows
    codes: Codes
    weights: Floats
    descent: Descent

    def train(self, callbacks: Callbacks | None = None, watch: Callable[[Descent], None] | None = None) -> Reached:
        """Look and step until a condition for stopping holds; `watch` is called with the descent after every pass."""
        model, descent, rows, weight = self.model, self.descent, self.rows, self.weights
        y, listened, there = validation.targets(self.codes, self.classes), has_listener(), np.flatnonzero(weight)
        report_progress("BatchPerceptron", 0, model.max_epochs, "first pass")
        for t in range(1, model.max_epochs + 1):
            if callbacks is not None:
                callbacks.begin()
            descent.start()
            seen = descent.look(rows, y, weight, there)
            descent.end(t)
            if model.shift:
                descent.shift(rows, y, weight, there, seen, t)
            if listened:
                facts = t, model.max_epochs, descent.count, descent.best.errors
                report_progress("BatchPerceptron", t, model.max_epochs, PASS_MESSAGE + ", {:g} at best", *facts)
            reason = model._reason(descent, t)
            if callbacks is not None and callbacks.end(partial(reached, descent, reason)):
                reason = reason or StopReason.CONDITION
            if reason is None and t < model.max_epochs:
                descent.go(model._eta(t))
            if watch is not None:
                watch(descent)
            if reason is not None:
                return descent, reason
        return descent, StopReason.BUDGET


@dataclass(kw_only=True)
class BatchStreamProblem(StreamProblem):
    """A stream, and the descent that looks at its rows."""

    descent: "StreamDescent"

    def train(self, callbacks: Callbacks | None = None) -> Reached:
        """Look and step until a condition for stopping holds."""
        return self.descent.descend(callbacks)


def reached(descent: Descent, reason: StopReason | None) -> Reached:
    """What would be reached if no more passes were allowed."""
    return descent, reason or StopReason.BUDGET


class StreamDescent:
    """A descent on the rows of a stream."""

    def __init__(self, model: BatchPerceptron, stream: Stream, options: StreamOptions) -> None:
        self.model, self.stream = model, stream
        self._descent: Descent | None = None
        self.passes = StreamPasses(stream, options, model, self.state)

    @property
    def descent(self) -> Descent:
        """The descent; it exists once the first chunk was read."""
        if self._descent is None:
            raise DataError("Nothing was learned: the stream has no rows.")
        return self._descent

    def descend(self, callbacks: Callbacks | None) -> Reached:
        """Look and step, until a condition for stopping holds."""
        model = self.model
        if self.passes.options.resume and (state := self.passes.resumed()) is not None:
            self.restore(state)
        while self.passes.epoch < model.max_epochs:
            if callbacks is not None:
                callbacks.begin()
            for chunk in self.passes.chunks():
                self.passes.report_progress(chunk, self.look(chunk).count)
            descent, t = self.descent, self.passes.epoch + 1
            descent.end(t)
            reason = model._reason(descent, t)
            if callbacks is not None and callbacks.end(partial(reached, descent, reason)):
                reason = reason or StopReason.CONDITION
            if reason is not None:
                return descent, reason
            if t < model.max_epochs:
                descent.go(model._eta(t))
                descent.start()
            self.passes.end_pass()
        return self.descent, StopReason.BUDGET

    def look(self, chunk: Chunk) -> Descent:
        """Process the rows of a chunk."""
        stream, model = self.stream, self.model
        if self._descent is None:
            classes, width = stream.header.classes, known_width(model.init, stream.n_columns_)
            start = initial(model.init, len(classes), width)
            self._descent = Descent(start, class_weights(model.class_weight, classes, None), TIES[model.tie])
        self.descent.widen(stream.n_columns_)
        n = len(chunk.codes)
        rows, y = validation.rows(chunk.X, float(model.bias)), validation.targets(chunk.codes, stream.header.classes)
        self.descent.look(rows, y, np.ones(n), np.arange(n))
        return self.descent

    def state(self) -> State:
        return state_of(self.descent)

    def restore(self, state: State) -> None:
        self._descent = descent_of(state, TIES[self.model.tie])


def state_of(descent: Descent) -> State:
    """What a checkpoint holds of a descent."""
    facts = {name: getattr(descent, name) for name in KEPT} | {"errors": repr(descent.best.errors)}
    arrays = {name: getattr(descent, name) for name in ("w", "high", "low", "price")}
    return State(arrays | {"best": descent.best.w}, facts)


def descent_of(state: State, tie: float) -> Descent:
    """The descent that a checkpoint holds."""
    arrays, facts = state.arrays, state.facts
    try:
        descent = Descent(arrays["w"], arrays["price"], tie)
        descent.high, descent.low = arrays["high"], arrays["low"]
        descent.best = Best(arrays["best"], float(facts["errors"]))
        for name in KEPT:
            setattr(descent, name, facts[name])
        descent.history = [(int(t), float(errors)) for t, errors in facts["history"]]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"The checkpoint does not belong to a fit of this kind: {error!r}.") from error
    if len({arrays[name].shape for name in ("w", "high", "low", "best")}) > 1:
        raise DataError("The checkpoint does not belong to a fit of this kind: its weights have different shapes.")
    return descent
