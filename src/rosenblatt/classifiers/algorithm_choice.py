"""The algorithms by their command-line names, and the choice of an algorithm that suits given rows."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.classifiers.batch_perceptron import BatchPerceptron
from rosenblatt.classifiers.kernel_perceptron import KernelPerceptron
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.classifiers.multiclass.kessler import Kessler
from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
from rosenblatt.classifiers.passive_aggressive import PassiveAggressive
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.classifiers.pocket import Pocket
from rosenblatt.data.scaling import How
from rosenblatt.errors import DataError, ParameterError, meant
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

VERDICT_SECONDS = 20.0  # for the verdict
MAX_MARGIN_COLUMNS = 1000  # with more, the largest margin and weak separation are computed only on request
MAX_SPREAD_RATIO = 10.0  # columns whose spreads differ by more are standardised
MAX_QUICK_NUMBERS = 100_000_000  # that a quick hyperplane reads, of all passes together
MAKERS: dict[str, Any] = {
    "perceptron": Perceptron,
    "averaged": lambda **given: Perceptron(average="averaged", **{"max_epochs": 10} | given),
    "voted": lambda **given: Perceptron(average="voted", **{"max_epochs": 10} | given),
    "pocket": Pocket,
    "batch": BatchPerceptron,
    "kozinec": Kozinec,
    "anderson": Anderson,
    "pa": lambda **given: PassiveAggressive(**{"max_epochs": 10} | given),
    "kernel": KernelPerceptron,
}


def model_of(
    algorithm: str, classes: int = 2, passes: int | None = None, seed: int = 0, settings: dict[str, Any] | None = None
) -> Any:
    """Return the estimator for a name; for more than two classes, wrap it if it handles only two.

    Parameters
    ----------
    algorithm : a key of `MAKERS`
    classes : the number of classes
    passes : the maximum number of passes; None for the algorithm's default
    seed : the seed of random choices
    settings : other parameters, by name
    """
    maker = MAKERS[algorithm]
    known = maker().get_params()
    budget = "max_iter" if algorithm == "anderson" else "max_epochs"
    given: dict[str, Any] = {budget: passes} if passes is not None else {}
    if "random_state" in known:
        given["random_state"] = seed
    if algorithm == "kozinec" and classes > 2:
        given["bias"] = 1.0
    for name, value in (settings or {}).items():
        if name not in known:
            raise ParameterError(
                f"--set {name}={value}: {algorithm} has the parameters {', '.join(known)}.{meant(name, known)}"
            )
        given[name] = value
    model = maker().set_params(**given)
    if classes > 2 and algorithm == "kozinec":
        return Kessler(model)
    return OneVsOne(model) if classes > 2 and algorithm == "anderson" else model


@dataclass(frozen=True)
class Choice:
    """An algorithm, the scaling before it, and the reason for the choice.

    Attributes
    ----------
    algorithm : its name, a key of `MAKERS`
    scale : the kind of `Scaling` to apply first; None for none
    why : the reason, as part of a sentence
    verdict : the verdict on the rows, if it was asked for
    """

    algorithm: str
    scale: How | None
    why: str
    verdict: Verdict | None = None

    @property
    def overlaps(self) -> bool:
        """Whether it is proved that no hyperplane separates the classes strictly."""
        return self.verdict is not None and self.verdict.kind not in ("strict", "undecided")


def verdict_of(X: Any, y: Any, *, decimals: bool = False) -> Verdict:
    """Decide within VERDICT_SECONDS whether rows are separable; weak separation is told from overlap in few columns.

    With `decimals`, a float counts as the shortest decimal that rounds to it.
    """
    detail = X.shape[1] <= MAX_MARGIN_COLUMNS
    return separability(X, y, detail=detail, time_limit=VERDICT_SECONDS, decimals=decimals)


def choose(X: Any, y: Any, *, decimals: bool = False) -> Choice:
    """Choose the maximum margin where the classes are strictly separable, else the averaged perceptron.

    Columns of very different spread are standardised first, which changes no verdict. With `decimals`, a float counts
    as the shortest decimal that rounds to it.
    """
    verdict = verdict_of(X, y, decimals=decimals)
    scale: How | None = "standardize" if are_unlike(X) else None
    columns = "; its columns differ much in spread and are standardised first" if scale else ""
    n = f"{X.shape[0]:,} rows"
    rule = "hyperplane" if len(verdict.classes) == 2 else "linear rule"
    if verdict.kind == "strict" and X.shape[1] > MAX_MARGIN_COLUMNS:
        why = (
            f"the {n} are strictly separable (proved), but in {X.shape[1]:,} columns the largest margin would take "
            "long (--algorithm kozinec), so the averaged perceptron is used"
        )
    elif verdict.kind == "strict":
        why = f"the {n} are strictly separable (proved), so the {rule} with the largest margin is used{columns}"
        return Choice("kozinec", scale, why, verdict)
    elif verdict.kind == "undecided":
        why = (
            f"whether the {n} are separable was not decided in {VERDICT_SECONDS:g} s, so the averaged perceptron is "
            f"used{columns}"
        )
    else:
        why = f"no {rule} separates the {n} strictly (proved), so the averaged perceptron is used{columns}"
    return Choice("averaged", scale, why, verdict)


def quick_hyperplane(X: Any, y: Any) -> Hyperplane | None:
    """Return a hyperplane with few errors, as a start for a search of the best; None if there is none.

    A larger table gets fewer passes, so that this takes less than a second.
    """
    numbers = X.nnz if scipy.sparse.issparse(X) else np.size(X)
    epochs = min(10, max(1, MAX_QUICK_NUMBERS // max(1, numbers + X.shape[0])))
    with warnings.catch_warnings(action="ignore"):
        try:
            plane = Perceptron(average="averaged", max_epochs=epochs).fit(X, y).hyperplane_
        except DataError:  # the numbers are too large for a perceptron
            return None
    return plane if plane.w.any() else None


def are_unlike(X: Any) -> bool:
    """Whether the spreads of the columns of a dense table differ by more than a factor of MAX_SPREAD_RATIO."""
    if scipy.sparse.issparse(X):
        return False
    with np.errstate(over="ignore"):
        spreads = np.ptp(np.asarray(X), axis=0)
    there = spreads[spreads > 0]
    return bool(len(there) and there.max() / MAX_SPREAD_RATIO > there.min())
