"""Makes the copy of dense rows with one byte for each number, where it pays; see `data/compiled/byte_rows.py`."""

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.compiled.ahead import LINE
from rosenblatt.data.compiled.byte_rows import HEAD, ByteRows, fill_records
from rosenblatt.data.compiled.rows import Dense
from rosenblatt.data.large.cores import in_parts

MIN_BYTES = 1 << 26  # of the rows; smaller ones are mostly in the processor's cache
MAX_BYTES = 1 << 32  # of the copy
MAX_PART = 0.45  # of the rows that the copy may have


def with_byte_copy(rows: Dense) -> ByteRows | None:
    """Return rows with a copy of one byte for each number; None if the rows are few or short, or memory is.

    The copy has a whole number of lines of 64 bytes for each row, an eighth to 0.45 of the rows, and 4 GiB at most.
    """
    size = len(rows.X) * _stride(rows)
    if rows.X.nbytes < MIN_BYTES or not size < min(MAX_BYTES, MAX_PART * rows.X.nbytes):
        return None
    try:
        return copied(rows)
    except MemoryError:
        return None


def copied(rows: Dense) -> ByteRows:
    """Return rows with a copy of one byte for each number, however large it is."""
    n, stride = len(rows.X), _stride(rows)
    room = np.zeros(n * stride + LINE, dtype=np.int8)
    start = -room.ctypes.data % LINE
    records = room[start : start + n * stride].reshape(n, stride)
    heads = records.view(np.float32)
    in_parts(lambda a, b: fill_records(rows.X[a:b], records[a:b], heads[a:b]), n, rows.X.size)
    return ByteRows(rows, records, heads)


def _stride(rows: Dense) -> int:
    """The bytes of a record: whole lines of memory."""
    return -(-(HEAD + int(rows.X.shape[1])) // LINE) * LINE


def rough_room(w: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return room for weights with 32 bits, without that of the bias."""
    return np.empty(len(w) - 1, dtype=np.float32)
