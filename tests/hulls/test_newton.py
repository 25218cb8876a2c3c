"""Newton steps for the maximum margin with slack, against NumPy on the whole matrix."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.hulls import newton


@pytest.mark.parametrize("penalty", [0.0, 1.0])
@pytest.mark.parametrize(("n", "d"), [(0, 3), (1, 3), (5, 40), (40, 5), (6, 6)])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
def test_a_step_solves_the_system_of_all_columns(make: Any, n: int, d: int, penalty: float) -> None:
    """H x = right, where H is written out; a bias that nothing determines gets a 1 there."""
    rng = np.random.default_rng(n)
    A, right, weight, constant = rng.normal(size=(n, d)), rng.normal(size=d + 1), 2.5, 1.5
    long, penalties = np.column_stack([A, np.full(n, constant)]), np.append(np.ones(d), penalty)
    H = np.diag(penalties) + weight * long.T @ long
    H[-1, -1] += n == 0 and penalty == 0
    found = newton._solve(make(A), constant, penalties, weight, right, np.inf)
    assert np.allclose(found, np.linalg.solve(H, right), rtol=1e-9, atol=1e-9)


def test_few_rows_make_a_cheap_step_however_many_columns_they_have() -> None:
    """A system for each row: 40 rows of 1500 columns take fewer products than 1500 x 1500 unknowns."""
    wide = scipy.sparse.random_array((40, 1500), density=0.33, rng=0).tocsr()
    assert newton.step_seconds(wide) * newton.FLOPS < 1500**3 / 100


@pytest.mark.parametrize(("penalty", "unknowns"), [(0.0, 21), (1.0, 20)])
def test_few_rows_need_no_matrix_of_the_columns(monkeypatch: Any, penalty: float, unknowns: int) -> None:
    """The system that is solved has an unknown for each row, and one for a bias without penalty."""
    sizes, solve = [], np.linalg.solve

    def counting(H: Any, right: Any) -> Any:
        sizes.append(len(H))
        return solve(H, right)

    monkeypatch.setattr(np.linalg, "solve", counting)
    A = np.random.default_rng(0).normal(size=(20, 500))
    newton._solve(A, 1.0, np.append(np.ones(500), penalty), 2.0, np.ones(501), np.inf)
    assert sizes == [unknowns]


@pytest.mark.parametrize("k", [-300, -5, 300])
def test_few_rows_times_a_power_of_two_round_alike(k: int) -> None:
    """Rows times 2^k, with a weight times 4^-k, have x times 2^-k; the bias stays."""
    rng = np.random.default_rng(1)
    A, right, penalties = rng.normal(size=(6, 30)), rng.normal(size=31), np.append(np.ones(30), 0.0)
    one = newton._solve(A, 1.0, penalties, 3.0, right, np.inf)
    factors = np.append(np.full(30, 2.0**-k), 1.0)
    given = right * np.append(np.full(30, 2.0**-k), 4.0**-k)
    scaled = newton._solve(A * 2.0**k, 1.0, penalties, 3.0 * 4.0**-k, given, np.inf)
    assert (scaled == one * factors).all()
