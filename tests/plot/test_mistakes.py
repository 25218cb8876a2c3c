"""Mistakes per pass: totals add up and stay below the bound; a remark says why there is no bound."""

import io
import math
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from rosenblatt import (
    BatchPerceptron,
    DataError,
    KernelPerceptron,
    Kozinec,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    mistake_bound,
)
from rosenblatt.plot import MistakesDisplay
from tests.support.effort import examples
from tests.support.strategies import separable

AND = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
XOR = AND[0], [0, 1, 1, 0]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def labels_of(display: MistakesDisplay) -> list[str]:
    return [words.get_text() for words in display.figure_.legends[0].get_texts()]


def test_the_and_gate_by_hand() -> None:
    # The nearest point of the hull of y (x, 1) to 0 is (2, 2, -3)/17, so gamma^2 = 1/17; R^2 = 3.
    display = MistakesDisplay.from_estimator(Perceptron(order="cyclic").fit(*AND), *AND)
    assert display.mistakes.tolist() == [2, 3, 3, 2, 2, 3, 2, 1, 0]  # the loop of the lecture, in whole numbers
    assert display.so_far.tolist() == [2, 5, 8, 10, 12, 15, 17, 18, 18]
    assert display.bound == 3 * 17
    assert display.ax_.get_title() == "mistake_free: 18 mistakes in 9 passes"
    lines = {line.get_label(): line for line in display.ax_.lines}
    np.testing.assert_array_equal(
        lines["mistakes so far"].get_xydata(), np.column_stack([range(1, 10), display.so_far])
    )
    assert lines["bound on all mistakes: 51"].get_ydata() == [51, 51]
    (steps,) = (patch for patch in display.ax_.patches if hasattr(patch, "get_data"))
    assert steps.get_data().values.tolist() == display.mistakes.tolist()
    assert display.ax_.get_ylim()[1] > 51


def test_a_margin_and_the_bias_count_in_the_bound() -> None:
    # (R^2 + 2 m) / gamma^2 with m = 1
    wide = MistakesDisplay.from_estimator(Perceptron(margin=1.0).fit(*AND), *AND)
    assert wide.bound == (3 + 2) * 17
    # x = -1 and +1 without a constant: R = gamma = 1
    once = MistakesDisplay.from_estimator(Perceptron(bias=0).fit([[-1], [1]], [0, 1]), [[-1], [1]], [0, 1])
    assert (once.bound, once.so_far[-1]) == (1, 1)
    assert once.title == "mistake_free: 1 mistake in 2 passes"


@given(separable())
@settings(max_examples=examples(0.25))
def test_the_bound_is_never_exceeded(rows: Any) -> None:
    X, y, bias = rows
    model = Perceptron(bias=bias, max_epochs=10**6).fit(X, y)
    display = MistakesDisplay.from_estimator(model, X, y, ax=Figure().subplots())
    assert display.bound is not None
    assert display.so_far[-1] == model.n_updates_ <= display.bound
    assert display.bound == mistake_bound(X, y, bias=bias).max_updates


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_where_there_is_no_bound_it_is_said() -> None:
    overlapping = MistakesDisplay.from_estimator(Perceptron(max_epochs=3).fit(*XOR), *XOR)
    assert overlapping.bound is None
    assert overlapping.title.startswith("budget: ")
    assert "no bound: no hyperplane separates the classes" in labels_of(overlapping)
    elsewhere = MistakesDisplay.from_estimator(Perceptron(init=[1, 0, 0]).fit(*AND), *AND)
    assert "no bound: it needs a start at w = 0 and steps above 0" in labels_of(elsewhere)
    told = MistakesDisplay.from_estimator(Pocket(max_epochs=3).fit(*XOR), bound=mistake_bound(*XOR).bounds[1])
    assert "no bound: no hyperplane separates the classes" in labels_of(told)
    unasked = MistakesDisplay.from_estimator(Perceptron().fit(*AND))
    assert labels_of(unasked) == ["mistakes in the pass", "mistakes so far"]


def test_a_far_bound_makes_the_scale_logarithmic() -> None:
    near = MistakesDisplay.from_estimator(Perceptron().fit(*AND), bound=20)
    far = MistakesDisplay.from_estimator(Perceptron().fit(*AND), bound=2e12)
    assert (near.ax_.get_yscale(), far.ax_.get_yscale()) == ("linear", "symlog")
    assert far.ax_.get_ylim()[1] > 2e12
    assert "bound: 2e+12" in labels_of(far)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_errors_on_rows_held_out_are_drawn() -> None:
    X, y = load_iris(return_X_y=True)
    model = Perceptron(average="averaged", held_out=0.2, patience=3).fit(X, y)
    display = MistakesDisplay.from_estimator(model, X, y)
    (line,) = (line for line in display.ax_.lines if line.get_label() == "errors on held-out rows")
    np.testing.assert_array_equal(line.get_ydata(), model.held_out_errors_per_epoch_)
    assert display.title.startswith("held_out: ")


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize(
    "model",
    [PassiveAggressive(), Pocket(), BatchPerceptron(), KernelPerceptron(), Kozinec()],
    ids=lambda m: type(m).__name__,
)
def test_everything_that_learns_in_passes(model: Any) -> None:
    display = MistakesDisplay.from_estimator(model.fit(*AND))
    assert display.so_far[-1] == sum(model.mistakes_per_epoch_)
    assert len(display.mistakes) == model.n_iter_


def test_it_can_be_drawn_again() -> None:
    display = MistakesDisplay.from_estimator(Perceptron().fit(*AND), *AND)
    _, axes = plt.subplots(1, 2)
    for ax in axes:
        assert display.plot(ax) is display
        assert display.ax_ is ax
        assert ax.get_legend() is not None
    for kind in ("svg", "png"):
        file = io.BytesIO()
        display.figure_.savefig(file, format=kind, dpi=40)
        assert file.getvalue()


def test_wrong_input_is_refused() -> None:
    fitted = Perceptron().fit(*AND)
    for strange in (Perceptron(), LogisticRegression().fit(*AND), "perceptron"):
        with pytest.raises(ParameterError, match="fitted classifier that learns in passes, such as Perceptron"):
            MistakesDisplay.from_estimator(strange)
    with pytest.raises(ParameterError, match="For a KernelPerceptron, leave X and y out"):
        MistakesDisplay.from_estimator(KernelPerceptron().fit(*AND), *AND)
    for bound in (-1, math.nan, "many", True):
        with pytest.raises(ParameterError, match="bound must be a number of at least 0"):
            MistakesDisplay.from_estimator(fitted, bound=bound)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="1 features"):
        MistakesDisplay.from_estimator(fitted, [[0], [1]], [0, 1])
