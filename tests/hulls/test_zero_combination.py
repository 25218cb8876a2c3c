"""Classes that overlap, or nearly overlap: how the search ends, and the model that it leaves."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Kozinec, OverlapWarning
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import Search, nearest_point
from rosenblatt.hulls.search_types import Goal

SOLVERS = ("kozinec", "mdm", "away", "wolfe", "auto")
XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]


@pytest.mark.parametrize(("seed", "bias"), [(4, "free"), (4, 1.0), (13, 1.0), (15, "free")])
def test_columns_far_apart_in_scale_do_not_use_up_the_budget(seed: int, bias: Any) -> None:
    """Each pass shortens w mostly by rounding errors. The search notices that long before 100,000 passes."""
    X = np.random.default_rng(seed).normal(size=(10, 4)) * [1e-6, 1e-6, 1e6, 1e6]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Kozinec(bias=bias).fit(X, np.tile([1, -1], 5))
    assert model.stop_reason_ != "budget"
    assert model.n_iter_ < 1000


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_w_of_length_zero_is_no_solution_within_an_absolute_epsilon(solver: Any) -> None:
    with pytest.warns(OverlapWarning):
        model = Kozinec(solver=solver, epsilon_kind="absolute").fit(*XOR)
    assert model.stop_reason_ == "proved_overlap"
    assert np.linalg.norm(model.coef_) > 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bias", ["free", 0.0])
def test_what_is_left_after_a_proof_is_a_hyperplane_in_every_storage(solver: Any, bias: Any) -> None:
    for seed in range(8):
        X, y = np.random.default_rng(seed).normal(size=(40, 4)), np.tile([1, -1], 20)
        with pytest.warns(OverlapWarning):
            dense, sparse = (Kozinec(solver=solver, bias=bias).fit(stored, y) for stored in (X, csr_array(X)))
        assert np.linalg.norm(dense.coef_) > 1e-7
        assert np.linalg.norm(sparse.coef_) > 1e-7
        if solver in ("wolfe", "auto"):  # the many small steps of the others part ways by rounding
            np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("screening", [False, True])
def test_watch_is_called_once_at_the_start_and_once_a_step(solver: str, screening: bool) -> None:
    rng = np.random.default_rng(0)
    y = np.where(rng.random(60) < 0.5, 1, -1).astype(np.int8)
    X = rng.normal(size=(60, 3)) + y[:, np.newaxis]
    X[:, 0] += 4 * y
    calls: list[Search] = []
    points = InMemory(as_rows(X, 0.0), 3, y, two=True)
    found = nearest_point(points, solver, Goal(1e-2), screening=screening, watch=calls.append)
    assert len(calls) == len(found.history)
