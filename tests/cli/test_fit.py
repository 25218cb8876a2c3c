"""Tests of `rosenblatt fit`: reading, training, saving, checkpoints, errors. `test_fit_facts.py` tests its report."""

import gzip
import os
import signal
import warnings
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from rosenblatt import Kessler, Kozinec, OneVsOne, Perceptron, Scaling, Stream, load, read
from rosenblatt.classifiers.algorithm_choice import MAKERS, model_of
from rosenblatt.classifiers.perceptron import Averaged
from rosenblatt.classifiers.training.checkpoint import Checkpoints
from rosenblatt.cli.commands.fit import Scale
from rosenblatt.cli.options import Algorithm
from tests.classifiers.training.test_stream_passes import learned
from tests.cli.test_main import XOR, made, refused, run, strict_json
from tests.support.full_disk import fill

SVM = "1 1:1 2:1\n-1 2:-1\n1 1:3\n-1 1:-2 3:1\n" * 5
CSV = "age,kind,smokes,label\n40,u,true,no\n50,v,false,yes\n61,v,true,yes\n33,u,false,no\n47,v,true,yes\n"
POINTS = "x,y,kind\n0,0,a\n1,0,a\n0,1,a\n4,4,b\n5,4,b\n4,5,b\n0,9,c\n1,9,c\n0,8,c\n"
CLASSES = {"pa": "PassiveAggressive", "pocket": "Pocket", "batch": "BatchPerceptron", "kozinec": "Kozinec"} | {
    "anderson": "Anderson",
    "kernel": "KernelPerceptron",
}
ALL_AT_ONCE = ("anderson", "kernel")
SCALES = [how for how in get_args(Scale) if how != "none"]


def quiet() -> Any:
    return warnings.catch_warnings(action="ignore")


def fitted(*arguments: object) -> Any:
    ended = run("fit", *arguments, "--json")
    assert ended.code == 0
    return strict_json(ended.out)


def same(ours: Any, theirs: Any, X: Any) -> None:
    """Assert that two models are equal to the last bit."""
    if isinstance(ours, Kozinec):
        assert ours.margin_bounds_ == theirs.margin_bounds_
    assert learned(ours, X) == learned(theirs, X)


# ---------------------------------------------------------------------------------------------------------------------
# In memory, and as a stream


def test_the_command_offers_every_algorithm_and_scaling() -> None:
    assert get_args(Algorithm) == ("auto", *MAKERS)
    for how in SCALES:
        Scaling(how=how).fit([[1.0], [2.0]])


@pytest.mark.parametrize("algorithm", MAKERS)
@pytest.mark.parametrize("stream", [False, True])
def test_every_algorithm(tmp_path: Path, algorithm: str, stream: bool) -> None:
    path, out = made(tmp_path, SVM, "data.svm"), tmp_path / "model"
    asked = [path, "--algorithm", algorithm, "--passes", 50, "--out", out, *["--stream"] * stream]
    if stream and algorithm in ALL_AT_ONCE:
        refused(run("fit", *asked), f"--algorithm {algorithm} needs all rows at once; leave --stream out.")
        return
    facts = fitted(*asked)
    model, data = load(out), read(path)
    expected = model_of(algorithm, 2, 50)
    assert type(model).__name__ == CLASSES.get(algorithm, "Perceptron")
    same(model, expected.fit_stream(path) if stream else expected.fit(*data), data.X)
    assert (facts["algorithm"], facts["rows"], facts["skipped"]) == (algorithm, 20, 0)
    assert (facts["columns"], facts["classes"], facts["model"]) == (3, [-1, 1], str(out))
    assert facts["passes"] == model.n_iter_
    assert facts["updates"] == getattr(model, "n_updates_", None)
    assert facts["stop_reason"] == str(model.stop_reason_)
    assert facts["why"] == model.stop_reason_.sentence
    again = run("fit", *asked)
    assert (again.code, again.err) == (0, f"model: {out}\n")
    assert again.out.startswith(f"{algorithm} on {path}: ")
    assert "20 rows of 3 columns, 2 classes" in again.out


def test_the_same_bytes_from_the_same_data(tmp_path: Path) -> None:
    path = made(tmp_path, SVM, "data.svm")
    for size in (20, 50, 10**6):
        fitted(path, "--stream", "--chunk-bytes", size, "--classes=-1,1", "--out", tmp_path / str(size))
    assert len({(tmp_path / str(size)).read_bytes() for size in (20, 50, 10**6)}) == 1


@pytest.mark.parametrize("algorithm", MAKERS)
def test_more_than_two_classes(tmp_path: Path, algorithm: str) -> None:
    path, out = made(tmp_path, POINTS), tmp_path / "model"
    fitted(path, "--algorithm", algorithm, "--out", out)
    model, data = load(out), read(path)
    wrapper = {"kozinec": Kessler, "anderson": OneVsOne}.get(algorithm)
    assert wrapper is None or type(model) is wrapper
    assert model.classes_.tolist() == ["a", "b", "c"]
    with quiet():
        expected = model_of(algorithm, 3).fit(*data)
    assert model.decision_function(data.X).tobytes() == expected.decision_function(data.X).tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# Parameters


@pytest.mark.parametrize(
    ("settings", "parameters"),
    [
        (["order=cyclic"], {"order": "cyclic"}),
        (["margin=1", "tie = positive"], {"margin": 1, "tie": "positive"}),
        (["bias=0", "learning_rate=0.5"], {"bias": 0, "learning_rate": 0.5}),
        (["average=none", "class_weight=balanced"], {"average": None, "class_weight": "balanced"}),
        (["warm_start=True"], {"warm_start": True}),
        (["order=worst", "order=first"], {"order": "first"}),
    ],
)
def test_set(tmp_path: Path, settings: list[str], parameters: dict[str, Any]) -> None:
    path, out = made(tmp_path, CSV), tmp_path / "model"
    given = [word for setting in settings for word in ("--set", setting)]
    fitted(path, "--algorithm", "perceptron", "--passes", 20, "--out", out, *given)
    data = read(path)
    with quiet():
        same(load(out), Perceptron(max_epochs=20, random_state=0, **parameters).fit(*data), data.X)


def test_seed(tmp_path: Path) -> None:
    """Another seed gives another order of the rows, and so other weights."""
    path, data = made(tmp_path, XOR), read(made(tmp_path, XOR))
    weights = set()
    for seed in range(4):
        fitted(path, "--algorithm", "averaged", "--seed", seed, "--out", tmp_path / "model")
        with quiet():
            expected = Perceptron(average="averaged", max_epochs=10, random_state=seed).fit(*data)
        same(load(tmp_path / "model"), expected, data.X)
        weights.add(expected.coef_.tobytes())
    assert len(weights) > 1


#: For each option: the arguments, the file, and the keyword arguments of `read`.
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
def test_options_of_reading(tmp_path: Path, option: str, stream: bool) -> None:
    arguments, text, reading = READING[option]
    path, out = made(tmp_path, text), tmp_path / "model"
    facts = fitted(path, *arguments, "--out", out, "--algorithm", "averaged", *["--stream"] * stream)
    data = read(path, **reading)
    expected = Perceptron(average="averaged", max_epochs=10, order="cyclic" if stream else "shuffled", random_state=0)
    with quiet():
        expected.fit(*data)
    model = load(out)
    same(model, expected, data.X)
    assert (facts["rows"], facts["skipped"], facts["columns"]) == (5, data.skipped, data.X.shape[1])
    assert data.encoding is not None
    assert model.encoding_ == data.encoding.to_dict()


def test_a_mean_for_what_is_missing(tmp_path: Path) -> None:
    """The mean is (40 + 61 + 33 + 47) / 4 = 45.25."""
    one, other = made(tmp_path, CSV.replace("50", "")), made(tmp_path, CSV.replace("50", "45.25"), "mean.csv")
    assert fitted(one, "--fill", "mean", "--algorithm", "perceptron", "--out", tmp_path / "1")["rows"] == 5
    fitted(other, "--algorithm", "perceptron", "--out", tmp_path / "2")
    assert load(tmp_path / "1").coef_.tobytes() == load(tmp_path / "2").coef_.tobytes()


@pytest.mark.parametrize("how", SCALES)
def test_scaled(tmp_path: Path, how: Any) -> None:
    path, out = made(tmp_path, CSV), tmp_path / "model"
    asked = ["--algorithm", "averaged", "--scale", how, "--columns", "age,smokes", "--out", out]
    fitted(path, *asked)
    data, model = read(path, columns=["age", "smokes"]), load(out)
    scaled = Scaling(how=how).fit(data.X, data.y).transform(data.X)
    with quiet():
        expected = Perceptron(average="averaged", max_epochs=10, random_state=0).fit(np.asarray(scaled), data.y)
    assert model.predict(data.X).tolist() == expected.predict(np.asarray(scaled)).tolist()
    assert model.steps[-1][1].coef_.tobytes() == expected.coef_.tobytes()


@pytest.mark.parametrize("how", SCALES)
def test_scaled_as_a_stream(tmp_path: Path, how: Any) -> None:
    """The model equals that of rows in memory to the last bit, whatever the size of chunks."""
    path, out = made(tmp_path, CSV), tmp_path / "model"
    data = read(path, columns=["age", "smokes"])
    with quiet():
        scaled = Scaling(how=how).fit(data.X, data.y).transform(data.X)
        expected = Perceptron(average="averaged", max_epochs=10, order="cyclic", random_state=0).fit(scaled, data.y)
    for size in (55, 10**6):
        fitted(path, "--stream", "--scale", how, "--columns", "age,smokes", "--chunk-bytes", size, "--out", out)
        model = load(out)
        same(model.steps[-1][1], expected, scaled)
        assert model.predict(data.X).tolist() == expected.predict(scaled).tolist()


def test_format_and_several_files(tmp_path: Path) -> None:
    one, two = made(tmp_path, SVM, "one.txt"), made(tmp_path, SVM, "two.txt")
    for arguments in ([one, two], [tmp_path / "*.txt"]):
        assert fitted(*arguments, "--format", "libsvm", "--stream")["rows"] == 40
        assert fitted(*arguments, "--format", "libsvm")["rows"] == 40
    made(tmp_path, "", "data.svm.gz").write_bytes(gzip.compress(SVM.encode()))
    assert fitted(tmp_path / "data.svm.gz")["rows"] == 20


def test_standard_input(tmp_path: Path) -> None:
    asked = ["fit", "-", "--format", "libsvm"]
    assert strict_json(run(*asked, "--stream", "--passes", 1, "--json", stdin=SVM).out)["rows"] == 20
    refused(run(*asked, "--stream", stdin=SVM), "-: it can be read only once")
    refused(run(*asked, "--stream", "--cache"), "--cache makes a file beside the data, and - is not a file")
    from_file, from_pipe = tmp_path / "1", tmp_path / "2"
    assert run("fit", made(tmp_path, CSV), "--out", from_file).code == 0
    assert run("fit", "-", "--out", from_pipe, stdin=CSV).code == 0
    assert from_pipe.read_bytes() == from_file.read_bytes()


# ---------------------------------------------------------------------------------------------------------------------
# Checkpoints


def test_quarantine_cache_and_checkpoint(tmp_path: Path) -> None:
    path = made(tmp_path, SVM + "x\n7 1:1\n1 1:1 2:-1\n-1 1:1 2:-1\n", "data.svm")
    kept, place, out = tmp_path / "bad.txt", tmp_path / "checkpoint", tmp_path / "model"
    asked = ["fit", path, "--stream", "--on-error", "quarantine", "--quarantine", kept, "--classes=-1,1"]
    asked += ["--chunk-bytes", 40, "--cache", "--checkpoint", place, "--resume", "--passes", 3]
    ended = run(*asked, "--every", 0, "--every-rows", 1, "--json")
    facts = strict_json(ended.out)
    assert (ended.code, facts["rows"], facts["skipped"], facts["passes"]) == (0, 22, 2, 3)
    assert ended.err == ""  # all passes are the normal end of averaging
    assert sorted(kept.read_text().splitlines()) == ["7 1:1", "x"]
    assert sorted(os.listdir(tmp_path)) == ["bad.txt", "checkpoint", "data.svm", "data.svm.rosenblatt"]
    assert run(*asked, "--out", out).code == 0
    assert not place.exists()  # what was learned is safe
    with quiet():
        expected = Perceptron(average="averaged", max_epochs=3, random_state=0)
        expected.fit_stream(path, classes=[-1, 1], on_error="skip")
    same(load(out), expected, read(path, on_error="skip").X[:20])


def test_the_checkpoint_stays_until_the_model_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, place = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint"
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--checkpoint", place, "--every-rows", 1]
    refused(run(*asked, "--out", tmp_path / "no" / "model"), "cannot be written")
    assert not place.exists()  # it is said before the work
    (tmp_path / "full").mkdir()
    refused(run(*asked, "--out", tmp_path / "full"), "full: it cannot be written: it is a folder")
    assert not place.exists()
    with monkeypatch.context() as broken:
        fill(broken, tmp_path / "full")
        assert run(*asked, "--out", tmp_path / "full" / "model").code == 2
    assert place.exists()
    assert run(*asked, "--resume", "--out", tmp_path / "model").code == 0
    assert not place.exists()
    expected = Perceptron(average="averaged", max_epochs=10, random_state=0).fit_stream(path)
    same(load(tmp_path / "model"), expected, read(path).X)


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_stopped_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """After Ctrl-C, running the command again gives the same bytes as a run that was not stopped."""
    path, place, out = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint", tmp_path / "model"
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--classes=-1,1", "--out", out]
    asked += ["--checkpoint", place, "--every-rows", 1, "--resume"]
    assert run(*asked).code == 0
    whole, passed, met = out.read_bytes(), Checkpoints.passed, []
    out.unlink()

    def interrupted(self: Checkpoints, *given: Any, **options: Any) -> None:
        passed(self, *given, **options)
        met.append(given)
        if len(met) == chunks:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "passed", interrupted)
        ended = run(*asked)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err.startswith(f"checkpoint: {place}; ")
    assert ended.err.endswith("--resume continues from there\nstopped.\n")
    assert (out.exists(), place.exists()) == (False, True)
    assert run(*asked).code == 0
    assert out.read_bytes() == whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_checkpoint_though_none_was_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    """A signal during a chunk takes effect after that chunk, which is part of the checkpoint."""
    path, place, out = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint", tmp_path / "model"
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--classes=-1,1", "--out", out]
    asked += ["--checkpoint", place, "--every", 1000, "--resume"]
    assert run(*asked).code == 0
    whole, learn, met = out.read_bytes(), Averaged.learn, []
    out.unlink()

    def interrupted(self: Averaged, *given: Any) -> tuple[int, int]:
        met.append(given)
        if len(met) == 3:
            signal.raise_signal(number)
        return learn(self, *given)

    before = signal.getsignal(number)
    with monkeypatch.context() as patch:
        patch.setattr(Averaged, "learn", interrupted)
        ended = run(*asked)
    assert (ended.code, ended.out, len(met)) == (code, "", 3)
    assert f"checkpoint: {place}; " in ended.err
    assert signal.getsignal(number) is before
    assert ended.err.endswith("--resume continues from there\nstopped.\n")
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "data.svm"]
    assert run(*asked).code == 0
    assert out.read_bytes() == whole


def test_standard_input_and_the_options_of_streams() -> None:
    """Messages name options that the command has."""
    refused(
        run("fit", "-", "--stream", "--cache", stdin=CSV), "--cache makes a file beside the data, and - is not a file"
    )
    refused(run("fit", "s3://x/y.csv", "--stream", "--cache"), "s3://x/y.csv is not a file of this machine")
    refused(run("fit", "-", "--stream", stdin=CSV), "read only once", "Save it to a file first, or give --passes 1.")


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path, place, out = made(tmp_path, SVM, "data.svm"), tmp_path / "checkpoint", tmp_path / "model"
    asked = ["fit", path, "--stream", "--chunk-bytes", 60, "--checkpoint", place, "--every-rows", 1, "--out", out]
    Perceptron(average="averaged", max_epochs=10, random_state=0).fit_stream(
        Stream(path, chunk_bytes=60), checkpoint=place, every_seconds=0.0
    )
    refused(run(*asked, "--resume", "--passes", 5), "other options", "max_epochs")
    refused(run(*asked, "--resume", "--algorithm", "pocket"), "other options", "algorithm")
    place.write_text("garbage")
    refused(run(*asked, "--resume"), "checkpoint: this is not a checkpoint")
    refused(run(*asked), "checkpoint: a file of this name exists, and it is not a checkpoint")
    assert place.read_text() == "garbage"
    assert not out.exists()
    assert run(*asked, "--force").code == 0  # without --resume it begins anew
    assert not place.exists()
    assert out.exists()


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--checkpoint", "c"], ["--checkpoint is for streams; give --stream too"]),
        (["--resume"], ["--resume is for streams"]),
        (["--cache"], ["--cache is for streams"]),
        (["--quarantine", "q"], ["--quarantine is for streams"]),
        (["--on-error", "quarantine"], ["quarantine", "stream"]),
        (["--classes", "1,2"], ["--classes is for streams"]),
        (["--stream", "--resume"], ["resume", "checkpoint"]),
        (["--stream", "--on-error", "quarantine"], ["quarantine"]),
        (["--on-error", "maybe"], ["--on-error", "'maybe'", "'skip'"]),
        (["--stream", "--chunk-bytes", 0], ["--chunk-bytes must be an integer of at least 1"]),
        (["--stream", "--every", "-1", "--checkpoint", "c"], ["every"]),
        (["--stream", "--every-rows", 0, "--checkpoint", "c"], ["every"]),
        (["--stream", "--classes", "1"], ["classes"]),
        (["--stream", "--classes", "+-1,2"], ["data.svm", "class"]),
        (
            ["--stream", "--algorithm", "kozinec", "--checkpoint", "c"],
            ["--checkpoint and --resume do not work"],
        ),
        (["--stream", "--algorithm", "kozinec", "--resume"], ["--resume"]),
        (["--stream", "--test", 0.2], ["--test is for data in memory"]),
        (["--stream", "--cv", 5], ["--cv is for data in memory"]),
        (["--stream", "--progressive", "--algorithm", "kozinec"], ["--progressive does not work with kozinec"]),
        (["--stream", "--progressive", "--algorithm", "pocket"], ["--progressive does not work with pocket"]),
        (["--progressive"], ["--progressive is for streams"]),
        (["--columns=--5"], ["--columns does not fit libsvm"]),
        (["--scale", "wrong"], ["--scale", "'wrong'", "'standardize'"]),
        (["--format", "xls"], ["--format must be one of"]),
        (["--hash-bits", 99], ["--hash-bits must be an integer from 1 to 31, not 99"]),
        (["--fill", "much"], ["--missing must be drop, mean, most-frequent, level or a number, not 'much'"]),
        (["--target", "y"], ["--target does not fit libsvm"]),
        (["--algorithm", "perceptron", "--seed", -1], ["--seed must be", "-1"]),
        (["--algorithm", "perceptron", "--set", "order=cyclc"], ["order", "'cyclc'", "id you mean 'cyclic'?"]),
        (["--algorithm", "perceptron", "--set", "ordr=cyclic"], ["--set ordr=cyclic", "Did you mean 'order'?"]),
        (["--algorithm", "perceptron", "--set", "C=1"], ["--set C=1", "perceptron has the parameters"]),
        (["--set", "order"], ["--set must be like", "'order'"]),
        (["--set", "=1"], ["--set must be like", "'=1'"]),
        (["--out", "no/such/folder"], ["folder: it cannot be written"]),
        (["--report", "no/such/folder.html"], ["folder.html: it cannot be written"]),
    ],
    ids=str,
)
def test_one_sentence_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("fit", made(tmp_path, SVM, "data.svm"), *arguments), *words)
    assert os.listdir(tmp_path) == ["data.svm"]


@pytest.mark.parametrize("stream", [False, True])
def test_bad_data_is_said_with_its_place(tmp_path: Path, stream: bool) -> None:
    more = ["--stream"] * stream
    refused(run("fit", made(tmp_path, SVM + "x\n", "data.svm"), *more), "data.svm, line 21")
    refused(run("fit", made(tmp_path, "1 1:1\n1 1:2\n", "data.svm"), *more), "data.svm", "two classes")
    refused(run("fit", made(tmp_path, "", "data.svm"), *more), "data.svm", "no rows")
    refused(run("fit", made(tmp_path, CSV + "9,u,true\n"), *more), "data.csv, line 7", "4 columns")
    refused(run("fit", made(tmp_path, CSV), "--columns", "agee", *more), "data.csv", "Did you mean 'age'?")


@pytest.mark.parametrize("stream", [False, True])
def test_weights_of_a_wrong_shape(tmp_path: Path, stream: bool) -> None:
    asked = ["--algorithm", "perceptron", "--set", "init=1", *["--stream"] * stream]
    refused(run("fit", made(tmp_path, POINTS), *asked), "init must have shape (3, 3)")


def test_all_rows_of_one_class(tmp_path: Path) -> None:
    refused(run("fit", made(tmp_path, "x,kind\n1,a\n2,a\n")), "data.csv: all 2 rows have the label 'a'; two classes")


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_that_fails_leaves_the_old_model(tmp_path: Path, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = made(tmp_path, SVM, "data.svm"), tmp_path / "model"
    more = ["--stream"] * stream
    assert run("fit", path, *more, "--out", out).code == 0
    old = out.read_bytes()
    refused(run("fit", made(tmp_path, SVM + "x\n", "data.svm"), *more, "--out", out), "line 21")
    assert out.read_bytes() == old

    path = made(tmp_path, SVM + "1 9:1\n", "data.svm")
    with monkeypatch.context() as broken:
        fill(broken)
        ended = run("fit", path, *more, "--out", out)
    assert ended.code == 2
    assert "mistake" in ended.out  # what was learned is said nevertheless
    assert "model: it cannot be written: No space left on device. There is no room" in ended.err
    assert out.read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["data.svm", "model"]
