"""How well a model predicts given rows: each class, the ranking of rows, the baseline, and the probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from rosenblatt.report.paired_difference import PairedDifference
from rosenblatt.report.proportion import Proportion

Counts = Mapping[Any, int | None]
BINS = 10  # of equal width, in which probabilities are compared with what happened


class ClassQuality(NamedTuple):
    """The rows of a class: how many there are, how many were found, and how many rows were predicted as this class."""

    label: Any
    rows: int
    found: int
    predicted: int

    @property
    def recall(self) -> float | None:
        """The share of the rows of the class that were found; None if the class has no rows."""
        return self.found / self.rows if self.rows else None

    @property
    def precision(self) -> float | None:
        """The share of right rows among those predicted as this class; None if there are none."""
        return self.found / self.predicted if self.predicted else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if the class neither occurs nor was predicted."""
        return 2 * self.found / (self.rows + self.predicted) if self.rows + self.predicted else None


class Ranking(NamedTuple):
    """How well scores rank the rows of two classes; `positive` is the rarer class."""

    positive: Any
    roc_auc: float
    average_precision: float
    share: float  # of rows of the positive class, which is the average precision of a random order


class Bin(NamedTuple):
    """Rows with similar probabilities: their number, their mean probability, and the share for which it came true."""

    rows: int
    probability: float
    share: float


class Calibration(NamedTuple):
    """How well probabilities hold: the Brier score, that of the shares of the classes alone, and bins.

    The Brier score is half the sum of the squared errors of all probabilities of a row, averaged over the rows. It is
    from 0 to 1, and 0 is perfect. For two classes, the bins are of the probability of the rarer class; for more, of the
    probability of the most probable class.
    """

    brier: float
    brier_of_shares: float
    bins: list[Bin]


@dataclass(frozen=True)
class Quality:
    """The quality of the predictions for some rows.

    Attributes
    ----------
    classes : each class of the model
    baseline, baseline_accuracy : the most frequent class of the training rows, and the accuracy of always predicting it
    gain : the accuracy of the model less that of the baseline
    ranking : of two classes, if both occur
    calibration : of the probabilities, if the model has them
    """

    classes: list[ClassQuality]
    baseline: Any
    baseline_accuracy: Proportion
    gain: PairedDifference
    ranking: Ranking | None
    calibration: Calibration | None

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that occur."""
        return float(np.mean([each.recall for each in self.classes if each.recall is not None]))

    def worst_classes(self, count: int) -> list[ClassQuality]:
        """The classes with the lowest recall, the lowest first."""
        return sorted(self.classes, key=lambda c: 2.0 if c.recall is None else c.recall)[:count]

    @property
    def balanced_baseline(self) -> float:
        """The balanced accuracy of always predicting one class."""
        return 1 / sum(each.rows > 0 for each in self.classes)


def quality_of(
    model: Any, X: Any, y: NDArray[Any], predicted: NDArray[Any], confusion: NDArray[Any], counts: Counts
) -> Quality:
    """Measure predictions for rows X with the labels y; `counts` has the number of rows of each class in all rows."""
    labels = model.classes_.tolist()
    rows, given = confusion.sum(axis=1), confusion.sum(axis=0)
    classes = [ClassQuality(label, int(rows[c]), int(confusion[c, c]), int(given[c])) for c, label in enumerate(labels)]
    baseline = max(labels, key=lambda label: counts[label] or 0)
    always, right = y == baseline, predicted == y
    return Quality(
        classes,
        baseline,
        Proportion.of(int(always.sum()), len(y)),
        PairedDifference.of(int((right & ~always).sum()), int((always & ~right).sum()), len(y)),
        _ranking(model, X, y, counts) if len(labels) == 2 and (rows > 0).all() else None,
        _calibration(model, X, y, counts) if hasattr(model, "predict_proba") else None,
    )


def _rarer(labels: list[Any], counts: Counts) -> int:
    """The number of the rarer of two classes; the second one if they have equally many rows."""
    return 0 if (counts[labels[0]] or 0) < (counts[labels[1]] or 0) else 1


def _ranking(model: Any, X: Any, y: NDArray[Any], counts: Counts) -> Ranking:
    positive = _rarer(model.classes_.tolist(), counts)
    scores = model.decision_function(X) * (1.0 if positive else -1.0)
    truth = y == model.classes_[positive]
    return Ranking(
        model.classes_.tolist()[positive],
        float(roc_auc_score(truth, scores)),
        float(average_precision_score(truth, scores)),
        float(truth.mean()),
    )


def _calibration(model: Any, X: Any, y: NDArray[Any], counts: Counts) -> Calibration:
    probabilities, labels = model.predict_proba(X), model.classes_.tolist()
    truth = y[:, np.newaxis] == model.classes_
    shares = np.array([counts[label] or 0 for label in labels], dtype=np.float64)
    brier, brier_of_shares = (
        float(np.square(given - truth).sum(axis=1).mean() / 2) for given in (probabilities, shares / shares.sum())
    )
    if len(labels) == 2:
        positive = _rarer(labels, counts)
        return Calibration(brier, brier_of_shares, _bins(probabilities[:, positive], truth[:, positive]))
    best, every = probabilities.argmax(axis=1), np.arange(len(y))
    return Calibration(brier, brier_of_shares, _bins(probabilities[every, best], truth[every, best]))


def _bins(probabilities: NDArray[Any], happened: NDArray[Any]) -> list[Bin]:
    numbers = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
    return [
        Bin(int(own.sum()), float(probabilities[own].mean()), float(happened[own].mean()))
        for own in (numbers == number for number in range(BINS))
        if own.any()
    ]
