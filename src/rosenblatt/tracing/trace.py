"""The record of a run: its steps, as a table, a data frame, CSV or JSON lines."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from typing import Any, Self

from rich.table import Table
from rich.text import Text

from rosenblatt.base import html
from rosenblatt.base.stopping import StopReason
from rosenblatt.errors import DataError, MissingExtra, ParameterError, meant
from rosenblatt.tracing import columns as step_columns
from rosenblatt.tracing.columns import WORDS, section
from rosenblatt.tracing.step import Kind, Member, Step, frozen

FORMAT = 2
FIRST, LAST = 40, 20  # steps that a notebook shows of a longer run
FIELDS = [field.name for field in fields(Step)]


@dataclass(frozen=True)
class Trace:
    """All steps of a training run, and how it started and stopped.

    Attributes
    ----------
    kind : what a step is: "rows" (a row is met), "passes" (all rows are looked at), "kernel" (a row is met through a
        kernel), "hulls" (w moves in the hull of the rows) or "gaussians" (a hyperplane for Gaussians moves)
    estimator : what was trained, as text
    classes : its labels; of two, the first is negative
    names : the names of the features
    bias : the constant at the end of each row
    start : the weights before the first step; of several members, those of each
    steps : the steps, those of a member on end
    stop_reason : why it ended; None if it was cut off at `max_steps`. Of several members, that of the first which did
        not reach its goal
    members : of `OneVsAll` and `OneVsOne`, the problems of two classes: `task`, `classes`, `start` and `stop_reason`
        of each; else empty
    """

    kind: Kind
    estimator: str
    classes: tuple[Any, ...]
    names: tuple[str, ...]
    bias: float
    start: tuple[Any, ...]
    steps: tuple[Step, ...]
    stop_reason: StopReason | None
    members: tuple[Member, ...]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, t: int) -> Step:
        return self.steps[t]

    def __repr__(self) -> str:
        return f"<Trace of {self.estimator}: {len(self)} steps, {self.stop_reason or 'cut off'}>"

    def member(self, task: str) -> Self:
        """The run of one member of `OneVsAll` or `OneVsOne`, as a trace of two classes.

        Parameters
        ----------
        task : its name, one of `[member.task for member in trace.members]`
        """
        found = {member.task: member for member in self.members}
        if task not in found:
            known = f"one of {list(found)}" if found else "left alone: this trace has no members"
            raise ParameterError(f"member(task) must be {known}, not {task!r}.{meant(str(task), found)}")
        own = found[task]
        return replace(
            self,
            estimator=f"{self.estimator}, {task}",
            classes=own.classes,
            start=own.start,
            steps=tuple(step for step in self.steps if step.task == task),
            stop_reason=own.stop_reason,
            members=(),
        )

    def to_table(self) -> Table:
        """The steps as a table for the terminal: `rich.print(trace.to_table())`."""
        table = Table(title=Text(html.printable(self.estimator)), caption=self._caption)
        columns = self._columns()
        for heading in ("#", *(heading for heading, _ in columns)):
            justify: Any = "left" if heading in WORDS else "right"
            table.add_column(
                Text(html.printable(heading)), justify=justify, overflow="fold"
            )  # a number cut short is another number
        for t, step in enumerate(self.steps, 1):
            table.add_row(
                str(t),
                *(show(step) for _, show in columns),
                style="bold" if step.updated else None,
                end_section=t < len(self) and section(self.kind, self.steps[t]) != section(self.kind, step),
            )
        return table

    def _repr_html_(self) -> html.Markup:
        """The same table for notebooks, without the middle of a long run."""
        columns, n = self._columns(), len(self)
        headings = ["#", *(heading for heading, _ in columns)]

        def cells(t: int) -> list[str]:
            texts = [str(t + 1), *(str(show(self.steps[t])) for _, show in columns)]
            return [html.element("b", text) for text in texts] if self.steps[t].updated else texts

        def passes(first: int, end: int) -> list[Any]:
            parts = groupby(range(first, end), key=lambda t: section(self.kind, self.steps[t]))
            return [[cells(t) for t in part] for _, part in parts]

        if n > FIRST + LAST:
            bodies = [*passes(0, FIRST), f"... {n - FIRST - LAST} steps ...", *passes(n - LAST, n)]
        else:
            bodies = passes(0, n)
        numbers = [j for j, heading in enumerate(headings) if heading not in WORDS]
        return html.shown(
            html.element("p", f"{self.estimator}, {n} steps"),
            html.table(headings, *bodies, numbers=numbers, caption=self._caption),
        )

    @property
    def _caption(self) -> str:
        return f"{self.stop_reason}: {self.stop_reason.sentence}" if self.stop_reason else "cut off at max_steps"

    def _columns(self) -> step_columns.Columns:
        """What a table shows of a step: headings, and what stands below them."""
        return step_columns.shown(self.kind, self.names, next(iter(self.steps), None), bool(self.members))

    def to_frame(self) -> Any:
        """The steps as a pandas DataFrame, one row a step."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra("A trace as a DataFrame", "frame") from error
        frame = pandas.DataFrame([vars(step) for step in self.steps], columns=FIELDS)
        frame["predicted"] = pandas.Series([step.predicted for step in self.steps], dtype=object)  # None turns 1 to 1.0
        return frame

    def to_csv(self) -> str:
        """The steps as CSV, a line each, for spreadsheets and other languages; all numbers are exact.

        A heading is a field of `Step` and, where that has several numbers, the name of the feature: x_height, w_height,
        w_bias, answer_height; with more than two classes w_red_height and score_red. What is None is an empty cell.
        `active` and `weights` are one cell each, with spaces between the rows and slashes between the classes.

        Examples
        --------
        >>> from rosenblatt import Perceptron, trace
        >>> text = trace(Perceptron(order="cyclic"), [[1], [-1]], ["no", "yes"], max_steps=1).to_csv()
        >>> header, line = text.splitlines()
        >>> dict(zip(header.split(","), line.split(",")))
        {'step': '1', 'task': '', 'epoch': '1', 'index': '0', 'x_x1': '1.0', 'y': 'no', 'score': '0.0', 'predicted': '',
         'mistake': 'true', 'updated': 'true', 'w_x1': '-1.0', 'w_bias': '-1.0', 'answer_x1': '', ...}
        """
        several = self.classes if len(self.classes) > 2 and not self.members else ()
        return step_columns.lines(self.kind, self.names, several, self.steps)

    def to_jsonl(self) -> str:
        """The trace as JSON lines: a header, then a line a step; `from_jsonl` reads it back equal."""
        head = {
            "rosenblatt_trace": FORMAT,
            "kind": self.kind,
            "estimator": self.estimator,
            "classes": self.classes,
            "names": self.names,
            "bias": self.bias,
            "start": self.start,
            "stop_reason": self.stop_reason,
            "members": [asdict(member) for member in self.members],
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
            if (found := head.pop("rosenblatt_trace")) != FORMAT:
                raise DataError(
                    f"This trace is of another format, {found!r}; this version reads format {FORMAT}. Trace the run "
                    "again, or read it with the version that wrote it."
                )
            count, kind, reason = head.pop("steps"), Kind(head.pop("kind")), _reason(head.pop("stop_reason"))
            members = tuple(
                Member(**_frozen(member) | {"stop_reason": _reason(member["stop_reason"])})
                for member in head.pop("members")
            )
            steps = []
            for number, line in enumerate(lines[1:], 2):  # noqa: B007  (for the message)
                fields = json.loads(line)
                if fields.keys() != set(FIELDS):
                    raise KeyError(*sorted(fields.keys() ^ set(FIELDS)))
                steps.append(Step(**_frozen(fields)))
            if len(steps) != count:
                raise DataError(f"The trace is not whole: its header announces {count} steps, but {len(steps)} follow.")
            return cls(kind=kind, **_frozen(head), steps=tuple(steps), stop_reason=reason, members=members)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"Not a trace, at line {number}: expected the text that Trace.to_jsonl() gives, a header line and then "
                f"a line a step ({type(error).__name__}: {error})."
            ) from error


def _reason(word: str | None) -> StopReason | None:
    return None if word is None else StopReason[word.upper()]


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: frozen(value) for key, value in fields.items()}
