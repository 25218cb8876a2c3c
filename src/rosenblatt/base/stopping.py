"""Why training, or a search, stopped."""

import enum
from typing import Self


class StopReason(enum.StrEnum):
    """Why training stopped: a word that compares as one, its value a sentence."""

    def __new__(cls, word: str, sentence: str) -> Self:
        reason = str.__new__(cls, word)
        reason._value_ = sentence
        return reason

    MISTAKE_FREE = (
        "mistake_free",
        "A whole pass made no mistake: the weights that learn have every row on its right side.",
    )
    GAP_CLOSED = "gap_closed", "The bounds (of the margin, or of the radius) are within epsilon of each other."
    SEPARATED = "separated", "The hyperplane has every row strictly on its right side; no more was asked for."
    PROVED_OVERLAP = (
        "proved_overlap",
        "No hyperplane of this kind has every row strictly on its right side; a combination of rows proves it.",
    )
    ROUNDING = "rounding", "By rounding, steps lead no further; the bounds hold, rounding included."
    BUDGET = "budget", "The budget of passes, or steps, was used before the goal was reached."
    PATIENCE = "patience", "For `patience` passes the best weights so far have not been beaten."
    TARGET = "target", "The best weights make no more errors than were asked for."
    IMPOSSIBLE = "impossible", "No hyperplane makes as few errors as were asked for; a certificate proves it."
    CONDITION = "condition", "The condition for stopping that was passed, or a callback, said so."
    HELD_OUT = (
        "held_out",
        "The errors on the part held out have not fallen any more; the pass with the fewest answers.",
    )
    STREAM = "stream", "Rows were learned from as they came, each once; no pass over all of them was asked for."
