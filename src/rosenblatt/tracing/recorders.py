"""Recorders that capture each step while the estimator's own code trains."""

import math
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.gaussians.gaussians import Gaussians
from rosenblatt.classifiers.gaussians.margins import Margins
from rosenblatt.classifiers.gaussians.search import SearchResult
from rosenblatt.classifiers.kernel_perceptron import Dual
from rosenblatt.classifiers.training.descent import Descent
from rosenblatt.classifiers.training.learner import Learner, LinearLearner
from rosenblatt.classifiers.training.scores import scores, winners
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats, Matrix, Rows, dense
from rosenblatt.hulls.search import Search
from rosenblatt.hulls.search_types import Look, plane_of
from rosenblatt.rules.dual import winner
from rosenblatt.rules.multiclass import row_winner
from rosenblatt.tracing.step import Step, plain

L = TypeVar("L", bound=Learner)


class CutOff(Exception):  # noqa: N818  (not an error: the trace has max_steps steps)
    """Ends training when `max_steps` steps are recorded."""


class StepRecorder(Learner, Generic[L]):
    """A learner that makes another learner learn one row at a time, and records each row as a step."""

    def __init__(self, learner: L, classes: list[Any], max_steps: int | None) -> None:
        self.learner, self.classes, self.max_steps = learner, classes, max_steps
        self.tie, self.proves = learner.tie, learner.proves
        self.steps: list[Step] = []
        self.epoch, self.updates = 1, 0

    def learn(self, rows: Any, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        mistakes = updates = 0
        for i in order:
            if len(self.steps) == self.max_steps:
                raise CutOff
            wrong, changed = self._learn_one(rows, y, int(i), weight)
            mistakes += wrong
            updates += changed
        return mistakes, updates

    def end_pass(self, rows: Any) -> None:
        """End a pass. If that changes the weights that predict, the last step records the new ones."""
        self.epoch += 1
        self.learner.end_pass(rows)
        if self.steps:
            self.steps[-1] = replace(self.steps[-1], answer=self._answer())

    def __deepcopy__(self, memo: dict[int, Any]) -> "StepRecorder[L]":
        return self  # training copies the best learner so far; a recorder needs no copies

    @property
    def settled(self) -> bool:
        return self.learner.settled

    def has_overflowed(self) -> bool:
        return self.learner.has_overflowed()

    def first_mistake(self, rows: Any, y: Any, among: Codes) -> int:
        return self.learner.first_mistake(rows, y, among)

    def worst_mistake(self, rows: Rows, y: Any, among: Codes) -> int:
        return self.learner.worst_mistake(rows, y, among)

    def winners(self, rows: Rows, tie: float) -> Codes:
        return self.learner.winners(rows, tie)

    def _answer(self) -> tuple[Any, ...] | None:
        """The weights that would predict now; None if they are the weights that learn."""
        raise NotImplementedError

    def _learn_one(self, rows: Any, y: Any, i: int, weight: Floats) -> tuple[int, int]:
        """Make the learner learn from row i, and append the step."""
        raise NotImplementedError


class Recorder(StepRecorder[LinearLearner]):
    """A recorder for a linear learner."""

    def _answer(self) -> tuple[Any, ...] | None:
        learner = self.learner
        return None if learner.answer is learner.w else plain(learner.scale * learner.answer)

    def _learn_one(self, rows: Any, y: Any, i: int, weight: Floats) -> tuple[int, int]:
        learner, classes = self.learner, self.classes
        point = validation.dense_row(rows, i, len(learner.w.T) - 1)
        before = learner.w.copy()
        score = scores(validation.one_row(rows, i), before)[0]
        predicted = _predicted(learner, rows, i, y[i], score)
        mistake, updated = learner.learn(rows, y, np.array([i]), weight)
        after = learner.scale * learner.w
        self.updates += updated
        two = before.ndim == 1
        own = slice(None) if two else int(y[i])
        augmented = np.append(point, rows.bias)
        self.steps.append(
            Step(
                epoch=self.epoch,
                index=i,
                x=plain(point),
                y=classes[int(y[i] > 0) if two else y[i]],
                score=plain(learner.scale * score),
                predicted=None if predicted is None else classes[predicted],
                mistake=bool(mistake),
                updated=bool(updated),
                w=plain(after),
                answer=self._answer(),
                angle_before=_angle(before[own], augmented),
                angle_after=_angle(after[own], augmented),
                norm=math.hypot(*after.flat),
                updates=self.updates,
            )
        )
        return mistake, updated


class DualRecorder(StepRecorder[Dual]):
    """A recorder for rows that are presented through a kernel.

    Parameters
    ----------
    points, numbers : all rows, and the numbers of the rows that are presented
    averaged : True if the mean of the weights predicts
    """

    def __init__(
        self, learner: Dual, classes: list[Any], max_steps: int | None, points: Matrix, numbers: Codes, averaged: bool
    ) -> None:
        super().__init__(learner, classes, max_steps)
        self.points, self.numbers, self.averaged = points, numbers, averaged

    def _answer(self) -> tuple[Any, ...] | None:
        return self._weights(self.learner.mean) if self.averaged else None

    def _support(self) -> Codes:
        """The positions of the presented rows that have a weight, in the order of their row numbers."""
        alpha, mean = self.learner.alpha, self.learner.mean if self.averaged else 0.0
        held = np.flatnonzero(((alpha != 0) | (mean != 0)).any(axis=0))
        return held[np.argsort(self.numbers[held])]

    def _weights(self, alpha: Floats) -> tuple[Any, ...]:
        """The weights of the support rows: one number per row; with more than two classes, one number per class."""
        held = alpha[:, self._support()]
        return tuple(plain(held[1] if len(held) == 2 else held.T))

    def _norm(self) -> float | None:
        """|w| = sqrt(sum_ij alpha_i alpha_j K(x_i, x_j)), where the score of row i is the sum over j."""
        first = 1 if len(self.classes) == 2 else 0
        with np.errstate(over="ignore", invalid="ignore"):
            square = float((self.learner.alpha[first:] * self.learner.scores[first:]).sum())
        return math.sqrt(square) if square >= 0 else None

    def _learn_one(self, rows: Any, y: Any, i: int, weight: Floats) -> tuple[int, int]:
        learner, classes = self.learner, self.classes
        two = len(classes) == 2
        score = learner.scores[1:2, i].copy() if two else learner.scores[:, i].copy()
        tied = two and score[0] == 0 and learner.tie == 0
        predicted = None if tied else classes[winner(learner.scores, i, y[i], 0.0, learner.tie)]
        mistakes, updates = learner.learn(rows, y, np.array([i]), weight)
        self.updates += updates
        self.steps.append(
            Step(
                epoch=self.epoch,
                index=int(self.numbers[i]),
                x=plain(dense(self.points[[self.numbers[i]]])[0]),
                y=classes[y[i]],
                score=plain(score[0] if two else score),
                predicted=predicted,
                mistake=bool(mistakes),
                updated=bool(updates),
                w=(),
                answer=self._answer(),
                norm=self._norm(),
                updates=self.updates,
                active=plain(self.numbers[self._support()]),
                weights=self._weights(learner.alpha),
            )
        )
        return mistakes, updates


class BatchRecorder:
    """A callback that records one step after each pass of the batch perceptron.

    Parameters
    ----------
    descent : the state before the first pass
    rows, codes : all rows, and the numbers of their classes
    """

    def __init__(self, descent: Descent, rows: Rows, codes: Codes, max_steps: int | None) -> None:
        self.rows, self.codes, self.max_steps = rows, codes, max_steps
        self.before = descent.w
        self.steps: list[Step] = []

    def __call__(self, descent: Descent) -> None:
        if len(self.steps) == self.max_steps:
            raise CutOff
        wrong = np.flatnonzero(self._is_wrong(descent.tie))
        updated = descent.w is not self.before
        self.steps.append(
            Step(
                epoch=len(descent.mistakes),
                index=None,
                x=(),
                y=None,
                score=None,
                predicted=None,
                mistake=bool(len(wrong)),
                updated=updated,
                w=plain(descent.w),
                answer=plain(descent.best.w),
                norm=math.hypot(*descent.w.flat),
                updates=len(self.steps) + updated,
                active=plain(wrong),
                weights=plain(descent.price[self.codes[wrong]]),
            )
        )
        self.before = descent.w

    def _is_wrong(self, tie: float) -> Any:
        """Tell which rows the weights before the step got wrong. Where a tie is a mistake, tied rows are wrong."""
        ties = [tie] if tie else [-1.0, 1.0]
        return np.any([winners(self.rows, self.before, each) != self.codes for each in ties], axis=0)


class HullRecorder:
    """A callback that records the steps of a search in convex hulls."""

    def __init__(self, rows: Rows, classes: list[Any], max_steps: int | None) -> None:
        self.rows, self.classes, self.max_steps = rows, classes, max_steps
        self.start: tuple[Any, ...] = ()
        self.start_bounds = (-math.inf, math.inf)  # of the margin
        self.steps: list[Step] = []
        self.before: Floats

    def __call__(self, search: Search) -> None:
        points, look = search.points, search.now
        w, _ = plane_of(look, points)
        half = 0.5 if points.two else 1.0
        if not self.start:
            self.start, self.start_bounds = plain(w), (half * look.lower, half * look.upper)
        else:
            if len(self.steps) == self.max_steps:
                raise CutOff
            self.steps.append(self._step(search, look, w))
        self.before = w

    def _step(self, search: Search, look: Look, w: Floats) -> Step:
        points, i = search.points, search.row
        point = validation.dense_row(self.rows, i, points.d)
        sign = int(points.held.y[i])
        score = float(scores(validation.one_row(self.rows, i), self.before)[0])
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


def gaussian_steps(given: Gaussians, codes: Codes, classes: list[Any], found: SearchResult) -> list[Step]:
    """The steps of a search for the largest radius: one for each line of its history after the first."""
    steps = []
    with np.errstate(all="ignore"):  # a number that is not finite becomes None
        for t in range(1, len(found.history)):
            line, before = found.history[t], found.history[t - 1]["w"]
            i = Margins.of(given.signed, given.covariances, before).worst
            mean = given.means[i]
            score = float(mean @ before[:-1] + before[-1])
            steps.append(
                Step(
                    epoch=t,
                    index=int(i),
                    x=plain(mean),
                    y=classes[codes[i]],
                    score=_finite(score),
                    predicted=None if score == 0 else classes[int(score > 0)],
                    mistake=not given.signs[i] * score > 0,
                    updated=True,
                    w=plain(line["w"]),
                    norm=math.hypot(*line["w"][:-1]),
                    updates=t,
                    lower=_finite(line["lower"]),
                    upper=_finite(line["upper"]),
                    radius=_finite(line["radius"]),
                )
            )
    return steps


def _predicted(learner: LinearLearner, rows: Rows, i: int, y: Any, score: Any) -> int | None:
    """The number of the class that the learner predicts; None for a tie that neither of two classes wins."""
    if learner.w.ndim > 1:
        return int(row_winner(rows, i, learner.packed, y, learner.tie))
    sign = learner.tie if score == 0 else score
    return None if sign == 0 else int(sign > 0)


def _angle(w: Floats, x: Floats) -> float | None:
    angle = Hyperplane(w).angle(x)
    return None if math.isnan(angle) else float(angle)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
