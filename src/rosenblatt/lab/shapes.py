"""What the page draws, in the coordinates of the points: it has only to map them to pixels."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.regions import Region, regions
from rosenblatt.data.files.board import View
from rosenblatt.data.validation import Floats

Shape = dict[str, Any]
ARROW = 0.14  # the length of w, of the width of the view
ARC = 0.07  # the radius of the arc of an angle
CELLS = (96, 72)  # columns and rows of a curved region
LEAST = math.radians(0.5)  # an angle that can be seen


def numbers(values: Any) -> Any:
    """Coordinates, rounded to what a screen can show."""
    array = np.asarray(values, dtype=np.float64)
    return [numbers(each) for each in array] if array.ndim else float(f"{array:.7g}")


def line(points: Any, role: str, **more: Any) -> Shape:
    return {"type": "line", "role": role, "points": numbers(points), **more}


def mark(at: Any, role: str, **more: Any) -> Shape:
    return {"type": "mark", "role": role, "at": numbers(at), **more}


def ellipse(mean: Any, a: Any, b: Any, code: int, role: str) -> Shape:
    """The image of the unit circle: all of mean + a cos t + b sin t."""
    return {"type": "ellipse", "role": role, "at": numbers(mean), "a": numbers(a), "b": numbers(b), "code": code}


def segment_of(plane: Hyperplane, view: View) -> Floats | None:
    """The part of a line that is seen; None if there is none."""
    return plane.segment(view[:2], view[2:]) if plane.w.any() else None


def boundary(plane: Hyperplane, view: View, role: str = "boundary", **more: Any) -> list[Shape]:
    """A line where the plane of the picture has one."""
    ends = segment_of(plane, view)
    return [] if ends is None else [line(ends, role, **more)]


def same_line(one: Hyperplane, other: Hyperplane) -> bool:
    """Are they one line, to rounding, with the same sides?"""
    if not (one.w.any() and other.w.any()):
        return False
    return bool(np.allclose(one.unit().weights, other.unit().weights, rtol=1e-9, atol=1e-12))


def half_spaces(plane: Hyperplane, codes: Sequence[int], view: View) -> list[Shape]:
    """The sides of a line, in the colours of the classes they are taken for: the negative, then the positive."""
    return areas(plane.w[np.newaxis], np.array([plane.b]), codes, view)


def areas(coef: Floats, intercept: Floats, codes: Sequence[int], view: View, **scheme: Any) -> list[Shape]:
    """Where each class wins, as polygons; where none does, or several, as well.

    Parameters
    ----------
    coef, intercept : one score, of the second of two classes, or one a class (or pair)
    codes : the numbers of the classes on the board
    scheme : of several classifiers of two: `scheme`, and `pairs_`
    """
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        return []
    machine = SimpleNamespace(coef_=coef, intercept_=intercept, classes_=np.array(codes), n_features_in_=2, **scheme)
    return [_area(region) for region in regions(machine, view) if len(codes) > 2 or region.label is not None]


def _area(region: Region) -> Shape:
    shape: Shape = {"type": "polygon", "points": numbers(region.polygon)}
    if region.label is not None:
        return shape | {"role": "region", "code": int(region.label)}
    return shape | {"role": "tie" if region.claims else "none", "code": None, "claims": list(region.claims)}


def places(view: View) -> Floats:
    """The middles of the cells that a curved region is drawn in, row by row from below."""
    columns, rows = CELLS
    left, right, low, high = view
    x = left + (np.arange(columns) + 0.5) * ((right - left) / columns)
    y = low + (np.arange(rows) + 0.5) * ((high - low) / rows)
    return np.column_stack([np.tile(x, rows), np.repeat(y, columns)])


def cells(winners: NDArray[Any], view: View) -> Shape:
    """Where each class wins, for boundaries that are curved: runs of cells, row by row.

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
    """An arrow from a point along a vector."""
    tail = np.asarray(start, dtype=np.float64)
    return {"type": "arrow", "role": role, "points": numbers([tail, tail + np.asarray(way)]), "label": label}


def normal(plane: Hyperplane, view: View, role: str = "w", label: str = "w") -> list[Shape]:
    """w as a vector that stands on its line, of one length whatever |w| is."""
    foot = foot_of(plane, view)
    return [] if foot is None else [arrow(foot, _along(plane.w, view), role, label)]


def foot_of(plane: Hyperplane, view: View) -> Floats | None:
    """Where w is drawn from: the origin if the line goes through it, else the middle of what is seen of the line."""
    ends = segment_of(plane, view)
    if ends is None:
        return None
    origin = view[0] < 0 < view[1] and view[2] < 0 < view[3]
    return np.zeros(2) if plane.b == 0 and origin else np.asarray(ends.mean(axis=0))


def turn(before: Hyperplane, after: Hyperplane, view: View) -> list[Shape]:
    """w before and after a step, from one point, with the angle between them."""
    foot = foot_of(after, view)
    if foot is None or not before.w.any():
        return []
    shapes = [arrow(foot, _along(before.w, view), "before", "")]
    if float(after.angle(before.w)) > LEAST:
        turned = arc(foot, before.w, after.w, view, role="turn")
        shapes.append(turned | {"label": f"turns {turned['label']}"})
    return shapes


def arc(at: Floats, one: Floats, other: Floats, view: View, role: str) -> Shape:
    """The angle between two vectors, around a point, the short way, with its degrees."""
    angle = float(Hyperplane(one).angle(other))
    begin = math.atan2(one[1], one[0])
    sign = 1.0 if one[0] * other[1] - one[1] * other[0] >= 0 else -1.0
    radius = ARC * (view[1] - view[0])
    turns = begin + sign * angle * np.linspace(0.0, 1.0, max(2, math.ceil(angle / 0.1)))
    points = at + radius * np.column_stack([np.cos(turns), np.sin(turns)])
    middle = begin + sign * angle / 2
    label = at + 1.5 * radius * np.array([math.cos(middle), math.sin(middle)])
    words = f"{math.degrees(angle):.1f}\N{DEGREE SIGN}"
    return {"type": "arc", "role": role, "points": numbers(points), "label": words, "at": numbers(label)}


def _along(w: Floats, view: View) -> Floats:
    return np.asarray(Hyperplane(w).unit().w * (ARROW * (view[1] - view[0])))
