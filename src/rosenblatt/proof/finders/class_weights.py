"""Finds weight vectors with which every row scores most in its own class, or weights of rows that balance.

The loss is that of multinomial regression, the sum of log(1 + sum_o exp(s_o - s_c)), where s_c is the score of a row in
its own class and o runs over the others. If the classes are separable, it decreases without end, and after a few steps
of Newton's method the weights separate them. If they overlap, it has a minimum. There the long rows of Kessler's
construction add up to 0, each weighted by the share exp(s_o) / sum exp(s) of the class that its row is compared with.

The long rows are not made: n rows of k classes have one matrix of n x k d numbers, where they have (k - 1) n x k d.
All of this is a guess in floats, which others prove.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from rosenblatt.base.deadline import afford
from rosenblatt.base.events import report_progress
from rosenblatt.base.exact import whole
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.finders.existence import MAX_HALVINGS, NEARLY_DONE, UnitRows

MIN_WEIGHTS = 200  # with fewer weights, the search among the long rows is as fast
MAX_WEIGHTS = 6000  # of all classes but one; the matrix of second derivatives has this size squared
MAX_PRODUCTS = 1e11  # in one step
FLOPS = 4e9  # multiplications a second in products of matrices, on a busy machine
MAX_STEPS = 60  # of Newton's method
LAST_STEPS = 2  # of them that are made where the loss is nearly the smallest
BLOCK = 1 << 24  # numbers of the matrix of rows and classes that are made at a time
RIDGE = 1e-12  # added to the second derivatives, for their size; where the weights are large they are nearly 0
Floats = NDArray[np.float64]


class Fitted(NamedTuple):
    """The end of Newton's method."""

    W: Floats  # the weights of each class, one column for each; those of the last class are 0
    shares: Floats  # the share of each class in each row
    separates: bool  # does every row score most in its own class?
    is_minimum: bool  # is this a minimum of the loss?


def class_weights(table: Table, codes: NDArray[Any], k: int, constant: float, deadline: float) -> list[int] | None:
    """Whole weights of all classes, one class after the other, that separate the rows in floats, or None.

    Parameters
    ----------
    table : the rows
    codes : the class of each row, from 0 to k - 1
    k : the number of classes
    constant : the constant at the end of each row, or 0
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    if (k - 1) * (table.d + (constant != 0)) < MIN_WEIGHTS or products_of(table, k, constant) > MAX_PRODUCTS:
        return None
    given = unit_rows(table, constant)
    columns = given.columns()
    found = newton(columns.Q, codes, k, products_of(table, k, constant) / FLOPS, deadline)
    if not found.separates:
        return None
    full = np.zeros((len(given.column_powers), k))
    full[columns.kept] = scipy.linalg.solve_triangular(columns.R, found.W)
    units = [Fraction(2) ** int(-power) for power in given.column_powers]
    return whole([Fraction(x) * unit for of_class in full.T.tolist() for x, unit in zip(of_class, units, strict=True)])


def balancing_shares(table: Table, codes: NDArray[Any], k: int, constant: float, deadline: float) -> Floats | None:
    """For each row and class the weight of the long row that compares them, so that all add up to nearly 0; or None.

    The parameters are those of `class_weights`, and so is what is raised.
    """
    if products_of(table, k, constant) > MAX_PRODUCTS:
        return None
    given = unit_rows(table, constant)
    found = newton(given.columns().Q, codes, k, products_of(table, k, constant) / FLOPS, deadline)
    if not found.is_minimum or not found.shares.min() > 0:
        return None
    return np.asarray(np.ldexp(found.shares, -given.row_powers[:, np.newaxis]))


def products_of(table: Table, k: int, constant: float) -> float:
    """The multiplications in a step of Newton's method; infinity for long integers or many weights."""
    weights = (k - 1) * (table.d + (constant != 0))
    return math.inf if table.large or weights > MAX_WEIGHTS else table.n * weights**2 + weights**3 / 3


def unit_rows(table: Table, constant: float) -> UnitRows:
    """All rows as floats of one size."""
    return UnitRows.of(Signed(table, np.ones(table.n, np.int8), constant), np.arange(table.n))


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def newton(Q: Floats, codes: NDArray[Any], k: int, seconds: float, deadline: float) -> Fitted:
    """Minimise the loss until every row scores most in its own class, or until there is a minimum.

    Parameters
    ----------
    Q : the rows, in coordinates in which the columns are orthonormal
    codes : the class of each row
    k : the number of classes
    seconds : what a step takes, about
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed, or the next step would pass it.
    """
    n, r = Q.shape
    own = np.zeros((n, k))
    own[np.arange(n), codes] = 1.0
    W, loss, last = np.zeros((r, k)), n * math.log(k), LAST_STEPS
    for number in range(MAX_STEPS):
        afford(seconds, deadline)
        report_progress("verdict", number, None, "step {} of Newton's method", number + 1)
        shares = softmax(Q @ W)
        if not last:
            return Fitted(W, shares, False, True)
        gradient = (Q.T @ (own - shares))[:, :-1]
        H = second_derivatives(Q, shares[:, :-1])
        H[np.diag_indices_from(H)] += RIDGE * H.diagonal().max()
        try:
            factors = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            break
        step = np.zeros_like(W)
        step[:, :-1] = scipy.linalg.cho_solve(factors, gradient.T.ravel()).reshape(k - 1, r).T
        if (gradient * step[:, :-1]).sum() < NEARLY_DONE * loss:
            W, last = W + step, last - 1
            continue
        for _ in range(MAX_HALVINGS):
            scores = Q @ (W + step)
            smaller = loss_of(scores, codes)
            if smaller < loss:
                break
            step = step / 2
        W, loss = W + step, smaller
        if (leads_of(scores, codes) > 0).all():
            return Fitted(W, shares, True, False)
    return Fitted(W, shares, False, False)


def softmax(scores: Floats) -> Floats:
    """The share of each class: exp(score), divided by the sum over the classes."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def leads_of(scores: Floats, codes: NDArray[Any]) -> Floats:
    """How much more each row scores in its own class than in the best of the others."""
    every = np.arange(len(scores))
    others = scores.copy()
    others[every, codes] = -np.inf
    return np.asarray(scores[every, codes] - others.max(axis=1))


def loss_of(scores: Floats, codes: NDArray[Any]) -> float:
    """The sum of log(sum_o exp(s_o - s_c)) over the rows, where o runs over all classes."""
    top = scores.max(axis=1)
    sums = np.log(np.exp(scores - top[:, np.newaxis]).sum(axis=1)) + top
    return float((sums - scores[np.arange(len(scores)), codes]).sum())


def second_derivatives(Q: Floats, shares: Floats) -> Floats:
    """The sum over the rows of (diag(p) - p p') x q q', where p are the shares of all classes but the last."""
    (n, r), m = Q.shape, shares.shape[1]
    H = np.zeros((m * r, m * r))
    height = max(1, BLOCK // (m * r))
    for start in range(0, n, height):
        q, p = Q[start : start + height], shares[start : start + height]
        G = (p[:, :, np.newaxis] * q[:, np.newaxis, :]).reshape(len(q), m * r)
        H -= G.T @ G
    for c in range(m):
        H[c * r : (c + 1) * r, c * r : (c + 1) * r] += (Q * shares[:, c : c + 1]).T @ Q
    return H
