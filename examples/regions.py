"""Four linear classifiers divide the plane among four classes: exact polygons, and places where no class wins.

It prints a table of the classifiers and writes one picture.
"""

import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Kozinec, NearestMean, OneVsAll, OneVsOne, Perceptron, regions
from rosenblatt.plot import RegionsDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

BOX = (-9.0, 9.0, -9.0, 9.0)
AREA = Fraction((BOX[1] - BOX[0]) * (BOX[3] - BOX[2]))
SEEDS = [(-4.0, -1.0), (3.5, -3.5), (0.5, 4.5), (0.5, 0.2)]

MODELS: dict[str, Any] = {
    "Perceptron, averaged: the largest score wins": Perceptron(average="averaged"),
    "Nearest mean: Voronoi cells of the means": NearestMean(),
    "One against all: one line per class, the largest score wins": OneVsAll(Kozinec(C=1.0)),
    "One against one: one line per pair, the most votes win": OneVsOne(Perceptron(average="averaged", max_epochs=20)),
}


def shares(model: Any) -> dict[str, Fraction]:
    """The exact part of the box in which the model gives each answer."""
    found: dict[str, Fraction] = {}
    for region in regions(model, BOX):
        found[region.words] = found.get(region.words, Fraction(0)) + region.area / AREA
    return found


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    X, y = make_blobs(160, centers=SEEDS, cluster_std=1.1, random_state=4)
    labels = np.array(list("abcd"))[y]
    figure, panels = plt.subplots(2, 2, figsize=(11, 11), layout="constrained")
    table = Table("rows right", "classifier", "part of the plane where no single class is the answer")
    for axes, (title, model) in zip(panels.flat, MODELS.items(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the classes touch
            model.fit(X, labels)
        RegionsDisplay.from_estimator(model, X, labels, ax=axes)
        axes.set_title(title)
        doubtful = {words: share for words, share in shares(model).items() if words not in labels}
        said = "; ".join(f"{float(share):.1%} {words}" for words, share in sorted(doubtful.items())) or "none"
        table.add_row(f"{model.score(X, labels):.1%}", title, said)
    console.print(table)
    path = Path("build") / "regions.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()
