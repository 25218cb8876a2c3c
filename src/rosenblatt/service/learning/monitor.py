"""What a service tells of a model that learns: counts, rates, the radius, and alarms.

Novikoff: if a hyperplane separates all examples with margin gamma, and R is the length of the longest, the perceptron
makes at most (R/gamma)^2 updates. So after k updates gamma is at most R/sqrt(k): this is `margin_at_most`. It is told
while nothing contradicts it: two equal rows with different labels prove that no hyperplane separates them. Such pairs
are looked for among the latest rows.
"""

import hashlib
import math
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.service.learning.drift import Alarm, ChangeDetector

ROLLING = 1000  # examples of the rolling rate
REMEMBERED = 10_000  # rows among which equal ones are looked for
MAX_ALARMS = 20
MAX_UPDATES = 100  # in the trace


class Monitor:
    """The counts of a model. It is part of the state that a replay gives again.

    Attributes
    ----------
    seen, mistakes : examples learned from, and how many of them were predicted wrong
    radius : the length of the longest row, its constant included
    contradicted : were there two equal rows with different labels?
    alarms : the latest changes of the error rate
    n_alarms : how many there were
    last : the latest wrong predictions: the number of the example, the label and the prediction
    """

    def __init__(self) -> None:
        self.seen = self.mistakes = self.n_alarms = 0
        self.radius = 0.0
        self.contradicted = False
        self.alarms: deque[Alarm] = deque(maxlen=MAX_ALARMS)
        self.last: deque[list[Any]] = deque(maxlen=MAX_UPDATES)
        self._rolling: deque[int] = deque(maxlen=ROLLING)
        self._detector = ChangeDetector()
        self._labels: OrderedDict[bytes, Any] = OrderedDict()

    def add(self, rows: Any, labels: Sequence[Any], predicted: Sequence[Any], bias: float) -> list[bool]:
        """Count a batch; return for each row whether its prediction was wrong.

        Parameters
        ----------
        rows : an array, or a list of dicts
        labels, predicted : of each row
        bias : the constant that each row ends with
        """
        wrong = [was != label for was, label in zip(predicted, labels, strict=True)]
        self.radius = max(self.radius, _largest(rows, bias))
        self._look_for_contradiction(rows, labels)
        for is_wrong, label, was in zip(wrong, labels, predicted, strict=True):
            self.seen += 1
            if is_wrong:
                self.mistakes += 1
                self.last.append([self.seen, label, was])
            alarm = self._detector.add(is_wrong)
            if alarm is not None:
                self.alarms.append(alarm)
                self.n_alarms += 1
        self._rolling.extend(wrong)
        return wrong

    def facts(self, updates: int) -> dict[str, Any]:
        """What `stats` answers."""
        margin = self.radius / math.sqrt(updates) if updates and not self.contradicted else None
        return {
            "seen": self.seen,
            "mistakes": self.mistakes,
            "rate": self.mistakes / self.seen if self.seen else None,
            "rolling_rate": sum(self._rolling) / len(self._rolling) if self._rolling else None,
            "rolling_examples": len(self._rolling),
            "updates": updates,
            "radius": self.radius,
            "contradicted": self.contradicted,
            "margin_at_most": margin,
            "drift": {
                "method": "ADWIN",
                "false_alarms_per_check": self._detector.delta,
                "window": self._detector.n,
                "window_rate": self._detector.rate,
                "count": self.n_alarms,
                "alarms": [alarm._asdict() for alarm in self.alarms],
            },
        }

    def _look_for_contradiction(self, rows: Any, labels: Sequence[Any]) -> None:
        """The rows are taken one by one, so that it does not matter how they were batched."""
        if self.contradicted:
            return
        known = self._labels
        for mark, label in zip(_marks(rows), labels, strict=True):
            if known.setdefault(mark, label) != label:
                self.contradicted = True
                known.clear()
                return
            if len(known) > REMEMBERED:
                known.popitem(last=False)

    def to_dict(self) -> dict[str, Any]:
        """The state, for a snapshot."""
        return {
            "seen": self.seen,
            "mistakes": self.mistakes,
            "radius": self.radius,
            "contradicted": self.contradicted,
            "alarms": [list(alarm) for alarm in self.alarms],
            "n_alarms": self.n_alarms,
            "last": list(self.last),
            "rolling": list(self._rolling),
            "detector": self._detector.to_dict(),
            "labels": [[mark.hex(), label] for mark, label in self._labels.items()],
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """The monitor that `to_dict` described."""
        made = cls()
        made.seen, made.mistakes = state["seen"], state["mistakes"]
        made.radius, made.contradicted = state["radius"], state["contradicted"]
        made.n_alarms = state["n_alarms"]
        made.alarms.extend(Alarm(*one) for one in state["alarms"])
        made.last.extend(state["last"])
        made._rolling.extend(state["rolling"])
        made._detector = ChangeDetector.from_dict(state["detector"])
        made._labels = OrderedDict((bytes.fromhex(mark), label) for mark, label in state["labels"])
        return made


def _largest(rows: Any, bias: float) -> float:
    """The length of the longest row, with its constant; texts are indicators."""
    if isinstance(rows, np.ndarray):
        return math.hypot(math.sqrt(float(np.einsum("ij,ij->i", rows, rows).max())), bias)
    return max(
        math.hypot(*(number if isinstance(number, int | float) else 1.0 for number in row.values()), bias)
        for row in rows
    )


def _marks(rows: Any) -> Iterator[bytes]:
    """A fingerprint of each row."""
    for row in rows:
        content = row.tobytes() if isinstance(rows, np.ndarray) else repr(sorted(row.items())).encode()
        yield hashlib.blake2b(content, digest_size=16).digest()
