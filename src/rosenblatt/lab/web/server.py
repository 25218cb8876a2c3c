"""The HTTP server of the lab. It listens on this machine only, and answers only to its own page."""

import asyncio
import hashlib
import re
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rosenblatt.lab.routes import ROUTES
from rosenblatt.lab.web.first_answers import Call, with_first_answers
from rosenblatt.lab.web.replies import DEFECT, JSON, Reply, as_json, refusal
from rosenblatt.lab.web.workers import Pool

HOST = "127.0.0.1"
PAGE = Path(__file__).parents[1] / "page"
START = "/start"
MAX_REQUEST_BYTES = 2_000_000
ABANDONED_SECONDS = 0.3  # that a job may go on after its client left; a new worker process would cost more
SHUTDOWN_SECONDS = 1.0  # until open connections are closed
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
READY = {"ready": True, "doing": ""}


def app_of(
    call: Call, port: int, page: Path = PAGE, start: str = "/", state: Callable[[], dict[str, Any]] = lambda: READY
) -> ASGIApp:
    """Return the ASGI application.

    Parameters
    ----------
    call : does a job; takes its name and the request as JSON, and returns the reply
    port : the port at which it is served; requests for another address are refused
    page : the folder of the page's files
    start : the address that `/start` redirects to: the page, with a board in the fragment. Such an address is too long
        for the command line of some systems, so the command opens `/start`
    state : says whether jobs can be done now, and what is loaded or compiled; the page asks while it waits
    """

    async def index(request: Request) -> Response:
        return _file(page, "index.html", request)

    async def part(request: Request) -> Response:
        return _file(page, request.path_params["name"], request)

    async def begin(_: Request) -> Response:
        return RedirectResponse(start, status_code=303)

    async def said(_: Request) -> Response:
        return _response(Reply(200, as_json(state())))

    async def get(request: Request) -> Response:
        return await _while_connected(request, call(_job(request), b"{}"))

    async def post(request: Request) -> Response:
        body = await _body(request)
        return await _while_connected(request, call(_job(request), body))

    routes = [Route("/", index), Route(START, begin), Route("/page/{name:path}", part), Route("/api/state", said)]
    endpoints = {"GET": get, "POST": post}
    routes += [Route(f"/api/{name}", endpoints[job.method], methods=[job.method]) for name, job in ROUTES.items()]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _defect})
    app.router.redirect_slashes = False
    return _Guard(app, port)


def listen(port: int) -> socket.socket:
    """Return a socket of this machine only, at this port, or at a free port if this one cannot be used."""
    try:
        return socket.create_server((HOST, port), backlog=128)
    except OSError:
        return socket.create_server((HOST, 0), backlog=128)


def serve(listening: socket.socket, start: str = "/", started: Callable[[], object] = lambda: None) -> None:
    """Answer requests until Ctrl-C, then raise KeyboardInterrupt; `started` is called when the server listens."""
    asyncio.run(_serve(listening, start, started))


async def _serve(listening: socket.socket, start: str, started: Callable[[], object]) -> None:
    async with Pool() as pool:
        port = listening.getsockname()[1]
        app = app_of(with_first_answers(pool.call, start), port, start=start, state=pool.state)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            http="h11",
            ws="none",
            lifespan="off",
            proxy_headers=False,
            server_header=False,
        )
        started()
        await _Server(config, pool).serve([listening])


class _Server(uvicorn.Server):
    """A server that ends its jobs and closes its connections soon, so that no request delays its shutdown."""

    def __init__(self, config: uvicorn.Config, pool: Pool) -> None:
        super().__init__(config)
        self.pool = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.pool.close()
        asyncio.get_running_loop().call_later(SHUTDOWN_SECONDS, self._close_connections)
        await super().shutdown(sockets)

    def _close_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


# ---------------------------------------------------------------------------------------------------------------------
# Access


class _Guard:
    """Middleware that refuses requests which the lab's own page did not make, and adds headers to every response.

    Any web site can send requests to this machine through the reader's browser, and can let its own host name point
    here (DNS rebinding). So the host must be one of ours, and so must the origin, if the browser sends one.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        names = (HOST, "localhost", "[::1]")
        self.hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if scope["type"] != "http":
            return
        why = self._refusal(scope["path"], Headers(scope=scope))
        handler = self.app if why is None else _response(refusal(403, why))
        await handler(scope, receive, send_with_headers)

    def _refusal(self, path: str, headers: Headers) -> str | None:
        """Return why the request is refused; None if it is allowed."""
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return "The lab answers only at its own address on this machine, 127.0.0.1 or localhost."
        if any(origin != f"http://{host[0].lower()}" for origin in headers.getlist("origin")):
            return "The lab answers only to its own page."
        allowed = ("same-origin", "none") if path in ("/", START) else ("same-origin",)
        if any(site not in allowed for site in headers.getlist("sec-fetch-site")):
            return "The lab answers only to its own page; to open it, type its address."
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Requests and answers


def _job(request: Request) -> str:
    return request.url.path.removeprefix("/api/")


async def _body(request: Request) -> bytes:
    """Return the body of a request, or raise an HTTP error if it is not JSON or too long."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HTTPException(415, f"A request must have the content type {JSON}.")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_REQUEST_BYTES:
                raise HTTPException(413, f"A request has at most {MAX_REQUEST_BYTES:,} bytes; try fewer points.")
    except ClientDisconnect as error:
        raise HTTPException(400, "The request ended too early.") from error
    return bytes(body)


async def _while_connected(request: Request, called: Awaitable[Reply]) -> Response:
    """Return the reply of a job; cancel the job soon after the client disconnects."""
    job, disconnected = asyncio.ensure_future(called), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({job, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if not job.done():
            await asyncio.wait({job}, timeout=ABANDONED_SECONDS)
        return _response(job.result()) if job.done() else Response(status_code=499)  # nobody reads it
    finally:
        job.cancel()
        disconnected.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _file(folder: Path, name: str, request: Request) -> Response:
    """Return a file below the folder. Names are compared, not joined to a path, so that no name leads outside."""
    kind = MEDIA_TYPES.get(Path(name).suffix)
    found = next(
        (path for path in folder.rglob("*") if path.relative_to(folder).as_posix() == name and path.is_file()), None
    )
    if kind is None or found is None:
        raise HTTPException(404)
    content = found.read_bytes()
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=kind)


def _response(reply: Reply) -> Response:
    headers = {}
    if reply.name:  # the plain name is for clients that do not support filename*
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", reply.name)
        headers["Content-Disposition"] = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(reply.name)}"
    return Response(reply.body, reply.status, headers, reply.media_type)


async def _refused(request: Request, error: Exception) -> Response:
    """Return the error of a request as a sentence."""
    status, detail, headers = 500, DEFECT, None
    if isinstance(error, HTTPException):
        status, detail, headers = error.status_code, error.detail, error.headers
    if status == 404:
        detail = f"The lab has no {request.url.path}."
    if status == 405:
        detail = f"{request.url.path} does not take {request.method}."
    response = _response(refusal(status, detail))
    response.headers.update(headers or {})
    return response


async def _defect(_: Request, __: Exception) -> Response:
    return _response(refusal(500, DEFECT))
