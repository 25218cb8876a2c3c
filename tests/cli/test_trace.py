"""Tests of `rosenblatt trace`: every step follows the rule of the lecture."""

import io
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import PIL.Image
import pytest

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Trace,
    datasets,
    read,
    trace,
    write,
)
from rosenblatt.cli.commands.trace import Traced
from tests.cli.test_fit_facts import Links
from tests.cli.test_main import AND, XOR, made, refused, run, strict_json
from tests.support import oracle

MODELS: dict[str, Any] = {
    "perceptron": Perceptron(order="cyclic"),
    "averaged": Perceptron(order="cyclic", average="averaged", max_epochs=10),
    "voted": Perceptron(order="cyclic", average="voted", max_epochs=10),
    "pa": PassiveAggressive(order="cyclic", max_epochs=10),
    "pocket": Pocket(order="cyclic"),
    "batch": BatchPerceptron(),
    "kernel": KernelPerceptron(order="cyclic"),
    "kozinec": Kozinec(),
    "anderson": Anderson(random_state=0),
}


@pytest.fixture
def berkeley(tmp_path: Path) -> Path:
    """The worked example of CS188."""
    X, y = datasets.load("berkeley_points")
    write(X, y, tmp_path / "berkeley.csv")
    return tmp_path / "berkeley.csv"


# ---------------------------------------------------------------------------------------------------------------------
# The steps


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
def test_the_steps_of_the_slide(berkeley: Path, tie: str) -> None:
    """The steps equal those of independent code in exact fractions, with rows in the order of the file."""
    text = run("trace", berkeley, "--set", f"tie={tie}", "--passes", 3, "--jsonl").out
    found = Trace.from_jsonl(text)
    X, y = datasets.load("berkeley_points")
    rows = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    order = [step.index for step in found]
    assert order == [0, 1, 2, 3, 4] * 3
    expected = oracle.perceptron(
        rows,
        y.tolist(),
        order,
        [Fraction(0)] * 3,
        [Fraction(1)] * 2,
        Fraction(0),
        {"positive": 1, "negative": -1}.get(tie, 0),
    )
    assert [list(step.w) for step in found] == expected[1:]
    assert [step.score for step in found] == [oracle.dot(w, rows[i]) for w, i in zip(expected, order, strict=False)]
    assert [step.updated for step in found] == [a != b for a, b in pairwise(expected)]


@pytest.mark.parametrize("algorithm", get_args(Traced))
def test_every_algorithm(tmp_path: Path, algorithm: str) -> None:
    path = made(tmp_path, AND)
    ended = run("trace", path, "--algorithm", algorithm, "--jsonl")
    assert (ended.code, ended.err) == (0, "")
    X, y = read(path)
    assert ended.out == trace(MODELS[algorithm], X, y, max_steps=200).to_jsonl()
    assert run("trace", path, "--algorithm", algorithm, "--json").out == ended.out


def test_the_options_are_passed_on(tmp_path: Path) -> None:
    path = made(tmp_path, AND)
    asked = ["--set", "order=shuffled", "--set", "margin=0.5", "--passes", 4, "--seed", 7, "--columns", "y", "--jsonl"]
    model = Perceptron(order="shuffled", margin=0.5, max_epochs=4, random_state=7)
    assert run("trace", path, *asked).out == trace(model, *read(path, columns=["y"])).to_jsonl()
    assert run("trace", path, "--target", "x", "--columns", "1", "--jsonl").code == 0


def test_the_widest_gap_closes_in(tmp_path: Path) -> None:
    """The largest margin of AND, half the distance of (1, 1) from the line through (0, 1) and (1, 0), is enclosed."""
    found = Trace.from_jsonl(run("trace", made(tmp_path, AND), "--algorithm", "kozinec", "--jsonl").out)
    margin = 0.125**0.5
    for step in found:
        assert step.lower is not None
        assert step.upper is not None
        assert step.lower - 1e-12 <= margin <= step.upper + 1e-12
    assert str(found.stop_reason) == "gap_closed"


def test_more_than_two_classes(tmp_path: Path) -> None:
    path = made(tmp_path, "x,y,kind\n1,0,a\n0,1,b\n-1,-1,c\n")
    found = Trace.from_jsonl(run("trace", path, "--jsonl").out)
    assert found.classes == ("a", "b", "c")
    assert str(found.stop_reason) == "mistake_free"
    refused(run("trace", path, "--algorithm", "kozinec"), "3 classes")


def test_gaussians_of_more_than_two_classes_are_taken_in_pairs(tmp_path: Path) -> None:
    path = made(tmp_path, "x,y,kind\n1,0,a\n2,1,a\n0,1,b\n0,3,b\n-1,-1,c\n-2,-4,c\n")
    ended = run("trace", path, "--algorithm", "anderson", "--jsonl")
    found = Trace.from_jsonl(ended.out)
    assert [member.task for member in found.members] == ["b against a", "c against a", "c against b"]
    X, y = read(path)
    assert ended.out == trace(OneVsOne(Anderson(random_state=0)), X, y, max_steps=200).to_jsonl()
    refused(run("trace", path, "--algorithm", "anderson", "--animate", tmp_path / "a.gif"), "trace.member(task)")


# ---------------------------------------------------------------------------------------------------------------------
# How they are shown


def test_the_table(berkeley: Path) -> None:
    """The numbers are those of the lecture's table. A score of 0 is a tie."""
    ended = run("trace", berkeley, "--passes", 1)
    assert (ended.code, ended.err) == (0, "")
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in ended.out.splitlines() if "│" in line]
    assert [row[:9] for row in cells] == [
        ["1", "0", "1", "1", "-1", "0", "tie", "yes", "(-1, -1, -1)"],
        ["2", "1", "3", "2", "1", "-6", "-1", "yes", "(2, 1, 0)"],
        ["3", "2", "2", "4", "1", "8", "1", "no", "(2, 1, 0)"],
        ["4", "3", "3", "4", "1", "10", "1", "no", "(2, 1, 0)"],
        ["5", "4", "2", "3", "-1", "7", "1", "yes", "(0, -2, -1)"],
    ]
    assert "budget: " in ended.out


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_no_more_steps_than_asked_for(tmp_path: Path, steps: int) -> None:
    path = made(tmp_path, XOR)
    header, *lines = run("trace", path, "--steps", steps, "--jsonl").out.splitlines()
    assert (len(lines), strict_json(header)["steps"], strict_json(header)["stop_reason"]) == (steps, steps, None)
    shown = run("trace", path, "--steps", steps)
    assert "cut off" in shown.out
    noun = "step" if steps == 1 else "steps"
    assert shown.err == f"note: there are more than {steps} {noun}; give --steps to show more.\n"


def test_200_steps_unless_told(tmp_path: Path) -> None:
    assert len(run("trace", made(tmp_path, XOR), "--jsonl").out.splitlines()) == 201


def test_a_pipe(tmp_path: Path) -> None:
    assert run("trace", "-", stdin=AND) == run("trace", made(tmp_path, AND))


# ---------------------------------------------------------------------------------------------------------------------
# How they move


def test_a_player_that_needs_no_network(berkeley: Path, tmp_path: Path) -> None:
    page = tmp_path / "berkeley.html"
    ended = run("trace", berkeley, "--passes", 1, "--animate", page)
    assert (ended.code, ended.err) == (0, f"animation: {page}\n")
    assert ended.out == run("trace", berkeley, "--passes", 1).out
    written = page.read_text(encoding="utf-8")
    assert written.lower().startswith("<!doctype html>")
    assert all(link.startswith(("data:", "#")) for link in Links(written).found)


def test_a_gif_has_a_frame_for_each_step(berkeley: Path, tmp_path: Path) -> None:
    """There is one frame for each step, and one before the first."""
    run("trace", berkeley, "--passes", 1, "--animate", tmp_path / "berkeley.gif", "--jsonl")
    with PIL.Image.open(io.BytesIO((tmp_path / "berkeley.gif").read_bytes())) as picture:
        assert (picture.format, getattr(picture, "n_frames", 1)) == ("GIF", 6)


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--algorithm", "nearest"], ["--algorithm", "'nearest'", "'perceptron'"]),
        (["--algorithm", "kernel", "--animate", "steps.gif"], ["not a line", "to_table"]),
        (["--algorithm", "auto"], ["--algorithm", "'auto'"]),
        (["--steps", -1], ["--steps"]),
        (["--passes", 0], ["--passes"]),
        (["--set", "ordr=cyclic"], ["--set ordr=cyclic", "Did you mean 'order'?"]),
        (["--set", "order=never"], ["order", "'never'"]),
        (["--algorithm", "kozinec", "--set", "order=cyclic"], ["--set order=cyclic", "kozinec has the parameters"]),
        (["--columns", "z"], ["no column 'z'", "'x', 'y', 'kind'"]),
        (["--format", "xls"], ["--format must be one of"]),
        (["--animate", "steps.mp4"], [".gif", ".html", "steps.mp4"]),
        (["--animate", "no/steps.gif"], ["no/steps.gif: it cannot be written"]),
    ],
    ids=str,
)
def test_one_sentence_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("trace", made(tmp_path, AND), *arguments), *words)
