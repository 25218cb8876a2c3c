"""A chunk of a stream, and the header that all chunks of a stream share."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.validation import Codes


@dataclass(frozen=True, eq=False)
class StreamHeader:
    """The classes and columns of a stream, known once its first chunk was read.

    Attributes
    ----------
    classes : the labels, sorted
    feature_names : the names of the columns, None if the columns have no names
    n_columns : the number of columns so far; it grows only for LIBSVM text without a `width`
    zero_based : do the columns of LIBSVM text count from 0?  None for other formats
    """

    classes: NDArray[Any]
    feature_names: list[str] | None
    n_columns: int
    zero_based: bool | None


class Chunk(NamedTuple):
    """Some consecutive rows of a stream."""

    X: Any
    codes: Codes  # the class number of each row
    number: int  # of the chunk, from 0
    size: int  # number of bytes that the chunk was read from
    mark: int  # fingerprint of these bytes and of all bytes before them in this pass
    bad: int  # number of rows that could not be used


def as_wide(X: Any, d: int) -> Any:
    """Widen X to d columns; the new columns are empty. Only sparse chunks can grow."""
    if X.shape[1] == d:
        return X
    return scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], d))
