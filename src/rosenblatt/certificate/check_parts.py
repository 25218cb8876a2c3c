"""Certificates checked part by part: for rows that are not in one place.

A proof lists a few rows and says something about all. So the claim is true of all rows if, for each part, it is true of
the listed rows together with that part. Two things need all parts: in a weak separation some row must be off the
hyperplane, and the errors of a hyperplane are counted.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of
from rosenblatt.certificate.check_claims import CLAIMS, View, check_mistakes, view
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, Refuted, need


class NumberedRows(NamedTuple):
    """Some rows of a table, as floats, with their classes and their numbers in the table."""

    X: Any
    codes: NDArray[Any]
    numbers: NDArray[Any]

    def joined(self, other: "NumberedRows") -> "NumberedRows":
        """These rows, then the others."""
        sparse = scipy.sparse.issparse(self.X)
        X = scipy.sparse.vstack([self.X, other.X], format="csr") if sparse else np.concatenate([self.X, other.X])
        codes = np.concatenate([self.codes, other.codes])
        return NumberedRows(X, codes, np.concatenate([self.numbers, other.numbers]))

    def seen(self, body: Body) -> View:
        """The signed rows, with their numbers in the table."""
        about = body["about"]
        table = Table(self.X, {}, decimal="decimals" in body["data"])
        found = view(table, self.codes, about["between"], about["constant"])
        return found._replace(numbers=self.numbers[found.numbers])


def listed_rows(body: Body) -> list[int]:
    """The numbers of all rows that a proof lists."""
    return sorted(set(_rows_in({key: part for key, part in body.items() if key not in ("data", "about")})))


def _rows_in(part: Any) -> Iterator[int]:
    if isinstance(part, Mapping):
        for key, inner in part.items():
            if key in ("rows", "witnesses") and isinstance(inner, list):
                yield from (row for one in inner for row in (one if isinstance(one, list) else [one]))
            else:
                yield from _rows_in(inner)


def refuse_whole_claims(body: Body) -> None:
    """Raise Refuted for claims that cannot be checked part by part."""
    novikoff = body.get("mistakes", {}).get("theorem", "Novikoff") == "Novikoff"
    possible = body["claim"] in CLAIMS and body["claim"] != "worst_error" and "merges" not in body and novikoff
    need(possible, "a certificate of this kind is checked where all rows are in memory")


def check_part(body: Body, listed: NumberedRows, part: NumberedRows) -> tuple[str, int]:
    """Check a claim on the listed rows and a part.

    Returns
    -------
    str, int
        Why the claim is not true, or an empty text; and the number of errors in the part, where errors are counted.
    """
    seen = listed.joined(part).seen(body)
    try:
        if body["claim"] == "errors":
            w = [number_of(text) for text in body["errors"]["hyperplane"]]
            own = part.seen(body)
            need(len(w) == own.signed.width, f"the hyperplane has {len(w)} weights, expected {own.signed.width}")
            return "", int((own.signed.leads(w)[1] <= 0).sum())
        CLAIMS[body["claim"]](body, seen)
        if "mistakes" in body and body["claim"] != "mistakes":
            check_mistakes(body, seen)
    except Refuted as refuted:
        return str(refuted), 0
    return "", 0


def row_off(body: Body, part: NumberedRows) -> int | None:
    """The number of a row that is strictly on its right side of the hyperplane; None if this part has none."""
    seen = part.seen(body)
    w = [number_of(text) for text in body["hyperplane"]]
    need(len(w) == seen.signed.width, f"the hyperplane has {len(w)} weights, expected {seen.signed.width}")
    off = np.flatnonzero(seen.signed.leads(w)[1] > 0)
    return int(seen.numbers[off[0]]) if len(off) else None


def check_counted_errors(body: Body, listed: NumberedRows, errors: int) -> None:
    """Check what bounds of errors say of the listed rows, and that the hyperplane errs on no other rows."""
    wrong = body["errors"]["rows"]
    need(len(set(wrong)) == len(wrong), "a row is listed twice")
    CLAIMS["errors"](body, listed.seen(body))
    need(errors == len(wrong), f"the hyperplane errs on {errors} rows, not on the {len(wrong)} listed")
