"""One against one: one hyperplane per pair of classes, and a vote."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from rosenblatt.base.argument_types import Classifier
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.multiclass.decomposition import Decomposition, Scheme
from rosenblatt.classifiers.multiclass.parts import Part
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.data.weights import class_weights
from rosenblatt.errors import ParameterError


class OneVsOne(Decomposition):
    r"""One against one: a classifier for each pair of classes, trained on their rows alone; the most votes win.

    .. math:: \hat y = \arg\max_c \; |\{j : \text{the classifier of } c \text{ and } j \text{ says } c\}|

    There are k (k - 1)/2 classifiers for k classes. Each solves a smaller and easier problem than one against all.
    Where votes tie, the sum of the scores decides; `claims` and `regions` show where.

    Parameters
    ----------
    estimator : classifier of two classes
        A classifier with a `decision_function`, of this package or another. It is copied, not changed. If its
        `class_weight` is a dict, each copy gets the entries of its two classes.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    pairs_ : list of pairs of int
        For each of `estimators_` the numbers a < b of its classes. A score above 0 is a vote for b.
    estimators_ : list of estimators
        One for each pair.
    coef_ : array of shape (k (k - 1)/2, d)
        The weights of the features: one row for each of `estimators_`, if they are linear.
    intercept_ : array of shape (k (k - 1)/2,)
        The intercept of each of `estimators_`, if they are linear.
    n_iter_ : int
        The largest number of passes made by one of them.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    OneVsAll : A classifier for each class against the rest.
    Kessler : All classes as one problem of two.

    Notes
    -----
    If every pair of classes is separable and every member separates its pair, each training row gets all k - 1 votes
    for its class, and no training row is misclassified.

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), section 5.2.2.

    Examples
    --------
    >>> from rosenblatt import Kozinec, OneVsOne, datasets
    >>> model = OneVsOne(Kozinec(C=1.0)).fit(*datasets.load("iris"))
    >>> print(model.pairs_, [member.stop_reason_ for member in model.estimators_] == ["gap_closed"] * 3)
    [(0, 1), (0, 2), (1, 2)] True
    """

    scheme: ClassVar[Scheme] = "one_vs_one"
    _saved = SavedState(inside="estimators_", members=lambda k: k * (k - 1) // 2)

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator

    @property
    def pairs_(self) -> list[tuple[int, int]]:
        """The numbers a < b of the classes of each of `estimators_`; a score above 0 is a vote for b."""
        return list(combinations(range(len(self.classes_)), 2))

    def _parts(self, classes: NDArray[Any], codes: Codes) -> list[Part]:
        if get_tags(self.estimator).input_tags.pairwise:
            raise ParameterError("OneVsOne trains on subsets of the rows, so it does not support a precomputed kernel.")
        labels = classes.tolist()
        weights, parts = getattr(self.estimator, "class_weight", None), []
        if isinstance(weights, Mapping):
            class_weights(weights, classes, codes)  # raises for unknown labels
        for a, b in combinations(range(len(classes)), 2):
            own = None
            if isinstance(weights, Mapping):
                own = {label: weights[label] for label in (labels[a], labels[b]) if label in weights}
            among = np.flatnonzero((codes == a) | (codes == b))
            parts.append(Part(f"{labels[b]} against {labels[a]}", among, codes == b, classes[[a, b]], own))
        return parts

    def _class_scores(self, scores: Floats) -> Floats:
        largest = np.abs(scores).max(axis=1, keepdims=True)
        votes, sums = self._votes(np.divide(scores, largest, out=np.zeros_like(scores), where=largest > 0))
        return votes + sums / (4 * len(self.classes_))  # the sums add less than half a vote

    def _claims(self, scores: Floats) -> NDArray[np.bool_]:
        votes, _ = self._votes(scores)
        return np.asarray(votes == votes.max(axis=1, keepdims=True))

    def _votes(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the votes and the sums of scores for each class."""
        votes, sums = np.zeros((2, len(scores), len(self.classes_)))
        for (a, b), score in zip(self.pairs_, scores.T, strict=True):
            votes[:, a] += score < 0
            votes[:, b] += score > 0
            sums[:, a] -= score
            sums[:, b] += score
        return votes, sums
