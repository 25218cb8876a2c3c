"""Is data linearly separable that is not in memory?  Some rows are decided exactly, then all rows are tested.

If the chosen rows cannot be separated, all rows cannot, and the same witness proves it. If a hyperplane separates the
chosen rows, a round tests it on all rows, exactly. The rows on the wrong side join the chosen rows, and the next round
begins. Each round is one pass over a stream, or one question to all shards of a cluster. It adds at least one row, so
the procedure ends. The answer depends neither on the chunks nor on the shards.
"""

import functools
import itertools
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.base.exact import root_below, text_of, whole
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import View, view
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import outside_span
from rosenblatt.data.matrices import stacked
from rosenblatt.data.streams.chunk import as_wide
from rosenblatt.proof.decide import EPSILON, Described, Labelled, evidence
from rosenblatt.proof.prove import Proof, not_strict, prove
from rosenblatt.proof.rounds.worst_rows import steady_leads
from rosenblatt.proof.verdict import Verdict, VerdictKind, WeightedRows

FIRST_ROWS = 200  # rows of each class in the first round
MAX_NEW_ROWS = 500  # rows that join in a round


class ChosenRows(NamedTuple):
    """Some rows in memory, in the order of their numbers."""

    X: Any
    codes: NDArray[Any]
    numbers: NDArray[Any]

    def joined(self, other: "ChosenRows") -> "ChosenRows":
        """The rows of both, each row once."""
        numbers, first = np.unique(np.concatenate([self.numbers, other.numbers]), return_index=True)
        d = max(self.X.shape[1], other.X.shape[1])
        X = stacked([as_wide(self.X, d), as_wide(other.X, d)])
        return ChosenRows(X[first], np.concatenate([self.codes, other.codes])[first], numbers)

    def take(self, places: NDArray[Any]) -> "ChosenRows":
        return ChosenRows(self.X[places], self.codes[places], self.numbers[places])


class Found(NamedTuple):
    """What a test of a proof found in some consecutive rows."""

    n: int
    against: ChosenRows | None  # the rows that contradict the proof most, or None
    leads: NDArray[np.float64]  # their leads: the smaller, the more they contradict
    least: Fraction | None  # the smallest lead, if it is below the bar
    stuck: NDArray[Any] | None  # the rows that lie on every hyperplane without errors; None for all


class RowSource(Protocol):
    """Rows that are not in memory.

    Attributes
    ----------
    labels, counts : the labels, and the number of rows of each class
    names : the names of the columns
    d : the number of columns
    """

    @property
    def labels(self) -> list[Any]: ...
    @property
    def counts(self) -> Sequence[int]: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def d(self) -> int: ...

    def first(self, many: int) -> ChosenRows:
        """The first rows of each class."""
        ...

    def codes_of(self, rows: Sequence[int]) -> list[int]:
        """The classes of some rows that were chosen before."""
        ...

    def test(self, test: "ProofTest", words: str, deadline: float) -> Iterable[Found]:
        """Test a proof on all rows; the answers come in the order of the rows.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        ...

    def digest(self) -> str:
        """The digest of all rows."""
        ...


@dataclass(frozen=True)
class ProofTest:
    """A proof about some rows, to be tested on others. It can be sent to another process.

    Attributes
    ----------
    proof : the proof
    seen : the signed rows that it is about
    between, constant : the classes and the constant of the question
    labels, names, d : the labels, and the names and the number of the columns
    bar : for a strict separation, the smallest lead so far
    """

    proof: Proof
    seen: View
    between: Sequence[int]
    constant: float
    labels: list[Any]
    names: list[str] | None
    d: int
    bar: Fraction

    @classmethod
    def of(cls, found: "Round", question: "Question") -> "ProofTest":
        """The test of the proof of a round."""
        proof, seen = found.proof._replace(search=None), found.seen
        is_strict = bool(proof.hyperplane) and not proof.witness.rows
        bar = seen.signed.smallest_lead(proof.hyperplane) if is_strict else Fraction(0)
        rows = question.rows
        return cls(proof, seen, question.between, question.constant, rows.labels, rows.names, rows.d, bar)

    @property
    def is_strict(self) -> bool:
        return bool(self.proof.hyperplane) and not self.proof.witness.rows

    def look_at(self, start: int, X: Any, codes: NDArray[Any]) -> Found:
        """Test consecutive rows, the first of which has the number `start`."""
        given = exact_rows(X, codes, self.d, self.labels, self.names)
        part = view(given.table, given.codes, self.between, self.constant)
        wrong, leads = self._wrong(part)
        least, against, stuck = None, None, np.empty(0, np.int64)
        if len(wrong):
            if self.is_strict:
                least = part.signed.take(wrong).smallest_lead(self.proof.hyperplane)
            rows, places = np.unique(part.numbers[wrong], return_inverse=True)
            lowest = np.full(len(rows), math.inf)
            np.minimum.at(lowest, places, leads)
            worst = np.sort(np.argsort(lowest, kind="stable")[:MAX_NEW_ROWS])
            rows, leads = rows[worst], lowest[worst]
            against = ChosenRows(X[rows], codes[rows], rows + start)
        if self.proof.witness.rows:
            inside = np.setdiff1d(np.arange(part.signed.n), self._outside(part))
            stuck = np.unique(part.numbers[inside]) + start
        n = X.shape[0]
        return Found(n, against, leads if len(wrong) else np.empty(0), least, None if len(stuck) == n else stuck)

    def answer(self, found: Iterable[Found]) -> "Answer":
        """The result for all rows."""
        every = list(found)
        against, leads = [one.against for one in every if one.against is not None], [one.leads for one in every]
        least = min([self.bar, *(one.least for one in every if one.least is not None)])
        stuck = _all_stuck(every) if self.proof.witness.rows else np.empty(0, np.int64)
        if not against or not self._matters(least):
            return Answer(None, least, stuck)
        worst = np.argsort(np.concatenate(leads), kind="stable")[:MAX_NEW_ROWS]
        return Answer(functools.reduce(ChosenRows.joined, against).take(np.sort(worst)), least, stuck)

    def _matters(self, least: Fraction) -> bool:
        """Do the rows found change the verdict, or the margin by more than EPSILON of it?"""
        return not self.is_strict or least <= 0 or least < self.bar * (1 - Fraction(EPSILON))

    def _wrong(self, part: View) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The signed rows that contradict the proof, and their leads."""
        if self.proof.hyperplane:
            wrong = np.flatnonzero(part.signed.leads(self.proof.hyperplane, self.bar)[1] < 0)
            return wrong, steady_leads(part.signed.take(wrong), self.proof.hyperplane)
        outside = self._outside(part)
        return outside, np.zeros(len(outside))

    def _outside(self, part: View) -> NDArray[Any]:
        """The signed rows that are not linear combinations of the witness."""
        witness = self.seen.signed.take(np.array(self.proof.witness.rows))
        n, together = witness.n, witness.joined(part.signed)
        return outside_span(together, list(range(n)), np.arange(n, n + part.signed.n)) - n


class Round(NamedTuple):
    """A proof about the chosen rows."""

    chosen: ChosenRows
    given: Labelled
    seen: View
    proof: Proof


class Answer(NamedTuple):
    """The result of testing a proof on all rows."""

    against: ChosenRows | None  # rows that contradict the proof, or None
    least: Fraction  # the smallest lead, for a strict separation
    stuck: NDArray[Any]  # the rows that lie on every hyperplane without errors


def exact_rows(X: Any, codes: NDArray[Any], d: int, labels: list[Any], names: list[str] | None) -> Labelled:
    """Rows as an exact table."""
    X = as_wide(X, d)
    sparse = scipy.sparse.issparse(X)
    floats = scipy.sparse.csr_array(X).astype(np.float64) if sparse else np.asarray(X, np.float64)
    return Labelled(Table(floats, {}, names), codes, labels)


def certificate_of(
    rows: RowSource, claim: str, between: Sequence[int], constant: float, **parts: dict[str, Any]
) -> Certificate:
    """A certificate about all rows; one more round takes their digest."""
    table = Described(sum(rows.counts), rows.d, rows.names, decimal=False, fingerprint=rows.digest())
    no_codes = np.empty(0, np.uint32)  # the digest was taken of them
    return Certificate.of(claim, table, no_codes, rows.labels, list(between), constant, **parts)


def _all_stuck(found: Sequence[Found]) -> NDArray[Any]:
    """The numbers of all rows that are stuck."""
    ends = np.cumsum([one.n for one in found])
    parts = [
        np.arange(end - one.n, end) if one.stuck is None else one.stuck for one, end in zip(found, ends, strict=True)
    ]
    return np.concatenate(parts)


def decide_by_rounds(rows: RowSource, *, detail: bool, through_origin: bool, deadline: float) -> Verdict:
    """The verdict of `separability` on rows that are not in memory."""
    constant, first = 0.0 if through_origin else 1.0, rows.first(FIRST_ROWS)
    k = len(rows.labels)
    joint_question = Question(rows, first, range(k), constant, detail)
    if k == 2:
        return joint_question.decide(deadline)
    now = time.monotonic()
    half = now + (deadline - now) / 2
    pairs = {
        (a, b): Question(rows, first, (a, b), constant, detail).decide(half)
        for a, b in itertools.combinations(range(k), 2)
    }
    mixed = next((pair for pair, found in pairs.items() if found.witness is not None), None)
    if mixed is not None and not detail:
        joint = joint_question.decided_by(mixed, pairs[mixed])
    else:
        joint = joint_question.decide(deadline)
        if mixed is not None and joint.kind == "undecided":
            joint = joint_question.decided_by(mixed, pairs[mixed])
    return replace(joint, pairs={(rows.labels[a], rows.labels[b]): found for (a, b), found in pairs.items()})


class Question(NamedTuple):
    """The question whether some classes are separable.

    Attributes
    ----------
    rows : all rows
    first : the first rows of each class
    between : the numbers of the classes
    constant : the constant at the end of each row; 0 for hyperplanes through the origin
    detail : distinguish weak separation from overlap?
    """

    rows: RowSource
    first: ChosenRows
    between: Sequence[int]
    constant: float
    detail: bool

    def decide(self, deadline: float) -> Verdict:
        """Prove, test the proof on all rows, and repeat with the rows that contradict it.

        At the deadline a witness among the chosen rows is still a proof: no hyperplane separates all rows strictly.
        """
        chosen, found = self.first, None
        while True:
            try:
                afford(0.0, deadline)
                found = self._prove(chosen, deadline)
                answer = self._ask_all(found, deadline)
            except OutOfTime:
                if found is None or not found.proof.witness.rows:
                    return Verdict("undecided", **self._about)
                found = found._replace(proof=not_strict(found.proof.witness))
                answer = self._ask_all(found, math.inf)  # which takes no pass
            if answer.against is None:
                return self._verdict(found, answer)
            chosen = chosen.joined(answer.against)

    def decided_by(self, pair: tuple[int, int], found: Verdict) -> Verdict:
        """The verdict on all classes that a witness of two of them proves: its rows, compared with the other class."""
        rows, shares, _ = found.witness  # type: ignore[misc]
        against = [pair[1] if code == pair[0] else pair[0] for code in self.rows.codes_of(rows)]
        part = {"rows": rows, "weights": [text_of(weight) for weight in whole(shares)], "against": against}
        witness = WeightedRows(rows, shares, [self.rows.labels[c] for c in against])
        return self._certified("not_strict", {"witness": part}, {"witness": witness, "stuck": np.unique(rows)})

    @property
    def _about(self) -> dict[str, Any]:
        """The facts of a verdict that do not depend on the answer."""
        return {
            "classes": [self.rows.labels[c] for c in self.between],
            "feature_names": self.rows.names,
            "n": sum(self.rows.counts[c] for c in self.between),
            "through_origin": not self.constant,
        }

    def _prove(self, chosen: ChosenRows, deadline: float) -> Round:
        rows = self.rows
        given = exact_rows(chosen.X, chosen.codes, rows.d, rows.labels, rows.names)
        seen = view(given.table, given.codes, self.between, self.constant)
        return Round(chosen, given, seen, prove(seen.signed, detail=self.detail, epsilon=EPSILON, deadline=deadline))

    def _ask_all(self, found: Round, deadline: float) -> Answer:
        """One round: is the proof true of all rows?  A witness alone needs none.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        proof, seen, numbers = found.proof, found.seen, found.chosen.numbers
        if not proof.is_detailed:
            return Answer(None, Fraction(0), np.unique(numbers[seen.numbers[proof.witness.rows]]))
        test = ProofTest.of(found, self)
        return test.answer(
            self.rows.test(test, f"all rows are tested against the proof for {len(numbers)} rows", deadline)
        )

    def _verdict(self, found: Round, answer: Answer) -> Verdict:
        """The verdict on all rows, from a proof that is true of all of them."""
        proof = found.proof
        kind: VerdictKind = proof.kind
        parts, facts = evidence(proof, found.seen, found.given, found.chosen.numbers)
        if "margin" in parts or "margin_bounds" in facts:
            weights = proof.hyperplane[: self.rows.d] if self.constant else proof.hyperplane
            lower = root_below(answer.least**2 / sum(number * number for number in weights))
            facts["margin_bounds"] = lower, facts["margin_bounds"][1]
            if "margin" in parts:
                parts["margin"]["lower"] = lower
        if proof.witness.rows:
            facts["stuck"] = answer.stuck
        return self._certified(kind, parts, facts)

    def _certified(self, kind: VerdictKind, parts: dict[str, Any], facts: dict[str, Any]) -> Verdict:
        """The verdict with its certificate."""
        certificate = certificate_of(self.rows, kind, self.between, self.constant, **parts)
        return Verdict(kind, certificate=certificate, **facts, **self._about)
