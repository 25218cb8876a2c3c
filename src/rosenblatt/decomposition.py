"""Many classes as several problems of two: what one-against-all and one-against-one share."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt import data, parameters
from rosenblatt.data import Codes, Floats, Matrix
from rosenblatt.errors import ParameterError
from rosenblatt.online import OnlineClassifier, Problem
from rosenblatt.scoring import initial
from rosenblatt.training import train_together


class Part(NamedTuple):
    """A problem of two classes: some of the rows, and which of them are positive."""

    among: Codes  # the numbers of the rows
    positive: NDArray[np.bool_]  # for all rows
    labels: NDArray[Any]  # negative, positive
    class_weight: Any  # for these labels; None: the estimator's own


class Decomposition(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of many classes made of classifiers of two; a subclass says which, and how they are heard."""

    scheme: ClassVar[str]
    estimator: Any

    classes_: NDArray[Any]
    estimators_: list[Any]
    n_features_in_: int

    def _parts(self, classes: NDArray[Any], codes: Codes) -> list[Part]:
        """The problems of two classes; one, if there are only two."""
        raise NotImplementedError

    def _heard(self, scores: Floats) -> Floats:
        """Scores of classes, one column each, from those of the members."""
        raise NotImplementedError

    def _claims(self, scores: Floats) -> NDArray[np.bool_]:
        """Which classes the members claim a row for."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Train a copy of the estimator for each problem of two classes.

        Where the rule allows it (any that learns row by row in an order known beforehand), all learn in the same
        passes over the rows, each as it would alone.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        """
        if not is_classifier(self.estimator) or not hasattr(self.estimator, "decision_function"):
            raise ParameterError(
                f"{type(self).__name__}(estimator) must be a classifier of two classes with a decision_function, such "
                f"as Perceptron() or Kozinec(C=1.0), not {self.estimator!r}."
            )
        points = data.points(X)
        classes, codes = data.classes(y, points.shape[0])
        members = fit_parts(self.estimator, points, self._parts(classes, codes), stacklevel=3)
        data.check_columns(self, X, points, reset=True)
        self.classes_, self.estimators_ = classes, members
        return self

    def decision_function(self, X: Any) -> Floats:
        """The score of each row: above 0 for `classes_[1]`; with more than two classes, one column a class."""
        scores = self._member_scores(X)
        return np.asarray(scores[:, 0]) if len(self.classes_) == 2 else self._heard(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row; of equal scores, the earlier."""
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[winners])

    def claims(self, X: Any) -> NDArray[np.bool_]:
        """For each row and class: is it claimed for the class?  None or several claims make a row ambiguous."""
        scores = self._member_scores(X)
        if len(self.classes_) == 2:
            return np.column_stack([scores[:, 0] < 0, scores[:, 0] > 0])
        return self._claims(scores)

    def _member_scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        points = data.points(X)
        data.check_columns(self, X, points, reset=False)
        return np.column_stack([member.decision_function(points) for member in self.estimators_])

    @property
    def coef_(self) -> Floats:
        """Weights of the features, one row for each of `estimators_`; there if they are linear."""
        check_is_fitted(self)
        return np.concatenate([member.coef_ for member in self.estimators_])

    @property
    def intercept_(self) -> Floats:
        """What is added to each score."""
        check_is_fitted(self)
        return np.concatenate([np.atleast_1d(member.intercept_) for member in self.estimators_])

    @property
    def n_iter_(self) -> int:
        """Passes made, at most, by one of `estimators_`."""
        check_is_fitted(self)
        return max(int(member.n_iter_) for member in self.estimators_)


def fit_parts(estimator: Any, points: Matrix, parts: Sequence[Part], stacklevel: int) -> list[Any]:
    """A copy of the estimator fitted to each part; what they warn of is said once."""
    members = [clone(estimator) for _ in parts]
    for member, part in zip(members, parts, strict=True):
        if part.class_weight is not None:
            member.set_params(class_weight=part.class_weight)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if isinstance(estimator, OnlineClassifier) and estimator.shares_passes:
            _fit_together(members, points, parts)
        else:
            for member, part in zip(members, parts, strict=True):
                member.fit(points[part.among], part.labels[part.positive[part.among].astype(np.int64)])
    _say_once(said, parts, stacklevel + 1)
    return members


def _fit_together(members: list[Any], points: Matrix, parts: Sequence[Part]) -> None:
    first = members[0]
    for member in members:
        parameters.check(member, member._constraints)
    rows = data.rows(points, float(first.bias))
    tasks = [
        member.task(initial(member.init, 2, points.shape[1]), part.labels, part.positive.astype(np.int64), part.among)
        for member, part in zip(members, parts, strict=True)
    ]
    train_together(tasks, rows, first.order, first.max_epochs, check_random_state(first.random_state))
    for member, part, task in zip(members, parts, tasks, strict=True):
        member.finish(points, Problem(points, rows, part.labels, task), task.learner)
        member.warn()


def _say_once(said: Sequence[warnings.WarningMessage], parts: Sequence[Part], stacklevel: int) -> None:
    ends = [warning for warning in said if issubclass(warning.category, ConvergenceWarning)]
    for warning in said:
        if warning not in ends:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if ends:
        many = f"{len(ends)} of {len(parts)} classifiers did not reach their goal. The first says: "
        warnings.warn(many * (len(parts) > 1) + str(ends[0].message), ends[0].category, stacklevel=stacklevel)
