"""Weights as bars: ranked by absolute value, with the names of their columns; side, colour and hatch show the sign."""

import io
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from rosenblatt import Kozinec, NearestMean, ParameterError, Perceptron
from rosenblatt.plot import WeightsDisplay

X, y = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def bars_of(display: WeightsDisplay) -> dict[int, float]:
    """The place of each bar, from the top, and its length."""
    bars: Any = display.ax_.patches
    return {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in bars}


def test_bars_are_in_the_order_of_size() -> None:
    wine = load_wine(as_frame=True)
    model = NearestMean().fit(wine.data, wine.target)
    display = WeightsDisplay.from_estimator(model, label=1, top=7)
    largest = np.argsort(-np.abs(model.coef_[1]))[:7]
    np.testing.assert_array_equal(display.weights, model.coef_[1][largest])
    assert display.feature_names == [wine.feature_names[j] for j in largest]
    assert bars_of(display) == dict(enumerate(display.weights))
    top, bottom = display.ax_.get_ylim()[::-1]
    assert top < 0 < 6 < bottom  # the first is on top
    assert display.ax_.get_title() == "the 7 largest of 13 weights"
    assert (display.label, display.total) == (1, 13)


def test_signs_differ_by_colour_and_by_hatch() -> None:
    display = WeightsDisplay.from_estimator(Perceptron().fit(X, y == 0))
    bars: Any = display.ax_.patches
    looks = {(bar.get_width() > 0, bar.get_facecolor(), bar.get_hatch()) for bar in bars}
    assert len(looks) == 2
    assert len({hatch for _, _, hatch in looks}) == 2
    words = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert words == ["for True", "against True"]
    assert display.ax_.get_title() == ""


def test_of_two_classes_the_other_has_the_signs_turned() -> None:
    model = Kozinec().fit(X[:100], y[:100])
    second, first = (WeightsDisplay.from_estimator(model, label=label) for label in (None, 0))
    np.testing.assert_array_equal(first.weights, -second.weights)
    assert (first.label, second.label) == (0, 1)


def test_names_are_given_or_remembered_and_cut_in_the_middle() -> None:
    long = "the length of the sepal, in centimetres, as Anderson measured it"
    names = [long, "_hidden", "10 $", "d"]
    given = WeightsDisplay.from_estimator(Perceptron().fit(X, y == 0), feature_names=names)
    assert sorted(given.feature_names) == sorted(names)
    at = given.feature_names.index(long)
    written = given.ax_.get_yticklabels()[at].get_text()
    assert len(written) <= 22
    assert written.startswith("the length")
    assert written.endswith("red it")
    frame = pd.DataFrame(X, columns=["p", "q", "r", "s"])
    kept = WeightsDisplay.from_estimator(Perceptron().fit(frame, y == 0))
    assert [dict(zip(names, "pqrs", strict=True))[name] for name in given.feature_names] == kept.feature_names
    given.figure_.savefig(io.BytesIO())


def test_it_can_be_drawn_again() -> None:
    display = WeightsDisplay.from_estimator(Perceptron().fit(X, y == 0))
    _, axes = plt.subplots(1, 2)
    for ax in axes:
        assert display.plot(ax) is display
        assert display.ax_ is ax
    for kind in ("svg", "png"):
        file = io.BytesIO()
        display.figure_.savefig(file, format=kind, dpi=40)
        assert file.getvalue()


def test_wrong_input_is_refused() -> None:
    model = Perceptron().fit(X, y == 0)
    for top in (0, 2.5, True):
        with pytest.raises(ParameterError, match="top must be an integer"):
            WeightsDisplay.from_estimator(model, top=top)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="names must have length 4"):
        WeightsDisplay.from_estimator(model, feature_names=["a", "b"])
    with pytest.raises(ParameterError, match=r"must be one of \[False, True\], not 'iris'"):
        WeightsDisplay.from_estimator(model, label="iris")
    with pytest.raises(ParameterError, match="not None"):
        WeightsDisplay.from_estimator(NearestMean().fit(X, y))
    with pytest.raises(ParameterError, match="a linear classifier of this package"):
        WeightsDisplay.from_estimator(LogisticRegression().fit(X, y == 0))
