"""The functions of this package that four common calls go through, from the first to the compiled rule.

    python -m tests.support.walk

A walk lists each function once, in the order in which it is first entered, until the goal is reached: the rule of the
perceptron, or for `check` the decision. Small data needs no compiler, so the rules are seen. Functions of other rooms
than the one that the call begins in are listed in brackets. Modules of that room that call each other are named.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt.cli.main import app
from rosenblatt.lab.jobs import JOBS
from tests.support.lab_boards import board_of

HOME = Path(rosenblatt.__file__).parent
COMPILED = ("rules/", "data/compiled/")
RULE, DECISION = ("rules/binary.py", "perceptron"), ("proof/decide.py", "decide")


class Reached(BaseException):
    """The goal was entered: the walk is over."""


class Walk:
    """The functions entered while `work` runs, until the goal is: a function in a file; `room` is where it begins."""

    def __init__(self, work: Callable[[], Any], room: str, goal: tuple[str, str]) -> None:
        self.own, self.goal = (f"{room}/", "rules/"), goal
        self.functions: list[str] = []
        self.calls: set[tuple[str, str]] = set()  # (calling module, called module)
        sys.setprofile(self._entered)
        try:
            work()
        except Reached:
            pass
        finally:
            sys.setprofile(None)

    def _entered(self, frame: FrameType, event: str, _: object) -> None:
        file, name = _own_file(frame), frame.f_code.co_name
        if event != "call" or file is None or name.startswith("<"):
            return
        if (file, name) == self.goal:
            self._note(frame, file)
            sys.setprofile(None)
            raise Reached
        if not file.startswith(COMPILED):
            self._note(frame, file)

    def _note(self, frame: FrameType, file: str) -> None:
        name = f"{file.removesuffix('.py').replace('/', '.')}:{frame.f_code.co_qualname}"
        name = name if file.startswith(self.own) else f"({name})"
        if name not in self.functions:
            self.functions.append(name)
        caller = frame.f_back
        while caller is not None and _own_file(caller) is None:
            caller = caller.f_back
        above = None if caller is None else _own_file(caller)
        if above is not None and above != file and above.startswith(self.own) and file.startswith(self.own):
            self.calls.add((above, file))

    @property
    def hops(self) -> int:
        """The number of functions of the room, and the goal."""
        return sum(not name.startswith("(") for name in self.functions)

    @property
    def back_and_forth(self) -> list[str]:
        """Pairs of modules that call each other."""
        return sorted(f"{a} <-> {b}" for a, b in self.calls if a < b and (b, a) in self.calls)


def _own_file(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(HOME).as_posix() if path.is_relative_to(HOME) else None


def walks() -> dict[str, Walk]:
    """Make each call twice, so that imports do not count."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.permutation([0, 1] * 10)
    folder = Path(tempfile.mkdtemp())
    table, iris = folder / "table.csv", folder / "iris.csv"
    rosenblatt.write(X, y, table)
    flowers = rosenblatt.datasets.load("iris")
    rosenblatt.write(flowers.X, flowers.y, iris)
    board = {"board": board_of("and").document(), "pane": 0}
    model = rosenblatt.Perceptron(max_epochs=2)
    return {
        "Perceptron().fit": _second(lambda: model.fit(X, y), "classifiers", RULE),
        "Perceptron().fit_stream": _second(lambda: model.fit_stream(table), "classifiers", RULE),
        "rosenblatt check iris.csv": _second(lambda: app(["check", str(iris)], standalone_mode=False), "cli", DECISION),
        "a run in the lab": _second(lambda: JOBS["run"](board), "lab", RULE),
    }


def _second(work: Callable[[], Any], room: str, goal: tuple[str, str]) -> Walk:
    Walk(work, room, goal)
    return Walk(work, room, goal)


if __name__ == "__main__":
    for name, walk in walks().items():
        print(f"{name}: {walk.hops} functions of its room, {len(walk.functions)} in all; ", end="")
        print(f"back and forth: {', '.join(walk.back_and_forth) or 'never'}")
        print("\n".join(f"  {function}" for function in walk.functions))
