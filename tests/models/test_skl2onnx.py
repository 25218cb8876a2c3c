"""Pipelines of scikit-learn's steps and ours as ONNX graphs, through skl2onnx: the labels are those of `predict`."""

import builtins
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
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
    Scaling,
    register_with_skl2onnx,
    to_onnx,
)
from rosenblatt.models.skl2onnx_converters import CLASSIFIERS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(3)
X, NEW = rng.normal(size=(60, 4)) * [1, 10, 0.1, 1], rng.normal(size=(300, 4)) * [1, 10, 0.1, 1]
TWO = (X @ [1.0, -0.2, 5.0, 0.5] > 0).astype(int)
THREE = np.argmax(X * [1, 0.1, 10, 1], axis=1) % 3
WORDS = np.array(["left", "middle", "right"])[THREE]
MODELS: list[tuple[Any, Any]] = [
    (Perceptron(max_epochs=5), TWO),
    (Perceptron(max_epochs=5, average="averaged", tie="positive"), WORDS),
    (Perceptron(max_epochs=2, average="voted"), THREE),
    (PassiveAggressive(max_epochs=5), TWO == 1),
    (Pocket(max_epochs=5), THREE),
    (BatchPerceptron(patience=5), TWO.astype(float)),
    (NearestMean(), WORDS),
    (Kozinec(C=1.0), TWO),
    (Anderson(), TWO),
    (KernelPerceptron(max_epochs=3), THREE),
    (OneVsAll(Kozinec(C=1.0)), THREE),
    (OneVsOne(Kozinec(C=1.0)), WORDS),
    (Kessler(Kozinec(bias=1.0, C=1.0)), THREE),
    (LeastRisk(NearestMean()), THREE),
    (Calibrated(Perceptron(max_epochs=5), held_out=0.3), TWO),
    (Calibrated(OneVsOne(Kozinec(C=1.0)), held_out=0.3), THREE),
]


def run(graph: Any, inputs: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    assert [output.name for output in session.get_outputs()] == ["label", "scores"]
    answers: list[Any] = session.run(None, inputs)
    return answers


@pytest.mark.parametrize(("model", "labels"), MODELS, ids=lambda part: type(part).__name__)
def test_labels_and_scores_are_those_of_the_pipeline(model: Any, labels: Any) -> None:
    register_with_skl2onnx()
    pipeline = make_pipeline(StandardScaler(), PCA(3), Scaling("divide"), clone(model)).fit(X, labels)
    expected, scores = pipeline.predict(NEW), pipeline.decision_function(NEW)
    for graph in (skl2onnx.to_onnx(pipeline, X[:1]), to_onnx(pipeline)):
        found = run(graph, {"X": NEW})
        assert found[0].tolist() == expected.tolist()
        np.testing.assert_allclose(found[1], scores, rtol=1e-9, atol=1e-9 * np.abs(scores).max())


@pytest.mark.parametrize(
    "step",
    [
        MinMaxScaler(),
        SelectKBest(k=2),
        make_pipeline(StandardScaler(), PCA(2)),
        FeatureUnion([("a", StandardScaler()), ("b", PCA(1))]),
        make_column_transformer((StandardScaler(), [0, 1]), remainder=MinMaxScaler()),
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_of_scikit_learn(step: Any) -> None:
    pipeline = make_pipeline(step, Perceptron(max_epochs=5)).fit(X, THREE)
    assert run(to_onnx(pipeline), {"X": NEW})[0].tolist() == pipeline.predict(NEW).tolist()


def test_every_classifier_is_registered() -> None:
    public = [name for name in rosenblatt.__all__ if hasattr(getattr(rosenblatt, name), "_saved")]
    assert sorted([*CLASSIFIERS, "Scaling"]) == sorted(public)
    assert {type(model).__name__ for model, _ in MODELS} == set(CLASSIFIERS)


def test_float32_rows_and_a_classifier_alone() -> None:
    register_with_skl2onnx()
    small = NEW.astype(np.float32)
    model = Perceptron(max_epochs=5).fit(X, THREE)
    found = run(skl2onnx.to_onnx(model, X[:1].astype(np.float32)), {"X": small})
    assert found[0].tolist() == model.predict(small).tolist()
    assert found[1].dtype == np.float64


def test_a_table_with_words_and_missing_cells() -> None:
    """onnxruntime fills missing cells in float32 only, and so the rows are given in that type."""
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.array(["u", "v", "w"])[np.arange(60) % 3]})
    table = table.astype({"a": np.float32, "b": np.float32})
    table.loc[3, "a"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer((numbers, ["a", "b"]), (OneHotEncoder(), ["c"]))
    pipeline = make_pipeline(columns, Perceptron(max_epochs=5)).fit(table, THREE)
    inputs = {name: table[[name]].to_numpy(object if name == "c" else np.float32) for name in table}
    assert run(to_onnx(pipeline, table), inputs)[0].tolist() == pipeline.predict(table).tolist()
    with pytest.raises(ParameterError, match=r"Its columns have names: give some rows, as in to_onnx\(model, X\)"):
        to_onnx(pipeline)


def test_texts() -> None:
    texts = ["a quick fox", "the lazy dog", "fox and dog", "the end"] * 5
    pipeline = make_pipeline(TfidfVectorizer(lowercase=False), Perceptron()).fit(texts, np.arange(20) % 4)
    with pytest.raises(ParameterError, match="starts with TfidfVectorizer, whose input is no table of numbers; give"):
        to_onnx(pipeline)
    found = run(to_onnx(pipeline, texts), {"X": np.array(texts)[:, np.newaxis]})
    assert found[0].tolist() == pipeline.predict(texts).tolist()


def test_what_cannot_be_converted_is_said() -> None:
    pipeline = make_pipeline(FunctionTransformer(np.log1p), Perceptron()).fit(np.abs(X), THREE)
    with pytest.raises(ParameterError, match="skl2onnx cannot convert this pipeline: FunctionTransformer is not supp"):
        to_onnx(pipeline)
    pipeline = make_pipeline(PolynomialFeatures(2), Perceptron(max_epochs=5)).fit(X, THREE)
    with pytest.raises(ParameterError, match=r"some of its steps exist in float32 only. Give .*X.astype\('float32'\)"):
        to_onnx(pipeline)
    small = NEW.astype(np.float32)
    assert run(to_onnx(pipeline, small), {"X": small})[0].tolist() == pipeline.predict(small).tolist()


def test_without_skl2onnx_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    true_import = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "skl2onnx":
            raise ImportError(name)
        return true_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'rosenblatt\[onnx\]'"):
        register_with_skl2onnx()
    to_onnx(make_pipeline(Scaling(), NearestMean()).fit(X, TWO))  # needs onnx alone
