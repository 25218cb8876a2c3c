"""The search for a proof of separability: floats guess, whole numbers decide.

Peeling. If no hyperplane has all rows strictly on their right side, some rows, the witness, add up to 0 with positive
weights. A hyperplane with no row on its wrong side has them all on it, and all that they span. These rows are set
aside, and the question is asked again for the others, by hyperplanes that are orthogonal to the witness. After at most
as many rounds as there are columns, either a hyperplane is found for what is left, or nothing is left.
"""

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.events import tell
from rosenblatt.base.exact import float_of, whole
from rosenblatt.base.stopping import StopReason
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed, outside_span
from rosenblatt.data import validation
from rosenblatt.data.matrices import dense
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import nearest_point
from rosenblatt.hulls.search_types import Goal, Nearest, plane_of
from rosenblatt.proof.contradictions import contradictions
from rosenblatt.proof.exact_search import Meeting, OutOfTime, exact_search
from rosenblatt.rules.binary import perceptron

LONGEST = 1e100
LOOKS = 200  # at all rows, that a guess may take
EPOCHS = 1000  # of a perceptron
MANY = 50_000_000  # numbers that a copy of the data may have
WIDE = 3000  # columns, from which on no whole basis of them is formed


class Witness(NamedTuple):
    """Rows with positive weights that add up to 0."""

    rows: list[int]
    weights: list[int]
    basis: list[int]  # as many of the rows as are linearly independent
    core: dict[int, Fraction]  # those found first, none of which could be left out, with weights that add up to 0

    def joined(self, meeting: Meeting) -> "Witness":
        """Both: the fixed rows get so many more of their own weights that all stay positive."""
        if not self.basis:  # nothing, or a row of zeros, which all others span
            core = dict(zip(meeting.rows, meeting.weights, strict=True))
            return Witness(meeting.rows, whole(meeting.weights), meeting.rows[:-1], core)
        old = dict(zip(self.rows, map(Fraction, self.weights), strict=True))
        extra = dict(zip(self.basis, meeting.coefficients, strict=True))
        times = max([Fraction(1), *(1 - coefficient / old[i] for i, coefficient in extra.items())])
        weights = [times * weight + extra.get(i, 0) for i, weight in old.items()]
        return Witness(
            [*self.rows, *meeting.rows],
            whole([*weights, *meeting.weights]),
            [*self.basis, *meeting.rows[:-1]],
            self.core,
        )


class Proof(NamedTuple):
    """Either half may be empty."""

    hyperplane: list[int]
    witness: Witness
    stuck: NDArray[Any]  # the rows that no hyperplane with all rows on their right side, or on it, moves off it
    search: Nearest  # in floats, for the margin

    @property
    def kind(self) -> str:
        if not self.witness.rows:
            return "strict"
        return "weak" if self.hyperplane else "overlap"


class Guess(NamedTuple):
    """A hyperplane, or rows (with weights) that might combine to 0."""

    hyperplane: list[Fraction] | None
    start: dict[int, float]
    meeting: dict[int, Fraction]  # if they do


def prove(signed: Signed, *, detail: bool, epsilon: float, deadline: float) -> Proof:
    """Decide, exactly.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    witness, rows = Witness([], [], [], {}), np.arange(signed.n)
    goal = Goal(epsilon, relative=True)
    searches = [Searched.of(signed, goal, deadline)]
    if not searches[0].is_clear and signed.constant and not scipy.sparse.issparse(signed.table.floats):
        searches.append(Searched.of(signed, goal, deadline, centred=True))
    first = [search.guess() for search in searches]
    if is_wide(signed):
        first += wide_guesses(signed, deadline)
    while len(rows):
        found = settle(signed, rows, witness, first, deadline)
        if isinstance(found, list):
            stuck = np.setdiff1d(np.arange(signed.n), rows, assume_unique=True)
            return Proof(found, witness, stuck, searches[-1].found)
        witness, first = witness.joined(found), []
        if not detail:
            return Proof([], witness, np.sort(witness.rows), searches[-1].found)
        rows = outside_span(signed, witness.rows, rows)
    return Proof([], witness, np.arange(signed.n), searches[-1].found)


def settle(
    signed: Signed, rows: NDArray[Any], witness: Witness, first: Sequence[Guess], deadline: float
) -> list[int] | Meeting:
    """A hyperplane with positive leads on these rows and 0 on the witness; or a meeting, if there is none."""
    inner = signed if len(rows) == signed.n else signed.take(rows)
    start = {int(rows[0]): 1.0}
    for guess in guesses(signed, rows, witness, first, deadline):
        if guess.hyperplane is not None:
            w = orthogonal(signed, guess.hyperplane, witness.basis)
            if (inner.leads(w)[1] > 0).all():
                return w
        if guess.meeting:
            return Meeting(list(guess.meeting), list(guess.meeting.values()), [])
        start = guess.start or start
    found = exact_search(signed, rows, start, witness.basis, deadline)
    return found if isinstance(found, Meeting) else shortened(signed, inner, found, witness.basis)


def guesses(
    signed: Signed, rows: NDArray[Any], witness: Witness, first: Sequence[Guess], deadline: float
) -> Iterator[Guess]:
    """What floats say, the likeliest first."""
    yield from first
    if signed.n * signed.width <= MANY:
        yield Tamed(signed).guess(rows, witness.basis, deadline)


def is_wide(signed: Signed) -> bool:
    """Is this so much that the nearest point is hard to find, but hyperplanes, if any, are easy?"""
    return signed.n > 2000 and signed.table.d > 5000


def wide_guesses(signed: Signed, deadline: float) -> list[Guess]:
    """Two equal rows of different classes, or the hyperplane of a perceptron."""
    pairs = contradictions(signed.table, signed.y) if signed.constant else []
    if pairs:
        return [Guess(None, {}, dict.fromkeys(pairs[0], Fraction(1)))]
    w, rows = np.zeros(signed.table.d + 1), validation.rows(validation.points(signed.table.floats), signed.constant)
    rng, once = np.random.default_rng(0), np.ones(2)
    for epoch in range(EPOCHS):
        tell("verdict", epoch, None, "pass {} of a perceptron", epoch + 1)
        if time.monotonic() > deadline:
            raise OutOfTime
        if not perceptron(rows, signed.y, rng.permutation(signed.n), w, once, 0.0, 0.0):
            exact = [Fraction(x) for x in w.tolist()]
            return [Guess(exact if signed.constant else exact[:-1], {}, {})]
    return []


class Searched(NamedTuple):
    """A search in floats for the nearest points of two classes (with a constant), or of all signed rows and 0."""

    found: Nearest
    hyperplane: list[Fraction]  # for the rows as they are
    is_exact: bool  # were the floats the numbers themselves?

    @classmethod
    def of(cls, signed: Signed, goal: Goal, deadline: float, *, centred: bool = False, free: bool = True) -> "Searched":
        """`free`: the constant, if there is one, does not count in lengths."""
        floats, centre, free = (
            validation.points(signed.table.floats),
            np.zeros(signed.table.d),
            free and signed.constant != 0,
        )
        if centred:
            floats, centre = centred_floats(signed.table)
        power = _power(floats, 0.0 if free else signed.constant)
        if power:
            entries = np.ldexp(floats.data if scipy.sparse.issparse(floats) else floats, -power)
            floats = _with_entries(floats, entries)
        constant = 0.0 if free else math.ldexp(signed.constant, -power)
        points = InMemory(validation.rows(floats, constant), signed.table.d, signed.y, two=free)
        solver = "mdm" if is_wide(signed) else "auto"
        found = nearest_point(points, solver, goal, screening=True, max_epochs=LOOKS, deadline=deadline)
        if found.stop_reason is StopReason.BUDGET and time.monotonic() > deadline:
            raise OutOfTime
        w, _ = plane_of(found.look, points)
        *exact, bias = [Fraction(x) for x in w.tolist()]
        if not free and signed.constant:
            exact.append(bias)
        elif free:
            shift = sum((x * Fraction(c) for x, c in zip(exact, centre.tolist(), strict=True) if c), Fraction(0))
            exact.append((bias * Fraction(2) ** power - shift) / Fraction(signed.constant))
        return cls(found, exact, not (signed.table.large or power or centred))

    @property
    def is_clear(self) -> bool:
        return self.is_exact and (self.found.lower > 0 or bool(self.found.meeting))

    def guess(self) -> Guess:
        start = dict(zip(self.found.rows.tolist(), self.found.weights.tolist(), strict=True))
        return Guess(
            self.hyperplane if self.found.lower > 0 else None, start, self.found.meeting if self.is_exact else {}
        )


def centred_floats(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Dense rows less their middle, which is more precise where they are far from 0; and that middle."""
    X = table.floats
    centre = (X.min(axis=0) / 2 + X.max(axis=0) / 2).astype(np.float64)
    with np.errstate(over="ignore"):
        moved = X - centre
    for i, cells in table.large.items():
        for j, number in cells.items():
            moved[i, j] = float_of(number - int(centre[j]))
    if not np.isfinite(moved).all():
        return X, np.zeros_like(centre)
    return moved, centre


def _power(floats: Any, constant: float) -> int:
    """The power of two next to the largest number, or 0 if this is far from the ends of the floats."""
    largest = np.abs(floats.data if scipy.sparse.issparse(floats) else floats).max(initial=abs(constant))
    return 0 if 1 / LONGEST < largest < LONGEST or largest == 0 else int(np.frexp(largest)[1])


def _with_entries(floats: Any, entries: NDArray[Any]) -> Any:
    if scipy.sparse.issparse(floats):
        return scipy.sparse.csr_array((entries, floats.indices, floats.indptr), shape=floats.shape)
    return entries


class Tamed:
    """Signed rows as floats of one size: columns centred and scaled, rows scaled; good for guesses only."""

    def __init__(self, signed: Signed) -> None:
        X = dense(signed.table.floats)
        self._powers = np.array(signed.table.powers())
        X = np.ldexp(X, -self._powers)
        self._centre = X.mean(axis=0) if signed.constant else np.zeros(X.shape[1])
        X = X - self._centre
        self._spread = np.frexp(np.abs(X).max(axis=0))[1]
        X = np.ldexp(X, -self._spread)
        self.constant = signed.constant
        Z = np.column_stack([X, np.ones(len(X))]) if signed.constant else X
        self.Z = np.ldexp(Z * signed.y[:, np.newaxis], -np.frexp(np.abs(Z).max(axis=1))[1][:, np.newaxis])

    def guess(self, rows: NDArray[Any], basis: Sequence[int], deadline: float) -> Guess:
        """Search in the space that is orthogonal to the basis."""
        Z, across = self.Z[rows], None
        if len(basis):
            if Z.shape[1] > WIDE:  # a basis of what is orthogonal would not fit into memory
                along = scipy.linalg.qr(self.Z[list(basis)].T, mode="economic")[0]
                Z = Z - (Z @ along) @ along.T
            else:
                across = scipy.linalg.qr(self.Z[list(basis)].T)[0][:, len(basis) :]
                Z = Z @ across
            Z = np.ldexp(Z, -np.frexp(np.abs(Z).max(axis=1))[1][:, np.newaxis])
        points = InMemory(
            validation.rows(np.ascontiguousarray(Z), 0.0), Z.shape[1], np.ones(len(Z), np.int8), two=False
        )
        found = nearest_point(points, "auto", Goal(None, relative=True), max_epochs=LOOKS, deadline=deadline)
        v = found.look.w[:-1] if across is None else across @ found.look.w[:-1]
        w = self._as_given(v) if found.lower > 0 else None
        return Guess(w, dict(zip(rows[found.rows].tolist(), found.weights.tolist(), strict=True)), {})

    def _as_given(self, v: NDArray[np.float64]) -> list[Fraction]:
        """The hyperplane, for the rows as they were given."""
        d, two = len(self._powers), Fraction(2)
        scaled = [Fraction(x) / two ** int(p) for x, p in zip(v.tolist(), self._spread, strict=False)]
        w = [x / two ** int(p) for x, p in zip(scaled, self._powers, strict=True)]
        if self.constant:
            shift = sum(x * Fraction(c) for x, c in zip(scaled, self._centre.tolist(), strict=True))
            w.append((Fraction(float(v[d])) - shift) / Fraction(self.constant))
        return w


def orthogonal(signed: Signed, w: Sequence[Fraction], basis: Sequence[int]) -> list[int]:
    """The hyperplane with the same weights in all columns but a few, which are changed to make the basis lie on it."""
    if not len(basis):
        return whole(w)
    given, result = signed.whole(basis), list(w)
    reduced, _, rank = given.matrix.rref()
    inner = [w[j] / unit for j, unit in zip(given.columns, given.units, strict=True)]
    table = [[int(number) for number in row] for row in reduced.tolist()[:rank]]
    pivots = [next(k for k, number in enumerate(row) if number) for row in table]
    for row, pivot in zip(table, pivots, strict=True):
        rest = sum((number * inner[k] for k, number in enumerate(row) if number and k != pivot), Fraction(0))
        result[given.columns[pivot]] = -rest / row[pivot] * given.units[pivot]
    return whole(result)


def shortened(signed: Signed, inner: Signed, w: list[int], basis: Sequence[int]) -> list[int]:
    """The same hyperplane with as few digits as leave all rows where they are."""
    longest = max(number.bit_length() for number in w)
    bits = 26
    while bits < longest:
        cut = [max(0, number.bit_length() - bits) for number in w]
        short = [Fraction((number >> less) << less) for number, less in zip(w, cut, strict=True)]
        rounded = orthogonal(signed, short, basis)
        if max(number.bit_length() for number in rounded) < longest and (inner.leads(rounded)[1] > 0).all():
            return rounded
        bits *= 2
    return w
