"""A cluster of two worker processes on this machine, for the tests of a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import pytest


@contextmanager
def cluster_of_two() -> Iterator[Any]:
    """A `distributed` client; each of its two workers is a process that a nanny starts again if it dies."""
    from distributed import Client, LocalCluster

    options = {"distributed.comm.timeouts.connect": "30s", "distributed.worker.daemon": False}
    with (
        dask.config.set(options),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    """A client of two workers, for the tests of a file."""
    with cluster_of_two() as client:
        yield client


@pytest.fixture
def doomed_workers() -> Iterator[Any]:
    """A client of two workers, for one test. After ten kills or so, Dask's nannies start no new workers."""
    with cluster_of_two() as client:
        yield client
