"""The exercise of defending the bias: points that need it."""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.data.files.board import Board, Pane
from rosenblatt.lab.lessons.exercises.decide import by_a_line, verdict_of, well_spread
from rosenblatt.lab.lessons.questions import Choice, Judged, Points
from rosenblatt.lab.lessons.reasons import apart, readable, summed
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.separability import separability

FEWEST, MOST = 4, 60  # points
WAYS = [(x, y) for size in (3, 6, 9) for x in (0, size, -size) for y in (0, size, -size) if x or y]
REASON = "with it the line can be anywhere; without it the line must go through the origin, whatever the points are"
REASONS = (
    "it makes the weights larger, and so the scores more certain",
    REASON,
    "it lets the line bend where the classes are not separable",
    "it makes the perceptron need fewer updates",
)
DOUBTS = {
    REASONS[0]: "Larger weights, all of them, are the same line.",
    REASONS[2]: "It is still a line: where the hulls of the classes meet, a bias does not help.",
    REASONS[3]: "It may need more or fewer; that is not what it is for.",
}


def judged(board: Board) -> Judged:
    """Do these points need a bias, and does one help?"""
    if not FEWEST <= len(board.points) <= MOST:
        return Judged(False, f"Leave {FEWEST} to {MOST} points on the board; there are {len(board.points)}.")
    if len(board.present) != 2:
        return Judged(False, "Leave points of two classes on the board.")
    free, tied = separability(board.X, board.y), separability(board.X, board.y, bias=False)
    if free.kind != "strict":
        return Judged(
            False, "With a bias they are not separable either: no line at all has every point on its right side."
        )
    if tied.kind == "strict" and tied.hyperplane is not None:
        line = readable(tied.hyperplane)
        return Judged(
            False, f"A line through the origin still separates them, about {line}. Move the points off the origin."
        )
    return Judged(True, f"{apart(free)} {summed(tied)}")


def needing(board: Board) -> Board | None:
    """The same points moved together to where they need a bias; None if that is not found."""
    for dx, dy in WAYS:
        moved = replace(board, points=tuple((x + dx, y + dy, code) for x, y, code in board.points))
        if separability(moved.X, moved.y, bias=False).kind != "strict":
            return moved.fitted()
    return None


def drawn(rng: Any) -> tuple[Board, Board]:
    """Points that a line through the origin separates, and a solution."""
    while True:
        rows = by_a_line(rng, through_origin=True)[: int(rng.integers(4, 7))]
        if not well_spread(rows) or verdict_of(rows, bias=False).kind != "strict":
            continue
        board = board_of(
            rows, Pane("perceptron", {"bias": 0}), Pane("perceptron", {"bias": 1}), around=((-6, -4.5), (6, 4.5))
        )
        solution = needing(board)
        if solution is not None:
            return board, solution


def posed(seed: int) -> Step:
    """Points to change."""
    board, solution = drawn(np.random.default_rng(seed))
    return Step(
        (
            "A perceptron without a bias and one with a bias learn the same points, side by side. Both separate them.",
            "Show what the bias is for: move the points, or add some, until a line separates the classes but no line "
            "through the origin does. One way is to move all of them together.",
        ),
        board,
        Ask(
            "Change the points so that they need a bias. And what is the reason to have one?",
            (
                Points("points", "the points on the board", judged, lambda: solution),
                Choice("reason", "The bias is there because", REASONS, lambda: REASON, DOUBTS),
            ),
            lambda: (
                "The bias shifts the line off the origin: the scores along w are compared with -b instead of 0. It "
                "costs one weight, and without it the answer would depend on where the origin happens to be."
            ),
            lambda: Reveal(t=-1, proof=True),
        ),
    )


DEFEND_THE_BIAS = Exercise(
    "defend-the-bias",
    "Defend the bias",
    "Arrange points that a line separates, but no line through the origin.",
    posed,
)
