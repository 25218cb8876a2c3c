"""Learning online: a line and its sides, words as numbers, and six points one by one."""

from functools import cache

import numpy as np
import pyarrow

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Pane
from rosenblatt.data.files.encoding import Column, Encoding
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.lectures.cmu_theory import BOUND, INTERCEPT, OVERFITTING, RECENT, TO_DO
from rosenblatt.lab.lessons.questions import Choice, Line, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import vector

SIX = [(-1, 2, -1), (1, 0, 1), (1, 1, 1), (-1, 0, -1), (-1, -2, -1), (1, -1, 1)]
six = Run(board_of(SIX, Pane("perceptron", {"bias": 0, "tie": "positive"})))

WARM_UP = Hyperplane([1, 2], -4)
empty = board_of((), around=((-4, -3), (6, 4.5)))
drawn = Line("line", "your line", WARM_UP, empty.view, within=0.4)
AWAY, TOWARDS = "the side without the origin", "the side with the origin"

GEOMETRY = Step(
    (
        "Warm-up. In two dimensions w1 x1 + w2 x2 + b = 0 is a line. The vector w is perpendicular to it and points "
        "to the half-plane S+, where w.x + b > 0; on the other side is S-.",
        "Let w1 = 1, w2 = 2 and b = -4.",
    ),
    empty,
    Ask(
        "Draw the line, and say which side is S+. The line is accepted if it is off by no more than 0.4 in this view.",
        (
            drawn,
            Choice(
                "side",
                "S+ is",
                (AWAY, TOWARDS),
                lambda: TOWARDS if WARM_UP.score([0, 0]) > 0 else AWAY,
                {"": "Put the origin into x1 + 2 x2 - 4: is that above 0?"},
            ),
        ),
        lambda: (
            f"{WARM_UP.equation()} crosses the axes at (4, 0) and (0, 2). At the origin the left side is "
            f"{WARM_UP.score([0, 0]):g}, so the origin is in S-, and w = (1, 2) points away from it."
        ),
        lambda: Reveal(
            shapes=(*shapes.boundary(WARM_UP, empty.view, "answer"), *shapes.normal(WARM_UP, empty.view, "w", "w"))
        ),
    ),
)


@cache
def coded() -> list[list[float]]:
    """The lecture's three patients as numbers."""
    words = ["normal", "normal", "abnormal"]
    encoding = Encoding((Column("cholesterol", "category", ("normal", "abnormal")),))
    return [[float(x) for x in row] for row in encoding.encode(pyarrow.table({"cholesterol": words})).X]


WORDS = Step(
    (
        "A perceptron needs numbers. A feature with words becomes one feature for each word, which is 1 if it has "
        "this word and 0 if not: cholesterol = normal is (1, 0).",
        "Distances between rows of words can also be measured as they are: the Hamming distance counts the features "
        "in which two rows differ.",
    ),
    board_of(
        [(1, 0, "well"), (0, 1, "ill")],
        classes=("well", "ill"),
        names=("normal?", "abnormal?"),
        around=((0, 0), (1.2, 1.2)),
    ),
    Ask(
        "Three patients have cholesterol normal, normal, abnormal. What does the third become? In how many of the new "
        "features do the first and the third differ?",
        (
            Numbers(
                "code",
                "the third patient",
                ("normal?", "abnormal?"),
                lambda: coded()[2],
                "It is abnormal: a 1 where that is asked, a 0 elsewhere.",
                lambda: [((1, 0), "That is normal.")],
            ),
            Number(
                "differ",
                "new features that differ",
                lambda: int(np.sum(np.array(coded()[0]) != np.array(coded()[2]))),
                "Compare (1, 0) with your answer, place by place.",
            ),
        ),
        lambda: (
            f"The three are {', '.join(vector(row) for row in coded())}. The first and the third differ in both new "
            "features, although they differ in one word: a line can tell them apart now, and each word has a weight "
            "of its own."
        ),
    ),
)

FIRST = Step(
    (
        "The online protocol, for t = 1, 2, 3, ...: receive a point, predict its label, see the true label, pay if "
        "they differ, update. Here without an intercept, and sign(0) = +1.",
        "Six points come. We start from w = (0, 0).",
    ),
    six.board,
    Ask(
        "The first point is (-1, 2), and its label turns out to be -1. Go through the step.",
        (six.predicted(1), six.mistake(1), six.weights(1)),
        lambda: (
            "With w = (0, 0) every score is 0, and sign(0) = +1: a mistake. w + y x = (0, 0) - (-1, 2) = "
            f"{vector(six.after(1))}."
        ),
        lambda: Reveal(t=1),
        chained=True,
    ),
    t=0,
)

SECOND = Step(
    ("The next two points are (1, 0) with label +1, and (1, 1) with label +1.",),
    six.board,
    Ask(
        "Go through both steps, from w = (1, -2).",
        (six.score(2), six.mistake(2), six.score(3), six.mistake(3), six.weights(3)),
        lambda: f"{six.story(2)} {six.story(3)}",
        lambda: Reveal(t=3),
        chained=True,
    ),
    t=1,
)

THIRD = Step(
    ("Three more: (-1, 0) with label -1, (-1, -2) with label -1, and (1, -1) with label +1.",),
    six.board,
    Ask(
        "Which of them are mistakes, and what is w after all six?",
        (six.mistake(4), six.mistake(5), six.mistake(6), six.weights(6)),
        lambda: f"{six.story(4)} {six.story(5)} {six.story(6)}",
        lambda: Reveal(t=6),
        chained=True,
    ),
    t=3,
)

LESSON = Lesson(
    "online",
    "Learning online, one point at a time",
    "CMU 10-301, lecture 6, Perceptron",
    (GEOMETRY, WORDS, FIRST, SECOND, THIRD, INTERCEPT, RECENT, BOUND, OVERFITTING, TO_DO),
)
