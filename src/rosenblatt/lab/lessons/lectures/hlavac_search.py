"""Kozinec's rule and its bounds, what to do where nothing separates, and Gaussians instead of points."""

from functools import cache

from scipy.special import ndtr

from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.data.files.board import Pane
from rosenblatt.lab.lessons.questions import Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
from rosenblatt.proof.separability import separability

shorter = Run(
    board_of(
        [(4, 0, 1), (2, -6, -1)], Pane("kozinec", {"bias": 0, "epsilon": 0.001, "relative": False}), around=((-2, 6),)
    )
)


def share() -> float:
    """How far along the segment the first step goes."""
    step = shorter.step(1)
    return float(dict(zip(step.active or (), step.weights or (), strict=True))[1])


SHORTER = Step(
    (
        "Kozinec's algorithm (1973) keeps w in the convex hull of the x'. It begins with w_1 = some x', and goes from "
        "w towards an x' that is wrong, to the point of the segment that is nearest to the origin: w ← (1 - k) w + k "
        "x', k so that |w| is smallest.",
        "Here are two points without a bias: x' = (4, 0) and, its sign changed, x' = (-2, 6). It starts from w = (4, "
        "0).",
    ),
    shorter.board,
    Ask(
        "<w, x'> = -8 for the second, so it is wrong. Which k, and which w comes next?",
        (
            Number(
                "k",
                "k",
                share,
                "k = <w, w - x'> / |w - x'|², with w - x' = (6, -6).",
                within=0.01,
            ),
            Numbers(
                "w",
                "the next w",
                ("w1", "w2"),
                lambda: shorter.after(1),
                "(1 - k) (4, 0) + k (-2, 6).",
                within=0.01,
            ),
        ),
        lambda: (
            f"k = 24/72 = {short(share())}, and w = {vector(shorter.after(1))}. Its length falls from 4 to "
            f"{short(shorter.step(1).norm or 0.0)}. Each step makes w shorter, and the shortest w of the hull is the "
            "best direction there is."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

bounded = Run(
    board_of(
        [(4, 0, 1), (2, -6, -1), (2, 1, 1)],
        Pane("kozinec", {"bias": 0, "epsilon": 1.0, "relative": False}),
        around=((-2, 6),),
    )
)


def ends() -> tuple[float, float]:
    """The bounds of the margin after the first step."""
    step = bounded.step(1)
    return float(step.lower or 0.0), float(step.upper or 0.0)


EPSILON_SOLUTION = Step(
    (
        "How near is w to the best? Along w the worst x' is min <w/|w|, x'> away, so the margin m is at least that. "
        "And w is a point of the hull, so m is at most |w|.",
        "An ε-solution stops when |w| - min <w/|w|, x'> ≤ ε. The third point, (2, 1), is new.",
    ),
    bounded.board,
    Ask(
        "After the first step w = (2, 2). Between which bounds is m? With ε = 1, does it stop here?",
        (
            Number(
                "lower",
                "m is at least",
                lambda: ends()[0],
                "<w, x'> is 8 for (4, 0), 8 for (-2, 6) and 6 for (2, 1). Divide the smallest by |w|.",
                within=0.01,
            ),
            Number("upper", "m is at most", lambda: ends()[1], "|w| of w = (2, 2).", within=0.01),
            yes_or_no(
                "stops",
                "It stops here",
                lambda: len(bounded.trace) == 1,
                "Compare the difference of the bounds with ε.",
            ),
        ),
        lambda: (
            f"6/|w| = {short(ends()[0])} ≤ m ≤ |w| = {short(ends()[1])}. They differ by "
            f"{short(ends()[1] - ends()[0])}, which is no more than ε = 1: it stops. Make ε smaller and watch it go on."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

MIXED = [(0, 0, -1), (2, 0, -1), (0, 2, -1), (2, 2, -1), (5, 4, 1), (4, 5, 1), (6, 6, 1), (1, 1, 1)]
pocket = Run(board_of(MIXED, Pane("pocket"), Pane("batch")))


@cache
def fewest() -> ErrorBounds:
    return error_bounds(pocket.board.X, pocket.board.y)


OVERLAP = Step(
    (
        "What if no line separates the classes? The perceptron never comes to rest. Two remedies keep the best "
        "weights w* met so far, those with the fewest errors: the pocket, which learns point by point, and the batch "
        "version, which adds all wrong x' at once, w ← w + η Σ x', and stops by a condition on w*, the time t and the "
        "time of the last improvement.",
        "One positive point, (1, 1), lies in the middle of the negative ones.",
    ),
    pocket.board,
    Ask(
        "Is there a line without errors? What is the fewest number of errors that any line makes here?",
        (
            yes_or_no(
                "separable",
                "A line without errors",
                lambda: separability(pocket.board.X, pocket.board.y, detail=False).kind == "strict",
                "Can a line have (1, 1) on one side and all four corners of the square around it on the other?",
            ),
            Number(
                "fewest",
                "the fewest errors of any line",
                lambda: fewest().upper,
                "Which single point would have to be given up?",
            ),
        ),
        lambda: (
            f"Every line errs at least once, for {listed(fewest().witnesses[0])} cannot all be right; and "
            f"there is a line that errs on {listed(fewest().errors.tolist())} only. The pocket ends with "
            f"{short(pocket.model.errors_)} error{'s' * (pocket.model.errors_ != 1)}. In general the fewest errors "
            "are hard to find, and the pocket finds them only in the long run."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

NARROW, WIDE = (0, 0, 1, 0, 0, 1, -1), (4, 0, 3, 0, 0, 3, 1)


@cache
def anderson() -> Anderson:
    return Anderson().fit_gaussians([[0, 0], [4, 0]], [[[1, 0], [0, 1]], [[9, 0], [0, 9]]], [-1, 1])


def crossing() -> float:
    plane = anderson().hyperplane_
    return -plane.b / float(plane.w[0])


def halfway() -> float:
    """The error of the wide Gaussian if the line went through (2, 0): 2/3 of a standard deviation from its mean."""
    return float(ndtr(-(4 - 2) / 3))


GAUSSIANS = Step(
    (
        "Infinitely many training points: each class is a Gaussian with a known mean and covariance, or a mixture of "
        "several whose weights are not known. Anderson's task is the line whose worst error over all of them is "
        "smallest.",
        "A Gaussian's error depends on how many of its standard deviations r the line is away from its mean. The best "
        "line is as many away from both: the largest ellipses of one r that touch it.",
        "The negative Gaussian has mean (0, 0) and standard deviation 1 in all directions, the positive mean (4, 0) "
        "and 3.",
    ),
    board_of((), Pane("anderson"), gaussians=(NARROW, WIDE)),
    Ask(
        "Where does the best line cross the x1 axis, and how many standard deviations r is that from each mean?",
        (
            Number(
                "crossing",
                "x1 of the crossing",
                crossing,
                "At x the distances are x/1 and (4 - x)/3 standard deviations; make them equal.",
                within=0.01,
            ),
            Number(
                "radius",
                "r",
                lambda: anderson().radius_bounds_[0],
                "The distance to the first mean, in units of its standard deviation.",
                within=0.01,
            ),
        ),
        lambda: (
            f"x/1 = (4 - x)/3 gives x = {short(crossing())}, so r = {short(anderson().radius_bounds_[0])}, and each "
            f"class is on the wrong side with probability {short(anderson().error_bounds_[1])}. Halfway, at x = 2, "
            f"the wide Gaussian would err with probability {short(halfway())}: the best line is nearer to the narrow "
            "one."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)
