"""Small tables that were published as examples of separation: our answers are those stated with the tables.

Each table is also put to the exact oracle. Where the source prints finite estimates, a regression on the rows that are
kept gives the same numbers. The sources:

- Agresti, Categorical Data Analysis, 3rd edition, section 6.5.1 (eight and ten points), for the complete and the
  quasi-complete separation of Albert and Anderson, Biometrika 71 (1984).
- UCLA Statistical Consulting, "What is complete or quasi-complete separation in logistic regression": two tables, the
  message of Stata, and the estimate of x2.
- Heinze and Schemper, Statistics in Medicine 21 (2002): neovascularisation and grade of 79 endometrial cancers.
- Kosmidis, Schumacher and Schwendinger, the R package detectseparation, which has the linear programs of Konis (2007):
  the example of the vignette "infinite_estimates".
- Correia, Guimaraes and Zylkin, arXiv 1903.01633 (2019), and the guides of their Stata package ppmlhdfe.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Certificate, estimates
from tests.support.estimates_oracle import Regression, truth


class Published(NamedTuple):
    """A table, what its source states, and the estimates that the source prints for finite coefficients."""

    X: list[list[int]]
    y: list[Any]
    model: str
    kind: str
    statuses: list[str]  # the intercept is the last one
    separated: list[int]
    printed: dict[int, float] = {}  # noqa: RUF012  (never changed)
    digits: int = 3


EIGHT = [[x] for x in (10, 20, 30, 40, 60, 70, 80, 90)]
TEN = [[x] for x in (10, 20, 30, 40, 50, 50, 60, 70, 80, 90)]

PUBLISHED = {
    "Agresti, eight points": Published(
        EIGHT, [0] * 4 + [1] * 4, "logit", "complete", ["+inf", "-inf"], [0, 1, 2, 3, 4, 5, 6, 7]
    ),
    "Agresti, ten points": Published(
        TEN, [0] * 5 + [1] * 5, "logit", "quasi", ["+inf", "-inf"], [0, 1, 2, 3, 6, 7, 8, 9]
    ),
    # SAS prints 2.4 for x2, but coefficients of either sign separate.
    "UCLA, complete": Published(
        [[1, 3], [2, 2], [3, -1], [3, -1], [5, 2], [6, 4], [10, 1], [11, 0]],
        [0] * 4 + [1] * 4,
        "logit",
        "complete",
        ["+inf", "undetermined", "-inf"],
        [0, 1, 2, 3, 4, 5, 6, 7],
    ),
    # Stata: x1 > 3 predicts data perfectly except for the subsample x1 == 3; 7 observations not used.
    "UCLA, quasi-complete": Published(
        [[1, 3], [2, 0], [3, -1], [3, 4], [3, 1], [4, 0], [5, 2], [6, 7], [10, 3], [11, 4]],
        [0] * 4 + [1] * 6,
        "logit",
        "quasi",
        ["+inf", "finite", "-inf"],
        [0, 1, 5, 6, 7, 8, 9],
        {1: -0.1206},
        4,
    ),
    # Successes and failures without and with neovascularisation; the finite one is the log odds 17 : 49.
    "Heinze and Schemper, two by two": Published(
        [[0], [1]], [(17, 49), (13, 0)], "logit", "quasi", ["+inf", "finite"], [1], {1: -1.059}
    ),
    # The vignette says that the estimates are infinite. The sign of that of a is not determined.
    "detectseparation": Published(
        [[1, 2], [0, 1], [3, 1], [2, 4], [3, 6], [4, 8]],
        [0, 0, 0, 1, 1, 1],
        "logit",
        "complete",
        ["undetermined", "+inf", "-inf"],
        [0, 1, 2, 3, 4, 5],
    ),
    # The estimate of the constant is log 1.5.
    "ppmlhdfe, one regressor": Published(
        [[1], [1], [0], [0], [0], [0]], [0, 0, 0, 1, 2, 3], "poisson", "quasi", ["-inf", "finite"], [0, 1], {1: 0.405}
    ),
    # Separated by 2 x1 + x2.
    "ppmlhdfe, two regressors": Published(
        [[2, -1], [-1, 2], [0, 0], [0, 0], [5, -10], [6, -12]],
        [0, 0, 0, 1, 2, 3],
        "poisson",
        "quasi",
        ["-inf", "-inf", "finite"],
        [0],
    ),
    # Separated by x2 - x1.
    "ppmlhdfe, no convergence": Published(
        [[0, 1, 0], *[[0, 0, 0]] * 3, [1, 9, 0], [21, 21, 21], *[[0, 0, 0]] * 3, [-18, -18, 0]],
        [0, 0, 0, 0, 0, 2, 3, 5, 7, 10],
        "poisson",
        "quasi",
        ["+inf", "-inf", "finite", "finite"],
        [0, 4],
        {2: 0.066},
    ),
    # Separated by x1 - x2.
    "ppmlhdfe, wrong convergence": Published(
        [
            *([0, 0, 2, 10], [0, 0, 0, -2], [0, 0, 0, 6], [0, 0, 4, 5], [1, 0, 0, 3], [0, 0, 0, 3]),
            *([0, 0, 0, 4], [0, 0, -2, 15], [0, 0, 0, -7], [0, 0, -3, 15], [-3, -3, 0, 4], [0, 0, 0, 4]),
        ],
        [0, 0, 0, 0, 0, 2, 2, 2, 2, 4, 6, 6],
        "poisson",
        "quasi",
        ["-inf", "+inf", "finite", "finite", "finite"],
        [4],
        {2: -0.47085, 3: -0.03779, 4: 0.59095},
        5,
    ),
    # R's glm prints 512, -1645, -106, 21 and -368, and a warning: these are the signs.
    "ppmlhdfe, warning of R": Published(
        [
            *([14, 4, 0, -12], [0, 35, 34, 12], [0, 3, 0, 17], [0, 0, 0, 1], [0, 0, -2, 7], [0, 25, 0, 12]),
            *([0, 13, 0, 60], [0, 15, 0, 7], [1, 0, 7, -24], [0, 0, 0, 18], [2, 0, 6, -1], [1, 0, 0, -7]),
        ],
        [0] * 9 + [9, 4, 2],
        "poisson",
        "quasi",
        ["+inf", "-inf", "-inf", "+inf", "-inf"],
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_answers_are_those_of_the_source(name: str) -> None:
    given = PUBLISHED[name]
    found = estimates(given.X, given.y, model=given.model)  # type: ignore[arg-type]
    told = (found.kind, found.statuses, found.separated_rows.tolist())
    assert told == (given.kind, given.statuses, given.separated)
    known = truth(Regression(given.X, given.y, given.model, {}))
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
    """Complete separation, quasi-complete separation and overlap exclude each other: one point more changes the kind."""
    y = [0] * 4 + [1] * 4
    assert estimates(EIGHT, y).kind == "complete"
    for x, kind in ((20, "none"), (40, "quasi"), (50, "complete"), (60, "complete")):
        assert estimates([*EIGHT, [x]], [*y, 1]).kind == kind
