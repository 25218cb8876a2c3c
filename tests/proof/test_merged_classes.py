"""Many classes: those that overlap are merged. Verdicts against the oracle, certificates and changed certificates."""

import copy
import math
from typing import Any

import numpy as np
import pytest

from rosenblatt import Certificate, separability
from rosenblatt.base.exact import text_of
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.proof import several_classes
from rosenblatt.proof.decide import labelled
from rosenblatt.proof.finders import class_weights, existence
from tests.support.effort import by_day
from tests.support.separability_oracle import kind_of, signed_rows
from tests.support.verdicts import verdict_of_oracle


@pytest.fixture(autouse=True)
def _merge_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows, columns and classes are treated like many."""
    monkeypatch.setattr(several_classes, "MAX_SECONDS", 0.0)
    monkeypatch.setattr(class_weights, "MIN_WEIGHTS", 1)
    monkeypatch.setattr(existence, "MIN_COLUMNS", 1)


def grid(seed: int) -> tuple[Any, list[int]]:
    """Rows of a small grid in 3 to 7 classes. Some classes are moved away, and some columns depend on others."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    n = int(rng.integers(k, 6 * k))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    X = rng.integers(-2, 3, (n, d)) + (rng.integers(0, 2, (k, d)) * rng.integers(0, 9, (k, d)))[y]
    if rng.random() < 0.3:
        X = np.column_stack([X, X.sum(axis=1)])
    return X.astype(float), y.tolist()


def true_kind(X: Any, y: Any, *, bias: bool = True) -> str:
    return kind_of(signed_rows(np.asarray(X).tolist(), list(y), bias=bias))


def test_grids_against_the_oracle() -> None:
    seen = set[tuple[str, bool]]()
    for seed in range(by_day(30, 2000)):
        X, y = grid(seed)
        found = separability(X, y)
        assert found.kind == true_kind(X, y), seed
        assert found.certificate is not None
        assert found.certificate.verify(X, y), seed
        seen.add((found.kind, "merges" in found.certificate.body))
    assert {("strict", False), ("weak", True), ("overlap", True)} <= seen


@pytest.mark.parametrize("family", ["three", "four", "three_large"])
def test_families_against_the_oracle(family: str) -> None:
    for seed in range(by_day(12, 300)):
        verdict_of_oracle(family, seed)


def test_a_core_of_classes_that_separate_in_pairs() -> None:
    """The corners of a square and its centre: no pair overlaps, but all five together do, and one more is far away."""
    X = np.array([[0, 0], [4, 0], [0, 4], [4, 4], [2, 2], [2, 1], [1, 2], [30, 0], [31, 0]], float)
    y = [0, 1, 2, 3, 4, 4, 4, 5, 5]
    moved = np.vstack([X, X + np.array([0.5, 0.25])])
    labels = [*y, *y]
    found = separability(moved, labels)
    assert {pair.kind for pair in found.pairs.values()} == {"strict"}
    assert found.kind == true_kind(moved, labels)
    assert found.certificate is not None
    assert found.certificate.verify(moved, labels)


def changed(body: Any, **parts: Any) -> Certificate:
    new = {**copy.deepcopy(body), **parts}
    return Certificate({**new, "seal": seal_of(new)})


def test_changed_certificates_are_true_or_refused() -> None:
    """A certificate that was changed is accepted only if what it claims is true."""
    rng = np.random.default_rng(0)
    accepted = refused = 0
    for seed in range(by_day(20, 600)):
        X, y = grid(seed)
        certificate = separability(X, y).certificate
        assert certificate is not None
        if "merges" not in certificate.body:
            continue
        truth = true_kind(X, y)
        for _ in range(12):
            body = certificate.to_dict()
            change(body, rng)
            check = changed(body).verify(X, y)
            claim = body["claim"]
            is_true = claim == truth or (claim == "not_strict" and truth != "strict")
            assert is_true or not check, (seed, body)
            accepted, refused = accepted + bool(check), refused + (not check)
    assert refused > 50
    assert accepted  # for example with a step more than needed


def change(body: Any, rng: Any) -> None:
    """Change the claim, a step, a group, a row, a weight, the rows that span or the hyperplane."""
    step = body["merges"][rng.integers(len(body["merges"]))]
    witness = step.get("witness") or step["near_witness"]
    match rng.integers(8):
        case 0:
            body["claim"] = str(rng.choice(["weak", "overlap", "not_strict", "strict"]))
        case 1:
            body["merges"].remove(step)
        case 2:
            step["between"] = sorted({*step["between"][1:], int(rng.integers(len(body["data"]["labels"])))})
        case 3:
            witness["rows"][0] = int(rng.integers(body["data"]["rows"]))
        case 4:
            witness["weights"][0] = text_of(int(rng.integers(1, 99)))
        case 5:
            step["span"] = step["span"][1:]
        case 6:
            body.pop("hyperplane", None)
            body["claim"] = "overlap"
        case _:
            body["hyperplane"] = body.get("hyperplane", ["1"])[::-1]


def test_claims_that_need_more() -> None:
    """Steps that span too little, no steps, or steps about some of the classes only prove nothing."""
    X = np.array([[0, 0], [2, 0], [1, 0], [3, 0], [0, 5], [9, 9]], float)
    y = [0, 0, 1, 1, 2, 3]
    certificate = separability(X, y).certificate
    assert certificate is not None
    body = certificate.to_dict()
    witness = {"rows": [0, 1, 2], "weights": [text_of(1), text_of(1), text_of(2)]}
    step = {"between": [0, 1], "witness": witness, "span": [0, 1, 2]}
    whole = {"version": 4, "claim": "overlap", "merges": [step]}
    for key in ("witness", "near_witness", "hyperplane", "margin"):
        body.pop(key, None)
    assert "do not span all rows" in changed(body, **whole).verify(X, y).why
    assert changed(body, **whole | {"claim": "not_strict"}).verify(X, y)
    assert "One merge" in changed(body, **whole | {"claim": "not_strict", "merges": []}).verify(X, y).why
    assert not changed(body, **whole | {"claim": "not_strict", "merges": [step, step]}).verify(X, y)
    assert not changed(body, **whole | {"merges": []}).verify(X, y)
    assert "version 4" in changed(body, **whole | {"version": 1}).verify(X, y).why
    assert "no such groups" in changed(body, **whole | {"merges": [step | {"between": [0, 9]}]}).verify(X, y).why
    outside = [step | {"span": [0, 1, 4]}]
    assert "not rows of the groups" in changed(body, **whole | {"merges": outside}).verify(X, y).why


def test_newton_finds_weights_of_many_classes() -> None:
    """40 classes on a parabola separate strictly; the weights are proved, and the words are those of any verdict."""
    x = np.arange(40.0)
    X, y = np.column_stack([x, x * x]), np.arange(40)
    w = class_weights.class_weights(labelled(X, y).table, y, 40, 1.0, math.inf)
    assert w is not None
    scores = np.column_stack([X, np.ones(40)]).astype(object) @ np.array(w, dtype=object).reshape(40, 3).T
    assert all(int(np.argmax(scores[i])) == i for i in range(40))
    found = separability(X, y)
    assert found.kind == "strict"
    assert found.certificate is not None
    assert found.certificate.verify(X, y)


def test_the_words_of_a_certificate_with_merges() -> None:
    X, y = np.array([[0.0], [1.0], [0.5], [9.0], [10.0]]), ["a", "a", "b", "c", "c"]
    certificate = separability(X, y).certificate
    assert certificate is not None
    assert "merges" in certificate.body
    assert certificate.explain().endswith("are merged, in 1 step. In the end 3 classes are 2 groups.")
