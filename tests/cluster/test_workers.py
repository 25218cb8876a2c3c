"""Worker processes: they give the bits of one thread, and may die."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import dask
import pytest

from rosenblatt import cluster
from rosenblatt.cluster.classifiers import mixing
from tests.cluster.tables import equal_cuts, in_blocks, same_bits, table
from tests.support.effort import by_day


@pytest.mark.usefixtures("two_workers")
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_processes_and_workers_agree() -> None:
    X, y = table(300, 5, 3)
    given = in_blocks(X, y, [40, 100, 10, 150])
    on_workers = cluster.Perceptron(max_epochs=4).fit(*given)
    assert "2 workers" in cluster.Shards(*given).engine.describe()
    with dask.config.set(scheduler="synchronous"):
        assert same_bits(cluster.Perceptron(max_epochs=4).fit(*given), on_workers)
    with dask.config.set(scheduler="processes", num_workers=2):
        assert same_bits(cluster.Perceptron(max_epochs=4).fit(*given), on_workers)


def slow_at_one_worker(block: Any) -> Any:
    from distributed import get_worker

    time.sleep(0.02 * (get_worker().name == 0))
    return block


def test_shards_are_spread_over_the_workers() -> None:
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(**options) as workers,
        Client(workers) as client,
    ):
        X, y = in_blocks(*table(800, 5), equal_cuts(800, 40))
        shards = cluster.Shards(X.map_blocks(slow_at_one_worker, dtype=X.dtype), y)
        shards.engine.results(shards.handles)
        owners = [owner for owner, *_ in client.who_has(shards.handles).values()]
    assert len(owners) == 40
    assert [owners.count(owner) for owner in sorted(set(owners))] == [20, 20]


class Killer(threading.Thread):
    """Kills worker processes at random moments, until it has killed so many.

    It waits until all workers run, which takes a few seconds after each kill; else no fit would get anywhere.
    """

    def __init__(self, client: Any, kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.client, self.kills, self.random = client, kills, random.Random(seed)  # noqa: S311
        self.done = 0

    def run(self) -> None:
        while self.done < self.kills:
            time.sleep(0.05)
            nannies = list(self.client.cluster.workers.values())
            if all(nanny.process and nanny.process.status.name == "running" for nanny in nannies):
                time.sleep(self.random.uniform(0.0, 0.6))
                os.kill(self.random.choice(nannies).pid, signal.SIGKILL)
                self.done += 1


KILLS = 3  # of one cluster; at night there are 17 clusters


def under_kills(client: Any, seed: int, work: Callable[[], Any]) -> list[Any]:
    """Repeat some work while workers are killed, and give what it returned each time."""
    killer, results = Killer(client, KILLS, seed), []
    killer.start()
    while killer.is_alive():
        results.append(work())
    return results


@pytest.mark.parametrize("seed", range(by_day(1, 17)))
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_killed_workers_change_nothing(seed: int, doomed_workers: Any) -> None:
    X, y = table(3000, 6, 3)
    given = in_blocks(X, y, equal_cuts(3000, 6))
    with dask.config.set(scheduler="synchronous"):
        expected = cluster.Perceptron(max_epochs=30, average=True).fit(*given)
    models = under_kills(doomed_workers, seed, lambda: cluster.Perceptron(max_epochs=30, average=True).fit(*given))
    assert models
    assert all(same_bits(model, expected) for model in models)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_stragglers_and_the_order_of_arrival_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(300, 5, 3)
    given = in_blocks(X, y, equal_cuts(300, 8))
    expected = cluster.Perceptron(max_epochs=6, average="averaged").fit(*given)
    ended, pause, learn = list[int](), random.Random(0), mixing.learn  # noqa: S311

    def learn_late(shard: Any, *told: Any) -> Any:
        time.sleep(pause.uniform(0, 0.03))
        learned = learn(shard, *told)
        ended.append(shard.start)
        return learned

    monkeypatch.setattr(mixing, "learn", learn_late)
    with dask.config.set(scheduler="threads", num_workers=8):
        late = cluster.Perceptron(max_epochs=6, average="averaged").fit(*given)
    rounds = [ended[first : first + 8] for first in range(0, 48, 8)]
    assert len({tuple(arrived) for arrived in rounds}) > 1  # the shards ended in different orders
    assert same_bits(late, expected)
