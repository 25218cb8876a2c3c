"""A guess of few columns that separate: the support of a vector of small l1 norm, by a linear program in floats."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.certificate.signed_rows import Signed

MAX_NUMBERS = 2_000_000  # nonzero numbers of the rows in a linear program
MAX_ROUNDS = 20_000  # of the simplex method
MAX_ROWS = 5  # that are asked for one by one, if not all rows can be separated
NEGLIGIBLE = 1e-7  # the part of the largest weight below which a weight is taken for 0


def sparse_columns(signed: Signed, free: list[int], moving: NDArray[Any] | None) -> list[int]:
    """Columns that may suffice to separate; empty if there is no guess.

    Parameters
    ----------
    signed : the rows
    free : columns that cost nothing
    moving : the rows of which one must be strictly on its right side, the others on the boundary or there; None if all
        rows must be strictly there
    """
    Z, scale = _scaled(signed)
    if Z.nnz > MAX_NUMBERS:
        return []
    costs = np.ones(Z.shape[1])
    costs[[*free, *range(signed.table.d, Z.shape[1])]] = 0.0
    if moving is None:
        return _support(Z, np.ones(Z.shape[0]), costs, scale)
    asked = moving[np.unique(np.linspace(0, len(moving) - 1, MAX_ROWS).astype(int))]
    found = [_support(Z, (np.arange(Z.shape[0]) == i).astype(float), costs, scale) for i in asked.tolist()]
    return min((columns for columns in found if columns), key=len, default=[])


def _scaled(signed: Signed) -> tuple[Any, NDArray[np.float64]]:
    """The signed rows as floats with columns of one size, and the factors of the columns."""
    powers = np.array(signed.table.powers(), dtype=np.int64)
    scale = np.ldexp(1.0, np.clip(-powers, -1000, 1000))
    X = scipy.sparse.csr_array(signed.table.floats) * scale[np.newaxis]
    if signed.constant:
        X = scipy.sparse.hstack([X, np.ones((signed.n, 1))])
    return scipy.sparse.csr_array(X) * signed.y[:, np.newaxis].astype(np.float64), scale


def _support(Z: Any, least: NDArray[np.float64], costs: NDArray[np.float64], scale: NDArray[np.float64]) -> list[int]:
    """The columns with a cost that have a weight in the cheapest w with Z w >= least."""
    both = scipy.sparse.hstack([-Z, Z], format="csr")
    from scipy.optimize import linprog  # a slow import, and seldom needed

    found = linprog(
        np.concatenate([costs, costs]),
        A_ub=both,
        b_ub=-least,
        bounds=(0, None),
        method="highs-ds",
        options={"maxiter": MAX_ROUNDS},
    )
    if found.x is None:
        return []
    w = np.abs(found.x[: Z.shape[1]] - found.x[Z.shape[1] :])
    w[costs == 0] = 0.0
    if not w.any():
        return []
    order = np.argsort(-w, kind="stable")
    return [int(j) for j in order if w[j] > NEGLIGIBLE * w.max() and j < len(scale)]
