"""Requests and replies as bytes. Every error becomes a sentence with an HTTP status."""

import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rosenblatt.errors import RosenblattError
from rosenblatt.web.replies import DEFECT, JSON, as_json

MAX_DIGITS = 400  # of a whole number in a request
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # an escape that JSON allows alone, but text does not
Jobs = Mapping[str, Callable[[dict[str, Any]], Any]]  # each returns a dict, or a Download: name, content, media type


class Reply(NamedTuple):
    """A reply to the page.

    Attributes
    ----------
    status : the HTTP status
    body : the bytes to send
    media_type : the media type of the body
    name : the name of the file that the browser saves; "" if the page reads the body itself
    """

    status: int
    body: bytes
    media_type: str = JSON
    name: str = ""


def refusal(status: int, sentence: str) -> Reply:
    """Return a reply that says what is wrong.

    >>> refusal(404, "There is no such page.").body
    b'{"error":"There is no such page."}'
    """
    return Reply(status, as_json({"error": sentence}))


def answer(jobs: Jobs, name: str, body: bytes) -> Reply:
    """Do a job, and return its reply. The traceback of a defect goes to standard error only.

    >>> answer({"double": lambda request: {"twice": 2 * request["x"]}}, "double", b'{"x": 21}').body
    b'{"twice":42}'
    >>> answer({}, "double", b"{}").status
    404
    """
    if name not in jobs:
        return refusal(404, f"The lab has no job {name!r}.")
    try:
        request = _request(body)
    except ValueError as error:
        return refusal(400, str(error))
    try:
        return _reply(jobs[name](request))
    except RosenblattError as error:
        said = str(error)
        return refusal(400, said if said.endswith((".", "?")) else f"{said}.")
    except MemoryError:
        return refusal(400, "There is not enough memory for this; try fewer points.")
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return refusal(500, DEFECT)


def _request(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a request, or raise a ValueError that says what is wrong."""
    try:
        request = json.loads(body.decode(), parse_constant=_refuse_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"The request is not JSON: {error.msg[:1].lower()}{error.msg[1:]}, {where}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"The request is not JSON: byte {error.start} is not UTF-8.") from error
    except RecursionError as error:
        raise ValueError("The request is nested too deeply.") from error
    if SURROGATE.search(body) and not _is_text(request):
        raise ValueError("The request has half a character: a surrogate without its other half.")
    if not isinstance(request, dict):
        raise ValueError('A request is a JSON object, as in {"board": ...}.')
    return request


def _is_text(request: Any) -> bool:
    try:
        json.dumps(request, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:  # no request needs more; Python itself refuses only far longer numbers
        raise ValueError(f"A whole number in a request has at most {MAX_DIGITS} digits, not {len(digits):,}.")
    return int(digits)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"The request is not JSON: {word} is not a JSON number.")


def _reply(answered: Any) -> Reply:
    if isinstance(answered, dict):
        return Reply(200, as_json(answered))
    name, content, media_type = answered
    return Reply(200, content, media_type, name)
