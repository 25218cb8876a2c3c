"""Predictions of arrays read them once; the answers and the errors are those of other tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rosenblatt import BatchPerceptron, DataError, Kozinec, NearestMean, PassiveAggressive, Perceptron, Pocket

MODELS: dict[str, Callable[[], Any]] = {
    "perceptron": lambda: Perceptron(max_epochs=3, average="averaged"),
    "tie": lambda: Perceptron(tie="positive", max_epochs=50),
    "voted": lambda: Perceptron(average="voted", max_epochs=3),
    "pa": lambda: PassiveAggressive(max_epochs=3),
    "pocket": lambda: Pocket(max_epochs=3),
    "batch": lambda: BatchPerceptron(max_epochs=3),
    "kozinec": lambda: Kozinec(C=1.0),
    "means": NearestMean,
}


pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    X = np.random.default_rng(0).integers(-3, 4, (40, 3)).astype(float)
    return MODELS[request.param]().fit(X, np.where(X[:, 0] + X[:, 1] > 0, "yes", "no"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_have_the_answers_of_lists(model: Any, dtype: Any) -> None:
    """Whole numbers give ties, which must be decided in the same way."""
    X = np.random.default_rng(1).integers(-3, 4, (200, 3)).astype(dtype)
    assert model.predict(X).tolist() == model.predict(X.tolist()).tolist()
    assert model.decision_function(X).tobytes() == model.decision_function(X.tolist()).tobytes()
    assert model.decision_function(X).tobytes() == model.decision_function(np.asfortranarray(X)).tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_the_number_that_is_not_finite_is_named(model: Any, method: str, bad: float) -> None:
    X = np.ones((50, 3))
    X[41, 2], X[17, 1] = np.nan, bad
    with pytest.raises(DataError, match=rf"row 17, column 1.*{bad}"):
        getattr(model, method)(X)


def test_large_numbers_are_numbers(model: Any) -> None:
    X = np.array([[1e300, -1e300, 1e300], [-1e300, 1e300, 1e300], [5e-324, 0.0, 0.0]])
    with np.errstate(over="ignore"):
        assert model.predict(X).tolist() == model.predict(X.tolist()).tolist()


def test_other_columns_are_refused(model: Any) -> None:
    with pytest.raises(DataError, match="4 features"):
        model.predict(np.ones((2, 4)))
