"""Us and the peers, each as a small class."""

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

from benchmarks.benchmark import Both
from benchmarks.datasets import Labelled, Split
from rosenblatt import Kozinec, Perceptron, Verdict, error_bounds, separability


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
            task.learner.w[:] = 0.0
            task.learner.learn(problem.rows, task.y, order)

        problem = Perceptron().problem(data.X, data.y)
        task = problem.task
        return work


class Fit:
    """`fit` with a budget of passes, checks of the input included."""

    def __init__(self, epochs: int, order: str = "cyclic") -> None:
        self.epochs, self.order = epochs, order
        self.name = f"rosenblatt, fit of {epochs} pass{'es' * (epochs > 1)}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        return Classifier(self.name, lambda: Perceptron(order=self.order, max_epochs=self.epochs)).prepare(data)


class ScikitLearn:
    """scikit-learn's Perceptron with the same budget, its own stopping rule off."""

    def __init__(self, epochs: int, *, shuffle: bool = False) -> None:
        self.epochs, self.shuffle = epochs, shuffle
        self.name = f"scikit-learn, fit of {epochs} pass{'es' * (epochs > 1)}"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        peer = sklearn.linear_model.Perceptron
        return Classifier(self.name, lambda: peer(shuffle=self.shuffle, max_iter=self.epochs, tol=None)).prepare(data)


class Classifier:
    """`fit` of any linear classifier; what is measured is its time, or a number that is worked out from it."""

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
    """The same with a new seed each time: the number measured, or, beside the time of `fit`, another."""

    def __init__(self, name: str, make: Callable[..., Any], measure: Callable[[Any, Any], float]) -> None:
        self.name, self.make, self.measure = name, make, measure

    def prepare(self, data: Any) -> Callable[[], Any]:
        seeds = itertools.count()

        def work() -> float | Both:
            model = self.make(random_state=next(seeds))
            start = time.perf_counter()
            model.fit(data.X, data.y)
            elapsed = (time.perf_counter() - start) * 1e3
            number = self.measure(model, data)
            return Both(elapsed, number) if isinstance(data, Split) else number

        return quietly(work)


class LowerBound:
    """No hyperplane errs less, proved; found once, in a minute at most."""

    name = "proved: no hyperplane below"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        found = error_bounds(data.X, data.y, budget=60.0)
        assert found.certificate.verify(data.X, data.y)
        return lambda: float(found.lower)


class LinearProgram:
    """Is there a hyperplane with y (w.x + b) >= 1 for all rows?  HiGHS through SciPy."""

    name = "SciPy's linprog, HiGHS: separable or not"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        signed = -data.y[:, np.newaxis] * np.column_stack([data.X, np.ones(len(data.y))])
        zero, right = np.zeros(signed.shape[1]), -np.ones(len(data.y))

        def work() -> None:
            answer = scipy.optimize.linprog(zero, A_ub=signed, b_ub=right, bounds=(None, None), method="highs")
            assert answer.status in (0, 2)

        return work


class Prove:
    """A verdict with its certificate, and (if asked) its verification; what is measured is the time, or a number."""

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
    """Only the verification of a certificate that is there already."""

    name = "rosenblatt, verify"

    def prepare(self, data: Labelled) -> Callable[[], Any]:
        certificate = separability(data.X, data.y, detail=not is_text(data)).certificate
        assert certificate is not None

        def work() -> None:
            assert certificate.verify(data.X, data.y)

        return work


def is_text(data: Labelled) -> bool:
    """So many columns that only the first question is asked, whether the classes are strictly separable."""
    return bool(data.X.shape[1] > 5000)


def certificate_size(verdict: Verdict) -> float:
    """Kilobytes of JSON."""
    assert verdict.certificate is not None
    return len(verdict.certificate.to_json()) / 1000


def kind(verdict: Verdict) -> float:
    return float(("strict", "weak", "overlap", "not_strict").index(verdict.kind))


def training_errors(model: Any, data: Labelled) -> float:
    return float((model.predict(data.X) != data.y).sum())


def accuracy(model: Any, data: Split) -> float:
    """In percent."""
    return 100 * float((model.predict(data.X_test) == data.y_test).mean())


def margin(model: Any, data: Labelled) -> float:
    """The geometric margin that a classifier reaches: negative where rows are on the wrong side."""
    w = model.coef_[0]
    return float((data.y * (data.X @ w + model.intercept_[0])).min() / np.linalg.norm(w))


def slack_objective(C: float) -> Callable[[Any, Labelled], float]:
    """|w|^2/2 + b^2/2 + C (the squares of what each functional margin is short of 1), LIBLINEAR's L2-loss."""

    def measure(model: Any, data: Labelled) -> float:
        w, b = model.coef_[0], model.intercept_[0]
        if isinstance(model, Kozinec):
            w, b = w / model.margin_bounds_[1] ** 2, b / model.margin_bounds_[1] ** 2
        short = np.maximum(0, 1 - data.y * (data.X @ w + b))
        return float((w @ w + b * b) / 2 + C * (short @ short))

    return measure


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

    def quiet() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()

    return quiet
