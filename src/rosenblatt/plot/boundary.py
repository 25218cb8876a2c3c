"""The boundary of two classes, the half-spaces on its sides, and the vector w."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data import validation
from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import HALO, TINT, Box, axes_of, ink, legend, ring, scatter, set_box, size_of, text, to_scale
from rosenblatt.plot.view import NOISE, View, names_of

Floats = NDArray[np.float64]
HAIR = 0.004  # of the width of the picture, by which nobody sees a line move


@dataclass(eq=False)
class BoundaryDisplay:
    """The boundary w.x + b = 0 of a linear classifier of two classes, with the rows around it.

    Both half-spaces have the tint of the class that they predict, S+ is hatched too; rows that are predicted wrongly
    are ringed. Rows of more than two columns are seen along w: the boundary is then the vertical line at -b/|w|, and
    every row is seen on the side, and at the distance, that it has. Rows of one column are on a line.

    Parameters
    ----------
    points : n x 2, the rows as they are seen
    codes : n numbers of classes
    classes : the two labels
    plane : the boundary as it is seen, a line
    equation : of the boundary, as text
    view : from where
    wrong : the numbers of the rows that are predicted wrongly

    Attributes
    ----------
    ax_, figure_ : what was drawn on
    line_, arrow_ : the boundary and w as matplotlib has them; None where they cannot be seen as they are

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plot import BoundaryDisplay
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 1, 0, 0]
    >>> display = BoundaryDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> display.equation, display.wrong.tolist()
    ('3 x1 + 2 x2 - 4 = 0', [])
    >>> display.line_.get_xydata().round(2).tolist()
    [[0.63, 1.06], [1.06, 0.41]]
    """

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    plane: Hyperplane
    equation: str
    view: View
    wrong: NDArray[Any]
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)
    arrow_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, names: Sequence[str] | None = None
    ) -> Self:
        """Draw the boundary of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : a fitted classifier with `hyperplane_`
        X : array, sparse matrix, data frame or Arrow table, n x d
        y : n class labels
        ax : matplotlib's axes to draw on; a new figure if there are none
        names : of the columns, if they are to be called other than in X
        """
        seen = seen_by(estimator, X, y, names)
        wrong = np.flatnonzero(estimator.predict(X) != estimator.classes_[seen.codes])
        return cls(*seen, wrong).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on those of a new figure."""
        own, box = ax is None, box_with(self.plane, self.points, self.view)
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        self.line_ = draw_line(ax, self.plane, box, self.equation)
        self.arrow_ = draw_arrow(ax, self.plane, box)
        for code, (name, hatch) in enumerate((("S-", ""), ("S+", "//"))):
            half = band(self.plane, 0.0, np.inf if code else -np.inf, box)
            look = {"facecolor": (ink(code), TINT), "edgecolor": (ink(code), 1.7 * TINT), "hatch": hatch}
            ax.fill(*half.T, label=text(f"{name}, predicted {self.classes[code]}"), linewidth=0, zorder=0, **look)
        if len(self.wrong):
            ring(ax, self.points[self.wrong], len(self.points), f"predicted wrongly: {len(self.wrong)}")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class Seen(NamedTuple):
    """Rows and the boundary between them, as they are seen."""

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    plane: Hyperplane
    equation: str
    view: View


def seen_by(estimator: Any, X: Any, y: Any, names: Any) -> Seen:
    """Check rows, labels and what classifies them, and look along w.

    Raises
    ------
    ParameterError
        There is no boundary: the estimator is not fitted, not linear, or knows more than two classes.
    """
    name = type(estimator).__name__
    try:
        plane = estimator.hyperplane_
    except AttributeError as error:
        more = hasattr(estimator, "coef_") and len(estimator.classes_) > 2
        hint = "RegionsDisplay draws more classes" if more else "fit such a one first, a Perceptron or Kozinec, say"
        raise ParameterError(
            f"estimator must be a fitted linear classifier of two classes, with a hyperplane_, but this {name} has "
            f"none ({str(error).rstrip('.')}); {hint}"
        ) from error
    if not plane.w.any():
        raise ParameterError(f"there is no boundary to draw: in this {name}, w is zero in all {len(plane.w)} columns")
    matrix = validation.points(X)
    validation.check_columns(estimator, X, matrix, reset=False)
    codes = validation.codes(y, matrix.shape[0], estimator.classes_)
    called = names_of(X, matrix.shape[1], names, estimator)
    view = View.of(matrix, plane.w, called)
    points = view.points(matrix)
    equation = equation_of(plane, view.box(points), called)
    return Seen(points, codes, estimator.classes_.tolist(), view.line(plane), equation, view)


def equation_of(plane: Hyperplane, box: Box, names: Sequence[str]) -> str:
    """The equation with as few digits as move the line by no more than a hair; of many columns, in short."""
    d = len(plane.w)
    if d > 2:
        return "w.x + b = 0"
    sides = np.array(box[:d])
    farthest, room = np.append(np.abs(sides).max(axis=1), 1.0), np.ptp(sides, axis=1).min() * plane.norm
    weights = np.where(np.abs(plane.weights) * farthest > NOISE * room, plane.weights, 0.0)
    for digits in range(2, 18):
        rounded = np.array([float(f"{weight:.{digits}g}") for weight in weights])
        if np.abs(rounded - weights) @ farthest <= HAIR * room:
            break
    return Hyperplane(rounded[:-1], rounded[-1]).equation(names)


def box_with(plane: Hyperplane, points: Floats, view: View) -> Box:
    """Limits around points; if the boundary is outside but near, around some of it too."""
    box, unit = view.box(points), plane.unit()
    if plane.segment(*box) is not None:
        return box
    middle = np.mean(box, axis=1)
    beyond = middle - 1.2 * unit.score(middle) * unit.w
    wider = view.box(np.concatenate([points, [beyond]]))
    return wider if np.ptp(wider, axis=1).max() <= 2 * np.ptp(box, axis=1).max() else box


def draw_line(ax: Any, plane: Hyperplane, box: Box, equation: str) -> Any:
    """The boundary where it crosses the box; None if it does not, which the legend says."""
    ends = plane.segment(*box)
    label = equation + " (out of sight)" * (ends is None)
    shown = np.empty((0, 2)) if ends is None else ends
    (line,) = ax.plot(*shown.T, color="black", linewidth=1.5, zorder=2, label=text(label))
    return None if ends is None else line


def draw_arrow(ax: Any, plane: Hyperplane, box: Box) -> Any:
    """The direction of w as an arrow from the middle of the line, within the box.

    None if there is no room for one, or if it would not be seen at a right angle.
    """
    ends = plane.segment(*box)
    if ends is None or not (to_scale(box) or (plane.w == 0).any()):
        return None
    foot, way = ends.mean(axis=0), plane.unit().w
    sides = np.where(way > 0, np.array(box)[:, 1], np.array(box)[:, 0])
    room = min((side - at) / step for side, at, step in zip(sides, foot, way, strict=True) if step)
    length = min(0.16 * float(np.abs(way) @ np.ptp(box, axis=1)), 0.65 * room)
    if not length > 0:
        return None
    tip = foot + length * way
    ax.annotate("w", tip, xytext=9 * way, textcoords="offset points", ha="center", va="center", bbox=HALO, zorder=4.5)
    style = {"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "linewidth": 1.5}
    return ax.annotate("", tip, xytext=foot, arrowprops=style, zorder=4.5)


def band(plane: Hyperplane, low: float, high: float, box: Box) -> Floats:
    """Corners of the band between two signed distances from a line, no longer and wider than the box can show."""
    unit = plane.unit()
    middle = np.mean(box, axis=1)
    away = unit.score(middle)
    far = abs(away) + float(np.hypot(*np.ptp(box, axis=1)))
    foot, along = middle - away * unit.w, far * np.array([-unit.w[1], unit.w[0]])
    start, end = (foot + np.clip(distance, -far, far) * unit.w for distance in (low, high))
    return np.array([start - along, start + along, end + along, end - along])
