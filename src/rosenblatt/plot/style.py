"""Colours, marks, axes, limits and legends that all pictures share.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. Classes also differ by marks, and
half-spaces by hatching, so pictures can be printed in grey.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Box = tuple[tuple[float, float], tuple[float, float]]  # limits of x and of y

INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "^", "s", "D", "v", "P")
HATCHES = ("....", "////", "xxxx")  # of regions that no class claims, that two claim, that more claim
TINT = 0.14  # opacity of the colour of a half-space
SIZE = (4.8, 4.4)  # inches; legible at 400 pixels
MAX_ASPECT = 6.0  # a longer side cannot be drawn to the same scale as the shorter one
MAX_VECTOR_POINTS = 10_000  # more points are drawn as pixels, also in vector files
MAX_LEGEND_CLASSES = 12  # classes that a legend lists
MAX_NAME_LENGTH = 24  # characters
AXIS_LABEL_LENGTHS = (52, 36)  # characters that fit beside each axis
NOT_DRAWN: Any = None  # the axes and the figure of a display before `plot`
LEGEND_LINE_LENGTH = 60  # characters that fit on a line of the legend
HALO = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}


def pyplot() -> Any:
    """matplotlib's pyplot.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError("A picture", "plot") from error
    return plt


def axes_of(ax: Any = None, size: tuple[float, float] = SIZE, **options: Any) -> Any:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=size, layout="constrained", subplot_kw=options or None)[1]


def figure_of(ax: "Axes") -> "Figure":
    """The figure that axes are on."""
    return cast("Figure", ax.figure)


def ink(code: int) -> str:
    """The colour of a class."""
    return INKS[code % len(INKS)]


def mark(code: int) -> str:
    """The mark of a class. The first 36 classes have different pairs of mark and colour."""
    return MARKS[(code + code // len(INKS)) % len(MARKS)]


def text(words: Any) -> str:
    """Text that matplotlib shows unchanged.

    matplotlib reads formulas between dollar signs and drops labels that start with an underscore.
    """
    plain = str(words).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def folded(words: str, width: int) -> str:
    """Text broken into lines of at most `width` characters, unless a word is longer."""
    return text("\n".join(textwrap.fill(line, width) for line in words.splitlines()))


def short(name: Any) -> str:
    """A name, cut to `MAX_NAME_LENGTH` characters."""
    whole = str(name)
    return whole if len(whole) <= MAX_NAME_LENGTH else whole[: MAX_NAME_LENGTH - 3] + "..."


def scatter(ax: Any, points: NDArray[Any], codes: NDArray[Any], classes: Sequence[Any], *, pale: bool = False) -> None:
    """Draw points (n x 2) in the colour and with the mark of their class. Pale points are not in the legend."""
    for code, label in enumerate(classes):
        own, more = points[codes == code], len(classes) - MAX_LEGEND_CLASSES
        said = text(label) + f" and {more} more" * (code == MAX_LEGEND_CLASSES - 1 and more > 0)
        look = {"c": ink(code), "marker": mark(code), "edgecolors": "white", "linewidths": 0.4}
        look |= {"alpha": 0.3} if pale else {"label": said if code < MAX_LEGEND_CLASSES else None}
        ax.scatter(
            own[:, 0], own[:, 1], s=mark_size(len(points)), zorder=3, rasterized=len(points) > MAX_VECTOR_POINTS, **look
        )


def ring(ax: Any, points: NDArray[Any], n: int, label: str) -> None:
    """Draw rings around some of n points."""
    width = float(np.clip(60 / max(len(points), 1), 0.4, 1.0))
    look = {"facecolors": "none", "edgecolors": "black", "linewidths": width, "label": text(label)}
    ax.scatter(
        points[:, 0], points[:, 1], s=3.5 * mark_size(n), zorder=4, rasterized=len(points) > MAX_VECTOR_POINTS, **look
    )


def mark_size(n: int) -> float:
    """The size of the marks if there are n points."""
    return float(np.clip(2400 / max(n, 1), 7, 40))


def box_of(points: NDArray[Any], pad: float = 0.12, least: float = 0.5) -> Box:
    """The limits of x and y around points (n x 2), with padding.

    The shorter side is at least `least` times the longer one, unless the two cannot be drawn to the same scale.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    longest = max(half.max(), 1e-9 * np.abs(middle).max()) or 1.0
    if half.min() * MAX_ASPECT < longest and half.min() > 1e-9 * longest:
        half = (1 + pad) * half
    else:
        half = np.maximum(half, least * longest) + pad * longest
    (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return (left, right), (bottom, top)


def set_box(ax: Any, box: Box, labels: tuple[str, str]) -> None:
    """Set limits and labels, and the same scale on both axes, which keeps angles and distances.

    If the picture would be too narrow, each axis gets its own scale, and the label says so. An axis without a label
    has no numbers.
    """
    horizontal, vertical = labels
    equal = to_scale(box) and vertical != ""
    ax.set(xlim=box[0], ylim=box[1], aspect="equal" if equal else "auto")
    if not (equal or vertical == ""):
        vertical += " (not to scale)"
    size = "small" if max(map(len, labels)) > MAX_NAME_LENGTH else "medium"
    ax.set_xlabel(folded(horizontal, AXIS_LABEL_LENGTHS[0]), fontsize=size)
    ax.set_ylabel(folded(vertical, AXIS_LABEL_LENGTHS[1]), fontsize=size)
    ax.tick_params(labelsize="small")
    if not vertical:
        ax.set_yticks([])


def to_scale(box: Box) -> bool:
    """Tell whether a box can be drawn with the same scale on both axes."""
    width, height = (high - low for low, high in box)
    return max(width, height) <= MAX_ASPECT * min(width, height)


def size_of(box: Box) -> tuple[float, float]:
    """The width and height of a figure for a box, in inches, without its legend."""
    width, height = (high - low for low, high in box)
    shape = height / width if to_scale(box) else 0.8
    return SIZE[0], float(0.7 + 4.0 * np.clip(shape, 0.15, 1.2))


def legend(ax: Any, *, outside: bool) -> None:
    """Draw the legend below the axes, in a figure that grows by it; or inside the axes, if `outside` is False."""
    handles = {
        textwrap.fill(label, LEGEND_LINE_LENGTH): handle
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    given = list(handles.values()), list(handles)
    if outside:
        columns = 2 if max(map(len, handles)) < LEGEND_LINE_LENGTH // 2 else 1
        lines = sum(label.count("\n") + 1 for label in handles) / columns
        ax.figure.set_figheight(ax.figure.get_figheight() + 0.1 + 0.19 * np.ceil(lines))
        look = {"loc": "outside lower center", "ncols": columns, "frameon": False, "borderpad": 0.1}
        drawn = ax.figure.legend(*given, fontsize="small", **look)
    else:
        drawn = ax.legend(*given, fontsize="x-small", loc="best", framealpha=0.7, borderpad=0.2, labelspacing=0.2)
    for handle in drawn.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([mark_size(80)])
