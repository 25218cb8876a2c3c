"""The batch perceptron on a cluster: each pass is one round, which adds up the mistakes of all shards."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import FilePath
from rosenblatt.base.events import report_progress
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers import batch_perceptron
from rosenblatt.classifiers.batch_perceptron import Reached, descent_of, reached, state_of
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.descent import Descent, Mistakes
from rosenblatt.classifiers.training.learner import TIES
from rosenblatt.classifiers.training.scores import initial
from rosenblatt.classifiers.training.stop_decision import PASS_MESSAGE
from rosenblatt.cluster.classifiers.checkpoints import RoundCheckpoints
from rosenblatt.cluster.classifiers.problem import ShardsProblem
from rosenblatt.cluster.classifiers.shared_parameters import with_parameters_of
from rosenblatt.cluster.lazy_answers import AnswersLazily
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Round, Shards
from rosenblatt.data.validation import Floats, targets
from rosenblatt.data.weights import class_weights
from rosenblatt.errors import ParameterError


class Question(NamedTuple):
    """What a shard is asked: which rows do these weights get wrong?"""

    w: Floats
    price: Floats
    tie: float
    bias: float
    classes: Any


def look(shard: Shard, asked: Question) -> Mistakes:
    """Add up the mistakes of a shard."""
    descent, y = Descent(asked.w, asked.price, asked.tie), targets(shard.codes, asked.classes)
    descent.look(shard.as_rows(asked.bias), y, shard.weight(), shard.counted())
    return Mistakes(int(descent.count), float(descent.weighed), float(descent.rest), descent.high, descent.low)


@dataclass(kw_only=True)
class ShardsDescent(ShardsProblem):
    """Shards, and the descent that looks at their rows."""

    model: Any
    descent: Descent
    checkpoints: RoundCheckpoints

    def train(self, callbacks: Callbacks | None = None) -> Reached:
        """Look and step until a condition for stopping holds."""
        name, model, reason = "BatchPerceptron", self.model, None
        self.checkpoints.resume(self.restore)
        if self.passes:
            reason = model._reason(self.descent, self.passes)
        report_progress(name, self.passes, model.max_epochs, "{}", self.shards.engine.describe())
        while reason is None and self.passes < model.max_epochs:
            if callbacks is not None:
                callbacks.begin()
            with self.checkpoints.saving(self.state):
                reason = self.one_round()
            facts = self.passes, model.max_epochs, self.descent.mistakes[-1], self.descent.best.errors
            report_progress(name, self.passes, model.max_epochs, PASS_MESSAGE + ", {:g} at best", *facts)
            if callbacks is not None and callbacks.end(partial(reached, self.descent, reason)):
                reason = reason or StopReason.CONDITION
        self.checkpoints.write(self.state)
        return self.descent, reason or StopReason.BUDGET

    @property
    def passes(self) -> int:
        """The passes made."""
        return len(self.descent.mistakes)

    def one_round(self) -> StopReason | None:
        """Look at all rows, and step unless a condition for stopping holds; return it."""
        descent, model, t = self.descent, self.model, self.passes + 1
        descent.start()
        asked = Question(descent.w, descent.price, descent.tie, float(model.bias), self.shards.classes)
        for found in self.shards.ask("pass", look, asked):
            descent.add(found)
        descent.end(t)
        reason: StopReason | None = model._reason(descent, t)
        if reason is None and t < model.max_epochs:
            descent.go(model._eta(t))
        return reason

    def state(self) -> State:
        """What a checkpoint holds."""
        return state_of(self.descent)

    def restore(self, state: State) -> None:
        """Continue from what a checkpoint holds."""
        self.descent = descent_of(state, TIES[self.model.tie])


@with_parameters_of(batch_perceptron.BatchPerceptron)
class BatchPerceptron(AnswersLazily, batch_perceptron.BatchPerceptron):
    r"""The batch perceptron of rows on a cluster: add all rows that are wrong at once.

    It has the parameters of `rosenblatt.BatchPerceptron`, and leaves what that leaves. `fit` takes rows on a cluster.
    Each pass is one round. `shift` needs all rows in one place, and must be False.

    Attributes
    ----------
    rounds_ : list of Round
        What each round over the shards cost, in seconds and in bytes moved.

    See Also
    --------
    rosenblatt.BatchPerceptron : The same rule for rows in memory.
    Shards : Rows on a cluster.

    Notes
    -----
    The result is that of `rosenblatt.BatchPerceptron`, however the rows are divided: shards add up their mistakes with
    twice the digits of a float, and these sums are added in the same way.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import BatchPerceptron
    >>> X = da.from_array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], chunks=(2, 2))
    >>> model = BatchPerceptron().fit(X, da.from_array([0, 0, 0, 1], chunks=2))
    >>> print(model.stop_reason_, "with", model.n_errors_, "errors")
    mistake_free with 0.0 errors
    """

    _saves_as = batch_perceptron.BatchPerceptron
    rounds_: list[Round]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        checkpoint: FilePath | None = None,
        every_seconds: float = 30.0,
        resume: bool = False,
        **reading: Any,
    ) -> Self:
        """Pass over all rows and step, until a condition for stopping holds; `stop_reason_` says which.

        Parameters
        ----------
        X : Shards, array, data frame or bag of Dask, path, or list of paths
            The rows; see `Shards`.
        y : array or column of Dask, or str
            The class labels; see `Shards`.
        sample_weight : array or column of Dask, optional
            The weight of each row; see `Shards`.
        checkpoint : path, optional
            A file that records the state after a pass. It is written every `every_seconds`, and when a pass fails.
        every_seconds : float, default=30.0
            Seconds between two checkpoints.
        resume : bool, default=False
            Continue from the checkpoint, if there is one, to the same bits; other data or parameters are refused.
        **reading : object
            Options of reading files, such as `target`; see `read`.

        Returns
        -------
        Self
            The fitted estimator.
        """
        parameters.check(self, self._constraints)
        if self.shift:
            raise ParameterError("BatchPerceptron(shift=True) needs all rows in one place; on a cluster, set False.")
        shards = Shards.of(X, y, sample_weight, reading)
        shards.refuse_ignored_classes()
        k = len(shards.classes)
        prices = class_weights(self.class_weight, shards.classes, np.arange(k), shards.weighed)
        descent = Descent(initial(self.init, k, shards.d), prices, TIES[self.tie])
        checkpoints = RoundCheckpoints(checkpoint, every_seconds, resume, shards, self)
        problem = ShardsDescent(shards=shards, model=self, descent=descent, checkpoints=checkpoints)
        self._fit(problem, self.max_epochs, X, y)
        self.rounds_ = shards.rounds
        self._warn_of_budget(stacklevel=3)
        return self
