"""The arithmetic of many workers, checked by simulation, and applied to clusters that are not here.

    python -m benchmarks.cluster simulate [--shards 64 256 1024] [--workers 16 64] [--rows 100000]
                                          [--pass-shards 1 4 16 64 256] [--pass-rows 20000]

First the constants of the formula in `round_model.py` are measured on at most 256 shards. Then rounds with more shards
and workers, with tasks that sleep and messages that are delayed, are compared with it. The command fails if a predicted
time is more than twice or less than half of the measured one. Two tables follow: how many more passes the perceptron
needs on more shards, counted on `--pass-rows` rows; and the seconds of a pass on 100 and on 10,000 workers.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.cluster import passes, scale
from benchmarks.cluster.report import Report
from benchmarks.cluster.round_model import RoundModel, Setting, calibrated, central_cost, measured

ALLOWED = 2.0  # predicted / measured
WORKS, LATENCIES = (0.0, 0.02, 0.1), (0.0, 0.05)


def compare(report: Report, model: RoundModel, shards: Sequence[int], workers: Sequence[int]) -> float:
    """Print predicted and measured times, and return the worst ratio, at least 1."""
    settings = [Setting(s, k, *rest) for k in workers for s in shards for rest in _delays() if s >= k]
    lines: list[list[Any]] = []
    worst = 1.0
    for at, found in measured(settings).items():
        predicted = model.seconds(at, found.most)
        ratio = predicted / found.seconds
        worst = max(worst, ratio, 1 / ratio)
        report.add(what="round", **at._asdict(), **found._asdict(), predicted=predicted)
        given = at.workers, at.shards, f"{found.most:.0f}", at.work * 1e3, at.latency * 1e3
        lines.append([*given, predicted * 1e3, found.seconds * 1e3, f"{ratio:.2f}"])
    headings = ["workers", "shards", "of the fullest worker", "work (ms)", "delay of a message (ms)"]
    report.table("rounds", [*headings, "predicted (ms)", "measured (ms)", "ratio"], lines)
    return worst


def _delays() -> list[tuple[float, float]]:
    """Each amount of work, and each delay without work, and both."""
    return [(work, 0.0) for work in WORKS] + [(0.0, LATENCIES[-1]), (WORKS[-1], LATENCIES[-1])]


def run(
    report: Report,
    shards: Sequence[int],
    workers: Sequence[int],
    rows: int,
    pass_shards: Sequence[int],
    pass_rows: int,
) -> None:
    model, central = calibrated(), central_cost()
    report.add(what="constants", **asdict(model), central=central)
    constants = {name: value if name in ("idle", "hops") else value * 1e3 for name, value in asdict(model).items()}
    report.say("Measured, in ms but for idle and hops: " + ", ".join(f"{n} {v:.3g}" for n, v in constants.items()))
    report.say(f"Client and scheduler take {central * 1e3:.2f} ms a task when the workers are elsewhere.")
    worst = compare(report, model, shards, workers)
    report.say(f"The worst ratio is {worst:.2f}.")
    passes.table(report, pass_rows, pass_shards)
    scale.table(report, scale.measured_costs(rows, central, model.hops))
    if worst > ALLOWED:
        sys.exit(f"The arithmetic is wrong: a time is {worst:.2f} times what was predicted, or the inverse.")
