"""The path of w: its direction after each update, and the directions that separate the rows."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.words import count_of
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.style import HALO, NOT_DRAWN, SIZE, TINT, axes_of, figure_of, ink, legend, mark, set_box, text
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LIMIT = 1.22  # of both axes; the circle has radius 1
ROW_LENGTH = 0.7  # the length of the longest row in the picture
LABEL_DISTANCE = 0.13  # numbers closer to each other would overlap
MAX_ARROWS = 60  # with more updates, a line replaces the arrows
NOISE = 1e-9


@dataclass(eq=False, repr=False)
class PathDisplay:
    """The direction `w/|w|` after each update, numbered, and all directions that separate the rows.

    Use it to see how updates turn w towards the solutions. A row x with label y gives z = y x, and w is right for the
    row in the half-plane w.z > 0. All half-planes together leave the arc of solutions. Two weights are drawn on the
    unit circle. More weights (the bias weight counts) are projected on the plane of the first and the last w: a
    direction outside that plane is drawn inside the circle, and the arc shows the solutions in the plane.

    Parameters
    ----------
    directions : array of shape (m, k)
        The directions `w/|w|`.
    numbers : array of shape (m,)
        The number of updates before each; 0 is the start, if w is not 0 there.
    basis : array of shape (2, k)
        Two directions at right angles that span the plane of the picture.
    labels : tuple of two str
        The labels of the axes.
    signed : array of shape (n, 2)
        The projected rows z; n is 0 if no rows were given.
    codes : array of shape (n,)
        The class number of each row.
    classes : list of two labels
        The labels of the two classes.

    Attributes
    ----------
    points : array of shape (m, 2)
        The projected directions.
    arc : tuple of two floats, or None
        Two angles in radians; every direction between them separates the rows. None if no direction does.
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    rosenblatt.trace : Records the run.
    animate : Shows each step as a frame.

    Examples
    --------
    >>> import math
    >>> from rosenblatt import Perceptron, datasets, trace
    >>> from rosenblatt.plot import PathDisplay
    >>> X, y = datasets.load("cmu_points")
    >>> steps = trace(Perceptron(order="cyclic", tie="positive", bias=0), X, y)
    >>> display = PathDisplay.from_trace(steps, X, y)
    >>> display.points.round(3).tolist()
    [[0.447, -0.894], [0.894, -0.447], [0.949, 0.316]]
    >>> [round(math.degrees(angle), 3) for angle in display.arc]
    [-26.565, 26.565]
    """

    directions: Floats
    numbers: Codes
    basis: Floats
    labels: tuple[str, str]
    signed: Floats
    codes: Codes
    classes: Sequence[Any]
    ax_: "Axes" = field(default=NOT_DRAWN, init=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False)

    @classmethod
    def from_trace(
        cls, trace: Trace, X: TableLike | None = None, y: LabelsLike | None = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the path of the weights of a trace.

        Parameters
        ----------
        trace : Trace
            The trace of a run with two classes.
        X : array, sparse matrix, data frame or Arrow table of shape (n, d), optional
            The rows; needed for the arc of solutions.
        y : array of shape (n,), optional
            Their class labels.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        PathDisplay
            The display, with `ax_` and `figure_`.
        """
        directions, numbers = _directions(trace)
        names = [f"weight of {name}" for name in trace.feature_names] + ["bias weight"] * (trace.bias != 0)
        if len(names) == 2:
            basis, labels = np.eye(2), (names[0], names[1])
        else:
            basis, labels = _plane(directions), ("along the first w", "across, towards the last w")
        return cls(directions, numbers, basis, labels, *_signed(trace, X, y, basis), trace.classes).plot(ax)

    @property
    def points(self) -> Floats:
        """The projected directions, m x 2."""
        return np.asarray(self.directions @ self.basis.T)

    @property
    def arc(self) -> tuple[float, float] | None:
        """Two angles in radians, between which every direction separates the rows; None if no direction does."""
        return solutions(self.signed)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        PathDisplay
            The display, with `ax_` and `figure_`.
        """
        own, ax = ax is None, axes_of(ax, SIZE)
        turn = np.linspace(0, 2 * math.pi, 181)
        ax.plot(np.cos(turn), np.sin(turn), color="0.6", linewidth=0.8)
        self._draw_rows(ax)
        self._draw_path(ax)
        last = self.points[-1]
        look = {"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "linewidth": 2}
        ax.annotate("", last, xytext=(0, 0), arrowprops=look, zorder=4)
        ax.plot([], [], color="black", linewidth=2, label="the last w")
        set_box(ax, ((-LIMIT, LIMIT), (-LIMIT, LIMIT)), self.labels)
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self

    def _draw_rows(self, ax: Any) -> None:
        if not len(self.signed):
            return
        if self.arc is None:
            ax.plot([], [], " ", label="no direction in this plane separates the rows")
        else:
            turn = np.linspace(*self.arc, 91)
            rim = np.array([np.cos(turn), np.sin(turn)])
            look = {"facecolor": (ink(2), 2 * TINT), "edgecolor": ink(2), "hatch": "..", "linewidth": 0}
            ax.fill(*np.insert(rim, 0, 0.0, axis=1), label="directions that separate", zorder=0, **look)
            ax.plot(*rim, color=ink(2), linewidth=4, zorder=1)
        seen = ROW_LENGTH / (np.linalg.norm(self.signed, axis=1).max() or 1.0) * self.signed
        for code, label in enumerate(self.classes):
            look = {"c": ink(code), "marker": mark(code), "s": 14, "alpha": 0.6, "linewidths": 0}
            ax.scatter(*seen[self.codes == code].T, label=text(f"y x of {label}"), zorder=2, **look)

    def _draw_path(self, ax: Any) -> None:
        points = self.points
        ax.plot(*points.T, ".", color="black", markersize=7, zorder=5, label="w after each update")
        if len(points) > MAX_ARROWS:
            ax.plot(*points.T, color="0.35", linewidth=0.5, zorder=3)
        else:
            look = {"arrowstyle": "->", "color": "0.35", "shrinkA": 3, "shrinkB": 3, "linewidth": 0.9}
            for here, there in itertools.pairwise(points):
                ax.annotate("", there, xytext=here, arrowprops=look, zorder=3)
        labelled: list[Floats] = []
        for t in [len(points) - 1, *range(len(points) - 1)]:
            if all(np.linalg.norm(points[t] - other) > LABEL_DISTANCE for other in labelled):
                labelled.append(points[t])
                look = {"ha": "center", "va": "center", "fontsize": "small", "bbox": HALO}
                ax.annotate(str(self.numbers[t]), 1.1 * points[t], zorder=6, **look)


def solutions(signed: Floats) -> tuple[float, float] | None:
    """The open arc of angles whose directions u have u.z > 0 for all z (n x 2); None if there is none.

    There is an arc if the z leave a gap of more than half a turn. Its width is the gap less half a turn.
    """
    if not len(signed) or not signed.any(axis=1).all():
        return None
    angles = np.sort(np.arctan2(signed[:, 1], signed[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * math.pi)
    widest = int(np.argmax(gaps))
    room, low = float(gaps[widest]) - math.pi, float(angles[widest]) - math.pi / 2
    return (low, low + room) if room > NOISE else None


def _directions(trace: Trace) -> tuple[Floats, Codes]:
    """The direction of w at the start and after each update, where w is not 0, and the number of updates so far."""
    if not isinstance(trace, Trace):
        raise ParameterError(f"trace must be a Trace, the result of trace(estimator, X, y), not {trace!r}.")
    check_one_line(trace)
    if len(trace.classes) != 2:
        raise ParameterError(
            f"PathDisplay needs a trace of two classes, which has one w; this trace has {len(trace.classes)} classes."
        )
    kept = [(0, trace.start), *((step.updates, step.w) for step in trace if step.updated)]
    W = np.array([w for _, w in kept])[:, : None if trace.bias else -1]
    if W.shape[1] < 2:
        raise DataError("With one column and no bias, w is a single number: it has no direction to draw.")
    turned = W.any(axis=1)
    if not turned.any():
        raise DataError("w is 0 at the start and is never updated: it has no direction to draw.")
    W = W[turned] / np.abs(W[turned]).max(axis=1, keepdims=True)  # squares of extreme numbers overflow
    return W / np.linalg.norm(W, axis=1, keepdims=True), np.array([number for number, _ in kept])[turned]


def check_one_line(trace: Trace) -> None:
    """Refuse a trace that has several boundaries, or a curved one."""
    if trace.members:
        known = ", ".join(repr(member.task) for member in trace.members)
        raise ParameterError(
            f"This trace has {len(trace.members)} classifiers. Give the trace of one, trace.member(task), where task "
            f"is one of {known}."
        )
    if trace.kind is Kind.KERNEL:
        raise ParameterError(
            "A kernel perceptron has no w in the space of the rows, and its boundary is not a line: there is nothing "
            "to draw. trace.to_table() shows its steps."
        )


def _signed(trace: Trace, X: Any, y: Any, basis: Floats) -> tuple[Floats, Codes]:
    """The projected rows y x, with their bias constant, and their class numbers."""
    if X is None:
        return np.empty((0, 2)), np.empty(0, dtype=np.int64)
    table, d = validation.points(X), len(trace.feature_names)
    if table.shape[1] != d:
        raise DataError(f"X has {count_of(table.shape[1], 'column')}, but the trace has {d}.")
    codes = validation.codes(y, table.shape[0], np.asarray(trace.classes))
    seen = table @ basis[:, :d].T + trace.bias * basis[:, d:].sum(axis=1)
    return validation.signs(codes)[:, np.newaxis] * seen, codes


def _plane(directions: Floats) -> Floats:
    """A basis of the plane of the first and the last direction.

    If both lie on one line, the next direction off that line is taken, or any other.
    """
    first = directions[0]
    spare = np.zeros_like(first)
    spare[np.argmin(np.abs(first))] = 1.0
    for other in (directions[-1], *directions, spare):
        across = other - (other @ first) * first
        if np.linalg.norm(across) > math.sqrt(NOISE):
            break
    return np.array([first, across / np.linalg.norm(across)])
