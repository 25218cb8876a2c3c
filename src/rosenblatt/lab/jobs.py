"""All that the page asks for, by name: each takes a request, checks it, and gives an answer or a file."""

from collections.abc import Callable
from typing import Any

from rosenblatt.data.files.board import BYTES, CLASSES, GAUSSIANS, POINTS, STEPS
from rosenblatt.lab import catalogue as offered
from rosenblatt.lab import lessons, loading
from rosenblatt.lab.downloads import Download, export
from rosenblatt.lab.runs.run import run
from rosenblatt.lab.verdict import fewest, verdict

LIMITS = {"points": POINTS, "classes": CLASSES, "gaussians": GAUSSIANS, "steps": STEPS, "bytes": BYTES}


def catalogue(request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """What the lab offers: algorithms, data, and how much of everything."""
    return {
        "limits": LIMITS,
        "algorithms": [algorithm.document() for algorithm in offered.ENTRIES],
        "data": [source.document() for source in loading.ENTRIES],
    }


JOBS: dict[str, Callable[[dict[str, Any]], dict[str, Any] | Download]] = {
    "catalogue": catalogue,
    "lessons": lambda _: lessons.listing(),
    "data": loading.data,
    "table": loading.table,
    "view": loading.view,
    "verdict": verdict,
    "fewest": fewest,
    "run": run,
    "export": export,
    "pose": lessons.pose,
    "check": lessons.check,
}
