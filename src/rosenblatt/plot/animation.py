"""A training run as an animation, one frame per step: a GIF, or an HTML page in one file."""

import io
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.parameters import Integer, Number
from rosenblatt.base.regions import regions
from rosenblatt.base.words import count_of
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.path import check_one_line
from rosenblatt.plot.player import page
from rosenblatt.plot.style import MAX_LEGEND_CLASSES, TINT, Box, ink, mark_size, pyplot, scatter, set_box, size_of
from rosenblatt.plot.view import View
from rosenblatt.tracing.narration import narrated
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace

TEXT_HEIGHT, LEFT_MARGIN, LABEL_HEIGHT, LEGEND_LINE, EDGE = 1.15, 0.65, 0.62, 0.22, 0.08  # inches
SECTION_NOTE = "A line shows where the boundary cuts this plane, which contains the mean of the rows."
DPI = {".gif": 100, ".html": 160}
COLOURS = 128
FONT, LINE = 8.5, 64  # font size in points, and the characters of that size that fit on a line


def animate(
    trace: Trace,
    path: str | os.PathLike[str],
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    seconds_per_step: float = 1.0,
    max_frames: int = 300,
) -> None:
    """Write a training run as an animation: one frame for the start and one for each step.

    Use it to show in a lecture how a rule moves the boundary. A frame shows all rows, and a ring around the row of the
    step (for `BatchPerceptron`, around all wrong rows). It shows the boundary and w after the step; if the step moved
    them, also before it, dashed and grey. Text below gives the score, whether it was a mistake, and the new weights.
    Each half-space, or region of more than two classes, is tinted in the colour of the class that is predicted there.

    With more than two columns, the picture is a plane that contains the mean of the rows; for two classes, the last w
    lies in it. Boundaries are drawn where they cut this plane. Only the last boundary has every row on the side where
    the row is drawn.

    Parameters
    ----------
    trace : Trace
        The result of `trace(estimator, X, y)`.
    path : str or path
        The file to write. A name that ends with .gif gives a GIF; .html gives a page with buttons that works offline.
        A file that is not such an animation is not replaced.
    X : array, sparse matrix, data frame or Arrow table of shape (n, d), optional
        All rows, which every frame shows; by default the rows of the steps.
    y : array of shape (n,), optional
        Their class labels.
    seconds_per_step : float, default=1.0
        How long each frame is shown.
    max_frames : int, default=300
        If there are more steps, only updates are shown, and the frames say so.

    Raises
    ------
    ParameterError
        There are more updates than `max_frames`; the path ends with something else; or there is no single straight
        boundary to draw: that of `KernelPerceptron` is curved, and `OneVsAll` and `OneVsOne` have several (give
        `trace.member(task)`).

    See Also
    --------
    rosenblatt.trace : Records the run.
    PathDisplay : The path of the weights in one picture.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import Perceptron, datasets, trace
    >>> from rosenblatt.plot import animate
    >>> X, y = datasets.load("berkeley_points")
    >>> steps = trace(Perceptron(order="cyclic", tie="positive", init=[0, 0, -1], max_epochs=1), X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "steps.html"
    >>> animate(steps, path)
    >>> path.read_text().count("<img")
    6
    """
    ending = _check(trace, path, seconds_per_step, max_frames)
    frames, drawer = frames_of(trace, max_frames), FrameDrawer.of(trace, X, y)
    with replacing(path, FileKind.ANIMATION) as file:
        _write(file, ending, trace, frames, drawer, round(1000 * seconds_per_step))


def animation(
    trace: Trace, ending: str, X: Any = None, y: Any = None, *, seconds_per_step: float, max_frames: int
) -> bytes:
    """The bytes that `animate` writes to a file with this ending."""
    _check(trace, f"steps{ending}", seconds_per_step, max_frames)
    file = io.BytesIO()
    drawer = FrameDrawer.of(trace, X, y)
    _write(file, ending, trace, frames_of(trace, max_frames), drawer, round(1000 * seconds_per_step))
    return file.getvalue()


def _write(
    file: BinaryIO, ending: str, trace: Trace, frames: "list[Frame]", drawer: "FrameDrawer", milliseconds: int
) -> None:
    pictures = drawer.pictures(frames, DPI[ending])
    if ending == ".gif":
        first = next(pictures)
        options = {"save_all": True, "append_images": pictures, "duration": milliseconds, "loop": 0}
        first.save(file, format="GIF", comment=b"rosenblatt animation", **options)
    else:
        stop = "cut off" if trace.stop_reason is None else f"{trace.stop_reason}: {trace.stop_reason.sentence}"
        words = [frame.words for frame in frames]
        file.write(page(trace.estimator, stop, [_png(each) for each in pictures], words, milliseconds).encode())


class Frame(NamedTuple):
    """One frame: the row of the step or the wrong rows, the weights before and after, and the words."""

    row: tuple[float, ...] | None  # the row of the step; None at the start, and where a step checks all rows
    wrong: tuple[int, ...]  # the numbers of the wrong rows, where a step checks all rows
    before: Floats
    after: Floats
    words: tuple[str, ...]


def frames_of(trace: Trace, max_frames: int) -> list[Frame]:
    """A frame for the start and for each step; for updates only if that would be more than `max_frames`."""
    shown = list(range(len(trace)))
    thinned = len(shown) >= max_frames
    if thinned:
        shown = [t for t in shown if trace[t].updated]
    if len(shown) >= max_frames:
        raise ParameterError(
            f"The trace has {len(trace)} steps, {len(shown)} of them updates: with the start, more frames than "
            f"max_frames={max_frames}. Use a larger max_frames, or trace(..., max_steps={max_frames - 1})."
        )
    weights = np.array([trace.start, *(step.w for step in trace)], dtype=np.float64)
    said = narrated(trace, " (updates only)" if thinned else "")
    frames = [Frame(None, (), weights[0], weights[0], said[0])]
    for t in shown:
        step, moved = trace[t], (weights[t], weights[t + 1], said[t + 1])
        all_rows = trace.kind is Kind.PASSES
        frames.append(Frame(None, step.active or (), *moved) if all_rows else Frame(step.x, (), *moved))
    return frames


@dataclass(frozen=True, eq=False)
class FrameDrawer:
    """Draws frames. It holds what all frames share: the rows, their classes and the view."""

    view: View
    points: Floats
    codes: Codes
    classes: tuple[Any, ...]
    bias: float
    middle: Floats  # the part of the mean of the rows that is at right angles to the picture

    @classmethod
    def of(cls, trace: Trace, X: Any = None, y: Any = None) -> Self:
        if X is None and trace.kind is Kind.PASSES:
            raise ParameterError(
                "Each step of this run checks all rows at once, and its trace has only their numbers. Give X and y."
            )
        if X is None:
            met = {step.index: step for step in trace}.values()
            X, y = [step.x for step in met], [step.y for step in met]
        rows, last = validation.points(X), np.array(trace[-1].w)
        if rows.shape[1] != len(trace.feature_names):
            raise DataError(f"X has {count_of(rows.shape[1], 'column')}, but the trace has {len(trace.feature_names)}.")
        codes = validation.codes(y, rows.shape[0], np.asarray(trace.classes))
        view = View.of(rows, last[:-1] if last.ndim == 1 else None, trace.feature_names)
        mean, P = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel(), view.directions
        return cls(view, view.points(rows), codes, trace.classes, trace.bias, mean - P.T @ (P @ mean))

    def seen(self, weights: Floats) -> Floats:
        """Weights, the bias last, restricted to the plane of the picture: two numbers and a constant each."""
        w, bias_weight = weights[..., :-1], weights[..., -1:]
        constant = bias_weight * self.bias + (w @ self.middle)[..., np.newaxis]
        return np.concatenate([w @ self.view.directions.T, constant], axis=-1)

    def pictures(self, frames: list[Frame], dpi: int) -> Iterator[Any]:
        """The frames as images with at most `COLOURS` colours."""
        figure, ax = self._set(dpi)
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from PIL import Image

        canvas: Any = FigureCanvasAgg(figure)
        permanent = {*ax.get_children(), *figure.texts}
        for frame in frames:
            self._draw(ax, frame)
            canvas.draw()
            image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
            yield image.quantize(COLOURS, dither=Image.Dither.NONE)
            for old in {*ax.get_children(), *figure.texts} - permanent:
                old.remove()

    def _set(self, dpi: int) -> tuple[Any, Any]:
        """A figure and axes with everything that all frames share."""
        box = self.view.box(self._corners())
        width, height = size_of(box)
        columns = max(1, min(4, LINE // (6 + max(len(str(label)) for label in self.classes))))
        above = LEGEND_LINE * math.ceil((min(len(self.classes), MAX_LEGEND_CLASSES) + 2) / columns)
        height += TEXT_HEIGHT + above + EDGE
        figure = pyplot().Figure(figsize=(width, height), dpi=dpi)
        room = LEFT_MARGIN / width, (TEXT_HEIGHT + LABEL_HEIGHT) / height
        ax = figure.add_axes((*room, 0.97 - room[0], 1 - (above + EDGE) / height - room[1]))
        set_box(ax, box, self.view.labels)
        scatter(ax, self.points, self.codes, self.classes)
        if len(self.classes) == 2:
            ax.plot([], [], color="black", label="boundary, w")
            ax.plot([], [], color="0.5", linestyle="--", label="before")
        if len(self.middle) > 2:
            figure.text(0.02, EDGE / height, SECTION_NOTE, fontsize=7, style="italic")
        figure.legend(loc="upper center", ncols=columns, frameon=False, fontsize="small", borderpad=0.1)
        return figure, ax

    def _corners(self) -> Floats:
        """The rows, and the origin if it is no farther from them than they are spread: first boundaries contain it."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        near = (2 * low - high <= 0).all() and (2 * high - low >= 0).all()
        return np.vstack([self.points, np.zeros((int(near), 2))])

    def _draw(self, ax: Any, frame: Frame) -> None:
        box = ax.get_xlim(), ax.get_ylim()
        self._draw_regions(ax, box, self.seen(frame.after))
        if len(self.classes) == 2:
            if not np.array_equal(frame.before, frame.after):
                _draw_boundary(ax, box, self.seen(frame.before), "0.5", "--")
            _draw_boundary(ax, box, self.seen(frame.after), "black", "-")
        if frame.row is not None or frame.wrong:
            at = self.points[list(frame.wrong)] if frame.row is None else self.view.points(np.array([frame.row]))
            size = 6 * mark_size(len(self.points))
            ax.scatter(*at.T, s=size, facecolors="none", edgecolors="black", linewidths=2, zorder=6)
        for i, line in enumerate(frame.words):
            y = (TEXT_HEIGHT - 0.05 - 0.22 * i) / ax.figure.get_figheight()
            size = FONT * min(1.0, LINE / max(len(line), 1))
            ax.figure.text(0.02, y, line, va="top", fontsize=size, family="monospace", parse_math=False)

    def _draw_regions(self, ax: Any, box: Box, seen: Floats) -> None:
        scores = np.atleast_2d(seen)
        model = SimpleNamespace(
            coef_=scores[:, :2], intercept_=scores[:, 2], classes_=np.arange(len(self.classes)), n_features_in_=2
        )
        for region in regions(model, (*box[0], *box[1])):
            if region.label is not None:
                look = {"facecolor": (ink(region.label), TINT), "hatch": "//" * (region.label % 2)}
                ax.fill(*region.polygon.T, edgecolor=(ink(region.label), 2 * TINT), linewidth=0, zorder=0, **look)
                if len(self.classes) > 2:
                    ax.fill(*region.polygon.T, fill=False, edgecolor="black", linewidth=1.2, zorder=1)


def _draw_boundary(ax: Any, box: Box, seen: Floats, colour: str, style: str) -> None:
    """Draw a boundary, and w as an arrow from its middle."""
    plane = Hyperplane(seen[:2], seen[2])
    ends = plane.segment(*box) if plane.w.any() else None
    if ends is None:
        return
    ax.plot(*ends.T, color=colour, linestyle=style, linewidth=1.5, zorder=2)
    foot, way = ends.mean(axis=0), plane.unit().w
    room = np.abs(np.where(way > 0, np.array(box)[:, 1], np.array(box)[:, 0]) - foot)
    length = min(
        0.16 * np.ptp(box, axis=1).max(), *np.divide(room, np.abs(way), out=np.full(2, np.inf), where=way != 0)
    )
    look = {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.5}
    ax.annotate("", foot + length * way, xytext=foot, arrowprops=look, zorder=5)


def _png(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True)
    return file.getvalue()


def _check(trace: Any, path: str | os.PathLike[str], seconds_per_step: Any, max_frames: Any) -> str:
    """Check the arguments of `animate`; return the ending of the path."""
    if not isinstance(trace, Trace):
        raise ParameterError(f"trace must be a Trace, the result of trace(estimator, X, y), not {trace!r}.")
    check_one_line(trace)
    if not len(trace):
        raise DataError("The trace has no steps to show.")
    if not Number(0, strict=True).allows(seconds_per_step):
        raise ParameterError(f"seconds_per_step must be {Number(0, strict=True)}, not {seconds_per_step!r}.")
    if not Integer(2).allows(max_frames):
        raise ParameterError(f"max_frames must be {Integer(2)}, not {max_frames!r}.")
    ending = Path(path).suffix.lower()
    if ending not in DPI:
        raise ParameterError(f"path must end with {' or '.join(DPI)}, but it is {os.fspath(path)!r}.")
    return ending
