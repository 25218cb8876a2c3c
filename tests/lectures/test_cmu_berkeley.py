"""The numbers and facts about the perceptron in two lectures: of CMU (rows 3.x) and Berkeley's CS188 (rows 4.x).

A row number in a test name is one fact of a lecture. Expected numbers come from the lectures or are computed by hand.
The data are small integers, so all products are exact.
"""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rosenblatt import BudgetWarning, Perceptron, StopReason, trace

ORDERS = ["cyclic", "shuffled", "random", "first", "worst"]
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
CMU_X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
CMU_Y = [-1, 1, 1, -1, -1, 1]
CS188_X = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]
CS188_Y = [-1, 1, 1, 1, -1]


def weights(model: Any) -> list[float]:
    """The weights of a model of two classes with a bias constant of 1, the bias weight last."""
    return [*model.coef_[0].tolist(), model.intercept_[0].item()]


def test_row_3_1_categories_become_binary_features() -> None:
    """CMU: normal, normal, abnormal is (1,0), (1,0), (0,1); a perceptron behind the encoder learns from categories.

    Its columns are abnormal, normal, high, low. By hand, w (bias last) runs (0,-1,0,-1,-1), (1,-1,1,-1,0),
    (1,-2,0,-1,-1), (2,-2,1,-1,0), (1,-2,1,-2,-1).
    """
    encoder = OneHotEncoder(categories=[["normal", "abnormal"]], sparse_output=False)
    assert encoder.fit_transform([["normal"], ["normal"], ["abnormal"]]).tolist() == [[1, 0], [1, 0], [0, 1]]
    table = [["normal", "low"], ["normal", "high"], ["abnormal", "low"], ["abnormal", "high"]]
    y = [-1, -1, -1, 1]
    for sparse in (True, False):
        pipeline = make_pipeline(OneHotEncoder(sparse_output=sparse), Perceptron(order="cyclic")).fit(table, y)
        assert weights(pipeline[-1]) == [1, -2, 1, -2, -1]
        assert pipeline.predict(table).tolist() == y


def test_row_3_1_hamming_distance_is_half_the_l1_distance_of_the_binary_features() -> None:
    """CMU: d(x, x') counts the features that differ; each such feature moves one 1 to another column."""
    table = [list(row) for row in itertools.product(["normal", "abnormal"], "abc", ["yes", "no"])]
    hot = OneHotEncoder(sparse_output=False).fit_transform(table)
    for (row, one), (other, two) in itertools.product(zip(table, hot, strict=True), repeat=2):
        assert sum(a != b for a, b in zip(row, other, strict=True)) == np.abs(one - two).sum() / 2


CMU_MISTAKES = [True, False, True, False, True, False]
CMU_WEIGHTS = [(1, -2), (1, -2), (2, -1), (2, -1), (3, 1), (3, 1)]


def test_row_3_3_online_example_in_a_trace() -> None:
    """CMU: no bias, sign(0) = +1: the table of predictions and mistakes, and w after each point."""
    run = trace(Perceptron(order="cyclic", bias=0, tie="positive"), CMU_X, CMU_Y, max_steps=6)
    assert [step.predicted for step in run] == [1, 1, -1, -1, 1, 1]
    assert [step.mistake for step in run] == CMU_MISTAKES
    assert [step.w[:2] for step in run] == CMU_WEIGHTS


def test_row_3_3_online_protocol() -> None:
    """CMU: receive, predict, observe, pay, update. A first row of zeros names the classes; its score 0 is right."""
    model = Perceptron(bias=0, tie="positive").learn_one([0, 0], 1, classes=[-1, 1])
    penalties, path = [], []
    for x, y in zip(CMU_X, CMU_Y, strict=True):
        penalties.append(bool(model.predict_one(x) != y))
        model.learn_one(x, y)
        path.append(tuple(model.coef_[0]))
    assert penalties == CMU_MISTAKES
    assert path == CMU_WEIGHTS
    assert model.n_updates_ == 3


def test_row_3_6_averaged_weights_are_the_mean_of_the_weights_after_each_row() -> None:
    """The remedy for CMU's inductive bias. 4 passes of 4 rows: a mean over 16 is exact in floats."""
    X, y = CORNERS, [-1, 1, 1, 1]
    model = Perceptron(order="cyclic", average="averaged", max_epochs=4)
    steps = trace(model, X, y).steps
    model.fit(X, y)
    assert len(steps) == 16
    mean = [sum(Fraction(step.w[j]) for step in steps) / 16 for j in range(3)]
    assert weights(model) == mean != list(steps[-1].w)


def test_row_3_6_voted_counts_one_vote_for_the_weights_after_each_row() -> None:
    """Freund and Schapire's vote, on all points of a grid; a voter's score of 0 is a vote for the negative class."""
    X, y = CORNERS, [-1, 1, 1, 1]
    model = Perceptron(order="cyclic", average="voted").fit(X, y)
    steps = trace(model, X, y).steps
    grid = list(itertools.product(range(-3, 4), repeat=2))
    votes = [sum(1 if np.dot(step.w, [*x, 1]) > 0 else -1 for step in steps) for x in grid]
    assert model.decision_function(grid).tolist() == votes
    assert model.predict(grid).tolist() == [1 if vote > 0 else -1 for vote in votes]
    assert min(votes) < 0 < max(votes)


def test_row_3_6_recent_mistakes_weigh_more_unless_averaged() -> None:
    """CMU: nine points 1+ give w = 1, then one 3- gives -2, and 1 turns negative; the mean is (9 - 2)/10 > 0."""
    X, y = [[1]] * 9 + [[3]], [1] * 9 + [-1]
    plain, averaged, voted = (
        Perceptron(bias=0, average=average).partial_fit(X, y, classes=[-1, 1])
        for average in (None, "averaged", "voted")
    )
    assert plain.coef_.tolist() == [[-2]]
    assert averaged.coef_[0, 0] == pytest.approx(0.7, rel=0, abs=1e-15)
    assert voted.decision_function([[1]]).tolist() == [8]
    assert [model.predict_one([1]) for model in (plain, averaged, voted)] == [-1, 1, 1]


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("order", ORDERS)
def test_row_3_7_mistake_bound_in_every_order(order: Any, tie: Any) -> None:
    """CMU: at most (R/gamma)^2 = (3^2 + 5^2)/1 mistakes.

    No signed point comes nearer than 1 to the line along (0, 1), and (1, 5), (1, -5) have (1, 0) between them, so that
    no line through the origin has a margin above 1.
    """
    Z = np.array(list(itertools.product([1, 2, 3], range(-5, 6))))
    for seed in range(20):
        rng = np.random.RandomState(seed)
        y = rng.choice([-1, 1], size=len(Z))
        shuffled = rng.permutation(len(Z))
        X, labels = (Z * y[:, np.newaxis])[shuffled], y[shuffled]
        model = Perceptron(order=order, bias=0, tie=tie, random_state=seed).fit(X, labels)
        assert model.stop_reason_ is StopReason.MISTAKE_FREE
        assert 0 < model.mistakes_per_epoch_.sum() == model.n_updates_ <= 34
        assert model.score(X, labels) == 1


def test_row_3_8_what_a_student_must_be_able_to_do() -> None:
    """CMU: run it, see whether it converges, draw the boundary, defend the bias: 1-, 2+ needs one.

    By hand: without a bias 1- and 2+ ask for w < 0 and w > 0. With it, w (bias last) runs (-1,-1), (1,0), (0,-1),
    (2,0), (1,-1), (0,-2), (2,-1), (1,-2), (3,-1), (2,-2), (1,-3), (3,-2), (2,-3): boundary 3/2.
    """
    with pytest.warns(BudgetWarning):
        through_origin = Perceptron(order="cyclic", bias=0).fit([[1], [2]], [-1, 1])
    assert through_origin.stop_reason_ is StopReason.BUDGET
    run = trace(Perceptron(order="cyclic"), [[1], [2]], [-1, 1])
    assert run.stop_reason is StopReason.MISTAKE_FREE
    path = [step.w for step in run if step.updated]
    assert path[:7] == [(-1, -1), (1, 0), (0, -1), (2, 0), (1, -1), (0, -2), (2, -1)]
    assert path[7:] == [(1, -2), (3, -1), (2, -2), (1, -3), (3, -2), (2, -3)]
    plane = Perceptron(order="cyclic").fit([[1], [2]], [-1, 1]).hyperplane_
    assert plane.equation(solve_for="x1") == "x1 = 1.5"


def test_row_4_2_table_of_steps() -> None:
    """CS188: from (w0, w1, w2) = (-1, 0, 0), here (0, 0, -1), the bias last; one pass ends at (-1; 1, -1)."""
    run = trace(Perceptron(order="cyclic", tie="positive", init=[0, 0, -1]), CS188_X, CS188_Y, max_steps=5)
    assert run.start == (0, 0, -1)
    assert [step.score for step in run] == [-1, -1, 14, 17, 12]
    assert [not step.mistake for step in run] == [True, False, True, True, False]
    assert [step.w for step in run] == [(0, 0, -1), (3, 2, 0), (3, 2, 0), (3, 2, 0), (1, -1, -1)]


@pytest.mark.parametrize(("X", "y"), [(CMU_X, CMU_Y), (CS188_X, CS188_Y), (CORNERS, [0, 0, 0, 1])])
def test_row_4_3_an_update_moves_the_activation_by_f_f(X: list[list[int]], y: list[int]) -> None:
    """CS188: h grows by f.f for a positive point and falls by f.f for a negative one, f ending with its 1."""
    run = trace(Perceptron(order="cyclic"), X, y)
    for step in run:
        f = [*step.x, 1]
        rise = np.dot(f, f) if step.y == 1 else -np.dot(f, f)
        assert np.dot(step.w, f) - step.score == (rise if step.updated else 0)
    assert run[-1].updates > 1


def test_row_4_3_with_more_classes_the_true_one_rises_and_the_winner_falls_by_f_f() -> None:
    """CS188: reward the true class, punish the one that won, leave the others alone."""
    X, y = [[0, 1], [2, 1], [3, 3], [1, 3], [3, 1], [1, 0]], ["a", "b", "c", "a", "b", "c"]
    run = trace(Perceptron(order="cyclic", max_epochs=10), X, y)
    for step in run:
        f = [*step.x, 1]
        moved = {step.y: np.dot(f, f), step.predicted: -np.dot(f, f)} if step.updated else {}
        assert (np.dot(step.w, f) - step.score).tolist() == [moved.get(c, 0) for c in "abc"]
    assert {step.predicted for step in run if step.updated} == {"a", "b", "c"}


CS188_W = [[-2, 2, 1], [0, 3, 4], [1, 4, -2]]


def test_row_4_4_multi_class() -> None:
    """CS188: f = (-2, 3, 1) scores 11, 13, 8 and is taken for class 1; it is of class 2: w1 - f and w2 + f."""
    model = Perceptron(bias=0, init=[[*w, 0] for w in CS188_W], order="cyclic")
    step = trace(model, [[-2, 3, 1], [1, 0, 0], [0, 1, 0]], [2, 0, 1], max_steps=1)[0]
    assert step.score == (11, 13, 8)
    assert (step.predicted, step.mistake) == (1, True)
    assert [w[:3] for w in step.w] == [(-2, 2, 1), (2, 0, 3), (-1, 7, -1)]
    model.partial_fit([[-2, 3, 1]], [2], classes=[0, 1, 2])
    assert model.coef_.tolist() == [[-2, 2, 1], [2, 0, 3], [-1, 7, -1]]
    assert model.ranked_weights(1) == [("x3", 3), ("x1", 2), ("x2", 0)]
    assert model.decision_function([[-2, 3, 1]]).tolist() == [[11, -1, 22]]
    assert model.predict_one([-2, 3, 1]) == 2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_row_4_5_the_bias_is_one_extra_column(classes: int, order: Any) -> None:
    """CS188: an extra feature of 1 and an extra weight for it; with integers to the last bit."""
    rng = np.random.RandomState(1)
    X = rng.randint(-9, 10, size=(60, 3))
    y = np.argmax(X @ rng.randint(-9, 10, size=(3, classes)) + [3, -5, 0][:classes], axis=1)
    folded = Perceptron(order=order, max_epochs=5000).fit(X, y)
    column = Perceptron(order=order, max_epochs=5000, bias=0).fit(np.column_stack([X, np.ones(60)]), y)
    assert np.column_stack([folded.coef_, folded.intercept_]).tobytes() == column.coef_.tobytes()
    assert folded.mistakes_per_epoch_.tolist() == column.mistakes_per_epoch_.tolist()
    assert folded.intercept_.any()
