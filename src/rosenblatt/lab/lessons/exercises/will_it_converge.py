"""Exercise "Will it converge?": tell whether a perceptron stops on the points, and how many updates are possible."""

import math
from typing import Any

import numpy as np

from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.lab.lessons.exercises.random_points import (
    MAKERS,
    Rows,
    by_a_line,
    rows_of,
    verdict_of,
    well_spread,
)
from rosenblatt.lab.lessons.questions import Choice
from rosenblatt.lab.lessons.reasons import separability_reason, update_count_reason
from rosenblatt.lab.lessons.run_questions import yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability

BOUND = "(R/\N{GREEK SMALL LETTER GAMMA})\N{SUPERSCRIPT TWO}"
POSSIBLE = f"cannot be excluded: the bound {BOUND} is higher"
TOO_MANY = f"no: that is more than {BOUND}"
ENDLESS = "yes, and more: it never stops"
CASES = ("strict", "strict", "through", "through", "origin", "overlap", "weak")  # it stops in four of seven
MAX_BOUND = 600  # updates; a higher bound is too hard to estimate from a picture


def case_rows(case: str, rng: Any) -> tuple[Rows, int]:
    """Points of a case, and the bias: 1 or 0.

    Without a bias, "through" means that a line through the origin separates the points; "origin" means that some line
    separates them, but no line through the origin.
    """
    if case in MAKERS:
        return rows_of(case, rng), 1
    while True:
        rows = by_a_line(rng, through_origin=case == "through")
        separable = verdict_of(rows, bias=False).kind == "strict" if well_spread(rows) else None
        if separable == (case == "through") and verdict_of(rows).kind == "strict":
            return rows, 0


def asked_count(bound: float, rng: Any) -> int:
    """A number of updates: about four times the bound, or a quarter of it. Without a bound, any number."""
    if math.isinf(bound):
        return int(rng.choice([20, 100, 500]))
    wanted = bound * 4 if rng.integers(2) else max(bound / 4, 1)
    digits = int(10 ** max(0, math.floor(math.log10(wanted)) - 1))
    return math.ceil(wanted / digits) * digits if wanted > bound else max(1, math.floor(wanted / digits) * digits)


def make_step(seed: int) -> Step:
    """Points and a perceptron that stops, or does not."""
    rng = np.random.default_rng((seed, 1))  # other points than "Is it separable?" draws from this seed
    case = str(rng.choice(CASES))
    while True:
        rows, bias = case_rows(case, rng)
        found = mistake_bound([row[:2] for row in rows], [row[2] for row in rows], bias=float(bias))
        if math.isinf(found.bounds[1]) or found.bounds[1] <= MAX_BOUND:
            break
    order = str(rng.choice(["cyclic", "shuffled", "worst"]))
    board = board_of(rows, Pane("perceptron", {"bias": bias, "order": order, "tie": "mistake"}))
    return step_of(board, bool(bias), asked_count(found.bounds[1], rng))


def step_of(board: Board, bias: bool, count: int) -> Step:
    """The step for points, a bias or none, and the number of updates that is asked about."""
    line = "line" if bias else "line through the origin"

    def stops() -> bool:
        return separability(board.X, board.y, through_origin=not bias).kind == "strict"

    return Step(
        (
            f"A perceptron {'with a bias' if bias else 'without a bias'} learns these points. It starts with all "
            "weights 0 and may make as many passes as it needs.",
            "Look at the points and predict, before you run it. R is the length of the longest point. Gamma is the "
            f"largest distance that a separating {line} can have to its nearest point."
            f"{' With a bias, each point has a third coordinate 1, and both R and gamma include it.' if bias else ''}",
        ),
        board,
        Ask(
            f"Will it stop? And could it make {count:,} updates?",
            (
                yes_or_no(
                    "stops", "It stops", stops, f"It stops if, and only if, some {line} strictly separates the classes."
                ),
                count_question(board, bias, count),
            ),
            lambda: f"{separability_reason(board, bias)} {update_count_reason(board, bias, count)}",
            lambda: Reveal(t=-1, proof=True),
        ),
        t=0,
    )


def count_question(board: Board, bias: bool, count: int) -> Choice:
    """Ask whether this many updates are possible."""

    def right() -> str:
        highest = mistake_bound(board.X, board.y, bias=float(bias)).bounds[1]
        return ENDLESS if math.isinf(highest) else POSSIBLE if count <= highest else TOO_MANY

    hints = {
        ENDLESS: "It stops on these points, so there is a bound.",
        "": "Estimate R and gamma. Is there a separating line at all? How close to the points must it be?",
    }
    return Choice("count", f"{count:,} updates?", (POSSIBLE, TOO_MANY, ENDLESS), right, hints)


WILL_IT_CONVERGE = Exercise(
    "will-it-converge",
    "Will it converge?",
    "Look at the points: does the perceptron stop, and how many updates can it make?",
    make_step,
)
