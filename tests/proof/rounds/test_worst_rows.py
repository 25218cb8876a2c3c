"""Which rows join the chosen rows: the same ones, however all rows are divided."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.rounds.worst_rows import steady_leads, worst_rows
from tests.support.effort import by_day


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_a_lead_depends_on_its_own_row_only(constant: float) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((150, 7)), 3, axis=0)
    y = np.repeat(rng.choice([-1, 1], 150), 3).astype(np.int8)
    w = rng.integers(-(10**6), 10**6, 7 + (constant != 0)).tolist()
    signed = Signed(Table(X, {}), y, constant)
    leads = steady_leads(signed, w)
    assert (leads[0::3] == leads[1::3]).all()
    assert (leads[0::3] == leads[2::3]).all()
    assert (steady_leads(Signed(Table(scipy.sparse.csr_array(X), {}), y, constant), w) == leads).all()
    for size in (1, 2, 7, 100):
        parts = [signed.take(np.arange(i, min(i + size, len(X)))) for i in range(0, len(X), size)]
        assert (np.concatenate([steady_leads(part, w) for part in parts]) == leads).all()
    exact = [signed.lead(i, w) for i in range(len(X))]
    unit = Fraction(float(leads[0])) / exact[0]
    assert all(
        abs(Fraction(float(lead)) / unit - true) < abs(true) / 10**6 for lead, true in zip(leads, exact, strict=True)
    )


def test_a_lead_that_is_too_large_comes_first() -> None:
    signed = Signed(Table(np.array([[1e308, 1e308], [1.0, 0.0]]), {}), np.array([1, 1], np.int8), 0.0)
    assert steady_leads(signed, [1, 2**70])[0] == -np.inf


@pytest.mark.parametrize("sparse", [False, True])
def test_the_rows_of_all_are_those_of_the_rows_of_each_part(sparse: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(by_day(100, 5000)):
        n, d, limit = rng.integers(1, [40, 8, 10])
        X = rng.integers(0, 2, (n, d)) * rng.integers(0, 2, (n, 1)).astype(float)
        leads = rng.integers(-3, 1, n).astype(float)
        X = scipy.sparse.csr_array(X) if sparse else X
        chosen = worst_rows(X, leads, limit)
        cuts = np.sort(rng.integers(0, n + 1, 3))
        parts = [part[worst_rows(X[part], leads[part], limit)] for part in np.split(np.arange(n), cuts) if len(part)]
        some = np.concatenate(parts)
        assert some[worst_rows(X[some], leads[some], limit)].tolist() == chosen.tolist()
        order = np.argsort(leads, kind="stable")
        assert set(order[:limit]) <= set(chosen.tolist())
        dense = X.toarray() if sparse else X
        for j in range(d):
            users = [i for i in order if dense[i, j]]
            assert not users or users[0] in chosen
        assert len(chosen) <= limit + d
