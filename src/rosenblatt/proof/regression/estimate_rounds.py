"""Which estimates are infinite, for rows that are not in memory?  Some rows are decided, then all rows are tested.

The chosen rows have a cone of directions along which their likelihood never falls, with its proof. The proof is true of
all rows exactly if for all recession rows z (`certificate.regression.check_estimates`)

    v.z >= 0 for each vector v of the proof;
    if v.z = 0 for the first vector, z is a linear combination of the witness;
    z is a linear combination of the rows that span.

A round tests this on all rows, exactly. Rows that break it join the chosen rows, and the next round begins. First the
cone is settled. Then the statuses of the coefficients are found; their vectors are tested in one more round. Each round
adds at least one row, so the procedure ends. The answer depends neither on the chunks nor on the shards.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.regression.check_estimate_parts import renumbered
from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers
from rosenblatt.certificate.regression.recession_rows import ModelForm, Name, Recession, recession_rows
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.certificate.spans.factor_rows import factor_rows
from rosenblatt.certificate.spans.row_span import span_of
from rosenblatt.proof.coefficient_statuses import Coefficient, Kind, ProvedCone
from rosenblatt.proof.decide import Described
from rosenblatt.proof.fixed_effects.cone import cone_of
from rosenblatt.proof.regression.result import Estimates
from rosenblatt.proof.rounds.decide_rounds import ChosenRows, exact_rows
from rosenblatt.proof.rounds.worst_rows import steady_leads, worst_rows

FIRST_ROWS, MIN_NEW_ROWS = 200, 500  # of each outcome in the first round, and that join in a round, at least
ROWS_PER_COEFFICIENT = 4  # in the first round of each outcome, and that join in a round
Rows = NDArray[np.int64]


class RegressionSource(Protocol):
    """Rows of a regression that are not in memory.

    Attributes
    ----------
    n, d : the numbers of rows and of columns
    names : the names of the columns, if they have names
    absent : the numbers of the rows that do not count
    """

    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def absent(self) -> Rows: ...

    def first(self, many: int) -> ChosenRows:
        """The first rows of each outcome, with the codes of their outcomes."""
        ...

    def test(self, test: "ConeTest", words: str, deadline: float) -> Iterable["Found"]:
        """Test a proof on all rows; the answers come in the order of the rows.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        ...

    def numbers_of(self, rows: Rows) -> RecessionNumbers:
        """The numbers of the recession rows of some rows that were chosen before."""
        ...

    def digest(self) -> str:
        """The digest of all rows."""
        ...


class Found(NamedTuple):
    """What a test of a proof found in some consecutive rows."""

    n: int
    against: ChosenRows | None  # the rows that contradict the proof most, or None
    leads: NDArray[np.float64]  # their leads: the smaller, the more they contradict
    separated: NDArray[np.uint8] | None  # which rows the first vector separates, as packed bits; None for none
    has_stuck: bool  # has some recession row the lead 0?
    is_spanned: bool  # is every recession row a linear combination of the chosen rows?


class Outside(NamedTuple):
    """The recession rows of some rows that are no linear combinations: stuck rows of the witness, any of the span."""

    witness: Rows
    span: Rows


@dataclass(frozen=True)
class ConeTest:
    """A proof about some rows, to be tested on others. It can be sent to another process.

    Attributes
    ----------
    form, d : the model, and the number of columns
    vectors : vectors of the cone
    witness : the recession rows of the witness; None to test the vectors only
    span : the rows that span; None if it is known that they span all rows
    """

    form: ModelForm
    d: int
    vectors: list[list[int]]
    witness: Signed | None = None
    span: Signed | None = None

    @classmethod
    def of(cls, cone: ProvedCone, form: ModelForm, signed: Signed, d: int, *, spanned: bool) -> Self:
        """The test of a cone and of its first vector; `spanned` if its rows are known to span all rows."""
        witness, span = (signed.take(np.array(rows, dtype=np.int64)) for rows in (cone.witness.rows, cone.span))
        return cls(form, d, cone.vectors[:1], witness, None if spanned else span)

    @property
    def new_rows(self) -> int:
        """How many rows are chosen by their leads alone."""
        return max(MIN_NEW_ROWS, ROWS_PER_COEFFICIENT * len(self.vectors[0]))

    def look_at(self, start: int, X: Any, codes: NDArray[Any]) -> Found:
        """Test consecutive rows, the first of which has the number `start`."""
        n = X.shape[0]
        found = Found(n, None, np.empty(0), None, has_stuck=False, is_spanned=True)
        if not self.form.outcomes(codes).is_present.any():
            return found
        given = exact_rows(X, codes, self.d, self.form.labels, None)
        rows = recession_rows(given.table, codes, self.form)
        signs = rows.signed.leads(self.vectors[0])[1]
        separated = np.zeros(n, bool)
        separated[rows.numbers[signs > 0]] = True
        outside = self._outside(rows.signed, np.flatnonzero(signs == 0))
        found = found._replace(
            separated=np.packbits(separated) if separated.any() else None,
            has_stuck=bool((signs == 0).any()),
            is_spanned=not len(outside.span),
        )
        lowest = self._lowest_leads(n, rows, signs, outside)
        chosen = np.flatnonzero(lowest < math.inf)
        if not len(chosen):
            return found
        worst = worst_rows(given.table.floats[chosen], lowest[chosen], self.new_rows)
        chosen = chosen[worst]
        return found._replace(against=ChosenRows(X[chosen], codes[chosen], chosen + start), leads=lowest[chosen])

    def _outside(self, signed: Signed, stuck: Rows) -> "Outside":
        """The recession rows that are no linear combinations."""
        none = np.empty(0, np.int64)
        if self.witness is None:
            return Outside(none, none)
        n = self.witness.n
        listed = self.witness if self.span is None else self.witness.joined(self.span)
        together = listed.joined(signed)
        factors = factor_rows(together)
        own = span_of(together, list(range(n)), factors).outside(stuck + listed.n) - listed.n
        if self.span is None:
            return Outside(own, none)
        everything = span_of(together, list(range(n, listed.n)), factors)
        return Outside(own, everything.outside(np.arange(listed.n, together.n)) - listed.n)

    def _lowest_leads(
        self, n: int, rows: Recession, signs: NDArray[np.int8], outside: "Outside"
    ) -> NDArray[np.float64]:
        """For each of n rows of the data, the lowest lead of its recession rows that contradict the proof, or infinity.

        A row that is no linear combination has the lead 0 here.
        """
        lowest = np.full(n, math.inf)
        for places in outside:
            lowest[rows.numbers[places]] = 0.0
        for t, vector in enumerate(self.vectors):
            wrong = np.flatnonzero((rows.signed.leads(vector)[1] if t else signs) < 0)
            np.minimum.at(lowest, rows.numbers[wrong], steady_leads(rows.signed.take(wrong), vector))
        return lowest

    def answer(self, found: Iterable[Found]) -> "Answer":
        """The result for all rows."""
        every = list(found)
        against = [one.against for one in every if one.against is not None]
        if not against:
            return Answer(None, every)
        leads, rows = np.concatenate([one.leads for one in every]), reduce(ChosenRows.joined, against)
        return Answer(rows.take(worst_rows(rows.X, leads, self.new_rows)), every)


class Answer(NamedTuple):
    """The result of testing a proof on all rows."""

    against: ChosenRows | None  # rows that contradict the proof, or None
    found: Sequence[Found]

    @property
    def kind(self) -> Kind:
        """The kind of separation, if the proof is true."""
        if all(one.separated is None for one in self.found):
            return "none"
        return "quasi" if any(one.has_stuck for one in self.found) else "complete"

    @property
    def is_spanned(self) -> bool:
        """Do the chosen rows span all rows?"""
        return all(one.is_spanned for one in self.found)

    def separated(self) -> Rows:
        """The numbers of the rows that are separated."""
        starts = np.cumsum([0, *(one.n for one in self.found)])
        parts = [
            np.flatnonzero(np.unpackbits(one.separated, count=one.n)) + start
            for one, start in zip(self.found, starts, strict=False)
            if one.separated is not None
        ]
        return np.concatenate([np.empty(0, np.int64), *parts])


def estimates_by_rounds(rows: RegressionSource, form: ModelForm, names: list[Name], deadline: float) -> Estimates:
    """The answer of `estimates` about rows that are not in memory.

    Parameters
    ----------
    rows : the rows
    form : the model
    names : the names of the coefficients
    deadline : when to give up, on the monotonic clock
    """
    everything = np.arange(rows.n)
    try:
        proof = _settled(rows, form, len(names), deadline)
    except OutOfTime:
        none, present = everything[:0], np.setdiff1d(everything, rows.absent, assume_unique=True)
        return Estimates("undecided", names, ["undecided"] * len(names), none, present, None, form.model, rows.n)
    separated = proof.answer.separated()
    others = np.union1d(separated, rows.absent)
    return Estimates(
        proof.answer.kind,
        names,
        [coefficient.status for coefficient in proof.coefficients],
        separated,
        np.setdiff1d(everything, others, assume_unique=True),
        _certificate(rows, form, proof),
        form.model,
        rows.n,
    )


class SettledProof(NamedTuple):
    """A proof about the chosen rows that is true of all rows."""

    chosen: ChosenRows
    recession: Recession
    cone: ProvedCone
    coefficients: list[Coefficient]
    answer: Answer


def _settled(rows: RegressionSource, form: ModelForm, width: int, deadline: float) -> SettledProof:
    """Prove, test the proof on all rows, and repeat with the rows that contradict it.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    chosen, spanned = rows.first(max(FIRST_ROWS, ROWS_PER_COEFFICIENT * width)), False
    while True:
        afford(0.0, deadline)
        given = exact_rows(chosen.X, chosen.codes, rows.d, form.labels, rows.names)
        recession = recession_rows(given.table, chosen.codes, form)
        cone, words = cone_of(recession.signed, deadline), f"the proof for {len(chosen.numbers):,} rows"
        test = ConeTest.of(cone, form, recession.signed, rows.d, spanned=spanned)
        answer = test.answer(rows.test(test, f"all rows are tested against {words}", deadline))
        new, spanned = answer.against, spanned or answer.is_spanned
        if new is None:
            coefficients = _with_used_vectors(cone, cone.coefficients())
            new = _against_vectors(rows, test, cone.vectors[1:], words, deadline)
            if new is None:
                return SettledProof(chosen, recession, cone, coefficients, answer)
        before, chosen = len(chosen.numbers), chosen.joined(new)
        if len(chosen.numbers) == before:
            raise AssertionError("the proof is not true of the chosen rows")


def _with_used_vectors(cone: ProvedCone, found: list[Coefficient]) -> list[Coefficient]:
    """Leave out the vectors that no coefficient needs; they might contradict other rows."""
    used = sorted({0}.union(*(one.vectors for one in found if one.vectors is not None)))
    cone.vectors[:] = [cone.vectors[t] for t in used]
    place = {t: at for at, t in enumerate(used)}
    return [
        one if one.vectors is None else one._replace(vectors=(place[one.vectors[0]], place[one.vectors[1]]))
        for one in found
    ]


def _against_vectors(
    rows: RegressionSource, test: ConeTest, vectors: list[list[int]], words: str, deadline: float
) -> ChosenRows | None:
    """The rows that contradict the vectors of the coefficients, or None."""
    if not vectors:
        return None
    again = ConeTest(test.form, test.d, vectors)
    return again.answer(rows.test(again, f"all rows are tested against the signs in {words}", deadline)).against


def _certificate(rows: RegressionSource, form: ModelForm, proof: SettledProof) -> Certificate:
    """The certificate. It numbers recession rows among those of all rows."""
    numbers = rows.numbers_of(proof.chosen.numbers).every().tolist()
    part = renumbered(proof.cone.to_part(proof.coefficients), numbers) | {"kind": proof.answer.kind}
    table = Described(rows.n, rows.d, rows.names, decimal=False, fingerprint=rows.digest())
    no_codes = np.empty(0, np.uint32)  # the digest was taken of them
    about = {"model": form.model, "reference": form.reference}
    classes = range(len(form.labels))
    return Certificate.of("estimates", table, no_codes, form.labels, classes, form.constant, about, estimates=part)
