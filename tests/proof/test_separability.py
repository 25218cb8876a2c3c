"""Verdicts on thousands of small tables, random, degenerate and adversarial, against an exact oracle.

A failure names its family and seed: `separability_oracle.make(family, seed)` makes the table.
"""

import itertools
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from rosenblatt import Certificate, separability
from rosenblatt.proof.verdict import Verdict
from tests.support.effort import by_day
from tests.support.separability_oracle import (
    FAMILIES,
    Cell,
    Instance,
    Vector,
    are_floats,
    dot,
    is_combination,
    kind_of,
    long_rows,
    make,
    signed_rows,
)

COUNTS = {"three": 40, "four": 20, "three_large": 20}  # the others: OF_TWO
OF_TWO = 60
TIMES = by_day(0.5, 30)
NAMES: list[Sequence[Any]] = [[0, 1, 2, 3], [-1, 1, 2, 5], ["a", "b", "c", "d"], [False, True]]
TALLY: Counter[str] = Counter()


@pytest.mark.parametrize("family", FAMILIES)
def test_verdicts(family: str) -> None:
    bad = []
    for seed in range(round(TIMES * COUNTS.get(family, OF_TWO))):
        given = make(family, seed)
        try:
            examine(family, seed, given)
        except Exception as error:  # all are wanted, not only the first
            what = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            bad.append(f"make({family!r}, {seed}), bias={given.bias}, {given.form}: {what}")
    TALLY["wrong"] += len(bad)
    assert not bad, f"{len(bad)} failures:\n" + "\n".join(bad[:20])


def test_tally() -> None:
    """Print how often linprog with default settings is wrong on the same tables. Only our verdicts are asserted."""
    families = ", ".join(f"{family} {TALLY[family]}" for family in FAMILIES)
    kinds = ", ".join(f"{kind} {TALLY[kind]}" for kind in ("strict", "weak", "overlap"))
    print(f"\nTables: {sum(TALLY[family] for family in FAMILIES)} ({families}); {kinds}.")
    print(
        f"Strict or not, of {TALLY['asked']} of two classes and floats: linprog is wrong on {TALLY['linprog wrong']} "
        f"({TALLY['false strict']} falsely separable, {TALLY['false infeasible']} falsely infeasible) and has no "
        f"answer for {TALLY['linprog silent']}; ours is wrong on {TALLY['wrong']}."
    )
    print("Of these, by family:", ", ".join(f"{f} {TALLY['linprog ' + f]}" for f in FAMILIES if TALLY["linprog " + f]))
    assert TALLY["wrong"] == 0


def examine(family: str, seed: int, given: Instance) -> None:
    names = NAMES[seed % (4 if max(given.y) == 1 else 3)]
    X, y = as_given(given), [names[label] for label in given.y]
    Z = signed_rows(given.X, given.y, bias=given.bias)
    kind = kind_of(Z)
    TALLY.update([family, kind])
    if max(given.y) == 1:
        ask_linprog(family, given, kind == "strict")
    verdict = separability(X, y, through_origin=not given.bias)
    brief = separability(X, y, through_origin=not given.bias, detail=False)
    assert verdict.kind == kind, f"{verdict.kind}, not {kind}"
    assert brief.kind == (kind if kind == "strict" else "not_strict"), f"{brief.kind} without detail, not {kind}"
    check_proof(verdict, given, X, y, Z)
    check_proof(brief, given, X, y, Z)
    for a, b in itertools.combinations(range(max(given.y) + 1), 2):
        if verdict.pairs:
            check_pair(verdict.pairs[names[a], names[b]], given, (a, b), X, y)
    assert len(verdict.pairs) == (0 if max(given.y) == 1 else (max(given.y) + 1) * max(given.y) // 2)


def as_given(given: Instance) -> Any:
    if given.form == "list":
        return given.X
    dense = np.array(given.X, dtype=given.form.removeprefix("csr "))
    return scipy.sparse.csr_array(dense) if given.form.startswith("csr ") else dense


def check_pair(verdict: Verdict, given: Instance, pair: tuple[int, int], X: Any, y: list[Any]) -> None:
    """Check the verdict on two of the classes. Its certificate is for all of the data."""
    rows = [i for i, label in enumerate(given.y) if label in pair]
    Z = signed_rows([given.X[i] for i in rows], [pair.index(given.y[i]) for i in rows], bias=given.bias)
    assert verdict.kind == kind_of(Z), f"pair {pair}: {verdict.kind}, not {kind_of(Z)}"
    assert verdict.certificate is not None
    assert verdict.certificate.verify(X, y), f"pair {pair}"


def check_proof(verdict: Verdict, given: Instance, X: Any, y: list[Any], Z: list[Vector]) -> None:
    """Check that the certificate verifies, and in fractions that its content is true."""
    certificate = verdict.certificate
    assert certificate is not None
    assert certificate.claim == verdict.kind
    assert certificate.verify(X, y).verified is True
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify(X, y).verified is True
    body = again.body
    leads = [dot(numbers(body["hyperplane"]), z) for z in Z] if "hyperplane" in body else []
    assert bool(leads) == (verdict.kind in ("strict", "weak"))
    if verdict.kind == "strict":
        assert min(leads) > 0
        assert verdict.witness is None
        if verdict.margin_bounds is not None:
            check_margin(verdict, body, given, leads)
        assert (verdict.margin_bounds is not None) == (max(given.y) == 1)
        return
    if leads:
        assert min(leads) == 0 < max(leads)
        assert is_combination([z for z, lead in zip(Z, leads, strict=True) if not lead], some=False)
        kessler = long_rows([[] for _ in given.y], given.y, max(given.y) + 1)  # two classes: one row each
        tied = {i for (i, _, _), lead in zip(kessler, leads, strict=True) if not lead}
        assert verdict.stuck.tolist() == sorted(tied), f"stuck are {sorted(tied)}, not {verdict.stuck.tolist()}"
    check_witness(verdict, body["witness"], given, Z)


def check_witness(verdict: Verdict, part: dict[str, Any], given: Instance, Z: list[Vector]) -> None:
    """The witness adds up to 0 with positive weights and has few rows. The verdict has the same weights with sum 1."""
    assert verdict.witness is not None
    weights, rows = numbers(part["weights"]), part["rows"]
    assert min(weights) > 0
    assert 0 < len(rows) == len(weights) <= 2 * len(Z[0])
    assert verdict.witness.rows == rows
    assert verdict.witness.weights == [weight / sum(weights) for weight in weights]
    k = max(given.y) + 1
    places = {(i, other): t for t, (i, other, _) in enumerate(long_rows([[] for _ in given.y], given.y, k))}
    against = part["against"] if k > 2 else [1 - given.y[i] for i in rows]
    chosen = [places[key] for key in zip(rows, against, strict=True)]
    assert len(set(chosen)) == len(chosen)
    assert not any(dot(weights, column) for column in zip(*(Z[t] for t in chosen), strict=True))


def check_margin(verdict: Verdict, body: dict[str, Any], given: Instance, leads: list[Fraction]) -> None:
    """The hyperplane reaches the lower bound. No margin exceeds (half) the distance of points of the hulls."""
    assert verdict.margin_bounds is not None
    lower, upper = verdict.margin_bounds
    assert 0 <= lower <= upper, f"margin bounds {lower}, {upper}"
    d = len(given.X[0])
    square = sum(number**2 for number in numbers(body["hyperplane"])[:d])
    assert min(leads) ** 2 >= Fraction(lower) ** 2 * square
    if upper == np.inf:
        assert "margin" not in body
        return
    part = body["margin"]
    assert (part["lower"], part["upper"]) == (lower, upper)
    points = [[Fraction(0)] * d, [Fraction(0)] * d]
    shares, classes = numbers(part["weights"]), [given.y[i] for i in part["rows"]]
    assert min(shares) > 0
    for label in (0, 1):
        own = [i for i, c in enumerate(classes) if c == label or not given.bias]
        for i in own:
            if classes[i] == label:
                x = [Fraction(cell) for cell in given.X[part["rows"][i]]]
                share = shares[i] / sum(shares[t] for t in own)
                points[label] = [a + share * b for a, b in zip(points[label], x, strict=True)]
        assert own
    distance = sum((a - b) ** 2 for a, b in zip(*points, strict=True))
    assert distance <= (Fraction(upper) * (2 if given.bias else 1)) ** 2


def numbers(texts: Sequence[str]) -> Vector:
    """'-0x5p3' is -5 times 2^3."""
    found = []
    for text in texts:
        digits, _, power = text.removeprefix("-").partition("p")
        assert digits.startswith("0x")
        found.append(Fraction(int(digits[2:], 16) * 2 ** int(power or "0") * (-1 if text.startswith("-") else 1)))
    return found


def ask_linprog(family: str, given: Instance, strict: bool) -> None:
    """Is there a w with w.z_i >= 1?"""
    cells = list(itertools.chain.from_iterable(given.X))
    if not are_floats(cells):
        return
    X = np.array(given.X, dtype=np.float64)
    Z = np.column_stack([X, np.ones(len(X))]) if given.bias else X
    Z = Z * np.where(np.array(given.y) == 1, 1.0, -1.0)[:, np.newaxis]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            status = scipy.optimize.linprog(
                np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None), method="highs"
            ).status
        except ValueError:
            status = 4
    wrong = (status == 0 and not strict) or (status == 2 and strict)
    silent = status not in (0, 2)
    TALLY["asked"] += 1
    TALLY["linprog silent"] += silent
    TALLY["linprog wrong"] += wrong
    TALLY["false strict" if status == 0 else "false infeasible"] += wrong
    TALLY[f"linprog {family}"] += wrong or silent


def by_trial(X: Sequence[Sequence[Cell]], y: Sequence[int], reach: int) -> str:
    """All whole weights up to `reach` are tried."""
    w = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(X[0]) + 1)))
    leads = w @ (np.column_stack([X, np.ones(len(X), int)]) * np.where(np.array(y) == 1, 1, -1)[:, np.newaxis]).T
    if (leads > 0).all(axis=1).any():
        return "strict"
    return "weak" if ((leads >= 0).all(axis=1) & (leads > 0).any(axis=1)).any() else "overlap"


@pytest.mark.parametrize(("d", "low", "high", "reach"), [(1, -3, 3, 6), (2, -1, 1, 4), (2, 0, 2, 12)])
def test_oracle_is_right_on_small_grids(d: int, low: int, high: int, reach: int) -> None:
    """By Cramer's rule one of the solutions of w.z_i >= 1 has weights that are, over their common denominator, minors
    of the z_i and a column of ones, and one of those of w.z_i >= 0, sum w.z_i = 1 minors of the z_i alone. With these
    few columns and small numbers none is larger than `reach`, so that trying all such w is a proof.
    """
    rng = np.random.default_rng(d)
    kinds: Counter[str] = Counter()
    for _ in range(150):
        n = int(rng.integers(2, 9))
        X = rng.integers(low, high + 1, (n, d)).tolist()
        w = rng.integers(-1, 2, d + 1)
        side = np.array(X) @ w[:d] + w[d]
        y = [0, 1, *np.where(side == 0, rng.integers(0, 2, n), side > 0).tolist()[2:]]
        kind = kind_of(signed_rows(X, y, bias=True))
        assert kind == by_trial(X, y, reach), f"{X}, {y}"
        kinds[kind] += 1
    assert min(kinds.values()) > 5
    assert len(kinds) == 3


def test_oracle_is_right_on_classes_on_a_line() -> None:
    """The largest of several lines is convex: every class has an interval, in the order of the slopes, and any will do.
    So the classes are separable exactly if the intervals that they span have no point in common."""
    rng = np.random.default_rng(3)
    found: Counter[bool] = Counter()
    for _ in range(150):
        n = int(rng.integers(3, 9))
        X, y = np.sort(rng.integers(-6, 7, n)), np.array([0, 1, 2, *rng.integers(0, 3, n - 3)])
        y = np.sort(y) if rng.random() < 0.7 else y
        ends = sorted((X[y == c].min(), X[y == c].max()) for c in range(3))
        disjoint = all(a[1] < b[0] for a, b in itertools.pairwise(ends))
        kind = kind_of(signed_rows(X[:, np.newaxis].tolist(), y.tolist(), bias=True))
        assert (kind == "strict") == disjoint, f"{X}, {y}"
        found[disjoint] += 1
    assert min(found[True], found[False]) > 20


def test_columns_of_zeros_change_no_verdict_however_many() -> None:
    """With thousands of columns no orthogonal basis of all of them is formed: it would not fit into memory."""
    rng = np.random.default_rng(5)
    kinds: Counter[str] = Counter()
    for _ in range(40):
        n, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
        X, y = rng.integers(-1, 2, (n, d)), [0, 1, *rng.integers(0, 2, n - 2).tolist()]
        wide = np.zeros((n, 4000))
        wide[:, rng.choice(4000, d, replace=False)] = X
        verdict = separability(wide, y)
        assert verdict.kind == kind_of(signed_rows(X.tolist(), y, bias=True))
        assert verdict.certificate is not None
        assert verdict.certificate.verify(wide, y)
        kinds[verdict.kind] += 1
    assert len(kinds) == 3
