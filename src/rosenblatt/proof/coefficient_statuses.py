"""Which coefficients of a regression have finite estimates?  A search for the proofs that `check_estimates` checks.

One search finds the stuck rows, their witness, and a vector v of the cone C of directions along which the likelihood
never falls, with v.z > 0 on all other rows. It lies in the relative interior of C. For a coefficient c that is neither
finite nor not estimable, c.v tells the sign that is possible, say +. Then either a vector of C lowers the coefficient,
or c is a combination of recession rows with weights >= 0. This is the question whether -c is stuck if it joins the
rows. It is asked for a few rows first. If a vector for these rows contradicts other rows, they join too.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import floats_of, text_of, whole
from rosenblatt.base.inputs.decimals import decimal_ratio
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.near_witness import UNIT
from rosenblatt.certificate.signed_rows import NORMAL, Signed, WholeRows
from rosenblatt.certificate.spans.factor_rows import FactorRows
from rosenblatt.certificate.spans.row_span import Span, span_of
from rosenblatt.data.matrices import dense, stacked
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.finders.existence import UnitRows
from rosenblatt.proof.finders.nonnegative import ConeBasis, are_positive, have_positive_weights
from rosenblatt.proof.finders.planes_through_rows import spanning_rows
from rosenblatt.proof.prove import Proof, prove

Status = Literal["finite", "+inf", "-inf", "undetermined", "not_estimable", "undecided"]
Kind = Literal["none", "quasi", "complete", "undecided"]
Functional = Mapping[int, Fraction | int]  # the factors of coefficients
EPSILON = 0.1  # the gap between bounds of the margin at which a search in floats may stop; the margin is not needed
ROWS_PER_COLUMN, MIN_ROWS = 4, 20  # in the first set of rows
MAX_NEW_ROWS = 100  # that join the set at a time


class Combination(NamedTuple):
    """Recession rows with positive weights. Those of independent rows need not be written down: rows determine them."""

    rows: list[int]
    weights: list[int] | None

    def to_part(self) -> dict[str, Any]:
        """A part of a certificate."""
        weights = {} if self.weights is None else {"weights": [text_of(weight) for weight in self.weights]}
        return {"rows": self.rows, **weights}


class Coefficient(NamedTuple):
    """The status of a coefficient, and its proof."""

    status: Status
    combination: Combination | None = None  # for an infinite one
    vectors: tuple[int, int] | None = None  # for an undetermined one: a vector that raises it, and one that lowers it

    def to_part(self) -> dict[str, Any]:
        """A part of a certificate."""
        part: dict[str, Any] = {"status": self.status}
        if self.combination is not None:
            part |= self.combination.to_part()
        if self.vectors is not None:
            part["vectors"] = list(self.vectors)
        return part


class FewRows:
    """Some rows, as floats for guesses and as whole numbers."""

    def __init__(self, signed: Signed) -> None:
        self.signed, self.n = signed, signed.n
        self.rows = UnitRows.of(signed, np.arange(signed.n))
        self.basis = ConeBasis(self.rows.Z)
        self.error = UNIT if signed.table.decimal else 0.0  # the relative error of a number

    @cached_property
    def is_exact(self) -> bool:
        """Were the rows divided by powers of two without rounding?"""
        given = dense(self.signed.table.floats) * self.signed.y[:, np.newaxis]
        again = np.ldexp(self.rows.Z, self.rows.row_powers[:, np.newaxis] + self.rows.column_powers)
        return bool((again == given).all() and (np.abs(given[given != 0]) >= NORMAL).all())

    @cached_property
    def whole(self) -> WholeRows:
        return self.signed.whole(range(self.n))


class ProvedCone:
    """The directions along which a likelihood never falls, with what is proved of them.

    Parameters
    ----------
    signed : the recession rows
    vectors : vectors of the cone, the first in its relative interior
    witness : the rows that prove which rows are stuck; no rows if none is
    moving : the rows that are fitted without end in the direction of the first vector
    span : rows that span all rows
    factors : the rows as a graph, if they are one
    """

    def __init__(
        self,
        signed: Signed,
        vectors: list[list[int]],
        witness: Combination,
        moving: NDArray[Any],
        span: list[int],
        factors: FactorRows | None = None,
    ) -> None:
        self.signed, self.vectors, self.witness, self.moving, self.span = signed, vectors, witness, moving, span
        self.factors = factors

    @property
    def kind(self) -> Kind:
        if not len(self.moving):
            return "none"
        return "complete" if len(self.moving) == self.signed.n else "quasi"

    def to_part(self, coefficients: Sequence[Coefficient]) -> dict[str, Any]:
        """The part of a certificate that proves these statuses."""
        return {
            "kind": self.kind,
            "vectors": [[text_of(number) for number in vector] for vector in self.vectors],
            "witness": self.witness.to_part(),
            "span": self.span,
            "coefficients": [coefficient.to_part() for coefficient in coefficients],
        }

    @cached_property
    def spans(self) -> tuple[Span, Span]:
        """The linear combinations of all rows, and those of the witness."""
        return span_of(self.signed, self.span, self.factors), span_of(self.signed, self.witness.rows, self.factors)

    def coefficients(self) -> list[Coefficient]:
        """The status of each coefficient."""
        estimable, finite = (span.columns() for span in self.spans)
        found, width = [], self.signed.width
        for j in range(width):
            report_progress("estimates", j, width, "coefficient {:,} of {:,}", j + 1, width)
            if not estimable[j]:
                found.append(Coefficient("not_estimable"))
            elif finite[j]:
                found.append(Coefficient("finite"))
            else:
                found.append(self.infinite({j: 1}))
        return found

    def functional(self, c: NDArray[np.float64]) -> Functional:
        """The factors of a linear functional, exactly: those that are not 0."""
        ratio = decimal_ratio if self.signed.table.decimal else float.as_integer_ratio
        return {int(j): Fraction(*ratio(float(c[j]))) for j in np.flatnonzero(c)}

    def status_of(self, c: NDArray[np.float64]) -> Status:
        """The status of a linear functional c.b, with one factor for each coefficient."""
        functional = self.functional(c)
        everything, stuck = self.spans
        if not functional:
            return "finite"
        if not everything.contains(functional):
            return "not_estimable"
        return "finite" if stuck.contains(functional) else self.infinite(functional).status

    def infinite(self, c: Functional) -> Coefficient:
        """The status of a linear functional that is estimable and not finite."""
        sides = {sign: self._vector(c, sign) for sign in (1, -1)}
        for sign in (1, -1):
            if sides[sign] is None:
                other = self._opposite(c, -sign)
                if isinstance(other, Combination):
                    return Coefficient("-inf" if sign > 0 else "+inf", other)
                sides[sign] = other
        return Coefficient("undetermined", None, (_known(sides[1]), _known(sides[-1])))

    def _vector(self, c: Functional, sign: int) -> int | None:
        """The number of a known vector that moves the functional in this direction."""
        moves = (sign * sum(v[j] * factor for j, factor in c.items()) > 0 for v in self.vectors)
        return next((t for t, is_moved in enumerate(moves) if is_moved), None)

    def _opposite(self, c: Functional, sign: int) -> int | Combination:
        """The number of a new vector v with sign c.v < 0, or the rows that combine to sign c, so that there is none.

        The combination may lack a linear combination of the witness.
        """
        raise NotImplementedError


class Cone(ProvedCone):
    """The directions along which a likelihood never falls, with what is proved of them.

    Parameters
    ----------
    signed : the recession rows
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed. Every method may raise it.
    """

    def __init__(self, signed: Signed, deadline: float) -> None:
        if signed.constant and len(set(signed.y.tolist())) == 1:  # the search between two hulls needs both signs
            signed = with_constant(signed)
        self.deadline = deadline
        equal = contradictions(signed.table, signed.y) if signed.constant else []
        proof = prove(signed, detail=True, epsilon=EPSILON, deadline=deadline, equal=equal)
        if not proof.is_detailed:  # the time was over before all stuck rows were known
            raise OutOfTime
        moving = np.setdiff1d(np.arange(signed.n), proof.stuck)
        witness = Combination(proof.witness.rows, proof.witness.weights)
        super().__init__(signed, [proof.hyperplane or [0] * signed.width], witness, moving, [])
        self._few = self._first_rows(proof)
        self._floats: FewRows | None = None
        self.span = spanning_rows(signed, self._few.tolist(), np.arange(signed.n), deadline) or []

    def _opposite(self, c: Functional, sign: int) -> int | Combination:
        last = np.zeros(self.signed.width)
        last[list(c)] = [-sign * float(factor) for factor in c.values()]
        is_new = True
        while True:
            afford(0.0, self.deadline)
            found = self._guess({j: sign * factor for j, factor in c.items()}) if is_new else None
            found = self._search(last) if found is None else found
            if isinstance(found, Combination):
                return found
            leads, signs = self.signed.leads(found)
            wrong = np.flatnonzero(signs < 0)
            if not len(wrong):
                self.vectors.append(found)
                return len(self.vectors) - 1
            is_new = not np.isin(wrong, self._few).any()  # else the guess was not precise enough
            worst = wrong[np.argsort(leads[wrong], kind="stable")[:MAX_NEW_ROWS]]
            self._few = np.union1d(self._few, worst)

    def _search(self, last: NDArray[np.float64]) -> list[int] | Combination:
        """Some of the few rows that combine to the negative of one more row, or a vector that is positive on it."""
        found = prove(with_row(self.signed, self._few, last), detail=True, epsilon=EPSILON, deadline=self.deadline)
        if not found.is_detailed:
            raise OutOfTime
        weights = dict(zip(found.witness.rows, found.witness.weights, strict=True))
        if weights.pop(len(self._few), None):
            return Combination([int(self._few[t]) for t in weights], list(weights.values()))
        return found.hyperplane

    @np.errstate(all="ignore")
    def _guess(self, c: Functional) -> list[int] | Combination | None:
        """Some of the few rows that combine to c, or a vector that lowers it, if floats find it at once; else None.

        A vector is guessed only if no row is stuck, because it is rounded.
        """
        if self.signed.table.large:
            return None
        if self._floats is None or self._floats.n != len(self._few):
            self._floats = FewRows(with_constant(self.signed.take(self._few)))
        rows = self._floats.rows
        target = np.zeros(self.signed.width)
        target[list(c)] = [float(factor) for factor in c.values()]
        target = np.ldexp(target, -rows.column_powers)
        target = np.ldexp(target, -int(np.frexp(np.abs(target).max())[1]))
        if not np.isfinite(target).all() or np.count_nonzero(target) < len(c):
            return None
        found = self._floats.basis.answer(target)
        if found is None:
            return None
        if found.down is None:
            few, inverse = self._floats, found.inverse
            is_proved = (
                inverse is not None and few.is_exact and are_positive(rows.Z[found.rows], inverse, target, few.error)
            )
            if is_proved or have_positive_weights(few.whole, found.rows, c):
                return Combination([int(self._few[t]) for t in found.rows], None)
            return None
        return None if self.witness.rows else self._mixed(np.ldexp(found.down, -rows.column_powers), c)

    @cached_property
    def _inner(self) -> NDArray[np.float64]:
        """The first vector in floats, in some unit."""
        return np.array(floats_of(self.vectors[0])[0])

    def _mixed(self, down: NDArray[np.float64], c: Functional) -> list[int] | None:
        """A direction that changes the functional, mixed with the first vector so that it lowers no row; or None."""
        inner = self._inner
        factors = np.array([float(c.get(j, 0)) for j in range(self.signed.width)])
        mixed = down - inner * (down @ factors) / (2 * (inner @ factors))
        if not np.isfinite(mixed).all():
            return None
        vector = whole(mixed.tolist())
        return vector if sum(vector[j] * factor for j, factor in c.items()) < 0 else None

    def _first_rows(self, proof: Proof) -> NDArray[Any]:
        """The witness, and moving rows of small lead: where the cone is narrow, these are in the way of vectors."""
        count = ROWS_PER_COLUMN * self.signed.width + MIN_ROWS
        leads = self.signed.leads(self.vectors[0])[0][self.moving]
        near = self.moving[np.argsort(leads, kind="stable")[:count]]
        return np.union1d(np.array(proof.witness.rows, dtype=np.int64), near)


def with_constant(signed: Signed) -> Signed:
    """The rows with the constant as a column."""
    if not signed.constant:
        return signed
    floats, ends = signed.table.floats, np.full((signed.n, 1), signed.constant)
    if scipy.sparse.issparse(floats):
        floats = scipy.sparse.csr_array(scipy.sparse.hstack([floats, ends]))
    else:
        floats = np.hstack([floats, ends])
    return Signed(Table(floats, signed.table.large, None, signed.table.decimal), signed.y, 0.0)


def with_row(signed: Signed, rows: NDArray[Any], last: NDArray[np.float64]) -> Signed:
    """Some rows, with the constant as a column, and one more row without it."""
    part = with_constant(signed.take(rows))
    floats = part.table.floats
    row = scipy.sparse.csr_array(last[np.newaxis]) if scipy.sparse.issparse(floats) else last[np.newaxis]
    table = Table(stacked([floats, row]), part.table.large, None, part.table.decimal)
    return Signed(table, np.append(part.y, np.int8(1)), 0.0)


def _known(number: int | None) -> int:
    if number is None:
        raise AssertionError("both sides were looked for")
    return number
