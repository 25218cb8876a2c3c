"""One row at a time: each row is predicted, and then learned from, beside river."""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.data.compiled.jit import compiled_at_once


class Stream(NamedTuple):
    """Rows as arrays and as dicts, with labels."""

    arrays: list[Any]
    dicts: list[dict[str, float]]
    labels: list[str]


class Rows:
    """Rows of normal numbers, all with the same names; or with names in a random order for each row."""

    def __init__(self, columns: int, rows: int, *, any_order: bool = False) -> None:
        self.columns, self.rows, self.any_order = columns, rows, any_order
        self.name = f"{rows} rows of {columns} numbers{', names in any order' if any_order else ''}"

    def make(self) -> Stream:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((self.rows, self.columns))
        y = np.where(X @ rng.standard_normal(self.columns) > 0, "yes", "no")
        names = [f"x{j}" for j in range(self.columns)]
        dicts = [dict(zip(names, x, strict=True)) for x in X.tolist()]
        if self.any_order:
            dicts = [{names[j]: x[names[j]] for j in rng.permutation(self.columns)} for x in dicts]
        return Stream(list(X), dicts, y.tolist())


def pairs(predict: Callable[[Any], Any], learn: Callable[[Any, Any], Any], rows: Iterable[Any], y: list[Any]) -> float:
    """Microseconds for a prediction and a lesson."""
    start = time.perf_counter()
    for x, label in zip(rows, y, strict=True):
        predict(x)
        learn(x, label)
    return (time.perf_counter() - start) * 1e6 / len(y)


class Ours:
    """`predict_one` and `learn_one` of a perceptron."""

    def __init__(self, kind: str, average: Any = None) -> None:
        self.kind, self.average = kind, average
        self.name = f"rosenblatt, {'averaged, ' if average else ''}{kind}"

    def prepare(self, data: Stream) -> Callable[[], Any]:
        model = Perceptron(average=self.average)
        rows: list[Any] = data.arrays if self.kind == "arrays" else data.dicts
        model.learn_one(rows[0], data.labels[0], classes=["no", "yes"])
        with compiled_at_once():
            pairs(model.predict_one, model.learn_one, rows[:10], data.labels[:10])
        return lambda: pairs(model.predict_one, model.learn_one, rows, data.labels)


class River:
    """river's Perceptron, which takes dicts; an array is made a dict of its numbers, once for both calls."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.name = f"river, {kind}"

    def prepare(self, data: Stream) -> Callable[[], Any]:
        from river import linear_model

        model = linear_model.Perceptron()
        labels = [label == "yes" for label in data.labels]
        if self.kind == "dicts":
            return lambda: pairs(model.predict_one, model.learn_one, data.dicts, labels)
        return lambda: pairs(
            model.predict_one, model.learn_one, (dict(enumerate(x.tolist())) for x in data.arrays), labels
        )
