"""Benchmarks of file reading. The files are generated once, in build/, and read by rosenblatt and other libraries."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.benchmark import ValueAndNumber
from benchmarks.solvers import quietly
from rosenblatt import Perceptron, read

BUILD = Path("build")
MB = 1_000_000
ROWS_PER_BATCH = 2_000  # rows that are generated at a time


class Texts(NamedTuple):
    """Two files with the same rows: in LIBSVM's format and in Vowpal Wabbit's."""

    libsvm: Path
    vw: Path


def sparse_lines(rng: np.random.Generator, rows: int, w: np.ndarray, per_row: int, between: str) -> str:
    """Lines of sparse rows like documents: some columns are more common, values have six digits, 2 % label noise."""
    d = len(w)
    columns = (rng.random((rows, per_row)) ** 2 * d).astype(np.int64)
    values = np.round(rng.random((rows, per_row)), 6)
    made = []
    for own, numbers in zip(np.sort(columns, axis=1), values, strict=True):
        own, first = np.unique(own, return_index=True)
        score = w[own] @ numbers[first]
        label = 1 if (score > 0) != (rng.random() < 0.02) else -1
        pairs = " ".join([f"{c + 1}:{x:.6f}" for c, x in zip(own.tolist(), numbers[first].tolist(), strict=True)])
        made.append(f"{label} {between}{pairs}\n")
    return "".join(made)


class SparseFile:
    """A file of sparse text with about this many megabytes."""

    def __init__(self, megabytes: int, columns: int = 47_000, per_row: int = 80) -> None:
        self.megabytes, self.columns, self.per_row = megabytes, columns, per_row
        self.name = f"{megabytes} MB of text, {columns} columns, {per_row} a row"

    def make(self) -> Texts:
        BUILD.mkdir(exist_ok=True)
        texts = Texts(BUILD / f"text-{self.megabytes}.svm", BUILD / f"text-{self.megabytes}.vw")
        for path, between in zip(texts, ("", "| "), strict=True):
            if path.exists():
                continue
            rng = np.random.default_rng(0)
            w = rng.standard_normal(self.columns)
            with path.with_suffix(".part").open("w") as file:
                while file.tell() < self.megabytes * MB:
                    file.write(sparse_lines(rng, ROWS_PER_BATCH, w, self.per_row, between))
            path.with_suffix(".part").replace(path)
        return texts


class TableFile:
    """A CSV file of normal numbers with six decimals, labels in the last column."""

    name = "CSV, 1M x 30"

    def make(self) -> Path:
        path = BUILD / "table.csv"
        if not path.exists():
            import pyarrow
            from pyarrow import csv

            rng = np.random.default_rng(0)
            X = np.round(rng.standard_normal((MB, 30)), 6)
            y = (X @ rng.standard_normal(30) + 0.5 * rng.standard_normal(MB) > 0).astype(np.int64)
            BUILD.mkdir(exist_ok=True)
            csv.write_csv(pyarrow.table({**{f"x{j}": X[:, j] for j in range(30)}, "label": y}), path)
        return path


class Read:
    """Our reader."""

    name = "rosenblatt"

    def prepare(self, texts: Texts) -> Callable[[], Any]:
        def work() -> None:
            read(texts.libsvm)

        return work


class LoadSvmlight:
    """scikit-learn's reader. `prepare` checks that both readers give the same matrix, bit for bit."""

    name = "scikit-learn load_svmlight_file"

    def prepare(self, texts: Texts) -> Callable[[], Any]:
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(str(texts.libsvm))
        ours = read(texts.libsvm)
        same = all(np.array_equal(getattr(X, a), getattr(ours.X, a)) for a in ("data", "indices", "indptr"))
        assert same
        assert np.array_equal(X.data.view(np.int64), ours.X.data.view(np.int64))
        assert (y == ours.y).all()

        def work() -> None:
            load_svmlight_file(str(texts.libsvm))

        return work


class ReadAndPass:
    """Our reader and one pass of the perceptron."""

    def __init__(self, format: str) -> None:  # noqa: A002
        self.format, self.name = format, f"rosenblatt, {format} text"

    def prepare(self, texts: Texts) -> Callable[[], Any]:
        path = texts.vw if self.format == "vw" else texts.libsvm

        def work() -> None:
            Perceptron(order="cyclic", max_epochs=1).fit(*read(path))

        return quietly(work)


class VowpalWabbit:
    """Vowpal Wabbit's own reader and one pass with the hinge loss, in this process."""

    name = "vowpalwabbit, vw text"

    def prepare(self, texts: Texts) -> Callable[[], Any]:
        import vowpalwabbit

        def work() -> None:
            vowpalwabbit.Workspace(f"-d {texts.vw} --loss_function hinge --passes 1 --quiet -b 18").finish()

        return work


class TableAndFit:
    """Our reader of tables and five passes of the perceptron."""

    name = "rosenblatt"

    def prepare(self, path: Path) -> Callable[[], Any]:
        def work() -> None:
            Perceptron(order="cyclic", max_epochs=5).fit(*read(path))

        return quietly(work)


class PandasAndScikitLearn:
    """pandas and five passes of scikit-learn's perceptron."""

    name = "pandas + scikit-learn"

    def prepare(self, path: Path) -> Callable[[], Any]:
        import pandas
        import sklearn.linear_model

        def work() -> None:
            table = pandas.read_csv(path)
            model = sklearn.linear_model.Perceptron(max_iter=5, tol=None, shuffle=False)
            model.fit(table.drop(columns="label"), table["label"])

        return quietly(work)


STREAMED = """
import json, resource, sys, time, warnings
from rosenblatt import Perceptron, Stream
warnings.simplefilter("ignore")
stream, began = Stream(sys.argv[1], cache=True), time.perf_counter()
model = Perceptron(max_epochs=1).fit_stream(stream)
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, stream.n_rows_]))
"""


class OnePass:
    """One pass of the perceptron over a stream, in a new process: the time in seconds and the peak memory in MB."""

    def __init__(self, name: str, *, cached: bool) -> None:
        self.name, self.cached = name, cached

    def prepare(self, texts: Texts) -> Callable[[], Any]:
        cache = Path(f"{texts.libsvm}.rosenblatt")

        def once() -> Any:
            command = [sys.executable, "-c", STREAMED, str(texts.libsvm)]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603

        def work() -> ValueAndNumber:
            if not self.cached:
                cache.unlink(missing_ok=True)
            elif not cache.exists():
                once()
            seconds, peak, rows = once()
            print(f"{self.name}: {rows:,} rows, {rows / seconds:,.0f} rows/s", file=sys.stderr)
            return ValueAndNumber(seconds, peak)

        return work


class LargeFile(SparseFile):
    """A file with this many gigabytes: the same text repeated."""

    def __init__(self, gigabytes: int) -> None:
        super().__init__(300)
        self.gigabytes = gigabytes
        self.name = f"{gigabytes} GB of LIBSVM text, {self.columns} columns, {self.per_row} a row"

    def make(self) -> Texts:
        texts = super().make()
        large = BUILD / f"text-{self.gigabytes}gb.svm"
        if not large.exists():
            part = large.with_suffix(".part")
            with part.open("wb") as file:
                while file.tell() < self.gigabytes * 1000 * MB:
                    with texts.libsvm.open("rb") as source:
                        os.sendfile(file.fileno(), source.fileno(), None, 1 << 30)
                    file.seek(0, os.SEEK_END)
            part.replace(large)
        return texts._replace(libsvm=large)
