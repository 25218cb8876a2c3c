"""The form of certificates: each part has its type, no part is missing, and no unchecked part is accepted."""

from typing import Any

import pytest

from tests.certificate.test_tampered import Change, forged, put, refused
from tests.support.claims_oracle import SAMPLES, sample

WRONG_TYPES: list[tuple[str, list[Any], str]] = [
    ("strict", ["claim", "Strict"], "the claim 'Strict' is unknown"),
    ("strict", ["claim", None], "the claim .* is unknown"),
    ("strict", ["claim", ["strict"]], "the claim .* is unknown"),
    ("strict", ["data", []], "data is not an object"),
    ("strict", ["data", None], "data is not an object"),
    ("strict", ["about", "all"], "about is not an object"),
    ("strict", ["data", "labels", "ab"], "labels"),
    ("strict", ["data", "labels", {"a": 0, "b": 1}], "labels"),
    ("strict", ["data", "labels", ["a", "b", "a"]], "labels"),
    ("strict", ["data", "labels", ["a", ["b"]]], "labels"),
    ("strict", ["data", "labels", ["a", None]], "labels"),
    ("strict", ["data", "labels", ["a", "b", "c"]], "labels"),
    ("strict with names", ["data", "names", ["height"]], "one for each column"),
    ("strict with names", ["data", "names", ["height", 2]], "one for each column"),
    ("strict with names", ["data", "names", "ab"], "one for each column"),
    ("strict", ["margin", []], "margin is not an object"),
    ("weak", ["witness", [1, 2]], "witness is not an object"),
    ("weak", ["witness", "rows", {"1": 0, "2": 0}], "row number of the witness is not a whole number"),
    ("weak", ["witness", "rows", "12"], "row number of the witness is not a whole number"),
    ("weak of three", ["witness", "against", "01"], "class of the witness is not a number"),
    ("weak of three", ["witness", "against", 0, True], "class of the witness is not a number"),
    ("weak of three", ["witness", "against", 0, 1.0], "class of the witness is not a number"),
    ("weak of three", ["witness", "against", lambda codes: codes[1:]], "which class each row is compared with"),
    ("weak of three", ["witness", lambda part: {"rows": part["rows"], "weights": part["weights"]}], "is compared with"),
    ("errors", ["errors", None], "errors is not an object"),
    ("errors", ["errors", "upper", 1.0], "not whole numbers"),
    ("errors", ["errors", "lower", True], "not whole numbers"),
    ("errors", ["errors", "rows", lambda rows: [float(i) for i in rows]], "of the errors is not a whole number"),
    ("errors", ["errors", "rows", lambda rows: {str(i): 0 for i in rows}], "of the errors is not a whole number"),
    ("errors", ["errors", "witnesses", {}], "witnesses are not a list"),
    ("errors", ["errors", "witnesses", "0"], "witnesses are not a list"),
    ("errors", ["errors", "witnesses", 0, [0.0, 1.0, 2.0, 3.0]], "of the errors is not a whole number"),
    ("errors", ["errors", "witnesses", 0, {}], "of the errors is not a whole number"),
    ("mistakes", ["mistakes", "Novikoff"], "this theorem is unknown|not an object"),
    ("mistakes", ["mistakes", "margin", None], "margin is not an object"),
    ("mistakes", ["mistakes", "steps", [1.0]], "steps are not two numbers"),
    ("mistakes", ["mistakes", "steps", "11"], "steps are not two numbers"),
    ("mistakes", ["mistakes", "steps", {"a": 1.0, "b": 1.0}], "steps are not two numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "why"), WRONG_TYPES, ids=lambda value: str(value).split(" at 0x")[0][:40])
def test_a_part_of_another_type_is_refused(name: str, change: list[Any], why: str) -> None:
    refused(name, put(*change), why)


def without(*path: str) -> Change:
    *where, last = path

    def change(body: Any) -> None:
        for key in where:
            body = body[key]
        del body[last]

    return change


def add(*path: str, new: Any) -> Change:
    *where, last = path

    def change(body: Any) -> None:
        for key in where:
            body = body[key]
        body[last] = new

    return change


@pytest.mark.parametrize("name", SAMPLES)
def test_a_part_that_lacks_is_named(name: str) -> None:
    body = sample(name).certificate.body
    optional = {"seal", "margin", "updates", *({"mistakes"} if body["claim"] == "strict" else set())}
    for key in set(body) - optional:
        refused(name, without(key), f"lacks {key}|the claim .* is unknown")
    for part in ("data", "about", "errors", "mistakes", "witness", "margin"):
        for key in set(body.get(part, {})) - {"names", "against", "theorem"}:
            refused(name, without(part, key), f"{part} lacks {key}")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_part_of_which_nothing_is_known_is_named(name: str) -> None:
    body = sample(name).certificate.body
    refused(name, add("note", new="true"), "unknown part 'note'")
    for part in ("data", "about", "errors", "mistakes", "witness", "margin"):
        if part in body:
            refused(name, add(part, "note", new=1), f"{part} has an unknown part 'note'")


@pytest.mark.parametrize("name", SAMPLES)
def test_true_parts_of_other_claims_are_refused(name: str) -> None:
    """Such a part is not checked, but `explain` would repeat it."""
    claim = sample(name).certificate.claim
    parts = {
        "errors": "errors",
        "margin": "strict",
        "witness": "overlap",
        "mistakes": "mistakes",
        "hyperplane": "strict",
    }
    allowed = {"strict": {"hyperplane", "margin", "mistakes"}, "weak": {"hyperplane", "witness"}}.get(
        claim, {"witness"}
    )
    for part, other in parts.items():
        if part not in allowed | {claim}:
            new = sample(other).certificate.body[part]
            refused(name, add(part, new=new), f"unknown part '{part}'")


@pytest.mark.parametrize("name", ["strict", "weak", "overlap", "mistakes", "mistakes in one pass"])
def test_updates_may_be_told_of_a_run(name: str) -> None:
    certificate = forged(name, lambda body: body.update(updates=3))
    assert certificate.verify(*sample(name)[:2])
    assert "3 updates were made, as its maker reports" in certificate.explain()
