"""The errors of this package.

RosenblattError
├── DataError            (a ValueError)    the data cannot be used: what was expected, what came, and where
├── ParameterError       (a ValueError)    an option has a value that is not allowed
└── MissingExtraError    (an ImportError)  an optional part is not installed
"""

import difflib
from collections.abc import Iterable

from rosenblatt.errors.remedy import Remedy, flag

MAX_SHOWN = 60  # characters of a value in a message


class RosenblattError(Exception):
    """The base class of all errors of this package."""

    def with_flags(self) -> str:
        """The message for users of the command: options are named as flags."""
        return str(self)


class DataError(RosenblattError, ValueError):
    """The data cannot be used; the message says what was expected, what came, and where.

    Attributes
    ----------
    remedy : the options that help, if any do; the message ends with it
    """

    def __init__(self, message: object = "", remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.remedy is None else f"{message} {self.remedy.with_keywords()}"

    def with_flags(self) -> str:
        message = super().__str__()
        return message if self.remedy is None else f"{message} {self.remedy.with_flags()}"

    def within(self, source: object) -> "DataError":
        """Return an error whose message begins with the source, such as the name of a file."""
        return DataError(f"{source}: {super().__str__()}", self.remedy)


class ParameterError(RosenblattError, ValueError):
    """An option has a value that is not allowed; the message says what was expected.

    Attributes
    ----------
    option : the name of the option, if the message does not contain it; it is written before the message
    """

    def __init__(self, message: object = "", option: str | None = None) -> None:
        super().__init__(message)
        self.option = option

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.option is None else f"{self.option} {message}"

    def with_flags(self) -> str:
        message = super().__str__()
        return message if self.option is None else f"{flag(self.option)} {message}"


class MissingExtraError(RosenblattError, ImportError):
    """An optional part is not installed; the message says what to install."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)

    def __str__(self) -> str:
        purpose, extra = self.args
        return f"{purpose} needs an optional part: pip install 'rosenblatt[{extra}]'"


def meant(word: object, known: Iterable[object]) -> str:
    """Make a question for the end of a message, if a known name is spelled nearly like the word; else an empty string.

    >>> meant("specis", ["sepal", "Species"])
    " Did you mean 'Species'?"
    """
    spelled = {str(name).casefold(): str(name) for name in known}
    near = difflib.get_close_matches(str(word).casefold(), spelled, n=1)
    return f" Did you mean {spelled[near[0]]!r}?" if near else ""


def abridged(value: object) -> str:
    """Show a value in a message, cut to at most 60 characters.

    >>> abridged("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
