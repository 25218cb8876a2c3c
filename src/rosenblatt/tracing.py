"""Every step of a run, by the same kernels that `fit` calls: one row at a time, or one step of a search at a time."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt import data, parameters
from rosenblatt.bounds import Look, plane_of
from rosenblatt.data import Codes, Floats, Rows
from rosenblatt.errors import ParameterError
from rosenblatt.hyperplane import Hyperplane
from rosenblatt.kernels.multiclass import row_winner
from rosenblatt.kozinec import Kozinec
from rosenblatt.nearest_point import Search, jumps, nearest_point
from rosenblatt.online import OnlineClassifier
from rosenblatt.scoring import scores
from rosenblatt.steps import Step, Trace, plain
from rosenblatt.training import Learner, generator, train


def trace(estimator: OnlineClassifier | Kozinec, X: Any, y: Any, max_steps: int | None = None) -> Trace:
    """Train a copy of the estimator and record every row it meets; of `Kozinec`, every step of its search.

    Parameters
    ----------
    estimator : any classifier that learns row by row, or `Kozinec`; it is not changed
    X, y : as for `fit`
    max_steps : stop after so many steps, for runs too long to look at

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> steps = trace(Perceptron(order="cyclic", bias=0, tie="positive"), [[-1, 2], [1, 0], [1, 1]], [-1, 1, 1])
    >>> for step in steps.steps[:3]:
    ...     print(step.x, step.predicted, step.mistake, step.w[:2])
    (-1.0, 2.0) 1 True (1.0, -2.0)
    (1.0, 0.0) 1 False (1.0, -2.0)
    (1.0, 1.0) -1 True (2.0, -1.0)
    """
    if not isinstance(estimator, OnlineClassifier | Kozinec):
        raise ParameterError(
            "trace(estimator) must be a classifier that learns step by step, such as Perceptron() or Kozinec(), not "
            f"{estimator!r}."
        )
    if max_steps is not None and not parameters.Integer(0).allows(max_steps):
        raise ParameterError(f"trace(max_steps=...) must be {parameters.Integer(0)} or None, not {max_steps!r}.")
    model = clone(estimator)
    return _of_search(model, X, y, max_steps) if isinstance(model, Kozinec) else _of_rows(model, X, y, max_steps)


def _of_rows(model: OnlineClassifier, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    learner = problem.task.learner
    start = plain(learner.scale * learner.w)
    recorder = Recorder(learner, problem.classes.tolist(), max_steps)
    task = replace(problem.task, learner=recorder)
    try:
        rng = generator(model.random_state)
        train(task, problem.rows, model.order, model.max_epochs, rng, problem.held_out)
        reason = task.run.stop_reason
    except CutOff:
        reason = None
    return Trace(
        estimator=" ".join(repr(model).split()),
        classes=tuple(recorder.classes),
        names=_names(X, problem.points.shape[1]),
        bias=learner.bias,
        start=start,
        steps=tuple(recorder.steps),
        stop_reason=reason,
    )


def _of_search(model: Kozinec, X: Any, y: Any, max_steps: int | None) -> Trace:
    task = model.problem(X, y)
    if jumps(task.points, model.solver, task.options["slack"]):
        raise ParameterError(
            "With slack, or with hundreds of columns, Kozinec(solver='auto') begins with a jump, which has no steps to "
            "show; trace it with solver='wolfe', 'mdm', 'away' or 'kozinec'."
        )
    bias = 1.0 if task.points.two else float(model.bias)
    watcher = Watcher(task.points.held.rows._replace(bias=bias), task.classes.tolist(), max_steps)
    try:
        reason = nearest_point(task.points, **task.options, watch=watcher).stop_reason
    except CutOff:
        reason = None
    return Trace(
        estimator=" ".join(repr(model).split()),
        classes=tuple(watcher.classes),
        names=_names(X, task.points.d),
        bias=bias,
        start=watcher.start,
        steps=tuple(watcher.steps),
        stop_reason=reason,
    )


def _names(X: Any, d: int) -> tuple[str, ...]:
    return tuple(data.column_names(X) or [f"x{j + 1}" for j in range(d)])


class CutOff(Exception):  # noqa: N818  (not an error: the trace is as long as was asked for)
    """Ends training when enough steps are recorded."""


class Watcher:
    """Writes down how a search goes from look to look."""

    def __init__(self, rows: Rows, classes: list[Any], max_steps: int | None) -> None:
        self.rows, self.classes, self.max_steps = rows, classes, max_steps
        self.start: tuple[Any, ...] = ()
        self.steps: list[Step] = []
        self.before: Floats

    def __call__(self, search: Search) -> None:
        points, look = search.points, search.now
        w, _ = plane_of(look, points)
        if not self.start:
            self.start = plain(w)
        else:
            if len(self.steps) == self.max_steps:
                raise CutOff
            self.steps.append(self._step(search, look, w))
        self.before = w

    def _step(self, search: Search, look: Look, w: Floats) -> Step:
        points, i = search.points, search.row
        point = data.dense_row(self.rows, i, points.d)
        sign = int(points.held.y[i])
        score = float(scores(data.one_row(self.rows, i), self.before)[0])
        augmented = np.append(point, self.rows.bias)
        rows, weights = search.support()
        half = 0.5 if points.two else 1.0
        return Step(
            epoch=len(search.wrong),
            index=i,
            x=plain(point),
            y=self.classes[int(sign > 0)],
            score=score,
            predicted=None if score == 0 else self.classes[int(score > 0)],
            mistake=not sign * score > 0,
            updated=True,
            w=plain(w),
            angle_before=_angle(self.before, augmented),
            angle_after=_angle(w, augmented),
            norm=math.hypot(*look.w),
            updates=len(self.steps) + 1,
            lower=half * look.lower,
            upper=half * look.upper,
            active=plain(rows),
            weights=plain(weights),
        )


class Recorder(Learner):
    """A learner that lets another learn one row at a time and writes down what happened."""

    def __init__(self, learner: Learner, classes: list[Any], max_steps: int | None) -> None:
        self.learner, self.classes, self.max_steps = learner, classes, max_steps
        self.tie = learner.tie
        self.steps: list[Step] = []
        self.epoch = self.updates = 0

    def learn(self, rows: Rows, y: Any, order: Codes) -> tuple[int, int]:
        self.epoch += 1
        mistakes = updates = 0
        for i in order:
            if len(self.steps) == self.max_steps:
                raise CutOff
            mistake, updated = self._learn_one(rows, y, i)
            mistakes += mistake
            updates += updated
        return mistakes, updates

    def rest(self, rows: Rows | None) -> None:
        self.learner.rest(rows)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Recorder":
        return self  # training keeps copies of the best learner, and nobody asks a record for them

    def has_overflowed(self) -> bool:
        return self.learner.has_overflowed()

    def first_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        return self.learner.first_mistake(rows, y, among)

    def worst_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        return self.learner.worst_mistake(rows, y, among)

    def winners(self, rows: Rows, tie: float) -> Codes:
        return self.learner.winners(rows, tie)

    def _learn_one(self, rows: Rows, y: Any, i: int) -> tuple[int, int]:
        learner, classes = self.learner, self.classes
        point = data.dense_row(rows, i, len(learner.w.T) - 1)
        before = learner.w.copy()
        score = scores(data.one_row(rows, i), before)[0]
        predicted = _predicted(learner, rows, i, y[i], score)
        mistake, updated = learner.learn(rows, y, np.array([i]))
        after = learner.scale * learner.w
        self.updates += updated
        two = before.ndim == 1
        own = slice(None) if two else int(y[i])
        augmented = np.append(point, rows.bias)
        self.steps.append(
            Step(
                epoch=self.epoch,
                index=int(i),
                x=plain(point),
                y=classes[int(y[i] > 0) if two else y[i]],
                score=plain(learner.scale * score),
                predicted=None if predicted is None else classes[predicted],
                mistake=bool(mistake),
                updated=bool(updated),
                w=plain(after),
                angle_before=_angle(before[own], augmented),
                angle_after=_angle(after[own], augmented),
                norm=math.hypot(*after.flat),
                updates=self.updates,
                lower=None,
                upper=None,
                active=None,
                weights=None,
            )
        )
        return mistake, updated


def _predicted(learner: Learner, rows: Rows, i: int, y: Any, score: Any) -> int | None:
    """The number of the class that learning takes the row for; None for a tie that is given to neither of two."""
    if learner.w.ndim > 1:
        return int(row_winner(rows, i, learner.held, y, learner.tie))
    sign = learner.tie if score == 0 else score
    return None if sign == 0 else int(sign > 0)


def _angle(w: Floats, x: Floats) -> float | None:
    angle = Hyperplane(w).angle(x)
    return None if math.isnan(angle) else float(angle)
