"""Every kind of picture that `rosenblatt.plot` draws, from built-in data, as PNG files.

`python examples/gallery.py [FOLDER [PIXELS]]` writes them. By default the folder is build/gallery, and pictures are
900 pixels wide.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_wine, make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import (
    Anderson,
    KernelPerceptron,
    Kozinec,
    NearestMean,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Pocket,
    Scaling,
    datasets,
    separability,
    trace,
)
from rosenblatt.data.named_arrays import named
from rosenblatt.plot import (
    ActivationDisplay,
    BoundaryDisplay,
    GaussiansDisplay,
    HullsDisplay,
    MarginDisplay,
    MistakesDisplay,
    PathDisplay,
    RegionsDisplay,
    WeightsDisplay,
    WitnessDisplay,
)


def irises(columns: list[int] | None = None, without: str = "") -> tuple[Any, Any]:
    """Some columns of the irises, without one species."""
    X, y = datasets.load("iris")
    columns = columns or [0, 1, 2, 3]
    return named(np.asarray(X)[y != without][:, columns], [X.columns[j] for j in columns]), y[y != without]


def setosa(columns: list[int] | None = None) -> tuple[Any, Any]:
    """The irises as two classes: setosa and the other species."""
    X, y = irises(columns)
    return X, np.where(y == "setosa", "setosa", "another")


def boundary(model: Any, X: Any, y: Any) -> BoundaryDisplay:
    return BoundaryDisplay.from_estimator(model.fit(X, y), X, y)


def margin(model: Any, X: Any, y: Any) -> MarginDisplay:
    return MarginDisplay.from_estimator(model.fit(X, y), X, y)


def regions(model: Any, X: Any, y: Any) -> RegionsDisplay:
    return RegionsDisplay.from_estimator(model.fit(X, y), X, y)


def witness(X: Any, y: Any, **options: Any) -> WitnessDisplay:
    return WitnessDisplay.from_verdict(separability(X, y, **options), X, y)


def activation(model: Any, X: Any, y: Any) -> ActivationDisplay:
    return ActivationDisplay.from_estimator(model.fit(X, y), X, y)


def gaussians(model: Any, X: Any, y: Any) -> GaussiansDisplay:
    return GaussiansDisplay.from_estimator(model.fit(X, y), X, y)


def mistakes(model: Any, X: Any, y: Any) -> MistakesDisplay:
    return MistakesDisplay.from_estimator(model.fit(X, y), X, y)


def path(model: Any, X: Any, y: Any) -> PathDisplay:
    return PathDisplay.from_trace(trace(model, X, y), X, y)


def weights(model: Any, X: Any, y: Any, label: Any = None) -> WeightsDisplay:
    return WeightsDisplay.from_estimator(model.fit(X, y), label=label)


def circles() -> tuple[Any, Any]:
    X, y = make_circles(120, factor=0.4, noise=0.08, random_state=0)
    return X, np.where(y, "inner", "outer")


def standardised(rows: tuple[Any, Any]) -> tuple[Any, Any]:
    return Scaling("standardize").fit_transform(rows[0]), rows[1]


def flat() -> Anderson:
    """Gaussians with singular covariances."""
    means, covariances = [[0, 0], [4, 0], [2, 5]], [[[1, 0], [0, 0]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]]
    return Anderson().fit_gaussians(means, covariances, ["a", "a", "b"])


def wines() -> tuple[Any, Any]:
    """Two columns of very different scale: proline is about a hundred times as large as alcohol."""
    wine = load_wine()
    return named(wine.data[:, [0, 12]], ["alcohol", "proline"]), np.where(wine.target == 0, "first grower", "others")


def tumours() -> tuple[Any, Any]:
    bunch = load_breast_cancer()
    return named(bunch.data, list(map(str, bunch.feature_names))), bunch.target_names[bunch.target]


def four_blobs() -> tuple[Any, Any]:
    X, y = make_blobs(160, centers=[(-4, -1), (3.5, -3.5), (0.5, 4.5), (0.5, 0.2)], cluster_std=1.1, random_state=4)
    return X, np.array(list("abcd"))[y]


def digits() -> tuple[Any, Any]:
    """Ten classes in two columns: the ink in the upper half and in the left half of each digit."""
    X, y = datasets.load("digits")
    images = np.asarray(X).reshape(-1, 8, 8)
    return named(np.column_stack([images[:, :4].sum((1, 2)), images[:, :, :4].sum((1, 2))]), ["upper", "left"]), y


PICTURES: dict[str, Callable[[], Any]] = {
    "boundary_and": lambda: boundary(Perceptron(), *datasets.load("and")),
    "boundary_not": lambda: boundary(Perceptron(), *datasets.load("not")),
    "boundary_two_points": lambda: boundary(Perceptron(), *datasets.load("cs360_points")),
    "boundary_xor": lambda: boundary(Pocket(), *datasets.load("xor")),
    "boundary_one_column": lambda: boundary(Perceptron(average="averaged"), *irises([2], without="setosa")),
    "boundary_petals": lambda: boundary(Perceptron(), *setosa([2, 3])),
    "boundary_mistakes": lambda: boundary(Perceptron(average="averaged"), *irises([2, 3], without="setosa")),
    "boundary_four_columns": lambda: boundary(Perceptron(average="averaged"), *irises(without="setosa")),
    "boundary_not_to_scale": lambda: boundary(Kozinec(C=1.0), *wines()),
    "boundary_tumours": lambda: boundary(Perceptron(average="averaged"), *tumours()),
    "boundary_5000_rows": lambda: boundary(Pocket(), *datasets.load("overlapping", rows=2500)),
    "boundary_sparse_text": lambda: boundary(Perceptron(), *datasets.load("sparse_text")),
    "margin_petals": lambda: margin(Kozinec(), *setosa([2, 3])),
    "margin_four_columns": lambda: margin(Kozinec(), *setosa()),
    "margin_of_a_perceptron": lambda: margin(Perceptron(), *setosa([2, 3])),
    "margin_with_slack": lambda: margin(Kozinec(C=1.0), *irises([2, 3], without="setosa")),
    "margin_or": lambda: margin(Kozinec(), *datasets.load("or")),
    "margin_one_column": lambda: margin(Kozinec(), *setosa([2])),
    "margin_planted": lambda: margin(Kozinec(), *datasets.load("planted_margin")),
    "hulls_petals": lambda: HullsDisplay.from_data(*setosa([2, 3])),
    "hulls_four_columns": lambda: HullsDisplay.from_data(*setosa()),
    "hulls_tumours": lambda: HullsDisplay.from_data(*tumours()),
    "hulls_that_meet": lambda: HullsDisplay.from_data(*irises([2, 3], without="setosa")),
    "hulls_two_points": lambda: HullsDisplay.from_data(*datasets.load("cs360_points")),
    "hulls_and": lambda: HullsDisplay.from_data(*datasets.load("and")),
    "hulls_sparse_text": lambda: HullsDisplay.from_data(*datasets.load("sparse_text")),
    "hulls_one_column": lambda: HullsDisplay.from_data(*setosa([2])),
    "witness_xor": lambda: witness(*datasets.load("xor")),
    "witness_petals": lambda: witness(*irises([2, 3], without="setosa")),
    "witness_four_columns": lambda: witness(*irises(without="setosa")),
    "witness_triangle": lambda: witness([[0, 0], [4, 0], [0, 4], [1, 1]], ["out", "out", "out", "in"]),
    "witness_segment": lambda: witness([[0], [1], [3], [2]], ["a", "a", "a", "b"]),
    "witness_equal_rows": lambda: witness([[0], [1], [1], [3]], ["low", "low", "high", "high"]),
    "witness_touching": lambda: witness(*datasets.load("touching_hulls")),
    "witness_through_origin": lambda: witness([[1, 1], [4, 1], [1, 4], [2, 2]], list("abba"), bias=False),
    "witness_5000_rows": lambda: witness(*datasets.load("overlapping", rows=2500)),
    "regions_petals": lambda: regions(Perceptron(average="averaged"), *irises([2, 3])),
    "regions_nearest_mean": lambda: regions(NearestMean(), *four_blobs()),
    "regions_one_vs_all": lambda: regions(OneVsAll(Kozinec(C=1.0)), *four_blobs()),
    "regions_one_vs_one": lambda: regions(OneVsOne(Kozinec(C=1.0)), *four_blobs()),
    "regions_two_classes": lambda: regions(Perceptron(), *setosa([2, 3])),
    "regions_digits": lambda: regions(NearestMean(), *digits()),
    "activation_plane": lambda: activation(Perceptron(average="averaged"), *irises([0, 1], without="virginica")),
    "activation_lecture": lambda: activation(Perceptron(), *datasets.load("berkeley_points")),
    "activation_xor": lambda: activation(KernelPerceptron(kernel="poly", degree=2), *datasets.load("xor")),
    "activation_circles": lambda: activation(KernelPerceptron(), *circles()),
    "activation_lift": lambda: activation(make_pipeline(PolynomialFeatures(2), Perceptron()), *circles()),
    "gaussians_petals": lambda: gaussians(Anderson(), *irises([2, 3], without="setosa")),
    "gaussians_tumours": lambda: gaussians(Anderson(ridge=1e-2), *standardised(tumours())),
    "gaussians_flat": lambda: GaussiansDisplay.from_estimator(flat()),
    "mistakes_and": lambda: mistakes(Perceptron(order="cyclic"), *datasets.load("and")),
    "mistakes_text": lambda: mistakes(Perceptron(), *datasets.load("sparse_text")),
    "mistakes_held_out": lambda: mistakes(
        Perceptron(average="averaged", held_out=0.2, patience=20), *irises(without="setosa")
    ),
    "path_lecture": lambda: path(Perceptron(order="cyclic", tie="positive", bias=0), *datasets.load("cmu_points")),
    "path_and": lambda: path(Perceptron(order="cyclic"), *datasets.load("and")),
    "path_kozinec": lambda: path(Kozinec(solver="kozinec"), *irises([0, 1], without="virginica")),
    "weights_tumours": lambda: weights(Perceptron(average="averaged"), *standardised(tumours())),
    "weights_three_classes": lambda: weights(Perceptron(average="averaged"), *irises(), label="versicolor"),
    "weights_text": lambda: weights(Perceptron(), *datasets.load("sparse_text")),
}


def main(folder: str = "build/gallery", pixels: str = "900") -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    table = Table("picture", "pixels", "display")
    for name, draw in PICTURES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some classes overlap
            display = draw()
        figure, path = display.figure_, place / f"{name}.png"
        dpi = int(pixels) / figure.get_figwidth()
        figure.savefig(path, dpi=dpi)
        table.add_row(str(path), f"{pixels} x {figure.get_figheight() * dpi:.0f}", type(display).__name__)
        plt.close(figure)
    console.print(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
