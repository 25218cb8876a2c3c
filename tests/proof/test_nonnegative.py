"""Combinations with weights of at least 0, against non-negative least squares and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.finders import nonnegative
from rosenblatt.proof.finders.nonnegative import ConeBasis, are_positive, have_positive_weights
from tests.support.effort import by_day


@pytest.mark.parametrize("rank", [3, 5])
def test_the_cone_is_that_of_least_squares(rank: int) -> None:
    """Rows of full rank, and rows whose last columns are sums of the first ones."""
    rng = np.random.default_rng(rank)
    kinds, inverses = set(), 0
    for _ in range(by_day(60, 2000)):
        Z = rng.integers(-4, 5, (int(rng.integers(5, 14)), 5)).astype(float)
        Z[:, rank:] = Z[:, :1] + Z[:, 1:2]
        Z *= np.where(Z @ rng.standard_normal(5) < 0, -1.0, 1.0)[:, np.newaxis]
        if np.linalg.matrix_rank(Z) < rank:
            continue
        basis = ConeBasis(Z)
        for _ in range(10):
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
            if found.inverse is not None:
                np.testing.assert_allclose(found.inverse @ Z[found.rows].T, np.eye(5), atol=1e-9)
                inverses += 1
            if found.down is None:
                check_weights(Z, found.rows, c)
            else:
                assert found.down @ c < 0
                assert (Z @ found.down >= -1e-9).all()
    assert kinds == {True, False}
    assert (inverses > 0) == (rank == 5)


@pytest.mark.parametrize("changes", [0, 1, 7])
def test_the_inverse_is_computed_anew_after_some_changes(changes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often that is, the answers are the same."""
    rng = np.random.default_rng(changes)
    Z = np.abs(rng.standard_normal((60, 8)))
    inside = rng.random((15, 60)) ** 4 @ Z
    questions = np.vstack([inside, inside + 4 * rng.standard_normal((15, 8))]) / 32
    one = ConeBasis(Z)
    found = [one.answer(c) for c in questions]
    monkeypatch.setattr(nonnegative, "MAX_CHANGES", changes)
    other = ConeBasis(Z)
    for c, first in zip(questions, found, strict=True):
        second = other.answer(c)
        assert first is not None
        assert second is not None
        assert sorted(first.rows) == sorted(second.rows)
        assert (first.down is None) == (second.down is None)
    assert {answer.down is None for answer in found if answer} == {True, False}


def inverse_of(Z: np.ndarray) -> np.ndarray:
    """The inverse of the transposed rows in floats; not numbers if there is none."""
    try:
        return np.linalg.inv(Z.T)
    except np.linalg.LinAlgError:
        return np.full(Z.T.shape, np.nan)


def exact_weights(Z: np.ndarray, rows: list[int], c: np.ndarray) -> list[Fraction] | None:
    """The weights with which independent rows add up to c, by elimination in fractions; None if there are none."""
    table = [[Fraction(float(Z[t, j])) for t in rows] + [Fraction(float(c[j]))] for j in range(Z.shape[1])]
    for k in range(len(rows)):
        pivot = next((line for line in table[k:] if line[k]), None)
        if pivot is None:
            return None
        table.remove(pivot)
        table = [[x - line[k] / pivot[k] * y for x, y in zip(line, pivot, strict=True)] for line in table]
        table.insert(k, [x / pivot[k] for x in pivot])
    return None if any(line[-1] for line in table[len(rows) :]) else [line[-1] for line in table[: len(rows)]]


def check_weights(Z: np.ndarray, rows: list[int], c: np.ndarray) -> None:
    """The exact weights of these rows are positive, and whole numbers and floats say so."""
    weights = exact_weights(Z, rows, c)
    assert weights is not None
    assert all(weight > 0 for weight in weights)
    whole = Signed(read_table(Z), np.ones(len(Z), np.int8), 0.0).whole(range(len(Z)))
    assert have_positive_weights(whole, rows, {j: Fraction(x) for j, x in enumerate(c.tolist()) if x})


def test_rows_that_do_not_combine_have_no_positive_weights() -> None:
    whole = Signed(read_table([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]]), np.ones(4, np.int8), 0.0).whole(
        range(4)
    )
    one, other = Fraction(1), Fraction(-1)
    assert have_positive_weights(whole, [0, 1], {0: one, 1: Fraction(3)})
    assert not have_positive_weights(whole, [0, 1], {0: other, 1: one})
    assert not have_positive_weights(whole, [0, 1], {0: one})  # one of the weights is 0
    assert not have_positive_weights(whole, [2, 3], {0: one, 1: one})  # dependent
    assert have_positive_weights(whole, [2], {0: one, 1: one})
    assert not have_positive_weights(whole, [2], {0: one})
    assert not have_positive_weights(whole, [], {0: one})


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_weights_that_floats_call_positive_are(size: int) -> None:
    """Also where a weight is next to 0, or rows are next to dependent; and mostly floats can tell."""
    rng = np.random.default_rng(size)
    counts = {"told": 0, "positive": 0}
    for turn in range(by_day(80, 2000)):
        Z = rng.standard_normal((size, size)) * 2.0 ** rng.integers(-20, 20, size)
        weights = rng.random(size) * 10.0 ** rng.integers(-3, 4, size)
        if turn % 2:  # the vector is a rounded sum, so one of its weights may be on either side of 0
            weights[rng.integers(size)] = rng.choice([-1, 1]) * 10.0 ** -rng.integers(0, 18)
        if turn % 5 == 0 and size > 1:
            Z[0] = Z[1] + 1e-13 * Z[0]
        c = weights @ Z
        exact = exact_weights(Z, list(range(size)), c)
        is_positive = exact is not None and all(weight > 0 for weight in exact)
        told = are_positive(Z, inverse_of(Z), c, 0.0)
        assert is_positive or not told
        counts["told"] += told
        counts["positive"] += is_positive
    assert 0.6 * counts["positive"] < counts["told"] <= counts["positive"]


def test_floats_do_not_call_weights_positive_that_decimals_may_turn() -> None:
    """An error of the numbers moves a weight: then it must be farther from 0."""
    Z = np.array([[1.0, 0.0], [1.0, 1.0]])
    inverse = inverse_of(Z)
    assert are_positive(Z, inverse, np.array([1.0, 0.5]), 2.0**-53)
    c = np.array([1.0, 1.0 - 2.0**-40])
    assert are_positive(Z, inverse, c, 0.0)
    assert not are_positive(Z, inverse, c, 2.0**-40)
    assert not are_positive(Z, inverse, np.array([1.0, 1.0]), 0.0)
    tiny = np.array([[1e-310, 0.0], [0.0, 1.0]])
    assert not are_positive(tiny, np.diag([1e308, 1.0]), np.array([1e-310, 1.0]), 0.0)  # too small for the bounds


def test_a_wrong_inverse_proves_nothing() -> None:
    """Weights that a wrong inverse calls positive are not believed."""
    Z, c = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([0.0, 1.0])  # the weights are -1 and 1
    for wrong in (np.eye(2), np.ones((2, 2)), np.array([[1.0, 0.5], [0.0, 1.0]]), np.full((2, 2), np.nan)):
        assert not are_positive(Z, wrong, c, 0.0)
