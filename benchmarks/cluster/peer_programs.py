"""Programs that learn a hyperplane from Parquet files with two processes or threads, each in a process of its own."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.cluster.local_clusters import local_cluster
from benchmarks.datasets import NotHereError
from rosenblatt import cluster
from rosenblatt.cluster.shards import Shards

WORKERS = 2
SPARK_MEMORY = "6g"
Hyperplane = tuple[NDArray[np.float64], float]


class Program(Protocol):
    """A program that is told how many passes or iterations to make."""

    def load(self, folder: Path) -> None:
        """Bring the rows of the files of a folder into memory."""
        ...

    def fit(self, amount: int) -> Hyperplane:
        """Learn from the beginning."""
        ...


class Ours:
    """`cluster.Perceptron`, averaged."""

    margin = 0.0

    def __init__(self, stack: ExitStack) -> None:
        stack.enter_context(local_cluster(WORKERS))

    def load(self, folder: Path) -> None:
        self.shards = Shards(str(folder), target="label")

    def fit(self, amount: int) -> Hyperplane:
        model = cluster.Perceptron(average="averaged", margin=self.margin, max_epochs=amount).fit(self.shards)
        return model.coef_[0], float(model.intercept_[0])


class OursWithMargin(Ours):
    """The averaged perceptron that also learns from rows that are right, but not by much."""

    margin = 100.0


class Incremental:
    """`Incremental(SGDClassifier())` of dask-ml: the blocks learn one after the other."""

    def __init__(self, stack: ExitStack) -> None:
        self.wrappers = imported("dask_ml.wrappers", "dask-ml")
        stack.enter_context(local_cluster(WORKERS))

    def load(self, folder: Path) -> None:
        import dask
        import dask.dataframe as dd
        from distributed import wait

        # X and y come from one array: Dask may divide a single column into fewer partitions than the others.
        whole = dd.read_parquet(folder).to_dask_array(lengths=True)
        X, y = whole[:, :-1].map_blocks(np.ascontiguousarray), whole[:, -1].astype(np.int64)
        self.rows = dask.persist(X, y)
        wait(self.rows)

    def fit(self, amount: int) -> Hyperplane:
        from sklearn.linear_model import SGDClassifier

        model = self.wrappers.Incremental(SGDClassifier(random_state=0), random_state=0, assume_equal_chunks=True)
        model.fit(*self.rows, classes=[-1, 1])
        for _ in range(amount - 1):
            model.partial_fit(*self.rows, classes=[-1, 1])
        return model.estimator_.coef_[0], float(model.estimator_.intercept_[0])


class Spark:
    """`LinearSVC` of Spark's MLlib with its defaults, in local mode with two threads."""

    def __init__(self, stack: ExitStack) -> None:
        sql = imported("pyspark.sql", "pyspark")
        maker = sql.SparkSession.builder.master(f"local[{WORKERS}]").config("spark.driver.memory", SPARK_MEMORY)
        self.session = maker.config("spark.ui.enabled", "false").getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        stack.callback(self.session.stop)

    def load(self, folder: Path) -> None:
        feature, functions = imported("pyspark.ml.feature", "pyspark"), imported("pyspark.sql.functions", "pyspark")
        table = self.session.read.parquet(str(folder))
        names = [name for name in table.columns if name != "label"]
        whole = feature.VectorAssembler(inputCols=names, outputCol="features").transform(table)
        label = ((functions.col("label") + 1) / 2).alias("label")
        self.rows = whole.select("features", label).cache()
        self.rows.count()

    def fit(self, amount: int) -> Hyperplane:
        model = imported("pyspark.ml.classification", "pyspark").LinearSVC(maxIter=amount).fit(self.rows)
        return np.array(model.coefficients.toArray()), float(model.intercept)


PROGRAMS: dict[str, type[Any]] = {
    "rosenblatt, averaged perceptron": Ours,
    "rosenblatt, averaged, margin=100": OursWithMargin,
    "dask-ml, Incremental(SGDClassifier)": Incremental,
    "Spark MLlib, LinearSVC": Spark,
}


def imported(module: str, package: str) -> Any:
    """Import a module that the project does not depend on."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NotHereError(
            f"{error}. Install {package} in a folder of its own, `pip install --target FOLDER {package}`, and give "
            "--packages FOLDER."
        ) from error


def work(name: str, folder: Path, packages: Sequence[str], pipe: Connection) -> None:
    """In the child: load, then answer each number with the seconds of a fit and its hyperplane."""
    sys.path += packages
    warnings.simplefilter("ignore")
    with ExitStack() as stack:
        try:
            program: Program = PROGRAMS[name](stack)
            start = perf_counter()
            program.load(folder)
            pipe.send(perf_counter() - start)
        except NotHereError as missing:
            pipe.send(str(missing))
            return
        program.fit(1)  # loads compiled code, or lets Java compile it
        while amount := pipe.recv():
            start = perf_counter()
            found = program.fit(amount)
            pipe.send((perf_counter() - start, *found))


def largest_margin(folder: Path) -> tuple[float, float, float]:
    """Seconds to the largest margin, and its bounds."""
    with local_cluster(WORKERS):
        shards = Shards(str(folder), target="label")
        cluster.Kozinec().fit(shards)  # loads the compiled rules
        start = perf_counter()
        model = cluster.Kozinec().fit(shards)
        low, high = model.margin_bounds_
        return perf_counter() - start, float(low), float(high)
