"""Hyperplanes that contain some rows, exactly, and rows that are linearly independent."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import LOOP_SECONDS, OutOfTime, afford, can_afford, elimination_seconds, solve_seconds
from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import Signed, WholeRows, outside_span


def orthogonal(signed: Signed, w: Sequence[Fraction], basis: Sequence[int], deadline: float = math.inf) -> list[int]:
    """Change the weights of a few columns so that the hyperplane contains the basis.

    Raises
    ------
    OutOfTime
        The answer would come after the deadline.
    """
    if not len(basis):
        return whole(w)
    n = len(basis)
    afford(4 * LOOP_SECONDS * n * signed.width + elimination_seconds(n, signed.width), deadline)
    given, result = signed.whole(basis), list(w)
    pivots = _pivots(given)
    others = [k for k in range(len(given.columns)) if k not in set(pivots)]
    table = given.matrix.table()
    *inner, unit = whole([*(w[given.columns[k]] / given.units[k] for k in others), Fraction(1)])
    right = flint.fmpz_mat([[table[t][k] for k in others] for t in range(n)]) * flint.fmpz_mat(len(others), 1, inner)
    matrix = flint.fmpz_mat([[table[t][k] for k in pivots] for t in range(n)])
    if deadline < math.inf:
        bits = max(abs(int(number)).bit_length() for number in matrix.entries())
        longest = max(abs(int(number)).bit_length() for number in right.entries())
        afford(solve_seconds(n, bits, 1 + longest // (n * bits)), deadline)
    for k, change in zip(pivots, matrix.solve(right).entries(), strict=True):
        result[given.columns[k]] = -Fraction(int(change.p), int(change.q)) / unit * given.units[k]
    return whole(result)


def shortened(signed: Signed, inner: Signed, w: list[int], basis: Sequence[int], deadline: float) -> list[int]:
    """Round the weights to fewer digits, as long as all rows stay on their side and there is time."""
    longest = max(number.bit_length() for number in w)
    bits = 26
    while bits < longest and can_afford(0.0, deadline):
        cut = [max(0, number.bit_length() - bits) for number in w]
        short = [Fraction((number >> less) << less) for number, less in zip(w, cut, strict=True)]
        try:
            rounded = orthogonal(signed, short, basis, deadline)
        except OutOfTime:
            break
        if max(number.bit_length() for number in rounded) < longest and (inner.leads(rounded)[1] > 0).all():
            return rounded
        bits *= 2
    return w


def independent(signed: Signed, rows: Sequence[int]) -> list[int]:
    """The places of rows that are linearly independent: the first of each dependent set, up to bad luck with a prime.

    Rows that are independent modulo a prime are independent.
    """
    for count in (2 * signed.width, len(rows)):  # the first rows are mostly enough
        given = signed.whole(rows[:count])
        found = given._replace(matrix=given.matrix.transpose()).pivots()
        if len(found) == signed.width or count >= len(rows):
            break
    return found


def _pivots(given: WholeRows) -> list[int]:
    """Columns in which independent rows are independent, as many as there are rows."""
    pivots = given.pivots()
    if len(pivots) == given.matrix.nrows():
        return pivots
    reduced, _, rank = given.matrix.rref()  # the prime divides a minor
    return [next(k for k, number in enumerate(row) if number) for row in reduced.tolist()[:rank]]


def spanning_rows(signed: Signed, first: Sequence[int], among: NDArray[Any], deadline: float) -> list[int] | None:
    """Independent rows that span all rows: some of the first, and more of those among. None if these span too little.

    Raises
    ------
    OutOfTime
        The answer would come after the deadline.
    """
    chosen = list(first)
    while True:
        chosen = [chosen[t] for t in independent(signed, chosen)]
        outside = outside_span(signed, chosen, np.arange(signed.n), deadline)
        if not len(outside):
            return [int(i) for i in chosen]
        new = outside[np.isin(outside, among)]
        if not len(new):
            return None
        chosen += new[:: max(1, len(new) // (2 * signed.width))].tolist()
