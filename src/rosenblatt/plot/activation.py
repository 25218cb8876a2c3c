"""The score as a surface over two columns. It meets the floor, score 0, in the boundary."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.data import validation
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.style import NOT_DRAWN, TINT, axes_of, figure_of, ink, legend, mark, mark_size, text
from rosenblatt.plot.view import names_of
from rosenblatt.plot.weights import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

GRID, MESH = 60, 5  # cells of the surface along each side; cells from one drawn line to the next
PADDING = 0.12  # beside the rows, as a part of their range
ELEVATION, AZIMUTH = 24, -58  # degrees: above the floor, and between the axes, so that both can be read


@dataclass(eq=False, repr=False)
class ActivationDisplay:
    """The score of a classifier of two classes as a surface over two columns.

    Use it to see how the score becomes a decision. The floor is the height of score 0. The surface meets the floor in
    the boundary. Each row stands on the floor, and a line leads up or down to its score. For a linear classifier the
    surface is the plane w.x + b: without a bias it contains the origin, and a bias lifts it.

    Parameters
    ----------
    points : array of shape (n, 2)
        The rows.
    scores : array of shape (n,)
        The score of each row.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of two labels
        The labels; a score above 0 is for the second.
    xs : array
        The horizontal coordinates of the grid.
    ys : array
        The vertical coordinates of the grid.
    surface : array of shape (len(ys), len(xs))
        The scores on the grid.
    feature_names : tuple of two str, default=("x1", "x2")
        The names of the columns.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    BoundaryDisplay : The boundary in the plane.
    KernelPerceptron : Its score is a curved surface.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> from rosenblatt.plot import ActivationDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
    >>> display = ActivationDisplay.from_estimator(model, X, y)
    >>> (display.scores > 0).tolist(), bool(display.surface.min() < 0 < display.surface.max())
    ([False, True, True, False], True)
    """

    points: Floats
    scores: Floats
    codes: Codes
    classes: Sequence[Any]
    xs: Floats
    ys: Floats
    surface: Floats
    feature_names: Sequence[str] = ("x1", "x2")
    ax_: "Axes3D" = field(default=NOT_DRAWN, init=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedModel,
        X: TableLike,
        y: LabelsLike,
        *,
        ax: "Axes3D | None" = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Compute the surface of a fitted classifier and draw it.

        Parameters
        ----------
        estimator : fitted classifier
            A classifier of two classes with `decision_function`, or a pipeline of one.
        X : array, sparse matrix, data frame or Arrow table of shape (n, 2)
            The rows.
        y : array of shape (n,)
            The class labels.
        ax : matplotlib axes, optional
            3-D axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X or of the fitted classifier.

        Returns
        -------
        ActivationDisplay
            The display, with `ax_` and `figure_`.
        """
        _check(estimator)
        table = validation.points(X)
        if table.shape[1] != 2:
            raise DataError(
                f"ActivationDisplay needs two columns, but X has {table.shape[1]}. Choose two and fit again, or use "
                "BoundaryDisplay, which projects more columns."
            )
        points = np.asarray(dense(table), dtype=np.float64)
        codes = validation.codes(y, len(points), estimator.classes_)
        low, high = points.min(axis=0), points.max(axis=0)
        room = PADDING * np.where(high > low, high - low, 1.0)
        xs, ys = np.linspace(low - room, high + room, GRID + 1).T
        grid = np.stack(np.meshgrid(xs, ys), axis=-1)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")  # the order is that of X
            scores, surface = (estimator.decision_function(rows) for rows in (points, grid.reshape(-1, 2)))
        surface = surface.reshape(grid.shape[:2])
        called = names_of(X, 2, feature_names, estimator)
        return cls(points, scores, codes, estimator.classes_.tolist(), xs, ys, surface, called).plot(ax)

    def plot(self, ax: "Axes3D | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on, which must be 3-D; a new figure if not given.

        Returns
        -------
        ActivationDisplay
            The display, with `ax_` and `figure_`.
        """
        if ax is not None and not hasattr(ax, "zaxis"):
            raise ParameterError("ax must be 3-D axes, as made by plt.subplots(subplot_kw={'projection': '3d'}).")
        own, ax = ax is None, axes_of(ax, projection="3d")
        ax.computed_zorder = False  # seen from above, the floor hides what is below it
        ax.view_init(elev=ELEVATION, azim=AZIMUTH + 90 * round((self._low_side() - AZIMUTH) / 90))
        ax.set_box_aspect(None, zoom=0.9)
        self._draw_surface(ax, sign=-1, zorder=1)
        self._draw_rows(ax, sign=-1, stems=2, marks=2)
        self._draw_floor(ax, plane=3, boundary=7)
        self._draw_rows(ax, sign=1, stems=4, marks=8)
        self._draw_surface(ax, sign=1, zorder=6)
        ax.set(xlabel=text(short(self.feature_names[0])), ylabel=text(short(self.feature_names[1])), zlabel="score")
        heights = np.concatenate([self.surface.ravel(), self.scores, [0.0]])
        ax.set(xlim=self.xs[[0, -1]], ylim=self.ys[[0, -1]], zlim=(heights.min(), heights.max() or 1.0))
        ax.locator_params(nbins=5)
        self._draw_legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self

    def _draw_legend(self, ax: Any, outside: bool) -> None:
        for code, label in enumerate(self.classes):
            ax.plot([], [], [], color=ink(code), marker=mark(code), linestyle="", label=text(label))
        ax.plot([], [], [], color="black", linewidth=2, label="boundary: score 0")
        legend(ax, outside=outside)

    def _low_side(self) -> float:
        """The direction, in degrees, towards which the surface falls. From there its upper face is visible."""
        up = (self.surface[:, -1] - self.surface[:, 0]).mean(), (self.surface[-1] - self.surface[0]).mean()
        return float(np.degrees(np.arctan2(-up[1], -up[0])))

    def _draw_surface(self, ax: Any, sign: int, zorder: int) -> None:
        """Draw the cells above the floor or those below it, and some of their edges."""
        from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

        corners = np.stack([*np.meshgrid(self.xs, self.ys), self.surface], axis=-1)
        around = corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]
        cells = np.stack(around, axis=2)
        own = (cells[..., 2].mean(axis=-1) > 0) == (sign > 0)
        if own.any():
            lines = np.concatenate([cells[::MESH][own[::MESH]][:, :2], cells[:, ::MESH][own[:, ::MESH]][:, ::3]])
            colour = ink(int(sign > 0))
            look = {"facecolor": (colour, 0.45), "linewidth": 0, "rasterized": True, "zorder": zorder}
            ax.add_collection3d(Poly3DCollection(cells[own], **look))
            ax.add_collection3d(Line3DCollection(lines, color=(colour, 0.9), linewidth=0.5, zorder=zorder))

    def _draw_floor(self, ax: Any, plane: int, boundary: int) -> None:
        x, y = np.meshgrid(self.xs[[0, -1]], self.ys[[0, -1]])
        ax.plot_surface(x, y, np.zeros((2, 2)), color="0.6", alpha=TINT, shade=False, zorder=plane)
        if self.surface.min() < 0 < self.surface.max():
            look = {"colors": "black", "linewidths": 2, "zorder": boundary}
            ax.contour(self.xs, self.ys, self.surface, levels=[0], offset=0, **look)

    def _draw_rows(self, ax: Any, sign: int, stems: int, marks: int) -> None:
        """Draw the rows above the floor, or those on it and below it."""
        for code in (0, 1):
            own = (self.codes == code) & ((self.scores > 0) == (sign > 0))
            (x, y), z = self.points[own].T, self.scores[own]
            look = {"c": ink(code), "marker": mark(code), "edgecolors": "white", "linewidths": 0.4}
            ax.scatter(x, y, z, s=mark_size(len(self.points)), depthshade=False, zorder=marks, **look)
            ends = np.column_stack([np.zeros_like(z), z, np.full_like(z, np.nan)]).ravel()
            ax.plot(np.repeat(x, 3), np.repeat(y, 3), ends, color=ink(code), linewidth=0.8, zorder=stems)


def _check(estimator: Any) -> None:
    name = type(estimator).__name__
    if not hasattr(estimator, "decision_function"):
        raise ParameterError(f"estimator must have a decision_function, but this {name} has none.")
    if not hasattr(estimator, "classes_"):
        raise ParameterError(f"estimator must be a fitted classifier, but this {name} has no classes_; call fit first.")
    if len(estimator.classes_) != 2:
        raise ParameterError(
            f"ActivationDisplay needs a classifier of two classes, but this {name} has {len(estimator.classes_)}. Use "
            "RegionsDisplay."
        )
