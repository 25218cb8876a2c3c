"""The columns of a trace: of the table for people, and of the data frame and the CSV for programs."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.text import Text

from rosenblatt.base import html
from rosenblatt.tracing.step import Kind, Step

MAX_CELL_NUMBERS = 6  # numbers that a table shows in one cell, and features that get a column each
LEFT_ALIGNED = ("task", "wrong rows", "w after", "answer", "predicted", "y")  # headings of columns with words

Columns = list[tuple[str, Callable[[Step], Any]]]


def table_columns(kind: Kind, names: Sequence[str], first: Step | None, members: bool) -> Columns:
    """The headings of a table, each with a function that gives the cell of a step.

    `first` is the first step, if there is one. `members` tells whether steps name their member.
    """
    features: Columns = (
        [(name, _coordinate(j)) for j, name in enumerate(names)] if len(names) <= MAX_CELL_NUMBERS else []
    )
    row: Columns = [("row", lambda step: str(step.index)), *features, ("y", lambda step: _word(step.y))]
    w: Columns = [("w after", lambda step: _weights(step.w))]
    answer: Columns = [("answer", lambda step: _weights(step.answer or ()))]
    norm: Columns = [("|w|", lambda step: _number(step.norm))]
    met: Columns = [
        ("score", lambda step: short(step.score)),
        ("predicted", lambda step: Text("tie") if step.predicted is None else _word(step.predicted)),
        ("mistake", lambda step: "yes" if step.mistake else "no"),
    ]
    if kind is Kind.PASSES:
        columns = [("pass", lambda step: str(step.epoch)), ("wrong", _count), ("wrong rows", _numbers)]
        columns += [*w, *norm, *answer]
    elif kind is Kind.KERNEL:
        columns = [*row, *met, ("support", _count), *norm]
    elif kind is Kind.HULLS:
        columns = [*row, *w, *norm, *_bounds("margin at least"), ("active", _count)]
    elif kind is Kind.GAUSSIANS:
        columns = [("Gaussian", row[0][1]), *row[1:], *w]
        columns += [("radius", lambda step: _number(step.radius)), *_bounds("at least")]
    else:
        columns = [*row, *met, *w, ("angle", _turn), *norm]
        columns += answer if first is not None and first.answer is not None else []
    return [("task", lambda step: _word(step.task)), *columns] if members else columns


def table_section(kind: Kind, step: Step) -> tuple[Any, ...]:
    """The section of a table that a step belongs to: one per member, and one per pass where rows are met one by one."""
    return step.task, step.epoch if kind in (Kind.ROWS, Kind.KERNEL) else 0


def data_columns(
    kind: Kind, names: Sequence[str], classes: Sequence[Any], steps: Sequence[Step]
) -> tuple[list[str], list[list[Any]]]:
    """The headings of the columns for programs, and for each step its cells; a cell without a value is None.

    `classes` are the classes with a score and weights of their own; empty if there is one score for two classes.
    """
    each = [[str(label)] for label in classes] or [[]]
    weights = [["w", *label, name] for label in each for name in (*names, "bias")]
    linear, met = kind is not Kind.KERNEL, () if kind is Kind.PASSES else names
    heads = [["step"], ["task"], ["epoch"], ["index"], *(["x", name] for name in met), ["y"]]
    heads += [*(["score", *label] for label in each), ["predicted"], ["mistake"], ["updated"]]
    heads += [*weights, *(["answer", *rest] for _, *rest in weights)] if linear else [["answer"]]
    heads += [[name] for name in ("angle_before", "angle_after", "norm", "updates", "lower", "upper", "radius")]
    heads += [["active"], ["weights"]]
    rows = []
    for t, step in enumerate(steps, 1):
        w = [*_flat(step.w, len(weights)), *_flat(step.answer, len(weights))] if linear else [_joined(step.answer)]
        cells = [t, step.task, step.epoch, step.index, *step.x, step.y]
        cells += [*_flat(step.score, len(each)), step.predicted, step.mistake, step.updated, *w]
        cells += [step.angle_before, step.angle_after, step.norm, step.updates, step.lower, step.upper, step.radius]
        rows.append([*cells, _joined(step.active), _joined(step.weights)])
    return list(_distinct("_".join(head) for head in heads)), rows


def _distinct(heads: Iterator[str]) -> Iterator[str]:
    """Headings, made different by a number where two are equal: feature names may be anything."""
    taken: set[str] = set()
    for head in heads:
        number, other = 2, head
        while other in taken:
            number, other = number + 1, f"{head}_{number}"
        taken.add(other)
        yield other


def _flat(value: Any, count: int) -> list[Any]:
    """Nested tuples of numbers as one list; `count` empty cells if there are no numbers."""
    if value is None or value == ():
        return [None] * count
    if not isinstance(value, tuple):
        return [value]
    return [number for part in value for number in _flat(part, 1)]


def _joined(values: tuple[Any, ...] | None) -> str | None:
    """Numbers in one cell, separated by spaces; the numbers of a tuple are separated by slashes."""
    if values is None:
        return None
    return " ".join("/".join(map(repr, v)) if isinstance(v, tuple) else repr(v) for v in values)


def _bounds(lower: str) -> Columns:
    return [(lower, lambda step: _number(step.lower)), ("at most", lambda step: _number(step.upper))]


def _count(step: Step) -> str:
    return str(len(step.active or ()))


def _numbers(step: Step) -> str:
    rows = [str(i) for i in step.active or ()]
    return " ".join(rows if len(rows) <= MAX_CELL_NUMBERS + 1 else [*rows[:MAX_CELL_NUMBERS], "..."])


def _word(label: Any) -> Text:
    return Text(html.printable(str(label)))


def _turn(step: Step) -> str:
    return f"{_degrees(step.angle_before)} -> {_degrees(step.angle_after)}" if step.updated else ""


def _coordinate(j: int) -> Callable[[Step], str]:
    return lambda step: short(step.x[j])


def _weights(w: tuple[Any, ...]) -> str:
    return "\n".join(map(short, w)) if w and isinstance(w[0], tuple) else short(w)


def _number(value: float | None) -> str:
    return "-" if value is None else short(value)


def short(value: Any) -> str:
    """A number, or a tuple of numbers, in at most six digits."""
    if isinstance(value, tuple):
        parts = [short(v) for v in value]
        return "(" + ", ".join(parts if len(parts) <= MAX_CELL_NUMBERS + 1 else [*parts[:3], "...", parts[-1]]) + ")"
    return f"{value:.6g}"


def _degrees(angle: float | None) -> str:
    return "-" if angle is None else f"{math.degrees(angle):.1f}°"
