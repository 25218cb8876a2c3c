"""Requests that wait at the same time are learned together, to the same bits as one after the other."""

import json
import sqlite3
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.models.save import to_bytes
from rosenblatt.service.learning.examples import Examples
from rosenblatt.service.learning.monitor import Monitor
from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.jobs import MAX_TOGETHER, Batch, Job, LearnJob, runs_of
from rosenblatt.service.running.served_model import ServedModel
from tests.service.running.test_replay import SPECS
from tests.service.streams import lines, numbers, offline, opened


class Held:
    """Holds the thread of a model, so that requests wait."""

    def __init__(self, model: ServedModel) -> None:
        self.free, is_held = threading.Event(), threading.Event()

        def hold() -> None:
            is_held.set()
            assert self.free.wait(10)

        model._ask(hold)
        assert is_held.wait(10)


@pytest.mark.parametrize("kind", SPECS)
def test_together_is_as_one_by_one(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, examples = SPECS[kind]
    calls = []
    together = ServedModel._learn_together
    monkeypatch.setattr(ServedModel, "_learn_together", lambda *args: calls.append(1) or together(*args))  # type: ignore[func-returns-value]
    models = opened(tmp_path)
    model = models.create("m", spec)
    texts = [lines(examples[start : start + 1 + start % 3]) for start in range(0, 60, 3)]
    sent = [one for start in range(0, 60, 3) for one in examples[start : start + 1 + start % 3]]
    held = Held(model)
    waiting = [model.learn(text, f"key {at}" if at % 2 else None) for at, text in enumerate(texts)]
    held.free.set()
    replies = [one.result(10) for one in waiting]
    assert calls
    expected, wrong = offline(spec, sent)
    assert [is_wrong for reply in replies for is_wrong in reply.mistakes] == wrong
    assert replies[-1].seen == len(sent)
    assert to_bytes(model.view.model.estimator) == to_bytes(expected)
    assert model.learn(texts[1], "key 1").result(10) == replies[1]
    path, facts = model.file.path, model.view.facts
    models.close()
    with sqlite3.connect(path) as db:
        assert [text for (text,) in db.execute("select examples from log order by seq")] == texts
    again = opened(tmp_path)
    assert to_bytes(again.get("m").view.model.estimator) == to_bytes(expected)
    assert again.get("m").view.facts == facts
    again.close()


def test_a_bad_batch_among_those_that_wait_is_refused_alone(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    examples = numbers(9)
    held = Held(model)
    waiting = [model.learn(lines(examples[at : at + 3])) for at in (0, 3)]
    bad = model.learn(lines([{"x": [1.0, 2.0, 3.0], "y": "perhaps"}]))
    last = model.learn(lines(examples[6:]))
    held.free.set()
    assert [one.result(10).seen for one in [*waiting, last]] == [3, 6, 9]
    with pytest.raises(ValueError, match="'perhaps' is not one of the known classes"):
        bad.result(10)
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(model.spec, examples)[0])
    models.close()


def test_two_requests_with_one_key_that_wait_together_learn_once(tmp_path: Path) -> None:
    models = opened(tmp_path)
    model = models.create("m", SPECS["numbers"][0])
    text = lines(numbers(2))
    held = Held(model)
    waiting = [model.learn(text, "key"), model.learn(text, "key")]
    held.free.set()
    first, second = (one.result(10) for one in waiting)
    assert first == second
    assert model.view.seen == 2
    models.close()


def test_weights_of_some_batches_only(tmp_path: Path) -> None:
    models = opened(tmp_path)
    spec = Spec("perceptron", columns=3, classes=["no", "yes"])
    one, other = models.create("one", spec), models.create("other", spec)
    examples = numbers(30)
    for at in range(0, 30, 7):
        examples[at]["weight"] = float(at % 2)  # 0: predicted only
    held = Held(one)
    waiting = [one.learn(json.dumps(example).encode()) for example in examples]
    held.free.set()
    together = [reply.result(10) for reply in waiting]
    alone = [other.learn(json.dumps(example).encode()).result(10) for example in examples]
    assert together == alone
    assert to_bytes(one.view.model.estimator) == to_bytes(other.view.model.estimator)
    models.close()


def job(n: int) -> LearnJob:
    return LearnJob(Batch(Examples([None] * n, [], None), None, b"", None), Future())


def test_runs() -> None:
    """Small batches share a run; everything else, and a batch of MAX_TOGETHER, is alone."""
    alone: Any = Job(lambda: None, Future())
    few, many = [job(1), job(2)], [job(MAX_TOGETHER), job(MAX_TOGETHER - 1), job(1), job(1)]
    jobs = [*few, alone, alone, *many]
    runs = list(runs_of(jobs))
    assert runs == [few, [alone], [alone], many[:1], many[1:3], many[3:]]
    assert [one for run in runs for one in run] == jobs
    assert list(runs_of([])) == []


def test_the_counts_do_not_depend_on_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the memory of equal rows, whose size is limited."""
    monkeypatch.setattr("rosenblatt.service.learning.monitor.REMEMBERED", 5)
    rows: list[Any] = [{"a": float(at % 9)} for at in range(60)]
    labels = ["x" if at < 40 else "y" for at in range(60)]
    found = []
    for size in (1, 4, 60):
        monitor = Monitor()
        for at in range(0, 60, size):
            monitor.add(rows[at : at + size], labels[at : at + size], ["x"] * len(labels[at : at + size]), 1.0)
        found.append(monitor.to_dict())
    assert found[0] == found[1] == found[2]
    assert not found[0]["contradicted"]  # equal rows are nine apart, and five are remembered


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """As on a read-only disk: SQLite's own error becomes a sentence; predictions go on; later writes succeed."""
    models = opened(tmp_path)
    spec, examples = SPECS["numbers"]
    model = models.create("m", spec)
    model.learn(lines(examples[:10])).result(10)
    model._ask(lambda: None).result(10)
    model.file._db.execute("pragma query_only = on")
    with pytest.raises(Exception, match=r"the file cannot be written\. Change its rights; predictions go on"):
        model.learn(lines(examples[10:20])).result(10)
    assert "cannot be written" in model.problem
    assert model.predict([examples[0]["x"]]).labels[0] in ("no", "yes")
    assert model.view.seen == 10
    model.file._db.execute("pragma query_only = off")
    model.learn(lines(examples[10:20])).result(10)
    assert to_bytes(model.view.model.estimator) == to_bytes(offline(spec, examples[:20])[0])
    models.close()
