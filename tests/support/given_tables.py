"""What users may give as X, for tests/contract/test_inputs: the rows of docs/inputs.md, each with examples.

The numbers that each example stands for, and the words of each refusal, were written by hand.
"""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
from scipy import sparse
from sklearn.utils import Bunch

LISTS: list[list[Any]] = [[0, 0], [0, 1], [1, 0], [1, 3]]
NUMBERS = np.array(LISTS, dtype=np.float64)
WHERE_NOT_ZERO = [[0, 0], [0, 1], [1, 0], [1, 1]]
LABELS = [0, 0, 0, 1]  # separable, and so with 1 in place of 3
NAMES = ["a", "b"]
LARGE = 2**53 + 1  # the nearest float is 2^53
A, B = NUMBERS.T.astype(int).tolist()
DAYS = np.array(LISTS).astype("M8[D]")


def last(cell: Any) -> list[list[Any]]:
    """The numbers with this cell in row 3, column 1, as lists."""
    return [*LISTS[:3], [1, cell]]


def as_objects(rows: list[list[Any]]) -> Any:
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            array[i, j] = cell
    return array


def frame(**columns: Any) -> Any:
    return pd.DataFrame(columns)


class Row(NamedTuple):
    """A row of the documentation, with examples."""

    answer: str  # "taken" or "refused"
    cases: dict[str, Callable[[], Any]]
    stands_for: Any = LISTS  # the numbers, if it is taken; the words of the refusal, if it is refused


FORMATS = ("csr", "csc", "coo", "dok", "lil", "bsr", "dia")
STORED = [getattr(sparse, f"{kind}_{name}") for kind in FORMATS for name in ("array", "matrix")]
TABLES: dict[str, Row] = {
    "numpy arrays n x d of floats, integers or booleans": Row(
        "taken",
        {
            **{t: lambda t=t: NUMBERS.astype(t) for t in ("f2", "f4", "f8", ">f8", "i1", "u2", "i8", "u8")},  # type: ignore[misc]
            "F order": lambda: np.asfortranarray(NUMBERS),
            "matrix": lambda: np.asarray(NUMBERS).view(np.matrix),
            "masked, no cell": lambda: np.ma.array(NUMBERS),
        },
    ),
    "booleans": Row(
        "taken",
        {
            "array": lambda: NUMBERS > 0,
            "objects": lambda: (NUMBERS > 0).astype(object),
            "lists": lambda: (NUMBERS > 0).tolist(),
            "csr": lambda: sparse.csr_array(NUMBERS > 0),
            "pandas": lambda: frame(a=[False, False, True, True], b=[0, 1, 0, 1]),
            "pandas boolean": lambda: pd.DataFrame(NUMBERS > 0, columns=NAMES).astype("boolean"),
            "polars": lambda: pl.DataFrame({"a": [False, False, True, True], "b": [0, 1, 0, 1]}),
            "Arrow": lambda: pa.table({"a": [False, False, True, True], "b": [0, 1, 0, 1]}),
        },
        WHERE_NOT_ZERO,
    ),
    "lists and tuples of rows": Row(
        "taken",
        {
            "lists": lambda: LISTS,
            "tuples": lambda: tuple(map(tuple, LISTS)),
            "arrays": lambda: list(NUMBERS),
            "a range": lambda: [[0, 0], range(2), [1, 0], range(1, 5, 2)],
            "Series": lambda: [pd.Series(row) for row in LISTS],
        },
    ),
    "SciPy's sparse matrices and arrays, in every format": Row(
        "taken",
        {
            **{make.__name__: lambda make=make: make(NUMBERS) for make in STORED},  # type: ignore[misc]
            "int64": lambda: sparse.csr_array(NUMBERS.astype(int)),
        },
    ),
    "pandas data frames": Row(
        "taken",
        {
            "floats": lambda: pd.DataFrame(NUMBERS, columns=NAMES),
            "an index": lambda: pd.DataFrame(NUMBERS, columns=NAMES, index=list("pqrs")),
            "numbers as names": lambda: pd.DataFrame(NUMBERS),
            "several types": lambda: frame(a=np.array(A, "i1"), b=np.array(B, "f4")),
            "nullable": lambda: pd.DataFrame(NUMBERS, columns=NAMES).astype("Int64"),
            "Arrow": lambda: pd.DataFrame(NUMBERS, columns=NAMES).astype("double[pyarrow]"),
            "categories of numbers": lambda: pd.DataFrame(NUMBERS, columns=NAMES).astype("category"),
            "sparse": lambda: pd.DataFrame(NUMBERS, columns=NAMES).astype(pd.SparseDtype("float", 0)),
        },
    ),
    "polars data frames": Row(
        "taken",
        {
            "floats": lambda: pl.DataFrame(NUMBERS, schema=NAMES),
            "int128": lambda: pl.DataFrame({"a": A, "b": pl.Series(B, dtype=pl.Int128)}),
            "decimals": lambda: pl.DataFrame({"a": A, "b": [Decimal(b) for b in B]}),
        },
    ),
    "Arrow tables and record batches": Row(
        "taken",
        {
            "table": lambda: pa.table({"a": A, "b": NUMBERS[:, 1]}),
            "batch": lambda: pa.record_batch({"a": A, "b": B}),
            "decimals": lambda: pa.table({"a": A, "b": [Decimal(b) for b in B]}),
            "dictionary of numbers": lambda: pa.table({"a": A, "b": pa.array(B).dictionary_encode()}),
        },
    ),
    "integers of any size": Row(
        "taken",
        {
            "int64": lambda: np.array(last(LARGE)),
            "objects": lambda: as_objects(last(LARGE)),
            "lists": lambda: last(LARGE),
            "lists with a float": lambda: [[0.0, 0], *last(LARGE)[1:]],
            "csr": lambda: sparse.csr_array(np.array(last(LARGE))),
            "pandas beside floats": lambda: frame(a=NUMBERS[:, 0], b=[0, 1, 0, LARGE]),
            "pandas Int64": lambda: pd.DataFrame(last(LARGE), columns=NAMES, dtype="Int64"),
            "polars beside floats": lambda: pl.DataFrame({"a": NUMBERS[:, 0], "b": [0, 1, 0, LARGE]}),
            "Arrow beside floats": lambda: pa.table({"a": NUMBERS[:, 0], "b": [0, 1, 0, LARGE]}),
        },
        last(LARGE),
    ),
    "`Decimal`, `Fraction` and long doubles that a float64 holds": Row(
        "taken",
        {
            "Decimal": lambda: last(Decimal("0.5")),
            "Decimal objects": lambda: as_objects(last(Decimal("0.5"))),
            "Fraction": lambda: last(Fraction(1, 2)),
            "pandas": lambda: pd.DataFrame(as_objects(last(Decimal("0.5"))), columns=NAMES),
            "Arrow": lambda: pa.table({"a": A, "b": [Decimal(b) for b in ("0.0", "1.0", "0.0", "0.5")]}),
            "long doubles": lambda: np.array(last(0.5), dtype=np.longdouble),
            "csr of long doubles": lambda: sparse.csr_array(np.array(last(0.5), dtype=np.longdouble)),
        },
        last(Fraction(1, 2)),
    ),
    "`Decimal`, `Fraction` and long doubles that no float64 holds": Row(
        "refused",
        {
            "Decimal": lambda: last(Decimal("0.1")),
            "Decimal objects": lambda: as_objects(last(Decimal("0.1"))),
            "Fraction": lambda: last(Fraction(1, 3)),
            "pandas": lambda: pd.DataFrame(as_objects(last(Fraction(1, 3))), columns=NAMES),
            "Arrow": lambda: pa.table({"a": A, "b": [Decimal(b) for b in ("0.0", "1.0", "0.0", "0.1")]}),
            "long doubles": lambda: np.array(last(np.longdouble(1) / 3), dtype=np.longdouble),
            "csr of long doubles": lambda: sparse.csr_array(np.array(last(np.longdouble(1) / 3), dtype=np.longdouble)),
        },
        r"row 3, column (1|'b') is .*round them first",
    ),
    "texts, also of digits": Row(
        "refused",
        {
            "array": lambda: np.array(last(3)).astype(str)[::-1],
            "StringDType": lambda: np.array(last(3)).astype(str)[::-1].astype(np.dtypes.StringDType()),
            "objects": lambda: as_objects([["1", 1], *LISTS[1:]]),
            "lists": lambda: [["1", 1], *LISTS[1:]],
            "pandas": lambda: frame(a=list("1011"), b=B),
            "pandas Arrow": lambda: pd.DataFrame({"a": list("1011"), "b": B}).astype({"a": "string[pyarrow]"}),
            "pandas categories": lambda: frame(a=pd.Categorical(list("1011")), b=B),
            "polars": lambda: pl.DataFrame({"a": list("1011"), "b": B}),
            "polars categories": lambda: pl.DataFrame({"a": pl.Series(list("1011"), dtype=pl.Categorical), "b": B}),
            "Arrow": lambda: pa.table({"a": list("1011"), "b": B}),
            "Arrow dictionary": lambda: pa.table({"a": pa.array(list("1011")).dictionary_encode(), "b": B}),
        },
        r"row 0, column (0|'a') is '1', a text\. Convert it first",
    ),
    "bytes": Row(
        "refused",
        {
            "array": lambda: np.array(last(3)).astype("S")[::-1],
            "objects": lambda: as_objects([[b"1", 1], *LISTS[1:]]),
            "lists": lambda: [[b"1", 1], *LISTS[1:]],
            "polars": lambda: pl.DataFrame({"a": [b"1"] * 4, "b": B}),
            "Arrow": lambda: pa.table({"a": [b"1"] * 4, "b": B}),
        },
        r"row 0, column (0|'a') is b'1', of type bytes\. Convert it first",
    ),
    "dates, times and durations": Row(
        "refused",
        {
            "datetime64": lambda: DAYS,
            "timedelta64": lambda: DAYS - DAYS[0, 0],
            "objects": lambda: as_objects([[np.datetime64("2020-01-01"), 1], *LISTS[1:]]),
            "durations as objects": lambda: as_objects([[np.timedelta64(3, "D"), 1], *LISTS[1:]]),
            "lists": lambda: [[datetime.datetime(2020, 1, 1), 1], *LISTS[1:]],
            "lists of datetime64": lambda: [list(row) for row in DAYS],
            "pandas": lambda: frame(a=pd.to_datetime(["2020-01-01"] * 4), b=B),
            "pandas, all columns": lambda: pd.DataFrame(DAYS.astype("M8[s]"), columns=NAMES),
            "pandas durations": lambda: frame(a=pd.to_timedelta(A, unit="D"), b=B),
            "pandas periods": lambda: frame(a=pd.period_range("2020", periods=4, freq="Y"), b=B),
            "polars": lambda: pl.DataFrame({"a": DAYS[:, 0], "b": B}),
            "polars durations": lambda: pl.DataFrame({"a": [datetime.timedelta(1)] * 4, "b": B}),
            "polars times": lambda: pl.DataFrame({"a": [datetime.time(1)] * 4, "b": B}),
            "Arrow": lambda: pa.table({"a": DAYS[:, 0].astype("M8[s]"), "b": B}),
            "Arrow durations": lambda: pa.table({"a": (DAYS - DAYS[0, 0])[:, 0].astype("m8[s]"), "b": B}),
        },
        r"row 0, column (0|'a') is .*, a time\. Give a number instead",
    ),
    "NaN, infinite and missing numbers": Row(
        "refused",
        {
            "nan": lambda: np.array(last(np.nan)),
            "inf": lambda: np.array(last(np.inf)),
            "nan in lists": lambda: last(float("nan")),
            "None": lambda: last(None),
            "pandas NA": lambda: as_objects(last(pd.NA)),
            "Decimal NaN": lambda: last(Decimal("nan")),
            "csr": lambda: sparse.csr_array(np.array(last(np.nan))),
            "pandas Int64": lambda: pd.DataFrame(last(None), columns=NAMES, dtype="Int64"),
            "pandas Arrow": lambda: pd.DataFrame(last(None), columns=NAMES, dtype="int64[pyarrow]"),
            "polars": lambda: pl.DataFrame({"a": A, "b": [0, 1, 0, None]}),
            "Arrow": lambda: pa.table({"a": A, "b": [0, 1, 0, None]}),
        },
        r"X contains (NaN|infinity): row 3, column (1|'b') is (nan|inf|missing)\. Every number must be finite",
    ),
    "masked cells": Row(
        "refused",
        {
            "array": lambda: np.ma.array(NUMBERS, mask=NUMBERS == 3),
            "rows": lambda: list(np.ma.array(NUMBERS, mask=NUMBERS == 3)),
            "cell": lambda: last(np.ma.masked),
        },
        r"row 3, column 1 is masked",
    ),
    "complex numbers": Row(
        "refused",
        {
            "array": lambda: np.array(last(3j)),
            "lists": lambda: last(3j),
            "csr": lambda: sparse.csr_array(np.array(last(3j))),
            "pandas": lambda: pd.DataFrame(as_objects(last(3j)), columns=NAMES),
        },
        r"Complex data not supported: row 3, column (1|'b') is 3j",
    ),
    "lists, dicts and arrays in cells": Row(
        "refused",
        {
            "list": lambda: as_objects(last([3])),
            "list in lists": lambda: last([3]),
            "dict": lambda: last({}),
            "array": lambda: as_objects(last(np.array(3.0))),
            "polars Array": lambda: pl.DataFrame(
                {"a": A, "b": pl.Series([[b] for b in B], dtype=pl.Array(pl.Int64, 1))}
            ),
            "polars Struct": lambda: pl.DataFrame({"a": A, "b": [{"x": b} for b in B]}),
            "Arrow list": lambda: pa.table({"a": A, "b": [[b] for b in B]}),
        },
        r"X must hold numbers: row [03], column (1|'b') is .*, of type (list|dict|ndarray)",
    ),
    "ragged lists": Row(
        "refused",
        {
            "lists": lambda: [[0, 0], [0, 1], [1], [1, 3]],
            "arrays": lambda: [np.zeros(2), np.zeros(2), np.zeros(1), np.ones(2)],
        },
        "it is ragged: row 0 has 2 numbers, row 2 has 1",
    ),
    "lists of sets, dicts, iterators and texts": Row(
        "refused",
        {
            "sets": lambda: [{0, 1}, {1, 2}, {2, 3}, {5, 6}],
            "dicts": lambda: [{0: 1, 1: 0}] * 4,
            "iterators": lambda: [iter(row) for row in LISTS],
            "texts": lambda: ["00", "01", "10", "13"],
            "numbers": lambda: [1, 2, 3, 4],
        },
        "X must be a table, a 2D array or a list of rows; row 0 is ",
    ),
    "arrays and columns that are not n x d": Row(
        "refused",
        {
            "1-D": lambda: NUMBERS[:, 0],
            "3-D": lambda: NUMBERS[:, :, np.newaxis],
            "0-D": lambda: np.array(1.0),
            "Series": lambda: pd.Series(A),
            "polars Series": lambda: pl.Series(A),
            "Arrow array": lambda: pa.array(A),
            "1-D sparse": lambda: sparse.coo_array(NUMBERS[:, 0]),
            "no rows": lambda: NUMBERS[:0],
            "no columns": lambda: NUMBERS[:, :0],
            "empty frame": pd.DataFrame,
        },
        r"X must be a table.*(Expected 2D array|with dim 3|0 sample\(s\)|0 feature\(s\))",
    ),
    "structured arrays": Row(
        "refused",
        {
            "structured": lambda: np.array([tuple(row) for row in LISTS], "f8,f8"),
            "void": lambda: np.zeros((4, 2), "V8"),
        },
        "structured_to_unstructured",
    ),
    "data frames with two columns of one name": Row(
        "refused", {"pandas": lambda: pd.DataFrame(NUMBERS, columns=["a", "a"])}, "2 are called 'a'; rename them"
    ),
    "`polars.LazyFrame`, Arrow datasets and readers": Row(
        "refused",
        {
            "LazyFrame": lambda: pl.DataFrame(NUMBERS, schema=NAMES).lazy(),
            "dataset": lambda: pyarrow.dataset.dataset(pa.table({"a": A, "b": B})),
            "reader": lambda: pa.table({"a": A, "b": B}).to_reader(),
        },
        r"it is of type (LazyFrame. Call collect|InMemoryDataset. Call to_table|RecordBatchReader. Call read_all)\(\)",
    ),
    "everything else: iterators, dicts, paths, None": Row(
        "refused",
        {
            "generator": lambda: (row for row in LISTS),
            "map": lambda: map(list, LISTS),
            "dict": lambda: {"a": A, "b": B},
            "Bunch": lambda: Bunch(data=NUMBERS, target=LABELS),
            "str": lambda: "iris.csv",
            "Path": lambda: Path("iris.csv"),
            "None": lambda: None,
            "number": lambda: 5,
            "set": lambda: {1, 2},
        },
        "X must be a table of numbers, n rows of d; it is ",
    ),
}
