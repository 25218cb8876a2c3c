"""The record of a run: its steps, as a table, a data frame or JSON lines."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from typing import Any, Self

import numpy as np
from rich.table import Table
from rich.text import Text

from rosenblatt import markup
from rosenblatt.errors import DataError, MissingExtra
from rosenblatt.training import StopReason

FORMAT = 1
WIDE = 6  # more numbers than this are too many for a row of a table
FIRST, LAST = 40, 20  # steps that a notebook shows of a longer run
WORDS = ("w after", "predicted", "y")  # headings of columns that are set to the left


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
    norm : |w| after the step (with a free bias, of w without the bias weight)
    updates : updates so far
    lower, upper : bounds of the margin after the step, of `Kozinec`; else None
    active, weights : the rows that w is a combination of after the step, and their weights, of `Kozinec`; else None
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
    lower: float | None
    upper: float | None
    active: tuple[int, ...] | None
    weights: tuple[float, ...] | None


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
        table = Table(title=Text(markup.printable(self.estimator)), caption=self._caption)
        columns = self._columns()
        for heading in ("#", *(heading for heading, _ in columns)):
            justify: Any = "left" if heading in WORDS else "right"
            table.add_column(
                Text(markup.printable(heading)), justify=justify, overflow="fold"
            )  # a number cut short is another number
        for t, step in enumerate(self.steps, 1):
            table.add_row(
                str(t),
                *(show(step) for _, show in columns),
                style="bold" if step.updated else None,
                end_section=t < len(self) and _section(self.steps[t]) > _section(step),
            )
        return table

    def _repr_html_(self) -> markup.Markup:
        """The same table for notebooks, without the middle of a long run."""
        columns, n = self._columns(), len(self)
        headings = ["#", *(heading for heading, _ in columns)]

        def cells(t: int) -> list[str]:
            texts = [str(t + 1), *(str(show(self.steps[t])) for _, show in columns)]
            return [markup.element("b", text) for text in texts] if self.steps[t].updated else texts

        def passes(first: int, end: int) -> list[Any]:
            parts = groupby(range(first, end), key=lambda t: _section(self.steps[t]))
            return [[cells(t) for t in part] for _, part in parts]

        if n > FIRST + LAST:
            bodies = [*passes(0, FIRST), f"... {n - FIRST - LAST} steps ...", *passes(n - LAST, n)]
        else:
            bodies = passes(0, n)
        numbers = [j for j, heading in enumerate(headings) if heading not in WORDS]
        return markup.shown(
            markup.element("p", f"{self.estimator}, {n} steps"),
            markup.table(headings, *bodies, numbers=numbers, caption=self._caption),
        )

    @property
    def _caption(self) -> str:
        return f"{self.stop_reason}: {self.stop_reason.value}" if self.stop_reason else "cut off at max_steps"

    def _columns(self) -> list[tuple[str, Callable[[Step], Any]]]:
        """What a table shows of a step: headings, and what stands below them."""
        features = [(name, _coordinate(j)) for j, name in enumerate(self.names)] if len(self.names) <= WIDE else []
        row_and_label = [("row", _row), *features, ("y", _label)]
        if not self.steps or self.steps[0].lower is None:
            return [
                *row_and_label,
                ("score", lambda step: _short(step.score)),
                (
                    "predicted",
                    lambda step: Text("tie" if step.predicted is None else markup.printable(str(step.predicted))),
                ),
                ("mistake", lambda step: "yes" if step.mistake else "no"),
                ("w after", _weights),
                ("angle", _turn),
                ("|w|", lambda step: _short(step.norm)),
            ]
        return [
            *row_and_label,
            ("w after", _weights),
            ("|w|", lambda step: _short(step.norm)),
            ("margin at least", lambda step: _short(step.lower)),
            ("at most", lambda step: _short(step.upper)),
            ("active", lambda step: str(len(step.active or ()))),
        ]

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


def plain(a: Any) -> Any:
    """An array as (nested tuples of) Python numbers."""
    return _frozen(np.asarray(a).tolist())


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def _section(step: Step) -> int:
    """Steps of one pass are a section of a table; those of a search, which has no passes, all are."""
    return step.epoch if step.lower is None else 0


def _row(step: Step) -> str:
    return str(step.index)


def _label(step: Step) -> Any:
    return Text(markup.printable(str(step.y)))


def _turn(step: Step) -> str:
    return f"{_degrees(step.angle_before)} -> {_degrees(step.angle_after)}" if step.updated else ""


def _coordinate(j: int) -> Callable[[Step], str]:
    return lambda step: _short(step.x[j])


def _weights(step: Step) -> str:
    return "\n".join(_short(w) for w in step.w) if isinstance(step.w[0], tuple) else _short(step.w)


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        shown = [_short(v) for v in value]
        return "(" + ", ".join(shown if len(shown) <= WIDE + 1 else [*shown[:3], "...", shown[-1]]) + ")"
    return f"{value:.6g}"


def _degrees(angle: float | None) -> str:
    return "-" if angle is None else f"{math.degrees(angle):.1f}°"
