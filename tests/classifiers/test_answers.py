"""Which weights predict: those that the stop reason describes, the old pocket where it is best, the exact winner."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

from rosenblatt import (
    BatchPerceptron,
    DataError,
    KernelPerceptron,
    Kozinec,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
)

ignore_budget = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")


@pytest.mark.parametrize("seed", range(20))
def test_mistake_free_with_a_part_held_out_is_said_of_the_weights_that_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0.1).astype(int)
    model = Perceptron(held_out=0.3, patience=50, max_epochs=500, random_state=seed)
    learned = model.problem(X, y).task.among
    model.fit(X, y)
    assert model.stop_reason_ in ("mistake_free", "held_out")
    if model.stop_reason_ == "mistake_free":
        assert model.predict(X[learned]).tolist() == y[learned].tolist()
        assert model.held_out_errors_per_epoch_[-1] == model.held_out_errors_per_epoch_.min()
    else:
        assert model.held_out_errors_per_epoch_[-1] > model.held_out_errors_per_epoch_.min()


@ignore_budget
@given(st.integers(0, 2**32 - 1))
def test_a_second_fit_from_a_warm_start_is_never_worse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (20, 2)).astype(float), rng.permutation([0, 1] * 10)
    model = Pocket(warm_start=True, max_epochs=3, random_state=seed % 1000)
    errors = [model.fit(X, y).n_errors_ for _ in range(4)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == (model.predict(X) != y).sum() + ((model.decision_function(X) == 0) & (y == 0)).sum()


def test_scores_that_overflow_are_won_by_the_same_class_in_both_storages() -> None:
    """x.(W[0] - W[c]) is below 0: it has the sign of the second pair of numbers, which are a hundredth larger."""
    big = 6e153
    model = Perceptron(class_weight={0: 3.0}).partial_fit([[big, big, -big, -big]], [0], classes=[0, 1, 2])
    x = np.array([[big, big, 1.01 * big, 1.01 * big]])
    assert model.predict(x).tolist() == model.predict(scipy.sparse.csr_array(x)).tolist() == [2]


def test_a_row_that_overflows_by_the_weight_of_its_class_is_refused() -> None:
    model = Perceptron(class_weight={0: 1e300}).partial_fit([[1.0, 1.0]], [0], classes=[0, 1])
    before = model.coef_.tolist()
    with pytest.raises(DataError, match="too large for floats"):
        model.learn_one([-1e50, -1e50], 0)
    assert model.coef_.tolist() == before


@pytest.mark.parametrize("unit", [1.0, 1e-170, 1e-300, 1e150])
@pytest.mark.parametrize("y", [[0, 0, 1, 1], [0, 0, 1, 2]])
def test_the_nearest_mean_does_not_depend_on_units(unit: float, y: list[int]) -> None:
    X = unit * np.array([[0.0], [1], [10], [11]])
    assert NearestMean().fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize("wrapper", [OneVsAll, OneVsOne])
def test_a_tie_of_two_classes_is_the_members_own(wrapper: type[OneVsAll]) -> None:
    member = Perceptron(tie="positive", bias=0.0, order="cyclic")
    X, y = [[0.0], [1.0], [-1.0]], [1, 1, 0]
    assert wrapper(member).fit(X, y).predict(X).tolist() == member.fit(X, y).predict(X).tolist() == [1, 1, 0]


def test_given_kernels_are_cut_by_rows_and_columns_in_cross_validation() -> None:
    X = np.array([[0.0], [1], [2], [10], [11], [12], [20], [21], [22]])
    y = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    K = np.exp(-np.abs(X - X.T))
    model = OneVsAll(KernelPerceptron(kernel="precomputed"))
    assert cross_val_score(model, K, y, cv=3).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ParameterError, match="OneVsOne trains on subsets of the rows"):
        OneVsOne(KernelPerceptron(kernel="precomputed")).fit(K, y)


@ignore_budget
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(max_epochs=2, init=np.ones((3, 3))),
        Perceptron(max_epochs=2, average="averaged"),
        Perceptron(max_epochs=2, average="voted"),
        PassiveAggressive(max_epochs=2),
        Pocket(max_epochs=2),
        BatchPerceptron(patience=2),
        NearestMean(),
        KernelPerceptron(max_epochs=2),
        OneVsAll(Perceptron(max_epochs=2)),
        OneVsOne(Kozinec(C=1.0)),
    ],
    ids=str,
)
def test_what_was_taken_from_a_model_does_not_change_later(model: Any) -> None:
    """Neither when the rows, labels or first weights change, nor when the model goes on."""
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    rows, labels = X.copy(), y.copy()
    model.fit(rows, labels)
    names = [name for name in dir(model) if name.endswith("_") and not name.startswith("_") and hasattr(model, name)]
    taken = {name: value for name in names if isinstance(value := getattr(model, name), np.ndarray)}
    before = {name: value.tobytes() for name, value in taken.items()}
    rows[:], labels[:] = 7.0, 0
    if getattr(model, "init", None) is not None:
        model.init[:] = 9.0
    assert {name: getattr(model, name).tobytes() for name in taken} == before
    if hasattr(model, "partial_fit"):
        model.partial_fit(X, rng.permutation(y))
    if hasattr(model, "learn_one"):
        for x in X:
            model.learn_one(x, 2)
    assert "classes_" in taken
    assert {name: value.tobytes() for name, value in taken.items()} == before
