"""The ASGI application of the service: who asks, which endpoint, and how errors are answered."""

import asyncio
import json
import re
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.errors import RosenblattError
from rosenblatt.service.http.api import ENDPOINTS, LINES, MAX_KEY, MODEL_FILE, Answer, Asked, Endpoint, answer
from rosenblatt.service.http.errors import RETRY_SECONDS, status_of
from rosenblatt.service.http.metrics import Metrics
from rosenblatt.service.http.openapi import document
from rosenblatt.service.http.page import PAGES, page_file
from rosenblatt.service.http.tokens import Role, Tokens
from rosenblatt.service.running.models import Models
from rosenblatt.web.bodies import body_of, media_type_of
from rosenblatt.web.guard import Access, Guard, hosts_of
from rosenblatt.web.replies import DEFECT, JSON, as_json

MAX_BODY = 8_000_000
MAX_FILE = 256_000_000
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
Log = Callable[[dict[str, Any]], None]


def app_of(models: Models, port: int | None, tokens: Tokens | None = None, log: Log | None = None) -> ASGIApp:
    """Return the ASGI application.

    Parameters
    ----------
    models : what is served
    port : the port on this machine at which it is served; None if other machines can reach it
    tokens : who may do what; None: whoever reaches it may do everything
    log : gets a dict for each request, without its body
    """
    if port is None and tokens is None:
        raise ValueError("a service that other machines can reach needs tokens")
    service = _Service(models, tokens, log)
    routes = [Route(one.path, service.endpoint(one), methods=[one.method]) for one in ENDPOINTS]
    routes += [
        Route("/healthz", service.health),
        Route("/readyz", service.ready),
        Route("/metrics", service.metrics_text),
        Route("/v1/openapi.json", service.openapi),
        *(Route(path, page_file) for path in PAGES),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _defect})
    app.router.redirect_slashes = False
    access = Access(None if port is None else hosts_of(port), tuple(PAGES), "The service")
    return Guard(_with_request_id(app), access, _refused_by_guard)


class _Service:
    """The endpoints with what they share."""

    def __init__(self, models: Models, tokens: Tokens | None, log: Log | None) -> None:
        self.models, self.tokens, self.log = models, tokens, log
        self.metrics = Metrics(models)
        self.document = as_json(document(has_tokens=tokens is not None))

    def endpoint(self, one: Endpoint) -> Callable[[Request], Any]:
        """The function that answers an endpoint."""

        async def respond(request: Request) -> Response:
            start = time.perf_counter()
            try:
                given = await self._answer(one, request)
            except RosenblattError as error:
                given = error_answer(status_of(error), str(error))
            except HTTPException as error:
                given = error_answer(error.status_code, str(error.detail))
            except asyncio.CancelledError:
                raise
            except Exception:
                traceback.print_exc(file=sys.stderr)
                given = error_answer(500, DEFECT)
            self._tell(one, request, given.status, time.perf_counter() - start)
            return response_of(given)

        return respond

    async def _answer(self, one: Endpoint, request: Request) -> Answer:
        self.refuse_others(request, one.role)
        key = request.headers.get("idempotency-key")
        if key is not None and not (0 < len(key) <= MAX_KEY and key.isascii() and key.isprintable()):
            raise HTTPException(400, f"Idempotency-Key must have 1 to {MAX_KEY} printable ASCII characters.")
        body, media_type = b"", JSON
        if one.takes == "File":
            body = await body_of(request, (MODEL_FILE,), MAX_FILE, "larger models cannot be imported")
        elif one.takes is not None:
            allowed = (JSON, LINES) if one.takes in ("Rows", "Examples") else (JSON,)
            body = await body_of(request, allowed, MAX_BODY, "divide it")
            media_type = media_type_of(request)
        name = request.path_params.get("name", "")
        return await one.do(Asked(self.models, name, body, media_type, dict(request.query_params), key))

    def refuse_others(self, request: Request, needed: Role) -> None:
        """Raise unless the token of a request allows a role."""
        if self.tokens is None:
            return
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        role = self.tokens.role_of(token.strip()) if scheme.lower() == "bearer" else Role.NOBODY
        if role is Role.NOBODY:
            raise HTTPException(401, "A token is needed: the header `Authorization: Bearer TOKEN`.")
        if role < needed:
            raise HTTPException(403, f"The token allows to {role.name.lower()}; this needs {needed.name.lower()}.")

    def _tell(self, one: Endpoint, request: Request, status: int, seconds: float) -> None:
        self.metrics.count(one.do.__name__, status, seconds)
        if self.log is not None:
            facts = {"request": request.scope["request_id"], "method": one.method, "path": one.path}
            name = request.path_params.get("name")
            shown = name if name is not None and REQUEST_ID.fullmatch(name) else None
            self.log(facts | {"model": shown, "status": status, "ms": round(1000 * seconds, 3)})

    async def health(self, _: Request) -> Response:
        """The process answers."""
        return response_of(answer({"status": "alive"}))

    async def ready(self, _: Request) -> Response:
        """All models are open and can be written."""
        problems = {model.name: model.problem for model in self.models if model.problem}
        problems |= {f"folder {name}": "it cannot be opened" for name in self.models.broken}
        if problems:
            return response_of(answer({"status": "not ready", "problems": problems}, 503))
        return response_of(answer({"status": "ready", "models": len(self.models)}))

    async def metrics_text(self, request: Request) -> Response:
        """What Prometheus reads."""
        self.refuse_others(request, Role.READ)
        return Response(self.metrics.text(), media_type=self.metrics.media_type)

    async def openapi(self, _: Request) -> Response:
        """The OpenAPI document."""
        return Response(self.document, media_type=JSON)


def error_answer(status: int, sentence: str) -> Answer:
    """An error as an answer."""
    return answer({"error": sentence}, status)


def response_of(given: Answer) -> Response:
    """An answer as a response."""
    headers = {}
    if given.file_name:
        headers["Content-Disposition"] = f'attachment; filename="{given.file_name}"'
    if given.status == 429:
        headers["Retry-After"] = str(RETRY_SECONDS)
    if given.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(given.body, given.status, headers, given.media_type)


def _with_request_id(app: ASGIApp) -> ASGIApp:
    """Give each request an id, which the answer and the log have: that of the client, or a new one."""

    async def with_id(scope: Scope, receive: Receive, send: Send) -> None:
        own = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"x-request-id"), "")
        given = own if REQUEST_ID.fullmatch(own) else secrets.token_hex(8)

        async def send_with_id(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-request-id", given.encode())]
            await send(message)

        await app({**scope, "request_id": given}, receive, send_with_id)

    return with_id


async def _refused(request: Request, error: Exception) -> Response:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, DEFECT)
    if status == 404:
        detail = f"The service has no {request.url.path:.200}."
    if status == 405:
        detail = f"{request.url.path:.200} does not take {request.method}."
    response = response_of(error_answer(status, str(detail)))
    if isinstance(error, HTTPException):
        response.headers.update(error.headers or {})
    return response


async def _defect(_: Request, __: Exception) -> Response:
    return response_of(error_answer(500, DEFECT))


async def _refused_by_guard(scope: Scope, receive: Receive, send: Send) -> None:
    await response_of(error_answer(403, scope["refusal"]))(scope, receive, send)


def log_to_stderr(facts: dict[str, Any]) -> None:
    """Write a line of JSON."""
    sys.stderr.write(json.dumps({"time": round(time.time(), 3), **facts}) + "\n")
