"""Estimates of regressions on shards: the answers of `rosenblatt.estimates`, checked shard by shard."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rosenblatt import Certificate, DataError, Estimates, ParameterError, cluster, estimates, read, write
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.spans import factor_rows
from rosenblatt.proof.regression import estimate_rounds
from tests.cluster.tables import equal_cuts, in_blocks
from tests.proof.test_estimates import CORNER, leaves, other
from tests.proof.test_fixed_effects import drawn as drawn_effects
from tests.support.effort import by_day
from tests.support.estimates_oracle import Regression, draw

LABELLED = ("logit", "poisson", "multinomial", "softmax", "ordinal")


@pytest.fixture(autouse=True)
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few rows are chosen at first, and few join in a round. Tasks run here, one after the other."""
    for name, value in (("FIRST_ROWS", 1), ("MIN_NEW_ROWS", 1), ("ROWS_PER_COEFFICIENT", 0)):
        monkeypatch.setattr(estimate_rounds, name, value)
    with dask.config.set(scheduler="synchronous"):
        yield


class Asked:
    """A regression in memory and as shards."""

    def __init__(self, given: Regression, *, sparse: bool = False) -> None:
        options = dict(given.options)
        self.weights = options.pop("sample_weight", None)
        self.options: dict[str, Any] = {"model": given.model, **options}
        self.X: Any = np.array(given.X, dtype=np.float64)
        self.X = scipy.sparse.csr_array(self.X) if sparse else self.X
        self.y = np.array(given.y)

    def shards(self, count: int) -> cluster.Shards:
        cuts = equal_cuts(len(self.y), count)
        weights = None
        if self.weights is not None:
            weights = da.from_array(np.array(self.weights, dtype=np.float64), chunks=(tuple(cuts),))
        return cluster.Shards(*in_blocks(self.X, self.y, cuts), weights)

    def in_memory(self) -> Estimates:
        return estimates(self.X, self.y, sample_weight=self.weights, **self.options)

    def verify(self, certificate: Certificate) -> bool:
        return bool(certificate.verify(self.X, self.y, sample_weight=self.weights))


def tables(model: str, seeds: int) -> Iterator[Asked]:
    """Small random, degenerate, dependent and separated tables that floats can hold and Shards take."""
    for seed in range(seeds):
        given = draw(model, seed)
        if given.is_of_floats and len(set(given.y)) > 1:
            yield Asked(given, sparse=seed % 3 == 0)


def facts(found: Estimates) -> tuple[Any, ...]:
    """All of an answer but its certificate."""
    rows = found.separated_rows.tolist(), found.kept_rows.tolist()
    return found.names, found.statuses, found.kind, *rows, found.model, found.n


def rounds_in(shards: cluster.Shards) -> int:
    """How often a proof was tested."""
    return [one.what for one in shards.rounds].count("test of the proof")


@pytest.mark.parametrize("model", LABELLED)
def test_the_answers_are_those_in_memory(model: str) -> None:
    most = 0
    for asked in tables(model, by_day(12, 500)):
        memory, texts = asked.in_memory(), set()
        for count in (1, 2, 5):
            shards = asked.shards(count)
            found = cluster.estimates(shards, **asked.options)
            assert facts(found) == facts(memory)
            assert found.certificate is not None
            assert memory.certificate is not None
            assert asked.verify(found.certificate)
            assert cluster.verify(found.certificate, shards)
            assert cluster.verify(memory.certificate, shards)
            texts.add(found.certificate.to_json())
            most = max(most, rounds_in(shards))
        assert len(texts) == 1
    assert most > 2


def outcome(check: Any) -> str:
    """Whether a certificate is accepted, refused, or does not fit the data at all."""
    try:
        return "accepted" if check() else "refused"
    except DataError:
        return "no such data"


TAMPERED = [draw("logit", 3), draw("poisson", 5), draw("multinomial", 12), draw("ordinal", 8)]


@pytest.mark.parametrize("given", [*TAMPERED, Regression(CORNER, [1, 1, 0, 0], "logit", {})], ids=lambda one: one.model)
def test_both_checkers_agree_on_tampered_certificates(given: Regression) -> None:
    asked = Asked(given)
    shards, certificate = asked.shards(2), asked.in_memory().certificate
    assert certificate is not None
    rng, refused, tries = np.random.default_rng(0), 0, by_day(50, 2000)
    places = [path for path in leaves(certificate.to_dict()) if path[0] in ("estimates", "about", "data")]
    for _ in range(tries):
        body = certificate.to_dict()
        for path in rng.choice(len(places), int(rng.integers(1, 3))):
            *way, last = places[path]
            part: Any = body
            for key in way:
                part = part[key]
            part[last] = other(part[last], rng)
        changed = Certificate({**body, "seal": seal_of(body)})
        told = outcome(lambda one=changed: asked.verify(one))
        assert outcome(lambda one=changed: cluster.verify(one, shards)) == told
        refused += told == "refused"
    assert refused > tries // 3


def falsified(certificate: Certificate, shards: cluster.Shards, **parts: Any) -> str:
    """Why a certificate with another proof is refused."""
    body = copy.deepcopy(certificate.body)
    body["estimates"] |= parts
    return cluster.verify(Certificate({**body, "seal": seal_of(body)}), shards).why


def test_why_certificates_are_refused() -> None:
    asked = Asked(Regression([[1, 3], [1, 1], [0, 2], [0, 4], [0, 1], [0, 3]], [1, 1, 0, 1, 1, 0], "logit", {}))
    shards, certificate = asked.shards(3), asked.in_memory().certificate
    assert certificate is not None
    part = certificate.body["estimates"]
    assert "the kind of separation is quasi" in falsified(certificate, shards, kind="none").lower()
    vectors = [*part["vectors"], [f"-{text}" for text in part["vectors"][0]]]
    assert "a vector the likelihood falls" in falsified(certificate, shards, vectors=vectors)
    assert "one of the 6 recession rows" in falsified(certificate, shards, span=[*part["span"], 6])
    assert "one of the 6 recession rows" in falsified(certificate, shards, span=[*part["span"], -1])
    fewer = {key: numbers[:-1] for key, numbers in part["witness"].items()}
    assert "add up to 0" in falsified(certificate, shards, witness=fewer)
    asked.X = asked.X + 1.0
    assert "the digests differ" in cluster.verify(certificate, asked.shards(3)).why
    asked.y = np.where(asked.y == 1, "a", "b")
    assert "ts outcomes are [0, 1]; these are ['a', 'b']" in cluster.verify(certificate, asked.shards(3)).why
    asked.y = np.arange(6)
    with pytest.raises(DataError, match="needs two classes; y has 6"):
        cluster.verify(certificate, asked.shards(3))


def test_classes_have_the_order_that_is_given() -> None:
    asked = Asked(Regression([[1], [2], [3], [4], [2]], ["low", "mid", "high", "high", "mid"], "ordinal", {}))
    shards, order = asked.shards(2), ["low", "mid", "high"]
    found = cluster.estimates(shards, model="ordinal", classes=order)
    assert facts(found) == facts(estimates(asked.X, asked.y, model="ordinal", classes=order))
    assert found.names[1:] == ["low|mid", "mid|high"]
    assert found.certificate is not None
    assert asked.verify(found.certificate)
    assert cluster.verify(found.certificate, shards)
    none = cluster.estimates(shards, model="ordinal")  # high, low, mid
    assert none.kind == "none"


def test_decimals_made_in_memory_are_checked_by_shards() -> None:
    """The third column is the sum of the others as decimals, and not as floats."""
    X = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.6], [0.7, 0.1, 0.8], [0.1, 0.7, 0.8], [0.3, 0.3, 0.6]]
    asked = Asked(Regression(X, [0, 1, 0, 1, 0], "logit", {}))
    exact, shards = estimates(asked.X, asked.y, decimals=True), asked.shards(2)
    assert exact.statuses.count("not_estimable") == 3
    assert exact.certificate is not None
    assert "of decimals" in cluster.verify(exact.certificate, shards).why
    assert "not_estimable" not in cluster.estimates(shards).statuses


def test_names_of_data_frames() -> None:
    frame = pd.DataFrame({"age": [30.0, 20, 50, 40, 35], "dose": [1, 2, 3, 1, 2], "ill": list("abbaa")})
    found = cluster.estimates(dd.from_pandas(frame, npartitions=2), "ill")
    assert facts(found) == facts(estimates(frame[["age", "dose"]], frame["ill"]))
    assert found.names == ["age", "dose", "(intercept)"]


def test_grouped_data_as_rows_with_weights() -> None:
    """A row with successes and failures is two rows, one of each outcome; their numbers are weights."""
    for seed in range(by_day(15, 500)):
        given = draw("grouped", seed)
        if not given.is_of_floats:
            continue
        X, n = np.array(given.X, dtype=np.float64), len(given.X)
        grouped = estimates(X, given.y, **given.options)
        counts = np.array(given.y) * np.array(given.options.get("sample_weight", [1] * n))[:, np.newaxis]
        options = {"sample_weight": counts.T.ravel().tolist(), "intercept": given.options["intercept"]}
        asked = Asked(Regression(np.vstack([X, X]).tolist(), [1] * n + [0] * n, "logit", options))
        found = cluster.estimates(asked.shards(3), **asked.options)
        assert (found.statuses, found.kind) == (grouped.statuses, grouped.kind)
        assert np.unique(found.separated_rows % n).tolist() == grouped.separated_rows.tolist()


def test_fixed_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factor_rows, "MIN_COLUMNS", 0)
    monkeypatch.setattr(factor_rows, "MAX_SHARE", 1.0)
    for seed in range(by_day(15, 500)):
        given = drawn_effects(seed)
        if np.ndim(given.y) == 2 or len(set(given.y)) < 2:
            continue
        asked = Asked(given, sparse=True)
        memory, shards = asked.in_memory(), asked.shards(3)
        found = cluster.estimates(shards, **asked.options)
        assert facts(found) == facts(memory)
        for certificate in (found.certificate, memory.certificate):
            assert certificate is not None
            assert asked.verify(certificate)
            assert cluster.verify(certificate, shards)


def test_equal_rows_do_not_depend_on_the_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal rows the first ones are chosen, although products of matrices round them in several ways."""
    monkeypatch.setattr(estimate_rounds, "MIN_NEW_ROWS", 3)
    rng = np.random.default_rng(0)
    few = rng.standard_normal((60, 5))
    X = few[rng.integers(0, 60, 3000)]
    y = (X @ rng.standard_normal(5) > 0.1).astype(int)
    texts = set()
    for cuts in ([3000], [1, 2999], [999, 1001, 1000], [37] * 81 + [3]):
        shards = cluster.Shards(*in_blocks(X, y, cuts))
        found = cluster.estimates(shards)
        assert found.kind == "complete"
        assert found.certificate is not None
        texts.add(found.certificate.to_json())
        assert rounds_in(shards) > 3
    assert len(texts) == 1
    assert Certificate.from_json(texts.pop()).verify(X, y)


def test_rows_of_weight_0_do_not_count() -> None:
    X, y = [[1.0], [1.0], [1.0], [0.0], [0.0]], ["well", "well", "ill", "ill", "well"]
    asked = Asked(Regression(X, y, "logit", {"sample_weight": [1, 2, 0, 1, 1]}))
    shards = asked.shards(3)
    found = cluster.estimates(shards)
    assert (found.kind, found.separated_rows.tolist(), found.kept_rows.tolist()) == ("quasi", [0, 1], [3, 4])
    assert found.certificate is not None
    assert cluster.verify(found.certificate, shards)
    asked.weights = [1, 1, 1, 1, 1]
    assert "the digests differ" in cluster.verify(found.certificate, asked.shards(3)).why
    asked.weights = [1, 1, 0, 0, 1]
    with pytest.raises(DataError, match="sample_weight is zero for every row of class 'ill'"):
        cluster.estimates(asked.shards(2))
    counts = Asked(Regression(X, [0, 0, 7, 1, 2], "poisson", {"sample_weight": [1, 1, 0, 1, 1]}))
    assert cluster.estimates(counts.shards(2), model="poisson").status["x1"] == "-inf"
    counts.weights = [0] * 5
    with pytest.raises(DataError, match="All rows have the weight 0"):
        cluster.estimates(counts.shards(2), model="poisson")


def test_words_in_files_have_treatment_coding(tmp_path: Path) -> None:
    """As in a data frame that `rosenblatt.estimates` is given."""
    lines = ["A,30,m,yes", "A,41,f,no", "A,50,m,no", "B,33,f,yes", "B,47,m,yes", "C,38,m,no", "C,44,f,yes"]
    for number, part in enumerate((lines[:4], lines[4:])):
        (tmp_path / f"{number}.csv").write_text("\n".join(["drug,age,sex,cured", *part, ""]))
    (tmp_path / "0.csv").write_text("\n".join(["drug,age,sex,cured", *lines[:4], "C,20,f,no", ""]))
    found = cluster.estimates(tmp_path)
    frame = pd.concat([pd.read_csv(path) for path in sorted(tmp_path.iterdir())])
    expected = estimates(frame.drop(columns="cured").reset_index(drop=True), frame["cured"].tolist())
    assert facts(found) == facts(expected)
    assert found.names == ["drug[B]", "drug[C]", "age", "sex[m]", "(intercept)"]
    for certificate in (found.certificate, expected.certificate):
        assert certificate is not None
        assert cluster.verify(certificate, tmp_path)
    data = read(sorted(map(str, tmp_path.iterdir())))
    every_level = estimates(data.X, data.y).certificate
    assert every_level is not None
    assert cluster.verify(every_level, tmp_path)
    with pytest.raises(DataError, match="'drug' holds categories, and a number is for missing numbers"):
        cluster.estimates(tmp_path, missing=0.0)
    write(np.eye(3), [0, 1, 0], tmp_path / "rows.svm")
    assert cluster.estimates(tmp_path / "rows.svm").names[0] == "x1"
    (tmp_path / "same.csv").write_text("drug,cured\nA,yes\nA,no\n")
    with pytest.raises(DataError, match="No column is left"):
        cluster.estimates(tmp_path / "same.csv")


def test_a_time_limit_is_kept() -> None:
    asked = next(tables("multinomial", 20))
    found = cluster.estimates(asked.shards(3), model="multinomial", time_limit=1e-9)
    assert (found.kind, set(found.statuses), found.certificate) == ("undecided", {"undecided"}, None)


def test_what_a_result_cannot_do() -> None:
    asked = Asked(Regression([[0, 3], [0, 1], [1, 2], [1, 4]], [0, 1, 1, 1], "logit", {}))
    found = cluster.estimates(asked.shards(2))
    assert Estimates.from_json(found.to_json()) == found
    assert found.kind == "complete"
    assert "the likelihood has no maximum" in found.explain()
    for ask in (lambda: found.status_of([1, 0, 0]), found.culprits, found.margin_signs):
        with pytest.raises(DataError, match="needs the data; ask a result of estimates"):
            ask()
    with pytest.raises(DataError, match="is about rows on a cluster"):
        _ = found.design


@pytest.mark.parametrize(
    ("y", "options", "said"),
    [
        ([0, 1, 0, 1], {"model": "probet"}, "did you mean 'probit'?"),
        ([0, 1, 2, 1], {}, "needs two classes; y has 3"),
        ([0, 1, -2, 1], {"model": "poisson"}, "numbers of at least 0; y has -2"),
        (list("abab"), {"model": "poisson"}, "A Poisson regression is for counts, numbers of at least 0; y has 'a'"),
        (list("abab"), {"reference": "a"}, "is for model='multinomial', not 'logit'"),
        (list("abab"), {"model": "multinomial", "reference": "c"}, "must be one of ['a', 'b'], not 'c'"),
        (list("abab"), {"classes": ["a"]}, "classes must name each class of y once"),
        (list("abab"), {"time_limit": 0}, "must be a number of seconds above 0"),
        (list("abab"), {"intercept": "no"}, "intercept"),
        (list("abab"), {"trials": [1, 1, 1, 1]}, "'trials' is an option of reading files"),
    ],
)
def test_what_cannot_be_asked(y: list[Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises((DataError, ParameterError)) as caught:
        cluster.estimates(*in_blocks(np.eye(4), np.array(y), [2, 2]), **options)
    assert said in str(caught.value)
