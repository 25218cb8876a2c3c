"""Small tables that were published as examples of separation.

The sources state the kind of separation, the separated rows, a direction or finite estimates. What they leave open is
the answer of the exact oracle, with which the tests compare each table. The sources:

- Agresti, Categorical Data Analysis, 3rd edition, section 6.5.1 (eight and ten points), for the complete and the
  quasi-complete separation of Albert and Anderson, Biometrika 71 (1984).
- UCLA Statistical Consulting, "What is complete or quasi-complete separation in logistic regression": a table.
- Heinze and Schemper, Statistics in Medicine 21 (2002): neovascularisation and grade of 79 endometrial cancers, as they
  are counted in the guide "nonexistence_examples" of ppmlhdfe.
- Kosmidis, Schumacher and Schwendinger, the R package detectseparation, which has the linear programs of Konis (2007):
  the example of the vignette "infinite_estimates".
- Correia, Guimaraes and Zylkin, arXiv 1903.01633 (2019), and the guides of their Stata package ppmlhdfe.
"""

from typing import Any, NamedTuple


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
