"""Exercise "Draw the boundary": draw the line of given weights, and find the side of a point."""

from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.questions import Choice, Line
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step
from rosenblatt.lab.wording import product

VIEW = (-8.0, 8.0, -6.0, 6.0)
LINE_TOLERANCE = 0.4  # 1/40 of the width of the view
POSITIVE, NEGATIVE = "on the positive side, S+", "on the negative side, S-"


def drawn(rng: Any) -> tuple[Hyperplane, tuple[int, int]]:
    """A line with whole-number weights that crosses the view, and a point that is not close to it."""
    while True:
        w, b = rng.integers(-3, 4, 2), int(rng.integers(-6, 7))
        point = (int(rng.integers(-6, 7)), int(rng.integers(-5, 6)))
        if not w.any():
            continue
        plane = Hyperplane(w, b)
        ends = plane.segment((-6, 6), (-4.5, 4.5))
        if ends is not None and np.hypot(*(ends[1] - ends[0])) >= 6 and plane.distance(point) >= 1:
            return plane, point


def make_step(seed: int) -> Step:
    """Weights whose line the reader draws, and a point whose side the reader finds."""
    plane, point = drawn(np.random.default_rng(seed))
    board, (w1, w2) = Board(view=VIEW), plane.w.tolist()
    line = Line("line", "your line", plane, VIEW, LINE_TOLERANCE)

    def answer() -> Reveal:
        label = shapes.mark(point, "contact", label=f"({point[0]}, {point[1]})")
        return Reveal(shapes=(*shapes.boundary(plane, VIEW, "answer"), *shapes.normal(plane, VIEW), label))

    return Step(
        (
            f"The weights are w1 = {w1:g}, w2 = {w2:g} and b = {plane.b:g}.",
            f"Your line is accepted if it is at most {LINE_TOLERANCE} away from the right line at the edges of the "
            "view. That is 1/40 of the width of the view.",
        ),
        board,
        Ask(
            f"Draw the boundary w1 x1 + w2 x2 + b = 0. On which side is the point ({point[0]}, {point[1]})?",
            (
                line,
                Choice(
                    "side",
                    f"({point[0]}, {point[1]}) is",
                    (POSITIVE, NEGATIVE),
                    lambda: POSITIVE if plane.decision_function(point) > 0 else NEGATIVE,
                    {"": f"Compute {w1:g}*{point[0]} + {w2:g}*{point[1]} + {plane.b:g}. Is it above or below 0?"},
                ),
            ),
            lambda: explanation(plane, point),
            answer,
        ),
    )


def explanation(plane: Hyperplane, point: tuple[int, int]) -> str:
    """The equation of the line, where it crosses the axes, and the side of the point."""
    w1, w2 = plane.w.tolist()
    score = product(plane.weights.tolist(), point, 1.0, plane.decision_function(point))
    side = "positive" if plane.decision_function(point) > 0 else "negative"
    return (
        f"The boundary is {plane.equation()}. {crossings(plane)} The vector w = ({w1:g}, {w2:g}) points to the "
        f"positive side. At ({point[0]}, {point[1]}) the score is {score}, so the point is on the {side} side."
    )


def crossings(plane: Hyperplane) -> str:
    """A sentence that says where the line crosses the axes."""
    if plane.b == 0:
        return "It goes through the origin."
    at = [f"{name} = {-plane.b / w:.4g}" for name, w in zip(("x1", "x2"), plane.w.tolist(), strict=True) if w]
    return f"It crosses {'the axes' if len(at) == 2 else 'one axis'} at {' and '.join(at)}."


DRAW_THE_BOUNDARY = Exercise(
    "draw-the-boundary",
    "Draw the boundary",
    "Draw the line of given weights on the plane, and find the side of a point.",
    make_step,
)
