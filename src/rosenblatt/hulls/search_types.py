"""The goal of a nearest-point search, what one look at all rows shows, and the result."""

from fractions import Fraction
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rosenblatt.base.stopping import StopReason
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.hulls.row_set import Points, Worst


class Goal(NamedTuple):
    """When to stop.

    Attributes
    ----------
    epsilon : the gap between the bounds at which to stop; None stops at any separating hyperplane
    kind : "relative" if epsilon is a part of the upper bound, or "absolute"
    """

    epsilon: float | None
    kind: str = "relative"

    def reached(self, lower: float, upper: float) -> StopReason | None:
        """The reason to stop at these bounds, or None."""
        if self.epsilon is None:
            return StopReason.SEPARATED if lower > 0 else None
        if self.kind == "relative" and not lower > 0:
            return None
        close = upper - lower <= self.epsilon * (upper if self.kind == "relative" else 1.0)
        return StopReason.GAP_CLOSED if close else None


class Look(NamedTuple):
    """What one look at all rows shows for a given w."""

    w: Floats
    worst: Worst
    edge: Floats  # the lead of each part at which the slab ends
    lower: float  # the hyperplane of w reaches this margin; negative if it does not separate
    upper: float  # no hyperplane has a larger margin


class Nearest(NamedTuple):
    """The result of a search."""

    look: Look  # at the hyperplane to use
    rows: Codes  # the rows with a positive weight
    weights: Floats  # the weights of each part sum to 1
    lower: float
    upper: float
    stop_reason: StopReason
    history: NDArray[Any]  # of dtype search_state.RECORD: the start, then every step
    wrong: list[int]  # the number of rows on the wrong side, for each look
    zero_combination: dict[int, Fraction]  # at a proved overlap: row -> weight; the signed rows add up to exactly 0


def plane_of(look: Look, points: Points) -> tuple[Floats, float]:
    """The weights of the hyperplane of a look, the bias weight last, and the functional margin of the nearest rows.

    A free bias puts the hyperplane midway between the nearest rows of the two classes.
    """
    if not points.two:
        return look.w, float(look.edge[0])
    w = look.w.copy()
    w[-1] = (look.edge[0] - look.edge[1]) / 2
    return w, float(look.edge.sum()) / 2
