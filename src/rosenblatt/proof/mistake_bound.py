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
from rosenblatt.base.exact import number_of, root_over
from rosenblatt.base.html import Markup, details, element, facts, interval, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import NUMBER, WHOLE, Form, list_of, one_of, optional, tuple_of
from rosenblatt.base.parameters import OneOf, check_argument
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.certificate import check_claims as claims
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import view
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.decide import labelled, verdict_certificate
from rosenblatt.proof.mistake_theorems import freund_schapire_part, largest_margin, novikoff_part, radius_of

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
    constant = constant_of(bias)
    if not isinstance(hyperplane, Hyperplane | None):
        raise ParameterError(f"hyperplane must be a Hyperplane, such as Hyperplane([1, 2], b=3), not {hyperplane!r}.")
    check_argument("mistake_bound", "rows", rows, OneOf(*get_args(RowsKind)))
    given, moved = labelled(X, y), dict[str, Any]()
    if rows != "as_given":
        if given.table.large:
            raise DataError("X has integers that no float holds; shift or divide X first, and give the result.")
        floats, hyperplane, moved = (_centered if rows == "centered" else _rescaled)(given.table.floats, hyperplane)
        given = labelled(floats, y)
    between = list(range(len(given.labels)))
    seen = view(given.table, given.codes, between, constant)
    if hyperplane is None:
        found = largest_margin(seen)
        part = None if found is None else novikoff_part(found, radius_of(seen.signed))
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
        return no_bound(verdict_certificate(given, between, constant, detail=False), radius_of(seen.signed), about)
    return proved_bound(
        Certificate.of("mistakes", given.table, given.codes, given.labels, between, constant, mistakes=part), about
    )


def constant_of(bias: Any) -> float:
    """The constant at the end of each row; raise if it is not a finite number."""
    if isinstance(bias, bool) or not isinstance(bias, Real) or not math.isfinite(bias):
        raise ParameterError(f"bias must be a finite number, not {bias!r}.")
    return float(bias)


def no_bound(verdict: Certificate, radius: float, about: dict[str, Any]) -> MistakeBound:
    """The answer for classes that no hyperplane separates.

    Parameters
    ----------
    verdict : the proof that none does
    radius : the length of the longest row
    about : the other attributes of the answer
    """
    return MistakeBound(None, radius, (0.0, 0.0), (math.inf, math.inf), verdict, **about)


def proved_bound(certificate: Certificate, about: dict[str, Any]) -> MistakeBound:
    """The bound that a certificate proves.

    Parameters
    ----------
    certificate : a certificate with the claim "mistakes"
    about : the other attributes of the answer
    """
    part = certificate.body["mistakes"]
    radius = part["radius"]
    if part["theorem"] == "Novikoff":
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
        seen = view(given.table, given.codes, between, constant)
        found = largest_margin(seen)
        part = None if found is None else novikoff_part(found, radius_of(seen.signed), steps, threshold)
    if part is not None:
        if updates is not None and updates > number_of(part["bound"]):
            raise DataError(
                f"These are not the rows that were learned from: {updates} updates were made, but these rows allow at "
                f"most {number_of(part['bound'])}."
            )
        certificate = certificate.extended(mistakes=part)
    return certificate if updates is None else certificate.extended(updates=updates)


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
