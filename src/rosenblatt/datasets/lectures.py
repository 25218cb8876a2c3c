"""Tables of the lectures, and logic gates, as data with known facts.

The facts have the names that `generators` lists. Where a lecture trains on its rows one by one, there are also: scores,
mistakes, and weights (after each row, the bias weight last).
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.datasets.sample import Sample, Weighted, root_above


def gate(inputs: int, fires: Callable[[Any], Any], plane: Hyperplane, **facts: Any) -> Sample:
    """Make the truth table of a gate whose output depends on the number of inputs that are 1.

    `plane` is the hyperplane of largest margin. It lies between the rows with s ones and the rows with s + 1 ones. The
    means of these two groups are 1 / sqrt(inputs) apart, so no margin is above half of that, and the plane reaches it.
    """
    X = np.indices((2,) * inputs).reshape(inputs, -1).T.astype(np.float64)
    known = {"kind": "strict", "hyperplane": plane, "margin_squared": Fraction(1, 4 * inputs), **facts}
    return Sample(X, fires(X.sum(axis=1)).astype(np.int64), {**known, "radius": root_above(Fraction(inputs))})


def and_gate(inputs: int = 2) -> Sample:
    """Make the AND gate: 1 if all inputs are 1."""
    return gate(inputs, lambda ones: ones == inputs, Hyperplane([1] * inputs, 0.5 - inputs), threshold=inputs)


def or_gate(inputs: int = 2) -> Sample:
    """Make the OR gate: 1 if any input is 1."""
    return gate(inputs, lambda ones: ones >= 1, Hyperplane([1] * inputs, -0.5), threshold=1)


def not_gate() -> Sample:
    """Make the NOT gate: 1 if the input is 0."""
    return gate(1, lambda ones: ones == 0, Hyperplane([-1], 0.5))


def nand_gate(inputs: int = 2) -> Sample:
    """Make the NAND gate: 0 if all inputs are 1."""
    return gate(inputs, lambda ones: ones < inputs, Hyperplane([-1] * inputs, inputs - 0.5))


def nor_gate(inputs: int = 2) -> Sample:
    """Make the NOR gate: 0 if any input is 1."""
    return gate(inputs, lambda ones: ones == 0, Hyperplane([-1] * inputs, 0.5))


def majority_gate(inputs: int = 3) -> Sample:
    """Make the majority gate: 1 if more than half of the inputs are 1."""
    most = inputs // 2 + 1
    return gate(inputs, lambda ones: ones >= most, Hyperplane([1] * inputs, 0.5 - most), threshold=most)


def xor_gate(inputs: int = 2) -> Sample:
    """Make the XOR gate: 1 if an odd number of inputs is 1. It is not separable: both classes have the same mean."""
    X = np.indices((2,) * inputs).reshape(inputs, -1).T.astype(np.float64)
    witness = Weighted(list(range(2**inputs)), [Fraction(1, 2**inputs)] * 2**inputs)
    facts = {"kind": "overlap", "witness": witness, "radius": root_above(Fraction(inputs))}
    return Sample(X, (X.sum(axis=1) % 2).astype(np.int64), facts)


def circles(rows: int = 100, ratio: float = 0.5, seed: int = 0) -> Sample:
    """Make a circle of one class inside a circle of the other: no line separates them, but a curve does.

    Each point has an opposite point, so the centre is in the convex hulls of both classes.

    Facts: kind, witness, radius.
    """
    rng = np.random.default_rng(seed)
    half = rows // 4
    pairs = []
    for radius, count in ((ratio, half), (1.0, rows // 2 - half)):
        turns = (np.arange(count) + rng.uniform(0.1, 0.9)) * (np.pi / count)
        pairs.append(radius * np.column_stack([np.cos(turns), np.sin(turns)]))
    inner, outer = (np.vstack([points, -points]) for points in pairs)
    more = rows - len(inner) - len(outer)  # with an odd number of rows, one is added twice
    X = np.vstack([inner, outer, outer[:more]])
    y = np.repeat([-1, 1], [len(inner), len(X) - len(inner)])
    witness = Weighted([0, len(pairs[0]), len(inner), len(inner) + len(pairs[1])], [Fraction(1, 4)] * 4)
    return Sample(X, y, {"kind": "overlap", "witness": witness, "radius": 1.0 + 2.0**-50}, ["x1", "x2"])


def cs360_points() -> Sample:
    """Make two points, which the line x2 = 5 - 2 x1 separates."""
    facts = {
        "kind": "strict",
        "hyperplane": Hyperplane([2, 1], -5),
        "scores": [2, -13],
        "margin_squared": Fraction(65, 4),
        "radius": root_above(Fraction(26)),
    }
    return _table([[1, 5], [-3, -2]], [1, -1], facts, ["x1", "x2"])


def cholesterol() -> Sample:
    """Make a column of two words, encoded as two columns of 0 and 1."""
    facts = {"kind": "strict", "hyperplane": Hyperplane([1, -1]), "margin_squared": Fraction(1, 2), "radius": 1.0}
    words, names = ["Normal", "Normal", "Abnormal"], ["Normal Cholesterol?", "Abnormal Cholesterol?"]
    return _table([[1, 0], [1, 0], [0, 1]], words, facts, names)


def cmu_points() -> Sample:
    """Make six points; the lecture learns them online, without a bias; a score of 0 is positive."""
    facts = {
        "kind": "strict",
        "hyperplane": Hyperplane([1, 0]),
        "margin": 1.0,
        "radius": root_above(Fraction(5)),
        "support": Weighted([1, 3], [Fraction(1, 2)] * 2),
        "mistakes": [True, False, True, False, True, False],
        "weights": np.array([[1, -2, 0], [1, -2, 0], [2, -1, 0], [2, -1, 0], [3, 1, 0], [3, 1, 0]], dtype=float),
    }
    points = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    return _table(points, [-1, 1, 1, -1, -1, 1], facts, ["x1", "x2"])


def berkeley_points() -> Sample:
    """Make five points; the lecture makes one pass from the weights `init`, bias last; a score of 0 is positive."""
    facts = {
        "kind": "strict",
        "hyperplane": Hyperplane([4, 2], -15),
        "margin_squared": Fraction(1, 20),
        "radius": 5.0,
        "init": np.array([0.0, 0, -1]),
        "scores": [-1, -1, 14, 17, 12],
        "mistakes": [False, True, False, False, True],
        "weights": np.array([[0, 0, -1], [3, 2, 0], [3, 2, 0], [3, 2, 0], [1, -1, -1]], dtype=float),
    }
    return _table([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1], facts, ["f1", "f2"])


def berkeley_activation() -> Sample:
    """Make one negative row whose score is 10."""
    facts = {"hyperplane": Hyperplane([2, 2, 2]), "scores": [10], "mistakes": [True]}
    return _table([[4, 0, 1]], [-1], facts, ["f1", "f2", "f3"])


def berkeley_three_classes() -> Sample:
    """Make one row of class 2 that scores highest in class 1; `weights` after it have one row for each class."""
    facts = {
        "init": np.array([[-2, 2, 1], [0, 3, 4], [1, 4, -2]], dtype=float),
        "scores": [11, 13, 8],
        "mistakes": [True],
        "weights": np.array([[-2, 2, 1], [2, 0, 3], [-1, 7, -1]], dtype=float),
    }
    return _table([[-2, 3, 1]], [2], facts, ["f1", "f2", "f3"])


def _table(points: list[list[int]], labels: list[Any], facts: dict[str, Any], names: list[str]) -> Sample:
    return Sample(np.array(points, dtype=np.float64), np.array(labels), facts, names)
