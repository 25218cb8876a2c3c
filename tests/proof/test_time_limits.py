"""What is proved within a time limit. The clock of these tests goes on with the work, not with the time."""

import itertools
from typing import Any

import numpy as np
import pytest

from rosenblatt import Verdict, separability
from rosenblatt.base.deadline import OutOfTime
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof import decide as decide_module
from rosenblatt.proof import merged_classes, prove, several_classes
from rosenblatt.proof.decide import labelled
from rosenblatt.proof.finders import exact_search
from rosenblatt.proof.finders.contradictions import _keys
from rosenblatt.proof.pair_words import words_of_pairs

CORNERS = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def is_true(verdict: Verdict, X: Any, y: Any) -> bool:
    """Does the certificate claim the kind of the verdict, and is it true of the data?"""
    certificate = verdict.certificate
    return certificate is not None and certificate.claim == verdict.kind and bool(certificate.verify(X, y))


def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search in floats, and all that follows it, be out of time."""

    def late(*_: Any, **__: Any) -> Any:
        raise OutOfTime

    monkeypatch.setattr(prove.FloatSearch, "of", late)


# ---------------------------------------------------------------------------------------------------------------------
# Exact steps


def test_an_exact_solve_that_cannot_end_in_time_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The floats of these rows decide nothing; the exact search would need an hour for its first solution."""
    X, y = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], ["a", "b", "a"]
    assert separability(X, y, time_limit=10).kind == "strict"
    asked: list[Any] = []

    def hour(*size: int) -> float:
        asked.append(size)
        return 3600.0

    Clock(monkeypatch)

    monkeypatch.setattr(exact_search, "solve_seconds", hour)
    monkeypatch.setattr(prove, "guesses", lambda *_: [])
    assert separability(X, y, time_limit=10).kind == "undecided"
    assert asked
    assert separability(X, y, time_limit=3601).kind == "strict"
    assert separability(X, y).kind == "strict"


def test_dependent_columns_are_found_without_sums_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the columns repeats the other half. All rows are tested by a product of matrices."""

    def one_by_one(*_: Any) -> Any:
        raise AssertionError("a row was added up by itself")

    monkeypatch.setattr(Signed, "_exact_sign", one_by_one)
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 6))
    X, y = np.hstack([A, A]), rng.integers(0, 2, 60)
    assert separability(A, y).kind == "overlap"
    verdict = separability(X, y, time_limit=1e6)
    assert verdict.kind == "overlap"
    assert is_true(verdict, X, y)


# ---------------------------------------------------------------------------------------------------------------------
# Cheap proofs, when there is no time for a search


def test_equal_rows_prove_that_there_is_no_strict_separation(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = [[0.0, 0.0], [5.0, 1.0], [5.0, 1.0], [9.0, 9.0]], ["a", "a", "b", "b"]
    assert separability(X, y).kind == "weak"
    no_search(monkeypatch)
    for detail in (True, False):
        verdict = separability(X, y, detail=detail, time_limit=5)
        assert (verdict.kind, verdict.separable, verdict.weakly_separable) == ("not_strict", False, None)
        assert verdict.witness is not None
        assert verdict.witness.rows == [1, 2]
        assert list(verdict.contradictions) == [(1, 2)]
        assert is_true(verdict, X, y)
        assert "Not strictly separable" in verdict.explain()


@pytest.mark.parametrize("through_origin", [False, True])
def test_equal_rows_that_span_everything_prove_an_overlap(
    monkeypatch: pytest.MonkeyPatch, through_origin: bool
) -> None:
    rng = np.random.default_rng(0)
    half = rng.integers(-3, 4, (30, 4)).astype(float)
    X, y = np.vstack([half, half]), np.repeat([0, 1], 30)
    no_search(monkeypatch)
    verdict = separability(X, y, through_origin=through_origin)
    assert verdict.kind == "overlap"
    assert is_true(verdict, X, y)


def test_equal_rows_span_rows_with_dependent_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row has exactly one 1 in the first three columns, so these add up to the constant."""
    half = np.eye(3)[[0, 1, 2, 0, 1]]
    X, y = np.vstack([half, half]), np.repeat(["a", "b"], 5)
    no_search(monkeypatch)
    verdict = separability(X, y)
    assert verdict.kind == "overlap"
    assert is_true(verdict, X, y)


def test_a_single_column_separates(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), np.arange(40) % 2
    X[:, 3] = np.where(y, -2.0, 2.0) + rng.uniform(-1, 1, 40)
    no_search(monkeypatch)
    verdict = separability(X, y, time_limit=5)
    assert verdict.kind == "strict"
    assert verdict.hyperplane is not None
    assert np.flatnonzero(verdict.hyperplane.w).tolist() == [3]
    assert is_true(verdict, X, y)
    y[0] = 1 - y[0]
    assert separability(X, y, time_limit=5).kind == "undecided"


def test_a_witness_is_the_answer_if_the_time_is_over_before_the_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = [*CORNERS, [9.0, 9.0]], [0, 0, 1, 1, 1]
    assert separability(X, y, time_limit=60).kind == "overlap"

    def late(*_: Any) -> Any:
        raise OutOfTime

    monkeypatch.setattr(prove, "outside_span", late)
    verdict = separability(X, y, time_limit=60)
    assert verdict.kind == "not_strict"
    assert is_true(verdict, X, y)


def test_keys_of_rows_of_zeros_and_ones_differ() -> None:
    """The bits of 1.0 end with 52 zeros; that must not leave only a few different keys."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=12)))
    assert len(np.unique(_keys(labelled(X, np.arange(4096) % 2).table))) == 4096


# ---------------------------------------------------------------------------------------------------------------------
# Several classes


def spied(monkeypatch: pytest.MonkeyPatch, clock: Clock, seconds: float) -> list[tuple[int, ...]]:
    """Note the classes of each question; each takes so many seconds of the clock."""
    asked: list[tuple[int, ...]] = []
    original = decide_module.decide

    def decide(given: Any, between: Any, *rest: Any) -> Any:
        asked.append(tuple(between))
        found = original(given, between, *rest)
        clock.now += seconds
        return found

    monkeypatch.setattr(several_classes, "decide", decide)
    return asked


def test_pairs_come_before_all_classes_together(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    asked = spied(monkeypatch, clock, 0.0)
    X, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"]
    assert separability(X, y).kind == "strict"
    assert asked == [(0, 1), (0, 2), (1, 2), (0, 1, 2)]


def test_pairs_after_the_deadline_are_not_asked(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Eleven seconds: half of them for pairs, two seconds each; then the whole; then pairs again, up to the limit."""
    asked = spied(monkeypatch, clock, 2.0)
    X, y = np.array([[1.0, 0], [0, 1], [-1, -1], [-1, 1], [1, -1], [2, 2]]), np.arange(6)
    verdict = separability(X, y, time_limit=11)
    pairs = [between for between in asked if len(between) == 2]
    assert len(asked) == 6
    assert [len(between) for between in asked] == [2, 2, 2, 6, 2, 2]
    kinds = [found.kind for found in verdict.pairs.values()]
    assert len(kinds) == 15
    assert kinds.count("strict") == len(pairs)
    assert kinds.count("undecided") == 15 - len(pairs)
    assert clock.now <= 1000 + 11 + 2


def test_a_pair_that_overlaps_decides_all_classes(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """There is time for the pairs only; then all classes together are known not to separate strictly."""
    X = np.array([*CORNERS, [9.0, 9.0], [9.0, 8.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    for detail in (True, False):
        asked = spied(monkeypatch, clock, 0.0)
        monkeypatch.setattr(several_classes, "long_row_seconds", lambda *_: 1e9)
        monkeypatch.setattr(decide_module, "long_row_seconds", lambda _, classes: 1e9 if classes > 2 else 0.0)
        monkeypatch.setattr(merged_classes.Merging, "merge_pairs", lambda *_: None)
        verdict = separability(X, y, detail=detail, time_limit=10)
        assert verdict.kind == "not_strict"
        assert is_true(verdict, X, y)
        assert verdict.witness is not None
        assert set(verdict.witness.against or ()) == {"a", "b"}
        assert ((0, 1, 2) in asked) == detail
        assert "'c' separates strictly from every other class" in verdict.explain()
        monkeypatch.undo()
        clock = Clock(monkeypatch)


def test_linked_pairs_that_overlap_prove_an_overlap_of_all(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Classes 0 and 1 overlap, and 1 and 2; 0 and 2 are apart."""
    asked = spied(monkeypatch, clock, 0.0)
    monkeypatch.setattr(several_classes, "MAX_SECONDS", 0.0)
    square = np.array(CORNERS) * 2
    X = np.vstack([square, square + 1.0, square + 2.5])
    y = np.repeat([0, 1, 2], 4)
    verdict = separability(X, y)
    assert [found.kind for found in verdict.pairs.values()] == ["overlap", "strict", "overlap"]
    assert verdict.kind == "overlap"
    assert (0, 1, 2) not in asked
    assert is_true(verdict, X, y)
    assert verdict.stuck.tolist() == list(range(12))


def test_groups_that_separate_prove_weak_separation(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """0 and 1 overlap, 2 and 3 overlap, and a line is between the two groups; class 4 is apart from all."""
    asked = spied(monkeypatch, clock, 0.0)
    monkeypatch.setattr(several_classes, "MAX_SECONDS", 0.0)
    square = np.array(CORNERS) * 2
    X = np.vstack([square, square + 1, square + 20, square + 21, square + np.array([0, 50])])
    y = np.repeat([0, 1, 2, 3, 4], 4)
    verdict = separability(X, y)
    assert verdict.kind == "weak"
    assert (0, 1, 2, 3, 4) not in asked
    assert is_true(verdict, X, y)
    assert verdict.stuck.tolist() == list(range(16))
    assert "4 separates strictly from every other class; 0 and 1 overlap; 2 and 3 overlap" in verdict.explain()


# ---------------------------------------------------------------------------------------------------------------------
# Words


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({}, ""),
        ({("a", "b"): "strict"}, "'a' and 'b' separate strictly"),
        ({(0, 1): "strict", (0, 2): "strict", (1, 2): "strict"}, "all 3 pairs separate strictly"),
        (
            {(0, 1): "overlap", (0, 2): "weak", (1, 2): "strict"},
            "0 and 1 overlap; 0 and 2 separate only weakly; 1 and 2 separate strictly",
        ),
        ({(0, 1): "undecided", (0, 2): "strict", (1, 2): "strict"}, "2 separates strictly from every other class; "),
        (dict.fromkeys(itertools.combinations(range(5), 2), "undecided"), "10 of 10 pairs are undecided"),
        (
            dict.fromkeys(itertools.combinations(range(5), 2), "overlap"),
            "10 of 10 pairs overlap, among them 0 and 1, 0 and 2, 0 and 3, 0 and 4",
        ),
    ],
)
def test_words_of_pairs(kinds: dict[Any, str], words: str) -> None:
    assert words_of_pairs(kinds).startswith(words)
