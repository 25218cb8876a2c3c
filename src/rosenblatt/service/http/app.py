"""The ASGI application of the service: who asks, which endpoint, and how errors are answered."""

import asyncio
import itertools
import json
import re
import secrets
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.errors import RosenblattError
from rosenblatt.service.http.api import ENDPOINTS, LINES, MAX_KEY, MODEL_FILE, Answer, Asked, Endpoint, answer
from rosenblatt.service.http.arrivals import Arrivals
from rosenblatt.service.http.errors import RETRY_SECONDS, status_of
from rosenblatt.service.http.metrics import Metrics
from rosenblatt.service.http.openapi import document
from rosenblatt.service.http.page import PAGES, page_file
from rosenblatt.service.http.tokens import Role, Tokens
from rosenblatt.service.running.models import Models
from rosenblatt.web.bodies import body_of, plain_media_type
from rosenblatt.web.guard import Access, Guard, hosts_of
from rosenblatt.web.replies import DEFECT, JSON, as_json

MAX_BODY = 8_000_000
MAX_FILE = 256_000_000
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
PROCESS, NUMBERS = secrets.token_hex(6), itertools.count(1)  # for the ids of requests that have none
ABOVE_NAME = "/v1/models/"  # what stands before the name of a model in a path
EXTRA = {
    401: ((b"www-authenticate", b"Bearer"),),
    429: ((b"retry-after", str(RETRY_SECONDS).encode()),),
}
Log = Callable[[dict[str, Any]], None]


class Request(NamedTuple):
    """A request.

    Attributes
    ----------
    method : GET for HEAD, too; the server sends no body then
    path : the path, with {name} for the name of a model
    name : the name of a model in the path, or ""
    query : what stands after ? in the address
    headers : the first header of each name
    receive : gives the body
    id : of the client, or made here; the answer and the log have it
    """

    method: str
    path: str
    name: str
    query: bytes
    headers: dict[bytes, bytes]
    receive: Receive
    id: str

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> "Request":
        """Read what ASGI tells of a request."""
        path, name = scope["path"], ""
        if path.startswith(ABOVE_NAME):
            name, slash, rest = path[len(ABOVE_NAME) :].partition("/")
            path = f"{ABOVE_NAME}{{name}}{slash}{rest}" if name else path
        headers = dict(reversed(scope["headers"]))
        own = headers.get(b"x-request-id", b"").decode("latin-1")
        given = own if own and REQUEST_ID.fullmatch(own) else f"{PROCESS}-{next(NUMBERS)}"
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        return cls(method, path, name, scope["query_string"], headers, receive, given)

    def header(self, name: bytes) -> str:
        """The first header of a name in lower case; "" if there is none."""
        return self.headers.get(name, b"").decode("latin-1")


Do = Callable[[Request], Awaitable[Answer]]


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
    access = Access(None if port is None else hosts_of(port), tuple(PAGES), "The service")
    return Guard(_Service(models, tokens, log), access, _refused_by_guard)


class _Service:
    """The endpoints with what they share."""

    def __init__(self, models: Models, tokens: Tokens | None, log: Log | None) -> None:
        self.models, self.tokens, self.log = models, tokens, log
        self.metrics = Metrics(models)
        self.document = as_json(document(has_tokens=tokens is not None))
        self._arrivals: Arrivals | None = None
        self._at: dict[str, dict[str, Do]] = defaultdict(dict)  # what is done, by path and method
        for one in ENDPOINTS:
            self._at[one.path][one.method] = self._endpoint(one)
        others: dict[str, Do] = {
            "/healthz": self.health,
            "/readyz": self.ready,
            "/metrics": self.metrics_text,
            "/v1/openapi.json": self.openapi,
            **dict.fromkeys(PAGES, self.page),
        }
        for path, do in others.items():
            self._at[path]["GET"] = do

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request.of(scope, receive)
        methods = self._at.get(request.path)
        if methods is None:
            given = error_answer(404, f"The service has no {scope['path']:.200}.")
        elif request.method not in methods:
            given = error_answer(405, f"{scope['path']:.200} does not take {request.method}.")
            given = given._replace(headers=((b"allow", ", ".join(methods).encode()),))
        else:
            given = await _tried(methods[request.method], request)
        await send_answer(given, send, ((b"x-request-id", request.id.encode()),))

    def _endpoint(self, one: Endpoint) -> Do:
        """What answers an endpoint, counts it and logs it."""

        async def respond(request: Request) -> Answer:
            start = time.perf_counter()
            given = await _tried(lambda asked: self._answer(one, asked), request)
            self._tell(one, request, given.status, time.perf_counter() - start)
            return given

        return respond

    async def _answer(self, one: Endpoint, request: Request) -> Answer:
        self.refuse_others(request, one.role)
        key = request.header(b"idempotency-key") if b"idempotency-key" in request.headers else None
        if key is not None and not (0 < len(key) <= MAX_KEY and key.isascii() and key.isprintable()):
            raise HTTPException(400, f"Idempotency-Key must have 1 to {MAX_KEY} printable ASCII characters.")
        body, media_type = b"", JSON
        if one.takes is not None:
            media_type = plain_media_type(request.header(b"content-type"))
            if one.takes == "File":
                body = await body_of(request.receive, media_type, (MODEL_FILE,), MAX_FILE, "larger ones are refused")
            else:
                allowed = (JSON, LINES) if one.takes in ("Rows", "Examples") else (JSON,)
                body = await body_of(request.receive, media_type, allowed, MAX_BODY, "divide it")
        query = dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True)) if request.query else {}
        return await one.do(Asked(self.models, request.name, body, media_type, query, key, self._arrivals_here()))

    def _arrivals_here(self) -> Arrivals:
        """Those of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._arrivals is None or self._arrivals.loop is not loop:
            self._arrivals = Arrivals(loop)
        return self._arrivals

    def refuse_others(self, request: Request, needed: Role) -> None:
        """Raise unless the token of a request allows a role."""
        if self.tokens is None:
            return
        scheme, _, token = request.header(b"authorization").partition(" ")
        role = self.tokens.role_of(token.strip()) if scheme.lower() == "bearer" else Role.NOBODY
        if role is Role.NOBODY:
            raise HTTPException(401, "A token is needed: the header `Authorization: Bearer TOKEN`.")
        if role < needed:
            raise HTTPException(403, f"The token allows to {role.name.lower()}; this needs {needed.name.lower()}.")

    def _tell(self, one: Endpoint, request: Request, status: int, seconds: float) -> None:
        self.metrics.count(one.do.__name__, status, seconds)
        if self.log is not None:
            facts = {"request": request.id, "method": one.method, "path": one.path}
            shown = request.name if REQUEST_ID.fullmatch(request.name) else None
            self.log(facts | {"model": shown, "status": status, "ms": round(1000 * seconds, 3)})

    async def health(self, _: Request) -> Answer:
        """The process answers."""
        return answer({"status": "alive"})

    async def ready(self, _: Request) -> Answer:
        """All models are open and can be written."""
        problems = {model.name: model.problem for model in self.models if model.problem}
        problems |= {f"folder {name}": "it cannot be opened" for name in self.models.broken}
        if problems:
            return answer({"status": "not ready", "problems": problems}, 503)
        return answer({"status": "ready", "models": len(self.models)})

    async def metrics_text(self, request: Request) -> Answer:
        """What Prometheus reads."""
        self.refuse_others(request, Role.READ)
        return Answer(200, self.metrics.text(), self.metrics.media_type)

    async def openapi(self, _: Request) -> Answer:
        """The OpenAPI document."""
        return Answer(200, self.document)

    async def page(self, request: Request) -> Answer:
        """A file of the live page."""
        return page_file(request.path, request.header(b"if-none-match"))


async def _tried(do: Do, request: Request) -> Answer:
    """Answer a request; an error becomes its status and sentence."""
    try:
        return await do(request)
    except RosenblattError as error:
        return error_answer(status_of(error), str(error))
    except HTTPException as error:
        return error_answer(error.status_code, str(error.detail))
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return error_answer(500, DEFECT)


def error_answer(status: int, sentence: str) -> Answer:
    """An error as an answer."""
    return answer({"error": sentence}, status)


async def send_answer(given: Answer, send: Send, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    """Send an answer."""
    own = [*given.headers, *EXTRA.get(given.status, ()), *headers]
    if given.status != 304:
        own += [(b"content-type", given.media_type.encode()), (b"content-length", str(len(given.body)).encode())]
    await send({"type": "http.response.start", "status": given.status, "headers": own})
    await send({"type": "http.response.body", "body": given.body})


async def _refused_by_guard(scope: Scope, _: Receive, send: Send) -> None:
    await send_answer(error_answer(403, scope["refusal"]), send)


def log_to_stderr(facts: dict[str, Any]) -> None:
    """Write a line of JSON."""
    sys.stderr.write(json.dumps({"time": round(time.time(), 3), **facts}) + "\n")
