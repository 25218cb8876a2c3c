"""A proof about many classes that merges those which overlap; `certificate.merges` explains and checks it.

The long rows of all classes together may be too many. So classes are merged where few rows prove that they overlap:

1.  Pairs of classes that are known to overlap.
2.  If there are none, a core: some classes in the middle of the others that overlap together. A class that does not
    overlap with the others of them is left out.
3.  Each other class is compared with the core. If they overlap, it joins.
4.  The groups that are left are few. They are decided by a search among their long rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import afford
from rosenblatt.base.events import report_progress
from rosenblatt.certificate.check_claims import View, view
from rosenblatt.certificate.format import Body, Refuted
from rosenblatt.certificate.merges import check_merge, merged
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.decide import Decided, Labelled, find_proof, long_row_seconds, witness_parts
from rosenblatt.proof.finders.class_weights import balancing_shares
from rosenblatt.proof.finders.existence import NearWitness, near_witness_of
from rosenblatt.proof.finders.planes_through_rows import spanning_rows
from rosenblatt.proof.prove import Proof

FIRST_CORE = 4  # classes in the first core; then twice as many
Pair = tuple[int, int]


class Merging:
    """Groups of classes that cannot be told apart, with the steps that prove it.

    Parameters
    ----------
    given : rows and classes
    constant : the constant at the end of each row; 0 for hyperplanes through the origin
    deadline : on the monotonic clock

    Attributes
    ----------
    groups : the group of each class; it has the number of its first class
    steps : the merges, as parts of a certificate

    Raises
    ------
    OutOfTime
        The deadline passed. Every method may raise it.
    """

    def __init__(self, given: Labelled, constant: float, deadline: float) -> None:
        self.given, self.constant, self.deadline = given, constant, deadline
        self.groups: NDArray[Any] = np.arange(len(given.labels))
        self.steps: list[Body] = []

    @property
    def left(self) -> list[int]:
        """The numbers of the groups."""
        return np.unique(self.groups).tolist()  # type: ignore[no-any-return]

    @property
    def codes(self) -> NDArray[Any]:
        """The group of each row."""
        return np.asarray(self.groups[self.given.codes])

    def seen(self, between: Sequence[int]) -> View:
        """The signed rows of some groups."""
        afford(long_row_seconds(self.given.table, len(between)), self.deadline)
        return view(self.given.table, self.codes, between, self.constant)

    def merge_pairs(self, pairs: Mapping[Pair, Decided]) -> None:
        """Merge classes that are known to overlap in pairs."""
        for (a, b), found in pairs.items():
            between = sorted({int(self.groups[a]), int(self.groups[b])})
            if len(between) == 2 and found.seen is not None:
                self.merge(between, found.proof, found.seen)

    def merge(self, between: Sequence[int], proof: Proof | NearWitness | None, seen: View) -> bool:
        """Merge some groups if this proof about these signed rows says that they overlap. Return whether it does."""
        if proof is None or not is_overlap(proof):
            return False
        rows = np.flatnonzero(np.isin(self.codes, between))
        span = self.span(rows)
        if span is None:
            return False
        step = {"between": list(between), **witness_parts(proof, seen), "span": span}
        try:
            check_merge(step, self.given.table, self.codes, self.constant, spanning=True)
        except Refuted:
            return False
        self.steps.append(step)
        self.groups = merged(self.groups, list(between))
        report_progress("verdict", len(self.steps), None, "{:,} groups of classes are left", len(self.left))
        return True

    def span(self, rows: NDArray[Any]) -> list[int] | None:
        """Independent rows, some of the given ones, that span all rows of the table; None if there are none."""
        table = self.given.table
        every = Signed(table, np.ones(table.n, np.int8), self.constant)
        first = rows[np.unique(np.linspace(0, len(rows) - 1, 2 * every.width).astype(int))]
        return spanning_rows(every, first.tolist(), rows, self.deadline)

    def find_core(self) -> int | None:
        """Merge some classes that overlap together. Return the number of the group, or None if none was found."""
        order, size = self.middle_first(), FIRST_CORE
        while True:
            between = sorted(self.not_apart(order[:size]))
            if self.merge_balanced(between):
                return between[0]
            if size >= len(order):
                return None
            size *= 2

    def not_apart(self, some: Sequence[int]) -> list[int]:
        """Leave out each of some groups that does not overlap with the others together, until each does."""
        kept, left = list(some), -1
        while left != len(kept):
            left = len(kept)
            for group in list(kept):
                others = [other for other in kept if other != group]
                if not others or not self.overlaps(group, others):
                    kept = others
        return kept

    def overlaps(self, group: int, others: Sequence[int]) -> bool:
        """Does a group overlap with others together?"""
        rows = np.flatnonzero(np.isin(self.codes, [group, *others]))
        signs = np.where(self.codes[rows] == group, 1, -1).astype(np.int8)
        return is_overlap(
            find_proof(Signed(self.given.table.take(rows), signs, self.constant), [], True, self.deadline)
        )

    def merge_balanced(self, between: list[int]) -> bool:
        """Merge some groups if Newton's method finds a minimum of their loss. Return whether it does."""
        if len(between) < 3:  # pairs are decided before
            return False
        rows = np.flatnonzero(np.isin(self.codes, between))
        table, codes = self.given.table.take(rows), np.searchsorted(between, self.codes[rows])
        shares = balancing_shares(table, codes, len(between), self.constant, self.deadline)
        if shares is None:
            return False
        seen = self.seen(between)
        weights = shares[np.searchsorted(rows, seen.numbers), np.searchsorted(between, np.asarray(seen.against))]
        return self.merge(between, near_witness_of(seen.signed, weights, self.deadline), seen)

    @np.errstate(all="ignore")
    def middle_first(self) -> list[int]:
        """The groups, those first whose means are near the mean of all rows, as floats see it."""
        X = self.given.table.floats
        total = np.asarray(X.mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(np.asarray((X * X).mean(axis=0)).ravel() - total * total, 0.0))
        spread[spread == 0] = 1.0
        far = {}
        for group in self.left:
            mean = np.asarray(X[self.codes == group].mean(axis=0)).ravel()
            far[group] = float(np.nan_to_num(np.abs((mean - total) / spread), nan=np.inf).sum())
        return sorted(self.left, key=lambda group: far[group])

    def join(self, core: int) -> None:
        """Merge each group that overlaps with the core, until none does."""
        before = 0
        while before != len(self.left):
            before = len(self.left)
            for group in self.left:
                between = sorted({int(self.groups[group]), int(self.groups[core])})
                if len(between) == 2:
                    seen = self.seen(between)
                    self.merge(between, find_proof(seen.signed, [], True, self.deadline), seen)

    def rest(self) -> Proof | None:
        """A proof that the groups that are left separate, strictly or weakly; None if they are merged instead."""
        seen = self.seen(self.left)
        proof = find_proof(seen.signed, [], True, self.deadline)
        if isinstance(proof, Proof) and proof.kind in ("strict", "weak"):
            return proof
        self.merge(self.left, proof, seen)
        return None


def is_overlap(proof: Proof | NearWitness) -> bool:
    """Does a proof say that all rows are stuck?"""
    return isinstance(proof, NearWitness) or proof.kind == "overlap"
