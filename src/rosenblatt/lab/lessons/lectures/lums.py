"""From the neuron of McCulloch and Pitts to the perceptron and its convergence."""

# ruff: noqa: RUF001  (Greek letters are those of the lecture)

import math

import numpy as np

from rosenblatt.base.neuron import McCullochPittsNeuron
from rosenblatt.data.files.board import Pane
from rosenblatt.datasets.lectures import and_gate, or_gate, xor_gate
from rosenblatt.datasets.sample import Sample
from rosenblatt.lab.catalogue import model_of
from rosenblatt.lab.lessons.questions import Choice, Number
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.shapes import boundary
from rosenblatt.lab.wording import short
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability

AND = [(0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1)]
XOR = [(0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1)]
TURNING = [(2, 0, -1), (-1, 2, 1), (1, 3, 1), (1, -2, -1)]
UNIT = [(0.28, 0.96, 1), (0.28, -0.96, 1), (-0.6, 0, -1)]

absorbed = board_of(AND, Pane("perceptron", {"tie": "positive"}))
learning = Run(board_of(AND, Pane("perceptron", {"tie": "mistake"})))
turning = Run(board_of(TURNING, Pane("perceptron", {"bias": 0, "init": [1, 2, 0]})))
unit = Run(board_of(UNIT, Pane("perceptron", {"bias": 0})))


def threshold_of(gate: Sample) -> int:
    """The one threshold with which a neuron computes a gate."""
    (threshold,) = McCullochPittsNeuron.thresholds(gate.X, gate.y)
    return threshold


def neuron(inputs: int, threshold: int, gate: str) -> Pane:
    return Pane("neuron", {"inputs": inputs, "threshold": threshold, "gate": gate})


def fires(inputs: int, threshold: int) -> int:
    """How many of all inputs make a neuron fire."""
    return int(McCullochPittsNeuron(threshold).truth_table(inputs)[1].sum())


FIRE = Step(
    (
        "The neuron of McCulloch and Pitts (1943) has d inputs that are 0 or 1, no weights, and one threshold θ. "
        "It fires, y = 1, if at least θ of its inputs are 1; else y = 0.",
        "The four inputs of a neuron with d = 2 are the corners of a square, here with OR as their class. Move the "
        "threshold, and watch the line and the truth table.",
    ),
    board_of([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)], neuron(2, 0, "or"), classes=(0, 1)),
    Ask(
        "A neuron has two inputs. With which threshold does it compute OR, and with which AND?",
        (
            Number(
                "or",
                "θ for OR",
                lambda: threshold_of(or_gate(2)),
                "OR is 1 when at least one input is 1. How many inputs must be on for that?",
            ),
            Number(
                "and",
                "θ for AND",
                lambda: threshold_of(and_gate(2)),
                "AND is 1 only when both inputs are 1. How many inputs must be on for that?",
            ),
        ),
        lambda: (
            f"OR has to fire at a sum of 1 and not at 0: θ = {threshold_of(or_gate(2))}. AND has to fire at 2 and not "
            f"at 1: θ = {threshold_of(and_gate(2))}. A threshold of 0 always fires, one above 2 never."
        ),
    ),
)

THREE = Step(
    (
        "With three inputs the truth table has eight rows, and the sum of the inputs is 0, 1, 2 or 3.",
        "Which inputs are 1 does not matter to the neuron, only how many.",
    ),
    board_of((), neuron(3, 0, "majority"), around=((0, 0), (1, 1))),
    Ask(
        "Three inputs: the thresholds for OR and for AND; and how many of the eight rows make it fire with θ = 2?",
        (
            Number(
                "or", "θ for OR of three", lambda: threshold_of(or_gate(3)), "One input that is 1 is enough for OR."
            ),
            Number("and", "θ for AND of three", lambda: threshold_of(and_gate(3)), "AND needs all three inputs."),
            Number(
                "rows",
                "rows that fire with θ = 2",
                lambda: fires(3, 2),
                "Count the rows with two ones, and do not forget the row with three.",
            ),
        ),
        lambda: (
            f"OR keeps the threshold {threshold_of(or_gate(3))} whatever d is; AND needs d, here "
            f"{threshold_of(and_gate(3))}. With θ = 2 it fires on {fires(3, 2)} rows: three with two ones and one "
            "with three. That is the majority."
        ),
    ),
)

NONE = "none: no threshold does it"
PARITY = Step(
    (
        "XOR is 1 when exactly one of two inputs is 1: the sums 0, 1, 1, 2 should give 0, 1, 1, 0.",
        "The four inputs are points of the plane now, with XOR as their class.",
    ),
    board_of(XOR),
    Ask(
        "With which threshold does a neuron compute XOR? And would weights help: is there a line with both points of "
        "each class on its own side?",
        (
            Choice(
                "threshold",
                "θ for XOR",
                ("θ = 0", "θ = 1", "θ = 2", NONE),
                lambda: " or ".join(f"θ = {t}" for t in McCullochPittsNeuron.thresholds(*xor_gate()[:2])) or NONE,
                {
                    "θ = 1": "With θ = 1 it fires at (1, 1) too, whose sum is 2: that is OR.",
                    "θ = 2": "With θ = 2 it fires at (1, 1) only: that is AND.",
                    "": "A threshold of 0 fires always.",
                },
            ),
            yes_or_no(
                "line",
                "Is there such a line?",
                lambda: separability(xor_gate().X, xor_gate().y, detail=False).kind == "strict",
                "Join the two points of each class: the two segments cross in the middle of the square.",
            ),
        ),
        lambda: (
            "It would have to fire at a sum of 1 and not at 2, but a neuron that fires at a sum fires at every larger "
            "one. Weights do not help: the point (1/2, 1/2) is halfway between the points of the one class, and "
            "halfway between those of the other. A line with both points of a class on one side has their middle "
            "there too, and it cannot be on both sides."
        ),
        lambda: Reveal(proof=True),
    ),
)

ABSORBED = Step(
    (
        "Rosenblatt's perceptron (1958) has real inputs and a weight for each: y = 1 if w1 x1 + w2 x2 ≥ θ, else 0.",
        "Take θ to the other side: w1 x1 + w2 x2 + b ≥ 0. The threshold has become one more weight, b, of an input "
        "that is always 1. The lecture calls it w0 and puts it first; here b is last.",
        "Classes are +1 and -1 from now on, and y = sign(w.x).",
    ),
    absorbed,
    Ask(
        "Let w1 = w2 = 1. Which b gives, for all real inputs, the answers of the threshold θ = 2?",
        (
            Number(
                "b",
                "b",
                lambda: McCullochPittsNeuron.AND(2).hyperplane(2).b,
                "x1 + x2 ≥ 2 is the same as x1 + x2 + b ≥ 0. Which b is that?",
            ),
        ),
        lambda: (
            f"b = -θ = {short(McCullochPittsNeuron.AND(2).hyperplane(2).b)}: the line is "
            f"{McCullochPittsNeuron.AND(2).hyperplane(2).equation()}. The point (1, 1) lies on it and counts as "
            "positive, so this perceptron is AND."
        ),
        lambda: Reveal(shapes=tuple(boundary(McCullochPittsNeuron.AND(2).hyperplane(2), absorbed.view, "answer"))),
    ),
)

RULE = Step(
    (
        "Now the weights are learned. Start with all of them 0. Go through the points in order; at each, if "
        "y (w.x) ≤ 0, it is a mistake: w ← w + y x, and b ← b + y. After a pass without a mistake, stop.",
        "These are the four points of AND. At the first, (0, 0), the score is 0, which this lecture counts as a "
        "mistake: b becomes -1, and the next two points are right.",
    ),
    learning.board,
    Ask(
        "The fourth point is (1, 1) with y = +1, and the weights before it are w = (0, 0), b = -1. Go through the "
        "step.",
        (learning.score(4), learning.mistake(4), learning.weights(4)),
        lambda: learning.story(4),
        lambda: Reveal(t=4),
        chained=True,
    ),
    t=3,
)

PASSES = Step(
    (
        "A pass counts its mistakes, m. The first pass over the points of AND had m = 2.",
        "An update is made for one point, but it moves the line for all of them: the second pass finds mistakes "
        "again. Step on and watch.",
    ),
    learning.board,
    Ask(
        "Will the algorithm stop? And with how many mistakes in its last pass?",
        (
            yes_or_no(
                "stops",
                "Will it stop?",
                lambda: str(learning.trace.stop_reason) == "mistake_free",
                "The points are separable, and on separable points it always stops; the next steps say why.",
            ),
            Number(
                "last",
                "m in the last pass",
                lambda: sum(step.mistake for step in learning.trace if step.epoch == learning.trace[-1].epoch),
                "When does the algorithm leave its loop?",
            ),
        ),
        lambda: (
            f"It stops after pass {learning.trace[-1].epoch}, the first with m = 0, with "
            f"{learning.told(len(learning.trace))}: {learning.trace[-1].updates} updates in all. Where no line "
            "separates the classes, no pass is without a mistake, and it would go on for ever."
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


TURN = Step(
    (
        "Without a bias the line goes through the origin and w is perpendicular to it. The score is |w| |x| cos α: "
        "positive while the angle α between w and x is less than 90°, negative beyond.",
        "Here w = (1, 2). The point x = (2, 0) has y = -1, but its angle to w is 63.4°: it is on the positive side.",
    ),
    turning.board,
    Ask(
        "The update for this point: what is w after it, and what is the angle between w and x then?",
        (
            turning.weights(1),
            Choice(
                "angle",
                "α after the update",
                (ACUTE, RIGHT_ANGLE, OBTUSE),
                lambda: angle_word(turning.step(1).angle_after or 0.0),
                {"": "Compute w.x with the new w: the sign of it is the sign of cos α."},
            ),
        ),
        lambda: (
            f"{turning.story(1)} The angle grows from {degrees(turning.step(1).angle_before)} to "
            f"{degrees(turning.step(1).angle_after)}: w turns away from a negative point, and it turns towards a "
            "positive one, for w.x changes by y |x|²."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)


def most_updates() -> int:
    return math.floor(mistake_bound(unit.board.X, unit.board.y, bias=0.0).bound[1])


def growth() -> str:
    """The two inequalities of the proof, with the numbers of the run."""
    best = separability(unit.board.X, unit.board.y, bias=False).hyperplane
    assert best is not None  # noqa: S101  (the points of this step are separable)
    direction, gamma = best.unit().w, best.margin(unit.board.X, unit.board.y)
    weights = np.array([unit.after(t) for t in range(3)])
    along, squares = weights @ direction, (weights**2).sum(axis=1)
    return (
        f"After two updates w.w* is {short(along[2])}, and 2 γ = {short(2 * gamma)} was the least it could be; w.w is "
        f"{short(squares[2])}, and 2 was the most."
    )


BOUND = Step(
    (
        "Why it stops. Divide the points by the length of the longest, so that all |x| ≤ 1. Let w* be a unit vector "
        "that separates them, and γ the distance of the nearest point to its line.",
        "With each update w.w* grows by at least γ, and w.w grows by at most 1. After M updates, Mγ ≤ w.w* ≤ |w| "
        "≤ √M, so that M ≤ 1/γ².",
        "These three points are in the unit circle, and w* = (1, 0) is the best direction: the nearest points have "
        "γ = 0.28.",
    ),
    unit.board,
    Ask(
        "At most how many updates can there be on these points, in whatever order they come?",
        (
            Number(
                "most",
                "updates at most (a whole number)",
                most_updates,
                "1/γ² with γ = 0.28; a count is whole, so round down.",
            ),
        ),
        lambda: (
            f"1/0.28² = {short(1 / 0.28**2)}, so at most {most_updates()} updates. In this order there are "
            f"{unit.trace[-1].updates}: the bound holds for every order. {growth()}"
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
)

ONLINE, ALL = "the one point at hand, and the weights", "all points seen so far"


def one_by_one() -> tuple[float, ...]:
    """The weights after the points of AND were learned one at a time, each forgotten before the next."""
    model = model_of(learning.board.panes[0])
    for x, y, label in AND:
        model.learn_one([x, y], label, classes=[-1, 1])
    return tuple(model.hyperplane_.weights.tolist())


LAST = Step(
    (
        "What to take along: the perceptron is discriminative. It learns a boundary and says nothing about how "
        "probable a point is. It assumes nothing of the features, only that a line separates the classes.",
        "And it is online, which is about what an update needs.",
    ),
    learning.board,
    Ask(
        "What does one update need to know?",
        (
            Choice(
                "needs",
                "An update needs",
                (ONLINE, ALL, "the gradient over the whole table"),
                lambda: ONLINE if one_by_one() == learning.after(4) else ALL,
                {"": "Look at w ← w + y x again: which points are in it?"},
            ),
        ),
        lambda: (
            "w ← w + y x has one point in it. So points may come one by one and be forgotten: learned in this way, the "
            f"first pass over AND ends with the same weights, {learning.told(4)}."
        ),
        lambda: Reveal(t=4),
    ),
    t=0,
)

LESSON = Lesson(
    "neuron",
    "From the neuron to the perceptron",
    "LUMS EE514, Perceptron Classifier",
    (FIRE, THREE, PARITY, ABSORBED, RULE, PASSES, TURN, BOUND, LAST),
)
