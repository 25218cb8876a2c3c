"""Deadlines: whether work is affordable, and estimates of exact arithmetic."""

import math

import numpy as np
import pytest

from rosenblatt.base.deadline import OutOfTime, afford, bits_of, can_afford, elimination_seconds, solve_seconds


def test_work_is_affordable_up_to_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    afford(5.0, 105.0)
    afford(1e9, math.inf)
    assert can_afford(0.0, 100.0)
    assert not can_afford(5.1, 105.0)
    with pytest.raises(OutOfTime):
        afford(5.1, 105.0)


def test_estimates_grow_with_the_work() -> None:
    for more in ((200, 53, 1), (100, 110, 1), (100, 53, 2)):
        assert solve_seconds(*more) > solve_seconds(100, 53, 1) > 0
    assert elimination_seconds(200, 100) > elimination_seconds(100, 100) > 0


@pytest.mark.parametrize(
    ("numbers", "bits"),
    [
        ([[1.0], [3.0]], 2),
        ([[0.5], [4.0]], 4),  # 1 and 8 in units of 1/2
        ([[1.0, 1024.0], [1.0, 1.0]], 11),  # the second column has 1024 and 1
        ([[0.0], [0.0]], 1),
        ([[5e-324], [1.0]], 1075),
        ([[0.1], [0.0]], 52),  # the last of the 53 bits of 0.1 is 0
    ],
)
def test_bits_of_whole_numbers(numbers: list[list[float]], bits: int) -> None:
    assert bits_of(np.array(numbers)) == bits
