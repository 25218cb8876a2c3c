"""Fisher's irises: which species can be separated by a hyperplane, with proofs.

Run it with `make run`. It prints the answers and writes one picture.
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
    """Print whether two classes (y = -1, +1) can be separated, the proof, and the result of a perceptron."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says that it stopped early
        model = Perceptron(max_epochs=1000).fit(X, y)
    verdict, errors = separability(X, y), int((model.predict(X) != y).sum())
    made = f"{model.n_updates_:,} updates in {model.n_iter_:,} passes, {errors} of {len(y)} rows wrong"
    table = Table.grid(padding=(0, 2))
    if verdict.hyperplane is not None and verdict.margin_bounds is not None:
        answer, least = "a hyperplane separates them", verdict.margin_bounds[0]
        table.add_row("largest margin", f"{least:.6g} cm")
        table.add_row("", verdict.hyperplane.equation(feature_names=names))
        table.add_row("perceptron", f"{made}; bound on its updates: {mistake_bound(X, y).max_updates:,}")
        table.add_row("", model.hyperplane_.equation(feature_names=names))
    elif verdict.witness is not None:
        rows, fewest = ", ".join(map(str, verdict.witness.rows)), error_bounds(X, y)
        answer, known = "no hyperplane separates them", f"{fewest.lower} to {fewest.upper}"
        known = str(fewest.lower) if fewest.lower == fewest.upper else known
        table.add_row("best possible", f"{known} of {len(y)} rows wrong")
        table.add_row("proof", f"among rows {rows}, the two classes have the same weighted mean")
        table.add_row("perceptron", f"{made}; it would never stop by itself")
    if verdict.certificate is not None:
        checked = "verified" if verdict.certificate.verify(X, y) else "refused"
        table.add_row(
            "certificate", f"{len(verdict.certificate.to_json()):,} bytes of JSON, {checked} in exact arithmetic"
        )
    console.print(f"{title}: {answer}. Proved.", table, "", sep="\n")


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    iris = load_iris()
    X, species = iris.data, iris.target_names[iris.target]
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]

    report(console, "Setosa against the other two species", X, names, np.where(species == "setosa", 1, -1))
    pair = species != "setosa"
    report(console, "Versicolor against virginica", X[pair], names, np.where(species[pair] == "virginica", 1, -1))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        three = Perceptron(average="averaged").fit(X, species)
    console.print(
        f"All three species: an averaged perceptron gets {three.score(X, species):.1%} of {len(X)} rows right.\n"
    )

    petals, setosa = X[:, 2:], np.where(species == "setosa", "setosa", "another")
    widest = Kozinec().fit(petals, setosa)
    verdict = separability(petals[pair], species[pair])
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(18, 5), layout="constrained")
    names = [f"{name} (cm)" for name in names[2:]]
    BoundaryDisplay.from_estimator(Perceptron().fit(petals, setosa), petals, setosa, feature_names=names, ax=left)
    MarginDisplay.from_estimator(widest, petals, setosa, feature_names=names, ax=middle)
    WitnessDisplay.from_verdict(verdict, petals[pair], species[pair], feature_names=names, ax=right)
    left.set_title("Where a perceptron stopped")
    middle.set_title(f"The largest margin, {widest.margin_bounds_[0]:.4f} cm")
    right.set_title("No line separates the other two species")
    path = Path("build") / "iris.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    console.print("The picture uses the two petal measurements only.")
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()
