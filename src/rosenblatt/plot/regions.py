"""The regions of the plane in which a linear classifier predicts each class, as exact polygons."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.base.regions import Region, regions
from rosenblatt.data import validation
from rosenblatt.errors import DataError
from rosenblatt.plot.style import (
    HATCHES,
    NOT_DRAWN,
    Box,
    axes_of,
    figure_of,
    ink,
    legend,
    mark,
    scatter,
    set_box,
    size_of,
)
from rosenblatt.plot.view import View, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
CLAIMS = ("no class claims it", "two classes claim it, or tie", "three or more claim it, or tie")
OPACITY = 0.25  # of the colour of a region
MIN_MARKED_AREA = Fraction(1, 50)  # of the picture: a smaller region has no mark


@dataclass(eq=False)
class RegionsDisplay:
    """The class that a linear classifier predicts at each point of the plane.

    Use it for more than two classes, and to see where one-against-all or one-against-one contradict themselves. The
    polygons are exact: they come from `rosenblatt.regions`, not from a grid of colours. The largest region of each
    class contains a large, pale mark of that class. Regions that no class claims, or that several classes claim or tie
    in, are hatched.

    Parameters
    ----------
    points : array of shape (n, 2)
        The rows.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of labels
        The labels of the classes.
    regions : list of Region
        The polygons.
    box : tuple
        The limits of both axes.
    view : View
        The names of the columns.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    rosenblatt.regions : The polygons as numbers.
    BoundaryDisplay : For two classes.

    Examples
    --------
    >>> from rosenblatt import NearestMean
    >>> from rosenblatt.plot import RegionsDisplay
    >>> X, y = [[0, 0], [4, 0], [0, 4]], ["a", "b", "c"]
    >>> display = RegionsDisplay.from_estimator(NearestMean().fit(X, y), X, y)
    >>> for region in display.regions:
    ...     print(region.words, region.polygon.round(2).tolist())
    a [[-0.24, -0.24], [2.0, -0.24], [2.0, 2.0], [-0.24, 2.0]]
    b [[2.0, -0.24], [4.24, -0.24], [4.24, 4.24], [2.0, 2.0]]
    c [[4.24, 4.24], [-0.24, 4.24], [-0.24, 2.0], [2.0, 2.0]]
    """

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    regions: list[Region]
    box: Box
    view: View
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
        """Draw the regions of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            A linear classifier, or a wrapper around one, see `rosenblatt.regions`.
        X : array, sparse matrix, data frame or Arrow table of shape (n, 2)
            The rows.
        y : array of shape (n,)
            The class labels.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X.

        Returns
        -------
        RegionsDisplay
            The display, with `ax_` and `figure_`.

        Raises
        ------
        DataError
            X does not have two columns.
        """
        matrix = validation.points(X)
        if matrix.shape[1] != 2:
            raise DataError(
                f"RegionsDisplay needs X with 2 columns, but it has {matrix.shape[1]}. Choose two columns, fit to them "
                "and draw them. BoundaryDisplay draws two classes with any number of columns."
            )
        view = View.of(matrix, names=names_of(X, 2, feature_names, estimator))
        points = view.points(matrix)
        box = view.box(points)
        found = regions(estimator, [*box[0], *box[1]])
        known = np.asarray(estimator.classes_)
        return cls(points, validation.codes(y, len(points), known), known.tolist(), found, box, view).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        RegionsDisplay
            The display, with `ax_` and `figure_`.
        """
        own, ax = ax is None, axes_of(ax, size_of(self.box))
        set_box(ax, self.box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        for region in self.regions:
            look: dict[str, Any] = {"edgecolor": "0.35", "linewidth": 0.8, "zorder": 0}
            if region.label is not None:
                look |= {"facecolor": (ink(self.classes.index(region.label)), OPACITY)}
            else:
                look |= {"facecolor": "white", "hatch": HATCHES[kind_of(region)]}
            ax.fill(*region.polygon.T, **look)
        for kind in sorted({kind_of(region) for region in self.regions if region.label is None}):
            ax.fill([], [], facecolor="white", edgecolor="0.35", hatch=HATCHES[kind], label=CLAIMS[kind])
        for code, label in enumerate(self.classes):
            self._draw_mark(ax, code, [region for region in self.regions if region.label == label])
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self

    def _draw_mark(self, ax: Any, code: int, own: list[Region]) -> None:
        """Draw the mark of a class in its largest region, if that is large enough."""
        largest = max(own, key=lambda region: region.area, default=None)
        if largest is not None and largest.area > MIN_MARKED_AREA * sum(region.area for region in self.regions):
            look = {"marker": mark(code), "markersize": 24, "markerfacecolor": "none", "zorder": 1}
            ax.plot(*largest.polygon.mean(axis=0), markeredgecolor=(ink(code), 0.6), **look)


def kind_of(region: Region) -> int:
    """The hatching of an ambiguous region: 0 if no class claims it, 1 if two do, 2 if more do."""
    return min(max(len(region.claims) - 1, 0), 2)
