"""Programs that are asked whether data of two classes are separated, and which coefficients are infinite."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import firthmodels
import numpy as np
import scipy.optimize
import scipy.sparse
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import PerfectSeparationError, PerfectSeparationWarning

from rosenblatt import estimates

COEFFICIENT_TOLERANCE = 1e-4  # of detectseparation and firthmodels: a coefficient above it is infinite
OBJECTIVE_TOLERANCE = 1e-7  # the feasibility tolerance of HiGHS


class Answer(NamedTuple):
    """What a program said: separated or not (None: it did not say), and the status of each coefficient if it has them.

    The intercept is the last coefficient.
    """

    separated: bool | None
    statuses: Sequence[str] | None = None


def ours(X: Any, y: Any) -> Answer:
    found = estimates(X, y)
    assert found.certificate is not None
    return Answer(found.kind != "none", found.statuses)


def ours_verified(X: Any, y: Any) -> Answer:
    found = estimates(X, y)
    assert found.certificate is not None
    assert found.certificate.verify(X, y)
    return Answer(found.kind != "none", found.statuses)


def detect_separation(X: Any, y: Any) -> Answer:
    """`firthmodels`: one linear program, refused if columns depend on each other."""
    found = firthmodels.detect_separation(X.toarray() if scipy.sparse.issparse(X) else X, y)
    words = {0: "finite", 1: "+inf", -1: "-inf"}
    return Answer(bool(found.separation), [words[int(direction)] for direction in found.directions])


def statsmodels_logit(X: Any, y: Any) -> Answer:
    return _fitted(lambda: sm.Logit(y, np.column_stack([X, np.ones(len(X))])).fit(disp=0))


def statsmodels_glm(X: Any, y: Any) -> Answer:
    return _fitted(lambda: sm.GLM(y, np.column_stack([X, np.ones(len(X))]), family=sm.families.Binomial()).fit())


def _fitted(fit: Callable[[], Any]) -> Answer:
    """A fit that names separation says yes, one with another warning says nothing, and one without warnings says no."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            fit()
        except PerfectSeparationError:
            return Answer(True)
    if any(issubclass(warning.category, PerfectSeparationWarning) for warning in told):
        return Answer(True)
    return Answer(None if told else False)


def konis_primal(X: Any, y: Any) -> Answer:
    """HiGHS: maximise the sum of z.b with z.b >= 0 for all rows and -1 <= b <= 1."""
    Z = recession_rows(X, y)
    return Answer(-_optimum(-_sums(Z), A_ub=-Z, b_ub=np.zeros(Z.shape[0]), bounds=(-1, 1)) > OBJECTIVE_TOLERANCE)


def konis_dual(X: Any, y: Any) -> Answer:
    """HiGHS: the dual. How near to 0 is a combination of all rows with weights of at least 1?"""
    Z = recession_rows(X, y)
    n, d = Z.shape
    stack, eye = (
        (scipy.sparse.hstack, scipy.sparse.eye_array(d)) if scipy.sparse.issparse(Z) else (np.hstack, np.eye(d))
    )
    costs = np.r_[np.zeros(n), np.ones(2 * d)]
    distance = _optimum(costs, A_eq=stack([Z.T, eye, -eye]), b_eq=-_sums(Z), bounds=(0, None))
    return Answer(distance > OBJECTIVE_TOLERANCE)


def programs_for_each(X: Any, y: Any) -> Answer:
    """HiGHS: `konis_primal`, then the largest and the smallest value of each coefficient over the same b."""
    Z = recession_rows(X, y)
    n, d = Z.shape
    statuses = []
    for unit in np.eye(d):
        high, low = (sign * -_optimum(-sign * unit, A_ub=-Z, b_ub=np.zeros(n), bounds=(-1, 1)) for sign in (1, -1))
        rises, falls = high > COEFFICIENT_TOLERANCE, low < -COEFFICIENT_TOLERANCE
        words = {(0, 0): "finite", (1, 0): "+inf", (0, 1): "-inf", (1, 1): "undetermined"}
        statuses.append(words[int(rises), int(falls)])
    if not scipy.sparse.issparse(Z) and (rank := np.linalg.matrix_rank(Z)) < d:
        for j, unit in enumerate(np.eye(d)):
            if np.linalg.matrix_rank(np.vstack([Z, unit])) > rank:
                statuses[j] = "not_estimable"
    return Answer(konis_primal(X, y).separated, statuses)


def recession_rows(X: Any, y: Any) -> Any:
    """The rows with the intercept; failures with the opposite sign."""
    signs = np.where(y > 0, 1.0, -1.0)
    if scipy.sparse.issparse(X):
        rows = scipy.sparse.hstack([X, np.ones((X.shape[0], 1))], format="csr")
        return scipy.sparse.diags_array(signs) @ rows
    return np.column_stack([X, np.ones(len(X))]) * signs[:, None]


def _sums(Z: Any) -> np.ndarray:
    return np.asarray(Z.sum(axis=0)).ravel()


def _optimum(costs: np.ndarray, **constraints: Any) -> float:
    result = scipy.optimize.linprog(costs, method="highs", **constraints)
    if not result.success:
        raise RuntimeError(result.message)
    return float(result.fun)
