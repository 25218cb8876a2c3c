"""Kessler's construction: long rows built by hand, theorems about them, and the largest margin of many classes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    BatchPerceptron,
    BudgetWarning,
    DataError,
    Kessler,
    Kozinec,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    StopReason,
    separability,
)
from tests.support import oracle
from tests.support.separability_oracle import kind_of, long_rows

Table = tuple[list[list[int]], list[int]]
ignore_budget = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")


@st.composite
def tables(draw: st.DrawFn, least: int = 3, spread: int = 3) -> Table:
    """Whole numbers; about half of the time each class has its own place, so that many tables are separable."""
    k, d = draw(st.integers(least, 4)), draw(st.integers(1, 3))
    y = draw(st.permutations([*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=5))]))
    vectors = st.lists(st.integers(-spread, spread), min_size=d, max_size=d)
    places = draw(st.lists(vectors, min_size=k, max_size=k))
    far = draw(st.sampled_from([0, 1, 3]))
    return [[far * p + a for p, a in zip(places[c], draw(vectors), strict=True)] for c in y], y


def by_hand(X: Any, y: Any, constant: int = 1) -> list[list[Fraction]]:
    """Return the long rows by the test code that checks `separability`; it shares nothing with the package."""
    rows = [[*map(Fraction, x), *([Fraction(constant)] if constant else [])] for x in X]
    return [z for _, _, z in long_rows(rows, y, max(y) + 1)]


def hull_distance(Z: Any) -> float:
    """Return the distance of the convex hull of rows from the origin.

    It minimises |u Z|^2 + (sum u - 1)^2 over u >= 0: whatever the best sum s is, u / s is the combination of the
    nearest point.
    """
    table = np.array(Z, dtype=float)
    u, _ = nnls(np.vstack([table.T, np.ones(len(table))]), np.append(np.zeros(table.shape[1]), 1.0))
    return float(np.linalg.norm(u @ table) / u.sum())


def leads(model: Any, X: Any, y: Any) -> Any:
    """Return (w_y - w_o).x / |W| for each row and rival; W includes the weights of the constant."""
    W = np.column_stack([model.coef_, model.intercept_])
    scores = np.column_stack([np.array(X, dtype=float), np.ones(len(y))]) @ W.T
    own = scores[np.arange(len(y)), y]
    return np.array([own[i] - s for i, row in enumerate(scores) for o, s in enumerate(row) if o != y[i]]) / (
        np.linalg.norm(W)
    )


# ---------------------------------------------------------------------------------------------------------------------
# The construction


def test_long_rows_of_three_classes_by_hand() -> None:
    """Row (5, 7) of the second class, with its constant 2: against the first, then against the third."""
    seen: list[Any] = []

    class Watched(Perceptron):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            seen.append((X.toarray().tolist(), y.tolist()))
            return super().fit(X, y, sample_weight)

    Kessler(Watched(bias=2.0)).fit([[5, 7], [1, 0], [0, 1]], ["b", "a", "c"])
    signs = [1, -1, 1, -1, 1, -1]
    long = [
        [-5, -7, -2, 5, 7, 2, 0, 0, 0],
        [0, 0, 0, 5, 7, 2, -5, -7, -2],
        [1, 0, 2, -1, 0, -2, 0, 0, 0],
        [1, 0, 2, 0, 0, 0, -1, 0, -2],
        [0, -1, -2, 0, 0, 0, 0, 1, 2],
        [0, 0, 0, 0, -1, -2, 0, 1, 2],
    ]
    assert seen == [([[s * v for v in z] for s, z in zip(signs, long, strict=True)], [s > 0 for s in signs])]


@ignore_budget
@pytest.mark.parametrize("bias", [0.0, 1.0, 0.5])
@given(table=tables(2), sparse=st.booleans())
def test_weights_are_those_that_a_learner_of_the_long_rows_has(bias: float, table: Table, sparse: bool) -> None:
    """The oracle is a binary perceptron in fractions over long rows built by hand."""
    X, y = table
    storage = scipy.sparse.csr_array if sparse else np.array
    model = Kessler(Perceptron(order="cyclic", bias=bias, max_epochs=4)).fit(storage(np.array(X, dtype=float)), y)
    rows = [[*map(Fraction, x), *([Fraction(bias)] if bias else [])] for x in X]
    Z = [z for _, _, z in long_rows(rows, y, max(y) + 1)]
    order = [*range(len(Z))] * model.estimator_.n_iter_
    path = oracle.perceptron(Z, [1] * len(Z), order, [Fraction(0)] * len(Z[0]), [Fraction(1)] * 2, Fraction(0), 0)
    W = [[float(v) for v in w] for w in np.array_split(np.array(path[-1], dtype=object), max(y) + 1)]
    if max(y) == 1:
        W = [[b - a for a, b in zip(*W, strict=True)]]
    assert model.coef_.tolist() == [w[: len(X[0])] for w in W]
    assert model.intercept_.tolist() == [w[-1] * bias if bias else 0.0 for w in W]
    assert model.estimator_.n_updates_ == sum(oracle.dot(w, Z[i]) <= 0 for w, i in zip(path, order, strict=False))


@ignore_budget
@pytest.mark.parametrize("margin", [0, 3])
@given(tables())
def test_the_multi_class_rule_is_the_binary_rule_on_the_long_row_of_the_winner(margin: int, table: Table) -> None:
    """Duda and Hart, section 5.12: it is the long row farthest on the wrong side (the last of several)."""
    X, y = table
    k, width = max(y) + 1, len(X[0]) + 1
    w = [Fraction(0)] * (k * width)
    binary = Perceptron(bias=0, margin=margin)  # and the package's own, one long row at a time
    mistakes = []
    for _ in range(5):
        wrong = 0
        for x, c in zip(X, y, strict=True):
            (*_, worst) = sorted(
                (-oracle.dot(w, z), o, z) for _, o, z in long_rows([[*map(Fraction, x), Fraction(1)]], [c], k)
            )
            after = oracle.perceptron([worst[2]], [1], [0], w, [Fraction(1)] * 2, Fraction(margin), 0)[-1]
            wrong += worst[0] >= -margin
            w = after
            binary.learn_one([float(v) for v in worst[2]], 1, classes=[-1, 1])
        mistakes.append(wrong)
        if not wrong:
            break
    model = Perceptron(order="cyclic", margin=margin, max_epochs=5).fit(X, y)
    expected = [w[c * width : (c + 1) * width] for c in range(k)]
    assert np.column_stack([model.coef_, model.intercept_]).tolist() == expected
    assert model.mistakes_per_epoch_.tolist() == mistakes
    assert binary.coef_[0].tolist() == w


# ---------------------------------------------------------------------------------------------------------------------
# Theorems


@given(tables())
def test_a_perceptron_ends_without_mistakes_if_and_only_if_one_weight_vector_a_class_can(table: Table) -> None:
    """Novikoff: at most R^2 / m^2 updates, where m is the distance of the long rows' hull from 0; else no end."""
    X, y = table
    Z = by_hand(X, y)
    kind = separability(X, y).kind
    assert kind == kind_of(Z)
    if kind == "strict":
        bound = max(sum(v * v for v in z) for z in Z) / hull_distance(Z) ** 2
        model = Kessler(Perceptron(max_epochs=math.ceil(bound) + 2)).fit(X, y)
        assert model.estimator_.stop_reason_ is StopReason.MISTAKE_FREE
        assert model.estimator_.n_updates_ <= bound * (1 + 1e-9)
        assert model.predict(X).tolist() == y
        assert leads(model, X, y).min() > 0
    else:
        with pytest.warns(BudgetWarning, match="max_epochs=30"):
            model = Kessler(Perceptron(max_epochs=30)).fit(X, y)
        assert model.estimator_.stop_reason_ is StopReason.BUDGET
        assert min(model.estimator_.mistakes_per_epoch_) > 0


@given(tables(spread=2))
def test_kozinec_finds_the_largest_margin_of_many_classes(table: Table) -> None:
    X, y = table
    Z = by_hand(X, y)
    assume(kind_of(Z) == "strict")
    largest = hull_distance(Z)
    model = Kessler(Kozinec(bias=1.0, epsilon=1e-6)).fit(X, y)
    assert largest * (1 - 2e-6) <= leads(model, X, y).min() <= largest * (1 + 1e-9)
    lower, upper = model.estimator_.margin_bounds_
    assert lower <= largest * (1 + 1e-9)
    assert upper >= largest * (1 - 1e-9)


def test_the_largest_margin_of_three_classes_by_hand() -> None:
    """Three corners of a triangle, turned by 120 degrees, no constant: the weights are the corners, up to length.

    By symmetry |W|^2 = 3 |w|^2, and (w_a - w_b).a = |w| (1 - cos 120) = 1.5 |w|: the margin is 1.5 / sqrt(3).
    """
    turns = 2 * np.pi * np.arange(3) / 3
    corners = np.column_stack([np.cos(turns), np.sin(turns)])
    model = Kessler(Kozinec(bias=0.0, epsilon=1e-9)).fit(corners, ["a", "b", "c"])
    np.testing.assert_allclose(model.coef_ / np.linalg.norm(model.coef_), corners / np.sqrt(3), atol=1e-6)
    assert model.intercept_.tolist() == [0, 0, 0]
    assert leads(model, corners, [0, 1, 2]).min() == pytest.approx(1.5 / math.sqrt(3), rel=1e-8)
    assert model.estimator_.margin_bounds_ == pytest.approx((1.5 / math.sqrt(3),) * 2, rel=1e-8)


@ignore_budget
@given(tables(2), st.sampled_from(["cyclic", "shuffled", "random", "first", "worst"]))
def test_two_classes_are_the_binary_rule_counted_twice(table: Table, order: Any) -> None:
    """z = (x, -x) or (-x, x): W stays (-w, w) where w is what the estimator alone would learn, and w_1 - w_0 = 2 w."""
    X, y = table[0], [min(c, 1) for c in table[1]]
    member = Perceptron(order=order, max_epochs=20)
    model, alone = Kessler(member).fit(X, y), clone(member).fit(X, y)
    assert model.coef_.tolist() == (2 * alone.coef_).tolist()
    assert model.intercept_.tolist() == (2 * alone.intercept_).tolist()
    assert model.predict(X).tolist() == alone.predict(X).tolist()
    assert model.estimator_.mistakes_per_epoch_.tolist() == alone.mistakes_per_epoch_.tolist()
    assert model.decision_function(X).tolist() == (2 * alone.decision_function(X)).tolist()


@given(tables(2, spread=2))
def test_two_classes_of_largest_margin_are_kozinecs_own(table: Table) -> None:
    X, y = table[0], [min(c, 1) for c in table[1]]
    assume(separability(X, y).kind == "strict")
    member = Kozinec(bias=1.0, epsilon=1e-9)
    model, alone = Kessler(member).fit(X, y), clone(member).fit(X, y)
    ours, theirs = (np.append(m.coef_, m.intercept_) for m in (model, alone))
    np.testing.assert_allclose(ours / np.linalg.norm(ours), theirs / np.linalg.norm(theirs), atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "member", [PassiveAggressive(), Pocket(), BatchPerceptron(), Kozinec(bias=0.0, C=1.0), Kozinec(bias=1.0, C=1.0)]
)
def test_scores_are_the_products_with_the_long_weights(member: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    X = rng.normal(size=(40, 3)) + 2 * rng.normal(size=(4, 3))[y]
    model = Kessler(member).fit(X, y)
    Z = np.column_stack([X, np.full(40, member.bias)]) if member.bias else X
    W = model.estimator_.coef_.reshape(4, -1)
    np.testing.assert_allclose(model.decision_function(X), Z @ W.T, rtol=1e-12, atol=1e-12)
    assert model.predict(X).tolist() == np.argmax(Z @ W.T, axis=1).tolist()
    assert (model.n_features_in_, model.estimator_.n_features_in_) == (3, 4 * Z.shape[1])
    assert not hasattr(member, "coef_")


# ---------------------------------------------------------------------------------------------------------------------
# The edge

IN_A_PLANE = [[0, 0], [3, 0], [0, 3]], ["a", "b", "c"]


@pytest.mark.parametrize("estimator", [Kozinec(), Kozinec(C=1.0), RidgeClassifier(), Perceptron, "x", None])
def test_what_has_no_number_as_bias_is_refused(estimator: Any) -> None:
    message = r"Kessler\(estimator\) must be a linear classifier of two classes whose bias is a number, such as Perc"
    with pytest.raises(ParameterError, match=message):
        Kessler(estimator).fit(*IN_A_PLANE)


def test_errors_and_what_a_failed_fit_leaves() -> None:
    model = Kessler(Perceptron())
    with pytest.raises(NotFittedError):
        model.predict([[0, 0]])
    assert not hasattr(model, "coef_")
    before = model.fit(*IN_A_PLANE).coef_.tolist()
    with pytest.raises(DataError, match="at least 2 classes"):
        model.fit([[0], [1]], [1, 1])
    with pytest.raises(ParameterError, match="max_epochs"):
        model.set_params(estimator__max_epochs=0).fit([[0], [1]], [0, 1])
    assert (model.coef_.tolist(), model.n_features_in_, model.classes_.tolist()) == (before, 2, ["a", "b", "c"])
    with pytest.raises(DataError, match="X has 1 features"):
        model.predict([[0]])


def test_a_warning_is_shown_where_fit_was_called() -> None:
    with pytest.warns(BudgetWarning) as said:
        Kessler(Perceptron(max_epochs=1)).fit(*IN_A_PLANE)
    assert [warning.filename for warning in said] == [__file__]


def test_in_the_company_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + 9 * rng.normal(size=(3, 2))[y]
    assert Kessler(Perceptron(order="first")).get_params()["estimator__order"] == "first"
    search = GridSearchCV(Kessler(Kozinec(bias=1.0)), {"estimator__C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    frame = pd.DataFrame(X, columns=["height", "weight"])
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), Kessler(Perceptron())).fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == ["height", "weight"]
    assert model[-1].ranked_weights(1)[0][0] in ("height", "weight")
