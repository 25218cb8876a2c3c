"""The steps of a run in words.

`score_terms`, `weight_changes` and `alpha_changes` say what happened at a step. `narrated` lays it out for animations,
whose lines are short; `rosenblatt.lab.wording` lays it out for the page of the lab.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.words import plural
from rosenblatt.data.validation import Floats
from rosenblatt.tracing.step import Kind, Step
from rosenblatt.tracing.trace import Trace

MAX_NUMBERS = 4  # of a vector in a line
MAX_LABEL = 24  # characters of a label
MAX_LISTED_ROWS = 12  # in a line


# ---------------------------------------------------------------------------------------------------------------------
# What happened at a step


class WeightChange(NamedTuple):
    """The weights of one class before and after a step.

    Attributes
    ----------
    label : the class; None if there are two classes, which share one weight vector
    before, after : the weights, the bias weight last
    times : how many times the row was added; None if the change is no multiple of the row
    """

    label: Any
    before: tuple[float, ...]
    after: tuple[float, ...]
    times: float | None


class AlphaChange(NamedTuple):
    """The weight of one row of a kernel perceptron before and after a step."""

    row: int
    before: Any
    after: Any


def score_terms(w: Sequence[float], x: Sequence[float], bias: float) -> list[tuple[float, float]]:
    """Return the factors of each product in the score w.x + b, those of the bias last."""
    row = (*x, bias) if bias else x
    return list(zip(w, row, strict=False))


def weight_changes(trace: Trace, step: Step, before: Any) -> list[WeightChange]:
    """Return how the weights changed at a step, for each class whose weights did."""
    classes = trace.classes if len(trace.classes) > 2 else (None,)
    old, new = (before, step.w) if len(trace.classes) > 2 else ((before,), (step.w,))
    row = np.append(step.x, trace.bias)
    return [
        WeightChange(label, a, b, multiple(np.subtract(b, a, dtype=np.float64), row))
        for label, a, b in zip(classes, old, new, strict=True)
        if a != b
    ]


def multiple(moved: Floats, row: Floats) -> float | None:
    """Return the factor k with moved = k row, to rounding; None if there is none."""
    with np.errstate(over="ignore", invalid="ignore"):
        times = float(moved @ row / (row @ row)) if row.any() else 0.0
    return times if np.allclose(moved, times * row, rtol=1e-6, atol=1e-9 * np.abs(moved).max()) else None


def alpha_changes(step: Step, before: tuple[Any, Any]) -> list[AlphaChange]:
    """Return the rows whose weights changed at a step of a kernel perceptron.

    Parameters
    ----------
    step : the step
    before : the rows that had a weight before it, and their weights
    """
    now = dict(zip(step.active or (), step.weights or (), strict=True))
    had = dict(zip(*before, strict=True))
    rows = [i for i in now | had if now.get(i) != had.get(i)]
    return [AlphaChange(i, had.get(i, 0.0), now.get(i, 0.0)) for i in rows]


# ---------------------------------------------------------------------------------------------------------------------
# Lines of an animation


def narrated(trace: Trace, remark: str = "") -> list[tuple[str, ...]]:
    """Return four lines for the start and for each step: the name of the step, the row, the score, the weights.

    Parameters
    ----------
    trace : the run
    remark : is added to the name of each step
    """
    runs = [trace.member(member.task) for member in trace.members] or [trace]
    lines: list[tuple[str, ...]] = [(f"start{remark}", "", "", _start(trace))]
    for run in runs:
        before, mistakes = ((), ()) if run.kind is Kind.KERNEL else run.start, 0
        for step in run:
            mistakes += step.mistake
            head = f"step {len(lines)} of {len(trace)}{_stage(run, step, mistakes)}"
            task = f"{step.task}: " if trace.members else ""
            lines.append((task + head + remark, *_words(run, step, before)))
            before = (step.active or (), step.weights or ()) if run.kind is Kind.KERNEL else step.w
    return lines


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
    """Return the lines of the row, the score and the weights."""
    if trace.kind is Kind.PASSES:
        return _wrong(step), "", _sum(step)
    if trace.kind is Kind.KERNEL:
        return _row(trace, step), _kernel_score(trace, step), _support(step, before)
    if trace.kind is Kind.GAUSSIANS:
        radius = "not finite" if step.radius is None else f"{step.radius:.4g}"
        worst = f"Gaussian {step.index} is the worst: mean {_numbers(step.x)}, y = {_label(trace, step)}"
        return worst, "", f"w moves to {_numbers(step.w)}, of radius {radius}"
    return _row(trace, step), _score(trace, step, before), _change(trace, step, before)


def _label(trace: Trace, step: Step) -> str:
    label = str(step.y)
    if len(trace.classes) == 2 and trace.classes != (-1, 1):
        label = f"{label[:MAX_LABEL]} ({'+' if step.y == trace.classes[1] else '-'}1)"
    return label[: MAX_LABEL + 5]


def _row(trace: Trace, step: Step) -> str:
    return f"row {step.index}: x = {_numbers(step.x)}, y = {_label(trace, step)}"


def _wrong(step: Step) -> str:
    """`3 wrong: rows 0, 3, 4`."""
    rows = step.active or ()
    if not rows:
        return "no row is wrong"
    shown = ", ".join(map(str, rows[:MAX_LISTED_ROWS])) + ", ..." * (len(rows) > MAX_LISTED_ROWS)
    return f"{len(rows)} wrong: {'row' if len(rows) == 1 else plural('row')} {shown}"


def _sum(step: Step) -> str:
    if not step.updated:
        return f"w stays {_numbers(step.w)}, the best so far is {_numbers(step.answer or ())}"
    return f"w moves along the sum of their y x to {_numbers(step.w)}"


def _score(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`score 3*2 + 2*3 + 0*1 = 12: mistake`, the bias weight last."""
    if len(trace.classes) > 2:
        said = _scores(step)
    else:
        products = score_terms(before, step.x, trace.bias)
        terms = " + ".join(f"{w:.4g}*{x:.4g}" for w, x in products) if len(products) <= MAX_NUMBERS else "w.x + b"
        said = f"score {terms} = {step.score:.4g}"
    return f"{said}: {_judgement(step)}"


def _scores(step: Step) -> str:
    shown = ", ".join(f"{score:.4g}" for score in step.score[:MAX_NUMBERS]) + ", ..." * (len(step.score) > MAX_NUMBERS)
    return f"scores {shown}; most: {str(step.predicted)[:MAX_LABEL]}"


def _kernel_score(trace: Trace, step: Step) -> str:
    said = _scores(step) if len(trace.classes) > 2 else f"score sum of alpha_i K(x_i, x) = {step.score:.4g}"
    return f"{said}: {_judgement(step)}"


def _judgement(step: Step) -> str:
    return "mistake" if step.mistake else "right"


def _support(step: Step, before: tuple[Any, Any]) -> str:
    """`alpha of row 3 becomes -1; 4 rows have a weight`."""
    size = len(step.active or ())
    count = f"{size} {'row has' if size == 1 else 'rows have'} a weight"
    if not step.updated:
        return f"no weight changes; {count}"
    changed = [f"alpha of row {each.row} becomes {_alpha(each.after)}" for each in alpha_changes(step, before)]
    return "; ".join([*changed, count])


def _alpha(weight: Any) -> str:
    return _numbers(weight) if isinstance(weight, tuple) else f"{weight:.4g}"


def _change(trace: Trace, step: Step, before: tuple[Any, ...]) -> str:
    """`w + y x = (1, -1, -1)`; with more than two classes, how many times the row is added to which."""
    if not step.updated:
        return f"w stays {_numbers(step.w)}"
    changed = weight_changes(trace, step, before)
    if len(trace.classes) > 2:
        return ", ".join(
            f"w of {str(each.label)[:MAX_LABEL]} {_signed(each.times)} x" for each in changed if each.times
        )
    times = changed[0].times if changed else 0.0
    if times is None:
        return f"w moves to {_numbers(step.w)}"
    return f"w {_signed(times if step.y == trace.classes[1] else -times)} y x = {_numbers(step.w)}"


def _signed(times: float) -> str:
    size = "" if abs(abs(times) - 1) < 1e-9 else f" {abs(times):.3g}"
    return f"{'-' if times < 0 else '+'}{size}"


def _numbers(values: tuple[Any, ...]) -> str:
    if values and isinstance(values[0], tuple):
        return "; ".join(_numbers(each) for each in values[:2]) + "; ..." * (len(values) > 2)
    shown = [f"{value:.4g}" for value in values[:MAX_NUMBERS]]
    return f"({', '.join(shown)}{', ...' * (len(values) > MAX_NUMBERS)})"
