"""Which requests the lab's server refuses, and which headers its responses have."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from rosenblatt.lab.web.server import app_of
from tests.support.lab_client import JSON, PORT, call, done, request, sentence

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
Ask = Callable[..., httpx.Response]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("index.html", "lab.js"):
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def ask(folder: Path) -> Ask:
    return partial(request, app_of(call, PORT, folder))


# ---------------------------------------------------------------------------------------------------------------------
# Headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/page/lab.js", 200),
        ("GET", "/start", 303),
        ("GET", "/api/catalogue", 200),
        ("POST", "/api/export", 400),
        ("GET", "/nothing", 404),
        ("POST", "/", 405),
        ("GET", "/api/lessons", 500),
    ],
)
@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", "evil.example"])
def test_every_answer_has_them(ask: Ask, method: str, path: str, status: int, host: str) -> None:
    body = {"content": b"[]"} if path == "/api/export" else {}
    answered = ask(method, path, headers={"Host": host, **JSON}, **body)
    assert answered.status_code == (403 if host == "evil.example" else status)
    assert answered.headers["content-security-policy"] == POLICY
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert answered.headers["referrer-policy"] == "no-referrer"
    assert answered.headers["cross-origin-opener-policy"] == "same-origin"
    assert answered.headers["cross-origin-resource-policy"] == "same-origin"
    assert answered.headers["cache-control"] == (
        "no-cache" if answered.status_code == 200 and "api" not in path else "no-store"
    )
    assert not [name for name in answered.headers if name.startswith("access-control") or name == "server"]


# ---------------------------------------------------------------------------------------------------------------------
# Who may ask


def both(ask: Ask, headers: dict[str, str]) -> set[int]:
    """The status of a request for the page's code, and of one for a job."""
    posted = ask("POST", "/api/verdict", content=b"{}", headers=headers | JSON)
    return {ask("GET", "/page/lab.js", headers=headers).status_code, posted.status_code}


@pytest.mark.parametrize("host", ["127.0.0.1:8958", "localhost:8958", "LocalHost:8958", "[::1]:8958"])
def test_the_own_page(ask: Ask, host: str) -> None:
    own = {"Host": host, "Origin": f"http://{host.lower()}", "Sec-Fetch-Site": "same-origin"}
    assert both(ask, {"Host": host}) == both(ask, own) == {200}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",  # a name that was made to lead here: DNS rebinding
        "evil.example:8958",
        "127.0.0.1.evil.example:8958",
        "localhost.evil.example:8958",
        "127.0.0.1:8959",
        "127.0.0.1",
        "localhost",
        "127.0.0.2:8958",
        "0.0.0.0:8958",
        "127.0.0.1:8958@evil.example",
        "user@127.0.0.1:8958",
        "127.0.0.1:8958, evil.example",
        "",
    ],
)
def test_another_host(ask: Ask, host: str) -> None:
    assert both(ask, {"Host": host}) == {403}
    assert "own address" in sentence(ask("GET", "/", headers={"Host": host}))


def test_two_hosts(ask: Ask) -> None:
    twice = [("Host", f"127.0.0.1:{PORT}"), ("Host", "evil.example")]
    assert ask("GET", "/", headers=twice).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://127.0.0.1:8958",
        "http://127.0.0.1:8959",
        "http://127.0.0.1",
        "http://localhost:8958",  # not that of this host
        "http://127.0.0.1:8958.evil.example",
        "http://127.0.0.1:8958/",
        "",
    ],
)
def test_another_origin(ask: Ask, origin: str) -> None:
    assert both(ask, {"Origin": origin}) == {403}
    assert "own page" in sentence(ask("GET", "/", headers={"Origin": origin}))


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense", ""])
def test_another_site(ask: Ask, site: str) -> None:
    """The browser says so, also of requests without an origin, such as those for scripts and pictures."""
    assert both(ask, {"Sec-Fetch-Site": site}) == {403}
    assert ask("GET", "/", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_an_address_that_was_typed(ask: Ask) -> None:
    typed = {"Sec-Fetch-Site": "none"}
    assert (ask("GET", "/", headers=typed).status_code, ask("GET", "/start", headers=typed).status_code) == (200, 303)
    assert both(ask, typed) == {403}


def test_a_form_of_another_site(ask: Ask) -> None:
    """A form needs no leave to send plain text, which may be JSON; older browsers tell only the content type."""
    body = b'{"board": {"x": "="}}'
    told = {"Content-Type": "text/plain", "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert ask("POST", "/api/verdict", content=body, headers=told).status_code == 403
    assert ask("POST", "/api/verdict", content=body, headers={"Content-Type": "text/plain"}).status_code == 415


def test_websockets_are_not_answered(folder: Path) -> None:
    async def connect() -> list[Any]:
        async def nothing() -> Any:
            raise AssertionError

        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        app: Any = app_of(call, PORT, folder)
        await app({"type": "websocket", "path": "/", "headers": []}, nothing, send)
        return sent

    assert done(connect) == []
