"""How much work the tests do by day (`make test`) and at night (`make nightly`).

Tests that try many cases take their number from here: examples of property tests, repetitions, grids of parameters.
By day no test is left out, and each value of each parameter is tried; only the number of cases is smaller.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
EXAMPLES = {"default": 12, "nightly": 3000}  # of a property test
FEWEST = 2  # examples of a property test that asks for a small share


def by_day(day: T, night: T) -> T:
    """The first by day, the second at night."""
    return night if NIGHTLY else day


def examples(share: float) -> int:
    """A share of the usual number of examples: small for a property that is slow to check, above 1 for a quick one."""
    return max(FEWEST, round(share * EXAMPLES[by_day("default", "nightly")]))


def covering(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations of parameters: by day so many that each value of each axis occurs, at night all."""
    if NIGHTLY:
        return list(itertools.product(*axes))
    cases = max(map(len, axes))
    return [tuple(axis[(i + i // len(axis)) % len(axis)] for axis in axes) for i in range(cases)]


def pairwise(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations of parameters: by day so many that each pair of values of two axes occurs, at night all."""
    grid = list(itertools.product(*axes))
    if NIGHTLY:
        return grid
    chosen, missing = list[tuple[Any, ...]](), set(itertools.chain.from_iterable(map(_pairs, grid)))
    while missing:
        chosen.append(max(grid, key=lambda case: len(missing.intersection(_pairs(case)))))
        missing.difference_update(_pairs(chosen[-1]))
    return chosen


def _pairs(case: tuple[Any, ...]) -> Iterator[tuple[tuple[int, Any], ...]]:
    return itertools.combinations(enumerate(case), 2)
