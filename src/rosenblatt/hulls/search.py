"""The nearest point of a convex hull, or of two: one search, for all rules, with bounds that hold at every step.

w is a convex combination of the signed rows (with two hulls: the difference of one of each). Let p be the row, or
pair of rows, that w.p is smallest for. Then

    w.p / |w|  <=  |w*|  <=  |w|

where w* is the shortest such combination: the left side is what the hyperplane of w reaches, the right side what none
exceeds. All rules start at the same place, are looked at in the same way and stop for the same reasons.
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from rosenblatt.base.events import PassCallbacks, tell
from rosenblatt.base.stopping import StopReason
from rosenblatt.data.validation import Codes, Floats, dense_row
from rosenblatt.hulls.hull_state import at_first_of_each, begin, empty, with_room, with_weights
from rosenblatt.hulls.newton import weights_by_newton
from rosenblatt.hulls.row_set import Points
from rosenblatt.hulls.search_types import Goal, Look, Nearest
from rosenblatt.hulls.zero_combination import zero_combination
from rosenblatt.rules import hull as hull_rules
from rosenblatt.rules import wolfe
from rosenblatt.rules.hull import Hull

RULES: dict[str, Callable[..., bool]] = {
    "kozinec": hull_rules.kozinec,
    "mdm": hull_rules.mdm,
    "away": hull_rules.away,
    "wolfe": wolfe.wolfe,
}
SOLVERS = ("auto", *RULES)
EPS = 2.0**-52
PROGRESS = {  # how much shorter |w|^2 must become for progress, and how often in a row it may not before giving up
    "auto": (1e-3, 20),
    "wolfe": (wolfe.CRAWL, wolfe.PATIENCE),
    "mdm": (0.0, 3),
}
WIDE = 300  # with more columns than this, so many rows will have a weight that a jump pays
LITTLE = 1e-7  # slack, in units of the square of the longest row
LARGE = 3000  # with more points than this, a triangular factor of them costs too much
RECORD = np.dtype([("row", np.int64), ("lower", np.float64), ("upper", np.float64), ("active", np.int64)])


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
    screening : leave rows out that are proved to have no weight
    max_epochs : how many looks at all rows there may be
    deadline : when to give up, on the monotonic clock
    watch : called after every step, and once before the first
    callbacks : told of every look
    """
    search = Search(points, solver, goal, slack, watch)
    tell("search of the margin", 0, None, "first look at all rows")
    while True:
        if callbacks is not None:
            callbacks.begin()
        search.look()
        reason = search.reason(max_epochs, deadline)
        if callbacks is not None and callbacks.end(partial(search.answer, search.final(reason) or StopReason.BUDGET)):
            return search.answer(search.final(reason) or StopReason.CONDITION)
        if reason is None and screening and len(search.wrong) + 1 < max_epochs:  # all rows can be looked at once more
            search.screen()
        if reason is None and not search.advance():
            reason = search.overlap(stuck=True) or StopReason.ROUNDING
        if final := search.final(reason):
            return search.answer(final)
        if reason is not None:
            points.look_at_all()  # it was reached for the rows that count; now for all


def jumps(points: Points, solver: str, slack: float) -> bool:
    """Does the search begin with a jump, which has no row?  With slack, or where many rows will have a weight."""
    in_memory = len(points.held.y) == points.n
    return solver == "auto" and in_memory and (slack > 0 or points.d > WIDE)


class Search:
    """A search under way."""

    def __init__(
        self, points: Points, solver: str, goal: Goal, slack: float, watch: Callable[["Search"], None] | None
    ) -> None:
        self.points, self.solver, self.goal, self.slack, self.watch = points, solver, goal, slack, watch
        self.history: list[tuple[int, float, float, int]] = []
        self.wrong: list[int] = []
        self.known, self.upper = -math.inf, math.inf  # the best bounds so far
        self.row, self.moved = -1, True  # the row of the last step; was there one since the last look?
        self.now: Look
        self.best: Look | None = None
        self.meeting: dict[int, Fraction] = {}
        self._tiny = 1e-9 * points.radius  # a w as short as this may be nothing but rounding
        self._try_overlap_at, self._tried = 64, [-1]
        self._will_jump, self._has_jumped = jumps(points, solver, slack), False
        self._idle, self._shortest, self._narrowest = 0, math.inf, math.inf
        self._separating, self._screen_at = 0, 8
        self._near = np.empty(0, np.int64)
        self.hull = at_first_of_each(points, slack)
        self.has_factor = solver in ("wolfe", "auto")
        if not self.has_factor:
            self.hull = self.hull._replace(factor=np.zeros((0, 0)))

    @property
    def active(self) -> Codes:
        return np.asarray(self.hull.points[: self.hull.size[0]])

    @property
    def weights(self) -> Floats:
        return np.asarray(self.hull.weights[: self.hull.size[0]])

    def look(self) -> Look:
        """Look at all rows: bounds, and who is worst; one more line of the history."""
        hull, points = self.hull, self.points
        hull_rules.normalise(points.held.part, hull)
        centres, w = np.empty_like(hull.centres), np.empty_like(hull.w)
        hull_rules.combine(*points.held, hull, centres, w)
        if not self.has_factor:  # Wolfe's w is more precise than what rounded weights combine to
            hull.centres[:], hull.w[:] = centres, w
        own = self.slack * float(self.weights @ self.weights)
        self._note_length(_length(w, own))
        lift = self.slack * self.weights if self.slack else None
        worst = points.worst(hull.w, points.numbers[self.active], lift)
        length = _length(hull.w, own)
        reached = float(worst.low.sum() if points.two else worst.low[0])
        lower = (reached - self._rounding * abs(reached)) / length if length > 0 else 0.0
        edge = hull_rules.levels(points.held.part, hull, self.slack) if self.slack else worst.lead
        self.now = Look(hull.w.copy(), worst, edge, lower, self.upper)
        self.known = max(self.known, lower)
        has_direction = lower > 0 or length > 1e3 * self._tiny
        if self.best is None or (points.left_out == 0 and has_direction and self._is_better(self.now, self.best)):
            self.best = self.now
        self.wrong.append(worst.wrong)
        if not self.moved:
            self.history.pop()  # a second look, at more rows
        self.history.append((self.row, lower, self.upper, len(self.active)))
        if self.watch and self.moved:
            self.watch(self)
        self.moved = False
        known, half = max(0.0, self.known), 0.5 if points.two else 1.0
        looks, said = len(self.wrong), "look {}, between {:.6g} and {:.6g}"
        tell("search of the margin", looks, None, said, looks, half * known, half * self.upper)
        return self.now

    def reason(self, max_epochs: int, deadline: float) -> StopReason | None:
        """Why to stop after a look, if anything says so; of rows that are left out, nothing is known."""
        reason = self.overlap()
        if reason is not StopReason.PROVED_OVERLAP:
            reason = self.goal.reached(self.now.lower, self.now.upper) or reason
        used_up = len(self.wrong) + (self.points.left_out > 0) >= max_epochs or time.monotonic() > deadline
        return StopReason.BUDGET if reason is None and used_up else reason

    def final(self, reason: StopReason | None) -> StopReason | None:
        """The same reason, if it holds for all rows."""
        return reason if reason is StopReason.PROVED_OVERLAP or self.points.left_out == 0 else None

    @property
    def _rounding(self) -> float:
        return (self.points.d + len(self.active) + 8) * EPS

    def _note_length(self, length: float) -> None:
        """No hyperplane has a margin above the length of a combination, `combine` having rounded only at the end."""
        self.upper = min(self.upper, length * (1 + self._rounding) + self._rounding**2 * self.points.radius)

    def _is_better(self, look: Look, other: Look) -> bool:
        """Has its hyperplane fewer rows on the wrong side (but for slack), or as many and a larger margin?"""
        if self.slack > 0 or look.worst.wrong == other.worst.wrong:
            return look.lower > other.lower
        return look.worst.wrong < other.worst.wrong

    def advance(self) -> bool:
        """Make a step, or (auto) several; False when steps no longer help."""
        if self.solver in RULES:
            self._step(self.solver)
        elif self._will_jump:
            self._will_jump = False
            self._jump()
        elif self.has_factor or self._make_factor():
            self._work()
        else:
            self._step("mdm")
        # Near the end |w| may be as short as floats can tell while the lower bound still rises.
        least, patience = PROGRESS[self.solver if self.has_factor else "mdm"]
        gap = self.upper - self.known
        helped = self._square() < self._shortest * (1 - least) or gap < self._narrowest * (1 - least)
        self._shortest, self._narrowest = min(self._shortest, self._square()), min(self._narrowest, gap)
        self._idle = 0 if helped else self._idle + 1
        if self._idle == patience and self._has_jumped and self.has_factor:
            self._restart()
        return self._idle < patience

    def _square(self) -> float:
        return float(self.hull.w @ self.hull.w + self.slack * self.weights @ self.weights)

    def _step(self, rule: str) -> None:
        self.hull = with_room(self.hull, len(self.active) + 2)
        worst = self.now.worst
        place = np.array([self.points.hold(worst.row[p : p + 1])[0] if worst.row[p] >= 0 else -1 for p in (0, 1)])
        row = RULES[rule](*self.points.held, self.hull, place, worst.lead, self.slack)
        if row >= 0:
            self.row, self.moved = int(self.points.numbers[row]), True

    def _work(self) -> None:
        """Wolfe's rule on the rows that are below their level, the worst of them, until those are done."""
        points, hull = self.points, self.hull
        below = points.below(hull_rules.levels(points.held.part, hull, self.slack), 4 * points.d + 100)
        self._near = near = np.union1d(np.union1d(self._near, self.active), points.hold(below))
        self.hull = with_room(hull, 2 + (len(near) if self.slack > 0 else min(len(near), points.d + 2)))
        most = 4 * len(near) + 100
        room = 1 if self.watch else most
        for _ in range(most // room):
            rows, squares, sizes = np.empty(room, np.int64), np.empty(room), np.empty(room, np.int64)
            made = wolfe.wolfe_among(*points.held, self.hull, near, self.slack, self._small(), rows, squares, sizes)
            for t in range(made):
                if self.moved:  # the last state gets its line when it is looked at
                    self._note_length(math.sqrt(squares[t]))
                    self.history.append((self.row, self.now.lower, self.upper, int(sizes[t])))
                self.row, self.moved = int(points.numbers[rows[t]]), True
            if made < room:
                break
            if self.watch:
                self.look()
                self.wrong.pop()

    def _small(self) -> float:
        """How close the few rows are to be brought to their own nearest point: closer than is asked for all."""
        epsilon = self.goal.epsilon
        if epsilon is None:
            return 0.1
        return 0.3 * min(0.3, epsilon if self.goal.relative else epsilon / max(math.sqrt(self._square()), epsilon))

    def _jump(self) -> None:
        """Start anew from what Newton's method finds, with a little slack where there is none."""
        points, slack = self.points, self.slack or LITTLE * self.hull.unit**2
        rows, slacks = weights_by_newton(points.held, points.d, 0.5 / slack, two=points.two, radius=self.hull.unit)
        if len(np.unique(points.held.part[rows])) < 1 + points.two:
            return
        size = len(rows)
        hull = with_weights(points, empty(points, size + 2, 0), rows, slacks)
        if hull.w @ hull.w + self.slack * hull.weights[:size] @ hull.weights[:size] < self._square():
            start, self.hull, self.has_factor = self.hull, hull, False
            if self.slack == 0 and not self._make_factor():
                self.hull, self.has_factor = start, True
            else:
                self.row, self.moved, self._has_jumped = -1, True, True

    def _restart(self) -> None:
        """Leave a guess whose factor is not precise enough, and let Wolfe's rule build its own from the first rows."""
        self._near = np.union1d(self._near, self.active)
        self.hull, self.has_factor = at_first_of_each(self.points, self.slack), True
        self._idle, self._has_jumped, self.moved = 0, False, True

    def _make_factor(self) -> bool:
        """Give the combination the factor that Wolfe's rule needs, if its points are few and independent enough."""
        if len(self.active) > (LARGE if self.slack > 0 else min(LARGE, self.points.d + 1)):
            return False
        try:
            self.hull = begin(self.points, self.active, self.weights, self.slack)
        except np.linalg.LinAlgError:
            if self.slack == 0:
                return False
            self._restart()
        self.has_factor = True
        return True

    def screen(self) -> None:
        """Take rows out that have no weight in w*, by how far w can be from it.

        That costs as much as a few passes, so it waits for the eighth one in which w separates, then for twice as many.
        """
        hull, points, upper = self.hull, self.points, self.now.upper
        self._separating += self.now.lower > 0
        if self._separating < self._screen_at or not self.now.lower > 0:
            return
        self._screen_at *= 2
        rounding = 8 * self._rounding * points.radius
        far = math.sqrt(min(upper * (upper - self.now.lower), (upper - self.known) * (upper + self.known)))
        levels = hull_rules.levels(points.held.part, hull, self.slack) + 2 * rounding * upper
        points.screen(levels, far + rounding, hull.centres, math.sqrt(2 * self.slack))

    def overlap(self, *, stuck: bool = False) -> StopReason | None:
        """Try to prove that 0 is a convex combination, when there are signs of it."""
        if self.slack > 0 or self.now.lower > 0:
            return None
        steps, hull = len(self.history), self.hull
        due = not self.has_factor and steps >= self._try_overlap_at
        if not (stuck or due or self.upper <= self._tiny):
            return None
        if not self.has_factor:
            self._try_overlap_at = 2 * steps
            hull = self._nearest_of_active()
        if not stuck and _length(hull.w, 0.0) > self._tiny:
            return None
        chosen, weights = hull.points[: hull.size[0]], hull.weights[: hull.size[0]]
        tried, self._tried = self._tried, sorted(chosen.tolist())
        exact = zero_combination(self._signed(chosen), weights) if tried != self._tried else None
        if exact is None:
            return StopReason.ROUNDING if self.upper <= 64 * EPS * self.points.radius else None
        positive = [t for t, share in enumerate(exact) if share]
        self.meeting = {int(self.points.numbers[chosen[t]]): exact[t] for t in positive}
        hull.points[: len(positive)] = chosen[positive]
        hull.weights[: len(positive)] = [float(exact[t]) * (1 + self.points.two) for t in positive]
        hull.size[0] = len(positive)
        self.hull, self.upper = hull, 0.0
        self.history[-1] = (self.row, self.now.lower, 0.0, len(positive))
        return StopReason.PROVED_OVERLAP

    def _nearest_of_active(self) -> Hull:
        """The nearest point of the rows that have a weight, by Wolfe's rule."""
        points, active = self.points, self.active
        hull = at_first_of_each(points, 0.0, active, room=min(points.d, len(active)) + 5)
        log = 10 * len(active) + 100
        wolfe.wolfe_among(
            *points.held, hull, active, 0.0, 1e-9, np.empty(log, np.int64), np.empty(log), np.empty(log, np.int64)
        )
        return hull

    def _signed(self, chosen: Codes) -> Floats:
        """The signed rows, each ended by its constant: that of the embedding, or 1 for weights of equal sums."""
        rows, y, _ = self.points.held
        constant = 1.0 if self.points.two else rows.bias
        return np.array([y[i] * np.append(dense_row(rows, i, self.points.d), constant) for i in chosen])

    def support(self) -> tuple[Codes, Floats]:
        """The rows with a weight, in order, and their weights."""
        positive = np.flatnonzero(self.weights > 0)
        rows = self.points.numbers[self.active[positive]]
        order = np.argsort(rows)
        return rows[order], self.weights[positive][order]

    def answer(self, reason: StopReason) -> Nearest:
        reached = reason in (StopReason.GAP_CLOSED, StopReason.SEPARATED)
        look = self.now if reached or self.best is None else self.best
        lower = 0.0 if reason is StopReason.PROVED_OVERLAP else look.lower
        rows, weights = self.support()
        return Nearest(
            look,
            rows,
            weights,
            lower,
            self.upper,
            reason,
            np.array(self.history, dtype=RECORD),
            self.wrong,
            self.meeting,
        )


def _length(w: Floats, own: float) -> float:
    return math.sqrt(float(w @ w) + own)
