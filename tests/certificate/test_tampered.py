"""Certificates with a false claim in the right format and with a valid seal are refused."""

import copy
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rosenblatt import Certificate, separability
from rosenblatt.base.exact import text_of
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.check_claims import CLAIMS
from rosenblatt.certificate.exact_table import read_table
from tests.support.claims_oracle import SAMPLES, TOUCH, XOR, Body, falsehoods, sample

Change = Callable[[Body], object]


def sealed(body: Body) -> Certificate:
    body = {key: part for key, part in body.items() if key != "seal"}
    return Certificate({**body, "seal": seal_of(body)})


def forged(name: str, change: Change) -> Certificate:
    """A sample with a change and a new seal."""
    body = copy.deepcopy(sample(name).certificate.body)
    change(body)
    return sealed(body)


def put(*path: Any) -> Change:
    """A change that puts the last argument at the path of the others."""
    *where, last, new = path

    def change(body: Any) -> None:
        for key in where:
            body = body[key]
        body[last] = new(body[last]) if callable(new) else new

    return change


def put_all(*changes: Change) -> Change:
    return lambda body: [change(body) for change in changes]


PARTS = {
    "strict": {"hyperplane", "margin", "mistakes", "updates"},
    "weak": {"hyperplane", "witness", "updates"},
    "overlap": {"witness", "updates"},
    "not_strict": {"witness"},
    "errors": {"errors"},
    "mistakes": {"mistakes", "updates"},
    "worst_error": {"worst_error"},
}


def only_its_parts(body: Body) -> None:
    """Remove the parts that do not belong to the claim."""
    for key in set(body) - {"format", "version", "claim", "data", "about"} - PARTS[body["claim"]]:
        del body[key]


def with_digest(name: str, change: Change) -> Change:
    """A change, with the digest for the labels after it."""

    def changed(body: Body) -> None:
        change(body)
        code = {label: k for k, label in enumerate(body["data"]["labels"])}
        codes = np.array([code[label] for label in sample(name).y])
        body["data"]["digest"] = read_table(sample(name).X).digest(codes)

    return changed


def refused(name: str, change: Change, why: str) -> None:
    certificate = forged(name, change)
    X, y, _ = sample(name)
    found = certificate.verify(X, y)
    assert not found, certificate.body
    assert re.search(why, found.why, re.IGNORECASE), found.why


def negated(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


def up(x: float) -> float:
    return float(np.nextafter(x, 1e308))


KINDS = ["strict", "weak", "overlap", "not_strict"]
NOT_FLOATS = [1, None, "1.0", [1.0], float("nan"), float("inf"), True]
NOT_WHOLE = [1, 1.0, None, "1", "0x", "1p5", "0x1p-1", ["0x1"], "0x1.8", "0xG"]


# ---------------------------------------------------------------------------------------------------------------------
# Another claim


@pytest.mark.parametrize("name", SAMPLES)
def test_no_proof_of_one_claim_serves_a_false_one(name: str) -> None:
    X, y, certificate = sample(name)
    for claim in CLAIMS:
        for other in (forged(name, put("claim", claim)), forged(name, put_all(put("claim", claim), only_its_parts))):
            if other.verify(X, y):
                assert falsehoods(other.body, X, y) == []
            else:
                assert claim != certificate.claim


@pytest.mark.parametrize(
    "name", ["overlap", "overlap of floats", "overlap of three", "weak", "weak on a line", "weak of three"]
)
def test_a_witness_proves_not_strict_too(name: str) -> None:
    certificate = forged(name, put_all(put("claim", "not_strict"), only_its_parts))
    assert certificate.verify(*sample(name)[:2])


@pytest.mark.parametrize(("name", "claim"), [*itertools.product(SAMPLES, KINDS)])
def test_parts_of_other_proofs_do_not_prove_a_false_claim(name: str, claim: str) -> None:
    """Every hyperplane and witness of any sample, under every claim."""
    X, y, certificate = sample(name)
    parts = [sample(other).certificate.body for other in SAMPLES]
    width = len(certificate.body["data"]["labels"]) * (certificate.body["data"]["columns"] + 1)
    planes = [part["hyperplane"] for part in parts if len(part.get("hyperplane", [])) in (2, 3, width)]
    witnesses = [part["witness"] for part in parts if "witness" in part]
    basis = {key: certificate.body[key] for key in ("format", "version", "data", "about")}
    for plane, witness in itertools.product(planes, witnesses):
        body = {**basis, "claim": claim, "hyperplane": plane, "witness": witness}
        only_its_parts(body)
        if sealed(body).verify(X, y):
            assert falsehoods(body, X, y) == []


# ---------------------------------------------------------------------------------------------------------------------
# Hyperplanes and witnesses


@pytest.mark.parametrize("name", ["strict", "strict in floats", "strict of three", "weak", "strict through the origin"])
def test_another_hyperplane_is_refused(name: str) -> None:
    X, y, certificate = sample(name)
    plane = certificate.body["hyperplane"]
    for j, text in enumerate(plane):
        flipped = put("hyperplane", [*plane[:j], negated(text), *plane[j + 1 :]])
        if len(plane) > 4 or text == "0x0":  # with more than two classes it may still be good enough
            assert falsehoods(forged(name, flipped).body, X, y) == [] or not forged(name, flipped).verify(X, y)
        else:
            refused(name, flipped, "right side|closer")
        refused(name, put("hyperplane", [*plane[:j], *plane[j + 1 :]]), "weights, expected")
    refused(name, put("hyperplane", [negated(text) for text in plane]), "right side")
    refused(name, put("hyperplane", ["0x0"] * len(plane)), "right side|off the hyperplane")
    refused(name, put("hyperplane", [*plane, "0x0"]), "weights, expected")
    for bad in NOT_WHOLE:
        refused(name, put("hyperplane", [bad, *plane[1:]]), "not a whole number")


@pytest.mark.parametrize(
    "name", ["weak", "weak on a line", "overlap", "overlap of floats", "not strict", "overlap of three"]
)
def test_another_witness_is_refused(name: str) -> None:
    X, y, certificate = sample(name)
    rows, weights = certificate.body["witness"]["rows"], certificate.body["witness"]["weights"]
    for t, text in enumerate(weights):
        refused(name, put("witness", "weights", t, text_of(7919)), "does not add up to 0")
        refused(name, put("witness", "weights", t, negated(text)), "not positive")
        refused(name, put("witness", "weights", t, "0x0"), "not positive")
        refused(name, put("witness", "weights", t, 1), "not a whole number")
        refused(name, put("witness", "weights", weights[:t] + weights[t + 1 :]), "rows for")
        refused(name, put("witness", "rows", t, len(y)), "not one of those")
        refused(name, put("witness", "rows", t, -1), "not one of those")
        for bad in (float(rows[t]), str(rows[t]), None, [rows[t]], True):
            refused(name, put("witness", "rows", t, bad), "row number.* is not a whole number")
        for i in range(len(y)):
            other = forged(name, put("witness", "rows", t, i))
            if i != rows[t] and other.verify(X, y):
                assert X[i] == X[rows[t]]  # an equal row of the same class is as good
                assert y[i] == y[rows[t]]
    double = put_all(put("witness", "rows", [*rows, rows[0]]), put("witness", "weights", [*weights, "0x1"]))
    refused(name, double, "listed twice|compared with|argument|not well formed")
    refused(name, put("witness", {"rows": [], "weights": [], "against": []}), "0 rows for 0 weights")


@pytest.mark.parametrize("claim", ["", "Strict", "separable", None, 1, ["strict"], {}])
def test_other_claims_are_refused(claim: Any) -> None:
    refused("strict", put("claim", claim), "the claim .* is unknown|well formed")


def test_a_witness_of_more_rows_than_are_ever_needed_is_refused() -> None:
    X, y = [[0]] * 10, [0, 1] * 5
    made = separability(X, y).certificate
    assert made is not None
    for count, answer in ((4, True), (6, False)):  # two for each weight of a hyperplane are enough
        witness = {"rows": list(range(count)), "weights": ["0x1"] * count}
        found = sealed({**made.body, "witness": witness}).verify(X, y)
        assert found.verified == answer, found.why
    assert "more than are ever needed" in found.why


def test_a_row_listed_twice_is_refused_even_if_it_adds_up() -> None:
    halves = {"rows": [0, 0, 1, 2, 3], "weights": ["0x1", "0x1", "0x1p1", "0x1p1", "0x1p1"]}
    refused("overlap", put("witness", halves), "listed twice")


def test_a_witness_that_does_not_span_proves_no_overlap_and_no_weak() -> None:
    """Two equal rows of different classes add up to 0, but say nothing about others."""
    pair = {"rows": [1, 2], "weights": ["0x1", "0x1"]}
    refused("weak", put_all(put("claim", "overlap"), put("witness", pair), only_its_parts), "does not span row 0")
    assert sample("weak on a line").certificate.body["hyperplane"][1:] == [
        "0x0",
        "0x0",
    ]  # has the first four rows on it
    refused("weak on a line", put("witness", {**pair, "rows": [2, 3]}), "does not span row 0")


# ---------------------------------------------------------------------------------------------------------------------
# Margins


def test_bounds_of_a_margin_of_1() -> None:
    """The classes 0, 1 and 3, 4 have the margin 1."""
    for lower in (1.0000000000000002, 1.5, 1e300):
        refused(
            "strict", put_all(put("margin", "lower", lower), put("margin", "upper", 1e308)), "closer to the hyperplane"
        )
    for upper in (0.9999999999999999, 0.5):
        refused("strict", put_all(put("margin", "upper", upper), put("margin", "lower", 0.0)), "not as close to 0 as")
    refused("strict", put("margin", "lower", lambda x: -x), "not in order")
    refused("strict", put_all(put("margin", "lower", 0.75), put("margin", "upper", 0.5)), "not in order")
    for end, bad in itertools.product(("lower", "upper"), NOT_FLOATS):
        refused("strict", put("margin", end, bad), "is not a finite float")
    for lower, upper in ((0.0, 2.0), (0.5, 1.0000000000000002), (5e-324, 1e308)):
        looser = forged("strict", put_all(put("margin", "lower", lower), put("margin", "upper", upper)))
        assert looser.verify(*sample("strict")[:2])


@pytest.mark.parametrize(
    "name", ["strict in floats", "strict through the origin", "mistakes", "mistakes of three", "a run with a margin"]
)
def test_bounds_of_a_margin_that_are_not_true(name: str) -> None:
    for where in (["margin"], ["mistakes", "margin"]):
        body = sample(name).certificate.body
        for key in where:
            body = body.get(key, {})
        if body:
            refused(name, put(*where, "lower", lambda x: x * (1 + 1e-12)), "closer to the hyperplane|not in order")
            tight = put_all(put(*where, "upper", lambda x: x * (1 - 1e-3)), put(*where, "lower", 5e-324))
            refused(name, tight, "not as close to 0 as|bound of")


@pytest.mark.parametrize(("part", "new", "why"), [
    (["margin", "rows", 0], 99, "not one of those"),
    (["margin", "rows"], [1, 1], "listed twice"),
    (["margin", "rows"], [0, 3], "not as close to 0 as"),
    (["margin", "rows"], [0, 1], "class has no weights"),
    (["margin", "weights", 0], "0x0", "not positive"),
    (["margin", "weights", 0], "-0x1", "not positive"),
    (["margin", "weights"], ["0x1"], "2 rows for 1 weights"),
    (["margin", "weights"], [], "2 rows for 0 weights"),
])  # fmt: skip
def test_another_point_of_the_hulls_is_refused(part: list[Any], new: Any, why: str) -> None:
    assert sample("strict").certificate.body["margin"]["rows"] == [1, 2]
    refused("strict", put(*part, new), why)


# ---------------------------------------------------------------------------------------------------------------------
# What all claims have


@pytest.mark.parametrize("name", SAMPLES)
def test_the_digest_and_size_of_other_data_are_refused(name: str) -> None:
    other = sample("two errors" if name != "two errors" else "overlap").certificate.body["data"]["digest"]
    refused(name, put("data", "digest", other), "digests differ")
    refused(name, put("data", "rows", lambda n: n + 1), "it is about")
    refused(name, put("data", "columns", lambda d: d + 1), "it is about|one for each column")
    refused(name, put("data", "labels", lambda labels: labels[::-1]), "digests differ")
    refused(name, put("data", "labels", lambda labels: labels[1:]), "label|classes")


NOT_CLASSES: list[Any] = [
    *[
        [],
        [0],
        [1, 0],
        [0, 0],
        [1, 1],
        [0, 2],
        [0, 99],
        [-1, 0],
        [-1, 1],
        [1, 2],
        [0, 1, 2],
        [0, 10**30],
        [0, 1, 10**400],
    ],
    *[[0.0, 1.0], [0, 0.5], [False, True], ["0", "1"], [[0], [1]], [0, None], None, "01", {"0": 1}, 1, [0, 1, 1.5]],
]


@pytest.mark.parametrize("name", ["strict", "weak", "overlap", "mistakes", "errors"])
@pytest.mark.parametrize("between", NOT_CLASSES, ids=lambda between: repr(between)[:20])
def test_classes_that_there_are_not_are_refused(name: str, between: Any) -> None:
    refused(name, put("about", "between", between), "classes|well formed|class")


@pytest.mark.parametrize("name", ["strict", "overlap", "mistakes"])
@pytest.mark.parametrize("constant", [1, True, None, "1.0", [1.0], float("nan"), float("inf"), -float("inf")], ids=repr)
def test_a_constant_that_is_no_float_is_refused(name: str, constant: Any) -> None:
    refused(name, put("about", "constant", constant), "constant.* is not a (finite )?float")


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("constant", [0.0, -1.0, 0.5, 3.0, 1e-320, 1e300])
def test_another_constant_is_refused_unless_the_claim_holds_for_it(name: str, constant: float) -> None:
    certificate = forged(name, put("about", "constant", constant))
    if certificate.verify(*sample(name)[:2]):
        assert falsehoods(certificate.body, *sample(name)[:2]) == []


@pytest.mark.parametrize("between", [[0, 1], [0, 2], [1, 2], [0, 1, 2]])
@pytest.mark.parametrize("name", ["a pair of three", "a tied pair of three", "weak of three", "overlap of three"])
def test_other_classes_are_refused_unless_the_claim_holds_for_them(name: str, between: list[int]) -> None:
    certificate = forged(name, put("about", "between", between))
    if certificate.verify(*sample(name)[:2]):
        assert falsehoods(certificate.body, *sample(name)[:2]) == []


@pytest.mark.parametrize("plane", [["0x0", "0x0", "0x1"], ["0x0", "0x0", "-0x1"]])
@pytest.mark.parametrize(
    ("labels", "between"),
    [
        *[(["even", "odd", "even"], [0, 1]), (["odd", "even", "odd"], [0, 1]), (["even", "even", "odd"], [0, 2])],
        *[
            (["even", "odd"], ["0", "1"]),
            (["even", "odd"], [0, 99]),
            (["even", "odd"], [0.5, 1]),
            (["even", "odd"], [-1, 0]),
        ],
    ],
    ids=repr,
)
def test_overlapping_classes_are_not_strict_under_other_labels(labels: Any, between: Any, plane: Any) -> None:
    """A label that is listed twice, or a class number that does not exist, would leave rows out."""
    about = put_all(put("data", "labels", labels), put("about", "between", between))
    claim = put_all(put("claim", "strict"), lambda body: body.update(hyperplane=plane), only_its_parts)
    refused("overlap", with_digest("overlap", put_all(about, claim)), "label|class|well formed")


FOREIGN: list[tuple[str, str, Any]] = [
    ("strict", "errors", {"lower": 3, "upper": 7}),
    ("overlap", "margin", {"lower": 3.0, "upper": 7.0}),
    ("weak", "margin", {"lower": 3.0, "upper": 7.0}),
    ("errors", "margin", {"lower": 3.0, "upper": 7.0}),
    ("mistakes", "margin", {"lower": 3.0, "upper": 7.0}),
    ("mistakes", "errors", {"lower": 3, "upper": 7}),
    ("overlap", "mistakes", lambda _: sample("mistakes").certificate.body["mistakes"]),
    ("overlap", "updates", -5),
    ("overlap", "updates", "many"),
    ("strict", "updates", 0.5),
]


@pytest.mark.parametrize(("name", "part", "new"), FOREIGN, ids=lambda value: str(value)[:20])
def test_parts_that_are_told_but_not_checked_are_refused(name: str, part: str, new: Any) -> None:
    """Such a part is not checked, but `explain` would repeat it."""
    refused(name, put_all(lambda body: body.setdefault(part, None), put(part, new)), "")


def test_a_row_of_three_classes_is_not_two_errors() -> None:
    """A row counts as one error, even if several classes score as much as its own."""
    X, y, certificate = sample("weak of three")
    basis = {key: certificate.body[key] for key in ("format", "version", "data", "about")}
    twice = [i for i in range(len(y)) for _ in range(2)]
    errors = {"hyperplane": ["0x0"] * 6, "rows": twice, "upper": len(twice), "lower": 0, "witnesses": []}
    assert not sealed({**basis, "claim": "errors", "errors": errors}).verify(X, y)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("strict", ["hyperplane"]),
        ("strict", ["margin", "weights"]),
        ("errors", ["errors", "hyperplane"]),
        ("mistakes", ["mistakes", "hyperplane"]),
    ],
)
def test_keys_of_an_object_are_no_list_of_numbers(name: str, path: list[str]) -> None:
    """An object in place of a list has no order, and the seal is the same in any order."""
    refused(name, put(*path, dict.fromkeys), "")


def test_the_true_ones_are_true() -> None:
    assert separability(*TOUCH).kind == "weak"
    assert separability(*XOR).kind == "overlap"
