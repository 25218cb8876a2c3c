"""Jobs for tests of the lab's server and workers: quick, slow, large, wrong and deadly ones, under served names."""

import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.base.events import report_progress
from rosenblatt.errors import DataError, MissingExtraError, ParameterError


class File(NamedTuple):
    name: str
    content: bytes
    media_type: str


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return {"heard": request}


def refuse(request: dict[str, Any]) -> dict[str, Any]:
    """A sentence of each kind of error, or a defect."""
    errors = {
        "data": DataError("points[3] must have 3 entries, not 2."),
        "parameter": ParameterError("order must be 'cyclic' or 'shuffled', not 'up'."),
        "extra": MissingExtraError("A picture", "plot"),
        "memory": MemoryError(),
        "defect": ZeroDivisionError("secret"),
    }
    raise errors[request["with"]]


def no_number(_: dict[str, Any]) -> dict[str, Any]:
    return {"x": float("nan")}


def file(request: dict[str, Any]) -> File:
    return File(request["name"], bytes(range(256)), "image/gif")


def large(request: dict[str, Any]) -> dict[str, Any]:
    return {"text": "x" * request["size"]}


def who(_: dict[str, Any]) -> dict[str, Any]:
    return {"process": os.getpid()}


def slow(request: dict[str, Any]) -> dict[str, Any]:
    """Says in a file who works, so that a test knows when it has begun."""
    with open(request["begun"], "w", encoding="utf-8") as begun:
        begun.write(str(os.getpid()))
    time.sleep(request.get("seconds", 600))
    return {}


def die(_: dict[str, Any]) -> dict[str, Any]:
    os._exit(11)


def compiling(request: dict[str, Any]) -> dict[str, Any]:
    """Says that it compiles, says in a file who works, and waits until another file is there; then it is slow."""
    report_progress("compiler", 0, None, "compiling {}", "rule")
    Path(request["begun"]).write_text(str(os.getpid()), encoding="utf-8")
    while not Path(request["compiled"]).exists():
        time.sleep(0.01)
    report_progress("compiler", 1)
    Path(request["ended"]).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(request.get("seconds", 600))
    return {}


JOBS = {
    "catalogue": who,
    "lessons": no_number,
    "verdict": echo,
    "view": refuse,
    "export": file,
    "table": large,
    "fewest": slow,
    "data": compiling,
    "check": die,
}
