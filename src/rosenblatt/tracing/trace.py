"""The record of a training run: its steps, as a table, a data frame, CSV or JSON lines."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

from rich.table import Table
from rich.text import Text

from rosenblatt.base import html
from rosenblatt.base.argument_types import Label
from rosenblatt.base.stopping import StopReason
from rosenblatt.errors import DataError, MissingExtraError, ParameterError, meant
from rosenblatt.tracing.columns import LEFT_ALIGNED, Columns, data_columns, table_columns, table_section
from rosenblatt.tracing.step import Kind, Member, Step, Weights, frozen

if TYPE_CHECKING:
    import pandas

FORMAT = 2
FIRST_SHOWN, LAST_SHOWN = 40, 20  # steps of a longer run that a notebook shows
FIELDS = [field.name for field in fields(Step)]
MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)


@dataclass(frozen=True)
class Trace:
    """All steps of a training run, and how it started and stopped. Two traces are equal if all attributes are.

    Its text is `to_jsonl`, one line per step, and `from_jsonl` reads it.

    Attributes
    ----------
    kind : {"rows", "passes", "kernel", "hulls", "gaussians"}
        What a step is.

        - "rows": one row is presented.
        - "passes": all rows are checked at once.
        - "kernel": one row is presented, through a kernel.
        - "hulls": w moves inside the convex hull of the rows.
        - "gaussians": the hyperplane between Gaussians moves.
    estimator : str
        The estimator that was trained, as text.
    classes : tuple
        The class labels; of two, the first is negative.
    feature_names : tuple of str
        The names of the features.
    bias : float
        The constant at the end of each row.
    start : tuple
        The weights before the first step; with several members, one tuple per member.
    steps : tuple of Step
        The steps; with several members, all steps of the first member come first.
    stop_reason : StopReason, or None
        Why the run ended; None if it was cut off at `max_steps`. With several members: the reason of the first member
        that did not reach its goal.
    members : tuple of Member
        For `OneVsAll` and `OneVsOne`, the two-class problems, each with `task`, `classes`, `start` and `stop_reason`.
        Otherwise empty.

    See Also
    --------
    trace : Records the trace of a fit.
    trace_gaussians : Records the trace of `Anderson` for given Gaussians.
    plot.animate : Writes a trace as an animation.
    plot.PathDisplay : Draws the path of the weights.

    Examples
    --------
    >>> from rosenblatt import Perceptron, Trace, trace
    >>> steps = trace(Perceptron(order="cyclic"), [[1], [-1]], ["no", "yes"])
    >>> print(len(steps), "steps,", steps.stop_reason)
    4 steps, mistake_free
    >>> Trace.from_jsonl(steps.to_jsonl()) == steps
    True
    """

    kind: Kind
    estimator: str
    classes: tuple[Label, ...]
    feature_names: tuple[str, ...]
    bias: float
    start: Weights
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
        """Return the run of one member of `OneVsAll` or `OneVsOne`, as a trace of two classes.

        Parameters
        ----------
        task : str
            The name of the member, one of `[member.task for member in trace.members]`.

        Returns
        -------
        Trace
            The run of this member.
        """
        found = {member.task: member for member in self.members}
        if task not in found:
            if not found:
                raise ParameterError(
                    f"member({task!r}): this trace has no members. Only OneVsAll and OneVsOne have them."
                )
            raise ParameterError(f"member(task) must be one of {list(found)}, not {task!r}.{meant(str(task), found)}")
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
        """Return the steps as a table for the terminal: `rich.print(trace.to_table())`.

        Returns
        -------
        rich.table.Table
            The table.
        """
        table = Table(title=Text(html.printable(self.estimator)), caption=self._caption)
        columns = self._columns()
        for heading in ("#", *(heading for heading, _ in columns)):
            justify: Any = "left" if heading in LEFT_ALIGNED else "right"
            name = Text(html.printable(heading))
            table.add_column(name, justify=justify, overflow="fold")  # never cut: a cut number is a wrong number
        for t, step in enumerate(self.steps, 1):
            table.add_row(
                str(t),
                *(show(step) for _, show in columns),
                style="bold" if step.updated else None,
                end_section=t < len(self) and self._section(self.steps[t]) != self._section(step),
            )
        return table

    def _repr_html_(self) -> html.Markup:
        """The table of `to_table` for notebooks; the middle of a long run is left out."""
        columns, n = self._columns(), len(self)
        headings = ["#", *(heading for heading, _ in columns)]

        def cells(t: int) -> list[str]:
            texts = [str(t + 1), *(str(show(self.steps[t])) for _, show in columns)]
            return [html.element("b", text) for text in texts] if self.steps[t].updated else texts

        def passes(first: int, end: int) -> list[Any]:
            parts = groupby(range(first, end), key=lambda t: self._section(self.steps[t]))
            return [[cells(t) for t in part] for _, part in parts]

        hidden = n - FIRST_SHOWN - LAST_SHOWN
        if hidden > 0:
            bodies = [*passes(0, FIRST_SHOWN), f"... {hidden} steps ...", *passes(n - LAST_SHOWN, n)]
        else:
            bodies = passes(0, n)
        numbers = [j for j, heading in enumerate(headings) if heading not in LEFT_ALIGNED]
        return html.shown(
            html.element("p", f"{self.estimator}, {n} steps"),
            html.table(headings, *bodies, numbers=numbers, caption=self._caption),
        )

    @property
    def _caption(self) -> str:
        return f"{self.stop_reason}: {self.stop_reason.sentence}" if self.stop_reason else "cut off at max_steps"

    def _columns(self) -> Columns:
        return table_columns(self.kind, self.feature_names, next(iter(self.steps), None), bool(self.members))

    def _section(self, step: Step) -> tuple[Any, ...]:
        return table_section(self.kind, step)

    def to_frame(self) -> "pandas.DataFrame":
        """Return the steps as a pandas DataFrame, one row per step. It has the columns and the values of `to_csv`.

        Returns
        -------
        pandas.DataFrame
            The table.

        Raises
        ------
        MissingExtraError
            The package pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("A trace as a DataFrame", "frame") from error
        headings, rows = self._data_columns()
        frame = pandas.DataFrame(rows, columns=headings)
        at = headings.index("predicted")
        frame["predicted"] = pandas.Series([row[at] for row in rows], dtype=object)  # as floats, 1 would become 1.0
        return frame

    def to_csv(self) -> str:
        """Return the steps as CSV, one line per step, for spreadsheets and other languages. All numbers are exact.

        A heading is the name of a field of `Step`. A field with several numbers has one column per feature: x_height,
        w_height, w_bias, answer_height; with more than two classes, w_red_height and score_red. None is an empty cell.
        `active` and `weights` are one cell each: spaces separate the rows, slashes separate the classes.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from rosenblatt import Perceptron, trace
        >>> text = trace(Perceptron(order="cyclic"), [[1], [-1]], ["no", "yes"], max_steps=1).to_csv()
        >>> header, line = text.splitlines()
        >>> dict(zip(header.split(","), line.split(",")))
        {'step': '1', 'task': '', 'epoch': '1', 'index': '0', 'x_x1': '1.0', 'y': 'no', 'score': '0.0', 'predicted': '',
         'mistake': 'true', 'updated': 'true', 'w_x1': '-1.0', 'w_bias': '-1.0', 'answer_x1': '', ...}
        """
        out = io.StringIO()
        headings, rows = self._data_columns()
        writer = csv.writer(out)
        writer.writerow(headings)
        writer.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in rows)
        return out.getvalue()

    def _data_columns(self) -> tuple[list[str], list[list[Any]]]:
        several = self.classes if len(self.classes) > 2 and not self.members else ()
        return data_columns(self.kind, self.feature_names, several, self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as lists, texts and numbers, which JSON can hold. `from_dict` makes an equal trace.

        Returns
        -------
        dict
            The trace.
        """
        head, *steps = map(json.loads, self.to_jsonl().splitlines())
        del head["rosenblatt_trace"]
        return {"feature_names": head.pop("names"), **head, "steps": steps}

    @classmethod
    def from_dict(cls, body: Any) -> Self:
        """Make a trace equal to the one that `to_dict` described.

        Parameters
        ----------
        body : dict
            What `to_dict` gave.

        Returns
        -------
        Trace
            The trace.

        Raises
        ------
        DataError
            It is not what `to_dict` gives.
        """
        try:
            steps = tuple(_read_step(fields) for fields in body["steps"])
            return cls(**_read_head({name: part for name, part in body.items() if name != "steps"}), steps=steps)
        except MALFORMED as error:
            raise DataError(
                f"This is not a Trace: what Trace.to_dict() gives was expected ({type(error).__name__}: {error})."
            ) from error

    def to_jsonl(self) -> str:
        """Return the trace as JSON lines: a header, then one line per step. `from_jsonl` reads back an equal trace.

        Returns
        -------
        str
            The text.
        """
        head = {
            "rosenblatt_trace": FORMAT,
            "kind": self.kind,
            "estimator": self.estimator,
            "classes": self.classes,
            "names": self.feature_names,
            "bias": self.bias,
            "start": self.start,
            "stop_reason": self.stop_reason,
            "members": [asdict(member) for member in self.members],
            "steps": len(self),
        }
        try:
            return "".join(json.dumps(line, allow_nan=False) + "\n" for line in (head, *map(asdict, self.steps)))
        except TypeError as error:
            raise DataError(
                f"Only labels that are numbers, strings or booleans can be written as JSON: {error}."
            ) from error

    @classmethod
    def from_jsonl(cls, text: str) -> Self:
        """Read the trace in the text that `to_jsonl` wrote.

        Parameters
        ----------
        text : str
            What `to_jsonl` gave.

        Returns
        -------
        Trace
            The trace.

        Raises
        ------
        DataError
            The text is not what `to_jsonl` gives.
        """
        lines = [line for line in text.split("\n") if line.strip()]
        number = 1
        try:
            head = json.loads(lines[0], parse_constant=_refuse_constant)
            if (found := head.pop("rosenblatt_trace")) != FORMAT:
                raise DataError(
                    f"This trace has format {found!r}, but this version reads format {FORMAT}. Trace the run again, or "
                    "read the trace with the version that wrote it."
                )
            count, parts = head.pop("steps"), _read_head({"feature_names": head.pop("names"), **head})
            steps = []
            for number, line in enumerate(lines[1:], 2):  # noqa: B007  (for the message)
                steps.append(_read_step(json.loads(line, parse_constant=_refuse_constant)))
            if len(steps) != count:
                raise DataError(
                    f"The trace is incomplete: its header announces {count} steps, but {len(steps)} follow."
                )
            return cls(**parts, steps=tuple(steps))
        except MALFORMED as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"Not a trace, at line {number}: expected the text of Trace.to_jsonl(), a header line and then one "
                f"line per step ({type(error).__name__}: {error})."
            ) from error


def _read_head(parts: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a trace, except its steps."""
    if parts.keys() != set(HEAD):
        raise KeyError(*sorted(parts.keys() ^ set(HEAD)))
    members = tuple(
        Member(**_frozen(member) | {"stop_reason": _reason(member["stop_reason"])}) for member in parts["members"]
    )
    about = {"kind": Kind(parts["kind"]), "stop_reason": _reason(parts["stop_reason"]), "members": members}
    return {**_frozen(parts), **about}


def _read_step(fields: Any) -> Step:
    if fields.keys() != set(FIELDS):
        raise KeyError(*sorted(fields.keys() ^ set(FIELDS)))
    return Step(**_frozen(fields))


def _reason(word: str | None) -> StopReason | None:
    return None if word is None else StopReason[word.upper()]


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: frozen(value) for key, value in fields.items()}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


HEAD = [field.name for field in fields(Trace) if field.name != "steps"]
