"""Exercise "Why it can overfit": make a perceptron overfit with one unusual training point."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.lab import shapes
from rosenblatt.lab.lessons.questions import Choice, Judgement, Points
from rosenblatt.lab.lessons.run_questions import Run
from rosenblatt.lab.lessons.steps import Ask, Exercise, Reveal, Step, board_of
from rosenblatt.proof.separability import separability

TRAINING_PER_CLASS, HIDDEN_PER_CLASS = 6, 100  # points
MEAN_DISTANCE = 1.8  # of each mean from the origin, in standard deviations
EXTRA_ERRORS = 5  # hidden points that the last weights must get wrong beyond the mean weights, and beyond the start
SPARE_ERRORS = 3  # errors beyond that in the solution, so that every exercise can be solved
PANES = (Pane("perceptron"), Pane("perceptron", {"average": "averaged"}))
MOVES = "moves the line until this point is right too, and then classifies more new points wrongly"
EFFECTS = (
    "stays the same: one point among many has no influence",
    MOVES,
    "ignores the point, because the other points outvote it",
)
HINTS = {
    EFFECTS[0]: "Each mistake adds the whole point to w, again and again, until the point is right.",
    EFFECTS[2]: "The perceptron does not vote. It stops only when every training point is right.",
}


class Errors(NamedTuple):
    """The result of learning from a board.

    Attributes
    ----------
    stopped : whether the run ended with every training point right
    last : number of hidden points that the last weights get wrong
    mean : number of hidden points that the mean of all weights gets wrong
    """

    stopped: bool
    last: int
    mean: int


@dataclass(frozen=True)
class Task:
    """Training points on a board, the hidden points and their labels."""

    board: Board
    hidden: Any
    labels: Any

    def errors(self, board: Board) -> Errors:
        """Learn from the points of a board, and count the errors on the hidden points."""
        ours = replace(board, panes=PANES)  # the reader may have changed the panes
        last, mean = (Run(ours, pane).model for pane in (0, 1))
        counts = (int((model.predict(self.hidden) != self.labels).sum()) for model in (last, mean))
        return Errors(str(last.stop_reason_) == "mistake_free", *counts)

    @cached_property
    def before(self) -> Errors:
        """The errors before the reader changes a point."""
        return self.errors(self.board)

    def check_board(self, board: Board) -> Judgement:
        """Check that one point was changed and that the last weights now make enough errors."""
        if changed(self.board, board) != 1 or board.classes != self.board.classes:
            return Judgement(False, "Move one point, or add one. Leave all other points as they were.")
        if len(board.present) != 2 or separability(board.X, board.y, detail=False).kind != "strict":
            return Judgement(
                False,
                "Now no line separates the training points, so the perceptron never gets them all right. Choose a "
                "place where a line still separates the classes.",
            )
        now = self.errors(board)
        if not now.stopped:
            return Judgement(
                False,
                "The gap between the classes is so narrow that 100 passes are not enough. Make it a little wider.",
            )
        counts = f"Of {len(self.labels)} hidden points, the last weights get {now.last} wrong and the mean {now.mean}"
        if now.last < self.wanted(now):
            return Judgement(
                False,
                f"{counts}. The last weights must get at least {self.wanted(now)} wrong. Try a place farther on the "
                "side of the other class.",
            )
        return Judgement(True, f"{counts}, although all training points are right.", self.wrong(board))

    def wanted(self, now: Errors) -> int:
        """The number of errors that the last weights must make."""
        return max(now.mean, self.before.last) + EXTRA_ERRORS

    @cached_property
    def solution(self) -> Board | None:
        """The board with one added point that solves the exercise; None if no place of the grid does."""
        for x, y, code in product(range(-3, 4), range(-2, 3), (0, 1)):
            board = replace(self.board, points=(*self.board.points, (float(x), float(y), code)))
            now = self.errors(board)
            if now.stopped and now.last >= self.wanted(now) + SPARE_ERRORS:
                return board
        return None

    def wrong(self, board: Board) -> tuple[dict[str, Any], ...]:
        """Marks on the hidden points that the last weights of a board get wrong."""
        missed = Run(board).model.predict(self.hidden) != self.labels
        return tuple(
            shapes.mark(at, "witness", code=int(label > 0), label="")
            for at, label in zip(self.hidden[missed], self.labels[missed], strict=True)
        )


def changed(before: Board, after: Board) -> int:
    """The number of points that were moved, added or deleted."""
    old, new = Counter(before.points), Counter(after.points)
    return max((old - new).total(), (new - old).total())


def drawn(rng: Any) -> Task:
    """A task with points of two Gaussians: a few training points, many hidden points."""
    angle = rng.uniform(0, 2 * np.pi)
    mean = MEAN_DISTANCE * np.array([np.cos(angle), np.sin(angle)])

    def sample(n: int) -> tuple[Any, Any]:
        return np.vstack([rng.normal(size=(n, 2)) - mean, rng.normal(size=(n, 2)) + mean]), np.repeat([-1, 1], n)

    X, y = sample(TRAINING_PER_CLASS)
    order = rng.permutation(2 * TRAINING_PER_CLASS)
    rows = [(float(a), float(b), int(s)) for (a, b), s in zip(X[order].round(1), y[order], strict=True)]
    clouds = [(*(sign * mean).tolist(), 1, 0, 0, 1, sign) for sign in (-1, 1)]
    return Task(board_of(rows, *PANES, gaussians=clouds), *sample(HIDDEN_PER_CLASS))


def is_suitable(task: Task) -> bool:
    """Whether there is a clear margin, the last weights start no worse than the mean, and a solution exists."""
    verdict = separability(task.board.X, task.board.y)
    if verdict.kind != "strict" or verdict.margin_bounds is None or verdict.margin_bounds[0] < 0.3:
        return False
    return task.before.last <= task.before.mean and task.solution is not None


def task_of(seed: int) -> Task:
    """The first suitable task of a seed."""
    rng = np.random.default_rng(seed)
    task = drawn(rng)
    while not is_suitable(task):
        task = drawn(rng)
    return task


def make_step(seed: int) -> Step:
    """Training points, of which the reader changes one."""
    task = task_of(seed)
    return Step(
        (
            f"{2 * TRAINING_PER_CLASS} training points were drawn from two Gaussians, shown as circles. "
            f"{2 * HIDDEN_PER_CLASS} more points were drawn from them and are hidden. The first run predicts with its "
            "last weights. The second run predicts with the mean of all its weights.",
            "Both runs get all training points right, or nearly all. Of the hidden points, the first run gets "
            f"{task.before.last} wrong and the second run {task.before.mean}.",
            "One unusual point can change that: a point of one class on the side of the other class, where a line can "
            "still separate all training points.",
        ),
        task.board,
        Ask(
            f"Move or add one training point. The last weights must then get at least {EXTRA_ERRORS} more hidden "
            f"points wrong than the mean does, and at least {EXTRA_ERRORS} more than they did before. A line must "
            "still separate the training points. And what does one unusual point do to a perceptron?",
            (
                Points("points", "the points on the board", task.check_board, lambda: task.solution or task.board),
                Choice("happens", "After one unusual point, the perceptron", EFFECTS, lambda: MOVES, HINTS),
            ),
            lambda: (
                "This is overfitting: no error on the training points, and more errors on new points. The last weights "
                "have no protection against one unusual point. The mean of the weights has: weights that stayed right "
                "for a long time count more. The marks show the hidden points that the last weights now get wrong."
            ),
            lambda: Reveal(t=-1),
        ),
        t=-1,
    )


WHY_IT_OVERFITS = Exercise(
    "why-it-overfits",
    "Why it can overfit",
    "With one unusual training point, make the perceptron worse on new points than the averaged perceptron.",
    make_step,
)
