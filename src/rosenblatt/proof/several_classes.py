"""The verdict on more than two classes: first each pair of them, then all together.

A pair of classes has far fewer rows than all classes together, and its answer says much about them. If a pair cannot be
separated strictly, neither can all classes: with the rows of its witness, compared with each other's class, the long
rows of Kessler's construction add up to 0 too. If two classes overlap and their rows span all rows, their weight
vectors differ by nothing that any row sees. So classes that are linked by such pairs have to be treated as one. If all
are linked, they overlap. If not, the question is asked again for the linked groups, which are fewer than the classes.
"""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford, can_afford
from rosenblatt.base.exact import text_of
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.format import Refuted
from rosenblatt.certificate.kessler_rows import kessler
from rosenblatt.certificate.near_witness import Relation, check_near_witness
from rosenblatt.certificate.signed_rows import Signed, outside_span
from rosenblatt.proof.decide import Decided, Labelled, certified, decide, long_row_seconds, undecided
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.finders.existence import NearWitness
from rosenblatt.proof.prove import Proof, prove
from rosenblatt.proof.verdict import Verdict, VerdictKind, WeightedRows

Pair = tuple[int, int]
PAIR_SECONDS = 1e-5  # to make the verdict on a pair that was not reached
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


class LongWitness(NamedTuple):
    """Rows of the data with the class that each is compared with, and their weights."""

    rows: list[int]
    against: list[int]
    weights: list[int]


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
        """What the pairs prove if that is the whole answer, else what a search among the long rows proves."""
        known = self.from_pairs()
        if known is not None and (known.kind != "not_strict" or not self.detail):
            return known
        every = range(len(self.given.labels))
        found = decide(self.given, every, self.constant, self.detail, self.deadline).verdict
        return known if known is not None and found.kind == "undecided" else found

    def from_pairs(self) -> Verdict | None:
        """What the pairs prove about all classes, or None."""
        mixed = [
            name for name, found in self.pairs.items() if isinstance(found.proof, Proof) and found.proof.witness.rows
        ]
        if not mixed:
            near = next((name for name, found in self.pairs.items() if isinstance(found.proof, NearWitness)), None)
            return None if near is None else self._from_near_witness(near)
        found = self._from_groups() if self.detail else None
        return self._verdict("not_strict", mixed[:1]) if found is None else found

    def _from_groups(self) -> Verdict | None:
        """Overlap if all classes are linked, weak separation if the linked groups separate; else None."""
        try:
            tree = self._links()
            group = groups_of(len(self.given.labels), tree)
            if not tree:
                return None
            if not group.any():
                return self._verdict("overlap", tree)
            w = self._between_groups(group)
        except OutOfTime:
            return None
        return self._verdict("weak", tree, w, group) if w else None

    def _from_near_witness(self, pair: Pair) -> Verdict | None:
        """What the near witness of a pair proves about all classes; None if floats do not suffice for the long rows.

        In the long rows of the witness, the columns of one class are those of the pair, the columns of the other class
        are their negatives, and all other columns are 0. Relations say so.
        """
        found, given = self.pairs[pair], self.given
        near: NearWitness = found.proof  # type: ignore[assignment]
        numbers = found.seen.numbers[near.rows]  # type: ignore[union-attr]
        other = np.where(given.codes[numbers] == pair[0], pair[1], pair[0])
        relations = long_relations(near.relations, pair, len(given.labels), given.table.d + (self.constant != 0))
        long = kessler(given.table.take(numbers), given.codes[numbers], len(given.labels), self.constant)
        among = long.signed.take(np.flatnonzero(long.against == np.repeat(other, len(given.labels) - 1)))
        places = np.arange(among.n)
        try:
            check_near_witness(among, places.tolist(), near.weights, relations, places)
        except Refuted:
            return None
        part = {
            "rows": numbers.tolist(),
            "weights": [text_of(weight) for weight in near.weights],
            "against": other.tolist(),
            "relations": [
                {"columns": columns, "weights": [text_of(weight) for weight in weights]}
                for columns, weights in relations
            ],
        }
        total = sum(near.weights)
        witness = WeightedRows(
            part["rows"],
            [Fraction(weight, total) for weight in near.weights],
            [given.labels[c] for c in part["against"]],
        )
        facts = {"witness": witness, "stuck": np.unique(numbers)}
        return certified(given, range(len(given.labels)), self.constant, "not_strict", {"near_witness": part}, facts)

    def _links(self) -> list[Pair]:
        """Overlapping pairs whose rows span all rows, as few as link the same classes."""
        ranks = {
            name: len(found.proof.witness.basis)
            for name, found in self.pairs.items()
            if isinstance(found.proof, Proof) and found.proof.kind == "overlap"
        }
        table = self.given.table
        signed = Signed(table, np.ones(table.n, np.int8), self.constant)
        rank = max(ranks.values(), default=0)
        if rank < signed.width:
            best = next((name for name in ranks if ranks[name] == rank), None)
            if best is None or len(outside_span(signed, self._basis(best), np.arange(table.n), self.deadline)):
                return []
        tree: list[Pair] = []
        group = list(range(len(self.given.labels)))
        for a, b in (name for name in ranks if ranks[name] == rank):
            if group[a] != group[b]:
                tree.append((a, b))
                group = [group[a] if own == group[b] else own for own in group]
        return tree

    def _basis(self, pair: Pair) -> list[int]:
        found = self.pairs[pair]
        return found.seen.numbers[found.proof.witness.basis].tolist()  # type: ignore[union-attr, no-any-return]

    def _between_groups(self, group: NDArray[Any]) -> list[int]:
        """Weights for all classes, equal within a group, with which the groups are separated; empty if there are none.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        table, codes, m = self.given.table, group[self.given.codes], int(group.max()) + 1
        afford(long_row_seconds(table, m), self.deadline)
        signed = view(table, codes, range(m), self.constant).signed
        w = prove(signed, detail=False, epsilon=0.1, deadline=self.deadline).hyperplane
        if not w:
            return []
        width = table.d + (self.constant != 0)
        parts = [[0] * width, w] if m == 2 else [w[g * width : (g + 1) * width] for g in range(m)]
        return list(itertools.chain.from_iterable(parts[g] for g in group.tolist()))

    def _verdict(
        self, kind: VerdictKind, pairs: Sequence[Pair], w: Sequence[int] = (), group: NDArray[Any] | None = None
    ) -> Verdict:
        """The verdict that the witnesses of some pairs prove, with the weights `w` for the groups if there are any."""
        given = self.given
        long = self._witness(pairs)
        part = {"rows": long.rows, "weights": [text_of(weight) for weight in long.weights], "against": long.against}
        parts: dict[str, Any] = {"witness": part}
        if w:
            parts["hyperplane"] = [text_of(number) for number in w]
        total = sum(long.weights)
        stuck = np.unique(long.rows)
        if kind == "overlap":
            stuck = np.arange(given.table.n)
        elif group is not None:
            stuck = np.flatnonzero(np.bincount(group)[group[given.codes]] > 1)
        facts: dict[str, Any] = {
            "witness": WeightedRows(
                long.rows, [Fraction(x, total) for x in long.weights], [given.labels[c] for c in long.against]
            ),
            "stuck": stuck,
        }
        if can_afford(3e-7 * given.table.n + 1e-8 * given.table.n * given.table.d, self.deadline):
            facts["contradictions"] = contradictions(given.table, given.codes)
        every = range(len(given.labels))
        return certified(given, every, self.constant, kind, parts, facts)

    def _witness(self, pairs: Sequence[Pair]) -> LongWitness:
        """The witnesses of the pairs: each row of one class is compared with the other class."""
        rows: list[tuple[int, int, int]] = []
        for a, b in pairs:
            found = self.pairs[a, b]
            numbers = found.seen.numbers[found.proof.witness.rows].tolist()  # type: ignore[union-attr]
            weights = found.proof.witness.weights  # type: ignore[union-attr]
            codes = self.given.codes[numbers].tolist()
            other = [b if code == a else a for code in codes]
            rows += zip(numbers, other, weights, strict=True)
        return LongWitness(*(list(column) for column in zip(*sorted(rows), strict=True)))


def long_relations(relations: Sequence[Relation], pair: Pair, k: int, width: int) -> list[Relation]:
    """The dependences of the columns of long rows that compare two of k classes, from those of the pair.

    The columns of the second class are those of the pair, and the columns of the first class are their negatives.
    """
    negative, own = pair[0] * width, pair[1] * width
    dependent = {relation.columns[0]: relation for relation in relations}
    found = [Relation([own + i for i in columns], weights) for columns, weights in relations]
    for j in range(width):
        columns, weights = [j], [1, 1]
        if j in dependent:  # column j is a combination of others, and so is its negative
            (_, *columns), (first, *rest) = dependent[j]
            weights = [first, *(-weight for weight in rest)]
        found.append(Relation([negative + j, *(own + i for i in columns)], weights))
    return found + [Relation([c * width + j], [1]) for c in range(k) if c not in pair for j in range(width)]


def groups_of(k: int, links: Sequence[Pair]) -> NDArray[Any]:
    """The number of the group of each of k classes, where links join classes: 0, 1, ... in the order of the classes."""
    group = list(range(k))
    for a, b in links:
        group = [group[a] if own == group[b] else own for own in group]
    return np.unique(group, return_inverse=True)[1]
