"""Tests of proportions: their intervals by quantiles of beta distributions, and their coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from rosenblatt.report.proportion import Proportion

SHARES = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("n", [1, 2, 5, 30, 200, 10_000])
def test_the_ends_are_quantiles_of_beta_distributions(n: int) -> None:
    for right in {0, 1, n // 3, n // 2, n - 1, n}:
        share = Proportion.of(right, n)
        low = beta.ppf(0.025, right, n - right + 1) if right else 0.0
        high = beta.ppf(0.975, right + 1, n - right) if right < n else 1.0
        assert (share.low, share.high) == pytest.approx((low, high), rel=1e-6, abs=1e-12)
        assert (share.right, share.n, share.value) == (right, n, right / n)


@pytest.mark.parametrize("n", [1, 7, 30, 100])
def test_none_and_all_by_hand(n: int) -> None:
    none, every = Proportion.of(0, n), Proportion.of(n, n)
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - 0.025 ** (1 / n))
    assert every.low == pytest.approx(0.025 ** (1 / n))


@pytest.mark.parametrize("n", [1, 2, 5, 20, 60])
def test_the_interval_holds_the_truth_at_least_as_often_as_it_says(n: int) -> None:
    shares = [Proportion.of(right, n) for right in range(n + 1)]
    low, high = (np.array([share[end] for share in shares]) for end in (2, 3))
    for truth in np.linspace(0, 1, 201):
        held = (low <= truth) & (truth <= high)
        assert binom.pmf(np.arange(n + 1), n, truth)[held].sum() >= 0.95 - 1e-12


@given(SHARES)
def test_the_interval_is_around_the_share_and_turns_with_it(given_: tuple[int, int]) -> None:
    right, n = given_
    share, wrong = Proportion.of(right, n), Proportion.of(n - right, n)
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert (share.low, share.high) == pytest.approx((1 - wrong.high, 1 - wrong.low), abs=1e-9)


@given(SHARES)
def test_ten_times_as_many_rows_tell_more(given_: tuple[int, int]) -> None:
    right, n = given_
    few, many = Proportion.of(right, n), Proportion.of(10 * right, 10 * n)
    assert many.high - many.low < few.high - few.low


def test_words() -> None:
    assert str(Proportion.of(0, 1)) == "0.0 % (0.0 to 97.5)"
    assert str(Proportion.of(1, 2)) == "50.0 % (1.3 to 98.7)"
