"""The pocket: its errors never rise, the learner is the perceptron, a stream keeps the weights of the longest run."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import check_random_state

from rosenblatt import Hyperplane, ParameterError, Perceptron, Pocket, error_bounds, trace
from rosenblatt.classifiers.pocket import Pocketed
from rosenblatt.classifiers.training.order import FIXED_ORDERS
from rosenblatt.classifiers.training.passes import train_together
from rosenblatt.classifiers.training.scores import packed
from tests.classifiers.test_batch_perceptron import SIGNS, misclassified, moves
from tests.classifiers.test_perceptron import AND, XOR, Planted, planted
from tests.rules.test_rules import EXACT_FORMS, Case, cases, stored, treacherous, whole
from tests.support.effort import examples

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

LINE = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0, 1]  # rows 2 and 3 are in the wrong order: one error is needed


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    k: int
    options: dict[str, Any]


@st.composite
def tables(draw: st.DrawFn, classes: tuple[int, ...] = (2, 3), ties: tuple[str, ...] = tuple(SIGNS)) -> Data:
    """Random whole numbers: most tables are not separable."""
    k, d = draw(st.sampled_from(classes)), draw(st.integers(1, 3))
    y = draw(st.permutations([*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=9))]))
    X = draw(st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    options = {
        "bias": draw(st.sampled_from([0.0, 1.0])),
        "tie": draw(st.sampled_from(ties)),
        "order": draw(st.sampled_from(FIXED_ORDERS)),
        "random_state": draw(st.integers(0, 99)),
        "max_epochs": draw(st.integers(1, 6)),
        "class_weight": draw(st.sampled_from([None, {0: 4.0}, {0: 0.5, 1: 2.0}])),
    }
    return Data(np.array(X, dtype=float), np.array(y), k, options)


def wrong(w: np.ndarray, data: Data) -> np.ndarray:
    """Return the rows on which the perceptron would update; all numbers are whole or halves, and exact."""
    scores = np.c_[data.X, np.full(len(data.X), data.options["bias"])] @ np.atleast_2d(w).T
    return misclassified(scores, data.y, data.options["tie"])


def errors(w: np.ndarray, data: Data) -> float:
    """J(w): the sum of the prices of the misclassified rows."""
    cost = np.array([(data.options["class_weight"] or {}).get(c, 1.0) for c in range(data.k)])
    return float(cost[data.y][wrong(w, data)].sum())


def weights(model: Any, data: Data) -> np.ndarray:
    w = np.c_[model.coef_, model.intercept_]
    return np.asarray(w[0] if data.k == 2 else w)


# ---------------------------------------------------------------------------------------------------------------------
# The ratchet


@given(tables())
def test_after_every_single_row_the_pocket_is_no_worse_and_new_weights_are_better(data: Data) -> None:
    """Weights with a longer run than the pocket's are never better, because they were checked."""
    model = Pocket(**data.options)
    problem, rng = model.problem(data.X, data.y), check_random_state(data.options["random_state"])
    learner, every = problem.task.learner, np.arange(len(data.X))
    assert isinstance(learner, Pocketed)
    before, fewest = learner.best.copy(), math.inf
    for _ in range(data.options["max_epochs"]):
        order = every
        if data.options["order"] != "cyclic":
            n = len(every)
            order = rng.permutation(n) if data.options["order"] == "shuffled" else rng.randint(n, size=n)
        for i in order:
            learner.learn(problem.rows, problem.task.y, np.array([i]), problem.task.weight)
            now = errors(learner.best, data)
            assert learner.errors == now <= fewest
            assert now < fewest or (learner.best == before).all()
            before, fewest = learner.best.copy(), now
            assert learner.runs[0] <= learner.runs[1] or now <= errors(learner.w, data)
        learner.end_pass(problem.rows)
        assert learner.errors == errors(learner.best, data) <= min(fewest, errors(learner.w, data))
        before, fewest = learner.best.copy(), learner.errors
        if not wrong(learner.w, data).any():
            break
    fitted = Pocket(**data.options).fit(data.X, data.y)
    assert fitted.n_errors_ <= fewest  # it may have had another pass
    assert errors(weights(fitted, data), data) == fitted.n_errors_


@given(tables())
def test_errors_and_history_are_those_of_the_weights_that_answer(data: Data) -> None:
    model = Pocket(**data.options).fit(data.X, data.y)
    assert model.n_errors_ == model.history_["errors"][-1] == errors(weights(model, data), data)
    assert (np.diff(model.history_["errors"]) < 0).all()
    assert (np.diff(model.history_["presented"]) >= 0).all()
    assert model.history_[0].tolist() == (0, errors(np.zeros_like(weights(model, data)), data))
    assert model.history_["presented"][-1] <= model.n_iter_ * len(data.X)


@given(tables())
def test_it_learns_as_the_perceptron_and_answers_no_worse(data: Data) -> None:
    pocket, perceptron = Pocket(**data.options).fit(data.X, data.y), Perceptron(**data.options).fit(data.X, data.y)
    passes = pocket.n_iter_
    assert pocket.mistakes_per_epoch_.tolist() == perceptron.mistakes_per_epoch_[:passes].tolist()
    if pocket.n_errors_ == 0:  # found by a look, perhaps before a pass was clean
        assert pocket.stop_reason_ == "mistake_free"
    else:
        assert pocket._learner.w.tobytes() == perceptron._learner.w.tobytes()
        assert (pocket.stop_reason_, pocket.n_updates_) == (perceptron.stop_reason_, perceptron.n_updates_)
    assert pocket.n_errors_ <= errors(weights(perceptron, data), data)


@given(tables())
def test_more_passes_are_never_worse(data: Data) -> None:
    fewest = [
        Pocket(**data.options | {"max_epochs": passes}).fit(data.X, data.y).n_errors_ for passes in (1, 2, 3, 5, 8, 13)
    ]
    assert fewest == sorted(fewest, reverse=True)


@pytest.mark.parametrize("order", FIXED_ORDERS)
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_separable_classes_end_in_a_pocket_without_errors(classes: int, order: Any, data: st.DataObject) -> None:
    case: Planted = data.draw(planted(classes=classes))
    model = Pocket(order=order, max_epochs=10**6).fit(case.X, case.y)
    assert (model.stop_reason_, model.n_errors_) == ("mistake_free", 0.0)
    assert (model.predict(case.X) == case.y).all()
    assert model.n_updates_ <= case.bound


def test_a_price_of_errors_moves_the_pocket() -> None:
    """One of two equal rows is always wrong: the cheaper one, once both prices have been seen."""
    X, y = [[1.0], [1.0], [3.0], [-3.0]], [0, 1, 1, 0]
    for dear, cheap in ((0, 1), (1, 0)):
        model = Pocket(class_weight={dear: 8.0}, max_epochs=50).fit(X, y)
        assert model.n_errors_ == 1.0
        assert model.predict([[1.0]]).tolist() == [dear]
        assert model.predict([[3.0], [-3.0]]).tolist() == [1, 0]
        assert cheap != dear


@given(tables(classes=(2,), ties=("mistake",)))
def test_swapped_labels_negate_the_weights(data: Data) -> None:
    options = data.options | {"class_weight": None}
    model, swapped = (Pocket(**options).fit(data.X, y) for y in (data.y, 1 - data.y))
    assert (swapped.coef_ == -model.coef_).all()
    assert (swapped.intercept_ == -model.intercept_).all()
    assert swapped.history_.tolist() == model.history_.tolist()


@given(tables(classes=(2,)))
def test_a_common_price_of_all_errors_changes_nothing_but_units(data: Data) -> None:
    """Weights from zero are multiplied, exactly by a power of two, and so is the pocket."""
    dear = data.options | {"class_weight": {0: 1024.0, 1: 1024.0}, "max_epochs": 8}
    unit = Pocket(**dear | {"class_weight": None}).fit(data.X, data.y)
    model = Pocket(**dear).fit(data.X, data.y)
    assert model.history_["presented"].tolist() == unit.history_["presented"].tolist()
    assert model.history_["errors"].tolist() == (1024 * unit.history_["errors"]).tolist()
    assert (model.coef_ == 1024 * unit.coef_).all()


# ---------------------------------------------------------------------------------------------------------------------
# Storage, chunks, compiled or not, together or alone


@given(tables())
def test_dense_sparse_and_single_precision_give_the_same_pocket(data: Data) -> None:
    X = (data.X * 0.1).astype(np.float32)
    dense = Pocket(**data.options).fit(X.astype(np.float64), data.y)
    for other in (X, scipy.sparse.csr_array(X), scipy.sparse.csc_array(X.astype(np.float64))):
        model = Pocket(**data.options).fit(other, data.y)
        assert model.coef_.tobytes() == dense.coef_.tobytes()
        assert model.intercept_.tobytes() == dense.intercept_.tobytes()
        assert model.history_.tolist() == dense.history_.tolist()


def by_hand(case: Case, runs: list[int], due: int) -> tuple[int, int, Any, list[int]]:
    """The contract of the rule `pocket`, in fractions, from zero weights."""
    Z, mistakes = case.exact(), 0
    W = [[Fraction(0)] * len(Z[0]) for _ in range(case.k if case.k > 2 else 1)]
    for t, i in enumerate(case.order.tolist(), 1):
        moved = moves(Z[i], W, int(case.y[i]), int(case.tie))
        for row, sign in moved.items():
            step = sign * Fraction(float(case.weight[i])) * Fraction(float(case.rate[case.y[i]]))
            W[row] = [a + step * b for a, b in zip(W[row], Z[i], strict=True)]
        mistakes += bool(moved)
        runs = [0 if moved else runs[0] + 1, *runs[1:]]
        if runs[0] == due:
            return t, mistakes, W, runs
    return len(case.order), mistakes, W, runs


@given(cases(whole), st.integers(1, 5), st.integers(0, 4))
def test_the_kernel_counts_the_run_of_weights_outside_the_pocket(case: Case, due: int, run: int) -> None:
    start = [run, 99, 0]  # the pocket's run is far away
    done, mistakes, W, expected = by_hand(case, start, due)
    for form in EXACT_FORMS:
        for rule in (case.rules.pocket, case.rules.pocket.run_as_python):
            w, runs = case.start(), np.array(start)
            rows = stored(case, form)
            found = rule(rows, case.signs, case.order, case.weight, packed(w), runs, due, case.rate, case.tie)
            assert tuple(map(int, found)) == (done, mistakes)
            assert np.atleast_2d(w).tolist() == W
            assert runs.tolist() == expected


@given(cases(treacherous), st.integers(1, 5))
def test_compiled_and_interpreted_agree_to_the_last_bit(case: Case, due: int) -> None:
    found = set()
    for form in EXACT_FORMS:
        for pocket, count in (
            (case.rules.pocket, case.rules.errors),
            (case.rules.pocket.run_as_python, case.rules.errors.run_as_python),
        ):
            w, runs, rows = case.start(), np.zeros(3, dtype=np.int64), stored(case, form)
            done, mistakes = pocket(
                rows, case.signs, case.order, case.weight, packed(w), runs, due, case.rate, case.tie
            )
            cost, every = np.linspace(0.1, 1.7, len(case.y)), np.arange(len(case.y))
            limited = [
                sum(count(rows, case.signs, every, cost, packed(w), case.tie, at, 0.0, 0.0)) for at in (math.inf, 0.5)
            ]
            found.add((int(done), int(mistakes), w.tobytes(), *runs.tolist(), *limited))
    assert len(found) == 1


@pytest.mark.parametrize("order", FIXED_ORDERS)
@given(tables(classes=(2,)), st.randoms(use_true_random=False))
def test_trained_together_is_trained_alone(order: str, data: Data, random: Any) -> None:
    """Two members on all rows, with different labels, and blocks of a few rows."""
    other = np.array([random.randint(0, 1) for _ in data.y])
    options = data.options | {"order": order, "class_weight": None}
    model, every = Pocket(**options), np.arange(len(data.X))

    def tasks() -> list[Any]:
        problem = model.problem(data.X, data.y)
        return [problem.task, model._task(problem.classes, data.X.shape[1], other, every, np.ones(len(every)))]

    alone, together = tasks(), tasks()
    problem = model.problem(data.X, data.y)
    rows = problem.rows
    for task in alone:
        replace(problem, task=task).train()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.classifiers.training.passes.BLOCK_BYTES", 24 * data.X.shape[1])
        rng = check_random_state(options["random_state"])
        train_together(together, rows, every, order, options["max_epochs"], rng)
    for a, b in zip(alone, together, strict=True):
        assert a.run == b.run
        assert a.learner.best.tobytes() == b.learner.best.tobytes()
        assert a.learner.history == b.learner.history


# ---------------------------------------------------------------------------------------------------------------------
# A stream


def gallant(data: Data, rate: dict[int, float]) -> list[np.ndarray]:
    """Return the pocket after each row: the weights with the longest run of right rows."""
    W = np.zeros((data.k if data.k > 2 else 1, data.X.shape[1] + 1))
    pocket, longest, run, after = W.copy(), 0, 0, []
    for x, c in zip(data.X, data.y.tolist(), strict=True):
        z = np.append(x, data.options["bias"])
        exact = [list(map(Fraction, row)) for row in W.tolist()]
        moved = moves(list(map(Fraction, z.tolist())), exact, c, SIGNS[data.options["tie"]])
        for row, sign in moved.items():
            W[row] += sign * rate.get(c, 1.0) * z
        run = 0 if moved else run + 1
        if run > longest:
            pocket, longest = W.copy(), run
        after.append(pocket)
    return after


@given(tables(), st.integers(1, 11))
def test_a_stream_keeps_the_weights_of_the_longest_run(data: Data, cut: int) -> None:
    expected, labels = gallant(data, data.options["class_weight"] or {}), range(data.k)
    options = {**data.options, "order": "cyclic"}  # rows are learned from as they come
    ones = Pocket(**options)
    for x, label, pocket in zip(data.X, data.y, expected, strict=True):
        ones.learn_one(x, label, classes=labels)
        assert ones.coef_.tolist() == pocket[:, :-1].tolist()
        assert ones.intercept_.tolist() == (data.options["bias"] * pocket[:, -1]).tolist()
    all_at_once = Pocket(**options).partial_fit(data.X, data.y, labels)
    chunks = Pocket(**options).partial_fit(data.X[:cut], data.y[:cut], labels)
    if cut < len(data.X):
        chunks.partial_fit(scipy.sparse.csr_array(data.X[cut:]), data.y[cut:])
    for model in (all_at_once, chunks):
        assert model.coef_.tobytes() == ones.coef_.tobytes()
        assert model._learner.w.tobytes() == ones._learner.w.tobytes()
        assert model._learner.runs.tolist() == ones._learner.runs.tolist()
        assert model.n_updates_ == ones.n_updates_
        assert math.isnan(model.n_errors_)
        assert model.history_.shape == (0,)
        assert model.stop_reason_ == "stream"


# ---------------------------------------------------------------------------------------------------------------------
# How few errors there can be


@settings(max_examples=examples(0.4))
@given(tables(classes=(2,), ties=("mistake",)))
def test_no_hyperplane_makes_more_errors_than_the_pocket_must(data: Data) -> None:
    """Bounds that begin with the hyperplane of the pocket are not above its errors."""
    model = Pocket(**data.options | {"class_weight": None}).fit(data.X, data.y)
    origin = not data.options["bias"]
    bounds = error_bounds(data.X, data.y, through_origin=origin, time_limit=5.0, hyperplane=model.hyperplane_)
    assert 0 <= bounds.lower <= bounds.upper <= model.n_errors_
    assert bounds.certificate.verify(data.X, data.y)
    assert bounds.n == len(data.X)


@settings(max_examples=examples(0.7))
@given(tables(classes=(2,)), st.lists(st.integers(-4, 4), min_size=4, max_size=4))
def test_the_upper_bound_is_at_most_the_errors_of_the_hyperplane_given(data: Data, numbers: list[int]) -> None:
    """This holds also without time for a search; a row on the hyperplane counts as wrong."""
    d, bias = data.X.shape[1], bool(data.options["bias"])
    plane = Hyperplane(numbers[:d], numbers[3] if bias else 0)
    given_errors = int(((2 * data.y - 1) * (data.X @ plane.w + plane.b) <= 0).sum())
    for budget in (1e-9, 5.0):
        bounds = error_bounds(data.X, data.y, through_origin=not bias, time_limit=budget, hyperplane=plane)
        assert bounds.lower <= bounds.upper <= given_errors
        assert bounds.certificate.verify(data.X, data.y)


def test_a_hyperplane_of_another_size_is_refused() -> None:
    with pytest.raises(ParameterError, match=re.escape("must have 1 weights, but it has 2, and the bias 3.")):
        error_bounds(*LINE, hyperplane=Hyperplane([1, 2], 3))
    with pytest.raises(
        ParameterError, match=re.escape("must have 1 weights and no bias, but it has 1, and the bias 3.")
    ):
        error_bounds(*LINE, through_origin=True, hyperplane=Hyperplane([1], 3))


# ---------------------------------------------------------------------------------------------------------------------
# Contracts


@given(tables())
def test_a_trace_has_the_steps_of_a_perceptrons(data: Data) -> None:
    pocket, perceptron = (trace(kind(**data.options), data.X, data.y) for kind in (Pocket, Perceptron))
    assert tuple(replace(step, answer=None) for step in pocket) == perceptron.steps[: len(pocket)]
    assert pocket.start == perceptron.start
    fitted = Pocket(**data.options).fit(data.X, data.y)  # which ends as soon as the pocket makes no error
    assert (pocket.stop_reason, pocket[-1].epoch) == (fitted.stop_reason_, fitted.n_iter_)


@pytest.mark.filterwarnings("error::rosenblatt.BudgetWarning")
def test_the_budget_is_the_normal_end_where_classes_overlap() -> None:
    assert Pocket(max_epochs=4).fit(*XOR).stop_reason_ == "budget"


def test_a_new_fit_begins_anew_and_a_warm_one_where_learning_ended() -> None:
    model = Pocket(order="cyclic").fit(*XOR)
    learned = model._learner.w.copy()
    assert model.fit(*AND).history_[0].tolist() == (0, 4)
    warm = Pocket(order="cyclic", warm_start=True).fit(*XOR)
    assert warm._learner.w.tolist() == learned.tolist()
    scores = np.c_[AND[0], np.ones(4)] @ learned
    assert warm.fit(*AND).history_[0].tolist() == (0, ((2 * AND[1] - 1) * scores <= 0).sum())
