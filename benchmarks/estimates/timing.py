"""The time of an answer: is the table separated, and which coefficients are infinite?

Each program runs in a process of its own. Each round asks every program once, in a new random order; a first round is
not counted, and rules are compiled before it. A program that takes longer than the limit is stopped and not asked
again. Only rosenblatt proves its answer; the programs that answer for coefficients are named.
"""

import contextlib
import multiprocessing
import random
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse
from rich.console import Console
from rich.table import Table

from benchmarks.estimates import peers
from rosenblatt.data.compiled.jit import compiled_at_once

MEMORY = 12 * 2**30  # bytes for a process
OURS = "rosenblatt, coefficients proved"
PROGRAMS: dict[str, Callable[[Any, Any], peers.Answer]] = {
    OURS: peers.ours,
    "the same, verified": peers.ours_verified,
    "firthmodels, coefficients": peers.detect_separation,
    "HiGHS, yes or no, primal": peers.konis_primal,
    "HiGHS, yes or no, dual": peers.konis_dual,
    "HiGHS, each coefficient": peers.programs_for_each,
}


def separated(n: int, d: int) -> tuple[Any, np.ndarray]:
    """No row is near the hyperplane that gives the labels."""
    rng = np.random.default_rng(0)
    slopes = rng.standard_normal(d)
    slopes /= np.linalg.norm(slopes)
    X = rng.standard_normal((n, d))
    lead = X @ slopes
    X += np.outer(np.sign(lead) * np.maximum(0.05 - np.abs(lead), 0), slopes)
    return X, (lead > 0).astype(int)


def overlapping(n: int, d: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal(d) / np.sqrt(d) + rng.logistic(size=n) > 0).astype(int)


def dummy(n: int, d: int) -> tuple[Any, np.ndarray]:
    """The last column is 1 in 2 % of the rows, and those are successes; without it nothing is separated."""
    X, y = overlapping(n, d)
    X[:, -1] = np.random.default_rng(1).random(n) < 0.02
    y[X[:, -1] == 1] = 1
    return X, y


def fixed_effects(n: int, levels: Sequence[int]) -> tuple[Any, np.ndarray]:
    """Dummies of factors, the first level of each left out; some levels have one outcome only."""
    rng = np.random.default_rng(0)
    lead, blocks = rng.logistic(size=n), []
    for k in levels:
        level = rng.integers(0, k, n)
        lead += 1.5 * rng.standard_normal(k)[level]
        dummies = scipy.sparse.csr_array((np.ones(n), level, np.arange(n + 1)), shape=(n, k))
        blocks.append(dummies[:, 1:])
    return scipy.sparse.hstack(blocks, format="csr"), (lead > 0).astype(int)


DATA: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "1,000 x 20, separated": lambda: separated(1000, 20),
    "1,000 x 20, quasi by a dummy": lambda: dummy(1000, 20),
    "1,000 x 20, not separated": lambda: overlapping(1000, 20),
    "100,000 x 50, separated": lambda: separated(100_000, 50),
    "100,000 x 50, quasi by a dummy": lambda: dummy(100_000, 50),
    "100,000 x 50, not separated": lambda: overlapping(100_000, 50),
    "fixed effects, 200,000 rows, 10,000 and 1,000 levels": lambda: fixed_effects(200_000, (10_000, 1_000)),
}


def work(program: str, data: str, pipe: Connection) -> None:
    """In the child: an answer and its time whenever one is asked for."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    X, y = DATA[data]()
    with compiled_at_once():  # a first small question compiles the rules; later ones do not wait for it
        peers.ours(*separated(100, 5))
    pipe.send("ready")
    while pipe.recv():
        start = time.perf_counter()
        try:
            answer = PROGRAMS[program](X, y)
            pipe.send((time.perf_counter() - start, "separated" if answer.separated else "not separated"))
        except MemoryError:
            pipe.send((None, "out of memory"))
        except Exception as error:
            pipe.send((None, f"{type(error).__name__}: {error}"[:60]))


class Worker:
    """The process of one program on one table."""

    def __init__(self, program: str, data: str) -> None:
        self.pipe, there = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=work, args=(program, data, there), daemon=True)
        self.process.start()
        there.close()
        self.pipe.recv()
        self.times: list[float] = []
        self.told = ""
        self.over = False  # no answer can be expected

    def ask(self, limit: float, *, counted: bool) -> None:
        if self.over:
            return
        seconds = None
        with contextlib.suppress(EOFError):  # the process is gone
            self.told = "stopped by the system"
            self.pipe.send(True)
            seconds, self.told = self.pipe.recv() if self.pipe.poll(limit) else (None, f"no answer in {limit:g} s")
        if seconds is None:
            self.over = True
            self.stop()
        elif counted:
            self.times.append(seconds)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def measure(data: str, rounds: int, limit: float) -> dict[str, Worker]:
    workers = {program: Worker(program, data) for program in PROGRAMS}
    shuffle = random.Random(0)  # noqa: S311
    try:
        for turn in range(rounds + 1):
            for program in shuffle.sample(list(workers), len(workers)):
                workers[program].ask(limit, counted=turn > 0)
    finally:
        for worker in workers.values():
            worker.stop()
    return workers


def run(parts: Sequence[str], rounds: int, limit: float, console: Console) -> None:
    for data in DATA:
        if parts and not any(part in data for part in parts):
            continue
        view = Table(title=f"{data}, {rounds} rounds", title_justify="left")
        for heading in ("", "answer", "median (s)", "min - max", f"times {OURS.split(',')[0]}"):
            view.add_column(heading, justify="right" if "(" in heading or "-" in heading else "left")
        workers = measure(data, rounds, limit)
        own = workers[OURS].times
        for program, worker in workers.items():
            cells = [worker.told, "", "", ""]
            if worker.times:
                middle = statistics.median(worker.times)
                ratio = f"{middle / statistics.median(own):.3g}" if own else ""
                cells[1:] = [f"{middle:.4g}", f"{min(worker.times):.4g} - {max(worker.times):.4g}", ratio]
            view.add_row(program, *cells)
        console.print(view, "")
