"""Boards for the tests of the lab."""

from dataclasses import replace
from typing import Any

from rosenblatt.data.files.lab_board import KEY, Board, Pane
from rosenblatt.lab.loading import SOURCES, data
from rosenblatt.lab.runs.run import run


def board_of(name: str, algorithm: str = "perceptron", options: dict[str, Any] | None = None, **given: Any) -> Board:
    """Built-in data with an algorithm."""
    part = data({"name": name, "options": given})["board"]
    part.pop("panes", None)
    return with_pane(Board.of({KEY: 1, **part}), algorithm, options)


def with_pane(board: Board, algorithm: str, options: dict[str, Any] | None = None) -> Board:
    return replace(board, panes=(Pane(algorithm, options or {}),))


def lecture(name: str) -> Board:
    """A lecture's table with the lecture's algorithm."""
    pane = SOURCES[name].pane
    assert pane is not None
    return board_of(name, pane.algorithm, dict(pane.options))


def shown(board: Board, **more: Any) -> dict[str, Any]:
    """What the page is told of its first pane."""
    return run({"board": board.document(), "pane": 0, **more})
