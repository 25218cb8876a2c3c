"""The claims of certificates. Each is checked against the data in whole numbers.

A proof about signed rows z_i has two halves: a hyperplane w, and a witness (some rows with positive weights). It says:

    every row has  w.z_i > 0,  or  w.z_i = 0  and z_i is a linear combination of the witness;
    the witness adds up to 0.

Take any hyperplane that has no row on its wrong side. The leads of the witness are at least 0 and their weighted sum is
0, so all of them are 0. Then the leads of all rows that the witness spans are 0 too: these rows lie on the hyperplane.
If there are no such rows, the classes are separable (strict). If there are only such rows, the classes overlap
(overlap). In between the verdict is weak. Instead of a witness there may be a near witness, which proves that there is
one (`near_witness`). This file imports none of the searches that find proofs.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of, root_over
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, need
from rosenblatt.certificate.kessler_rows import kessler
from rosenblatt.certificate.near_witness import Relation, check_near_witness
from rosenblatt.certificate.signed_rows import EPS, Signed, are_balanced, outside_span, sum_of
from rosenblatt.certificate.worst_error import check_worst_error


class View(NamedTuple):
    """The signed rows that a claim is about."""

    signed: Signed
    numbers: NDArray[Any]  # the row of the table that each signed row comes from
    against: NDArray[Any] | None  # for more than two classes, the class that each is compared with

    @property
    def rows(self) -> NDArray[Any]:
        """The rows of the table that the claim is about, each once, in increasing order."""
        return self.numbers if self.against is None else np.unique(self.numbers)

    def places(self, rows: Any, against: Any) -> list[int]:
        """The places of these rows of the table among the signed rows."""
        keys: list[Any] = list(rows)
        own: list[Any] = self.numbers.tolist()
        if self.against is not None:
            each = against is not None and len(against) == len(rows)
            need(each, "it does not say which class each row is compared with")
            keys = list(zip(rows, against, strict=True))
            own = list(zip(own, self.against.tolist(), strict=True))
        at = {key: place for place, key in enumerate(own)}
        for key in keys:
            need(key in at, f"row {key} is not one of those that the claim is about")
        need(len(set(keys)) == len(keys), "a row is listed twice")
        return [at[key] for key in keys]


def view(table: Table, codes: NDArray[Any], between: Sequence[int], constant: float) -> View:
    """Signed rows of two classes, the later one positive, or of more by Kessler's construction.

    Each row ends with the constant.
    """
    chosen = np.flatnonzero(np.isin(codes, between))
    part = table if len(chosen) == table.n else table.take(chosen)
    if len(between) == 2:
        signs = np.where(codes[chosen] == between[1], 1, -1).astype(np.int8)
        return View(Signed(part, signs, constant), chosen, None)
    long = kessler(part, np.searchsorted(between, codes[chosen]), len(between), constant)
    return View(long.signed, chosen[long.numbers], np.asarray(between)[long.against])


def check(body: Body, table: Table, codes: NDArray[Any]) -> None:
    """Raise Refuted unless all claims of a body are true. The body must have the right form."""
    seen = view(table, codes, body["about"]["between"], body["about"]["constant"])
    CLAIMS[body["claim"]](body, seen)
    if "mistakes" in body and body["claim"] != "mistakes":
        check_mistakes(body, seen)


def check_strict(body: Body, seen: View) -> None:
    """The hyperplane has all rows strictly on their right side; the bounds of the margin, if given, are true."""
    w = _hyperplane(body["hyperplane"], seen)
    _, signs = seen.signed.leads(w)
    need((signs > 0).all(), _wrong(seen, signs <= 0))
    if "margin" in body:
        _check_margin(body["margin"], seen, w, free=seen.signed.constant != 0)


def check_weak(body: Body, seen: View) -> None:
    """The hyperplane has no row on its wrong side, and the witness spans the rows on it."""
    _, signs = seen.signed.leads(_hyperplane(body["hyperplane"], seen))
    need((signs >= 0).all(), _wrong(seen, signs < 0))
    need((signs > 0).any(), "no row is off the hyperplane")
    _check_spanning(body["witness"], seen, np.flatnonzero(signs == 0))


def check_overlap(body: Body, seen: View) -> None:
    """The witness spans all rows."""
    everything = np.arange(seen.signed.n)
    if "near_witness" in body:
        _check_near(body["near_witness"], seen, everything)
    else:
        _check_spanning(body["witness"], seen, everything)


def check_not_strict(body: Body, seen: View) -> None:
    """The witness adds up to 0."""
    if "near_witness" in body:
        _check_near(body["near_witness"], seen, None)
    else:
        _witness(body["witness"], seen)


def check_errors(body: Body, seen: View) -> None:
    """The hyperplane errs on the listed rows, and the witnesses share no row."""
    errors, used = body["errors"], set[int]()
    need(seen.against is None, "errors can be counted for two classes only")
    _, signs = seen.signed.leads(_hyperplane(errors["hyperplane"], seen))
    wrong = seen.numbers[signs <= 0].tolist()
    need(errors["rows"] == wrong, f"the hyperplane errs on {len(wrong)} rows, not on the {len(errors['rows'])} listed")
    need(errors["upper"] == len(wrong), f"it claims {errors['upper']} errors but lists {len(wrong)}")
    need(errors["lower"] == len(errors["witnesses"]), "the lower bound is not the number of witnesses")
    for witness in errors["witnesses"]:
        rows = seen.places(witness, None)
        need(used.isdisjoint(rows), "two witnesses share a row")
        used.update(rows)
        need(rows and has_positive_null(seen.signed, rows), f"rows {witness} do not combine to 0")


def has_positive_null(signed: Signed, rows: Sequence[int]) -> bool:
    """Do these rows add up to 0 with positive weights, so that no row can be left out?"""
    return are_balanced(signed.whole(rows).matrix.tolist())


def check_mistakes(body: Body, seen: View) -> None:
    """Check a bound on the updates: Novikoff's theorem, or for one pass that of Freund and Schapire."""
    part, updates = body["mistakes"], body.get("updates")
    radius, bound = part["radius"], number_of(part["bound"])
    w = _hyperplane(part["hyperplane"], seen)
    _check_radius(seen.signed, radius)
    if part["theorem"] == "Novikoff":
        _, signs = seen.signed.leads(w)
        need((signs > 0).all(), _wrong(seen, signs <= 0))
        _check_margin(part["margin"], seen, w, free=False)
        allowed = novikoff(radius, part["margin"]["lower"], part["steps"], part["threshold"])
    else:
        allowed = freund_schapire(seen.signed, w, radius, Fraction(number_of(part["level"])))
    need(bound >= math.floor(allowed), "the bound is less than the proof allows")
    need(updates is None or updates <= bound, f"{updates} updates exceed {min(bound, 10**15)}")


def novikoff(radius: float, margin: float, steps: Sequence[float] = (1.0, 1.0), threshold: float = 0.0) -> Fraction:
    """(R/gamma)^2, or more generally (b R^2 + 2 m)/(a gamma^2).

    The steps are between a and b, and a step is made up to the functional margin m.
    """
    R, gamma, m = Fraction(radius), Fraction(margin), Fraction(threshold)
    a, b = (Fraction(step) for step in steps)
    need(0 < a <= b and gamma > 0 and m >= 0, "the steps or the margin are not positive")
    return (b * R**2 + 2 * m) / (a * gamma**2)


def freund_schapire(signed: Signed, w: Sequence[int], radius: float, level: Fraction) -> Fraction:
    """((R + D)/gamma)^2 or a little more, where gamma = level / |w|; at most the number of rows."""
    need(level > 0, "the level is not positive")
    length = root_over(Fraction(sum(number * number for number in w)))
    short = Fraction(0)
    for i in np.flatnonzero(signed.leads(w, level)[1] < 0).tolist():
        short += (level - signed.lead(i, w)) ** 2
    return min(((Fraction(radius) * length + root_over(short)) / level) ** 2, Fraction(signed.n))


def _check_margin(margin: Body, seen: View, w: list[int], *, free: bool) -> None:
    """Check that every row is at least `lower` from the hyperplane, and that no margin is above `upper`.

    The upper bound holds because a point of the hull is not farther than that from 0. With `free` the point is half of
    the difference between a point of each class.
    """
    signed, lower, upper = seen.signed, Fraction(margin["lower"]), Fraction(margin["upper"])
    d = signed.table.d
    square = sum(number * number for number in (w[:d] if free else w))
    need(0 <= lower <= upper and square > 0, "the bounds of the margin are not in order")
    least = lower**2 * square
    for i in np.flatnonzero(signed.leads(w, root_over(least))[1] < 0).tolist():
        lead = signed.lead(i, w)
        need(lead >= 0 and lead**2 >= least, f"a row is closer to the hyperplane than {margin['lower']}")
    rows, weights = _weighted(margin, seen)
    size = hull_square(signed, rows, weights, free=free)
    need(size <= upper**2, f"the combination of the hull is not as close to 0 as {margin['upper']}")


def hull_square(signed: Signed, rows: Sequence[int], weights: Sequence[int], *, free: bool) -> Fraction:
    """The squared length of a convex combination. With `free`: the square of half the distance between two classes."""
    positive = signed.y[list(rows)] > 0 if free else np.ones(len(rows), bool)
    totals = [sum(itertools.compress(weights, part)) for part in ((positive, ~positive) if free else (positive,))]
    need(all(totals), "a class has no weights")
    unit = (1 + free) * math.prod(totals)
    shares = [weight * (totals[own] if free else 1) for weight, own in zip(weights, positive.tolist(), strict=True)]
    total = sum_of(signed, rows, shares)
    return sum(((number / unit) ** 2 for j, number in total.items() if j < signed.table.d or not free), Fraction(0))


def _check_radius(signed: Signed, radius: float) -> None:
    squares, errors = signed.squares()
    limit = Fraction(radius) ** 2
    for i in np.flatnonzero(squares + errors >= radius * radius * (1 - 4 * EPS)).tolist():
        need(signed.square(i) <= limit, f"a row is longer than the radius {radius}")


def _check_spanning(witness: Body, seen: View, stuck: NDArray[Any]) -> None:
    rows, _ = _witness(witness, seen)
    need(len(rows) <= 2 * seen.signed.width, f"the witness has {len(rows)} rows, more than are ever needed")
    outside = outside_span(seen.signed, rows, stuck)
    need(not len(outside), f"the witness does not span row {seen.numbers[outside[0]] if len(outside) else ''}")


def _check_near(part: Body, seen: View, among: NDArray[Any] | None) -> None:
    """There are positive weights with which the rows add up to 0, and they span the rows `among`."""
    rows, weights = _weighted(part, seen)
    relations = [Relation.of(relation) for relation in part.get("relations", [])]
    check_near_witness(seen.signed, rows, weights, relations, np.array(rows) if among is None else among)


def _witness(witness: Body, seen: View) -> tuple[list[int], list[int]]:
    rows, weights = _weighted(witness, seen)
    left = sum_of(seen.signed, rows, weights)
    need(not left, f"the witness does not add up to 0: {len(left)} columns are left")
    return rows, weights


def _weighted(part: Body, seen: View) -> tuple[list[int], list[int]]:
    rows = seen.places(part["rows"], part.get("against"))
    weights = [number_of(text) for text in part["weights"]]
    need(len(rows) == len(weights) > 0, f"there are {len(rows)} rows for {len(weights)} weights")
    need(all(weight > 0 for weight in weights), "a weight is not positive")
    return rows, weights


def _hyperplane(texts: Any, seen: View) -> list[int]:
    w = [number_of(text) for text in texts]
    need(len(w) == seen.signed.width, f"the hyperplane has {len(w)} weights, expected {seen.signed.width}")
    return w


def _wrong(seen: View, wrong: NDArray[np.bool_]) -> str:
    rows = seen.numbers[wrong]
    return f"row {rows[0]} is not on its right side of the hyperplane" if len(rows) else ""


def check_gaussians(body: Body, seen: View) -> None:
    """The bounds of the worst error on Gaussians are true."""
    check_worst_error(body["worst_error"], seen.signed.table, seen.signed.y.tolist())


CLAIMS = {
    "worst_error": check_gaussians,
    "strict": check_strict,
    "weak": check_weak,
    "overlap": check_overlap,
    "not_strict": check_not_strict,
    "errors": check_errors,
    "mistakes": check_mistakes,
}
