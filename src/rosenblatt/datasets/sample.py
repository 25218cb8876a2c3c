"""Parts of generated data: rows with their facts, and a rotation of the axes without rounding."""

import math
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Weighted(NamedTuple):
    """Row numbers and their weights, which are positive and sum to 1."""

    rows: list[int]
    weights: list[Fraction]


class Sample(NamedTuple):
    """Rows, labels, known facts, and the names of the columns if they have any."""

    X: Any
    y: NDArray[Any]
    facts: dict[str, Any]
    names: list[str] | None = None


class Reflection(NamedTuple):
    """Householder's reflection in whole numbers: x becomes |v|^2 x - 2 (v.x) v, which is `length` times as long.

    Angles do not change. So facts about data that is built along the axes stay exact after the reflection.
    """

    v: Ints

    @classmethod
    def drawn(cls, rng: np.random.Generator, d: int) -> Self:
        """Draw a reflection that maps the first axis to a direction in which no column dominates."""
        v = rng.choice([-3, -2, -1, 1, 2, 3], d)
        v[0] = math.isqrt(int(v[1:] @ v[1:])) + 1
        return cls(v)

    @property
    def length(self) -> int:
        """The factor by which vectors become longer: |v|^2."""
        return int(self.v @ self.v)

    def turn(self, points: Ints) -> Ints:
        """Reflect the rows of `points`."""
        return np.asarray(self.length * points - 2 * np.outer(points @ self.v, self.v))

    def axis(self, j: int) -> Ints:
        """Compute the image of axis j."""
        axis = np.zeros((1, len(self.v)), dtype=np.int64)
        axis[0, j] = 1
        return np.asarray(self.turn(axis)[0])


def inside(rng: np.random.Generator, limits: NDArray[np.float64], d: int) -> Ints:
    """Draw points of d whole numbers; each is at most as long as its limit."""
    points = rng.standard_normal((len(limits), d))
    if d == 0:
        return points.astype(np.int64)
    lengths = np.maximum(np.linalg.norm(points, axis=1), 1e-300)
    shares = rng.random(len(limits)) ** (1 / d) * (1 - 2**-30)  # room for rounding
    return np.asarray(np.trunc(points * (limits * shares / lengths)[:, None]), dtype=np.int64)


def simplex(rng: np.random.Generator, d: int) -> tuple[Ints, Ints, list[Fraction]]:
    """Draw a simplex of class 1 around a segment of class -1, and weights with which both have the same mean."""
    ends, back = rng.integers(64, 256, d), int(rng.integers(64, 256))
    segment = rng.integers(-64, 64, d, endpoint=True)
    points = np.vstack([np.diag(ends), np.full((1, d), -back), segment, -segment])
    raw = [*(Fraction(back, int(end)) for end in ends), Fraction(1)]
    weights = [weight / sum(raw) / 2 for weight in raw]
    y = np.array([1] * (d + 1) + [-1] * 2)
    return points + rng.integers(-128, 128, d, endpoint=True), y, [*weights, Fraction(1, 4), Fraction(1, 4)]


def shuffled(rng: np.random.Generator, n: int) -> tuple[Ints, Ints]:
    """Draw an order of n rows, and give the new position of each row."""
    order = rng.permutation(n)
    return order, np.argsort(order)


def root_above(square: Fraction) -> float:
    """Compute the smallest float that is not below the square root."""
    root = math.sqrt(square)
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root


def root_below(square: Fraction) -> float:
    """Compute the square root, or a float just below it."""
    root = math.sqrt(square)
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0)
    return root
