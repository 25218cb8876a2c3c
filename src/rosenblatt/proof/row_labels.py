"""Rows in results: their positions, and their labels in the index of a pandas data frame."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.base.json_forms import LABEL, WHOLE, Form, list_of, parts_of

RowLabels = dict[int, Any]


def index_of(X: Any) -> Any:
    """The index of a data frame; None if X has no index, or if its index only counts the rows from 0."""
    index = getattr(X, "index", None) if hasattr(X, "iloc") else None
    if index is None or (index.dtype.kind in "iu" and np.array_equal(index.to_numpy(), np.arange(len(index)))):
        return None
    return index


def labels_of(index: Any, rows: Iterable[int]) -> RowLabels | None:
    """The labels of some rows, as texts, numbers or booleans; None if there is no index."""
    return None if index is None else {row: _plain(index[row]) for row in sorted({int(row) for row in rows})}


def _plain(label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, tuple):  # of an index with several levels
        return str(tuple(map(_plain, value)))
    fits = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if fits else str(label)


def _of_lists(rows: list[int], labels: list[Any]) -> RowLabels:
    if len(rows) != len(labels):
        raise ValueError(f"must have one label for each row, not {len(labels)} labels for {len(rows)} rows")
    return dict(zip(rows, labels, strict=True))


_WHOLE_NUMBERS = list_of(WHOLE)
ROWS = Form(_WHOLE_NUMBERS.write, lambda rows: np.array(_WHOLE_NUMBERS.read(rows), dtype=np.int64))
_LISTS = parts_of(_of_lists, rows=list_of(WHOLE), labels=list_of(LABEL))
ROW_LABELS = Form(lambda labels: {"rows": list(labels), "labels": list(labels.values())}, _LISTS.read)
