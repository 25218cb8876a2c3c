"""What the intercept does, what the last mistakes do, how many mistakes there can be, and what to be able to do."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

import math
from functools import cache

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Pane
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import short
from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound

SIX = [(-1, 2, -1), (1, 0, 1), (1, 1, 1), (-1, 0, -1), (-1, -2, -1), (1, -1, 1)]
six = Run(board_of(SIX, Pane("perceptron", {"bias": 0, "tie": "positive"})))

LOW, HIGH = Hyperplane([3, 4], -5), Hyperplane([3, 4], 0)
NEGATIVE, POSITIVE, TURNS = "towards the negative side", "towards the positive side", "not at all: it turns"


def moved() -> str:
    """Where the line goes when b is raised: a point of it is then on the side that the line has left behind."""
    point = LOW.w * -LOW.b / LOW.norm**2
    return NEGATIVE if HIGH.score(point) > 0 else POSITIVE


def way() -> float:
    """How far the line goes."""
    return float(HIGH.distance(LOW.w * -LOW.b / LOW.norm**2))


INTERCEPT = Step(
    (
        "With an intercept b the line need not go through the origin. Fold it in: give every point one more "
        "coordinate that is always 1, and b is the weight of it. (The lecture puts this 1 in front, and θ = (b, w1, "
        "w2); here b is last.) A mistake changes b by y.",
        "Here w = (3, 4). In the first run b = -5, in the second it is raised to b = 0.",
    ),
    board_of(
        [(3, 2, 1), (-3, -1, -1)],
        Pane("perceptron", {"init": [3, 4, -5]}),
        Pane("perceptron", {"init": [3, 4, 0]}),
    ),
    Ask(
        "Which way does the line move when b grows, and how far from b = -5 to b = 0?",
        (
            Choice(
                "way",
                "The line moves",
                (NEGATIVE, POSITIVE, TURNS),
                moved,
                {
                    POSITIVE: "A larger b makes every score larger: more points become positive, not fewer.",
                    TURNS: "Its direction is that of w, which stays.",
                },
            ),
            Number("far", "by a distance of", way, "The change of b divided by |w| = √(3² + 4²)."),
        ),
        lambda: (
            "A larger b adds to every score, so S+ grows: the line moves towards the negative side, by the change of "
            f"b over |w|, 5/5 = {short(way())}."
        ),
        lambda: Reveal(t=0),
    ),
    t=0,
)

LATE = [(-2, -1), (-1, -2), (-3, 0), (-1, -1)], [(2, 1), (1, 2), (3, 1), (1, 1)]
STREAM = [point for a, b in zip(*LATE, strict=True) for point in ((*a, -1), (*b, 1))]
last, mean = (
    Run(
        board_of(
            [*STREAM, (3, 3, -1)],
            *(
                Pane("perceptron", {"tie": "positive", "max_epochs": 1} | more)
                for more in ({}, {"average": "averaged"})
            ),
        ),
        pane,
    )
    for pane in (0, 1)
)
LAST, MEAN, EQUAL = "the last weights", "the mean of all weights", "neither"


def errors(run: Run) -> int:
    return int((run.model.predict(run.board.X.tolist()) != run.board.y).sum())


def fewer() -> str:
    difference = errors(last) - errors(mean)
    return MEAN if difference > 0 else LAST if difference < 0 else EQUAL


RECENT = Step(
    (
        "The perceptron's inductive bias: the boundary is a line, and recent mistakes count for more than older ones, "
        "because they are corrected at once, whatever that does to the points before.",
        "Eight points of two clear groups come, and then a ninth, (3, 3), with the label -1 among the positive ones. "
        "One pass is made. The first run answers with its last weights, the second with the mean of all weights it "
        "had on the way.",
    ),
    last.board,
    Ask(
        "After this pass, which of the two errs on fewer of the nine points?",
        (
            Choice(
                "better",
                "Fewer errors has",
                (LAST, MEAN, EQUAL),
                fewer,
                {
                    "": "The last point is a mistake, and |x|² = 18 is large. What does subtracting it do to the "
                    "weights?"
                },
            ),
        ),
        lambda: (
            f"The last update leaves {last.told(9)}, which errs on {errors(last)} of 9 points. The mean of the "
            f"weights errs on {errors(mean)}: weights that were right for long have more say than the last. "
            "Averaging, or voting, is the remedy for recency."
        ),
        lambda: Reveal(t=-1),
    ),
    t=8,
)


@cache
def limit() -> MistakeBound:
    return mistake_bound(six.board.X, six.board.y, bias=0.0)


BOUND = Step(
    (
        "The mistake bound: if all points are in a ball of radius R around the origin, and the data have margin γ, the "
        "perceptron makes at most (R/γ)² mistakes, online or in passes, in any order.",
        "The margin of the data is the largest distance that a separating line can keep from its nearest point. The "
        "distance of a point to a line is |w.x + b| / |w|.",
        "For our six points, and lines through the origin, the best line is the x2 axis.",
    ),
    six.board,
    Ask(
        "What are R² and γ? How many mistakes can there be at most, and could there be six if the points came in "
        "another order?",
        (
            Number(
                "radius",
                "R²",
                lambda: round(limit().radius ** 2, 6),
                "The squared length of the longest point, (-1, 2) or (-1, -2).",
            ),
            Number("gamma", "γ", lambda: round(limit().margin_bounds[0], 6), "The distance of (1, 0) to the x2 axis."),
            Number("most", "mistakes at most", lambda: math.floor(limit().bound[1]), "(R/γ)²."),
            yes_or_no(
                "six", "Six mistakes are possible", lambda: limit().bound[1] >= 6, "The bound holds for every order."
            ),
        ),
        lambda: (
            f"R² = {short(limit().radius ** 2)} and γ = {short(limit().margin_bounds[0])}, so at most "
            f"{math.floor(limit().bound[1])} mistakes, whatever the order, for as long as these points keep coming. "
            f"The run above made {six.trace[-1].updates}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

FALSE = "false: it can overfit"
OVERFITTING = Step(
    (
        "A poll of the lecture. Decision trees and nearest neighbours can overfit. Does the perceptron not, because "
        "it has no hyperparameter that could be tuned too much on a validation set?",
    ),
    board_of(
        [*STREAM[:6], (1.5, -2.5, -1), (-2.5, 1.2, 1)], Pane("perceptron"), Pane("perceptron", {"average": "averaged"})
    ),
    Ask(
        "True or false: the perceptron does not suffer from overfitting, because it has no hyperparameters.",
        (
            Choice(
                "poll",
                "It is",
                ("true", FALSE),
                lambda: FALSE,
                {
                    "true": "Overfitting is doing better on the training points than on new ones. What does the rule "
                    "do about a single odd training point?"
                },
            ),
        ),
        lambda: (
            "It is false: learning goes on until every training point is right, odd ones too, and every odd point that "
            "it fits may move the line to where new points are judged worse. Hyperparameters have nothing to do with "
            "it. The last exercise is about this."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

TO_DO = Step(
    (
        "What you should be able to do now: run the algorithm by hand; tell from the data whether it will converge, "
        "and what the guarantee does not cover; draw the boundary of given weights; tell whether data are separable; "
        "defend the bias; and say why it can overfit.",
        "Each of these six is an exercise here. They are posed anew as often as you like, and the lab checks your "
        "answers.",
    ),
)
