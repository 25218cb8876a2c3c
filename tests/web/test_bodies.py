"""Bodies that come too slowly, or not whole."""

import asyncio
from typing import Any

import pytest
from starlette.exceptions import HTTPException

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

    return bytes(done(lambda: body_of(receive, JSON, (JSON,), 5, "divide it")))


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


def test_another_type_is_refused_before_the_body_is_read() -> None:
    with pytest.raises(HTTPException) as caught:
        done(lambda: body_of(None, "text/plain", (JSON, "application/x-ndjson"), 5, "divide it"))  # type: ignore[arg-type]
    assert caught.value.status_code == 415
    assert caught.value.detail == "A request must have the content type application/json or application/x-ndjson."


def test_a_body_in_parts() -> None:
    assert read({"body": b"[1"}, {"body": b",2]", "more_body": False}) == b"[1,2]"
