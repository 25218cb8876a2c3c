"""Requests to the lab's server in this process, without a network."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from rosenblatt.lab.web.replies import Reply, answer
from tests.support.lab_jobs import JOBS

PORT = 8958
OWN = f"http://127.0.0.1:{PORT}"
JSON = {"Content-Type": "application/json"}


def done(made: Callable[[], Awaitable[Any]]) -> Any:
    """Run what is asynchronous in a thread of its own: a browser of other tests may occupy this thread's loop."""

    async def whole() -> Any:
        return await made()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, whole()).result()


async def call(name: str, body: bytes) -> Reply:
    return answer(JOBS, name, body)


def request(app: Any, method: str, path: str, **options: Any) -> httpx.Response:
    """Send one request to the application."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
            return await client.request(method, path, **options)

    answered = done(send)
    assert isinstance(answered, httpx.Response)
    return answered


def sentence(answered: httpx.Response) -> str:
    """What an error says: one sentence, as JSON."""
    assert answered.headers["content-type"] == "application/json"
    (said,) = answered.json().values()
    assert list(answered.json()) == ["error"]
    assert said.endswith((".", "?"))
    assert "Traceback" not in said
    return str(said)
