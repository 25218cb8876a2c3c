"""The parts of a benchmark, and how it runs: every round measures all solvers, and tables show medians with ranges."""

import contextlib
import ctypes
import gc
import json
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rich.console import Console
from rich.table import Table

from benchmarks.datasets import NotHereError

OURS = "rosenblatt"


class Dataset(Protocol):
    """A data set, made or loaded once per run. `make` raises NotHereError if it is not on this machine."""

    name: str

    def make(self) -> Any: ...


class Solver(Protocol):
    """One way to do the work on a data set. `prepare` is not measured."""

    name: str

    def prepare(self, data: Any) -> Callable[[], Any]:
        """A function that does the work once. If it returns a number or `ValueAndNumber`, that is the measurement;
        otherwise its time is.
        """
        ...


@dataclass(frozen=True)
class MaxRatio:
    """A claim: the value of `solver` is at most `factor` times that of `against`."""

    solver: str
    factor: float
    against: str


@dataclass(frozen=True)
class MaxValue:
    """A claim: the median of `solver` is at most `value`."""

    solver: str
    value: float


@dataclass(frozen=True)
class NotAbove:
    """A claim: in every round, the value of `solver` is at most that of each of `against`."""

    solver: str
    against: Sequence[str]


@dataclass(frozen=True)
class NotBelow:
    """A claim: the mean second number of `solver` is at least that of each of `against`."""

    solver: str
    against: Sequence[str]


Claim = MaxRatio | MaxValue | NotAbove | NotBelow


class ValueAndNumber(NamedTuple):
    """A measurement, and a second number for the table."""

    value: float
    beside: float


@dataclass(frozen=True)
class Objective:
    """A benchmark: data sets, solvers, claims, the unit, the rounds, and the heading of the second number."""

    name: str
    datasets: Sequence[Dataset]
    solvers: Sequence[Solver]
    claims: Sequence[Claim] = ()
    unit: str = "ms"
    rounds: int = 9
    beside: str = ""


@dataclass
class Result:
    objective: str
    dataset: str
    unit: str
    values: dict[str, list[float]] = field(default_factory=dict)
    beside: dict[str, list[float]] = field(default_factory=dict)

    def median(self, solver: str) -> float:
        return statistics.median(self.values[solver])

    def ratio(self, solver: str, against: str) -> tuple[float, float, float]:
        """Median, smallest and largest ratio of two solvers in the same round."""
        ratios = [a / b if b else math.nan for a, b in zip(self.values[solver], self.values[against], strict=True)]
        return statistics.median(ratios), min(ratios), max(ratios)


def run(objective: Objective, dataset: Dataset, rounds: int) -> Result:
    """Measure every solver once per round, in a new random order each round. A first round is not counted."""
    data = dataset.make()
    work = {solver.name: solver.prepare(data) for solver in objective.solvers}
    result = Result(objective.name, dataset.name, objective.unit, {name: [] for name in work}, {})
    shuffle = random.Random(0)  # noqa: S311
    for turn in range(rounds + 1):
        for name in shuffle.sample(list(work), len(work)):
            gc.collect()
            start = time.perf_counter()
            value = work[name]()
            elapsed = (time.perf_counter() - start) * 1e3
            if isinstance(value, ValueAndNumber):
                value, beside = value
                result.beside.setdefault(name, []).extend([beside] * bool(turn))
            if turn:
                result.values[name].append(value if isinstance(value, float) else elapsed)
    return result


def table(result: Result, beside: str = "") -> Table:
    """The measurements, and their ratios to the first row of rosenblatt."""
    view = Table(title=f"{result.objective}: {result.dataset}", title_justify="left", min_width=100)
    headings = ["", f"median ({result.unit})", "min - max", f"times the {OURS} row", "spread"]
    for heading in [*headings, *[beside] * bool(result.beside)]:
        view.add_column(heading, justify="right" if heading else "left")
    ours = next(name for name in result.values if name.startswith(OURS))
    for name, values in result.values.items():
        middle, low, high = result.ratio(name, ours)
        view.add_row(
            name,
            f"{result.median(name):.6g}",
            f"{min(values):.4g} - {max(values):.4g}",
            f"{middle:.6g}",
            f"{low:.4g} - {high:.4g}",
            *(_spread(numbers) for numbers in [result.beside.get(name)] if numbers),
        )
    return view


def _spread(numbers: list[float]) -> str:
    return f"{statistics.mean(numbers):.4g} ({min(numbers):.4g} - {max(numbers):.4g})"


def verdict(claim: Claim, result: Result) -> str:
    """A claim, whether it was met, and the measurements."""
    if isinstance(claim, NotAbove):
        own = result.values[claim.solver]
        above = sum(a > b for other in claim.against for a, b in zip(own, result.values[other], strict=True))
        rounds = f"above in {above} of {len(own) * len(claim.against)} rounds"
        return f"{'MISSED' if above else 'MET'}: {claim.solver} never above {' or '.join(claim.against)}: {rounds}"
    if isinstance(claim, NotBelow):
        mine, *others = (statistics.mean(result.beside[name]) for name in (claim.solver, *claim.against))
        met = mine >= max(others)
        return (
            f"{'MET' if met else 'MISSED'}: {claim.solver} not below {' or '.join(claim.against)}: {mine:.4g} and "
            f"{max(others):.4g}"
        )
    if isinstance(claim, MaxValue):
        seen = result.median(claim.solver)
        met = seen <= claim.value
        return f"{'MET' if met else 'MISSED'}: {claim.solver} at most {claim.value:g} {result.unit}: {seen:.2f}"
    seen, low, high = result.ratio(claim.solver, claim.against)
    met = seen <= claim.factor
    return (
        f"{'MET' if met else 'MISSED'}: {claim.solver} at most {claim.factor:.6g} x {claim.against}: "
        f"{seen:.6g} ({low:.4g} - {high:.4g})"
    )


def keep_memory() -> None:
    """Make this process keep freed memory: some virtual machines take seconds to provide a gigabyte."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(ctypes.c_int(-4), ctypes.c_int(0))  # M_MMAP_MAX: no separate mappings for large arrays
        libc.mallopt(ctypes.c_int(-1), ctypes.c_int(2**31 - 1))  # M_TRIM_THRESHOLD: never return memory to the system


def run_all(objectives: Sequence[Objective], rounds: int | None, out: Path, console: Console) -> None:
    """Run benchmarks, print a table for each, and write all measurements to a JSON file."""
    keep_memory()
    records = []
    for objective in objectives:
        for dataset in objective.datasets:
            try:
                result = run(objective, dataset, rounds or objective.rounds)
            except NotHereError as missing:
                console.print(f"{objective.name}: {dataset.name}: skipped: {missing}", "", sep="\n")
                continue
            claims = [verdict(claim, result) for claim in objective.claims]
            console.print(table(result, objective.beside), *claims, "", sep="\n")
            records.append({**vars(result), "claims": claims})
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(records, indent=1) + "\n")
    console.print(f"measurements: {out}")
