"""Calibrated probabilities: scores become probabilities that hold on rows which the classifier has not learned from."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Classifier, Label, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import Count, Numbers, SavedState
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.multiclass.calibration import Calibration, Method, calibrate
from rosenblatt.classifiers.multiclass.metadata import RoutesMetadata, metadata_of
from rosenblatt.classifiers.multiclass.scorer import WrapsScorer, fault_of, scores_of
from rosenblatt.classifiers.stream_answers import ScoresStreams, by_chunks
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member
from rosenblatt.classifiers.training.order import generator
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import Guided


class Calibrated(
    Guided,
    TakesCallbacks,
    RoutesMetadata,
    ScoresStreams,
    WrapsScorer,
    ClassifierMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    r"""Turn the scores of a classifier into probabilities, by rows that it has not learned from.

    .. math:: P(c \mid x) \propto \frac{1}{1 + \exp(-a_c s_c(x) - b_c)}
              \quad \text{or} \quad P(c \mid x) \propto \exp(a \, s_c(x))

    A part of the rows is held out. The estimator learns from the other rows, and scikit-learn's calibration then fits a
    and b to the scores of the rows held out. The predicted class is the most probable one.

    Parameters
    ----------
    estimator : classifier
        It has a `decision_function`, which gives the scores; a copy of it is fitted.
    held_out : float, default=0.2
        The fraction of the rows of each class to hold out. Give less if rows are few, and more if the probabilities
        matter more than the labels. A class has at least one row on each side.
    random_state : int, RandomState instance or None, default=0
        Draws the rows held out. With None, every fit is different.

    Attributes
    ----------
    estimator_ : estimator
        The fitted copy of the estimator.
    classes_ : array of shape (k,)
        The sorted class labels.
    slopes_ : array of shape (1,) or (k,)
        The factors a of the scores.
    offsets_ : array of shape (1,) or (k,)
        The constants b.
    method_ : {"sigmoid", "temperature"}
        The formula. Two classes always have "sigmoid". For more classes, it is the formula with the smaller log loss on
        the rows held out.

        - "sigmoid": the first formula, with a slope and an offset for each score.
        - "temperature": the second formula, with one slope for all classes.
    n_held_out_ : int
        The number of rows held out.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the estimator times the slopes, if it has weights. With two classes, they are changes of the
        log-odds of `classes_[1]`.
    intercept_ : array of shape (1,) or (k,)
        The intercepts of the estimator times the slopes, plus the offsets.
    hyperplane_ : Hyperplane
        The boundary between two classes, where both have the probability 1/2.
    n_features_in_ : int
        The number of columns that the estimator learned from.
    feature_names_in_ : array of str
        The names of the columns, if the estimator has them.

    See Also
    --------
    LeastRisk : Shifts the scores where errors differ in cost.
    save : Saves the probabilities with the model.

    Notes
    -----
    Probabilities undo the effect of `class_weight` on labels: rows of a favoured class have higher scores, but they are
    not more probable. To find more rows of a rare class, compare its probability with a number below 1/2.

    References
    ----------
    J. C. Platt, Probabilities for SV machines, in Advances in Large Margin Classifiers (2000), for "sigmoid";
    C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, ICML (2017), for "temperature".

    Examples
    --------
    >>> from rosenblatt import Calibrated, Perceptron, datasets
    >>> X, y = datasets.load("iris")
    >>> model = Calibrated(Perceptron(average="averaged", max_epochs=10)).fit(X, y)
    >>> print(model.n_held_out_, "rows held out;", model.method_, model.predict_proba(X[[0, 60]]).round(2).tolist())
    30 rows held out; temperature [[1.0, 0.0, 0.0], [0.02, 0.92, 0.07]]
    """

    estimator_: Any  # the class of `estimator`
    classes_: NDArray[Any]
    encoding_: dict[str, Any]  # exists if it was set; how columns of files become numbers
    slopes_: Floats
    offsets_: Floats
    n_held_out_: int

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "held_out": parameters.Share(),
        "random_state": parameters.Seed(),
    }
    _saved = SavedState(
        {"slopes_": Numbers(("slopes",)), "offsets_": Numbers(("slopes",)), "n_held_out_": Count(1)},
        columns=False,
        inside="estimator_",
    )

    def __init__(self, estimator: Classifier, held_out: float = 0.2, random_state: RandomState = 0) -> None:
        self.estimator = estimator
        self.held_out = held_out
        self.random_state = random_state

    def fit(self, X: TableLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Fit a copy of the estimator to a part of the rows, and calibrate its scores on the other rows.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.
        y : array of shape (n,)
            The class labels, of at least two classes, and at least two rows of each.
        **fit_params : object
            Metadata for `fit` of the estimator. `sample_weight` is passed on if the estimator takes weights; the
            calibration counts each row with the weight that the estimator is given. Other metadata needs scikit-learn's
            metadata routing: `sklearn.set_config(enable_metadata_routing=True)` and
            `estimator.set_fit_request(name=True)`.

        Returns
        -------
        Self
            The fitted estimator.
        """
        fault = fault_of("Calibrated", self.estimator)
        if fault:
            raise ParameterError(fault)
        parameters.check(self, self._constraints)
        if isinstance(self.estimator, Guided):
            validation.points(X)  # raises for rows that it does not take, with their numbers among all rows
        table = X.tocsr() if scipy.sparse.issparse(X) else X if hasattr(X, "__getitem__") else np.asarray(X)
        classes, codes = validation.classes(y, _num_samples(table))
        metadata = self._metadata(fit_params, classes, codes)
        parts = _split(classes, codes, float(self.held_out), self.random_state, metadata.get("sample_weight"))
        problem = CalibrationProblem(table, classes, codes, *parts, clone(self.estimator), metadata)
        self._fit(problem, 1, X, y, metadata)
        return self

    def _keep(self, problem: "CalibrationProblem", found: "Calibration") -> None:
        """Make the fitted estimator and its calibration the state of this one."""
        self.estimator_, self.classes_ = problem.estimator, problem.classes
        self.slopes_, self.offsets_, self.n_held_out_ = found.slopes, found.offsets, len(problem.held)

    def _restore(self, values: dict[str, Any]) -> None:
        if len(values["slopes_"]) not in (1, len(self.classes_)) or len(values["slopes_"]) == 2:
            raise DataError("Calibrated must have one slope, or one for each of three or more classes.")
        vars(self).update(values)

    @property
    def method_(self) -> Method:
        """The formula of the probabilities, "sigmoid" or "temperature"."""
        check_is_fitted(self)
        return "sigmoid" if len(self.classes_) == 2 or len(self.slopes_) > 1 else "temperature"

    @by_chunks
    def predict_proba(self, X: TableLike) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.

        Returns
        -------
        array of shape (n, k)
            The probabilities; those of a row sum to 1. The columns are in the order of `classes_`.
        """
        check_is_fitted(self)
        return Calibration(self.slopes_, self.offsets_).probabilities(self.decision_function(X))

    @by_chunks
    def decision_function(self, X: TableLike) -> Floats:
        """Return the calibrated scores `a s(x) + b`; with two classes, the log-odds of `classes_[1]`.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.

        Returns
        -------
        array of shape (n,) or (n, k)
            The calibrated scores. The class with the largest one is the most probable.
        """
        check_is_fitted(self)
        return Calibration(self.slopes_, self.offsets_).logits(scores_of(self.estimator_, X))

    @property
    def coef_(self) -> Floats:
        """The weights of the features times the slopes, if the estimator has weights; a vote has none."""
        self._refuse_votes()
        return np.asarray(self.slopes_[:, np.newaxis] * np.atleast_2d(self.estimator_.coef_))

    @property
    def intercept_(self) -> Floats:
        """The intercepts of the estimator times the slopes, plus the offsets."""
        self.coef_  # noqa: B018  (raises if there is none)
        return np.atleast_1d(self.slopes_ * self.estimator_.intercept_ + self.offsets_)

    @property
    def hyperplane_(self) -> Hyperplane:
        """The boundary between two classes, where both have the probability 1/2."""
        coef, intercept = self.coef_, self.intercept_
        if len(self.classes_) > 2:
            raise AttributeError(f"hyperplane_ exists for two classes only; this classifier has {len(self.classes_)}.")
        return Hyperplane(coef[0], float(intercept[0]))

    def ranked_weights(self, label: Label = None) -> list[tuple[str, float]]:
        """Return the features by name with their weights in `coef_`, the largest absolute value first.

        Parameters
        ----------
        label : object, optional
            The class whose weights to rank; required with more than two classes, else `classes_[1]` by default.

        Returns
        -------
        list of pairs of str and float
            The name and the weight of each feature.
        """
        return LinearClassifier.ranked_weights(cast(Any, self), label)


@dataclass(frozen=True)
class CalibrationProblem:
    """Rows, the code of each row's class, the rows to learn from and to hold out, the estimator and its metadata."""

    X: Any
    classes: NDArray[Any]
    codes: Codes
    learned: Codes
    held: Codes
    estimator: Any
    metadata: dict[str, Any]

    def train(self, callbacks: Callbacks | None = None) -> "Calibration":
        """Fit the estimator, then calibrate its scores on the rows held out."""
        rows, labels = _safe_indexing(self.X, self.learned), self.classes[self.codes[self.learned]]
        metadata = metadata_of(self.learned, self.X, self.metadata)
        fit_member(self.estimator, rows, labels, metadata, callbacks, "estimator")
        scores = scores_of(self.estimator, _safe_indexing(self.X, self.held))
        k, expected = len(self.classes), (len(self.held), len(self.classes))
        if scores.shape != (expected if k > 2 else expected[:1]) or not np.isfinite(scores).all():
            raise ParameterError(
                f"The decision_function of the estimator must give finite scores: one per row for two classes, and one "
                f"column per class for more. For {expected[0]} rows of {k} classes, it gave an array of shape "
                f"{scores.shape}; wrap the estimator, as in OneVsAll(...)."
            )
        weights = self.metadata.get("sample_weight")
        return calibrate(scores, self.codes[self.held], k, None if weights is None else weights[self.held])


def _split(
    classes: NDArray[Any], codes: Codes, share: float, random_state: RandomState, weights: Floats | None
) -> tuple[Codes, Codes]:
    """Return the numbers of the rows to learn from and of those to hold out; rows of weight 0 are in neither part."""
    rng = generator(random_state)
    learned, held = [], []
    for code, label in enumerate(classes.tolist()):
        own = np.flatnonzero((codes == code) if weights is None else (codes == code) & (weights > 0))
        if len(own) < 2:
            raise DataError(
                f"Probabilities need at least two rows of each class, one to learn from and one to calibrate with; "
                f"class {label!r} has {count_of(len(own), 'row')}."
            )
        count = min(len(own) - 1, max(1, round(share * len(own))))
        mixed = rng.permutation(own)
        held.append(mixed[:count])
        learned.append(mixed[count:])
    return np.sort(np.concatenate(learned)), np.sort(np.concatenate(held))
