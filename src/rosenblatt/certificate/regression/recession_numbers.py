"""The numbers of recession rows among those of all rows, for rows of the data that come in parts.

The recession rows of a model come in two blocks. Each has the rows of the data in their order, some of them more than
once (k - 1 times in a multinomial model of k classes):

                 first block                        second block
    binomial     all rows that count                those with both outcomes
    Poisson      all rows that count                those with a count above 0
    multinomial  all rows that count, k - 1 times   none
    ordinal      all but those of the last class    all but those of the first class

So the number of a recession row follows from how many there are before it in its block, and in the first block.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.regression.recession_rows import ModelForm

Numbers = NDArray[np.int64]


def block_counts(codes: NDArray[Any], form: ModelForm) -> Numbers:
    """How many recession rows each row of the data has in the first block, and in the second one: 2 x n."""
    outcomes, k = form.outcomes(codes), len(form.labels)
    present = outcomes.is_present
    if form.model == "multinomial":
        return np.stack([(k - 1) * present, 0 * present])
    if form.model == "ordinal":
        return np.stack([present & (codes < k - 1), present & (codes > 0)]).astype(np.int64)
    flat = codes == (1 if form.model == "poisson" else outcomes.both)
    return np.stack([present, flat]).astype(np.int64)


def part_starts(counts: Sequence[Any]) -> Numbers:
    """The number of the first recession row of each part in each block.

    Parameters
    ----------
    counts : for each part of the rows, how many recession rows it has in both blocks
    """
    sizes = np.array(counts, dtype=np.int64).reshape(-1, 2)
    starts = np.cumsum(sizes, axis=0) - sizes
    starts[:, 1] += sizes[:, 0].sum()
    return starts


class RecessionNumbers(NamedTuple):
    """The numbers of the recession rows of some rows of the data.

    Attributes
    ----------
    counts : how many each row of the data has in both blocks
    starts : the number of the first of these
    """

    counts: Numbers
    starts: Numbers

    @classmethod
    def of_part(cls, counts: Numbers, start: Numbers) -> Self:
        """Those of consecutive rows, whose first recession rows have the numbers `start`."""
        return cls(counts, np.cumsum(counts, axis=1) - counts + start[:, np.newaxis])

    @classmethod
    def joined(cls, parts: Sequence["RecessionNumbers"]) -> Self:
        """Those of several parts, one after the other."""
        return cls(*(np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)))

    def take(self, rows: NDArray[Any]) -> "RecessionNumbers":
        return RecessionNumbers(self.counts[:, rows], self.starts[:, rows])

    def every(self) -> Numbers:
        """All numbers, in the order in which `recession_rows` gives the rows of this data."""
        counts, starts = self.counts.ravel(), self.starts.ravel()
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.asarray(np.repeat(starts, counts) + within)

    def rows_with(self, numbers: NDArray[Any]) -> Numbers:
        """The rows of the data that have any of these recession rows, in increasing order.

        The data must be consecutive rows.
        """
        found = [np.empty(0, np.int64)]
        for counts, starts in zip(self.counts, self.starts, strict=True):
            own = np.searchsorted(starts + counts, numbers, side="right")
            inside = own < len(starts)
            inside[inside] = numbers[inside] >= starts[own[inside]]
            found.append(own[inside])
        return np.unique(np.concatenate(found))
