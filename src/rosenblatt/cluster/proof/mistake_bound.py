"""The bound on the updates of a perceptron, Novikoff's theorem, for rows on a cluster."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base.exact import root_below
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_claims import View, view
from rosenblatt.cluster.proof.verdict import ShardRows
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.errors import ParameterError
from rosenblatt.proof.mistake_bound import MistakeBound, constant_of, no_bound, proved_bound
from rosenblatt.proof.mistake_theorems import LargestMargin, largest_margin, novikoff_part, radius_of
from rosenblatt.proof.prove import Proof, Witness
from rosenblatt.proof.rounds.decide_rounds import (
    FIRST_ROWS,
    ChosenRows,
    ProofTest,
    Question,
    certificate_of,
    exact_rows,
)


class Asked(NamedTuple):
    """The rows among which the longest is asked for."""

    between: Sequence[int]
    constant: float
    labels: list[Any]
    d: int


def longest_in(shard: Shard, asked: Asked) -> float:
    """The length of the longest signed row of a shard, or a little more."""
    given = exact_rows(shard.matrix(), shard.codes, asked.d, asked.labels, None)
    return radius_of(view(given.table, given.codes, asked.between, asked.constant).signed)


class MarginByRounds:
    """The largest margin of rows with their constant: that of a few rows, tested on all, until no row changes it.

    Parameters
    ----------
    rows : all rows
    constant : the constant at the end of each row
    """

    def __init__(self, rows: ShardRows, constant: float) -> None:
        self.rows, self.constant, self.between = rows, constant, range(len(rows.labels))
        self.first = rows.first(FIRST_ROWS)

    def solve(self) -> LargestMargin | None:
        """The margin, with the numbers of all rows; None if no hyperplane separates them."""
        chosen = self.first
        while True:
            seen = self._seen(chosen)
            found = largest_margin(seen)
            if found is None:
                return None
            test = self._test(found, seen)
            answer = test.answer(
                self.rows.test(test, f"all rows are tested against the margin of {len(chosen.numbers)} rows", math.inf)
            )
            if answer.against is None:
                square = sum(number * number for number in found.w)
                return LargestMargin(found.w, found.bounds | {"lower": root_below(answer.least**2 / square)})
            chosen = chosen.joined(answer.against)

    def verdict(self) -> Certificate:
        """The proof that no hyperplane separates the rows."""
        found = Question(self.rows, self.first, self.between, self.constant, detail=False).decide(math.inf)
        if found.certificate is None:
            raise AssertionError("without a deadline there is a proof")
        return found.certificate

    def _seen(self, chosen: ChosenRows) -> View:
        """The signed rows, with their numbers among all rows."""
        rows = self.rows
        given = exact_rows(chosen.X, chosen.codes, rows.d, rows.labels, rows.names)
        seen = view(given.table, given.codes, self.between, self.constant)
        return seen._replace(numbers=chosen.numbers[seen.numbers])

    def _test(self, found: LargestMargin, seen: View) -> ProofTest:
        rows, none = self.rows, Witness([], [], [], {})
        proof = Proof(found.w, none, np.empty(0, np.int64), is_detailed=False)
        bar: Fraction = seen.signed.smallest_lead(found.w)
        return ProofTest(proof, seen, self.between, self.constant, rows.labels, rows.names, rows.d, bar)


def mistake_bound(X: Any, y: Any = None, *, bias: float = 1.0, **reading: Any) -> MistakeBound:
    r"""Bound the updates of a perceptron on a cluster: :math:`(R/\gamma)^2`.

    The bound holds for `rosenblatt.Perceptron` in any order of the rows, and for the sum of `mixed_updates_` of
    `cluster.Perceptron`.

    Parameters
    ----------
    X : Shards, array, data frame or bag of Dask, path, or list of paths
        The rows; see `Shards`.
    y : array or column of Dask, or str
        The class labels; see `Shards`.
    bias : float, default=1.0
        The constant at the end of each row, as in `Perceptron`. It counts in R and in gamma.
    **reading : object
        Options of reading files, such as `target`; see `read`.

    Returns
    -------
    MistakeBound
        The bound, with a certificate. It depends neither on the shards nor on the workers.

    See Also
    --------
    rosenblatt.mistake_bound : The bound for rows in memory, and for classes that overlap.
    verify : Checks the certificate on a cluster.

    References
    ----------
    A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata (1962); R. McDonald, K. Hall and G. Mann,
    Distributed training strategies for the structured perceptron, NAACL (2010), theorem 3.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import Perceptron, Shards, mistake_bound
    >>> X = da.from_array([[0, 0], [0, 1], [1, 0], [1, 1]], chunks=(2, 2))
    >>> rows = Shards(X, da.from_array([0, 0, 0, 1], chunks=2))
    >>> bound = mistake_bound(rows)
    >>> bound.max_updates, sum(Perceptron().fit(rows).mixed_updates_) <= bound.max_updates
    (51, True)
    """
    constant = constant_of(bias)
    shards = Shards.of(X, y, None, reading)
    if shards.is_weighted:
        raise ParameterError("mistake_bound counts all rows alike; give Shards without sample_weight.")
    rows = ShardRows(shards)
    search = MarginByRounds(rows, constant)
    found = search.solve()
    asked = Asked(search.between, constant, rows.labels, rows.d)
    radius = max(shards.ask("lengths of the rows", longest_in, asked))
    about = {"n": shards.n, "bias": constant}
    if found is None:
        return no_bound(search.verdict(), radius, about)
    part = novikoff_part(found, radius)
    return proved_bound(certificate_of(rows, "mistakes", search.between, constant, mistakes=part), about)
