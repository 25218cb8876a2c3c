"""Record every step of a training run. The code that trains is that of `fit`."""

import copy
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import LabelsLike, MatricesLike, TableLike
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.anderson import Anderson, GaussianProblem
from rosenblatt.classifiers.batch_perceptron import BatchPerceptron
from rosenblatt.classifiers.gaussians.search import HALVINGS
from rosenblatt.classifiers.kernel_perceptron import KernelPerceptron, refuse_overflow
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.classifiers.multiclass.decomposition import Decomposition, rows_of, tasks_of
from rosenblatt.classifiers.multiclass.parts import copies
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.training.order import generator
from rosenblatt.classifiers.training.passes import Task, train_together
from rosenblatt.data.named_arrays import column_names
from rosenblatt.data.validation import Codes
from rosenblatt.errors import ParameterError
from rosenblatt.errors.wording import parameter, worded
from rosenblatt.hulls.search import jumps, nearest_point
from rosenblatt.tracing.recorders import BatchRecorder, CutOff, DualRecorder, HullRecorder, Recorder, gaussian_steps
from rosenblatt.tracing.step import Kind, Member, Step, plain
from rosenblatt.tracing.trace import Trace

SingleModel = OnlineClassifier | BatchPerceptron | KernelPerceptron | Kozinec | Anderson
REACHED = (StopReason.MISTAKE_FREE, StopReason.GAP_CLOSED, StopReason.SEPARATED, StopReason.TARGET)


def trace(estimator: SingleModel | Decomposition, X: TableLike, y: LabelsLike, max_steps: int | None = None) -> Trace:
    """Train a copy of the estimator and record every step.

    For `Perceptron`, `PassiveAggressive`, `Pocket` and `KernelPerceptron`, a step is one presented row.
    (`KernelPerceptron` presents equal rows of one class together, as one step.) For `BatchPerceptron`, a step is one
    check of all rows. For `Kozinec` and `Anderson`, it is one step of their search. For `OneVsAll` and `OneVsOne`, the
    members follow one another, and each step names its member.

    Parameters
    ----------
    estimator : estimator
        One of the estimators above; it is not changed.
    X : array, sparse matrix, data frame or Arrow table of shape (n, d)
        The rows.
    y : array of shape (n,)
        The class labels.
    max_steps : int, optional
        Stop after this many steps; for runs that are too long to read.

    Returns
    -------
    Trace
        The steps, with `to_table`, `to_frame`, `to_csv` and `to_jsonl`.

    See Also
    --------
    trace_gaussians : For Gaussians that are given.
    plot.animate : Writes a trace as an animation.

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
    _check_max_steps(max_steps)
    if isinstance(estimator, Decomposition):
        return _trace_members(clone(estimator), X, y, max_steps)
    return _trace_one(_traceable(estimator), X, y, max_steps)


def trace_gaussians(
    estimator: Anderson, means: TableLike, covariances: MatricesLike, labels: LabelsLike, max_steps: int | None = None
) -> Trace:
    """Record every step of `Anderson` for given Gaussians.

    `trace` records the steps for Gaussians that `Anderson` estimates from rows.

    Parameters
    ----------
    estimator : Anderson
        It is not changed.
    means : array of shape (m, d)
        The means.
    covariances : array of shape (m, d, d)
        The covariance matrices.
    labels : array of shape (m,)
        The class of each Gaussian.
    max_steps : int, optional
        Stop after this many steps; for runs that are too long to read.

    Returns
    -------
    Trace
        The steps.

    See Also
    --------
    trace : For rows.
    Anderson.fit_gaussians : Fits without a record.

    Examples
    --------
    >>> from rosenblatt import Anderson, trace_gaussians
    >>> covariances = [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [[4, 0], [0, 0.25]]]
    >>> steps = trace_gaussians(Anderson(), [[0, 0], [4, 0], [2, 3]], covariances, ["low", "low", "high"])
    >>> print(steps.stop_reason, "at a radius of", round(steps[-1].lower, 4), "held by", steps[-1].active)
    gap_closed at a radius of 2.0 held by (0, 1, 2)
    """
    _check_max_steps(max_steps)
    if not isinstance(estimator, Anderson):
        raise ParameterError(f"trace_gaussians(estimator) must be an Anderson(), not {estimator!r}.")
    return trace_gaussian_search(estimator, means, covariances, labels, max_steps).trace


class SearchTrace(NamedTuple):
    """The trace of a search of `Kozinec` or `Anderson`, and what its steps do not say.

    Attributes
    ----------
    trace : the steps
    start_bounds : the bounds of the margin or the radius before the first step
    fitted : the estimator, fitted by the traced search; None if a search of `Kozinec` was cut off at `max_steps`
    """

    trace: Trace
    start_bounds: tuple[float, float]
    fitted: Any


def trace_search(estimator: Kozinec | Anderson, X: Any, y: Any, max_steps: int | None = None) -> SearchTrace:
    """Like `trace`, for a search; its start and its answer come with the steps."""
    _check_max_steps(max_steps)
    model = clone(estimator)
    if isinstance(model, Anderson):
        return _trace_gaussians(model, model.problem(X, y), X, max_steps)
    return _trace_hulls(model, X, y, max_steps)


def trace_gaussian_search(
    estimator: Anderson, means: Any, covariances: Any, labels: Any, max_steps: int | None = None
) -> SearchTrace:
    """Like `trace_gaussians`; the start and the answer of the search come with the steps."""
    _check_max_steps(max_steps)
    model = clone(estimator)
    return _trace_gaussians(model, model.problem_of_gaussians(means, covariances, labels), means, max_steps)


def _check_max_steps(max_steps: Any) -> None:
    if max_steps is not None and not parameters.Integer(0).allows(max_steps):
        raise ParameterError(f"trace(max_steps=...) must be {parameters.Integer(0)} or None, not {max_steps!r}.")


def _traceable(estimator: Any) -> SingleModel:
    if not isinstance(estimator, SingleModel):
        raise ParameterError(
            "trace(estimator) must be a classifier that learns step by step, such as Perceptron() or Kozinec(), or "
            f"OneVsAll or OneVsOne around one, not {estimator!r}."
        )
    return estimator


def _trace_one(estimator: SingleModel, X: Any, y: Any, max_steps: int | None) -> Trace:
    model = clone(estimator)
    if isinstance(model, Anderson):
        return _trace_gaussians(model, model.problem(X, y), X, max_steps).trace
    if isinstance(model, Kozinec):
        return _trace_hulls(model, X, y, max_steps).trace
    if isinstance(model, BatchPerceptron):
        return _trace_passes(model, X, y, max_steps)
    if isinstance(model, KernelPerceptron):
        return _trace_kernel(model, X, y, max_steps)
    problem = model.problem(X, y)
    recorder = Recorder(problem.task.learner, problem.classes.tolist(), max_steps)
    return _trace_rows(model, X, problem.task, recorder, lambda task: replace(problem, task=task).train())


def _trace_rows(model: Any, X: Any, task: Task, recorder: Recorder, run: Callable[[Task], object]) -> Trace:
    """The trace of a run that is presented one row at a time. `run` trains the task."""
    learner = recorder.learner
    start = plain(learner.scale * learner.w)
    reason = _train(replace(task, learner=recorder), run)
    steps, width = tuple(recorder.steps), start[0] if isinstance(start[0], tuple) else start
    return _made_trace(Kind.ROWS, model, recorder.classes, X, len(width) - 1, learner.bias, start, steps, reason)


def _train(task: Task, run: Callable[[Task], object]) -> StopReason | None:
    """Train; return why training ended, or None if it was cut off."""
    try:
        run(task)
    except CutOff:
        return None
    return task.run.stop_reason


def _trace_kernel(model: KernelPerceptron, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    learner, classes, d = problem.task.learner, problem.classes.tolist(), problem.points.shape[1]
    recorder = DualRecorder(learner, classes, max_steps, problem.points, problem.numbers, bool(model.average))
    reason = _train(replace(problem.task, learner=recorder), lambda task: replace(problem, task=task).train())
    refuse_overflow(learner)
    return _made_trace(Kind.KERNEL, model, classes, X, d, float(model.bias), (), tuple(recorder.steps), reason)


def _trace_passes(model: BatchPerceptron, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    start, d = plain(problem.descent.w), problem.points.shape[1]
    recorder = BatchRecorder(problem.descent, problem.rows, problem.codes, max_steps)
    reason: StopReason | None
    try:
        _, reason = problem.train(watch=recorder)
    except CutOff:
        reason = None
    classes, bias = problem.classes.tolist(), float(model.bias)
    return _made_trace(Kind.PASSES, model, classes, X, d, bias, start, tuple(recorder.steps), reason)


def _trace_hulls(model: Kozinec, X: Any, y: Any, max_steps: int | None) -> SearchTrace:
    problem = model.problem(X, y)
    row_set = problem.row_set
    if jumps(row_set, model.solver, problem.options["slack"]):
        raise ParameterError(
            worded(
                "With slack, or with hundreds of columns, {auto} begins with a direct solution, which has no steps to "
                "record. Trace it with {wolfe}, 'mdm', 'away' or 'kozinec'.",
                auto=parameter("solver", "auto", "Kozinec"),
                wolfe=parameter("solver", "wolfe"),
            )
        )
    bias = 1.0 if row_set.two else float(model.bias)
    recorder = HullRecorder(row_set.held.rows._replace(bias=bias), problem.classes.tolist(), max_steps)
    reason: StopReason | None = None
    fitted = None
    with suppress(CutOff):
        found = nearest_point(row_set, **problem.options, watch=recorder)
        model._keep(problem, found)
        fitted, reason = model, found.stop_reason
    steps = tuple(recorder.steps)
    made = _made_trace(Kind.HULLS, model, recorder.classes, X, row_set.d, bias, recorder.start, steps, reason)
    return SearchTrace(made, recorder.start_bounds if fitted is None else _first_bounds(fitted.history_), fitted)


class StepLimit:
    """Callbacks that end a search of `Anderson` once it has made more steps than `max_steps`.

    The limit leaves `HALVINGS` steps more: a search that bisects first may make so many and then restart by another
    rule.
    """

    def __init__(self, max_steps: int) -> None:
        self.left = max_steps + HALVINGS

    def begin(self) -> None:
        self.left -= 1

    def end(self, _: Any) -> bool:
        return self.left < 0


def _trace_gaussians(model: Anderson, problem: GaussianProblem, X: Any, max_steps: int | None) -> SearchTrace:
    given, codes, classes = problem.gaussians, problem.codes, problem.classes.tolist()
    found = problem.train(None if max_steps is None else StepLimit(max_steps))
    steps, start = gaussian_steps(given, codes, classes, found), plain(found.history[0]["w"])
    reason: StopReason | None = found.stop_reason
    if max_steps is not None and len(steps) > max_steps:
        steps, reason = steps[:max_steps], None
    elif steps and found.contacts is not None:
        weights = tuple(float(weight) for weight in found.contacts.weights)
        steps[-1] = replace(steps[-1], active=plain(found.contacts.rows), weights=weights)
    model._keep(problem, found)
    made = _made_trace(Kind.GAUSSIANS, model, classes, X, given.d, 1.0, start, tuple(steps), reason)
    return SearchTrace(made, _first_bounds(found.history), model)


def _first_bounds(history: Any) -> tuple[float, float]:
    return float(history[0]["lower"]), float(history[0]["upper"])


def _trace_members(model: Decomposition, X: Any, y: Any, max_steps: int | None) -> Trace:
    problem = model.problem(X, y)
    _traceable(model.estimator)
    runs: list[Trace] = []
    for k, part in enumerate(problem.parts):
        left = None if max_steps is None else max_steps - sum(map(len, runs))
        run = _trace_member(model, problem, k, left)
        runs.append(replace(run, steps=tuple(replace(step, task=part.task) for step in run)))
    members = [
        Member(task=part.task, classes=run.classes, start=run.start, stop_reason=run.stop_reason)
        for part, run in zip(problem.parts, runs, strict=True)
    ]
    reasons = [run.stop_reason for run in runs]
    whole = _made_trace(
        runs[0].kind,
        model,
        problem.classes.tolist(),
        X,
        problem.points.shape[1],
        runs[0].bias,
        tuple(run.start for run in runs),
        tuple(step for run in runs for step in run),
        None if None in reasons else next((each for each in reasons if each not in REACHED), reasons[0]),
    )
    return replace(whole, members=tuple(members))


def _trace_member(model: Decomposition, problem: Any, k: int, max_steps: int | None) -> Trace:
    """The trace of one member: in the passes that all members share, or alone on its own rows."""
    part = problem.parts[k]
    members = copies(model.estimator, problem.parts)
    if not model.shares_passes:
        run = _trace_one(members[k], *rows_of(problem, part), max_steps)
        return run if run.kind is Kind.GAUSSIANS else replace(run, steps=tuple(_renumbered(s, part.among) for s in run))
    first, (rows, tasks) = members[0], tasks_of(problem, members)
    recorder = Recorder(tasks[k].learner, part.labels.tolist(), max_steps)
    every, rng = np.arange(problem.points.shape[0]), copy.deepcopy(generator(first.random_state))
    given = rows, every, first.order, first.max_epochs, rng
    return _trace_rows(members[k], problem.points, tasks[k], recorder, lambda task: train_together([task], *given))


def _renumbered(step: Step, among: Codes) -> Step:
    """A step whose row numbers count among all rows, not among the rows of the member."""
    index = None if step.index is None else int(among[step.index])
    active = None if step.active is None else plain(among[np.array(step.active, dtype=np.int64)])
    return replace(step, index=index, active=active)


def _made_trace(
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
        feature_names=tuple(column_names(X) or [f"x{j + 1}" for j in range(d)]),
        bias=bias,
        start=start,
        steps=steps,
        stop_reason=stop_reason,
        members=(),
    )
