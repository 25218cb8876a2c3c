"""The algorithm that a board asks for, for commands that are given its file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.data.files.board import Board, Pane
from rosenblatt.data.files.sources import ENDINGS
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lab.catalogue import algorithm_of, model_of


def pane_in(files: Sequence[str], format: str | None = None) -> Pane | None:  # noqa: A002
    """The first pane of a board that the lab saved; None for other files.

    Raises
    ------
    DataError
        It cannot be done with rows from a file.
    """
    path = Path(files[0])
    if len(files) > 1 or (format or ENDINGS.get(path.suffix.lower())) != "lab" or not path.is_file():
        return None
    board = Board.from_json(path.read_text(encoding="utf-8"))
    pane = board.panes[0]
    label = algorithm_of(pane).label
    if algorithm_of(pane).make is None:
        raise DataError(f"{path}: the board asks for the {label}, which does not learn; name another --algorithm.")
    if pane.algorithm == "anderson" and board.gaussians:
        raise DataError(
            f"{path}: the board asks for {label} with Gaussians that are drawn, but the command learns from points; "
            "--algorithm anderson estimates Gaussians from them."
        )
    return pane


def model_in(pane: Pane, passes: int | None, settings: dict[str, Any]) -> Any:
    """The estimator that a pane asks for; its options stand in the board."""
    if passes is not None or settings:
        raise ParameterError(
            f"The board of the lab has its own options for {algorithm_of(pane).label}; name --algorithm to give others "
            "by --set or --passes."
        )
    return model_of(pane)
