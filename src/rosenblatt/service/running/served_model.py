"""One model of the service: a thread that learns and writes, and views that predictions read.

Requests that change the model wait in a queue. The thread takes all that wait, does them in order, and commits them
together, with one flush to disk; small batches that follow one another are learned in one call, to the same bits. It
publishes a new view, and only then it answers. If the commit fails, the model is read from the file again, and every
request of the group gets the error. Predictions read the view and wait for nothing.
"""

import contextlib
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import loaded_soon
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.service.learning.examples import Examples, read_examples
from rosenblatt.service.learning.monitor import Monitor
from rosenblatt.service.learning.online_model import OnlineModel, Predicted
from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.jobs import MAX_TOGETHER, Batch, Job, LearnJob, joined, runs_of
from rosenblatt.service.running.loaded_rules import load_in_background
from rosenblatt.service.running.settings import Settings
from rosenblatt.service.storage.model_file import ModelFile, StorageError

MAX_WEIGHTS = 20  # that are listed for a class
MAX_GROUP = 64  # requests of one commit
LONG_REPLAY = 3000  # examples; from these on it is quicker to load compiled rules first
STOP = None


class BusyError(RosenblattError):
    """Too many requests wait; try again later."""


class GoneError(RosenblattError):
    """The model was deleted, or the service ends."""


class UnknownRowError(RosenblattError):
    """No row waits for a label under this id."""


class View(NamedTuple):
    """What predictions and statistics read. It does not change.

    Attributes
    ----------
    model : the model after some examples
    seen : the number of these examples
    facts : the statistics
    last : the latest wrong predictions
    """

    model: OnlineModel
    seen: int
    facts: dict[str, Any]
    last: list[Any]


class Learned(NamedTuple):
    """What was learned from a batch.

    Attributes
    ----------
    predictions : the prediction for each row, made before its label was used
    mistakes : was it wrong?
    seen : the examples of the model after the batch
    """

    predictions: list[Any]
    mistakes: list[bool]
    seen: int

    def to_json(self) -> bytes:
        """For the log."""
        return json.dumps(self).encode()

    @classmethod
    def from_json(cls, text: bytes) -> "Learned":
        """From the log."""
        return cls(*json.loads(text))


class ServedModel:
    """A model with its file and its thread.

    Parameters
    ----------
    file : the file, which holds the facts of the model
    settings : the settings of the service
    """

    def __init__(self, file: ModelFile, settings: Settings) -> None:
        self.file, self.settings = file, settings
        facts = file.facts()
        self.name, self.created, self.spec = facts["name"], float(facts["created"]), Spec.from_json(facts["spec"])
        self._queue: queue.Queue[Job | LearnJob | None] = queue.Queue(settings.max_queue)
        self._is_open, self._door = True, threading.Lock()
        self.problem = ""  # why nothing could be written the last time
        self._replay()
        self._publish()
        if settings.loads_rules:
            known = self._model.estimator.classes_ if self._model.has_begun else self.spec.classes or []
            load_in_background(self.spec, len(known))
        self._thread = threading.Thread(target=self._work, name=f"model {self.name}", daemon=True)
        self._thread.start()

    # -----------------------------------------------------------------------------------------------------------------
    # Requests

    def predict(self, rows: Sequence[Any]) -> Predicted:
        """Predict rows with the latest view."""
        return self.view.model.predict(rows)

    def learn(self, text: bytes, key: str | None = None) -> "Future[Learned]":
        """Learn from a batch, given as JSON text.

        A batch with a key that is known is not learned again; the answer is that of the first time.
        """
        examples = read_examples(text, labelled=True)
        rows = self.view.model.rows_of(examples.rows)
        return self._wait(LearnJob(Batch(examples, rows, text, key), Future()))

    def wait_for_labels(self, rows: Sequence[Any], labels: Sequence[Any]) -> "Future[list[str]]":
        """Keep predicted rows until their labels come; the answer is an id for each."""
        return self._ask(lambda: self._keep_waiting(rows, labels))

    def label(self, given: str, label: Any, key: str | None = None) -> "Future[Learned]":
        """Learn from a row that waits for its label."""
        return self._ask(lambda: self._learn_waiting(given, label, key))

    def snapshot(self, why: str = "asked for") -> "Future[int]":
        """Take a snapshot; the answer is its version."""
        return self._ask(lambda: self._snapshot(why))

    def snapshots(self) -> "Future[list[dict[str, Any]]]":
        """All snapshots, the latest first."""
        return self._ask(self.file.snapshots)

    def roll_back(self, version: int) -> "Future[int]":
        """Return to the model of a snapshot; the answer is the version of a new snapshot. The log stays as it is."""
        return self._ask(lambda: self._roll_back(version))

    def largest_weights(self, most: int = MAX_WEIGHTS) -> dict[str, Any]:
        """The largest weights by size: for each class, or one line for two classes."""
        model = self.view.model
        if not model.has_begun:
            return {"classes": [], "weights": []}
        known, names = model.estimator, getattr(model.estimator, "feature_names_in_", None)
        lines = []
        for own, constant in zip(known.coef_, known.intercept_, strict=True):
            largest = np.argsort(-np.abs(own), kind="stable")[:most]
            lines.append(
                {
                    "constant": float(constant),
                    "columns": [str(names[j]) if names is not None else int(j) for j in largest.tolist()],
                    "weights": own[largest].tolist(),
                }
            )
        return {"classes": known.classes_.tolist(), "weights": lines}

    def close(self) -> None:
        """Do what waits, take a snapshot, and close the file."""
        with self._door:
            was_open, self._is_open = self._is_open, False
        if was_open:
            self._queue.put(STOP)
        self._thread.join()

    def _ask(self, do: Callable[[], Any]) -> "Future[Any]":
        return self._wait(Job(do, Future()))

    def _wait(self, job: Job | LearnJob) -> "Future[Any]":
        with self._door:
            if not self._is_open:
                raise GoneError("The model was deleted, or the service ends.")
            try:
                self._queue.put_nowait(job)
            except queue.Full:
                many = self.settings.max_queue
                raise BusyError(f"{many} requests wait for this model; try again in a second.") from None
        return job.answer

    # -----------------------------------------------------------------------------------------------------------------
    # In the thread

    def _work(self) -> None:
        is_over = False
        while not is_over:
            jobs = [self._queue.get()]
            while len(jobs) < MAX_GROUP and jobs[-1] is not STOP:
                try:
                    jobs.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            is_over = jobs[-1] is STOP
            self._do([job for job in jobs if job is not None])
            due = 1 if is_over else self.settings.snapshot_every
            if self._seen - self._snapshot_at >= due and self._model.can_be_saved:
                self._do([Job(partial(self._snapshot, "at the end" if is_over else "by itself"), Future())])
        self.file.close()

    def _do(self, jobs: Sequence[Job | LearnJob]) -> None:
        """Do some requests, commit them together, and answer."""
        answers: list[tuple[Job | LearnJob, Any, Exception | None]] = []
        try:
            with self.file.transaction():
                for run in runs_of(jobs):
                    together = self._learn_together([job.batch for job in run]) if len(run) > 1 else None
                    if together is not None:
                        answers += [(job, learned, None) for job, learned in zip(run, together, strict=True)]
                    else:
                        answers += [(job, *self._tried(job)) for job in run]
        except Exception as error:  # of the file: nothing of this group was written
            self.problem = str(error)
            answers = [(job, None, error) for job in jobs]
            with contextlib.suppress(StorageError):  # else the last view goes on
                self._replay()
        else:
            self.problem = ""
            self._publish()
        for job, value, failed in answers:
            if failed is not None:
                job.answer.set_exception(failed)
            else:
                job.answer.set_result(value)

    def _tried(self, job: Job | LearnJob) -> tuple[Any, Exception | None]:
        """Do a request. Its own error is its answer; errors of the file go on, because they end the group."""
        try:
            return (self._learn(job.batch) if isinstance(job, LearnJob) else job.do()), None
        except StorageError:
            raise
        except Exception as error:
            return None, error

    def _publish(self) -> None:
        updates = self._model.estimator.n_updates_ if self._model.has_begun else 0
        self.view = View(self._model.view(), self._seen, self._monitor.facts(updates), list(self._monitor.last))

    def _replay(self) -> None:
        """Read the latest snapshot, and learn from the examples after it."""
        found = self.file.snapshot()
        if found is None:
            self._model, self._monitor, self._seen = OnlineModel(self.spec), Monitor(), 0
        else:
            self._model = OnlineModel.from_bytes(self.spec, found.model)
            self._monitor, self._seen = Monitor.from_dict(found.monitor), found.seq
        self._snapshot_at = self._seen
        is_long = self.file.bounds()[1] - self._seen > LONG_REPLAY
        with loaded_soon(part=0.0) if is_long else contextlib.nullcontext():
            self._learn_again()

    def _learn_again(self) -> None:
        """Learn from the examples of the log after those that the model has seen, many at a time."""
        waiting, seen = list[tuple[Examples, Any]](), self._seen
        for batch in self.file.batches(self._seen):
            if batch.seq != seen + 1:
                raise StorageError(f"{self.file.path.name}: it is damaged: example {seen + 1:,} is missing.")
            examples = read_examples(batch.text, labelled=True)
            waiting.append((examples, self._model.rows_of(examples.rows)))
            seen += examples.n
            if seen - self._seen >= MAX_TOGETHER:
                self._apply(*joined(waiting))
                waiting.clear()
        if waiting:
            self._apply(*joined(waiting))

    def _apply(self, examples: Examples, rows: Any) -> Learned:
        """Learn from a batch, in memory."""
        return self._count(examples, rows, self._model.learn(examples, rows))

    def _count(self, examples: Examples, rows: Any, predictions: list[Any]) -> Learned:
        """Count a batch that was learned."""
        wrong = self._monitor.add(rows, examples.labels, predictions, self._model.estimator.bias)
        self._seen += examples.n
        return Learned(predictions, wrong, self._seen)

    def _learn(self, batch: Batch) -> Learned:
        known = None if batch.key is None else self.file.reply_to(batch.key)
        if known is not None:
            return Learned.from_json(known)
        learned = self._apply(batch.examples, batch.rows)
        self._write(batch, learned)
        return learned

    def _learn_together(self, batches: Sequence[Batch]) -> list[Learned] | None:
        """Learn from batches in one call; None if they must be learned one by one, and nothing was learned."""
        keys = [batch.key for batch in batches if batch.key is not None]
        if len(set(keys)) < len(keys) or any(self.file.reply_to(key) is not None for key in keys):
            return None
        start = self._seen
        examples, rows = joined([(batch.examples, batch.rows) for batch in batches])
        try:
            predictions = self._model.learn(examples, rows)
        except Exception:  # of one of them, which one by one will show; nothing was learned
            return None
        whole = self._count(examples, rows, predictions)
        found, at = [], 0
        for batch in batches:
            own = slice(at, at := at + batch.examples.n)
            found.append(Learned(whole.predictions[own], whole.mistakes[own], start + at))
            self._write(batch, found[-1])
        return found

    def _write(self, batch: Batch, learned: Learned) -> None:
        """Write a batch to the log."""
        n, reply = batch.examples.n, None if batch.key is None else learned.to_json()
        self.file.append(learned.seen - n + 1, n, batch.text, batch.key, reply)

    def _keep_waiting(self, rows: Sequence[Any], labels: Sequence[Any]) -> list[str]:
        now = time.time()
        self.file.expire_waiting(now - self.settings.label_seconds)
        if self.file.waiting_count() + len(rows) > self.settings.max_waiting:
            raise BusyError(f"{self.settings.max_waiting:,} rows wait for their labels; send labels first.")
        ids = [secrets.token_urlsafe(12) for _ in rows]
        texts = [json.dumps(row) for row in rows]
        self.file.add_waiting(list(zip(ids, texts, map(json.dumps, labels), strict=True)))
        return ids

    def _learn_waiting(self, given: str, label: Any, key: str | None) -> Learned:
        key = key or f"label {given}"
        known = self.file.reply_to(key)
        if known is not None:
            return Learned.from_json(known)
        self.file.expire_waiting(time.time() - self.settings.label_seconds)
        row = self.file.waiting(given)
        if row is None:
            raise UnknownRowError("No row waits for a label under this id: it is unknown, or it has expired.")
        text = f'{{"x": {row}, "y": {json.dumps(label)}}}'.encode()
        examples = read_examples(text, labelled=True)
        learned = self._learn(Batch(examples, self._model.rows_of(examples.rows), text, key))
        self.file.remove_waiting(given)
        return learned

    def _snapshot(self, why: str) -> int:
        model = self._model.to_bytes()
        version = self.file.add_snapshot(self._seen, model, self._monitor.to_dict(), why)
        self.file.compact(self.settings.keep_snapshots, self.settings.keep_examples)
        self._snapshot_at = self._seen
        return version

    def _roll_back(self, version: int) -> int:
        found = self.file.snapshot(version)
        if found is None:
            raise DataError(f"There is no snapshot of version {version}.")
        self._model = OnlineModel.from_bytes(self.spec, found.model)
        return self._snapshot(f"back to {version}")
