"""The losses: values computed by hand, gradients against central differences, the risk of decisions."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rosenblatt import losses
from rosenblatt.errors import DataError, ParameterError

Floats = NDArray[np.float64]
Problem = tuple[Floats, Floats, Floats, float]

# w.[x, 1] = 2 x1 + x2 - 5 is 2, -13, 0, 0.5 on these points, so the margins are -2, 13, 0, 0.5.
W = [2.0, 1.0, -5.0]
X = [[1.0, 5.0], [-3.0, -2.0], [2.0, 1.0], [2.0, 1.5]]
Y = [-1, -1, 1, 1]


def test_by_hand() -> None:
    assert losses.margins(W, X, Y).tolist() == [-2.0, 13.0, 0.0, 0.5]
    assert losses.mistakes(W, X, Y) == 1
    assert losses.perceptron_loss(W, X, Y) == 2.0
    assert losses.perceptron_gradient(W, X, Y).tolist() == [1.0, 5.0, 1.0]
    assert losses.hinge_loss(W, X, Y) == 3.0 + 0.0 + 1.0 + 0.5
    # + [1, 5, 1] for the first, - [2, 1, 1] and - [2, 1.5, 1] for the last two
    assert losses.hinge_gradient(W, X, Y).tolist() == [-3.0, 2.5, -1.0]


def test_the_bias_constant_stands_in_each_row() -> None:
    """With bias 2 and -2.5 as the last weight all scores are as before, and so are the losses."""
    halved = [2.0, 1.0, -2.5]
    assert losses.margins(halved, X, Y, bias=2.0).tolist() == [-2.0, 13.0, 0.0, 0.5]
    assert losses.perceptron_gradient(halved, X, Y, bias=2.0).tolist() == [1.0, 5.0, 2.0]
    assert losses.hinge_gradient(halved, X, Y, bias=2.0).tolist() == [-3.0, 2.5, -2.0]
    assert losses.margins(W, X, Y, bias=0.0).tolist() == [-7.0, 8.0, 5.0, 5.5]
    assert losses.perceptron_gradient(W, X, Y, bias=0.0).tolist() == [1.0, 5.0, 0.0]


@pytest.mark.parametrize("rate", [0.25, 1.0, 8.0])
@pytest.mark.parametrize(("x", "y", "after_one"), [((1, 5), -1, (1, -4, -6)), ((-3, -2), 1, (-1, -1, -4))])
def test_lectures_1_3_a_gradient_step_is_the_perceptron_update(
    rate: float, x: tuple[int, int], y: int, after_one: tuple[int, int, int]
) -> None:
    """On one misclassified example w - a grad = w + a y x: at a = 1 the numbers in `after_one`."""
    stepped = np.array(W) - rate * losses.perceptron_gradient(W, x, y)
    assert stepped.tolist() == (np.array(W) + rate * (np.array(after_one) - W)).tolist()
    assert stepped.tolist() == (np.array(W) + rate * y * np.array([*x, 1])).tolist()


def test_lectures_1_3_signs() -> None:
    """Right sign: no loss and no step. Wrong sign: the loss is |w.x|. At w.x = 0: neither loss nor step."""
    for x, y, loss in [((1, 5), 1, 0.0), ((1, 5), -1, 2.0), ((-3, -2), -1, 0.0), ((-3, -2), 1, 13.0), ((2, 1), 1, 0.0)]:
        assert losses.perceptron_loss(W, x, y) == loss
        assert losses.perceptron_gradient(W, x, y).any() == (loss > 0)
    assert losses.perceptron_gradient([0, 0, 0], X, Y).tolist() == [0.0, 0.0, 0.0]


def test_the_kink_of_the_hinge_contributes_nothing() -> None:
    assert losses.margins(W, [[3.0, 0.0]], [1]).tolist() == [1.0]
    assert losses.hinge_loss(W, [[3.0, 0.0]], [1]) == 0.0
    assert losses.hinge_gradient(W, [[3.0, 0.0]], [1]).tolist() == [0.0, 0.0, 0.0]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small multiples of 1/4, so that scores and sums are exact."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    quarter = st.integers(-20, 20).map(lambda k: k / 4)
    w = np.array(draw(st.lists(quarter, min_size=d + 1, max_size=d + 1)))
    rows = np.array(draw(st.lists(st.lists(quarter, min_size=d, max_size=d), min_size=n, max_size=n)))
    signs = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    return w, rows, signs, draw(st.sampled_from([0.0, 0.5, 1.0, 2.0]))


def augmented(X: Floats, y: Floats, bias: float) -> Floats:
    return np.asarray(y[:, np.newaxis] * np.column_stack([X, np.full(len(X), bias)]))


@given(problems())
def test_lectures_2_7_j_counts_and_j_p_sums(problem: Problem) -> None:
    """J(w) = |{z : w.z < 0}|; J_p(w), the sum of w.z over the same z, is minus the loss, and so is its gradient."""
    w, X, y, bias = problem
    wrong = [z for z in augmented(X, y, bias) if sum(w * z) < 0]
    assert losses.mistakes(*problem) == len(wrong)
    assert losses.perceptron_loss(*problem) == -sum(sum(w * z) for z in wrong)
    assert losses.perceptron_gradient(*problem).tolist() == (-sum(wrong, np.zeros(len(w)))).tolist()


@given(problems())
@pytest.mark.parametrize(
    ("loss", "gradient", "kink"),
    [(losses.perceptron_loss, losses.perceptron_gradient, 0.0), (losses.hinge_loss, losses.hinge_gradient, 1.0)],
    ids=["perceptron", "hinge"],
)
def test_lectures_2_7_gradient_against_central_differences(
    loss: Callable[..., float], gradient: Callable[..., Floats], kink: float, problem: Problem
) -> None:
    """A loss is linear between its kinks: with steps too short to reach one, the central difference is the slope."""
    w, X, y, bias = problem
    step = 2.0**-10
    z = augmented(X, y, bias)
    assume((np.abs(z @ w - kink) > step * np.abs(z).max()).all())
    slopes = [(loss(w + e, X, y, bias) - loss(w - e, X, y, bias)) / (2 * step) for e in step * np.eye(len(w))]
    np.testing.assert_allclose(gradient(w, X, y, bias), slopes, rtol=0, atol=1e-9)


@given(problems(), st.lists(st.integers(-20, 20), min_size=5, max_size=5))
def test_subgradients_support_the_losses_everywhere(problem: Problem, move: list[int]) -> None:
    """f(v) >= f(w) + g.(v - w) for every v, also when w sits on a kink."""
    w, X, y, bias = problem
    change = np.array(move[: len(w)], dtype=np.float64)
    for loss, gradient in [
        (losses.perceptron_loss, losses.perceptron_gradient),
        (losses.hinge_loss, losses.hinge_gradient),
    ]:
        assert loss(w + change, X, y, bias) >= loss(w, X, y, bias) + gradient(w, X, y, bias) @ change


def test_one_point_is_a_data_set() -> None:
    assert losses.margins(W, (1, 5), -1).tolist() == [-2.0]
    assert losses.mistakes(W, (1, 5), -1) == 1
    assert losses.hinge_gradient(W, (1, 5), -1).tolist() == [1.0, 5.0, 1.0]


@pytest.mark.parametrize(
    "function",
    [
        losses.margins,
        losses.mistakes,
        losses.perceptron_loss,
        losses.perceptron_gradient,
        losses.hinge_loss,
        losses.hinge_gradient,
    ],
)
@pytest.mark.parametrize(
    ("w", "X", "y", "message"),
    [
        (W, [[1.0, 2.0, 3.0]], [1], "X must be n x 2, or one point of 2 numbers, but its shape is (1, 3)"),
        ([1.0], [[1.0]], [1], "w must be one vector of d weights and the bias weight, but its shape is (1,)"),
        ([W], X, Y, "but its shape is (1, 3)"),
        (W, X, [1, -1], "y must hold one label for each point, shape (4,), but its shape is (2,)"),
        (W, X, [1, -1, 0, 1], "y must be -1 or +1, but it is 0.0 at entry 2; map the two classes to these"),
        (W, [[1.0, np.inf]], [1], "X must be finite, but it is inf at row 0, column 1"),
    ],
)
def test_refuses(function: Callable[..., Any], w: Any, X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        function(w, X, y)


def test_refuses_a_bias_that_is_no_number() -> None:
    with pytest.raises(ParameterError, match="bias must be a finite number, but it is nan"):
        losses.perceptron_loss(W, X, Y, bias=float("nan"))


def test_lectures_2_4_risk_with_an_asymmetric_penalty() -> None:
    """Decisions a, a, b, b, b, a in the states a, b, b, a, a, a.

    W(a, b) = 1 occurs once, W(b, a) = 10 twice, W(b, b) = -2 once, W(a, a) = 0 twice: (1 + 20 - 2) / 6.
    """
    states, decisions = list("abbaaa"), list("aabbba")
    assert losses.empirical_risk(states, decisions, [[0, 1], [10, -2]]) == pytest.approx(19 / 6, rel=1e-15)
    assert losses.empirical_risk(states, decisions, [[-2, 10], [1, 0]], labels=["b", "a"]) == pytest.approx(19 / 6)
    transposed = losses.empirical_risk(states, decisions, [[0, 10], [1, -2]])
    assert transposed == pytest.approx((10 + 2 * 1 - 2) / 6, rel=1e-15)


def test_lectures_2_4_default_penalty_is_the_fraction_of_errors() -> None:
    assert losses.empirical_risk([1, 2, 3, 3], [1, 3, 3, 1]) == 0.5
    assert losses.empirical_risk(["x"], ["x"]) == 0.0
    assert losses.empirical_risk([True, False], [False, True]) == 1.0


def test_lectures_2_4_three_classes_of_which_one_does_not_occur() -> None:
    """Decisions 0 and 2 in the states 2 and 0: W[0, 2] = 3 and W[2, 0] = 7."""
    W = [[0, 1, 3], [1, 0, 1], [7, 1, 0]]
    assert losses.empirical_risk([2, 0], [0, 2], W, labels=[0, 1, 2]) == 5.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], [1]), DataError, "y_true and y_pred must be of one length, but they hold 2 and 1 labels"),
        (([], []), DataError, "y_true must be a list of at least one label, but its shape is (0,)"),
        (([1], [[1]]), DataError, "y_pred must be a list of at least one label, but its shape is (1, 1)"),
        (([[1], [1, 2]], [1, 2]), DataError, "y_true must be a list of labels: setting an array element"),
        (([1, 2], ["a", "b"]), DataError, "y_true and y_pred must hold labels of one kind, or give labels: '<' not"),
        (
            ([1, 2], [1, 3], None, [1, 2]),
            DataError,
            "y_pred must hold labels among [1, 2], but row 1 holds 3",
        ),
        (([4, 2], [1, 2], None, [1, 2]), DataError, "y_true must hold labels among [1, 2], but row 0 holds 4"),
        (([1, 2], [1, 2], None, [1, 2, 1]), ParameterError, "labels must be distinct, but they are [1, 2, 1]"),
        (
            ([1, 2], [1, 2], np.zeros((3, 3))),
            ParameterError,
            "penalty must be 2 x 2, a row and a column for each of the labels [1, 2], but its shape is (3, 3);"
            " name all of its labels in labels",
        ),
        (([1, 2], [1, 2], [0, 1]), ParameterError, "penalty must be 2 x 2"),
        (
            ([1, 2], [1, 2], [[0, 1], [np.nan, 0]]),
            DataError,
            "penalty must be finite, but it is nan at row 1, column 0",
        ),
    ],
)
def test_risk_refuses(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        losses.empirical_risk(*arguments)
