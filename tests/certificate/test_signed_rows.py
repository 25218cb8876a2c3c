"""Sides, lengths, sums and spans of signed rows equal those in fractions, for any floats."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.base.exact import whole
from rosenblatt.certificate import signed_rows as sides
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.kessler_rows import kessler
from rosenblatt.certificate.signed_rows import Signed, outside_span, sum_of

Vector = list[Fraction]
Rows = list[list[Any]]
any_float = st.floats(allow_nan=False, allow_infinity=False)
sign = st.sampled_from([-1.0, 1.0])
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "normal": st.floats(-3, 3),
    "decimal": st.integers(-30, 30).map(lambda a: a / 10),
    "integer": st.integers(-5, 5),
    "sparse": st.sampled_from([0.0, 0.0, 0.0, -0.0, 1.0, -1.0, 0.3]),
    "wild": st.builds(lambda s, a, p: s * a * 10.0**p, sign, st.floats(1, 9), st.integers(-300, 300)),
    "denormal": st.integers(-9, 9).map(lambda a: a * 5e-324) | st.sampled_from([1.0, 2.0**-1022, -1e-310]),
    "any": any_float,
    "long": st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 3, 2**53 + 3),
    "huge": st.integers(-(10**40), 10**40) | st.sampled_from([10**320, -(10**320), 2**1024, 0.1, 5e-324, 0]),
}
constants = st.sampled_from([0.0, 1.0, 1.0, -2.5, 0.1, 1e200, 1e-320])


class Case:
    """Signed rows, and their numbers in fractions."""

    def __init__(self, X: Rows, y: Sequence[int], constant: float, sparse: bool) -> None:
        self.X, self.y, self.constant, self.sparse = X, y, constant, sparse
        table = read_table(scipy.sparse.csr_array(np.array(X)) if sparse else X)
        self.signed = Signed(table, np.array(y, np.int8), constant)
        ends = [Fraction(constant)] if constant else []
        self.Z = [[s * a for a in [*map(Fraction, x), *ends]] for x, s in zip(X, y, strict=True)]
        self.width = len(X[0]) + len(ends)

    def __repr__(self) -> str:
        return f"Case({self.X}, {self.y}, {self.constant}, {self.sparse})"


@st.composite
def cases(draw: st.DrawFn, n: int = 12, d: int = 4, kinds: Sequence[str] = tuple(KINDS)) -> Case:
    kind, rows = draw(st.sampled_from(kinds)), draw(st.integers(1, n))
    width = draw(st.integers(1, d))
    X = [[draw(KINDS[kind]) for _ in range(width)] for _ in range(rows)]
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows))
    return Case(X, y, draw(constants), kind != "huge" and draw(st.booleans()))


@st.composite
def hyperplanes(draw: st.DrawFn, case: Case) -> list[int]:
    """Whole weights: small, large, of floats, or such that a row lies on the hyperplane, exactly or nearly."""
    how = draw(st.sampled_from(["small", "large", "floats", "through a row", "spread"]))
    if how == "small":
        return [draw(st.integers(-3, 3)) for _ in range(case.width)]
    if how == "large":
        return [draw(st.integers(-(2**80), 2**80)) for _ in range(case.width)]
    if how == "spread":
        return [draw(st.integers(-9, 9)) << draw(st.integers(0, 6000)) for _ in range(case.width)]
    w = [Fraction(draw(any_float if how == "floats" else KINDS["decimal"])) for _ in range(case.width)]
    z = draw(st.sampled_from(case.Z))
    if how == "through a row" and z[-1]:
        w[-1] = -dot(w[:-1], z[:-1]) / z[-1]
        w[-1] *= 1 + Fraction(draw(st.integers(-1, 1)), 2 ** draw(st.sampled_from([52, 60, 200])))
    return whole(w)


def dot(u: Sequence[Fraction | int], v: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(a) * b for a, b in zip(u, v, strict=True)), Fraction(0))


def signs_of(Z: Sequence[Vector], w: Sequence[int], less: Fraction) -> list[int]:
    leads = [dot(w, z) - less for z in Z]
    return [(lead > 0) - (lead < 0) for lead in leads]


def rank(vectors: Sequence[Sequence[Fraction]]) -> int:
    """The rank, by Gaussian elimination."""
    rows, found = [list(vector) for vector in vectors], 0
    for j in range(len(rows[0]) if rows else 0):
        at = next((i for i in range(found, len(rows)) if rows[i][j]), None)
        if at is None:
            continue
        rows[found], rows[at] = rows[at], rows[found]
        pivot = rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][j] / pivot[j]
            rows[i] = [a - factor * b for a, b in zip(rows[i], pivot, strict=True)]
        found += 1
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Sides


@given(cases(), st.data())
def test_signs_of_leads_are_exact(case: Case, data: st.DataObject) -> None:
    w = data.draw(hyperplanes(case))
    assert case.signed.leads(w)[1].tolist() == signs_of(case.Z, w, Fraction(0))


@given(cases(), st.data())
def test_signs_of_leads_less_a_level_are_exact(case: Case, data: st.DataObject) -> None:
    w = data.draw(hyperplanes(case))
    lead = dot(w, data.draw(st.sampled_from(case.Z)))
    levels = [lead, lead * (1 + Fraction(1, 2**70)), lead * Fraction(2**60 - 1, 2**60), Fraction(1, 3), -lead]
    less = data.draw(st.sampled_from(levels) | st.fractions() | any_float.map(Fraction))
    assert case.signed.leads(w, less)[1].tolist() == signs_of(case.Z, w, less)


@given(cases(), st.data())
def test_the_filter_in_floats_agrees_with_whole_numbers(case: Case, data: st.DataObject) -> None:
    w, less = data.draw(hyperplanes(case)), data.draw(st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(-3)]))
    fast = case.signed.leads(w, less)[1].tolist()
    lost = np.zeros(case.signed.n), np.full(case.signed.n, math.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Signed, "_estimates", lambda *_: lost)
        assert case.signed.leads(w, less)[1].tolist() == fast
        patch.setattr(sides, "EXACT", 0)  # not even whole numbers in floats
        assert case.signed.leads(w, less)[1].tolist() == fast


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_many_rows_on_a_hyperplane_at_the_limit_of_whole_floats(make: Any, constant: float) -> None:
    """No sign is certain in floats, and sums come close to 2^53 from both sides."""
    for top in (2**26, 2**51, 2**52, 2**53 - 1, 2**53, 2**60):
        X = np.array([[float(top), k] for k in (0.0, 1.0, -1.0)] * 10)
        w = [-1, top, top] if constant else [-1, top]
        signed = Signed(read_table(make(X)), np.ones(30, np.int8), constant)
        Z = [[*map(Fraction, x), *([Fraction(1)] if constant else [])] for x in X.tolist()]
        assert signed.leads(w)[1].tolist() == signs_of(Z, w, Fraction(0))


def test_a_row_that_cancels_by_hand() -> None:
    """As exact fractions the floats 0.1 + 0.2 are more than 0.3. A rounded sum may say otherwise."""
    signed = Signed(read_table([[0.1, 0.2, 0.3], [0.1, 0.2, 0.30000000000000004]]), np.ones(2, np.int8), 0.0)
    exact = [Fraction(0.1) + Fraction(0.2) - Fraction(c) for c in (0.3, 0.30000000000000004)]
    assert signed.leads([1, 1, -1])[1].tolist() == [int(math.copysign(1, a)) for a in exact] == [1, -1]


@given(cases(), st.data())
def test_single_leads_and_the_smallest_are_exact(case: Case, data: st.DataObject) -> None:
    w = data.draw(hyperplanes(case))
    leads = [dot(w, z) for z in case.Z]
    assert [case.signed.lead(i, w) for i in range(case.signed.n)] == leads
    assert case.signed.smallest_lead(w) == min(leads)


def test_the_smallest_lead_at_the_end_of_the_floats() -> None:
    signed = Signed(read_table([[0.0, 1.7976931348623115e308, 0.0], [0.0, 0.0, 0.0]]), -np.ones(2, np.int8), 0.0)
    assert signed.smallest_lead([0, 2, 1]) == -2 * Fraction(1.7976931348623115e308)


@given(cases())
@example(Case([[5e-324], [1e200]], [1, 1], 1e200, False))
def test_rows_and_lengths(case: Case) -> None:
    exact = [dot(z, z) for z in case.Z]
    signed = case.signed
    assert [[signed.row(i).get(j, 0) for j in range(signed.width)] for i in range(signed.n)] == case.Z
    assert [signed.square(i) for i in range(signed.n)] == exact
    squares, errors = signed.squares()
    assert np.isfinite(squares).all()
    for square, error, true in zip(squares.tolist(), errors.tolist(), exact, strict=True):
        assert math.isinf(error) or abs(Fraction(square) - true) <= Fraction(error)


@given(cases(), st.data())
def test_joined_rows(case: Case, data: st.DataObject) -> None:
    others = np.array(data.draw(st.lists(st.integers(0, len(case.Z) - 1), max_size=5)), np.int64)
    joined = case.signed.joined(case.signed.take(others))
    rows = [*case.Z, *(case.Z[i] for i in others)]
    assert [[joined.row(i).get(j, 0) for j in range(joined.width)] for i in range(joined.n)] == rows


def test_the_bounds_of_lengths_are_close() -> None:
    squares, errors = Signed(read_table([[3.0, 4.0]]), np.ones(1, np.int8), 0.0).squares()
    assert squares.tolist() == [25.0]
    assert errors[0] < 1e-12


# ---------------------------------------------------------------------------------------------------------------------
# Sums and spans


@given(cases(), st.data())
def test_sums_are_exact(case: Case, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, case.signed.n - 1)))
    weights = data.draw(st.lists(st.integers(), min_size=len(rows), max_size=len(rows)))
    expected = [dot(weights, [case.Z[i][j] for i in rows]) for j in range(case.width)]
    found = sum_of(case.signed, rows, weights)
    assert found == {j: total for j, total in enumerate(expected) if total}


@given(cases(), st.data())
def test_some_rows_as_whole_numbers(case: Case, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, case.signed.n - 1), min_size=1, max_size=4))
    found = case.signed.whole(rows)
    numbers = [[int(found.matrix[t, k]) for k in range(len(found.columns))] for t in range(len(rows))]
    assert found.columns == [j for j in range(case.width) if any(case.Z[i][j] for i in rows)]
    assert all(unit > 0 for unit in found.units)
    given_rows = [[case.Z[i][j] * u for j, u in zip(found.columns, found.units, strict=True)] for i in rows]
    assert numbers == given_rows
    w = data.draw(st.lists(st.integers(-5, 5), min_size=len(found.columns), max_size=len(found.columns)))
    weights = found.weights(w, case.width)
    leads = [dot(w, row) for row in numbers]
    assert whole(leads) == whole([dot(weights, case.Z[i]) for i in rows])


@given(cases(n=7, kinds=["integer", "sparse", "wild", "denormal", "long", "huge"]), st.data())
def test_what_is_outside_the_span_raises_the_rank(case: Case, data: st.DataObject) -> None:
    numbers = st.integers(0, case.signed.n - 1)
    rows = data.draw(st.lists(numbers, min_size=1, max_size=4))
    candidates = data.draw(st.lists(numbers, unique=True))
    span = [case.Z[i] for i in rows]
    expected = [i for i in candidates if rank([*span, case.Z[i]]) > rank(span)]
    assert outside_span(case.signed, rows, np.array(candidates, dtype=np.int64)).tolist() == expected


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_a_combination_is_in_the_span_and_one_unit_off_is_not(make: Any) -> None:
    a, b = np.array([0.1, 0.7, 0.0, 3.0]), np.array([0.5, -0.25, 0.0, 1.0])
    X = np.array([a, b, 4 * a, a * 0.5, -b, a, np.nextafter(a, 9), [0, 0, 5e-324, 0], [0, 0, 0, 0]])
    signed = Signed(read_table(make(X)), np.array([1, -1, 1, -1, 1, 1, 1, 1, 1], np.int8), 0.0)
    assert outside_span(signed, [0, 1], np.arange(9)).tolist() == [6, 7]
    assert outside_span(signed, [8], np.arange(9)).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert outside_span(signed, [0, 1], np.arange(0)).tolist() == []


# ---------------------------------------------------------------------------------------------------------------------
# More than two classes


@given(cases(n=5, d=3), st.integers(2, 4), st.data())
def test_long_rows_are_those_of_kessler(case: Case, k: int, data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, k - 1), min_size=len(case.X), max_size=len(case.X)))
    rows = [[*map(Fraction, x), *([Fraction(case.constant)] if case.constant else [])] for x in case.X]
    long = kessler(case.signed.table, np.array(codes), k, case.constant)
    found = {}
    for r, (i, other) in enumerate(zip(long.numbers.tolist(), long.against.tolist(), strict=True)):
        cells = long.signed.row(r)
        found[i, other] = [cells.get(j, Fraction(0)) for j in range(long.signed.width)]
    assert len(found) == long.signed.n == (k - 1) * len(rows)
    for (i, other), z in found.items():
        assert other != codes[i]
        assert z == [((c == codes[i]) - (c == other)) * a for c in range(k) for a in rows[i]]
    w = [data.draw(st.integers(-3, 3)) for _ in range(long.signed.width)]
    assert long.signed.leads(w)[1].tolist() == signs_of(list(found.values()), w, Fraction(0))


@pytest.mark.parametrize("constant", [0.0, 1.0, 0.75])
@pytest.mark.parametrize("powers", [(0, 1), (-40, 40), (-1060, 900)])
def test_signs_of_many_dense_rows_on_a_hyperplane(powers: tuple[int, int], constant: float) -> None:
    """A quarter of the rows is on the hyperplane, or at a level beside it."""
    rng = np.random.default_rng(0)
    X = np.ldexp(rng.integers(-5, 6, (40, 5)).astype(float), rng.integers(*powers, (40, 5)))
    X[:, 3] = 0.0
    w = [3, -2, 0, 7, 1, 5][: 5 + (constant != 0)]
    X[::4, 0], X[::4, 1], X[::4, 4] = 2.0, 3.0, 0.0  # 3 * 2 - 2 * 3 = 0
    y = np.where(np.arange(40) % 3, 1, -1).astype(np.int8)
    signed = Signed(read_table(X), y, constant)
    for less in (Fraction(0), Fraction(5) * Fraction(constant), Fraction(1, 3)):
        found = signed.leads(w, less)[1]
        for i in range(40):
            row = [*map(Fraction, X[i].tolist()), *[Fraction(constant)] * (constant != 0)]
            lead = int(y[i]) * sum((a * b for a, b in zip(row, w, strict=True)), Fraction(0)) - less
            assert found[i] == (lead > 0) - (lead < 0)


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
def test_rows_on_a_hyperplane_with_few_weights(make: Any) -> None:
    """x1 - x4 = 0 for the rows where the columns are equal, and x1 + 2 = 0 for the one row with -2."""
    X = np.random.default_rng(0).standard_normal((30, 6))
    X[::3, 3] = X[::3, 0]
    X[7, 0] = -2.0
    signed = Signed(read_table(make(X)), np.where(np.arange(30) % 2, 1, -1).astype(np.int8), 1.0)
    assert np.flatnonzero(signed.are_on([1, 0, 0, -1, 0, 0, 0])).tolist() == list(range(0, 30, 3))
    assert np.flatnonzero(signed.are_on([1, 0, 0, 0, 0, 0, 2])).tolist() == [7]
    assert not signed.are_on([0, 0, 0, 0, 0, 0, 2]).any()
