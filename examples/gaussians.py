"""Irises and wines as Gaussians: the line with the smallest worst error.

It prints the worst error for each pair of classes, with a proved lower bound, and writes one picture.
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
from rosenblatt.plot import GaussiansDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


class Pair(NamedTuple):
    """Two classes of a data set, in two of its columns."""

    load: Any
    classes: tuple[int, int]
    columns: tuple[int, int]
    components: Any

    def rows(self) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
        data = self.load()
        own = np.isin(data.target, self.classes)
        names = [str(data.target_names[k]) for k in self.classes]
        labels = data.target_names[data.target[own]]
        return data.data[own][:, self.columns], labels, names, [data.feature_names[j] for j in self.columns]


PAIRS = [
    Pair(load_iris, (0, 1), (0, 1), 1),
    Pair(load_iris, (1, 2), (2, 3), 1),
    Pair(load_wine, (0, 1), (0, 6), 2),
    Pair(load_wine, (1, 2), (9, 6), 2),
]


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    figure, panels = plt.subplots(2, 2, figsize=(11, 9.6), layout="constrained")
    table = Table("worst error", "proved lower bound", "for any distribution", "classes", "Gaussians", "touch the line")
    for axes, pair in zip(panels.flat, PAIRS, strict=True):
        X, y, names, columns = pair.rows()
        model = Anderson(n_components=pair.components, random_state=0).fit(X, y)
        proved, reached = model.worst_error_bounds_
        GaussiansDisplay.from_estimator(model, X, y, feature_names=columns, ax=axes)
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
    figure.suptitle("The smallest worst error: ellipses of one radius; white marks show where they touch the line")
    place = Path("build") / "gaussians.png"
    place.parent.mkdir(exist_ok=True)
    figure.savefig(place, dpi=110)
    console.print(f"picture: {place}")


if __name__ == "__main__":
    main()
