"""Numbers and steps in words, as a lecture writes them on the board: the bias apart, and first in a score."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.tracing.narration import multiple
from rosenblatt.tracing.step import Step

FEW = 6  # points that a sentence lists
NOTHING = 1e-13
WIDE = 9  # characters of a heading


def short(value: float) -> str:
    """A number of four digits; what is left of 0 after rounding is 0."""
    return f"{value:.4g}" if abs(value) > NOTHING else "0"


def heading(name: str) -> str:
    """The name of a column, cut off where it would push the others out of sight."""
    return name if len(name) <= WIDE else f"{name[: WIDE - 1]}\N{HORIZONTAL ELLIPSIS}"


def vector(values: Sequence[float]) -> str:
    """(1, -2.5)"""
    return f"({', '.join(map(short, values))})"


def product(w: Sequence[float], x: Sequence[float], bias: float, score: float) -> str:
    """-1*1 + 0*3 + 0*2 = -1: the bias first, then the columns; w has the bias weight last."""
    terms = [f"{short(w[-1])}*{short(bias)}"] if bias else []
    terms += [f"{short(a)}*{short(b)}" for a, b in zip(w, x, strict=False)]
    return f"{' + '.join(terms)} = {short(score)}"


def change(before: Sequence[float], after: Sequence[float], x: Sequence[float], bias: float, name: str = "") -> str:
    """w + x = (0, 0) + (3, 2) = (3, 2), b + 1 = -1 + 1 = 0: by how many times the row the weights move."""
    of = f" of {name}" if name else ""
    by = multiple(np.subtract(after, before), np.append(x, bias))
    if by is None:
        return f"w{of} moves to {vector(after[:-1])}" + (f", b to {short(after[-1])}" if bias else "")
    sign, size = "-" if by < 0 else "+", "" if abs(abs(by) - 1) < 1e-9 else f"{short(abs(by))} "
    row = f"{size}{vector(x)}"
    text = f"w{of} {sign} {size}x = {vector(before[:-1])} {sign} {row} = {vector(after[:-1])}"
    if bias:
        step = short(abs(by) * bias)
        text += f", b{of} {sign} {step} = {short(before[-1])} {sign} {step} = {short(after[-1])}"
    return text


def turned(step: Step, bias: float) -> str:
    """How the angle between the weights and the row went, if there is one; a bias is a third coordinate of both."""
    if step.angle_before is None or step.angle_after is None:
        return ""
    before, after = (f"{math.degrees(angle):.1f}\N{DEGREE SIGN}" for angle in (step.angle_before, step.angle_after))
    what = "(w, b) and (x, 1)" if bias else "w and x"
    return f" The angle between {what} goes from {before} to {after}."


def listed(rows: Sequence[int]) -> str:
    """point 3; points 3 and 5; points 0, 1, 2 and 10 more."""
    shown = [str(i) for i in rows[:FEW]]
    if len(rows) > FEW:
        return f"points {', '.join(shown)} and {len(rows) - FEW} more"
    if len(rows) == 1:
        return f"point {shown[0]}"
    return f"points {', '.join(shown[:-1])} and {shown[-1]}"


def weights_of(w: Any, bias: float) -> str:
    """w = (3, 2), b = 0"""
    return f"w = {vector(w[:-1])}" + (f", b = {short(w[-1])}" if bias else "")


def starting(w: Any, classes: Sequence[Any], bias: float) -> str:
    """The weights that a run begins with, of two classes or of more."""
    if not isinstance(w[0], tuple):
        return weights_of(w, bias)
    if not any(map(any, w)):
        return "weights 0 for every class"
    return "; ".join(f"{weights_of(each, bias)} for {label}" for label, each in zip(classes, w, strict=True))
