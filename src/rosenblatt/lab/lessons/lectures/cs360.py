"""The perceptron's line: any that separates, and the one with the largest margin."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

import numpy as np

from rosenblatt import losses
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Pane
from rosenblatt.lab.lessons.lectures.cs360_margin import LIFT, MARGINS, WIDEST
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import product, short

PLANE = Hyperplane([2, 1], -5)
CLASSES = ("+1", "-1")
SIX = [(3, 1, -1), (3, 6, 1), (2, 0, -1), (0, 6, 1), (4, 3, -1), (0, 5, 1)]
given = {"init": [2, 1, -5], "tie": "negative"}


def class_of(point: tuple[float, float]) -> str:
    """The class of a point by the lecture's line; 0 is negative there."""
    return f"{PLANE.side(point, tie='negative'):+d}"


def scored(point: tuple[float, float]) -> str:
    return product(PLANE.weights.tolist(), point, 1.0, PLANE.score(point))


MODEL = Step(
    (
        "A perceptron with known weights: b = -5 and w = (2, 1). The lecture writes them as one vector, the bias "
        "first, (-5; 2, 1), and puts a 1 in front of every point. Here b is last, and the page shows it apart.",
        f"The boundary is -5 + 2 x1 + x2 = 0, or {PLANE.equation(solve_for='x2')}. A score above 0 means class +1.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1)], Pane("perceptron", given)),
    Ask(
        "Compute the scores of (1, 5) and of (-3, -2), and their classes.",
        (
            Number("first", "score of (1, 5)", lambda: PLANE.score([1, 5]), "-5 + 2*1 + 1*5: do not forget the bias."),
            Choice(
                "first_class", "class of (1, 5)", CLASSES, lambda: class_of((1, 5)), {"": "Look at the score's sign."}
            ),
            Number(
                "second",
                "score of (-3, -2)",
                lambda: PLANE.score([-3, -2]),
                "-5 + 2*(-3) + 1*(-2): all three are below 0.",
            ),
            Choice(
                "second_class",
                "class of (-3, -2)",
                CLASSES,
                lambda: class_of((-3, -2)),
                {"": "Look at the score's sign."},
            ),
        ),
        lambda: (
            f"{scored((1, 5))}, so (1, 5) is {class_of((1, 5))}: it lies on the side that w points to. "
            f"{scored((-3, -2))}, so (-3, -2) is {class_of((-3, -2))}."
        ),
        lambda: Reveal(t=2),
    ),
    t=0,
)

ON_IT = Step(
    (
        "What about a point exactly on the boundary? Its score is 0, and a convention must decide.",
        "This lecture says: positive only if w.x > 0. Other lectures say: positive if w.x ≥ 0, or: always a "
        "mistake while learning. The lab has all three, under 'A score of 0'.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1), (2, 1, -1)], Pane("perceptron", given)),
    Ask(
        "Which class does this lecture give to the point (2, 1)?",
        (
            Number("score", "score of (2, 1)", lambda: PLANE.score([2, 1]), "-5 + 2*2 + 1*1."),
            Choice(
                "class",
                "class of (2, 1)",
                CLASSES,
                lambda: class_of((2, 1)),
                {"+1": "It is not on the side that w points to; it is on the line, and here 0 is not above 0."},
            ),
        ),
        lambda: (
            f"{scored((2, 1))}: the point is on the line, and goes to the class {class_of((2, 1))}. With the other "
            f"convention it would be {PLANE.side([2, 1], tie='positive'):+d}. Few points are hit by this, except at "
            "the start: from w = 0 every score is 0."
        ),
        lambda: Reveal(t=3),
    ),
    t=0,
)

shuffled = Run(board_of(SIX, Pane("perceptron", {"order": "random", "tie": "negative", "random_state": 1})))
RANDOM = Step(
    (
        "The algorithm: start from w = 0. Draw a training point at random. If it is classified correctly, do nothing; "
        "else w ← w + y x and b ← b + y. Repeat until all training points are right.",
        "Six points, drawn at random with replacement, so that some may come twice before others come at all.",
    ),
    shuffled.board,
    Ask(
        "Does a step always change the weights? And will this run stop?",
        (
            yes_or_no(
                "always",
                "Every step changes w",
                lambda: all(step.updated for step in shuffled.trace),
                "What happens to a point that is already right?",
            ),
            yes_or_no(
                "stops",
                "It stops",
                lambda: str(shuffled.trace.stop_reason) == "mistake_free",
                "Look at the points: can you see a line between the classes?",
            ),
        ),
        lambda: (
            f"Of {len(shuffled.trace)} steps only {shuffled.trace[-1].updates} changed the weights; the other points "
            "were right when they came. A line separates the classes, so in whatever order the points are drawn there "
            f"are finitely many updates. It ends with {shuffled.told(len(shuffled.trace))}."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

one, other = (
    Run(
        board_of(SIX, *(Pane("perceptron", {"tie": "negative", "order": order}) for order in ("cyclic", "worst"))), pane
    )
    for pane in (0, 1)
)
SAME, BOTH, NEITHER = (
    "the same line",
    "different lines, both separate",
    "different lines, one of them does not separate",
)


def compared() -> str:
    lines = [run.model.hyperplane_ for run in (one, other)]
    if np.allclose(lines[0].unit().weights, lines[1].unit().weights):
        return SAME
    return BOTH if all(line.margin(one.board.X, one.board.y) > 0 for line in lines) else NEITHER


def margin_of(run: Run) -> str:
    return short(run.model.hyperplane_.margin(run.board.X, run.board.y))


ANY = Step(
    (
        "The perceptron is content with any separating line. On the left the points come as given, on the right the "
        "worst mistake comes first. The points are the same.",
    ),
    one.board,
    Ask(
        "What will the two runs end with?",
        (
            Choice(
                "lines",
                "They end with",
                (SAME, BOTH, NEITHER),
                compared,
                {
                    SAME: "w is a sum of the points that were mistakes, and these depend on the order.",
                    NEITHER: "Each stops only when all training points are right.",
                },
            ),
        ),
        lambda: (
            f"The first ends with {one.model.hyperplane_.equation()}, the second with "
            f"{other.model.hyperplane_.equation()}. Both have all points on their right side, but the nearest point "
            f"is {margin_of(one)} away from the first and {margin_of(other)} from the second. New points may be "
            "judged differently."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

full, half = (
    Run(board_of(SIX, *(Pane("perceptron", {"tie": "negative", "learning_rate": rate}) for rate in (1.0, 0.5))), pane)
    for pane in (0, 1)
)
POINT = (0, 1)
LOSS = Step(
    (
        "Where does the rule come from? The surrogate loss adds up, over all points, max(0, -y (w.x)): nothing for a "
        "point that is right, and the more the farther it is on its wrong side.",
        "For a point that is wrong the gradient is -y x, so a step of gradient descent with learning rate α is "
        "w ← w + α y x. With α = 1 it is the perceptron's.",
    ),
    board_of([(1, 5, 1), (-3, -2, -1), (*POINT, 1)], Pane("perceptron", given)),
    Ask(
        "The weights are w = (2, 1), b = -5 again, and there is a third point, (0, 1) of class +1. What is the loss?",
        (
            Number(
                "loss",
                "the loss, summed over the three points",
                lambda: losses.perceptron_loss(PLANE.weights, [(1, 5), (-3, -2), POINT], [1, -1, 1]),
                "Only points on their wrong side count. What is the score of (0, 1), and what is -y times it?",
            ),
        ),
        lambda: (
            "(1, 5) and (-3, -2) are right and cost nothing. "
            f"(0, 1) scores {scored(POINT)} with y = +1, which costs "
            f"{short(losses.perceptron_loss(PLANE.weights, [POINT], [1]))}."
        ),
        lambda: Reveal(t=3),
    ),
    t=0,
)

RATE = Step(
    (
        "Does the learning rate matter? The first run has α = 1, the second α = 1/2; both start from w = 0 and see the "
        "points in the same order.",
    ),
    full.board,
    Ask(
        "Go to the end of the first run and read off w and b. What are they at the end of the second?",
        (
            Numbers(
                "w",
                "weights with α = 1/2",
                full.parts,
                lambda: half.after(len(half.trace)),
                "From w = 0 the first mistakes are the same; compare the weights after the first update of both runs.",
                lambda: [(full.after(len(full.trace)), "These are the weights with α = 1.")],
            ),
            Choice(
                "updates",
                "number of updates with α = 1/2",
                ("fewer", "as many", "more"),
                lambda: ("fewer", "as many", "more")[1 + int(np.sign(half.trace[-1].updates - full.trace[-1].updates))],
                {"": "If w is halved, which scores change their sign?"},
            ),
        ),
        lambda: (
            f"With α = 1: {full.told(len(full.trace))}; with α = 1/2: {half.told(len(half.trace))}, each number "
            f"halved, after {half.trace[-1].updates} updates in both runs. From w = 0 the rate only scales w: no "
            "score changes its sign, so the mistakes and the line are the same. From another start it does matter."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

LESSON = Lesson(
    "margin",
    "Any separating line, and the best one",
    "CS 360, Perceptron and the way to support vector machines",
    (MODEL, ON_IT, RANDOM, ANY, LOSS, RATE, LIFT, MARGINS, WIDEST),
)
