"""Files exported from the lab can be opened elsewhere, and agree with the library."""

import csv
import io
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from rosenblatt import ParameterError, Trace
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.catalogue import ALGORITHMS
from rosenblatt.lab.downloads import Download, export
from rosenblatt.lab.runs.run import traced
from tests.support.lab_boards import board_of, lecture, shown, with_pane

GAUSSIANS = [[0, 0, 1, 0, 0, 1, 0], [4, 0, 1, 0, 0, 1, 0], [2, 3, 2, 0, 0, 0.5, 1]]


def taken(board: Board, kind: str) -> Download:
    return export({"board": board.document(), "pane": 0, "kind": kind})


def boards() -> list[Board]:
    some = [
        board_of("planted_margin", name, rows=12)
        for name in ALGORITHMS
        if name not in ("neuron", "one_vs_all", "one_vs_one")
    ]
    three = Board.of_rows([[0, 0], [4, 0], [2, 3], [2, 4]], ["a", "b", "c", "c"])
    drawn = Board.of({"rosenblatt_lab": 1, "gaussians": GAUSSIANS, "panes": [{"algorithm": "anderson"}]})
    return [*some, with_pane(three, "one_vs_all"), with_pane(three, "one_vs_one"), board_of("and", "neuron"), drawn]


BOARDS = boards()
NAMES = [f"{board.panes[0].algorithm}{'-drawn' * bool(board.gaussians)}" for board in BOARDS]


def steps_of(board: Board) -> Trace:
    with warnings.catch_warnings(action="ignore"):
        return traced(board, 0)


@pytest.mark.parametrize("board", BOARDS, ids=NAMES)
def test_json_lines_and_csv_are_those_of_the_trace(board: Board) -> None:
    if board.panes[0].algorithm in ("neuron", "means"):
        with pytest.raises(ParameterError, match="has no steps to write"):
            taken(board, "jsonl")
        head, *lines = csv.reader(io.StringIO(taken(board, "csv").content.decode()))
        assert head == shown(board)["columns"]
        if board.panes[0].algorithm == "neuron":
            assert [line[1:4] for line in lines] == [["0", "0", "0"], ["0", "1", "1"], ["1", "0", "1"], ["1", "1", "2"]]
        else:
            means = [np.asarray(board.X)[board.y == label].mean(axis=0) for label in (-1, 1)]
            assert [[float(cell) for cell in line[1:]] for line in lines] == [pytest.approx(m, rel=1e-3) for m in means]
        return
    steps = steps_of(board)
    assert Trace.from_jsonl(taken(board, "jsonl").content.decode()) == steps
    assert taken(board, "csv").content.decode() == steps.to_csv()


def test_the_code_prints_what_the_page_shows() -> None:
    """All programs in one process, which is quicker than one each."""
    programs = [taken(board, "py").content.decode() for board in BOARDS]
    for program in programs:
        compile(program, "lab.py", "exec")
    marked = "print('-' * 9)\n".join(programs)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-"], input=marked, capture_output=True, text=True, check=True
    )
    printed = done.stdout.split("-" * 9 + "\n")
    for board, text in zip(BOARDS, printed, strict=True):
        if board.panes[0].algorithm not in ("neuron", "means"):
            expected = io.StringIO()
            from rich.console import Console

            Console(width=200, file=expected).print(steps_of(board).to_table())
            assert text == expected.getvalue()
    assert "[1, 1] 1" in printed[NAMES.index("neuron")]


def test_a_saved_board_is_the_board() -> None:
    board = lecture("berkeley_points")
    assert Board.from_json(taken(board, "lab").content.decode()) == board


def test_animations_open_and_have_a_frame_a_step() -> None:
    from PIL import Image

    board = lecture("berkeley_points")
    with Image.open(io.BytesIO(taken(board, "gif").content)) as picture:
        assert (picture.format, getattr(picture, "n_frames", 0)) == ("GIF", 6)
    page = taken(board, "html").content.decode()
    assert page.count("<img") == 6
    assert all(f" = {score}: " in page for score in (-1, 14, 17, 12))


@pytest.mark.parametrize(
    ("kind", "end"), [("gif", ".gif"), ("html", ".html"), ("csv", ".csv"), ("py", ".py"), ("lab", ".json")]
)
def test_files_have_names_that_say_what_they_are(kind: str, end: str) -> None:
    assert taken(lecture("cmu_points"), kind).name.endswith(end)


def test_other_kinds_are_refused() -> None:
    for kind in ("exe", None, 3):
        given: dict[str, Any] = {"board": board_of("and").document(), "kind": kind}
        with pytest.raises(ParameterError, match="kind must be one of lab, py, csv, jsonl, gif, html, not"):
            export(given)
