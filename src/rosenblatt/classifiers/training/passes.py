"""Training: the same rows, pass after pass, until a pass makes no mistake or the budget is used.

What learns is a `Learner`: weights bound to a rule. `fit` is many calls of `learn`, `partial_fit` one, `learn_one` a
call with one row; a trace calls it a row at a time. Nothing else changes weights.
"""

import copy
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rosenblatt.base.events import heard, tell
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.learner import Learner
from rosenblatt.data.validation import Codes, Floats, Rows, block


class Blank(ISeedSequence):
    """No entropy: what is made from it is seeded at once."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        return np.zeros(n_words, dtype=dtype)


def generator(random_state: Any) -> np.random.RandomState:
    """The generator that scikit-learn makes of a random state; of a seed, in a third of its time."""
    if not isinstance(random_state, numbers.Integral):
        return cast(np.random.RandomState, check_random_state(random_state))
    rng = np.random.RandomState(np.random.MT19937(cast(Any, Blank())))
    rng.seed(int(random_state))
    return rng


@dataclass
class Run:
    """What happened in training."""

    mistakes_per_epoch: list[int] = field(default_factory=list)
    n_updates: int = 0
    stop_reason: StopReason = StopReason.BUDGET
    held_out_errors: list[float] = field(default_factory=list)


@dataclass
class HeldOut:
    """Rows kept back, and how many passes may go by without fewer errors on them."""

    rows: Rows
    codes: Codes
    cost: Floats  # of an error, one a class
    patience: int

    def errors(self, learner: Learner) -> float:
        wrong = learner.winners(self.rows, 1.0 if learner.tie > 0 else -1.0) != self.codes
        return float(self.cost[self.codes[wrong]].sum())

    def judge(self, learner: Learner, best: Learner, run: Run, ended: bool) -> tuple[Learner, bool]:
        """Count the errors after a pass: who answers now, and is training at its end?

        A copy of the learner as it was after its best pass, the first of several; or, after a pass without a mistake,
        the learner itself if none was better.
        """
        run.held_out_errors.append(self.errors(learner))
        fewest = min(run.held_out_errors)
        since = len(run.held_out_errors) - 1 - run.held_out_errors.index(fewest)
        if run.stop_reason is StopReason.MISTAKE_FREE:
            if run.held_out_errors[-1] == fewest:
                return learner, True
            run.stop_reason = StopReason.HELD_OUT
        elif since == 0:
            return learner.copy(), ended
        elif since >= self.patience and not ended:
            run.stop_reason, ended = StopReason.HELD_OUT, True
        return best, ended


ORDERS = ("cyclic", "shuffled", "random", "first", "worst")
DRAWN = ("cyclic", "shuffled", "random")  # known before learning, so that several learners can share a pass
BLOCK = 2**21  # bytes of rows that learners share while they are in the cache
SAID = "pass {} of {}, {:,} mistakes"


def passes(
    order: str, learner: Learner, rows: Rows, y: Any, among: Codes, rng: np.random.RandomState
) -> Iterator[Codes]:
    """The rows of each pass, in the order in which they are presented, for ever."""
    n = len(among)
    choose: dict[str, Callable[[], Any]] = {
        "cyclic": lambda: among,
        "shuffled": lambda: among[rng.permutation(n)],
        "random": lambda: among[rng.randint(n, size=n)],
        "first": lambda: _at_most_one(learner.first_mistake(rows, y, among)),
        "worst": lambda: _at_most_one(learner.worst_mistake(rows, y, among)),
    }
    while True:
        yield choose[order]()


def _at_most_one(i: int) -> NDArray[np.int64]:
    return np.array([i] if i >= 0 else [], dtype=np.int64)


@dataclass
class Task:
    """A learner and the rows it learns from, by their numbers."""

    learner: Learner
    y: Any
    among: Codes
    name: str = "training"  # of what is trained, for people
    run: Run = field(default_factory=Run)

    def copy(self) -> "Task":
        """As it is now, whatever comes."""
        return replace(self, learner=self.learner.copy(), run=copy.deepcopy(self.run))

    @cached_property
    def member(self) -> NDArray[np.bool_] | None:
        """Which rows it learns from; None if all."""
        return None if len(self.among) == len(self.y) else np.isin(np.arange(len(self.y)), self.among)

    def own(self, part: Codes) -> Codes:
        """Those of some rows that it learns from."""
        return part if self.member is None else part[self.member[part]]

    def count(self, rows: Rows, order: str, mistakes: int, updates: int) -> bool:
        """Take down what a pass did; is training at its end?

        Weights that overflow end it as well; whoever asked for the training looks at them.

        A clean pass proves the rows free of mistakes only if it met all of them with the same weights. One that drew
        rows at random, changed the weights without a mistake (passive-aggressive), or went by rounded scores, is
        followed by a look at all.
        """
        self.learner.rest(rows)
        self.run.mistakes_per_epoch.append(mistakes)
        self.run.n_updates += updates
        if self.learner.has_overflowed():
            return True
        if mistakes == 0 or self.learner.settled:
            met_all = order in ("cyclic", "shuffled") and updates == 0 and self.learner.proves
            if met_all or self.learner.settled or self.learner.first_mistake(rows, self.y, self.among) < 0:
                self.run.stop_reason = StopReason.MISTAKE_FREE
                return True
        return False


def train(
    task: Task,
    rows: Rows,
    order: str,
    max_epochs: int,
    rng: np.random.RandomState,
    held_out: HeldOut | None = None,
    callbacks: Callbacks | None = None,
) -> Task:
    """Pass over the rows until a pass makes no mistake, at most `max_epochs` times; the learner then is who answers.

    With a part held out, that may be a copy of the one that learned, as it was after its best pass.
    """
    learner = best = task.learner
    told, epochs = heard(), range(1, max_epochs + 1)
    tell(task.name, 0, max_epochs, "first pass")
    for epoch, chosen in zip(epochs, passes(order, learner, rows, task.y, task.among, rng), strict=False):
        if callbacks is not None:
            callbacks.begin()
        ended = task.count(rows, order, *learner.learn(rows, task.y, chosen))
        if held_out:
            best, ended = held_out.judge(learner, best, task.run, ended)
        if told:
            tell(task.name, epoch, max_epochs, SAID, epoch, max_epochs, task.run.mistakes_per_epoch[-1])
        if callbacks is not None and callbacks.end(partial(replace, task, learner=best)) and not ended:
            task.run.stop_reason, ended = StopReason.CONDITION, True
        if ended:
            break
    task.learner = learner if learner.has_overflowed() else best
    return task


def train_together(
    tasks: Sequence[Task],
    rows: Rows,
    order: str,
    max_epochs: int,
    rng: np.random.RandomState,
    callbacks: Callbacks | None = None,
) -> Sequence[Task]:
    """What `train` does for each task, to the last bit, with each row read once a pass for all of them.

    The rows are presented to all in one order, in blocks; each learner takes those of the block that are its own.
    """
    n, going, name = len(tasks[0].y), list(tasks), tasks[0].name
    every, size = np.arange(n), block(rows, BLOCK)
    told, epochs = heard(), range(1, max_epochs + 1)
    tell(name, 0, max_epochs, "first pass")
    for epoch, chosen in zip(epochs, passes(order, tasks[0].learner, rows, None, every, rng), strict=False):
        if callbacks is not None:
            callbacks.begin()
        counts = np.zeros((len(going), 2), dtype=np.int64)
        for start in range(0, n, size):
            part = chosen[start : start + size]
            for k, task in enumerate(going):
                counts[k] += task.learner.learn(rows, task.y, task.own(part))
        made = counts.tolist()
        going = [task for task, done in zip(going, made, strict=True) if not task.count(rows, order, *done)]
        if told:
            facts = epoch, max_epochs, sum(mistakes for mistakes, _ in made), len(going), len(tasks)
            tell(name, epoch, max_epochs, SAID + ", {} of {} learn on", *facts)
        if callbacks is not None and callbacks.end(lambda: tasks):
            for task in going:
                task.run.stop_reason = StopReason.CONDITION
            going = []
        if not going:
            break
    return tasks
