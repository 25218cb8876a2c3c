"""What is measured, and what is claimed of it."""

from benchmarks.benchmark import Bar, Limit, Objective
from benchmarks.datasets import DenseRows, NoData, SparseText
from benchmarks.solvers import Epoch, Fit, NewProcess, ReadOnce, ScikitLearn

FIRST_FIT = """
import time
import numpy as np
from rosenblatt import Perceptron
X = np.random.default_rng(0).standard_normal((100, 5))
start = time.perf_counter()
Perceptron().fit(X, X[:, 0] > 0)
print(f"{(time.perf_counter() - start) * 1e3:.3f}", end="")
"""

MEMORY = """
import resource, warnings
import numpy as np
from rosenblatt import Perceptron
warnings.simplefilter("ignore")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
X = np.random.default_rng(0).standard_normal((1_250_000, 100))
y = X[:, 0] > 0
Perceptron().fit(X[:100], y[:100])
before = peak()
Perceptron(max_epochs=2).fit(X, y)
print(f"{(peak() - before) / X.nbytes * 100:.3f}", end="")
"""

OBJECTIVES = {
    "import": Objective(
        name="Time to import",
        datasets=[NoData()],
        solvers=[
            NewProcess("rosenblatt", "import rosenblatt"),
            NewProcess("rosenblatt and its Perceptron", "from rosenblatt import Perceptron"),
            NewProcess("scikit-learn", "import sklearn.linear_model"),
            NewProcess("Python alone", "pass"),
        ],
        claims=[
            Bar("rosenblatt", 1.2, "scikit-learn"),
            Bar("rosenblatt and its Perceptron", 1.2, "scikit-learn"),
        ],
    ),
    "first-fit": Objective(
        name="First fit of a new process, compiled code cached on disk, imports not counted",
        datasets=[NoData()],
        solvers=[NewProcess("rosenblatt", FIRST_FIT)],
        claims=[Limit("rosenblatt", 1000.0)],
    ),
    "memory": Objective(
        name="Growth of peak memory by a fit, in percent of X",
        datasets=[NoData()],
        solvers=[NewProcess("rosenblatt, 1 GB of float64", MEMORY)],
        claims=[Limit("rosenblatt, 1 GB of float64", 10.0)],
        unit="%",
        rounds=3,
    ),
    "dense": Objective(
        name="Dense epochs, unshuffled",
        datasets=[DenseRows(400_000, 100, noise=0.0), DenseRows(400_000, 100, noise=0.02)],
        solvers=[Epoch(), ReadOnce(), Fit(1), ScikitLearn(1), Fit(10), ScikitLearn(10)],
        claims=[
            Bar("rosenblatt, one epoch", 1.25, "reading X once"),
            Bar("rosenblatt, fit of 1 pass", 1 / 1.4, "scikit-learn, fit of 1 pass"),
            Bar("rosenblatt, fit of 10 passes", 1 / 1.4, "scikit-learn, fit of 10 passes"),
        ],
        rounds=15,
    ),
    "shuffled": Objective(
        name="Dense epochs, shuffled, as is the default of both",
        datasets=[DenseRows(400_000, 100, noise=0.02)],
        solvers=[Fit(10, order="shuffled"), ScikitLearn(10, shuffle=True)],
        claims=[Bar("rosenblatt, fit of 10 passes", 1.0, "scikit-learn, fit of 10 passes")],
    ),
    "sparse": Objective(
        name="Sparse epochs, unshuffled",
        datasets=[SparseText(200_000, 50_000, 66)],
        solvers=[Epoch(), Fit(1), ScikitLearn(1), Fit(10), ScikitLearn(10)],
        claims=[
            Bar("rosenblatt, fit of 1 pass", 1.0, "scikit-learn, fit of 1 pass"),
            Bar("rosenblatt, fit of 10 passes", 1.0, "scikit-learn, fit of 10 passes"),
        ],
    ),
}
