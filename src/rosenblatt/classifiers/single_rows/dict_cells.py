"""The cells of a row that is given as a dict: numbers by name."""

import math
from collections.abc import Iterator, Mapping
from numbers import Number
from typing import Any

import numpy as np

from rosenblatt.base.inputs.cells import is_missing
from rosenblatt.errors import DataError, abridged


def cells_of(x: Mapping[Any, Any]) -> Iterator[tuple[str, float]]:
    """Yield the name and the number of each entry.

    A text is an indicator: the entry `city: "Bonn"` is the number 1 with the name `city=Bonn`. True is 1, and False is
    0. A name that is not a text, such as 7, is taken as its text.

    Raises
    ------
    DataError
        A value is missing, is not finite, or is neither a number nor a text.
    """
    for name, value in x.items():
        kind = type(value)
        if kind is float and type(name) is str and value - value == 0.0:  # it is finite
            yield name, value
        elif kind is str:
            yield f"{name}={value}", 1.0
        else:
            yield str(name), number_of(name, value)


def number_of(name: Any, value: Any) -> float:
    """The number in an entry of a dict."""
    if is_missing(value):
        raise DataError(f"The value of {name!r} is missing ({value}). Leave the name out of the dict, or fill it.")
    if isinstance(value, bool | np.bool_):
        return float(value)
    if isinstance(value, Number) and not isinstance(value, complex | np.complexfloating | np.timedelta64):
        try:
            number = float(value)  # type: ignore[arg-type]
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
        raise DataError(f"The value of {name!r} is {abridged(value)}; every number must be finite, and fit a float64.")
    raise DataError(
        f"The value of {name!r} must be a number, a boolean or a text; it is {abridged(value)}, of type "
        f"{type(value).__name__}."
    )
