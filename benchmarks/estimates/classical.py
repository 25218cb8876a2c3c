"""What statsmodels and firthmodels answer for the published tables: estimates, standard errors and warnings."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import firthmodels
import numpy as np
import statsmodels.api as sm
from rich.console import Console

from rosenblatt import estimates
from tests.support.published_separation import PUBLISHED, Published


def fits(given: Published) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The regressions of statsmodels for a table; the intercept is the last coefficient."""
    X = np.column_stack([given.X, np.ones(len(given.X))])
    y = np.array(given.y, dtype=float)
    if given.model == "poisson":
        yield "Poisson", lambda: sm.Poisson(y, X).fit(disp=0)
        yield "GLM Poisson", lambda: sm.GLM(y, X, family=sm.families.Poisson()).fit()
        return
    if y.ndim == 2:  # successes and failures: one row for each
        X = np.repeat(np.repeat(X, 2, axis=0), y.astype(int).ravel(), axis=0)
        y = np.repeat(np.tile([1.0, 0.0], len(y)), y.astype(int).ravel())
    yield "Logit", lambda: sm.Logit(y, X).fit(disp=0)
    yield "GLM Binomial", lambda: sm.GLM(y, X, family=sm.families.Binomial()).fit()


def alligators() -> Any:
    """Food by lake, Agresti 2002 with counts divided by 3; fish and lake George are the references."""
    eaten = np.array([[11, 6, 0, 1, 2], [9, 1, 1, 2, 5], [6, 6, 2, 0, 1], [5, 5, 2, 1, 3]])  # reptiles are column 2
    lake, food = (np.repeat(index.ravel(), eaten.ravel()) for index in np.indices(eaten.shape))
    return sm.MNLogit(food, np.column_stack([lake[:, None] == [1, 2, 3], np.ones(len(lake))]).astype(float)).fit(disp=0)


def answer(fit: Callable[[], Any]) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = fit()
            numbers = zip(np.ravel(found.params, "F"), np.ravel(found.bse, "F"), strict=True)
            words = ", ".join(f"{b:.4g} ({e:.3g})" for b, e in numbers)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
    names = sorted({warning.category.__name__ for warning in caught})
    return f"{words}; {', '.join(names) or 'no warning'}"


def run(console: Console) -> None:
    console.print("Estimates (standard errors); warnings. The intercept is the last coefficient.\n")
    for title, given in PUBLISHED.items():
        found = estimates(given.X, given.y, model=given.model)  # type: ignore[arg-type]
        console.print(f"[bold]{title}[/bold]")
        console.print(f"  rosenblatt: {found.kind}: {', '.join(found.statuses)}", markup=False)
        for name, fit in fits(given):
            console.print(f"  statsmodels, {name}: {answer(fit)}", markup=False)
        if given.model == "logit" and isinstance(given.y[0], int):
            told = firthmodels.detect_separation(np.array(given.X, dtype=float), np.array(given.y))
            console.print(f"  firthmodels: separated {told.separation}, directions {told.directions.tolist()}")
        console.print()
    console.print(
        "[bold]Alligators: for each food but fish, lakes Hancock, Oklawaha, Trafford and the intercept[/bold]"
    )
    console.print(f"  statsmodels, MNLogit: {answer(alligators)}", markup=False)
