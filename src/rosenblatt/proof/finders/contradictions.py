"""Rows that are equal but have different labels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table


def contradictions(table: Table, codes: NDArray[Any]) -> list[tuple[int, int]]:
    """The largest number of disjoint pairs of equal rows of different classes."""
    keys = _keys(table)
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    starts = np.concatenate([[0], ends])
    low, high = (at.reduceat(codes[order], starts) for at in (np.minimum, np.maximum))
    pairs: list[tuple[int, int]] = []
    text = _texts(table)
    for t in np.flatnonzero(low != high):
        equal: dict[Any, list[int]] = {}  # different rows may have the same key
        for i in order[starts[t] : starts[t + 1] if t + 1 < len(starts) else None].tolist():
            equal.setdefault(text(i), []).append(i)
        for rows in equal.values():
            pairs += _pairs(rows, codes)
    return sorted(pairs)


def _pairs(rows: list[int], codes: NDArray[Any]) -> list[tuple[int, int]]:
    """Pair rows of the two largest classes until only one class is left."""
    classes: dict[int, list[int]] = {}
    for i in rows:
        classes.setdefault(int(codes[i]), []).append(i)
    pairs = []
    while len(classes) > 1:
        a, b = sorted(classes, key=lambda code: -len(classes[code]))[:2]
        i, j = classes[a].pop(0), classes[b].pop(0)
        pairs.append((min(i, j), max(i, j)))
        classes = {code: left for code, left in classes.items() if left}
    return pairs


def _texts(table: Table) -> Callable[[int], Any]:
    """A function that gives equal rows, and only them, the same bytes."""
    X, large = table.floats, table.large
    if scipy.sparse.issparse(X) and not X.data.all():  # without the zeros that are stored
        X = X.copy()
        X.eliminate_zeros()

    def text(i: int) -> Any:
        exact = tuple(sorted(large[i].items())) if i in large else ()
        if not scipy.sparse.issparse(X):
            return (X[i] + 0.0).tobytes(), exact  # a sum of -0.0 and 0.0 is 0.0
        inside = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[inside].tobytes(), X.data[inside].tobytes(), exact

    return text


def _keys(table: Table) -> NDArray[np.uint64]:
    """A number for each row. Equal rows have equal numbers in any storage: the sum is over bits and never rounds."""
    X = table.floats
    factors = np.random.default_rng(0).integers(1, 2**63, size=table.d, dtype=np.uint64) | np.uint64(1)
    if scipy.sparse.issparse(X):
        terms = _mixed(X.data) * factors[X.indices]
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms)])
        keys = sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    else:
        keys = _mixed(X) @ factors
    for i, cells in table.large.items():
        keys[i] ^= np.uint64(hash(frozenset(cells.items())) % 2**64)
    return np.asarray(keys)


def _mixed(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The bits of floats, the first ones also at the end: those of whole numbers end with many zeros."""
    bits = (numbers + 0.0).view(np.uint64)  # a sum of -0.0 and 0.0 is 0.0
    return bits ^ (bits >> np.uint64(40))
