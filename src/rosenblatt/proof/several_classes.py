"""The verdict on more than two classes: first each pair of them, then all together.

A pair of classes has far fewer rows than all classes together, and its answer says much about them. If a pair cannot be
separated strictly, neither can all classes: with the rows of its witness, compared with each other's class, the long
rows of Kessler's construction add up to 0 too. Classes that overlap are merged (`merged_classes`). If all are merged,
they overlap. If not, the question is asked again for the groups, which are fewer than the classes.
"""

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.deadline import OutOfTime, afford, can_afford
from rosenblatt.base.exact import text_of
from rosenblatt.certificate.check_claims import view
from rosenblatt.proof.decide import (
    Decided,
    Labelled,
    certified,
    decide,
    long_row_seconds,
    shares_of,
    undecided,
    witness_parts,
)
from rosenblatt.proof.finders.class_weights import MIN_WEIGHTS, class_weights
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.finders.existence import NearWitness
from rosenblatt.proof.merged_classes import Merging
from rosenblatt.proof.prove import Proof
from rosenblatt.proof.verdict import Verdict, VerdictKind

Pair = tuple[int, int]
PAIR_SECONDS = 1e-5  # to make the verdict on a pair that was not reached
MAX_SECONDS = 0.1  # to make the long rows of all classes; if it takes longer, classes are merged first
SHARES = 4  # a pair may take so many times its part of the time; what one leaves is for the others


def decide_several(given: Labelled, constant: float, detail: bool, deadline: float) -> Verdict:
    """The verdict on all classes together and on each pair. Half of the time is for the pairs.

    What one question leaves of its time is for the others. At the end the pairs that are open are asked again, now each
    as long as there is time. Pairs that were not reached are undecided.
    """
    now = time.monotonic()
    deadline -= PAIR_SECONDS * len(given.labels) ** 2 / 2
    pairs: dict[Pair, Decided] = {}
    decide_pairs(pairs, given, constant, detail, now + (deadline - now) / 2, SHARES)
    question = JointQuestion(given, pairs, constant, detail, deadline)
    joint = question.answer()
    is_open = joint.kind in ("undecided", "not_strict")
    if decide_pairs(pairs, given, constant, detail, deadline, len(given.labels) ** 2) and is_open:
        known = question.from_pairs()
        joint = joint if known is None else known
    told = {
        (given.labels[a], given.labels[b]): pairs[a, b].verdict
        if (a, b) in pairs
        else undecided(given, (a, b), constant)
        for a, b in names_of_pairs(given)
    }
    return replace(joint, pairs=told)


def names_of_pairs(given: Labelled) -> Iterator[Pair]:
    """Each pair of classes, by their numbers."""
    return itertools.combinations(range(len(given.labels)), 2)


def decide_pairs(
    pairs: dict[Pair, Decided], given: Labelled, constant: float, detail: bool, deadline: float, shares: int
) -> int:
    """Decide the pairs that are undecided. Return how many were decided.

    Each gets at most so many shares of the time that is left, where there are as many shares as pairs.
    """
    open_pairs = [name for name in names_of_pairs(given) if name not in pairs or pairs[name].proof is None]
    decided = 0
    for t, name in enumerate(open_pairs):
        now = time.monotonic()
        if now > deadline:
            break
        part = (deadline - now) / (len(open_pairs) - t)
        pairs[name] = decide(given, name, constant, detail, min(deadline, now + shares * part))
        decided += pairs[name].proof is not None
    return decided


class JointQuestion(NamedTuple):
    """The question whether all classes together can be separated.

    Attributes
    ----------
    given : rows and classes
    pairs : what was decided of the pairs
    constant : the constant at the end of each row; 0 for hyperplanes through the origin
    detail : distinguish weak separation from overlap?
    deadline : on the monotonic clock
    """

    given: Labelled
    pairs: dict[Pair, Decided]
    constant: float
    detail: bool
    deadline: float

    def answer(self) -> Verdict:
        """What the pairs and searches prove."""
        known = self._not_strict()
        if known is not None and not self.detail:
            return known
        found = None
        with contextlib.suppress(OutOfTime):
            found = self._strict() if known is None else None
            found = self._from_merges(search=True) if found is None else found
        if found is None:
            found = decide(self.given, range(len(self.given.labels)), self.constant, self.detail, self.deadline).verdict
        return known if known is not None and found.kind == "undecided" else found

    def from_pairs(self) -> Verdict | None:
        """What the pairs prove about all classes, or None."""
        try:
            found = self._from_merges(search=False)
        except OutOfTime:
            found = None
        return self._not_strict() if found is None else found

    def _not_strict(self) -> Verdict | None:
        """A pair that cannot be separated strictly proves that all classes cannot; None if there is no such pair."""
        for pair, found in self.pairs.items():
            if isinstance(found.proof, NearWitness) or (found.proof is not None and found.proof.witness.rows):
                return self._from_pair(pair, found)
        return None

    def _from_pair(self, pair: Pair, found: Decided) -> Verdict:
        """What the witness of a pair, exact or near, proves about all classes."""
        parts = witness_parts(found.proof, found.seen)  # type: ignore[arg-type]
        part = self._compared(next(iter(parts.values())), pair)
        facts = {"witness": shares_of(part, self.given), "stuck": np.unique(part["rows"])}
        if isinstance(found.proof, Proof):
            return self._verdict("not_strict", {"witness": part}, facts)
        return self._verdict("not_strict", {"merges": [{"between": list(pair), **parts}]}, facts)

    def _strict(self) -> Verdict | None:
        """Strict separation, if Newton's method finds weights of the classes that prove it."""
        given, k = self.given, len(self.given.labels)
        w = class_weights(given.table, given.codes, k, self.constant, self.deadline)
        if w is None:
            return None
        afford(long_row_seconds(given.table, k), self.deadline)
        if not (view(given.table, given.codes, range(k), self.constant).signed.leads(w)[1] > 0).all():
            return None
        return self._verdict("strict", {"hyperplane": [text_of(x) for x in w]}, {})

    def _from_merges(self, *, search: bool) -> Verdict | None:
        """Overlap or weak separation, if merging classes proves it. With `search`, not only pairs are merged."""
        if not (self.detail and self._is_large):
            return None
        merging = Merging(self.given, self.constant, self.deadline)
        merging.merge_pairs(self.pairs)
        if search and not merging.steps and self._pairs_are_strict:
            core = merging.find_core()
            if core is not None:
                merging.join(core)
        if not merging.steps:
            return None
        rest = merging.rest() if len(merging.left) > 1 else None
        return None if rest is None and len(merging.left) > 1 else self._of_merging(merging, rest)

    @property
    def _pairs_are_strict(self) -> bool:
        """Are all pairs decided, and separated strictly?  If some are undecided, they are asked first."""
        k = len(self.given.labels)
        kinds = [found.verdict.kind for found in self.pairs.values()]
        return len(kinds) == k * (k - 1) // 2 and set(kinds) == {"strict"}

    @property
    def _is_large(self) -> bool:
        """Are there so many weights, or so many long rows, that a search among the long rows is to be avoided?"""
        weights = (len(self.given.labels) - 1) * (self.given.table.d + 1)
        return weights >= MIN_WEIGHTS or long_row_seconds(self.given.table, len(self.given.labels)) > MAX_SECONDS

    def _of_merging(self, merging: Merging, rest: Proof | None) -> Verdict:
        """The verdict on merged classes. The rest is the proof that groups separate; None if there is one group."""
        first, parts = merging.steps[0], dict[str, Any](merges=merging.steps)
        part = self._compared(first.get("near_witness") or first["witness"], first["between"])
        sizes = np.bincount(merging.groups)[merging.codes]
        facts = {"witness": shares_of(part, self.given), "stuck": np.flatnonzero(sizes > 1)}
        if rest is None:
            return self._verdict("overlap", parts, facts)
        parts["hyperplane"] = [text_of(number) for number in rest.hyperplane]
        if rest.witness.rows:
            parts |= witness_parts(rest, merging.seen(merging.left))
        return self._verdict("weak", parts, facts)

    def _compared(self, part: dict[str, Any], between: Any) -> dict[str, Any]:
        """A witness with the class that each row is compared with: for two classes, the other one."""
        if "against" in part:
            return part
        a, b = between
        codes = self.given.codes[part["rows"]].tolist()
        return {**part, "against": [b if code == a else a for code in codes]}

    def _verdict(self, kind: VerdictKind, parts: dict[str, Any], facts: dict[str, Any]) -> Verdict:
        """The verdict with its certificate, and with contradictions if there is time to look for them."""
        given = self.given
        if kind != "strict" and can_afford(3e-7 * given.table.n + 1e-8 * given.table.n * given.table.d, self.deadline):
            facts["contradictions"] = contradictions(given.table, given.codes)
        return certified(given, range(len(given.labels)), self.constant, kind, parts, facts)
