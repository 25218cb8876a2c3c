"""Results of other threads."""

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from rosenblatt.service.http.arrivals import Arrivals
from tests.support.lab_client import done


def test_results_that_come_together_wake_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[list[Any], int]:
        loop = asyncio.get_running_loop()
        arrivals, futures, woken = Arrivals(loop), [Future[int]() for _ in range(50)], 0
        call = loop.call_soon_threadsafe

        def count(*args: Any, **options: Any) -> Any:
            nonlocal woken
            woken += 1
            return call(*args, **options)

        waiting = [asyncio.ensure_future(arrivals.result(future)) for future in futures]
        await asyncio.sleep(0)
        monkeypatch.setattr(loop, "call_soon_threadsafe", count)

        def fulfil() -> None:
            for at, future in enumerate(futures):
                future.set_result(at)

        thread = threading.Thread(target=fulfil)
        thread.start()
        thread.join()  # the loop stands still meanwhile
        return await asyncio.gather(*waiting), woken

    assert done(run) == (list(range(50)), 1)


def test_an_error_is_raised_and_a_result_that_is_there_is_returned() -> None:
    async def run() -> Any:
        arrivals, failed, there = Arrivals(asyncio.get_running_loop()), Future[int](), Future[int]()
        failed.set_exception(KeyError("x"))
        there.set_result(3)
        with pytest.raises(KeyError):
            await arrivals.result(failed)
        return await arrivals.result(there)

    assert done(run) == 3


def test_a_request_that_is_cancelled_does_not_stop_the_others() -> None:
    async def run() -> Any:
        arrivals, one, other = Arrivals(asyncio.get_running_loop()), Future[int](), Future[int]()
        first, second = (asyncio.ensure_future(arrivals.result(future)) for future in (one, other))
        await asyncio.sleep(0)
        first.cancel()
        one.set_result(1)  # the work is done all the same
        other.set_result(2)
        return await second

    assert done(run) == 2


def test_a_result_after_the_end_of_the_loop_is_dropped() -> None:
    future = Future[int]()

    async def run() -> None:
        waiting = asyncio.ensure_future(Arrivals(asyncio.get_running_loop()).result(future))
        await asyncio.sleep(0)
        waiting.cancel()

    done(run)
    future.set_result(1)
