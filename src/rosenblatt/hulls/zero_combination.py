"""Proof that hulls meet: positive weights of a few rows whose signed sum is exactly zero."""

from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import scipy.linalg

from rosenblatt.data.validation import Floats


def zero_combination(Z: Floats, near: Floats) -> list[Fraction] | None:
    """Weights of at least 0, their sum 1, with which the rows of Z add up to exactly 0; None if none are found.

    Floats are taken as the fractions they are. Rows that a nearest-point search ends with are affinely independent:
    then there is at most one combination, and it is found if it exists.

    Parameters
    ----------
    Z : k x m, at least one row
    near : what the weights are, up to rounding
    """
    k, largest = len(Z), int(np.argmax(near))
    others = [i for i in range(k) if i != largest]
    columns = [_integers(column) for column in Z.T.tolist()]
    # Of the m equations choose k - 1 that determine the weights of the others, by floats; all are checked below.
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


def _integers(column: Sequence[float]) -> list[int]:
    """The same numbers in units of a power of two that makes them all whole."""
    ratios = [number.as_integer_ratio() for number in column]
    unit = max(denominator for _, denominator in ratios)
    return [numerator * (unit // denominator) for numerator, denominator in ratios]
