"""Certified bounds on the mistakes of a perceptron: the theorems of Novikoff, and of Freund and Schapire."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.exact import number_of, root_above, root_over, text_of, whole
from rosenblatt.base.html import Markup, details, element, facts, interval, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import NUMBER, WHOLE, Form, list_of, one_of, optional, tuple_of
from rosenblatt.base.parameters import OneOf, check_argument
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.certificate import check_claims as claims
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import View, view
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.decide import EPSILON, labelled, margin_of, verdict_certificate
from rosenblatt.proof.prove import FloatSearch, prove

Theorem = Literal["Novikoff", "Freund and Schapire"]
RowsKind = Literal["as_given", "centered", "rescaled"]


@dataclass(frozen=True, eq=False, repr=False)
class MistakeBound(NoTruthValue, Result):
    """A bound on the updates of a perceptron that starts from 0, for any order of the rows.

    Two bounds are equal if all attributes are.

    Attributes
    ----------
    theorem : str, or None
        "Novikoff"; "Freund and Schapire" if a hyperplane was given (one pass, each row once); None if there is no
        bound.
    max_updates : int, or None
        The most updates (of one pass, if a hyperplane was given) as a whole number; None if there is no bound.
    bounds : tuple of two floats
        Lower and upper bound of (R/gamma)^2. With a hyperplane: its bound, twice. Infinite without a theorem.
    radius : float
        The length R of the longest row, its constant included, or a little more.
    margin_bounds : tuple of two floats
        Bounds of the largest margin gamma of the rows with their constant; (0, 0) if there is none. With a hyperplane:
        the chosen gamma, twice.
    certificate : Certificate
        The proof, for the rows as `rows` says.
    n : int
        The number of rows.
    bias : float
        The argument of `mistake_bound`.
    hyperplane : Hyperplane, or None
        The argument of `mistake_bound`, moved with the centered or rescaled rows.
    rows : str
        The argument of `mistake_bound`.
    shift : array of shape (d,), or None
        The mean that was subtracted from the rows; None if they are not centered.
    unit : float, or None
        The length that the rows were divided by; None if they are not rescaled.

    See Also
    --------
    mistake_bound : Returns one of these.
    Perceptron.certificate : Compares the updates of a fit with the bound.

    Examples
    --------
    >>> from rosenblatt import mistake_bound
    >>> X, y = [[10], [11], [13], [14]], [0, 0, 1, 1]
    >>> for rows in ("as_given", "centered", "rescaled"):
    ...     print(mistake_bound(X, y, rows=rows))
    <MistakeBound: at most 28,565 updates (Novikoff)>
    <MistakeBound: at most 5 updates (Novikoff, rows centered)>
    <MistakeBound: at most 680 updates (Novikoff, rows rescaled)>
    """

    _ask_instead: ClassVar[str] = "Its attribute theorem is None if there is no bound."
    _forms: ClassVar[dict[str, Form]] = {
        "theorem": optional(one_of(*get_args(Theorem))),
        "radius": NUMBER,
        "margin_bounds": tuple_of(NUMBER, 2),
        "bounds": tuple_of(NUMBER, 2),
        "certificate": form_of(Certificate),
        "n": WHOLE,
        "bias": NUMBER,
        "hyperplane": optional(form_of(Hyperplane)),
        "rows": one_of(*get_args(RowsKind)),
        "shift": optional(Form(list_of(NUMBER).write, lambda mean: np.array(list_of(NUMBER).read(mean)))),
        "unit": optional(NUMBER),
    }

    theorem: Theorem | None
    radius: float
    margin_bounds: tuple[float, float]
    bounds: tuple[float, float]
    certificate: Certificate
    n: int
    bias: float
    hyperplane: Hyperplane | None = None
    rows: RowsKind = "as_given"
    shift: NDArray[np.float64] | None = None
    unit: float | None = None

    @property
    def max_updates(self) -> int | None:
        """The most updates as a whole number; None if there is no bound."""
        return None if self.theorem is None else number_of(self.certificate.body["mistakes"]["bound"])

    def explain(self) -> str:
        """Explain the bound in plain words.

        Returns
        -------
        str
            A paragraph.
        """
        most = self.max_updates
        if most is None:
            return (
                "No bound: no hyperplane separates the classes, so a perceptron never stops making mistakes. To bound "
                "the mistakes of one pass, give a hyperplane that errs on few rows."
            )
        low, high = self.margin_bounds
        count = _count(most)
        if self.theorem == "Novikoff":
            return (
                f"At most {count} updates, in any order of the rows. {self._radius_text()} The largest margin gamma is "
                f"between {low:.6g} and {high:.6g}. Each update moves w by at least gamma along the best direction, "
                "while its squared length grows by at most R^2. Both can be true for at most (R/gamma)^2 updates "
                "(Novikoff 1962)."
            )
        text = f"At most {count} mistakes in one pass that shows each row once, in any order. "
        if most >= self.n:
            return text + "For this hyperplane the theorem gives no more than the number of rows."
        return text + (
            f"{self._radius_text()} For this hyperplane gamma = {low:.6g} gives the smallest bound ((R + D)/gamma)^2. "
            "D^2 is the sum of the squared shortfalls; the shortfall of a row is gamma minus its margin, if that is "
            "positive (Freund and Schapire 1999)."
        )

    def _radius_text(self) -> str:
        is_binary = len(self.certificate.body["about"]["between"]) == 2
        row = "The longest row" if is_binary else "The longest of Kessler's rows"
        if not self.bias:
            return f"{row} has length R = {self.radius:.6g}."
        return f"{row} has length R = {self.radius:.6g}, its constant {self.bias:g} included."

    def __repr__(self) -> str:
        moved = "" if self.rows == "as_given" else f", rows {self.rows}"
        if self.max_updates is None:
            return f"<MistakeBound: none, no hyperplane separates the classes{moved}>"
        return f"<MistakeBound: at most {_count(self.max_updates)} updates ({self.theorem}{moved})>"

    def _repr_html_(self) -> Markup:
        most = "none" if self.max_updates is None else _count(self.max_updates)
        numbers = [("max_updates", element("b", most)), ("bounds", interval(self.bounds))]
        return shown(
            facts([*numbers, ("radius", repr(self.radius)), ("margin_bounds", interval(self.margin_bounds))]),
            element("p", self.explain()),
            details("certificate", self.certificate._repr_html_()),
        )


def mistake_bound(
    X: TableLike,
    y: LabelsLike | None = None,
    *,
    bias: float = 1.0,
    hyperplane: Hyperplane | None = None,
    rows: RowsKind = "as_given",
) -> MistakeBound:
    r"""Bound the updates of a perceptron: :math:`(R/\gamma)^2`.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list of shape (n, d)
        The rows.
    y : array of shape (n,)
        The class labels; more than two classes use Kessler's construction, as `Perceptron` does.
    bias : float, default=1.0
        The constant at the end of each row, as in `Perceptron`. It counts in R and in gamma.
    hyperplane : Hyperplane, optional
        For classes that cannot be separated: a hyperplane that errs on few rows. The bound is then
        :math:`((R+D)/\gamma)^2, D^2 = \sum_i \max(0, \gamma - u \cdot z_i)^2`, for the mistakes of one pass that shows
        each row once. It does not hold for order="random", which draws with replacement.
    rows : {"as_given", "centered", "rescaled"}, default="as_given"
        The rows that the perceptron learns from. "centered" and "rescaled" may lower the bound; a given hyperplane is
        moved with the rows.

        - "as_given": the rows of X.
        - "centered": the rows minus their mean.
        - "rescaled": the rows divided by the length of the longest.

    Returns
    -------
    MistakeBound
        The bound, with a certificate.

    See Also
    --------
    Perceptron.certificate : Compares the updates of a fit with the bound.
    plot.MistakesDisplay : Draws the mistakes of a fit below the bound.
    Scaling : Centers or rescales the columns.

    References
    ----------
    A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata (1962); Y. Freund and R. E. Schapire, Machine
    Learning 37 (1999), theorem 2.

    Examples
    --------
    >>> from rosenblatt import Perceptron, mistake_bound
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> bound = mistake_bound(X, y)
    >>> bound.max_updates, Perceptron().fit(X, y).n_updates_ <= bound.max_updates
    (51, True)
    """
    if isinstance(bias, bool) or not isinstance(bias, Real) or not math.isfinite(bias):
        raise ParameterError(f"bias must be a finite number, not {bias!r}.")
    if not isinstance(hyperplane, Hyperplane | None):
        raise ParameterError(f"hyperplane must be a Hyperplane, such as Hyperplane([1, 2], b=3), not {hyperplane!r}.")
    check_argument("mistake_bound", "rows", rows, OneOf(*get_args(RowsKind)))
    given, moved = labelled(X, y), dict[str, Any]()
    if rows != "as_given":
        if given.table.large:
            raise DataError("X has integers that no float holds; shift or divide X first, and give the result.")
        floats, hyperplane, moved = (_centered if rows == "centered" else _rescaled)(given.table.floats, hyperplane)
        given = labelled(floats, y)
    between, constant = list(range(len(given.labels))), float(bias)
    seen = view(given.table, given.codes, between, constant)
    if hyperplane is None:
        part = novikoff_part(seen)
    else:
        part = freund_schapire_part(seen, hyperplane)
    about: dict[str, Any] = {
        "n": given.table.n,
        "bias": constant,
        "hyperplane": hyperplane,
        "rows": rows,
        **moved,
    }
    if part is None:
        certificate = verdict_certificate(given, between, constant, detail=False)
        return MistakeBound(None, radius_of(seen.signed), (0.0, 0.0), (math.inf, math.inf), certificate, **about)
    certificate = Certificate.of("mistakes", *given, between, constant, mistakes=part)
    radius = part["radius"]
    if hyperplane is None:
        low, high = part["margin"]["lower"], part["margin"]["upper"]
        bounds = _down(claims.novikoff(radius * (1 - 2.0**-51), high)), _up(claims.novikoff(radius, low))
    else:
        square = sum(number_of(text) ** 2 for text in part["hyperplane"])
        low = high = _float(number_of(part["level"]) / root_over(Fraction(square)))
        bounds = (_float(Fraction(number_of(part["bound"]))),) * 2
    return MistakeBound(part["theorem"], radius, (low, high), bounds, certificate, **about)


def _centered(X: Any, plane: Hyperplane | None) -> tuple[Any, Hyperplane | None, dict[str, Any]]:
    """The rows minus their mean, the hyperplane moved with them, and the mean."""
    if scipy.sparse.issparse(X):
        raise DataError("Centering would fill a sparse matrix; give X as a dense array minus its mean.")
    shift = X.mean(axis=0)
    moved = None if plane is None else Hyperplane(plane.w, plane.b + float(plane.w @ shift))
    return X - shift, moved, {"shift": shift}


def _rescaled(X: Any, plane: Hyperplane | None) -> tuple[Any, Hyperplane | None, dict[str, Any]]:
    """The rows divided by the length of the longest, the hyperplane moved with them, and that length."""
    largest = float(abs(X).max())
    scaled = X / (largest or 1.0)
    unit = largest * float(np.sqrt((scaled * scaled).sum(axis=1).max()))
    if not 0 < unit < math.inf:
        raise DataError(f"The longest row has length {unit}, and rows cannot be divided by it.")
    return X / unit, None if plane is None else Hyperplane(plane.w * unit, plane.b), {"unit": unit}


def novikoff_part(seen: View, steps: Sequence[float] = (1.0, 1.0), threshold: float = 0.0) -> dict[str, Any] | None:
    """The part of a certificate about Novikoff's bound; None if no hyperplane separates the rows.

    Parameters
    ----------
    seen : the signed rows
    steps : the smallest and the largest step of the rule
    threshold : the functional margin up to which the rule makes a step
    """
    signed = seen.signed
    search = FloatSearch.of(signed, Goal(EPSILON), math.inf, free=False)
    w = whole(search.hyperplane)
    if not search.found.lower > 0 or not (signed.leads(w)[1] > 0).all():
        w = prove(signed, detail=False, epsilon=EPSILON, deadline=math.inf).hyperplane
    if not w:
        return None
    margin, radius = margin_of(seen, w, search.found, free=False), radius_of(signed)
    if not (margin["lower"] > 0 and math.isfinite(margin["upper"]) and math.isfinite(radius)):
        raise DataError(
            f"The radius, {radius:.3g}, or the margin, {margin['lower']:.3g}, is beyond the range of floats; scale X "
            "and the bias by one factor, so that they are closer to 1."
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
    updates: int | None,
    steps: Sequence[float] | None,
    threshold: float,
    verdict: Certificate | None = None,
) -> Certificate:
    """The certificate of a run: the verdict on the rows, the updates, and the bound on the updates.

    Parameters
    ----------
    X, y : rows and labels
    classes : the classes that the perceptron knows
    constant : the constant at the end of its rows
    updates : the number of updates that it made on these rows; None if it learned from others
    steps : the smallest and the largest step; None if Novikoff's theorem does not apply
    threshold : the functional margin up to which it makes an update
    verdict : the certificate of the verdict on these rows; it is used if its rows end with the same constant
    """
    given = labelled(X, y)
    if given.labels != list(classes):
        raise DataError(f"y must hold the classes that were learned, {list(classes)}; it holds {given.labels}.")
    between = list(range(len(classes)))
    certificate = verdict
    if certificate is None or certificate.body["about"]["constant"] != constant:
        certificate = verdict_certificate(given, between, constant, detail=True)
    part = None
    if certificate.claim == "strict" and steps is not None and steps[0] > 0 and math.isfinite(threshold):
        part = novikoff_part(view(given.table, given.codes, between, constant), steps, threshold)
    if part is not None:
        if updates is not None and updates > number_of(part["bound"]):
            raise DataError(
                f"These are not the rows that were learned from: {updates} updates were made, but these rows allow at "
                f"most {number_of(part['bound'])}."
            )
        certificate = certificate.extended(mistakes=part)
    return certificate if updates is None else certificate.extended(updates=updates)


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


def _count(number: int) -> str:
    """A whole number for people; a very large one only by its size."""
    return f"{number:,}" if number < 10**15 else f"2^{number.bit_length()}"


def _up(number: Fraction) -> float:
    return math.nextafter(_float(number), math.inf)


def _down(number: Fraction) -> float:
    return math.nextafter(_float(number), 0.0)


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
