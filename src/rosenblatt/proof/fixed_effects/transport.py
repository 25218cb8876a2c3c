"""Can supplies be brought to demands?  Decided exactly for a few of each."""

import itertools
from collections.abc import Sequence
from fractions import Fraction


def can_transport(supply: Sequence[Fraction], demand: Sequence[Fraction], leads: Sequence[Sequence[bool]]) -> bool:
    """Is there a flow that uses all supplies and meets all demands, whose sums are equal?

    A shortest way on which the flow can grow is used until there is none (J. Edmonds and R. M. Karp, J. ACM 19, 1972).

    Parameters
    ----------
    supply, demand : positive numbers
    leads : for each supply and each demand, whether a way leads from one to the other
    """
    left, lacking = list(supply), list(demand)
    flow = [[Fraction(0)] * len(demand) for _ in supply]
    while any(left):
        before: dict[tuple[str, int], tuple[str, int]] = {}
        waiting = [("supply", a) for a, amount in enumerate(left) if amount]
        seen, end = set(waiting), None
        for kind, t in waiting:
            if kind == "demand" and lacking[t]:
                end = t
                break
            others = [("demand", z) for z in range(len(demand)) if leads[t][z]] if kind == "supply" else []
            others += [("supply", a) for a in range(len(supply)) if flow[a][t]] if kind == "demand" else []
            for other in others:
                if other not in seen:
                    seen.add(other)
                    before[other] = (kind, t)
                    waiting.append(other)
        if end is None:
            return False
        way = [("demand", end)]
        while way[-1] in before:
            way.append(before[way[-1]])
        amount = min([lacking[end], left[way[-1][1]], *_returned(way, flow)])
        for later, earlier in itertools.pairwise(way):
            if later[0] == "demand":
                flow[earlier[1]][later[1]] += amount
            else:
                flow[later[1]][earlier[1]] -= amount
        left[way[-1][1]] -= amount
        lacking[end] -= amount
    return True


def _returned(way: Sequence[tuple[str, int]], flow: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """The flows that a way takes back."""
    return [flow[b[1]][a[1]] for b, a in itertools.pairwise(way) if b[0] == "supply"]
