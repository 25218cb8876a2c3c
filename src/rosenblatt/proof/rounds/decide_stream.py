"""The rows of a stream, as the decision about them sees them: each question is a pass over the chunks."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import afford
from rosenblatt.base.events import chunks_of
from rosenblatt.certificate.digest import BlockDigests, block_parts
from rosenblatt.data.matrices import doubles
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError
from rosenblatt.proof.rounds.decide_rounds import ChosenRows, Found, ProofTest, decide_by_rounds
from rosenblatt.proof.verdict import Verdict


def stream_separability(stream: Stream, *, detail: bool, through_origin: bool, deadline: float) -> Verdict:
    """The verdict of `separability` on the rows of a stream."""
    return decide_by_rounds(StreamRows(stream), detail=detail, through_origin=through_origin, deadline=deadline)


class StreamRows:
    """The rows of a stream. `first` comes before all else."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._codes = np.empty(0, np.uint32)  # the class of every row

    @property
    def labels(self) -> list[Any]:
        return list(self._stream.header.classes.tolist())

    @property
    def names(self) -> list[str] | None:
        return self._stream.feature_names_

    @property
    def d(self) -> int:
        return self._stream.n_columns_

    @cached_property
    def counts(self) -> Sequence[int]:
        return np.bincount(self._codes, minlength=len(self.labels)).tolist()  # type: ignore[no-any-return]

    def first(self, many: int) -> ChosenRows:
        """The first rows of each class; this pass counts all rows."""
        stream = self._stream
        chosen: ChosenRows | None = None
        codes, start = list[NDArray[np.uint32]](), 0
        for chunk in chunks_of(stream, "verdict", "a first pass counts the rows"):
            k = len(stream.header.classes)
            counts = np.zeros(k, np.int64) if chosen is None else np.bincount(chosen.codes, minlength=k)
            few = np.concatenate([np.flatnonzero(chunk.codes == c)[: max(0, many - counts[c])] for c in range(k)])
            new = ChosenRows(chunk.X[few], chunk.codes[few], few + start)
            chosen = new if chosen is None else chosen.joined(new)
            codes.append(chunk.codes.astype(np.uint32))
            start += len(chunk.codes)
        if chosen is None:
            raise DataError(f"{stream.places[0].name}: it has no rows.")
        self._codes = np.concatenate(codes)
        for code in np.setdiff1d(np.arange(len(self.labels)), self._codes).tolist():
            raise DataError(
                f"{stream.places[0].name}: there is no row of class {self.labels[code]!r}; leave it out of classes."
            )
        return chosen.joined(chosen)

    def codes_of(self, rows: Sequence[int]) -> list[int]:
        return self._codes[list(rows)].tolist()  # type: ignore[no-any-return]

    def test(self, test: ProofTest, words: str, deadline: float) -> Iterator[Found]:
        start = 0
        for chunk in chunks_of(self._stream, "verdict", words):
            afford(0.0, deadline)
            yield test.look_at(start, chunk.X, chunk.codes)
            start += len(chunk.codes)

    def digest(self) -> str:
        """The digest of all rows, by one more pass."""
        digests, start = BlockDigests(self.d), 0
        for chunk in chunks_of(self._stream, "verdict", "a last pass takes the fingerprint of all rows"):
            for part in block_parts(doubles(chunk.X), chunk.codes, start, self.d):
                digests.add(part)
            start += len(chunk.codes)
        return digests.joined()
