"""Why training, or a search, stopped."""

import enum
from typing import Self


class StopReason(enum.StrEnum):
    """Why training stopped: its value is a word, and `sentence` says it in full.

    Attributes
    ----------
    sentence : str
        The reason in full.

    See Also
    --------
    Perceptron : Its `stop_reason_` is one of these.
    BudgetWarning : Warns of the reason "budget".

    Examples
    --------
    >>> from rosenblatt import StopReason
    >>> StopReason("budget") is StopReason.BUDGET, StopReason.BUDGET == "budget"
    (True, True)
    >>> StopReason.BUDGET.sentence
    'The budget of passes or steps was used before the goal was reached.'
    """

    sentence: str

    def __new__(cls, word: str, sentence: str = "") -> Self:
        reason = str.__new__(cls, word)
        reason._value_, reason.sentence = word, sentence
        return reason

    MISTAKE_FREE = (
        "mistake_free",
        "A whole pass made no mistake: the last weights have every row on its right side.",
    )
    GAP_CLOSED = "gap_closed", "The bounds of the margin, or of the radius, are within epsilon of each other."
    SEPARATED = "separated", "The hyperplane has every row strictly on its right side; no more was asked for."
    PROVED_OVERLAP = (
        "proved_overlap",
        "No hyperplane of this kind has every row strictly on its right side; a combination of rows proves it.",
    )
    ROUNDING = "rounding", "Rounding errors allow no further step; the bounds hold, rounding included."
    BUDGET = "budget", "The budget of passes or steps was used before the goal was reached."
    PATIENCE = "patience", "The best weights did not improve for `patience` passes."
    TARGET = "target", "The best weights make no more errors than the target allows."
    IMPOSSIBLE = "impossible", "No hyperplane makes as few errors as the target allows; a certificate proves it."
    CONDITION = "condition", "The condition for stopping, or a callback, ended the training."
    HELD_OUT = "held_out", "The errors on the rows held out did not fall any more; the best pass is kept."
    STREAM = "stream", "Each row was learned from once, as it came; no pass over all rows was asked for."
