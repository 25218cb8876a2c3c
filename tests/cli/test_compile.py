"""`rosenblatt compile`: its jobs use every rule."""

import pkgutil
import queue
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any

import pytest

import rosenblatt.data.compiled
import rosenblatt.rules
from rosenblatt.base.events import hearing
from rosenblatt.cli import compile_jobs
from rosenblatt.cli.compile_jobs import Job, jobs, run_all, run_part, run_quietly
from rosenblatt.data.compiled import jit
from rosenblatt.data.compiled.jit import Rule
from tests.cli.test_main import run

FOR_TESTS = {"read_number"}
NEEDS_LONG_SEARCHES = {"distances"}  # to screen rows, from the eighth look at all of them on


def every_rule() -> dict[str, Rule[Any, Any]]:
    found = {}
    for package in (rosenblatt.rules, rosenblatt.data.compiled):
        for module in pkgutil.iter_modules(package.__path__):
            for name, value in vars(import_module(f"{package.__name__}.{module.name}")).items():
                if isinstance(value, Rule):
                    found[f"{value.__module__}.{name}"] = value
    return found


def test_the_jobs_use_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    used, call = set(), Rule.__call__

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        used.add(self.__name__)
        return call(self, *args, **kwargs)

    monkeypatch.setattr(Rule, "__call__", noted)
    monkeypatch.setattr(jit, "PATIENCE", 1e9)
    for rule in every_rule().values():
        monkeypatch.setattr(rule, "_compiled", None)  # all run as Python, so that rules called by rules are seen
        monkeypatch.setattr(rule, "quick", rule)
    for part in jobs().values():
        for job in part:
            run_quietly(job)
    missed = {rule.py_func.__name__ for rule in every_rule().values()} - used - FOR_TESTS
    assert missed <= NEEDS_LONG_SEARCHES


def test_every_part_tells_of_its_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(compile_jobs, "jobs", lambda: {"part": [Job(name, partial(ran.append, name)) for name in "ab"]})
    names: queue.Queue[str] = queue.Queue()
    run_part("part", names)
    assert ran == ["a", "b"] == [names.get(), names.get()]


def test_worker_processes_run_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of the processes are sent by name, so they run in this process here, in threads."""
    ran: list[str] = []
    parts = {part: [Job(part + name, partial(ran.append, part + name)) for name in "ab"] for part in "xy"}
    monkeypatch.setattr(compile_jobs, "jobs", lambda: parts)
    monkeypatch.setattr(compile_jobs, "ProcessPoolExecutor", lambda many, _: ThreadPoolExecutor(many))
    with hearing("compiler") as heard:
        assert run_all() == 4
    assert sorted(ran) == ["xa", "xb", "ya", "yb"]
    assert [(event.done, event.total) for event in heard] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_job_that_fails_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_jobs, "jobs", lambda: {"part": [Job("a", lambda: 1 // 0)]})
    monkeypatch.setattr(compile_jobs, "ProcessPoolExecutor", lambda many, _: ThreadPoolExecutor(many))
    with pytest.raises(ZeroDivisionError):
        run_all()


def test_the_command_says_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_jobs, "run_all", lambda: 2)
    ended = run("compile")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("All rules are compiled, in ")
    assert run("compile", "--json").out.startswith('{"jobs": 2, "seconds": ')
