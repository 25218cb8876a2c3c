"""The nearest point of a convex hull, or of two: one search for all rules, with bounds that hold at every step.

w is a convex combination of the signed rows (with two hulls: the difference of one of each). Let p be the row, or
pair of rows, for which w.p is smallest. Then

    w.p / |w|  <=  |w*|  <=  |w|

where w* is the shortest such combination. The hyperplane of w reaches the left side. No hyperplane exceeds the right
side. All rules start at the same combination, are looked at in the same way and stop for the same reasons.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

from rosenblatt.base.events import PassCallbacks, report_progress
from rosenblatt.base.stopping import StopReason
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.hulls.hull_state import EPS, Combination
from rosenblatt.hulls.row_set import Points
from rosenblatt.hulls.search_state import Bounds, History, ScreeningSchedule
from rosenblatt.hulls.search_types import Goal, Look, Nearest
from rosenblatt.hulls.steps import RuleName, Steps
from rosenblatt.hulls.zero_combination import OverlapProof

Solver = Literal["auto", RuleName]
SOLVERS: tuple[Solver, ...] = get_args(Solver)
MIN_JUMP_COLUMNS = 300  # with more columns than this, many rows will have a weight, and a jump pays


def nearest_point(
    points: Points,
    solver: str,
    goal: Goal,
    *,
    slack: float = 0.0,
    screening: bool = False,
    max_epochs: int = 100_000,
    deadline: float = math.inf,
    watch: Callable[["Search"], None] | None = None,
    callbacks: PassCallbacks | None = None,
) -> Nearest:
    """Search until the goal is reached, or cannot be.

    Parameters
    ----------
    points : the signed rows, in one part or two
    solver : a rule, or "auto"
    goal : when to stop
    slack : 1/(2C)
    screening : leave out rows that are proved to have no weight
    max_epochs : the largest number of looks at all rows
    deadline : when to give up, on the monotonic clock
    watch : called after every step, and once before the first
    callbacks : called before and after every look
    """
    search = Search(points, solver, goal, slack, watch, deadline)
    report_progress("search of the margin", 0, None, "first look at all rows")
    while True:
        if callbacks is not None:
            callbacks.begin()
        search.look()
        reason = search.reason(max_epochs, deadline)
        if callbacks is not None and callbacks.end(partial(search.answer, search.final(reason) or StopReason.BUDGET)):
            return search.answer(search.final(reason) or StopReason.CONDITION)
        if reason is None and screening and len(search.wrong) + 1 < max_epochs:  # one look is left for all rows
            search.screen()
        if reason is None and not search.advance():
            reason = search.overlap(stuck=True) or StopReason.ROUNDING
        if final := search.final(reason):
            return search.answer(final)
        if reason is not None:
            points.look_at_all()  # the reason holds for the rows that are not left out; now look at all of them


def jumps(points: Points, solver: str, slack: float) -> bool:
    """Does the search begin with a jump, which has no row?  With slack, or where many rows will have a weight."""
    in_memory = len(points.held.y) == points.n
    return solver == "auto" and in_memory and (slack > 0 or points.d > MIN_JUMP_COLUMNS)


class Search:
    """A search in progress. `watch` receives it, and may read all of it.

    Attributes
    ----------
    points : the signed rows
    combination : the convex combination that the steps move
    now : the last look at all rows
    best : the look at the best hyperplane so far
    bounds : the best bounds so far
    history : one line for each state
    """

    now: Look
    best: Look | None = None

    def __init__(
        self,
        points: Points,
        solver: str,
        goal: Goal,
        slack: float,
        watch: Callable[["Search"], None] | None,
        deadline: float,
    ) -> None:
        self.points, self.goal, self.watch = points, goal, watch
        self.combination = Combination(points, slack, has_factor=solver in ("wolfe", "auto"))
        self.bounds, self.history = Bounds(points.radius), History()
        will_jump = jumps(points, solver, slack)
        self._steps = Steps(
            self.combination, solver, goal, self.bounds, self.history, will_jump=will_jump, deadline=deadline
        )
        self._overlap_proof = OverlapProof(self.combination, deadline)
        self._screening = ScreeningSchedule()

    @property
    def active(self) -> Codes:
        """The rows in the combination, as places in `points.held`."""
        return self.combination.active

    @property
    def weights(self) -> Floats:
        """The weight of each active row."""
        return self.combination.weights

    @property
    def row(self) -> int:
        """The row of the last step; -1 at the start and after a jump."""
        return self.history.row

    @property
    def wrong(self) -> list[int]:
        """The number of rows on the wrong side, for each look."""
        return self.history.wrong

    def support(self) -> tuple[Codes, Floats]:
        """The numbers of the rows with a positive weight, in increasing order, and their weights."""
        return self.combination.support()

    def look(self) -> None:
        """Look at all rows: find the worst ones, update the bounds and write a line of the history."""
        points, combination, bounds = self.points, self.combination, self.bounds
        sum_length, length = combination.refresh()
        rounding = combination.rounding
        bounds.note_length(sum_length, rounding)
        worst = combination.worst()
        reached = float(worst.low.sum() if points.two else worst.low[0])
        lower = (reached - rounding * abs(reached)) / length if length > 0 else 0.0
        edge = combination.levels() if combination.slack else worst.lead
        self.now = Look(combination.hull.w.copy(), worst, edge, lower, bounds.upper)
        bounds.lower = max(bounds.lower, lower)
        has_direction = lower > 0 or length > 1e3 * combination.negligible
        if self.best is None or (points.left_out == 0 and has_direction and self._is_better(self.now, self.best)):
            self.best = self.now
        is_new = self.history.note_look(worst.wrong, lower, bounds.upper, len(combination.active))
        if self.watch and is_new:
            self.watch(self)
        known, half, looks = max(0.0, bounds.lower), 0.5 if points.two else 1.0, len(self.wrong)
        message = "look {}, between {:.6g} and {:.6g}"
        report_progress("search of the margin", looks, None, message, looks, half * known, half * bounds.upper)

    def _is_better(self, look: Look, other: Look) -> bool:
        """Has its hyperplane fewer rows on the wrong side, or as many and a larger margin?

        With slack only the margin counts.
        """
        if self.combination.slack > 0 or look.worst.wrong == other.worst.wrong:
            return look.lower > other.lower
        return look.worst.wrong < other.worst.wrong

    def reason(self, max_epochs: int, deadline: float) -> StopReason | None:
        """The reason to stop after a look, or None. Rows that are left out are not considered."""
        reason = self.overlap()
        if reason is not StopReason.PROVED_OVERLAP:
            reason = self.goal.reached(self.now.lower, self.now.upper) or reason
        used_up = len(self.wrong) + (self.points.left_out > 0) >= max_epochs or time.monotonic() > deadline
        return StopReason.BUDGET if reason is None and used_up else reason

    def final(self, reason: StopReason | None) -> StopReason | None:
        """The given reason if it holds for all rows, else None."""
        return reason if reason is StopReason.PROVED_OVERLAP or self.points.left_out == 0 else None

    def advance(self) -> bool:
        """Make a step, or (auto) several. Return False when steps no longer help."""
        return self._steps.advance(self.now, self._look_between_steps if self.watch else None)

    def _look_between_steps(self) -> None:
        """Look at all rows for `watch` only: the look does not count."""
        self.look()
        self.wrong.pop()

    def screen(self) -> None:
        """Leave out rows that have no weight in w*, judged by how far w can be from w*."""
        combination, points, bounds = self.combination, self.points, self.bounds
        lower, upper = self.now.lower, self.now.upper
        if not self._screening.is_due(lower):
            return
        rounding = 8 * combination.rounding * points.radius
        far = math.sqrt(min(upper * (upper - lower), (upper - bounds.lower) * (upper + bounds.lower)))
        levels = combination.levels() + 2 * rounding * upper
        points.screen(levels, far + rounding, combination.hull.centres, math.sqrt(2 * combination.slack))

    def overlap(self, *, stuck: bool = False) -> StopReason | None:
        """Try to prove that 0 is a convex combination, if something suggests it or the search is stuck."""
        if self.combination.slack > 0 or self.now.lower > 0:
            return None
        hull = self._overlap_proof.candidate(len(self.history.lines), self.bounds.upper, stuck=stuck)
        if hull is None:
            return None
        if not self._overlap_proof.prove(hull):
            return StopReason.ROUNDING if self.bounds.upper <= 64 * EPS * self.points.radius else None
        self.bounds.upper = 0.0
        self.history.lines.pop()
        self.history.write_line(self.now.lower, 0.0, len(self.active))
        return StopReason.PROVED_OVERLAP

    def answer(self, reason: StopReason) -> Nearest:
        """The result, if the search stops now for this reason."""
        reached = reason in (StopReason.GAP_CLOSED, StopReason.SEPARATED)
        look = self.now if reached or self.best is None else self.best
        lower = 0.0 if reason is StopReason.PROVED_OVERLAP else look.lower
        rows, weights = self.support()
        history, zero_combination = self.history.as_array(), self._overlap_proof.weights
        return Nearest(look, rows, weights, lower, self.bounds.upper, reason, history, self.wrong, zero_combination)
