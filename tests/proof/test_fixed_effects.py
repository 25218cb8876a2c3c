"""Regressions with fixed effects: on a graph the answers are those of an exact oracle, and the proofs verify."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Certificate, Estimates, estimates
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.certificate.spans import factor_rows as module
from rosenblatt.certificate.spans.factor_rows import factor_rows
from rosenblatt.proof.fixed_effects.cone import FactorCone
from tests.proof.test_estimates import leaves, other
from tests.support.effort import by_day
from tests.support.estimates_oracle import Regression, truth

SEEDS = by_day(120, 6000)


def drawn(seed: int) -> Regression:
    """Two factors with or without reference levels and a constant, and up to two other columns of several kinds."""
    rng = np.random.default_rng(seed)
    n, levels, k = int(rng.integers(4, 12)), rng.integers(1, [5, 4]), int(rng.integers(0, 3))
    dummies = [np.eye(count)[rng.integers(0, count, n)][:, int(rng.random() < 0.7) :] for count in levels]
    kind = int(rng.integers(4))
    others = rng.normal(size=(n, k)) if kind == 0 else rng.integers(-1, 2, (n, k)) * [1.0, 1.0, 3.0, 0.25][kind]
    if kind == 2:
        others *= rng.random((n, k)) < 0.4
    X = np.column_stack([*dummies, others, np.zeros((n, int(rng.random() < 0.1 or sum(levels) == 2)))])
    X = X[:, rng.permutation(X.shape[1])]
    y = rng.random(n) < rng.choice([0.5, 0.5, 0.2, 0.85])
    options = {"intercept": bool(rng.random() < 0.6)}
    model = str(rng.choice(["logit", "poisson", "grouped"]))
    if model == "poisson":
        return Regression(X.tolist(), (y * rng.integers(1, 4, n)).tolist(), model, options)
    y[:2] = False, True
    if model == "logit":
        return Regression(X.tolist(), y.astype(int).tolist(), model, options)
    both = rng.random(n) < 0.2
    return Regression(X.tolist(), np.column_stack([y | both, ~y | both]).astype(int).tolist(), "logit", options)


def pairs(asked: Regression) -> Regression:
    """Grouped outcomes as the oracle wants them."""
    return asked._replace(y=[tuple(own) if isinstance(own, list) else own for own in asked.y])


def ask(asked: Regression) -> Estimates:
    return estimates(asked.X, asked.y, model=asked.model, **asked.options)  # type: ignore[arg-type]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Tables of few columns are taken for graphs, too."""
    monkeypatch.setattr(module, "MIN_COLUMNS", 0)
    monkeypatch.setattr(module, "MAX_SHARE", 1.0)
    return monkeypatch


@pytest.mark.parametrize("part", range(4))
def test_every_status_is_that_of_the_oracle(part: int, narrow: pytest.MonkeyPatch) -> None:
    """Both checkers take the proofs of both searches."""
    seen = Counter[str]()
    for seed in range(part * SEEDS // 4, (part + 1) * SEEDS // 4):
        asked = drawn(seed)
        found, known = ask(asked), truth(pairs(asked))
        assert isinstance(found._cones[0], FactorCone)
        assert (found.statuses, found.kind, found.separated_rows.tolist()) == known, seed
        assert found.certificate is not None
        assert found.certificate.verify(asked.X, asked.y), seed
        with narrow.context() as general:
            general.setattr(module, "MIN_COLUMNS", 10**9)
            assert found.certificate.verify(asked.X, asked.y), seed
            same = ask(asked)
        assert same.certificate is not None
        assert same.certificate.verify(asked.X, asked.y), seed
        seen.update(found.statuses)
    assert len(seen) == 5


def test_any_linear_function_of_the_coefficients(narrow: pytest.MonkeyPatch) -> None:
    """The answers are those of the search without a graph, which is tested against the oracle."""
    rng, seen = np.random.default_rng(0), Counter[str]()
    for seed in range(by_day(20, 1000)):
        asked = drawn(seed)
        found = ask(asked)
        with narrow.context() as general:
            general.setattr(module, "MIN_COLUMNS", 10**9)
            same = ask(asked)
        for _ in range(4):
            c = rng.integers(-2, 3, len(found.names)) * (rng.random(len(found.names)) < 0.6)
            assert found.status_of(c) == same.status_of(c), (seed, c)
            seen[found.status_of(c)] += 1
    assert len(seen) == 5


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("seed", [s for s in range(40) if truth(pairs(drawn(s))).kind == "quasi"][:5])
def test_a_tampered_certificate_that_is_accepted_is_true(seed: int) -> None:
    asked = drawn(seed)
    known, certificate = truth(pairs(asked)), ask(asked).certificate
    assert certificate is not None
    rng, refused = np.random.default_rng(seed), 0
    places = [path for path in leaves(certificate.to_dict()) if path[0] == "estimates"]
    for _ in range(by_day(100, 3000)):
        body = certificate.to_dict()
        for path in rng.choice(len(places), int(rng.integers(1, 3))):
            *way, last = places[path]
            part: Any = body
            for key in way:
                part = part[key]
            part[last] = other(part[last], rng)
        if Certificate({**body, "seal": seal_of(body)}).verify(asked.X, asked.y):
            told = [claim["status"] for claim in body["estimates"]["coefficients"]]
            assert (told, body["estimates"]["kind"]) == (known.statuses, known.kind)
        else:
            refused += 1
    assert refused > by_day(30, 900)


def dummies(codes: Any, count: int) -> Any:
    """A sparse matrix with a column for each level but the first."""
    ones = scipy.sparse.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=(len(codes), count))
    return ones[:, 1:]


@pytest.mark.parametrize("first", ["failures", "both", "successes"])
def test_a_level_with_one_outcome_is_found_by_counting(first: str) -> None:
    """With one factor, the estimate of a level is the difference of two log odds, some of which are infinite."""
    rng = np.random.default_rng(1)
    level = np.concatenate([np.arange(500), rng.integers(0, 500, 2000)])
    y = rng.integers(0, 2, len(level))
    own = np.arange((level == 0).sum())
    y[level == 0] = {"failures": 0 * own, "both": own % 2, "successes": 0 * own + 1}[first]
    shares = np.array([y[level == t].mean() for t in range(500)])
    odds = np.where(shares == 0, -1, np.where(shares == 1, 1, 0))
    words = {-2: "-inf", -1: "-inf", 1: "+inf", 2: "+inf"}
    expected = [
        words.get(int(own - odds[0]), "finite" if own == odds[0] == 0 else "undetermined") for own in odds[1:]
    ] + [{-1: "-inf", 0: "finite", 1: "+inf"}[int(odds[0])]]
    found = estimates(dummies(level, 500), y)
    assert found.statuses == expected
    assert found.kept_rows.tolist() == np.flatnonzero(odds[level] == 0).tolist()
    assert found.certificate is not None
    assert found.certificate.verify(dummies(level, 500), y)


def test_two_wide_factors_with_other_columns() -> None:
    """All counts of two levels are 0, and one other column is above 0 only where the outcome is a success."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 150, 6000), rng.integers(0, 40, 6000)
    y = rng.integers(0, 2, 6000)
    y[a == 7], y[b == 3] = 0, 0
    rare = (rng.random(6000) < 0.01) & (y == 1)
    parts = [dummies(a, 150), dummies(b, 40), rng.normal(size=(6000, 2)), rare[:, np.newaxis]]
    X = scipy.sparse.csr_array(scipy.sparse.hstack(parts))
    found = estimates(X, y)
    infinite = {name: status for name, status in found.status.items() if status != "finite"}
    assert infinite == {"x7": "-inf", f"x{149 + 3}": "-inf", f"x{X.shape[1]}": "+inf"}
    assert found.separated_rows.tolist() == np.flatnonzero((a == 7) | (b == 3) | rare).tolist()
    assert found.certificate is not None
    assert found.certificate.verify(X, y)
    assert not found.certificate.verify(X, 1 - y)


def test_a_time_limit() -> None:
    rng = np.random.default_rng(0)
    X = dummies(rng.integers(0, 100, 1000), 100)
    assert estimates(X, rng.integers(0, 2, 1000), time_limit=1e-9).kind == "undecided"


def signed_of(X: Any, constant: float = 1.0) -> Signed:
    table = read_table(X)
    return Signed(table, np.ones(table.n, np.int8), constant)


def test_which_columns_are_levels(narrow: pytest.MonkeyPatch) -> None:
    """A third column of ones is another column; with many of them there is no graph."""
    rng = np.random.default_rng(0)
    parts = [np.eye(6)[rng.integers(0, 6, 200)][:, 1:] for _ in range(3)]
    treated = rng.integers(0, 2, (200, 1))
    rows = factor_rows(signed_of(np.column_stack([*parts[:2], treated])))
    assert rows is not None
    assert (rows.others, rows.vertices) == ([10], 13)
    rows = factor_rows(signed_of(np.column_stack(parts[:2]), 0.0))
    assert rows is not None
    assert (rows.others, rows.vertices) == ([], 11)
    narrow.setattr(module, "MAX_OTHERS", 3)
    assert factor_rows(signed_of(np.column_stack(parts))) is None
    narrow.setattr(module, "MIN_COLUMNS", 64)
    assert factor_rows(signed_of(np.column_stack(parts[:2]))) is None


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("largest", [2**60, 1e300])
def test_numbers_that_are_too_long_leave_the_graph(largest: Any) -> None:
    X: list[list[Any]] = [[0, 1e-300], [1, largest + 1], [0, 3], [1, 2]]
    assert factor_rows(signed_of(X)) is None
    assert ask(Regression(X, [0, 1, 0, 1], "logit", {})).status["x1"] == "+inf"
