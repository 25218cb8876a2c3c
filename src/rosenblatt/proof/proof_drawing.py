"""The drawing of a proof: hulls that meet, or their nearest points with the slab between them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.html import Markup, element
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import NUMBER, TEXT, WHOLE, list_of, optional, parts_of, tuple_of
from rosenblatt.base.result import form_of
from rosenblatt.data.matrices import dense

SIGNS = ("\N{BLACK CIRCLE}", "\N{BLACK SQUARE}")  # of the classes in a sketch
SHAPES = {
    (1, 1): "two equal points",
    (1, 2): "a point on a segment",
    (2, 2): "two crossing segments",
    (1, 3): "a point in a triangle",
    (1, 4): "a point in a tetrahedron",
    (2, 3): "a segment through a triangle",
}


class Drawing(NamedTuple):
    """The corners of each hull and the points to mark. With two columns they can be drawn as they are.

    Attributes
    ----------
    shape : in words, for example "two crossing segments" or "a point in a triangle"
    rows : the row numbers of the corners, of the negative class and of the positive
    corners : these rows
    points : of each hull, the point that is common to both, or nearest to the other
    slab : the hyperplane and its parallels through the nearest rows, the negative class first; None if the hulls meet
        or the numbers are beyond the range of floats
    """

    shape: str
    rows: tuple[list[int], list[int]]
    corners: tuple[NDArray[Any], NDArray[Any]]
    points: tuple[NDArray[Any], NDArray[Any]]
    slab: tuple[Hyperplane, Hyperplane, Hyperplane] | None


def _read_drawing(shape: str, rows: Any, corners: Any, points: Any, slab: Any) -> Drawing:
    at = tuple(np.array(point, dtype=np.float64) for point in points)
    return Drawing(shape, rows, tuple(np.array(own).reshape(len(own), len(at[0])) for own in corners), at, slab)  # type: ignore[arg-type]


DRAWING = parts_of(
    _read_drawing,
    shape=TEXT,
    rows=tuple_of(list_of(WHOLE), 2),
    corners=tuple_of(list_of(list_of(NUMBER)), 2),
    points=tuple_of(list_of(NUMBER), 2),
    slab=optional(tuple_of(form_of(Hyperplane), 3)),
)


def drawing_of(
    X: Any, y: NDArray[Any], weights: Mapping[int, Fraction | float], plane: Hyperplane | None = None
) -> Drawing:
    """Draw rows with weights: a witness, or (if `plane` is given) the nearest points of two hulls."""
    rows = tuple(sorted(int(i) for i in weights if y[i] == sign) for sign in (-1, 1))
    corners = tuple(dense(X[own]) for own in rows)
    points = []
    for own, at in zip(rows, corners, strict=True):
        largest = max((weights[i] for i in own), default=1)
        shares = np.array([float(weights[i] / largest) for i in own])
        with np.errstate(over="ignore", invalid="ignore"):
            points.append(shares / shares.sum() @ at if len(own) else np.zeros(X.shape[1]))
    fewer, more = sorted(map(len, rows))
    if plane is None:
        shape, slab = SHAPES.get((fewer, more), "two hulls that meet"), None
    else:
        shape = "the nearest points of two hulls"
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = (corners[0] @ plane.w).max(), (corners[1] @ plane.w).min()
        beyond = not np.isfinite([low, high]).all()
        slab = None if beyond else (plane, Hyperplane(plane.w, -low), Hyperplane(plane.w, -high))
    return Drawing(shape, rows, corners, tuple(points), slab)  # type: ignore[arg-type]


def sketch(drawing: Drawing, classes: Sequence[Any]) -> Markup:
    """A drawing in the plane as SVG: the hulls, their common or nearest points as crosses, the hyperplane between them.

    The columns are stretched to one length, which keeps lines and crossings. The result is empty if the numbers are
    beyond the range of floats.
    """
    every = np.concatenate([*drawing.corners, drawing.points])
    with np.errstate(over="ignore", invalid="ignore"):
        low, span = every.min(axis=0), np.ptp(every, axis=0)
    if not np.isfinite(span).all():
        return Markup()
    low, span = np.where(span > 0, low, low - 0.5), np.where(span > 0, span, 1.0)
    nearest = _pixels((drawing.points - low) / span)
    parts = [_joined(nearest, stroke_dasharray="3 3"), *(_text("\N{MULTIPLICATION SIGN}", *at) for at in nearest)]
    for rows, corners, sign in zip(drawing.rows, drawing.corners, SIGNS, strict=True):
        places = _pixels((corners - low) / span)
        parts += [_joined(places, fill_opacity=0.1), *(_text(sign, *at) for at in places)]
        away = [(x + (14 if x > 130 else -14), y + (10 if y > 80 else -10)) for x, y in places]
        parts += [_text(i, *at) for i, at in zip(rows, away, strict=True)]
    if drawing.slab:
        parts.append(_joined(_pixels(_line(drawing.slab[0], low, span))))
    legend = " ".join(f"{sign} {label}" for sign, label in zip(SIGNS, classes, strict=True))
    svg = element("svg", *parts, viewBox="0 0 260 150", width=260, height=150, role="img", aria_label=drawing.shape)
    return element("div", svg, element("p", legend))


def _line(plane: Hyperplane, low: Any, span: Any) -> Any:
    """The part of a line in the box at `low`, or a little outside, in units of its `span`; empty if there is none."""
    with np.errstate(over="ignore", invalid="ignore"):
        w, b = plane.w * span, plane.w @ low + plane.b
    there = w.any() and np.isfinite([*w, b]).all()
    ends = Hyperplane(w, b).segment((-0.1, 1.1), (-0.1, 1.1)) if there else None
    return np.empty((0, 2)) if ends is None else ends


def _pixels(units: Any) -> Any:
    return np.round([30, 130] + units * [200, -100], 1).tolist()


def _joined(places: Sequence[Sequence[float]], **attributes: object) -> Markup:
    points = " ".join(f"{x},{y}" for x, y in places)
    return element("polygon", points=points, stroke="currentColor", fill="currentColor", **attributes)


def _text(text: object, x: float, y: float) -> Markup:
    return element("text", text, x=x, y=y, fill="currentColor", text_anchor="middle", dominant_baseline="central")
