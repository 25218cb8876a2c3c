"""Strict, weak or overlap, decided in fractions by a textbook simplex; and small tables to ask it about.

It shares no code with the package. Each of its answers is proved by putting the numbers in:

    strict   a w with w.z_i > 0 for all rows;
    weak     a w with w.z_i >= 0, the sum of which is positive, and weights >= 0, not all 0, with sum u_i z_i = 0;
    overlap  weights > 0 with sum u_i z_i = 0, so that w.z_i >= 0 for all rows only if all are 0.
"""

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

Vector = list[Fraction]
Cell = int | float
Rng = np.random.Generator


def signed_rows(X: Sequence[Sequence[Cell]], y: Sequence[int], *, bias: bool) -> list[Vector]:
    """The rows of two classes (0 and 1) with their sign; of more, those of `long_rows`."""
    rows = [[*map(Fraction, x), *([Fraction(1)] if bias else [])] for x in X]
    k = max(y) + 1
    if k > 2:
        return [z for _, _, z in long_rows(rows, y, k)]
    return [[a if label else -a for a in x] for x, label in zip(rows, y, strict=True)]


def long_rows(rows: Sequence[Vector], y: Sequence[int], k: int) -> list[tuple[int, int, Vector]]:
    """Kessler's construction: the number of a row, the class it is seen against, and the long row."""
    found = []
    for i, (x, own) in enumerate(zip(rows, y, strict=True)):
        for other in range(k):
            if other != own:
                signs = [(c == own) - (c == other) for c in range(k)]
                found.append((i, other, [sign * a for sign in signs for a in x]))
    return found


def kind_of(Z: Sequence[Vector]) -> str:
    """Gordan's question, then Stiemke's."""
    if not is_combination(Z, some=True):
        return "strict"
    return "overlap" if is_combination(Z, some=False) else "weak"


def is_combination(Z: Sequence[Vector], *, some: bool) -> bool:
    """Do the rows add up to 0 with weights that are at least 0 and not all 0 (some), or with weights above 0?"""
    whole = tamed(Z)
    if some:  # weights that sum to 1
        columns, target = [[*z, 1] for z in whole], [0] * len(whole[0]) + [1]
    else:  # weights 1 + u
        columns, target = whole, [-sum(column) for column in zip(*whole, strict=True)]
    feasible, proof = solve(columns, target)
    if feasible:
        weights = proof if some else [1 + u for u in proof]
        assert min(weights) >= 0
        assert max(weights) > 0
        assert some or min(weights) > 0
        assert all(dot(weights, column) == 0 for column in zip(*whole, strict=True))
    else:
        leads = [-dot(proof[: len(z)], z) for z in whole]
        assert min(leads) > 0 if some else min(leads) >= 0 < sum(leads)
    return feasible


def tamed(Z: Sequence[Vector]) -> list[list[int]]:
    """Whole numbers, without common factors in a row or a column: neither factor, being positive, changes the kind."""
    columns = [in_lowest_terms(column) for column in zip(*Z, strict=True)]
    return [in_lowest_terms(row) for row in zip(*columns, strict=True)]


def in_lowest_terms(numbers: Sequence[Fraction | int]) -> list[int]:
    unit = math.lcm(*(number.denominator for number in numbers))
    scaled = [number.numerator * (unit // number.denominator) for number in numbers]
    common = math.gcd(*scaled) or 1
    return [number // common for number in scaled]


def solve(columns: Sequence[Sequence[int]], target: Sequence[int]) -> tuple[bool, Vector]:
    """u >= 0 with sum u_i column_i = target; or v with v.column_i <= 0 for all i and v.target > 0 (Farkas).

    Phase 1 of the simplex method, with Bland's rule, which cannot cycle. The tableau is kept in whole numbers, all over
    one denominator, the last pivot (Edmonds).
    """
    n, m = len(columns), len(target)
    flips = [-1 if b < 0 else 1 for b in target]
    tableau = [
        [flips[r] * column[r] for column in columns] + [int(r == t) for t in range(m)] + [flips[r] * target[r]]
        for r in range(m)
    ]
    costs = [-sum(row[j] for row in tableau) for j in range(n)] + [0] * m + [-sum(row[-1] for row in tableau)]
    basis, unit = list(range(n, n + m)), 1
    while True:
        enters = next((j for j in range(n) if costs[j] < 0), None)
        if enters is None:
            break
        able = [r for r in range(m) if tableau[r][enters] > 0]  # never empty: the sum of what is missing is at least 0
        leaves = min(able, key=lambda r: (Fraction(tableau[r][-1], tableau[r][enters]), basis[r]))
        pivot = tableau[leaves]
        by = pivot[enters]
        for row in [*tableau, costs]:
            if row is not pivot:
                factor = row[enters]
                row[:] = [(a * by - factor * b) // unit for a, b in zip(row, pivot, strict=True)]
        basis[leaves], unit = enters, by
    if costs[-1]:
        return False, [flips[r] * (1 - Fraction(costs[n + r], unit)) for r in range(m)]
    weights = dict(zip(basis, (Fraction(row[-1], unit) for row in tableau), strict=True))
    return True, [weights.get(j, Fraction(0)) for j in range(n)]


def dot(u: Sequence[Fraction | int], v: Sequence[Fraction | int]) -> Fraction:
    return Fraction(sum(a * b for a, b in zip(u, v, strict=True)))


class Instance(NamedTuple):
    """A labelled table; `form` says how it is given: a list, a numpy dtype, or csr with a dtype behind it."""

    X: list[list[Cell]]
    y: list[int]
    bias: bool
    form: str


def make(family: str, seed: int) -> Instance:
    """One table of the family, always the same for the same seed."""
    rng = np.random.default_rng([list(FAMILIES).index(family), seed])
    X, y = FAMILIES[family](rng)
    order = rng.permutation(len(X)).tolist()
    X, y = [X[i] for i in order], [y[i] for i in order]
    bias = bool(rng.random() < 0.8)
    forms = ["list"]
    cells = [cell for row in X for cell in row]
    if all(type(cell) is int for cell in cells):
        forms += ["object"]
        forms += ["int64", "csr int64"] * all(abs(cell) < 2**63 for cell in cells)
    if are_floats(cells):
        forms += ["float64", "float64", "csr float64"]
        if all(not cell or 1e-30 < abs(cell) < 1e30 for cell in cells):
            forms += ["float32", "csr float32"]
    form = str(rng.choice(forms))
    if "float32" in form:
        X = [[float(np.float32(cell)) for cell in row] for row in X]
    return Instance(X, y, bias, form)


def are_floats(cells: Sequence[Cell]) -> bool:
    return all(abs(cell) <= sys.float_info.max and float(cell) == cell for cell in cells)


def labels(rng: Rng, n: int, k: int = 2) -> list[int]:
    """n labels, each class at least once."""
    return [*range(k), *rng.integers(0, k, n - k).tolist()]


def sizes(rng: Rng, k: int = 2) -> tuple[int, int]:
    return int(rng.integers(max(2, k), 15 if k == 2 else 11)), int(rng.integers(1, 6 if k == 2 else 4))


def halves(rng: Rng, X: np.ndarray[Any, Any], *, ties: float = 0.5) -> list[int]:
    """Labels by the side of a random hyperplane of small whole weights; those on it are of either class."""
    w = rng.integers(-2, 3, X.shape[1])
    scores = X @ w - np.median(X @ w)
    y = np.where(scores == 0, rng.random(len(X)) < ties, scores > 0).astype(int)
    y[:2] = [0, 1] if len(set(y.tolist())) < 2 else y[:2]
    return [int(label) for label in y]


def grid(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Whole numbers -1 to 1 or 0 to 3: many equal, collinear and contradicting rows."""
    n, d = sizes(rng)
    X = rng.integers(-1, 2, (n, d)) if rng.random() < 0.5 else rng.integers(0, 4, (n, d))
    return X.tolist(), labels(rng, n) if rng.random() < 0.5 else halves(rng, X)


def repeated(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Every row several times, of its own class or (rarely) of the other."""
    n, d = sizes(rng)
    few = rng.integers(-2, 3, (max(2, n // 3), d))
    y = np.array(halves(rng, few))
    at = np.concatenate([np.arange(len(few)), rng.integers(0, len(few), n)])
    return few[at].tolist(), [*np.where(rng.random(len(at)) < 0.05, 1 - y[at], y[at]).tolist()[:-2], 0, 1]


def flat(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Points of a line or a plane in more columns than it needs."""
    n, d = sizes(rng)
    inner = rng.integers(-3, 4, (n, int(rng.integers(1, 3))))
    X = inner @ rng.integers(-2, 3, (inner.shape[1], d)) + rng.integers(-3, 4, d)
    return X.tolist(), halves(rng, inner) if rng.random() < 0.7 else labels(rng, n)


def nested(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """The first coordinate decides unless it is 0, then the second, and so on; then the columns are mixed."""
    n, d = sizes(rng)
    X = rng.integers(-2, 3, (n, d)) * (np.arange(d) >= rng.integers(0, d + 1, (n, 1)))
    y = [next((int(a > 0) for a in x if a), int(rng.integers(0, 2))) for x in X.tolist()]
    mixing = np.eye(d, dtype=int) + np.triu(rng.integers(-2, 3, (d, d)), 1)
    if rng.random() < 0.5 or len(set(y)) < 2:
        X, y = np.vstack([X, np.zeros((2, d), int)]), [*y, 0, 1]
    return (X @ mixing).tolist(), y


def deficient(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Constant, repeated, opposite and one-hot columns."""
    n, d = sizes(rng)
    X = rng.integers(0, 3, (n, d))
    hot = np.eye(4, dtype=int)[rng.integers(0, 4, n)]
    extra = [np.full((n, 1), 7), X[:, :1], -X[:, -1:], hot, 1 - X[:, :1]]
    chosen = [part for part in extra if rng.random() < 0.5]
    whole = np.hstack([X, *chosen])
    return whole.tolist(), labels(rng, n) if rng.random() < 0.4 else halves(rng, whole)


def wide(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """More columns than rows, some rows repeated with the other label."""
    n = int(rng.integers(2, 7))
    X = rng.integers(-1, 2, (n, n + int(rng.integers(1, 6)))) * (1.0 if rng.random() < 0.5 else rng.normal())
    if rng.random() < 0.4:
        X[-1] = X[: n - 1].mean(axis=0) if rng.random() < 0.5 else X[0]
    return X.tolist(), labels(rng, n)


def normal(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Normal floats, most of them with labels of a plane."""
    n, d = sizes(rng)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4)
    return X.tolist(), labels(rng, n) if rng.random() < 0.4 else halves(rng, X)


def nudged(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """A point on (or one unit in the last place off) the hull of others, or of sums of decimals."""
    n, d = sizes(rng)
    X = rng.integers(-9, 10, (n, d)) / 10 if rng.random() < 0.5 else rng.normal(size=(n, d))
    if rng.random() < 0.5:
        t = rng.integers(0, 11, (n, 1)) / 10
        X = X[0] + t * (X[-1] - X[0])
    y = np.array(halves(rng, X))
    y[0], y[-1], point = 0, 0, (X[0] + X[-1]) / 2
    for j in range(d):
        if rng.random() < 0.5:
            point[j] = np.nextafter(point[j], rng.choice([-9.0, 9.0]))
    return [*X.tolist(), point.tolist()], [*y.tolist(), 1]


def scaled(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Columns and rows of sizes from 1e-300 to 1e300."""
    n, d = sizes(rng)
    X = rng.integers(-2, 3, (n, d)) * (1.0 if rng.random() < 0.5 else rng.normal(size=(n, d)))
    y = halves(rng, X) if rng.random() < 0.7 else labels(rng, n)
    how = rng.integers(0, 3)
    powers = rng.integers(-300, 300, (1, d)) if how == 0 else rng.integers(-150, 150, (n, 1))
    if how == 2:
        powers = powers + rng.integers(-140, 150, (1, d))
    return (X * 10.0**powers).tolist(), y


def denormal(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """The smallest floats there are, alone or beside ordinary and the largest ones."""
    n, d = sizes(rng)
    X = rng.integers(-3, 4, (n, d)) * 5e-324
    y = halves(rng, rng.integers(-1, 2, (n, d))) if rng.random() < 0.3 else halves(rng, np.sign(X))
    if rng.random() < 0.5:
        others = rng.choice([0.0, 1.0, -1.0, 1.7976931348623157e308, -1.7976931348623157e308, 2.0**-1022], (n, d))
        X = np.where(rng.random((n, d)) < 0.3, others, X)
    return X.tolist(), y


def large(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Integers beyond 2^53 that differ by little, some beyond all floats, some beside floats."""
    n, d = sizes(rng)
    small = rng.integers(-2, 3, (n, d))
    base = [2 ** int(rng.choice([53, 54, 60, 62, 64, 100, 1030, 1100])) for _ in range(d)]
    X: list[list[Cell]] = [[b + a for a, b in zip(row, base, strict=True)] for row in small.tolist()]
    if rng.random() < 0.5:
        for row in X:
            for j in range(d):
                if rng.random() < 0.3:
                    row[j] = float(rng.integers(-3, 4)) / 4 if rng.random() < 0.5 else -int(row[j])
    return X, halves(rng, small) if rng.random() < 0.7 else labels(rng, n)


def offset(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Small differences far from 0."""
    n, d = sizes(rng)
    small = rng.integers(-2, 3, (n, d))
    X = 10.0 ** rng.integers(8, 16, d) * rng.choice([-1.0, 1.0], d) + small / rng.choice([1, 2, 8], d)
    return X.tolist(), halves(rng, small) if rng.random() < 0.7 else labels(rng, n)


def _of_classes(rng: Rng, k: int) -> tuple[list[list[Cell]], list[int]]:
    n, d = sizes(rng, k)
    X = rng.integers(-2, 3, (n, d)) * 1.0
    if rng.random() < 0.3:
        X = rng.normal(size=(n, d))
    if rng.random() < 0.2:
        X = X * 10.0 ** rng.integers(-100, 100, d)
    if rng.random() < 0.4:
        return X.tolist(), labels(rng, n, k)
    scores = np.sign(X) @ rng.integers(-2, 3, (d, k)) + rng.integers(-1, 2, k)
    y = np.where(scores == scores.max(axis=1, keepdims=True), rng.random((n, k)), -1.0).argmax(axis=1)
    return X.tolist(), [*range(k), *y[k:].tolist()]


def three(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    return _of_classes(rng, 3)


def four(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    return _of_classes(rng, 4)


def three_large(rng: Rng) -> tuple[list[list[Cell]], list[int]]:
    """Three classes on a line of large integers, in order or nearly."""
    n = int(rng.integers(3, 9))
    a, b = int(rng.integers(1, 3)), 2 ** int(rng.choice([53, 60, 64, 1030]))
    at = np.sort(rng.integers(-4, 5, n)).tolist()
    y = np.sort(labels(rng, n, 3)).tolist()
    if rng.random() < 0.3:
        y[0], y[1] = y[1], y[0]
    return [[b + x, a * x] if a > 1 else [b + x] for x in at], y


FAMILIES: dict[str, Callable[[Rng], tuple[list[list[Cell]], list[int]]]] = {
    family.__name__: family
    for family in (
        grid, repeated, flat, nested, deficient, wide, normal, nudged, scaled, denormal, large, offset, three, four,
        three_large,
    )
}  # fmt: skip
