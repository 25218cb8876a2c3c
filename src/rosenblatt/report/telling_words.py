"""Columns that tell the label, in words."""

from collections.abc import Sequence
from typing import Any

from rosenblatt.base.words import count_of
from rosenblatt.proof.columns.telling_columns import Telling

MAX_SENTENCES = 5
MAX_RANGES = 6  # of classes in a sentence


def telling_sentences(found: Sequence[Telling]) -> list[str]:
    """A sentence without its full stop for each column, the most telling ones first; last, how many more there are."""
    sentences = [sentence(one) for one in found[:MAX_SENTENCES]]
    more = len(found) - MAX_SENTENCES
    return [*sentences, f"and {more:,} more"] if more > 0 else sentences


def sentence(one: Telling) -> str:
    """What a column tells."""
    if one.kind == "value":
        value = (
            "other than 0"
            if one.value is None
            else f"= {one.value:g}"
            if isinstance(one.value, float)
            else (f"= {one.value!r}")
        )
        return f"{one.column} {value} occurs only in class {one.label!r} ({count_of(one.rows, 'row')})"
    if one.ranges is None:
        return f"each value of {one.column} occurs in one class only"
    if one.kind == "class":
        return f"{one.column} alone separates {one.label!r} from the others: {_sides(one.ranges)}"
    if len(one.ranges) == 2:
        return f"{one.column} alone separates the classes: {_sides(one.ranges)}"
    parts = [f"{label!r} {_range(low, top)}" for label, low, top in one.ranges[:MAX_RANGES]]
    return f"{one.column} alone tells the class: {', '.join(parts)}{', ...' * (len(one.ranges) > MAX_RANGES)}"


def _sides(ranges: Sequence[tuple[Any, float, float]]) -> str:
    (first, start, end), (second, low, top) = ranges
    words = ["the others" if label is None else repr(label) for label in (first, second)]
    below, above = "at" if start == end else "up to", "at" if low == top else "from"
    return f"{below} {end:.12g} {words[0]}, {above} {low:.12g} {words[1]}"


def _range(low: float, top: float) -> str:
    return f"at {low:.12g}" if low == top else f"from {low:.12g} to {top:.12g}"
