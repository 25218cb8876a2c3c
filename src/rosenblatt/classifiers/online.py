"""Classifiers that learn row by row: `fit` passes over the rows, `partial_fit` once, `learn_one` takes a single one."""

import copy
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.classifiers.training.order import FIXED_ORDERS, ORDERS, generator
from rosenblatt.classifiers.training.passes import HeldOut, Task, train
from rosenblatt.classifiers.training.problem import Problem, StreamProblem
from rosenblatt.classifiers.training.scores import initial, targets
from rosenblatt.classifiers.training.stream_passes import StreamOptions, StreamPasses
from rosenblatt.classifiers.training.stream_training import LearnsFromStreams, StreamTask, known_width, train_on_stream
from rosenblatt.data import validation
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import class_weights
from rosenblatt.errors import DataError, ParameterError

HOLDING_OUT: dict[str, parameters.Constraint] = {
    "held_out": parameters.Either(parameters.OneOf(None), parameters.Share()),
    "patience": parameters.Integer(1),
}
ONE_ROW = np.zeros(1, dtype=np.int64)
SAFE_SIZE = 1e100  # numbers of a row below it, and above its inverse, cannot overflow the weights in one step


@dataclass(frozen=True)
class OnlineProblem(Problem):
    """Rows in memory, a learner, and the order in which it is presented the rows."""

    rows: Rows
    task: Task
    order: str
    max_epochs: int
    rng: np.random.RandomState
    held_out: HeldOut | None = None

    def train(self, callbacks: Callbacks | None = None) -> Task:
        """Pass over the rows; see `train`."""
        return train(self.task, self.rows, self.order, self.max_epochs, self.rng, self.held_out, callbacks)


@dataclass(frozen=True)
class OnlineStreamProblem(StreamProblem):
    """A stream, and a learner that passes over it."""

    task: StreamTask
    passes: StreamPasses

    def train(self, callbacks: Callbacks | None = None) -> StreamTask:
        """Pass over the stream; see `train_on_stream`."""
        return train_on_stream(self.task, self.passes, callbacks)


class OnlineClassifier(LearnsFromStreams, LinearClassifier):
    """A linear classifier that learns row by row; a subclass adds its parameters and its rule."""

    order: str
    bias: float
    init: Any
    max_epochs: int
    class_weight: Any
    random_state: Any
    warm_start: bool

    n_updates_: int
    stop_reason_: StopReason
    _learner: LinearLearner
    _codes: dict[Any, int]
    _mistakes: list[int]
    _held_out_errors: list[float]
    held_out: float | None = None  # for the rules that offer it
    patience: int = 1

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "order": parameters.OneOf(*ORDERS),
        "bias": parameters.Number(0),
        "init": parameters.Weights(),
        "max_epochs": parameters.Integer(1),
        "class_weight": parameters.ClassWeight(),
        "random_state": parameters.Seed(),
        "warm_start": parameters.Flag(),
    }

    @property
    def _advice_for_overlap(self) -> str:
        """What to do, said in the warning, with data that no hyperplane separates."""
        return "Perceptron(average='averaged') is the usual answer"

    @property
    def _shares_passes(self) -> bool:
        """Can several learn in the same passes over the rows, each as it would alone?"""
        own_fit = type(self).fit is not OnlineClassifier.fit
        return self.order in FIXED_ORDERS and self.held_out is None and not self.warm_start and not own_fit

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        """The rule, started at the weights w; class_weights scale its steps."""
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
        """Errors on the rows held out after each pass, weighed by `class_weight`; empty if none were held out."""
        check_is_fitted(self)
        return np.array(self._held_out_errors, dtype=np.float64)

    @property
    def _weights(self) -> Floats:
        return self._learner.answer

    @property
    def _scale(self) -> float:
        return self._learner.scale

    @property
    def _bias(self) -> float:
        return self._learner.bias

    @property
    def _longest(self) -> Floats:
        return self._learner.bound

    @property
    def _tie_sign(self) -> float:
        return 1.0 if self._learner.tie > 0 else -1.0

    def _winners(self, rows: Rows) -> Codes:
        return self._learner.winners(rows, self._tie_sign)

    def fit(self, X: Any, y: Any) -> Self:
        """Pass over the rows until a pass makes no mistake, or `max_epochs` times; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        """
        self._fit(self.problem(X, y), self.max_epochs, X, y)
        self._warn_of_budget(stacklevel=3)
        return self

    def _keep(self, problem: Problem | StreamProblem, task: Task | StreamTask) -> None:
        """Make what training reached the state of this estimator."""
        learner, run, classes = task.learner, task.run, problem.classes
        refuse_overflow(learner)
        if classes is not getattr(self, "classes_", None):  # with warm_start, the columns were checked before
            problem.record_columns(self, learner.w.shape[-1] - 1)
        self._become(classes, learner)
        self._mistakes, self.n_updates_, self.stop_reason_ = run.mistakes_per_epoch, run.n_updates, run.stop_reason
        self._held_out_errors = run.held_out_errors

    def _become(self, classes: NDArray[Any], learner: LinearLearner) -> None:
        self.classes_, self._learner = classes, learner
        self._codes = {label: code for code, label in enumerate(classes.tolist())}

    def _warn_of_budget(self, stacklevel: int) -> None:
        if warning := self._budget_warning():
            warnings.warn(warning, BudgetWarning, stacklevel=stacklevel)

    def _budget_warning(self) -> str | None:
        """What to say, and to advise, if the budget was used; else None."""
        if self.stop_reason_ is not StopReason.BUDGET:
            return None
        last = self._mistakes[-1]
        left = f"the last pass still made {count_of(last, 'mistake')}" if last else "some rows are still wrong"
        return (
            f"{type(self).__name__} used its budget of max_epochs={self.max_epochs} passes, and {left}. If a "
            f"hyperplane may separate the classes, raise max_epochs. If none does, no budget is enough; "
            f"{self._advice_for_overlap}."
        )

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from each row once, in the order given.

        What the parameters were in the first call holds for all: learning goes on as it began.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels
        classes : all labels that will ever come; needed in the first call only
        """
        parameters.check(self, self._constraints)
        known = self._known_classes(classes)
        points = validation.points(X)
        codes = validation.codes(y, points.shape[0], known)
        first = not hasattr(self, "classes_")
        if first:
            learner = self._start(initial(self.init, len(known), points.shape[1]), known, None)
        else:
            validation.check_columns(self, X, points, reset=False)
            learner = copy.deepcopy(self._learner)
        rows = validation.rows(points, learner.bias)
        mistakes, updates = learner.learn(rows, targets(codes, known), np.arange(len(codes)))
        refuse_overflow(learner)
        if first:
            validation.check_columns(self, X, points, reset=True)
        self._become(known, learner)
        if first:
            self._mistakes, self.n_updates_, self._held_out_errors = [], 0, []
        self._mistakes.append(mistakes)
        self.n_updates_ += updates
        self.stop_reason_ = StopReason.STREAM
        return self

    def _stream_problem(self, stream: Stream, options: StreamOptions) -> "OnlineStreamProblem":
        task = self._stream_task(stream)
        return OnlineStreamProblem(stream, task, StreamPasses(stream, options, self, task.state))

    def _stream_task(self, stream: Stream) -> StreamTask:  # noqa: ARG002  (`Pocket` looks at all rows)
        """Return the learner that will pass over this stream."""
        return StreamTask(self._start_on_stream, float(self.bias))

    def _check_streamable(self) -> None:
        name = type(self).__name__
        if self.order not in ("cyclic", "shuffled"):
            raise ParameterError(
                f"{name}(order={self.order!r}) chooses among all rows; a stream has an order of its own."
            )
        if self.held_out is not None:
            raise ParameterError(f"{name}(held_out=...) is for `fit`; of a stream, keep a file back and predict it.")
        if isinstance(self.class_weight, str):
            raise ParameterError("class_weight='balanced' needs all rows at once; for a stream, pass a dict.")
        if self.warm_start:
            raise ParameterError(f"{name}(warm_start=True) is for `fit`; a stream goes on by resume=True.")

    def _start_on_stream(self, classes: NDArray[Any], d: int) -> LinearLearner:
        """Return a learner for the rows of a stream whose first chunk has d columns."""
        return self._start(initial(self.init, len(classes), known_width(self.init, d)), classes, None)

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """Learn from one row, in time proportional to its length.

        A stream of single rows counts as one pass, in which mistakes and updates are counted.

        Parameters
        ----------
        x : d numbers, or a sparse matrix of one row
        y : its class label
        classes : all labels that will ever come; needed in the first call only
        """
        if not hasattr(self, "classes_"):
            return self.partial_fit(x if scipy.sparse.issparse(x) else [x], [y], classes)
        if classes is not None:
            self._known_classes(classes)
        row = self._one_row(x)
        try:
            code = self._codes[y]
        except (KeyError, TypeError):
            raise DataError(f"The label {y!r} is not one of the known classes {list(self._codes)}.") from None
        largest = np.abs(row[0]).max(initial=0.0)
        if largest != 0.0 and not (1 / SAFE_SIZE < largest < SAFE_SIZE / self._learner.stride):
            # It might overflow the weights, which partial_fit finds out on a copy of them.
            return self.partial_fit(x if scipy.sparse.issparse(x) else [x], [y])
        if not self._learner.w.flags.writeable:  # loaded as a memory map
            self._learner = copy.deepcopy(self._learner)
        if self.stop_reason_ is not StopReason.STREAM:
            self._mistakes.append(0)
            self.stop_reason_ = StopReason.STREAM
        mistakes, updates = self._learner.learn(row, targets(np.array([code]), self.classes_), ONE_ROW)
        self._mistakes[-1] += mistakes
        self.n_updates_ += updates
        return self

    def problem(self, X: Any, y: Any) -> "OnlineProblem":
        """Check X, y and the parameters, and return what `fit` would train on; nothing is changed."""
        parameters.check(self, self._constraints)
        points = validation.points(X)
        n, d = points.shape
        if self.warm_start and hasattr(self, "classes_"):
            validation.check_columns(self, X, points, reset=False)
            classes, codes = self.classes_, validation.codes(y, n, self.classes_)
            start = self._learner.scale * self._learner.w
        else:
            classes, codes = validation.classes(y, n)
            start = initial(self.init, len(classes), d)
        rows, kept, held_out = validation.rows(points, float(self.bias)), np.arange(n), None
        if self.held_out is not None:
            kept, left = _split(codes, classes, float(self.held_out), self.random_state)
            cost = class_weights(self.class_weight, classes, codes[kept])
            held_out = HeldOut(validation.rows(points[left], float(self.bias)), codes[left], cost, self.patience)
        task = self._task(start, classes, codes, kept)
        rng = generator(self.random_state)
        return OnlineProblem(X, points, classes, rows, task, self.order, self.max_epochs, rng, held_out)

    def _task(self, start: Floats, classes: NDArray[Any], codes: Codes, among: Codes) -> Task:
        """Return a learner that starts at these weights and learns from the rows `among`."""
        return Task(self._start(start, classes, codes[among]), targets(codes, classes), among, type(self).__name__)

    def _start(self, w: Floats, classes: NDArray[Any], codes: Codes | None) -> LinearLearner:
        """Return a learner that starts at w; `codes` are the classes of the rows, None where more rows will come."""
        learner = self._new_learner(w, class_weights(self.class_weight, classes, codes))
        learner.bias = float(self.bias)
        learner.stride = max(1.0, learner.scale, float(np.max(getattr(learner, "rate", 1.0))))
        return learner

    def _known_classes(self, classes: Any) -> NDArray[Any]:
        if classes is None:
            if not hasattr(self, "classes_"):
                raise DataError("The first call must name all classes that will ever come: pass classes=[...].")
            return self.classes_
        if not hasattr(self, "classes_") and isinstance(self.class_weight, str):
            raise ParameterError("class_weight='balanced' needs all rows at once; for a stream, pass a dict.")
        try:
            known, _ = validation.classes(list(classes), len(classes), name="classes")
        except TypeError as error:
            raise DataError(f"classes must list all labels that will ever come, not {classes!r}.") from error
        if not hasattr(self, "classes_"):
            return known
        if not np.array_equal(known, self.classes_):
            raise DataError(f"classes={known.tolist()} differs from the known classes {self.classes_.tolist()}.")
        return self.classes_


def _split(codes: Codes, classes: NDArray[Any], fraction: float, random_state: Any) -> tuple[Codes, Codes]:
    """The numbers of the rows to learn from, in their order, and of those held out, each class in its share."""
    from sklearn.model_selection import train_test_split  # it loads most of scikit-learn

    try:
        kept, left = train_test_split(
            np.arange(len(codes)), test_size=fraction, stratify=codes, random_state=generator(random_state)
        )
        if len(np.unique(codes[kept])) < len(np.unique(codes)):
            raise ValueError("a class would have no row to learn from")
    except ValueError as error:
        counts = dict(zip(classes.tolist(), np.bincount(codes, minlength=len(classes)).tolist(), strict=True))
        raise DataError(
            f"Too few rows to hold out {fraction:g} of each class: there are {counts}. Give more rows, "
            "another share, or held_out=None."
        ) from error
    return np.sort(kept), np.sort(left)


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
