"""Columns that tell the label: a detector of leaks, in one pass over the rows.

A column tells the label if the numbers of each class, or of one class, lie apart from those of the others; or if a
value, such as the level of a category, occurs in one class only. It is reported only if this is no accident: with
shuffled labels it would happen with a probability below 1 in 1,000, for all columns and values together. A value must
also have at least a tenth of the rows of its class. So a level of one or two rows is no leak.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table
from rosenblatt.data.matrices import dense
from rosenblatt.proof.columns.levels import level_groups

MAX_CHANCE = 1e-3  # of a report, if labels are shuffled
MIN_SHARE = 0.1  # of the rows of its class that a value must have
MAX_VALUES = 20  # a column of numbers with more different values has no levels
SAMPLE_ROWS = 1000  # that show whether a column has few values
MAX_NUMBERS = 20_000_000  # classes times columns; with more, nothing is looked at
Kind = Literal["label", "class", "value"]


class Telling(NamedTuple):
    """A column that tells the label.

    Attributes
    ----------
    kind : "label" (it tells each class from the others), "class" (one class from all others) or "value" (a value of it
        occurs in one class only)
    column : the name of the column
    rows : how many rows it tells
    label : the class; None for the kind "label"
    value : for the kind "value", a number or the word of a category; None for all numbers but 0
    ranges : classes with their smallest and largest number, in the order of the numbers, where the kind is "label" or
        "class" and the column has a threshold. The class None stands for all other classes.
    """

    kind: Kind
    column: str
    rows: int
    label: Any = None
    value: float | str | None = None
    ranges: list[tuple[Any, float, float]] | None = None


def telling_columns(table: Table, codes: NDArray[Any], labels: Sequence[Any]) -> list[Telling]:
    """The columns that tell the label, those of most rows first.

    Parameters
    ----------
    table : the rows. Columns "name=word" of 0 and 1 stand for the levels of a category "name"
    codes : the class of each row
    labels : the classes, each with a row
    """
    if table.d * len(labels) > MAX_NUMBERS or len(labels) < 2 or table.large:
        return []
    levels = level_groups(table)
    numbers = sorted(set(range(table.d)).difference(*levels.values()))
    counts = np.bincount(codes, minlength=len(labels))
    values = [*_values_of_categories(table, codes, levels), *_values_of_numbers(table, codes, numbers)]
    looks = table.d + sum(len(one.words) for one in values)
    bar = math.log(MAX_CHANCE / looks)
    found = list(_by_numbers(table, codes, labels, numbers, counts, bar))
    told = {one.column for one in found}
    found += [one for column in values if column.name not in told for one in column.telling(labels, counts, bar)]
    order = ("label", "class", "value")
    return sorted(found, key=lambda one: (-one.rows, order.index(one.kind)))


def _by_numbers(
    table: Table, codes: NDArray[Any], labels: Sequence[Any], columns: list[int], counts: NDArray[Any], bar: float
) -> Iterator[Telling]:
    """Columns in which the numbers of the classes, or of one class, lie apart from the others."""
    if not columns:
        return
    k, n = len(labels), len(codes)
    parts = [table.floats[codes == c][:, columns] for c in range(k)]
    low = np.array([np.ravel(dense(part.min(axis=0))) for part in parts])
    top = np.array([np.ravel(dense(part.max(axis=0))) for part in parts])
    order = np.argsort(low, axis=0, kind="stable")
    low_first, top_first = np.take_along_axis(low, order, 0), np.take_along_axis(top, order, 0)
    is_apart = np.asarray((top_first[:-1] < low_first[1:]).all(axis=0))
    is_first = np.asarray(top_first[0] < low_first[1])
    is_last = np.asarray(low_first[-1] > top_first[:-1].max(axis=0))
    by_chance = math.lgamma(k + 1) + sum(math.lgamma(count + 1) for count in counts) - math.lgamma(n + 1)
    for t in np.flatnonzero(is_apart | is_first | is_last).tolist():
        name = name_of(table, columns[t])
        if is_apart[t]:
            if by_chance < bar:
                ranges = [(labels[c], float(low[c, t]), float(top[c, t])) for c in order[:, t].tolist()]
                yield Telling("label", name, n, ranges=ranges)
            continue
        for is_found, c in ((is_first[t], int(order[0, t])), (is_last[t], int(order[-1, t]))):
            if is_found and math.log(2) - _log_binomial(n, int(counts[c])) < bar:
                rest = np.arange(k) != c
                own = (labels[c], float(low[c, t]), float(top[c, t]))
                others = (None, float(low[rest, t].min()), float(top[rest, t].max()))
                ranges = sorted([own, others], key=lambda one: one[1])
                yield Telling("class", name, int(counts[c]), labels[c], ranges=ranges)


class _Values(NamedTuple):
    """The values of a column, and how many rows of each class have them."""

    name: str
    words: list[Any]
    counts: NDArray[Any]  # a row for each value, a column for each class

    def telling(self, labels: Sequence[Any], counts: NDArray[Any], bar: float) -> Iterator[Telling]:
        """What the values tell. `counts` are the rows of each class."""
        n, rows = int(counts.sum()), self.counts.sum(axis=1)
        is_pure = (self.counts > 0).sum(axis=1) == 1
        by_chance = len(self.words) * math.log(len(labels)) + sum(math.lgamma(count + 1) for count in counts)
        if is_pure.all() and rows.sum() == n and by_chance - math.lgamma(n + 1) < bar:
            yield Telling("label", self.name, n)
            return
        for t in np.flatnonzero(is_pure).tolist():
            c = int(self.counts[t].argmax())
            by_chance = _log_binomial(int(counts[c]), int(rows[t])) - _log_binomial(n, int(rows[t]))
            if by_chance < bar and rows[t] >= MIN_SHARE * counts[c]:
                yield Telling("value", self.name, int(rows[t]), labels[c], self.words[t])


def _values_of_categories(table: Table, codes: NDArray[Any], levels: dict[str, list[int]]) -> Iterator[_Values]:
    k = int(codes.max()) + 1
    for name, own in levels.items():
        X = table.floats[:, own]
        counts = np.array([np.ravel(X[codes == c].sum(axis=0)) for c in range(k)]).T.astype(np.int64)
        words = [name_of(table, j).partition("=")[2] for j in own]
        yield _Values(name, words, counts)


def _values_of_numbers(table: Table, codes: NDArray[Any], columns: list[int]) -> Iterator[_Values]:
    """The values of columns that have few. Of sparse rows, the numbers other than 0 are taken together."""
    k = int(codes.max()) + 1
    if scipy.sparse.issparse(table.floats):
        present = table.floats != 0
        counts = np.array([np.ravel(present[codes == c].sum(axis=0)) for c in range(k)])
        largest, sums = np.ravel(dense(table.floats.max(axis=0))), np.ravel(table.floats.sum(axis=0))
        is_binary = (largest == 1) & (sums == counts.sum(axis=0))  # then all numbers but 0 are 1
        for j in (j for j in columns if (counts[:, j] > 0).sum() == 1):
            yield _Values(name_of(table, j), [1.0 if is_binary[j] else None], counts[:, [j]].T)
        return
    for j in columns:
        column = table.floats[:, j]
        if len(np.unique(column[:SAMPLE_ROWS])) > MAX_VALUES:
            continue
        values, places = np.unique(column, return_inverse=True)
        if 1 < len(values) <= MAX_VALUES:
            counts = np.bincount(places * k + codes, minlength=len(values) * k).reshape(len(values), k)
            yield _Values(name_of(table, j), values.tolist(), counts)


def name_of(table: Table, j: int) -> str:
    """The name of a column; x1, x2, ... if the columns have none."""
    return f"x{j + 1}" if table.names is None else table.names[j]


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
