"""The shapes that the page draws, in the coordinates of the points; the page only maps these to pixels."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.regions import Region, regions
from rosenblatt.data.files.lab_board import View
from rosenblatt.data.validation import Floats

Shape = dict[str, Any]
ARROW_LENGTH = 0.14  # of w, as a fraction of the width of the view
ARC_RADIUS = 0.07  # of the arc of an angle, as a fraction of the width of the view
CELLS = (96, 72)  # columns and rows of a curved region
MIN_DRAWN_ANGLE = math.radians(0.5)


def numbers(values: Any) -> Any:
    """Return coordinates rounded to seven digits, which is more than a screen shows."""
    array = np.asarray(values, dtype=np.float64)
    return [numbers(each) for each in array] if array.ndim else float(f"{array:.7g}")


def line(points: Any, role: str, **more: Any) -> Shape:
    """Return a line through points."""
    return {"type": "line", "role": role, "points": numbers(points), **more}


def mark(at: Any, role: str, **more: Any) -> Shape:
    """Return a mark at a point."""
    return {"type": "mark", "role": role, "at": numbers(at), **more}


def ellipse(mean: Any, a: Any, b: Any, code: int, role: str) -> Shape:
    """Return the ellipse of all points mean + a cos t + b sin t."""
    return {"type": "ellipse", "role": role, "at": numbers(mean), "a": numbers(a), "b": numbers(b), "code": code}


def segment_of(plane: Hyperplane, view: View) -> Floats | None:
    """Return the ends of the visible part of a line; None if no part is visible."""
    return plane.segment(view[:2], view[2:]) if plane.w.any() else None


def boundary(plane: Hyperplane, view: View, role: str = "boundary", **more: Any) -> list[Shape]:
    """Return the visible part of a boundary; empty if no part is visible."""
    ends = segment_of(plane, view)
    return [] if ends is None else [line(ends, role, **more)]


def same_line(one: Hyperplane, other: Hyperplane) -> bool:
    """Return whether two hyperplanes are one line, to rounding, with equal sides."""
    if not (one.w.any() and other.w.any()):
        return False
    return bool(np.allclose(one.unit().weights, other.unit().weights, rtol=1e-9, atol=1e-12))


def half_spaces(plane: Hyperplane, codes: Sequence[int], view: View) -> list[Shape]:
    """Return the sides of a line as areas of two classes; `codes` names the negative class, then the positive one."""
    return areas(plane.w[np.newaxis], np.array([plane.b]), codes, view)


def areas(coef: Floats, intercept: Floats, codes: Sequence[int], view: View, **scheme: Any) -> list[Shape]:
    """Return polygons: where each class wins, and where no class or several do.

    Parameters
    ----------
    coef, intercept : the weights of one score (of the second of two classes), or of a score for each class or pair
    codes : the numbers of the classes on the board
    scheme : for several classifiers of two classes: `scheme`, and `pairs_`
    """
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        return []
    machine = SimpleNamespace(coef_=coef, intercept_=intercept, classes_=np.array(codes), n_features_in_=2, **scheme)
    return [_area(region) for region in regions(machine, view) if len(codes) > 2 or region.label is not None]


def class_areas(weights: Any, bias: float, codes: Sequence[int], view: View) -> list[Shape]:
    """Return where each class wins, given the weights of each class, the bias weight last."""
    table = np.array(weights)
    return areas(table[:, :2], table[:, 2] * bias, codes, view)


def _area(region: Region) -> Shape:
    shape: Shape = {"type": "polygon", "points": numbers(region.polygon)}
    if region.label is not None:
        return shape | {"role": "region", "code": int(region.label)}
    return shape | {"role": "tie" if region.claims else "none", "code": None, "claims": list(region.claims)}


def places(view: View) -> Floats:
    """Return the centres of the cells that curved regions are drawn with, row by row from below."""
    columns, rows = CELLS
    left, right, low, high = view
    x = left + (np.arange(columns) + 0.5) * ((right - left) / columns)
    y = low + (np.arange(rows) + 0.5) * ((high - low) / rows)
    return np.column_stack([np.tile(x, rows), np.repeat(y, columns)])


def cells(winners: NDArray[Any], view: View) -> Shape:
    """Return where each class wins, for curved boundaries: runs of cells, row by row.

    Parameters
    ----------
    winners : the number of the class for each of `places(view)`
    """
    columns, rows = CELLS
    table = np.asarray(winners).reshape(rows, columns)
    edges = np.ones((rows, columns), dtype=bool)
    edges[:, 1:] = table[:, 1:] != table[:, :-1]
    starts = np.argwhere(edges)
    ends = np.append(starts[1:, 1], 0)
    lengths = np.where(ends > starts[:, 1], ends, columns) - starts[:, 1]
    runs = np.column_stack([starts, lengths, table[edges]]).tolist()
    return {"type": "cells", "role": "region", "box": numbers(view), "columns": columns, "rows": rows, "runs": runs}


def arrow(start: Any, way: Any, role: str, label: str = "") -> Shape:
    """Return an arrow from a point along a vector."""
    tail = np.asarray(start, dtype=np.float64)
    return {"type": "arrow", "role": role, "points": numbers([tail, tail + np.asarray(way)]), "label": label}


def normal(plane: Hyperplane, view: View, role: str = "w", label: str = "w") -> list[Shape]:
    """Return w as an arrow on its line; its length does not depend on |w|."""
    start = arrow_start(plane, view)
    return [] if start is None else [arrow(start, _along(plane.w, view), role, label)]


def arrow_start(plane: Hyperplane, view: View) -> Floats | None:
    """Return where the arrow of w starts: at the origin if the line goes through it, else at the middle of the line."""
    ends = segment_of(plane, view)
    if ends is None:
        return None
    return np.zeros(2) if plane.b == 0 and has_origin(view) else np.asarray(ends.mean(axis=0))


def has_origin(view: View) -> bool:
    """Return whether the origin is visible."""
    return view[0] < 0 < view[1] and view[2] < 0 < view[3]


def turn(before: Hyperplane, after: Hyperplane, view: View) -> list[Shape]:
    """Return w before a step, drawn from where w after it starts, and the angle between the two."""
    start = arrow_start(after, view)
    if start is None or not before.w.any():
        return []
    shapes = [arrow(start, _along(before.w, view), "before", "")]
    if float(after.angle(before.w)) > MIN_DRAWN_ANGLE:
        turned = arc(start, before.w, after.w, view, role="turn")
        shapes.append(turned | {"label": f"turns {turned['label']}"})
    return shapes


def arc(at: Floats, one: Floats, other: Floats, view: View, role: str) -> Shape:
    """Return the smaller angle between two vectors, as an arc around a point, with its degrees."""
    angle = float(Hyperplane(one).angle(other))
    begin = math.atan2(one[1], one[0])
    sign = 1.0 if one[0] * other[1] - one[1] * other[0] >= 0 else -1.0
    radius = ARC_RADIUS * (view[1] - view[0])
    turns = begin + sign * angle * np.linspace(0.0, 1.0, max(2, math.ceil(angle / 0.1)))
    points = at + radius * np.column_stack([np.cos(turns), np.sin(turns)])
    middle = begin + sign * angle / 2
    label = at + 1.5 * radius * np.array([math.cos(middle), math.sin(middle)])
    words = f"{math.degrees(angle):.1f}\N{DEGREE SIGN}"
    return {"type": "arc", "role": role, "points": numbers(points), "label": words, "at": numbers(label)}


def _along(w: Floats, view: View) -> Floats:
    return np.asarray(Hyperplane(w).unit().w * (ARROW_LENGTH * (view[1] - view[0])))
