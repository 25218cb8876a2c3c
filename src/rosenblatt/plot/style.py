"""What all pictures share: inks that the colour-blind tell apart, a mark for each class, axes, limits, the legend.

Colours are those of Okabe and Ito; classes differ by marks too, sides by hatching, so that grey loses nothing.
"""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import MissingExtra

Box = tuple[tuple[float, float], tuple[float, float]]  # limits of x and of y

INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "^", "s", "D", "v", "P")
HATCHES = ("....", "////", "xxxx")  # of places that no class claims, that two do, that more do
TINT = 0.14  # how strong the colour of a half-space is
SIZE = (4.8, 4.4)  # inches; legible at 400 pixels
SLIVER = 6.0  # where one side is so many times longer, equal units on both axes would show nothing
MANY = 10_000  # points that a vector file should not have one by one
MOST = 12  # classes that a legend lists
WIDE = 24  # characters of a name
LABELS = (52, 36)  # characters that fit beside each axis
LINE = 60  # characters that fit on a line of the legend
HALO = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}


def pyplot() -> Any:
    """matplotlib's pyplot.

    Raises
    ------
    MissingExtra
        matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtra("A picture", "plot") from error
    return plt


def axes_of(ax: Any = None, size: tuple[float, float] = SIZE, **options: Any) -> Any:
    """The axes to draw on: those given, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=size, layout="constrained", subplot_kw=options or None)[1]


def ink(code: int) -> str:
    """The colour of a class."""
    return INKS[code % len(INKS)]


def mark(code: int) -> str:
    """The mark of a class; with its colour, no other of the first 36 classes has it."""
    return MARKS[(code + code // len(INKS)) % len(MARKS)]


def text(words: Any) -> str:
    """Words as they are: matplotlib reads formulas between dollars, and drops labels that start with an underscore."""
    plain = str(words).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def folded(words: str, width: int) -> str:
    """Text in lines that are no wider, where words allow it."""
    return text("\n".join(textwrap.fill(line, width) for line in words.splitlines()))


def short(name: Any) -> str:
    """A name, cut off where it is too long to stand beside others."""
    whole = str(name)
    return whole if len(whole) <= WIDE else whole[: WIDE - 3] + "..."


def scatter(ax: Any, points: NDArray[Any], codes: NDArray[Any], classes: Sequence[Any], *, pale: bool = False) -> None:
    """Points (n x 2), each with the colour and the mark of its class; the classes are in the legend, unless pale."""
    for code, label in enumerate(classes):
        own, more = points[codes == code], len(classes) - MOST
        said = text(label) + f" and {more} more" * (code == MOST - 1 and more > 0)
        look = {"c": ink(code), "marker": mark(code), "edgecolors": "white", "linewidths": 0.4}
        look |= {"alpha": 0.3} if pale else {"label": said if code < MOST else None}
        ax.scatter(own[:, 0], own[:, 1], s=mark_size(len(points)), zorder=3, rasterized=len(points) > MANY, **look)


def ring(ax: Any, points: NDArray[Any], n: int, label: str) -> None:
    """A ring around some of n points."""
    width = float(np.clip(60 / max(len(points), 1), 0.4, 1.0))
    look = {"facecolors": "none", "edgecolors": "black", "linewidths": width, "label": text(label)}
    ax.scatter(points[:, 0], points[:, 1], s=3.5 * mark_size(n), zorder=4, rasterized=len(points) > MANY, **look)


def mark_size(n: int) -> float:
    """How large the marks of n points are."""
    return float(np.clip(2400 / max(n, 1), 7, 40))


def box_of(points: NDArray[Any], pad: float = 0.12, least: float = 0.5) -> Box:
    """Limits of x and of y around points (n x 2), with room at the edges.

    A side is no shorter than `least` times the other, unless the other is so much longer that the two cannot be drawn
    to one scale.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    longest = max(half.max(), 1e-9 * np.abs(middle).max()) or 1.0
    if half.min() * SLIVER < longest and half.min() > 1e-9 * longest:
        half = (1 + pad) * half
    else:
        half = np.maximum(half, least * longest) + pad * longest
    (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return (left, right), (bottom, top)


def set_box(ax: Any, box: Box, labels: tuple[str, str]) -> None:
    """Limits and labels, and the same unit on both axes, so that angles and distances look as they are.

    Where that would leave a sliver, each axis gets its own, and says so. An axis without a label has no numbers.
    """
    horizontal, vertical = labels
    equal = to_scale(box) and vertical != ""
    ax.set(xlim=box[0], ylim=box[1], aspect="equal" if equal else "auto")
    if not (equal or vertical == ""):
        vertical += " (not to scale)"
    size = "small" if max(map(len, labels)) > WIDE else "medium"
    ax.set_xlabel(folded(horizontal, LABELS[0]), fontsize=size)
    ax.set_ylabel(folded(vertical, LABELS[1]), fontsize=size)
    ax.tick_params(labelsize="small")
    if not vertical:
        ax.set_yticks([])


def to_scale(box: Box) -> bool:
    """Can a box be drawn with the same unit on both axes, without being a sliver?"""
    width, height = (high - low for low, high in box)
    return max(width, height) <= SLIVER * min(width, height)


def size_of(box: Box) -> tuple[float, float]:
    """Inches of a figure that the axes of a box, drawn to scale, fill; the legend is to be added."""
    width, height = (high - low for low, high in box)
    shape = height / width if to_scale(box) else 0.8
    return SIZE[0], float(0.7 + 4.0 * np.clip(shape, 0.15, 1.2))


def legend(ax: Any, *, outside: bool) -> None:
    """The legend: below the axes, in a figure that grows by it; or where there is room inside axes of somebody else."""
    handles = {
        textwrap.fill(label, LINE): handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    given = list(handles.values()), list(handles)
    if outside:
        columns = 2 if max(map(len, handles)) < LINE // 2 else 1
        lines = sum(label.count("\n") + 1 for label in handles) / columns
        ax.figure.set_figheight(ax.figure.get_figheight() + 0.1 + 0.19 * np.ceil(lines))
        look = {"loc": "outside lower center", "ncols": columns, "frameon": False, "borderpad": 0.1}
        drawn = ax.figure.legend(*given, fontsize="small", **look)
    else:
        drawn = ax.legend(*given, fontsize="x-small", loc="best", framealpha=0.7, borderpad=0.2, labelspacing=0.2)
    for handle in drawn.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([mark_size(80)])
