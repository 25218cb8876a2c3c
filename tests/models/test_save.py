"""Models in files: a loaded model equals the saved one to the last bit, and continues to learn like it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
import safetensors.numpy
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    DataError,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from rosenblatt.classifiers.perceptron import Plain
from rosenblatt.classifiers.pocket import Pocketed
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.data.scaling import Scaling
from rosenblatt.models.assemble import CLASSES
from rosenblatt.models.save import from_bytes, load, save, to_bytes

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

rng = np.random.default_rng(7)
X = np.round(rng.normal(size=(40, 3)), 3)
NEW = rng.normal(size=(50, 3))
TWO = (X @ [1.0, -2.0, 0.5] + 0.4 * rng.normal(size=40) > 0).astype(int)
THREE = np.argmax(X + 0.3 * rng.normal(size=X.shape), axis=1)
CODES = {"two": TWO, "three": THREE}
LABELS: dict[str, dict[str, Any]] = {
    "int": {"two": np.array([-1, 1]), "three": np.array([3, 5, 9], dtype=np.uint8)},
    "float": {"two": np.array([0.0, 2.0]), "three": np.array([-1.0, 0.0, 4.0], dtype=np.float32)},
    "bool": {"two": np.array([False, True])},
    "str": {"two": np.array(["no", "yés"]), "three": np.array(["a", "bb", "c"], dtype=object)},
}
ONLINE = [
    Perceptron(max_epochs=5),
    Perceptron(average="averaged", tie="positive", learning_rate=0.3, margin=0.2, max_epochs=5, held_out=0.2),
    Perceptron(average="voted", order="random", bias=2.0, tie="negative", max_epochs=3),
    PassiveAggressive(C=float("inf"), max_epochs=3),
    PassiveAggressive(C=0.5, variant="II", class_weight="balanced", max_epochs=3),
    Pocket(max_epochs=4),
]
MANY = [
    *ONLINE,
    BatchPerceptron(patience=5, tie="positive"),
    BatchPerceptron(learning_rate="1/t", max_epochs=4),
    NearestMean(),
    KernelPerceptron(max_epochs=5),
    KernelPerceptron(kernel="poly", degree=2, average="averaged", tie="positive", max_epochs=5),
    KernelPerceptron(kernel="linear", max_support=8, max_epochs=3),
    OneVsAll(Perceptron(max_epochs=3)),
    OneVsAll(Kozinec(C=1.0)),
    OneVsOne(Pocket(max_epochs=3)),
    OneVsOne(KernelPerceptron(max_epochs=3)),
    OneVsOne(Anderson()),
    Kessler(Perceptron(max_epochs=3)),
    Kessler(Kozinec(bias=0.0, C=1.0)),
    LeastRisk(Perceptron(average="averaged", max_epochs=3)),
    LeastRisk(OneVsAll(NearestMean())),
    Calibrated(Perceptron(average="averaged", max_epochs=3)),
    make_pipeline(Scaling("divide"), Calibrated(OneVsAll(NearestMean()))),
    make_pipeline(Scaling("divide"), Perceptron(max_epochs=5)),
    make_pipeline(Scaling("unit"), OneVsAll(Kozinec(C=1.0))),
    OneVsAll(make_pipeline(Scaling("divide"), LeastRisk(NearestMean()))),
]
BINARY = [
    Kozinec(C=1.0),
    Kozinec(bias=2.0, solver="mdm", C=10.0),
    Kozinec(epsilon=None, max_epochs=20),
    Anderson(),
    Anderson(n_components=2, covariance_type="diag", random_state=0),
    Pocket(order="cyclic", max_epochs=3),
]
PUBLIC = (
    "coef_", "intercept_", "n_iter_", "n_updates_", "mistakes_per_epoch_", "stop_reason_", "held_out_errors_per_epoch_",
    "n_errors_", "history_", "margin_bounds_", "support_", "dual_coef_", "support_vectors_", "slab_", "means_",
    "covariances_", "radius_bounds_", "worst_error_bounds_", "component_errors_", "component_labels_", "tight_",
    "dual_weights_", "hull_vector_", "hull_weights_",
    "offsets_", "risk_", "risk_before_", "pairs_", "hyperplane_", "n_features_in_", "feature_names_in_",
    "distribution_free_bound_", "certificate_",
)  # fmt: skip


def alike(a: Any, b: Any) -> bool:
    """Tell whether two values are equal to the last bit and have the same types."""
    if isinstance(a, np.ndarray):
        if a.dtype == object:
            return bool(b.dtype == object and a.tolist() == b.tolist())
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if scipy.sparse.issparse(a):
        parts = ((a.data, b.data), (a.indptr, b.indptr), (a.indices, b.indices))
        return type(a) is type(b) and a.shape == b.shape and all(np.array_equal(*pair) for pair in parts)
    if type(a).__name__ == "ErrorBounds":
        same = (a.lower, a.upper, a.witnesses, a.n, a.hyperplane) == (b.lower, b.upper, b.witnesses, b.n, b.hyperplane)
        return same and alike(a.errors, b.errors) and a.certificate.to_json() == b.certificate.to_json()
    return type(a) is type(b) and bool(a == b or a != a)


def told(model: Any) -> dict[str, Any]:
    """All public attributes of a fitted model."""
    found = {}
    for name in PUBLIC:
        try:
            found[name] = getattr(model, name)
        except (AttributeError, DataError):
            continue
    return found


def assert_same(one: Any, other: Any, new: Any = NEW) -> None:
    assert type(one) is type(other)
    assert repr(one) == repr(other)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert alike(one.decision_function(new), other.decision_function(new))
    assert one.predict(new).tolist() == other.predict(new).tolist()
    assert one.predict(new).dtype.kind == other.predict(new).dtype.kind
    ours, theirs = told(one), told(other)
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert alike(value, theirs[name]), name


def fitted(model: Any, X: Any, classes: str, kind: str) -> Any:
    return clone(model).fit(X, LABELS[kind][classes][CODES[classes]])


# ---------------------------------------------------------------------------------------------------------------------
# What is loaded is what was saved


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", CODES)
@pytest.mark.parametrize("model", MANY, ids=str)
def test_a_model_of_any_class_comes_back(model: Any, classes: str, storage: Any, tmp_path: Path) -> None:
    model = fitted(model, storage(X), classes, "int")
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert_same(model, again)
    assert_same(model, again, storage(NEW))
    assert to_bytes(again) == (tmp_path / "model.safetensors").read_bytes()


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_matrix, np.float32], ids=["dense", "sparse", "32"])
@pytest.mark.parametrize("model", BINARY, ids=str)
def test_a_model_of_two_classes_comes_back(model: Any, storage: Any) -> None:
    model = fitted(model, storage(X), "two", "str")
    again = from_bytes(to_bytes(model))
    assert_same(model, again, storage(NEW))
    assert to_bytes(again) == to_bytes(model)


def test_a_certificate_that_comes_back_verifies() -> None:
    anderson = from_bytes(to_bytes(Anderson().fit(X, TWO)))
    labels = anderson.component_labels_
    assert anderson.certificate_.verify_gaussians(anderson.means_, anderson.covariances_, labels)
    assert anderson.contact_points().shape == (2, 3)
    perceptron = from_bytes(to_bytes(Perceptron(margin=0.5, max_epochs=9).fit(X, TWO)))
    assert perceptron.certificate(X, TWO).verify(X, TWO)


def test_gaussians_that_overlap_come_back_with_their_exact_proof() -> None:
    model = Anderson().fit_gaussians([[0.0], [1.0], [0.7]], [[[1.0]]] * 3, [0, 0, 1])
    again = from_bytes(to_bytes(model))
    assert (again.stop_reason_, again.radius_bounds_[1]) == ("proved_overlap", 0.0)
    assert alike(again.dual_weights_, model.dual_weights_)
    assert again.certificate_.to_json() == model.certificate_.to_json()


@pytest.mark.parametrize("how", ["standardize", "center", "divide", "unit"])
def test_a_pipeline_of_every_scaling_comes_back(how: Any) -> None:
    table = pyarrow.table(dict(zip("abc", 1000 * X.T + 5, strict=True)))
    model = Pipeline([("one scale", Scaling(how)), ("plane", Perceptron(max_epochs=4))]).fit(table, THREE)
    again = from_bytes(to_bytes(model))
    assert list(again.named_steps) == ["one scale", "plane"]
    for step, other in zip(model, again, strict=True):
        assert step.get_params() == other.get_params()
        assert list(other.feature_names_in_) == ["a", "b", "c"]
    assert alike(*(np.asarray(each[0].transform(table)) for each in (again, model)))
    assert alike(model.decision_function(table), again.decision_function(table))
    assert to_bytes(again) == to_bytes(model)


@pytest.mark.parametrize("classes", CODES)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_in_their_kind(kind: str, classes: str) -> None:
    for model in (Perceptron(max_epochs=3), NearestMean(), OneVsOne(Perceptron(max_epochs=3))):
        made = fitted(model, X, "two" if kind == "bool" else classes, kind)
        again = from_bytes(to_bytes(made))
        assert alike(made.classes_, again.classes_)
        assert alike(made.predict(NEW), again.predict(NEW))
        assert to_bytes(again) == to_bytes(made)


def test_names_of_columns_come_back_and_are_asked_for() -> None:
    table = pyarrow.table({"größe": X[:, 0], "": X[:, 1], "😀": X[:, 2]})
    for model in (Perceptron(max_epochs=3), KernelPerceptron(max_epochs=3), LeastRisk(NearestMean())):
        again = from_bytes(to_bytes(clone(model).fit(table, TWO)))
        assert again.feature_names_in_.tolist() == ["größe", "", "😀"]
        with pytest.raises(DataError, match="feature names"):
            again.predict(table.rename_columns(["a", "b", "c"]))


def test_a_precomputed_kernel_comes_back() -> None:
    model = KernelPerceptron(kernel="precomputed", max_epochs=5).fit(X @ X.T, THREE)
    assert_same(model, from_bytes(to_bytes(model)), NEW @ X.T)


@pytest.mark.parametrize(
    "parameters",
    [
        {"init": np.arange(4.0)},
        {"init": [1, 2.5, np.float32(3), 0]},
        {"init": np.array([1, 2, 3, 4], dtype=np.int16)},
        {"class_weight": {0: 2.0, 1: np.float64(0.5)}},
        {
            "random_state": np.uint8(7),
            "learning_rate": np.float32(0.1),
            "warm_start": np.True_,
            "max_epochs": np.int64(3),
        },
    ],
    ids=str,
)
def test_parameters_come_back(parameters: dict[str, Any]) -> None:
    model = Perceptron(**({"max_epochs": 3} | parameters)).fit(X, TWO)
    again = from_bytes(to_bytes(model))
    for name, value in model.get_params().items():
        assert np.array_equal(getattr(again, name), value), name
    assert to_bytes(again) == to_bytes(model)
    assert alike(clone(again).fit(X, TWO).coef_, clone(model).fit(X, TWO).coef_)


def test_penalties_and_labels_come_back() -> None:
    words = LABELS["str"]["three"][THREE]
    for penalty, labels in (
        (np.arange(9.0).reshape(3, 3), ("c", "a", "bb")),
        ([[0, 1, 2]] * 3, np.array(["c", "a", "bb"])),
        (None, np.array(["c", "a", "bb"], dtype=object)),
    ):
        model = LeastRisk(NearestMean(), penalty, labels).fit(X, words)
        again = from_bytes(to_bytes(model))
        assert_same(model, again)
        assert type(again.labels) is type(labels)
        assert alike(clone(again).fit(X, words).offsets_, model.offsets_)


def test_an_encoding_comes_back() -> None:
    encoding: dict[str, Any] = {"colour": {"red": 0, "blue": 1}, "digest": "0" * 64, "x": [1.5, None, True, "é", {}]}
    for model in (Perceptron().fit(X, X[:, 0] > 0), make_pipeline(Scaling(), Perceptron()).fit(X, X[:, 0] > 0)):
        model.encoding_ = encoding
        again = from_bytes(to_bytes(model))
        assert again.encoding_ == encoding
        assert to_bytes(again) == to_bytes(model)
    assert getattr(from_bytes(to_bytes(NearestMean().fit(X, TWO))), "encoding_", None) is None


# ---------------------------------------------------------------------------------------------------------------------
# Going on


def row_by_row(model: Any) -> Any:
    """The model with parameters that `partial_fit` and `learn_one` can follow."""
    return model.set_params(order="cyclic", **({"held_out": None} if "held_out" in model.get_params() else {}))


@pytest.mark.parametrize("classes", CODES)
@pytest.mark.parametrize("model", ONLINE, ids=str)
def test_a_loaded_model_learns_on_as_if_it_had_never_been_saved(model: Any, classes: str) -> None:
    model = clone(model).fit(X, CODES[classes])
    again, alone = from_bytes(to_bytes(model)), to_bytes(model)
    new, labels = rng.normal(size=(60, 3)), rng.permutation(np.resize(CODES[classes], 60))
    for each in (model, again):
        row_by_row(each).partial_fit(new[:30], labels[:30])
        for x, y in zip(new[30:], labels[30:], strict=True):
            each.learn_one(x, y)
    assert_same(model, again)
    assert to_bytes(model) == to_bytes(again) != alone
    for each in (model, again):
        each.set_params(warm_start=True).fit(X, CODES[classes])
    assert_same(model, again)


@pytest.mark.parametrize("model", ONLINE, ids=str)
def test_a_stream_saved_after_every_row_is_the_stream(model: Any) -> None:
    one = row_by_row(clone(model).set_params(class_weight=None))
    for x, y in zip(X[:20], THREE[:20], strict=True):
        one.learn_one(x, y, classes=[0, 1, 2])
    other = row_by_row(clone(model).set_params(class_weight=None))
    for x, y in zip(X[:20], THREE[:20], strict=True):
        other = from_bytes(to_bytes(other.learn_one(x, y, classes=[0, 1, 2])))
    assert to_bytes(one) == to_bytes(other)


@pytest.mark.parametrize("classes", CODES)
@pytest.mark.parametrize("model", ONLINE, ids=str)
def test_a_learner_goes_on_from_its_state(model: Any, classes: str) -> None:
    learner = clone(model).fit(X, CODES[classes])._learner
    arrays, facts = state_of(learner)
    again = learner_of(kind_of(learner), arrays, json.loads(json.dumps(facts)))
    assert type(again) is type(learner)
    assert alike(again.answer, learner.answer)
    assert all(not np.shares_memory(array, learner.w) for array in arrays.values())


class Unsaved(Plain):
    """A learner whose state is not declared."""


def test_a_state_that_is_none_is_refused() -> None:
    arrays, facts = state_of(Perceptron(max_epochs=3).fit(X, THREE)._learner)
    for kind in ("Perceptron", "Learner", None, ["Plain"]):
        with pytest.raises(DataError, match="Nothing is known of a learner"):
            learner_of(kind, arrays, facts)
    with pytest.raises(DataError, match="'rate' of shape"):
        learner_of("Plain", arrays | {"rate": np.ones(2)}, facts)
    with pytest.raises(DataError, match="does not fit"):
        learner_of("Plain", arrays, facts, {"k": 4, "d+1": 4})
    with pytest.raises(DataError, match="cannot be saved"):
        state_of(Unsaved(np.zeros(3), np.ones(2), 0.0, 0.0))
    pocket = Pocketed(np.zeros(3), np.ones(2), 0.0)
    pocket.begin(np.arange(2), None)
    with pytest.raises(DataError, match="in the middle of a fit"):
        state_of(pocket)


# ---------------------------------------------------------------------------------------------------------------------
# The file


def test_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Another process with another hash seed writes the same file."""
    models = [clone(model).fit(X, THREE) for model in MANY[::3]]
    for i, model in enumerate(models):
        save(model, tmp_path / f"{i}.first")
    code = (
        "import sys; from pathlib import Path; from rosenblatt.models.save import load, save\n"
        "for path in Path(sys.argv[1]).glob('*.first'): save(load(path), path.with_suffix('.second'))"
    )
    environment = os.environ | {"PYTHONHASHSEED": "123"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    for i in range(len(models)):
        assert (tmp_path / f"{i}.first").read_bytes() == (tmp_path / f"{i}.second").read_bytes()


def test_others_can_read_the_arrays_and_the_metadata(tmp_path: Path) -> None:
    model = Perceptron(max_epochs=3).fit(X, LABELS["str"]["three"][THREE])
    save(model, tmp_path / "model.safetensors")
    arrays = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    assert alike(arrays["_learner.w"], model._learner.w)
    with safetensors.safe_open(tmp_path / "model.safetensors", "np") as file:
        body = json.loads(file.metadata()["rosenblatt"])
    assert (body["format"], body["version"], body["algorithm"]) == ("rosenblatt model", 1, "Perceptron")
    assert body["classes"] == {"kind": "str", "dtype": "object", "labels": ["a", "bb", "c"]}
    assert body["columns"] == {"count": 3, "names": None}
    assert body["parameters"]["max_epochs"] == 3
    assert body["encoding"] is None


def test_saving_imports_no_estimator_before_one_is_needed() -> None:
    code = "import rosenblatt.models.save, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "numba", "sklearn", "scipy", "safetensors", "onnx"} & set(loaded)


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save(Perceptron(max_epochs=3).fit(X, TWO), path)
    before = path.read_bytes()
    broken = Perceptron(max_epochs=3).fit(X, TWO)
    broken._learner.w[0] = np.nan
    with pytest.raises(DataError, match="has numbers in 'w' that are not allowed"):
        save(broken, path)
    with pytest.raises(DataError, match="it cannot be written"):
        save(Perceptron(max_epochs=3).fit(X, TWO), tmp_path / "nowhere" / "model")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.safetensors"]


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        load(tmp_path / "model")
    with pytest.raises(DataError, match="it is not a file"):
        load(tmp_path)
    with pytest.raises(DataError, match="it is not a file"):
        load("/dev/zero")


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be saved


def test_the_classes_that_declare_what_a_file_keeps_are_those_that_can_be_saved() -> None:
    declared = [name for name in rosenblatt.__all__ if hasattr(getattr(rosenblatt, name), "_saved")]
    assert sorted(CLASSES) == sorted(declared)


class Own(Perceptron):
    """A subclass, which cannot be saved."""


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (Perceptron(), NotFittedError, "This Perceptron is not fitted yet, so there is nothing to save; call fit"),
        (OneVsAll(Perceptron()), NotFittedError, "This OneVsAll is not fitted yet"),
        (make_pipeline(Scaling(), Perceptron()), NotFittedError, "This Scaling is not fitted yet"),
        (LogisticRegression(), ParameterError, "A LogisticRegression cannot be saved. These can: Perceptron, "),
        (Own(), ParameterError, "A Own cannot be saved"),
        (make_pipeline(StandardScaler(), Perceptron()), NotFittedError, "This Perceptron is not fitted yet"),
        (make_pipeline(Scaling(), memory="/tmp/none"), ParameterError, "if it ends in a classifier of this pack"),  # noqa: S108
        (3, ParameterError, "A int cannot be saved"),
    ],
    ids=str,
)
def test_what_cannot_be_saved_is_said(model: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        to_bytes(model)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelPerceptron(kernel=lambda X, Z: X @ Z.T), r"KernelPerceptron\(kernel=...\) is a function, and a file"),
        (
            BatchPerceptron(learning_rate=lambda t: 1 / t, patience=3),
            r"BatchPerceptron\(learning_rate=...\) is a function",
        ),
        (BatchPerceptron(stop=lambda *_: True), r"BatchPerceptron\(stop=...\) is a function"),
        (Perceptron(random_state=np.random.RandomState(0), max_epochs=2), r"random_state=...\) is a RandomState"),
        (OneVsAll(LogisticRegression()), "A LogisticRegression cannot be saved"),
        (OneVsAll(BatchPerceptron(stop=lambda *_: True)), r"BatchPerceptron\(stop=...\) is a function"),
    ],
)
def test_what_cannot_be_saved_of_a_fitted_model_is_said(model: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        to_bytes(model.fit(X, TWO))


def test_a_kernel_that_was_a_function_in_training_cannot_be_saved() -> None:
    model = KernelPerceptron(kernel=lambda X, Z: X @ Z.T, max_epochs=3).fit(X, TWO).set_params(kernel="linear")
    with pytest.raises(ParameterError, match="A kernel that is a function cannot be saved"):
        to_bytes(model)


def test_labels_and_encodings_that_json_does_not_know_are_refused() -> None:
    model = Perceptron(max_epochs=2).fit(X, TWO)
    model.classes_ = np.array([b"no", b"yes"])
    with pytest.raises(DataError, match="Class labels can be saved if they are integers, floats, booleans or strings"):
        to_bytes(model)
    model = Perceptron(max_epochs=2).fit(X, TWO)
    bad: list[Any] = [[1], {"a": np.zeros(2)}, {"a": float("nan")}]
    for encoding in bad:
        model.encoding_ = encoding
        with pytest.raises(DataError, match="encoding_ must be a dict that can be written as JSON"):
            to_bytes(model)
