"""Linear classifiers as a partition: many classes, two classes, and Novikoff's theorem."""

import math
from functools import cache
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.regions import regions
from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.files.board import Pane
from rosenblatt.lab.lessons.lectures.hlavac_search import EPSILON_SOLUTION, GAUSSIANS, OVERLAP, SHORTER
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, fitted
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import short, vector
from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound

MACHINE = ([1, 0, 0], [0, 1, 0], [-1, -1, 1])
PLACE = (2, 1)


def discriminants(point: tuple[float, float]) -> list[float]:
    """The scores of the three classes."""
    return [Hyperplane(w[:2], w[2]).score(point) for w in MACHINE]


CONVEX, SEVERAL, HOLES = (
    "always one convex piece, or nothing",
    "sometimes several pieces",
    "sometimes a piece with a hole",
)


ARGMAX = Step(
    (
        "A classifier divides the plane into regions, one for each class. Here every class j has a linear discriminant "
        "function f_j(x) = <w_j, x> + b_j, and a point goes to the class with the largest.",
        "Three classes: f_1 = x1, f_2 = x2 and f_3 = -x1 - x2 + 1.",
    ),
    board_of(
        [(3, 1, 1), (1, 3, 2), (-2, -2, 3)],
        Pane("perceptron", {"init": [list(w) for w in MACHINE]}),
        classes=(1, 2, 3),
    ),
    Ask(
        "Which class does the point (2, 1) go to? And what can the region of a class look like?",
        (
            Numbers(
                "scores",
                "the values at (2, 1)",
                ("f_1", "f_2", "f_3"),
                lambda: discriminants(PLACE),
                "Put x1 = 2 and x2 = 1 into each of the three.",
            ),
            Choice(
                "class",
                "class of (2, 1)",
                ("1", "2", "3"),
                lambda: str(1 + int(np.argmax(discriminants(PLACE)))),
                {"": "The largest value wins, not the one nearest to 0."},
            ),
            Choice(
                "region",
                "The region of a class is",
                (CONVEX, SEVERAL, HOLES),
                lambda: CONVEX,
                {"": "It is where f_j - f_k > 0 for all other k: an intersection of half-planes."},
            ),
        ),
        lambda: (
            f"The values are {vector(discriminants(PLACE))}, so class {1 + int(np.argmax(discriminants(PLACE)))}. The "
            "region of class j is the intersection of the half-planes f_j > f_k: half-planes are convex, and so is "
            "what they have in common."
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
VORONOI = Step(
    (
        "A Voronoi diagram gives each place to the nearest of some seeds. It is a linear machine: |x - μ|² is "
        "smallest where <μ, x> - |μ|²/2 is largest, because |x|² is the same for all seeds. So w_j = μ_j and b_j = "
        "-|μ_j|²/2.",
        "Here the seeds are the means of the classes: (0, 0), (4, 0) and (0, 4).",
    ),
    means.board,
    Ask(
        "What is b for the class b, whose mean is (4, 0)? And which class does the point (3, 2) go to?",
        (
            Number("b", "b of class b", lambda: means.model.intercept_[1], "-|μ|²/2 with |μ|² = 4² + 0²."),
            Choice(
                "class",
                "class of (3, 2)",
                ("a", "b", "c"),
                lambda: str(means.model.predict([[3, 2]])[0]),
                {"": "Compare its squared distances to the three means."},
            ),
        ),
        lambda: (
            f"b = {short(means.model.intercept_[1])}. At (3, 2) the three values are "
            f"{vector(means.model.decision_function([[3, 2]])[0])}, and class {means.model.predict([[3, 2]])[0]} "
            "wins; its mean is √5 away, the others √13."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

THREE = [
    *((0, 3, 1), (1, 4, 1), (-1, 4, 1)),
    *((3, -2, 2), (4, -1, 2), (4, -3, 2)),
    *((-3, -2, 3), (-4, -1, 3), (-4, -3, 3)),
]
against = Run(board_of(THREE, Pane("one_vs_all"), Pane("one_vs_one"), classes=(1, 2, 3)))
ONE, AMBIGUOUS = "by exactly one class", "some by none, or by several"


def claimed() -> list[str]:
    """How places of this view are claimed, but for those that one class has for itself."""
    counts = {len(region.claims) for region in regions(against.model, against.board.view)}
    return [("no class claims", "", "two classes claim", "all three claim")[count] for count in sorted(counts - {1})]


@cache
def members(scheme: Any, classes: int) -> int:
    """How many classifiers of two classes there are."""
    X = [[math.cos(angle), math.sin(angle)] for angle in np.linspace(0, 6, classes)]
    return len(fitted(scheme(Perceptron()), X, list(range(classes))).estimators_)


WRAPPED = Step(
    (
        "Many classes from classifiers of two: one against all has a line for each class, between it and the rest; one "
        "against one has a line for each pair of classes, and they vote.",
        "Each of these lines is learned by itself, so nothing makes them agree.",
    ),
    against.board,
    Ask(
        "One against all, three classes: how are the places of the plane claimed? And how many lines are there for "
        "five classes?",
        (
            Choice(
                "claims",
                "With one against all, places are claimed",
                (ONE, AMBIGUOUS),
                lambda: AMBIGUOUS if claimed() else ONE,
                {"": "Three lines cut the plane into up to seven parts, and there are only three classes."},
            ),
            Number("all", "lines, one against all, five classes", lambda: members(OneVsAll, 5), "One for each class."),
            Number(
                "one",
                "lines, one against one, five classes",
                lambda: members(OneVsOne, 5),
                "k (k - 1)/2 pairs of k classes.",
            ),
        ),
        lambda: (
            f"In this view there are places that {' and places that '.join(claimed())}. Five classes "
            f"need {members(OneVsAll, 5)} lines against all, or {members(OneVsOne, 5)} in pairs. With argmax there is "
            "no such place: some value is always the largest."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

signed = Run(board_of([(3, 2, -1), (1, 4, 1)]))
DICHOTOMY = Step(
    (
        "Two classes only, a dichotomy: <w, x> + b ≥ 0 for the one, < 0 for the other. The two kinds of inequality "
        "become one: put a 1 at the end of every x, so that b is the last weight, and change the sign of every x of "
        "the second class.",
        "Then <w, x'> > 0 is wanted for all of them, and a wrong one is simply added: w ← w + x'. (This lecture puts "
        "the constant last, as the lab does.)",
    ),
    signed.board,
    Ask(
        "The point (3, 2) is of the second, negative class. What is its x'? It is also what w becomes when it is the "
        "first mistake from w = 0.",
        (
            Numbers(
                "x",
                "x' of (3, 2)",
                ("first", "second", "third"),
                lambda: signed.after(1),
                "Write (3, 2, 1) and apply the sign of the class.",
                lambda: [
                    ((3, 2, 1), "The class is negative: the sign has to change."),
                    ((-3, -2, 1), "The sign changes the constant too: the whole of (3, 2, 1) is multiplied by -1."),
                ],
            ),
        ),
        lambda: f"x' = -(3, 2, 1) = {vector(signed.after(1))}. {signed.story(1)}",
        lambda: Reveal(t=1),
    ),
    t=0,
)

far = Run(board_of([(3, 4, 1), (-3, 4, -1), (5, 0, 1)], Pane("perceptron", {"bias": 0})))


@cache
def bound() -> MistakeBound:
    return mistake_bound(far.board.X, far.board.y, bias=0.0)


NOVIKOFF = Step(
    (
        "Novikoff (1962): let D be the length of the longest x', and m the distance from the origin to the convex "
        "hull of all x'. If the data are separable, m > 0 and there are at most D²/m² updates.",
        "Why: |w|² grows by at most D² with each, and |w| is at least t m after t of them.",
        "No bias here, so that it can be drawn: the points (3, 4) and (5, 0) are positive, (-3, 4) is negative.",
    ),
    far.board,
    Ask(
        "Change the sign of the negative point and look at the three x'. What are D, m and the most updates there can "
        "be?",
        (
            Number("D", "D", lambda: bound().radius, "The longest of (3, 4), (5, 0) and (3, -4).", within=0.001),
            Number(
                "m",
                "m",
                lambda: bound().margin_bounds[0],
                "The hull of (3, 4), (3, -4) and (5, 0) is a triangle; which of its points is nearest to the origin?",
                within=0.001,
            ),
            Number(
                "most", "updates at most (a whole number)", lambda: math.floor(bound().bound[1]), "Round D²/m² down."
            ),
        ),
        lambda: (
            f"D = {short(bound().radius)}. The nearest point of the triangle is (3, 0), so m = "
            f"{short(bound().margin_bounds[0])} and D²/m² = {short(bound().bound[1])}: at most "
            f"{math.floor(bound().bound[1])} updates, in any order. This run makes {far.trace[-1].updates}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

LESSON = Lesson(
    "family",
    "A family of linear classifiers",
    "V. Hlavac, Linear classifiers, a perceptron family",
    (ARGMAX, VORONOI, WRAPPED, DICHOTOMY, NOVIKOFF, SHORTER, EPSILON_SOLUTION, OVERLAP, GAUSSIANS),
)
