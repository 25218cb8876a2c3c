"""The benchmark runner, on measurements that are known beforehand."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from benchmarks.benchmark import Bar, Limit, Objective, Solver, run, run_all, verdict
from benchmarks.datasets import DenseRows, SparseText
from benchmarks.objectives import OBJECTIVES
from benchmarks.solvers import Epoch, Fit, ReadOnce, ScikitLearn


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
    "known", [Numbers()], [Times("rosenblatt", 1.0), Times("peer", 3.0)], [Bar("rosenblatt", 0.5, "peer")], unit="s"
)


def test_medians_and_ratios_within_a_round_leave_the_first_round_out() -> None:
    result = run(OBJECTIVE, Numbers(), rounds=3)
    assert result.values == {"rosenblatt": [4.0, 8.0, 6.0], "peer": [12.0, 24.0, 18.0]}
    assert result.median("peer") == 18.0
    assert result.ratio("peer", "rosenblatt") == (3.0, 3.0, 3.0)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (Bar("rosenblatt", 0.34, "peer"), "MET"),
        (Bar("rosenblatt", 0.33, "peer"), "MISSED"),
        (Limit("peer", 18.0), "MET"),
        (Limit("peer", 17.9), "MISSED"),
    ],
)
def test_a_claim_is_met_or_missed_by_its_median(claim: Bar | Limit, word: str) -> None:
    assert verdict(claim, run(OBJECTIVE, Numbers(), rounds=3)).startswith(word + ":")


def test_a_run_prints_tables_and_writes_all_measurements(tmp_path: Path) -> None:
    screen = io.StringIO()
    run_all([OBJECTIVE], 3, tmp_path / "new" / "bench.json", Console(file=screen, width=120))
    assert "MET: rosenblatt at most 0.5 x peer: 0.333" in screen.getvalue()
    record = json.loads((tmp_path / "new" / "bench.json").read_text())[0]
    assert record["values"]["rosenblatt"] == [4.0, 8.0, 6.0]


@pytest.mark.parametrize("dataset", [DenseRows(300, 5, noise=0.1), SparseText(300, 50, 6)])
def test_solvers_do_the_same_work(dataset: DenseRows | SparseText) -> None:
    data = dataset.make()
    assert set(np.unique(data.y)) == {-1.0, 1.0}
    solvers: list[Solver] = [Epoch(), Fit(2), ScikitLearn(2)]
    if isinstance(dataset, DenseRows):
        solvers.append(ReadOnce())
    for solver in solvers:
        assert solver.prepare(data)() is None  # timed, not reported


def test_every_claim_names_solvers_of_its_objective() -> None:
    for objective in OBJECTIVES.values():
        names = {solver.name for solver in objective.solvers}
        for claim in objective.claims:
            assert claim.solver in names
            assert isinstance(claim, Limit) or claim.against in names
