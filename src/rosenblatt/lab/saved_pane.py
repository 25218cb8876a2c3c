"""The algorithm that a saved board asks for, for commands that read its file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.data.files.sources import ENDINGS
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lab.catalogue import algorithm_of, model_of


def pane_in(files: Sequence[str], format: str | None = None) -> Pane | None:  # noqa: A002
    """Return the first pane of a board that the lab saved; None for other files.

    Raises
    ------
    DataError
        Its algorithm does not learn, or does not learn from points.
    """
    path = Path(files[0])
    if len(files) > 1 or (format or ENDINGS.get(path.suffix.lower())) != "lab" or not path.is_file():
        return None
    board = Board.from_json(path.read_text(encoding="utf-8"))
    pane = board.panes[0]
    algorithm = algorithm_of(pane)
    if not algorithm.learns:
        raise DataError(
            f"{path}: the board asks for the {algorithm.label}, which does not learn; name another --algorithm."
        )
    if algorithm.learns_drawn_gaussians(board):
        raise DataError(
            f"{path}: the board asks for {algorithm.label} with Gaussians that are drawn, but the command learns from "
            f"points; --algorithm {algorithm.name} estimates Gaussians from them."
        )
    return pane


def model_in(pane: Pane, passes: int | None, settings: dict[str, Any]) -> Any:
    """Return the estimator that a pane asks for, with the options of the board.

    Raises
    ------
    ParameterError
        The command gives options too.
    """
    if passes is not None or settings:
        raise ParameterError(
            f"The board of the lab has its own options for {algorithm_of(pane).label}; name --algorithm to give others "
            "by --set or --passes."
        )
    return model_of(pane)
