"""The classes of an algorithm of the lab, and of an option of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rosenblatt.base import parameters
from rosenblatt.data.files.lab_board import MAX_CLASSES, MAX_COORDINATE, Board
from rosenblatt.errors import ParameterError, abridged, meant

When = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Option:
    """A control of the page.

    Attributes
    ----------
    name : the name of the parameter
    label, help : what the page says of it
    kind : "choice", "number", "integer", "slider", "flag" or "weights"
    default : the value if a pane gives none
    choices : the value and the label of each choice
    low, high, step : the range of a number, and the step of a slider
    when : for other options, the values with which this option applies
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
        """Return the option as the page reads it."""
        return asdict(self) | {"choices": [{"value": value, "label": label} for value, label in self.choices]}

    def check(self, value: Any) -> Any:
        """Return the value if the option allows it.

        Raises
        ------
        ParameterError
            The option does not allow it.
        """
        if self.kind == "choice":
            equal = [
                choice for choice, _ in self.choices if choice == value and not isinstance(value, bool | list | dict)
            ]
            if equal:
                return equal[0]
        elif self.kind == "flag":
            if isinstance(value, bool):
                return value
        elif self.kind == "weights":
            if value is None or (
                parameters.Weights().allows(value) and np.abs(value).max(initial=0.0) <= MAX_COORDINATE
            ):
                return value
        elif self.is_number(value):
            return value
        raise ParameterError(f"{self.name} must be {self.expected}, not {abridged(value)}.{self.hint(value)}")

    @property
    def whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.kind == "integer" or (self.kind == "slider" and self.step == 1)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest number allowed."""
        return -MAX_COORDINATE if self.low is None else self.low, MAX_COORDINATE if self.high is None else self.high

    def is_number(self, value: Any) -> bool:
        """Return whether a value is a number of the right kind in the range."""
        kind: parameters.Constraint = parameters.Integer(-(2**31)) if self.whole else parameters.Number()
        return kind.allows(value) and self.range[0] <= value <= self.range[1]

    @property
    def expected(self) -> str:
        """The allowed values, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(repr(choice) for choice, _ in self.choices)
        if self.kind == "flag":
            return "true or false"
        if self.kind == "weights":
            return f"three numbers up to {MAX_COORDINATE:g}, or three for each class, the bias weight last"
        low, high = (f"{int(end):,}" if self.whole else f"{end:g}" for end in self.range)
        return f"a {'whole ' * self.whole}number from {low} to {high}"

    def hint(self, value: Any) -> str:
        """Return the choice that was probably meant, as a question; "" if there is none."""
        return meant(value, [choice for choice, _ in self.choices]) if self.choices else ""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of the lab.

    Attributes
    ----------
    name, label, group, about : what a board calls it, and what the page says of it
    make : makes the estimator from its parameters; None for the neuron, which does not learn
    options : the options that a reader may change
    classes : the smallest and the largest number of classes that it can learn from
    needs : what must be on the board: "points", "gaussians or points" or "nothing"
    has_steps : whether its training has steps that the library can trace
    animated : whether each step shows one straight line, which an animation needs
    is_search : whether each step narrows the bounds of what it searches for, a margin or a radius
    pairwise : whether each of its members learns one pair of classes
    keeps_best : whether it keeps the best weights met beside those that learn
    bounded : whether Novikoff's theorem bounds its updates, if its options allow it
    """

    name: str
    label: str
    group: str
    about: str
    make: Callable[..., Any] | None
    options: tuple[Option, ...]
    classes: tuple[int, int] = (2, MAX_CLASSES)
    needs: str = "points"
    has_steps: bool = True
    animated: bool = True
    is_search: bool = False
    pairwise: bool = False
    keeps_best: bool = False
    bounded: bool = False

    @property
    def learns(self) -> bool:
        """Whether there is an estimator to train."""
        return self.make is not None

    def model(self, settings: Mapping[str, Any]) -> Any:
        """Return the estimator with these settings, not fitted.

        Raises
        ------
        ParameterError
            The algorithm does not learn.
        """
        if self.make is None:
            raise ParameterError(f"{self.label} does not learn; its threshold is set by hand.")
        return self.make(**settings)

    def learns_drawn_gaussians(self, board: Board) -> bool:
        """Return whether it learns from Gaussians drawn on the board, and not from the points."""
        return self.needs == "gaussians or points" and bool(board.gaussians)

    def is_bounded(self, settings: Mapping[str, Any]) -> bool:
        """Return whether Novikoff's theorem bounds the updates of a run with these settings."""
        return self.bounded and settings["init"] is None and not settings["margin"]

    def document(self) -> dict[str, Any]:
        """Return the algorithm as the page reads it."""
        names = ("name", "label", "group", "about", "needs", "animated")
        return {name: getattr(self, name) for name in names} | {
            "classes": list(self.classes),
            "options": [option.document() for option in self.options],
        }

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every option that applies: the one given, or the default.

        Raises
        ------
        ParameterError
            An option is unknown, or its value is not allowed.
        """
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
    """Return whether an option applies, given the values of the others."""
    return all(values[other] in allowed for other, allowed in (option.when or {}).items())
