"""Fingerprints of a table: of all rows at once, or of blocks of rows, so that machines can share the work.

The digest of up to 1,024 rows is the SHA-256 of their nonzero numbers, the columns of these, and the classes. The
digest of more rows is the SHA-256 of the digests of their blocks of 1,024 rows, in order. It depends neither on the
storage nor on how the rows were divided before.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

DIGEST_ROWS = 1024  # in a block; the last block may have fewer
BY_BLOCKS = "sha256-blocks:"  # how the digest of more rows begins


class BlockPart(NamedTuple):
    """A block of a table, as its digest; or some of its rows, where it begins or ends elsewhere."""

    n: int  # the number of rows
    digest: str | None
    rows: Any = None
    codes: Any = None


def block_parts(rows: Any, codes: NDArray[Any], start: int, d: int) -> Iterator[BlockPart]:
    """Cut consecutive rows of a table into parts of its blocks.

    Parameters
    ----------
    rows, codes : the rows as floats, and their classes
    start : the number of the first row
    d : the number of columns of the table
    """
    n, at = rows.shape[0], 0
    while at < n:
        end = min(n, at + DIGEST_ROWS - (start + at) % DIGEST_ROWS)
        part, own = rows[at:end], codes[at:end]
        if end - at == DIGEST_ROWS:
            yield BlockPart(end - at, digest_of([part], end - at, d, {}, own))
        else:
            yield BlockPart(end - at, None, part, own)
        at = end


class BlockDigests:
    """The digest of a table, from the parts of its blocks in order.

    Parameters
    ----------
    d : the number of columns
    """

    def __init__(self, d: int) -> None:
        self.d, self.n = d, 0
        self._digests: list[str] = []
        self._waiting: list[BlockPart] = []  # parts of the last block

    def add(self, part: BlockPart) -> None:
        """Add the next part."""
        self.n += part.n
        if part.digest is not None:
            self._digests.append(part.digest)
            return
        self._waiting.append(part)
        if sum(one.n for one in self._waiting) == DIGEST_ROWS:
            self._end_block()

    def joined(self) -> str:
        """The digest of the table."""
        self._end_block()
        if len(self._digests) == 1:
            return self._digests[0]
        whole = hashlib.sha256(f"{self.n} {self.d} {DIGEST_ROWS}".encode())
        for digest in self._digests:
            whole.update(f"\n{digest}".encode())
        return BY_BLOCKS + whole.hexdigest()

    def _end_block(self) -> None:
        if self._waiting:
            codes = np.concatenate([part.codes for part in self._waiting])
            self._digests.append(digest_of((part.rows for part in self._waiting), len(codes), self.d, {}, codes))
            self._waiting = []


def digest_of(blocks: Iterable[Any], n: int, d: int, large: Mapping[int, Mapping[int, int]], codes: Any) -> str:
    """The fingerprint of a table that comes in blocks of rows.

    Parameters
    ----------
    blocks : the rows as floats, in order, dense or sparse
    n, d : the number of rows, and of columns
    large : the integers that no float holds, {row: {column: integer}}
    codes : the class of each row
    """
    counts, columns, numbers = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for block in blocks:
        for part, piece in zip((counts, columns, numbers), _nonzeros(block), strict=True):
            part.update(piece.data)
    whole = hashlib.sha256(f"{n} {d}".encode())
    for i, cells in sorted(large.items()):
        whole.update("".join(f" {i} {j} {x:x}" for j, x in sorted(cells.items())).encode())
    for part in (counts, columns, numbers):
        whole.update(part.digest())
    whole.update(np.ascontiguousarray(codes, dtype="<u4").data)
    return f"sha256:{whole.hexdigest()}"


def _nonzeros(block: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The number of nonzeros in each row, their columns, and the nonzeros themselves."""
    if scipy.sparse.issparse(block):
        keep = block.data != 0
        counts = np.diff(block.indptr)
        if not keep.all():
            counts = np.diff(np.concatenate([[0], np.cumsum(keep)])[block.indptr])
        columns, numbers = block.indices[keep], block.data[keep]
    elif np.count_nonzero(block) == block.size:
        n, d = block.shape
        counts, columns, numbers = np.full(n, d), np.tile(np.arange(d, dtype="<u4"), n), block
    else:
        keep = block != 0
        counts, columns, numbers = keep.sum(axis=1), np.nonzero(keep)[1], block[keep]
    return (
        np.ascontiguousarray(counts, dtype="<u4"),
        np.ascontiguousarray(columns, dtype="<u4"),
        np.ascontiguousarray(numbers, dtype="<f8"),
    )
