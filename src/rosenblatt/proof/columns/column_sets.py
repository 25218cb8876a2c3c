"""Which columns separate the rows?  Single columns, pairs, or a set from which no column can be left out.

A set of columns separates if a hyperplane with weights in these columns only, and a bias, does. Floats guess the sets,
whole numbers decide each claim. The work is limited by counts and not by the clock, so that equal data have equal
answers.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import whole
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data.matrices import dense
from rosenblatt.proof.columns.sparse_guess import sparse_columns
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.prove import prove

EPSILON = 0.1  # the gap between bounds of the margin at which a search in floats may stop; the margin is not needed
MAX_ALONE = 50  # columns that are tested one by one, if more than this may separate alone
MAX_PAIRS = 200  # of columns that are looked at
MAX_PAIR_ROWS = 5_000_000  # rows times weights of a column times pairs
MAX_DELETIONS = 100  # a set with more columns than this is not made smaller one by one
MAX_DELETION_WORK = 10**11  # numbers that the proofs read to make a set smaller
MAX_DENSE = 5_000_000  # numbers of a table; with more, a sparse one stays sparse
MAX_NEEDED = 20  # if more columns than this cannot be left out, the set is not made smaller any more


class ColumnSet(NamedTuple):
    """Columns that separate, and the proof.

    Attributes
    ----------
    columns : the columns, increasing
    weights : the weights of all columns of the rows, whole numbers; the constant comes last, if the rows have one
    rows : how many rows are strictly on their right side
    is_minimal : is it proved that no column can be left out?
    """

    columns: list[int]
    weights: list[int]
    rows: int
    is_minimal: bool


class Places(NamedTuple):
    """Where the weights of the columns of the data are among the weights of the signed rows.

    Attributes
    ----------
    columns : for each column of the data that may be in a set, its weights: one, or one for each class
    free : weights that belong to every set, such as those of intercepts and thresholds
    numbers : the row of the data that each signed row comes from; None if each comes from its own
    alone : the only columns that may separate all rows alone, if that is known
    """

    columns: list[list[int]]
    free: list[int]
    numbers: NDArray[Any] | None = None
    alone: list[int] | None = None


class Found(NamedTuple):
    """The sets that were found, and how far the search went."""

    sets: list[ColumnSet]
    pairs: int = 0  # that were looked at
    possible_pairs: int = 0


def column_sets(signed: Signed, places: Places, w: Sequence[int], moving: NDArray[Any], deadline: float) -> Found:
    """Find sets of columns that separate: all single columns, else pairs, else one set.

    If all rows are moving, the sets separate all rows strictly. Otherwise each set has some row strictly on its right
    side, and no row on its wrong side.

    Parameters
    ----------
    signed : the rows
    places : where the weights of the columns are
    w : a hyperplane with no row on its wrong side, and the moving rows strictly on their right side
    moving : the rows that can be strictly on their right side
    deadline : when to give up, on the monotonic clock. Then the last set may not be minimal.
    """
    search = _Search(signed, places, w, moving, deadline)
    looked = possible = 0
    try:
        found = search.alone()
        if not found:
            possible = len(search.candidates) * (len(search.candidates) - 1) // 2
            found, looked = search.pairs()
        if not found:
            search.shrink()
    except OutOfTime:
        found = []
    return Found(found or [search.best], looked, possible)


class _Search:
    """Exact tests of sets of columns. `best` is the smallest set so far that is no single column and no pair."""

    def __init__(self, signed: Signed, places: Places, w: Sequence[int], moving: NDArray[Any], deadline: float) -> None:
        self.signed, self.places, self.deadline = signed, places, deadline
        self.moving, self.strictly = moving, len(moving) == signed.n
        self.candidates = range(len(places.columns))
        self.powers = signed.table.powers()
        self.best = self._of(w)

    def _of(self, w: Sequence[int], *, is_minimal: bool = False) -> ColumnSet:
        rows = np.flatnonzero(self.signed.leads(w)[1] > 0)
        count = len(rows) if self.places.numbers is None else len(np.unique(self.places.numbers[rows]))
        columns = [j for j in self.candidates if any(w[t] for t in self.places.columns[j])]
        return ColumnSet(columns, list(w), count, is_minimal)

    def weights(self, columns: Iterable[int]) -> list[int] | None:
        """The weights of a hyperplane in these columns that separates; None if it is proved that there is none."""
        own = sorted({*self.places.free, *(t for j in columns for t in self.places.columns[j])})
        if not own:
            return None  # a constant is on both sides
        part = Signed(with_columns(self.signed.table, own), self.signed.y, self.signed.constant)
        equal = contradictions(part.table, part.y) if part.constant else []
        proof = prove(part, detail=not self.strictly, epsilon=EPSILON, deadline=self.deadline, equal=equal)
        if not self.strictly and not proof.is_detailed:
            raise OutOfTime
        if proof.kind not in (("strict",) if self.strictly else ("strict", "weak")):
            return None
        w = [0] * self.signed.width
        for j, number in zip([*own, self.signed.table.d], proof.hyperplane, strict=False):
            w[j] = number
        return w

    def alone(self) -> list[ColumnSet]:
        """The empty set if it separates, or else all single columns that do."""
        w = self.weights([])
        if w is not None:
            return [self._of(w, is_minimal=True)]
        columns = self._with_a_threshold() if self.signed.constant else self._most_promising()
        if self.strictly and self.places.alone is not None:
            columns = [j for j in columns if j in set(self.places.alone)]
        found = (self._threshold(j) or self.weights([j]) for j in columns[:MAX_ALONE])
        sets = [self._of(w, is_minimal=True) for w in found if w is not None]
        return sorted(sets, key=lambda one: -one.rows)

    def _with_a_threshold(self) -> list[int]:
        """The columns in which, in floats, the signs do not overlap, or only touch where this is enough."""
        (low, top), (first, end) = ranges(self.signed, 1), ranges(self.signed, -1)
        if self.signed.table.large:  # numbers that differ may have one float
            is_found = (low >= end) | (first >= top)
        elif self.strictly:
            is_found = (low > end) | (first > top)
        else:
            is_found = ((low >= end) & (top > first)) | ((first >= top) & (end > low))
        return [j for j in self._most_promising() if is_found[j]]

    def _threshold(self, j: int) -> list[int] | None:
        """The weights of a hyperplane in the middle between two rows, if it separates."""
        if not self.signed.constant:
            return None
        column = column_of(self.signed.table, j)
        places = [np.flatnonzero(self.signed.y == sign) for sign in (1, -1)]
        low, top, first, end = (rows[pick(column[rows])] for rows in places for pick in (np.argmin, np.argmax))
        for sign, one, other in ((1, low, end), (-1, first, top)):
            numbers = [Fraction(*self.signed.table.row(int(i)).get(j, (0, 1))) for i in (one, other)]
            exact = [Fraction(0)] * self.signed.width
            exact[j], exact[-1] = Fraction(sign), -sign * (numbers[0] + numbers[1]) / 2 / Fraction(self.signed.constant)
            w = whole(exact)
            if separates(self.signed, w, self.strictly):
                return w
        return None

    def pairs(self) -> tuple[list[ColumnSet], int]:
        """Pairs of columns that separate, and how many pairs were looked at."""
        ranked = self._most_promising()
        weights = max((len(places) for places in self.places.columns), default=1)
        count = min(MAX_PAIRS, max(1, MAX_PAIR_ROWS // (self.signed.n * weights)))
        every = ((ranked[a], ranked[b]) for b in range(1, len(ranked)) for a in range(b))
        found, looked = [], 0
        for looked, pair in enumerate(itertools.islice(every, count), 1):
            report_progress("culprits", looked, count, "pair {:,} of columns", looked)
            w = self.weights(pair)
            if w is not None:
                found.append(self._of(w, is_minimal=True))
        return found, looked

    def _most_promising(self) -> list[int]:
        """The columns, those first that separate most rows by themselves; of sparse rows, those of large weight."""
        X, w = self.signed.table.floats, self.best.weights
        if scipy.sparse.issparse(X) or not self.signed.constant:
            return sorted(self.candidates, key=lambda j: (-self._size(w, j), j))
        (low, top), (first, end) = ranges(self.signed, 1), ranges(self.signed, -1)
        mixed = ((np.maximum(low, first) <= X) & (np.minimum(top, end) >= X)).sum(axis=0)
        return sorted(self.candidates, key=lambda j: (mixed[j], j))

    def _size(self, w: Sequence[int], j: int) -> Fraction:
        """The largest size of a weight of a column times that of the numbers in its place."""
        return max(abs(w[t]) * Fraction(2) ** self.powers[t] for t in self.places.columns[j])

    def _deletion_work(self) -> int:
        """A proof for each column of the best set, each with as many rounds as there are weights."""
        weights = sum(len(self.places.columns[j]) for j in self.best.columns)
        return len(self.best.columns) * self.signed.n * weights**2

    def shrink(self) -> None:
        """Make the best set smaller until no column can be left out, or too many columns are needed."""
        support = set(sparse_columns(self.signed, self.places.free, None if self.strictly else self.moving))
        guess = [j for j in self.candidates if support & set(self.places.columns[j])]
        if 0 < len(guess) < len(self.best.columns):
            w = self.weights(guess)
            if w is not None:
                self.best = self._of(w)
        if len(self.best.columns) > MAX_DELETIONS or self._deletion_work() > MAX_DELETION_WORK:
            return
        needed: set[int] = set()
        while len(needed) < len(self.best.columns):
            if len(needed) > MAX_NEEDED:
                return
            report_progress("culprits", len(needed), None, "{:,} columns are left", len(self.best.columns))
            others = [j for j in self.best.columns if j not in needed]
            last = min(others, key=lambda j: self._size(self.best.weights, j))
            w = self.weights(j for j in self.best.columns if j != last)
            if w is None:
                needed.add(last)
            else:
                self.best = self._of(w)
        self.best = self.best._replace(is_minimal=True)


def separates(signed: Signed, w: Sequence[int], strictly: bool) -> bool:
    """Does this hyperplane have all rows (or not strictly: some) on their right side, and none on the wrong one?"""
    signs = signed.leads(w)[1]
    return bool((signs > 0).all() if strictly else (signs >= 0).all() and signs.any())


def with_columns(table: Table, columns: Sequence[int]) -> Table:
    """The table with these columns only, dense unless that takes much memory."""
    place = {j: t for t, j in enumerate(columns)}
    large = {i: {place[j]: x for j, x in cells.items() if j in place} for i, cells in table.large.items()}
    floats = table.floats[:, list(columns)]
    if floats.shape[0] * floats.shape[1] <= MAX_DENSE or not scipy.sparse.issparse(floats):
        floats = np.ascontiguousarray(dense(floats))
    return replace(table, floats=floats, large={i: cells for i, cells in large.items() if cells}, names=None)


def column_of(table: Table, j: int) -> NDArray[np.float64]:
    """The floats of a column."""
    return np.ravel(dense(table.floats[:, [j]]))


def ranges(signed: Signed, sign: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the largest float of each column in the rows of this sign."""
    X = signed.table.floats[signed.y == sign]
    return np.ravel(dense(X.min(axis=0))), np.ravel(dense(X.max(axis=0)))
