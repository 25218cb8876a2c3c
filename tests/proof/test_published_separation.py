"""Published examples of separation: our answers agree with what the sources state, and with the exact oracle.

Where the source prints finite estimates, a regression on the rows that are
kept gives the same numbers.
"""

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Certificate, estimates
from tests.support.estimates_oracle import Regression, truth
from tests.support.published_separation import EIGHT, PUBLISHED


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_answers_agree_with_the_source_and_the_oracle(name: str) -> None:
    given = PUBLISHED[name]
    found = estimates(given.X, given.y, model=given.model)  # type: ignore[arg-type]
    told = (found.kind, found.statuses, found.separated_rows.tolist())
    assert told == (given.kind, given.statuses, given.separated)
    known = truth(Regression([[*row] for row in given.X], given.y, given.model, {}))
    assert told == (known.kind, known.statuses, known.separated)
    assert found.certificate is not None
    assert Certificate.from_json(found.certificate.to_json()).verify(given.X, given.y)


@pytest.mark.parametrize("name", [name for name, given in PUBLISHED.items() if given.printed])
def test_the_rows_kept_give_the_printed_estimates(name: str) -> None:
    given = PUBLISHED[name]
    kept = estimates(given.X, given.y, model=given.model).kept_rows  # type: ignore[arg-type]
    fitted = fit(np.array(given.X, float)[kept], np.array(given.y, float)[kept], given.model)
    for j, value in given.printed.items():
        assert round(float(fitted[j]), given.digits) == value


def fit(X: np.ndarray, y: np.ndarray, model: str) -> np.ndarray:
    """Maximum likelihood by Newton's method; columns may depend on each other."""
    X = np.column_stack([X, np.ones(len(X))])
    successes, trials = (y[:, 0], y.sum(axis=1)) if y.ndim == 2 else (y, np.ones(len(y)))
    b = np.zeros(X.shape[1])
    for _ in range(50):
        if model == "poisson":
            mean = np.exp(X @ b)
            weight = mean
        else:
            share = 1 / (1 + np.exp(-X @ b))
            mean, weight = trials * share, trials * share * (1 - share)
        b += np.linalg.lstsq((X.T * weight) @ X, X.T @ (successes - mean))[0]
    return b


def test_two_factors_of_which_neither_separates_alone() -> None:
    """The table of the guide in which ppmlhdfe needs its iterated rectifier: the third row is separated."""
    levels = pd.DataFrame({"id1": list("11222"), "id2": list("11122")})
    found = estimates(levels, [0, 1, 0, 0, 1], model="poisson")
    assert found.separated_rows.tolist() == [2]
    assert found.status == {"id1[2]": "-inf", "id2[2]": "+inf", "(intercept)": "finite"}
    for factor in ("id1", "id2"):
        assert estimates(levels[[factor]], [0, 1, 0, 0, 1], model="poisson").kind == "none"


def test_small_counts_end_the_separation() -> None:
    """With three more rows of y = 0.000001 the third row is not separated; a threshold on the fit may drop it."""
    levels = pd.DataFrame({"id1": list("11222222"), "id2": list("11122111")})
    assert estimates(levels, [0, 1, 0, 0, 1, 1e-6, 1e-6, 1e-6], model="poisson").kind == "none"


def test_a_level_without_counts() -> None:
    """The two rows of the first individual have no counts. As the reference level it moves all coefficients."""
    levels = pd.DataFrame({"id": list("112233")})
    found = estimates(levels, [0, 0, 0, 1, 2, 3], model="poisson")
    assert found.separated_rows.tolist() == [0, 1]
    assert found.status == {"id[2]": "+inf", "id[3]": "+inf", "(intercept)": "-inf"}
    assert found.status_of([1, -1, 0]) == "finite"


def test_three_configurations_of_albert_and_anderson() -> None:
    """Complete separation, quasi-complete separation and overlap exclude each other; one more point decides."""
    y = [0] * 4 + [1] * 4
    assert estimates(EIGHT, y).kind == "complete"
    for x, kind in ((20, "none"), (40, "quasi"), (50, "complete"), (60, "complete")):
        assert estimates([*EIGHT, [x]], [*y, 1]).kind == kind
