"""What can go wrong, as a tree.

RosenblattError
├── DataError        (a ValueError)    the data cannot be used: what was expected, what came, and where
│   └── NotANumber   (a TypeError too) a cell holds something that no number can be read from
├── ParameterError   (a ValueError)    an option has a value it cannot have
└── MissingExtra     (an ImportError)  an optional part is not installed
"""

import difflib
from collections.abc import Iterable

from rosenblatt.errors.remedy import Remedy, flag

LINE = 60  # characters of a value in a message


class RosenblattError(Exception):
    """The root of all errors that this package raises by itself."""

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


class NotANumber(DataError, TypeError):  # noqa: N818  (it is a fact about a cell)
    """A cell holds something that no number can be read from, such as a list or a dict."""


class ParameterError(RosenblattError, ValueError):
    """An option has a value that it cannot have; the message says what was expected.

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


class MissingExtra(RosenblattError, ImportError):  # noqa: N818  (it is a fact about the installation)
    """An optional part is not installed; the message says what to install."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)

    def __str__(self) -> str:
        purpose, extra = self.args
        return f"{purpose} needs an optional part: pip install 'rosenblatt[{extra}]'"


def meant(word: object, known: Iterable[object]) -> str:
    """A question to end a message with, if something known is spelled nearly like the word; else nothing.

    >>> meant("specis", ["sepal", "Species"])
    " Did you mean 'Species'?"
    """
    spelled = {str(name).casefold(): str(name) for name in known}
    near = difflib.get_close_matches(str(word).casefold(), spelled, n=1)
    return f" Did you mean {spelled[near[0]]!r}?" if near else ""


def abridged(value: object) -> str:
    """What came, as a message shows it: not more than a line of it.

    >>> abridged("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    text = repr(value)
    return text if len(text) <= LINE else f"{text[: LINE - 3]}..."
