"""Is the data of a stream linearly separable?  Some of its rows are decided exactly, then all rows are tested.

If the chosen rows cannot be separated, all rows cannot, and the same witness proves it. If a hyperplane separates the
chosen rows, a pass over the stream tests it on all rows, exactly. The rows on the wrong side join the chosen rows, and
the next round begins. Each round is one pass and adds at least one row, so the procedure ends.
"""

import functools
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.base.events import chunks_of
from rosenblatt.base.exact import root_below, text_of, whole
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import View, view
from rosenblatt.certificate.exact_table import Table, digest_of
from rosenblatt.certificate.signed_rows import outside_span
from rosenblatt.data.matrices import stacked
from rosenblatt.data.streams.chunk import Chunk, as_wide
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError
from rosenblatt.proof.decide import EPSILON, Labelled, evidence
from rosenblatt.proof.prove import Proof, not_strict, prove
from rosenblatt.proof.verdict import Verdict, VerdictKind, WeightedRows

FIRST_ROWS = 200  # rows of each class in the first round
MAX_NEW_ROWS = 500  # rows that join in a round


class ChosenRows(NamedTuple):
    """Rows of a stream in memory, in the order of their numbers."""

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


class StreamTable(NamedTuple):
    """The size, names and digest of a stream, for its certificate."""

    stream: Stream
    n: int

    @property
    def d(self) -> int:
        return self.stream.n_columns_

    @property
    def names(self) -> list[str] | None:
        return self.stream.feature_names_

    @property
    def decimal(self) -> bool:
        return False

    def digest(self, codes: NDArray[Any]) -> str:
        """The digest of all rows, by one more pass over the stream."""
        chunks = chunks_of(self.stream, "verdict", "a last pass takes the fingerprint of all rows")
        return digest_of((chunk.X for chunk in chunks), self.n, self.d, {}, codes)


class FirstPass(NamedTuple):
    """What the first pass over a stream finds."""

    chosen: ChosenRows  # the first rows of each class
    codes: NDArray[np.uint32]  # the class of every row
    labels: list[Any]


def stream_separability(stream: Stream, *, detail: bool, through_origin: bool, deadline: float) -> Verdict:
    """The verdict of `separability` on the rows of a stream."""
    constant = 0.0 if through_origin else 1.0
    first = _first_pass(stream)
    k = len(first.labels)
    joint_question = StreamQuestion(stream, first, range(k), constant, detail)
    if k == 2:
        return joint_question.decide(deadline)
    now = time.monotonic()
    half = now + (deadline - now) / 2
    pairs = {
        (a, b): StreamQuestion(stream, first, (a, b), constant, detail).decide(half)
        for a, b in itertools.combinations(range(k), 2)
    }
    mixed = next((pair for pair, found in pairs.items() if found.witness is not None), None)
    if mixed is not None and not detail:
        joint = joint_question.decided_by(mixed, pairs[mixed])
    else:
        joint = joint_question.decide(deadline)
        if mixed is not None and joint.kind == "undecided":
            joint = joint_question.decided_by(mixed, pairs[mixed])
    return replace(joint, pairs={(first.labels[a], first.labels[b]): found for (a, b), found in pairs.items()})


def _first_pass(stream: Stream) -> FirstPass:
    """Count the rows, and choose the first of each class."""
    chosen: ChosenRows | None = None
    codes, start = list[NDArray[np.uint32]](), 0
    for chunk in chunks_of(stream, "verdict", "a first pass counts the rows"):
        k = len(stream.header.classes)
        counts = np.zeros(k, np.int64) if chosen is None else np.bincount(chosen.codes, minlength=k)
        few = np.concatenate([np.flatnonzero(chunk.codes == c)[: max(0, FIRST_ROWS - counts[c])] for c in range(k)])
        new = ChosenRows(chunk.X[few], chunk.codes[few], few + start)
        chosen = new if chosen is None else chosen.joined(new)
        codes.append(chunk.codes.astype(np.uint32))
        start += len(chunk.codes)
    if chosen is None:
        raise DataError(f"{stream.places[0].name}: it has no rows.")
    labels, every = stream.header.classes.tolist(), np.concatenate(codes)
    for code in np.setdiff1d(np.arange(len(labels)), every).tolist():
        raise DataError(f"{stream.places[0].name}: there is no row of class {labels[code]!r}; leave it out of classes.")
    return FirstPass(chosen.joined(chosen), every, labels)


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


class StreamQuestion(NamedTuple):
    """The question whether some classes of a stream are separable.

    Attributes
    ----------
    stream : the rows
    first : what the first pass found
    between : the numbers of the classes
    constant : the constant at the end of each row; 0 for hyperplanes through the origin
    detail : distinguish weak separation from overlap?
    """

    stream: Stream
    first: FirstPass
    between: Sequence[int]
    constant: float
    detail: bool

    def decide(self, deadline: float) -> Verdict:
        """Prove, test the proof on all rows, and repeat with the rows that contradict it.

        At the deadline a witness among the chosen rows is still a proof: no hyperplane separates all rows strictly.
        """
        chosen, found = self.first.chosen, None
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
        codes = self.first.codes
        against = [pair[1] if codes[i] == pair[0] else pair[0] for i in rows]
        part = {"rows": rows, "weights": [text_of(weight) for weight in whole(shares)], "against": against}
        witness = WeightedRows(rows, shares, [self.first.labels[c] for c in against])
        return self._certified("not_strict", {"witness": part}, {"witness": witness, "stuck": np.unique(rows)})

    @property
    def _about(self) -> dict[str, Any]:
        """The facts of a verdict that do not depend on the answer."""
        return {
            "classes": [self.first.labels[c] for c in self.between],
            "feature_names": self.stream.feature_names_,
            "n": int(np.isin(self.first.codes, self.between).sum()),
            "through_origin": not self.constant,
        }

    def _prove(self, chosen: ChosenRows, deadline: float) -> Round:
        given = self._labelled(chosen.X, chosen.codes)
        seen = view(given.table, given.codes, self.between, self.constant)
        return Round(chosen, given, seen, prove(seen.signed, detail=self.detail, epsilon=EPSILON, deadline=deadline))

    def _labelled(self, X: Any, codes: NDArray[Any]) -> Labelled:
        """Rows of the stream as an exact table."""
        X = as_wide(X, self.stream.n_columns_)
        sparse = scipy.sparse.issparse(X)
        floats = scipy.sparse.csr_array(X).astype(np.float64) if sparse else np.asarray(X, np.float64)
        return Labelled(Table(floats, {}, self.stream.feature_names_), codes, self.first.labels)

    def _ask_all(self, found: Round, deadline: float) -> Answer:
        """One pass over the stream: is the proof true of all rows?  A witness alone needs no pass.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        proof, seen, numbers = found.proof, found.seen, found.chosen.numbers
        if not proof.is_detailed:
            return Answer(None, Fraction(0), np.unique(numbers[seen.numbers[proof.witness.rows]]))
        test = ProofTest(proof, seen)
        start = 0
        for chunk in chunks_of(
            self.stream, "verdict", f"all rows are tested against the proof for {len(numbers)} rows"
        ):
            afford(0.0, deadline)
            given = self._labelled(chunk.X, chunk.codes)
            test.add(start, chunk, view(given.table, given.codes, self.between, self.constant))
            start += len(chunk.codes)
        return test.answer()

    def _verdict(self, found: Round, answer: Answer) -> Verdict:
        """The verdict on all rows, from a proof that is true of all of them."""
        proof = found.proof
        kind: VerdictKind = proof.kind
        parts, facts = evidence(proof, found.seen, found.given, found.chosen.numbers)
        if "margin" in parts or "margin_bounds" in facts:
            weights = proof.hyperplane[: self.stream.n_columns_] if self.constant else proof.hyperplane
            lower = root_below(answer.least**2 / sum(number * number for number in weights))
            facts["margin_bounds"] = lower, facts["margin_bounds"][1]
            if "margin" in parts:
                parts["margin"]["lower"] = lower
        if proof.witness.rows:
            facts["stuck"] = answer.stuck
        return self._certified(kind, parts, facts)

    def _certified(self, kind: VerdictKind, parts: dict[str, Any], facts: dict[str, Any]) -> Verdict:
        """The verdict with its certificate, for which a pass over the stream takes the fingerprint."""
        codes, table = self.first.codes, StreamTable(self.stream, len(self.first.codes))
        certificate = Certificate.of(kind, table, codes, self.first.labels, list(self.between), self.constant, **parts)
        return Verdict(kind, certificate=certificate, **facts, **self._about)


class ProofTest:
    """Tests a proof about some rows on all rows, chunk by chunk."""

    def __init__(self, proof: Proof, seen: View) -> None:
        self._proof, self._seen = proof, seen
        self._is_strict = bool(proof.hyperplane) and not proof.witness.rows
        least = seen.signed.smallest_lead(proof.hyperplane) if self._is_strict else 0
        self._bar = self._smallest = Fraction(least)
        self._leads: list[NDArray[np.float64]] = []
        self._against: list[ChosenRows] = []
        self._stuck: list[NDArray[Any]] = []

    def add(self, start: int, chunk: Chunk, part: View) -> None:
        """Test the rows of a chunk, whose first row has the number `start`."""
        wrong, leads = self._wrong(part)
        if len(wrong):
            if self._is_strict:
                smallest = part.signed.take(wrong).smallest_lead(self._proof.hyperplane)
                self._smallest = min(self._smallest, smallest)
            rows, places = np.unique(part.numbers[wrong], return_inverse=True)
            lowest = np.full(len(rows), math.inf)
            np.minimum.at(lowest, places, leads)
            self._leads.append(lowest)
            self._against.append(ChosenRows(chunk.X[rows], chunk.codes[rows], rows + start))
        if self._proof.witness.rows:
            stuck = np.setdiff1d(np.arange(part.signed.n), self._outside(part))
            self._stuck.append(start + np.unique(part.numbers[stuck]))

    def answer(self) -> Answer:
        """The result, after all chunks."""
        stuck = np.concatenate(self._stuck) if self._stuck else np.empty(0, np.int64)
        if not self._against or not self._matters():
            return Answer(None, self._smallest, stuck)
        against = functools.reduce(ChosenRows.joined, self._against)
        worst = np.argsort(np.concatenate(self._leads), kind="stable")[:MAX_NEW_ROWS]
        return Answer(against.take(np.sort(worst)), self._smallest, stuck)

    def _matters(self) -> bool:
        """Do the rows found change the verdict, or the margin by more than EPSILON of it?"""
        if self._proof.witness.rows:
            return True
        return self._smallest <= 0 or self._smallest < self._bar * (1 - Fraction(EPSILON))

    def _wrong(self, part: View) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The signed rows that contradict the proof, and their leads: the smaller, the more."""
        if self._proof.hyperplane:
            leads, signs = part.signed.leads(self._proof.hyperplane, self._bar)
            wrong = np.flatnonzero(signs < 0)
            return wrong, leads[wrong]
        outside = self._outside(part)
        return outside, np.zeros(len(outside))

    def _outside(self, part: View) -> NDArray[Any]:
        """The signed rows that are not linear combinations of the witness."""
        witness = self._seen.signed.take(np.array(self._proof.witness.rows))
        floats = stacked([witness.table.floats, part.signed.table.floats])
        y = np.concatenate([witness.y, part.signed.y])
        together = replace(witness, table=Table(floats, {}), y=y)
        n = witness.n
        return outside_span(together, list(range(n)), np.arange(n, n + part.signed.n)) - n
