"""The picture of two hulls: corners by hand, distances by known margins, and projections of many columns."""

import io
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from rosenblatt import DataError, ParameterError, Stream, datasets, separability, write
from rosenblatt.plot import HullsDisplay
from rosenblatt.plot.hulls import hull
from tests.support.effort import examples

FOUR = [[0, 0], [0, 2], [3, 1], [5, 1]], ["low", "low", "up", "up"]  # nearest points (0, 1) and (3, 1)
XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def nowhere_outside(corners: Any, points: Any) -> bool:
    """Tell whether every point is to the left of every edge, or on it. A segment has two edges, there and back."""
    ends = np.roll(corners, -1, axis=0)
    left = [
        (b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0] for a, b in zip(corners, ends, strict=True) for p in points
    ]
    within = (points >= corners.min(axis=0) - 1e-9) & (points <= corners.max(axis=0) + 1e-9)
    return min(left) >= -1e-9 and bool(within.all())


# ---------------------------------------------------------------------------------------------------------------------
# Hulls


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([[2, 3]], {(2, 3)}),
        ([[2, 3], [2, 3]], {(2, 3)}),
        ([[2, 3], [4, 4]], {(2, 3), (4, 4)}),
        ([[0, 0], [1, 1], [3, 3], [2, 2]], {(0, 0), (3, 3)}),
        ([[5, 0], [5, 2], [5, 1]], {(5, 0), (5, 2)}),
        ([[0, 0], [4, 0], [4, 4], [0, 4], [2, 2], [2, 0]], {(0, 0), (4, 0), (4, 4), (0, 4)}),
    ],
)
def test_hulls_of_points_of_lines_and_of_more(points: Any, corners: Any) -> None:
    found = hull(np.array(points, dtype=float))
    assert {tuple(corner) for corner in found.tolist()} == corners
    assert len(found) == len(corners)


@pytest.mark.parametrize("wobble", [0.0, 1e-17, 1e-12])
def test_a_line_that_rounding_bends_has_its_true_ends(wobble: float) -> None:
    along = np.linspace(-3, 3, 9)
    points = np.column_stack([1 + wobble * np.cos(40 * along), along])
    assert {-3.0, 3.0} <= set(hull(points)[:, 1])


@settings(max_examples=examples(0.6))
@given(arrays(float, st.tuples(st.integers(3, 12), st.just(2)), elements=st.integers(-5, 5).map(float)))
def test_a_hull_turns_left_at_every_corner_and_has_no_point_outside(points: Any) -> None:
    corners = hull(points)
    assert nowhere_outside(corners, points)
    if len(corners) > 2:
        edges = np.roll(corners, -1, axis=0) - corners
        after = np.roll(edges, -1, axis=0)
        assert (edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] > 0).all()


# ---------------------------------------------------------------------------------------------------------------------
# Distances


def test_the_shortest_segment_and_the_line_halfway() -> None:
    display = HullsDisplay.from_data(*FOUR)
    low, high = display.distance_bounds
    assert low <= 3 <= high
    assert low == pytest.approx(3)
    by_class = dict(zip(display.classes, display.nearest, strict=True))
    assert by_class["low"] == pytest.approx([0, 1])
    assert by_class["up"] == pytest.approx([3, 1])
    assert display.plane is not None
    assert display.plane.decision_function(display.nearest.mean(axis=0)) == pytest.approx(0)
    assert display.plane.half_space(display.points).tolist() == [2 * code - 1 for code in display.codes]
    assert "shortest segment: 3" in [text.get_text() for text in display.figure_.legends[0].get_texts()]


@pytest.mark.parametrize("columns", [1, 2, 3, 7])
def test_the_distance_seen_is_twice_a_planted_margin(columns: int) -> None:
    """With w as the horizontal axis, the projected hulls are as far apart as the hulls."""
    data = datasets.load("planted_margin", columns=columns)
    display = HullsDisplay.from_data(*data)
    (low, high), distance = display.distance_bounds, 2 * data.facts["margin"]
    assert low <= distance <= high
    one, other = display.nearest
    assert np.linalg.norm(one - other) == pytest.approx(distance, rel=1e-5)
    assert display.plane is not None
    away = np.asarray(display.plane.unit().decision_function(display.points))
    assert away[display.codes == 1].min() - away[display.codes == 0].max() == pytest.approx(distance, rel=1e-5)


@settings(max_examples=examples(0.2))
@given(st.data())
def test_hulls_seen_along_w_are_as_far_apart_as_they_are(data: st.DataObject) -> None:
    """No points of the two projected hulls are nearer than the distance, and the segment has that length."""
    rows = arrays(float, (5, 3), elements=st.integers(-4, 4).map(float))
    X = np.concatenate([data.draw(rows), data.draw(rows) + np.array([9, 0, 0])])
    display = HullsDisplay.from_data(X, np.repeat([0, 1], 5))
    plt.close(display.figure_)
    low, high = display.distance_bounds
    assert np.linalg.norm(display.nearest[0] - display.nearest[1]) == pytest.approx(high, rel=1e-3)
    edges = [np.concatenate([h + t * (np.roll(h, 1, axis=0) - h) for t in np.linspace(0, 1, 9)]) for h in display.hulls]
    assert cdist(*edges).min() >= low * (1 - 1e-3)


def test_hulls_that_meet_share_a_point_and_have_no_line() -> None:
    display = HullsDisplay.from_data(*XOR)
    assert (display.distance_bounds, display.plane, display.equation) == ((0, 0), None, "")
    assert display.nearest.tolist() == [[0.5, 0.5], [0.5, 0.5]]


@settings(max_examples=examples(0.2))
@given(arrays(float, (8, 3), elements=st.integers(-3, 3).map(float)))
def test_hulls_that_meet_are_seen_to_meet(X: Any) -> None:
    y = np.arange(8) % 2
    verdict = separability(X, y)
    assume(verdict.kind != "strict")
    display = HullsDisplay.from_verdict(verdict, X, y)
    plt.close(display.figure_)
    assert display.nearest[0] == pytest.approx(display.nearest[1], abs=1e-9)
    for corners in display.hulls:
        assert nowhere_outside(corners, display.nearest[:1])


# ---------------------------------------------------------------------------------------------------------------------
# Verdicts, axes, files


def test_the_verdict_of_a_pair_is_drawn_with_the_rows_of_that_pair() -> None:
    X, y = datasets.load("iris")
    pair = separability(X, y).pairs[("setosa", "virginica")]
    display = HullsDisplay.from_verdict(pair, X, y)
    alone = HullsDisplay.from_data(X[y != "versicolor"], y[y != "versicolor"])
    assert display.classes == ["setosa", "virginica"]
    assert display.distance_bounds == pytest.approx(alone.distance_bounds)
    assert display.points.tolist() == alone.points.tolist()
    assert display.ax_.get_xlabel().startswith("along w:")
    assert "petal length" in display.ax_.get_xlabel()


def test_it_draws_on_given_axes_as_often_as_asked_and_is_saved() -> None:
    figure, ax = plt.subplots()
    for data in (FOUR, XOR, ([[0.0], [1.0]], [0, 1]), ([[0, 0], [1, 1]], [0, 1])):
        display = HullsDisplay.from_data(*data, ax=ax)
        assert display.plot(ax).figure_ is figure
    for kind in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=kind)


def test_what_cannot_be_drawn_is_refused(tmp_path: Any) -> None:
    X, y = datasets.load("iris")
    whole = separability(X, y)
    with pytest.raises(DataError, match="two classes, but y has 3"):
        HullsDisplay.from_data(X, y)
    with pytest.raises(
        ParameterError, match=r"about 3\. Give the verdict of a pair, such as verdict\.pairs\[\('setosa', 'ver"
    ):
        HullsDisplay.from_verdict(whole, X, y)
    with pytest.raises(ParameterError, match=r"through the origin.*Use HullsDisplay\.from_data\(X, y\)"):
        HullsDisplay.from_verdict(separability(*FOUR, through_origin=True), *FOUR)
    verdict = separability(*FOUR)
    for other in ([[0, 0], [0, 2], [3, 2], [5, 1]], FOUR[0][:3], [*FOUR[0], [9, 9]]):
        with pytest.raises(DataError, match=r"about 4 rows of the classes \['low', 'up'\].*Give the X and y that"):
            HullsDisplay.from_verdict(verdict, other, (FOUR[1] + ["up"])[: len(other)])
    with pytest.raises(DataError, match="0 rows of these classes"):
        HullsDisplay.from_verdict(verdict, *XOR)
    write(np.array(FOUR[0], dtype=float), np.array(FOUR[1]), tmp_path / "four.csv")
    with pytest.raises(ParameterError, match=r"verdicts about streams never have one\. Call separability\(X, y\)"):
        HullsDisplay.from_verdict(separability(Stream(tmp_path / "four.csv")), *FOUR)
