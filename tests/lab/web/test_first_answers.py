"""The answers that the server gives itself: they are those of the jobs, and no other request gets them."""

import asyncio
import json
from typing import Any

import pytest

from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.jobs import JOBS
from rosenblatt.lab.web.first_answers import FILE, with_first_answers
from rosenblatt.lab.web.replies import Reply, refusal
from rosenblatt.web.replies import as_json
from tests.support import first_answers
from tests.support.lab_client import done

ASKED = first_answers.requests()
BOARD = Board.of_rows([[0, 0], [1, 1.5], [2, 0]], ["größe", "no", "no"], names=["ä", "b"])
OTHER = refusal(503, "This is for a worker.")


async def worker(_: str, __: bytes) -> Reply:
    return OTHER


def answer(name: str, body: bytes, start: str = "/") -> Reply:
    async def called() -> Reply:
        return await with_first_answers(worker, start)(name, body)

    reply = done(called)
    assert isinstance(reply, Reply)
    return reply


def sent(request: Any) -> bytes:
    """A request as a browser writes it: without spaces, and 1.0 as 1."""
    return json.dumps(request, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]").encode()


def test_the_file_is_up_to_date() -> None:
    again = "The jobs answer otherwise than the file says. Run: python -m tests.support.first_answers"
    assert FILE.read_text(encoding="utf-8") == first_answers.text(), again


@pytest.mark.parametrize("name", ASKED)
def test_a_first_request_is_answered_as_by_its_job(name: str) -> None:
    reply = answer(name, sent(ASKED[name]))
    assert (reply.status, json.loads(reply.body)) == (200, json.loads(as_json(JOBS[name](ASKED[name]))))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("run", sent(ASKED["run"] | {"pane": 1})),
        ("run", sent(ASKED["verdict"])),
        ("data", sent(ASKED["data"] | {"name": "xor"})),
        ("verdict", sent({"board": ASKED["verdict"]["board"] | {"points": []}})),
        ("verdict", b""),
        ("verdict", b"\xff"),
        ("verdict", b"[" * 5000),
        ("verdict", sent(ASKED["verdict"]) + b" " * 10_000),
        ("table", sent({"text": "{}", "name": "lab.json"})),
        ("export", b"{}"),
    ],
    ids=range(10),
)
def test_other_requests_are_for_workers(name: str, body: bytes) -> None:
    assert answer(name, body) == OTHER


def test_the_board_that_the_command_was_given() -> None:
    """The page asks with the text that its address contains."""
    text = json.dumps(BOARD.document(), separators=(",", ":"))
    asked = {"text": text, "name": "lab.json", "target": None, "columns": None}
    reply = answer("table", as_json(asked), "/" + BOARD.to_link())
    assert (reply.status, json.loads(reply.body)["board"]) == (200, BOARD.document())
    assert answer("table", as_json(asked | {"text": text.replace("1.5", "2.5")}), "/" + BOARD.to_link()) == OTHER


def test_a_waiting_worker_holds_nothing_up() -> None:
    async def never(_: str, __: bytes) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    async def called() -> set[int]:
        call = with_first_answers(never)
        return {(await call(name, sent(request))).status for name, request in ASKED.items()}

    assert done(called) == {200}
