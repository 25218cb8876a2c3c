"""The words of a verdict, its drawing, and the contradictions that it finds."""

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs

from rosenblatt import ParameterError, Verdict, separability

CORNERS, XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
SQUARES = [[0, 0], [2, 0], [0, 2], [2, 2]]
Rows = list[list[int]]


def drawn(verdict: Verdict) -> Any:
    assert verdict.drawing is not None
    return verdict.drawing


# ---------------------------------------------------------------------------------------------------------------------
# Words


def test_strict_in_words() -> None:
    """(0, 0), (0, 2) and (3, 1): nearest points (0, 1) and (3, 1), 3 apart."""
    verdict = separability([[0, 0], [0, 2], [3, 1], [5, 1]], ["low", "low", "high", "high"])
    text = verdict.explain()
    assert verdict.kind == "strict"
    assert text.startswith("Strictly separable.")
    assert "1.5 away" in text
    assert "rows 0 and 1" in text
    assert "row 2" in text
    assert "'low' where the left side is positive, 'high' where it is negative" in text  # "high" comes first
    assert repr(verdict) == "<Verdict: strict, 4 rows>"


def test_the_equation_in_words_has_the_sides_as_it_says() -> None:
    """1 x1 - 1.5 = 0 up to a factor, and the larger numbers, of the later class, where it is positive."""
    verdict = separability([[1], [2]], ["a", "b"])
    assert verdict.hyperplane is not None
    assert verdict.hyperplane.half_space([[1], [2]]).tolist() == [-1, 1]
    assert verdict.hyperplane.equation() in verdict.explain()
    assert "'b' where the left side is positive, 'a' where it is negative" in verdict.explain()


def test_overlap_in_words() -> None:
    text = separability(CORNERS, XOR).explain()
    for words in (
        "Not separable: the classes overlap.",
        "rows 0 and 1 (class 'even')",
        "rows 2 and 3 (class 'odd')",
        "(x1 = 0.5, x2 = 0.5)",
        "two crossing segments",
    ):
        assert words in text


def test_column_names_in_words() -> None:
    frame = pd.DataFrame(CORNERS, columns=["height", "width"])
    assert "(height = 0.5, width = 0.5)" in separability(frame, XOR).explain()
    text = separability(frame, [0, 1, 1, 1]).explain()
    assert "height" in text
    assert "width" in text
    assert "x1" not in text


def test_names_that_are_no_text_are_left_out() -> None:
    assert "(x1 = 0.5, x2 = 0.5)" in separability(pd.DataFrame(CORNERS), XOR).explain()


def test_weak_in_words() -> None:
    """The number 1 occurs in both classes. The others are on both sides of it."""
    verdict = separability([[0], [1], [1], [3]], [0, 0, 1, 1])
    text = verdict.explain()
    assert verdict.kind == "weak"
    assert "quasi-complete separation" in text
    assert "2 rows are off it; rows 1 and 2 must lie on it" in text
    assert "row 1 (class 0) and one of row 2 (class 1)" in text
    assert "two equal points" in text
    assert "rows 1 and 2 are equal but have different labels" in text


def test_contradictions_in_words() -> None:
    verdict = separability([[5, 5], [1, 2], [5, 5], [1, 2], [9, 1], [3, 3], [7, 0]], [0, 0, 1, 1, 0, 1, 1])
    assert verdict.contradictions == [(0, 2), (1, 3)]
    assert "rows 0 and 2 are equal but have different labels. There are 2 such pairs" in verdict.explain()
    assert "contradict" not in separability(CORNERS, XOR).explain()


def test_without_detail_in_words() -> None:
    verdict = separability(CORNERS, XOR, detail=False)
    assert (verdict.kind, verdict.hyperplane, verdict.margin_bounds) == ("not_strict", None, None)
    assert verdict.witness is not None
    assert verdict.certificate is not None
    assert verdict.certificate.claim == "not_strict"
    assert verdict.certificate.verify(CORNERS, XOR)
    text = verdict.explain()
    assert text.startswith("Not strictly separable")
    assert "rows 0 and 1 (class 'even')" in text
    assert separability([[1], [2]], [0, 1], detail=False).kind == "strict"


def test_many_columns_are_not_listed() -> None:
    X, y = make_blobs(40, centers=[[0] * 20, [9] * 20], random_state=0)
    text = separability(X, y).explain()
    assert "20 weights" in text
    assert "x20" not in text
    assert len(text) < 600
    assert len(separability(X, np.arange(40) % 2, detail=False).explain()) < 1200


@pytest.mark.parametrize("bias", [True, False])
def test_words_about_the_witness_are_true_of_the_rows_they_name(bias: bool) -> None:
    """Contradictions in three places span the plane; the first alone does not."""
    X = [[1, 1], [1, 1], [2, 1], [2, 1], [1, 3], [1, 3]]
    verdict = separability(X, [0, 1] * 3, through_origin=not bias)
    assert verdict.kind == "overlap"
    assert verdict.witness is not None
    told = re.search(r"linear combinations of the witness, rows ([^.]*)\.", verdict.explain())
    assert (told is None) == (len(set(verdict.witness.rows)) == len(X))
    if told is not None:
        assert {int(i) for i in re.findall(r"\d+", told[1])} == set(verdict.witness.rows)


def test_one_row_that_cannot_move_is_one_row_in_words() -> None:
    """A row of zeros is on every hyperplane through the origin."""
    verdict = separability([[0], [1]], [0, 1], through_origin=True)
    assert (verdict.kind, verdict.stuck.tolist()) == ("weak", [0])
    text = verdict.explain()
    assert "1 row is off it; row 0 must lie on it" in text
    assert "row 0, with the signs of their classes" not in text


# ---------------------------------------------------------------------------------------------------------------------
# What there is to draw


@pytest.mark.parametrize(
    ("X", "y", "shape", "rows", "point"),
    [
        (CORNERS, [0, 0, 1, 1], "two crossing segments", ([0, 1], [2, 3]), [0.5, 0.5]),
        ([[0, 0], [4, 0], [0, 4], [1, 1]], [0, 0, 0, 1], "a point in a triangle", ([0, 1, 2], [3]), [1, 1]),
        ([[0, 0], [4, 0], [0, 4], [1, 1]], [1, 1, 1, 0], "a point in a triangle", ([3], [0, 1, 2]), [1, 1]),
        ([[0, 0], [4, 2], [2, 1]], [0, 0, 1], "a point on a segment", ([0, 1], [2]), [2, 1]),
        ([[3, 7], [3, 7]], [0, 1], "two equal points", ([0], [1]), [3, 7]),
        ([[1], [2], [3]], [0, 1, 0], "a point on a segment", ([0, 2], [1]), [2]),
        (
            [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]],
            [0, 0, 0, 0, 1],
            "a point in a tetrahedron",
            ([0, 1, 2, 3], [4]),
            [1, 1, 1],
        ),
        (
            [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 3]],
            [0, 0, 0, 1, 1],
            "a segment through a triangle",
            ([0, 1, 2], [3, 4]),
            [1, 1, 0],
        ),
    ],
)
def test_hulls_that_meet(
    X: Rows, y: list[int], shape: str, rows: tuple[list[int], list[int]], point: list[float]
) -> None:
    """The rows of the only place where the hulls meet, computed by hand."""
    verdict = separability(X, y)
    drawing = drawn(verdict)
    assert (drawing.shape, drawing.rows, drawing.slab) == (shape, rows, None)
    for own, corners, at in zip(rows, drawing.corners, drawing.points, strict=True):
        assert corners.tolist() == [X[i] for i in own]
        assert at == pytest.approx(point)
    assert shape in verdict.explain()


@given(st.integers(0, 10**6))
def test_the_common_point_is_the_witness(seed: int) -> None:
    """For random classes that overlap, the weighted means of the drawn witness rows are the same point."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (8, 2)), [0, 1, *rng.integers(0, 2, 6).tolist()]
    verdict = separability(X, y)
    if verdict.kind == "strict":
        return
    drawing = drawn(verdict)
    assert drawing.points[0] == pytest.approx(drawing.points[1])
    assert verdict.witness is not None
    assert {*drawing.rows[0], *drawing.rows[1]} <= set(verdict.witness.rows)
    assert [{y[i] for i in rows} for rows in drawing.rows] == [{0}, {1}]
    total = [Fraction(0)] * 3
    for i, weight in zip(verdict.witness.rows, verdict.witness.weights, strict=True):
        total = [a + weight * (1 if y[i] else -1) * b for a, b in zip(total, [*X[i].tolist(), 1], strict=True)]
    assert total == [0, 0, 0]
    assert sum(verdict.witness.weights) == 1


@pytest.mark.parametrize("seed", range(5))
def test_nearest_points_and_the_slab_between_them(seed: int) -> None:
    X, y = make_blobs(40, centers=[[0, 0], [7, 4]], random_state=seed)
    verdict = separability(X, y)
    drawing = drawn(verdict)
    assert verdict.margin_bounds is not None
    low, high = verdict.margin_bounds
    assert np.linalg.norm(drawing.points[0] - drawing.points[1]) == pytest.approx(2 * high, rel=1e-6)
    assert low == pytest.approx(high, rel=1e-5)
    plane, edge, other = drawing.slab
    assert plane == verdict.hyperplane
    assert np.abs(edge.decision_function(drawing.corners[0])).min() == pytest.approx(0, abs=1e-9)
    assert np.abs(other.decision_function(drawing.corners[1])).min() == pytest.approx(0, abs=1e-9)
    assert edge.decision_function(X[y == 0]).max() == pytest.approx(0, abs=1e-4)  # no row is inside the slab
    assert other.decision_function(X[y == 1]).min() == pytest.approx(0, abs=1e-4)
    assert (other.b - edge.b) / -plane.norm == pytest.approx(2 * high, rel=1e-4)
    assert "nearest points" in drawing.shape


def test_nearest_points_by_hand() -> None:
    """Triangles: the side x1 + x2 = 4 and the corner (4, 4), 2 sqrt(2) apart, the foot (2, 2)."""
    X, y = [[0, 0], [4, 0], [0, 4], [4, 4], [6, 4], [4, 6]], [0, 0, 0, 1, 1, 1]
    drawing = drawn(separability(X, y))
    assert drawing.rows == ([1, 2], [3])
    assert drawing.points[0] == pytest.approx([2, 2])
    assert drawing.points[1] == pytest.approx([4, 4])
    assert [plane.distance([0, 0]) for plane in drawing.slab] == pytest.approx(
        [3 * math.sqrt(2), math.sqrt(8), math.sqrt(32)]
    )


def test_sparse_rows_are_drawn_too() -> None:
    for X, y in ((CORNERS, XOR), (SQUARES, [0, 0, 0, 1])):
        dense, sparse = (drawn(separability(form, y)) for form in (X, scipy.sparse.csr_array(X)))
        assert dense.shape == sparse.shape
        assert dense.points[0] == pytest.approx(sparse.points[0])


# ---------------------------------------------------------------------------------------------------------------------
# Weak separation, and hyperplanes through the origin


@pytest.mark.parametrize(
    ("X", "y", "bias", "stuck"),
    [
        ([[0], [1], [1], [3]], [0, 0, 1, 1], True, [1, 2]),
        # The line x2 = 0 has the segments 0..2 of both classes on it; the others are off it.
        ([[0, 0], [2, 0], [1, 0], [0, 1], [5, -1]], [0, 0, 1, 1, 0], True, [0, 1, 2]),
        # ... and another point of that line is on it too, wherever it is.
        ([[0, 0], [2, 0], [1, 0], [9, 0], [0, 1], [5, -1]], [0, 0, 1, 1, 1, 0], True, [0, 1, 2, 3]),
        # (3, 3) is on the line through (1, 1) and (2, 2), which hold both classes, and 9, 0 beside it.
        ([[1, 1], [1, 1], [2, 2], [2, 2], [3, 3], [9, 0]], [0, 1, 0, 1, 0, 1], True, [0, 1, 2, 3, 4]),
        ([[0, 0], [1, 0], [2, 5]], [0, 1, 1], False, [0]),
        ([[1, 0], [-2, 0], [0, 1], [0, -1]], [1, 1, 1, 0], False, [0, 1]),
    ],
)
def test_rows_that_are_stuck(X: Rows, y: list[int], bias: bool, stuck: list[int]) -> None:
    verdict = separability(X, y, through_origin=not bias)
    assert (verdict.kind, verdict.stuck.tolist()) == ("weak", stuck)
    assert verdict.through_origin is not bias
    assert verdict.hyperplane is not None
    scores = verdict.hyperplane.decision_function(X) * np.where(np.array(y) == 1, 1, -1)
    assert np.flatnonzero(scores == 0).tolist() == stuck
    assert (scores >= 0).all()
    assert bias or verdict.hyperplane.b == 0


def test_through_the_origin() -> None:
    """The rows 1 (negative) and 2 (positive) need a bias. The rows -1 and 2 do not."""
    assert separability([[1], [2]], [0, 1]).kind == "strict"
    without = separability([[1], [2]], [0, 1], through_origin=True)
    assert (without.kind, without.through_origin) == ("overlap", True)
    assert "add up to exactly 0" in without.explain()
    strict = separability([[-1], [2]], [0, 1], through_origin=True)
    assert strict.margin_bounds == pytest.approx((1, 1))
    assert strict.hyperplane is not None
    assert strict.hyperplane.b == 0
    assert "at least 1 away" in strict.explain()


# ---------------------------------------------------------------------------------------------------------------------
# More than two classes


def test_iris() -> None:
    """Setosa can be separated from each of the others. The others overlap, and ties cannot be avoided."""
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target_names[iris.target]
    verdict = separability(X, y)
    kinds = {pair: found.kind for pair, found in verdict.pairs.items()}
    assert kinds == {
        ("setosa", "versicolor"): "strict",
        ("setosa", "virginica"): "strict",
        ("versicolor", "virginica"): "overlap",
    }
    assert verdict.kind == "weak"
    assert (verdict.hyperplane, verdict.margin_bounds, verdict.drawing) == (None, None, None)
    for found in (verdict, *verdict.pairs.values()):
        assert found.certificate is not None
        assert found.certificate.verify(X, y)
    assert [found.n for found in verdict.pairs.values()] == [100] * 3
    text = verdict.explain()
    assert "'setosa' separates strictly from every other class; 'versicolor' and 'virginica' overlap" in text
    assert "'versicolor' and 'virginica' overlap" in text
    assert verdict.witness is not None
    assert verdict.witness.against is not None
    assert set(verdict.witness.against) <= set(iris.target_names)
    overlapping = verdict.pairs["versicolor", "virginica"]
    assert overlapping.witness is not None
    assert min(overlapping.witness.rows) >= 50
    assert "'versicolor'" in overlapping.explain()
    assert "petal" in overlapping.explain()
    assert set(verdict.stuck.tolist()) <= set(range(50, 150))


def test_three_corners_are_strict_and_a_line_of_four_is_not() -> None:
    """The classes 0, 1, 2, 0 on a line: class 0 would need two intervals."""
    corners = separability([[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"])
    assert corners.kind == "strict"
    assert set(corners.pairs) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert {found.kind for found in corners.pairs.values()} == {"strict"}
    assert "every row scores most in its own class" in corners.explain()
    line = separability([[1], [2], [3], [4]], [0, 1, 2, 0])
    assert line.kind != "strict"
    assert (line.pairs[0, 1].kind, line.pairs[0, 2].kind, line.pairs[1, 2].kind) == ("overlap", "overlap", "strict")
    brief = separability([[1], [2], [3], [4]], [0, 1, 2, 0], detail=False)
    assert (brief.kind, brief.pairs[0, 1].kind) == ("not_strict", "not_strict")


# ---------------------------------------------------------------------------------------------------------------------
# Budgets


def test_undecided_only_when_a_time_limit_is_reached() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 60))
    y = (X @ rng.normal(size=60) > 0).astype(int)
    verdict = separability(X, y, time_limit=1e-9)
    assert verdict.kind == "undecided"
    assert (verdict.certificate, verdict.hyperplane, verdict.witness, verdict.drawing) == (None,) * 4
    assert "time limit was reached" in verdict.explain()
    assert "more time" in verdict.explain()
    assert separability(X, y).kind == "strict"
    assert separability(X, y, time_limit=60).kind == "strict"


def test_undecided_of_many_classes_still_tells_what_is_known() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 40)), np.arange(600) % 3
    verdict = separability(X, y, time_limit=1e-9)
    assert verdict.kind == "undecided"
    assert verdict.certificate is None
    assert len(verdict.pairs) == 3
    known = Verdict("undecided", [0, 1, 2], pairs={(0, 1): separability(CORNERS, [0, 1, 0, 1])})
    assert "0 and 1 separate strictly" in known.explain()


@pytest.mark.parametrize("time_limit", [0, -1.0, math.nan, True, "1", [1.0]])
def test_bad_time_limit(time_limit: Any) -> None:
    with pytest.raises(ParameterError, match="time_limit must be a number of seconds above 0, or None, not"):
        separability(CORNERS, XOR, time_limit=time_limit)


def test_words_for_hyperplanes_through_the_origin_say_so() -> None:
    verdict = separability([[1], [2]], [0, 1], through_origin=True)
    assert verdict.kind == "overlap"
    assert "through the origin" in verdict.explain()
    assert verdict.certificate is not None
    assert "hyperplane through the origin" in verdict.certificate.explain()


def test_a_margin_as_narrow_as_rounding_is_said_to_be() -> None:
    """As decimals, the second row is the midpoint of the others. As floats, it is not."""
    X, y = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], ["a", "b", "a"]
    verdict = separability(X, y)
    assert verdict.kind == "strict"
    assert verdict.narrow
    assert "give them as whole numbers" in verdict.explain()
    assert separability([[1, 3], [2, 6], [3, 9]], y).kind == "overlap"
    assert not separability([[0.1], [0.2]], [0, 1]).narrow


def test_many_pairs_are_counted_not_listed() -> None:
    verdict = separability([[i] for i in range(6)], [0, 1, 2, 3, 4, 5])
    assert "all 15 pairs separate strictly" in verdict.explain()
