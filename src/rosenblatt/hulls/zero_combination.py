"""Proof that hulls meet: positive weights of a few rows whose signed sum is exactly zero."""

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import scipy.linalg

from rosenblatt.base.deadline import LOOP_SECONDS, OutOfTime, afford, bits_of, solve_seconds
from rosenblatt.data.validation import Floats
from rosenblatt.hulls.hull_state import Combination
from rosenblatt.rules.hull import Hull


def zero_combination(Z: Floats, near: Floats, deadline: float = math.inf) -> list[Fraction] | None:
    """Find weights w_i >= 0 with sum 1 for which the rows of Z add up to exactly 0. Return None if there are none.

    A float counts as the exact fraction that it is. The rows at the end of a nearest-point search are affinely
    independent. Then there is at most one such combination, and it is found if it exists.

    Parameters
    ----------
    Z : k x m, at least one row
    near : the weights, up to rounding
    deadline : on the monotonic clock

    Raises
    ------
    OutOfTime
        The search would end after the deadline.
    """
    afford(4 * LOOP_SECONDS * Z.size + solve_seconds(len(Z), bits_of(Z)), deadline)
    k, largest = len(Z), int(np.argmax(near))
    others = [i for i in range(k) if i != largest]
    columns = [_integers(column) for column in Z.T.tolist()]
    # Floats choose k - 1 of the m equations, which determine the weights. All m equations are checked below.
    scaled = Z / np.maximum(np.abs(Z).max(axis=0), np.finfo(float).tiny)
    chosen = scipy.linalg.qr(scaled[others], mode="r", pivoting=True)[1][: k - 1].tolist() if others else []
    if len(chosen) < k - 1:
        return None
    weights = [flint.fmpq(1)] * k
    if others:
        system = flint.fmpz_mat([[columns[j][i] for i in others] for j in chosen])
        right = flint.fmpz_mat([[-columns[j][largest]] for j in chosen])
        try:
            solution = system.solve(right)
        except ZeroDivisionError:
            return None
        for place, i in enumerate(others):
            weights[i] = solution[place, 0]
    if any(weight < 0 for weight in weights):
        return None
    unit = flint.fmpz(1)
    for weight in weights:
        unit = unit.lcm(weight.q)
    whole = [int((weight * unit).p) for weight in weights]
    if any(sum(a * b for a, b in zip(column, whole, strict=True)) for column in columns):
        return None
    total = sum(whole)
    return [Fraction(number, total) for number in whole]


class OverlapProof:
    """Attempts to prove that the rows of a combination add up to 0 with positive weights.

    Attributes
    ----------
    weights : the proof: row -> weight; empty until one is found
    """

    def __init__(self, combination: Combination, deadline: float = math.inf) -> None:
        self.weights: dict[int, Fraction] = {}
        self._combination, self._deadline = combination, deadline
        self._next_try = 64  # lines of the history, without a factor
        self._last_rows = [-1]

    def candidate(self, lines: int, upper: float, *, stuck: bool) -> Hull | None:
        """The combination that may be exactly 0, or None if nothing suggests that the hulls meet.

        Parameters
        ----------
        lines : the number of states so far
        upper : the upper bound of |w*|
        stuck : do steps no longer help?  Then there is always a candidate.
        """
        combination = self._combination
        due = not combination.has_factor and lines >= self._next_try
        if not (stuck or due or upper <= combination.negligible):
            return None
        hull = combination.hull
        if not combination.has_factor:
            self._next_try = 2 * lines
            hull = combination.nearest_of_active(self._deadline)
        if not stuck and math.sqrt(float(hull.w @ hull.w)) > combination.negligible:
            return None
        return hull

    def prove(self, hull: Hull) -> bool:
        """Make a candidate exact. If that succeeds, it becomes the combination; rows of weight 0 are dropped.

        The same rows are tried only once.
        """
        points = self._combination.points
        chosen, weights = hull.points[: hull.size[0]], hull.weights[: hull.size[0]]
        last_rows, self._last_rows = self._last_rows, sorted(chosen.tolist())
        if last_rows == self._last_rows:
            return False
        try:
            exact = zero_combination(self._combination.signed_rows(chosen), weights, self._deadline)
        except OutOfTime:
            return False
        if exact is None:
            return False
        positive = [t for t, share in enumerate(exact) if share]
        self.weights = {int(points.numbers[chosen[t]]): exact[t] for t in positive}
        hull.points[: len(positive)] = chosen[positive]
        hull.weights[: len(positive)] = [float(exact[t]) * (1 + points.two) for t in positive]
        hull.size[0] = len(positive)
        self._combination.hull = hull
        return True


def _integers(column: Sequence[float]) -> list[int]:
    """Scale floats by one power of two, so that all are whole."""
    ratios = [number.as_integer_ratio() for number in column]
    unit = max(denominator for _, denominator in ratios)
    return [numerator * (unit // denominator) for numerator, denominator in ratios]
