"""Classifiers that learn row by row, on shards: `Perceptron` and `PassiveAggressive`, by iterative parameter mixing."""

from typing import Any, Self, get_args

import numpy as np

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import FilePath
from rosenblatt.classifiers import passive_aggressive, perceptron
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.training.order import ONCE_EACH
from rosenblatt.cluster.classifiers.checkpoints import RoundCheckpoints
from rosenblatt.cluster.classifiers.mixing import Mixing, MixingProblem, first_places
from rosenblatt.cluster.classifiers.shared_parameters import with_parameters_of
from rosenblatt.cluster.lazy_answers import AnswersLazily
from rosenblatt.cluster.shards import Round, Shards
from rosenblatt.errors import ParameterError


class LearnsOnShards(AnswersLazily, OnlineClassifier):
    """A classifier whose `fit` takes rows on a cluster. What it leaves is an ordinary model."""

    rounds_: list[Round]
    mixed_updates_: list[float]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        mixing: Mixing = "mistakes",
        checkpoint: FilePath | None = None,
        every_seconds: float = 30.0,
        resume: bool = False,
        **reading: Any,
    ) -> Self:
        """Learn from rows on a cluster, by iterative parameter mixing.

        In each pass every shard begins with the mixed weights and learns from its rows, all shards side by side. Then
        their weights are mixed. The fit ends when no shard makes a mistake in a pass, or after `max_epochs` passes.
        With one shard the result is that of the class of the same name in `rosenblatt`, to the last bit. The result
        depends on how the rows are divided, but not on the workers.

        Parameters
        ----------
        X : Shards, array, data frame or bag of Dask, path, or list of paths
            The rows; see `Shards`.
        y : array or column of Dask, or str
            The class labels; see `Shards`.
        sample_weight : array or column of Dask, optional
            The weight of each row; see `Shards`.
        mixing : {"mistakes", "uniform"}, default="mistakes"
            How much each shard counts in the mixture.

            - "mistakes": as many parts as it made updates in this pass, so that shards with hard rows count more.
            - "uniform": the same for all.
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
        parameters.check_argument("fit", "mixing", mixing, parameters.OneOf(*get_args(Mixing)))
        self._check_for_shards()
        shards = Shards.of(X, y, sample_weight, reading)
        shards.refuse_ignored_classes()
        problem = self._shards_problem(shards, mixing, checkpoint, every_seconds, resume)
        self._fit(problem, self.max_epochs, X, y)
        self.rounds_, self.mixed_updates_ = shards.rounds, problem.mixed_updates
        self._warn_of_budget(stacklevel=3)
        return self

    def _shards_problem(
        self, shards: Shards, mixing: Mixing, checkpoint: FilePath | None, every_seconds: float, resume: bool
    ) -> MixingProblem:
        """Return the learner at its start, and the orders of the shards."""
        checkpoints = RoundCheckpoints(checkpoint, every_seconds, resume, shards, self, mixing=mixing)
        k = len(shards.classes)
        learner = self._start(shards.classes, shards.d, np.arange(k), shards.weighed)
        shuffled = self.order == "shuffled"
        places = first_places(self.random_state, len(shards)) if shuffled else [None] * len(shards)
        return MixingProblem(
            shards=shards, model=self, mixing=mixing, checkpoints=checkpoints, learner=learner, places=places
        )

    def _check_for_shards(self) -> None:
        """Raise ParameterError if a parameter needs all rows at once."""
        name = type(self).__name__
        if self.order not in ONCE_EACH:
            raise ParameterError(f"{name}(order={self.order!r}) chooses among all rows; on a cluster, set 'shuffled'.")
        for option, off in (("held_out", None), ("warm_start", False)):
            value = getattr(self, option)
            if value != off:
                raise ParameterError(f"{name}({option}={value!r}) is for rows in memory; on a cluster, set {off!r}.")


@with_parameters_of(perceptron.Perceptron)
class Perceptron(LearnsOnShards, perceptron.Perceptron):
    r"""The perceptron on a cluster: shards learn side by side, and their weights are mixed after each pass.

    .. math:: w^{(t+1)} = \sum_s m_s w_s, \quad \text{where } w_s \text{ is a pass over shard } s \text{ from } w^{(t)}

    It has the parameters of `rosenblatt.Perceptron`, and leaves what that leaves: a model that predicts, saves and
    exports in the same way. `fit` takes rows on a cluster. A voted perceptron cannot be mixed.

    Attributes
    ----------
    rounds_ : list of Round
        What each round over the shards cost, in seconds and in bytes moved.
    mixed_updates_ : list of float
        For each pass, the sum of the updates of the shards, each times its share. In all they are at most
        :math:`(R/\gamma)^2`.

    See Also
    --------
    rosenblatt.Perceptron : The same rule for rows in memory.
    Shards : Rows on a cluster.

    Notes
    -----
    If a hyperplane separates the rows with margin :math:`\gamma`, and R is the length of the longest row, then
    :math:`\sum_t \sum_s m_s k_s \le (R/\gamma)^2`, where :math:`k_s` are the updates of shard s in pass t, from weights
    0 with margin 0.

    References
    ----------
    R. McDonald, K. Hall and G. Mann, Distributed training strategies for the structured perceptron, NAACL (2010),
    theorem 3.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import Perceptron
    >>> X = da.from_array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], chunks=(2, 2))
    >>> model = Perceptron().fit(X, da.from_array([0, 0, 0, 1], chunks=2))
    >>> print(model.stop_reason_, model.predict([[1, 1], [0, 1]]))
    mistake_free [1 0]
    """

    _saves_as = perceptron.Perceptron

    def _check_for_shards(self) -> None:
        super()._check_for_shards()
        if self.average == "voted":
            raise ParameterError(
                "Perceptron(average='voted') keeps all its weight vectors, and those of several shards cannot be "
                "mixed. Use average='averaged'."
            )


@with_parameters_of(passive_aggressive.PassiveAggressive)
class PassiveAggressive(LearnsOnShards, passive_aggressive.PassiveAggressive):
    """The passive-aggressive classifier on a cluster: shards learn side by side, and their weights are mixed.

    It has the parameters of `rosenblatt.PassiveAggressive`, and leaves what that leaves. `fit` takes rows on a cluster.
    With mixing="mistakes" the share of a shard is its part of all updates.

    Attributes
    ----------
    rounds_ : list of Round
        What each round over the shards cost, in seconds and in bytes moved.
    mixed_updates_ : list of float
        For each pass, the sum of the updates of the shards, each times its share.

    See Also
    --------
    rosenblatt.PassiveAggressive : The same rule for rows in memory.
    Shards : Rows on a cluster.

    References
    ----------
    R. McDonald, K. Hall and G. Mann, Distributed training strategies for the structured perceptron, NAACL (2010).

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import PassiveAggressive
    >>> X = da.from_array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], chunks=(2, 2))
    >>> model = PassiveAggressive().fit(X, da.from_array([0, 0, 0, 1], chunks=2))
    >>> print(model.stop_reason_, model.predict([[1, 1], [0, 1]]))
    mistake_free [1 0]
    """

    _saves_as = passive_aggressive.PassiveAggressive
