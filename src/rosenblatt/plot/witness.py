"""Why two classes cannot be separated: a few rows of each class with the same weighted mean."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.words import listed
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.errors import ParameterError
from rosenblatt.plot.hulls import draw_hull, drawing_of, hull, verdict_rows
from rosenblatt.plot.style import (
    HALO,
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
    text,
)
from rosenblatt.plot.view import View
from rosenblatt.proof.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Shares = tuple[list[Fraction], list[Fraction]]
MAX_WEIGHED_ROWS = 8  # with more rows, weights are not written beside them
SAME_HEIGHT = 0.03  # of the height of the picture: rows closer than this count as equally high
MAX_FRACTION_LENGTH = 7  # characters; a longer fraction is rounded


@dataclass(eq=False)
class WitnessDisplay:
    """The proof that no hyperplane separates two classes strictly: a few rows of each class with a common mean.

    Use it to see which rows are in each other's way. These rows are the witness. The number beside each is its weight:
    with these weights, the rows of both classes have the same mean, so their convex hulls share a point. All other rows
    are pale. Rows of more than two columns are projected on the plane in which the witness varies most. A weighted mean
    stays a weighted mean in every projection.

    For a verdict about hyperplanes through the origin, the two means need not be equal. They lie on one ray from the
    origin, or one class alone has the origin as its mean.

    Parameters
    ----------
    points : array of shape (n, 2)
        The projected rows of both classes.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of two labels
        The labels of the two classes.
    rows : tuple of two lists of int
        The row numbers of the witness in X, for each class.
    weights : tuple of two lists of Fraction
        The exact weights of these rows; those of one class sum to 1.
    corners : tuple of two arrays
        The projected rows of the witness, for each class.
    means : array of shape (2, 2)
        The projected weighted mean of each class; 0 if the witness has no rows of the class.
    shape : str
        The shape of the witness in words, such as "two crossing segments".
    view : View
        The projection.
    through_origin : bool, default=False
        True if the verdict is about hyperplanes through the origin.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    separability : Gives the verdict with the witness.
    HullsDisplay : The hulls of all rows.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> from rosenblatt.plot import WitnessDisplay
    >>> X, y = [[0, 0], [4, 0], [0, 4], [1, 1]], ["out", "out", "out", "in"]
    >>> display = WitnessDisplay.from_verdict(separability(X, y), X, y)
    >>> display.shape, display.rows, [str(weight) for weight in display.weights[1]]
    ('a point in a triangle', ([3], [0, 1, 2]), ['1/2', '1/4', '1/4'])
    """

    points: Floats
    codes: NDArray[Any]
    classes: Sequence[Any]
    rows: tuple[list[int], list[int]]
    weights: Shares
    corners: tuple[Floats, Floats]
    means: Floats
    shape: str
    view: View
    through_origin: bool = False
    ax_: "Axes" = field(default=NOT_DRAWN, init=False, repr=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False, repr=False)

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
        """Draw the witness of a verdict.

        Parameters
        ----------
        verdict : Verdict
            The result of `separability(X, y)`, or one of its `pairs`: "weak", "overlap" or "not_strict".
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
        WitnessDisplay
            The display, with `ax_` and `figure_`.

        Raises
        ------
        ParameterError
            The verdict has no witness, or is about more than two classes.
        DataError
            X and y are not those of the verdict.
        """
        if verdict.kind == "strict":
            raise ParameterError(
                "verdict must be weak, overlap or not_strict to have a witness, but it is strict: a hyperplane "
                "separates the classes. HullsDisplay.from_verdict draws it."
            )
        given, drawing = verdict_rows(verdict, X, y, feature_names), drawing_of(verdict)
        view = View.through(np.concatenate(drawing.corners), given.matrix, given.names)
        return cls(
            view.points(given.matrix),
            given.codes,
            verdict.classes,
            drawing.rows,
            weights_of(given.few, [len(rows) for rows in drawing.rows], through_origin=verdict.through_origin),
            (view.points(drawing.corners[0]), view.points(drawing.corners[1])),
            view.points(np.array(drawing.points)),
            drawing.shape,
            view,
            verdict.through_origin,
        ).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure. The witness fills the picture.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        WitnessDisplay
            The display, with `ax_` and `figure_`.
        """
        own, few = ax is None, np.concatenate([*self.corners, self.means, np.zeros((int(self.through_origin), 2))])
        box = self.view.box(few if np.ptp(few, axis=0).any() else self.points, pad=0.4)
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes, pale=True)
        for code, (rows, corners) in enumerate(zip(self.rows, self.corners, strict=True)):
            if rows:
                draw_hull(ax, hull(corners), code)
                look: dict[str, Any] = {
                    "marker": mark(code),
                    "markersize": 10,
                    "markeredgecolor": "black",
                    "linestyle": "none",
                }
                said = text(f"{self.classes[code]}: {listed(rows)}")
                ax.plot(*corners.T, color=ink(code), zorder=4, label=said, **look)
        self._draw_means(ax)
        if sum(map(len, self.rows)) <= MAX_WEIGHED_ROWS:
            self._write_weights(ax, box)
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self

    def _draw_means(self, ax: Any) -> None:
        label = f"common mean: {self.shape}"
        if self.through_origin:
            ray = np.array([[0, 0], max(self.means, key=lambda mean: float(np.hypot(*mean)))])
            look: dict[str, Any] = {"linestyle": ":", "marker": "+", "markersize": 14, "markevery": [0]}
            ax.plot(*ray.T, color="black", zorder=4, label="a ray from the origin", **look)
            label = "means of the classes" if all(self.rows) else "mean of the class"
        ax.plot(*self.means.T, "*", color="black", markersize=8, markeredgewidth=0, zorder=4.2, label=label)

    def _write_weights(self, ax: Any, box: Box) -> None:
        """Write the number and the weight of each row, above or below it, away from the mean.

        If all rows lie on a line, one class is labelled above it and the other below.
        """
        middle, few = self.means[0 if self.rows[0] else 1], np.concatenate(self.corners)
        flat, height = len(hull(few)) < 3, box[1][1] - box[1][0]
        look: dict[str, Any] = {
            "textcoords": "offset points",
            "ha": "center",
            "va": "center",
            "fontsize": "small",
            "zorder": 4.5,
        }
        for code, (rows, weights, corners) in enumerate(zip(self.rows, self.weights, self.corners, strict=True)):
            for i, weight, corner in zip(rows, weights, corners, strict=True):
                up = (corner[1] - middle[1]) / height
                side = 1 - 2 * code if flat or abs(up) < SAME_HEIGHT else np.sign(up)
                ax.annotate(f"row {i}: {short_fraction(weight)}", corner, xytext=(0, 14 * side), bbox=HALO, **look)


def weights_of(few: Table, counts: Sequence[int], *, through_origin: bool) -> Shares:
    """The exact weights of the rows of a witness, for each class; those of one class sum to 1.

    No row of the witness can be left out, so the weights are unique. `counts` has the number of rows of the negative
    class, which come first, and of the positive class.
    """
    signs = np.repeat(np.array([-1, 1], dtype=np.int8), counts)
    rows = Signed(few, signs, 0.0 if through_origin else 1.0).whole(range(few.n)).matrix
    null, _ = rows.transpose().nullspace()
    shares = [Fraction(int(null[t, 0])) for t in range(few.n)]
    own, other = shares[: counts[0]], shares[counts[0] :]
    return [share / sum(own) for share in own], [share / sum(other) for share in other]


def short_fraction(weight: Fraction) -> str:
    """A fraction as text: 1/3, or rounded to 0.333 if it is long."""
    return str(weight) if len(str(weight)) <= MAX_FRACTION_LENGTH else f"{float(weight):.3g}"
