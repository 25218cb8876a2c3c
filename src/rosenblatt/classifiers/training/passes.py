"""Training on rows in memory: pass after pass, until a pass makes no mistake or the budget is used.

`fit` makes many calls of `Learner.learn`, `partial_fit` one, `learn_one` one with a single row, and a trace one call a
row. Nothing else changes weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.events import has_listener, report_progress
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.learner import Learner
from rosenblatt.classifiers.training.order import ONCE_EACH, generator, presentations
from rosenblatt.classifiers.training.problem import Problem
from rosenblatt.classifiers.training.stop_decision import PASS_MESSAGE, Run
from rosenblatt.data.compiled.rows import Dense
from rosenblatt.data.large.byte_copy import with_byte_copy
from rosenblatt.data.validation import Codes, Floats, Rows, block

PASSES_BEFORE_COPY = 2  # after them, mistakes are rarer
PASSES_WITH_COPY = 2  # that are to come, at least
MAX_MISTAKES = 0.25  # of the rows; each mistake is a row that is read
BLOCK_BYTES = 2**21  # rows that several learners share while they are in the processor's cache


@dataclass
class HeldOut:
    """Rows held out, and how many passes may go by without fewer errors on them."""

    rows: Rows
    codes: Codes
    cost: Floats  # of an error, one a row
    patience: int

    def errors(self, learner: Learner) -> float:
        """Return the cost of the errors of this learner on the rows held out."""
        wrong = learner.winners(self.rows, 1.0 if learner.tie > 0 else -1.0) != self.codes
        return float(self.cost[wrong].sum())

    def judge(self, learner: Learner, best: Learner, run: Run, ended: bool) -> tuple[Learner, bool]:
        """Count the errors after a pass; return the learner to answer with so far, and whether training is over.

        The best learner is a copy of the learner after its best pass, the first of several. After a pass without a
        mistake it is the learner itself, if no earlier pass was better.
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


@dataclass
class Task:
    """A learner, and the rows it learns from by their numbers."""

    learner: Any  # a `Learner`; estimators know which
    y: Any
    among: Codes
    weight: Floats  # one for each row; above 0 for the rows it learns from
    name: str = "training"  # in progress messages
    run: Run = field(default_factory=Run)

    @cached_property
    def member(self) -> NDArray[np.bool_] | None:
        """A mask of the rows it learns from; None if it learns from all."""
        return None if len(self.among) == len(self.y) else np.isin(np.arange(len(self.y)), self.among)

    @property
    def weight_range(self) -> tuple[float, float]:
        """The smallest and the largest weight of the rows it learns from."""
        weights = self.weight if self.member is None else self.weight[self.among]
        return float(weights.min()), float(weights.max())

    def own(self, part: Codes) -> Codes:
        """Return those of some row numbers that it learns from."""
        return part if self.member is None else part[self.member[part]]

    def end_pass(self, rows: Rows, order: str, mistakes: int, updates: int) -> bool:
        """Record a pass over these rows, and return True if training is over."""
        learner = self.learner
        learner.end_pass(rows)
        return self.run.end_pass(
            learner,
            mistakes,
            updates,
            once_each=order in ONCE_EACH,
            has_mistake=lambda: learner.first_mistake(rows, self.y, self.among) >= 0,
        )


@dataclass(frozen=True, kw_only=True)
class PassesProblem(Problem):
    """Rows in memory, and a learner that passes over them.

    Attributes
    ----------
    rows : as the learner takes them
    task : the learner, and the numbers of the rows it learns from
    order : the order of presentation
    max_epochs : the largest number of passes
    random_state : draws the order
    held_out : rows that decide when to stop, if there are any
    """

    rows: Any
    task: Task
    order: str
    max_epochs: int
    random_state: Any
    held_out: HeldOut | None = None

    def train(self, callbacks: Callbacks | None = None) -> Task:
        """Pass over the rows until a pass makes no mistake, at most `max_epochs` times.

        Returns
        -------
        Task
            Its learner is the one to answer with; with rows held out, a copy of the learner after its best pass.
        """
        task, rows, order, max_epochs = self.task, self.rows, self.order, self.max_epochs
        learner = best = task.learner
        shown = rows
        report_progress(task.name, 0, max_epochs, "first pass")
        chosen_rows = presentations(order, learner, rows, task.y, task.among, generator(self.random_state))
        for epoch, chosen in zip(range(1, max_epochs + 1), chosen_rows, strict=False):
            if callbacks is not None:
                callbacks.begin()
            ended = task.end_pass(rows, order, *learner.learn(shown, task.y, chosen, task.weight))
            if self.held_out:
                best, ended = self.held_out.judge(learner, best, task.run, ended)
            report_progress(
                task.name, epoch, max_epochs, PASS_MESSAGE, epoch, max_epochs, task.run.mistakes_per_epoch[-1]
            )
            if callbacks is not None and callbacks.end(partial(replace, task, learner=best)) and not ended:
                task.run.stop_reason, ended = StopReason.CONDITION, True
            if ended:
                break
            if epoch == PASSES_BEFORE_COPY and self._copy_pays(epoch):
                shown = with_byte_copy(rows) or rows
        task.learner = learner if learner.has_overflowed() else best
        return task

    def _copy_pays(self, epoch: int) -> bool:
        """Is a copy with one byte for each number worth its time, which is about half of that of a pass?"""
        return (
            self.order in ("shuffled", "random")
            and isinstance(self.rows, Dense)
            and self.task.learner.takes_byte_rows
            and self.max_epochs - epoch >= PASSES_WITH_COPY
            and self.task.run.mistakes_per_epoch[-1] <= MAX_MISTAKES * len(self.task.among)
        )


def train_together(
    tasks: Sequence[Task],
    rows: Rows,
    among: Codes,
    order: str,
    max_epochs: int,
    rng: np.random.RandomState,
    callbacks: Callbacks | None = None,
) -> Sequence[Task]:
    """Train several learners in the same passes, each to the bits that `train` gives it alone.

    All are presented the rows `among` in one order, block by block, so that each row is read from memory once a pass;
    each learner takes the rows of a block that are its own.
    """
    n, going, name, size = len(among), list(tasks), tasks[0].name, block(rows, BLOCK_BYTES)
    listened, epochs = has_listener(), range(1, max_epochs + 1)
    report_progress(name, 0, max_epochs, "first pass")
    for epoch, chosen in zip(epochs, presentations(order, tasks[0].learner, rows, None, among, rng), strict=False):
        if callbacks is not None:
            callbacks.begin()
        counts = np.zeros((len(going), 2), dtype=np.int64)
        for start in range(0, n, size):
            part = chosen[start : start + size]
            for k, task in enumerate(going):
                counts[k] += task.learner.learn(rows, task.y, task.own(part), task.weight)
        made = counts.tolist()
        going = [task for task, done in zip(going, made, strict=True) if not task.end_pass(rows, order, *done)]
        if listened:
            facts = epoch, max_epochs, sum(mistakes for mistakes, _ in made), len(going), len(tasks)
            report_progress(name, epoch, max_epochs, PASS_MESSAGE + ", {} of {} learn on", *facts)
        if callbacks is not None and callbacks.end(lambda: tasks):
            for task in going:
                task.run.stop_reason = StopReason.CONDITION
            going = []
        if not going:
            break
    return tasks
