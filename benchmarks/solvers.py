"""Us and the peers, each as a small class."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.linear_model
from numba import njit

from benchmarks.datasets import Labelled
from rosenblatt import Perceptron


class ReadOnce:
    """Add up all numbers of X: the least that looking at each of them can cost."""

    name = "reading X once"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        def work() -> None:
            add_up(data.X)

        return work


@njit(fastmath={"reassoc", "nsz"})
def add_up(X: Any) -> float:
    total = 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            total += X[i, j]
    return total


class Epoch:
    """One pass of the rule over the rows, in the order given, from weights 0: what `fit` calls once a pass."""

    name = "rosenblatt, one epoch"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        order = np.arange(len(data.y))

        def work() -> None:
            problem.learner.w[:] = 0.0
            problem.learner.learn(problem.rows, problem.y, order)

        problem = Perceptron().problem(data.X, data.y)
        return work


class Fit:
    """`fit` with a budget of passes, checks of the input included."""

    def __init__(self, epochs: int, order: str = "cyclic") -> None:
        self.epochs, self.order = epochs, order
        self.name = f"rosenblatt, fit of {epochs} pass{'es' * (epochs > 1)}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        return quietly(lambda: Perceptron(order=self.order, max_epochs=self.epochs).fit(data.X, data.y))


class ScikitLearn:
    """scikit-learn's Perceptron with the same budget, its own stopping rule off."""

    def __init__(self, epochs: int, *, shuffle: bool = False) -> None:
        self.epochs, self.shuffle = epochs, shuffle
        self.name = f"scikit-learn, fit of {epochs} pass{'es' * (epochs > 1)}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        peer = sklearn.linear_model.Perceptron
        return quietly(lambda: peer(shuffle=self.shuffle, max_iter=self.epochs, tol=None).fit(data.X, data.y))


class NewProcess:
    """A new Python that runs a line of code; what it prints last, if anything, is the measurement."""

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, code

    def prepare(self, data: None) -> Callable[[], Any]:
        del data

        def work() -> float | None:
            done = subprocess.run([sys.executable, "-c", self.code], check=True, capture_output=True, text=True)  # noqa: S603
            return float(done.stdout) if done.stdout else None

        return work


def quietly(work: Callable[[], Any]) -> Callable[[], Any]:
    """The budget is meant to be used up."""

    def quiet() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work()

    return quiet
