"""The batch perceptron with `shift`: it is never worse, and each shift is the best one possible."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, ParameterError
from rosenblatt.classifiers.training.descent import best_shift
from rosenblatt.rules import binary

ignore_budget = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
few = st.integers(-3, 3)


def cost_of(shift: float, scores: list[int], signs: list[int], costs: list[int]) -> float:
    wrong = (cost for s, sign, cost in zip(scores, signs, costs, strict=True) if not sign * (s + shift) > 0)
    return float(sum(wrong))


@st.composite
def scored(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    n = draw(st.integers(1, 12))
    of = [st.lists(each, min_size=n, max_size=n) for each in (few, st.sampled_from([-1, 1]), st.integers(1, 3))]
    scores, signs, costs = (draw(lists) for lists in of)
    return scores, signs, costs


@given(scored())
def test_no_other_shift_costs_less(table: tuple[list[int], list[int], list[int]]) -> None:
    """By brute force: decisions change at scores only, so quarters between whole numbers cover all shifts."""
    scores, signs, costs = table
    shift, least = best_shift(np.array(scores, float), np.array(signs), np.array(costs, float))
    assert least == cost_of(shift, scores, signs, costs)
    assert least == min(cost_of(q / 4, scores, signs, costs) for q in range(-20, 21))


def test_the_middle_of_the_widest_place_by_hand() -> None:
    """Scores -2, 1, 5 of classes -, +, +: between -2 and 1 nothing is wrong; the middle is -0.5, so 0.5 is added."""
    assert best_shift(np.array([-2.0, 1.0, 5.0]), np.array([-1, 1, 1]), np.ones(3)) == (0.5, 0.0)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(3, 12))
    X = draw(st.lists(st.lists(few, min_size=2, max_size=2), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return np.array(X, float), np.array([0, 1, *y]), np.array(weight, float)


@ignore_budget
@given(tables())
def test_shifts_are_never_worse_and_leave_the_path_as_it_is(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, weight = table
    plain, shifted = (BatchPerceptron(max_epochs=9, shift=shift).fit(X, y, weight) for shift in (False, True))
    passes = shifted.n_iter_
    assert shifted.mistakes_per_epoch_.tolist() == plain.mistakes_per_epoch_[:passes].tolist()
    assert shifted.n_errors_ <= plain.n_errors_
    assert (np.diff(shifted.history_["errors"]) < 0).all()
    assert (np.diff(shifted.history_["t"]) > 0).all()
    assert shifted.n_errors_ >= weight[shifted.predict(X) != y].sum()  # a row on the hyperplane counts as wrong
    scores = X @ shifted.coef_[0] + shifted.intercept_[0]
    assert shifted.n_errors_ == weight[~(np.where(y == 1, 1, -1) * scores > 0)].sum()


@ignore_budget
@given(tables())
def test_no_parallel_hyperplane_is_better(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, y, weight = table
    model = BatchPerceptron(max_epochs=5, shift=True).fit(X, y, weight)
    scores = (X @ model.coef_[0]).tolist()
    between = [(a + b) / 2 for a in scores for b in scores]
    least = math.inf
    for threshold in [*between, min(scores) - 1, max(scores) + 1]:
        right = np.where(y == 1, 1, -1) * (np.array(scores) - threshold) > 0
        least = min(least, weight[~right].sum())
    assert model.n_errors_ == least


@ignore_budget
def test_class_weights_and_sparse_rows() -> None:
    X, y = np.array([[0.0], [1], [2], [3], [4]]), [0, 1, 0, 1, 1]
    dear = BatchPerceptron(shift=True, class_weight={1: 9.0}, max_epochs=30).fit(X, y)
    assert dear.predict(X).tolist() == [0, 1, 1, 1, 1]  # the miss would cost 9, the false alarm costs 1
    assert dear.n_errors_ == 1.0
    assert BatchPerceptron(shift=True, max_epochs=30).fit(scipy.sparse.csr_array(X), y).n_errors_ == 1.0


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 1, 2], {}, "here are 3 classes, and the bias constant is 1.0. Give shift=False, or wrap it in OneVsAll."),
        ([0, 1, 1], {"bias": 0.0}, "the bias constant is 0.0"),
    ],
)
def test_what_cannot_be_shifted_is_refused(labels: list[int], options: Any, message: str) -> None:
    model = BatchPerceptron(shift=True, **options)
    with pytest.raises(ParameterError, match=message):
        model.fit([[0], [1], [2]], labels)
    assert not hasattr(model, "classes_")


class Looks:
    """A stand-in for the rules that counts the separate passes over errors."""

    def __init__(self) -> None:
        self.taken = 0

    def errors(self, *args: Any) -> Any:
        self.taken += 1
        return binary.errors(*args)


@ignore_budget
def test_another_look_is_taken_only_where_rounding_leaves_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks()
    monkeypatch.setattr("rosenblatt.classifiers.training.descent.binary", looks)
    X = np.random.default_rng(1).standard_normal((200, 3))
    y = X[:, 0] + X[:, 1] ** 3 > 0.5
    model = BatchPerceptron(max_epochs=20, shift=True).fit(X, y)
    assert len(model.history_) > 2
    assert looks.taken == 0
    tiny = np.array([[1.0], [np.nextafter(1, 2)], [np.nextafter(1, 0)], [3.0]])
    close = BatchPerceptron(max_epochs=20, shift=True).fit(tiny, [0, 1, 0, 1])
    assert looks.taken > 0
    w, b = (Fraction(float(v)) for v in (close.coef_[0, 0], close.intercept_[0]))
    right = [sign * (w * Fraction(float(x)) + b) > 0 for sign, x in zip([-1, 1, -1, 1], tiny[:, 0], strict=True)]
    assert close.n_errors_ == right.count(False)
