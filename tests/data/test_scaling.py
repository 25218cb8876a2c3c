"""Scaling: exact sums against fractions; the same bits for any chunks, order and storage."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import DataError
from rosenblatt.data.column_sums import SMALLEST_NORMAL
from rosenblatt.data.compiled import columns
from rosenblatt.data.scaling import How, Scaling
from rosenblatt.data.validation import rows as as_rows

HOWS: tuple[How, ...] = ("standardize", "center", "divide", "unit")
BY_COLUMN = HOWS[:3]

wild = st.floats(-1e300, 1e300) | st.sampled_from([1e300, -1e300, 1e-300, -3e-300, 2.0**450, 2.0**-450, 0.0, 1.0])
offset = st.integers(-(2**20), 2**20).map(lambda k: 1e9 + k * 2.0**-20)  # 1e9 plus noise of less than 1
tame = st.floats(-1e3, 1e3).map(lambda v: v if abs(v) > 1e-30 else 0.0)
plain = st.integers(-5, 5).map(float)
TABLES = [wild, offset, tame, plain, wild | tame | st.just(0.0)]


def table(data: st.DataObject, numbers: st.SearchStrategy[float], rows: int = 12) -> Any:
    n, d = data.draw(st.integers(1, rows)), data.draw(st.integers(1, 4))
    return np.array(data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))


def column_of(X: Any, j: int) -> list[Fraction]:
    return [Fraction(float(v)) for v in X[:, j]]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def exact_square(how: str, values: list[Fraction]) -> Fraction:
    """The square of what a column is divided by."""
    middle = mean(values) if how == "standardize" else Fraction(0)
    return mean([(v - middle) ** 2 for v in values])


def is_nearest_root(root: float, square: Fraction) -> bool:
    """Is no float closer to the root of the square?"""
    below, above = ((Fraction(root) + Fraction(math.nextafter(root, end))) / 2 for end in (0.0, math.inf))
    return below**2 <= square <= above**2


def found(scaling: Scaling) -> Any:
    return scaling.centre_, scaling.scale_, scaling.constant_


def bits(scaling: Scaling) -> Any:
    return [None if part is None else part.tobytes() for part in found(scaling)], scaling.n_samples_seen_


def fitted_to(X: Any, how: Any) -> tuple[Scaling, Any]:
    """A Scaling and what it makes of X, if it can."""
    scaling, out = Scaling(how), None
    try:
        out = scaling.fit(X).transform(X)
    except DataError:
        assume(False)
    return scaling, out


def blobs(seed: int = 0, n: int = 60, d: int = 4, k: int = 2) -> tuple[Any, Any]:
    """Columns in very different units, whose classes differ."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return (rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y]) * 10.0 ** rng.integers(-3, 4, d) + 5, y


# ---------------------------------------------------------------------------------------------------------------------
# What is learned, in fractions


@pytest.mark.parametrize("numbers", range(len(TABLES)))
@pytest.mark.parametrize("how", BY_COLUMN)
@given(data=st.data())
def test_centre_and_scale_are_the_floats_nearest_to_the_exact_ones(how: Any, numbers: int, data: st.DataObject) -> None:
    X = table(data, TABLES[numbers])
    exact = [column_of(X, j) for j in range(X.shape[1])]
    squares = [exact_square(how, values) for values in exact]
    if how != "center" and any(0 < square < Fraction(SMALLEST_NORMAL) ** 2 for square in squares):
        with pytest.raises(DataError, match="too small to divide by"):
            Scaling(how).fit(X)
        return
    centre, scale, constant = found(Scaling(how).fit(X))
    assert constant.tolist() == [j for j, values in enumerate(exact) if len(set(values)) == 1]
    assert (centre is None, scale is None) == (how == "divide", how == "center")
    if how != "divide":
        assert centre.tolist() == [float(mean(values)) for values in exact]
    if how != "center":
        for root, square in zip(scale.tolist(), squares, strict=True):
            assert is_nearest_root(root, square) if square else root == 1


def test_by_hand() -> None:
    X = [[1.0, 7.0, 0.0], [3.0, 7.0, 0.0], [1.0, 7.0, 0.0], [3.0, 7.0, 0.0]]
    scaling = Scaling().fit(X)
    assert [part.tolist() for part in found(scaling)] == [[2, 7, 0], [1, 1, 1], [1, 2]]
    assert scaling.transform(X).tolist() == [[-1, 0, 0], [1, 0, 0]] * 2
    _, scale, constant = found(Scaling("divide").fit([[3.0, 0, 5], [4.0, 0, 5], [0.0, 0, 5], [0.0, 0, 5]]))
    assert (scale.tolist(), constant.tolist()) == ([2.5, 1, 5], [1, 2])
    assert Scaling("unit").fit_transform([[3.0, 4.0], [0.0, 0.0]]).tolist() == [[0.6, 0.8], [0, 0]]
    assert found(Scaling("unit").fit(X)) == (None, None, None)


@pytest.mark.parametrize("noise", [2.0**-20, 2.0**-10, 1.0])
def test_a_billion_plus_noise_does_not_cancel(noise: float) -> None:
    """Sums of squares with twice the digits of a float would be wrong here, and with its digits all noise."""
    rng = np.random.default_rng(0)
    X = 1e9 + noise * rng.integers(0, 2, (5000, 1))
    p = Fraction(int((X > 1e9).sum()), len(X))
    scale = float(found(Scaling().fit(X))[1][0])
    assert is_nearest_root(scale, Fraction(noise) ** 2 * p * (1 - p))
    naive = math.sqrt(max(0.0, float((X**2).mean() - X.mean() ** 2)))
    assert abs(naive / scale - 1) > 0.1


def test_what_is_spilled_more_often_than_the_list_is_long() -> None:
    """Exponents so wide apart that nearly every number leaves something over."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(7000, 2)) * 10.0 ** rng.integers(-290, 290, (7000, 2))
    centre, scale, _ = found(Scaling().fit(X))
    for j in range(2):
        values = column_of(X, j)
        assert centre[j] == float(mean(values))
        assert is_nearest_root(float(scale[j]), exact_square("standardize", values))


@pytest.mark.parametrize(("beyond", "scale"), [(0.0, 1.0), (2.0**-58, 1 + 2.0**-52), (2.0**-300, 1 + 2.0**-52)])
def test_a_root_half_way_between_two_floats(beyond: float, scale: float) -> None:
    """The mean of 4, 2^-50 and 2^-104, over four rows, is (1 + 2^-53)^2: a tie, unless there is a little more."""
    X = [[2.0], [2.0**-25], [2.0**-52], [beyond]]
    assert found(Scaling("divide").fit(X))[1].tolist() == [scale]


@given(st.data())
def test_compiled_and_interpreted_sums_agree(data: st.DataObject) -> None:
    X = table(data, wild | tame)
    answers = []
    rules: list[Any] = [columns.sums, columns.sums.run_as_python]
    for rule in rules:
        parts, left = np.zeros((columns.PARTS, X.shape[1])), np.zeros((3, X.shape[1]))
        spill = columns.Spill(np.zeros(200, np.int64), np.zeros(200), np.zeros(200))
        with np.errstate(under="ignore"):
            done, filled = rule(as_rows(X, 0.0), 0, len(X), True, parts, spill, left)
        answers.append((done, filled, parts.tobytes(), *(part[:filled].tobytes() for part in spill)))
    assert answers[0] == answers[1]


# ---------------------------------------------------------------------------------------------------------------------
# Chunks, order, storage


@pytest.mark.parametrize("how", HOWS)
@given(data=st.data())
def test_chunks_order_and_precision_do_not_count(how: Any, data: st.DataObject) -> None:
    X = table(data, data.draw(st.sampled_from(TABLES)))
    whole, _ = fitted_to(X, how)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    order = data.draw(st.permutations(range(len(X))))
    for rows in (X, X[order], np.asfortranarray(X)):
        parts = Scaling(how)
        for start, stop in zip([0, *cuts], [*cuts, len(X)], strict=True):
            if start < stop:
                parts.partial_fit(rows[start:stop])
        assert bits(parts) == bits(whole)
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    if np.isfinite(single).all():
        assert bits(Scaling(how).partial_fit(single)) == bits(Scaling(how).partial_fit(single.astype(np.float64)))


@pytest.mark.parametrize("how", ["divide", "unit"])
@given(data=st.data())
def test_dense_equals_sparse_to_the_last_bit(how: Any, data: st.DataObject) -> None:
    X = table(data, data.draw(st.sampled_from(TABLES)))
    X[np.array(data.draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size))).reshape(X.shape)] = 0
    dense, out = fitted_to(X, how)
    stored = scipy.sparse.csr_array(X)
    with_zeros = scipy.sparse.csr_array(np.where(X == 0, 1.0, X))
    with_zeros.data[X.ravel() == 0] = 0
    for sparse in (stored, scipy.sparse.csc_array(X), scipy.sparse.csr_matrix(X), with_zeros):
        scaling = Scaling(how).fit(sparse)
        assert bits(scaling) == bits(dense)
        scaled = scaling.transform(sparse)
        assert scipy.sparse.issparse(scaled)
        assert scaled.nnz == sparse.nnz  # what is stored stays stored, and nothing else is
        assert (scaled.toarray() + 0.0).tobytes() == (out + 0.0).tobytes()  # -0 is 0, and is not stored
        halves = Scaling(how)
        for chunk in (sparse.tocsr()[: len(X) // 2], sparse.tocsr()[len(X) // 2 :]):
            if chunk.shape[0]:
                halves.partial_fit(chunk)
        assert bits(halves) == bits(dense)


def test_a_matrix_stays_of_its_kind_and_shares_nothing() -> None:
    X = scipy.sparse.random(30, 8, density=0.3, format="csr", random_state=0)
    out = Scaling("divide").fit_transform(X)
    assert type(out) is type(X)
    assert not any(np.shares_memory(a, b) for a, b in [(out.indices, X.indices), (out.indptr, X.indptr)])
    dense = np.array([[1.0, 2.0], [3.0, 5.0]])
    for how in HOWS:
        assert not np.shares_memory(Scaling(how).fit_transform(dense), dense)
    assert dense.tolist() == [[1, 2], [3, 5]]


@pytest.mark.parametrize("how", HOWS)
def test_float32_gives_float32_and_all_else_float64(how: Any) -> None:
    X = np.array([[1, 2], [3, 5], [4, 4]])
    wide = Scaling(how).fit_transform(X)
    assert wide.dtype == np.float64
    for form in (X.astype(np.int8), X.tolist(), X.astype(float)):
        assert Scaling(how).fit_transform(form).tobytes() == wide.tobytes()
    single = Scaling(how).fit_transform(X.astype(np.float32))
    assert single.tobytes() == wide.astype(np.float32).tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# Rows and columns that are scaled, and scaled back


@pytest.mark.parametrize("how", BY_COLUMN)
@given(data=st.data())
def test_transform_is_the_formula_and_inverse_takes_it_back(how: Any, data: st.DataObject) -> None:
    X = table(data, data.draw(st.sampled_from(TABLES[1:4])))
    scaling = Scaling(how).fit(X)
    centre, scale = (v if v is not None else other for v, other in ((scaling.centre_, 0.0), (scaling.scale_, 1.0)))
    out = scaling.transform(X)
    assert out.tobytes() == (((X - centre) / scale) + 0.0).tobytes()
    again = scaling.inverse_transform(out)
    assert np.abs(again - X).max() <= 2.0**-50 * np.abs(X).max()
    if how != "divide":
        assert not out[:, scaling.constant_].any()


@given(st.data())
def test_units_are_within_their_bound_of_the_exact_ones(data: st.DataObject) -> None:
    X = table(data, data.draw(st.sampled_from([wild, tame, plain, wild | st.sampled_from([1.7e308, 5e-324])])), rows=3)
    out = Scaling("unit").fit_transform(X)
    for x, u in zip(X.tolist(), out.tolist(), strict=True):
        square, slack = sum((Fraction(v) ** 2 for v in x), Fraction(0)), 3 * Fraction(2) ** -53
        for v, w in zip(x, u, strict=True):
            assert (w > 0) - (w < 0) == (v > 0) - (v < 0) or abs(w) == 0  # it may underflow
            if abs(w) > 2.0**-1000:
                at = Fraction(w) ** 2 * square / Fraction(v) ** 2
                assert (1 - slack) ** 2 <= at <= (1 + slack) ** 2
        if any(x):
            assert math.hypot(*u) == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("value", [0.1, 1e-300, 1.7e308])
def test_units_of_long_rows(value: float) -> None:
    """A plain sum of so many equal squares is off by some dozen roundings."""
    out = Scaling("unit").fit_transform(np.full((1, 30000), value))
    assert out[0, 0] == out[0, -1] == pytest.approx(1 / math.sqrt(30000), rel=3 * 2.0**-53, abs=0)


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learns_scalers(seed: int) -> None:
    X, _ = blobs(seed)
    ours, theirs = Scaling().fit(X), StandardScaler().fit(X)
    np.testing.assert_allclose(found(ours)[:2], [theirs.mean_, theirs.scale_], rtol=1e-13)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(Scaling("unit").fit_transform(X), Normalizer().fit_transform(X), rtol=1e-14)
    centred = StandardScaler(with_std=False).fit_transform(X)
    np.testing.assert_allclose(Scaling("center").fit_transform(X), centred, rtol=1e-9, atol=1e-12)
    sparse = scipy.sparse.random(50, 9, density=0.4, format="csr", random_state=seed)
    np.testing.assert_allclose(
        Scaling("unit").fit_transform(sparse).toarray(), Normalizer().fit_transform(sparse).toarray(), rtol=1e-14
    )


@parametrize_with_checks([Scaling(how) for how in HOWS])  # type: ignore[untyped-decorator]
def test_sklearn_contract(estimator: Any, check: Any) -> None:
    check(estimator)
