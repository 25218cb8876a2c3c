"""A shard: consecutive rows that stay on one worker, as compact arrays."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.inputs.labels import take_class_labels
from rosenblatt.data import validation
from rosenblatt.data.compiled.hashing import fingerprint
from rosenblatt.data.named_arrays import column_names
from rosenblatt.data.validation import Codes, Floats, Matrix, Rows
from rosenblatt.data.weights import chunk_weights

_ones: Floats = np.empty(0)


class CompactRows(NamedTuple):
    """Checked rows as plain arrays, so that Dask knows their size and sends them without copying."""

    arrays: tuple[NDArray[Any], ...]  # X, or the data, indices and indptr of a CSR matrix
    d: int

    @classmethod
    def of(cls, X: Matrix) -> "CompactRows":
        """The rows of checked points."""
        if scipy.sparse.issparse(X):
            return cls((X.data, X.indices, X.indptr), int(X.shape[1]))
        return cls((np.asarray(X),), int(X.shape[1]))

    @property
    def is_sparse(self) -> bool:
        return len(self.arrays) > 1

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.arrays[2]) - 1 if self.is_sparse else len(self.arrays[0])

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(array.nbytes for array in self.arrays)

    def matrix(self) -> Matrix:
        """The rows as points."""
        if self.is_sparse:
            return scipy.sparse.csr_array(self.arrays, shape=(self.n, self.d))
        return self.arrays[0]


class Part(NamedTuple):
    """Rows as they came, with their labels."""

    rows: CompactRows | None  # None if there are no rows
    labels: NDArray[Any]
    weights: Floats | None
    names: list[str] | None


class PartFacts(NamedTuple):
    """What the client must know of a part."""

    n: int
    d: int
    names: list[str] | None
    labels: NDArray[Any]  # the labels that occur, sorted
    counts: Codes  # how often each occurs
    weighed: Floats  # the sum of the weights of its rows
    is_sparse: bool
    size: int  # in bytes


class Shard(NamedTuple):
    """Consecutive rows, with the numbers of their classes."""

    rows: CompactRows
    codes: Codes
    weights: Floats | None  # None if every row has weight 1
    start: int  # the number of the first row among all rows

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def matrix(self) -> Matrix:
        """The rows as points."""
        return self.rows.matrix()

    def as_rows(self, bias: float) -> Rows:
        """The rows as the compiled rules take them."""
        return validation.rows(self.matrix(), bias)

    def weight(self) -> Floats:
        """The weight of each row. It must not be changed."""
        return unit_weights(self.n) if self.weights is None else self.weights

    def counted(self) -> Codes:
        """The rows that count: those whose weight is not 0."""
        return np.arange(self.n) if self.weights is None else np.flatnonzero(self.weights)

    def shuffled(self, rng: np.random.RandomState) -> Codes:
        """The rows that count, in a random order."""
        if self.weights is None:
            return np.asarray(rng.permutation(self.n))
        counted = self.counted()
        return np.asarray(counted[rng.permutation(len(counted))])


def unit_weights(n: int) -> Floats:
    """Weights of 1, as a part of one array of this process. To make them anew in each pass would take time."""
    global _ones
    ones = _ones
    if len(ones) < n:
        _ones = ones = np.ones(n)
    return ones[:n]


def part_of(X: Any, y: Any, sample_weight: Any = None) -> Part:
    """Check a block of rows and its labels."""
    names = column_names(X)
    if X.shape[0] == 0:
        return Part(None, np.empty(0), None, names)
    points = validation.points(X)
    labels = take_class_labels(y, points.shape[0]).labels
    weights = None if sample_weight is None else chunk_weights(sample_weight, len(labels))
    return Part(CompactRows.of(points), labels, weights, names)


def facts_of(part: Part, _: None) -> PartFacts:
    """What the client must know of a part."""
    rows = part.rows
    if rows is None:
        return PartFacts(0, 0, part.names, np.empty(0), np.empty(0, np.int64), np.empty(0), False, 0)
    labels, codes = np.unique(part.labels, return_inverse=True)
    counts = np.bincount(codes, minlength=len(labels))
    weighed = np.bincount(codes, part.weights, minlength=len(labels)).astype(np.float64)
    return PartFacts(rows.n, rows.d, part.names, labels, counts, weighed, rows.is_sparse, rows.size)


def shard_of(part: Part, start: int, common: tuple[NDArray[Any], int]) -> Shard:
    """Number the classes of a part, and widen its rows to all columns."""
    classes, d = common
    if part.rows is None:
        raise AssertionError("a part without rows makes no shard")
    codes = validation.codes(part.labels, part.rows.n, classes)
    return Shard(part.rows._replace(d=d), codes, part.weights, start)


def columns_of(shard: Shard, columns: Codes) -> Shard:
    """A shard with some of the columns."""
    few = shard.matrix()[:, columns]
    return shard._replace(rows=CompactRows.of(few if scipy.sparse.issparse(few) else np.ascontiguousarray(few)))


def rows_of(shard: Shard, numbers: Codes, _: None) -> tuple[Matrix, Codes]:
    """Some rows and their classes, by their numbers among all rows."""
    own = numbers - shard.start
    return shard.matrix()[own], shard.codes[own]


def mark_of(shard: Shard, _: None) -> int:
    """A fingerprint of the rows, their classes and their weights."""
    mark = np.uint64(0)
    for array in (*shard.rows.arrays, shard.codes, shard.weight()):
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        content.flags.writeable = False  # one type for the compiled function
        mark = np.uint64(fingerprint(content, mark))
    return int(mark)
