"""The nearest-mean classifier as a linear machine; its regions are the Voronoi cells of the means."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.schema import Numbers, SavedState
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

    The weights of a class are its mean, and the regions are the Voronoi cells of the means (`regions`). There is no
    search and there are no parameters. Use it for a quick first answer; it is optimal for round clouds of one size.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    means_ : array of shape (k, d)
        The mean of each class.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features: one row for two classes, else one row per class.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score.
    hyperplane_ : Hyperplane
        The boundary between two classes.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    Anderson : Also takes the shapes of the clouds into account.
    regions : The cells of the means.

    Notes
    -----
    Sums are computed with twice the digits of a float. The means depend neither on the order of the rows nor on their
    storage, unless the numbers differ by more than these digits.

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), chapter 2.

    Examples
    --------
    >>> from rosenblatt import NearestMean
    >>> model = NearestMean().fit([[0, 0], [0, 2], [4, 0], [4, 2], [9, 1]], ["a", "a", "b", "b", "c"])
    >>> print(model.means_.tolist(), *model.predict([[1.9, 5], [2.1, 5], [7, 0]]))
    [[0.0, 1.0], [4.0, 1.0], [9.0, 1.0]] a b c
    """

    means_: Floats

    _saved = SavedState({"means_": Numbers(("k", "d"))})

    @property
    def _weights(self) -> Floats:
        if len(self.means_) == 2:
            return np.asarray(_seen_from(self.means_[0], self.means_)[1])
        return _seen_from(np.zeros(self.n_features_in_), self.means_)

    @property
    def _has_plain_scores(self) -> bool:
        return False

    def _winners(self, rows: Rows) -> Codes:
        """Decide with the first mean as origin, in units of the distances.

        Squares of numbers that are far from the origin, or small, would lose digits.
        """
        first = self.means_[0]
        unit = np.ldexp(1.0, -np.frexp(np.abs(self.means_ - first).max())[1])
        W = _seen_from(first, self.means_, unit)
        return winners(rows, W[1] if len(W) == 2 else W, self._tie_sign)

    @property
    def _bias(self) -> float:
        return 1.0

    def __init__(self) -> None:
        """It has no parameters."""

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> Self:
        """Compute the mean of each class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of at least two classes.
        sample_weight : array of shape (n,), optional
            Numbers of at least 0; a row of weight k counts as k copies.

        Returns
        -------
        Self
            The fitted estimator.
        """
        points = validation.points(X)
        n, d = points.shape
        classes, codes = validation.classes(y, n)
        weights = row_weights(sample_weight, codes, classes)
        high, low = np.zeros((2, len(classes), d + 1))
        # The constant 1 at the end of each row adds up to the weight of the class.
        sums(validation.rows(points, 1.0), codes, weights, high, low)
        total = high + low
        with np.errstate(over="ignore", invalid="ignore"):
            means = total[:, :-1] / total[:, -1:]
            if not np.isfinite((means**2).sum(axis=1)).all():
                raise DataError("The means are too large for floats to hold their squares; bring X closer to 1.")
        validation.check_columns(self, X, points, reset=True)
        self.classes_, self.means_ = classes, means
        return self

    def _restore(self, values: dict[str, Any]) -> None:
        with np.errstate(over="ignore"):
            if not np.isfinite(np.square(values["means_"]).sum(axis=1)).all():
                raise DataError("NearestMean has means whose squares are too large for floats.")
        self.means_ = values["means_"]


def _seen_from(origin: Floats, means: Floats, unit: float = 1.0) -> Floats:
    """Return weights whose scores are half of how much nearer (in squared distance) a mean is than the origin."""
    away = unit * (means - origin)
    return np.column_stack([away, -0.5 * (away * (means + origin)).sum(axis=1)])
