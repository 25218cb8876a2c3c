"""Who listens to work that takes long: whoever asked how far it is, and the callbacks of an estimator.

Work calls `tell` once a pass, look, chunk or round, and knows nothing of who listens. A fit that makes passes is run by
`followed`, which makes tasks for scikit-learn's callbacks of it; without any it is run as it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol


class News(NamedTuple):
    """How far some work is."""

    what: str  # runs
    done: float
    total: float | None  # what `done` ends with, if that is known
    words: str  # if there are none, those said last of the same work hold


Listener = Callable[[News], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(what: str, done: float, total: float | None = None, words: str = "", *facts: object) -> None:
    """Say how far work is, if anybody listens; only then are the facts put into the words."""
    listener = _listener.get()
    if listener is not None:
        listener(News(what, done, total, words.format(*facts)))


def heard() -> bool:
    """Does anybody listen?  To be asked before finding out what costs something to know."""
    return _listener.get() is not None


def megabytes(done: float, total: float | None) -> str:
    """How much was read, in words."""
    return f"{done / 1e6:,.0f} MB" + ("" if total is None else f" of {total / 1e6:,.0f} MB")


def chunks_of(stream: Any, what: str, words: str = "") -> Iterator[Any]:
    """The chunks of a stream; after each it is told how much was read."""
    read, total = 0, stream.size if heard() else None
    tell(what, read, total, words)
    for chunk in stream.chunks():
        yield chunk
        read += chunk.size
        tell(what, read, total, words)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Hear all that this thread tells while the block runs, in place of whoever listened; None: nobody does.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.base.events import listening
    >>> with listening(lambda news: print(f"{news.what}: {news.words}")):
    ...     model = Perceptron(order="cyclic").fit([[0], [2]], [0, 1])
    Perceptron: first pass
    Perceptron: pass 1 of 100, 2 mistakes
    Perceptron: pass 2 of 100, 1 mistakes
    Perceptron: pass 3 of 100, 0 mistakes
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class PassCallbacks(Protocol):
    """Is called at the beginning and the end of each pass of some work, and may end it."""

    def begin(self) -> None:
        """A pass begins."""
        ...

    def end(self, reached: Callable[[], Any]) -> bool:
        """A pass has ended; return True to end the work."""
        ...
