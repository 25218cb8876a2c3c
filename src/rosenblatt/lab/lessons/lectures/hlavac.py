"""Lesson on V. Hlavac's lecture: linear classifiers for many classes and for two, and Novikoff's theorem."""

import math
from functools import cache
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.regions import regions
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.lab.lessons.lectures.hlavac_search import EPSILON_STEP, GAUSSIANS_STEP, KOZINEC_STEP, OVERLAP_STEP
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, fitted
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import short, vector
from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound

WEIGHTS = ([1, 0, 0], [0, 1, 0], [-1, -1, 1])
POINT = (2, 1)


def discriminants(point: tuple[float, float]) -> list[float]:
    """The values of the three discriminant functions at a point."""
    return [Hyperplane(w[:2], w[2]).decision_function(point) for w in WEIGHTS]


CONVEX, SEVERAL, HOLES = (
    "always one convex piece, or empty",
    "sometimes several pieces",
    "sometimes a piece with a hole",
)


ARGMAX_STEP = Step(
    (
        "A classifier divides the plane into regions, one for each class. Here each class j has a linear discriminant "
        "function f_j(x) = <w_j, x> + b_j. A point gets the class with the largest value.",
        "There are three classes: f_1 = x1, f_2 = x2 and f_3 = -x1 - x2 + 1.",
    ),
    board_of(
        [(3, 1, 1), (1, 3, 2), (-2, -2, 3)],
        Pane("perceptron", {"init": [list(w) for w in WEIGHTS]}),
        classes=(1, 2, 3),
    ),
    Ask(
        "Which class does the point (2, 1) get? And what can the region of a class look like?",
        (
            Numbers(
                "scores",
                "the values at (2, 1)",
                ("f_1", "f_2", "f_3"),
                lambda: discriminants(POINT),
                "Put x1 = 2 and x2 = 1 into each of the three functions.",
            ),
            Choice(
                "class",
                "class of (2, 1)",
                ("1", "2", "3"),
                lambda: str(1 + int(np.argmax(discriminants(POINT)))),
                {"": "The largest value decides, not the value nearest to 0."},
            ),
            Choice(
                "region",
                "The region of a class is",
                (CONVEX, SEVERAL, HOLES),
                lambda: CONVEX,
                {"": "The region is where f_j - f_k > 0 for all other k. It is an intersection of half-planes."},
            ),
        ),
        lambda: (
            f"The values are {vector(discriminants(POINT))}, so the class is "
            f"{1 + int(np.argmax(discriminants(POINT)))}. The region of class j is the intersection of the "
            "half-planes f_j > f_k. Half-planes are convex, and an intersection of convex sets is convex."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

means = Run(
    board_of(
        [(-1, 0, "a"), (1, 0, "a"), (3, 0, "b"), (5, 0, "b"), (0, 3, "c"), (0, 5, "c")],
        Pane("means"),
        classes=("a", "b", "c"),
    )
)
VORONOI_STEP = Step(
    (
        "A Voronoi diagram assigns each place to the nearest of several seeds μ_j. It is a linear classifier: |x - "
        "μ|² is smallest where <μ, x> - |μ|²/2 is largest, because |x|² is the same for all seeds. So w_j = μ_j and "
        "b_j = -|μ_j|²/2.",
        "Here the seeds are the means of the classes: (0, 0), (4, 0) and (0, 4).",
    ),
    means.board,
    Ask(
        "The class b has the mean (4, 0). What is its bias? And which class does the point (3, 2) get?",
        (
            Number("b", "bias of class b", lambda: means.model.intercept_[1], "Compute -|μ|²/2 with |μ|² = 4² + 0²."),
            Choice(
                "class",
                "class of (3, 2)",
                ("a", "b", "c"),
                lambda: str(means.model.predict([[3, 2]])[0]),
                {"": "Compare the squared distances from (3, 2) to the three means."},
            ),
        ),
        lambda: (
            f"The bias is {short(means.model.intercept_[1])}. At (3, 2) the three values are "
            f"{vector(means.model.decision_function([[3, 2]])[0])}. The largest belongs to class "
            f"{means.model.predict([[3, 2]])[0]}. The distance to its mean is √5; to the other means it is √13."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

THREE_CLASSES = [
    *((0, 3, 1), (1, 4, 1), (-1, 4, 1)),
    *((3, -2, 2), (4, -1, 2), (4, -3, 2)),
    *((-3, -2, 3), (-4, -1, 3), (-4, -3, 3)),
]
wrapped = Run(board_of(THREE_CLASSES, Pane("one_vs_all"), Pane("one_vs_one"), classes=(1, 2, 3)))
ONE, AMBIGUOUS = "always by exactly one class", "sometimes by no class, or by several"


def ambiguous_claims() -> list[str]:
    """In words, how many classes claim the ambiguous places of this view."""
    counts = {len(region.claims) for region in regions(wrapped.model, wrapped.board.view)}
    return [("no class claims", "", "two classes claim", "all three claim")[count] for count in sorted(counts - {1})]


@cache
def members(scheme: Any, classes: int) -> int:
    """The number of two-class classifiers that a scheme fits."""
    X = [[math.cos(angle), math.sin(angle)] for angle in np.linspace(0, 6, classes)]
    return len(fitted(scheme(Perceptron()), X, list(range(classes))).estimators_)


DECOMPOSITION_STEP = Step(
    (
        "Classifiers for two classes can be combined for many classes. One against all has one line for each class, "
        "between this class and all others. One against one has one line for each pair of classes, and the lines vote.",
        "Each line is learned separately, so the lines may contradict each other.",
    ),
    wrapped.board,
    Ask(
        "With one against all and three classes, how many classes claim a place of the plane? And how many lines are "
        "there for five classes?",
        (
            Choice(
                "claims",
                "With one against all, a place is claimed",
                (ONE, AMBIGUOUS),
                lambda: AMBIGUOUS if ambiguous_claims() else ONE,
                {"": "Three lines cut the plane into up to seven parts, but there are only three classes."},
            ),
            Number("all", "lines, one against all, five classes", lambda: members(OneVsAll, 5), "One for each class."),
            Number(
                "one",
                "lines, one against one, five classes",
                lambda: members(OneVsOne, 5),
                "k classes have k (k - 1)/2 pairs.",
            ),
        ),
        lambda: (
            f"In this view there are places that {' and places that '.join(ambiguous_claims())}. Five classes need "
            f"{members(OneVsAll, 5)} lines with one against all, and {members(OneVsOne, 5)} lines with one against "
            "one. With argmax there are no such places, because one value is always the largest."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

signed = Run(board_of([(3, 2, -1), (1, 4, 1)]))
TWO_CLASSES_STEP = Step(
    (
        "With two classes, <w, x> + b ≥ 0 for the first class and < 0 for the second. We turn both inequalities into "
        "one. Put a 1 at the end of every x, so that b is the last weight. Then change the sign of every x of the "
        "second class.",
        "Call the result x'. We want <w, x'> > 0 for every x'. If one is wrong, add it: w ← w + x'. (This lecture puts "
        "the constant last, like the lab.)",
    ),
    signed.board,
    Ask(
        "The point (3, 2) belongs to the second, negative class. What is its x'? If it is the first mistake from w = "
        "0, then w becomes x'.",
        (
            Numbers(
                "x",
                "x' of (3, 2)",
                ("first", "second", "third"),
                lambda: signed.weights_after(1),
                "Write (3, 2, 1) and multiply it by the sign of the class.",
                lambda: [
                    ((3, 2, 1), "The class is negative, so the sign has to change."),
                    ((-3, -2, 1), "The constant changes its sign too: all of (3, 2, 1) is multiplied by -1."),
                ],
            ),
        ),
        lambda: f"x' = -(3, 2, 1) = {vector(signed.weights_after(1))}. {signed.explanation(1)}",
        lambda: Reveal(t=1),
    ),
    t=0,
)

novikoff = Run(board_of([(3, 4, 1), (-3, 4, -1), (5, 0, 1)], Pane("perceptron", {"bias": 0})))


@cache
def bound() -> MistakeBound:
    return mistake_bound(novikoff.board.X, novikoff.board.y, bias=0.0)


NOVIKOFF_STEP = Step(
    (
        "Novikoff's theorem (1962): let D be the length of the longest x', and m the distance from the origin to the "
        "convex hull of all x'. If the data are separable, then m > 0 and there are at most D²/m² updates.",
        "The reason: each update increases |w|² by at most D², and after t updates |w| is at least t m.",
        "Here there is no bias, so we can draw all x'. The points (3, 4) and (5, 0) are positive. (-3, 4) is negative.",
    ),
    novikoff.board,
    Ask(
        "Change the sign of the negative point and look at the three x'. What are D and m? By this theorem, how many "
        "updates can there be at most?",
        (
            Number(
                "D",
                "D",
                lambda: bound().radius,
                "The length of the longest of (3, 4), (5, 0) and (3, -4).",
                within=0.001,
            ),
            Number(
                "m",
                "m",
                lambda: bound().margin_bounds[0],
                "The hull of (3, 4), (3, -4) and (5, 0) is a triangle. Which of its points is nearest to the origin?",
                within=0.001,
            ),
            Number("most", "updates at most (a whole number)", lambda: bound().max_updates or 0, "Round D²/m² down."),
        ),
        lambda: (
            f"D = {short(bound().radius)}. The nearest point of the triangle is (3, 0), so m = "
            f"{short(bound().margin_bounds[0])} and D²/m² = {short(bound().bounds[1])}. There are at most "
            f"{count_of(bound().max_updates or 0, 'update')}, in any order. This run makes "
            f"{novikoff.trace[-1].updates}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

LESSON = Lesson(
    "family",
    "A family of linear classifiers",
    "V. Hlavac, Linear classifiers, a perceptron family",
    (
        ARGMAX_STEP,
        VORONOI_STEP,
        DECOMPOSITION_STEP,
        TWO_CLASSES_STEP,
        NOVIKOFF_STEP,
        KOZINEC_STEP,
        EPSILON_STEP,
        OVERLAP_STEP,
        GAUSSIANS_STEP,
    ),
)
