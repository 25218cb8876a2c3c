"""How many more passes the mixed perceptron needs when the same rows are divided into more shards."""

import warnings
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da

import rosenblatt
from benchmarks.cluster.report import Report
from benchmarks.cluster.rows import Generated
from rosenblatt import cluster
from rosenblatt.cluster.shards import Shards

COLUMNS, GAP, NOISE = 20, 0.02, 0.05
MAX_PASSES = 3000
LADDER = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)
FIRST = 10  # passes of one shard; more shards shall reach the error that it has then
ENOUGH = 1.02  # times that error


def divided(rows: Generated, shards: int) -> Shards:
    """The same rows in so many shards."""
    X, y = rows.part(0)
    chunk = -(-rows.rows // shards)
    return Shards(da.from_array(X, chunks=(chunk, rows.columns)), da.from_array(y, chunks=chunk))


def until_mistake_free(rows: Generated, shards: int, mixing: Any) -> tuple[str, float]:
    """The passes until no shard makes a mistake, and the mixed updates."""
    model = cluster.Perceptron(max_epochs=MAX_PASSES).fit(divided(rows, shards), mixing=mixing)
    done = f"{model.n_iter_:,}" if model.stop_reason_.name == "MISTAKE_FREE" else f"over {MAX_PASSES:,}"
    return done, float(sum(model.mixed_updates_))


def error_after(rows: Generated, loaded: Shards, passes: int) -> float:
    """The training error of the averaged perceptron after so many passes."""
    model = cluster.Perceptron(average="averaged", max_epochs=passes).fit(loaded)
    return 1 - float(model.score(*rows.part(0)))


def until_error(rows: Generated, shards: int, most: float) -> str:
    """The passes after which the averaged perceptron has at most this error."""
    loaded, error = divided(rows, shards), 1.0
    for passes in LADDER:
        error = error_after(rows, loaded, passes)
        if error <= most:
            return f"{passes}"
    return f"not in {LADDER[-1]}: {error:.3%}"


def table(report: Report, rows: int, shards: Sequence[int]) -> None:
    """Count passes for each number of shards."""
    warnings.simplefilter("ignore", rosenblatt.BudgetWarning)
    separable = Generated(rows, COLUMNS, 1, gap=GAP)
    overlapping = Generated(rows, COLUMNS, 1, noise=NOISE)
    lines: list[list[Any]] = []
    with dask.config.set(scheduler="threads"):
        _, bound = rosenblatt.mistake_bound(*separable.part(0)).bounds
        target = ENOUGH * error_after(overlapping, divided(overlapping, 1), FIRST)
        for number in shards:
            line: list[Any] = [number]
            for mixing in ("mistakes", "uniform"):
                passes, mixed = until_mistake_free(separable, number, mixing)
                line += [passes, round(mixed)]
            line.append(until_error(overlapping, number, target))
            lines.append(line)
            report.add(what="passes", shards=number, line=line, bound=bound, target=target)
    headings = ["shards", "mixing by mistakes: passes", "mixed updates", "uniform: passes", "mixed updates"]
    report.table(
        f"passes until mistake-free: {separable}, bound of the mixed updates {bound:,.0f}; "
        f"and of the averaged perceptron to an error of {target:.3%}: {overlapping}",
        [*headings, f"averaged: passes to {target:.3%}"],
        lines,
    )
