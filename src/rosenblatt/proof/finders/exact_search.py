"""Wolfe's nearest-point algorithm in whole numbers. It always ends, with a hyperplane or with rows that combine to 0.

x is a convex combination of a few rows, the corral. A row with x.z <= 0 joins the corral. Then x moves to the point of
the affine hull of the corral that is nearest to 0, and rows whose weights would become negative on the way leave. |x|
falls with every step, so no corral occurs twice. Nothing is rounded. Floats only choose the row that joins.

Combinations of the rows `fixed` may be added to x, so x stays orthogonal to them.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import LOOP_SECONDS, afford, elimination_seconds, solve_seconds
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import Signed

Number = Any  # flint's fraction


class ZeroCombination(NamedTuple):
    """Rows with positive weights that, with a combination of the fixed rows, add up to 0."""

    rows: list[int]
    weights: list[Fraction]
    coefficients: list[Fraction]


def exact_search(
    signed: Signed,
    rows: NDArray[Any],
    start: Mapping[int, float],
    fixed: Sequence[int],
    deadline: float,
) -> list[int] | ZeroCombination:
    """Find a hyperplane with positive leads on `rows` that contains the fixed rows, or a proof that there is none.

    Parameters
    ----------
    signed : all rows
    rows : the rows to separate; none is in the span of the fixed rows
    start : a guess at the corral (at least one of `rows`) and its weights
    fixed : linearly independent rows
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed, or the next step would pass it.
    """
    metric = Metric(signed, fixed, deadline)
    corral, weights = list(start), [_shares(start)[i] for i in start]
    if not metric.independent(corral):
        corral, weights = corral[:1], [flint.fmpq(1)]
    waiting = [i for i in start if i not in corral]
    inner = signed.take(rows)
    rounds = 0
    while True:
        rounds += 1
        report_progress("verdict", rounds, None, "round {:,}, {:,} active rows", rounds, len(corral))
        nearest = metric.nearest(corral)
        while min(nearest.weights) < 0:
            corral, weights = leave(corral, weights, nearest.weights)
            nearest = metric.nearest(corral)
        positive = [t for t, weight in enumerate(nearest.weights) if weight > 0]
        corral, weights = [corral[t] for t in positive], [nearest.weights[t] for t in positive]
        if not any(nearest.x):
            coefficients = [_fraction(c) for c in nearest.coefficients]
            return ZeroCombination(corral, [_fraction(u) for u in weights], coefficients)
        w = metric.hyperplane(nearest.x)
        joins = next((i for i in waiting if i not in corral and signed.lead(i, w) <= 0), None)
        if joins is None:
            leads, signs = inner.leads(w)
            if (signs > 0).all():
                return w
            joins = int(rows[np.argmin(np.where(signs <= 0, leads, np.inf))])
        waiting = [i for i in waiting if i != joins]
        corral, weights = [*corral, joins], [*weights, flint.fmpq(0)]
        afford(0.0, deadline)


def leave(corral: list[int], weights: list[Number], nearest: list[Number]) -> tuple[list[int], list[Number]]:
    """Move the weights towards the nearest point until the first becomes 0. Rows with weight 0 leave the corral."""
    share = min(old / (old - new) for old, new in zip(weights, nearest, strict=True) if new < 0)
    moved = [old + share * (new - old) for old, new in zip(weights, nearest, strict=True)]
    stay = [t for t, weight in enumerate(moved) if weight > 0]
    return [corral[t] for t in stay], [moved[t] for t in stay]


class NearestPoint(NamedTuple):
    """The point of an affine hull that is nearest to 0."""

    weights: list[Number]
    coefficients: list[Number]
    x: list[Any]  # a positive multiple of the point, in whole numbers


class Metric:
    """Exact lengths and nearest points, after powers of two have brought the columns to one size.

    Each method raises OutOfTime if its answer would come after the deadline.
    """

    def __init__(self, signed: Signed, fixed: Sequence[int], deadline: float = math.inf) -> None:
        self.signed, self.fixed, self.deadline = signed, list(fixed), deadline
        self._powers = signed.table.powers() + [0] * bool(signed.constant)
        self._rows: dict[int, dict[int, Fraction]] = {}

    def _row(self, i: int) -> dict[int, Fraction]:
        if i not in self._rows:
            z = self.signed.row(i)
            self._rows[i] = {j: number / Fraction(2) ** self._powers[j] for j, number in z.items()}
        return self._rows[i]

    def _whole(self, corral: Sequence[int]) -> tuple[list[int], Any, Any]:
        """The columns; corral and fixed rows in whole numbers; 1 for each row of the corral, 0 for each fixed row."""
        afford(6 * LOOP_SECONDS * (len(corral) + len(self.fixed)) * self.signed.width, self.deadline)
        rows = [self._row(i) for i in [*corral, *self.fixed]]
        columns, zero = sorted(set().union(*rows)), Fraction(0)
        entries = whole([z.get(j, zero) for z in rows for j in columns])
        ones = [1] * len(corral) + [0] * len(self.fixed)
        return columns, flint.fmpz_mat(len(rows), len(columns), entries), flint.fmpz_mat(len(rows), 1, ones)

    def independent(self, corral: Sequence[int]) -> bool:
        """Is no row of the corral in the affine hull of the others, plus the span of the fixed rows?"""
        _, A, ones = self._whole(corral)
        m = A.nrows()
        afford(2 * elimination_seconds(m, A.ncols() + 1), self.deadline)
        return bool(flint.fmpz_mat([[*A.table()[t], ones[t, 0]] for t in range(m)]).rank() == m)

    def nearest(self, corral: Sequence[int]) -> NearestPoint:
        """The point nearest to 0 in the affine hull of the corral, plus the span of the fixed rows."""
        columns, A, ones = self._whole(corral)
        if self.deadline < math.inf:
            bits = max((abs(int(number)).bit_length() for number in A.entries()), default=1)
            inner = 2 * bits + A.ncols().bit_length()
            afford(LOOP_SECONDS * A.nrows() * A.ncols() + solve_seconds(A.nrows(), inner), self.deadline)
        try:
            v = (A * A.transpose()).solve(ones).entries()
        except ZeroDivisionError:
            null, _ = A.transpose().nullspace()
            v = [flint.fmpq(null[t, 0]) for t in range(A.nrows())]
        total = sum(v[: len(corral)], start=flint.fmpq(0))
        shares = [number / total for number in v]
        unit = flint.fmpz(1)
        for share in shares:
            unit = unit.lcm(share.q)
        multiples = flint.fmpz_mat(1, A.nrows(), [(share * unit).p for share in shares])
        found = dict(zip(columns, (multiples * A).entries(), strict=True))
        x = [int(found.get(j, 0)) for j in range(self.signed.width)]
        return NearestPoint(shares[: len(corral)], shares[len(corral) :], x)

    def hyperplane(self, x: Sequence[int]) -> list[int]:
        """The hyperplane for the columns as given, with leads x.z in this metric."""
        least = min(-power for power in self._powers)
        return whole([number << (-power - least) for number, power in zip(x, self._powers, strict=True)])


def _shares(start: Mapping[int, float]) -> dict[int, Number]:
    """The weights as fractions, made positive, with sum 1."""
    numbers = whole(max(weight, 2.0**-60) for weight in start.values())
    return {i: flint.fmpq(number, sum(numbers)) for i, number in zip(start, numbers, strict=True)}


def _fraction(number: Number) -> Fraction:
    return Fraction(int(number.p), int(number.q))
