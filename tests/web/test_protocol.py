"""Connections: what stands before a body is limited, and what is a request is answered."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rosenblatt.web.protocol import MAX_HEAD
from rosenblatt.web.serving import Server, listen_at, new_event_loop


async def app(_: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def port() -> Iterator[int]:
    listening, started, servers = listen_at("127.0.0.1", 0), threading.Event(), []

    async def end() -> None:
        return

    async def run() -> None:
        servers.append(Server(app, end))
        asyncio.get_running_loop().call_soon(started.set)
        await servers[0].serve([listening])

    def work() -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(run())

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert started.wait(10)
    yield listening.getsockname()[1]
    servers[0].should_exit = True
    thread.join(10)


def told(port: int, *parts: bytes) -> bytes:
    """What the server answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        come = b""
        with contextlib.suppress(ConnectionError):  # it was closed while the rest was sent
            for part in parts:
                connection.sendall(part)
            while more := connection.recv(65_536):
                come += more
        return come


def request(size: int, *headers: bytes) -> bytes:
    head = [b"POST / HTTP/1.1", b"host: x", b"content-length: %d" % size, *headers, b"", b""]
    return b"\r\n".join(head) + b"x" * size


LAST = b"connection: close"


def test_headers_are_limited(port: int) -> None:
    assert told(port, request(0, b"a: " + b"b" * MAX_HEAD)).startswith(b"HTTP/1.1 400")
    endless = [b"POST / HTTP/1.1\r\nhost: x\r\n", *([b"a: " + b"b" * 1000 + b"\r\n"] * 100)]
    name = [b"POST / HTTP/1.1\r\n", *([b"n" * 1000] * 100)]
    for parts in (endless, name):  # the answer may be lost, because the rest is sent to a closed connection
        assert told(port, *parts)[:12] in (b"HTTP/1.1 400", b"")


def test_bodies_and_several_requests_are_not(port: int) -> None:
    assert told(port, request(3 * MAX_HEAD, LAST)).endswith(b"\r\n\r\n" + str(3 * MAX_HEAD).encode())
    assert told(port, request(1), request(22), request(0, LAST)).count(b"HTTP/1.1 200") == 3
    assert told(port, request(5, b"a: " + b"b" * (MAX_HEAD - 1000), LAST)).startswith(b"HTTP/1.1 200")
    long = b"a: " + b"b" * 2000
    assert told(port, *([request(10, long)] * 59), request(10, long, LAST)).count(b"HTTP/1.1 200") == 60


def test_what_is_no_request_is_refused(port: int) -> None:
    assert told(port, b"hello\r\n\r\n").startswith(b"HTTP/1.1 400")
