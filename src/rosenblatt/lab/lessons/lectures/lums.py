"""Lesson on LUMS EE514: from the neuron of McCulloch and Pitts to the perceptron and its convergence."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

import math

import numpy as np

from rosenblatt.base.neuron import McCullochPittsNeuron
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.datasets.lectures import and_gate, or_gate, xor_gate
from rosenblatt.datasets.sample import Sample
from rosenblatt.lab.catalogue import model_of
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.reasons import line_of
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.shapes import boundary
from rosenblatt.lab.wording import short
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability

AND_POINTS = [(0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1)]
XOR_POINTS = [(0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1)]
ANGLE_POINTS = [(2, 0, -1), (-1, 2, 1), (1, 3, 1), (1, -2, -1)]
UNIT_POINTS = [(0.28, 0.96, 1), (0.28, -0.96, 1), (-0.6, 0, -1)]

gate_board = board_of(AND_POINTS, Pane("perceptron", {"tie": "positive"}))
learning = Run(board_of(AND_POINTS, Pane("perceptron", {"tie": "mistake"})))
turning = Run(board_of(ANGLE_POINTS, Pane("perceptron", {"bias": 0, "init": [1, 2, 0]})))
unit = Run(board_of(UNIT_POINTS, Pane("perceptron", {"bias": 0})))


def threshold_of(gate: Sample) -> int:
    """The only threshold with which a neuron computes a gate."""
    (threshold,) = McCullochPittsNeuron.thresholds(gate.X, gate.y)
    return threshold


def neuron(inputs: int, threshold: int, gate: str) -> Pane:
    """A pane that shows a neuron beside the truth table of a gate."""
    return Pane("neuron", {"inputs": inputs, "threshold": threshold, "gate": gate})


def firing_rows(inputs: int, threshold: int) -> int:
    """The number of rows of the truth table for which a neuron fires."""
    return int(McCullochPittsNeuron(threshold).truth_table(inputs)[1].sum())


THRESHOLD_STEP = Step(
    (
        "The neuron of McCulloch and Pitts (1943) has d inputs. Each input is 0 or 1. There are no weights, only one "
        "threshold θ. The neuron fires (y = 1) if at least θ of its inputs are 1. Otherwise y = 0.",
        "For d = 2, the four possible inputs are the corners of a square. Here each corner has the class that OR gives "
        "it. Move the threshold, and watch the line and the truth table.",
    ),
    board_of([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)], neuron(2, 0, "or"), classes=(0, 1)),
    Ask(
        "A neuron has two inputs. Which threshold computes OR, and which threshold computes AND?",
        (
            Number(
                "or",
                "θ for OR",
                lambda: threshold_of(or_gate(2)),
                "OR is 1 if at least one input is 1. How many inputs must be 1 for that?",
            ),
            Number(
                "and",
                "θ for AND",
                lambda: threshold_of(and_gate(2)),
                "AND is 1 only if both inputs are 1. How many inputs must be 1 for that?",
            ),
        ),
        lambda: (
            f"For OR, the neuron has to fire at a sum of 1 and not at 0, so θ = {threshold_of(or_gate(2))}. For AND, "
            f"it has to fire at 2 and not at 1, so θ = {threshold_of(and_gate(2))}. With θ = 0 it always fires. With "
            "θ above 2 it never fires."
        ),
    ),
)

THREE_INPUTS_STEP = Step(
    (
        "With three inputs the truth table has eight rows, and the sum of the inputs is 0, 1, 2 or 3.",
        "The neuron only counts how many inputs are 1. It does not matter which ones.",
    ),
    board_of((), neuron(3, 0, "majority"), around=((0, 0), (1, 1))),
    Ask(
        "For three inputs, what are the thresholds of OR and of AND? With θ = 2, for how many of the eight rows does "
        "it fire?",
        (
            Number(
                "or", "θ for OR of three", lambda: threshold_of(or_gate(3)), "For OR, one input that is 1 is enough."
            ),
            Number(
                "and", "θ for AND of three", lambda: threshold_of(and_gate(3)), "For AND, all three inputs must be 1."
            ),
            Number(
                "rows",
                "rows that fire with θ = 2",
                lambda: firing_rows(3, 2),
                "Count the rows with two ones, and also the row with three ones.",
            ),
        ),
        lambda: (
            f"OR has the threshold {threshold_of(or_gate(3))} for every d. AND has the threshold d, here "
            f"{threshold_of(and_gate(3))}. With θ = 2 the neuron fires for {firing_rows(3, 2)} rows: three rows with "
            "two ones and one row with three ones. This is the majority function."
        ),
    ),
)

NO_THRESHOLD = "none: no threshold computes XOR"
XOR_STEP = Step(
    (
        "XOR is 1 if exactly one of the two inputs is 1. The four sums 0, 1, 1, 2 should give 0, 1, 1, 0.",
        "The plane shows the four inputs as points. Each point has the class that XOR gives it.",
    ),
    board_of(XOR_POINTS),
    Ask(
        "Which threshold computes XOR? And would weights help: is there a line that has the two classes on different "
        "sides?",
        (
            Choice(
                "threshold",
                "θ for XOR",
                ("θ = 0", "θ = 1", "θ = 2", NO_THRESHOLD),
                lambda: (
                    " or ".join(f"θ = {t}" for t in McCullochPittsNeuron.thresholds(*xor_gate()[:2])) or NO_THRESHOLD
                ),
                {
                    "θ = 1": "With θ = 1 it also fires at (1, 1), where the sum is 2. That is OR.",
                    "θ = 2": "With θ = 2 it fires only at (1, 1). That is AND.",
                    "": "With a threshold of 0 it always fires.",
                },
            ),
            yes_or_no(
                "line",
                "Is there such a line?",
                lambda: separability(xor_gate().X, xor_gate().y, detail=False).kind == "strict",
                "Join the two points of each class. The two segments cross in the middle of the square.",
            ),
        ),
        lambda: (
            "The neuron would have to fire at a sum of 1 and not at 2. But a neuron that fires at one sum also fires "
            "at every larger sum. Weights do not help. The point (1/2, 1/2) is the midpoint of the two points of each "
            "class. If a line has both points of a class on one side, their midpoint is on that side too. The "
            "midpoint cannot be on both sides."
        ),
        lambda: Reveal(proof=True),
    ),
)

BIAS_STEP = Step(
    (
        "Rosenblatt's perceptron (1958) has real inputs and one weight for each input: y = 1 if w1 x1 + w2 x2 ≥ θ, and "
        "y = 0 otherwise.",
        "Move θ to the other side: w1 x1 + w2 x2 + b ≥ 0. Now the threshold is one more weight, b, of an input that is "
        "always 1. The lecture calls it w0 and puts it first. Here b is last.",
        "From now on the classes are +1 and -1, and y = sign(w.x).",
    ),
    gate_board,
    Ask(
        "Let w1 = w2 = 1. Which b gives the same outputs as the threshold θ = 2, for all real inputs?",
        (
            Number(
                "b",
                "b",
                lambda: McCullochPittsNeuron.AND(2).hyperplane(2).b,
                "x1 + x2 ≥ 2 means the same as x1 + x2 + b ≥ 0. Which b is that?",
            ),
        ),
        lambda: (
            f"b = -θ = {short(McCullochPittsNeuron.AND(2).hyperplane(2).b)}. The line is "
            f"{McCullochPittsNeuron.AND(2).hyperplane(2).equation()}. The point (1, 1) lies on the line and counts as "
            "positive, so this perceptron computes AND."
        ),
        lambda: Reveal(shapes=tuple(boundary(McCullochPittsNeuron.AND(2).hyperplane(2), gate_board.view, "answer"))),
    ),
)

UPDATE_STEP = Step(
    (
        "Now the perceptron learns the weights. Start with all weights 0. Go through the points in order. If "
        "y (w.x) ≤ 0, the point is a mistake: w ← w + y x and b ← b + y. Stop after a pass without a mistake.",
        "These are the four points of AND. At the first point, (0, 0), the score is 0. This lecture counts a score of "
        "0 as a mistake, so b becomes -1. The next two points are right.",
    ),
    learning.board,
    Ask(
        "The fourth point is (1, 1) with y = +1. The weights before it are w = (0, 0), b = -1. Compute this step.",
        (learning.ask_score(4), learning.ask_mistake(4), learning.ask_weights(4)),
        lambda: learning.explanation(4),
        lambda: Reveal(t=4),
        chained=True,
    ),
    t=3,
)

PASSES_STEP = Step(
    (
        "Let m be the number of mistakes in a pass. The first pass over the points of AND had m = 2.",
        "An update corrects one point, but it moves the line for all points. So the second pass has mistakes again. "
        "Go on step by step and watch.",
    ),
    learning.board,
    Ask(
        "Will the algorithm stop? And how many mistakes are there in its last pass?",
        (
            yes_or_no(
                "stops",
                "Will it stop?",
                lambda: str(learning.trace.stop_reason) == "mistake_free",
                "A line separates these points. Then the algorithm always stops; the next steps show why.",
            ),
            Number(
                "last",
                "m in the last pass",
                lambda: sum(step.mistake for step in learning.trace if step.epoch == learning.trace[-1].epoch),
                "After which kind of pass does the algorithm stop?",
            ),
        ),
        lambda: (
            f"It stops after pass {learning.trace[-1].epoch}, the first pass with m = 0. The weights are then "
            f"{learning.weights_text(len(learning.trace))}, after {learning.trace[-1].updates} updates. If no line "
            "separates the classes, every pass has a mistake and the algorithm never stops."
        ),
        lambda: Reveal(t=-1),
    ),
    t=4,
)

ACUTE, RIGHT_ANGLE, OBTUSE = "less than 90°", "exactly 90°", "more than 90°"


def angle_word(radians: float) -> str:
    if math.isclose(radians, math.pi / 2):
        return RIGHT_ANGLE
    return ACUTE if radians < math.pi / 2 else OBTUSE


def degrees(radians: float | None) -> str:
    return f"{math.degrees(radians or 0.0):.1f}°"


ANGLE_STEP = Step(
    (
        "Without a bias the line goes through the origin, and w is perpendicular to it. The score is |w| |x| cos α, "
        "where α is the angle between w and x. It is positive if α is less than 90°, and negative if α is more than "
        "90°.",
        "Here w = (1, 2). The point x = (2, 0) has y = -1. Its angle to w is 63.4°, so it is on the positive side.",
    ),
    turning.board,
    Ask(
        "Make the update for this point. What is w after it, and what is then the angle between w and x?",
        (
            turning.ask_weights(1),
            Choice(
                "angle",
                "α after the update",
                (ACUTE, RIGHT_ANGLE, OBTUSE),
                lambda: angle_word(turning.step(1).angle_after or 0.0),
                {"": "Compute w.x with the new w. It has the same sign as cos α."},
            ),
        ),
        lambda: (
            f"{turning.explanation(1)} The angle grows from {degrees(turning.step(1).angle_before)} to "
            f"{degrees(turning.step(1).angle_after)}. An update turns w away from a negative point and towards a "
            "positive point, because w.x changes by y |x|²."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)


def most_updates() -> int:
    return mistake_bound(unit.board.X, unit.board.y, bias=0.0).max_updates or 0


def growth() -> str:
    """The two inequalities of the proof, with the numbers of this run."""
    best = line_of(separability(unit.board.X, unit.board.y, through_origin=True))
    direction, gamma = best.unit().w, best.margin(unit.board.X, unit.board.y)
    weights = np.array([unit.weights_after(t) for t in range(3)])
    along, squares = weights @ direction, (weights**2).sum(axis=1)
    return (
        f"After two updates w.w* = {short(along[2])}, which is at least 2γ = {short(2 * gamma)}, and w.w = "
        f"{short(squares[2])}, which is at most 2."
    )


BOUND_STEP = Step(
    (
        "Why does it stop? Divide all points by the length of the longest point, so that |x| ≤ 1 for all of them. Let "
        "w* be a unit vector that separates them, and let γ be the distance from its line to the nearest point.",
        "With each update, w.w* grows by at least γ, and w.w grows by at most 1. After M updates, Mγ ≤ w.w* ≤ |w| "
        "≤ √M. So M ≤ 1/γ².",
        "These three points lie in the unit circle. The best direction is w* = (1, 0). The nearest points have γ = "
        "0.28.",
    ),
    unit.board,
    Ask(
        "By this bound, how many updates can there be at most on these points, in any order?",
        (
            Number(
                "most",
                "updates at most (a whole number)",
                most_updates,
                "Compute 1/γ² with γ = 0.28. The number of updates is whole, so round down.",
            ),
        ),
        lambda: (
            f"1/0.28² = {short(1 / 0.28**2)}, so there are at most {most_updates()} updates, in any order. In this "
            f"order there are {unit.trace[-1].updates}. {growth()}"
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
)

ONLINE, ALL = "the current point and the weights", "all points seen so far"


def one_by_one() -> tuple[float, ...]:
    """The weights after learning the points of AND one at a time, without storing them."""
    model = model_of(learning.board.panes[0])
    for x, y, label in AND_POINTS:
        model.learn_one([x, y], label, classes=[-1, 1])
    return tuple(model.hyperplane_.weights.tolist())


ONLINE_STEP = Step(
    (
        "To remember: the perceptron is a discriminative classifier. It learns a boundary. It does not model how "
        "probable a point is. It assumes nothing about the features, only that a line separates the classes.",
        "It is also an online algorithm. This describes what one update needs.",
    ),
    learning.board,
    Ask(
        "What does one update need?",
        (
            Choice(
                "needs",
                "An update needs",
                (ONLINE, ALL, "the gradient over all points"),
                lambda: ONLINE if one_by_one() == learning.weights_after(4) else ALL,
                {"": "Look at w ← w + y x again. Which points does it contain?"},
            ),
        ),
        lambda: (
            "w ← w + y x contains only one point. So the points can come one by one and need not be stored. Learned in "
            f"this way, the first pass over AND ends with the same weights, {learning.weights_text(4)}."
        ),
        lambda: Reveal(t=4),
    ),
    t=0,
)

LESSON = Lesson(
    "neuron",
    "From the neuron to the perceptron",
    "LUMS EE514, Perceptron Classifier",
    (
        THRESHOLD_STEP,
        THREE_INPUTS_STEP,
        XOR_STEP,
        BIAS_STEP,
        UPDATE_STEP,
        PASSES_STEP,
        ANGLE_STEP,
        BOUND_STEP,
        ONLINE_STEP,
    ),
)
