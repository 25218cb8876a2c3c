"""The hyperplane: numbers of the lectures, invariance under scaling, exact clipping, and refused input."""

import copy
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.errors import DataError, ParameterError

Floats = NDArray[np.float64]
Labelled = tuple[Hyperplane, Floats, Floats]

WARM_UP = Hyperplane([1, 2], b=-4)


@st.composite
def labelled(draw: st.DrawFn) -> Labelled:
    """A plane with w != 0, points and labels, all of small integers: scores are exact."""
    d, n = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    integer = st.integers(-50, 50)
    w = draw(st.lists(integer, min_size=d, max_size=d).filter(any))
    X = draw(st.lists(st.lists(integer, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n))
    return Hyperplane(w, draw(integer)), np.array(X, dtype=np.float64), np.array(y)


def test_lectures_0_4_half_spaces_distance_and_angle() -> None:
    """w = (3, 4), |w| = 5: (3, 4) scores 25, (-4, 3) is at a right angle, (-6, -8) scores -50, (1, 0) scores 3."""
    plane = Hyperplane([3, 4])
    X = [[3, 4], [-4, 3], [-6, -8], [1, 0]]
    assert plane.decision_function(X).tolist() == [25.0, 0.0, -50.0, 3.0]
    assert plane.half_space(X).tolist() == [1, 0, -1, 1]
    assert plane.distance(X).tolist() == [5.0, 0.0, 10.0, 0.6]
    assert plane.angle(X) == pytest.approx([0.0, math.pi / 2, math.pi, math.atan2(4, 3)], abs=1e-15)


@given(labelled())
def test_lectures_0_4_less_than_90_degrees_is_the_positive_half_space(problem: Labelled) -> None:
    """Through the origin: angle < pi/2 in S+, > pi/2 in S-; nan for the origin, which has no direction."""
    plane, X, _ = problem
    through_origin = Hyperplane(plane.w)
    for x in X:
        angle = through_origin.angle(x)
        if not x.any():
            assert math.isnan(angle)
        elif plane.w @ x == 0:
            assert angle == pytest.approx(math.pi / 2, abs=1e-14)
        else:
            assert (angle < math.pi / 2) == (plane.w @ x > 0)


def test_angle_keeps_its_digits_near_zero_and_pi_and_at_extreme_scales() -> None:
    """For a tiny t the angle of (1, 0) with (1, t) is t, where the cosine rounds to 1."""
    plane = Hyperplane([1, 0])
    assert plane.angle([1, 1e-10]) == pytest.approx(1e-10, rel=1e-12)
    assert math.pi - plane.angle([-1, 1e-5]) == pytest.approx(1e-5, rel=1e-9)
    assert plane.angle([1e300, 1e300]) == pytest.approx(math.pi / 4, rel=1e-14)
    assert plane.angle([1e-300, 1e-300]) == pytest.approx(math.pi / 4, rel=1e-14)
    assert math.isnan(Hyperplane([0, 0]).angle([1, 1]))


def test_lectures_1_1_model() -> None:
    """The lecture's vector (-5; 2, 1) has the bias first; here it is last."""
    plane = Hyperplane.from_weights([2, 1, -5])
    assert plane == Hyperplane([2, 1], -5)
    assert plane.weights.tolist() == [2.0, 1.0, -5.0]
    assert plane.equation() == "2 x1 + x2 - 5 = 0"
    assert plane.equation(solve_for="x2") == "x2 = 5 - 2 x1"
    assert plane.decision_function([1, 5]) == 2.0
    assert plane.decision_function([-3, -2]) == -13.0
    assert plane.side([[1, 5], [-3, -2]], tie="negative").tolist() == [1, -1]


def test_lectures_1_1_zero_predicts_what_the_tie_says() -> None:
    """(2, 1) scores 4 + 1 - 5 = 0: negative in that lecture, positive in CMU's, neither when a tie is a mistake."""
    plane = Hyperplane([2, 1], -5)
    assert plane.side([2, 1]) == 1
    assert plane.side([2, 1], tie="positive") == 1
    assert plane.side([2, 1], tie="negative") == -1
    assert plane.side([2, 1], tie="mistake") == 0
    assert plane.side([[2, 1], [1, 5]], tie="negative").tolist() == [-1, 1]


def test_lectures_1_7_margins_and_support_vectors() -> None:
    """w = (3, 4), b = -10: scores 15, 15, -10, 0 with labels +, +, -, -; divided by |w| = 5: 3, 3, 2, 0."""
    plane = Hyperplane([3, 4], -10)
    X, y = [[3, 4], [-1, 7], [0, 0], [2, 1]], [1, 1, -1, -1]
    assert plane.functional_margin(X, y).tolist() == [15.0, 15.0, 10.0, 0.0]
    assert plane.geometric_margin(X, y).tolist() == [3.0, 3.0, 2.0, 0.0]
    assert plane.margin(X, y) == 0.0
    assert plane.support(X, y).tolist() == [3]
    assert plane.margin(X[:3], y[:3]) == 2.0
    assert plane.support(X[:3], y[:3]).tolist() == [2]
    assert plane.support(X[:2], y[:2]).tolist() == [0, 1]
    assert plane.geometric_margin(X, [-1, 1, 1, 1]).tolist() == [-3.0, 3.0, -2.0, 0.0]
    assert plane.support(X, [-1, 1, 1, 1]).tolist() == [0]


def test_lectures_1_7_support_up_to_a_relative_tolerance() -> None:
    """Margins 1, 1 + 1e-6 and 2 of the plane x1 = 0."""
    plane = Hyperplane([1, 0])
    X, y = [[1.0, 0.0], [-1 - 1e-6, 5.0], [2.0, 0.0]], [1, -1, 1]
    assert plane.support(X, y).tolist() == [0]
    assert plane.support(X, y, rtol=1e-5).tolist() == [0, 1]
    assert plane.support(X, y, rtol=1.0).tolist() == [0, 1, 2]
    assert plane.support(1e-30 * np.array(X), y, rtol=1e-5).tolist() == [0, 1]
    assert plane.support([[1, 0], [1, 3]], [1, 1], rtol=0.0).tolist() == [0, 1]


def test_lectures_3_2_warm_up_region() -> None:
    """x1 + 2 x2 - 4 > 0: the line meets the axes at (4, 0) and (0, 2); the origin is in S-."""
    assert WARM_UP.equation() == "x1 + 2 x2 - 4 = 0"
    assert WARM_UP.equation(solve_for="x2") == "x2 = 2 - 0.5 x1"
    assert WARM_UP.region(+1) == "x1 + 2 x2 - 4 > 0"
    assert WARM_UP.region(-1) == "x1 + 2 x2 - 4 < 0"
    assert WARM_UP.half_space([[4, 0], [0, 2], [0, 0], [4, 1]]).tolist() == [0, 0, -1, 1]
    segment = WARM_UP.segment(xlim=(0, 10), ylim=(0, 10))
    assert segment is not None
    assert segment.tolist() == [[0.0, 2.0], [4.0, 0.0]]


@given(labelled(), st.integers(1, 9))
def test_lectures_3_2_w_is_orthogonal_to_the_plane_and_points_into_the_positive_side(
    problem: Labelled, step: int
) -> None:
    """Moving by t w changes the score by t |w|^2; moving along the plane does not change it."""
    plane, X, _ = problem
    square = float(plane.w @ plane.w)
    assert (plane.decision_function(X + step * plane.w) - plane.decision_function(X)).tolist() == [step * square] * len(
        X
    )
    along = square * X - np.outer(X @ plane.w, plane.w)
    assert plane.decision_function(X + along).tolist() == plane.decision_function(X).tolist()


def test_lectures_3_2_w_is_orthogonal_to_the_line() -> None:
    """From (0, 2) to (4, 0) the line runs along (4, -2); w.(4, -2) = 4 - 4 = 0; (0, 2) + w = (1, 4) is in S+."""
    assert WARM_UP.w @ [4, -2] == 0
    assert WARM_UP.half_space([1, 4]) == 1
    assert WARM_UP.angle([4, -2]) == pytest.approx(math.pi / 2, abs=1e-15)


@given(labelled(), st.integers(1, 20))
def test_lectures_3_4_a_larger_b_moves_the_boundary_to_the_negative_side(problem: Labelled, rise: int) -> None:
    """Points of the old boundary come to lie in S+, rise/|w| away from the new one; no point leaves S+."""
    plane, X, _ = problem
    raised = Hyperplane(plane.w, plane.b + rise)
    old_boundary = X - np.outer(plane.decision_function(X), plane.w) / (plane.w @ plane.w)
    assert raised.half_space(old_boundary).tolist() == [1] * len(X)
    assert raised.distance(old_boundary) == pytest.approx(rise / math.sqrt(plane.w @ plane.w), rel=1e-9)
    assert (raised.half_space(X) >= plane.half_space(X)).all()


def test_lectures_3_7_distance_of_a_point() -> None:
    """For w = (1, 2), b = -4 the point (5, 2) is 5/sqrt(5) away; its foot is (4, 0), and (1, 2) has that length."""
    assert WARM_UP.distance([5, 2]) == pytest.approx(5 / math.sqrt(5), rel=1e-15)
    assert WARM_UP.distance([5, 2]) == pytest.approx(math.dist((5, 2), (4, 0)), rel=1e-15)
    assert WARM_UP.distance([0, 0]) == pytest.approx(4 / math.sqrt(5), rel=1e-15)


@given(labelled())
def test_lectures_3_7_the_projection_onto_the_plane_is_at_the_distance(problem: Labelled) -> None:
    plane, X, _ = problem
    foot = X - np.outer(plane.decision_function(X), plane.w) / (plane.w @ plane.w)
    assert plane.decision_function(foot) == pytest.approx(0.0, abs=1e-9)
    assert plane.distance(X) == pytest.approx([math.dist(x, p) for x, p in zip(X, foot, strict=True)], abs=1e-9)


def test_lectures_3_7_margin_of_a_dataset() -> None:
    """The classes are 4 apart, (0, 0) from (4, 0): x1 = 2 has the margin 2, which no line beats, other lines less."""
    X, y = [[0, 0], [0, 3], [4, 0], [6, -1]], [-1, -1, 1, 1]
    assert Hyperplane([1, 0], -2).margin(X, y) == 2.0
    assert Hyperplane([1, 0], -2).support(X, y).tolist() == [0, 1, 2]
    assert Hyperplane([1, 0], -1).margin(X, y) == 1.0
    assert Hyperplane([3, -4], -6).margin(X, y) == pytest.approx(6 / 5)
    assert Hyperplane([1, 0], 1).margin(X, y) == -1.0


def test_lectures_4_1_activation() -> None:
    """w = (2, 2, 2), f = (4, 0, 1): 8 + 0 + 2 = 10 = |w| |f| cos, with |w| = sqrt(12) and |f| = sqrt(17)."""
    plane, f = Hyperplane([2, 2, 2]), [4, 0, 1]
    assert plane.decision_function(f) == 10.0
    assert plane.norm == pytest.approx(math.sqrt(12), rel=1e-15)
    assert math.sqrt(12) * math.sqrt(17) * math.cos(plane.angle(f)) == pytest.approx(10.0, rel=1e-14)


@given(labelled(), st.integers(1, 1000))
def test_scaling_w_and_b_changes_neither_side_nor_distance_nor_geometric_margin(problem: Labelled, c: int) -> None:
    plane, X, y = problem
    scaled = Hyperplane(c * plane.w, c * plane.b)
    assert scaled.side(X).tolist() == plane.side(X).tolist()
    assert scaled.half_space(X).tolist() == plane.half_space(X).tolist()
    assert scaled.distance(X) == pytest.approx(plane.distance(X), rel=1e-14)
    assert scaled.geometric_margin(X, y) == pytest.approx(plane.geometric_margin(X, y), rel=1e-14)
    assert scaled.functional_margin(X, y).tolist() == (c * plane.functional_margin(X, y)).tolist()
    assert scaled.support(X, y).tolist() == plane.support(X, y).tolist()


@given(labelled())
def test_unit_has_length_one_and_scores_signed_distances(problem: Labelled) -> None:
    plane, X, y = problem
    unit = plane.unit()
    assert unit.norm == pytest.approx(1.0, rel=1e-15)
    assert unit.functional_margin(X, y) == pytest.approx(plane.geometric_margin(X, y), abs=1e-12)


@given(labelled())
def test_one_point_gives_the_number_of_its_row(problem: Labelled) -> None:
    plane, X, y = problem
    for method in (plane.decision_function, plane.half_space, plane.side, plane.distance, plane.angle):
        each = [method(x) for x in X]
        assert all(type(number) in (int, float) for number in each)
        assert each == pytest.approx(method(X), rel=1e-15, nan_ok=True)
    for margin in (plane.functional_margin, plane.geometric_margin):
        assert [margin(x, label) for x, label in zip(X, y, strict=True)] == margin(X, y).tolist()


def test_no_points_have_no_scores() -> None:
    assert WARM_UP.decision_function(np.empty((0, 2))).shape == (0,)
    assert WARM_UP.functional_margin(np.empty((0, 2)), []).shape == (0,)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=5), st.sampled_from([0.0, 0.5, 1.0, 4.0]))
def test_weights_with_the_bias_last(weights: list[int], bias: float) -> None:
    plane = Hyperplane.from_weights(weights, bias)
    assert plane.w.tolist() == weights[:-1]
    assert plane.b == weights[-1] * bias
    assert Hyperplane.from_weights(plane.weights) == plane


@pytest.mark.parametrize(
    ("w", "b", "equation"),
    [
        ([2, 1], -5, "2 x1 + x2 - 5 = 0"),
        ([-1, 1], 0, "-x1 + x2 = 0"),
        ([-2.5, -1], 1, "-2.5 x1 - x2 + 1 = 0"),
        ([0, 3, 0], 0.1, "3 x2 + 0.1 = 0"),
        ([1 / 3, 1234567, 0.5], 2e-9, "0.333333 x1 + 1234567 x2 + 0.5 x3 + 2e-09 = 0"),
        ([1e20, 1 + 1e-12], -1, "1e+20 x1 + x2 - 1 = 0"),
        ([0, 0], -5, "-5 = 0"),
        ([0], 0, "0 = 0"),
    ],
)
def test_equation(w: list[float], b: float, equation: str) -> None:
    assert Hyperplane(w, b).equation() == equation


@pytest.mark.parametrize(
    ("w", "b", "solve_for", "equation"),
    [
        ([2, 1], -5, "x1", "x1 = 2.5 - 0.5 x2"),
        ([2, 1], 0, "x2", "x2 = -2 x1"),
        ([1, -1], 0, "x2", "x2 = x1"),
        ([0, -4], 2, "x2", "x2 = 0.5"),
        ([0, 3], 0, "x2", "x2 = 0"),
        ([1, 2, -1], 7, "x3", "x3 = 7 + x1 + 2 x2"),
    ],
)
def test_equation_solved(w: list[float], b: float, solve_for: str, equation: str) -> None:
    assert Hyperplane(w, b).equation(solve_for=solve_for) == equation


def test_equation_with_names() -> None:
    plane, names = Hyperplane([2, -1], 3), ["age", "blood pressure"]
    assert plane.equation(names) == "2 age - blood pressure + 3 = 0"
    assert plane.equation(names, solve_for="blood pressure") == "blood pressure = 3 + 2 age"
    assert plane.region(-1, names) == "2 age - blood pressure + 3 < 0"


@pytest.mark.parametrize(
    ("w", "b", "ends"),
    [
        ([0, 1], -1, [[0, 1], [4, 1]]),  # horizontal
        ([1, 0], -3, [[3, 0], [3, 2]]),  # vertical
        ([1, 0], 0, [[0, 0], [0, 2]]),  # along the left edge
        ([1, -2], 0, [[0, 0], [4, 2]]),  # the diagonal, from corner to corner
        ([1, 1], 0, [[0, 0], [0, 0]]),  # touches a corner
        ([1, 1], -6, [[4, 2], [4, 2]]),  # touches the opposite one
        ([1, 1], -5, [[3, 2], [4, 1]]),
        ([1, 1], 1, None),
        ([0, 1], -3, None),
    ],
)
def test_segment_in_the_box_4_x_2(w: list[float], b: float, ends: list[list[float]] | None) -> None:
    segment = Hyperplane(w, b).segment(xlim=(0, 4), ylim=(0, 2))
    assert (segment if segment is None else segment.tolist()) == ends


def test_segment_touches_the_corner_that_floats_would_miss() -> None:
    """x1 + x2 = 0.1 + 0.2 exactly, a sum that rounds up in floats; the last bit of b decides between touch and miss."""
    corner = Fraction(0.1) + Fraction(0.2)
    above, below = 0.1 + 0.2, math.nextafter(0.1 + 0.2, 0)
    assert Fraction(below) < corner < Fraction(above)
    box = {"xlim": (0.1, 1.0), "ylim": (0.2, 1.0)}
    assert Hyperplane([1, 1], -below).segment(**box) is None
    assert Hyperplane([1, 1], -above).segment(**box) is not None


number = st.floats(-1e3, 1e3, allow_subnormal=False)
limits = st.tuples(number, number).map(sorted).filter(lambda pair: pair[0] < pair[1]).map(tuple)


@given(st.tuples(number, number).filter(any), number, limits, limits)
def test_segment_ends_lie_on_the_line_and_on_the_boundary_of_the_box(
    w: tuple[float, float], b: float, xlim: tuple[float, float], ylim: tuple[float, float]
) -> None:
    """It misses exactly when all four corners lie strictly on one side, decided in fractions."""
    segment = Hyperplane(w, b).segment(xlim, ylim)
    p, q, r = Fraction(w[0]), Fraction(w[1]), Fraction(b)
    corners = [p * Fraction(x) + q * Fraction(y) + r for x in xlim for y in ylim]
    assert (segment is None) == (min(corners) > 0 or max(corners) < 0)
    for x, y in [] if segment is None else segment.tolist():
        assert xlim[0] <= x <= xlim[1]
        assert ylim[0] <= y <= ylim[1]
        assert x in xlim or y in ylim
        rounding = abs(p * Fraction(x)) + abs(q * Fraction(y)) + Fraction(1, 10**300)
        assert abs(p * Fraction(x) + q * Fraction(y) + r) <= rounding * Fraction(2) ** -52


def test_is_a_value() -> None:
    w = np.array([2.0, 1.0])
    plane = Hyperplane(w, -5)
    w[0] = 7.0
    assert plane.w.tolist() == [2.0, 1.0]
    assert plane == Hyperplane((2, 1), -5.0)
    assert plane != Hyperplane([2, 1], 5)
    assert plane != Hyperplane([2, 1, 0], -5)
    assert plane != "2 x1 + x2 - 5 = 0"
    assert len({plane, Hyperplane([2, 1], -5), Hyperplane([4, 2], -10)}) == 2
    assert hash(Hyperplane([0.0, 1.0], 0.0)) == hash(Hyperplane([-0.0, 1.0], -0.0))
    assert repr(plane) == "Hyperplane([2.0, 1.0], b=-5.0)"
    assert repr(Hyperplane(np.ones(1000), 0.5)) == "<Hyperplane: 1000 weights, b=0.5>"
    with pytest.raises(FrozenInstanceError):
        plane.b = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda plane: pickle.loads(pickle.dumps(plane))])  # noqa: S301
def test_stays_read_only_when_copied(again: Callable[[Hyperplane], Hyperplane]) -> None:
    plane = again(WARM_UP)
    assert plane == WARM_UP
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 1.0


def test_a_zero_w_has_scores_but_no_plane() -> None:
    nothing = Hyperplane([0, 0], 3)
    assert nothing.decision_function([[1, 2], [3, 4]]).tolist() == [3.0, 3.0]
    assert nothing.side([1, 2]) == 1
    assert nothing.norm == 0.0
    calls: list[Callable[[], object]] = [
        lambda: nothing.distance([1, 2]),
        lambda: nothing.geometric_margin([1, 2], 1),
        lambda: nothing.margin([[1, 2]], [1]),
        lambda: nothing.support([[1, 2]], [1]),
        lambda: nothing.unit(),
        lambda: nothing.segment((0, 1), (0, 1)),
    ]
    for call in calls:
        with pytest.raises(
            ParameterError, match="w is zero in all 2 coordinates, so there is no plane; give another w"
        ):
            call()


def test_norm_neither_overflows_nor_vanishes() -> None:
    assert Hyperplane([3e200, 4e200]).norm == pytest.approx(5e200, rel=1e-15)
    assert Hyperplane([3e-200, 4e-200]).norm == pytest.approx(5e-200, rel=1e-15)


@pytest.mark.parametrize(
    ("w", "b", "message"),
    [
        ([], 0, "w must be a vector of 1 or more numbers and b a number, but their shapes are (0,) and ()"),
        ([[1, 2]], 0, "but their shapes are (1, 2) and ()"),
        ([1, 2], [3], "but their shapes are (2,) and (1,)"),
        ([1, np.nan], 0, "w must be finite, but it is nan at entry 1; drop or fill in such values"),
        ([1, 2], np.inf, "b must be finite, but it is inf; drop"),
        (["a"], 0, "w must be a rectangular array of numbers: its type is <U1"),
        ([1j], 0, "w must be a rectangular array of numbers: its type is complex128"),
        ([10**400], 0, "w must be a rectangular array of numbers: int too large to convert to float"),
    ],
)
def test_refuses_to_be_made_of(w: Any, b: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        Hyperplane(w, b)


@pytest.mark.parametrize("w", [[1], [[1, 2]], 3])
def test_from_weights_refuses(w: Any) -> None:
    shape = re.escape(str(np.shape(w)))
    with pytest.raises(
        DataError, match=f"w must be one vector of d weights and the bias weight, but its shape is {shape}"
    ):
        Hyperplane.from_weights(w)


def test_from_weights_refuses_a_bias_that_is_not_finite() -> None:
    with pytest.raises(ParameterError, match="bias must be a finite number, but it is inf"):
        Hyperplane.from_weights([1, 2], bias=math.inf)


@pytest.mark.parametrize("method", ["decision_function", "side", "half_space", "distance", "angle"])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1, 2, 3]], "X must be n x 2, or one point of 2 numbers, but its shape is (1, 3)"),
        ([1, 2, 3], "but its shape is (3,)"),
        (5, "but its shape is ()"),
        ([[[1, 2]]], "but its shape is (1, 1, 2)"),
        ([[1, 2], [3, np.nan]], "X must be finite, but it is nan at row 1, column 1; drop or fill in such values"),
        ([-np.inf, 2], "X must be finite, but it is -inf at entry 0"),
        ([[1, 2], [3]], "X must be a rectangular array of numbers: setting an array element with a sequence"),
        ([["1", "2"]], "X must be a rectangular array of numbers: its type is <U1"),
        ([[1, None]], "X must be finite, but it is nan at row 0, column 1"),
    ],
)
def test_refuses_points(method: str, X: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        getattr(WARM_UP, method)(X)


@pytest.mark.parametrize("method", ["functional_margin", "geometric_margin", "margin", "support"])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1, 2], [3, 4]], [1], "y must hold one label for each point, shape (2,), but its shape is (1,)"),
        ([1, 2], [1], "y must hold one label for each point, shape (), but its shape is (1,)"),
        ([[1, 2], [3, 4]], [1, 0], "y must be -1 or +1, but it is 0.0 at entry 1; map the two classes to these"),
        ([1, 2], 2, "y must be -1 or +1, but it is 2.0; map"),
        ([[1, 2]], ["+"], "y must be a rectangular array of numbers: its type is <U1"),
        ([[1, 2, 3]], [1], "X must be n x 2"),
    ],
)
def test_refuses_labels(method: str, X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        getattr(WARM_UP, method)(X, y)


def test_refuses_a_score_that_overflows() -> None:
    message = "w.x + b must be a float64, but it is inf at entry 1; scale X or w down, it overflows"
    with pytest.raises(DataError, match=re.escape(message)):
        Hyperplane([1e200, 0]).side([[1.0, 1.0], [1e200, 1.0]])
    with pytest.raises(DataError, match="but it is -inf; scale"):
        Hyperplane([1e200]).decision_function([-1e200])


@pytest.mark.parametrize("method", ["margin", "support"])
def test_refuses_the_margin_of_no_points(method: str) -> None:
    with pytest.raises(DataError, match="X must hold at least one point to have a margin, but it has 0 rows"):
        getattr(WARM_UP, method)(np.empty((0, 2)), [])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WARM_UP.side([1, 2], tie="zero"), "tie must be one of positive, negative, mistake, but it is 'zero'"),  # type: ignore[arg-type]
        (lambda: WARM_UP.support([[1, 2]], [1], rtol=-1), "rtol must be a number >= 0, but it is -1"),
        (lambda: WARM_UP.support([[1, 2]], [1], rtol=math.nan), "rtol must be a number >= 0, but it is nan"),
        (lambda: WARM_UP.equation(["a"]), "names must be 2, one for each weight, but there are 1"),
        (lambda: WARM_UP.region(1, ["a", "b", "c"]), "names must be 2, one for each weight, but there are 3"),
        (
            lambda: WARM_UP.equation(solve_for="x3"),
            "solve_for must have a weight, as ['x1', 'x2'] have, but it is 'x3'",
        ),
        (
            lambda: Hyperplane([1, 0]).equation(solve_for="x2"),
            "solve_for must have a weight, as ['x1'] have, but it is 'x2'",
        ),
        (lambda: WARM_UP.region(0), "sign must be +1 or -1, but it is 0"),
        (
            lambda: Hyperplane([1, 2, 3]).segment((0, 1), (0, 1)),
            "only a line, d = 2, can be clipped to a box, but here d = 3",
        ),
        (
            lambda: WARM_UP.segment((1, 0), (0, 1)),
            "xlim and ylim must be (low, high), low < high, but they are (1, 0) and (0, 1)",
        ),
        (lambda: WARM_UP.segment((0, 1), (2, 2)), "but they are (0, 1) and (2, 2)"),
        (lambda: WARM_UP.segment((0, 1, 2), (0, 1, 2)), "but they are (0, 1, 2) and (0, 1, 2)"),  # type: ignore[arg-type]
    ],
)
def test_refuses_options(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        call()


def test_segment_refuses_a_box_without_end() -> None:
    message = "the box of xlim and ylim must be finite, but it is inf at row 0, column 1"
    with pytest.raises(DataError, match=re.escape(message)):
        WARM_UP.segment((0, math.inf), (0, 1))
