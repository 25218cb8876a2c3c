"""The job `export`: files of the board, its program, its steps as tables, and its animations."""

import csv
import io
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt.data.files.lab_board import MAX_STEPS, Board
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import ParameterError, abridged
from rosenblatt.lab.catalogue import algorithm_of
from rosenblatt.lab.python_code import program
from rosenblatt.lab.runs.gaussians import drawn_gaussians
from rosenblatt.lab.runs.run import check_classes, pane_asked_for, run, traced
from rosenblatt.plot.animation import animation
from rosenblatt.tracing.trace import Trace

SECONDS_PER_STEP = 0.8  # of an animation
MAX_FRAMES = 300


class Download(NamedTuple):
    """A file that the browser saves."""

    name: str
    content: bytes
    media_type: str


def export(request: dict[str, Any]) -> Download:
    """Return a file of what a pane shows."""
    board, number = pane_asked_for(request)
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}, not {abridged(kind)}.")
    name, media_type, make = KINDS[kind]
    with warnings.catch_warnings(action="ignore"):  # of exhausted budgets: the page says so
        return Download(name, make(board, number), media_type)


def _steps(board: Board, number: int, max_steps: int = MAX_STEPS) -> Trace:
    algorithm = algorithm_of(board.panes[number])
    if not algorithm.has_steps:
        raise ParameterError(f"{algorithm.label} has no steps to write; its table can be had as CSV.")
    check_classes(algorithm, board)
    return traced(board, number, max_steps)


def _csv(board: Board, number: int) -> bytes:
    if algorithm_of(board.panes[number]).has_steps:
        return _steps(board, number).to_csv().encode()
    shown, text = run({"board": board.document(), "pane": number}), io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(shown["columns"])
    writer.writerows(frame["cells"] for frame in shown["frames"] if frame["cells"])
    return text.getvalue().encode()


def _animation(ending: str) -> Callable[[Board, int], bytes]:
    def made(board: Board, number: int) -> bytes:
        algorithm = algorithm_of(board.panes[number])
        if not algorithm.animated:
            raise ParameterError(
                f"An animation shows a straight line that moves; {algorithm.label} has none. Its picture can be had as "
                "SVG or PNG, step by step."
            )
        steps = _steps(board, number, MAX_FRAMES - 1)
        return animation(steps, ending, *_rows(board, number), seconds_per_step=SECONDS_PER_STEP, max_frames=MAX_FRAMES)

    return made


def _rows(board: Board, number: int) -> tuple[Any, Any]:
    """Return what a run learned from: the points, or the means of drawn Gaussians, and the labels."""
    if algorithm_of(board.panes[number]).learns_drawn_gaussians(board):
        gaussians = drawn_gaussians(board)
        return named(gaussians.means, board.names), gaussians.labels
    return board.X, board.y


def _program(board: Board, number: int) -> bytes:
    algorithm = algorithm_of(board.panes[number])
    if algorithm.learns:
        check_classes(algorithm, board)
    return program(board, number).encode()


Make = Callable[[Board, int], bytes]
KINDS: dict[str, tuple[str, str, Make]] = {
    "lab": ("lab.json", "application/json", lambda board, _: board.to_json().encode()),
    "py": ("lab.py", "text/x-python", _program),
    "csv": ("steps.csv", "text/csv", _csv),
    "jsonl": ("steps.jsonl", "application/jsonl", lambda board, number: _steps(board, number).to_jsonl().encode()),
    "gif": ("steps.gif", "image/gif", _animation(".gif")),
    "html": ("steps.html", "text/html", _animation(".html")),
}
