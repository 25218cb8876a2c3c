"""Tests of the interval of a paired difference: closed forms, the test that it inverts, and its coverage."""

import math

import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2, multinomial, norm

from rosenblatt.report.paired_difference import PairedDifference, points

Z = float(norm.ppf(0.975))


def chi_square(difference: float, gained: int, lost: int, n: int) -> float:
    """The score test of a difference; the nuisance parameter by maximum likelihood, found by a search."""

    def unlikely(share: float) -> float:
        parts = (share + difference, gained), (share, lost), (1 - 2 * share - difference, n - gained - lost)
        return -sum(count * math.log(max(part, 1e-300)) for part, count in parts if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    share = minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
    return float((gained - lost - n * difference) ** 2 / (n * (2 * share + difference - difference**2)))


@pytest.mark.parametrize(("gained", "lost", "n"), [(30, 20, 1000), (3, 1, 50), (1, 7, 40), (12, 12, 60), (5, 0, 30)])
def test_the_ends_are_where_the_test_rejects(gained: int, lost: int, n: int) -> None:
    found = PairedDifference.of(gained, lost, n)
    assert found.value == (gained - lost) / n
    assert found.low < found.value < found.high
    for end in (found.low, found.high):
        assert chi_square(end, gained, lost, n) == pytest.approx(chi2.ppf(0.95, 1), rel=1e-4)


@pytest.mark.parametrize("n", [1, 10, 800])
def test_predictions_that_agree(n: int) -> None:
    """With no row to tell the two apart, n d / (1 - d) = z^2 at the upper end."""
    found = PairedDifference.of(0, 0, n)
    assert found.value == 0.0
    assert found.low == pytest.approx(-found.high)
    assert found.high == pytest.approx(Z**2 / (n + Z**2))


def test_all_rows_tell_the_two_apart() -> None:
    """The difference is then 2 p - 1 for a proportion p, and the interval that of Wilson."""
    n, p = 40, 0.7
    centre, half = p + Z**2 / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n * n))
    low, high = ((centre + sign * half) / (1 + Z**2 / n) for sign in (-1, 1))
    found = PairedDifference.of(28, 12, n)
    assert found.low == pytest.approx(2 * low - 1)
    assert found.high == pytest.approx(2 * high - 1)
    assert PairedDifference.of(10, 0, 10).high == 1.0
    assert PairedDifference.of(0, 10, 10).low == -1.0


@pytest.mark.parametrize("shares", [(0.1, 0.05), (0.3, 0.1)])
def test_coverage(shares: tuple[float, float]) -> None:
    """The probability that the interval of 30 rows has the true difference, summed over all possible counts."""
    n, covered = 30, 0.0
    for gained in range(n + 1):
        for lost in range(n + 1 - gained):
            chance = multinomial.pmf([gained, lost, n - gained - lost], n, [*shares, 1 - sum(shares)])
            if chance > 1e-6:
                found = PairedDifference.of(gained, lost, n)
                covered += chance * (found.low <= shares[0] - shares[1] <= found.high)
    assert 0.93 < covered < 0.98


def test_words() -> None:
    assert points(-0.00001) == "0.0 points"
    assert str(PairedDifference(-0.02, -0.05, 0.0)) == "-2.0 points (-5.0 to +0.0)"
