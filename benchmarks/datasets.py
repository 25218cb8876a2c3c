"""Data that benchmarks run on: made from a seed, of scikit-learn, or from a folder of real data beside the project."""

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse
import sklearn.datasets
import sklearn.preprocessing

REAL = Path(__file__).parents[2] / "shared" / "data"


class Labelled(NamedTuple):
    X: np.ndarray | scipy.sparse.csr_matrix
    y: np.ndarray


class DenseRows:
    """Normal points, labelled by a random hyperplane, so close to it that ten passes are not enough; `noise` of the
    labels are turned, which makes for many more mistakes."""

    def __init__(self, n: int, d: int, noise: float) -> None:
        self.n, self.d, self.noise = n, d, noise
        self.name = f"{n} x {d} float64, {noise:.0%} label noise"

    def make(self) -> Labelled:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((self.n, self.d))
        y = np.sign(X @ rng.standard_normal(self.d))
        y[rng.random(self.n) < self.noise] *= -1
        return Labelled(X, y)


class SparseText:
    """Rows like documents: few of many columns, common columns far more often than rare ones."""

    def __init__(self, n: int, d: int, per_row: int, noise: float = 0.02) -> None:
        self.n, self.d, self.per_row, self.noise = n, d, per_row, noise
        self.name = f"{n} x {d} CSR, about {per_row} nonzeros a row, {noise:.0%} label noise"

    def make(self) -> Labelled:
        rng = np.random.default_rng(0)
        columns = (rng.random((self.n, self.per_row)) ** 3 * self.d).astype(np.int32)
        values = rng.random(self.n * self.per_row)
        starts = np.arange(0, self.n * self.per_row + 1, self.per_row)
        X = scipy.sparse.csr_matrix((values, columns.ravel(), starts), shape=(self.n, self.d))
        X.sum_duplicates()
        score = X @ rng.standard_normal(self.d)
        y = np.where(score > np.median(score), 1.0, -1.0)
        y[rng.random(self.n) < self.noise] *= -1
        return Labelled(X, y)


class Planted:
    """Normal points, moved away from a random hyperplane by `gap` each: the margin is a little more than that, unless
    `noise` of the labels are turned."""

    def __init__(self, n: int, d: int, gap: float, noise: float = 0.0) -> None:
        self.n, self.d, self.gap, self.noise = n, d, gap, noise
        self.name = f"{n} x {d}, planted margin {gap:g}" + (f", {noise:.0%} label noise" if noise else "")

    def make(self) -> Labelled:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((self.n, self.d))
        u = rng.standard_normal(self.d)
        u /= np.linalg.norm(u)
        y = np.where(X @ u > 0, 1.0, -1.0)
        return Labelled(X + self.gap * np.outer(y, u), np.where(rng.random(self.n) < self.noise, -y, y))


class DigitsPair:
    """Two digits of scikit-learn's 8 x 8 scans."""

    def __init__(self, a: int, b: int) -> None:
        self.a, self.b = a, b
        self.name = f"digits {a} and {b}"

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_digits(return_X_y=True)
        both = (y == self.a) | (y == self.b)
        return Labelled(X[both], np.where(y[both] == self.b, 1.0, -1.0))


class DigitsAgainstRest:
    """One digit of scikit-learn's 8 x 8 scans against all others."""

    def __init__(self, digit: int) -> None:
        self.digit = digit
        self.name = f"digit {digit} against the rest"

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_digits(return_X_y=True)
        return Labelled(X, np.where(y == self.digit, 1.0, -1.0))


class Wdbc:
    """Breast cancer, Wisconsin: 569 x 30, columns of very different scale unless standardised."""

    def __init__(self, *, standardised: bool) -> None:
        self.standardised = standardised
        self.name = f"wdbc, {'standardised' if standardised else 'raw'}"

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_breast_cancer(return_X_y=True)
        return Labelled(
            sklearn.preprocessing.StandardScaler().fit_transform(X) if self.standardised else X, 2.0 * y - 1
        )


class Irises:
    """One species against another, or (without another) against the rest."""

    def __init__(self, species: str, other: str | None = None) -> None:
        self.species, self.other = species, other
        self.name = f"iris, {species} and {other or 'the rest'}"

    def make(self) -> Labelled:
        iris = sklearn.datasets.load_iris()
        names = iris.target_names[iris.target]
        chosen = (names == self.species) | (names == self.other) | (self.other is None)
        return Labelled(iris.data[chosen], np.where(names[chosen] == self.species, 1.0, -1.0))


class NotHereError(Exception):
    """The data is not on this machine."""


class FashionPair:
    """Two classes of Fashion-MNIST, 12000 x 784 pixels from 0 to 1."""

    def __init__(self, name: str, a: int, b: int) -> None:
        self.a, self.b = a, b
        self.name = f"Fashion-MNIST, {name}"

    def make(self) -> Labelled:
        folder = _real("fashion_mnist")
        pixels = np.frombuffer(
            gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes()), np.uint8, offset=16
        )
        labels = np.frombuffer(
            gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8
        )
        both = (labels == self.a) | (labels == self.b)
        return Labelled(pixels.reshape(len(labels), -1)[both] / 255.0, np.where(labels[both] == self.b, 1.0, -1.0))


class Sonar:
    """Mines and rocks: 208 x 60."""

    name = "sonar"

    def make(self) -> Labelled:
        path = _real("sonar") / "sonar.csv"
        cells = np.genfromtxt(path, delimiter=",", dtype=str)
        return Labelled(cells[:, :-1].astype(float), np.where(cells[:, -1] == "M", 1.0, -1.0))


class Svmlight:
    """A file in LIBSVM's format."""

    def __init__(self, name: str, folder: str, file: str) -> None:
        self.name, self.folder, self.file = name, folder, file

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_svmlight_file(str(_real(self.folder) / self.file))
        return Labelled(X, y)


def _real(folder: str) -> Path:
    if not (REAL / folder).is_dir():
        raise NotHereError(f"there is no folder shared/data/{folder} beside the project")
    return REAL / folder


class NoData:
    """For what is measured without any."""

    name = "in a new process"

    def make(self) -> None:
        return None
