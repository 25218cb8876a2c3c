"""Irises and wines as Gaussians: the line whose error on the worst of them is the least, and what holds it there.

It prints the worst error of each pair of classes, with what is proved, and writes one picture.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_iris, load_wine

from rosenblatt import Anderson

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse

INK, MARK = ("#0072B2", "#D55E00"), ("o", "^")


class Pair(NamedTuple):
    """Two classes of a data set, seen in two of its columns."""

    load: Any
    classes: tuple[int, int]
    columns: tuple[int, int]
    components: Any

    def rows(self) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
        data = self.load()
        own = np.isin(data.target, self.classes)
        names = [str(data.target_names[k]) for k in self.classes]
        return data.data[own][:, self.columns], data.target[own], names, [data.feature_names[j] for j in self.columns]


PAIRS = [
    Pair(load_iris, (0, 1), (0, 1), 1),
    Pair(load_iris, (1, 2), (2, 3), 1),
    Pair(load_wine, (0, 1), (0, 6), 2),
    Pair(load_wine, (1, 2), (9, 6), 2),
]


def draw(axes: Axes, model: Anderson, X: np.ndarray, y: np.ndarray) -> None:
    """Points, the ellipse of each Gaussian at the radius reached, where it touches, and the line."""
    radius = model.radius_bounds_[0]
    for code, label in enumerate(model.classes_):
        points = X[y == label]
        axes.scatter(points[:, 0], points[:, 1], c=INK[code], marker=MARK[code], s=16, alpha=0.45, linewidths=0)
    for mean, covariance, label in zip(model.means_, model.covariances_, model.component_labels_, strict=True):
        values, vectors = np.linalg.eigh(covariance)
        width, height = 2 * radius * np.sqrt(values)
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        ink = INK[int(label == model.classes_[1])]
        axes.add_patch(Ellipse(mean, width, height, angle=angle, facecolor=ink, alpha=0.12))
        axes.add_patch(Ellipse(mean, width, height, angle=angle, facecolor="none", edgecolor=ink, linewidth=1.6))
        axes.plot(*mean, "+", color=ink, markersize=9, markeredgewidth=2)
    low, high = X.min(axis=0), X.max(axis=0)
    pad = 0.12 * (high - low)
    box = (low[0] - pad[0], high[0] + pad[0], low[1] - pad[1], high[1] + pad[1])
    ends = model.hyperplane_.segment(box[:2], box[2:])
    if ends is not None:
        axes.plot(*ends.T, color="black", linewidth=1.8)
    touching = model.contact_points()[model.tight_]
    axes.plot(touching[:, 0], touching[:, 1], "D", color="white", markeredgecolor="black", markersize=7, zorder=5)
    axes.set(xlim=box[:2], ylim=box[2:])


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    figure, panels = plt.subplots(2, 2, figsize=(11, 9.6), layout="constrained")
    table = Table("worst error", "proved: none below", "whatever the shape", "classes", "Gaussians", "that hold it")
    for axes, pair in zip(panels.flat, PAIRS, strict=True):
        X, y, names, columns = pair.rows()
        model = Anderson(components=pair.components, random_state=0).fit(X, y)
        proved, reached = model.error_bounds_
        draw(axes, model, X, y)
        axes.set(xlabel=columns[0], ylabel=columns[1])
        axes.set_title(f"{names[0]} and {names[1]}: worst error {reached:.2%}, radius {model.radius_bounds_[0]:.3f}")
        dots = [Line2D([], [], color=INK[k], marker=MARK[k], linestyle="", label=names[k]) for k in (0, 1)]
        axes.legend(handles=dots, loc="best", framealpha=0.9)
        checked = model.certificate_.verify_gaussians(model.means_, model.covariances_, model.component_labels_)
        table.add_row(
            f"{reached:.4%}",
            f"{proved:.4%}{' (checked)' if checked else ''}",
            f"at most {model.distribution_free_bound_:.1%}",
            f"{names[0]}, {names[1]}",
            str(len(model.means_)),
            str(len(model.tight_)),
        )
    console.print(table)
    figure.suptitle("Ellipses of one radius, in standard deviations: where they touch (white), no line does better")
    place = Path("build") / "gaussians.png"
    place.parent.mkdir(exist_ok=True)
    figure.savefig(place, dpi=110)
    console.print(f"picture: {place}")


if __name__ == "__main__":
    main()
