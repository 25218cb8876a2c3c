"""The steps of a nearest-point search: one rule throughout, or (solver "auto") Newton's guess and Wolfe's rule."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from rosenblatt.base.deadline import OutOfTime, can_afford
from rosenblatt.hulls.hull_state import (
    Combination,
    at_first_of_each,
    empty,
    factored,
    steps_in_a_piece,
    with_room,
    with_weights,
)
from rosenblatt.hulls.newton import weights_by_newton
from rosenblatt.hulls.search_state import Bounds, History, Progress
from rosenblatt.hulls.search_types import Goal, Look
from rosenblatt.rules import hull as hull_rules
from rosenblatt.rules import wolfe

RuleName = Literal["kozinec", "mdm", "away", "wolfe"]
RULES: dict[str, Callable[..., bool]] = {
    "kozinec": hull_rules.kozinec,
    "mdm": hull_rules.mdm,
    "away": hull_rules.away,
    "wolfe": wolfe.wolfe,
}
PATIENCE = {  # the part by which a step must shorten |w|^2, and the number of steps in a row that may fail to do so
    "auto": (1e-3, 20),
    "wolfe": (wolfe.IDLE_DECREASE, wolfe.PATIENCE),
    "mdm": (0.0, 3),
}
JUMP_SLACK = 1e-7  # the slack of a jump where there is none, in units of the square of the longest row
MAX_FACTOR_ROWS = 3000  # with more rows than this, a triangular factor of them costs too much


class Steps:
    """Chooses and makes the steps of a search.

    Parameters
    ----------
    combination : what the steps move
    solver : a rule, or "auto"
    goal : when the search stops; Wolfe's rule works a little more precisely than that
    bounds, history : where the steps are noted
    will_jump : is the first step a jump to what Newton's method finds?
    deadline : when to stop, on the monotonic clock
    """

    def __init__(
        self,
        combination: Combination,
        solver: str,
        goal: Goal,
        bounds: Bounds,
        history: History,
        *,
        will_jump: bool,
        deadline: float,
    ) -> None:
        self.combination, self.solver, self.goal, self.deadline = combination, solver, goal, deadline
        self.bounds, self.history = bounds, history
        self.progress = Progress()
        self._will_jump, self._has_jumped = will_jump, False
        self._working_set = np.empty(0, np.int64)  # rows that Wolfe's rule works on

    def advance(self, now: Look, look_again: Callable[[], None] | None) -> bool:
        """Make a step, or (auto) several. Return False when steps no longer help.

        Parameters
        ----------
        now : the last look at all rows
        look_again : called after every step of several, if given
        """
        combination = self.combination
        if self.solver in RULES:
            self._step(self.solver, now)
        elif self._will_jump:
            self._will_jump = False
            self._jump()
        elif combination.has_factor or self._make_factor():
            self._work(now, look_again)
        else:
            self._step("mdm", now)
        least, patience = PATIENCE[self.solver if combination.has_factor else "mdm"]
        self.progress.note(combination.square, self.bounds.upper - self.bounds.lower, least)
        if self.progress.idle == patience and self._has_jumped and combination.has_factor:
            self._restart()
        return self.progress.idle < patience

    def _step(self, rule: str, now: Look) -> None:
        """One step of a rule, with the worst row of each part."""
        combination, points, worst = self.combination, self.combination.points, now.worst
        combination.hull = with_room(combination.hull, len(combination.active) + 2)
        place = np.array([points.hold(worst.row[p : p + 1])[0] if worst.row[p] >= 0 else -1 for p in (0, 1)])
        row = RULES[rule](*points.held, combination.hull, place, worst.lead, combination.slack)
        if row >= 0:
            self.history.note_step(int(points.numbers[row]))

    def _work(self, now: Look, look_again: Callable[[], None] | None) -> None:
        """Wolfe's rule on the worst of the rows below their level, until none of them is left there."""
        combination, points, slack = self.combination, self.combination.points, self.combination.slack
        below = points.below(combination.levels(), 4 * points.d + 100)
        self._working_set = near = np.union1d(np.union1d(self._working_set, combination.active), points.hold(below))
        size = 2 + (len(near) if slack > 0 else min(len(near), points.d + 2))
        combination.hull = with_room(combination.hull, size)
        most = 4 * len(near) + 100
        room = 1 if look_again else min(most, steps_in_a_piece(points, len(near), size, self.deadline))
        for _ in range(math.ceil(most / room)):
            rows, squares, sizes = np.empty(room, np.int64), np.empty(room), np.empty(room, np.int64)
            made = wolfe.wolfe_among(
                *points.held, combination.hull, near, slack, self._precision(), rows, squares, sizes
            )
            for t in range(made):
                if self.history.moved:  # the last state gets its line when it is looked at
                    self.bounds.note_length(math.sqrt(squares[t]), combination.rounding)
                    self.history.write_line(now.lower, self.bounds.upper, int(sizes[t]))
                self.history.note_step(int(points.numbers[rows[t]]))
            if made < room or not can_afford(0.0, self.deadline):
                break
            if look_again:
                look_again()

    def _precision(self) -> float:
        """The relative gap to which Wolfe's rule solves the working set: smaller than the goal for all rows."""
        epsilon = self.goal.epsilon
        if epsilon is None:
            return 0.1
        length = math.sqrt(self.combination.square)
        return 0.3 * min(0.3, epsilon if self.goal.kind == "relative" else epsilon / max(length, epsilon))

    def _jump(self) -> None:
        """Continue from what Newton's method finds, if that is shorter. Without slack, Newton gets a little."""
        combination, points = self.combination, self.combination.points
        unit, slack = combination.hull.unit, combination.slack
        price = 0.5 / (slack or JUMP_SLACK * unit**2)
        try:
            rows, slacks = weights_by_newton(
                points.held, points.d, price, two=points.two, radius=unit, deadline=self.deadline
            )
        except OutOfTime:
            return
        if len(np.unique(points.held.part[rows])) < 1 + points.two:
            return
        size = len(rows)
        hull = with_weights(points, empty(points, size + 2, 0), rows, slacks)
        if hull.w @ hull.w + slack * hull.weights[:size] @ hull.weights[:size] < combination.square:
            start, combination.hull, combination.has_factor = combination.hull, hull, False
            if slack == 0 and not self._make_factor():
                combination.hull, combination.has_factor = start, True
            else:
                self._has_jumped = True
                self.history.note_step(-1)

    def _restart(self) -> None:
        """Leave a guess whose factor is not precise enough. Wolfe's rule builds its own from the first rows."""
        combination = self.combination
        self._working_set = np.union1d(self._working_set, combination.active)
        combination.hull, combination.has_factor = at_first_of_each(combination.points, combination.slack), True
        self.progress.idle, self._has_jumped, self.history.moved = 0, False, True

    def _make_factor(self) -> bool:
        """Give the combination the factor of Wolfe's rule, if its rows are few enough and independent."""
        combination = self.combination
        points, active, slack = combination.points, combination.active, combination.slack
        if len(active) > (MAX_FACTOR_ROWS if slack > 0 else min(MAX_FACTOR_ROWS, points.d + 1)):
            return False
        try:
            combination.hull = factored(points, active, combination.weights, slack)
        except np.linalg.LinAlgError:
            if slack == 0:
                return False
            self._restart()
        combination.has_factor = True
        return True
