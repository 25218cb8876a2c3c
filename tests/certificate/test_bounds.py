"""Certificates of bounds: a claim that goes beyond its proof is refused, even with a valid seal."""

import itertools
import math
from typing import Any

import pytest

from rosenblatt import Certificate, Hyperplane, mistake_bound
from rosenblatt.base.exact import number_of, text_of
from tests.certificate.test_tampered import NOT_FLOATS, NOT_WHOLE, forged, negated, put, put_all, refused
from tests.support.claims_oracle import XOR, falsehoods, sample

RUNS = ["mistakes", "mistakes with a bias of 2.5", "mistakes without a bias", "mistakes of three", "a run"]
PASSES = ["mistakes in one pass", "mistakes in one pass of floats", "mistakes in one long pass"]


# ---------------------------------------------------------------------------------------------------------------------
# The fewest errors


@pytest.mark.parametrize("name", ["errors", "two errors", "errors through the origin"])
def test_other_bounds_of_errors_are_refused(name: str) -> None:
    errors = sample(name).certificate.body["errors"]
    rows, witnesses = errors["rows"], errors["witnesses"]
    others = [i for i in range(len(sample(name).y)) if i not in rows]
    refused(name, put("errors", "rows", rows[:-1]), "errs on")
    refused(name, put("errors", "rows", [*rows, others[0]]), "errs on")
    refused(name, put("errors", "rows", [*rows[:-1], others[0]]), "errs on")
    refused(name, put_all(put("errors", "rows", rows[:-1]), put("errors", "upper", lambda n: n - 1)), "errs on")
    for end, by in itertools.product(("lower", "upper"), (-1, 1)):
        refused(name, put("errors", end, lambda n, by=by: n + by), "lower bound|claims . errors")
    refused(name, put("errors", "hyperplane", [negated(text) for text in errors["hyperplane"]]), "errs on")
    refused(name, put("errors", "hyperplane", ["0x0"] * len(errors["hyperplane"])), "errs on")
    more = put("errors", "lower", len(witnesses) + 1)
    refused(name, put_all(more, put("errors", "witnesses", [*witnesses, witnesses[0]])), "share a row")
    refused(name, put_all(more, put("errors", "witnesses", [*witnesses, []])), "do not combine to 0")
    refused(name, put_all(more, put("errors", "witnesses", [*witnesses, [99]])), "not one of those")
    refused(name, put("errors", "witnesses", 0, [*witnesses[0], witnesses[0][0]]), "listed twice")
    refused(name, put("errors", "witnesses", 0, witnesses[0][1:]), "do not combine to 0")
    refused(name, put("errors", "witnesses", witnesses[1:]), "lower bound")


def test_rows_of_one_class_are_no_witness_of_an_error() -> None:
    one = put_all(put("errors", "lower", 1), put("errors", "witnesses", [[0, 1]]))
    refused("no errors", one, "do not combine to 0")
    refused("no errors", put_all(one, put("errors", "witnesses", [[0, 1, 2, 3]])), "do not combine to 0")


# ---------------------------------------------------------------------------------------------------------------------
# Mistakes


@pytest.mark.parametrize("name", [*RUNS, *PASSES])
def test_a_lower_bound_of_mistakes_is_refused(name: str) -> None:
    bound = number_of(sample(name).certificate.body["mistakes"]["bound"])
    for less in (bound - 1, 0, -1):
        refused(name, put("mistakes", "bound", text_of(less)), "bound.* is less than")
    for bad in NOT_WHOLE:
        refused(name, put("mistakes", "bound", bad), "not a whole number")


@pytest.mark.parametrize("name", [*RUNS, *PASSES])
@pytest.mark.parametrize("digits", [0, 9, 400, 6000])
def test_a_higher_bound_of_mistakes_is_true_too(name: str, digits: int) -> None:
    certificate = forged(name, put("mistakes", "bound", lambda text: text_of(number_of(text) + 10**digits)))
    assert certificate.verify(*sample(name)[:2])
    assert isinstance(certificate.explain(), str)


@pytest.mark.parametrize("name", [*RUNS, *PASSES])
def test_another_radius_is_refused(name: str) -> None:
    zero = put("mistakes", "bound", "0x0")
    for radius in (0.0, 5e-324, 0.5, -0.5):
        refused(name, put("mistakes", "radius", radius), "longer than the radius|radius")
    refused(
        name, put("mistakes", "radius", lambda x: math.nextafter(math.nextafter(x, 0), 0)), "longer than the radius"
    )
    for factor in (-1.0, -2.0, -100.0, -1e200):
        refused(name, put("mistakes", "radius", lambda x, factor=factor: factor * x), "radius")
    refused(name, put_all(put("mistakes", "radius", 1e300), zero), "bound.* is less than")
    for bad in NOT_FLOATS:
        refused(name, put("mistakes", "radius", bad), "is not a finite float")


def test_a_bound_for_one_pass_that_is_less_than_the_rows() -> None:
    """With u = 1, gamma = 3 and one row of the 20 on the wrong side, 3 from 0: R^2 = 10, D = 6, and the bound is 9."""
    name = "mistakes in one long pass"
    part = sample(name).certificate.body["mistakes"]
    assert math.isclose(part["radius"], math.sqrt(10))
    assert number_of(part["bound"]) <= 9
    w = [text_of(number_of(text) // abs(number_of(part["hyperplane"][0]))) for text in part["hyperplane"]]
    by_hand = put_all(put("mistakes", "hyperplane", w), put("mistakes", "level", "0x3"))
    assert forged(name, put_all(by_hand, put("mistakes", "bound", "0x9"))).verify(*sample(name)[:2])
    refused(name, put_all(by_hand, put("mistakes", "bound", "0x8")), "less than")
    refused(name, put("mistakes", "level", "0x1"), "less than")


def test_a_negative_radius_does_not_take_off_what_rows_are_short_of() -> None:
    """With R = -D the bound ((R + D)/gamma)^2 would be 0, but the first row is always a mistake."""
    part = sample("mistakes in one pass").certificate.body["mistakes"]
    w, level = [number_of(text) for text in part["hyperplane"]], number_of(part["level"])
    leads = [(w[0] * a + w[1] * b + w[2]) * (1 if label == "odd" else -1) for (a, b), label in zip(*XOR, strict=True)]
    short = math.sqrt(sum(max(0, level - lead) ** 2 for lead in leads))
    minus = put_all(put("mistakes", "radius", -short / math.hypot(*w)), put("mistakes", "bound", "0x0"))
    refused("mistakes in one pass", minus, "radius")


@pytest.mark.parametrize("name", RUNS)
def test_another_margin_steps_and_threshold_are_refused(name: str) -> None:
    refused(name, put("mistakes", "margin", "lower", lambda x: x * 1.001), "closer to the hyperplane|not in order")
    refused(name, put("mistakes", "margin", "lower", 0.0), "not positive")
    refused(name, put("mistakes", "margin", "lower", lambda x: x / 2), "is less than")
    refused(name, put("mistakes", "steps", [0.5, 1.0]), "is less than")
    refused(name, put("mistakes", "threshold", 1e9), "is less than")
    for steps in ([0.0, 1.0], [1.0, 0.5], [-1.0, 1.0], [-1.0, -1.0]):
        refused(name, put("mistakes", "steps", steps), "not positive")
    refused(name, put("mistakes", "threshold", -1e-9), "not positive")
    for bad in NOT_FLOATS:
        refused(name, put("mistakes", "steps", [1.0, bad]), "is not a finite float")
        refused(name, put("mistakes", "threshold", bad), "is not a finite float")
        refused(name, put("mistakes", "margin", "lower", bad), "is not a finite float")
    for broken in ([], [1.0], [1.0, 1.0, 1.0], None, 1.0):
        refused(name, put("mistakes", "steps", broken), "not well formed|steps")


@pytest.mark.parametrize("name", PASSES)
def test_another_level_is_refused(name: str) -> None:
    for text in ("0x0", "-0x1"):
        refused(name, put("mistakes", "level", text), "level is not positive")
    for factor in (10, 10**9):
        lower = forged(name, put("mistakes", "level", lambda text, f=factor: text_of(number_of(text) // f)))
        if lower.verify(*sample(name)[:2]):  # the bound was the number of rows
            assert falsehoods(lower.body, *sample(name)[:2]) == []
    for bad in NOT_WHOLE:
        refused(name, put("mistakes", "level", bad), "not a whole number")


@pytest.mark.parametrize("name", [*RUNS, *PASSES])
def test_another_hyperplane_and_theorem_are_refused(name: str) -> None:
    X, y, certificate = sample(name)
    plane = certificate.body["mistakes"]["hyperplane"]
    for other in ([negated(text) for text in plane], ["0x0"] * len(plane)):
        if name in RUNS:
            refused(name, put("mistakes", "hyperplane", other), "right side")
        elif (changed := forged(name, put("mistakes", "hyperplane", other))).verify(X, y):
            assert falsehoods(changed.body, X, y) == []  # there are no more mistakes in one pass than rows
    refused(name, put("mistakes", "hyperplane", plane[1:]), "weights, expected")
    for theorem in ("", "novikoff", "Pythagoras", None, ["Novikoff"]):
        refused(name, put("mistakes", "theorem", theorem), "this theorem is unknown")
    another = "Freund and Schapire" if name in RUNS else "Novikoff"
    refused(name, put("mistakes", "theorem", another), "level|right side|margin")


@pytest.mark.parametrize("name", [*RUNS, *PASSES])
def test_more_updates_than_the_bound_are_refused(name: str) -> None:
    bound = number_of(sample(name).certificate.body["mistakes"]["bound"])
    at = forged(name, lambda body: body.update(updates=bound))
    assert at.verify(*sample(name)[:2])
    wrong: list[Any] = [bound + 1, 10**30, -1, float(bound), True, "3", [1], {}]
    for updates in wrong:
        refused(name, put_all(lambda body: body.update(updates=0), put("updates", updates)), "updates")


def test_a_run_that_says_less_than_it_made_is_only_that() -> None:
    """The number of updates cannot be checked, except that it is not above the bound."""
    body = sample("a run").certificate.body
    assert body["updates"] <= number_of(body["mistakes"]["bound"])
    assert forged("a run", put("updates", 0)).verify(*sample("a run")[:2])


@pytest.mark.parametrize("hyperplane", [Hyperplane([1e300, 1e-300], 0.0), Hyperplane([5e-324, 1.0], 1e308)])
def test_hyperplanes_of_all_sizes_have_a_bound_for_one_pass(hyperplane: Hyperplane) -> None:
    X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1]
    certificate = mistake_bound(X, y, hyperplane=hyperplane).certificate
    assert certificate.verify(X, y)
    assert falsehoods(certificate.body, X, y) == []


@pytest.mark.parametrize("bias", [1e200, -1e300, 1e-320])
def test_biases_of_all_sizes_have_a_bound(bias: float) -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    certificate: Any = mistake_bound(X, y, bias=bias).certificate
    assert certificate.verify(X, y)
    assert Certificate.from_json(certificate.to_json()).verify(X, y)
