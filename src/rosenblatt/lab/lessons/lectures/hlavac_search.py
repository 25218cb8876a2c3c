"""Last steps of the lesson on V. Hlavac's lecture: Kozinec's algorithm, overlapping classes, and Gaussians."""

from functools import cache

from scipy.special import ndtr

from rosenblatt.base.words import count_of
from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.lab.lessons.questions import Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Reveal, Step, board_of
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
from rosenblatt.proof.separability import separability

kozinec = Run(
    board_of(
        [(4, 0, 1), (2, -6, -1)],
        Pane("kozinec", {"bias": 0, "epsilon": 0.001, "epsilon_kind": "absolute"}),
        around=((-2, 6),),
    )
)


def first_k() -> float:
    """The k of the first step."""
    step = kozinec.step(1)
    return float(dict(zip(step.active or (), step.weights or (), strict=True))[1])


KOZINEC_STEP = Step(
    (
        "Kozinec's algorithm (1973) keeps w in the convex hull of the x'. It starts with w = some x'. In each step it "
        "takes an x' that is wrong, and moves w to the point of the segment from w to x' that is nearest to the "
        "origin: w ← (1 - k) w + k x', with the k that makes |w| smallest.",
        "Here are two points without a bias: x' = (4, 0) and, with its sign changed, x' = (-2, 6). The start is w = "
        "(4, 0).",
    ),
    kozinec.board,
    Ask(
        "For the second point <w, x'> = -8, so it is wrong. What is k, and what is the next w?",
        (
            Number(
                "k",
                "k",
                first_k,
                "k = <w, w - x'> / |w - x'|², with w - x' = (6, -6).",
                within=0.01,
            ),
            Numbers(
                "w",
                "the next w",
                ("w1", "w2"),
                lambda: kozinec.weights_after(1),
                "Compute (1 - k) (4, 0) + k (-2, 6).",
                within=0.01,
            ),
        ),
        lambda: (
            f"k = 24/72 = {short(first_k())}, and w = {vector(kozinec.weights_after(1))}. Its length falls from 4 to "
            f"{short(kozinec.step(1).norm or 0.0)}. Each step makes w shorter. The shortest w of the hull gives the "
            "largest margin."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

bounded = Run(
    board_of(
        [(4, 0, 1), (2, -6, -1), (2, 1, 1)],
        Pane("kozinec", {"bias": 0, "epsilon": 1.0, "epsilon_kind": "absolute"}),
        around=((-2, 6),),
    )
)


def margin_bounds() -> tuple[float, float]:
    """The bounds of the margin after the first step."""
    step = bounded.step(1)
    return float(step.lower or 0.0), float(step.upper or 0.0)


EPSILON_STEP = Step(
    (
        "How close is w to the best one? The margin m is at least min <w/|w|, x'>, which is the margin of this w. And "
        "w is a point of the hull, so m is at most |w|.",
        "The algorithm for an ε-solution stops when |w| - min <w/|w|, x'> ≤ ε. The third point, (2, 1), is new.",
    ),
    bounded.board,
    Ask(
        "After the first step w = (2, 2). What are the bounds of m? With ε = 1, does it stop here?",
        (
            Number(
                "lower",
                "m is at least",
                lambda: margin_bounds()[0],
                "<w, x'> is 8 for (4, 0), 8 for (-2, 6) and 6 for (2, 1). Divide the smallest by |w|.",
                within=0.01,
            ),
            Number("upper", "m is at most", lambda: margin_bounds()[1], "The length |w| of w = (2, 2).", within=0.01),
            yes_or_no(
                "stops",
                "It stops here",
                lambda: len(bounded.trace) == 1,
                "Compare the difference of the two bounds with ε.",
            ),
        ),
        lambda: (
            f"6/|w| = {short(margin_bounds()[0])} ≤ m ≤ |w| = {short(margin_bounds()[1])}. The difference is "
            f"{short(margin_bounds()[1] - margin_bounds()[0])}. It is at most ε = 1, so the algorithm stops. Make ε "
            "smaller, and watch it continue."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

OVERLAPPING_POINTS = [(0, 0, -1), (2, 0, -1), (0, 2, -1), (2, 2, -1), (5, 4, 1), (4, 5, 1), (6, 6, 1), (1, 1, 1)]
pocket = Run(board_of(OVERLAPPING_POINTS, Pane("pocket"), Pane("batch")))


@cache
def fewest_errors() -> ErrorBounds:
    return error_bounds(pocket.board.X, pocket.board.y)


OVERLAP_STEP = Step(
    (
        "What if no line separates the classes? Then the perceptron never stops. Two algorithms keep the best weights "
        "w* so far, the weights with the fewest errors. The pocket algorithm learns point by point. The batch "
        "algorithm adds all wrong x' at once, w ← w + η Σ x'. It stops by a condition on w*, the time t and the time "
        "of the last improvement.",
        "Here one positive point, (1, 1), lies in the middle of the negative points.",
    ),
    pocket.board,
    Ask(
        "Is there a line without errors? What is the smallest number of errors that a line can make here?",
        (
            yes_or_no(
                "separable",
                "There is a line without errors",
                lambda: separability(pocket.board.X, pocket.board.y, detail=False).kind == "strict",
                "Can a line have (1, 1) on one side and all four corners of the square around it on the other?",
            ),
            Number(
                "fewest",
                "smallest number of errors",
                lambda: fewest_errors().upper,
                "If a line may get one point wrong, which point should that be?",
            ),
        ),
        lambda: (
            f"Every line makes at least one error, because {listed(fewest_errors().witnesses[0])} cannot all be "
            f"right. And there is a line that is wrong only for {listed(fewest_errors().errors.tolist())}. The pocket "
            f"algorithm ends with {count_of(int(pocket.model.n_errors_), 'error')}. In general, the smallest number of "
            "errors is hard to find. The pocket algorithm finds it only in the long run."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=0,
)

NARROW_GAUSSIAN, WIDE_GAUSSIAN = (0, 0, 1, 0, 0, 1, -1), (4, 0, 3, 0, 0, 3, 1)


@cache
def anderson() -> Anderson:
    return Anderson().fit_gaussians([[0, 0], [4, 0]], [[[1, 0], [0, 1]], [[9, 0], [0, 9]]], [-1, 1])


def crossing() -> float:
    """Where the best line crosses the x1 axis."""
    plane = anderson().hyperplane_
    return -plane.b / float(plane.w[0])


def error_halfway() -> float:
    """The error of the wide Gaussian for a line through (2, 0), 2/3 of a standard deviation from its mean."""
    return float(ndtr(-(4 - 2) / 3))


GAUSSIANS_STEP = Step(
    (
        "Now there are infinitely many training points. Each class is a Gaussian with a known mean and covariance, or "
        "a mixture of several Gaussians with unknown weights. Anderson's task is to find the line whose largest error "
        "over all Gaussians is smallest.",
        "The error of a Gaussian depends on r, the distance from its mean to the line in standard deviations. The best "
        "line has the same r for both Gaussians. The ellipses with this r touch the line.",
        "The negative Gaussian has the mean (0, 0) and the standard deviation 1 in all directions. The positive "
        "Gaussian has the mean (4, 0) and the standard deviation 3.",
    ),
    board_of((), Pane("anderson"), gaussians=(NARROW_GAUSSIAN, WIDE_GAUSSIAN)),
    Ask(
        "Where does the best line cross the x1 axis? And what is r, the distance to each mean in standard deviations?",
        (
            Number(
                "crossing",
                "x1 of the crossing point",
                crossing,
                "At x the distances are x/1 and (4 - x)/3 standard deviations. Make them equal.",
                within=0.01,
            ),
            Number(
                "radius",
                "r",
                lambda: anderson().radius_bounds_[0],
                "The distance to the first mean, divided by its standard deviation.",
                within=0.01,
            ),
        ),
        lambda: (
            f"x/1 = (4 - x)/3 gives x = {short(crossing())}, so r = {short(anderson().radius_bounds_[0])}. A point of "
            f"each class is on the wrong side with probability {short(anderson().worst_error_bounds_[1])}. For a line "
            f"halfway, at x = 2, this probability would be {short(error_halfway())} for the wide Gaussian. So the "
            "best line is nearer to the narrow Gaussian."
        ),
        lambda: Reveal(t=-1),
    ),
    t=0,
)
