"""Encoding of the columns of a table as numbers; it can be recorded and applied to other tables.

A number stays a number. True becomes 1 and False becomes 0. A column of categories becomes a binary column for each
value: normal, normal, abnormal become (1, 0), (1, 0), (0, 1). With hashing, all categories share 2^bits columns, and
the values need not be known in advance.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.text_tables.dialect import WITH_COMMA, WITH_POINT
from rosenblatt.base.text_tables.gaps import GAP_LIKE, LEAVE_OUT, LEAVE_OUT_OR_FILL, MISSING_LABEL
from rosenblatt.base.text_tables.header import UNNAMED
from rosenblatt.base.text_tables.labels import BOOLEANS, TextLabels, remedy_for
from rosenblatt.data.compiled.hashing import murmur
from rosenblatt.data.files.labels import distinct, labels_of
from rosenblatt.data.files.sparse_text import BadRow, ParsedRows
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, meant
from rosenblatt.errors.remedy import Remedy

MAX_DENSE_RATIO = 4  # a table is dense if it has at most so many encoded columns for each column
BLOCK_ROWS = 4096  # rows that are encoded at a time, few enough to stay in the processor's cache
KINDS = ("number", "boolean", "category")
COUNT_FROM_0 = Remedy("Give {zero_based} if they count from 0.", zero_based=True)  # if LIBSVM text has a column 0


class Column(NamedTuple):
    """A column of a table; `kind` is one of KINDS.

    `fill` replaces missing values: a number, or the category that a missing category is taken for. If a number is the
    fill of categories, a missing category sets none of its columns. If it is None, a missing value is an error.
    """

    name: str
    kind: str
    categories: tuple[str, ...] = ()
    fill: float | str | None = None


@dataclass(frozen=True)
class Encoding:
    """How the columns of a table become numbers.

    Parameters
    ----------
    columns : tuple of Column
        The columns of the table, in order, without the target.
    target : str, optional
        The name of the column with the labels.
    hash_bits : int, optional
        Hash the categories into 2^hash_bits columns; if not given, there is a column for each category.

    See Also
    --------
    read : Makes an encoding, and uses one for other files.
    Data : Its `encoding` is one of these.
    Stream : Its `encoding_` is one of these.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import Encoding, read
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.csv"
    >>> _ = path.write_text("cholesterol,ill\\nnormal,no\\nabnormal,yes\\n")
    >>> encoding = Encoding.from_dict(read(path).encoding.to_dict())
    >>> _ = path.write_text("cholesterol,ill\\nnormal,no\\nnormal,no\\n")
    >>> print(encoding.feature_names, read(path, encoding=encoding).X.tolist())
    ['cholesterol=abnormal', 'cholesterol=normal'] [[0.0, 1.0], [0.0, 1.0]]
    """

    columns: tuple[Column, ...]
    target: str | None = None
    hash_bits: int | None = None

    @cached_property
    def feature_names(self) -> list[str] | None:
        """The names of the encoded columns; None if categories are hashed, as hashed columns have no names."""
        if self.hash_bits is not None and self.has_categories:
            return None
        made = (
            [f"{c.name}={value}" for value in c.categories] if c.kind == "category" else [c.name] for c in self.columns
        )
        return [name for part in made for name in part]

    @property
    def _widths(self) -> list[int]:
        """The number of encoded columns of each column; 0 for hashed categories."""
        hashed = self.hash_bits is not None
        return [(0 if hashed else len(c.categories)) if c.kind == "category" else 1 for c in self.columns]

    @property
    def has_categories(self) -> bool:
        """True if some column holds categories."""
        return any(column.kind == "category" for column in self.columns)

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return sum(self._widths) + (2**self.hash_bits if self.hash_bits is not None and self.has_categories else 0)

    @property
    def is_dense(self) -> bool:
        """True if `encode` makes an array, False if it makes a sparse matrix."""
        return self.hash_bits is None and self.width <= MAX_DENSE_RATIO * len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Convert the encoding to an object that JSON can hold; `from_dict` reads it.

        Returns
        -------
        dict
            The columns, the target and the number of bits.
        """
        columns: list[dict[str, Any]] = [
            {"name": c.name, "kind": c.kind}
            | ({"categories": list(c.categories)} if c.categories else {})
            | ({"fill": c.fill} if c.fill is not None else {})
            for c in self.columns
        ]
        return {"columns": columns, "target": self.target, "hash_bits": self.hash_bits}

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """Make an encoding from what `to_dict` gave.

        Parameters
        ----------
        record : dict
            What `to_dict` gave.

        Returns
        -------
        Encoding
            The encoding.

        Raises
        ------
        DataError
            The record is malformed.
        """
        try:
            columns = tuple(_column_of(part) for part in record["columns"])
            target, bits = record["target"], record["hash_bits"]
            names = [column.name for column in columns]
            named_once = len({*names, target}) == len(names) + 1
            if not named_once or not (bits is None or (type(bits) is int and 1 <= bits <= 31)):
                raise ValueError("a part of it has a value that it cannot have")
            if not (target is None or isinstance(target, str)):
                raise TypeError("its target is not a name")
            return cls(columns, target, bits)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(f"An encoding was expected, as `to_dict` gives it: {error!r}.") from error

    def encode(
        self, table: Any, text_labels: TextLabels | None = None, *, decimal: str = ".", drop: bool = False
    ) -> ParsedRows:
        """Encode the rows of an Arrow table; rows that cannot be used are listed, not encoded.

        Parameters
        ----------
        table : pyarrow.Table
            The rows.
        text_labels : TextLabels, optional
            How the cells of the target column become labels, if the table comes from text.
        decimal : str, default="."
            The decimal mark of numbers in words.
        drop : bool, default=False
            Leave out rows with a missing value or label, and count them.

        Returns
        -------
        ParsedRows
            The encoded rows, their labels, and what is wrong with rows that cannot be used.
        """
        self._check_columns(table)
        n, bad = table.num_rows, RowErrors(decimal)
        labels: NDArray[Any] = np.zeros(n, np.int64)
        if self.target is not None:
            labels, troubles = labels_of(table[self.target], self.target, text_labels)
            for row, trouble in troubles.items():
                if trouble == MISSING_LABEL:
                    bad.note_gap(row, self.target, trouble, LEAVE_OUT)
                else:
                    bad.note(row, self.target, trouble, remedy_for(trouble))
        X = self._dense(table, bad) if self.is_dense else self._sparse(table, bad)
        keep = np.arange(n)
        if bad.first:
            keep = np.setdiff1d(keep, list(bad.first))
            X, labels = X[keep], labels[keep]
        dropped = bad.leave_out_gaps() if drop else 0
        told = [
            BadRow(row + 1, where, trouble, shown(table, row), remedy)
            for row, (where, trouble, remedy) in sorted(bad.first.items())
        ]
        return ParsedRows(
            named(X, self.feature_names),
            labels,
            told,
            lambda row: (int(keep[row]) + 1, shown(table, int(keep[row]))),
            dropped=dropped,
        )

    def _check_columns(self, table: Any) -> None:
        """Raise a DataError if a column of the encoding is missing or not unique."""
        there = Counter(table.column_names)
        for name in [c.name for c in self.columns] + [self.target] * (self.target is not None):
            if there[name] != 1:
                count = "is no column" if name not in there else f"are {there[name]} columns"
                known = ", ".join(map(repr, list(there)[:20]))
                near = "" if name in there else meant(name, there)
                if name not in there and all(UNNAMED.fullmatch(other) for other in there):
                    near = " The first line is no header: write a line with the names of the columns before it."
                raise DataError(f"there {count} {name!r}; there are {known}.{near}")

    def _dense(self, table: Any, bad: "RowErrors") -> NDArray[np.float64]:
        X = np.empty((table.num_rows, self.width))
        starts = np.cumsum([0, *self._widths]).tolist()
        done = 0
        for batch in table.to_batches(max_chunksize=BLOCK_ROWS):
            part = X[done : done + batch.num_rows]
            for at, column in zip(starts, self.columns, strict=False):
                if column.kind != "category":
                    part[:, at] = numbers_of(column, batch[column.name], bad, done)
            done += batch.num_rows
        for at, column in zip(starts, self.columns, strict=False):
            if column.kind == "category":
                chosen = self._chosen(column, table, bad)
                X[:, at : at + len(column.categories)] = 0.0
                rows = np.flatnonzero(chosen >= 0)
                X[rows, at + chosen[rows]] = 1.0
        return X

    def _sparse(self, table: Any, bad: "RowErrors") -> Any:
        n, at = table.num_rows, 0
        parts: list[tuple[Any, Any, Any]] = []
        shift = sum(c.kind != "category" for c in self.columns)
        for column in self.columns:
            if column.kind != "category":
                numbers = numbers_of(column, table[column.name], bad)
                rows = np.flatnonzero(numbers)
                parts.append((rows, np.full(len(rows), at), numbers[rows]))
                at += 1
                continue
            chosen = self._chosen(column, table, bad)
            rows = np.flatnonzero(chosen >= 0)
            parts.append((rows, (shift if self.hash_bits is not None else at) + chosen[rows], np.ones(len(rows))))
            at += len(column.categories)
        i, j, x = (np.concatenate([part[k] for part in parts]) for k in range(3))
        X = scipy.sparse.coo_array((x, (i, j)), shape=(n, self.width)).tocsr()
        X.sum_duplicates()
        return X

    def _chosen(self, column: Column, table: Any, bad: "RowErrors") -> NDArray[np.int64]:
        """Give the number (or the hash) of the category of each row; -1 if it is missing, -2 if it is unknown."""
        values, codes = categories_of(table[column.name])
        if isinstance(column.fill, str) and (codes < 0).any():
            values, codes = [*values, column.fill], np.where(codes < 0, len(values), codes)
        if self.hash_bits is not None:
            mask = 2**self.hash_bits - 1
            at = np.array([hash_of(f"{column.name}={value}") & mask for value in values], np.int64)
        else:
            known = {value: k for k, value in enumerate(column.categories)}
            at = np.array([known.get(value, -2) for value in values], np.int64)
        chosen = np.where(codes >= 0, at[codes] if len(at) else -1, -1)
        for row in np.flatnonzero(chosen == -2).tolist():
            few = ", ".join(map(repr, column.categories[:8])) + ", ..." * (len(column.categories) > 8)
            bad.note(row, column.name, f"one of the categories {few} was expected, not {values[codes[row]]!r}")
        if column.fill is None:
            for row in np.flatnonzero(codes < 0).tolist():
                bad.note_gap(row, column.name, "a category was expected, but it is missing", LEAVE_OUT_OR_FILL)
        return np.asarray(chosen, dtype=np.int64)


def how_columns_were_read(encoding: Encoding | None, zero_based: bool | None) -> dict[str, Any] | None:
    """Describe how columns were read, for the `encoding_` of a model, so that other files are read the same way.

    A table has an encoding. LIBSVM text has columns that count from 0 or from 1. Other formats leave nothing open.
    """
    if encoding is not None:
        return encoding.to_dict()
    return None if zero_based is None else {"format": "libsvm", "zero_based": zero_based}


def _column_of(part: Any) -> Column:
    """Make a column from its record."""
    name, kind = part["name"], part["kind"]
    categories, fill = part.get("categories", []), part.get("fill")
    right = isinstance(name, str) and kind in KINDS and isinstance(categories, list)
    if not right or (categories and kind != "category") or len(set(categories)) < len(categories):
        raise ValueError(f"the record of column {name!r:.40} is malformed")
    if not all(isinstance(value, str) for value in categories):
        raise TypeError(f"the categories of {name!r:.40} are not words")
    is_number = isinstance(fill, float | int) and not isinstance(fill, bool) and np.isfinite(fill)
    if fill is not None and not is_number and not (isinstance(fill, str) and kind == "category"):
        raise ValueError(f"the fill value of column {name!r:.40} is not a number")
    return Column(name, kind, tuple(categories), fill)


class RowErrors:
    """Collects what is wrong with rows: the first error of each row, and the rows with gaps.

    Parameters
    ----------
    decimal : the decimal mark of numbers in words
    """

    def __init__(self, decimal: str) -> None:
        self.decimal = decimal
        self.first: dict[int, tuple[str, str, Remedy | None]] = {}
        self._gaps: set[int] = set()

    def note(self, row: int, column: str, trouble: str, remedy: Remedy | None = None) -> None:
        """Add an error, unless the row has one already."""
        self.first.setdefault(row, (f", column {column!r}", trouble, remedy))

    def note_gap(self, row: int, column: str, trouble: str, remedy: Remedy) -> None:
        """Add an error that a value is missing."""
        self._gaps.add(row)
        self.note(row, column, trouble, remedy)

    def leave_out_gaps(self) -> int:
        """Forget the errors of rows with gaps, and count these rows."""
        self.first = {row: error for row, error in self.first.items() if row not in self._gaps}
        return len(self._gaps)


def numbers_of(column: Column, given: Any, bad: RowErrors, start: int = 0) -> NDArray[np.float64]:
    """Convert a column to floats, and fill missing values; its first row has the number `start`."""
    import pyarrow

    if given.type == pyarrow.float64() and not given.null_count:
        numbers = given.to_numpy()
    elif pyarrow.types.is_string(given.type) or pyarrow.types.is_large_string(given.type):
        numbers = _numbers_of_words(column, given, bad, start)
    else:
        numbers = given.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(numbers.sum()):
            return np.asarray(numbers, dtype=np.float64)
    numbers = numbers.copy()
    for row in np.flatnonzero(np.isinf(numbers)).tolist():
        bad.note(row + start, column.name, f"a finite number was expected, not {numbers[row]}")
    missing = np.isnan(numbers)
    if column.fill is not None:
        numbers[missing] = column.fill
    else:
        trouble = f"a {column.kind} was expected, but it is missing"
        for row in np.flatnonzero(missing).tolist():
            bad.note_gap(row + start, column.name, trouble, LEAVE_OUT_OR_FILL)
    return np.asarray(numbers, dtype=np.float64)


def _numbers_of_words(column: Column, given: Any, bad: RowErrors, start: int) -> NDArray[np.float64]:
    values, codes = categories_of(given)
    parsed = [_boolean_in(v) if column.kind == "boolean" else number_in(v, bad.decimal) for v in values]
    for row in np.flatnonzero(np.array([x is None for x in parsed] + [False])[codes]).tolist():
        word = values[codes[row]]
        bad.note(
            row + start, column.name, f"a {column.kind} was expected, not {word[:40]!r}", _reading_of(word, column)
        )
    return np.array([0.0 if x is None else x for x in parsed] + [np.nan])[codes]


def _reading_of(word: str, column: Column) -> Remedy:
    """What to do if a word is found in a column of numbers."""
    if word.casefold() in GAP_LIKE:
        return Remedy("If it stands for a missing value, leave the cell empty.")
    if WITH_COMMA.fullmatch(word) or WITH_POINT.fullmatch(word):
        mark = "," if "," in word else "."
        return Remedy(f"If {mark!r} is the decimal mark, say {{decimal}}.", decimal=mark)
    return Remedy("If the column holds categories, say {categories}.", categories=[column.name])


def _boolean_in(word: str) -> float | None:
    """Read a word as a boolean: true, false, 1 or 0; None if it is neither."""
    return float(word) if word in ("0", "1") else BOOLEANS.get(word)


def categories_of(given: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Give the distinct values of a column as strings, and the number of the value of each row, -1 if it is missing."""
    found, codes = distinct(given)
    words = [value.strip() if isinstance(value, str) else repr(value) for value in found]
    values = list(dict.fromkeys(words))
    at = {word: k for k, word in enumerate(values)}
    renumbered = np.array([at[word] for word in words] + [-1], np.int64)
    return values, renumbered[codes]


def number_in(word: str, decimal: str = ".") -> float | None:
    """Read a word as a number; None if it is not a number. Where the decimal mark is a comma, 1.5 is no number."""
    if decimal == ",":
        word = "" if "." in word else word.replace(",", ".")
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def hash_of(word: str) -> int:
    """Hash a category by MurmurHash3 of its UTF-8 bytes, which gives the same number on every machine."""
    text = np.frombuffer(word.encode() + b"\n", np.uint8)
    return int(murmur(text, 0, len(text) - 1, np.uint32(0)))


def shown(table: Any, row: int) -> str:
    """Show a row of a table as JSON."""
    import json

    return json.dumps(table.slice(row, 1).to_pylist()[0], default=str)
