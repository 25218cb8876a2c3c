"""Checkpoints: broken off anywhere, a fit goes on to the same bits; what does not belong to it is refused."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, DataError, ParameterError, Perceptron, Pocket, Stream, read, save
from tests.classifiers.training.test_stream_passes import GROWING, RULES, learned
from tests.cli.test_main import run
from tests.data.streams.test_stream import FORMS, LINES, Sample, give, made, options_of, written
from tests.support.effort import by_day, covering, examples

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

TEXT = GROWING + "1 1:1 2:-0.5\n-1 1:1 2:-0.5\n1 3:0.1\n"  # two rows contradict each other: no pass is clean
SIZE = 30


class StoppedError(Exception):
    """The moment at which a fit is broken off."""


def stopper(after: int) -> Callable[[Any], None]:
    """Break off when so many chunks have been learned from."""
    seen = [0]

    def stop(_: Any) -> None:
        seen[0] += 1
        if seen[0] > after:
            raise StoppedError

    return stop


def broken_off(model: Any, source: Any, place: Path, after: int, **options: Any) -> bool:
    """Fit with checkpoints until so many chunks are done; was it broken off, and not at its end before?"""
    options = {"every_rows": 1} | options
    try:
        model.fit_stream(source, checkpoint=place, progress=stopper(after), **options)
    except StoppedError:
        return True
    return False


# ---------------------------------------------------------------------------------------------------------------------
# The same bits


@pytest.mark.parametrize(
    ("rule", "cached"),
    covering([rule for rule in RULES if "function" not in rule and "condition" not in rule], [False, True]),
)
def test_broken_off_after_every_chunk(tmp_path: Path, rule: str, cached: bool) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    expected = learned(RULES[rule](max_epochs=3).fit(*read(path)))

    def stream() -> Stream:
        return Stream(path, chunk_bytes=SIZE, cache=tmp_path / "cache" if cached else False)

    after = 1
    while broken_off(RULES[rule](max_epochs=3), stream(), place, after):
        again = stream()
        model = RULES[rule](max_epochs=3).fit_stream(again, checkpoint=place, resume=True)
        assert learned(model) == expected
        assert (again.n_rows_, again.n_columns_) == (TEXT.count("\n"), 1000)
        place.unlink()
        (tmp_path / "cache").unlink(missing_ok=True)
        after += 1
    assert after > 3


@pytest.mark.parametrize("rule", ["plain", "averaged", "voted", "pa2", "pocket", "batch, 1/t"])
def test_broken_off_again_and_again(tmp_path: Path, rule: str) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    expected = learned(RULES[rule](max_epochs=3).fit(*read(path)))
    times = 0
    while broken_off(RULES[rule](max_epochs=3), Stream(path, chunk_bytes=SIZE), place, 2, resume=True):
        times += 1
        assert times < 100
    model = RULES[rule](max_epochs=3).fit_stream(path, chunk_bytes=SIZE, checkpoint=place, resume=True)
    assert learned(model) == expected
    assert times > 3


@settings(max_examples=examples(0.25))
@given(
    st.sampled_from(list(FORMS)), st.sampled_from(["averaged", "voted", "pocket", "batch"]), st.integers(0, 999),
    st.sampled_from([2, 3]), st.integers(1, 12), st.integers(1, 20),
)  # fmt: skip
def test_every_format_goes_on(form: str, rule: str, seed: int, k: int, after: int, every: int) -> None:
    rng = np.random.default_rng(seed)
    sample = Sample(rng.integers(-9, 10, (30, 3)) / 10, rng.integers(1, k + 1, 30).tolist())
    with tempfile.TemporaryDirectory() as name:
        paths, place = written(Path(name), form, sample, 2), Path(name) / "checkpoint"
        reading = options_of(form) | {"classes": list(range(1, k + 1)), "chunk_bytes": 200}
        expected = learned(RULES[rule](max_epochs=3).fit_stream(paths, **reading))
        broken_off(RULES[rule](max_epochs=3), Stream(paths, **reading), place, after, every_rows=every)
        model = RULES[rule](max_epochs=3).fit_stream(paths, checkpoint=place, resume=True, **reading)
        assert learned(model) == expected


def test_words_and_what_is_missing(tmp_path: Path) -> None:
    text = "age,kind,label\n" + "40,u,no\n,v,yes\n61,,yes\n33,u,no\n47,v,no\n" * 4
    path, place = made(tmp_path, text, "data.csv"), tmp_path / "checkpoint"
    reading: dict[str, Any] = {"fill": 1.0, "chunk_bytes": 50}
    expected = Perceptron(average="averaged", max_epochs=4).fit_stream(path, **reading)
    for after in (1, 2, 5, 8):
        assert broken_off(Perceptron(average="averaged", max_epochs=4), Stream(path, **reading), place, after)
        model = Perceptron(average="averaged", max_epochs=4)
        model.fit_stream(path, checkpoint=place, resume=True, **reading)
        assert (learned(model), model.encoding_) == (learned(expected), expected.encoding_)


def test_resume_after_the_end_is_the_same_end(tmp_path: Path) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    for rule in ("plain", "pocket", "batch"):
        first, second = (
            learned(
                RULES[rule](max_epochs=3).fit_stream(
                    path, chunk_bytes=SIZE, checkpoint=place, every_seconds=0.0, resume=resume
                )
            )
            for resume in (False, True)
        )
        assert first == second


def test_without_a_checkpoint_resume_begins(tmp_path: Path) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    model = Perceptron(max_epochs=3).fit_stream(path, chunk_bytes=SIZE, checkpoint=place, resume=True)
    assert learned(model) == learned(Perceptron(order="cyclic", max_epochs=3).fit(*read(path)))
    assert not place.exists()  # none was due in 30 seconds


@pytest.mark.parametrize("after", [1, 2, 3, 5])
def test_rows_that_cannot_be_used_are_counted_and_kept_once(tmp_path: Path, after: int) -> None:
    path, place, kept = made(tmp_path, "\n".join(LINES * 2) + "\n"), tmp_path / "checkpoint", tmp_path / "bad.txt"

    def stream() -> Stream:
        return Stream(path, classes=[-1, 1], chunk_bytes=25, on_error="quarantine", quarantine=kept)

    expected = learned(Perceptron(max_epochs=3).fit_stream(stream()))
    lines = sorted(kept.read_text().splitlines())
    assert broken_off(Perceptron(max_epochs=3), stream(), place, after)
    again = stream()
    assert learned(Perceptron(max_epochs=3).fit_stream(again, checkpoint=place, resume=True)) == expected
    assert (again.n_rows_, again.n_skipped_) == (12, 10)
    assert sorted(kept.read_text().splitlines()) == lines


def test_standard_input_goes_on_or_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given again from its beginning, it can be compared, or learned from, but not both."""
    place = tmp_path / "checkpoint"
    reading: dict[str, Any] = {"format": "libsvm", "chunk_bytes": SIZE, "classes": [-1, 1]}
    expected = learned(Perceptron(order="cyclic", max_epochs=1).fit(*read(made(tmp_path, TEXT))))
    give(monkeypatch, TEXT)
    assert broken_off(Perceptron(max_epochs=1), Stream("-", **reading), place, 3)
    give(monkeypatch, TEXT)
    model = Perceptron(max_epochs=1)
    try:
        found: Any = learned(model.fit_stream("-", checkpoint=place, resume=True, **reading))
    except DataError as error:
        found = str(error)
    assert found == expected or (isinstance(found, str) and found.endswith("."))


# ---------------------------------------------------------------------------------------------------------------------
# Killed


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rosenblatt.cli", "fit", *map(str, arguments)]


@pytest.mark.parametrize("seed", range(by_day(1, 60)))
def test_killed_at_any_moment(tmp_path: Path, seed: int) -> None:
    """The saved model has the bytes of an undisturbed run, and the old model is whole until it is replaced."""
    rng, chance = np.random.default_rng(seed), random.Random(seed)  # noqa: S311
    algorithm = ["averaged", "pocket", "batch", "voted", "pa", "perceptron"][seed % 6]
    X = rng.integers(-9, 10, (4000, 4)) / 10
    sample = Sample(X, (1 + (X @ [1, -2, 0.5, 0] + rng.normal(0, 0.3, 4000) > 0)).tolist())
    (path,) = written(tmp_path, "svm", sample)
    asked = [path, "--stream", "--algorithm", algorithm, "--passes", 3, "--chunk-bytes", 1500]
    assert run("fit", *asked, "--out", tmp_path / "expected").code == 0
    place, out = tmp_path / "checkpoint", tmp_path / "model"
    save(Perceptron().fit([[0], [1]], [0, 1]), out)
    old, kills = out.read_bytes(), 0
    for _ in range(60):
        keeping = ["--checkpoint", place, "--resume", "--every-rows", chance.choice([1, 200, 500]), "--out", out]
        seen = place.stat().st_ino if place.exists() else None
        with subprocess.Popen(command(*asked, *keeping), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as fit:
            while fit.poll() is None and (place.stat().st_ino if place.exists() else None) == seen:
                time.sleep(0.002)
            if fit.poll() is None and kills < by_day(1, 12):
                time.sleep(chance.random() * 0.3)
                fit.send_signal(signal.SIGKILL)
            ended = fit.wait(300)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert out.read_bytes() == old or out.read_bytes() == (tmp_path / "expected").read_bytes()
        kills += 1
    assert ended == 0
    assert kills > 0
    assert out.read_bytes() == (tmp_path / "expected").read_bytes()
    assert not place.exists()


# ---------------------------------------------------------------------------------------------------------------------
# What does not belong to it


@pytest.fixture(params=["plain", "pocket", "batch"])
def left(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, Path, Path]:
    """A rule, its data, and a checkpoint in the second pass."""
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    assert broken_off(RULES[request.param](max_epochs=3), Stream(path, chunk_bytes=SIZE), place, 9)
    return request.param, path, place


def resumed(rule: str, path: Any, place: Path, **options: Any) -> Any:
    given = {"max_epochs": 3, "chunk_bytes": SIZE} | options
    reading = {name: given.pop(name) for name in ("chunk_bytes", "classes", "on_error", "zero_based") if name in given}
    return RULES[rule](**given).fit_stream(path, checkpoint=place, resume=True, **reading)


def test_touched_or_copied_data_is_the_same(left: tuple[str, Path, Path], tmp_path: Path) -> None:
    rule, path, place = left
    expected = learned(RULES[rule](max_epochs=3).fit(*read(path)))
    (tmp_path / "elsewhere").mkdir()
    copy = shutil.copy(path, tmp_path / "elsewhere" / "copy.svm")
    os.utime(path, ns=(1, 1))
    for there in (path, copy):
        assert learned(resumed(rule, there, place)) == expected


@pytest.mark.parametrize("at", [3, TEXT.index("15:4"), len(TEXT) - 2])
def test_one_byte_that_changed_is_found(left: tuple[str, Path, Path], at: int) -> None:
    rule, path, place = left
    path.write_text(TEXT[:at] + chr(ord(TEXT[at]) ^ 1) + TEXT[at + 1 :])
    read(path)  # it is still data
    old = place.read_bytes()
    with pytest.raises(DataError, match=r"checkpoint: this checkpoint is of other data; .* leave resume out"):
        resumed(rule, path, place)
    assert place.read_bytes() == old


@pytest.mark.parametrize("text", [TEXT + "1 1:1\n", TEXT[: TEXT.rindex("\n", 0, -1) + 1]])
def test_files_that_grew_or_shrank_are_refused(left: tuple[str, Path, Path], text: str) -> None:
    rule, path, place = left
    path.write_text(text)
    with pytest.raises(DataError, match="checkpoint: this checkpoint is of"):
        resumed(rule, path, place)


def test_what_was_not_learned_from_may_change(tmp_path: Path) -> None:
    """In the first pass, the rows to come can be others, as long as their bytes are as many."""
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    assert broken_off(Perceptron(max_epochs=3), Stream(path, chunk_bytes=SIZE), place, 2)
    path.write_text(TEXT[:-2] + "2\n")
    expected = learned(Perceptron(order="cyclic", max_epochs=3).fit(*read(path)))
    assert (
        learned(Perceptron(max_epochs=3).fit_stream(path, chunk_bytes=SIZE, checkpoint=place, resume=True)) == expected
    )


OPTIONS: list[dict[str, Any]] = [
    {"max_epochs": 4},
    {"bias": 0.5},
    {"class_weight": {1: 2.0}},
    {"init": np.full(1001, 1e-9)},
    {"chunk_bytes": SIZE + 1},
    {"classes": [-1, 1]},
    {"zero_based": False},
    {"on_error": "skip"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
def test_other_options_are_refused_by_name(left: tuple[str, Path, Path], options: dict[str, Any]) -> None:
    rule, path, place = left
    (name,) = options
    with pytest.raises(DataError, match="checkpoint: this checkpoint is of a fit with other options") as said:
        resumed(rule, path, place, **options)
    assert name in str(said.value)
    assert len(str(said.value)) < 700


def test_start_weights_that_differ_in_the_last_bit(tmp_path: Path) -> None:
    path, place = made(tmp_path, "1 1:1\n-1 1:2\n" * 20), tmp_path / "checkpoint"
    for kind in (Perceptron, Pocket, BatchPerceptron):
        assert broken_off(kind(init=np.array([0.1, 0.2])), Stream(path, chunk_bytes=SIZE), place, 2)
        with pytest.raises(DataError, match="init"):
            kind(init=np.array([0.1, np.nextafter(0.2, 1)])).fit_stream(
                path, chunk_bytes=SIZE, checkpoint=place, resume=True
            )


def test_another_algorithm_is_refused(left: tuple[str, Path, Path]) -> None:
    rule, path, place = left
    for other in ("plain", "pocket", "batch", "pa1", "averaged"):
        if other != rule:
            with pytest.raises(DataError, match=r"other options: (algorithm|average|parameters)"):
                resumed(other, path, place)


def test_no_checkpoint(left: tuple[str, Path, Path]) -> None:
    rule, path, place = left
    raw = place.read_bytes()
    garbage = [
        b"",
        b"x",
        b"\0" * 100,
        raw[:-1],
        raw[: len(raw) // 2],
        raw[:9],
        raw + b"x",
        b"{" * 999,
        path.read_bytes(),
    ]
    for content in garbage:
        place.write_bytes(content)
        with pytest.raises(DataError, match="checkpoint: ") as said:
            resumed(rule, path, place)
        assert str(said.value).endswith(".")
        assert place.read_bytes() == content
    place.unlink()
    save(Perceptron(order="cyclic", max_epochs=3).fit(*read(path)), place)
    with pytest.raises(DataError, match="checkpoint: this is not a checkpoint"):
        resumed(rule, path, place)
    place.unlink()
    place.mkdir()
    with pytest.raises(ParameterError, match="it cannot be written: it is a folder"):
        resumed(rule, path, place)


@settings(max_examples=examples(0.5))
@given(
    at=st.integers(0, 10**9), mask=st.integers(1, 255), rule=st.sampled_from(["plain", "averaged", "pocket", "batch"])
)
def test_a_damaged_checkpoint_is_refused(at: int, mask: int, rule: str) -> None:
    """As a damaged model is: it gives the same bits, or a sentence."""
    with tempfile.TemporaryDirectory() as name:
        path, place = made(Path(name), "1 1:1 2:0.1\n-1 1:2\n" * 9), Path(name) / "checkpoint"
        expected = learned(RULES[rule](max_epochs=3).fit(*read(path)))
        broken_off(RULES[rule](max_epochs=3), Stream(path, chunk_bytes=SIZE), place, 7)
        raw = bytearray(place.read_bytes())
        raw[at % len(raw)] ^= mask
        place.write_bytes(raw)
        try:
            found: Any = learned(resumed(rule, path, place))
        except DataError as error:
            found = str(error)
        assert found == expected or (isinstance(found, str) and found.endswith("."))


# ---------------------------------------------------------------------------------------------------------------------
# All of it or nothing


@pytest.mark.parametrize("rule", ["plain", "pocket", "batch"])
def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    expected = learned(RULES[rule](max_epochs=3).fit(*read(path)))
    assert broken_off(RULES[rule](max_epochs=3), Stream(path, chunk_bytes=SIZE), place, 4)
    old = place.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        model = RULES[rule](max_epochs=3)
        with pytest.raises(DataError, match="checkpoint: it cannot be written: No space left on device"):
            model.fit_stream(path, chunk_bytes=SIZE, checkpoint=place, every_rows=1, resume=True)
        assert not hasattr(model, "classes_")
    assert place.read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "data.svm"]
    assert learned(resumed(rule, path, place)) == expected


def test_a_checkpoint_holds_no_code_and_stays(tmp_path: Path) -> None:
    """Until what was learned is safe: `fit_stream` itself does not remove it."""
    path, place = made(tmp_path, TEXT), tmp_path / "checkpoint"
    Perceptron(max_epochs=3).fit_stream(path, chunk_bytes=SIZE, checkpoint=place, every_seconds=0.0)
    raw = place.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])  # safetensors: JSON, then arrays
    assert "w" in header
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "data.svm"]
