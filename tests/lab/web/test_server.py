"""The routes of the lab's server. Jobs are done in this process, not by workers."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from rosenblatt.lab import jobs
from rosenblatt.lab.routes import ROUTES
from rosenblatt.lab.web import server
from rosenblatt.lab.web.replies import Reply
from rosenblatt.lab.web.server import MAX_REQUEST_BYTES, app_of
from rosenblatt.web.guard import HOST
from rosenblatt.web.serving import listen
from tests.support.lab_client import JSON, OWN, PORT, call, done, request, sentence

ASKED = [name for name, route in ROUTES.items() if route.method == "GET"]
POSTED = [name for name, route in ROUTES.items() if route.method == "POST"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page, and what is not of it."""
    folder = tmp_path / "page"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "deep.js").write_text("this is inner/deep.js")
    for name in ("index.html", "lab.js", "lab.css", "icon.svg", "notes.txt", "secret.py"):
        (folder / name).write_text(f"this is {name}")
    (tmp_path / "outside.js").write_text("outside")
    return folder


Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(folder: Path) -> Ask:
    return partial(request, app_of(call, PORT, folder, start="/#board=abc"))


# ---------------------------------------------------------------------------------------------------------------------
# The page


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/page/index.html", "text/html; charset=utf-8"),
        ("/page/lab.js", "text/javascript; charset=utf-8"),
        ("/page/inner/deep.js", "text/javascript; charset=utf-8"),
        ("/page/lab.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml"),
    ],
)
def test_the_files_of_the_page(ask: Ask, path: str, kind: str) -> None:
    answered = ask("GET", path)
    name = path.removeprefix("/page").strip("/") or "index.html"
    assert (answered.status_code, answered.text) == (200, f"this is {name}")
    assert answered.headers["content-type"] == kind
    assert ask("HEAD", path).text == ""


def test_a_file_is_sent_again_only_if_it_has_changed(ask: Ask, folder: Path) -> None:
    first = ask("GET", "/page/lab.js")
    assert first.headers["cache-control"] == "no-cache"
    known = {"If-None-Match": first.headers["etag"]}
    again = ask("GET", "/page/lab.js", headers=known)
    assert (again.status_code, again.text) == (304, "")
    (folder / "lab.js").write_text("new")
    assert ask("GET", "/page/lab.js", headers=known).text == "new"


@pytest.mark.parametrize(
    "path",
    [
        "/page/none.js",
        "/page/",
        "/page",
        "/page/inner",
        "/page/inner/none.js",
        "/page/inner/../../outside.js",
        "/page/inner/..%2f..%2foutside.js",
        "/page/../outside.js",
        "/page/..%2foutside.js",
        "/page/%2e%2e/outside.js",
        "/page/%2e%2e%2foutside.js",
        "/page/..%5coutside.js",
        "/page/notes.txt",
        "/page/secret.py",
        "/page/lab.js%00.js",
        "/page/lab.js/",
        "/index.html",
        "/api",
        "/api/",
        "/api/nonsense",
        "/api/verdict/",
        "/nonsense",
    ],
)
def test_there_is_nothing_else(ask: Ask, path: str) -> None:
    answered = ask("GET", path)
    assert answered.status_code == 404
    assert "The lab has no /" in sentence(answered)


def test_the_start_leads_to_the_page_with_its_board(ask: Ask) -> None:
    answered = ask("GET", "/start")
    assert (answered.status_code, answered.headers["location"]) == (303, "/#board=abc")


def test_the_page_of_the_package_is_served_whole() -> None:
    """What the folder holds can be asked for, and is all of a kind that is served."""
    kinds = {path.suffix for path in server.PAGE.iterdir() if path.is_file()}
    assert ".js" in kinds
    assert kinds <= set(server.MEDIA_TYPES)


# ---------------------------------------------------------------------------------------------------------------------
# Jobs


def test_a_job_gets_the_request_and_its_answer_comes_back(ask: Ask) -> None:
    request = {"board": {"points": [[0.1, -2, 0]], "names": ["größe", "\u2028"]}}
    answered = ask("POST", "/api/verdict", json=request)
    assert (answered.status_code, answered.json()) == (200, {"heard": request})
    assert answered.headers["content-type"] == "application/json"
    assert answered.headers["cache-control"] == "no-store"


def test_every_job_of_the_lab_is_served_and_no_other() -> None:
    assert ASKED == ["catalogue", "lessons"]
    assert {*ASKED, *POSTED} == set(jobs.JOBS)
    assert not set(ASKED) & set(POSTED)


def test_what_is_asked_for_without_a_request(ask: Ask) -> None:
    assert "process" in ask("GET", "/api/catalogue").json()


def test_a_file_to_keep(ask: Ask) -> None:
    answered = ask("POST", "/api/export", json={"name": 'xor "a" ü.gif'})
    assert (answered.status_code, answered.content) == (200, bytes(range(256)))
    assert answered.headers["content-type"] == "image/gif"
    told = "attachment; filename=\"xor__a___.gif\"; filename*=UTF-8''xor%20%22a%22%20%C3%BC.gif"
    assert answered.headers["content-disposition"] == told


@pytest.mark.parametrize(("method", "names"), [("POST", ASKED), ("GET", POSTED), ("PUT", POSTED), ("DELETE", ASKED)])
def test_the_wrong_method(ask: Ask, method: str, names: list[str]) -> None:
    for name in names:
        answered = ask(method, f"/api/{name}", headers=JSON, content=b"{}")
        assert answered.status_code == 405
        assert method not in answered.headers["allow"]
        assert f"/api/{name} does not take {method}" in sentence(answered)


def test_a_preflight_is_no_invitation(ask: Ask) -> None:
    asked = {"Origin": OWN, "Access-Control-Request-Method": "POST"}
    answered = ask("OPTIONS", "/api/verdict", headers=asked)
    assert answered.status_code == 405
    assert not [name for name in answered.headers if name.startswith("access-control")]


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong with a request


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "line 1, column 1"),
        (b'{"a": 1,\n "b" 2}', "line 2, column 6"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": "\xff"}', "byte 7"),
        (b"[1, 2]", "JSON object"),
        (b"null", "JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b'{"a": ["\\uD83D"]}', "half a character"),
    ],
    ids=range(10),
)
def test_broken_json(ask: Ask, body: bytes, words: str) -> None:
    answered = ask("POST", "/api/verdict", content=body, headers=JSON)
    assert answered.status_code == 400
    assert words in sentence(answered)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", None])
def test_another_content_type(ask: Ask, kind: str | None) -> None:
    """Those that a form of any site can send are among them."""
    answered = ask("POST", "/api/verdict", content=b"{}", headers={} if kind is None else {"Content-Type": kind})
    assert answered.status_code == 415
    assert "application/json" in sentence(answered)


def test_a_content_type_with_a_parameter(ask: Ask) -> None:
    answered = ask("POST", "/api/verdict", content=b"{}", headers={"Content-Type": "Application/JSON; charset=utf-8"})
    assert answered.status_code == 200


def of_size(size: int) -> bytes:
    return b'{"a":"' + b"x" * (size - 8) + b'"}'


def test_as_large_as_may_be(ask: Ask) -> None:
    assert ask("POST", "/api/verdict", content=of_size(MAX_REQUEST_BYTES), headers=JSON).status_code == 200


@pytest.mark.parametrize("in_parts", [False, True])
def test_too_large(ask: Ask, in_parts: bool) -> None:
    """Whether or not its length is told beforehand; of an endless one, not more is read than may be."""
    read = []

    async def parts() -> AsyncIterator[bytes]:
        while True:
            read.append(1)
            yield b" " * 100_000

    body: Any = parts() if in_parts else of_size(MAX_REQUEST_BYTES + 1)
    answered = ask("POST", "/api/verdict", content=body, headers=JSON)
    assert answered.status_code == 413
    assert "2,000,000 bytes" in sentence(answered)
    assert len(read) <= MAX_REQUEST_BYTES / 100_000 + 1


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("data", 400, "points[3] must have 3 entries, not 2."),
        ("parameter", 400, "order must be"),
        ("extra", 400, "pip install 'rosenblatt[plot]'"),
        ("memory", 400, "memory"),
        ("defect", 500, "This is a defect of rosenblatt"),
    ],
)
def test_errors_of_jobs(ask: Ask, capfd: pytest.CaptureFixture[str], kind: str, status: int, words: str) -> None:
    answered = ask("POST", "/api/view", json={"with": kind})
    assert answered.status_code == status
    assert words in sentence(answered)
    said = capfd.readouterr()
    assert said.out == ""
    assert ("ZeroDivisionError: secret" in said.err) == (status == 500)
    assert "secret" not in answered.text


def test_an_answer_that_is_no_json_is_a_defect(ask: Ask, capfd: pytest.CaptureFixture[str]) -> None:
    answered = ask("GET", "/api/lessons")
    assert answered.status_code == 500
    assert "defect" in sentence(answered)
    assert "ValueError" in capfd.readouterr().err


def test_a_defect_of_the_server_itself(folder: Path) -> None:
    async def broken(_: str, __: bytes) -> Reply:
        raise ZeroDivisionError("secret")

    answered = request(app_of(broken, PORT, folder), "GET", "/api/catalogue")
    assert answered.status_code == 500
    assert "defect" in sentence(answered)
    assert "secret" not in answered.text
    assert "default-src 'none'" in answered.headers["content-security-policy"]


# ---------------------------------------------------------------------------------------------------------------------
# A page that no longer waits


@pytest.mark.parametrize("is_quick", [True, False])
def test_a_job_nobody_waits_for_is_cancelled_unless_it_is_nearly_done(folder: Path, is_quick: bool) -> None:
    ended: list[str] = []

    async def job(_: str, __: bytes) -> Reply:
        try:
            await asyncio.sleep(0.01 if is_quick else 3600)
            ended.append("done")
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return Reply(200, b"{}")

    async def leave() -> None:
        messages = [{"type": "http.request", "body": b"{}"}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            return messages.pop(0)

        async def send(_: Any) -> None:
            pass

        headers = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/api/run", "headers": headers, "query_string": b""}
        app: Any = app_of(job, PORT, folder)
        await app(scope, receive, send)
        await asyncio.sleep(0)

    done(leave)
    assert ended == ["done" if is_quick else "cancelled"]


# ---------------------------------------------------------------------------------------------------------------------
# Where it listens


def test_a_port_that_is_taken() -> None:
    with listen(HOST, 0) as first:
        assert first.proto == socket.IPPROTO_TCP  # so that asyncio sends small answers at once
        host, port = first.getsockname()
        with listen(HOST, port) as second:
            assert host == second.getsockname()[0] == "127.0.0.1"
            assert port != second.getsockname()[1]
