"""The numbers and facts about the perceptron in two lectures: of LUMS (rows 0.x) and CS360 (rows 1.x).

A row number in a test name is one fact of a lecture. Row 3.5 (CMU's batch algorithm) is here too: it is row 0.3 with
another convention for a score of 0. Expected numbers come from the lectures, are computed by hand, or come from
`textbook`, the loop of the slides in fractions.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BudgetWarning, PassiveAggressive, Perceptron, StopReason, trace

ORDERS = ["cyclic", "shuffled", "random", "first", "worst"]
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
DATA: dict[str, tuple[list[list[int]], list[int]]] = {
    "AND": (CORNERS, [-1, -1, -1, 1]),
    "OR": (CORNERS, [-1, 1, 1, 1]),
    "NAND": (CORNERS, [1, 1, 1, -1]),
    "CMU": ([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]),
    "CS188": ([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]),
    "one feature": ([[5], [3], [-2], [4], [2]], [1, -1, -1, 1, -1]),
    "three features": ([[1, 0, 2], [-1, 3, 1], [2, 2, -1], [0, -2, 1], [-3, 1, 0], [1, 1, 1]], [1, -1, 1, 1, -1, 1]),
}
every_data_set = pytest.mark.parametrize(("X", "y"), DATA.values(), ids=DATA)

# What each lecture calls a mistake; s is the score.
MISTAKE = {
    "mistake": lambda y, s: y * s <= 0,  # LUMS
    "positive": lambda y, s: y != (1 if s >= 0 else -1),  # CMU, CS188
    "negative": lambda y, s: y != (1 if s > 0 else -1),  # CS360
}


def dot(u: Sequence[Any], v: Sequence[Any]) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction(0))


def textbook(
    X: list[list[int]], y: list[int], tie: str = "mistake", max_epochs: int = 1000
) -> tuple[list[Fraction], list[int]]:
    """The slides' loop: the last weights, the bias weight last, and the number of mistakes in each pass."""
    w, counts = [Fraction(0)] * (len(X[0]) + 1), []
    for _ in range(max_epochs):
        m = 0
        for row, label in zip(X, y, strict=True):
            x = [*row, 1]
            if MISTAKE[tie](label, dot(w, x)):
                w = [a + label * b for a, b in zip(w, x, strict=True)]
                m += 1
        counts.append(m)
        if m == 0:
            break
    return w, counts


def weights(model: Any) -> list[float]:
    """The weights of a model of two classes with a bias constant of 1, the bias weight last."""
    return [*model.coef_[0].tolist(), model.intercept_[0].item()]


def separates(w: Sequence[Any], X: list[list[int]], y: Sequence[int], bias: int = 1) -> bool:
    return all(label * dot(w, [*row, bias]) > 0 for row, label in zip(X, y, strict=True))


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (1, 2), ("no", "yes"), (False, True)], ids=str)
def test_row_0_2_weights_do_not_depend_on_what_the_labels_are_called(labels: tuple[Any, Any]) -> None:
    """LUMS: labels {0, 1} and {-1, 1} are the same problem."""
    for X, y in DATA.values():
        model = Perceptron(order="cyclic", max_epochs=1000).fit(X, [labels[sign > 0] for sign in y])
        assert weights(model) == textbook(X, y)[0]
        assert model.predict(X).tolist() == [labels[sign > 0] for sign in y]


def test_row_0_2_threshold_form_and_bias_form_agree() -> None:
    """LUMS: the output is 1 if the sum of w_j x_j reaches theta, else 0; theta absorbed is a bias weight of -theta."""
    grid = list(itertools.product(range(-3, 4), repeat=2))
    for name in ("AND", "OR", "NAND"):
        X, y = DATA[name]
        w1, w2, bias = textbook(X, y, "positive")[0]
        sums = [w1 * a + w2 * b for a, b in grid]
        assert -bias in sums  # the convention at the threshold matters
        fires = [int(total >= -bias) for total in sums]
        model = Perceptron(order="cyclic", tie="positive")
        assert model.fit(X, np.array(y) > 0).predict(grid).astype(int).tolist() == fires
        assert model.fit(X, y).predict(grid).tolist() == [2 * fired - 1 for fired in fires]


def test_row_0_3_or_by_hand() -> None:
    """LUMS: from w = 0; after the passes w (bias last) is (1,1,1), (1,1,0), (1,2,0), (2,2,0), (2,2,-1), and stays."""
    X, y = DATA["OR"]
    model = Perceptron(order="cyclic").fit(X, y)
    assert model.mistakes_per_epoch_.tolist() == [3, 1, 2, 2, 1, 0]
    assert weights(model) == [2, 2, -1]
    assert (model.n_iter_, model.n_updates_, str(model.stop_reason_)) == (6, 9, "mistake_free")
    after_passes = [step.w for step in trace(Perceptron(order="cyclic"), X, y)][3::4]
    assert after_passes == [(1, 1, 1), (1, 1, 0), (1, 2, 0), (2, 2, 0), (2, 2, -1), (2, 2, -1)]


@pytest.mark.parametrize("tie", MISTAKE)
@every_data_set
def test_row_0_3_and_3_5_cyclic_passes_until_one_has_no_mistake(X: list[list[int]], y: list[int], tie: Any) -> None:
    """LUMS, CMU (batch) and CS188: the same loop with another convention at 0; mistakes are counted in each pass."""
    w, counts = textbook(X, y, tie)
    model = Perceptron(order="cyclic", tie=tie, max_epochs=1000).fit(X, y)
    assert weights(model) == w
    assert model.mistakes_per_epoch_.tolist() == counts
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert counts[-1] == 0 < min(counts[:-1])
    assert model.predict(X).tolist() == y


@st.composite
def integer_data(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, 7))
    X = draw(st.lists(st.lists(st.integers(-5, 5), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    return X, y


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@given(integer_data(), st.sampled_from(sorted(MISTAKE)))
def test_row_0_3_and_3_5_on_any_data_separable_or_not(data: tuple[list[list[int]], list[int]], tie: Any) -> None:
    """LUMS, CMU, CS360: the loop in fractions, cut off after 12 passes, agrees pass by pass."""
    w, counts = textbook(*data, tie, max_epochs=12)
    model = Perceptron(order="cyclic", tie=tie, max_epochs=12).fit(*data)
    assert weights(model) == w
    assert model.mistakes_per_epoch_.tolist() == counts
    assert model.stop_reason_ is (StopReason.MISTAKE_FREE if counts[-1] == 0 else StopReason.BUDGET)


@pytest.mark.parametrize("name", ["AND", "CS188", "one feature"])
def test_row_0_4_each_update_turns_w_towards_a_positive_and_away_from_a_negative_point(name: str) -> None:
    """LUMS: cos(alpha) grows for y = +1 and falls for y = -1 (unless w and x are parallel, as they never are here)."""
    turned = {1: 0, -1: 0}
    for step in trace(Perceptron(order="cyclic", max_epochs=1000), *DATA[name]):
        if step.updated and step.angle_before is not None:
            assert step.angle_after is not None
            assert step.y * np.cos(step.angle_after) > step.y * np.cos(step.angle_before)
            assert step.y * (step.angle_after - step.angle_before) < 0
            turned[step.y] += 1
        elif not step.updated:
            assert step.angle_after == step.angle_before
    assert min(turned.values()) > 0


@pytest.mark.parametrize(("u", "bias"), [((2, -3, 0), 0), ((2, -3, 1), 1)], ids=["through the origin", "with a bias"])
def test_row_0_5_convergence(u: tuple[int, int, int], bias: int) -> None:
    """LUMS: in the unit ball, w.w* grows by >= gamma and w.w by <= 1 at each update: at most 1/gamma^2 mistakes.

    The whole augmented rows are rescaled, the bias constant too, by 1/16: exact in floats. u is w* before it is given
    the length 1, so gamma = m/|u|.
    """
    grid = [list(x) for x in itertools.product(range(-6, 7), repeat=2)]
    side = [dot(u, [*x, bias]) for x in grid]
    X = [x for x, s in zip(grid, side, strict=True) if abs(s) >= 2]
    y = [1 if s > 0 else -1 for s in side if abs(s) >= 2]
    Z = [[label * Fraction(v, 16) for v in [*x, bias]] for x, label in zip(X, y, strict=True)]
    assert all(dot(z, z) <= 1 for z in Z)
    m = min(dot(u, z) for z in Z)
    run = trace(Perceptron(order="cyclic", bias=bias / 16), np.array(X) / 16, y)
    w: Sequence[Any] = run.start
    for step in run:
        if step.updated:
            assert dot(step.w, u) >= dot(w, u) + m
            assert dot(step.w, step.w) <= dot(w, w) + 1
        w = step.w
    assert run.stop_reason is StopReason.MISTAKE_FREE
    assert 1 < run[-1].updates <= dot(u, u) / m**2
    unscaled = trace(Perceptron(order="cyclic", bias=bias), X, y)
    assert [(s.index, s.mistake) for s in unscaled] == [(s.index, s.mistake) for s in run]
    assert unscaled[-1].w == tuple(16 * v for v in w)


RULES = [
    Perceptron(),
    Perceptron(average="averaged"),
    Perceptron(average="voted"),
    Perceptron(margin=0.5),
    PassiveAggressive(),
    PassiveAggressive(variant="II"),
]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_row_0_6_one_pass_of_learn_one_is_one_epoch(rule: Any, classes: int) -> None:
    """LUMS, online: one point is enough to update; point after point gives the epoch's weights to the last bit."""
    rng = np.random.RandomState(classes)
    X, y = rng.standard_normal((60, 4)), rng.randint(classes, size=60)
    params = {**rule.get_params(), "order": "cyclic", "max_epochs": 1}
    epoch = type(rule)(**params).fit(X, y)
    chunks = type(rule)(**params)
    online = type(rule)(**params)
    for part in np.array_split(np.arange(60), 7):
        chunks.partial_fit(X[part], y[part], classes=range(classes))
    for point, label in zip(X, y, strict=True):
        online.learn_one(point, label, classes=range(classes))
    for model in (chunks, online):
        assert model._learner.answer.tobytes() == epoch._learner.answer.tobytes()
        assert model.decision_function(X).tobytes() == epoch.decision_function(X).tobytes()
        assert model.n_updates_ == epoch.n_updates_ > 0
        assert model.stop_reason_ is StopReason.STREAM


def test_row_1_1_model() -> None:
    """CS360: (-5; 2, 1), bias last here: scores 2 and -13, classes +1 and -1; (2, 1) scores 0, which is negative."""
    model = Perceptron(init=[2, 1, -5], tie="negative").partial_fit([[1, 5], [-3, -2]], [1, -1], classes=[-1, 1])
    assert model.n_updates_ == 0
    assert model.decision_function([[1, 5], [-3, -2], [2, 1]]).tolist() == [2, -13, 0]
    assert model.predict([[1, 5], [-3, -2], [2, 1]]).tolist() == [1, -1, -1]
    assert model.hyperplane_.equation(solve_for="x2") == "x2 = 5 - 2 x1"


def test_row_1_2_random_order_stops_at_zero_mistakes_over_the_whole_set() -> None:
    """CS360: draw an example, update if wrong, until all are right; a lucky pass that drew only some does not count."""
    X, y = [[1, 0], [-1, 1], [0, -1], [2, 1]], [1, -1, -1, 1]
    lucky = 0
    for seed in range(40):
        model = Perceptron(order="random", random_state=seed).fit(X, y)
        assert model.stop_reason_ is StopReason.MISTAKE_FREE
        assert separates(weights(model), X, y)
        lucky += 0 in model.mistakes_per_epoch_[:-1]
    assert lucky > 0


def test_row_1_2_random_order_is_seeded_and_draws_with_replacement() -> None:
    """CS360: the same seed gives the same examples, another seed others; each mistake adds its example."""
    X, y = DATA["AND"]
    runs = [trace(Perceptron(order="random", random_state=seed), X, y) for seed in (5, 5, 6)]
    indices = [[step.index for step in run] for run in runs]
    assert indices[0] == indices[1] != indices[2]
    assert any(len(set(indices[0][t : t + 4])) < 4 for t in range(0, len(indices[0]), 4))
    w = [Fraction(0)] * 3
    for step in runs[0]:
        x = [*X[step.index], 1]
        if y[step.index] * dot(w, x) <= 0:
            w = [a + y[step.index] * b for a, b in zip(w, x, strict=True)]
        assert list(step.w) == w


def test_row_1_2_a_budget_used_by_lucky_passes_is_told_truthfully() -> None:
    """CS360: no line separates 1-, 2+, 3-, but draws may miss the mistakes: then the last pass "made" none."""
    for seed in range(40):
        model = Perceptron(order="random", max_epochs=2, random_state=seed)
        with pytest.warns(BudgetWarning) as told:
            model.fit([[1], [2], [3]], [-1, 1, -1])
        if model.mistakes_per_epoch_[-1] == 0:
            assert "still made 0 mistakes" not in str(told[0].message)
            return
    pytest.fail("no seed gave a lucky last pass")


@pytest.mark.parametrize("rate", [2.0**-30, 0.5, 2.0, 2.0**20])
@pytest.mark.parametrize("order", ORDERS)
def test_row_1_3_from_zero_the_learning_rate_only_scales_w(order: Any, rate: float) -> None:
    """CS360: same mistakes, same boundary.

    Exact for powers of two: multiplying by one rounds nothing in floats, so that every score has the same sign. 0.1 is
    no float, and sums of it may miss a tie.
    """
    rng = np.random.RandomState(0)
    X = rng.standard_normal((40, 3))
    y = np.where(X @ [2.0, -1.0, 0.5] > 0.3, 1, -1)
    one = trace(Perceptron(order=order, max_epochs=1000), X, y)
    other = trace(Perceptron(order=order, max_epochs=1000, learning_rate=rate), X, y)
    assert one[-1].updates > 3
    assert [(s.index, s.mistake) for s in other] == [(s.index, s.mistake) for s in one]
    assert [s.w for s in other] == [tuple(rate * v for v in s.w) for s in one]


def test_row_1_3_from_elsewhere_the_learning_rate_matters() -> None:
    """From (0; bias -2) with 1+, -1-: rate 1 goes to (1; -1), (2; 0), boundary 0; rate 4 to (4; 2), boundary -1/2."""
    small = Perceptron(order="cyclic", init=[0, -2]).fit([[1], [-1]], [1, -1])
    large = Perceptron(order="cyclic", init=[0, -2], learning_rate=4.0).fit([[1], [-1]], [1, -1])
    assert (weights(small), small.mistakes_per_epoch_.tolist()) == ([2, 0], [1, 1, 0])
    assert (weights(large), large.mistakes_per_epoch_.tolist()) == ([4, 2], [1, 0])


def test_row_1_4_weights_rank_the_features() -> None:
    """CS360: importance "for free", the largest in size first, whatever its sign; the bias is no feature."""
    X = pd.DataFrame([[0, 1, 0]], columns=["age", "dose", "weight"])
    model = Perceptron(init=[1, -3, 2, 9]).partial_fit(X, ["well"], classes=["ill", "well"])
    assert model.n_updates_ == 0
    assert model.ranked_weights() == [("dose", -3), ("weight", 2), ("age", 1)]


def test_row_1_5_two_orders_two_hyperplanes() -> None:
    """CS360: any separating hyperplane, which one depends on the order. AND, forwards and backwards."""
    X, y = DATA["AND"]
    forwards, backwards = textbook(X, y)[0], textbook(X[::-1], y[::-1])[0]
    assert forwards[0] * backwards[1] != forwards[1] * backwards[0]  # not even parallel
    found = [weights(Perceptron(order="cyclic").fit(X[::step], y[::step])) for step in (1, -1)]
    assert found == [forwards, backwards]
    assert all(separates(w, X, y) for w in found)


@pytest.mark.parametrize("order", ORDERS)
def test_row_1_5_xor_reaches_the_budget_and_says_what_to_do(order: Any) -> None:
    """CS360: no guarantee on XOR. The four signed, augmented points sum to 0, so no w has w.z > 0 for all of them."""
    y = [-1, 1, 1, -1]
    Z = [[label * v for v in (*x, 1)] for x, label in zip(CORNERS, y, strict=True)]
    assert [sum(column) for column in zip(*Z, strict=True)] == [0, 0, 0]
    model = Perceptron(order=order, max_epochs=30)
    with pytest.warns(BudgetWarning, match=r"max_epochs=30 passes.*raise max_epochs.*average='averaged'"):
        model.fit(CORNERS, y)
    assert model.stop_reason_ is StopReason.BUDGET
    assert model.n_iter_ == len(model.mistakes_per_epoch_) == 30
    if order != "random":  # whose draws may miss the mistakes
        assert (model.mistakes_per_epoch_ > 0).all()
