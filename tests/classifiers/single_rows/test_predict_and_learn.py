"""`predict_and_learn` is a loop of `predict_one` and `learn_one`, to the last bit; an error changes nothing."""

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import DataError, PassiveAggressive, Perceptron, Pocket
from rosenblatt.models.save import to_bytes
from tests.support.effort import examples

MODELS: dict[str, Any] = {
    "perceptron": lambda: Perceptron(order="cyclic"),
    "averaged": lambda: Perceptron(order="cyclic", average="averaged"),
    "tie": lambda: Perceptron(order="cyclic", tie="positive", class_weight={"a": 2.0}),
    "pa": lambda: PassiveAggressive(order="cyclic"),
    "pocket": lambda: Pocket(order="cyclic"),
}
NAMES = ["red", "green", "blue", "size", "weight"]
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, -0.1])


@st.composite
def streams(draw: Any) -> tuple[list[dict[str, float]], list[str], list[float]]:
    n = draw(st.integers(1, 25))
    rows = [draw(st.dictionaries(st.sampled_from(NAMES), NUMBERS, max_size=4)) for _ in range(n)]
    labels = [draw(st.sampled_from("abc")) for _ in range(n)]
    return rows, labels, [draw(st.sampled_from([1.0, 1.0, 0.5, 0.0])) for _ in range(n)]


def looped(model: Any, rows: Any, labels: Any, weights: Any, **options: Any) -> list[Any]:
    """The predictions and the learning, one row at a time."""
    predicted = []
    for x, y, weight in zip(rows, labels, weights, strict=True):
        predicted.append(model.predict_one(x) if hasattr(model, "classes_") else None)
        first = options if not hasattr(model, "classes_") else {"new_classes": options.get("new_classes", False)}
        model.learn_one(x, y, sample_weight=weight, **first)
    return predicted


def bits(model: Any) -> Any:
    """Everything that a model has learned."""
    if len(model.classes_) > 1 and model.n_features_in_:
        return to_bytes(model)
    names = getattr(model, "feature_names_in_", np.empty(0)).tolist()
    return model.classes_.tolist(), names, model._learner.w.tobytes(), model.n_updates_, model._mistakes


@pytest.mark.parametrize("hash_bits", [None, 2])
@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=examples(1.0), deadline=None)
@given(streams(), st.integers(1, 25))
def test_batches_of_dicts_are_a_loop(kind: str, hash_bits: Any, stream: Any, size: int) -> None:
    rows, labels, weights = stream
    one, many, predicted = MODELS[kind](), MODELS[kind](), []
    # A first row of weight 0 makes a model of its class, as in `learn_one`.
    expected = looped(one, rows, labels, weights, new_classes=True, hash_bits=hash_bits)
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        first = {} if start else {"hash_bits": hash_bits}
        predicted += many.predict_and_learn(
            rows[part], labels[part], sample_weight=weights[part], new_classes=True, **first
        )
    assert predicted == expected
    assert bits(many) == bits(one)


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array, np.float32])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", MODELS)
def test_batches_of_numbers_are_a_loop(kind: str, k: int, storage: Any) -> None:
    rng = np.random.default_rng(k)
    X = rng.choice([0.0, 0.5, -1.0, 2.0], size=(60, 4))
    y = [("a", "b", "c")[c] for c in rng.integers(k, size=60)]
    classes, table = list("abc"[:k]), storage(X)
    one, many = MODELS[kind](), MODELS[kind]()
    expected = []
    for i in range(60):
        row = table[i : i + 1] if scipy.sparse.issparse(table) else table[i]
        fitted = hasattr(one, "classes_")
        expected.append(one.predict_one(row) if fitted else None)
        one.learn_one(row, y[i], **({} if fitted else {"classes": classes}))
    predicted = many.predict_and_learn(table[:7], y[:7], classes)
    predicted += many.predict_and_learn(table[7:], y[7:])
    assert predicted[1:] == expected[1:]
    assert many.coef_.tobytes() == one.coef_.tobytes()
    assert many.n_updates_ == one.n_updates_


@pytest.mark.parametrize(
    ("rows", "labels", "said"),
    [
        ([{"red": 1.0}, {"red": "x", "red=x": 2.0}], ["a", "b"], "Two entries"),
        ([{"red": 1.0}, {"new": float("nan")}], ["a", "b"], "missing"),
        ([{"new": 1.0}, {"red": 1.0}], ["a", "z"], "not one of the known classes"),
        ([{"new": 1.0}], ["a", "b"], "X has 1 row"),
        ([{"new": 1.0}, [1.0]], ["a", "b"], "must all be dicts"),
        ([{"new": 1.0}, {"red": 1.0}], ["a", ["b"]], "not one of the known classes"),
    ],
)
def test_after_an_error_nothing_was_learned(rows: Any, labels: Any, said: str) -> None:
    model = Perceptron().learn_one({"red": 1.0}, "a", classes=["a", "b"])
    before = bits(copy.deepcopy(model))
    with pytest.raises(DataError, match=said):
        model.predict_and_learn(rows, labels)
    assert bits(model) == before
    assert model.learn_one({"red": 1.0}, "b").n_updates_ >= 1


def test_a_failed_first_call_leaves_an_unfitted_model() -> None:
    model = Perceptron()
    with pytest.raises(DataError):
        model.predict_and_learn([{"a": 1.0}, {"a": float("inf")}], ["x", "y"], ["x", "y"])
    assert not hasattr(model, "classes_")
    with pytest.raises(DataError, match="classes"):
        model.predict_and_learn([[1.0]], ["x"])


def test_weights_that_overflow_are_refused_as_a_whole() -> None:
    model = Perceptron(order="cyclic").learn_one([1.0, 0.0], "a", classes=["a", "b"])
    before = model.coef_.tobytes()
    with pytest.raises(DataError, match="too large"):
        model.predict_and_learn([[1.0, 1.0], [1.7e308, 1.0]], ["a", "b"], sample_weight=[1.0, 1e10])
    assert model.coef_.tobytes() == before
