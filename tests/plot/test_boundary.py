"""The picture of a boundary: the places of the line, the arrow and the half-spaces, for all kinds of data."""

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.path import Path

from rosenblatt import DataError, Hyperplane, KernelPerceptron, Kozinec, NearestMean, ParameterError, Perceptron
from rosenblatt.data.named_arrays import named
from rosenblatt.plot import BoundaryDisplay
from rosenblatt.plot.boundary import band, equation_of
from tests.support.effort import examples
from tests.support.strategies import separable

SQUARE, AND = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
CUBE = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=float)
BOX = ((-2.0, 3.0), (-1.0, 2.0))
WEIGHT = st.integers(-9, 9)


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def shown(X: Any, y: Any, **options: Any) -> BoundaryDisplay:
    return BoundaryDisplay.from_estimator(Perceptron(max_epochs=10_000).fit(X, y), X, y, **options)


def legend_of(display: Any) -> list[str]:
    (legend,) = display.figure_.legends
    return [label.get_text() for label in legend.get_texts()]


def seen_as(display: Any, points: Any) -> Any:
    """Points of the picture in pixels."""
    display.figure_.canvas.draw()
    return display.ax_.transData.transform(points)


# ---------------------------------------------------------------------------------------------------------------------
# Geometry


def test_the_arrow_is_at_a_right_angle_from_the_middle_of_the_line_into_the_positive_half() -> None:
    display = shown(SQUARE, AND)
    line, arrow = display.line_.get_xydata(), display.arrow_
    foot, tip = np.array(arrow.xyann), np.array(arrow.xy)
    assert foot == pytest.approx(line.mean(axis=0))
    assert display.plane.decision_function(foot) == pytest.approx(0)
    assert display.plane.decision_function(tip) > 0
    pixels = seen_as(display, np.array([*line, foot, tip]))
    assert (pixels[1] - pixels[0]) @ (pixels[3] - pixels[2]) == pytest.approx(0, abs=1e-6)
    assert display.ax_.get_aspect() == 1.0


@settings(max_examples=examples(0.2))
@given(separable(biases=(1.0,), labels=(0, 1)))
def test_rows_are_seen_on_the_sides_that_are_predicted(rows: Any) -> None:
    X, y, _ = rows
    display = shown(X, y)
    plt.close(display.figure_)
    assert display.wrong.size == 0
    sides = np.asarray(display.plane.decision_function(display.points))
    assert ((sides > 0) == (np.array(y) == 1)).all()


def test_many_columns_have_a_vertical_boundary_at_its_distance() -> None:
    y = CUBE.sum(axis=1) > 1.5
    model = Kozinec().fit(CUBE, y)
    display = BoundaryDisplay.from_estimator(model, CUBE, y)
    plane = model.hyperplane_
    at = -plane.b / np.linalg.norm(plane.w)
    assert display.line_.get_xdata() == pytest.approx([at, at])
    assert display.points[:, 0] == pytest.approx(CUBE @ plane.w / np.linalg.norm(plane.w))
    assert display.equation == "w.x + b = 0"
    assert display.ax_.get_xlabel().startswith("along w:")
    assert "first principal direction across w" in display.ax_.get_ylabel()


def test_one_column_is_a_line_of_points_and_a_vertical_boundary() -> None:
    """-2 x + 1 = 0 by hand: the rows 0 -> 1 and 1 -> 0 in their order, from 0."""
    display = BoundaryDisplay.from_estimator(Perceptron(order="cyclic").fit([[0], [1]], [1, 0]), [[0], [1]], [1, 0])
    assert display.points.tolist() == [[0, 0], [1, 0]]
    cut = -display.plane.b / display.plane.w[0]
    assert 0 < cut < 1
    assert display.line_.get_xdata().tolist() == [cut, cut]
    assert len(display.ax_.get_yticks()) == 0


@settings(max_examples=examples(0.8))
@given(WEIGHT, WEIGHT, WEIGHT)
def test_half_spaces_fill_the_box_on_their_sides_of_the_line(p: int, q: int, r: int) -> None:
    plane = Hyperplane([p or 1, q], r)
    grid = np.stack(np.meshgrid(np.linspace(*BOX[0], 9), np.linspace(*BOX[1], 9)), axis=-1).reshape(-1, 2)
    away = np.asarray(plane.unit().decision_function(grid))
    for low, high in ((-np.inf, 0.0), (0.0, np.inf), (-0.4, 0.7)):
        inside = Path(band(plane, low, high, BOX)).contains_points(grid)
        clear = (np.abs(away - low) > 1e-9) & (np.abs(away - high) > 1e-9)
        assert (inside == ((low < away) & (away < high)))[clear].all()


def test_both_half_spaces_are_drawn_in_the_colours_of_their_classes() -> None:
    display = shown(SQUARE, AND)
    half = {patch.get_label(): patch for patch in display.ax_.patches}
    assert set(half) == {"S-, predicted no", "S+, predicted yes"}
    dots: dict[Any, Any] = {dot.get_label(): dot for dot in display.ax_.collections}
    for side, label in (("S-, predicted no", "no"), ("S+, predicted yes", "yes")):
        assert half[side].get_facecolor()[:3] == pytest.approx(tuple(dots[label].get_facecolor()[0][:3]))
        assert half[side].get_path().contains_points(np.array(SQUARE)[np.array(AND) == label]).all()
    assert half["S+, predicted yes"].get_hatch()
    assert not half["S-, predicted no"].get_hatch()


# ---------------------------------------------------------------------------------------------------------------------
# What is said


def test_rows_that_are_predicted_wrongly_are_ringed() -> None:
    y = [0, 1, 1, 0]
    model = Perceptron(order="cyclic").fit(SQUARE, [0, 1, 1, 1])
    display = BoundaryDisplay.from_estimator(model, SQUARE, y)
    assert display.wrong.tolist() == [3]
    assert "predicted wrongly: 1" in legend_of(display)
    ax: Any = display.ax_
    (rings,) = (dots for dots in ax.collections if dots.get_label().startswith("predicted"))
    assert rings.get_offsets().tolist() == [[1, 1]]
    assert not any("wrongly" in label for label in legend_of(shown(SQUARE, AND)))


def test_whole_weights_are_written_as_they_are() -> None:
    assert equation_of(Hyperplane([2, 1], -5), BOX, ["x1", "x2"]) == "2 x1 + x2 - 5 = 0"
    assert equation_of(Hyperplane([3], 1), BOX, ["age"]) == "3 age + 1 = 0"
    assert equation_of(Hyperplane([1, 1e-18], -1e-18), BOX, ["x1", "x2"]) == "x1 = 0"


@settings(max_examples=examples(0.6))
@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(-9, 9))
def test_digits_are_left_out_only_where_nobody_sees_it(p: float, q: float, r: float) -> None:
    """The line of the written equation is within 1 % of the box from the line."""
    plane = Hyperplane([p, q], r)
    written = equation_of(plane, BOX, ["a", "b"]).replace(" ", "")
    found = {name: float(number + "1" * (number in "+-")) for number, name in re.findall(r"([-+.\de]*)([ab])", written)}
    b = re.findall(r"b([-+.\de]+)=", written)
    again = Hyperplane([found["a"], found["b"]], float(b[0]) if b else 0.0)
    ends = plane.segment((-2.0, 3.0), (-100.0, 100.0))
    assert ends is not None
    near = [end for end in ends if -2 <= end[0] <= 3 and -1 <= end[1] <= 2]
    assert all(again.distance(end) <= 0.01 * 3 for end in near)


def test_a_boundary_near_the_rows_is_brought_into_sight_and_one_far_away_is_not() -> None:
    """9 x1 + 9 x2 - 1 = 0 by hand: the rows (0, 0) and (9, 9) in their order, from 0."""
    model = Perceptron(order="cyclic").fit([[0, 0], [9, 9]], [0, 1])
    assert model.hyperplane_ == Hyperplane([9, 9], -1)
    display = BoundaryDisplay.from_estimator(model, [[0.5, 0.5], [2, 0.5], [0.5, 2]], [1, 1, 1])
    assert display.line_.get_xydata() @ [9, 9] == pytest.approx([1, 1])
    assert display.arrow_ is not None
    display = BoundaryDisplay.from_estimator(model, [[50, 50], [51, 50]], [1, 1])
    assert (display.line_, display.arrow_) == (None, None)
    assert "9 x1 + 9 x2 - 1 = 0 (outside the picture)" in legend_of(display)


def test_columns_of_very_different_scale_are_not_drawn_to_scale_and_say_so() -> None:
    X = np.array(SQUARE) * [1, 5000]
    display = BoundaryDisplay.from_estimator(Kozinec().fit(X, AND), X, AND)
    assert display.ax_.get_aspect() == "auto"
    assert display.ax_.get_ylabel() == "x2 (not to scale)"


# ---------------------------------------------------------------------------------------------------------------------
# Data of all kinds, axes, files


@pytest.mark.parametrize(
    ("X", "names"),
    [
        (SQUARE, ("x1", "x2")),
        (np.array(SQUARE, dtype=np.float32), ("x1", "x2")),
        (pd.DataFrame(SQUARE, columns=["left", "right"]), ("left", "right")),
        (named(np.array(SQUARE, dtype=float), ["left", "right"]), ("left", "right")),
        (named(scipy.sparse.csr_array(np.array(SQUARE, dtype=float)), ["left", "right"]), ("left", "right")),
        (scipy.sparse.csc_array(np.array(SQUARE)), ("x1", "x2")),
    ],
)
def test_data_of_all_kinds_look_the_same(X: Any, names: tuple[str, str]) -> None:
    display = shown(X, AND)
    assert display.points.tolist() == SQUARE
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == names
    assert display.line_.get_xydata().tolist() == shown(SQUARE, AND).line_.get_xydata().tolist()


def test_names_can_be_given_and_are_those_of_training_otherwise() -> None:
    frame = pd.DataFrame(SQUARE, columns=["left", "right"])
    model = Perceptron().fit(frame, AND)
    display = BoundaryDisplay.from_estimator(model, frame, AND, feature_names=["a", "b"])
    assert display.ax_.get_xlabel() == "a"
    assert " a " in display.equation
    with pytest.raises(ParameterError, match="names must have length 2"):
        BoundaryDisplay.from_estimator(model, frame, AND, feature_names=["a"])


def test_it_draws_on_given_axes_as_often_as_asked() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    display = shown(SQUARE, AND, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert display.plot(right) is display
    assert display.plot(right).ax_ is right
    assert len(plt.get_fignums()) == 1
    assert not figure.legends
    assert display.plot().figure_ is not figure


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_it_is_saved_as_vectors_and_as_pixels(kind: str, start: bytes) -> None:
    file = io.BytesIO()
    shown(SQUARE, AND).figure_.savefig(file, format=kind)
    assert file.getvalue().startswith(start)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (Perceptron, AND, "this Perceptron has none .*not fitted"),
        (lambda: Perceptron().fit(SQUARE, [0, 0, 1, 2]), AND, "classifier has 3.*RegionsDisplay draws more classes"),
        (lambda: KernelPerceptron().fit(SQUARE, AND), AND, "this KernelPerceptron has none"),
        (lambda: Perceptron(average="voted").fit(SQUARE, AND), AND, "has no hyperplane_: it answers with the votes"),
        (lambda: NearestMean().fit([[0, 0], [0, 0]], [0, 1]), [0, 1, 1, 1], "all 2 weights of this NearestMean are 0"),
    ],
)
def test_what_has_no_boundary_is_refused(model: Callable[[], Any], y: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BoundaryDisplay.from_estimator(model(), SQUARE, y)


def test_other_columns_and_labels_than_in_training_are_refused() -> None:
    model = Perceptron(max_epochs=10_000).fit(SQUARE, AND)
    with pytest.raises(DataError, match="X has 3 features"):
        BoundaryDisplay.from_estimator(model, CUBE, AND)
    with pytest.raises(DataError, match=r"y\[3\] is 'perhaps'"):
        BoundaryDisplay.from_estimator(model, SQUARE, ["no", "no", "no", "perhaps"])
    assert plt.get_fignums() == []
