"""Which estimates of a regression are infinite, decided in fractions; and small regressions to ask it about.

It shares no code with the package. A coefficient, as a unit vector c, is asked two questions of linear programming: is
c, and is -c, a combination of recession rows with weights of at least 0?  The simplex method of `separability_oracle`
answers them exactly.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tests.support.separability_oracle import FAMILIES, Cell, Vector, make, solve, tamed

MAX_ROWS, MAX_COLUMNS = {"multinomial": 7, "softmax": 5, "ordinal": 12}, 3  # more take the oracle long
MODELS = ("logit", "grouped", "trials", "poisson", "multinomial", "softmax", "ordinal")


class Regression(NamedTuple):
    """A regression as a user would ask about it."""

    X: list[list[Cell]]
    y: Any
    model: str  # of the package
    options: dict[str, Any]

    @property
    def checked_with(self) -> dict[str, Any]:
        """The options that `Certificate.verify` takes, too."""
        return {name: value for name, value in self.options.items() if name in ("trials", "sample_weight")}

    @property
    def is_of_floats(self) -> bool:
        """Can floats hold all numbers of the table?"""
        return all(abs(x) < 2**1000 and float(x) == x for row in self.X for x in row)


class Truth(NamedTuple):
    statuses: list[str]
    kind: str
    separated: list[int]


def draw(model: str, seed: int) -> Regression:
    """A small regression; the same for the same seed."""
    families = list(FAMILIES)
    rng = np.random.default_rng([seed, MODELS.index(model)])
    X, y, bias, _ = make(families[seed % len(families)], seed)
    n, k = len(X), max(y) + 1
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        weights = rng.integers(0, 3, n)
        weights[[y.index(c) for c in range(k)]] = 1  # every class stays
        options["sample_weight"] = weights.tolist()
    if model != "ordinal":
        options["intercept"] = bias
    if model in ("multinomial", "softmax", "ordinal"):
        few = slice(0, MAX_ROWS[model])
        X, y = [row[:MAX_COLUMNS] for row in X[few]], y[few]
        if k == 2:  # a third class
            y[int(rng.integers(len(y)))] = 2
        y = [sorted(set(y)).index(label) for label in y]
        if len(set(y)) < 2:
            y[0] = 1
        if "sample_weight" in options:
            options["sample_weight"] = [int(y.index(label) == i or rng.random() < 0.7) for i, label in enumerate(y)]
        if model == "multinomial" and rng.random() < 0.5:
            options["reference"] = int(rng.choice(sorted(set(y))))
        return Regression(X, y, model, options)
    y = [int(label > 0) for label in y]
    if model == "logit":
        return Regression(X, y, str(rng.choice(["logit", "probit", "cloglog"])), options)
    if model == "poisson":
        return Regression(X, [label * int(rng.integers(1, 5)) for label in y], model, options)
    both = rng.random(n) < 0.2
    successes = [int(label or mixed) * 2 for label, mixed in zip(y, both, strict=True)]
    failures = [int(not label or mixed) * 3 for label, mixed in zip(y, both, strict=True)]
    if model == "trials":
        totals = [a + b for a, b in zip(successes, failures, strict=True)]
        return Regression(X, successes, "logit", options | {"trials": totals})
    return Regression(X, list(zip(successes, failures, strict=True)), "logit", options)


def truth(asked: Regression) -> Truth:
    """The statuses of the coefficients, the kind of separation, and the separated rows."""
    rows = recession(asked)
    Z = tamed([z for _, z in rows])
    width = len(Z[0])
    rank = rank_of(Z)
    statuses = []
    for j in range(width):
        unit = [int(i == j) for i in range(width)]
        if rank_of([*Z, unit]) > rank:
            statuses.append("not_estimable")
            continue
        never_falls, never_rises = is_in_cone(Z, unit), is_in_cone(Z, [-x for x in unit])
        statuses.append(
            {(True, True): "finite", (True, False): "+inf", (False, True): "-inf", (False, False): "undetermined"}[
                never_falls, never_rises
            ]
        )
    moving = [not is_in_cone(Z, [-x for x in z]) for z in Z]
    kind = "complete" if all(moving) else "quasi" if any(moving) else "none"
    return Truth(statuses, kind, sorted({i for (i, _), moves in zip(rows, moving, strict=True) if moves}))


def is_in_cone(Z: Sequence[Sequence[int]], c: Sequence[int]) -> bool:
    return solve(Z, c)[0] if any(c) else True


def rank_of(rows: Sequence[Sequence[int]]) -> int:
    left, rank = [[Fraction(x) for x in row] for row in rows], 0
    for j in range(len(left[0])):
        pivot = next((row for row in left[rank:] if row[j]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        for row in left[rank + 1 :]:
            factor = row[j] / pivot[j]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        rank += 1
    return rank


def recession(asked: Regression) -> list[tuple[int, Vector]]:
    """The rows z of the model, each with the row of the data that it comes from."""
    weights = asked.options.get("sample_weight", [1] * len(asked.X))
    found: list[tuple[int, Vector]] = []
    for i, (x, weight) in enumerate(zip(asked.X, weights, strict=True)):
        if weight:
            end = [Fraction(1)] if asked.options.get("intercept", True) and asked.model != "ordinal" else []
            found += [(i, z) for z in _rows([*map(Fraction, x), *end], i, asked)]
    return found


def _rows(x: Vector, i: int, asked: Regression) -> list[Vector]:
    minus, own = [-a for a in x], asked.y[i]
    if asked.model == "poisson":
        return [x, minus] if own else [minus]
    if asked.model in ("multinomial", "softmax", "ordinal"):
        return _rows_of_classes(x, own, asked)
    if isinstance(own, tuple):
        successes, failures = own
    elif "trials" in asked.options:
        successes, failures = own, asked.options["trials"][i] - own
    else:
        successes, failures = own, 1 - own
    return [x] * bool(successes) + [minus] * bool(failures)


def _rows_of_classes(x: Vector, own: int, asked: Regression) -> list[Vector]:
    classes = sorted(set(asked.y))
    if asked.model == "ordinal":
        c, k = classes.index(own), len(classes)
        found = []
        if c < k - 1:
            found.append([-a for a in x] + [Fraction(t == c) for t in range(k - 1)])
        if c > 0:
            found.append(x + [-Fraction(t == c - 1) for t in range(k - 1)])
        return found
    blocks = classes
    if asked.model == "multinomial":
        reference = asked.options.get("reference", classes[0])
        blocks = [c for c in classes if c != reference]
    return [[((c == own) - (c == other)) * a for c in blocks for a in x] for other in classes if other != own]
