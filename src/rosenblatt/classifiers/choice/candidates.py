"""What `auto` may choose: an algorithm with its settings, and the scaling before it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.pipeline import make_pipeline

from rosenblatt.classifiers.algorithm_choice import MAKERS, MAX_MARGIN_COLUMNS, model_of
from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
from rosenblatt.data.scaling import How, Scaling
from rosenblatt.errors import ParameterError, meant

SLACK_PATH = (0.001, 0.01, 0.1, 1.0, 10.0)  # the prices of slack, for columns of spread 1
MAX_NEWTON_WORK = 4e9  # products of numbers in a step of the search with slack
MAX_SLACK_NUMBERS = 4_000_000  # nonzero numbers of sparse rows, times classes
MAX_LONG_NUMBERS = 1_000_000  # numbers of Kessler's rows; with more, each class is told from the rest
MAX_LONG_WORK = 5e7  # products of numbers in a step of the search with slack among Kessler's rows; likewise
MIN_GAUSSIAN_CLASSES = 3  # two classes have one pair, and then other rules need no Gaussians
MAX_GAUSSIAN_WORK = 1_000_000  # pairs of classes times the cube of the columns
TRIED = ("averaged", "kozinec", "anderson")  # the algorithms that are tried


class Candidate(NamedTuple):
    """A way to learn.

    Attributes
    ----------
    algorithm : its name, a key of `MAKERS`
    scale : the kind of `Scaling` to apply first; None for none
    settings : parameters that differ from the defaults
    """

    algorithm: str
    scale: How | None
    settings: dict[str, Any]

    @property
    def words(self) -> str:
        """The algorithm in words, with its most important setting."""
        if self.algorithm == "kozinec":
            price = self.settings.get("C", np.inf)
            return "the largest margin" if price == np.inf else f"the largest margin with slack, C = {price:g}"
        if self.algorithm == "anderson":
            return "Anderson's rule for Gaussians, one class against one"
        weight = self.settings.get("class_weight")
        return "the averaged perceptron" + (f", class_weight = {weight}" if weight is not None else "")


@dataclass(frozen=True)
class Task:
    """Rows to learn from, and what the user has settled.

    Attributes
    ----------
    rows, columns, classes : their numbers
    numbers : how many numbers there are; of sparse rows, those that are not 0
    is_sparse : are the rows a sparse matrix?
    scale : the scaling that the user asked for: "none", a kind, or None to choose one
    settings : parameters that the user gave
    passes : the most passes; None for the default of the algorithm
    seed : the seed of random choices
    """

    rows: int
    columns: int
    classes: int
    numbers: int
    is_sparse: bool
    scale: str | None
    settings: dict[str, Any]
    passes: int | None
    seed: int

    @classmethod
    def of(
        cls, X: Any, classes: int, scale: str | None, settings: dict[str, Any], passes: int | None, seed: int
    ) -> "Task":
        """The task of learning these rows; raise if no algorithm that is tried has a parameter that was given."""
        for name in settings:
            known = sorted({key for algorithm in TRIED for key in MAKERS[algorithm]().get_params()})
            if name not in known:
                raise ParameterError(
                    f"--set {name}={settings[name]}: --algorithm auto tries {', '.join(TRIED)}, with the parameters "
                    f"{', '.join(known)}.{meant(name, known)}"
                )
        numbers = X.nnz if scipy.sparse.issparse(X) else X.size
        rows, columns = X.shape
        return cls(rows, columns, classes, numbers, scipy.sparse.issparse(X), scale, settings, passes, seed)

    def takes(self, algorithm: str) -> bool:
        """Has the algorithm all parameters that the user gave?"""
        return bool(self.settings.keys() <= MAKERS[algorithm]().get_params().keys())

    def scales(self) -> list[How | None]:
        """The scalings to try. Dividing sparse columns helps where they have units, not where rare ones are noise."""
        if self.scale is not None:
            return [None if self.scale == "none" else self.scale]  # type: ignore[list-item]
        return [None, "divide"] if self.is_sparse else ["standardize"]

    def prices(self) -> list[float]:
        """The prices of slack to try, in increasing order; none if that would take long."""
        if not self.takes("kozinec"):
            return []
        if "C" in self.settings:
            return [self.settings["C"]]
        if self.is_sparse:
            return list(SLACK_PATH) if self.numbers * self.classes <= MAX_SLACK_NUMBERS else []
        work = self.numbers * min(self.rows, self.columns) * self.classes
        return list(SLACK_PATH) if work <= MAX_NEWTON_WORK else []

    @property
    def may_be_hard(self) -> bool:
        """May the largest margin without slack be looked for, if the rows can be separated?"""
        return self.takes("kozinec") and "C" not in self.settings and self.columns <= MAX_MARGIN_COLUMNS

    @property
    def may_be_gaussian(self) -> bool:
        """May Gaussians be tried, with a hyperplane for each pair of classes?  With many columns it takes long."""
        pairs = self.classes * (self.classes - 1) // 2
        is_small = not self.is_sparse and pairs * self.columns**3 <= MAX_GAUSSIAN_WORK
        return self.classes >= MIN_GAUSSIAN_CLASSES and is_small and self.passes is None and self.takes("anderson")

    @property
    def is_long(self) -> bool:
        """Are Kessler's rows, one for each row and other class, too large for a search with slack?"""
        rows, columns = self.rows * (self.classes - 1), self.columns * self.classes
        return rows * columns > MAX_LONG_NUMBERS or rows * columns * min(rows, columns) > MAX_LONG_WORK

    def estimator(self, candidate: Candidate) -> Any:
        """The candidate as an estimator, with the scaling before it."""
        settings = candidate.settings | self.settings
        is_slack = candidate.algorithm == "kozinec" and settings.get("C", np.inf) < np.inf
        if is_slack and self.classes > 2 and self.is_long:
            model = OneVsAll(model_of(candidate.algorithm, 2, self.passes, self.seed, settings))
        else:
            model = model_of(candidate.algorithm, self.classes, self.passes, self.seed, settings)
        return model if candidate.scale is None else make_pipeline(Scaling(how=candidate.scale), model)
