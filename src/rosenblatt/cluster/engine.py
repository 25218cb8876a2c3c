"""Where tasks run: on a `distributed` client, or on one of Dask's schedulers without a cluster.

An engine keeps objects and runs functions on them, one task an object. Results come back in the order of the objects,
whatever the order in which the tasks end, so the answer does not depend on the workers. If several tasks raise an error
of this package, it is the error of the first object.
"""

import math
import os
import pickle
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Protocol

import dask
from dask.delayed import Delayed
from dask.sizeof import sizeof

from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.base.words import count_of
from rosenblatt.cluster.attempts import Attempt, without_failures
from rosenblatt.errors import DataError
from rosenblatt.errors.wording import Words, worded

THREADS = "threads"  # Dask's scheduler, if nothing else is asked for
INLINE_BYTES = 1_000_000  # that the tasks of a round carry, all together; larger messages are sent once to each worker
MAX_RETRIES = 20  # of tasks whose workers died more often than Dask allows

Handle = Any  # what an engine keeps: a future of a cluster, or the object itself


class Engine(Protocol):
    """Keeps objects, and runs functions on them."""

    def keep(self, tasks: Sequence[Delayed]) -> list[Handle]:
        """Run these tasks, and keep their results where they are."""
        ...

    def start(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        """Run `function(*one of each, common)` for all objects side by side, and keep the results where they are."""
        ...

    def spread(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        """Do what `start` does, and keep about as many results on each worker, for its threads."""
        ...

    def results(self, handles: Sequence[Handle], deadline: float = math.inf) -> list[Any]:
        """Bring kept objects here, in their order.

        Raises
        ------
        OutOfTime
            They are not there at the deadline, on the monotonic clock.
        """
        ...

    def width(self) -> int:
        """The number of tasks that run side by side."""
        ...

    def describe(self) -> str:
        """Say where the tasks run."""
        ...


def engine() -> Engine:
    """The engine that Dask would use now: the active client if there is one, else the scheduler that is set."""
    chosen = dask.config.get("scheduler", None)
    if "distributed" in sys.modules:
        from distributed import Client, default_client

        if isinstance(chosen, Client):
            return OnClient(chosen)
        if chosen in ("dask.distributed", "distributed"):
            return OnClient(default_client())
    return OnScheduler(THREADS if chosen is None else chosen)


class OnScheduler:
    """Dask's scheduler of threads or of processes, without a cluster. Objects are kept in this process.

    Parameters
    ----------
    scheduler : "threads", "processes", "synchronous", or what else `dask.compute` takes
    """

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self._options: dict[str, Any] = {"scheduler": scheduler}
        if scheduler in ("processes", "multiprocessing") and dask.config.get("pool", None) is None:
            self._options |= {"pool": _lasting_pool(self), "chunksize": 1}

    def keep(self, tasks: Sequence[Delayed]) -> list[Handle]:
        return list(dask.compute(*tasks, **self._options))

    def start(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        task = dask.delayed(Attempt(function), pure=False, traverse=False)
        tasks = [task(*own, common) for own in zip(*each, strict=True)]
        return list(dask.compute(*tasks, **self._options, optimize_graph=False))

    def spread(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        return self.start(function, common, *each)

    def results(self, handles: Sequence[Handle], deadline: float = math.inf) -> list[Any]:
        afford(0.0, deadline)
        return without_failures(handles)

    def width(self) -> int:
        return 1 if self.scheduler in ("synchronous", "sync", "single-threaded") else _cores()

    def describe(self) -> str:
        return f"Dask's scheduler {self.scheduler!r}, without a cluster"


class OnClient:
    """A `distributed` client. Objects are kept on the workers; Dask makes again what a worker that died had kept.

    Parameters
    ----------
    client : the client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        # Answers that were read are released after the next question: a message that follows another one within 10 ms
        # waits for that time to pass, and the question should not wait.
        self._read: Sequence[Handle] = ()

    def keep(self, tasks: Sequence[Delayed]) -> list[Handle]:
        return list(self.client.compute(list(tasks)))

    def start(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        if not each[0]:
            return []
        many = len(each[0])
        if bytes_of(common) * many > INLINE_BYTES:
            # It becomes the result of a task: it is sent once, and Dask can make it again. This takes about 10 ms.
            common = self.client.submit(_itself, common, pure=False)
        handles = list(self.client.map(Attempt(function), *each, [common] * many, pure=False))
        self._read = ()
        return handles

    def spread(self, function: Callable[..., Any], common: Any, *each: Sequence[Any]) -> list[Handle]:
        # By itself, Dask would leave an object with the worker that was free first, and later rounds would wait for the
        # worker with the most. Others may take over, so a worker may die.
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        threads = [address for address, facts in workers.items() for _ in range(facts["nthreads"])]
        if not threads:  # workers will come
            return self.start(function, common, *each)
        shared, tasks = self.client.submit(_itself, common, pure=False), list(zip(*each, strict=True))
        attempt, options = Attempt(function), {"pure": False, "allow_other_workers": True}
        return [
            self.client.submit(attempt, *own, shared, workers=threads[at * len(threads) // len(tasks)], **options)
            for at, own in enumerate(tasks)
        ]

    def results(self, handles: Sequence[Handle], deadline: float = math.inf) -> list[Any]:
        from distributed import KilledWorker, wait

        if deadline < math.inf:
            try:
                wait(list(handles), timeout=max(0.0, deadline - time.monotonic()))
            except TimeoutError as error:
                self.client.cancel(list(handles))
                raise OutOfTime from error
        self._read = handles
        for _ in range(MAX_RETRIES):
            try:
                return without_failures(self._gathered(handles))
            except KilledWorker:
                self._run_again([handle for handle in handles if handle.status == "error"])
        return without_failures(self._gathered(handles))

    def _run_again(self, failed: list[Handle]) -> None:
        """Let Dask run tasks again that it has given up, and those that they need."""
        try:
            self.client.retry(failed)
        except KeyError:
            # A task that they need had failed, and its result is not kept by this client, such as a part that became a
            # shard. Dask has begun to run it again, but this client does not wait for the others yet.
            self.client.retry(failed)

    def _gathered(self, handles: Sequence[Handle]) -> list[Any]:
        from distributed.client import FutureCancelledError

        try:
            return list(self.client.gather(list(handles)))
        except (FutureCancelledError, OSError) as error:
            if isinstance(error, FutureCancelledError) or self.client.status != "running":
                said = worded(
                    f"The scheduler {self.client.scheduler.address} was lost. Start a cluster and run again; with a "
                    "checkpoint, {resume} goes on from there.",
                    resume=Words("resume=True", "--resume"),
                )
                raise DataError(said) from error
            raise

    def width(self) -> int:
        return max(1, int(sum(self.client.nthreads().values())))

    def describe(self) -> str:
        info = self.client.scheduler_info()
        return f"{info['address']}, {count_of(len(info['workers']), 'worker')}"


def _lasting_pool(owner: object) -> ProcessPoolExecutor:
    """Processes that last as long as their owner. Dask by itself starts new ones for every round."""
    from dask.multiprocessing import get_context, initialize_worker_process

    pool = ProcessPoolExecutor(_cores(), get_context(), initialize_worker_process)
    weakref.finalize(owner, pool.shutdown, wait=False)
    return pool


def _cores() -> int:
    """How many threads or processes Dask's own schedulers use."""
    return int(dask.config.get("num_workers", None) or os.cpu_count() or 1)


def bytes_of(message: Any) -> int:
    """How many bytes a message takes."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    except (AttributeError, TypeError, pickle.PicklingError):  # a function without a name, which Dask can send
        return int(sizeof(message))
    return len(head) + sum(buffer.raw().nbytes for buffer in buffers)


def _itself(thing: Any) -> Any:
    return thing
