"""Classifiers with a `decision_function`, and what the wrappers of one such classifier share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base.argument_types import TableLike
from rosenblatt.classifiers.stream_answers import by_chunks
from rosenblatt.data.validation import Codes, Floats


class WrapsScorer:
    """A classifier whose scores are those of one estimator inside it, changed. A subclass changes them."""

    estimator: Any
    estimator_: Any
    classes_: NDArray[Any]
    decision_function: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        if fault_of(type(self).__name__, self.estimator) is None:  # else `fit` raises
            inner = get_tags(self.estimator)
            tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
            tags.non_deterministic = inner.non_deterministic
        return tags

    @by_chunks
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Return the class of the largest score for each row; of equal scores, the earlier class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.

        Returns
        -------
        array of shape (n,)
            The labels.
        """
        scores = self.decision_function(X)
        winners: Codes = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(np.int64)
        return self.classes_[winners]

    def _refuse_votes(self) -> None:
        """Raise if the scores of the estimator are votes, which have no weights."""
        check_is_fitted(self)  # its error is an AttributeError, so hasattr returns False
        if getattr(self.estimator_, "scheme", None) == "one_vs_one" and len(self.classes_) > 2:
            raise AttributeError("One against one decides by votes, which are not hyperplanes.")

    @property
    def n_features_in_(self) -> int:
        """The number of columns that the estimator learned from."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns that the estimator learned from."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_  # type: ignore[no-any-return]


def scores_of(fitted: Any, X: Any) -> Floats:
    """The scores of rows as float64."""
    return np.asarray(fitted.decision_function(X), dtype=np.float64)


def fault_of(owner: str, estimator: Any) -> str | None:
    """Return what is wrong with the estimator, or None if it is a classifier with a decision_function."""
    expected = f"{owner}(estimator=...) must be a classifier with a decision_function, such as Perceptron()"
    if isinstance(estimator, type):
        return f"{expected}, not a class; write {estimator.__name__}()."
    if not (hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)):
        return f"{expected}, not {estimator!r}."
    if not hasattr(estimator, "decision_function"):
        return f"{expected}; {estimator!r} is a classifier without one."
    return None
