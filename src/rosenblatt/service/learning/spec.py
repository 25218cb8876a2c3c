"""What a model of the service is: its algorithm, its columns and its classes. It does not change."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from rosenblatt.classifiers.passive_aggressive import PassiveAggressive
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.classifiers.pocket import Pocket
from rosenblatt.classifiers.single_rows.learns_rows import MAX_HASH_BITS
from rosenblatt.errors import DataError, ParameterError, meant

MAKERS: dict[str, Callable[[], Any]] = {
    "averaged": lambda: Perceptron(average="averaged"),
    "perceptron": Perceptron,
    "pa": PassiveAggressive,
    "pocket": Pocket,
}
ALGORITHMS = tuple(MAKERS)
MAX_COLUMNS = 1_000_000  # of rows that are lists of numbers
MAX_CLASSES = 10_000
MAX_LABEL = 200  # characters
Label = str | int | float | bool


class Spec(NamedTuple):
    """The description of a model.

    Attributes
    ----------
    algorithm : one of ALGORITHMS
    settings : parameters of the estimator, by name
    columns : the number of columns of rows that are lists; None if rows are JSON objects
    hash_bits : the names of JSON objects are hashed to 2^hash_bits columns; None if each name has its column
    classes : all labels that may come; None if they are taken as they come
    """

    algorithm: str = "averaged"
    settings: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    columns: int | None = None
    hash_bits: int | None = None
    classes: list[Label] | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """Check what a client sent, and make the description.

        Raises
        ------
        DataError
            An entry is missing, unknown, or has a value that is not allowed.
        """
        unknown = next((name for name in given if name not in cls._fields), None)
        if unknown is not None:
            raise DataError(
                f"A model has the entries {', '.join(cls._fields)}, not {unknown!r}.{meant(unknown, cls._fields)}"
            )
        spec = cls(**given)
        spec._check()
        spec.estimator()  # checks the settings
        return spec

    def estimator(self) -> Any:
        """A new estimator.

        Raises
        ------
        DataError
            A setting is unknown, or has a value that is not allowed.
        """
        known = MAKERS[self.algorithm]().get_params()
        for name in self.settings:
            if name not in known:
                allowed = ", ".join(known)
                raise DataError(f"settings: {self.algorithm} has the parameters {allowed}, not {name!r}.")
        try:
            model = MAKERS[self.algorithm]().set_params(**{"order": "cyclic"} | self.settings)
            labels = self.classes or [0, 1]
            x: Any = {} if self.columns is None else [0.0]
            model.learn_one(x, labels[0], classes=labels, sample_weight=0.0)  # checks all parameters, learns nothing
        except ParameterError as error:
            raise DataError(f"settings: {error}") from error
        return MAKERS[self.algorithm]().set_params(**{"order": "cyclic"} | self.settings)

    def to_json(self) -> str:
        """The description as JSON text."""
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The description that `to_json` wrote."""
        return cls(**json.loads(text))

    def _check(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise DataError(f"algorithm must be one of {', '.join(ALGORITHMS)}, not {self.algorithm!r:.60}.")
        if not isinstance(self.settings, dict) or not all(_is_plain(value) for value in self.settings.values()):
            raise DataError("settings must be an object of numbers, texts, true, false and null.")
        for name, most in (("columns", MAX_COLUMNS), ("hash_bits", MAX_HASH_BITS)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or not 1 <= value <= most):
                raise DataError(f"{name} must be a whole number from 1 to {most:,}, or left out, not {value!r:.60}.")
        if self.columns is not None and self.hash_bits is not None:
            raise DataError("hash_bits is for rows that are JSON objects; leave columns out.")
        if self.classes is not None:
            self._check_classes()

    def _check_classes(self) -> None:
        given = self.classes
        if not isinstance(given, list) or not 2 <= len(given) <= MAX_CLASSES:
            raise DataError(f"classes must be a list of 2 to {MAX_CLASSES:,} labels, or left out.")
        for label in given:
            check_label(label)
        if len({type(label) for label in given}) > 1:
            raise DataError("classes must all be texts, all be numbers of one type, or all be true and false.")
        if len(set(given)) < len(given):
            raise DataError("classes names a label twice.")


def spec_of(estimator: Any) -> Spec:
    """The description of a model that has learned elsewhere. It takes new classes as they come.

    Raises
    ------
    DataError
        The model cannot learn row by row.
    """
    kinds = {Perceptron: "perceptron", PassiveAggressive: "pa", Pocket: "pocket"}
    algorithm = kinds.get(type(estimator))
    if algorithm is None or getattr(estimator, "average", None) == "voted" or not hasattr(estimator, "classes_"):
        raise DataError("The file must be a model of Perceptron, PassiveAggressive or Pocket, not voted.")
    if getattr(estimator, "average", None) == "averaged":
        algorithm = "averaged"
    own, usual = estimator.get_params(), MAKERS[algorithm]().get_params()
    settings = {name: value for name, value in own.items() if value != usual[name]}
    has_names = hasattr(estimator, "feature_names_in_") or estimator._hash_bits is not None
    return Spec(algorithm, settings, None if has_names else int(estimator.n_features_in_), estimator._hash_bits)


def check_label(label: Any) -> None:
    """Raise a DataError unless this is a label: a text, a finite number, true or false."""
    if isinstance(label, str):
        if not 0 < len(label) <= MAX_LABEL or not label.isprintable():
            raise DataError(f"A label has 1 to {MAX_LABEL} printable characters, not {label!r:.60}.")
    elif not isinstance(label, int | float) or label != label or abs(label) > 2**53:
        raise DataError(f"A label is a text, a number, true or false, not {label!r:.60}.")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)
