"""Is the data of a stream linearly separable?  A few of its rows are decided exactly, and all rows asked to agree.

If the chosen rows cannot be separated, all cannot, and the same witness proves it. If a hyperplane separates them, a
pass over the stream tests it on all rows, exactly; those on the wrong side join the chosen ones, and it is asked again.
Each round is one pass, and adds a row at least, so that it ends.
"""

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.events import chunks_of
from rosenblatt.base.exact import root_below
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.claims import View, view
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import outside_span
from rosenblatt.data.matrices import stacked
from rosenblatt.data.streams.chunk import as_wide
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError
from rosenblatt.proof.decide import EPSILON, Labelled, deadline_of, evidence
from rosenblatt.proof.exact_search import OutOfTime
from rosenblatt.proof.prove import Proof, prove
from rosenblatt.proof.verdict import Verdict

BEGIN = 200  # rows of each class to begin with
MORE = 500  # rows that join in a round, at most


class Chosen(NamedTuple):
    """Rows of a stream in memory, in the order of their numbers."""

    X: Any
    codes: NDArray[Any]
    numbers: NDArray[Any]

    def joined(self, other: "Chosen") -> "Chosen":
        """Both, each row once."""
        numbers, first = np.unique(np.concatenate([self.numbers, other.numbers]), return_index=True)
        d = max(self.X.shape[1], other.X.shape[1])
        X = stacked([as_wide(self.X, d), as_wide(other.X, d)])
        return Chosen(X[first], np.concatenate([self.codes, other.codes])[first], numbers)

    def labelled(self, d: int, labels: list[Any], names: list[str] | None) -> Labelled:
        floats = as_wide(self.X, d)
        floats = (
            scipy.sparse.csr_array(floats).astype(np.float64)
            if scipy.sparse.issparse(floats)
            else np.asarray(floats, np.float64)
        )
        return Labelled(Table(floats, {}, names), self.codes, labels)


class Walked(Table):
    """A table that is read from a stream, to be fingerprinted."""

    def __init__(self, stream: Stream, n: int) -> None:
        object.__setattr__(self, "stream", stream)
        object.__setattr__(self, "rows", n)
        object.__setattr__(self, "large", {})
        object.__setattr__(self, "names", stream.names_)

    stream: Stream
    rows: int

    @property
    def n(self) -> int:
        return self.rows

    @property
    def d(self) -> int:
        return self.stream.n_columns_

    def blocks(self) -> Iterator[tuple[int, Any]]:
        start = 0
        for chunk in chunks_of(self.stream, "verdict", "a last pass takes the fingerprint of all rows"):
            yield start, chunk.X
            start += len(chunk.codes)


class Census(NamedTuple):
    """What a first pass tells."""

    begin: Chosen
    codes: NDArray[np.uint32]  # of all rows
    labels: list[Any]


def stream_separability(stream: Stream, *, detail: bool, bias: bool, budget: float | None) -> Verdict:
    """What `separability` says of the rows of a stream."""
    deadline, constant = deadline_of(budget), 1.0 if bias else 0.0
    census = _census(stream)
    k = len(census.labels)
    joint = _decide(stream, census, range(k), constant, detail, deadline)
    if k == 2:
        return joint
    pairs = {
        (census.labels[a], census.labels[b]): _decide(stream, census, (a, b), constant, detail, deadline)
        for a, b in itertools.combinations(range(k), 2)
    }
    return replace(joint, pairs=pairs)


def _census(stream: Stream) -> Census:
    """Count the rows, and choose the first of each class."""
    begin: Chosen | None = None
    codes, start = [], 0
    for chunk in chunks_of(stream, "verdict", "a first pass counts the rows"):
        k = len(stream.header.classes)
        counts = np.zeros(k, np.int64) if begin is None else np.bincount(begin.codes, minlength=k)
        few = np.concatenate(
            [np.flatnonzero(chunk.codes == c)[: max(0, BEGIN - counts[c])] for c in range(len(counts))]
        )
        new = Chosen(chunk.X[few], chunk.codes[few], few + start)
        begin = new if begin is None else begin.joined(new)
        codes.append(chunk.codes.astype(np.uint32))
        start += len(chunk.codes)
    assert begin is not None  # noqa: S101
    labels, every = stream.header.classes.tolist(), np.concatenate(codes)
    for code in np.setdiff1d(np.arange(len(labels)), every).tolist():
        raise DataError(f"{stream.places[0].name}: there is no row of class {labels[code]!r}; leave it out of classes.")
    return Census(begin.joined(begin), every, labels)


def _decide(
    stream: Stream, census: Census, between: Sequence[int], constant: float, detail: bool, deadline: float
) -> Verdict:
    chosen, d = census.begin, stream.n_columns_
    of = np.isin(census.codes, between)
    common: dict[str, Any] = {
        "classes": [census.labels[c] for c in between],
        "names": stream.names_,
        "n": int(of.sum()),
        "through_origin": not constant,
    }
    while True:
        given = chosen.labelled(d, census.labels, stream.names_)
        seen = view(given.table, given.codes, between, constant)
        try:
            proof = prove(seen.signed, detail=detail, epsilon=EPSILON, deadline=deadline)
        except OutOfTime:
            return Verdict("undecided", **common)
        answer = _ask_all(stream, census, between, constant, proof, seen, chosen.numbers, detail)
        if answer.against is None:
            break
        if time.monotonic() > deadline:
            return Verdict("undecided", **common)
        chosen = chosen.joined(answer.against)
    kind = proof.kind if detail or proof.kind == "strict" else "not_strict"
    parts, facts = evidence(proof, seen, given, chosen.numbers)
    if "margin" in parts or "margin_bounds" in facts:
        square = sum(number * number for number in (proof.hyperplane[:d] if constant else proof.hyperplane))
        lower = root_below(answer.least**2 / square)
        facts["margin_bounds"] = lower, facts["margin_bounds"][1]
        if "margin" in parts:
            parts["margin"]["lower"] = lower
    if proof.witness.rows:
        facts["stuck"] = answer.stuck
    table = Walked(stream, len(census.codes))
    certificate = Certificate.of(kind, table, census.codes, census.labels, list(between), constant, **parts)
    return Verdict(kind, certificate=certificate, **facts, **common)


class Answer(NamedTuple):
    """What all rows say to a proof about some: rows that are against it; else the smallest lead, and rows it keeps."""

    against: Chosen | None
    least: Fraction
    stuck: NDArray[Any]


def _ask_all(
    stream: Stream,
    census: Census,
    between: Sequence[int],
    constant: float,
    proof: Proof,
    seen: View,
    numbers: NDArray[Any],
    detail: bool,
) -> Answer:
    """One pass: is the proof true of all rows?"""
    if proof.witness.rows and not detail:
        return Answer(None, Fraction(0), np.unique(numbers[seen.numbers[proof.witness.rows]]))
    start, stuck = 0, list[NDArray[Any]]()
    least = proof.hyperplane and not proof.witness.rows and seen.signed.smallest_lead(proof.hyperplane)
    smallest = Fraction(least) if least else Fraction(0)
    bar = smallest
    against: list[tuple[NDArray[np.float64], Chosen]] = []
    for chunk in chunks_of(stream, "verdict", f"all rows are held against the proof for {len(numbers)}"):
        own = Chosen(chunk.X, chunk.codes, np.arange(len(chunk.codes)) + start)
        given = own.labelled(stream.n_columns_, census.labels, None)
        part = view(given.table, given.codes, between, constant)
        wrong, order = _wrong(proof, seen, part, bar)
        if proof.hyperplane and not proof.witness.rows and len(wrong):
            smallest = min(smallest, part.signed.take(wrong).smallest_lead(proof.hyperplane))
        if len(wrong):
            rows = np.unique(part.numbers[wrong])
            worst = {int(row): math.inf for row in rows}
            for row, lead in zip(part.numbers[wrong].tolist(), order.tolist(), strict=True):
                worst[row] = min(worst[row], lead)
            against.append(
                (np.array([worst[int(row)] for row in rows]), Chosen(chunk.X[rows], chunk.codes[rows], rows + start))
            )
        if proof.witness.rows:
            stuck.append(start + _stuck(proof, seen, part))
        start += len(chunk.codes)
    rows_stuck = np.concatenate(stuck) if stuck else np.empty(0, np.int64)
    if not against or not _matters(proof, smallest, bar):
        return Answer(None, smallest, rows_stuck)
    leads = np.concatenate([lead for lead, _ in against])
    joined = against[0][1]
    for _, more in against[1:]:
        joined = joined.joined(more)
    few = np.sort(np.argsort(leads, kind="stable")[:MORE])
    return Answer(Chosen(joined.X[few], joined.codes[few], joined.numbers[few]), smallest, rows_stuck)


def _matters(proof: Proof, smallest: Fraction, bar: Fraction) -> bool:
    """Of a strict separation: is a row on its wrong side, or so near that the margin is less than was thought?"""
    if proof.witness.rows:
        return True
    return smallest <= 0 or smallest < bar * (1 - Fraction(EPSILON))


def _wrong(proof: Proof, seen: View, part: View, bar: Fraction) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Signed rows of a chunk that are against the proof, and how much, the smaller the more."""
    if proof.hyperplane:
        less = Fraction(0) if proof.witness.rows else bar
        leads, signs = part.signed.leads(proof.hyperplane, less)
        wrong = np.flatnonzero(signs < 0)
        return wrong, leads[wrong]
    outside = _outside(proof, seen, part)
    return outside, np.zeros(len(outside))


def _outside(proof: Proof, seen: View, part: View) -> NDArray[Any]:
    """Signed rows of a chunk that are no combination of the witness."""
    witness = seen.signed.take(np.array(proof.witness.rows))
    floats = stacked([witness.table.floats, part.signed.table.floats])
    y = np.concatenate([witness.y, part.signed.y])
    together = replace(witness, table=Table(floats, {}), y=y)
    n = witness.n
    return outside_span(together, list(range(n)), np.arange(n, n + part.signed.n)) - n


def _stuck(proof: Proof, seen: View, part: View) -> NDArray[Any]:
    free = _outside(proof, seen, part)
    return np.unique(part.numbers[np.setdiff1d(np.arange(part.signed.n), free)])
