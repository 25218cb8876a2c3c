"""The plane as a linear classifier divides it, in exact polygons."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.regions import Region, regions
from rosenblatt.data import validation
from rosenblatt.errors import DataError
from rosenblatt.plot.style import HATCHES, Box, axes_of, ink, legend, mark, scatter, set_box, size_of
from rosenblatt.plot.view import View, names_of

Floats = NDArray[np.float64]
CLAIMS = ("no class claims it", "two classes claim it, or tie", "three or more claim it, or tie")
STRENGTH = 0.25  # of the colour of a region
ROOM = Fraction(1, 50)  # of the picture, that a region must fill to have a mark


@dataclass(eq=False)
class RegionsDisplay:
    """What a linear classifier of two features answers in each place of the plane.

    The polygons are exact, as `rosenblatt.regions` gives them, not the colours of a grid. The largest of each class has
    its mark in it, pale and large. Places that no class claims, or where several claim or tie, are hatched.

    Parameters
    ----------
    points : n x 2
    codes : n numbers of classes
    classes : the labels
    regions : the polygons
    box : limits of x and of y
    view : names of the columns

    Attributes
    ----------
    ax_, figure_ : what was drawn on

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
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, names: Sequence[str] | None = None
    ) -> Self:
        """Draw the regions of a fitted classifier.

        Parameters
        ----------
        estimator : a fitted linear classifier, or a wrapper of such, as `rosenblatt.regions` takes it
        X : array, sparse matrix, data frame or Arrow table, n x 2
        y : n class labels
        ax : matplotlib's axes to draw on; a new figure if there are none
        names : of the columns, if they are to be called other than in X

        Raises
        ------
        DataError
            There are not two columns.
        """
        matrix = validation.points(X)
        if matrix.shape[1] != 2:
            raise DataError(
                f"RegionsDisplay divides a plane, so X must have 2 columns, but it has {matrix.shape[1]}; choose two, "
                "fit to these and give them. BoundaryDisplay draws two classes of any number of columns."
            )
        view = View.of(matrix, names=names_of(X, 2, names, estimator))
        points = view.points(matrix)
        box = view.box(points)
        found = regions(estimator, [*box[0], *box[1]])
        known = np.asarray(estimator.classes_)
        return cls(points, validation.codes(y, len(points), known), known.tolist(), found, box, view).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on those of a new figure."""
        own, ax = ax is None, axes_of(ax, size_of(self.box))
        set_box(ax, self.box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        for region in self.regions:
            look: dict[str, Any] = {"edgecolor": "0.35", "linewidth": 0.8, "zorder": 0}
            if region.label is not None:
                look |= {"facecolor": (ink(self.classes.index(region.label)), STRENGTH)}
            else:
                look |= {"facecolor": "white", "hatch": HATCHES[kind_of(region)]}
            ax.fill(*region.polygon.T, **look)
        for kind in sorted({kind_of(region) for region in self.regions if region.label is None}):
            ax.fill([], [], facecolor="white", edgecolor="0.35", hatch=HATCHES[kind], label=CLAIMS[kind])
        for code, label in enumerate(self.classes):
            self._draw_mark(ax, code, [region for region in self.regions if region.label == label])
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_mark(self, ax: Any, code: int, own: list[Region]) -> None:
        """The mark of a class in the largest of its regions, if there is room."""
        largest = max(own, key=lambda region: region.area, default=None)
        if largest is not None and largest.area > ROOM * sum(region.area for region in self.regions):
            look = {"marker": mark(code), "markersize": 24, "markerfacecolor": "none", "zorder": 1}
            ax.plot(*largest.polygon.mean(axis=0), markeredgecolor=(ink(code), 0.6), **look)


def kind_of(region: Region) -> int:
    """How an ambiguous region is hatched: 0 if no class claims it, 1 if two do, 2 if more do."""
    return min(max(len(region.claims) - 1, 0), 2)
