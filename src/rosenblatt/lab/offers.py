"""The jobs `catalogue` and `lessons`: what the lab offers."""

from typing import Any

from rosenblatt.data.files.lab_board import MAX_BYTES, MAX_CLASSES, MAX_GAUSSIANS, MAX_POINTS, MAX_STEPS
from rosenblatt.lab import catalogue as algorithms
from rosenblatt.lab import lessons as lesson_room
from rosenblatt.lab import loading

LIMITS = {
    "points": MAX_POINTS,
    "classes": MAX_CLASSES,
    "gaussians": MAX_GAUSSIANS,
    "steps": MAX_STEPS,
    "bytes": MAX_BYTES,
}


def catalogue(request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Return the algorithms, the built-in data, and the limits of a board."""
    return {
        "limits": LIMITS,
        "algorithms": [algorithm.document() for algorithm in algorithms.ENTRIES],
        "data": [source.document() for source in loading.ENTRIES],
    }


def lessons(request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Return the lessons and exercises."""
    return lesson_room.listing()
