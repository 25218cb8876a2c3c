"""The verdict of the lab: it is that of the library, and its shapes show the proof."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, error_bounds, mistake_bound, separability
from rosenblatt.base.events import report_progress
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab import mistake_bound as novikoff
from rosenblatt.lab.verdict import fewest, verdict
from tests.support.lab_boards import board_of, shown


def asked(board: Board) -> dict[str, Any]:
    return verdict({"board": board.document()})


def of_role(told: dict[str, Any], role: str, kind: str) -> list[dict[str, Any]]:
    return [shape for shape in told["shapes"] if shape["role"] == role and shape["type"] == kind]


def test_xors_witness_is_two_crossing_segments_with_halves() -> None:
    board = board_of("xor")
    told = asked(board)
    assert told["kind"] == "overlap"
    segments = of_role(told, "segment", "line")
    assert sorted(sorted(map(tuple, line["points"])) for line in segments) == [
        [(0.0, 0.0), (1.0, 1.0)],
        [(0.0, 1.0), (1.0, 0.0)],
    ]
    assert [mark["label"] for mark in of_role(told, "witness", "mark")] == ["0: 1/2", "3: 1/2", "1: 1/2", "2: 1/2"]
    assert of_role(told, "nearest", "mark")[-1]["at"] == [0.5, 0.5]
    assert [(line["row"], line["weight"]) for line in told["witness"]] == [
        (0, "1/2"),
        (3, "1/2"),
        (1, "1/2"),
        (2, "1/2"),
    ]


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 1)), min_size=2, max_size=9))
def test_the_drawn_proof_is_one(rows: list[tuple[int, int, int]]) -> None:
    """Weights of each class sum to 1, and both means are the point that is marked; or the slab is empty of points."""
    board = Board.of({"rosenblatt_lab": 1, "points": [list(row) for row in rows]})
    told = asked(board)
    json.dumps(told, allow_nan=False)
    if len(board.present) < 2:
        assert told["kind"] == "empty"
        return
    assert told["kind"] == separability(board.X, board.y).kind
    if told["kind"] == "strict":
        check_slab(told, board)
        return
    marks = of_role(told, "witness", "mark")
    if any(not mark["label"] for mark in marks):
        return
    for code in board.present:
        own = [mark for mark in marks if mark["code"] == code]
        shares = [Fraction(mark["label"].split(": ")[1]) for mark in own]
        if all("." not in mark["label"] for mark in own):
            assert sum(shares) == 1
            mean = [sum(s * Fraction(mark["at"][j]) for s, mark in zip(shares, own, strict=True)) for j in (0, 1)]
            assert [float(x) for x in mean] == pytest.approx(of_role(told, "nearest", "mark")[-1]["at"], abs=1e-5)


def check_slab(told: dict[str, Any], board: Board) -> None:
    (line,) = of_role(told, "nearest", "line")
    low, high = separability(board.X, board.y).margin_bounds or (0, 0)
    length = float(np.hypot(*np.subtract(*line["points"])))
    assert 2 * low * (1 - 1e-5) <= length <= 2 * high * (1 + 1e-5) + 1e-6
    edges = of_role(told, "margin", "line")
    assert len(edges) <= 2
    start, end = np.array(line["points"])
    along = (end - start) / length
    depths = (np.asarray(board.X) - start) @ along
    assert not ((depths > 1e-4 * length) & (depths < (1 - 1e-4) * length)).any()


def test_facts_are_those_of_the_library() -> None:
    board = board_of("and")
    facts = dict(asked(board)["facts"])
    assert facts["updates of a perceptron with bias, at most"] == str(int(mistake_bound(board.X, board.y).bounds[1]))
    assert facts["largest margin"] == f"{8**-0.5:.4g}"
    assert facts["line"] == "x1 + x2 - 1.5 = 0"


def test_the_line_is_written_as_a_person_would() -> None:
    told = asked(board_of("cmu_points"))
    assert dict(told["facts"])["line"] == "x1 = 0"
    assert "The hyperplane x1 = 0 has all rows strictly on their right side" in told["explain"]


def test_three_classes_have_a_verdict_for_each_pair() -> None:
    told = asked(board_of("iris"))
    assert told["headline"].endswith("No line separates versicolor and virginica.")
    facts = dict(told["facts"])
    assert facts["setosa and versicolor"] == facts["setosa and virginica"] == "strict"
    assert facts["versicolor and virginica"] == "overlap"


def test_the_fewest_errors_are_those_of_the_library() -> None:
    board = board_of("xor")
    told, bounds = fewest({"board": board.document()}), error_bounds(board.X, board.y)
    assert (told["lower"], told["upper"]) == (bounds.lower, bounds.upper) == (1, 1)
    assert "exactly 1 point:" in told["text"]
    assert fewest({"board": board_of("and").document()})["text"] == "The best line errs on no point."
    with pytest.raises(DataError, match="two classes; the points are of 3"):
        fewest({"board": board_of("iris").document()})


def test_the_bound_of_a_board_is_proved_once_for_its_chart_and_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = []

    def counted(X: Any, y: Any, bias: float) -> Any:
        proved.append(bias)
        return mistake_bound(X, y, bias=bias)

    monkeypatch.setattr(novikoff, "mistake_bound", counted)
    board = board_of("planted_margin", margin=0.123, rows=10)  # of no other test
    facts = dict(asked(board)["facts"])
    note = shown(board)["chart"]["note"]
    assert f"At most {facts['updates of a perceptron with bias, at most']} updates" in note
    assert proved == [1.0]


# ---------------------------------------------------------------------------------------------------------------------
# The time of the compiler


class Cut:
    """Stands for a question that a time limit cuts off, at first because the compiler takes all the time."""

    def __init__(self, ask: Callable[..., Any], cut: Any, compiles: Sequence[bool]) -> None:
        self.ask, self.cut, self.compiles, self.asked = ask, cut, compiles, 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.asked += 1
        if self.asked > len(self.compiles):
            return self.ask(*args, **options)
        if self.compiles[self.asked - 1]:
            report_progress("compiler", 0, None, "compiling {}", "rule")
        return self.cut


XOR = board_of("xor")


@pytest.mark.parametrize(
    ("compiles", "asked", "kind"),
    [([], 1, "overlap"), ([True], 2, "overlap"), ([True, True], 3, "overlap"), ([False], 1, "undecided")],
)
def test_a_verdict_that_the_compiler_cut_off_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, compiles: list[bool], asked: int, kind: str
) -> None:
    undecided = replace(separability(XOR.X, XOR.y), kind="undecided", witness=None, drawing=None)
    cut = Cut(separability, undecided, compiles)
    monkeypatch.setattr("rosenblatt.lab.verdict.separability", cut)
    told = verdict({"board": XOR.document()})
    assert (told["kind"], cut.asked) == (kind, asked)


@pytest.mark.parametrize(("compiles", "asked", "lower"), [([], 1, 1), ([True], 2, 1), ([False], 1, 0)])
def test_fewest_errors_that_the_compiler_cut_off_are_asked_again(
    monkeypatch: pytest.MonkeyPatch, compiles: list[bool], asked: int, lower: int
) -> None:
    cut = Cut(error_bounds, replace(error_bounds(XOR.X, XOR.y), lower=0), compiles)
    monkeypatch.setattr("rosenblatt.lab.verdict.error_bounds", cut)
    told = fewest({"board": XOR.document()})
    assert (told["lower"], cut.asked) == (lower, asked)
