"""Closed walks in the graph of fixed effects: they prove which rows are stuck.

The rows are edges of a graph (`certificate.spans.factor_rows`): y (p_upper - p_lower + x.b) >= 0. Direct each edge so
that, if x is left out, the potential p never falls along it. The cone C is all (p, b) with

    p_head - p_tail + l >= 0  for all edges,  where l = y x.b is the length of an edge.

**Closed walks.** Adding the rows around a closed walk cancels the potentials and leaves x(walk).b >= 0, where x(walk)
is the sum of y x. Conversely, if x(walk).b >= 0 for all closed walks, then b has potentials: the longest ways, by the
algorithm of Bellman and Ford. So the b of C are the cone B of these inequalities. It has as many dimensions as there
are other columns, which are few. The exact search for few columns (`prove`) decides it for some closed walks. If its b
has no potentials, Bellman and Ford find a closed walk that contradicts b, which joins the others.

**Stuck rows.** Let b be in the relative interior of B, with potentials p. Call rows with p_head - p_tail + l = 0 tight.
A row is stuck exactly if it lies on a closed walk of tight rows, that is, inside a strongly connected component of the
tight rows. All other rows can be moved: levels of the components are added to the potentials. Whether b is in the
relative interior is seen at the end: x(walk) must be a combination of stuck walks for all closed walks of tight rows.
If some are not, they join the others.

**Levels with one outcome** need no search. If a vertex has only edges that leave it, or only edges that enter it, no
closed walk passes through it. Without other columns, or if B is only 0, the stuck rows are those inside the strongly
connected components of all rows.

**The witness.** In each component of stuck rows, take shortest ways from a root to every vertex, and back. The ways
there and back are closed walks. They contain every vertex, so they connect all of them. A multiple of the stuck walks
of `prove`, and a combination of these, cancels their sum of x.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import whole
from rosenblatt.certificate.exact_table import Cells, table_of_cells
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.certificate.spans.factor_rows import FactorRows, FactorSpan
from rosenblatt.proof.fixed_effects.digraph import Digraph, Tree
from rosenblatt.proof.fixed_effects.longest_ways import ClosedWalk, longest_ways
from rosenblatt.proof.prove import prove

EPSILON = 0.1  # the gap between bounds of the margin at which a search in floats may stop; the margin is not needed
SAMPLE = 1000  # rows that are looked at first
MIN_WALKS, WALKS_PER_COLUMN = 20, 4  # that join at a time


class Walk(NamedTuple):
    """A closed walk: its rows, how often each is passed, and the sum of y x."""

    rows: Mapping[int, int]
    x: tuple[int, ...]


class Direction(NamedTuple):
    """A direction b of the other columns, and the stuck walks with their positive weights, which add up to 0."""

    b: list[int]
    stuck: list[int]  # their places among the known walks
    weights: list[int]
    basis: list[int]  # stuck walks that are linearly independent, as many as possible


class Solution(NamedTuple):
    """A vector in the relative interior of a cone, its stuck rows, and the witness."""

    potentials: list[int]
    b: list[int]
    components: NDArray[np.int64]  # for each vertex its component of stuck rows
    stuck: NDArray[np.int64]
    witness: dict[int, int]


class Walks:
    """The search for a vector in the relative interior of the cone.

    Parameters
    ----------
    rows : the rows
    deadline : when to give up, on the monotonic clock
    known : closed walks that were found before
    """

    def __init__(self, rows: FactorRows, deadline: float, known: Iterable[Walk] = ()) -> None:
        self.rows, self.deadline, self.known = rows, deadline, list(known)
        up = rows.y > 0
        tails, heads = np.where(up, rows.lower, rows.upper), np.where(up, rows.upper, rows.lower)
        self.graph = Digraph(tails, heads, rows.vertices)
        self._random = np.random.default_rng(0)

    def solve(self) -> Solution:
        """Search.

        Raises
        ------
        OutOfTime
            The deadline passed.
        """
        while True:
            afford(0.0, self.deadline)
            report_progress("estimates", 0, None, "{:,} closed walks", len(self.known))
            found = self._direction()
            lengths = self.lengths(found.b)
            p = longest_ways(self.graph, lengths, self.deadline) if any(found.b) else np.zeros(self.rows.vertices, int)
            if isinstance(p, ClosedWalk):
                self._add(Counter(p.edges))
                continue
            tight = np.flatnonzero(p[self.graph.heads] - p[self.graph.tails] + lengths == 0)
            part = self.graph.among(tight)
            components = part.components
            inner = part.among(components[part.tails] == components[part.heads])
            out, back, span = self._ways(inner, components, found)
            others = some_outside(span, inner.numbers, self._random)
            if len(others):
                self._add_through(others, out, back)
                continue
            levels, unit = part.levels(), int(part.levels().max(initial=0)) + 1
            potentials = [unit * int(a) + int(b) for a, b in zip(p, levels, strict=True)]
            witness = self._witness(out, back, found)
            return Solution(potentials, [unit * b for b in found.b], components, inner.numbers, witness)

    def extremes(self, found: Solution, root: int) -> list[list[int]]:
        """Potentials for the direction of a solution: as low as possible below the root, and as high as possible.

        Both begin with the potentials of the solution, moved far from that of the root.
        """
        graph, lengths = self.graph, self.lengths(found.b)
        p, far = (
            np.array(found.potentials, dtype=object),
            2 * self.rows.vertices * (1 + max(map(abs, lengths.tolist()))),
        )
        results = []
        for sign, tails, heads in ((1, graph.tails, graph.heads), (-1, graph.heads, graph.tails)):
            start = sign * p - far
            start[root] = sign * p[root]
            moved = longest_ways(Digraph(tails, heads, graph.vertices), lengths, self.deadline, start)
            if isinstance(moved, ClosedWalk):
                raise AssertionError("the direction of a solution has potentials")
            results.append([sign * int(number) for number in moved])
        return results

    def _direction(self) -> Direction:
        """A direction in the relative interior of the cone of the known walks."""
        k = len(self.rows.others)
        if not self.known:
            return Direction([0] * k, [], [], [])
        cells: Cells = [{j: number for j, number in enumerate(walk.x) if number} for walk in self.known]
        signed = Signed(table_of_cells(cells, k, None), np.ones(len(cells), np.int8), 0.0)
        proof = prove(signed, detail=True, epsilon=EPSILON, deadline=self.deadline)
        if not proof.is_detailed:
            raise OutOfTime
        stuck = proof.witness
        return Direction(proof.hyperplane or [0] * k, stuck.rows, stuck.weights, stuck.basis)

    def lengths(self, b: Sequence[int]) -> NDArray[Any]:
        """The lengths of all rows in the direction b."""
        if not any(b):
            return np.zeros(self.rows.n, np.int64)
        return np.asarray(self.rows.wholes(slice(None)) @ np.array(b, dtype=object) * self.rows.y.astype(object))

    def _ways(self, inner: Digraph, components: NDArray[Any], found: Direction) -> tuple[Tree, Tree, FactorSpan]:
        """Shortest ways from a root of each component and back, and what the ways and the stuck walks span."""
        touched = np.unique(inner.tails)
        roots = touched[np.unique(components[touched], return_index=True)[1]]
        out, back = inner.tree(roots), inner.tree(roots, backward=True)
        return out, back, FactorSpan(self.rows, out.used, [self.known[t].x for t in found.stuck])

    def _add_through(self, rows: NDArray[Any], out: Tree, back: Tree) -> None:
        """Add closed walks through some of these rows."""
        count = MIN_WALKS + WALKS_PER_COLUMN * len(self.rows.others)
        for i in rows[:count].tolist():
            tail, head = int(self.graph.tails[i]), int(self.graph.heads[i])
            self._add(Counter([*out.way(tail), i, *back.way(head)]))
            self._add(Counter([*out.way(head), *back.way(head)]))

    def _add(self, rows: Mapping[int, int]) -> None:
        x = self._sum(rows)
        if any(x):
            self.known.append(Walk(rows, tuple(x)))

    def _sum(self, rows: Mapping[int, int]) -> list[int]:
        """The weighted sum of y x."""
        chosen = list(rows)
        weights = np.array([rows[i] * int(self.rows.y[i]) for i in chosen], dtype=object)
        return [int(number) for number in weights @ self.rows.wholes(chosen)] if chosen else [0] * len(self.rows.others)

    def _witness(self, out: Tree, back: Tree, found: Direction) -> dict[int, int]:
        """Rows with positive weights that add up to 0: the ways there and back, and stuck walks."""
        weights = Counter[int]()
        for tree in (out, back):
            for edge, size in zip(tree.edges, tree.sizes(), strict=True):
                weights[edge] += size
        del weights[-1]
        if not found.stuck:
            return dict(weights)
        target = [-number for number in self._sum(weights)]
        shares = dict(zip(found.basis, _combination([self.known[t].x for t in found.basis], target), strict=True))
        stuck = dict(zip(found.stuck, found.weights, strict=True))
        times = max(1, *(1 - share // stuck[t] for t, share in shares.items()))
        total = {i: Fraction(weight) for i, weight in weights.items()}
        for t, weight in stuck.items():
            for i, count in self.known[t].rows.items():
                total[i] = total.get(i, Fraction(0)) + count * (times * weight + shares.get(t, Fraction(0)))
        return dict(zip(total, whole(total.values()), strict=True))


def some_outside(span: FactorSpan, rows: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    """Rows that are not linear combinations, in random order: those of a sample, or all if there are none."""
    order = random.permutation(rows)
    few = span.outside(order[:SAMPLE]) if len(span.nulls) else order[:0]
    return few if len(few) else span.outside(order)


def _combination(basis: Sequence[Sequence[int]], target: Sequence[int]) -> list[Fraction]:
    """The factors with which independent vectors add up to the target, which they span."""
    table = [[*(vector[t] for vector in basis), target[t]] for t in range(len(target))]
    reduced, _, _ = flint.fmpz_mat(table).rref()
    return [Fraction(int(reduced[t, len(basis)]), int(reduced[t, t])) for t in range(len(basis))]
