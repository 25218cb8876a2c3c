"""Rows that are equal but have different labels."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import separability


def pairs_by_hand(X: list[list[Any]], y: list[int]) -> int:
    """The largest number of pairs: of equal rows, the smaller of half of them and all outside the largest class."""
    places: dict[Any, Counter[int]] = {}
    for row, label in zip(X, y, strict=True):
        places.setdefault(tuple(row), Counter())[label] += 1
    return sum(min(counts.total() // 2, counts.total() - max(counts.values())) for counts in places.values())


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 2)), min_size=2, max_size=30))
def test_contradictions_are_disjoint_and_as_many_as_there_are(rows: list[tuple[int, int, int]]) -> None:
    X, y = [[float(a), float(b)] for a, b, _ in rows], [label for *_, label in rows]
    X, y = [*X, [50.0, 1.0], [50.0, 1.0]], [*y, 0, 1]
    for form in (X, scipy.sparse.csr_array(X)):
        found = separability(form, y, detail=False).contradictions
        assert len(found) == pairs_by_hand(X, y)
        assert all(i < j and X[i] == X[j] and y[i] != y[j] for i, j in found)
        assert len(set(itertools.chain(*found))) == 2 * len(found)
        assert list(found) == sorted(found)


@pytest.mark.parametrize("sparse", [False, True])
def test_zero_and_minus_zero_are_equal(sparse: bool) -> None:
    X: Any = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 0.0], [2.0, -0.0]])
    if sparse:
        X = scipy.sparse.csr_array((X.ravel(), np.tile([0, 1], 4), np.arange(0, 9, 2)), shape=(4, 2))
    assert separability(X, [0, 1, 1, 0]).contradictions == [(0, 1), (2, 3)]


@pytest.mark.parametrize("form", ["list", "int64", "sparse", "object", "frame"])
def test_large_integers_are_compared_as_they_are(form: str) -> None:
    """2^60 and 2^60 + 1 are the same float but different integers."""
    X: Any = [[2**60, 0], [2**60 + 1, 0], [2**60 + 1, 0]]
    array = np.array(X)
    forms = {"int64": array, "sparse": scipy.sparse.csr_array(array), "frame": pd.DataFrame(X)}
    X = forms.get(form, np.array(X, dtype=object) if form == "object" else X)
    verdict = separability(X, [0, 0, 1])
    assert verdict.contradictions == [(1, 2)]
    assert separability(X, [0, 1, 1]).kind == "strict"
