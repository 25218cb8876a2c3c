"""One against all: one hyperplane per class, between the class and all others."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import Classifier
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.multiclass.decomposition import Decomposition, Scheme
from rosenblatt.classifiers.multiclass.parts import Part
from rosenblatt.data.validation import Codes, Floats


class OneVsAll(Decomposition):
    r"""One against all: a classifier of two classes for each class against the rest; the largest score wins.

    .. math:: \hat y = \arg\max_c \; w_c \cdot x + b_c

    Where no score or more than one score is above 0, the members contradict each other, and the largest score decides;
    `claims` and `regions` show where. `Perceptron` and `PassiveAggressive` handle many classes themselves, by one rule
    for all weight vectors, which is usually better. Use this wrapper for estimators that handle two classes only, and
    for comparison.

    Parameters
    ----------
    estimator : classifier of two classes
        A classifier with a `decision_function`, of this package or another. It is copied, not changed. Its labels are
        True (the class) and False (the rest); a dict as its `class_weight` must use these labels.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    estimators_ : list of estimators
        One for each class; with two classes a single one, whose positive class is `classes_[1]`.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features: one row for each of `estimators_`, if they are linear.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each of `estimators_`, if they are linear.
    n_iter_ : int
        The largest number of passes made by one of them.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    OneVsOne : A classifier for each pair of classes.
    Kessler : All classes as one problem of two.
    Perceptron : Handles many classes itself.

    Notes
    -----
    The classes may be separable by one weight vector per class although a member cannot separate its class from the
    rest.

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), section 5.2.2.

    Examples
    --------
    >>> from rosenblatt import Kozinec, OneVsAll, datasets
    >>> X, y = datasets.load("wine")
    >>> model = OneVsAll(Kozinec(C=1.0)).fit(X, y)
    >>> claimed = model.claims(X).sum(axis=1)
    >>> print((claimed != 1).sum(), "of", len(y), "rows are claimed by no class or by several")
    0 of 178 rows are claimed by no class or by several
    """

    scheme: ClassVar[Scheme] = "one_vs_all"
    _saved = SavedState(inside="estimators_", members=lambda k: 1 if k == 2 else k)

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator

    def _parts(self, classes: NDArray[Any], codes: Codes) -> list[Part]:
        every, labels = np.arange(len(codes)), np.array([False, True])
        first = 1 if len(classes) == 2 else 0
        return [
            Part(f"{label} against the rest", every, codes == c, labels, None)
            for c, label in enumerate(classes.tolist())
            if c >= first
        ]

    def _class_scores(self, scores: Floats) -> Floats:
        return scores

    def _claims(self, scores: Floats) -> NDArray[np.bool_]:
        return scores > 0
