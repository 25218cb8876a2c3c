"""Beyond the perceptron's line: columns that make XOR separable, margins, and the widest of all."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.data.files.board import Pane
from rosenblatt.datasets.lectures import xor_gate
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.reasons import readable
from rosenblatt.lab.lessons.run_questions import Run, fitted, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.separability import separability

XOR = [(0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1)]
APART = [(1, 1, -1), (1, 3, -1), (0, 2, -1), (5, 2, 1), (6, 4, 1), (7, 1, 1)]

PRODUCT, SUM, TWICE = "x1 * x2", "x1 + x2", "2 * x1"
NEW: dict[str, Callable[[Any], Any]] = {
    PRODUCT: lambda x: x[:, 0] * x[:, 1],
    SUM: lambda x: x[:, 0] + x[:, 1],
    TWICE: lambda x: 2 * x[:, 0],
}


def lifting() -> str:
    """The new column with which a plane separates XOR."""
    X, y, *_ = xor_gate()
    lifted = (
        name for name, column in NEW.items() if separability(np.c_[X, column(X)], y, detail=False).kind == "strict"
    )
    return next(lifted)


curved = Run(board_of(XOR, Pane("kernel", {"kernel": "poly", "degree": 2, "gamma": 1.0})))
LIFT = Step(
    (
        "XOR has no separating line. That is a fact about lines, and there are ways around it.",
        "One is a new column, computed from the two there are, so that a plane in three dimensions can do it. A "
        "kernel does the same without writing the columns down: here (x.z + 1)², which knows all products of two "
        "coordinates.",
    ),
    curved.board,
    Ask(
        "Would the plain perceptron stop on XOR? And which third column x3 makes it separable by a plane?",
        (
            yes_or_no(
                "stops",
                "The plain perceptron stops",
                lambda: separability(*xor_gate()[:2], detail=False).kind == "strict",
                "It stops only when all points are right, and no line has all four of them right.",
            ),
            Choice(
                "column",
                "x3 =",
                tuple(NEW),
                lifting,
                {
                    "": "This column is a sum of multiples of the others: a plane in the three columns is then only a "
                    "line in the two."
                },
            ),
        ),
        lambda: (
            "x1 * x2 is 1 at (1, 1) only. With it, x1 + x2 - 2 x3 - 1/2 has the sign of XOR at all four points. The "
            f"kernel perceptron stops after {curved.model.n_updates_} updates, with a curved boundary."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

STEEP = Hyperplane([3, 4], -5)
MARGINS = Step(
    (
        "Which of all separating lines is the best? Two measures of how right a point is: the functional margin y "
        "(w.x + b), and the geometric margin, the same divided by |w|, which is the distance to the line.",
        "Here w = (3, 4), b = -5, and the point (3, 4) has y = +1.",
    ),
    board_of([(3, 4, 1), (0, 0, -1)], Pane("perceptron", {"init": [3, 4, -5]})),
    Ask(
        "What are the two margins of (3, 4)? And if w and b are doubled, what is its geometric margin then?",
        (
            Number(
                "functional",
                "functional margin",
                lambda: STEEP.functional_margin([3, 4], 1),
                "y times (3*3 + 4*4 - 5).",
            ),
            Number(
                "geometric",
                "geometric margin",
                lambda: STEEP.geometric_margin([3, 4], 1),
                "Divide the functional margin by |w| = √(3² + 4²).",
            ),
            Number(
                "doubled",
                "geometric margin, w and b doubled",
                lambda: Hyperplane(2 * STEEP.w, 2 * STEEP.b).geometric_margin([3, 4], 1),
                "Does the line move when w and b are doubled?",
            ),
        ),
        lambda: (
            f"3*3 + 4*4 - 5 = {short(STEEP.functional_margin([3, 4], 1))}, and |w| = {short(STEEP.norm)}: the "
            f"distance is {short(STEEP.geometric_margin([3, 4], 1))}. Doubling w and b doubles the functional margin, "
            "but it is the same line, and the distance stays."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

apart = board_of(APART, Pane("kozinec", {"solver": "wolfe"}))


def widest() -> Kozinec:
    return fitted(Kozinec(solver="wolfe"), apart.X, apart.y)  # type: ignore[no-any-return]


WIDEST = Step(
    (
        "The support vector machine takes the line whose nearest point is as far away as can be. The points at "
        "exactly that distance are the support vectors; all others could be moved a little, and the line would not "
        "notice.",
        "It is the line halfway between the nearest points of the two convex hulls.",
    ),
    apart,
    Ask(
        "For these points: how far is the nearest point from the best line, and how many support vectors are there?",
        (
            Number(
                "margin",
                "the largest margin",
                lambda: widest().margin_bounds_[0],
                "Find the shortest way from one hull to the other; the best line halves it.",
                within=0.01,
            ),
            Number(
                "support",
                "number of support vectors",
                lambda: len(widest().support_),
                "Count the corners that hold the nearest points: a nearest point inside an edge is held by both its "
                "ends.",
            ),
        ),
        lambda: (
            f"The nearest points of the hulls are {short(2 * widest().margin_bounds_[0])} apart, so the margin is "
            f"{short(widest().margin_bounds_[0])}. The line {readable(widest().hyperplane_)} is held by "
            f"{listed(widest().support_.tolist())}: "
            f"{', '.join(vector(p) for p in np.asarray(widest().support_vectors_))}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)
