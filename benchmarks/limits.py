"""Is a time limit kept?  `python -m benchmarks.limits [INPUT ...]` asks for verdicts on inputs that once took long.

Each question is asked in a process of its own, which compiles first and is stopped after a minute. The line says the
limit, the time that the answer took, whether this is at most 1.2 limits and half a second, the answer, and what was
decided of the pairs of classes. A limit of `none` asks without one.
"""

import argparse
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt import separability

LIMITS: tuple[float | None, ...] = (1.0, 2.0, 10.0)
PATIENCE = 60.0  # seconds beyond the limit, then the process is stopped


def duplicated(n: int, d: int) -> Any:
    """Random labels; the second half of the columns repeats the first."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, d // 2))
    return np.hstack([A, A]), rng.integers(0, 2, n)


def many_classes(n: int, k: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 10)), np.arange(n) % k


def random_labels(n: int, d: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def sparse(n: int, d: int, density: float) -> Any:
    rng = np.random.default_rng(0)
    return scipy.sparse.random_array((n, d), density=density, format="csr", rng=rng), rng.integers(0, 2, n)


def one_hot(n: int, k: int) -> Any:
    """Ten categories of 30 values each, one column for each value, and labels that depend on the first category."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 30, (n, 10))
    X = np.zeros((n, 300))
    np.put_along_axis(X, values + 30 * np.arange(10), 1.0, axis=1)
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, k, n), values[:, 0] % k)


def letters(n: int, k: int, d: int) -> Any:
    """Whole numbers from 0 to 15 around a centre for each class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    centres = rng.uniform(3, 12, (k, d))
    return np.clip(np.rint(centres[y] + rng.normal(0, 2, (n, d))), 0, 15), y


def collinear(n: int, d: int) -> Any:
    """Half of the columns are exact sums and differences of the others."""
    rng = np.random.default_rng(0)
    A = rng.integers(-(2**40), 2**40, (n, d // 2)) / 2.0**30
    return np.hstack([A, A + np.roll(A, 1, axis=1)]), rng.integers(0, 2, n)


def scales(n: int, d: int) -> Any:
    """Columns of sizes between 1e-300 and 1e300."""
    X, y = random_labels(n, d)
    return X * 10.0 ** np.linspace(-300, 300, d), y


INPUTS: dict[str, Callable[[], Any]] = {
    "duplicated 500 x 200": lambda: duplicated(500, 200),
    "duplicated 1400 x 400": lambda: duplicated(1400, 400),
    "100 classes, 300 rows": lambda: many_classes(300, 100),
    "300 classes, 900 rows": lambda: many_classes(900, 300),
    "random 2500 x 800": lambda: random_labels(2500, 800),
    "sparse 5000 x 5000, 0.2 %": lambda: sparse(5000, 5000, 0.002),
    "sparse 5000 x 5000, 1 %": lambda: sparse(5000, 5000, 0.01),
    "1,000,000 x 2": lambda: random_labels(1_000_000, 2),
    "100,000 x 300 one-hot, 8 classes": lambda: one_hot(100_000, 8),
    "26 classes, 20,000 x 16": lambda: letters(20_000, 26, 16),
    "collinear 1000 x 60": lambda: collinear(1000, 60),
    "scales 300 x 40": lambda: scales(300, 40),
}


def compile_all() -> None:
    """Small questions of each kind, so that no compilation is measured."""
    rng = np.random.default_rng(1)
    for k in (2, 3):
        X, y = rng.standard_normal((60, 4)), np.arange(60) % k
        for rows in (X, X + 1e4, X + 5 * y[:, None], scipy.sparse.csr_array(X)):
            separability(rows, y)
            separability(rows, y, through_origin=True)
    X = rng.standard_normal((900, 320))
    separability(X, np.sign(X[:, 0]) > 0, time_limit=3)
    separability(sparse(2100, 5100, 0.001)[0], np.arange(2100) % 2, time_limit=3)


def ask(name: str, limit: float | None, found: Any) -> None:
    """In the child: one question, timed."""
    X, y = INPUTS[name]()
    compile_all()
    began = time.perf_counter()
    verdict = separability(X, y, time_limit=limit)
    wall = time.perf_counter() - began
    pairs = Counter(pair.kind for pair in verdict.pairs.values())
    found.send((wall, verdict.kind, dict(pairs), verdict.certificate is not None))


def measure(name: str, limit: float | None) -> tuple[str, dict[str, Any]]:
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("spawn").Process(target=ask, args=(name, limit, there))
    child.start()
    there.close()
    try:
        answered = here.poll(PATIENCE + 1.2 * (limit or 540.0) + 60)
        wall, kind, pairs, proved = here.recv() if answered else (float("inf"), "stopped", {}, False)
    except EOFError:
        wall, kind, pairs, proved = float("inf"), "failed", {}, False
    finally:
        child.kill()
        child.join()
    kept = "" if limit is None else "kept" if wall <= 1.2 * limit + 0.5 else "LATE"
    told = ", ".join(f"{count} {word}" for word, count in pairs.items())
    line = f"{name:34} {limit or 'none':>5} {wall:8.2f} s  {kept:5} {kind:11} {told}"
    return line, {"input": name, "limit": limit, "wall": wall, "kind": kind, "pairs": pairs, "certificate": proved}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits", description=__doc__)
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=f"a part of a name of: {'; '.join(INPUTS)}")
    parser.add_argument("--limits", default="1,2,10", help="seconds, separated by commas, or none")
    parser.add_argument("--out", help="JSON file for the answers")
    options = parser.parse_args()
    limits = [None if word == "none" else float(word) for word in options.limits.split(",")]
    names = [name for name in INPUTS if not options.inputs or any(part in name for part in options.inputs)]
    told = []
    for name in names:
        for limit in limits:
            line, facts = measure(name, limit)
            print(line, flush=True)
            told.append(facts)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)


if __name__ == "__main__":
    main()
