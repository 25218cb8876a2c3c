"""The exercise of drawing the boundary of given weights."""

from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.questions import Choice, Line
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step
from rosenblatt.lab.wording import product

VIEW = (-8.0, 8.0, -6.0, 6.0)
WITHIN = 0.4  # a fortieth of the width of the view
POSITIVE, NEGATIVE = "on the positive side, S+", "on the negative side, S-"


def drawn(rng: Any) -> tuple[Hyperplane, tuple[int, int]]:
    """A line with whole weights, a good part of which is seen, and a point that is not near it."""
    while True:
        w, b = rng.integers(-3, 4, 2), int(rng.integers(-6, 7))
        point = (int(rng.integers(-6, 7)), int(rng.integers(-5, 6)))
        if not w.any():
            continue
        plane = Hyperplane(w, b)
        ends = plane.segment((-6, 6), (-4.5, 4.5))
        if ends is not None and np.hypot(*(ends[1] - ends[0])) >= 6 and plane.distance(point) >= 1:
            return plane, point


def posed(seed: int) -> Step:
    """Weights, a line to draw and a point to place."""
    plane, point = drawn(np.random.default_rng(seed))
    board, (w1, w2) = Board(view=VIEW), plane.w.tolist()
    line = Line("line", "your line", plane, VIEW, WITHIN)

    def answer() -> Reveal:
        label = shapes.mark(point, "contact", label=f"({point[0]}, {point[1]})")
        return Reveal(shapes=(*shapes.boundary(plane, VIEW, "answer"), *shapes.normal(plane, VIEW), label))

    return Step(
        (
            f"The weights are w1 = {w1:g}, w2 = {w2:g} and b = {plane.b:g}.",
            f"Your line is accepted if, where the right one leaves the view, it is off by no more than {WITHIN}, a "
            "fortieth of the width of the view.",
        ),
        board,
        Ask(
            f"Draw the boundary w1 x1 + w2 x2 + b = 0. And where is the point ({point[0]}, {point[1]})?",
            (
                line,
                Choice(
                    "side",
                    f"({point[0]}, {point[1]}) is",
                    (POSITIVE, NEGATIVE),
                    lambda: POSITIVE if plane.score(point) > 0 else NEGATIVE,
                    {"": f"Put it in: {w1:g}*{point[0]} + {w2:g}*{point[1]} + {plane.b:g}. Above 0, or below?"},
                ),
            ),
            lambda: reason(plane, point),
            answer,
        ),
    )


def reason(plane: Hyperplane, point: tuple[int, int]) -> str:
    """Where the line is, and where the point."""
    w1, w2 = plane.w.tolist()
    score = product(plane.weights.tolist(), point, 1.0, plane.score(point))
    side = "positive" if plane.score(point) > 0 else "negative"
    return (
        f"The boundary is {plane.equation()}{crossings(plane)}, and w = ({w1:g}, {w2:g}) points to the positive side. "
        f"At ({point[0]}, {point[1]}) the score is {score}: {side}."
    )


def crossings(plane: Hyperplane) -> str:
    """Where the line crosses the axes."""
    at = [f"{name} = {-plane.b / w:.4g}" for name, w in zip(("x1", "x2"), plane.w.tolist(), strict=True) if w]
    if plane.b == 0:
        return ", a line through the origin"
    return f", which crosses {'the axes' if len(at) == 2 else 'an axis'} at {' and '.join(at)}"


DRAW_THE_BOUNDARY = Exercise(
    "draw-the-boundary",
    "Draw the boundary",
    "From weights to a line and its sides: draw it on the plane.",
    posed,
)
