"""The algorithms by name: the estimator of each, and its settings."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kessler,
    Kozinec,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from rosenblatt.classifiers import algorithm_choice as algorithms
from rosenblatt.classifiers.algorithm_choice import MAKERS, model_of, verdict_of
from rosenblatt.errors import ParameterError

KINDS: dict[str, Callable[..., Any]] = {
    "perceptron": Perceptron,
    "averaged": Perceptron,
    "voted": Perceptron,
    "pocket": Pocket,
    "batch": BatchPerceptron,
    "kozinec": Kozinec,
    "anderson": Anderson,
    "pa": PassiveAggressive,
    "kernel": KernelPerceptron,
}
STRICT = np.array([[-3.0], [-2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
WEAK = np.array([[0.0], [1.0], [1.0], [3.0]]), np.array([0, 0, 1, 1])
TRIANGLE = np.array([[5.0, 0], [6, 0], [0, 5], [0, 6], [-5, -5], [-6, -6]]), np.array([0, 0, 1, 1, 2, 2])


# ---------------------------------------------------------------------------------------------------------------------
# By name


def test_all_are_here() -> None:
    assert set(MAKERS) == set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_of_two_classes(name: str) -> None:
    model = model_of(name)
    assert type(model) is KINDS[name]
    assert model.fit(*STRICT).predict(STRICT[0]).tolist() == STRICT[1].tolist()


@pytest.mark.parametrize("name", KINDS)
def test_of_three_classes(name: str) -> None:
    model = model_of(name, classes=3)
    inner: dict[str, Any] = {"kozinec": Kessler, "anderson": OneVsOne}
    assert type(model) is inner.get(name, KINDS[name])
    assert type(getattr(model, "estimator", model)) is KINDS[name]
    assert model.fit(*TRIANGLE).predict(TRIANGLE[0]).tolist() == TRIANGLE[1].tolist()


@pytest.mark.parametrize("average", ["averaged", "voted"])
def test_means_and_votes(average: str) -> None:
    assert model_of(average).average == average
    assert model_of("perceptron").average is None


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_passes_are_the_budget(name: str, classes: int) -> None:
    model = model_of(name, classes, passes=7)
    inner = getattr(model, "estimator", model)
    assert getattr(inner, "max_iter" if name == "anderson" else "max_epochs") == 7


@pytest.mark.parametrize("name", KINDS)
def test_the_seed_goes_where_something_is_drawn(name: str) -> None:
    assert model_of(name, seed=5).get_params().get("random_state", 5) == 5


def test_settings_are_the_parameters_of_the_class() -> None:
    assert model_of("perceptron", settings={"order": "cyclic", "margin": 0.5}).get_params() == {
        **Perceptron().get_params(),
        "order": "cyclic",
        "margin": 0.5,
        "random_state": 0,
    }


def test_settings_win() -> None:
    assert model_of("averaged", passes=3, seed=1, settings={"max_epochs": 9, "random_state": 2}).max_epochs == 9
    assert model_of("averaged", settings={"max_epochs": 9}).max_epochs == 9
    assert model_of("pa", seed=1, settings={"random_state": 2}).random_state == 2
    assert model_of("kozinec", classes=3, settings={"bias": 2.0}).estimator.bias == 2.0


@pytest.mark.parametrize(
    ("name", "strange", "nearest"),
    [("perceptron", "ordr", "order"), ("kozinec", "epsilom", "epsilon"), ("kernel", "Gamma", "gamma")],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_setting_that_is_not_known(name: str, strange: str, nearest: str, classes: int) -> None:
    with pytest.raises(ParameterError) as error:
        model_of(name, classes, settings={strange: 1})
    said = str(error.value)
    assert said.startswith(f"--set {strange}=1: {name} has the parameters ")
    assert all(known in said for known in KINDS[name]().get_params())
    assert said.endswith(f". Did you mean {nearest!r}?")


def test_a_setting_that_is_like_none() -> None:
    with pytest.raises(ParameterError, match=r"has the parameters .*, tie, warm_start\.$"):
        model_of("perceptron", settings={"zzz": 1})


# ---------------------------------------------------------------------------------------------------------------------
# A verdict within seconds


@pytest.mark.parametrize(("wide", "kind"), [(1, "weak"), (0, "not_strict")])
def test_of_many_columns_no_detail_is_asked(monkeypatch: pytest.MonkeyPatch, wide: int, kind: str) -> None:
    monkeypatch.setattr(algorithms, "MAX_MARGIN_COLUMNS", wide)
    assert verdict_of(*WEAK).kind == kind
