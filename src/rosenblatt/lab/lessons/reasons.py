"""Explanations with points and lines: why points are separable or not, and how many updates are possible."""

import math

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.lab_board import Board
from rosenblatt.errors import DataError
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.proof_drawing import Drawing
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict


def separability_reason(board: Board, bias: bool = True) -> str:
    """The verdict on the points of a board, with its reason."""
    verdict = separability(board.X, board.y, through_origin=not bias)
    if verdict.kind == "strict":
        return strict_reason(verdict)
    if not bias:
        return zero_sum_reason(verdict)
    head = weak_reason(verdict) if verdict.kind == "weak" else "The classes overlap."
    return head if verdict.drawing is None else f"{head} {common_point_reason(verdict.drawing)}"


def strict_reason(verdict: Verdict) -> str:
    """The separating line and its margin."""
    line = "line through the origin" if verdict.through_origin else "line"
    low, high = verdict.margin_bounds or (0.0, math.inf)
    return (
        f"The {line} {readable_equation(line_of(verdict))} separates the classes: every point is strictly on its "
        f"right side. The distance to the nearest point is {short(low)}. No {line} has a distance above {short(high)}."
    )


def weak_reason(verdict: Verdict) -> str:
    """The line without errors, and the points that must lie on it."""
    return (
        f"The line {readable_equation(line_of(verdict))} has no point on its wrong side, but "
        f"{listed(verdict.stuck.tolist())} must lie on the line."
    )


def common_point_reason(drawing: Drawing) -> str:
    """A point that lies in the convex hulls of both classes, and why it excludes a separating line."""
    negative, positive = (
        ("" if len(rows) == 1 else "a weighted mean of ") + listed(rows).replace("point", f"the {sign} point", 1)
        for rows, sign in zip(drawing.rows, ("negative", "positive"), strict=True)
    )
    return (
        f"The place {vector(drawing.points[0].tolist())} is {negative}. It is also {positive} ({drawing.shape}). If a "
        "line has all points of a class strictly on one side, it has their weighted means on that side too. This "
        "place would have to be on both sides, which is impossible."
    )


def zero_sum_reason(verdict: Verdict) -> str:
    """Points that no line through the origin classifies correctly together."""
    rows = verdict.witness.rows if verdict.witness else []
    return (
        "No line through the origin separates the classes. Multiply each point by the sign of its class: then "
        f"{listed(rows)}, with positive weights, add up to 0. So no w gives all of them a positive score."
    )


def line_of(verdict: Verdict) -> Hyperplane:
    """The line of a strict or a weak verdict."""
    if verdict.hyperplane is None:
        raise DataError("No line separates these points.")
    return verdict.hyperplane


def readable_equation(plane: Hyperplane) -> str:
    """The equation of a line, scaled to a largest weight of 1 and rounded to four decimals.

    >>> readable_equation(Hyperplane([0.25, -0.25], 1.375)), readable_equation(Hyperplane([4, 1e-12], -12))
    ('x1 - x2 + 5.5 = 0', 'x1 - 3 = 0')
    """
    weights = (plane.weights / np.abs(plane.w).max()).round(4)
    return Hyperplane(weights[:-1], weights[-1]).equation()


def update_count_reason(board: Board, bias: bool, count: int) -> str:
    """Whether a perceptron can make this many updates on the points of a board, and why."""
    bound = mistake_bound(board.X, board.y, bias=float(bias))
    highest = bound.bounds[1]
    if math.isinf(highest):
        return (
            f"So every pass has a mistake. The perceptron never stops, and sooner or later it makes {count:,} updates."
        )
    facts = (
        f"R = {short(bound.radius)} and gamma = {short(bound.margin_bounds[0])}, so there are at most "
        f"(R/gamma)\N{SUPERSCRIPT TWO} = {highest:,.1f} updates."
    )
    return f"{facts} The bound {'excludes' if count > highest else 'does not exclude'} {count:,} updates."
