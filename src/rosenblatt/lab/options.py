"""An algorithm of the lab and its options, as the page offers them and a board names them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rosenblatt.base import parameters
from rosenblatt.data.files.board import CLASSES, LARGEST
from rosenblatt.errors import ParameterError, abridged, meant

When = Mapping[str, Sequence[Any]]
UNANIMATED = ("neuron", "means", "kernel", "one_vs_all", "one_vs_one")  # no straight line moves from step to step


@dataclass(frozen=True)
class Option:
    """A control of the page.

    Attributes
    ----------
    name : of the parameter
    label, help : what the page says
    kind : "choice", "number", "integer", "slider", "flag" or "weights"
    default : what it is unless a pane says otherwise
    choices : value and label, each
    low, high, step : of numbers
    when : other options and the values of which one must be there for this to apply
    """

    name: str
    label: str
    kind: str
    default: Any
    help: str = ""
    choices: tuple[tuple[Any, str], ...] = ()
    low: float | None = None
    high: float | None = None
    step: float | None = None
    when: When | None = None

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"choices": [{"value": value, "label": label} for value, label in self.choices]}

    def check(self, value: Any) -> Any:
        """The value, if it can be that of this option."""
        if self.kind == "choice":
            same = [
                choice for choice, _ in self.choices if choice == value and not isinstance(value, bool | list | dict)
            ]
            if same:
                return same[0]
        elif self.kind == "flag":
            if isinstance(value, bool):
                return value
        elif self.kind == "weights":
            if value is None or (parameters.Weights().allows(value) and np.abs(value).max(initial=0.0) <= LARGEST):
                return value
        elif self.is_number(value):
            return value
        raise ParameterError(f"{self.name} must be {self.expected}, not {abridged(value)}.{self.hint(value)}")

    @property
    def whole(self) -> bool:
        return self.kind == "integer" or (self.kind == "slider" and self.step == 1)

    @property
    def range(self) -> tuple[float, float]:
        return -LARGEST if self.low is None else self.low, LARGEST if self.high is None else self.high

    def is_number(self, value: Any) -> bool:
        kind: parameters.Constraint = parameters.Integer(-(2**31)) if self.whole else parameters.Number()
        return kind.allows(value) and self.range[0] <= value <= self.range[1]

    @property
    def expected(self) -> str:
        """What it may be, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(repr(choice) for choice, _ in self.choices)
        if self.kind == "flag":
            return "true or false"
        if self.kind == "weights":
            return f"three numbers up to {LARGEST:g}, or three for each class, the bias weight last"
        low, high = (f"{int(end):,}" if self.whole else f"{end:g}" for end in self.range)
        return f"a {'whole ' * self.whole}number from {low} to {high}"

    def hint(self, value: Any) -> str:
        return meant(value, [choice for choice, _ in self.choices]) if self.choices else ""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of the lab.

    Attributes
    ----------
    name, label, group, about : as the page has them
    make : the estimator, given its parameters by name; None for the neuron, which does not learn
    options : that a reader may change
    classes : how many it can take, from and to
    needs : "points", "gaussians or points" or "nothing"
    """

    name: str
    label: str
    group: str
    about: str
    make: Callable[..., Any] | None
    options: tuple[Option, ...]
    classes: tuple[int, int] = (2, CLASSES)
    needs: str = "points"

    def document(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in ("name", "label", "group", "about", "needs")}
        animated = self.name not in UNANIMATED
        return told | {
            "animated": animated,
            "classes": list(self.classes),
            "options": [option.document() for option in self.options],
        }

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values, those that do not apply left out."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                has = ", ".join(known) or "none"
                raise ParameterError(f"{self.label} has no option {abridged(name)}; it has {has}.{meant(name, known)}")
        values = {
            name: option.check(given[name]) if name in given else option.default for name, option in known.items()
        }
        return {name: value for name, value in values.items() if applies(known[name], values)}


def applies(option: Option, values: Mapping[str, Any]) -> bool:
    """Does an option apply, the others having these values?"""
    return all(values[other] in allowed for other, allowed in (option.when or {}).items())
