"""A chunk of a stream."""

from typing import Any, NamedTuple

import scipy.sparse

from rosenblatt.data.validation import Codes


class Chunk(NamedTuple):
    """Some rows of a stream."""

    X: Any
    codes: Codes  # of each row the number of its class
    number: int  # of the chunk, from 0
    size: int  # bytes it was read from
    mark: int  # a fingerprint of what it was read from, and of all before it in this pass
    bad: int  # rows that could not be used


def as_wide(X: Any, d: int) -> Any:
    """The same rows with d columns, as later chunks may have more."""
    if X.shape[1] == d:
        return X
    return scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], d))
