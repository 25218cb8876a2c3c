"""The search for a hyperplane with few errors: the upper bound of the fewest errors."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.base.events import listening, report_progress
from rosenblatt.base.exact import whole
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.hulls.row_set import InMemory
from rosenblatt.hulls.search import nearest_point
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.fewest_errors.effort import Effort

OPERATIONS = 1e9  # of the default effort: about 1,600 steps with 20,000 rows of 10 columns
SORTING = 20  # operations to sort one row
PRICES = (100.0, 1.0, 0.01)  # of slack, in units of the mean square of a row
PATIENCE = 30  # directions for each column that may fail to improve the hyperplane before the search gives up
MAX_RESTARTS = 10
MAX_STEP = 1e100  # after a longer step only the direction would be left


def best_hyperplane(
    signed: Signed, given: Hyperplane | None, effort: Effort, random_state: int, least: int
) -> tuple[list[int], NDArray[Any]]:
    """The hyperplane with the fewest errors that was found, and the rows that it gets wrong.

    No hyperplane makes fewer errors than `least`, so the search ends with as many.
    """
    tries = chain(
        [] if given is None else [weights_of(given, signed.constant)], candidates(signed, effort, random_state)
    )
    best = next(tries)
    fewest = _wrong(signed, best)
    report_progress("fewest errors", 0, None, "at most {:,}", len(fewest))
    while len(fewest) > least and (w := next(tries, None)) is not None:
        wrong = _wrong(signed, w)
        if len(wrong) < len(fewest):
            best, fewest = w, wrong
        report_progress("fewest errors", 0, None, "at most {:,}", len(fewest))
    return best, fewest


def _wrong(signed: Signed, w: list[int]) -> NDArray[Any]:
    return np.flatnonzero(signed.leads(w)[1] <= 0)


def candidates(signed: Signed, effort: Effort, random_state: int) -> Iterator[list[int]]:
    """Yield hyperplanes: all rows on one side; those of the margin with slack, improved; restarts from the best."""
    majority = 1 if signed.y.sum() >= 0 else -1
    yield [*[0] * signed.table.d, *[majority] * bool(signed.constant)]
    Z, back = _unit_columns(signed)
    rng, best, fewest = np.random.default_rng(random_state), np.empty(0), Z.shape[0] + 1
    for turn in range(len(PRICES) + MAX_RESTARTS):
        if not effort.spend(0):
            return
        if turn < len(PRICES):
            w = _with_slack(Z, PRICES[turn], effort.deadline)
        else:
            w = best + 0.1 * np.linalg.norm(best) / math.sqrt(len(best)) * rng.standard_normal(len(best))
        w, wrong = _improved(Z, w, effort, rng)
        if wrong < fewest:
            best, fewest = w, wrong
            yield whole([Fraction(x) / unit for x, unit in zip(w.tolist(), back, strict=True)])


def weights_of(plane: Hyperplane, constant: float) -> list[int]:
    """The weights of a hyperplane in whole numbers, for rows that end with the constant."""
    b = [Fraction(plane.b) / Fraction(constant)] if constant else []
    return whole([*map(Fraction, plane.w.tolist()), *b])


def _unit_columns(signed: Signed) -> tuple[Any, list[Fraction]]:
    """The signed rows as floats, each column divided by a power of two to about the same size; and these powers."""
    X, powers = signed.table.floats, np.array(signed.table.powers())
    units = [Fraction(2) ** int(power) for power in powers]
    if scipy.sparse.issparse(X):
        Z = X.multiply(np.ldexp(1.0, -np.clip(powers, -1000, 1000))).multiply(signed.y[:, np.newaxis])
        ends = scipy.sparse.csr_array(signed.y[:, np.newaxis].astype(float))
        Z = scipy.sparse.csr_array(scipy.sparse.hstack([Z, ends]) if signed.constant else Z)
    else:
        Z = np.ldexp(X, -powers) * signed.y[:, np.newaxis]
        Z = np.column_stack([Z, signed.y]) if signed.constant else Z
    return Z, [*units, *[Fraction(signed.constant)] * bool(signed.constant)]


def _with_slack(Z: Any, price: float, deadline: float) -> NDArray[np.float64]:
    """The hyperplane of largest margin with quadratic slack."""
    square = float((Z.multiply(Z) if scipy.sparse.issparse(Z) else Z * Z).sum()) / Z.shape[0]
    points = InMemory(as_rows(Z, 0.0), Z.shape[1], np.ones(Z.shape[0], np.int8), two=False)
    with listening(None):  # its progress is not reported: it is not the search for the margin of the user's rows
        goal, slack = Goal(1e-2), square / (2 * price)
        found = nearest_point(points, "auto", goal, slack=slack, max_epochs=1000, deadline=deadline)
    return np.asarray(found.look.w[:-1])


def _improved(
    Z: Any, w: NDArray[np.float64], effort: Effort, rng: np.random.Generator
) -> tuple[NDArray[np.float64], int]:
    """Move w along columns, wrong rows and random directions, each time to the best place, while that helps.

    At most half of the effort that is left is spent, so that something is left for other starts.
    """
    numbers = Z.nnz + Z.shape[1] if scipy.sparse.issparse(Z) else Z.size
    step_cost, least = numbers + SORTING * Z.shape[0], effort.left / 2
    leads = Z @ w
    wrong, idle, d = int((leads <= 0).sum()), 0, Z.shape[1]
    fewest = wrong
    while idle < PATIENCE * d and wrong and effort.left > least and effort.spend(step_cost):
        direction = _direction(Z, leads, rng)
        slopes = Z @ direction
        step, fewer = _best_step(leads, slopes)
        idle += 1
        if (fewer < wrong or (fewer == wrong and step)) and abs(step) < MAX_STEP:
            w = w + step * direction
            w = w / (np.abs(w).max() or 1.0)
            leads = Z @ w
            wrong = int((leads <= 0).sum())  # by rounding it may be more than `fewer`
            idle = 0 if wrong < fewest else idle
            fewest = min(fewest, wrong)
    return w, wrong


def _direction(Z: Any, leads: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    kind, d = rng.integers(3), Z.shape[1]
    if kind == 0:
        return np.asarray(np.eye(1, d, int(rng.integers(d)))[0])
    if kind == 1:
        i = int(rng.choice(np.flatnonzero(leads <= 0)))
        return dense(Z[[i]]).ravel()
    return np.asarray(rng.standard_normal(d))


def _best_step(leads: NDArray[np.float64], slopes: NDArray[np.float64]) -> tuple[float, int]:
    """The step t for which the most leads + t slopes are positive, in the middle of the interval where that is so."""
    moving = np.flatnonzero(slopes)
    with np.errstate(over="ignore"):
        at = -leads[moving] / slopes[moving]
    order = np.argsort(at)
    at, gains = at[order], np.where(slopes[moving][order] > 0, -1, 1)  # from here on the row is right, or wrong
    first = int((leads[slopes == 0] <= 0).sum()) + int((gains < 0).sum())
    counts = first + np.concatenate([[0], np.cumsum(gains)])
    ends = np.concatenate([[-math.inf], at, [math.inf]])
    counts = np.where(ends[1:] > ends[:-1], counts, len(leads) + 1)
    best = int(np.argmin(counts))
    low, high = float(ends[best]), float(ends[best + 1])
    if math.isinf(low) and math.isinf(high):
        step = 0.0
    elif math.isinf(low):
        step = 2 * min(high, 0.0) - 1
    else:
        step = 2 * max(low, 0.0) + 1 if math.isinf(high) else low / 2 + high / 2
    return step, int(counts[best])
