"""What a round over shards takes: a formula, and its constants measured on this machine.

    handling = fixed + task s            (+ alone s, if tasks end one by one and not in batches)
    t = the longer of handling / (1 - idle k) and work * most,  + hops * latency

for s shards on k workers, of which the fullest has `most`. The scheduler handles tasks while workers work, so the
longer of the two counts. The workers are threads of this process and their tasks sleep, so that many workers run on two
cores; messages between client, scheduler and workers can be delayed. What all of them do takes the processor of one
process, so handling is measured as processor time. A real cluster has its workers elsewhere: `central_cost` measures
what is left for the process of client and scheduler.
"""

import asyncio
import collections
import contextlib
import gc
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from unittest import mock

import dask
import numpy as np

from benchmarks.cluster.local_clusters import local_cluster
from benchmarks.cluster.rows import Generated
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards

REPEATS = 5
ROWS, COLUMNS = 1000, 20  # of a shard: too much for Dask to move shards around
IDLE_SECONDS = 1.0


class Setting(NamedTuple):
    """A round: shards, workers, and in seconds the work on a shard and the delay of each message."""

    shards: int
    workers: int
    work: float = 0.0
    latency: float = 0.0


class Measured(NamedTuple):
    """Rounds in a setting: the median of their seconds and of their processor seconds, and where the shards are."""

    seconds: float
    processor: float
    idle: float  # processor seconds that the cluster takes in a second without work
    most: float  # shards of the fullest worker


@dataclass(frozen=True)
class RoundModel:
    """The constants, in seconds.

    Attributes
    ----------
    fixed : of a round
    task : more for each shard
    alone : more for each shard whose task does not end together with others
    idle : for each worker, the part of the processor that it takes without work
    hops : the messages of a round that wait for each other
    """

    fixed: float
    task: float
    alone: float
    idle: float
    hops: float

    def seconds(self, at: Setting, most: float) -> float:
        """The time of a round in which little travels."""
        handling = self.fixed + self.task * at.shards
        if at.work:
            handling += self.alone * at.shards
        busy = max(handling / (1 - self.idle * at.workers), at.work * most)
        return busy + self.hops * at.latency


def sleep(_: Shard, seconds: float) -> None:
    """A task that takes so long and no processor."""
    if seconds:
        time.sleep(seconds)


@contextlib.contextmanager
def delayed_messages(seconds: float) -> Iterator[None]:
    """Every message between client, scheduler and workers in this process takes so much longer."""
    from distributed.comm.inproc import InProc

    write = InProc.write

    async def later(self: Any, *given: Any, **options: Any) -> Any:
        await asyncio.sleep(seconds)
        return await write(self, *given, **options)

    with mock.patch.object(InProc, "write", later):
        yield


@contextlib.contextmanager
def threads_as_workers(workers: int) -> Iterator[Any]:
    """A client of workers that are threads of this process."""
    from distributed import Client, LocalCluster

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": False, "memory_limit": 0}
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(**options, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        yield client


def measured(settings: Sequence[Setting]) -> dict[Setting, Measured]:
    """Rounds in some settings, one cluster for each number of workers."""
    found = {}
    for workers in dict.fromkeys(one.workers for one in settings):
        with threads_as_workers(workers) as client:
            for number in dict.fromkeys(one.shards for one in settings if one.workers == workers):
                shards = tiny_shards(number)
                with frozen_objects():
                    for at in (one for one in settings if one[:2] == (number, workers)):
                        found[at] = _rounds(client, shards, at)
                del shards
    return found


@contextlib.contextmanager
def frozen_objects() -> Iterator[None]:
    """Within this block, garbage collection does not look at what is there now.

    All workers are in this process, so it would walk through the objects of all of them each time. With 64 workers
    and 1,024 shards that takes a second a round. On a real cluster each process has its own objects only.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def tiny_shards(number: int) -> Shards:
    """Small shards, loaded and used once."""
    shards = Shards(*Generated(ROWS * number, COLUMNS, number, noise=0.3).blocks())
    shards.ask("sleep", sleep, 0.0)
    return shards


def _rounds(client: Any, shards: Shards, at: Setting) -> Measured:
    before, idle = len(shards.rounds), idle_load()
    processor = []
    with delayed_messages(at.latency) if at.latency else contextlib.nullcontext():
        for _ in range(REPEATS):
            start = time.process_time()
            shards.ask("sleep", sleep, at.work)
            processor.append(time.process_time() - start)
    held: collections.Counter[str] = collections.Counter()
    for owners in client.who_has(shards.handles).values():
        for owner in owners:
            held[owner] += 1 / len(owners)  # type: ignore[assignment]
    seconds = statistics.median(one.seconds for one in shards.rounds[before:])
    return Measured(seconds, statistics.median(processor), idle, max(held.values()))


def idle_load() -> float:
    """The part of a processor that this process takes without work."""
    start = time.process_time()
    time.sleep(IDLE_SECONDS)
    return (time.process_time() - start) / IDLE_SECONDS


FEW, MANY = Setting(32, 16), Setting(256, 16)
ALONE, DELAYED = Setting(256, 16, work=0.02), Setting(32, 16, latency=0.02)


def calibrated() -> RoundModel:
    """The constants, from a few rounds on few shards."""
    found = measured([FEW, DELAYED, MANY, ALONE])

    def handling(at: Setting) -> float:
        return found[at].processor - found[at].idle * found[at].seconds

    task = (handling(MANY) - handling(FEW)) / (MANY.shards - FEW.shards)
    return RoundModel(
        fixed=max(0.0, handling(FEW) - task * FEW.shards),
        task=task,
        alone=max(0.0, (handling(ALONE) - handling(MANY)) / ALONE.shards),
        idle=float(np.mean([one.idle / at.workers for at, one in found.items()])),
        hops=(found[DELAYED].seconds - found[FEW].seconds) / DELAYED.latency,
    )


def central_cost(shards: int = 256) -> float:
    """Processor seconds a task takes client and scheduler, which share a process, when the workers are elsewhere."""
    with local_cluster(2):
        loaded, idle = tiny_shards(shards), idle_load()
        start, since = time.process_time(), time.perf_counter()
        for _ in range(REPEATS):
            loaded.ask("sleep", sleep, 0.005)
        taken = time.process_time() - start - idle * (time.perf_counter() - since)
    return taken / (REPEATS * shards)
