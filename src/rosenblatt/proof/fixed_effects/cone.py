"""Which coefficients of a regression with fixed effects have finite estimates?  A search on a graph.

The rows are edges of a graph (`certificate.spans.factor_rows`). `closed_walks` finds the stuck rows. All questions of
linear combinations are then questions of connected components. What is left are the signs of infinite coefficients.

A coefficient is a difference of potentials p_s - p_t. It never falls in the cone if a path leads from t to s, and the
sum of x on this path is a combination of stuck rows. It can fall if no path leads there: the vertices that t reaches
can be raised, and s is not one of them. One such vector serves all coefficients with the base t. If neither is so, the
lowest and the highest potentials for one direction of the other columns are tried; they serve all coefficients with the
base t, too. Then the row p_t - p_s joins the rows, and the question is whether it is stuck. For another column, the
row is a loop.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import afford
from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import Signed, sum_of
from rosenblatt.certificate.spans.factor_rows import FactorRows, FactorSpan, factor_rows
from rosenblatt.proof.coefficient_statuses import Combination, Cone, Functional, ProvedCone, Status
from rosenblatt.proof.fixed_effects.closed_walks import Walks, some_outside
from rosenblatt.proof.fixed_effects.digraph import Digraph, Tree
from rosenblatt.proof.fixed_effects.transport import can_transport


class Difference(NamedTuple):
    """A functional p_s - p_t + x.b, up to a positive factor."""

    s: int
    t: int
    x: list[int]


class FactorCone(ProvedCone):
    """The directions along which a likelihood with fixed effects never falls.

    Parameters
    ----------
    signed : the recession rows
    rows : the same rows as a graph
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed. Every method may raise it.
    """

    def __init__(self, signed: Signed, rows: FactorRows, deadline: float) -> None:
        self.rows, self.deadline, self._trees = rows, deadline, dict[tuple[int, bool], Tree]()
        self._walks = Walks(rows, deadline)
        self._interior = found = self._walks.solve()
        self._roots = set[int]()  # the vertices whose extreme vectors are known
        representative = np.unique(found.components, return_index=True)[1]
        self._components = representative[found.components]  # a vertex of the component of each vertex
        self._is_stuck = np.zeros(rows.n, bool)
        self._is_stuck[found.stuck] = True
        vectors = [self._coefficients(found.potentials, found.b)]
        witness = Combination(list(found.witness), list(found.witness.values()))
        super().__init__(signed, vectors, witness, np.flatnonzero(~self._is_stuck), self._spanning(), rows)

    def _coefficients(self, potentials: Sequence[int], b: Sequence[int]) -> list[int]:
        return whole(self.rows.coefficients(potentials, b))

    def _spanning(self) -> list[int]:
        """Rows that span all rows: a spanning forest, and a few more."""
        rows, numbers = self.rows, np.arange(self.rows.n)
        both = Digraph(
            np.append(rows.upper, rows.lower), np.append(rows.lower, rows.upper), rows.vertices, np.tile(numbers, 2)
        )
        _, roots = np.unique(both.components, return_index=True)
        chosen = both.tree(roots).used
        random = np.random.default_rng(0)
        while len(others := some_outside(FactorSpan(rows, chosen), numbers, random)):
            afford(0.0, self.deadline)
            chosen += others[: 2 * len(rows.others)].tolist()
        return chosen

    def status_of(self, c: NDArray[np.float64]) -> Status:
        functional = self.functional(c)
        everything, stuck = self.spans
        if self._difference(functional) or not everything.contains(functional) or stuck.contains(functional):
            return super().status_of(c)
        if self._has_free_columns:
            return Cone(self.signed, self.deadline).status_of(c)
        never_falls, never_rises = (self._is_transported(functional, sign) for sign in (1, -1))
        return "+inf" if never_falls else "-inf" if never_rises else "undetermined"

    @property
    def _has_free_columns(self) -> bool:
        """Do some directions of the cone change other columns?"""
        return bool(FactorSpan(self.rows, self.witness.rows).nulls)

    def _difference(self, c: Functional) -> Difference | None:
        """The functional as a row of the graph, if it is one."""
        pairs = self._potentials(c)
        x = [c.get(j, Fraction(0)) for j in self.rows.others]
        if not pairs:
            return Difference(0, 0, whole(a / size for a, size in zip(x, self.rows.sizes, strict=True)))
        if any(x) or len(pairs) != 2 or sum(pairs.values(), Fraction(0)):
            return None
        s, t = sorted(pairs, key=lambda vertex: -pairs[vertex])
        return Difference(s, t, [0] * len(x))

    def _opposite(self, c: Functional, sign: int) -> int | Combination:
        row = self._difference(c)
        if row is None:
            raise AssertionError("a coefficient is a row of the graph")
        afford(0.0, self.deadline)
        start, end = (row.t, row.s) if sign > 0 else (row.s, row.t)
        found = self._along_a_path(c, sign, start, end) if start != end else None
        found = self._at_an_extreme(c, sign, max(start, end)) if found is None and start != end else found
        if found is not None:
            return found
        rows = self.rows.with_row(start, end, [-sign * number for number in row.x])
        last = rows.n - 1
        search = Walks(rows, self.deadline, self._walks.known)
        solution = search.solve()
        self._walks.known = [walk for walk in search.known if last not in walk.rows]
        if last not in solution.stuck:
            return self._add_vector(solution.potentials, solution.b)
        weights = {i: weight for i, weight in solution.witness.items() if i != last and not self._is_stuck[i]}
        return Combination(list(weights), list(weights.values()))

    def _along_a_path(self, c: Functional, sign: int, start: int, end: int) -> int | Combination | None:
        """The answer if there is no path, or if the path combines to the functional; else None."""
        backward = end >= self.signed.table.d > start  # most coefficients share a base
        tree = self._tree(end if backward else start, backward=backward)
        other = start if backward else end
        if tree.edges[other] < 0:
            reached = set(tree.order)
            return self._add_vector([int((v in reached) != backward) for v in range(self.rows.vertices)])
        path = [i for i in tree.way(other) if not self._is_stuck[i]]
        rest = sum_of(self.signed, path, [1] * len(path))
        for j, factor in c.items():
            rest[j] = rest.get(j, Fraction(0)) - sign * factor
        return Combination(path, [1] * len(path)) if self.spans[1].contains(rest) else None

    def _at_an_extreme(self, c: Functional, sign: int, root: int) -> int | None:
        """The number of a vector that moves the functional, if the lowest or the highest potentials do."""
        b = self._interior.b
        if root in self._roots or not any(b):
            return None
        self._roots.add(root)
        for potentials in self._walks.extremes(self._interior, root):
            self._add_vector(potentials, b)
        return self._vector(c, -sign)

    def _is_transported(self, c: Functional, sign: int) -> bool:
        """Is sign c a combination of rows with weights >= 0, if the other columns do not count?"""
        sums: dict[int, Fraction] = {}
        for vertex, factor in self._potentials(c).items():
            root = int(self._components[vertex])
            sums[root] = sums.get(root, Fraction(0)) + sign * factor
        starts, ends = [v for v, x in sums.items() if x < 0], [v for v, x in sums.items() if x > 0]
        reached = [set(self._tree(v).order) for v in starts]
        leads = [[end in found for end in ends] for found in reached]
        return can_transport([-sums[v] for v in starts], [sums[v] for v in ends], leads)

    def _potentials(self, c: Functional) -> dict[int, Fraction]:
        """The factors of the potentials in a functional."""
        factors: dict[int, Fraction] = {}
        for j, factor in c.items():
            for vertex, sign in zip(self.rows.ends[j] or (), (1, -1), strict=False):
                factors[vertex] = factors.get(vertex, Fraction(0)) + sign * factor
        return {vertex: factor for vertex, factor in factors.items() if factor}

    def _tree(self, root: int, *, backward: bool = False) -> Tree:
        if (root, backward) not in self._trees:
            self._trees[root, backward] = self._walks.graph.tree(np.array([root]), backward=backward)
        return self._trees[root, backward]

    def _add_vector(self, potentials: Sequence[int], b: Sequence[int] | None = None) -> int:
        """Add a vector, and return its number."""
        self.vectors.append(self._coefficients(potentials, b or [0] * len(self.rows.others)))
        return len(self.vectors) - 1


def cone_of(signed: Signed, deadline: float) -> ProvedCone:
    """The directions along which a likelihood never falls.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    rows = factor_rows(signed)
    return Cone(signed, deadline) if rows is None else FactorCone(signed, rows, deadline)
