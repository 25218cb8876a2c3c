"""Small jobs that use every compiled rule. To run them once compiles all rules; numba then keeps them on disk."""

import contextlib
import multiprocessing
import queue
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn import clone

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    NearestMean,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
    read,
    separability,
    trace,
)
from rosenblatt.base.events import report_progress
from rosenblatt.data import validation
from rosenblatt.data.compiled.jit import compiled_at_once
from rosenblatt.data.large.byte_copy import copied
from rosenblatt.data.large.cores import cores
from rosenblatt.datasets.generators import planted_margin

TEXTS = {
    "a.csv": "x,y,label\n1,2.5e-3,0\n3,4,1\n0.12345678901234567890123,9007199254740993.0,1\n",
    "a.svm": "0 1:1 3:2.5e-3\n1 3:4 1:1\n" + 100 * "0\n",
    "a.vw": "0 |a first second:2\n1 |a third:0.5 first\n",
    "a.jsonl": '{"x": 1, "label": 0}\n{"x": 2, "label": 1}\n',
}
ROWS = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.5], [3.0, 2.0], [0.5, 2.5], [2.5, 1.5]])
STORAGES: dict[str, Callable[[Any], Any]] = {
    "dense": np.asarray,
    "dense, float32": partial(np.asarray, dtype=np.float32),
    "sparse": scipy.sparse.csr_array,
}
COPIES = ("Perceptron", "averaged perceptron")  # they learn from a copy of one byte for each number
PREDICTS_FIRST = ("Perceptron", "averaged perceptron", "PassiveAggressive")
MODELS: dict[str, Any] = {
    "Perceptron": Perceptron(),
    "averaged perceptron": Perceptron(average="averaged"),
    "voted perceptron": Perceptron(average="voted"),
    "first mistake": Perceptron(order="first"),
    "PassiveAggressive": PassiveAggressive(),
    "Pocket": Pocket(),
    "BatchPerceptron": BatchPerceptron(),
    "KernelPerceptron": KernelPerceptron(),
    "NearestMean": NearestMean(),
}
SOLVERS: tuple[Any, ...] = ("auto", "kozinec", "mdm", "away", "wolfe")


class Job(NamedTuple):
    """A piece of work, and what it is called in messages."""

    name: str
    run: Callable[[], object]


def jobs() -> dict[str, list[Job]]:
    """The jobs, in parts that share little compiled code. The parts that take longest come first.

    Only one process compiles a rule at a time, so the jobs for sparse rows come in the opposite order.
    """
    y = np.arange(len(ROWS)) // 3
    return {
        "dense": _for_storage("dense"),
        "sparse": _for_storage("sparse")[::-1],
        "dense, float32": _for_storage("dense, float32"),
        "rest": [
            Job("files", _read_files),
            Job("Gaussians", partial(_fit_gaussians, ROWS, y)),
            *(Job(f"{name}, row by row", partial(_one_by_one, MODELS[name])) for name in PREDICTS_FIRST),
        ],
    }


def _one_by_one(model: Any) -> None:
    """Predict and learn rows that come alone, as arrays and as dicts."""
    for rows in (list(ROWS), [{"a": a, "b": b} for a, b in ROWS.tolist()]):
        learner = clone(model)
        for t, x in enumerate([*rows, *rows]):
            learner.learn_one(x, t % 2, [0, 1] if t == 0 else None)
            learner.predict_one(x)


def _for_storage(storage: str) -> list[Job]:
    """The estimators and proofs that take rows, for one kind of storage."""
    found, stored = [], STORAGES[storage]
    X = stored(ROWS)
    for k in (2, 3):
        y = np.arange(len(ROWS)) % k
        found += [Job(f"{name}, {k} classes, {storage}", partial(_fit, MODELS[name], X, y)) for name in MODELS]
        found += [
            Job(f"{name} that predicts first, {k} classes, {storage}", partial(_predict_first, MODELS[name], X, y))
            for name in PREDICTS_FIRST
        ]
        found += [
            Job(f"verdict, {k} classes, {storage}", partial(separability, X, y)),
            Job(f"trace, {k} classes, {storage}", partial(trace, Perceptron(), X, y, max_steps=2)),
        ]
    y = np.arange(len(ROWS)) % 2
    if storage != "sparse":
        found += [
            Job(f"{name} with a copy, {storage}", partial(_learn_from_copy, MODELS[name], X, y)) for name in COPIES
        ]
    found += [
        Job(f"{solver} hulls, {storage}", partial(_fit, Kozinec(solver=solver, C=1.0), X, y)) for solver in SOLVERS
    ]
    many = planted_margin(rows=100, columns=3, margin=0.05)
    found.append(Job(f"verdict on many rows, {storage}", partial(separability, stored(many.X), many.y)))
    found.append(Job(f"Scaling, {storage}", partial(_scale, X)))
    return found


def run_all() -> int:
    """Run all jobs, each part in a process, as many at a time as there are cores; return the number of jobs."""
    parts, context = jobs(), multiprocessing.get_context("spawn")
    count = sum(map(len, parts.values()))
    with context.Manager() as manager, ProcessPoolExecutor(cores(), context) as pool:
        names = manager.Queue()
        asked = [pool.submit(run_part, part, names) for part in parts]
        done = 0
        while done < count and not any(future.done() and future.exception() for future in asked):
            with contextlib.suppress(queue.Empty):
                name = names.get(timeout=0.2)
                done += 1
                report_progress("compiler", done, count, "{}", name)
        for future in asked:
            future.result()
    return count


def run_part(part: str, names: "queue.Queue[str]") -> None:
    """In a worker process: run the jobs of one part, and send the name of each that is done."""
    with compiled_at_once():
        for job in jobs()[part]:
            run_quietly(job)
            names.put(job.name)


def run_quietly(job: Job) -> None:
    """Run a job; its data means nothing, so its warnings do not either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        job.run()


def _fit(model: Any, X: Any, y: Any) -> None:
    model.fit(X, y).decision_function(X)
    model.predict(X)


def _predict_first(model: Any, X: Any, y: Any) -> None:
    """Do what progressive validation does with a chunk of a stream."""
    classes, n = np.unique(y), len(y)
    rows, targets = validation.rows(validation.points(X), 1.0), validation.targets(y, classes)
    model._start(classes, X.shape[1]).predict_and_learn(rows, targets, np.arange(n), np.ones(n), -1.0)


def _learn_from_copy(model: Any, X: Any, y: Any) -> None:
    """Learn from large rows in random order, as after the second pass."""
    rows: Any = validation.rows(validation.points(X), 1.0)
    targets = validation.targets(y, np.unique(y))
    model._start(np.unique(y), X.shape[1]).learn(copied(rows), targets, np.arange(len(y)), np.ones(len(y)))


def _scale(X: Any) -> None:
    for how in ("divide", "unit") if scipy.sparse.issparse(X) else ("standardize", "unit"):
        Scaling(how).fit(X).transform(X)


def _fit_gaussians(X: Any, y: Any) -> None:
    for solver in ("ascent", "bahadur", "gradient"):
        Anderson(solver=solver, ridge=0.1).fit(X, y)


def _read_files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TEXTS.items():
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8")
            read(path)
