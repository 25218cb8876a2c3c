"""`sample_weight` of the rules that learn row by row: it multiplies the step, or C, of its row."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier

from rosenblatt import DataError, PassiveAggressive, Perceptron, Pocket
from tests.support import oracle

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ONLINE = [
    Perceptron(max_epochs=5),
    Perceptron(max_epochs=5, average="averaged", class_weight="balanced"),
    Perceptron(max_epochs=5, average="voted", margin=0.5),
    Perceptron(max_epochs=5, order="first"),
    Perceptron(max_epochs=5, order="worst"),
    Perceptron(max_epochs=5, order="random", learning_rate=0.1),
    PassiveAggressive(max_epochs=5, C=0.1),
    PassiveAggressive(max_epochs=5, C=0.1, variant="II", class_weight="balanced"),
    Pocket(max_epochs=5),
]
STREAMED = [model for model in ONLINE if model.order in ("shuffled", "cyclic") and model.class_weight is None]
random = np.random.default_rng(5)
X = np.rint(4 * random.normal(size=(40, 3))) / 4
LABELS = {2: np.arange(40) % 2, 3: np.arange(40) % 3}
WEIGHTS = random.choice([0.25, 0.5, 1.0, 3.0], 40)
every_model = pytest.mark.parametrize("model", ONLINE, ids=str)
both_counts = pytest.mark.parametrize("k", [2, 3])


def answers(model: Any) -> tuple[Any, ...]:
    """What a model learned, to the last bit."""
    found = model._learner
    held = found.voters[: found.k + 1] if hasattr(found, "voters") else found.answer
    return held.tobytes(), found.w.tobytes(), model.n_updates_, model._mistakes


# ---------------------------------------------------------------------------------------------------------------------
# What a weight means


@both_counts
@pytest.mark.parametrize("class_weight", [None, {0: 2.0, 1: 0.5}])
@given(st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=40, max_size=40))
def test_the_weight_of_a_row_multiplies_its_step_and_that_of_its_class(
    k: int, class_weight: Any, weights: list[float]
) -> None:
    y = LABELS[k]
    model = Perceptron(order="cyclic", max_epochs=3, class_weight=class_weight).fit(X, y, sample_weight=weights)
    Z = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    rate = [Fraction((class_weight or {}).get(c, 1.0)) for c in range(k)]
    zero, order, exact = [Fraction(0)] * 4, list(range(40)) * model.n_iter_, [Fraction(v) for v in weights]
    if k == 2:
        signs = (2 * y - 1).tolist()
        told: Any = oracle.perceptron(Z, signs, order, zero, rate, Fraction(0), 0, exact)[-1]
    else:
        told = oracle.multiclass(Z, y.tolist(), order, [zero] * 3, rate, Fraction(0), 0, exact)[-1]
    assert model._learner.w.tolist() == told


def test_passive_aggressive_multiplies_the_largest_step() -> None:
    """One row (3, 4) of length 25 without bias: the loss is 1, so the step is 1/25 unless weight times C is smaller."""
    for weight, step in [(1.0, 1 / 25), (0.5, 0.01), (0.25, 0.005)]:
        model = PassiveAggressive(C=0.02 if weight < 1 else 9.0, bias=0)
        model.partial_fit([[3.0, 4.0]], [1], classes=[0, 1], sample_weight=[weight])
        assert model.coef_ == pytest.approx(np.array([[3 * step, 4 * step]]), rel=1e-12)
    model = PassiveAggressive(C=2.0, variant="II", bias=0)  # 1 / (25 + 1 / (2 * 2 * 0.5)) = 1 / 25.5
    model.partial_fit([[3.0, 4.0]], [1], classes=[0, 1], sample_weight=[0.5])
    assert model.coef_ == pytest.approx(np.array([[3 / 25.5, 4 / 25.5]]), rel=1e-12)


@pytest.mark.parametrize("weights", [1e-3, 1.0, 1e3])
def test_a_full_step_of_passive_aggressive_does_not_depend_on_weights(weights: float) -> None:
    full = PassiveAggressive(C=float("inf"), max_epochs=3).fit(X, LABELS[2])
    assert answers(clone(full).fit(X, LABELS[2], sample_weight=weights * WEIGHTS)) == answers(full)


def test_a_weight_of_two_is_not_two_copies() -> None:
    """Row 1 becomes right after one step of any length; a copy of it is then presented and does nothing."""
    rows, y = [[1.0], [2.0]], [0, 1]
    model = Perceptron(order="cyclic", bias=0, max_epochs=1)
    assert clone(model).fit(rows, y, sample_weight=[1, 2]).coef_.tolist() == [[-1.0 + 2 * 2.0]]
    assert clone(model).fit([*rows, rows[1]], [*y, 1]).coef_.tolist() == [[-1.0 + 2.0]]


def test_an_error_of_the_pocket_costs_the_weight_of_its_row() -> None:
    """In one column, 0 1 0 1 has one error at best: row 1 or row 2, whichever is cheaper."""
    rows, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for weights, cost, wrong in [([1, 0.25, 1, 1], 0.25, 1), ([1, 1, 0.5, 1], 0.5, 2)]:
        model = Pocket().fit(rows, y, sample_weight=weights)
        assert model.n_errors_ == cost
        assert np.flatnonzero(model.predict(rows) != y).tolist() == [wrong]
    model = Pocket(class_weight={1: 4.0}).fit(rows, y, sample_weight=[1, 0.25, 0.5, 1])  # row 1 now costs 1
    assert model.n_errors_ == 0.5
    assert np.flatnonzero(model.predict(rows) != y).tolist() == [2]


def test_an_error_on_a_row_held_out_costs_its_weight() -> None:
    y = LABELS[2]
    plain = Perceptron(held_out=0.25, max_epochs=4, patience=9, class_weight={0: 3.0})
    one, twice = clone(plain).fit(X, y), clone(plain).fit(X, y, sample_weight=np.full(40, 2.0))
    assert twice.held_out_errors_per_epoch_.tolist() == (2 * one.held_out_errors_per_epoch_).tolist()
    marked = np.where(np.arange(40) % 2, 2.0**-20, 1.0)  # the errors on class 1 are the fraction of the cost
    costs = clone(plain).fit(X, y, sample_weight=marked).held_out_errors_per_epoch_
    assert ((costs % 3) * 2**20 == np.rint((costs % 3) * 2**20)).all()
    assert (costs % 3 <= 5 * 2.0**-20).all()  # at most the five rows of class 1 that are held out
    assert (costs > 0).any()


# ---------------------------------------------------------------------------------------------------------------------
# What must not change an answer


@every_model
@both_counts
def test_weights_of_one_are_no_weights(model: Any, k: int) -> None:
    expected = answers(clone(model).fit(X, LABELS[k]))
    for ones in (np.ones(40), 1.0, np.ones(40, dtype=np.int8), [1] * 40):
        assert answers(clone(model).fit(X, LABELS[k], sample_weight=ones)) == expected


@every_model
@both_counts
@pytest.mark.parametrize("held_out", [None, 0.2])
def test_rows_of_weight_zero_are_left_out(model: Any, k: int, held_out: float | None) -> None:
    if held_out is not None:
        if isinstance(model, Pocket):
            return
        model = clone(model).set_params(held_out=held_out)
    y, kept = LABELS[k], np.arange(40) % 5 != 3
    there = clone(model).fit(X, y, sample_weight=np.where(kept, WEIGHTS, 0.0))
    assert answers(there) == answers(clone(model).fit(X[kept], y[kept], sample_weight=WEIGHTS[kept]))


@every_model
@both_counts
def test_dense_and_sparse_rows_agree(model: Any, k: int) -> None:
    dense = clone(model).fit(X, LABELS[k], sample_weight=WEIGHTS)
    sparse = clone(model).fit(scipy.sparse.csr_array(X), LABELS[k], sample_weight=WEIGHTS)
    if isinstance(model, PassiveAggressive):  # its step is a quotient of rounded sums
        assert sparse.coef_ == pytest.approx(dense.coef_, rel=1e-9, abs=1e-12)
    else:
        assert answers(sparse) == answers(dense)


@pytest.mark.parametrize("model", STREAMED, ids=str)
@both_counts
def test_chunks_and_single_rows_with_weights_are_the_whole(model: Any, k: int) -> None:
    y, weights = LABELS[k], np.where(np.arange(40) % 7 == 2, 0.0, WEIGHTS)
    classes = list(range(k))
    whole = clone(model).partial_fit(X, y, classes, weights)
    chunks, singles = clone(model), clone(model)
    for part in np.array_split(np.arange(40), 7):
        chunks.partial_fit(X[part], y[part], classes=classes, sample_weight=weights[part])
    for x, label, weight in zip(X, y, weights, strict=True):
        singles.learn_one(x, label, classes=classes, sample_weight=weight)
    assert answers(chunks)[:3] == answers(singles)[:3] == answers(whole)[:3]
    assert sum(chunks._mistakes) == sum(singles._mistakes) == sum(whole._mistakes)


def test_a_row_of_weight_zero_changes_nothing() -> None:
    model = Perceptron(average="averaged").fit(X, LABELS[2])
    before, reason = answers(model), model.stop_reason_
    model.learn_one(-X[0], int(LABELS[2][0]), sample_weight=0)
    assert (answers(model), model.stop_reason_) == (before, reason)


def test_with_warm_start_a_class_may_be_absent() -> None:
    model = Perceptron(warm_start=True).fit(X, LABELS[3])
    some = LABELS[3] < 2
    assert model.fit(X[some], LABELS[3][some], sample_weight=WEIGHTS[some]).n_iter_ > 0


# ---------------------------------------------------------------------------------------------------------------------
# Users


@pytest.mark.parametrize("model", [Perceptron(), PassiveAggressive(), Pocket()], ids=str)
def test_boosting_is_better_than_one_hyperplane(model: Any) -> None:
    """A corner of the plane against the rest: no line separates them, and two do."""
    rows = np.random.default_rng(0).normal(size=(300, 2))
    y = ((rows[:, 0] > 0) | (rows[:, 1] > 0.3)).astype(int)
    boosted = AdaBoostClassifier(model, n_estimators=50, random_state=0).fit(rows, y)
    alone = clone(model).fit(rows, y).score(rows, y)
    assert boosted.score(rows, y) > alone
    if isinstance(model, Pocket):
        assert boosted.score(rows, y) == 1.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 39, "one number for each of the 40 rows"),
        ([1.0] * 39 + [-1.0], r"at least 0; sample_weight\[39\] is -1.0"),
        ([1.0] * 39 + [np.nan], r"sample_weight\[39\] is nan"),
        (["a"] * 40, "a number for each row"),
        (LABELS[2], "zero for every row of class 0"),
    ],
)
@every_model
def test_weights_that_cannot_be_are_refused(model: Any, weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        clone(model).fit(X, LABELS[2], sample_weight=weights)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_one_weight_that_cannot_be_is_refused(weight: float) -> None:
    model = Perceptron().fit(X, LABELS[2])
    before = answers(model)
    for learn in (model.learn_one, clone(model).learn_one):
        with pytest.raises(DataError, match="finite number of at least 0"):
            learn(X[0], 0, classes=[0, 1], sample_weight=weight)
    assert answers(model) == before


def test_a_huge_weight_that_overflows_is_refused_and_not_kept() -> None:
    model = Perceptron(bias=0).fit([[1e90], [-1e90]], [1, 0])
    before = answers(model)
    with pytest.raises(DataError, match="too large"):
        model.learn_one([1e90], 0, sample_weight=1e300)
    assert answers(model) == before
