"""How often a program is right about separation, on random tables whose answers are known exactly.

Tables are logistic regressions with an intercept: 8 to 30 rows, 2 to 5 columns of whole numbers, some of them dummies,
some of them sums of others. In the second half of the report each column is multiplied by a power of two near
10^-6 .. 10^6. This is exact, and positive factors do not change the answer. The truth is the exact oracle of the tests.

What is counted, for each table:

- Separated or not. "No answer" is a program that warns without naming separation, "error" an exception. A fit without
  any warning says that the data are not separated, as it prints estimates for use.
- The coefficients, for programs that report them. "Right": finite, +inf, -inf, undetermined and not estimable are all
  right. "Undetermined missed": right but for infinite coefficients whose sign the data do not determine, which are
  called +inf, -inf or finite. "Wrong": a finite coefficient is called infinite, one with a sign is called finite or has
  the other sign, or a coefficient that is not estimable has another status.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.estimates import peers
from benchmarks.estimates.peers import Answer
from tests.support.estimates_oracle import Regression, Truth, truth

PROGRAMS: dict[str, Callable[[Any, Any], Answer]] = {
    "rosenblatt, verified": peers.ours_verified,
    "firthmodels.detect_separation": peers.detect_separation,
    "HiGHS, one program": peers.konis_primal,
    "HiGHS, each coefficient": peers.programs_for_each,
    "statsmodels, Logit": peers.statsmodels_logit,
    "statsmodels, GLM": peers.statsmodels_glm,
}
QUESTION = ("right", "wrong", "no answer", "error")
COEFFICIENTS = ("right", "undetermined missed", "wrong", "none given")


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A table of whole numbers and labels 0 and 1; the same for the same seed."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 6))
    n = int(rng.integers(8, 31))
    X = rng.integers(-3, 4, (n, d))
    dummies = rng.random(d) < 0.5
    X[:, dummies] = rng.random((n, dummies.sum())) < rng.choice([0.15, 0.5])
    if rng.random() < 0.1:  # a column that depends on others
        X[:, -1] = X[:, :-1].sum(axis=1)
    slopes = rng.choice([0.3, 1.0, 4.0]) * rng.standard_normal(d)
    y = (X @ slopes - np.median(X @ slopes) + rng.logistic(size=n) > 0).astype(int)
    y[rng.choice(n, 2, replace=False)] = [0, 1]
    return X, y


def scaled(X: np.ndarray, seed: int) -> np.ndarray:
    """Each column times a power of two near 10^-6 .. 10^6."""
    powers = np.rint(np.random.default_rng([seed, 1]).uniform(-6, 6, X.shape[1]) * np.log2(10))
    return np.asarray(X * 2.0**powers)


def ask(program: Callable[[Any, Any], Answer], X: np.ndarray, y: np.ndarray) -> Answer | None:
    """The answer; None: an exception."""
    try:
        return program(X, y)
    except AssertionError:
        raise
    except Exception:
        return None


def judged(answer: Answer | None, known: Truth) -> tuple[str, str]:
    if answer is None:
        return "error", "none given"
    if answer.separated is None:
        question = "no answer"
    else:
        question = "right" if answer.separated == (known.kind != "none") else "wrong"
    if answer.statuses is None:
        return question, "none given"
    pairs = set(zip(answer.statuses, known.statuses, strict=True))
    missed = {true for told, true in pairs if told != true}
    return question, "right" if not missed else "undetermined missed" if missed == {"undetermined"} else "wrong"


def run(tables: int, console: Console) -> None:
    drawn = [draw(seed) for seed in range(tables)]
    known = [truth(Regression(X.tolist(), y.tolist(), "logit", {})) for X, y in drawn]
    kinds = Counter(answer.kind for answer in known)
    dependent = sum("not_estimable" in answer.statuses for answer in known)
    console.print(
        f"{tables} tables: {kinds['none']} not separated, {kinds['quasi']} quasi-completely, {kinds['complete']} "
        f"completely; {dependent} have columns that depend on each other."
    )
    for title, change in (("columns as drawn", lambda X, _: X.astype(float)), ("columns scaled", scaled)):
        counts = {name: Counter[tuple[int, str]]() for name in PROGRAMS}
        for name, program in PROGRAMS.items():
            for seed, ((X, y), answer) in enumerate(zip(drawn, known, strict=True)):
                counts[name].update(enumerate(judged(ask(program, change(X, seed), y), answer)))
        for part, (question, words) in enumerate((("separated or not", QUESTION), ("coefficients", COEFFICIENTS))):
            view = Table(title=f"{title}: {question}", title_justify="left")
            view.add_column("", no_wrap=True)
            for word in words:
                view.add_column(word, justify="right")
            for name in PROGRAMS:
                view.add_row(name, *(str(counts[name][part, word]) for word in words))
            console.print(view, "")
