"""Tests of the numbers of a report, against numbers computed by hand or by loops."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    Anderson,
    KernelPerceptron,
    Kessler,
    Kozinec,
    OneVsOne,
    Perceptron,
    Scaling,
    Verdict,
    separability,
)
from rosenblatt.errors import DataError
from rosenblatt.models.input_rows import classifier_of, seen_by
from rosenblatt.report import report
from rosenblatt.report import report as report_module
from rosenblatt.report.report import Report, Stages, bound_updates, judge, margins_of, prove, sample_of, scaled

XOR = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array(["even", "even", "odd", "odd"])
GRID = np.array(list(itertools.product(range(5), repeat=2)), dtype=np.float64)
ABOVE = np.where(GRID.sum(axis=1) > 4, "above", "below")  # a line separates them
THIRDS = np.array([f"sum {3 * x.sum() // 9:g}" for x in GRID])  # three classes between parallel lines
FOUR = np.array([[1.0], [2.0], [4.0], [5.0]])


def reported(model: Any, X: Any, y: NDArray[Any], **known: Any) -> Report:
    """A report after training only."""
    labels, counts = np.unique(y, return_counts=True)
    own = dict(zip(labels.tolist(), counts.tolist(), strict=True))
    return Report("rows", "kind", len(y), 0, X.shape[1], own, "some", model, {}, learned_from=len(y), **known)


# ---------------------------------------------------------------------------------------------------------------------
# Time


def test_stages_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.5, 10.0, 10.25, 20.0, 24.0])
    monkeypatch.setattr("rosenblatt.report.report.time.perf_counter", lambda: next(clock))
    stages = Stages()
    for name in ("reading", "training", "reading"):
        with stages(name):
            pass
    assert stages.seconds == {"reading": 5.5, "training": 0.25}


def test_compiling_is_a_stage_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, compiled = iter([0.0, 5.0, 7.0, 8.0]), iter([1.0, 4.0, 4.0, 4.0])
    monkeypatch.setattr("rosenblatt.report.report.time.perf_counter", lambda: next(clock))
    monkeypatch.setattr("rosenblatt.report.report.compile_seconds", lambda: next(compiled))
    stages = Stages()
    for name in ("reading", "training"):
        with stages(name):
            pass
    assert stages.seconds == {"reading": 2.0, "compiling": 3.0, "training": 1.0}


def test_a_stage_that_fails_took_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0])
    monkeypatch.setattr("rosenblatt.report.report.time.perf_counter", lambda: next(clock))
    stages = Stages()
    with pytest.raises(DataError), stages("reading"):
        raise DataError("no")
    assert stages.seconds == {"reading": 2.0}


# ---------------------------------------------------------------------------------------------------------------------
# Margins, confusions, bounds, proofs


def test_margins_of_two_classes_are_distances() -> None:
    model = Kozinec().fit(FOUR, np.array(["l", "l", "r", "r"]))  # the boundary is at 3
    assert margins_of(model, FOUR, np.array(["l", "l", "r", "r"])) == pytest.approx([2, 1, 1, 2])
    assert margins_of(model, FOUR, np.array(["r", "l", "l", "r"])) == pytest.approx([-2, 1, -1, 2])


def test_margins_after_scaling_are_distances_of_what_was_scaled() -> None:
    y = np.array([False, False, True, True])
    model = make_pipeline(Scaling(), Kozinec()).fit(FOUR, y)
    spread = np.sqrt((4 + 1 + 1 + 4) / 4)
    assert margins_of(model, FOUR, y) == pytest.approx(np.array([2, 1, 1, 2]) / spread)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_margins_without_weights() -> None:
    X, y = np.array([[5.0], [5.0]]), np.array([0, 1])
    model = Kozinec().fit(X, y)
    assert not model.coef_.any()
    assert margins_of(model, X, y).tolist() == [0.0, 0.0]


def test_margins_of_a_kernel_are_scores() -> None:
    X, y = XOR
    model = KernelPerceptron().fit(X, y)
    signs = np.where(y == "odd", 1, -1)
    assert margins_of(model, X, y).tolist() == (signs * model.decision_function(X)).tolist()


@pytest.mark.parametrize("model", [Perceptron(max_epochs=500), Kessler(Kozinec(bias=1.0)), OneVsOne(Anderson())])
def test_margins_of_three_classes_are_leads(model: Any) -> None:
    model.fit(GRID, THIRDS)
    found = margins_of(model, GRID, THIRDS)
    scores = model.decision_function(GRID)
    for i, label in enumerate(THIRDS):
        own = model.classes_.tolist().index(label)
        assert found[i] == scores[i, own] - max(scores[i, c] for c in range(3) if c != own)
    assert ((found > 0) == (model.predict(GRID) == THIRDS)).all()


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (Kozinec(), ABOVE, "distance from the boundary, negative on the wrong side"),
        (KernelPerceptron(), ABOVE, "score, positive on the correct side"),
        (Perceptron(average="voted"), ABOVE, "score, positive on the correct side"),
        (Kessler(Kozinec(bias=1.0)), THIRDS, "lead of the true class over the best other"),
    ],
)
def test_the_unit_of_margins(model: Any, y: NDArray[Any], words: str) -> None:
    assert words in reported(model.fit(GRID, y), GRID, y).unit


@pytest.mark.parametrize("how", ["center", "standardize", "divide", "unit"])
def test_the_unit_says_how_columns_were_scaled(how: Any) -> None:
    model = make_pipeline(Scaling(how=how), Kozinec(C=1.0)).fit(GRID[1:], ABOVE[1:])
    assert f"--scale {how}, negative on the wrong side" in reported(model, GRID, ABOVE).unit


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("y", [ABOVE, THIRDS, ABOVE == "above", (ABOVE == "above") + 3])
def test_confusions_by_a_loop(y: NDArray[Any]) -> None:
    found = reported(Perceptron(max_epochs=1).fit(GRID, y), GRID, y)
    judge(found, GRID, y, "all rows")
    said = found.model.predict(GRID).tolist()
    assert found.confusion is not None
    assert found.accuracy is not None
    for (i, true), (j, taken) in itertools.product(enumerate(found.classes), repeat=2):
        pairs = zip(y.tolist(), said, strict=True)
        assert found.confusion[i, j] == sum(pair == (true, taken) for pair in pairs)
    assert (found.accuracy.right, found.accuracy.n) == (np.trace(found.confusion), 25)
    assert found.judged == "all rows"
    assert found.quality is not None
    most, share = found.quality.baseline, found.quality.baseline_accuracy.value
    assert share == max(y.tolist().count(label) for label in found.classes) / 25 == y.tolist().count(most) / 25


def bounded(model: Any, X: Any, y: NDArray[Any], **known: Any) -> Report:
    """The report of a fit, with its bound."""
    found = reported(model.fit(X, y), X, y, **known)
    bound_updates(found, X, y)
    return found


@pytest.mark.parametrize(
    ("model", "X", "bound"),
    [
        (Perceptron(), [[-1.0], [1.0]], 2),  # z = (1, -1) and (1, 1): R^2 = 2, gamma = 1
        (Perceptron(bias=0.0), [[-1.0], [1.0]], 1),
        (Perceptron(margin=3.0), [[-1.0], [1.0]], 8),  # R^2 + 2 * 3
        (Perceptron(class_weight={0: 1.0, 1: 5.0}), [[-1.0], [1.0]], 10),
        (make_pipeline(Scaling(), Perceptron()), [[100.0], [300.0]], 2),  # which it sees as -1 and 1
    ],
)
def test_the_bound_by_hand(model: Any, X: Any, bound: int) -> None:
    assert bounded(model, np.array(X), np.array([0, 1])).bound == bound


@pytest.mark.parametrize("model", [Kozinec(), KernelPerceptron(), Anderson(), Perceptron(init=np.ones(3))])
def test_no_bound_where_there_is_no_theorem(model: Any) -> None:
    found = bounded(model, GRID, ABOVE)
    assert found.bound is None
    assert (found.unbounded != "") == isinstance(model, Perceptron)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("rows", "words"),
    [(XOR, "no hyperplane separates the rows"), ((GRID, np.array([*"abc"] * 8 + ["a"])), "no linear rule separates")],
)
def test_no_bound_where_classes_overlap(rows: Any, words: str) -> None:
    found = bounded(Perceptron(max_epochs=2), *rows)
    assert found.bound is None
    assert words in found.unbounded


def test_no_bound_where_the_verdict_was_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Verdict("undecided", ["above", "below"], n=25)
    monkeypatch.setattr(report_module, "verdict_of", lambda *_: undecided)
    found = bounded(Perceptron(), GRID, ABOVE)
    assert found.bound is None
    assert "not looked for" in found.unbounded


def test_no_bound_is_looked_for_in_very_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "MAX_MARGIN_COLUMNS", 1)
    found = bounded(Perceptron(), GRID, ABOVE)
    assert found.bound is None
    assert "not looked for" in found.unbounded


@pytest.mark.parametrize("weights", [None, "balanced", {"a": 1.0, "b": 1000.0}])
@pytest.mark.parametrize("average", [None, "averaged"])
@pytest.mark.parametrize("rate", [1.0, 0.001])
def test_no_fit_makes_more_updates_than_its_bound(weights: Any, average: Any, rate: float) -> None:
    X, y = np.array([[0.0]] * 40 + [[2.0]]), np.array(["a"] * 40 + ["b"])
    model = Perceptron(class_weight=weights, average=average, learning_rate=rate, order="cyclic", max_epochs=5000)
    found = bounded(model, X, y)
    assert found.bound is not None
    assert found.count("n_updates_") <= found.bound


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_proofs_of_an_overlap() -> None:
    X, y = XOR
    found = reported(Perceptron(average="averaged", max_epochs=5).fit(X, y), X, y)
    prove(found, X, y)
    assert found.verdict is not None
    assert found.fewest is not None
    assert (found.verdict.kind, found.fewest.lower, found.fewest.upper) == ("overlap", 1, 1)


def test_no_errors_are_looked_for_where_none_are_needed() -> None:
    found = reported(Kozinec().fit(GRID, ABOVE), GRID, ABOVE)
    prove(found, GRID, ABOVE)
    assert found.verdict == separability(GRID, ABOVE)
    assert found.fewest is None


# ---------------------------------------------------------------------------------------------------------------------
# What a report says of the model


def test_weights_by_size_and_name() -> None:
    X = np.column_stack([GRID[:, 0], -GRID[:, 1] / 10, GRID[:, 0] * 0])
    model = Kozinec().fit(X, ABOVE)
    w = model.coef_[0].tolist()
    found = reported(model, X, ABOVE)
    assert abs(w[1]) > abs(w[0]) > w[2] == 0
    assert found.ranked_weights() == [("x2", w[1]), ("x1", w[0]), ("x3", 0.0)]
    assert found.ranked_weights("below")[0][1] == -found.ranked_weights("above")[0][1]


@pytest.mark.parametrize("model", [KernelPerceptron(), OneVsOne(Anderson())])
def test_no_weights(model: Any) -> None:
    found = reported(model.fit(GRID, THIRDS), GRID, THIRDS)
    assert found.ranked_weights("sum 1") == []


def test_the_search_inside_a_wrapper_is_heard() -> None:
    model = Kessler(Kozinec(bias=1.0)).fit(GRID, THIRDS)
    found = reported(model, GRID, THIRDS)
    assert found.stop_reason == model.estimator_.stop_reason_
    assert found.count("n_iter_") == model.estimator_.n_iter_
    several = reported(OneVsOne(Anderson()).fit(GRID, THIRDS), GRID, THIRDS)
    assert several.stop_reason is None
    assert several.count("n_updates_") is None


def test_pipelines() -> None:
    plain, piped = Perceptron(), scaled(Perceptron(), "centre")
    assert scaled(plain, None) is plain
    assert classifier_of(plain) is plain
    assert isinstance(classifier_of(piped), Perceptron)
    piped.fit(FOUR, np.array([0, 0, 1, 1]))
    assert seen_by(piped, FOUR).ravel().tolist() == [-2, -1, 1, 2]
    assert seen_by(plain, FOUR) is FOUR


def test_a_sample_is_some_of_the_rows_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = reported(Perceptron().fit(GRID, ABOVE), GRID, ABOVE)
    X, y = sample_of(found, GRID, ABOVE, 0)
    assert X.tolist() == GRID.tolist()
    assert y.tolist() == ABOVE.tolist()
    monkeypatch.setattr(report, "MAX_DRAWN_ROWS", 7)
    X, y = sample_of(found, GRID, ABOVE, 0)
    numbers = [GRID.tolist().index(x) for x in X.tolist()]
    assert len(numbers) == 7
    assert numbers == sorted(numbers)
    assert y.tolist() == ABOVE[numbers].tolist()
    assert sample_of(found, GRID, ABOVE, 0)[0].tolist() == X.tolist()
