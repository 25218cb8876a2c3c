"""The HTML of a verdict in a notebook: first the kind, then the evidence, and a sketch of data in the plane."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Verdict, separability
from tests.support.html_reader import captioned, seen, told

CORNERS, XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]


@pytest.mark.parametrize("kind", ["strict", "weak", "overlap", "not_strict", "undecided"])
def test_the_verdict_is_the_first_word_and_bold(kind: Any) -> None:
    page = seen(Verdict(kind, ["a", "b"], n=7))
    first = next(page.all("p"))
    assert first.text == f"{kind}, 7 rows"
    assert next(page.all("b")).text == kind


def test_margin_and_equation_are_those_of_the_verdict() -> None:
    """The nearest rows are 1 and 3, so that the largest margin is 1."""
    verdict = separability(pd.DataFrame({"size": [0, 1, 3]}), [0, 0, 1])
    assert verdict.margin_bounds is not None
    assert verdict.hyperplane is not None
    fact = told(seen(verdict))
    low, *high = map(float, fact["margin_bounds"].split(" to "))
    assert (low, *(high or [low])) == verdict.margin_bounds
    assert low == pytest.approx(1)
    assert fact["hyperplane"] == verdict.hyperplane.equation(feature_names=["size"])
    assert "size" in fact["hyperplane"]


def test_many_weights_are_no_equation() -> None:
    X = np.eye(9)
    assert "hyperplane" in told(seen(separability(X[:, :8], X[:, 0])))
    assert "hyperplane" not in told(seen(separability(X, X[:, 0])))


def test_a_witness_is_a_table_of_rows_and_exact_weights() -> None:
    grid = captioned(seen(separability(CORNERS, XOR)), "witness")
    assert grid.rows() == [["row", "weight"], *([str(i), "1/4"] for i in range(4))]


def test_of_many_rows_the_first_are_shown() -> None:
    """Ten corners with weight 1/20 each, against the row in their middle with weight 1/2."""
    X = np.vstack([10 * np.eye(10, dtype=int), np.ones(10, dtype=int)])
    grid = captioned(seen(separability(X, [0] * 10 + [1])), "witness")
    assert grid.rows()[1:] == [*([str(i), "1/20"] for i in range(8)), ["and 3 more"]]


def test_long_fractions_are_decimals() -> None:
    """Row a with weight 1/2 lies between b and c. Their weights are in the ratio of the distances, crosswise."""
    b, c = 10**7, 3 * 10**7 + 1
    shares = Fraction(c, 2 * (b + c)), Fraction(b, 2 * (b + c))
    grid = captioned(seen(separability([[-b], [c], [0]], ["x", "x", "y"])), "witness")
    assert grid.rows()[1:] == [["0", f"{float(shares[0]):.6g}"], ["1", f"{float(shares[1]):.6g}"], ["2", "1/2"]]


def test_a_witness_of_many_classes_names_the_other_class() -> None:
    verdict = separability([[0], [1], [1], [2]], ["a", "b", "c", "c"])
    assert verdict.witness is not None
    head, *body = captioned(seen(verdict), "witness").rows()
    assert head == ["row", "weight", "against"]
    assert [int(row) for row, _, _ in body] == verdict.witness.rows
    assert [other for _, _, other in body] == verdict.witness.against
    assert sum(Fraction(weight) for _, weight, _ in body) == 1


def test_contradictions_are_listed() -> None:
    X = [[i] for i in range(10) for _ in range(2)]
    fact = told(seen(separability(X, [0, 1] * 10)))
    assert fact["contradictions"] == ", ".join([*(f"{2 * i} and {2 * i + 1}" for i in range(8)), "2 more"])
    fact = told(seen(separability(X[:4], [0, 1] * 2)))
    assert fact["contradictions"] == "0 and 1, 2 and 3"


def test_pairs_of_classes_are_a_matrix() -> None:
    """The number 1 occurs in classes b and c, and c also has the number 2."""
    grid = captioned(seen(separability([[0], [1], [1], [2]], ["a", "b", "c", "c"])), "pairs")
    assert grid.rows() == [["", "b", "c"], ["a", "strict", "strict"], ["b", "", "weak"]]


def test_pairs_of_very_many_classes_are_left_to_words() -> None:
    html = [separability(np.arange(k)[:, np.newaxis], range(k))._repr_html_() for k in (12, 13)]
    assert [">pairs<" in text for text in html] == [True, False]


def test_the_certificate_is_folded_away() -> None:
    verdict = separability(CORNERS, XOR)
    assert verdict.certificate is not None
    folded = next(seen(verdict).all("details"))
    assert next(folded.all("summary")).text == "certificate"
    assert [verdict.certificate.body["data"]["digest"]] in [row[1:] for row in folded.rows()]


# ---------------------------------------------------------------------------------------------------------------------
# Sketches: 200 x 100 in a frame of 30, heights upwards


def polygons(verdict: Verdict) -> list[str | None]:
    return [node.attributes["points"] for node in seen(verdict).all("polygon")]


def texts(verdict: Verdict) -> dict[tuple[str | None, str | None], str]:
    return {(node.attributes["x"], node.attributes["y"]): node.text for node in seen(verdict).all("text")}


def test_crossing_segments_are_drawn() -> None:
    verdict = separability(CORNERS, XOR)
    assert polygons(verdict)[1:] == ["30.0,130.0 230.0,30.0", "30.0,30.0 230.0,130.0"]
    signs = texts(verdict)
    assert signs["130.0", "80.0"] == "×"  # noqa: RUF001
    assert (signs["30.0", "130.0"], signs["30.0", "30.0"]) == ("●", "■")
    assert (signs["16.0", "140.0"], signs["244.0", "20.0"]) == ("0", "1")
    assert "● even ■ odd" in seen(verdict).text


def test_nearest_points_and_the_hyperplane_are_drawn() -> None:
    """(0, 1) and (3, 1) are nearest; the line is half-way between them and reaches a tenth beyond the box."""
    dashed, own, other, line = polygons(separability([[0, 0], [0, 2], [3, 1], [5, 1]], ["a", "a", "b", "b"]))
    assert dashed == "30.0,80.0 230.0,80.0"
    assert (own, other) == ("30.0,130.0 30.0,30.0", "230.0,80.0")
    assert line in ("130.0,140.0 130.0,20.0", "130.0,20.0 130.0,140.0")


def test_a_column_of_equal_numbers_is_in_the_middle() -> None:
    dashed, *_ = polygons(separability([[0, 7], [1, 7]], ["a", "b"]))
    assert dashed == "30.0,80.0 230.0,80.0"


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: separability([[0], [1]], [0, 1]),
        lambda: separability(np.eye(3), [0, 1, 1]),
        lambda: separability(CORNERS, XOR, through_origin=True),
        lambda: separability([[-1.7e308, 0], [1.7e308, 1]], [0, 1]),
    ],
    ids=["line", "space", "through the origin", "beyond floats"],
)
def test_what_is_not_of_the_plane_is_not_drawn(verdict: Callable[[], Verdict]) -> None:
    assert list(seen(verdict()).all("svg")) == []


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=2, max_size=6), st.data())
def test_a_sketch_stays_in_its_frame(points: Any, data: st.DataObject) -> None:
    y = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)).filter(lambda y: len(set(y)) > 1))
    for places in polygons(separability(points, y)):
        for place in (places or "").split():
            x, height = map(float, place.split(","))
            assert 10 <= x <= 250
            assert 20 <= height <= 140
