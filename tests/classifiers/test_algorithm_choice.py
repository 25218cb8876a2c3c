"""The algorithms by name: the estimator of each, its settings, and the choice of `auto` with its reason."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

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
    Verdict,
)
from rosenblatt.classifiers import algorithm_choice as algorithms
from rosenblatt.classifiers.algorithm_choice import MAKERS, are_unlike, choose, model_of, verdict_of
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
OVERLAP = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
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
# What auto takes


def test_strict_takes_the_largest_margin() -> None:
    choice = choose(*STRICT)
    assert (choice.algorithm, choice.scale) == ("kozinec", None)
    assert choice.verdict is not None
    assert choice.verdict.kind == "strict"
    assert choice.why == "the 4 rows are strictly separable (proved), so the hyperplane with the largest margin is used"


@pytest.mark.parametrize(("rows", "kind"), [(WEAK, "weak"), (OVERLAP, "overlap")])
def test_what_no_hyperplane_separates_takes_the_mean(rows: Any, kind: str) -> None:
    choice = choose(*rows)
    assert choice.overlaps
    assert (choice.algorithm, choice.scale) == ("averaged", None)
    assert choice.verdict is not None
    assert choice.verdict.kind == kind
    assert choice.why == "no hyperplane separates the 4 rows strictly (proved), so the averaged perceptron is used"


def test_undecided_takes_the_mean_and_claims_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Verdict("undecided", [0, 1], n=4)
    monkeypatch.setattr(algorithms, "separability", lambda *_, **__: undecided)
    choice = choose(*STRICT)
    assert (choice.algorithm, choice.verdict) == ("averaged", undecided)
    assert "not decided in 20 s" in choice.why
    assert "proved" not in choice.why


def test_three_classes() -> None:
    assert choose(*TRIANGLE).algorithm == "kozinec"
    mixed = choose(TRIANGLE[0], np.array([0, 1, 2, 0, 1, 2]))
    assert mixed.algorithm == "averaged"
    assert "hyperplane" not in mixed.why  # what three classes have is a linear rule


@pytest.mark.parametrize(("wide", "kind"), [(1, "weak"), (0, "not_strict")])
def test_of_many_columns_no_detail_is_asked(monkeypatch: pytest.MonkeyPatch, wide: int, kind: str) -> None:
    monkeypatch.setattr(algorithms, "MAX_MARGIN_COLUMNS", wide)
    assert verdict_of(*WEAK).kind == kind


def test_of_many_columns_the_largest_margin_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(*STRICT).algorithm == "kozinec"
    monkeypatch.setattr(algorithms, "MAX_MARGIN_COLUMNS", 0)
    choice = choose(*STRICT)
    assert (choice.algorithm, choice.overlaps) == ("averaged", False)
    assert "strictly separable (proved), but" in choice.why
    assert "--algorithm kozinec" in choice.why


@pytest.mark.parametrize("rows", [STRICT, WEAK])
def test_columns_of_different_spread_are_standardised(rows: Any) -> None:
    X, y = rows
    choice = choose(np.column_stack([X, 1000 * X]), y)
    assert choice.scale == "standardize"
    assert choice.why.endswith("; its columns differ much in spread and are standardised first")
    assert choose(scipy.sparse.csr_array(np.column_stack([X, 1000 * X])), y).scale is None


# ---------------------------------------------------------------------------------------------------------------------
# Columns of different spread

PLAIN = st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda x: round(x, 3))
TABLES = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(PLAIN, min_size=d, max_size=d), min_size=2, max_size=6).map(np.array)
)


@pytest.mark.parametrize(("ratio", "unlike"), [(1, False), (9.9, False), (10.1, True), (1e200, True)])
def test_where_spreads_begin_to_differ(ratio: float, unlike: bool) -> None:
    X = np.array([[0.0, 0.0], [1.0, ratio]])
    assert are_unlike(X) == are_unlike(X[:, ::-1]) == are_unlike(X + 1) == unlike


@given(TABLES, st.integers(-900, 900))
def test_the_unit_does_not_matter(X: Any, power: int) -> None:
    assert are_unlike(X * 2.0**power) == are_unlike(X)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(X: Any, random: Any) -> None:
    order = random.sample(range(X.shape[1]), X.shape[1])
    assert are_unlike(X[:, order]) == are_unlike(X)


def test_columns_that_say_nothing_do_not_count() -> None:
    steady = np.array([[5.0, 0.0], [5.0, 1.0]])
    assert not are_unlike(steady)
    assert not are_unlike(steady[:, :1])


def test_at_the_end_of_floats() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.5]]) * 2.0**1023
    assert not are_unlike(X)
    assert are_unlike(np.column_stack([X, [0.0, 1.0]]))
