"""Results that have no truth value, so that `if separability(X, y):` cannot be written by mistake."""

from typing import ClassVar, NoReturn


class NoTruthValue:
    """A result that is neither true nor false; `bool()` of it raises.

    Attributes
    ----------
    _ask_instead : what to write instead, as a sentence
    """

    _ask_instead: ClassVar[str]

    def __bool__(self) -> NoReturn:
        raise TypeError(f"A {type(self).__name__} is neither true nor false. {self._ask_instead}")
