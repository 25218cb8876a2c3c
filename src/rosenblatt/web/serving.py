"""A server that ends its work and closes its connections soon, so that no request delays its end."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from rosenblatt.errors import DataError

SHUTDOWN_SECONDS = 1.0  # until open connections are closed
OPTIONS: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "http": "h11",
    "ws": "none",
    "lifespan": "off",
    "proxy_headers": False,
    "server_header": False,
}


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at this port, or at a free port if this one cannot be used."""
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError:
        return socket.create_server((host, 0), backlog=128)


def listen_at(host: str, port: int) -> socket.socket:
    """Return a socket at just this address.

    Raises
    ------
    DataError
        It cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise DataError(
            f"{host}, port {port}: the service cannot listen there: {error.strerror}. Give another port, or 0 for any."
        ) from error


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
