"""Two worker processes beside one.

    python -m benchmarks.cluster speedup [--rows 4000000] [--columns 50] [--seconds 30] [--rounds 5]

Each round starts a cluster of one worker and then one of two, or the other way round. A worker makes its shards itself,
and loads the compiled rules (`rosenblatt compile` before) in a first short fit; both are reported, and not counted. The
averaged `Perceptron` makes as many passes as take one worker `--seconds`; `Kozinec` and `separability` ask about rows
with a margin. All answers must be equal to the last bit.

What two processes can reach on this machine at all is measured too: they fit tables in memory at the same time, without
Dask.
"""

import multiprocessing
import statistics
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import rosenblatt
from benchmarks.cluster.local_clusters import local_cluster, shards_of_workers
from benchmarks.cluster.report import Report, spread
from benchmarks.cluster.rows import Generated
from rosenblatt import cluster
from rosenblatt.cluster.shards import Shards

TRIAL_PASSES = 5
WORKERS = (1, 2)
CEILING_ROUNDS = 3


class Work(NamedTuple):
    """A question about rows, and its answer as bytes."""

    name: str
    rows: Generated
    warm_up: Callable[[Shards], Any]
    run: Callable[[Shards], bytes]


@dataclass
class Measured:
    """One run of a question on a cluster."""

    loading: float
    seconds: float
    rounds: int
    shards_of_workers: list[int]
    answer: bytes


def perceptron(shards: Shards, passes: int) -> bytes:
    """The weights and the mistakes of so many passes."""
    model = cluster.Perceptron(average="averaged", max_epochs=passes).fit(shards)
    assert model.n_iter_ == passes, "the rows must not be separated"
    return bytes(model.coef_.tobytes() + model.intercept_.tobytes() + model.mistakes_per_epoch_.tobytes())


def kozinec(shards: Shards) -> bytes:
    """The hyperplane with the largest margin."""
    model = cluster.Kozinec().fit(shards)
    return bytes(model.coef_.tobytes() + model.intercept_.tobytes())


def separability(shards: Shards) -> bytes:
    """The certificate."""
    certificate = cluster.separability(shards).certificate
    assert certificate is not None
    return str(certificate.to_json()).encode()


def works(rows: int, columns: int, shards: int, passes: int) -> list[Work]:
    overlapping = Generated(rows, columns, shards, noise=0.05)
    separable = Generated(rows, columns, shards, gap=0.01)
    return [
        Work(
            f"Perceptron, averaged, {passes} passes",
            overlapping,
            lambda shards: perceptron(shards, 1),
            lambda shards: perceptron(shards, passes),
        ),
        Work("Kozinec", separable, kozinec, kozinec),
        Work("separability", separable, separability, separability),
    ]


def measured(work: Work, client: Any) -> Measured:
    """Load the rows, load the compiled rules, and run."""
    start = time.perf_counter()
    shards = Shards(*work.rows.blocks())
    loading = time.perf_counter() - start
    work.warm_up(shards)
    held = shards_of_workers(client, shards.handles)
    before, start = len(shards.rounds), time.perf_counter()
    answer = work.run(shards)
    return Measured(loading, time.perf_counter() - start, len(shards.rounds) - before, held, answer)


def seconds_of_a_pass(rows: int, columns: int, shards: int) -> float:
    """How long a pass takes one worker."""
    with local_cluster(1) as client:
        return measured(works(rows, columns, shards, TRIAL_PASSES)[0], client).seconds / TRIAL_PASSES


def fit_in_memory(rows: Generated, passes: int) -> tuple[float, float]:
    """When a fit in this process began and ended."""
    X, y = rows.part(0)
    rosenblatt.Perceptron(average="averaged", max_epochs=1).fit(X, y)
    start = time.time()
    rosenblatt.Perceptron(average="averaged", max_epochs=passes).fit(X, y)
    return start, time.time()


def ceiling(rows: Generated, passes: int) -> list[float]:
    """How many times one process' work two processes do in the same time, without Dask."""
    found = []
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        for _ in range(CEILING_ROUNDS):
            start, end = pool.submit(fit_in_memory, rows, passes).result()
            both = [future.result() for future in [pool.submit(fit_in_memory, rows, passes) for _ in range(2)]]
            longest = max(until - since for since, until in both)
            found.append(2 * (end - start) / longest)
    return found


def run(report: Report, rows: int, columns: int, shards: int, seconds: float, rounds: int) -> None:
    warnings.simplefilter("ignore", rosenblatt.BudgetWarning)
    pace = seconds_of_a_pass(rows, columns, shards)
    passes = max(2, round(seconds / pace))
    limit = ceiling(Generated(rows, columns, shards, noise=0.05), max(2, round(shards * passes / 10)))
    report.add(what="ceiling", ratios=limit)
    todo = works(rows, columns, shards, passes)
    found: dict[tuple[str, int], list[Measured]] = {}
    for turn in range(rounds):
        for workers in WORKERS if turn % 2 == 0 else WORKERS[::-1]:
            with local_cluster(workers) as client:
                for work in todo:
                    last = measured(work, client)
                    found.setdefault((work.name, workers), []).append(last)
                    facts = vars(last) | {"answer": len(last.answer)}
                    report.add(work=work.name, rows=str(work.rows), workers=workers, turn=turn, **facts)
    lines = []
    for work in todo:
        one, two = found[work.name, 1], found[work.name, 2]
        assert len({m.answer for m in (*one, *two)}) == 1, f"{work.name}: the answers differ"
        ratios = [a.seconds / b.seconds for a, b in zip(one, two, strict=True)]
        lines.append(
            [
                work.name,
                str(work.rows),
                spread([m.seconds for m in one]),
                spread([m.seconds for m in two]),
                spread(ratios),
                one[0].rounds,
                f"{statistics.median(m.loading for m in one):.3g}, {statistics.median(m.loading for m in two):.3g}",
                " ".join(str(m.shards_of_workers) for m in two),
            ]
        )
    headings = ["", "rows", "1 worker (s)", "2 workers (s)", "times faster", "rounds", "loading (s)", "shards held"]
    report.table(f"speedup, {rounds} rounds; the answers have equal bits", headings, lines)
    report.say(f"Two processes without Dask do {spread(limit)} times the work of one in the same time.")
