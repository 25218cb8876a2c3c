"""The steps of a run in words, as a lecture writes them on the board."""

from typing import Any

import numpy as np

from rosenblatt.data import Floats
from rosenblatt.steps import Step, Trace

FEW = 4  # numbers that a line has room for
LONG = 24  # characters of a label


def narrated(trace: Trace, remark: str = "") -> list[tuple[str, ...]]:
    """Of the start and of each step: which it is, the row, the score, the weights."""
    told: list[tuple[str, ...]] = [(f"start{remark}", "", "", f"w = {_numbers(trace.start)}")]
    before, mistakes = trace.start, 0
    for t, step in enumerate(trace, 1):
        mistakes += step.mistake
        count = f"step {t} of {len(trace)}"
        if step.lower is None:
            head = f"{count}, pass {step.epoch}, mistakes so far: {mistakes}"
        else:
            head = f"{count}: margin between {step.lower:.4g} and {step.upper:.4g}"
        told.append((head + remark, _row(trace, step), _score(trace, step, before), _change(trace, step, before)))
        before = step.w
    return told


def _row(trace: Trace, step: Step) -> str:
    label = str(step.y)
    if len(trace.classes) == 2 and trace.classes != (-1, 1):
        label = f"{label[:LONG]} ({'+' if step.y == trace.classes[1] else '-'}1)"
    return f"row {step.index}: x = {_numbers(step.x)}, y = {label[: LONG + 5]}"


def _score(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`3*2 + 2*3 + 0*1 = 12: mistake`, the bias weight last."""
    if len(trace.classes) > 2:
        shown = ", ".join(f"{score:.4g}" for score in step.score[:FEW]) + ", ..." * (len(step.score) > FEW)
        said = f"scores {shown}; most: {str(step.predicted)[:LONG]}"
    else:
        row = (*step.x, trace.bias) if trace.bias else step.x
        pairs = zip(before, row, strict=False)
        terms = " + ".join(f"{w:.4g}*{x:.4g}" for w, x in pairs) if len(row) <= FEW else "w.x + b"
        said = f"score {terms} = {step.score:.4g}"
    return f"{said}: {'mistake' if step.mistake else 'right'}"


def _change(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`w + y x = (1, -1, -1)`; with more than two classes, what is added to which."""
    if not step.updated:
        return f"w stays {_numbers(step.w)}"
    moved = np.array(step.w, dtype=np.float64) - np.array(before, dtype=np.float64)
    row = np.append(step.x, trace.bias)
    if len(trace.classes) > 2:
        added = zip(trace.classes, (_multiple(each, row) for each in moved), strict=True)
        return ", ".join(f"w of {str(label)[:LONG]} {_signed(by)} x" for label, by in added if by)
    by = _multiple(moved, row if step.y == trace.classes[1] else -row)
    return f"w moves to {_numbers(step.w)}" if by is None else f"w {_signed(by)} y x = {_numbers(step.w)}"


def _multiple(moved: Floats, row: Floats) -> float | None:
    """How many times the row it is; None if it is no multiple of it."""
    with np.errstate(over="ignore", invalid="ignore"):
        times = float(moved @ row / (row @ row)) if row.any() else 0.0
    return times if np.allclose(moved, times * row, rtol=1e-6, atol=1e-9 * np.abs(moved).max()) else None


def _signed(by: float) -> str:
    size = "" if abs(abs(by) - 1) < 1e-9 else f" {abs(by):.3g}"
    return f"{'-' if by < 0 else '+'}{size}"


def _numbers(values: tuple[Any, ...]) -> str:
    if isinstance(values[0], tuple):
        return "; ".join(_numbers(each) for each in values[:2]) + "; ..." * (len(values) > 2)
    shown = [f"{value:.4g}" for value in values[:FEW]]
    return f"({', '.join(shown)}{', ...' * (len(values) > FEW)})"
