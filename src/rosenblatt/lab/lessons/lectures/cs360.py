"""Lesson on CS 360: the perceptron finds some separating line; the support vector machine finds the best one."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

import numpy as np

from rosenblatt import losses
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.lab.lessons.lectures.cs360_margin import MARGINS_STEP, MAX_MARGIN_STEP, NEW_COLUMN_STEP
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import product, short

LINE = Hyperplane([2, 1], -5)
CLASSES = ("+1", "-1")
SIX_POINTS = [(3, 1, -1), (3, 6, 1), (2, 0, -1), (0, 6, 1), (4, 3, -1), (0, 5, 1)]
OPTIONS = {"init": [2, 1, -5], "tie": "negative"}


def class_of(point: tuple[float, float]) -> str:
    """The class of a point under the line of the lecture, where a score of 0 is negative."""
    return f"{LINE.side(point, tie='negative'):+d}"


def score_text(point: tuple[float, float]) -> str:
    """The score of a point as a sum."""
    return product(LINE.weights.tolist(), point, 1.0, LINE.decision_function(point))


SCORE_STEP = Step(
    (
        "This perceptron has known weights: b = -5 and w = (2, 1). The lecture writes them as one vector with the bias "
        "first, (-5; 2, 1), and puts a 1 in front of every point. Here b is last, and the page shows it separately.",
        f"The boundary is -5 + 2 x1 + x2 = 0, or {LINE.equation(solve_for='x2')}. A score above 0 means class +1.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1)], Pane("perceptron", OPTIONS)),
    Ask(
        "Compute the scores of (1, 5) and of (-3, -2), and their classes.",
        (
            Number(
                "first",
                "score of (1, 5)",
                lambda: LINE.decision_function([1, 5]),
                "Compute -5 + 2*1 + 1*5. Do not forget the bias.",
            ),
            Choice(
                "first_class",
                "class of (1, 5)",
                CLASSES,
                lambda: class_of((1, 5)),
                {"": "Look at the sign of the score."},
            ),
            Number(
                "second",
                "score of (-3, -2)",
                lambda: LINE.decision_function([-3, -2]),
                "Compute -5 + 2*(-3) + 1*(-2). All three terms are negative.",
            ),
            Choice(
                "second_class",
                "class of (-3, -2)",
                CLASSES,
                lambda: class_of((-3, -2)),
                {"": "Look at the sign of the score."},
            ),
        ),
        lambda: (
            f"{score_text((1, 5))}, so (1, 5) has class {class_of((1, 5))}. It lies on the side that w points to. "
            f"{score_text((-3, -2))}, so (-3, -2) has class {class_of((-3, -2))}."
        ),
        lambda: Reveal(t=2),
    ),
    t=0,
)

TIE_STEP = Step(
    (
        "What is the class of a point exactly on the boundary? Its score is 0, so we need a convention.",
        "In this lecture, the class is positive only if w.x > 0. In other lectures it is positive if w.x ≥ 0, or a "
        "score of 0 is always a mistake while learning. The lab has all three, in the option 'A score of 0'.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1), (2, 1, -1)], Pane("perceptron", OPTIONS)),
    Ask(
        "Which class does this lecture give to the point (2, 1)?",
        (
            Number("score", "score of (2, 1)", lambda: LINE.decision_function([2, 1]), "Compute -5 + 2*2 + 1*1."),
            Choice(
                "class",
                "class of (2, 1)",
                CLASSES,
                lambda: class_of((2, 1)),
                {"+1": "The point is on the line. Its score 0 is not above 0, so in this lecture it is not positive."},
            ),
        ),
        lambda: (
            f"{score_text((2, 1))}. The point is on the line and gets the class {class_of((2, 1))}. With w.x ≥ 0 it "
            f"would get {LINE.side([2, 1], tie='positive'):+d}. This concerns few points, except at the start: with "
            "w = 0 every score is 0."
        ),
        lambda: Reveal(t=3),
    ),
    t=0,
)

shuffled = Run(board_of(SIX_POINTS, Pane("perceptron", {"order": "random", "tie": "negative", "random_state": 1})))
RANDOM_ORDER_STEP = Step(
    (
        "The algorithm: start from w = 0. Draw a training point at random. If it is classified correctly, do nothing. "
        "Otherwise w ← w + y x and b ← b + y. Repeat until all training points are right.",
        "Here are six points. They are drawn with replacement, so one point may come twice before another comes once.",
    ),
    shuffled.board,
    Ask(
        "Does a step always change the weights? And will this run stop?",
        (
            yes_or_no(
                "always",
                "Every step changes w",
                lambda: all(step.updated for step in shuffled.trace),
                "What does the algorithm do if the point is already right?",
            ),
            yes_or_no(
                "stops",
                "It stops",
                lambda: str(shuffled.trace.stop_reason) == "mistake_free",
                "Look at the points. Is there a line between the classes?",
            ),
        ),
        lambda: (
            f"Of {len(shuffled.trace)} steps, only {shuffled.trace[-1].updates} changed the weights. In the other "
            "steps the point was already right. A line separates the classes, so the number of updates is finite in "
            f"any order. The run ends with {shuffled.weights_text(len(shuffled.trace))}."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

one, other = (
    Run(
        board_of(
            SIX_POINTS, *(Pane("perceptron", {"tie": "negative", "order": order}) for order in ("cyclic", "worst"))
        ),
        pane,
    )
    for pane in (0, 1)
)
SAME, BOTH, ONE_FAILS = (
    "the same line",
    "different lines, and both separate the classes",
    "different lines, and one does not separate the classes",
)


def comparison() -> str:
    """Compare the lines that the two runs end with."""
    lines = [run.model.hyperplane_ for run in (one, other)]
    if np.allclose(lines[0].unit().weights, lines[1].unit().weights):
        return SAME
    return BOTH if all(line.margin(one.board.X, one.board.y) > 0 for line in lines) else ONE_FAILS


def margin_of(run: Run) -> str:
    """The margin of the last line of a run."""
    return short(run.model.hyperplane_.margin(run.board.X, run.board.y))


ANY_LINE_STEP = Step(
    (
        "The perceptron stops at any separating line. On the left, the points come in the given order. On the right, "
        "the worst mistake comes first. The points are the same.",
    ),
    one.board,
    Ask(
        "What will the two runs end with?",
        (
            Choice(
                "lines",
                "They end with",
                (SAME, BOTH, ONE_FAILS),
                comparison,
                {
                    SAME: "w is a sum of the points that were mistakes. The order decides which points these are.",
                    ONE_FAILS: "Each run stops only when all training points are right.",
                },
            ),
        ),
        lambda: (
            f"The first run ends with {one.model.hyperplane_.equation()}, the second with "
            f"{other.model.hyperplane_.equation()}. Both lines separate the classes. But the distance to the nearest "
            f"point is {margin_of(one)} for the first line and {margin_of(other)} for the second. The two lines may "
            "classify new points differently."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

full, half = (
    Run(
        board_of(SIX_POINTS, *(Pane("perceptron", {"tie": "negative", "learning_rate": rate}) for rate in (1.0, 0.5))),
        pane,
    )
    for pane in (0, 1)
)
WRONG_POINT = (0, 1)
LOSS_STEP = Step(
    (
        "Where does the update rule come from? The surrogate loss is the sum of max(0, -y (w.x)) over all points. It "
        "is 0 for a point that is right. For a wrong point, it grows with the distance to the line.",
        "For a wrong point the gradient is -y x. So a step of gradient descent with learning rate α is w ← w + α y x. "
        "With α = 1 this is the rule of the perceptron.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1), (*WRONG_POINT, 1)], Pane("perceptron", OPTIONS)),
    Ask(
        "The weights are again w = (2, 1), b = -5. There is a third point, (0, 1), of class +1. What is the loss?",
        (
            Number(
                "loss",
                "the loss, summed over the three points",
                lambda: losses.perceptron_loss(LINE.weights, [(1, 5), (-3, -2), WRONG_POINT], [1, -1, 1]),
                "Only points on their wrong side count. What is the score of (0, 1)? Multiply it by -y.",
            ),
        ),
        lambda: (
            "(1, 5) and (-3, -2) are right, so their loss is 0. "
            f"The score of (0, 1) is {score_text(WRONG_POINT)} and y = +1, so its loss is "
            f"{short(losses.perceptron_loss(LINE.weights, [WRONG_POINT], [1]))}."
        ),
        lambda: Reveal(t=3),
    ),
    t=0,
)

LEARNING_RATE_STEP = Step(
    (
        "Does the learning rate matter? The first run has α = 1, the second α = 1/2. Both start from w = 0, and the "
        "points come in the same order.",
    ),
    full.board,
    Ask(
        "Go to the end of the first run and read w and b. What are w and b at the end of the second run?",
        (
            Numbers(
                "w",
                "weights with α = 1/2",
                full.parts,
                lambda: half.weights_after(len(half.trace)),
                "Both runs start from w = 0 and make the same first mistake. Compare their weights after the first "
                "update.",
                lambda: [(full.weights_after(len(full.trace)), "These are the weights with α = 1.")],
            ),
            Choice(
                "updates",
                "number of updates with α = 1/2",
                ("fewer", "the same", "more"),
                lambda: ("fewer", "the same", "more")[
                    1 + int(np.sign(half.trace[-1].updates - full.trace[-1].updates))
                ],
                {"": "If w is divided by 2, which scores change their sign?"},
            ),
        ),
        lambda: (
            f"With α = 1: {full.weights_text(len(full.trace))}. With α = 1/2: {half.weights_text(len(half.trace))}. "
            f"Each number is halved, and both runs make {half.trace[-1].updates} updates. From w = 0 the rate only "
            "scales w. No score changes its sign, so the mistakes and the line are the same. With other start "
            "weights, the rate does matter."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

LESSON = Lesson(
    "margin",
    "Any separating line, and the best one",
    "CS 360, Perceptron and the way to support vector machines",
    (
        SCORE_STEP,
        TIE_STEP,
        RANDOM_ORDER_STEP,
        ANY_LINE_STEP,
        LOSS_STEP,
        LEARNING_RATE_STEP,
        NEW_COLUMN_STEP,
        MARGINS_STEP,
        MAX_MARGIN_STEP,
    ),
)
