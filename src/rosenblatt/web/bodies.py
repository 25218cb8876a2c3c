"""The body of a request, with limits."""

import asyncio
from collections.abc import Collection

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

BODY_SECONDS = 30.0  # for the whole body to arrive


def media_type_of(request: Request) -> str:
    """The media type that a request says its body has, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def body_of(request: Request, media_types: Collection[str], most: int, advice: str) -> bytes:
    """Return the body of a request.

    Parameters
    ----------
    request : the request
    media_types : those that are taken
    most : the most bytes
    advice : what to do if there are more

    Raises
    ------
    HTTPException
        The body is of another type (415), too long (413), came too slowly (408) or not whole (400).
    """
    if media_type_of(request) not in media_types:
        raise HTTPException(415, f"A request must have the content type {' or '.join(media_types)}.")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise HTTPException(413, f"A request has at most {most:,} bytes; {advice}.")
    except ClientDisconnect as error:
        raise HTTPException(400, "The request ended too early.") from error
    except TimeoutError as error:
        raise HTTPException(408, f"The request did not arrive within {BODY_SECONDS:g} seconds.") from error
    return bytes(body)
