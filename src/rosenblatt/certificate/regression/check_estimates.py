"""The claim which coefficients of a regression have finite estimates, checked in whole numbers.

Let C be the directions b with z.b >= 0 for all recession rows z (`recession_rows`). The proof has vectors of C, a
witness (some rows with positive weights that add up to 0), and rows that span all rows. The first vector v says:

    every row has  v.z > 0,  or  v.z = 0  and z is a linear combination of the witness.

Every b of C vanishes on the witness, because its leads are at least 0 and their weighted sum is 0. So it vanishes on
all rows with v.z = 0, the stuck rows. The others are fitted without end in the direction v: they are separated. For
the coefficient j, and e_j the vector with 1 in place j and 0 elsewhere:

    not_estimable  e_j is no linear combination of the rows: some b with z.b = 0 for all z changes the coefficient
    finite         e_j is a linear combination of the witness: no b of C changes the coefficient
    +inf, -inf     e_j, or -e_j, is a combination of rows with weights >= 0 (Farkas), plus a linear combination of the
                   witness, so no b of C lowers, or raises, the coefficient; and v changes it
    undetermined   one vector of C raises the coefficient, another lowers it, and e_j is a combination of the rows

The weights of independent rows need not be written down: at most one set of weights makes them add up to e_j, or to
-e_j. They are found here, and must be positive.

Only the first statement, the other vectors, and the span are about all rows (`check_every_row`). All else is about the
rows that the proof lists (`check_statuses`). So the rows may come in parts, each together with the listed rows.

Where weights are given, let t be the combination of rows, and t = q e_j + (a combination of the witness). Since v is 0
on the witness, v.t = q v_j. This gives the factor q, which must be positive for +inf and negative for -inf.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.base.exact import number_of
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, need
from rosenblatt.certificate.regression.recession_rows import ModelForm, Outcomes, recession_rows
from rosenblatt.certificate.signed_rows import Signed, are_balanced, sum_of
from rosenblatt.certificate.spans.factor_rows import factor_rows
from rosenblatt.certificate.spans.row_span import Span, span_of


class Spans(NamedTuple):
    """The linear combinations of the witness of a proof, and those of the rows that span all rows."""

    witness: Span
    everything: Span

    @classmethod
    def of(cls, part: Body, signed: Signed) -> Self:
        """Those of a proof, whose rows are numbered as the signed rows are."""
        factors = factor_rows(signed)
        listed = (part["witness"]["rows"], part["span"])
        return cls(*(span_of(signed, _places(rows, signed), factors) for rows in listed))


class KindsOfRows(NamedTuple):
    """Which kinds of rows there are: stuck ones, and rows that are separated."""

    stuck: bool
    separated: bool


def form_of(body: Body) -> ModelForm:
    """The model that a certificate is about."""
    about = body["about"]
    return ModelForm(about["model"], about["constant"], about["reference"], body["data"]["labels"])


def check_estimates(body: Body, table: Table, outcomes: Outcomes) -> None:
    """Raise Refuted unless the statuses of all coefficients are true. The body must have the right form."""
    part, signed = body["estimates"], recession_rows(table, outcomes.codes, form_of(body)).signed
    spans = Spans.of(part, signed)
    check_statuses(part, signed, spans)
    check_kind(part, [check_every_row(part, signed, spans)])


def check_statuses(part: Body, signed: Signed, spans: Spans) -> None:
    """Check what a proof says of the rows that it lists. It proves the statuses if `check_every_row` finds no fault.

    The signed rows may be these rows only, or all.
    """
    vectors = _vectors(part, signed)
    _check_witness(part["witness"], signed)
    need(len(part["coefficients"]) == signed.width, f"it does not have {signed.width} coefficients")
    estimable, finite = spans.everything.columns(), spans.witness.columns()
    for j, claim in enumerate(part["coefficients"]):
        status = claim["status"]
        need((status == "not_estimable") == (not estimable[j]), f"it is not true whether coefficient {j} is estimable")
        need((status == "finite") == finite[j], f"it is not true whether coefficient {j} is finite")
        if status in ("+inf", "-inf"):
            _check_infinite(claim, j, signed, vectors[0], spans.witness)
        elif status == "undetermined":
            up, down = claim["vectors"]
            need(all(0 <= t < len(vectors) for t in (up, down)), "there is no such vector")
            need(vectors[up][j] > 0 > vectors[down][j], f"the vectors do not move coefficient {j} both ways")


def check_every_row(part: Body, signed: Signed, spans: Spans) -> KindsOfRows:
    """Check what a proof says of every row, for these rows, among which are those that it lists."""
    first, *others = _vectors(part, signed)
    signs = signed.leads(first)[1]
    falls = "along a vector the likelihood falls"
    need((signs >= 0).all(), falls)
    for vector in others:
        need((signed.leads(vector)[1] >= 0).all(), falls)
    stuck = np.flatnonzero(signs == 0)
    need(not len(spans.witness.outside(stuck)), "the witness spans too little")
    need(not len(spans.everything.outside(np.arange(signed.n))), "there are rows outside the span")
    return KindsOfRows(bool(len(stuck)), len(stuck) < signed.n)


def check_kind(part: Body, found: Iterable[KindsOfRows]) -> None:
    """Check the kind of separation, if some parts have these kinds of rows, and all rows are in one of them."""
    stuck, separated = (any(own) for own in zip(*found, strict=True))
    kind = ("quasi" if stuck else "complete") if separated else "none"
    need(part["kind"] == kind, f"the kind of separation is {kind}")


def _vectors(part: Body, signed: Signed) -> list[list[int]]:
    vectors = [[number_of(text) for text in vector] for vector in part["vectors"]]
    need(vectors, "it has no vectors")
    need(all(len(vector) == signed.width for vector in vectors), f"a vector does not have {signed.width} numbers")
    return vectors


def _check_witness(part: Body, signed: Signed) -> None:
    rows, weights = _places(part["rows"], signed), [number_of(text) for text in part["weights"]]
    need(len(rows) == len(weights) and len(set(rows)) == len(rows), "the witness has no weight for each row")
    need(all(weight > 0 for weight in weights), "a weight of the witness is not positive")
    need(not sum_of(signed, rows, weights), "the witness does not add up to 0")


def _check_infinite(claim: Body, j: int, signed: Signed, vector: Sequence[int], witness: Span) -> None:
    sign = 1 if claim["status"] == "+inf" else -1
    rows, not_so = _places(claim["rows"], signed), f"the rows do not add up to coefficient {j}"
    need(sign * vector[j] > 0, f"the first vector does not move coefficient {j}")
    if "weights" not in claim:
        given = signed.whole(rows)
        need(j in given.columns, not_so)
        opposite = [-sign * (column == j) for column in given.columns]
        need(are_balanced([*given.matrix.tolist(), opposite]), not_so)
        return
    weights = [number_of(text) for text in claim["weights"]]
    need(len(rows) == len(weights) > 0 and min(weights) > 0, f"coefficient {j} has no positive weight for each row")
    total = sum_of(signed, rows, weights)
    factor = sum((number * vector[k] for k, number in total.items()), Fraction(0)) / vector[j]
    rest = total | {j: total.get(j, Fraction(0)) - factor}
    need(sign * factor > 0 and witness.contains(rest), not_so)


def _places(rows: Any, signed: Signed) -> list[int]:
    need(all(0 <= i < signed.n for i in rows), f"a row is not one of the {signed.n} recession rows")
    return list(rows)
