"""What proofs about shards begin and end with: the first rows of each class, and the digest of all rows."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.digest import BlockDigests, BlockPart, block_parts
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.matrices import doubles, stacked
from rosenblatt.data.validation import Codes
from rosenblatt.proof.rounds.decide_rounds import ChosenRows


class RowCodes(Protocol):
    """Numbers the classes of rows in another way than shards do. It can be sent to a worker."""

    def of(self, shard: Shard) -> Codes:
        """The code of each row of a shard."""
        ...


def codes_of(shard: Shard, coding: RowCodes | None) -> Codes:
    """The code of each row; the number of its class if there is no other coding."""
    return shard.codes if coding is None else coding.of(shard)


def first_rows(shard: Shard, wanted: Codes, coding: RowCodes | None) -> ChosenRows:
    """The first rows of a shard, so many of each class as are wanted."""
    codes = codes_of(shard, coding)
    few = np.sort(np.concatenate([np.flatnonzero(codes == c)[:many] for c, many in enumerate(wanted)]))
    return ChosenRows(shard.matrix()[few], codes[few], few + shard.start)


def first_of_each(
    shards: Shards, counts: Sequence[NDArray[Any]], many: int, coding: RowCodes | None = None
) -> ChosenRows:
    """The first rows of each class; only the shards that have some of them are asked.

    Parameters
    ----------
    shards : all rows
    counts : for each shard, the number of rows of each class
    many : how many rows of each class
    coding : how the classes are numbered
    """
    left, wanted = np.full(len(counts[0]), many), []
    for own in counts:
        wanted.append(np.minimum(left, own))
        left = left - wanted[-1]
    asked = [s for s, few in enumerate(wanted) if few.any()]
    handles, few = [shards.handles[s] for s in asked], [wanted[s] for s in asked]
    found = shards.ask_about("rows are fetched", first_rows, coding, handles, few)
    codes, numbers = (np.concatenate(parts) for parts in zip(*((one.codes, one.numbers) for one in found), strict=True))
    return ChosenRows(stacked([one.X for one in found]), codes, numbers)


def digests_of(shard: Shard, common: tuple[int, RowCodes | None]) -> list[BlockPart]:
    """The digests of the blocks of a shard; and the rows at its ends, which belong to blocks of other shards, too."""
    d, coding = common
    return list(block_parts(doubles(shard.matrix()), codes_of(shard, coding), shard.start, d))


def digest_of_shards(shards: Shards, coding: RowCodes | None = None) -> str:
    """The digest of all rows."""
    digests = BlockDigests(shards.d)
    for parts in shards.ask("fingerprint", digests_of, (shards.d, coding)):
        for part in parts:
            digests.add(part)
    return digests.joined()
