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

from rosenblatt import BudgetWarning, Hyperplane, Perceptron, StopReason

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INK = {"setosa": "#0072B2", "versicolor": "#E69F00", "virginica": "#CC79A7"}
MARK = {"setosa": "o", "versicolor": "s", "virginica": "^"}


def novikoff(X: np.ndarray, y: np.ndarray, model: Perceptron) -> float:
    """(R/gamma)^2 with the margin that the model's own hyperplane has: no run from zero can make more updates."""
    Z = y[:, None] * np.c_[X, np.full(len(X), model.bias)]
    w = np.append(model.coef_[0], model.intercept_[0] / model.bias)
    gamma = (Z @ w).min() / np.linalg.norm(w)
    return float((np.linalg.norm(Z, axis=1).max() / gamma) ** 2)


def report(console: Console, title: str, X: np.ndarray, names: list[str], y: np.ndarray) -> Perceptron:
    """Fit one pair of classes (y = -1, +1) and print what is known about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)  # the stop reason is printed instead
        model = Perceptron(max_epochs=1000).fit(X, y)
    errors = int((model.predict(X) != y).sum())
    table = Table(title=title, show_header=False, title_justify="left", min_width=92)
    if model.stop_reason_ is StopReason.MISTAKE_FREE:
        table.add_row("verdict", "strictly separable: the hyperplane below has every row on its right side")
        table.add_row("updates", f"{model.n_updates_} made; Novikoff allows at most {novikoff(X, y, model):,.0f}")
    else:
        table.add_row("verdict", "not known: no pass was free of mistakes, which proves nothing either way")
        table.add_row("updates", f"{model.n_updates_} made; no bound, since no separating hyperplane is known")
    table.add_row("accuracy", f"{1 - errors / len(y):.1%} of the {len(y)} rows it was trained on ({errors} wrong)")
    table.add_row("stopped", f"{model.stop_reason_} after {model.n_iter_} passes")
    table.add_row("boundary", model.hyperplane_.equation(names=names))
    ranked = sorted(zip(names, model.coef_[0], strict=True), key=lambda pair: -abs(pair[1]))
    table.add_row("weights", ", ".join(f"{name} {weight:+.4g}" for name, weight in ranked))
    console.print(table, "")
    return model


def draw(X: np.ndarray, species: np.ndarray, plane: Hyperplane, names: list[str], path: Path) -> None:
    """The flowers in the plane of two features, with the boundary, its positive side and the vector w."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, ink in INK.items():
        points = X[species == name]
        axes.scatter(
            points[:, 0], points[:, 1], c=ink, marker=MARK[name], s=28, edgecolors="white", linewidths=0.5, label=name
        )
    xlim, ylim = (0.0, 7.5), (-0.5, 3.5)
    segment = plane.segment(xlim, ylim)
    if segment is not None:
        axes.plot(*np.transpose(segment), color="black", linewidth=1.5, label=plane.equation(names=names))
        foot = np.mean(segment, axis=0)
        tip = foot + 0.8 * plane.unit().w
        axes.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0})
        axes.annotate("w", tip, xytext=(4, -4), textcoords="offset points", fontsize=12)
        side = plane.unit().w * 20
        far = np.array([segment[0], segment[1], segment[1] + side, segment[0] + side])
        axes.fill(*far.T, color=INK["setosa"], alpha=0.1, linewidth=0, label="positive half-space")
    axes.set(xlim=xlim, ylim=ylim, aspect="equal", xlabel=f"{names[0]} (cm)", ylabel=f"{names[1]} (cm)")
    axes.set_title("Setosa against the rest: the boundary a perceptron stopped at")
    axes.legend(loc="upper left", fontsize=9)
    figure.savefig(path, dpi=150)


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    iris = load_iris()
    X, species = iris.data, iris.target_names[iris.target]
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]

    report(console, "Setosa against the rest", X, names, np.where(species == "setosa", 1, -1))
    pair = species != "setosa"
    report(console, "Versicolor against virginica", X[pair], names, np.where(species[pair] == "virginica", 1, -1))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        three = Perceptron(average="averaged").fit(X, species)
    console.print(f"All three species, averaged perceptron: {three.score(X, species):.1%} of {len(X)} rows right\n")

    petals = Perceptron().fit(X[:, 2:], np.where(species == "setosa", 1, -1))
    path = Path("build") / "iris.png"
    path.parent.mkdir(exist_ok=True)
    draw(X[:, 2:], species, petals.hyperplane_, names[2:], path)
    console.print("The picture shows setosa against the rest again, learned from the two petal measures alone.")
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()
