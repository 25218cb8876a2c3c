"""The theorems of Novikoff, and of Freund and Schapire, as parts of a certificate."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.exact import root_above, root_over, text_of, whole
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.certificate import check_claims as claims
from rosenblatt.certificate.check_claims import View
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.decide import EPSILON, margin_of
from rosenblatt.proof.prove import FloatSearch, prove


class LargestMargin(NamedTuple):
    """A hyperplane that separates signed rows, and bounds of their largest margin with the proof."""

    w: list[int]
    bounds: dict[str, Any]


def largest_margin(seen: View) -> LargestMargin | None:
    """The largest margin of signed rows with their constant; None if no hyperplane separates them."""
    signed = seen.signed
    search = FloatSearch.of(signed, Goal(EPSILON), math.inf, free=False)
    w = whole(search.hyperplane)
    if not search.found.lower > 0 or not (signed.leads(w)[1] > 0).all():
        w = prove(signed, detail=False, epsilon=EPSILON, deadline=math.inf).hyperplane
    return LargestMargin(w, margin_of(seen, w, search.found, free=False)) if w else None


def novikoff_part(
    found: LargestMargin, radius: float, steps: Sequence[float] = (1.0, 1.0), threshold: float = 0.0
) -> dict[str, Any]:
    """The part of a certificate about Novikoff's bound.

    Parameters
    ----------
    found : the largest margin of the signed rows
    radius : the length of the longest row
    steps : the smallest and the largest step of the rule
    threshold : the functional margin up to which the rule makes a step
    """
    margin = found.bounds
    if not (margin["lower"] > 0 and math.isfinite(margin["upper"]) and math.isfinite(radius)):
        raise DataError(
            f"The radius, {radius:.3g}, or the margin, {margin['lower']:.3g}, is beyond the range of floats; scale X "
            "and the bias by one factor, so that they are closer to 1."
        )
    bound = math.floor(claims.novikoff(radius, margin["lower"], steps, threshold))
    return {
        "theorem": "Novikoff",
        "hyperplane": [text_of(number) for number in found.w],
        "radius": radius,
        "margin": margin,
        "steps": list(steps),
        "threshold": threshold,
        "bound": text_of(bound),
    }


def freund_schapire_part(seen: View, hyperplane: Hyperplane) -> dict[str, Any]:
    """The part of a certificate about the bound for one pass, with a gamma that makes it nearly smallest."""
    signed = seen.signed
    if seen.against is not None:
        raise DataError("The bound for a given hyperplane is for two classes; y has more.")
    if len(hyperplane.w) != signed.table.d or (hyperplane.b and not signed.constant):
        where = "" if signed.constant else " and pass through the origin, because there is no bias"
        raise ParameterError(f"The hyperplane must have a weight for each of the {signed.table.d} columns{where}.")
    exact = [Fraction(x) for x in hyperplane.w.tolist()]
    if signed.constant:
        exact.append(Fraction(hyperplane.b) / Fraction(signed.constant))
    if not any(exact):
        raise ParameterError("All weights of the hyperplane are 0, so it has no direction.")
    w = [number << 40 for number in whole(exact)]  # so that whole numbers are fine enough as levels
    radius, length = radius_of(signed), root_over(Fraction(sum(number * number for number in w)))
    if not math.isfinite(radius):
        raise DataError("The longest row is longer than the largest float; scale X closer to 1 by one factor.")
    level = _best_level(signed, w, length, Fraction(radius))
    return {
        "theorem": "Freund and Schapire",
        "hyperplane": [text_of(number) for number in w],
        "radius": radius,
        "level": text_of(level),
        "bound": text_of(math.floor(claims.freund_schapire(signed, w, radius, Fraction(level)))),
    }


def _best_level(signed: Signed, w: Sequence[int], length: Fraction, radius: Fraction) -> int:
    """The level g that makes (R |w| + D)/g nearly smallest. D^2 is the sum of max(0, g - lead)^2 over the rows."""
    reach, (leads, _) = radius * length or Fraction(1), signed.leads(w)
    largest = int(np.argmax(np.abs(leads)))
    if leads[largest]:  # convert the leads to units of the reach
        leads = leads / leads[largest] * float(signed.lead(largest, w) / reach)
    levels = np.geomspace(1e-9, 1e6, 600)
    short = np.array([np.linalg.norm(np.maximum(0.0, level - leads)) for level in levels])
    return max(1, math.floor(Fraction(float(levels[np.argmin((1 + short) / levels)])) * reach))


def radius_of(signed: Signed) -> float:
    """The length of the longest row, or a little more."""
    squares, errors = signed.squares()
    longest = np.flatnonzero(squares + errors >= (squares - errors).max())
    return root_above(max(signed.square(int(i)) for i in longest))
