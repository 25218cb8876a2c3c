"""The verdict on some classes of rows, and its certificate, from a proof."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import LOOP_SECONDS, OutOfTime, afford, can_afford
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import float_of, floats_of, number_of, root_above, root_below, text_of, whole
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import View, hull_square, view
from rosenblatt.certificate.exact_table import Table, read_table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data import validation
from rosenblatt.errors import ParameterError
from rosenblatt.errors.wording import Words, worded
from rosenblatt.hulls.search_types import Nearest
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.finders.existence import NearWitness, near_witness
from rosenblatt.proof.proof_drawing import drawing_of
from rosenblatt.proof.prove import Proof, prove
from rosenblatt.proof.verdict import Verdict, VerdictKind, WeightedRows

EPSILON = 1e-6  # the relative gap between the bounds of the margin
LONG_ROW_SECONDS = 5e-7  # to make one number of a long row, with more than two classes


@dataclass(frozen=True)
class Labelled:
    """Exact rows and their classes."""

    table: Table
    codes: NDArray[Any]
    labels: list[Any]

    def __iter__(self) -> Iterator[Any]:
        yield from (self.table, self.codes, self.labels)

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels)).tolist()  # type: ignore[no-any-return]

    @cached_property
    def described(self) -> "Described":
        """The data, for certificates. Its fingerprint is taken once for all questions about these rows."""
        table = self.table
        return Described(table.n, table.d, table.names, table.decimal, table.digest(self.codes))


class Described(NamedTuple):
    """The size, names and fingerprint of the data of a certificate."""

    n: int
    d: int
    names: list[str] | None
    decimal: bool
    fingerprint: str

    def digest(self, _: NDArray[Any]) -> str:
        """The fingerprint, which was taken before."""
        return self.fingerprint


def deadline_of(time_limit: float | None) -> float:
    """The deadline on the monotonic clock for a time limit in seconds."""
    if time_limit is None:
        return math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not time_limit > 0:
        none = Words(", or None", "")
        said = worded(f"must be a number of seconds above 0{{none}}, not {time_limit!r}.", none=none)
        raise ParameterError(said, "time_limit")
    return time.monotonic() + float(time_limit)


def labelled(X: Any, y: Any, *, decimals: bool = False) -> Labelled:
    """Read rows and labels. With `decimals`, a float counts as the shortest decimal that rounds to it."""
    table = read_table(X).in_decimals() if decimals else read_table(X)
    classes, codes = validation.classes(y, table.n)
    return Labelled(table, codes, classes.tolist())


class Decided(NamedTuple):
    """The verdict on some classes, with its proof."""

    verdict: Verdict
    proof: Proof | NearWitness | None = None  # None if undecided
    seen: View | None = None


def decide(
    given: Labelled, between: Sequence[int], constant: float, detail: bool, deadline: float, *, near: bool = True
) -> Decided:
    """The verdict on some of the classes. It is undecided if the deadline passes.

    With `near`, overlap may be proved by a near witness, whose weights are not exact.
    """
    try:
        afford(long_row_seconds(given.table, len(between)), deadline)
        seen = view(given.table, given.codes, between, constant)
        equal = contradictions(seen.signed.table, seen.signed.y) if seen.against is None else []
        proof = find_proof(seen.signed, equal, detail, deadline, near=near)
        return Decided(_verdict(given, between, constant, detail, proof, seen, deadline), proof, seen)
    except OutOfTime:
        return Decided(undecided(given, between, constant))


def find_proof(
    signed: Signed, equal: Sequence[tuple[int, int]], detail: bool, deadline: float, *, near: bool = True
) -> Proof | NearWitness:
    """A proof of what is true of signed rows, where some pairs of rows are known to add up to 0.

    Raises
    ------
    OutOfTime
        The deadline passed, and nothing is proved.
    """
    found = near_witness(signed, deadline) if near and (detail or not equal) else None
    return found or prove(signed, detail=detail, epsilon=EPSILON, deadline=deadline, equal=equal)


def undecided(given: Labelled, between: Sequence[int], constant: float) -> Verdict:
    """The verdict on classes about which nothing is proved."""
    return Verdict("undecided", **about(given, between, constant))


def about(given: Labelled, between: Sequence[int], constant: float) -> dict[str, Any]:
    """The facts of a verdict that do not depend on the answer."""
    return {
        "classes": [given.labels[k] for k in between],
        "feature_names": given.table.names,
        "n": sum(given.counts[k] for k in between),
        "through_origin": not constant,
    }


def long_row_seconds(table: Table, classes: int) -> float:
    """The time to make the long rows of so many classes, about; two classes need none."""
    if classes == 2:
        return 0.0
    X = table.floats
    numbers = np.count_nonzero(X.data if scipy.sparse.issparse(X) else X)
    return float(2 * LONG_ROW_SECONDS * (classes - 1) * (numbers + table.n))


def verdict_certificate(given: Labelled, between: Sequence[int], constant: float, *, detail: bool) -> Certificate:
    """The certificate of the verdict on some of the classes. Without a deadline there always is one."""
    certificate = decide(given, between, constant, detail, math.inf).verdict.certificate
    if certificate is None:
        raise AssertionError("without a deadline there is a proof")
    return certificate


def _verdict(
    given: Labelled,
    between: Sequence[int],
    constant: float,
    detail: bool,
    proof: Proof | NearWitness,
    seen: View,
    deadline: float,
) -> Verdict:
    """The verdict of a proof."""
    kind: VerdictKind = ("overlap" if detail else "not_strict") if isinstance(proof, NearWitness) else proof.kind
    report_progress("verdict", 0, None, "{}; its certificate is being made", kind)
    if isinstance(proof, NearWitness):
        parts, facts = _near_evidence(proof, seen, given)
    else:
        parts, facts = evidence(proof, seen, given, deadline=deadline)
    return certified(given, between, constant, kind, parts, facts)


def certified(
    given: Labelled,
    between: Sequence[int],
    constant: float,
    kind: VerdictKind,
    parts: dict[str, Any],
    facts: dict[str, Any],
) -> Verdict:
    """The verdict with its certificate, from the parts of the certificate and the facts of the verdict."""
    data = given.described, given.codes, given.labels
    certificate = Certificate.of(kind, *data, list(between), constant, **parts)
    return Verdict(kind, certificate=certificate, **facts, **about(given, between, constant))


def evidence(
    proof: Proof, seen: View, given: Labelled, numbers: NDArray[Any] | None = None, deadline: float = math.inf
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of the certificate, and the facts for the verdict.

    `numbers` are the row numbers to use, if the rows are only some of the data. The margin is left out if its proof
    would come after the deadline.
    """
    parts, facts = _parts(proof, seen, given, deadline)
    if numbers is not None:
        for part in (parts.get("witness"), parts.get("margin")):
            if part is not None:
                part["rows"] = numbers[part["rows"]].tolist()
        if "witness" in facts:
            facts["witness"] = facts["witness"]._replace(rows=numbers[facts["witness"].rows].tolist())
            facts["contradictions"] = [(int(numbers[i]), int(numbers[j])) for i, j in facts["contradictions"]]
        facts.pop("drawing", None)
    return parts, facts


def _near_evidence(found: NearWitness, seen: View, given: Labelled) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of the certificate, and the facts for the verdict."""
    parts = witness_parts(found, seen)
    facts = {
        "witness": shares_of(parts["near_witness"], given),
        "stuck": seen.rows,
        "contradictions": _contradictions(given, seen.rows),
    }
    return parts, facts


def witness_parts(proof: Proof | NearWitness, seen: View) -> dict[str, Any]:
    """The witness of a proof, exact or near, as a part of a certificate."""
    if isinstance(proof, Proof):
        witness = sorted(zip(proof.witness.rows, proof.witness.weights, strict=True))
        return {"witness": weighted([row for row, _ in witness], [weight for _, weight in witness], seen)}
    part = weighted(proof.rows, proof.weights, seen)
    if proof.relations:
        part["relations"] = [
            {"columns": columns, "weights": [text_of(weight) for weight in weights]}
            for columns, weights in proof.relations
        ]
    return {"near_witness": part}


def shares_of(part: dict[str, Any], given: Labelled) -> WeightedRows:
    """The rows of a witness with weights that add up to 1, and the labels that they are compared with."""
    weights = [number_of(text) for text in part["weights"]]
    total = sum(weights)
    against = [given.labels[k] for k in part["against"]] if "against" in part else None
    return WeightedRows(part["rows"], [Fraction(weight, total) for weight in weights], against)


def _parts(proof: Proof, seen: View, given: Labelled, deadline: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts and facts, with the row numbers of the given rows."""
    parts: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    binary = seen.against is None
    if proof.hyperplane:
        parts["hyperplane"] = [text_of(number) for number in proof.hyperplane]
        if binary:
            facts["hyperplane"] = plane_of_whole(proof.hyperplane, seen.signed.constant)
    if proof.witness.rows:
        parts |= witness_parts(proof, seen)
        facts["witness"] = shares_of(parts["witness"], given)
        facts["stuck"] = seen._replace(numbers=seen.numbers[proof.stuck]).rows
        facts["contradictions"] = _contradictions(given, seen.rows)
        if binary:
            facts["drawing"] = _drawn(given, seen, proof.witness.core, None)
    elif binary and proof.search is not None and can_afford(_margin_seconds(proof.search, seen), deadline):
        margin = margin_of(seen, proof.hyperplane, proof.search, free=seen.signed.constant != 0)
        facts["margin_bounds"] = margin["lower"], margin["upper"]
        table = seen.signed.table
        facts["narrow"] = not table.decimal and bool(margin["upper"] <= 2.0**-50 * abs(table.floats).max())
        if math.isfinite(margin["upper"]):
            parts["margin"] = margin
        support = dict(zip(proof.search.rows.tolist(), proof.search.weights.tolist(), strict=True))
        facts["drawing"] = _drawn(given, seen, support, facts["hyperplane"]) if seen.signed.constant else None
    return parts, facts


def _margin_seconds(search: Nearest, seen: View) -> float:
    """The time to prove the bounds of the margin, about."""
    X = seen.signed.table.floats
    numbers = X.nnz / X.shape[0] if scipy.sparse.issparse(X) else X.shape[1]
    return float(4 * LOOP_SECONDS * len(search.rows) * numbers)


def _drawn(given: Labelled, seen: View, weights: Any, plane: Hyperplane | None) -> Any:
    y = np.zeros(given.table.n, np.int8)
    y[seen.numbers] = seen.signed.y
    return drawing_of(given.table.floats, y, {int(seen.numbers[i]): share for i, share in weights.items()}, plane)


def weighted(rows: Sequence[int], weights: Sequence[int], seen: View) -> dict[str, Any]:
    """Rows and weights in the form of a certificate."""
    part: dict[str, Any] = {"rows": seen.numbers[list(rows)].tolist(), "weights": [text_of(x) for x in weights]}
    if seen.against is not None:
        part["against"] = seen.against[list(rows)].tolist()
    return part


def margin_of(seen: View, w: Sequence[int], found: Nearest, *, free: bool) -> dict[str, Any]:
    """Bounds of the margin with their proof: the margin of w, and a combination that no margin exceeds."""
    signed = seen.signed
    square = sum(number * number for number in (w[: signed.table.d] if free else w))
    lower = root_below(signed.smallest_lead(w) ** 2 / square)
    rows, weights = found.rows.tolist(), whole(found.weights.tolist())
    upper = root_above(hull_square(signed, rows, weights, free=free))
    return {"lower": lower, "upper": upper, **weighted(rows, weights, seen)}


def plane_of_whole(w: Sequence[int], constant: float) -> Hyperplane:
    """The hyperplane in floats, for weights of rows that end with the constant."""
    above, below = constant.as_integer_ratio()
    d = len(w) - (constant != 0)
    numbers = [x * below for x in w[:d]] + ([w[d] * above] if constant else [])
    floats, _ = floats_of(numbers)
    if not np.isfinite(floats).all():  # the weights are too far apart for floats: the smallest become 0
        longest = max(number.bit_length() for number in numbers)
        floats = [float_of(number, longest - 1000) for number in numbers]
    return Hyperplane(floats[:d], floats[d] if constant else 0.0)


def _contradictions(given: Labelled, rows: NDArray[Any]) -> list[tuple[int, int]]:
    table = given.table if len(rows) == given.table.n else given.table.take(rows)
    return [(int(rows[i]), int(rows[j])) for i, j in contradictions(table, given.codes[rows])]
