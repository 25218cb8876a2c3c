"""The rows of a regression that is given as a formula, from a file."""

from typing import TYPE_CHECKING

from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.cli.regression_rows import (
    Factor,
    RegressionOptions,
    RegressionRows,
    columns_of,
    numbers,
    numbers_of_target,
    read_columns,
)
from rosenblatt.errors import DataError, ParameterError, abridged, meant

if TYPE_CHECKING:
    from rosenblatt.proof.model_objects.formula_sides import Formula

ALL_OTHERS = "all other columns"  # what a dot stands for, until the columns of the file are known


def formula_rows(source: str, target: Text, table: TableOptions, options: RegressionOptions) -> RegressionRows:
    """Read the columns that a formula names, and make its design. The left side is a column, or successes + failures.

    Raises
    ------
    DataError
        The formula or the file cannot be read, or a column is not there.
    ParameterError
        Another option contradicts the formula.
    """
    import numpy as np

    from rosenblatt.proof.model_objects.formula_columns import Column
    from rosenblatt.proof.model_objects.formula_design import design_of
    from rosenblatt.proof.model_objects.formula_sides import read_formula

    formula = _read(options, target, table)
    first, *second = formula.outcomes
    others = [name for name in (*second, options.trials, options.weight) if name is not None]
    if first in others:
        raise DataError(f"{source}: column {first!r} is the target; --trials and --weight need other columns.")
    if ALL_OTHERS in formula.variables():
        read = read_columns(source, first, table, options)
        there = [name for name, _ in columns_of(source, read.data) if name not in others]
        formula = read_formula(formula.text, [first, *there])
        wanted = _on_the_right(formula)
    else:
        wanted = _on_the_right(formula)
        read = read_columns(source, first, table, options, list(dict.fromkeys([*wanted, *others])))
    held = dict(columns_of(source, read.data))
    strange = next((name for name in others if name not in held), None)
    if strange is not None:
        raise DataError(f"{source}: there is no column {strange!r}.{meant(strange, held)}")
    apart = {name: numbers(source, name, held[name], options) for name in others}
    design = design_of(formula, {name: Column(held[name]) for name in wanted}, options.model or "logit")
    factors = []
    for name in wanted:
        is_category = any(made.startswith(f"C({name}") for made in design.columns[name])
        factors.append(Factor(name, held[name].astype(object) if is_category else held[name], design.columns[name]))
    y, trials, weight = read.y, apart.get(options.trials or ""), apart.get(options.weight or "")
    if second:
        y = np.sign(numbers_of_target(source, first, y))  # only whether there were successes and failures matters
        trials = y + np.sign(apart[second[0]])
    X = design.X.to_numpy(dtype=float) if hasattr(design.X, "iloc") else design.X
    return RegressionRows(X, list(design.X.columns), y, trials, weight, factors, first, design.intercept, read.is_text)


def _read(options: RegressionOptions, target: Text, table: TableOptions) -> "Formula":
    """Read the formula, and refuse options that contradict it."""
    if table.columns is not None:
        raise ParameterError("--formula names the columns; leave --columns out.")
    text = options.formula or ""
    if "~" not in text:
        raise ParameterError(f"--formula must be like 'y ~ x1 + x2', not {abridged(text)}.")
    from rosenblatt.proof.model_objects.formula_sides import read_formula

    formula = read_formula(text, [ALL_OTHERS])
    if not formula.outcomes:
        raise ParameterError("The left side of --formula must be a column of the file, or successes + failures.")
    if target is not None and target != formula.outcomes[0]:
        raise ParameterError(
            f"--target is {target!r}, but --formula begins with {formula.outcomes[0]!r}; leave one out."
        )
    if len(formula.outcomes) == 2 and options.trials is not None:
        raise ParameterError("--formula has successes + failures; leave --trials out.")
    return formula


def _on_the_right(formula: "Formula") -> list[str]:
    """The columns of the right side; raise if there are none."""
    wanted = [name for name in formula.variables() if name not in formula.outcomes]
    if not wanted:
        raise ParameterError(f"--formula must have a column on its right side; it is {formula.text!r}.")
    return wanted
