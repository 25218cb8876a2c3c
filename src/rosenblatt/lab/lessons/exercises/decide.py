"""Points of a wanted kind, and the exercises of telling whether they are separable and whether the perceptron stops."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.data.files.board import Board, Pane
from rosenblatt.lab.lessons.questions import Choice
from rosenblatt.lab.lessons.reasons import updates, why
from rosenblatt.lab.lessons.run_questions import yes_or_no
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

Rows = list[tuple[int, int, int]]
WIDE, HIGH = 5, 4  # the largest coordinates


def places(rng: Any, n: int) -> list[tuple[int, int]]:
    """Different places with whole coordinates."""
    cells = rng.choice((2 * WIDE + 1) * (2 * HIGH + 1), n + 1, replace=False)
    chosen = [(int(c) % (2 * WIDE + 1) - WIDE, int(c) // (2 * WIDE + 1) - HIGH) for c in cells]
    return [place for place in chosen if any(place)][:n]  # the origin says nothing without a bias


def by_a_line(rng: Any, through_origin: bool = False) -> Rows:
    """Points on the two sides of a line, none of them on it."""
    w = rng.choice([-2, -1, 1, 2], 2)
    c = 0 if through_origin else int(rng.integers(-3, 4))
    rows = [(x, y, int(np.sign(w[0] * x + w[1] * y - c))) for x, y in places(rng, 9)]
    return [row for row in rows if row[2]][:7]


def touching(rng: Any) -> Rows:
    """Points on the two sides of a line, and three on it: one class between two of the other."""
    along = np.array([(1, 0), (0, 1), (1, 1), (1, -1)][int(rng.integers(4))])
    across, start = np.array([-along[1], along[0]]), rng.integers(-1, 2, 2)
    sign = int(rng.choice([-1, 1]))
    rows = [(*(start + k * along).tolist(), s * sign) for k, s in ((-1, 1), (0, -1), (int(rng.integers(1, 3)), 1))]
    for side in (1, -1):
        for k in rng.choice(5, 2, replace=False) - 2:
            rows.append((*(start + k * along + side * int(rng.integers(1, 3)) * across).tolist(), side))
    return [rows[i] for i in rng.permutation(len(rows))]


def mixed(rng: Any) -> Rows:
    """Points whose classes are drawn, or those of a line with one turned round."""
    if rng.integers(2):
        return [(x, y, int(rng.choice([-1, 1]))) for x, y in places(rng, 6)]
    rows, odd = by_a_line(rng), int(rng.integers(5))
    return [(x, y, -s if i == odd else s) for i, (x, y, s) in enumerate(rows)]


MAKERS: dict[str, Callable[[Any], Rows]] = {"strict": by_a_line, "weak": touching, "overlap": mixed}


def rows_of(kind: str, rng: Any) -> Rows:
    """Points of a kind, two of each class at least, no two in one place."""
    while True:
        rows = MAKERS[kind](rng)
        if well_spread(rows) and verdict_of(rows).kind == kind:
            return rows


def well_spread(rows: Rows) -> bool:
    signs = [s for _, _, s in rows]
    return min(signs.count(-1), signs.count(1)) >= 2 and len({row[:2] for row in rows}) == len(rows)


def verdict_of(rows: Rows, bias: bool = True) -> Verdict:
    return separability([row[:2] for row in rows], [row[2] for row in rows], bias=bias)


STRICT = "yes: some line has every point strictly on its right side"
WEAK = "only weakly: no point need be on a wrong side, but some must lie on the line"
OVERLAP = "no: every line has some point on its wrong side"
KINDS = {"strict": STRICT, "weak": WEAK, "overlap": OVERLAP}
DOUBT = {
    STRICT: "Look again: does some point, or a point between two of one class, coincide with one of the other?",
    WEAK: "Look again: is there room for a line between the hulls, or do they share more than a piece of one line?",
    OVERLAP: "Look again: draw the hull of each class. Do they really go into each other?",
}


def separable(seed: int) -> Step:
    """Points of one of three kinds."""
    rng = np.random.default_rng(seed)
    rows = rows_of(str(rng.choice(list(KINDS))), rng)
    board = board_of(rows)

    def verdict() -> Verdict:
        return separability(board.X, board.y)

    return Step(
        (
            f"Here are {len(rows)} points of two classes.",
            "Think of the two convex hulls: if they keep apart, a line goes between them; if they touch in a piece of "
            "one line only, that line has no point on a wrong side; if they go into each other, nothing helps.",
        ),
        board,
        Ask(
            "Can a line separate the two classes?",
            (Choice("kind", "Separable?", tuple(KINDS.values()), lambda: KINDS[verdict().kind], DOUBT),),
            lambda: why(board),
            lambda: Reveal(proof=True),
        ),
    )


POSSIBLE = "it cannot be ruled out: the bound is higher"
TOO_MANY = "no: that is more than (R/\N{GREEK SMALL LETTER GAMMA})\N{SUPERSCRIPT TWO}"
ENDLESS = "yes, and more: it never stops"
CASES = ("strict", "strict", "through", "through", "origin", "overlap", "weak")  # more often than not it stops
MOST = 600  # updates that a bound may come to: more cannot be guessed from a picture


def case_rows(case: str, rng: Any) -> tuple[Rows, int]:
    """Points of a case and whether there is a bias."""
    if case in KINDS:
        return rows_of(case, rng), 1
    while True:  # without a bias: lines through the origin that separate, or that do not though others do
        rows = by_a_line(rng, through_origin=case == "through")
        tied = verdict_of(rows, bias=False).kind == "strict" if well_spread(rows) else None
        if tied == (case == "through") and verdict_of(rows).kind == "strict":
            return rows, 0


def asked_count(bound: float, rng: Any) -> int:
    """A number of updates well above the bound, or well below it; any if there is no bound."""
    if math.isinf(bound):
        return int(rng.choice([20, 100, 500]))
    wanted = bound * 4 if rng.integers(2) else max(bound / 4, 1)
    digits = int(10 ** max(0, math.floor(math.log10(wanted)) - 1))
    return math.ceil(wanted / digits) * digits if wanted > bound else max(1, math.floor(wanted / digits) * digits)


def converging(seed: int) -> Step:
    """Points and a perceptron that stops, or does not."""
    rng = np.random.default_rng((seed, 1))  # others than in the exercise above
    case = str(rng.choice(CASES))
    while True:
        rows, bias = case_rows(case, rng)
        found = mistake_bound([row[:2] for row in rows], [row[2] for row in rows], bias=float(bias))
        if math.isinf(found.bound[1]) or found.bound[1] <= MOST:
            break
    order = str(rng.choice(["cyclic", "shuffled", "worst"]))
    board = board_of(rows, Pane("perceptron", {"bias": bias, "order": order, "tie": "mistake"}))
    return converging_step(board, bool(bias), asked_count(found.bound[1], rng))


def converging_step(board: Board, bias: bool, count: int) -> Step:
    line = "line" if bias else "line through the origin"

    def stops() -> bool:
        return separability(board.X, board.y, bias=bias).kind == "strict"

    return Step(
        (
            f"A perceptron {'with a bias' if bias else 'without a bias'} learns these points from weights 0, again and "
            "again, with as many passes as it likes.",
            "Tell from the points, before you let it run. R is the length of the longest point, and gamma the largest "
            f"distance that a {line} can keep from the nearest point"
            f"{'; with a bias both are measured with the 1 that each point ends with' if bias else ''}.",
        ),
        board,
        Ask(
            f"Will it stop? And could it make {count:,} updates?",
            (
                yes_or_no(
                    "stops", "It stops", stops, f"It stops exactly if some {line} has every point strictly right."
                ),
                counted(board, bias, count),
            ),
            lambda: f"{why(board, bias)} {updates(board, bias, count)}",
            lambda: Reveal(t=-1, proof=True),
        ),
        t=0,
    )


def counted(board: Board, bias: bool, count: int) -> Choice:
    """Could there be so many updates?"""

    def right() -> str:
        most = mistake_bound(board.X, board.y, bias=float(bias)).bound[1]
        return ENDLESS if math.isinf(most) else POSSIBLE if count <= most else TOO_MANY

    hints = {
        ENDLESS: "It stops on these points, so that there is a bound.",
        "": "Estimate R and gamma: is there room for a line at all, and how near must it come to the points?",
    }
    return Choice("count", f"{count:,} updates?", (POSSIBLE, TOO_MANY, ENDLESS), right, hints)


WILL_IT_CONVERGE = Exercise(
    "will-it-converge",
    "Will it converge?",
    "Tell from the points whether the perceptron stops, and how many updates it can make.",
    converging,
)
IS_IT_SEPARABLE = Exercise(
    "is-it-separable",
    "Is it separable?",
    "Strictly, only weakly, or not at all: look at the points, then see the proof.",
    separable,
)
