"""The catalogue of data sets: tables of the lectures, logic gates, well-known tables, and generators."""

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.parameters import Constraint, Integer
from rosenblatt.data.named_arrays import named
from rosenblatt.datasets import generators, lectures
from rosenblatt.datasets.sample import Sample
from rosenblatt.errors import ParameterError
from rosenblatt.errors.wording import Words, worded

OPTIONS_OF_THE_COMMAND = ("rows", "columns", "seed")  # all others are given with --set


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows and labels, with facts that are known about them. It unpacks to X, y.

    Attributes
    ----------
    name : str
        The name, as `load` takes it.
    X : array of shape (n, d), or sparse matrix
        The rows, float64; for texts a CSR matrix. It has `columns` if the columns have names.
    y : array of shape (n,)
        The labels.
    feature_names : list of str, optional
        The names of the columns, if they have any.
    description : str
        One or two sentences.
    source : str
        The lecture or the publication that it comes from.
    facts : dict
        Known facts by name; `rosenblatt.datasets.generators` lists the names and their meaning.

    See Also
    --------
    load : Returns one of these.

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> iris = datasets.load("iris")
    >>> print(iris.X.shape, iris.classes, iris.feature_names[0])
    (150, 4) ['setosa', 'versicolor', 'virginica'] sepal length (cm)
    """

    name: str
    X: Any
    y: NDArray[Any]
    feature_names: list[str] | None
    description: str
    source: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    @property
    def classes(self) -> list[Any]:
        """The sorted distinct labels."""
        return list(np.unique(self.y).tolist())

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"<Dataset {self.name}: {n} rows x {d} columns, {len(self.classes)} classes>"


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`; an integer if `low` is an integer."""

    low: float
    high: float

    def allows(self, value: Any) -> bool:
        kinds = (int, np.integer) if isinstance(self.low, int) else (int, float, np.integer, np.floating)
        return isinstance(value, kinds) and not isinstance(value, bool) and bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        return f"{'an integer' if isinstance(self.low, int) else 'a number'} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Entry:
    """How a data set is made, and the constraints of its options."""

    make: Callable[..., Sample]
    description: str
    source: str
    options: Mapping[str, Constraint] = field(default_factory=dict)

    def defaults(self) -> dict[str, Any]:
        """Get the default values of the options."""
        parameters = inspect.signature(self.make).parameters
        return {name: parameters[name].default for name in self.options}


def load(name: str, **options: Any) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `names()`. Spaces and hyphens may replace underscores, as in "planted margin".
    **options : object
        Options of the data set, such as the `seed` of a generator (default 0), `rows` and `columns`. `options(name)`
        lists them.

    Returns
    -------
    Dataset
        It unpacks: `X, y = load("iris")`, and `model.fit(*load("iris"))`.

    Raises
    ------
    ParameterError
        There is no such name or option, or the value of an option is not allowed.

    See Also
    --------
    names : The names of all data sets.
    options : The options of a data set.
    read : Reads data from your own files.

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> X, y = datasets.load("iris")
    >>> X.columns[0], y[0].item()
    ('sepal length (cm)', 'setosa')
    >>> datasets.load("planted margin", rows=1000, margin=0.25, seed=7)
    <Dataset planted_margin: 1000 rows x 2 columns, 2 classes>
    """
    key, entry = _entry(name)
    for option, value in options.items():
        _check(key, entry, option, value)
    X, y, facts, columns = entry.make(**options)
    return Dataset(key, named(X, columns), y, columns, entry.description, entry.source, facts)


def names() -> list[str]:
    """List the names that `load` knows.

    Returns
    -------
    list of str
        The names.

    See Also
    --------
    load : Loads one of them.

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> "xor" in datasets.names(), "planted_margin" in datasets.names()
    (True, True)
    """
    return list(ENTRIES)


def options(name: str) -> dict[str, Any]:
    """List the options of a data set with their defaults.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    dict
        The default of each option, by name.

    See Also
    --------
    load : Takes these options.

    Examples
    --------
    >>> from rosenblatt import datasets
    >>> datasets.options("planted_margin")
    {'rows': 200, 'columns': 2, 'margin': 0.125, 'radius': 1.0, 'seed': 0}
    """
    return _entry(name)[1].defaults()


def _entry(name: str) -> tuple[str, Entry]:
    key = re.sub(r"[\s_-]+", "_", name.strip().lower()) if isinstance(name, str) else ""
    if key not in ENTRIES:
        nearest = difflib.get_close_matches(key, ENTRIES, n=1, cutoff=0.5)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else "."
        names = Words("load(name) must be one of datasets.names()", "NAME must be one of those of rosenblatt data list")
        raise ParameterError(worded(f"{{names}}, not {name!r}{hint}", names=names))
    return key, ENTRIES[key]


def _check(key: str, entry: Entry, option: str, value: Any) -> None:
    if option not in entry.options:
        known = f"one of {', '.join(map(repr, entry.options))}" if entry.options else "left out, as there are none"
        nearest = difflib.get_close_matches(option, entry.options, n=1, cutoff=0.5)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else "."
        it = Words(f"load({key!r})", key)
        raise ParameterError(worded(f"An option of {{it}} must be {known}, not {option!r}{hint}", it=it))
    constraint = entry.options[option]
    if not constraint.allows(value):
        flag = f"--{option}" if option in OPTIONS_OF_THE_COMMAND else f"--set {option}"
        it = Words(f"load({key!r}, {option}=...)", flag)
        raise ParameterError(worded(f"{{it}} must be {constraint}, not {value!r}.", it=it))


def _iris() -> Sample:
    return _of_sklearn("load_iris", kind="weak")


def _wine() -> Sample:
    return _of_sklearn("load_wine", kind="strict")


def _wdbc() -> Sample:
    return _of_sklearn("load_breast_cancer", kind="strict")


def _digits() -> Sample:
    return _of_sklearn("load_digits", kind="strict")


def _of_sklearn(loader: str, **facts: Any) -> Sample:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, loader)()
    return Sample(bunch.data, bunch.target_names[bunch.target], facts, list(map(str, bunch.feature_names)))


SEED, AT_LEAST_ONE = {"seed": Integer(0)}, Integer(1)
INPUTS: dict[str, Constraint] = {"inputs": Between(2, 16)}
LUMS = "LUMS EE514, Perceptron Classifier"
CS360 = "CS360, Perceptron and the way to SVMs"
CMU = "CMU 10-301, lecture 6"
BERKELEY = "Berkeley CS188, Perceptron"
ENTRIES: dict[str, Entry] = {
    "and": Entry(lectures.and_gate, "The AND gate: 1 if all inputs are 1.", LUMS, INPUTS),
    "or": Entry(lectures.or_gate, "The OR gate: 1 if any input is 1.", LUMS, INPUTS),
    "not": Entry(lectures.not_gate, "The NOT gate: 1 if the input is 0.", LUMS),
    "nand": Entry(lectures.nand_gate, "The NAND gate: 0 if all inputs are 1.", LUMS, INPUTS),
    "nor": Entry(lectures.nor_gate, "The NOR gate: 0 if any input is 1.", LUMS, INPUTS),
    "majority": Entry(
        lectures.majority_gate, "The majority gate: 1 if more than half of the inputs are 1.", LUMS, INPUTS
    ),
    "xor": Entry(
        lectures.xor_gate, "The XOR gate: 1 if an odd number of inputs is 1. No hyperplane does that.", LUMS, INPUTS
    ),
    "cs360_points": Entry(
        lectures.cs360_points,
        "Two points, and a line that separates them.",
        CS360,
    ),
    "circles": Entry(
        lectures.circles,
        "A circle of one class inside a circle of the other: no line separates them, but a curve does.",
        CS360,
        {"rows": Integer(6), "ratio": Between(0.01, 0.99), **SEED},
    ),
    "cholesterol": Entry(
        lectures.cholesterol,
        "A column of two words, encoded as two columns of 0 and 1. The label is the word.",
        CMU,
    ),
    "cmu_points": Entry(
        lectures.cmu_points,
        "Six points; the lecture trains a perceptron without bias on them, one by one.",
        CMU,
    ),
    "berkeley_activation": Entry(
        lectures.berkeley_activation,
        "One negative row whose activation is 10.",
        BERKELEY,
    ),
    "berkeley_points": Entry(
        lectures.berkeley_points,
        "Five points; the lecture trains a perceptron with bias on them, one by one.",
        BERKELEY,
    ),
    "berkeley_three_classes": Entry(
        lectures.berkeley_three_classes,
        "One row of three features; the lecture trains a perceptron of three classes on it.",
        BERKELEY,
    ),
    "iris": Entry(
        _iris,
        "Irises of three species, measured by Anderson. Setosa is separable from the others; the other two overlap.",
        "R. A. Fisher, Annals of Eugenics 7 (1936); scikit-learn's load_iris",
    ),
    "wine": Entry(
        _wine,
        "Wines of three growers in Italy, analysed chemically.",
        "M. Forina and others, PARVUS (1988), from UCI; scikit-learn's load_wine",
    ),
    "wdbc": Entry(
        _wdbc,
        "Cell nuclei of breast tumours, malignant or benign, measured in images.",
        "W. N. Street and others, Proc. SPIE 1905 (1993), from UCI; scikit-learn's load_breast_cancer",
    ),
    "digits": Entry(
        _digits,
        "Handwritten digits as 8 x 8 pixels of 0 to 16.",
        "E. Alpaydin and C. Kaynak, UCI (1998); scikit-learn's load_digits",
    ),
    "planted_margin": Entry(
        generators.planted_margin,
        "Two classes whose largest margin and radius are known exactly.",
        "A. B. J. Novikoff, On convergence proofs on perceptrons (1962), for the bound that they satisfy",
        {
            "rows": Integer(5),
            "columns": AT_LEAST_ONE,
            "margin": Between(1e-100, 1e100),
            "radius": Between(1e-100, 1e100),
            **SEED,
        },
    ),
    "touching_hulls": Entry(
        generators.touching_hulls,
        "Two classes whose convex hulls share exactly one point.",
        "A. Albert and J. A. Anderson, Biometrika 71 (1984), for quasi-complete separation",
        {"rows": Integer(6), "columns": AT_LEAST_ONE, **SEED},
    ),
    "overlapping": Entry(
        generators.overlapping,
        "Two clouds that overlap, with several independent proofs of the overlap.",
        "E. Stiemke, Mathematische Annalen 76 (1915), for the form of a proof",
        {
            "rows": AT_LEAST_ONE,
            "columns": AT_LEAST_ONE,
            "distance": Between(0.0, 1000.0),
            "witnesses": AT_LEAST_ONE,
            **SEED,
        },
    ),
    "near_duplicates": Entry(
        generators.near_duplicates,
        "Pairs of rows of different classes that differ only in their last bits, but are separable.",
        "made for tests of rounding",
        {"pairs": AT_LEAST_ONE, "columns": Integer(2), **SEED},
    ),
    "collinear": Entry(
        generators.collinear,
        "A table of whole numbers of low rank: its columns are linear combinations of a few of them.",
        "made for tests of low rank",
        {"rows": Integer(2), "columns": Integer(2), "rank": AT_LEAST_ONE, **SEED},
    ),
    "integer_grid": Entry(
        generators.integer_grid,
        "All points with whole coordinates in a box, labelled by a hyperplane.",
        "made for tests of ties",
        {"size": AT_LEAST_ONE, "columns": AT_LEAST_ONE, **SEED},
    ),
    "gaussian_mixtures": Entry(
        generators.gaussian_mixtures,
        "Rows drawn from Gaussians, several for each class, whose means and covariances are known.",
        "V. Hlavac, Linear classifiers, a perceptron family",
        {"rows": Integer(2), "columns": AT_LEAST_ONE, "components": AT_LEAST_ONE, **SEED},
    ),
    "drifting_stream": Entry(
        generators.drifting_stream,
        "Rows in the order of time, labelled by a hyperplane that rotates.",
        "made for tests of online learning",
        {"rows": Integer(2), "columns": Integer(2), "turns": Between(-1000.0, 1000.0), "every": AT_LEAST_ONE, **SEED},
    ),
    "sparse_text": Entry(
        generators.sparse_text,
        "Counts of words whose frequencies follow Zipf's law, as a sparse matrix; a hyperplane separates the classes.",
        "G. K. Zipf, The psycho-biology of language (1935), for the frequencies",
        {"rows": Integer(2), "columns": Integer(2), "words": AT_LEAST_ONE, "lead": AT_LEAST_ONE, **SEED},
    ),
}
