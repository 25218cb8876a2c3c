"""Requests to the service and their answers, as values: what both clients send, and how they read what comes back."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from numpy.typing import NDArray

from rosenblatt.errors import DataError, RosenblattError

LINES = "application/x-ndjson"
JSON = "application/json"
MODEL_FILE = "application/octet-stream"
RETRIED = (429, 502, 503, 504)
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
Row = Mapping[str, Any] | Sequence[float] | NDArray[Any]
Label = str | int | float | bool


class ServiceError(RosenblattError):
    """The service refused a request, or did not answer.

    Parameters
    ----------
    message : str
        What is wrong, in a sentence.
    status : int, optional
        The HTTP status; None if there was no answer.

    Attributes
    ----------
    status : int or None
        The HTTP status; None if there was no answer.

    See Also
    --------
    Client : Raises it.

    Examples
    --------
    >>> from rosenblatt import ServiceError
    >>> raise ServiceError("There is no model 'spam'.", 404)
    Traceback (most recent call last):
    rosenblatt.client.calls.ServiceError: There is no model 'spam'.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Prediction(NamedTuple):
    """The prediction for a row.

    Attributes
    ----------
    label : the class; None while the model knows none
    score : with two classes one number, with more one a class; None while the model knows no class
    id : under which the row waits for its label, if that was asked for
    """

    label: Label | None
    score: Any
    id: str | None = None


class Learned(NamedTuple):
    """What the service did with an example.

    Attributes
    ----------
    prediction : the class that was predicted before the label was seen
    mistake : was it wrong?
    example : the number of the example in the log of the model, from 1
    """

    prediction: Label | None
    mistake: bool
    example: int


class Call(NamedTuple):
    """A request.

    Attributes
    ----------
    method, path : how it is asked
    content : the body, or None
    headers : more headers
    params : options in the address
    is_safe : may it be repeated if the answer was lost?
    """

    method: str
    path: str
    content: bytes | None = None
    headers: Mapping[str, str] = {}
    params: Mapping[str, str] = {}
    is_safe: bool = True

    def may_repeat(self, status: int | None) -> bool:
        """May it be sent again after this status, or after no answer (None)?"""
        return status in RETRIED if status is not None else self.is_safe


def path_of(name: str, what: str = "") -> str:
    """The path of a model, or of something of it."""
    return f"/v1/models/{quote(name, safe='')}{what and '/'}{what}"


def json_call(method: str, path: str, content: Any = None, **options: Any) -> Call:
    """A request with a JSON body."""
    if content is None:
        return Call(method, path, **options)
    return Call(method, path, _text(content), {"Content-Type": JSON}, **options)


def rows_call(name: str, rows: Iterable[Row], *, later: bool) -> Call:
    """A request for predictions, one row a line."""
    content = b"\n".join(_text({"x": plain(row)}) for row in rows)
    params = {"later": "true"} if later else {}
    return Call("POST", path_of(name, "predict"), content, {"Content-Type": LINES}, params, is_safe=not later)


def examples_call(
    name: str, rows: Iterable[Row], labels: Iterable[Label], weights: Iterable[float] | None, key: str | None
) -> Call:
    """A request to learn, one example a line. With its key it can be repeated."""
    own = list(rows)
    lines = [{"x": plain(row), "y": plain(label)} for row, label in zip(own, labels, strict=True)]
    if weights is not None:
        lines = [line | {"weight": float(weight)} for line, weight in zip(lines, weights, strict=True)]
    return text_call(name, b"\n".join(map(_text, lines)), key)


def text_call(name: str, content: bytes, key: str | None = None) -> Call:
    """A request to learn from text, one example a line."""
    headers = {"Content-Type": LINES, "Idempotency-Key": key or secrets.token_hex(16)}
    return Call("POST", path_of(name, "learn"), content, headers)


def predictions_of(body: bytes) -> list[Prediction]:
    """The predictions in an answer."""
    return [Prediction(one["prediction"], one["score"], one.get("id")) for one in _lines(body)]


def learned_of(body: bytes) -> list[Learned]:
    """What an answer says was learned."""
    return [Learned(one["prediction"], one["mistake"], one["example"]) for one in _lines(body)]


def error_of(status: int, body: bytes) -> ServiceError:
    """The error that an answer tells."""
    try:
        said = json.loads(body)["error"]
    except (ValueError, LookupError, TypeError):
        said = f"The service answered with status {status}."
    return ServiceError(said, status)


def pause_before(attempt: int, retry_after: str | None) -> float:
    """Seconds to wait before a request is repeated."""
    if retry_after is not None and retry_after.isdigit():
        return min(float(retry_after), LONGEST_PAUSE)
    return float(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))


def plain(value: Any) -> Any:
    """A row or a label as JSON has it: arrays and numbers of NumPy become lists and numbers."""
    if isinstance(value, Mapping):
        return {name: plain(own) for name, own in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def _text(content: Any) -> bytes:
    try:
        return json.dumps(content, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise DataError(f"The rows and labels must be numbers, texts, true or false: {error}.") from error


def _lines(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in body.splitlines() if line]
