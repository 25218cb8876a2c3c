"""Bounds of the fewest rows that a hyperplane can get wrong, both proved.

Finding the fewest errors is NP-hard, but bounds can be proved. The lower bound: rows that add up to 0 with positive
weights (a witness) cannot all be on the right side of a hyperplane. So each witness costs at least one error, and
witnesses that share no row cost one error each. The upper bound: a hyperplane with the list of its errors.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.html import Markup, details, element, shown
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import FLAG, WHOLE, Form, list_of, optional
from rosenblatt.base.parameters import Flag, Integer, check_argument
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.base.words import count_of, listed
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import view
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.decide import deadline_of, labelled, plane_of_whole
from rosenblatt.proof.fewest_errors.search import FewestErrors, fewest_errors
from rosenblatt.proof.row_labels import ROW_LABELS, ROWS, RowLabels, index_of, labels_of


@dataclass(frozen=True, eq=False, repr=False)
class ErrorBounds(NoTruthValue, Result):
    """Bounds of the fewest rows that a hyperplane gets wrong. Two bounds are equal if all attributes are.

    A row on the hyperplane counts as wrong. Rows are named by their positions, from 0.

    Attributes
    ----------
    lower, upper : int
        The bounds; equal if the fewest errors are known.
    hyperplane : Hyperplane
        A hyperplane that errs on `upper` rows.
    errors : array of int
        These rows.
    witnesses : list of lists of int
        `lower` lists of rows, no row in two of them. Every hyperplane errs on a row of each list.
    certificate : Certificate
        The proof of both bounds.
    n : int
        The number of rows.
    row_labels : dict, or None
        The index label of each row that is named here, if X was a data frame with an index of its own.
    complete : bool
        True if the search ended by itself, with the same bounds as on any machine. False: the time limit cut it short.

    See Also
    --------
    error_bounds : Returns one of these.
    Certificate : Anybody can check the proof.

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
        "complete": FLAG,
    }

    lower: int
    upper: int
    hyperplane: Hyperplane
    errors: NDArray[np.int64]
    witnesses: list[list[int]]
    certificate: Certificate
    n: int
    row_labels: RowLabels | None = None
    complete: bool = True

    def explain(self) -> str:
        """Explain the bounds in plain words.

        Returns
        -------
        str
            A paragraph.
        """
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
        if not self.complete:
            text += " The time limit cut the search short. With more time the bounds may be closer."
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
    X: TableLike,
    y: LabelsLike | None = None,
    *,
    through_origin: bool = False,
    time_limit: float | None = 10.0,
    hyperplane: Hyperplane | None = None,
    random_state: int = 0,
    decimals: bool = False,
) -> ErrorBounds:
    """Bound the fewest training errors of any hyperplane from below and above.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list of shape (n, d)
        The rows.
    y : array of shape (n,)
        The class labels, of two classes.
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : float or None, default=10.0
        In seconds. It only cuts the search short. The effort is counted in operations, not in seconds, so that the same
        data and options give the same bounds on every machine; it ends well before 10 seconds for most tables. If the
        time is over first, the bounds are true, but may be wider, and `complete` is False.
    hyperplane : Hyperplane, optional
        A hyperplane to begin with, for example that of a `Pocket`. The upper bound is then at most its errors.
    random_state : int, default=0
        The seed for the directions in which the search looks for better hyperplanes, and for the sets of rows in which
        it looks for witnesses.
    decimals : bool, default=False
        True: a float counts as the shortest decimal that rounds to it, so that 0.1 is 1/10; see docs/inputs.md.

    Returns
    -------
    ErrorBounds
        The bounds, with a certificate.

    See Also
    --------
    Pocket : Finds a hyperplane with few errors.
    separability : Decides whether a hyperplane makes no errors.

    Examples
    --------
    >>> from rosenblatt import error_bounds
    >>> bounds = error_bounds([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> bounds.lower, bounds.upper, bounds.witnesses
    (1, 1, [[0, 1, 2, 3]])
    """
    check_argument("error_bounds", "through_origin", through_origin, Flag())
    check_argument("error_bounds", "random_state", random_state, Integer(0))
    check_argument("error_bounds", "decimals", decimals, Flag())
    deadline = deadline_of(time_limit)
    given = labelled(X, y, decimals=decimals)
    if len(given.labels) > 2:
        raise DataError(f"error_bounds is for two classes; y has {len(given.labels)}. Give it pairs of them.")
    if hyperplane is not None:
        check_hyperplane(hyperplane, given.table.d, through_origin)
    seen = view(given.table, given.codes, (0, 1), 0.0 if through_origin else 1.0)
    found = fewest_errors(seen.signed, deadline, random_state, hyperplane)
    data = given.described, given.codes, given.labels
    certificate = Certificate.of("errors", *data, [0, 1], seen.signed.constant, errors=found.to_part())
    labels = labels_of(index_of(X), chain(found.wrong, *found.witnesses))
    return bounds_of(found, certificate, seen.signed.n, labels)


def bounds_of(found: FewestErrors, certificate: Certificate, n: int, labels: RowLabels | None = None) -> ErrorBounds:
    """The answer of a search.

    Parameters
    ----------
    found : what the search found
    certificate : the proof
    n : the number of rows
    labels : the index labels of the rows that are named
    """
    lower, upper = len(found.witnesses), len(found.wrong)
    plane = plane_of_whole(found.w, certificate.body["about"]["constant"])
    return ErrorBounds(lower, upper, plane, found.wrong, found.witnesses, certificate, n, labels, found.is_complete)


def check_hyperplane(hyperplane: Hyperplane, d: int, through_origin: bool) -> None:
    """Raise if this is not a hyperplane for rows of d columns."""
    if not isinstance(hyperplane, Hyperplane):
        raise ParameterError(f"error_bounds(hyperplane=...) must be a Hyperplane, not {hyperplane!r}.")
    if len(hyperplane.w) != d or (hyperplane.b and through_origin):
        raise ParameterError(
            f"error_bounds(hyperplane=...) must have {d} weights{' and no bias' if through_origin else ''}, but it has "
            f"{len(hyperplane.w)}, and the bias {hyperplane.b:g}."
        )
