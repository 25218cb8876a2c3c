"""Runs the service until it is asked to end; then it does what waits, and takes snapshots."""

import asyncio
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.service.http.app import Log, app_of
from rosenblatt.service.http.tokens import Tokens
from rosenblatt.service.running.models import Models
from rosenblatt.web.serving import Server, new_event_loop

SWITCH_SECONDS = 0.0005  # after which a thread of Python lets others run; predictions should not wait for learning


class Door(NamedTuple):
    """The access to the service.

    Attributes
    ----------
    is_local : is it this machine only?
    tokens : who may do what
    certificate, private_key : files for TLS
    """

    is_local: bool = True
    tokens: Tokens | None = None
    certificate: Path | None = None
    private_key: Path | None = None


def serve(models: Models, listening: socket.socket, door: Door, log: Log | None, started: Callable[[], object]) -> None:
    """Answer requests until SIGINT or SIGTERM; `started` is called when the server listens."""
    sys.setswitchinterval(SWITCH_SECONDS)
    port = listening.getsockname()[1] if door.is_local else None
    app = app_of(models, port, door.tokens, log)
    options: dict[str, Any] = {}
    if door.certificate is not None:
        options = {"ssl_certfile": str(door.certificate), "ssl_keyfile": str(door.private_key)}

    async def end() -> None:
        await asyncio.to_thread(models.close)

    async def run() -> None:
        started()
        await Server(app, end, **options).serve([listening])

    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(run())
    finally:
        models.close()
