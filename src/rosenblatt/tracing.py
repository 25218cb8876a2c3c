"""Every step of a training run, one row at a time, by the same kernels that `fit` calls."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
from rich.table import Table
from rich.text import Text
from sklearn.base import clone
from sklearn.utils import check_random_state

from rosenblatt import data, parameters
from rosenblatt.data import Codes, Floats, Rows
from rosenblatt.errors import DataError, MissingExtra, ParameterError
from rosenblatt.hyperplane import Hyperplane
from rosenblatt.kernels.multiclass import row_winner
from rosenblatt.online import OnlineClassifier, Problem
from rosenblatt.scoring import scores
from rosenblatt.training import Learner, StopReason, train

FORMAT = 1
WIDE = 6  # more numbers than this are too many for a row of a table


@dataclass(frozen=True)
class Step:
    """One row met by the weights.

    Attributes
    ----------
    epoch : the pass it belongs to, from 1
    index : the row's number
    x : its numbers, without the bias constant
    y : its label
    score : w.x + b before the step; with more than two classes, one score a class
    predicted : the label given to it; None for a score of 0 that is given to neither of two classes
    mistake : was it on its wrong side (or, with a margin, not far enough on its right one)?
    updated : did the rule make an update?
    w : the weights after the step, the bias weight last; with more than two classes, one tuple a class
    angle_before, angle_after : radians between the row (its bias constant included) and the weights (of its class, if
        there are more than two); None while either is 0
    norm : |w| after the step
    updates : updates so far
    """

    epoch: int
    index: int
    x: tuple[float, ...]
    y: Any
    score: Any
    predicted: Any
    mistake: bool
    updated: bool
    w: tuple[Any, ...]
    angle_before: float | None
    angle_after: float | None
    norm: float
    updates: int


@dataclass(frozen=True)
class Trace:
    """All steps of a training run, and how it started and stopped.

    Attributes
    ----------
    estimator : what was trained, as text
    classes : its labels; of two, the first is negative
    names : the names of the features
    bias : the constant at the end of each row
    start : the weights before the first step
    steps : the steps
    stop_reason : why it ended; None if it was cut off at `max_steps`
    """

    estimator: str
    classes: tuple[Any, ...]
    names: tuple[str, ...]
    bias: float
    start: tuple[Any, ...]
    steps: tuple[Step, ...]
    stop_reason: StopReason | None

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, t: int) -> Step:
        return self.steps[t]

    def __repr__(self) -> str:
        return f"<Trace of {self.estimator}: {len(self)} steps, {self.stop_reason or 'cut off'}>"

    def to_table(self) -> Table:
        """The steps as a table for the terminal: `rich.print(trace.to_table())`."""
        caption = f"{self.stop_reason}: {self.stop_reason.value}" if self.stop_reason else "cut off at max_steps"
        table = Table(title=Text(self.estimator), caption=caption)
        names = self.names if len(self.names) <= WIDE else ()
        for heading in ("#", "row", *names, "y", "score", "predicted", "mistake", "w after", "angle", "|w|"):
            justify: Any = "left" if heading in ("w after", "predicted", "y") else "right"
            table.add_column(Text(heading), justify=justify, overflow="fold")  # a number cut short is another number
        for t, step in enumerate(self.steps, 1):
            table.add_row(
                str(t),
                str(step.index),
                *(_short(v) for v in step.x if names),
                Text(str(step.y)),
                _short(step.score),
                Text("tie" if step.predicted is None else str(step.predicted)),
                "yes" if step.mistake else "no",
                "\n".join(_short(w) for w in step.w) if isinstance(step.w[0], tuple) else _short(step.w),
                f"{_degrees(step.angle_before)} -> {_degrees(step.angle_after)}" if step.updated else "",
                _short(step.norm),
                style="bold" if step.updated else None,
                end_section=t < len(self.steps) and self.steps[t].epoch > step.epoch,
            )
        return table

    def to_frame(self) -> Any:
        """The steps as a pandas DataFrame, one row a step."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra("A trace as a DataFrame", "frame") from error
        frame = pandas.DataFrame([vars(step) for step in self.steps], columns=[f.name for f in fields(Step)])
        frame["predicted"] = pandas.Series([step.predicted for step in self.steps], dtype=object)  # None turns 1 to 1.0
        return frame

    def to_jsonl(self) -> str:
        """The trace as JSON lines: a header, then a line a step; `from_jsonl` reads it back equal."""
        head = {
            "rosenblatt_trace": FORMAT,
            "estimator": self.estimator,
            "classes": self.classes,
            "names": self.names,
            "bias": self.bias,
            "start": self.start,
            "stop_reason": self.stop_reason,
            "steps": len(self),
        }
        try:
            return "".join(json.dumps(line, allow_nan=False) + "\n" for line in (head, *map(asdict, self.steps)))
        except TypeError as error:
            raise DataError(f"Labels that are numbers, strings or booleans can be written as JSON: {error}.") from error

    @classmethod
    def from_jsonl(cls, text: str) -> Self:
        """Read what `to_jsonl` wrote."""
        lines = [line for line in text.split("\n") if line.strip()]
        number = 1
        try:
            head = json.loads(lines[0])
            if head.pop("rosenblatt_trace") != FORMAT:
                raise DataError(f"This trace is of another format; this version reads format {FORMAT}.")
            count, reason = head.pop("steps"), head.pop("stop_reason")
            start = {key: _frozen(value) for key, value in head.items()}
            stop_reason = None if reason is None else StopReason[reason.upper()]
            steps = []
            for number, line in enumerate(lines[1:], 2):  # noqa: B007  (for the message)
                steps.append(Step(**{key: _frozen(value) for key, value in json.loads(line).items()}))
            if len(steps) != count:
                raise DataError(f"The trace is not whole: its header announces {count} steps, but {len(steps)} follow.")
            return cls(**start, steps=tuple(steps), stop_reason=stop_reason)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"Not a trace, at line {number}: expected the text that Trace.to_jsonl() gives, a header line and then "
                f"a line a step ({type(error).__name__}: {error})."
            ) from error


def trace(estimator: OnlineClassifier, X: Any, y: Any, max_steps: int | None = None) -> Trace:
    """Train a copy of the estimator and record every row it meets.

    Parameters
    ----------
    estimator : any classifier that learns row by row; it is not changed
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
    if not isinstance(estimator, OnlineClassifier):
        raise ParameterError(
            f"trace(estimator) must be a classifier that learns row by row, such as Perceptron(), not {estimator!r}."
        )
    if max_steps is not None and not parameters.Integer(0).allows(max_steps):
        raise ParameterError(f"trace(max_steps=...) must be {parameters.Integer(0)} or None, not {max_steps!r}.")
    model = clone(estimator)
    problem = model.problem(X, y)
    start = _plain(problem.learner.scale * problem.learner.w)
    recorder = Recorder(problem, max_steps)
    rng = check_random_state(model.random_state)
    try:
        reason = train(recorder, problem.rows, problem.y, model.order, model.max_epochs, rng).stop_reason
    except CutOff:
        reason = None
    names = data.column_names(X) or [f"x{j + 1}" for j in range(problem.points.shape[1])]
    return Trace(
        estimator=" ".join(repr(model).split()),
        classes=tuple(problem.classes.tolist()),
        names=tuple(names),
        bias=problem.learner.bias,
        start=start,
        steps=tuple(recorder.steps),
        stop_reason=reason,
    )


class CutOff(Exception):  # noqa: N818  (not an error: the trace is as long as was asked for)
    """Ends training when enough steps are recorded."""


class Recorder(Learner):
    """A learner that lets another learn one row at a time and writes down what happened."""

    def __init__(self, problem: Problem, max_steps: int | None) -> None:
        self.problem = problem
        self.classes = problem.classes.tolist()
        self.max_steps = max_steps
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

    def has_overflowed(self) -> bool:
        return self.problem.learner.has_overflowed()

    def first_mistake(self, rows: Rows, y: Any) -> int:
        return self.problem.learner.first_mistake(rows, y)

    def worst_mistake(self, rows: Rows, y: Any) -> int:
        return self.problem.learner.worst_mistake(rows, y)

    def _learn_one(self, rows: Rows, y: Any, i: int) -> tuple[int, int]:
        learner, classes = self.problem.learner, self.classes
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
                x=_plain(point),
                y=classes[int(y[i] > 0) if two else y[i]],
                score=_plain(learner.scale * score),
                predicted=None if predicted is None else classes[predicted],
                mistake=bool(mistake),
                updated=bool(updated),
                w=_plain(after),
                angle_before=_angle(before[own], augmented),
                angle_after=_angle(after[own], augmented),
                norm=math.hypot(*after.flat),
                updates=self.updates,
            )
        )
        return mistake, updated


def _predicted(learner: Learner, rows: Rows, i: int, y: Any, score: Any) -> int | None:
    """The number of the class that learning takes the row for; None for a tie that is given to neither of two."""
    if learner.w.ndim > 1:
        return int(row_winner(rows, i, learner.w, y, learner.tie))
    sign = learner.tie if score == 0 else score
    return None if sign == 0 else int(sign > 0)


def _angle(w: Floats, x: Floats) -> float | None:
    angle = Hyperplane(w).angle(x)
    return None if math.isnan(angle) else float(angle)


def _plain(a: Any) -> Any:
    """An array as (nested tuples of) Python numbers."""
    return _frozen(np.asarray(a).tolist())


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        shown = [_short(v) for v in value]
        return "(" + ", ".join(shown if len(shown) <= WIDE + 1 else [*shown[:3], "...", shown[-1]]) + ")"
    return f"{value:.6g}"


def _degrees(angle: float | None) -> str:
    return "-" if angle is None else f"{math.degrees(angle):.1f}°"
