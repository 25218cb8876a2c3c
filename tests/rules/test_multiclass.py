"""Hard decisions among more than two classes: scores that are all rounding, scores that overflow, and ties."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BudgetWarning, PassiveAggressive, Perceptron, StopReason
from rosenblatt.classifiers.training.scores import packed
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.rules import multiclass
from tests.rules.test_rules import EXACT_FORMS, TIES, Case, cases, stored, treacherous, whole
from tests.support import oracle

NO_ROW = [[0.0]], [0]  # with bias 0 it teaches nothing, so that the weights stay those of init


def fractions(values: Any) -> list[list[Fraction]]:
    return [[Fraction(v) for v in row] for row in np.asarray(values, dtype=np.float64).tolist()]


def products(x: Sequence[Fraction], W: np.ndarray) -> list[Fraction]:
    return [oracle.dot(w, x) for w in fractions(W)]


def largest(values: Sequence[Fraction]) -> int:
    """Return the first class with the largest score."""
    return list(values).index(max(values))


def sign(exact: Fraction) -> int:
    return (exact > 0) - (exact < 0)


def both_storages(X: np.ndarray, bias: float) -> list[Any]:
    return [as_rows(X, bias), as_rows(scipy.sparse.csr_array(X), bias)]


def won(rule: Callable[..., Any], rows: Any, n: int, W: np.ndarray, tie: float) -> list[int]:
    out = np.empty(n, dtype=np.int64)
    rule(rows, packed(W), tie, out)
    return [int(c) for c in out]


# ---------------------------------------------------------------------------------------------------------------------
# Winners and scores


@pytest.mark.parametrize("columns", list(itertools.permutations(range(3))))
@pytest.mark.parametrize(("small", "expected"), [(7.0, 0), (-7.0, 1)])
def test_the_score_of_the_leader_alone_may_be_uncertain(columns: tuple[int, ...], small: float, expected: int) -> None:
    """Class 0 scores 1e17 + small - 1e17, which rounds to anything from -16 to 16; class 1 scores 2 or -2 exactly."""
    W = np.array([[1e17, small, -1e17], [math.copysign(2.0, small), 0.0, 0.0], [-1e9, 0.0, 0.0]])
    W = np.c_[W[:, columns], np.zeros(3)]
    assert expected == largest(products([Fraction(1)] * 3 + [Fraction(0)], W))
    for rows in both_storages(np.ones((1, 3)), 0.0):
        for rule in (multiclass.winners, multiclass.winners.run_as_python):
            assert won(rule, rows, 1, W, -1.0) == [expected]
        after = W.copy()  # and it is the rival of class 2
        multiclass.passive_aggressive(
            rows, np.array([2]), np.array([0]), np.ones(1), packed(after), np.full(3, np.inf), np.zeros(3)
        )
        assert np.flatnonzero((after != W).any(axis=1)).tolist() == [expected, 2]


def test_a_first_class_whose_score_overflows_wins() -> None:
    model = Perceptron(init=[[1e200, 0.0], [1.0, 0.0], [-1.0, 0.0]], bias=0).partial_fit(*NO_ROW, classes=[0, 1, 2])
    assert model.predict([[1e200]]).tolist() == [0]
    assert model.predict([[-1e200]]).tolist() == [2]
    assert model.decision_function([[1e200]]).tolist() == [[np.finfo(float).max, 1e200, -1e200]]


enormous = st.floats(-1e300, 1e300) | st.sampled_from([1e300, -1e300, 1e200, -1e200, 1e-200, 1.0, -1.0, 0.0])


class Extreme(NamedTuple):
    X: np.ndarray
    W: np.ndarray
    y: np.ndarray


@st.composite
def extremes(draw: st.DrawFn) -> Extreme:
    n, d, k = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(3, 4))
    numbers = enormous | treacherous
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    W = draw(st.lists(st.lists(numbers, min_size=d + 1, max_size=d + 1), min_size=k, max_size=k))
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    return Extreme(np.array(X, dtype=np.float64), np.array(W, dtype=np.float64), np.array(y))


@given(extremes(), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0, 1e300]))
def test_winners_and_first_mistake_are_exact_for_numbers_of_any_size(data: Extreme, bias: float, margin: float) -> None:
    Z, W = [[*x, Fraction(bias)] for x in fractions(data.X)], fractions(data.W)
    n, y = len(Z), data.y.tolist()
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in both_storages(data.X, bias):
            for tie in (-1, 1):
                expected = [oracle.winner(z, W, 0, Fraction(0), tie) for z in Z]
                assert won(multiclass.winners, rows, n, data.W, float(tie)) == expected
                assert won(multiclass.winners.run_as_python, rows, n, data.W, float(tie)) == expected
            for tie in TIES:
                wrong = [oracle.winner(z, W, c, Fraction(margin), tie) != c for z, c in zip(Z, y, strict=True)]
                first = multiclass.first_mistake(
                    rows, data.y, np.arange(len(data.y)), packed(data.W), margin, float(tie)
                )
                assert first == next((i for i, bad in enumerate(wrong) if bad), -1)


@given(extremes(), st.sampled_from([0.0, 1.0]))
def test_scores_have_the_sign_and_the_order_of_the_exact_values(data: Extreme, bias: float) -> None:
    """The order holds up to rounding: scores closer than 1e-12 of their summed terms are not compared."""
    out = np.empty((len(data.X), len(data.W)))
    for rows in both_storages(data.X, bias):
        multiclass.scores(rows, packed(data.W), out)
        assert np.isfinite(out).all()
        for x, scores in zip(fractions(data.X), out.tolist(), strict=True):
            z = [*x, Fraction(bias)]
            exact = products(z, data.W)
            size = [oracle.dot([abs(v) for v in w], [abs(v) for v in z]) for w in fractions(data.W)]
            assert [sign(Fraction(s)) for s in scores] == [sign(e) for e in exact]
            for a, b in itertools.permutations(range(len(data.W)), 2):
                if exact[a] - exact[b] > Fraction(1e-12) * (size[a] + size[b]):
                    assert scores[a] >= scores[b]


@given(st.lists(enormous, min_size=3, max_size=5), st.lists(enormous, min_size=1, max_size=4))
def test_the_predicted_class_has_the_largest_score(weights: list[float], x: list[float]) -> None:
    """One feature and no bias, so that a score is one product and rounds without changing the order."""
    k = len(weights)
    model = Perceptron(init=[[w, 0.0] for w in weights], bias=0).partial_fit(*NO_ROW, classes=range(k))
    X = np.array(x).reshape(-1, 1)
    scores, predicted = model.decision_function(X), model.predict(X)
    assert (scores[np.arange(len(X)), predicted] == scores.max(axis=1)).all()
    assert predicted.tolist() == [largest([Fraction(w) * Fraction(value) for w in weights]) for value in x]


def test_a_score_that_fits_is_not_cut_off_because_its_parts_do_not() -> None:
    """1.2e308 + 1.2e308 - 1.2e308 overflows on its way to 1.2e308, which is less than 1.5e308."""
    init = [[1.2e308, 1.2e308, 1.2e308, 0.0], [1.5e308, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    model = Perceptron(init=init, bias=0).partial_fit([[0.0, 0.0, 0.0]], [0], classes=[0, 1, 2])
    assert model.predict([[1.0, 1.0, -1.0]]).tolist() == [1]
    assert model.decision_function([[1.0, 1.0, -1.0]]).tolist() == [[1.2e308, 1.5e308, 0.0]]


def all_rounding(seed: int, d: int, plus: int) -> tuple[np.ndarray, np.ndarray]:
    """A row, and weights of three classes: as decimals, all products are 0.06 or -0.06, and `plus` of d are positive.

    In floats 0.1 * 0.6, 0.2 * 0.3 and 0.3 * 0.2 are only nearly 0.06, so rounding decides which class scores most.
    """
    rng = np.random.default_rng(seed)
    part = rng.integers(1, 4, size=d)
    signs = np.where(np.arange(d) < plus, 1, -1)
    W = np.array([rng.permutation(signs) * (6 // part) / 10 for _ in range(3)])
    return part / 10, np.c_[W, np.zeros(3)]


SCORES: list[Callable[..., Any]] = [multiclass.scores, multiclass.scores.run_as_python]


@given(st.integers(0, 2**32 - 1), st.integers(10, 35))
def test_scores_that_are_all_rounding_have_their_exact_sign(seed: int, half: int) -> None:
    x, W = all_rounding(seed, 2 * half, half)
    expected = [sign(e) for e in products([*map(Fraction, x.tolist()), Fraction(0)], W)]
    for rows in both_storages(x.reshape(1, -1), 0.0):
        for rule in SCORES:
            out = np.empty((1, 3))
            rule(rows, packed(W), out)
            assert np.sign(out[0]).tolist() == expected


# ---------------------------------------------------------------------------------------------------------------------
# Passive-aggressive


def aggressive_step(
    z: Sequence[Fraction], y: int, W: np.ndarray, cap: Fraction | None, slack: Fraction
) -> tuple[Fraction, np.ndarray]:
    """Return the lead of class y over the best other class (the last of several), and the weights after the step."""
    scores = products(z, W)
    v = max((c for c in range(len(W)) if c != y), key=lambda c: (scores[c], c))
    lead, length = scores[y] - scores[v], 2 * oracle.dot(z, z)
    after = np.array(fractions(W), dtype=object)
    if lead < 1 and length > 0:
        step = (1 - lead) / (length + slack)
        step = step if cap is None else min(cap, step)
        after[y] += step * np.array(z, dtype=object)
        after[v] -= step * np.array(z, dtype=object)
    return lead, after.astype(np.float64)


def options(C: np.ndarray, variant: str) -> tuple[np.ndarray, np.ndarray, list[tuple[Fraction | None, Fraction]]]:
    """Return cap and slack per class, as floats for the rule and in fractions."""
    exact = [Fraction(c) for c in C.tolist()]
    if variant == "I":
        return C, np.zeros(len(C)), [(c, Fraction(0)) for c in exact]
    return np.full(len(C), np.inf), 1 / (2 * C), [(None, 1 / (2 * c)) for c in exact]


RULES: list[Callable[..., Any]] = [multiclass.passive_aggressive, multiclass.passive_aggressive.run_as_python]


@pytest.mark.parametrize("form", EXACT_FORMS)
@pytest.mark.parametrize("variant", ["I", "II"])
@given(case=cases(whole, k=st.integers(3, 4)), shrink=st.sampled_from([1.0, 1 / 16, 1 / 256]), seed=st.integers(0, 99))
def test_passive_aggressive_takes_the_exact_step_from_each_row(
    variant: str, form: str, case: Case, shrink: float, seed: int
) -> None:
    """Each step starts from the rule's own weights, so that the rival is exact."""
    cap, slack, exact = options(case.rate * shrink, variant)
    start = np.random.default_rng(seed).integers(-2, 3, size=case.start().shape) / 4
    rows, Z, y = stored(case, form), case.exact(), case.y.tolist()
    for rule in RULES:
        W, at_once, mistakes, sure, near = start.copy(), start.copy(), 0, 0, 0
        for i in case.order.tolist():
            weight, (longest, short) = Fraction(case.weight[i]), exact[y[i]]
            longest = None if longest is None else weight * longest
            lead, expected = aggressive_step(Z[i], y[i], W, longest, short / weight)
            rule(rows, case.y, np.array([i]), case.weight, packed(W), cap, slack)
            assert pytest.approx(expected, rel=1e-9, abs=1e-9) == W
            mistakes += lead <= 0
            if any(Z[i]):
                sure += lead < 1 - 1e-9
                near += abs(lead - 1) <= 1e-9  # the loss is all rounding, and so is the step
        counted, updates = rule(rows, case.y, case.order, case.weight, packed(at_once), cap, slack)
        assert at_once.tobytes() == W.tobytes()
        assert counted == mistakes
        assert sure <= updates <= sure + near


@given(st.integers(0, 2**32 - 1), st.integers(20, 70), st.integers(0, 2))
def test_passive_aggressive_knows_rival_and_mistake_where_scores_are_all_rounding(seed: int, d: int, y: int) -> None:
    x, start = all_rounding(seed, d, d // 2 + 3)
    z = [*map(Fraction, x.tolist()), Fraction(0)]
    lead, expected = aggressive_step(z, y, start, None, Fraction(0))
    for rows in both_storages(x.reshape(1, -1), 0.0):
        for rule in RULES:
            W = start.copy()
            mistakes, _ = rule(
                rows, np.array([y]), np.array([0]), np.ones(1), packed(W), np.full(3, np.inf), np.zeros(3)
            )
            assert mistakes == (lead <= 0)
            assert pytest.approx(expected, rel=1e-9, abs=1e-9) == W


def test_passive_aggressive_does_not_stop_while_a_rival_that_rounding_hides_still_wins() -> None:
    """Row 0 of class 2: class 0 scores 1e17 + 7 - 1e17, which is 7 and rounds to 0; class 2 scores 2."""
    X, y = [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 1.0]], [2, 0, 1]
    init = [[1e17, 7.0, -1e17, 0.0], [0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]
    model = PassiveAggressive(init=init, bias=0, order="cyclic").fit(X, y)
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert model.mistakes_per_epoch_[0] == 1
    assert model.predict(X).tolist() == y


# ---------------------------------------------------------------------------------------------------------------------
# Votes and orders


@pytest.mark.parametrize(
    ("tie", "votes", "winners"),
    [
        ("negative", [[0, 1, 1], [2, 0, 0], [0, 1, 1], [2, 0, 0]], "baba"),
        ("mistake", [[0, 1, 1], [2, 0, 0], [0, 1, 1], [2, 0, 0]], "baba"),
        ("positive", [[0, 1, 1], [0, 0, 2], [0, 0, 2], [0, 1, 1]], "cccc"),
    ],
)
def test_ties_of_votes_and_ties_of_a_voter(tie: Any, votes: list[list[int]], winners: str) -> None:
    """Weights a, b, c of voter 0: (0, 1), (1, 0), (-1, -1); it is right on (1, 0), which is b. Then (3, 0), which is c,
    scores 0, 3, -3: voter 1 has (0, 1), (-2, 0), (2, -1). Each has one vote.

    Of voter 0 and voter 1, (1, 0) scores 0, 1, -1 and 0, -2, 2; (0, 0) is 0 throughout; (1, -2) scores -2, 1, 1 and
    -2, -2, 4; (1, 1) scores 1, 1, -2 and 1, -2, 1.
    """
    model = Perceptron(average="voted", tie=tie, bias=0, init=[[0, 1, 0], [1, 0, 0], [-1, -1, 0]])
    model.partial_fit([[1.0, 0.0], [3.0, 0.0]], ["b", "c"], classes=list("abc"))
    X = [[1.0, 0.0], [0.0, 0.0], [1.0, -2.0], [1.0, 1.0]]
    assert model.decision_function(X).tolist() == votes
    assert model.predict(X).tolist() == list(winners)
    assert [model.predict_one(x) for x in X] == list(winners)


def test_worst_of_three_classes_is_the_row_farthest_behind_its_best_rival() -> None:
    """Weights a = (1, 0), b = (0, 1), c = (1, 1): the leads are -1, -3, -5, -1, 1 and -4.

    Row 0 has the lowest score of a true class, row 3 the highest of a rival, row 5 is farthest behind both others.
    """
    X = [[-9.0, -10.0], [4.0, -3.0], [3.0, -2.0], [20.0, -1.0], [5.0, -1.0], [4.0, 0.0]]
    init = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]
    model = Perceptron(order="worst", bias=0, init=init, max_epochs=1)
    with pytest.warns(BudgetWarning):
        model.fit(X, list("bcbcab"))
    assert model.coef_.tolist() == [[1.0 - 3.0, 0.0 + 2.0], [0.0 + 3.0, 1.0 - 2.0], [1.0, 1.0]]


def test_worst_of_three_classes_with_a_margin_may_be_right_by_too_little() -> None:
    """Each class scores its own feature: the leads are 3, 2, 1 and 3, all less than the margin of 4."""
    model = Perceptron(order="worst", bias=0, init=np.eye(3, 4), margin=4, max_epochs=1)
    with pytest.warns(BudgetWarning):
        model.fit([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [8.0, 0.0, 9.0], [0.0, 0.0, 3.0]], list("abcc"))
    assert model.coef_.tolist() == [[-7.0, 0.0, -9.0], [0.0, 1.0, 0.0], [8.0, 0.0, 10.0]]  # row 2 from a to c
