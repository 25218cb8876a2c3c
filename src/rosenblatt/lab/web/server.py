"""The HTTP server of the lab. It listens on this machine only, and answers only to its own page."""

import asyncio
import hashlib
import re
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.lab.routes import ROUTES
from rosenblatt.lab.web.first_answers import Call, with_first_answers
from rosenblatt.lab.web.replies import Reply, refusal
from rosenblatt.lab.web.workers import Pool
from rosenblatt.web.bodies import body_of, plain_media_type
from rosenblatt.web.guard import Access, Guard, hosts_of
from rosenblatt.web.replies import DEFECT, JSON, as_json
from rosenblatt.web.serving import Server

PAGE = Path(__file__).parents[1] / "page"
START = "/start"
MAX_REQUEST_BYTES = 2_000_000
ABANDONED_SECONDS = 0.3  # that a job may go on after its client left; a new worker process would cost more
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
        media_type = plain_media_type(request.headers.get("content-type", ""))
        body = await body_of(request.receive, media_type, (JSON,), MAX_REQUEST_BYTES, "try fewer points")
        return await _while_connected(request, call(_job(request), body))

    routes = [Route("/", index), Route(START, begin), Route("/page/{name:path}", part), Route("/api/state", said)]
    endpoints = {"GET": get, "POST": post}
    routes += [Route(f"/api/{name}", endpoints[job.method], methods=[job.method]) for name, job in ROUTES.items()]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _defect})
    app.router.redirect_slashes = False
    return Guard(app, Access(hosts_of(port), ("/", START), "The lab"), _refused_by_guard)


def serve(listening: socket.socket, start: str = "/", started: Callable[[], object] = lambda: None) -> None:
    """Answer requests until Ctrl-C, then raise KeyboardInterrupt; `started` is called when the server listens."""
    asyncio.run(_serve(listening, start, started))


async def _serve(listening: socket.socket, start: str, started: Callable[[], object]) -> None:
    async with Pool() as pool:
        port = listening.getsockname()[1]
        app = app_of(with_first_answers(pool.call, start), port, start=start, state=pool.state)
        started()
        await Server(app, pool.close).serve([listening])


# ---------------------------------------------------------------------------------------------------------------------
# Requests and answers


def _job(request: Request) -> str:
    return request.url.path.removeprefix("/api/")


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


async def _refused_by_guard(scope: Scope, receive: Receive, send: Send) -> None:
    await _response(refusal(403, scope["refusal"]))(scope, receive, send)


async def _defect(_: Request, __: Exception) -> Response:
    return _response(refusal(500, DEFECT))
