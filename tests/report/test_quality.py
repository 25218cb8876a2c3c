"""Tests of the quality of predictions, against scikit-learn and numbers by hand, and of the cautions."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

from rosenblatt import Calibrated, Perceptron
from rosenblatt.report.cautions import cautions
from rosenblatt.report.quality import Quality
from rosenblatt.report.report import TRAINING_ROWS, Report, judge


class Given:
    """A model whose rows are the answers: scores, and from them labels and probabilities."""

    def __init__(self, classes: Any, *, probable: bool = False) -> None:
        self.classes_ = np.array(classes)
        if probable:
            self.predict_proba = lambda X: np.column_stack([1 - X, X]) if X.ndim == 1 else X

    def decision_function(self, X: NDArray[Any]) -> NDArray[Any]:
        return X - 0.5 if X.ndim == 1 else X

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        codes = (X > 0.5).astype(int) if X.ndim == 1 else X.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {"class_weight": None}


def judged(model: Any, X: NDArray[Any], y: Any, kind: str = "test rows") -> Report:
    truth = np.array(y)
    counts = {label: int((truth == label).sum()) for label in model.classes_.tolist()}
    report = Report("rows.csv", None, len(y), 0, 1, dict(counts), "some", model, {})
    judge(report, X, truth, kind)
    return report


def measured(model: Any, X: NDArray[Any], y: Any) -> Quality:
    found = judged(model, X, y).quality
    assert found is not None
    return found


RNG = np.random.default_rng(5)
TWO = np.where(RNG.random(200) < 0.3, "yes", "no")
SCORES = np.clip(0.25 + 0.3 * (TWO == "yes") + 0.2 * RNG.normal(size=200), 0, 1)


@pytest.mark.parametrize("k", [2, 3])
def test_each_class_is_as_scikit_learn_has_it(k: int) -> None:
    X = SCORES if k == 2 else RNG.random((200, 3))
    y = TWO if k == 2 else np.array(["a", "b", "c"])[RNG.integers(0, 3, 200)]
    model = Given(np.unique(y))
    found, said = measured(model, X, y), model.predict(X)
    expected = metrics.precision_recall_fscore_support(y, said, labels=model.classes_)
    actual = [[c.precision, c.recall, c.f1, c.rows] for c in found.classes]
    assert pytest.approx(np.array(expected)) == np.array(actual).T
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, said))
    most = max(model.classes_.tolist(), key=y.tolist().count)
    assert (found.baseline, found.baseline_accuracy.right) == (most, y.tolist().count(most))
    assert found.gain.value == pytest.approx(np.mean(said == y) - np.mean(y == most))


def test_the_ranking_is_of_the_rarer_class() -> None:
    found = measured(Given(["no", "yes"]), SCORES, TWO).ranking
    assert found is not None
    assert found.positive == "yes"
    assert found.roc_auc == pytest.approx(metrics.roc_auc_score(TWO == "yes", SCORES))
    assert found.average_precision == pytest.approx(metrics.average_precision_score(TWO == "yes", SCORES))
    other = measured(Given(["a", "b"]), 1 - SCORES, np.where(TWO == "yes", "a", "b")).ranking
    assert other is not None
    assert other.positive == "a"
    assert other.roc_auc == pytest.approx(found.roc_auc)
    assert measured(Given(["no", "yes"]), SCORES[:3], ["no"] * 3).ranking is None  # one class has no rows


def test_classes_that_do_not_occur_or_are_never_predicted() -> None:
    found = measured(Given(["no", "yes"]), np.array([0.1, 0.2]), ["no", "no"])
    assert [(c.recall, c.precision, c.f1) for c in found.classes] == [(1.0, 1.0, 1.0), (None, None, None)]
    assert (found.balanced_accuracy, found.balanced_baseline) == (1.0, 1.0)


def test_the_brier_score() -> None:
    found = measured(Given(["no", "yes"], probable=True), SCORES, TWO).calibration
    assert found is not None
    assert found.brier == pytest.approx(metrics.brier_score_loss(TWO == "yes", SCORES))
    share = np.mean(TWO == "yes")
    assert found.brier_of_shares == pytest.approx(share * (1 - share))
    assert sum(each.rows for each in found.bins) == 200
    assert sum(each.rows * each.share for each in found.bins) == pytest.approx((TWO == "yes").sum())
    three = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    many = measured(Given(["a", "b", "c"], probable=True), three, ["a", "c"]).calibration
    assert many is not None
    assert many.brier == pytest.approx(((0.25 + 0.09 + 0.04) + (0.01 + 0.64 + 0.81)) / 4)
    assert [(each.rows, each.probability, each.share) for each in many.bins] == [(1, 0.5, 1.0), (1, 0.8, 0.0)]


# ---------------------------------------------------------------------------------------------------------------------
# Cautions


def rare(found: int, alarms: int, *, kind: str = "test rows") -> Report:
    """1,000 rows, 35 of them of the class yes, of which some are found, with some false alarms."""
    y = ["yes"] * 35 + ["no"] * 965
    X = np.zeros(1000)
    X[:found] = 1.0
    X[35 : 35 + alarms] = 1.0
    return judged(Given(["no", "yes"]), X, y, kind)


def test_a_class_that_is_not_found() -> None:
    missed, baseline = cautions(rare(1, 0))
    assert missed == "class yes: 1 of 35 test rows found. To find more, try --set class_weight=balanced."
    assert baseline.startswith(
        "It is not certain that the model beats 'always no': 96.6 % where 'always no' has 96.5 %."
    )


def test_a_model_that_does_not_beat_the_baseline() -> None:
    (said,) = cautions(rare(20, 60))
    assert said == (
        "The model does not beat 'always no' on the test rows: 92.5 % where 'always no' has 96.5 %. Its mean recall of "
        "the classes is better: 75.5 % where 'always no' has 50.0 %."
    )


def test_nothing_to_warn_of() -> None:
    assert cautions(rare(30, 2)) == []
    assert cautions(rare(5, 0, kind=TRAINING_ROWS)) == []  # no interval is claimed for rows learned from
    assert cautions(Report("rows.csv", None, 9, 0, 2, {"a": 4, "b": 5}, "some", Given(["a", "b"]), {})) == []


def test_many_classes_are_not_all_listed() -> None:
    labels = list("abcdefghij")
    X = np.zeros((20, 10))
    X[:, 0] = 1.0
    (missed, _) = cautions(judged(Given(labels), X, labels * 2))
    assert missed.startswith("class b: 0 of 2 test rows found; class c: ")
    assert "; and 3 more classes. " in missed


def test_with_probabilities_the_advice_is_another_one() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.where(np.arange(200) % 20, "no", "yes")
    model = Calibrated(Perceptron(average="averaged", max_epochs=2)).fit(X, y)
    said = cautions(judged(model, X, y))[0]
    advice = "To find more, compare the probability of the class with a number below 1/2."
    assert said == f"class yes: 0 of 10 test rows found. {advice}"
