"""Exported models: JSON and ONNX predict the same as the model."""

import builtins
import json
import re
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pyarrow
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    DataError,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    MissingExtraError,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from rosenblatt.data.scaling import Scaling
from rosenblatt.models.export import to_json, to_onnx

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

rng = np.random.default_rng(3)
X = rng.normal(size=(60, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, -1]
NEW = rng.normal(size=(400, 4)) * [1, 10, 0.1, 1] + [0, 5, 0, -1]
TWO = (X @ [1.0, -0.2, 5.0, 0.5] + 0.5 * rng.normal(size=60) > 0).astype(int)
THREE = np.argmax(X * [1, 0.1, 10, 1] + 0.3 * rng.normal(size=X.shape), axis=1) % 3
CODES = {"two": TWO, "three": THREE}
MODELS = [
    Perceptron(max_epochs=5),
    Perceptron(average="averaged", learning_rate=0.3, bias=2.0, tie="positive", max_epochs=5),
    PassiveAggressive(max_epochs=5),
    Pocket(max_epochs=5),
    BatchPerceptron(patience=5),
    NearestMean(),
    OneVsAll(Kozinec(C=1.0)),
    OneVsAll(Perceptron(max_epochs=3, tie="positive")),
    Kessler(Kozinec(bias=1.0, C=1.0)),
    LeastRisk(Perceptron(average="averaged", max_epochs=5)),
    LeastRisk(OneVsAll(NearestMean())),
    Calibrated(Perceptron(average="averaged", max_epochs=5)),
    *(make_pipeline(Scaling(how), Perceptron(max_epochs=5)) for how in ("standardize", "center", "divide", "unit")),
    LeastRisk(make_pipeline(Scaling(), NearestMean())),
]
BINARY = [Kozinec(C=1.0), Kozinec(bias=3.0, C=1.0), Anderson(), OneVsOne(Perceptron(max_epochs=5))]
CASES = [(model, classes) for model in MODELS for classes in CODES] + [(model, "two") for model in BINARY]


def run(model: Any, points: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    answers: list[Any] = session.run(["label", "scores"], {"X": np.asarray(points, dtype=np.float64)})
    return answers


def by_hand(text: dict[str, Any], x: list[float]) -> Any:
    """Predict in plain Python, as the sentence in the JSON says."""
    for scaling in text["scaling"]:
        if scaling["how"] == "unit":
            length = sum(number * number for number in x) ** 0.5
            x = [number / length for number in x] if length else x
        else:
            centre, scale = scaling["centre"] or [0.0] * len(x), scaling["scale"] or [1.0] * len(x)
            x = [(number - m) / s for number, m, s in zip(x, centre, scale, strict=True)]
    scores = [
        sum(w * number for w, number in zip(coef, x, strict=True)) + b
        for coef, b in zip(text["coef"], text["intercept"], strict=True)
    ]
    later = "the later one" in text["predict"] or "below 0" in text["predict"]
    if len(scores) == 1:
        return text["classes"][int(scores[0] >= 0 if later else scores[0] > 0)]
    best = [c for c, score in enumerate(scores) if score == max(scores)]
    return text["classes"][best[-1 if later else 0]]


@pytest.mark.parametrize(("model", "classes"), CASES)
def test_onnx_predicts_the_same(model: Any, classes: str) -> None:
    model = clone(model).fit(X, CODES[classes])
    label, scores = run(model, NEW)
    ours = model.decision_function(NEW)
    assert (label.dtype, label.shape) == (np.int64, (400,))
    assert label.tolist() == model.predict(NEW).tolist()
    assert (scores.dtype, scores.shape) == (np.float64, ours.shape)
    np.testing.assert_allclose(scores, ours, rtol=1e-9, atol=1e-9 * np.abs(ours).max())


@pytest.mark.parametrize(("model", "classes"), CASES)
def test_json_predicts_the_same_by_hand(model: Any, classes: str) -> None:
    words = np.array(["left", "mïddle", "right"])[CODES[classes]]
    model = clone(model).fit(X, words)
    text = json.loads(to_json(model))
    assert [by_hand(text, x) for x in NEW.tolist()] == model.predict(NEW).tolist()


@pytest.mark.parametrize("classes", CODES)
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yés", "z"]),
        np.array(["no", "yes", "z"], dtype=object),
        np.array([3, 4, 200], dtype=np.uint8),
        np.array([-1.0, 0.0, 2.0]),
        np.array([False, True]),
    ],
    ids=str,
)
def test_labels_keep_their_kind(labels: Any, classes: str) -> None:
    model = Perceptron(max_epochs=3).fit(X, labels[CODES[classes] % len(labels)])
    label, _ = run(model, NEW)
    assert label.tolist() == model.predict(NEW).tolist()
    assert json.loads(to_json(model))["classes"] == model.classes_.tolist()


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("classes", [2, 3])
def test_exact_ties_follow_the_rule(tie: Any, classes: int) -> None:
    """Sums of whole numbers are exact. A row of zeros scores 0 for every class, because there is no bias."""
    points = np.eye(3)[:classes]
    model = Perceptron(tie=tie, bias=0.0).fit(points, np.arange(classes))
    zero = np.zeros((1, 3))
    expected = classes - 1 if tie == "positive" else 0
    assert model.predict(zero).tolist() == run(model, zero)[0].tolist() == [expected]
    text = json.loads(to_json(model))
    assert by_hand(text, [0.0, 0.0, 0.0]) == expected
    assert re.search(r"also at exactly 0\.$|of equal scores the \w+ one\.$", text["predict"])


def test_a_row_of_zeros_and_a_huge_one_of_unit_length() -> None:
    model = make_pipeline(Scaling("unit"), Perceptron(max_epochs=5)).fit(X, TWO)
    points = np.array([[0.0, 0, 0, 0], [1e300, -1e300, 0, 1e299], [1e-200, 3e-200, 0, 0]])
    label, scores = run(model, points)
    assert label.tolist() == model.predict(points).tolist()
    np.testing.assert_allclose(scores, model.decision_function(points), rtol=1e-12)


def test_json_reads_back_to_the_same_bits_and_says_all() -> None:
    table = pyarrow.table(dict(zip("abcd", X.T, strict=True)))
    weights = {0: 1.0, 1: 2.0}
    model = PassiveAggressive(C=float("inf"), class_weight=weights, init=np.zeros(5), max_epochs=3).fit(table, TWO)
    text = json.loads(to_json(model), parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert np.array(text["coef"]).tobytes() == model.coef_.tobytes()
    assert np.array(text["intercept"]).tobytes() == model.intercept_.tobytes()
    assert (text["format"], text["version"], text["algorithm"]) == ("rosenblatt linear model", 1, "PassiveAggressive")
    assert text["columns"] == ["a", "b", "c", "d"]
    assert text["parameters"]["C"] == "inf"
    assert text["parameters"]["class_weight"] == {"0": 1.0, "1": 2.0}
    assert text["parameters"]["init"] == [0.0] * 5
    assert text["scaling"] == []


def test_json_of_wrappers_and_functions_says_what_they_are() -> None:
    text = json.loads(to_json(OneVsAll(BatchPerceptron(learning_rate=lambda t: 1 / t, patience=3)).fit(X, THREE)))
    inner = text["parameters"]["estimator"]
    assert (inner["algorithm"], inner["parameters"]["patience"]) == ("BatchPerceptron", 3)
    assert inner["parameters"]["learning_rate"].endswith("<lambda>")
    text = json.loads(to_json(make_pipeline(Scaling("unit"), NearestMean()).fit(X, THREE)))
    assert text["scaling"][0]["how"] == "unit"
    assert text["predict"].startswith("First, for each scaling in turn, divide x by its length, unless that is 0. The ")


def test_the_graph_is_checked_and_named() -> None:
    made = to_onnx(Perceptron(max_epochs=3).fit(X, THREE))
    onnx.checker.check_model(made, full_check=True)
    assert (made.producer_name, made.graph.name) == ("rosenblatt", "Perceptron")
    assert [each.name for each in (*made.graph.input, *made.graph.output)] == ["X", "label", "scores"]


NOT_LINEAR = [
    Perceptron(average="voted", max_epochs=2),
    Perceptron(average="voted", max_epochs=2, tie="positive", bias=2.0),
    KernelPerceptron(max_epochs=2),
    KernelPerceptron(kernel="poly", max_epochs=2, tie="positive"),
    KernelPerceptron(kernel="linear", max_epochs=2, average="averaged"),
    OneVsAll(KernelPerceptron(max_epochs=2)),
    OneVsOne(KernelPerceptron(max_epochs=2)),
    OneVsAll(Perceptron(average="voted", max_epochs=2)),
    LeastRisk(KernelPerceptron(max_epochs=2)),
    make_pipeline(Scaling(), KernelPerceptron(max_epochs=2)),
]
ONLY_MANY = [  # with two classes, these are linear
    OneVsOne(Perceptron(max_epochs=2)),
    OneVsOne(Kozinec(C=1.0)),
    LeastRisk(OneVsOne(Perceptron(max_epochs=2))),
]


@pytest.mark.parametrize(
    ("model", "classes"),
    [*((model, classes) for model in NOT_LINEAR for classes in CODES), *((model, "three") for model in ONLY_MANY)],
)
def test_what_is_not_linear_is_a_graph_but_no_json(model: Any, classes: str) -> None:
    model = clone(model).fit(X, CODES[classes])
    label, scores = run(model, NEW)
    ours = model.decision_function(NEW)
    assert label.tolist() == model.predict(NEW).tolist()
    assert scores.shape == ours.shape
    np.testing.assert_allclose(scores, ours, rtol=1e-9, atol=1e-9 * np.abs(ours).max())
    with pytest.raises(ParameterError, match=r"Only linear models can be written as JSON. This \w+ is not linear"):
        to_json(model)


def test_a_given_kernel_matrix_and_a_sparse_one() -> None:
    K = X @ X.T
    model = KernelPerceptron(kernel="precomputed", max_epochs=2).fit(K, THREE)
    assert run(model, NEW @ X.T)[0].tolist() == model.predict(NEW @ X.T).tolist()
    model = KernelPerceptron(max_epochs=2).fit(scipy.sparse.csr_array(X), THREE)
    assert run(model, NEW)[0].tolist() == model.predict(NEW).tolist()


def test_rows_far_from_zero_keep_their_digits_under_a_kernel() -> None:
    model = KernelPerceptron(max_epochs=2, gamma=0.5).fit(X + 1e6, TWO)
    np.testing.assert_allclose(run(model, NEW + 1e6)[1], model.decision_function(NEW + 1e6), atol=1e-6)


def test_other_things_that_cannot_be_exported_are_said() -> None:
    with pytest.raises(NotFittedError, match="This Perceptron is not fitted yet, so there is nothing to export"):
        to_json(Perceptron())
    with pytest.raises(ParameterError, match="consists of Scaling and then a linear classifier"):
        to_json(make_pipeline(StandardScaler(), Perceptron()).fit(X, THREE))
    with pytest.raises(ParameterError, match=r"as in make_pipeline\(StandardScaler\(\), Calibrated\("):
        to_onnx(Calibrated(make_pipeline(StandardScaler(), Perceptron())).fit(X, THREE))
    with pytest.raises(ParameterError, match=r"A OneVsAll of pipelines cannot be exported. Put Scaling before it"):
        to_json(OneVsAll(make_pipeline(Scaling(), NearestMean())).fit(X, THREE))
    with pytest.raises(ParameterError, match="whose kernel is a function cannot be exported"):
        to_onnx(KernelPerceptron(kernel=lambda A, B: A @ B.T, max_epochs=2).fit(X, TWO))
    with pytest.raises(ParameterError, match="A LogisticRegression cannot be exported; classifiers of this package"):
        to_onnx(LogisticRegression().fit(X, TWO))
    with pytest.raises(DataError, match="does not fit the int64 of ONNX"):
        to_onnx(NearestMean().fit(X, np.array([1, 2**63], dtype=np.uint64)[TWO]))


def test_without_onnx_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    model = NearestMean().fit(X, TWO)
    true_import = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "onnx":
            raise ImportError(name)
        return true_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'rosenblatt[onnx]'")):
        to_onnx(model)
