"""The functions of this package that four common calls go through, from the first to the compiled rule.

    python -m tests.support.walk

A walk lists each function once, in the order in which it is first entered, until the goal is reached: the first rule,
or for `check` the decision. Compiled code is interpreted, so that it is seen. Modules that call each other are named.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np

import rosenblatt
from rosenblatt.cli.main import app
from rosenblatt.lab.jobs import JOBS
from tests.support.lab_boards import board_of

HOME = Path(rosenblatt.__file__).parent
COMPILED = ("kernels", "rules", "data/compiled")
RULES = ("kernels/binary.py", "kernels/multiclass.py", "kernels/hull.py", "rules/binary.py", "rules/multiclass.py")
DECISIONS = ("separation.py", "proof/decide.py")


class Reached(BaseException):
    """The goal was entered: the walk is over."""


class Walk:
    """The functions entered while `work` runs, until one of the files in `goals` is."""

    def __init__(self, work: Callable[[], Any], goals: tuple[str, ...]) -> None:
        self.goals = goals
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
        file = _own_file(frame)
        if event != "call" or file is None or frame.f_code.co_name.startswith("<"):
            return
        if file in self.goals:
            self._note(frame, file)
            sys.setprofile(None)
            raise Reached
        if not file.startswith(COMPILED):
            self._note(frame, file)

    def _note(self, frame: FrameType, file: str) -> None:
        name = f"{file.removesuffix('.py').replace('/', '.')}:{frame.f_code.co_qualname}"
        if name not in self.functions:
            self.functions.append(name)
        caller = frame.f_back
        while caller is not None and _own_file(caller) is None:
            caller = caller.f_back
        if caller is not None and (above := _own_file(caller)) != file:
            self.calls.add((str(above), file))

    @property
    def back_and_forth(self) -> list[str]:
        """Pairs of modules that call each other."""
        return sorted(f"{a} <-> {b}" for a, b in self.calls if a < b and (b, a) in self.calls)


def _own_file(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(HOME).as_posix() if path.is_relative_to(HOME) else None


def walks() -> dict[str, Walk]:
    """Each call is made once before, so that imports do not count."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.permutation([0, 1] * 10)
    folder = Path(tempfile.mkdtemp())
    table, iris = folder / "table.csv", folder / "iris.csv"
    rosenblatt.write(table, X, y)
    rosenblatt.write(iris, *rosenblatt.datasets.load("iris"))

    board = {"board": board_of("and").document(), "pane": 0}
    return {
        "Perceptron().fit": _second(lambda: rosenblatt.Perceptron(max_epochs=2).fit(X, y), RULES),
        "Perceptron().fit_stream": _second(lambda: rosenblatt.Perceptron(max_epochs=2).fit_stream(table), RULES),
        "rosenblatt check iris.csv": _second(lambda: app(["check", str(iris)], standalone_mode=False), DECISIONS),
        "a run in the lab": _second(lambda: JOBS["run"](board), RULES),
    }


def _second(work: Callable[[], Any], goals: tuple[str, ...]) -> Walk:
    Walk(work, goals)
    return Walk(work, goals)


if __name__ == "__main__":
    for name, walk in walks().items():
        print(f"{name}: {len(walk.functions)} functions; back and forth: {', '.join(walk.back_and_forth) or 'never'}")
        print("\n".join(f"  {function}" for function in walk.functions))
