"""Traces of Anderson's task: the lines of the history, the worst Gaussian of each, bounds that enclose the radius."""

import math
from typing import Any

import numpy as np
import pytest

from rosenblatt import Anderson, DataError, ParameterError, Perceptron, StopReason, Trace, trace, trace_gaussians

pytestmark = pytest.mark.filterwarnings(
    "ignore::rosenblatt.BudgetWarning",
    "ignore::rosenblatt.OverlapWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)

MEANS = np.array([[0.0, 0], [4, 0], [2, 3], [5, 4]])
COVARIANCES = np.array([np.eye(2), [[1, 0.3], [0.3, 1]], [[4, 0], [0, 0.25]], [[2, -1], [-1, 1]]])
LABELS = np.array(["low", "low", "high", "high"])
SIGNS = np.array([-1, -1, 1, 1])
SOLVERS = ["auto", "ascent", "gradient"]
PAIR = ([[0, 0], [6, 8]], [[[4, 0], [0, 1]], [[1, 0.5], [0.5, 3]]], [0, 1])


def radii(w: Any) -> Any:
    """y (w.mu + b) / sqrt(w.C w) of each Gaussian."""
    w, b = np.array(w[:-1]), w[-1]
    return SIGNS * (MEANS @ w + b) / np.sqrt([w @ C @ w for C in COVARIANCES])


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_trace_is_the_history_of_the_fit(solver: Any) -> None:
    """Hyperplanes, radii, bounds, stop reason and tight Gaussians are equal to the last bit."""
    model = Anderson(solver=solver, max_iter=40)
    run = trace_gaussians(model, MEANS, COVARIANCES, LABELS)
    assert not hasattr(model, "classes_")
    model.fit_gaussians(MEANS, COVARIANCES, LABELS)
    lines = model.history_
    assert np.array([run.start, *(step.w for step in run)]).tobytes() == np.ascontiguousarray(lines["w"]).tobytes()
    assert [step.radius for step in run] == lines["radius"][1:].tolist()
    assert [step.lower for step in run] == lines["lower"][1:].tolist()
    upper = [math.inf if step.upper is None else step.upper for step in run]
    assert upper == lines["upper"][1:].tolist()
    assert run[-1].updates == len(run) == model.n_iter_ > 1
    assert run.stop_reason is model.stop_reason_
    assert run[-1].active == tuple(model.tight_.tolist())
    assert run[-1].weights == tuple(model.dual_weights_.tolist())
    assert all((step.active, step.weights) == (None, None) for step in run.steps[:-1])
    assert (run.kind, run.bias, run.classes, run.feature_names) == ("gaussians", 1.0, ("high", "low"), ("x1", "x2"))
    best = max([run.start, *(step.w for step in run)], key=lambda w: min(-radii(w)))
    np.testing.assert_allclose(best, [*model.coef_[0], *model.intercept_], rtol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_step_names_the_worst_gaussian_before_it(solver: Any) -> None:
    """`high` is the negative class here: the radii of the definition have the other sign."""
    run = trace_gaussians(Anderson(solver=solver, max_iter=40), MEANS, COVARIANCES, LABELS)
    before = run.start
    for t, step in enumerate(run, 1):
        worst = -radii(before)
        assert step.index is not None
        assert worst[step.index] == pytest.approx(worst.min(), rel=1e-9)
        assert (step.x, step.y) == (tuple(MEANS[step.index]), LABELS[step.index])
        assert step.score == pytest.approx(float(np.dot(before[:-1], step.x)) + before[-1])
        assert step.predicted == ("low" if step.score > 0 else "high")
        assert step.mistake == (step.predicted != step.y)
        assert step.radius == pytest.approx(min(-radii(step.w)), rel=1e-9, abs=1e-12)
        assert step.norm == pytest.approx(math.hypot(*step.w[:-1]))
        assert (step.epoch, step.updates, step.updated) == (t, t, True)
        before = step.w


@pytest.mark.parametrize("solver", [*SOLVERS, "bahadur"])
def test_bounds_enclose_the_radius_of_two_gaussians(solver: Any) -> None:
    """The best hyperplane of a direction w has the radius w.(mu_2 - mu_1) / (s_1 + s_2); all directions are tried."""
    run = trace_gaussians(Anderson(solver=solver, max_iter=60), *PAIR)
    turn = np.linspace(0, math.pi, 200_001)
    ways = np.c_[np.cos(turn), np.sin(turn)]
    spreads = [np.sqrt(np.einsum("ij,jk,ik->i", ways, np.array(C), ways)) for C in PAIR[1]]
    radius = float((ways @ [6, 8] / (spreads[0] + spreads[1])).max())
    assert len(run) > 1
    for step in run:
        assert step.lower is not None
        assert step.lower <= radius + 1e-8
        assert step.upper is None or step.upper >= radius


def test_rows_are_estimated_as_fit_does() -> None:
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((60, 2)) + np.repeat([[0, 0], [4, 1]], 30, axis=0), np.repeat(["a", "b"], 30)
    run = trace(Anderson(solver="ascent"), X, y)
    model = Anderson(solver="ascent").fit(X, y)
    assert [step.w for step in run] == [tuple(w) for w in model.history_["w"][1:].tolist()]
    assert run == trace_gaussians(Anderson(solver="ascent"), model.means_, model.covariances_, model.component_labels_)
    assert run.stop_reason is StopReason.GAP_CLOSED


@pytest.mark.parametrize("solver", ["auto", "ascent", "gradient", "bahadur"])
def test_cut_off(solver: Any) -> None:
    whole = trace_gaussians(Anderson(solver=solver, max_iter=200), *PAIR)
    for m in (0, 1, 3, len(whole) - 1, len(whole), len(whole) + 9):
        cut = trace_gaussians(Anderson(solver=solver, max_iter=200), *PAIR, max_steps=m)
        assert (cut.start, cut.steps) == (whole.start, whole.steps[:m])
        assert cut.stop_reason is (None if m < len(whole) else whole.stop_reason)
        assert Trace.from_jsonl(cut.to_jsonl()) == cut


def test_a_long_run_is_not_made_to_show_a_short_one() -> None:
    """Ten million steps would take an hour."""
    run = trace_gaussians(
        Anderson(solver="gradient", max_iter=10**7, epsilon=1e-12), MEANS, COVARIANCES, LABELS, max_steps=5
    )
    assert (len(run), run.stop_reason) == (5, None)


def test_overlap_has_no_steps_and_bad_input_is_refused() -> None:
    run = trace_gaussians(Anderson(), [[0], [1], [0.5]], [[[1]]] * 3, [0, 0, 1])
    assert (len(run), run.stop_reason) == (0, StopReason.PROVED_OVERLAP)
    with pytest.raises(ParameterError, match=r"must be an Anderson\(\), not Perceptron"):
        trace_gaussians(Perceptron(), *PAIR)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="max_steps"):
        trace_gaussians(Anderson(), *PAIR, max_steps=-1)
    with pytest.raises(DataError, match="3 classes"):
        trace_gaussians(Anderson(), MEANS, COVARIANCES, [0, 1, 2, 0])
    with pytest.raises(ParameterError, match="bahadur"):
        trace_gaussians(Anderson(solver="bahadur"), MEANS, COVARIANCES, LABELS)


def test_the_table_shows_radius_and_bounds() -> None:
    run = trace_gaussians(Anderson(solver="gradient", max_iter=3), MEANS, COVARIANCES, LABELS)
    table = run.to_table()
    headings = ["#", "Gaussian", "x1", "x2", "y", "w after", "radius", "at least", "at most"]
    assert [str(column.header) for column in table.columns] == headings
    assert [str(cell) for cell in table.columns[6].cells] == [f"{step.radius:.6g}" for step in run]
    assert next(iter(table.columns[8].cells)) == "-"  # no bound from above yet
