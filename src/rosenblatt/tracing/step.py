"""One step of a training run, and the kinds of runs."""

import enum
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.base.argument_types import Label
from rosenblatt.base.stopping import StopReason

# What a field holds depends on the estimator and on the number of classes: two classes have one number where more
# classes have a tuple with one number per class. Callers know which it is, and would have to narrow a union.
RowNumber: TypeAlias = int | Any  # None for BatchPerceptron
Score: TypeAlias = Any  # a float, a tuple of floats, or None
Weights: TypeAlias = tuple[Any, ...]  # of floats, or of tuples of floats


class Kind(enum.StrEnum):
    """The kinds of runs: what one step of a run is."""

    ROWS = "rows"  # one row is presented: Perceptron, PassiveAggressive, Pocket
    PASSES = "passes"  # all rows are checked at once: BatchPerceptron
    KERNEL = "kernel"  # one row is presented, through a kernel: KernelPerceptron
    HULLS = "hulls"  # w moves towards a row, inside the convex hull of the rows: Kozinec
    GAUSSIANS = "gaussians"  # the hyperplane between Gaussians moves: Anderson


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a training run.

    A step is one presented row, one check of all rows (`BatchPerceptron`), or one step of a search (`Kozinec`,
    `Anderson`). Fields that do not apply to a run are None or empty.

    Attributes
    ----------
    epoch : int
        The pass that the step belongs to, from 1.
    index : int, or None
        The number of the row. `Anderson`: the number of the Gaussian that was the worst before the step.
        `BatchPerceptron`: None.
    x : tuple of floats
        The numbers of the row, without the bias constant. `Anderson`: the mean of the Gaussian. `BatchPerceptron`:
        empty.
    y : object
        The label of the row. `BatchPerceptron`: None.
    score : float, tuple of floats or None
        The score w.x + b before the step; with more than two classes, one score per class. `BatchPerceptron`: None.
    predicted : object
        The label predicted before the step; None if the score is 0 and neither of two classes wins.
    mistake : bool
        True if the row was on its wrong side or, with a margin, too close to the boundary. `BatchPerceptron`: True if
        any row was wrong.
    updated : bool
        True if the rule changed the weights.
    w : tuple
        The weights after the step, the bias weight last; with more than two classes, one tuple per class.
        `KernelPerceptron`: empty, because w is the combination of `active` with `weights`.
    answer : tuple, or None
        The weights that would predict if the run ended here, where they differ from w. Averaged perceptron: the mean so
        far. `Pocket` and `BatchPerceptron`: the best so far. Averaged `KernelPerceptron`: the mean so far of `weights`.
        None where w itself predicts, and for a voted perceptron, whose many weights vote.
    angle_before, angle_after : float, or None
        Radians between the weights and the row with its bias constant, before and after the step; with more than two
        classes, the weights of the row's class. None if either vector is 0, and for runs in which no single row meets a
        single w.
    norm : float, or None
        The length of w after the step. With a free bias, the length of w without the bias weight. `KernelPerceptron`:
        the length in the feature space of the kernel; None if the kernel has none.
    updates : int
        The number of updates so far.
    lower, upper : float, or None
        Bounds after the step, of the margin (`Kozinec`) or of the radius (`Anderson`); None if there are no bounds yet,
        and for all other estimators.
    radius : float, or None
        `Anderson`: the radius of the hyperplane of this step; None if it is not finite. Otherwise None.
    active : tuple of ints, or None
        Row numbers. `Kozinec` and `KernelPerceptron`: the rows whose combination w is after the step.
        `BatchPerceptron`: the rows that were wrong. `Anderson`, at the last step: the Gaussians that determine the
        hyperplane. Otherwise None.
    weights : tuple, or None
        The weight of each row in `active`. `KernelPerceptron`: with its sign; with more than two classes, a tuple with
        one number per class. `BatchPerceptron`: the weight in the sum.
    task : str, or None
        The name of the member of `OneVsAll` or `OneVsOne` that the step belongs to. Otherwise None.

    See Also
    --------
    Trace : All steps of a run.
    trace : Records a run.

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> steps = trace(Perceptron(order="cyclic"), [[1], [-1]], ["no", "yes"])
    >>> first = steps[0]
    >>> print(first.x, first.y, first.score, first.mistake, first.w)
    (1.0,) no 0.0 True (-1.0, -1.0)
    """

    epoch: int
    index: RowNumber
    x: tuple[float, ...]
    y: Label
    score: Score
    predicted: Label
    mistake: bool
    updated: bool
    w: Weights
    answer: Weights | None = None
    angle_before: float | None = None
    angle_after: float | None = None
    norm: float | None
    updates: int
    lower: float | None = None
    upper: float | None = None
    radius: float | None = None
    active: tuple[int, ...] | None = None
    weights: Weights | None = None
    task: str | None = None


@dataclass(frozen=True, kw_only=True)
class Member:
    """One two-class problem of `OneVsAll` or `OneVsOne`.

    Attributes
    ----------
    task : the name of the problem, such as "setosa against the rest". A score above 0 is for the class named first
    classes : the labels of the problem, negative and positive
    start : the weights before the first step
    stop_reason : why the run of this member ended; None if it was cut off
    """

    task: str
    classes: tuple[Label, ...]
    start: Weights
    stop_reason: StopReason | None


def plain(a: Any) -> Any:
    """An array as Python numbers in nested tuples."""
    return frozen(np.asarray(a).tolist())


def frozen(value: Any) -> Any:
    """Nested lists as nested tuples."""
    return tuple(frozen(v) for v in value) if isinstance(value, list) else value
