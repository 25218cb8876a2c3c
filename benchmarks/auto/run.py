"""Train on a part of each table and test on the rest, for some seeds; then print accuracies and times.

Each program on each table is a process of its own, which is stopped if it takes too long.
"""

import json
import multiprocessing
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from benchmarks.auto.tables import TABLES, Given, size_of
from benchmarks.datasets import NotHereError
from rosenblatt import Scaling
from rosenblatt.classifiers.algorithm_choice import MAKERS, model_of
from rosenblatt.classifiers.choice.choose import choose

AUTO = "auto"
OWN = [name for name in MAKERS if name != "kernel"]  # auto chooses among linear rules
THEIRS = ["Perceptron", "SGDClassifier"]
FEW_ROWS = 1000  # in tables with fewer rows, five seeds leave an error of half a point and more
MORE_SEEDS = 5  # times as many for such tables
LIMIT = 120.0  # seconds for all seeds of a program on a table
Fit = Callable[[Any, Any, int], Any]


class Measured(NamedTuple):
    """The accuracies on the test rows and the seconds of each fit, one for each seed."""

    accuracies: list[float]
    seconds: list[float]


def automatic(X: Any, y: Any, seed: int) -> Any:
    return choose(X, y, seed=seed).estimator.fit(X, y)


def own(name: str) -> Fit:
    """One of our algorithms with its defaults, on standardised columns; sparse columns are left as they are."""

    def fit(X: Any, y: Any, seed: int) -> Any:
        model = model_of(name, len(np.unique(y)), None, seed)
        return (model if scipy.sparse.issparse(X) else make_pipeline(Scaling(), model)).fit(X, y)

    return fit


def theirs(kind: Any, *, scaled: bool, **options: Any) -> Fit:
    """An estimator of scikit-learn with its defaults, on scaled columns or on columns as they are."""

    def fit(X: Any, y: Any, seed: int) -> Any:
        scaler = MaxAbsScaler() if scipy.sparse.issparse(X) else StandardScaler()
        model = kind(random_state=seed, **options)
        return (make_pipeline(scaler, model) if scaled else model).fit(X, y)

    return fit


PROGRAMS: dict[str, Fit] = {
    AUTO: automatic,
    **{name: own(name) for name in OWN},
    "Perceptron": theirs(TheirPerceptron, scaled=False),
    "SGDClassifier": theirs(SGDClassifier, scaled=False),
    "Perceptron, scaled": theirs(TheirPerceptron, scaled=True),
    "SGDClassifier, scaled": theirs(SGDClassifier, scaled=True),
    "LogisticRegression, scaled": theirs(LogisticRegression, scaled=True, max_iter=1000),
}


def measured(fit: Fit, given: Given, seeds: int) -> Measured:
    found = Measured([], [])
    for seed in range(seeds):
        X, X_test, y, y_test = train_test_split(
            given.X, given.y, train_size=given.learned, stratify=given.y, random_state=seed
        )
        began = time.perf_counter()
        model = fit(X, y, seed)
        found.seconds.append(time.perf_counter() - began)
        found.accuracies.append(float(np.mean(model.predict(X_test) == y_test)))
    return found


def work(fit: Fit, given: Given, seeds: int, pipe: Any) -> None:
    """In the child: the measurements, or the error."""
    with warnings.catch_warnings(action="ignore"):
        try:
            pipe.send(measured(fit, given, seeds))
        except Exception as error:
            pipe.send(f"{type(error).__name__}: {error}"[:80])


def in_a_process(fit: Fit, given: Given, seeds: int) -> Measured | str:
    """Measure in a process of its own, which has what this one has compiled."""
    context = multiprocessing.get_context("fork")
    ours, there = context.Pipe()
    process = context.Process(target=work, args=(fit, given, seeds, there), daemon=True)
    process.start()
    there.close()
    found = ours.recv() if ours.poll(LIMIT) else f"no answer in {LIMIT:g} s"
    process.kill()
    process.join()
    return found


def compile_rules() -> None:
    """Use every program once on a small table, so that no measurement waits for a compiler."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    with warnings.catch_warnings(action="ignore"):
        for k in (2, 3):
            y = np.digitize(X[:, 0], [0.0, 0.7][: k - 1])
            for program in PROGRAMS.values():
                for rows in (X, scipy.sparse.csr_matrix(X)):
                    program(rows, y, 0)


def percent(found: Measured | str) -> str:
    if isinstance(found, str):
        return "-"
    spread = f" ±{100 * statistics.stdev(found.accuracies):.1f}" if len(found.accuracies) > 1 else ""
    return f"{100 * statistics.mean(found.accuracies):.1f}{spread}"


def seconds(found: Measured | str) -> str:
    return "-" if isinstance(found, str) else f"{statistics.median(found.seconds):.3g}"


def mean(found: Measured | str) -> float:
    return 0.0 if isinstance(found, str) else statistics.mean(found.accuracies)


def difference(first: Measured | str, second: Measured | str) -> str:
    """The mean difference of two programs on the same splits, in points, with its standard error."""
    if isinstance(first, str) or isinstance(second, str):
        return "-"
    each = [100 * (a - b) for a, b in zip(first.accuracies, second.accuracies, strict=True)]
    error = f" ±{statistics.stdev(each) / len(each) ** 0.5:.1f}" if len(each) > 1 else ""
    return f"{statistics.mean(each):+.1f}{error}"


def run(seeds: int, out: Path, console: Console, parts: list[str]) -> None:
    """Measure, print two tables, and write all numbers to a file."""
    compile_rules()
    results: dict[str, dict[str, Measured | str]] = {}
    for name, load in TABLES.items():
        if parts and name not in parts:
            continue
        try:
            given = load()
        except NotHereError as error:
            console.print(f"{name}: {error}")
            continue
        console.print(f"{name}: {size_of(given)}")
        own_seeds = seeds * (MORE_SEEDS if len(given.y) < FEW_ROWS else 1)
        results[name] = {program: in_a_process(fit, given, own_seeds) for program, fit in PROGRAMS.items()}
        keep(results, out)
    print_tables(results, seeds, console)


def keep(results: dict[str, dict[str, Measured | str]], out: Path) -> None:
    """Write all numbers so far to a file."""
    told = {
        name: {program: value if isinstance(value, str) else value._asdict() for program, value in of.items()}
        for name, of in results.items()
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(told, indent=1), encoding="utf-8")


def print_tables(results: dict[str, dict[str, Measured | str]], seeds: int, console: Console) -> None:
    shown = ["Perceptron", "SGDClassifier", "Perceptron, scaled", "SGDClassifier, scaled", "LogisticRegression, scaled"]
    right = Table(
        title=f"Right on test rows, in percent: mean of {seeds} seeds ± standard deviation ({MORE_SEEDS * seeds} seeds "
        f"if there are fewer than {FEW_ROWS:,} rows); differences ± standard error",
        title_justify="left",
    )
    spent = Table(title="Median seconds of a fit; for auto, with all trials", title_justify="left")
    for view in (right, spent):
        for heading in ("", "auto", "best of ours", *(["auto - best"] if view is right else []), *shown):
            view.add_column(heading)
    far, below = [], []
    for name, found in results.items():
        best = max(OWN, key=lambda program: mean(found[program]))
        gap = 100 * (mean(found[AUTO]) - mean(found[best]))
        far += [name] * (gap < -0.5)
        below += [f"{name} ({program})" for program in THEIRS if mean(found[program]) > mean(found[AUTO])]
        right.add_row(
            name,
            percent(found[AUTO]),
            f"{percent(found[best])} {best}",
            difference(found[AUTO], found[best]),
            *(percent(found[p]) for p in shown),
        )
        spent.add_row(name, seconds(found[AUTO]), seconds(found[best]), *(seconds(found[p]) for p in shown))
    console.print(right, spent)
    console.print(f"More than 0.5 points below the best of ours: {', '.join(far) or 'none'}.")
    console.print(f"Below scikit-learn's default {' or '.join(THEIRS)}: {', '.join(below) or 'none'}.")
