"""The body of a request, with limits."""

import asyncio
from collections.abc import Collection

from starlette.exceptions import HTTPException
from starlette.types import Receive

BODY_SECONDS = 30.0  # for the whole body to arrive


def plain_media_type(content_type: str) -> str:
    """The media type in a header Content-Type, without parameters.

    >>> plain_media_type("Application/JSON; charset=utf-8")
    'application/json'
    """
    return content_type.partition(";")[0].strip().lower()


async def body_of(receive: Receive, media_type: str, allowed: Collection[str], most: int, advice: str) -> bytes:
    """Return the body of a request.

    Parameters
    ----------
    receive : gives its parts
    media_type : what the request says that it has
    allowed : the media types that are taken
    most : the most bytes
    advice : what to do if there are more

    Raises
    ------
    HTTPException
        The body is of another type (415), too long (413), came too slowly (408) or not whole (400).
    """
    if media_type not in allowed:
        raise HTTPException(415, f"A request must have the content type {' or '.join(allowed)}.")
    body, is_whole = bytearray(), False
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while not is_whole:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise HTTPException(400, "The request ended too early.")
                body += message.get("body", b"")
                if len(body) > most:
                    raise HTTPException(413, f"A request has at most {most:,} bytes; {advice}.")
                is_whole = not message.get("more_body", False)
    except TimeoutError as error:
        raise HTTPException(408, f"The request did not arrive within {BODY_SECONDS:g} seconds.") from error
    return bytes(body)
