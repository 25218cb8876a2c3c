"""The fewest errors of a hyperplane are between the bounds, and both bounds are proved."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs

from rosenblatt import Certificate, DataError, ErrorBounds, ParameterError, error_bounds, separability
from tests.support.effort import examples
from tests.support.separability_oracle import Vector, dot, is_combination, signed_rows

CORNERS, XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
Rows = list[list[int]]


def separable(Z: Sequence[Vector]) -> bool:
    return not Z or not is_combination(Z, some=True)


def fewest(X: Rows, y: list[int], *, bias: bool) -> int:
    """The fewest rows without which the others can all be strictly on their right side, by trying all subsets."""
    Z = signed_rows(X, y, bias=bias)
    for k in range(len(Z) + 1):
        for without in itertools.combinations(range(len(Z)), k):
            if separable([z for i, z in enumerate(Z) if i not in without]):
                return k
    raise AssertionError


def number(text: str) -> Fraction:
    """'-0x5p3' is -5 times 2^3."""
    digits, _, power = text.removeprefix("-").partition("p")
    return Fraction(int(digits, 16) * 2 ** int(power or "0") * (-1 if text.startswith("-") else 1))


def check(found: ErrorBounds, X: Any, y: list[int], *, bias: bool) -> None:
    """Check both bounds in fractions. X is a list of rows."""
    Z = signed_rows(X, y, bias=bias)
    assert found.n == len(X)
    assert 0 <= found.lower <= found.upper == len(found.errors) <= len(X)
    w = [number(text) for text in found.certificate.body["errors"]["hyperplane"]]
    assert found.errors.tolist() == [i for i, z in enumerate(Z) if dot(w, z) <= 0]
    assert len(found.witnesses) == found.lower
    rows = [i for witness in found.witnesses for i in witness]
    assert len(set(rows)) == len(rows)
    assert not any(separable([Z[i] for i in witness]) for witness in found.witnesses)
    assert found.certificate.claim == "errors"
    assert found.certificate.verify(X, y)
    assert Certificate.from_json(found.certificate.to_json()).verify(X, y)


@st.composite
def small(draw: st.DrawFn) -> tuple[Rows, list[int]]:
    """Small grids: many equal, collinear and contradicting rows."""
    n, d, size = draw(st.integers(2, 9)), draw(st.integers(1, 2)), draw(st.sampled_from([1, 2, 5]))
    X = draw(st.lists(st.lists(st.integers(-size, size), min_size=d, max_size=d), min_size=n, max_size=n))
    return X, draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))


@pytest.mark.parametrize("bias", [True, False])
@settings(max_examples=examples(1.5))
@given(small(), st.integers(0, 9))
def test_the_fewest_errors_are_between(bias: bool, data: tuple[Rows, list[int]], seed: int) -> None:
    X, y = data
    found = error_bounds(X, y, through_origin=not bias, time_limit=None, random_state=seed)
    check(found, X, y, bias=bias)
    least = fewest(X, y, bias=bias)
    assert min(1, least) <= found.lower <= least <= found.upper


def test_a_search_whose_steps_are_undone_by_rounding_ends() -> None:
    """A step that should make no error makes three by rounding, and the next one makes one again."""
    X, y = [[-1, 5], [2, 2], [2, 5], [5, 5], [4, 4], [-1, 0]], [1, 0, 1, 1, 0, 1]
    found = error_bounds(X, y, through_origin=True, time_limit=None, random_state=5)
    check(found, X, y, bias=False)
    assert found.lower <= fewest(X, y, bias=False) <= found.upper


@pytest.mark.parametrize(
    ("X", "y", "least"),
    [
        ([[0], [0]], [0, 1], 2),
        ([[0], [0], [1], [-1]], [0, 1, 1, 0], 2),
        ([[0, 0], [0, 0], [0, 0], [1, 2]], [0, 0, 1, 1], 3),
        ([[0], [0], [2]], [0, 0, 1], 2),
    ],
    ids=str,
)
def test_rows_of_zeros_are_on_every_hyperplane_through_the_origin(X: Rows, y: list[int], least: int) -> None:
    found = error_bounds(X, y, through_origin=True, time_limit=None)
    check(found, X, y, bias=False)
    assert found.lower == found.upper == least == fewest(X, y, bias=False)


@pytest.mark.parametrize(("n", "d", "seed"), [(30, 10, 1), (30, 10, 4), (60, 20, 1), (60, 20, 2), (60, 20, 3)])
def test_at_least_one_where_none_separates(n: int, d: int, seed: int) -> None:
    """The proof that no hyperplane separates the classes is used as a witness."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0).astype(int) ^ (rng.random(n) < 0.1)
    assert separability(X, y, detail=False).kind == "not_strict"
    found = error_bounds(X, y, time_limit=None)
    assert 1 <= found.lower <= found.upper
    assert found.certificate.verify(X, y)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[-3, -3], [1, 0], [3, -1], [-1, -1]], [0, 1, 0, 1]),
        ([[3, -3], [-2, -3], [2, 0], [3, -3], [2, 3], [2, -2], [-2, 3], [1, 3]], [0, 1, 1, 0, 1, 1, 1, 1]),
    ],
    ids=str,
)
def test_a_direction_that_is_nearly_along_the_hyperplane_gives_no_warning(X: Rows, y: list[int]) -> None:
    """A slope is nearly 0 instead of 0, so the step to the other side is beyond the range of floats."""
    found = error_bounds(X, y, through_origin=True, time_limit=None)
    check(found, X, y, bias=False)
    assert found.lower <= fewest(X, y, bias=False) <= found.upper


def test_the_ends_are_close_on_small_grids() -> None:
    """No theorem says how close the bounds are. That they are usually equal makes them useful."""
    rng, exact = np.random.default_rng(0), 0
    for _ in range(30):
        X, y = rng.integers(0, 4, (9, 2)).tolist(), [0, 1, *rng.integers(0, 2, 7).tolist()]
        found = error_bounds(X, y, time_limit=None)
        least = fewest(X, y, bias=True)
        assert found.lower <= least <= found.upper <= least + 1
        exact += found.lower == found.upper
    assert exact >= 15


@settings(max_examples=examples(0.5))
@given(st.lists(st.tuples(st.integers(-30, 30), st.booleans()), min_size=2, max_size=40))
def test_on_a_line_the_best_threshold_is_known(points: list[tuple[int, bool]]) -> None:
    """All thresholds are tried, between the numbers and outside, in both directions."""
    X, y = [[x] for x, _ in points], [int(label) for _, label in points]
    if len(set(y)) < 2:
        return
    cuts = [cut + 0.5 for cut in range(-31, 31)]
    least = min(sum((x > cut) != (label == side) for x, label in points) for cut in cuts for side in (True, False))
    found = error_bounds(X, y, time_limit=None)
    check(found, X, y, bias=True)
    assert found.lower <= least <= found.upper


@pytest.mark.parametrize(
    ("X", "y", "bias"),
    [
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], True),
        ([[1], [2], [3]], ["a", "a", "b"], True),
        ([[2], [-1]], [1, 0], False),
        ([[2**60], [2**60 + 1]], [0, 1], True),
    ],
    ids=str,
)
def test_none_where_a_hyperplane_separates(X: Rows, y: list[Any], bias: bool) -> None:
    found = error_bounds(X, y, through_origin=not bias)
    assert (found.lower, found.upper, found.errors.tolist(), found.witnesses) == (0, 0, [], [])
    assert found.certificate.verify(X, y)
    assert f"No errors are needed: the hyperplane has all {len(X)} rows" in found.explain()


def test_xor_needs_exactly_one() -> None:
    found = error_bounds(CORNERS, XOR)
    check(found, CORNERS, XOR, bias=True)
    assert (found.lower, found.upper, found.witnesses) == (1, 1, [[0, 1, 2, 3]])
    signs = np.where(np.array(XOR) == 1, 1, -1)
    assert (found.hyperplane.functional_margin(CORNERS, signs) <= 0).sum() == 1
    text = found.explain()
    assert "exactly 1 of 4" in text
    assert f"errs on row {found.errors[0]}." in text
    assert "rows 0, 1, 2 and 3" in text


@pytest.mark.parametrize("times", [2, 3, 5])
def test_xor_several_times_needs_as_many(times: int) -> None:
    """Copies do not share rows; a hyperplane that errs once on XOR errs once on each copy."""
    X, y = CORNERS * times, XOR * times
    found = error_bounds(X, y, time_limit=None)
    check(found, X, y, bias=True)
    assert (found.lower, found.upper) == (times, times)
    assert f"at least {times} times" in found.explain()


@pytest.mark.parametrize("pairs", [1, 4, 10])
def test_contradictions_count_one_each(pairs: int) -> None:
    X = [[i, i * i] for i in range(pairs) for _ in range(2)]
    y = [0, 1] * pairs
    found = error_bounds(X, y, time_limit=None)
    check(found, X, y, bias=True)
    assert found.lower == found.upper == pairs
    assert sorted(found.witnesses) == [[2 * i, 2 * i + 1] for i in range(pairs)]


def test_the_hyperplane_in_floats_errs_on_the_rows_listed() -> None:
    X, y = make_blobs(200, centers=[[0, 0], [2, 2]], random_state=4)
    found = error_bounds(X, y, time_limit=2.0)
    wrong = found.hyperplane.functional_margin(X, np.where(y == 1, 1, -1)) <= 0
    assert np.flatnonzero(wrong).tolist() == found.errors.tolist()
    assert 0 < found.lower <= found.upper < 40
    assert found.certificate.verify(X, y)
    assert repr(found) == f"<ErrorBounds: {found.lower} to {found.upper} of 200 rows>"


def test_iris() -> None:
    """Versicolor and virginica overlap; Fisher's discriminant (1936) errs on 3 of the 100."""
    X, y = load_iris(return_X_y=True)
    found = error_bounds(X[50:], y[50:], time_limit=None)
    assert 1 <= found.lower <= found.upper <= 3
    assert found.certificate.verify(X[50:], y[50:])


@pytest.mark.parametrize("time_limit", [1e-9, 0.01, 0.3])
def test_a_short_time_limit_gives_a_true_interval(time_limit: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 5)), np.arange(2000) % 2
    found = error_bounds(X, y, time_limit=time_limit)
    assert found.lower <= found.upper <= 1000  # all of one class
    assert found.certificate.verify(X, y)


@pytest.mark.parametrize("time_limit", [0, -1, math.nan, True, "soon", [1]])
def test_bad_time_limit(time_limit: Any) -> None:
    with pytest.raises(ParameterError, match="time_limit must be a number of seconds above 0, or None, not"):
        error_bounds(CORNERS, XOR, time_limit=time_limit)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_bad_seed(seed: Any) -> None:
    with pytest.raises(ParameterError, match="random_state"):
        error_bounds(CORNERS, XOR, random_state=seed)


def test_the_same_seed_gives_the_same_answer() -> None:
    X, y = make_blobs(80, centers=[[0, 0], [1, 1]], random_state=2)
    one, two = (error_bounds(X, y, time_limit=None, random_state=3) for _ in range(2))
    assert one.certificate == two.certificate
    assert one.hyperplane == two.hyperplane
    other = error_bounds(X, y, time_limit=None, random_state=4)
    assert other.lower <= one.upper
    assert one.lower <= other.upper


def test_forms_and_names() -> None:
    X, y = make_blobs(60, centers=[[0, 0], [2, 1]], random_state=2)
    labels = np.array(["no", "yes"])[y]
    for form in (X.tolist(), scipy.sparse.csr_array(X), pd.DataFrame(X, columns=["a", "b"])):
        found = error_bounds(form, labels, time_limit=None)
        assert found.certificate.verify(X, labels)
        assert found.certificate.body["data"]["labels"] == ["no", "yes"]
        assert 1 <= found.lower <= found.upper <= 20


def test_integers_beyond_floats_stay_exact() -> None:
    """2^60, 2^60 + 1, 2^60 + 2 with labels 0, 1, 0 are one number to a float; in order, they need one error."""
    X = [[2**60], [2**60 + 1], [2**60 + 2]]
    found = error_bounds(X, [0, 1, 0])
    check(found, X, [0, 1, 0], bias=True)
    assert (found.lower, found.upper) == (1, 1)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1], [2], [3]], [0, 1, 2], "two classes; y has 3"),
        ([[1], [2]], [1, 1], "at least 2 classes"),
        ([[1], [math.inf]], [0, 1], "row 1, column 0"),
        ([[1], [2]], [0], "2 rows but y has 1"),
    ],
    ids=str,
)
def test_bad_data(X: Any, y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        error_bounds(X, y)


def test_a_forged_interval_is_refused() -> None:
    found = error_bounds(CORNERS, XOR)
    part = found.certificate.body["errors"]
    for change in (
        {"lower": 2},
        {"lower": 2, "witnesses": [[0, 1, 2, 3], [0, 1, 2, 3]]},
        {"upper": 0, "rows": []},
        {"upper": 0},
        {"witnesses": [[0, 1, 2]]},
    ):
        forged = found.certificate.extended(errors={**part, **change})
        assert not forged.verify(CORNERS, XOR), change
