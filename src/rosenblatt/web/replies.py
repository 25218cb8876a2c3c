"""Replies as bytes."""

import json
from typing import Any

JSON = "application/json"
DEFECT = "This is a defect of rosenblatt, not of your input; please report it with what the terminal shows."

_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def as_json(answered: Any) -> bytes:
    """Return JSON without spaces; numbers that are not finite raise a ValueError.

    >>> as_json({"error": "There is no such page."})
    b'{"error":"There is no such page."}'
    """
    return _ENCODER.encode(answered).encode()
