"""The margin: the boundary between two classes, the slab around it, and the support vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import listed
from rosenblatt.errors import DataError
from rosenblatt.plot.boundary import band, draw_line, projected
from rosenblatt.plot.style import HALO, NOT_DRAWN, Box, axes_of, figure_of, legend, ring, scatter, set_box, size_of
from rosenblatt.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
TOLERANCE = 1e-6  # relative difference below which two distances count as equal


@dataclass(eq=False)
class MarginDisplay:
    """The margin of a linear classifier of two classes: the slab between the parallels through the nearest rows.

    Use it to see how far the boundary is from the rows, and which rows decide that. No row is inside the slab, unless
    slack was allowed. The margin is the distance from the boundary to the nearer side of the slab. A classifier of the
    largest margin has its boundary in the middle of the slab. Rows of more than two columns are projected with w as
    the horizontal axis, which keeps the slab and all distances from the boundary.

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
    slab : tuple of two Hyperplane
        The two sides of the slab, that of the negative class first.
    margin : float
        The distance from the boundary to the nearer side.
    support : array of shape (k, 2)
        The projected support vectors; for a classifier without them, the rows nearest to the boundary.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    Kozinec : Finds the largest margin.
    BoundaryDisplay : The boundary without the slab.

    Examples
    --------
    >>> from rosenblatt import Kozinec
    >>> from rosenblatt.plot import MarginDisplay
    >>> X, y = [[0, 0], [0, 2], [3, 1], [5, 1]], ["low", "low", "high", "high"]
    >>> display = MarginDisplay.from_estimator(Kozinec().fit(X, y), X, y)
    >>> display.margin, display.support.tolist()
    (1.5, [[0.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    """

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    plane: Hyperplane
    equation: str
    view: View
    slab: tuple[Hyperplane, Hyperplane]
    margin: float
    support: Floats
    ax_: "Axes" = field(default=NOT_DRAWN, init=False, repr=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False, repr=False)

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
        """Draw the margin of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : fitted classifier
            A classifier with `hyperplane_`. If it has `slab_` and `support_vectors_`, as `Kozinec` has, they are drawn;
            otherwise the nearest rows of X.
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
        MarginDisplay
            The display, with `ax_` and `figure_`.

        Raises
        ------
        DataError
            The classifier has no `slab_`, and some rows are on their wrong side.
        """
        seen = projected(estimator, X, y, feature_names)
        view, plane = seen.view, estimator.hyperplane_
        if hasattr(estimator, "slab_"):
            slab, support = estimator.slab_, view.points(estimator.support_vectors_)
        else:
            slab, rows = own_slab(estimator, plane, X, seen.codes)
            support = seen.points[rows]
        margin = min(abs(parallel.b - plane.b) for parallel in slab) / plane.norm
        low, high = map(view.line, slab)
        return cls(*seen, (low, high), margin, support).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        MarginDisplay
            The display, with `ax_` and `figure_`.
        """
        own, box = ax is None, self.view.box(np.concatenate([self.points, self.support]))
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        draw_line(ax, self.plane, box, self.equation)
        low, high = ((self.plane.b - parallel.b) / self.plane.norm for parallel in self.slab)
        said = (
            "slab" if draw_width(ax, self.plane, (low, high), self.points, box) else f"slab, margin {self.margin:.4g}"
        )
        ax.fill(*band(self.plane, low, high, box).T, facecolor="0.5", alpha=0.2, linewidth=0, zorder=0, label=said)
        for parallel in self.slab:
            ends = parallel.segment(*box)
            if ends is not None:
                ax.plot(*ends.T, color="black", linewidth=1, linestyle="--", zorder=2)
        ring(ax, self.support, len(self.points), f"support vectors: {len(self.support)}")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self


def own_slab(
    estimator: Any, plane: Hyperplane, X: Any, codes: NDArray[Any]
) -> tuple[tuple[Hyperplane, Hyperplane], NDArray[Any]]:
    """The parallels to a boundary through the nearest row of each class, and the rows on them."""
    scores = estimator.decision_function(X)
    wrong = np.flatnonzero(np.where(codes == 1, scores, -scores) <= 0)
    if len(wrong):
        raise DataError(
            f"This {type(estimator).__name__} has no margin: every row must be strictly on its right side, but "
            f"{listed(wrong)} of {len(codes)} {'is' if len(wrong) == 1 else 'are'} not. Use BoundaryDisplay, or fit "
            "Kozinec(C=1.0), which allows slack and has a slab."
        )
    if len(np.unique(codes)) < 2:
        raise DataError(f"MarginDisplay needs rows of two classes, but all {len(codes)} are of one class.")
    ends = float(scores[codes == 0].max()), float(scores[codes == 1].min())
    rows = np.flatnonzero(np.abs(scores[:, np.newaxis] - ends).min(axis=1) <= TOLERANCE * (ends[1] - ends[0]))
    return (Hyperplane(plane.w, plane.b - ends[0]), Hyperplane(plane.w, plane.b - ends[1])), rows


def draw_width(ax: Any, plane: Hyperplane, sides: Sequence[float], points: Floats, box: Box) -> bool:
    """Draw a double arrow from the boundary to its nearer parallel, where the rows leave most room.

    Return False if there is no room.
    """
    ends = plane.segment(*box)
    if ends is None:
        return False
    way, margin = plane.unit().w, min(map(abs, sides))
    places = ends[0] + np.linspace(0.2, 0.8, 20)[:, np.newaxis] * (ends[1] - ends[0])
    low, high = np.array(box).T
    arrows = [(foot, foot + side * way) for side in sides if abs(side) <= margin * (1 + TOLERANCE) for foot in places]
    arrows = [(foot, tip) for foot, tip in arrows if (low < tip).all() and (tip < high).all()]
    if not arrows:
        return False
    foot, tip = max(arrows, key=lambda arrow: float(np.hypot(*(points - (arrow[0] + arrow[1]) / 2).T).min()))
    style = {"arrowstyle": "<|-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    ax.annotate("", tip, xytext=foot, arrowprops=style, zorder=4.5)
    inward = np.sign((ends.mean(axis=0) - foot) @ (ends[1] - ends[0])) * (ends[1] - ends[0])
    along, label = inward / np.hypot(*inward), f"margin {margin:.4g}"
    beside = along * (6 + 2.6 * len(label) * abs(along[0]) + 7 * abs(along[1]))  # points, to clear the arrow
    look = {"textcoords": "offset points", "ha": "center", "va": "center", "bbox": HALO, "zorder": 4.5}
    ax.annotate(label, (foot + tip) / 2, xytext=beside, **look)
    return True
