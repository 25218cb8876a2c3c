"""Novikoff's bound for the points on the board. The chart of a run and the verdict share it."""

from functools import lru_cache

from rosenblatt.data.files.lab_board import Board, Point
from rosenblatt.errors import RosenblattError
from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound

MAX_KEPT_BOUNDS = 8  # that a worker process keeps: a board is proved once, not anew for every option of a run


def mistake_bound_of(board: Board, bias: float) -> MistakeBound | None:
    """Return the bound on the updates of a perceptron on the points; None if the margin is beyond floats."""
    try:
        return _kept(board.names, board.classes, board.points, bias)
    except RosenblattError:
        return None


@lru_cache(MAX_KEPT_BOUNDS)
def _kept(
    names: tuple[str, str], classes: tuple[str | int, ...], points: tuple[Point, ...], bias: float
) -> MistakeBound:
    board = Board(names=names, classes=classes, points=points)
    return mistake_bound(board.X, board.y, bias=bias)
