"""The effort for the fewest errors is counted in operations: the same bounds on every machine, unless time cuts it."""

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from rosenblatt import ErrorBounds, error_bounds
from rosenblatt.proof.fewest_errors import best_hyperplane, disjoint_witnesses
from rosenblatt.proof.fewest_errors.effort import Effort
from rosenblatt.report.advice import headline
from tests.proof.test_error_bounds import check


class Clock:
    """A clock that goes on by the same time at each look."""

    def __init__(self, step: float) -> None:
        self.looks, self._step = 0, step

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * self._step


def blobs() -> tuple[Any, list[int]]:
    X, y = make_blobs(300, centers=[[0, 0, 0], [1, 1, 0]], random_state=1)
    return X, y.tolist()


def test_an_effort_ends_with_its_operations_or_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    effort = Effort(10, math.inf)
    assert [effort.spend(4), effort.spend(4), effort.spend(4), effort.spend(2)] == [True, True, False, True]
    assert not effort.was_cut
    assert effort.left == 0
    monkeypatch.setattr(time, "monotonic", Clock(1.0))
    late = Effort(10, 2.5)
    assert [late.spend(1) for _ in range(4)] == [True, True, False, False]
    assert late.was_cut
    assert late.left == 8


def test_a_slow_machine_gives_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs()
    found = []
    for step in (0.0, 1e-3, 5.0):
        monkeypatch.setattr(time, "monotonic", Clock(step))
        found.append(error_bounds(X, y, time_limit=1e9))
    monkeypatch.undo()
    found += [error_bounds(X, y, time_limit=None), error_bounds(X, y, time_limit=1e6)]
    assert all(bounds == found[0] for bounds in found)
    assert found[0].complete
    assert "time limit" not in found[0].explain()
    assert found[0].certificate.verify(X, y)


@pytest.mark.parametrize("looks", [0, 2, 5, 20, 100, 400])
def test_a_time_limit_that_cuts_is_told(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """The clock passes the limit after so many looks; fewer looks at it give true bounds that are no closer."""
    X, y = blobs()
    whole = error_bounds(X, y, time_limit=None)
    clock = Clock(1.0)
    monkeypatch.setattr(time, "monotonic", clock)
    found = error_bounds(X, y, time_limit=looks + 0.5)
    monkeypatch.undo()
    assert not found.complete
    assert clock.looks < looks + 60  # the search ends soon after
    assert "The time limit cut the search short." in found.explain()
    check(found, X.tolist(), y, bias=True)
    assert found.lower <= whole.upper
    assert whole.lower <= found.upper
    assert ErrorBounds.from_json(found.to_json()) == found
    assert found != whole


def test_the_headline_says_that_the_search_was_cut() -> None:
    class Overlap:
        kind, classes, n, stuck, through_origin = "overlap", (0, 1), 4, np.arange(4), False

    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]] * 2, [0, 0, 1, 1] * 2
    whole = error_bounds(X, y)
    body = whole.to_dict()
    cut = ErrorBounds.from_dict({**body, "complete": False})
    assert "cut" not in headline(Overlap, whole)  # type: ignore[arg-type]
    assert "(the time limit cut this search short)" in headline(Overlap, cut)  # type: ignore[arg-type]


def test_bounds_that_meet_are_complete() -> None:
    """Nothing is left to find: XOR needs one error, whatever the clock says."""
    found = error_bounds([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    assert (found.lower, found.upper, found.complete) == (1, 1, True)
    assert error_bounds([[0], [1]], [0, 1]).complete


@pytest.mark.parametrize("operations", [0, 1e3, 1e4, 3e4, 1e5, 1e6])
def test_only_proved_witnesses_are_given(monkeypatch: pytest.MonkeyPatch, operations: float) -> None:
    """Wherever the operations end, in the search or in a proof, each witness is one."""
    X, y = blobs()
    monkeypatch.setattr(disjoint_witnesses, "OPERATIONS", operations)
    found = error_bounds(X, y, time_limit=None)
    assert found.complete
    assert found.lower >= 1
    check(found, X.tolist(), y, bias=True)


def test_more_operations_give_more(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs()
    lower, upper = [], []
    for operations in (0, 1e6, 1e8):
        monkeypatch.setattr(disjoint_witnesses, "OPERATIONS", operations)
        monkeypatch.setattr(best_hyperplane, "OPERATIONS", operations)
        found = error_bounds(X, y, time_limit=None)
        lower.append(found.lower)
        upper.append(found.upper)
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert lower[0] < lower[-1]
    assert upper[0] > upper[-1]


@pytest.mark.parametrize(("n", "d"), [(400, 2), (900, 4)])
def test_random_labels_have_witnesses_of_most_rows(n: int, d: int) -> None:
    """In general position a witness has d + 2 rows, so there are n / (d + 2) at most. Most of them are found."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n).tolist()
    found = error_bounds(X, y, time_limit=None)
    assert 0.7 * n / (d + 2) < found.lower <= n / (d + 2)
    assert found.certificate.verify(X, y)


def test_sets_share_no_row_and_are_drawn_by_the_seed() -> None:
    X, y = blobs()
    one, other = (error_bounds(X, y, time_limit=None, random_state=seed) for seed in (0, 1))
    for found in (one, other):
        rows = list(itertools.chain(*found.witnesses))
        assert len(set(rows)) == len(rows)
    assert one.witnesses != other.witnesses
