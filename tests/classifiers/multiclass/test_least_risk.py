"""Decisions of least risk: every threshold tried in fractions, costs by hand, the contract, and refused input."""

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import BudgetWarning, DataError, Kozinec, LeastRisk, ParameterError, PassiveAggressive, Perceptron
from rosenblatt.losses import empirical_risk
from tests.support.effort import by_day

Penalty = list[list[int]]
TwoClasses = tuple[list[int], list[int], Penalty]
MoreClasses = tuple[list[list[int]], list[int], Penalty]
LARGEST = np.finfo(float).max
MISS_5 = [[0, 5], [1, 0]]  # to decide 0 where the state is 1 costs 5, the other error 1


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are the columns of X; with two classes, the first column."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        scores = np.asarray(X, dtype=float)
        return scores[:, 0] if len(self.classes_) == 2 else scores


def column(scores: Sequence[float]) -> list[list[float]]:
    return [[s] for s in scores]


def risk_of(decisions: Sequence[int], states: Sequence[int], W: Any) -> Fraction:
    return sum((Fraction(W[d][s]) for d, s in zip(decisions, states, strict=True)), Fraction(0)) / len(states)


def threshold_risks(scores: Sequence[float], states: Sequence[int], W: Any) -> dict[Any, Fraction]:
    """Return the risk of deciding 1 above t, for t below all scores (None) and at each score: these are all cases."""
    risks = {t: risk_of([int(s > t) for s in scores], states, W) for t in sorted(set(scores))}
    return {None: risk_of([1] * len(scores), states, W), **risks}


def decisions_of(scores: Sequence[Sequence[int]], offsets: Sequence[Fraction]) -> list[int]:
    shifted = [[s + o for s, o in zip(row, offsets, strict=True)] for row in scores]
    return [row.index(max(row)) for row in shifted]  # the first of equal ones


def offsets_to_try(scores: Sequence[Sequence[int]], offsets: Sequence[Fraction], c: int) -> list[Fraction]:
    """Return every offset at which class c ties with another class in some row, and offsets between and beyond."""
    k = len(offsets)
    level = sorted({row[d] + offsets[d] - row[c] for row in scores for d in range(k) if d != c})
    between = [(a + b) / 2 for a, b in itertools.pairwise(level)]
    return [level[0] - 1, *level, *between, level[-1] + 1]


# ---------------------------------------------------------------------------------------------------------------------
# Two classes


def matrices(n: int, k: int, entries: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(entries, min_size=k, max_size=k), min_size=n, max_size=n)


@st.composite
def two_classes(draw: st.DrawFn) -> TwoClasses:
    """A few different scores, so that many are equal; penalties may be negative."""
    states = [0, 1, *draw(st.lists(st.integers(0, 1), max_size=10))]
    scores = draw(matrices(1, len(states), st.integers(-4, 4)))[0]
    return scores, states, draw(matrices(2, 2, st.integers(-2, 6)))


@given(two_classes())
def test_no_threshold_has_a_lower_risk(problem: TwoClasses) -> None:
    """The threshold is 0 if 0 is among the best, else the middle of the widest gap."""
    scores, states, W = problem
    risks, ordered = threshold_risks(scores, states, W), sorted(set(scores))
    least, before = min(risks.values()), risk_of([int(s > 0) for s in scores], states, W)
    model = LeastRisk(Given(), W).fit(column(scores), states)
    assert (model.risk_, model.risk_before_) == (float(least), float(before))
    decisions = model.predict(column(scores))
    assert risk_of(decisions.tolist(), states, W) == least
    assert np.array_equal(decisions, model.decision_function(column(scores)) > 0)
    gaps = [(b - a, Fraction(a + b) / 2) for a, b in itertools.pairwise(ordered) if risks[a] == least]
    threshold = -Fraction(model.offsets_.item())
    if before == least:
        assert threshold == 0
    elif gaps:
        assert (max(gaps)[0], threshold) in gaps
    else:  # all alike, and no row at the edge of it
        assert threshold < ordered[0] or threshold > ordered[-1]


@given(
    st.lists(st.tuples(st.floats(-1e308, 1e308), st.integers(0, 1)), min_size=1, max_size=12),
    matrices(2, 2, st.floats(-1e3, 1e3)),
)
def test_scores_and_penalties_of_any_size(rows: list[tuple[float, int]], W: list[list[float]]) -> None:
    scores, states = [0.5, -0.5, *(s for s, _ in rows)], [0, 1, *(y for _, y in rows)]
    model = LeastRisk(Given(), W).fit(column(scores), states)
    size = float(risk_of([1] * len(states), states, np.abs(W)) + risk_of([0] * len(states), states, np.abs(W)))
    assert abs(model.risk_ - float(min(threshold_risks(scores, states, W).values()))) <= 1e-14 * size
    assert model.risk_ == pytest.approx(
        empirical_risk(states, model.predict(column(scores)), W), rel=1e-12, abs=1e-14 * size
    )


def test_by_hand() -> None:
    """Thresholds below -3, -1, 2, 4 and above cost 3, 2, 1 + 5, 5 and 10: take the middle between -3 and -1.

    A penalty for a class that does not occur changes nothing.
    """
    X, y = column([-3, -1, -1, 2, 4]), [0, 1, 0, 0, 1]
    model = LeastRisk(Given(), MISS_5).fit(X, y)
    absent = LeastRisk(Given(), [[0, 9, 1], [9, 9, 9], [5, 9, 0]], np.array([1, 7, 0])).fit(X, y)
    for each in (model, absent):
        assert (each.risk_before_, each.risk_, each.offsets_.tolist()) == (6 / 5, 2 / 5, [2.0])
    assert model.decision_function(X).tolist() == [-1.0, 1.0, 1.0, 4.0, 6.0]
    assert model.predict([*X, [-2]]).tolist() == [0, 1, 1, 1, 1, 0]  # a shifted score of 0 is class 0


@pytest.mark.parametrize(("score", "offset"), [(-3, 5.0), (-4, 8.0), (0, 1.0), (3, 0.0), (-1.7e308, LARGEST)])
def test_one_score_for_all_rows(score: float, offset: float) -> None:
    """All rows have one score, so all are decided 1: the offset is beyond -score by its power of two, or by 1."""
    model = LeastRisk(Given(), MISS_5).fit(column([score] * 4), [0, 0, 0, 1])
    assert (model.offsets_.tolist(), model.risk_) == ([offset], 3 / 4)


def test_neighbouring_floats_are_told_apart() -> None:
    scores = [1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)]
    for y, errors in [([0, 1, 1], 0), ([0, 0, 1], 0), ([0, 1, 0], 1)]:
        model = LeastRisk(Given()).fit(column(scores), y)
        assert model.risk_ == errors / 3
        assert np.count_nonzero(model.predict(column(scores)) != y) == errors
    beyond = LeastRisk(Given(), MISS_5).fit(column([-1.0, -np.nextafter(1.0, 0)]), [1, 0])
    assert beyond.risk_ == 1 / 2  # both decided 1: 1 + 2^-53, a step beyond the ends, would round to 1


def test_risks_that_differ_by_rounding_are_equal() -> None:
    """7 x 0.1 = 0.7, so 0 stays; 1000 x 0.3 = 3000 x 0.1, so the wider of the gaps at 2 and 1005 is taken."""
    assert 7 * 0.1 > 0.7
    model = LeastRisk(Given(), [[0, 0.1], [0.7, 0]]).fit(column([-9, -2] + [-3] * 7 + [1] * 7), [0, 0] + [1] * 14)
    assert model.offsets_.tolist() == [0.0]
    model = LeastRisk(Given(), [[0.0, 1e-30], [1.0, 0.0]]).fit(column([-2, -1]), [0, 1])  # small, but not by rounding
    assert (model.offsets_.tolist(), model.risk_) == ([1.5], 0.0)
    scores = [1, *(3 + np.arange(4000) / 4), 1007.75]
    model = LeastRisk(Given(), [[0, 0.3], [0.1, 0]]).fit(column(scores), [0] + [1] * 1000 + [0] * 3000 + [1])
    assert model.offsets_.tolist() == [-(1002.75 + 1007.75) / 2]


@given(two_classes(), st.integers(1, 5), st.integers(1, 5))
def test_the_more_a_miss_costs_the_fewer_are_missed(problem: TwoClasses, cost: int, more: int) -> None:
    scores, states, _ = problem
    X, missed = column(scores), []
    for price in (cost, cost + more):
        decisions = LeastRisk(Given(), [[0, price], [1, 0]]).fit(X, states).predict(X)
        missed.append(sum(s == 1 and d == 0 for s, d in zip(states, decisions, strict=True)))
    assert missed[1] <= missed[0]


@given(two_classes())
def test_classes_may_change_their_names(problem: TwoClasses) -> None:
    """If new names reverse the order of the classes, scores and thresholds change their sign."""
    scores, states, W = problem
    one = LeastRisk(Given(), W, ["a", "b"]).fit(column(scores), ["ab"[s] for s in states])
    other = LeastRisk(Given(), W, ["z", "b"]).fit(column([-s for s in scores]), ["zb"[s] for s in states])
    assert other.classes_.tolist() == ["b", "z"]
    assert other.risk_ == one.risk_


def test_with_other_names_the_hyperplane_is_the_same() -> None:
    X, y = column([-3, -1, -1, 2, 4]), np.array([0, 1, 0, 0, 1])
    one = LeastRisk(Kozinec(C=1.0), MISS_5, ["a", "b"]).fit(X, np.array(["a", "b"])[y])
    other = LeastRisk(Kozinec(C=1.0), MISS_5, ["z", "b"]).fit(X, np.array(["z", "b"])[y])
    assert other.offsets_ == pytest.approx(-one.offsets_)
    assert other.intercept_ == pytest.approx(-one.intercept_)
    assert (one.risk_, other.risk_) == (
        2 / 5,
        2 / 5,
    )  # as by hand: the scores rise with X, and no threshold does better


# ---------------------------------------------------------------------------------------------------------------------
# More classes


@st.composite
def more_classes(draw: st.DrawFn) -> MoreClasses:
    k = draw(st.integers(3, 4))
    states = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=8))]
    return draw(matrices(len(states), k, st.integers(-3, 3))), states, draw(matrices(k, k, st.integers(-2, 6)))


@given(more_classes())
def test_no_offset_can_be_improved_alone(problem: MoreClasses) -> None:
    scores, states, W = problem
    model = LeastRisk(Given(), W).fit(scores, states)
    offsets = [Fraction(o) for o in model.offsets_.tolist()]
    k = len(offsets)
    assert k == len(W)
    found = decisions_of(scores, offsets)
    assert model.predict(scores).tolist() == found
    assert model.risk_ == float(risk_of(found, states, W)) == pytest.approx(empirical_risk(states, found, W))
    assert model.risk_before_ == float(risk_of(decisions_of(scores, [Fraction(0)] * k), states, W))
    assert model.risk_ <= model.risk_before_
    assert (model.risk_ < model.risk_before_) == any(offsets)
    for c in range(k):
        for o in offsets_to_try(scores, offsets, c):
            other = decisions_of(scores, [*offsets[:c], o, *offsets[c + 1 :]])
            assert risk_of(other, states, W) >= risk_of(found, states, W)


@given(more_classes(), st.randoms(use_true_random=False))
def test_the_order_of_the_penalty_is_that_of_labels(problem: MoreClasses, random: Any) -> None:
    scores, states, W = problem
    labels = random.sample(range(len(W)), len(W))
    expected = LeastRisk(Given(), W).fit(scores, states)
    model = LeastRisk(Given(), [[W[d][s] for s in labels] for d in labels], labels).fit(scores, states)
    assert (model.offsets_.tolist(), model.risk_) == (expected.offsets_.tolist(), expected.risk_)
    assert model.risk_ == pytest.approx(empirical_risk(states, model.predict(scores), model.penalty, labels))


def test_three_classes_by_hand() -> None:
    """Class 0 ties at -1 (twice) and 3: below -1, one error of cost 1 is left, and the step is 3 - -1 = 4."""
    X, y = [[2, 1, 0], [2, 1, 0], [0, 0, 3]], ["a", "b", "c"]
    model = LeastRisk(Given(), [[0, 4, 1], [1, 0, 1], [1, 1, 0]]).fit(X, y)
    assert (model.risk_before_, model.risk_, model.offsets_.tolist()) == (4 / 3, 1 / 3, [-5.0, 0.0, 0.0])
    assert model.decision_function(X[:1]).tolist() == [[-3.0, 1.0, 0.0]]
    assert model.predict([*X, [6, 1, 0]]).tolist() == ["b", "b", "c", "a"]  # of equal scores, the earlier class


def test_a_tie_may_be_the_best_there_is() -> None:
    """Class 1 wins a tie with class 2 and loses one with class 0: at offset 2 exactly, all three rows are right."""
    X, y = [[2, 0, 0], [0, 0, 2], [0, 0, 9]], [0, 1, 2]
    model = LeastRisk(Given()).fit(X, y)
    assert (model.risk_before_, model.risk_) == (1 / 3, 0.0)
    assert model.predict(X).tolist() == y


# ---------------------------------------------------------------------------------------------------------------------
# Around estimators


def blobs(k: int) -> tuple[Any, Any]:
    """Overlapping classes, in whole numbers."""
    rng = np.random.default_rng(1)
    y = np.arange(120) % k
    return np.rint(2 * rng.normal(size=(120, 2)) + 2 * np.stack([y, y % 2], axis=1)), y


MODELS = [
    *(Perceptron(max_epochs=5, average=average) for average in (None, "averaged", "voted")),
    PassiveAggressive(max_epochs=5, C=0.1),
    make_pipeline(StandardScaler(), Perceptron(max_epochs=5)),
    LogisticRegression(),
]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize(("estimator", "k"), [(Kozinec(C=1.0), 2), *itertools.product(MODELS, [2, 3])], ids=str)
def test_around_a_classifier_misses_become_fewer_and_the_risk_is_that_of_predict(estimator: Any, k: int) -> None:
    X, y = blobs(k)
    W = 1 - np.eye(k)
    W[0, k - 1] = W[k - 2, k - 1] = 20  # the last class must not be missed
    model = LeastRisk(estimator, W).fit(X, y)
    before, after = model.estimator_.predict(X), model.predict(X)
    last = y == k - 1
    assert np.count_nonzero(after[last] != k - 1) < np.count_nonzero(before[last] != k - 1)
    assert model.risk_ < model.risk_before_
    assert model.risk_ == pytest.approx(empirical_risk(y, after, W))
    assert np.array_equal(model.decision_function(X), model.estimator_.decision_function(X) + model.offsets_)
    assert not hasattr(estimator, "classes_")  # a copy was fitted


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("k", [2, 3])
def test_weights_and_shifted_intercept_give_the_scores(k: int) -> None:
    X, y = blobs(k)
    model = LeastRisk(Perceptron(max_epochs=5), 5 * np.tri(k, k, -1) + np.tri(k).T - np.eye(k))
    assert not any(hasattr(model, name) for name in ("coef_", "intercept_", "n_features_in_", "feature_names_in_"))
    model.fit(X, y)
    expected = X @ model.coef_.T + model.intercept_
    assert model.decision_function(X) == pytest.approx(expected[:, 0] if k == 2 else expected)
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert model.fit(pd.DataFrame(X, columns=["height", "age"]), y).feature_names_in_.tolist() == ["height", "age"]


def test_what_the_estimator_has_not_it_has_not() -> None:
    X, y = blobs(3)
    piped = LeastRisk(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)
    assert not hasattr(piped, "coef_") | hasattr(piped, "intercept_")
    by_pairs = LeastRisk(SVC(kernel="linear")).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2) + 3 * (np.arange(240) % 2))
    assert not hasattr(by_pairs, "intercept_")  # 15 pairs of 6 classes


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_sparse_rows_and_text_pass_through() -> None:
    X, y = blobs(3)
    dense = LeastRisk(Perceptron(max_epochs=5)).fit(X, y)
    sparse = LeastRisk(Perceptron(max_epochs=5)).fit(scipy.sparse.csr_matrix(X), y)
    assert np.array_equal(sparse.offsets_, dense.offsets_)  # whole numbers: sums do not round
    assert np.array_equal(sparse.predict(scipy.sparse.csr_matrix(X)), dense.predict(X))
    texts = ["good food", "bad food", "good good", "bad bad"]
    model = LeastRisk(make_pipeline(CountVectorizer(), Perceptron())).fit(texts, [1, 0, 1, 0])
    assert (model.risk_, model.predict(["good", "bad"]).tolist()) == (0.0, [1, 0])


def test_inside_a_pipeline_and_where_nothing_is_wrong_nothing_moves() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    model = make_pipeline(StandardScaler(), LeastRisk(Perceptron(), [[0, 100], [1, 0]])).fit(X, y)
    assert model.predict(X).tolist() == y
    assert (model[-1].offsets_.tolist(), model[-1].risk_, model[-1].risk_before_) == ([0.0], 0.0, 0.0)


WRAPPED: list[Any] = [Perceptron(average="averaged", tie="positive"), Kozinec(C=1.0)]
WRAPPED += by_day([], [Perceptron(), PassiveAggressive()])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LeastRisk(estimator) for estimator in WRAPPED])  # type: ignore[untyped-decorator]
def test_sklearn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused


X4, Y4 = column([-3, -1, 1, 2]), ["no", "yes", "no", "yes"]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"estimator": None}, "must be a classifier with a decision_function, such as Perceptron(), not None"),
    ({"estimator": Perceptron}, "not a class; write Perceptron()."),
    ({"estimator": LinearRegression()}, "not LinearRegression()."),
    ({"estimator": GaussianNB()}, "GaussianNB() is a classifier without one."),
    ({"penalty": [[0, 1]]}, "must be 2 x 2, a row (decision) and a column (state) for each of the classes ['no'"),
    ({"penalty": np.zeros((3, 3))}, "['no', 'yes'], but its shape is (3, 3); name all of its labels in labels"),
    ({"penalty": [[0, 1], [1, 0]], "labels": ["no", "yes", "?"]}, "3 x 3, a row (decision) and a column (state) for"),
    ({"penalty": [[0, 1], [1]]}, "penalty must be a rectangular array of numbers"),
    ({"penalty": [["a", 1], [1, 0]]}, "penalty must be a rectangular array of numbers"),
    ({"penalty": [[0, np.inf], [1, 0]]}, "penalty must be finite, but it is inf at row 0, column 1"),
    ({"labels": "no"}, "labels=...) must be a list of labels, such as ['no', 'yes'], not 'no'."),
    ({"labels": 2}, "must be a list of labels, such as ['no', 'yes'], not 2."),
    ({"labels": ["no", "yes", "no"]}, "must be distinct, but 'no' occurs twice in ['no', 'yes', 'no']."),
    ({"labels": ["no", "maybe"]}, "must name all classes of y, ['no', 'yes'], but 'yes' is not in ['no', 'maybe']."),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_wrong_parameters_are_refused_and_leave_the_model_as_it_was(options: dict[str, Any], message: str) -> None:
    model = LeastRisk(Given(), MISS_5).fit(X4, Y4)
    kept = model.estimator_
    with pytest.raises(ParameterError, match=re.escape(message)):
        model.set_params(**options).fit(X4, Y4)
    assert model.estimator_ is kept
    assert (model.risk_before_, model.risk_, model.offsets_.tolist()) == (6 / 4, 1 / 4, [2.0])
    assert model.predict(X4).tolist() == ["no", "yes", "yes", "yes"]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (X4, ["no"] * 4, "y must hold at least 2 classes"),
        (X4, None, "requires y to be passed"),
        (X4, np.array(3), "y must hold one class label for each row"),
        (column([1, np.inf, 2, 3]), Y4, "Every score must be finite, but that of row 1 is inf"),
        (column([1, 2, 3]), [0, 1, 2], r"must give 3 columns, one per class, for .* but the shape .* is \(3, 1\)"),
        (X4, [0, 1], r"must give one score per row, for .* is \(4,\)"),
    ],
)
def test_wrong_data_and_scores_are_refused(X: Any, y: Any, message: str) -> None:
    model = LeastRisk(Given()).fit(X4, Y4)
    kept = model.estimator_
    with pytest.raises((DataError, ParameterError), match=message):
        model.fit(X, y)
    assert model.estimator_ is kept


def test_an_estimator_that_fails_leaves_the_model_as_it_was() -> None:
    model = LeastRisk(Perceptron(max_epochs=3)).fit(column([-1, 1]), [0, 1])
    with pytest.raises(BudgetWarning):  # warnings are errors here
        model.fit(X4, Y4)
    assert model.predict([[5]]).tolist() == [1]
