"""What a fitted estimator holds: unchanged by whatever fails, the same for the same fit, and renewed by a new one."""

import math
import pickle
import re
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from rosenblatt import BatchPerceptron, BudgetWarning, DataError, ParameterError, PassiveAggressive, Perceptron, Pocket
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.passive_aggressive import Aggressive
from rosenblatt.classifiers.perceptron import Averaged, Plain, Voted
from rosenblatt.classifiers.pocket import Pocketed
from tests.classifiers.test_perceptron import AND, XOR

M = 1.7e308  # two of them are more than a float can hold
SIDES = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, 0])  # without a bias, the perceptron ends at (1, 1)
#: From (1, 1) and without a bias: row 0 of class 1 scores -2 M and makes the weights (-M, -M); row 1 then scores 0, a
#: tie and hence a mistake, and makes them (-2 M, 0).
HUGE = np.array([[-M, -M], [-M, M]]), np.array([1, 1])
#: With C = inf, the step is the loss over |x|^2 = 1e-320.
TINY = np.array([[-1e-160, 0.0]]), np.array([1])

KINDS: dict[str, tuple[Callable[..., OnlineClassifier], Any]] = {
    "plain": (lambda **options: Perceptron(**options), HUGE),
    "averaged": (lambda **options: Perceptron(average="averaged", **options), HUGE),
    "voted": (lambda **options: Perceptron(average="voted", **options), HUGE),
    "passive-aggressive": (lambda **options: PassiveAggressive(C=float("inf"), **options), TINY),
    "pocket": (lambda **options: Pocket(**options), HUGE),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def snapshot(value: Any) -> Any:
    """All that an object holds, arrays to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    return snapshot(vars(value)) if hasattr(value, "_learner") or hasattr(value, "learn") else repr(value)


def test_a_snapshot_sees_one_bit_of_a_learner() -> None:
    model = Perceptron(average="averaged").fit(*AND)
    before = snapshot(model)
    assert snapshot(pickle.loads(pickle.dumps(model))) == before  # noqa: S301  (our own)
    model._learner.late[-1] = np.nextafter(model._learner.late[-1], 1e9)  # type: ignore[attr-defined]
    assert snapshot(model) != before


# ---------------------------------------------------------------------------------------------------------------------
# What fails leaves no trace


@every_kind
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array])
def test_weights_that_overflow_are_refused_and_not_kept(call: str, kind: str, storage: Callable[..., Any]) -> None:
    make, (X, y) = KINDS[kind]
    model = make(bias=0, order="cyclic", warm_start=True).fit(*SIDES)
    before = snapshot(model)
    with pytest.raises(DataError, match="too large"):
        getattr(model, call)(storage(X), y)
    assert snapshot(model) == before
    assert model.predict(SIDES[0]).tolist() == [1, 0]


@every_kind
def test_a_first_fit_that_overflows_leaves_the_estimator_not_fitted(kind: str) -> None:
    make, (X, y) = KINDS[kind]
    model = make(bias=0, order="cyclic", init=[1.0, 1.0, 0.0])
    before = snapshot(vars(model))
    for call, more in (("fit", {}), ("partial_fit", {"classes": [0, 1]})):
        with pytest.raises(DataError, match="too large"):
            getattr(model, call)(np.r_[X, [[-1.0, -1.0]]], np.append(y, 0), **more)
        assert snapshot(vars(model)) == before
        assert not hasattr(model, "classes_")


@pytest.mark.parametrize("kind", ["plain", "averaged", "voted"])
@pytest.mark.parametrize("sparse", [False, True])
def test_one_row_that_overflows_is_refused_and_not_kept(kind: str, sparse: bool) -> None:
    model = KINDS[kind][0](bias=0, init=[1.0, 1.0, 0.0]).learn_one([-M, -M], 1, classes=[0, 1])
    assert model._learner.w.tolist() == [-M, -M, 0.0]
    before = snapshot(model)
    with pytest.raises(DataError, match="too large"):
        model.learn_one(scipy.sparse.csr_array([[-M, M]]) if sparse else [-M, M], 1)
    assert snapshot(model) == before
    model.learn_one([0.0, 1.0], 1)  # scores -M: a mistake
    assert model.n_updates_ == 2
    assert model.mistakes_per_epoch_.sum() == 2


def test_a_mean_that_overflows_before_its_weights_do_is_refused() -> None:
    """Two rows came before: what the mean is made of changes by 2 * M, the weights by M only."""
    model = Perceptron(average="averaged", bias=0).partial_fit(*SIDES, classes=[0, 1])
    before = snapshot(model)
    with pytest.raises(DataError, match="too large"):
        model.partial_fit(HUGE[0][:1], [1])
    assert snapshot(model) == before
    with pytest.raises(DataError, match="too large"):
        model.learn_one(HUGE[0][0], 1)
    assert snapshot(model) == before


@pytest.mark.parametrize("kind", ["plain", "averaged", "voted"])
def test_weights_that_overflow_in_units_of_the_learning_rate_are_refused(kind: str) -> None:
    """What learns is 1e300, in units of 1e10."""
    model = KINDS[kind][0](bias=0, learning_rate=1e10)
    model.partial_fit([[0.0]], [1], classes=[0, 1])
    before = snapshot(model)
    with pytest.raises(DataError, match="too large"):
        model.partial_fit([[1e300]], [1])
    assert snapshot(model) == before
    with pytest.raises(DataError, match="too large"):
        model.learn_one([1e300], 1)
    assert snapshot(model) == before


LEARNERS: dict[str, type[Any]] = {
    "plain": Plain,
    "averaged": Averaged,
    "voted": Voted,
    "passive-aggressive": Aggressive,
    "pocket": Pocketed,
}


@every_kind
@pytest.mark.parametrize("calls", [0, 1, 3])
def test_an_interrupt_in_the_middle_of_training_changes_nothing(
    kind: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = KINDS[kind][0](warm_start=True, order="cyclic").fit(*AND)
    before, learn, left = snapshot(model), LEARNERS[kind].learn, iter(range(calls))

    def interrupted(self: Any, *args: Any) -> Any:
        result = learn(self, *args)
        if next(left, None) is None:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(LEARNERS[kind], "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*XOR)
    assert snapshot(model) == before
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(*XOR)
    assert snapshot(model) == before


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_masked_labels_are_refused(call: str) -> None:
    model = Perceptron(order="cyclic").fit(*AND)
    before = snapshot(model)
    with pytest.raises(DataError, match=r"y .* masked"):
        getattr(model, call)(AND[0], np.ma.masked_array([0, 0, 0, 1], mask=[False, True, False, False]))
    assert snapshot(model) == before
    getattr(model, call)(AND[0], np.ma.masked_array([0, 0, 0, 1], mask=[False] * 4))
    assert model.coef_.tolist() == [[3.0, 2.0]]


# ---------------------------------------------------------------------------------------------------------------------
# The same fit gives the same state


@pytest.mark.parametrize("init", [[-0.0, -0.0, -0.0], [-0.0, 1.0, -0.0]])
@every_kind
def test_a_start_of_minus_zero_is_the_same_dense_and_sparse(kind: str, init: list[float]) -> None:
    """Adding a stored 0 turns -0.0 into 0.0; a 0 that is not stored is not added. The first column is all 0."""
    X, y = np.array([[0.0, -1.0], [0.0, 1.0], [0.0, 2.0]]), np.array([1, 0, 0])
    for bias in (0.0, 1.0):
        dense, sparse = (
            KINDS[kind][0](init=init, bias=bias, order="cyclic", max_epochs=100).fit(storage(X), y)
            for storage in (np.asarray, scipy.sparse.csr_array)
        )
        assert dense.n_updates_ > 0
        learned, again = (
            {name: part for name, part in snapshot(model).items() if name != "_training_digest"}  # it names the storage
            for model in (dense, sparse)
        )
        assert learned == again
        assert dense._learner.answer.tobytes() == sparse._learner.answer.tobytes()
        assert not np.signbit(np.atleast_2d(dense._learner.answer)[0, 0])


@every_kind
@pytest.mark.parametrize("k", [2, 3])
def test_two_equal_fits_pickle_to_the_same_bytes(kind: str, k: int) -> None:
    """Room for more voters than there are is memory too, and what was in it before must not be saved."""
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, size=(40, 3)).astype(float)
    y = rng.integers(0, k, size=40)
    saved = set()
    for value in (np.nan, 1e300, -7.0):
        dirt = [np.full(size * 2**j, value) for size in (1, 4, 12) for j in range(9)]
        del dirt  # freed memory that the next arrays may get
        with warnings.catch_warnings(action="ignore", category=BudgetWarning):
            saved.add(pickle.dumps(KINDS[kind][0](order="cyclic", max_epochs=3).fit(X, y)))
    assert len(saved) == 1


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@every_kind
def test_two_threads_fit_as_if_alone(kind: str) -> None:
    rng = np.random.default_rng(1)
    problems = [(rng.normal(size=(2000, 5)), rng.integers(0, k, size=2000)) for k in (2, 3)]
    together = Barrier(2)

    def fit(X: Any, y: Any, *, wait: bool) -> Any:
        if wait:
            together.wait()
        return snapshot(KINDS[kind][0](order="random", max_epochs=20).fit(X, y))

    alone = [fit(*problem, wait=False) for problem in problems]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(5):
            assert list(pool.map(lambda problem: fit(*problem, wait=True), problems)) == alone


# ---------------------------------------------------------------------------------------------------------------------
# A warm start takes the weights of the last fit, and everything else from the parameters as they are now


def warm(**changes: Any) -> Perceptron:
    """Learned (3, 2; -4) from AND, and then set to something else."""
    model = Perceptron(order="cyclic", warm_start=True).fit(*AND)
    assert [*model.coef_[0], *model.intercept_] == [3.0, 2.0, -4.0]
    model.set_params(max_epochs=1, **changes)
    return model


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize(
    ("changes", "x", "label", "expected"),
    [
        ({}, [1.0, 1.0], 1, [3.0, 2.0, -4.0]),  # scores 1: right
        ({}, [1.0, 1.0], 0, [2.0, 1.0, -5.0]),
        ({"learning_rate": 0.5}, [1.0, 1.0], 0, [2.5, 1.5, -4.5]),
        ({"margin": 1.0}, [1.0, 1.0], 1, [4.0, 3.0, -3.0]),  # does not exceed the margin
        ({"margin": 0.5}, [1.0, 1.0], 1, [3.0, 2.0, -4.0]),
        ({"tie": "mistake"}, [0.0, 2.0], 1, [3.0, 4.0, -3.0]),  # scores 0
        ({"tie": "positive"}, [0.0, 2.0], 1, [3.0, 2.0, -4.0]),
        ({"tie": "positive"}, [0.0, 2.0], 0, [3.0, 0.0, -5.0]),
        ({"tie": "negative"}, [0.0, 2.0], 0, [3.0, 2.0, -4.0]),
        ({"class_weight": {0: 5.0}}, [1.0, 1.0], 0, [-2.0, -3.0, -9.0]),
        ({"class_weight": {1: 5.0}}, [1.0, 1.0], 0, [2.0, 1.0, -5.0]),
        ({"bias": 2.0}, [1.0, 1.0], 1, [4.0, 3.0, -4.0]),  # scores 3 + 2 - 2 * 4; the bias weight becomes -2
        ({"init": [9.0, 9.0, 9.0]}, [1.0, 1.0], 1, [3.0, 2.0, -4.0]),
    ],
)
def test_a_warm_start_honours_the_parameters_of_the_new_fit(
    changes: dict[str, Any], x: list[float], label: int, expected: list[float]
) -> None:
    model = warm(**changes).fit([x], [label])
    assert [*model.coef_[0], *model.intercept_] == expected
    assert model.n_iter_ == 1
    assert model.predict([[0.0, 0.0]]).tolist() == [0]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_warm_start_may_change_how_the_answer_is_made() -> None:
    """From (3, 2; -4), both rows of class 0: row 0 scores -1, right; row 1 scores 1, wrong: (2, 1; -5)."""
    X, y = [[1.0, 0.0], [1.0, 1.0]], [0, 0]
    averaged = warm(average="averaged").fit(X, y)
    assert averaged.coef_.tolist() == [[2.5, 1.5]]
    averaged.set_params(average=None).fit([[1.0, 1.0]], [1])  # from (2, 1; -5), not from the mean: scores -2, wrong
    assert averaged.coef_.tolist() == [[3.0, 2.0]]
    voted = warm(average="voted").fit(X, y)
    assert voted.decision_function([[2.0, 0.0], [9.0, 9.0], [0.0, 0.0]]).tolist() == [0.0, 2.0, -2.0]
    averaged = voted.set_params(average="averaged").fit([[0.0, 0.0], [0.0, 6.0]], [0, 0])  # (2, 1; -5), (2, -5; -6)
    assert averaged.coef_.tolist() == [[2.0, -2.0]]
    assert averaged.intercept_.tolist() == [-5.5]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_warm_start_goes_on_where_another_learning_rate_ended() -> None:
    """Half of (3, 2; -4); the row of class 0 scores 0.5, wrong, and counts once."""
    model = Perceptron(order="cyclic", warm_start=True, learning_rate=0.5).fit(*AND)
    assert model.coef_.tolist() == [[1.5, 1.0]]
    model.set_params(learning_rate=1.0, max_epochs=1).fit([[1.0, 1.0]], [0])
    assert model.coef_.tolist() == [[0.5, 0.0]]
    assert model.intercept_.tolist() == [-3.0]


def test_a_warm_start_refuses_a_class_weight_of_an_unknown_label() -> None:
    model = warm(class_weight={2: 1.0})
    before = snapshot(model)
    with pytest.raises(ParameterError, match=r"class_weight names 2, .* \[0, 1\]"):
        model.fit(*AND)
    assert snapshot(model) == before


@pytest.mark.parametrize(
    ("model", "x"),
    [
        (PassiveAggressive(C=np.inf, bias=0, init=[1.0, 0.0]), -1e-160),
        (Perceptron(learning_rate=1e250, bias=0), 1e99),
    ],
)
def test_one_row_that_overflows_only_with_the_weights_it_meets_is_refused(model: Any, x: float) -> None:
    """A full step of PA towards a tiny row is huge; so is a large row times a large rate."""
    model.learn_one([0.0], 1, classes=[0, 1])
    before = model.coef_.tolist()
    with pytest.raises(DataError, match="too large"):
        model.learn_one([x], 1)
    assert model.coef_.tolist() == before


@pytest.mark.parametrize("name", ["coef_", "intercept_", "hyperplane_"])
@pytest.mark.parametrize("model", [Perceptron(), Perceptron(average="voted"), PassiveAggressive()])
def test_what_is_learned_is_not_there_before_and_says_so(model: Any, name: str) -> None:
    assert not hasattr(model, name)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(model, name)


# ---------------------------------------------------------------------------------------------------------------------
# The batch perceptron, which learns from all rows at once

CONTRADICTION = [[1.0], [1.0], [2.0]], [0, 1, 1]  # one of two equal rows is always wrong


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize(
    ("options", "X", "y", "error", "message"),
    [
        ({}, [[M], [M], [0.0]], [1, 1, 0], DataError, "The weights have become too large for floats"),
        ({"learning_rate": M}, [[9.0], [-9.0]], [1, 0], DataError, "bring X, or the step, closer to 1"),
        ({}, [[M], [M], [0.0]], [1, 1, 2], DataError, "The weights have become too large for floats"),
        *(
            (
                {"learning_rate": lambda t, bad=bad: bad if t == 3 else 1.0},
                *CONTRADICTION,
                ParameterError,
                f"for t=3 it is {bad!r}",
            )
            for bad in (0, 0.0, -1.0, math.nan, math.inf, "x", None, True, 1j)
        ),
        ({"init": [1.0]}, *CONTRADICTION, ParameterError, "init must have shape (2,)"),
        ({"class_weight": {7: 1.0}}, *CONTRADICTION, ParameterError, "class_weight names 7"),
        ({}, [[1.0], [2.0]], [1, 1], DataError, "at least 2 classes"),
    ],
)
def test_a_batch_fit_that_fails_leaves_what_was_learned(
    options: Any, X: Any, y: Any, error: type[Exception], message: str, storage: Any
) -> None:
    model = BatchPerceptron().fit(*AND)
    before = pickle.dumps(vars(model) | dict.fromkeys(options))
    model.set_params(**options)
    with pytest.raises(error, match=re.escape(message)):
        model.fit(storage(np.array(X)), y)
    assert pickle.dumps(vars(model) | dict.fromkeys(options)) == before
    assert model.predict(AND[0]).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, 1, -1], "Every weight must be a finite number of at least 0; sample_weight[3] is -1.0."),
        ([1, math.nan, 1, -1], "sample_weight[1] is nan."),
        ([math.inf, 1, 1, 1], "sample_weight[0] is inf."),
        ([1, 1, 1], "one number for each of the 4 rows; its shape is (3,)."),
        ([[1, 1, 1, 1]], "its shape is (1, 4)."),
        (["heavy", 1, 1, 1], "sample_weight must hold a number for each row"),
        ([1, 2, 3, 0], "sample_weight is zero for every row of class 1; leave those rows out, or give one a weight."),
    ],
)
def test_bad_weights_of_rows_are_refused(weight: Any, message: str) -> None:
    model = BatchPerceptron()
    with pytest.raises(DataError, match=re.escape(message)):
        model.fit(*AND, sample_weight=weight)
    assert not hasattr(model, "classes_")


def test_one_weight_for_all_rows_is_that_for_each() -> None:
    model, other = (BatchPerceptron().fit(*AND, sample_weight=weight) for weight in (2, [2, 2, 2, 2]))
    assert model.coef_.tobytes() == other.coef_.tobytes()
    assert model.history_[0].tolist() == other.history_[0].tolist() == (1, 8.0)


@pytest.mark.parametrize("name", ["coef_", "n_iter_", "n_updates_", "mistakes_per_epoch_", "n_errors_", "history_"])
def test_what_a_batch_teaches_is_not_there_before(name: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(BatchPerceptron(), name)
