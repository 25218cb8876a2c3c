"""Near witnesses: the theorem by hand, the rounding bounds against fractions, and false ones refused."""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt import Certificate, separability
from rosenblatt.base.exact import text_of
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.format import Refuted
from rosenblatt.certificate.near_witness import (
    Relation,
    bounds,
    check_near_witness,
    is_zero,
    pseudoinverse,
    scaled_rows,
)
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.decide import decide, labelled
from tests.support.claims_oracle import number
from tests.support.effort import by_day
from tests.support.separability_oracle import kind_of, signed_rows

Matrix = list[list[Fraction]]


def signed(X: Any, y: Any, *, bias: bool = True) -> Signed:
    return view(read_table(X), np.array(y), (0, 1), 1.0 if bias else 0.0).signed


def accepted(X: Any, y: Any, weights: list[int], *relations: Relation, bias: bool = True, rows: Any = None) -> bool:
    """Does the checker accept weights of all rows, or of those that are given?"""
    rows = list(range(len(y))) if rows is None else rows
    try:
        check_near_witness(signed(X, y, bias=bias), rows, weights, relations, np.arange(len(y)))
    except Refuted:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# By hand


def test_two_rows_on_a_line_by_hand() -> None:
    """z = 1 and -1 through the origin. With weights a, b the exact ones are near if |a - b| is small."""
    X, y = [[1], [1]], [1, 0]
    assert accepted(X, y, [1, 1], bias=False)
    assert accepted(X, y, [2**40, 2**40 + 1], bias=False)
    assert accepted(X, y, [10, 11], bias=False)
    assert not accepted(X, y, [1, 1000], bias=False)  # they may exist, but not near these


def test_rows_of_one_side_are_never_accepted() -> None:
    for weights in ([1, 1], [1, 10**6], [2**52, 1]):
        assert not accepted([[1], [2]], [1, 1, 0][:2], weights, bias=False)
        assert not accepted([[1], [-2]], [1, 0], weights, bias=False)


def test_xor_spans_three_dimensions_and_two_equal_rows_do_not() -> None:
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    assert accepted(X, y, [1, 1, 1, 1])
    assert accepted(X, y, [1000, 1000, 1000, 1001])
    assert not accepted(X, y, [1, 1, 1, 2**20])
    assert not accepted([[0, 0], [0, 0], [5, 7], [5, 7]], [0, 1, 0, 1], [1, 1, 1, 1])  # rank 2 of 3


@pytest.mark.parametrize("power", [-1000, -300, 300, 900])
def test_powers_of_two_change_nothing(power: int) -> None:
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0.0]]), [0, 0, 1, 1]
    assert accepted(np.ldexp(X, [power, -power]), y, [1, 1, 1, 1])
    assert accepted(np.ldexp(X, [power, 0]), y, [2**70, 2**70, 2**70, 2**70])


def test_numbers_that_no_power_of_two_brings_together_are_refused() -> None:
    X = [[1e-300, 1.0], [-1e-300, 1.0], [1.0, -1.0], [1.0, -2.0]]
    with pytest.raises(Refuted, match="too far apart"):
        check_near_witness(signed(X, [0, 1, 0, 1]), [0, 1, 2, 3], [1, 1, 2**1000, 1], [], np.arange(4))


def test_what_it_is_not_for_is_refused_with_a_reason() -> None:
    with pytest.raises(Refuted, match="integers that no float holds"):
        check_near_witness(signed([[2**53 + 1], [1]], [0, 1]), [0, 1], [1, 1], [], np.arange(2))
    with pytest.raises(Refuted, match="more than 53 bits"):
        check_near_witness(signed([[1], [2], [1]], [0, 1, 1]), [0, 1, 2], [1, 2**53 + 1, 1], [], np.arange(3))
    with pytest.raises(Refuted, match="too few: 3 are needed"):
        check_near_witness(signed([[1], [1]], [0, 1]), [0, 1], [1, 1], [], np.arange(2))


def test_a_column_far_from_0() -> None:
    """1e15 + (0, 1, 1, 0) and 1e15 + (0, 1, 0, 1): XOR, which plain floats would take for one point."""
    X, y = 1e15 + np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    assert accepted(X, y, [1, 1, 1, 1])
    assert accepted(-X, y, [1, 1, 1, 1])
    assert not accepted(X, [0, 1, 1, 0], [1, 1, 1, 1])


# ---------------------------------------------------------------------------------------------------------------------
# Dependent columns


COPIES = [[0, 0, 0], [1, 1, 2], [0, 1, 0], [1, 0, 2]]  # the third column is twice the first
SAME = Relation([2, 0], [1, -2])


@pytest.mark.parametrize(
    ("relations", "why"),
    [
        ([], "too few: 5 are needed"),
        ([Relation([2, 0], [1, -1])], "column 2 is no such combination"),
        ([Relation([2, 0], [1, -2, 0])], "has 3 weights"),
        ([Relation([2, 0], [0, 0])], "weight of column 2 is 0"),
        ([Relation([], [])], "has no columns"),
        ([Relation([2], [1])], "column 2 is no such combination"),
        ([SAME, SAME], "same column"),
        ([SAME, Relation([0, 2], [2, -1])], "not compared with independent columns"),
        ([Relation([2, 0, 0], [1, -1, -1])], "each once"),
        ([Relation([2, 2], [1, -1])], "not compared with independent columns"),
        ([Relation([4, 0], [1, -2])], "only 4 columns"),
        ([Relation([-1, 0], [1, -2])], "only 4 columns"),
        ([Relation([2, -1], [1, -2])], "not compared with independent columns"),
        ([Relation([j], [1]) for j in range(4)], "no column is independent"),
    ],
)
def test_relations_that_are_false_or_useless_are_refused(relations: list[Relation], why: str) -> None:
    given = signed(COPIES, [0, 0, 1, 1])
    with pytest.raises(Refuted, match=why):
        check_near_witness(given, [0, 1, 2, 3], [1, 1, 1, 1], relations, np.arange(4))


def test_a_column_that_depends_on_another() -> None:
    y = [0, 0, 1, 1]
    for form in (COPIES, scipy.sparse.csr_array(np.array(COPIES, float))):
        assert accepted(form, y, [1, 1, 1, 1], SAME)
        assert accepted(form, y, [1, 1, 1, 1], Relation([0, 2], [-2, 1]))
    assert accepted([[*x, 0] for x in COPIES], y, [1, 1, 1, 1], SAME, Relation([3], [1]))


def test_a_relation_must_hold_on_the_rows_that_are_to_be_spanned() -> None:
    """On the last row the third column is not twice the first: the classes do not overlap there, and nowhere else."""
    X, y = [*COPIES, [0, 0, 5]], [0, 0, 1, 1, 1]
    assert kind_of(signed_rows(X, y, bias=True)) == "weak"
    given = signed(X, y)
    with pytest.raises(Refuted, match="column 2 is no such combination"):
        check_near_witness(given, [0, 1, 2, 3], [1, 1, 1, 1], [SAME], np.arange(5))
    check_near_witness(given, [0, 1, 2, 3], [1, 1, 1, 1], [SAME], np.arange(4))  # not strict, which is true


def test_sums_are_0_in_whole_numbers_only() -> None:
    A = np.array([[0.1, 0.2, 0.3]])
    assert 0.1 + 0.2 - 0.3 != 0  # and exactly, it is 2^-54 + 2^-55 or so
    assert not is_zero(A, [1, 1, -1])
    assert is_zero(np.array([[1e300, 1e-300, -1e300], [0, 0, 0]]), [1, 0, 1])
    assert not is_zero(np.array([[1e300, 1e-300, -1e300]]), [1, 1, 1])
    assert not is_zero(np.array([[2.0**53, 1.0, -(2.0**53)]]), [1, 1, 1])
    assert is_zero(np.array([[2.0**53, 1.0, -(2.0**53)]]), [2**60, 0, 2**60])


# ---------------------------------------------------------------------------------------------------------------------
# The bounds, against fractions


def exact(A: NDArray[Any]) -> Matrix:
    return [[Fraction(x) for x in row] for row in A.tolist()]


def product(A: Matrix, B: Matrix) -> Matrix:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*B, strict=True)]
        for row in A
    ]


@pytest.mark.parametrize("seed", range(by_day(15, 300)))
def test_the_bounds_are_not_below_the_exact_numbers(seed: int) -> None:
    """The exact q and |x| <= |P| (|r| + 2 q max|r|), in fractions, for good and for bad inverses."""
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(1, 5)), int(rng.integers(5, 9))
    T = rng.normal(size=(k, m)) * 10.0 ** rng.integers(-3, 1)
    t = rng.uniform(0.5, 1, m)
    P = pseudoinverse(T) * (1 + rng.choice([0.0, 1e-12, 0.1]) * rng.normal(size=(m, k)))
    found = bounds(T, t, P)
    TP, r = product(exact(T), exact(P)), [abs(x[0]) for x in product(exact(T), exact(t[:, np.newaxis]))]
    q = [sum(abs((i == j) - x) for j, x in enumerate(row)) for i, row in enumerate(TP)]
    x = max(sum(abs(p) * (r[j] + 2 * q[j] * max(r)) for j, p in enumerate(row)) for row in exact(P))
    assert found.inverse >= max(q)
    assert found.change >= x
    assert found.inverse <= float(max(q)) * (1 + 1e-9) + 1e-10 * float(np.abs(P).sum() * np.abs(T).sum())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_inverse_that_is_no_number_proves_nothing(bad: float) -> None:
    T, t = np.array([[1.0, -1.0]]), np.array([0.5, 0.5])
    found = bounds(T, t, np.array([[bad], [0.5]]))
    assert not (found.inverse <= 0.5 and found.change < 0.5)
    assert np.isnan(pseudoinverse(np.zeros((1, 2)))).all()


@pytest.mark.parametrize("seed", range(by_day(60, 3000)))
def test_no_weights_whatever_prove_what_is_false(seed: int) -> None:
    """Small tables with nearly dependent rows, and weights at random or from the null space, rounded to few bits."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (n, d)) * 1.0
    if rng.random() < 0.5:
        X = np.where(X, np.nextafter(X, rng.choice([-9, 9], (n, d))), 0.0)
    y = [0, 1, *rng.integers(0, 2, n - 2).tolist()]
    given = signed(X, y)
    weights = rng.integers(1, 4, n)
    T = scaled_rows(given, range(n), [1] * n, range(d + 1)).T
    null = np.abs(np.linalg.svd(T)[2][-1]) + 1e-9
    for tried in (weights.tolist(), [max(1, int(x)) for x in null / null.max() * 2.0 ** rng.integers(3, 50)]):
        if accepted(X, y, tried):
            assert kind_of(signed_rows(X.tolist(), y, bias=True)) == "overlap"


# ---------------------------------------------------------------------------------------------------------------------
# Certificates


@cache
def made(kind: str) -> tuple[Any, list[int], Certificate]:
    """Certificates with near witnesses: of 70 columns; with two copies of columns; of three classes."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(260, 70))
    y = rng.integers(0, 3 if kind == "three" else 2, 260).tolist()
    if kind == "copies":
        X = np.hstack([X, 2 * X[:, :1], X[:, 1:2] - X[:, 2:3] * 0])
    if kind == "three":
        X = X[:, :30]
    if kind == "three":  # asked about all classes at once; `separability` asks about pairs first, which decide it
        certificate = decide(labelled(X, y), range(3), 1.0, True, math.inf).verdict.certificate
    else:
        certificate = separability(X, y, detail=kind != "not_strict").certificate
    assert certificate is not None
    return X, y, certificate


def tampered(kind: str, **change: Any) -> Certificate:
    body = made(kind)[2].to_dict()
    body["near_witness"] |= change
    return Certificate({**body, "seal": seal_of(body)})


KINDS = ["overlap", "not_strict", "copies", "three"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_true_ones_verify(kind: str) -> None:
    X, y, certificate = made(kind)
    assert certificate.body["version"] == 2
    assert "witness" not in certificate.body
    assert ("relations" in certificate.body["near_witness"]) == (kind in ("copies", "three"))
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify(X, y)
    assert "with bounds on all rounding errors" in again.verify(X, y).why
    assert "positive weights near these with which they add up to exactly 0" in again.explain()
    assert not again.verify(X, y[::-1])
    assert not again.verify(np.nextafter(X, 9), y)


@pytest.mark.parametrize("kind", KINDS)
def test_false_ones_are_refused(kind: str) -> None:
    X, y, certificate = made(kind)
    part = certificate.body["near_witness"]
    rows, weights = part["rows"], part["weights"]

    def refused(why: str, **change: Any) -> None:
        found = tampered(kind, **change).verify(X, y)
        assert not found
        assert why in found.why, found.why

    big = text_of(number(max(weights, key=number)) << 40)
    refused("many-dimensional" if kind == "three" else "do not add up", weights=[big, *weights[1:]])
    refused("not positive", weights=[f"-{weights[0]}", *weights[1:]])
    refused("not positive", weights=["0x0", *weights[1:]])
    refused("more than 53 bits", weights=[text_of(2**60 + 1), *weights[1:]])
    refused("rows for", weights=weights[1:])
    refused("which class" if kind == "three" else "rows for", rows=rows[1:])
    refused("whole number", weights=[number(text) for text in weights])
    refused("whole number", rows=[float(i) for i in rows])
    refused("not one of those", rows=[*rows[:-1], 260])
    refused("do not add up to nearly 0", weights=weights[::-1])
    few = {"rows": rows[:60], "weights": weights[:60]}
    refused("too few", **few, **({"against": part["against"][:60]} if kind == "three" else {}))
    if kind != "three":
        refused("twice", rows=[rows[1], *rows[1:]])
        without = {"rows": rows[:75], "weights": weights[:75]}  # enough rows for the rank, but not for the sum
        refused("do not add up to nearly 0", **without)


@pytest.mark.parametrize("kind", ["copies", "three"])
def test_false_relations_are_refused(kind: str) -> None:
    X, y, certificate = made(kind)
    relations = certificate.body["near_witness"]["relations"]
    first = relations[0]
    changes = [
        [],
        relations[1:],
        [
            {**first, "weights": [*first["weights"][:-1], text_of(-number(first["weights"][-1]))]},
            *relations[1:],
        ],
        [{**first, "columns": first["columns"][::-1]}, *relations[1:], first],
        [{**first, "columns": [str(j) for j in first["columns"]]}, *relations[1:]],
        [{**first, "weights": first["weights"][:-1]}, *relations[1:]],
        [{**first, "note": 1}, *relations[1:]],
        [{"columns": first["columns"]}, *relations[1:]],
        {"0": first},
        None,
    ]
    for change in changes:
        assert not tampered(kind, relations=change).verify(X, y), change


def test_a_weight_that_is_a_little_off_is_refused_or_true() -> None:
    """With fewer and fewer bits of each weight, the residual becomes too large; overlap is true all the way."""
    X, y, certificate = made("overlap")
    weights = [number(text) for text in certificate.body["near_witness"]["weights"]]
    answers = []
    for bits in range(0, 54, 3):
        coarse = [
            text_of(max(1, weight >> weight.bit_length() - 53 + bits) << weight.bit_length() - 53 + bits)
            for weight in weights
        ]
        answers.append(bool(tampered("overlap", weights=coarse).verify(X, y)))
    assert answers[0]
    assert not answers[-1]
    assert answers == sorted(answers, reverse=True)


def test_it_proves_nothing_else() -> None:
    """Under another claim, another version, or beside a witness it is refused."""
    X, y, certificate = made("overlap")
    for change in (
        {"claim": "strict"},
        {"claim": "weak"},
        {"claim": "errors"},
        {"version": 1},
        {"witness": {"rows": [0], "weights": ["0x1"]}},
        {"hyperplane": ["0x1"] * 71},
    ):
        body = {**certificate.to_dict(), **change}
        assert not Certificate({**body, "seal": seal_of(body)}).verify(X, y), change
    body = {**certificate.to_dict(), "claim": "not_strict"}
    assert Certificate({**body, "seal": seal_of(body)}).verify(X, y)


def test_rows_that_span_too_little_prove_no_overlap() -> None:
    """69 of 71 columns are 0 on the rows of the witness; the others show it."""
    rng = np.random.default_rng(0)
    X, y, _ = made("overlap")
    X = X.copy()
    X[:200, 2:] = 0
    body = made("overlap")[2].to_dict()
    table = read_table(X)
    body["data"]["digest"] = table.digest(np.array(y))
    body["near_witness"] = {"rows": list(range(200)), "weights": [text_of(int(x)) for x in rng.integers(1, 99, 200)]}
    found = Certificate({**body, "seal": seal_of(body)}).verify(X, y)
    assert not found
    assert "many-dimensional" in found.why


# ---------------------------------------------------------------------------------------------------------------------
# Decimals


@pytest.mark.parametrize("seed", range(by_day(6, 300)))
def test_decimals_differ_from_the_scaled_floats_by_less_than_the_bound(seed: int) -> None:
    """With equal weights, T has the floats times one power of two a column, minus the first row where all are near."""
    rng = np.random.default_rng(seed)
    near = rng.integers(5001, 9999, (6, 2)) / 1000  # of one size: the first is subtracted
    far = rng.integers(-999, 999, (6, 2)) / 10.0 ** rng.integers(1, 12, 2)
    X = np.hstack([near, far])
    rows = Signed(read_table(X).in_decimals(), np.array([1, -1, 1, -1, 1, -1], np.int8))
    T, _, _, D = scaled_rows(rows, range(6), [1] * 6, range(5))
    starts = [*X[0, :2].tolist(), 0.0, 0.0]
    for j, start in enumerate(starts):
        differences = X[:, j] - start
        i = int(np.argmax(np.abs(differences)))
        unit = Fraction(T[j, i]) / (int(rows.y[i]) * Fraction(differences[i]))
        for i in range(6):
            exact = int(rows.y[i]) * (Fraction(repr(float(X[i, j]))) - Fraction(start)) * unit
            assert abs(exact - Fraction(T[j, i])) <= Fraction(np.asarray(D)[j, i]) < Fraction(1, 10**11)


def test_bounds_with_decimals_are_wider() -> None:
    T, t = np.array([[1.0, -1.0, 0.5], [0.25, 1.0, -1.0]]), np.full(3, 0.5)
    P = pseudoinverse(T)
    exact, wide = bounds(T, t, P), bounds(T, t, P, np.full(T.shape, 1e-3))
    assert wide.inverse - exact.inverse == pytest.approx(1e-3 * np.abs(P).sum(), rel=1e-9)
    assert wide.change > exact.change


def test_a_decimal_that_is_too_small_is_refused() -> None:
    X, y = np.array([[0.0], [1e-310], [0.0], [1e-310]]), [1, 1, 0, 0]
    assert accepted(X, y, [1, 1, 1, 1])
    table = read_table(X).in_decimals()
    with pytest.raises(Refuted, match="too small"):
        check_near_witness(view(table, np.array(y), (0, 1), 1.0).signed, [0, 1, 2, 3], [1] * 4, [], np.arange(4))


def test_a_relation_of_decimals() -> None:
    A = np.array([[0.1, 0.2, 0.3], [0.7, 0.1, 0.8], [1e20, 0.1, 1.0]])
    assert is_zero(A[:2], [1, 1, -1], decimal=True)
    assert not is_zero(A[:2], [1, 1, -1])
    assert not is_zero(A, [1, 1, -1], decimal=True)
