"""The answers to the first requests of a page, so that the page is drawn before a worker process is ready.

For a page without a board in its address, they are kept in a file. A test compares the file with what the jobs answer;
`python -m tests.support.first_answers` writes it again. If the command was given a board, the server reads it itself.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.lab.routes import ROUTES
from rosenblatt.lab.web.replies import Reply, answer
from rosenblatt.web.replies import as_json

FILE = Path(__file__).with_name("first_answers.json")
Call = Callable[[str, bytes], Awaitable[Reply]]


class Kept(NamedTuple):
    """A request, its length in bytes, and the reply."""

    request: dict[str, Any]
    length: int
    reply: Reply


def with_first_answers(call: Call, start: str = "/") -> Call:
    """Return a function that answers the first requests of the page itself, and leaves all others to `call`.

    Parameters
    ----------
    call : does a job; takes its name and the request as JSON, and returns the reply
    start : the address that the page is opened with; it may have a board in its fragment
    """
    kept = {
        job: Kept(entry["request"], len(as_json(entry["request"])), Reply(200, as_json(entry["answer"])))
        for job, entry in json.loads(FILE.read_text(encoding="utf-8")).items()
    }
    if "#board=" in start:
        kept["table"] = _opened(start)

    async def answered(name: str, body: bytes) -> Reply:
        if name in kept and len(body) <= 2 * kept[name].length and _read(body) == kept[name].request:
            return kept[name].reply
        return await call(name, body)

    return answered


def _opened(address: str) -> Kept:
    """Return what the page asks for the board in its address."""
    from rosenblatt.data.files.lab_board import Board  # the command has imported it to make the address

    text = json.dumps(Board.from_link(address).document(), separators=(",", ":"))  # as in `Board.to_link`
    request = {"text": text, "name": "lab.json", "target": None, "columns": None}
    body = as_json(request)
    return Kept(request, len(body), answer({"table": ROUTES["table"].load()}, "table", body))


def _read(body: bytes) -> object:
    """Return the request; None if it is not JSON, which a worker then explains."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
