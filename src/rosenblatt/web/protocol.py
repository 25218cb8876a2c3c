"""HTTP/1.1 with a parser in C, and a limit for what stands before a body."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 65_536  # bytes of the request line and the headers


class LimitedProtocol(HttpToolsProtocol):
    """A connection. Uvicorn's own takes headers of any length."""

    _head = 0  # bytes that came since the last headers or body ended

    def data_received(self, data: bytes) -> None:
        """Take bytes of the client; end the connection if a request does not get to its body."""
        self._head += len(data)
        super().data_received(data)
        if self._head > MAX_HEAD and not self.transport.is_closing():
            self.send_400_response(f"The request line and the headers have more than {MAX_HEAD:,} bytes.")

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the headers are too long."""
        self._head = 0
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD:
            raise ValueError("the headers are too long")  # the parser ends with an error, which is answered with 400
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._head = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._head = 0
        super().on_message_complete()
