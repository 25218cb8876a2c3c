"""Iterative parameter mixing: every shard learns from the mixed weights, and their results are mixed again.

    w(t+1) = sum_s m_s w_s,  where w_s is what one pass over shard s makes of w(t)

The shares m_s are at least 0 and add up to 1. If a hyperplane separates the rows with margin gamma, and R is the length
of the longest row, then the updates k_s of all passes obey

    sum_t sum_s m_s k_s  <=  (R/gamma)^2

from weights 0, with margin 0 (McDonald, Hall and Mann, NAACL 2010, theorem 3). Mixing only once, at the end, has
no such bound.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from rosenblatt.base.events import report_progress
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.classifiers.training.order import generator
from rosenblatt.classifiers.training.stop_decision import PASS_MESSAGE, Run
from rosenblatt.classifiers.training.stream_training import Trained
from rosenblatt.cluster.classifiers.checkpoints import RoundCheckpoints
from rosenblatt.cluster.classifiers.problem import ShardsProblem
from rosenblatt.cluster.shard import Shard
from rosenblatt.data import validation
from rosenblatt.errors import DataError

Mixing = Literal["mistakes", "uniform"]
SEED_LIMIT = 2**32
PlaceInOrder = tuple[NDArray[np.uint32], int]  # the state of the generator that draws the order of a shard


@sizeof.register(LinearLearner)  # type: ignore[untyped-decorator]
def size_of_learner(learner: LinearLearner) -> int:
    """The bytes of its arrays, for Dask and for the costs of a round."""
    return sum(held.nbytes for held in vars(learner).values() if isinstance(held, np.ndarray))


class Learned(NamedTuple):
    """What a shard made of the mixed weights."""

    learner: LinearLearner
    mistakes: int
    updates: int
    place: PlaceInOrder | None


def learn(shard: Shard, place: PlaceInOrder | None, common: tuple[LinearLearner, int]) -> Learned:
    """One pass over a shard.

    Parameters
    ----------
    shard : the rows
    place : the state of the generator of its order; None if the order is that of the rows
    common : the learner with the mixed weights, and the number of classes
    """
    learner, k = common[0].copy(), common[1]
    if place is None:
        order = shard.counted()
    else:
        rng = _generator_at(place)
        order, place = shard.shuffled(rng), place_of(rng)
    targets = validation.signs(shard.codes) if k == 2 else shard.codes
    mistakes, updates = learner.learn(shard.as_rows(learner.bias), targets, order, shard.weight())
    return Learned(learner, int(mistakes), int(updates), place)


def has_mistake(shard: Shard, common: tuple[LinearLearner, int]) -> bool:
    """Is a row of this shard on its wrong side?"""
    learner, k = common
    targets = validation.signs(shard.codes) if k == 2 else shard.codes
    return learner.first_mistake(shard.as_rows(learner.bias), targets, shard.counted()) >= 0


def place_of(rng: np.random.RandomState) -> PlaceInOrder:
    """The state of a generator."""
    state: Any = rng.get_state()
    return state[1], int(state[2])


def _generator_at(place: PlaceInOrder) -> np.random.RandomState:
    rng = np.random.RandomState(0)
    keys, at = place
    rng.set_state(("MT19937", keys, at, 0, 0.0))
    return rng


def first_places(random_state: Any, shards: int) -> list[PlaceInOrder]:
    """The generators of the shards at their start. The first shard has the order that all rows have in memory."""
    first = generator(random_state)
    seeds = copy.deepcopy(first).randint(SEED_LIMIT, size=shards, dtype=np.int64).tolist()
    return [place_of(first), *(place_of(generator(seed)) for seed in seeds[1:])]


def shares_of(learned: Sequence[Learned], mixing: Mixing) -> list[float]:
    """How much each shard counts: as many parts as it made updates, or the same for all."""
    updates = [one.updates for one in learned]
    total = sum(updates)
    if mixing == "mistakes" and total:
        return [number / total for number in updates]
    return [1 / len(learned)] * len(learned)


@dataclass(kw_only=True)
class MixingProblem(ShardsProblem):
    """Shards, and a learner whose weights they mix.

    Attributes
    ----------
    model : the estimator
    mixing : how the shares of the shards are chosen
    checkpoints : where the state is written after a round
    learner : the learner with the mixed weights
    places : the generators of the orders of the shards
    run : what happened so far
    mixed_updates : for each pass, the sum of the updates of the shards, each times its share
    """

    model: Any
    mixing: Mixing
    checkpoints: RoundCheckpoints
    learner: LinearLearner
    places: Sequence[PlaceInOrder | None]
    run: Run = field(default_factory=Run)
    mixed_updates: list[float] = field(default_factory=list)

    def train(self, callbacks: Callbacks | None = None) -> Trained:
        """Pass over all shards until a pass makes no mistake, at most `max_epochs` times."""
        name, most, over = type(self.model).__name__, self.model.max_epochs, False
        self.checkpoints.resume(self.restore)
        report_progress(name, len(self.run.mistakes_per_epoch), most, "{}", self.shards.engine.describe())
        while len(self.run.mistakes_per_epoch) < most and not over:
            if callbacks is not None:
                callbacks.begin()
            with self.checkpoints.saving(self.state):
                over = self.one_round()
            done = len(self.run.mistakes_per_epoch)
            cost = self.shards.rounds[-1]
            facts = done, most, self.run.mistakes_per_epoch[-1], cost.seconds, (cost.sent + cost.received) / 1e6
            report_progress(name, done, most, PASS_MESSAGE + ", {:.2f} s, {:.1f} MB moved", *facts)
            if callbacks is not None and callbacks.end(lambda: Trained(self.learner, self.run)) and not over:
                self.run.stop_reason, over = StopReason.CONDITION, True
        self.checkpoints.write(self.state)
        return Trained(self.learner, self.run, self.weight_range())

    def one_round(self) -> bool:
        """Let all shards make a pass, mix their weights, and return True if training is over."""
        shards, k = self.shards, len(self.shards.classes)
        learned = shards.ask("pass", learn, (self.learner, k), self.places)
        mistakes, updates = sum(one.mistakes for one in learned), sum(one.updates for one in learned)
        shares = shares_of(learned, self.mixing)
        mixture = self.learner.mixed([one.learner for one in learned], shares)
        self.learner, self.places = mixture, [one.place for one in learned]
        self.mixed_updates.append(float(sum(share * one.updates for share, one in zip(shares, learned, strict=True))))
        return self.run.end_pass(
            mixture,
            mistakes,
            updates,
            once_each=True,
            has_mistake=lambda: any(shards.ask("look for a mistake", has_mistake, (mixture, k))),
        )

    def weight_range(self) -> tuple[float, float]:
        """The smallest and the largest weight of the rows."""
        if not self.shards.is_weighted:
            return 1.0, 1.0
        ranges = self.shards.ask("range of the weights", range_of_weights)
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def state(self) -> State:
        """What a checkpoint holds."""
        arrays, facts = state_of(self.learner)
        held = {f"learner.{name}": array for name, array in arrays.items()}
        drawn = [place for place in self.places if place is not None]
        if drawn:
            held["order"] = np.stack([keys for keys, _ in drawn])
        described = {
            "kind": kind_of(self.learner),
            "learner": facts,
            "places": [place for _, place in drawn],
            "mistakes_per_epoch": self.run.mistakes_per_epoch,
            "n_updates": self.run.n_updates,
            "mixed_updates": self.mixed_updates,
        }
        return State(held, described)

    def restore(self, state: State) -> None:
        """Continue from what a checkpoint holds."""
        facts, arrays = state.facts, dict(state.arrays)
        try:
            keys = arrays.pop("order", None)
            own = {name.removeprefix("learner."): array for name, array in arrays.items()}
            self.learner = learner_of(facts["kind"], own, facts["learner"])
            if keys is not None:
                self.places = [(key, int(place)) for key, place in zip(keys, facts["places"], strict=True)]
            self.run.mistakes_per_epoch = [int(count) for count in facts["mistakes_per_epoch"]]
            self.run.n_updates = int(facts["n_updates"])
            self.mixed_updates = [float(number) for number in facts["mixed_updates"]]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The checkpoint does not belong to a fit of this kind: {error!r}.") from error


def range_of_weights(shard: Shard, _: None) -> tuple[float, float]:
    """The smallest and the largest weight of the rows that count."""
    weights = shard.weight()
    return float(weights[weights > 0].min(initial=np.inf)), float(weights.max(initial=0.0))
