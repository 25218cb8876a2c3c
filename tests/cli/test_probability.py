"""Tests of probabilities in the command, and that errors and notes speak of its options only."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from rosenblatt import load, read
from tests.cli.test_fit import fitted
from tests.cli.test_fit_pipeline import cloud, csv
from tests.cli.test_main import XOR, made, refused, run, strict_json

OVERLAP = csv(*cloud(120, 3, ["no", "yes"], 0.6))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    path, out = made(folder, OVERLAP), folder / "model"
    facts = fitted(path, "--algorithm", "averaged", "--scale", "standardize", "--probability", "--out", out)
    assert facts["estimator"].startswith("Pipeline(steps=[('scaling', Scaling()), ('perceptron', Calibrated(")
    return out


def test_probabilities_of_the_command_are_those_of_the_library(model: Path) -> None:
    path, fit = model.parent / "data.csv", load(model)
    P, scores = fit.predict_proba(read(path).X), fit.decision_function(read(path).X)
    heading, *lines = run("predict", model, path, "--probability").out.splitlines()
    assert heading == "label,probability of no,probability of yes"
    cells = [line.split(",") for line in lines]
    assert [[float(cell) for cell in row[1:]] for row in cells] == P.tolist()
    assert [row[0] for row in cells] == fit.classes_[P.argmax(axis=1)].tolist()
    both = run("predict", model, path, "--probability", "--scores").out.splitlines()
    assert both[0] == "label,score of yes,probability of no,probability of yes"
    assert [float(cell) for cell in both[1].split(",")[1:]] == [scores[0], *P[0]]
    first = strict_json(run("predict", model, path, "--probability", "--json").out.splitlines()[0])
    assert first["probabilities"] == {"no": P[0, 0], "yes": P[0, 1]}
    assert "probabilities" not in run("predict", model, path, "--json").out


def test_info_says_so(model: Path) -> None:
    assert re.search(r"probabilities +calibrated on 24 training rows held out \(sigmoid\)", run("info", model).out)
    assert strict_json(run("info", model, "--json").out)["passes"] == 10


def test_facts_of_the_test_rows(tmp_path: Path) -> None:
    path, out = made(tmp_path, OVERLAP), tmp_path / "model"
    facts = fitted(path, "--algorithm", "averaged", "--test", 0.5, "--probability", "--out", out)
    assert facts["probability"]["calibrated_on"] == 12
    assert [c["support"] for c in facts["per_class"]] == [30, 30]
    text = " ".join(run("fit", path, "--algorithm", "averaged", "--test", 0.5, "--probability").out.split())
    assert f"their Brier score on the test rows is {facts['probability']['brier']:.4f}" in text
    assert f"ROC AUC {facts['roc_auc']:.3f}" in text
    assert 0 <= facts["probability"]["brier"] <= 1
    whole = fitted(path, "--algorithm", "averaged", "--probability", "--out", out)
    X, y = read(path)
    assert whole["judged"] == "training rows"
    brier = metrics.brier_score_loss(y == "yes", load(out).predict_proba(X)[:, 1])
    assert whole["probability"]["brier"] == pytest.approx(brier)


def test_a_model_without_probabilities(tmp_path: Path) -> None:
    path, out = made(tmp_path, XOR), tmp_path / "model"
    assert run("fit", path, "--algorithm", "averaged", "--out", out).code == 0
    refused(run("predict", out, path, "--probability"), "--probability", "has no probabilities", "fit --probability")


def test_what_probabilities_need(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\n1,a\n2,a\n3,b\n")
    refused(run("fit", path, "--probability"), "at least two rows of each class", "class 'b' has 1 row")
    refused(run("fit", path, "--stream", "--probability"), "--probability is for data in memory; leave --stream out")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--algorithm", "perceptron", "--set", "order=best"], "--set order must be one of "),
        (["--algorithm", "kozinec", "--set", "C=-1"], "--set C must be a number above 0, not -1"),
        (["--algorithm", "kozinec", "--set", "C=1", "--set", "epsilon=none"], "--set epsilon"),
        (["--algorithm", "kernel", "--set", "average=averaged", "--set", "max_support=3"], "--set average needs all"),
        (["--algorithm", "anderson", "--set", "solver=fast"], "--set solver must be one of "),
        (["--stream", "--algorithm", "perceptron", "--set", "order=worst"], "--set order=worst chooses among all rows"),
        (["--stream", "--set", "class_weight=balanced"], "--set class_weight=balanced needs all rows at once"),
        (["--stream", "--set", "held_out=0.1"], "--set held_out is for data in memory"),
        (["--stream", "--resume"], "--resume needs --checkpoint FILE"),
    ],
)
def test_errors_name_options_of_the_command(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = run("fit", made(tmp_path, XOR), *arguments)
    refused(ended, words)
    assert not re.search(r"[A-Z]\w+\(|max_epochs|`fit`", ended.err)


def test_sparse_rows_cannot_be_centred(tmp_path: Path) -> None:
    ended = run("fit", made(tmp_path, "1 1:1\n-1 2:1\n", "data.svm"), "--scale", "center")
    refused(ended, "not possible for --scale center", "Give --scale divide or --scale unit, which keep them.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--algorithm", "perceptron", "--passes", "3"],
            "no budget is enough; --algorithm averaged is",
        ),
        (["--algorithm", "batch", "--passes", "3"], "Raise --passes, or give --set patience or --set max_errors"),
        (["--algorithm", "kozinec"], "Lower --set C, for example to --set C=1.0, to allow slack."),
        (["--algorithm", "kernel", "--passes", "3", "--set", "kernel=linear"], "give --set average=averaged."),
    ],
)
def test_notes_name_options_of_the_command(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = run("fit", made(tmp_path, XOR), *arguments, "--json")
    assert (ended.code, ended.err.count("\n")) == (0, 1)
    assert ended.err.startswith("note: ")
    assert words in ended.err
    assert not re.search(r"max_epochs|support_|'", ended.err)


@pytest.mark.parametrize("algorithm", ["averaged", "voted", "pocket", "pa"])
def test_all_passes_need_no_note(tmp_path: Path, algorithm: str) -> None:
    assert run("fit", made(tmp_path, XOR), "--algorithm", algorithm, "--json").err == ""


def test_warnings_of_other_libraries_are_not_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in no command's words, wherever they come from."""

    def noisy(*_: Any, **__: Any) -> Any:
        warnings.warn("KMeans is known to have a memory leak on Windows with MKL", UserWarning, stacklevel=1)
        with warnings.catch_warnings(action="always"):
            np.float64(1e308) * np.float64(10)
        return 0

    monkeypatch.setattr("rosenblatt.cli.commands.info._of_file", lambda *_: {"kind": str(noisy())})
    with warnings.catch_warnings(action="default"):
        ended = run("info", made(tmp_path, XOR))
    assert (ended.code, ended.out, ended.err) == (0, "kind  0\n", "")


def test_equal_rows_in_mixtures_are_quiet(tmp_path: Path) -> None:
    """scikit-learn's KMeans, which begins a mixture, warns of fewer clusters than Gaussians."""
    path = made(tmp_path, "x,y,kind\n" + "0,0,a\n" * 6 + "0,1,a\n" + "5,5,b\n" * 6 + "5,6,b\n")
    ended = run("fit", path, "--algorithm", "anderson", "--set", "n_components=3", "--set", "ridge=0.01", "--json")
    assert ended.code == 0
    assert "cluster" not in ended.err
    assert not re.search(r"n_components[^=]*=\d", ended.err)


def test_a_picture_of_weights_that_are_votes_is_refused(tmp_path: Path) -> None:
    """One against one has no weight for each column, with probabilities or without."""
    data = made(tmp_path, csv(*cloud(60, 2, "abc", 3.0)))
    fitted_model, out = tmp_path / "votes", tmp_path / "weights.png"
    assert run("fit", data, "--algorithm", "anderson", "--probability", "--out", fitted_model).code == 0
    asked = ["--kind", "weights", "--model", fitted_model, "--label", "a", "--out", out]
    refused(run("plot", data, *asked), "needs a weight")
