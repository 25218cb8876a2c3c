"""Gaussians as ellipses of one radius, in standard deviations, and the line that they touch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import (
    NOT_DRAWN,
    TINT,
    axes_of,
    figure_of,
    ink,
    legend,
    mark,
    mark_size,
    set_box,
    size_of,
    text,
)
from rosenblatt.plot.view import View, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CORNERS = 181  # points of an outline: the first again at the end, the ends of both axes among them
DEFAULT_RADIUS = 2.0  # standard deviations, where the radius reached cannot be drawn
MAX_RADIUS = 1e3  # the largest radius that is drawn
TITLE_HEIGHT = 0.45  # inches


@dataclass(eq=False, repr=False)
class GaussiansDisplay:
    """Gaussians of two classes as ellipses, and the line with the smallest worst error.

    Use it to see why the line of a fitted `Anderson` cannot be better. All ellipses have one radius: the number of
    standard deviations that was reached. The tight ellipses touch the line in the marked points; the others stay away
    from it. With more than two columns, w is the horizontal axis: an ellipsoid of covariance C is drawn as the ellipse
    of P C P', and it touches the drawn line exactly if it touches the hyperplane.

    Parameters
    ----------
    means : array of shape (m, 2)
        The projected means.
    covariances : array of shape (m, 2, 2)
        The projected covariances. The ellipse of a singular one is a segment or a point.
    codes : array of shape (m,)
        The class number of each Gaussian.
    classes : list of two labels
        The labels of the two classes.
    line : Hyperplane
        The projected hyperplane.
    radius : float
        The radius of the ellipses, in standard deviations.
    tight : array of int
        The numbers of the Gaussians whose ellipses touch the line.
    error_bounds : tuple of two floats
        No line has a worst error below the first; this line has at most the second.
    view : View
        The projection.
    points : array of shape (n, 2)
        Rows to draw too; n may be 0.
    point_codes : array of shape (n,)
        Their class numbers.

    Attributes
    ----------
    outlines : array of shape (m, CORNERS, 2)
        Points of the ellipses.
    contacts : array of shape (k, 2)
        The points where tight ellipses touch the line.
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    Anderson : Finds the line.
    rosenblatt.trace_gaussians : Records how it is found.

    Examples
    --------
    >>> from rosenblatt import Anderson
    >>> from rosenblatt.plot import GaussiansDisplay
    >>> means, covariances = [[0, 0], [4, 0], [2, 3]], [[[1, 0], [0, 1]]] * 2 + [[[4, 0], [0, 0.25]]]
    >>> display = GaussiansDisplay.from_estimator(Anderson().fit_gaussians(means, covariances, ["a", "a", "b"]))
    >>> print(f"radius {display.radius:.3f}, touching at", display.contacts.round(3).tolist())
    radius 2.000, touching at [[0.0, 2.0], [4.0, 2.0], [2.0, 2.0]]
    """

    means: Floats
    covariances: Floats
    codes: Codes
    classes: Sequence[Any]
    line: Hyperplane
    radius: float
    tight: Codes
    error_bounds: tuple[float, float]
    view: View
    points: Floats
    point_codes: Codes
    ax_: "Axes" = field(default=NOT_DRAWN, init=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Anderson,
        X: TableLike | None = None,
        y: LabelsLike | None = None,
        *,
        ax: "Axes | None" = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Draw the Gaussians of a fitted `Anderson`.

        Parameters
        ----------
        estimator : Anderson
            It is fitted.
        X : array, sparse matrix, data frame or Arrow table of shape (n, d), optional
            Rows to draw too, in pale colours.
        y : array of shape (n,), optional
            Their class labels.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X or of the fitted model.

        Returns
        -------
        GaussiansDisplay
            The display, with `ax_` and `figure_`.
        """
        if not isinstance(estimator, Anderson) or not hasattr(estimator, "means_"):
            raise ParameterError(f"estimator must be a fitted Anderson, not {estimator!r}.")
        plane = estimator.hyperplane_
        view = View.of(estimator.means_, plane.w, names_of(X, len(plane.w), feature_names, estimator))
        P = view.directions
        points, point_codes = np.empty((0, 2)), np.empty(0, dtype=np.int64)
        if X is not None:
            table = validation.points(X)
            validation.check_columns(estimator, X, table, reset=False)
            points, point_codes = view.points(table), validation.codes(y, table.shape[0], estimator.classes_)
        radius = estimator.radius_bounds_[0]
        drawn = 0 < radius <= MAX_RADIUS
        return cls(
            means=view.points(estimator.means_),
            covariances=P @ estimator.covariances_ @ P.T,
            codes=validation.codes(estimator.component_labels_, len(estimator.means_), estimator.classes_),
            classes=estimator.classes_.tolist(),
            line=view.line(plane),
            radius=radius if drawn else DEFAULT_RADIUS,
            tight=estimator.tight_ if drawn else estimator.tight_[:0],
            error_bounds=estimator.worst_error_bounds_,
            view=view,
            points=points,
            point_codes=point_codes,
        ).plot(ax)

    @property
    def outlines(self) -> Floats:
        """Points of the ellipses, m x CORNERS x 2."""
        values, vectors = np.linalg.eigh(self.covariances)
        axes = vectors * np.sqrt(np.maximum(values, 0.0))[:, np.newaxis]
        turn = np.linspace(0, 2 * math.pi, CORNERS)
        circle = np.array([np.cos(turn), np.sin(turn)])
        return np.asarray(self.means[:, np.newaxis] + self.radius * (axes @ circle).transpose(0, 2, 1))

    @property
    def contacts(self) -> Floats:
        """The points where tight ellipses touch the line, k x 2."""
        sides = np.where(self.codes[self.tight] == 1, 1.0, -1.0)
        turned = self.covariances[self.tight] @ self.line.w
        spreads = np.sqrt(np.maximum(turned @ self.line.w, 0.0))
        reach = self.radius * np.divide(sides, spreads, out=np.zeros_like(spreads), where=spreads > 0)
        return self.means[self.tight] - reach[:, np.newaxis] * turned

    @property
    def title(self) -> str:
        """The worst error and the radius, in words."""
        least, reached = self.error_bounds
        error = f"worst error {100 * reached if reached > 1e-12 else 0:.3g} %"
        if least >= 0.5:
            error = "proved: no line has a worst error below 50 %"
        return f"{error}\nellipses of {self.radius:.4g} standard deviations"

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        GaussiansDisplay
            The display, with `ax_` and `figure_`.
        """
        box = self.view.box(np.concatenate([self.outlines.reshape(-1, 2), self.points]))
        width, height = size_of(box)
        own, ax = ax is None, axes_of(ax, (width, height + TITLE_HEIGHT))
        for code, label in enumerate(self.classes):
            rows = self.points[self.point_codes == code]
            look: dict[str, Any] = {"c": ink(code), "s": mark_size(len(self.points)), "alpha": 0.35, "linewidths": 0}
            ax.scatter(rows[:, 0], rows[:, 1], marker=mark(code), **look)
            for outline in self.outlines[self.codes == code]:
                ax.fill(*outline.T, color=ink(code), alpha=TINT, linewidth=0)
                ax.plot(*outline.T, color=ink(code), linewidth=1.6, linestyle=("-", "--")[code])
            means = self.means[self.codes == code]
            ax.plot(*means.T, color=ink(code), marker=mark(code), linestyle="", label=f"{text(label)}: means")
        ends = self.line.segment(*box) if self.line.w.any() else None
        if ends is not None:
            ax.plot(*ends.T, color="black", linewidth=1.8, label="boundary")
        if len(self.tight):
            look = {"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "linestyle": ""}
            ax.plot(*self.contacts.T, label="where ellipses touch the boundary", zorder=5, **look)
        set_box(ax, box, self.view.labels)
        ax.set_title(self.title, fontsize="medium")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self
