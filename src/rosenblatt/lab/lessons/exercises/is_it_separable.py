"""Exercise "Is it separable?": tell whether a line separates the points strictly, only weakly, or not at all."""

import numpy as np

from rosenblatt.lab.lessons.exercises.random_points import rows_of
from rosenblatt.lab.lessons.questions import Choice
from rosenblatt.lab.lessons.reasons import separability_reason
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.separability import separability

STRICT = "yes: some line has every point strictly on its right side"
WEAK = "only weakly: some line has no point on its wrong side, but some points must lie on it"
OVERLAP = "no: every line has some point on its wrong side"
KINDS = {"strict": STRICT, "weak": WEAK, "overlap": OVERLAP}
HINTS = {
    STRICT: "Look again. Is there a place that belongs to the convex hulls of both classes?",
    WEAK: "Look again. Is there a gap between the two hulls? Or do they share more than a piece of one line?",
    OVERLAP: "Look again. Draw the convex hull of each class. Do the hulls really overlap?",
}


def make_step(seed: int) -> Step:
    """Points of one of the three kinds."""
    rng = np.random.default_rng(seed)
    rows = rows_of(str(rng.choice(list(KINDS))), rng)
    board = board_of(rows)
    return Step(
        (
            f"Here are {len(rows)} points of two classes.",
            "Think of the two convex hulls. If there is a gap between them, a line fits into the gap. If they share "
            "only a piece of one line, that line has no point on a wrong side. If they overlap, every line has errors.",
        ),
        board,
        Ask(
            "Can a line separate the two classes?",
            (
                Choice(
                    "kind",
                    "Separable?",
                    tuple(KINDS.values()),
                    lambda: KINDS[separability(board.X, board.y).kind],
                    HINTS,
                ),
            ),
            lambda: separability_reason(board),
            lambda: Reveal(proof=True),
        ),
    )


IS_IT_SEPARABLE = Exercise(
    "is-it-separable",
    "Is it separable?",
    "Look at the points: strictly separable, only weakly, or not at all? Then see the proof.",
    make_step,
)
