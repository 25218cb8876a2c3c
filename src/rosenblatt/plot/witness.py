"""Why two classes cannot be separated: a few rows, and the point that is a weighted mean of those of either class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.words import listed
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.errors import ParameterError
from rosenblatt.plot.hulls import draw_hull, drawing_of, hull, judged
from rosenblatt.plot.style import HALO, Box, axes_of, ink, legend, mark, scatter, set_box, size_of, text
from rosenblatt.plot.view import View
from rosenblatt.proof.verdict import Verdict

Floats = NDArray[np.float64]
Shares = tuple[list[Fraction], list[Fraction]]
FEW = 8  # rows whose weights are written beside them
LEVEL = 0.03  # of the height of the picture, within which a row counts as no higher than another
SHORT = 7  # characters of a fraction; a longer one is rounded


@dataclass(eq=False)
class WitnessDisplay:
    """The proof that no hyperplane separates two classes strictly: a few rows whose hulls share a point.

    The weights beside the rows are those with which either class has the point as its mean; other rows are pale. Rows
    of more than two columns are seen in the plane of these few, if they span one, and else where they vary most; the
    point is seen as the mean that it is, from wherever one looks.

    If only hyperplanes through the origin were asked for, the two means need not be equal: they lie on one ray from the
    origin, or one class alone has the origin as its mean.

    Parameters
    ----------
    points : n x 2, the rows of both classes as they are seen
    codes : n numbers of classes
    classes : the two labels
    rows : the row numbers of the witness, of each class, in X
    weights : their weights, exact; of each class they sum to 1
    corners : these rows as they are seen
    means : 2 x 2, the weighted mean of these rows of each class, as it is seen (0 if there are none)
    shape : in words, "two crossing segments", say
    view : from where
    through_origin : is it about hyperplanes through the origin only?

    Attributes
    ----------
    ax_, figure_ : what was drawn on

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
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_verdict(
        cls, verdict: Verdict, X: Any, y: Any, *, ax: Any = None, names: Sequence[str] | None = None
    ) -> Self:
        """Draw the witness of a verdict.

        Parameters
        ----------
        verdict : what `separability(X, y)` gave, or one of its `pairs`; "weak", "overlap" or "not_strict"
        X, y : the rows and labels that it is about
        ax : matplotlib's axes to draw on; a new figure if there are none
        names : of the columns, if they are to be called other than in X

        Raises
        ------
        ParameterError
            The verdict has no witness, or is about more than two classes.
        DataError
            It is about other rows.
        """
        if verdict.kind == "strict":
            raise ParameterError(
                "verdict must be weak, overlap or not_strict to have a witness, but it is strict: a hyperplane "
                "separates the classes; HullsDisplay.from_verdict draws it"
            )
        given, drawing = judged(verdict, X, y, names), drawing_of(verdict)
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

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on those of a new figure, as close as to fill them with the witness."""
        own, few = ax is None, np.concatenate([*self.corners, self.means, np.zeros((int(self.through_origin), 2))])
        box = self.view.box(few if np.ptp(few, axis=0).any() else self.points, pad=0.4)
        ax = axes_of(ax, size_of(box))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes, pale=True)
        for code, (rows, corners) in enumerate(zip(self.rows, self.corners, strict=True)):
            if rows:
                draw_hull(ax, hull(corners), code)
                look = {"marker": mark(code), "markersize": 10, "markeredgecolor": "black", "linestyle": "none"}
                said = text(f"{self.classes[code]}: {listed(rows)}")
                ax.plot(*corners.T, color=ink(code), zorder=4, label=said, **look)
        self._draw_means(ax)
        if sum(map(len, self.rows)) <= FEW:
            self._write_weights(ax, box)
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_means(self, ax: Any) -> None:
        label = f"common mean: {self.shape}"
        if self.through_origin:
            ray = np.array([[0, 0], max(self.means, key=lambda mean: float(np.hypot(*mean)))])
            look = {"linestyle": ":", "marker": "+", "markersize": 14, "markevery": [0]}
            ax.plot(*ray.T, color="black", zorder=4, label="a ray from the origin", **look)
            label = "means of the classes" if all(self.rows) else "mean of the class"
        ax.plot(*self.means.T, "*", color="black", markersize=8, markeredgewidth=0, zorder=4.2, label=label)

    def _write_weights(self, ax: Any, box: Box) -> None:
        """Above or below each row its number and weight, away from the mean; on a line, a side for each class."""
        middle, few = self.means[0 if self.rows[0] else 1], np.concatenate(self.corners)
        flat, height = len(hull(few)) < 3, box[1][1] - box[1][0]
        look = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": "small", "zorder": 4.5}
        for code, (rows, weights, corners) in enumerate(zip(self.rows, self.weights, self.corners, strict=True)):
            for i, weight, corner in zip(rows, weights, corners, strict=True):
                up = (corner[1] - middle[1]) / height
                side = 1 - 2 * code if flat or abs(up) < LEVEL else np.sign(up)
                ax.annotate(f"row {i}: {short_fraction(weight)}", corner, xytext=(0, 14 * side), bbox=HALO, **look)


def weights_of(few: Table, counts: Sequence[int], *, through_origin: bool) -> Shares:
    """The exact weights with which rows, none of which could be left out, add up to 0; of each class they sum to 1.

    `counts` says how many of them are of the negative class, which come first, and how many of the positive.
    """
    signs = np.repeat(np.array([-1, 1], dtype=np.int8), counts)
    rows = Signed(few, signs, 0.0 if through_origin else 1.0).whole(range(few.n)).matrix
    null, _ = rows.transpose().nullspace()
    shares = [Fraction(int(null[t, 0])) for t in range(few.n)]
    own, other = shares[: counts[0]], shares[counts[0] :]
    return [share / sum(own) for share in own], [share / sum(other) for share in other]


def short_fraction(weight: Fraction) -> str:
    """1/3, or 0.333 where the fraction is longer."""
    return str(weight) if len(str(weight)) <= SHORT else f"{float(weight):.3g}"
