"""A digest of the rows that a model was fitted to, so that it can tell them from other rows.

It covers the shape, all labels, and up to `MAX_DIGESTED_ROWS` rows at equal distances. To hash every number of a large
table would take as long as a pass of training. It is not cryptographic. It names the storage, and `are_rows_of`
converts the rows that are asked about.
"""

import re
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.schema import Arrays, Facts, Sizes, Source
from rosenblatt.data.compiled.hashing import fingerprint
from rosenblatt.data.validation import Matrix

MAX_DIGESTED_ROWS = 2048
DIGEST = re.compile("(dense|sparse) (float32|float64) [0-9]+ [0-9]+ [0-9a-f]{16}")


def digest_of_rows(points: Matrix, y: NDArray[Any]) -> str:
    """The digest of checked rows in their order, and of their class numbers or signs.

    Rows beyond `MAX_DIGESTED_ROWS` are sampled, so tables that differ only in other rows have the same digest.

    The text has the storage, the type, the numbers of rows and columns, and a hash: "dense float64 150 4 93f0...".
    """
    n, d = points.shape
    sparse = scipy.sparse.issparse(points)
    some = points[np.linspace(0, n - 1, min(n, MAX_DIGESTED_ROWS)).astype(np.int64)]
    parts = [some.data, some.indices.astype(np.int64), some.indptr.astype(np.int64)] if sparse else [some]
    mark = np.uint64(0)
    for part in (*parts, np.asarray(y).astype(np.int64)):
        content = np.ascontiguousarray(part).reshape(-1).view(np.uint8)
        content.flags.writeable = False  # one type for the compiled function
        mark = np.uint64(fingerprint(content, mark))
    return f"{'sparse' if sparse else 'dense'} {points.dtype} {n} {d} {int(mark):016x}"


def are_rows_of(digest: str | None, points: Matrix, y: NDArray[Any]) -> bool:
    """Whether the digest is that of these rows, whatever their storage is now; False without a digest."""
    if digest is None:
        return False
    storage, dtype, n, d, _ = digest.split()
    if points.shape != (int(n), int(d)):
        return False
    if scipy.sparse.issparse(points) != (storage == "sparse"):
        points = scipy.sparse.csr_array(points) if storage == "sparse" else points.toarray()
    if points.dtype != dtype:
        with np.errstate(over="ignore"):
            converted = points.astype(dtype)
        if abs(converted.astype(np.float64) - points).max() != 0:
            return False
        points = converted
    return digest_of_rows(points, y) == digest


class SavedRowDigest:
    """A digest of rows in a model file. Files of earlier versions have none, and then it is None."""

    def take(self, name: str, value: str | None, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        if value is not None:
            facts[name] = value

    def give(self, name: str, source: Source, sizes: Sizes) -> str | None:  # noqa: ARG002
        digest = source.facts.pop(name, None)
        if digest is not None and not (isinstance(digest, str) and DIGEST.fullmatch(digest)):
            raise source.refusal(f"has {str(digest)[:40]!r} as {name!r}, which is not a digest of rows")
        return digest
