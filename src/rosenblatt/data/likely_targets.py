"""Targets that are hardly classes: numbers to predict, and counts of grouped data.

Each function returns sentences that say what a column looks like; whether that is an error is for the caller to decide.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_NUMBERED_CLASSES = 30  # more different whole numbers than this look like a number, not like a class
MIN_UNLIKELY_CLASSES = 100  # more classes than this, and more than half as many as rows, are hardly labels
ROW_COUNTS = ("freq", "frequency", "count", "counts", "n_rows", "weights", "wt", "case_weight", "sample_weight")
TRIALS = ("n", "trials", "total", "totals", "size", "ntrials", "n_trials", "exposed", "m")
FAILURES = ("failures", "failure", "fail", "failed", "losses", "noncases", "controls")
SUCCESSES = (
    *("successes", "success", "successful", "hits", "wins", "cured", "cases", "events", "killed", "dead", "deaths"),
    *("died", "positive", "positives", "passed", "responders", "affected", "infected", "k", "r", "y"),
)
Numbers = NDArray[np.float64]


def row_count_columns(columns: Mapping[str, Callable[[], Numbers]]) -> list[str]:
    """Find the columns that look like numbers of equal rows, by their names and their whole numbers.

    Parameters
    ----------
    columns : by name, a function that gives the numbers of a column
    """
    return [name for name, numbers in columns.items() if name.casefold() in ROW_COUNTS and _are_counts(numbers())]


def grouped_counts(target: str, y: Sequence[Any], columns: Mapping[str, Callable[[], Numbers]], source: str) -> str:
    """Say which counts the target seems to hold, and what to do; empty if it does not look like counts.

    Parameters
    ----------
    target : the name of the target
    y : its labels
    columns : by name, a function that gives the numbers of a column
    source : the file, for the command that is suggested
    """
    if not _are_whole(y) or min(y) < 0:
        return ""
    counts = np.asarray(y, dtype=np.float64)
    command = f"rosenblatt check {shlex.quote(source)} --model logit --target"
    if said := _trials_or_failures(target, counts, columns, command):
        return said
    if len(set(y)) <= 2:
        return ""
    for option, names in (("--trials", TRIALS), ("--failures", FAILURES)):
        for name, numbers in columns.items():
            if name.casefold() not in names or not _are_counts(other := numbers()):
                continue
            if option == "--failures" or (counts <= other).all():
                return (
                    f"column {target!r} looks like counts of successes beside column {name!r}, not like classes: "
                    f"{command} {shlex.quote(target)} {option} {shlex.quote(name)} takes it so"
                )
    if target.casefold() in ROW_COUNTS:
        return (
            f"column {target!r} looks like counts of equal rows, not like classes: name the column with the classes by "
            f"--target; {command} COLUMN --weight {shlex.quote(target)} counts the rows"
        )
    return ""


def _trials_or_failures(
    target: str, counts: Numbers, columns: Mapping[str, Callable[[], Numbers]], command: str
) -> str:
    """Say that the target holds trials or failures, if the successes are in another column; else an empty string."""
    for option, names in (("--trials", TRIALS), ("--failures", FAILURES)):
        if target.casefold() not in names or (option == "--failures" and len(np.unique(counts)) <= 2):
            continue
        for name, numbers in columns.items():
            if name.casefold() not in SUCCESSES or not _are_counts(found := numbers()):
                continue
            if option == "--failures" or (found <= counts).all():
                return (
                    f"column {target!r} looks like counts of {option[2:]} beside the successes in column {name!r}, not "
                    f"like classes: {command} {shlex.quote(name)} {option} {shlex.quote(target)} takes it so"
                )
    return ""


def unlikely_classes(target: str, y: Sequence[Any]) -> str:
    """Say why a target hardly holds classes; empty if it may."""
    count = len(set(y))
    if count > MIN_UNLIKELY_CLASSES and 2 * count > len(y):
        return f"{target} has {count:,} different values in {len(y):,} rows, so it hardly holds labels"
    if count > MAX_NUMBERED_CLASSES and _are_whole(y):
        return f"{target} has {count:,} different whole numbers, so it looks like a number to predict, not like a class"
    return ""


def _are_whole(y: Sequence[Any]) -> bool:
    return all(isinstance(label, int) and not isinstance(label, bool) for label in y)


def _are_counts(numbers: Numbers) -> bool:
    return bool(len(numbers)) and bool(((numbers >= 0) & (np.rint(numbers) == numbers)).all()) and numbers.max() > 1
