"""What a search for the nearest point aims at, sees and answers."""

from fractions import Fraction
from typing import Any, NamedTuple

from numpy.typing import NDArray

from rosenblatt.base.stopping import StopReason
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.hulls.row_set import Points, Worst


class Goal(NamedTuple):
    """When to stop: at any separating hyperplane (no epsilon), or when the bounds are so close."""

    epsilon: float | None
    relative: bool

    def reached(self, lower: float, upper: float) -> StopReason | None:
        if self.epsilon is None:
            return StopReason.SEPARATED if lower > 0 else None
        if self.relative and not lower > 0:
            return None
        close = upper - lower <= self.epsilon * (upper if self.relative else 1.0)
        return StopReason.GAP_CLOSED if close else None


class Look(NamedTuple):
    """What one look at all rows says of a w."""

    w: Floats
    worst: Worst
    edge: Floats  # the lead of each part at which the slab ends
    lower: float  # reached by the hyperplane of w; negative if it does not separate
    upper: float  # exceeded by no hyperplane


class Nearest(NamedTuple):
    """The answer."""

    look: Look  # at the hyperplane to use
    rows: Codes  # those with a weight
    weights: Floats  # each part sums to 1
    lower: float
    upper: float
    stop_reason: StopReason
    history: NDArray[Any]  # of RECORD: the start, and then every step
    wrong: list[int]  # rows on the wrong side in each look
    meeting: dict[int, Fraction]  # at a proved overlap: rows with weights, of which the signed sum is exactly 0


def plane_of(look: Look, points: Points) -> tuple[Floats, float]:
    """The weights of the hyperplane of a w, the bias weight last, and the functional margin of the nearest rows.

    A free bias puts the hyperplane midway between the nearest rows of the two classes.
    """
    if not points.two:
        return look.w, float(look.edge[0])
    w = look.w.copy()
    w[-1] = (look.edge[0] - look.edge[1]) / 2
    return w, float(look.edge.sum()) / 2
