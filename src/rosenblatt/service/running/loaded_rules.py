"""Loads the compiled rules of a model in the background, so that no request waits for it.

A rule runs as Python until it has worked for half a second; then it is loaded from numba's cache, or compiled. Loading
takes numba's import and some tenths of a second. A service loads what its models will need when it starts, by learning
from examples that nobody sees. What is not in the cache is left alone.
"""

import threading
from typing import Any

import numpy as np

from rosenblatt.data.compiled.jit import loaded_soon
from rosenblatt.service.learning.examples import Examples
from rosenblatt.service.learning.online_model import OnlineModel
from rosenblatt.service.learning.spec import Label, Spec

_wanted: set[tuple[str, bool, bool]] = set()


def load_in_background(spec: Spec, n_classes: int) -> None:
    """Begin to load the compiled rules of such a model, if that was not begun before.

    Parameters
    ----------
    spec : the description of the model
    n_classes : how many classes it knows
    """
    kind = spec.algorithm, spec.columns is None, n_classes > 2
    if kind not in _wanted:
        _wanted.add(kind)
        threading.Thread(target=load_rules, args=(spec, n_classes), name="loads rules", daemon=True).start()


def load_rules(spec: Spec, n_classes: int) -> None:
    """Use every rule of such a model once, loading those that are in numba's cache."""
    labels: list[Label] = [f"class {code}" for code in range(3 if n_classes > 2 else 2)]
    model = OnlineModel(Spec(spec.algorithm, columns=None if spec.columns is None else 2, classes=labels))
    rows: list[Any] = [{"a": 1.0 - i, "b": 0.5} if spec.columns is None else [1.0 - i, 0.5] for i in range(3)]
    examples = Examples(rows, [labels[0], labels[1], labels[-1]], None)
    with loaded_soon(part=0.0), np.errstate(all="ignore"):
        for _ in range(2):
            model.learn(examples, model.rows_of(rows))
            model.predict(rows)
            model.predict(rows[:1])
