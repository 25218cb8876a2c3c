"""What a model has learned is the same after any end of the process: as an offline replay, to the last bit."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.models.save import to_bytes
from rosenblatt.service.learning.examples import read_examples
from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.models import Models
from rosenblatt.service.running.settings import Settings
from rosenblatt.service.storage.model_file import StorageError
from tests.service.streams import SMALL, lines, numbers, offline, opened, words

SPECS = {
    "numbers": (Spec("averaged", columns=3, classes=["no", "yes"]), numbers(230)),
    "new classes": (Spec("perceptron"), words(230)),
    "hashed": (Spec("pa", hash_bits=4), words(230)),
    "pocket": (Spec("pocket", columns=3, classes=["no", "yes"]), numbers(230)),
    "tie": (Spec("averaged", {"tie": "positive", "margin": 0.5}, columns=3), numbers(230)),
}


def learned_by(model: Any, examples: list[dict[str, Any]], size: int) -> list[bool]:
    wrong: list[bool] = []
    for start in range(0, len(examples), size):
        wrong += model.learn(lines(examples[start : start + size])).result(10).mistakes
    return wrong


@pytest.mark.parametrize("size", [1, 7, 230])
@pytest.mark.parametrize("kind", SPECS)
def test_a_model_is_an_offline_replay_of_its_log(kind: str, size: int, tmp_path: Path) -> None:
    spec, examples = SPECS[kind]
    expected, wrong = offline(spec, examples)
    models = opened(tmp_path)
    model = models.create("m", spec)
    assert learned_by(model, examples, size) == wrong
    assert to_bytes(model.view.model.estimator) == to_bytes(expected)
    assert (model.view.facts["seen"], model.view.facts["mistakes"]) == (230, sum(wrong))
    facts, last = model.view.facts, model.view.last
    models.close()
    again = opened(tmp_path)
    assert to_bytes(again.get("m").view.model.estimator) == to_bytes(expected)
    assert (again.get("m").view.facts, again.get("m").view.last) == (facts, last)
    again.close()


@pytest.mark.parametrize("kind", SPECS)
def test_a_copy_taken_at_any_moment_opens_with_what_was_acknowledged(kind: str, tmp_path: Path) -> None:
    """A copy of the files without their end is what a killed process leaves."""
    spec, examples = SPECS[kind]
    models = opened(tmp_path / "live")
    model = models.create("m", spec)
    for start in range(0, 230, 23):
        model.learn(lines(examples[start : start + 23])).result(10)
        shutil.copytree(tmp_path / "live", tmp_path / f"dead{start}")
        copy = opened(tmp_path / f"dead{start}")
        expected, wrong = offline(spec, examples[: start + 23])
        assert to_bytes(copy.get("m").view.model.estimator) == to_bytes(expected)
        assert copy.get("m").view.facts["mistakes"] == sum(wrong)
        copy.close()
    models.close()


def test_the_log_has_the_text_that_was_sent(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    sent = [lines(numbers(3, seed=seed)) for seed in range(4)]
    for text in sent:
        model.learn(text).result(10)
    path = model.file.path
    models.close()
    with sqlite3.connect(path) as db:
        found = db.execute("select seq, n, examples from log order by seq").fetchall()
    assert found == [(1 + 3 * at, 3, text) for at, text in enumerate(sent)]
    assert [read_examples(text, labelled=True).n for _, _, text in found] == [3] * 4


def test_a_retry_with_the_same_key_learns_once(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    text = lines(numbers(5))
    first = model.learn(text, "key").result(10)
    assert model.learn(text, "key").result(10) == first
    assert model.view.seen == 5
    models.close()
    again = opened(tmp_path)
    assert again.get("m").learn(text, "key").result(10) == first
    assert again.get("m").view.seen == 5
    again.close()


def test_a_batch_is_learned_whole_or_not_at_all(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    model.learn(lines(numbers(10))).result(10)
    before = to_bytes(model.view.model.estimator)
    bad = [*numbers(3), {"x": [1.0, 2.0, 3.0], "y": "perhaps"}]
    with pytest.raises(ValueError, match="'perhaps' is not one of the known classes"):
        model.learn(lines(bad)).result(10)
    with pytest.raises(ValueError, match="example 2: x must be a list of 3 numbers"):
        model.learn(lines([*numbers(1), {"x": [1.0], "y": "no"}]))
    assert to_bytes(model.view.model.estimator) == before
    assert model.view.seen == 10
    models.close()


def test_old_snapshots_and_old_examples_are_removed(tmp_path: Path) -> None:
    models = opened(tmp_path, Settings(snapshot_every=20, keep_snapshots=2, keep_examples=30))
    model = models.create("m", SPECS["numbers"][0])
    examples = numbers(200)
    learned_by(model, examples, 10)
    versions = model.snapshots().result(10)
    assert len(versions) == 2
    first, last = model.file.bounds()
    assert last == 200
    assert 150 <= first <= 171
    models.close()
    again = opened(tmp_path)
    assert to_bytes(again.get("m").view.model.estimator) == to_bytes(offline(SPECS["numbers"][0], examples)[0])
    again.close()


def test_a_rollback_returns_to_a_snapshot_and_keeps_the_log(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    examples = numbers(60)
    learned_by(model, examples[:30], 10)
    version = model.snapshot().result(10)
    learned_by(model, examples[30:], 10)
    model.roll_back(version).result(10)
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(SPECS["numbers"][0], examples[:30])[0])
    assert model.file.bounds() == (1, 60)
    with pytest.raises(ValueError, match="no snapshot of version 999"):
        model.roll_back(999).result(10)
    models.close()
    again = opened(tmp_path)
    assert to_bytes(again.get("m").view.model.estimator) == to_bytes(offline(SPECS["numbers"][0], examples[:30])[0])
    again.close()


def test_labels_may_come_later_once(tmp_path: Path) -> None:
    models = opened(tmp_path, SMALL._replace(max_waiting=3))
    spec, examples = SPECS["numbers"]
    model = models.create("m", spec)
    rows = [one["x"] for one in examples[:3]]
    ids = model.wait_for_labels(rows, model.predict(rows).labels).result(10)
    with pytest.raises(Exception, match="3 rows wait"):
        model.wait_for_labels(rows[:1], ["no"]).result(10)
    order = [2, 0, 1]
    for at in order:
        first = model.label(ids[at], examples[at]["y"]).result(10)
        assert model.label(ids[at], examples[at]["y"]).result(10) == first
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(spec, [examples[at] for at in order])[0])
    with pytest.raises(Exception, match="No row waits"):
        model.label("unknown", "no").result(10)
    models.close()


def test_rows_that_wait_too_long_expire(tmp_path: Path) -> None:
    models = opened(tmp_path, SMALL._replace(label_seconds=0.0))
    model = models.create("m", SPECS["numbers"][0])
    (given,) = model.wait_for_labels([[1.0, 2.0, 3.0]], ["no"]).result(10)
    with pytest.raises(Exception, match="it is unknown, or it has expired"):
        model.label(given, "no").result(10)
    models.close()


def test_a_commit_that_fails_is_told_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = opened(tmp_path)
    spec, examples = SPECS["numbers"]
    model = models.create("m", spec)
    learned_by(model, examples[:30], 10)

    def fail(*_: Any) -> None:
        raise StorageError("model.sqlite: it cannot be written: the disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(model.file, "append", fail)
        with pytest.raises(StorageError, match="the disk is full"):
            model.learn(lines(examples[30:40])).result(10)
        assert "the disk is full" in model.problem
        assert model.predict([examples[0]["x"]]).labels[0] in ("no", "yes")
    learned_by(model, examples[30:], 10)
    assert model.problem == ""
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(spec, examples)[0])
    models.close()


def test_a_damaged_file_breaks_one_model_only(tmp_path: Path) -> None:
    models = opened(tmp_path)
    for name in ("good", "bad"):
        models.create(name, SPECS["numbers"][0]).learn(lines(numbers(10))).result(10)
    path = models.get("bad").file.path
    models.close()
    path.write_bytes(b"not a database" * 100)
    again = opened(tmp_path)
    assert [model.name for model in again] == ["good"]
    assert "the file is damaged" in again.broken[path.parent.name]
    again.close()


def test_two_services_do_not_share_a_folder(tmp_path: Path) -> None:
    models = opened(tmp_path)
    with pytest.raises(Exception, match="another service uses this folder"):
        Models(tmp_path)
    models.close()
    opened(tmp_path).close()
