"""The dual form: compiled = interpreted = exact oracle, alone and in the estimator; the budget of columns."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import check_random_state

from rosenblatt import BudgetWarning, DataError, KernelPerceptron, ParameterError
from rosenblatt.classifiers.kernel_perceptron import Dual
from rosenblatt.classifiers.kernel_values import Columns, Kernel
from rosenblatt.rules.dual import dual, first_mistake
from tests.support import oracle

TIES = {"mistake": 0, "positive": 1, "negative": -1}
Exact = list[list[Fraction]]
overlap = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")


class OracleResult(NamedTuple):
    """The oracle's result: alpha and its mean over the rows presented, one row per class; the mistakes of each pass."""

    alpha: Exact
    mean: Exact
    mistakes: list[int]
    clean: bool


class Case(NamedTuple):
    """A table of products of whole numbers, labels, weights that binary fractions hold, and options."""

    K: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    k: int
    margin: float
    tie: str
    bias: int

    def winner(self, alpha: Exact, i: int) -> int:
        """Return the winner of row i by the oracle; two classes have scores s and -s, so twice the margin."""
        products = [Fraction(int(K)) + self.bias**2 for K in self.K[:, i].tolist()]
        margin = Fraction(self.margin) * (2 if self.k == 2 else 1)
        return oracle.winner(products, alpha, int(self.y[i]), margin, TIES[self.tie])

    def told(self, passes: Iterator[list[int]], most: int) -> OracleResult:
        """The dual perceptron of the docstring, in fractions; each presentation counts with its weight."""
        alpha = [[Fraction(0)] * len(self.y) for _ in range(self.k)]
        total, seen = np.array(alpha), Fraction(0)
        mistakes: list[int] = []
        for order in passes:
            mistakes.append(0)
            for i in order:
                left = Fraction(self.weight[i])
                while left > 0:
                    step, v = min(left, Fraction(1)), self.winner(alpha, i)
                    if v != self.y[i]:
                        alpha[self.y[i]][i] += step
                        alpha[v][i] -= step
                        mistakes[-1] += 1
                    total, seen, left = total + step * np.array(alpha), seen + step, left - step
            clean = all(self.winner(alpha, i) == self.y[i] for i in range(len(self.y)))
            if len(mistakes) == most or (clean and mistakes[-1] == 0):
                break
        return OracleResult(alpha, (total / seen).tolist() if seen else alpha, mistakes, clean and mistakes[-1] == 0)

    def options(self) -> dict[str, Any]:
        return {"margin": self.margin, "tie": self.tie, "bias": self.bias}


@st.composite
def cases(draw: st.DrawFn, ties: tuple[str, ...] = tuple(TIES)) -> Case:
    """The table is symmetric, but squares may have any sign: the rule needs no more."""
    n, k = draw(st.integers(3, 6)), draw(st.integers(2, 3))
    half = np.array(draw(st.lists(st.integers(-3, 4), min_size=n * n, max_size=n * n))).reshape(n, n)
    rest = draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))
    weights = st.sampled_from([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 2.5, 3.0])
    return Case(
        K=(np.tril(half) + np.tril(half, -1).T).astype(float),
        y=np.array(draw(st.permutations([*range(k), *rest]))),
        weight=np.array(draw(st.lists(weights, min_size=n, max_size=n))),
        k=k,
        margin=draw(st.sampled_from([0.0, 0.0, 1.0, 2.5])),
        tie=draw(st.sampled_from(ties)),
        bias=draw(st.sampled_from([0, 1, 2])),
    )


def exactly(table: np.ndarray) -> Exact:
    return [[Fraction(v) for v in row] for row in table.tolist()]


# ---------------------------------------------------------------------------------------------------------------------
# The compiled rule


def started(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros((case.k, len(case.y))), np.zeros((case.k, len(case.y))), np.zeros((case.k, len(case.y)))


@pytest.mark.parametrize("rule", [dual, dual.run_as_python], ids=["compiled", "interpreted"])
@given(cases(), st.data())
def test_dual_follows_the_oracle(rule: Callable[..., Any], case: Case, data: st.DataObject) -> None:
    n = len(case.y)
    order = data.draw(st.lists(st.integers(0, n - 1), max_size=15))
    told = case.told(iter([order]), 1)
    alpha, late, scores = started(case)
    margin, tie = case.margin * (2 if case.k == 2 else 1), float(TIES[case.tie])
    columns, slot = (case.K + case.bias**2)[::-1].copy(), np.arange(n)[::-1].copy()
    done, seen, mistakes = rule(
        columns, slot, case.y, np.array(order, dtype=np.int64), case.weight, alpha, late, 0.0, scores, margin, tie
    )
    assert (done, mistakes) == (len(order), told.mistakes[0])
    assert seen == case.weight[order].sum()
    assert exactly(alpha) == told.alpha
    assert scores.tolist() == (alpha @ (case.K + case.bias**2)).tolist()
    if order:
        late_parts = [[Fraction(v) / Fraction(seen) for v in row] for row in late.tolist()]
        assert (np.array(exactly(alpha)) - np.array(late_parts)).tolist() == told.mean


@pytest.mark.parametrize("rule", [dual, dual.run_as_python], ids=["compiled", "interpreted"])
@given(cases(), st.data())
def test_dual_stops_where_a_column_is_missing_and_goes_on_there(
    rule: Callable[..., Any], case: Case, data: st.DataObject
) -> None:
    n = len(case.y)
    order = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=15)))
    told = case.told(iter([order.tolist()]), 1)
    alpha, late, scores = started(case)
    margin, tie = case.margin * (2 if case.k == 2 else 1), float(TIES[case.tie])
    columns, slot = np.full((n, n), np.nan), np.full(n, -1)
    start, seen, mistakes, given_so_far = 0, 0.0, 0, 0
    while True:
        now, seen, wrong = rule(
            columns, slot, case.y, order[start:], case.weight, alpha, late, seen, scores, margin, tie
        )
        start, mistakes = start + now, mistakes + wrong
        if start == len(order):
            break
        assert slot[order[start]] == -1
        slot[order[start]], columns[given_so_far] = given_so_far, case.K[order[start]] + case.bias**2
        given_so_far += 1
    assert mistakes == told.mistakes[0]
    assert exactly(alpha) == told.alpha
    assert given_so_far == np.count_nonzero(alpha.any(axis=0))  # no column is asked for in vain


@pytest.mark.parametrize("rule", [first_mistake, first_mistake.run_as_python], ids=["compiled", "interpreted"])
@given(cases(), st.data())
def test_first_mistake_is_the_first_row_that_another_class_wins(
    rule: Callable[..., Any], case: Case, data: st.DataObject
) -> None:
    n, whole = len(case.y), st.integers(-2, 2)
    alpha = np.array(data.draw(st.lists(whole, min_size=case.k * n, max_size=case.k * n))).reshape(case.k, n)
    order = np.array(data.draw(st.permutations(range(n))))[: data.draw(st.integers(1, n))]
    wrong = [i for i in order.tolist() if case.winner(exactly(alpha), i) != case.y[i]]
    margin, tie = case.margin * (2 if case.k == 2 else 1), float(TIES[case.tie])
    scores = (alpha @ (case.K + case.bias**2)).astype(float)
    assert rule(scores, case.y, order, margin, tie, np.zeros(n)) == (wrong[0] if wrong else -1)


@pytest.mark.parametrize("rule", [first_mistake, first_mistake.run_as_python], ids=["compiled", "interpreted"])
def test_a_lead_that_might_be_rounding_counts_as_a_mistake(rule: Callable[..., Any]) -> None:
    scores, y = np.array([[3.0, 2.0, 1.0], [0.0, 0.0, 1.0]]), np.zeros(3, dtype=np.int64)
    every = np.arange(3)
    assert rule(scores, y, every, 0.0, -1.0, np.array([2.9, 1.9, 9.0])) == -1  # the tie of row 2 is no rounding
    assert rule(scores, y, every, 0.0, -1.0, np.array([2.9, 2.0, 0.0])) == 1
    assert rule(scores, y, every, 0.5, -1.0, np.array([2.4, 1.4, 0.0])) == 2
    assert rule(scores, y, every, 0.5, -1.0, np.array([2.6, 1.4, 0.0])) == 0


# ---------------------------------------------------------------------------------------------------------------------
# The estimator


def drawn(order: str, n: int, seed: int) -> Iterator[list[int]]:
    """Return the rows of each pass, as the docstring of `Perceptron` describes them, from numpy's generator."""
    rng = check_random_state(seed)
    while True:
        if order == "cyclic":
            yield list(range(n))
        else:
            yield (rng.permutation(n) if order == "shuffled" else rng.randint(n, size=n)).tolist()


def full(model: KernelPerceptron, n: int) -> np.ndarray:
    """Return the weights of all rows, one row per class."""
    coef = np.zeros((len(model.dual_coef_), n))
    coef[:, model.support_] = model.dual_coef_
    return np.r_[-coef, coef] if len(coef) == 1 else coef


@overlap
@pytest.mark.parametrize("order", ["cyclic", "shuffled", "random"])
@pytest.mark.parametrize("average", [None, "averaged"])
@given(case=cases(), seed=st.integers(0, 9))
def test_the_estimator_follows_the_oracle(order: Any, average: Any, case: Case, seed: int) -> None:
    n = len(case.y)
    told = case.told(drawn(order, n, seed), 4)
    model = KernelPerceptron(
        kernel="precomputed", order=order, average=average, max_epochs=4, random_state=seed, **case.options()
    ).fit(case.K, case.y, case.weight)
    assert model.mistakes_per_epoch_.tolist() == told.mistakes
    assert model.n_updates_ == sum(told.mistakes)
    assert model.stop_reason_ == ("mistake_free" if told.clean else "budget")
    if average:
        assert full(model, n) == pytest.approx(np.array(told.mean, dtype=float), rel=1e-12, abs=1e-12)
        assert model.support_.tolist() == np.flatnonzero(np.array(told.mean).any(axis=0)).tolist()
    else:
        assert exactly(full(model, n)) == told.alpha
        expected = np.array(told.alpha[-1:] if case.k == 2 else told.alpha, dtype=float) @ (case.K + case.bias**2)
        assert model.decision_function(case.K).tolist() == (expected[0] if case.k == 2 else expected.T).tolist()
        if told.clean and case.margin == 0:
            assert model.predict(case.K).tolist() == case.y.tolist()


@overlap
@given(case=cases())
def test_a_callable_is_the_table_it_returns(case: Case) -> None:
    """Each row holds its row number in the table; with order="cyclic" rows are presented as they stand."""
    rows, sizes = np.arange(len(case.y), dtype=float)[:, np.newaxis], []

    def look_up(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        sizes.append((X.shape[1], Z.shape[1]))
        return np.asarray(case.K[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))])

    options = {"order": "cyclic", "max_epochs": 4, **case.options()}
    called = KernelPerceptron(kernel=look_up, **options).fit(rows, case.y, case.weight)
    given_ = KernelPerceptron(kernel="precomputed", **options).fit(case.K, case.y, case.weight)
    assert called.support_.tolist() == given_.support_.tolist()
    assert called.dual_coef_.tolist() == given_.dual_coef_.tolist()
    assert called.mistakes_per_epoch_.tolist() == given_.mistakes_per_epoch_.tolist()
    assert called.decision_function(rows).tolist() == given_.decision_function(case.K).tolist()
    assert set(sizes) == {(1, 1)}


def test_a_precomputed_table_is_cut_right_in_cross_validation() -> None:
    X, y = make_circles(100, noise=0.05, factor=0.3, random_state=0)
    K, table = laplacian_kernel(X), KernelPerceptron(kernel="precomputed", order="cyclic")
    called = KernelPerceptron(kernel=laplacian_kernel, order="cyclic")
    assert table.__sklearn_tags__().input_tags.pairwise
    assert not called.__sklearn_tags__().input_tags.pairwise
    assert cross_val_score(table, K, y).tolist() == cross_val_score(called, X, y).tolist()
    search = GridSearchCV(table, {"bias": [0.0, 1.0]}).fit(K, y)
    assert search.best_estimator_.predict(K).tolist() == y.tolist()


def test_a_precomputed_table_must_be_square_and_as_wide_later() -> None:
    model = KernelPerceptron(kernel="precomputed").fit(np.eye(4), [0, 1, 1, 0])
    assert model.predict([[0, 1, 0, 0], [0, 0, 0, 1]]).tolist() == [1, 0]
    with pytest.raises(DataError, match="precomputed kernel must be n x n; X is 4 x 2"):
        model.fit(np.eye(4, 2), [0, 1, 1, 0])
    with pytest.raises(DataError, match="X has 2 features"):
        model.predict(np.eye(4, 2))


@overlap
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_rows_are_answered_in_parts_as_at_once(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    K = np.random.default_rng(0).integers(-3, 4, size=(30, 30)).astype(float)
    model = KernelPerceptron(kernel=kernel, max_epochs=2).fit(K, np.arange(30) % 3)
    scores = model.decision_function(K)
    monkeypatch.setattr("rosenblatt.classifiers.kernel_perceptron.MAX_TABLE_CELLS", 3 * len(model.support_))
    assert model.decision_function(K) == pytest.approx(scores, rel=1e-12, abs=1e-12)


# ---------------------------------------------------------------------------------------------------------------------
# The budget


@given(cases(ties=("mistake",)), st.integers(1, 3), st.data())
def test_who_has_the_least_weight_makes_room(case: Case, budget: int, data: st.DataObject) -> None:
    """After each row: at most `budget` points, the one of least weight is dropped, and the scores are of the rest."""
    n = len(case.y)
    columns = Columns(Kernel("precomputed", 1.0, 1, 0.0, float(case.bias**2)), case.K, budget)
    learner = Dual(n, case.k, case.margin, 0.0)
    for i in data.draw(st.lists(st.integers(0, n - 1), min_size=10, max_size=25)):
        before = learner.alpha.copy()
        learner.learn(columns, case.y, np.array([i]), case.weight)
        gone = np.flatnonzero(before.any(axis=0) & ~learner.alpha.any(axis=0)).tolist()
        assert len(gone) <= 1
        if gone:
            met = learner.alpha.copy()
            met[:, gone] = before[:, gone]  # as it was when row i had been added
            held = np.flatnonzero(met.any(axis=0)).tolist()
            assert i in held
            weights = np.abs(met).sum(axis=0)
            assert weights[gone[0]] == min(weights[j] for j in held if j != i)
        assert np.count_nonzero(learner.alpha.any(axis=0)) <= len(columns.rows) <= budget
        assert len(columns.values) <= budget + 1
        assert set(np.flatnonzero(learner.alpha.any(axis=0))) <= set(columns.rows)
        assert learner.scores.tolist() == (learner.alpha @ (case.K + case.bias**2)).tolist()


@overlap
@pytest.mark.parametrize("order", ["cyclic", "shuffled", "random"])
@given(case=cases(), room=st.integers(0, 100))
def test_a_budget_of_all_rows_or_more_changes_nothing(order: Any, case: Case, room: int) -> None:
    model = KernelPerceptron(kernel="precomputed", order=order, max_epochs=5, **case.options())
    free = model.fit(case.K, case.y, case.weight).dual_coef_, model.support_, model.mistakes_per_epoch_
    model.set_params(max_support=len(case.y) + room).fit(case.K, case.y, case.weight)
    for expected, value in zip(free, (model.dual_coef_, model.support_, model.mistakes_per_epoch_), strict=True):
        assert value.tolist() == expected.tolist()


@overlap
@pytest.mark.parametrize("budget", [1, 2, 7, 20])
@pytest.mark.parametrize("k", [2, 3])
def test_no_more_points_than_the_budget_after_any_pass(budget: int, k: int) -> None:
    rng = np.random.default_rng(budget)
    X, y = rng.integers(-9, 10, size=(80, 2)).astype(float), rng.integers(0, k, size=80)
    for epochs in range(1, 6):
        model = KernelPerceptron(gamma=0.1, max_support=budget, max_epochs=epochs).fit(X, y)
        assert len(model.support_) <= budget
        assert model.dual_coef_.shape == (1 if k == 2 else k, len(model.support_))
        distances = ((X[:, np.newaxis] - X[np.newaxis, model.support_]) ** 2).sum(axis=2)
        expected = (np.exp(-0.1 * distances) + 1.0) @ model.dual_coef_.T
        assert model.decision_function(X) == pytest.approx(expected[:, 0] if k == 2 else expected, rel=1e-9, abs=1e-9)


def test_a_mean_needs_all_points() -> None:
    with pytest.raises(ParameterError, match=r"average=...\) needs all support points; give max_support=None"):
        KernelPerceptron(average="averaged", max_support=5).fit([[0.0], [1.0]], [0, 1])


def test_a_row_that_makes_another_leave_is_a_mistake_and_comes_in() -> None:
    """By hand: s = 0 is class 0, so row 0 is a mistake; then s = 1 + x.0 > 0, so row 1 is one and replaces row 0."""
    model = KernelPerceptron(kernel="linear", max_support=1, tie="negative", order="cyclic", max_epochs=1)
    with pytest.warns(BudgetWarning):
        model.fit([[0.0], [0.1]], [1, 0])
    assert model.mistakes_per_epoch_.tolist() == [2]
    assert model.support_.tolist() == [1]
    assert model.dual_coef_.tolist() == [[-1.0]]


@overlap
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "precomputed"])
@given(case=cases(), budget=st.integers(1, 2))
def test_whatever_is_left_in_the_budget_answers(kernel: Any, case: Case, budget: int) -> None:
    model = KernelPerceptron(kernel=kernel, order="cyclic", max_support=budget, max_epochs=2, **case.options())
    assert set(model.fit(case.K, case.y).predict(case.K)) <= set(range(case.k))
