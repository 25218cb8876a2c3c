"""A run as the page plays it: frames, what stands behind them, and a table that grows with them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from rosenblatt.lab.shapes import Shape


@dataclass
class Told:
    """What the page is told of a run.

    Attributes
    ----------
    columns : headings of the table, and whether numbers stand below them
    frames : the start, and one for each step
    grounds : what stays in the picture while the weights do, which frames refer to by number
    """

    columns: Sequence[tuple[str, bool]]
    frames: list[dict[str, Any]] = field(default_factory=list)
    grounds: list[list[Shape]] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)

    def ground(self, key: Hashable, draw: Callable[[], list[Shape]]) -> int:
        """The number of what is behind a frame, drawn only if no frame had it before."""
        if key not in self._known:
            self._known[key] = len(self.grounds)
            self.grounds.append(draw())
        return self._known[key]

    def add(
        self,
        kind: str,
        head: str,
        sentence: str,
        ground: int,
        *,
        cells: Sequence[str] | None = None,
        points: Sequence[int] = (),
        score: str = "",
        formula: str = "",
        shapes: Sequence[Shape] = (),
    ) -> Self:
        """Add a frame: which step it is, what happened and why, and what is drawn over its ground."""
        self.frames.append(
            {
                "kind": kind,
                "head": head,
                "sentence": sentence,
                "score": score,
                "formula": formula,
                "cells": None if cells is None else list(cells),
                "point": points[0] if len(points) == 1 else None,
                "points": list(points),
                "ground": ground,
                "shapes": list(shapes),
            }
        )
        return self

    def document(self) -> dict[str, Any]:
        return {
            "columns": [name for name, _ in self.columns],
            "numeric": [is_number for _, is_number in self.columns],
            "frames": self.frames,
            "grounds": self.grounds,
        }
