"""The errors of this package.

RosenblattError
├── DataError            (a ValueError)    the data cannot be used: what was expected, what came, and where
├── ParameterError       (a ValueError)    an option has a value that is not allowed
└── MissingExtraError    (an ImportError)  an optional part is not installed
"""

import difflib
from collections.abc import Iterable

from rosenblatt.errors.remedy import Remedy, flag
from rosenblatt.errors.wording import Wording, in_command_words

MAX_SHOWN = 60  # characters of a value in a message


class RosenblattError(Exception):
    """The base class of all errors of this package.

    See Also
    --------
    DataError : The data cannot be used.
    ParameterError : An option has a value that is not allowed.
    MissingExtraError : An optional part is not installed.

    Examples
    --------
    >>> from rosenblatt import RosenblattError, read
    >>> try:
    ...     read("missing.csv")
    ... except RosenblattError as error:
    ...     print(error)
    missing.csv: there is no such file.
    """

    def with_flags(self) -> str:
        """Return the message for users of the command: options are named as flags.

        Returns
        -------
        str
            The message.
        """
        return in_command_words(self.args[0]) if len(self.args) == 1 else str(self)


class DataError(RosenblattError, ValueError):
    """The data cannot be used; the message says what was expected, what came, and where.

    Parameters
    ----------
    message : str, default=""
        What was expected, what came, and where.
    remedy : Remedy, optional
        The options that help, if any do; the message ends with it.

    Attributes
    ----------
    remedy : Remedy, optional
        The options that help, if any do.

    See Also
    --------
    ParameterError : An option, not the data, is wrong.
    RosenblattError : The base class of all errors of this package.

    Examples
    --------
    >>> from rosenblatt import DataError, Perceptron
    >>> try:
    ...     Perceptron().fit([[1.0], [float("nan")]], [0, 1])
    ... except DataError as error:
    ...     print(error)
    Input X contains NaN: row 1, column 0 is nan. Every number must be finite; ...
    """

    def __init__(self, message: object = "", remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.remedy is None else f"{message} {self.remedy.with_keywords()}"

    def with_flags(self) -> str:
        message = super().with_flags()
        return message if self.remedy is None else f"{message} {self.remedy.with_flags()}"

    def within(self, source: object) -> "DataError":
        """Return an error whose message begins with the source, such as the name of a file.

        Parameters
        ----------
        source : object
            The source; its text is used.

        Returns
        -------
        DataError
            The new error, with the same remedy.
        """
        message = Wording(super().__str__(), super().with_flags())
        return DataError(message.after(f"{source}: "), self.remedy)


class ParameterError(RosenblattError, ValueError):
    """An option has a value that is not allowed; the message says what was expected.

    Parameters
    ----------
    message : str, default=""
        What was expected, and what came.
    option : str, optional
        The name of the option, if the message does not contain it; it is written before the message.

    Attributes
    ----------
    option : str, optional
        The name of the option, if the message does not contain it.

    See Also
    --------
    DataError : The data, not an option, is wrong.
    RosenblattError : The base class of all errors of this package.

    Examples
    --------
    >>> from rosenblatt import ParameterError, Perceptron
    >>> try:
    ...     Perceptron(max_epochs=0).fit([[0.0], [1.0]], [0, 1])
    ... except ParameterError as error:
    ...     print(error)
    Perceptron(max_epochs=...) must be an integer of at least 1, not 0.
    """

    def __init__(self, message: object = "", option: str | None = None) -> None:
        super().__init__(message)
        self.option = option

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.option is None else f"{self.option} {message}"

    def with_flags(self) -> str:
        message = super().with_flags()
        return message if self.option is None else f"{flag(self.option)} {message}"


class MissingExtraError(RosenblattError, ImportError):
    """An optional part is not installed; the message says what to install.

    Parameters
    ----------
    purpose : str
        What needs the optional part, as the subject of a sentence.
    extra : str
        The name of the extra, as in `pip install 'rosenblatt[extra]'`.

    See Also
    --------
    RosenblattError : The base class of all errors of this package.

    Examples
    --------
    >>> from rosenblatt import MissingExtraError
    >>> print(MissingExtraError("A picture", "plot"))
    A picture needs an optional part: pip install 'rosenblatt[plot]'
    """

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
