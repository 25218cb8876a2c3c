"""Is data on a cluster linearly separable?  The rounds of `proof.decide_rounds`, each one question to all shards."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from dask.sizeof import sizeof

from rosenblatt.base.events import report_progress
from rosenblatt.base.parameters import Flag, check_argument
from rosenblatt.certificate.digest import BlockDigests, BlockPart, block_parts
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.matrices import doubles, stacked
from rosenblatt.data.validation import Codes
from rosenblatt.errors import ParameterError
from rosenblatt.proof.decide import deadline_of
from rosenblatt.proof.decide_rounds import ChosenRows, Found, ProofTest, decide_by_rounds
from rosenblatt.proof.verdict import Verdict


@sizeof.register(ProofTest)  # type: ignore[untyped-decorator]
def size_of_test(test: ProofTest) -> int:
    """The bytes that are sent for it: the proof, and the rows that it is about."""
    return len(pickle.dumps(test))


def first_rows(shard: Shard, wanted: Codes, _: None) -> ChosenRows:
    """The first rows of a shard, so many of each class as are wanted."""
    few = np.sort(np.concatenate([np.flatnonzero(shard.codes == c)[:many] for c, many in enumerate(wanted)]))
    return ChosenRows(shard.matrix()[few], shard.codes[few], few + shard.start)


def tested(shard: Shard, test: ProofTest) -> Found:
    """What a test of a proof finds in a shard."""
    return test.look_at(shard.start, shard.matrix(), shard.codes)


def digests_of(shard: Shard, d: int) -> list[BlockPart]:
    """The digests of the blocks of a shard; and the rows at its ends, which belong to blocks of other shards, too."""
    return list(block_parts(doubles(shard.matrix()), shard.codes, shard.start, d))


def digest_of_shards(shards: Shards) -> str:
    """The digest of all rows."""
    digests = BlockDigests(shards.d)
    for parts in shards.ask("fingerprint", digests_of, shards.d):
        for part in parts:
            digests.add(part)
    return digests.joined()


class ShardRows:
    """The rows of shards, as the decision about them sees them."""

    def __init__(self, shards: Shards) -> None:
        self.shards = shards
        self.labels, self.counts = shards.classes.tolist(), shards.counts.tolist()
        self.names, self.d = shards.feature_names, shards.d

    def first(self, many: int) -> ChosenRows:
        """The first rows of each class; only the shards that have some of them are asked."""
        shards, left, wanted = self.shards, np.full(len(self.labels), many), []
        for counts in shards.class_counts:
            wanted.append(np.minimum(left, counts))
            left = left - wanted[-1]
        asked = [s for s, few in enumerate(wanted) if few.any()]
        handles, few = [shards.handles[s] for s in asked], [wanted[s] for s in asked]
        found = shards.ask_about("rows are fetched", first_rows, None, handles, few)
        X, codes, numbers = (
            stacked([one.X for one in found]),
            *(np.concatenate(parts) for parts in zip(*((one.codes, one.numbers) for one in found), strict=True)),
        )
        return ChosenRows(X, codes, numbers)

    def codes_of(self, rows: Sequence[int]) -> list[int]:
        _, codes = self.shards.take(np.array(rows))
        return list(codes.tolist())

    def test(self, test: ProofTest, words: str, deadline: float) -> list[Found]:
        report_progress("verdict", len(self.shards.rounds), None, "{}", words)
        return self.shards.ask("test of the proof", tested, test, deadline=deadline)

    def digest(self) -> str:
        report_progress("verdict", len(self.shards.rounds), None, "a last round takes the fingerprint of all rows")
        return digest_of_shards(self.shards)


def separability(
    X: Any,
    y: Any = None,
    *,
    detail: bool = True,
    through_origin: bool = False,
    time_limit: float | None = None,
    **reading: Any,
) -> Verdict:
    """Decide whether a hyperplane separates classes on a cluster, and prove it.

    A few rows are decided exactly. Then all shards test the proof on their rows, in whole numbers, and the rows that
    contradict it join, until none does. The certificate is that of `rosenblatt.separability` for a `Stream` of the same
    rows, to the last character. It depends neither on the shards nor on the workers.

    Parameters
    ----------
    X : Shards, array, data frame or bag of Dask, path, or list of paths
        The rows; see `Shards`.
    y : array or column of Dask, or str
        The class labels; see `Shards`.
    detail : bool, default=True
        Distinguish "weak" from "overlap". False stops at "not_strict", which may be much faster for very wide data.
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : float, optional
        In seconds, from the moment when the rows are loaded. When the time is over, the answer is what is proved by
        then. Without a limit the answer is never "undecided".
    **reading : object
        Options of reading files, such as `target`; see `read`.

    Returns
    -------
    Verdict
        The verdict, with its certificate.

    See Also
    --------
    rosenblatt.separability : Decides about rows in memory, and about streams.
    verify : Checks the certificate on a cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import separability, verify
    >>> X = da.from_array([[0, 0], [1, 1], [0, 1], [1, 0]], chunks=(2, 2))
    >>> y = da.from_array([0, 0, 1, 1], chunks=2)
    >>> verdict = separability(X, y)
    >>> verdict.kind, verdict.witness.rows, bool(verify(verdict.certificate, X, y))
    ('overlap', [0, 1, 2, 3], True)
    """
    check_argument("separability", "detail", detail, Flag())
    check_argument("separability", "through_origin", through_origin, Flag())
    deadline_of(time_limit)
    shards = Shards.of(X, y, None, reading)
    if shards.is_weighted:
        raise ParameterError("separability counts all rows alike; give Shards without sample_weight.")
    deadline = deadline_of(time_limit)
    return decide_by_rounds(ShardRows(shards), detail=detail, through_origin=through_origin, deadline=deadline)
