"""The generalised Anderson task, compared with bisection by a cone solver."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np

from rosenblatt import Anderson


class Task(NamedTuple):
    means: np.ndarray
    covariances: np.ndarray
    signs: np.ndarray


class RandomGaussians:
    """m Gaussians in d dimensions, with correlated covariances of various scales. A hyperplane separates the means."""

    def __init__(self, d: int, m: int) -> None:
        self.d, self.m = d, m
        self.name = f"{m} Gaussians in {d} dimensions"

    def make(self) -> Task:
        rng = np.random.default_rng(self.d)
        signs = np.where(np.arange(self.m) < self.m // 2, 1, -1)
        normal = rng.standard_normal(self.d)
        means = rng.standard_normal((self.m, self.d)) + 3 * np.outer(signs, normal / np.linalg.norm(normal))
        scales = np.exp(rng.uniform(-1, 1, (self.m, self.d, 1)))
        roots = scales * rng.standard_normal((self.m, self.d, self.d + 2)) / np.sqrt(self.d + 2)
        covariances = roots @ roots.transpose(0, 2, 1)
        return Task(means, (covariances + covariances.transpose(0, 2, 1)) / 2, signs)


class Ascent:
    """`Anderson` to bounds within 1e-6, rounding included; with `verify`, the certificate is also made and verified."""

    def __init__(self, name: str, *, verify: bool = False) -> None:
        self.name, self.verify = name, verify

    def prepare(self, data: Task) -> Callable[[], Any]:
        def work() -> None:
            model = Anderson(epsilon=1e-6).fit_gaussians(*data)
            assert model.stop_reason_ == "gap_closed"
            assert not self.verify or model.certificate_.verify_gaussians(*data)

        return work


class ConeBisection:
    """Bisection for the largest radius, to 1e-6, by cvxpy with Clarabel. The problem is compiled beforehand."""

    name = "cvxpy and Clarabel, bisection"

    def prepare(self, data: Task) -> Callable[[], Any]:
        m, d = data.means.shape
        w, b, t, radius = cp.Variable(d), cp.Variable(), cp.Variable(), cp.Parameter(nonneg=True)
        leads = cp.multiply(data.signs, data.means @ w + b)
        spreads = [cp.norm(np.linalg.cholesky(C).T @ w) for C in data.covariances]
        within = [leads[i] - radius * spreads[i] >= t for i in range(m)]
        problem = cp.Problem(cp.Maximize(t), [*within, cp.sum(leads) == m])

        def reached(r: float) -> bool:
            radius.value = r
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # warnings that a solution may be inaccurate
                problem.solve(solver=cp.CLARABEL)
            return problem.value is not None and problem.value > 0

        def work() -> None:
            low, high = 0.0, 1.0
            while reached(high):
                low, high = high, 2 * high
            while high - low > 1e-6 * max(1.0, low):
                middle = (low + high) / 2
                low, high = (middle, high) if reached(middle) else (low, middle)

        reached(1.0)
        return work
