"""Clusters of worker processes on this machine, and what memory the workers take."""

import collections
import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import dask
import psutil  # type: ignore[import-untyped]

SAMPLE_SECONDS = 0.02
UNLIMITED = 0
OPTIONS = {"distributed.comm.timeouts.connect": "60s", "distributed.worker.daemon": False}


@contextlib.contextmanager
def local_cluster(workers: int, memory_limit: int = UNLIMITED, folder: Path | None = None) -> Iterator[Any]:
    """A client of so many worker processes with one thread each.

    Parameters
    ----------
    workers : the number of processes
    memory_limit : bytes for each worker; 0 for no limit
    folder : where workers write what they have no memory for
    """
    from distributed import Client, LocalCluster

    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": True}
    if folder is not None:
        options["local_directory"] = str(folder)
    with (
        dask.config.set(OPTIONS),
        LocalCluster(**options, memory_limit=memory_limit, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(workers)
        yield client


def shards_of_workers(client: Any, handles: Sequence[Any]) -> list[int]:
    """The number of shards that each worker holds; a shard that Dask has copied counts for each."""
    owners = (owner for owners in client.who_has(handles).values() for owner in owners)
    return sorted(collections.Counter(owners).values())


class MemoryWatch:
    """Samples the resident memory of the workers of a cluster while a block runs.

    Attributes
    ----------
    peaks : for each worker, the most bytes that one of its processes took
    before : for each worker, the bytes that it took at the start
    restarts : how often a worker was started again
    """

    def __init__(self, client: Any) -> None:
        self._nannies = dict(client.cluster.workers)
        self.peaks: dict[Any, int] = dict.fromkeys(self._nannies, 0)
        self.before = {name: psutil.Process(nanny.pid).memory_info().rss for name, nanny in self._nannies.items()}
        self._pids = {name: {nanny.pid} for name, nanny in self._nannies.items()}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.is_set():
            for name, nanny in self._nannies.items():
                if nanny.pid is None:  # it is being started again
                    continue
                self._pids[name].add(nanny.pid)
                with contextlib.suppress(psutil.NoSuchProcess):
                    self.peaks[name] = max(self.peaks[name], psutil.Process(nanny.pid).memory_info().rss)
            time.sleep(SAMPLE_SECONDS)

    @property
    def restarts(self) -> int:
        return sum(len(pids) - 1 for pids in self._pids.values())


def spilled_bytes(client: Any) -> int:
    """The bytes that the workers have on disk now."""
    return sum(client.run(_spilled).values())


def _spilled(dask_worker: Any) -> int:
    held = dask_worker.data
    return int(held.spilled_total.disk) if hasattr(held, "spilled_total") else 0  # 0: there is no memory limit
