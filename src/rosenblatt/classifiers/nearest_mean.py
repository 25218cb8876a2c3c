"""The nearest mean as a linear machine: its regions are the Voronoi cells of the means."""

from typing import Any, Self

import numpy as np

from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.scores import winners
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import row_weights
from rosenblatt.errors import DataError
from rosenblatt.rules.multiclass import sums


class NearestMean(LinearClassifier):
    r"""Nearest mean: a row belongs to the class whose mean is closest, which is an argmax of linear scores.

    .. math:: \arg\min_c |x - \mu_c|^2 = \arg\max_c \; \mu_c \cdot x - |\mu_c|^2 / 2

    So the weights of a class are its mean, and the regions are the Voronoi cells of the means (`regions`). Nothing is
    searched for: a quick first answer, and the best there is for round clouds of one size.

    Attributes
    ----------
    means_ : array (k, d)
    coef_, intercept_, classes_, hyperplane_ (two classes)

    Notes
    -----
    Sums are formed with twice the digits: neither the order of the rows counts, unless their numbers differ by more
    than these digits, nor their storage.

    Examples
    --------
    >>> from rosenblatt import NearestMean
    >>> model = NearestMean().fit([[0, 0], [0, 2], [4, 0], [4, 2], [9, 1]], ["a", "a", "b", "b", "c"])
    >>> print(model.means_.tolist(), *model.predict([[1.9, 5], [2.1, 5], [7, 0]]))
    [[0.0, 1.0], [4.0, 1.0], [9.0, 1.0]] a b c
    """

    means_: Floats

    @property
    def _weights(self) -> Floats:
        if len(self.means_) == 2:
            return np.asarray(_seen_from(self.means_[0], self.means_)[1])
        return _seen_from(np.zeros(self.n_features_in_), self.means_)

    def _winners(self, rows: Rows) -> Codes:
        """As seen from the first mean, in units of distances, since squares of what is far or small lose digits."""
        first = self.means_[0]
        unit = np.ldexp(1.0, -np.frexp(np.abs(self.means_ - first).max())[1])
        W = _seen_from(first, self.means_, unit)
        return winners(rows, W[1] if len(W) == 2 else W, self._tie_sign)

    @property
    def _bias(self) -> float:
        return 1.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the mean of each class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels, of at least two classes
        sample_weight : n numbers of at least 0; k counts as k copies of the row
        """
        points = validation.points(X)
        n, d = points.shape
        classes, codes = validation.classes(y, n)
        weights = row_weights(sample_weight, codes, classes)
        high, low = np.zeros((2, len(classes), d + 1))
        sums(
            validation.rows(points, 1.0), codes, weights, high, low
        )  # the constant 1 adds up to the weight of the class
        total = high + low
        with np.errstate(over="ignore", invalid="ignore"):
            means = total[:, :-1] / total[:, -1:]
            if not np.isfinite((means**2).sum(axis=1)).all():
                raise DataError("The means are too large for floats to hold their squares; bring X closer to 1.")
        validation.check_columns(self, X, points, reset=True)
        self.classes_, self.means_ = classes, means
        return self


def _seen_from(origin: Floats, means: Floats, unit: float = 1.0) -> Floats:
    """Weights whose scores say how much closer than the origin a mean is to a row, in halves of squares."""
    away = unit * (means - origin)
    return np.column_stack([away, -0.5 * (away * (means + origin)).sum(axis=1)])
