"""A proportion k/n with its exact 95 % confidence interval."""

from typing import NamedTuple, Self

CONFIDENCE = 0.95


class Proportion(NamedTuple):
    """The proportion of n rows that are right, with a 95 % confidence interval.

    The interval is that of Clopper and Pearson (Biometrika 26, 1934). It is exact for rows drawn independently.

    >>> print(Proportion.of(29, 30))
    96.7 % (82.8 to 99.9)
    """

    right: int
    n: int
    low: float
    high: float

    @classmethod
    def of(cls, right: int, n: int) -> Self:
        """The proportion `right` / `n`, with its interval."""
        from scipy.stats import binomtest

        interval = binomtest(right, n).proportion_ci(CONFIDENCE, method="exact")
        return cls(right, n, float(interval.low), float(interval.high))

    @property
    def value(self) -> float:
        return self.right / self.n

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def percent(share: float | None) -> str:
    """A share in percent; a dash if there is none.

    >>> percent(0.9651), percent(None)
    ('96.5 %', '-')
    """
    return "-" if share is None else f"{100 * share:.1f} %"
