"""The batch perceptron equals the slide's algorithm in fractions; order, copies and storage of rows do not matter."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, BudgetWarning
from rosenblatt.classifiers.training.descent import Descent
from rosenblatt.classifiers.training.scores import packed
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.losses import perceptron_gradient, perceptron_loss
from tests.classifiers.test_perceptron import Planted, planted
from tests.rules.test_rules import EXACT_FORMS, Case, cases, stored, treacherous
from tests.support import oracle

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

SIGNS = {"mistake": 0, "positive": 1, "negative": -1}
STEPS: dict[str, Callable[[int], float]] = {
    "one": lambda _: 1.0,
    "quarter": lambda _: 0.25,
    "halves": lambda t: 2.0 ** -(t % 4),
    "1/t": lambda t: 1 / t,
}


class Data(NamedTuple):
    """Whole numbers; each class has a row of positive weight."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    bias: float
    tie: str
    k: int

    def model(self, **options: Any) -> BatchPerceptron:
        defaults: dict[str, Any] = {"bias": self.bias, "tie": self.tie, "patience": None, "max_epochs": 12}
        return BatchPerceptron(**defaults | options)

    @property
    def signs(self) -> np.ndarray:
        return (2 * self.y - 1).astype(np.int8) if self.k == 2 else self.y

    def start(self) -> np.ndarray:
        return np.zeros(self.X.shape[1] + 1) if self.k == 2 else np.zeros((self.k, self.X.shape[1] + 1))


@st.composite
def tables(draw: st.DrawFn, classes: tuple[int, ...] = (2, 3, 4), lightest: int = 0) -> Data:
    k, d = draw(st.sampled_from(classes)), draw(st.integers(1, 3))
    y = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=6))]
    X = draw(st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    weight = [draw(st.integers(1 if i < k else lightest, 3)) for i in range(len(y))]
    order = np.array(draw(st.permutations(range(len(y)))))
    return Data(
        X=np.array(X, dtype=float)[order],
        y=np.array(y)[order],
        weight=np.array(weight, dtype=float)[order],
        bias=draw(st.sampled_from([0.0, 1.0, 2.0])),
        tie=draw(st.sampled_from(sorted(SIGNS))),
        k=k,
    )


class Look(NamedTuple):
    w: list[list[Fraction]]
    mistakes: int
    errors: Fraction
    sum: list[list[Fraction]]


def moves(z: list[Fraction], w: list[list[Fraction]], c: int, tie: int) -> dict[int, int]:
    """Return the weight vectors that a mistake changes, with signs; none for a right row. Two classes share one w."""
    if len(w) == 1:
        sign = 2 * c - 1
        return {0: sign} if oracle.is_mistake(sign * oracle.dot(w[0], z), sign, tie) else {}
    v = oracle.winner(z, w, c, Fraction(0), tie)
    return {c: 1, v: -1} if v != c else {}


def look(data: Data, w: list[list[Fraction]]) -> Look:
    """Step 2 of the slide."""
    mistakes, errors = 0, Fraction(0)
    total = [[Fraction(0)] * len(row) for row in w]
    for x, c, weight in zip(data.X.tolist(), data.y.tolist(), map(Fraction, data.weight.tolist()), strict=True):
        z = [*map(Fraction, x), Fraction(data.bias)]
        moved = moves(z, w, c, SIGNS[data.tie]) if weight else {}
        mistakes, errors = mistakes + bool(moved), errors + bool(moved) * weight
        for row, sign in moved.items():
            total[row] = [a + sign * weight * b for a, b in zip(total[row], z, strict=True)]
    return Look(w, mistakes, errors, total)


def slide(data: Data, step: Callable[[int], float], looks: int, *, rounded: bool = False) -> list[Look]:
    """Return all passes until one is free of mistakes; if rounded, each step is made in floats from an exact sum."""
    w = [[Fraction(0)] * (data.X.shape[1] + 1) for _ in range(data.k if data.k > 2 else 1)]
    seen: list[Look] = []
    for t in range(1, looks + 1):
        seen.append(look(data, w))
        if seen[-1].errors == 0:
            break
        pairs = [list(zip(a, s, strict=True)) for a, s in zip(w, seen[-1].sum, strict=True)]
        if rounded:
            w = [[Fraction(float(a) + step(t) * float(s)) for a, s in row] for row in pairs]
        else:
            w = [[a + Fraction(step(t)) * s for a, s in row] for row in pairs]
    return seen


def improvements(seen: list[Look]) -> list[int]:
    """Step 3 of the slide: the t at which there were fewer mistakes than before."""
    return [t for t in range(1, len(seen) + 1) if all(seen[t - 1].errors < before.errors for before in seen[: t - 1])]


def misclassified(scores: np.ndarray, y: np.ndarray, tie: str) -> np.ndarray:
    """Return the rows on which the perceptron would update; scores with one column are those of two classes."""
    if scores.shape[1] == 1:
        leads, signs = (2 * y - 1) * scores[:, 0], 2 * y - 1
        return np.asarray((leads < 0) | ((leads == 0) & (signs != SIGNS[tie])))
    top = scores == scores.max(axis=1, keepdims=True)
    if tie == "mistake":
        return np.asarray(~top[np.arange(len(y)), y] | (top.sum(axis=1) > 1))
    last = scores.shape[1] - 1 - np.argmax(top[:, ::-1], axis=1)
    return np.asarray((last if tie == "positive" else np.argmax(top, axis=1)) != y)


# ---------------------------------------------------------------------------------------------------------------------
# The slide


@pytest.mark.parametrize("name", STEPS)
@given(tables())
def test_the_slide_in_fractions_gives_the_same_best_weights_and_times(name: str, data: Data) -> None:
    seen = slide(data, STEPS[name], 12, rounded=name == "1/t")
    step: Any = {"one": 1.0, "quarter": 0.25, "1/t": "1/t"}.get(name, STEPS[name])
    model = data.model(learning_rate=step).fit(data.X, data.y, data.weight)
    times = improvements(seen)
    best = seen[times[-1] - 1]
    assert model.mistakes_per_epoch_.tolist() == [look.mistakes for look in seen]
    assert model.history_.tolist() == [(t, seen[t - 1].errors) for t in times]
    assert model.n_errors_ == best.errors
    assert model.coef_.tolist() == [row[:-1] for row in best.w]
    assert model.intercept_.tolist() == [row[-1] * Fraction(data.bias) for row in best.w]
    assert model.n_iter_ == len(seen)
    assert model.stop_reason_ == ("budget" if best.errors else "mistake_free")


@pytest.mark.parametrize("name", ["one", "halves"])
@given(tables())
def test_every_step_on_the_way_is_the_slides(name: str, data: Data) -> None:
    seen, rows = slide(data, STEPS[name], 8), as_rows(data.X, data.bias)
    descent = Descent(data.start(), np.ones(data.k), float(SIGNS[data.tie]))
    for t, expected in enumerate(seen, 1):
        assert np.atleast_2d(descent.w).tolist() == expected.w
        descent.start()
        descent.look(rows, data.signs, data.weight, np.flatnonzero(data.weight))
        descent.end(t)
        assert np.atleast_2d(descent.sum).tolist() == expected.sum
        assert descent.t_last_update == improvements(seen[:t])[-1]
        descent.go(STEPS[name](t))


@given(tables())
def test_the_condition_for_stopping_sees_the_best_the_time_and_the_time_of_the_last_update(data: Data) -> None:
    calls: list[Any] = []

    def condition(best: Any, t: int, t_last_update: int) -> bool:
        calls.append((np.atleast_2d(best.w).tolist(), best.errors, t, t_last_update))
        return t == 7

    model = data.model(stop=condition).fit(data.X, data.y, data.weight)
    seen = slide(data, STEPS["one"], 7)
    asked = [t for t in range(1, len(seen) + 1) if seen[t - 1].errors]  # at a look without errors nothing is asked
    times = [improvements(seen[:t])[-1] for t in asked]
    assert calls == [(seen[u - 1].w, seen[u - 1].errors, t, u) for t, u in zip(asked, times, strict=True)]
    assert model.stop_reason_ == ("condition" if len(asked) == 7 else "mistake_free")
    assert model.n_iter_ == len(seen)


@given(tables())
def test_the_best_errors_fall_and_are_those_of_the_weights_that_answer(data: Data) -> None:
    model = data.model(learning_rate=0.5).fit(data.X, data.y, data.weight)
    assert (np.diff(model.history_["t"]) > 0).all()
    assert (np.diff(model.history_["errors"]) < 0).all()
    wrong = misclassified(data.X @ model.coef_.T + model.intercept_, data.y, data.tie)  # halves, which floats hold
    assert model.history_["errors"][-1] == model.n_errors_ == data.weight[wrong].sum()
    if data.tie != "mistake" or model.n_errors_ == 0:
        assert data.weight[model.predict(data.X) != data.y].sum() == model.n_errors_


def test_a_run_by_hand() -> None:
    """Rows (1; 1) and (3; 1) of class 1, (2; 1) of class 0; every score is 0 at first, which is a mistake.

    w = (0; 0): all wrong, their sum is (1+3-2; 1+1-1) = (2; 1). Then 2 scores 5, wrong: (2; 1) - (2; 1) = (0; 0).
    """
    model = BatchPerceptron(patience=3).fit([[1], [3], [2]], [1, 1, 0])
    assert model.mistakes_per_epoch_.tolist() == [3, 1, 3, 1, 3]
    assert model.history_.tolist() == [(1, 3), (2, 1)]
    assert [*model.coef_[0], *model.intercept_] == [2.0, 1.0]
    assert model.stop_reason_ == "patience"
    assert model.hyperplane_.w.tolist() == [2.0]


# ---------------------------------------------------------------------------------------------------------------------
# Gradients: all numbers are dyadic, and between kinks the losses are linear, so that differences are exact

halves = st.integers(-9, 9).map(lambda v: v / 2)
H = 2.0**-10


def sum_of_mistakes(data: Data, w: np.ndarray) -> np.ndarray:
    descent = Descent(w, np.ones(data.k), 0.0)
    descent.look(as_rows(data.X, data.bias), data.signs, data.weight, np.flatnonzero(data.weight))
    descent.end(1)
    return descent.sum


def numeric_gradient(loss: Callable[[np.ndarray], float], w: np.ndarray) -> np.ndarray:
    directions = H * np.eye(w.size).reshape(-1, *w.shape)
    return np.array([(loss(w + along) - loss(w - along)) / (2 * H) for along in directions]).reshape(w.shape)


@given(tables(classes=(2,)), st.data())
def test_the_sum_of_the_mistakes_is_minus_the_gradient_of_the_loss(data: Data, more: st.DataObject) -> None:
    w = np.array(more.draw(st.lists(halves, min_size=data.X.shape[1] + 1, max_size=data.X.shape[1] + 1)))
    scores = np.c_[data.X, np.full(len(data.X), data.bias)] @ w
    assume((scores != 0).all())  # then each is at least 1/2, and H moves it by less
    copies = np.repeat(np.arange(len(data.X)), data.weight.astype(int))
    X, y = data.X[copies], data.signs[copies]
    total = sum_of_mistakes(data, w)
    assert (total == -numeric_gradient(lambda v: perceptron_loss(v, X, y, data.bias), w)).all()
    assert (total == -perceptron_gradient(w, X, y, data.bias)).all()


@given(tables(classes=(3, 4)), st.data())
def test_the_sum_is_minus_the_gradient_of_the_loss_of_many_classes_too(data: Data, more: st.DataObject) -> None:
    d = data.X.shape[1] + 1
    W = np.array(more.draw(st.lists(st.lists(halves, min_size=d, max_size=d), min_size=data.k, max_size=data.k)))
    Z = np.c_[data.X, np.full(len(data.X), data.bias)]
    ranked = np.sort(Z @ W.T, axis=1)
    assume((ranked[:, -1] > ranked[:, -2]).all())

    def loss(V: np.ndarray) -> float:
        scores = Z @ V.T
        return float((data.weight * (scores.max(axis=1) - scores[np.arange(len(Z)), data.y])).sum())

    assert (sum_of_mistakes(data, W) == -numeric_gradient(loss, W)).all()


# ---------------------------------------------------------------------------------------------------------------------
# What does not count


def same(a: BatchPerceptron, b: BatchPerceptron) -> None:
    assert a.coef_.tobytes() == b.coef_.tobytes()
    assert a.intercept_.tobytes() == b.intercept_.tobytes()
    assert a.history_.tobytes() == b.history_.tobytes()


@given(tables(), st.sampled_from([None, {0: 2.0}, {0: 0.25, 1: 8.0}, {0: 0.1, 1: 0.3}, "balanced"]))
def test_a_weight_of_k_is_k_copies_and_a_weight_of_0_no_row(data: Data, class_weight: Any) -> None:
    copies = np.repeat(np.arange(len(data.X)), data.weight.astype(int))
    weighed = data.model(class_weight=class_weight).fit(data.X, data.y, data.weight)
    same(weighed, data.model(class_weight=class_weight).fit(data.X[copies], data.y[copies]))
    there = data.weight > 0
    without = data.model(class_weight=class_weight).fit(data.X[there], data.y[there], data.weight[there])
    same(weighed, without)
    assert weighed.mistakes_per_epoch_.tolist() == without.mistakes_per_epoch_.tolist()


@given(tables())
def test_class_weights_multiply_the_weights_of_rows(data: Data) -> None:
    totals = np.bincount(data.y, weights=data.weight)
    balanced = totals.sum() / (data.k * totals)
    weighed = data.model(class_weight={0: 3.0}).fit(data.X, data.y, data.weight)
    same(weighed, data.model().fit(data.X, data.y, data.weight * np.where(data.y == 0, 3.0, 1.0)))
    weighed = data.model(class_weight="balanced").fit(data.X, data.y, data.weight)
    by_hand = dict(enumerate(balanced.tolist()))
    same(weighed, data.model(class_weight=by_hand).fit(data.X, data.y, data.weight))


@pytest.mark.parametrize("tenths", ["of nothing", "of rows", "of weights"])
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_count(tenths: str, data: Data, random: Any) -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1, but twice the digits hold sums of tenths of whole numbers exactly."""
    X, weight, order = data.X, data.weight, random.sample(range(len(data.X)), len(data.X))
    if tenths == "of rows":
        X = 0.1 * X
    elif tenths == "of weights":
        weight = np.array([random.choice([0.1, 0.2, 0.3, 0.6, 0.7]) for _ in data.y])
    as_given = data.model(max_epochs=30).fit(X, data.y, weight)
    same(as_given, data.model(max_epochs=30).fit(X[order], data.y[order], weight[order]))


@given(tables(), st.sampled_from([1.0, 0.1]))
def test_storage_does_not_count(data: Data, unit: float) -> None:
    single = (data.X * unit).astype(np.float32)
    dense = data.model().fit(single.astype(np.float64), data.y, data.weight)
    for X in (single, scipy.sparse.csr_array(single), scipy.sparse.csc_array(single.astype(np.float64))):
        same(dense, data.model().fit(X, data.y, data.weight))


@given(cases(treacherous))
def test_compiled_and_interpreted_agree_to_the_last_bit(case: Case) -> None:
    every, weight, one = np.arange(len(case.y)), np.arange(1, len(case.y) + 1) / 4, np.ones(case.k)
    w = case.start() + 0.1 * np.arange(case.start().size).reshape(case.start().shape)
    found = set()
    for form in EXACT_FORMS:
        for rule in (case.rules.batch, case.rules.batch.run_as_python):
            high, low, seen = np.zeros_like(w), np.zeros_like(w), np.zeros((2 if case.k == 2 else 0, len(case.y)))
            rows = stored(case, form)
            sums = (high, low, 0.0, 0.0)
            mistakes, *errors = rule(rows, case.signs, every, weight, one, packed(w), case.tie, *sums, *seen)
            found.add((int(mistakes), *map(float, errors), high.tobytes(), low.tobytes()))
        for rule in (case.rules.errors, case.rules.errors.run_as_python):
            total = rule(stored(case, form), case.signs, every, weight, packed(w), case.tie, math.inf, 0.0, 0.0)
            assert list(total) == errors
    assert len(found) == 1


@given(tables(classes=(2,)))
def test_swapped_labels_negate_the_weights(data: Data) -> None:
    data = data._replace(tie="mistake")
    model = data.model().fit(data.X, data.y, data.weight)
    swapped = data.model().fit(data.X, 1 - data.y, data.weight)
    assert (swapped.coef_ == -model.coef_).all()
    assert (swapped.intercept_ == -model.intercept_).all()
    assert swapped.history_.tolist() == model.history_.tolist()


@given(tables(classes=(3, 4)), st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_labels_in_another_order_permute_the_weights(data: Data, seed: int, random: Any) -> None:
    """The initial weights make no ties."""
    init = np.random.default_rng(seed).normal(size=(data.k, data.X.shape[1] + 1))
    bias = data.bias or 1.0
    new = np.array(random.sample(range(data.k), data.k))  # class c is now called new[c]
    model = data.model(init=init, bias=bias).fit(data.X, data.y, data.weight)
    permuted = data.model(init=init[np.argsort(new)], bias=bias).fit(data.X, new[data.y], data.weight)
    assert permuted.coef_[new].tobytes() == model.coef_.tobytes()
    assert permuted.intercept_[new].tobytes() == model.intercept_.tobytes()
    assert permuted.history_.tolist() == model.history_.tolist()


@given(tables(), st.sampled_from([2.0**-20, 0.5, 2.0**30]))
def test_a_constant_step_scales_the_weights_and_changes_nothing_else(data: Data, step: float) -> None:
    unit, model = (data.model(learning_rate=s).fit(data.X * 0.1, data.y, data.weight) for s in (1.0, step))
    assert (model.coef_ == step * unit.coef_).all()
    assert model.mistakes_per_epoch_.tolist() == unit.mistakes_per_epoch_.tolist()
    assert model.history_.tolist() == unit.history_.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# Ends


@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_separable_classes_end_without_a_mistake_within_the_bound(classes: int, data: st.DataObject) -> None:
    """A sum of at most n mistakes is at most n R long and has at least gamma along u: Novikoff's proof for sums."""
    case: Planted = data.draw(planted(classes=classes))
    bound = len(case.X) ** 2 * case.bound
    model = BatchPerceptron(patience=None, max_epochs=math.ceil(bound) + 1).fit(case.X, case.y)
    assert model.n_updates_ <= bound
    assert model.stop_reason_ == "mistake_free"
    assert model.mistakes_per_epoch_[-1] == model.n_errors_ == 0
    assert (model.predict(case.X) == case.y).all()


CONTRADICTION = [[1.0], [1.0], [2.0]], [0, 1, 1]  # one of two equal rows is always wrong


@pytest.mark.parametrize("patience", [1, 2, 7])
def test_patience_counts_the_looks_since_the_best(patience: int) -> None:
    """Two equal rows, one of each class: their sum is 0, no step goes anywhere, and both stay wrong."""
    model = BatchPerceptron(patience=patience).fit([[1.0], [1.0]], [0, 1])
    assert model.history_.tolist() == [(1, 2)]
    assert model.n_iter_ == 1 + patience
    assert model.stop_reason_ == "patience"


def test_the_target_is_reached_by_the_best_weights_and_not_before() -> None:
    model = BatchPerceptron(max_errors=1).fit(*CONTRADICTION)
    assert model.stop_reason_ == "target"
    assert model.n_errors_ == 1.0
    assert model.history_["t"][-1] == model.n_iter_
    assert (model.history_["errors"][:-1] > 1).all()
    weighed = BatchPerceptron(max_errors=0.5).fit(*CONTRADICTION, sample_weight=[0.5, 3.0, 1.0])
    assert (weighed.stop_reason_, weighed.n_errors_) == ("target", 0.5)
    assert BatchPerceptron(max_errors=3).fit(*CONTRADICTION).n_iter_ == 1  # at w = 0 all three are wrong


def test_the_budget_warns_with_what_to_do_next() -> None:
    with pytest.warns(
        BudgetWarning,
        match=r"max_epochs=6 passes; its best weights, found in pass 1, have a weighted error of 2\. "
        "Raise max_epochs, or give patience or max_errors",
    ) as caught:
        model = BatchPerceptron(max_epochs=6).fit([[1.0], [1.0]], [0, 1])
    assert caught[0].filename == __file__
    assert (model.stop_reason_, model.n_iter_) == ("budget", 6)
    assert model.mistakes_per_epoch_.tolist() == [2] * 6
