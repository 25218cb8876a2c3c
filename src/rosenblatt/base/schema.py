"""Fields of objects that are saved to files: their types, shapes and allowed values.

A field splits a value into arrays and facts (JSON), and rebuilds the value from them after checking them. `SavedState`
lists the fields of a class. Fields for values of one class only are declared beside that class.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from rosenblatt.base.json_forms import NON_FINITE
from rosenblatt.errors import DataError

Arrays = dict[str, Any]  # arrays by name, or dicts of arrays for values with parts
Facts = dict[str, Any]  # JSON by name
Sizes = dict[str, int]  # the sizes that names in shapes stand for: k classes, d features, ...

MAX_COUNT = 2**62  # counts in compiled functions must be smaller
FRACTION = re.compile(r"[0-9a-f]+/[0-9a-f]+")


class Source:
    """Arrays and facts to rebuild an object from.

    Reading an entry removes it; `end()` raises if any are left.
    """

    def __init__(self, where: str, arrays: Any, facts: Any) -> None:
        self.where = where
        if not isinstance(arrays, dict) or not isinstance(facts, dict):
            raise self.refusal("is not an object with named parts")
        self.arrays, self.facts = dict(arrays), dict(facts)

    def refusal(self, why: str) -> DataError:
        """Make an error that names this source."""
        return DataError(f"{self.where} {why}.")

    def array(self, name: str) -> Any:
        """Take the array, or the dict of arrays, of this name."""
        if name not in self.arrays:
            raise self.refusal(f"lacks the array {name!r}")
        return self.arrays.pop(name)

    def fact(self, name: str) -> Any:
        """Take the fact of this name."""
        if name not in self.facts:
            raise self.refusal(f"lacks {name!r}")
        return self.facts.pop(name)

    def inner(self, name: str, facts: Any) -> "Source":
        """Make the source of a part: these facts, and the arrays under this name, if any."""
        return Source(f"{self.where}.{name}", self.arrays.pop(name, {}), facts)

    def end(self) -> None:
        """Raise a DataError if an entry was not read."""
        for left in (*self.arrays, *self.facts):
            raise self.refusal(f"has the unknown entry {str(left)[:40]!r}")


class Field(Protocol):
    """The type of a value that is saved."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        """Add the value to arrays and facts."""

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        """Take the value from the source, and check it."""


@dataclass(frozen=True)
class Numbers:
    """An array, or a list if `listed`. A name in the shape stands for the same size in all fields.

    "W" is the shape of weights: (d+1,) for two classes, (k, d+1) for more.
    """

    shape: tuple[str | int, ...]
    dtype: str = "float64"
    low: float = -math.inf
    high: float = math.inf
    infinite: bool = False
    least: int = 0  # the smallest allowed length
    listed: bool = False

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        array = np.array(value, dtype=self.dtype, order="C")
        arrays[name] = array if array.size else array.reshape(0, *array.shape[1:] or self.shape[1:])

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        array = source.array(name)
        if not isinstance(array, np.ndarray) or array.dtype != self.dtype:
            raise source.refusal(f"has {name!r} of another type than {self.dtype}")
        if not fits(self.shape, array.shape, sizes) or (array.ndim and len(array) < self.least):
            raise source.refusal(f"has {name!r} of shape {array.shape}, which does not fit its other parts")
        with np.errstate(invalid="ignore"):
            inside = (array >= self.low) & (array <= self.high)
        if not (inside if self.infinite else inside & np.isfinite(array)).all():
            raise source.refusal(f"has numbers in {name!r} that are not allowed")
        if self.listed:
            return [tuple(line) for line in array.tolist()] if array.ndim > 1 else array.tolist()
        return np.require(array, requirements=["C", "A", "W"])  # training writes to it


def fits(shape: tuple[str | int, ...], actual: tuple[int, ...], sizes: Sizes) -> bool:
    """Does the actual shape fit?  Names that are not in `sizes` yet are added to it."""
    if "W" in shape and "k" not in sizes:  # weights that come first define the number of classes and features
        weights = actual[shape.index("W") :]
        if len(weights) not in (1, 2) or weights[-1] < 2 or (len(weights) == 2 and weights[0] < 3):
            return False
        sizes["k"], sizes["d+1"] = 2 if len(weights) == 1 else weights[0], weights[-1]
    names: list[str | int] = []
    for size in shape:
        names += (["d+1"] if sizes["k"] == 2 else ["k", "d+1"]) if size == "W" else [size]
    if len(names) != len(actual):
        return False
    return all((sizes.setdefault(s, n) if isinstance(s, str) else s) == n for s, n in zip(names, actual, strict=True))


@dataclass(frozen=True)
class Real:
    """A float."""

    low: float = -math.inf
    strict: bool = False
    infinite: bool = False
    nan: bool = False
    among: tuple[float, ...] = ()

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        number = float(value)
        facts[name] = number if math.isfinite(number) else repr(number)

    def give(self, name: str, source: Source, sizes: Sizes) -> float:  # noqa: ARG002
        kept = source.fact(name)
        number = NON_FINITE.get(kept, kept) if isinstance(kept, str) else kept
        if type(number) is not float or not self._allows(number):
            raise source.refusal(f"has {str(kept)[:40]!r} as {name!r}, which is not an allowed value")
        return number

    def _allows(self, number: float) -> bool:
        if math.isnan(number):
            return self.nan
        above = number > self.low if self.strict else number >= self.low
        return above and (self.infinite or math.isfinite(number)) and (not self.among or number in self.among)


@dataclass(frozen=True)
class Count:
    """A whole number of at least `low`."""

    low: int = 0

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        facts[name] = int(value)

    def give(self, name: str, source: Source, sizes: Sizes) -> int:  # noqa: ARG002
        number = source.fact(name)
        if type(number) is not int or not self.low <= number < MAX_COUNT:
            raise source.refusal(f"has {str(number)[:40]!r} as {name!r}, which is not a valid count")
        return number


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        facts[name] = bool(value)

    def give(self, name: str, source: Source, sizes: Sizes) -> bool:  # noqa: ARG002
        flag = source.fact(name)
        if type(flag) is not bool:
            raise source.refusal(f"has {str(flag)[:40]!r} as {name!r}, which is neither true nor false")
        return flag


class Reason:
    """A `StopReason`, saved as its word."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        facts[name] = str(value)

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:  # noqa: ARG002
        from rosenblatt.base.stopping import StopReason

        word = source.fact(name)
        for reason in StopReason:
            if word == str(reason):
                return reason
        raise source.refusal(f"stopped for no known reason: {str(word)[:40]!r}")


class Bounds:
    """A lower and an upper bound, as a tuple."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        facts[name] = {}
        for end, number in zip(("lower", "upper"), value, strict=True):
            Real().take(end, number, arrays, facts[name])

    def give(self, name: str, source: Source, sizes: Sizes) -> tuple[float, float]:
        inner = source.inner(name, source.fact(name))
        lower, upper = (Real(infinite=True).give(end, inner, sizes) for end in ("lower", "upper"))
        inner.end()
        return lower, upper


@dataclass(frozen=True)
class Lines:
    """A structured array, saved column by column."""

    columns: Mapping[str, Numbers]

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        arrays[name] = {}
        for column, numbers in self.columns.items():
            numbers.take(column, value[column], arrays[name], facts)

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, {})
        parts = {column: numbers.give(column, inner, sizes) for column, numbers in self.columns.items()}
        inner.end()
        lines = np.empty(sizes["lines"], dtype=[(column, a.dtype, a.shape[1:]) for column, a in parts.items()])
        for column, array in parts.items():
            lines[column] = array
        return lines


class Fractions:
    """Exact fractions above 0."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:  # noqa: ARG002
        facts[name] = ["{:x}/{:x}".format(*weight.as_integer_ratio()) for weight in value]

    def give(self, name: str, source: Source, sizes: Sizes) -> list[Fraction]:  # noqa: ARG002
        texts = source.fact(name)
        if not isinstance(texts, list) or not all(isinstance(text, str) and FRACTION.fullmatch(text) for text in texts):
            raise source.refusal(f"has entries in {name!r} that are not fractions")
        pairs = [[int(number, 16) for number in text.split("/")] for text in texts]
        if not all(above and below for above, below in pairs):
            raise source.refusal(f"has fractions in {name!r} that are not above 0")
        return [Fraction(above, below) for above, below in pairs]


@dataclass(frozen=True)
class Optional:
    """A fact, or None."""

    field: Field

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        if value is None:
            facts[name] = None
        else:
            self.field.take(name, value, arrays, facts)

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        if name in source.facts and source.facts[name] is None:
            return source.fact(name)
        return self.field.give(name, source, sizes)


@dataclass(frozen=True)
class Later:
    """A field that files of earlier versions lack; `default` stands for it there."""

    field: Field
    default: Any

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        self.field.take(name, value, arrays, facts)

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        kept = name in source.facts or name in source.arrays
        return self.field.give(name, source, sizes) if kept else self.default


@dataclass(frozen=True)
class Former:
    """A parameter of earlier versions, which their files contain.

    Attributes
    ----------
    name : its name today; None if it is gone
    values : pairs of a flag of then and its value today, if the values differ
    """

    name: str | None
    values: tuple[tuple[bool, Any], ...] = ()

    def today(self, value: Any) -> Any:
        """The value today for one from a file."""
        return next((new for old, new in self.values if value is old), value)


@dataclass(frozen=True)
class SavedState:
    """What a file keeps of the objects of a class. The class declares it as `_saved`.

    If the fields are not plain attributes, the class also has the methods `_saved_values()`, which returns the values
    of all fields by name, and `_restore(values)`, which checks them and sets the attributes. All other entries are for
    estimators only.
    """

    fields: Mapping[str, Field] = field(default_factory=dict)
    classes: bool = True  # does the estimator have classes?
    two: bool = False  # does it need exactly two classes?
    columns: bool = True  # does it record its columns? If not, the estimator inside does
    inside: str | None = None  # the attribute that holds the estimator or the list of estimators inside
    members: Callable[[int], int] = lambda k: 1  # the number of estimators inside, for k classes  # noqa: ARG005
    member_columns: Callable[[Any], int] = lambda model: int(model.n_features_in_)  # columns of each of them
    former: Mapping[str, Former] = field(default_factory=dict)  # parameters in files of earlier versions
    gone: tuple[str, ...] = ()  # fields in files of earlier versions that are not kept any more

    @property
    def holds_list(self) -> bool:
        return self.inside == "estimators_"

    def updated(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Parameters from a file, under the names and with the values of today."""
        updated = {}
        for name, value in parameters.items():
            former = self.former.get(name)
            if former is None or former.name in parameters:  # two names of one parameter are refused later
                updated[name] = value
            elif former.name is not None:
                updated[former.name] = former.today(value)
        return updated

    def take(self, made: Any, arrays: Arrays, facts: Facts) -> None:
        """Split the fields of an object into arrays and facts."""
        own = getattr(made, "_saved_values", None)
        values = own() if own else {name: getattr(made, name) for name in self.fields}
        for name, value in values.items():
            self.fields[name].take(name, value, arrays, facts)

    def give(self, made: Any, source: Source, sizes: Sizes) -> None:
        """Check the fields in the source, and set them in an object."""
        for name in self.gone:
            source.facts.pop(name, None)
            source.arrays.pop(name, None)
        values = {name: each.give(name, source, sizes) for name, each in self.fields.items()}
        source.end()
        restore = getattr(made, "_restore", vars(made).update)
        restore(values)
