"""What a certificate claims, decided again in fractions and without its proof; and samples of all claims.

Kinds are decided by the simplex of `separability_oracle`, margins by the nearest points of hulls, the fewest errors by
leaving out rows, bounds of mistakes by running perceptrons. No code is shared with the package.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import pandas as pd

from rosenblatt import BudgetWarning, Certificate, Hyperplane, Perceptron, error_bounds, mistake_bound, separability
from tests.support.separability_oracle import kind_of

Vector = list[Fraction]
Body = dict[str, Any]


class Sample(NamedTuple):
    """Data and a true certificate."""

    X: Any
    y: list[Any]
    certificate: Certificate


class Signed(NamedTuple):
    """Signed rows in fractions; of more than two classes, the long ones."""

    Z: list[Vector]
    numbers: list[int]  # the row that each comes from
    free: bool  # does a constant end the rows of two classes?

    def of(self, rows: Sequence[int]) -> list[Vector]:
        return [z for z, i in zip(self.Z, self.numbers, strict=True) if i in rows]


def signed_of(body: Body, X: Any, y: Sequence[Any]) -> Signed:
    """The rows of the classes that are named, whatever their codes."""
    labels, between, constant = body["data"]["labels"], body["about"]["between"], body["about"]["constant"]
    assert len(set(labels)) == len(labels)
    assert [type(k) for k in between] == [int] * len(between)
    assert all(0 <= k < len(labels) for k in between)
    names, ends = [labels[k] for k in between], [Fraction(constant)] if constant else []
    cells = X.to_numpy().tolist() if hasattr(X, "to_numpy") else X
    numbers = [i for i, label in enumerate(y) if label in names]
    rows = {i: [*map(Fraction, cells[i]), *ends] for i in numbers}
    own = {i: names.index(y[i]) for i in numbers}
    if len(names) == 2:
        return Signed([[a if own[i] else -a for a in rows[i]] for i in numbers], numbers, bool(ends))
    long = [(i, c) for i in numbers for c in range(len(names)) if c != own[i]]
    Z = [[((k == own[i]) - (k == c)) * a for k in range(len(names)) for a in rows[i]] for i, c in long]
    return Signed(Z, [i for i, _ in long], False)


def falsehoods(body: Body, X: Any, y: Sequence[Any]) -> list[str]:
    """The parts of a certificate that are not true of the data; it is an error if one makes no sense."""
    signed = signed_of(body, X, y)
    return [name for name, is_true in _parts(body, signed) if not is_true]


def _parts(body: Body, signed: Signed) -> Iterator[tuple[str, bool]]:
    claim, found = body["claim"], kind(signed.Z)
    if claim == "not_strict":
        yield claim, found != "strict"
    elif claim in ("strict", "weak", "overlap"):
        yield claim, found == claim
    else:
        yield claim, claim in ("errors", "mistakes") and claim in body
    if claim in ("strict", "weak"):
        leads = [dot(numbers(body["hyperplane"]), z) for z in signed.Z]
        yield "hyperplane", min(leads) > 0 if claim == "strict" else min(leads) >= 0 < max(leads)
    if "margin" in body:
        yield (
            "margin",
            "hyperplane" in body and margin(body["margin"], numbers(body["hyperplane"]), signed, signed.free),
        )
    if "errors" in body:
        yield "errors", errors(body["errors"], signed)
    if "mistakes" in body:
        yield from mistakes(body["mistakes"], signed)
    if "updates" in body:
        updates, most = body["updates"], number(body["mistakes"]["bound"]) if "mistakes" in body else math.inf
        yield "updates", updates is None or (type(updates) is int and 0 <= updates <= most)


def margin(part: Body, w: Vector, signed: Signed, free: bool) -> bool:
    """The hyperplane has a margin of at least `lower`, and the largest is at most `upper`."""
    d = len(w) - free
    lower, upper, lead = Fraction(part["lower"]), Fraction(part["upper"]), min(dot(w, z) for z in signed.Z)
    reached = lead > 0 and lower >= 0 and lower**2 * dot(w[:d], w[:d]) <= lead**2
    return bool(reached and upper >= 0 and upper**2 >= best_margin_square(signed, free))


def errors(part: Body, signed: Signed) -> bool:
    leads = [dot(numbers(part["hyperplane"]), z) for z in signed.Z]
    wrong = sorted({i for i, lead in zip(signed.numbers, leads, strict=True) if lead <= 0})
    right_rows = part["rows"] == wrong and part["upper"] == len(wrong)
    return bool(right_rows and 0 <= part["lower"] <= fewest_errors(signed))


def mistakes(part: Body, signed: Signed) -> Iterator[tuple[str, bool]]:
    w, bound, radius = numbers(part["hyperplane"]), number(part["bound"]), Fraction(part["radius"])
    yield "radius", radius >= 0 and radius**2 >= max(dot(z, z) for z in signed.Z)
    if part["theorem"] == "Novikoff":
        yield "margin of the bound", margin(part["margin"], w, signed, free=False)
        smallest, largest = map(Fraction, part["steps"])
        yield "steps", 0 < smallest <= largest and part["threshold"] >= 0
        runs = [(order, step) for order in orders(len(signed.Z), 3) for step in {smallest, largest}]
        most = max(updates(signed.Z, order, step, Fraction(part["threshold"]), passes=20) for order, step in runs)
    else:
        yield "theorem", part["theorem"] == "Freund and Schapire"
        yield "level", number(part["level"]) > 0
        most = max(updates(signed.Z, order, Fraction(1), Fraction(0), passes=1) for order in orders(len(signed.Z), 120))
    yield "bound", most <= bound


def updates(Z: Sequence[Vector], order: Sequence[int], step: Fraction, threshold: Fraction, passes: int) -> int:
    """How many updates a perceptron makes that starts from 0."""
    w, made = [Fraction(0)] * len(Z[0]), 0
    for _ in range(passes):
        before = made
        for i in order:
            if dot(w, Z[i]) <= threshold:
                w, made = [a + step * b for a, b in zip(w, Z[i], strict=True)], made + 1
        if made == before:
            break
    return made


def orders(n: int, most: int) -> list[tuple[int, ...]]:
    every = itertools.permutations(range(n))
    return [tuple(range(n)), tuple(reversed(range(n))), *itertools.islice(every, 1, most)]


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


def number(text: str) -> int:
    """-0x5p3 is -40."""
    mantissa, _, power = text.partition("p")
    return int(mantissa, 16) << int(power or 0)


def numbers(texts: Sequence[str]) -> Vector:
    return [Fraction(number(text)) for text in texts]


def dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def remembered(f: Callable[[Any], Any]) -> Callable[[list[Vector]], Any]:
    known = cache(f)
    return lambda Z: known(tuple(map(tuple, Z)))


@remembered
def kind(Z: Any) -> Any:
    return kind_of(Z) if Z else "strict"


def fewest_errors(signed: Signed) -> int:
    """The fewest rows without which the others are strictly separable."""
    rows = sorted(set(signed.numbers))
    for size in range(len(rows) + 1):
        for left in itertools.combinations(rows, len(rows) - size):
            if kind(signed.of(left)) == "strict":
                return size
    raise AssertionError


def best_margin_square(signed: Signed, free: bool) -> Fraction:
    """Of the largest margin; 0 if there is none."""
    if not free:
        return Fraction(nearest_square(signed.Z))
    own, other = ([z[:-1] for z in signed.Z if (z[-1] > 0) == side] for side in (True, False))
    return Fraction(nearest_square([[a + b for a, b in zip(p, q, strict=True)] for p in own for q in other])) / 4


@remembered
def nearest_square(points: Any) -> Any:
    """The square of the distance from 0 to the hull: that of the best corner, edge, face ... it is next to."""
    squares = []
    for size in range(1, min(len(points), len(points[0]) + 1) + 1):
        for chosen in itertools.combinations(points, size):
            system = [[*(dot(p, q) for q in chosen), Fraction(1), Fraction(0)] for p in chosen]
            system.append([*[Fraction(1)] * size, Fraction(0), Fraction(1)])
            solution = solve(system)
            if solution is not None and min(solution[:-1]) >= 0:
                squares.append(-solution[-1])
    return min(squares)


def solve(system: list[Vector]) -> Vector | None:
    """Gauss and Jordan; None if there is not exactly one solution."""
    for j in range(len(system)):
        at = next((i for i in range(j, len(system)) if system[i][j]), None)
        if at is None:
            return None
        system[j], system[at] = system[at], system[j]
        system[j] = [a / system[j][j] for a in system[j]]
        for i, row in enumerate(system):
            if i != j and row[j]:
                system[i] = [a - row[j] * b for a, b in zip(row, system[j], strict=True)]
    return [row[-1] for row in system]


# ---------------------------------------------------------------------------------------------------------------------
# Samples

LINE = [[0], [1], [3], [4]], ["a", "a", "b", "b"]
PLANE = [[0.1, 0.2], [1.0, -0.3], [3.0, 2.5], [2.9, 4.0], [-1.0, 0.7]], [0, 0, 1, 1, 0]
TOUCH = [[0], [1], [1], [3]], ["a", "a", "b", "b"]
FLAT = [[0, 0], [0, 1], [0, 2], [0, 2], [1, 3], [2, 9]], [0, 1, 0, 1, 1, 1]
XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
MIXED = [[0.5], [1.5], [2.5], [1.0], [3.0]], [False, False, False, True, True]
THREE = [[0, 0], [1, 0], [4, 1], [0, 5]], ["x", "x", "y", "z"]
TIED = [[0], [1], [1], [2], [3]], ["x", "x", "y", "y", "z"]
SAME = [[0], [0], [0], [1], [1], [1]], ["x", "y", "z", "x", "y", "z"]
TWICE = [[1], [2], [3], [4], [5], [6]], [0, 1, 0, 1, 0, 1]
ONE_WRONG = [[-3]] * 10 + [[3]] * 10, [0] * 10 + [1] * 9 + [0]
FRAME = pd.DataFrame({"height": [1.5, 1.75, 1.25], "weight": [80, 75, 50]}), ["m", "m", "f"]


def _verdict(data: tuple[Any, list[Any]], **options: Any) -> Sample:
    return Sample(*data, separability(*data, **options).certificate)  # type: ignore[arg-type]


def _bound(data: tuple[Any, list[Any]], **options: Any) -> Sample:
    return Sample(*data, mistake_bound(*data, **options).certificate)


def _errors(data: tuple[Any, list[Any]], **options: Any) -> Sample:
    return Sample(*data, error_bounds(*data, **options).certificate)


def _run(data: tuple[Any, list[Any]], **options: Any) -> Sample:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        return Sample(*data, Perceptron(**options).fit(*data).certificate(*data))


SAMPLES: dict[str, Callable[[], Sample]] = {
    "strict": lambda: _verdict(LINE),
    "strict in floats": lambda: _verdict(PLANE),
    "strict through the origin": lambda: _verdict(([[1, 2], [2, 1], [-1, -3]], [1, 1, 0]), through_origin=True),
    "strict with names": lambda: _verdict(FRAME),
    "weak": lambda: _verdict(TOUCH),
    "weak on a line": lambda: _verdict(FLAT),
    "overlap": lambda: _verdict(XOR),
    "overlap of floats": lambda: _verdict(MIXED),
    "overlap through the origin": lambda: _verdict(
        ([[1, 0], [2, 0], [0, 1], [0, 3]], [0, 1, 0, 1]), through_origin=True
    ),
    "not strict": lambda: _verdict(XOR, detail=False),
    "not strict but weak": lambda: _verdict(FLAT, detail=False),
    "strict of three": lambda: _verdict(THREE),
    "weak of three": lambda: _verdict(TIED),
    "overlap of three": lambda: _verdict(SAME),
    "a pair of three": lambda: Sample(*TIED, separability(*TIED).pairs["x", "z"].certificate),  # type: ignore[arg-type]
    "a tied pair of three": lambda: Sample(*TIED, separability(*TIED).pairs["x", "y"].certificate),  # type: ignore[arg-type]
    "errors": lambda: _errors(XOR),
    "two errors": lambda: _errors(TWICE),
    "no errors": lambda: _errors(LINE),
    "errors through the origin": lambda: _errors(([[0], [1], [-1], [2]], [0, 1, 0, 0]), through_origin=True),
    "mistakes": lambda: _bound(LINE),
    "mistakes with a bias of 2.5": lambda: _bound(PLANE, bias=2.5),
    "mistakes without a bias": lambda: _bound(([[1, 2], [2, 1], [-1, -3]], [1, 1, 0]), bias=0.0),
    "mistakes of three": lambda: _bound(THREE),
    "mistakes without a bound": lambda: _bound(TOUCH),
    "mistakes in one pass": lambda: _bound(XOR, hyperplane=Hyperplane([1.0, 1.0], -0.5)),
    "mistakes in one pass of floats": lambda: _bound(MIXED, hyperplane=Hyperplane([0.3], -0.6)),
    "mistakes in one long pass": lambda: _bound(ONE_WRONG, hyperplane=Hyperplane([1.0], 0.0)),
    "a run": lambda: _run(LINE),
    "a run with a margin": lambda: _run(PLANE, margin=1.0),
    "a run on three": lambda: _run(THREE),
    "a run without end": lambda: _run(FLAT, max_epochs=3),
}


@cache
def sample(name: str) -> Sample:
    return SAMPLES[name]()
