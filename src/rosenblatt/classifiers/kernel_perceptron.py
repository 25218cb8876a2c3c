"""The kernel perceptron: curved boundaries, by the perceptron in its dual form."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Tie
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import MAX_COUNT, Count, Former, Numbers, Reason, SavedState
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.kernel_values import (
    KERNELS,
    Columns,
    Kernel,
    KernelFunction,
    KernelName,
    SavedKernel,
    scale,
)
from rosenblatt.classifiers.stream_answers import ScoresStreams, by_chunks
from rosenblatt.classifiers.training.callbacks import TakesCallbacks
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.learner import TIES, Learner
from rosenblatt.classifiers.training.learner_state import TIE
from rosenblatt.classifiers.training.order import FIXED_ORDERS, FixedOrder
from rosenblatt.classifiers.training.passes import PassesProblem, Task
from rosenblatt.classifiers.training.scores import largest
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin
from rosenblatt.data.matrices import doubles
from rosenblatt.data.plain_state import PlainState
from rosenblatt.data.saved_rows import SavedRows
from rosenblatt.data.validation import Codes, Floats, Matrix, dense
from rosenblatt.data.weights import class_weights, distinct_rows, row_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import Guided
from rosenblatt.errors.wording import Words, parameter, worded
from rosenblatt.rules.dual import dual, first_mistake

MAX_TABLE_CELLS = 2**22  # kernel values that are held at a time for predictions
EPS = 2.0**-52
Average = Literal["averaged"]
Gamma = Literal["scale"]  # by the variance of X


class KernelPerceptron(Guided, PlainState, TakesCallbacks, ScoresStreams, ClassifierMixin, BaseEstimator):
    r"""Kernel perceptron: the perceptron with products :math:`x \cdot z` replaced by a kernel :math:`K(x, z)`.

    .. math:: s(x) = \sum_i \alpha_i K(x_i, x), \quad \text{if } y_i \, s(x_i) \le 0: \quad
              \alpha_i \leftarrow \alpha_i + y_i

    It is for classes that a curved boundary separates, but no hyperplane: XOR, circles, spirals. It is the perceptron
    in the space whose products K gives, and it stops without a mistake if a hyperplane separates the classes there.
    With more than two classes the largest score wins, and a mistake counts for the true class and against the winner.
    The rule itself is `dual` in `rules/dual.py`.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "precomputed"} or callable, default="rbf"
        The kernel K.

        - "rbf": `exp(-gamma |x - z|^2)`.
        - "poly": `(gamma x.z + coef0)^degree`.
        - "linear": `x.z`.
        - "precomputed": X holds K itself, n x n to fit and m x n to predict.
        - A function: it takes two tables of rows and returns the table of K.
    gamma : float or "scale", default="scale"
        How fast "rbf" falls with distance, or the factor in "poly". "scale" is 1/(d times the variance of X), as in
        scikit-learn's SVC. Raise it for a boundary that follows single rows more closely.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=1.0
        The constant in "poly"; 0 omits all terms below the degree.
    max_support : int, optional
        Maximum number of support points, to limit memory and the time of predictions. The support point of the least
        weight is dropped for a new one. Training may then make mistakes forever, even on separable classes.
    order : {"shuffled", "cyclic", "random"}, default="shuffled"
        The order of the rows; see `Perceptron`. Equal rows of one class are presented in succession (not with
        "precomputed").
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means while learning; see `Perceptron`.
    bias : float, default=1.0
        Its square is added to K, the product of the constants at the end of the rows. 0 for none.
    average : {None, "averaged"} or bool, default=None
        Which weights predict. True is "averaged". It cannot be combined with `max_support`.

        - None: the last weights.
        - "averaged": their mean over all rows presented. Use it for classes that overlap.
    margin : float, default=0.0
        Update unless the score exceeds this number. Raise it for a larger margin, at the cost of more updates.
    max_epochs : int, default=100
        Maximum number of passes.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of the rows of a class. Set it where classes differ in size or in the cost of errors.
    random_state : int, RandomState instance or None, default=0
        Seed of the orders "shuffled" and "random"; None for a different order in each fit.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    support_ : array of shape (m,)
        The row numbers of the support points.
    support_vectors_ : array of shape (m, d), sparse matrix or None
        These rows; None with "precomputed".
    dual_coef_ : array of shape (1, m) or (k, m)
        The weights of the support points: one row for two classes, else one row per class.
    n_iter_ : int
        Number of passes.
    n_updates_ : int
        Updates made.
    mistakes_per_epoch_ : array of int
        Mistakes in each pass.
    stop_reason_ : StopReason
        "mistake_free", "budget" or "condition".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    Perceptron : Faster, for classes that a hyperplane separates.
    plot.ActivationDisplay : Draws the score as a surface.

    Notes
    -----
    If the classes are separable with margin gamma in the space of K, there are at most :math:`(R/\gamma)^2` updates,
    where R is the length of the longest row there (Novikoff). Memory is n times the number of support points; each new
    one costs n kernel values. Scores are rounded: `stop_reason_` is "mistake_free" only if every row is farther on its
    right side than rounding could move it.

    References
    ----------
    M. A. Aizerman, E. M. Braverman and L. I. Rozonoer, Automation and Remote Control 25 (1964); Y. Freund and R. E.
    Schapire, Machine Learning 37 (1999).

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> model = KernelPerceptron(kernel="poly", degree=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> print(model.stop_reason_, model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]))
    mistake_free [0 1 1 0]
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "kernel": parameters.Either(parameters.OneOf(*KERNELS), parameters.Function("two tables of rows")),
        "gamma": parameters.Either(parameters.OneOf(*get_args(Gamma)), parameters.Number(0, strict=True)),
        "degree": parameters.Integer(1),
        "coef0": parameters.Number(0),
        "max_support": parameters.Either(parameters.OneOf(None), parameters.Integer(1)),
        "order": parameters.OneOf(*FIXED_ORDERS),
        "tie": parameters.OneOf(*TIES),
        "bias": parameters.Bias(),
        "average": parameters.Either(parameters.OneOf(None, *get_args(Average)), parameters.Flag()),
        "margin": parameters.Number(0),
        "max_epochs": parameters.Integer(1),
        "class_weight": parameters.ClassWeight(),
        "random_state": parameters.Seed(),
    }
    _saved = SavedState(
        {
            "_kernel": SavedKernel(),
            "_tie": TIE,
            "support_": Numbers(("support",), dtype="int64", low=0),
            "support_vectors_": SavedRows(("float64",)),
            "dual_coef_": Numbers(("scores", "support")),
            "n_updates_": Count(),
            "mistakes_per_epoch_": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT),
            "stop_reason_": Reason(),
        },
        former={"budget": Former("max_support")},
    )

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]  # exists if the columns had names
    encoding_: dict[str, Any]  # exists if it was set; how columns of files become numbers
    support_: NDArray[np.int64]
    support_vectors_: Matrix | None
    dual_coef_: Floats
    n_updates_: int
    mistakes_per_epoch_: NDArray[np.int64]
    stop_reason_: StopReason
    _kernel: Kernel
    _tie: float

    def __init__(
        self,
        *,
        kernel: KernelName | KernelFunction = "rbf",
        gamma: float | Gamma = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        max_support: int | None = None,
        order: FixedOrder = "shuffled",
        tie: Tie = "mistake",
        bias: Bias = 1.0,
        average: Average | bool | None = None,
        margin: float = 0.0,
        max_epochs: int = 100,
        class_weight: ClassWeight = None,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_support = max_support
        self.order = order
        self.tie = tie
        self.bias = bias
        self.average = average
        self.margin = margin
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    @property
    def n_iter_(self) -> int:
        """Number of passes."""
        check_is_fitted(self)
        return len(self.mistakes_per_epoch_)

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> Self:
        """Pass over the rows until a pass makes no mistake, or `max_epochs` times; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows; with "precomputed" n x n, the kernel matrix.
        y : array of shape (n,)
            The class labels, of at least two classes.
        sample_weight : array of shape (n,), optional
            Numbers of at least 0. A row of weight k counts as k copies. Copies are presented in succession, wherever
            they stand (with "precomputed", only if they stand together).

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit(self.problem(X, y, sample_weight), self.max_epochs, X, y, {"sample_weight": sample_weight})
        self._warn_of_budget()
        return self

    def problem(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> "KernelProblem":
        """Check X, y and the parameters, and return what `fit` would train on; nothing is changed.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows; with "precomputed" n x n, the kernel matrix.
        y : array of shape (n,)
            The class labels.
        sample_weight : array of shape (n,), optional
            The weight of each row.

        Returns
        -------
        KernelProblem
            The kernel matrix, and the learner at its start.
        """
        parameters.check(self, self._constraints)
        if self.max_support is not None and self.average:
            raise ParameterError(
                worded(
                    "{average} needs all support points; give {max_support}.",
                    average=parameter("average", owner="KernelPerceptron"),
                    max_support=parameter("max_support", None),
                )
            )
        points = doubles(validation.points(X))
        given = self.kernel == "precomputed"
        if given and points.shape[0] != points.shape[1]:
            raise DataError(f"A precomputed kernel must be n x n; X is {points.shape[0]} x {points.shape[1]}.")
        classes, codes = validation.classes(y, points.shape[0])
        weights = row_weights(sample_weight, codes, classes)
        kernel = self._kernel_for(points, weights)
        prices = class_weights(self.class_weight, classes, codes, weights)
        numbers = np.flatnonzero(weights)
        if given:
            columns, weights = Columns(kernel, points[numbers][:, numbers], self.max_support), weights[numbers]
        else:
            numbers, weights = distinct_rows(points, codes, weights, as_given=self.order == "cyclic")
            columns = Columns(kernel, points[numbers], self.max_support)
        margin = float(self.margin) * (2.0 if len(classes) == 2 else 1.0)
        learner = Dual(len(numbers), len(classes), margin, TIES[self.tie])
        weights = weights * prices[codes[numbers]]
        task = Task(learner, codes[numbers], np.flatnonzero(weights), weights, type(self).__name__)
        return KernelProblem(
            X=X,
            points=points,
            classes=classes,
            rows=columns,
            task=task,
            order=self.order,
            max_epochs=self.max_epochs,
            random_state=self.random_state,
            kernel=kernel,
            numbers=numbers,
        )

    def _keep(self, problem: "KernelProblem", task: Task) -> None:
        """Make what training reached the state of this estimator."""
        learner, run, numbers = task.learner, task.run, problem.numbers
        refuse_overflow(learner)
        coef = learner.mean if self.average else learner.alpha
        held = np.flatnonzero(coef.any(axis=0))
        held = held[np.argsort(numbers[held])]
        problem.record_columns(self, problem.points.shape[1])
        self.classes_, self._kernel, self._tie = problem.classes, problem.kernel, learner.tie
        self.support_ = numbers[held]
        self.support_vectors_ = None if self.kernel == "precomputed" else problem.points[self.support_]
        self.dual_coef_ = coef[-1:, held] if len(problem.classes) == 2 else coef[:, held]
        self.mistakes_per_epoch_ = np.array(run.mistakes_per_epoch, dtype=np.int64)
        self.n_updates_, self.stop_reason_ = run.n_updates, run.stop_reason

    def _restore(self, values: dict[str, Any]) -> None:
        given = values["_kernel"].kind == "precomputed"
        if given is not (values["support_vectors_"] is None):
            raise DataError("KernelPerceptron must have support vectors, unless its kernel is precomputed.")
        if given and (values["support_"] >= self.n_features_in_).any():
            raise DataError("KernelPerceptron has a support vector number that is not one of its columns.")
        self.__dict__.update(values)
        self.dual_coef_ = np.asfortranarray(self.dual_coef_)  # the memory order of `fit`: products then round alike

    def _warn_of_budget(self) -> None:
        if self.stop_reason_ is StopReason.BUDGET and not self.average:
            last = int(self.mistakes_per_epoch_[-1])
            left = f"the last pass still made {count_of(last, 'mistake')}" if last else "some rows may still be wrong"
            message = worded(
                f"KernelPerceptron used its budget of {{passes}} passes, and {left}. Raise {{max_epochs}}, use a more "
                "flexible kernel (a larger {gamma} or {degree}), raise {max_support} if there is one, or, where "
                "classes overlap, give {average}.",
                passes=Words(f"max_epochs={self.max_epochs}", str(self.max_epochs)),
                average=parameter("average", "averaged"),
                **{name: parameter(name) for name in ("max_epochs", "gamma", "degree", "max_support")},
            )
            warnings.warn(message, BudgetWarning, stacklevel=3)

    def _kernel_for(self, points: Matrix, weights: Floats) -> Kernel:
        gamma = 1.0
        if self.kernel in ("rbf", "poly"):
            gamma = scale(points, weights) if self.gamma == "scale" else float(self.gamma)
        return Kernel(self.kernel, gamma, int(self.degree), float(self.coef0), float(self.bias) ** 2)

    @by_chunks
    def decision_function(self, X: TableLike) -> Floats:
        """Return the score of each row: above 0 for `classes_[1]`; with more than two classes, one column per class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (m, d)
            The rows; with "precomputed" m x n, the kernel values with the training rows.

        Returns
        -------
        array of shape (m,) or (m, k)
            The scores.
        """
        check_is_fitted(self)
        points = doubles(validation.points(X))
        validation.check_columns(self, X, points, reset=False)
        scores = np.empty((points.shape[0], len(self.dual_coef_)))
        for part in gen_batches(points.shape[0], max(1, MAX_TABLE_CELLS // max(1, len(self.support_)))):
            if self.support_vectors_ is None:
                K = dense(points[part][:, self.support_]) + self._kernel.constant
            else:
                K = self._kernel.table(points[part], self.support_vectors_)
            with np.errstate(over="ignore", invalid="ignore"):
                scores[part] = K @ self.dual_coef_.T
        return scores[:, 0] if len(self.classes_) == 2 else scores

    @by_chunks
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (m, d)
            The rows; with "precomputed" m x n, the kernel values with the training rows.

        Returns
        -------
        array of shape (m,)
            The class labels.
        """
        winners = largest(self.decision_function(X), 1.0 if self._tie > 0 else -1.0)
        return self.classes_[winners]


@dataclass(frozen=True, kw_only=True)
class KernelProblem(PassesProblem):
    """A learner in its dual form that passes over the columns of a kernel matrix, which it takes for rows."""

    kernel: Kernel
    numbers: Codes  # of the rows that are presented


class Dual(Learner):
    """The dual form: how often each row was added to each class."""

    proves = False  # scores are sums of many steps, so they are rounded

    def __init__(self, n: int, k: int, margin: float, tie: float) -> None:
        self.margin, self.tie = margin, tie
        self.alpha, self.late, self.scores = np.zeros((3, k, n))
        self.seen = 0.0

    @property
    def mean(self) -> Floats:
        """The mean of alpha over all rows presented."""
        return self.alpha - self.late / max(self.seen, 1.0)

    def has_overflowed(self) -> bool:
        return not np.isfinite(self.scores).all()

    def learn(self, rows: Any, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        done = mistakes = 0
        while done < len(order):
            now, wrong = self._present(rows, y, order[done:], weight)
            done += now
            mistakes += wrong
            if done < len(order):
                rows.add(int(order[done]))
                now, wrong = self._present(rows, y, order[done : done + 1], weight)
                done += now
                mistakes += wrong
                if len(rows.rows) > rows.budget:
                    self._drop_one(rows)
        return mistakes, mistakes

    def _present(self, columns: Columns, y: Codes, order: Codes, weight: Floats) -> tuple[int, int]:
        done, self.seen, mistakes = dual(
            columns.values, columns.slot, y, order, weight,
            self.alpha, self.late, self.seen, self.scores, self.margin, self.tie,
        )  # fmt: skip
        return done, mistakes

    def end_pass(self, rows: Any) -> None:
        """Compute the scores anew, so that rounding errors do not add up."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.scores = self.alpha[:, rows.rows] @ rows.held

    def first_mistake(self, rows: Any, y: Any, among: Codes) -> int:
        """Return the first of these rows that is, or by rounding may be, on its wrong side; -1 if there is none."""
        sizes = rows.sizes()
        terms = rows.points.shape[1] + len(rows.rows) + 16
        doubt = 8 * terms * EPS * sizes * (np.abs(self.alpha).sum(axis=0) @ sizes)
        return int(first_mistake(self.scores, y, among, self.margin, self.tie, doubt))

    def worst_mistake(self, rows: Any, y: Any, among: Codes) -> int:
        raise NotImplementedError("KernelPerceptron presents rows in an order that is known before a pass.")

    def winners(self, rows: Any, tie: float) -> Codes:
        raise NotImplementedError("KernelPerceptron holds no rows out.")

    def _drop_one(self, columns: Columns) -> None:
        """Drop the support point of the least weight, but not the newest."""
        support = np.array(columns.rows[:-1])
        i = int(support[np.argmin(np.abs(self.alpha[:, support]).sum(axis=0))])
        self.scores -= self.alpha[:, [i]] * columns.values[columns.slot[i]]
        self.alpha[:, i] = 0.0
        columns.drop(i)


def refuse_overflow(learner: Learner) -> None:
    """Raise if scores have overflowed."""
    if learner.has_overflowed():
        raise DataError("The scores have become too large for floats; bring X, or gamma and coef0, closer to 1.")
