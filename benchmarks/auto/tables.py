"""The tables: real ones from a folder beside the project, and generated ones."""

import gzip
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import sklearn.datasets

from benchmarks.datasets import DATA_FOLDER, NotHereError


class Given(NamedTuple):
    """Rows with labels, and the part of them to learn from."""

    X: Any
    y: np.ndarray
    learned: float = 0.7


def _folder(name: str) -> Any:
    if not (DATA_FOLDER / name).is_dir():
        raise NotHereError(f"there is no folder shared/data/{name} beside the project")
    return DATA_FOLDER / name


def csv(folder: str, file: str) -> Callable[[], Given]:
    """A file without a header whose label is in the last column."""

    def load() -> Given:
        cells = np.genfromtxt(_folder(folder) / file, delimiter=",", dtype=str)
        return Given(cells[:, :-1].astype(float), cells[:, -1])

    return load


def svm(folder: str, file: str) -> Callable[[], Given]:
    """A file in LIBSVM's format."""

    def load() -> Given:
        return Given(*sklearn.datasets.load_svmlight_file(str(_folder(folder) / file)))

    return load


def fashion() -> Given:
    """The first 12,000 training images."""

    def numbers(file: str, offset: int) -> np.ndarray:
        return np.frombuffer(gzip.decompress((_folder("fashion_mnist") / file).read_bytes()), np.uint8, offset=offset)

    y = numbers("train-labels-idx1-ubyte.gz", 8)[:12_000]
    return Given(numbers("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:12_000].astype(float), y)


def noisy() -> Given:
    """100 rows of 60 columns to learn from: separable by chance, with noisy labels; 2,000 rows for the test."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((2100, 60))
    y = X @ rng.standard_normal(60) / np.sqrt(60) + rng.standard_normal(2100) > 0
    return Given(X, y.astype(int), 100 / 2100)


def generated(**options: Any) -> Callable[[], Given]:
    """A table of scikit-learn's generator."""
    return lambda: Given(*sklearn.datasets.make_classification(**options))


def of_sklearn(load: Any) -> Callable[[], Given]:
    """A table that comes with scikit-learn."""
    return lambda: Given(*load(return_X_y=True))


TABLES: dict[str, Callable[[], Given]] = {
    "iris": of_sklearn(sklearn.datasets.load_iris),
    "wine": of_sklearn(sklearn.datasets.load_wine),
    "wdbc": of_sklearn(sklearn.datasets.load_breast_cancer),
    "sonar": csv("sonar", "sonar.csv"),
    "heart": svm("heart_scale", "heart_scale"),
    "ionosphere": csv("ionosphere", "ionosphere.csv"),
    "pima": csv("pima", "pima-indians-diabetes.csv"),
    "banknote": csv("banknote", "banknote_authentication.csv"),
    "spambase": csv("spambase", "spambase.data"),
    "optdigits": csv("optdigits", "optdigits.csv"),
    "mushrooms": svm("mushrooms_libsvm", "mushrooms.txt"),
    "a9a": svm("a9a", "a9a"),
    "sms spam": svm("sms_spam", "all.svm.gz"),
    "subjectivity": svm("subjectivity", "all.svm.gz"),
    "polarity": svm("sentence_polarity", "all.svm.gz"),
    "fashion, 12,000": fashion,
    "noisy, 100 x 60": noisy,
    "3 % positive": generated(n_samples=20_000, n_informative=6, weights=[0.97], flip_y=0.01, random_state=3),
    "20 classes": generated(
        n_samples=12_000,
        n_features=16,
        n_informative=12,
        n_classes=20,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=1,
    ),
}


def size_of(given: Given) -> str:
    """The numbers of rows, columns and classes."""
    sparse = ", sparse" if scipy.sparse.issparse(given.X) else ""
    return f"{given.X.shape[0]:,} x {given.X.shape[1]:,}, {len(np.unique(given.y))} classes{sparse}"
