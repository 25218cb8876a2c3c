"""Bounds of the fewest rows that a hyperplane can get wrong, both proved.

Finding the fewest errors is NP-hard, but bounds can be proved. The lower bound: rows that add up to 0 with positive
weights (a witness) cannot all be on the right side of a hyperplane. So each witness costs at least one error, and
witnesses that share no row cost one error each. The upper bound: a hyperplane with the list of its errors.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.events import listening, report_progress
from rosenblatt.base.exact import text_of, whole
from rosenblatt.base.html import Markup, details, element, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import WHOLE, Form, list_of, optional
from rosenblatt.base.parameters import Flag, Integer, check_argument
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.base.words import count_of, listed
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import nearest_point
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.contradictions import contradictions
from rosenblatt.proof.decide import deadline_of, labelled, plane_of_whole
from rosenblatt.proof.prove import prove
from rosenblatt.proof.row_labels import ROW_LABELS, ROWS, RowLabels, index_of, labels_of

PRICES = (100.0, 1.0, 0.01)  # of slack, in units of the mean square of a row
PATIENCE = 30  # directions for each column that may fail to improve the hyperplane before the search gives up
MAX_RESTARTS = 10  # of the search for a better hyperplane, and of the search for more witnesses
MAX_STEP = 1e100  # after a longer step only the direction would be left
SAMPLE_ROWS = 40  # rows for each column, in which a witness is looked for first


@dataclass(frozen=True, eq=False, repr=False)
class ErrorBounds(NoTruthValue, Result):
    """Bounds of the fewest rows that a hyperplane gets wrong. Two bounds are equal if all attributes are.

    A row on the hyperplane counts as wrong. Rows are named by their positions, from 0.

    Attributes
    ----------
    lower, upper : the bounds; equal if the fewest errors are known
    hyperplane : a hyperplane that errs on `upper` rows
    errors : these rows
    witnesses : `lower` lists of rows, no row in two of them; every hyperplane errs on a row of each list
    certificate : the proof of both bounds
    n : the number of rows
    row_labels : {row: label} of the rows named here, if X was a data frame with an index of its own; else None

    Examples
    --------
    >>> from rosenblatt import error_bounds
    >>> print(error_bounds([[1], [2], [3]], [0, 1, 0]).explain())
    The best hyperplane gets exactly 1 of 3 rows wrong. The hyperplane given here errs on row 1. Every hyperplane errs:
    in the group of rows 0, 1 and 2 the hulls of the classes meet, so no hyperplane has the whole group right.
    """

    _ask_instead: ClassVar[str] = "Compare its attributes lower and upper."

    _forms: ClassVar[dict[str, Form]] = {
        "lower": WHOLE,
        "upper": WHOLE,
        "hyperplane": form_of(Hyperplane),
        "errors": ROWS,
        "witnesses": list_of(list_of(WHOLE)),
        "certificate": form_of(Certificate),
        "n": WHOLE,
        "row_labels": optional(ROW_LABELS),
    }

    lower: int
    upper: int
    hyperplane: Hyperplane
    errors: NDArray[Any]
    witnesses: list[list[int]]
    certificate: Certificate
    n: int
    row_labels: RowLabels | None = None

    def explain(self) -> str:
        """A paragraph in plain words."""
        if self.upper == 0:
            return f"No errors are needed: the hyperplane has all {self.n} rows on their right side."
        fewest = f"exactly {self.lower}" if self.lower == self.upper else f"between {self.lower} and {self.upper}"
        text = (
            f"The best hyperplane gets {fewest} of {count_of(self.n, 'row')} wrong. The hyperplane given here errs on "
            f"{self._listed(self.errors)}. "
        )
        if self.lower == 1:
            text += (
                f"Every hyperplane errs: in the group of {self._listed(self.witnesses[0])} the hulls of the classes "
                "meet, so no hyperplane has the whole group right."
            )
        elif self.lower:
            text += (
                f"Every hyperplane errs at least {self.lower} times: there are {self.lower} groups of rows, no row in "
                f"two of them. The first group is {self._listed(self.witnesses[0])}. In each group the hulls of the "
                "classes meet, so no hyperplane has the whole group right."
            )
        return text.strip()

    def _listed(self, rows: Any) -> str:
        return listed(rows, self.row_labels)

    def __repr__(self) -> str:
        return f"<ErrorBounds: {self.lower} to {self.upper} of {self.n} rows>"

    def _repr_html_(self) -> Markup:
        return shown(
            element("p", element("b", f"{self.lower} to {self.upper}"), f" of {self.n} rows"),
            element("p", self.explain()),
            details("certificate", self.certificate._repr_html_()),
        )


def error_bounds(
    X: Any,
    y: Any,
    *,
    through_origin: bool = False,
    time_limit: float | None = 10.0,
    hyperplane: Hyperplane | None = None,
    random_state: int = 0,
) -> ErrorBounds:
    """Bound the fewest training errors of any hyperplane from below and above.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list, n x d
    y : n class labels, of two classes
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : seconds or None, default=10.0
        Up to half of it goes into the upper bound. The bounds are true whenever the search ends. None: search until
        nothing more is found.
    hyperplane : Hyperplane, optional
        A hyperplane to begin with, for example that of a `Pocket`. The upper bound is then at most its errors.
    random_state : int, default=0
        The seed for the directions in which the search looks for better hyperplanes.

    Returns
    -------
    ErrorBounds

    Examples
    --------
    >>> from rosenblatt import error_bounds
    >>> bounds = error_bounds([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> bounds.lower, bounds.upper, bounds.witnesses
    (1, 1, [[0, 1, 2, 3]])
    """
    check_argument("error_bounds", "through_origin", through_origin, Flag())
    check_argument("error_bounds", "random_state", random_state, Integer(0))
    start, deadline = time.monotonic(), deadline_of(time_limit)
    given = labelled(X, y)
    if len(given.labels) > 2:
        raise DataError(f"error_bounds is for two classes; y has {len(given.labels)}. Give it pairs of them.")
    if hyperplane is not None:
        _check_hyperplane(hyperplane, given.table.d, through_origin)
    seen = view(given.table, given.codes, (0, 1), 0.0 if through_origin else 1.0)
    try:
        equal = contradictions(seen.signed.table, seen.signed.y)
        proof = prove(seen.signed, detail=False, epsilon=0.1, deadline=deadline, equal=equal)
    except OutOfTime:
        proof = None
    if proof is not None and proof.hyperplane:
        w, wrong, witnesses = proof.hyperplane, np.empty(0, np.int64), list[list[int]]()
    else:
        w, wrong = best_hyperplane(seen.signed, hyperplane, start + (deadline - start) / 2, random_state)
        first = [sorted(proof.witness.rows)] if proof else []
        witnesses = most_witnesses(seen.signed, wrong, first, deadline, random_state)
    part = {
        "hyperplane": [text_of(number) for number in w],
        "rows": wrong.tolist(),
        "upper": len(wrong),
        "lower": len(witnesses),
        "witnesses": witnesses,
    }
    data = given.described, given.codes, given.labels
    certificate = Certificate.of("errors", *data, [0, 1], seen.signed.constant, errors=part)
    plane = plane_of_whole(w, seen.signed)
    labels = labels_of(index_of(X), chain(wrong, *witnesses))
    return ErrorBounds(len(witnesses), len(wrong), plane, wrong, witnesses, certificate, seen.signed.n, labels)


def _check_hyperplane(hyperplane: Hyperplane, d: int, through_origin: bool) -> None:
    if not isinstance(hyperplane, Hyperplane):
        raise ParameterError(f"error_bounds(hyperplane=...) must be a Hyperplane, not {hyperplane!r}.")
    if len(hyperplane.w) != d or (hyperplane.b and through_origin):
        raise ParameterError(
            f"error_bounds(hyperplane=...) must have {d} weights{' and no bias' if through_origin else ''}, but it has "
            f"{len(hyperplane.w)}, and the bias {hyperplane.b:g}."
        )


def most_witnesses(
    signed: Signed, wrong: NDArray[Any], best: list[list[int]], deadline: float, random_state: int
) -> list[list[int]]:
    """The most disjoint witnesses of a few searches. `best` are witnesses to begin with."""
    rng = np.random.default_rng(random_state)
    for _ in range(MAX_RESTARTS):
        found = list[list[int]]()
        try:
            for rows in disjoint_witnesses(signed, wrong, deadline, rng):
                found.append(sorted(rows))
                report_progress("fewest errors", 0, None, "{:,} to {:,}", max(len(best), len(found)), len(wrong))
        except OutOfTime:
            deadline = -math.inf
        best = max(best, found, key=len)
        if len(best) == len(wrong) or deadline < time.monotonic():
            break
    return best


def disjoint_witnesses(
    signed: Signed, wrong: NDArray[Any], deadline: float, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yield witnesses that share no row.

    Without the rows that a hyperplane gets wrong, the others are separable. Each wrong row alone is put back. If that
    makes a witness, the witness has this wrong row and a few right ones.
    """
    free, is_wrong = np.ones(signed.n, bool), np.zeros(signed.n, bool)
    is_wrong[wrong] = True
    for rows in obvious_witnesses(signed):
        free[rows] = False
        yield rows
    for i in rng.permutation(wrong[free[wrong]]).tolist():
        right = np.flatnonzero(free & ~is_wrong)
        many = SAMPLE_ROWS * signed.width + 100
        samples = [rng.choice(right, many, replace=False)] if len(right) > 2 * many else []
        for others in [*samples, right]:
            found = witness_among(signed, np.append(others, i), deadline)
            free[found] = False
            if found:
                yield found
                break
    while found := witness_among(signed, np.flatnonzero(free), deadline):  # with several wrong rows
        free[found] = False
        yield found


def obvious_witnesses(signed: Signed) -> Iterator[list[int]]:
    """Yield rows of zeros, if there is no constant, and pairs of equal rows of different classes."""
    zero = np.zeros(signed.n, bool)
    if not signed.constant:
        zero = np.asarray((signed.table.floats != 0).sum(axis=1)).ravel() == 0
    yield from ([i] for i in np.flatnonzero(zero).tolist())
    yield from (list(pair) for pair in contradictions(signed.table, signed.y) if not zero[pair[0]])


def witness_among(signed: Signed, rows: NDArray[Any], deadline: float) -> list[int]:
    """A witness of these rows, or an empty list if a hyperplane separates them."""
    if not len(rows) or (signed.constant and len(np.unique(signed.y[rows])) < 2):
        return []
    with listening(None):  # there are many small searches; their progress is not reported
        proof = prove(signed.take(rows), detail=False, epsilon=0.1, deadline=deadline)
    return [int(rows[i]) for i in proof.witness.rows]


def best_hyperplane(
    signed: Signed, given: Hyperplane | None, deadline: float, random_state: int
) -> tuple[list[int], NDArray[Any]]:
    """The hyperplane with the fewest errors that was found, and the rows that it gets wrong."""
    tries = chain(_weights_of(given, signed), candidates(signed, deadline, random_state))
    best = next(tries)
    fewest = _wrong(signed, best)
    report_progress("fewest errors", 0, None, "at most {:,}", len(fewest))
    while len(fewest) and time.monotonic() <= deadline and (w := next(tries, None)) is not None:
        wrong = _wrong(signed, w)
        if len(wrong) < len(fewest):
            best, fewest = w, wrong
        report_progress("fewest errors", 0, None, "at most {:,}", len(fewest))
    return best, fewest


def _wrong(signed: Signed, w: list[int]) -> NDArray[Any]:
    return np.flatnonzero(signed.leads(w)[1] <= 0)


def candidates(signed: Signed, deadline: float, random_state: int) -> Iterator[list[int]]:
    """Yield hyperplanes: all rows on one side; those of the margin with slack, improved; restarts from the best."""
    majority = 1 if signed.y.sum() >= 0 else -1
    yield [*[0] * signed.table.d, *[majority] * bool(signed.constant)]
    Z, back = _unit_columns(signed)
    rng, best, fewest = np.random.default_rng(random_state), np.empty(0), Z.shape[0] + 1
    for turn in range(len(PRICES) + MAX_RESTARTS):
        if turn < len(PRICES):
            w = _with_slack(Z, PRICES[turn], deadline)
        else:
            w = best + 0.1 * np.linalg.norm(best) / math.sqrt(len(best)) * rng.standard_normal(len(best))
        w, wrong = _improved(Z, w, deadline, rng)
        if wrong < fewest:
            best, fewest = w, wrong
            yield whole([Fraction(x) / unit for x, unit in zip(w.tolist(), back, strict=True)])
        if time.monotonic() > deadline:
            return


def _weights_of(plane: Hyperplane | None, signed: Signed) -> list[list[int]]:
    """A list of the weights of the hyperplane in whole numbers; empty if there is no hyperplane."""
    if plane is None:
        return []
    b = [Fraction(plane.b) / Fraction(signed.constant)] if signed.constant else []
    return [whole([*map(Fraction, plane.w.tolist()), *b])]


def _unit_columns(signed: Signed) -> tuple[Any, list[Fraction]]:
    """The signed rows as floats, each column divided by a power of two to about the same size; and these powers."""
    X, powers = signed.table.floats, np.array(signed.table.powers())
    units = [Fraction(2) ** int(power) for power in powers]
    if scipy.sparse.issparse(X):
        Z = X.multiply(np.ldexp(1.0, -np.clip(powers, -1000, 1000))).multiply(signed.y[:, np.newaxis])
        ends = scipy.sparse.csr_array(signed.y[:, np.newaxis].astype(float))
        Z = scipy.sparse.csr_array(scipy.sparse.hstack([Z, ends]) if signed.constant else Z)
    else:
        Z = np.ldexp(X, -powers) * signed.y[:, np.newaxis]
        Z = np.column_stack([Z, signed.y]) if signed.constant else Z
    return Z, [*units, *[Fraction(signed.constant)] * bool(signed.constant)]


def _with_slack(Z: Any, price: float, deadline: float) -> NDArray[np.float64]:
    """The hyperplane of largest margin with quadratic slack, or what is reached before the deadline."""
    square = float((Z.multiply(Z) if scipy.sparse.issparse(Z) else Z * Z).sum()) / Z.shape[0]
    points = InMemory(as_rows(Z, 0.0), Z.shape[1], np.ones(Z.shape[0], np.int8), two=False)
    with listening(None):  # its progress is not reported: it is not the search for the margin of the user's rows
        slack = square / (2 * price)
        found = nearest_point(points, "auto", Goal(1e-2), slack=slack, max_epochs=1000, deadline=deadline)
    return np.asarray(found.look.w[:-1])


def _improved(
    Z: Any, w: NDArray[np.float64], deadline: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], int]:
    """Move w along columns, wrong rows and random directions, each time to the best place, while that helps."""
    leads = Z @ w
    wrong, idle, d = int((leads <= 0).sum()), 0, Z.shape[1]
    fewest = wrong
    while idle < PATIENCE * d and wrong and time.monotonic() < deadline:
        direction = _direction(Z, leads, rng)
        slopes = Z @ direction
        step, fewer = _best_step(leads, slopes)
        idle += 1
        if (fewer < wrong or (fewer == wrong and step)) and abs(step) < MAX_STEP:
            w = w + step * direction
            w = w / (np.abs(w).max() or 1.0)
            leads = Z @ w
            wrong = int((leads <= 0).sum())  # by rounding it may be more than `fewer`
            idle = 0 if wrong < fewest else idle
            fewest = min(fewest, wrong)
    return w, wrong


def _direction(Z: Any, leads: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    kind, d = rng.integers(3), Z.shape[1]
    if kind == 0:
        return np.asarray(np.eye(1, d, int(rng.integers(d)))[0])
    if kind == 1:
        i = int(rng.choice(np.flatnonzero(leads <= 0)))
        return dense(Z[[i]]).ravel()
    return np.asarray(rng.standard_normal(d))


def _best_step(leads: NDArray[np.float64], slopes: NDArray[np.float64]) -> tuple[float, int]:
    """The step t for which the most leads + t slopes are positive, in the middle of the interval where that is so."""
    moving = np.flatnonzero(slopes)
    with np.errstate(over="ignore"):
        at = -leads[moving] / slopes[moving]
    order = np.argsort(at)
    at, gains = at[order], np.where(slopes[moving][order] > 0, -1, 1)  # from here on the row is right, or wrong
    first = int((leads[slopes == 0] <= 0).sum()) + int((gains < 0).sum())
    counts = first + np.concatenate([[0], np.cumsum(gains)])
    ends = np.concatenate([[-math.inf], at, [math.inf]])
    counts = np.where(ends[1:] > ends[:-1], counts, len(leads) + 1)
    best = int(np.argmin(counts))
    low, high = float(ends[best]), float(ends[best + 1])
    if math.isinf(low) and math.isinf(high):
        step = 0.0
    elif math.isinf(low):
        step = 2 * min(high, 0.0) - 1
    else:
        step = 2 * max(low, 0.0) + 1 if math.isinf(high) else low / 2 + high / 2
    return step, int(counts[best])
