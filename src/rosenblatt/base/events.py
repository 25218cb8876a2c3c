"""Progress events of long-running work, and the protocol of callbacks.

Work calls `report_progress` once for each pass, step, chunk or round; it does not know who listens. `listening` sets
the listener.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol


class ProgressEvent(NamedTuple):
    """The progress of some work."""

    what: str  # the name of the work
    done: float
    total: float | None  # the last value of `done`, None if it is not known
    words: str  # the state in words; if empty, the last words about this work are still valid


Listener = Callable[[ProgressEvent], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_progress(what: str, done: float, total: float | None = None, words: str = "", *facts: object) -> None:
    """Report progress to the listener, if there is one; only then `words` is formatted with the facts."""
    listener = _listener.get()
    if listener is not None:
        listener(ProgressEvent(what, done, total, words.format(*facts)))


def has_listener() -> bool:
    """Is there a listener?  Ask this before computing something only for a progress event."""
    return _listener.get() is not None


def megabytes(done: float, total: float | None) -> str:
    """Write the amount of data that was read in words."""
    return f"{done / 1e6:,.0f} MB" + ("" if total is None else f" of {total / 1e6:,.0f} MB")


def chunks_of(stream: Any, what: str, words: str = "") -> Iterator[Any]:
    """Read the chunks of a stream, and report after each how much was read."""
    read, total = 0, stream.size if has_listener() else None
    report_progress(what, read, total, words)
    for chunk in stream.chunks():
        yield chunk
        read += chunk.size
        report_progress(what, read, total, words)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Send the progress events of this thread to `listener` while the block runs, instead of the listener before; None
    sends them to nobody.

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


@contextmanager
def hearing(what: str) -> Iterator[list[ProgressEvent]]:
    """Collect the progress events of one work while the block runs; the listener hears all events as before."""
    heard, outer = [], _listener.get()

    def hear(event: ProgressEvent) -> None:
        if event.what == what:
            heard.append(event)
        if outer is not None:
            outer(event)

    with listening(hear):
        yield heard


class PassCallbacks(Protocol):
    """Callbacks at the beginning and the end of each pass of some work; they may end it."""

    def begin(self) -> None:
        """Called when a pass begins."""
        ...

    def end(self, reached: Callable[[], Any]) -> bool:
        """Called when a pass has ended; return True to end the work."""
        ...
