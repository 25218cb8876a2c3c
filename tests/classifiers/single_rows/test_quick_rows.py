"""The quick way for ordinary rows gives the bits of the careful way, and leaves all other rows to it."""

import decimal
import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from rosenblatt import DataError, PassiveAggressive, Perceptron, Pocket
from rosenblatt.data.compiled.jit import compiled_at_once
from rosenblatt.models.save import to_bytes
from rosenblatt.rules import one_row

MODELS: dict[str, Callable[[], Any]] = {
    "perceptron": Perceptron,
    "tie": lambda: Perceptron(tie="positive", learning_rate=0.3, margin=0.25, bias=2.0),
    "class weights": lambda: Perceptron(class_weight={"no": 0.5, "yes": 3.0}),
    "averaged": lambda: Perceptron(average="averaged"),
    "voted": lambda: Perceptron(average="voted"),
    "pa": lambda: PassiveAggressive(),
    "pa2": lambda: PassiveAggressive(variant="II", C=0.5),
    "pocket": Pocket,
}
D = 6


def careful(model: Any) -> Any:
    """The same model without the quick way."""
    model._learn_quickly = lambda *_: False
    model._quick_class = lambda *_: -1
    return model


def arrays(n: int, seed: int) -> Iterator[Any]:
    """Small whole numbers, so that scores of 0 are common; zeros; and numbers of all sizes."""
    rng = np.random.default_rng(seed)
    for at in range(n):
        x = rng.integers(-2, 3, D).astype(float)
        yield x * 2.0 ** rng.integers(-60, 60, D) if at % 5 == 0 else x


def dicts(n: int, seed: int) -> Iterator[Any]:
    """Names in any order, some left out, new ones at times."""
    rng = np.random.default_rng(seed)
    for at, x in enumerate(arrays(n, seed)):
        names = [f"n{j}" for j in range(D)]
        if at % 3:
            rng.shuffle(names)
        row = {name: number for name, number in zip(names, x.tolist(), strict=True) if at % 4 or number}
        yield row | ({f"new{at}": 1.0} if at % 40 == 7 else {})


def learned(model: Any, rows: list[Any], labels: list[str]) -> list[Any]:
    """The predictions of a model that predicts each row and then learns from it."""
    said = []
    for at, (x, y) in enumerate(zip(rows, labels, strict=True)):
        first: dict[str, Any] = {} if at else {"classes": ["no", "yes"]}
        said.append(model.predict_one(x) if at else None)
        model.learn_one(x, y, **first)
    return said


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("made", [arrays, dicts], ids=["arrays", "dicts"])
def test_the_quick_way_is_the_careful_way(made: Any, kind: str, compiled: bool) -> None:
    rows = list(made(200, 3))
    labels = np.where(np.random.default_rng(4).random(200) < 0.5, "no", "yes").tolist()
    quick, slow = MODELS[kind](), careful(MODELS[kind]())
    with compiled_at_once() if compiled else nullcontext():
        said = learned(quick, rows, labels)
    assert said == learned(slow, rows, labels)
    for name in ("_learn_quickly", "_quick_class"):
        delattr(slow, name)
    assert to_bytes(quick) == to_bytes(slow)
    if compiled and kind not in ("voted", "pocket"):
        rule = {"averaged": one_row.AVERAGED, "pa": one_row.PASSIVE_AGGRESSIVE, "pa2": one_row.PASSIVE_AGGRESSIVE}.get(
            kind, one_row.PERCEPTRON
        )[1 + (made is dicts)]
        assert rule.quick is not rule  # it was compiled, so the quick way was gone


class Real:
    """A number that is not one of Python's."""

    def __float__(self) -> float:
        return 1.0


ODD: dict[str, tuple[Any, Any]] = {  # a row, and the plain row that it stands for; None if it is refused
    "booleans and whole numbers": ({"a": True, "b": 2}, {"a": 1.0, "b": 2.0}),
    "numpy": ({"a": np.float64(1.5), "b": np.float32(0.5)}, {"a": 1.5, "b": 0.5}),
    "a text": ({"a": "1.5", "b": 1.0}, {"a=1.5": 1.0, "b": 1.0}),
    "an empty text": ({"a": "", "b": 1.0}, {"a=": 1.0, "b": 1.0}),
    "a decimal": ({"a": decimal.Decimal("1.5")}, {"a": 1.5}),
    "zeros": ({"a": 0.0, "b": -0.0}, {}),
    "an unknown name": ({"a": 1.0, "c": 2.0}, {"a": 1.0, "c": 2.0}),
    "no numbers": ({}, {}),
    "missing": ({"a": None, "b": 1.0}, None),
    "not a number": ({"a": math.nan, "b": 1.0}, None),
    "infinite": ({"a": math.inf}, None),
    "two infinities": ({"a": math.inf, "b": -math.inf}, None),
    "too long": ({"a": 10**400}, None),
    "complex": ({"a": 1j}, None),
    "numpy's complex": ({"a": np.complex128(1.0)}, None),
    "a time": ({"a": np.timedelta64(1, "s")}, None),
    "an object": ({"a": Real()}, None),
}


@pytest.mark.parametrize("case", ODD)
def test_dicts_that_need_a_closer_look(case: str) -> None:
    given, plain = ODD[case]
    model, other = Perceptron(), careful(Perceptron())
    for one in (model, other):
        one.learn_one({"a": 1.0, "b": 1.0}, "yes", classes=["no", "yes"])
        one.learn_one({"a": 1.0, "b": 1.0}, "yes")
    before = to_bytes(model)
    if plain is None:
        with pytest.raises(DataError):
            model.predict_one(given)
        with pytest.raises(DataError):
            model.learn_one(given, "no")
        assert to_bytes(model) == before
        return
    assert model.predict_one(given) == other.predict_one(plain)
    model.learn_one(given, "no")
    other.learn_one(plain, "no")
    np.testing.assert_array_equal(model.coef_, other.coef_)
    assert model.feature_names_in_.tolist() == other.feature_names_in_.tolist()


@pytest.mark.parametrize(
    "x",
    [
        np.ones((1, D)),
        np.ones(D - 1),
        np.ones(D + 1),
        np.ones(0),
        np.full(D, np.nan),
        np.full(D, -np.inf),
        np.ones(D, dtype=complex),
        np.array(["a"] * D),
        np.array([None] * D),
    ],
    ids=lambda x: f"{x.dtype} {x.shape} {x.ravel()[:1]}",
)
@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_arrays_that_are_no_row(x: Any, compiled: bool) -> None:
    model = Perceptron().learn_one(np.ones(D), "yes", classes=["no", "yes"])
    with compiled_at_once() if compiled else nullcontext():
        for _ in range(2):
            model.learn_one(np.ones(D), "no")
            model.predict_one(np.ones(D))
    before = to_bytes(model)
    with pytest.raises(DataError):
        model.predict_one(x)
    with pytest.raises(DataError):
        model.learn_one(x, "no")
    assert to_bytes(model) == before


@pytest.mark.parametrize(
    "x",
    [
        np.arange(D),
        np.arange(D, dtype=np.float32),
        np.arange(2.0 * D)[::2],
        np.full(D, 1e150),
        np.full(D, 1e-150),
        np.full(D, True),
        np.zeros(D),
    ],
    ids=lambda x: f"{x.dtype} {x.strides} {x[-1]}",
)
@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_arrays_that_are_a_row_of_another_kind(x: Any, compiled: bool) -> None:
    model, other = Perceptron(), careful(Perceptron())
    with compiled_at_once() if compiled else nullcontext():
        for one in (model, other):
            one.learn_one(np.ones(D), "yes", classes=["no", "yes"])
            one.learn_one(np.ones(D), "no")
            one.learn_one(x, "yes")
        assert model.predict_one(x) == other.predict_one(x)
    np.testing.assert_array_equal(model.coef_, other.coef_)


def test_what_changes_between_two_rows_is_seen() -> None:
    """Parameters, a row that is changed in place, and names that come."""
    model = Perceptron().learn_one({"a": 1.0}, "yes", classes=["no", "yes"])
    model.learn_one({"a": 1.0}, "no")
    x = {"a": 1.0}
    model.predict_one(x)
    x["a"] = -1.0
    other = careful(Perceptron()).learn_one({"a": 1.0}, "yes", classes=["no", "yes"])
    other.learn_one({"a": 1.0}, "no")
    model.learn_one(x, "no")
    other.learn_one({"a": -1.0}, "no")
    np.testing.assert_array_equal(model.coef_, other.coef_)
    model.set_params(order="random")
    with pytest.raises(ValueError, match="chooses among all rows"):
        model.learn_one(x, "no")
    with pytest.raises(DataError, match="not one of the known classes"):
        model.set_params(order="cyclic").learn_one(x, "perhaps")
    with pytest.raises(DataError):
        model.learn_one(x, ["no"])


def test_after_a_fit_the_first_row_begins_a_new_pass() -> None:
    X, y = np.array([[1.0, 0.0], [-1.0, 0.5]]), np.array(["yes", "no"])
    model = Perceptron().fit(X, y)
    passes = model.n_iter_
    model.learn_one(X[0], "no")
    assert model.n_iter_ == passes + 1
    model.learn_one(X[0], "no")
    assert model.n_iter_ == passes + 1
    assert model.mistakes_per_epoch_[-1] >= 1


def test_weights_that_cannot_be_written_are_copied() -> None:
    """As those of a model that is loaded as a memory map."""
    model = Perceptron().learn_one(np.ones(D), "yes", classes=["no", "yes"])
    model.learn_one(np.ones(D), "no")
    before = model._wide_learner.w
    before.flags.writeable = False
    kept = before.copy()
    model.learn_one(-np.ones(D), "no").learn_one(np.ones(D), "no")
    np.testing.assert_array_equal(before, kept)
