"""Kessler's construction: more than two classes as one set of signed rows, one for each row and wrong class.

Row x of class c, compared with class o, becomes the long row with x in the place of c and -x in the place of o. A
hyperplane for the long rows consists of one weight vector for each class. A positive lead means that c scores more
than o.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed


class LongRows(NamedTuple):
    """The long rows, and the row and wrong class that each one stands for."""

    signed: Signed
    numbers: NDArray[Any]  # the row
    against: NDArray[Any]  # the code of the wrong class


def kessler(table: Table, codes: NDArray[Any], k: int, constant: float) -> LongRows:
    """The (k-1) n long rows of n rows with classes 0 to k-1. A constant other than 0 is appended to each row first."""
    X = scipy.sparse.csr_array(table.floats)
    if constant:
        X = scipy.sparse.csr_array(scipy.sparse.hstack([X, np.full((table.n, 1), constant)]))
    width = X.shape[1]
    numbers = np.repeat(np.arange(table.n), k - 1)
    against = np.tile(np.arange(k - 1), table.n)
    own = codes[numbers]
    against = against + (against >= own)  # all classes but its own
    counts = np.diff(X.indptr)[numbers]
    entries = _entries(X, numbers)
    index = scipy.sparse.get_index_dtype(maxval=max(2 * len(entries), len(numbers), k * width))
    columns = X.indices[entries].astype(index)
    shift_own, shift_other = (np.repeat((of * width).astype(index), counts) for of in (own, against))
    rows = np.repeat(np.arange(len(numbers), dtype=index), counts)
    data = np.concatenate([X.data[entries], -X.data[entries]])
    places = (np.concatenate([rows, rows]), np.concatenate([columns + shift_own, columns + shift_other]))
    floats = scipy.sparse.csr_array(scipy.sparse.coo_array((data, places), shape=(len(numbers), k * width)))
    floats.sum_duplicates()
    large: dict[int, dict[int, int]] = {}
    for r in np.flatnonzero(np.isin(numbers, list(table.large))).tolist():
        for j, whole in table.large[int(numbers[r])].items():
            cells = large.setdefault(r, {})
            cells[int(own[r]) * width + j], cells[int(against[r]) * width + j] = whole, -whole
    signed = Signed(Table(floats, large, None, table.decimal), np.ones(len(numbers), np.int8), 0.0)
    return LongRows(signed, numbers, against)


def _entries(X: Any, rows: NDArray[Any]) -> NDArray[Any]:
    """The places of the entries of these rows, in this order."""
    counts = np.diff(X.indptr)[rows]
    ends = np.cumsum(counts)
    return np.asarray(np.arange(counts.sum()) + np.repeat(X.indptr[rows] - (ends - counts), counts))
