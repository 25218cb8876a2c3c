"""The solvers of rosenblatt and of other libraries, each as a small class."""

import itertools
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize
import sklearn.linear_model
from numba import njit

from benchmarks.benchmark import ValueAndNumber
from benchmarks.datasets import Labelled, Split
from rosenblatt import Perceptron, Verdict, error_bounds, separability
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.training.order import Order


class ReadOnce:
    """Add up all numbers of X: the least time that any pass over X can take."""

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
    """One pass of the rule over the rows in their order, from weights 0. `fit` makes this call once per pass."""

    name = "rosenblatt, one epoch"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        order = np.arange(len(data.y))

        def work() -> None:
            task.learner.w[:] = 0.0
            task.learner.learn(problem.rows, task.y, order, task.weight)

        problem = Perceptron().problem(data.X, data.y)
        task = problem.task
        return work


class Fit:
    """`fit` with a fixed number of passes, including its checks of the input."""

    def __init__(self, epochs: int, order: Order = "cyclic") -> None:
        self.epochs, self.order = epochs, order
        self.name = f"rosenblatt, fit of {count_of(epochs, 'pass')}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        return Classifier(self.name, lambda: Perceptron(order=self.order, max_epochs=self.epochs)).prepare(data)


class Predict:
    """`predict` on all rows, by a model that was fitted to the first ones."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name, self.make = name, make

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        model = self.make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data.X[:5000], data.y[:5000])
        return lambda: model.predict(data.X)


class ScikitLearn:
    """scikit-learn's Perceptron with a fixed number of passes; its stopping rule is off."""

    def __init__(self, epochs: int, *, shuffle: bool = False) -> None:
        self.epochs, self.shuffle = epochs, shuffle
        self.name = f"scikit-learn, fit of {count_of(epochs, 'pass')}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        peer = sklearn.linear_model.Perceptron
        return Classifier(self.name, lambda: peer(shuffle=self.shuffle, max_iter=self.epochs, tol=None)).prepare(data)


class Classifier:
    """`fit` of any linear classifier. The measurement is its time, or a number computed from the fitted model."""

    def __init__(
        self, name: str, make: Callable[[], Any], measure: Callable[[Any, Labelled], float] | None = None
    ) -> None:
        self.name, self.make, self.measure = name, make, measure

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        def work() -> float | None:
            model = self.make().fit(data.X, data.y)
            return self.measure(model, data) if self.measure else None

        return quietly(work)


class Seeds:
    """`fit` of a classifier with a new seed in each round.

    The measurement is a number computed from the fitted model. If the data have test rows, the measurement is the time
    of `fit`, and that number is the second number.
    """

    def __init__(self, name: str, make: Callable[..., Any], measure: Callable[[Any, Any], float]) -> None:
        self.name, self.make, self.measure = name, make, measure

    def prepare(self, data: Any) -> Callable[[], Any]:
        seeds = itertools.count()

        def work() -> float | ValueAndNumber:
            model = self.make(random_state=next(seeds))
            start = time.perf_counter()
            model.fit(data.X, data.y)
            elapsed = (time.perf_counter() - start) * 1e3
            number = self.measure(model, data)
            return ValueAndNumber(elapsed, number) if isinstance(data, Split) else number

        return quietly(work)


class LowerBound:
    """A proved lower bound on the errors of any hyperplane, computed once in at most a minute."""

    name = "proved lower bound"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        found = error_bounds(data.X, data.y, time_limit=60.0)
        assert found.certificate.verify(data.X, data.y)
        return lambda: float(found.lower)


class LinearProgram:
    """Decide whether a hyperplane has y (w.x + b) >= 1 for all rows, by HiGHS through SciPy."""

    name = "SciPy's linprog, HiGHS: separable or not"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        signed = -data.y[:, np.newaxis] * np.column_stack([data.X, np.ones(len(data.y))])
        zero, right = np.zeros(signed.shape[1]), -np.ones(len(data.y))

        def work() -> None:
            answer = scipy.optimize.linprog(zero, A_ub=signed, b_ub=right, bounds=(None, None), method="highs")
            assert answer.status in (0, 2)

        return work


class Prove:
    """A verdict with its certificate, verified if `verify`. The measurement is the time, or a number."""

    def __init__(self, name: str, *, verify: bool = False, measure: Callable[[Verdict], float] | None = None) -> None:
        self.name, self.verify, self.measure = name, verify, measure

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        def work() -> float | None:
            verdict = separability(data.X, data.y, detail=not is_text(data))
            assert verdict.certificate is not None
            assert not self.verify or verdict.certificate.verify(data.X, data.y)
            return self.measure(verdict) if self.measure else None

        return work


class Verify:
    """The verification of a certificate that was made beforehand."""

    name = "rosenblatt, verify"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        certificate = separability(data.X, data.y, detail=not is_text(data)).certificate
        assert certificate is not None

        def work() -> None:
            assert certificate.verify(data.X, data.y)

        return work


def is_text(data: Labelled) -> bool:
    """Tell whether there are so many columns that only strict separability is decided."""
    return bool(data.X.shape[1] > 5000)


def certificate_size(verdict: Verdict) -> float:
    """The size of the certificate in kilobytes of JSON."""
    assert verdict.certificate is not None
    return len(verdict.certificate.to_json()) / 1000


def kind(verdict: Verdict) -> float:
    return float(("strict", "weak", "overlap", "not_strict").index(verdict.kind))


def training_errors(model: Any, data: Labelled) -> float:
    return float((model.predict(data.X) != data.y).sum())


def accuracy(model: Any, data: Split) -> float:
    """The test accuracy in percent."""
    return 100 * float((model.predict(data.X_test) == data.y_test).mean())


def margin(model: Any, data: Labelled) -> float:
    """The geometric margin of a classifier; negative if a row is on its wrong side."""
    w = model.coef_[0]
    return float((data.y * (data.X @ w + model.intercept_[0])).min() / np.linalg.norm(w))


def slack_objective(C: float) -> Callable[[Any, Labelled], float]:
    """LIBLINEAR's objective with L2 loss: |w|^2/2 + b^2/2 + C sum_i max(0, 1 - y_i (w.x_i + b))^2."""

    def measure(model: Any, data: Labelled) -> float:
        w, b = model.coef_[0], model.intercept_[0]
        short = np.maximum(0, 1 - data.y * (data.X @ w + b))
        return float((w @ w + b * b) / 2 + C * (short @ short))

    return measure


class NewProcess:
    """A new Python process that runs some code. The measurement is the number that it prints, else its time."""

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, code

    def prepare(self, data: None) -> Callable[[], Any]:
        del data

        def work() -> float | None:
            done = subprocess.run([sys.executable, "-c", self.code], check=True, capture_output=True, text=True)  # noqa: S603
            return float(done.stdout) if done.stdout else None

        return work


def quietly(work: Callable[[], Any]) -> Callable[[], Any]:
    """The work without warnings: solvers use up their passes on purpose."""

    def quiet() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()

    return quiet
