"""A scheduler that dies in the middle of a fit: the checkpoint leads to the bits of a fit that was not cut off."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest

from rosenblatt import cluster, write
from tests.cli.test_main import run
from tests.cluster.tables import same_bits, table

# A scheduler and a worker in one process, which prints the address.
CLUSTER = """
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0") as cluster:
        print(cluster.scheduler_address, flush=True)
        input()
"""
PASSES = 400


@pytest.fixture
def doomed() -> Iterator[Any]:
    """A cluster in a process of its own; its first line is its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    yield process
    process.kill()
    process.communicate()


def kill_when(path: Path, process: Any) -> threading.Thread:
    """Kill a process as soon as a file exists."""

    def wait_and_kill() -> None:
        while not path.exists():
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)

    killer = threading.Thread(target=wait_and_kill, daemon=True)
    killer.start()
    return killer


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_fit_goes_on_elsewhere(doomed: Any, tmp_path: Path) -> None:
    X, y = table(300, 4, 3)
    data, state, out = tmp_path / "data", tmp_path / "fit.state", tmp_path / "model"
    data.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(300), 3)):
        write(X[rows], y[rows], data / f"{number}.csv")
    address = doomed.stdout.readline().decode().strip()
    fit = ["fit", data, "--passes", PASSES, "--out", out, "--checkpoint", state]
    killer = kill_when(state, doomed)
    cut = run(*fit, "--cluster", address, "--every", 0)
    killer.join()
    assert (cut.code, out.exists()) == (2, False)
    assert cut.err.splitlines()[1:] == [
        f"checkpoint: {state}; the same command with --resume continues there",
        f"error: The scheduler {address} was lost. Start a cluster and run again; with a checkpoint, --resume goes on "
        "from there.",
    ]
    with dask.config.set(scheduler="synchronous"):
        model = cluster.Perceptron(average="averaged", max_epochs=PASSES)
        model.fit(data, checkpoint=state, resume=True)
        whole = cluster.Perceptron(average="averaged", max_epochs=PASSES).fit(data)
    assert 0 < sum(cost.what == "pass" for cost in model.rounds_) < PASSES
    assert same_bits(model, whole)
