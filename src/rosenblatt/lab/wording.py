"""Numbers and steps in words, laid out for the page: the bias is written apart from w, and first in a score."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.tracing.narration import WeightChange, alpha_changes, score_terms, weight_changes
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace

MAX_LISTED_POINTS = 6  # in a sentence
MAX_HEADING = 9  # characters
ROUNDING = 1e-13  # smaller numbers are shown as 0


def short(value: float) -> str:
    """Return a number with four digits; what rounding leaves of 0 is 0."""
    return f"{value:.4g}" if abs(value) > ROUNDING else "0"


def heading(name: str) -> str:
    """Return the name of a column, cut off so that the other columns stay visible."""
    return name if len(name) <= MAX_HEADING else f"{name[: MAX_HEADING - 1]}\N{HORIZONTAL ELLIPSIS}"


def vector(values: Sequence[float]) -> str:
    """(1, -2.5)"""
    return f"({', '.join(map(short, values))})"


def side_of(score: float) -> str:
    """Return a score, and on which side of 0 it is."""
    return "0" if score == 0 else f"{short(score)}, {'above' if score > 0 else 'below'} 0"


def product(w: Sequence[float], x: Sequence[float], bias: float, score: float) -> str:
    """-1*1 + 0*3 + 0*2 = -1: the bias first, then the columns; w has the bias weight last."""
    terms = [f"{short(weight)}*{short(value)}" for weight, value in score_terms(w, x, bias)]
    if bias:
        terms.insert(0, terms.pop())
    return f"{' + '.join(terms)} = {short(score)}"


def changes(trace: Trace, step: Step, before: Any) -> str:
    """Return how the weights changed; with more than two classes, a line for each class whose weights did."""
    return "\n".join(_change(each, step.x, trace.bias) for each in weight_changes(trace, step, before))


def _change(changed: WeightChange, x: Sequence[float], bias: float) -> str:
    """w + x = (0, 0) + (3, 2) = (3, 2), b + 1 = -1 + 1 = 0"""
    of = "" if changed.label is None else f" of {changed.label}"
    before, after, times = changed.before, changed.after, changed.times
    if times is None:
        return f"w{of} moves to {vector(after[:-1])}" + (f", b to {short(after[-1])}" if bias else "")
    sign, size = "-" if times < 0 else "+", "" if abs(abs(times) - 1) < 1e-9 else f"{short(abs(times))} "
    text = f"w{of} {sign} {size}x = {vector(before[:-1])} {sign} {size}{vector(x)} = {vector(after[:-1])}"
    if bias:
        step = short(abs(times) * bias)
        text += f", b{of} {sign} {step} = {short(before[-1])} {sign} {step} = {short(after[-1])}"
    return text


def kernel_changes(step: Step, before: tuple[Any, Any], classes: Sequence[Any]) -> str:
    """Return how the weights of points changed: 0 + 1 = 1; with more than two classes, a line for each that did."""
    names = [f" for {label}" for label in classes] or [""]
    lines = []
    for changed in alpha_changes(step, before):
        old, new = (np.broadcast_to(weights, len(names)).tolist() for weights in (changed.before, changed.after))
        for name, a, b in zip(names, old, new, strict=True):
            if a != b:
                added = f"{short(a)} {'+' if b > a else '-'} {short(abs(b - a))} = {short(b)}"
                lines.append(f"the weight of point {changed.row}{name}: {added}")
    return "\n".join(lines)


def turned(step: Step, bias: float) -> str:
    """Return how the angle between the weights and the row changed, if both have one; a bias is a third coordinate."""
    if step.angle_before is None or step.angle_after is None:
        return ""
    before, after = (f"{math.degrees(angle):.1f}\N{DEGREE SIGN}" for angle in (step.angle_before, step.angle_after))
    what = "(w, b) and (x, 1)" if bias else "w and x"
    return f" The angle between {what} goes from {before} to {after}."


def listed(rows: Sequence[int]) -> str:
    """point 3; points 3 and 5; points 0, 1, 2, 3, 4, 5 and 10 more"""
    shown = [str(i) for i in rows[:MAX_LISTED_POINTS]]
    if len(rows) > MAX_LISTED_POINTS:
        return f"points {', '.join(shown)} and {len(rows) - MAX_LISTED_POINTS} more"
    if len(rows) == 1:
        return f"point {shown[0]}"
    return f"points {', '.join(shown[:-1])} and {shown[-1]}"


def weights_of(w: Any, bias: float) -> str:
    """w = (3, 2), b = 0"""
    return f"w = {vector(w[:-1])}" + (f", b = {short(w[-1])}" if bias else "")


def becomes(before: Any, after: Any, bias: float) -> str:
    """w = (3, 2), b = 0 becomes w = (4, 2), b = 1"""
    return f"{weights_of(before, bias)} becomes {weights_of(after, bias)}"


def class_weight_cells(w: Any, bias: float) -> list[str]:
    """Return a cell for the weights of each class, the bias weight last."""
    return [f"{vector(each[:-1])} {short(each[-1])}" if bias else vector(each[:-1]) for each in w]


def starting(w: Any, classes: Sequence[Any], bias: float) -> str:
    """Return the weights that a run begins with, of two classes or of more."""
    if not isinstance(w[0], tuple):
        return weights_of(w, bias)
    if not any(map(any, w)):
        return "weights 0 for every class"
    return "; ".join(f"{weights_of(each, bias)} for {label}" for label, each in zip(classes, w, strict=True))
