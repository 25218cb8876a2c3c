"""The way of w: its direction after each update, on the circle or in its disc, and the directions that separate."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.style import HALO, SIZE, TINT, axes_of, ink, legend, mark, set_box, text
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace

EDGE = 1.22  # of the picture; the circle has radius 1
INSIDE = 0.7  # how far the longest row reaches
NEAR = 0.13  # numbers closer to each other would overlap
MANY = 60  # updates that have no arrows
NOISE = 1e-9


@dataclass(eq=False, repr=False)
class PathDisplay:
    """The direction w/|w| after each update, numbered, and all directions that separate the rows.

    Each row gives z = y x, and w is right for it in the half-plane w.z > 0; where all of these meet is the arc of
    solutions. Two weights are drawn as they are, on the circle. More (the bias weight is one) are seen in the plane of
    the first and the last w: what is between them leaves that plane, and is seen inside the circle; the arc has the
    solutions in the plane.

    Parameters
    ----------
    directions : array (m, k), w/|w|
    numbers : array (m,), how many updates had been made; 0 is the start, if it is not at 0
    basis : array (2, k), two directions at right angles: the plane that is seen
    labels : of the axes
    signed : array (n, 2), the rows z as they are seen; n is 0 if none were given
    codes : array (n,), the number of the class of each
    classes : the two labels

    Attributes
    ----------
    points : array (m, 2), the directions as they are seen
    arc : two angles in radians: every direction between them separates the rows; None if there is none
    ax_, figure_ : what was drawn on

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets, trace
    >>> from rosenblatt.plot import PathDisplay
    >>> X, y = datasets.load("cmu_points")
    >>> steps = trace(Perceptron(order="cyclic", tie="positive", bias=0), X, y)
    >>> display = PathDisplay.from_trace(steps, X, y)
    >>> display.points.round(3).tolist()
    [[0.447, -0.894], [0.894, -0.447], [0.949, 0.316]]
    >>> np.degrees(display.arc).round(3).tolist()
    [-26.565, 26.565]
    """

    directions: Floats
    numbers: Codes
    basis: Floats
    labels: tuple[str, str]
    signed: Floats
    codes: Codes
    classes: Sequence[Any]
    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    @classmethod
    def from_trace(cls, trace: Trace, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Follow the weights of a trace and draw their way.

        Parameters
        ----------
        trace : of a run with two classes
        X, y : rows and labels, for the arc of solutions
        ax : matplotlib's axes to draw on; a new figure if there are none
        """
        directions, numbers = _directions(trace)
        names = [f"weight of {name}" for name in trace.names] + ["bias weight"] * (trace.bias != 0)
        if len(names) == 2:
            basis, labels = np.eye(2), (names[0], names[1])
        else:
            basis, labels = _plane(directions), ("along the first w", "across it, towards the last w")
        return cls(directions, numbers, basis, labels, *_signed(trace, X, y, basis), trace.classes).plot(ax)

    @property
    def points(self) -> Floats:
        return np.asarray(self.directions @ self.basis.T)

    @property
    def arc(self) -> tuple[float, float] | None:
        return solutions(self.signed)

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes, or on those of a new figure."""
        own, ax = ax is None, axes_of(ax, SIZE)
        turn = np.linspace(0, 2 * math.pi, 181)
        ax.plot(np.cos(turn), np.sin(turn), color="0.6", linewidth=0.8)
        self._draw_rows(ax)
        self._draw_way(ax)
        last = self.points[-1]
        look = {"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "linewidth": 2}
        ax.annotate("", last, xytext=(0, 0), arrowprops=look, zorder=4)
        ax.plot([], [], color="black", linewidth=2, label="the last w")
        set_box(ax, ((-EDGE, EDGE), (-EDGE, EDGE)), self.labels)
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_rows(self, ax: Any) -> None:
        if not len(self.signed):
            return
        if self.arc is None:
            ax.plot([], [], " ", label="no direction here separates the rows")
        else:
            turn = np.linspace(*self.arc, 91)
            rim = np.array([np.cos(turn), np.sin(turn)])
            look = {"facecolor": (ink(2), 2 * TINT), "edgecolor": ink(2), "hatch": "..", "linewidth": 0}
            ax.fill(*np.insert(rim, 0, 0.0, axis=1), label="directions that separate", zorder=0, **look)
            ax.plot(*rim, color=ink(2), linewidth=4, zorder=1)
        seen = INSIDE / (np.linalg.norm(self.signed, axis=1).max() or 1.0) * self.signed
        for code, label in enumerate(self.classes):
            look = {"c": ink(code), "marker": mark(code), "s": 14, "alpha": 0.6, "linewidths": 0}
            ax.scatter(*seen[self.codes == code].T, label=text(f"y x of {label}"), zorder=2, **look)

    def _draw_way(self, ax: Any) -> None:
        points = self.points
        ax.plot(*points.T, ".", color="black", markersize=7, zorder=5, label="w after each update")
        if len(points) > MANY:
            ax.plot(*points.T, color="0.35", linewidth=0.5, zorder=3)
        else:
            look = {"arrowstyle": "->", "color": "0.35", "shrinkA": 3, "shrinkB": 3, "linewidth": 0.9}
            for here, there in itertools.pairwise(points):
                ax.annotate("", there, xytext=here, arrowprops=look, zorder=3)
        labelled: list[Floats] = []
        for t in [len(points) - 1, *range(len(points) - 1)]:
            if all(np.linalg.norm(points[t] - other) > NEAR for other in labelled):
                labelled.append(points[t])
                look = {"ha": "center", "va": "center", "fontsize": "small", "bbox": HALO}
                ax.annotate(str(self.numbers[t]), 1.1 * points[t], zorder=6, **look)


def solutions(signed: Floats) -> tuple[float, float] | None:
    """The open arc of angles whose directions u have u.z > 0 for all z (n x 2); None if there is none.

    The z must leave a gap of more than half a turn; the arc is as much wide as the gap is wider.
    """
    if not len(signed) or not signed.any(axis=1).all():
        return None
    angles = np.sort(np.arctan2(signed[:, 1], signed[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * math.pi)
    widest = int(np.argmax(gaps))
    room, low = float(gaps[widest]) - math.pi, float(angles[widest]) - math.pi / 2
    return (low, low + room) if room > NOISE else None


def _directions(trace: Trace) -> tuple[Floats, Codes]:
    """The direction of w at the start and after each update, where it is not 0, and the number of the update."""
    if not isinstance(trace, Trace):
        raise ParameterError(f"trace must be what trace(estimator, X, y) gives, not {trace!r}.")
    refuse_none_or_many(trace)
    if len(trace.classes) != 2:
        raise ParameterError(f"One w is followed, of two classes, but this trace has {len(trace.classes)} of them.")
    kept = [(0, trace.start), *((step.updates, step.w) for step in trace if step.updated)]
    W = np.array([w for _, w in kept])[:, : None if trace.bias else -1]
    if W.shape[1] < 2:
        raise DataError("With one column and no bias, w is one number, whose direction does not turn.")
    turned = W.any(axis=1)
    if not turned.any():
        raise DataError("w is 0 at the start and is never updated, so that it has no direction.")
    W = W[turned] / np.abs(W[turned]).max(axis=1, keepdims=True)  # squares of extreme numbers leave the floats
    return W / np.linalg.norm(W, axis=1, keepdims=True), np.array([number for number, _ in kept])[turned]


def refuse_none_or_many(trace: Trace) -> None:
    """Weights are drawn in the space of the rows, those of one classifier at a time."""
    if trace.members:
        known = ", ".join(repr(member.task) for member in trace.members)
        raise ParameterError(
            f"This trace is of {len(trace.members)} classifiers; give that of one, trace.member(task), the task being "
            f"one of {known}."
        )
    if trace.kind is Kind.KERNEL:
        raise ParameterError(
            "The w of a kernel perceptron is no vector of the space of the rows, and its boundary is no line, so there "
            "is none to draw; trace.to_table() shows its steps."
        )


def _signed(trace: Trace, X: Any, y: Any, basis: Floats) -> tuple[Floats, Codes]:
    """The rows y x as they are seen, their bias constant included, and their classes."""
    if X is None:
        return np.empty((0, 2)), np.empty(0, dtype=np.int64)
    table, d = validation.points(X), len(trace.names)
    if table.shape[1] != d:
        raise DataError(f"X has {table.shape[1]} columns, but the trace is of {d}.")
    codes = validation.codes(y, table.shape[0], np.asarray(trace.classes))
    seen = table @ basis[:, :d].T + trace.bias * basis[:, d:].sum(axis=1)
    return validation.signs(codes)[:, np.newaxis] * seen, codes


def _plane(directions: Floats) -> Floats:
    """The plane of the first direction and the last; if these are one line, of the next that leaves it, or of any."""
    first = directions[0]
    spare = np.zeros_like(first)
    spare[np.argmin(np.abs(first))] = 1.0
    for other in (directions[-1], *directions, spare):
        across = other - (other @ first) * first
        if np.linalg.norm(across) > math.sqrt(NOISE):
            break
    return np.array([first, across / np.linalg.norm(across)])
