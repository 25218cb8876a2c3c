"""Streams of examples as JSON lines, and models that learned from them offline."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.models import Models
from rosenblatt.service.running.settings import Settings

SMALL = Settings(snapshot_every=50, keep_snapshots=3)


def numbers(n: int, d: int = 3, seed: int = 0) -> list[dict[str, Any]]:
    """Examples of two classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ np.arange(1, d + 1) + rng.standard_normal(n) > 0, "yes", "no")
    return [{"x": x, "y": label} for x, label in zip(X.tolist(), y.tolist(), strict=True)]


def words(n: int, seed: int = 0) -> list[dict[str, Any]]:
    """Examples with names, of three classes; names and classes come one after the other."""
    rng = np.random.default_rng(seed)
    found = []
    for at in range(n):
        names = rng.integers(0, 5 + at // 10, size=3).tolist()
        label = ["a", "b", "c"][min(int(rng.integers(3)), at // 20)]
        found.append({"x": {f"w{name}": float(1 + name % 3) for name in names}, "y": label})
    return found


def lines(examples: list[dict[str, Any]]) -> bytes:
    """Examples as JSON lines."""
    return "\n".join(map(json.dumps, examples)).encode()


def offline(spec: Spec, examples: list[dict[str, Any]]) -> tuple[Any, list[bool]]:
    """The estimator after these examples, one `learn_one` each, and which predictions before were wrong."""
    model, wrong = spec.estimator(), []
    for one in examples:
        first: dict[str, Any] = {}
        if not hasattr(model, "classes_"):
            first = {"hash_bits": spec.hash_bits}
            if spec.classes is not None:
                first["classes"] = spec.classes
        begun = hasattr(model, "classes_") or spec.classes is not None
        if not hasattr(model, "classes_") and spec.classes is not None:
            empty: Any = {} if spec.columns is None else [0.0] * spec.columns
            model.learn_one(empty, spec.classes[0], sample_weight=0.0, **first)
            first = {}
        wrong.append((model.predict_one(one["x"]) if begun else None) != one["y"])
        model.learn_one(one["x"], one["y"], new_classes=spec.classes is None, **first)
    return model, wrong


def opened(folder: Path, settings: Settings = SMALL) -> Models:
    """The models of a folder."""
    return Models(folder, settings)
