"""Deadlines on the monotonic clock, and how long exact arithmetic takes.

A call into flint cannot be interrupted. So its time is estimated first, and a call that would end after the deadline is
not begun.
"""

import time
from typing import Any

import numpy as np

LOOP_SECONDS = 5e-7  # to handle one number in Python
MODULAR_SECONDS = 1.5e-9  # for one step of an elimination modulo a prime


class OutOfTime(Exception):  # noqa: N818  (it is no error: the time limit was reached)
    """The user's time limit was reached, or would be reached by the next step."""


def afford(seconds: float, deadline: float) -> None:
    """Raise OutOfTime unless work of so many seconds, which may be 0, can end before the deadline."""
    if not can_afford(seconds, deadline):
        raise OutOfTime


def can_afford(seconds: float, deadline: float) -> bool:
    """Can work of so many seconds end before the deadline?"""
    return time.monotonic() + seconds <= deadline


def solve_seconds(n: int, bits: int, right_sides: int = 1) -> float:
    """The time that an exact solution of n equations with numbers of so many bits takes, about.

    Measured with python-flint 0.8 for n from 25 to 300 and 4 to 400 bits; the estimate is seldom too low. The digits of
    the solution grow with n * bits, and so does the time for one of them.
    """
    digits = n**3 * (bits + 20) * (2e-9 + 6e-14 * n * bits)
    return digits * max(1, right_sides) + 1e-4


def elimination_seconds(rows: int, columns: int) -> float:
    """The time to find the rank of a matrix modulo a prime, about."""
    return MODULAR_SECONDS * rows * columns * min(rows, columns) + LOOP_SECONDS * rows * columns


def bits_of(numbers: Any) -> int:
    """The bits that whole numbers need if each column of these floats is multiplied by a power of two."""
    if not np.size(numbers):
        return 1
    mantissas, tops = np.frexp(numbers)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    ends = tops - 54 + np.frexp((whole & -whole).astype(np.float64))[1]  # the places of the last bits that are not 0
    tops, ends = np.where(whole != 0, tops, -9999), np.where(whole != 0, ends, 9999)
    return max(1, int((tops.max(axis=0) - ends.min(axis=0)).max()))
