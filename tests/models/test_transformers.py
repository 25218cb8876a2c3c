"""Saved pipelines of scikit-learn's transformers and our classifiers: they come back whole, and no file runs code."""

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold, chi2
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from rosenblatt import DataError, NearestMean, OneVsAll, ParameterError, Perceptron, Scaling
from rosenblatt.models.save import from_bytes, to_bytes
from rosenblatt.models.transformers import CLASSES
from tests.models.test_tampered import forged
from tests.models.test_tampered import opened_file as opened

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(0)
X, Y = np.abs(rng.normal(size=(40, 3))), np.arange(40) % 3
SPARSE = scipy.sparse.csr_array(X)
GAPS = np.where(X > 1.5, np.nan, X)
TEXTS = ["the quick fox", "a lazy dog ran", "fox and dog", "the end of the dog"] * 10
RECORDS = [{"a": 1.0, "b": "x"}, {"a": 2.0, "c": "y"}, {"b": "z"}, {"c": "x", "a": 4.0}] * 10
COUNTS = [{"a": 1, "b": 2}, {"c": 1}] * 20
FRAME = pd.DataFrame(
    {"a": X[:, 0], "b": GAPS[:, 1], "c": np.array(["u", "v", "w", None], dtype=object)[np.arange(40) % 4], "t": TEXTS}
)
MIXED = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
        ("words", OneHotEncoder(handle_unknown="ignore"), ["c"]),
        ("texts", TfidfVectorizer(), "t"),
    ]
)
STEPS: list[tuple[Any, Any]] = [
    (StandardScaler(), X),
    (StandardScaler(with_mean=False), SPARSE),
    (MinMaxScaler(), X),
    (MaxAbsScaler(), SPARSE),
    (RobustScaler(), X),
    (Normalizer(), SPARSE),
    (SimpleImputer(strategy="median", add_indicator=True), GAPS),
    (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), FRAME[["c"]].fillna("u")),
    (KNNImputer(), GAPS),
    (OneHotEncoder(), FRAME[["c"]]),
    (OneHotEncoder(min_frequency=11, sparse_output=False, dtype=np.float32), FRAME[["c"]]),
    (OrdinalEncoder(encoded_missing_value=-1, dtype=int), FRAME[["c"]]),
    (TargetEncoder(), FRAME[["c"]]),
    (PolynomialFeatures(2), X),
    (PCA(2), X),
    (TruncatedSVD(2), SPARSE),
    (CountVectorizer(), TEXTS),
    (TfidfVectorizer(stop_words="english", ngram_range=(1, 2)), TEXTS),
    (HashingVectorizer(n_features=64), TEXTS),
    (TfidfTransformer(), SPARSE),
    (SelectKBest(k=2), X),
    (SelectPercentile(chi2), X),
    (VarianceThreshold(), X),
    (KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), X),
    (QuantileTransformer(n_quantiles=10), X),
    (PowerTransformer(), X),
    (Binarizer(), X),
    (FunctionTransformer(), X),
    (Nystroem(n_components=5, random_state=0), X),
    (RBFSampler(n_components=5, random_state=0), X),
    (DictVectorizer(), RECORDS),
    (FeatureHasher(8), COUNTS),
    (FeatureUnion([("a", StandardScaler()), ("b", PCA(1))]), X),
    (make_column_transformer((StandardScaler(), [0, 1]), remainder="passthrough"), X),
    (make_column_transformer((StandardScaler(), slice(0, 2)), remainder=MinMaxScaler()), X),
    (MIXED, FRAME),
    (StandardScaler().set_output(transform="pandas"), FRAME[["a"]]),
    ("passthrough", X),
    (None, X),
]


def refused(raw: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_bytes(raw)


@pytest.mark.parametrize(("step", "rows"), STEPS, ids=lambda part: type(part).__name__)
def test_a_pipeline_comes_back_whole(step: Any, rows: Any) -> None:
    model = Pipeline([("first", step), ("last", NearestMean())]).fit(rows, Y)
    raw = to_bytes(model)
    loaded = from_bytes(raw)
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    assert loaded.decision_function(rows).tobytes() == model.decision_function(rows).tobytes()
    assert to_bytes(loaded) == raw
    assert repr(loaded) == repr(model)


def test_every_listed_class_is_tried() -> None:
    tried = {type(step).__name__ for step, _ in STEPS} | {"Pipeline", "MissingIndicator"}  # these two inside others
    assert CLASSES.keys() <= tried


def test_pipelines_inside_wrappers_and_steps_of_both_kinds() -> None:
    inner = make_pipeline(StandardScaler(), PCA(2), Perceptron(max_epochs=3))
    for model in (OneVsAll(inner), make_pipeline(Scaling(), PCA(2), Perceptron(max_epochs=3))):
        model.fit(X, Y)
        loaded = from_bytes(to_bytes(model))
        assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()


def test_learning_goes_on() -> None:
    model = make_pipeline(StandardScaler(), Perceptron(max_epochs=3)).fit(X, Y)
    loaded = from_bytes(to_bytes(model))
    for each in (model, loaded):
        each[-1].partial_fit(each[:-1].transform(X), Y)
    assert loaded[-1].coef_.tobytes() == model[-1].coef_.tobytes()


class Own(TransformerMixin, BaseEstimator):
    def fit(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002
        self.fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        return X


@pytest.mark.parametrize(
    ("step", "rows", "message"),
    [
        (FunctionTransformer(np.log1p), X, "FunctionTransformer has the function log1p, and a file holds no code. App"),
        (
            make_column_transformer((StandardScaler(), make_column_selector()), remainder="drop"),
            pd.DataFrame(X),
            "ColumnTransformer has the function make_column_selector, and a file holds no code. Name the columns in a",
        ),
        (CountVectorizer(tokenizer=str.split, token_pattern=None), TEXTS, "CountVectorizer has the function split"),
        (SelectKBest(lambda X, _: X.sum(axis=0), k=2), X, "SelectKBest has the function <lambda>"),
        (PCA(2, random_state=np.random.RandomState(0)), X, "PCA has a RandomState, which cannot be saved"),
        (
            SplineTransformer(),
            X,
            "A SplineTransformer cannot be saved. These transformers can: Scaling, and scikit-lea",
        ),
        (Own(), X, "A Own cannot be saved"),
        (make_column_transformer((Own(), [0])), X, "A Own cannot be saved"),
        (
            make_column_transformer((Scaling(), [0])),
            X,
            "A Scaling inside a transformer of scikit-learn cannot be saved",
        ),
    ],
)
def test_what_cannot_be_saved_is_said(step: Any, rows: Any, message: str) -> None:
    model = make_pipeline(step, NearestMean()).fit(rows, Y)
    with pytest.raises(ParameterError, match=message):
        to_bytes(model)


def test_a_pipeline_that_ends_in_another_classifier_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"A LogisticRegression cannot be saved. These can: Perceptron"):
        to_bytes(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y))
    with pytest.raises(ParameterError, match=r"it ends in a classifier of this package; this one ends in PCA\(\)"):
        to_bytes(make_pipeline(StandardScaler(), PCA()).fit(X))


# ---------------------------------------------------------------------------------------------------------------------
# Files that were changed


def step_of(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["members"][0]
    return found


def attributes(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = step_of(body)["transformer"]["attributes"]
    return found


CHANGES: list[tuple[Any, str]] = [
    (lambda body: step_of(body)["transformer"].update({"class": "LogisticRegression"}), "impossible value"),
    (lambda body: step_of(body)["transformer"].update({"class": "os.system"}), "impossible value"),
    (lambda body: step_of(body).update(transformer={"function": "chi2"}), "must be a transformer of scikit-learn"),
    (lambda body: step_of(body).update(transformer={"function": "system"}), "impossible value"),
    (lambda body: step_of(body).update(transformer=5), "must be a transformer of scikit-learn"),
    (lambda body: step_of(body).update(transformer="rm"), "must be a transformer of scikit-learn"),
    (lambda body: step_of(body).update(more=1), "unknown entry 'more'"),
    (lambda body: step_of(body).pop("sklearn"), "lacks 'sklearn'"),
    (lambda body: attributes(body).update(__class__=1), "impossible attribute '__class__'"),
    (lambda body: attributes(body).update(transform=1), "impossible attribute 'transform'"),
    (lambda body: attributes(body).update({"a b": 1}), "impossible attribute 'a b'"),
    (lambda body: attributes(body).pop("copy"), "StandardScaler without the parameter 'copy'"),
    (lambda body: attributes(body).update(copy="yes"), "with a wrong parameter: The 'copy' parameter"),
    (lambda body: attributes(body).update(mean_={"array": "99", "order": "C"}), "lacks the array '99'"),
    (lambda body: attributes(body).update(mean_={"eval": "1"}), "impossible value"),
    (lambda body: attributes(body).update(more=attributes(body)["mean_"]), "lacks the array"),
    (lambda body: attributes(body).update(more={"scalar": 3.5, "dtype": "int64"}), "not a number of type int64"),
    (lambda body: attributes(body).update(more={"type": "code"}), "impossible value"),
    (lambda body: attributes(body).update(more={"dtype": "V8"}), "impossible value"),
    (lambda body: attributes(body).update(more={"objects": [1, 2], "shape": [3]}), "of the impossible shape"),
    (lambda body: attributes(body).update(more={"strings": ["a"], "dtype": "<U999999", "shape": [-1]}), "impossible"),
    (lambda body: attributes(body).update(more={"dict": [[[1], 2]]}), "contents that no model has"),
    (lambda body: attributes(body).update(more=deep(40)), "values inside values, more than 30 deep"),
    (
        lambda body: [attributes(body).pop(n) for n in ("mean_", "var_", "scale_", "n_samples_seen_")],
        "is not fitted|has",
    ),
    (lambda body: body["members"].reverse(), "members.0 lacks the array"),
]


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_changed_files_are_refused(change: Any, message: str) -> None:
    body, arrays = opened(to_bytes(make_pipeline(StandardScaler(), NearestMean()).fit(X, Y)))
    changed = copy.deepcopy(body)
    change(changed)
    refused(forged(changed, arrays), message)
    assert from_bytes(forged(body, arrays)).predict(X).shape == (40,)


def test_another_version_of_scikit_learn_is_said() -> None:
    body, arrays = opened(to_bytes(make_pipeline(StandardScaler(), NearestMean()).fit(X, Y)))
    step_of(body)["sklearn"] = "0.24.1"
    said = (
        f"transformers of scikit-learn 0.24.1, and scikit-learn {sklearn.__version__} is installed, which may compute"
    )
    refused(forged(body, arrays), said)
    step_of(body)["sklearn"] = ".".join([*sklearn.__version__.split(".")[:2], "99"])
    assert from_bytes(forged(body, arrays)).predict(X).shape == (40,)


@pytest.mark.parametrize("place", ["indices", "indptr", "shape"])
def test_a_broken_sparse_matrix_is_refused(place: str) -> None:
    """No transformer keeps one today; a file may hold one all the same."""
    model = make_pipeline(StandardScaler(), NearestMean()).fit(X, Y)
    model[0].more_ = scipy.sparse.csr_matrix(X)
    body, arrays = opened(to_bytes(model))
    assert (from_bytes(forged(body, arrays))[0].more_ != model[0].more_).nnz == 0
    kept = attributes(body)["more_"]
    if place == "shape":
        kept["shape"] = [2, 2]
    else:
        key = "members.0." + kept[place]["array"]
        arrays[key] = arrays[key] + 1000
    refused(forged(body, arrays), "contents that no model has")
