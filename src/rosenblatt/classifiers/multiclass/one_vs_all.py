"""One against all: one hyperplane per class, between the class and all others."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import Classifier
from rosenblatt.base.schema import SavedState
from rosenblatt.classifiers.multiclass.decomposition import Decomposition, Part, Scheme
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
    estimator : classifier of two classes with a `decision_function`
        A classifier of this package, or another. It is copied, not changed. Its labels are True (the class) and False
        (the rest); a dict as its `class_weight` must use these labels.

    Attributes
    ----------
    classes_
    estimators_ : one for each class; with two classes a single one, whose positive class is `classes_[1]`
    coef_, intercept_ : one row for each of `estimators_`, if they are linear
    n_iter_ : the largest number of passes made by one of them

    Notes
    -----
    The classes may be separable by one weight vector per class although a member cannot separate its class from the
    rest.

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), section 5.2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from rosenblatt import Kozinec, OneVsAll
    >>> X, y = load_wine(return_X_y=True)
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
