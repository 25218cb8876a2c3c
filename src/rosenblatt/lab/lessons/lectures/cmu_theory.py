"""Last steps of the lesson on CMU 10-301, lecture 6: intercept, recent mistakes, mistake bound and overfitting."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

from functools import cache

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import count_of
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import short
from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound

SIX_POINTS = [(-1, 2, -1), (1, 0, 1), (1, 1, 1), (-1, 0, -1), (-1, -2, -1), (1, -1, 1)]
six = Run(board_of(SIX_POINTS, Pane("perceptron", {"bias": 0, "tie": "positive"})))

LOW_B, HIGH_B = Hyperplane([3, 4], -5), Hyperplane([3, 4], 0)
NEGATIVE, POSITIVE, TURNS = "towards the negative side", "towards the positive side", "not at all: it turns"


def direction() -> str:
    """The side towards which the line moves if b grows. A point of the old line is then on the other side."""
    point = LOW_B.w * -LOW_B.b / LOW_B.norm**2
    return NEGATIVE if HIGH_B.decision_function(point) > 0 else POSITIVE


def distance_moved() -> float:
    """The distance between the line with the low b and the line with the high b."""
    return float(HIGH_B.distance(LOW_B.w * -LOW_B.b / LOW_B.norm**2))


INTERCEPT_STEP = Step(
    (
        "With an intercept b, the line need not go through the origin. To learn b like a weight, give every point one "
        "more coordinate that is always 1. Then b is the weight of this coordinate, and a mistake changes b by y. (The "
        "lecture puts the 1 first, so that θ = (b, w1, w2). Here b is last.)",
        "Here w = (3, 4). The first run has b = -5. The second run has b = 0.",
    ),
    board_of(
        [(3, 2, 1), (-3, -1, -1)],
        Pane("perceptron", {"init": [3, 4, -5]}),
        Pane("perceptron", {"init": [3, 4, 0]}),
    ),
    Ask(
        "In which direction does the line move if b grows? How far does it move from b = -5 to b = 0?",
        (
            Choice(
                "way",
                "The line moves",
                (NEGATIVE, POSITIVE, TURNS),
                direction,
                {
                    POSITIVE: "A larger b makes every score larger. So more points become positive, not fewer.",
                    TURNS: "The direction of the line depends only on w, and w stays the same.",
                },
            ),
            Number("far", "by a distance of", distance_moved, "Divide the change of b by |w| = √(3² + 4²)."),
        ),
        lambda: (
            "A larger b makes every score larger, so S+ grows. The line moves towards the negative side. The distance "
            f"is the change of b divided by |w|: 5/5 = {short(distance_moved())}."
        ),
        lambda: Reveal(t=0),
    ),
    t=0,
)

GROUPS = [(-2, -1), (-1, -2), (-3, 0), (-1, -1)], [(2, 1), (1, 2), (3, 1), (1, 1)]
CLEAR_POINTS = [point for a, b in zip(*GROUPS, strict=True) for point in ((*a, -1), (*b, 1))]
last, mean = (
    Run(
        board_of(
            [*CLEAR_POINTS, (3, 3, -1)],
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
    """The number of points that the model of a run gets wrong."""
    return int((run.model.predict(run.board.X.tolist()) != run.board.y).sum())


def fewer_errors() -> str:
    """The run with fewer errors."""
    difference = errors(last) - errors(mean)
    return MEAN if difference > 0 else LAST if difference < 0 else EQUAL


RECENCY_STEP = Step(
    (
        "The inductive bias of the perceptron: the boundary is a line, and recent mistakes count more than older ones. "
        "A mistake is corrected at once, even if older points then become wrong.",
        "First come eight points of two clear groups. The ninth point, (3, 3), lies among the positive points but has "
        "the label -1. There is one pass. The first run predicts with its last weights. The second run predicts with "
        "the mean of all its weights.",
    ),
    last.board,
    Ask(
        "After this pass, which of the two gets fewer of the nine points wrong?",
        (
            Choice(
                "better",
                "Fewer errors are made by",
                (LAST, MEAN, EQUAL),
                fewer_errors,
                {
                    "": "The last point is a mistake, and it is long: |x|² = 18. How do the weights change when it is "
                    "subtracted?"
                },
            ),
        ),
        lambda: (
            f"The last weights are {last.weights_text(9)}. They make {count_of(errors(last), 'error')} on the 9 "
            f"points. The mean of the weights makes {count_of(errors(mean), 'error')}. In the mean, weights that "
            "stayed right for a long time count more than the last weights. So averaging, or voting, reduces the "
            "effect of recent mistakes."
        ),
        lambda: Reveal(t=-1),
    ),
    t=8,
)


@cache
def bound() -> MistakeBound:
    """The mistake bound of the six points."""
    return mistake_bound(six.board.X, six.board.y, bias=0.0)


BOUND_STEP = Step(
    (
        "The mistake bound: let all points lie in a ball of radius R around the origin, and let the data have the "
        "margin γ. Then the perceptron makes at most (R/γ)² mistakes, online or in passes, in any order.",
        "The margin of the data is the largest distance that a separating line can have to its nearest point. The "
        "distance from a point to a line is |w.x + b| / |w|.",
        "Here we use the six points and lines through the origin. The best line is the x2 axis.",
    ),
    six.board,
    Ask(
        "What are R² and γ? By this bound, how many mistakes can there be at most? Could there be six mistakes if the "
        "points came in another order?",
        (
            Number(
                "radius",
                "R²",
                lambda: round(bound().radius ** 2, 6),
                "Compute the squared length of the longest point, (-1, 2) or (-1, -2).",
            ),
            Number(
                "gamma",
                "γ",
                lambda: round(bound().margin_bounds[0], 6),
                "Find the distance from (1, 0) to the x2 axis.",
            ),
            Number("most", "mistakes at most", lambda: bound().max_updates or 0, "Compute (R/γ)²."),
            yes_or_no(
                "six", "Six mistakes are possible", lambda: bound().bounds[1] >= 6, "The bound holds for every order."
            ),
        ),
        lambda: (
            f"R² = {short(bound().radius ** 2)} and γ = {short(bound().margin_bounds[0])}. So there are at most "
            f"{bound().max_updates} mistakes, in any order, even if the points come again and again. The run "
            f"on the page makes {six.trace[-1].updates}."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

FALSE = "false: it can overfit"
OVERFITTING_STEP = Step(
    (
        "This is a poll from the lecture. Decision trees and nearest neighbours can overfit. The perceptron has no "
        "hyperparameter that one could tune too much on a validation set. Can it overfit?",
    ),
    board_of(
        [*CLEAR_POINTS[:6], (1.5, -2.5, -1), (-2.5, 1.2, 1)],
        Pane("perceptron"),
        Pane("perceptron", {"average": "averaged"}),
    ),
    Ask(
        "True or false: the perceptron cannot overfit, because it has no hyperparameters.",
        (
            Choice(
                "poll",
                "The statement is",
                ("true", FALSE),
                lambda: FALSE,
                {
                    "true": "Overfitting means fewer errors on the training points than on new points. What does the "
                    "perceptron do with one unusual training point?"
                },
            ),
        ),
        lambda: (
            "It is false. The perceptron learns until every training point is right, even an unusual one. An unusual "
            "point can move the line to a place where new points are classified worse. This has nothing to do with "
            "hyperparameters. The last exercise is about it."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)

SUMMARY_STEP = Step(
    (
        "Now you should be able to run the algorithm by hand; to tell from the data whether it converges, and what the "
        "guarantee does not cover; to draw the boundary of given weights; to tell whether data are separable; to "
        "explain why the bias is needed; and to explain why the perceptron can overfit.",
        "There is an exercise for each of these six skills. You can ask for a new one as often as you like. The lab "
        "checks your answers.",
    ),
)
