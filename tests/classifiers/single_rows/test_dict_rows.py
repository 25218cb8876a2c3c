"""Rows as dicts give the weights of the same rows as arrays, to the last bit; what cannot be a row is refused."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rosenblatt import (
    DataError,
    Kozinec,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    load,
    save,
)
from rosenblatt.classifiers.training.learner_state import state_of
from rosenblatt.data.files.encoding import hash_of
from tests.classifiers.training.test_learner_state import snapshot

MODELS: dict[str, Any] = {
    "plain": Perceptron,
    "averaged": lambda: Perceptron(average="averaged", learning_rate=0.3),
    "voted": lambda: Perceptron(average="voted"),
    "margin": lambda: Perceptron(margin=0.5, bias=2.0),
    "aggressive": PassiveAggressive,
    "pocket": Pocket,
}
Rows = list[tuple[dict[str, float], int]]


def stream(k: int, n: int = 60, words: int = 40) -> Rows:
    """Rows whose names come one after the other, some of them with the number 0."""
    rng = np.random.default_rng(k)
    rows = []
    for t in range(n):
        drawn = rng.choice(min(words, 3 + t), size=int(rng.integers(0, 4)), replace=False)
        rows.append(({f"w{j}": float(rng.choice([0.0, 0.1, -0.7, 1.0, 2.3])) for j in drawn}, int(rng.integers(k))))
    return rows


def contents(model: Any) -> Any:
    """What a model has learned, arrays to the last bit; room for columns and votes to come does not count."""
    arrays, facts = state_of(model._learner)
    names = getattr(model, "feature_names_in_", np.empty(0)).tolist()
    counts = model.n_updates_, model.mistakes_per_epoch_.tolist(), model._weight_range, model._hash_bits
    return snapshot(arrays), facts, names, model.classes_.tolist(), model.n_features_in_, counts


def as_arrays(rows: Rows) -> tuple[np.ndarray, list[int], list[str]]:
    """The rows as a table, whose columns are in the order in which the names came first."""
    names = list(dict.fromkeys(name for x, _ in rows for name in x))
    return np.array([[x.get(name, 0.0) for name in names] for x, _ in rows]), [y for _, y in rows], names


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", MODELS)
def test_dicts_give_the_weights_of_arrays(kind: str, k: int) -> None:
    rows, one, classes = stream(k), MODELS[kind](), range(k)
    X, y, names = as_arrays(rows)
    predicted = []
    for t, (x, label) in enumerate(rows):
        if t:
            predicted.append(one.predict_one(x))
        one.learn_one(x, label, classes=classes)
    whole = MODELS[kind]().partial_fit(scipy.sparse.csr_array(X), y, classes=classes)
    assert one.feature_names_in_.tolist() == names
    assert one.n_features_in_ == len(names) == one._learner.w.shape[-1] - 1
    assert one._learner.w.tobytes() == whole._learner.w.tobytes()
    assert one.n_updates_ == whole.n_updates_ > 10
    assert one.mistakes_per_epoch_.tolist() == whole.mistakes_per_epoch_.tolist()
    if kind == "voted":
        assert contents(one)[0]["voters"] == contents(whole)[0]["voters"]
        assert contents(one)[0]["votes"] == contents(whole)[0]["votes"]
    else:
        assert one.coef_.tobytes() == whole.coef_.tobytes()
        dense = MODELS[kind]().partial_fit(X, y, classes=classes).coef_
        if kind == "aggressive":  # its step is a rounded number, which depends on the order of a sum
            assert np.allclose(one.coef_, dense, rtol=1e-12, atol=1e-12)
        else:
            assert one.coef_.tobytes() == dense.tobytes()
    before = MODELS[kind]()  # one row at a time, as arrays of all columns
    expected = []
    for t in range(len(y)):
        if t:
            expected.append(before.predict_one(scipy.sparse.csr_array(X[t : t + 1])))
        before.learn_one(scipy.sparse.csr_array(X[t : t + 1]), y[t], classes=classes)
    assert predicted == expected
    assert [one.predict_one(x) for x, _ in rows] == whole.predict(X).tolist()


def test_texts_are_indicators_booleans_are_numbers_and_the_order_of_names_does_not_matter() -> None:
    cells = {"city": "Bonn", "new": True, "old": np.False_, "size": np.float32(0.5), 7: 2, "part": Fraction(1, 4)}
    model = Perceptron().learn_one(cells, 1, classes=[0, 1])
    assert model.feature_names_in_.tolist() == ["city=Bonn", "new", "old", "size", "7", "part"]
    assert model.coef_.tolist() == [[1.0, 1.0, 0.0, 0.5, 2.0, 0.25]]
    turned = Perceptron().learn_one(dict(cells), 1, classes=[0, 1]).learn_one(dict(reversed(cells.items())), 0)
    assert turned.coef_.tolist() == [[0.0] * 6]
    assert model.predict_one({"city": "Bonn"}) == 1
    assert model.learn_one({"size": "0.5", "new": 1.0}, 0).feature_names_in_[-1] == "size=0.5"  # a text, not a number
    assert Perceptron().learn_one({"a": Decimal("1.5")}, 0, classes=[0, 1]).coef_.tolist() == [[-1.5]]


WRONG: dict[str, tuple[Any, str]] = {
    "none": ({"a": None}, "The value of 'a' is missing (None). Leave the name out of the dict, or fill it."),
    "nan": ({"a": math.nan}, "The value of 'a' is missing (nan)"),
    "NA": ({"a": pd.NA}, "The value of 'a' is missing (<NA>)"),
    "inf": ({"a": 1.0, "b": -math.inf}, "The value of 'b' is -inf; every number must be finite"),
    "too large": ({"a": 10**400}, "every number must be finite, and fit a float64"),
    "list": ({"a": [1]}, "The value of 'a' must be a number, a boolean or a text; it is [1], of type list."),
    "lists": ({"a": [1.0], "1": [2.0]}, "must be a number, a boolean or a text; it is [1.0], of type list."),
    "one list": ({"a": [1.0]}, "it is [1.0], of type list."),
    "lists of all lengths": ({"a": [1.0], "1": []}, "it is [1.0], of type list."),
    "digits": ({"a": 1.0, "1": None}, "The value of '1' is missing (None)"),
    "complex": ({"a": 1j}, "must be a number, a boolean or a text"),
    "twice": ({"a": "b", "a=b": 1.0}, "Two entries of the row have the name 'a=b'."),
    "number twice": ({"1": 1.0, 1: 2.0}, "Two entries of the row have the name '1'."),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_row_is_refused_and_changes_nothing(case: str) -> None:
    x, message = WRONG[case]
    model = Perceptron(average="averaged").learn_one({"a": 1.0, "1": 1.0, "a=b": 1.0}, "yes", new_classes=True)
    before = snapshot(model)
    for call in (model.predict_one, lambda x: model.learn_one(x, "no", new_classes=True)):
        with pytest.raises(DataError) as caught:
            call(x)
        assert message in str(caught.value)
    assert snapshot(model) == before
    fresh = Perceptron()
    with pytest.raises(DataError):
        fresh.learn_one({"b": 1.0} | x, "no", new_classes=True)
    assert not hasattr(fresh, "classes_")
    assert vars(fresh).keys() == vars(Perceptron()).keys()


@pytest.mark.parametrize(
    ("options", "call", "message"),
    [
        ({}, {}, "pass classes=[...]. With learn_one, new_classes=True takes classes as they come."),
        ({"init": [1.0, 0.0]}, {"classes": [0, 1]}, "the columns of dicts are not known at first; set init=None"),
        ({"class_weight": "balanced"}, {"new_classes": True}, "class_weight='balanced' needs all rows at once"),
        ({"held_out": 0.5}, {"classes": [0, 1]}, "keep rows apart yourself"),
        ({"max_epochs": 0}, {"new_classes": True}, "max_epochs"),
        ({}, {"new_classes": True, "hash_bits": 32}, "hash_bits must be an integer from 1 to 31, not 32."),
    ],
)
def test_a_first_call_that_cannot_work_is_refused(options: Any, call: Any, message: str) -> None:
    model = Perceptron(**options)
    with pytest.raises((DataError, ParameterError)) as caught:
        model.learn_one({"a": 1.0}, 1, **call)
    assert message in str(caught.value)
    assert not hasattr(model, "classes_")


def test_hashed_names_have_the_columns_of_their_hashes() -> None:
    rows, bits = stream(2), 4
    X = np.zeros((len(rows), 2**bits))
    for t, (x, _) in enumerate(rows):
        for name, number in (*x.items(), ("place=Köln", 1.0)):
            X[t, hash_of(name) % 2**bits] += number
    one = Perceptron(average="averaged")
    for x, y in rows:
        one.learn_one({**x, "place": "Köln"}, y, classes=[0, 1], hash_bits=bits)
    whole = Perceptron(average="averaged").partial_fit(X, [y for _, y in rows], classes=[0, 1])
    assert one.coef_.tobytes() == whole.coef_.tobytes()
    assert [one.predict_one({**x, "place": "Köln"}) for x, _ in rows] == whole.predict(X).tolist()
    assert not hasattr(one, "feature_names_in_")
    with pytest.raises(ParameterError, match="the model has hash_bits=4"):
        one.learn_one({}, 1, hash_bits=5)
    with pytest.raises(ParameterError, match="hash_bits is for rows given as dicts"):
        Perceptron().learn_one([1.0], 1, classes=[0, 1], hash_bits=5)


@pytest.mark.parametrize("bits", [None, 5])
@pytest.mark.parametrize("kind", ["averaged", "voted", "aggressive", "pocket"])
def test_a_saved_model_learns_on_as_if_it_had_not_been_saved(kind: str, bits: int | None, tmp_path: Path) -> None:
    rows, model = stream(3), MODELS[kind]()
    for x, y in rows[:40]:
        model.learn_one(x, "abc"[y], classes="abc", hash_bits=bits)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    for x, y in rows[40:]:
        label = loaded.predict_one(x)
        assert label == model.predict_one(x)
        assert type(label) is str
        for each in (model, loaded):
            each.learn_one(x, "abc"[y])
    assert contents(loaded) == contents(model)


def test_tables_whose_columns_are_the_names_continue_a_model_of_dicts() -> None:
    rows = stream(2)
    X, y, names = as_arrays(rows)
    mixed = Perceptron(average="averaged")
    for x, label in rows[:30]:
        mixed.learn_one(x, label, classes=[0, 1])
    known = len(mixed.feature_names_in_)
    frame = pd.DataFrame(X[:, :known], columns=names[:known])
    assert mixed.predict(frame).tolist() == [mixed.predict_one(x) for x, _ in rows]
    mixed.partial_fit(frame[:10], y[:10]).learn_one(X[3, :known], y[3])  # numbers alone, in the order of the names
    for x, label in rows[30:]:
        mixed.learn_one(x, label)
    order = [*range(30), *range(10), 3, *range(30, len(y))]
    late = X[order].copy()
    late[30:41, known:] = 0.0
    whole = Perceptron(average="averaged").partial_fit(late, np.array(y)[order], classes=[0, 1])
    assert mixed.coef_.tobytes() == whole.coef_.tobytes()
    with pytest.raises(DataError, match="feature names"):
        mixed.predict(frame)


def test_a_model_of_a_table_with_names_takes_dicts_and_one_without_names_does_not() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 3.0], "b": [1.0, 0.0, 0.0]})
    for model in (Perceptron().fit(frame, [0, 1, 1]), Kozinec().fit(frame, [0, 1, 1])):
        expected = model.predict(pd.DataFrame({"a": [2.0], "b": [0.0]})).tolist()
        assert [model.predict_one({"a": 2.0, "c": 5.0})] == expected
    grown = Perceptron().fit(frame, [0, 1, 1]).learn_one({"c": -9.0}, 0)
    assert grown.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(DataError, match="trained on 1 column without names"):
        Perceptron().fit([[0.0], [1.0]], [0, 1]).predict_one({"a": 1.0})


def test_a_row_that_would_overflow_is_refused_and_its_names_are_not_kept() -> None:
    model = Perceptron().learn_one({"a": 1e308}, 1, classes=[0, 1])
    before = snapshot(model)
    with pytest.raises(DataError, match="too large for floats"):
        model.learn_one({"a": -1e308, "b": 1.0}, 1, sample_weight=1e10)
    assert snapshot(model) == before
    assert model.learn_one({"b": 1.0}, 0).feature_names_in_.tolist() == ["a", "b"]


def test_an_empty_row_has_the_bias_alone_and_a_model_without_names_is_not_saved(tmp_path: Path) -> None:
    model = Perceptron().learn_one({}, 1, classes=[0, 1])
    assert model.intercept_.tolist() == [1.0]
    assert model.predict_one({"unknown": 3.0}) == 1
    with pytest.raises(DataError, match="no columns yet"):
        save(model, tmp_path / "model")
    assert model.learn_one({"a": 1.0}, 0).coef_.tolist() == [[-1.0]]


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("a", "b"), (1.0, 2.0)])
def test_predict_one_returns_labels_of_python(labels: Any) -> None:
    model = Perceptron().fit([[0.0], [1.0]], np.array(labels))
    other = Perceptron().learn_one({"a": 1.0}, np.array(labels)[1], classes=labels)
    for label in (model.predict_one([1.0]), other.predict_one({"a": 1.0})):
        assert label == labels[1]
        assert type(label) is type(labels[1])


@pytest.mark.parametrize("weight", ["2", None, [1.0, 2.0], np.ones(2), 1j])
def test_a_weight_of_a_row_is_one_number(weight: Any) -> None:
    model = Perceptron()
    with pytest.raises(DataError, match="The sample_weight of a row must be one number of at least 0, not "):
        model.learn_one({"a": 1.0}, 1, classes=[0, 1], sample_weight=weight)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("weight", [2, 2.0, np.float32(2), np.int64(2), Fraction(2), True])
def test_any_real_number_is_a_weight(weight: Any) -> None:
    """A wrong row of class 1 adds its weight times the row to w = 0."""
    model = Perceptron().learn_one({"a": 3.0}, 1, classes=[0, 1], sample_weight=weight)
    assert model.coef_.tolist() == [[3.0 * float(weight)]]
