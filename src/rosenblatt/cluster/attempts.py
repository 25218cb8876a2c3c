"""Tasks whose errors are results, so that an error, too, does not depend on which task ends first.

Dask raises the error that it sees first. Here all tasks end, and the error of the first object is raised.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rosenblatt.errors import RosenblattError


class Failure(NamedTuple):
    """The result of a task that raised."""

    error: RosenblattError


class Attempt:
    """A function that returns a `Failure` where it would raise an error of this package.

    Given a failure, it returns that: what failed stays so in later tasks.

    Parameters
    ----------
    function : the function; Dask shows its name
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.__name__ = function, getattr(function, "__name__", type(function).__name__)

    def __call__(self, *given: Any) -> Any:
        failed = next((one for one in given if isinstance(one, Failure)), None)
        if failed is not None:
            return failed
        try:
            return self.function(*given)
        except RosenblattError as error:
            return Failure(error)


def without_failures(results: Sequence[Any]) -> list[Any]:
    """The results; raise the error of the first one that is a failure."""
    failed = next((one for one in results if isinstance(one, Failure)), None)
    if failed is not None:
        raise failed.error
    return list(results)
