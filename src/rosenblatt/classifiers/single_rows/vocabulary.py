"""The columns of names: one column for each name, or columns that names are hashed to."""

import functools
import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import murmurhash3_32

from rosenblatt.base.words import count_of
from rosenblatt.classifiers.single_rows.dict_cells import cells_of
from rosenblatt.data.compiled.rows import Sparse
from rosenblatt.data.validation import Floats
from rosenblatt.errors import DataError

NO_NAMES: Sequence[str] = ()
NOTHING: Any = None, (None, None), None  # no row yet
PLAIN = {float, int, bool, np.float64}


class NamedRow(NamedTuple):
    """One row of numbers by column, or several, and the names in it that have no column yet.

    The new names have the columns after the last, in their order.
    """

    row: Sparse
    new: Sequence[str] = NO_NAMES


class Names(Protocol):
    """Finds the columns of names."""

    def row(self, x: Mapping[Any, Any], bias: float, *, grows: bool = False) -> NamedRow:
        """Return a dict as a row; names without a column get one if `grows`, and are left out else."""
        ...

    def rows(self, given: Sequence[Mapping[Any, Any]], bias: float, grow: Sequence[bool] = ()) -> NamedRow:
        """Return dicts as rows. Names of those rows get a column for which `grow` is true; without it none do."""
        ...


class Vocabulary:
    """A column for each name, in the order in which the names came.

    Attributes
    ----------
    names : array of str objects; adding names makes a new array
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: NDArray[Any] = np.array(list(names), dtype=object)
        self._room = self.names  # the names, and room for more
        self._columns = {name: j for j, name in enumerate(self.names)}
        self._latest = NOTHING  # the row that `quick_row` returned last: as a dict, as arrays, and its names

    def row(self, x: Mapping[Any, Any], bias: float, *, grows: bool = False) -> NamedRow:
        """Return a dict as a row; names without a column get one if `grows`, and are left out else."""
        new = dict[str, int]()
        row = self._row(x, bias, new, grows)
        return NamedRow(row, tuple(new) if new else NO_NAMES)

    def rows(self, given: Sequence[Mapping[Any, Any]], bias: float, grow: Sequence[bool] = ()) -> NamedRow:
        """Return dicts as rows. Names of those rows get a column for which `grow` is true; without it none do."""
        new = dict[str, int]()
        growing = grow or [False] * len(given)
        rows = [self._row(x, bias, new, grows) for x, grows in zip(given, growing, strict=True)]
        return NamedRow(joined(rows, bias), tuple(new) if new else NO_NAMES)

    def _row(self, x: Mapping[Any, Any], bias: float, new: dict[str, int], grows: bool) -> Sparse:
        """A dict as a row. `new` has the columns of new names; it takes those of this row if `grows`."""
        plain = self._plain_row(x, bias)
        if plain is not None:
            return plain
        columns, known, cells = self._columns, len(self.names), []
        for name, number in cells_of(x):
            j = columns.get(name, known)
            if j >= known:  # it has no column, or one that came after this view was taken
                if not grows and name not in new:
                    continue
                j = new.setdefault(name, known + len(new))
            cells.append((j, number))
        if len({j for j, _ in cells}) < len(cells):
            raise _named_twice(x)
        return sparse_row(cells, bias)

    def _plain_row(self, x: Mapping[Any, Any], bias: float) -> Sparse | None:
        """The row, if all its names have columns and all its values are finite numbers; else None. It is quick."""
        try:
            columns, data = [self._columns[name] for name in x], np.array(list(x.values()))
        except (KeyError, ValueError):  # a new name, or lists of different lengths
            return None
        if columns and max(columns) >= len(self.names):
            return None
        if data.dtype != np.float64 or data.ndim != 1 or not math.isfinite(data.dot(data)):
            return None
        indices = np.array(columns, dtype=np.uint32)
        if sorted(columns) != columns:
            order = indices.argsort()
            data, indices = data[order], indices[order]
        if not data.all():
            data, indices = data[data != 0.0], indices[data != 0.0]
        return read_only_row(data, indices, bias)

    def quick_row(self, x: dict[Any, Any]) -> tuple[Floats, NDArray[np.uint32]]:
        """The numbers and the columns of a row of plain numbers, zeros included; the columns are in any order.

        The latest row is remembered, because a row is often predicted and then learned from.

        Raises
        ------
        KeyError, TypeError, ValueError, struct.error, OverflowError
            A name has no column, or a value is no plain number.
        """
        latest, (numbers, indices), names = self._latest
        if x == latest:
            return numbers, indices
        if type(sum(x.values())) not in PLAIN:  # the sum is of another type if a value is complex, for example
            raise TypeError("a value is no plain number")
        n, own = len(x), list(x)
        numbers = np.frombuffer(_pack(n)(*x.values()))
        if own != names:
            indices = np.fromiter(map(self._columns.__getitem__, own), np.uint32, n)
        self._latest = x.copy(), (numbers, indices), own
        return numbers, indices

    def view(self) -> "Vocabulary":
        """The names as they are now. It can be read in one thread while another adds names; do not add to the view."""
        twin = Vocabulary.__new__(Vocabulary)
        twin.names = twin._room = self.names
        twin._columns, twin._latest = self._columns, NOTHING
        return twin

    def add(self, names: Sequence[str]) -> None:
        """Give these new names the next columns."""
        start, stop = len(self.names), len(self.names) + len(names)
        if stop > len(self._room):
            room = np.empty(max(stop, 2 * len(self._room), 16), dtype=object)
            room[:start] = self.names
            self._room = room
        self._room[start:stop] = names
        self.names = self._room[:stop]
        self._columns.update(zip(names, range(start, stop), strict=True))


class HashedNames:
    """2^bits columns. The column of a name is the end of its hash, so that some names may share a column."""

    def __init__(self, bits: int) -> None:
        self._mask = 2**bits - 1

    def row(self, x: Mapping[Any, Any], bias: float, *, grows: bool = False) -> NamedRow:  # noqa: ARG002
        """Return a dict as a row; the numbers of names that share a column are added."""
        mask, sums = self._mask, dict[int, float]()
        for name, number in cells_of(x):
            j = murmurhash3_32(name, seed=0, positive=True) & mask
            sums[j] = sums.get(j, 0.0) + number
        return NamedRow(sparse_row(sums.items(), bias))

    def rows(self, given: Sequence[Mapping[Any, Any]], bias: float, grow: Sequence[bool] = ()) -> NamedRow:  # noqa: ARG002
        """Return dicts as rows; see `row`."""
        return NamedRow(joined([self.row(x, bias).row for x in given], bias))


@functools.cache
def _pack(n: int) -> Callable[..., bytes]:
    """What makes bytes of n numbers; it takes only what Python takes for a number."""
    return struct.Struct(f"{n}d").pack


def sparse_row(cells: Iterable[tuple[int, float]], bias: float) -> Sparse:
    """The row with these numbers at these columns; zeros are left out, as in a sparse matrix."""
    cells = sorted(cell for cell in cells if cell[1] != 0.0)
    data, indices = np.array([number for _, number in cells]), np.array([j for j, _ in cells], dtype=np.uint32)
    return read_only_row(data, indices, bias)


def read_only_row(data: Floats, indices: NDArray[np.uint32], bias: float) -> Sparse:
    """The row with these numbers at these columns, as rules are compiled for it: of arrays that cannot be written."""
    indptr = np.array([0, len(data)], dtype=np.uint32)
    data.flags.writeable = indices.flags.writeable = indptr.flags.writeable = False
    return Sparse(data, indices, indptr, bias)


def joined(rows: Sequence[Sparse], bias: float) -> Sparse:
    """Rows, one after the other."""
    indptr = np.zeros(len(rows) + 1, dtype=np.uint32)
    np.cumsum([len(row.data) for row in rows], out=indptr[1:])
    data, indices = np.concatenate([row.data for row in rows]), np.concatenate([row.indices for row in rows])
    data.flags.writeable = indices.flags.writeable = indptr.flags.writeable = False
    return Sparse(data, indices, indptr, bias)


def names_of(model: Any) -> Names:
    """Return what finds the columns of a fitted model's names.

    Raises
    ------
    DataError
        The columns of the model have no names.
    """
    if (bits := getattr(model, "_hash_bits", None)) is not None:
        return HashedNames(bits)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise DataError(
            f"The row is a dict, but the model was trained on {count_of(model.n_features_in_, 'column')} without "
            "names. Give the numbers in the order of the columns, or train on columns with names."
        )
    known: Vocabulary | None = getattr(model, "_vocabulary", None)
    if known is None or known.names is not names:
        known = model._vocabulary = Vocabulary(names)
        model.feature_names_in_ = known.names
    return known


def _named_twice(x: Mapping[Any, Any]) -> DataError:
    """The error for a row with two entries of one name."""
    seen = set[str]()
    for name, _ in cells_of(x):
        if name in seen:
            return DataError(
                f"Two entries of the row have the name {name!r}. A text has the name and the text as its name, as in "
                "'city=Bonn', and a number such as 7 is the name '7'."
            )
        seen.add(name)
    raise AssertionError("no name comes twice")
