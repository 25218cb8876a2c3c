"""The algorithms by the names that the command has for them, and which of them suits some rows."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.classifiers.batch import BatchPerceptron
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

SECONDS, MORE_SECONDS = 20.0, 5.0  # for a verdict, and to tell weak separation from overlap
WIDE = 1000  # columns: of more, the largest margin and weak separation are not looked for unless asked
UNLIKE = 10.0  # columns whose spreads differ by more are brought to one scale
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
    """The estimator that a name stands for; of more than two classes, wrapped where it knows only two.

    Parameters
    ----------
    algorithm : one of `MAKERS`
    classes : how many there are
    passes : the budget; None for the algorithm's own
    seed : for what is drawn at random
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
    """An algorithm, the scaling before it, and why.

    Attributes
    ----------
    algorithm : its name
    scale : what `Scaling` is to do first; None for nothing
    why : in words
    verdict : on the rows, if it was asked for
    """

    algorithm: str
    scale: str | None
    why: str
    verdict: Verdict | None = None

    @property
    def overlaps(self) -> bool:
        """Is it known that nothing separates the classes strictly?"""
        return self.verdict is not None and self.verdict.kind not in ("strict", "undecided")


def first_verdict(X: Any, y: Any) -> Verdict:
    """Whether rows are strictly separable, if that can be told in some seconds."""
    return separability(X, y, detail=False, budget=SECONDS)


def whole_verdict(X: Any, y: Any, first: Verdict) -> Verdict:
    """The same with weak separation told from overlap, if that can be done in a few seconds more."""
    if first.kind != "not_strict" or X.shape[1] > WIDE:
        return first
    whole = separability(X, y, budget=MORE_SECONDS)
    return first if whole.kind == "undecided" else whole


def choose(X: Any, y: Any) -> Choice:
    """What a practitioner would take: the maximum margin where the classes are separable, else the averaged perceptron.

    Columns of very different spread are standardised first, which changes no verdict.
    """
    verdict = first_verdict(X, y)
    scale = "standardise" if are_unlike(X) else None
    columns = "; its columns, of very different spread, are standardised first" if scale else ""
    n = f"{X.shape[0]:,} rows"
    rule = "hyperplane" if len(verdict.classes) == 2 else "linear rule"
    if verdict.kind == "strict" and X.shape[1] > WIDE:
        why = (
            f"the {n} are strictly separable (proved), but in {X.shape[1]:,} columns the largest margin would take "
            "long (--algorithm kozinec), so the mean of all weights met is taken"
        )
    elif verdict.kind == "strict":
        why = f"the {n} are strictly separable (proved), so the {rule} with the largest margin is taken{columns}"
        return Choice("kozinec", scale, why, verdict)
    elif verdict.kind == "undecided":
        why = f"whether the {n} are separable was not decided in {SECONDS:g} s, so the safe rule is taken{columns}"
    else:
        why = f"no {rule} separates the {n} strictly (proved), so the mean of all weights met is taken{columns}"
    return Choice("averaged", scale, why, verdict)


def quick_hyperplane(X: Any, y: Any) -> Hyperplane | None:
    """One that errs on few rows, as a beginning for those who look for the best."""
    with warnings.catch_warnings(action="ignore"):
        try:
            plane = Perceptron(average="averaged", max_epochs=10).fit(X, y).hyperplane_
        except DataError:  # numbers beyond what a perceptron takes
            return None
    return plane if plane.w.any() else None


def are_unlike(X: Any) -> bool:
    """Do the columns of a dense table differ much in spread?"""
    if scipy.sparse.issparse(X):
        return False
    with np.errstate(over="ignore"):
        spreads = np.ptp(np.asarray(X), axis=0)
    there = spreads[spreads > 0]
    return bool(len(there) and there.max() / UNLIKE > there.min())
