"""Random points for the exercises: strictly separable, weakly separable, or overlapping."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

Rows = list[tuple[int, int, int]]  # x, y and the class, -1 or +1
MAX_X, MAX_Y = 5, 4  # the largest absolute coordinates


def places(rng: Any, n: int) -> list[tuple[int, int]]:
    """Draw n different places with whole coordinates. None of them is the origin."""
    cells = rng.choice((2 * MAX_X + 1) * (2 * MAX_Y + 1), n + 1, replace=False)
    drawn = [(int(c) % (2 * MAX_X + 1) - MAX_X, int(c) // (2 * MAX_X + 1) - MAX_Y) for c in cells]
    return [place for place in drawn if any(place)][:n]  # without a bias, the origin has score 0 under every w


def by_a_line(rng: Any, through_origin: bool = False) -> Rows:
    """Points on the two sides of a line, and none on the line."""
    w = rng.choice([-2, -1, 1, 2], 2)
    c = 0 if through_origin else int(rng.integers(-3, 4))
    rows = [(x, y, int(np.sign(w[0] * x + w[1] * y - c))) for x, y in places(rng, 9)]
    return [row for row in rows if row[2]][:7]


def touching(rng: Any) -> Rows:
    """Points on the two sides of a line, and three on the line: one point between two of the other class."""
    along = np.array([(1, 0), (0, 1), (1, 1), (1, -1)][int(rng.integers(4))])
    across, start = np.array([-along[1], along[0]]), rng.integers(-1, 2, 2)
    sign = int(rng.choice([-1, 1]))
    rows = [(*(start + k * along).tolist(), s * sign) for k, s in ((-1, 1), (0, -1), (int(rng.integers(1, 3)), 1))]
    for side in (1, -1):
        for k in rng.choice(5, 2, replace=False) - 2:
            rows.append((*(start + k * along + side * int(rng.integers(1, 3)) * across).tolist(), side))
    return [rows[i] for i in rng.permutation(len(rows))]


def mixed(rng: Any) -> Rows:
    """Points with random classes, or points on the two sides of a line with one class changed."""
    if rng.integers(2):
        return [(x, y, int(rng.choice([-1, 1]))) for x, y in places(rng, 6)]
    rows, changed = by_a_line(rng), int(rng.integers(5))
    return [(x, y, -s if i == changed else s) for i, (x, y, s) in enumerate(rows)]


MAKERS: dict[str, Callable[[Any], Rows]] = {"strict": by_a_line, "weak": touching, "overlap": mixed}


def rows_of(kind: str, rng: Any) -> Rows:
    """Draw points until their verdict is of the given kind."""
    while True:
        rows = MAKERS[kind](rng)
        if well_spread(rows) and verdict_of(rows).kind == kind:
            return rows


def well_spread(rows: Rows) -> bool:
    """Whether each class has at least two points and all places differ."""
    signs = [s for _, _, s in rows]
    return min(signs.count(-1), signs.count(1)) >= 2 and len({row[:2] for row in rows}) == len(rows)


def verdict_of(rows: Rows, bias: bool = True) -> Verdict:
    """Whether a line separates the points."""
    return separability([row[:2] for row in rows], [row[2] for row in rows], through_origin=not bias)
