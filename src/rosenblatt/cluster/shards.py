"""The rows of a cluster: shards that stay on the workers, and rounds that ask all of them."""

import copy
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from rosenblatt.base.words import count_of
from rosenblatt.cluster.engine import Engine, Handle, bytes_of, engine
from rosenblatt.cluster.shard import PartFacts, columns_of, facts_of, mark_of, rows_of, shard_of
from rosenblatt.cluster.sources import source_of
from rosenblatt.data.matrices import stacked
from rosenblatt.data.validation import Matrix
from rosenblatt.errors import DataError, ParameterError


class Round(NamedTuple):
    """What one round over all shards cost.

    Attributes
    ----------
    what : str
        What the shards were asked.
    seconds : float
        The time from the first message to the last answer.
    sent : int
        Bytes of weights and other numbers given to the tasks, all shards together.
    received : int
        Bytes of their answers.

    See Also
    --------
    Shards : Has the costs of all its rounds.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import Perceptron
    >>> X = da.from_array([[0.0], [1.0], [3.0], [4.0]], chunks=(2, 1))
    >>> model = Perceptron(order="cyclic").fit(X, da.from_array([0, 0, 1, 1], chunks=2))
    >>> [cost.what for cost in model.rounds_][:2], model.rounds_[-1].sent < 1000
    (['rows are loaded', 'pass'], True)
    """

    what: str
    seconds: float
    sent: int
    received: int


class Shards:
    """Labelled rows on a cluster, divided into shards that stay on the workers.

    Every function and classifier of `rosenblatt.cluster` takes it for X, without y. Make it once to ask several
    questions about the same rows. The rows come in the order of the blocks, partitions or files.

    Parameters
    ----------
    X : array, data frame or bag of Dask, path, or list of paths
        The rows. The items of a bag are pairs of a row (a dict of numbers by name, or a list of numbers) and its label.
        Paths are files, folders of files, or patterns; each file is a shard, and is read by a worker.
    y : array or column of Dask, or str
        The class labels, divided as X is; or the name of a column of the data frame. Not given for bags and files.
    sample_weight : array or column of Dask, optional
        The weight of each row; 1 if not given.
    **reading : object
        Options of reading files, such as `target`; see `read`. The beginning of the first file settles how the columns
        of all files are read.

    Attributes
    ----------
    n : int
        The number of rows.
    d : int
        The number of columns.
    classes : array of shape (k,)
        The sorted labels.
    counts : array of shape (k,)
        The number of rows of each class.
    feature_names : list of str, or None
        The names of the columns, if they have names.
    sizes : list of int
        The number of rows of each shard.
    nbytes : int
        The memory that the rows take, all shards together.
    rounds : list of Round
        What each round over the shards cost, in seconds and in bytes moved.

    See Also
    --------
    Perceptron : Learns from it.
    separability : Decides whether a hyperplane separates its classes.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import Shards
    >>> X = da.from_array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], chunks=(2, 2))
    >>> Shards(X, da.from_array([0, 0, 0, 1], chunks=2))
    <Shards: 4 rows x 2 columns, 2 classes, in 2 shards>
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> None:
        self.engine: Engine = engine()
        self.rounds: list[Round] = []
        source = source_of(self.engine, X, y, sample_weight, reading)
        parts = self.engine.keep(source.tasks)
        facts = self.ask_about("rows are loaded", facts_of, None, parts)
        there = [at for at, fact in enumerate(facts) if fact.n]
        if not there:
            raise DataError("There are no rows.")
        facts, parts = [facts[at] for at in there], [parts[at] for at in there]
        self.feature_names = _names(facts)
        self.classes, self.counts, self.weighed = _classes(facts)
        self.d = max(fact.d for fact in facts)
        if not facts[0].is_sparse and min(fact.d for fact in facts) < self.d:
            raise DataError(f"All blocks must have the same columns; they have {sorted({fact.d for fact in facts})}.")
        self.class_counts = np.zeros((len(facts), len(self.classes)), np.int64)  # one line a shard
        for own, fact in zip(self.class_counts, facts, strict=True):
            own[np.searchsorted(self.classes, fact.labels)] = fact.counts
        self.sizes, self.nbytes = [fact.n for fact in facts], sum(fact.size for fact in facts)
        self.n = sum(self.sizes)
        self.encoding = source.encoding
        self.is_weighted = sample_weight is not None
        self.starts: list[int] = [0, *np.cumsum(self.sizes).tolist()[:-1]]
        self.handles = self.engine.spread(shard_of, (self.classes, self.d), parts, self.starts)

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, reading: dict[str, Any]) -> Self:
        """Return X itself if it is one, else the shards of what was given.

        Parameters
        ----------
        X, y, sample_weight : object
            What `Shards` takes, or Shards and nothing else.
        reading : dict
            Options of reading files.

        Returns
        -------
        Shards
            The rows.
        """
        if not isinstance(X, cls):
            return cls(X, y, sample_weight, **reading)
        given = {"y": y, "sample_weight": sample_weight, **reading}
        extra = next((name for name, value in given.items() if value is not None), None)
        if extra is not None:
            raise ParameterError(f"{extra}=... must be left out with Shards, which have their labels and weights.")
        return X

    def refuse_ignored_classes(self) -> None:
        """Raise if all rows of a class have the weight 0.

        Raises
        ------
        DataError
            There is such a class.
        """
        if not self.weighed.all():
            ignored = self.classes.tolist()[int(np.argmin(self.weighed))]
            raise DataError(
                f"sample_weight is zero for every row of class {ignored!r}; leave those rows out, or give one a weight."
            )

    def of_columns(self, columns: NDArray[np.int64], names: list[str] | None) -> "Shards":
        """Return shards with some of the columns.

        Parameters
        ----------
        columns : array of int
            The numbers of the columns.
        names : list of str, or None
            Their new names.

        Returns
        -------
        Shards
            The same rows. Both have one list of rounds.
        """
        few = copy.copy(self)
        few.handles, few.feature_names, few.d = self.start(columns_of, columns), names, len(columns)
        return few

    def __len__(self) -> int:
        return len(self.handles)

    def __repr__(self) -> str:
        size = f"{count_of(self.n, 'row')} x {count_of(self.d, 'column')}, {count_of(len(self.classes), 'class')}"
        return f"<Shards: {size}, in {count_of(len(self), 'shard')}>"

    def ask(
        self,
        what: str,
        function: Callable[..., Any],
        common: Any = None,
        *each: Sequence[Any],
        deadline: float = math.inf,
    ) -> list[Any]:
        """Ask every shard, and bring the answers here.

        Parameters
        ----------
        what : str
            The question in words, for `rounds`.
        function : callable
            It is called on a worker, as `function(shard, *one of each, common)`.
        common : object, optional
            What all shards are told.
        *each : sequences
            What each shard is told, one entry a shard.
        deadline : float, optional
            When to give up, on the monotonic clock.

        Returns
        -------
        list
            The answers, in the order of the shards.
        """
        return self.ask_about(what, function, common, self.handles, *each, deadline=deadline)

    def start(self, function: Callable[..., Any], common: Any = None, *each: Sequence[Any]) -> list[Handle]:
        """Ask every shard, and keep the answers on the workers.

        Parameters
        ----------
        function : callable
            See `ask`.
        common : object, optional
            See `ask`.
        *each : sequences
            See `ask`.

        Returns
        -------
        list
            Handles of the answers, which can be an entry of `each`.
        """
        return self.engine.start(function, common, self.handles, *each)

    def ask_about(
        self, what: str, function: Callable[..., Any], common: Any, *each: Sequence[Any], deadline: float = math.inf
    ) -> list[Any]:
        """Ask about objects that the workers keep, and bring the answers here.

        Parameters
        ----------
        what : str
            See `ask`.
        function : callable
            It is called on a worker, as `function(*one of each, common)`.
        common : object
            See `ask`.
        *each : sequences
            Handles of the objects, and what else each call is told.
        deadline : float, optional
            See `ask`.

        Returns
        -------
        list
            The answers, in order.
        """
        start = time.perf_counter()
        asked = function if deadline == math.inf else partial(_before, deadline, function)
        answers = self.engine.results(self.engine.start(asked, common, *each), deadline)
        sent = len(answers) * bytes_of(common) + sum(sizeof(own) for given in each[1:] for own in given)
        self.rounds.append(Round(what, time.perf_counter() - start, sent, sum(map(sizeof, answers))))
        return answers

    def take(self, numbers: NDArray[np.int64]) -> tuple[Matrix, NDArray[np.int64]]:
        """Bring a few rows here.

        Parameters
        ----------
        numbers : array of int
            Their numbers among all rows.

        Returns
        -------
        matrix of shape (m, d), array of shape (m,)
            The rows and their classes, in the order of the numbers.
        """
        owners = np.searchsorted(self.starts, numbers, side="right") - 1
        asked, place_of = np.unique(owners, return_inverse=True)
        own = [numbers[owners == s] for s in asked.tolist()]
        parts = self.ask_about("rows are fetched", rows_of, None, [self.handles[s] for s in asked.tolist()], own)
        order = np.argsort(np.argsort(place_of, kind="stable"), kind="stable")
        return stacked([part[0] for part in parts])[order], np.concatenate([part[1] for part in parts])[order]

    def marks(self) -> list[int]:
        """Take a fingerprint of each shard.

        Returns
        -------
        list of int
            The fingerprints.
        """
        return self.ask("fingerprint", mark_of)


def _before(deadline: float, function: Callable[..., Any], *given: Any) -> Any:
    """Call a function unless the deadline has passed. Other machines have other clocks; their tasks are cancelled."""
    if time.monotonic() > deadline:
        return None
    return function(*given)


def _names(facts: Sequence[PartFacts]) -> list[str] | None:
    names = facts[0].names
    for number, fact in enumerate(facts):
        if fact.names != names:
            raise DataError(
                f"All blocks must have the same columns; block {number} has {(fact.names or [])[:8]}, the first has "
                f"{(names or [])[:8]}."
            )
    return names


def _classes(facts: Sequence[PartFacts]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.float64]]:
    """The sorted labels of all parts, how many rows each class has, and the sum of their weights."""
    kinds = {fact.labels.dtype.kind in "OUT" for fact in facts}
    if len(kinds) > 1:
        words, numbers = (
            next(f.labels.tolist()[0] for f in facts if (f.labels.dtype.kind in "OUT") == kind)
            for kind in (True, False)
        )
        raise DataError(f"Labels of one type were expected in all blocks, not {words!r} and {numbers!r}.")
    classes: NDArray[Any] = np.unique(np.concatenate([fact.labels for fact in facts]))
    if len(classes) < 2:
        raise DataError(f"y must hold at least 2 classes; its labels are of one class, {classes.tolist()}.")
    counts, weighed = np.zeros(len(classes), np.int64), np.zeros(len(classes))
    for fact in facts:
        own = np.searchsorted(classes, fact.labels)
        counts[own] += fact.counts
        weighed[own] += fact.weighed
    return classes, counts, weighed
