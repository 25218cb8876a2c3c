"""The live page: mistakes, rate, weights and alarms of each model. It reads what any client can read."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parents[1] / "page"
PAGES = {  # path, file, media type
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page/live.js": ("live.js", "text/javascript; charset=utf-8"),
    "/page/live.css": ("live.css", "text/css; charset=utf-8"),
}


async def page_file(request: Request) -> Response:
    """A file of the page."""
    name, media_type = PAGES[request.url.path]
    content = (FOLDER / name).read_bytes()
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type)
