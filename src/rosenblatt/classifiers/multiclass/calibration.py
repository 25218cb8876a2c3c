"""From scores to probabilities: slopes and offsets, which scikit-learn fits to rows that were held out."""

from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn import config_context

from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin
from rosenblatt.data.validation import Codes, Floats

Method = Literal["sigmoid", "temperature"]


class Calibration(NamedTuple):
    """Slopes and offsets: one of each for two classes; for more, one for each class, or one for all of them."""

    slopes: Floats
    offsets: Floats

    def logits(self, scores: Floats) -> Floats:
        """Return the calibrated scores."""
        with np.errstate(over="ignore"):  # infinity has the right sign
            return np.asarray(scores * self.slopes + self.offsets)

    def probabilities(self, logits: Floats) -> Floats:
        """Return the probability of each class for each row of calibrated scores."""
        if logits.ndim == 1:
            second = expit(logits)
            return np.column_stack([1.0 - second, second])
        if len(self.slopes) == 1:
            return np.asarray(softmax(logits, axis=1))
        odds = expit(logits)
        total = odds.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(odds, total, out=np.full_like(odds, 1 / odds.shape[1]), where=total > 0))


class GivenScores(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are scores already, so that scikit-learn calibrates scores that it is given."""

    classes_: Codes

    def fit(self, X: Floats, y: Codes, sample_weight: Floats | None = None) -> Self:  # noqa: ARG002
        """Learn nothing but the classes."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Floats) -> Floats:
        """Return the scores."""
        return X[:, 0] if X.shape[1] == 1 else X


def calibrate(scores: Floats, codes: Codes, k: int, weights: Floats | None = None) -> Calibration:
    """Fit slopes and offsets to scores by scikit-learn's calibration; of two formulas, take the smaller log loss."""
    table = scores.reshape(len(scores), -1)
    if k > 2:
        table = table - table.max(axis=1, keepdims=True)  # scikit-learn takes scores that sum to 1 for probabilities
    size = float(np.abs(table).max()) or 1.0  # scikit-learn looks for slopes from exp(-10) to exp(10)
    found = [_by_scikit_learn("sigmoid", scores.reshape(len(scores), -1) / size, codes, weights)]
    if k > 2:
        found.append(_by_scikit_learn("temperature", table / size, codes, weights))
    scaled = [Calibration(each.slopes / size, each.offsets) for each in found]
    return min(scaled, key=lambda each: _log_loss(each.probabilities(each.logits(scores)), codes, weights))


def _by_scikit_learn(method: Method, scores: Floats, codes: Codes, weights: Floats | None) -> Calibration:
    from sklearn.calibration import CalibratedClassifierCV  # it loads most of scikit-learn

    every = np.arange(len(scores))
    wrapped = CalibratedClassifierCV(GivenScores(), method=method, cv=[(every, every)], ensemble=True)
    with config_context(enable_metadata_routing=False, array_api_dispatch=False):
        calibrators = wrapped.fit(scores, codes, sample_weight=weights).calibrated_classifiers_[0].calibrators
    if method == "temperature":
        return Calibration(np.array([calibrators[0].beta_], dtype=np.float64), np.zeros(1))
    return Calibration(np.array([-each.a_ for each in calibrators]), np.array([-each.b_ for each in calibrators]))


def _log_loss(probabilities: Floats, codes: Codes, weights: Floats | None) -> float:
    own = np.maximum(probabilities[np.arange(len(codes)), codes], np.finfo(np.float64).tiny)
    return float(np.average(-np.log(own), weights=weights))
