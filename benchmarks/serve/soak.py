"""Ten minutes of mixed load: memory must stay bounded while the log is compacted, and no request may fail.

    python -m benchmarks.serve.soak [--minutes 10] [--picture build/soak.png]

Two connections learn in batches of 100, one learns single examples, two predict. A snapshot is taken every 5,000
examples, and the log keeps 20,000. The picture has the resident memory of the service and the size of its files.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import matplotlib as mpl
import psutil  # type: ignore[import-untyped]

from benchmarks.serve.__main__ import Program, batches, predictions, singles
from benchmarks.serve.load import run, together

mpl.use("agg")
MB = 1e6


class SmallLog(Program):
    """The service with frequent snapshots and a short log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "models"
        super().__init__("rosenblatt", folder)

    def start(self, folder: Path) -> "subprocess.Popen[bytes]":  # noqa: ARG002
        options = ["--snapshot-every", "5000", "--keep-examples", "20000", "--keep-snapshots", "3"]
        command = [sys.executable, "-m", "rosenblatt.cli", "serve", str(self.folder), "--port", str(self.port)]
        return subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL)  # noqa: S603


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--picture", type=Path, default=Path("build/soak.png"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        service = SmallLog(Path(folder))
        rows: list[tuple[float, float, float]] = []
        over, start = threading.Event(), time.monotonic()

        def sample() -> None:
            process = psutil.Process(service.process.pid)
            while not over.wait(1.0):
                files = sum(path.stat().st_size for path in service.folder.rglob("*") if path.is_file())
                rows.append((time.monotonic() - start, process.memory_info().rss / MB, files / MB))

        watcher = threading.Thread(target=sample)
        watcher.start()
        port = service.port
        groups = [batches(port, 1), batches(port, 2), singles(port, 3), predictions(port, 4), predictions(port, 5)]
        loads = run(port, groups, 60 * options.minutes)
        over.set()
        watcher.join()
        service.stop()
    whole, learned = together(loads), 100 * (loads[0].requests + loads[1].requests) + loads[2].requests
    memory = [row[1] for row in rows]
    print(f"{whole.requests:,} requests in {whole.seconds:.0f} s, {whole.errors} errors; {learned:,} examples learned")
    print(f"predictions: p99 {together(loads[3:]).percentile(99):.1f} ms")
    early = memory[len(memory) // 10]
    print(f"memory: {early:.0f} MB after a tenth of the time, {max(memory):.0f} at most, {memory[-1]:.0f} at the end")
    print(f"files: {max(row[2] for row in rows):.0f} MB at most")
    draw(rows, options.picture)


def draw(rows: list[tuple[float, float, float]], path: Path) -> None:
    """Draw memory and files over time."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 3.5), layout="constrained")
    minutes = [row[0] / 60 for row in rows]
    axes.plot(minutes, [row[1] for row in rows], label="resident memory")
    axes.plot(minutes, [row[2] for row in rows], label="files")
    axes.set(xlabel="minutes", ylabel="MB", ylim=(0, None), title="rosenblatt serve under mixed load")
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
