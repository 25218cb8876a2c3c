"""Activations, the five-point table row by row, and a weight vector for each class."""

from functools import cache

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.files.board import Pane
from rosenblatt.datasets.lectures import berkeley_activation, berkeley_three_classes
from rosenblatt.lab.lessons.questions import Choice, Number, Numbers
from rosenblatt.lab.lessons.run_questions import Run, yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Lesson, Reveal, Step, board_of
from rosenblatt.lab.wording import product, short, vector
from rosenblatt.proof.separability import separability
from rosenblatt.tracing.step import Step as OneStep
from rosenblatt.tracing.tracer import trace

NAMES = ("f1", "f2")
FIVE = [(1, 1, -1), (3, 2, 1), (2, 4, 1), (3, 4, 1), (2, 3, -1)]
OPTIONS = {"tie": "positive", "init": [0, 0, -1]}
five = Run(board_of(FIVE, Pane("perceptron", {**OPTIONS, "max_epochs": 1}), names=NAMES))
whole = Run(board_of(FIVE, Pane("perceptron", {**OPTIONS, "max_epochs": 1000}), names=NAMES))

W, F = [2, 2, 2], [4, 0, 1]


@cache
def activated() -> OneStep:
    """The lecture's row of three features, met by w = (2, 2, 2)."""
    X, y, *_ = berkeley_activation()
    model = Perceptron(order="cyclic", bias=0, tie="positive", init=[*W, 0])
    return trace(model, [*X, [-4, 0, -1]], [*y, 1], max_steps=1)[0]  # a second row, since there must be two classes


ACTIVATION = Step(
    (
        "The activation of a sample is h = Σ w_i f_i = w.f: each feature times its weight, added up. Positive means +, "
        "negative means -; it is |w| |f| cos θ, so its sign says whether f and w point roughly the same way.",
        "Three features: w = (2, 2, 2) and f = (4, 0, 1), whose true label is y* = -1. A mistake updates w ← w + y* "
        "f. (The plane can show two features only: here are the first and the third, the second being 0.)",
    ),
    board_of(
        [(4, 1, -1), (1, 3, 1)],
        Pane("perceptron", {"bias": 0, "init": [2, 2, 0], "tie": "positive"}),
        names=("f1", "f3"),
    ),
    Ask(
        "What is the activation, and what is w after the update?",
        (
            Number("activation", "activation", lambda: Hyperplane(W).score(F), "2*4 + 2*0 + 2*1."),
            Numbers(
                "w",
                "w after the update",
                ("w1", "w2", "w3"),
                lambda: activated().w[:3],
                "The label is -1: subtract f from w, feature by feature.",
                lambda: [
                    ((6, 2, 3), "The sign of y* was lost: the label is -1, so f is subtracted."),
                    (W, "The activation is positive and the label is negative: a mistake, so w changes."),
                ],
            ),
        ),
        lambda: (
            f"2*4 + 2*0 + 2*1 = {short(Hyperplane(W).score(F))}: positive, but the label is negative. w becomes (2, "
            f"2, 2) - (4, 0, 1) = {vector(activated().w[:3])}. The first weight, which did most of the harm, changes "
            "most; the second, which had no part in it, stays."
        ),
    ),
)

TABLE = Step(
    (
        "Now with a bias: a feature that is always 1, and a weight for it. The lecture writes it first and starts from "
        "(w0, w1, w2) = (-1, 0, 0); here it is b = -1, apart, and w = (0, 0). A score of 0 counts as positive.",
        "Five samples: (1, 1) -, (3, 2) +, (2, 4) +, (3, 4) +, (2, 3) -. One pass, in this order.",
    ),
    five.board,
    Ask(
        "Rows 1 and 2: what are the scores, is either a mistake, and what are the weights after row 2?",
        (five.score(1), five.mistake(1), five.score(2), five.mistake(2), five.weights(2)),
        lambda: f"{five.story(1)} {five.story(2)}",
        lambda: Reveal(t=2),
        chained=True,
    ),
    t=0,
)

MIDDLE = Step(
    ("Rows 3 and 4 are (2, 4) and (3, 4), both +. The weights are w = (3, 2), b = 0.",),
    five.board,
    Ask(
        "What are their scores, and does either change the weights?",
        (five.score(3), five.mistake(3), five.score(4), five.mistake(4)),
        lambda: f"{five.story(3)} {five.story(4)}",
        lambda: Reveal(t=4),
        chained=True,
    ),
    t=2,
)

FIFTH = Step(
    ("Row 5 is (2, 3), and its label is -.",),
    five.board,
    Ask(
        "Go through row 5.",
        (five.score(5), five.mistake(5), five.weights(5)),
        lambda: five.story(5),
        lambda: Reveal(t=5),
        chained=True,
    ),
    t=4,
)


def again() -> float:
    """The score of row 5 with the weights after it."""
    w = five.after(5)
    return float(Hyperplane(w[:2], w[2]).score(five.step(5).x))


RAISED = Step(
    (
        "What does an update do to the activation of its own sample? (w + y* f).f = w.f + y* f.f: it goes up by f.f "
        "for a positive sample, and down by f.f for a negative one.",
        "Row 5 had the activation 12, with f = (2, 3) and the 1 of the bias.",
    ),
    five.board,
    Ask(
        "What is f.f, the 1 of the bias included, and what is the activation of row 5 after the update?",
        (
            Number(
                "square",
                "f.f",
                lambda: float(five.step(5).score) - again(),
                "2*2 + 3*3 + 1*1: the constant counts too.",
            ),
            Number("again", "activation of row 5 after the update", again, "12 less f.f."),
        ),
        lambda: (
            f"f.f = 4 + 9 + 1 = {short(five.step(5).score - again())}, and the activation falls from "
            f"{short(five.step(5).score)} to {short(again())}: row 5 is right now. That need not happen with one "
            "update; it depends on how wrong it was."
        ),
        lambda: Reveal(t=5),
    ),
    t=5,
)


def kind() -> str:
    return separability(whole.board.X, whole.board.y, detail=False).kind


STOPPING = Step(
    (
        "One pass is not the end: the algorithm goes on until a whole pass has no mistake. The lecture says that this "
        "would take many more passes. Of a long run the page shows the first steps; ask it for more to see the end.",
    ),
    whole.board,
    Ask(
        "Is there a line that separates the five samples, and so: will it stop?",
        (
            yes_or_no(
                "separable",
                "A line separates them",
                lambda: kind() == "strict",
                "Look for a steep line between (2, 3) and its positive neighbours (2, 4) and (3, 2).",
            ),
            yes_or_no(
                "stops",
                "The perceptron stops",
                lambda: str(whole.trace.stop_reason) == "mistake_free",
                "Where a line separates the classes, it always stops.",
            ),
        ),
        lambda: (
            f"It stops after {whole.trace[-1].epoch} passes and {whole.trace[-1].updates} updates, with "
            f"{whole.told(len(whole.trace))}. The best line is only "
            f"{short((separability(whole.board.X, whole.board.y).margin_bounds or (0, 0))[0])} away from its nearest "
            "samples, and a small margin takes long."
        ),
        lambda: Reveal(t=-1, proof=True),
    ),
    t=5,
)

MATRIX = [[-2, 2, 1], [0, 3, 4], [1, 4, -2]]
SAMPLE = (-2, 3, 1)


@cache
def met() -> OneStep:
    """The lecture's sample of class 2, met by the three weight vectors."""
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
MULTI = Step(
    (
        "More than two classes: a weight vector for each, and the class with the highest score wins. Stacked, they "
        "are a matrix, and all scores are one product W f.",
        "Let w_0 = (-2, 2, 1), w_1 = (0, 3, 4), w_2 = (1, 4, -2), and f = (-2, 3, 1). (Three features; the plane "
        "shows another example, with three classes in two features.)",
    ),
    three.board,
    Ask(
        "What are the three scores, and which class is predicted?",
        (
            Numbers(
                "scores",
                "scores",
                ("s_0", "s_1", "s_2"),
                lambda: met().score,
                "For class 0: -2*(-2) + 2*3 + 1*1.",
            ),
            Choice(
                "class",
                "predicted class",
                ("0", "1", "2"),
                lambda: str(met().predicted),
                {"": "The highest score wins."},
            ),
        ),
        lambda: (
            " ".join(f"{product([*w, 0], SAMPLE, 0.0, s)}." for w, s in zip(MATRIX, met().score, strict=True))
            + f" Class {met().predicted} has the highest."
        ),
    ),
    t=-1,
)

REWARD = Step(
    (
        "A mistake moves two of the vectors: f is added to the weights of the true class, and subtracted from those "
        "of the predicted class. The others stay.",
        "The true class of f = (-2, 3, 1) was 2, and 1 was predicted.",
    ),
    three.board,
    Ask(
        "What are w_1 and w_2 after the update?",
        (
            Numbers(
                "w1",
                "w_1",
                ("first", "second", "third"),
                lambda: met().w[1][:3],
                "Class 1 was predicted wrongly: (0, 3, 4) - (-2, 3, 1).",
                lambda: [((-2, 6, 5), "f was added; but class 1 was the wrong prediction, so f is subtracted.")],
            ),
            Numbers(
                "w2",
                "w_2",
                ("first", "second", "third"),
                lambda: met().w[2][:3],
                "Class 2 is the true one: (1, 4, -2) + (-2, 3, 1).",
                lambda: [((3, 1, -3), "f was subtracted; but class 2 is the true one, so f is added.")],
            ),
        ),
        lambda: (
            f"w_1 = (0, 3, 4) - (-2, 3, 1) = {vector(met().w[1][:3])} and w_2 = (1, 4, -2) + (-2, 3, 1) = "
            f"{vector(met().w[2][:3])}. w_0 stays {vector(met().w[0][:3])}."
        ),
    ),
    t=-1,
)

COLUMN = Step(
    (
        "The bias for many classes: one more feature that is always 1, and so one more column of W.",
        "On the plane: three classes, two features, a bias. It starts from W = 0.",
    ),
    three.board,
    Ask(
        "How many weights does W have here? The first sample, (2, 1), is of class 0 and a mistake: what is w_0 after "
        "it, its bias last?",
        (
            Number(
                "count",
                "weights in W",
                lambda: int(np.size(three.trace.start)),
                "Rows times columns: 3 classes, 2 + 1.",
            ),
            Numbers(
                "w0",
                "w_0 after the first sample",
                ("w1", "w2", "b"),
                lambda: three.trace[0].w[0],
                "f with its 1 is added to the weights of the true class, which were 0.",
                lambda: [((2, 1, 0), "The bias was forgotten: its feature is 1, and it is added too.")],
            ),
        ),
        lambda: (
            f"3 rows of {len(three.trace.start[0])} are {np.size(three.trace.start)} weights. w_0 = 0 + (2, 1, 1) = "
            f"{vector(three.trace[0].w[0])}; the wrong winner, class {three.trace[0].predicted}, gets the opposite, "
            f"{vector(three.trace[0].w[three.trace[0].predicted])}. Run it to its end: it stops after "
            f"{three.trace[-1].updates} updates."
        ),
        lambda: Reveal(t=1),
    ),
    t=0,
)

LESSON = Lesson(
    "activation",
    "Activations, a table, and many classes",
    "Berkeley CS188, Perceptron",
    (ACTIVATION, TABLE, MIDDLE, FIFTH, RAISED, STOPPING, MULTI, REWARD, COLUMN),
)
