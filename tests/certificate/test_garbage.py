"""Certificates with arbitrary content and a valid seal: the checker raises nothing and accepts nothing false."""

import copy
import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Certificate, DataError, Hyperplane, error_bounds, mistake_bound, separability
from rosenblatt.base.exact import number_of, text_of
from rosenblatt.certificate.check_claims import CLAIMS
from tests.certificate.test_certificate import changes
from tests.certificate.test_tampered import only_its_parts, sealed
from tests.support.claims_oracle import SAMPLES, XOR, Body, falsehoods, sample
from tests.support.effort import examples

FEW = [
    *["strict", "strict through the origin", "strict with names", "weak", "overlap", "not strict", "weak of three"],
    *["a pair of three", "errors", "two errors", "mistakes", "mistakes of three", "mistakes in one pass", "a run"],
]
Path = tuple[Any, ...]


def judge(body: Any, X: Any, y: Any) -> bool:
    """Verify without an exception. The answer is True only if the claim is true and can be explained."""
    certificate = sealed(body)
    found = certificate.verify(X, y)
    answer = found.verified
    assert answer in (True, False)
    assert found.why
    if answer:
        assert falsehoods(body, X, y) == []
        assert isinstance(certificate.explain(), str)
        assert isinstance(repr(certificate), str)
        assert isinstance(hash(certificate), int)
    return answer


def paths(node: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to all parts of a certificate."""
    if path:
        yield path
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        yield from paths(part, (*path, key))


def at(body: Any, path: Path) -> Any:
    for key in path:
        body = body[key]
    return body


def with_part(body: Any, path: Path, new: Any) -> Any:
    body = copy.deepcopy(body)
    at(body, path[:-1])[path[-1]] = new
    return body


def body_of(name: str) -> Body:
    return {
        key: part for key, part in sample(name).certificate.body.items() if key not in ("seal", "format", "version")
    }


# ---------------------------------------------------------------------------------------------------------------------
# Parts replaced

NASTY: list[Any] = [
    *[
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        10**30,
        -(10**4000),
        0.0,
        -0.0,
        1.0,
        1.5,
        1e308,
        5e-324,
        -1e9,
        float("nan"),
        float("inf"),
    ],
    *["", "0x0", "-0x1", "0x1", "0x1p99999", "0x1p999999", "a", "strict", "\ud800", "Novikoff"],
    *[[], [[]], {}, [0], [0, 1], ["0x1"], [None], {"rows": [0], "weights": ["0x1"]}, [[[[0]]]], {"0": 0}],
]


@pytest.mark.parametrize("name", FEW)
def test_any_part_replaced_by_something_nasty(name: str) -> None:
    X, y, _ = sample(name)
    body = body_of(name)
    for path in paths(body):
        for new in NASTY:
            judge(with_part(body, path, new), X, y)


@pytest.mark.parametrize("name", SAMPLES)
def test_any_one_change_with_a_new_seal(name: str) -> None:
    X, y, _ = sample(name)
    for body in changes(body_of(name)):
        judge(body, X, y)


@pytest.mark.parametrize("name", FEW)
def test_any_part_replaced_by_another_part(name: str) -> None:
    X, y, _ = sample(name)
    body = body_of(name)
    places = [path for path in paths(body) if path[0] not in ("data", "updates") and len(path) < 4][:40]
    for path, other in itertools.product(places, places):
        judge(with_part(body, path, copy.deepcopy(at(body, other))), X, y)


@pytest.mark.parametrize("name", FEW)
def test_parts_of_other_samples(name: str) -> None:
    X, y, _ = sample(name)
    for other in SAMPLES:
        for key, part in body_of(other).items():
            judge({**body_of(name), key: part}, X, y)
        judge({**body_of(other), "data": body_of(name)["data"]}, X, y)


hexes = st.integers().map(text_of) | st.sampled_from(["0x1p99999", "0x1p9999999", "0x", "-0x0", "0x0p5"])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    hexes,
    st.sampled_from(NASTY),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["rows", "weights"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(6))
@given(st.sampled_from(list(SAMPLES)), st.data())
def test_any_parts_replaced_by_anything(name: str, data: st.DataObject) -> None:
    X, y, _ = sample(name)
    body = body_of(name)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths(body))))
        old = at(body, path)
        like = st.lists(values, min_size=len(old), max_size=len(old)) if isinstance(old, list) else values
        body = with_part(body, path, data.draw(like))
    judge(body, X, y)


@settings(max_examples=examples(2))
@given(values, values)
def test_any_content_at_all(content: Any, claim: Any) -> None:
    for body in (
        {"data": content},
        {"claim": claim, "data": {}, "about": content},
        {"data": {"labels": content}, "claim": claim},
    ):
        assert not judge(body, *XOR)
    others: list[Any] = [content, [content], None, 5, "text"]
    for anything in others:
        assert not Certificate(anything).verify(*XOR)


@settings(max_examples=examples(2))
@given(values)
def test_any_text_is_a_certificate_that_is_refused_or_none(content: Any) -> None:
    for body in (content, {"format": "rosenblatt certificate", "version": 1, "data": content, "seal": content}):
        try:
            certificate = Certificate.from_json(json.dumps(body))
        except DataError:
            continue
        assert not certificate.verify(*XOR)


@settings(max_examples=examples(3))
@given(st.data())
def test_random_proofs_do_not_prove_a_false_claim(data: st.DataObject) -> None:
    rows, d = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 2))
    X = [[data.draw(st.integers(-1, 1)) for _ in range(d)] for _ in range(rows)]
    y = ["a", "b", *data.draw(st.lists(st.sampled_from("ab"), min_size=rows - 2, max_size=rows - 2))]
    made = separability(X, y).certificate
    assert made is not None
    numbers = st.integers(-2, 2).map(text_of)
    chosen = data.draw(st.lists(st.integers(0, rows - 1), max_size=4))
    witness = {"rows": chosen, "weights": [data.draw(numbers) for _ in chosen]}
    body = {key: made.body[key] for key in ("format", "version", "data", "about")}
    body |= {
        "claim": data.draw(st.sampled_from(sorted(CLAIMS))),
        "witness": data.draw(st.sampled_from([witness, made.body.get("witness", witness)])),
    }
    body["hyperplane"] = data.draw(st.lists(numbers, min_size=d + 1, max_size=d + 1))
    wrong, groups = (
        data.draw(st.lists(st.integers(0, rows - 1), unique=True).map(sorted)),
        data.draw(st.lists(st.just(chosen), max_size=2)),
    )
    body["errors"] = {
        "hyperplane": body["hyperplane"],
        "rows": wrong,
        "upper": len(wrong),
        "lower": len(groups),
        "witnesses": groups,
    }
    only_its_parts(body)
    certificate = sealed(body)
    if certificate.verify(X, y):
        assert falsehoods(body, X, y) == []


# ---------------------------------------------------------------------------------------------------------------------
# Deep, long and large


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_texts_are_refused(opening: str) -> None:
    """Nested texts, up to the depth that can be read and beyond."""
    closing = "]" if opening == "[" else "}"
    for depth in [10, 100, *range(700, 1010, 2), 3000, 100_000]:
        part = opening * depth + "0" + closing * depth
        text = f'{{"format": "rosenblatt certificate", "version": 1, "data": {part}, "seal": ""}}'
        try:
            certificate = Certificate.from_json(text)
        except DataError:
            continue
        found = certificate.verify(*XOR)
        assert not found
        assert found.why


def test_a_content_that_contains_itself_is_refused() -> None:
    body: Body = {"claim": "strict", "seal": ""}
    body["data"] = body
    assert not Certificate(body).verify(*XOR)


def test_what_is_no_json_is_refused() -> None:
    parts: list[Any] = [object(), {1, 2}, b"bytes", {1: 2, "a": 3}, 1j, np.float64(1), np.ones(3)]
    for part in parts:
        assert not Certificate({**sample("overlap").certificate.body, "data": part}).verify(*XOR)


X_MANY = np.random.default_rng(0).normal(size=(60, 8))
Y_MANY = (X_MANY[:, 0] > 0).astype(int)
Y_MIXED = np.random.default_rng(1).integers(0, 2, 60)
LONG = "0x" + "9e3779b97f4a7c15" * 1500  # some 100,000 bits
HUGE = "0x1p99999"


def many(kind: str) -> tuple[Any, Any, Body]:
    y: Any = Y_MANY if kind in ("strict", "mistakes") else Y_MIXED
    if kind in ("strict", "overlap"):
        certificate = separability(X_MANY, y).certificate
    elif kind == "errors":
        certificate = error_bounds(X_MANY, y, time_limit=0.5).certificate
    else:
        plane = Hyperplane(np.eye(8)[0], 0.1) if kind == "one pass" else None
        certificate = mistake_bound(X_MANY, y, hyperplane=plane).certificate
    assert certificate is not None
    assert certificate.verify(X_MANY, y)
    return X_MANY, y, {key: part for key, part in certificate.body.items() if key != "seal"}


@pytest.mark.parametrize("factor", [HUGE, LONG, "mixed"], ids=["huge", "long", "mixed"])
@pytest.mark.parametrize("kind", ["strict", "overlap", "errors", "mistakes", "one pass"])
def test_very_long_numbers_are_answered(kind: str, factor: str) -> None:
    """A huge number replaces all numbers of a list, or multiplies them."""
    X, y, body = many(kind)
    lists = [path for path in paths(body) if path[-1] in ("hyperplane", "weights", "level", "bound")]
    for path in lists:
        texts = at(body, path) if isinstance(at(body, path), list) else [at(body, path)]
        factors = itertools.cycle([HUGE, LONG, "0x1"] if factor == "mixed" else [factor])
        products = [text_of(number_of(text) * number_of(by)) for text, by in zip(texts, factors, strict=False)]
        for numbers in (list(itertools.islice(factors, len(texts))), products):
            certificate = sealed(with_part(body, path, numbers if isinstance(at(body, path), list) else numbers[0]))
            answer = certificate.verify(X, y)
            if path == ("hyperplane",) and numbers == products and factor != "mixed":
                assert answer  # a positive multiple is the same hyperplane


@pytest.mark.parametrize("count", [1000, 300_000])
def test_very_many_classes_rows_or_labels_are_answered(count: int) -> None:
    X, y, body = many("overlap")
    for path, new in [
        (("about", "between"), list(range(count))),
        (("data", "labels"), [0] * count),
        (("witness", "rows"), list(range(count))),
        (("witness", "rows"), [0] * count),
        (("witness", "weights"), ["0x1"] * count),
        (("claim",), "a" * count),
    ]:
        assert not judge(with_part(body, path, new), X, y)
    judge(with_part(body, ("data", "labels"), list(range(count))), X, y)
    both = with_part(with_part(body, ("about", "between"), list(range(count))), ("data", "labels"), list(range(count)))
    assert not judge(both, X, y)
    X, y, body = many("errors")
    several: list[Any] = [[list(range(60))] * 2, [[i] for i in range(60)], [[]] * count, [[0]] * count]
    for witnesses in several:
        assert not judge(with_part(body, ("errors", "witnesses"), witnesses), X, y)
