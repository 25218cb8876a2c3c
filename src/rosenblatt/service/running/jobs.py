"""Requests that wait for the thread of a model, and which of them are learned together."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.service.learning.examples import Examples

MAX_TOGETHER = 1000  # examples that are learned in one call


class Job(NamedTuple):
    """A request that changes the model, and where its answer goes."""

    do: Callable[[], Any]
    answer: "Future[Any]"


class Batch(NamedTuple):
    """Examples to learn from.

    Attributes
    ----------
    examples : the examples
    rows : their rows, as the model takes them: an array, or a list of dicts
    text : the JSON text, which the log keeps
    key : the key of the request, or None
    """

    examples: Examples
    rows: Any
    text: bytes
    key: str | None


class LearnJob(NamedTuple):
    """A request to learn from a batch, and where its answer goes."""

    batch: Batch
    answer: "Future[Any]"


def runs_of(jobs: Sequence[Job | LearnJob]) -> Iterator[list[Any]]:
    """Divide requests: one alone, or batches that follow one another and are small enough to be learned together."""
    run: list[Any] = []
    size = 0
    for job in jobs:
        n = job.batch.examples.n if isinstance(job, LearnJob) else MAX_TOGETHER
        if run and size + n > MAX_TOGETHER:
            yield run
            run, size = [], 0
        run.append(job)
        size += n
    if run:
        yield run


def joined(parts: Sequence[tuple[Examples, Any]]) -> tuple[Examples, Any]:
    """Batches of examples as one, and their rows."""
    labels = [label for examples, _ in parts for label in examples.labels]
    weights = None
    if any(examples.weights is not None for examples, _ in parts):
        weights = [weight for examples, _ in parts for weight in examples.weights or [1.0] * examples.n]
    rows = [rows for _, rows in parts]
    every = np.concatenate(rows) if isinstance(rows[0], np.ndarray) else [row for own in rows for row in own]
    return Examples([row for examples, _ in parts for row in examples.rows], labels, weights), every
