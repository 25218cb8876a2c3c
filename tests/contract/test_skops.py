"""skops writes and reads every public estimator, and asks to trust classes of this package only."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import skops.io
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
    StopReason,
)
from rosenblatt.data.plain_state import plain, restored
from rosenblatt.models.save import to_bytes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(2)
X = rng.normal(size=(40, 3))
TWO, THREE = X[:, 0] > 0, np.argmax(X, axis=1)
WORDS = np.array(["a", "b", "c"])[THREE]
SPARSE = scipy.sparse.csr_array(X)
MODELS: list[tuple[Any, Any, Any]] = [
    (Perceptron(init=np.ones(4), class_weight={True: 2.0, False: 1.0}), X, TWO),
    (Perceptron(average="averaged"), X, WORDS),
    (Perceptron(average="voted", max_epochs=2), X, THREE),
    (PassiveAggressive(C=float("inf")), X, THREE),
    (Pocket(max_epochs=2), X, THREE),
    (BatchPerceptron(patience=3), X, THREE),
    (Kozinec(C=1.0), X, TWO),
    (Kozinec(C=1.0), SPARSE, TWO),
    (NearestMean(), X, WORDS),
    (KernelPerceptron(max_epochs=3), scipy.sparse.csr_matrix(X), THREE),
    (KernelPerceptron(kernel="precomputed", max_epochs=3), X @ X.T, THREE),
    (Anderson(), X, TWO),
    (Anderson(solver="gradient", max_iter=9), X, TWO),
    (Anderson(), np.array([[0.0], [2.0], [1.0]]), ["a", "a", "b"]),  # the means coincide: a proof in fractions
    (OneVsAll(Perceptron(max_epochs=2)), X, THREE),
    (OneVsOne(Kozinec(C=1.0)), SPARSE, WORDS),
    (Kessler(Kozinec(bias=1.0, C=1.0)), X, THREE),
    (LeastRisk(NearestMean(), np.ones((3, 3))), X, THREE),
    (Calibrated(Perceptron(max_epochs=2), held_out=0.3), X, THREE),
    (Scaling(), X, None),
    (make_pipeline(StandardScaler(), Perceptron(max_epochs=2)), X, THREE),
]


@pytest.mark.parametrize(("model", "rows", "labels"), MODELS, ids=lambda part: type(part).__name__)
def test_a_model_comes_back_whole(model: Any, rows: Any, labels: Any) -> None:
    model = clone(model).fit(rows, labels)
    raw = skops.io.dumps(model)
    unknown = skops.io.get_untrusted_types(data=raw)
    assert unknown
    assert all(name.startswith("rosenblatt.") for name in unknown)
    loaded = skops.io.loads(raw, trusted=unknown)
    if isinstance(model, Scaling):
        assert loaded.transform(rows).tobytes() == model.transform(rows).tobytes()
        return
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    assert loaded.decision_function(rows).tobytes() == model.decision_function(rows).tobytes()
    assert type(getattr(loaded, "stop_reason_", None)) is type(getattr(model, "stop_reason_", None))
    if not hasattr(model, "steps"):
        assert to_bytes(loaded) == to_bytes(model)  # all that a file of ours keeps


def test_every_public_estimator_is_tried() -> None:
    public = {each for name in rosenblatt.__all__ if isinstance(each := getattr(rosenblatt, name), type)}
    estimators = {each for each in public if issubclass(each, BaseEstimator)}
    assert estimators == {type(model) for model, _, _ in MODELS} & estimators


def test_learning_goes_on_after_a_file() -> None:
    model = OneVsAll(Perceptron()).partial_fit(X[:20], THREE[:20], classes=[0, 1, 2])
    raw = skops.io.dumps(model)
    loaded = skops.io.loads(raw, trusted=skops.io.get_untrusted_types(data=raw))
    for each in (model, loaded):
        each.partial_fit(X[20:], THREE[20:])
        each.estimators_[0].learn_one(X[0], False)
    assert loaded.coef_.tobytes() == model.coef_.tobytes()


@pytest.mark.parametrize(
    "value",
    [
        {0: "a", True: StopReason.BUDGET},
        {"pairs": 1, "StopReason": [("x", {})]},
        {"pairs": [["key", 1]]},
        {"a": {"csr_array": 3}},
        [(1, 2.5), {"x": StopReason.STREAM}, None],
    ],
)
def test_plain_values_are_restored(value: Any) -> None:
    assert restored(plain(value)) == value
