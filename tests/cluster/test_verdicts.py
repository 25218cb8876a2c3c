"""Verdicts on shards: the certificate of a stream of the same rows, checked shard by shard."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import rosenblatt
from rosenblatt import Certificate, ParameterError, Stream, cluster, error_bounds, mistake_bound, separability, write
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.proof.rounds import decide_rounds
from tests.cluster.tables import equal_cuts, in_blocks, table


def tables() -> dict[str, tuple[Any, Any]]:
    """Tables of each kind of verdict, with two classes and with three."""
    X, y = table(1500, 3, noise=0.0)
    found = {"strict": (X, y), "overlap": table(1500, 3)}
    weak = np.vstack([X * [1, 1, 0], [[0, 0, 1], [0, 0, -1]] * 4])  # some rows on the plane, of both classes
    found["weak"] = weak, np.array([*np.where(X[:, 0] > 0, "a", "b"), *"ab" * 4])
    found["weak"][0][: len(X), 0] = np.where(X[:, 0] > 0, 1, -1) * (1 + abs(X[:, 0]))
    found["weak"][0][len(X) :] = [[0, 0, 0]] * 8
    found["three, strict"] = table(1500, 2, 3, noise=0.0)
    found["three, overlap"] = table(1500, 2, 3)
    return found


TABLES = tables()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("shards", [1, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_certificate_is_that_of_a_stream(name: str, shards: int, sparse: bool, tmp_path: Path) -> None:
    X, y = TABLES[name]
    X = scipy.sparse.csr_array(np.where(abs(X) > 0.5, X, 0.0)) if sparse else X
    path = tmp_path / ("rows.npz")
    write(X, y, path)
    local = separability(Stream(path, chunk_bytes=10_000))
    given = in_blocks(X, y, equal_cuts(X.shape[0], shards))
    verdict = cluster.separability(*given)
    assert verdict.kind == local.kind == separability(X, y).kind
    assert verdict.certificate is not None
    assert local.certificate is not None
    assert verdict.certificate.to_json() == local.certificate.to_json()
    assert np.array_equal(verdict.stuck, local.stuck)
    assert verdict.margin_bounds == local.margin_bounds
    assert {pair: found.kind for pair, found in verdict.pairs.items()} == {
        pair: found.kind for pair, found in local.pairs.items()
    }
    assert verdict.certificate.verify(X, y)
    assert cluster.verify(verdict.certificate, *given)


def test_rounds_count_the_bytes_of_the_proof() -> None:
    X, y = TABLES["strict"]
    shards = cluster.Shards(*in_blocks(X, y, equal_cuts(len(y), 5)))
    cluster.separability(shards)
    tests = [one for one in shards.rounds if one.what == "test of the proof"]
    assert all(one.sent > len(shards) * 200 * X[0].nbytes for one in tests)  # it begins with 200 rows of each class


@pytest.mark.parametrize("detail", [False, True])
@pytest.mark.parametrize("through_origin", [False, True])
def test_options(detail: bool, through_origin: bool) -> None:
    X, y = TABLES["overlap"]
    given = in_blocks(X, y, equal_cuts(len(y), 3))
    verdict = cluster.separability(*given, detail=detail, through_origin=through_origin)
    assert verdict.kind == ("overlap" if detail else "not_strict")
    assert verdict.certificate is not None
    assert cluster.verify(verdict.certificate, *given)
    with pytest.raises(ParameterError, match="time_limit"):
        cluster.separability(*given, time_limit=-1)


def test_a_time_limit_is_kept() -> None:
    X, y = TABLES["three, strict"]
    verdict = cluster.separability(*in_blocks(X, y, equal_cuts(len(y), 3)), time_limit=1e-9)
    assert verdict.kind == "undecided"


def test_equal_rows_do_not_depend_on_the_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal rows the first ones are chosen, although products of matrices round them in several ways."""
    monkeypatch.setattr(decide_rounds, "FIRST_ROWS", 1)
    monkeypatch.setattr(decide_rounds, "MAX_NEW_ROWS", 3)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))[rng.integers(0, 60, 3000)]
    y = (X @ rng.standard_normal(5) > 0.1).astype(int)
    texts = set()
    for cuts in ([3000], [1, 2999], [999, 1001, 1000], [37] * 81 + [3]):
        verdict = cluster.separability(*in_blocks(X, y, cuts))
        assert verdict.kind == "strict"
        assert verdict.certificate is not None
        texts.add(verdict.certificate.to_json())
    assert len(texts) == 1


def certificates(X: Any, y: Any) -> list[Certificate]:
    """Certificates of several claims about two classes, made in memory."""
    found = [separability(X, y).certificate, separability(X, y, detail=False).certificate]
    found += [error_bounds(X, y).certificate, mistake_bound(X, y).certificate]
    return [certificate for certificate in found if certificate is not None]


@pytest.mark.parametrize("name", ["strict", "overlap", "weak"])
def test_certificates_made_in_memory_are_checked_by_shards(name: str) -> None:
    X, y = TABLES[name]
    given = in_blocks(X, y, equal_cuts(len(y), 4))
    for certificate in certificates(X, y):
        assert cluster.verify(certificate, *given), certificate
    changed = X.copy()
    changed[len(y) // 2] += 0.5
    others = in_blocks(changed, y, equal_cuts(len(y), 4))
    for certificate in certificates(X, y):
        assert "the digests differ" in cluster.verify(certificate, *others).why


def falsified(certificate: Certificate, given: tuple[Any, Any], **parts: Any) -> Any:
    """The verification of a certificate with other parts, sealed again."""
    body = copy.deepcopy(certificate.body) | parts
    return cluster.verify(Certificate({**body, "seal": seal_of(body)}), *given)


def test_false_claims_are_refused() -> None:
    for name, (X, y) in TABLES.items():
        if "three" in name:
            continue
        given = in_blocks(X, y, equal_cuts(len(y), 4))
        for certificate in certificates(X, y):
            body = certificate.body
            if "hyperplane" in body:
                negative = [f"-{text}" if text[0] != "-" else text[1:] for text in body["hyperplane"]]
                assert not falsified(certificate, given, hyperplane=negative)
            if "witness" in body:
                weights = ["0x3", *["0x1"] * (len(body["witness"]["weights"]) - 1)]
                assert not falsified(certificate, given, witness=body["witness"] | {"weights": weights})
                fewer = {key: part[:-1] for key, part in body["witness"].items()}
                assert not falsified(certificate, given, witness=fewer)
            if "margin" in body:
                assert not falsified(certificate, given, margin=body["margin"] | {"lower": body["margin"]["upper"] * 2})
            if "errors" in body:
                errors = body["errors"]
                assert not falsified(certificate, given, errors=errors | {"upper": errors["upper"] + 1})
                if errors["rows"]:
                    some = errors | {"rows": errors["rows"][:-1], "upper": errors["upper"] - 1}
                    assert "errs on" in falsified(certificate, given, errors=some).why
            if "mistakes" in body:
                assert not falsified(certificate, given, mistakes=body["mistakes"] | {"radius": 0.1})
    X, y = TABLES["weak"]
    given = in_blocks(X, y, equal_cuts(len(y), 4))
    weak = separability(X, y).certificate
    assert weak is not None
    assert "o row is off the hyperplane" in falsified(weak, given, hyperplane=["0x0"] * 4).why
    assert not falsified(weak, given, claim="overlap")


def test_what_is_checked_elsewhere() -> None:
    X, y = TABLES["overlap"]
    given = in_blocks(X, y, equal_cuts(len(y), 4))
    one_pass = mistake_bound(X, y, hyperplane=rosenblatt.Hyperplane([1.0, 0.0, 0.0], 0.0)).certificate
    assert "is checked where all rows are in memory" in cluster.verify(one_pass, *given).why
    with pytest.raises(ParameterError, match="must be a Certificate, not str"):
        cluster.verify("{}", *given)  # type: ignore[arg-type]
    other = in_blocks(X, np.where(y == "a", "b", "c"), equal_cuts(len(y), 4))
    verdict = cluster.separability(*given)
    assert verdict.certificate is not None
    assert "labels are not those of the rows" in cluster.verify(verdict.certificate, *other).why
