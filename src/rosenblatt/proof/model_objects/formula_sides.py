"""The two sides of a formula. formulaic reads both; the left side is a column, two columns, or an expression."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.errors import DataError, MissingExtraError, abridged

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
        raise DataError(f"The formula {text!r} cannot be read: {first_line(error)}") from error
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


def first_line(error: Exception) -> str:
    """The first line of a message, as a sentence. formulaic draws the place of an error below it."""
    return str(error).strip().partition("\n")[0].rstrip(".") + "."
