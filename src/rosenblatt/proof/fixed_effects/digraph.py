"""Directed graphs whose edges are rows: strongly connected components, levels, and breadth-first trees."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

Indices = NDArray[np.int64]


class Tree(NamedTuple):
    """Shortest ways from a root to vertices, or from vertices to a root. There may be several roots."""

    order: list[int]  # the vertices that are reached, near ones first
    edges: list[int]  # for each vertex the last edge on the way from a root (the first one to a root), or -1
    parents: list[int]  # the vertex at the other end of that edge

    def way(self, vertex: int) -> list[int]:
        """The edges between a root and a vertex."""
        found = []
        while self.edges[vertex] >= 0:
            found.append(self.edges[vertex])
            vertex = self.parents[vertex]
        return found

    @property
    def used(self) -> list[int]:
        """The edges of the tree."""
        return [edge for edge in self.edges if edge >= 0]

    def sizes(self) -> list[int]:
        """For each vertex, the number of vertices whose way passes through it; its own is one of them."""
        sizes = [0] * len(self.edges)
        for vertex in reversed(self.order):
            sizes[vertex] += 1
            if self.edges[vertex] >= 0:
                sizes[self.parents[vertex]] += sizes[vertex]
        return sizes


class Digraph:
    """Edges from `tails` to `heads`.

    Parameters
    ----------
    tails, heads : the two ends of each edge
    vertices : the number of vertices
    numbers : the number of each edge; by default its place
    """

    def __init__(self, tails: Indices, heads: Indices, vertices: int, numbers: Indices | None = None) -> None:
        self.tails, self.heads, self.vertices = tails, heads, vertices
        self.numbers = np.arange(len(tails)) if numbers is None else numbers

    def among(self, edges: NDArray[Any]) -> "Digraph":
        """The graph with only these edges."""
        return Digraph(self.tails[edges], self.heads[edges], self.vertices, self.numbers[edges])

    @cached_property
    def components(self) -> Indices:
        """For each vertex the number of its strongly connected component."""
        return np.asarray(connected_components(self._matrix(), connection="strong")[1], np.int64)

    def levels(self) -> Indices:
        """For each vertex a level. An edge between two components goes to a higher level, one inside to the same."""
        a, b = self.components[self.tails], self.components[self.heads]
        pairs = np.unique(np.stack([a, b])[:, a != b], axis=1)
        count = int(self.components.max(initial=-1)) + 1
        waits, level = np.bincount(pairs[1], minlength=count), np.zeros(count, np.int64)
        starts = np.searchsorted(pairs[0], np.arange(count + 1)).tolist()
        after = pairs[1].tolist()
        ready = np.flatnonzero(waits == 0).tolist()
        while ready:
            c = ready.pop()
            for other in after[starts[c] : starts[c + 1]]:
                level[other] = max(level[other], level[c] + 1)
                waits[other] -= 1
                if not waits[other]:
                    ready.append(other)
        return np.asarray(level[self.components])

    def tree(self, roots: Indices, *, backward: bool = False) -> Tree:
        """Shortest ways from the roots; with `backward`, to the roots."""
        sources, targets = (self.heads, self.tails) if backward else (self.tails, self.heads)
        keys, first = np.unique(sources * self.vertices + targets, return_index=True)
        top = self.vertices  # a vertex before all roots
        rows, columns = np.concatenate([[sources[first], targets[first]], [np.full(len(roots), top), roots]], axis=1)
        order, parents = breadth_first_order(_sparse(rows, columns, top + 1), top, return_predecessors=True)
        parents = parents[:top].astype(np.int64)
        inner = np.flatnonzero((parents >= 0) & (parents < top))
        edges = np.full(top, -1)
        edges[inner] = self.numbers[first[np.searchsorted(keys, parents[inner] * self.vertices + inner)]]
        return Tree(order[1:].tolist(), edges.tolist(), parents.tolist())

    def _matrix(self) -> Any:
        return _sparse(self.tails, self.heads, self.vertices)


def _sparse(rows: Indices, columns: Indices, size: int) -> Any:
    return scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
