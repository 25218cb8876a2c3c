"""How many mistakes a perceptron can make: Novikoff's theorem, and Freund's and Schapire's, with certified numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of, root_above, root_over, text_of, whole
from rosenblatt.base.html import Markup, details, element, facts, interval, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.certificate import claims
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.claims import View, view
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.decide import EPSILON, decide, labelled, margin_of
from rosenblatt.proof.prove import Searched, prove


@dataclass(frozen=True, eq=False)
class MistakeBound:
    """How many updates a perceptron that starts from 0 can make on these rows, in whatever order they come.

    Attributes
    ----------
    theorem : "Novikoff", "Freund and Schapire" (a hyperplane was given: one pass, each row once), or None: no bound
    radius : the length R of the longest row, its constant included, or a little more
    margin_bounds : of the largest margin gamma of the rows with their constant; (0, 0) if there is none; with a
        hyperplane, the gamma that was chosen, twice
    bound : (lower, upper), what (R/gamma)^2 is between; with a hyperplane, its bound twice. Infinite without a theorem
    certificate : the proof
    centred, rescaled : the same for the rows less their mean (`shift`), and divided by the longest (`unit`), as floats
    X, y, bias, hyperplane : what it is about

    Examples
    --------
    >>> from rosenblatt import mistake_bound
    >>> bound = mistake_bound([[10], [11], [13], [14]], [0, 0, 1, 1])
    >>> round(bound.bound[1]), round(bound.centred.bound[1]), round(bound.rescaled.bound[1])
    (28565, 5, 680)
    """

    theorem: str | None
    radius: float
    margin_bounds: tuple[float, float]
    bound: tuple[float, float]
    certificate: Certificate
    X: Any
    y: Any
    bias: float
    hyperplane: Hyperplane | None = None
    shift: NDArray[Any] | None = None
    unit: float | None = None

    @cached_property
    def centred(self) -> "MistakeBound":
        self._refuse_large()
        if scipy.sparse.issparse(self.X):
            raise DataError("Centring would fill a sparse matrix; give X as a dense array, less its mean.")
        shift, plane = self.X.mean(axis=0), self.hyperplane
        moved = None if plane is None else Hyperplane(plane.w, plane.b + float(plane.w @ shift))
        return replace(mistake_bound(self.X - shift, self.y, bias=self.bias, hyperplane=moved), shift=shift)

    @cached_property
    def rescaled(self) -> "MistakeBound":
        self._refuse_large()
        largest, plane = float(abs(self.X).max()), self.hyperplane
        scaled = self.X / (largest or 1.0)
        unit = largest * float(np.sqrt((scaled * scaled).sum(axis=1).max()))
        if not 0 < unit < math.inf:
            raise DataError(f"The longest row has length {unit}, and rows cannot be divided by that.")
        moved = None if plane is None else Hyperplane(plane.w * unit, plane.b)
        return replace(mistake_bound(self.X / unit, self.y, bias=self.bias, hyperplane=moved), unit=unit)

    def _refuse_large(self) -> None:
        if self.X is None:
            raise DataError("X has integers that no float holds; move or divide it first, and give the result.")

    def explain(self) -> str:
        """A paragraph in plain words."""
        if self.theorem is None:
            return (
                "No bound: no hyperplane separates the classes, so a perceptron makes mistakes for ever. Give a "
                "hyperplane that errs on few rows for a bound on the mistakes of one pass."
            )
        low, high = self.margin_bounds
        most = number_of(self.certificate.body["mistakes"]["bound"])
        count = f"{most:,}" if most < 10**15 else f"2^{most.bit_length()}"
        kind = (
            "The longest row"
            if len(self.certificate.body["about"]["between"]) == 2
            else "The longest of Kessler's rows"
        )
        length = (
            f"{kind} has length R = {self.radius:.6g}{f', its constant {self.bias:g} included' if self.bias else ''}"
        )
        if self.theorem == "Novikoff":
            return (
                f"At most {count} updates, in whatever order the rows come. {length}, and the largest margin gamma is "
                f"between {low:.6g} and {high:.6g}. Each update moves w by at least gamma along the best direction, "
                "while its squared length grows by at most R^2; both can be true only (R/gamma)^2 times (Novikoff "
                "1962)."
            )
        text = f"At most {count} mistakes in one pass that shows each row once, in whatever order. "
        if most >= len(self.y):
            return text + "For this hyperplane the theorem says no more than the number of rows does."
        return text + (
            f"{length}; for this hyperplane gamma = {low:.6g} gives the smallest bound ((R + D)/gamma)^2, where D^2 "
            "adds up the squares of what each row is short of gamma (Freund and Schapire 1999)."
        )

    def __repr__(self) -> str:
        return f"<MistakeBound: {self.theorem}, at most {self.bound[1]:.6g}>"

    def _repr_html_(self) -> Markup:
        numbers = [("bound", element("b", interval(self.bound))), ("radius", repr(self.radius))]
        return shown(
            facts([*numbers, ("margin_bounds", interval(self.margin_bounds))]),
            element("p", self.explain()),
            details("certificate", self.certificate._repr_html_()),
        )


def mistake_bound(X: Any, y: Any, *, bias: float = 1.0, hyperplane: Hyperplane | None = None) -> MistakeBound:
    r"""Bound the updates of a perceptron: :math:`(R/\gamma)^2`.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list, n x d
    y : n class labels; more than two by Kessler's construction, as for `Perceptron`
    bias : float, default=1.0
        The constant that each row ends with: that of the `Perceptron`. It counts in R and in gamma.
    hyperplane : Hyperplane, optional
        For classes that cannot be separated: one that errs on few rows, for the bound
        :math:`((R+D)/\gamma)^2, D^2 = \sum_i \max(0, \gamma - u \cdot z_i)^2` on the mistakes of one pass that shows
        each row once (not for order="random", which draws with replacement).

    Returns
    -------
    MistakeBound

    References
    ----------
    A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata (1962); Y. Freund and R. E. Schapire, Machine
    Learning 37 (1999), theorem 2.

    Examples
    --------
    >>> from rosenblatt import Perceptron, mistake_bound
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> bound = mistake_bound(X, y)
    >>> round(bound.bound[1]), Perceptron().fit(X, y).n_updates_ <= bound.bound[1]
    (51, True)
    """
    if isinstance(bias, bool) or not isinstance(bias, Real) or not math.isfinite(bias):
        raise ParameterError(f"bias must be a finite number, not {bias!r}.")
    if not isinstance(hyperplane, Hyperplane | None):
        raise ParameterError(f"hyperplane must be a Hyperplane, as Hyperplane([1, 2], b=3), not {hyperplane!r}.")
    given = labelled(X, y)
    between, constant = list(range(len(given.labels))), float(bias)
    seen = view(given.table, given.codes, between, constant)
    if hyperplane is None:
        part = novikoff_part(seen)
    else:
        part = freund_schapire_part(seen, hyperplane)
    facts: dict[str, Any] = {
        "X": None if given.table.large else given.table.floats,
        "y": y,
        "bias": constant,
        "hyperplane": hyperplane,
    }
    if part is None:
        certificate = decide(given, between, constant, detail=False, deadline=math.inf).certificate
        assert certificate is not None  # noqa: S101  (there was no deadline)
        return MistakeBound(None, radius_of(seen.signed), (0.0, 0.0), (math.inf, math.inf), certificate, **facts)
    certificate = Certificate.of("mistakes", *given, between, constant, mistakes=part)
    radius = part["radius"]
    if hyperplane is None:
        low, high = part["margin"]["lower"], part["margin"]["upper"]
        bound = _down(claims.novikoff(radius * (1 - 2.0**-51), high)), _up(claims.novikoff(radius, low))
    else:
        square = sum(number_of(text) ** 2 for text in part["hyperplane"])
        low = high = _float(number_of(part["level"]) / root_over(Fraction(square)))
        bound = (_float(Fraction(number_of(part["bound"]))),) * 2
    return MistakeBound(part["theorem"], radius, (low, high), bound, certificate, **facts)


def novikoff_part(seen: View, steps: Sequence[float] = (1.0, 1.0), threshold: float = 0.0) -> dict[str, Any] | None:
    """What a certificate says of Novikoff's bound; None if no hyperplane separates the rows.

    Parameters
    ----------
    seen : the signed rows
    steps : the smallest and the largest step of the rule
    threshold : the functional margin up to which it makes them
    """
    signed = seen.signed
    search = Searched.of(signed, Goal(EPSILON, relative=True), math.inf, free=False)
    w = whole(search.hyperplane)
    if not search.found.lower > 0 or not (signed.leads(w)[1] > 0).all():
        w = prove(signed, detail=False, epsilon=EPSILON, deadline=math.inf).hyperplane
    if not w:
        return None
    margin, radius = margin_of(seen, w, search.found, free=False), radius_of(signed)
    if not (margin["lower"] > 0 and math.isfinite(margin["upper"]) and math.isfinite(radius)):
        raise DataError(
            f"The radius, {radius:.3g}, or the margin, {margin['lower']:.3g}, is beyond the range of floats; bring X "
            "(and the bias) closer to 1 by one factor."
        )
    bound = math.floor(claims.novikoff(radius, margin["lower"], steps, threshold))
    return {
        "theorem": "Novikoff",
        "hyperplane": [text_of(number) for number in w],
        "radius": radius,
        "margin": margin,
        "steps": list(steps),
        "threshold": threshold,
        "bound": text_of(bound),
    }


def run_certificate(
    X: Any,
    y: Any,
    classes: Sequence[Any],
    constant: float,
    updates: int,
    steps: Sequence[float] | None,
    threshold: float,
) -> Certificate:
    """The verdict on the rows a perceptron learned from, the updates it made, and the most it could have made.

    Parameters
    ----------
    X, y : the rows and labels
    classes : that it knows
    constant : that its rows end with
    updates : that it made
    steps : the smallest and the largest of them; None if Novikoff's theorem says nothing about it
    threshold : the functional margin up to which it makes them
    """
    given = labelled(X, y)
    if given.labels != list(classes):
        raise DataError(f"y must hold the classes that were learned, {list(classes)}; it holds {given.labels}.")
    between = list(range(len(classes)))
    certificate = decide(given, between, constant, detail=True, deadline=math.inf).certificate
    assert certificate is not None  # noqa: S101  (there was no deadline)
    if certificate.claim == "strict" and steps is not None and steps[0] > 0 and math.isfinite(threshold):
        part = novikoff_part(view(given.table, given.codes, between, constant), steps, threshold)
        assert part is not None  # noqa: S101  (they are separable)
        if updates > number_of(part["bound"]):
            raise DataError(
                f"These are not the rows that were learned from: {updates} updates were made, and on these rows there "
                f"are never more than {number_of(part['bound'])}."
            )
        certificate = certificate.extended(mistakes=part)
    return certificate.extended(updates=updates)


def freund_schapire_part(seen: View, hyperplane: Hyperplane) -> dict[str, Any]:
    """What a certificate says of the bound for one pass, gamma being the one that makes it smallest, or nearly."""
    signed = seen.signed
    if seen.against is not None:
        raise DataError("The bound for a given hyperplane is one for two classes; y has more.")
    if len(hyperplane.w) != signed.table.d or (hyperplane.b and not signed.constant):
        where = "" if signed.constant else " and run through the origin, as there is no bias"
        raise ParameterError(f"The hyperplane must have a weight for each of the {signed.table.d} columns{where}.")
    exact = [Fraction(x) for x in hyperplane.w.tolist()]
    if signed.constant:
        exact.append(Fraction(hyperplane.b) / Fraction(signed.constant))
    if not any(exact):
        raise ParameterError("The hyperplane has no weights, so there is no direction to measure along.")
    w = [number << 40 for number in whole(exact)]  # so that whole levels are fine enough
    radius, length = radius_of(signed), root_over(Fraction(sum(number * number for number in w)))
    if not math.isfinite(radius):
        raise DataError("The longest row is longer than any float; bring X closer to 1 by one factor.")
    level = _best_level(signed, w, length, Fraction(radius))
    return {
        "theorem": "Freund and Schapire",
        "hyperplane": [text_of(number) for number in w],
        "radius": radius,
        "level": text_of(level),
        "bound": text_of(math.floor(claims.freund_schapire(signed, w, radius, Fraction(level)))),
    }


def _best_level(signed: Signed, w: Sequence[int], length: Fraction, radius: Fraction) -> int:
    """The level g for which (R |w| + D)/g is about smallest, D^2 adding up the squares of what leads are short of g."""
    reach, (leads, _) = radius * length or Fraction(1), signed.leads(w)
    largest = int(np.argmax(np.abs(leads)))
    if leads[largest]:  # from whatever unit they are in to that of the reach
        leads = leads / leads[largest] * float(signed.lead(largest, w) / reach)
    levels = np.geomspace(1e-9, 1e6, 600)
    short = np.array([np.linalg.norm(np.maximum(0.0, level - leads)) for level in levels])
    return max(1, math.floor(Fraction(float(levels[np.argmin((1 + short) / levels)])) * reach))


def radius_of(signed: Signed) -> float:
    """The length of the longest row, or a little more."""
    squares, errors = signed.squares()
    longest = np.flatnonzero(squares + errors >= (squares - errors).max())
    return root_above(max(signed.square(int(i)) for i in longest))


def _up(number: Fraction) -> float:
    return math.nextafter(_float(number), math.inf)


def _down(number: Fraction) -> float:
    return math.nextafter(_float(number), 0.0)


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
