"""The reader of labels: labels stay what they are, or are refused. tests/contract/test_inputs tries all doors."""

import contextlib
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rosenblatt import DataError
from rosenblatt.base.inputs.labels import take_class_labels, take_labels


def labels_of(y: Any, n: int = 3) -> list[Any]:
    return take_labels(y, n).labels.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "y", [[1, 2], [1], [[1, 2], [1, 2], [1, 2]], 5, None, [], [[1], [1, 2], 3], [[[1]], [[2]], [[3]]]]
)
def test_labels_that_are_not_one_for_each_row_are_refused(y: Any) -> None:
    with pytest.raises(DataError, match=r"each row needs one label|label for each row|y is None"):
        take_labels(y, 3)


def test_labels_become_those_of_python() -> None:
    for y in ([1, 2, 1], ["a", "b", "a"], [True, False, True], [1.5, 2.5, 1.5]):
        series = (y, tuple(y), np.array(y), np.array(y)[:, np.newaxis], pd.Series(y), pl.Series(y), pa.array(y))
        for given_y in series:
            labels = labels_of(given_y)
            assert labels == y
            assert [type(label) for label in labels] == [type(label) for label in y]


@pytest.mark.parametrize(
    "y", [[2**63, 2**63 + 1, -1], ["a", 1, 2], ["a", 1.5, True], [10**30, 10**30 + 1, 0.5], ["a", "a\0", "b"]], ids=repr
)
def test_labels_of_several_kinds_are_kept_or_refused_but_never_changed(y: list[Any]) -> None:
    with contextlib.suppress(DataError):
        assert labels_of(y) == y


def test_integers_of_64_bits_are_kept_and_mixed_with_floats_only_if_floats_hold_them() -> None:
    assert labels_of([2**64 - 1, 2**63, 0]) == [2**64 - 1, 2**63, 0]
    assert labels_of([-(2**63), 2**63 - 1, 0]) == [-(2**63), 2**63 - 1, 0]
    assert labels_of([2**53, 0.0, 1]) == [2.0**53, 0.0, 1.0]
    for y, why in [([2**64, 0, 1], "64 bits"), ([2**63, -1, 0], "64 bits"), ([2**53 + 1, 0.0, 1], "mixes floats")]:
        with pytest.raises(DataError, match=why):
            take_labels(y, 3)


def test_a_column_is_taken_and_said_to_be_one() -> None:
    for y in ([[1], [2], [1]], np.array([[1], [2], [1]]), pd.DataFrame({"y": [1, 2, 1]}), pa.table({"y": [1, 2, 1]})):
        assert take_labels(y, 3).labels.tolist() == [1, 2, 1]
        assert take_labels(y, 3).was_column
    assert not take_labels([1, 2, 1], 3).was_column


def test_floats_are_class_labels_if_they_are_whole() -> None:
    assert take_class_labels([1.0, 2.0, 1.0], 3).labels.tolist() == [1.0, 2.0, 1.0]
    with pytest.raises(DataError, match=r"continuous\. y\[1\] is 0.5"):
        take_class_labels([1.0, 0.5, 1.0], 3)


def test_other_names_are_named() -> None:
    with pytest.raises(DataError, match=r"There are 3 rows but classes has 2 labels"):
        take_labels([1, 2], 3, "classes")
