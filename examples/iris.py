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

from rosenblatt import Kozinec, Perceptron, error_bounds, mistake_bound, separability
from rosenblatt.plot import BoundaryDisplay, MarginDisplay, WitnessDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


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

    petals, setosa = X[:, 2:], np.where(species == "setosa", "setosa", "another")
    widest = Kozinec().fit(petals, setosa)
    verdict = separability(petals[pair], species[pair])
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(18, 5), layout="constrained")
    names = [f"{name} (cm)" for name in names[2:]]
    BoundaryDisplay.from_estimator(Perceptron().fit(petals, setosa), petals, setosa, names=names, ax=left)
    MarginDisplay.from_estimator(widest, petals, setosa, names=names, ax=middle)
    WitnessDisplay.from_verdict(verdict, petals[pair], species[pair], names=names, ax=right)
    left.set_title("Where a perceptron stopped")
    middle.set_title(f"The largest margin, {widest.margin_bounds_[0]:.4f} cm")
    right.set_title("No line separates the other two species")
    path = Path("build") / "iris.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    console.print("The picture shows the same with the two petal measures alone.")
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()
