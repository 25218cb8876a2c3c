"""Formulas such as "HG ~ NV + PI + C(stage)" with a data frame."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.tables import column_names, frame_columns, kind_of
from rosenblatt.errors import DataError, meant
from rosenblatt.proof.model_objects.formula_columns import Column, column_of
from rosenblatt.proof.model_objects.formula_design import design_of, outcome_of
from rosenblatt.proof.model_objects.formula_sides import read_formula
from rosenblatt.proof.model_objects.regression import Regression, places, refuse_options, weights_with_gaps
from rosenblatt.proof.row_labels import index_of


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
        X=design.take(rows),
        y=y.iloc[rows] if hasattr(y, "iloc") else y[rows],
        model=model,
        trials=None if extra[0] is None else extra[0][rows],
        sample_weight=weights_with_gaps(extra[1], kept),
        intercept=design.intercept,
        index=index_of(frame),
    )


def _values(given: Any, held: Mapping[str, Column], kept: NDArray[np.bool_]) -> Any:
    """The trials or weights of the rows that are kept, from an array or from a column of the data."""
    if given is None or isinstance(given, str):
        return None if given is None else held[given].cells
    values = np.asarray(given)
    if values.shape != kept.shape:
        raise DataError(f"trials and sample_weight must have one number for each of the {len(kept)} rows of the data.")
    return values[kept]
