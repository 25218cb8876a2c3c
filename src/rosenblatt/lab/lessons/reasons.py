"""Why points can be separated, or cannot, and how many updates there can be: in words of points and lines."""

import math

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.lab.wording import listed, short, vector
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict


def why(board: Board, bias: bool = True) -> str:
    """The verdict on the points of a board and its reason."""
    verdict = separability(board.X, board.y, bias=bias)
    if verdict.kind == "strict":
        return apart(verdict)
    if not bias:
        return summed(verdict)
    return f"{touching(verdict) if verdict.kind == 'weak' else 'The classes overlap. '}{meeting(verdict)}"


def apart(verdict: Verdict) -> str:
    line = "line through the origin" if verdict.through_origin else "line"
    low, high = verdict.margin_bounds or (0.0, math.inf)
    return (
        f"The {line} {equation(verdict)} has every point strictly on its right side. The nearest is {short(low)} "
        f"away, and no {line} keeps more than {short(high)}."
    )


def touching(verdict: Verdict) -> str:
    return (
        f"The line {equation(verdict)} has no point on its wrong side, but {listed(verdict.stuck.tolist())} must lie "
        "on it. "
    )


def meeting(verdict: Verdict) -> str:
    """The place that the hulls have in common."""
    drawing = verdict.drawing
    assert drawing is not None  # noqa: S101  (there are two classes)
    one, other = (
        listed(rows).replace("point", f"the {sign} point", 1)
        for rows, sign in zip(drawing.rows, ("negative", "positive"), strict=True)
    )
    return (
        f"The place {vector(drawing.points[0].tolist())} is a weighted mean of {one}, and also of {other} "
        f"({drawing.shape}). A line with all of the first strictly on one side has this place there too, and it "
        "cannot be strictly on both sides."
    )


def summed(verdict: Verdict) -> str:
    """Points that no line through the origin has on their right sides."""
    rows = verdict.witness.rows if verdict.witness else []
    return (
        f"No line through the origin separates them: {listed(rows)}, with the signs of their classes and positive "
        "weights, add up to 0, so that no w has all their products positive."
    )


def equation(verdict: Verdict) -> str:
    assert verdict.hyperplane is not None  # noqa: S101  (it is strict or weak)
    return readable(verdict.hyperplane)


def readable(plane: Hyperplane) -> str:
    """Its equation with a largest weight of 1, and without what is only rounding.

    >>> readable(Hyperplane([0.25, -0.25], 1.375)), readable(Hyperplane([4, 1e-12], -12))
    ('x1 - x2 + 5.5 = 0', 'x1 - 3 = 0')
    """
    weights = (plane.weights / np.abs(plane.w).max()).round(4)
    return Hyperplane(weights[:-1], weights[-1]).equation()


def updates(board: Board, bias: bool, count: int) -> str:
    """Could there be so many updates?"""
    bound = mistake_bound(board.X, board.y, bias=float(bias))
    most = bound.bound[1]
    if math.isinf(most):
        return f"So every pass has a mistake: it never stops, and {count:,} updates are made sooner or later."
    told = (
        f"R is {short(bound.radius)} and gamma {short(bound.margin_bounds[0])}, so there are at most "
        f"(R/gamma)\N{SUPERSCRIPT TWO} = {most:,.1f} updates"
    )
    return f"{told}; {count:,} are {'more than that' if count > most else 'not ruled out'}."
