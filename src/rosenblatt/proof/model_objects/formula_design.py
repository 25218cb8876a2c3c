"""The rows and the outcomes of a formula. formulaic makes the columns of the right side."""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.regression.recession_rows import INTERCEPT
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError
from rosenblatt.proof.model_objects.formula_columns import Column
from rosenblatt.proof.model_objects.formula_sides import Formula, first_line

CONSTANT = "Intercept"  # formulaic's name
MAX_DENSE_CELLS = 20_000_000  # rows times columns; with more cells, the rows are sparse


class Design(NamedTuple):
    """The rows of a formula.

    Parameters
    ----------
    X : the rows without the constant, or the constant alone if there is nothing else. They are a pandas data frame. If
        it would be large, they are a sparse matrix whose columns have names.
    intercept : is a constant to be added to X?
    columns : for each column of the data, the names of the columns of X that are made of it
    """

    X: Any
    intercept: bool
    columns: dict[str, list[str]]

    def take(self, rows: NDArray[np.int64]) -> Any:
        """These rows of X, in this order. A row may occur several times."""
        return self.X.iloc[rows].reset_index(drop=True) if hasattr(self.X, "iloc") else self.X[rows]


def design_of(formula: Formula, held: Mapping[str, Column], model: str) -> Design:
    """The rows of the right side. Names read as "drug[B]", where formulaic has "drug[T.B]".

    Raises
    ------
    DataError
        The right side cannot be evaluated, or has no column.
    """
    sparse = _cells(formula, held) > MAX_DENSE_CELLS
    made = _evaluated(formula, formula.right, held, "sparse" if sparse else "pandas")
    spec, names = made.model_spec, _readable(made.model_spec)
    uses = {name: spec.variable_indices.get(name, []) for name in held}
    columns = {name: [names[j] for j in places] for name, places in uses.items()}
    right = set(map(str, formula.right.required_variables))
    whole = [name for name, column in held.items() if name in right and column.has_large_numbers()]
    for name in whole:
        if sparse or columns[name] != [name]:
            raise DataError(
                f"Column {name!r} has whole numbers that no float holds, so the columns of {formula.text!r} that are "
                "made of it would not be exact. Give the column as words, or as smaller numbers."
            )
    has_constant = "1" in map(str, formula.right)
    alone = has_constant and len(names) == 1 and model != "ordinal"
    rest = [j for j, name in enumerate(spec.column_names) if alone or not (has_constant and name == CONSTANT)]
    if not rest:
        raise DataError(f"The formula {formula.text!r} has no column on its right side.")
    kept = [INTERCEPT] if alone else [names[j] for j in rest]
    if sparse:
        return Design(named(made.__wrapped__.tocsr()[:, rest], kept), has_constant and not alone, columns)
    X = made.iloc[:, rest].set_axis(kept, axis="columns")
    for name in set(whole).intersection(kept):
        X[name] = held[name].cells
    return Design(X, has_constant and not alone, columns)


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
    made = _evaluated(formula, formula.left, held, "pandas")
    if made.shape[1] != 1 or [str(term) for term in formula.left] == ["1"]:
        raise DataError(
            f"The left side of {formula.text!r} must be a column, successes + failures, or an expression of numbers "
            "such as I(score > 3)."
        )
    return made.iloc[:, 0].to_numpy()


def _cells(formula: Formula, held: Mapping[str, Column]) -> int:
    """About how many cells the right side has, without evaluating it."""
    rows = len(next(iter(held.values())).cells) if held else 0
    levels = {name: column.distinct() for name, column in held.items()}

    def width(expression: str) -> int:
        if expression in held:
            return 1 if held[expression].is_numeric() else levels[expression]
        inside = [name for name in held if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", expression)]
        return max((levels[name] for name in inside), default=1) if expression.startswith("C(") else 1

    return rows * sum(math.prod(width(factor.expr) for factor in term.factors) for term in formula.right)


def _evaluated(formula: Formula, side: Any, held: Mapping[str, Column], output: str) -> Any:
    """The matrix of a side, as a pandas data frame or as a sparse matrix."""
    import pandas as pd
    from formulaic.errors import FormulaicError

    if CONSTANT in held:
        raise DataError(f"A column of a formula cannot be called {CONSTANT!r}; rename it.")
    frame = pd.DataFrame({name: column.series() for name, column in held.items()})
    try:
        with np.errstate(all="ignore"):
            return side.get_model_matrix(frame, context={}, output=output, na_action="ignore")
    except (FormulaicError, TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise DataError(f"The formula {formula.text!r} cannot be evaluated: {first_line(error)}") from error


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
