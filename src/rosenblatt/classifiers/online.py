"""Classifiers that learn row by row: `fit` makes many passes, and `partial_fit` makes one."""

import copy
import warnings
from collections.abc import Collection
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight, LabelsLike, TableLike
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import MAX_COUNT, Bounds, Count, Field, Later, Numbers, Optional, Reason
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.single_rows.learns_batches import LearnsBatches
from rosenblatt.classifiers.single_rows.learns_rows import MAX_HASH_BITS, targets_of
from rosenblatt.classifiers.training.fit_stream import LearnsFromStreams
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.learner import LinearLearner, refuse_overflow
from rosenblatt.classifiers.training.order import FIXED_ORDERS, ONCE_EACH, ORDERS, Order, generator
from rosenblatt.classifiers.training.passes import HeldOut, PassesProblem, Task
from rosenblatt.classifiers.training.problem import Problem, StreamProblem
from rosenblatt.classifiers.training.scores import initial, known_width
from rosenblatt.classifiers.training.stream_passes import StreamOptions
from rosenblatt.classifiers.training.stream_training import ProgressiveCounts, StreamPassesProblem, Trained
from rosenblatt.data import validation
from rosenblatt.data.compiled.rows import Sparse
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import chunk_weights, class_weights, row_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import Wording, Words, parameter, worded

HOLDING_OUT: dict[str, parameters.Constraint] = {
    "held_out": parameters.Either(parameters.OneOf(None), parameters.Share()),
    "patience": parameters.Integer(1),
}
AVERAGED = Words("Perceptron(average='averaged')", "--algorithm averaged")


class OnlineClassifier(LearnsFromStreams, LinearClassifier, LearnsBatches):
    """A linear classifier that learns row by row. A subclass adds its parameters and its rule."""

    order: Order
    bias: Bias
    init: ArrayLike | None
    max_epochs: int
    class_weight: ClassWeight
    random_state: RandomState
    warm_start: bool

    _predicted: ProgressiveCounts | None = None  # in the first pass of the last fit, if that was asked for
    held_out: float | None = None  # a parameter of those subclasses that offer it
    patience: int = 1
    _predicts_first = True
    _quick_class = LearnsBatches._quick_class

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "order": parameters.OneOf(*ORDERS),
        "bias": parameters.Bias(),
        "init": parameters.Weights(),
        "max_epochs": parameters.Integer(1),
        "class_weight": parameters.ClassWeight(),
        "random_state": parameters.Seed(),
        "warm_start": parameters.Flag(),
    }
    _saved_fields: ClassVar[dict[str, Field]] = {  # a subclass adds its learner
        "_mistakes": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT, least=1, listed=True),
        "_held_out_errors": Numbers(("looks",), low=0.0, infinite=True, listed=True),
        "n_updates_": Count(),
        "stop_reason_": Reason(),
        "_weight_range": Later(Bounds(), (1.0, 1.0)),
        "_hash_bits": Later(Optional(Count(1)), None),
    }

    @property
    def _ends_by_budget(self) -> bool:
        """True if classes that overlap are what it is for, so that `max_epochs` is its normal end."""
        return False

    @property
    def _shares_passes(self) -> bool:
        """True if several such learners can share their passes over the rows, each with the result it has alone."""
        own_fit = type(self).fit is not OnlineClassifier.fit
        return self.order in FIXED_ORDERS and self.held_out is None and not self.warm_start and not own_fit

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        """Return a learner with the weights w; `class_weights` scale its steps."""
        raise NotImplementedError

    @property
    def n_iter_(self) -> int:
        """Passes made."""
        check_is_fitted(self)
        return len(self._mistakes)

    @property
    def mistakes_per_epoch_(self) -> NDArray[np.int64]:
        """Mistakes made in each pass."""
        check_is_fitted(self)
        return np.array(self._mistakes, dtype=np.int64)

    @property
    def held_out_errors_per_epoch_(self) -> Floats:
        """Errors on the rows held out after each pass, each with its weight; empty if none were held out."""
        check_is_fitted(self)
        return np.array(self._held_out_errors, dtype=np.float64)

    @property
    def progressive_(self) -> NDArray[np.int64]:
        """Rows predicted before they were learned from, and how many of them were right; empty if none were."""
        check_is_fitted(self)
        return np.empty((0, 2), np.int64) if self._predicted is None else self._predicted.table

    @property
    def _weights(self) -> Floats:
        return self._learner.answer

    @property
    def _scale(self) -> float:
        return self._wide_learner.scale

    @property
    def _bias(self) -> float:
        return self._wide_learner.bias

    @property
    def _longest(self) -> Floats:
        return self._wide_learner.bound

    @property
    def _tie_sign(self) -> float:
        return 1.0 if self._wide_learner.tie > 0 else -1.0

    def _winners(self, rows: Rows) -> Codes:
        if len(self.classes_) == 1:
            return np.zeros(validation.count(rows), dtype=np.int64)
        learner = self._wide_learner if isinstance(rows, Sparse) else self._learner
        return learner.winners(rows, self._tie_sign)

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> Self:
        """Pass over the rows until a pass makes no mistake, at most `max_epochs` times; see `stop_reason_`.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of at least two classes.
        sample_weight : array of shape (n,), optional
            Numbers of at least 0; 1 by default. The weight of a row acts like the weight of its class, and multiplies
            it. A row of weight 0 is ignored. A weight of k is not the same as k copies: a copy is presented again, and
            may then be no mistake.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit(self.problem(X, y, sample_weight), self.max_epochs, X, y, {"sample_weight": sample_weight})
        self._warn_of_budget(stacklevel=3)
        return self

    def _keep(self, problem: Problem | StreamProblem, trained: Task | Trained) -> None:
        """Make what training reached the state of this estimator."""
        learner, run, classes = trained.learner, trained.run, problem.classes
        refuse_overflow(learner)
        if classes is not getattr(self, "classes_", None):  # with warm_start, the columns were checked before
            problem.record_columns(self, learner.w.shape[-1] - 1)
        self._become(classes, learner)
        self._mistakes, self.n_updates_, self.stop_reason_ = run.mistakes_per_epoch, run.n_updates, run.stop_reason
        self._held_out_errors = run.held_out_errors
        self._weight_range, self._hash_bits = trained.weight_range, None
        self._predicted = trained.predicted if isinstance(trained, Trained) else None

    def _become(self, classes: NDArray[Any], learner: LinearLearner) -> None:
        self.classes_, self._wide_learner = classes, learner
        self._labels, self._targets = classes.tolist(), targets_of(classes)

    def _restore(self, values: dict[str, Any]) -> None:
        bits, learner = values["_hash_bits"], values.pop("_learner")
        if bits is not None and (bits > MAX_HASH_BITS or self.n_features_in_ != 2**bits):
            name, d = type(self).__name__, self.n_features_in_
            raise DataError(f"{name} hashes names to {bits} bits, which does not fit its {d} columns.")
        self.__dict__.update(values)
        self._become(self.classes_, learner)

    def _warn_of_budget(self, stacklevel: int) -> None:
        if warning := self._budget_warning():
            warnings.warn(warning, BudgetWarning, stacklevel=stacklevel)

    def _budget_warning(self) -> Wording | None:
        """What to say, and to advise, if a pass without mistakes was expected and not reached; else None."""
        if self.stop_reason_ is not StopReason.BUDGET or self._ends_by_budget:
            return None
        last = self._mistakes[-1]
        left = f"the last pass still made {count_of(last, 'mistake')}" if last else "some rows are still wrong"
        return worded(
            f"{type(self).__name__} used its budget of {{passes}} passes, and {left}. If a hyperplane may separate the "
            "classes, raise {max_epochs}. If none does, no budget is enough; {averaged} is the usual answer.",
            passes=Words(f"max_epochs={self.max_epochs}", str(self.max_epochs)),
            max_epochs=parameter("max_epochs"),
            averaged=AVERAGED,
        )

    def partial_fit(
        self,
        X: TableLike,
        y: LabelsLike,
        classes: Collection[Any] | None = None,
        sample_weight: "ArrayLike | None" = None,
    ) -> Self:
        """Learn from each row once, in the order given.

        The parameters of the first call hold for all later calls. `held_out` must be None, and `order` "cyclic" or
        "shuffled": other orders present some rows several times or not at all.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        classes : list of labels, optional
            All labels that may ever come; needed in the first call only.
        sample_weight : array of shape (n,), optional
            The weight of each row; see `fit`.

        Returns
        -------
        Self
            The estimator.
        """
        parameters.check(self, self._constraints)
        self._refuse_what_needs_all_rows()
        known = self._known_classes(classes)
        self._refuse_one_class()
        points = validation.points(X)
        codes = validation.codes(y, points.shape[0], known)
        weights = chunk_weights(sample_weight, len(codes))
        first = not hasattr(self, "classes_")
        if first:
            learner = self._start(known, points.shape[1])
        else:
            validation.check_columns(self, X, points, reset=False)
            learner = copy.deepcopy(self._learner)
        rows = validation.rows(points, learner.bias)
        among = np.flatnonzero(weights)
        mistakes, updates = learner.learn(rows, validation.targets(codes, known), among, weights)
        refuse_overflow(learner)
        if first:
            validation.check_columns(self, X, points, reset=True)
        self._become(known, learner)
        if first:
            self._mistakes, self.n_updates_, self._held_out_errors = [], 0, []
            self._weight_range = (1.0, 1.0)
        self._widen_weight_range(weights[among].min(initial=1.0), weights.max(initial=1.0))
        self._mistakes.append(mistakes)
        self.n_updates_ += updates
        self.stop_reason_ = StopReason.STREAM
        return self

    def _stream_problem(self, source: Any, reading: dict[str, Any], options: StreamOptions) -> StreamPassesProblem:
        name = type(self).__name__
        if self.order not in ONCE_EACH:
            raise ParameterError(
                worded(
                    "{order} chooses among all rows; a stream has its own order.",
                    order=parameter("order", self.order, name),
                )
            )
        if self.held_out is not None:
            raise ParameterError(
                worded(
                    "{held_out} is for {fit}; for a stream, keep a file apart, and predict it with the model.",
                    held_out=parameter("held_out", owner=name),
                    fit=Words("`fit`", "data in memory"),
                )
            )
        if isinstance(self.class_weight, str):
            raise ParameterError(
                worded(
                    "{class_weight} needs all rows at once; {instead}.",
                    class_weight=parameter("class_weight", self.class_weight),
                    instead=Words("for a stream, pass a dict", "leave --stream out"),
                )
            )
        if self.warm_start:
            raise ParameterError(
                worded(
                    "{warm_start} is for {fit}; a stream continues with {resume}.",
                    warm_start=parameter("warm_start", True, name),
                    fit=Words("`fit`", "Python"),
                    resume=Words("resume=True", "--resume"),
                )
            )
        stream, start = Stream.of(source, reading), partial(self._start, grows=True)
        return StreamPassesProblem(stream=stream, options=options, model=self, start=start)

    def _widen_weight_range(self, low: float, high: float) -> None:
        """Note that it learned from rows with weights from low to high."""
        lowest, highest = self._weight_range
        if low < lowest or high > highest:
            self._weight_range = float(min(low, lowest)), float(max(high, highest))

    def _refuse_one_class(self) -> None:
        """Raise DataError if rows given as dicts or one by one were of one class so far."""
        if hasattr(self, "classes_") and len(self.classes_) == 1:
            raise DataError(
                f"The model knows one class so far, {self.classes_.tolist()[0]!r}, and two are needed. Give it a row "
                "of another class first: learn_one(x, y, new_classes=True)."
            )

    def _refuse_what_needs_all_rows(self) -> None:
        """Raise ParameterError if `partial_fit` and `learn_one` would ignore a parameter."""
        name = type(self).__name__
        if self.held_out is not None:
            raise ParameterError(
                f"{name}(held_out={self.held_out!r}) is for `fit`, which has all rows; before `partial_fit` or "
                "`learn_one`, set held_out=None, and keep rows apart yourself."
            )
        if self.order not in ONCE_EACH:
            raise ParameterError(
                f"{name}(order={self.order!r}) chooses among all rows, which `fit` has; `partial_fit` and `learn_one` "
                "learn from each row once, in the order in which rows come: set order='cyclic'."
            )

    def problem(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> PassesProblem:
        """Check X, y and the parameters, and return what `fit` would train on; nothing is changed.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        sample_weight : array of shape (n,), optional
            The weight of each row; see `fit`.

        Returns
        -------
        PassesProblem
            The rows, and the learner at its start.
        """
        parameters.check(self, self._constraints)
        points = validation.points(X)
        n, d = points.shape
        if self.warm_start and hasattr(self, "classes_"):
            self._refuse_one_class()
            validation.check_columns(self, X, points, reset=False)
            classes, codes = self.classes_, validation.codes(y, n, self.classes_)
            start = self._learner.scale * self._learner.w
        else:
            classes, codes = validation.classes(y, n)
            start = None
        weights = row_weights(sample_weight, codes, classes)
        rows, kept, held_out = validation.rows(points, float(self.bias)), np.flatnonzero(weights), None
        if self.held_out is not None:
            kept, left = _split(kept, codes, classes, float(self.held_out), self.random_state)
            cost = weights[left] * class_weights(self.class_weight, classes, codes[kept], weights[kept])[codes[left]]
            held_out = HeldOut(validation.rows(points[left], float(self.bias)), codes[left], cost, self.patience)
        return PassesProblem(
            X=X,
            points=points,
            classes=classes,
            rows=rows,
            task=self._task(classes, d, codes, kept, weights, start),
            order=self.order,
            max_epochs=self.max_epochs,
            random_state=self.random_state,
            held_out=held_out,
        )

    def _task(
        self, classes: NDArray[Any], d: int, codes: Codes, among: Codes, weights: Floats, w: Floats | None = None
    ) -> Task:
        """Return a learner for the rows `among`, which starts at w if that is given."""
        own = slice(None) if len(among) == len(codes) else among  # a view is faster than a copy of all
        learner = self._start(classes, d, codes[own], weights[own], w)
        return Task(learner, validation.targets(codes, classes), among, weights, type(self).__name__)

    def _start(
        self,
        classes: NDArray[Any],
        d: int,
        codes: Codes | None = None,
        weights: Floats | None = None,
        w: Floats | None = None,
        *,
        grows: bool = False,
        later: bool = False,
    ) -> LinearLearner:
        """Return a learner for these classes and d columns.

        Parameters
        ----------
        codes, weights : the classes and the weights of the rows; None where more rows will come
        w : the weights to start with, if they are not `init`
        grows : columns may come later, so that `init` may have more than d
        later : classes may come later, so that `class_weight` may name more
        """
        if w is None and self.init is None:
            w = np.zeros(d + 1 if len(classes) <= 2 else (len(classes), d + 1))
        elif w is None:
            w = initial(self.init, len(classes), known_width(self.init, d) if grows else d)
        given: Any = self.class_weight
        if later and given is not None:
            given = {label: given[label] for label in classes.tolist() if label in given}
        steps = class_weights(given, classes, codes, weights)
        if len(steps) == 1:  # a class that is alone is the positive one of two
            steps = np.append(1.0, steps)
        learner = self._new_learner(w, steps)
        learner.bias = float(self.bias)
        learner.stride = max(1.0, learner.scale, float(np.max(getattr(learner, "rate", 1.0))))
        return learner

    def _known_classes(self, classes: Any) -> NDArray[Any]:
        if classes is not None and not hasattr(self, "classes_") and isinstance(self.class_weight, str):
            raise ParameterError("class_weight='balanced' needs all rows at once; for a stream, pass a dict.")
        return validation.known_classes(self, classes)


def _split(
    among: Codes, codes: Codes, classes: NDArray[Any], fraction: float, random_state: RandomState
) -> tuple[Codes, Codes]:
    """Return the numbers, among these, of the rows to learn from and of those to hold out, as many of each class."""
    from sklearn.model_selection import train_test_split  # it loads most of scikit-learn

    try:
        kept, left = train_test_split(
            among, test_size=fraction, stratify=codes[among], random_state=generator(random_state)
        )
        if len(np.unique(codes[kept])) < len(np.unique(codes)):
            raise ValueError("a class would have no row to learn from")
    except ValueError as error:
        counts = dict(zip(classes.tolist(), np.bincount(codes[among], minlength=len(classes)).tolist(), strict=True))
        raise DataError(
            worded(
                f"Too few rows to hold out {fraction:g} of each class: there are {counts}. Give more rows, another "
                "share, or {held_out}.",
                held_out=parameter("held_out", None),
            )
        ) from error
    return np.sort(kept), np.sort(left)
