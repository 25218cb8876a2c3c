"""The boundary between two classes, the half-spaces on its sides, and the vector w."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import count_of
from rosenblatt.data import validation
from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import (
    HALO,
    NOT_DRAWN,
    TINT,
    Box,
    axes_of,
    figure_of,
    ink,
    legend,
    ring,
    scatter,
    set_box,
    size_of,
    text,
    to_scale,
)
from rosenblatt.plot.view import NOISE, View, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
MAX_SHIFT = 0.004  # part of the width of the picture by which rounding may move a line: it cannot be seen


@dataclass(eq=False)
class BoundaryDisplay:
    """The boundary w.x + b = 0 of a linear classifier of two classes, with the rows around it.

    Use it to see what a linear classifier decides, and which rows it gets wrong. Each half-space is tinted in the
    colour of its class, and S+ is hatched. Rings mark rows with a wrong prediction. Rows of more than two columns are
    projected: the horizontal axis is w, so the boundary is the vertical line at `-b/|w|`, and every row keeps its side
    and its distance. Rows of one column are drawn on a line.

    Parameters
    ----------
    points : array of shape (n, 2)
        The projected rows.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of two labels
        The labels of the two classes.
    plane : Hyperplane
        The projected boundary, a line.
    equation : str
        The equation of the boundary.
    view : View
        The projection.
    wrong : array of int
        The numbers of the rows with a wrong prediction.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.
    line_ : matplotlib line, or None
        The boundary; None where it cannot be drawn.
    arrow_ : matplotlib arrow, or None
        The vector w; None where it cannot be drawn.

    See Also
    --------
    MarginDisplay : Also shows the margin.
    RegionsDisplay : For more than two classes.

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
    ax_: "Axes" = field(default=NOT_DRAWN, init=False, repr=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)
    arrow_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedModel,
        X: TableLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Draw the boundary of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : fitted classifier
            A classifier with `hyperplane_`.
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X.

        Returns
        -------
        BoundaryDisplay
            The display, with `ax_` and `figure_`.
        """
        seen = projected(estimator, X, y, feature_names)
        wrong = np.flatnonzero(estimator.predict(X) != estimator.classes_[seen.codes])
        return cls(*seen, wrong).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        BoundaryDisplay
            The display, with `ax_` and `figure_`.
        """
        own, box = ax is None, box_with(self.plane, self.points, self.view)
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        self.line_ = draw_line(ax, self.plane, box, self.equation)
        self.arrow_ = draw_arrow(ax, self.plane, box)
        for code, (name, hatch) in enumerate((("S-", ""), ("S+", "//"))):
            half = band(self.plane, 0.0, np.inf if code else -np.inf, box)
            look: dict[str, Any] = {
                "facecolor": (ink(code), TINT),
                "edgecolor": (ink(code), 1.7 * TINT),
                "hatch": hatch,
            }
            ax.fill(*half.T, label=text(f"{name}, predicted {self.classes[code]}"), linewidth=0, zorder=0, **look)
        if len(self.wrong):
            ring(ax, self.points[self.wrong], len(self.points), f"predicted wrongly: {len(self.wrong)}")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self


class Projected(NamedTuple):
    """Projected rows, and the projected boundary between them."""

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    plane: Hyperplane
    equation: str
    view: View


def projected(estimator: Any, X: Any, y: Any, names: Any) -> Projected:
    """Check the rows, the labels and the classifier, and project the rows so that w is the horizontal axis.

    Raises
    ------
    ParameterError
        There is no boundary: the estimator is not fitted, is not linear, or has more than two classes.
    """
    name = type(estimator).__name__
    try:
        plane = estimator.hyperplane_
    except AttributeError as error:
        more = hasattr(estimator, "coef_") and len(estimator.classes_) > 2
        hint = "RegionsDisplay draws more classes" if more else "fit one first, such as Perceptron() or Kozinec()"
        raise ParameterError(
            f"estimator must be a fitted linear classifier of two classes, with a hyperplane_, but this {name} has "
            f"none ({str(error).rstrip('.')}); {hint}."
        ) from error
    if not plane.w.any():
        raise ParameterError(
            f"There is no boundary to draw: all {count_of(len(plane.w), 'weight')} of this {name} are 0."
        )
    matrix = validation.points(X)
    validation.check_columns(estimator, X, matrix, reset=False)
    codes = validation.codes(y, matrix.shape[0], estimator.classes_)
    called = names_of(X, matrix.shape[1], names, estimator)
    view = View.of(matrix, plane.w, called)
    points = view.points(matrix)
    equation = equation_of(plane, view.box(points), called)
    return Projected(points, codes, estimator.classes_.tolist(), view.line(plane), equation, view)


def equation_of(plane: Hyperplane, box: Box, names: Sequence[str]) -> str:
    """The equation, in the fewest digits that leave the drawn line in place; for more than two columns, w.x + b = 0."""
    d = len(plane.w)
    if d > 2:
        return "w.x + b = 0"
    sides = np.array(box[:d])
    farthest, room = np.append(np.abs(sides).max(axis=1), 1.0), np.ptp(sides, axis=1).min() * plane.norm
    weights = np.where(np.abs(plane.weights) * farthest > NOISE * room, plane.weights, 0.0)
    for digits in range(2, 18):
        rounded = np.array([float(f"{weight:.{digits}g}") for weight in weights])
        if np.abs(rounded - weights) @ farthest <= MAX_SHIFT * room:
            break
    return Hyperplane(rounded[:-1], rounded[-1]).equation(names)


def box_with(plane: Hyperplane, points: Floats, view: View) -> Box:
    """Axis limits around the points; wider if that brings a nearby boundary into the picture."""
    box, unit = view.box(points), plane.unit()
    if plane.segment(*box) is not None:
        return box
    middle = np.mean(box, axis=1)
    beyond = middle - 1.2 * unit.decision_function(middle) * unit.w
    wider = view.box(np.concatenate([points, [beyond]]))
    return wider if np.ptp(wider, axis=1).max() <= 2 * np.ptp(box, axis=1).max() else box


def draw_line(ax: Any, plane: Hyperplane, box: Box, equation: str) -> Any:
    """Draw the boundary inside the box. If it does not cross the box, return None; the legend then says so."""
    ends = plane.segment(*box)
    label = equation + " (outside the picture)" * (ends is None)
    shown = np.empty((0, 2)) if ends is None else ends
    (line,) = ax.plot(*shown.T, color="black", linewidth=1.5, zorder=2, label=text(label))
    return None if ends is None else line


def draw_arrow(ax: Any, plane: Hyperplane, box: Box) -> Any:
    """Draw w as an arrow from the middle of the boundary, within the box.

    Return None if there is no room, or if the axes differ in scale and the arrow would not be at a right angle.
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
    """The corners of the band between two signed distances from a line, clipped to what the box can show."""
    unit = plane.unit()
    middle = np.mean(box, axis=1)
    away = unit.decision_function(middle)
    far = abs(away) + float(np.hypot(*np.ptp(box, axis=1)))
    foot, along = middle - away * unit.w, far * np.array([-unit.w[1], unit.w[0]])
    start, end = (foot + np.clip(distance, -far, far) * unit.w for distance in (low, high))
    return np.array([start - along, start + along, end + along, end - along])
