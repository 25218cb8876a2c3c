"""The picture of a witness: exact weights and means by the definition, and the text beside the rows."""

import io
from dataclasses import replace
from fractions import Fraction
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosenblatt import DataError, ParameterError, datasets, separability
from rosenblatt.plot import WitnessDisplay
from rosenblatt.plot.witness import short_fraction
from tests.support.effort import examples

XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
TRIANGLE = [[0, 0], [4, 0], [0, 4], [1, 1]], ["out", "out", "out", "in"]


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def shown(X: Any, y: Any, ax: Any = None, names: Any = None, **options: Any) -> WitnessDisplay:
    return WitnessDisplay.from_verdict(separability(X, y, **options), X, y, ax=ax, feature_names=names)


def written(display: WitnessDisplay) -> set[str]:
    return {text.get_text() for text in display.ax_.texts}


def mean(X: Any, rows: list[int], weights: list[Fraction]) -> list[Fraction]:
    """The weighted mean of whole numbers, exactly."""
    columns = range(len(X[0]))
    return [sum((share * int(X[i][j]) for i, share in zip(rows, weights, strict=True)), Fraction(0)) for j in columns]


# ---------------------------------------------------------------------------------------------------------------------
# Weights and means


def test_two_crossing_segments_by_hand() -> None:
    display = shown(*XOR)
    assert display.rows == ([0, 1], [2, 3])
    assert display.weights == ([Fraction(1, 2)] * 2, [Fraction(1, 2)] * 2)
    assert display.means.tolist() == [[0.5, 0.5]] * 2
    assert display.shape == "two crossing segments"
    assert written(display) == {"row 0: 1/2", "row 1: 1/2", "row 2: 1/2", "row 3: 1/2"}
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["even: rows 0 and 1", "odd: rows 2 and 3", "common mean: two crossing segments"]


def test_a_point_in_a_triangle_by_hand() -> None:
    """(1, 1) = 1/2 (0, 0) + 1/4 (4, 0) + 1/4 (0, 4)."""
    display = shown(*TRIANGLE)
    assert display.classes == ["in", "out"]
    assert written(display) == {"row 3: 1", "row 0: 1/2", "row 1: 1/4", "row 2: 1/4"}
    assert display.corners[1].tolist() == [[0, 0], [4, 0], [0, 4]]


@settings(max_examples=examples(0.25))
@given(st.integers(1, 4), st.data())
def test_both_weighted_means_are_the_same_point(d: int, data: st.DataObject) -> None:
    numbers = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    X = data.draw(st.lists(numbers, min_size=d + 3, max_size=2 * d + 6))
    y = [i % 2 for i in range(len(X))]
    verdict = separability(X, y)
    assume(verdict.kind != "strict")
    display = WitnessDisplay.from_verdict(verdict, X, y)
    plt.close(display.figure_)
    for rows, weights, code in zip(display.rows, display.weights, (0, 1), strict=True):
        assert {y[i] for i in rows} == {code}
        assert sum(weights) == 1
        assert min(weights) > 0
    one, other = (mean(X, *side) for side in zip(display.rows, display.weights, strict=True))
    assert one == other
    assert display.means == pytest.approx(np.array([display.view.points(np.array(one, dtype=float))] * 2), abs=1e-9)
    for corners, weights, seen in zip(display.corners, display.weights, display.means, strict=True):
        assert np.array(weights, dtype=float) @ corners == pytest.approx(seen, abs=1e-9)


@settings(max_examples=examples(0.2))
@given(st.data())
def test_through_the_origin_the_weighted_means_are_on_one_ray(data: st.DataObject) -> None:
    """a m = b m' with a, b >= 0: the means have the same direction; a class alone has mean 0."""
    X = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=4, max_size=8))
    y = [i % 2 for i in range(len(X))]
    verdict = separability(X, y, through_origin=True)
    assume(verdict.kind != "strict")
    display = WitnessDisplay.from_verdict(verdict, X, y)
    plt.close(display.figure_)
    assert display.through_origin
    sides = [mean(X, *side) for side in zip(display.rows, display.weights, strict=True) if side[0]]
    if len(sides) == 1:
        assert sides[0] == [0, 0]
    else:
        (a, b), (c, d) = sides
        assert a * d == b * c
        assert a * c + b * d >= 0


def test_integers_beyond_floats_have_exact_weights() -> None:
    """2^60 + 1 is a third of the way from 2^60 to 2^60 + 3, which floats cannot tell apart."""
    big = 2**60
    display = shown([[big], [big + 3], [big + 1]], ["a", "a", "b"])
    assert display.weights == ([Fraction(2, 3), Fraction(1, 3)], [Fraction(1)])


@pytest.mark.parametrize("detail", [True, False])
def test_witnesses_of_weak_verdicts_and_without_detail_are_drawn(detail: bool) -> None:
    display = shown([[0], [1], [1], [3]], ["low", "low", "up", "up"], detail=detail)
    assert (display.rows, display.shape) == (([1], [2]), "two equal points")
    assert display.means.tolist() == [[1, 0], [1, 0]]
    assert written(display) == {"row 1: 1", "row 2: 1"}


# ---------------------------------------------------------------------------------------------------------------------
# Where it is seen


def test_a_witness_that_spans_a_plane_is_seen_as_it_is() -> None:
    """Two segments that cross in (1, 1, 1, 1), at a right angle, in four columns."""
    X = [[0, 1, 1, 1], [2, 1, 1, 1], [1, 0, 1, 1], [1, 2, 1, 1], [7, 7, 0, 5], [5, 9, 9, 3]]
    display = shown(X, list("aabbab"))
    assert display.shape == "two crossing segments"
    for corners in display.corners:
        assert np.linalg.norm(corners[0] - corners[1]) == pytest.approx(2)
    across = [corners[1] - corners[0] for corners in display.corners]
    assert across[0] @ across[1] == pytest.approx(0, abs=1e-9)
    assert "marked rows" in display.ax_.get_xlabel()


def test_the_witness_fills_the_picture_and_other_rows_are_pale() -> None:
    display = shown(*XOR)
    far = np.array([[1000.0, 1000], [-1000, 3000]])
    wider = replace(
        display, points=np.concatenate([display.points, far]), codes=np.append(display.codes, [0, 1])
    ).plot()
    assert wider.ax_.axis() == display.ax_.axis()
    assert max(map(abs, display.ax_.axis())) < 2
    assert {dots.get_alpha() for dots in wider.ax_.collections} == {0.3}


def test_of_many_rows_only_those_of_small_witnesses_have_their_weights_written() -> None:
    X = np.vstack([np.eye(9), np.full((1, 9), 1 / 16)])
    y = ["a"] * 9 + ["b"]
    display = shown(np.vstack([X, np.zeros((1, 9))]), [*y, "a"])
    assert len(display.rows[0]) == 10
    assert written(display) == set()
    assert display.weights[0] == [Fraction(1, 16)] * 9 + [Fraction(7, 16)]


def test_the_pair_of_a_verdict_of_more_classes_and_names_are_taken() -> None:
    X, y = datasets.load("iris")
    frame = pd.DataFrame(np.asarray(X)[:, 2:], columns=["length", "width"])
    display = WitnessDisplay.from_verdict(separability(frame, y).pairs[("versicolor", "virginica")], frame, y)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "width")
    assert len(display.points) == 100
    assert {y[i] for i in display.rows[1]} == {"virginica"}
    assert np.array(display.weights[0], dtype=float) @ frame.iloc[display.rows[0]].to_numpy() == pytest.approx(
        display.means[0]
    )


def test_a_wide_sparse_matrix_is_not_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    X = scipy.sparse.random_array((20, 60), density=0.2, format="csr", rng=np.random.default_rng(0))
    X = scipy.sparse.vstack([X, X[:1]]).tocsr()
    y = np.append(np.arange(20) % 2, 1)
    verdict = separability(X, y)
    dense = scipy.sparse.csr_array.toarray

    def few(matrix: Any, *more: Any, **options: Any) -> Any:
        assert matrix.shape[0] < 5
        return dense(matrix, *more, **options)

    monkeypatch.setattr(scipy.sparse.csr_array, "toarray", few)
    display = WitnessDisplay.from_verdict(verdict, X, y)
    assert display.rows == ([0], [20])
    assert "all rows" in display.ax_.get_xlabel()


# ---------------------------------------------------------------------------------------------------------------------
# Axes, files, what is refused


def test_it_draws_on_given_axes_as_often_as_asked_and_is_saved() -> None:
    figure, ax = plt.subplots()
    verdicts = [(XOR, True), (TRIANGLE, True), (XOR, False), (([[0], [0], [1]], [0, 1, 1]), True)]
    for (X, y), bias in verdicts:
        display = shown(X, y, ax=ax, through_origin=not bias)
        assert display.plot(ax).figure_ is figure
    for kind in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=kind)


@pytest.mark.parametrize(
    ("weight", "text"),
    [(Fraction(1), "1"), (Fraction(2, 3), "2/3"), (Fraction(123, 457), "123/457"), (Fraction(1234, 9999), "0.123")],
)
def test_a_short_fraction_is_written_as_it_is(weight: Fraction, text: str) -> None:
    assert short_fraction(weight) == text


def test_what_has_no_witness_is_refused() -> None:
    apart = [[0], [1]], [0, 1]
    with pytest.raises(ParameterError, match=r"but it is strict.*HullsDisplay\.from_verdict draws it"):
        shown(*apart)
    X, y = datasets.load("iris")
    with pytest.raises(ParameterError, match=r"about 3\. Give the verdict of a pair"):
        shown(X, y)
    with pytest.raises(DataError, match="Give the X and y that separability was called with"):
        WitnessDisplay.from_verdict(separability(*XOR), [[0, 0], [1, 1], [0, 1], [1, 5]], XOR[1])
    with pytest.raises(ParameterError, match="names must have length 2"):
        shown(*XOR, names=["a"])
    assert plt.get_fignums() == []
