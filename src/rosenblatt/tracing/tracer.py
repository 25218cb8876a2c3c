"""Every step of a run, by the same code that `fit` runs: one row, one pass, or one step of a search at a time."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt.base import parameters
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.anderson import Anderson, Posed
from rosenblatt.classifiers.batch import BatchPerceptron
from rosenblatt.classifiers.gaussians.search import HALVINGS
from rosenblatt.classifiers.kernel_perceptron import Dual, KernelPerceptron, refuse_overflow
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.classifiers.multiclass.decomposition import Decomposition, copies, rows_of, tasks_of
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.training.passes import Task, generator, train, train_together
from rosenblatt.data.named_arrays import column_names
from rosenblatt.data.validation import Codes
from rosenblatt.errors import ParameterError
from rosenblatt.hulls.search import jumps, nearest_point
from rosenblatt.tracing.recorders import CutOff, DescentWatcher, DualRecorder, Recorder, Watcher, gaussian_steps
from rosenblatt.tracing.step import Kind, Member, Step, plain
from rosenblatt.tracing.trace import Trace

Alone = OnlineClassifier | BatchPerceptron | KernelPerceptron | Kozinec | Anderson
REACHED = (StopReason.MISTAKE_FREE, StopReason.GAP_CLOSED, StopReason.SEPARATED, StopReason.TARGET)


def trace(estimator: Alone | Decomposition, X: Any, y: Any, max_steps: int | None = None) -> Trace:
    """Train a copy of the estimator and record every step: each row that it meets, or each step of its search.

    A step is a row met by `Perceptron`, `PassiveAggressive`, `Pocket` and `KernelPerceptron` (which meets equal rows of
    one class on end: they are one step); a look at all rows by `BatchPerceptron`; a step of the search of `Kozinec` and
    `Anderson`. Of `OneVsAll` and `OneVsOne` the members come one after the other, and each step names its own.

    Parameters
    ----------
    estimator : one of those; it is not changed
    X, y : as for `fit`
    max_steps : stop after so many steps, for runs too long to look at

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron, OneVsAll, Perceptron, trace
    >>> steps = trace(Perceptron(order="cyclic", bias=0, tie="positive"), [[-1, 2], [1, 0], [1, 1]], [-1, 1, 1])
    >>> for step in steps.steps[:3]:
    ...     print(step.x, step.predicted, step.mistake, step.w[:2])
    (-1.0, 2.0) 1 True (1.0, -2.0)
    (1.0, 0.0) 1 False (1.0, -2.0)
    (1.0, 1.0) -1 True (2.0, -1.0)
    >>> for step in trace(BatchPerceptron(bias=0), [[-1, 2], [1, 0], [1, 1]], [-1, 1, 1]):
    ...     print("wrong:", step.active, "w after:", step.w[:2])
    wrong: (0, 1, 2) w after: (3.0, -1.0)
    wrong: () w after: (3.0, -1.0)
    >>> steps = trace(OneVsAll(Perceptron(order="cyclic")), [[0, 2], [2, 0], [-2, -2]], ["red", "green", "blue"])
    >>> for member in steps.members:
    ...     print(member.task, "is", member.stop_reason, "after", len(steps.member(member.task)), "steps")
    blue against the rest is mistake_free after 6 steps
    green against the rest is mistake_free after 6 steps
    red against the rest is mistake_free after 6 steps
    """
    _check(max_steps)
    if isinstance(estimator, Decomposition):
        return _of_members(clone(estimator), X, y, max_steps)
    return _of_one(_traceable(estimator), X, y, max_steps)


def trace_gaussians(
    estimator: Anderson, means: Any, covariances: Any, labels: Any, max_steps: int | None = None
) -> Trace:
    """Record every step of `Anderson` for Gaussians that are given; `trace` records them for those it estimates.

    Parameters
    ----------
    estimator : an `Anderson`; it is not changed
    means, covariances, labels : as for `fit_gaussians`
    max_steps : stop after so many steps, for runs too long to look at

    Examples
    --------
    >>> from rosenblatt import Anderson, trace_gaussians
    >>> covariances = [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [[4, 0], [0, 0.25]]]
    >>> steps = trace_gaussians(Anderson(), [[0, 0], [4, 0], [2, 3]], covariances, ["low", "low", "high"])
    >>> print(steps.stop_reason, "at a radius of", round(steps[-1].lower, 4), "held by", steps[-1].active)
    gap_closed at a radius of 2.0 held by (0, 1, 2)
    """
    _check(max_steps)
    if not isinstance(estimator, Anderson):
        raise ParameterError(f"trace_gaussians(estimator) must be an Anderson(), not {estimator!r}.")
    model = clone(estimator)
    return _of_gaussians(model, model.problem_of_gaussians(means, covariances, labels), means, max_steps)


def _check(max_steps: Any) -> None:
    if max_steps is not None and not parameters.Integer(0).allows(max_steps):
        raise ParameterError(f"trace(max_steps=...) must be {parameters.Integer(0)} or None, not {max_steps!r}.")


def _traceable(estimator: Any) -> Alone:
    if not isinstance(estimator, Alone):
        raise ParameterError(
            "trace(estimator) must be a classifier that learns step by step, such as Perceptron() or Kozinec(), or "
            f"OneVsAll or OneVsOne of one, not {estimator!r}."
        )
    return estimator


def _of_one(estimator: Alone, X: Any, y: Any, max_steps: int | None) -> Trace:
    model = clone(estimator)
    if isinstance(model, Anderson):
        return _of_gaussians(model, model.problem(X, y), X, max_steps)
    if isinstance(model, Kozinec):
        return _of_hulls(model, X, y, max_steps)
    if isinstance(model, BatchPerceptron):
        return _of_passes(model, X, y, max_steps)
    if isinstance(model, KernelPerceptron):
        return _of_kernel(model, X, y, max_steps)
    problem = model.problem(X, y)
    recorder = Recorder(problem.task.learner, problem.classes.tolist(), max_steps)
    rng = generator(model.random_state)

    def run(task: Task) -> object:
        return train(task, problem.rows, model.order, model.max_epochs, rng, problem.held_out)

    return _of_rows(model, X, problem.task, recorder, run)


def _of_rows(model: Any, X: Any, task: Task, recorder: Recorder, run: Callable[[Task], object]) -> Trace:
    """The record of rows that are met one after the other; `run` trains the task."""
    learner = recorder.learner
    start = plain(learner.scale * learner.w)
    reason = _ended(replace(task, learner=recorder), run)
    steps, width = tuple(recorder.steps), start[0] if isinstance(start[0], tuple) else start
    return _record(Kind.ROWS, model, recorder.classes, X, len(width) - 1, learner.bias, start, steps, reason)


def _ended(task: Task, run: Callable[[Task], object]) -> StopReason | None:
    """Why training ended; None if it was cut off."""
    try:
        run(task)
    except CutOff:
        return None
    return task.run.stop_reason


def _of_kernel(model: KernelPerceptron, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    learner, classes, d = problem.task.learner, problem.classes.tolist(), problem.points.shape[1]
    assert isinstance(learner, Dual)  # noqa: S101
    recorder = DualRecorder(learner, classes, max_steps, problem.points, problem.numbers, model.average is not None)
    given = problem.columns, model.order, model.max_epochs, generator(model.random_state)
    reason = _ended(replace(problem.task, learner=recorder), lambda task: train(task, *given))
    refuse_overflow(learner)
    return _record(Kind.KERNEL, model, classes, X, d, float(model.bias), (), tuple(recorder.steps), reason)


def _of_passes(model: BatchPerceptron, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    start, d = plain(problem.descent.w), problem.points.shape[1]
    watcher = DescentWatcher(problem.descent, problem.rows, problem.codes, max_steps)
    reason: StopReason | None
    try:
        _, reason = model._descend(problem, watch=watcher)
    except CutOff:
        reason = None
    classes, bias = problem.classes.tolist(), float(model.bias)
    return _record(Kind.PASSES, model, classes, X, d, bias, start, tuple(watcher.steps), reason)


def _of_hulls(model: Kozinec, X: Any, y: Any, max_steps: int | None) -> Trace:
    task = model.problem(X, y)
    if jumps(task.points, model.solver, task.options["slack"]):
        raise ParameterError(
            "With slack, or with hundreds of columns, Kozinec(solver='auto') begins with a jump, which has no steps to "
            "show; trace it with solver='wolfe', 'mdm', 'away' or 'kozinec'."
        )
    bias = 1.0 if task.points.two else float(model.bias)
    watcher = Watcher(task.points.held.rows._replace(bias=bias), task.classes.tolist(), max_steps)
    reason: StopReason | None
    try:
        reason = nearest_point(task.points, **task.options, watch=watcher).stop_reason
    except CutOff:
        reason = None
    steps = tuple(watcher.steps)
    return _record(Kind.HULLS, model, watcher.classes, X, task.points.d, bias, watcher.start, steps, reason)


class Enough:
    """Ends a search as a callback would, when it has made more steps than will be shown.

    A search that is to bisect first, which takes at most `HALVINGS` steps, may start anew by another rule.
    """

    def __init__(self, max_steps: int) -> None:
        self.left = max_steps + HALVINGS

    def begin(self) -> None:
        self.left -= 1

    def end(self, _: Any) -> bool:
        return self.left < 0


def _of_gaussians(model: Anderson, posed: Posed, X: Any, max_steps: int | None) -> Trace:
    given, codes, classes = posed.given, posed.codes, posed.classes.tolist()
    found = model._search(posed, None if max_steps is None else Enough(max_steps))
    steps, start = gaussian_steps(given, codes, classes, found), plain(found.history[0]["w"])
    reason: StopReason | None = found.stop_reason
    if max_steps is not None and len(steps) > max_steps:
        steps, reason = steps[:max_steps], None
    elif steps and found.contacts is not None:
        weights = tuple(float(weight) for weight in found.contacts.weights)
        steps[-1] = replace(steps[-1], active=plain(found.contacts.rows), weights=weights)
    return _record(Kind.GAUSSIANS, model, classes, X, given.d, 1.0, start, tuple(steps), reason)


def _of_members(model: Decomposition, X: Any, y: Any, max_steps: int | None) -> Trace:
    posed = model.problem(X, y)
    _traceable(model.estimator)
    runs: list[Trace] = []
    for k, part in enumerate(posed.parts):
        left = None if max_steps is None else max_steps - sum(map(len, runs))
        run = _of_member(model, posed, k, left)
        runs.append(replace(run, steps=tuple(replace(step, task=part.task) for step in run)))
    members = [
        Member(task=part.task, classes=run.classes, start=run.start, stop_reason=run.stop_reason)
        for part, run in zip(posed.parts, runs, strict=True)
    ]
    reasons = [run.stop_reason for run in runs]
    whole = _record(
        runs[0].kind,
        model,
        posed.classes.tolist(),
        X,
        posed.points.shape[1],
        runs[0].bias,
        tuple(run.start for run in runs),
        tuple(step for run in runs for step in run),
        None if None in reasons else next((each for each in reasons if each not in REACHED), reasons[0]),
    )
    return replace(whole, members=tuple(members))


def _of_member(model: Decomposition, posed: Any, k: int, max_steps: int | None) -> Trace:
    """The run of one member: with all others in the same passes, or alone on its own rows."""
    part = posed.parts[k]
    members = copies(model.estimator, posed.parts)
    if not model.shares_passes:
        run = _of_one(members[k], *rows_of(posed, part), max_steps)
        return run if run.kind is Kind.GAUSSIANS else replace(run, steps=tuple(_numbered(s, part.among) for s in run))
    first, (rows, tasks) = members[0], tasks_of(posed, members)
    recorder = Recorder(tasks[k].learner, part.labels.tolist(), max_steps)
    given = rows, first.order, first.max_epochs, copy.deepcopy(generator(first.random_state))
    return _of_rows(members[k], posed.points, tasks[k], recorder, lambda task: train_together([task], *given))


def _numbered(step: Step, among: Codes) -> Step:
    """The same with the numbers that the rows of a member have among all."""
    index = None if step.index is None else int(among[step.index])
    active = None if step.active is None else plain(among[np.array(step.active, dtype=np.int64)])
    return replace(step, index=index, active=active)


def _record(
    kind: Kind,
    model: Any,
    classes: list[Any],
    X: Any,
    d: int,
    bias: float,
    start: tuple[Any, ...],
    steps: tuple[Step, ...],
    stop_reason: StopReason | None,
) -> Trace:
    return Trace(
        kind=kind,
        estimator=" ".join(repr(model).split()),
        classes=tuple(classes),
        names=tuple(column_names(X) or [f"x{j + 1}" for j in range(d)]),
        bias=bias,
        start=start,
        steps=steps,
        stop_reason=stop_reason,
        members=(),
    )
