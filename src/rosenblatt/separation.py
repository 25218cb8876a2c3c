"""Is this data linearly separable?  `separability` answers with a proof."""

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import data
from rosenblatt.bounds import Nearest
from rosenblatt.certificate import Certificate
from rosenblatt.claims import View, hull_square, view
from rosenblatt.contradiction import contradictions
from rosenblatt.drawing import drawing_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.exact import float_of, floats_of, root_above, root_below, text_of, whole
from rosenblatt.exact_search import OutOfTime
from rosenblatt.hyperplane import Hyperplane
from rosenblatt.proof import Proof, prove
from rosenblatt.sides import Signed
from rosenblatt.table import Table, read_table
from rosenblatt.verdict import Verdict, Weighted

EPSILON = 1e-6  # how close the bounds of the margin are brought, in parts of it


class Labelled(NamedTuple):
    """Exact rows and their classes."""

    table: Table
    codes: NDArray[Any]
    labels: list[Any]


def separability(X: Any, y: Any, *, detail: bool = True, bias: bool = True, budget: float | None = None) -> Verdict:
    r"""Decide whether a hyperplane separates the classes, and prove it.

    With :math:`z_i = y_i [x_i, 1]` exactly one is true (Gordan): some w has :math:`w \cdot z_i > 0` for all rows, or
    some rows with positive weights add up to 0. No tolerance decides: floats are taken as the fractions they are.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list, n x d
        Integers may be of any size.
    y : n class labels
        With more than two classes the question is whether one weight vector a class can give every row its largest
        score in its own class (Kessler); `pairs` has the verdicts of two classes each.
    detail : bool, default=True
        Tell weak from overlap. False stops at "not_strict", which for very wide data may be much cheaper.
    bias : bool, default=True
        False: only hyperplanes through the origin.
    budget : seconds, optional
        Without one the answer is never "undecided".

    Returns
    -------
    Verdict
        `kind` is "strict" (some hyperplane has all rows strictly on their right side), "weak" (some has none on its
        wrong side and not all on itself) or "overlap"; `certificate` the proof.

    References
    ----------
    P. Gordan, Mathematische Annalen 6 (1873); E. Stiemke, Mathematische Annalen 76 (1915); A. J. Goldman and A. W.
    Tucker, in Linear inequalities and related systems (1956), corollary 2A; A. Albert and J. A. Anderson, Biometrika 71
    (1984), for what "weak" does to logistic regression.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> verdict = separability([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> verdict.kind, verdict.witness.rows, [str(weight) for weight in verdict.witness.weights]
    ('overlap', [0, 1, 2, 3], ['1/4', '1/4', '1/4', '1/4'])
    """
    deadline = deadline_of(budget)
    given = labelled(X, y)
    constant = 1.0 if bias else 0.0
    if len(given.labels) == 2:
        return decide(given, (0, 1), constant, detail, deadline)
    joint = decide(given, range(len(given.labels)), constant, detail, deadline)
    pairs = {
        (given.labels[a], given.labels[b]): decide(given, (a, b), constant, detail, deadline)
        for a, b in itertools.combinations(range(len(given.labels)), 2)
    }
    return replace(joint, pairs=pairs)


def deadline_of(budget: float | None) -> float:
    if budget is None:
        return math.inf
    if isinstance(budget, bool) or not isinstance(budget, Real) or not budget > 0:
        raise ParameterError(f"budget must be a number of seconds above 0, or None, not {budget!r}.")
    return time.monotonic() + float(budget)


def labelled(X: Any, y: Any) -> Labelled:
    """Read rows and labels."""
    if X is None or not _may_be_large(X):
        X_read = data.points(X)  # with its messages
        names = data.column_names(X)
        table = read_table(X_read)
        table = Table(table.floats, table.large, list(names) if names else None)
    else:
        table = read_table(X)
    classes, codes = data.classes(y, table.n)
    labels = classes.tolist()
    if not all(isinstance(label, str | int | float) for label in labels):
        raise DataError(f"y must hold words or numbers as labels, not {labels[0]!r}; give them as strings.")
    return Labelled(table, codes, labels)


def _may_be_large(X: Any) -> bool:
    """Could there be integers beyond 2^53 in it?"""
    kind = getattr(getattr(X, "dtype", None), "kind", "O")
    return kind in "Oiu"


def decide(given: Labelled, between: Sequence[int], constant: float, detail: bool, deadline: float) -> Verdict:
    """The verdict on some of the classes."""
    seen = view(given.table, given.codes, between, constant)
    classes = [given.labels[k] for k in between]
    common: dict[str, Any] = {
        "classes": classes,
        "names": given.table.names,
        "n": len(seen.rows),
        "through_origin": not constant,
    }
    try:
        proof = prove(seen.signed, detail=detail, epsilon=EPSILON, deadline=deadline)
    except OutOfTime:
        return Verdict("undecided", **common)
    kind = proof.kind if detail or proof.kind == "strict" else "not_strict"
    parts, facts = _parts(proof, seen, given)
    certificate = Certificate.of(kind, *given, list(between), constant, **parts)
    return Verdict(kind, certificate=certificate, **facts, **common)


def _parts(proof: Proof, seen: View, given: Labelled) -> tuple[dict[str, Any], dict[str, Any]]:
    """What goes into the certificate, and what into the verdict."""
    parts: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    binary = seen.against is None
    if proof.hyperplane:
        parts["hyperplane"] = [text_of(number) for number in proof.hyperplane]
        if binary:
            facts["hyperplane"] = plane_of_whole(proof.hyperplane, seen.signed)
    if proof.witness.rows:
        weights = proof.witness.weights
        order = np.argsort(proof.witness.rows)
        rows = [proof.witness.rows[t] for t in order]
        shares = [weights[t] for t in order]
        parts["witness"] = weighted(rows, shares, seen)
        total = sum(shares)
        against = None if binary else [given.labels[k] for k in seen.against[rows]]  # type: ignore[index]
        facts["witness"] = Weighted(parts["witness"]["rows"], [Fraction(x, total) for x in shares], against)
        facts["stuck"] = seen._replace(numbers=seen.numbers[proof.stuck]).rows
        facts["contradictions"] = _contradictions(given, seen.rows)
        if binary:
            facts["drawing"] = _drawn(given, seen, proof.witness.core, None)
    elif binary:
        margin = margin_of(seen, proof.hyperplane, proof.search, free=seen.signed.constant != 0)
        facts["margin_bounds"] = margin["lower"], margin["upper"]
        facts["narrow"] = bool(margin["upper"] <= 2.0**-50 * abs(seen.signed.table.floats).max())
        if math.isfinite(margin["upper"]):
            parts["margin"] = margin
        support = dict(zip(proof.search.rows.tolist(), proof.search.weights.tolist(), strict=True))
        facts["drawing"] = _drawn(given, seen, support, facts["hyperplane"]) if seen.signed.constant else None
    return parts, facts


def _drawn(given: Labelled, seen: View, weights: Any, plane: Hyperplane | None) -> Any:
    y = np.zeros(given.table.n, np.int8)
    y[seen.numbers] = seen.signed.y
    return drawing_of(given.table.floats, y, {int(seen.numbers[i]): share for i, share in weights.items()}, plane)


def weighted(rows: Sequence[int], weights: Sequence[int], seen: View) -> dict[str, Any]:
    """Rows and weights as a certificate has them."""
    part: dict[str, Any] = {"rows": seen.numbers[list(rows)].tolist(), "weights": [text_of(x) for x in weights]}
    if seen.against is not None:
        part["against"] = seen.against[list(rows)].tolist()
    return part


def margin_of(seen: View, w: Sequence[int], found: Nearest, *, free: bool) -> dict[str, Any]:
    """Bounds of the margin, with their proof: what w reaches, and a combination that shows what none exceeds."""
    signed = seen.signed
    square = sum(number * number for number in (w[: signed.table.d] if free else w))
    lower = root_below(signed.smallest_lead(w) ** 2 / square)
    rows, weights = found.rows.tolist(), whole(found.weights.tolist())
    upper = root_above(hull_square(signed, rows, weights, free=free))
    return {"lower": lower, "upper": upper, **weighted(rows, weights, seen)}


def plane_of_whole(w: Sequence[int], signed: Signed) -> Hyperplane:
    """The hyperplane in floats."""
    above, below = signed.constant.as_integer_ratio()
    d = signed.table.d
    numbers = [x * below for x in w[:d]] + ([w[d] * above] if signed.constant else [])
    floats, _ = floats_of(numbers)
    if not np.isfinite(floats).all():  # too far apart for floats: the smallest become 0
        longest = max(number.bit_length() for number in numbers)
        floats = [float_of(number, longest - 1000) for number in numbers]
    return Hyperplane(floats[:d], floats[d] if signed.constant else 0.0)


def _contradictions(given: Labelled, rows: NDArray[Any]) -> list[tuple[int, int]]:
    table = given.table if len(rows) == given.table.n else given.table.take(rows)
    return [(int(rows[i]), int(rows[j])) for i, j in contradictions(table, given.codes[rows])]
