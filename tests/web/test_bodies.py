"""Bodies that come too slowly, or not whole."""

import asyncio
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from rosenblatt.web import bodies
from rosenblatt.web.bodies import body_of
from rosenblatt.web.replies import JSON
from tests.support.lab_client import done


def read(*messages: dict[str, Any]) -> bytes:
    """The body of a request whose parts come one after the other; after the last, nothing comes."""
    left = list(messages)

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": b"", "more_body": True} | left.pop(0)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", b"application/json; x=y")]}
    return bytes(done(lambda: body_of(Request(scope, receive), (JSON,), 5, "divide it")))


@pytest.mark.parametrize(
    ("messages", "status", "said"),
    [
        ([{"body": b"{"}], 408, "did not arrive within 0.05 seconds"),
        ([{"body": b"{}"}, {"type": "http.disconnect"}], 400, "ended too early"),
        ([{"body": b"[1,"}, {"body": b"234"}], 413, "at most 5 bytes; divide it"),
    ],
)
def test_what_is_refused(messages: Any, status: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.05)
    with pytest.raises(HTTPException) as caught:
        read(*messages)
    assert (caught.value.status_code, said in caught.value.detail) == (status, True)


def test_a_body_in_parts() -> None:
    assert read({"body": b"[1"}, {"body": b",2]", "more_body": False}) == b"[1,2]"
