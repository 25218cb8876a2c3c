"""The convex hulls of two classes, and the nearest points of the hulls."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import count_of
from rosenblatt.certificate.exact_table import Table
from rosenblatt.data.matrices import dense
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.boundary import draw_line, equation_of
from rosenblatt.plot.style import NOT_DRAWN, TINT, axes_of, figure_of, ink, legend, scatter, set_box, size_of
from rosenblatt.plot.view import View, names_of
from rosenblatt.proof.decide import labelled
from rosenblatt.proof.proof_drawing import Drawing
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
EDGES = ("-", "--")  # line styles of the hulls, to tell them apart where they meet
WIDTHS = (2.6, 1.4)


@dataclass(eq=False)
class HullsDisplay:
    """The convex hulls of two classes, the shortest segment between them, and the line of the largest margin.

    Use it to see why two classes can or cannot be separated. The margin is half the distance of the hulls. Rows of
    more than two columns are projected with w as the horizontal axis, and the hulls of the projected rows are drawn.
    They are as far apart as the hulls themselves: the shortest segment is parallel to w and keeps its length, and a
    projection makes no distance longer. Hulls that meet also meet in every projection.

    Parameters
    ----------
    points : array of shape (n, 2)
        The projected rows.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of two labels
        The labels of the two classes.
    hulls : tuple of two arrays
        The corners of each projected hull, counter-clockwise: one, two, or more.
    nearest : array of shape (2, 2)
        The projected nearest points of the hulls; if the hulls meet, one common point twice.
    distance_bounds : tuple of two floats
        Lower and upper bound of the distance of the hulls; (0, 0) if they meet.
    plane : Hyperplane, or None
        The projected line halfway between the hulls; None if they meet.
    equation : str
        The equation of that line.
    view : View
        The projection.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    separability : Gives the verdict that is drawn.
    WitnessDisplay : The proof that hulls meet.
    MarginDisplay : The margin of a classifier.

    Examples
    --------
    >>> from rosenblatt.plot import HullsDisplay
    >>> X, y = [[0, 0], [0, 2], [3, 1], [5, 1]], ["low", "low", "high", "high"]
    >>> display = HullsDisplay.from_data(X, y)
    >>> print(display.nearest.round(6).tolist(), "between {:.6f} and {:.6f} apart".format(*display.distance_bounds))
    [[3.0, 1.0], [0.0, 1.0]] between 3.000000 and 3.000000 apart
    """

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    hulls: tuple[Floats, Floats]
    nearest: Floats
    distance_bounds: tuple[float, float]
    plane: Hyperplane | None
    equation: str
    view: View
    ax_: "Axes" = field(default=NOT_DRAWN, init=False, repr=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False, repr=False)

    @classmethod
    def from_data(
        cls, X: TableLike, y: LabelsLike, *, ax: "Axes | None" = None, feature_names: Sequence[str] | None = None
    ) -> Self:
        """Call `separability` for rows of two classes, and draw the answer.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of two classes.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X.

        Returns
        -------
        HullsDisplay
            The display, with `ax_` and `figure_`.
        """
        found = labelled(X, y).labels
        if len(found) > 2:
            raise DataError(f"HullsDisplay needs two classes, but y has {len(found)}. Give the rows of two of them.")
        return cls.from_verdict(separability(X, y), X, y, ax=ax, feature_names=feature_names)

    @classmethod
    def from_verdict(
        cls,
        verdict: Verdict,
        X: TableLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Draw the hulls of two classes as a verdict describes them.

        Parameters
        ----------
        verdict : Verdict
            The result of `separability(X, y)`, or one of its `pairs`.
        X : array, sparse matrix, data frame or list of shape (n, d)
            The rows of the verdict.
        y : array of shape (n,)
            The class labels of the verdict.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.
        feature_names : list of str, optional
            Column names for the picture; by default those of X.

        Returns
        -------
        HullsDisplay
            The display, with `ax_` and `figure_`.

        Raises
        ------
        ParameterError
            The verdict is about more than two classes, about hyperplanes through the origin only, or has no drawing.
        DataError
            X and y are not those of the verdict.
        """
        if verdict.through_origin:
            raise ParameterError(
                "verdict must be about all hyperplanes, but this one is about hyperplanes through the origin, which "
                "says nothing about the hulls. Use HullsDisplay.from_data(X, y)."
            )
        given, drawing = verdict_rows(verdict, X, y, feature_names), drawing_of(verdict)
        plane = verdict.hyperplane if verdict.kind == "strict" else None
        view = View.of(given.matrix, None if plane is None else plane.w, given.names)
        points, codes = view.points(given.matrix), given.codes
        low, high = verdict.margin_bounds or (0.0, 0.0)
        return cls(
            points,
            codes,
            verdict.classes,
            (hull(points[codes == 0]), hull(points[codes == 1])),
            view.points(np.array(drawing.points)),
            (2 * low, 2 * high),
            view.line(plane) if plane else None,
            equation_of(plane, view.box(points), given.names) if plane else "",
            view,
        ).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        HullsDisplay
            The display, with `ax_` and `figure_`.
        """
        own, box = ax is None, self.view.box(self.points)
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        for code, corners in enumerate(self.hulls):
            draw_hull(ax, corners, code)
        if self.plane is None:
            ax.plot(*self.nearest.T, "*", color="black", markersize=11, zorder=4, label="a point of both hulls")
        else:
            draw_line(ax, self.plane, box, self.equation)
            look: dict[str, Any] = {
                "marker": "o",
                "markersize": 7,
                "markerfacecolor": "none",
                "linewidth": 2,
                "zorder": 4,
            }
            ax.plot(*self.nearest.T, color="black", label=f"shortest segment: {self._length()}", **look)
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self

    def _length(self) -> str:
        low, high = (f"{distance:.4g}" for distance in self.distance_bounds)
        return low if low == high else f"{low} to {high}"


def drawing_of(verdict: Verdict) -> Drawing:
    """The drawing of a verdict about two classes.

    Raises
    ------
    ParameterError
        The verdict is about more classes, or has no drawing.
    """
    if len(verdict.classes) > 2:
        raise ParameterError(
            f"verdict must be about two classes, but it is about {len(verdict.classes)}. Give the verdict of a pair, "
            f"such as verdict.pairs[{tuple(verdict.classes[:2])}]."
        )
    if verdict.drawing is None:
        if verdict.witness_is_rounded:
            raise ParameterError(
                "verdict must have a drawing, but it has none: with many columns the witness has rounded weights and "
                "many rows. Draw other columns, or fewer of them."
            )
        why = "it is undecided" if verdict.kind == "undecided" else "it has none; verdicts about streams never have one"
        raise ParameterError(f"verdict must have a drawing, but {why}. Call separability(X, y) with rows in memory.")
    return verdict.drawing


class VerdictRows(NamedTuple):
    """The rows of two classes that a verdict is about, their class numbers, and the column names."""

    matrix: Any
    codes: NDArray[Any]
    names: list[str]
    few: Table  # the rows of the drawing, exact, the negative class first


def verdict_rows(verdict: Verdict, X: Any, y: Any, names: Any) -> VerdictRows:
    """Find the rows that a verdict is about.

    Raises
    ------
    DataError
        X and y are not those of the verdict.
    """
    (table, codes, labels), drawing = labelled(X, y, decimals=verdict.decimals), drawing_of(verdict)
    own = [label for label in labels if label in verdict.classes]
    places = [labels.index(label) for label in own]
    chosen = np.flatnonzero(np.isin(codes, places))
    numbers = np.array([i for rows in drawing.rows for i in rows])
    fits = own == verdict.classes and len(chosen) == verdict.n and bool(np.isin(numbers, chosen).all())
    few = table.take(numbers) if fits else None
    if few is None or not np.array_equal(dense(few.floats), np.concatenate(drawing.corners)):
        raise DataError(
            f"The verdict is about {count_of(verdict.n, 'row')} of the classes {verdict.classes}, but X and y have "
            f"{count_of(len(chosen), 'row')} of these classes, and not the same ones. Give the X and y that "
            "separability was called with."
        )
    called = names_of(X, table.d, table.names if names is None else names)
    return VerdictRows(table.floats[chosen], np.searchsorted(places, codes[chosen]), called, few)


def hull(points: Floats) -> Floats:
    """The corners of the convex hull of points in the plane, counter-clockwise; two if the points are on a line."""
    distinct = np.unique(points, axis=0)
    try:
        return np.asarray(distinct[ConvexHull(distinct).vertices])
    except QhullError:
        along = distinct[:, np.argmax(np.ptp(distinct, axis=0))]
        ends = [int(np.argmin(along)), int(np.argmax(along))]
        return np.asarray(distinct[ends[: len(distinct)]])


def draw_hull(ax: Any, corners: Floats, code: int) -> None:
    """Draw a hull in the colour of its class: a polygon, a segment or a point."""
    look: dict[str, Any] = {"linewidth": WIDTHS[code], "linestyle": EDGES[code], "zorder": 1 + code / 2}
    if len(corners) > 2:
        ax.fill(*corners.T, facecolor=(ink(code), TINT), edgecolor=ink(code), **look)
    else:
        ax.plot(*corners.T, color=ink(code), **look)
