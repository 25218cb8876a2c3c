"""When rules run as Python and when they are compiled; the switch changes no bit."""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import Kozinec, PassiveAggressive, Perceptron, Pocket, separability
from rosenblatt.base.events import ProgressEvent, listening
from rosenblatt.data.compiled import jit
from rosenblatt.data.compiled.jit import Rule
from rosenblatt.data.compiled.rows import Dense
from rosenblatt.rules import multiclass

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(40, 11))
Y = {2: (X[:, 0] + 0.5 * RANDOM.normal(size=40) > 0).astype(int), 3: np.arange(40) % 3}


def total(numbers, times):  # type: ignore[no-untyped-def]
    found = 0.0
    for number in numbers:
        found += times * number
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that rules see; it stands still unless a test moves it."""
    now = [0.0]
    monkeypatch.setattr("rosenblatt.data.compiled.jit.time.perf_counter", lambda: now[0])
    monkeypatch.setattr(jit, "PATIENCE", 0.5)
    return now


def is_compiled(rule: Rule[Any, Any]) -> bool:
    return rule._compiled is not None


def test_small_work_needs_no_compiler(clock: list[float]) -> None:
    rule: Rule[Any, Any] = Rule(total)
    for _ in range(100):
        assert rule(np.ones(3), 2.0) == 6.0
    assert not is_compiled(rule)
    clock[0] += 1000.0  # time that passes elsewhere does not count
    assert rule(np.ones(3), 2.0) == 6.0
    assert not is_compiled(rule)


def test_a_large_call_is_compiled_at_once(clock: list[float]) -> None:
    rule: Rule[Any, Any] = Rule(total)
    assert rule(np.ones(1_000_000), 1.0) == 1e6
    assert is_compiled(rule)
    assert clock[0] == 0.0


def test_the_work_that_a_rule_states_counts(clock: list[float]) -> None:
    """Scores of many classes are much work, though all arguments are small."""
    assert clock[0] == 0.0
    rule: Rule[Any, Any] = Rule(total, work=lambda numbers, _: len(numbers) ** 6)
    assert rule(np.ones(3), 2.0) == 6.0
    assert not is_compiled(rule)
    assert rule(np.ones(30), 2.0) == 60.0
    assert is_compiled(rule)


def test_each_class_multiplies_the_work_of_a_row() -> None:
    machine = multiclass.Machine(np.zeros((2000, 8)), np.zeros(1))
    assert multiclass.perceptron._work(Dense(np.zeros((50, 7)), 1.0), np.zeros(50), machine) == 50 * 7 * 2000


def test_a_rule_that_has_spent_its_patience_is_compiled(clock: list[float]) -> None:
    def slow(numbers):  # type: ignore[no-untyped-def]
        clock[0] += 0.2
        return numbers[0]

    rule: Rule[Any, Any] = Rule(slow)
    rule(np.ones(1))
    rule(np.ones(1))
    assert rule._spent == pytest.approx(0.4)
    with pytest.raises(Exception, match="clock"):  # numba cannot compile it, which shows that it was asked to
        rule(np.ones(1))


def test_a_rule_that_only_has_to_be_loaded_is_loaded_sooner(clock: list[float], tmp_path: Path) -> None:
    """At 2e-6 s a number, 100,000 numbers take 0.2 s: too little to compile a rule for, and enough to load one."""
    source = tmp_path / "some_rules.py"
    source.write_text("def count(numbers):\n    return len(numbers)\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("some_rules", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    new, known = Rule(module.count), Rule(module.count)
    assert not new._is_cached
    assert new(np.ones(100_000)) == 100_000
    assert not is_compiled(new)
    with jit.compiled_at_once():
        assert Rule(module.count)(np.ones(3)) == 3
    assert known._is_cached
    assert known(np.ones(100_000)) == 100_000
    assert not is_compiled(known)
    with jit.loaded_soon():
        assert known(np.ones(1000)) == 1000
        assert not is_compiled(known)
        assert known(np.ones(100_000)) == 100_000
    assert is_compiled(known)
    assert clock[0] == 0.0


def test_every_type_of_argument_gets_its_version() -> None:
    rule: Rule[Any, Any] = Rule(total)
    with jit.compiled_at_once():
        for dtype in (np.float64, np.float32, np.int64):
            assert rule(np.ones(5, dtype), 2.0) == 10.0
    assert len(rule._compiled.signatures) == 3
    with jit.compiled_at_once(), pytest.raises(TypeError):
        rule(np.ones(5))


def test_threads_ask_for_versions_at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "PATIENCE", -1.0)
    kinds = [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16]
    for _ in range(3):
        rule: Rule[Any, Any] = Rule(total)

        def ask(first: int, rule: Rule[Any, Any] = rule) -> list[float]:
            return [rule(np.ones(3, kind), 2.0) for kind in kinds[first:] + kinds[:first]]

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(ask, range(4))) == [[6.0] * len(kinds)] * 4


def test_a_rule_called_by_a_rule_in_python_is_not_compiled() -> None:
    inner: Rule[Any, Any] = Rule(total)

    def outer(numbers):  # type: ignore[no-untyped-def]
        return inner(numbers, 3.0)

    rule: Rule[Any, Any] = Rule(outer)
    with jit.compiled_at_once():
        assert rule.run_as_python(np.ones(2)) == 6.0
    assert not is_compiled(inner)


def test_whoever_listens_is_told_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))  # nothing is compiled yet

    def fresh(numbers):  # type: ignore[no-untyped-def]
        return numbers[0] + 1.0

    told: list[ProgressEvent] = []
    with jit.compiled_at_once(), listening(told.append):
        assert Rule(fresh)(np.ones(1)) == 2.0
    assert [(event.what, event.done, "fresh" in event.words) for event in told] == [
        ("compiler", 0, True),  # loading
        ("compiler", 0, True),  # compiling
        ("compiler", 1, False),  # the wait is over
    ]


def test_numba_functions_of_the_user_are_not_told_of() -> None:
    import numba

    told: list[ProgressEvent] = []
    with jit.compiled_at_once():
        Rule(total)(np.ones(2), 1.0)  # from now on compilations are heard of
    with listening(told.append):
        assert numba.njit(lambda number: number + 1)(1) == 2
    assert told == []


def test_the_wait_is_over_when_compiling_fails() -> None:
    def broken(numbers):  # type: ignore[no-untyped-def]
        return numbers.no_such_thing

    told: list[ProgressEvent] = []
    with jit.compiled_at_once(), listening(told.append), pytest.raises(Exception, match="no_such_thing"):
        Rule(broken)(np.ones(1))
    assert told[-1].done == 1


ONE_RULE = """
import numpy as np
from rosenblatt.base.events import listening
from rosenblatt.data.compiled.jit import Rule, compiled_at_once

def total(numbers):
    found = 0.0
    for number in numbers:
        found += number
    return found

if __name__ == "__main__":
    import one_rule
    with compiled_at_once(), listening(lambda event: print(event.words)):
        Rule(one_rule.total)(np.ones(3))
"""


def test_of_two_processes_only_one_compiles_a_rule(tmp_path: Path) -> None:
    (tmp_path / "one_rule.py").write_text(ONE_RULE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "one_rule.py")]
    two = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    said = [process.communicate()[0] for process in two]
    assert [process.returncode for process in two] == [0, 0]
    assert sum(words.count("compiling total") for words in said) == 1


MODELS = [
    Perceptron(average="averaged", max_epochs=4),
    PassiveAggressive(C=0.3, max_epochs=4),
    Pocket(max_epochs=4),
    *(Kozinec(solver=solver, C=2.0, bias=1.0, max_epochs=50) for solver in ("auto", "wolfe", "mdm", "kozinec", "away")),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_the_switch_changes_no_bit_of_a_fit(model: Any, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if k == 3 and isinstance(model, Kozinec):
        return
    found = []
    for patience in (-1.0, 1e9):
        monkeypatch.setattr(jit, "PATIENCE", patience)
        for rule in every_rule() if patience > 0 else []:
            monkeypatch.setattr(rule, "_compiled", None)  # it runs as Python
        fitted = model.fit(X, Y[k])
        found.append((fitted.coef_.tobytes(), fitted.intercept_.tobytes(), fitted.decision_function(X).tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("k", [2, 3])
def test_the_switch_changes_no_bit_of_a_verdict(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for patience in (-1.0, 1e9):
        monkeypatch.setattr(jit, "PATIENCE", patience)
        for rule in every_rule() if patience > 0 else []:
            monkeypatch.setattr(rule, "_compiled", None)  # it runs as Python
        found.append(separability(X, Y[k]).certificate)
    assert found[0] == found[1]


def every_rule() -> list[Rule[Any, Any]]:
    from rosenblatt.data.compiled import rows
    from rosenblatt.rules import binary, hull, multiclass, wolfe

    return [
        it for module in (rows, binary, multiclass, hull, wolfe) for it in vars(module).values() if isinstance(it, Rule)
    ]


def test_a_small_verdict_and_a_small_fit_do_not_import_numba(tmp_path: Path) -> None:
    code = (
        "import sys; from rosenblatt import Perceptron, separability\n"
        "X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]\n"
        "assert separability(X, y).kind == 'strict'\n"
        "Perceptron().fit(X, y)\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
