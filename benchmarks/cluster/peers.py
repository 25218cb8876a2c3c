"""Time to the same training error beside dask-ml and Spark.

    python -m benchmarks.cluster peers [--rows 1000000] [--columns 50] [--noise 0.05] [--rounds 5]
                                       [--folder build/peers] --packages /tmp/dask_ml_site /tmp/pyspark_site

dask-ml and pyspark are no dependencies of the project. They come from folders:

    pip install --target /tmp/dask_ml_site --no-deps dask-ml dask-glm multipledispatch sparse
    pip install --target /tmp/pyspark_site pyspark          # it needs a Java runtime, 17 or later

All programs read the same Parquet files, which are deleted after, and have two worker processes, or two threads of
Java. Loading is not counted, nor is a first short fit, which loads compiled code. Each program makes more and more
passes or iterations, each time from the beginning, and its training errors are counted here. Then there are two
targets: the error of `LinearSVC` with its default of 100 iterations, and the smallest error that all programs reach.
The first fit that reaches a target is measured again in several rounds, the programs in a new order each round.

The averaged perceptron is there twice: with its defaults, and with a margin of 100, so that it also learns from rows
that are right but close. That margin was chosen among powers of ten on smaller tables of this kind.
"""

import contextlib
import multiprocessing
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster.peer_programs import PROGRAMS, Hyperplane, largest_margin, work
from benchmarks.cluster.report import Report, spread
from benchmarks.cluster.rows import Generated
from benchmarks.datasets import NotHereError

FILES = 8
LADDER = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)  # passes or iterations
SPARK, SPARKS_DEFAULT = "Spark MLlib, LinearSVC", 100
GAP = 0.01
SECONDS = 300.0  # no longer fits are tried after one that takes as long as this


class Peer:
    """A program in a process of its own, and its fits.

    Attributes
    ----------
    name : the program
    loading : the seconds of loading
    errors : the share of wrong rows after so many passes or iterations
    """

    def __init__(self, name: str, folder: Path, packages: Sequence[str]) -> None:
        self.name = name
        self._pipe, there = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=work, args=(name, folder, packages, there))
        self._process.start()
        there.close()
        try:
            answer = self._pipe.recv()
        except EOFError:
            answer = "its process ended; the reason is above"
        if isinstance(answer, str):
            raise NotHereError(answer)
        self.loading: float = answer
        self.errors: dict[int, float] = {}

    def fit(self, amount: int) -> tuple[float, Hyperplane]:
        """The seconds of a fit, and its hyperplane."""
        self._pipe.send(amount)
        seconds, w, b = self._pipe.recv()
        return seconds, (w, b)

    def first_below(self, target: float) -> int:
        """The fewest passes or iterations with at most this error."""
        return next(amount for amount, error in self.errors.items() if error <= target)

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.send(0)
        self._process.join()


@contextlib.contextmanager
def started(report: Report, folder: Path, packages: Sequence[str]) -> Iterator[dict[str, Peer]]:
    """All programs that are here."""
    peers: dict[str, Peer] = {}
    try:
        for name in PROGRAMS:
            try:
                peers[name] = Peer(name, folder, packages)
            except NotHereError as missing:
                report.say(f"{name}: left out: {missing}")
        yield peers
    finally:
        for peer in peers.values():
            peer.stop()


def error_of(rows: Generated, hyperplane: Hyperplane) -> float:
    """The share of rows on the wrong side."""
    w, b = hyperplane
    wrong = 0
    for number in range(rows.parts):
        X, y = rows.part(number)
        wrong += int(np.count_nonzero(y * (X @ w + b) <= 0))
    return wrong / rows.rows


def climb(report: Report, peer: Peer, rows: Generated) -> list[Any]:
    """Make more and more passes; return a line of the table."""
    for amount in LADDER:
        seconds, found = peer.fit(amount)
        peer.errors[amount] = error_of(rows, found)
        report.add(program=peer.name, amount=amount, seconds=seconds, error=peer.errors[amount])
        if seconds > SECONDS:
            break
    return [peer.name, peer.loading, *(f"{peer.errors[a]:.3%}" if a in peer.errors else "" for a in LADDER)]


def race(report: Report, peers: dict[str, Peer], what: str, target: float, rounds: int) -> None:
    """Measure the first fit of each program that reaches a target."""
    amounts = {name: peer.first_below(target) for name, peer in peers.items() if min(peer.errors.values()) <= target}
    seconds: dict[str, list[float]] = {name: [] for name in amounts}
    shuffle = random.Random(0)  # noqa: S311
    for _ in range(rounds):
        for name in shuffle.sample(list(amounts), len(amounts)):
            seconds[name].append(peers[name].fit(amounts[name])[0])
    report.add(target=target, what=what, amounts=amounts, seconds=seconds)
    own = seconds[next(iter(seconds))]
    lines: list[list[Any]] = []
    for name, peer in peers.items():
        if name not in amounts:
            lines.append([name, "", f"not reached; {min(peer.errors.values()):.3%}", ""])
            continue
        ratio = spread([theirs / first for theirs, first in zip(seconds[name], own, strict=True)])
        lines.append([name, amounts[name], spread(seconds[name]), ratio])
    headings = ["", "passes or iterations", "seconds of the fit", "times the first that reaches it"]
    report.table(f"training error of at most {target:.4%}: {what}; {rounds} rounds", headings, lines)


def run(
    report: Report, rows: int, columns: int, noise: float, rounds: int, folder: Path, packages: Sequence[str]
) -> None:
    made, separable = Generated(rows, columns, FILES, noise=noise), Generated(rows, columns, FILES, gap=GAP)
    try:
        made.write_parquet(folder / "rows")
        with started(report, folder / "rows", packages) as peers:
            lines = [climb(report, peer, made) for peer in peers.values()]
            headings = ["", "loading (s)", *map(str, LADDER)]
            report.table(f"{made}: training error after so many passes or iterations", headings, lines)
            if SPARK in peers:
                target = peers[SPARK].errors[SPARKS_DEFAULT]
                race(report, peers, f"that of LinearSVC after {SPARKS_DEFAULT} iterations", target, rounds)
            smallest = max(min(peer.errors.values()) for peer in peers.values())
            race(report, peers, "the smallest that all reach", smallest, rounds)
        separable.write_parquet(folder / "separable")
        seconds, low, high = largest_margin(folder / "separable")
        report.add(what="largest margin", rows=str(separable), seconds=seconds, bounds=[low, high])
        report.say(
            f"cluster.Kozinec, {separable}: the largest margin is {low:.8g} to {high:.8g}, in {seconds:.2f} s. "
            "The other programs have no such answer."
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
