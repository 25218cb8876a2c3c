"""The work of the service without HTTP, in one process: the model with its durable log, and the peers' learners.

python -m benchmarks.serve.in_process [--rounds 5]
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.serve.__main__ import BATCH, COLUMNS, examples
from benchmarks.serve.peers import PEERS
from rosenblatt.data.compiled.jit import compiled_at_once
from rosenblatt.service.learning.spec import Spec
from rosenblatt.service.running.models import Models

N = 2000  # examples of a round


def rate(work: Callable[[], object]) -> float:
    """Examples a second."""
    start = time.perf_counter()
    work()
    return N / (time.perf_counter() - start)


def works_of_ours(folder: Path, given: list[dict[str, Any]]) -> dict[str, Callable[[], object]]:
    """The model of the service: JSON is read, and an example is on disk before the next one is sent."""
    model = Models(folder).create("m", Spec("perceptron", columns=COLUMNS, classes=["no", "yes"]))
    texts = [json.dumps(one).encode() for one in given]
    parts = [json.dumps(given[at : at + BATCH]).encode() for at in range(0, N, BATCH)]
    return {
        "learn": lambda: [model.learn(text).result() for text in texts],
        "learn 100": lambda: [model.learn(part).result() for part in parts],
        "predict": lambda: [model.predict([one["x"]]) for one in given],
    }


def works_of_peer(name: str, given: list[dict[str, Any]]) -> dict[str, Callable[[], object]]:
    """A learner of the peers. It writes nothing, and predicts before it learns, as the service does."""
    predict, learn = PEERS[name]()
    return {
        "learn": lambda: [(predict(one["x"]), learn(one["x"], one["y"])) for one in given],
        "predict": lambda: [predict(one["x"]) for one in given],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve.in_process", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    given = examples(N, 1)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        programs = {"rosenblatt, durable": works_of_ours(Path(folder), given)}
        programs |= {name: works_of_peer(name, given) for name in PEERS}
        found: dict[tuple[str, str], list[float]] = {}
        for turn in range(rounds + 1):
            with compiled_at_once():
                for program, works in programs.items():
                    for name, work in works.items():
                        found.setdefault((name, program), []).extend([rate(work)] * bool(turn))
        for (name, program), rates in sorted(found.items()):
            print(f"{name}: {program}: {statistics.median(rates):,.0f}/s ({min(rates):,.0f} - {max(rates):,.0f})")


if __name__ == "__main__":
    main()
