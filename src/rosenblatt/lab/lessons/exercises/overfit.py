"""The exercise of making a perceptron overfit, by one point."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.files.board import Board, Pane
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.questions import Choice, Judged, Points
from rosenblatt.lab.lessons.run_questions import Run
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.separability import separability

TRAINING, HIDDEN = 6, 100  # points of each class
DISTANCE = 1.8  # of each mean from the middle, in standard deviations
NEEDED = 5  # more errors on hidden points that the last weights have to make than their mean, and than before
CLEAR = 3  # more than needed, in the solution that a posed exercise has for certain
PANES = (Pane("perceptron"), Pane("perceptron", {"average": "averaged"}))
MOVES = "it moves the line until the odd point is right too, and new points near the old line are judged worse"
HAPPENS = (
    "nothing: one point among many has no weight",
    MOVES,
    "it leaves the odd point out, because the other points outvote it",
)
DOUBTS = {
    HAPPENS[0]: "A mistake is added to w as a whole, again and again until it is right.",
    HAPPENS[2]: "The perceptron does not vote: it stops only when every training point is right.",
}


class Tried(NamedTuple):
    """Were all training points right in the end, and how many hidden ones did the last weights and their mean get "
    "wrong?"""

    stopped: bool
    last: int
    mean: int


@dataclass(frozen=True)
class Task:
    """Training points on a board, the hidden ones, and what there is to reach."""

    board: Board
    hidden: Any
    labels: Any

    def tried(self, board: Board) -> Tried:
        """Learn from the points of a board, and count errors on the hidden points."""
        last, mean = (
            Run(replace(board, panes=PANES), pane).model for pane in (0, 1)
        )  # whatever the reader's panes are
        errors = (int((model.predict(self.hidden) != self.labels).sum()) for model in (last, mean))
        return Tried(str(last.stop_reason_) == "mistake_free", *errors)

    @cached_property
    def before(self) -> Tried:
        return self.tried(self.board)

    def judged(self, board: Board) -> Judged:
        """Was one point changed, and does that make the last weights worse than the mean?"""
        if changed(self.board, board) != 1 or board.classes != self.board.classes:
            return Judged(False, "Move one point, or add one, and leave all others as they were posed.")
        if len(board.present) != 2 or separability(board.X, board.y, detail=False).kind != "strict":
            return Judged(
                False,
                "No line separates the training points now, so that the perceptron never fits them. Put the odd point "
                "where a line can still do it.",
            )
        now = self.tried(board)
        if not now.stopped:
            return Judged(
                False, "The gap is so narrow that 100 passes are not enough. Leave a little more room for a line."
            )
        counts = f"Of {len(self.labels)} hidden points the last weights err on {now.last}, their mean on {now.mean}"
        if now.last < self.wanted(now):
            return Judged(
                False,
                f"{counts}; {self.wanted(now)} are wanted of the last weights. Try a place farther on the side of the "
                "other class.",
            )
        return Judged(True, f"{counts}, though a line has all training points right.", self.wrong(board))

    def wanted(self, now: Tried) -> int:
        """How many errors the last weights have to make: more than their mean does, and than they did before."""
        return max(now.mean, self.before.last) + NEEDED

    @cached_property
    def solution(self) -> Board | None:
        """One more point in the first of some places that is good enough; None if there is no such place."""
        for x, y, code in product(range(-3, 4), range(-2, 3), (0, 1)):
            board = replace(self.board, points=(*self.board.points, (float(x), float(y), code)))
            now = self.tried(board)
            if now.stopped and now.last >= self.wanted(now) + CLEAR:
                return board
        return None

    def wrong(self, board: Board) -> tuple[dict[str, Any], ...]:
        """Marks on the hidden points that the last weights learned from a board get wrong."""
        missed = Run(board).model.predict(self.hidden) != self.labels
        return tuple(
            shapes.mark(at, "witness", code=int(label > 0), label="")
            for at, label in zip(self.hidden[missed], self.labels[missed], strict=True)
        )


def changed(before: Board, after: Board) -> int:
    """How many points were moved or added; points that are gone count as well."""
    old, new = Counter(before.points), Counter(after.points)
    return max((old - new).total(), (new - old).total())


def drawn(rng: Any) -> Task:
    """Points of two Gaussians: few to learn from, many hidden."""
    angle = rng.uniform(0, 2 * np.pi)
    mean = DISTANCE * np.array([np.cos(angle), np.sin(angle)])

    def sample(n: int) -> tuple[Any, Any]:
        return np.vstack([rng.normal(size=(n, 2)) - mean, rng.normal(size=(n, 2)) + mean]), np.repeat([-1, 1], n)

    X, y = sample(TRAINING)
    order = rng.permutation(2 * TRAINING)
    rows = [(float(a), float(b), int(s)) for (a, b), s in zip(X[order].round(1), y[order], strict=True)]
    clouds = [(*(sign * mean).tolist(), 1, 0, 0, 1, sign) for sign in (-1, 1)]
    return Task(board_of(rows, *PANES, gaussians=clouds), *sample(HIDDEN))


def fair(task: Task) -> bool:
    """Are the training points separable with room, the two runs as good at first, and is there a solution?"""
    verdict = separability(task.board.X, task.board.y)
    if verdict.kind != "strict" or verdict.margin_bounds is None or verdict.margin_bounds[0] < 0.3:
        return False
    return task.before.last <= task.before.mean and task.solution is not None


def task_of(seed: int) -> Task:
    """The first fair task of a seed."""
    rng = np.random.default_rng(seed)
    task = drawn(rng)
    while not fair(task):
        task = drawn(rng)
    return task


def posed(seed: int) -> Step:
    """Training points to change by one."""
    task = task_of(seed)
    return Step(
        (
            f"{2 * TRAINING} training points were drawn from two Gaussians, whose circles you see; {2 * HIDDEN} more "
            "were drawn from the same and are hidden. The first run answers with its last weights, the second with "
            "the mean of all its weights.",
            f"Both have all training points right, or nearly, and on the hidden points the first errs on "
            f"{task.before.last} and the second on {task.before.mean}.",
            "One odd point can change that: a point of one class on the side of the other, where a line can still "
            "separate them all.",
        ),
        task.board,
        Ask(
            f"Move or add one training point so that the last weights err on at least {NEEDED} more hidden points "
            "than the mean does, and than they did before, while a line still separates the training points. And say "
            "what one odd point does to a perceptron.",
            (
                Points("points", "the points on the board", task.judged, lambda: task.solution or task.board),
                Choice("happens", "One odd point:", HAPPENS, lambda: MOVES, DOUBTS),
            ),
            lambda: (
                "This is overfitting: no error on the training points, and more on new ones. The perceptron has "
                "nothing to set against an odd point; the mean of the weights does, for weights that were right for "
                "long count for more. The marks are the hidden points that the last weights get wrong now."
            ),
            lambda: Reveal(t=-1),
        ),
        t=-1,
    )


WHY_IT_OVERFITS = Exercise(
    "why-it-overfits",
    "Why it can overfit",
    "By one odd training point, make the perceptron worse on new points than its averaged self.",
    posed,
)
