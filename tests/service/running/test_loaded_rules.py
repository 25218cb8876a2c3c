"""Compiled rules are loaded in the background, once for each kind of model, if they are in numba's cache."""

import threading
from typing import Any

import pytest

from rosenblatt.data.compiled import jit
from rosenblatt.service.learning.spec import ALGORITHMS, Spec
from rosenblatt.service.running import loaded_rules, served_model
from rosenblatt.service.running.loaded_rules import load_in_background, load_rules
from tests.service.streams import SMALL, lines, numbers, opened


@pytest.mark.parametrize("classes", [0, 2, 5])
@pytest.mark.parametrize("columns", [None, 4])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_kind_of_model_can_be_loaded(algorithm: str, columns: int | None, classes: int) -> None:
    load_rules(Spec(algorithm, {"tie": "positive"} if algorithm == "perceptron" else {}, columns), classes)
    assert jit._thread.part == 1.0


def test_one_thread_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(loaded_rules, "_wanted", set())
    monkeypatch.setattr(loaded_rules, "load_rules", lambda *given: begun.append((given, threading.get_ident())))
    spec = Spec("pa", columns=3)
    for given, n in ((spec, 2), (spec, 0), (Spec("pa", columns=9), 1), (spec, 3), (Spec("pa"), 2)):
        load_in_background(given, n)
    for thread in threading.enumerate():
        if thread.name == "loads rules":
            thread.join(10)
    assert sorted(n for (_, n), _ in begun) == [2, 2, 3]
    assert threading.get_ident() not in [own for _, own in begun]


def test_a_service_asks_for_it_when_a_model_is_made_and_opened(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(served_model, "load_in_background", lambda *given: asked.append(given))
    spec = Spec("perceptron", columns=3)
    models = opened(tmp_path, SMALL._replace(loads_rules=True))
    models.create("m", spec).learn(lines(numbers(5))).result(10)
    models.close()
    opened(tmp_path, SMALL._replace(loads_rules=True)).close()
    opened(tmp_path, SMALL).close()
    assert asked == [(spec, 0), (spec, 2)]
