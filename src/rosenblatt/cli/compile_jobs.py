"""Small jobs that use every compiled rule. To run them once compiles all rules; numba then keeps them on disk."""

import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

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


def jobs() -> list[Job]:
    """The jobs: files first, then estimators and proofs, for rows of each storage."""
    found = [Job("files", _read_files)]
    for storage, stored in STORAGES.items():
        X = stored(ROWS)
        for k in (2, 3):
            y = np.arange(len(ROWS)) % k
            found += [Job(f"{name}, {k} classes, {storage}", partial(_fit, MODELS[name], X, y)) for name in MODELS]
            found += [
                Job(f"verdict, {k} classes, {storage}", partial(separability, X, y)),
                Job(f"trace, {k} classes, {storage}", partial(trace, Perceptron(), X, y, max_steps=2)),
            ]
        y = np.arange(len(ROWS)) % 2
        found += [
            Job(f"{solver} hulls, {storage}", partial(_fit, Kozinec(solver=solver, C=1.0), X, y)) for solver in SOLVERS
        ]
        found.append(Job(f"Scaling, {storage}", partial(_scale, X)))
    found.append(Job("Gaussians", partial(_fit_gaussians, ROWS, np.arange(len(ROWS)) // 3)))
    return found


def run_quietly(job: Job) -> None:
    """Run a job; its data means nothing, so its warnings do not either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        job.run()


def _fit(model: Any, X: Any, y: Any) -> None:
    model.fit(X, y).decision_function(X)
    model.predict(X)


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
