"""Fisher's irises: train, and say what was reached, by what evidence.

Run it with `make run`. It prints its findings and writes one picture.
"""

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Hyperplane, Kozinec, Perceptron, error_bounds, mistake_bound, separability
from rosenblatt.drawing import Drawing

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

INK = {"setosa": "#0072B2", "versicolor": "#E69F00", "virginica": "#CC79A7"}
XLIM, YLIM = (0.0, 7.5), (-0.5, 3.5)
MARK = {"setosa": "o", "versicolor": "s", "virginica": "^"}


def report(console: Console, title: str, X: np.ndarray, names: list[str], y: np.ndarray) -> None:
    """Print what is proved about one pair of classes (y = -1, +1), and what a perceptron made of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the stop reason is printed instead
        model = Perceptron(max_epochs=1000).fit(X, y)
    verdict, bound = separability(X, y), mistake_bound(X, y)
    table = Table(title=title, show_header=False, title_justify="left", min_width=92)
    if verdict.hyperplane is not None and verdict.margin_bounds is not None:
        low, high = verdict.margin_bounds
        table.add_row("verdict", f"strictly separable, with a margin of {low:.6g} cm and none above {high:.6g} cm")
        table.add_row("by", verdict.hyperplane.equation(names=names))
        table.add_row("perceptron", f"{model.n_updates_} updates made; Novikoff allows at most {int(bound.bound[1]):,}")
    elif verdict.witness is not None:
        rows, fewest = ", ".join(map(str, verdict.witness.rows)), error_bounds(X, y)
        table.add_row("verdict", "not separable by any hyperplane, proved")
        table.add_row("by", f"rows {rows}: the same point is a convex combination of those of either class")
        known = f"{fewest.lower}" if fewest.lower == fewest.upper else f"{fewest.lower} to {fewest.upper}"
        table.add_row("errors", f"the best hyperplane errs on {known} of {len(y)} rows, proved")
        table.add_row("perceptron", f"{model.n_updates_} updates made; there is no bound")
    if verdict.certificate is not None:
        checked = "verified" if verdict.certificate.verify(X, y) else "refused"
        table.add_row(
            "certificate", f"{len(verdict.certificate.to_json()):,} bytes of JSON, {checked} in whole numbers"
        )
    errors = int((model.predict(X) != y).sum())
    table.add_row("stopped", f"{model.stop_reason_} after {model.n_iter_} passes; {errors} of {len(y)} rows wrong")
    table.add_row("boundary", model.hyperplane_.equation(names=names))
    table.add_row(
        "weights", ", ".join(f"{names[int(x[1:]) - 1]} {weight:+.4g}" for x, weight in model.ranked_weights())
    )
    console.print(table, "")


def draw(axes: Axes, X: np.ndarray, species: np.ndarray, names: list[str]) -> None:
    """The flowers in the plane of two features."""
    for name, ink in INK.items():
        points = X[species == name]
        axes.scatter(
            points[:, 0], points[:, 1], c=ink, marker=MARK[name], s=28, edgecolors="white", linewidths=0.5, label=name
        )
    axes.set(xlim=XLIM, ylim=YLIM, aspect="equal", xlabel=f"{names[0]} (cm)", ylabel=f"{names[1]} (cm)")


def draw_boundary(axes: Axes, plane: Hyperplane, names: list[str]) -> None:
    """The boundary, its positive side, and the vector w."""
    segment = plane.segment(XLIM, YLIM)
    assert segment is not None  # noqa: S101  (it runs through the flowers)
    axes.plot(*segment.T, color="black", linewidth=1.5, label=plane.equation(names=names))
    foot = segment.mean(axis=0)
    tip = foot + 0.8 * plane.unit().w
    axes.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0})
    axes.annotate("w", tip, xytext=(4, -4), textcoords="offset points", fontsize=12)
    side, along = 20 * plane.unit().w, 20 * (segment[1] - segment[0])
    corners = np.array([foot - along, foot + along, foot + along + side, foot - along + side])
    axes.fill(*corners.T, color=INK["setosa"], alpha=0.1, linewidth=0, label="positive half-space")


def draw_slab(axes: Axes, model: Kozinec) -> None:
    """The parallels through the nearest flowers, and these."""
    for plane in model.slab_:
        segment = plane.segment(XLIM, YLIM)
        assert segment is not None  # noqa: S101
        axes.plot(*segment.T, color="black", linewidth=1, linestyle="--")
    x, y = model.support_vectors_.T
    axes.scatter(x, y, s=110, facecolors="none", edgecolors="black", label="support vectors")


def draw_witness(axes: Axes, drawing: Drawing) -> None:
    """The few flowers that prove that no line separates two species."""
    for corners in drawing.corners:
        closed = np.concatenate([corners, corners[:1]])
        axes.plot(*closed.T, color="black", linewidth=1.2, marker="o", markersize=9, markerfacecolor="none")
    axes.plot(*drawing.points[0], color="black", marker="x", markersize=10, markeredgewidth=2, linestyle="none")


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    iris = load_iris()
    X, species = iris.data, iris.target_names[iris.target]
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]

    report(console, "Setosa against the rest", X, names, np.where(species == "setosa", 1, -1))
    pair = species != "setosa"
    report(console, "Versicolor against virginica", X[pair], names, np.where(species[pair] == "virginica", 1, -1))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        three = Perceptron(average="averaged").fit(X, species)
    console.print(f"All three species, averaged perceptron: {three.score(X, species):.1%} of {len(X)} rows right\n")

    petals, setosa = X[:, 2:], np.where(species == "setosa", 1, -1)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(18, 4.2), layout="constrained")
    for axes in (left, middle, right):
        draw(axes, petals, species, names[2:])
    draw_boundary(left, Perceptron().fit(petals, setosa).hyperplane_, names[2:])
    widest = Kozinec().fit(petals, setosa)
    draw_boundary(middle, widest.hyperplane_, names[2:])
    draw_slab(middle, widest)
    why = separability(petals[pair], species[pair]).drawing
    assert why is not None  # noqa: S101  (there are two classes)
    draw_witness(right, why)
    left.set_title("Where a perceptron stopped")
    middle.set_title(f"The largest margin, {widest.margin_bounds_[0]:.4f} cm")
    right.set_title(f"No line separates the other two: {why.shape}")
    left.legend(loc="upper left", fontsize=9)
    middle.legend(handles=middle.get_legend_handles_labels()[0][3:], loc="upper right", fontsize=9)
    path = Path("build") / "iris.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    console.print("The picture shows the same with the two petal measures alone.")
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()
