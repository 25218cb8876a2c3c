"""One step of a run, and what kinds of runs there are."""

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.base.stopping import StopReason


class Kind(enum.StrEnum):
    """What one step of a run is."""

    ROWS = "rows"  # a row is met: perceptron, passive-aggressive, pocket
    PASSES = "passes"  # all rows are looked at: batch perceptron
    KERNEL = "kernel"  # a row is met through a kernel: kernel perceptron
    HULLS = "hulls"  # w moves towards a row, in the hull of the rows: Kozinec and its relatives
    GAUSSIANS = "gaussians"  # a hyperplane for Gaussians moves: Anderson


@dataclass(frozen=True, kw_only=True)
class Step:
    """One row met by the weights; one look at all rows; or one step of a search.

    Attributes
    ----------
    epoch : the pass it belongs to, from 1
    index : the row's number; of `Anderson` that of the Gaussian which was the worst before the step; None where all
        rows are looked at
    x : its numbers, without the bias constant (the mean of a Gaussian); empty where all rows are looked at
    y : its label; None where all rows are looked at
    score : w.x + b before the step; with more than two classes, one score a class; None where all rows are looked at
    predicted : the label given to it; None for a score of 0 that is given to neither of two classes
    mistake : was it on its wrong side (or, with a margin, not far enough on its right one)?  Where all rows are looked
        at: was any?
    updated : did the rule make an update?
    w : the weights after the step, the bias weight last; with more than two classes, one tuple a class; empty for
        `KernelPerceptron`, whose w is a combination of `active`
    answer : the weights that would predict if the run ended here, where these are others: the mean so far of an
        averaged perceptron, the best so far of `Pocket` and `BatchPerceptron` (of an averaged `KernelPerceptron`, the
        mean so far of `weights`). None where w itself predicts, and for a vote, which is one of many weights
    angle_before, angle_after : radians between the row (its bias constant included) and the weights (of its class, if
        there are more than two); None while either is 0, and where w is no one vector met by one row
    norm : |w| after the step (with a free bias, of w without the bias weight; through a kernel, in the space whose
        products K gives, and None if K gives none)
    updates : updates so far
    lower, upper : bounds after the step, of the margin (`Kozinec`) or of the radius (`Anderson`); None while there are
        none, and for all others
    radius : of the hyperplane of this step, of `Anderson`; None if it is not finite, and for all others
    active, weights : numbers of rows, and what each weighs. `Kozinec`: those that w is a combination of after the step;
        `KernelPerceptron`: the same, each weight with its sign, or with more than two classes a tuple, one number a
        class; `BatchPerceptron`: those that were wrong at this look, and what they count in the sum; `Anderson`, at the
        last step: the Gaussians that hold the hyperplane. Else None
    task : which member of `OneVsAll` or `OneVsOne` it is a step of; else None
    """

    epoch: int
    index: Any
    x: tuple[float, ...]
    y: Any
    score: Any
    predicted: Any
    mistake: bool
    updated: bool
    w: tuple[Any, ...]
    answer: tuple[Any, ...] | None = None
    angle_before: float | None = None
    angle_after: float | None = None
    norm: float | None
    updates: int
    lower: float | None = None
    upper: float | None = None
    radius: float | None = None
    active: tuple[int, ...] | None = None
    weights: tuple[Any, ...] | None = None
    task: str | None = None


@dataclass(frozen=True, kw_only=True)
class Member:
    """One of the problems of two classes that many classes were taken apart into.

    Attributes
    ----------
    task : its name, such as "setosa against the rest"; a score above 0 is for the class named first
    classes : its labels, negative and positive
    start : the weights before its first step
    stop_reason : why it ended; None if it was cut off
    """

    task: str
    classes: tuple[Any, ...]
    start: tuple[Any, ...]
    stop_reason: StopReason | None


def plain(a: Any) -> Any:
    """An array as (nested tuples of) Python numbers."""
    return frozen(np.asarray(a).tolist())


def frozen(value: Any) -> Any:
    """Lists as tuples, whatever is in them."""
    return tuple(frozen(v) for v in value) if isinstance(value, list) else value
