"""Many classes as several problems of two classes: the part that one-against-all and one-against-one share."""

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.events import report_progress
from rosenblatt.classifiers.multiclass.metadata import metadata_of
from rosenblatt.classifiers.multiclass.partial_fit import LearnsInParts
from rosenblatt.classifiers.multiclass.parts import Part, copies
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.stream_answers import ScoresStreams, by_chunks
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.classifiers.training.order import generator
from rosenblatt.classifiers.training.passes import Task, train_together
from rosenblatt.classifiers.training.problem import Problem
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from rosenblatt.data.plain_state import PlainState
from rosenblatt.data.validation import Floats, Matrix, Rows, dense
from rosenblatt.errors import ParameterError
from rosenblatt.errors.guidance import Guided
from rosenblatt.errors.wording import Wording

Scheme = Literal["one_vs_all", "one_vs_one"]
Complaints = Sequence[tuple[Wording, type[Warning]]]


@dataclass(frozen=True, kw_only=True)
class PartsProblem(Problem):
    """Rows of many classes, the problems of two classes that they are split into, and an estimator for each."""

    parts: Sequence[Part]
    members: list[Any]
    metadata: dict[str, Any]  # for `fit` of the members
    name: str  # in progress messages

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        given = self.metadata.get("sample_weight")
        return np.ones(self.points.shape[0]) if given is None else np.asarray(given)

    @property
    def max_passes(self) -> int:
        """The largest number of tasks that callbacks are told of."""
        raise NotImplementedError

    def outcome(self, result: Any) -> tuple[list[Any], Complaints]:
        """Return the fitted members, and the warnings of those that did not reach their goal."""
        raise NotImplementedError


class FittedInTurn(PartsProblem):
    """Members that are fitted one after the other."""

    @property
    def max_passes(self) -> int:
        return len(self.parts)

    def train(self, callbacks: Callbacks | None = None) -> tuple[list[Any], Complaints]:
        """Fit each member to its part."""
        n = len(self.parts)
        complaints: list[tuple[Wording, type[Warning]]] = []
        for k, (member, part) in enumerate(zip(self.members, self.parts, strict=True), start=1):
            report_progress(self.name, k - 1, n, "classifier {} of {}", k, n)
            metadata = metadata_of(part.among, self.points, self.metadata)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                fit_member(member, *rows_of(self, part), metadata, callbacks, "classifier")
            complaints += goals_not_reached(said)[:1]  # of one classifier, which may warn many times
        return self.members, complaints

    def outcome(self, result: tuple[list[Any], Complaints]) -> tuple[list[Any], Complaints]:
        return result


class TrainedTogether(PartsProblem):
    """Members that learn in the same passes over the rows."""

    @property
    def max_passes(self) -> int:
        return int(self.members[0].max_epochs)

    def train(self, callbacks: Callbacks | None = None) -> Sequence[Task]:
        """Pass over the rows, each of which is read once for all members."""
        first = self.members[0]  # a copy: the random state of the parameter itself is not drawn from
        rows, tasks = tasks_of(self, self.members)
        rng = generator(first.random_state)
        return train_together(tasks, rows, np.flatnonzero(self.weights), first.order, first.max_epochs, rng, callbacks)

    def outcome(self, result: Sequence[Task]) -> tuple[list[Any], Complaints]:
        members = copy.deepcopy(self.members)
        for member, part, task in zip(members, self.parts, result, strict=True):
            member._keep(Problem(X=self.points, points=self.points, classes=part.labels), task)
        warned = [member._budget_warning() for member in members]
        return members, [(warning, BudgetWarning) for warning in warned if warning]


class Decomposition(
    Guided, PlainState, TakesCallbacks, LearnsInParts, MetaEstimatorMixin, ScoresStreams, ClassifierMixin, BaseEstimator
):
    """A classifier of many classes made of classifiers of two.

    A subclass defines the problems of two classes, and combines the scores of the members.
    """

    scheme: ClassVar[Scheme]
    estimator: Any

    classes_: NDArray[Any]
    estimators_: list[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]  # exists if the columns had names
    encoding_: dict[str, Any]  # exists if it was set; how columns of files become numbers

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

    def fit(self, X: TableLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Train a copy of the estimator for each problem of two classes.

        If the estimator learns row by row in an order known beforehand, and there is no metadata but `sample_weight`,
        all copies learn in the same passes over the rows. Each copy learns as it would alone in that order.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of at least two classes.
        **fit_params : object
            Metadata for `fit` of the estimator. `sample_weight` is passed on if the estimator takes weights. Other
            metadata needs scikit-learn's metadata routing: `sklearn.set_config(enable_metadata_routing=True)` and
            `estimator.set_fit_request(name=True)`; with routing, `sample_weight` must be requested too. Each copy gets
            the entries of its own rows.

        Returns
        -------
        Self
            The fitted estimator.
        """
        problem = self.problem(X, y, **fit_params)
        if isinstance(problem, TrainedTogether) and hasattr(self.estimator, "_skl_callbacks"):
            raise ParameterError(
                f"{type(self).__name__}(estimator) has callbacks, but its copies learn in the same passes, which none "
                f"of them makes alone; call set_callbacks of the {type(self).__name__}."
            )
        complaints = self._fit(problem, problem.max_passes, X, y, problem.metadata)
        say_once(complaints, len(self.estimators_), stacklevel=3)
        return self

    @property
    def shares_passes(self) -> bool:
        """Whether all members learn in the same passes over the rows, if there is no metadata but weights."""
        return isinstance(self.estimator, OnlineClassifier) and self.estimator._shares_passes

    def problem(self, X: TableLike, y: LabelsLike, **fit_params: Any) -> PartsProblem:
        """Check X, y and the estimator, and return the problems of two classes that `fit` would solve.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        **fit_params : object
            Metadata; see `fit`.

        Returns
        -------
        PartsProblem
            The problems of two classes, and an estimator for each.
        """
        self._check_estimator()
        points = validation.points(X)
        classes, codes = validation.classes(y, points.shape[0])
        metadata, parts = self._metadata(fit_params, classes, codes), self._parts(classes, codes)
        kind = TrainedTogether if self.shares_passes and set(metadata) <= {"sample_weight"} else FittedInTurn
        return kind(
            X=X,
            points=points,
            classes=classes,
            parts=parts,
            members=copies(self.estimator, parts),
            metadata=metadata,
            name=type(self).__name__,
        )

    def _check_estimator(self) -> None:
        if not is_scorer(self.estimator):
            raise ParameterError(
                f"{type(self).__name__}(estimator) must be a classifier of two classes with a decision_function, such "
                f"as Perceptron() or Kozinec(C=1.0), not {self.estimator!r}."
            )

    def _keep(self, problem: PartsProblem, result: Any) -> Complaints:
        """Make the fitted members the state of this estimator; return the warnings of members."""
        members, complaints = problem.outcome(result)
        problem.record_columns(self, problem.points.shape[1])
        self.classes_, self.estimators_ = problem.classes, members
        return complaints

    @by_chunks
    def decision_function(self, X: TableLike) -> Floats:
        """Return the score of each row: above 0 for `classes_[1]`; with more than two classes, one column per class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.

        Returns
        -------
        array of shape (n,) or (n, k)
            The scores.
        """
        scores = self._member_scores(X)
        return np.asarray(scores[:, 0]) if len(self.classes_) == 2 else self._class_scores(scores)

    @by_chunks
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Return the class of each row; of equal scores, the earlier class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.

        Returns
        -------
        array of shape (n,)
            The class labels.
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])
        alone = self.estimators_[0]
        return np.asarray(self.classes_[(alone.predict(self._points(X)) == alone.classes_[1]).astype(np.int64)])

    @by_chunks
    def claims(self, X: TableLike) -> NDArray[np.bool_]:
        """Return, for each row and class, whether the row is claimed for the class.

        A row with no claim or with several is ambiguous.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.

        Returns
        -------
        array of bool, of shape (n, k)
            True where the row is claimed for the class.
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
        return np.column_stack([scores_of(member, points) for member in self.estimators_])

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


def rows_of(problem: PartsProblem, part: Part) -> tuple[Matrix, NDArray[Any]]:
    """The rows and labels that a member which learns alone is given."""
    return problem.points[part.among], part.labels[part.positive[part.among].astype(np.int64)]


def tasks_of(problem: PartsProblem, members: Sequence[Any]) -> tuple[Rows, list[Task]]:
    """All rows, and what each of the members that learn in the same passes has to learn of them."""
    for member in members:
        parameters.check(member, member._constraints)
    rows, tasks, weights = validation.rows(problem.points, float(members[0].bias)), [], problem.weights
    for member, part in zip(members, problem.parts, strict=True):
        codes = part.positive.astype(np.int64)
        among = part.among[weights[part.among] > 0]
        tasks.append(member._task(part.labels, problem.points.shape[1], codes, among, weights))
    return rows, tasks


def scores_of(member: Any, points: Matrix) -> Any:
    """The scores of a member; 0, a vote for neither class, as long as `partial_fit` had no rows for it."""
    try:
        return member.decision_function(points)
    except NotFittedError:
        return np.zeros(points.shape[0])


def is_scorer(estimator: Any) -> bool:
    """Whether this is a classifier (an instance, not a class) with a `decision_function`."""
    return hasattr(estimator, "decision_function") and not isinstance(estimator, type) and is_classifier(estimator)


def goals_not_reached(said: Sequence[warnings.WarningMessage]) -> Complaints:
    """Return the recorded warnings that a goal was not reached; issue all other warnings again."""
    ends = [warning for warning in said if issubclass(warning.category, ConvergenceWarning)]
    for warning in said:
        if warning not in ends:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    texts = [warning.message.args[0] if isinstance(warning.message, Warning) else warning.message for warning in ends]
    return [
        (text if isinstance(text, Wording) else Wording(str(text)), warning.category)
        for text, warning in zip(texts, ends, strict=True)
    ]


def say_once(complaints: Complaints, members: int, stacklevel: int) -> None:
    """Issue the first of these warnings, with their number."""
    if complaints:
        many = f"{len(complaints)} of {members} classifiers did not reach their goal. The first warning: "
        message, category = complaints[0]
        warnings.warn(message.after(many * (members > 1)), category, stacklevel=stacklevel)
