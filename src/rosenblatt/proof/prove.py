"""The search for a proof of separability. Floats guess, whole numbers decide.

If no hyperplane has all rows strictly on their right side, some rows, the witness, add up to 0 with positive weights. A
hyperplane with no row on its wrong side contains the witness and all rows that it spans. These rows are set aside. The
same question is asked for the other rows, with hyperplanes that contain the witness. After at most as many rounds as
there are columns, a hyperplane is found for the rows that are left, or no row is left.

What costs one pass over the rows is tried first: equal rows of different classes, a single column, a perceptron. If the
deadline passes, what these have proved is the answer.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import LOOP_SECONDS, OutOfTime, afford, can_afford, elimination_seconds, solve_seconds
from rosenblatt.base.exact import float_of, whole
from rosenblatt.base.stopping import StopReason
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed, outside_span
from rosenblatt.data import validation
from rosenblatt.data.matrices import dense
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import nearest_point
from rosenblatt.hulls.search_types import Goal, Nearest, plane_of
from rosenblatt.proof.finders.exact_search import ZeroCombination, exact_search
from rosenblatt.proof.finders.first_guesses import Guess, by_perceptron, is_thin, is_wide, single_column
from rosenblatt.proof.finders.planes_through_rows import independent, orthogonal, shortened

MAX_NUMBER = 1e100  # data with larger numbers, or with none above the inverse, is scaled
MAX_LOOKS = 200  # at all rows, for one guess
MAX_COPIED_NUMBERS = 50_000_000  # larger data is not copied for a guess
MAX_BASIS_COLUMNS = 3000  # with more columns than this, no orthogonal basis of all of them is formed
MAX_SPANNED_COLUMNS = 500  # with more columns than this, equal rows are not expected to span all rows
DECIMAL_BITS = 60  # of most decimals, as whole numbers
FLOPS = 4e9  # multiplications a second in products of matrices, on a busy machine


class Witness(NamedTuple):
    """Rows with positive weights that add up to 0."""

    rows: list[int]
    weights: list[int]
    basis: list[int]  # a largest linearly independent set of the rows
    core: dict[int, Fraction]  # the rows found first, with weights that add up to 0; none of them can be left out

    def joined(self, found: ZeroCombination) -> "Witness":
        """Merge both, scaling the weights of this witness so that every weight stays positive."""
        if not self.basis:  # no rows, or a row of zeros, which every row spans
            core = dict(zip(found.rows, found.weights, strict=True))
            return Witness(found.rows, whole(found.weights), found.rows[:-1], core)
        old = dict(zip(self.rows, map(Fraction, self.weights), strict=True))
        extra = dict(zip(self.basis, found.coefficients, strict=True))
        times = max([Fraction(1), *(1 - coefficient / old[i] for i, coefficient in extra.items())])
        weights = [times * weight + extra.get(i, 0) for i, weight in old.items()]
        return Witness(
            [*self.rows, *found.rows],
            whole([*weights, *found.weights]),
            [*self.basis, *found.rows[:-1]],
            self.core,
        )


class Proof(NamedTuple):
    """A hyperplane and a witness, as `certificate.claims` explains. Either may be empty."""

    hyperplane: list[int]
    witness: Witness
    stuck: NDArray[Any]  # the rows that lie on every hyperplane with no row on its wrong side
    search: Nearest | None = None  # the search in floats, for the margin
    is_detailed: bool = True  # is weak separation told from overlap?

    @property
    def kind(self) -> Literal["strict", "weak", "overlap", "not_strict"]:
        if not self.witness.rows:
            return "strict"
        if not self.is_detailed:
            return "not_strict"
        return "weak" if self.hyperplane else "overlap"


def prove(
    signed: Signed, *, detail: bool, epsilon: float, deadline: float, equal: Sequence[tuple[int, int]] = ()
) -> Proof:
    """Decide exactly whether the signed rows can be separated.

    Parameters
    ----------
    signed : the rows
    detail : distinguish weak separation from overlap?
    epsilon : the relative gap between the bounds of the margin, for the search in floats
    deadline : when to give up, on the monotonic clock
    equal : pairs of rows that add up to 0: equal rows of different classes

    Raises
    ------
    OutOfTime
        The deadline passed, and nothing is proved.
    """
    known = of_equal_rows(signed, equal, deadline, detail=detail) if equal else None
    if known is not None and (known.is_detailed or not detail):
        return known
    attempt = Attempt(signed, deadline)
    try:
        return attempt.decide(detail, epsilon)
    except OutOfTime:
        known = known or attempt.known()
        if known is None:
            raise
        return known


def not_strict(witness: Witness) -> Proof:
    """The proof of what a witness shows by itself."""
    return Proof([], witness, np.sort(witness.rows), is_detailed=False)


def of_equal_rows(signed: Signed, equal: Sequence[tuple[int, int]], deadline: float, *, detail: bool) -> Proof:
    """What pairs of equal rows of different classes prove. If they span all rows, the classes overlap."""
    core = dict.fromkeys(equal[0], Fraction(1))
    first = not_strict(Witness(list(core), [1, 1], [equal[0][0]], core))
    if not detail or signed.width > MAX_SPANNED_COLUMNS:
        return first
    many = np.unique(np.linspace(0, len(equal) - 1, 2 * signed.width).astype(int))
    try:
        afford(4 * LOOP_SECONDS * len(many) * signed.width + elimination_seconds(len(many), signed.width), deadline)
        chosen = [equal[t] for t in independent(signed, [equal[t][0] for t in many])]
        basis = [i for i, _ in chosen]
        if not basis or len(outside_span(signed, basis, np.arange(signed.n), deadline)):
            return first
    except OutOfTime:
        return first
    rows = [row for pair in chosen for row in pair]
    core = dict.fromkeys(chosen[0], Fraction(1))
    return Proof([], Witness(rows, [1] * len(rows), basis, core), np.arange(signed.n))


class Attempt:
    """A search for a proof, with what it has proved so far.

    Parameters
    ----------
    signed : the rows
    deadline : when to give up, on the monotonic clock
    """

    def __init__(self, signed: Signed, deadline: float) -> None:
        self.signed, self.deadline = signed, deadline
        self._witness = Witness([], [], [], {})
        self._search: Nearest | None = None
        self._simple: list[Guess] = []  # hyperplanes that one pass, or a few, have found

    def decide(self, detail: bool, epsilon: float) -> Proof:
        """Search until there is a proof.

        Raises
        ------
        OutOfTime
            The deadline passed; `known` has what was proved before.
        """
        signed, deadline, goal = self.signed, self.deadline, Goal(epsilon)
        self._simple = single_column(signed)
        if is_wide(signed) or is_thin(signed):
            self._simple += by_perceptron(signed, deadline)
        searches = [FloatSearch.of(signed, goal, deadline)]
        self._search = searches[0].found
        is_dense = not scipy.sparse.issparse(signed.table.floats)
        if not searches[0].is_clear and signed.constant and is_dense and can_afford(0.0, deadline):
            searches.append(FloatSearch.of(signed, goal, deadline, centred=True))
            self._search = searches[1].found
        first = [*(search.guess() for search in searches), *self._simple]
        rows = np.arange(signed.n)
        while len(rows):
            found = settle(signed, rows, self._witness, first, deadline)
            if isinstance(found, list):
                stuck = np.setdiff1d(np.arange(signed.n), rows, assume_unique=True)
                return Proof(found, self._witness, stuck, self._search)
            self._witness, first = self._witness.joined(found), []
            if not detail:
                return not_strict(self._witness)
            rows = outside_span(signed, self._witness.rows, rows, deadline)
        return Proof([], self._witness, np.arange(signed.n), self._search)

    def known(self) -> Proof | None:
        """Return the proof of what was found before the deadline, or None. It takes one pass over the rows."""
        if self._witness.rows:
            return not_strict(self._witness)
        for guess in self._simple:
            w = whole(guess.hyperplane or [])
            if (self.signed.leads(w)[1] > 0).all():
                return Proof(w, self._witness, np.empty(0, np.int64), self._search)
        return None


def settle(
    signed: Signed, rows: NDArray[Any], witness: Witness, first: Sequence[Guess], deadline: float
) -> list[int] | ZeroCombination:
    """Find a hyperplane with positive leads on these rows and 0 on the witness, or a proof that there is none."""
    inner = signed if len(rows) == signed.n else signed.take(rows)
    start = {int(rows[0]): 1.0}
    for guess in guesses(signed, rows, witness, first, deadline):
        if guess.hyperplane is not None:
            w = orthogonal(signed, guess.hyperplane, witness.basis, deadline)
            if (inner.leads(w)[1] > 0).all():
                return w
        if guess.zero_combination:
            return ZeroCombination(list(guess.zero_combination), list(guess.zero_combination.values()), [])
        start = guess.start or start
    found = exact_search(signed, rows, start, witness.basis, deadline)
    return found if isinstance(found, ZeroCombination) else shortened(signed, inner, found, witness.basis, deadline)


def guesses(
    signed: Signed, rows: NDArray[Any], witness: Witness, first: Sequence[Guess], deadline: float
) -> Iterator[Guess]:
    """Guesses in floats, the most likely ones first."""
    yield from first
    numbers = signed.n * signed.width
    if numbers <= MAX_COPIED_NUMBERS:
        products = len(witness.basis) * signed.width**2 + numbers * signed.width * bool(witness.basis)
        afford(3e-8 * numbers + products / FLOPS, deadline)
        yield ScaledRows(signed).guess(rows, witness.basis, deadline)


class FloatSearch(NamedTuple):
    """A search in floats for the nearest points of two classes, or (without a constant) of all signed rows and 0."""

    found: Nearest
    hyperplane: list[Fraction]  # for the rows as given
    is_exact: bool  # were the rows searched without moving, scaling or rounding them, but for decimals?
    zero_combination: dict[int, Fraction]  # exact weights with which rows add up to 0, if the search found any

    @classmethod
    def of(cls, signed: Signed, goal: Goal, deadline: float, *, centred: bool = False, free: bool = True) -> Self:
        """Search in floats.

        Parameters
        ----------
        signed : the rows
        goal : when to stop
        deadline : when to give up, on the monotonic clock
        centred : move the rows to their middle first
        free : the constant, if there is one, does not count in lengths
        """
        floats, centre = validation.points(signed.table.floats), np.zeros(signed.table.d)
        free = free and signed.constant != 0
        if centred:
            floats, centre = centred_floats(signed.table)
        power = _power(floats, 0.0 if free else signed.constant)
        if power:
            entries = np.ldexp(floats.data if scipy.sparse.issparse(floats) else floats, -power)
            floats = _with_entries(floats, entries)
        constant = 0.0 if free else math.ldexp(signed.constant, -power)
        points = InMemory(validation.rows(floats, constant), signed.table.d, signed.y, two=free)
        solver = "mdm" if is_wide(signed) else "auto"
        found = nearest_point(points, solver, goal, screening=True, max_epochs=MAX_LOOKS, deadline=deadline)
        if found.stop_reason is StopReason.BUDGET and not found.lower > 0:
            afford(0.0, deadline)
        w, _ = plane_of(found.look, points)
        *exact, bias = [Fraction(x) for x in w.tolist()]
        if not free and signed.constant:
            exact.append(bias)
        elif free:
            shift = sum((x * Fraction(c) for x, c in zip(exact, centre.tolist(), strict=True) if c), Fraction(0))
            exact.append((bias * Fraction(2) ** power - shift) / Fraction(signed.constant))
        zero = found.zero_combination
        if signed.table.decimal and zero:
            zero = of_decimals(signed, list(zero), deadline)
        return cls(found, exact, not (signed.table.large or power or centred), zero)

    @property
    def is_clear(self) -> bool:
        """Did the search decide the question?"""
        return self.is_exact and (self.found.lower > 0 or bool(self.zero_combination))

    def guess(self) -> Guess:
        """The result as a guess."""
        start = dict(zip(self.found.rows.tolist(), self.found.weights.tolist(), strict=True))
        return Guess(
            self.hyperplane if self.found.lower > 0 else None,
            start,
            self.zero_combination if self.is_exact else {},
        )


def of_decimals(signed: Signed, rows: list[int], deadline: float) -> dict[int, Fraction]:
    """The positive weights with which rows whose floats add up to 0 do so as decimals.

    There are none if the rows do not add up to 0 as decimals, or if there is no time to find out.
    """
    if not can_afford(4 * LOOP_SECONDS * len(rows) * signed.width + solve_seconds(len(rows), DECIMAL_BITS), deadline):
        return {}
    null, count = signed.whole(rows).matrix.transpose().nullspace()
    numbers = [int(null[t, 0]) for t in range(len(rows))] if count == 1 else []
    if not numbers or len({number > 0 for number in numbers}) > 1 or 0 in numbers:
        return {}
    return {i: Fraction(number, sum(numbers)) for i, number in zip(rows, numbers, strict=True)}


def centred_floats(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Dense rows minus their middle, and the middle. This is more precise if the rows are far from 0."""
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
    """The exponent of the power of two next to the largest number; 0 if this is far from the limits of floats."""
    largest = np.abs(floats.data if scipy.sparse.issparse(floats) else floats).max(initial=abs(constant))
    return 0 if 1 / MAX_NUMBER < largest < MAX_NUMBER or largest == 0 else int(np.frexp(largest)[1])


def _with_entries(floats: Any, entries: NDArray[Any]) -> Any:
    if scipy.sparse.issparse(floats):
        return scipy.sparse.csr_array((entries, floats.indices, floats.indptr), shape=floats.shape)
    return entries


class ScaledRows:
    """Signed rows as floats of one size, for guesses only. Columns are centred and scaled, then rows are scaled."""

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
        """Search in the space orthogonal to the basis."""
        Z, across = self.Z[rows], None
        if len(basis):
            if Z.shape[1] > MAX_BASIS_COLUMNS:  # a basis of the orthogonal space would not fit into memory
                along = scipy.linalg.qr(self.Z[list(basis)].T, mode="economic")[0]
                Z = Z - (Z @ along) @ along.T
            else:
                across = scipy.linalg.qr(self.Z[list(basis)].T)[0][:, len(basis) :]
                Z = Z @ across
            Z = np.ldexp(Z, -np.frexp(np.abs(Z).max(axis=1))[1][:, np.newaxis])
        points = InMemory(
            validation.rows(np.ascontiguousarray(Z), 0.0), Z.shape[1], np.ones(len(Z), np.int8), two=False
        )
        found = nearest_point(points, "auto", Goal(None), max_epochs=MAX_LOOKS, deadline=deadline)
        v = found.look.w[:-1] if across is None else across @ found.look.w[:-1]
        w = self._as_given(v) if found.lower > 0 else None
        return Guess(w, dict(zip(rows[found.rows].tolist(), found.weights.tolist(), strict=True)), {})

    def _as_given(self, v: NDArray[np.float64]) -> list[Fraction]:
        """Convert a hyperplane for the scaled rows to one for the rows as given."""
        d, two = len(self._powers), Fraction(2)
        scaled = [Fraction(x) / two ** int(p) for x, p in zip(v.tolist(), self._spread, strict=False)]
        w = [x / two ** int(p) for x, p in zip(scaled, self._powers, strict=True)]
        if self.constant:
            shift = sum(x * Fraction(c) for x, c in zip(scaled, self._centre.tolist(), strict=True))
            w.append((Fraction(float(v[d])) - shift) / Fraction(self.constant))
        return w
