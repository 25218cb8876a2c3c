"""Which of many rows that contradict a proof join the chosen rows.  The choice depends only on the rows.

Products of matrices are rounded in another way if other rows stand beside a row. So leads are computed again, in a
fixed order of their terms: else equal rows might have different leads, and the choice would depend on how the rows are
divided.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.exact import floats_of
from rosenblatt.certificate.signed_rows import Signed

Floats = NDArray[np.float64]


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def steady_leads(signed: Signed, w: Sequence[int]) -> Floats:
    """w.z_i of all rows, rounded and in some unit; each depends on its own row only. The terms are added in order.

    A lead that no float holds is minus infinity.
    """
    weights, d = np.array(floats_of(w)[0]), signed.table.d
    leads = np.empty(signed.n)
    for start, X in signed.table.blocks():
        inside = slice(start, start + X.shape[0])
        if scipy.sparse.issparse(X):
            leads[inside] = X @ weights[:d]  # SciPy adds the terms of a row in order
            continue
        leads[inside] = 0.0
        for j in np.flatnonzero(weights[:d]).tolist():
            leads[inside] += X[:, j] * weights[j]
    if signed.constant:
        leads += signed.constant * weights[d]
    leads *= signed.y
    return np.where(np.isfinite(leads), leads, -np.inf)


def worst_rows(X: Any, leads: Floats, limit: int) -> NDArray[np.int64]:
    """The places of the rows to choose, in increasing order; of rows with equal leads, the first ones.

    These are the rows with the lowest leads; and for each column the row with the lowest lead that has a number there,
    so that in sparse data each level of a category comes soon. The rows chosen among all are those that are chosen
    among the rows chosen of each part.

    Parameters
    ----------
    X : the rows
    leads : their leads; the lower, the more a row contradicts the proof
    limit : how many are chosen by their leads alone
    """
    order = np.argsort(leads, kind="stable")
    return np.unique(np.concatenate([order[:limit], order[_first_of_columns(X[order])]]))


def _first_of_columns(X: Any) -> NDArray[np.int64]:
    """The places of rows that are the first to have a number other than 0 in some column."""
    if scipy.sparse.issparse(X):
        there = X.data != 0
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[there]
        _, first = np.unique(X.indices[there], return_index=True)
        return np.unique(rows[first])
    used = X != 0
    return np.unique(used.argmax(axis=0)[used.any(axis=0)])
