"""`rosenblatt compile`: its jobs use every rule."""

import pkgutil
from functools import partial
from importlib import import_module
from typing import Any

import pytest

import rosenblatt.data.compiled
import rosenblatt.rules
from rosenblatt.cli import compile_jobs
from rosenblatt.cli.compile_jobs import Job, jobs, run_quietly
from rosenblatt.data.compiled import jit
from rosenblatt.data.compiled.jit import Rule
from tests.cli.test_main import run

FOR_TESTS = {"read_number"}
NEEDS_HUGE_ROWS = {"possible", "distances", "below", "wolfe_among"}  # screening, and steps among a part of many rows


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
    for job in jobs():
        run_quietly(job)
    missed = {rule.py_func.__name__ for rule in every_rule().values()} - used - FOR_TESTS
    assert missed <= NEEDS_HUGE_ROWS


def test_the_command_says_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(compile_jobs, "jobs", lambda: [Job(name, partial(ran.append, name)) for name in "ab"])
    ended = run("compile")
    assert (ended.code, ended.err, ran) == (0, "", ["a", "b"])
    assert ended.out.startswith("All rules are compiled, in ")
    assert run("compile", "--json").out.startswith('{"jobs": 2, "seconds": ')
