"""Certificates of estimates checked part by part: for rows that are not in one place.

A proof lists a few recession rows by their numbers among all, and says something of every row. So what it says of the
listed rows is checked once, and what it says of every row is checked for each part together with the listed rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, Refuted, need
from rosenblatt.certificate.regression.check_estimates import (
    KindsOfRows,
    Spans,
    check_every_row,
    check_statuses,
    form_of,
)
from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers
from rosenblatt.certificate.regression.recession_rows import recession_rows
from rosenblatt.certificate.signed_rows import Signed


def listed_numbers(body: Body, total: int) -> list[int]:
    """The numbers of the recession rows that a proof lists, each once; raise Refuted unless there are so many rows."""
    lists = _row_lists(body["estimates"])
    numbers = sorted({number for rows in lists for number in rows})
    need(all(0 <= number < total for number in numbers), f"a row is not one of the {total} recession rows")
    return numbers


def renumbered(part: Body, numbers: Mapping[int, int] | Sequence[int]) -> Body:
    """A proof of estimates with other numbers for the rows that it lists."""

    def weighed(own: Body) -> Body:
        return own | {"rows": [numbers[i] for i in own["rows"]]} if "rows" in own else own

    return part | {
        "witness": weighed(part["witness"]),
        "span": [numbers[i] for i in part["span"]],
        "coefficients": [weighed(claim) for claim in part["coefficients"]],
    }


def _row_lists(part: Body) -> list[list[int]]:
    proofs = [claim["rows"] for claim in part["coefficients"] if "rows" in claim]
    return [part["witness"]["rows"], part["span"], *proofs]


class ListedProof(NamedTuple):
    """A proof of estimates whose rows are numbered by their places among some signed rows."""

    body: Body
    signed: Signed

    @classmethod
    def of(cls, body: Body, X: Any, codes: NDArray[Any], numbers: RecessionNumbers) -> Self:
        """The proof of a certificate.

        Parameters
        ----------
        body : the certificate
        X, codes : the rows of the data that the listed recession rows come from, and the codes of their outcomes
        numbers : the numbers of their recession rows
        """
        places = {number: place for place, number in enumerate(numbers.every().tolist())}
        return cls(body | {"estimates": renumbered(body["estimates"], places)}, recession_of(body, X, codes))

    def check(self) -> None:
        """Raise Refuted unless what the proof says of the listed rows is true."""
        part = self.body["estimates"]
        check_statuses(part, self.signed, Spans.of(part, self.signed))

    def check_with(self, X: Any, codes: NDArray[Any]) -> tuple[str, KindsOfRows]:
        """Check what the proof says of every row, for the listed rows and a part of the data.

        Returns
        -------
        str, KindsOfRows
            Why it is not true, or an empty text; and the kinds of rows that there are.
        """
        part, together = self.body["estimates"], self.signed.joined(recession_of(self.body, X, codes))
        try:
            return "", check_every_row(part, together, Spans.of(part, together))
        except Refuted as refuted:
            return str(refuted), KindsOfRows(stuck=False, separated=False)


def recession_of(body: Body, X: Any, codes: NDArray[Any]) -> Signed:
    """The recession rows of some rows of the data."""
    table = Table(X, {}, decimal="decimals" in body["data"])
    return recession_rows(table, codes, form_of(body)).signed
