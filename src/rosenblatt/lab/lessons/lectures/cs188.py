"""Lesson on Berkeley CS188: activations, a table of five samples, and one weight vector for each class."""

from functools import cache

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.datasets.lectures import berkeley_activation, berkeley_three_classes
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import product, short, vector
from rosenblatt.proof.separability import separability
from rosenblatt.tracing.step import Step as OneStep
from rosenblatt.tracing.tracer import trace

NAMES = ("f1", "f2")
FIVE_SAMPLES = [(1, 1, -1), (3, 2, 1), (2, 4, 1), (3, 4, 1), (2, 3, -1)]
OPTIONS = {"tie": "positive", "init": [0, 0, -1]}
five = Run(board_of(FIVE_SAMPLES, Pane("perceptron", {**OPTIONS, "max_epochs": 1}), names=NAMES))
whole = Run(board_of(FIVE_SAMPLES, Pane("perceptron", {**OPTIONS, "max_epochs": 1000}), names=NAMES))

START_W, FEATURES = [2, 2, 2], [4, 0, 1]


@cache
def first_update() -> OneStep:
    """The step of the lecture's sample with three features, from w = (2, 2, 2)."""
    X, y, *_ = berkeley_activation()
    model = Perceptron(order="cyclic", bias=0, tie="positive", init=[*START_W, 0])
    return trace(model, [*X, [-4, 0, -1]], [*y, 1], max_steps=1)[0]  # a second row, since there must be two classes


def first_activation() -> float:
    """The activation of this sample before the step."""
    return float(Hyperplane(START_W).decision_function(FEATURES))


ACTIVATION_STEP = Step(
    (
        "The activation of a sample is h = Σ w_i f_i = w.f, the sum of all features times their weights. A positive "
        "activation means +, a negative one means -. It equals |w| |f| cos θ. So it is positive if the angle θ between "
        "f and w is less than 90°.",
        "Here are three features: w = (2, 2, 2) and f = (4, 0, 1). The true label is y* = -1. A mistake updates w ← w "
        "+ y* f. (The plane can show only two features. It shows the first and the third; the second is 0.)",
    ),
    board_of(
        [(4, 1, -1), (1, 3, 1)],
        Pane("perceptron", {"bias": 0, "init": [2, 2, 0], "tie": "positive"}),
        names=("f1", "f3"),
    ),
    Ask(
        "What is the activation, and what is w after the update?",
        (
            Number("activation", "activation", first_activation, "Compute 2*4 + 2*0 + 2*1."),
            Numbers(
                "w",
                "w after the update",
                ("w1", "w2", "w3"),
                lambda: first_update().w[:3],
                "The label is -1, so subtract f from w, feature by feature.",
                lambda: [
                    ((6, 2, 3), "The sign of y* is wrong. The label is -1, so f is subtracted."),
                    (START_W, "The activation is positive and the label is negative. This is a mistake, so w changes."),
                ],
            ),
        ),
        lambda: (
            f"2*4 + 2*0 + 2*1 = {short(first_activation())}. This is positive, but the label is "
            f"negative. So w becomes (2, 2, 2) - (4, 0, 1) = {vector(first_update().w[:3])}. The first feature is the "
            "largest, so the first weight changes most. The second feature is 0, so the second weight stays the same."
        ),
    ),
)

ROWS_1_2_STEP = Step(
    (
        "Now there is a bias: a feature that is always 1, with its own weight. The lecture writes this weight first "
        "and starts from (w0, w1, w2) = (-1, 0, 0). Here it is written separately: b = -1 and w = (0, 0). A score of "
        "0 counts as positive.",
        "There are five samples: (1, 1) -, (3, 2) +, (2, 4) +, (3, 4) +, (2, 3) -. There is one pass, in this order.",
    ),
    five.board,
    Ask(
        "For rows 1 and 2: what are the scores, which of them is a mistake, and what are the weights after row 2?",
        (five.ask_score(1), five.ask_mistake(1), five.ask_score(2), five.ask_mistake(2), five.ask_weights(2)),
        lambda: f"{five.explanation(1)} {five.explanation(2)}",
        lambda: Reveal(t=2),
        chained=True,
    ),
    t=0,
)

ROWS_3_4_STEP = Step(
    ("Rows 3 and 4 are (2, 4) and (3, 4). Both labels are +. The weights are w = (3, 2), b = 0.",),
    five.board,
    Ask(
        "What are their scores? Is either of them a mistake?",
        (five.ask_score(3), five.ask_mistake(3), five.ask_score(4), five.ask_mistake(4)),
        lambda: f"{five.explanation(3)} {five.explanation(4)}",
        lambda: Reveal(t=4),
        chained=True,
    ),
    t=2,
)

ROW_5_STEP = Step(
    ("Row 5 is (2, 3), and its label is -.",),
    five.board,
    Ask(
        "Compute the step of row 5.",
        (five.ask_score(5), five.ask_mistake(5), five.ask_weights(5)),
        lambda: five.explanation(5),
        lambda: Reveal(t=5),
        chained=True,
    ),
    t=4,
)


def score_after_update() -> float:
    """The score of row 5 with the weights after its update."""
    w = five.weights_after(5)
    return float(Hyperplane(w[:2], w[2]).decision_function(five.step(5).x))


EFFECT_STEP = Step(
    (
        "How does an update change the activation of its own sample? (w + y* f).f = w.f + y* f.f. So the activation "
        "goes up by f.f for a positive sample, and down by f.f for a negative sample.",
        "Row 5 had the activation 12. Its f is (2, 3), and 1 for the bias.",
    ),
    five.board,
    Ask(
        "What is f.f, with the 1 for the bias? And what is the activation of row 5 after the update?",
        (
            Number(
                "square",
                "f.f",
                lambda: float(five.step(5).score) - score_after_update(),
                "Compute 2*2 + 3*3 + 1*1. The 1 for the bias counts too.",
            ),
            Number("again", "activation of row 5 after the update", score_after_update, "Subtract f.f from 12."),
        ),
        lambda: (
            f"f.f = 4 + 9 + 1 = {short(five.step(5).score - score_after_update())}. The activation falls from "
            f"{short(five.step(5).score)} to {short(score_after_update())}, so row 5 is now right. One update is not "
            "always enough: that depends on the size of the activation."
        ),
        lambda: Reveal(t=5),
    ),
    t=5,
)


def verdict_kind() -> str:
    """The verdict on the five samples."""
    return separability(whole.board.X, whole.board.y, detail=False).kind


STOP_STEP = Step(
    (
        "One pass is not enough. The algorithm continues until a whole pass has no mistake. The lecture says that "
        "this takes many more passes. The page shows only the first steps of a long run. Press 'Show more steps' at "
        "the last step to see the end.",
    ),
    whole.board,
    Ask(
        "Is there a line that separates the five samples? And will the perceptron stop?",
        (
            yes_or_no(
                "separable",
                "A line separates them",
                lambda: verdict_kind() == "strict",
                "Look for a line between (2, 3) and its positive neighbours (2, 4) and (3, 2).",
            ),
            yes_or_no(
                "stops",
                "The perceptron stops",
                lambda: str(whole.trace.stop_reason) == "mistake_free",
                "If a line separates the classes, the perceptron always stops.",
            ),
        ),
        lambda: (
            f"It stops after {whole.trace[-1].epoch} passes and {whole.trace[-1].updates} updates, with "
            f"{whole.weights_text(len(whole.trace))}. The best line is only "
            f"{short((separability(whole.board.X, whole.board.y).margin_bounds or (0, 0))[0])} away from its nearest "
            "samples. With a small margin, the perceptron needs many updates."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=5,
)

MATRIX = [[-2, 2, 1], [0, 3, 4], [1, 4, -2]]
SAMPLE = (-2, 3, 1)


@cache
def three_class_update() -> OneStep:
    """The step of the lecture's sample of class 2, from its three weight vectors."""
    X, y, *_ = berkeley_three_classes()
    model = Perceptron(order="cyclic", bias=0, tie="positive", init=[[*w, 0] for w in MATRIX])
    return trace(model, [*X, [0, 0, 1], [1, 0, 0]], [*y, 0, 1], max_steps=1)[0]  # two more rows, for the other classes


three = Run(
    board_of(
        [(2, 1, 0), (-1, 2, 1), (-1, -2, 2), (3, 0, 0), (0, 3, 1), (1, -3, 2)],
        Pane("perceptron", {"tie": "positive"}),
        classes=(0, 1, 2),
        names=NAMES,
    )
)
MANY_CLASSES_STEP = Step(
    (
        "With more than two classes, each class has a weight vector. The class with the highest score is predicted. "
        "The weight vectors are the rows of a matrix W, and W f gives all scores.",
        "Let w_0 = (-2, 2, 1), w_1 = (0, 3, 4), w_2 = (1, 4, -2) and f = (-2, 3, 1). (These are three features. The "
        "plane shows another example, with three classes and two features.)",
    ),
    three.board,
    Ask(
        "What are the three scores, and which class is predicted?",
        (
            Numbers(
                "scores",
                "scores",
                ("s_0", "s_1", "s_2"),
                lambda: three_class_update().score,
                "For class 0, compute -2*(-2) + 2*3 + 1*1.",
            ),
            Choice(
                "class",
                "predicted class",
                ("0", "1", "2"),
                lambda: str(three_class_update().predicted),
                {"": "Choose the class with the highest score."},
            ),
        ),
        lambda: (
            " ".join(
                f"{product([*w, 0], SAMPLE, 0.0, s)}." for w, s in zip(MATRIX, three_class_update().score, strict=True)
            )
            + f" Class {three_class_update().predicted} has the highest score."
        ),
    ),
    t=-1,
)

MANY_CLASSES_UPDATE_STEP = Step(
    (
        "A mistake changes two of the weight vectors. f is added to the weights of the true class, and subtracted from "
        "the weights of the predicted class. The others stay the same.",
        "The true class of f = (-2, 3, 1) is 2. The predicted class is 1.",
    ),
    three.board,
    Ask(
        "What are w_1 and w_2 after the update?",
        (
            Numbers(
                "w1",
                "w_1",
                ("first", "second", "third"),
                lambda: three_class_update().w[1][:3],
                "Class 1 was predicted, but it is wrong. Compute (0, 3, 4) - (-2, 3, 1).",
                lambda: [((-2, 6, 5), "You added f. Class 1 is the wrong prediction, so f is subtracted.")],
            ),
            Numbers(
                "w2",
                "w_2",
                ("first", "second", "third"),
                lambda: three_class_update().w[2][:3],
                "Class 2 is the true class. Compute (1, 4, -2) + (-2, 3, 1).",
                lambda: [((3, 1, -3), "You subtracted f. Class 2 is the true class, so f is added.")],
            ),
        ),
        lambda: (
            f"w_1 = (0, 3, 4) - (-2, 3, 1) = {vector(three_class_update().w[1][:3])} and w_2 = (1, 4, -2) + (-2, 3, "
            f"1) = {vector(three_class_update().w[2][:3])}. w_0 stays {vector(three_class_update().w[0][:3])}."
        ),
    ),
    t=-1,
)

MANY_CLASSES_BIAS_STEP = Step(
    (
        "With many classes, the bias is again one more feature that is always 1. So W has one more column.",
        "The plane shows three classes with two features and a bias. The run starts from W = 0.",
    ),
    three.board,
    Ask(
        "How many weights does W have here? The first sample, (2, 1), has class 0 and is a mistake. What is w_0 after "
        "it, with the bias last?",
        (
            Number(
                "count",
                "weights in W",
                lambda: int(np.size(three.trace.start)),
                "Multiply rows by columns: 3 classes, and 2 + 1 features.",
            ),
            Numbers(
                "w0",
                "w_0 after the first sample",
                ("w1", "w2", "b"),
                lambda: three.trace[0].w[0],
                "f with its 1 is added to the weights of the true class. They were 0.",
                lambda: [((2, 1, 0), "The bias has to change too. Its feature is 1, and it is added.")],
            ),
        ),
        lambda: (
            f"3 rows with {len(three.trace.start[0])} weights each make {np.size(three.trace.start)} weights. w_0 = 0 "
            f"+ (2, 1, 1) = {vector(three.trace[0].w[0])}. For the wrongly predicted class "
            f"{three.trace[0].predicted}, the weights become {vector(three.trace[0].w[three.trace[0].predicted])}. Go "
            f"to the end of the run: it stops after {three.trace[-1].updates} updates."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

LESSON = Lesson(
    "activation",
    "Activations, a table, and many classes",
    "Berkeley CS188, Perceptron",
    (
        ACTIVATION_STEP,
        ROWS_1_2_STEP,
        ROWS_3_4_STEP,
        ROW_5_STEP,
        EFFECT_STEP,
        STOP_STEP,
        MANY_CLASSES_STEP,
        MANY_CLASSES_UPDATE_STEP,
        MANY_CLASSES_BIAS_STEP,
    ),
)
