"""The kernel perceptron: boundaries that are not straight, by a perceptron in its dual form."""

import math
import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from rosenblatt import data, parameters
from rosenblatt.data import Codes, Floats, Matrix
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.kernels.dual import dual, first_mistake
from rosenblatt.scoring import largest
from rosenblatt.training import DRAWN, TIES, BudgetWarning, Learner, Run, StopReason, Task, train
from rosenblatt.weighting import class_weights, distinct_rows, row_weights

CELLS = 2**22  # of a table of kernel values that is held at a time for predictions


class Kernel(NamedTuple):
    """Products of rows in some space, and a constant that stands for the bias."""

    kind: Any
    gamma: float
    degree: int
    coef0: float
    constant: float

    def table(self, X: Matrix, Z: Matrix) -> Floats:
        """K(x, z) for each row x of X and z of Z."""
        if self.kind == "linear":
            K = linear_kernel(X, Z)
        elif self.kind == "poly":
            K = polynomial_kernel(X, Z, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        elif self.kind == "rbf":
            K = rbf_kernel(X, Z, gamma=self.gamma)
        else:
            K = _called(self.kind, X, Z)
        return np.asarray(K, dtype=np.float64) + self.constant


class KernelPerceptron(ClassifierMixin, BaseEstimator):
    r"""Kernel perceptron: the perceptron with products :math:`x \cdot z` replaced by a kernel :math:`K(x, z)`.

    .. math:: s(x) = \sum_i \alpha_i K(x_i, x), \quad \text{if } y_i \, s(x_i) \le 0: \quad
              \alpha_i \leftarrow \alpha_i + y_i

    For classes that no hyperplane separates, but a curved boundary does: XOR, circles, spirals. It is the perceptron in
    the space whose products K gives, and stops without a mistake if a hyperplane separates the classes there. With more
    than two classes the largest score wins, and a mistake counts for the true class and against the winner. The rule
    itself is `dual` in `kernels/dual.py`.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "precomputed"} or callable, default="rbf"
        exp(-gamma |x - z|^2); (gamma x.z + coef0)^degree; x.z; X holds K itself, n x n to fit and m x n to predict; a
        function that takes two tables of rows and returns the table of K.
    gamma : float or "scale", default="scale"
        How fast "rbf" falls with distance, or the factor in "poly"; "scale" is 1/(d times the variance of X), as for
        scikit-learn's SVC. Larger makes the boundary follow single rows.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly"; 0 leaves out all terms below the degree.
    budget : int, optional
        Keep at most so many support points, for memory and for quick predictions: the one that is farthest on its right
        side without itself makes room for the next. Then training need not end without a mistake even where it could.
    order : {"shuffled", "cyclic", "random"}, default="shuffled"
        How rows are presented; see `Perceptron`. Equal rows of one class are presented together, one after another.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means while learning; see `Perceptron`.
    bias : float, default=1.0
        Its square is added to K: the product of the constants that rows end with. 0 for none.
    average : {None, "averaged"}, default=None
        Answer with the last weights, or with their mean over all rows presented, for classes that overlap; not with a
        budget.
    margin : float, default=0.0
        Update unless the score exceeds this.
    max_epochs : int, default=100
        The budget of passes.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of the rows of a class.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random"; None for a different one each time.

    Attributes
    ----------
    classes_
    support_ : the numbers of the rows that answers are made of
    support_vectors_ : those rows; not with "precomputed"
    dual_coef_ : array (1, m) for two classes, (k, m) for more: the weights of the support points
    n_iter_, n_updates_, mistakes_per_epoch_, stop_reason_
        As for `Perceptron`.

    Notes
    -----
    At most :math:`(R/\gamma)^2` updates, R and gamma being lengths in the space of K (Novikoff). Memory is n times the
    number of support points; time is n kernel values for each new one.

    References
    ----------
    M. A. Aizerman, E. M. Braverman and L. I. Rozonoer, Automation and Remote Control 25 (1964); Y. Freund and R. E.
    Schapire, Machine Learning 37 (1999); K. Crammer, J. Kandola and Y. Singer, NIPS 16 (2003), for the budget.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> model = KernelPerceptron(kernel="poly", degree=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> print(model.stop_reason_, model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]))
    mistake_free [0 1 1 0]
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "kernel": parameters.Either(
            parameters.OneOf("rbf", "poly", "linear", "precomputed"), parameters.Function("two tables of rows")
        ),
        "gamma": parameters.Either(parameters.OneOf("scale"), parameters.Number(0, strict=True)),
        "degree": parameters.Integer(1),
        "coef0": parameters.Number(0),
        "budget": parameters.Either(parameters.OneOf(None), parameters.Integer(1)),
        "order": parameters.OneOf(*DRAWN),
        "tie": parameters.OneOf(*TIES),
        "bias": parameters.Number(0),
        "average": parameters.OneOf(None, "averaged"),
        "margin": parameters.Number(0),
        "max_epochs": parameters.Integer(1),
        "class_weight": parameters.ClassWeight(),
        "random_state": parameters.Seed(),
    }

    classes_: NDArray[Any]
    n_features_in_: int
    support_: NDArray[np.int64]
    dual_coef_: Floats
    n_updates_: int
    mistakes_per_epoch_: NDArray[np.int64]
    stop_reason_: StopReason
    _kernel: Kernel
    _tie: float

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        budget: int | None = None,
        order: str = "shuffled",
        tie: str = "mistake",
        bias: float = 1.0,
        average: str | None = None,
        margin: float = 0.0,
        max_epochs: int = 100,
        class_weight: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
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
        """Passes made."""
        check_is_fitted(self)
        return len(self.mistakes_per_epoch_)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass over the rows until a pass makes no mistake, or `max_epochs` times; `stop_reason_` says which.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d; with "precomputed" n x n
        y : n class labels, of at least two classes
        sample_weight : n numbers of at least 0; k counts as k copies of the row, which are presented on end
        """
        parameters.check(self, self._constraints)
        if self.budget is not None and self.average:
            raise ParameterError("KernelPerceptron(average=...) needs all support points; give budget=None.")
        points = _doubles(data.points(X))
        given = self.kernel == "precomputed"
        if given and points.shape[0] != points.shape[1]:
            raise DataError(f"A precomputed kernel must be n x n; X is {points.shape[0]} x {points.shape[1]}.")
        classes, codes = data.classes(y, points.shape[0])
        weights = row_weights(sample_weight, codes, classes)
        kernel = self._kernel_for(points, weights)
        weights = weights * class_weights(self.class_weight, classes, codes, weights)[codes]
        numbers = np.flatnonzero(weights)
        if given:
            columns, weights = Columns(kernel, points[numbers][:, numbers], self.budget), weights[numbers]
        else:
            numbers, weights = distinct_rows(points, codes, weights, as_given=self.order == "cyclic")
            columns = Columns(kernel, points[numbers], self.budget)
        learner, run = self._train(columns, codes[numbers], weights, len(classes))
        coef = learner.mean if self.average else learner.alpha
        held = np.flatnonzero(coef.any(axis=0))
        held = held[np.argsort(numbers[held])]
        data.check_columns(self, X, points, reset=True)
        self.classes_, self._kernel, self._tie = classes, kernel, learner.tie
        self.support_ = numbers[held]
        self.support_vectors_ = None if given else points[self.support_]
        self.dual_coef_ = coef[-1:, held] if len(classes) == 2 else coef[:, held]
        self.mistakes_per_epoch_ = np.array(run.mistakes_per_epoch, dtype=np.int64)
        self.n_updates_, self.stop_reason_ = run.n_updates, run.stop_reason
        if self.stop_reason_ is StopReason.BUDGET:
            warnings.warn(
                f"KernelPerceptron used its budget of max_epochs={self.max_epochs} passes, and the last still made "
                f"{run.mistakes_per_epoch[-1]} mistakes. Raise max_epochs, take a kernel that bends more (a "
                "larger gamma or degree), or, where classes overlap, average='averaged'.",
                BudgetWarning,
                stacklevel=2,
            )
        return self

    def _train(self, columns: Any, y: Codes, weights: Floats, k: int) -> tuple["Dual", Run]:
        margin = float(self.margin) * (2.0 if k == 2 else 1.0)
        learner = Dual(weights, k, margin, TIES[self.tie])
        task = Task(learner, y, np.arange(len(y)))
        train(task, columns, self.order, self.max_epochs, check_random_state(self.random_state))
        if learner.has_overflowed():
            raise DataError("The scores have become too large for floats; bring X, or gamma and coef0, closer to 1.")
        return learner, task.run

    def _kernel_for(self, points: Matrix, weights: Floats) -> Kernel:
        gamma = self.gamma
        if gamma == "scale":
            squares = points.multiply(points) if scipy.sparse.issparse(points) else points**2
            cells = weights.sum() * points.shape[1]
            variance = (weights @ squares).sum() / cells - ((weights @ points).sum() / cells) ** 2
            gamma = 1.0 / (points.shape[1] * variance) if variance > 0 else 1.0
        return Kernel(self.kernel, float(gamma), int(self.degree), float(self.coef0), float(self.bias) ** 2)

    def decision_function(self, X: Any) -> Floats:
        """The score of each row: above 0 for `classes_[1]`; with more than two classes, one column a class."""
        check_is_fitted(self)
        points = _doubles(data.points(X))
        data.check_columns(self, X, points, reset=False)
        scores = np.empty((points.shape[0], len(self.dual_coef_)))
        for part in gen_batches(points.shape[0], max(1, CELLS // max(1, len(self.support_)))):
            if self.support_vectors_ is None:
                K = _dense(points[part][:, self.support_]) + self._kernel.constant
            else:
                K = self._kernel.table(points[part], self.support_vectors_)
            scores[part] = K @ self.dual_coef_.T
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        winners = largest(self.decision_function(X), 1.0 if self._tie > 0 else -1.0)
        return self.classes_[winners]


class Columns:
    """K(x_i, .) for the rows i that have been asked for, n numbers each."""

    def __init__(self, kernel: Kernel, points: Matrix, most: int | None) -> None:
        self.kernel, self.points, self.most = kernel, points, most
        n = points.shape[0]
        self.slot = np.full(n, -1)
        self.rows: list[int] = []  # the row of each column
        self.values = np.empty((min(16, most or n), n))

    def add(self, i: int) -> None:
        """Find the column of row i."""
        if len(self.rows) == len(self.values):
            self._make_room()
        self.slot[i] = len(self.rows)
        self.values[len(self.rows)] = self._column(i)
        self.rows.append(i)

    def drop(self, i: int) -> None:
        """Forget the column of row i; the last takes its place."""
        at, last = int(self.slot[i]), self.rows.pop()
        self.slot[i] = -1
        if last != i:
            self.rows[at], self.slot[last] = last, at
            self.values[at] = self.values[len(self.rows)]

    @property
    def full(self) -> bool:
        return len(self.rows) == self.most

    def _column(self, i: int) -> Floats:
        if self.kernel.kind == "precomputed":
            return _dense(self.points[:, [i]]).ravel() + self.kernel.constant
        return self.kernel.table(self.points[[i]], self.points).ravel()

    def _make_room(self) -> None:
        n = self.values.shape[1]
        try:
            more = np.empty((min(2 * len(self.values), self.most or n), n))
        except MemoryError as error:
            raise MemoryError(
                f"The {len(self.rows)} support points so far need {n} kernel values each, and there is no memory for "
                "more; give KernelPerceptron a budget, or fewer rows."
            ) from error
        more[: len(self.values)] = self.values
        self.values = more


class Dual(Learner):
    """How often each row was added to each class."""

    proves = False  # scores are sums of many steps, and rounded

    def __init__(self, weight: Floats, k: int, margin: float, tie: float) -> None:
        self.weight, self.margin, self.tie = weight, margin, tie
        self.alpha, self.late, self.scores = np.zeros((3, k, len(weight)))
        self.seen = 0.0

    @property
    def mean(self) -> Floats:
        """alpha in the mean over all rows presented."""
        return self.alpha - self.late / max(self.seen, 1.0)

    def has_overflowed(self) -> bool:
        return not np.isfinite(self.scores).all()

    def learn(self, rows: Any, y: Any, order: Codes) -> tuple[int, int]:
        done = mistakes = 0
        while True:
            now, self.seen, wrong = dual(
                rows.values, rows.slot, y, order[done:], self.weight,
                self.alpha, self.late, self.seen, self.scores, self.margin, self.tie,
            )  # fmt: skip
            done += now
            mistakes += wrong
            if done == len(order):
                return mistakes, mistakes
            if rows.full:
                self._drop_one(rows, y)
            rows.add(int(order[done]))

    def rest(self, rows: Any, y: Any) -> None:  # noqa: ARG002
        """Add the scores up anew, before rounding piles up."""
        self.scores = self.alpha[:, rows.rows] @ rows.values[: len(rows.rows)]

    def first_mistake(self, rows: Any, y: Any, among: Codes) -> int:  # noqa: ARG002
        return int(first_mistake(self.scores, y, among, self.weight, self.margin, self.tie))

    def _drop_one(self, columns: Columns, y: Codes) -> None:
        """Drop the support point that is farthest on its right side without itself."""
        support, every = np.array(columns.rows), np.arange(len(columns.rows))
        without = self.scores[:, support] - self.alpha[:, support] * columns.values[every, support]
        lead = without[y[support], every]
        without[y[support], every] = -math.inf
        i = int(support[np.argmax(lead - without.max(axis=0))])
        self.scores -= self.alpha[:, [i]] * columns.values[columns.slot[i]]
        self.alpha[:, i] = 0.0
        columns.drop(i)


def _doubles(points: Matrix) -> Matrix:
    return points.astype(np.float64, copy=False)


def _dense(table: Any) -> Floats:
    return np.asarray(table.toarray() if scipy.sparse.issparse(table) else table)


def _called(kernel: Any, X: Matrix, Z: Matrix) -> Floats:
    """The table that a user's function gives, checked."""
    expected = (X.shape[0], Z.shape[0])
    K = np.asarray(_dense(kernel(X, Z)), dtype=np.float64)
    if K.shape != expected:
        raise ParameterError(
            f"KernelPerceptron(kernel=...) must return a table of {expected[0]} x {expected[1]} numbers for tables of "
            f"{expected[0]} and {expected[1]} rows; it returned one of shape {K.shape}."
        )
    if not np.isfinite(K).all():
        raise ParameterError("KernelPerceptron(kernel=...) must return finite numbers; some are not.")
    return K
