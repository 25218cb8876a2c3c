"""The nearest mean: distances in fractions, Voronoi cells, weights as copies, and independence of the order of rows."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import Voronoi
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import NearestCentroid

from rosenblatt import DataError, NearestMean, regions
from tests.base.test_regions import side
from tests.support import oracle

Table = tuple[list[list[int]], list[int]]
Point = list[Fraction]


@st.composite
def tables(draw: st.DrawFn, size: int = 4, counts: Any = (1, 2, 4)) -> Table:
    """Whole numbers; with 1, 2 or 4 rows per class the means and all scores are exact in floats."""
    k, d = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    y = draw(st.permutations([c for c in range(k) for _ in range(draw(st.sampled_from(counts)))]))
    row = st.lists(st.integers(-size, size), min_size=d, max_size=d)
    return draw(st.lists(row, min_size=len(y), max_size=len(y))), y


def exact_means(X: Any, y: Any) -> list[Point]:
    means = []
    for c in range(max(y) + 1):
        own = [x for x, label in zip(X, y, strict=True) if label == c]
        means.append([Fraction(sum(column), len(own)) for column in zip(*own, strict=True)])
    return means


def squared(a: Any, b: Any) -> Fraction:
    return sum(((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))


def blobs(k: int, seed: int, d: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(20 * k) % k
    return rng.normal(size=(len(y), d)) + 2 * rng.normal(size=(k, d))[y], y


# ---------------------------------------------------------------------------------------------------------------------
# Which mean is nearest


@given(tables(), st.data())
def test_the_nearest_in_fractions_and_of_several_the_earlier(table: Table, data: st.DataObject) -> None:
    X, y = table
    d, means = len(X[0]), exact_means(X, y)
    model = NearestMean().fit(X, y)
    assert model.means_.tolist() == means
    halves = st.integers(-12, 12).map(lambda v: v / 2)
    points: list[list[float]] = [[float(v) for v in x] for x in X]
    points += data.draw(st.lists(st.lists(halves, min_size=d, max_size=d), max_size=5))
    points += [[float(u + v) / 2 for u, v in zip(means[0], means[-1], strict=True)]]  # a tie, if nothing is nearer
    expected = [min(range(len(means)), key=lambda c: squared(p, means[c])) for p in points]
    assert model.predict(points).tolist() == expected
    scores = [[oracle.dot(m, [*map(Fraction, p)]) - oracle.dot(m, m) / 2 for m in means] for p in points]
    expected_scores = [b - a for a, b in scores] if len(means) == 2 else scores
    assert model.decision_function(points).tolist() == expected_scores


@given(tables(size=1000, counts=range(1, 8)))
def test_means_are_the_exact_ones_to_the_nearest_float(table: Table) -> None:
    X, y = table
    expected = [[float(v) for v in mean] for mean in exact_means(X, y)]
    for rows in (
        X,
        np.array(X, dtype=np.float32),
        scipy.sparse.csr_array(np.array(X, dtype=float)),
        np.array(X, dtype=np.int16),
    ):
        assert NearestMean().fit(rows, y).means_.tolist() == expected


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("k", "d"), [(2, 1), (2, 4), (3, 2), (6, 2), (5, 10)])
def test_scikit_learns_nearest_centroid(k: int, d: int, seed: int) -> None:
    X, y = blobs(k, seed, d)
    points = np.random.default_rng(seed).uniform(-5, 5, (300, d))
    ours, theirs = NearestMean().fit(X, y), NearestCentroid().fit(X, y)
    np.testing.assert_allclose(ours.means_, theirs.centroids_, rtol=1e-12, atol=1e-12)
    assert ours.predict(points).tolist() == theirs.predict(points).tolist()
    if k > 2:
        assert ours.coef_.tolist() == ours.means_.tolist()
    else:
        middle = ours.means_.mean(axis=0)
        assert ours.hyperplane_.distance(middle) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("offset", [0, 2.0**20, 2.0**30, 2.0**40])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_which_mean_is_nearest_does_not_depend_on_where_zero_is(k: int, offset: float) -> None:
    """Whole numbers moved by a power of two: the distances stay exactly the same; ties may go either way."""
    X = np.array([[4 * c, (-1) ** c] for c in range(k)], dtype=float)
    points = np.random.default_rng(k).integers(-10, 20, (200, 2)).astype(float)
    ranked = [sorted((squared(p, x), c) for c, x in enumerate(X.tolist())) for p in points.tolist()]
    sure = np.array([second > first for (first, _), (second, _), *_ in ranked])
    model = NearestMean().fit(X + offset, range(k))
    assert sure.sum() > 150
    assert model.means_.tolist() == (X + offset).tolist()
    assert model.predict(points + offset)[sure].tolist() == [
        row[0][1] for row, yes in zip(ranked, sure, strict=True) if yes
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Voronoi


@pytest.mark.parametrize("seed", range(5))
def test_regions_are_the_voronoi_cells_of_the_means(seed: int) -> None:
    """Two rows a class, on both sides of its mean, a whole number."""
    rng = np.random.default_rng(seed)
    means, gap = rng.integers(0, 1000, (30, 2)), rng.integers(-50, 50, (30, 2))
    model = NearestMean().fit(np.concatenate([means - gap, means + gap]), [*range(30)] * 2)
    found = {region.label: region for region in regions(model, (0, 1000, 0, 1000))}
    diagram, compared = Voronoi(means), 0
    for c, region in found.items():
        assert side(region, *means[c].tolist()) > 0
        for corner in region.vertices:
            distances = [squared(corner, mean) for mean in means.tolist()]
            nearest = [i for i, distance in enumerate(distances) if distance == min(distances)]
            walls = sum(v in (0, 1000) for v in corner)
            assert c in nearest
            assert len(nearest) + walls >= 3  # where two lines meet: borders with other cells, or walls of the box
        cell = diagram.regions[diagram.point_region[c]]
        at = diagram.vertices[cell]
        if -1 not in cell and at.min() > 0 and at.max() < 1000:
            ours = region.polygon
            assert len(ours) == len(at)
            gaps = np.linalg.norm(ours[:, None] - at[None, :], axis=2)
            assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-7
            compared += 1
    assert compared >= 5


# ---------------------------------------------------------------------------------------------------------------------
# Weights, order, storage, names


@given(tables(counts=range(1, 5)), st.data())
def test_a_weight_of_k_is_k_copies(table: Table, data: st.DataObject) -> None:
    X, y = table
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    for c in range(max(y) + 1):  # each class must keep some row
        weights[y.index(c)] += 1
    copies = [i for i, weight in enumerate(weights) for _ in range(weight)]
    weighed = NearestMean().fit(X, y, sample_weight=weights)
    copied = NearestMean().fit([X[i] for i in copies], [y[i] for i in copies])
    assert weighed.means_.tobytes() == copied.means_.tobytes()
    assert weighed.coef_.tobytes() == copied.coef_.tobytes()
    assert NearestMean().fit(X, y, sample_weight=2.0).means_.tobytes() == NearestMean().fit(X, y).means_.tobytes()


def wide(rng: Any, shape: tuple[int, int]) -> Any:
    """Multiples of 2^-50 up to 2^40, of all sizes: plain sums round, sums with twice the digits do not."""
    exponents = rng.integers(0, 38, shape)
    return rng.integers(-(2**52), 2**52, shape) * 2.0 ** (exponents - 50)


@pytest.mark.parametrize("seed", range(20))
def test_sums_do_not_round_so_that_order_and_storage_do_not_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = wide(rng, (60, 4)) * (rng.random((60, 4)) < 0.6)
    model = NearestMean().fit(X, y)
    plain = np.array([X[y == c].sum(axis=0) / 20 for c in range(3)])
    exact = [[math.fsum(X[y == c, j]) / 20 for j in range(4)] for c in range(3)]
    assert model.means_.tolist() == exact != plain.tolist()
    for _ in range(5):
        order = rng.permutation(60)
        for rows in (
            X[order],
            scipy.sparse.csr_array(X[order]),
            scipy.sparse.csc_array(X[order]),
            np.asfortranarray(X)[order],
        ):
            again = NearestMean().fit(rows, y[order])
            assert again.means_.tobytes() == model.means_.tobytes()
            assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()


@given(tables(counts=range(1, 5)), st.randoms(use_true_random=False))
def test_other_names_for_the_classes(table: Table, random: Any) -> None:
    X, y = table
    names = random.sample("abcdefgh", max(y) + 1)
    ours, theirs = NearestMean().fit(X, y), NearestMean().fit(X, [names[c] for c in y])
    column = [theirs.classes_.tolist().index(name) for name in names]
    assert theirs.means_[column].tobytes() == ours.means_.tobytes()
    means = exact_means(X, y)
    for x, answer, named in zip(X, ours.predict(X), theirs.predict(X), strict=True):
        ranked = sorted(squared(x, mean) for mean in means)
        if ranked[0] < ranked[1]:
            assert named == names[answer]


# ---------------------------------------------------------------------------------------------------------------------
# The edge


def test_by_hand() -> None:
    """Means (0, 1) and (4, 1): the boundary is x = 2."""
    model = NearestMean().fit([[0, 0], [0, 2], [4, 0], [4, 2]], ["left", "left", "right", "right"])
    assert model.means_.tolist() == [[0, 1], [4, 1]]
    assert (model.coef_.tolist(), model.intercept_.tolist()) == ([[4, 0]], [-8])
    assert model.predict([[2, 7], [2.1, 7]]).tolist() == ["left", "right"]
    assert model.predict_one([9, 9]) == "right"
    assert model.geometric_margin([[5, 0]], ["right"]).tolist() == [3]
    assert not model.fit([[1, 0], [0, 1]] * 2, [0, 0, 1, 1]).coef_.any()  # one mean: all rows tie
    assert model.predict([[3, 3]]).tolist() == [0]


@pytest.mark.parametrize("large", [1.4e154, 1e200, 1e300, 1.7e308])
def test_means_whose_squares_overflow_are_refused_and_leave_the_model(large: float) -> None:
    model = NearestMean().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="too large for floats to hold their squares; bring X closer to 1"):
        model.fit([[large, 0], [0, 1], [1, 0]], [0, 1, 2])
    assert (model.means_.tolist(), model.n_features_in_) == ([[0], [1]], 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], r"one number for each of the 3 rows; its shape is \(2,\)"),
        ([1, -1, 1], r"sample_weight\[1\] is -1.0"),
        ([1, math.nan, 1], r"sample_weight\[1\] is nan"),
        ([1, math.inf, 1], r"sample_weight\[1\] is inf"),
        (["a", 1, 1], "must hold a number for each row"),
        ([1, 1, 0], "zero for every row of class 1"),
    ],
)
def test_weights_that_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NearestMean().fit([[0], [1], [2]], [0, 0, 1], sample_weight=weights)


def test_errors_and_company() -> None:
    model = NearestMean()
    with pytest.raises(NotFittedError):
        model.predict([[0]])
    with pytest.raises(DataError, match="at least 2 classes"):
        model.fit([[0], [1]], [1, 1])
    X, y = blobs(3, 0)
    with pytest.raises(DataError, match="X has 3 features"):
        model.fit(X, y).predict(np.zeros((1, 3)))
    assert cross_val_score(model, X, y, cv=4).mean() == cross_val_score(NearestCentroid(), X, y, cv=4).mean()
