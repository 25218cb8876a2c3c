"""`partial_fit` and `learn_one` learn from each row once, as it comes; parameters that ask for more are refused."""

from typing import Any

import pytest
from sklearn.base import clone

from rosenblatt import ParameterError, PassiveAggressive, Perceptron, Pocket

X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]], [0, 1, 0, 1]
REFUSED = [
    (Perceptron(held_out=0.5), r"Perceptron\(held_out=0.5\) .* set held_out=None"),
    (PassiveAggressive(held_out=0.5), r"PassiveAggressive\(held_out=0.5\) .* set held_out=None"),
    (Perceptron(order="random"), r"Perceptron\(order='random'\) .* set order='cyclic'"),
    (Perceptron(order="first"), r"Perceptron\(order='first'\) .* set order='cyclic'"),
    (Perceptron(order="worst", average="averaged"), r"Perceptron\(order='worst'\) .* set order='cyclic'"),
    (PassiveAggressive(order="worst"), r"PassiveAggressive\(order='worst'\) .* set order='cyclic'"),
    (Pocket(order="random"), r"Pocket\(order='random'\) .* set order='cyclic'"),
]
CALLS = {
    "partial_fit": lambda model: model.partial_fit(X, Y, classes=[0, 1]),
    "learn_one": lambda model: model.learn_one(X[0], Y[0], classes=[0, 1]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("model", "message"), REFUSED, ids=str)
def test_parameters_that_would_be_ignored(model: Any, message: str, call: str) -> None:
    """Before, both learned from the rows in the order given, whatever the parameters said."""
    model = clone(model)
    with pytest.raises(ParameterError, match=message):
        CALLS[call](model)
    assert not hasattr(model, "classes_")


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("model", "message"), REFUSED, ids=str)
def test_a_fitted_model_goes_on_when_it_is_told_how(model: Any, message: str, call: str) -> None:
    model = clone(model).fit(X, Y)
    before = model.coef_.tobytes()
    with pytest.raises(ParameterError, match=message):
        CALLS[call](model)
    assert model.coef_.tobytes() == before
    model.set_params(**({"held_out": None} if "held_out" in message else {"order": "cyclic"}))
    assert CALLS[call](model).stop_reason_ == "stream"


@pytest.mark.parametrize("order", ["cyclic", "shuffled"])
def test_rows_are_taken_as_they_come(order: Any) -> None:
    """The first row is a tie, a mistake: w = -(0, 1; 1). The second scores -1: w = (1, -1; 0). The others are right."""
    model = Perceptron(order=order).partial_fit(X, Y, classes=[0, 1])
    assert (model.coef_.tolist(), model.intercept_.tolist(), model.n_updates_) == ([[1.0, -1.0]], [0.0], 2)
