"""Recession rows of fixed effects: columns of 0 and 1 for the levels of two factors, and a few other columns.

**Potentials.** Let every row have at most one 1 in the columns of a first factor and at most one in those of a second.
Give each such column a vertex, each factor a base (the level without a column), and each vertex v a number p_v. With

    coefficient of a column c of the first factor   p_c - p_base1
    coefficient of a column c of the second factor  p_base2 - p_c
    constant                                        p_base1 - p_base2

a row with the columns a and c, and the constant, has the sum p_a - p_c. A row without a column of a factor has the base
in its place. If the model has no constant, both factors have one base. The coefficients determine the potentials up to
a number that is added to all of them. So a row is an edge between two vertices, with a few numbers x for the other
columns: p_a - p_c + x.b. Each coefficient of a level, and the constant, is a difference of two potentials.

**Linear combinations.** Take some rows, and a spanning forest of their graph. There are vectors s_v, one for each
vertex, with x = s_a - s_c on all rows of the forest. The other rows leave rests r = x - (s_a - s_c), which are sums of
x around cycles of the graph. A functional with the parts P (a number for each vertex) and X is a linear combination of
the rows exactly if

    the numbers of P add up to 0 in each connected component of the graph, and
    X - sum_v P_v s_v is a linear combination of the rests.

Proof. Adding multiples of rows of the forest moves the numbers of P along its edges, and leaves X - sum P_v s_v as it
is. They can all be moved to one vertex of each component. A row outside the forest is a combination of rows of the
forest, plus its rest. So what is left is a combination of rests exactly if both conditions hold.

The rests have as many numbers as there are other columns, which are few. No matrix of all columns is needed. All of
this is computed in whole numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self

import flint
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.inputs.decimals import decimal_columns, differ_from_decimals
from rosenblatt.certificate.exact_table import EXACT
from rosenblatt.certificate.signed_rows import Signed

MIN_COLUMNS = 64  # with fewer columns, elimination in whole numbers is as quick
MAX_OTHERS, MAX_SHARE = 100, 0.25  # columns that are not levels of the two factors, and their share of all columns
MAX_BITS = 800  # of a number of another column, as a whole number
Whole = NDArray[Any]  # Python's integers


@dataclass(frozen=True, eq=False)
class FactorRows:
    """Signed rows as edges y (p_upper - p_lower + x.b) of a graph.

    Parameters
    ----------
    upper, lower : the two vertices of each row
    y : the sign of each row
    values : the numbers x of the other columns, divided by their units, one row for each row
    powers : for each other column, a power of two; all of its values are multiples of that
    units : for each other column 1, or if numbers are decimals a power of ten that makes its values whole
    vertices : the number of vertices
    ends : for each coefficient the vertices (s, t) of p_s - p_t, or None for another column
    others : the other columns
    """

    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    y: NDArray[np.int8]
    values: NDArray[np.float64]
    powers: NDArray[np.int64]
    units: list[Fraction]
    vertices: int
    ends: list[tuple[int, int] | None]
    others: list[int]

    @property
    def n(self) -> int:
        return len(self.upper)

    @property
    def sizes(self) -> list[Fraction]:
        """For each other column the number that all of its numbers are multiples of."""
        return [unit * Fraction(2) ** int(power) for unit, power in zip(self.units, self.powers, strict=True)]

    def wholes(self, rows: Any) -> Whole:
        """The numbers x of these rows, divided by the sizes of their columns."""
        mantissas, tops = np.frexp(self.values[rows])
        shifts = np.where(mantissas != 0, tops - 53 - self.powers, 0)
        numbers = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
        down = np.minimum(shifts, 0)  # a number with few digits
        return np.asarray((numbers >> (-down).astype(object)) << (shifts - down).astype(object))

    def with_row(self, upper: int, lower: int, x: Sequence[int]) -> "FactorRows":
        """The rows and one more, of sign 1; x is divided by the sizes of the columns."""
        last = np.ldexp(np.array([x], dtype=np.float64).reshape(1, len(self.others)), self.powers)
        return replace(
            self,
            upper=np.append(self.upper, upper),
            lower=np.append(self.lower, lower),
            y=np.append(self.y, np.int8(1)),
            values=np.concatenate([self.values, last]),
        )

    def coefficients(self, potentials: Sequence[int], others: Sequence[int]) -> list[Fraction]:
        """The coefficients that have these potentials, and these factors of the other columns times their sizes."""
        scaled = iter(self.factors(others))
        return [
            next(scaled) if ends is None else Fraction(potentials[ends[0]] - potentials[ends[1]]) for ends in self.ends
        ]

    def factors(self, others: Sequence[int]) -> list[Fraction]:
        """The factors of the other columns as they are given."""
        return [factor / size for factor, size in zip(others, self.sizes, strict=True)]


def factor_rows(signed: Signed) -> FactorRows | None:
    """The rows as edges of a graph; None if there are few columns, or if too many are not levels of two factors."""
    if signed.width < MIN_COLUMNS or signed.constant not in (0.0, 1.0) or signed.table.large:
        return None
    X = scipy.sparse.csr_array(signed.table.floats)
    there = X.data != 0
    row, column = np.repeat(np.arange(signed.n), np.diff(X.indptr))[there], X.indices[there].astype(np.int64)
    colours = _colours(row, column, np.unique(column[X.data[there] != 1]), signed.table.d)
    if colours is None:
        return None
    d = signed.table.d
    bases = (d, d + 1) if signed.constant else (d, d)
    found = [np.full(signed.n, base) for base in bases]
    for colour in (0, 1):
        own = colours[column] == colour
        found[colour][row[own]] = column[own]
    first, second = bases
    ends = [((c, first), (second, c), None)[colour] for c, colour in enumerate(colours.tolist())]
    ends += [bases] * bool(signed.constant)
    others = np.flatnonzero(colours == 2).tolist()
    values = np.asarray(X[:, others].todense()) if others else np.empty((signed.n, 0))
    units = [Fraction(1)] * len(others)
    if signed.table.decimal and differ_from_decimals(values):
        numbers, places = decimal_columns(values)
        if max(map(abs, numbers)) > EXACT:
            return None
        values = np.array(numbers, dtype=np.float64).reshape(values.shape)
        units = [Fraction(1, 10**p) for p in places]
    powers = _powers(values)
    if powers is None:
        return None
    return FactorRows(found[0], found[1], signed.y, values, powers, units, d + len(set(bases)), ends, others)


def _colours(row: NDArray[Any], column: NDArray[Any], strange: NDArray[Any], d: int) -> NDArray[Any] | None:
    """The factor of each column, 0 or 1, or 2 for another column. None if there are too many others.

    A column in the way of two factors becomes another column: one with the most rows that have three ones, or with the
    most ones.
    """
    from scipy.sparse.csgraph import connected_components  # a slow import, and seldom needed

    is_level = np.ones(d, bool)
    is_level[strange] = False
    while d - is_level.sum() <= min(MAX_OTHERS, MAX_SHARE * d):
        own = is_level[column]
        rows, columns = row[own], column[own]
        counts = np.bincount(rows)
        crowded = counts[rows] > 2
        if crowded.any():
            is_level[np.bincount(columns[crowded]).argmax()] = False
            continue
        pairs = columns[counts[rows] == 2].reshape(-1, 2)  # two columns that must have different colours
        first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
        mirror = scipy.sparse.coo_array((np.ones(len(first)), (first, second + d)), shape=(2 * d, 2 * d))
        labels = connected_components(mirror, directed=False)[1]
        odd = is_level & (labels[:d] == labels[d:])
        if not odd.any():
            return np.where(is_level, (labels[:d] > labels[d:]).astype(np.int64), 2)
        is_level[np.where(odd, np.bincount(columns, minlength=d), -1).argmax()] = False
    return None


def _powers(values: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """For each column a power of two that divides all of its numbers; None if whole numbers would be too long."""
    mantissas, tops = np.frexp(values)
    numbers = np.ldexp(mantissas, 53).astype(np.int64)
    zeros = np.frexp((numbers & -numbers).astype(np.float64))[1] - 1  # at the end of a number
    there = numbers != 0
    least = np.where(there, tops - 53 + zeros, 9999).min(axis=0, initial=9999)
    most = np.where(there, tops, -9999).max(axis=0, initial=-9999)
    if (most - least > MAX_BITS).any():
        return None
    return np.asarray(np.where(least < 9999, least, 0), np.int64)


class Null(NamedTuple):
    """Potentials and factors of the other columns, with which all rows of a span are 0."""

    potentials: list[int]
    others: list[int]


class FactorSpan:
    """The linear combinations of some rows.

    Parameters
    ----------
    rows : all rows
    chosen : the rows to combine
    sums : vectors of the other columns that can be combined as well
    """

    def __init__(self, rows: FactorRows, chosen: Sequence[int], sums: Iterable[Sequence[int]] = ()) -> None:
        self.rows = rows
        x = rows.wholes(list(chosen))
        forest = _Forest.of(rows.upper[list(chosen)].tolist(), rows.lower[list(chosen)].tolist(), x, rows.vertices)
        self.components = np.array(forest.components)
        rests = [rest for rest in (*forest.rests(x), *(list(total) for total in sums)) if any(rest)]
        self.nulls = [
            Null([-sum(a * b for a, b in zip(s, w, strict=True)) for s in forest.vectors], w)
            for w in _orthogonal(rests, len(rows.others))
        ]

    def outside(self, candidates: NDArray[Any]) -> NDArray[Any]:
        """The candidates that are not linear combinations."""
        rows = self.rows
        upper, lower = rows.upper[candidates], rows.lower[candidates]
        strange = self.components[upper] != self.components[lower]
        x = rows.wholes(candidates) if self.nulls else None
        for potentials, w in self.nulls:
            p = np.array(potentials, dtype=object)
            strange |= (p[upper] - p[lower] + x @ np.array(w, dtype=object)).astype(bool)
        return np.asarray(candidates[strange])

    def contains(self, functional: Mapping[int, Fraction | int]) -> bool:
        """Is a linear functional, given by its factors of coefficients, a linear combination?"""
        sums: dict[int, Fraction] = {}
        for j, factor in functional.items():
            for vertex, sign in zip(self.rows.ends[j] or (), (1, -1), strict=False):
                component = int(self.components[vertex])
                sums[component] = sums.get(component, Fraction(0)) + sign * factor
        return not any(sums.values()) and not any(self._product(null, functional) for null in self.nulls)

    def columns(self) -> list[bool]:
        """For each coefficient: is it a linear combination?"""
        components, others = self.components.tolist(), {j: t for t, j in enumerate(self.rows.others)}
        found = []
        for j, ends in enumerate(self.rows.ends):
            if ends is None:
                found.append(not any(null.others[others[j]] for null in self.nulls))
            else:
                s, t = ends
                is_fixed = all(null.potentials[s] == null.potentials[t] for null in self.nulls)
                found.append(components[s] == components[t] and is_fixed)
        return found

    def _product(self, null: Null, functional: Mapping[int, Fraction | int]) -> Fraction:
        scaled = dict(zip(self.rows.others, self.rows.factors(null.others), strict=True))
        total = Fraction(0)
        for j, factor in functional.items():
            ends = self.rows.ends[j]
            total += factor * (scaled[j] if ends is None else null.potentials[ends[0]] - null.potentials[ends[1]])
        return total


class _Forest(NamedTuple):
    """A spanning forest of a graph, with the vectors s_v of its vertices."""

    upper: list[int]
    lower: list[int]
    components: list[int]  # for each vertex
    vectors: list[list[int]]

    @classmethod
    def of(cls, upper: list[int], lower: list[int], x: Whole, vertices: int) -> Self:
        near: dict[int, list[tuple[int, int, int]]] = {}
        for t, (a, c) in enumerate(zip(upper, lower, strict=True)):
            near.setdefault(a, []).append((c, t, -1))
            near.setdefault(c, []).append((a, t, 1))
        numbers, zero = x.tolist(), [0] * x.shape[1]
        components, vectors = [-1] * vertices, [zero] * vertices
        for root in range(vertices):
            waiting = [root] if components[root] < 0 else []
            components[root] = root if waiting else components[root]
            while waiting:
                v = waiting.pop()
                for u, t, sign in near.get(v, ()):
                    if components[u] < 0:
                        components[u] = root
                        vectors[u] = [s + sign * number for s, number in zip(vectors[v], numbers[t], strict=True)]
                        waiting.append(u)
        return cls(upper, lower, components, vectors)

    def rests(self, x: Whole) -> list[list[int]]:
        """The rest of each row; it is 0 on the forest."""
        s = np.array(self.vectors, dtype=object).reshape(len(self.vectors), x.shape[1])
        return (x - s[self.upper] + s[self.lower]).tolist() if len(x) else []


def _orthogonal(vectors: Sequence[Sequence[int]], k: int) -> list[list[int]]:
    """A basis of the vectors of k whole numbers that are orthogonal to the given ones."""
    if not k:
        return []
    if not vectors:
        return [[int(i == j) for i in range(k)] for j in range(k)]
    null, count = flint.fmpz_mat([list(vector) for vector in vectors]).nullspace()
    return [[int(null[i, t]) for i in range(k)] for t in range(count)]
