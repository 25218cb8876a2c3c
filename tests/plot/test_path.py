"""The path of w: directions of length 1, and the arc of exactly those directions that separate the rows."""

import io
import math
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    DataError,
    KernelPerceptron,
    Kozinec,
    OneVsOne,
    ParameterError,
    Perceptron,
    datasets,
    trace,
)
from rosenblatt.plot import PathDisplay
from rosenblatt.plot.path import solutions
from tests.support.effort import examples
from tests.support.strategies import separable

CMU = datasets.load("cmu_points")
ANGLES = np.linspace(-math.pi, math.pi, 1441)[:-1] + 0.0007  # no direction of whole numbers is among them
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def within(arc: tuple[float, float]) -> Any:
    """Tell which of the angles are in the arc."""
    return (ANGLES - arc[0]) % (2 * math.pi) < arc[1] - arc[0]


def legend_of(display: PathDisplay) -> list[str]:
    return [words.get_text() for words in display.figure_.legends[0].get_texts()]


def test_the_lecture_by_hand() -> None:
    steps = trace(Perceptron(order="cyclic", tie="positive", bias=0), *CMU)
    display = PathDisplay.from_trace(steps, *CMU)
    expected = np.array([[1, -2], [2, -1], [3, 1]]) / np.sqrt([[5], [5], [10]])
    np.testing.assert_allclose(display.points, expected)
    assert display.numbers.tolist() == [1, 2, 3]
    # All y x are (1, something); the outermost are (1, -2) and (1, 2), at right angles to (2, 1) and (2, -1).
    assert display.arc == pytest.approx((-math.atan2(1, 2), math.atan2(1, 2)))
    np.testing.assert_array_equal(display.signed, [[1, -2], [1, 0], [1, 1], [1, 0], [1, 2], [1, -1]])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("weight of x1", "weight of x2")
    assert display.ax_.get_aspect() == 1
    assert legend_of(display)[0] == "directions that separate"
    written = [words.get_text() for words in display.ax_.texts]
    assert {"1", "2", "3"} <= set(written)


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=8))
def test_the_arc_by_brute_force(rows: list[tuple[int, int]]) -> None:
    signed = np.array(rows, dtype=float)
    right = (CIRCLE @ signed.T > 0).all(axis=1)
    arc = solutions(signed)
    if arc is None:
        assert not right.any()
    else:
        np.testing.assert_array_equal(right, within(arc))


@given(separable())
@settings(max_examples=examples(0.25))
def test_in_any_dimension_the_arc_has_the_solutions_of_the_plane(rows: Any) -> None:
    X, y, bias = rows
    assume(len(X[0]) + bool(bias) >= 2)
    steps = trace(Perceptron(bias=bias, max_epochs=10**6), X, y)
    display = PathDisplay.from_trace(steps, X, y, ax=Figure().subplots())
    np.testing.assert_allclose(np.linalg.norm(display.directions, axis=1), 1)
    np.testing.assert_allclose(display.basis @ display.basis.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(display.points[[0, -1]], axis=1), 1)
    assert (np.linalg.norm(display.points, axis=1) <= 1 + 1e-12).all()
    # The last w separates, and is in the plane.
    arc = display.arc
    assert arc is not None
    last = math.atan2(*display.points[-1][::-1])
    assert 0 < (last - arc[0]) % (2 * math.pi) < arc[1] - arc[0]
    Z = np.array(y)[:, np.newaxis] * np.column_stack([X, np.full(len(X), bias)])[:, : display.basis.shape[1]]
    leads = (CIRCLE @ display.basis) @ Z.T
    clear = np.abs(leads).min(axis=1) > 1e-9
    np.testing.assert_array_equal((leads > 0).all(axis=1)[clear], within(arc)[clear])


def test_a_start_that_is_not_0_has_a_number_and_a_w_of_0_has_none() -> None:
    begun = PathDisplay.from_trace(trace(Perceptron(bias=0, init=[0, 3, 0]), *CMU))
    assert begun.numbers[0] == 0
    np.testing.assert_array_equal(begun.points[0], [0, 1])
    assert begun.arc is None
    assert legend_of(begun) == ["w after each update", "the last w"]
    # (1, 0) is added, then taken off again; then (0, 1) is added.
    X, y = [[1, 0], [1, 0], [0, 1]], [1, -1, 1]
    lost = PathDisplay.from_trace(trace(Perceptron(order="cyclic", bias=0), X, y, max_steps=3), X, y)
    assert lost.numbers.tolist() == [1, 3]
    np.testing.assert_array_equal(lost.points, [[1, 0], [0, 1]])
    assert legend_of(lost)[0] == "no direction in this plane separates the rows"


def test_one_column_and_its_bias_are_two_weights() -> None:
    # y (x, 2) is (-1, -2) and (3, 2): the directions between (2, -1) and (2, -3) are right for both.
    display = PathDisplay.from_trace(trace(Perceptron(bias=2.0), [[1], [3]], [-1, 1]), [[1], [3]], [-1, 1])
    np.testing.assert_array_equal(display.signed, [[-1, -2], [3, 2]])
    assert display.arc is not None
    assert sorted(np.cos(display.arc)) == pytest.approx([2 / math.sqrt(13), 2 / math.sqrt(5)])
    assert display.ax_.get_ylabel() == "bias weight"


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_runs_of_many_updates_and_of_kozinec() -> None:
    X, y = load_iris(return_X_y=True)
    long = PathDisplay.from_trace(trace(Perceptron(max_epochs=10), X[50:], y[50:]), X[50:], y[50:])
    assert len(long.points) > 60
    assert long.arc is None
    search = trace(Kozinec(solver="kozinec"), X[:100, :2], y[:100], max_steps=40)
    display = PathDisplay.from_trace(search, X[:100, :2], y[:100])
    assert display.numbers.tolist() == list(range(41))
    parallel = PathDisplay.from_trace(trace(Perceptron(), [[1, 0, 0], [-1, 0, 0]], [1, -1], max_steps=1))
    np.testing.assert_allclose(parallel.basis @ parallel.basis.T, np.eye(2), atol=1e-12)


def test_the_ways_of_a_batch_of_a_member_and_of_a_hyperplane_for_gaussians() -> None:
    """z = y x of CMU's rows sum to (6, 0), the direction of the first axis, after one step."""
    batch = PathDisplay.from_trace(trace(BatchPerceptron(bias=0), *CMU), *CMU)
    assert (batch.points.tolist(), batch.numbers.tolist()) == ([[1.0, 0.0]], [1])
    run = trace(OneVsOne(Perceptron()), [[0, 1], [1, 0], [2, 2]], ["a", "b", "c"])
    member = run.member("b against a")
    display = PathDisplay.from_trace(member, [[0, 1], [1, 0]], ["a", "b"])
    assert display.numbers.tolist() == [step.updates for step in member if step.updated]
    moves = trace(Anderson(solver="gradient"), CMU.X, CMU.y, max_steps=4)
    assert PathDisplay.from_trace(moves, *CMU).numbers.tolist() == [0, 1, 2, 3, 4]


def test_it_can_be_drawn_again() -> None:
    display = PathDisplay.from_trace(trace(Perceptron(bias=0), *CMU), *CMU)
    _, axes = plt.subplots(1, 2)
    for ax in axes:
        assert display.plot(ax) is display
        assert display.ax_ is ax
    for kind in ("svg", "png"):
        file = io.BytesIO()
        display.figure_.savefig(file, format=kind, dpi=40)
        assert file.getvalue()


def test_what_has_no_way_is_refused() -> None:
    run = trace(Perceptron(), *CMU)
    with pytest.raises(ParameterError, match="trace must be a Trace, the result of trace"):
        PathDisplay.from_trace(Perceptron())  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="this trace has 3 classes"):
        PathDisplay.from_trace(trace(Perceptron(), [[0], [1], [2]], ["a", "b", "c"], max_steps=3))
    with pytest.raises(
        ParameterError, match=r"has 3 classifiers. Give the trace of one, trace.member\(task\).*'b against a'"
    ):
        PathDisplay.from_trace(trace(OneVsOne(Perceptron()), [[0], [1], [2]], ["a", "b", "c"], max_steps=3))
    with pytest.raises(ParameterError, match=r"kernel perceptron .* trace.to_table\(\) shows its steps"):
        PathDisplay.from_trace(trace(KernelPerceptron(), *CMU))
    with pytest.raises(DataError, match="a single number: it has no direction"):
        PathDisplay.from_trace(trace(Perceptron(bias=0), [[-1], [1]], [0, 1]))
    with pytest.raises(DataError, match="never updated"):
        PathDisplay.from_trace(trace(Perceptron(), CMU.X, CMU.y, max_steps=0))
    with pytest.raises(DataError, match="X has 1 column, but the trace has 2"):
        PathDisplay.from_trace(run, [[1], [2]], [-1, 1])
    with pytest.raises(DataError, match="not one of the known classes"):
        PathDisplay.from_trace(run, [[1, 2]], [7])
