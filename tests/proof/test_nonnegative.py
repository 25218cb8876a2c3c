"""Combinations with weights of at least 0, against non-negative least squares and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.finders.nonnegative import ConeBasis, positive_weights
from tests.support.effort import by_day


@pytest.mark.parametrize("rank", [3, 5])
def test_the_cone_is_that_of_least_squares(rank: int) -> None:
    """Rows of full rank, and rows whose last columns are sums of the first ones."""
    rng = np.random.default_rng(rank)
    kinds = set()
    for _ in range(by_day(60, 2000)):
        Z = rng.integers(-4, 5, (int(rng.integers(5, 14)), 5)).astype(float)
        Z[:, rank:] = Z[:, :1] + Z[:, 1:2]
        Z *= np.where(Z @ rng.standard_normal(5) < 0, -1.0, 1.0)[:, np.newaxis]
        if np.linalg.matrix_rank(Z) < rank:
            continue
        basis = ConeBasis(Z)
        for _ in range(3):
            c = rng.integers(-3, 4, len(Z)) @ Z if rng.random() < 0.5 else rng.integers(0, 4, len(Z)) @ Z
            size = float(np.abs(c).max())
            if not size:
                continue
            found = basis.answer(c / size)
            if found is None:  # too many steps: another search answers
                continue
            is_inside = bool(nnls(Z.T, c / size)[1] < 1e-9)
            kinds.add(is_inside)
            assert (found.down is None) == is_inside
            if found.down is None:
                check_weights(Z, found.rows, c)
            else:
                assert found.down @ c < 0
                assert (Z @ found.down >= -1e-9).all()
    assert kinds == {True, False}


def check_weights(Z: np.ndarray, rows: list[int], c: np.ndarray) -> None:
    """The exact weights of these rows are positive and add up to a positive multiple of c."""
    whole = Signed(read_table(Z), np.ones(len(Z), np.int8), 0.0).whole(range(len(Z)))
    weights = positive_weights(whole, rows, {j: Fraction(x) for j, x in enumerate(c.tolist()) if x})
    assert weights is not None
    assert all(weight > 0 for weight in weights)
    total = [sum(weight * int(Z[t, j]) for t, weight in zip(rows, weights, strict=True)) for j in range(len(c))]
    j = int(np.flatnonzero(c)[0])
    factor = Fraction(total[j], int(c[j]))
    assert factor > 0
    assert total == [factor * int(x) for x in c]


def test_rows_that_do_not_combine_have_no_weights() -> None:
    whole = Signed(read_table([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]]), np.ones(4, np.int8), 0.0).whole(
        range(4)
    )
    one, other = Fraction(1), Fraction(-1)
    assert positive_weights(whole, [0, 1], {0: one, 1: Fraction(3)}) == [1, 3]
    assert positive_weights(whole, [0, 1], {0: other, 1: one}) is None
    assert positive_weights(whole, [2, 3], {0: one, 1: one}) is None  # dependent
    assert positive_weights(whole, [2], {0: one, 1: one}) == [1]
    assert positive_weights(whole, [2], {0: one}) is None
    assert positive_weights(whole, [], {0: one}) is None
