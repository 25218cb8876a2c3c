"""Searches on graphs against brute force."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from rosenblatt.proof.fixed_effects.digraph import Digraph
from rosenblatt.proof.fixed_effects.longest_ways import SAFE, ClosedWalk, longest_ways
from rosenblatt.proof.fixed_effects.transport import can_transport


def drawn(seed: int) -> Digraph:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 14))
    return Digraph(rng.integers(0, n, m), rng.integers(0, n, m), n)


def reach(graph: Digraph) -> NDArray[np.bool_]:
    """For each pair of vertices: does a way lead from the first to the second?"""
    found = np.eye(graph.vertices, dtype=bool)
    found[graph.tails, graph.heads] = True
    for _ in range(graph.vertices):
        found = (found.astype(int) @ found.astype(int)) > 0
    return found


def test_components_levels_and_trees() -> None:
    for seed in range(200):
        graph = drawn(seed)
        leads, c = reach(graph), graph.components
        assert ((leads & leads.T) == (c[:, np.newaxis] == c)).all()
        levels = graph.levels()
        inside = c[graph.tails] == c[graph.heads]
        assert (levels[graph.heads] >= levels[graph.tails] + ~inside).all()
        assert (levels[graph.heads] == levels[graph.tails])[inside].all()
        for backward in (False, True):
            tree = graph.tree(np.array([0]), backward=backward)
            assert sorted(tree.order) == np.flatnonzero(leads[:, 0] if backward else leads[0]).tolist()
            for vertex in tree.order:
                way = tree.way(vertex)
                total = np.bincount(graph.heads[way], minlength=graph.vertices)
                total -= np.bincount(graph.tails[way], minlength=graph.vertices)
                expected = np.eye(graph.vertices, dtype=int)[vertex] - np.eye(graph.vertices, dtype=int)[0]
                assert total.tolist() == (-expected if backward else expected).tolist()


@pytest.mark.parametrize("unit", [1, SAFE])  # of the lengths; the second needs Python's integers
def test_potentials_or_a_closed_walk_of_negative_length(unit: int) -> None:
    """Either proves itself, so one of the two being true is all there is to test."""
    kinds = set()
    for seed in range(300):
        graph = drawn(seed)
        lengths = np.array(
            [unit * int(x) for x in np.random.default_rng(seed).integers(-1, 4, len(graph.tails))], object
        )
        found = longest_ways(graph, lengths, np.inf)
        kinds.add(type(found))
        if isinstance(found, ClosedWalk):
            assert sum(lengths[found.edges]) < 0
            assert sorted(graph.tails[found.edges]) == sorted(graph.heads[found.edges])
            assert len(set(graph.tails[found.edges].tolist())) == len(found.edges)
        else:
            assert (found[graph.heads] - found[graph.tails] + lengths >= 0).all()
    assert len(kinds) == 2


def test_transport_by_the_condition_of_hall() -> None:
    """Supplies can be used exactly if every set of them is at most as large as the demands that it reaches."""
    answers = set()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        supply = [Fraction(int(x), 3) for x in rng.integers(1, 5, rng.integers(1, 5))]
        cuts = sorted(Fraction(int(x), 100) for x in rng.choice(np.arange(1, 100), rng.integers(0, 4), replace=False))
        demand = [(b - a) * sum(supply) for a, b in itertools.pairwise([Fraction(0), *cuts, Fraction(1)])]
        leads = (rng.random((len(supply), len(demand))) < 0.6).tolist()
        groups = itertools.chain.from_iterable(
            itertools.combinations(range(len(supply)), size) for size in range(1, len(supply) + 1)
        )
        possible = all(
            sum(supply[a] for a in group) <= sum(x for z, x in enumerate(demand) if any(leads[a][z] for a in group))
            for group in groups
        )
        assert can_transport(supply, demand, leads) == possible
        answers.add(possible)
    assert answers == {True, False}
