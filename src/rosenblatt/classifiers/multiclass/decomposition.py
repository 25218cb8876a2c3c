"""Many classes as several problems of two classes: the part that one-against-all and one-against-one share."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.events import tell
from rosenblatt.classifiers.online import OnlineClassifier, Problem
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member, followed
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.passes import Task, generator, train_together
from rosenblatt.classifiers.training.scores import initial
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats, Matrix, Rows, dense
from rosenblatt.errors import ParameterError


class Part(NamedTuple):
    """A problem of two classes: some of the rows, and which of them are positive."""

    task: str  # its name; the positive class comes first
    among: Codes  # the numbers of its rows
    positive: NDArray[np.bool_]  # for all rows
    labels: NDArray[Any]  # negative, positive
    class_weight: Any  # for these labels; None for the estimator's own


class Posed(NamedTuple):
    """The arguments of `fit`, and the problems of two classes that they define."""

    X: Any
    y: Any
    points: Matrix
    classes: NDArray[Any]
    parts: Sequence[Part]


Complaints = Sequence[tuple[str, type[Warning]]]


class Decomposition(TakesCallbacks, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of many classes made of classifiers of two.

    A subclass defines the problems of two classes, and combines the scores of the members.
    """

    scheme: ClassVar[str]
    estimator: Any

    classes_: NDArray[Any]
    estimators_: list[Any]
    n_features_in_: int

    def _parts(self, classes: NDArray[Any], codes: Codes) -> list[Part]:
        """Return the problems of two classes; with two classes there is one."""
        raise NotImplementedError

    def _class_scores(self, scores: Floats) -> Floats:
        """Return the scores of the classes, one column each, from the scores of the members."""
        raise NotImplementedError

    def _claims(self, scores: Floats) -> NDArray[np.bool_]:
        """Return, for each row and class, whether the members claim the row for the class."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_scorer(self.estimator):  # else `fit` raises
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.pairwise = inner.sparse, inner.pairwise
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Train a copy of the estimator for each problem of two classes.

        If the estimator learns row by row in an order known beforehand, all copies learn in the same passes over the
        rows. Each copy learns as it would alone in that order.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        """
        posed = self.problem(X, y)
        members, complaints = self._fit_together(posed) if self.shares_passes else self._fit_in_turn(posed)
        self._keep(posed, members)
        say_once(complaints, len(members), stacklevel=3)
        return self

    @property
    def shares_passes(self) -> bool:
        """Whether all members learn in the same passes over the rows."""
        return isinstance(self.estimator, OnlineClassifier) and self.estimator._shares_passes

    def problem(self, X: Any, y: Any) -> Posed:
        """Return the problems of two classes that `fit` would solve, validated, without changing the model."""
        if not is_scorer(self.estimator):
            raise ParameterError(
                f"{type(self).__name__}(estimator) must be a classifier of two classes with a decision_function, such "
                f"as Perceptron() or Kozinec(C=1.0), not {self.estimator!r}."
            )
        points = validation.points(X)
        classes, codes = validation.classes(y, points.shape[0])
        return Posed(X, y, points, classes, self._parts(classes, codes))

    def _fit_in_turn(self, posed: Posed) -> tuple[list[Any], Complaints]:
        """Fit the members one after another; return them, and their warnings that a goal was not reached."""
        members, name, n = copies(self.estimator, posed.parts), type(self).__name__, len(posed.parts)

        def fit(callbacks: Callbacks | None) -> list[Any]:
            for k, (member, part) in enumerate(zip(members, posed.parts, strict=True), start=1):
                tell(name, k - 1, n, "classifier {} of {}", k, n)
                fit_member(member, *rows_of(posed, part), callbacks, "classifier")
            return members

        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            followed(self, fit, lambda model, members: model._keep(posed, members), n, posed.X, posed.y)
        return members, goals_not_reached(said)

    def _fit_together(self, posed: Posed) -> tuple[list[Any], Complaints]:
        """Fit the members in the same passes; return them, and their warnings that a goal was not reached."""
        points, parts = posed.points, posed.parts
        if hasattr(self.estimator, "_skl_callbacks"):
            raise ParameterError(
                f"{type(self).__name__}(estimator) has callbacks, but its copies share their passes, so no copy "
                f"has passes of its own; call set_callbacks of the {type(self).__name__} instead."
            )
        members = copies(self.estimator, parts)
        first = members[0]  # its clone of the random state; the parameter's own state is not advanced
        rows, tasks = tasks_of(posed, members)
        given = tasks, rows, first.order, first.max_epochs, generator(first.random_state)

        def finish(members: list[Any], learned: Sequence[Task]) -> list[Any]:
            for member, part, task in zip(members, parts, learned, strict=True):
                member._finish(points, Problem(points, rows, part.labels, task))
            return members

        def keep(model: Decomposition, learned: Sequence[Task]) -> None:
            model._keep(posed, finish(copies(self.estimator, parts), [task.copy() for task in learned]))

        told = posed.X, posed.y
        learned = followed(self, lambda callbacks: train_together(*given, callbacks), keep, first.max_epochs, *told)
        complaints = [member._complaint() for member in finish(members, learned)]
        return members, [(complaint, BudgetWarning) for complaint in complaints if complaint]

    def _keep(self, posed: Posed, members: list[Any]) -> None:
        validation.check_columns(self, posed.X, posed.points, reset=True)
        self.classes_, self.estimators_ = posed.classes, members

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row: above 0 for `classes_[1]`; with more than two classes, one column per class."""
        scores = self._member_scores(X)
        return np.asarray(scores[:, 0]) if len(self.classes_) == 2 else self._class_scores(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row; of equal scores, the earlier class."""
        check_is_fitted(self)
        if len(self.classes_) > 2:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        alone = self.estimators_[0]
        return np.asarray(self.classes_[(alone.predict(self._points(X)) == alone.classes_[1]).astype(np.int64)])

    def claims(self, X: Any) -> NDArray[np.bool_]:
        """Return, for each row and class, whether the row is claimed for the class.

        A row with no claim or with several is ambiguous.
        """
        scores = self._member_scores(X)
        if len(self.classes_) == 2:
            return np.column_stack([scores[:, 0] < 0, scores[:, 0] > 0])
        return self._claims(scores)

    def _points(self, X: Any) -> Matrix:
        check_is_fitted(self)
        points = validation.points(X)
        validation.check_columns(self, X, points, reset=False)
        return points

    def _member_scores(self, X: Any) -> Floats:
        points = self._points(X)
        return np.column_stack([member.decision_function(points) for member in self.estimators_])

    @property
    def coef_(self) -> Floats:
        """Weights of the features, one row for each of `estimators_`, if they are linear."""
        check_is_fitted(self)
        return np.concatenate([np.atleast_2d(dense(member.coef_)) for member in self.estimators_])

    @property
    def intercept_(self) -> Floats:
        """Intercepts of `estimators_`, if they are linear."""
        check_is_fitted(self)
        return np.concatenate([np.atleast_1d(member.intercept_) for member in self.estimators_])

    @property
    def n_iter_(self) -> int:
        """The largest number of passes made by one of `estimators_`."""
        check_is_fitted(self)
        passes = [member.n_iter_ for member in self.estimators_]
        if not all(isinstance(count, int | np.integer) for count in passes):
            raise AttributeError("n_iter_ does not exist: not all of the classifiers count their passes.")
        return max(map(int, passes))


def copies(estimator: Any, parts: Sequence[Part]) -> list[Any]:
    """Return a copy of the estimator for each part, with the class weights of its labels."""
    members = [clone(estimator) for _ in parts]
    for member, part in zip(members, parts, strict=True):
        if part.class_weight is not None:
            member.set_params(class_weight=part.class_weight)
    return members


def rows_of(posed: Posed, part: Part) -> tuple[Matrix, NDArray[Any]]:
    """Return the rows and labels for a member that learns alone."""
    return posed.points[part.among], part.labels[part.positive[part.among].astype(np.int64)]


def tasks_of(posed: Posed, members: Sequence[Any]) -> tuple[Rows, list[Task]]:
    """Return all rows, and a task for each of the members that learn in the same passes."""
    for member in members:
        parameters.check(member, member._constraints)
    rows, tasks = validation.rows(posed.points, float(members[0].bias)), []
    for member, part in zip(members, posed.parts, strict=True):
        start, codes = initial(member.init, 2, posed.points.shape[1]), part.positive.astype(np.int64)
        tasks.append(member._task(start, part.labels, codes, part.among))
    return rows, tasks


def is_scorer(estimator: Any) -> bool:
    """Whether this is a classifier (an instance, not a class) with a `decision_function`."""
    return hasattr(estimator, "decision_function") and not isinstance(estimator, type) and is_classifier(estimator)


def goals_not_reached(said: Sequence[warnings.WarningMessage]) -> Complaints:
    """Return the recorded warnings that a goal was not reached; issue all other warnings again."""
    ends = [warning for warning in said if issubclass(warning.category, ConvergenceWarning)]
    for warning in said:
        if warning not in ends:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return [(str(warning.message), warning.category) for warning in ends]


def say_once(complaints: Complaints, members: int, stacklevel: int) -> None:
    """Issue the first of these warnings, with their number."""
    if complaints:
        many = f"{len(complaints)} of {members} classifiers did not reach their goal. The first warning: "
        message, category = complaints[0]
        warnings.warn(many * (members > 1) + message, category, stacklevel=stacklevel)
