"""Python code to paste: it fits a regression with infinite estimates in ways that give finite ones."""

import json
import pprint
from collections.abc import Sequence
from typing import Any, NamedTuple

READERS = {"csv": "read_csv", "tsv": "read_csv", "parquet": "read_parquet", "jsonl": "read_json"}
MAX_LEVELS = 100  # of all categories; with more there is no code
MAX_LISTED_ROWS = 30  # that the code names
BINOMIAL = ("logit", "probit", "cloglog")
FITS = {
    "logit": "sm.Logit(kept_y, Z)",
    "probit": "sm.Probit(kept_y, Z)",
    "poisson": "sm.GLM(kept_y, Z, sm.families.Poisson())",
}


class Regression(NamedTuple):
    """A regression on a file.

    Attributes
    ----------
    path, format : the file
    header : the names of all columns, if the file has no header
    is_spaced : do cells begin with a space?
    target : the column with the outcomes
    success : for two classes the label of the second one
    levels : the levels of each category but the reference level
    numbers : the columns of numbers
    model : the model
    intercept : has it an intercept?
    failures : the failures of grouped data, as code for a data frame `rows`; None if each row is one outcome
    weight : the column with weights, which are whole numbers
    reader_options : how a text table is written, as arguments of pandas.read_csv
    """

    path: str
    format: str
    header: list[str] | None
    is_spaced: bool
    target: str
    success: Any
    levels: dict[str, list[str]]
    numbers: list[str]
    model: str
    intercept: bool
    failures: str | None = None
    weight: str | None = None
    reader_options: Sequence[str] = ()


class Separation(NamedTuple):
    """What was found about a regression.

    Attributes
    ----------
    drop : columns of the design to leave out, each with a few words that say what this means
    dependent : columns that depend on others
    separated : the rows that are separated
    limit : the columns of the limiting model; None if no row is kept
    kept : the file with the rows that are kept, if it was written
    """

    drop: dict[str, str]
    dependent: list[str]
    separated: Sequence[int]
    limit: list[str] | None
    kept: str | None


def remedy_code(regression: Regression, found: Separation) -> str | None:
    """The code; None if there is none for such a file or model."""
    count = sum(map(len, regression.levels.values()))
    if regression.format not in READERS or regression.model == "ordinal" or count > MAX_LEVELS:
        return None
    parts = [_setup(regression), _load(regression, found.dependent)]
    if regression.model in BINOMIAL:
        parts.append(_firth(regression))
    parts.append(_prior(regression))
    if found.limit is not None and regression.model in FITS and (found.kept or len(found.separated) <= MAX_LISTED_ROWS):
        parts.append(_limit(regression, found, found.limit))
    if found.drop:
        parts.append(_drop(found.drop))
    return "\n".join(parts)


def _setup(regression: Regression) -> str:
    if not regression.levels:
        return f"""import pandas as pd


def design(rows):
    return rows[{regression.numbers!r}].astype(float)

"""
    levels = pprint.pformat(regression.levels, width=100, sort_dicts=False, compact=True)
    numbers = pprint.pformat(regression.numbers, width=100, compact=True)
    return f"""import pandas as pd

levels = {levels}  # without the reference levels
numbers = {numbers}


def design(rows):
    dummies = {{f"{{name}}[{{level}}]": rows[name] == level for name in levels for level in levels[name]}}
    return pd.DataFrame(dummies | {{name: rows[name] for name in numbers}}, dtype=float)

"""


def _load(regression: Regression, dependent: list[str]) -> str:
    lines = ["def load(path):", f"    rows = {_read(regression)}"]
    if regression.weight is not None:
        lines.append(f"    rows = rows.loc[rows.index.repeat(rows[{regression.weight!r}].astype(int))]")
    if regression.failures is not None:
        lines += [
            "    # one row for each success and for each failure",
            f"    good = rows.loc[rows.index.repeat(rows[{regression.target!r}].astype(int))].assign(outcome=1)",
            f"    bad = rows.loc[rows.index.repeat(({regression.failures}).astype(int))].assign(outcome=0)",
            "    rows = pd.concat([good, bad])",
        ]
    outcome = f"rows[{regression.target!r}]"
    if regression.failures is not None:
        outcome = 'rows["outcome"]'
    elif regression.model in BINOMIAL:
        outcome = f"({outcome} == {regression.success!r}).astype(int)"
    lines += [f"    return design(rows), {outcome}", "", "", f"X, y = load({_text(regression.path)})"]
    lines += [f"X = X.drop(columns={dependent!r})  # they depend on other columns", ""] if dependent else [""]
    return "\n".join(lines)


def _read(regression: Regression) -> str:
    options = ["path", *regression.reader_options]
    if regression.format == "jsonl":
        options.append("lines=True")
    if regression.format in ("csv", "tsv"):
        if regression.header is not None:
            options.append(f"names={regression.header!r}")
        if regression.levels:
            options.append(f"dtype={dict.fromkeys(regression.levels, 'str')!r}")
        if regression.is_spaced:
            options.append("skipinitialspace=True")
    return f"pd.{READERS[regression.format]}({', '.join(options)})"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _firth(regression: Regression) -> str:
    options = "" if regression.intercept else "fit_intercept=False"
    link = "" if regression.model == "logit" else " of a logit link"
    return f"""# Firth's penalty gives finite estimates{link} (pip install firthmodels).
from firthmodels import FirthLogisticRegression

firth = FirthLogisticRegression({options}).fit(X, y)
print(pd.Series(firth.coef_, X.columns), firth.intercept_)
"""


def _prior(regression: Regression) -> str:
    name, options = (
        ("PoissonRegressor", ["alpha=1 / len(y)"])
        if regression.model == "poisson"
        else (
            "LogisticRegression",
            ["C=1.0"],
        )
    )
    if not regression.intercept:
        options.append("fit_intercept=False")
    scaler = "StandardScaler()" if regression.intercept else "StandardScaler(with_mean=False)"
    shown = "pd.DataFrame(prior[-1].coef_.reshape(-1, X.shape[1]), columns=X.columns)"
    return f"""# So does a normal prior: of mean 0, and of standard deviation 1 for standardised columns.
from sklearn.linear_model import {name}
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

prior = make_pipeline({scaler}, {name}({", ".join(options)})).fit(X, y)
print({shown}, prior[-1].intercept_)
"""


def _limit(regression: Regression, found: Separation, columns: list[str]) -> str:
    if found.kept is not None:
        rows = f"kept_X, kept_y = load({_text(found.kept)})"
    else:
        listed = pprint.pformat(list(found.separated), width=100, compact=True)
        rows = f"kept_X, kept_y = X.drop(index={listed}), y.drop(index={listed})"
    design = f"kept_X[{columns!r}]"
    Z = f"sm.add_constant({design})" if regression.intercept else design
    return f"""# The limiting model has the finite estimates. It is fitted to the rows that are not separated.
import statsmodels.api as sm

{rows}
Z = {Z}
print({FITS[regression.model]}.fit(disp=0).params)
"""


def _drop(drop: dict[str, str]) -> str:
    return f"""# Or leave out what separates, and fit again: {"; ".join(drop.values())}.
smaller = X.drop(columns={list(drop)!r})
"""
