"""Last steps of the lesson on CS 360: a column that makes XOR separable, margins, and the maximum margin."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.datasets.lectures import xor_gate
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.reasons import readable_equation
from rosenblatt.lab.lessons.run_questions import Run, fitted, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.separability import separability

XOR_POINTS = [(0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1)]
SEPARABLE_POINTS = [(1, 1, -1), (1, 3, -1), (0, 2, -1), (5, 2, 1), (6, 4, 1), (7, 1, 1)]

PRODUCT, SUM, TWICE = "x1 * x2", "x1 + x2", "2 * x1"
NEW_COLUMNS: dict[str, Callable[[Any], Any]] = {
    PRODUCT: lambda x: x[:, 0] * x[:, 1],
    SUM: lambda x: x[:, 0] + x[:, 1],
    TWICE: lambda x: 2 * x[:, 0],
}


def separating_column() -> str:
    """The new column with which a plane separates the points of XOR."""
    X, y, *_ = xor_gate()
    return next(
        name
        for name, column in NEW_COLUMNS.items()
        if separability(np.c_[X, column(X)], y, detail=False).kind == "strict"
    )


curved = Run(board_of(XOR_POINTS, Pane("kernel", {"kernel": "poly", "degree": 2, "gamma": 1.0})))
NEW_COLUMN_STEP = Step(
    (
        "No line separates the points of XOR. But we can change the features.",
        "One way is a third column, computed from the first two. Then a plane in three dimensions can separate the "
        "points. A kernel does this without computing the new columns. Here the kernel is (x.z + 1)², which contains "
        "all products of two coordinates.",
    ),
    curved.board,
    Ask(
        "Would the perceptron without a kernel stop on XOR? And with which third column x3 can a plane separate the "
        "points?",
        (
            yes_or_no(
                "stops",
                "The perceptron without a kernel stops",
                lambda: separability(*xor_gate()[:2], detail=False).kind == "strict",
                "It stops only when all points are right. No line has all four points right.",
            ),
            Choice(
                "column",
                "x3 =",
                tuple(NEW_COLUMNS),
                separating_column,
                {
                    "": "This column is a linear combination of the first two. A plane in the three columns is then "
                    "the same as a line in the first two."
                },
            ),
        ),
        lambda: (
            "x1 * x2 is 1 only at (1, 1). With this column, x1 + x2 - 2 x3 - 1/2 has the right sign at all four "
            f"points. The kernel perceptron stops after {curved.model.n_updates_} updates. Its boundary is curved."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

LINE = Hyperplane([3, 4], -5)
MARGINS_STEP = Step(
    (
        "Which separating line is the best? There are two measures for a point. The functional margin is y (w.x + b). "
        "The geometric margin is the functional margin divided by |w|. It is the distance to the line.",
        "Here w = (3, 4) and b = -5. The point (3, 4) has y = +1.",
    ),
    board_of([(3, 4, 1), (0, 0, -1)], Pane("perceptron", {"init": [3, 4, -5]})),
    Ask(
        "What are the two margins of (3, 4)? And what is its geometric margin if w and b are multiplied by 2?",
        (
            Number(
                "functional",
                "functional margin",
                lambda: LINE.functional_margin([3, 4], 1),
                "Compute y times (3*3 + 4*4 - 5).",
            ),
            Number(
                "geometric",
                "geometric margin",
                lambda: LINE.geometric_margin([3, 4], 1),
                "Divide the functional margin by |w| = √(3² + 4²).",
            ),
            Number(
                "doubled",
                "geometric margin with 2w and 2b",
                lambda: Hyperplane(2 * LINE.w, 2 * LINE.b).geometric_margin([3, 4], 1),
                "Does the line move if w and b are multiplied by 2?",
            ),
        ),
        lambda: (
            f"The functional margin is 3*3 + 4*4 - 5 = {short(LINE.functional_margin([3, 4], 1))}. Since |w| = "
            f"{short(LINE.norm)}, the geometric margin is {short(LINE.geometric_margin([3, 4], 1))}. With 2w and 2b "
            "the functional margin is twice as large. But the line is the same, so the distance is the same."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

separable_board = board_of(SEPARABLE_POINTS, Pane("kozinec", {"solver": "wolfe"}))


def max_margin() -> Kozinec:
    """The classifier with the maximum margin on these points."""
    return fitted(Kozinec(solver="wolfe"), separable_board.X, separable_board.y)  # type: ignore[no-any-return]


MAX_MARGIN_STEP = Step(
    (
        "The support vector machine takes the line with the largest distance to its nearest point. The points at "
        "exactly this distance are the support vectors. If another point moves a little, the line stays the same.",
        "This line is halfway between the nearest points of the two convex hulls.",
    ),
    separable_board,
    Ask(
        "What is the distance from the best line to the nearest point? And how many support vectors are there?",
        (
            Number(
                "margin",
                "the largest margin",
                lambda: max_margin().margin_bounds_[0],
                "Find the shortest distance between the two hulls. The margin is half of it.",
                within=0.01,
            ),
            Number(
                "support",
                "number of support vectors",
                lambda: len(max_margin().support_),
                "Find the nearest points of the two hulls. If such a point lies inside an edge, both ends of the edge "
                "are support vectors.",
            ),
        ),
        lambda: (
            f"The distance between the hulls is {short(2 * max_margin().margin_bounds_[0])}, so the margin is "
            f"{short(max_margin().margin_bounds_[0])}. The line is {readable_equation(max_margin().hyperplane_)}. The "
            f"support vectors are {listed(max_margin().support_.tolist())}: "
            f"{', '.join(vector(p) for p in np.asarray(max_margin().support_vectors_))}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)
