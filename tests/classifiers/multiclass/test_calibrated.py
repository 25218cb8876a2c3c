"""Tests of calibrated probabilities: scikit-learn's own, on rows held out, for two classes and more."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from rosenblatt import Calibrated, DataError, OneVsOne, ParameterError, Perceptron, Scaling, load, save, to_json
from rosenblatt.classifiers.multiclass.calibrated import _split
from rosenblatt.classifiers.multiclass.calibration import Calibration, calibrate

AVERAGED = Perceptron(average="averaged", max_epochs=5)


def cloud(k: int, n: int = 200) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(k)
    codes = rng.integers(0, k, n)
    return 2.0 * rng.normal(size=(k, 3))[codes] + rng.normal(size=(n, 3)), np.array(list("abcd"))[codes]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_probabilities_are_scikit_learns(k: int) -> None:
    """The held-out rows and the fitted estimator, given to scikit-learn."""
    X, y = cloud(k)
    model = Calibrated(AVERAGED).fit(X, y)
    classes, codes = np.unique(y, return_inverse=True)
    learned, held = _split(classes, codes, 0.2, 0, None)
    assert (len(held), set(learned) | set(held), set(learned) & set(held)) == (
        model.n_held_out_,
        set(range(200)),
        set(),
    )
    assert model.estimator_.coef_.tobytes() == sklearn.clone(AVERAGED).fit(X[learned], y[learned]).coef_.tobytes()
    every = np.arange(len(held))
    losses = {}
    for method in ("sigmoid", "temperature")[: k - 1]:
        other = CalibratedClassifierCV(
            FrozenEstimator(model.estimator_), method=method, cv=[(every, every)], ensemble=True
        )
        other.fit(X[held], y[held])
        losses[method] = sklearn.metrics.log_loss(y[held], other.predict_proba(X[held]))
        if method == model.method_:
            np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-3)
    assert losses[model.method_] <= min(losses.values()) + 1e-6


@pytest.mark.parametrize("k", [2, 3])
def test_answers_agree(k: int) -> None:
    X, y = cloud(k)
    model = Calibrated(AVERAGED).fit(X, y)
    P, scores = model.predict_proba(X), model.decision_function(X)
    assert P.shape == (200, k)
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert (model.predict(X) == model.classes_[P.argmax(axis=1)]).all()
    assert (X @ model.coef_.T + model.intercept_).reshape(scores.shape) == pytest.approx(scores)
    if k == 2:
        assert np.log(P[:, 1] / P[:, 0]) == pytest.approx(scores, abs=1e-6)
        assert model.hyperplane_.decision_function(X) == pytest.approx(scores)
    exported = json.loads(to_json(model))
    assert exported["coef"] == model.coef_.tolist()
    assert model.ranked_weights("a")[0][1] != 0.0


def test_two_formulas_for_many_classes() -> None:
    """Equal slopes and no bias need one slope; classes that are shifted against each other need offsets."""
    rng = np.random.default_rng(0)
    logits = 2.0 * rng.normal(size=(3000, 3))
    drawn = (
        rng.random(3000)[:, None] > np.cumsum(Calibration(np.ones(1), np.zeros(1)).probabilities(logits), axis=1)
    ).sum(1)
    assert calibrate(1e6 * logits, drawn, 3).slopes == pytest.approx([1e-6], rel=0.1)  # of any scale
    assert len(calibrate(logits + np.array([9.0, 0.0, -9.0]), drawn, 3).slopes) == 3


def test_probabilities_come_true() -> None:
    """Rows drawn from two known Gaussians: the mean probability is the share of the class, in each half of the rows."""
    rng = np.random.default_rng(1)
    y = rng.random(4000) < 0.3
    X = rng.normal(size=(4000, 1)) + 2.0 * y[:, None]
    P = Calibrated(AVERAGED).fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
    for half in (np.median(P) > P, np.median(P) <= P):
        assert P[half].mean() == pytest.approx(y[2000:][half].mean(), abs=0.05)


@pytest.mark.parametrize("k", [2, 3])
def test_saved_probabilities_are_the_same(tmp_path: Path, k: int) -> None:
    X, y = cloud(k)
    for model in (Calibrated(AVERAGED), make_pipeline(Scaling(), Calibrated(AVERAGED)), Calibrated(OneVsOne(AVERAGED))):
        save(model.fit(X, y), tmp_path / "model")
        again = load(tmp_path / "model")
        assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def test_sparse_rows_and_frames_give_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = cloud(3)
    whole = Calibrated(AVERAGED).fit(X, y)
    for other in (scipy.sparse.coo_array(X), X.tolist(), pandas.DataFrame(X, columns=["u", "v", "w"])):
        found = Calibrated(AVERAGED).fit(other, y)
        assert (found.slopes_.tobytes(), found.n_features_in_) == (whole.slopes_.tobytes(), 3)
    assert found.feature_names_in_.tolist() == ["u", "v", "w"]


def test_weights_reach_the_calibration() -> None:
    """A row of weight 0 is in neither part; the log-odds of a class rise by the logarithm of its weight."""
    X, y = cloud(2, 2000)
    with sklearn.config_context(enable_metadata_routing=True):
        model = Calibrated(sklearn.clone(AVERAGED).set_fit_request(sample_weight=True))
        assert model.fit(X, y, sample_weight=np.arange(2000) % 2).n_held_out_ == pytest.approx(200, abs=1)
        plain = model.fit(X, y, sample_weight=np.ones(2000)).predict_proba(X)[:, 1].mean()
        assert model.fit(X, y, sample_weight=np.where(y == "b", 9.0, 1.0)).predict_proba(X)[:, 1].mean() > plain + 0.02


@pytest.mark.parametrize(
    ("model", "X", "y", "error", "words"),
    [
        (Calibrated(AVERAGED), [[0.0], [1.0], [2.0]], ["a", "a", "b"], DataError, "class 'b' has 1 row"),
        (
            Calibrated(AVERAGED, held_out=1.0),
            [[0.0]],
            ["a"],
            ParameterError,
            r"held_out=\.\.\.\) must be a number above 0",
        ),
        (
            Calibrated(AVERAGED).set_params(estimator=Perceptron),
            [[0.0]],
            ["a"],
            ParameterError,
            r"not a class; write Perceptron\(\)",
        ),
        (Calibrated(AVERAGED), [[0.0], [1.0], [np.nan], [3.0]], [0, 1, 0, 1], DataError, "row 2, column 0 is nan"),
    ],
)
def test_what_is_refused(model: Any, X: Any, y: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        model.fit(X, y)
