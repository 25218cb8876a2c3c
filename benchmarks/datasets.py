"""Data sets for benchmarks: generated, from scikit-learn, or from a folder of real data beside the project."""

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import sklearn.datasets
import sklearn.preprocessing
from sklearn.model_selection import train_test_split

DATA_FOLDER = Path(__file__).parents[2] / "shared" / "data"


class Labelled(NamedTuple):
    X: np.ndarray | scipy.sparse.csr_matrix
    y: np.ndarray


class DenseRows:
    """Normal points, labelled by a random hyperplane. Ten passes are not enough to separate them.

    A part `noise` of the labels is flipped, which causes many more mistakes.
    """

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
    """Sparse rows like documents: some columns are far more common than others."""

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
    """Normal points, each moved away from a random hyperplane by `gap`: the margin is a little larger.

    A part `noise` of the labels is flipped; then there is no margin.
    """

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
    """Breast cancer, Wisconsin. The columns have very different scales."""

    name = "wdbc, 569 x 30"

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_breast_cancer(return_X_y=True)
        return Labelled(X, 2.0 * y - 1)


class Irises:
    """One species against another, or against the rest if no other is given."""

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


class Split(NamedTuple):
    """Training rows and test rows."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


class Digits:
    """All ten classes of scikit-learn's 8 x 8 scans. A quarter of the rows are for the test."""

    name = "digits, 1347 x 64, ten classes"

    def make(self) -> Split:
        X, y = sklearn.datasets.load_digits(return_X_y=True)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
        return Split(X, y, X_test, y_test)


class FashionMnist:
    """All ten classes of Fashion-MNIST, pixels from 0 to 1."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.name = f"Fashion-MNIST, 60000 x 784, ten classes, {dtype}"

    def make(self) -> Split:
        X, y = _idx("train-images-idx3-ubyte.gz", 16), _idx("train-labels-idx1-ubyte.gz", 8)
        X_test, y_test = _idx("t10k-images-idx3-ubyte.gz", 16), _idx("t10k-labels-idx1-ubyte.gz", 8)
        return Split(self._pixels(X, len(y)), y, self._pixels(X_test, len(y_test)), y_test)

    def _pixels(self, stored: Any, n: int) -> Any:
        return stored.reshape(n, -1).astype(self.dtype) / np.dtype(self.dtype).type(255)


class FashionPair:
    """Two classes of Fashion-MNIST, 12000 x 784 pixels from 0 to 1."""

    def __init__(self, name: str, a: int, b: int) -> None:
        self.a, self.b = a, b
        self.name = f"Fashion-MNIST, {name}"

    def make(self) -> Labelled:
        pixels, labels = _idx("train-images-idx3-ubyte.gz", 16), _idx("train-labels-idx1-ubyte.gz", 8)
        both = (labels == self.a) | (labels == self.b)
        return Labelled(pixels.reshape(len(labels), -1)[both] / 255.0, np.where(labels[both] == self.b, 1.0, -1.0))


def _idx(file: str, offset: int) -> Any:
    """The bytes after the header of a Fashion-MNIST file."""
    return np.frombuffer(gzip.decompress((_real("fashion_mnist") / file).read_bytes()), np.uint8, offset=offset)


class Csv:
    """A CSV file without a header. The label is in the last column."""

    def __init__(self, name: str, folder: str, file: str, positive: str) -> None:
        self.name, self.folder, self.file, self.positive = name, folder, file, positive

    def make(self) -> Labelled:
        cells = np.genfromtxt(_real(self.folder) / self.file, delimiter=",", dtype=str)
        return Labelled(cells[:, :-1].astype(float), np.where(cells[:, -1] == self.positive, 1.0, -1.0))


class Standardised:
    """Another data set with its columns standardised to mean 0 and variance 1."""

    def __init__(self, other: Any) -> None:
        self.other = other
        self.name = f"{other.name}, standardised"

    def make(self) -> Labelled:
        X, y = self.other.make()
        return Labelled(sklearn.preprocessing.StandardScaler().fit_transform(X), y)


class Svmlight:
    """A file in LIBSVM's format."""

    def __init__(self, name: str, folder: str, file: str) -> None:
        self.name, self.folder, self.file = name, folder, file

    def make(self) -> Labelled:
        X, y = sklearn.datasets.load_svmlight_file(str(_real(self.folder) / self.file))
        return Labelled(X, y)


def _real(folder: str) -> Path:
    if not (DATA_FOLDER / folder).is_dir():
        raise NotHereError(f"there is no folder shared/data/{folder} beside the project")
    return DATA_FOLDER / folder


class NoData:
    """No data, for measurements that need none."""

    name = "in a new process"

    def make(self) -> None:
        return None
