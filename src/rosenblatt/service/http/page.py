"""The live page: mistakes, rate, weights and alarms of each model. It reads what any client can read."""

import hashlib
from pathlib import Path

from rosenblatt.service.http.api import Answer

FOLDER = Path(__file__).parents[1] / "page"
PAGES = {  # path, file, media type
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page/live.js": ("live.js", "text/javascript; charset=utf-8"),
    "/page/live.css": ("live.css", "text/css; charset=utf-8"),
}


def page_file(path: str, known: str) -> Answer:
    """A file of the page; without its content if the browser knows it.

    Parameters
    ----------
    path : one of PAGES
    known : the header If-None-Match of the request
    """
    name, media_type = PAGES[path]
    content = (FOLDER / name).read_bytes()
    mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = ((b"etag", mark.encode()), (b"cache-control", b"no-cache"))
    if known == mark:
        return Answer(304, b"", media_type, headers)
    return Answer(200, content, media_type, headers)
