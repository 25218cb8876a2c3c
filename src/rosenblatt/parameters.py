"""Constraints on parameters as a table, checked first in `fit`.

A class lists what each of its parameters may be::

    _constraints = {"order": OneOf("cyclic", "shuffled"), "max_epochs": Integer(1)}
"""

import difflib
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from rosenblatt.errors import ParameterError


class Constraint(Protocol):
    def allows(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class Number:
    """A real number, at least `low` (above it if `strict`); infinity only if `infinite`."""

    low: float = -math.inf
    strict: bool = False
    infinite: bool = False

    def allows(self, value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or math.isnan(value):
            return False
        number = float(value)
        above = number > self.low if self.strict else number >= self.low
        return above and (self.infinite or not math.isinf(number))

    def __str__(self) -> str:
        bound = "" if math.isinf(self.low) else f" {'above' if self.strict else 'of at least'} {self.low:g}"
        return f"a {'' if self.infinite else 'finite '}number{bound}"


@dataclass(frozen=True)
class Integer:
    """An integer of at least `low`."""

    low: int

    def allows(self, value: Any) -> bool:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= self.low

    def __str__(self) -> str:
        return f"an integer of at least {self.low}"


class OneOf:
    """One of a few words (or None)."""

    def __init__(self, *choices: str | None) -> None:
        self.choices = choices

    def allows(self, value: Any) -> bool:
        return (value is None or isinstance(value, str)) and value in self.choices

    def __str__(self) -> str:
        return "one of " + ", ".join(repr(choice) for choice in self.choices)

    def nearest(self, value: Any) -> str | None:
        words = [choice for choice in self.choices if choice is not None]
        return next(iter(difflib.get_close_matches(str(value), words, n=1)), None)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "True or False"


def check(owner: object, constraints: Mapping[str, Constraint]) -> None:
    """Raise a ParameterError for the first attribute of `owner` that breaks its constraint."""
    for name, constraint in constraints.items():
        value = getattr(owner, name)
        if not constraint.allows(value):
            nearest = constraint.nearest(value) if isinstance(constraint, OneOf) else None
            hint = f"; did you mean {nearest!r}?" if nearest else "."
            raise ParameterError(f"{type(owner).__name__}({name}=...) must be {constraint}, not {value!r}{hint}")
