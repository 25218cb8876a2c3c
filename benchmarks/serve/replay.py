"""A stream through the service beside `learn_one` offline, and the time of a restart.

    python -m benchmarks.serve.replay --data elec.csv [--examples 1000000]

Each algorithm learns the rows of a CSV file in order, through HTTP, one by one and in batches. The mistakes must be in
the same places as those of `predict_one` and `learn_one`. Then a model learns many examples, the service is killed, and
the time is taken until it answers again.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.serve.__main__ import Program
from benchmarks.serve.load import HOST
from rosenblatt import Client, Stream
from rosenblatt.service.learning.spec import ALGORITHMS, Spec

BATCH, SINGLES = 1000, 2000


def rows_of(path: Path) -> tuple[list[list[float]], list[Any]]:
    """The rows of a file and their labels, in order."""
    stream = Stream(str(path))
    rows, labels = [], []
    for chunk in stream.chunks():
        rows += np.asarray(chunk.X, dtype=np.float64).tolist()
        labels += stream.header.classes[chunk.codes].tolist()
    return rows, labels


def offline(spec: Spec, rows: list[list[float]], labels: list[Any]) -> list[bool]:
    """Which predictions were wrong, one `predict_one` and `learn_one` a row."""
    model, wrong = spec.estimator(), []
    model.learn_one([0.0] * len(rows[0]), labels[0], classes=spec.classes, sample_weight=0.0)
    for x, y in zip(rows, labels, strict=True):
        wrong.append(model.predict_one(x) != y)
        model.learn_one(x, y)
    return wrong


def compare(client: Client, rows: list[list[float]], labels: list[Any]) -> None:
    for algorithm in ALGORITHMS:
        spec = Spec(algorithm, columns=len(rows[0]), classes=sorted(set(labels)))
        client.create(algorithm, **spec._asdict())
        wrong = [client.learn(algorithm, x, y).mistake for x, y in zip(rows[:SINGLES], labels, strict=False)]
        for start in range(SINGLES, len(rows), BATCH):
            part = slice(start, start + BATCH)
            wrong += [one.mistake for one in client.learn_many(algorithm, rows[part], labels[part])]
        expected = offline(spec, rows, labels)
        assert wrong == expected, f"{algorithm}: the mistakes differ"
        print(f"{algorithm}: {len(rows):,} rows, {sum(wrong):,} mistakes, in the places of learn_one")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve.replay", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--examples", type=int, default=1_000_000)
    options = parser.parse_args()
    rows, labels = rows_of(options.data)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        service = Program("rosenblatt", Path(folder))
        with Client(f"http://{HOST}:{service.port}") as client:
            compare(client, rows, labels)
            rng, sent = np.random.default_rng(0), 0
            while sent < options.examples:
                X = rng.standard_normal((10_000, 20)).round(3)
                client.learn_many("m", X.tolist(), np.where(X[:, 0] > 0, "yes", "no").tolist())
                sent += len(X)
        service.process.kill()
        service.process.wait()
        start = time.perf_counter()
        service.process = service.start(Path(folder))
        service.wait()
        seen = service.get("/v1/models/m/stats")["seen"]
        print(f"restart with {seen:,} examples in the log: {time.perf_counter() - start:.2f} s until the first answer")
        service.stop()


if __name__ == "__main__":
    main()
