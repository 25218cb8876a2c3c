"""Exercise "Run it by hand": one pass of the perceptron over four or five points."""

from typing import Any

import numpy as np

from rosenblatt.data.files.lab_board import Pane
from rosenblatt.lab.lessons.run_questions import Run
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of

MAX_WEIGHT = 9  # larger weights are too hard for mental arithmetic


def make_step(seed: int) -> Step:
    """Four or five points, at least two of them mistakes."""
    rng = np.random.default_rng(seed)
    while True:
        run = drawn(rng)
        if is_suitable(run):
            return step_of(run)


def drawn(rng: Any) -> Run:
    """A run with random points and settings, suitable or not."""
    n = int(rng.integers(4, 6))
    places, signs = rng.integers(-3, 4, (n, 2)).tolist(), rng.choice([-1, 1], n).tolist()
    options = {"bias": int(rng.integers(2)), "tie": str(rng.choice(["positive", "mistake"])), "max_epochs": 1}
    return Run(board_of([(x, y, s) for (x, y), s in zip(places, signs, strict=True)], Pane("perceptron", options)))


def is_suitable(run: Run) -> bool:
    """Whether a run has two classes, different points, two or more mistakes, a right prediction and small weights."""
    places = {point[:2] for point in run.board.points}
    if len(run.board.present) < 2 or len(places) < len(run.board.points) or (0.0, 0.0) in places:
        return False
    mistakes = sum(step.mistake for step in run.trace)
    zeros = sum(step.score == 0 for step in run.trace.steps[1:])
    largest = max(abs(w) for step in run.trace for w in step.w)
    return 2 <= mistakes < len(run.trace) and zeros <= 1 and largest <= MAX_WEIGHT


def step_of(run: Run) -> Step:
    """The step for a run."""
    n, options = len(run.trace), run.board.panes[0].options
    biased, positive = bool(options["bias"]), options["tie"] == "positive"
    points = ", ".join(f"({x:g}, {y:g}) {'+' if code else '-'}" for x, y, code in run.board.points)
    return Step(
        (
            f"Run the perceptron by hand. Make one pass over {n} points, in this order: {points}.",
            f"Start from w = (0, 0){', b = 0' if biased else ', without a bias'}. A score of 0 counts as "
            f"{'positive' if positive else 'a mistake'}. After a mistake, w \N{LEFTWARDS ARROW} w + y x"
            f"{' and b ' + chr(0x2190) + ' b + y' if biased else ''}.",
        ),
        run.board,
        Ask(
            "At each step: is it a mistake, and what are the weights after the step?",
            tuple(question for t in range(1, n + 1) for question in (run.ask_mistake(t), run.ask_weights(t))),
            lambda: " ".join(f"Step {t}. {run.explanation(t)}" for t in range(1, n + 1)),
            lambda: Reveal(t=n),
            chained=True,
        ),
        t=0,
    )


RUN_IT = Exercise(
    "run-it",
    "Run it by hand",
    "Make one pass over a few points: which are mistakes, and what are the weights after each step?",
    make_step,
)
