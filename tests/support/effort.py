"""How much work tests do: `make test` does a day's share of it, `make nightly` does all.

Whatever is tried in large numbers asks this module: examples of property tests, repetitions, grids of parameters.
No test is left out by day, and each value of each parameter is tried; what waits for the night is their number.
"""

import itertools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
EXAMPLES = {"default": 25, "nightly": 3000}  # of a property test
FEWEST = 2  # examples of a property test that asks for a small share


def by_day(day: T, night: T) -> T:
    """The first by day, the second at night."""
    return night if NIGHTLY else day


def examples(share: float) -> int:
    """This share of the usual number of examples, for a property that is slower or faster to check than others."""
    return max(FEWEST, round(share * EXAMPLES[by_day("default", "nightly")]))


def covering(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations of parameters: by day so many that each value occurs, at night all.

    By day the first case has the first value of each axis, the second the second, and so on; short axes begin again.
    An axis whose length divides that of another is turned by one at each new beginning, so that all pairs of the two
    that are possible are met.
    """
    if NIGHTLY:
        return list(itertools.product(*axes))
    cases = max(map(len, axes))
    return [tuple(axis[(i + i // len(axis)) % len(axis)] for axis in axes) for i in range(cases)]
