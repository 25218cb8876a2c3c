"""Kessler's construction as a wrapper: a linear classifier of two classes learns many classes as one problem."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Classifier, LabelsLike, TableLike
from rosenblatt.base.schema import Real, SavedState
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.kessler_rows import kessler
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.multiclass.decomposition import goals_not_reached, say_once
from rosenblatt.classifiers.multiclass.metadata import RoutesMetadata, metadata_of
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member
from rosenblatt.classifiers.training.learner_state import WEIGHTS
from rosenblatt.classifiers.training.problem import Problem
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import MetaEstimatorMixin
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import ParameterError


def _long_row_columns(model: "Kessler") -> int:
    """Return the number of columns of the long rows: one block per class, with the bias constant if there is one."""
    return len(model.classes_) * (model.n_features_in_ + (model._constant != 0))


class Kessler(RoutesMetadata, MetaEstimatorMixin, LinearClassifier, TakesCallbacks):
    r"""Kessler's construction: k classes as one problem of two, in k times as many dimensions.

    .. math:: w_c \cdot x > w_o \cdot x \iff W \cdot z > 0, \quad
              z = (0, \ldots, \underset{c}{x}, \ldots, \underset{o}{-x}, \ldots, 0)

    Each row of class c makes one long row for each other class o. A hyperplane through the origin that has all long
    rows on its positive side consists of one weight vector per class, and every row scores highest for its own class.
    With `Kozinec` this gives the largest margin of many classes at once; one against all does not.

    Parameters
    ----------
    estimator : linear classifier of two classes
        It has a `bias` constant. It is copied, not changed. The long rows contain its bias constant, and the copy
        learns without one. Its bias must be a number, as in `Kozinec(bias=1.0)`: with `bias="free"` the hyperplane
        would not pass through the origin.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features: one row for two classes, else one row per class.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score.
    estimator_ : estimator
        The copy, fitted to the (k - 1) n long rows. Every other long row is negated, so that there are two classes,
        False and True.
    hyperplane_ : Hyperplane
        The boundary between two classes.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    OneVsAll : A classifier for each class against the rest.
    OneVsOne : A classifier for each pair of classes.
    Kozinec : With it, this finds the largest margin of many classes.

    Notes
    -----
    The k classes are linearly separable (one weight vector per class) if and only if a hyperplane through the origin
    has all long rows on its positive side. So every guarantee of the estimator for two separable classes holds for the
    long rows.

    The long rows are stored: 2 (k - 1) n (d + 1) numbers where X is dense. `Perceptron` follows the same rule for many
    classes without storing them.

    References
    ----------
    R. O. Duda and P. E. Hart, Pattern classification and scene analysis (1973), section 5.12; N. J. Nilsson, Learning
    machines (1965), chapter 4.

    Examples
    --------
    >>> from rosenblatt import Kessler, Kozinec, datasets
    >>> X, y = datasets.load("iris")
    >>> model = Kessler(Kozinec(bias=1.0, C=100.0)).fit(X, y)
    >>> print(model.coef_.shape, model.estimator_.n_features_in_, "columns,", (model.predict(X) != y).sum(), "errors")
    (3, 4) 15 columns, 2 errors
    """

    estimator_: Any  # the class of `estimator`
    _w: Floats
    _constant: float

    _saved = SavedState({"_w": WEIGHTS, "_constant": Real(0.0)}, inside="estimator_", member_columns=_long_row_columns)

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator

    @property
    def _weights(self) -> Floats:
        return self._w

    @property
    def _bias(self) -> float:
        return self._constant

    def fit(self, X: TableLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Fit a copy of the estimator to the long rows.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of at least two classes.
        **fit_params : object
            Metadata for `fit` of the estimator. `sample_weight` is passed on if the estimator takes weights. Other
            metadata needs scikit-learn's metadata routing: `sklearn.set_config(enable_metadata_routing=True)` and
            `estimator.set_fit_request(name=True)`; with routing, `sample_weight` must be requested too. Each long
            row gets the entry of its row. A row of weight 0 makes no long rows.

        Returns
        -------
        Self
            The fitted estimator.
        """
        constant: Any = getattr(self.estimator, "bias", None)
        voted = getattr(self.estimator, "average", None) == "voted"
        linear = isinstance(self.estimator, LinearClassifier) and not voted
        if not linear or not parameters.Bias().allows(constant):
            raise ParameterError(
                "Kessler(estimator) must be a linear classifier of two classes whose bias is a number, such as "
                f"Perceptron() or Kozinec(bias=1.0, C=1.0), not {self.estimator!r}."
            )
        constant = float(constant)
        points = validation.points(X)
        classes, codes = validation.classes(y, points.shape[0])
        member = clone(self.estimator).set_params(bias=0.0)
        given = {"X": X, "points": points, "classes": classes, "metadata": self._metadata(fit_params, classes, codes)}
        problem = KesslerProblem(**given, codes=codes, constant=constant, member=member)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self._fit(problem, 1, X, y, problem.metadata)
        say_once(goals_not_reached(said), 1, stacklevel=3)
        return self

    def _keep(self, problem: "KesslerProblem", member: Any) -> None:
        """Make the fitted member, and the weight vectors it stands for, the state of this estimator."""
        k, constant = len(problem.classes), problem.constant
        W = member.coef_.reshape(k, -1)
        if not constant:
            W = np.column_stack([W, np.zeros(k)])
        problem.record_columns(self, problem.points.shape[1])
        self.classes_, self.estimator_, self._constant = problem.classes, member, constant
        self._w = W[1] - W[0] if k == 2 else W


@dataclass(frozen=True, kw_only=True)
class KesslerProblem(Problem):
    """Rows of many classes, and the classifier of two classes that learns from the long rows made of them."""

    codes: Codes
    constant: float  # the bias
    member: Any
    metadata: dict[str, Any]  # for `fit` of the member

    def train(self, callbacks: Callbacks | None = None) -> Any:
        """Fit the member to the long rows, every second one with its sign changed."""
        weights = self.metadata.get("sample_weight")
        rows = np.arange(len(self.codes)) if weights is None else np.flatnonzero(weights)
        long = kessler(Table(self.points[rows], {}), self.codes[rows], len(self.classes), self.constant)
        signs = np.where(np.arange(len(long.numbers)) % 2, -1.0, 1.0)
        signed = long.signed.table.floats.multiply(signs[:, np.newaxis]).tocsr()
        metadata = metadata_of(rows[long.numbers], self.points, self.metadata)
        fit_member(self.member, signed, signs > 0, metadata, callbacks, "long rows")
        return self.member
