"""`rosenblatt fit`: what it prints, what it saves, and how it ends."""

import gzip
import io
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import Kozinec, Perceptron, Scaling, Stream, load, read
from rosenblatt.fit_command import ALGORITHMS, SCALES, model_of
from tests.test_cli import MODULE, Run, made, process, refused, run, strict_json
from tests.test_stream_fit import learned
from tests.test_streams import Input

__all__ = ["run"]  # the fixture

SVM = "1 1:1 2:1\n-1 2:-1\n1 1:3\n-1 1:-2 3:1\n" * 5
CSV = "age,kind,smokes,label\n40,u,true,no\n50,v,false,yes\n61,v,true,yes\n33,u,false,no\n47,v,true,yes\n"
FACTS = {
    "stop_reason", "why", "algorithm", "rows", "skipped", "columns", "classes", "passes", "updates",
    "mistakes_per_pass", "seconds", "model",
}  # fmt: skip
NAMES = {"pa": "PassiveAggressive", "pocket": "Pocket", "batch": "BatchPerceptron", "kozinec": "Kozinec"}


def quiet() -> Any:
    return warnings.catch_warnings(action="ignore")


def same(ours: Any, theirs: Any, X: Any) -> None:
    """Two models that answer alike to the last bit."""
    if isinstance(ours, Kozinec):
        assert ours.margin_bounds_ == theirs.margin_bounds_
    assert learned(ours, X) == learned(theirs, X)


# ---------------------------------------------------------------------------------------------------------------------
# In memory, and as a stream


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("stream", [False, True])
def test_every_algorithm(tmp_path: Path, run: Run, algorithm: str, stream: bool) -> None:
    path, out = made(tmp_path, SVM, "data.svm"), tmp_path / "model"
    asked = ["fit", path, "--algorithm", algorithm, "--passes", 50, "--out", out, *["--stream"] * stream]
    ended = run(*asked, "--json")
    assert (ended.code, ended.err.replace(f"model: {out}\n", "")) == (0, "")
    facts = strict_json(ended.out)
    model, data = load(out), read(path)
    expected = model_of(algorithm, 50)
    same(model, expected.fit_stream(path) if stream else expected.fit(*data), data.X)
    assert set(facts) == FACTS
    assert (facts["algorithm"], facts["rows"], facts["skipped"]) == (NAMES.get(algorithm, "Perceptron"), 20, 0)
    assert (facts["columns"], facts["classes"], facts["model"]) == (3, [-1, 1], str(out))
    assert (facts["passes"], facts["updates"]) == (model.n_iter_, model.n_updates_)
    assert facts["mistakes_per_pass"] == model.mistakes_per_epoch_.tolist()
    assert facts["stop_reason"] == str(model.stop_reason_)
    again = run(*asked)
    assert (again.code, again.out.split(":")[0]) == (0, facts["stop_reason"])
    assert "20 rows of 3 columns, 2 classes" in again.out
    assert again.err == f"model: {out}\n"


def test_the_same_bytes_from_the_same_data(tmp_path: Path, run: Run) -> None:
    path = made(tmp_path, SVM, "data.svm")
    for size in (20, 50, 10**6):
        assert (
            run("fit", path, "--stream", "--chunk-bytes", size, "--classes=-1,1", "--out", tmp_path / str(size)).code
            == 0
        )
    assert len({(tmp_path / str(size)).read_bytes() for size in (20, 50, 10**6)}) == 1


#: Of each option: arguments, the file, what `read` is given, and whether a stream takes it.
READING: dict[str, tuple[list[Any], str, dict[str, Any]]] = {
    "target": (["--target", "kind"], CSV, {"target": "kind"}),
    "target by number": (["--target", "1"], CSV, {"target": 1}),
    "columns": (["--columns", "age, smokes"], CSV, {"columns": ["age", "smokes"]}),
    "columns by number": (["--columns", "0,2"], CSV, {"columns": [0, 2]}),
    "categories": (["--categories", "age"], CSV, {"categories": ["age"]}),
    "hash_bits": (["--hash-bits", 4], CSV, {"hash_bits": 4}),
    "fill": (["--fill", "1.5"], CSV.replace("50", ""), {"fill": 1.5}),
    "on_error": (["--on-error", "skip"], CSV + "x,u,true,no\n", {"on_error": "skip"}),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("option", READING)
def test_options_of_reading(tmp_path: Path, run: Run, option: str, stream: bool) -> None:
    arguments, text, reading = READING[option]
    path, out = made(tmp_path, text), tmp_path / "model"
    ended = run("fit", path, *arguments, "--out", out, "--algorithm", "averaged", "--json", *["--stream"] * stream)
    assert ended.code == 0
    data = read(path, **reading)
    expected = Perceptron(average="averaged", max_epochs=10, order="cyclic" if stream else "shuffled")
    with quiet():
        expected.fit(*data)
    model = load(out)
    same(model, expected, data.X)
    facts = strict_json(ended.out)
    assert (facts["rows"], facts["skipped"], facts["columns"]) == (5, data.skipped, data.X.shape[1])
    assert data.encoding is not None
    assert model.encoding_ == data.encoding.record()


@pytest.mark.parametrize("how", SCALES)
def test_scaled(tmp_path: Path, run: Run, how: str) -> None:
    path, out = made(tmp_path, CSV), tmp_path / "model"
    assert run("fit", path, "--scale", how, "--columns", "age,smokes", "--out", out).code == 0
    data, model = read(path, columns=["age", "smokes"]), load(out)
    scaled = Scaling(how=how).fit(data.X, data.y).transform(data.X)
    with quiet():
        expected = Perceptron(average="averaged", max_epochs=10).fit(np.asarray(scaled), data.y)
    assert model.predict(data.X).tolist() == expected.predict(np.asarray(scaled)).tolist()
    assert model.steps[-1][1].coef_.tobytes() == expected.coef_.tobytes()


@pytest.mark.parametrize("how", SCALES)
def test_scaled_as_a_stream(tmp_path: Path, run: Run, how: str) -> None:
    """What rows in memory give, to the last bit, whatever the chunks."""
    path, out = made(tmp_path, CSV), tmp_path / "model"
    data = read(path, columns=["age", "smokes"])
    with quiet():
        scaled = Scaling(how=how).fit(data.X, data.y).transform(data.X)
        expected = Perceptron(average="averaged", max_epochs=10, order="cyclic").fit(scaled, data.y)
    for size in (55, 10**6):
        asked = ["fit", path, "--stream", "--scale", how, "--columns", "age,smokes", "--chunk-bytes", size]
        assert run(*asked, "--out", out).code == 0
        model = load(out)
        same(model.steps[-1][1], expected, scaled)
        assert model.predict(data.X).tolist() == expected.predict(scaled).tolist()


def test_format_and_several_files(tmp_path: Path, run: Run) -> None:
    one, two = made(tmp_path, SVM, "one.txt"), made(tmp_path, SVM, "two.txt")
    for arguments in ([one, two], [tmp_path / "*.txt"]):
        ended = run("fit", *arguments, "--format", "libsvm", "--stream", "--json")
        assert strict_json(ended.out)["rows"] == 40
    made(tmp_path, "", "data.svm.gz").write_bytes(gzip.compress(SVM.encode()))
    assert strict_json(run("fit", tmp_path / "data.svm.gz", "--json").out)["rows"] == 20


def test_quarantine_cache_and_checkpoint(tmp_path: Path, run: Run) -> None:
    path = made(tmp_path, SVM + "x\n7 1:1\n1 1:1 2:-1\n-1 1:1 2:-1\n", "data.svm")
    kept, place, out = tmp_path / "bad.txt", tmp_path / "checkpoint", tmp_path / "model"
    asked = ["fit", path, "--stream", "--on-error", "quarantine", "--quarantine", kept, "--classes=-1,1"]
    asked += ["--chunk-bytes", 40, "--cache", "--checkpoint", place, "--resume", "--passes", 3]
    ended = run(*asked, "--every", 0, "--every-rows", 1, "--json")
    facts = strict_json(ended.out)
    assert (ended.code, facts["rows"], facts["skipped"], facts["passes"]) == (0, 22, 2, 3)
    assert "note: " in ended.err
    assert sorted(kept.read_text().splitlines()) == ["7 1:1", "x"]
    assert sorted(os.listdir(tmp_path)) == ["bad.txt", "checkpoint", "data.svm", "data.svm.rosenblatt"]
    assert run(*asked, "--out", out).code == 0
    assert not place.exists()  # what was learned is safe
    with quiet():
        expected = Perceptron(average="averaged", max_epochs=3).fit_stream(path, classes=[-1, 1], on_error="skip")
    same(load(out), expected, read(path, on_error="skip").X[:20])


def test_standard_input(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Input(io.BytesIO(SVM.encode())))
    assert strict_json(run("fit", "-", "--format", "libsvm", "--stream", "--passes", 1, "--json").out)["rows"] == 20
    monkeypatch.setattr(sys, "stdin", Input(io.BytesIO(SVM.encode())))
    refused(run("fit", "-", "--format", "libsvm", "--stream"), "-: it can be read only once")
    refused(run("fit", "-", "--format", "libsvm", "--stream", "--cache"), "give its path")
    out = tmp_path / "model"
    command = [*MODULE, "fit", "-", "--format", "libsvm", "--out", str(out)]
    subprocess.run(command, input=SVM.encode(), check=True, capture_output=True, timeout=60)
    assert load(out).classes_.tolist() == [-1, 1]


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--algorithm", "magic"], ["--algorithm must be one of perceptron, averaged", "'magic'"]),
        (["--passes", 0], ["max_epochs"]),
        (["--checkpoint", "c"], ["--checkpoint is for streams; give --stream too"]),
        (["--resume"], ["--resume is for streams"]),
        (["--cache"], ["--cache is for streams"]),
        (["--quarantine", "q"], ["--quarantine is for streams"]),
        (["--classes", "1,2"], ["--classes is for streams"]),
        (["--stream", "--resume"], ["resume", "checkpoint"]),
        (["--stream", "--on-error", "quarantine"], ["quarantine"]),
        (["--stream", "--on-error", "maybe"], ["on_error", "'maybe'"]),
        (["--on-error", "maybe"], ["on_error", "'maybe'"]),
        (["--stream", "--chunk-bytes", 0], ["chunk_bytes must be an integer of at least 1"]),
        (["--stream", "--every", "-1", "--checkpoint", "c"], ["every"]),
        (["--stream", "--every-rows", 0, "--checkpoint", "c"], ["every"]),
        (["--stream", "--classes", "1"], ["classes"]),
        (["--stream", "--classes", "+-1,2"], ["data.svm", "class"]),
        (["--columns=--5"], ["columns"]),
        (["--stream", "--algorithm", "kozinec", "--checkpoint", "c"], ["--checkpoint and --resume are for"]),
        (["--stream", "--algorithm", "kozinec", "--resume"], ["--resume"]),
        (["--scale", "wrong"], ["wrong"]),
        (["--format", "xls"], ["format must be one of"]),
        (["--hash-bits", 99], ["hash_bits"]),
        (["--target", "y"], ["target does not fit libsvm"]),
        (["--out", "no/such/folder"], ["folder: it cannot be written"]),
    ],
    ids=str,
)
def test_one_sentence_and_exit_code_2(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("fit", made(tmp_path, SVM, "data.svm"), *arguments), *words)
    assert os.listdir(tmp_path) == ["data.svm"]


@pytest.mark.parametrize("stream", [False, True])
def test_bad_data_is_said_with_its_place(tmp_path: Path, run: Run, stream: bool) -> None:
    more = ["--stream"] * stream
    refused(run("fit", tmp_path / "none.svm", *more), "none.svm: there is no such file")
    refused(run("fit", made(tmp_path, SVM + "x\n", "data.svm"), *more), "data.svm, line 21")
    refused(
        run("fit", made(tmp_path, "1 1:1\n1 1:2\n", "data.svm"), *more), "2 classes" if not stream else "two classes"
    )
    refused(run("fit", made(tmp_path, "", "data.svm"), *more), "data.svm", "no rows")
    refused(run("fit", made(tmp_path, CSV + "9,u,true\n"), *more), "data.csv, line 7", "4 columns")


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_that_fails_leaves_the_old_model(
    tmp_path: Path, run: Run, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = made(tmp_path, SVM, "data.svm"), tmp_path / "model"
    more = ["--stream"] * stream
    assert run("fit", path, *more, "--out", out).code == 0
    old = out.read_bytes()
    refused(run("fit", made(tmp_path, SVM + "x\n", "data.svm"), *more, "--out", out), "line 21")
    assert out.read_bytes() == old

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = made(tmp_path, SVM + "1 9:1\n", "data.svm")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        refused(run("fit", path, *more, "--out", out), "model: it cannot be written: No space left on device")
    assert out.read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["data.svm", "model"]


def test_the_checkpoint_stays_until_the_model_is_safe(tmp_path: Path, run: Run) -> None:
    path, place = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint"
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--checkpoint", place, "--every-rows", 1]
    refused(run(*asked, "--out", tmp_path / "no" / "model"), "cannot be written")
    assert place.exists()
    assert run(*asked, "--resume", "--out", tmp_path / "model").code == 0
    assert not place.exists()
    same(load(tmp_path / "model"), Perceptron(average="averaged", max_epochs=10).fit_stream(path), read(path).X)
    refused(run(*asked, "--resume", "--passes", 0), "max_epochs")


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, run: Run) -> None:
    path, place, out = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint", made(tmp_path, "old", "model")
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--checkpoint", place, "--every-rows", 1, "--out", out]
    Perceptron(average="averaged", max_epochs=10).fit_stream(
        Stream(path, chunk_bytes=60), checkpoint=place, every_seconds=0.0
    )
    refused(run(*asked, "--resume", "--passes", 5), "other options", "max_epochs")
    refused(run(*asked, "--resume", "--algorithm", "pocket"), "other options", "algorithm")
    place.write_text("garbage")
    refused(run(*asked, "--resume"), "checkpoint: it is no checkpoint")
    assert (place.read_text(), out.read_text()) == ("garbage", "old")
    assert run(*asked).code == 0  # without --resume it begins anew


def test_as_a_process(tmp_path: Path) -> None:
    path, out = made(tmp_path, SVM, "data.svm"), tmp_path / "model"
    ended = process(MODULE, "fit", path, "--stream", "--out", out, "--json")
    assert (ended.code, json.loads(ended.out)["rows"]) == (0, 20)
    assert rosenblatt.load(out).predict([[1.0, 1.0, 0.0]]).tolist() == [1]
    refused(process(MODULE, "fit", tmp_path / "none.svm", "--stream"), "none.svm: there is no such file")
    assert process(MODULE, "fit").code == 2
