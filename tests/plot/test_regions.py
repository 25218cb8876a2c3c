"""The picture of regions: polygons fill the box, rows are in the region of their prediction, ambiguous ones hatched."""

import io
from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.path import Path

from rosenblatt import DataError, Kozinec, NearestMean, OneVsAll, ParameterError, Perceptron
from rosenblatt.plot import RegionsDisplay
from rosenblatt.plot.style import HATCHES
from tests.support.effort import examples

THREE = [[0, 0], [4, 0], [0, 4]], ["a", "b", "c"]
INNER = [[0, 0], [6, 0], [3, 5], [3, 2]], ["a", "b", "c", "d"]  # d is inside the triangle of the others


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def shown(model: Any, X: Any, y: Any, **options: Any) -> RegionsDisplay:
    return RegionsDisplay.from_estimator(model.fit(X, y), X, y, **options)


def labels_of(display: RegionsDisplay) -> list[str]:
    return [text.get_text() for text in display.figure_.legends[0].get_texts()]


def test_the_cells_of_three_points_by_hand() -> None:
    """The perpendicular bisectors x1 = 2, x2 = 2, x1 = x2 in a box around (0, 0) to (4, 4)."""
    display = shown(NearestMean(), *THREE)
    (left, right), (low, high) = display.box
    cells = {region.label: np.array(sorted(region.polygon.tolist())) for region in display.regions}
    assert cells["a"] == pytest.approx(np.array([[left, low], [left, 2], [2, low], [2, 2]]))
    assert cells["b"] == pytest.approx(np.array([[2, low], [2, 2], [right, low], [right, high]]))
    assert labels_of(display) == ["a", "b", "c"]


@settings(max_examples=examples(0.2))
@given(arrays(float, (9, 2), elements=st.integers(-9, 9).map(float), unique=True))
def test_regions_fill_the_box_and_have_the_rows_that_are_predicted_so(X: Any) -> None:
    y = np.arange(9) % 3
    model = NearestMean()
    display = shown(model, X, y)
    plt.close(display.figure_)
    (left, right), (low, high) = (tuple(map(Fraction, limits)) for limits in display.box)
    assert sum(region.area for region in display.regions) == (right - left) * (high - low)
    answers = model.predict(X)
    for region in display.regions:
        if region.label is not None:
            inside = Path(region.polygon).contains_points(X, radius=-1e-9)
            assert (answers[inside] == region.label).all()


def test_each_region_is_drawn_once_in_the_colour_of_its_class() -> None:
    display = shown(NearestMean(), *INNER)
    assert len(display.ax_.patches) == len(display.regions) == 4
    ax: Any = display.ax_
    dots = {dot.get_label(): tuple(dot.get_facecolor()[0][:3]) for dot in ax.collections}
    for patch, region in zip(ax.patches, display.regions, strict=True):
        assert patch.get_xy()[:-1].tolist() == region.polygon.tolist()
        assert patch.get_facecolor()[:3] == pytest.approx(dots[region.words])
        assert patch.get_hatch() is None


def test_the_largest_region_of_each_class_has_its_mark() -> None:
    display = shown(NearestMean(), *INNER)
    marks = {line.get_marker(): np.ravel(line.get_xydata()) for line in display.ax_.lines}
    for region, mark in zip(display.regions, ("o", "^", "s", "D"), strict=True):
        assert Path(region.polygon).contains_points([marks[mark]]).all()


def test_places_that_none_or_several_claim_are_hatched_and_in_the_legend() -> None:
    """No line has d alone on one side, so some places are claimed by no class or by several."""
    display = shown(OneVsAll(Kozinec(C=1.0)), *INNER)
    doubtful = [region for region in display.regions if region.label is None]
    kinds = {min(len(region.claims), 3) for region in doubtful}
    assert kinds >= {0, 2}
    hatched = [patch.get_hatch() for patch in display.ax_.patches[: len(display.regions)]]
    expected = {0: HATCHES[0], 1: None, 2: HATCHES[1], 3: HATCHES[2], 4: HATCHES[2]}
    assert hatched == [expected[len(region.claims)] for region in display.regions]
    said = {0: "no class claims it", 2: "two classes claim it, or tie", 3: "three or more claim it, or tie"}
    assert labels_of(display)[4:] == [said[kind] for kind in sorted(kinds)]


@pytest.mark.parametrize("kind", [list, np.array, scipy.sparse.csr_array, pd.DataFrame])
def test_data_of_all_kinds_look_the_same(kind: Any) -> None:
    X = kind(THREE[0])
    display = shown(Perceptron(), X, THREE[1], feature_names=["u", "v"])
    assert display.points.tolist() == THREE[0]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("u", "v")


def test_it_draws_on_given_axes_as_often_as_asked_and_is_saved() -> None:
    figure, ax = plt.subplots()
    display = shown(NearestMean(), *THREE, ax=ax)
    assert display.plot(ax) is display
    assert display.figure_ is figure
    assert ax.get_aspect() == 1.0
    for kind in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=kind)


def test_other_than_two_columns_and_what_is_not_linear_are_refused() -> None:
    X = [[0, 0, 1], [4, 0, 2], [0, 4, 3]]
    with pytest.raises(DataError, match=r"needs X with 2 columns, but it has 3\. Choose two columns, fit to them"):
        shown(NearestMean(), X, THREE[1])
    with pytest.raises(ParameterError, match="fitted to 3; choose two columns and fit again"):
        RegionsDisplay.from_estimator(NearestMean().fit(X, THREE[1]), *THREE)
    with pytest.raises(DataError, match=r"y\[2\] is 'd'"):
        RegionsDisplay.from_estimator(NearestMean().fit(*THREE), THREE[0], ["a", "b", "d"])
    with pytest.raises(ParameterError, match="voted"):
        shown(Perceptron(average="voted"), *THREE)
    assert plt.get_fignums() == []
