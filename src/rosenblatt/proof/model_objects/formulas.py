"""Formulas such as "HG ~ NV + PI + C(stage)". formulaic reads the right side; the left side is a column, or two."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.tables import column_names, frame_columns, kind_of
from rosenblatt.certificate.recession_rows import INTERCEPT
from rosenblatt.errors import DataError, MissingExtraError, abridged, meant
from rosenblatt.proof.model_objects.formula_columns import Column, column_of
from rosenblatt.proof.model_objects.regression import Regression, places, refuse_options, weights_with_gaps
from rosenblatt.proof.row_labels import index_of

CONSTANT = "Intercept"  # formulaic's name
TWO_COLUMNS = re.compile(r"cbind\(([^,]+),([^,]+)\)")
EXAMPLE = "as in 'y ~ x1 + x2'"


class Formula(NamedTuple):
    """A formula that was read.

    Parameters
    ----------
    text : the formula
    outcomes : the columns of the left side: one, or two with successes and failures; none if it is an expression
    left, right : both sides, as formulaic's formulas
    """

    text: str
    outcomes: list[str]
    left: Any
    right: Any

    def variables(self) -> list[str]:
        """The columns that the formula needs, outcomes first. Names of functions that are not known are among them."""
        left = self.outcomes or sorted(map(str, self.left.required_variables))
        return [*left, *sorted(set(map(str, self.right.required_variables)) - set(left))]


class Design(NamedTuple):
    """The rows of a formula.

    Parameters
    ----------
    X : a pandas data frame without the constant; if the formula has a constant only, that constant
    intercept : is a constant to be added to X?
    columns : for each column of the data, the names of the columns of X that are made of it
    """

    X: Any
    intercept: bool
    columns: dict[str, list[str]]


def of_formula(given: Regression) -> Regression:
    """The regression of a formula and a data frame. Rows with missing values in its columns have the weight 0.

    Raises
    ------
    DataError
        The formula cannot be read, or a column is not there.
    MissingExtraError
        formulaic is not installed.
    """
    refuse_options(given, "a formula", intercept="without a constant ends with - 1")
    frame = given.y
    names, columns = column_names(frame), frame_columns(frame)
    if names is None or columns is None:
        raise DataError(f"A formula needs a data frame whose columns have names; the data is {kind_of(frame)}")
    apart = [name for name in (given.trials, given.sample_weight) if isinstance(name, str)]
    formula = read_formula(given.X, [name for name in names if name not in apart])
    needed = [*formula.variables(), *apart]
    strange = next((name for name in needed if name not in names), None)
    if strange is not None:
        raise DataError(f"The data frame has no column {strange!r} for {given.X!r}.{meant(strange, names)}")
    held = {name: column_of(columns[names.index(name)]) for name in needed}
    kept = ~np.any([column.missing() for column in held.values()], axis=0)
    if not kept.any():
        raise DataError(f"Every row has a missing value in one of the columns {', '.join(map(repr, held))}.")
    held = {name: column.take(kept) for name, column in held.items()}
    model, rows = given.model or "logit", places(kept)
    design, y = design_of(formula, held, model), outcome_of(formula, held)
    extra = [_values(name, held, kept) for name in (given.trials, given.sample_weight)]
    return given._replace(
        X=design.X.iloc[rows].reset_index(drop=True),
        y=y.iloc[rows] if hasattr(y, "iloc") else y[rows],
        model=model,
        trials=None if extra[0] is None else extra[0][rows],
        sample_weight=weights_with_gaps(extra[1], kept),
        intercept=design.intercept,
        index=index_of(frame),
    )


def read_formula(text: str, names: Sequence[str]) -> Formula:
    """Read a formula.

    Parameters
    ----------
    text : the formula
    names : the columns that a dot stands for; those of the left side may be among them

    Raises
    ------
    DataError
        It is no formula with two sides.
    MissingExtraError
        formulaic is not installed.
    """
    if "~" not in text:
        raise DataError(f"A formula has a ~, {EXAMPLE}; this is {abridged(text)}. rosenblatt.read reads files.")
    try:
        import formulaic
    except ImportError as error:
        raise MissingExtraError("A formula", "formula") from error
    try:
        found = formulaic.Formula(text, _context={"__formulaic_variables_available__": list(names)})
    except formulaic.errors.FormulaicError as error:
        raise DataError(f"The formula {text!r} cannot be read: {_first_line(error)}") from error
    left, right = getattr(found, "lhs", None), getattr(found, "rhs", None)
    if not all(isinstance(side, formulaic.SimpleFormula) for side in (left, right)):
        raise DataError(f"A formula has one left and one right side, {EXAMPLE}; this is {text!r}.")
    return Formula(text, _outcomes(left), left, right)


def _outcomes(left: Any) -> list[str]:
    """The columns of the left side; none if it is an expression."""
    words = [str(term) for term in left]
    pair = TWO_COLUMNS.fullmatch(words[0]) if len(words) == 1 else None
    if pair is not None:
        return [name.strip() for name in pair.groups()]
    lookups = [factor.eval_method.value == "lookup" for term in left for factor in term.factors]
    return words if len(words) == len(lookups) <= 2 and all(lookups) else []


def outcome_of(formula: Formula, held: Mapping[str, Column]) -> Any:
    """The outcomes: a column as it is, two columns as an array, or the numbers of an expression.

    Raises
    ------
    DataError
        The left side is something else.
    """
    if len(formula.outcomes) == 1:
        return held[formula.outcomes[0]].labels()
    if formula.outcomes:
        return np.column_stack([held[name].cells for name in formula.outcomes])
    made = _evaluated(formula, formula.left, held)
    if made.shape[1] != 1 or [str(term) for term in formula.left] == ["1"]:
        raise DataError(
            f"The left side of {formula.text!r} must be a column, successes + failures, or an expression of numbers "
            "such as I(score > 3)."
        )
    return made.iloc[:, 0].to_numpy()


def design_of(formula: Formula, held: Mapping[str, Column], model: str) -> Design:
    """The rows of the right side. Names read as "drug[B]", where formulaic has "drug[T.B]".

    Raises
    ------
    DataError
        The right side cannot be evaluated, or has no column.
    """
    made = _evaluated(formula, formula.right, held)
    spec, names = made.model_spec, _readable(made.model_spec)
    columns = {name: [names[j] for j in spec.variable_indices.get(name, [])] for name in held}
    X = made.set_axis(names, axis="columns")
    for name in X.columns.intersection(list(held)):
        if held[name].is_numeric():
            X[name] = held[name].cells  # whole numbers of any size stay what they are
    if "1" not in map(str, formula.right):
        design = Design(X, False, columns)
    elif X.shape[1] > 1 or model == "ordinal":
        design = Design(X.drop(columns=CONSTANT), True, columns)
    else:
        design = Design(X.set_axis([INTERCEPT], axis="columns"), False, columns)
    if not design.X.shape[1]:
        raise DataError(f"The formula {formula.text!r} has no column on its right side.")
    return design


def _evaluated(formula: Formula, side: Any, held: Mapping[str, Column]) -> Any:
    """The matrix of a side, as a pandas data frame."""
    import pandas as pd
    from formulaic.errors import FormulaicError

    if CONSTANT in held:
        raise DataError(f"A column of a formula cannot be called {CONSTANT!r}; rename it.")
    frame = pd.DataFrame({name: column.series() for name, column in held.items()})
    try:
        with np.errstate(all="ignore"):
            return side.get_model_matrix(frame, context={}, output="pandas", na_action="ignore")
    except (FormulaicError, TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise DataError(f"The formula {formula.text!r} cannot be evaluated: {_first_line(error)}") from error


def _readable(spec: Any) -> list[str]:
    """The names of the columns, with levels as the user wrote them: C(stage)[2] instead of C(stage)[T.2.0]."""
    short: dict[str, str] = {}
    for factor, (_, state) in spec.encoder_state.items():
        for level in state.get("categories", []):
            written = int(level) if isinstance(level, float) and level.is_integer() else level
            for mark in ("", "S.", "H.", "D."):
                short[f"{factor}[{mark}{level}]"] = f"{factor}[{mark}{written}]"
            short[f"{factor}[T.{level}]"] = f"{factor}[{written}]"
    return [
        short.get(name) or ":".join(short.get(part, part) for part in name.split(":")) for name in spec.column_names
    ]


def _values(given: Any, held: Mapping[str, Column], kept: NDArray[np.bool_]) -> Any:
    """The trials or weights of the rows that are kept, from an array or from a column of the data."""
    if given is None or isinstance(given, str):
        return None if given is None else held[given].cells
    values = np.asarray(given)
    if values.shape != kept.shape:
        raise DataError(f"trials and sample_weight must have one number for each of the {len(kept)} rows of the data.")
    return values[kept]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") + "."
