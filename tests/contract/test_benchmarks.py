"""The benchmark runner, on measurements that are known beforehand."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.svm import LinearSVC

from benchmarks.benchmark import (
    MaxRatio,
    MaxValue,
    NotAbove,
    NotBelow,
    Objective,
    Solver,
    ValueAndNumber,
    run,
    run_all,
    table,
    verdict,
)
from benchmarks.datasets import (
    DenseRows,
    DigitsAgainstRest,
    DigitsPair,
    Labelled,
    NotHereError,
    Planted,
    SparseText,
    Standardised,
    Wdbc,
)
from benchmarks.objectives import OBJECTIVES
from benchmarks.solvers import Epoch, Fit, LinearProgram, ReadOnce, ScikitLearn, margin, slack_objective
from rosenblatt import Kozinec


@pytest.fixture(autouse=True)
def _garbage_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner collects garbage before each measurement; among thousands of tests that takes seconds."""
    monkeypatch.setattr("benchmarks.benchmark.gc", SimpleNamespace(collect=lambda: 0))


class Numbers:
    name = "numbers"

    def make(self) -> list[float]:
        return [2.0, 4.0, 8.0, 6.0]


class Times:
    """Reports a factor times the next number, so that every ratio is known."""

    def __init__(self, name: str, factor: float) -> None:
        self.name, self.factor = name, factor

    def prepare(self, data: list[float]) -> Callable[[], Any]:
        left = list(data)
        return lambda: self.factor * left.pop(0)


OBJECTIVE = Objective(
    "known",
    [Numbers()],
    [Times("rosenblatt", 1.0), Times("peer", 3.0)],
    [MaxRatio("rosenblatt", 0.5, "peer")],
    unit="s",
)


def test_medians_and_ratios_within_a_round_leave_the_first_round_out() -> None:
    result = run(OBJECTIVE, Numbers(), rounds=3)
    assert result.values == {"rosenblatt": [4.0, 8.0, 6.0], "peer": [12.0, 24.0, 18.0]}
    assert result.median("peer") == 18.0
    assert result.ratio("peer", "rosenblatt") == (3.0, 3.0, 3.0)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (MaxRatio("rosenblatt", 0.34, "peer"), "MET"),
        (MaxRatio("rosenblatt", 0.33, "peer"), "MISSED"),
        (MaxValue("peer", 18.0), "MET"),
        (MaxValue("peer", 17.9), "MISSED"),
    ],
)
def test_a_claim_is_met_or_missed_by_its_median(claim: MaxRatio | MaxValue, word: str) -> None:
    assert verdict(claim, run(OBJECTIVE, Numbers(), rounds=3)).startswith(word + ":")


def test_a_run_prints_tables_and_writes_all_measurements(tmp_path: Path) -> None:
    screen = io.StringIO()
    run_all([OBJECTIVE], 3, tmp_path / "new" / "bench.json", Console(file=screen, width=120))
    assert "MET: rosenblatt at most 0.5 x peer: 0.333" in screen.getvalue()
    record = json.loads((tmp_path / "new" / "bench.json").read_text())[0]
    assert record["values"]["rosenblatt"] == [4.0, 8.0, 6.0]


class Elsewhere:
    name = "elsewhere"

    def make(self) -> None:
        raise NotHereError("it is on another machine")


def test_data_that_is_not_here_is_left_out_and_said_so(tmp_path: Path) -> None:
    screen = io.StringIO()
    objective = replace(OBJECTIVE, datasets=[Elsewhere(), Numbers()])
    run_all([objective], 3, tmp_path / "bench.json", Console(file=screen, width=120))
    assert "known: elsewhere: skipped: it is on another machine" in screen.getvalue()
    assert [record["dataset"] for record in json.loads((tmp_path / "bench.json").read_text())] == ["numbers"]


def test_what_is_worked_out_from_a_classifier() -> None:
    """Between 0 and 2 on a line the margin is 1; with slack, both libraries are held against one formula."""
    data = Labelled(np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]))
    assert margin(Kozinec().fit(*data), data) == pytest.approx(1)
    overlapping = Planted(200, 3, -0.1).make()
    ours = slack_objective(1.0)(Kozinec(C=1.0, bias=1.0, epsilon=1e-9).fit(*overlapping), overlapping)
    theirs = slack_objective(1.0)(LinearSVC(C=1.0, dual=False, tol=1e-10).fit(*overlapping), overlapping)
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_planted_margins_are_there() -> None:
    lower, upper = Kozinec().fit(*Planted(300, 4, 0.05).make()).margin_bounds_
    assert 0.05 <= lower <= upper


@pytest.mark.parametrize("dataset", [DigitsPair(3, 8), DigitsAgainstRest(8), Standardised(Wdbc())])
def test_real_data_is_labelled_by_signs(dataset: Any) -> None:
    X, y = dataset.make()
    assert len(X) == len(y)
    assert set(np.unique(y)) == {-1.0, 1.0}
    assert LinearProgram().prepare(Labelled(X[:50], y[:50]))() is None


@pytest.mark.parametrize("dataset", [DenseRows(300, 5, noise=0.1), SparseText(300, 50, 6)])
def test_solvers_do_the_same_work(dataset: DenseRows | SparseText) -> None:
    data = dataset.make()
    assert set(np.unique(data.y)) == {-1.0, 1.0}
    solvers: list[Solver] = [Epoch(), Fit(2), ScikitLearn(2)]
    if isinstance(dataset, DenseRows):
        solvers.append(ReadOnce())
    for solver in solvers:
        assert solver.prepare(data)() is None  # timed, not reported


class Pairs:
    """Reports a number, and ten times another beside it."""

    def __init__(self, name: str, factor: float) -> None:
        self.name, self.factor = name, factor

    def prepare(self, data: list[float]) -> Callable[[], Any]:
        left = list(data)
        return lambda: (lambda value: ValueAndNumber(value, 10 * self.factor * value))(left.pop(0))


def test_a_number_stands_beside_the_measurement_and_is_held_to_its_claim() -> None:
    objective = Objective("known", [Numbers()], [Pairs("rosenblatt", 2.0), Pairs("peer", 1.0)], beside="score")
    result = run(objective, Numbers(), rounds=3)
    assert result.values["peer"] == [4.0, 8.0, 6.0]
    assert result.beside == {"rosenblatt": [80.0, 160.0, 120.0], "peer": [40.0, 80.0, 60.0]}
    assert verdict(NotBelow("rosenblatt", ("peer",)), result).startswith("MET")
    assert verdict(NotBelow("peer", ("rosenblatt",)), result).startswith("MISSED")
    assert [column.header for column in table(result, "score").columns][-1] == "score"


def test_never_above_is_counted_round_by_round() -> None:
    result = run(OBJECTIVE, Numbers(), rounds=3)
    assert verdict(NotAbove("rosenblatt", ("peer",)), result).endswith("above in 0 of 3 rounds")
    assert verdict(NotAbove("rosenblatt", ("rosenblatt",)), result).startswith("MET")
    assert verdict(NotAbove("peer", ("rosenblatt",)), result) == (
        "MISSED: peer never above rosenblatt: above in 3 of 3 rounds"
    )


def test_every_claim_names_solvers_of_its_objective() -> None:
    for objective in OBJECTIVES.values():
        names = {solver.name for solver in objective.solvers}
        for claim in objective.claims:
            assert claim.solver in names
            against = () if isinstance(claim, MaxValue) else claim.against
            assert {against} <= names if isinstance(against, str) else set(against) <= names
