"""The algorithms by their command-line names, a verdict within seconds, and a quick hyperplane."""

import warnings
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
from rosenblatt.errors import DataError, ParameterError, meant
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

VERDICT_SECONDS = 5.0  # for the verdict
MAX_MARGIN_COLUMNS = 1000  # with more, the largest margin and weak separation are computed only on request
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


def verdict_of(X: Any, y: Any, *, decimals: bool = False) -> Verdict:
    """Decide within VERDICT_SECONDS whether rows are separable; weak separation is told from overlap in few columns.

    With `decimals`, a float counts as the shortest decimal that rounds to it.
    """
    detail = X.shape[1] <= MAX_MARGIN_COLUMNS
    return separability(X, y, detail=detail, time_limit=VERDICT_SECONDS, decimals=decimals)


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
