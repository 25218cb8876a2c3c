"""Rows are positions; the labels of a data frame's index stand beside them, in attributes and in words."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt import ErrorBounds, Verdict, error_bounds, separability
from rosenblatt.proof.row_labels import index_of

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
NAMES = ["Ann", "Bob", "Cleo", "Dan"]


def frame(index: Any, rows: Any = CORNERS) -> pd.DataFrame:
    return pd.DataFrame(rows, index=index, columns=["p", "q"][: len(rows[0])])


def test_a_verdict_names_rows_by_position_and_by_label() -> None:
    verdict = separability(frame(NAMES), XOR)
    assert verdict.witness is not None
    assert verdict.witness.rows == [0, 1, 2, 3]
    assert verdict.row_labels == dict(enumerate(NAMES))
    assert "rows 0 ('Ann') and 3 ('Dan') (class 0)" in verdict.explain()
    assert verdict.certificate is not None
    assert verdict.certificate.verify(CORNERS, XOR)  # certificates keep positions
    assert "Ann" not in verdict.certificate.to_json()


def test_only_the_rows_that_are_named_have_labels() -> None:
    """The two equal points are the witness; ten others are far away."""
    rows = [[1.0], [1.0], *([-5.0 - k] for k in range(5)), *([5.0 + k] for k in range(5))]
    y = [0, 1, *[0] * 5, *[1] * 5]
    verdict = separability(frame([f"r{k}" for k in range(12)], rows), y)
    assert verdict.kind == "weak"
    assert (verdict.stuck.tolist(), list(verdict.contradictions)) == ([0, 1], [(0, 1)])
    assert verdict.row_labels == {0: "r0", 1: "r1"}
    assert "rows 0 ('r0') and 1 ('r1') must lie on it" in verdict.explain()
    assert "rows 0 ('r0') and 1 ('r1') are equal but have different labels" in verdict.explain()
    bounds = error_bounds(frame([f"r{k}" for k in range(12)], rows), y)
    assert bounds.row_labels == {0: "r0", 1: "r1"}
    assert f"errs on row {bounds.errors[0]} ('r{bounds.errors[0]}')" in bounds.explain()
    assert "in the group of rows 0 ('r0') and 1 ('r1') the hulls" in bounds.explain()


def test_a_margin_names_its_rows() -> None:
    verdict = separability(frame(NAMES), AND)
    assert verdict.drawing is not None
    assert set(verdict.row_labels or ()) == {row for rows in verdict.drawing.rows for row in rows}
    assert "3 ('Dan')" in verdict.explain()


def test_each_pair_has_its_labels() -> None:
    verdict = separability(frame([10, 20, 30, 40]), ["a", "b", "c", "a"])
    assert verdict.row_labels is not None
    for pair in verdict.pairs.values():
        assert pair.row_labels
        assert set(pair.row_labels.items()) <= {(0, 10), (1, 20), (2, 30), (3, 40)}


def test_the_witness_in_a_notebook_has_the_labels() -> None:
    page = separability(frame(NAMES), XOR)._repr_html_()
    assert all(name in page for name in NAMES)


@pytest.mark.parametrize(
    "X",
    [
        CORNERS,
        np.array(CORNERS),
        frame(None),
        frame([0, 1, 2, 3]),
        frame(pd.Index([0, 1, 2, 3], dtype="Int64")),
        pl.DataFrame(CORNERS, orient="row"),
    ],
    ids=["list", "array", "range", "integers", "extension integers", "polars"],
)
def test_without_an_index_of_its_own_there_are_no_labels(X: Any) -> None:
    assert index_of(X) is None
    verdict, bounds = separability(X, XOR), error_bounds(X, XOR)
    assert verdict.row_labels is bounds.row_labels is None
    assert "rows 0 and 3 (class 0)" in verdict.explain()


@pytest.mark.parametrize(
    ("index", "labels"),
    [
        ([3, 2, 1, 0], [3, 2, 1, 0]),
        ([1, 2, 3, 4], [1, 2, 3, 4]),
        ([0.5, 1.5, np.nan, np.inf], [0.5, 1.5, "nan", "inf"]),
        ([True, False, True, False], [True, False, True, False]),
        (["a", "a", "b", "b"], ["a", "a", "b", "b"]),
        (pd.to_datetime(["2020-01-01"] * 4), ["2020-01-01 00:00:00"] * 4),
        (pd.MultiIndex.from_product([["u", "v"], [1, 2]]), ["('u', 1)", "('u', 2)", "('v', 1)", "('v', 2)"]),
        (pd.Index([None, "b", "c", "d"], dtype=object), ["None", "b", "c", "d"]),
    ],
    ids=["turned", "from 1", "floats", "booleans", "repeated", "dates", "levels", "missing"],
)
def test_labels_of_any_index_are_texts_or_numbers(index: Any, labels: list[Any]) -> None:
    verdict, bounds = separability(frame(index), XOR), error_bounds(frame(index), XOR)
    assert verdict.row_labels == bounds.row_labels
    got = list((verdict.row_labels or {}).values())
    assert got == labels
    assert {type(label) for label in got} <= {str, int, float, bool}
    assert Verdict.from_json(verdict.to_json()) == verdict
    assert ErrorBounds.from_json(bounds.to_json()) == bounds
    assert Verdict.from_json(verdict.to_json()).explain() == verdict.explain()
