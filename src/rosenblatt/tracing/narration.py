"""The steps of a run in words, as a lecture writes them on the board."""

from typing import Any

import numpy as np

from rosenblatt.data.validation import Floats
from rosenblatt.tracing.step import Kind, Step
from rosenblatt.tracing.trace import Trace

FEW = 4  # numbers that a line has room for
LONG = 24  # characters of a label
MANY = 12  # numbers of rows that a line has room for


def narrated(trace: Trace, remark: str = "") -> list[tuple[str, ...]]:
    """Of the start and of each step: which it is, the row, the score, the weights."""
    runs = [trace.member(member.task) for member in trace.members] or [trace]
    told: list[tuple[str, ...]] = [(f"start{remark}", "", "", _start(trace))]
    for run in runs:
        before, mistakes = run.start, 0
        for step in run:
            mistakes += step.mistake
            head = f"step {len(told)} of {len(trace)}{_stage(run, step, mistakes)}"
            task = f"{step.task}: " if trace.members else ""
            told.append((task + head + remark, *_words(run, step, before)))
            before = (step.active or (), step.weights or ()) if run.kind is Kind.KERNEL else step.w
    return told


def _start(trace: Trace) -> str:
    if trace.kind is Kind.KERNEL:
        return "no row has a weight"
    return f"w = {_numbers(trace.start)}"


def _stage(trace: Trace, step: Step, mistakes: int) -> str:
    if trace.kind in (Kind.ROWS, Kind.KERNEL):
        return f", pass {step.epoch}, mistakes so far: {mistakes}"
    if trace.kind is Kind.PASSES:
        return f", pass {step.epoch}"
    what = "margin" if trace.kind is Kind.HULLS else "radius"
    if step.lower is None or step.upper is None:
        return f": {what} of no known bounds" if step.lower is None else f": {what} at least {step.lower:.4g}"
    return f": {what} between {step.lower:.4g} and {step.upper:.4g}"


def _words(trace: Trace, step: Step, before: Any) -> tuple[str, str, str]:
    """The row, the score and the weights."""
    if trace.kind is Kind.PASSES:
        return _wrong(step), "", _sum(step)
    if trace.kind is Kind.KERNEL:
        return _row(trace, step), _kernel_score(trace, step), _support(step, before)
    if trace.kind is Kind.GAUSSIANS:
        label = _label(trace, step)
        radius = "not finite" if step.radius is None else f"{step.radius:.4g}"
        worst = f"Gaussian {step.index} is the worst: mean {_numbers(step.x)}, y = {label}"
        return worst, "", f"w moves to {_numbers(step.w)}, of radius {radius}"
    return _row(trace, step), _score(trace, step, before), _change(trace, step, before)


def _label(trace: Trace, step: Step) -> str:
    label = str(step.y)
    if len(trace.classes) == 2 and trace.classes != (-1, 1):
        label = f"{label[:LONG]} ({'+' if step.y == trace.classes[1] else '-'}1)"
    return label[: LONG + 5]


def _row(trace: Trace, step: Step) -> str:
    return f"row {step.index}: x = {_numbers(step.x)}, y = {_label(trace, step)}"


def _wrong(step: Step) -> str:
    """`wrong: rows 0, 3, 4`."""
    rows = step.active or ()
    if not rows:
        return "no row is wrong"
    shown = ", ".join(map(str, rows[:MANY])) + ", ..." * (len(rows) > MANY)
    return f"{len(rows)} wrong: row{'s' * (len(rows) > 1)} {shown}"


def _sum(step: Step) -> str:
    if not step.updated:
        return f"w stays {_numbers(step.w)}, the best so far is {_numbers(step.answer or ())}"
    return f"w moves along the sum of their y x to {_numbers(step.w)}"


def _score(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`3*2 + 2*3 + 0*1 = 12: mistake`, the bias weight last."""
    if len(trace.classes) > 2:
        said = _scores(step)
    else:
        row = (*step.x, trace.bias) if trace.bias else step.x
        pairs = zip(before, row, strict=False)
        terms = " + ".join(f"{w:.4g}*{x:.4g}" for w, x in pairs) if len(row) <= FEW else "w.x + b"
        said = f"score {terms} = {step.score:.4g}"
    return f"{said}: {'mistake' if step.mistake else 'right'}"


def _scores(step: Step) -> str:
    shown = ", ".join(f"{score:.4g}" for score in step.score[:FEW]) + ", ..." * (len(step.score) > FEW)
    return f"scores {shown}; most: {str(step.predicted)[:LONG]}"


def _kernel_score(trace: Trace, step: Step) -> str:
    said = _scores(step) if len(trace.classes) > 2 else f"score sum of alpha_i K(x_i, x) = {step.score:.4g}"
    return f"{said}: {'mistake' if step.mistake else 'right'}"


def _support(step: Step, before: tuple[Any, ...]) -> str:
    """`alpha of row 3 becomes -1; 4 rows have a weight`."""
    now = dict(zip(step.active or (), step.weights or (), strict=True))
    had = dict(zip(*before, strict=True)) if before else {}
    count = f"{len(now)} row{'s have' if len(now) != 1 else ' has'} a weight"
    if not step.updated:
        return f"no weight changes; {count}"
    changed = [f"alpha of row {i} becomes {_alpha(now.get(i, 0.0))}" for i in now | had if now.get(i) != had.get(i)]
    return "; ".join([*changed, count])


def _alpha(weight: Any) -> str:
    return _numbers(weight) if isinstance(weight, tuple) else f"{weight:.4g}"


def _change(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`w + y x = (1, -1, -1)`; with more than two classes, what is added to which."""
    if not step.updated:
        return f"w stays {_numbers(step.w)}"
    moved = np.array(step.w, dtype=np.float64) - np.array(before, dtype=np.float64)
    row = np.append(step.x, trace.bias)
    if len(trace.classes) > 2:
        added = zip(trace.classes, (multiple(each, row) for each in moved), strict=True)
        return ", ".join(f"w of {str(label)[:LONG]} {_signed(by)} x" for label, by in added if by)
    by = multiple(moved, row if step.y == trace.classes[1] else -row)
    return f"w moves to {_numbers(step.w)}" if by is None else f"w {_signed(by)} y x = {_numbers(step.w)}"


def multiple(moved: Floats, row: Floats) -> float | None:
    """How many times the row it is; None if it is no multiple of it."""
    with np.errstate(over="ignore", invalid="ignore"):
        times = float(moved @ row / (row @ row)) if row.any() else 0.0
    return times if np.allclose(moved, times * row, rtol=1e-6, atol=1e-9 * np.abs(moved).max()) else None


def _signed(by: float) -> str:
    size = "" if abs(abs(by) - 1) < 1e-9 else f" {abs(by):.3g}"
    return f"{'-' if by < 0 else '+'}{size}"


def _numbers(values: tuple[Any, ...]) -> str:
    if values and isinstance(values[0], tuple):
        return "; ".join(_numbers(each) for each in values[:2]) + "; ..." * (len(values) > 2)
    shown = [f"{value:.4g}" for value in values[:FEW]]
    return f"({', '.join(shown)}{', ...' * (len(values) > FEW)})"
