"""What results share: they are written as JSON and read back, and those with a proof are neither true nor false."""

import json
from typing import Any, ClassVar, NoReturn, Self

from rosenblatt.base.json_forms import Form, read_parts, refuse_constant
from rosenblatt.errors import DataError


class NoTruthValue:
    """A result that is neither true nor false; `bool()` of it raises.

    So `if separability(X, y):` cannot be written by mistake.

    Attributes
    ----------
    _ask_instead : what to write instead, as a sentence
    """

    _ask_instead: ClassVar[str]

    def __bool__(self) -> NoReturn:
        raise TypeError(f"This {type(self).__name__} is neither true nor false. {self._ask_instead}")


class Result:
    """A result as a dict or as JSON, and back. Results are equal if their dicts are.

    A subclass lists its parts, which are the arguments of its constructor and its attributes.
    """

    _forms: ClassVar[dict[str, Form]]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as lists, texts and numbers, which JSON can hold. Fractions are texts, such as "1/3".

        Returns
        -------
        dict
            The parts of the result by name.
        """
        return {name: form.write(getattr(self, name)) for name, form in self._forms.items()}

    def to_json(self) -> str:
        """Return the result as JSON, in one line. Infinite numbers are texts, because JSON has no such numbers.

        Returns
        -------
        str
            The JSON.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, body: Any) -> Self:
        """Make a result equal to the one that `to_dict` described.

        Parameters
        ----------
        body : dict
            What `to_dict` gave.

        Returns
        -------
        Self
            The result.

        Raises
        ------
        DataError
            It is not what `to_dict` gives.
        """
        try:
            parts = read_parts(body, cls._forms)
        except ValueError as error:
            raise DataError(f"This is not {_a(cls)}: it {error}.") from error
        return cls(**parts)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Make a result equal to the one that `to_json` wrote.

        Parameters
        ----------
        text : str or bytes
            What `to_json` gave.

        Returns
        -------
        Self
            The result.

        Raises
        ------
        DataError
            The text is not what `to_json` gives.
        """
        try:
            body = json.loads(text, parse_constant=refuse_constant)
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"This is not {_a(cls)}, because it is not JSON: {error}.") from error
        return cls.from_dict(body)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Result) and other._value() == self._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def _value(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True)


def form_of(kind: Any) -> Form:
    """The form of a result that is a part of another one; `kind` is its class."""

    def read(body: Any) -> Any:
        try:
            return kind.from_dict(body)
        except DataError as error:
            text = str(error).rstrip(".")
            raise ValueError(f"is wrong: {text[:1].lower()}{text[1:]}") from error

    return Form(lambda made: made.to_dict(), read)


def _a(kind: type) -> str:
    """The name of a class with its article."""
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
