"""Requests over keep-alive connections, as fast as they are answered, and the time of each.

Requests are prepared before the clock starts. They go to 127.0.0.1 only, and their number and time are limited.
"""

import asyncio
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


async def _connection(
    port: int, requests: Sequence[bytes], until: float, times: list[float], errors: list[bytes]
) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    at = 0
    while time.perf_counter() < until:
        start = time.perf_counter()
        writer.write(requests[at % len(requests)])
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        times.append(1e3 * (time.perf_counter() - start))
        if not head.startswith(b"HTTP/1.1 2"):
            errors.append(head)
        at += 1
    writer.close()


async def _all(port: int, groups: Sequence[Sequence[bytes]], seconds: float) -> list[Load]:
    start = time.perf_counter()
    found: list[tuple[list[float], list[bytes]]] = [([], []) for _ in groups]
    await asyncio.gather(
        *(_connection(port, own, start + seconds, *found[at]) for at, own in enumerate(groups)),
    )
    taken = time.perf_counter() - start
    return [Load(len(times), len(errors), taken, np.array(times)) for times, errors in found]


def run(port: int, groups: Sequence[Sequence[bytes]], seconds: float) -> list[Load]:
    """One connection for each group of requests, all at the same time."""
    return asyncio.run(_all(port, groups, seconds))


def together(loads: Sequence[Load]) -> Load:
    """Several connections as one measurement."""
    times = np.concatenate([one.milliseconds for one in loads])
    return Load(sum(one.requests for one in loads), sum(one.errors for one in loads), loads[0].seconds, times)
