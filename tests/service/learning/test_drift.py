"""The alarm: rarely without a change, soon after one."""

import numpy as np
import pytest

from rosenblatt.service.learning.drift import CHECK_EVERY, ChangeDetector
from tests.support.effort import by_day


def alarms(outcomes: np.ndarray, delta: float) -> list[int]:
    detector = ChangeDetector(delta)
    return [alarm.at for wrong in outcomes.tolist() if (alarm := detector.add(wrong)) is not None]


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.5])
def test_false_alarms_are_as_rare_as_stated(rate: float) -> None:
    """With delta = 0.01 a check, far fewer than 1 % of the checks raise an alarm; three standard errors are allowed."""
    rng, n, delta = np.random.default_rng(1), by_day(20_000, 400_000), 0.01
    found = len(alarms((rng.random(n) < rate).astype(int), delta))
    checks = n / CHECK_EVERY
    assert found <= delta * checks + 3 * (delta * checks) ** 0.5


@pytest.mark.parametrize(("before", "after"), [(0.1, 0.4), (0.4, 0.1), (0.02, 0.15)])
def test_a_change_is_found_soon(before: float, after: float) -> None:
    rng = np.random.default_rng(2)
    outcomes = np.concatenate([rng.random(3000) < before, rng.random(1000) < after]).astype(int)
    found = alarms(outcomes, 1e-4)
    assert [at for at in found if at <= 3000] == []
    assert 3000 < found[0] < 3500


def test_the_window_is_that_of_a_list() -> None:
    """The buckets hold the sum and the length of what was added, and the state survives a copy."""
    rng = np.random.default_rng(3)
    detector, outcomes = ChangeDetector(1e-9), (rng.random(1000) < 0.3).astype(int).tolist()
    for at, wrong in enumerate(outcomes, 1):
        detector.add(wrong)
        assert (detector.n, detector.wrong) == (at, sum(outcomes[:at]))
        assert sum(len(row) << k for k, row in enumerate(detector.rows)) == at
        assert max(map(len, detector.rows)) <= 5
    again = ChangeDetector.from_dict(detector.to_dict())
    for wrong in [1] * 300:
        assert detector.add(wrong) == again.add(wrong)
