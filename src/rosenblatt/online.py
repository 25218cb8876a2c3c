"""Classifiers that learn row by row: `fit` passes over the rows, `partial_fit` once, `learn_one` takes a single one."""

import copy
import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import check_is_fitted

from rosenblatt import data, parameters
from rosenblatt.data import Codes, Floats, Matrix, Rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.linear import LinearClassifier
from rosenblatt.training import ORDERS, BudgetWarning, Learner, StopReason, train

FIRST = np.zeros(1, dtype=np.int64)
HUGE = 1e100


class Problem(NamedTuple):
    """All that training needs, checked."""

    points: Matrix
    rows: Rows
    y: Any  # signs -1, +1 of two classes, or class numbers
    classes: NDArray[Any]
    learner: Learner


class OnlineClassifier(LinearClassifier):
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
    _learner: Learner
    _codes: dict[Any, int]
    _mistakes: list[int]

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
    def _where_none_separates(self) -> str:
        """What to do, said in the warning, with data that no hyperplane separates."""
        return "Perceptron(average='averaged') is the usual answer"

    def _new_learner(self, w: Floats, class_weights: Floats) -> Learner:
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
    def _weights(self) -> Floats:
        return self._learner.answer

    @property
    def _scale(self) -> float:
        return self._learner.scale

    @property
    def _bias(self) -> float:
        return self._learner.bias

    @property
    def _tie_sign(self) -> float:
        return 1.0 if self._learner.tie > 0 else -1.0

    def fit(self, X: Any, y: Any) -> Self:
        """Pass over the rows until a pass makes no mistake, or `max_epochs` times; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        """
        problem = self.problem(X, y)
        run = train(
            problem.learner, problem.rows, problem.y, self.order, self.max_epochs, check_random_state(self.random_state)
        )
        self._keep(X, problem)
        self._mistakes, self.n_updates_, self.stop_reason_ = run.mistakes_per_epoch, run.n_updates, run.stop_reason
        if run.stop_reason is StopReason.BUDGET:
            last = run.mistakes_per_epoch[-1]
            left = f"the last still made {last} mistake{'s' * (last > 1)}" if last else "some rows are still wrong"
            warnings.warn(
                f"{type(self).__name__} used its budget of max_epochs={self.max_epochs} passes, and {left}. If a "
                f"hyperplane may separate the classes, raise max_epochs. If none does, no budget is enough; "
                f"{self._where_none_separates}.",
                BudgetWarning,
                stacklevel=2,
            )
        return self

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
        points = data.points(X)
        codes = data.codes(y, points.shape[0], known)
        first = not hasattr(self, "classes_")
        if first:
            learner = self._begin(_initial(self.init, len(known), points.shape[1]), known, None)
        else:
            self._check_columns(X, points, reset=False)
            learner = copy.deepcopy(self._learner)
        problem = Problem(points, data.rows(points, learner.bias), _targets(codes, known), known, learner)
        mistakes, updates = learner.learn(problem.rows, problem.y, np.arange(len(codes)))
        self._keep(X, problem)
        if first:
            self._mistakes, self.n_updates_ = [], 0
        self._mistakes.append(mistakes)
        self.n_updates_ += updates
        self.stop_reason_ = StopReason.STREAM
        return self

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
        if largest != 0.0 and not (1 / HUGE < largest < HUGE / max(1.0, self._learner.scale)):
            # It might overflow the weights, which partial_fit finds out on a copy of them.
            return self.partial_fit(x if scipy.sparse.issparse(x) else [x], [y])
        if not self._learner.w.flags.writeable:  # loaded as a memory map
            self._learner = copy.deepcopy(self._learner)
        if self.stop_reason_ is not StopReason.STREAM:
            self._mistakes.append(0)
            self.stop_reason_ = StopReason.STREAM
        mistakes, updates = self._learner.learn(row, _targets(np.array([code]), self.classes_), FIRST)
        self._mistakes[-1] += mistakes
        self.n_updates_ += updates
        return self

    def problem(self, X: Any, y: Any) -> Problem:
        """What `fit` would train on, checked; nothing is changed."""
        parameters.check(self, self._constraints)
        points = data.points(X)
        n, d = points.shape
        if self.warm_start and hasattr(self, "classes_"):
            self._check_columns(X, points, reset=False)
            classes, codes = self.classes_, data.codes(y, n, self.classes_)
            start = self._learner.scale * self._learner.w
        else:
            classes, codes = data.classes(y, n)
            start = _initial(self.init, len(classes), d)
        learner = self._begin(start, classes, codes)
        return Problem(points, data.rows(points, learner.bias), _targets(codes, classes), classes, learner)

    def _begin(self, w: Floats, classes: NDArray[Any], codes: Codes | None) -> Learner:
        """A learner that starts at w; `codes` number the labels of the rows, None where more rows will come."""
        learner = self._new_learner(w, self._class_weights(classes, codes))
        learner.bias = float(self.bias)
        return learner

    def _keep(self, X: Any, problem: Problem) -> None:
        if problem.learner.has_overflowed():
            raise DataError("The weights have become too large for floats; bring X, or the learning rate, closer to 1.")
        if problem.classes is not getattr(self, "classes_", None):  # a beginning; columns that go on were checked
            self._check_columns(X, problem.points, reset=True)
        self.classes_ = problem.classes
        self._learner = problem.learner
        self._codes = {label: code for code, label in enumerate(problem.classes.tolist())}

    def _known_classes(self, classes: Any) -> NDArray[Any]:
        if classes is None:
            if not hasattr(self, "classes_"):
                raise DataError("The first call must name all classes that will ever come: pass classes=[...].")
            return self.classes_
        if not hasattr(self, "classes_") and isinstance(self.class_weight, str):
            raise ParameterError("class_weight='balanced' needs all rows at once; for a stream, pass a dict.")
        try:
            known, _ = data.classes(list(classes), len(classes), name="classes")
        except TypeError as error:
            raise DataError(f"classes must list all labels that will ever come, not {classes!r}.") from error
        if not hasattr(self, "classes_"):
            return known
        if not np.array_equal(known, self.classes_):
            raise DataError(f"classes={known.tolist()} differs from the known classes {self.classes_.tolist()}.")
        return self.classes_

    def _class_weights(self, classes: NDArray[Any], codes: Codes | None) -> Floats:
        if self.class_weight is None:
            return np.ones(len(classes))
        if isinstance(self.class_weight, str):
            return np.asarray(compute_class_weight("balanced", classes=np.arange(len(classes)), y=codes))
        labels = classes.tolist()
        unknown = [label for label in self.class_weight if label not in labels]
        if unknown:
            raise ParameterError(f"class_weight names {unknown[0]!r}, which is not one of the classes {labels}.")
        return np.array([float(self.class_weight.get(label, 1.0)) for label in labels])


def _targets(codes: Codes, classes: NDArray[Any]) -> Any:
    """Class numbers as the kernels want them: signs for two classes, of one byte each to be read quickly."""
    return (2 * codes - 1).astype(np.int8) if len(classes) == 2 else codes


def _initial(init: Any, k: int, d: int) -> Floats:
    """Start weights for k classes and d features, the bias weight last: zeros, or a copy of `init`."""
    shape = (d + 1,) if k == 2 else (k, d + 1)
    if init is None:
        return np.zeros(shape)
    w = np.array(init, dtype=np.float64)
    if w.shape != shape:
        raise ParameterError(
            f"init must have shape {shape}, the weights of {d} features and then the bias weight"
            f"{' for each class' if k > 2 else ''}, not {w.shape}."
        )
    return w + 0.0  # turns -0.0 into 0.0, which sparse and dense updates would treat differently
