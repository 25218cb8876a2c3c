"""Categories of data frames in treatment coding."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt import DataError, estimates, separability
from rosenblatt.base.inputs import tables
from rosenblatt.base.inputs.tables import take_table
from rosenblatt.certificate.exact_table import read_table

DRUG, AGE, CURED = list("AAABBBCCCC"), [30, 41, 50, 33, 47, 52, 38, 44, 58, 61], list("yannyyyynyny"[:10])
CODED = np.array([[drug == "B", drug == "C", age] for drug, age in zip(DRUG, AGE, strict=True)], dtype=float)
NAMES = ["drug[B]", "drug[C]", "age"]
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame({"drug": DRUG, "age": AGE}),
    "pandas, categorical": pd.DataFrame({"drug": pd.Categorical(DRUG), "age": AGE}),
    "pandas, unused level": pd.DataFrame({"drug": pd.Categorical(DRUG, categories=["0", *"ABC"]), "age": AGE}),
    "polars": pl.DataFrame({"drug": DRUG, "age": AGE}),
    "polars, categorical": pl.DataFrame({"drug": pl.Series(DRUG, dtype=pl.Categorical), "age": AGE}),
    "polars, enum": pl.DataFrame({"drug": pl.Series(DRUG, dtype=pl.Enum(list("ABC"))), "age": AGE}),
    "Arrow": pa.table({"drug": DRUG, "age": AGE}),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_the_first_level_is_the_reference(frame: Any) -> None:
    taken = take_table(frame, words=True)
    assert taken.names == NAMES
    assert np.asarray(taken.matrix, dtype=float).tolist() == CODED.tolist()


def test_the_order_of_levels_is_that_of_the_column() -> None:
    frame = pd.DataFrame({"drug": pd.Categorical(DRUG, categories=list("CAB")), "age": AGE})
    assert take_table(frame, words=True).names == ["drug[A]", "drug[B]", "age"]


def test_a_categorical_column_of_numbers_is_one_of_categories() -> None:
    frame = pd.DataFrame({"stage": pd.Categorical([3, 1, 2, 3])})
    taken = take_table(frame, words=True)
    assert (taken.names, taken.matrix.tolist()) == (["stage[2]", "stage[3]"], [[0, 1], [0, 0], [1, 0], [0, 1]])
    assert take_table(frame).matrix.ravel().tolist() == [3, 1, 2, 3]


def test_only_regressions_take_words() -> None:
    with pytest.raises(DataError, match="drug"):
        separability(FRAMES["pandas"], list("ababababab"))


def test_a_missing_category_is_said() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3], "drug": ["A", None, "B"]})
    with pytest.raises(DataError, match=r"row 1, column 'drug'.*is missing; leave the row out, or give it a level"):
        take_table(frame, words=True)


def test_words_beside_numbers_are_refused() -> None:
    with pytest.raises(DataError):
        take_table(pd.DataFrame({"drug": ["A", 2, "B"]}), words=True)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_estimates_and_their_certificates_take_frames_with_words(frame: Any) -> None:
    y = [int(letter == "y") for letter in CURED]
    found = estimates(frame, y)
    plain = estimates(CODED, y)
    assert (found.names[:3], found.statuses, found.kind) == (NAMES, plain.statuses, plain.kind)
    assert found.certificate is not None
    assert found.certificate.verify(frame, y)
    assert found.certificate.verify(CODED, y)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_many_levels_are_stored_sparse(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = read_table(frame, words=True)
    monkeypatch.setattr(tables, "MAX_DENSE_COLUMNS", 0)
    sparse = read_table(frame, words=True)
    assert sparse.names == NAMES
    assert sparse.floats.toarray().tolist() == CODED.tolist()
    codes = np.zeros(10, int)
    assert sparse.digest(codes) == dense.digest(codes)


def test_integers_beside_many_levels_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors name the column as it was given."""
    monkeypatch.setattr(tables, "MAX_DENSE_COLUMNS", 0)
    frame = pd.DataFrame({"drug": list("abcd"), "id": pd.Series([1, 2**70 + 1, 3, 4], dtype=object)})
    assert read_table(frame, words=True).row(1) == {0: (1, 1), 3: (2**70 + 1, 1)}
    frame["id"] = [1.0, 2.0, None, 4.0]
    with pytest.raises(DataError, match="row 2, column 'id'"):
        read_table(frame, words=True)
