"""Bounds of the fewest errors on shards: true, proved, and with one shard those of rows in memory."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import DataError, Hyperplane, ParameterError, cluster, error_bounds
from tests.cluster.tables import equal_cuts, in_blocks, table
from tests.support.effort import by_day


def fewest_on_a_line(x: Any, y: Any) -> int:
    """The fewest errors of a threshold, each tried: rows on the threshold are wrong, so it lies between two rows."""
    places = np.unique(x)
    cuts = [places[0] - 1, *((places[1:] + places[:-1]) / 2), places[-1] + 1]
    return min(int(np.count_nonzero(sign * (x - cut) * (2 * y - 1) <= 0)) for cut in cuts for sign in (1, -1))


@pytest.mark.parametrize("seed", range(by_day(4, 60)))
@pytest.mark.parametrize("shards", [1, 2, 5])
def test_the_bounds_enclose_the_truth(seed: int, shards: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-20, 20, 60).astype(float)
    y = (x + rng.normal(0, 1 + 4 * (seed % 3), 60) > 0).astype(int)
    given = in_blocks(x[:, np.newaxis], y, equal_cuts(60, shards))
    found = cluster.error_bounds(*given)
    assert found.lower <= fewest_on_a_line(x, y) <= found.upper
    assert found.complete
    assert len(found.errors) == found.upper
    side = found.hyperplane.decision_function(x[:, np.newaxis]) * (2 * y - 1)
    assert np.array_equal(np.flatnonzero(side <= 0), found.errors)
    assert found.certificate.verify(x[:, np.newaxis], y)
    assert cluster.verify(found.certificate, *given)
    if shards == 1:
        assert found.certificate.to_json() == error_bounds(x[:, np.newaxis], y).certificate.to_json()


@pytest.mark.parametrize("through_origin", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_one_shard_has_the_bounds_of_rows_in_memory(through_origin: bool, sparse: bool) -> None:
    X, y = table(400, 3)
    X = scipy.sparse.csr_array(np.where(abs(X) > 0.5, X, 0.0)) if sparse else X
    local = error_bounds(X, y, through_origin=through_origin)
    there = cluster.error_bounds(*in_blocks(X, y, [400]), through_origin=through_origin)
    assert there == local
    several = cluster.error_bounds(*in_blocks(X, y, [100, 50, 250]), through_origin=through_origin)
    assert several.upper >= local.lower
    assert several.lower <= local.upper
    assert several.certificate.verify(X, y)


def test_shards_that_are_separable_by_themselves() -> None:
    X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    y = np.array([0, 0, 1, 1])
    given = in_blocks(X, y, [2, 2])  # each shard has one class
    found = cluster.error_bounds(*given)
    assert (found.lower, found.upper) == (1, 1)
    assert cluster.verify(found.certificate, *given)
    X, y = np.array([[0.0], [3], [1], [2]]), np.array([0, 1, 0, 1])
    found = cluster.error_bounds(*in_blocks(X, y, [1, 3]))
    assert (found.lower, found.upper) == (0, 0)
    assert found.certificate.verify(X, y)


def test_a_given_hyperplane_is_tried() -> None:
    X, y = table(2000, 8, noise=0.0)
    planted = cluster.Kozinec().fit(*in_blocks(X, y, [len(y)])).hyperplane_
    wrong = np.where(np.arange(len(y)) % 50 == 0, np.where(y == "a", "b", "a"), y)
    given = in_blocks(X, wrong, equal_cuts(len(y), 6))
    found = cluster.error_bounds(*given, hyperplane=planted, time_limit=1e-6)
    assert found.upper <= np.count_nonzero(wrong != y)
    assert cluster.error_bounds(*given, time_limit=1e-6).upper > found.upper  # the search alone had no time


def test_a_time_limit_makes_the_bounds_wider() -> None:
    X, y = table(3000, 6)
    given = in_blocks(X, y, equal_cuts(3000, 4))
    cut = cluster.error_bounds(*given, time_limit=1e-6)
    assert not cut.complete
    assert cut.lower <= cut.upper
    assert cluster.verify(cut.certificate, *given)


def test_wrong_input() -> None:
    X, y = table(60, 2, 3)
    with pytest.raises(DataError, match="error_bounds is for two classes; y has 3"):
        cluster.error_bounds(*in_blocks(X, y, [30, 30]))
    X, y = table(60, 2)
    given = in_blocks(X, y, [30, 30])
    with pytest.raises(ParameterError, match="must have 2 weights"):
        cluster.error_bounds(*given, hyperplane=Hyperplane([1, 2, 3], 0))
    weights = in_blocks(np.ones((60, 1)), np.ones(60), [30, 30])[1]
    with pytest.raises(ParameterError, match="counts all rows alike"):
        cluster.error_bounds(cluster.Shards(*given, weights))
