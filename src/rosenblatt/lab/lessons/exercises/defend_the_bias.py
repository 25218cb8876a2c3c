"""Exercise "Defend the bias": arrange points that a line separates, but no line through the origin."""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.lab.lessons.exercises.random_points import by_a_line, verdict_of, well_spread
from rosenblatt.lab.lessons.questions import Choice, Judgement, Points
from rosenblatt.lab.lessons.reasons import line_of, readable_equation, strict_reason, zero_sum_reason
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.separability import separability

MIN_POINTS, MAX_POINTS = 4, 60
SHIFTS = [(x, y) for size in (3, 6, 9) for x in (0, size, -size) for y in (0, size, -size) if x or y]
REASON = "with a bias the line can be anywhere; without a bias it must go through the origin"
REASONS = (
    "it makes the weights larger and the scores more certain",
    REASON,
    "it bends the line where the classes are not separable",
    "it makes the perceptron need fewer updates",
)
HINTS = {
    REASONS[0]: "If all weights are multiplied by the same number, the line stays the same.",
    REASONS[
        2
    ]: "With a bias it is still a straight line. Where the hulls of the classes overlap, a bias does not help.",
    REASONS[3]: "A bias can mean more updates or fewer. That is not its purpose.",
}


def check_board(board: Board) -> Judgement:
    """Check that a line separates the points, and that no line through the origin does."""
    if not MIN_POINTS <= len(board.points) <= MAX_POINTS:
        limits = f"Leave {MIN_POINTS} to {MAX_POINTS} points on the board"
        return Judgement(False, f"{limits}. Now there are {len(board.points)}.")
    if len(board.present) != 2:
        return Judgement(False, "Leave points of two classes on the board.")
    with_bias, without_bias = separability(board.X, board.y), separability(board.X, board.y, through_origin=True)
    if with_bias.kind != "strict":
        return Judgement(
            False, "With a bias they are not separable either: every line has some point that is not on its right side."
        )
    if without_bias.kind == "strict":
        line = readable_equation(line_of(without_bias))
        return Judgement(
            False, f"A line through the origin still separates them: {line}, rounded. Move the points off the origin."
        )
    return Judgement(True, f"{strict_reason(with_bias)} {zero_sum_reason(without_bias)}")


def shifted(board: Board) -> Board | None:
    """Move all points together to a place where they need a bias; None if no shift of the list does that."""
    for dx, dy in SHIFTS:
        moved = replace(board, points=tuple((x + dx, y + dy, code) for x, y, code in board.points))
        if separability(moved.X, moved.y, through_origin=True).kind != "strict":
            return moved.fitted()
    return None


def drawn(rng: Any) -> tuple[Board, Board]:
    """Points that a line through the origin separates, and one solution of the exercise."""
    while True:
        rows = by_a_line(rng, through_origin=True)[: int(rng.integers(4, 7))]
        if not well_spread(rows) or verdict_of(rows, bias=False).kind != "strict":
            continue
        board = board_of(
            rows, Pane("perceptron", {"bias": 0}), Pane("perceptron", {"bias": 1}), around=((-6, -4.5), (6, 4.5))
        )
        solution = shifted(board)
        if solution is not None:
            return board, solution


def make_step(seed: int) -> Step:
    """Points that do not need a bias, for the reader to change."""
    board, solution = drawn(np.random.default_rng(seed))
    return Step(
        (
            "Two perceptrons learn the same points, side by side: one without a bias, one with a bias. Both separate "
            "the classes.",
            "Show what the bias is for. Move points or add points, until a line separates the classes but no line "
            "through the origin does. One way is to move all points together.",
        ),
        board,
        Ask(
            "Change the points so that they need a bias. And why do we use a bias?",
            (
                Points("points", "the points on the board", check_board, lambda: solution),
                Choice("reason", "We use a bias because", REASONS, lambda: REASON, HINTS),
            ),
            lambda: (
                "The bias moves the line away from the origin: w.x is compared with -b instead of 0. It costs one "
                "weight. Without it, the result would depend on the position of the origin."
            ),
            lambda: Reveal(t=-1, proof=True),
        ),
    )


DEFEND_THE_BIAS = Exercise(
    "defend-the-bias",
    "Defend the bias",
    "Arrange points that a line separates, but no line through the origin.",
    make_step,
)
