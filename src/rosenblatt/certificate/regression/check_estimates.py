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

Where weights are given, let t be the combination of rows, and t = q e_j + (a combination of the witness). Since v is 0
on the witness, v.t = q v_j. This gives the factor q, which must be positive for +inf and negative for -inf.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.base.exact import number_of
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, need
from rosenblatt.certificate.regression.recession_rows import Outcomes, recession_rows
from rosenblatt.certificate.signed_rows import Signed, are_balanced, sum_of
from rosenblatt.certificate.spans.factor_rows import factor_rows
from rosenblatt.certificate.spans.row_span import Span, span_of


def check_estimates(body: Body, table: Table, outcomes: Outcomes) -> None:
    """Raise Refuted unless the statuses of all coefficients are true. The body must have the right form."""
    about, part = body["about"], body["estimates"]
    signed = recession_rows(table, outcomes, about["model"], about["constant"], about["reference"]).signed
    vectors = [[number_of(text) for text in vector] for vector in part["vectors"]]
    need(vectors, "it has no vectors")
    need(all(len(vector) == signed.width for vector in vectors), f"a vector does not have {signed.width} numbers")
    signs = [signed.leads(vector)[1] for vector in vectors]
    need(all((found >= 0).all() for found in signs), "along a vector the likelihood falls")
    stuck = np.flatnonzero(signs[0] == 0)
    kind = "complete" if not len(stuck) else "none" if len(stuck) == signed.n else "quasi"
    need(part["kind"] == kind, f"the kind of separation is {kind}")
    factors = factor_rows(signed)
    witness = span_of(signed, _check_witness(part["witness"], signed), factors)
    need(not len(witness.outside(stuck)), "the witness spans too little")
    span = span_of(signed, _places(part["span"], signed), factors)
    need(not len(span.outside(np.arange(signed.n))), "there are rows outside the span")
    need(len(part["coefficients"]) == signed.width, f"it does not have {signed.width} coefficients")
    estimable, finite = span.columns(), witness.columns()
    for j, claim in enumerate(part["coefficients"]):
        status = claim["status"]
        need((status == "not_estimable") == (not estimable[j]), f"it is not true whether coefficient {j} is estimable")
        need((status == "finite") == finite[j], f"it is not true whether coefficient {j} is finite")
        if status in ("+inf", "-inf"):
            _check_infinite(claim, j, signed, vectors[0], witness)
        elif status == "undetermined":
            up, down = claim["vectors"]
            need(all(0 <= t < len(vectors) for t in (up, down)), "there is no such vector")
            need(vectors[up][j] > 0 > vectors[down][j], f"the vectors do not move coefficient {j} both ways")


def _check_witness(part: Body, signed: Signed) -> list[int]:
    rows, weights = _places(part["rows"], signed), [number_of(text) for text in part["weights"]]
    need(len(rows) == len(weights) and len(set(rows)) == len(rows), "the witness has no weight for each row")
    need(all(weight > 0 for weight in weights), "a weight of the witness is not positive")
    need(not sum_of(signed, rows, weights), "the witness does not add up to 0")
    return rows


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
