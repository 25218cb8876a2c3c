"""Verdicts and bounds are values: equal by content, written as JSON and read back, and without the data."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from rosenblatt import (
    Certificate,
    DataError,
    ErrorBounds,
    Hyperplane,
    MistakeBound,
    ParameterError,
    Verdict,
    error_bounds,
    mistake_bound,
    separability,
)
from tests.support.effort import examples

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
X, Y = load_iris(return_X_y=True)
MADE: dict[str, Any] = {
    "strict": lambda: separability(CORNERS, AND),
    "weak": lambda: separability([[0], [1], [1], [3]], ["low", "low", "high", "high"]),
    "overlap": lambda: separability(CORNERS, XOR),
    "overlap of booleans": lambda: separability(CORNERS, [False, True, True, False]),
    "through the origin": lambda: separability([[1, 2], [2, 1], [-1, -3]], [1, 1, 0], through_origin=True),
    "overlap through the origin": lambda: separability([[0.0], [1.0], [2.0]], [0, 1, 1], through_origin=True),
    "not strict": lambda: separability(CORNERS, XOR, detail=False),
    "undecided": lambda: Verdict("undecided", [0, 1], n=3),
    "three classes": lambda: separability(X, Y),
    "far apart": lambda: separability([[1e308], [-1e308], [1e-308]], [1, 0, 1]),
    "errors": lambda: error_bounds(CORNERS, XOR),
    "no errors": lambda: error_bounds(CORNERS, AND),
    "updates": lambda: mistake_bound(X, Y == 0),
    "updates, centered": lambda: mistake_bound(X, Y == 0, rows="centered"),
    "updates, rescaled": lambda: mistake_bound(X, Y == 0, rows="rescaled"),
    "no bound": lambda: mistake_bound(CORNERS, XOR),
    "one pass": lambda: mistake_bound(CORNERS, XOR, hyperplane=Hyperplane([1, 2], -1)),
}


@pytest.mark.parametrize("name", MADE)
def test_a_result_comes_back_equal(name: str) -> None:
    made = MADE[name]()
    kind = type(made)
    text = made.to_json()
    strict = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert strict == made.to_dict()
    for again in (kind.from_json(text), kind.from_json(text.encode()), kind.from_dict(made.to_dict())):
        assert again == made
        assert hash(again) == hash(made)
        assert again.to_json() == text
        assert repr(again) == repr(made)
        assert again.explain() == made.explain()
        assert again._repr_html_() == made._repr_html_()
    assert MADE[name]() == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_written_in_one_line_and_shown_in_one(name: str) -> None:
    made = MADE[name]()
    assert "\n" not in made.to_json()
    assert "\n" not in repr(made)
    assert len(repr(made)) < 100


def test_other_results_are_not_equal() -> None:
    made = [make() for make in MADE.values()]
    assert len(set(made)) == len(made)
    assert all((one == other) is (i == j) for i, one in enumerate(made) for j, other in enumerate(made))
    assert separability(CORNERS, AND) != separability(CORNERS, [0, 0, 1, 1])
    assert error_bounds(CORNERS, XOR) != "errors"


@settings(max_examples=examples(0.3))
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=7), st.data())
def test_any_verdict_comes_back(rows: list[tuple[int, int]], data: Any) -> None:
    labels = st.sampled_from(["a", "b", "c"])
    y = data.draw(st.lists(labels, min_size=len(rows), max_size=len(rows)).filter(lambda y: len(set(y)) > 1))
    made = separability(rows, y)
    again = Verdict.from_json(made.to_json())
    assert again == made
    assert list(again.pairs) == list(made.pairs)
    assert again.certificate is not None
    assert again.certificate.verify(rows, y)


def test_the_parts_have_their_types_again() -> None:
    """The witness of XOR is all four rows with weight 1/4."""
    again = Verdict.from_json(separability(CORNERS, XOR).to_json())
    assert again.witness is not None
    assert again.witness.rows == [0, 1, 2, 3]
    assert [str(weight) for weight in again.witness.weights] == ["1/4"] * 4
    assert again.stuck.dtype == np.int64
    assert isinstance(again.certificate, Certificate)
    assert again.drawing is not None
    assert [point.tolist() for point in again.drawing.points] == [[0.5, 0.5]] * 2
    bounds = ErrorBounds.from_json(error_bounds(CORNERS, XOR).to_json())
    assert bounds.errors.dtype == np.int64
    assert bounds.witnesses == [[0, 1, 2, 3]]
    shift = MistakeBound.from_json(MADE["updates, centered"]().to_json()).shift
    assert shift is not None
    assert shift.tolist() == X.mean(axis=0).tolist()


def numbers_inside(value: Any) -> int:
    """Count the numbers of all arrays and lists in an object."""
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, dict):
        return sum(map(numbers_inside, value.values()))
    if isinstance(value, list | tuple | set):
        return sum(map(numbers_inside, value))
    if hasattr(value, "__dict__"):
        return numbers_inside(vars(value))
    return int(isinstance(value, int | float))


@pytest.mark.parametrize("rows", ["as_given", "centered", "rescaled"])
def test_a_bound_keeps_no_data(rows: Any) -> None:
    """600 and 6,000 rows on the same places: ten times the data, the same size of the result."""
    points, labels = np.tile(X, (4, 1)), np.tile(Y == 0, 4)
    many = mistake_bound(np.tile(points, (10, 1)), np.tile(labels, 10), rows=rows)
    few = mistake_bound(points, labels, rows=rows)
    assert numbers_inside(many) < 200
    assert numbers_inside(many) <= numbers_inside(few) + 20
    assert not any(hasattr(few, name) for name in ("X", "y", "bound", "centred", "rescaled"))


def test_the_most_updates_are_the_whole_number_of_the_words() -> None:
    """Setosa against the rest: (R/gamma)^2 is 221.78."""
    bound = mistake_bound(X, Y == 0)
    assert bound.bounds == pytest.approx((221.78, 221.78), abs=0.01)
    assert (bound.max_updates, type(bound.max_updates)) == (221, int)
    assert bound.explain().startswith("At most 221 updates, ")
    assert repr(bound) == "<MistakeBound: at most 221 updates (Novikoff)>"
    assert mistake_bound(CORNERS, XOR).max_updates is None


@pytest.mark.parametrize("rows", ["centred", "as given", None, True, 1])
def test_unknown_rows_are_refused(rows: Any) -> None:
    with pytest.raises(ParameterError, match=r"mistake_bound\(rows=...\) must be"):
        mistake_bound(CORNERS, AND, rows=rows)


CHANGES: list[tuple[str, Any, str]] = [
    ("overlap", {"kind": "maybe"}, "'kind', which must be one of strict"),
    ("overlap", {"n": "4"}, "'n', which must be a whole number"),
    ("overlap", {"n": True}, "'n', which must be a whole number"),
    ("overlap", {"stuck": [0.5]}, "'stuck', which must be a whole number"),
    ("overlap", {"witness": {"rows": [0]}}, "'witness', which lacks 'against'"),
    (
        "overlap",
        {"witness": {"rows": [0], "weights": ["1/0"], "against": None}},
        "has 'weights', which must be a fract",
    ),
    ("overlap", {"contradictions": [[1]]}, "'contradictions', which must be a list of 2"),
    ("overlap", {"pairs": {}}, "'pairs', which must be a list"),
    ("overlap", {"pairs": [{}]}, "'pairs', which is wrong: this is not a Verdict: it lacks"),
    ("overlap", {"certificate": {}}, "'certificate', which is wrong: this is not a certificate"),
    ("overlap", {"drawing": []}, "'drawing', which must be an object"),
    ("overlap", {"colour": 1}, "has the unknown part 'colour'"),
    ("overlap", {"row_labels": {"rows": [1], "labels": []}}, "must have one label for each row"),
    ("strict", {"hyperplane": {"w": [], "b": 0}}, "'hyperplane', which is wrong"),
    ("strict", {"margin_bounds": [1]}, "'margin_bounds', which must be a list of 2"),
    ("errors", {"errors": None}, "'errors', which must be a list"),
    ("errors", {"certificate": None}, "'certificate', which is wrong"),
    ("updates", {"theorem": "Fermat"}, "'theorem', which must be one of"),
    ("updates", {"bounds": [1, "x"]}, "'bounds', which must be a number"),
    ("updates", {"rows": "upside down"}, "'rows', which must be one of"),
]


@pytest.mark.parametrize(("name", "change", "why"), CHANGES, ids=str)
def test_a_changed_part_is_refused_in_a_sentence(name: str, change: dict[str, Any], why: str) -> None:
    made = MADE[name]()
    with pytest.raises(DataError, match=rf"^This is not an? {type(made).__name__}: ") as caught:
        type(made).from_dict({**made.to_dict(), **change})
    assert why in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("name", ["overlap", "errors", "updates"])
def test_a_missing_part_is_refused(name: str) -> None:
    made = MADE[name]()
    for part in made.to_dict():
        body = made.to_dict()
        del body[part]
        with pytest.raises(DataError, match=f"lacks '{part}'"):
            type(made).from_dict(body)


def test_infinite_bounds_are_texts() -> None:
    assert mistake_bound(CORNERS, XOR).to_dict()["bounds"] == ["inf", "inf"]
    assert MistakeBound.from_json(mistake_bound(CORNERS, XOR).to_json()).bounds == (math.inf, math.inf)
