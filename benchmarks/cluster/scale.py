"""Arithmetic: the time of a pass on clusters that are not here, from costs that were measured here."""

import math
import statistics
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import rosenblatt
from benchmarks.cluster.local_clusters import local_cluster
from benchmarks.cluster.report import Report
from benchmarks.cluster.round_model import tiny_shards
from benchmarks.cluster.rows import Generated
from rosenblatt.cluster.shard import Shard

NETWORK = 1.25e9  # bytes a second in or out of a machine: 10 Gbit/s
LATENCY = 0.0005  # seconds of a message between two machines of a data centre
ORDER_STATE = 2500  # bytes of the generator of the order of a shard
TREE = 100  # results that one task of a tree mixes


@dataclass(frozen=True)
class Costs:
    """Seconds, measured on this machine with one core.

    Attributes
    ----------
    number : of a pass of the averaged perceptron, for each number in the rows
    task : of the client and the scheduler, for each shard
    received : of the client, for each byte of a result
    mixing : of the client, for each weight of a result
    hops : messages of a round that wait for each other
    """

    number: float
    task: float
    received: float
    mixing: float
    hops: float


@dataclass(frozen=True)
class Cluster:
    """Rows, and the workers that have them.

    Attributes
    ----------
    name : in words
    numbers : in the rows; for sparse rows those that are not 0
    columns : the number of weights
    workers : the number of cores
    shards : the number of shards
    tree : are results mixed by a tree of tasks, and weights sent on in the same way?
    """

    name: str
    numbers: float
    columns: float
    workers: int
    shards: int
    tree: bool = False

    def parts(self, costs: Costs) -> dict[str, float]:
        """The seconds of the parts of a pass."""
        learner = 16 * self.columns  # the weights, and their sum
        levels = max(1, math.ceil(math.log(self.shards, TREE) - 1e-9))
        copies, results = (levels * TREE, levels * TREE) if self.tree else (self.workers, self.shards)
        return {
            "weights out": copies * learner / NETWORK,
            "work": self.numbers * costs.number / self.workers,
            "handling": self.shards * costs.task * (1 + (1 / TREE if self.tree else 0)),
            "results in": results * max((learner + ORDER_STATE) / NETWORK, learner * costs.received),
            "mixing": results * self.columns * costs.mixing,
            "latency": costs.hops * LATENCY * (levels if self.tree else 1),
        }

    def client_bytes(self) -> float:
        """What the client holds of one pass."""
        return (1 if self.tree else self.shards) * 16 * self.columns + self.shards * ORDER_STATE


TERABYTE, PETABYTE = 1e12 / 8, 1e15 / 8  # numbers of float64
CLUSTERS = [
    Cluster("1 TB, d = 100, shards of 100 MB", TERABYTE, 100, 100, 10_000),
    Cluster("1 TB, d = 100, shards of 1 GB", TERABYTE, 100, 100, 1_000),
    Cluster("1 TB, d = 100, a shard a worker", TERABYTE, 100, 100, 100),
    Cluster("1 TB sparse, d = 1 M, a shard a worker", TERABYTE, 1e6, 100, 100),
    Cluster("1 PB, d = 100, a shard a worker", PETABYTE, 100, 10_000, 10_000),
    Cluster("1 PB sparse, d = 1 M, a shard a worker", PETABYTE, 1e6, 10_000, 10_000),
    Cluster("the same, if a tree mixed", PETABYTE, 1e6, 10_000, 10_000, tree=True),
]


def measured_costs(rows: int, task: float, hops: float) -> Costs:
    """Measure what is not given."""
    return Costs(_seconds_of_a_number(rows), task, _seconds_of_a_byte(), _seconds_of_a_weight(), hops)


def table(report: Report, costs: Costs) -> None:
    """Print the parts of a pass for each cluster."""
    report.add(what="costs", **asdict(costs))
    lines: list[list[Any]] = []
    for cluster in CLUSTERS:
        parts = cluster.parts(costs)
        total = sum(parts.values()) - min(parts["work"], parts["handling"])  # they happen at the same time
        most = max(parts, key=lambda name: parts[name])
        seconds = [f"{value:,.3g}" for value in parts.values()]
        busy = f"{parts['work'] / total:.0%}"
        held = f"{cluster.client_bytes() / 1e6:,.3g}"
        lines.append([cluster.name, cluster.workers, cluster.shards, *seconds, f"{total:,.3g}", busy, held])
        report.add(what="scale", cluster=cluster.name, **parts, total=total, longest=most)
    headings = ["", "workers", "shards", *CLUSTERS[0].parts(costs), "a pass", "busy", "client, MB"]
    report.table("seconds of a pass of the averaged perceptron, by arithmetic", headings, lines)


def _seconds_of_a_number(rows: int) -> float:
    X, y = Generated(rows, 50, 1, noise=0.05).part(0)

    def fit(passes: int) -> float:
        start = time.perf_counter()
        rosenblatt.Perceptron(average="averaged", max_epochs=passes).fit(X, y)
        return time.perf_counter() - start

    fit(1)  # loads the compiled rule
    return (fit(11) - fit(1)) / (10 * X.size)


def _seconds_of_a_weight(columns: int = 100_000, shards: int = 64) -> float:
    model = rosenblatt.Perceptron(average="averaged")
    learner = model._start(np.array([-1, 1]), columns, np.arange(2), np.ones(2))
    results = [learner.copy() for _ in range(shards)]
    start = time.perf_counter()
    learner.mixed(results, [1 / shards] * shards)
    return (time.perf_counter() - start) / (shards * columns)


def some_bytes(_: Shard, size: int) -> Any:
    """An answer of this size."""
    return np.ones(size, np.uint8)


def _seconds_of_a_byte(size: int = 2_000_000, shards: int = 64) -> float:
    """What an answer takes the client, on this machine, where workers and client share the cores."""
    with local_cluster(2):
        loaded = tiny_shards(shards)
        times = {}
        for asked in (0, size):
            for _ in range(3):
                loaded.ask(f"{asked} bytes", some_bytes, asked)
            times[asked] = statistics.median(one.seconds for one in loaded.rounds if one.what == f"{asked} bytes")
    return (times[size] - times[0]) / (size * shards)
