"""Load on loopback: single examples, batches of 100, predictions, and predictions while another client learns.

    python -m benchmarks.serve [--seconds 5] [--rounds 3] [--connections 8]

Each program runs in a process of its own; the load comes from this process, so both share the processors. The programs
are asked in turn, in a new order each round. rosenblatt writes every example to disk before it answers (`--durability
commit`); the peers write nothing.
"""

import argparse
import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.serve.load import HOST, Load, request, run, together

COLUMNS, BATCH, PREPARED = 20, 100, 200
OURS = "rosenblatt"


def examples(n: int, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, COLUMNS)).round(4)
    y = np.where(X @ np.arange(COLUMNS) + 3 * rng.standard_normal(n) > 0, "yes", "no")
    return [{"x": x, "y": label} for x, label in zip(X.tolist(), y.tolist(), strict=True)]


def singles(port: int, seed: int) -> list[bytes]:
    return [request("/v1/models/m/learn", json.dumps(one).encode(), port=port) for one in examples(PREPARED, seed)]


def batches(port: int, seed: int) -> list[bytes]:
    every = examples(PREPARED * BATCH // 4, seed)
    parts = [every[start : start + BATCH] for start in range(0, len(every), BATCH)]
    return [request("/v1/models/m/learn", json.dumps(part).encode(), port=port) for part in parts]


def predictions(port: int, seed: int) -> list[bytes]:
    rows = [{"x": one["x"]} for one in examples(PREPARED, seed)]
    return [request("/v1/models/m/predict", json.dumps(row).encode(), port=port) for row in rows]


def groups_of(work: str, port: int, connections: int) -> list[list[bytes]]:
    """The requests of each connection."""
    if work == "predict while learning":
        return [predictions(port, 0), *(batches(port, seed) for seed in range(1, 3))]
    make: Callable[[int, int], list[bytes]] = {"learn": singles, "learn 100": batches, "predict": predictions}[work]
    return [make(port, seed) for seed in range(connections)]


WORKS = ("learn", "learn 100", "predict", "predict while learning")


class Program:
    """A server in a process of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        with socket.create_server((HOST, 0)) as free:
            self.port = free.getsockname()[1]
        self.process = self.start(folder)
        self.wait()
        if name.startswith(OURS) and not any(one["name"] == "m" for one in self.get("/v1/models")["models"]):
            spec = {"name": "m", "columns": COLUMNS, "classes": ["no", "yes"], "algorithm": "perceptron"}
            self.post("/v1/models", spec)
        for one in examples(200, 99):
            self.post("/v1/models/m/learn", one)

    def start(self, folder: Path) -> "subprocess.Popen[bytes]":
        """Start the process."""
        command = [sys.executable, "-m", "benchmarks.serve.peers", self.name, str(self.port)]
        if self.name.startswith(OURS):
            durability = "os" if self.name.endswith("os") else "commit"
            models = str(folder / f"models-{durability}")
            command = [sys.executable, "-m", "rosenblatt.cli", "serve", models, "--durability", durability]
            command += ["--port", str(self.port)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603

    def wait(self) -> None:
        for _ in range(600):
            try:
                socket.create_connection((HOST, self.port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"{self.name} did not start")

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://{HOST}:{self.port}{path}") as answer:
            return json.load(answer)

    def post(self, path: str, content: Any) -> None:
        headers = {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"http://{HOST}:{self.port}{path}", json.dumps(content).encode(), headers)
        urllib.request.urlopen(asked).read()  # noqa: S310

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def measure(program: Program, work: str, connections: int, seconds: float) -> tuple[Load, Load | None]:
    """The load of this work; of predictions while learning, both."""
    loads = run(program.port, groups_of(work, program.port, connections), seconds)
    if work == "predict while learning":
        return loads[0], together(loads[1:])
    return together(loads), None


def table(console: Console, work: str, found: dict[str, list[tuple[Load, Load | None]]]) -> None:
    times = BATCH if work == "learn 100" else 1
    view = Table(title=f"{work}: median of the rounds (smallest - largest)", title_justify="left")
    for heading in ("", "examples/s", "p50 (ms)", "p99 (ms)", "errors", "learned beside, examples/s"):
        view.add_column(heading)
    for name, rounds in found.items():
        loads = [load for load, _ in rounds]
        beside = [other.rate * BATCH for _, other in rounds if other is not None]
        view.add_row(
            name,
            spread([load.rate * times for load in loads]),
            spread([load.percentile(50) for load in loads]),
            spread([load.percentile(99) for load in loads]),
            str(sum(load.errors for load in loads)),
            spread(beside) if beside else "",
        )
    console.print(view, "")


def spread(numbers: Sequence[float]) -> str:
    return f"{statistics.median(numbers):,.4g} ({min(numbers):,.4g} - {max(numbers):,.4g})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--programs", nargs="+", help="default: all")
    options = parser.parse_args()
    console, order = Console(width=150, highlight=False), random.Random(0)  # noqa: S311
    names = options.programs or [OURS, f"{OURS}, durability os", "river", "vw"]
    found: dict[str, dict[str, list[Any]]] = {work: {name: [] for name in names} for work in WORKS}
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for _ in range(options.rounds):
            for name in order.sample(names, len(names)):
                program = Program(name, Path(folder))
                try:
                    for work in WORKS:
                        found[work][name].append(measure(program, work, options.connections, options.seconds))
                finally:
                    program.stop()
    for work in WORKS:
        table(console, work, found[work])


if __name__ == "__main__":
    main()
