"""What users may give as y, for tests/contract/test_inputs: the rows of docs/inputs.md, each with examples."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from tests.support.given_tables import LABELS, Row, frame

WORDS = ["n", "n", "n", "p"]
COLUMNS: dict[str, Row] = {
    "integers of 64 bits": Row(
        "taken",
        {
            **{t: lambda t=t: np.array(LABELS, t) for t in ("i1", "u1", "i8", "u8")},  # type: ignore[misc]
            "objects": lambda: np.array(LABELS, object),
            "list": lambda: LABELS,
            "tuple": lambda: tuple(LABELS),
            "list of int64": lambda: list(np.array(LABELS)),
            "pandas": lambda: pd.Series(LABELS, index=list("pqrs")),
            "pandas Int64": lambda: pd.Series(LABELS, dtype="Int64"),
            "pandas categories": lambda: pd.Series(LABELS, dtype="category"),
            "polars": lambda: pl.Series(LABELS),
            "Arrow": lambda: pa.chunked_array([LABELS[:2], LABELS[2:]]),
            "masked, no label": lambda: np.ma.array(LABELS),
        },
        LABELS,
    ),
    "strings": Row(
        "taken",
        {
            "array": lambda: np.array(WORDS),
            "StringDType": lambda: np.array(WORDS, np.dtypes.StringDType()),
            "objects": lambda: np.array(WORDS, object),
            "list": lambda: WORDS,
            "pandas": lambda: pd.Series(WORDS),
            "pandas categories": lambda: pd.Categorical(WORDS),
            "pandas Arrow": lambda: pd.Series(WORDS, dtype="string[pyarrow]"),
            "polars": lambda: pl.Series(WORDS),
            "polars categories": lambda: pl.Series(WORDS, dtype=pl.Categorical),
            "Arrow": lambda: pa.array(WORDS),
            "Arrow dictionary": lambda: pa.array(WORDS).dictionary_encode(),
        },
        WORDS,
    ),
    "booleans": Row(
        "taken",
        {
            "array": lambda: np.array(LABELS) > 0,
            "objects": lambda: np.array([False, False, False, True], object),
            "list": lambda: [False, False, False, True],
            "pandas": lambda: pd.Series([False, False, False, True], dtype="boolean"),
            "polars": lambda: pl.Series([False, False, False, True]),
            "Arrow": lambda: pa.array([False, False, False, True]),
        },
        [False, False, False, True],
    ),
    "floats that are whole numbers": Row(
        "taken",
        {
            **{t: lambda t=t: np.array(LABELS, t) for t in ("f2", "f4", "f8", "g")},  # type: ignore[misc]
            "objects": lambda: np.array([0.0, 0.0, 0.0, 1.0], object),
            "mixed with integers": lambda: [0, 0, 0, 1.0],
        },
        [0.0, 0.0, 0.0, 1.0],
    ),
    "one column, n x 1": Row(
        "taken",
        {
            "array": lambda: np.array(LABELS)[:, np.newaxis],
            "list of lists": lambda: [[label] for label in LABELS],
            "pandas": lambda: frame(y=LABELS),
            "polars": lambda: pl.DataFrame({"y": LABELS}),
            "Arrow": lambda: pa.table({"y": LABELS}),
        },
        LABELS,
    ),
    "other floats": Row(
        "refused", {"array": lambda: np.array(LABELS) + 0.5, "list": lambda: [0.5, 0, 0, 1]}, "continuous"
    ),
    "missing and infinite labels": Row(
        "refused",
        {
            "nan": lambda: np.array([0, 0, np.nan, 1]),
            "inf": lambda: np.array([0, 0, np.inf, 1]),
            "None": lambda: [0, 0, None, 1],
            "None among words": lambda: ["n", "n", None, "p"],
            "NA": lambda: np.array([0, 0, pd.NA, 1], object),
            "pandas": lambda: pd.Series(["n", "n", None, "p"], dtype="string"),
            "pandas boolean": lambda: pd.Series([True, False, None, True], dtype="boolean"),
            "polars": lambda: pl.Series([0, 0, None, 1]),
            "Arrow": lambda: pa.array(["n", "n", None, "p"]),
        },
        r"y\[2\] is (nan|inf|None|<NA>); every row needs a class label",
    ),
    "masked labels": Row(
        "refused",
        {
            "array": lambda: np.ma.array(np.array(LABELS), mask=np.arange(4) == 2),
            "list": lambda: [0, 0, np.ma.masked, 1],
        },
        r"y\[2\] is masked",
    ),
    "labels of several kinds": Row(
        "refused",
        {
            "list": lambda: [0, 0, 0, "a"],
            "objects": lambda: np.array([0, 0, 0, "a"], object),
            "booleans and integers": lambda: [0, 0, 0, True],
        },
        r"labels of one kind.*y\[0\] is 0, y\[3\] is ",
    ),
    "dates, bytes, `Decimal`, `Fraction` and other objects": Row(
        "refused",
        {
            "datetime64": lambda: np.array(LABELS).astype("M8[D]"),
            "timedelta64": lambda: np.array(LABELS).astype("m8[D]"),
            "dates": lambda: np.array(LABELS).astype("M8[D]").tolist(),
            "pandas dates": lambda: pd.Series(pd.to_datetime(["2020"] * 3 + ["2021"])),
            "polars dates": lambda: pl.Series(np.array(LABELS).astype("M8[D]")),
            "Arrow dates": lambda: pa.array(np.array(LABELS).astype("M8[D]")),
            "bytes": lambda: np.array(WORDS).astype("S"),
            "list of bytes": lambda: [word.encode() for word in WORDS],
            "Decimal": lambda: [Decimal(label) for label in LABELS],
            "Fraction": lambda: [Fraction(label) for label in LABELS],
        },
        r"labels of one kind.*y\[0\] is .*give such labels as strings",
    ),
    "integers beyond 64 bits": Row(
        "refused", {"list": lambda: [0, 0, 0, 2**70], "objects": lambda: np.array([0, 0, 0, 2**70], object)}, "64 bits"
    ),
    "everything else: matrices, iterators, dicts, `polars.LazyFrame`, None": Row(
        "refused",
        {
            "two columns": lambda: np.column_stack([LABELS, LABELS]),
            "two columns in lists": lambda: [[0, 1]] * 4,
            "two columns in pandas": lambda: frame(y=LABELS, z=LABELS),
            "too few": lambda: LABELS[:3],
            "sparse": lambda: sparse.csr_array(np.array(LABELS)[:, np.newaxis]),
            "generator": lambda: (label for label in LABELS),
            "dict": lambda: dict(enumerate(LABELS)),
            "str": lambda: "nnnp",
            "LazyFrame": lambda: pl.DataFrame({"y": LABELS}).lazy(),
            "complex": lambda: np.array(LABELS, complex),
            "None": lambda: None,
        },
        "one (class )?label for each row|each row needs one label|y is None|Complex data",
    ),
}
