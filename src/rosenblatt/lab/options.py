"""An algorithm of the lab and its options, as the page offers them and a board names them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rosenblatt import parameters
from rosenblatt.board import CLASSES
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
            values = [choice for choice, _ in self.choices]
            same = [choice for choice in values if choice == value and not isinstance(value, bool | list | dict)]
            if not same:
                spelled = ", ".join(map(repr, values))
                raise ParameterError(
                    f"{self.name} must be one of {spelled}, not {abridged(value)}.{meant(value, values)}"
                )
            return same[0]
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise ParameterError(f"{self.name} must be true or false, not {abridged(value)}.")
            return value
        if self.kind == "weights":
            if not parameters.Weights().allows(value):
                raise ParameterError(f"{self.name} must be {parameters.Weights()}, not {abridged(value)}.")
            return value
        whole = self.kind == "integer" or (self.kind == "slider" and self.step == 1)
        kind: parameters.Constraint = parameters.Integer(-(2**31)) if whole else parameters.Number()
        low = -1e12 if self.low is None else self.low
        high = 1e12 if self.high is None else self.high
        if not kind.allows(value) or not low <= value <= high:
            what = "a whole number" if whole else "a number"
            raise ParameterError(f"{self.name} must be {what} from {low:g} to {high:g}, not {abridged(value)}.")
        return value


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
