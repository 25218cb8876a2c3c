"""The picture of a margin: the slab and its arrow end at the distance of the nearest rows."""

import io
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

from rosenblatt import DataError, Kozinec, ParameterError, Perceptron, datasets
from rosenblatt.plot import MarginDisplay
from tests.support.effort import examples
from tests.support.strategies import separable

FOUR = [[0, 0], [0, 2], [3, 1], [5, 1]], ["low", "low", "up", "up"]  # nearest points (0, 1) and (3, 1)
CROSSED = [[0, 0], [1, 1], [3, 1], [0.5, 0.4]], ["low", "low", "up", "up"]


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def widths(display: Any) -> list[float]:
    """The lengths of the double arrows, in the units of the data."""
    arrows = [text for text in display.ax_.texts if getattr(text, "arrow_patch", None) is not None]
    return [float(np.linalg.norm(np.subtract(arrow.xy, arrow.xyann))) for arrow in arrows]


def test_the_slab_of_the_largest_margin_is_as_wide_as_the_gap() -> None:
    """x1 = 1.5 between x1 = 0 and x1 = 3."""
    display = MarginDisplay.from_estimator(Kozinec().fit(*FOUR), *FOUR)
    assert display.margin == pytest.approx(1.5)
    low, high = display.slab
    assert low.distance([[0, 0], [0, 2]]) == pytest.approx([0, 0], abs=1e-9)
    assert high.distance([3, 1]) == pytest.approx(0, abs=1e-9)
    assert display.support.tolist() == [[0, 0], [0, 2], [3, 1]]
    assert widths(display) == pytest.approx([1.5])
    assert [text.get_text() for text in display.ax_.texts if text.get_text()] == ["margin 1.5"]
    dashed: list[Any] = [line for line in display.ax_.lines if line.get_linestyle() == "--"]
    assert sorted(line.get_xdata()[0] for line in dashed) == pytest.approx([0, 3])


@settings(max_examples=examples(0.2))
@given(separable(biases=(1.0,), labels=(0, 1)))
def test_the_margin_of_a_perceptron_is_that_of_its_nearest_row(rows: Any) -> None:
    """The smallest y (w.x + b) / |w|, formed here; every other row is outside the slab."""
    X, y, _ = np.array(rows[0], dtype=float), np.array(rows[1]), rows[2]
    model = Perceptron(max_epochs=10_000).fit(X, y)
    display = MarginDisplay.from_estimator(model, X, y)
    plt.close(display.figure_)
    w, b = model.coef_[0], model.intercept_[0]
    distances = (2 * y - 1) * (X @ w + b) / np.sqrt(w @ w)
    assert display.margin == pytest.approx(distances.min())
    low, high = (np.asarray(parallel.unit().decision_function(display.points)) for parallel in display.slab)
    assert (low[y == 0] <= 1e-9).all()
    assert (high[y == 1] >= -1e-9).all()
    assert max(low[y == 0]) == pytest.approx(0, abs=1e-9)
    assert min(high[y == 1]) == pytest.approx(0, abs=1e-9)
    seen = np.minimum(np.abs(low), np.abs(high)) < 1e-9
    assert {tuple(point) for point in display.support} == {tuple(point) for point in display.points[seen]}


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_a_planted_margin_is_drawn_in_any_number_of_columns(columns: int) -> None:
    data = datasets.load("planted_margin", columns=columns)
    display = MarginDisplay.from_estimator(Kozinec(epsilon=1e-9).fit(*data), *data)
    margin = pytest.approx(data.facts["margin"], rel=1e-6)
    assert display.margin == margin
    assert widths(display) == [margin]
    for away in np.abs(display.plane.unit().decision_function(display.support)):
        assert away == margin


def test_with_slack_the_slab_of_the_classifier_is_drawn() -> None:
    model = Kozinec(C=1.0).fit(*CROSSED)
    display = MarginDisplay.from_estimator(model, *CROSSED)
    low, high = model.slab_
    w = model.coef_[0]
    assert display.margin == pytest.approx(abs(low.b - high.b) / 2 / np.sqrt(w @ w))
    assert display.support.tolist() == model.support_vectors_.tolist()


def test_where_an_arrow_has_no_room_the_legend_has_the_margin() -> None:
    """The boundary x1 = 60 of rows that are all near x1 = 0."""
    X, y = [[0, 0], [0, 1], [120, 0]], [0, 0, 1]
    display = MarginDisplay.from_estimator(Kozinec().fit(X, y), [[0, 0], [0, 1]], [0, 0])
    display.support = np.array([[0.0, 0.0]])
    display.plot()
    assert widths(display) == []
    assert "slab, margin 60" in [text.get_text() for text in display.figure_.legends[0].get_texts()]


def test_sparse_rows_and_their_support_vectors_are_drawn() -> None:
    X = scipy.sparse.csr_array(np.array(FOUR[0]))
    display = MarginDisplay.from_estimator(Kozinec().fit(X, FOUR[1]), X, FOUR[1])
    assert display.margin == pytest.approx(1.5)
    assert display.support.tolist() == [[0, 0], [0, 2], [3, 1]]


def test_it_draws_on_given_axes_as_often_as_asked_and_is_saved() -> None:
    figure, ax = plt.subplots()
    display = MarginDisplay.from_estimator(Kozinec().fit(*FOUR), *FOUR, ax=ax, feature_names=["a", "b"])
    assert display.plot(ax) is display
    assert display.figure_ is figure
    assert ax.get_xlabel() == "a"
    for kind in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=kind)


def test_without_a_margin_the_error_says_what_to_do() -> None:
    model = Perceptron(order="cyclic").fit(*FOUR)
    with pytest.raises(
        DataError, match=r"row 2 of 4 is not\. Use BoundaryDisplay, or fit Kozinec\(C=1\.0\), which allows slack"
    ):
        MarginDisplay.from_estimator(model, [[0, 0], [0, 2], [-9, 1], [5, 1]], FOUR[1])
    with pytest.raises(DataError, match="all 2 are of one class"):
        MarginDisplay.from_estimator(model, [[5, 1], [6, 1]], ["up", "up"])
    with pytest.raises(ParameterError, match="this Perceptron has none"):
        MarginDisplay.from_estimator(Perceptron(), *FOUR)
