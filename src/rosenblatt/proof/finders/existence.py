"""Finds near witnesses: rows with short positive weights that prove overlap without the exact weights.

The classes overlap exactly if the logistic loss has a minimum (A. Albert and J. A. Anderson, Biometrika 71, 1984). With
signed rows z_i and l_i = 1 / (1 + exp(w.z_i)), the gradient of the loss is -sum l_i z_i. So at the minimum the rows add
up to 0, and every weight l_i is positive. Newton's method finds the minimum in a few steps. It begins with some of the
rows. If a hyperplane separates them, rows that it gets wrong are added.

All of this is a guess in floats. `certificate.near_witness` proves it, or there is no answer here.
"""

import math
import time
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import whole
from rosenblatt.certificate.format import Refuted
from rosenblatt.certificate.near_witness import (
    Relation,
    bounds,
    column_numbers,
    independent_columns,
    pseudoinverse,
    scaled_rows,
)
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data.matrices import dense

MIN_COLUMNS = 64  # with fewer columns, exact weights are found as soon and are not much longer
MAX_NUMBERS = 30_000_000  # in the rows that are weighed together
SPEED = 1e9  # rows times columns squared that are weighed in a second
ROWS_PER_COLUMN = 3  # in the first set of rows; with random labels, 2 are too few
MAX_ROUNDS = 30  # of adding rows
MAX_STEPS = 60  # of Newton's method
MAX_HALVINGS = 30  # of a step
NEARLY_DONE = 1e-10  # the decrease of the loss, for its size, from which Newton's method needs two more steps
REGULAR = 1e-13  # with an inverse condition number above this, no column depends on others
MAX_DENOMINATOR, SMALLEST = 1000, 1e-3  # of a coefficient of a column that depends on others
TOUCHING = 1e-6  # with a smaller weight, for the largest, the rows may touch only
DIFFERENT = 1e-6  # a relation of columns is not true of a row if its sum is larger than this, for the size of its terms
LIMIT = 0.05  # of the bounds; the checker needs 0.5, and other machines round in another way
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class NearWitness(NamedTuple):
    """Rows with weights that nearly add up to 0, and dependences of columns; see `certificate.near_witness`."""

    rows: list[int]
    weights: list[int]
    relations: list[Relation]


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def near_witness(signed: Signed, deadline: float) -> NearWitness | None:
    """A proved near witness that spans all rows; None if none was found.

    There is none if the classes do not overlap. None is found if there are few columns, more columns than rows,
    integers that no float holds, columns that depend on others in a complicated way, or nearly dependent columns.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    if not MIN_COLUMNS <= signed.width < signed.n or signed.table.large:
        return None
    rows = np.random.default_rng(0).permutation(signed.n)[: ROWS_PER_COLUMN * signed.width]
    for turn in range(MAX_ROUNDS):
        seconds = len(rows) * signed.width**2 / SPEED
        if len(rows) * signed.width > MAX_NUMBERS or seconds > deadline - time.monotonic():
            return None
        report_progress("verdict", turn, None, "{:,} rows are weighed", len(rows))
        given = UnitRows.of(signed, np.sort(rows))
        columns = given.columns()
        weights, direction = balance(columns.Q, deadline)
        others: Rows | None = None
        if weights.any():  # else the direction separates these rows
            relations = given.relations(columns, signed, deadline)
            if isinstance(relations, list):
                near = proved(signed, given.rows, np.ldexp(weights, -given.row_powers), columns.kept, relations)
                if near is not None or weights.min() > TOUCHING * weights.max():
                    return near
            else:
                others = relations
        if others is None:  # these rows are separated, strictly or weakly; others may not be
            w = np.zeros(signed.width)
            w[columns.kept] = scipy.linalg.solve_triangular(columns.R, direction)
            others = wrong_rows(signed, np.ldexp(w, -given.column_powers))
        new = others[~np.isin(others, given.rows)]
        if not len(new):
            return None
        rows = np.concatenate([given.rows, new[: len(rows)]])
    return None


def near_witness_of(signed: Signed, weights: Floats, deadline: float) -> NearWitness | None:
    """A proved near witness of all rows with weights near these; None if there is none.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    given = UnitRows.of(signed, np.arange(signed.n))
    columns = given.columns()
    relations = given.relations(columns, signed, deadline)
    if not isinstance(relations, list):
        return None
    return proved(signed, given.rows, weights, columns.kept, relations)


class Columns(NamedTuple):
    """A largest set of independent columns of some rows, as floats see it, and how the others depend on them."""

    kept: list[int]
    Q: Floats  # the rows, in coordinates in which these columns are orthonormal
    R: Floats  # from these coordinates to the columns
    dependent: dict[int, Floats]  # a column, and its coefficients for the columns that are kept


class UnitRows(NamedTuple):
    """Some signed rows as floats of one size, for guesses only. Columns and rows are divided by powers of two."""

    rows: Rows
    Z: Floats
    column_powers: Rows
    row_powers: Rows

    @classmethod
    def of(cls, signed: Signed, rows: Rows) -> Self:
        column_powers = np.array(signed.table.powers() + [math.frexp(signed.constant)[1]] * bool(signed.constant))
        X = dense(signed.table.floats[rows])
        Z = np.column_stack([X, np.full(len(X), signed.constant)]) if signed.constant else X
        Z = np.ldexp(Z, -column_powers)
        row_powers = np.frexp(np.abs(Z).max(axis=1))[1]
        return cls(
            rows, np.ldexp(Z * signed.y[rows, np.newaxis], -row_powers[:, np.newaxis]), column_powers, row_powers
        )

    def columns(self) -> Columns:
        """A largest set of independent columns, in floats."""
        Q, R = np.linalg.qr(self.Z)
        sizes = np.sqrt((R * R).sum(axis=0))
        sizes[sizes == 0] = 1.0
        if len(R) == len(sizes) and scipy.linalg.lapack.dtrcon(R / sizes)[0] > REGULAR:
            return Columns(list(range(len(sizes))), Q, R, {})
        _, S, order = scipy.linalg.qr(R / sizes, mode="economic", pivoting=True)
        rank = int((np.abs(np.diagonal(S)) > REGULAR).sum())
        C = scipy.linalg.solve_triangular(S[:rank, :rank], S[:rank, rank:]) if rank else np.empty((0, len(order)))
        by_column = np.argsort(order[:rank])
        kept = order[:rank][by_column]
        dependent = {
            j: coefficients[by_column] * sizes[j] / sizes[kept]
            for j, coefficients in zip(order[rank:].tolist(), C.T, strict=True)
        }
        return Columns(kept.tolist(), *np.linalg.qr(self.Z[:, kept]), dependent)

    def relations(self, columns: Columns, signed: Signed, deadline: float) -> list[Relation] | Rows:
        """The dependences of columns, proved on all rows; or other rows that show that columns do not depend.

        There are no such rows if the columns are nearly dependent, or dependent in a complicated way.
        """
        units = [Fraction(2) ** int(-power) for power in self.column_powers]
        X = signed.table.floats
        X = X.tocsc() if scipy.sparse.issparse(X) and columns.dependent else X
        relations = []
        for j, near in columns.dependent.items():
            simple = [Fraction(x).limit_denominator(MAX_DENOMINATOR) if abs(x) > SMALLEST else 0 for x in near.tolist()]
            terms = {j: Fraction(-1)} | {i: x for i, x in zip(columns.kept, simple, strict=True) if x}
            relations.append(Relation(list(terms), whole([x * units[i] for i, x in terms.items()])))
            A = np.ldexp(column_numbers(X, signed.constant, list(terms)), -self.column_powers[list(terms)])
            w = np.array([float(x) for x in terms.values()])
            against = np.flatnonzero(np.abs(A @ w) > DIFFERENT * (np.abs(A) @ np.abs(w)))
            if time.monotonic() > deadline:
                raise OutOfTime
            if len(against):
                return np.asarray(np.setdiff1d(against, self.rows))
        try:
            independent_columns(signed, relations, np.arange(signed.n))
        except Refuted:
            return np.empty(0, np.int64)
        return relations


def balance(Q: Floats, deadline: float) -> tuple[Floats, Floats]:
    """Minimise the logistic loss by Newton's method. Without a minimum, some weights become very small, or all are 0.

    Parameters
    ----------
    Q : the rows, in coordinates in which the columns are orthonormal
    deadline : when to give up, on the monotonic clock

    Returns
    -------
    tuple
        The weights of the rows, and the hyperplane w in these coordinates.
    """
    w, loss, last = np.zeros(Q.shape[1]), len(Q) * math.log(2), 2
    for _ in range(MAX_STEPS):
        leads = Q @ w
        if leads.min() > 0:
            return np.zeros(len(Q)), w
        weights = np.exp(-np.logaddexp(0.0, leads))
        if not last:
            break
        gradient = weights @ Q
        try:
            curvature = scipy.linalg.cho_factor(Q.T @ (Q * (weights * (1 - weights))[:, np.newaxis]))
        except np.linalg.LinAlgError:
            break
        step = scipy.linalg.cho_solve(curvature, gradient)
        if gradient @ step < NEARLY_DONE * loss:
            w, last = w + step, last - 1
        else:
            for _ in range(MAX_HALVINGS):
                smaller = float(np.logaddexp(0.0, -(Q @ (w + step))).sum())
                if smaller < loss:
                    break
                step = step / 2
            w, loss = w + step, smaller
        if time.monotonic() > deadline:
            raise OutOfTime
    return weights, w


def wrong_rows(signed: Signed, w: Floats) -> Rows:
    """The rows on the wrong side of a hyperplane, the worst first, as floats see it."""
    d = signed.table.d
    with np.errstate(all="ignore"):
        leads = signed.y * (signed.table.floats @ w[:d] + (w[d] * signed.constant if signed.constant else 0.0))
    wrong = np.flatnonzero(leads <= 0)
    return wrong[np.argsort(leads[wrong])]


def proved(
    signed: Signed, rows: Rows, weights: Floats, columns: list[int], relations: list[Relation]
) -> NearWitness | None:
    """The near witness, if the checker will accept it; its weights are corrected first if they do not add up to 0."""
    for _ in range(2):
        if not (np.isfinite(weights) & (weights > 0)).all():
            return None
        short = whole(weights.tolist())
        try:
            T, t, powers, D = scaled_rows(signed, rows.tolist(), short, columns)
        except Refuted:
            return None
        P = pseudoinverse(T)
        found = bounds(T, t, P, D)
        if found.inverse <= LIMIT and found.change <= LIMIT:
            return NearWitness(rows.tolist(), short, relations)
        weights = np.ldexp(t - P @ (T @ t), powers)
    return None
