"""Recession rows of regression models. They say along which directions a likelihood never falls.

A model with coefficients b gives rows z. Going from any coefficients in the direction b, the likelihood never falls
exactly if z.b >= 0 for all its rows. Where z.b > 0, a row of the data is fitted better and better without end. So
estimates are infinite exactly if some direction has z.b >= 0 for all rows and z.b > 0 for one (A. Albert and J. A.
Anderson, Biometrika 71, 1984; for counts S. Correia, P. Guimaraes and T. Zylkin, arXiv 1903.01633).

With x a row of the data that ends with the constant of the model, if it has one:

    binomial     only successes: x;  only failures: -x;  both: x and -x
    Poisson      a count of 0: -x;  above 0: x and -x
    multinomial  one row for each other class: x in the place of its own class, -x in the place of the other one. The
                 reference class has no place.
    ordinal      the coefficients are b and a threshold t_c above each class but the last: t_c - x.b >= 0 for the
                 threshold above its class, and x.b - t_c >= 0 for the one below
"""

import itertools
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.kessler_rows import kessler
from rosenblatt.certificate.signed_rows import Signed

Model = Literal["logit", "multinomial", "ordinal", "poisson"]
INTERCEPT = "(intercept)"
Name = str | tuple[Any, str]  # of a coefficient; with a class in the multinomial model


class Recession(NamedTuple):
    """The recession rows, and the row of the data that each one comes from."""

    signed: Signed
    numbers: NDArray[Any]


class Outcomes(NamedTuple):
    """What was observed of each row.

    The code of a row is the number of its class, `both` (k) if two classes were observed, or `absent` (k + 1) if the
    row does not count. The classes of counts are 0 and "positive".
    """

    codes: NDArray[np.int64]
    labels: list[Any]

    @property
    def both(self) -> int:
        return len(self.labels)

    @property
    def absent(self) -> int:
        return len(self.labels) + 1

    @property
    def is_present(self) -> NDArray[np.bool_]:
        return np.asarray(self.codes != self.absent)


class ModelForm(NamedTuple):
    """A regression model, as far as its recession rows depend on it.

    Attributes
    ----------
    model : the model
    constant : 1, or 0 for a model without an intercept
    reference : the number of the class without coefficients in a multinomial model, or None
    labels : the classes in their order; those of counts are 0 and "positive"
    """

    model: Model
    constant: float
    reference: int | None
    labels: list[Any]

    def outcomes(self, codes: NDArray[Any]) -> Outcomes:
        """The outcomes that have these codes."""
        return Outcomes(codes, self.labels)


def recession_rows(table: Table, codes: NDArray[Any], form: ModelForm) -> Recession:
    """The recession rows of a model. The coefficients are in the order of `coefficient_names`.

    Parameters
    ----------
    table : the rows of the data, without the constant
    codes : what was observed of each row; see `Outcomes`
    form : the model
    """
    outcomes, model, constant = form.outcomes(codes), form.model, form.constant
    here = np.flatnonzero(outcomes.is_present)
    part, codes = table if len(here) == table.n else table.take(here), outcomes.codes[here]
    if model == "multinomial":
        return _multinomial(part, codes, len(outcomes.labels), constant, form.reference, here)
    if model == "ordinal":
        return _ordinal(part, codes, len(outcomes.labels), here)
    flat = np.flatnonzero(codes == (1 if model == "poisson" else outcomes.both))
    order = np.concatenate([np.arange(len(here)), flat])
    y = np.where(codes == 0, -1, 1)[order]
    y[len(here) :] = -1
    return Recession(Signed(part.take(order) if len(flat) else part, y.astype(np.int8), constant), here[order])


def _multinomial(
    part: Table, codes: NDArray[Any], k: int, constant: float, reference: int | None, here: NDArray[Any]
) -> Recession:
    long = kessler(part, codes, k, constant)
    signed = long.signed
    if reference is not None:
        width = signed.width // k
        kept = np.flatnonzero(np.arange(signed.width) // width != reference)
        place = {int(j): t for t, j in enumerate(kept)}
        cells = {i: {place[j]: x for j, x in row.items() if j in place} for i, row in signed.table.large.items()}
        floats = scipy.sparse.csr_array(signed.table.floats[:, kept])
        large = {i: row for i, row in cells.items() if row}
        signed = Signed(Table(floats, large, None, part.decimal), signed.y, 0.0)
    return Recession(signed, here[long.numbers])


def _ordinal(part: Table, codes: NDArray[Any], k: int, here: NDArray[Any]) -> Recession:
    """The row [x, -1 in the place of a threshold], with the sign -1 for the threshold above the class of x."""
    above, below = np.flatnonzero(codes < k - 1), np.flatnonzero(codes > 0)
    order = np.concatenate([above, below])
    thresholds = np.concatenate([codes[above], codes[below] - 1])
    y = np.repeat([-1, 1], [len(above), len(below)]).astype(np.int8)
    rows = part.take(order)
    ends = scipy.sparse.csr_array(
        (np.full(len(order), -1.0), (np.arange(len(order)), thresholds)), shape=(len(order), k - 1)
    )
    if scipy.sparse.issparse(rows.floats):
        floats = scipy.sparse.csr_array(scipy.sparse.hstack([rows.floats, ends]))
    else:
        floats = np.hstack([rows.floats, ends.toarray()])
    return Recession(Signed(Table(floats, rows.large, None, part.decimal), y, 0.0), here[order])


def coefficient_names(
    columns: Sequence[str], labels: Sequence[Any], model: Model, constant: float, reference: int | None
) -> list[Name]:
    """The names of the coefficients, in the order of the columns of the recession rows."""
    if model == "ordinal":
        return [*columns, *(f"{a}|{b}" for a, b in itertools.pairwise(labels))]
    names = [*columns, *[INTERCEPT] * bool(constant)]
    if model != "multinomial":
        return list(names)
    return [(label, name) for c, label in enumerate(labels) if c != reference for name in names]
