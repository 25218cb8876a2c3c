"""The field `answer` of a step: the weights that would predict if the run ended there."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rosenblatt import Perceptron, Pocket, StopReason, trace
from tests.support import oracle
from tests.tracing.test_tracer import blobs, exact, integers

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

ORDERS = ["cyclic", "shuffled", "random"]
DATA = {
    "two": integers(2, 14, 0),
    "three": integers(3, 14, 1),
    "two, separable": blobs(2, 30, 1.5, 2),
    "three, separable": blobs(3, 30, 2.5, 4),
    "two, nearly": blobs(2, 40, 4.4, 8),
}
every_order = pytest.mark.parametrize("order", ORDERS)
every_data = pytest.mark.parametrize("data", DATA.values(), ids=DATA)


def errors(w: Any, X: Any, y: Any) -> int:
    """The number of rows that exact weights get wrong; a tie is wrong."""
    classes = sorted(set(y))
    count = 0
    for row, label in zip(X.tolist(), y, strict=True):
        z = [*map(Fraction, row), Fraction(1)]
        if len(classes) == 2:
            count += (1 if label == classes[1] else -1) * oracle.dot(w, z) <= 0
        else:
            count += oracle.winner(z, w, classes.index(label), Fraction(0), 0) != classes.index(label)
    return count


@every_data
@every_order
def test_the_mean_of_all_weights_so_far(order: Any, data: Any) -> None:
    """The mean in fractions; at the end it equals the weights of the fitted model to the last bit."""
    model = Perceptron(average="averaged", order=order, learning_rate=0.5, max_epochs=4)
    run = trace(model, *data)
    total = np.zeros_like(np.array(run.start))
    for t, step in enumerate(run, 1):
        total = total + np.array(step.w)
        np.testing.assert_allclose(np.array(step.answer), total / t, rtol=1e-12, atol=1e-12)
    model.fit(*data)
    answer = np.atleast_2d(np.array(run[-1].answer))
    assert answer[:, :-1].tobytes() == model.coef_.tobytes()
    assert answer[:, -1].tobytes() == model.intercept_.tobytes()


@every_data
@every_order
def test_the_pocket_so_far(order: Any, data: Any) -> None:
    """The best weights so far, whose errors never rise; at the end those of `fit`, with its passes and stop reason."""
    X, y = data
    model = Pocket(order=order, max_epochs=6)
    run = trace(model, X, y)
    met, fewest = [run.start], len(y)
    for step in run:
        assert step.answer is not None
        met.append(step.w)
        assert step.answer in met
        now = errors(exact(step.answer), X, y)
        assert now <= fewest
        fewest = now
    model.fit(X, y)
    answer = np.atleast_2d(np.array(run[-1].answer))
    assert answer[:, :-1].tobytes() == model.coef_.tobytes()
    assert fewest == model.n_errors_
    assert run.stop_reason is model.stop_reason_
    assert run[-1].updates == model.n_updates_
    assert run[-1].epoch == model.n_iter_
    assert np.array(run[-1].w).tobytes() == model._learner.w.tobytes()


def test_a_pocket_without_errors_ends_the_run_at_once() -> None:
    """The first pass makes mistakes and ends with weights that make none: no second pass is needed."""
    X, y = np.array([[1.0, 1], [-1, -1]]), np.array([1, 0])
    run = trace(Pocket(order="cyclic"), X, y)
    assert (len(run), run.stop_reason) == (2, StopReason.MISTAKE_FREE)
    assert run[0].mistake
    assert len(run) == 2 * Pocket(order="cyclic").fit(X, y).n_iter_


def test_a_look_between_passes_belongs_to_the_last_step() -> None:
    """Without a bias: w = (2, 0), then (2, 0) - (1, -4), which is right for both rows; no row comes to try it."""
    run = trace(Pocket(order="cyclic", bias=0), [[2, 0], [1, -4]], [1, 0])
    assert [step.answer for step in run] == [(0, 0, 0), (1, 4, 0)]
    assert run.stop_reason is StopReason.MISTAKE_FREE


@every_order
@pytest.mark.parametrize("average", [None, "voted"])
def test_none_where_w_answers_and_of_a_vote(order: Any, average: Any) -> None:
    run = trace(Perceptron(average=average, order=order, max_epochs=2), *DATA["two"])
    assert {step.answer for step in run} == {None}


def test_the_table_has_the_answer_beside_w() -> None:
    averaged = trace(Perceptron(average="averaged", order="cyclic"), [[1.0], [-3.0]], [1, 0], max_steps=2)
    (column,) = (column for column in averaged.to_table().columns if str(column.header) == "answer")
    # (1, 1) after the first row; the second, of score -2, is right, so that the mean stays
    assert list(map(str, column.cells)) == ["(1, 1)", "(1, 1)"]
    plain = trace(Perceptron(order="cyclic"), [[1.0], [-3.0]], [1, 0], max_steps=2)
    assert "answer" not in [str(column.header) for column in plain.to_table().columns]
