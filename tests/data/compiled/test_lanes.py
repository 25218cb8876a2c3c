"""Sums in lanes: compiled = interpreted = the order that the module describes, to the last bit."""

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.compiled.jit import Rule
from rosenblatt.data.compiled.lanes import lane_sums

numbers = st.floats(-1e150, 1e150) | st.sampled_from([0.0, -0.0, 0.1, 1e16, -1e16, 5e-324, 1e-200])


def sums(x, w):  # type: ignore[no-untyped-def]
    return lane_sums(x, w)


RULE: Any = Rule(sums)


def in_words(x: list[float], w: list[float]) -> tuple[float, float]:
    """Term j belongs to lane j mod 8; then halves are added to halves."""
    found = []
    for terms in ([a * b for a, b in zip(x, w, strict=False)], [abs(a * b) for a, b in zip(x, w, strict=False)]):
        lanes = [0.0] * 8
        for j, term in enumerate(terms):
            lanes[j % 8] += term
        for width in (4, 2, 1):
            lanes = [lanes[k] + lanes[k + width] for k in range(width)]
        found.append(lanes[0])
    return found[0], found[1]


def bits(pair: Any) -> list[bytes]:
    return [struct.pack("<d", float(number)) for number in pair]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("longer", [0, 1, 9])
@given(st.lists(st.tuples(numbers, numbers), max_size=41))
def test_the_order_is_the_one_described(dtype: Any, longer: int, pairs: list[tuple[float, float]]) -> None:
    with np.errstate(over="ignore", under="ignore"):
        x = np.array([a for a, _ in pairs]).astype(dtype)
    w = np.array([b for _, b in pairs] + [1e300] * longer)
    expected = in_words(x.astype(np.float64).tolist(), w.tolist())
    if not np.isfinite(expected).all():
        return
    apart = np.repeat(w, 3)[::3]
    assert bits(RULE(x, w)) == bits(RULE.run_as_python(x, w)) == bits(RULE(x, apart)) == bits(expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(st.lists(st.floats(-(2.0**60), 2.0**60, width=32), max_size=41))
def test_squares_are_computed_in_double_precision(dtype: Any, given_: list[float]) -> None:
    x = np.array(given_, dtype=dtype)
    expected = in_words(x.astype(np.float64).tolist(), x.astype(np.float64).tolist())
    assert bits(RULE(x, x)) == bits(RULE.run_as_python(x, x)) == bits(expected)


def test_nothing_beyond_the_end_is_read() -> None:
    """Numbers that follow x and w in memory are not numbers; they must not reach the sum."""
    memory = np.full(64, np.nan)
    for n in range(20):
        memory[:n], memory[32 : 32 + n] = 2.0, 3.0
        assert bits(RULE(memory[:n], memory[32:])) == bits((6.0 * n, 6.0 * n))
        memory[:] = np.nan
