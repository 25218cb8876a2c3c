"""Signed rows z_i = y_i [x_i, constant], and the exact side of a hyperplane that each one is on.

Each sum is first computed in floats, with a bound on its rounding error. If the sum is larger than the bound, its sign
is certain. The few other sums are computed again in whole numbers.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import LOOP_SECONDS, afford, elimination_seconds, solve_seconds
from rosenblatt.base.exact import floats_of, whole
from rosenblatt.base.inputs.decimals import decimal_columns
from rosenblatt.certificate.exact_table import BLOCK, EXACT, Ratio, Table

EPS = 2.0**-52  # twice the unit roundoff, to cover the rounding of the bound itself
UNDERFLOW = 2.0**-1074  # the largest error of a product that underflows
NORMAL = 2.0**-1022  # the smallest normal float
ZERO = Fraction(0)
PRIME = 2**61 - 1
SMALL = 2**24  # a dependence between columns is simple if its coefficients are fractions of smaller numbers
Signs = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Signed:
    """Rows with a sign. A constant other than 0 is appended to each row."""

    table: Table
    y: Signs
    constant: float = 1.0

    @property
    def n(self) -> int:
        return self.table.n

    @property
    def width(self) -> int:
        """The number of weights of a hyperplane."""
        return self.table.d + (self.constant != 0)

    def ratios(self, i: int) -> dict[int, Ratio]:
        """The nonzero numbers of [x_i, constant], by column. The largest denominator is a multiple of all others.

        The denominators are powers of two. Those of a decimal table are powers of ten; its constant is 0 or 1.
        """
        ratios = self.table.row(i)
        return ratios | {self.table.d: self.constant.as_integer_ratio()} if self.constant else ratios

    def row(self, i: int) -> dict[int, Fraction]:
        """The nonzero numbers of z_i, by column."""
        y = int(self.y[i])
        return {j: Fraction(y * above, below) for j, (above, below) in self.ratios(i).items()}

    def whole(self, rows: Iterable[int]) -> "WholeRows":
        """These rows as whole numbers."""
        chosen = [int(i) for i in rows]
        if not scipy.sparse.issparse(self.table.floats) and self.table.large.keys().isdisjoint(chosen):
            return self._whole_dense(chosen)
        found, zero = [self.row(i) for i in chosen], Fraction(0)
        columns = sorted(set().union(*found))
        numbers, units = [], []
        for j in columns:
            given = [z.get(j, zero) for z in found]
            numbers.append(whole(given))
            units.append(next(Fraction(a) / b for a, b in zip(numbers[-1], given, strict=True) if a))
        return WholeRows.of_columns(numbers, len(chosen), columns, units)

    def _whole_dense(self, rows: list[int]) -> "WholeRows":
        """These rows of a dense table as whole numbers."""
        X = self.table.floats[rows]
        X = np.column_stack([X, np.full(len(X), self.constant)]) if self.constant else X
        found = whole_columns(X * self.y[rows, np.newaxis], decimal=self.table.decimal)
        numbers, columns, units = [], [], []
        above, below = found.unit.as_integer_ratio()
        for j, factor in enumerate(found.factors):
            own = found.numbers[j :: self.width]
            common = math.gcd(*own)
            if common:
                numbers.append([number // common for number in own])
                columns.append(j)
                units.append(Fraction(below, common * factor * above))
        return WholeRows.of_columns(numbers, len(rows), columns, units)

    def take(self, rows: NDArray[Any]) -> "Signed":
        return Signed(self.table.take(rows), self.y[rows], self.constant)

    def joined(self, other: "Signed") -> "Signed":
        """These rows, then the others, which have the same columns and the same constant."""
        table = self.table.joined(other.table)
        return Signed(table, np.concatenate([self.y, other.y]), self.constant)

    def lead(self, i: int, w: Sequence[int]) -> Fraction:
        """w.z_i, exactly."""
        above, unit = self._exact_lead(i, w)
        return Fraction(above, unit)

    def square(self, i: int) -> Fraction:
        """|z_i|^2, exactly."""
        numbers = self.ratios(i).values()
        unit = max((below for _, below in numbers), default=1)
        return Fraction(sum((above * (unit // below)) ** 2 for above, below in numbers), unit * unit)

    def squares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """|z_i|^2 of all rows in floats, and bounds on their errors."""
        squares = np.empty(self.n)
        with np.errstate(over="ignore", under="ignore"):
            for start, X in self.table.blocks():
                squares[start : start + X.shape[0]] = np.asarray((X * X).sum(axis=1)).ravel()
            squares += np.square(self.constant)
            errors = (self.width + 8) * (EPS * squares + UNDERFLOW)
        errors[~np.isfinite(squares)] = math.inf
        errors[list(self.table.large)] = math.inf
        return np.where(np.isfinite(squares), squares, 0.0), errors

    def _exact_lead(self, i: int, w: Sequence[int]) -> tuple[int, int]:
        terms = [(above * w[j], below) for j, (above, below) in self.ratios(i).items()]
        unit = max((below for _, below in terms), default=1)
        return int(self.y[i]) * sum(above * (unit // below) for above, below in terms), unit

    def leads(self, w: Sequence[int], less: Fraction = ZERO) -> tuple[NDArray[np.float64], Signs]:
        """For all rows: w.z_i - less, rounded and in some unit, and its exact sign."""
        leads, errors = self._estimates(w, less)
        sure = np.abs(leads) > errors
        signs = np.where(sure, np.sign(leads), 0).astype(np.int8)
        unsure = np.flatnonzero(~sure)
        if len(unsure):
            signs[unsure] = self._exact_signs(unsure, w, less)
        return leads, signs

    def are_on(self, w: Sequence[int]) -> NDArray[np.bool_]:
        """For each row: is it on the hyperplane?  Of dense rows, only the columns that have a weight are looked at."""
        d, X = self.table.d, self.table.floats
        columns = [j for j in range(d) if w[j]]
        if scipy.sparse.issparse(X) or self.table.large or 2 * len(columns) > d:
            return np.asarray(self.leads(w)[1] == 0)
        few = Signed(Table(np.ascontiguousarray(X[:, columns]), {}, None, self.table.decimal), self.y, self.constant)
        return np.asarray(few.leads([*(w[j] for j in columns), *w[d:]])[1] == 0)

    def smallest_lead(self, w: Sequence[int]) -> Fraction:
        """The smallest w.z_i, exactly."""
        leads, errors = self._estimates(w, ZERO)
        with np.errstate(over="ignore"):
            possible = np.flatnonzero(leads - errors <= (leads + errors).min())
        return min(self.lead(int(i), w) for i in possible)

    def _estimates(self, w: Sequence[int], less: Fraction) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """w.z_i - less in floats, in some unit, and bounds on their errors."""
        features, bias, shift, close = self._floats(w, less)
        leads, errors = np.empty(self.n), np.empty(self.n)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for start, X in self.table.blocks():
                inside = slice(start, start + X.shape[0])
                leads[inside] = self.y[inside] * (X @ features + bias) - shift
                errors[inside] = abs(X) @ np.abs(features)
            errors = (self.width + 8) * (EPS * (errors + (abs(bias) + abs(shift))) + UNDERFLOW)
            if self.table.decimal:  # a decimal differs from its float by EPS / 2 of it at most, or by UNDERFLOW
                errors += (self.width + 8) * UNDERFLOW * np.abs(features).sum()
        lost = ~np.isfinite(leads) | ~np.isfinite(errors) | (not close)
        lost[list(self.table.large)] = True
        leads[~np.isfinite(leads)], errors[lost] = 0.0, math.inf
        return leads, errors

    def _floats(self, w: Sequence[int], less: Fraction) -> tuple[NDArray[np.float64], float, float, bool]:
        """Weights, bias and shift as floats in one unit, and whether they are precise enough for the error bound."""
        d, (above, below) = self.table.d, self.constant.as_integer_ratio()
        unit = below * less.denominator
        bias = w[d] * above * less.denominator if self.constant else 0
        numbers = [number * unit for number in w[:d]] + [bias, less.numerator * below]
        floats, _ = floats_of(numbers)
        close = all(NORMAL <= abs(x) < math.inf or not number for x, number in zip(floats, numbers, strict=True))
        return np.array(floats[:d]), floats[d], floats[d + 1], close

    def _exact_sign(self, i: int, w: Sequence[int], less: Fraction) -> int:
        above, unit = self._exact_lead(i, w)
        rest = above * less.denominator - less.numerator * unit
        return (rest > 0) - (rest < 0)

    def _exact_signs(self, rows: NDArray[Any], w: Sequence[int], less: Fraction) -> Signs:
        """The exact signs, in floats if all numbers are whole and small, else in Python's integers."""
        X = self.table.floats[rows]
        small = all(abs(number) < EXACT for number in w) and self.constant in (0.0, 1.0) and not less
        floats = np.array(w, dtype=np.float64) if small else np.empty(0)
        if small and len(rows) > 8 and _are_whole(X, floats[: self.table.d] != 0):
            features, bias = floats[: self.table.d], floats[-1] if self.constant else 0.0
            with np.errstate(over="ignore"):
                size = abs(X) @ np.abs(features) + abs(bias)
            if size.max() < EXACT:  # then no sum was rounded
                return np.asarray(self.y[rows] * np.sign(X @ features + bias), np.int8)
        if len(rows) > 8 and not scipy.sparse.issparse(X) and self.table.large.keys().isdisjoint(rows.tolist()):
            step = max(1, BLOCK // self.width)
            parts = range(0, len(rows), step)
            return np.concatenate([self._signs_of_dense(rows[start : start + step], w, less) for start in parts])
        return np.fromiter((self._exact_sign(int(i), w, less) for i in rows), np.int8, len(rows))

    def _signs_of_dense(self, rows: NDArray[Any], w: Sequence[int], less: Fraction) -> Signs:
        """The exact signs of dense rows, by one product in whole numbers. Columns without a weight are left out."""
        columns = [j for j in range(self.table.d) if w[j]]
        found = whole_columns(self.table.floats[rows[:, np.newaxis], columns], decimal=self.table.decimal)
        weights = [w[j] * factor for j, factor in zip(columns, found.factors, strict=True)]
        totals = flint.fmpz_mat(len(rows), len(columns), found.numbers) * flint.fmpz_mat(len(columns), 1, weights)
        bias = Fraction(self.constant) * w[self.table.d] if self.constant else ZERO
        scale, shift, bar = whole([found.unit, bias, less]) if bias or less else (1, 0, 0)
        y = self.y[rows].tolist()
        leads = [sign * (int(total) * scale + shift) - bar for sign, total in zip(y, totals.entries(), strict=True)]
        return np.array([(lead > 0) - (lead < 0) for lead in leads], np.int8)


class WholeRows(NamedTuple):
    """A few signed rows as whole numbers."""

    matrix: Any  # a flint matrix, one row for each signed row
    columns: list[int]  # the columns that are not all 0
    units: list[Fraction]  # the factor by which each column was multiplied

    @classmethod
    def of_columns(cls, numbers: list[list[int]], rows: int, columns: list[int], units: list[Fraction]) -> "WholeRows":
        """From the numbers of each column."""
        matrix = flint.fmpz_mat(len(columns), rows, [x for column in numbers for x in column])
        return cls(matrix.transpose(), columns, units)

    def weights(self, of_columns: Iterable[Any], width: int) -> list[int]:
        """Convert a hyperplane for the whole numbers to one for the rows."""
        w = [ZERO] * width
        for j, unit, number in zip(self.columns, self.units, of_columns, strict=True):
            w[j] = Fraction(int(number.p), int(number.q)) * unit if hasattr(number, "p") else int(number) * unit
        return whole(w)

    def rank(self, deadline: float) -> int:
        """The rank. It is found modulo a prime if that proves it, which is so if no column depends on others."""
        rows, columns = int(self.matrix.nrows()), int(self.matrix.ncols())
        if rows and columns and flint.nmod_mat(self.matrix, PRIME).rank() == min(rows, columns):
            return min(rows, columns)
        afford(2 * elimination_seconds(rows, columns), deadline)
        return int(self.matrix.rank())

    def pivots(self) -> list[int]:
        """Columns that are independent, as many as the rank modulo a prime, the first ones that are."""
        reduced, rank = flint.nmod_mat(self.matrix, PRIME).rref()
        table = reduced.table()
        return [next(k for k, number in enumerate(table[t]) if int(number)) for t in range(rank)]

    def null_seconds(self) -> float:
        """The time to find the vectors that the rows are orthogonal to, about. Simple dependences are found at once."""
        reduced, rank = flint.nmod_mat(self.matrix, PRIME).rref()
        table = [[int(number) for number in row] for row in reduced.table()[:rank]]
        pivots = {next(k for k, number in enumerate(row) if number) for row in table}
        others = [k for k in range(self.matrix.ncols()) if k not in pivots]
        hard = sum(any(not _is_simple(row[k]) for row in table) for k in others)
        bits = max((abs(int(number)).bit_length() for number in self.matrix.entries()), default=1)
        return elimination_seconds(*2 * [self.matrix.ncols()]) + (solve_seconds(rank, bits, hard) if hard else 0.0)


def _are_whole(X: Any, columns: NDArray[np.bool_]) -> bool:
    """Are all numbers of these columns whole?"""
    entries = X.data[columns[X.indices]] if scipy.sparse.issparse(X) else X[:, columns]
    return bool((entries == np.rint(entries)).all())


def _is_simple(residue: int) -> bool:
    """Is this, modulo PRIME, a fraction of two numbers that are not above SMALL?"""
    above, below, a, b = PRIME, residue, 0, 1
    while below > SMALL:
        above, below, a, b = below, above % below, b, a - above // below * b
    return abs(b) <= SMALL


class WholeColumns(NamedTuple):
    """Numbers as whole numbers, row by row. Each one, times the factor of its column, times the unit, is the number."""

    numbers: list[int]
    factors: list[int]
    unit: Fraction


def whole_columns(X: NDArray[np.float64], *, decimal: bool) -> WholeColumns:
    """The numbers of X as whole numbers, with one factor for each column."""
    if decimal:
        numbers, places = decimal_columns(X)
        most = max(places, default=0)
        return WholeColumns(numbers, [10 ** (most - own) for own in places], Fraction(1, 10**most))
    numbers, powers = _binary_columns(X)
    least = min(powers, default=0)
    return WholeColumns(numbers, [1 << (power - least) for power in powers], Fraction(2) ** least)


def _binary_columns(X: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """The numbers of X row by row, those of a column multiplied by one power of two; and for each column that power.

    The number k of a column with power p stands for k 2^p.
    """
    mantissas, tops = np.frexp(X)
    numbers, powers = np.ldexp(mantissas, 53).astype(np.int64), tops.astype(np.int64) - 53
    least = np.where(numbers != 0, powers, 9999).min(axis=0, initial=9999)
    least = np.where(least < 9999, least, 0)  # a column of zeros
    shifts = np.where(numbers != 0, powers - least, 0)
    if shifts.max(initial=0) <= 9:
        return (numbers << shifts).ravel().tolist(), least.tolist()
    pairs = zip(numbers.ravel().tolist(), shifts.ravel().tolist(), strict=True)
    return [number << shift for number, shift in pairs], least.tolist()


def sum_of(signed: Signed, rows: Sequence[int], weights: Sequence[int]) -> dict[int, Fraction]:
    """The weighted sum of signed rows, by column, without the columns where it is 0."""
    given = [signed.ratios(i) for i in rows]
    unit = max((below for z in given for _, below in z.values()), default=1)  # a multiple of all denominators
    total: dict[int, int] = {}
    for i, z, weight in zip(rows, given, weights, strict=True):
        signed_weight = int(signed.y[i]) * weight
        for j, (above, below) in z.items():
            total[j] = total.get(j, 0) + signed_weight * (above * (unit // below))
    return {j: Fraction(number, unit) for j, number in total.items() if number}


def are_balanced(rows: Sequence[Sequence[Any]]) -> bool:
    """Do these rows of whole numbers add up to 0 with positive weights, so that no row can be left out?"""
    null, count = flint.fmpz_mat(rows).transpose().nullspace()
    signs = {(null[t, 0] > 0) - (null[t, 0] < 0) for t in range(len(rows))} if count == 1 else set()
    return signs in ({1}, {-1})


def outside_span(
    signed: Signed, rows: Sequence[int], candidates: NDArray[Any], deadline: float = math.inf
) -> NDArray[Any]:
    """The candidates that are not linear combinations of the given rows.

    Raises
    ------
    OutOfTime
        The deadline passed, or the next step would pass it.
    """
    afford(4 * LOOP_SECONDS * len(rows) * signed.width, deadline)
    given = signed.whole(rows)
    others = signed.take(candidates)
    strange = _has_other_columns(others, given.columns)
    near = np.flatnonzero(~strange)
    if len(near) and given.rank(deadline) < len(given.columns):
        afford(given.null_seconds(), deadline)
        null, count = given.matrix.nullspace()  # vectors that all given rows are orthogonal to
        closer = others.take(near)
        for t in range(count):
            w = given.weights((null[k, t] for k in range(len(given.columns))), signed.width)
            afford(LOOP_SECONDS * len(near) * (len(w) - w.count(0)), deadline)
            strange[near] |= ~closer.are_on(w)
    return candidates[strange]


def _has_other_columns(signed: Signed, columns: Sequence[int]) -> NDArray[np.bool_]:
    """For each row: has it a nonzero number outside these columns?"""
    d = signed.table.d
    idle = np.ones(d, bool)
    idle[[j for j in columns if j < d]] = False
    strange = np.full(signed.n, bool(signed.constant) and d not in columns)
    if idle.any():
        strange |= np.asarray((signed.table.floats[:, idle] != 0).sum(axis=1)).ravel() > 0
    return strange
