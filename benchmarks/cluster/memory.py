"""Data four times larger than the memory limit of the workers.

    python -m benchmarks.cluster memory [--limit-mb 800] [--workers 1 2] [--files-each 128] [--passes 3]
                                        [--folder build]

For each worker there are rows of four times its limit, in Parquet files of float64, which are made here and deleted
after. Workers write to `--folder` what they have no room for, so it needs eight times the limit of all workers. A file
is a shard. A task needs its shard several times over, so a shard must be a small part of the limit. The table has the
most resident memory that a worker process took, sampled every 20 ms, and how often a worker was started again, which
must be 0.
"""

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rosenblatt
from benchmarks.cluster.local_clusters import MemoryWatch, local_cluster, spilled_bytes
from benchmarks.cluster.report import MB, Report
from benchmarks.cluster.rows import Generated
from rosenblatt import cluster
from rosenblatt.cluster.shards import Shards

COLUMNS = 20
TIMES = 4  # the rows of a worker, as a multiple of its limit


def questions(passes: int) -> dict[str, Callable[[Shards], str]]:
    """What is asked, and the answers in words."""
    return {
        f"Perceptron, averaged, {passes} passes": lambda shards: (
            f"{cluster.Perceptron(average='averaged', max_epochs=passes).fit(shards).mistakes_per_epoch_[-1]} mistakes"
        ),
        "separability": lambda shards: cluster.separability(shards).kind,
    }


def measure(report: Report, folder: Path, rows: Generated, workers: int, limit: int, passes: int) -> list[list[Any]]:
    """The lines of the table for one cluster."""
    lines = []
    with local_cluster(workers, limit, folder / "spill") as client:
        shards: Any = None

        def note(what: str, work: Callable[[], Any]) -> Any:
            start = time.perf_counter()
            with MemoryWatch(client) as watch:
                answer = work()
            seconds, peaks = time.perf_counter() - start, sorted(watch.peaks.values())
            peak, low = max(peaks), max(watch.before.values())
            facts = {"seconds": seconds, "peaks": peaks, "before": low, "restarts": watch.restarts}
            on_disk = spilled_bytes(client)
            report.add(workers=workers, limit=limit, rows=str(rows), what=what, answer=str(answer), **facts)
            sizes = f"{low / MB:,.0f}", f"{peak / MB:,.0f}", f"{on_disk / MB:,.0f}"
            lines.append([workers, what, str(answer), seconds, *sizes, f"{peak / limit:.0%}", watch.restarts])
            return answer

        shards = note("rows are loaded", lambda: Shards(str(folder / "rows"), target="label"))
        for what, ask in questions(passes).items():
            note(what, lambda ask=ask: ask(shards))  # type: ignore[misc]
        assert shards.nbytes >= TIMES * limit * workers
    return lines


def run(report: Report, limit_mb: int, workers: Sequence[int], files_each: int, passes: int, folder: Path) -> None:
    warnings.simplefilter("ignore", rosenblatt.BudgetWarning)
    limit = limit_mb * MB
    for number in workers:
        rows = Generated(TIMES * limit * number // (8 * COLUMNS) + files_each, COLUMNS, files_each * number, gap=0.001)
        folder.mkdir(parents=True, exist_ok=True)
        inside = Path(tempfile.mkdtemp(prefix="memory-", dir=folder))
        try:
            rows.write_parquet(inside / "rows")
            lines = measure(report, inside, rows, number, limit, passes)
        finally:
            shutil.rmtree(inside)
        shard = rows.nbytes / rows.parts / MB
        title = f"memory: {rows}; {rows.nbytes / MB:,.0f} MB, {shard:,.1f} MB a shard; limit {limit_mb:,} MB a worker"
        headings = ["workers", "", "", "seconds", "MB at start", "peak, MB", "spilled, MB", "of the limit", "restarts"]
        report.table(title, headings, lines)
