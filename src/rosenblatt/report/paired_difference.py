"""The difference of two accuracies on the same rows, with its 95 % confidence interval."""

import math
from typing import NamedTuple, Self

from rosenblatt.report.proportion import CONFIDENCE


class PairedDifference(NamedTuple):
    """How much more often one of two predictions is right, as a share of n rows, with a 95 % confidence interval.

    Only rows that one prediction has right and the other wrong tell the two apart. The interval is the score interval
    of Tango (Statistics in Medicine 17, 1998): the differences that a test at the 5 % level does not reject.

    >>> print(PairedDifference.of(0, 0, 800))
    0.0 points (-0.5 to +0.5)
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, gained: int, lost: int, n: int) -> Self:
        """The difference if only the first prediction is right for `gained` rows, and only the second for `lost`."""
        from scipy.optimize import brentq
        from scipy.special import ndtri

        z = float(ndtri((1 + CONFIDENCE) / 2))
        value = (gained - lost) / n

        def excess(difference: float, sign: float) -> float:
            return _score(difference, gained, lost, n) - sign * z

        low = -1.0 if lost == n else float(brentq(excess, -1.0 + 1e-12, value, args=(1.0,)))
        high = 1.0 if gained == n else float(brentq(excess, value, 1.0 - 1e-12, args=(-1.0,)))
        return cls(value, low, high)

    def __str__(self) -> str:
        return f"{points(self.value)} ({100 * self.low:+.1f} to {100 * self.high:+.1f})"


def points(share: float) -> str:
    """A difference of shares in percentage points.

    >>> points(0.005), points(0.0)
    ('+0.5 points', '0.0 points')
    """
    text = f"{100 * share:+.1f}"
    return f"{'0.0' if float(text) == 0 else text} points"


def _score(difference: float, gained: int, lost: int, n: int) -> float:
    """The standardised distance of the observed difference from a supposed one.

    Its variance has the most likely share of lost rows under the supposed difference, the root of a quadratic equation.
    """
    linear = (2 * n - gained + lost) * difference - gained - lost
    constant = -lost * difference * (1 - difference)
    share = (math.sqrt(max(0.0, linear * linear - 8 * n * constant)) - linear) / (4 * n)
    variance = n * max(0.0, 2 * share + difference * (1 - difference))
    distance = gained - lost - n * difference
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance) if distance else 0.0
