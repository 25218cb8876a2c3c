"""A server that ends its work and closes its connections soon, so that no request delays its end."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from rosenblatt.errors import DataError
from rosenblatt.web.protocol import LimitedProtocol

BACKLOG = 1024
SHUTDOWN_SECONDS = 1.0  # until open connections are closed
OPTIONS: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "http": LimitedProtocol,
    "ws": "none",
    "lifespan": "off",
    "proxy_headers": False,
    "server_header": False,
}


def new_event_loop() -> asyncio.AbstractEventLoop:
    """An event loop: uvloop's, where it exists, which answers about twice as many requests."""
    try:
        import uvloop
    except ImportError:  # it does not exist for Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at this port, or at a free port if this one cannot be used."""
    try:
        return _bound(host, port)
    except OSError:
        return _bound(host, 0)


def listen_at(host: str, port: int) -> socket.socket:
    """Return a socket at just this address.

    Raises
    ------
    DataError
        It cannot be used.
    """
    try:
        return _bound(host, port)
    except OSError as error:
        raise DataError(
            f"{host}, port {port}: the service cannot listen there: {error.strerror}. Give another port, or 0 for any."
        ) from error


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens.

    It names its protocol, which those of its connections inherit: asyncio sends small answers at once on such sockets
    only. On others, each answer would wait 40 ms for the client to acknowledge the one before.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


class Server(uvicorn.Server):
    """A server with something to do before it ends.

    Parameters
    ----------
    app : the application
    end : what is done when the server is asked to end, before it waits for open requests
    options : more options of uvicorn
    """

    def __init__(self, app: ASGIApp, end: Callable[[], Awaitable[None]], **options: Any) -> None:
        super().__init__(uvicorn.Config(app, **OPTIONS | options))
        self._end = end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the work, then the server."""
        await self._end()
        asyncio.get_running_loop().call_later(SHUTDOWN_SECONDS, self._close_connections)
        await super().shutdown(sockets)

    def _close_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
