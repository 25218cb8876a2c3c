"""Is a large table in Parquet files separable?  The verdict, its certificate, and the seconds of each round.

    python -m benchmarks.cluster check [--rows 50000000] [--columns 20] [--files 64] [--workers 2] [--limit-gb 9]
                                       [--folder build/check]

The folder needs as much space as the rows, 8 GB, and is deleted after; `--keep` keeps the files for another run. There
are two tables: one is separable with a small margin, in the other 1 % of the labels are turned. The certificate is
verified on the cluster.
"""

import shutil
import time
from pathlib import Path

from benchmarks.cluster.local_clusters import MemoryWatch, local_cluster, spilled_bytes
from benchmarks.cluster.report import MB, Report, by_question
from benchmarks.cluster.rows import Generated
from rosenblatt import cluster
from rosenblatt.cluster.shards import Shards

GAP, NOISE = 0.001, 0.01


def check(report: Report, rows: Generated, workers: int, limit: int, folder: Path) -> None:
    """Decide, verify, and print the rounds."""
    with local_cluster(workers, limit, folder / "spill") as client, MemoryWatch(client) as watch:
        start = time.perf_counter()
        shards = Shards(str(folder / "rows"), target="label")
        loaded = time.perf_counter()
        verdict = cluster.separability(shards)
        decided = time.perf_counter()
        assert verdict.certificate is not None
        assert cluster.verify(verdict.certificate, shards)
        verified = time.perf_counter()
        spilled = spilled_bytes(client)
    parts = {"loading": loaded - start, "verdict": decided - loaded, "verification": verified - decided}
    size = len(str(verdict.certificate.to_json()))
    listed = len(verdict.witness.rows) if verdict.witness else 0
    peaks = sorted(watch.peaks.values())
    report.add(
        rows=str(rows),
        kind=verdict.kind,
        certificate=size,
        **parts,
        peaks=peaks,
        restarts=watch.restarts,
        rounds=[one._asdict() for one in shards.rounds],
    )
    report.say(
        f"{rows}: {verdict.kind}; the certificate has {size:,} bytes ({listed} rows of a witness) and is verified. "
        + ", ".join(f"{what} {taken:.1f} s" for what, taken in parts.items())
        + f". Peak memory of a worker {peaks[-1] / MB:,.0f} MB, {spilled / MB:,.0f} MB on disk, "
        f"{watch.restarts} restarts."
    )
    lines = []
    for what, some in by_question(shards.rounds).items():
        seconds = [one.seconds for one in some]
        moved = max(one.sent for one in some), max(one.received for one in some)
        lines.append([what, len(some), sum(seconds), max(seconds), *moved])
    report.table("rounds", ["question", "rounds", "seconds", "longest (s)", "most bytes sent", "received"], lines)


def run(
    report: Report, rows: int, columns: int, files: int, workers: int, limit_gb: float, folder: Path, keep: bool
) -> None:
    for name, gap, noise in (("separable", GAP, 0.0), ("overlapping", 0.0, NOISE)):
        made, own = Generated(rows, columns, files, gap, noise), folder / name
        if not (own / "rows").exists():
            made.write_parquet(own / "rows")
        try:
            check(report, made, workers, int(limit_gb * 1e9), own)
        finally:
            if not keep:
                shutil.rmtree(own)
