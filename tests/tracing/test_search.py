"""Traces of a search for the nearest point: the run is that of `fit`, and every step follows the rule."""

import io
import math
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import sparse

from rosenblatt import (
    Anderson,
    BudgetWarning,
    DataError,
    Hyperplane,
    Kozinec,
    ParameterError,
    Perceptron,
    StopReason,
    Trace,
    trace,
)
from rosenblatt.hulls.search import Solver
from rosenblatt.tracing.tracer import trace_gaussian_search, trace_search

RULES: tuple[Solver, ...] = ("kozinec", "mdm", "away", "wolfe")
SOLVERS: tuple[Solver, ...] = (*RULES, "auto")
X = np.array([[1.0, 1], [2, 3], [3, 1], [4, -1], [-1, 0], [-2, -2], [0.5, -1], [-1, 2]])
Y = np.array(["b", "b", "b", "b", "a", "a", "a", "a"])
SIGNS = np.where(Y == "b", 1.0, -1.0)


def planted(seed: int, n: int = 60, d: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, d))
    labels = np.where(points[:, 0] > 0, 1, -1)
    points[:, 0] += 0.2 * labels
    return points, labels


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bias", ["free", 1.0, 0.0])
@pytest.mark.parametrize("screening", [False, True])
def test_a_trace_is_what_fit_does(solver: Any, bias: Any, screening: bool) -> None:
    points, labels = planted(1)
    points[:, 0] += labels  # also separable through the origin
    model = Kozinec(solver=solver, bias=bias, epsilon=0.05, screening=screening)
    run = trace(model, points, labels)
    assert not hasattr(model, "classes_")
    model.fit(points, labels)
    assert run.stop_reason is model.stop_reason_ is StopReason.GAP_CLOSED
    assert [step.index for step in run] == model.history_["row"][1:].tolist()
    assert [len(step.active or ()) for step in run] == model.history_["active"][1:].tolist()
    np.testing.assert_allclose(run[-1].w[: len(model.hull_vector_)], model.hull_vector_, rtol=1e-9, atol=1e-12)
    plane, last = model.hyperplane_.unit(), Hyperplane.from_weights(np.array(run[-1].w), run.bias).unit()
    np.testing.assert_allclose(last.weights, plane.weights, rtol=1e-9, atol=1e-12)
    assert (run[-1].lower, run[-1].upper) == pytest.approx(model.margin_bounds_, rel=1e-9)
    assert run[-1].active == tuple(model.support_.tolist())
    np.testing.assert_allclose(np.array(run[-1].weights), model.hull_weights_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_step_is_a_combination_that_is_shorter_than_the_one_before(solver: Any) -> None:
    run = trace(Kozinec(solver=solver, epsilon=0.01), X, Y)
    lengths = [math.hypot(*run.start[:-1])]
    for step in run:
        assert step.active is not None
        assert step.weights is not None
        rows, weights = list(step.active), np.array(step.weights)
        assert (weights > 0).all()
        for sign in (-1, 1):
            assert weights[SIGNS[rows] == sign].sum() == pytest.approx(1)
        np.testing.assert_allclose((weights * SIGNS[rows]) @ X[rows], step.w[:-1], atol=1e-12)
        assert step.norm == pytest.approx(math.hypot(*step.w[:-1]))
        lengths.append(float(step.norm or 0.0))
    assert (np.diff(lengths) < 0).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_step_says_where_its_row_was_and_what_is_known_after_it(solver: Any) -> None:
    run = trace(Kozinec(solver=solver, epsilon=0.01), X, Y)
    before = run.start
    for t, step in enumerate(run, 1):
        assert step.x == tuple(X[step.index])
        assert step.y == Y[step.index]
        assert step.score == pytest.approx(float(np.dot(before[:-1], step.x)) + before[-1])
        assert step.predicted == ("b" if step.score > 0 else "a")
        assert step.mistake == (step.predicted != step.y)
        assert step.updated
        assert step.updates == t
        margins = SIGNS * (X @ step.w[:-1] + step.w[-1]) / math.hypot(*step.w[:-1])
        assert step.lower == pytest.approx(margins.min())
        assert step.upper == pytest.approx(float(step.norm or 0.0) / 2)
        before = step.w


def test_kozinec_by_hand() -> None:
    """One hull, bias 0: z = (2, 0) and (1, 1) start at (2, 0).

    (1, 1) has the smaller lead, 2 < 4. On the segment from (2, 0) to (1, 1) the nearest to 0 is (1, 1) itself, k = 1;
    then both leads are 2 = |w|^2, and w = (1, 1) is the nearest point.
    """
    run = trace(Kozinec(solver="kozinec", bias=0.0), [[2, 0], [-1, -1]], [1, 0])
    assert run.start == (2.0, 0.0, 0.0)
    assert [(step.index, step.w, step.active) for step in run] == [(1, (1.0, 1.0, 0.0), (1,))]
    assert run[0].upper == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("solver", RULES)
def test_slack_can_be_traced(solver: Any) -> None:
    points = np.array([[0.0], [2.0], [1.0], [3.0]])
    run = trace(Kozinec(solver=solver, C=1.0), points, [0, 0, 1, 1])
    assert run.stop_reason is StopReason.GAP_CLOSED


def test_a_jump_is_not_traced() -> None:
    with pytest.raises(ParameterError, match="solver='wolfe'"):
        trace(Kozinec(C=1.0), X, Y)


def test_overlap_and_any_separation() -> None:
    assert trace(Kozinec(), [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]).stop_reason is StopReason.PROVED_OVERLAP
    run = trace(Kozinec(epsilon=None, solver="kozinec"), *planted(3))
    assert run.stop_reason is StopReason.SEPARATED
    assert len(run) > 1
    assert [step.lower is not None and step.lower > 0 for step in run] == [False] * (len(run) - 1) + [True]


@pytest.mark.parametrize("max_steps", [0, 1, 2])
def test_cut_off(max_steps: int) -> None:
    points, labels = planted(2)
    whole = trace(Kozinec(solver="mdm"), points, labels)
    cut = trace(Kozinec(solver="mdm"), points, labels, max_steps=max_steps)
    assert cut.stop_reason is None
    assert cut.start == whole.start
    assert cut.steps == whole.steps[:max_steps]


@pytest.mark.parametrize("solver", SOLVERS)
def test_there_and_back(solver: Any) -> None:
    run = trace(Kozinec(solver=solver), X, Y)
    assert Trace.from_jsonl(run.to_jsonl()) == run
    assert run.to_frame()["active"].tolist() == [" ".join(map(str, step.active or ())) for step in run]


def test_storage_does_not_change_it() -> None:
    for solver in RULES:
        run = trace(Kozinec(solver=solver), X, Y)
        for stored in (sparse.csr_matrix(X), X.astype(np.float32)):
            other = trace(Kozinec(solver=solver), stored, Y)
            assert [step.index for step in other] == [step.index for step in run]
            for a, b in zip(other, run, strict=True):
                np.testing.assert_allclose(a.w, b.w, rtol=1e-12, atol=1e-14)


def test_table_puts_bounds_beside_the_steps() -> None:
    run = trace(Kozinec(solver="wolfe", epsilon=0.01), X, Y)
    console = Console(width=100, file=io.StringIO())
    console.print(run.to_table())
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "margin at least" in text
    assert "gap_closed" in text
    assert f"{run[-1].upper:.6g}" in text


def test_refuses_what_it_cannot_follow() -> None:
    with pytest.raises(ParameterError, match=r"such as Perceptron\(\) or Kozinec\(\)"):
        trace(object(), X, Y)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="3 classes"):
        trace(Kozinec(), X, [0, 1, 2, 0, 1, 2, 0, 1])
    with pytest.raises(ParameterError, match="max_steps"):
        trace(Kozinec(), X, Y, max_steps=-1)
    assert trace(Perceptron(), X, Y)[0].active is None


@pytest.mark.parametrize("bias", ["free", 1.0])
@pytest.mark.parametrize("solver", RULES)
def test_a_traced_search_brings_the_estimator_that_fit_gives(solver: Any, bias: Any) -> None:
    model = Kozinec(solver=solver, bias=bias, epsilon=0.01)
    found = trace_search(model, X, Y)
    expected = Kozinec(solver=solver, bias=bias, epsilon=0.01).fit(X, Y)
    assert not hasattr(model, "classes_")
    assert found.trace == trace(model, X, Y)
    assert found.start_bounds == (expected.history_["lower"][0], expected.history_["upper"][0])
    assert found.fitted.stop_reason_ is expected.stop_reason_
    assert np.array_equal(found.fitted.history_, expected.history_)
    assert np.array_equal(found.fitted.hyperplane_.weights, expected.hyperplane_.weights)
    cut = trace_search(model, X, Y, max_steps=1)
    assert (len(cut.trace), cut.trace.stop_reason, cut.fitted) == (1, None, None)
    assert cut.start_bounds == found.start_bounds


def test_a_traced_search_for_gaussians_brings_its_estimator_even_if_it_is_cut_off() -> None:
    given = [[0, 0], [4, 0], [2, 3]], [np.eye(2), np.eye(2), np.diag([4, 0.25])], ["low", "low", "high"]
    model = Anderson(solver="gradient", max_iter=50)
    with pytest.warns(BudgetWarning):
        expected = Anderson(solver="gradient", max_iter=50).fit_gaussians(*given)
    found = trace_gaussian_search(model, *given)
    assert np.array_equal(found.fitted.hyperplane_.weights, expected.hyperplane_.weights)
    assert np.array_equal(found.fitted.history_["w"], expected.history_["w"])
    assert found.start_bounds == (expected.history_["lower"][0], expected.history_["upper"][0])
    cut = trace_gaussian_search(model, *given, max_steps=2)
    assert (len(cut.trace), cut.trace.stop_reason) == (2, None)
    assert np.array_equal(cut.fitted.contact_points(2), expected.contact_points(2))
