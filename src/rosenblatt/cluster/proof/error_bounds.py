"""Bounds of the fewest errors of any hyperplane, for rows on a cluster.

Witnesses of different shards share no row, so each of them costs an error of its own: the lower bounds of the shards
add up. For the upper bound, hyperplanes are tried on all rows: those that the shards found best, and the best one for a
sample of all rows.
"""

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import number_of
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.parameters import Flag, Integer, check_argument
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.cluster.proof.verdict import ShardRows
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.validation import Codes, Matrix, signs
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.decide import deadline_of
from rosenblatt.proof.error_bounds import ErrorBounds, bounds_of, check_hyperplane
from rosenblatt.proof.fewest_errors.best_hyperplane import OPERATIONS, best_hyperplane, weights_of
from rosenblatt.proof.fewest_errors.effort import Effort
from rosenblatt.proof.fewest_errors.search import FewestErrors, fewest_errors
from rosenblatt.proof.rounds.decide_rounds import FIRST_ROWS, Question, certificate_of, exact_rows

SEARCH_SHARE = 0.6  # of the time limit, for the searches of the shards; the rounds after them have the rest
MAX_CANDIDATES = 32  # hyperplanes of shards that are tried on all rows
SAMPLE_ROWS = 20_000


class Search(NamedTuple):
    """How a shard searches."""

    constant: float
    random_state: int
    seconds: float
    hyperplane: Hyperplane | None


class Found(NamedTuple):
    """What a shard found about its own rows."""

    w: list[int]
    error_rate: float
    witnesses: list[list[int]]  # by the numbers among all rows
    is_complete: bool


def signed(X: Matrix, codes: Codes, constant: float) -> Signed:
    """The signed rows of some points."""
    return Signed(exact_rows(X, codes, X.shape[1], [], None).table, signs(codes), constant)


def searched(shard: Shard, search: Search) -> Found:
    """Bounds of the fewest errors on the rows of a shard."""
    rows = signed(shard.matrix(), shard.codes, search.constant)
    if rows.constant and len(set(rows.y.tolist())) == 1:
        return Found([*[0] * rows.table.d, int(rows.y[0])], 0.0, [], True)
    deadline = time.monotonic() + search.seconds
    found = fewest_errors(rows, deadline, search.random_state, search.hyperplane)
    witnesses = [[row + shard.start for row in one] for one in found.witnesses]
    return Found(found.w, len(found.wrong) / shard.n, witnesses, found.is_complete)


def errors_in(shard: Shard, common: tuple[list[list[int]], float]) -> list[int]:
    """How many rows of a shard each of these hyperplanes gets wrong."""
    planes, constant = common
    rows = signed(shard.matrix(), shard.codes, constant)
    return [int(np.count_nonzero(rows.leads(w)[1] <= 0)) for w in planes]


def wrong_in(shard: Shard, common: tuple[list[int], float]) -> NDArray[np.int64]:
    """The rows of a shard that a hyperplane gets wrong."""
    w, constant = common
    return np.flatnonzero(signed(shard.matrix(), shard.codes, constant).leads(w)[1] <= 0) + shard.start


def error_bounds(
    X: Any,
    y: Any = None,
    *,
    through_origin: bool = False,
    time_limit: float | None = 10.0,
    hyperplane: Hyperplane | None = None,
    random_state: int = 0,
    **reading: Any,
) -> ErrorBounds:
    """Bound the fewest errors of any hyperplane on a cluster from below and above.

    Each shard searches among its own rows for rows that no hyperplane has all right, so the lower bound depends on the
    shards. Large shards give closer bounds. With one shard both bounds are those of `rosenblatt.error_bounds`.

    Parameters
    ----------
    X : Shards, array, data frame or bag of Dask, path, or list of paths
        The rows; see `Shards`.
    y : array or column of Dask, or str
        The class labels, of two classes; see `Shards`.
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : float or None, default=10.0
        In seconds, from the moment when the rows are loaded. It only cuts the searches short, which count operations,
        not seconds. If the time is over first, the bounds are true, but may be wider, and `complete` is False. The
        rounds that count errors and take the digest of all rows are made in any case.
    hyperplane : Hyperplane, optional
        A hyperplane to begin with, for example that of a `cluster.Perceptron`. The upper bound is then at most its
        errors.
    random_state : int, default=0
        The seed of the searches.
    **reading : object
        Options of reading files, such as `target`; see `read`.

    Returns
    -------
    ErrorBounds
        The bounds, with a certificate.

    See Also
    --------
    rosenblatt.error_bounds : The bounds for rows in memory.
    verify : Checks the certificate on a cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import error_bounds
    >>> X = da.from_array([[0], [1], [2], [5], [6], [7]], chunks=(3, 1))
    >>> bounds = error_bounds(X, da.from_array([0, 1, 0, 1, 0, 1], chunks=3))
    >>> bounds.lower, bounds.upper, bounds.witnesses
    (2, 2, [[0, 1, 2], [3, 4, 5]])
    """
    check_argument("error_bounds", "through_origin", through_origin, Flag())
    check_argument("error_bounds", "random_state", random_state, Integer(0))
    deadline_of(time_limit)
    shards = Shards.of(X, y, None, reading)
    if shards.is_weighted:
        raise ParameterError("error_bounds counts all rows alike; give Shards without sample_weight.")
    if len(shards.classes) > 2:
        raise DataError(f"error_bounds is for two classes; y has {len(shards.classes)}. Give it pairs of them.")
    if hyperplane is not None:
        check_hyperplane(hyperplane, shards.d, through_origin)
    constant = 0.0 if through_origin else 1.0
    return ErrorSearch(shards, constant, random_state, hyperplane, deadline_of(time_limit)).solve()


class ErrorSearch:
    """The search for bounds of the fewest errors.

    Parameters
    ----------
    shards : rows of two classes
    constant : the constant at the end of each row
    random_state : the seed
    given : a hyperplane to begin with
    deadline : when to give up, on the monotonic clock
    """

    def __init__(
        self, shards: Shards, constant: float, random_state: int, given: Hyperplane | None, deadline: float
    ) -> None:
        self.shards, self.rows, self.constant = shards, ShardRows(shards), constant
        self.random_state, self.given, self.deadline = random_state, given, deadline

    def solve(self) -> ErrorBounds:
        """The bounds, with their certificate."""
        turns = math.ceil(len(self.shards) / self.shards.engine.width())  # searches of a core, one after the other
        seconds = SEARCH_SHARE * (self.deadline - time.monotonic()) / turns
        search = Search(self.constant, self.random_state, seconds, self.given)
        found = self.shards.ask("search for witnesses", searched, search)
        answer = self._combined(found)
        certificate = certificate_of(self.rows, "errors", [0, 1], self.constant, errors=answer.to_part())
        return bounds_of(answer, certificate, self.shards.n)

    def _combined(self, found: Sequence[Found]) -> FewestErrors:
        """The best hyperplane for all rows, and the witnesses of all shards."""
        tries, constant = self._candidates(found), self.constant
        counts = np.sum(self.shards.ask("count of the errors", errors_in, (tries, constant)), axis=0)
        w, is_complete = tries[int(np.argmin(counts))], all(own.is_complete for own in found)
        witnesses = [witness for own in found for witness in own.witnesses]
        if counts.min() and not witnesses:  # every shard is separable by itself
            verdict = Question(self.rows, self.rows.first(FIRST_ROWS), range(2), constant, False).decide(self.deadline)
            if verdict.certificate is None:
                is_complete = False
            elif verdict.witness is not None:
                witnesses = [sorted(verdict.witness.rows)]
            else:
                w = [number_of(text) for text in verdict.certificate.body["hyperplane"]]
        wrong = np.concatenate(self.shards.ask("rows that are wrong", wrong_in, (w, constant)))
        return FewestErrors(w, wrong, witnesses, is_complete or len(witnesses) == len(wrong))

    def _candidates(self, found: Sequence[Found]) -> list[list[int]]:
        """The hyperplanes to try on all rows."""
        tries = [own.w for own in sorted(found, key=lambda own: own.error_rate)[:MAX_CANDIDATES]]
        if len(found) > 1:
            numbers = np.unique(np.linspace(0, self.shards.n - 1, SAMPLE_ROWS).astype(np.int64))
            rows = signed(*self.shards.take(numbers), self.constant)
            effort = Effort(OPERATIONS, self.deadline)
            tries.append(best_hyperplane(rows, self.given, effort, self.random_state, least=0)[0])
        if self.given is not None:
            tries.append(weights_of(self.given, self.constant))
        return tries
