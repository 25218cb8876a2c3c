"""An alarm when the error rate of a stream changes: ADWIN2 of Bifet and Gavalda (2007).

The window of the latest outcomes W (1 for a wrong prediction, 0 for a right one) is cut where the means of its two
parts, of n0 and n1 outcomes, differ by more than

    eps = sqrt(2/m * v * ln(2/d)) + 2/(3m) * ln(2/d),   1/m = 1/n0 + 1/n1,   d = delta / ln(n)

with v the variance and n = n0 + n1 the length of the window. The older part is then forgotten. If the error rate does
not change, a check raises a false alarm with a probability of at most delta (theorem 3.1; with the normal approximation
of their section 4). Buckets of 1, 2, 4, ... outcomes hold the window in memory of O(log n).
"""

import math
from typing import Any, NamedTuple, Self

DELTA = 1e-4
MAX_BUCKETS = 5  # of one size
CHECK_EVERY = 32  # outcomes between two checks
LEAST = 5  # outcomes in a part of the window


class Alarm(NamedTuple):
    """A change of the error rate.

    Attributes
    ----------
    at : the number of examples before it was found
    before, after : the error rates of the part that was forgotten and of the part that was kept
    """

    at: int
    before: float
    after: float


class ChangeDetector:
    """Watches the error rate of a stream.

    Parameters
    ----------
    delta : the probability of a false alarm in one check
    """

    def __init__(self, delta: float = DELTA) -> None:
        self.delta = delta
        self.rows: list[list[int]] = []  # for each size 2^k, the sums of its buckets, the newest first
        self.n = self.wrong = self.seen = 0

    def add(self, wrong: int) -> Alarm | None:
        """Take the next outcome: 1 for a wrong prediction, 0 for a right one."""
        self.seen, self.n, self.wrong = self.seen + 1, self.n + 1, self.wrong + wrong
        self._insert(wrong)
        if self.seen % CHECK_EVERY or self.n < 2 * LEAST:
            return None
        return self._cut()

    @property
    def rate(self) -> float:
        """The error rate of the window."""
        return self.wrong / self.n if self.n else 0.0

    def _insert(self, wrong: int) -> None:
        carried, k = wrong, 0
        while True:
            if k == len(self.rows):
                self.rows.append([])
            self.rows[k].insert(0, carried)
            if len(self.rows[k]) <= MAX_BUCKETS:
                return
            carried = self.rows[k].pop() + self.rows[k].pop()
            k += 1

    def _cut(self) -> Alarm | None:
        """Forget the oldest buckets while two parts of the window differ; the last alarm, if there is one."""
        alarm = None
        while (found := self._difference()) is not None:
            before, after = found
            alarm = Alarm(self.seen, before if alarm is None else alarm.before, after)
            self._forget_oldest()
        return alarm

    def _difference(self) -> tuple[float, float] | None:
        """The error rates of two parts of the window that differ by more than chance allows; None if none do."""
        mean = self.rate
        variance, spread = mean * (1 - mean), math.log(2 * math.log(max(self.n, 3)) / self.delta)
        n0 = wrong0 = 0
        for k in reversed(range(len(self.rows))):
            for bucket in reversed(self.rows[k]):
                n0, wrong0 = n0 + 2**k, wrong0 + bucket
                n1, wrong1 = self.n - n0, self.wrong - wrong0
                if n0 < LEAST or n1 < LEAST:
                    continue
                inverse = 1 / n0 + 1 / n1
                bound = math.sqrt(2 * inverse * variance * spread) + 2 / 3 * inverse * spread
                if abs(wrong0 / n0 - wrong1 / n1) > bound:
                    return wrong0 / n0, wrong1 / n1
        return None

    def _forget_oldest(self) -> None:
        while not self.rows[-1]:
            self.rows.pop()
        self.wrong -= self.rows[-1].pop()
        self.n -= 2 ** (len(self.rows) - 1)

    def to_dict(self) -> dict[str, Any]:
        """The state, for a snapshot."""
        return {"delta": self.delta, "rows": self.rows, "n": self.n, "wrong": self.wrong, "seen": self.seen}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """The detector that `to_dict` described."""
        made = cls(state["delta"])
        made.rows, made.n = [list(row) for row in state["rows"]], state["n"]
        made.wrong, made.seen = state["wrong"], state["seen"]
        return made
