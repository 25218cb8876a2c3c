"""A saved board given to the command: it trains and traces what the lab showed."""

from pathlib import Path

from rosenblatt import Trace
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.runs.run import traced
from tests.cli.test_main import refused, run, strict_json
from tests.support.lab_boards import board_of, lecture


def saved(folder: Path, board: Board) -> Path:
    path = folder / "lab.json"
    path.write_text(board.to_json())
    return path


def test_trace_prints_the_steps_of_the_lab(tmp_path: Path) -> None:
    for board in (lecture("berkeley_points"), board_of("and", "kozinec", {"solver": "mdm"}), board_of("xor", "kernel")):
        ended = run("trace", saved(tmp_path, board), "--jsonl", "--steps", 2000)
        assert Trace.from_jsonl(ended.out) == traced(board, 0)


def test_trace_takes_another_algorithm(tmp_path: Path) -> None:
    ended = run("trace", saved(tmp_path, lecture("berkeley_points")), "--algorithm", "pa", "--jsonl")
    assert Trace.from_jsonl(ended.out).estimator.startswith("PassiveAggressive(")


def test_fit_trains_what_the_board_asks_for(tmp_path: Path) -> None:
    file = saved(tmp_path, board_of("iris", "one_vs_one", {"max_epochs": 3}))
    told = strict_json(run("fit", file, "--json").out)
    assert told["algorithm"] == "one_vs_one"
    assert told["estimator"].startswith("OneVsOne(estimator=Perceptron(")
    assert "the board of the lab asks for it" in told["why_chosen"]
    assert strict_json(run("fit", file, "--algorithm", "pocket", "--json").out)["algorithm"] == "pocket"


def test_what_the_command_cannot_do_is_refused(tmp_path: Path) -> None:
    for command in ("fit", "trace"):
        refused(run(command, saved(tmp_path, board_of("and", "neuron"))), "neuron, which does not learn", "--algorithm")
        drawn = Board.of({**board_of("and", "anderson").document(), "gaussians": [[0, 0, 1, 0, 0, 1, 0]]})
        refused(run(command, saved(tmp_path, drawn)), "Gaussians that are drawn", "--algorithm anderson")


def test_options_of_the_board_are_not_mixed_with_others(tmp_path: Path) -> None:
    file = saved(tmp_path, lecture("berkeley_points"))
    refused(run("fit", file, "--set", "tie=mistake"), "own options for Perceptron", "--algorithm")
    refused(run("trace", file, "--passes", 3), "own options for Perceptron", "--algorithm")


def test_a_model_from_a_board_predicts(tmp_path: Path) -> None:
    file, model = saved(tmp_path, board_of("and", "perceptron", {"max_epochs": 50})), tmp_path / "and.model"
    assert run("fit", file, "--out", model).code == 0
    ended = run("predict", model, file)
    assert ended.code == 0
    assert ended.out.split() == ["0", "0", "0", "1"]
