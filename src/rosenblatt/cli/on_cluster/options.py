"""The options `--cluster` and `--workers`, and the cluster that a command works on."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import typer

from rosenblatt.base.words import count_of
from rosenblatt.cli.inputs import format_of
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError, MissingExtraError, ParameterError

LOCAL = "local"
CONNECT_SECONDS = 10


class ClusterOptions(NamedTuple):
    """Where to work."""

    cluster: Annotated[
        Text,
        typer.Option(
            help="Work on a cluster of Dask: local, or the address of a scheduler, such as tcp://host:8786. DATA are "
            "files that its workers can read; each file is a task."
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="With --cluster local: how many processes. Default: one for each core."),
    ] = None

    def refuse_workers_alone(self) -> None:
        """Raise if --workers is given where no local cluster is started."""
        if self.workers is not None and self.cluster != LOCAL:
            raise ParameterError("--workers is the size of a local cluster; give --cluster local too.")


@contextmanager
def on_cluster(options: ClusterOptions) -> Iterator[None]:
    """Start a local cluster or connect to a scheduler, and say where it is; in the block, Dask works there."""
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ModuleNotFoundError as error:
        raise MissingExtraError("--cluster", "dask") from error
    if options.cluster == LOCAL:
        started = LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,  # of workers that end before the scheduler
        )
        with started, Client(started) as client:
            _tell(client)
            yield
        return
    with (
        silence_logging_cmgr(logging.CRITICAL),
        _connected(options.cluster) as client,
        dask.config.set(scheduler=client),
    ):
        _tell(client)
        yield


def _connected(address: Text) -> Any:
    """A client of the scheduler at this address."""
    from distributed import Client

    try:
        # A client that is not the default one leaves Dask's configuration as it is if it cannot connect.
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            f"--cluster {address}: no scheduler of Dask answers there. Give local, or the address that "
            "`dask scheduler` prints, such as tcp://host:8786."
        ) from error


def reading_of(source: str, table: TableOptions) -> dict[str, Any]:
    """The options of reading files, as `cluster.Shards` takes them."""
    return table.for_read() | {"format": format_of(source, table.format)}


def _tell(client: object) -> None:
    """Say where the cluster is."""
    info = client.scheduler_info()  # type: ignore[attr-defined]
    size = count_of(len(info["workers"]), "worker")
    dashboard = client.dashboard_link  # type: ignore[attr-defined]
    typer.echo(f"cluster: {info['address']}, {size}; dashboard: {dashboard}", err=True)
