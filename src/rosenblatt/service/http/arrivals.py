"""Results of other threads for requests that wait in the event loop."""

import asyncio
import contextlib
from collections import deque
from concurrent.futures import Future
from typing import Any


class Arrivals:
    """Hands the results of other threads to an event loop. Results that come together wake it once.

    Parameters
    ----------
    loop : the event loop in which requests wait
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._come: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._is_woken = False

    async def result(self, future: "Future[Any]") -> Any:
        """Wait for a future that another thread fulfils. If the request is cancelled, the work is done all the same."""
        waiting: asyncio.Future[Any] = self.loop.create_future()
        future.add_done_callback(lambda done: self._add(waiting, done))
        return await waiting

    def _add(self, waiting: "asyncio.Future[Any]", done: "Future[Any]") -> None:
        self._come.append((waiting, done))
        if not self._is_woken:
            self._is_woken = True
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits
                self.loop.call_soon_threadsafe(self._hand_over)

    def _hand_over(self) -> None:
        self._is_woken = False  # first, so that a result that comes now wakes the loop again
        while self._come:
            waiting, done = self._come.popleft()
            if waiting.done():
                continue
            error = done.exception()
            if error is None:
                waiting.set_result(done.result())
            else:
                waiting.set_exception(error)
