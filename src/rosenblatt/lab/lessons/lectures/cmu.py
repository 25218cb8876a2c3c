"""Lesson on CMU 10-301, lecture 6: a line and its sides, words as numbers, and online learning."""

from functools import cache

import numpy as np
import pyarrow

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.encoding import Column, Encoding
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.lectures.cmu_theory import (
    BOUND_STEP,
    INTERCEPT_STEP,
    OVERFITTING_STEP,
    RECENCY_STEP,
    SUMMARY_STEP,
    six,
)
from rosenblatt.lab.lessons.questions import Choice, Line, Number, Numbers
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import vector

LINE = Hyperplane([1, 2], -4)
empty_board = board_of((), around=((-4, -3), (6, 4.5)))
line_question = Line("line", "your line", LINE, empty_board.view, within=0.4)
WITHOUT_ORIGIN, WITH_ORIGIN = "the side without the origin", "the side with the origin"

LINE_STEP = Step(
    (
        "First, some geometry. In two dimensions, w1 x1 + w2 x2 + b = 0 is a line. The vector w is perpendicular to "
        "it. It points to the half-plane S+, where w.x + b > 0. The other side is S-.",
        "Let w1 = 1, w2 = 2 and b = -4.",
    ),
    empty_board,
    Ask(
        "Draw the line. Which side is S+? Your line is accepted if it is at most 0.4 away from the right line in this "
        "view.",
        (
            line_question,
            Choice(
                "side",
                "S+ is",
                (WITHOUT_ORIGIN, WITH_ORIGIN),
                lambda: WITH_ORIGIN if LINE.decision_function([0, 0]) > 0 else WITHOUT_ORIGIN,
                {"": "Put the origin into x1 + 2 x2 - 4. Is the result above 0?"},
            ),
        ),
        lambda: (
            f"The line {LINE.equation()} crosses the axes at (4, 0) and (0, 2). At the origin, the left side of the "
            f"equation is {LINE.decision_function([0, 0]):g}. So the origin is in S-, and w = (1, 2) points away from "
            "it."
        ),
        lambda: Reveal(
            shapes=(
                *shapes.boundary(LINE, empty_board.view, "answer"),
                *shapes.normal(LINE, empty_board.view, "w", "w"),
            )
        ),
    ),
)


@cache
def encoded() -> list[list[float]]:
    """The three patients of the lecture as numbers."""
    words = ["normal", "normal", "abnormal"]
    encoding = Encoding((Column("cholesterol", "category", ("normal", "abnormal")),))
    return [[float(x) for x in row] for row in encoding.encode(pyarrow.table({"cholesterol": words})).X]


WORDS_STEP = Step(
    (
        "A perceptron needs numbers. A feature whose values are words becomes several new features, one for each word. "
        "The new feature is 1 if the value is this word, and 0 otherwise. For example, cholesterol = normal becomes "
        "(1, 0).",
        "There is also a distance between rows of words: the Hamming distance is the number of features in which two "
        "rows differ.",
    ),
    board_of(
        [(1, 0, "well"), (0, 1, "ill")],
        classes=("well", "ill"),
        names=("normal?", "abnormal?"),
        around=((0, 0), (1.2, 1.2)),
    ),
    Ask(
        "Three patients have the cholesterol values normal, normal and abnormal. What does the third value become? In "
        "how many of the new features do the first and the third patient differ?",
        (
            Numbers(
                "code",
                "the third patient",
                ("normal?", "abnormal?"),
                lambda: encoded()[2],
                "The value is abnormal. Write 1 for this word and 0 for the other word.",
                lambda: [((1, 0), "This is the code of normal.")],
            ),
            Number(
                "differ",
                "new features that differ",
                lambda: int(np.sum(np.array(encoded()[0]) != np.array(encoded()[2]))),
                "Compare (1, 0) with your answer, number by number.",
            ),
        ),
        lambda: (
            f"The three patients become {', '.join(vector(row) for row in encoded())}. The first and the third differ "
            "in both new features, although they differ in only one word. Now a line can separate them, and each word "
            "has its own weight."
        ),
    ),
)

FIRST_POINT_STEP = Step(
    (
        "Online learning repeats these actions for t = 1, 2, 3, ...: receive a point, predict its label, see the true "
        "label, count a mistake if they differ, update the weights. Here there is no intercept, and sign(0) = +1.",
        "There are six points. We start from w = (0, 0).",
    ),
    six.board,
    Ask(
        "The first point is (-1, 2), and its true label is -1. Compute this step.",
        (six.ask_predicted(1), six.ask_mistake(1), six.ask_weights(1)),
        lambda: (
            "With w = (0, 0) every score is 0, and sign(0) = +1. The label is -1, so this is a mistake. The new "
            f"weights are w + y x = (0, 0) - (-1, 2) = {vector(six.weights_after(1))}."
        ),
        lambda: Reveal(t=1),
        chained=True,
    ),
    t=0,
)

NEXT_TWO_STEP = Step(
    ("The next two points are (1, 0) with label +1 and (1, 1) with label +1.",),
    six.board,
    Ask(
        "Compute both steps, starting from w = (1, -2).",
        (six.ask_score(2), six.ask_mistake(2), six.ask_score(3), six.ask_mistake(3), six.ask_weights(3)),
        lambda: f"{six.explanation(2)} {six.explanation(3)}",
        lambda: Reveal(t=3),
        chained=True,
    ),
    t=1,
)

LAST_THREE_STEP = Step(
    ("The last three points are (-1, 0) with label -1, (-1, -2) with label -1 and (1, -1) with label +1.",),
    six.board,
    Ask(
        "Which of them are mistakes, and what is w after all six?",
        (six.ask_mistake(4), six.ask_mistake(5), six.ask_mistake(6), six.ask_weights(6)),
        lambda: f"{six.explanation(4)} {six.explanation(5)} {six.explanation(6)}",
        lambda: Reveal(t=6),
        chained=True,
    ),
    t=3,
)

LESSON = Lesson(
    "online",
    "Learning online, one point at a time",
    "CMU 10-301, lecture 6, Perceptron",
    (
        LINE_STEP,
        WORDS_STEP,
        FIRST_POINT_STEP,
        NEXT_TWO_STEP,
        LAST_THREE_STEP,
        INTERCEPT_STEP,
        RECENCY_STEP,
        BOUND_STEP,
        OVERFITTING_STEP,
        SUMMARY_STEP,
    ),
)
