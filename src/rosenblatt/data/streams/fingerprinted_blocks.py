"""The blocks of the files of a stream, each with its size and a fingerprint of everything read so far.

All passes over a stream must read the same blocks, so that a file that changes between two passes is found.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.compiled.hashing import fingerprint
from rosenblatt.data.files.blocks import Block, Layout
from rosenblatt.data.files.sources import Place
from rosenblatt.errors import DataError


class Origin(NamedTuple):
    """The bytes that a block was read from."""

    size: int
    mark: int  # fingerprint of the bytes of this block and of all blocks before it


class KnownMarks:
    """The fingerprints of all blocks that were read so far, in any pass over the files `names`.

    Raises
    ------
    DataError
        A pass reads other blocks than the passes before it; the message names the file that has changed.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._marks: dict[int, tuple[int, int]] = {}  # by the number of the block: its fingerprint, and its file
        self._count: int | None = None  # blocks of a whole pass

    def check(self, number: int, mark: int, file: int) -> None:
        """Compare a block with the block of this number in the passes before; `file` is the number of its file."""
        if self._count is not None and number >= self._count:
            raise self._changed(file)
        known, its_file = self._marks.setdefault(number, (mark, file))
        if known != mark:
            raise self._changed(
                min(file, its_file)
            )  # rows of the later file have moved because the earlier one changed

    def end(self, count: int) -> None:
        """Compare the number of blocks of a whole pass with that of the passes before."""
        if self._count is not None and count < self._count:
            raise self._changed(self._marks[count][1])
        self._count = count

    def _changed(self, file: int) -> DataError:
        return DataError(
            f"{self._names[file]}: it has changed since the first pass over it. All passes must read the same rows: "
            "begin again with a new Stream, and leave the file as it is until the end."
        )


class MarkedBlocks:
    """Iterates over the blocks of all files in order, once; `origins` holds an entry for each block given so far.

    The first block with rows settles what the layout leaves open.
    """

    def __init__(self, places: Sequence[Place], layout: Layout, block_bytes: int, known: KnownMarks) -> None:
        self.origins: list[Origin] = []
        self._places, self._layout, self._block_bytes, self._known = places, layout, block_bytes, known

    def __iter__(self) -> Iterator[Block]:
        is_settled, mark = False, np.uint64(0)
        for file, place in enumerate(self._places):
            for block in self._layout.blocks(place, self._block_bytes):
                is_settled = is_settled or self._layout.settle(block)
                mark = _next_mark(block.content, mark)
                self._known.check(len(self.origins), int(mark), file)
                self.origins.append(Origin(_size_of(block.content), int(mark)))
                yield block
        self._known.end(len(self.origins))


def _size_of(content: Any) -> int:
    """Count the bytes of the content of a block: text, an Arrow table, or the arrays of an NPZ file."""
    if hasattr(content, "nbytes"):
        return int(content.nbytes)
    return int(content.X.nbytes if hasattr(content.X, "nbytes") else content.X.data.nbytes)


def _next_mark(content: Any, mark: np.uint64) -> np.uint64:
    """Continue the fingerprint of all blocks so far with the content of the next block."""
    for array in _byte_arrays(content):
        mark = np.uint64(fingerprint(array, mark))
    return mark


def _byte_arrays(content: Any) -> Iterator[NDArray[np.uint8]]:
    if isinstance(content, np.ndarray):
        yield content
    elif hasattr(content, "to_batches"):
        import pyarrow

        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, content.schema) as writer:
            writer.write_table(content)
        yield np.frombuffer(sink.getvalue(), np.uint8)
    else:
        X = content.X
        parts = [X.data, X.indices, X.indptr] if scipy.sparse.issparse(X) else [np.ascontiguousarray(X)]
        labels = np.array([str(label).encode() for label in np.asarray(content.y).tolist()], dtype="S")
        for part in [*parts, labels]:
            yield np.ascontiguousarray(part).reshape(-1).view(np.uint8)
