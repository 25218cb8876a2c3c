"""The part that all linear classifiers share: scores, predictions, margins, and weights by name."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base.argument_types import Label, LabelsLike, RowLike, TableLike
from rosenblatt.base.html import facts, interval, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.single_rows.vocabulary import names_of
from rosenblatt.classifiers.stream_answers import ScoresStreams, by_chunks
from rosenblatt.classifiers.training import scores as scoring
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin
from rosenblatt.data.plain_state import PlainState
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import Guided

MAX_EQUATION_COLUMNS = 8  # of a hyperplane that a notebook shows as an equation
MAX_LISTED_CLASSES = 8  # whose largest weights a notebook shows
MAX_LISTED_WEIGHTS = 5  # per class


class LinearClassifier(Guided, PlainState, ScoresStreams, ClassifierMixin, BaseEstimator):
    """A classifier whose score is linear in the row, `w.x + b`; with more than two classes, the largest score wins."""

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]  # exists if the columns had names
    encoding_: dict[str, Any]  # exists if it was set; how columns of files become numbers

    @property
    def _weights(self) -> Floats:
        """The weights of predictions, in units of `_scale`, bias weight last; one row per class for more than two."""
        raise NotImplementedError

    @property
    def _scale(self) -> float:
        """The factor of `_weights`."""
        return 1.0

    @property
    def _bias(self) -> float:
        """The constant at the end of each row during training."""
        raise NotImplementedError

    @property
    def _longest(self) -> Floats | None:
        """An upper bound on the length of the weights, or None."""
        return None

    @property
    def _tie_sign(self) -> float:
        """The sign that `predict` gives to a score of 0."""
        return -1.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

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
        scores = self._scores_at_once(X)
        return self._scores(self._rows(X)) if scores is None else self._scale * scores

    @by_chunks
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.

        Returns
        -------
        array of shape (n,)
            The class labels.
        """
        scores = self._scores_at_once(X)
        winners = self._winners(self._rows(X)) if scores is None else scoring.largest(scores, self._tie_sign)
        return self.classes_[winners]

    def predict_one(self, x: RowLike) -> Label:
        """Return the class of one row.

        Parameters
        ----------
        x : array of shape (d,), sparse matrix with one row, or dict
            The row. A dict has numbers by the names of the columns, as in `learn_one` of `Perceptron`. A name that is
            left out is 0, and a name that the model does not know is ignored.

        Returns
        -------
        str, int, float or bool
            Its class label.
        """
        quick = self._quick_class(x)
        if quick >= 0:
            return self._labels[quick]
        if not hasattr(self, "classes_"):
            check_is_fitted(self)  # raises; it is too slow to call for every row of a stream
        winner = self._winners(self._one_row(x))[0]
        return self.classes_[winner : winner + 1].tolist()[0]

    _labels: list[Any]  # of the classes, where `_quick_class` finds them

    def _quick_class(self, x: Any) -> int:  # noqa: ARG002
        """The number of the class of an ordinary row, found quickly; -1 if it needs a closer look."""
        return -1

    @property
    def coef_(self) -> Floats:
        """Weights of the features, one row per class; a single row for two classes."""
        check_is_fitted(self)  # its error is an AttributeError, so hasattr returns False
        return self._scale * np.atleast_2d(self._weights)[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """Intercept of each score: the bias weight times the bias constant."""
        check_is_fitted(self)
        return self._scale * np.atleast_2d(self._weights)[:, -1] * self._bias

    @property
    def hyperplane_(self) -> Hyperplane:
        """The boundary between two classes, with `classes_[1]` on its positive side."""
        check_is_fitted(self)
        weights = self._weights
        if weights.ndim > 1:
            raise AttributeError(f"hyperplane_ exists for two classes only; this classifier has {len(weights)}.")
        return Hyperplane.from_weights(self._scale * weights, self._bias)

    def functional_margin(self, X: TableLike, y: LabelsLike) -> Floats:
        """Return y (w.x + b) of each row, where y is -1 or +1 (`classes_[1]`): positive on the right side.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.

        Returns
        -------
        array of shape (n,)
            The functional margins.
        """
        scores = self._scores(self._rows(X))
        if scores.ndim > 1:
            raise AttributeError(f"Margins exist for two classes only; this classifier has {len(self.classes_)}.")
        return np.asarray(validation.signs(validation.codes(y, len(scores), self.classes_)) * scores)

    def geometric_margin(self, X: TableLike, y: LabelsLike) -> Floats:
        """Return `y (w.x + b) / |w|` of each row: its distance from the boundary, negative on the wrong side.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.

        Returns
        -------
        array of shape (n,)
            The geometric margins.
        """
        margins, plane = self.functional_margin(X, y), self.hyperplane_
        if not plane.w.any():
            raise ParameterError("w is zero in all coordinates, so there is no boundary and no distance from it.")
        return margins / plane.norm

    def ranked_weights(self, label: Label = None) -> list[tuple[str, float]]:
        """Return the features by name with their weights, the largest absolute value first.

        The order is one of importance if the features have one scale.

        Parameters
        ----------
        label : object, optional
            The class whose weights to rank; required with more than two classes, else `classes_[1]` by default.

        Returns
        -------
        list of pairs of str and float
            The name and the weight of each feature.
        """
        check_is_fitted(self)
        labels, coef = self.classes_.tolist(), self.coef_
        if len(labels) == 2:
            label, coef = labels[1] if label is None else label, np.concatenate([-coef, coef])
        if label not in labels:
            raise ParameterError(f"ranked_weights(label) must be one of {labels}, not {label!r}.")
        weights = coef[labels.index(label)]
        names = getattr(self, "feature_names_in_", [f"x{j + 1}" for j in range(len(weights))])
        return [(str(names[j]), float(weights[j])) for j in np.argsort(-np.abs(weights), kind="stable")]

    def _html_repr(self) -> str:
        """Return scikit-learn's diagram and, once fitted, the results of training, for notebooks."""
        diagram = str(super()._html_repr())
        return diagram + shown(facts(self._facts())) if hasattr(self, "classes_") else diagram

    def _facts(self) -> Iterator[tuple[str, object]]:
        """Yield the results of training by attribute name; a classifier has some of them."""
        if reason := getattr(self, "stop_reason_", None):
            yield "stop_reason_", f"{reason}: {reason.sentence}"
        for name in ("n_iter_", "n_updates_", "n_errors_"):
            if hasattr(self, name):
                yield name, getattr(self, name)
        mistakes: Any = getattr(self, "mistakes_per_epoch_", ())
        if len(mistakes):
            yield "mistakes_per_epoch_[-1]", mistakes[-1]
        for name in ("margin_bounds_", "radius_bounds_", "worst_error_bounds_"):
            if hasattr(self, name):
                yield name, interval(getattr(self, name))
        yield from self._weight_facts()

    def _weight_facts(self) -> Iterator[tuple[str, object]]:
        """Yield the hyperplane, or the largest weights of each class."""
        labels = self.classes_.tolist()
        if self.n_features_in_ <= MAX_EQUATION_COLUMNS and hasattr(self, "hyperplane_"):
            names = getattr(self, "feature_names_in_", None)
            yield "hyperplane_", self.hyperplane_.equation(feature_names=names)
            return
        for label in labels[1:] if len(labels) == 2 else labels[:MAX_LISTED_CLASSES]:
            largest = self.ranked_weights(label)[:MAX_LISTED_WEIGHTS]
            words = ", ".join(f"{name}: {weight:.6g}" for name, weight in largest)
            yield f"ranked_weights({label!r})[:{MAX_LISTED_WEIGHTS}]", words
        if len(labels) > MAX_LISTED_CLASSES:
            yield "classes_", f"and {len(labels) - MAX_LISTED_CLASSES} more"

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        points = validation.points(X)
        validation.check_columns(self, X, points, reset=False)
        return validation.rows(points, self._bias)

    def _one_row(self, x: Any) -> Rows:
        if isinstance(x, dict) or isinstance(x, Mapping):  # noqa: SIM101  (the first is much faster)
            return names_of(self).row(x, self._bias).row
        if scipy.sparse.issparse(x):
            row = self._rows(x)
            if validation.count(row) != 1:
                raise DataError(f"One row was expected, but the sparse matrix has {validation.count(row)}.")
            return row
        taken = x if type(x) is np.ndarray and x.dtype in (np.float64, np.float32) else validation.points([x])[0]
        point = np.asarray(taken, dtype=np.float64)
        if point.shape != (self.n_features_in_,):
            raise DataError(
                f"One row must hold {self.n_features_in_} numbers, as in training; its shape is {point.shape}."
            )
        if not np.isfinite(point).all():
            column = int(np.flatnonzero(~np.isfinite(point))[0])
            raise DataError(f"Every number must be finite; column {column} is {point[column]}.")
        return validation.rows(point.reshape(1, -1), self._bias)

    def _scores_at_once(self, X: Any) -> Floats | None:
        """Scores of an array in units of `_scale`, the array being read once; None if that does not work.

        Numbers are not looked at before. A row with one that is not finite has no score, and then X is looked at.
        """
        check_is_fitted(self)
        if not (self._has_plain_scores and validation.is_ready(X)):
            return None
        validation.check_columns(self, X, X, reset=False)
        scores = scoring.scores(validation.rows(X.view(np.ndarray), self._bias), self._weights)
        if np.isnan(scores).any():
            validation.points(X)  # raises, and names the number
        return scores

    @property
    def _has_plain_scores(self) -> bool:
        """Are there two classes, whose score is w.x, and whose sign decides?"""
        return len(self.classes_) == 2

    def _scores(self, rows: Rows) -> Floats:
        return self._scale * scoring.scores(rows, self._weights, self._longest)

    def _winners(self, rows: Rows) -> Codes:
        return scoring.winners(rows, self._weights, self._tie_sign, self._longest)
