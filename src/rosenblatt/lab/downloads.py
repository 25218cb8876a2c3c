"""What can be taken away from the lab: the board, its code, the steps as tables, and animations of them."""

import csv
import io
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt.data.files.board import STEPS, Board
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import ParameterError, abridged
from rosenblatt.lab.catalogue import algorithm_of
from rosenblatt.lab.options import UNANIMATED
from rosenblatt.lab.program import code
from rosenblatt.lab.runs.gaussians import drawn
from rosenblatt.lab.runs.run import asked, check_classes, run, traced
from rosenblatt.plot.animation import animation
from rosenblatt.tracing.trace import Trace

WITHOUT_TRACE = ("neuron", "means")
SECONDS, FRAMES = 0.8, 300  # that a frame is shown, and how many there are at most


class Download(NamedTuple):
    """A file for the reader to keep."""

    name: str
    content: bytes
    media_type: str


def export(request: dict[str, Any]) -> Download:
    """A file of what a pane shows."""
    board, number = asked(request)
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}, not {abridged(kind)}.")
    name, media_type, make = KINDS[kind]
    with warnings.catch_warnings(action="ignore"):  # budgets, of which the page tells
        return Download(name, make(board, number), media_type)


def _steps(board: Board, number: int, most: int = STEPS) -> Trace:
    algorithm = algorithm_of(board.panes[number])
    if algorithm.name in WITHOUT_TRACE:
        raise ParameterError(f"{algorithm.label} has no steps to write; its table can be had as CSV.")
    check_classes(algorithm, board)
    return traced(board, number, most)


def _csv(board: Board, number: int) -> bytes:
    if board.panes[number].algorithm not in WITHOUT_TRACE:
        return _steps(board, number).to_csv().encode()
    shown, text = run({"board": board.document(), "pane": number}), io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(shown["columns"])
    writer.writerows(frame["cells"] for frame in shown["frames"] if frame["cells"])
    return text.getvalue().encode()


def _moving(ending: str) -> Callable[[Board, int], bytes]:
    def made(board: Board, number: int) -> bytes:
        algorithm = algorithm_of(board.panes[number])
        if algorithm.name in UNANIMATED:
            raise ParameterError(
                f"An animation shows a straight line that moves; {algorithm.label} has none. Its picture can be had as "
                "SVG or PNG, step by step."
            )
        steps = _steps(board, number, FRAMES - 1)
        return animation(steps, ending, *_rows(board, number), seconds_per_step=SECONDS, max_frames=FRAMES)

    return made


def _rows(board: Board, number: int) -> tuple[Any, Any]:
    """What a run learned from: the points, or the means of drawn Gaussians."""
    if board.panes[number].algorithm == "anderson" and board.gaussians:
        given = drawn(board)
        return named(given.means, board.names), given.labels
    return board.X, board.y


def _code(board: Board, number: int) -> bytes:
    algorithm = algorithm_of(board.panes[number])
    if algorithm.make is not None:
        check_classes(algorithm, board)
    return code(board, number).encode()


Make = Callable[[Board, int], bytes]
KINDS: dict[str, tuple[str, str, Make]] = {
    "lab": ("lab.json", "application/json", lambda board, _: board.to_json().encode()),
    "py": ("lab.py", "text/x-python", _code),
    "csv": ("steps.csv", "text/csv", _csv),
    "jsonl": ("steps.jsonl", "application/jsonl", lambda board, number: _steps(board, number).to_jsonl().encode()),
    "gif": ("steps.gif", "image/gif", _moving(".gif")),
    "html": ("steps.html", "text/html", _moving(".html")),
}
