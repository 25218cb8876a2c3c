"""How many of so many: a share, and how sure one can be of it."""

from typing import NamedTuple, Self

CONFIDENCE = 0.95


class Share(NamedTuple):
    """So many of n, and the interval that holds the true share with 95 % confidence, whatever it is.

    The interval is that of Clopper and Pearson (Biometrika 26, 1934), which is exact for rows drawn independently.

    >>> print(Share.of(29, 30))
    96.7 % (82.8 to 99.9)
    """

    right: int
    n: int
    low: float
    high: float

    @classmethod
    def of(cls, right: int, n: int) -> Self:
        """The share of `right` in `n`, with its interval."""
        from scipy.stats import binomtest

        interval = binomtest(right, n).proportion_ci(CONFIDENCE, method="exact")
        return cls(right, n, float(interval.low), float(interval.high))

    @property
    def value(self) -> float:
        return self.right / self.n

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"
