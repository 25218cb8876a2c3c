"""A guard for servers that listen on this machine only: their own page and programs may ask, other pages may not."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

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

    def refusal(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        """Return why a request is refused; None if it is allowed.

        Any web site can send requests to this machine through the reader's browser, and can let its own host name
        point here (DNS rebinding). So the host must be one of ours, and so must the origin, if the browser sends one.

        Parameters
        ----------
        path : the path that was asked for
        headers : names in lower case, and values
        """
        given: dict[bytes, list[str]] = {b"host": [], b"origin": [], b"sec-fetch-site": []}
        for name, value in headers:
            if name in given:
                given[name].append(value.decode("latin-1"))
        host = given[b"host"]
        if len(host) != 1 or (self.hosts is not None and host[0].lower() not in self.hosts):
            return f"{self.name} answers only at its own address on this machine, {HOST} or localhost."
        own = (
            {f"http://{host[0].lower()}", f"https://{host[0].lower()}"}
            if self.hosts is None
            else {f"http://{host[0].lower()}"}
        )
        if any(origin not in own for origin in given[b"origin"]):
            return f"{self.name} answers only to its own page."
        allowed = ("same-origin", "none") if path in self.pages else ("same-origin",)
        if any(site not in allowed for site in given[b"sec-fetch-site"]):
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
        self.app, self.access, self.refused = app, access, refused
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self._names = {name for name, _ in self._headers}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._with_own(message.get("headers", ()))
            await send(message)

        if scope["type"] != "http":
            return
        why = self.access.refusal(scope["path"], scope["headers"])
        if why is None:
            await self.app(scope, receive, send_with_headers)
        else:
            await self.refused({**scope, "refusal": why}, receive, send_with_headers)

    def _with_own(self, given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers of a response with those that every response has; nothing is stored unless it says otherwise."""
        headers = [(name, value) for name, value in given if name not in self._names]
        if not any(name == b"cache-control" for name, _ in headers):
            headers.append((b"cache-control", b"no-store"))
        return headers + self._headers
