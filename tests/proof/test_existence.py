"""Overlap of many columns, proved without exact weights: against the oracle, with dependent columns, in its words."""

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Certificate, ParameterError, Verdict, error_bounds, separability
from rosenblatt.base.deadline import OutOfTime
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.plot import WitnessDisplay
from rosenblatt.proof.decide import decide, labelled
from rosenblatt.proof.finders import existence
from rosenblatt.proof.finders.existence import NearWitness, near_witness
from rosenblatt.proof.several_classes import JointQuestion
from tests.support.effort import by_day
from tests.support.separability_oracle import FAMILIES
from tests.support.verdicts import verdict_of_oracle


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try the new way for few columns, too."""
    monkeypatch.setattr(existence, "MIN_COLUMNS", 1)


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("family", FAMILIES)
def test_small_tables_against_the_oracle(family: str) -> None:
    """Near or not, the kind is that of the simplex in fractions, and the certificate is true."""
    kinds = list[tuple[str, bool]]()
    for seed in range(by_day(12, 600)):
        found = verdict_of_oracle(family, seed)
        assert found.kind == "overlap" or len(found.classes) > 2 or not found.witness_is_rounded
        kinds.append((found.kind, found.witness_is_rounded))
    if family in ("flat", "grid", "normal", "nudged"):
        assert ("overlap", True) in kinds  # the new way was tried


def random(n: int, d: int, seed: int = 0) -> tuple[Any, list[int]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, 2, n).tolist()


def near(X: Any, y: Any, **options: Any) -> Verdict:
    """A verdict of overlap by the new way, whose certificate was checked."""
    found = separability(X, y, **options)
    assert found.kind == "overlap" if options.get("detail", True) else "not_strict"
    assert found.witness_is_rounded
    assert found.certificate is not None
    assert Certificate.from_json(found.certificate.to_json()).verify(X, y)
    return found


def test_many_columns_have_a_short_certificate() -> None:
    """The exact weights of 150 rows have some 150 x 53 bits each, 2,000 hexadecimal digits."""
    X, y = random(500, 150)
    found = near(X, y)
    assert found.certificate is not None
    assert len(found.certificate.to_json()) < 30 * 500
    assert found.witness is not None
    assert min(found.witness.weights) > 0
    assert sum(found.witness.weights) == 1
    signs = np.where(np.array(y) == 1, 1, -1)[found.witness.rows]
    rest = (signs * np.array(found.witness.weights, float)) @ X[found.witness.rows]
    assert np.abs(rest).max() < 1e-12
    assert Verdict.from_json(found.to_json()) == found


def test_in_words() -> None:
    X, y = random(300, 80)
    text = near(X, y).explain()
    assert "there are positive weights of rows" in text
    assert "add up to exactly 0" in text
    assert "bounds on all rounding errors prove that exact ones exist near them" in text
    assert "through the origin has all of them strictly" in near(X, y, through_origin=True).explain()
    assert near(X, y, detail=False).kind == "not_strict"


def test_a_picture_says_why_there_is_none() -> None:
    X, y = random(300, 80)
    with pytest.raises(ParameterError, match="with many columns the witness has rounded weights"):
        WitnessDisplay.from_verdict(near(X, y), X, y)


def one_hot(rng: np.random.Generator, n: int, groups: int, size: int) -> Any:
    return np.hstack([np.eye(size)[rng.integers(0, size, n)] for _ in range(groups)])


def dependent(name: str) -> tuple[Any, list[int], int]:
    """Tables with dependent columns, and the rank of [X, 1] by construction."""
    rng = np.random.default_rng(3)
    n, A = 400, rng.normal(size=(400, 70))
    y = rng.integers(0, 2, n).tolist()
    if name == "copies":
        return np.hstack([A, A[:, ::-1]]), y, 71
    if name == "multiples":
        return np.hstack([A, 4 * A[:, :5], -A[:, 5:9]]), y, 71
    if name == "sums of whole numbers":
        W = rng.integers(-50, 50, (n, 70)) * 1.0
        return np.hstack([W, W[:, :9] + W[:, 9:18], 3 * W[:, :1] - 2 * W[:, 1:2]]), y, 71
    if name == "zeros and constants":
        return np.hstack([A, np.zeros((n, 2)), np.full((n, 1), 7.0)]), y, 71
    if name == "one-hot":
        return one_hot(rng, n, 10, 8), y, 71
    if name == "sparse one-hot":
        return scipy.sparse.csr_array(one_hot(rng, n, 10, 8)), y, 71
    if name == "scales":
        return np.hstack([A, A]) * 2.0 ** rng.integers(-900, 900, 140), y, 71
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    ["copies", "multiples", "sums of whole numbers", "zeros and constants", "one-hot", "sparse one-hot", "scales"],
)
def test_columns_that_depend_on_others(name: str) -> None:
    X, y, rank = dependent(name)
    found = near(X, y)
    assert found.certificate is not None
    relations = found.certificate.body["near_witness"]["relations"]
    assert len(relations) == X.shape[1] + 1 - rank
    assert len({relation["columns"][0] for relation in relations}) == len(relations)


def test_a_category_of_one_row_is_not_taken_for_an_empty_column() -> None:
    """The only row of a category is not among the first rows that are weighed; a hyperplane has it off all others."""
    rng = np.random.default_rng(0)
    X, y = np.hstack([rng.normal(size=(900, 70)), np.zeros((900, 1))]), rng.integers(0, 2, 900).tolist()
    X[11, 70] = 1.0
    assert 11 not in np.random.default_rng(0).permutation(900)[: 3 * 72]
    found = separability(X, y, detail=False)
    assert found.kind == "not_strict"
    assert not found.witness_is_rounded  # the classes overlap but for this row, so the verdict is weak
    X[12, 70] = 1.0
    y[11], y[12] = 0, 1
    assert near(X, y).kind == "overlap"


def test_more_than_two_classes() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 30)), rng.integers(0, 3, 300)
    found = decide(labelled(X, y), range(3), 1.0, True, math.inf).verdict  # `separability` asks about pairs first
    assert found.witness_is_rounded
    assert found.certificate is not None
    assert found.certificate.verify(X, y)
    assert found.witness is not None
    assert found.witness.against is not None
    assert len(found.witness.against) == len(found.witness.rows)
    assert "their leads add up to exactly 0" in found.explain()


def test_rows_that_are_nearly_separable_are_added() -> None:
    """Only 1 in 10 rows is on the wrong side, so that a hyperplane separates the first rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 70))
    y = ((X @ rng.normal(size=70) > 0) ^ (rng.random(3000) < 0.1)).astype(int)
    near(X, y.tolist())


@pytest.mark.parametrize("offset", [1e6, 1e10, -1e9])
def test_columns_far_from_0(offset: float) -> None:
    X, y = random(300, 70)
    near(np.round(X * 100) / 128 + offset, y)


def test_separable_rows_and_touching_rows_go_the_exact_way() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (300, 70)) * 1.0
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    assert separability(X, y).kind == "strict"
    X[0], X[1], y[0], y[1] = 0.0, 0.0, 0, 1  # two equal rows of different classes, where the others are separable
    found = separability(X, y, detail=False)
    assert found.kind == "not_strict"
    assert not found.witness_is_rounded


@pytest.mark.parametrize(("n", "d"), [(300, 20), (60, 80)])
def test_few_columns_and_few_rows_go_the_exact_way(n: int, d: int) -> None:
    X, y = random(n, d)
    assert near_witness(view(read_table(X), np.array(y), (0, 1), 1.0).signed, time.monotonic() + 1e9) is None


def test_integers_beyond_floats_go_the_exact_way() -> None:
    rng = np.random.default_rng(0)
    X = [[2**60 + 2 * int(a) + 1, *row] for a, *row in rng.integers(0, 9, (250, 66)).tolist()]
    signed = view(read_table(X), rng.integers(0, 2, 250), (0, 1), 1.0).signed
    assert near_witness(signed, time.monotonic() + 1e9) is None


def test_the_deadline_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second at each look: a long step is not begun, and a short one ends the search."""
    X, y = random(300, 80)
    signed = view(read_table(X), np.array(y), (0, 1), 1.0).signed
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    with pytest.raises(OutOfTime):
        near_witness(signed, 3.0)
    assert next(clock) <= 6
    monkeypatch.setattr(existence, "SPEED", 1e3)
    assert near_witness(signed, 1e3) is None


def test_witnesses_of_errors_stay_exact() -> None:
    X, y = random(200, 70)
    found = error_bounds(X, y, time_limit=None)
    assert found.lower >= 1
    assert found.certificate.verify(X, y)


def test_the_near_witness_of_a_pair_decides_for_all_classes() -> None:
    """Two classes of four overlap, with a column that is the sum of two others. There is no time for more."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 70)), np.repeat(np.arange(4), 200)
    X[y > 1] += 100.0 * y[y > 1, np.newaxis]
    X[:, 3] = np.round(X[:, 4]) + np.round(X[:, 5])
    X[:, 4:6] = np.round(X[:, 4:6])
    given = labelled(X, y)
    pairs = {(0, 1): decide(given, (0, 1), 1.0, True, math.inf)}
    assert isinstance(pairs[0, 1].proof, NearWitness)
    assert pairs[0, 1].proof.relations
    found = JointQuestion(given, pairs, 1.0, True, -math.inf).answer()
    assert (found.kind, found.witness_is_rounded) == ("not_strict", True)
    assert found.certificate is not None
    assert found.certificate.verify(X, y)
    assert found.witness is not None
    assert set(y[found.witness.rows].tolist()) == {0, 1} == set(found.witness.against or [])
    body = found.certificate.to_dict()
    body["merges"][0]["near_witness"]["relations"].pop()
    assert not Certificate({**body, "seal": seal_of(body)}).verify(X, y)
