"""A guard for servers that listen on this machine only: their own page and programs may ask, other pages may not."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def hosts_of(port: int) -> set[str]:
    """The values of the header Host under which a server on this machine is asked."""
    names = (HOST, "localhost", "[::1]")
    return {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())


class Access(NamedTuple):
    """Which requests are allowed.

    Attributes
    ----------
    hosts : the values of Host that are allowed; None for all
    pages : the paths that a browser may open from any page
    name : the server in words, as in "The lab"
    """

    hosts: Collection[str] | None
    pages: Collection[str]
    name: str

    def refusal(self, path: str, headers: Headers) -> str | None:
        """Return why a request is refused; None if it is allowed.

        Any web site can send requests to this machine through the reader's browser, and can let its own host name
        point here (DNS rebinding). So the host must be one of ours, and so must the origin, if the browser sends one.
        """
        host = headers.getlist("host")
        if len(host) != 1 or (self.hosts is not None and host[0].lower() not in self.hosts):
            return f"{self.name} answers only at its own address on this machine, {HOST} or localhost."
        own = (
            {f"http://{host[0].lower()}", f"https://{host[0].lower()}"}
            if self.hosts is None
            else {f"http://{host[0].lower()}"}
        )
        if any(origin not in own for origin in headers.getlist("origin")):
            return f"{self.name} answers only to its own page."
        allowed = ("same-origin", "none") if path in self.pages else ("same-origin",)
        if any(site not in allowed for site in headers.getlist("sec-fetch-site")):
            return f"{self.name} answers only to its own page; to open it, type its address."
        return None


class Guard:
    """Middleware that refuses requests, and adds headers to every response.

    Parameters
    ----------
    app : the application
    access : which requests are allowed
    refused : the application that answers the others; it finds the reason as scope["refusal"]
    headers : what every response has
    """

    def __init__(self, app: ASGIApp, access: Access, refused: ASGIApp, headers: Mapping[str, str] = HEADERS) -> None:
        self.app, self.access, self.refused, self.headers = app, access, refused, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if scope["type"] != "http":
            return
        why = self.access.refusal(scope["path"], Headers(scope=scope))
        if why is None:
            await self.app(scope, receive, send_with_headers)
        else:
            await self.refused({**scope, "refusal": why}, receive, send_with_headers)
