"""Online estimators in river: its own checks, its pipelines, its evaluation, and the weights of `partial_fit`."""

# mypy: disable-error-code="no-untyped-call,arg-type"

import sys
from typing import Any

import numpy as np
import pytest
from river import base, checks, compose, datasets, evaluate, feature_extraction, metrics, multiclass, preprocessing
from sklearn.base import clone

from rosenblatt import (
    KernelPerceptron,
    MissingExtraError,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    load,
    save,
    to_river,
)


@pytest.mark.parametrize("made", [(Perceptron(average="averaged"), None), (PassiveAggressive(), 8)], ids=str)
def test_rivers_own_checks(made: Any) -> None:
    estimator, bits = made
    checks.check_estimator(to_river(estimator, hash_bits=bits))


@pytest.mark.parametrize("estimator", [Perceptron(), Perceptron(average="averaged"), Pocket()], ids=str)
def test_the_weights_are_those_of_partial_fit_on_arrays(estimator: Any) -> None:
    rows = list(datasets.ImageSegments().take(60))
    scaler, model = preprocessing.StandardScaler(), to_river(estimator)
    X, y = [], []
    pipeline = compose.Pipeline(preprocessing.StandardScaler(), model)
    for x, label in rows:
        pipeline.learn_one(x, label)
        scaler.learn_one(x)
        X.append(list(scaler.transform_one(x).values()))
        y.append(label)
    two = {y[0], next(label for label in y if label != y[0])}  # two classes as they come are two classes declared
    kept = [i for i, label in enumerate(y) if label in two]
    pair = to_river(estimator)
    for i in kept:
        pair.learn_one(dict(zip(rows[0][0], X[i], strict=True)), y[i])
    whole = clone(estimator).partial_fit(np.array(X)[kept], np.array(y)[kept], classes=sorted(two))
    assert pair.model.feature_names_in_.tolist() == list(rows[0][0])
    assert pair.model.coef_.tobytes() == whole.coef_.tobytes()
    assert model.model.classes_.tolist() == sorted(set(y))
    assert model.model.coef_.shape == (len(set(y)), len(X[0]))


def test_it_is_a_classifier_that_river_evaluates() -> None:
    model = preprocessing.StandardScaler() | to_river(Perceptron(average="averaged"))
    assert isinstance(model, base.Classifier)
    right = 0
    by_hand = preprocessing.StandardScaler() | to_river(Perceptron(average="averaged"))
    rows = list(datasets.Phishing().take(300))
    for x, y in rows:
        predicted = by_hand.predict_one(x)
        assert predicted is None or type(predicted) is bool
        right += predicted == y
        by_hand.learn_one(x, y)
    metric = evaluate.progressive_val_score(iter(rows), model, metrics.Accuracy())
    assert metric.get() == right / (len(rows) - 1)  # river leaves out the first row, for which nothing is predicted
    assert metric.get() > 0.8


def test_bags_of_words_and_new_names_in_a_pipeline(tmp_path: Any) -> None:
    model = feature_extraction.BagOfWords() | to_river(PassiveAggressive())
    for text, label in (("free money", "spam"), ("see you", "ham"), ("free lunch", "spam"), ("you see", "ham")):
        model.learn_one(text, label)
    assert model.predict_one("money money") == "spam"
    assert model.predict_one("see unknown words") == "ham"
    learned = model["RiverClassifier"].model
    save(learned, tmp_path / "model")
    assert load(tmp_path / "model").predict_one({"free": 1}) == "spam"


def test_weights_of_rows_and_clones() -> None:
    model = to_river(Perceptron())
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": 1.0}, 1, w=3.0)
    assert model.model.coef_.tolist() == [[2.0]]
    fresh = model.clone({"hash_bits": 3})
    assert fresh.predict_one({"a": 1.0}) is None
    assert fresh.hash_bits == 3
    assert not hasattr(model.estimator, "classes_")  # the estimator that was given stays as it was


def test_a_metric_of_probabilities_is_answered_with_a_sentence() -> None:
    model = preprocessing.StandardScaler() | to_river(Perceptron())
    with pytest.raises(NotImplementedError, match=r"Perceptron has no probabilities, .* Use a metric of labels"):
        evaluate.progressive_val_score(datasets.Phishing().take(9), model, metrics.ROCAUC())
    wrapped = multiclass.OneVsRestClassifier(to_river(Perceptron()))
    wrapped.learn_one({"a": 1.0}, "x")
    with pytest.raises(NotImplementedError, match="takes many classes without OneVsRestClassifier"):
        wrapped.predict_one({"a": 1.0})


def test_an_estimator_that_does_not_learn_row_by_row_is_refused() -> None:
    with pytest.raises(ParameterError, match="Perceptron, PassiveAggressive or Pocket, not KernelPerceptron"):
        to_river(KernelPerceptron())


def test_without_river_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delitem(sys.modules, "rosenblatt.models.river_classifier", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'rosenblatt\[river\]'"):
        to_river(Perceptron())
