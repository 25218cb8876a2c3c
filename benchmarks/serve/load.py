"""Requests over keep-alive connections, as fast as they are answered, and the time of each.

Requests are prepared before the clock starts. They go to 127.0.0.1 only, and their number and time are limited.
"""

import selectors
import socket
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

HOST = "127.0.0.1"


class Load(NamedTuple):
    """What was measured.

    Attributes
    ----------
    requests : those that were answered
    errors : those that were not answered with 2xx
    seconds : from the first to the last
    milliseconds : of each request
    """

    requests: int
    errors: int
    seconds: float
    milliseconds: "np.ndarray[tuple[int], np.dtype[np.float64]]"

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    def percentile(self, share: float) -> float:
        return float(np.percentile(self.milliseconds, share)) if len(self.milliseconds) else float("nan")


def request(path: str, body: bytes, media_type: str = "application/json", port: int = 0) -> bytes:
    """The bytes of a request."""
    head = [f"POST {path} HTTP/1.1", f"Host: {HOST}:{port}", f"Content-Type: {media_type}"]
    return "\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body


class Connection:
    """A connection that sends one request after the other, each when the one before is answered."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self.requests, self.at, self.start = requests, 0, 0.0
        self.times: list[float] = []
        self.errors: list[bytes] = []
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.come, self.length = b"", -1  # of the answer, and the length it will have

    def send(self) -> None:
        self.start = time.perf_counter()
        self.socket.sendall(self.requests[self.at % len(self.requests)])
        self.at += 1

    def receive(self) -> bool:
        """Read what there is; return whether the answer is whole."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise ConnectionError("the server has closed a connection")
        self.come += part
        if self.length < 0:
            head, end, _ = self.come.partition(b"\r\n\r\n")
            if not end:
                return False
            self.length = len(head) + 4 + int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(self.come) < self.length:
            return False
        self.times.append(1e3 * (time.perf_counter() - self.start))
        if not self.come.startswith(b"HTTP/1.1 2"):
            self.errors.append(self.come)
        self.come, self.length = b"", -1
        return True


def run(port: int, groups: Sequence[Sequence[bytes]], seconds: float) -> list[Load]:
    """One connection for each group of requests, all at the same time. There is one thread, and no event loop."""
    connections = [Connection(port, own) for own in groups]
    start = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for one in connections:
            selector.register(one.socket, selectors.EVENT_READ, one)
            one.send()
        waiting = len(connections)
        while waiting:
            for key, _ in selector.select():
                if key.data.receive():
                    if time.perf_counter() < start + seconds:
                        key.data.send()
                    else:
                        waiting -= 1
                        selector.unregister(key.data.socket)
    taken = time.perf_counter() - start
    for one in connections:
        one.socket.close()
    return [Load(len(one.times), len(one.errors), taken, np.array(one.times)) for one in connections]


def together(loads: Sequence[Load]) -> Load:
    """Several connections as one measurement."""
    times = np.concatenate([one.milliseconds for one in loads])
    return Load(sum(one.requests for one in loads), sum(one.errors for one in loads), loads[0].seconds, times)
