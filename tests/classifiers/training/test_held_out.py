"""A part held out: the same as to train on the rest alone for some number of passes, chosen by errors on the part."""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import BudgetWarning, DataError, PassiveAggressive, Perceptron, trace
from rosenblatt.classifiers.training.order import ORDERS
from tests.classifiers.test_perceptron import AND
from tests.support.effort import examples

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

KINDS: dict[str, Any] = {
    "plain": lambda **options: Perceptron(**options),
    "averaged": lambda **options: Perceptron(average="averaged", **options),
    "voted": lambda **options: Perceptron(average="voted", **options),
    "tied": lambda **options: Perceptron(tie="positive", **options),
    "passive-aggressive": lambda **options: PassiveAggressive(**options),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    k: int


def overlapping(seed: int, k: int = 2, n: int = 60, apart: float = 1.0) -> Data:
    """Clouds that overlap; class 0 has half of the rows."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.r_[np.zeros(n // 2, dtype=int), rng.integers(1, k, size=n - n // 2)])
    X = rng.normal(size=(n, 2)) + apart * np.c_[y, y % 2]
    order = rng.permutation(n)
    return Data(X[order], y[order], k)


def parts(model: Any, data: Data) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows that are learned from, and of those held out."""
    kept = model.problem(data.X, data.y).task.among
    return kept, np.setdiff1d(np.arange(len(data.y)), kept)


def price(model: Any, rows: np.ndarray, data: Data, cost: np.ndarray) -> float:
    return float(cost[data.y[rows]][model.predict(data.X[rows]) != data.y[rows]].sum())


def stops_after(errors: list[float], patience: int) -> bool:
    """Have so many passes, the last ones, not made fewer errors than all before them?"""
    return len(errors) > patience and min(errors[-patience:]) >= min(errors[:-patience])


problems = st.tuples(st.integers(0, 10**6), st.sampled_from([2, 3]), st.sampled_from([0.1, 0.3, 0.5]))


@every_kind
@settings(max_examples=examples(0.4))
@given(problems, st.integers(1, 4), st.sampled_from([*ORDERS]), st.sampled_from([None, {0: 4.0}, "balanced"]))
def test_it_is_training_on_the_rest_alone_for_the_best_number_of_passes(
    kind: str, problem: tuple[int, int, float], patience: int, order: str, class_weight: Any
) -> None:
    seed, k, share = problem
    data = overlapping(seed, k)
    options = {"order": order, "random_state": seed % 100, "class_weight": class_weight, "max_epochs": 15}
    model = KINDS[kind](held_out=share, patience=patience, **options).fit(data.X, data.y)
    kept, left = parts(model, data)
    counts = np.bincount(data.y[kept])
    cost = len(kept) / (k * counts) if class_weight == "balanced" else np.ones(k)
    if class_weight == {0: 4.0}:
        cost[0] = 4.0
    alone, errors = [], list[float]()
    for passes in range(1, 16):
        alone.append(KINDS[kind](**options | {"max_epochs": passes}).fit(data.X[kept], data.y[kept]))
        errors.append(price(alone[-1], left, data, cost))
        if alone[-1].stop_reason_ == "mistake_free" or stops_after(errors, patience):
            break
    assert model.held_out_errors_per_epoch_.tolist() == errors
    assert model.n_iter_ == len(errors)
    assert model.mistakes_per_epoch_.tolist() == alone[-1].mistakes_per_epoch_.tolist()
    assert model.n_updates_ == alone[-1].n_updates_
    best = alone[errors.index(min(errors))]  # of equals the first
    assert model._learner.answer.tobytes() == best._learner.answer.tobytes()
    assert (model.decision_function(data.X) == best.decision_function(data.X)).all()
    assert price(model, left, data, cost) == min(errors)
    clean = alone[-1].stop_reason_ == "mistake_free"
    assert model.stop_reason_ == (
        "mistake_free" if clean else "held_out" if stops_after(errors, patience) else "budget"
    )


@every_kind
@pytest.mark.parametrize("k", [2, 3])
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_training_stops_when_patience_is_used_up_and_not_before(kind: str, k: int, seed: int, patience: int) -> None:
    data = overlapping(seed, k)
    model = KINDS[kind](held_out=0.25, patience=patience, max_epochs=200).fit(data.X, data.y)
    errors = model.held_out_errors_per_epoch_.tolist()
    assert len(errors) == model.n_iter_
    assert not any(stops_after(errors[:t], patience) for t in range(1, len(errors)))
    assert (model.stop_reason_ == "held_out") == (stops_after(errors, patience) and model.mistakes_per_epoch_[-1] > 0)
    held_out = model.problem(data.X, data.y).held_out
    assert held_out is not None
    _, left = parts(model, data)
    assert held_out.codes.tolist() == data.y[left].tolist()
    assert (model.predict(data.X[left]) != data.y[left]).sum() == min(errors)


@given(problems)
def test_each_class_is_held_out_in_its_share(problem: tuple[int, int, float]) -> None:
    seed, k, share = problem
    data = overlapping(seed, k)
    kept, left = parts(Perceptron(held_out=share, random_state=seed % 1000), data)
    assert sorted([*kept, *left]) == list(range(60))
    assert kept.tolist() == sorted(kept)
    assert len(left) == round(share * 60)
    for c in range(k):
        assert abs((data.y[left] == c).sum() - share * (data.y == c).sum()) <= 1


def test_the_same_seed_holds_out_the_same_rows() -> None:
    data = overlapping(0)
    chosen = [tuple(parts(Perceptron(held_out=0.2, random_state=seed), data)[1]) for seed in (1, 1, 2, 3)]
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) == 3
    models = [Perceptron(held_out=0.2, random_state=7).fit(data.X, data.y) for _ in range(2)]
    assert models[0]._learner.answer.tobytes() == models[1]._learner.answer.tobytes()
    state = np.random.RandomState(7)
    other = Perceptron(held_out=0.2, random_state=state).fit(data.X, data.y)
    again = Perceptron(held_out=0.2, random_state=np.random.RandomState(7)).fit(data.X, data.y)
    assert other._learner.answer.tobytes() == again._learner.answer.tobytes()


@pytest.mark.parametrize("kind", ["plain", "averaged", "voted"])
@pytest.mark.parametrize("k", [2, 3])
def test_dense_and_sparse_hold_out_and_answer_alike(kind: str, k: int) -> None:
    data = overlapping(3, k)
    dense = KINDS[kind](held_out=0.3, patience=3).fit(data.X, data.y)
    for storage in (scipy.sparse.csr_array, scipy.sparse.coo_array):
        model = KINDS[kind](held_out=0.3, patience=3).fit(storage(data.X), data.y)
        assert model.held_out_errors_per_epoch_.tolist() == dense.held_out_errors_per_epoch_.tolist()
        assert model._learner.answer.tobytes() == dense._learner.answer.tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# Ends


@every_kind
def test_a_clean_pass_ends_training_before_patience_does(kind: str) -> None:
    data = overlapping(1, apart=40.0)
    model = KINDS[kind](held_out=0.25, patience=50).fit(data.X, data.y)
    assert model.stop_reason_ == "mistake_free"
    assert model.mistakes_per_epoch_[-1] == 0
    assert len(model.held_out_errors_per_epoch_) == model.n_iter_ < 50


def test_the_budget_ends_training_before_patience_does_and_warns() -> None:
    data = overlapping(2, apart=0.0)
    model = Perceptron(held_out=0.25, patience=50, max_epochs=4)
    with pytest.warns(BudgetWarning, match="max_epochs=4 passes"):
        model.fit(data.X, data.y)
    assert (model.stop_reason_, model.n_iter_) == ("budget", 4)
    _, left = parts(model, data)
    errors = model.held_out_errors_per_epoch_
    assert (model.predict(data.X[left]) != data.y[left]).sum() == errors.min()


@pytest.mark.parametrize("seed", [244, 289])
def test_weights_that_overflow_are_refused_though_an_earlier_pass_was_best(seed: int) -> None:
    """A perceptron's weights on rows that no hyperplane separates wander off; these rows are near the largest float."""
    rng = np.random.RandomState(seed)
    X, y = rng.uniform(-1, 1, (12, 3)) * 0.6e308, np.repeat([0, 1], 6)
    model = Perceptron(bias=0, order="cyclic", held_out=0.3, patience=50)
    kept = model.problem(X, y).task.among
    with pytest.raises(DataError, match="too large"):
        Perceptron(bias=0, order="cyclic").fit(X[kept], y[kept])
    with pytest.raises(DataError, match="too large"):
        model.fit(X, y)


def test_without_a_part_held_out_there_are_no_errors_on_it() -> None:
    for model in (Perceptron().fit(*AND), PassiveAggressive().fit(*AND)):
        errors = model.held_out_errors_per_epoch_
        assert errors.shape == (0,)
        assert errors.dtype == np.float64
    assert Perceptron().partial_fit(*AND, classes=[0, 1]).held_out_errors_per_epoch_.shape == (0,)
    assert not hasattr(Perceptron(held_out=0.5), "held_out_errors_per_epoch_")


@pytest.mark.parametrize("estimator", [Perceptron, PassiveAggressive])
@pytest.mark.parametrize(
    ("share", "labels", "counts"),
    [
        (0.5, "abbbb", "{'a': 1, 'b': 4}"),  # a class of one row cannot be on both sides
        (0.1, "aabbcc", "{'a': 2, 'b': 2, 'c': 2}"),  # one row for three classes
        (0.9, "aabbcc", "{'a': 2, 'b': 2, 'c': 2}"),
    ],
)
def test_too_few_rows_are_refused_with_their_counts(estimator: Any, share: float, labels: str, counts: str) -> None:
    y = list(labels)
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    model = estimator().fit(*AND)
    before = model.coef_.tobytes(), model.n_updates_
    message = f"Too few rows to hold out {share:g} of each class: there are {counts}. Give more rows, another"
    with pytest.raises(DataError, match=re.escape(message)):
        model.set_params(held_out=share).fit(X, y)
    assert (model.coef_.tobytes(), model.n_updates_) == before


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_class_of_which_no_row_would_be_left_to_learn_from_is_too_small(class_weight: Any) -> None:
    """Of 30 rows, 3 are left: each class in its share, and 2 of 30 are less than half a row."""
    X, y = np.random.RandomState(0).normal(size=(30, 2)), np.repeat([0, 1], [28, 2])
    with pytest.raises(
        DataError, match=re.escape("Too few rows to hold out 0.9 of each class: there are {0: 28, 1: 2}")
    ):
        Perceptron(held_out=0.9, class_weight=class_weight).fit(X, y)


# ---------------------------------------------------------------------------------------------------------------------
# What goes on afterwards, and what a trace shows


@pytest.mark.parametrize("k", [2, 3])
def test_a_stream_goes_on_from_the_answer(k: int) -> None:
    data, more = overlapping(5, k), overlapping(6, k)
    model = Perceptron(held_out=0.25, patience=2).fit(data.X, data.y)
    start = np.c_[model.coef_, model.intercept_]
    passes, errors = model.n_iter_, model.held_out_errors_per_epoch_.tolist()
    expected = Perceptron(init=start[0] if k == 2 else start).partial_fit(more.X, more.y, range(k))
    model.set_params(held_out=None).partial_fit(more.X, more.y)
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    assert model.n_iter_ == passes + 1
    assert model.held_out_errors_per_epoch_.tolist() == errors
    model.learn_one(more.X[0], more.y[0])
    assert model.coef_.tobytes() == expected.learn_one(more.X[0], more.y[0]).coef_.tobytes()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("k", [2, 3])
def test_a_trace_numbers_rows_as_in_the_table_and_meets_none_held_out(order: str, k: int) -> None:
    data = overlapping(8, k, n=40)
    options: dict[str, Any] = {"order": order, "held_out": 0.25, "patience": 2, "max_epochs": 9}
    model = Perceptron(**options).fit(data.X, data.y)
    kept, left = parts(model, data)
    seen = trace(Perceptron(**options), data.X, data.y)
    assert seen.stop_reason == model.stop_reason_
    assert not {step.index for step in seen} & set(left.tolist())
    assert all(step.x == tuple(data.X[step.index]) and step.y == data.y[step.index] for step in seen)
    assert sum(step.mistake for step in seen) == model.mistakes_per_epoch_.sum()
    assert max(step.epoch for step in seen) == model.n_iter_
    if order in ("cyclic", "shuffled"):
        assert {step.index for step in seen} == set(kept.tolist())
