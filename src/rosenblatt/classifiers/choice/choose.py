"""The choice of an algorithm: trials on rows that were not learned from decide, not separability alone."""

import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.words import count_of
from rosenblatt.classifiers.choice.candidates import Candidate, Task
from rosenblatt.classifiers.choice.trials import Trial, Trials
from rosenblatt.data.compiled.jit import loaded_soon
from rosenblatt.data.scaling import How
from rosenblatt.errors import RosenblattError

IMBALANCE = 4.0  # if the largest class has so many times the rows of the smallest, weights of classes are tried
MIN_GAIN = 0.01  # of the balanced accuracy, for which weights of classes are taken
MAX_LOSS = 1.0  # standard errors of the accuracy, that they may cost
NEARLY = 0.25  # standard errors of the accuracy; candidates that are nearer to the best one may be as good
HINT_GAIN = 0.05  # of the balanced accuracy, for which they are mentioned if they cost more
BALANCED = {"class_weight": "balanced"}


@dataclass(frozen=True)
class Choice:
    """An algorithm, the scaling before it, and the reason for the choice.

    Attributes
    ----------
    algorithm : its name, a key of `MAKERS`
    scale : the kind of `Scaling` to apply first; None for none
    why : the reason, as part of a sentence
    estimator : the unfitted model; None if the algorithm was named, not chosen
    hint : what another setting would do, as a sentence; empty if there is nothing to say
    tried : the candidates with their trials, the best first
    """

    algorithm: str
    scale: How | None
    why: str
    estimator: Any = None
    hint: str = ""
    tried: list[tuple[Candidate, Trial]] = field(default_factory=list)


def choose(
    X: Any,
    y: NDArray[Any],
    *,
    scale: str | None = None,
    settings: dict[str, Any] | None = None,
    passes: int | None = None,
    seed: int = 0,
) -> Choice:
    """Choose what predicts rows best that it did not learn from.

    The averaged perceptron and the largest margin with slack are tried; the largest margin without slack if it
    separates the rows; and Anderson's rule for the pairs of three or more classes. Of those that are nearly as accurate
    as the best one, the margin with the most slack is taken, because it depends least on single rows. Where classes
    differ much in size, weights of classes are tried, too.

    Parameters
    ----------
    X, y : the training rows, of at least two classes
    scale : the scaling that the user asked for: "none", a kind, or None to choose one
    settings : parameters that the user gave
    passes : the most passes; None for the default of the algorithm
    seed : the seed of random choices
    """
    classes, counts = np.unique(y, return_counts=True)
    task = Task.of(X, len(classes), scale, settings or {}, passes, seed)
    with loaded_soon():
        return _choice(task, X, y, counts)


def _choice(task: Task, X: Any, y: NDArray[Any], counts: NDArray[Any]) -> Choice:
    """The choice for a task; `counts` are the rows of each class."""
    search = _Search(task, Trials(X, y, task.numbers, task.seed))
    is_separated = task.may_be_hard and _is_separated(task, X, y)
    if not search.trials.are_possible:
        fewest = int(counts.min())
        few = f"a class has {count_of(fewest, 'row')}" if fewest < 2 else f"there are {count_of(task.rows, 'row')}"
        return _without_trials(task, is_separated, f"{few}, too few to try candidates on rows not learned from")
    search.run(is_separated)
    if not search.found:
        return _without_trials(task, is_separated, "no candidate could learn from parts of the rows")
    chosen, hint = search.best, ""
    if counts.max() >= IMBALANCE * counts.min() and task.takes("averaged") and not task.settings.keys() & BALANCED:
        chosen, hint = search.balanced(chosen)
    return Choice(chosen.algorithm, chosen.scale, search.reason(chosen), task.estimator(chosen), hint, search.ranked())


class _Search:
    """The trials of a task, best first. Of equal trials, the earlier one counts as better."""

    def __init__(self, task: Task, trials: Trials) -> None:
        self.task, self.trials = task, trials
        self.found: list[tuple[Candidate, Trial]] = []

    def run(self, is_separated: bool) -> None:
        """Try the candidates: scalings with the averaged perceptron first, then margins with the best scaling."""
        if self.task.takes("averaged"):
            for scale in self.task.scales():
                self.attempt(Candidate("averaged", scale, {}))
        scale = self.best.scale if self.found else self.task.scales()[-1]
        if is_separated:
            self.attempt(Candidate("kozinec", scale, {}))
        if self.task.may_be_gaussian:
            self.attempt(Candidate("anderson", scale, {}))
        self.climb(scale)

    def attempt(self, candidate: Candidate) -> Trial | None:
        """Try a candidate."""
        trial = self.trials.of(self.task.estimator(candidate))
        if trial is not None:
            self.found.append((candidate, trial))
        return trial

    def climb(self, scale: How | None) -> None:
        """Try prices of slack from the middle of the path on, in both directions, as long as they get better."""
        prices = self.task.prices()
        if not prices:
            return
        middle = len(prices) // 2
        start = self.attempt(Candidate("kozinec", scale, {"C": prices[middle]}))
        for direction in (prices[middle + 1 :], prices[:middle][::-1]):
            best = start
            for price in direction:
                trial = self.attempt(Candidate("kozinec", scale, {"C": price}))
                if trial is None or (best is not None and trial.right < best.right):
                    break
                best = trial

    def ranked(self) -> list[tuple[Candidate, Trial]]:
        """The candidates with their trials, the best first; of equal ones, the largest margin without slack."""
        return sorted(
            self.found, key=lambda one: (-one[1].right, one[0].algorithm != "kozinec" or "C" in one[0].settings)
        )

    @property
    def best(self) -> Candidate:
        """The most accurate candidate; of those that are nearly as accurate, the margin with the most slack.

        Of these, candidates that find the classes worse on average do not count: they may miss a small class.
        """
        first, most = self.ranked()[0]
        if most.right == most.n:
            return first
        near = [one for one in self.ranked() if most.accuracy - one[1].accuracy <= NEARLY * self.standard_error(most)]
        most_balanced = max(trial.balanced for _, trial in near)
        near = [one for one in near if most_balanced - one[1].balanced < MIN_GAIN]
        with_slack = [candidate for candidate, _ in near if "C" in candidate.settings]
        return min(with_slack, key=lambda candidate: float(candidate.settings["C"]), default=near[0][0])

    def standard_error(self, trial: Trial) -> float:
        """The standard error of the accuracy of a trial; each row counts once, however often it was tried."""
        return math.sqrt(trial.accuracy * (1 - trial.accuracy) / len(self.trials.y))

    def trial_of(self, chosen: Candidate) -> Trial:
        """The trial of a candidate."""
        return next(trial for candidate, trial in self.found if candidate is chosen)

    def balanced(self, chosen: Candidate) -> tuple[Candidate, str]:
        """Weights of classes, if they find more of the small classes for little; and a sentence if they cost more."""
        plain = self.trial_of(chosen)
        weighted = Candidate("averaged", chosen.scale, BALANCED)
        trial = self.attempt(weighted)
        if trial is None:
            return chosen, ""
        gain, loss = trial.balanced - plain.balanced, plain.accuracy - trial.accuracy
        if gain >= MIN_GAIN and loss <= MAX_LOSS * self.standard_error(plain):
            return weighted, ""
        if gain < HINT_GAIN:
            return chosen, ""
        return chosen, (
            "With --algorithm averaged --set class_weight=balanced, the classes would be found at "
            f"{_percent(trial.balanced)} on average instead of {_percent(plain.balanced)}, and "
            f"{_percent(trial.accuracy)} of all rows would be right instead of {_percent(plain.accuracy)} (of rows "
            "that were not learned from)."
        )

    def reason(self, chosen: Candidate) -> str:
        """Why this candidate: its accuracy and that of the next algorithm."""
        trials, mine = self.trials, self.trial_of(chosen)
        repeats = f", {trials.repeats} times" if trials.repeats > 1 else ""
        others = [one for one in self.ranked() if one[0].words != chosen.words]
        next_best = f"; next {others[0][0].words}, {_percent(others[0][1].accuracy)}" if others else ""
        if others and others[0][1].right > mine.right and chosen.settings != BALANCED:
            next_best += ", a difference that may be luck"
        scaled = {None: "columns as they are", "standardize": "columns standardised"}.get(
            chosen.scale, f"--scale {chosen.scale}"
        )
        return (
            f"{chosen.words}: {_percent(mine.accuracy)} right of rows not learned from{next_best} "
            f"({count_of(len(self.found), 'candidate')}, {trials.folds} folds of {count_of(len(trials.y), 'row')}"
            f"{repeats}); {scaled}"
        )


def _percent(proportion: float) -> str:
    return f"{100 * proportion:.1f} %"


def _is_separated(task: Task, X: Any, y: NDArray[Any]) -> bool:
    """Does a margin with little slack have all training rows right?"""
    prices = task.prices()
    if not prices:
        return False
    model = task.estimator(Candidate("kozinec", task.scales()[-1], {"C": 100 * prices[-1]}))
    with warnings.catch_warnings(action="ignore"):
        try:
            return bool((model.fit(X, y).predict(X) == y).all())
        except RosenblattError:
            return False


def _without_trials(task: Task, is_separated: bool, reason: str) -> Choice:
    """The choice where trials are not possible, for this reason: the largest margin if it separates the rows."""
    algorithm = "kozinec" if is_separated or not task.takes("averaged") else "averaged"
    chosen, rule = Candidate(algorithm, task.scales()[0], {}), "hyperplane" if task.classes == 2 else "linear rule"
    found = f"a {rule} separates them" if is_separated else f"no {rule} was found that separates them"
    why = f"{reason}; {found}, so {chosen.words} is used"
    return Choice(chosen.algorithm, chosen.scale, why, task.estimator(chosen))
