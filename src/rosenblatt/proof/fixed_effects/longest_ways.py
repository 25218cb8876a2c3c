"""Potentials of a graph with lengths, by the algorithm of Bellman and Ford, in whole numbers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import afford
from rosenblatt.proof.fixed_effects.digraph import Digraph

SAFE = 2**62  # sums below this do not overflow 64 bits


class ClosedWalk(NamedTuple):
    """Edges that form a closed walk."""

    edges: list[int]


def longest_ways(
    graph: Digraph, lengths: NDArray[Any], deadline: float, start: NDArray[Any] | None = None
) -> NDArray[Any] | ClosedWalk:
    """Potentials with p_head - p_tail + length >= 0 for all edges; or a closed walk of negative length.

    p_v is the largest sum of a number at the start of a way to v, and of -length on the way. It grows until nothing
    changes. The last edges of these ways form a closed walk only if its length is negative.

    Parameters
    ----------
    graph : the graph
    lengths : whole numbers, one for each edge
    deadline : when to give up, on the monotonic clock
    start : the numbers at the start of ways, whole numbers; 0 by default

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    start = np.zeros(graph.vertices, np.int64) if start is None else start
    largest = max(map(abs, lengths.tolist()), default=0) * graph.vertices + max(map(abs, start.tolist()), default=0)
    kind: type = np.int64 if largest < SAFE else object
    lengths = lengths.astype(kind)
    order = np.argsort(graph.heads, kind="stable")
    heads, starts, counts = np.unique(graph.heads[order], return_index=True, return_counts=True)
    tails, gains = graph.tails[order], -lengths[order]
    p: NDArray[Any] = start.astype(kind)
    last = np.full(graph.vertices, -1)  # the place of the last edge on the longest way
    while True:
        afford(0.0, deadline)
        ends = p[tails] + gains
        best = np.maximum.reduceat(ends, starts)
        better = np.asarray(best > p[heads], bool)
        if not better.any():
            return p
        reached = np.flatnonzero(np.repeat(better, counts) & np.asarray(ends == np.repeat(best, counts), bool))
        p[heads[better]] = best[better]
        last[graph.heads[order[reached]]] = reached
        walk = _closed(np.where(last >= 0, tails[last], -1))
        if walk is not None:
            return ClosedWalk(graph.numbers[order[last[walk]]].tolist())


def _closed(before: NDArray[Any]) -> NDArray[Any] | None:
    """The vertices of a closed walk along `before`, which is -1 where a way begins; None if there is none."""
    far = np.append(before, -1)
    for _ in range(len(before).bit_length()):
        far = far[far]
    inside = np.flatnonzero(far >= 0)
    if not len(inside):
        return None
    walk = [int(far[inside[0]])]
    while (v := int(before[walk[-1]])) != walk[0]:
        walk.append(v)
    return np.array(walk)
