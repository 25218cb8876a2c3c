"""Signals that end the command: Ctrl-C, and SIGTERM, by which systems stop programs.

Both leave no draft of a file behind. During a fit with a checkpoint, the first of them lets the fit write it before it
stops; a second one stops at once.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

STOPPED = 130  # exit code after Ctrl-C, as shells report SIGINT
TERMINATED = 143  # as shells report SIGTERM
WAITING = b"stopping after this chunk, to write the checkpoint; press Ctrl-C again to stop at once\n"


def _terminate(*_: Any) -> NoReturn:
    """End by an exception, so that drafts of files are removed on the way."""
    raise SystemExit(TERMINATED)


@contextmanager
def ends_in_order() -> Iterator[None]:
    """Inside this block, SIGTERM ends the command as Ctrl-C does, if nobody else handles or ignores it."""
    with _handling({signal.SIGTERM: _terminate} if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL else {}):
        yield


@contextmanager
def first_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C or SIGTERM came, so that a fit can write its checkpoint and then stop.

    A second one stops at once. Outside the main thread, and for signals that others handle or ignore, nothing changes.
    """
    came: list[int] = []

    def stop(number: int, _: Any) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        os.write(2, WAITING)

    ours = (signal.default_int_handler, _terminate)
    handlers = {number: stop for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) in ours}
    try:
        with _handling(handlers):
            yield lambda: bool(came)
    except KeyboardInterrupt:
        if signal.SIGTERM in came:
            _terminate()
        raise


@contextmanager
def _handling(handlers: dict[signal.Signals, Callable[..., Any]]) -> Iterator[None]:
    """Inside this block, signals have these handlers. Only the main thread can set them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
