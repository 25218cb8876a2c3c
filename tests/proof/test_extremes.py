"""Bounds on mistakes and errors for numbers at the limits of floats, and for degenerate tables.

Each call gives an answer that verifies or an error of this package. It gives no warning and no other exception.
"""

import contextlib
import math
from typing import Any

import numpy as np
import pytest

from rosenblatt import DataError, Hyperplane, error_bounds, mistake_bound
from tests.proof.test_separability import as_given
from tests.support.effort import by_day
from tests.support.separability_oracle import FAMILIES, make

SEEDS = range(by_day(8, 200))


@pytest.mark.parametrize("family", FAMILIES)
def test_mistake_bound_verifies_or_says_why_not(family: str) -> None:
    for seed in SEEDS:
        given = make(family, seed)
        X, bias = as_given(given), float(given.bias)
        with contextlib.suppress(DataError):
            found = mistake_bound(X, given.y, bias=bias)
            assert found.certificate.verify(X, given.y), f"make({family!r}, {seed})"
            assert found.explain()


@pytest.mark.parametrize("family", [family for family in FAMILIES if max(make(family, 0).y) == 1])
def test_bound_of_one_pass_verifies_or_says_why_not(family: str) -> None:
    for seed in SEEDS:
        given = make(family, seed)
        X, bias = as_given(given), float(given.bias)
        rng = np.random.default_rng(seed)
        plane = Hyperplane(rng.normal(size=len(given.X[0])), rng.normal() if bias else 0.0)
        with contextlib.suppress(DataError):
            found = mistake_bound(X, given.y, bias=bias, hyperplane=plane)
            assert found.certificate.verify(X, given.y), f"make({family!r}, {seed})"


@pytest.mark.parametrize("family", [family for family in FAMILIES if max(make(family, 0).y) == 1])
def test_error_bounds_verify(family: str) -> None:
    for seed in SEEDS:
        given = make(family, seed)
        X = as_given(given)
        found = error_bounds(X, given.y, through_origin=not given.bias, time_limit=5)
        assert 0 <= found.lower <= found.upper <= len(given.y)
        assert found.certificate.verify(X, given.y), f"make({family!r}, {seed})"
        assert found.explain()


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_freund_and_schapire_is_the_same_for_a_multiple_of_the_hyperplane(scale: float) -> None:
    X, y = [[1], [2], [3], [5]], [0, 1, 0, 1]
    one = mistake_bound(X, y, hyperplane=Hyperplane([2.0], -5.0))
    other = mistake_bound(X, y, hyperplane=Hyperplane([2.0 * scale], -5.0 * scale))
    assert other.bounds == pytest.approx(one.bounds, abs=1)
    assert other.certificate.verify(X, y)


@pytest.mark.parametrize("size", [1e-200, 1e-100, 1e100, 1e200])
@pytest.mark.parametrize("part", ["as_given", "rescaled", "centered", "one pass"])
def test_numbers_far_from_1(size: float, part: Any) -> None:
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]) * size, [1, 1, 0, 0]
    plane = Hyperplane([1.0]) if part == "one pass" else None
    rows: Any = "as_given" if part == "one pass" else part
    found = mistake_bound(X, y, bias=1.0 if part == "rescaled" else size, hyperplane=plane, rows=rows)
    assert 1 <= found.bounds[1] < math.inf


@pytest.mark.parametrize("bias", [1e-200, 1e200])
def test_a_bias_far_from_the_rows_has_a_bound_or_a_message(bias: float) -> None:
    for plane in (None, Hyperplane([1.0], -1.5)):
        try:
            found = mistake_bound([[1], [2], [3]], [0, 1, 1], bias=bias, hyperplane=plane)
        except DataError:
            continue
        assert found.certificate.verify([[1], [2], [3]], [0, 1, 1])
