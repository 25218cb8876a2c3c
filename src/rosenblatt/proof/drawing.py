"""What there is to draw of a proof: hulls that meet, or their nearest points with the slab between them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.matrices import dense

SHAPES = {
    (1, 1): "two equal points",
    (1, 2): "a point on a segment",
    (2, 2): "two crossing segments",
    (1, 3): "a point in a triangle",
    (1, 4): "a point in a tetrahedron",
    (2, 3): "a segment through a triangle",
}


class Drawing(NamedTuple):
    """Corners of each class and the points to mark, as rows of numbers; in two columns they can be drawn as they are.

    Attributes
    ----------
    shape : in words, "two crossing segments" or "a point in a triangle", say
    rows : the row numbers of the corners, of the negative class and of the positive
    corners : these rows
    points : of each hull, the point that is common to both, or nearest to the other
    slab : the hyperplane and its parallels through the nearest rows, the negative class first; None if they meet (or
        are beyond the range of floats)
    """

    shape: str
    rows: tuple[list[int], list[int]]
    corners: tuple[NDArray[Any], NDArray[Any]]
    points: tuple[NDArray[Any], NDArray[Any]]
    slab: tuple[Hyperplane, Hyperplane, Hyperplane] | None


def drawing_of(
    X: Any, y: NDArray[Any], weights: Mapping[int, Fraction | float], plane: Hyperplane | None = None
) -> Drawing:
    """Of rows with weights: a witness, or (with the hyperplane between them) the nearest points of two hulls."""
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
