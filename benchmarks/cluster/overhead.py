"""What a round costs where the work is next to nothing.

    python -m benchmarks.cluster overhead [--shards 2 16 128 1024] [--rounds 20]

A shard has four rows of 20 columns. A round is a pass of the averaged `Perceptron`, which sends each shard a learner
and brings one back; or a question that is answered with None. Rounds run on Dask's threads, and on clusters of one and
two worker processes. The first two rounds are not counted.
"""

import statistics
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import rosenblatt
from benchmarks.cluster.local_clusters import local_cluster
from benchmarks.cluster.report import Report, spread
from benchmarks.cluster.rows import Generated
from rosenblatt import cluster
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards

ROWS, COLUMNS = 4, 20  # of a shard
FIRST = 2  # rounds that are not counted


def nothing(shard: Shard, _: None) -> None:
    """Answer without work."""


def measure(report: Report, where: str, shards: int, rounds: int) -> list[Any]:
    """One line of the table."""
    loaded = Shards(*Generated(ROWS * shards, COLUMNS, shards, noise=0.3).blocks())
    before = len(loaded.rounds)
    cluster.Perceptron(average="averaged", max_epochs=rounds + FIRST).fit(loaded)
    passes = [one for one in loaded.rounds[before:] if one.what == "pass"][FIRST:]
    for _ in range(rounds + FIRST):
        loaded.ask("nothing", nothing)
    empty = [one for one in loaded.rounds if one.what == "nothing"][FIRST:]
    ms, empty_ms = ([one.seconds * 1e3 for one in some] for some in (passes, empty))
    sent, received = passes[-1].sent, passes[-1].received
    report.add(where=where, shards=shards, ms=ms, empty_ms=empty_ms, sent=sent, received=received)
    a_task = statistics.median(empty_ms) / shards
    return [where, shards, spread(ms), spread(empty_ms), a_task, sent, received]


def run(report: Report, shards: Sequence[int], rounds: int) -> None:
    warnings.simplefilter("ignore", rosenblatt.BudgetWarning)
    lines = []
    for workers in (0, 1, 2):
        where = f"cluster, {workers} processes" if workers else "threads, no cluster"
        with local_cluster(workers) if workers else nullcontext():
            lines += [measure(report, where, number, rounds) for number in shards]
    headings = ["", "shards", "pass (ms)", "empty question (ms)", "a task (ms)", "bytes sent", "received"]
    report.table(f"overhead of a round, {rounds} rounds: median (smallest - largest)", headings, lines)
