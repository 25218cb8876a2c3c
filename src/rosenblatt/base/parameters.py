"""Constraints on the parameters of estimators. `fit` checks them before it looks at the data.

A class lists the constraint of each of its parameters::

    _constraints = {"order": OneOf("cyclic", "shuffled"), "max_epochs": Integer(1)}
"""

import difflib
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.errors.remedy import flag
from rosenblatt.errors.wording import Wording, Words, parameter


class Constraint(Protocol):
    """The values that a parameter may have; `str` says them in words, as in "a finite number of at least 0"."""

    def allows(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class Number:
    """A real number, at least `low` (above it if `strict`); infinity only if `infinite`."""

    low: float = -math.inf
    strict: bool = False
    infinite: bool = False

    def allows(self, value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        above = number > self.low if self.strict else number >= self.low
        return above and (self.infinite or math.isfinite(number))

    def __str__(self) -> str:
        bound = "" if math.isinf(self.low) else f" {'above' if self.strict else 'of at least'} {self.low:g}"
        return f"a {'' if self.infinite else 'finite '}number{bound}"


@dataclass(frozen=True)
class Share:
    """A number above 0 and below `high`."""

    high: float = 1.0

    def allows(self, value: Any) -> bool:
        return Number(0, strict=True).allows(value) and float(value) < self.high

    def __str__(self) -> str:
        return f"a number above 0 and below {self.high:g}"


@dataclass(frozen=True)
class Integer:
    """An integer of at least `low`."""

    low: int

    def allows(self, value: Any) -> bool:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= self.low

    def __str__(self) -> str:
        return f"an integer of at least {self.low}"


class OneOf:
    """One of some strings, or None if it is among the choices."""

    def __init__(self, *choices: str | None) -> None:
        self.choices = choices

    def allows(self, value: Any) -> bool:
        return (value is None or isinstance(value, str)) and value in self.choices

    def __str__(self) -> str:
        return "one of " * (len(self.choices) > 1) + ", ".join(repr(choice) for choice in self.choices)

    def nearest(self, value: Any) -> str | None:
        """Find the choice that is spelled most like `value`; None if none is close."""
        words = {choice.lower(): choice for choice in self.choices if choice is not None}
        return next((words[w] for w in difflib.get_close_matches(str(value).lower(), words, n=1, cutoff=0.5)), None)


class Either:
    """A value that at least one of several constraints allows."""

    def __init__(self, *constraints: Constraint) -> None:
        self.constraints = constraints

    def allows(self, value: Any) -> bool:
        return any(constraint.allows(value) for constraint in self.constraints)

    def __str__(self) -> str:
        return " or ".join(map(str, self.constraints))

    def nearest(self, value: Any) -> str | None:
        found = (word.nearest(value) for word in self.constraints if isinstance(word, OneOf))
        return next((word for word in found if word), None)


@dataclass(frozen=True)
class Function:
    """A callable that is not a class; `arguments` describes its arguments."""

    arguments: str

    def allows(self, value: Any) -> bool:
        return callable(value) and not isinstance(value, type)

    def __str__(self) -> str:
        return f"a function of {self.arguments}"


class Flag:
    """True or False."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


class Bias:
    """The constant at the end of each row; True is 1, and False is 0."""

    def allows(self, value: Any) -> bool:
        return Flag().allows(value) or Number(0).allows(value)

    def __str__(self) -> str:
        return f"{Number(0)} or {Flag()}"


RandomState: TypeAlias = int | np.random.RandomState | None


class Seed:
    """A random state, as scikit-learn takes it."""

    def allows(self, value: Any) -> bool:
        return (
            value is None
            or isinstance(value, np.random.RandomState)
            or (Integer(0).allows(value) and int(value) < 2**32)
        )

    def __str__(self) -> str:
        return "an integer from 0 to 2**32 - 1, a numpy.random.RandomState or None"


class Weights:
    """None or finite numbers. Their shape is checked later, when the data is known."""

    def allows(self, value: Any) -> bool:
        if value is None:
            return True
        try:
            return bool(np.isfinite(np.asarray(value, dtype=np.float64)).all())
        except (TypeError, ValueError, OverflowError):
            return False

    def __str__(self) -> str:
        return "None or an array of finite numbers"


class ClassWeight:
    """None, "balanced", or a dict of weights by label. The labels are checked later, when the data is known."""

    def allows(self, value: Any) -> bool:
        if isinstance(value, Mapping):
            return all(Number(0, strict=True).allows(weight) for weight in value.values())
        return value is None or (isinstance(value, str) and value == "balanced")

    def __str__(self) -> str:
        return "None, 'balanced' or a dict of finite weights above 0 by label"


def check(owner: object, constraints: Mapping[str, Constraint]) -> None:
    """Raise a ParameterError for the first attribute of `owner` that breaks its constraint."""
    for name, constraint in constraints.items():
        _refuse(parameter(name, owner=type(owner).__name__), getattr(owner, name), constraint)


def check_argument(owner: str, name: str, value: Any, constraint: Constraint) -> None:
    """Raise a ParameterError if an argument of `owner`, a function, breaks its constraint."""
    _refuse(Words(f"{owner}({name}=...)", flag(name)), value, constraint)


def _refuse(words: Words, value: Any, constraint: Constraint) -> None:
    if not constraint.allows(value):
        nearest = constraint.nearest(value) if isinstance(constraint, OneOf | Either) else None
        hint = f"; did you mean {nearest!r}?" if nearest else "."
        said = f"must be {constraint}, not {value!r}{hint}"
        raise ParameterError(Wording(f"{words.python} {said}", f"{words.command} {said}"))
